"""Numbers for codes are those of sorting; rows by groups are sorted stably."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoview import grouping
from topoview.grouping import counting_sort, factorize, sorted_by_group
from topoview.model import distinct


@given(st.lists(st.integers(0, 9), max_size=60), st.sampled_from([np.int64, np.int32]))
def test_rows_are_in_order_of_their_groups(groups: list[int], kind: type) -> None:
    group = np.array(groups, kind)
    order, begins = counting_sort(group, 10)
    assert np.array_equal(order, np.argsort(group, kind="stable"))
    assert np.array_equal(np.diff(begins), np.bincount(group, minlength=10))
    taken, same = sorted_by_group(3 * np.arange(len(group)), group, 10)
    assert np.array_equal(taken, 3 * order)
    assert np.array_equal(same, begins)


@given(
    st.lists(
        st.integers(0, 50) | st.integers(-50, 50) | st.integers(-(2**62), 2**62),
        max_size=200,
    ),
    st.integers(0, 300),
)
def test_numbers_are_those_of_sorting(some: list[int], small: int) -> None:
    codes = np.array(some, np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "_MIN_HASHED_ENTRIES", small)
        patch.setattr(grouping, "_INITIAL_SLOTS", 2)
        kinds, number = factorize(codes)
    wanted, inverse = np.unique(codes, return_inverse=True)
    assert np.array_equal(kinds, wanted)
    assert np.array_equal(number, inverse)
    assert np.array_equal(distinct(codes), wanted)


def test_long_columns_are_numbered_as_by_sorting() -> None:
    rng = np.random.default_rng(1)
    for most in (3, 1 << 20, 1 << 60):
        codes = rng.integers(-most, most, 1 << 16)
        wanted, inverse = np.unique(codes, return_inverse=True)
        kinds, number = factorize(codes)
        assert np.array_equal(kinds, wanted)
        assert np.array_equal(number, inverse)
