"""A trace that is read in parts of its ranks is the trace that is read as one."""

import resource
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import traces
from numpy.typing import NDArray
from same import assert_same

from topoview.base.progress import silent
from topoview.base.tasks import Graph, Here
from topoview.io.archive.finding import find_anchor
from topoview.io.otf2 import DefinedTrace, read_definitions_of
from topoview.io.reading.graph import read_on
from topoview.io.reading.in_parts import IN_PARTS
from topoview.io.reading.joining import join_parts, part_trace
from topoview.io.reading.settling import Settled
from topoview.io.reading.work import Work, cut_ranks
from topoview.model import Trace, places_among
from topoview.store.arrays import MemoryAllocator, load_array
from topoview.store.traces import PARTIAL

PARTS = (1, 2, 3, 7)
COLUMNS = f"columns{PARTIAL}"
"""Folder of columns that are not joined yet."""


def read_in_parts(path: Path, count: int, folder: Path) -> Trace:
    """Read a trace in so many parts."""
    return steps(path, count, folder)[2]


def steps(path: Path, count: int, folder: Path) -> tuple[Work, Settled, Trace]:
    """Do the steps of so many parts one after the other."""
    (folder / "scratch").mkdir(parents=True)
    defined = read_definitions_of(find_anchor(path, folder / "scratch", silent))
    start = Work(folder, folder / COLUMNS, defined, tuple(cut_ranks(defined, count)))
    read = read_on(Graph(Here()), IN_PARTS._replace(join=_join), start)
    return read.work, read.settled, read.trace


def _join(work: Work, *placed: Any) -> Trace:  # noqa: ANN401 - as the graph gives
    def mapped(name: str) -> NDArray[Any]:
        return load_array(work.column(name))

    return join_parts(work, *placed, mapped, MemoryAllocator())


LONG = frozenset(traces.LARGE_NAMES)
NAMES = [*traces.BUNDLED_NAMES, *traces.MORE_NAMES]


@pytest.mark.parametrize(
    ("name", "count"),
    [
        pytest.param(
            name,
            count,
            # else of each trace one number of parts is tried, the next of the next
            marks=[pytest.mark.slow]
            * (name in LONG or count != PARTS[place % len(PARTS)]),
        )
        for place, name in enumerate(NAMES)
        for count in PARTS
    ],
)
def test_parts_make_the_whole_trace(name: str, count: int, tmp_path: Path) -> None:
    whole = traces.read_real(name)
    assert_same(read_in_parts(traces.real_path(name), count, tmp_path), whole)


@pytest.mark.parametrize("name", ["sp-rowcol-6x4", "ez-cg-8"])
def test_parts_are_traces_of_their_own_ranks(name: str, tmp_path: Path) -> None:
    whole = traces.read_real(name)
    work, *told = steps(traces.real_path(name), 3, tmp_path)
    parts = [part_trace(work, *told, part) for part in range(len(work.parts))]
    assert len(parts) == 3
    for rows, trace in zip(work.all_rows(), parts, strict=True):
        assert trace.clock.length == whole.clock.length
        sizes = np.zeros(len(whole.locations), np.int64)
        sizes[rows] = np.diff(whole.calls.offsets)[rows]
        np.testing.assert_array_equal(np.diff(trace.calls.offsets), sizes)
        here = np.flatnonzero(np.repeat(np.isin(np.arange(len(sizes)), rows),
                                        np.diff(whole.calls.offsets)))  # fmt: skip
        calls, own = whole.calls, trace.calls
        for column in ("region", "enter", "leave", "path", "kept"):
            expected = getattr(calls, column)[here]
            np.testing.assert_array_equal(getattr(own, column), expected)
        expected = places_among(here, calls.completes[here])
        np.testing.assert_array_equal(own.completes, expected)
        messages, sent = trace.messages, np.isin(whole.messages.sender, rows)
        np.testing.assert_array_equal(messages.size, whole.messages.size[sent])
        for column in ("send_call", "receive_call", "completion_call"):
            expected = places_among(here, getattr(whole.messages, column)[sent])
            np.testing.assert_array_equal(getattr(messages, column), expected)


def test_many_parts_take_few_open_files(tmp_path: Path) -> None:
    path, whole = traces.real_path("sp-rowcol-6x4"), traces.read_real("sp-rowcol-6x4")
    read_in_parts(path, 2, tmp_path)  # what is loaded now stays open
    (tmp_path / "many").mkdir()
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    columns = len(list((tmp_path / COLUMNS).glob("*.npy")))  # the trace maps them all
    few = len(list(Path("/proc/self/fd").iterdir())) + columns + 12
    resource.setrlimit(resource.RLIMIT_NOFILE, (few, limits[1]))
    try:
        found = read_in_parts(path, 24, tmp_path / "many")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert_same(found, whole)


def test_damaged_files_are_told_as_by_one_reader(tmp_path: Path) -> None:
    anchor = damaged(tmp_path)
    from topoview.worker import open_trace

    whole = open_trace(anchor)
    assert whole.health is not None
    assert whole.health.damaged_files > 1
    for count in PARTS:
        folder = tmp_path / str(count)
        folder.mkdir()
        assert_same(read_in_parts(anchor, count, folder), whole)


def damaged(folder: Path) -> Path:
    """Unpack a trace, and cut, empty or remove some of its files."""
    anchor = find_anchor(traces.real_path("ez-cg-8"), folder, silent).file
    files = sorted(anchor.with_suffix("").glob("*.evt"))
    files[1].write_bytes(files[1].read_bytes()[:-700])
    files[3].write_bytes(b"")
    files[4].unlink()
    data = bytearray(files[6].read_bytes())
    data[len(data) // 2 :: 97] = bytes(len(data[len(data) // 2 :: 97]))
    files[6].write_bytes(data)
    return anchor


def test_a_trace_without_ranks_is_one_part() -> None:
    """Such as one whose locations are all of accelerators."""
    defined = cast("DefinedTrace", SimpleNamespace(ranks=0))
    assert cut_ranks(defined, 3) == [(0, 0)]
