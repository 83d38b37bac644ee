"""States in the timeline's pixels: at once from what is kept, roughly, or exactly.

What a trace is opened with is kept with it in the store, where it takes long: the
window of the first picture, and the shares of states over the whole run. Opening the
trace again in a window of the same size looks at no interval then.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from topoview.analysis.code_version import code_version
from topoview.analysis.navigation import working_window
from topoview.io.store.shelf import shelf_of
from topoview.kernel_cache import sources_digest
from topoview.model import Bytes, Floats, Indices, Trace
from topoview.scene.timeline import raster as kernels
from topoview.scene.timeline.bands import Bands
from topoview.scene.timeline.raster import looked_at, raster_bands, shares

LONG: Final = 1 << 18
"""Intervals and pixels to be looked at from which on a preview comes first, and what
a trace is opened with is kept."""

SOONER: Final = 4
"""How many times fewer must be looked at for a preview."""

OTHERS: Final = 3
"""Pictures of other sizes, and in other orders, that are kept beside the newest one."""

_ROWS: Final = "rows"
_STRIP: Final = "strip"


class Codes(NamedTuple):
    """States in pixels.

    Attributes
    ----------
    codes : uint8, shape (bands, width)
        `MPIState` codes.
    exact
        Whether they are more than a preview.
    """

    codes: Bytes
    exact: bool


class Shares(NamedTuple):
    """Shares of states.

    Attributes
    ----------
    shares : float64, shape (len(MPIState), width)
        As `raster.shares` gives them.
    exact
        Whether they are more than a preview.
    """

    shares: Floats
    exact: bool


def row_codes(  # noqa: PLR0913 - a picture's parameters
    trace: Trace,
    bands: Bands,
    window: tuple[int, int],
    width: int,
    go_on: Callable[[], bool] = lambda: True,
    *,
    soon: bool = False,
) -> Codes:
    """Find the state that each band shows in each column.

    Parameters
    ----------
    trace, bands, window, width
        What is shown, in which lines, in which ticks, on how many columns.
    go_on
        As in `raster_bands`.
    soon
        Whether a preview will do if the exact pixels take long.
    """
    rows, bounds = bands.rows, bands.bounds
    place = trace.timeline, rows, *window, width
    cost = looked_at(*place)
    opening = cost >= LONG and window in _opened_with(trace)
    shelf = shelf_of(trace.timeline) if opening else None
    made_of = (_version(), window, width, _digest(rows), _digest(bounds))
    if shelf is not None:
        found = shelf.find(_ROWS, made_of)
        if isinstance(found, np.ndarray) and found.shape == (len(bounds) - 1, width):
            return Codes(found, exact=True)
    rough = soon and cost >= LONG and looked_at(*place, rough=True) * SOONER <= cost
    codes = raster_bands(
        trace.timeline, rows, bounds, *window, width, go_on, rough=rough
    )
    if shelf is not None and not rough and go_on():
        shelf.keep(_ROWS, made_of, codes, others=OTHERS)
    return Codes(codes, exact=not rough)


def run_shares(
    trace: Trace, window: tuple[int, int], width: int, *, soon: bool = False
) -> Shares:
    """Find the shares of states of all ranks in each column.

    Parameters
    ----------
    soon
        As for `row_codes`.
    """
    rows: Indices = np.arange(trace.ranks, dtype=np.int32)
    place = trace.timeline, rows, *window, width
    cost = looked_at(*place)
    shelf = shelf_of(trace.timeline) if cost >= LONG else None
    made_of = _version(), window, width
    if shelf is not None:
        found = shelf.find(_STRIP, made_of)
        if isinstance(found, np.ndarray) and found.shape[1:] == (width,):
            return Shares(found, exact=True)
    rough = soon and cost >= LONG and looked_at(*place, rough=True) * SOONER <= cost
    made = shares(*place, rough=rough)
    if shelf is not None and not rough:
        shelf.keep(_STRIP, made_of, made, others=OTHERS)
    return Shares(made, exact=not rough)


def _opened_with(trace: Trace) -> tuple[tuple[int, int], ...]:
    return working_window(trace), (0, max(trace.clock.length, 1))


@cache
def _version() -> str:
    return code_version() + sources_digest(Path(kernels.__file__))


def _digest(array: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()
