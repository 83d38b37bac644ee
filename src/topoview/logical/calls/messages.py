"""Which call sent, received or completed each message, and what each call carries.

A receive belongs to the call that posted it, and a Wait to the request that it
completes. What a tracer does not record follows from the rules of MPI.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Final, NamedTuple

import numpy as np

from topoview.base.progress import batches
from topoview.grouping import counting_sort, factorize, run_offsets
from topoview.logical import kernels
from topoview.logical.calls.one_sided import Moves
from topoview.logical.calls.operations import (
    PLAIN_RECEIVES,
    POSTING,
    WAITALL,
    WAITING,
    is_one_of,
)
from topoview.model import (
    Bools,
    Indices,
    Ints,
    Part,
    Trace,
    distinct,
    row_numbers,
    rows_at,
    rows_in_batches,
    taken,
    whole_part,
)

# What a trace does not record but what follows from the rules of MPI.
#
# EZTrace records neither the receives nor the completion of requests that C programs
# wait for.


def deduced_receives(part: Part) -> Ints:
    """Find the calls that received, or posted the receive of, messages without one.

    A rank's receives without a message are those of the messages without a receive
    that were sent to it, in order, if both are equally many, and each receive can come
    from one rank only (MPI 4.1, section 3.5: messages do not overtake).

    Returns
    -------
    int64, shape (2, n)
        Messages sent to the part's ranks, ascending, and the call of each.
    """
    messages, ranks, main = part.trace.messages, part.ranks, part.main
    pieces = [np.zeros(0, np.int64)]
    for rows in rows_in_batches(part.received):
        receive = messages.receive_call[rows]
        which = np.flatnonzero((receive < 0) & (messages.send_call[rows] >= 0))
        pieces.append(rows_at(rows, which))
    lost = np.concatenate(pieces)
    if not len(lost):
        return np.zeros((2, 0), np.int64)
    operation = part.trace.regions.operation[part.trace.calls.region[main]]
    free = is_one_of(part.trace.regions, PLAIN_RECEIVES)[operation]
    for rows in rows_in_batches(part.received):
        receive = messages.receive_call[rows]
        in_main = receive[(receive >= main.start) & (receive < main.stop)]
        free[in_main - main.start] = False
    call = main.start + np.flatnonzero(free)
    offsets, size = part.trace.calls.offsets, ranks.stop - ranks.start
    rank = np.searchsorted(offsets[ranks.start + 1 : ranks.stop + 1], call, "right")
    receiver, sender = messages.receiver[lost] - ranks.start, messages.sender[lost]
    low, high = np.full(size, part.trace.ranks), np.full(size, -1)
    np.minimum.at(low, receiver, sender)
    np.maximum.at(high, receiver, sender)
    many = np.bincount(receiver, minlength=size) == np.bincount(rank, minlength=size)
    comes_from = np.where((low == high)[rank], low[rank], -1)
    unclear = many & (low < high)
    calls = len(part.trace.calls)
    steps = part.trace.ranks * calls
    few = calls <= MAX_CALLS_FOLLOWED and steps <= MAX_STEPS_FOLLOWED
    if few and unclear.any():
        sought = np.zeros(part.trace.ranks, bool)
        sought[ranks.start : ranks.stop] = unclear
        followed = _senders(part.trace, sought)[call]
        comes_from = np.where(comes_from < 0, followed, comes_from)
    clear = many & (np.bincount(rank, comes_from < 0, minlength=size) == 0)
    chosen, own = lost[clear[receiver]], clear[rank]
    order = np.lexsort(
        [column[chosen] for column in (messages.send_call, messages.sender)]
        + [messages.receiver[chosen]]
    )
    turn = np.lexsort((call[own], comes_from[own], rank[own]))
    table = np.stack([chosen[order], call[own][turn]])
    return table[:, np.argsort(table[0], kind="stable")]


MAX_CALLS_FOLLOWED = 1 << 20
"""Calls of a trace in which it is sought from whom receives can come at all."""

MAX_STEPS_FOLLOWED = 1 << 28
"""Calls that are gone through for it, all of them for each rank: they take seconds."""


def _senders(trace: Trace, sought: Bools) -> Ints:
    """Find from whom receives of some ranks come: `kernels.senders_in_order`."""
    offsets, messages, regions = trace.calls.offsets, trace.messages, trace.regions
    main = slice(0, int(offsets[trace.ranks]))
    operation = regions.operation[trace.calls.region[main]]
    posts, wait, waitall, free = (
        is_one_of(regions, names)[operation]
        for names in (POSTING, WAITING, WAITALL, PLAIN_RECEIVES)
    )
    received = messages.receive_call[is_within(messages.receive_call, main)]
    free[received] = False
    lost = (messages.receive_call < 0) & is_within(messages.send_call, main)
    sends = np.full(main.stop, -1, np.int64)
    sends[messages.send_call[lost]] = messages.receiver[lost]
    return kernels.senders_in_order(
        offsets[: trace.ranks + 1], sends, free, posts, wait, waitall, sought
    )


def is_within(number: Ints | Indices, some: slice) -> Bools:
    """Return which numbers are of a stretch."""
    inside: Bools = (number >= some.start) & (number < some.stop)
    return inside


def completions(trace: Trace, operation: Ints | Indices) -> Ints:
    """Find the call whose request each Wait completes.

    Where no Wait of the trace says so, a Wait of a rank that has just one
    request open completes that (unless Startall opens more than can be told).

    Parameters
    ----------
    operation : integers, shape (calls,)
        Operation of the ranks' calls.

    Returns
    -------
    int64, shape (calls,)
        -1 where unknown, and for other calls.
    """
    part = whole_part(trace)
    follows = not (requests_started(part) or completions_recorded(part))
    return completions_of(trace, part.ranks, operation, follows=follows)


def completions_recorded(part: Part) -> bool:
    """Return whether the trace says of any Wait of main threads what it completes."""
    calls, main = part.trace.calls, part.main
    waiting = is_one_of(part.trace.regions, WAITING)[part.trace.regions.operation]
    own = calls.region[main], calls.completes[main]
    return any(
        (waiting[own[0][some]] & (own[1][some] >= 0)).any()
        for some in batches(len(own[0]))
    )


def requests_started(part: Part) -> bool:
    """Return whether a call starts several requests, of unknown number."""
    regions, region = part.trace.regions, part.trace.calls.region[part.main]
    starting = is_one_of(regions, frozenset({"Startall"}))[regions.operation]
    return any(starting[region[some]].any() for some in batches(len(region)))


def completions_of(
    trace: Trace, ranks: slice, operation: Ints | Indices, *, follows: bool
) -> Ints:
    """Find what Waits of some ranks complete.

    Parameters
    ----------
    operation : integers, shape (calls,)
        Operation of these ranks' calls.
    follows
        Whether it is to be found: no record of the trace says so.

    Returns
    -------
    int64, shape (calls,)
        As `completions`; counted from these ranks' first call on.
    """
    offsets = trace.calls.offsets[ranks.start : ranks.stop + 1]
    first = int(offsets[0])
    wait = is_one_of(trace.regions, WAITING)[operation]
    if not follows:
        completes = trace.calls.completes[first : first + len(operation)]
        return np.where(wait & (completes >= 0), completes - first, -1)
    return np.maximum(_open_requests(trace, offsets - first, operation), -1)


def waits_for_one_of_several(part: Part) -> bool:
    """Return whether several requests are open where a Wait completes one."""
    offsets = part.trace.calls.offsets[part.ranks.start : part.ranks.stop + 1]
    operation = part.trace.regions.operation[part.trace.calls.region[part.main]]
    completes = _open_requests(part.trace, offsets - part.main.start, operation)
    return bool((completes == -2).any())


def _open_requests(trace: Trace, offsets: Ints, operation: Ints | Indices) -> Ints:
    posts, waits, all_ = (
        is_one_of(trace.regions, names) for names in (POSTING, WAITING, WAITALL)
    )
    operation = np.asarray(operation, np.int32)
    return kernels.only_open_request(offsets, operation, posts, waits, all_)


@dataclass(frozen=True, slots=True, eq=False)
class MessageEnds:
    """Messages that the calls of some ranks send and receive.

    Call ``c`` of these sends the `sent` messages from ``first_sent[c]`` on, in program
    order, and receives `received` ones from ``first_received[c]`` on, ordered
    by direction. Columns of messages have a last entry of -1, so that index -1
    says none.
    """

    sent: Ints
    received: Ints
    first_sent: Ints
    first_received: Ints
    """`sent`, `received`, `first_sent` and `first_received`: int64, shape (calls,)"""
    sent_to: Ints
    sent_size: Ints
    receiver: Ints
    """`sent_to`, `sent_size` and `receiver`: int64, shape (messages sent + 1,):
    direction, bytes, and the partner's rank."""
    received_from: Ints
    received_size: Ints
    sender: Ints
    """`received_from`, `received_size` and `sender`: int64, shape (messages received +
    1,)"""


