"""Sorting rows by groups, in portions, is a stable sort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoview import progress
from topoview.grouping import counting_sort
from topoview.topology.direction_names import numbered_codes


@given(st.lists(st.integers(0, 9), max_size=60), st.integers(1, 70))
def test_rows_are_in_order_of_their_groups(groups: list[int], portion: int) -> None:
    group = np.array(groups, np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "BATCH_ROWS", portion)
        order, begins = counting_sort(group, 10)
    assert np.array_equal(order, np.argsort(group, kind="stable"))
    assert np.array_equal(np.diff(begins), np.bincount(group, minlength=10))


@given(
    st.lists(st.integers(-50, 50) | st.integers(-(2**60), 2**60), max_size=60),
    st.integers(1, 70),
)
def test_codes_are_numbered_as_by_sorting(some: list[int], portion: int) -> None:
    codes = np.array(some, np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "BATCH_ROWS", portion)
        unique, number = numbered_codes(codes)
    wanted, inverse = np.unique(codes, return_inverse=True)
    assert np.array_equal(unique, wanted)
    assert np.array_equal(number, inverse)
