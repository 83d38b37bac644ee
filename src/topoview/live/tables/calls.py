"""Calls and messages of all ranks: those that a query asks for, and their columns."""

import fnmatch
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview.base.text import ARROW, tr
from topoview.live import kernels
from topoview.live.tables.iterations import iteration_of_calls
from topoview.live.tables.partners import PartnerDirections
from topoview.live.tables.search.query import Bound, Partner, Query
from topoview.model import (
    Analysis,
    Bools,
    Column,
    Floats,
    Indices,
    Ints,
    Messages,
    Schema,
    Table,
    Trace,
    named,
)
from topoview.model.frozen.arrays import to_seconds

NONE = -1
"""No rank, tag or communicator."""

SEVERAL = -2
"""A call has messages with several ranks, tags or communicators."""


CALLS: Final = Schema(
    Column("call", "#", link="call"),
    Column("rank", "#", tr("rank"), tr("Rank that makes the call"), link="rank"),
    Column("function", "", tr("call"), tr("MPI function")),
    Column(
        "begin",
        "at",
        tr("begin"),
        tr("When the call was entered, from the mark if there is one"),
    ),
    Column("seconds", "s", tr("duration"), tr("Time that the call took"), bar=True),
    Column(
        "waited",
        "s",
        tr("waited"),
        tr("Late-partner wait: how long partners were late"),
    ),
    Column("waited_for", "#", "", "Rank waited for", link="rank"),
    Column(
        "last",
        "",
        tr("late partner"),
        tr("Direction, or rank, whose message or arrival came last"),
    ),
    Column("direction", "", tr("direction"), tr("Where its messages go, or come from")),
    Column("to", "#", tr("to"), "Rank that it sends to", link="rank"),
    Column("from", "#", tr("from"), "Rank that it receives from", link="rank"),
    Column("messages", "", tr("messages")),
    Column(
        "bytes",
        "B",
        tr("bytes"),
        tr("Bytes of its messages, or of its part in the operation"),
    ),
    Column("tag", "#", tr("tag"), tr("Tag of its messages")),
    Column("communicator", "", tr("communicator"), tr("Communicator")),
    Column(
        "iteration",
        "#",
        tr("iteration"),
        tr("Iteration of the longest loop, from 1"),
        codes={0: ""},
    ),
)

MESSAGES: Final = Schema(
    Column("message", "#", tr("message"), link="message"),
    Column("sender", "#", tr("sender"), link="rank"),
    Column("receiver", "#", tr("receiver"), link="rank"),
    Column("direction", "", tr("direction"), tr("As the sender sees it")),
    Column("bytes", "B", tr("bytes")),
    Column("tag", "#", tr("tag")),
    Column("communicator", "", tr("communicator")),
    Column("sent", "at", tr("sent")),
    Column("received", "at", tr("received")),
    Column("seconds", "s", tr("duration"), tr("From send to receive"), bar=True),
    Column("waited", "s", tr("waited"), tr("How long the receiver waited for it")),
)

NUMBERS: Final = ("duration", "begin", "rank", "waited", "iteration", "bytes")
"""Columns of calls that are numbers; what costs least first."""


