"""What was decoded, as the model has it: messages paired, collectives ordered."""

from functools import partial
from itertools import pairwise
from typing import Any, Final

import numba
import numpy as np
from numpy.typing import NDArray

from topoview.io.allocation import Allocate
from topoview.io.between import Pairs
from topoview.io.between_records import pairs_of_groups
from topoview.io.communicators import Communicators
from topoview.io.decoder.decode import Decoded
from topoview.io.decoder.messages import NO_PART
from topoview.io.decoder.partners import NOBODY, UNKNOWN
from topoview.io.decoder.place import EMPTY
from topoview.io.decoder.pool import cores, in_threads
from topoview.io.matching import Ends, match_in_order
from topoview.io.pairing import (
    Received,
    Sent,
    count_by_receiver,
    group_by_receiver,
    pair,
)
from topoview.io.recorded import Tally
from topoview.model import Bytes, Collectives, Indices, Ints, Messages, Regions

_A_THREAD: Final = 1 << 15
_NARROW: Final = 1 << 32
_COLUMNS: Final = (
    "sender", "receiver", "size", "tag", "communicator", "send_call",
    "receive_call", "completion_call", "send_time", "receive_time",
)  # fmt: skip


def make_messages(  # noqa: PLR0913
    found: Decoded,
    rank: Indices,
    ranks: int,
    communicators: Communicators,
    loose: bool,
    allocate: Allocate,
    regions: Regions,
) -> tuple[Messages, Tally]:
    """Match sends and receives.

    Parameters
    ----------
    rank : int32, shape (rows,)
        Rank of each row.
    loose
        Receives may name a wrong communicator (EZTrace): those that match
        nothing are matched once more by tag and rank in any communicator, and
        dropped if they claim to come from the same rank all the same. Posted ones
        may hold memory that was never set. A communicator between two groups is
        recorded as two (`topoview.io.between`).
    regions
        Those of the calls, which tell who made such communicators.
    """
    columns = found.columns
    sends = int(found.send_offsets[-1])
    sent = Sent(*(columns[f"messages.{name}"][:sends] for name in Sent._fields))
    slots, send_order, receive_order = _orders(found, rank, ranks)
    received = _received(columns)
    parts = found.receives.parts
    unset = 0
    if loose:
        unset = _forget_unset(parts, received.rank, received.post, received.call)
    begins = np.zeros(ranks + 1, np.int64)
    count_by_receiver(sent.receiver, begins)
    kind = np.uint32 if sends < _NARROW else np.int64
    grouped = allocate("messages.grouped", sends, kind, scratch=True)
    group_by_receiver(sent.receiver, begins, send_order, grouped)

    shares: list[tuple[int, int, int]] = []

    def share(one: int, other: int) -> None:
        shares.append(
            pair(one, other, begins, grouped, slots, receive_order, sent, received)
        )

    in_threads([partial(share, *bounds) for bounds in pairwise(_shares(begins))])
    matched = sum(part[0] for part in shares)
    backwards = sum(part[1] for part in shares)
    worst = max((part[2] for part in shares), default=0)
    more = from_self = 0
    between: Pairs = ()
    left = np.zeros(0, np.int64)
    if matched + unset < found.receives.count:
        found.receives.squeeze()
        received = _received(columns)
        left = _left(received.rank)
    if loose:
        local, owner = columns["receives.local"], _owners(found, rank, left)
        between = pairs_of_groups(
            found, sent, received, left, owner, communicators, regions
        )
        more, early, most = _pair_loosely(
            sent, received, left, local, owner, communicators
        )
        matched, backwards, worst = matched + more, backwards + early, max(worst, most)
        left = left[received.rank[left] != EMPTY]
        foreign = received.rank[left] != _owners(found, rank, left)
        from_self = len(left) - int(np.count_nonzero(foreign))
        left = left[foreign]
    nowhere = int(np.count_nonzero(received.rank[left] == NOBODY))
    unknown = int(np.count_nonzero(received.rank[left] < NOBODY))
    left = left[received.rank[left] >= 0]
    _append(found, left, _owners(found, rank, left), sends)
    total = sends + len(left)
    messages = Messages(*(columns[f"messages.{name}"][:total] for name in _COLUMNS))
    tally = Tally(
        sends - matched, len(left), found.unknown_senders + unknown, backwards, worst,
        more, unknown, nowhere, from_self, unset, between,
    )  # fmt: skip
    return messages, tally


@numba.njit(nogil=True, cache=True)
def _forget_unset(parts: Ints, rank: Indices, post: Ints, call: Ints) -> int:
    """Forget posted receives if some hold memory that was never set; how many.

    EZTrace reads the status of MPI_Waitany, MPI_Testsome and the like where programs
    in C ignore it. If one is seen to hold no message, others may only seem to.
    """
    found = False
    for row in range(len(parts)):
        for slot in range(parts[row, 0], parts[row, 1]):
            found |= rank[slot] == UNKNOWN and post[slot] != call[slot]
    count = 0
    for row in range(len(parts)):
        for slot in range(parts[row, 0], parts[row, 1]):
            if rank[slot] == EMPTY or post[slot] == call[slot]:
                continue
            if found:
                rank[slot] = EMPTY
                count += 1
            elif post[slot] < -1:  # nothing is known to have posted it
                post[slot] = -2 - post[slot]
    return count


