"""Records of all locations, put together: messages and collectives."""

# mypy: allow-untyped-defs
# ruff: noqa: ANN001, ANN202 - numba finds the types of what has none

from typing import Final, NamedTuple

import numba
import numpy as np

from topoview.io import callbacks as tape_kinds
from topoview.io.columns import Columns
from topoview.io.communicators import Communicators
from topoview.io.matching import match_in_order
from topoview.io.selection import NOBODY, Records, keep
from topoview.model import Collectives, Indices, Ints, Messages

SENDS: Final = (tape_kinds.SEND, tape_kinds.ISEND)
RECEIVES: Final = (tape_kinds.RECEIVE, tape_kinds.RECEIVE_COMPLETE)
COLLECTIVES: Final = (tape_kinds.COLLECTIVE, tape_kinds.COLLECTIVE_COMPLETE)

_FIRST_PSEUDO: Final = 17  # OTF2_COLLECTIVE_OP_CREATE_HANDLE and those after it


class Tally(NamedTuple):
    """What did not fit.

    Attributes
    ----------
    no_receive, no_send
        Messages of which that is not recorded.
    unknown_partners
        Records that name a partner outside of their communicator.
    backwards
        Messages received before they were sent.
    """

    no_receive: int
    no_send: int
    unknown_partners: int
    backwards: int


def make_messages(
    columns: Columns,
    sends: Records,
    receives: Records,
    communicators: Communicators,
    loose: bool,
) -> tuple[Messages, Tally]:
    """Match sends and receives.

    Records with MPI_PROC_NULL are left out.

    Parameters
    ----------
    loose
        Receives may name a wrong communicator (EZTrace): those that match
        nothing are matched once more by tag and rank in any communicator, and
        dropped if they claim to come from the same rank all the same.
    """
    unknown = int(np.sum(sends.partner < NOBODY))
    sends = keep(sends, sends.partner >= 0)
    if not loose:
        unknown += int(np.sum(receives.partner < NOBODY))
        receives = keep(receives, receives.partner >= 0)
    sends = _in_order(sends, columns.when[sends.at], sends.at)
    posted = columns.post[receives.at]
    receives = _in_order(receives, columns.when[posted], posted)
    ranks = len(communicators.items[0].ranks)
    send_of = match_in_order(
        _pairs(sends.rank, sends.partner, ranks),
        _labels(sends.communicator, columns.tag[sends.at]),
        _pairs(receives.partner, receives.rank, ranks),
        _labels(receives.communicator, columns.tag[receives.at]),
    )
    if loose:
        send_of = _match_loosely(columns, sends, receives, send_of, communicators)
        bogus = (receives.partner == receives.rank) | (receives.partner < 0)
        fits = (send_of >= 0) | ~bogus
        receives, send_of = keep(receives, fits), send_of[fits]
    return _join(columns, sends, receives, send_of, unknown)


def _in_order(records: Records, when: Ints, at: Ints) -> Records:
    """Order by rank and place in the file; by time where a rank has several rows."""
    if np.any(np.diff(records.rank) < 0):
        order = np.lexsort((at, when, records.rank))
    elif np.any(np.diff(at) < 0):
        order = np.argsort(at, kind="stable")
    else:
        return records
    return keep(records, order)


def _pairs(sender: Indices, receiver: Indices, ranks: int) -> Ints:
    pairs = sender.astype(np.int64) * ranks + receiver
    pairs[(sender < 0) | (receiver < 0)] = -1
    return pairs


def _labels(communicator: Indices, tag: np.ndarray) -> Ints:
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
    left, waiting = keep(sends, free), receives.at[open_receives]
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
    call = columns.call[sends.at]
    order = np.arange(len(call))
    if np.any(np.diff(call) < 0):
        order = np.argsort(call, kind="stable")
    joined = _fill(
        columns.call, columns.when, columns.size, columns.tag, columns.post,
        sends, receives, send_of, order,
    )  # fmt: skip
    messages = Messages(*joined[:-1])
    sent, received = messages.send_time >= 0, messages.receive_time >= 0
    tally = Tally(int(np.sum(~received)), int(np.sum(~sent)), unknown, joined[-1])
    return messages, tally


@numba.njit(nogil=True, cache=True)
def _fill(  # noqa: PLR0913
    call, when, size, tag, post, sends, receives, send_of, order
):
    row_of_send = np.empty(len(order), np.int64)
    for row in range(len(order)):
        row_of_send[order[row]] = row
    count = len(order)
    for receive in range(len(send_of)):
        count += send_of[receive] < 0
    sender = np.empty(count, np.int32)
    receiver = np.empty(count, np.int32)
    bytes_sent = np.empty(count, np.int64)
    label = np.empty(count, np.int32)
    communicator = np.empty(count, np.int32)
    send_call = np.full(count, -1, np.int64)
    receive_call = np.full(count, -1, np.int64)
    completion_call = np.full(count, -1, np.int64)
    send_time = np.full(count, -1, np.int64)
    receive_time = np.full(count, -1, np.int64)
    for row in range(len(order)):
        send = order[row]
        at = sends.at[send]
        sender[row], receiver[row] = sends.rank[send], sends.partner[send]
        bytes_sent[row], label[row] = size[at], tag[at]
        communicator[row] = sends.communicator[send]
        send_call[row], send_time[row] = call[at], when[at]
    backwards = 0
    alone = len(order)
    for receive in range(len(send_of)):
        at = receives.at[receive]
        if send_of[receive] >= 0:
            row = row_of_send[send_of[receive]]
            backwards += when[at] < send_time[row]
        else:
            row = alone
            alone += 1
            sender[row], receiver[row] = (
                receives.partner[receive],
                receives.rank[receive],
            )
            bytes_sent[row], label[row] = size[at], tag[at]
            communicator[row] = receives.communicator[receive]
        receive_call[row] = call[post[at]]
        completion_call[row], receive_time[row] = call[at], when[at]
    return (
        sender, receiver, bytes_sent, label, communicator, send_call, receive_call,
        completion_call, send_time, receive_time, backwards,
    )  # fmt: skip


def make_collectives(columns: Columns, parts: Records) -> Collectives:
    """Put together the parts in collectives, in order of the call.

    A non-blocking one belongs to the call that posted it. What Score-P records
    for making and freeing handles is left out: it is no collective.
    """
    parts = keep(parts, columns.tag[parts.at] < _FIRST_PSEUDO)
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
