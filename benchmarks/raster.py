"""Time to rasterise a timeline, beside what memory allows and beside NumPy alone.

Run: ``python benchmarks/raster.py [RANKS] [INTERVALS] [WIDTH]``. The defaults are
the target: 1000 ranks, ten million intervals, 1400 columns, 100 ms. All are
medians; the floor reads the same bytes with NumPy's own sum.
"""

import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter

import numpy as np

from topoview.base import threads as threads_module
from topoview.live.timeline.raster import plan_render, raster, state_shares
from topoview.model import Bytes, Indices, MPIState, Timeline


def random_timeline(ranks: int, intervals: int) -> Timeline:
    """Make rows of intervals of random length and state."""
    rng = np.random.default_rng(0)
    each = intervals // ranks
    length = rng.integers(1, 20_000, (ranks, each))
    time = np.cumsum(length, axis=1) - length
    state = rng.integers(1, len(MPIState), (ranks, each), dtype=np.uint8)
    state[:, -1] = MPIState.OUTSIDE
    offsets = np.arange(ranks + 1, dtype=np.int64) * each
    region = np.zeros(ranks * each, np.int32)
    return Timeline(offsets, time.ravel(), state.ravel(), region)


def naive(timeline: Timeline, rows: Indices, begin: int, end: int, width: int) -> Bytes:
    """Rasterise with NumPy, a row at a time: cumulated time at pixels' edges."""
    edges = begin + np.arange(width + 1) * (end - begin) / width
    out = np.zeros((len(rows), width), np.uint8)
    for line, row in enumerate(rows):
        own = slice(timeline.offsets[row], timeline.offsets[row + 1])
        time, state = timeline.time[own], timeline.state[own]
        length = np.diff(time, append=max(end, int(time[-1])))
        best = np.zeros(width)
        for code in MPIState:
            spent = np.cumsum(np.where(state == code, length, 0))
            spent = np.interp(
                edges, np.append(time, time[-1] + length[-1]), np.append(0, spent)
            )
            share = np.diff(spent)
            out[line, share >= best] = code
            best = np.maximum(best, share)
    return out


def milliseconds(work: Callable[[], object], rounds: int = 7) -> float:
    """Median time of a call."""
    work()
    found = []
    for _ in range(rounds):
        start = perf_counter()
        work()
        found.append(perf_counter() - start)
    return 1e3 * median(found)


def main() -> None:
    """Print a table."""
    given = [int(float(word)) for word in sys.argv[1:]]
    ranks, intervals, width = given + [1000, 10_000_000, 1400][len(given) :]
    timeline = random_timeline(ranks, intervals)
    rows = np.arange(ranks, dtype=np.int32)
    end = int(timeline.time[timeline.offsets[1:] - 1].max())
    print(f"{ranks} ranks, {intervals} intervals, {width} columns; ms")
    floor = milliseconds(lambda: (timeline.time.sum(), timeline.state.sum()))
    print(f"{'reading all bytes (NumPy sum)':34}{floor:8.1f}")
    threads = threads_module.MAX_THREADS
    for part, name in ((1, "all"), (10, "1/10"), (100, "1/100"), (10_000, "1/10000")):
        window = (
            end // 3 if part > 1 else 0,
            end // 3 + end // part if part > 1 else end,
        )
        for threads_module.MAX_THREADS in sorted({1, threads}):
            ours = milliseconds(
                lambda w=window: raster(timeline, rows, w[0], w[1], width)
            )
            label = f"raster, {name}, {threads_module.MAX_THREADS} thread(s)"
            print(f"{label:34}{ours:8.1f}{ours / floor:8.1f} x floor")
    ours = milliseconds(lambda: raster(timeline, rows, 0, end, width))
    strip = milliseconds(
        lambda: state_shares(plan_render(timeline, None, rows, (0, end), width))
    )
    print(f"{'shares, all':34}{strip:8.1f}{strip / floor:8.1f} x floor")
    plain = milliseconds(lambda: naive(timeline, rows, 0, end, width), rounds=1)
    print(f"{'NumPy, row by row, all':34}{plain:8.1f}{plain / ours:8.1f} x ours")
    same = raster(timeline, rows, 0, end, width) == naive(timeline, rows, 0, end, width)
    print(f"{'pixels alike':34}{100 * same.mean():8.3f} %")


if __name__ == "__main__":
    main()