@dataclass(frozen=True, eq=False)
class Search:
    """Searches the calls and messages of an analysed trace.

    Columns that a query does not need are not made; each is made once.
    """

    analysis: Analysis
    """The trace and its results. `waits`, `positions` and `logical` are used if
    there."""

    def rank_of(self, call: Ints) -> Indices:
        """Return the rank of calls, -1 for locations of none: int32, shape (calls,)."""
        return self.analysis.trace.ranks_of_calls(call).astype(np.int32)

    @cached_property
    def directions(self) -> PartnerDirections:
        """Directions of pairs of ranks."""
        return PartnerDirections(self.analysis)

    def late(self, call: Ints | slice) -> Ints:
        """Ticks that calls waited for late partners; -1 where unknown."""
        trace, waits = self.analysis.trace, self.analysis.waits
        if waits is None:
            return np.full(len(trace.calls.enter[call]), -1, np.int64)
        from topoview.analysis.waits.states import lateness

        return lateness(trace, waits, call)

    @cached_property
    def volume(self) -> "CallBytes":
        """Bytes of each call's messages, or of its part in an operation."""
        return CallBytes(self.analysis.trace)

    def numbers(self, column: str, call: Ints) -> Floats:
        """Return a column of `NUMBERS` for calls, in seconds, bytes or numbers.

        Returns
        -------
        float64, shape (calls,)
            NaN where the trace does not tell.
        """
        calls, scale = self.analysis.trace.calls, self.analysis.trace.clock.resolution
        if column == "duration":
            return (calls.leave[call] - calls.enter[call]) / scale
        if column == "begin":
            return calls.enter[call] / scale
        if column == "waited":
            late = self.late(call)
            return np.where(late < 0, np.nan, late / scale)
        if column == "rank":
            return self.rank_of(call).astype(np.float64)
        if column == "iteration":
            return iteration_of_calls(self.analysis, call).astype(np.float64)
        return self.volume.of(call).astype(np.float64)

    def calls(
        self,
        query: Query,
        window: tuple[int, int] | None = None,
        ranks: Iterable[int] = (),
    ) -> Ints:
        """Find calls.

        Parameters
        ----------
        query
            What is looked for. ``bytes`` are those of a call's messages together, or of
            its part in a collective operation.
        window
            Only calls that are open at some time from its begin to before its end, in
            ticks.
        ranks
            Only calls of these; of all if there are none.

        Returns
        -------
        int64, shape (found,)
            Indices into the trace's calls, ascending.
        """
        search = CallSearch(self, query, window, tuple(ranks))
        return search.between(0, len(self.analysis.trace.calls))

    def messages(
        self,
        query: Query,
        window: tuple[int, int] | None = None,
        ranks: Iterable[int] = (),
    ) -> Ints:
        """Find messages.

        Parameters
        ----------
        query
            What is looked for. A function is that of the sending, the receiving or the
            completing call, an iteration that of the sending call; ``to`` is told from
            the sender, ``from`` from the receiver; ``rank`` is either; ``waited`` is
            how long the receiver waited for this one.
        window
            Only messages under way at some time from its begin to before its end.
        ranks
            Only messages that one of these sends or receives.

        Returns
        -------
        int64, shape (found,)
            Indices into the trace's messages, ascending.
        """
        trace, messages = self.analysis.trace, self.analysis.trace.messages
        keep = self.message_fits(query) & self._of_calls(query)
        ends = messages.sender, messages.receiver
        if some := list(ranks):
            own = _members(some, trace.ranks)
            keep &= own[ends[0]] | own[ends[1]]
        if window is not None:
            sent, arrived = message_times(messages)
            keep &= (sent < window[1]) & (arrived >= window[0])
        if bounds := query.bounds_of("rank"):
            keep &= _within(ends[0], bounds) | _within(ends[1], bounds)
        if bounds := query.bounds_of("duration"):
            keep &= _within(self.flight(), bounds)
        if bounds := query.bounds_of("begin"):
            keep &= _within(messages.times / trace.clock.resolution, bounds)
        if bounds := query.bounds_of("waited"):
            keep &= _within(self.waited_for(np.arange(len(messages))), bounds)
        for way in ("to", "from"):
            wanted = [partner for partner in query.partners if partner.way == way]
            if wanted:
                keep &= self.goes(wanted)
        result: Ints = np.flatnonzero(keep)
        return result

    def _of_calls(self, query: Query) -> Bools:
        """Return which messages have calls with the function, path and iteration."""
        trace, messages = self.analysis.trace, self.analysis.trace.messages
        sent, posted, completed = (
            messages.send_call,
            messages.receive_call,
            messages.completion_call,
        )
        keep = np.ones(len(messages), bool)
        if query.functions:
            fits = np.append(self.named(query.functions)[trace.calls.region], False)
            keep &= fits[sent] | fits[posted] | fits[completed]
        if query.regions:
            inside = np.append(self.inside(query.regions)[trace.calls.path], False)
            keep &= inside[sent] | inside[posted]
        if bounds := query.bounds_of("iteration"):
            valid = np.flatnonzero(sent >= 0)
            of = np.zeros(len(messages), np.int32)
            of[valid] = iteration_of_calls(self.analysis, sent[valid])
            keep &= _within(of, bounds)
        return keep

    def call_table(self, call: Ints) -> Table:
        """Return a table of calls.

        Returns
        -------
        Table
            ``call, rank, function, begin`` and ``seconds``; ``waited`` for late
            partners in seconds, NaN where unknown, and ``waited_for``, the
            rank;
            ``to, from, tag`` and ``communicator`` (-1 none, -2 several), ``direction``
            of the one partner, ``messages``, ``bytes``, ``iteration``.
        """
        trace = self.analysis.trace
        calls, scale = trace.calls, trace.clock.resolution
        titles = [trace.regions.title(n) for n in range(len(trace.regions.names))]
        late, rank = self.late(call), self.rank_of(call)
        traffic = self.traffic(call)
        waits = self.analysis.waits
        cause = np.full(len(call), NONE) if waits is None else waits.whom[call]
        to, source = traffic.one["to"], traffic.one["from"]
        outward = self.directions.of(rank, to)
        inward = self.directions.of(rank, source)
        labels = self.directions.labels
        ways = [*(f"to {w}" for w in labels), *(f"from {w}" for w in labels)]
        way = np.where(
            outward >= 0, outward, np.where(inward >= 0, inward + len(labels), NONE)
        )
        communicators = [each.name for each in trace.communicators]
        return Table(
            CALLS,
            {
                "call": call,
                "rank": rank,
                "function": named(calls.region[call], titles),
                "begin": calls.enter[call] / scale,
                "seconds": (calls.leave[call] - calls.enter[call]) / scale,
                "waited": np.where(late < 0, np.nan, late / scale),
                "waited_for": np.where(late > 0, cause, NONE).astype(np.int32),
                "direction": named(way, ways),
                "to": to,
                "from": source,
                "messages": traffic.messages,
                "bytes": traffic.volume,
                "tag": traffic.one["tag"],
                "communicator": named(traffic.one["communicator"], communicators),
                "iteration": iteration_of_calls(self.analysis, call),
            },
        )

    def message_table(self, message: Ints) -> Table:
        """Return a table of messages.

        Returns
        -------
        Table
            ``message, sender, receiver, direction`` (from the sender), ``bytes, tag,
            communicator``; ``sent`` and ``received`` in seconds, ``seconds`` between
            them, and ``waited``, how long the receiver waited for it; NaN where that
            was not recorded.
        """
        trace, messages = self.analysis.trace, self.analysis.trace.messages
        scale = trace.clock.resolution
        ends = messages.sender[message], messages.receiver[message]
        way = self.directions.of(*ends)
        communicators = [each.name for each in trace.communicators]
        return Table(
            MESSAGES,
            {
                "message": message,
                "sender": ends[0],
                "receiver": ends[1],
                "direction": named(way, list(self.directions.labels)),
                "bytes": messages.size[message],
                "tag": messages.tag[message],
                "communicator": named(messages.communicator[message], communicators),
                "sent": to_seconds(messages.send_time[message], scale),
                "received": to_seconds(messages.receive_time[message], scale),
                "seconds": self.flight()[message],
                "waited": self.waited_for(message),
            },
        )

    def named(self, patterns: tuple[str, ...]) -> Bools:
        """Return which regions are MPI functions that a pattern fits."""
        regions = self.analysis.trace.regions
        fits = [re.compile(fnmatch.translate(pattern)).match for pattern in patterns]
        flags = [any(fit(name.lower()) for fit in fits) for name in regions.operations]
        result: Bools = np.array([*flags, False])[regions.operation]
        return result

    def inside(self, names: tuple[str, ...]) -> Bools:
        """Return which call paths have a region with, or are within, one of the names.

        A name with ``>`` is of regions within each other, each as it is called; one
        that ends so is of what is called by the last of them itself.
        """
        trace = self.analysis.trace
        regions = [*(region.lower() for region in trace.regions.names), ""]
        parts = [name for name in names if ARROW not in f"{name} "]
        chains = [
            (
                f"{ARROW}{name.removesuffix(ARROW.rstrip())}{ARROW}",
                f"{name} ".endswith(ARROW),
            )
            for name in names
            if name not in parts
        ]
        own = [any(part in region for part in parts) for region in regions]
        result = np.array(own)[trace.paths.region]
        texts: list[str] = []
        paths = zip(trace.paths.parent.tolist(), trace.paths.region, strict=True)
        for path, (parent, region) in enumerate(paths):
            texts.append(ARROW)
            if parent >= 0:  # a smaller number
                texts[path] = texts[parent] + regions[region] + ARROW
                result[path] |= result[parent]
            result[path] |= any(
                texts[path].endswith(chain) if direct else chain in texts[path]
                for chain, direct in chains
            )
        return result

    def message_fits(self, query: Query) -> Bools:
        """Return which messages have the bytes, tag and communicator wanted."""
        messages = self.analysis.trace.messages
        keep = np.ones(len(messages), bool)
        for column, values in (("bytes", messages.size), ("tag", messages.tag)):
            if bounds := query.bounds_of(column):
                keep &= _within(values, bounds)
        if query.communicators:
            keep &= self.communicators(query)[messages.communicator]
        return keep

    def communicators(self, query: Query) -> Bools:
        """Return which communicators have a wanted name."""
        names = [each.name.lower() for each in self.analysis.trace.communicators]
        flags = [any(part in name for part in query.communicators) for name in names]
        return np.array([*flags, False])

    def goes(self, partners: list[Partner]) -> Bools:
        """Return which messages go to or come from one of some partners."""
        messages = self.analysis.trace.messages
        here, there = messages.sender, messages.receiver
        if partners[0].way == "from":
            here, there = there, here
        keep = np.zeros(len(messages), bool)
        label: Indices | None = None
        for partner in partners:
            if partner.name.isdecimal():
                keep |= there == int(partner.name)
                continue
            if label is None:
                label = self.directions.of(here, there)
            keep |= self.directions.named(partner.name)[label]
        return keep

    def _rows_of(self, call: Ints) -> Callable[[Ints], tuple[Ints, Ints]]:
        """Return a function that finds the rows of a column of calls that name some.

        It returns these rows, and the place of each one's call among `call`.
        """
        there = np.zeros(len(self.analysis.trace.calls) + 1, bool)  # the last: no call
        there[call] = True
        order = np.argsort(call, kind="stable")
        ascending = call[order]

        def rows_of(column: Ints) -> tuple[Ints, Ints]:
            rows = np.flatnonzero(there[column])
            return rows, order[np.searchsorted(ascending, column[rows])]

        return rows_of

    def traffic(self, call: Ints) -> "Traffic":
        """Sum up the messages of calls, and their parts in collective operations."""
        trace, messages = self.analysis.trace, self.analysis.trace.messages
        rows_of, count = self._rows_of(call), len(call)
        totals = np.zeros(count, np.int64)
        volume = np.zeros(count, np.int64)
        one = {
            name: np.full(count, NONE, np.int32)
            for name in ("to", "from", "tag", "communicator")
        }
        posted = messages.receive_call
        for way, column, other, before in (
            ("to", messages.send_call, messages.receiver, None),
            ("from", posted, messages.sender, None),
            ("from", messages.completion_call, messages.sender, posted),
        ):
            mine, at = rows_of(column)
            if before is not None:  # one that posts and completes counts once
                apart = column[mine] != before[mine]
                mine, at = mine[apart], at[apart]
            totals += np.bincount(at, minlength=count)
            volume += np.bincount(at, messages.size[mine], count).astype(np.int64)
            _note(one[way], at, other[mine])
            _note(one["tag"], at, messages.tag[mine])
            _note(one["communicator"], at, messages.communicator[mine])
        parts = trace.collectives
        mine, at = rows_of(parts.call)
        volume[at] = np.maximum(parts.sent[mine], parts.received[mine])
        one["communicator"][at] = parts.communicator[mine]
        return Traffic(totals, volume, one)

    def flight(self) -> NDArray[np.float64]:
        """Seconds from send to receive; NaN where one was not recorded."""
        messages, scale = (
            self.analysis.trace.messages,
            self.analysis.trace.clock.resolution,
        )
        sent, arrived = messages.send_time, messages.receive_time
        return to_seconds(arrived, scale) - to_seconds(sent, scale)

    def waited_for(self, message: Ints) -> NDArray[np.float64]:
        """Seconds that the receiver waited, if it was for the sender of these."""
        messages, waits = self.analysis.trace.messages, self.analysis.waits
        if waits is None:
            return np.full(len(message), np.nan)
        scale = self.analysis.trace.clock.resolution
        call = messages.completion_call[message]
        late = np.where(call >= 0, self.late(np.maximum(call, 0)), -1)
        mine = np.append(waits.whom, NONE)[call] == messages.sender[message]
        return np.where(late < 0, np.nan, np.where(mine, late / scale, 0.0))


