"""Messages of two ranks, or of a moment: found by the index of blocks of them.

`MessageFlights` gives those on their way at a time as they are drawn.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview.base.text import tr
from topoview.base.threads import equal_parts, in_parts
from topoview.live import kernels
from topoview.live.waits.delays import first_view
from topoview.model import (
    MESSAGES_PER_BLOCK,
    Analysis,
    Bools,
    Floats,
    Indices,
    Ints,
    MessageIndex,
    Messages,
    RankValues,
    Shorts,
    Trace,
    kept_with_source,
)
from topoview.session import State
from topoview.store.arrays import sparse_view

BLOCKS_AT_ONCE: Final = 256
"""Blocks whose messages are looked at together: some bytes for each stay in cache."""

BLOCKS_A_THREAD: Final = 512
"""Blocks that a thread looks at, at least: about half a millisecond."""


def messages_in_flight(
    messages: Messages, index: MessageIndex, since: int, ticks: int
) -> Ints:
    """Find messages between ranks on their way at any time from one to another.

    At one time, if both are the same: sent, and not yet received.

    Returns
    -------
    int64
        Their indices, ascending.
    """
    some = int(np.count_nonzero((index.begin <= ticks) & (since < index.end)))
    columns = [
        sparse_view(column, some)
        for column in (
            messages.sender,
            messages.receiver,
            messages.send_time,
            messages.receive_time,
        )
    ]

    def find(blocks: slice) -> Ints:
        begin, end = (MESSAGES_PER_BLOCK * at for at in (blocks.start, blocks.stop))
        sender, receiver, sent, received = (column[begin:end] for column in columns)
        places: Ints = begin + kernels.in_flight(
            index.begin[blocks],
            index.end[blocks],
            sender,
            receiver,
            sent,
            received,
            since,
            ticks,
        )
        return places

    parts = equal_parts(len(index.begin), least=BLOCKS_A_THREAD)
    return np.concatenate([np.zeros(0, np.int64), *in_parts(find, parts)])


def messages_between(analysis: Analysis, one: int, other: int) -> Ints:
    """Find messages that two ranks sent each other.

    Returns
    -------
    int64
        Their indices, ascending.
    """
    messages, index = analysis.trace.messages, analysis.message_index
    if index is None:
        return np.zeros(0, np.int64)
    low, high, lowest, highest = index.ranks.T
    there = (low <= one) & (one <= high) & (lowest <= other) & (other <= highest)
    back = (low <= other) & (other <= high) & (lowest <= one) & (one <= highest)

    def joins(sender: Indices, receiver: Indices) -> Bools:
        way: Bools = (sender == one) & (receiver == other)
        way |= (sender == other) & (receiver == one)
        return way

    return messages_within(there | back, joins, messages.sender, messages.receiver)


def messages_within(
    blocks: Bools, test: Callable[..., Bools], *columns: NDArray[Any]
) -> Ints:
    """Find messages in some blocks; what is copied of columns is bounded.

    Parameters
    ----------
    blocks : bool, shape (blocks,)
        Those that are looked into, of `MESSAGES_PER_BLOCK` messages each.
    test
        Tells which messages are meant, of parts of the columns: of any shape.
    columns : shape (messages,)

    Returns
    -------
    int64
        Indices of messages, ascending.
    """
    count = len(columns[0]) // MESSAGES_PER_BLOCK
    end = count * MESSAGES_PER_BLOCK
    tables = [column[:end].reshape(count, MESSAGES_PER_BLOCK) for column in columns]
    wanted = np.flatnonzero(blocks[:count])
    chunks = [np.zeros(0, np.int64)]
    for first in range(0, len(wanted), BLOCKS_AT_ONCE):
        some = wanted[first : first + BLOCKS_AT_ONCE]
        block, place = np.nonzero(test(*(table[some] for table in tables)))
        chunks.append(some[block] * MESSAGES_PER_BLOCK + place)
    if blocks[count:].any():  # the last one is not full
        rest = test(*(column[end:] for column in columns))
        chunks.append(end + np.flatnonzero(rest))
    return np.concatenate(chunks)


def messages_of_flow(
    analysis: Analysis, sender: int, receiver: int, ticks: int
) -> tuple[Ints, bool]:
    """Find the messages from one rank to another that are under way at a time.

    Without any: the last one that was sent before, and the first one after.

    Returns
    -------
    int64
        Their indices, in the order in which they were sent.
    bool
        Whether they are under way.
    """
    messages = analysis.trace.messages
    indices = messages_between(analysis, sender, receiver)
    indices = indices[messages.sender[indices] == sender]
    sent, received = messages.send_time[indices], messages.receive_time[indices]
    there = np.flatnonzero(sent >= 0)
    indices = indices[there[np.argsort(sent[there], kind="stable")]]
    sent, received = messages.send_time[indices], messages.receive_time[indices]
    now = (sent <= ticks) & (ticks < received)
    if now.any():
        return indices[now], True
    after = int(np.searchsorted(sent, ticks, "right"))
    return indices[max(after - 1, 0) : after + 1], False


# Messages on their way, as they are drawn.

MAX_MESSAGES_DRAWN = 20_000
"""Most messages that are drawn at once."""

_HASH_BITS: Final = 0xFFFFFFFF

MANY_RANKS = 1000
MAX_MESSAGES_MANY_RANKS = 2000
"""Messages that are drawn between more ranks: more would hide them."""


@dataclass(frozen=True, slots=True, eq=False)
class MessagesInFlight:
    """Messages on their way at a time, or since the last frame."""

    message: Ints
    """int64, shape (n,): index of each."""
    sender: Indices
    receiver: Indices
    """`sender` and `receiver`: int32, shape (n,)"""
    share: Floats
    """float64, shape (n,): part of the way that is done, in [0, 1]."""
    early: Bools
    """bool, shape (n,): whether its receive is yet to be posted: an unexpected
    message."""
    awaited: Bools
    """bool, shape (n,): whether its receiver is in the call that waits for it: a late
    message."""
    total: int
    """How many there are, also those that are not drawn."""
    marked: Bools
    """bool, shape (n,): whether its mark shows that it is late or unexpected."""
    codes: Shorts
    """uint16, shape (n,): place of each one's colour among `colours`."""
    colours: tuple[str, ...] = ()
    """As ``#rrggbb``; empty for ink."""
    values: RankValues | None = None
    """What the colours tell, if they tell anything."""


