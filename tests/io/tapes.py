"""Tapes of events made by hand, and what replaying them gives."""

from typing import Any, NamedTuple

import numpy as np
from otf2_reader import callbacks as kinds
from otf2_reader.columns import (
    CALLS,
    INTERVALS,
    RECORDS,
    UNBALANCED,
    Columns,
    make_columns,
)
from otf2_reader.paths import make_tree, paths_of
from otf2_reader.replay import begin, copy_records, end, replay
from otf2_reader.requests import resolve_requests

from topoview.io.definitions.regions import RegionLookup
from topoview.model import MPIState

# Regions by number: user code, then MPI calls.
MAIN, SOLVE, SEND, RECV, IRECV, ISEND, WAIT = range(7)
STATE = np.array(
    [
        MPIState.COMPUTE, MPIState.COMPUTE, MPIState.SEND, MPIState.RECEIVE,
        MPIState.RECEIVE, MPIState.SEND, MPIState.WAIT,
    ],
    np.uint8,
)  # fmt: skip
OPERATION = np.array([-1, -1, 0, 1, 2, 3, 4], np.int32)


def meaning(sparse: bool = False) -> RegionLookup:
    """Regions 0 to 6; with `sparse`, their identifiers are far apart."""
    step = 1 << 20 if sparse else 1
    numbers = np.arange(len(STATE), dtype=np.int32)
    direct = np.zeros(0, np.int32) if sparse else numbers
    state, operation = STATE.copy(), OPERATION.copy()
    for array in (state, operation):
        array.flags.writeable = False
    return RegionLookup(
        (numbers * step).astype(np.uint32),
        numbers,
        direct,
        np.zeros(0, np.int32),
        state,
        operation,
    )


def write(events: list[tuple[Any, ...]]) -> np.ndarray:
    """Write (kind, time, reference, comm, tag, size, received, request)."""
    tape = kinds.make_tape(len(events))
    at = kinds.HEADER
    for kind, time, reference, *more in events:
        tape[at], tape[at + 1] = time, kind << 32 | reference
        if kind >= kinds.SEND:
            comm, tag, size, received, request = (*more, *(0,) * 5)[:5]
            tape[at + 2 : at + 6] = (comm << 32 | tag, size, received, request)
            at += kinds.LONG
        else:
            at += kinds.SHORT
    tape[0] = at
    return tape


class Row(NamedTuple):
    """What one location's events became."""

    time: list[int]
    state: list[int]
    region: list[int]
    calls: list[tuple[int, int, int]]
    completes: list[int]
    columns: Columns
    records: int
    unbalanced: int
    paths: list[list[int]]
    kept: list[int]


def run(
    events: list[tuple[Any, ...]],
    *,
    batches: int = 1,
    idle: int = MPIState.COMPUTE,
    flat: bool = False,
    sparse: bool = False,
) -> Row:
    """Replay one location's events, in some number of tapes."""
    columns, cursor = make_columns(len(events), 1)
    stack = np.zeros(len(events) + 1, np.int32)
    tree = make_tree()
    begin(columns, cursor)
    for part in np.array_split(np.arange(len(events)), batches):
        tape = write([events[i] for i in part])
        record = int(cursor[RECORDS])
        replay(
            tape, columns, cursor, stack, meaning(sparse), tree, np.uint8(idle), flat
        )
        copy_records(tape, columns, record)
    if events:
        end(columns, cursor, np.uint64(max(event[1] for event in events)))
    resolve_requests(columns, cursor, 0)
    paths, _ = paths_of(tree)
    n, calls = cursor[INTERVALS], cursor[CALLS]
    return Row(
        columns.time[:n].tolist(),
        columns.state[:n].tolist(),
        columns.region[:n].tolist(),
        list(
            zip(
                columns.call_region[:calls].tolist(),
                columns.enter[:calls].tolist(),
                columns.leave[:calls].tolist(),
                strict=True,
            )
        ),
        columns.completes[:calls].tolist(),
        columns,
        int(cursor[RECORDS]),
        int(cursor[UNBALANCED]),
        [list(paths.regions_of(path)) for path in columns.path[:calls].tolist()],
        columns.kept[:calls].tolist(),
    )
