"""Reading up to a moment, against reading everything and cutting it."""

import random
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from event_files import CHUNK, Event, write_definitions, write_file
from same import assert_same

from topoview.io import open_trace, write_trace
from topoview.io.library import Library
from topoview.io.records import BARE
from topoview.model import Subset, Trace
from topoview.model.tables import Table

SMALL = 2048
"""Bytes of a chunk: libotf2 writes none so small, the decoder reads any."""

ENTER, LEAVE, SEND, RECEIVE_POST, RECEIVE_DONE = 12, 13, 14, 17, 19


def cut_into_chunks(data: bytes) -> bytes:
    """Write a file of events of one chunk again, in small ones."""
    at, stamp, chunks, body, count = 18, b"", [], b"", 0
    while data[at] > 2:
        begin = at
        if data[at] == 5:
            stamp = data[at : at + 9]
            at += 9
            begin = at
        kind = data[at]
        length = data[at + 1]
        at += 2 + (0 if BARE[kind] and length == 255 else length)
        record = data[begin:at]
        if 18 + len(body) + 9 + len(record) + 2 > SMALL:
            chunks.append((count, body))
            body, count = b"", 0
        if not body or data[begin - 9] == 5:
            body += stamp
        body += record
        count += 1
    chunks.append((count, body))
    written, first = b"", 1
    for number, (count, body) in enumerate(chunks):
        chunk = data[:2] + struct.pack("<QQ", first, first + count - 1) + body
        is_last = number == len(chunks) - 1
        written += chunk + b"\2\1" if is_last else chunk.ljust(SMALL, b"\0")
        first += count
    return written


def written(trace: Trace, folder: Path) -> Path:
    anchor = write_trace(trace, folder)
    for file in anchor.with_suffix("").glob("*.evt"):
        file.write_bytes(cut_into_chunks(file.read_bytes()))
    return anchor


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Library, "chunk_sizes", lambda *_: (SMALL, CHUNK))


@pytest.fixture
def path(simulated: Callable[..., Trace], tmp_path: Path, small: None) -> Path:
    assert small is None
    return written(simulated("torus", (4, 3), iterations=60), tmp_path / "run")


def rows(table: Table) -> list[tuple[int, ...]]:
    return sorted(zip(*(c.tolist() for c in table.columns().values()), strict=True))


def assert_as_if_cut(whole: Trace, part: Trace, end: float) -> None:
    """Compare with what all of the trace is cut to."""
    from topoview.io.allocation import Memory
    from topoview.io.cut import cut

    truth = cut(whole, 0, whole.clock.ticks(end), Memory())
    assert part.clock == truth.clock
    assert_same(part.timeline, truth.timeline)
    assert_same(part.calls, truth.calls)
    assert_same(part.collectives, truth.collectives)
    assert rows(part.messages) == rows(truth.messages)
    known = {records.name: records for records in part.further}
    for records in truth.further:
        if len(records):
            assert_same(known[records.name], records)


def test_what_is_behind_is_not_read(path: Path) -> None:
    whole = open_trace(path)
    length = whole.clock.seconds(whole.clock.length)
    rng = random.Random(1)
    fewest = whole.events
    for share in (0.003, 0.1, *(rng.random() for _ in range(6)), 0.999, 1.5):
        part = open_trace(path, subset=Subset(end=share * length))
        assert_as_if_cut(whole, part, share * length)
        fewest = min(fewest, part.events)
        assert part.events <= whole.events
        assert part.health is not None
        assert part.health.verdict in ("exact", "repaired")
    assert fewest < whole.events / 4


def test_only_some_ranks_up_to_a_moment(path: Path) -> None:
    whole = open_trace(path, subset=Subset.parse(ranks="2-5"))
    end = whole.clock.seconds(whole.clock.length) / 3
    part = open_trace(path, subset=Subset.parse(end=end, ranks="2-5"))
    assert_as_if_cut(whole, part, end)
    assert part.events < whole.events / 2


def test_clocks_that_are_not_aligned_need_all(
    simulated: Callable[..., Trace], tmp_path: Path, small: None
) -> None:
    """EZTrace's: when the end is, is known when all was read and aligned."""
    assert small is None
    trace = replace(simulated("torus", (4, 3), iterations=60), producer="EZTrace")
    path = written(trace, tmp_path / "run")
    whole = open_trace(path)
    end = whole.clock.seconds(whole.clock.length) / 4
    part = open_trace(path, subset=Subset(end=end))
    assert whole.clock.alignment is not None
    assert part.events == whole.events
    assert_as_if_cut(whole, part, end)


@pytest.mark.parametrize("late", [250, 2000])
def test_a_receive_that_completes_much_later_keeps_its_send(
    path: Path, late: int
) -> None:
    """Two receives are posted; the second completes first, long before the other."""
    filler = [
        Event(time, kind, (0,)) for time in range(40, 4000) for kind in (ENTER, LEAVE)
    ]
    sends = [Event(10 + k, SEND, (1, 0, 5, 100 + k)) for k in range(2)]
    posts = [Event(20 + k, RECEIVE_POST, (70 + k,)) for k in range(2)]
    second = Event(30, RECEIVE_DONE, (0, 0, 5, 101, 71))
    first = Event(late, RECEIVE_DONE, (0, 0, 5, 100, 70))
    events = {
        0: [*sends, *filler],
        1: sorted([*posts, second, first, *filler], key=lambda event: event.time),
    }
    folder = path.with_suffix("")
    for rank in range(12):
        data = write_file(events.get(rank, filler), "little", SMALL)
        (folder / f"{rank}.evt").write_bytes(data)
        (folder / f"{rank}.def").write_bytes(write_definitions("little", {}, []))
    whole = open_trace(path)
    end = whole.clock.seconds(40 - 10)
    part = open_trace(path, subset=Subset(end=end))
    assert_as_if_cut(whole, part, end)
    assert part.events < whole.events


@pytest.mark.parametrize("name", ["sp-lu-8-flush", "public-sstmacro-10", "ez-lu-8"])
@pytest.mark.parametrize("share", [0.2, 0.7])
def test_real_traces(name: str, share: float, real_path: Callable[[str], Path]) -> None:
    whole = open_trace(real_path(name))
    end = share * whole.clock.seconds(whole.clock.length)
    part = open_trace(real_path(name), subset=Subset(end=end))
    assert_as_if_cut(whole, part, end)
