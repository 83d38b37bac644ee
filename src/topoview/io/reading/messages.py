"""Messages: sends matched with their receives, and what did not fit.

`decoder.pairing` matches those that name each other. Those that EZTrace recorded with
a wrong communicator are matched once more, and receives without a send are appended.
"""

from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview.base.platform import cores
from topoview.base.threads import equal_parts, in_threads
from topoview.io.decoder.decoding import MessageTally, UnmatchedMessages, messages_of
from topoview.io.decoder.library import EMPTY_RECEIVE, NOBODY
from topoview.io.decoder.pairing import (
    Ends,
    Received,
    Sent,
    forget_unset,
    group_by_receiver,
    match_in_order,
    pair,
)
from topoview.io.definitions.communicators import Communicators
from topoview.io.repairs.gaps import GapPairs, pair_around_gaps
from topoview.io.repairs.intercommunicators import (
    IntercommunicatorPairs,
    LooseEnds,
    find_intercommunicators,
)
from topoview.model import Bools, Calls, Indices, Ints, Messages, Regions
from topoview.store.arrays import Allocate

_MIN_MESSAGES_PER_THREAD: Final = 1 << 15
_MAX_UINT32_COUNT: Final = 1 << 32


def match_messages(  # noqa: PLR0913
    unmatched: UnmatchedMessages,
    calls: Calls,
    rank: Indices,
    ranks: int,
    communicators: Communicators,
    loose: bool,
    allocate: Allocate,
    regions: Regions,
    gaps: Ints,
) -> tuple[Messages, MessageTally, Ints]:
    """Match sends and receives.

    Parameters
    ----------
    calls, regions
        Calls and their regions tell who made communicators between two groups.
    rank : int32, shape (rows,)
        Rank of each row.
    loose
        Receives may name a wrong communicator (EZTrace): those that match
        nothing are matched once more by tag and rank in any communicator, and
        dropped if they claim to come from the same rank all the same, or if as many
        sends to the rank have no receive. Posted ones may hold memory that was never
        set. A communicator between two groups is recorded as two
        (`topoview.io.repairs.intercommunicators`).
    gaps : int64, shape (n, 3)
        When ranks were not recorded: `topoview.io.repairs.gaps`.

    Returns
    -------
    Messages, MessageTally, int64
        Last the receives that no send was found for, which end the messages.
    """
    columns = unmatched.columns
    sends = unmatched.sends
    sent = Sent(*(columns[f"messages.{name}"][:sends] for name in Sent._fields))
    slots, send_order, receive_order = _receive_orders(unmatched, rank, ranks)
    received = _receive_columns(columns)
    parts = unmatched.receives.parts
    # Memory that EZTrace never set looks like an envelope: it must not claim a send.
    unset = 0
    # A wrong communicator hides partners: without it they may be found by tag and rank.
    if loose:
        unset = forget_unset(parts, columns["receives"])
    kind = np.uint32 if sends < _MAX_UINT32_COUNT else np.int64
    paired = GapPairs(send_order, 0, 0, 0)
    # Around a gap counting in order would shift all later pairs: these are paired by
    # time first, and what is left goes the usual way.
    if len(gaps):
        unmatched.receives.squeeze()
        received = _receive_columns(columns)
        slots, send_order, receive_order = _receive_orders(unmatched, rank, ranks)
        every = np.arange(len(received.rank))
        in_order = receive_order if len(receive_order) else every
        paired = pair_around_gaps(
            sent,
            received,
            in_order,
            _receive_ranks(unmatched, rank, in_order),
            columns.get("receives.posted"),
            send_order if len(send_order) else np.arange(sends),
            gaps,
        )
    # The rule of MPI: messages of one envelope are received in the order of their
    # sends. Receivers share no envelope, so that threads take some of them each.
    grouped = allocate("messages.grouped", sends, kind, scratch=True)
    begins = np.zeros(ranks + 1, np.int64)
    if len(paired.others) or not len(gaps):
        begins = group_by_receiver(sent.receiver, ranks, paired.others, grouped)

    shares: list[tuple[int, int, int]] = []

    def share(part: slice) -> None:
        ranks_here = part.start, part.stop
        receives = columns["receives"]
        shares.append(
            pair(ranks_here, begins, grouped, slots, receive_order, sent, receives)
        )

    in_threads([partial(share, part) for part in _receiver_shares(begins)])
    matched = paired.matched + sum(part[0] for part in shares)
    backwards = paired.backwards + sum(part[1] for part in shares)
    worst = max(paired.worst, *(part[2] for part in shares), 0)
    # From here on only receives without a send matter; most traces have none.
    from_self = stale = 0
    loosely = np.zeros(0, np.int64)
    between: IntercommunicatorPairs = ()
    left = np.zeros(0, np.int64)
    if matched + unset < unmatched.receives.count:
        unmatched.receives.squeeze()
        received = _receive_columns(columns)
        left = np.flatnonzero(received.rank != EMPTY_RECEIVE)
    if loose:
        owner = _receive_ranks(unmatched, rank, left)
        local = columns["receives.local"][left]
        ends = LooseEnds(sent, received, left, local, owner)
        between = find_intercommunicators(ends, calls, communicators, regions)
        loosely = _pair_loosely(ends, communicators)
        left = left[received.rank[left] != EMPTY_RECEIVE]
        owner = _receive_ranks(unmatched, rank, left)
        foreign = received.rank[left] != owner
        from_self = len(left) - int(np.count_nonzero(foreign))
        left, owner = left[foreign], owner[foreign]
        misled = _misled(owner, received.rank[left] >= 0, sent)
        stale = int(np.count_nonzero(misled))
        # what these ranks were seen to receive by tag alone is no better
        kept = ~np.isin(sent.receiver[loosely], owner[misled])
        stale += len(loosely) - int(np.count_nonzero(kept))
        for column in (sent.receive_call, sent.completion_call, sent.receive_time):
            column[loosely[~kept]] = -1
        left, loosely = left[~misled], loosely[kept]
        early = sent.send_time[loosely] - sent.receive_time[loosely]
        matched += len(loosely)
        backwards += int(np.count_nonzero(early > 0))
        worst = max(worst, int(np.max(early, initial=0)))
    # A receive from MPI_PROC_NULL is no message; one of unknown sender cannot be
    # placed.
    nowhere = int(np.count_nonzero(received.rank[left] == NOBODY))
    unknown = int(np.count_nonzero(received.rank[left] < NOBODY))
    left = left[received.rank[left] >= 0]
    _append_unmatched(unmatched, left, _receive_ranks(unmatched, rank, left), sends)
    total = sends + len(left)
    messages = messages_of(columns, total)
    unknown_partners = unmatched.unknown_partners + unknown
    tally = MessageTally(
        no_receive=sends - matched,
        no_send=len(left),
        unknown_partners=unknown_partners,
        backwards=backwards,
        worst=worst,
        loosely=len(loosely),
        unknown_senders=unknown,
        null_receives=nowhere,
        from_self=from_self,
        stale=stale,
        unset=unset,
        between=between,
    )
    return messages, tally, left


