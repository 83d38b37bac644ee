"""Event records of an archive that is written, before they are in order."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from topoview.model import Bytes, Ints


class Kind(IntEnum):
    """Kinds of event records that are written."""

    ENTER = 0
    LEAVE = 1
    MEASUREMENT = 2
    SEND = 3
    ISEND = 4
    ISEND_COMPLETE = 5
    RECEIVE_REQUEST = 6
    RECEIVE = 7
    IRECEIVE = 8
    COLLECTIVE_BEGIN = 9
    COLLECTIVE_END = 10
    PROGRAM_BEGIN = 11
    PROGRAM_END = 12
    METRIC = 13
    RMA_COLLECTIVE_END = 14
    RMA_GROUP_SYNC = 15
    RMA_REQUEST_LOCK = 16
    RMA_RELEASE_LOCK = 17
    RMA_PUT = 18
    RMA_GET = 19
    RMA_OP_COMPLETE = 20
    THREAD_FORK = 21
    THREAD_JOIN = 22
    THREAD_TEAM_BEGIN = 23
    THREAD_TEAM_END = 24


KIND_OF_WINDOW_RECORD = {
    "RmaCollectiveEnd": Kind.RMA_COLLECTIVE_END,
    "RmaGroupSync": Kind.RMA_GROUP_SYNC,
    "RmaRequestLock": Kind.RMA_REQUEST_LOCK,
    "RmaReleaseLock": Kind.RMA_RELEASE_LOCK,
    "RmaPut": Kind.RMA_PUT,
    "RmaGet": Kind.RMA_GET,
    "RmaOpCompleteBlocking": Kind.RMA_OP_COMPLETE,
}
"""One-sided records that are written, by OTF2's name."""


KIND_OF_TEAM_RECORD = {
    "ThreadFork": Kind.THREAD_FORK,
    "ThreadJoin": Kind.THREAD_JOIN,
    "ThreadTeamBegin": Kind.THREAD_TEAM_BEGIN,
    "ThreadTeamEnd": Kind.THREAD_TEAM_END,
}
"""Records of teams of threads, by OTF2's name."""


class Turn(IntEnum):
    """What comes first of the records that a location has at one time."""

    PROGRAM_BEGIN = 0
    LEAVE_REGION = 1
    MEASUREMENT_ON = 2
    CALL = 3
    MEASUREMENT_OFF = 4
    ENTER_REGION = 5
    METRIC = 6
    TEAM = 7
    PROGRAM_END = 8


DETAILS = 6
"""Most arguments that a record has besides its time."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Records of one kind.

    Attributes
    ----------
    kind, turn
        What they are, and when they have their turn.
    row, time : int64, shape (records,)
        Location's row, and time in ticks.
    place : int64, shape (records, 3)
        Order among those of the same row, time and turn; see `CallOrder`.
    details : int64, shape (records, DETAILS)
        Arguments in the order of OTF2's function; unused ones are 0.
    """

    kind: Kind
    turn: Turn
    row: Ints
    time: Ints
    place: Ints
    details: Ints


def block(
    kind: Kind,
    turn: Turn,
    at: tuple[Ints, Ints],
    place: Ints | None = None,
    details: tuple[NDArray[np.integer] | int, ...] = (),
) -> Block:
    """Make a block; `at` is the rows and the times."""
    row, time = at
    columns = np.zeros((len(row), DETAILS), np.int64)
    for i, detail in enumerate(details):
        columns[:, i] = detail
    if place is None:
        place = np.zeros((len(row), 3), np.int64)
    return Block(kind, turn, row, time, place, columns)


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Records of all locations, in order.

    Attributes
    ----------
    offsets : int64, shape (rows + 1,)
        Row ``r`` owns the records ``offsets[r]`` to ``offsets[r + 1]``.
    kind : uint8, shape (records,)
    time : int64, shape (records,)
    details : int64, shape (records, DETAILS)
    """

    offsets: Ints
    kind: Bytes
    time: Ints
    details: Ints

    @property
    def numbers(self) -> Ints:
        """Number of records of each row."""
        return np.diff(self.offsets)


def in_order(blocks: list[Block], rows: int) -> Records:
    """Put records in order, row after row."""
    lengths = [len(b.row) for b in blocks]
    kind = np.repeat(np.array([b.kind for b in blocks], np.uint8), lengths)
    turn = np.repeat(np.array([b.turn for b in blocks], np.uint8), lengths)
    row = np.concatenate([b.row for b in blocks])
    time = np.concatenate([b.time for b in blocks])
    place = np.concatenate([b.place for b in blocks])
    details = np.concatenate([b.details for b in blocks])
    order = np.lexsort((place[:, 2], place[:, 1], place[:, 0], turn, time, row))
    number = np.bincount(row, minlength=rows)
    offsets = np.concatenate([[0], np.cumsum(number, dtype=np.int64)])
    return Records(offsets, kind[order], time[order], details[order])
