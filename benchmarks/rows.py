"""Time to redraw the timeline's rows, folded and not, beside reading the same bytes.

Run: ``python benchmarks/rows.py [RANKS] [INTERVALS] [WIDTH]``. The defaults are the
target: 1000 rows of ten million intervals within 50 ms, the first answer within 16 ms;
then 100,000 ranks of as many intervals, folded into one row and into 316. All are
medians, beside the least time of the processor in all threads, which other programs
disturb less; the floor reads the columns with NumPy's own sum.
"""

import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time

import numpy as np

from topoview.analysis.overview import scan_timeline
from topoview.live.timeline.cached_raster import preview
from topoview.live.timeline.raster import (
    RenderPlan,
    plan_render,
    raster_bands,
    state_shares,
)
from topoview.model import Ints, StateSums, Timeline, TimeState

ROUNDS = 5

PARTS = (1, 10, 100, 1000)
"""Of the run: what the windows show."""


def random_timeline(ranks: int, intervals: int) -> Timeline:
    """Make rows of intervals of random length and state."""
    rng = np.random.default_rng(0)
    each = intervals // ranks
    length = rng.integers(1, 20_000, (ranks, each))
    time = np.cumsum(length, axis=1) - length
    state = rng.integers(1, len(TimeState), (ranks, each), dtype=np.uint8)
    state[:, -1] = TimeState.OUTSIDE
    offsets = np.arange(ranks + 1, dtype=np.int64) * each
    region = np.zeros(ranks * each, np.int32)
    return Timeline(offsets, time.ravel(), state.ravel(), region)


def milliseconds(work: Callable[[], object], rounds: int = 7) -> float:
    """Median time of a call."""
    work()
    taken = []
    for _ in range(rounds):
        start = perf_counter()
        work()
        taken.append(perf_counter() - start)
    return 1e3 * median(taken)


def processor(work: Callable[[], object]) -> float:
    """Least time of the processor, in milliseconds."""
    found = []
    for _ in range(ROUNDS):
        start = process_time()
        work()
        found.append(process_time() - start)
    return 1e3 * min(found)


def stacks(
    timeline: Timeline,
    sums: StateSums,
    bounds: Ints,
    window: tuple[int, int],
    width: int,
) -> None:
    """Find the shares of each folded group."""
    rows = np.arange(timeline.rows, dtype=np.int32)
    for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        state_shares(plan_render(timeline, sums, rows[first:last], window, width))


def table(ranks: int, intervals: int, width: int) -> None:
    """Print the times of a timeline, rows apart and folded."""
    timeline = random_timeline(ranks, intervals)
    sums = scan_timeline(timeline, ranks).sums
    rows = np.arange(ranks, dtype=np.int32)
    end = int(timeline.time[timeline.offsets[1:] - 1].max())
    floor = milliseconds(lambda: (timeline.time.sum(), timeline.state.sum()))
    print(f"{ranks} ranks, {intervals} intervals, {width} columns; ms")
    print(f"{'reading all bytes (NumPy sum)':36}{floor:9.1f}")
    lines = np.unique(np.linspace(0, ranks, min(ranks, 1000) + 1).astype(np.int64))
    groups = np.unique(np.linspace(0, ranks, int(ranks**0.5) + 1).astype(np.int64))
    for part in PARTS:
        begin = end // 3 if part > 1 else 0
        window = begin, begin + end // part

        def plan(at: tuple[int, int] = window) -> RenderPlan:
            return plan_render(timeline, sums, rows, at, width)

        name = f"1/{part} of the run" if part > 1 else "whole run"
        for text, work in (
            (
                "first answer",
                lambda p=plan: raster_bands(preview(p()), lines),
            ),
            ("rows", lambda p=plan: raster_bands(p(), lines)),
            ("one fold", lambda p=plan: state_shares(p())),
            (
                f"{len(groups) - 1} folds",
                lambda w=window: stacks(timeline, sums, groups, w, width),
            ),
        ):
            took, busy = milliseconds(work, ROUNDS), processor(work)
            times = f"{took / floor:9.1f} x floor {busy:9.1f} of the processor"
            print(f"{name + ', ' + text:36}{took:9.1f}{times}")


def main() -> None:
    """Print both tables."""
    given = [int(float(word)) for word in sys.argv[1:]]
    ranks, intervals, width = given + [1000, 10_000_000, 1400][len(given) :]
    table(ranks, intervals, width)
    table(100 * ranks, intervals, width)


if __name__ == "__main__":
    main()
