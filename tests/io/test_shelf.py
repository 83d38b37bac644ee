"""What is kept with a trace in the store: there again whole, or not at all."""

import errno
import os
import threading
from pathlib import Path

import numpy as np
import pytest
from same import assert_same

from topoview.model import Call, Guard, Loop, TimeState
from topoview.store import arrays, integrity
from topoview.store import results as shelf
from topoview.store.results import SUFFIX, ResultCache, result_cache_of
from topoview.store.traces import Store
from topoview.worker import read_in_process

VALUE = {
    "numbers": (1, -2.5, True, None, "text"),
    "arrays": (np.arange(7, dtype=np.int32), np.zeros((3, 0)), np.eye(3)),
    "states": {0: TimeState.WAIT},
    "guards": tuple(Guard(f"x = {i}", np.arange(i, dtype=np.int32)) for i in range(3)),
    "body": (
        Loop(3, (Call(0, "Isend", "EAST", None, 8, None, "", TimeState.SEND),)),
        Call(1, "Barrier", None, None, None, None, "", TimeState.BARRIER),
    ),
}


@pytest.fixture
def own(anchor: Path) -> ResultCache:
    found = result_cache_of(read_in_process(anchor).timeline)
    assert found is not None
    return found


def files_of(own: ResultCache) -> list[Path]:
    return sorted(own._folder.glob(f"*{SUFFIX}"))


