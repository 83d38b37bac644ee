"""Counts of very many ranks, by kernels that read each once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topoview.live.kernels import count_codes
from topoview.scene.axes.kernels import count_marked


@given(st.lists(st.integers(0, 6)))
def test_codes_are_counted(codes: list[int]) -> None:
    counts = np.ones(7, np.int64)
    count_codes(np.array(codes, np.uint8), counts)
    assert counts.tolist() == [1 + codes.count(code) for code in range(7)]


@given(st.lists(st.tuples(st.integers(-1, 3), st.booleans())))
def test_marked_ranks_are_counted_plane_by_plane(
    ranks: list[tuple[int, bool]],
) -> None:
    plane = np.array([plane for plane, _ in ranks], np.int64)
    counts = np.ones(5, np.int64)
    count_marked(plane, np.array([marked for _, marked in ranks], np.bool_), counts)
    expected = [1 + ranks.count((plane, True)) for plane in range(-1, 4)]
    assert counts.tolist() == expected
