"""Records of all locations, put together: messages and collectives."""

from typing import Final, NamedTuple

import numpy as np

from topoview.io import callbacks as tape_kinds
from topoview.io.columns import Columns
from topoview.io.communicators import Communicators
from topoview.io.matching import match_in_order
from topoview.model import Bools, Collectives, Indices, Ints, Messages

_FIRST_PSEUDO: Final = 17  # OTF2_COLLECTIVE_OP_CREATE_HANDLE and those after it
_PROC_NULL: Final = 0xFFFFFFFE


class Records(NamedTuple):
    """Records of the columns that are of the same sort.

    Attributes
    ----------
    at : int64, shape (n,)
        Their indices.
    rank : int32, shape (n,)
        Rank that recorded each.
    communicator : int32, shape (n,)
        Number of the communicator.
    partner : int32, shape (n,)
        Rank of the partner or root in the world; -1 if there is none.
    """

    at: Ints
    rank: Indices
    communicator: Indices
    partner: Indices


class Tally(NamedTuple):
    """What did not fit."""

    no_receive: int
    no_send: int
    unknown_partners: int
    backwards: int


def select(
    columns: Columns,
    kinds: tuple[int, ...],
    record_offsets: Ints,
    rank: Indices,
    communicators: Communicators,
) -> Records:
    """Select the records of some kinds, and resolve communicators and partners."""
    at = np.flatnonzero(np.isin(columns.kind, kinds))
    rows = np.searchsorted(record_offsets, at, side="right") - 1
    owner = rank[rows].astype(np.int32)
    numbers = _numbers(columns.communicator[at], communicators.index)
    partner = communicators.world_ranks(
        owner, numbers, columns.partner[at].astype(np.int64)
    )
    return Records(at, owner, numbers, partner)


def _numbers(identifiers: np.ndarray, index: dict[int, int]) -> Indices:  # type: ignore[type-arg]
    """Numbers of communicators; one that is not defined is taken for the world."""
    distinct, inverse = np.unique(identifiers, return_inverse=True)
    known = np.array([index.get(int(i), 0) for i in distinct], np.int32)
    return known[inverse] if len(distinct) else np.zeros(0, np.int32)


def make_messages(
    columns: Columns,
    sends: Records,
    receives: Records,
    communicators: Communicators,
    loose: bool,
) -> tuple[Messages, Tally]:
    """Match sends and receives.

    Parameters
    ----------
    loose
        Receives may name a wrong communicator (EZTrace): those that match
        nothing are matched once more by tag and rank in any communicator, and
        dropped if they claim to come from the same rank all the same.
    """
    ranks = len(communicators.items[0].ranks)
    unknown = (sends.partner < 0) & (columns.partner[sends.at] != _PROC_NULL)
    sends = _keep(sends, sends.partner >= 0)
    lost = (receives.partner < 0) & (columns.partner[receives.at] != _PROC_NULL)
    if not loose:
        receives = _keep(receives, receives.partner >= 0)
    sends = _in_order(sends, columns.when[sends.at], sends.at)
    posted = columns.post[receives.at]
    receives = _in_order(receives, columns.when[posted], posted)

    send_of = match_in_order(
        _pairs(sends.rank, sends.partner, ranks),
        _labels(sends.communicator, columns.tag[sends.at]),
        _pairs(receives.partner, receives.rank, ranks),
        _labels(receives.communicator, columns.tag[receives.at]),
    )
    if loose:
        send_of = _match_loosely(columns, sends, receives, send_of, communicators)
        claims = (send_of < 0) & (receives.partner == receives.rank)
        keep = ~claims & ((send_of >= 0) | (receives.partner >= 0))
        receives, send_of = _keep(receives, keep), send_of[keep]
    return _join(columns, sends, receives, send_of, int(unknown.sum() + lost.sum()))


def _keep(records: Records, mask: Bools) -> Records:
    if mask.all():
        return records
    return Records(*(column[mask] for column in records))


def _in_order(records: Records, when: Ints, at: Ints) -> Records:
    """Order by rank and place in the file; by time where a rank has several rows."""
    if len(at) and np.any(np.diff(records.rank) < 0):
        order = np.lexsort((at, when, records.rank))
    elif np.any(np.diff(at) < 0):
        order = np.argsort(at, kind="stable")
    else:
        return records
    return Records(*(column[order] for column in records))


