"""Messages in flight: which at a time, what is told of them, and their colours."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numba
import numpy as np

from topoview.analysis.message_index import message_index
from topoview.live.messages import messages_in_flight
from topoview.model import (
    Bools,
    Floats,
    Indices,
    Ints,
    MessageIndex,
    Messages,
    MPIState,
    RankValues,
    Shorts,
    Trace,
)
from topoview.scene.palette import MESSAGE_COLOURING_TEXTS, STATE_COLOURS, Theme
from topoview.scene.shading import shade_by_values
from topoview.store.arrays import sparse_view

MAX_MESSAGES_DRAWN = 20_000
"""Most messages that are drawn at once."""

MANY_RANKS = 1000
MAX_MESSAGES_MANY_RANKS = 2000
"""Messages that are drawn between more ranks: more would hide them."""

MAX_TAGS = 256
"""Different tags that are told apart."""


@dataclass(frozen=True, slots=True, eq=False)
class MessagesInFlight:
    """Messages on their way at a time, or since the last frame.

    Attributes
    ----------
    message : int64, shape (n,)
        Index of each.
    sender, receiver : int32, shape (n,)
    share : float64, shape (n,)
        Part of the way that is done, in [0, 1].
    early : bool, shape (n,)
        Whether its receive is yet to be posted: an unexpected message.
    awaited : bool, shape (n,)
        Whether its receiver is in the call that waits for it: a late message.
    total
        How many there are, also those that are not drawn.
    codes : uint16, shape (n,)
        Place of each one's colour among `colours`.
    colours
        As ``#rrggbb``; empty for ink.
    values
        What the colours tell, if they tell anything.
    """

    message: Ints
    sender: Indices
    receiver: Indices
    share: Floats
    early: Bools
    awaited: Bools
    total: int
    codes: Shorts
    colours: tuple[str, ...] = ()
    values: RankValues | None = None


NO_RANKS = np.zeros(0, np.int32)
NO_MESSAGES = MessagesInFlight(
    np.zeros(0, np.int64),
    NO_RANKS,
    NO_RANKS,
    np.zeros(0),
    np.zeros(0, bool),
    np.zeros(0, bool),
    0,
    np.zeros(0, np.uint16),
)
"""No messages."""


@dataclass(frozen=True, slots=True, eq=False)
class MessageFlights:
    """Messages whose two times can be compared.

    Attributes
    ----------
    trace
        Whose messages they are.
    blocks
        What is known about them; None if the clocks are not aligned.
    """

    trace: Trace
    blocks: MessageIndex | None

    def at(
        self,
        ticks: int,
        since: int | None = None,
        first: tuple[int, ...] = (),
        inside: Bools | None = None,
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
        """
        if self.blocks is None:
            return NO_MESSAGES
        messages, enter = self.trace.messages, self.trace.calls.enter
        since = ticks if since is None else since
        at = messages_in_flight(messages, self.blocks, since, ticks)
        if inside is not None:
            at = at[inside[messages.sender[at]] & inside[messages.receiver[at]]]
        total = len(at)
        at = thin_out(messages, at, self.trace.ranks, first)
        sent, received, posted, completes, sender, receiver = (
            sparse_view(column, len(at))[at]
            for column in (
                *(messages.send_time, messages.receive_time),
                *(messages.receive_call, messages.completion_call),
                *(messages.sender, messages.receiver),
            )
        )
        share = np.clip((ticks - sent) / (received - sent), 0.0, 1.0)
        enter = sparse_view(enter, 2 * len(at))
        early = (posted >= 0) & (enter[np.maximum(posted, 0)] > ticks)
        awaited = (completes >= 0) & (enter[np.maximum(completes, 0)] <= ticks)
        return MessagesInFlight(
            at,
            sender,
            receiver,
            share,
            early,
            awaited & (ticks < received),
            total,
            np.zeros(len(at), np.uint16),
        )


def message_flights(trace: Trace) -> MessageFlights:
    """Look through the messages, so that those at a time are found at once."""
    aligned = trace.clock.aligned
    return MessageFlights(trace, message_index(trace.messages) if aligned else None)


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
    scattered = (at * 2654435761) & 0xFFFFFFFF  # Knuth's multiplicative hash
    if first:
        chosen = np.array(first)
        own = np.isin(messages.sender[at], chosen)
        own |= np.isin(messages.receiver[at], chosen)
        scattered = np.where(own, -1, scattered)
    return np.sort(at[np.argpartition(scattered, most)[:most]])


