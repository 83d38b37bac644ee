"""Damage in the store, and folders of others: never used, never a traceback."""

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from same import assert_same
from writer import write_trace

from topoview.__main__ import main
from topoview.base.hashing import sum_words
from topoview.base.progress import silent
from topoview.io.archive.finding import store_key
from topoview.model import Subset, Trace
from topoview.store import integrity
from topoview.store import traces as store
from topoview.store import writer as store_draft
from topoview.store.results import result_cache_of
from topoview.store.traces import Store
from topoview.worker import open_trace, read_in_process
from topoview.worker.results import results_of

KEY = "0" * 32


@pytest.fixture
def entry(anchor: Path, kept: Store, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder of an entry of which each array has a file of its own."""
    monkeypatch.setattr(store_draft, "IN_MEMORY_BELOW_BYTES", 1)
    monkeypatch.setattr(store_draft, "OWN_FILE_FROM_BYTES", 1)
    draft = store_draft.begin_writing(kept, KEY, silent)
    assert draft is not None
    assert draft.keep(open_trace(anchor), Subset(), anchor)
    draft.close()
    return kept.folder / KEY


@pytest.fixture
def all_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the state of each file remembered."""
    monkeypatch.setattr(integrity, "ALWAYS_CHECKED_BELOW_BYTES", 1)


@contextmanager
def other_bytes(path: Path, at: int, data: bytes) -> Iterator[None]:
    """Have other bytes in a file, for a while."""
    whole = path.read_bytes()
    path.write_bytes(whole[:at] + data + whole[at + len(data) :])
    yield
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(whole)


def test_no_bit_of_an_entry_may_be_another(entry: Path, kept: Store) -> None:
    rng = np.random.default_rng(7)
    saved = {path: path.read_bytes() for path in entry.iterdir()}
    files = [path for path, data in saved.items() if data]
    for trial in range(4 * len(files)):
        path = files[trial % len(files)]
        data = bytearray(saved[path])
        at = int(rng.integers(len(data)))
        data[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(data)
        found = kept.find(KEY)
        assert found is None, path.name
        assert not kept.entries()
        entry.mkdir()
        for there, whole in saved.items():
            there.write_bytes(whole)
    assert kept.find(KEY) is not None


@pytest.mark.parametrize("apart", [1, 4])
def test_two_bits_do_not_take_each_other_back(apart: int) -> None:
    """Not in the next word, nor in the next of the same chain."""
    words = np.random.default_rng(21).integers(1 << 63, size=16).view(np.uint64)
    sums = {int(sum_words(words))}
    bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
    for first in bits:
        for second in bits:
            other = words.copy()
            other[3] ^= first
            other[3 + apart] ^= second
            sums.add(int(sum_words(other)))
    assert len(sums) == 1 + 64 * 64


@pytest.mark.parametrize(
    ("column", "value"),
    [("timeline.state", 255), ("timeline.region", 2**31 - 1), ("calls.enter", -1)],
)
def test_absurd_columns_are_read_again(
    anchor: Path, kept: Store, column: str, value: int
) -> None:
    """Indices that compiled code would follow out of bounds."""
    expected = open_trace(anchor)
    read_in_process(anchor)
    (known,) = kept.entries()
    table, name = column.split(".")
    array = getattr(getattr(expected, table), name)
    path = kept.folder / known.key / "small.npy"
    data = path.read_bytes()
    at = data.index(array.tobytes())
    path.write_bytes(
        data[:at] + np.full_like(array, value).tobytes() + data[at + array.nbytes :]
    )
    assert_same(read_in_process(anchor), expected)
    assert len(kept.entries()) == 1
    assert kept.find(known.key) is not None


@pytest.mark.parametrize("kind", ["gone", "folder", "link"])
def test_what_lacks_a_file_is_removed(entry: Path, kept: Store, kind: str) -> None:
    path = entry / "timeline.time.npy"
    path.rename(path.with_suffix(".moved"))
    if kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to(path.with_suffix(".moved"))
    assert kept.find(KEY) is None
    assert not kept.entries()


@pytest.mark.usefixtures("all_are_large")
def test_a_large_file_is_checked_once_a_state_and_boot(
    entry: Path, kept: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.secure(KEY)
    looked: list[str] = []
    check = integrity.column_checksum

    def watched(path: Path) -> int:
        looked.append(path.name)
        return check(path)

    monkeypatch.setattr(integrity, "column_checksum", watched)
    assert kept.find(KEY) is not None  # written a moment ago, all known
    files = integrity.CheckedFiles(entry)
    files.trust(*(path.name for path in entry.glob("*.npy")))
    looked.clear()
    assert kept.find(KEY) is not None
    assert not looked
    for module in (integrity, store):
        monkeypatch.setattr(module, "boot_id", lambda: "another")
    assert kept.find(KEY) is not None
    assert sorted(looked) == sorted(path.name for path in entry.glob("*.npy"))
    looked.clear()
    assert kept.find(KEY) is not None
    assert not looked
    os.utime(entry / "timeline.time.npy")
    assert kept.find(KEY) is not None
    assert looked == ["timeline.time.npy"]


@pytest.mark.usefixtures("all_are_large")
def test_what_is_very_large_is_checked_behind(
    entry: Path, kept: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "CHECKED_AT_ONCE_BYTES", 1 << 10)
    kept.secure(KEY)
    largest = max(entry.glob("*.npy"), key=lambda path: path.stat().st_size)
    with other_bytes(largest, 200, b"damage"):
        assert kept.find(KEY) is not None
        kept.secure(KEY)
        assert kept.find(KEY) is None
        assert not kept.entries()


@pytest.mark.usefixtures("all_are_large", "entry")
@pytest.mark.parametrize("told", [b"", b"00000000\n{}", b"\xff" * 9, b"7\n[]"])
def test_a_damaged_list_of_checked_files_is_made_again(
    entry: Path, kept: Store, told: bytes
) -> None:
    (entry / "checked.json").write_bytes(told)
    assert kept.find(KEY) is not None
    (entry / "checked.json").write_bytes(integrity.seal(told[9:]))
    assert kept.find(KEY) is not None


def test_a_damaged_result_is_computed_again(anchor: Path) -> None:
    trace = read_in_process(anchor)
    own = result_cache_of(trace.timeline)
    assert own is not None
    own.keep("result", 1, np.arange(99))
    (path,) = own._folder.glob("result-*")
    with path.open("r+b") as file:
        file.seek(-100, os.SEEK_END)
        file.write(b"\xff")
    assert own.find("result", 1) is None
    assert own.keep("result", 1, np.arange(99))
    np.testing.assert_array_equal(own.find("result", 1), np.arange(99))


PROGRAM = """
import os, sys
os.umask(0o002)
from topoview.store.results import result_cache_of
from topoview.worker import read_in_process
trace = read_in_process(sys.argv[1])
assert result_cache_of(trace.timeline).keep("result", 1, 1)
"""


def test_what_is_kept_is_of_this_user_only(anchor: Path, kept: Store) -> None:
    kept.folder.mkdir(mode=0o755, parents=True)  # as older versions made it
    subprocess.run([sys.executable, "-c", PROGRAM, anchor], check=True)
    kept.set_limit(1 << 40)
    assert stat.S_IMODE(kept.folder.stat().st_mode) == 0o700
    found = list(kept.folder.rglob("*"))
    assert len(found) > 3
    for path in found:
        mode = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == mode, path


def test_a_folder_that_others_may_write_to_is_not_used(
    anchor: Path, kept: Store
) -> None:
    expected = read_in_process(anchor)
    kept.folder.chmod(0o775)
    trace = read_in_process(anchor)
    assert_same(trace.timeline, expected.timeline)
    assert "others may write to it" in trace.warnings[-1]
    assert "topoview cache --clear" in trace.warnings[-1]
    assert stat.S_IMODE(kept.folder.stat().st_mode) == 0o775
    kept.clear()
    assert not kept.fault
    assert read_in_process(anchor).warnings == expected.warnings
    assert kept.entries()


@pytest.mark.skipif(os.getuid() != 0, reason="to give a folder away one must be root")
def test_a_folder_of_somebody_else_is_not_used(anchor: Path, kept: Store) -> None:
    kept.folder.mkdir(mode=0o700, parents=True)
    os.chown(kept.folder, 1234, -1)
    trace = read_in_process(anchor)
    assert "belongs to another user" in trace.warnings[-1]
    assert trace.ranks == 12
    assert not list(kept.folder.iterdir())


def test_no_link_is_followed_where_a_file_of_the_store_is_written(
    kept: Store, tmp_path: Path
) -> None:
    kept.folder.mkdir(mode=0o700, parents=True)
    other = tmp_path / "other"
    other.write_text("mine")
    for name in (f"{KEY}{store.LOCK}", "limit"):
        (kept.folder / name).symlink_to(other)
    with pytest.raises(OSError, match="symbolic"):
        kept.lock(KEY).take()
    with pytest.raises(OSError, match="symbolic"):
        kept.set_limit(7)
    assert other.read_text() == "mine"
    assert kept.limit > 7  # the one of a disk: the link is not read


def test_no_entry_is_taken_for_another(
    simulated: Callable[..., Trace], tmp_path: Path, kept: Store
) -> None:
    """Folders of two keys are exchanged, as a script may that restores a cache."""
    anchors = [
        write_trace(simulated("torus", dims), tmp_path / str(dims))
        for dims in ((4, 3), (3, 2))
    ]
    right = [read_in_process(anchor) for anchor in anchors]
    one, other = (store_key(anchor, Subset()) for anchor in anchors)
    for old, new in ((one, "x"), (other, one), ("x", other)):
        (kept.folder / old).rename(kept.folder / new)
    assert kept.find(one) is None
    for anchor, trace in zip(anchors, right, strict=True):
        assert_same(read_in_process(anchor), trace)


def test_no_result_is_taken_for_another(
    simulated: Callable[..., Trace], tmp_path: Path
) -> None:
    """Neither that of another trace, nor another one of the same."""
    caches = []
    for name in ("one", "other"):
        anchor = write_trace(simulated("torus", (4, 3)), tmp_path / name)
        caches.append(result_cache_of(read_in_process(anchor).timeline))
    one, other = caches
    assert one is not None
    assert other is not None
    assert one.keep("result", 1, 7)
    assert one.find("result", 1) == 7
    for cache, name in ((other, "result"), (one, "further")):
        shutil.copy(one._path("result", 1), cache._path(name, 1))
        assert cache.find(name, 1) is None
        assert not cache.has(name, 1)


RESULTS = ("delays", "identification", "logical", "parts", "wait_sums", "waits")


def test_any_damaged_result_is_made_again(
    anchor: Path, kept: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also what a command looks at beside that which it asks for."""
    line = ["waits", str(anchor), "--json"]
    assert main(line) == 0
    expected = capsys.readouterr().out
    (entry,) = kept.entries()
    for name in RESULTS:
        for file in (kept.folder / entry.key).glob(f"{name}-*.kept"):
            data = bytearray(file.read_bytes())
            data[len(data) * 2 // 3] ^= 1
            file.write_bytes(data)
        assert main(line) == 0, name
        told = capsys.readouterr()
        assert told.err == ""
        assert json.loads(told.out) == json.loads(expected)


def test_what_nobody_asked_for_is_made_again_too(anchor: Path, kept: Store) -> None:
    results_of(anchor, ["delays"])
    results = results_of(anchor, ["delays"])
    (entry,) = kept.entries()
    for file in (kept.folder / entry.key).glob("logical-*.kept"):
        file.write_bytes(b"damage")
    assert results["logical"].ranks == 12
