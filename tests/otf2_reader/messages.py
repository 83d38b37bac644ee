"""Records of all locations, put together: messages and collectives."""

from typing import Final, NamedTuple

import numba
import numpy as np

from otf2_reader import callbacks as tape_kinds
from otf2_reader.columns import Columns
from otf2_reader.matching import Ends, match_in_order
from otf2_reader.selection import NOBODY, UNKNOWN, Records, in_order, keep
from topoview.io.decoder.decoding import MessageTally
from topoview.io.definitions.communicators import Communicators
from topoview.model import Collectives, Indices, Ints, Messages

SENDS: Final = (tape_kinds.SEND, tape_kinds.ISEND)
RECEIVES: Final = (tape_kinds.RECEIVE, tape_kinds.RECEIVE_COMPLETE)
COLLECTIVES: Final = (tape_kinds.COLLECTIVE, tape_kinds.COLLECTIVE_COMPLETE)

_UNSET: Final = 0xFFFFFFFF
_FIRST_PSEUDO: Final = 17  # OTF2_COLLECTIVE_OP_CREATE_HANDLE and those after it


def make_messages(
    columns: Columns,
    sends: Records,
    receives: Records,
    communicators: Communicators,
    loose: bool,
) -> tuple[Messages, MessageTally]:
    """Match sends and receives.

    Records with MPI_PROC_NULL are left out.

    Parameters
    ----------
    loose
        Receives may name a wrong communicator (EZTrace): those that match
        nothing are matched once more by tag and rank in any communicator, and
        dropped if they claim to come from the same rank all the same.
    """
    _refuse_sizes(columns, sends)
    _refuse_sizes(columns, receives)
    unknown = int(np.sum(sends.partner < NOBODY))
    sends = keep(sends, sends.partner >= 0)
    unset = 0
    if loose:
        # EZTrace reads the status of MPI_Waitany and the like where programs in C
        # ignore it. If one is seen to hold no message, others may only seem to.
        posted = columns.kind[receives.at] == tape_kinds.RECEIVE_COMPLETE
        if np.any(posted & (receives.partner < NOBODY)):
            receives, unset = keep(receives, ~posted), int(np.sum(posted))
    else:
        unknown += int(np.sum(receives.partner < NOBODY))
        receives = keep(receives, receives.partner >= 0)
    sends, receives = _in_order(columns, sends), _in_order(columns, receives)
    send_of = match_in_order(
        Ends(sends.rank, sends.partner, sends.communicator, sends.tag),
        Ends(receives.partner, receives.rank, receives.communicator, receives.tag),
    )
    loosely = -int(np.count_nonzero(send_of >= 0))
    if loose:
        send_of = _match_loosely(columns, sends, receives, send_of, communicators)
        bogus = (receives.partner == receives.rank) | (receives.partner < 0)
        fits = (send_of >= 0) | ~bogus
        unknown += int(np.sum(receives.partner[~fits] < NOBODY))
        receives, send_of = keep(receives, fits), send_of[fits]
    loosely += int(np.count_nonzero(send_of >= 0))
    messages, tally = _join(columns, sends, receives, send_of, unknown)
    return messages, tally._replace(loosely=loosely, unset=unset)


def _refuse_sizes(columns: Columns, records: Records) -> None:
    """Take records of 8 EiB and more, memory that was never set, for none."""
    refused = (columns.size[records.at] < -1) & (records.partner >= 0)
    records.partner[refused] = UNKNOWN
    columns.partner[records.at[refused]] = _UNSET


def _in_order(columns: Columns, records: Records) -> Records:
    """Order by rank, and by the time of posting: a rank can have several rows."""
    if in_order(records, columns.post, columns.when):
        return records
    posted = columns.post[records.at]
    return keep(records, np.lexsort((posted, columns.when[posted], records.rank)))


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
    left, waiting = keep(sends, free), keep(receives, send_of < 0)
    nowhere = np.zeros(len(left.at) + len(waiting.at), np.int32)
    more = match_in_order(
        Ends(
            communicators.local_ranks(left.rank, left.communicator),
            left.partner,
            nowhere[: len(left.at)],
            left.tag,
        ),
        Ends(
            columns.partner[waiting.at].astype(np.int32),
            waiting.rank,
            nowhere[len(left.at) :],
            waiting.tag,
        ),
    )
    found = send_of.copy()
    found[open_receives] = np.where(more >= 0, open_sends[more], -1)
    return found


