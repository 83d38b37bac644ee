"""From what colour means to the code of each rank and the colours of the codes."""

from dataclasses import dataclass

import numpy as np

from topoview.model import Bools, Bytes, MPIState, RankValues, Shorts
from topoview.scene.colour_maps import STEPS, category_colours, map_colours
from topoview.scene.palette import Theme

MOST_CATEGORIES = 512
"""Categories with a code of their own; further ones begin again."""


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of codes.

    Attributes
    ----------
    colours
        As ``#rrggbb``; the last one is that of tiles that do not stand out.
    calm
        Whether each may fade far away: what is seen behind others.
    """

    colours: tuple[str, ...]
    calm: tuple[bool, ...]

    @property
    def blank(self) -> int:
        """Code of what does not stand out."""
        return len(self.colours) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Shading:
    """How all ranks are coloured.

    Attributes
    ----------
    palette
        Colours of the codes.
    codes : uint16, shape (ranks,)
    stands_out : bool, shape (ranks,), or None
        Ranks that are drawn at their size, None for all.
    """

    palette: Palette
    codes: Shorts
    stands_out: Bools | None = None


def state_palette(theme: Theme) -> Palette:
    """Colours of the codes of `MPIState`."""
    calm = (MPIState.OUTSIDE, MPIState.COMPUTE)
    return Palette(
        (*(theme.state_colour(state) for state in MPIState), theme.outside),
        (*(state in calm for state in MPIState), False),
    )


def by_state(theme: Theme, states: Bytes, focus: frozenset[int]) -> Shading:
    """Colour ranks by state; those in other states than those in focus stand back.

    Parameters
    ----------
    states : uint8, shape (ranks,)
        `MPIState` of each rank.
    focus
        Codes of states; empty for all.
    """
    stands_out = np.isin(states, list(focus)) if focus else None
    return Shading(state_palette(theme), states.astype(np.uint16), stands_out)


def by_values(theme: Theme, found: RankValues, map_name: str = "") -> Shading:
    """Colour ranks by numbers or categories; those without one are grey.

    Parameters
    ----------
    map_name
        Name in `MAPS`; empty for the natural one.
    """
    colours = value_colours(theme, found, map_name)
    palette = Palette(
        (theme.outside, *colours, theme.outside), (True, *[False] * len(colours), False)
    )
    known = ~np.isnan(found.values)
    if found.names:
        place = np.nan_to_num(found.values) % len(colours)
    else:
        place = np.minimum(np.nan_to_num(found.shares) * STEPS, STEPS - 1)
    codes = np.where(known, place.astype(np.uint16) + 1, 0).astype(np.uint16)
    return Shading(palette, codes)


def value_colours(
    theme: Theme, found: RankValues, map_name: str = ""
) -> tuple[str, ...]:
    """Colours of numbers from the lowest on, or of categories."""
    if found.names:
        return category_colours(min(len(found.names), MOST_CATEGORIES))
    natural = "vik" if found.middle else "cividis"
    return map_colours(map_name or natural, theme)
