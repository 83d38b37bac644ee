"""Reading a stretch of time, against reading everything and cutting it."""

import random
import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from event_files import Event, write_definitions, write_file
from same import assert_same
from traces import read_real
from writer import write_trace

from topoview.errors import TraceError
from topoview.io.archive.anchor import AnchorFile, read_anchor_file
from topoview.io.record_types import BARE
from topoview.model import Subset, Trace
from topoview.model.frozen.arrays import ColumnTable
from topoview.worker import open_trace

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
    def read(path: Path, shown: Path) -> AnchorFile:
        return read_anchor_file(path, shown)._replace(event_chunk=SMALL)

    monkeypatch.setattr("topoview.io.otf2.read_anchor_file", read)


@pytest.fixture
def path(simulated: Callable[..., Trace], tmp_path: Path, small: None) -> Path:
    assert small is None
    return written(simulated("torus", (4, 3), iterations=60), tmp_path / "run")


def rows(table: ColumnTable) -> list[tuple[int, ...]]:
    return sorted(zip(*(c.tolist() for c in table.columns().values()), strict=True))


def assert_as_if_cut(whole: Trace, part: Trace, end: float, begin: float = 0.0) -> None:
    """Compare with what all of the trace is cut to."""
    from topoview.io.subset import cut_to_interval
    from topoview.store.arrays import MemoryAllocator

    truth = cut_to_interval(
        whole, whole.clock.ticks(begin), whole.clock.ticks(end), MemoryAllocator()
    )
    assert part.clock == truth.clock
    assert_same(part.timeline, truth.timeline)
    assert_same(part.calls, truth.calls)
    assert_same(part.collectives, truth.collectives)
    assert rows(part.messages) == rows(truth.messages)
    known = {records.name: records for records in part.further}
    for records in truth.further:
        if len(records):
            assert_same(known[records.name], records)
    assert counted(part) == counted(truth)


def counted(trace: Trace) -> Counter[tuple[object, ...]]:
    """Count the operations before a part."""
    found: Counter[tuple[object, ...]] = Counter()
    for one in trace.earlier:
        for rank, region, values, count in zip(
            one.rank, one.region, one.values, one.count, strict=True
        ):
            found[one.name, int(rank), int(region), *values.tolist()] += int(count)
    return found


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


def test_what_is_before_is_not_decoded(path: Path) -> None:
    whole = open_trace(path)
    length = whole.clock.seconds(whole.clock.length)
    rng = random.Random(2)
    fewest = whole.events
    for begin in (1e-9, 0.003, 0.1, *(rng.random() for _ in range(12)), 0.999):
        end = min(begin + rng.choice([0.001, 0.05, 1.0]), 1.0)
        part = open_trace(path, subset=Subset(begin * length, end * length))
        assert_as_if_cut(whole, part, end * length, begin * length)
        fewest = min(fewest, part.events)
        assert part.health is not None
        assert part.health.verdict in ("exact", "repaired")
    assert fewest < whole.events / 20


def test_up_to_the_end(path: Path) -> None:
    whole = open_trace(path)
    length = whole.clock.seconds(whole.clock.length)
    part = open_trace(path, subset=Subset(begin=0.9 * length))
    assert_as_if_cut(whole, part, 2 * length, 0.9 * length)
    assert part.events < whole.events / 5
    with pytest.raises(TraceError, match=f"it lasts {length:.6g} s"):
        open_trace(path, subset=Subset(begin=1.1 * length))


