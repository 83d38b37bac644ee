"""What finding calls costs, statistics, and a heat map of iterations: at 10^7 calls.

``python benchmarks/find.py [CALLS]``. Prints the best of three in milliseconds, and how
often a plain NumPy pass that is: the same answer by one expression over whole columns,
which shows nothing before it has all. What is found is compared with it. Columns are
mapped files, as those of a trace that was read; from `MAX_WHOLE` calls on only what a
user waits for is measured, and the memory that it takes.
"""

import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np

from topoview.live.tables.iteration_grid import iteration_grid, merged_cells
from topoview.live.tables.search.find import Finder, FindRequest
from topoview.live.tables.search.query import parse_query
from topoview.live.tables.statistics.by_group import Statistics, StatisticsRequest
from topoview.model import (
    NO_WAIT,
    Analysis,
    CallPositions,
    Calls,
    Collectives,
    LoopStep,
    Messages,
    Regions,
    Timeline,
    TimeState,
    WaitStates,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import traces

RANKS, CALLS_AN_ITERATION = 1000, 4
OPERATIONS = ("Irecv", "Isend", "Waitall", "Allreduce")
RESOLUTION = 10**9
PIXELS = 700, 400


def memory(name: str) -> float:
    """Give a line of what this process has in memory, in GiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 2**20


def made_run(count: int, folder: Path) -> Analysis:
    """Make a run of a ring: each rank sends to the next one in every iteration."""
    files = iter(range(100))

    def mapped(column: np.ndarray) -> np.ndarray:
        file = folder / f"{next(files)}.npy"
        np.save(file, column)
        found: np.ndarray = np.load(file, mmap_mode="r")
        return found

    rng = np.random.default_rng(0)
    each = count // RANKS // CALLS_AN_ITERATION * CALLS_AN_ITERATION
    took = rng.lognormal(9, 2, (RANKS, each)).astype(np.int64) + 1
    leave = mapped(np.cumsum(took + 500, axis=1).ravel())
    took = mapped(took.ravel())
    enter = mapped(leave - took)
    length = int(leave.max()) + 1
    steps = np.arange(CALLS_AN_ITERATION, dtype=np.int32)
    region = mapped(np.tile(steps, RANKS * each // 4))
    total = RANKS * each
    calls = Calls(
        np.arange(RANKS + 1, dtype=np.int64) * each,
        region,
        enter,
        leave,
        mapped(np.full(total, -1, np.int64)),
        mapped(np.zeros(total, np.int32)),
        np.zeros(0, np.uint8),
    )
    sends = mapped(np.flatnonzero(region == 1))
    sender = mapped((sends // each).astype(np.int32))
    receiver = mapped(((sender + 1) % RANKS).astype(np.int32))
    receives = mapped(receiver.astype(np.int64) * each + sends % each - 1)
    messages = Messages(
        sender,
        receiver,
        mapped(rng.integers(8, 1 << 21, len(sends))),
        mapped((sends % 7).astype(np.int32)),
        mapped(np.zeros(len(sends), np.int32)),
        sends,
        receives,
        mapped(receives + 2),
        sends,
        mapped(calls.enter[sends]),
        mapped(calls.leave[receives + 2]),
    )
    regions = Regions(
        tuple(f"MPI_{name}" for name in OPERATIONS),
        np.array(
            [TimeState.RECEIVE, TimeState.SEND, TimeState.WAIT, TimeState.COLLECTIVE]
        ).astype(np.uint8),
        np.arange(len(OPERATIONS), dtype=np.int32),
        OPERATIONS,
    )
    rows = np.arange(RANKS + 1, dtype=np.int64)
    line = Timeline(
        rows,
        np.zeros(RANKS, np.int64),
        np.full(RANKS, TimeState.COMPUTE, np.uint8),
        np.full(RANKS, -1, np.int32),
    )
    trace = traces.made(
        RANKS,
        length,
        RESOLUTION,
        timeline=line,
        calls=calls,
        messages=messages,
        collectives=Collectives(*np.zeros((7, 0), np.int64)),
        regions=regions,
        communicators=(),
    )
    waits = region == 2
    before = np.repeat(((np.arange(RANKS) - 1) % RANKS).astype(np.int32), each)
    found = WaitStates(
        mapped(np.where(waits, calls.enter + took // 2, -1)),
        mapped(np.where(waits, before, np.int32(-1))),
        mapped(np.full(total, -1, np.int64)),
        mapped(np.where(waits, 0, NO_WAIT).astype(np.uint8)),
        mapped(np.where(waits, 0, -1).astype(np.int32)),
        np.zeros((3, 0), np.int64),
    )
    step = LoopStep(0, each // CALLS_AN_ITERATION, CALLS_AN_ITERATION)
    places = mapped(np.tile(np.arange(each), RANKS))
    at = CallPositions(places, each, (((step,),),), 0)
    return Analysis(trace, waits=found, positions=at)


def best(work: Callable[[], object], rounds: int = 3) -> float:
    """Give the shortest time, in milliseconds."""
    work()
    found = []
    for _ in range(rounds):
        start = perf_counter()
        work()
        found.append(perf_counter() - start)
    return 1e3 * min(found)


def whole_search(known: Analysis, text: str) -> tuple[np.ndarray, list[float]]:
    """Find all calls as the window does; also when the first rows are there."""
    finder, start = Finder(), perf_counter()
    asked = FindRequest(known, parse_query(text))
    found = finder.step(asked)
    times = [1e3 * (perf_counter() - start)]
    while found.next:
        found = finder.step(replace(asked, calls=found.next))
    times.append(1e3 * (perf_counter() - start))
    return found.calls, times


def plain_passes(known: Analysis) -> dict[str, Callable[[], np.ndarray]]:
    """Give the queries, and a plain pass for each: calls, longest first."""
    calls, messages = known.trace.calls, known.trace.messages

    def longest_first(found: np.ndarray) -> np.ndarray:
        took = calls.leave[found] - calls.enter[found]
        return found[np.argsort(-took, kind="stable")]

    def waits() -> np.ndarray:
        took = (calls.leave - calls.enter) / RESOLUTION
        return longest_first(np.flatnonzero((calls.region == 2) & (took > 100 * 1e-6)))

    def sends() -> np.ndarray:
        size = np.bincount(messages.send_call, messages.size, len(calls))
        size += np.bincount(messages.receive_call, messages.size, len(calls))
        size += np.bincount(messages.completion_call, messages.size, len(calls))
        there = np.zeros(len(calls), bool)
        there[messages.send_call[messages.receiver == 5]] = True
        return longest_first(np.flatnonzero(there & (size > 1 << 20)))

    return {"Waitall > 100 us": waits, "to 5 > 1 MiB": sends}


def statistics_cost(known: Analysis) -> None:
    """Measure statistics of all calls and messages, beside sorting them as a whole."""
    calls, messages = known.trace.calls, known.trace.messages
    took = (calls.leave - calls.enter) / RESOLUTION
    flight = (messages.receive_time - messages.send_time) / RESOLUTION
    rank = np.repeat(np.arange(RANKS), len(calls) // RANKS)
    told = {
        "function": (calls.region, took),
        "rank": (rank, took),
        "tag": (messages.tag, flight),
        "size": (np.frexp(messages.size.astype(np.float64))[1], flight),
    }
    for by, (group, values) in told.items():
        asked = StatisticsRequest(known)
        found = Statistics(asked).table(by)

        def plain(group: np.ndarray = group, values: np.ndarray = values) -> np.ndarray:
            order = np.lexsort((values, group))
            values, ends = values[order], np.flatnonzero(np.diff(group[order])) + 1
            return np.array([np.median(own) for own in np.split(values, ends)])

        assert np.allclose(found["seconds_median"], plain()), by
        floor = best(plain, 1)
        made = best(lambda by=by, asked=asked: Statistics(asked).table(by), 2)
        print(
            f"  statistics by {by:8} {len(values):10,} samples; {made:6.0f} ms, "
            f"{made / floor:.1f} times sorting them ({floor:.0f} ms)"
        )


def answers(known: Analysis) -> None:
    """Measure what a user waits for, and the memory that all of it takes."""
    before = memory("RssAnon")
    for text in plain_passes(known):
        found, times = whole_search(known, text)
        print(
            f"  {text:18} {len(found):10,} calls; first rows {times[0]:6.0f} ms, all "
            f"{times[1]:6.0f} ms"
        )
    start = perf_counter()
    grid = iteration_grid(known, "seconds", 0)
    assert grid is not None
    made = 1e3 * (perf_counter() - start)
    order = np.arange(RANKS, dtype=np.int32)
    drawn = best(lambda: merged_cells(grid.values, order, PIXELS))
    print(
        f"  heat map of {grid.values.shape[1]:,} iterations: {made:.0f} ms, its pixels "
        f"{drawn:.0f} ms"
    )
    now = memory("RssAnon")
    print(
        f"  memory {before:.1f} GiB before, {now:.1f} GiB after, without mapped files"
    )


MAX_WHOLE = 20_000_000
"""Calls up to which everything is measured."""


def main(count: int) -> None:
    """Measure a run of so many calls."""
    with tempfile.TemporaryDirectory() as folder:
        known = made_run(count, Path(folder))
        print(f"{len(known.trace.calls):,} calls of {RANKS:,} ranks", flush=True)
        (answers if count > MAX_WHOLE else beside_plain_passes)(known)


def beside_plain_passes(known: Analysis) -> None:
    """Measure everything, beside plain passes over whole columns."""
    for text, plain in plain_passes(known).items():
        times = np.array([whole_search(known, text)[1] for _ in range(3)]).min(axis=0)
        found = whole_search(known, text)[0]
        assert np.array_equal(found, plain()), text
        floor = best(plain)
        print(
            f"  {text:18} {len(found):9,} calls; first rows {times[0]:6.0f} ms, all "
            f"{times[1]:6.0f} ms, {times[1] / floor:.1f} plain passes ({floor:.0f} ms)"
        )
    statistics_cost(known)
    grid = iteration_grid(known, "seconds", 0)
    assert grid is not None
    calls = known.trace.calls

    def plain_grid() -> np.ndarray:
        begin = calls.enter.reshape(RANKS, -1)[:, :1]
        ends = calls.leave.reshape(RANKS, -1)[
            :, CALLS_AN_ITERATION - 1 :: CALLS_AN_ITERATION
        ]
        return np.diff(np.append(begin, ends, axis=1)) / RESOLUTION

    assert np.array_equal(grid.values, plain_grid())
    order = np.arange(RANKS, dtype=np.int32)
    floor = best(plain_grid)
    made = best(lambda: iteration_grid(known, "seconds", 0), 1)
    drawn = best(lambda: merged_cells(grid.values, order, PIXELS))
    columns = grid.values.shape[1]
    shown = f"{PIXELS[0]}x{PIXELS[1]} pixels"
    print(
        f"  heat map of {columns:,} iterations: {made:.0f} ms, {made / floor:.0f} "
        f"plain passes ({floor:.0f} ms); its {shown} {drawn:.0f} ms"
    )


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000)