class CallSearch:
    """A search for calls that goes through a trace part after part.

    What it has to know of messages is found in one pass over them, when it begins.

    Parameters
    ----------
    query, window, ranks
        As for `Search.calls`.
    """

    def __init__(
        self,
        search: Search,
        query: Query,
        window: tuple[int, int] | None = None,
        ranks: tuple[int, ...] = (),
    ) -> None:
        analysis = search.analysis
        self._search, self._query, self._window = search, query, window
        self._named = search.named(query.functions) if query.functions else None
        self._inside = search.inside(query.regions) if query.regions else None
        self._own = _members(list(ranks), analysis.trace.ranks) if ranks else None
        self._marks = self._marked_calls()

    def between(self, first: int, last: int) -> Ints:
        """Find calls from one to before another: their numbers, ascending."""
        search, query = self._search, self._query
        trace, some = search.analysis.trace, slice(first, last)
        calls = trace.calls
        region, enter, leave = (
            column[some] for column in (calls.region, calls.enter, calls.leave)
        )
        lengths = np.diff(calls.offsets.clip(first, last))
        rank = np.repeat(trace.rank_of_location[: len(lengths)], lengths)
        keep = rank >= 0
        if self._named is not None:
            keep &= self._named[region]
        if self._inside is not None:
            keep &= self._inside[calls.path[some]]
        if self._own is not None:
            keep &= self._own[rank]
        if self._window is not None:
            keep &= (enter < self._window[1]) & (leave >= self._window[0])
        for marked in self._marks:
            keep &= marked[some]
        result: Ints = np.flatnonzero(keep) + first
        for column in NUMBERS:
            if bounds := query.bounds_of(column):
                result = result[_within(search.numbers(column, result), bounds)]
        return result

    def _marked_calls(self) -> list[Bools]:
        """Mark the calls that have the partners, tag and communicator asked for."""
        search, query = self._search, self._query
        trace, marks = search.analysis.trace, []
        messages = trace.messages
        received = [messages.receive_call, messages.completion_call]
        about = Query(bounds=query.bounds_of("tag"), communicators=query.communicators)
        if about:
            some = search.message_fits(about)
            mask = _marked([messages.send_call, *received], some, len(trace.calls))
            if query.communicators and not query.bounds_of("tag"):
                parts = trace.collectives
                own = search.communicators(query)[parts.communicator]
                mask |= _marked([parts.call], own, len(trace.calls))
            marks.append(mask)
        for way, columns in (("to", [messages.send_call]), ("from", received)):
            partners = [each for each in query.partners if each.way == way]
            if partners:
                some = search.goes(partners)
                marks.append(_marked(columns, some, len(trace.calls)))
        return marks