def _message_sizes(found: MessagesInFlight, trace: Trace, ticks: int) -> RankValues:
    del ticks
    low, high, _ = _sizes_and_tags(trace.messages)
    sizes = trace.messages.size[found.message].astype(np.float64)
    return RankValues(sizes, max(low, 1), max(high, 1), "B", log=True)


def _message_tags(found: MessagesInFlight, trace: Trace, ticks: int) -> RankValues:
    del ticks
    *_, tags = _sizes_and_tags(trace.messages)
    own = trace.messages.tag[found.message]
    at = np.minimum(np.searchsorted(tags, own), max(len(tags) - 1, 0))
    known = (tags[at] == own) if len(tags) else np.zeros(len(own), bool)
    names = tuple(f"tag {tag}" for tag in tags.tolist())
    return RankValues(
        np.where(known, at, np.nan), 0, len(names), names=names, none="other tags"
    )


def _receiver_waits(found: MessagesInFlight, trace: Trace, ticks: int) -> RankValues:
    call = trace.messages.completion_call[found.message]
    waited = ticks - trace.calls.enter[np.maximum(call, 0)]
    seconds = np.where(found.awaited, waited / trace.clock.resolution, np.nan)
    high = max(float(np.nanmax(seconds, initial=0.0)), 1e-6)
    return RankValues(seconds, high / 1000, high, "s", log=True, none="nobody waits")


@dataclass(frozen=True, slots=True)
class MessageColouring:
    """What messages' colours can tell: its name, and what finds the numbers."""

    text: str
    values: Callable[[MessagesInFlight, Trace, int], RankValues]


MESSAGE_COLOURINGS: dict[str, MessageColouring] = {
    "size": MessageColouring(MESSAGE_COLOURING_TEXTS["size"], _message_sizes),
    "tag": MessageColouring(MESSAGE_COLOURING_TEXTS["tag"], _message_tags),
    "late": MessageColouring(MESSAGE_COLOURING_TEXTS["late"], _receiver_waits),
}
"""What the colours of messages can tell. To add one is a function, a line, and its
text in `channel_names`."""


def colour_messages(
    found: MessagesInFlight, name: str, trace: Trace, theme: Theme, ticks: int
) -> MessagesInFlight:
    """Colour messages by what a row of `MESSAGE_COLOURINGS` tells; without one in ink.

    Without one those that are awaited have the colour of waiting.
    """
    look = MESSAGE_COLOURINGS.get(name)
    if look is None:
        colours = theme.ink, STATE_COLOURS[MPIState.WAIT]
        return replace(found, codes=found.awaited.astype(np.uint16), colours=colours)
    values = look.values(found, trace, ticks)
    shading = shade_by_values(theme, values)
    told = (theme.edge, *shading.palette.colours[1:])
    return replace(found, codes=shading.codes, colours=told, values=values)


_SIZES_AND_TAGS: WeakKeyDictionary[Messages, tuple[int, int, Indices]] = (
    WeakKeyDictionary()
)


def _sizes_and_tags(messages: Messages) -> tuple[int, int, Indices]:
    """Smallest and largest size, and the tags, ascending; looked for once."""
    if messages not in _SIZES_AND_TAGS:
        low, high, tags = _find_sizes_and_tags(messages.size, messages.tag)
        _SIZES_AND_TAGS[messages] = int(low), int(high), np.sort(tags)
    return _SIZES_AND_TAGS[messages]


@numba.njit(nogil=True, cache=True)
def _find_sizes_and_tags(
    size: Ints, tag: Indices
) -> tuple[np.int64, np.int64, Indices]:
    low = high = np.int64(0)
    tags = np.empty(MAX_TAGS, np.int32)
    count = 0
    for i in range(len(size)):
        low = size[i] if i == 0 else min(low, size[i])
        high = max(high, size[i])
        known = count == MAX_TAGS or (count > 0 and tags[count - 1] == tag[i])
        for k in range(count):
            if known:
                break
            known = tags[k] == tag[i]
        if not known:
            tags[count] = tag[i]
            count += 1
    return low, high, tags[:count]