def _join(
    columns: Columns, sends: Records, receives: Records, send_of: Ints, unknown: int
) -> tuple[Messages, MessageTally]:
    """Make one row of each send with its receive, and of each receive without."""
    order = np.argsort(sends.at, kind="stable")
    matched = int(np.count_nonzero(send_of >= 0))
    no_receive, no_send = len(order) - matched, len(send_of) - matched
    count = len(order) + no_send
    rows = _Rows(*(np.empty(count, dtype) for dtype in _ROW_TYPES))
    backwards, worst = _fill(rows, columns, sends, receives, send_of, order)
    return Messages(*rows), MessageTally(
        no_receive, no_send, unknown, backwards, int(worst)
    )


class _Rows(NamedTuple):
    """Columns of `Messages`, while they are filled."""

    sender: Indices
    receiver: Indices
    size: Ints
    tag: Indices
    communicator: Indices
    send_call: Ints
    receive_call: Ints
    completion_call: Ints
    send_time: Ints
    receive_time: Ints


_ROW_TYPES: Final = (np.int32, np.int32, np.int64, np.int32, np.int32, *[np.int64] * 5)


@numba.njit(nogil=True, cache=True)
def _fill(
    rows: _Rows,
    columns: Columns,
    sends: Records,
    receives: Records,
    send_of: Ints,
    order: Ints,
) -> tuple[int, np.int64]:
    call, when, size, post = columns.call, columns.when, columns.size, columns.post
    (
        sender, receiver, bytes_sent, label, communicator, send_call, receive_call,
        completion_call, send_time, receive_time,
    ) = rows  # fmt: skip
    row_of_send = np.empty(len(order), np.int64)
    for row in range(len(order)):
        send = order[row]
        at = sends.at[send]
        row_of_send[send] = row
        sender[row], receiver[row] = sends.rank[send], sends.partner[send]
        bytes_sent[row], label[row] = size[at], sends.tag[send]
        communicator[row] = sends.communicator[send]
        send_call[row], send_time[row] = call[at], when[at]
        receive_call[row] = completion_call[row] = receive_time[row] = -1
    backwards, worst = 0, np.int64(0)
    alone = len(order)
    for receive in range(len(send_of)):
        at = receives.at[receive]
        if send_of[receive] >= 0:
            row = row_of_send[send_of[receive]]
            early = send_time[row] - when[at]
            backwards += early > 0
            worst = max(worst, early)
        else:
            row = alone
            alone += 1
            sender[row] = receives.partner[receive]
            receiver[row] = receives.rank[receive]
            bytes_sent[row], label[row] = size[at], receives.tag[receive]
            communicator[row] = receives.communicator[receive]
            send_call[row] = send_time[row] = -1
        receive_call[row] = call[post[at]]
        completion_call[row], receive_time[row] = call[at], when[at]
    return backwards, worst


def make_collectives(columns: Columns, parts: Records) -> Collectives:
    """Put together the parts in collectives, in order of the call.

    A non-blocking one belongs to the call that posted it; one before any call is
    nobody's. What Score-P records for making and freeing handles is left out: it is
    no collective.
    """
    parts = keep(parts, parts.tag < _FIRST_PSEUDO)
    call = columns.call[columns.post[parts.at]]
    order = np.argsort(call, kind="stable")
    order = order[np.count_nonzero(call < 0) :]
    at = parts.at[order]
    return Collectives(
        call=call[order],
        communicator=parts.communicator[order],
        operation=parts.tag[order].astype(np.uint8),
        root=parts.partner[order],
        sent=columns.size[at],
        received=columns.received[at],
    )
