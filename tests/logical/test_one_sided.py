"""One-sided calls have directions, and say which window; files say which file."""

import dataclasses
from dataclasses import replace

import numpy as np
import pytest
from parts import logical_in_parts, logicalise
from programs import Step, trace_of

from topoview.logical import expand
from topoview.logical.calls.one_sided import moved_by_files, one_sided
from topoview.logical.calls.partners import Naming
from topoview.logical.listing import listing
from topoview.model import (
    EventRecords,
    IdentifierNames,
    LogicalTrace,
    Match,
    Trace,
    whole_part,
)
from topoview.topology import directions, lattice

RANKS = 8

Reach = tuple[int, int, tuple[int, ...]]
"""Rank, index among its calls, and the values of the call's record."""


def with_records(
    trace: Trace, kinds: dict[str, tuple[tuple[str, ...], list[Reach]]]
) -> Trace:
    """Add records, one in the middle of each call."""
    further = []
    for name, (fields, rows) in kinds.items():
        rows = sorted(rows)
        counts = np.bincount([rank for rank, *_ in rows], minlength=trace.ranks)
        calls = [trace.calls.offsets[rank] + index for rank, index, _ in rows]
        further.append(
            EventRecords(
                name,
                fields,
                np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
                trace.calls.enter[calls] + 1,
                np.array([values for *_, values in rows], np.int64),
            )
        )
    return replace(trace, further=tuple(further))


def ring_of(trace: Trace, periodic: bool = True) -> LogicalTrace:
    """Write the logical trace: of parts of the ranks it is the same."""
    none = np.zeros((0, 2), np.int32)
    ranks = np.arange(RANKS, dtype=np.int32)
    match = Match(lattice((RANKS,), (periodic,)), ranks, 0, none, none, 1.0, 1.0)
    found = logicalise(trace, directions(match), match=match)
    parts = logical_in_parts(trace, 3, Naming(directions(match), match))
    assert listing(parts) == listing(found)
    return found


def program(names: list[str], turns: int = 5) -> list[list[Step]]:
    return [[Step(name) for _ in range(turns) for name in names] for _ in range(RANKS)]


FIELDS = ("window", "remote", "bytes", "matching")


def test_puts_and_gets_have_directions_and_bytes() -> None:
    trace = trace_of(program(["Put", "Get", "Win_fence"]))
    calls = [(r, i) for r in range(RANKS) for i in range(15)]
    puts = [(r, i, (7, (r + 1) % RANKS, 64, 0)) for r, i in calls if i % 3 == 0]
    gets = [(r, i, (7, (r - 1) % RANKS, 32, 0)) for r, i in calls if i % 3 == 1]
    syncs = [(r, i, (7,)) for r, i in calls if i % 3 == 2]
    kinds = {
        "RmaPut": (FIELDS, puts),
        "RmaGet": (FIELDS, gets),
        "RmaGroupSync": (("window",), syncs),
    }
    names = (IdentifierNames("RMA window", np.array([7]), ("halo",)),)
    logical = ring_of(replace(with_records(trace, kinds), names=names))
    assert listing(logical).splitlines()[-4:] == [
        "repeat 5:",
        "    Put to EAST 64 B (window halo)",
        "    Get from WEST 32 B (window halo)",
        "    Win_fence (window halo)",
    ]
    assert logical.ranks_verified == RANKS
    assert (logical.calls_excluded, logical.bytes_excluded) == (0, 0)
    assert expand(logical, 2)[:3] == [
        ("Put", 3, 64, None),
        ("Get", None, 32, 1),
        ("Win_fence", None, None, None),
    ]


