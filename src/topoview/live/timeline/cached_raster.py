"""States in the timeline's pixels: at once from what is kept, roughly, or exactly.

What a trace is opened with is kept with it in the store, where it takes long: the
window of the first picture, and the shares of states over the whole run. Opening the
trace again in a window of the same size looks at no interval then.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from topoview.kernels import sources_digest
from topoview.live.navigation import working_window
from topoview.live.timeline import raster as kernels
from topoview.live.timeline.raster import raster_bands, render_cost, state_shares
from topoview.live.timeline.rows import RowBands
from topoview.model import Bytes, Floats, Indices, Trace
from topoview.store.keys import code_version
from topoview.store.results import result_cache_of

MIN_COST_KEPT: Final = 1 << 18
"""Intervals and pixels to be looked at from which on a preview comes first, and what
a trace is opened with is kept."""

MIN_PREVIEW_SPEEDUP: Final = 4
"""How many times fewer must be looked at for a preview."""

MAX_OTHERS_KEPT: Final = 3
"""Pictures of other sizes, and in other orders, that are kept beside the newest one."""

_ROWS_KEY: Final = "rows"
_STRIP_KEY: Final = "strip"


class StatePixels(NamedTuple):
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


class StateShares(NamedTuple):
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


def row_state_pixels(  # noqa: PLR0913 - a picture's parameters
    trace: Trace,
    bands: RowBands,
    window: tuple[int, int],
    width: int,
    go_on: Callable[[], bool] = lambda: True,
    *,
    soon: bool = False,
) -> StatePixels:
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
    cost = render_cost(*place)
    opening = cost >= MIN_COST_KEPT and window in _opening_windows(trace)
    shelf = result_cache_of(trace.timeline) if opening else None
    made_of = (
        _kernels_version(),
        window,
        width,
        _array_digest(rows),
        _array_digest(bounds),
    )
    if shelf is not None:
        found = shelf.find(_ROWS_KEY, made_of)
        if isinstance(found, np.ndarray) and found.shape == (len(bounds) - 1, width):
            return StatePixels(found, exact=True)
    rough = (
        soon
        and cost >= MIN_COST_KEPT
        and render_cost(*place, rough=True) * MIN_PREVIEW_SPEEDUP <= cost
    )
    codes = raster_bands(
        trace.timeline, rows, bounds, *window, width, go_on, rough=rough
    )
    if shelf is not None and not rough and go_on():
        shelf.keep(_ROWS_KEY, made_of, codes, others=MAX_OTHERS_KEPT)
    return StatePixels(codes, exact=not rough)


def run_state_shares(
    trace: Trace, window: tuple[int, int], width: int, *, soon: bool = False
) -> StateShares:
    """Find the shares of states of all ranks in each column.

    Parameters
    ----------
    soon
        As for `row_state_pixels`.
    """
    rows: Indices = np.arange(trace.ranks, dtype=np.int32)
    place = trace.timeline, rows, *window, width
    cost = render_cost(*place)
    shelf = result_cache_of(trace.timeline) if cost >= MIN_COST_KEPT else None
    made_of = _kernels_version(), window, width
    if shelf is not None:
        found = shelf.find(_STRIP_KEY, made_of)
        if isinstance(found, np.ndarray) and found.shape[1:] == (width,):
            return StateShares(found, exact=True)
    rough = (
        soon
        and cost >= MIN_COST_KEPT
        and render_cost(*place, rough=True) * MIN_PREVIEW_SPEEDUP <= cost
    )
    made = state_shares(*place, rough=rough)
    if shelf is not None and not rough:
        shelf.keep(_STRIP_KEY, made_of, made, others=MAX_OTHERS_KEPT)
    return StateShares(made, exact=not rough)


def _opening_windows(trace: Trace) -> tuple[tuple[int, int], ...]:
    return working_window(trace), (0, max(trace.clock.length, 1))


@cache
def _kernels_version() -> str:
    return code_version() + sources_digest(kernels.__name__)


def _array_digest(array: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()