def test_ranks_that_do_nothing_within(path: Path) -> None:
    """One has ended before, one waits all the time; what they sent arrives."""
    call = [Event(40, ENTER, (0,)), Event(900, LEAVE, (0,))]
    busy = [Event(t, k, (0,)) for t in range(100, 900) for k in (ENTER, LEAVE)]
    events = {
        0: [Event(10, ENTER, (0,)), Event(11, SEND, (1, 0, 5, 100)),
            Event(12, LEAVE, (0,))],
        1: [*busy, Event(901, ENTER, (0,)), Event(902, 18, (0, 0, 5, 100)),
            Event(903, LEAVE, (0,))],
        2: call,
    }  # fmt: skip
    folder = path.with_suffix("")
    for rank in range(12):
        data = write_file(events.get(rank, busy), "little", SMALL)
        (folder / f"{rank}.evt").write_bytes(data)
        (folder / f"{rank}.def").write_bytes(write_definitions("little", {}, []))
    whole = open_trace(path)
    for begin, end in ((400, 420), (400, 2000), (890, 2000)):
        stretch = whole.clock.seconds(begin), whole.clock.seconds(end)
        part = open_trace(path, subset=Subset(*stretch))
        assert_as_if_cut(whole, part, stretch[1], stretch[0])
        assert part.events < 0.7 * whole.events


def test_ranks_without_events(path: Path) -> None:
    (path.with_suffix("") / "1.evt").write_bytes(b"")
    part = open_trace(path, subset=Subset(ranks=((1, 1),)))
    assert not len(part.calls.enter)
    assert any("1.evt (events) is empty" in warning for warning in part.warnings)
    with pytest.raises(TraceError, match="nothing after"):
        open_trace(path, subset=Subset(1e-6, None, ((1, 1),)))


@pytest.mark.parametrize("end", [1e30, 1e300, float("inf")])
def test_moments_that_no_clock_reaches(path: Path, end: float) -> None:
    whole = open_trace(path)
    begin = whole.clock.seconds(whole.clock.length // 2)
    assert_as_if_cut(whole, open_trace(path, subset=Subset(begin, end)), end, begin)
    if end < float("inf"):
        with pytest.raises(TraceError, match="nothing after"):
            open_trace(path, subset=Subset(end))


def test_requests_posted_at_the_time_of_the_event_before(path: Path) -> None:
    """Only the last chunk before a stretch tells times; a request may be older."""
    filler = [
        Event(time, kind, (0,)) for time in range(40, 4000) for kind in (ENTER, LEAVE)
    ]
    post = [Event(20, ENTER, (0,)), Event(20, RECEIVE_POST, (70,)),
            Event(20, LEAVE, (0,))]  # fmt: skip
    events = {
        0: [*filler, Event(4000, SEND, (1, 0, 5, 100))],
        1: [*post, *filler, Event(4001, RECEIVE_DONE, (0, 0, 5, 100, 70))],
    }
    folder = path.with_suffix("")
    for rank in range(12):
        data = write_file(events.get(rank, filler), "little", SMALL)
        (folder / f"{rank}.evt").write_bytes(data)
        (folder / f"{rank}.def").write_bytes(write_definitions("little", {}, []))
    whole = open_trace(path)
    begin = whole.clock.seconds(3900)
    part = open_trace(path, subset=Subset(begin))
    assert_as_if_cut(whole, part, 1.0, begin)
    assert part.timeline.time.min() == 0


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


@pytest.mark.parametrize(
    "name",
    [
        *("sp-lu-8-flush", "public-sstmacro-10", "ez-lu-8", "sp-bt-16", "public-apex"),
        *("sp-lu-32-functions", "sp-masterworker-24", "sp-threads-halo"),
        *("app-pennant-12", "ez-threads-halo"),
    ],
)
@pytest.mark.parametrize("share", [(0.0, 0.2), (0.0, 0.7), (0.3, 0.4), (0.8, 1.0)])
def test_real_traces(
    name: str, share: tuple[float, float], real_path: Callable[[str], Path]
) -> None:
    path = real_path(name)
    whole = read_real(name)
    begin, end = (part * whole.clock.seconds(whole.clock.length) for part in share)
    part = open_trace(path, subset=Subset(begin, end))
    assert_as_if_cut(whole, part, end, begin)
