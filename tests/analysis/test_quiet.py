"""Stretches without a change, against a look at all changes."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topoview.live.moments.film_times import idle_periods
from topoview.model import Timeline

ROWS = st.lists(
    st.lists(st.integers(0, 900), min_size=1, max_size=30, unique=True).map(sorted),
    min_size=1,
    max_size=5,
)


def timeline(rows: list[list[int]]) -> Timeline:
    time = np.array([tick for row in rows for tick in row], np.int64)
    offsets = np.append(0, np.cumsum([len(row) for row in rows])).astype(np.int64)
    nothing = np.zeros(len(time), np.uint8)
    return Timeline(offsets, time, nothing, nothing.astype(np.int32))


@given(ROWS, st.integers(0, 300), st.integers(1, 600), st.integers(1, 400))
def test_each_stretch_is_one_between_two_changes(
    rows: list[list[int]], begin: int, length: int, least: int
) -> None:
    window = (begin, begin + length)
    every = sorted({tick for row in rows for tick in row})
    gaps = [
        (a, b)
        for a, b in pairwise(every)
        if b - a >= least and b >= window[0] and a < window[1]
    ]
    # steps of one tick find all
    found = idle_periods(timeline(rows), window, length, least)
    assert [tuple(pair) for pair in found.tolist()] == gaps
    # of a few steps those are found that are longer than two
    some = {tuple(p) for p in idle_periods(timeline(rows), window, 8, least).tolist()}
    assert some <= set(gaps)
    inside = [g for g in gaps if g[0] >= window[0] and g[1] < window[1]]
    assert {gap for gap in inside if gap[1] - gap[0] > 2 * length / 8 + 1} <= some