def _pairs(sender: Indices, receiver: Indices, ranks: int) -> Ints:
    pairs = sender.astype(np.int64) * ranks + receiver
    found: Ints = np.where((sender < 0) | (receiver < 0), -1, pairs)
    return found


def _labels(communicator: Indices, tag: np.ndarray) -> Ints:  # type: ignore[type-arg]
    labels: Ints = (communicator.astype(np.int64) << 32) | tag
    return labels


def _match_loosely(
    columns: Columns,
    sends: Records,
    receives: Records,
    send_of: Ints,
    communicators: Communicators,
) -> Ints:
    """Match the rest by tag, receiver, and sender's rank in any communicator."""
    free = np.ones(len(sends.at), np.bool_)
    free[send_of[send_of >= 0]] = False
    open_sends, open_receives = np.flatnonzero(free), np.flatnonzero(send_of < 0)
    if not len(open_sends) or not len(open_receives):
        return send_of
    left, waiting = _keep(sends, free), receives.at[open_receives]
    ranks = len(communicators.items[0].ranks)
    local = communicators.local_ranks(left.rank, left.communicator)
    more = match_in_order(
        _pairs(local, left.partner, ranks),
        columns.tag[left.at].astype(np.int64),
        _pairs(
            columns.partner[waiting].astype(np.int32),
            receives.rank[open_receives],
            ranks,
        ),
        columns.tag[waiting].astype(np.int64),
    )
    found = send_of.copy()
    found[open_receives] = np.where(more >= 0, open_sends[more], -1)
    return found


def _join(
    columns: Columns, sends: Records, receives: Records, send_of: Ints, unknown: int
) -> tuple[Messages, Tally]:
    """Make one row of each send with its receive, and of each receive without."""
    receive_of = np.full(len(sends.at), -1, np.int64)
    matched = send_of >= 0
    receive_of[send_of[matched]] = np.flatnonzero(matched)
    alone = np.flatnonzero(~matched)
    order = np.argsort(columns.call[sends.at], kind="stable")
    receive_of = np.concatenate([receive_of[order], alone])
    send = np.concatenate([sends.at[order], np.full(len(alone), -1)])
    sent, received = send >= 0, receive_of >= 0
    receive = np.full(len(send), -1, np.int64)
    receive[received] = receives.at[receive_of[received]]
    either = np.where(sent, send, receive)

    def records(column: np.ndarray, at: Ints, known: Bools) -> Ints:  # type: ignore[type-arg]
        values = np.full(len(at), -1, np.int64)
        values[known] = column[at[known]]
        return values

    messages = Messages(
        sender=np.concatenate([sends.rank[order], receives.partner[alone]]),
        receiver=np.concatenate([sends.partner[order], receives.rank[alone]]),
        size=columns.size[either],
        tag=columns.tag[either].astype(np.int32),
        communicator=np.concatenate(
            [sends.communicator[order], receives.communicator[alone]]
        ),
        send_call=records(columns.call, send, sent),
        receive_call=records(
            columns.call, records(columns.post, receive, received), received
        ),
        completion_call=records(columns.call, receive, received),
        send_time=records(columns.when, send, sent),
        receive_time=records(columns.when, receive, received),
    )
    both = sent & received
    backwards = messages.receive_time[both] < messages.send_time[both]
    tally = Tally(int(np.sum(~received)), len(alone), unknown, int(np.sum(backwards)))
    return messages, tally


def make_collectives(columns: Columns, parts: Records) -> Collectives:
    """Put together the parts in collectives, in order of the call.

    A non-blocking one belongs to the call that posted it. What Score-P records
    for making and freeing handles is left out: it is no collective.
    """
    parts = _keep(parts, columns.tag[parts.at] < _FIRST_PSEUDO)
    call = columns.call[columns.post[parts.at]]
    order = np.argsort(call, kind="stable")
    at = parts.at[order]
    return Collectives(
        call=call[order],
        communicator=parts.communicator[order],
        operation=columns.tag[at].astype(np.uint8),
        root=parts.partner[order],
        sent=columns.size[at],
        received=columns.received[at],
    )


SENDS: Final = (tape_kinds.SEND, tape_kinds.ISEND)
RECEIVES: Final = (tape_kinds.RECEIVE, tape_kinds.RECEIVE_COMPLETE)
COLLECTIVES: Final = (tape_kinds.COLLECTIVE, tape_kinds.COLLECTIVE_COMPLETE)
