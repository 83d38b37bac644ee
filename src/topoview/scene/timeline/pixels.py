"""The timeline's pictures as arrays of pixels: rows, and the strip below them."""

import numpy as np
from numpy.typing import NDArray

from topoview.analysis.chosen import Spans
from topoview.model import Bools, Bytes, Floats, Indices, MPIState
from topoview.scene.palette import Theme, rgb
from topoview.scene.timeline.bands import Bands
from topoview.scene.timeline.raster import UNMARKED, marks

Pixels = NDArray[np.uint32]
"""Colours as 0xffrrggbb, shape (height, width)."""

_STACK = (
    MPIState.WAIT,
    MPIState.COLLECTIVE,
    MPIState.BARRIER,
    MPIState.RECEIVE,
    MPIState.SEND,
    MPIState.ONE_SIDED,
    MPIState.IO,
    MPIState.SETUP,
    MPIState.COMPUTE,
    MPIState.OUTSIDE,
)
"""Order of the strip from its ground line up: what costs time stands on it."""


def row_pixels(  # noqa: PLR0913 - a picture's parameters
    codes: Bytes,
    bands: Bands,
    window: tuple[int, int],
    theme: Theme,
    focus: frozenset[int] = frozenset(),
    spans: Spans | None = None,
) -> Pixels:
    """Paint the rows.

    What stands out (calls that are selected, or states in focus) keeps its
    rows' full height; everything else shrinks to a thin stripe, and vanishes
    where rows are too thin for that. Every colour is one of the key.

    Parameters
    ----------
    codes : uint8, shape (bands, width)
        State that each band shows, as `raster_bands` gives it.
    bands, window
        What is shown in which lines, and in which ticks.
    theme
        Colours.
    focus
        Codes of states that stand out, all if empty.
    spans
        Calls that stand out; they come before `focus`.

    Returns
    -------
    uint32, shape (bands.height, width)
    """
    (begin, end), width = window, codes.shape[1]
    stands: Bools | None = None
    if spans is not None:
        marked = marks(
            spans.offsets,
            spans.enter,
            spans.leave,
            spans.state,
            bands.rows,
            bands.bounds,
            begin,
            end,
            width,
        )
        stands = marked != UNMARKED
        codes = np.where(stands, marked, codes)
    elif focus:
        stands = np.isin(codes, list(focus))
    colours = colour_table(theme)
    ground = pixel(theme.panel)
    painted = colours[codes]
    if stands is None:
        return _spread(painted, bands.band_of_line, ground)
    full = _spread(np.where(stands, painted, ground), bands.band_of_line, ground)
    core = np.where(bands.core, bands.band_of_line, -1)
    full[bands.core] = _spread(painted, core, ground)[bands.core]
    return full


def strip_pixels(share: Floats, height: int, theme: Theme) -> Pixels:
    """Paint shares of states as a stack, ``share`` as `raster.shares` gives it.

    Each pixel has the colour of one state; a state with any share of more than
    half a pixel is seen.

    Returns
    -------
    uint32, shape (height, width)
    """
    stack = np.array(_STACK)
    tops = np.cumsum(share[stack], axis=0)
    level = (np.arange(height, 0, -1) - 0.5) / height
    above = np.sum(tops[:, None, :] <= level[None, :, None], axis=0)
    codes: Bytes = stack[np.minimum(above, len(stack) - 1)].astype(np.uint8)
    return colour_table(theme)[codes]


def colour_table(theme: Theme) -> NDArray[np.uint32]:
    """Colours of all states, uint32, shape (len(MPIState),)."""
    return np.array([pixel(theme.state_colour(s)) for s in MPIState], np.uint32)


def pixel(colour: str) -> np.uint32:
    """Turn ``#rrggbb`` into 0xffrrggbb."""
    red, green, blue = rgb(colour)
    return np.uint32(0xFF000000 | red << 16 | green << 8 | blue)


def _spread(painted: Pixels, band_of_line: Indices, ground: np.uint32) -> Pixels:
    """Copy each band to its lines."""
    if not len(painted):
        return np.full((len(band_of_line), painted.shape[1]), ground, np.uint32)
    lines: Pixels = painted[band_of_line]
    lines[band_of_line < 0] = ground
    return lines