NO_RANKS = np.zeros(0, np.int32)
NO_MESSAGES = MessagesInFlight(
    message=np.zeros(0, np.int64),
    sender=NO_RANKS,
    receiver=NO_RANKS,
    share=np.zeros(0),
    early=np.zeros(0, bool),
    awaited=np.zeros(0, bool),
    total=0,
    marked=np.zeros(0, bool),
    codes=np.zeros(0, np.uint16),
)
"""No messages."""


@dataclass(frozen=True, slots=True, eq=False)
class MessageMarks:
    """Messages in flight by sender and receiver: a mark for each such pair."""

    first: Ints
    """int64, shape (n,): which of the messages speaks for each mark: a late one, else
    an unexpected one, else that which is furthest."""
    count: Ints
    """int64, shape (n,): messages of each."""
    tail: Floats
    head: Floats
    """`tail` and `head`: float64, shape (n,): least and greatest part of the way that
    is done, in [0, 1]."""


def marks_of(flying: MessagesInFlight) -> MessageMarks:
    """Put messages of the same sender and receiver into one mark.

    In the order of senders, then receivers.
    """
    key = flying.sender.astype(np.int64) << 32 | flying.receiver
    rank = 2 * (flying.marked & flying.awaited) + (flying.marked & flying.early)
    order = np.lexsort((flying.share, rank, key))
    if not len(order):
        none = np.zeros(0, np.int64)
        return MessageMarks(none, none, np.zeros(0), np.zeros(0))
    begin = np.flatnonzero(np.diff(key[order], prepend=-1))
    end = np.append(begin[1:], len(order))
    share = flying.share[order]
    return MessageMarks(
        order[end - 1],
        end - begin,
        np.minimum.reduceat(share, begin),
        np.maximum.reduceat(share, begin),
    )


