"""What single MPI calls did: partners, bytes, tag, communicator; without an index.

Messages lie in order of the call that sent them; those that a call receives are
found in the blocks that hold messages to its rank.
"""

from dataclasses import dataclass

import numba
import numpy as np

from topoview.analysis.message_blocks import BLOCK, message_blocks, recorded_sends
from topoview.model import Indices, Ints, Trace, freeze

MOST_NAMED = 4
"""Partners that are named; of more their number is told."""


@dataclass(frozen=True, slots=True, eq=False)
class CallMessages:
    """The messages of some calls of a rank that follow each other.

    Attributes
    ----------
    sent, received : int64, shape (n, 2)
        Call, and message that it sends; call, and message that it receives, or
        posts the receive of. Ascending.
    """

    sent: Ints
    received: Ints

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)


@dataclass(frozen=True, slots=True)
class CallFacts:
    """What a call did, as far as the trace tells.

    Attributes
    ----------
    to, source
        Ranks that it sends to, and receives from.
    size
        Bytes of its messages, or of its part in a collective operation; None if the
        trace tells none.
    tags
        Tags of its messages.
    communicator
        Index into the trace's communicators, -1 if that is not known.
    root
        Root of a collective operation, -1 if there is none.
    """

    to: tuple[int, ...] = ()
    source: tuple[int, ...] = ()
    size: int | None = None
    tags: tuple[int, ...] = ()
    communicator: int = -1
    root: int = -1


def messages_of(trace: Trace, rank: int, first: int, last: int) -> CallMessages:
    """Find the messages of a rank's calls from one to before another."""
    messages = trace.messages
    count = recorded_sends(messages.send_call)
    low, high = np.searchsorted(messages.send_call[:count], [first, last])
    at = np.arange(low, high)
    blocks = message_blocks(messages)
    call, message = _received(
        blocks.ranks,
        messages.receiver,
        messages.receive_call,
        messages.completion_call,
        rank,
        first,
        last,
    )
    order = np.lexsort((message, call))
    return CallMessages(
        np.stack([messages.send_call[low:high], at], axis=1),
        np.stack([call[order], message[order]], axis=1),
    )


@numba.njit(nogil=True, cache=True)
def _received(  # noqa: PLR0913
    ranks: Indices,
    receiver: Indices,
    posted: Ints,
    completed: Ints,
    rank: int,
    first: int,
    last: int,
) -> tuple[Ints, Ints]:
    call, message = np.empty(64, np.int64), np.empty(64, np.int64)
    count = 0
    for block in range(len(ranks)):
        if not ranks[block, 2] <= rank <= ranks[block, 3]:
            continue
        begin = block * BLOCK
        if count + 2 * BLOCK > len(call):
            larger = np.empty((2, 2 * len(call) + 2 * BLOCK), np.int64)
            larger[0, :count], larger[1, :count] = call[:count], message[:count]
            call, message = larger[0], larger[1]
        for i in range(begin, min(begin + BLOCK, len(receiver))):
            if receiver[i] != rank:
                continue
            if first <= posted[i] < last:
                call[count], message[count] = posted[i], i
                count += 1
            if completed[i] != posted[i] and first <= completed[i] < last:
                call[count], message[count] = completed[i], i
                count += 1
    return call[:count], message[:count]


def facts_of(trace: Trace, found: CallMessages, call: int) -> CallFacts:
    """Tell what a call did, from the messages of calls that it is among."""
    messages, parts = trace.messages, trace.collectives
    sent, received = (_of_call(pairs, call) for pairs in (found.sent, found.received))
    every = np.concatenate([sent, received])
    if len(every):
        return CallFacts(
            _different(messages.receiver[sent]),
            _different(messages.sender[received]),
            int(messages.size[every].sum()),
            _different(messages.tag[every]),
            int(messages.communicator[every[0]]),
        )
    at = int(np.searchsorted(parts.call, call))
    if at < len(parts) and parts.call[at] == call:
        size = max(int(parts.sent[at]), int(parts.received[at]))
        communicator, root = int(parts.communicator[at]), int(parts.root[at])
        return CallFacts(size=size, communicator=communicator, root=root)
    return CallFacts()


def _of_call(pairs: Ints, call: int) -> Ints:
    low, high = np.searchsorted(pairs[:, 0], [call, call + 1])
    return pairs[low:high, 1]


def _different(numbers: Indices) -> tuple[int, ...]:
    return tuple(dict.fromkeys(numbers.tolist()))


def ranks_text(ranks: tuple[int, ...]) -> str:
    """Name a few ranks; of many their number."""
    if len(ranks) > MOST_NAMED:
        return f"{len(ranks)} ranks"
    return ", ".join(map(str, ranks))