def frozen(value: object) -> object:
    if isinstance(value, dict):
        return {key: frozen(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(map(frozen, value))
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    return value


def test_what_is_kept_is_found_by_whoever_opens_the_trace(
    own: ResultCache, anchor: Path
) -> None:
    assert own.find("result", "version 1") is None
    assert own.keep("result", "version 1", VALUE)
    trace = read_in_process(anchor)
    again = result_cache_of(trace.timeline, trace.calls, trace.messages)
    assert again is not None
    assert again is not own
    found = again.find("result", "version 1")
    assert found.keys() == VALUE.keys()
    for name, value in VALUE.items():
        assert_same(frozen(value), found[name])
    assert again.find("result", "version 2") is None
    assert again.find("another", "version 1") is None


def test_tables_of_different_traces_have_no_shelf(anchor: Path) -> None:
    one, other = read_in_process(anchor), read_in_process(anchor)
    assert result_cache_of(one.timeline, other.calls) is None


def test_the_newest_replaces_those_before_but_some(own: ResultCache) -> None:
    for version in range(3):
        own.keep("result", version, version)
    assert len(files_of(own)) == 1
    for version in range(5):
        own.keep("picture", version, version, others=2)
    assert len(files_of(own)) == 4
    assert own.find("picture", 4) == 4
    assert own.find("result", 2) == 2


def test_an_array_that_is_a_file_of_the_trace_is_not_copied(
    own: ResultCache, tmp_path: Path
) -> None:
    for folder in (own._folder, tmp_path):
        arrays.write_array(folder / "column.npy", np.arange(5000))
    here, elsewhere = (
        arrays.load_array(folder / "column.npy") for folder in (own._folder, tmp_path)
    )
    assert own.keep("result", 1, here)
    (path,) = files_of(own)
    assert path.stat().st_size < 1000
    np.testing.assert_array_equal(own.find("result", 1), np.arange(5000))
    own.keep("result", 2, (here, here[:-1], here.view(np.uint64), elsewhere))
    (path,) = files_of(own)
    assert path.stat().st_size > 3 * 4999 * 8
    found = own.find("result", 2)
    assert found[2].dtype == np.uint64
    assert [len(one) for one in found] == [5000, 4999, 5000, 5000]
    (own._folder / "column.npy").unlink()
    assert own.find("result", 2) is None


def test_a_cut_result_is_not_used_and_goes(own: ResultCache) -> None:
    own.keep("result", 1, VALUE)
    (path,) = files_of(own)
    whole = path.read_bytes()
    for size in {0, 1, 15, 24, 60, *range(100, len(whole) - 64, 97)}:
        path.write_bytes(whole[:size])
        assert own.find("result", 1) is None
        assert not path.exists()


def test_a_result_with_noise_in_it_is_not_used(own: ResultCache) -> None:
    own.keep("result", 1, VALUE)
    (path,) = files_of(own)
    whole = np.frombuffer(path.read_bytes(), np.uint8)
    head = 24 + int(whole[16:24].view("<i8")[0])
    ends = head, len(whole)  # the gap between head and arrays is noise itself
    arrays = head + -head % 64
    rng = np.random.default_rng(4)
    for trial in range(400):
        noisy = whole.copy()
        first, last = (0, ends[0]) if trial % 2 else (arrays, ends[1])
        noisy[rng.integers(first, last, 3)] ^= rng.integers(1, 256, 3, np.uint8)
        if (noisy == whole).all():  # one place three times
            continue
        path.write_bytes(noisy.tobytes())
        assert own.find("result", 1) is None


@pytest.mark.parametrize("behind", [False, True])
def test_a_large_result_is_checked_once_in_a_state(
    own: ResultCache, monkeypatch: pytest.MonkeyPatch, behind: bool
) -> None:
    if behind:
        monkeypatch.setattr(shelf, "CHECKED_AT_ONCE_BYTES", 0)
    own.keep("result", 1, np.arange(integrity.ALWAYS_CHECKED_BELOW_BYTES // 8))
    (path,) = files_of(own)
    looked: list[Path] = []
    check = shelf.file_checksum

    def watched(path: Path, begin: int) -> int:
        looked.append(path)
        return check(path, begin)

    monkeypatch.setattr(shelf, "file_checksum", watched)
    assert own.find("result", 1) is not None
    assert not looked  # it was written just now
    monkeypatch.setattr(integrity, "boot_id", lambda: "another")
    for _ in range(2):
        assert own.find("result", 1) is not None
        wait_for_checks()
    assert looked == [path]
    with path.open("r+b") as file:
        file.seek(-8, os.SEEK_END)
        file.write(b"damage")
    assert (own.find("result", 1) is not None) == behind
    wait_for_checks()
    assert not path.exists()


def wait_for_checks() -> None:
    for thread in threading.enumerate():
        if thread.name == "checking":
            thread.join()


def test_a_full_disk_leaves_nothing_behind(
    own: ResultCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    before = set(own._folder.iterdir())
    monkeypatch.setattr(shelf.os, "fsync", full)
    assert not own.keep("result", 1, VALUE)
    assert set(own._folder.iterdir()) == before


def test_what_was_never_finished_goes_later(own: ResultCache) -> None:
    left = own._folder / "0.writing"
    left.write_bytes(b"half")
    own.keep("result", 1, 1)
    assert left.exists()  # somebody may be writing it just now
    os.utime(left, (0, 0))
    own.keep("result", 2, 2)
    assert not left.exists()


def test_it_goes_with_its_trace(own: ResultCache, kept: Store) -> None:
    own.keep("result", 1, VALUE)
    held = own.find("result", 1)
    assert kept.size(own._folder.name) > files_of(own)[0].stat().st_size
    assert kept.clear()[0] == 1
    assert_same(held["arrays"][0], frozen(np.arange(7, dtype=np.int32)))
    assert own.find("result", 1) is None
    assert not own.keep("result", 1, VALUE)


def test_a_second_mapping_shows_the_same_and_ends_with_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrays, "SPARSE_FROM_BYTES", 1)
    before = dict(arrays._SPARSE_VIEWS)
    arrays.write_array(tmp_path / "long.npy", np.arange(1 << 17))
    array = arrays.load_array(tmp_path / "long.npy")
    few = arrays.sparse_view(array, 3)
    assert few.ctypes.data != array.ctypes.data
    np.testing.assert_array_equal(few, array)
    arrays.prefetch(array, 100, 9000)
    assert arrays.sparse_view(array, 1 << 17) is array
    assert arrays.sparse_view(array[:5], 1).ctypes.data == array.ctypes.data
    del array, few
    assert before == arrays._SPARSE_VIEWS
