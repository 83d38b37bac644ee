"""Calls and messages of all ranks: those that a query asks for, and their columns."""

import fnmatch
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topoview.analysis.waits.states import lateness
from topoview.live.tables.iterations import iteration_of_calls
from topoview.live.tables.partners import PartnerDirections
from topoview.live.tables.query import Bound, Partner, Query
from topoview.model import (
    Analysis,
    Bools,
    Indices,
    Ints,
    Messages,
    Table,
    named,
)
from topoview.model.arrays import to_seconds

NONE = -1
"""No rank, tag or communicator."""

SEVERAL = -2
"""A call has messages with several ranks, tags or communicators."""


@dataclass(frozen=True, eq=False)
class Search:
    """Searches the calls and messages of an analysed trace.

    Columns that a query does not need are not made; each is made once.

    Attributes
    ----------
    known
        The trace and its results. `waits`, `positions` and `logical` are used if there.
    """

    known: Analysis

    @cached_property
    def ranks(self) -> Indices:
        """Rank of each call; -1 for a location of none: int32, shape (calls,)."""
        trace = self.known.trace
        of_row = trace.rank_of_location[: len(trace.calls.offsets) - 1]
        return np.repeat(of_row, np.diff(trace.calls.offsets)).astype(np.int32)

    @cached_property
    def directions(self) -> PartnerDirections:
        """Directions of pairs of ranks."""
        return PartnerDirections(self.known)

    @cached_property
    def iterations(self) -> Indices:
        """Iteration of each call in the longest loop, from 1; 0 outside of it."""
        return iteration_of_calls(self.known)

    @cached_property
    def lateness(self) -> Ints:
        """Ticks that each call waited for late partners; -1 where that is not known."""
        trace, waits = self.known.trace, self.known.waits
        if waits is None:
            return np.full(len(trace.calls), -1, np.int64)
        return lateness(trace, waits)

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
        trace = self.known.trace
        calls = trace.calls
        keep = self.ranks >= 0
        if query.functions:
            keep &= self._named(query.functions)[calls.region]
        if some := list(ranks):
            keep &= _members(some, trace.ranks)[self.ranks]
        if window is not None:
            keep &= (calls.enter < window[1]) & (calls.leave >= window[0])
        scale = trace.clock.resolution
        for column, values in (
            ("duration", lambda: (calls.leave - calls.enter) / scale),
            ("rank", lambda: self.ranks),
            ("wait", lambda: self.lateness / scale),
            ("iteration", lambda: self.iterations),
        ):
            if bounds := query.bounds_of(column):
                keep &= _within(values(), bounds)
        if query.regions:
            keep &= self._inside(query.regions)[calls.path]
        found: Ints = np.flatnonzero(keep)
        if not len(found):
            return found
        return found[self._traffic_fits(query, found)]

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
            the sender, ``from`` from the receiver; ``rank`` is either; ``wait`` is how
            long the receiver waited for this one.
        window
            Only messages under way at some time from its begin to before its end.
        ranks
            Only messages that one of these sends or receives.

        Returns
        -------
        int64, shape (found,)
            Indices into the trace's messages, ascending.
        """
        trace, messages = self.known.trace, self.known.trace.messages
        keep = self._message_fits(query) & self._of_calls(query)
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
            keep &= _within(self._flight(), bounds)
        if bounds := query.bounds_of("wait"):
            keep &= _within(self._waited_for(np.arange(len(messages))), bounds)
        for way in ("to", "from"):
            wanted = [partner for partner in query.partners if partner.way == way]
            if wanted:
                keep &= self._goes(wanted)
        found: Ints = np.flatnonzero(keep)
        return found

    def _of_calls(self, query: Query) -> Bools:
        """Tell which messages have calls with the function, path and iteration."""
        trace, messages = self.known.trace, self.known.trace.messages
        sent, posted, completed = (
            messages.send_call,
            messages.receive_call,
            messages.completion_call,
        )
        keep = np.ones(len(messages), bool)
        if query.functions:
            fits = np.append(self._named(query.functions)[trace.calls.region], False)
            keep &= fits[sent] | fits[posted] | fits[completed]
        if query.regions:
            inside = np.append(self._inside(query.regions)[trace.calls.path], False)
            keep &= inside[sent] | inside[posted]
        if bounds := query.bounds_of("iteration"):
            keep &= _within(np.append(self.iterations, 0)[sent], bounds)
        return keep

    def call_table(self, call: Ints) -> Table:
        """Make a table of calls.

        Returns
        -------
        Table
            ``call, rank, function, begin`` and ``seconds``; ``wait`` for late partners
            in seconds, NaN where that is not known, and ``cause``, the rank waited for;
            ``to, from, tag`` and ``communicator`` (-1 none, -2 several), ``direction``
            of the one partner, ``messages``, ``bytes``, ``iteration``.
        """
        trace = self.known.trace
        calls, scale = trace.calls, trace.clock.resolution
        titles = [trace.regions.title(n) for n in range(len(trace.regions.names))]
        late, rank = self.lateness[call], self.ranks[call]
        traffic = self._traffic(call)
        waits = self.known.waits
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
            {
                "call": call,
                "rank": rank,
                "function": named(calls.region[call], titles),
                "begin": calls.enter[call] / scale,
                "seconds": (calls.leave[call] - calls.enter[call]) / scale,
                "wait": np.where(late < 0, np.nan, late / scale),
                "cause": np.where(late > 0, cause, NONE).astype(np.int32),
                "direction": named(way, ways),
                "to": to,
                "from": source,
                "messages": traffic.messages,
                "bytes": traffic.volume,
                "tag": traffic.one["tag"],
                "communicator": named(traffic.one["communicator"], communicators),
                "iteration": self.iterations[call],
            }
        )

    def message_table(self, message: Ints) -> Table:
        """Make a table of messages.

        Returns
        -------
        Table
            ``message, sender, receiver, direction`` (from the sender), ``bytes, tag,
            communicator``; ``sent`` and ``received`` in seconds, ``seconds`` between
            them, and ``wait``, how long the receiver waited for it; NaN where that was
            not recorded.
        """
        trace, messages = self.known.trace, self.known.trace.messages
        scale = trace.clock.resolution
        ends = messages.sender[message], messages.receiver[message]
        way = self.directions.of(*ends)
        communicators = [each.name for each in trace.communicators]
        return Table(
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
                "seconds": self._flight()[message],
                "wait": self._waited_for(message),
            }
        )

    def _named(self, patterns: tuple[str, ...]) -> Bools:
        """Tell which regions are MPI functions that a pattern fits."""
        regions = self.known.trace.regions
        fits = [re.compile(fnmatch.translate(pattern)).match for pattern in patterns]
        told = [any(fit(name.lower()) for fit in fits) for name in regions.operations]
        found: Bools = np.array([*told, False])[regions.operation]
        return found

    def _inside(self, names: tuple[str, ...]) -> Bools:
        """Tell which call paths have a region with one of the names."""
        trace = self.known.trace
        own = [
            any(name in region.lower() for name in names)
            for region in trace.regions.names
        ]
        found = np.array([*own, False])[trace.paths.region]
        for path, parent in enumerate(trace.paths.parent.tolist()):
            if parent >= 0:  # a smaller number
                found[path] |= found[parent]
        return found

    def _message_fits(self, query: Query) -> Bools:
        """Tell which messages have the bytes, tag and communicator asked for."""
        messages = self.known.trace.messages
        keep = np.ones(len(messages), bool)
        for column, values in (("bytes", messages.size), ("tag", messages.tag)):
            if bounds := query.bounds_of(column):
                keep &= _within(values, bounds)
        if query.communicators:
            keep &= self._communicators(query)[messages.communicator]
        return keep

    def _communicators(self, query: Query) -> Bools:
        names = [each.name.lower() for each in self.known.trace.communicators]
        told = [any(part in name for part in query.communicators) for name in names]
        return np.array([*told, False])

    def _goes(self, partners: list[Partner]) -> Bools:
        """Tell which messages go to or come from one of some partners."""
        messages = self.known.trace.messages
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

    def _traffic_fits(self, query: Query, call: Ints) -> Bools:
        """Tell which calls have the partners, bytes, tags and communicator."""
        keep = np.ones(len(call), bool)
        trace = self.known.trace
        place = self._places(call)
        wanted = query.bounds_of("bytes")
        if wanted:
            keep &= _within(self._traffic(call).volume, wanted)
        about = Query(bounds=query.bounds_of("tag"), communicators=query.communicators)
        if about:
            some = self._message_fits(about)
            keep &= _marked(place, self._calls_of(("to", "from")), some, len(call))
            if query.communicators and not query.bounds_of("tag"):
                parts = trace.collectives
                own = self._communicators(query)[parts.communicator]
                keep |= _marked(place, [parts.call], own, len(call))
        for way in ("to", "from"):
            partners = [each for each in query.partners if each.way == way]
            if partners:
                some = self._goes(partners)
                keep &= _marked(place, self._calls_of((way,)), some, len(call))
        return keep

    def _calls_of(self, ways: tuple[str, ...]) -> list[Ints]:
        messages = self.known.trace.messages
        received = [messages.receive_call, messages.completion_call]
        return [
            *([messages.send_call] if "to" in ways else []),
            *(received if "from" in ways else []),
        ]

    def _places(self, call: Ints) -> Ints:
        """Place of each of the trace's calls among some, -1 elsewhere; one more."""
        found = np.full(len(self.known.trace.calls) + 1, -1, np.int64)
        found[call] = np.arange(len(call))
        return found

    def _traffic(self, call: Ints) -> "_Traffic":
        """Sum up the messages of calls, and their parts in collective operations."""
        trace, messages = self.known.trace, self.known.trace.messages
        place, count = self._places(call), len(call)
        totals = np.zeros(count, np.int64)
        volume = np.zeros(count, np.int64)
        one = {
            name: np.full(count, NONE, np.int32)
            for name in ("to", "from", "tag", "communicator")
        }
        completes = messages.completion_call != messages.receive_call
        for way, column, other, counts in (
            ("to", messages.send_call, messages.receiver, None),
            ("from", messages.receive_call, messages.sender, None),
            ("from", messages.completion_call, messages.sender, completes),
        ):
            at = place[column]
            mine = np.flatnonzero((at >= 0) if counts is None else (at >= 0) & counts)
            at = at[mine]
            totals += np.bincount(at, minlength=count)
            volume += np.bincount(at, messages.size[mine], count).astype(np.int64)
            _note(one[way], at, other[mine])
            _note(one["tag"], at, messages.tag[mine])
            _note(one["communicator"], at, messages.communicator[mine])
        parts = trace.collectives
        at = place[parts.call]
        mine = np.flatnonzero(at >= 0)
        volume[at[mine]] = np.maximum(parts.sent[mine], parts.received[mine])
        one["communicator"][at[mine]] = parts.communicator[mine]
        return _Traffic(totals, volume, one)

    def _flight(self) -> NDArray[np.float64]:
        """Seconds from send to receive; NaN where one was not recorded."""
        messages, scale = self.known.trace.messages, self.known.trace.clock.resolution
        sent, arrived = messages.send_time, messages.receive_time
        return to_seconds(arrived, scale) - to_seconds(sent, scale)

    def _waited_for(self, message: Ints) -> NDArray[np.float64]:
        """Seconds that the receiver waited, if it was for the sender of these."""
        messages, waits = self.known.trace.messages, self.known.waits
        if waits is None:
            return np.full(len(message), np.nan)
        scale = self.known.trace.clock.resolution
        call = messages.completion_call[message]
        late = np.append(self.lateness, -1)[call]
        mine = np.append(waits.whom, NONE)[call] == messages.sender[message]
        return np.where(late < 0, np.nan, np.where(mine, late / scale, 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class _Traffic:
    """Messages and bytes of some calls; the one value of each column that they have."""

    messages: Ints
    volume: Ints
    one: dict[str, Indices]


def message_times(messages: Messages) -> tuple[Ints, Ints]:
    """Give when messages were sent and received; the known end for both if one is."""
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
    found = np.zeros(count + 1, bool)  # the last is for rank -1
    found[[rank for rank in ranks if 0 <= rank < count]] = True
    return found


def _within(values: NDArray[Any], bounds: tuple[Bound, ...]) -> Bools:
    """Tell which values lie within all open bounds, and one of the closed ones."""
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


def _marked(place: Ints, columns: list[Ints], some: Bools, count: int) -> Bools:
    """Tell which calls have one of some messages."""
    found = np.zeros(count + 1, bool)
    for column in columns:
        found[place[column[some]]] = True
    return found[:count]
