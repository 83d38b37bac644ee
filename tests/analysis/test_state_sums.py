"""Sums of time by state, beside a plain loop over ticks."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topoview.analysis.account.sums import at_times, state_ticks
from topoview.model import Timeline, TimeState

LENGTH = 40

ROWS = st.lists(
    st.dictionaries(
        st.integers(1, LENGTH - 1), st.integers(0, len(TimeState) - 1), max_size=9
    ),
    min_size=1,
    max_size=4,
)
"""For each row: the state from each time on; from 0 on it is the first."""


def line_of(rows: list[dict[int, int]]) -> Timeline:
    intervals = [sorted({0: 0, **row}.items()) for row in rows]
    time, state = zip(*(pair for row in intervals for pair in row), strict=True)
    return Timeline(
        np.cumsum([0, *map(len, intervals)]),
        np.array(time),
        np.array(state, np.uint8),
        np.full(len(time), -1, np.int32),
    )


def until(row: dict[int, int], end: int) -> list[int]:
    """Count the ticks of a row in each state, one by one."""
    state, result = 0, [0] * len(TimeState)
    for tick in range(end):
        state = row.get(tick, state)
        result[state] += 1
    return result


@given(ROWS, st.lists(st.tuples(st.integers(0, 3), st.integers(0, LENGTH))))
def test_sums_up_to_times(
    rows: list[dict[int, int]], points: list[tuple[int, int]]
) -> None:
    """Also where times of a row do not ascend, and rows come again."""
    points = [(row % len(rows), time) for row, time in points]
    row, time = np.array(points, np.int64).reshape(-1, 2).T
    sums = at_times(line_of(rows), row.copy(), time.copy())
    assert sums.tolist() == [until(rows[row], time) for row, time in points]


@given(ROWS, st.lists(st.integers(0, LENGTH), min_size=1))
def test_sums_between_edges(rows: list[dict[int, int]], edges: list[int]) -> None:
    edges.sort()
    sums = state_ticks(line_of(rows), slice(0, len(rows)), np.array(edges))
    for row, ticks in zip(rows, sums, strict=True):
        sums_until = np.array([until(row, edge) for edge in edges])
        assert ticks.tolist() == np.diff(sums_until, axis=0).tolist()
