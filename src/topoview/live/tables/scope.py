"""Of what part of a run a table is: time, ranks, communicator, phase, and a query."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from topoview.base.text import ARROW, did_you_mean
from topoview.errors import TopoviewError, UsageError
from topoview.live.tables.search.query import Query, QueryError, parse_query
from topoview.model import PROFILES, Analysis, Span, Subset
from topoview.pipeline import events_needed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from topoview.model import (
        CommunicationMatrix,
        Indices,
        Ints,
        Profile,
        SpanName,
        Table,
        WaitSums,
    )

EVERYTHING: Final = Query()

NEEDED: Final[dict[str, tuple[str, ...]]] = {
    "calls": ("identification", "waits", "logical", "positions"),
    "parts": ("identification", "parts"),
    "phases": ("identification", "parts", "logical", "positions"),
    "regions": (),
    "mappings": ("matrix", "identification"),
    "matrix": ("matrix",),
    "delays": ("waits", "delays"),
    "profile": (),
    "efficiency": ("devices",),
    "wait sums": ("wait_sums",),
    "wait calls": ("waits",),
    "waits and causes": (
        "hung",
        "identification",
        "parts",
        "logical",
        "delays",
        "wait_sums",
        "critical_path",
        "efficiencies",
    ),
}
"""Results that are told of a part of a run; ``calls``: directions, waits, iterations
of calls and messages, ``parts``: communicators."""

_ACCOUNT: Final = ("waits", "account")
_WAIT_SUMS: Final = (*_ACCOUNT, "identification", "parts", "logical", "positions")

OF_A_PART: Final[dict[str, tuple[str, ...]]] = {
    "profile": _ACCOUNT,
    "efficiency": _ACCOUNT,
    "wait sums": _WAIT_SUMS,
    "waits and causes": _WAIT_SUMS,
}
"""Results that they are computed from where what is kept does not tell it."""


def needs(
    wanted: str | tuple[str, ...],
    find: str = "",
    phase: str | int | None = None,
    span: str | None = None,
    *,
    part: bool = False,
) -> tuple[str, ...]:
    """Name the results that tables of a run, or of a part of it, are made from.

    Parameters
    ----------
    wanted
        A key of `NEEDED`, or several keys and names of results.
    find, phase, span
        As for `scope_of`.
    part
        Whether the part is another than that of the kept results.

    Raises
    ------
    QueryError
        If the query is not understood.
    UsageError
        If there is no such span.
    """
    if span is not None and span not in PROFILES:
        raise UsageError(f"a span is {', '.join(PROFILES)}, not {span!r}")
    keys = (wanted,) if isinstance(wanted, str) else wanted
    results = dict.fromkeys(r for name in keys for r in NEEDED.get(name, (name,)))
    if part:
        results |= dict.fromkeys(r for name in keys for r in OF_A_PART.get(name, ()))
    return (
        *results,
        *parse_query(find).needs,
        *(() if phase is None else NEEDED["parts"]),
        *(() if span is None else _needed_of_span(span, keys)),
    )


def _needed_of_span(span: str, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Name the results that tell when a span is, and what is wanted of it."""
    profiled = not OF_A_PART.keys().isdisjoint(wanted) or span == "loop"
    return ("outline", PROFILES[span]) if profiled else ("outline",)


_WITH_ALL_MESSAGES: Final = ("exchange", "run")
"""Spans in which every message is sent."""