@dataclass(frozen=True, slots=True, eq=False)
class MessageFlights:
    """Messages whose two times can be compared."""

    trace: Trace
    """Whose messages they are."""
    index: MessageIndex | None
    """Of them; None if the clocks are not aligned."""

    def at(
        self,
        ticks: int,
        since: int | None = None,
        first: tuple[int, ...] = (),
        inside: Bools | None = None,
        *,
        only: bool = False,
    ) -> MessagesInFlight:
        """Find the messages in flight at a time, or at any time since another.

        Parameters
        ----------
        ticks, since
            Times; `since` is the earlier one.
        first
            Ranks whose messages are not left out if there are too many.
        inside : bool, shape (ranks,)
            Ranks between which messages count; None: all.
        only
            Whether only messages of the ranks in `first` count.
        """
        if self.index is None:
            return NO_MESSAGES
        messages, enter = self.trace.messages, self.trace.calls.enter
        since = ticks if since is None else since
        at = messages_in_flight(messages, self.index, since, ticks)
        if inside is not None:
            at = at[inside[messages.sender[at]] & inside[messages.receiver[at]]]
        if only:
            at = at[_of_ranks(messages, at, first)]
        total = len(at)
        at = thin_out(messages, at, self.trace.ranks, first)
        sent, received, posted, completes, sender, receiver = (
            sparse_view(column, len(at))[at]
            for column in (
                messages.send_time,
                messages.receive_time,
                messages.receive_call,
                messages.completion_call,
                messages.sender,
                messages.receiver,
            )
        )
        share = np.clip((ticks - sent) / (received - sent), 0.0, 1.0)
        enter = sparse_view(enter, 2 * len(at))
        early = (posted >= 0) & (enter[np.maximum(posted, 0)] > ticks)
        awaited = (completes >= 0) & (enter[np.maximum(completes, 0)] <= ticks)
        return MessagesInFlight(
            message=at,
            sender=sender,
            receiver=receiver,
            share=share,
            early=early,
            awaited=awaited & (ticks < received),
            total=total,
            marked=np.zeros(len(at), bool),
            codes=np.zeros(len(at), np.uint16),
        )


def _of_ranks(messages: Messages, at: Ints, ranks: tuple[int, ...]) -> Bools:
    """Return which messages one of the ranks sends or receives."""
    chosen = np.array(ranks, np.int32)
    result: Bools = np.isin(messages.sender[at], chosen)
    return result | np.isin(messages.receiver[at], chosen)


MOST_A_RANK: Final = 2
"""Messages on their way for each rank up to which one can tell them apart."""


@kept_with_source()
def too_many_messages(analysis: Analysis) -> str:
    """Explain why messages of all ranks would hide the scene; empty if they would not.

    Decided once a trace, where it is looked at first: marks do not come and go.
    """
    ranks = analysis.trace.ranks
    if ranks > MANY_RANKS:
        return tr("ranks are too small for their messages")
    if analysis.message_index is None:
        return ""
    time = first_view(analysis).time
    there = messages_in_flight(
        analysis.trace.messages, analysis.message_index, time, time
    )
    if len(there) <= MOST_A_RANK * ranks:
        return ""
    return tr("more than {most} a rank are on their way", most=MOST_A_RANK)


def draws_messages(state: State) -> bool:
    """Return whether a state shows the messages of all ranks."""
    chosen, analysis = state.scene.messages, state.analysis
    if chosen is not None:
        return chosen
    return analysis is None or not too_many_messages(analysis)


def message_flights(analysis: Analysis) -> MessageFlights:
    """Return the index that finds the messages at a time."""
    aligned = analysis.trace.clock.aligned
    return MessageFlights(analysis.trace, analysis.message_index if aligned else None)


def thin_out(
    messages: Messages, at: Ints, ranks: int, first: tuple[int, ...] = ()
) -> Ints:
    """Leave out messages beyond what can be seen: always the same ones.

    Parameters
    ----------
    at : int64, shape (n,)
        Indices of messages.
    ranks
        Number of ranks.
    first
        Ranks whose messages stay, as far as possible.
    """
    most = MAX_MESSAGES_DRAWN if ranks <= MANY_RANKS else MAX_MESSAGES_MANY_RANKS
    if len(at) <= most:
        return at
    scattered = (at * 2654435761) & _HASH_BITS  # Knuth's multiplicative hash
    if first:
        scattered = np.where(_of_ranks(messages, at, first), -1, scattered)
    # Few of very many are to be found: most are not even looked through for them.
    few = scattered < _HASH_BITS // len(at) * (2 * most)
    if np.count_nonzero(few) > most:
        at, scattered = at[few], scattered[few]
    return np.sort(at[np.argpartition(scattered, most)[:most]])