def _received(columns: dict[str, NDArray[Any]]) -> Received:
    return Received(*(columns[f"receives.{name}"] for name in Received._fields))


def _owners(found: Decoded, rank: Indices, slots: Ints) -> Indices:
    """Ranks of receives."""
    row = np.searchsorted(found.receives.parts[:, 0], slots, side="right") - 1
    return rank[row]


def _orders(found: Decoded, rank: Indices, ranks: int) -> tuple[Ints, Ints, Ints]:
    """Where each rank's receives are; order of sends and receives by time.

    Orders are needed, and not empty, where several rows of a rank communicate.
    """
    empty = np.zeros(0, np.int64)
    slots = np.zeros((ranks, 2), np.int64)
    posted = found.columns.get("receives.posted")
    if posted is None:
        parts = found.receives.parts
        here = np.flatnonzero(parts[:, 1] > parts[:, 0])
        slots[rank[here]] = parts[here]
        return slots, empty, empty
    owner = np.repeat(rank, np.diff(found.receives.squeeze()))
    posted = found.columns["receives.posted"]
    receive_order = np.lexsort((posted, owner))
    ordered = owner[receive_order]
    every = np.arange(ranks)
    slots[:, 0] = np.searchsorted(ordered, every)
    slots[:, 1] = np.searchsorted(ordered, every, side="right")
    sends = int(found.send_offsets[-1])
    time = found.columns["messages.send_time"][:sends]
    sender = found.columns["messages.sender"][:sends]
    return slots, np.lexsort((time, sender)), receive_order


def _shares(begins: Ints) -> list[int]:
    """Cut the receivers into parts of about as many messages."""
    count = int(max(1, min(4 * cores(), begins[-1] // _A_THREAD)))
    cuts = np.searchsorted(begins, np.arange(1, count) * (begins[-1] // count))
    return sorted({0, *cuts.tolist(), len(begins) - 1})


@numba.njit(nogil=True, cache=True)
def _left(rank: Indices) -> Ints:
    """Receives that were completed and not matched."""
    count = 0
    for slot in range(len(rank)):
        count += rank[slot] != EMPTY
    left = np.empty(count, np.int64)
    count = 0
    for slot in range(len(rank)):
        if rank[slot] != EMPTY:
            left[count] = slot
            count += 1
    return left


def _pair_loosely(  # noqa: PLR0913
    sent: Sent,
    received: Received,
    left: Ints,
    local: NDArray[np.uint32],
    owner: Indices,
    communicators: Communicators,
) -> tuple[int, int, int]:
    """Match the rest by tag, receiver, and sender's rank in any communicator."""
    free = np.flatnonzero(sent.receive_time < 0)
    if not len(free) or not len(left):
        return 0, 0, 0
    more = match_in_order(
        Ends(
            communicators.local_ranks(sent.sender[free], sent.communicator[free]),
            sent.receiver[free],
            np.zeros(len(free), np.int32),
            sent.tag[free].view(np.uint32),
        ),
        Ends(
            local[left].astype(np.int32),
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
    received.rank[slot] = EMPTY
    early = sent.send_time[send] - received.time[slot]
    return len(send), int(np.sum(early > 0)), int(np.max(early, initial=0))


def _append(found: Decoded, left: Ints, owner: Indices, sends: int) -> None:
    """Append the receives without a send to the messages."""
    columns = found.columns
    here = slice(sends, sends + len(left))
    columns["messages.sender"][here] = columns["receives.rank"][left]
    columns["messages.receiver"][here] = owner
    columns["messages.size"][here] = columns["receives.size"][left]
    columns["messages.tag"][here] = columns["receives.tag"][left].view(np.int32)
    columns["messages.communicator"][here] = columns["receives.communicator"][left]
    columns["messages.send_call"][here] = -1
    columns["messages.receive_call"][here] = columns["receives.post"][left]
    columns["messages.completion_call"][here] = columns["receives.call"][left]
    columns["messages.send_time"][here] = -1
    columns["messages.receive_time"][here] = columns["receives.time"][left]


def make_collectives(found: Decoded) -> Collectives:
    """Put together the parts in collectives, in order of the call.

    A non-blocking one belongs to the call that posted it. One that was never
    completed is left out, and one before any call: nothing tells whose it is.
    """
    columns = found.columns
    names = ("call", "communicator", "root", "sent", "received", "operation")
    operation = columns["collectives.operation"]
    count = len(operation)
    for name in names:
        count = _keep(columns[f"collectives.{name}"], operation)
    kept = {name: columns[f"collectives.{name}"][:count] for name in names}
    call = kept["call"]
    if (call[1:] < call[:-1]).any() or call.min(initial=0) < 0:
        order = np.argsort(call, kind="stable")
        order = order[np.count_nonzero(call < 0) :]
        kept = {name: column[order] for name, column in kept.items()}
    return Collectives(**kept)


@numba.njit(nogil=True, cache=True)
def _keep(column: NDArray[Any], operation: Bytes) -> int:
    """Move what belongs to an operation to the left; how much that is."""
    count = 0
    for place in range(len(column)):
        if operation[place] != NO_PART:
            column[count] = column[place]
            count += 1
    return count
