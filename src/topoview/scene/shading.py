"""From what colours mean to the code of each rank, and to the colours of the codes.

The colour of a rank or an edge is one number: its code and its level of depth. What is
far mixes with the background, in sixteen levels; a look-up table holds all mixtures. So
a change of colours, of the camera or of the theme never touches geometry.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable

from topoview import model
from topoview.scene.actors import copied_array
from topoview.scene.palette import (
    MAP_STEPS,
    Theme,
    category_colours,
    map_colours,
    mix_colours,
    rgb,
)

DEPTH_LEVELS = 16
"""Steps from near to far."""


def fading_table(
    colours: Sequence[str], amounts: Sequence[float], background: str
) -> model.Bytes:
    """Mix each colour with the background, more at each level.

    Parameters
    ----------
    colours
        As ``#rrggbb``.
    amounts
        Share of the background at the furthest level, for each colour.
    background
        Colour that they fade to.

    Returns
    -------
    uint8, shape (LEVELS * colours, 4)
        RGBA of colour ``c`` at level ``l`` in row ``LEVELS * c + l``.
    """
    table = np.zeros((DEPTH_LEVELS * len(colours), 4), np.uint8)
    table[:, 3] = 255
    base = np.array(rgb(background), float)
    level = np.linspace(0, 1, DEPTH_LEVELS)[:, None]
    for number, (colour, amount) in enumerate(zip(colours, amounts, strict=True)):
        rows = slice(number * DEPTH_LEVELS, (number + 1) * DEPTH_LEVELS)
        mixed = np.array(rgb(colour)) * (1 - amount * level) + base * amount * level
        table[rows, :3] = np.rint(mixed)
    return table


def depth_levels(depths: model.Floats, near: float, far: float) -> model.Bytes:
    """Level of each depth between the nearest and the furthest: uint8."""
    share = (depths - near) / max(far - near, 1e-9)
    return np.asarray(
        np.clip(share * (DEPTH_LEVELS - 1) + 0.5, 0, DEPTH_LEVELS - 1), np.uint8
    )


def fill_lookup(lookup: vtkLookupTable, table: model.Bytes) -> None:
    """Put a table of `fading_table` into VTK's."""
    lookup.SetNumberOfTableValues(len(table))
    lookup.SetTable(copied_array(table))
    lookup.SetTableRange(0, len(table) - 1)
    lookup.Modified()


MAX_CATEGORIES = 512
"""Categories with a code of their own; further ones begin again."""


@dataclass(frozen=True, slots=True)
class CodePalette:
    """Colours of codes."""

    colours: tuple[str, ...]
    """As ``#rrggbb``; the last one is that of tiles that do not stand out."""
    calm: tuple[bool, ...]
    """Whether each may fade far away: what is seen behind others."""

    @property
    def blank(self) -> int:
        """Code of what does not stand out."""
        return len(self.colours) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Shading:
    """How all ranks are coloured."""

    palette: CodePalette
    """Colours of the codes."""
    codes: model.Shorts
    """uint16, shape (ranks,)"""
    stands_out: model.Bools | None = None
    """bool, shape (ranks,), or None: ranks that are drawn at their size, None for
    all."""
    sizes: model.Floats | None = None
    """float64, shape (ranks,), or None: share of that size; None for all of it."""
    rims: model.Shorts | None = None
    """uint16, shape (ranks,), or None: place of each rim's colour in `rim_colours`,
    counted from 1; 0 for no rim."""
    rim_colours: tuple[str, ...] = ()
    """As ``#rrggbb``."""
    faint: model.Bools | None = None
    """bool, shape (ranks,), or None: ranks that others are seen through; None for
    none."""
    states: model.Bytes | None = None
    """uint8, shape (ranks,), or None: `TimeState` of each, if that is what is shown."""

    @property
    def calm(self) -> model.Bools | None:
        """Ranks that do nothing in MPI, which are the ground: they are smaller.

        bool, shape (ranks,); None for none.
        """
        return (
            None if self.states is None else model.in_states(self.states, CALM_STATES)
        )


CALM_STATES = (model.TimeState.OUTSIDE, model.TimeState.COMPUTE)
"""States in which a rank is not in MPI."""


