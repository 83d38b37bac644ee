"""Columns that decoding fills: how large they are, and where each row's part is.

Gaps between these are taken out in the end. There is one where a location needed less
room than was counted: intervals merge, MPI calls nest, or a partner is unknown.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from topoview.base.threads import in_threads
from topoview.grouping import run_offsets
from topoview.io.decoder.library import (
    ATTRIBUTED,
    CALLS,
    EARLIER_RECEIVES,
    EARLIER_SENDS,
    EXTRA,
    FURTHER_WORDS,
    KINDS,
    RECEIVED,
    VALUES,
    Columns,
    address,
    load_decoder,
)
from topoview.io.record_types import (
    ATTRIBUTES,
    BUFFER_FLUSH,
    COLLECTIVE_COMPLETE,
    COLLECTIVE_END,
    COLLECTIVE_REQUEST,
    CONTEXT_ENTER,
    CONTEXT_LEAVE,
    ENTER,
    IMRECV,
    IMRECV_REQUEST,
    IRECV,
    IRECV_REQUEST,
    ISEND,
    ISEND_COMPLETE,
    LEAVE,
    MEASUREMENT,
    METRIC,
    MRECV,
    PROBE,
    RECORDS,
    RECV,
    SEND,
)
from topoview.model import Indices, Ints
from topoview.store.arrays import Allocate

ATTRIBUTE_FIELDS: Final = ("attribute", "type", "value", "record")
"""Fields of attributes; the last is the number of the event's type of record."""
METRIC_FIELDS: Final = ("metric", "place", "type", "value")
PARENT_FIELDS: Final = ("communicator",)
"""Of the records of what makes communicators: the number of that it is made from."""

_ALWAYS: Final = 1  # before the first event
_INTERVALS_A_FLUSH: Final = 2  # that, and the rest of the interval around it
_STATES: Final = (ENTER, LEAVE, CONTEXT_ENTER, CONTEXT_LEAVE, MEASUREMENT)
_SENDS: Final = (SEND, ISEND, EARLIER_SENDS)
_RECEIVES: Final = (RECV, IRECV, IRECV_REQUEST, PROBE, EARLIER_RECEIVES)
_PARTS: Final = (COLLECTIVE_END, COLLECTIVE_REQUEST, COLLECTIVE_COMPLETE)
_IN_COLUMNS: Final = frozenset(
    {
        *_STATES, *_SENDS, *_RECEIVES, *_PARTS, ISEND_COMPLETE, MRECV,
        IMRECV_REQUEST, IMRECV,
    } - {MEASUREMENT, CONTEXT_ENTER}
)  # fmt: skip
"""Types of records that intervals, calls, messages and collectives are made of."""


def place_of_records(kind: int) -> int:
    """Return where the further records of a type are among those of a trace."""
    return ATTRIBUTED if kind == ATTRIBUTES else kind


class Column(NamedTuple):
    """A column: its name among the decoder's, in the trace, and its type."""

    field: str
    name: str
    dtype: DTypeLike
    scratch: bool = False


INTERVALS, CALL_TABLE, SENDS, RECEIVES, PARTS = range(5)
"""Tables, by their number in the decoder."""

TABLES: Final = (
    (
        Column("time", "timeline.time", np.int64),
        Column("state", "timeline.state", np.uint8),
        Column("region", "timeline.region", np.int32),
    ),
    (
        Column("call_region", "calls.region", np.int32),
        Column("enter", "calls.enter", np.int64),
        Column("leave", "calls.leave", np.int64),
        Column("completes", "calls.completes", np.int64),
        Column("call_path", "calls.path", np.int32),
        Column("call_kept", "calls.kept", np.uint8),
    ),
    (
        Column("sender", "messages.sender", np.int32),
        Column("receiver", "messages.receiver", np.int32),
        Column("size", "messages.size", np.int64),
        Column("tag", "messages.tag", np.int32),
        Column("communicator", "messages.communicator", np.int32),
        Column("send_call", "messages.send_call", np.int64),
        Column("receive_call", "messages.receive_call", np.int64),
        Column("completion_call", "messages.completion_call", np.int64),
        Column("send_completion", "messages.send_completion_call", np.int64),
        Column("send_time", "messages.send_time", np.int64),
        Column("receive_time", "messages.receive_time", np.int64),
    ),
    (Column("receives", "receives", RECEIVED, True),),
    (
        Column("part_call", "collectives.call", np.int64),
        Column("part_communicator", "collectives.communicator", np.int32),
        Column("part_operation", "collectives.operation", np.uint8),
        Column("part_root", "collectives.root", np.int32),
        Column("part_sent", "collectives.sent", np.int64),
        Column("part_received", "collectives.received", np.int64),
        Column("part_completion", "collectives.completion_call", np.int64),
    ),
)
COLUMNS: Final = {
    column.name: np.dtype(column.dtype)
    for table in TABLES
    for column in table
    if not column.scratch
}
"""Types of the columns of a trace, but those of further records."""
_POSTED: Final = Column("posted", "receives.posted", np.int64, True)

