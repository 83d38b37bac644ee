"""Columns that decoding fills: how large they are, and where each row's part is."""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from topoview.io.decoder.attributes import ATTRIBUTE_FIELDS
from topoview.io.decoder.count import STATES
from topoview.io.decoder.counted import Counted
from topoview.io.decoder.frame import (
    ATTRIBUTED,
    CALLS,
    EARLIER_RECEIVES,
    EARLIER_SENDS,
    EXTRA,
    VALUES,
    Frame,
    address,
)
from topoview.io.decoder.further import METRIC_FIELDS
from topoview.io.decoder.place import RECEIVED
from topoview.io.record_types import (
    ATTRIBUTES,
    COLLECTIVE_COMPLETE,
    COLLECTIVE_END,
    COLLECTIVE_REQUEST,
    CONTEXT_ENTER,
    IMRECV,
    IMRECV_REQUEST,
    IRECV,
    IRECV_REQUEST,
    ISEND,
    ISEND_COMPLETE,
    MEASUREMENT,
    METRIC,
    MRECV,
    PROBE,
    RECORDS,
    RECV,
    SEND,
)
from topoview.model import Indices, Ints, distinct
from topoview.store.arrays import Allocate

_FROM: Final = RECEIVED.names or ()
_ALWAYS: Final = 1  # before the first event
_SENDS: Final = (SEND, ISEND, EARLIER_SENDS)
_RECEIVES: Final = (RECV, IRECV, IRECV_REQUEST, PROBE, EARLIER_RECEIVES)
_PARTS: Final = (COLLECTIVE_END, COLLECTIVE_REQUEST, COLLECTIVE_COMPLETE)
_IN_COLUMNS: Final = frozenset(
    {
        *STATES, *_SENDS, *_RECEIVES, *_PARTS, ISEND_COMPLETE, MRECV,
        IMRECV_REQUEST, IMRECV,
    } - {MEASUREMENT, CONTEXT_ENTER}
)  # fmt: skip
"""Types of records that intervals, calls, messages and collectives are made of."""


class Column(NamedTuple):
    """A column: its name in the frame, in the trace, and its type."""

    field: str
    name: str
    dtype: DTypeLike
    scratch: bool = False


class Table(NamedTuple):
    """A table: its fields of the frame, and its columns."""

    begin: str
    place: str
    limit: str
    columns: tuple[Column, ...]


_MESSAGES: Final = (
    ("sender", np.int32), ("receiver", np.int32), ("size", np.int64),
    ("tag", np.int32), ("communicator", np.int32), ("send_call", np.int64),
    ("receive_call", np.int64), ("completion_call", np.int64),
    ("send_time", np.int64), ("receive_time", np.int64),
)  # fmt: skip

INTERVALS: Final = Table(
    "first_interval", "interval", "interval_limit",
    (
        Column("time", "timeline.time", np.int64),
        Column("state", "timeline.state", np.uint8),
        Column("region", "timeline.region", np.int32),
    ),
)  # fmt: skip
CALL_TABLE: Final = Table(
    "first_call", "call", "call_limit",
    (
        Column("call_region", "calls.region", np.int32),
        Column("enter", "calls.enter", np.int64),
        Column("leave", "calls.leave", np.int64),
        Column("completed", "calls.completes", np.int64),
        Column("call_path", "calls.path", np.int32),
        Column("call_kept", "calls.kept", np.uint8),
    ),
)  # fmt: skip
SENDS: Final = Table(
    "send", "send", "send_limit",
    tuple(Column(name, f"messages.{name}", dtype) for name, dtype in _MESSAGES),
)  # fmt: skip
RECEIVES: Final = Table(
    "receive", "receive", "receive_limit",
    (Column("from", "receives", RECEIVED, True),),
)  # fmt: skip
PARTS: Final = Table(
    "part", "part", "part_limit",
    (
        Column("part_call", "collectives.call", np.int64),
        Column("part_communicator", "collectives.communicator", np.int32),
        Column("part_operation", "collectives.operation", np.uint8),
        Column("part_root", "collectives.root", np.int32),
        Column("part_sent", "collectives.sent", np.int64),
        Column("part_received", "collectives.received", np.int64),
    ),
)  # fmt: skip
TABLES: Final = (INTERVALS, CALL_TABLE, SENDS, RECEIVES, PARTS)
_POSTED: Final = Column("from_posted", "receives.posted", np.int64, True)