@dataclass(frozen=True, slots=True, eq=False)
class OwnMessages:
    """Messages that some ranks sent or received, and what one-sided calls moved."""

    sender: Indices
    receiver: Indices
    size: Ints
    tag: Indices
    send_call: Ints
    receive_call: Ints
    """`sender`, `receiver`, `size`, `tag`, `send_call` and `receive_call`: as of
    `topoview.model.Messages`; where it follows from the rules of MPI, the call that
    received a message is told, too."""
    moved: int
    """How many, the last, are one-sided: nobody receives them."""

    @staticmethod
    def of(part: Part, moves: Moves) -> "OwnMessages":
        """Gather those of a part: views, where these are all that there are."""
        messages, rows = part.trace.messages, part.sent
        if part.sent is not part.received:
            both = row_numbers(part.sent), row_numbers(part.received)
            merged = np.sort(np.concatenate(both), kind="stable")  # of two runs: fast
            rows = merged[np.diff(merged, prepend=-1) > 0]
        columns = {name: taken(getattr(messages, name), rows) for name in _COLUMNS}
        lost, call = deduced_receives(part)
        if len(lost):
            at = lost if isinstance(rows, tuple) else np.searchsorted(rows, lost)
            columns["receive_call"] = columns["receive_call"].copy()
            columns["receive_call"][at] = call
        own = OwnMessages(**columns, moved=0)
        if not len(moves.size):
            return own
        columns = {
            name: np.concatenate((getattr(own, name), getattr(moves, name))).astype(
                getattr(own, name).dtype
            )
            for name in _COLUMNS
        }
        return OwnMessages(**columns, moved=len(moves.size))