_CALLS_IN: Final = (
    ("calls.completes", CALL_TABLE),
    ("messages.send_call", SENDS),
    ("messages.send_completion_call", SENDS),
    ("receives.call", RECEIVES),
    ("receives.post", RECEIVES),
    ("collectives.call", PARTS),
    ("collectives.completion_call", PARTS),
)
"""Columns that hold indices of calls."""


class Layout:
    """How many rows of each table each location can need.

    Parameters
    ----------
    locations : shape (rows,)
        As they were counted.
    beginning : int64, shape (rows,)
        Time that is 0. A location that begins then is in no state before.
    """

    def __init__(self, locations: NDArray[np.void], beginning: Ints) -> None:
        library, rows = load_decoder(), len(locations)
        totals = np.zeros(KINDS, np.int64)
        library.totals(address(locations), rows, address(totals))

        def of(*wanted: int) -> Ints:
            """Count the records of some types in each row."""
            marks, sums = np.zeros(KINDS, np.uint8), np.zeros(rows, np.int64)
            marks[list(wanted)] = 1
            if totals[list(wanted)].any():
                library.tally(address(locations), rows, address(marks), address(sums))
            return sums

        needed = np.zeros((len(TABLES), rows + 1), np.int64)
        is_first = (locations["first"] == beginning) & (locations["chunk_count"] > 0)
        needed[INTERVALS, 1:] = _ALWAYS + of(*_STATES, EXTRA) - is_first
        needed[INTERVALS, 1:] += _INTERVALS_A_FLUSH * of(BUFFER_FLUSH)
        for table, wanted in enumerate(((CALLS,), _SENDS, _RECEIVES, _PARTS), 1):
            needed[table, 1:] = of(*wanted)
        further: dict[int, Ints] = {}
        for kind in np.flatnonzero(totals).tolist():
            table = ATTRIBUTES if kind == ATTRIBUTED else kind
            if table == ATTRIBUTES or (kind in RECORDS and kind not in _IN_COLUMNS):
                sizes = of(VALUES) if kind == METRIC else of(kind)
                further.setdefault(table, np.zeros(rows + 1, np.int64))[1:] = sizes
        ended = of(COLLECTIVE_END, COLLECTIVE_COMPLETE)
        if ended.any():
            further[COLLECTIVE_END] = np.append(0, ended)
        self._totals = totals[:CALLS]
        self.messages: Ints = needed[SENDS, 1:] + needed[RECEIVES, 1:]
        """int64, shape (rows,): records of messages of each location."""
        self.offsets: Ints = np.cumsum(needed, axis=1)
        """int64, shape (tables, rows + 1): where the part of each location begins."""
        kinds = sorted(further, key=place_of_records)
        self.further = {kind: np.cumsum(further[kind]) for kind in kinds}
        """dict of int64, shape (rows + 1,): the same for the tables of further
        records, by type."""
        self.completed = int(of(RECV, IRECV, PROBE, EARLIER_RECEIVES).sum())

    def totals(self) -> dict[int, int]:
        """Events of each type."""
        kinds = np.flatnonzero(self._totals)
        return dict(zip(kinds.tolist(), self._totals[kinds].tolist(), strict=True))

    def several(self, rank: Indices) -> bool:
        """Return whether several rows of a rank sent or received messages."""
        busy = self.messages > 0
        return len(np.unique(rank[busy])) < int(np.count_nonzero(busy))


class Offsets(NamedTuple):
    """Where each row's part of the columns begins, once there are no gaps."""

    main: list[Ints]
    further: dict[int, Ints]