def test_what_goes_and_comes_in_one_call_says_both() -> None:
    trace = trace_of(program(["Win_lock", "Fetch_and_op", "Win_unlock"]))
    fields = ("window", "remote", "type", "bytes_sent", "bytes_received", "matching")
    lock = ("window", "remote", "lock", "type")
    calls = [(r, i, (r + 1) % RANKS) for r in range(RANKS) for i in range(15)]
    kinds = {
        "RmaAtomic": (
            fields,
            [(r, i, (0, to, 1, 8, 8, 0)) for r, i, to in calls if i % 3 == 1],
        ),
        "RmaRequestLock": (
            lock,
            [(r, i, (0, to, 0, 0)) for r, i, to in calls if i % 3 == 0],
        ),
        "RmaReleaseLock": (
            lock[:3],
            [(r, i, (0, to, 0)) for r, i, to in calls if i % 3 == 2],
        ),
    }
    logical = ring_of(with_records(trace, kinds))
    assert listing(logical).splitlines()[-4:] == [
        "repeat 5:",
        "    Win_lock to EAST (window)",
        "    Fetch_and_op to EAST, from EAST 8 B (window)",
        "    Win_unlock to EAST (window)",
    ]
    assert logical.ranks_verified == RANKS


def test_a_window_of_some_ranks_numbers_them_itself() -> None:
    """Windows of the upper and lower half: target 0 of each is another rank."""
    halves = [[3, 2, 1, 0], [4, 5, 6, 7]]
    steps = program(["Win_create", "Put"], 1)
    trace = trace_of(steps, communicators=halves)
    made = [(r, 0, (r // 4,)) for r in range(RANKS)]
    puts = [(r, 1, (r // 4, 0, 16, 0)) for r in range(RANKS) if r not in (3, 4)]
    kinds = {"RmaWinCreate": (("window",), made), "RmaPut": (FIELDS, puts)}
    logical = ring_of(with_records(trace, kinds), periodic=False)
    for rank in range(RANKS):
        reached = [to for name, to, *_ in expand(logical, rank) if name == "Put"]
        wanted = [] if rank in (3, 4) else [halves[rank // 4][0]]
        assert reached == wanted
    assert logical.ranks_verified == RANKS
    assert "2 calls with MPI_PROC_NULL sent nothing" in listing(logical)


@pytest.mark.parametrize("name", ["out.dat", ""])
def test_files_are_named(name: str) -> None:
    trace = trace_of(program(["File_write_all", "Barrier"]))
    begun = [(r, i, (3, 0, 0, 100, 0)) for r in range(RANKS) for i in range(0, 10, 2)]
    fields = ("handle", "mode", "flags", "bytes", "matching")
    names = (IdentifierNames("I/O handle", np.array([3]), (name,)),)
    made = with_records(trace, {"IoOperationBegin": (fields, begun)})
    logical = ring_of(replace(made, names=names))
    assert listing(logical).splitlines()[-3:] == [
        "repeat 5:",
        f"    File_write_all ({f'file {name}'.strip()})",
        "    Barrier",
    ]


def test_sockets_that_mpi_sends_through_are_no_files_of_the_program() -> None:
    """EZTrace records what MPI itself reads and writes: of each rank another socket."""
    trace = trace_of(program(["Barrier"]))
    begun = [(r, i, (10 + r, 0, 0, 100, 0)) for r in range(RANKS) for i in range(5)]
    fields = ("handle", "mode", "flags", "bytes", "matching")
    logical = ring_of(with_records(trace, {"IoOperationBegin": (fields, begun)}))
    assert listing(logical).splitlines()[-2:] == ["repeat 5:", "    Barrier"]


def test_records_in_a_trace_without_calls_reach_nothing() -> None:
    """One damaged byte can leave no call defined."""
    trace = trace_of(program(["Put", "Get", "File_read"]))
    calls = [(r, i) for r in range(RANKS) for i in range(3)]
    handle = ("handle", "bytes")
    kinds = {
        "RmaPut": (FIELDS, [(r, i, (7, 1, 8, 0)) for r, i in calls]),
        "RmaRequestLock": (("window", "remote"), [(r, i, (7, 1)) for r, i in calls]),
        "IoOperationBegin": (handle, [(r, i, (3, 8)) for r, i in calls]),
    }
    full = with_records(trace, kinds)
    columns = {
        f.name: getattr(full.calls, f.name)[:0] for f in dataclasses.fields(full.calls)
    }
    columns["offsets"] = np.zeros_like(full.calls.offsets)
    none = np.zeros(0, np.int64)
    bare = replace(full, calls=type(full.calls)(**columns))
    found = one_sided(whole_part(bare), none)
    assert (len(found.moves.size), len(found.keys), len(found.place)) == (0, 0, 0)
    assert len(moved_by_files(bare, none)) == 0
