"""What finding calls costs, statistics, and a heat map of iterations: at 10^7 calls.

``python benchmarks/find.py [CALLS]``. Prints the best of three in milliseconds, and how
often a plain NumPy pass that is: the same answer by one expression over whole columns,
which shows nothing before it has all. What is found is compared with it.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np

from topoview.live.tables.find import Finder, FindRequest
from topoview.live.tables.iteration_grid import iteration_grid, merged_cells
from topoview.live.tables.query import parse_query
from topoview.live.tables.statistics import Statistics, StatisticsRequest
from topoview.model import (
    NO_WAIT,
    Analysis,
    CallPositions,
    Calls,
    Collectives,
    LoopStep,
    Messages,
    MPIState,
    Regions,
    Timeline,
    WaitStates,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import traces

RANKS, CALLS_AN_ITERATION = 1000, 4
OPERATIONS = ("Irecv", "Isend", "Waitall", "Allreduce")
RESOLUTION = 10**9
PIXELS = 700, 400


def made_run(count: int) -> Analysis:
    """Make a run of a ring: each rank sends to the next one in every iteration."""
    rng = np.random.default_rng(0)
    each = count // RANKS // CALLS_AN_ITERATION * CALLS_AN_ITERATION
    took = rng.lognormal(9, 2, (RANKS, each)).astype(np.int64) + 1
    leave = np.cumsum(took + 500, axis=1)
    enter = leave - took
    length = int(leave.max()) + 1
    region = np.tile(np.arange(CALLS_AN_ITERATION, dtype=np.int32), RANKS * each // 4)
    total = RANKS * each
    calls = Calls(
        np.arange(RANKS + 1, dtype=np.int64) * each,
        region,
        enter.ravel(),
        leave.ravel(),
        np.full(total, -1, np.int64),
        np.zeros(total, np.int32),
        np.zeros(0, np.uint8),
    )
    sends = np.flatnonzero(region == 1)
    sender = (sends // each).astype(np.int32)
    receiver = ((sender + 1) % RANKS).astype(np.int32)
    receives = receiver.astype(np.int64) * each + sends % each - 1
    messages = Messages(
        sender,
        receiver,
        rng.integers(8, 1 << 21, len(sends)),
        (sends % 7).astype(np.int32),
        np.zeros(len(sends), np.int32),
        sends,
        receives,
        receives + 2,
        calls.enter[sends],
        calls.leave[receives + 2],
    )
    regions = Regions(
        tuple(f"MPI_{name}" for name in OPERATIONS),
        np.array(
            [MPIState.RECEIVE, MPIState.SEND, MPIState.WAIT, MPIState.COLLECTIVE]
        ).astype(np.uint8),
        np.arange(len(OPERATIONS), dtype=np.int32),
        OPERATIONS,
    )
    rows = np.arange(RANKS + 1, dtype=np.int64)
    line = Timeline(
        rows,
        np.zeros(RANKS, np.int64),
        np.full(RANKS, MPIState.COMPUTE, np.uint8),
        np.full(RANKS, -1, np.int32),
    )
    trace = traces.made(
        RANKS,
        length,
        RESOLUTION,
        timeline=line,
        calls=calls,
        messages=messages,
        collectives=Collectives(*np.zeros((6, 0), np.int64)),
        regions=regions,
        communicators=(),
    )
    waits = region == 2
    until = np.where(waits, calls.enter + took.ravel() // 2, -1)
    whom = np.where(waits, np.repeat(np.arange(RANKS) - 1, each) % RANKS, -1)
    found = WaitStates(
        until,
        whom.astype(np.int32),
        np.full(total, -1, np.int64),
        np.where(waits, 0, NO_WAIT).astype(np.uint8),
        np.where(waits, 0, -1).astype(np.int32),
    )
    step = LoopStep(0, each // CALLS_AN_ITERATION, CALLS_AN_ITERATION)
    at = CallPositions(np.tile(np.arange(each), RANKS), each, (((step,),),))
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
        found = Statistics(asked).table(by).columns()

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


def main(count: int) -> None:
    """Measure a run of so many calls."""
    known = made_run(count)
    print(f"{len(known.trace.calls):,} calls of {RANKS:,} ranks")
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
        begin = calls.enter.reshape(RANKS, -1)[:, ::CALLS_AN_ITERATION]
        last = calls.leave.reshape(RANKS, -1)[:, -1:]
        return np.diff(np.append(begin, last, axis=1)) / RESOLUTION

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
