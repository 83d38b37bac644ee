"""States in the timeline's pixels: at once from what is kept, roughly, or exactly.

What a trace is opened with is kept with it in the store, where it takes long: the
window of the first picture, and the shares of states over the whole run. Opening the
trace again in a window of the same size looks at no interval then.
"""

import hashlib
from collections.abc import Callable
from itertools import pairwise
from typing import Final, NamedTuple, TypeVar

import numpy as np

from topoview.live.timeline.raster import (
    RenderPlan,
    plan_render,
    plan_samples,
    raster_bands,
    state_shares,
)
from topoview.live.timeline.rows import RowBands
from topoview.live.waits.delays import first_view
from topoview.model import Analysis, Bytes, Floats, Indices
from topoview.store.keys import code_version
from topoview.store.results import ResultCache, result_cache_of

MIN_COST_KEPT: Final = 1 << 18
"""Intervals and pixels to be looked at from which on a preview comes first, and what
a trace is opened with is kept."""

MIN_PREVIEW_SPEEDUP: Final = 4
"""How many times fewer must be looked at for a preview."""

MIN_PREVIEW_COLUMNS: Final = 128
"""Columns of a preview: one of fewer would tell less than the last picture, stretched
to the new window, which is seen meanwhile."""

SAMPLES_OF_A_FRAME: Final = 1 << 18
"""Samples that are made within a frame."""

EVEN_SHARE: Final = 0.75
"""Columns of a preview for each sum of a row, as sums are not spread evenly."""

MAX_OTHERS_KEPT: Final = 3
"""Pictures of other sizes, and in other orders, that are kept beside the newest one."""

Pixels = TypeVar("Pixels", Bytes, Floats)

_ROWS: Final = "rows"
_STRIP: Final = "strip"


class StatePixels(NamedTuple):
    """States in pixels."""

    codes: Bytes
    """uint8, shape (bands, width): `TimeState` codes."""
    exact: bool
    """Whether they are more than a preview."""


class StateShares(NamedTuple):
    """Shares of states."""

    shares: Floats
    """float64, shape (len(TimeState), width): as `raster.shares` gives them."""
    exact: bool
    """Whether they are more than a preview."""


def row_state_pixels(  # noqa: PLR0913 - a picture's parameters
    analysis: Analysis,
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
    analysis, bands, window, width
        What is shown, in which lines, in which ticks, on how many columns.
    go_on
        As in `raster_bands`.
    soon
        Whether a preview will do if the exact pixels take long.

    Returns
    -------
    StatePixels
        Of the bands that are not folded.
    """
    rows, bounds = bands.part(folded=False)
    plan = plan_render(analysis.trace.timeline, analysis.sums, rows, window, width)
    cache = _cache_for(analysis, plan) if window in _opening_windows(analysis) else None
    made_of = code_version(), window, width, _digest(rows), _digest(bounds)
    if cache is not None:
        cached = cache.find(_ROWS, made_of)
        if isinstance(cached, np.ndarray) and cached.shape == (len(bounds) - 1, width):
            return StatePixels(cached, exact=True)
    plan = preview(plan) if soon else plan
    codes = _stretched(raster_bands(plan, bounds, go_on), width)
    if cache is not None and not plan.rough and go_on():
        cache.keep(_ROWS, made_of, codes, others=MAX_OTHERS_KEPT)
    return StatePixels(codes, exact=not plan.rough)


def folded_shares(  # noqa: PLR0913 - a picture's parameters
    analysis: Analysis,
    bands: RowBands,
    window: tuple[int, int],
    width: int,
    go_on: Callable[[], bool] = lambda: True,
    *,
    soon: bool = False,
) -> tuple[tuple[Floats, ...], bool]:
    """Find the shares of states in each folded band; parameters as above.

    Returns
    -------
    tuple of float64, shape (len(TimeState), width)
        As `state_shares` gives them, for each folded band.
    bool
        Whether they are more than a preview.
    """
    rows, bounds = bands.part(folded=True)
    timeline, shares, exact = analysis.trace.timeline, [], True
    for first, last in pairwise(bounds.tolist()):
        plan = plan_render(timeline, analysis.sums, rows[first:last], window, width)
        plan = preview(plan) if soon else plan
        exact &= not plan.rough
        shares.append(_stretched(state_shares(plan, go_on), width))
    return tuple(shares), exact


def run_state_shares(
    analysis: Analysis, window: tuple[int, int], width: int, *, soon: bool = False
) -> StateShares:
    """Find the shares of states of all ranks in each column.

    Parameters
    ----------
    soon
        As for `row_state_pixels`.
    """
    rows: Indices = np.arange(analysis.trace.ranks, dtype=np.int32)
    plan = plan_render(analysis.trace.timeline, analysis.sums, rows, window, width)
    cache, made_of = _cache_for(analysis, plan), (code_version(), window, width)
    if cache is not None:
        cached = cache.find(_STRIP, made_of)
        if isinstance(cached, np.ndarray) and cached.shape[1:] == (width,):
            return StateShares(cached, exact=True)
    plan = preview(plan) if soon else plan
    made = _stretched(state_shares(plan), width)
    if cache is not None and not plan.rough:
        cache.keep(_STRIP, made_of, made, others=MAX_OTHERS_KEPT)
    return StateShares(made, exact=not plan.rough)


def _cache_for(analysis: Analysis, plan: RenderPlan) -> ResultCache | None:
    """Return the cache of pixels that take long; None if these do not."""
    long = plan.total >= MIN_COST_KEPT
    return result_cache_of(analysis.trace.timeline) if long else None


def preview(plan: RenderPlan) -> RenderPlan:
    """Plan a preview, if that is much faster than what takes long.

    It is made of sums: where there is none for each column it has as many columns as
    there are sums. Where these are too few it is made of samples.
    """
    if plan.total < MIN_COST_KEPT or plan.sums is None:
        return plan
    place = plan.timeline, plan.sums, plan.rows, plan.window
    for width in (plan.width, min(_columns_with_sums(plan), plan.width)):
        if width < MIN_PREVIEW_COLUMNS:
            continue
        rough = plan_render(*place, width, rough=True)
        if rough.total * MIN_PREVIEW_SPEEDUP <= plan.total:
            return rough
    soon = max(SAMPLES_OF_A_FRAME // len(plan.rows), MIN_PREVIEW_COLUMNS)
    rough = plan_samples(plan, min(soon, plan.width))
    return rough if rough.total * MIN_PREVIEW_SPEEDUP <= plan.total else plan


def _columns_with_sums(plan: RenderPlan) -> int:
    """Guess in how many columns most rows have a sum, if sums were spread evenly."""
    timeline, sums = plan.timeline, plan.sums
    assert sums is not None
    number = np.diff(sums.offsets[0])[plan.rows].mean() if len(plan.rows) else 0.0
    last = timeline.time[timeline.offsets[1:] - 1][plan.rows]
    length = max(float(np.median(last)) if len(last) else 0.0, 1.0)
    share = min((plan.window[1] - plan.window[0]) / length, 1.0)
    return int(EVEN_SHARE * number * share)


def _stretched(columns: Pixels, width: int) -> Pixels:
    """Stretch the columns of a preview to those of the picture."""
    old_width = columns.shape[-1]
    if old_width == width:
        return columns
    return columns[..., np.arange(width) * old_width // width]


def _opening_windows(analysis: Analysis) -> tuple[tuple[int, int], ...]:
    return first_view(analysis).window, (0, max(analysis.trace.clock.length, 1))


def _digest(array: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()