@lru_cache(maxsize=4)
def state_palette(theme: Theme) -> CodePalette:
    """Colours of the codes of `TimeState`."""
    return CodePalette(
        (*(theme.state_colour(state) for state in model.TimeState), theme.outside),
        (*(state in CALM_STATES for state in model.TimeState), False),
    )


def shade_by_state(theme: Theme, states: model.Bytes, focus: frozenset[int]) -> Shading:
    """Colour ranks by state; those in other states than those in focus stand back.

    Parameters
    ----------
    states : uint8, shape (ranks,)
        `TimeState` of each rank.
    focus
        Codes of states; empty for all.
    """
    stands_out = model.in_states(states, focus) if focus else None
    return Shading(
        state_palette(theme),
        states.astype(np.uint16),
        stands_out,
        states=states,
    )


def shade_by_values(
    theme: Theme, values: model.RankValues, map_name: str = ""
) -> Shading:
    """Colour ranks by numbers or categories; those without one are pale.

    Parameters
    ----------
    map_name
        Name in `MAPS`; empty for the natural one.
    """
    colours = value_colours(theme, values, map_name)
    palette = CodePalette(
        (theme.without, *colours, theme.outside), (True, *[False] * len(colours), False)
    )
    valid = ~np.isnan(values.values)
    if values.names:
        place = np.nan_to_num(values.values) % len(colours)
    else:
        place = np.minimum(np.nan_to_num(values.shares) * MAP_STEPS, MAP_STEPS - 1)
    codes = np.where(valid, place.astype(np.uint16) + 1, 0).astype(np.uint16)
    return Shading(palette, codes)


def value_colours(
    theme: Theme, values: model.RankValues, map_name: str = ""
) -> tuple[str, ...]:
    """Colours of numbers from the lowest on, or of categories."""
    if values.names:
        return category_colours(min(len(values.names), MAX_CATEGORIES), theme)
    natural = "vik" if values.middle else "cividis"
    return map_colours(map_name or natural, theme)


MIN_SIZE_SHARE = 0.3
"""Size of a rank with the lowest number; one without a number is smaller still."""

SIZE_WITHOUT_NUMBER = 0.18

COLLECTIVE_GROWTH = 0.4
"""How much larger ranks in a collective operation are when all have come."""


def sizes_by_values(values: model.RankValues) -> model.Floats:
    """Size of each rank by numbers, as shares of the full one: shape (ranks,)."""
    shares = values.shares
    if values.high <= values.low:
        shares = np.where(np.isnan(shares), np.nan, 1.0)
    sizes = MIN_SIZE_SHARE + (1 - MIN_SIZE_SHARE) * np.nan_to_num(shares)
    return np.where(np.isnan(shares), SIZE_WITHOUT_NUMBER, sizes)


def outlines_by_values(
    theme: Theme, values: model.RankValues, map_name: str = ""
) -> tuple[model.Shorts, tuple[str, ...]]:
    """Return the code of each rank's rim, by numbers or categories, and the colours.

    Returns
    -------
    codes : uint16, shape (ranks,)
    colours
        What the codes from 1 on mean.
    """
    shading = shade_by_values(theme, values, map_name)
    return shading.codes, shading.palette.colours[1:-1]


TRAIL_STEPS = 8
"""Steps in which the rim of a state before fades."""


def trail_outlines(
    theme: Theme, before: model.Bytes, age: model.Floats
) -> tuple[model.Shorts, tuple[str, ...]]:
    """Rims that tell the state before, fainter the longer it is over.

    Parameters
    ----------
    before : uint8, shape (ranks,)
        `TimeState` of each rank before its present one.
    age : float64, shape (ranks,)
        How long that is over, in lengths of a trail; none from 1 on.
    """
    colours = tuple(
        mix_colours(theme.state_colour(state), theme.panel, step / TRAIL_STEPS)
        for state in model.TimeState
        for step in range(TRAIL_STEPS)
    )
    step = np.clip(age * TRAIL_STEPS, 0, TRAIL_STEPS - 1).astype(np.uint16)
    codes = before.astype(np.uint16) * np.uint16(TRAIL_STEPS) + step + np.uint16(1)
    calm = model.in_states(before, CALM_STATES)
    return np.where((age < 1) & ~calm, codes, 0).astype(np.uint16), colours