@dataclass(frozen=True, slots=True)
class Scope:
    """A part of an analysed run."""

    analysis: Analysis
    """The trace and its results."""
    query: Query = EVERYTHING
    """What is looked for, the communicator included."""
    window: tuple[int, int] | None = None
    """Begin and end in ticks; None for all of the run."""
    ranks: tuple[int, ...] = ()
    """Empty for all."""
    name: SpanName = "window"
    """Which span the window is."""

    @property
    def span(self) -> Span:
        """The time that is counted."""
        clock = self.analysis.trace.clock
        if self.window is None:
            return Span("run", clock.begin, clock.length)
        return Span(self.name, *self.window)

    def require_events(self) -> None:
        """Refuse to count what a digest holds a few of.

        Raises `TopoviewError`: it is a digest.
        """
        if self.analysis.trace.digest is not None:
            raise TopoviewError(events_needed(self.analysis.trace))

    def require_whole(self) -> None:
        """Refuse to count a part of what a digest holds a few of.

        Raises `TopoviewError`: it is a digest.
        """
        if self.window is not None:
            self.require_events()

    def require_all_calls(self, what: str) -> None:
        """Refuse to tell of some calls or of a communicator what is told of all.

        Raises `UsageError`: a query or a communicator is named.
        """
        if self.query:
            raise UsageError(
                f"{what} are of all calls: leave out what is looked for, and the "
                "communicator; statistics count calls and messages of one"
            )

    def calls(self) -> Table:
        """List MPI calls; see `Search.call_table`."""
        from topoview.live.tables.calls import Search

        self.require_whole()
        search = Search(self.analysis)
        return search.call_table(search.calls(self.query, self.window, self.ranks))

    def messages(self) -> Table:
        """List messages; see `Search.message_table`."""
        from topoview.live.tables.calls import Search

        self.require_whole()
        search = Search(self.analysis)
        rows = search.messages(self.query, self.window, self.ranks)
        return search.message_table(rows)

    def matrix(
        self, *, collectives: bool = False, waits: bool = False
    ) -> CommunicationMatrix:
        """Count messages and bytes by pairs of ranks.

        In a window are the messages sent in it, so that windows add up.

        Parameters
        ----------
        collectives
            Whether collective operations count, too, as a model of each.
        waits
            Whether waits are added up, too.

        Raises
        ------
        TopoviewError
            If waits are not known, as the clocks of the ranks are not aligned; if a
            digest is asked for more than its matrix.
        """
        if self.query or collectives or waits:
            self.require_events()
        everything = replace(self, window=None, name="window") == Scope(self.analysis)
        all_messages = self.name in _WITH_ALL_MESSAGES
        if self.name != "exchange":
            self.require_whole()
            everything &= self.window is None or all_messages
        analysis, trace = self.analysis, self.analysis.trace
        if analysis.matrix is not None and everything and not (collectives or waits):
            return with_length(analysis, analysis.matrix, self.window)
        from topoview.live.tables.calls import Search
        from topoview.live.tables.pairs import wait_matrix, with_collectives
        from topoview.report.waits.tables import not_aligned
        from topoview.topology import communication_matrix

        if waits and analysis.waits is None:
            raise not_aligned(trace)
        search, chosen = Search(analysis), None
        if analysis.matrix is not None and everything:
            result = analysis.matrix
        else:
            keep = np.zeros(len(trace.messages), bool)
            keep[search.messages(self.query, None, self.ranks)] = True
            if self.window is not None and not all_messages:
                sent = trace.messages.times
                keep &= (sent >= self.window[0]) & (sent < self.window[1])
            result = communication_matrix(trace, keep)
        result = with_length(analysis, result, self.window)
        if self.query and (collectives or waits):
            chosen = np.zeros(len(trace.calls), bool)
            chosen[search.calls(self.query)] = True
        part = self.window, self.ranks, None, chosen
        if collectives:
            result = with_collectives(analysis, result, *part)
        if waits:
            seconds = wait_matrix(analysis, *part, collectives=collectives)
            result = replace(result, waits=seconds)
        return result

    def communicators(self) -> Table:
        """List communicators; see `communicator_table`."""
        from topoview.live.tables.parts.parts import communicator_table

        self.require_events()
        table = communicator_table(self.analysis, self.window)
        wanted = self.query.communicators
        codes, names = table.data["name"]
        named = [any(word in name.lower() for word in wanted) for name in names]
        return table.filter(np.array(named, bool)[codes]) if wanted else table

    def phases(self) -> Table:
        """List phases; see `phase_table`."""
        from topoview.live.tables.parts.parts import phase_table

        self.require_events()
        return phase_table(self.analysis)

    def regions(self) -> Table:
        """List regions of the program; see `region_table`."""
        from topoview.live.tables.parts.regions import region_table

        self.require_events()
        self.require_all_calls("regions")
        return region_table(self.analysis.trace, self.ranks, self.window)

    def call_tree(self) -> Table:
        """List functions, each below its caller; see `live.tables.call_tree`."""
        from topoview.live.tables.call_tree import call_tree

        self.require_events()
        self.require_all_calls("call trees")
        return call_tree(self.analysis.trace, self.ranks, self.window).table

    def states_over_time(self, parts: int) -> Table:
        """Sum up times by state and part; see `over_time.states_over_time`."""
        from topoview.live.tables.statistics.over_time import states_over_time

        self.require_events()
        self.require_all_calls("states over time")
        return states_over_time(self.analysis, self.span.window, self.rows, parts)

    def parameters(self) -> Table:
        """List parameters of the program; see `parameter_table`."""
        from topoview.live.tables.parts.regions import parameter_table

        self.require_events()
        return parameter_table(self.analysis.trace, self.ranks)

    def profile(self) -> Profile:
        """Sum up calls and times of the span, of all ranks."""
        self.require_all_calls("times")
        if self.name in PROFILES:
            return _kept_profile(self.analysis, self.name)
        from topoview.live.moments.window_sums import profile_within

        return profile_within(self.analysis, self.span.window)

    def waits(self) -> WaitSums:
        """Sum up waiting in the span, of the ranks.

        Raises `TopoviewError`: the clocks are not aligned; it is a digest, and not the
        exchange that is meant.
        """
        self.require_all_calls("waits")
        if self.of_exchange:
            sums = self.analysis.wait_sums
        else:
            self.require_events()
            from topoview.live.waits.waits import wait_sums_within

            sums = wait_sums_within(self.analysis, self.span.window, self.ranks)
        if sums is None:
            from topoview.report.waits.tables import not_aligned

            raise not_aligned(self.analysis.trace)
        return sums

    def of_span(self) -> Analysis:
        """Return the analysis with the profile and the waits of the span.

        Raises as `waits`; where clocks are not aligned there are no waits.
        """
        if self.of_exchange:
            return self.analysis
        aligned = self.analysis.trace.clock.aligned
        sums = self.waits() if aligned else None
        return replace(self.analysis, profile=self.profile(), wait_sums=sums)

    def wait_calls(self) -> Table:
        """List the calls that wait in the span, of the ranks; see `waits_table`.

        Raises `TopoviewError`: the clocks are not aligned.
        """
        from topoview.report.waits.tables import not_aligned, waits_table

        self.require_whole()
        self.require_all_calls("waits")
        analysis = self.analysis
        if analysis.waits is None:
            raise not_aligned(analysis.trace)
        window = self.span.window
        return waits_table(analysis.trace, analysis.waits, window, self.ranks)

    def delays(self) -> Table:
        """List delays of the ranks that last into the span; see `delays_table`.

        Raises `TopoviewError`: the clocks are not aligned.
        """
        from topoview.report.waits.delays import delays_table
        from topoview.report.waits.tables import not_aligned

        self.require_all_calls("delays")
        delays = self.analysis.delays
        if delays is None:
            raise not_aligned(self.analysis.trace)
        table = delays_table(self.analysis.trace, delays)
        begin, end = self.span.window
        keep = (delays.end > begin) & (delays.begin < end)
        if self.ranks:
            keep &= np.isin(delays.rank, self.ranks)
        return table.filter(keep)

    @property
    def of_exchange(self) -> bool:
        """Whether what is counted is the exchange of all ranks."""
        return self.name == "exchange" and not self.ranks

    @property
    def rows(self) -> Indices:
        """Rows of the timeline that count: int32, those of all ranks or of some."""
        return np.array(self.ranks or range(self.analysis.trace.ranks), np.int32)

    @property
    def some_ranks(self) -> Ints | None:
        """Ranks that count: int64; None for all."""
        return np.array(self.ranks, np.int64) if self.ranks else None

    def statistics(self, by: str, of: str = "compute") -> Table:
        """Sum up messages, calls, operations or ranks by groups.

        Parameters
        ----------
        by
            Name in `statistics.by_group.GROUPS`, or ``coordinate``.
        of
            Name in `statistics.by_group.AMOUNTS`: what is told of ranks.

        Returns
        -------
        Table
            As of `table_of` and `coordinate_table`.

        Raises
        ------
        UsageError
            If there are no such statistics of the trace.
        """
        from topoview.live.tables.statistics.by_group import (
            AMOUNTS,
            GROUPS,
            OF_RANKS,
            Statistics,
            StatisticsRequest,
        )

        self.require_events()
        analysis = self.analysis
        groups = (*GROUPS, "coordinate")
        if by not in groups or of not in AMOUNTS:
            raise UsageError(
                f"statistics are by {', '.join(groups)}, and of {', '.join(AMOUNTS)}: "
                f"not by {by} of {of}"
            )
        if self.query and by in OF_RANKS:
            raise UsageError(
                f"statistics by {by} are of all that ranks do: leave out what calls or "
                "messages are looked for, and the communicator"
            )
        identification = analysis.identification
        match = identification.shown_first if identification is not None else None
        request = StatisticsRequest(
            analysis, match, self.window, self.ranks, self.query
        )
        table = Statistics(request).table(by, of)
        if by in ("row", "plane", "coordinate") and not len(table):
            name = match.topology.name if match is not None else "unknown"
            raise UsageError(
                f"{analysis.trace.name} has no {by}s: its topology is {name}"
            )
        return table

    def iterations(self, loop: int | None = None) -> Table:
        """List iterations of a loop on every rank; see `iteration_table`.

        Parameters
        ----------
        loop
            The n-th loop of the logical trace in order of lines, from 1; None: the
            outermost one that takes longest.

        Raises
        ------
        UsageError
            If there is no such loop.
        TopoviewError
            If it is a digest, which holds those of the main loop only.
        """
        from topoview.live.tables.iterations import iteration_table, iterations

        self.require_all_calls("iterations")
        every = iterations(self.analysis, None if loop is None else loop - 1)
        if every is None:
            self.require_events()
            positions = self.analysis.positions
            count = len(positions.loops) if positions is not None else 0
            there = f"{count}, numbered from 1 in order of lines" if count else "none"
            name = self.analysis.trace.name
            raise UsageError(f"{name} has no such loop: its logical trace has {there}")
        return iteration_table(self.analysis, every.within(self.window, self.ranks))