class Blocks:
    """The columns while they are filled.

    Parameters
    ----------
    several
        Keep when receives were posted.
    """

    def __init__(self, layout: Layout, allocate: Allocate, several: bool) -> None:
        self.layout = layout
        self.filled: Ints = layout.offsets[:, :-1].copy()
        self.columns: dict[str, NDArray[Any]] = {}
        """Arrays by their names in the trace."""
        self.fields = Columns()
        self._names: list[list[str]] = []
        for table, columns in enumerate(TABLES):
            size = int(layout.offsets[table, -1])
            size += layout.completed if table == SENDS else 0
            columns += (_POSTED,) * (several and table == RECEIVES)
            self._names.append([column.name for column in columns])
            for column in columns:
                array = allocate(
                    column.name, max(size, 1), column.dtype, scratch=column.scratch
                )
                self.columns[column.name] = array
                setattr(self.fields, column.field, address(array))
            self.fields.offsets[table] = address(layout.offsets[table])
            self.fields.filled[table] = address(self.filled[table])
        self.part_receives()
        self.further = np.zeros((256, FURTHER_WORDS), np.int64)
        """`fields` and `further`: what the decoder is told of them."""
        self._ends: dict[int, Ints] = {}
        self._widths: dict[int, int] = {}
        for kind, offsets in layout.further.items():
            width = _width(kind)
            total = max(int(offsets[-1]), 1)
            times = allocate(f"further.{kind}.time", total, np.int64)
            fields = allocate(f"further.{kind}.fields", total * max(width, 1), np.int64)
            self._ends[kind], self._widths[kind] = offsets[:-1].copy(), width
            arrays = times, fields, offsets, self._ends[kind]
            self.further[kind] = [address(array) for array in arrays]
            self.columns[f"further.{kind}.time"] = times
            self.columns[f"further.{kind}.fields"] = fields

    def part_receives(self) -> None:
        """Show the fields of receives as columns."""
        receives = self.columns["receives"]
        names = RECEIVED.names or ()
        self.columns |= {f"receives.{name}": receives[name] for name in names}

    def squeeze(self) -> Offsets:
        """Close the gaps, and shorten the columns to what is filled.

        Room that messages have for receives without a send is left, and receives are
        where they were: see `Receives`.
        """
        columns = self.columns
        begins = self.layout.offsets[:, :-1]
        sizes = self.filled - begins
        offsets = [run_offsets(row) for row in sizes]
        moved = begins[CALL_TABLE] - offsets[CALL_TABLE][:-1]
        if moved.any():
            for name, table in _CALLS_IN:
                column = columns[name]
                load_decoder().follow(
                    address(column), column.strides[0], address(begins[table]),
                    address(sizes[table]), address(moved), len(moved),
                )  # fmt: skip
        work = []
        for table, names in enumerate(self._names):
            if table == RECEIVES:
                continue
            for name in names:
                work += _gathering(columns[name], begins[table], sizes[table], 1)
                if table != SENDS:
                    columns[name] = columns[name][: offsets[table][-1]]
        further = {}
        for kind, ends in self._ends.items():
            here = self.layout.further[kind][:-1]
            rows = run_offsets(ends - here)
            for name, width in (("time", 1), ("fields", self._widths[kind])):
                title = f"further.{kind}.{name}"
                work += _gathering(columns[title], here, ends - here, width)
                columns[title] = columns[title][: rows[-1] * width]
            if kind != COLLECTIVE_END or rows[-1]:  # most ends make no communicator
                further[kind] = rows
        in_threads(work)
        return Offsets(offsets, further)

    def squeeze_receives(self, parts: Ints) -> Ints:
        """Close the gaps between receives; return where each row's begin."""
        begins = parts[:, 0]
        sizes = parts[:, 1] - begins
        offsets = run_offsets(sizes)
        work = []
        for name in self._names[RECEIVES]:
            work += _gathering(self.columns[name], begins, sizes, 1)
            self.columns[name] = self.columns[name][: offsets[-1]]
        in_threads(work)
        self.part_receives()
        return offsets


class Receives:
    """Where the receives of each row are; at first with gaps between the rows.

    There is room for each that was posted and each that completed, twice as much as
    most programs need; if all are matched nobody looks at them again.
    """

    def __init__(self, blocks: Blocks) -> None:
        begins, ends = blocks.layout.offsets[RECEIVES, :-1], blocks.filled[RECEIVES]
        self._blocks = blocks
        self.parts: Ints = np.stack([begins, ends], axis=1)
        """int64, shape (rows, 2): where those of each row begin and end."""

    @property
    def count(self) -> int:
        """How many there are."""
        return int(np.sum(self.parts[:, 1] - self.parts[:, 0]))

    def squeeze(self) -> Ints:
        """Close the gaps, and shorten the columns to what is filled.

        Returns
        -------
        int64, shape (rows + 1,)
            Where each row's part begins.
        """
        offsets = self._blocks.squeeze_receives(self.parts)
        self.parts = np.stack([offsets[:-1], offsets[1:]], axis=1)
        return offsets


SPECIAL_FIELDS: Final = {
    METRIC: METRIC_FIELDS,
    ATTRIBUTES: ATTRIBUTE_FIELDS,
    COLLECTIVE_END: PARENT_FIELDS,
}
"""Fields of further records that are not those of the file."""


def _width(kind: int) -> int:
    """Fields of a table of further records."""
    special = SPECIAL_FIELDS.get(kind)
    return len(RECORDS[kind].fields if special is None else special)


def _gathering(
    column: NDArray[Any], begins: Ints, sizes: Ints, width: int
) -> list[Callable[[], None]]:
    """Return the tasks that take the gaps out of a column, if it has any."""
    if not (begins[1:] != (begins + sizes)[:-1]).any():
        return []
    row = width * column.itemsize
    return [partial(gather, column, column, begins * row, sizes * row)]


def gather(to: NDArray[Any], column: NDArray[Any], begins: Ints, sizes: Ints) -> None:
    """Move parts of a column together, to the begin of another or its own.

    Parameters
    ----------
    begins, sizes : int64
        In bytes.
    """
    arrays = (np.ascontiguousarray(array, np.int64) for array in (begins, sizes))
    first, many = arrays
    load_decoder().gather(
        address(to), address(column), address(first), address(many), len(first)
    )