def _receive_columns(columns: dict[str, NDArray[Any]]) -> Received:
    return Received(*(columns[f"receives.{name}"] for name in Received._fields))


def _receive_ranks(unmatched: UnmatchedMessages, rank: Indices, slots: Ints) -> Indices:
    """Ranks of receives."""
    row = np.searchsorted(unmatched.receives.parts[:, 0], slots, side="right") - 1
    return rank[row]


def _receive_orders(
    unmatched: UnmatchedMessages, rank: Indices, ranks: int
) -> tuple[Ints, Ints, Ints]:
    """Where each rank's receives are; order of sends and receives by time.

    Orders are needed, and not empty, where several rows of a rank communicate.
    """
    empty = np.zeros(0, np.int64)
    slots = np.zeros((ranks, 2), np.int64)
    posted = unmatched.columns.get("receives.posted")
    if posted is None:
        parts = unmatched.receives.parts
        here = np.flatnonzero(parts[:, 1] > parts[:, 0])
        slots[rank[here]] = parts[here]
        return slots, empty, empty
    owner = np.repeat(rank, np.diff(unmatched.receives.squeeze()))
    posted = unmatched.columns["receives.posted"]
    receive_order = np.lexsort((posted, owner))
    ordered = owner[receive_order]
    every = np.arange(ranks)
    slots[:, 0] = np.searchsorted(ordered, every)
    slots[:, 1] = np.searchsorted(ordered, every, side="right")
    sends = unmatched.sends
    time = unmatched.columns["messages.send_time"][:sends]
    sender = unmatched.columns["messages.sender"][:sends]
    return slots, np.lexsort((time, sender)), receive_order


