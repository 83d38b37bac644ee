"""From what colour means to the code of each rank and the colours of the codes."""

from dataclasses import dataclass

import numpy as np

from topoview.model import Bools, Bytes, Floats, MPIState, RankValues, Shorts
from topoview.scene.colour_maps import STEPS, category_colours, map_colours
from topoview.scene.fading import mix
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
    sizes : float64, shape (ranks,), or None
        Share of that size; None for all of it.
    rims : uint16, shape (ranks,), or None
        Place of each rim's colour in `rim_colours`, counted from 1; 0 for no rim.
    rim_colours
        As ``#rrggbb``.
    faint : bool, shape (ranks,), or None
        Ranks that others are seen through; None for none.
    """

    palette: Palette
    codes: Shorts
    stands_out: Bools | None = None
    sizes: Floats | None = None
    rims: Shorts | None = None
    rim_colours: tuple[str, ...] = ()
    faint: Bools | None = None


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
    """Colour ranks by numbers or categories; those without one are pale.

    Parameters
    ----------
    map_name
        Name in `MAPS`; empty for the natural one.
    """
    colours = value_colours(theme, found, map_name)
    palette = Palette(
        (theme.without, *colours, theme.outside), (True, *[False] * len(colours), False)
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
        return category_colours(min(len(found.names), MOST_CATEGORIES), theme)
    natural = "vik" if found.middle else "cividis"
    return map_colours(map_name or natural, theme)


SMALLEST = 0.3
"""Size of a rank with the lowest number; one without a number is smaller still."""

WITHOUT = 0.18

SWOLLEN = 0.4
"""How much larger ranks in a collective operation are when all have come."""


def sizes_by(found: RankValues) -> Floats:
    """Size of each rank by numbers, as shares of the full one: shape (ranks,)."""
    shares = found.shares
    if found.high <= found.low:
        shares = np.where(np.isnan(shares), np.nan, 1.0)
    sizes = SMALLEST + (1 - SMALLEST) * np.nan_to_num(shares)
    return np.where(np.isnan(shares), WITHOUT, sizes)


def rims_by(
    theme: Theme, found: RankValues, map_name: str = ""
) -> tuple[Shorts, tuple[str, ...]]:
    """Give each rank's rim a colour by numbers or categories.

    Returns
    -------
    codes : uint16, shape (ranks,)
    colours
        What the codes from 1 on mean.
    """
    shading = by_values(theme, found, map_name)
    return shading.codes, shading.palette.colours[1:-1]


TRAIL_STEPS = 8
"""Steps in which the rim of a state before fades."""


def rims_of_trails(
    theme: Theme, before: Bytes, age: Floats
) -> tuple[Shorts, tuple[str, ...]]:
    """Rims that tell the state before, fainter the longer it is over.

    Parameters
    ----------
    before : uint8, shape (ranks,)
        `MPIState` of each rank before its present one.
    age : float64, shape (ranks,)
        How long that is over, in lengths of a trail; none from 1 on.
    """
    colours = tuple(
        mix(theme.state_colour(state), theme.panel, step / TRAIL_STEPS)
        for state in MPIState
        for step in range(TRAIL_STEPS)
    )
    step = np.clip(age * TRAIL_STEPS, 0, TRAIL_STEPS - 1).astype(np.uint16)
    codes = before.astype(np.uint16) * np.uint16(TRAIL_STEPS) + step + np.uint16(1)
    calm = (before == MPIState.OUTSIDE) | (before == MPIState.COMPUTE)
    return np.where((age < 1) & ~calm, codes, 0).astype(np.uint16), colours