class Layout:
    """How many rows of each table each location can need.

    Parameters
    ----------
    beginning : int64, shape (rows,)
        Time that is 0. A location that begins then is in no state before.

    Attributes
    ----------
    offsets : int64, shape (tables, rows + 1)
        Where the part of each location begins, by `TABLES`.
    further : dict of int64, shape (rows + 1,)
        The same for the tables of further records, by type.
    messages : int64, shape (rows,)
        Records of messages of each location.
    """

    def __init__(self, counted: list[Counted], beginning: Ints) -> None:
        rows = len(counted)
        needed = np.zeros((len(TABLES), rows + 1), np.int64)
        further: dict[int, Ints] = {}
        self._totals: dict[int, int] = {}
        places = np.repeat(np.arange(rows), [len(found.kinds) for found in counted])
        kinds = np.concatenate([found.kinds for found in counted] or [places])
        counts = np.concatenate([found.counts for found in counted] or [places])

        def of(*wanted: int) -> Ints:
            """Count the records of some types in each row."""
            there = np.isin(kinds, wanted)
            sums = np.zeros(rows, np.int64)
            np.add.at(sums, places[there], counts[there])
            return sums

        is_first = np.array([found.first for found in counted], np.int64) == beginning
        is_first &= np.array([bool(found.chunks) for found in counted], np.bool_)
        needed[0, 1:] = _ALWAYS + of(*STATES, EXTRA) - is_first
        for table, wanted in enumerate(((CALLS,), _SENDS, _RECEIVES, _PARTS), 1):
            needed[table, 1:] = of(*wanted)
        for kind in distinct(kinds).tolist():
            here = of(kind)
            if kind < CALLS:
                self._totals[kind] = int(here.sum())
            table = ATTRIBUTES if kind == ATTRIBUTED else kind
            if table == ATTRIBUTES or (kind in RECORDS and kind not in _IN_COLUMNS):
                sizes = of(VALUES) if kind == METRIC else here
                further.setdefault(table, np.zeros(rows + 1, np.int64))[1:] = sizes
        self.messages: Ints = needed[2, 1:] + needed[3, 1:]
        self.offsets: Ints = np.cumsum(needed, axis=1)
        self.further = {kind: np.cumsum(sizes) for kind, sizes in further.items()}
        self.completed = int(of(RECV, IRECV, PROBE, EARLIER_RECEIVES).sum())

    def totals(self) -> dict[int, int]:
        """Events of each type."""
        return dict(sorted(self._totals.items()))

    def several(self, rank: Indices) -> bool:
        """Tell whether several rows of a rank sent or received messages."""
        busy = self.messages > 0
        return len(np.unique(rank[busy])) < int(np.count_nonzero(busy))


class Blocks:
    """The columns while they are filled.

    Parameters
    ----------
    loose
        Keep partners of receives as they are in the file.
    several
        Keep when receives were posted.
    """

    def __init__(
        self, layout: Layout, allocate: Allocate, loose: bool, several: bool
    ) -> None:
        self.layout = layout
        self.filled: Ints = layout.offsets[:, :-1].copy()
        self.further_filled = {
            kind: offsets[:-1].copy() for kind, offsets in layout.further.items()
        }
        self.columns: dict[str, NDArray[Any]] = {}
        self._names: dict[str, list[str]] = {}
        self._fields: dict[str, int] = {"from_posted": 0}
        totals = layout.offsets[:, -1].tolist()
        extra = {id(SENDS): layout.completed}
        for table, total in zip(TABLES, totals, strict=True):
            columns = table.columns
            if table is RECEIVES:
                columns += (_POSTED,) * several
            self._names[table.begin] = [column.name for column in columns]
            for column in columns:
                size = total + extra.get(id(table), 0)
                self._add(column, allocate, max(size, 1))
        self.part_receives()
        del self._fields["from"]
        self._fields |= {
            f"from_{name}": address(self.columns[f"receives.{name}"]) for name in _FROM
        }
        self._fields["from_local"] *= loose
        self._further: dict[int, tuple[NDArray[Any], NDArray[Any]]] = {}
        self.widths: dict[int, int] = {}
        for kind, offsets in layout.further.items():
            width = _width(kind)
            total = max(int(offsets[-1]), 1)
            times = allocate(f"further.{kind}.time", total, np.int64)
            fields = allocate(f"further.{kind}.fields", total * max(width, 1), np.int64)
            self._further[kind], self.widths[kind] = (times, fields), width
            self.columns[f"further.{kind}.time"] = times
            self.columns[f"further.{kind}.fields"] = fields

    def _add(self, column: Column, allocate: Allocate, size: int) -> None:
        array = allocate(column.name, size, column.dtype, scratch=column.scratch)
        self.columns[column.name] = array
        self._fields[column.field] = address(array)

    def part_receives(self) -> None:
        """Show the fields of receives as columns."""
        receives = self.columns["receives"]
        self.columns |= {f"receives.{name}": receives[name] for name in _FROM}

    def names(self, table: Table) -> list[str]:
        """Names of a table's columns."""
        return self._names[table.begin]

    def fields(self) -> dict[str, int]:
        """Fields of the frame that are the same for all locations."""
        return self._fields

    def place_further(self, table: Ints) -> None:
        """Say where the tables of further records are."""
        for kind, (times, fields) in self._further.items():
            table[kind, :2] = address(times), address(fields)

    def row(self, row: int) -> dict[str, int]:
        """Fields of the frame that say where a location's parts are."""
        fields = {}
        for number, table in enumerate(TABLES):
            begin, end = self.layout.offsets[number, row : row + 2].tolist()
            fields[table.begin] = fields[table.place] = begin
            fields[table.limit] = end
        return fields

    def further_row(self, table: Ints, row: int) -> None:
        """Say where a location's parts of the tables of further records are."""
        for kind, offsets in self.layout.further.items():
            table[kind, 2:] = offsets[row : row + 2]

    def take_stock(self, frame: Frame, further: Ints, row: int) -> None:
        """Note how far a location has filled its parts."""
        here = frame[0]
        for number, table in enumerate(TABLES):
            self.filled[number, row] = here[table.place]
        self.filled[0, row] += 1
        for kind, filled in self.further_filled.items():
            filled[row] = further[kind, 2]


def _width(kind: int) -> int:
    """Fields of a table of further records."""
    if kind == ATTRIBUTES:
        return len(ATTRIBUTE_FIELDS)
    return METRIC_FIELDS if kind == METRIC else len(RECORDS[kind].fields)


class Offsets(NamedTuple):
    """Where each row's part of the columns begins, once there are no gaps."""

    main: list[Ints]
    further: dict[int, Ints]
