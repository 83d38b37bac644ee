"""Columns that reading fills: intervals, calls, records of messages.

The columns of all locations are filled one location after the other. They are
allocated for as many rows as there can be, judged by the files' chunk headers;
memory that is never written to costs nothing.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.io.definitions.regions import Identifiers
from topoview.model import Bytes, Indices, Ints

Requests = NDArray[np.uint64]


class Columns(NamedTuple):
    """Columns of all locations; `Cursor` says how far they are filled.

    Attributes
    ----------
    time, state, region
        Intervals, as in `topoview.model.Timeline`, times as in the files.
    call_region, enter, leave, completes, path, kept
        MPI calls, as in `topoview.model.Calls`.
    kind : uint8
        Records of messages and collectives: the tape's kind.
    when, call : int64
        Time, and index of the call that it was recorded in.
    partner, communicator, tag : uint32
        As in the file: rank in the communicator, its identifier, tag (of a
        collective: its operation).
    size, received : int64
        Bytes.
    request : uint64
        Identifier of the request.
    post : int64
        Index of the record that posted the request which this one completes;
        its own where there is none.
    """

    time: Ints
    state: Bytes
    region: Indices
    call_region: Indices
    enter: Ints
    leave: Ints
    completes: Ints
    path: Indices
    kept: Bytes
    kind: Bytes
    when: Ints
    call: Ints
    partner: Identifiers
    communicator: Identifiers
    tag: Identifiers
    size: Ints
    received: Ints
    request: Requests
    post: Ints


# How far the columns are filled, and where the location is.
INTERVALS: Final = 0
CALLS: Final = 1
RECORDS: Final = 2
DEPTH: Final = 3
OPEN_LEVEL: Final = 4
OPEN_CALL: Final = 5
NOW: Final = 6
OFF: Final = 7
ROW_INTERVAL: Final = 8
ROW_CALL: Final = 9
UNBALANCED: Final = 10
ASTRAY: Final = 11
KNOWN: Final = 12
_CURSOR: Final = 13

BEFORE: Final = -1
"""Time of each row's first interval until the trace's beginning is known."""


def make_columns(events: int, rows: int) -> tuple[Columns, Ints]:
    """Make columns for at most `events` events of `rows` locations, and a cursor."""
    intervals = events + 2 * rows
    count = {"time": intervals, "state": intervals, "region": intervals}
    columns = Columns(
        **{
            name: np.empty(count.get(name, events), dtype)
            for name, dtype in _DTYPES.items()
        }
    )
    return columns, np.zeros(_CURSOR, np.int64)


_DTYPES: Final = {
    "time": np.int64, "state": np.uint8, "region": np.int32,
    "call_region": np.int32, "enter": np.int64, "leave": np.int64,
    "completes": np.int64, "path": np.int32, "kept": np.uint8, "kind": np.uint8,
    "when": np.int64, "call": np.int64,
    "partner": np.uint32, "communicator": np.uint32, "tag": np.uint32,
    "size": np.int64, "received": np.int64, "request": np.uint64, "post": np.int64,
}  # fmt: skip