def with_length(
    analysis: Analysis, matrix: CommunicationMatrix, window: tuple[int, int] | None
) -> CommunicationMatrix:
    """Return the matrix with the length of its time: a window, as far as it is read."""
    clock = analysis.trace.clock
    begin, end = window or (clock.begin, clock.length)
    ticks = min(end, clock.length) - max(begin, clock.begin)
    return replace(matrix, seconds=clock.seconds(max(ticks, 0)))


def scope_of(  # noqa: PLR0913 - what can be asked for
    analysis: Analysis,
    find: str = "",
    window: tuple[float | None, float | None] | None = None,
    ranks: Iterable[int] | int | str | None = None,
    communicator: str | None = None,
    phase: str | int | None = None,
    span: SpanName | None = None,
) -> Scope:
    """Find the part of a run that is meant.

    Parameters
    ----------
    find
        A query, such as ``Waitall > 10 ms``; see `parse_query`.
    window
        Seconds from the trace's beginning; None for its begin or end.
    ranks
        World ranks, as numbers or like ``"0-63,70"``; None: all.
    communicator
        Part of its name.
    phase
        Name of a phase, whose time is meant.
    span
        ``exchange``, ``run`` or ``loop``, of which `needs` names the results.

    Raises
    ------
    UsageError
        If the trace has no such part, and says what it has; if two times are named.
    TopoviewError
        If it is a digest, and a part of it is meant.
    QueryError
        If the query is not understood.
    """
    trace = analysis.trace
    query = parse_query(find)
    if communicator:
        query = query.on(communicator)
    refuse_unknown(analysis, query)
    some = (ranks,) if isinstance(ranks, (int, str)) else ranks or ()
    try:
        begin, end = window or (None, None)
    except TypeError:
        raise UsageError(
            f"a window is a begin and an end in seconds, not {window!r}"
        ) from None
    try:
        part = Subset.parse(begin, end, ",".join(map(str, some)))
    except ValueError as error:
        raise UsageError(str(error)) from None
    members = tuple(rank for rank in range(trace.ranks) if part.has_rank(rank))
    if not members:
        raise UsageError(f"{trace.name} has ranks 0 to {trace.ranks - 1} only")
    when = _ticks(analysis, part) if phase is None else _phase(analysis, phase)
    if span is not None and when is not None:
        raise UsageError("a span is a time, as a window and a phase are: name one")
    result = Scope(
        analysis=analysis,
        query=query,
        window=when if span is None else _window_of(analysis, span),
        ranks=members if part.ranks else (),
        name=span or "window",
    )
    if when is not None or result.ranks or communicator:
        result.require_events()
    return result


