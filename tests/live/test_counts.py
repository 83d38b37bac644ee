"""Counts of very many ranks, by kernels that read each once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topoview.live.kernels import count_codes
from topoview.scene.axes.kernels import count_states


@given(st.lists(st.integers(0, 6)))
def test_codes_are_counted(codes: list[int]) -> None:
    counts = np.ones(7, np.int64)
    count_codes(np.array(codes, np.uint8), counts)
    assert counts.tolist() == [1 + codes.count(code) for code in range(7)]


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 3))))
def test_states_are_counted_plane_by_plane(
    ranks: list[tuple[int, int]],
) -> None:
    plane = np.array([plane for plane, _ in ranks], np.int64)
    counts, wanted = np.ones(5, np.int64), np.array([False, True, False, True])
    count_states(plane, np.array([s for _, s in ranks], np.uint8), wanted, counts)
    own = [plane for plane, state in ranks if wanted[state]]
    expected = [1 + own.count(plane) for plane in range(-1, 4)]
    assert counts.tolist() == expected