_COLUMNS: Final = tuple(
    field.name for field in fields(OwnMessages) if field.name != "moved"
)

MAX_TAGS_TOLD = 1_000
"""Tags told apart; where there are more, they number something else than kinds. See
`topoview.logical.calls.partners.MAX_TAGS`, too."""


class Channels(NamedTuple):
    """Distinct tags, senders and receivers of messages."""

    tag: Ints
    sender: Ints
    receiver: Ints
    """`tag`, `sender` and `receiver`: int64, shape (n,): ascending."""
    many: bool
    """Whether there are too many tags: all are 0."""

    @staticmethod
    def of(
        columns: Sequence[Ints | Indices], *, many: bool = False
    ) -> tuple["Channels", Ints]:
        """Find those of messages, and the number of each message's.

        Parameters
        ----------
        columns
            Tag, sender and receiver of each message.
        many
            Whether there are too many tags elsewhere.
        """
        tag, sender, receiver = columns
        ranks = 1 + int(max(sender.max(initial=0), receiver.max(initial=0)))
        tags, code = factorize(tag)
        if many or len(tags) > MAX_TAGS_TOLD:
            many, tags, code = True, np.zeros(1, np.int64), np.zeros_like(code)
        code = (code * ranks + sender) * ranks + receiver
        codes, which = factorize(code)
        kind, pair = np.divmod(codes, ranks**2)
        return Channels(tags[kind], *np.divmod(pair, ranks), many), which

    def places(self, some: "Channels") -> Ints:
        """Find where some of them are: int64."""
        tags = distinct(self.tag)
        ranks = 1 + int(max(self.sender.max(initial=0), self.receiver.max(initial=0)))

        def code(of: Channels) -> Ints:
            kind = 0 if self.many else np.searchsorted(tags, of.tag)
            return (kind * ranks + of.sender) * ranks + of.receiver

        return np.searchsorted(code(self), code(some))

    @staticmethod
    def joined(parts: Sequence["Channels"]) -> tuple["Channels", list[Ints]]:
        """Join those of several parts; tell the new numbers of each part's."""
        columns = [np.concatenate([one[side] for one in parts]) for side in range(3)]
        many = any(one.many for one in parts)
        joined, which = Channels.of(columns, many=many)
        return joined, np.split(which, np.cumsum([len(one.tag) for one in parts])[:-1])


