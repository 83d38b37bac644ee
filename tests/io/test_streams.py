"""Copies of streams, and waits for teams of threads: as tick by tick."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topoview.io.streams import show_streams_and_teams
from topoview.model import EventRecords, Location, Timeline, TimeState

LENGTH = 40
FORK, BEGIN, END, JOIN = "ThreadFork", "ThreadTeamBegin", "ThreadTeamEnd", "ThreadJoin"

times = st.lists(st.integers(1, LENGTH), min_size=8, max_size=8, unique=True)
shown = st.sampled_from(
    [TimeState.OUTSIDE, TimeState.COMPUTE, TimeState.SEND, TimeState.WAIT_FOR_GPU]
)


@st.composite
def rows(draw: st.DrawFn) -> list[tuple[int, int, int]]:
    """Time, state and region of a row's intervals: the first begins at 0."""
    intervals = [(0, int(TimeState.OUTSIDE), -1)]
    for time in sorted(draw(times)):
        new = int(draw(shown)), draw(st.integers(0, 2))
        if new != intervals[-1][1:]:
            intervals.append((time, *new))
    return intervals


def timeline_of(every: list[list[tuple[int, int, int]]]) -> Timeline:
    sizes = [len(row) for row in every]
    time, state, region = zip(*(one for row in every for one in row), strict=True)
    return Timeline(
        np.append(0, np.cumsum(sizes)),
        np.array(time, np.int64),
        np.array(state, np.uint8),
        np.array(region, np.int32),
    )


def records_of(name: str, every: list[list[int]]) -> EventRecords:
    count = sum(map(len, every))
    return EventRecords(
        name=name,
        fields=("model",),
        offsets=np.append(0, np.cumsum([len(row) for row in every])),
        time=np.array([t for row in every for t in row], np.int64),
        values=np.zeros((count, 1), np.int64),
    )


def allocate(_: str, length: int, dtype: object) -> np.ndarray:
    return np.zeros(length, dtype)  # type: ignore[call-overload]


def at_tick(intervals: list[tuple[int, int, int]], tick: int) -> tuple[int, int]:
    return [one[1:] for one in intervals if one[0] <= tick][-1]


@given(st.lists(st.tuples(rows(), times), min_size=1, max_size=4))
def test_threads_wait_for_the_teams_that_they_fork(
    every: list[tuple[list[tuple[int, int, int]], list[int]]],
) -> None:
    """Each row forks two teams, one after the other; the last row is a member only."""
    names = (FORK, BEGIN, END, JOIN) * 2
    held: dict[str, list[list[int]]] = {name: [] for name in names[:4]}
    for number, (_, stamps) in enumerate(every):
        is_member = number == len(every) - 1
        for name in held:
            kept = not (is_member and name in (FORK, JOIN))
            own = [t for n, t in zip(names, sorted(stamps), strict=True) if n == name]
            held[name].append(own if kept else [])
    line = timeline_of([row for row, _ in every])
    places = [Location(n, 0, f"thread {n}") for n in range(len(every))]
    further = [records_of(name, own) for name, own in held.items()]
    found = show_streams_and_teams(line, further, places, allocate)
    for number, (intervals, stamps) in enumerate(every):
        first, stop = found.offsets[number : number + 2]
        new = list(
            zip(
                found.time[first:stop].tolist(),
                found.state[first:stop].tolist(),
                found.region[first:stop].tolist(),
                strict=True,
            )
        )
        assert all(a[0] < b[0] and a[1:] != b[1:] for a, b in pairwise(new))
        edges = sorted(stamps)
        waits = [range(*edges[k : k + 2]) for k in (0, 2, 4, 6)]
        if number == len(every) - 1:
            waits = []
        for tick in range(LENGTH + 2):
            state, region = at_tick(intervals, tick)
            if state == TimeState.COMPUTE and any(tick in wait for wait in waits):
                state = int(TimeState.WAIT_FOR_THREADS)
            assert at_tick(new, tick) == (state, region)


def test_a_timeline_without_streams_and_teams_stays_as_it_is() -> None:
    line = timeline_of([[(0, 0, -1), (3, 1, 0), (9, 0, -1)]])
    assert show_streams_and_teams(line, [], [Location(0, 0, "main")], allocate) is line