def _receiver_shares(begins: Ints) -> list[slice]:
    """Cut the receivers into parts of about as many messages."""
    count = int(max(1, min(4 * cores(), begins[-1] // _MIN_MESSAGES_PER_THREAD)))
    return equal_parts(begins, count)


def _pair_loosely(ends: LooseEnds, communicators: Communicators) -> Ints:
    """Match the rest by tag, receiver, and sender's rank in any communicator.

    Returns
    -------
    int64
        The sends that are matched so.
    """
    sent, received, left, local, owner = ends
    free = np.flatnonzero(sent.receive_time < 0)
    if not len(free) or not len(left):
        return np.zeros(0, np.int64)
    more = match_in_order(
        Ends(
            communicators.local_ranks(sent.sender[free], sent.communicator[free]),
            sent.receiver[free],
            np.zeros(len(free), np.int32),
            sent.tag[free].view(np.uint32),
        ),
        Ends(
            local.astype(np.int32),
            owner,
            np.zeros(len(left), np.int32),
            received.tag[left],
        ),
    )
    fits = more >= 0
    send, slot = free[more[fits]], left[fits]
    sent.receive_call[send] = received.post[slot]
    sent.completion_call[send] = received.call[slot]
    sent.receive_time[send] = received.time[slot]
    received.rank[slot] = EMPTY_RECEIVE
    return send


def _misled(owner: Ints | Indices, placed: Bools, sent: Sent) -> Bools:
    """Return which receives without a send name a wrong sender.

    A message is received once: where at least as many sends to a rank lack a receive as
    it has receives without a send, these are of those. EZTrace reads the status of
    another request where Testsome or Waitsome complete some.

    Parameters
    ----------
    owner : integers, shape (n,)
        Rank that receives.
    placed : bool, shape (n,)
        Whether the sender is a rank.
    """
    alone = np.bincount(owner[placed], minlength=1)
    lacking = np.bincount(sent.receiver[sent.receive_time < 0], minlength=len(alone))
    more = np.append(alone > lacking[: len(alone)], np.ones(1, np.bool_))
    result: Bools = placed & ~more[np.minimum(owner, len(alone))]
    return result


def _append_unmatched(
    unmatched: UnmatchedMessages, left: Ints, owner: Indices, sends: int
) -> None:
    """Append the receives without a send to the messages."""
    columns = unmatched.columns
    here = slice(sends, sends + len(left))
    columns["messages.sender"][here] = columns["receives.rank"][left]
    columns["messages.receiver"][here] = owner
    columns["messages.size"][here] = columns["receives.size"][left]
    columns["messages.tag"][here] = columns["receives.tag"][left].view(np.int32)
    columns["messages.communicator"][here] = columns["receives.communicator"][left]
    columns["messages.send_call"][here] = -1
    columns["messages.send_completion_call"][here] = -1
    columns["messages.receive_call"][here] = columns["receives.post"][left]
    columns["messages.completion_call"][here] = columns["receives.call"][left]
    columns["messages.send_time"][here] = -1
    columns["messages.receive_time"][here] = columns["receives.time"][left]