class MessagesByCall:
    """The messages of some ranks, in order of the calls that sent and received them."""

    def __init__(self, part: Part, messages: OwnMessages) -> None:
        self._messages, self._offsets = messages, part.trace.calls.offsets
        self._first, self._main = part.ranks.start, part.main.start
        columns = messages.tag, messages.sender, messages.receiver
        self.channels, channel = Channels.of(columns)
        """`channels`: channels of all of them; directions are told by the number of
        the channel."""
        self._channel = channel.astype(np.int32)
        self._sends = self._sorted(part, messages.send_call)
        self._receives = self._sorted(part, messages.receive_call)
        lost = messages.receive_call < 0
        lost[len(lost) - messages.moved :] = False
        lost &= is_within(messages.receiver, part.ranks)
        self.unmatched = np.zeros(part.ranks.stop - part.ranks.start, bool)
        """bool, shape (ranks of the part,): whether a rank was sent messages whose
        receives are not recorded."""
        self.unmatched[messages.receiver[lost] - part.ranks.start] = True

    @staticmethod
    def _sorted(part: Part, call: Ints) -> tuple[Ints, Ints]:
        """Messages in order of their calls, if these are ranks', and each rank's."""
        main = part.main
        some = np.flatnonzero(is_within(call, main))
        own = call[some]
        if (own[1:] < own[:-1]).any():
            order = counting_sort(own - main.start, main.stop - main.start)[0]
            some, own = some[order], own[order]
        offsets = part.trace.calls.offsets[part.ranks.start : part.ranks.stop + 1]
        return some, np.searchsorted(own, offsets)

    def calls(self) -> Iterator[Ints]:
        """Iterate over the calls that sent, and those that received, some at a time."""
        columns = self._messages.send_call, self._messages.receive_call
        for call, (rows, _) in zip(columns, (self._sends, self._receives), strict=True):
            for some in batches(len(rows)):
                yield call[rows[some]] - self._main

    def ends(
        self, ranks: slice, to: Ints, source: Ints, arrives: Bools | None = None
    ) -> MessageEnds:
        """Return what the calls of some ranks send and receive.

        Parameters
        ----------
        to, source : int64, shape (channels,)
            Direction at the sender, and at the receiver; a last one of `source` is that
            of messages of which it is not told.
        arrives : bool, shape (calls,)
            Calls that take messages from whoever they come.
        """
        messages = self._messages
        first, last = self._offsets[[ranks.start, ranks.stop]].tolist()
        calls = last - first

        def own(side: tuple[Ints, Ints], call: Ints) -> tuple[Ints, Ints, Ints, Ints]:
            some, of = side
            chosen = some[of[ranks.start - self._first] : of[ranks.stop - self._first]]
            called = call[chosen] - first
            counts = np.bincount(called, minlength=calls)
            return chosen, called, counts, run_offsets(counts)[:-1]

        def take(column: Ints | Indices, some: Ints) -> Ints:
            """Return some rows, in order, and an entry of none behind them."""
            result = np.full(len(some) + 1, -1, np.int64)
            result[:-1] = column[some]
            return result

        sends, _, sent, first_sent = own(self._sends, messages.send_call)
        receives, called, received, first_received = own(
            self._receives, messages.receive_call
        )
        come = source[self._channel[receives]]
        if arrives is not None:
            come = np.where(arrives[called], source[-1], come)
        if received.max(initial=0) > 1:
            order = np.lexsort((come, called))
            receives, come = receives[order], come[order]
        return MessageEnds(
            sent=sent,
            received=received,
            first_sent=first_sent,
            first_received=first_received,
            sent_to=np.append(to[self._channel[sends]], -1),
            sent_size=take(messages.size, sends),
            receiver=take(messages.receiver, sends),
            received_from=np.append(come, -1),
            received_size=take(messages.size, receives),
            sender=take(messages.sender, receives),
        )