def _marked(columns: list[Ints], some: Bools, count: int) -> Bools:
    """Mark the calls of some messages."""
    mask = np.zeros(count + 1, bool)  # the last is for no call
    for column in columns:
        mask[column[some]] = True
    return mask[:count]


CALLS_PER_BLOCK: Final = 1 << 18
"""Calls whose bytes are summed up together."""


class CallBytes:
    """Bytes of calls, summed up where they are asked for.

    Messages do not lie in order of the calls that receive them, so that each sum is a
    pass over all of them. One is of the blocks of calls that are asked for, and of as
    many that follow as there are already: who goes through all calls has the first
    ones soon, and makes few passes.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        count = len(trace.calls)
        self._counts = np.zeros(count, np.int64)
        self._there = np.zeros(count // CALLS_PER_BLOCK + 1, bool)

    def of(self, call: Ints) -> Ints:
        """Return the bytes of some calls: int64, shape (calls,)."""
        wanted = np.zeros(len(self._there), bool)
        wanted[call // CALLS_PER_BLOCK] = True
        wanted &= ~self._there
        if wanted.any():
            last = int(np.flatnonzero(wanted)[-1])
            wanted[last : last + np.count_nonzero(self._there)] = True
            wanted &= ~self._there
            self._sum_up(wanted)
            self._there |= wanted
        return self._counts[call]

    def _sum_up(self, wanted: Bools) -> None:
        messages, parts = self._trace.messages, self._trace.collectives
        posted = messages.receive_call
        for column, before in (
            (messages.send_call, posted[:0]),
            (posted, posted[:0]),
            (messages.completion_call, posted),
        ):
            kernels.add_bytes(self._counts, column, before, messages.size, wanted)
        own = np.flatnonzero(parts.call >= 0)
        own = own[wanted[parts.call[own] // CALLS_PER_BLOCK]]
        volume = np.maximum(parts.sent[own], parts.received[own])
        self._counts[parts.call[own]] = volume


@dataclass(frozen=True, slots=True, eq=False)
class Traffic:
    """Messages and bytes of some calls; the one value of each column that they have."""

    messages: Ints
    volume: Ints
    one: dict[str, Indices]


def message_times(messages: Messages) -> tuple[Ints, Ints]:
    """Return times of sending and receiving; where one is unknown, the other."""
    sent, arrived = messages.send_time, messages.receive_time
    return messages.times, np.where(arrived >= 0, arrived, sent)


def _note(values: Indices, at: Ints, value: NDArray[Any]) -> None:
    """Note the one value that the messages at each place have, or `SEVERAL`."""
    before = values.copy()
    values[at] = value
    different = values[at] != value
    values[at[different]] = SEVERAL
    changed = (before != NONE) & (before != values)
    values[changed] = SEVERAL


def _members(ranks: list[int], count: int) -> Bools:
    result = np.zeros(count + 1, bool)  # the last is for rank -1
    result[[rank for rank in ranks if 0 <= rank < count]] = True
    return result


def _within(values: NDArray[Any], bounds: tuple[Bound, ...]) -> Bools:
    """Return which values lie within all open bounds, and one of the closed ones."""
    keep = np.ones(len(values), bool)
    spans = [b for b in bounds if np.isfinite(b.least) and np.isfinite(b.most)]
    for bound in bounds:
        if bound not in spans:
            keep &= (values >= bound.least) & (values <= bound.most)
    if spans:
        some = np.zeros(len(values), bool)
        for bound in spans:
            some |= (values >= bound.least) & (values <= bound.most)
        keep &= some
    return keep
