"""Arrays beyond the memory of a task are files, and say the same."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from topoview.base.memory import granted_memory
from topoview.base.scratch import scratch_folder, unset

MANY = 1 << 18
LARGE = MANY * 8


def in_file(array: NDArray[np.int64], folder: Path) -> bool:
    """Look into the table of what the system has mapped."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        begin, end = (int(one, 16) for one in re.split("[- ]", line)[:2])
        if begin <= array.ctypes.data < end:
            return str(folder) in line
    return False


def test_what_exceeds_the_memory_of_a_task_is_a_file_without_a_name(
    tmp_path: Path,
) -> None:
    with granted_memory(3 * LARGE), scratch_folder(tmp_path):
        first, second = np.arange(MANY), np.zeros(MANY, np.int64)
        third = first + 1
        assert [in_file(one, tmp_path) for one in (first, second, third)] == [
            False,
            False,
            True,
        ]
        del second
        fourth, small = first * 2, np.arange(9)
        assert not in_file(fourth, tmp_path)
        assert not in_file(small, tmp_path)
    after = first + 3
    assert not in_file(after, tmp_path)
    assert not list(tmp_path.iterdir())
    np.testing.assert_array_equal(third, np.arange(1, MANY + 1))
    np.testing.assert_array_equal(fourth, 2 * first)


def test_columns_for_a_while_leave_half_of_it(tmp_path: Path) -> None:
    with granted_memory(3 * LARGE), scratch_folder(tmp_path):
        column = unset(MANY)
        further = unset(MANY)
        assert not in_file(column, tmp_path)
        assert in_file(further, tmp_path)
        assert not in_file(column + 1, tmp_path)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 3 * MANY), max_size=8), st.integers(0, 4 * LARGE))
def test_arrays_keep_what_they_hold_when_their_size_changes(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], memory: int
) -> None:
    folder = tmp_path_factory.mktemp("files")
    with granted_memory(memory), scratch_folder(folder):
        array = np.arange(MANY)
        for size in sizes:
            before = array[:size].copy()
            array.resize(size, refcheck=False)
            np.testing.assert_array_equal(array[: len(before)], before)
            assert not array[len(before) :].any()


def test_a_file_that_cannot_be_made_is_an_error_of_the_system(tmp_path: Path) -> None:
    with (
        pytest.raises(FileNotFoundError),
        granted_memory(1),
        scratch_folder(tmp_path / "nowhere"),
    ):
        np.zeros(MANY)