def _window_of(analysis: Analysis, span: SpanName) -> tuple[int, int]:
    """Return begin and end of a span in ticks.

    Raises `UsageError`: nothing repeats, and a loop is meant.
    """
    if span == "loop":
        return _kept_profile(analysis, span).span.window
    assert analysis.outline is not None
    return analysis.outline.run if span == "run" else analysis.outline.exchange


def _kept_profile(analysis: Analysis, span: SpanName) -> Profile:
    """Return the profile of a span.

    Raises `UsageError`: nothing repeats, and a loop is meant.
    """
    profile: Profile | None = getattr(analysis, PROFILES[span])
    if profile is None:
        from topoview.report.waits.tables import no_loop

        raise no_loop(analysis.trace)
    return profile


def refuse_unknown(analysis: Analysis, query: Query) -> None:
    """Refuse what nothing in a trace can match, since its words mean nothing there.

    A function of MPI that is never called is looked for, and not found.

    Raises `QueryError`: says what was probably meant.
    """
    trace = analysis.trace
    operations = trace.regions.operations
    for name in query.functions:
        # few questions name any, and it takes long to import
        from topoview.io.definitions.regions import operation_name

        if fnmatch.filter(map(str.lower, operations), name):
            continue
        if operation_name(f"MPI_{name}"):
            continue
        inside = [region for region in trace.regions.names if name in region.lower()]
        meant = did_you_mean(name, operations) or (
            f": it is no function of MPI; for calls inside of it write in {inside[0]!r}"
            if inside
            else f": it has {_some(operations)}"
        )
        raise QueryError(f"{trace.name} has no MPI function {name!r}{meant}")
    ways = analysis.logical.partners.names if analysis.logical is not None else ()
    for partner in query.partners:
        name = partner.name
        if ways and not name.isdecimal() and name.upper() not in ways:
            meant = did_you_mean(name, ways) or f": it has {_some(ways)}"
            raise QueryError(f"{trace.name} has no direction {name!r}{meant}")
    for what, names, wanted in (
        ("communicator", [c.name for c in trace.communicators], query.communicators),
        ("region", trace.regions.names, query.regions),
    ):
        for part in (p for text in wanted for p in f"{text} ".split(ARROW)):
            if not any(part.strip() in name.lower() for name in names):
                meant = did_you_mean(part.strip(), names) or f": it has {_some(names)}"
                raise QueryError(f"{trace.name} has no {what} {part.strip()!r}{meant}")


def _some(names: Sequence[str]) -> str:
    """List names, or the first of many."""
    return f"{', '.join(names[:8])}{', ...' if len(names) > 8 else ''}" or "none"


def _phase(analysis: Analysis, name: str | int) -> tuple[int, int]:
    from topoview.live.tables.parts.parts import phases_of

    phases = phases_of(analysis)
    for phase in phases:
        if phase.name == str(name):
            return phase.begin, phase.end
    there = ", ".join(phase.name for phase in phases) or "none"
    raise UsageError(f"{analysis.trace.name} has no phase {name!r}: it has {there}")


def _ticks(analysis: Analysis, part: Subset) -> tuple[int, int] | None:
    if part.begin is None and part.end is None:
        return None
    clock, name = analysis.trace.clock, analysis.trace.name
    length = clock.seconds(clock.length)
    if part.begin is not None and part.begin > length:
        raise UsageError(
            f"{name} has no time {part.begin:g} s: it lasts {length:.6g} s"
        )
    last = clock.length + 1  # what is behind it may be too large for a column
    end = last if part.end is None else min(part.end * clock.resolution, last)
    return round(min((part.begin or 0.0) * clock.resolution, last)), round(end)
