"""The store: what was read is there again, whole or not at all."""

import errno
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from same import assert_same

from topoview.base.progress import silent
from topoview.errors import TraceError
from topoview.io.archive import finding as archive
from topoview.io.archive.finding import find_anchor
from topoview.io.reading.whole import read_anchor
from topoview.model import Subset
from topoview.store import arrays as store_shared
from topoview.store import keys
from topoview.store import traces as store
from topoview.store import writer as store_draft
from topoview.store.integrity import (
    checksum,
    checksum_of,
    column_checksum,
    file_checksum,
    seal,
    unseal,
    write_private,
)
from topoview.store.traces import Store
from topoview.worker import open_trace, process, read_in_process

KEY = "0" * 32


@pytest.fixture
def no_child(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def start(*_: object) -> None:
        raise AssertionError("a process was started")

    return lambda: monkeypatch.setattr(process.ProcessWorker, "_start", start)


@pytest.fixture
def large_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every array a file of its own."""
    monkeypatch.setattr(store_draft, "IN_MEMORY_BELOW_BYTES", 1)
    monkeypatch.setattr(store_draft, "OWN_FILE_FROM_BYTES", 1)


@pytest.fixture
def shared_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have arrays share files, a few in each."""
    monkeypatch.setattr(store_draft, "IN_MEMORY_BELOW_BYTES", 1)
    monkeypatch.setattr(store_shared, "_FIRST_FILE_BYTES", 1 << 12)
    monkeypatch.setattr(store_shared, "_MAX_FILE_BYTES", 1 << 14)


def test_opening_again_reads_nothing(
    anchor: Path, no_child: Callable[[], None]
) -> None:
    first = read_in_process(anchor)
    no_child()
    assert_same(read_in_process(anchor), first)
    assert_same(first, open_trace(anchor))


def test_the_name_is_that_of_what_was_opened(
    anchor: Path, no_child: Callable[[], None]
) -> None:
    read_in_process(anchor.parent)
    no_child()
    assert read_in_process(anchor.parent).path == str(anchor.parent)


def test_an_archive_is_not_unpacked_again(
    anchor: Path, tmp_path: Path, no_child: Callable[[], None]
) -> None:
    packed = tmp_path / "packed.tar.xz"
    subprocess.run(
        ["tar", "-cJf", packed, "-C", anchor.parent.parent, "run"], check=True
    )
    first = read_in_process(packed)
    no_child()
    assert_same(read_in_process(packed), first)


@pytest.mark.parametrize("change", ["touch", "append", "replace", "add"])
def test_a_changed_trace_is_read_again(anchor: Path, kept: Store, change: str) -> None:
    read_in_process(anchor)
    (before,) = kept.entries()
    file = sorted(anchor.with_suffix("").iterdir())[0]
    if change == "touch":
        os.utime(file, (1, 1))
    elif change == "append":
        file.write_bytes(file.read_bytes() + b"\n")
    elif change == "replace":
        status = file.stat()
        other = file.with_suffix(".new")
        other.write_bytes(file.read_bytes())
        os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
        other.rename(file)
    else:
        (file.parent / "99999.evt").write_bytes(b"")
    assert archive.store_key(anchor, Subset()) != before.key
    read_in_process(anchor)
    (after,) = kept.entries()  # takes the place of the other
    assert after.key != before.key


def test_a_file_that_is_changed_in_place_is_read_again(anchor: Path) -> None:
    """With its size, inode and time of change as they were, as backups set them."""
    file = max(anchor.parent.rglob("*.evt"), key=lambda path: path.stat().st_size)
    before, key = file.stat(), archive.store_key(anchor, Subset())
    with file.open("r+b") as events:
        events.seek(before.st_size // 2)
        events.write(bytes(before.st_size - before.st_size // 2))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = file.stat()
    for name in ("st_size", "st_mtime_ns", "st_ino"):
        assert getattr(after, name) == getattr(before, name)
    assert archive.store_key(anchor, Subset()) != key


def test_what_other_code_read_is_read_again(
    anchor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = archive.store_key(anchor, Subset())
    monkeypatch.setattr(archive, "reader_version", lambda: "another")
    assert archive.store_key(anchor, Subset()) != before


@pytest.mark.parametrize(
    ("sources", "file", "is_another"),
    [
        (True, "io/decoder/c/decoder.c", True),
        (True, "io/decoder/decoder.so", False),  # made of the sources
        (False, "io/decoder/decoder.so", True),  # an installed package has no others
        (False, "base/hashing.py", True),
        (False, "model/trace.py", True),
        (False, "ui/shell/window.py", False),
    ],
)
def test_versions_are_digests_of_what_reads(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    sources: bool,
    file: str,
    is_another: bool,
) -> None:
    if sources:
        (tmp_path / "io/decoder/c").mkdir(parents=True)
    monkeypatch.setattr(keys, "_PACKAGE", tmp_path)
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    found = set()
    for text in ("one", "other"):
        (tmp_path / file).write_text(text)
        found.add(keys.reader_version.__wrapped__())
    assert (len(found) == 2) == is_another


def test_files_that_change_while_they_are_read_are_not_kept(
    anchor: Path, kept: Store
) -> None:
    def report(stage: str, fraction: float) -> None:
        del fraction
        if stage == "matching messages":
            os.utime(anchor)

    trace = read_in_process(anchor, report)
    if kept.entries():  # the last report came after the comparison
        assert archive.store_key(anchor, Subset()) != kept.entries()[0].key
    else:
        assert "changed while they were read" in trace.warnings[-1]


@pytest.mark.parametrize("damage", ["manifest", "cut", "gone", "header", "lie"])
@pytest.mark.usefixtures("large_arrays")
def test_nothing_damaged_is_used(anchor: Path, kept: Store, damage: str) -> None:
    trace = open_trace(anchor)
    draft = store_draft.begin_writing(kept, KEY, silent)
    assert draft is not None
    assert draft.keep(trace, Subset(), anchor)
    draft.close()
    folder = kept.folder / KEY
    file = folder / "timeline.time.npy"
    manifest = folder / store.MANIFEST
    if damage == "manifest":
        manifest.write_bytes(manifest.read_bytes()[:-9])
    elif damage == "cut":
        os.truncate(file, file.stat().st_size - 1)
    elif damage == "gone":
        file.unlink()
    elif damage == "header":
        with file.open("r+b") as opened:
            opened.write(b"\0" * 64)
    else:
        told = unseal(manifest.read_bytes())
        manifest.write_bytes(
            seal(told.replace(b'"file": "timeline.time.npy"', b'"file": "../x.npy"'))
        )
    assert kept.find(KEY) is None


def test_what_a_crash_of_the_machine_may_have_damaged_is_not_used(
    anchor: Path, kept: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = store_draft.begin_writing(kept, KEY, silent)
    assert draft is not None
    assert draft.keep(open_trace(anchor), Subset(), anchor)
    draft.close()
    assert kept.find(KEY) is not None
    monkeypatch.setattr(store, "boot_id", lambda: "another")
    (kept.folder / KEY / store.SAFE_MARK).unlink(missing_ok=True)
    assert kept.find(KEY) is None
    assert not kept.entries()


def test_what_is_on_the_disk_for_good_survives_it(
    anchor: Path, kept: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = store_draft.begin_writing(kept, KEY, silent)
    assert draft is not None
    draft.keep(open_trace(anchor), Subset(), anchor)
    draft.close()
    kept.secure(KEY)
    monkeypatch.setattr(store, "boot_id", lambda: "another")
    assert kept.find(KEY) is not None


@pytest.mark.usefixtures("large_arrays")
def test_columns_are_filled_in_place(anchor: Path, kept: Store) -> None:
    draft = store_draft.begin_writing(kept, KEY, silent)
    assert draft is not None
    trace = open_trace(anchor)
    time_ = draft.allocate("timeline.time", 2 * len(trace.timeline.time), np.int64)
    part = time_[: len(trace.timeline.time)]
    part[:] = trace.timeline.time
    unused = draft.allocate("unused", 1000, np.int32)
    scratch = draft.allocate("scratch", 1000, np.int32, scratch=True)
    unused[:], scratch[:] = 1, 2
    assert draft.folder is not None
    inode = (draft.folder / "timeline.time.npy").stat().st_ino
    timeline = type(trace.timeline)(
        trace.timeline.offsets, part, trace.timeline.state, trace.timeline.region
    )
    from dataclasses import replace

    filled = replace(trace, timeline=timeline)
    assert draft.keep(filled, Subset(), anchor)
    draft.close()
    assert (kept.folder / KEY / "timeline.time.npy").stat().st_ino == inode
    assert not list((kept.folder / KEY).glob("*used*"))
    found = kept.find(KEY)
    assert found is not None
    assert_same(found.timeline, trace.timeline)
    np.testing.assert_array_equal(
        np.load(kept.folder / KEY / "timeline.time.npy"), trace.timeline.time
    )


@pytest.mark.usefixtures("shared_files")
def test_columns_share_files(anchor: Path, kept: Store) -> None:
    draft = store_draft.begin_writing(kept, KEY, silent)
    assert draft is not None
    (unused := draft.allocate("unused", 10_000, np.int32))[:] = 7
    held = find_anchor(anchor, anchor.parent, silent)
    trace = read_anchor(held, silent, Subset(), draft.allocate)
    assert draft.keep(trace, Subset(), anchor)
    draft.close()
    folder = kept.folder / KEY
    names = sorted(path.name for path in folder.glob("shared-*"))
    assert len(names) > 2
    assert "shared-0.npy" not in names  # nothing in it was wanted
    assert not list(folder.glob("timeline.time*"))
    found = kept.find(KEY)
    assert found is not None
    assert_same(found, open_trace(anchor))
    assert_same(trace, found)  # what is mapped stays whole
    assert (unused == 7).all()
    assert sum(len(np.load(folder / name)) for name in names) < kept.size(KEY)


@pytest.mark.parametrize("damage", ["cut", "gone", "header", "behind", "before"])
@pytest.mark.usefixtures("shared_files")
def test_no_damaged_file_that_is_shared_is_used(
    anchor: Path, kept: Store, damage: str
) -> None:
    draft = store_draft.begin_writing(kept, KEY, silent)
    assert draft is not None
    held = find_anchor(anchor, anchor.parent, silent)
    draft.keep(read_anchor(held, silent, Subset(), draft.allocate), Subset(), anchor)
    draft.close()
    file = sorted((kept.folder / KEY).glob("shared-*"))[0]
    manifest = kept.folder / KEY / store.MANIFEST
    if damage == "cut":
        os.truncate(file, file.stat().st_size - 1)
    elif damage == "gone":
        file.unlink()
    elif damage == "header":
        with file.open("r+b") as opened:
            opened.write(b"\0" * 64)
    else:
        told = unseal(manifest.read_bytes()).decode()
        where = -64 if damage == "before" else 1 << 20
        text = told.replace(
            f'"file": "{file.name}", "at": 0', f'"file": "{file.name}", "at": {where}'
        )
        assert text != told
        manifest.write_bytes(seal(text.encode()))
    assert kept.find(KEY) is None


def fail(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("call", ["create_array_file", "write_array", "shared"])
def test_a_full_disk_leaves_nothing_and_is_told(
    anchor: Path,
    kept: Store,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    call: str,
) -> None:
    is_shared = call == "shared"
    request.getfixturevalue("shared_files" if is_shared else "large_arrays")
    draft = store_draft.begin_writing(kept, KEY, silent)
    assert draft is not None
    draft.allocate("before", 10, np.int64)
    if is_shared:
        monkeypatch.setattr(store_shared, "create_array_file", fail)
        monkeypatch.setattr(store_draft, "write_array", fail)
    else:
        monkeypatch.setattr(store_draft, call, fail)
    array = draft.allocate("after", 2000 if is_shared else 10, np.int64)
    array[:] = 3
    assert not draft.keep(open_trace(anchor), Subset(), anchor)
    assert draft.fault == "No space left on device"
    draft.close()
    kept.abandon(KEY)
    assert not list(kept.folder.iterdir())
    assert (array == 3).all()  # what is mapped stays


def test_without_room_in_store_and_memory_it_is_told(
    kept: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOPOVIEW_MEMORY", "3M")
    draft = store_draft.begin_writing(kept, KEY, silent)
    assert draft is not None
    monkeypatch.setattr(store_shared, "create_array_file", fail)
    first = draft.allocate("a", 2 << 20, np.uint8)
    with pytest.raises(TraceError, match=r"no room.*4 MiB.*No space left.*--ranks"):
        draft.allocate("b", 2 << 20, np.uint8)
    del first
    draft.allocate("b", 2 << 20, np.uint8)
    draft.close()


@pytest.mark.parametrize("where", ["/proc/nowhere", "file"])
def test_a_cache_that_cannot_be_written_is_told(
    anchor: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("TOPOVIEW_CACHE", str(tmp_path / where))
    trace = read_in_process(anchor)
    assert "not kept in the cache" in trace.warnings[-1]
    assert trace.ranks == 12


def test_without_a_cache_nothing_is_told(
    anchor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOPOVIEW_CACHE", "off")
    assert_same(read_in_process(anchor), open_trace(anchor))


def test_the_checksum_of_pieces_is_that_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("topoview.store.integrity._BLOCK_BYTES", 7)
    whole = bytes(range(40))
    for cuts in ((), (0, 0, 7), (3, 14, 15), (6, 7, 8, 40), (39,), (1, 22)):
        for size in (0, 1, 7, 8, 21, 40):
            data = whole[:size]
            ends = [*(min(cut, size) for cut in cuts), size]
            begins = [0, *ends[:-1]]
            pieces = [memoryview(data)[a:b] for a, b in zip(begins, ends, strict=True)]
            assert checksum_of(pieces) == checksum(data)


@pytest.mark.parametrize("size", [0, 1, 63, 64, 1001, 4096])
@pytest.mark.parametrize("least", [64, 1 << 20])
def test_a_column_with_another_bit_has_another_checksum(
    size: int, least: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Wherever it is: as words or as what is left behind them, in any block."""
    monkeypatch.setattr("topoview.store.integrity._BLOCK_BYTES", 256)
    monkeypatch.setattr("topoview.store.integrity.ALWAYS_CHECKED_BELOW_BYTES", least)
    data, file = np.random.default_rng(size).bytes(size), tmp_path / "file"

    def summed(content: bytes) -> int:
        write_private(file, content)
        return column_checksum(file)

    whole = summed(data)
    assert (whole == checksum(data)) == (size < least)
    some, end = range(0, size, max(size // 100, 1)), range(max(size - 9, 0), size)
    for place in (*some, *end):
        changed = bytearray(data)
        changed[place] ^= 1 << place % 8
        assert summed(changed) != whole
    for stop in end:  # a file that is cut
        assert summed(data[:stop]) != whole


def test_a_thread_that_still_holds_a_piece_of_a_file_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Threads let go of what they worked on some time after they gave its result."""
    (tmp_path / "file").write_bytes(bytes(range(40)))
    held = []

    def summed(work: Callable[[memoryview], int], pieces: list[memoryview]) -> object:
        held.extend(pieces)
        return [work(piece) for piece in pieces]

    monkeypatch.setattr("topoview.store.integrity._BLOCK_BYTES", 7)
    monkeypatch.setattr("topoview.base.threads.in_parts", summed)
    assert file_checksum(tmp_path / "file", 3) == checksum(bytes(range(3, 40)))
    assert held
