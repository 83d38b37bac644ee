"""Statistics of a part of a run: how many, and how their numbers spread, by group.

What is counted (messages, calls, collective operations, ranks) are *samples*, each of a
group and with some numbers. Tables and histograms are made of the same samples.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np

from topoview.base.text import exact_size_text, exact_sizes_text, tr
from topoview.grouping import counting_sort, factorize
from topoview.live.colourings.scales import IN_MPI
from topoview.live.moments.window_sums import state_ticks, waiting_ticks
from topoview.live.picking.selection import selected_calls, selected_messages
from topoview.live.tables.calls import Search
from topoview.live.tables.parts.parts import (
    CollectiveOperations,
    collective_operations,
    communicator_names,
)
from topoview.live.tables.search.query import DIRECTED, Query
from topoview.live.tables.statistics.histogram import (
    SPREAD,
    correlation,
    spread_columns,
    spread_of,
)
from topoview.model import (
    Analysis,
    Bools,
    Column,
    ColumnData,
    Floats,
    Ints,
    Match,
    Plan,
    Schema,
    Table,
    TimeState,
    words,
)
from topoview.model.trace import COLLECTIVE_OPERATIONS
from topoview.session import NO_CALLS, CallFilter

OTHER: Final = "other"
"""Name of the group of what has no direction or communicator."""

AMOUNTS: Final = {
    **{"compute": tr("Computing"), "mpi": tr("In MPI")},
    **{"wait": tr("Waiting"), "caused": tr("Waiting caused")},
}
"""What may be told of ranks: time in computation, in MPI, or for late partners."""

OF_RANKS: Final = ("state", "row", "plane", "node", "coordinate")
"""Groups of which times of ranks are told, whatever calls they make."""


@dataclass(frozen=True, slots=True)
class StatisticsRequest:
    """Which part of a run is counted; equal ones give equal answers."""

    analysis: Analysis
    """The trace and its results."""
    match: Match | None = None
    """The topology whose rows and planes are meant; None: there are none."""
    window: tuple[int, int] | None = None
    ranks: tuple[int, ...] = ()
    query: Query = field(default_factory=Query)
    """`window`, `ranks` and `query`: as of `Scope`."""
    wanted: CallFilter = NO_CALLS
    """Only these calls and their messages; empty: all."""
    by: str = "function"
    """Name in `GROUPS`."""
    of: str = "compute"
    """Name in `AMOUNTS`: what is told of ranks."""


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """What is counted."""

    noun: str
    """What a sample is: ``message``, ``call``, ``operation``, ``rank``."""
    group: Ints
    """int64, shape (n,): group of each."""
    names: list[str] | Ints
    """Of the groups: texts, or numbers."""
    numbers: Mapping[str, Floats]
    """float64, shape (n,) each: columns by name, in seconds or bytes; NaN where one is
    not known."""
    sums: Mapping[str, Floats] = field(default_factory=dict)
    """float64, shape (n,) each: columns that only sums are told of."""
    ranks: tuple[tuple[int, ...], ...] = ()
    """Ranks of each group, if groups are made of ranks."""
    communicators: Ints | None = None
    """int64, shape (groups,): communicator of each group, if groups are made of
    them."""

    def within(self, name: str, low: float, high: float) -> "Samples":
        """Keep those with a number from the one to below the other."""
        values = self.numbers[name]
        some = (values >= low) & (values < high)
        return replace(
            self,
            group=self.group[some],
            numbers={key: column[some] for key, column in self.numbers.items()},
            sums={key: column[some] for key, column in self.sums.items()},
        )


class Statistics:
    """Counts a part of a run; what several tables are made of is found once.

    Parameters
    ----------
    request
        What is counted. `by` and `of` are those of each table.
    search
        Looks through the calls of the trace.
    """

    def __init__(
        self, request: StatisticsRequest, search: Search | None = None
    ) -> None:
        self._request = request
        self.search = search or Search(request.analysis)

    def samples(self, by: str, of: str = "compute") -> Samples:
        """Return what a table counts: `by` is a name in `GROUPS`, `of` in `AMOUNTS`."""
        return GROUPS[by].samples(self, of)

    def table(self, by: str, of: str = "compute") -> Table:
        """Build a table with a row a group.

        Returns
        -------
        Table
            As of `table_of`; by ``coordinate`` as of `coordinate_table`.
        """
        if by == "coordinate":
            return coordinate_table(self, of)
        return table_of(by, self.samples(by, of))

    @cached_property
    def messages(self) -> Ints:
        """Messages that count, sent in the window: int64, ascending."""
        request = self._request
        result = self.search.messages(request.query, request.window, request.ranks)
        result = self._begun(result, request.analysis.trace.messages.times)
        if not request.wanted:
            return result
        analysis = request.analysis
        mask = selected_messages(
            analysis.trace, analysis.logical, wanted=request.wanted
        )
        some: Ints = result[mask[result]]
        return some

    @cached_property
    def calls(self) -> Ints:
        """MPI calls that count, begun in the window: int64, ascending."""
        request = self._request
        result = self.search.calls(request.query, request.window, request.ranks)
        result = self._begun(result, request.analysis.trace.calls.enter)
        if not request.wanted:
            return result
        analysis = request.analysis
        key, mask = selected_calls(analysis.trace, analysis.logical, request.wanted)
        some: Ints = result[mask[key[result]]]
        return some

    def _begun(self, some: Ints, begin: Ints) -> Ints:
        """Keep what begins in the window, as the profile does: windows add up."""
        window = self._request.window
        if window is None:
            return some
        when = begin[some]
        result: Ints = some[(when >= window[0]) & (when < window[1])]
        return result

    @cached_property
    def ranks(self) -> Ints:
        """Ranks that count: int64, ascending."""
        return np.array(
            self._request.ranks or range(self._request.analysis.trace.ranks)
        )

    @cached_property
    def state_seconds(self) -> Floats:
        """Time in each state within the window: float64, shape (ranks, states)."""
        trace = self._request.analysis.trace
        return state_ticks(trace, self._window) / trace.clock.resolution

    @property
    def _window(self) -> tuple[int, int]:
        return self._request.window or (
            0,
            max(self._request.analysis.trace.clock.length, 1),
        )

    def amount(self, of: str) -> Floats:
        """Return the seconds that each rank computes, is in MPI, waits, or makes wait.

        Returns
        -------
        float64, shape (ranks,)
            NaN for waiting where unknown: who causes it is known of the
            whole run only.
        """
        if of == "compute":
            return self.state_seconds[:, TimeState.COMPUTE]
        if of == "mpi":
            result: Floats = self.state_seconds[:, list(IN_MPI)].sum(axis=1)
            return result
        analysis = self._request.analysis
        if of == "caused":
            begin, end = self._window
            in_part = begin > 0 or end < analysis.trace.clock.length
            if analysis.delays is None or in_part:
                return np.full(analysis.trace.ranks, np.nan)
            return analysis.delays.of_rank / analysis.trace.clock.resolution
        if analysis.waits is None:
            return np.full(analysis.trace.ranks, np.nan)
        ticks = waiting_ticks(analysis.trace, analysis.waits, self._window)
        return ticks / analysis.trace.clock.resolution

    # Samples of each kind

    def by_size(self, _: str) -> Samples:
        """Count messages by size: from a power of two to below the next one."""
        size = self._request.analysis.trace.messages.size[self.messages]
        number = np.frexp(size.astype(np.float64))[1].astype(np.int64)
        classes, group = factorize(number)
        return self._of_messages(group, [_class_text(n) for n in classes.tolist()])

    def by_direction(self, _: str) -> Samples:
        """Count messages by direction, as the sender sees it."""
        messages, directions = (
            self._request.analysis.trace.messages,
            self.search.directions,
        )
        ends = messages.sender[self.messages], messages.receiver[self.messages]
        way = directions.of(*ends).astype(np.int64)
        names = [*directions.labels, OTHER]
        return self._of_messages(np.where(way < 0, len(names) - 1, way), names)

    def by_communicator(self, _: str) -> Samples:
        """Count messages by communicator."""
        analysis = self._request.analysis
        of = analysis.trace.messages.communicator[self.messages]
        own, group = factorize(of)
        names = communicator_names(analysis, own[own >= 0])
        samples = self._of_messages(group, [OTHER] * bool((own < 0).any()) + names)
        return replace(samples, communicators=own)

    def by_tag(self, _: str) -> Samples:
        """Count messages by tag."""
        tags, group = factorize(
            self._request.analysis.trace.messages.tag[self.messages]
        )
        return self._of_messages(group, tags)

    def _of_messages(self, group: Ints, names: list[str] | Ints) -> Samples:
        search, some = self.search, self.messages
        size = self._request.analysis.trace.messages.size[some].astype(np.float64)
        numbers = {"seconds": search.flight()[some], "bytes": size}
        return Samples(
            "message", group, names, numbers, {"wait": search.waited_for(some)}
        )

    def by_function(self, _: str) -> Samples:
        """Count MPI calls by function."""
        regions = self._request.analysis.trace.regions
        region = self._request.analysis.trace.calls.region[self.calls]
        operation = regions.operation[region].astype(np.int64)
        names = [*regions.operations, OTHER]
        return self._of_calls(np.where(operation < 0, len(names) - 1, operation), names)

    def by_rank(self, _: str) -> Samples:
        """Count MPI calls by rank."""
        rank = self.search.rank_of(self.calls).astype(np.int64)
        ranks = self._request.analysis.trace.ranks
        own = tuple((rank,) for rank in range(ranks))
        return replace(self._of_calls(rank, np.arange(ranks)), ranks=own)

    def _of_calls(self, group: Ints, names: list[str] | Ints) -> Samples:
        search, some = self.search, self.calls
        columns = {
            name: search.numbers(column, some)
            for name, column in (("seconds", "duration"), ("bytes", "bytes"))
        }
        sums = {"wait": search.numbers("waited", some)}
        return Samples("call", group, names, columns, sums)

    def by_axis(self, _: str) -> Samples:
        """Count messages by the axes of the plan along which their ends differ."""
        messages = self._request.analysis.trace.messages
        plan = _plan_of(self._request.analysis)
        if plan is None:
            return self._of_messages(np.zeros(len(self.messages), np.int64), [OTHER])
        ends = messages.sender[self.messages], messages.receiver[self.messages]
        span, names = plan.span_of(*ends), [*plan.spans, OTHER]
        return self._of_messages(np.where(span < 0, len(names) - 1, span), names)

    def by_last(self, _: str) -> Samples:
        """Count collective operations by the rank that came last."""
        return self._by_arrival(last=True)

    def by_first(self, _: str) -> Samples:
        """Count collective operations by the rank that came first."""
        return self._by_arrival(last=False)

    def _by_arrival(self, *, last: bool) -> Samples:
        operations, of, keep, numbers = self._operations
        trace = self._request.analysis.trace
        order = np.lexsort((trace.calls.enter[operations.call], of))
        ends = operations.first
        if last:
            ends = np.append(ends[1:], len(of))[: len(ends)] - 1
        rank = self.search.rank_of(operations.call[order][ends]).astype(np.int64)
        waited = np.nan_to_num(self.search.numbers("waited", operations.call))
        sums = {"wait": np.add.reduceat(waited, operations.first)[keep]}
        every = np.arange(trace.ranks)
        alone = tuple((rank,) for rank in range(trace.ranks))
        return Samples("operation", rank[keep], every, numbers, sums, ranks=alone)

    def by_collective(self, _: str) -> Samples:
        """Count collective operations by what they are, and their communicator."""
        operations, __, keep, numbers = self._operations
        trace = self._request.analysis.trace
        kind = trace.collectives.operation[operations.part[operations.first]]
        codes = len(COLLECTIVE_OPERATIONS)
        code = operations.communicator * codes + kind.astype(np.int64)
        kinds, group = factorize(code[keep])
        where = communicator_names(self._request.analysis, kinds // codes)
        names = [
            tr(
                "{collective_operations} on {name}",
                collective_operations=COLLECTIVE_OPERATIONS[code % codes],
                name=name,
            )
            for code, name in zip(kinds.tolist(), where, strict=True)
        ]
        samples = Samples("operation", group, names, numbers)
        return replace(samples, communicators=kinds // codes)

    @cached_property
    def _operations(
        self,
    ) -> tuple[CollectiveOperations, Ints, Bools, dict[str, Floats]]:
        """Collective operations, that of each part, which count, and their numbers."""
        request = self._request
        trace, resolution = (
            request.analysis.trace,
            request.analysis.trace.clock.resolution,
        )
        parts, calls = trace.collectives, trace.calls
        operations = collective_operations(trace, request.window)
        first, count = operations.first, len(operations.first)
        keep = np.ones(count, bool)  # operations of which a call counts
        of = np.repeat(
            np.arange(count), np.diff(np.append(first, len(operations.call)))
        )
        if request.ranks or request.wanted or request.query:
            counted = np.zeros(len(calls), bool)
            counted[self.calls] = True
            keep = np.bincount(of[counted[operations.call]], minlength=count) > 0
        took = np.bincount(
            of, calls.leave[operations.call] - calls.enter[operations.call], count
        )
        sent = np.bincount(of, np.maximum(parts.sent[operations.part], 0), count)
        spread = operations.spread(trace) / resolution
        if not trace.clock.aligned:
            spread = np.full(count, np.nan)
        numbers: dict[str, Floats] = {
            "spread": spread,
            "seconds": took / resolution,
            "bytes": sent.astype(np.float64),
        }
        kept = {name: column[keep] for name, column in numbers.items()}
        return operations, of, keep, kept

    def by_state(self, _: str) -> Samples:
        """Return the time of ranks by their state."""
        states = [s for s in TimeState if s != TimeState.OUTSIDE]
        seconds = self.state_seconds[self.ranks][:, [int(s) for s in states]]
        used = np.flatnonzero(seconds.any(axis=0))
        group = np.tile(np.arange(len(used)), len(self.ranks))
        names = [states[place].label for place in used.tolist()]
        numbers = {"seconds": seconds[:, used].ravel()}
        return Samples("rank", group, names, numbers)

    def by_node(self, of: str) -> Samples:
        """Return the time of ranks by the node that they ran on."""
        trace = self._request.analysis.trace
        names = [node or OTHER for node in trace.hosts]
        different = sorted(set(names))
        number = {name: place for place, name in enumerate(different)}
        group = np.array([number[name] for name in names], np.int64)
        return self._of_ranks(np.arange(trace.ranks), group, different, of)

    def by_plane(self, of: str) -> Samples:
        """Return the time of ranks by each coordinate: a rank is in several planes."""
        return self._by_place(of, along=False)

    def by_row(self, of: str) -> Samples:
        """Return the time of ranks by all coordinates but one: a row along that."""
        return self._by_place(of, along=True)

    def _by_place(self, of: str, *, along: bool) -> Samples:
        places, axes = places_of(self._request.match), self.axes
        ranks: list[Ints] = []
        groups: list[Ints] = []
        names: list[str] = []
        there = np.flatnonzero((places >= 0).all(axis=1))
        for axis in range(places.shape[1]):
            kept = [k for k in range(places.shape[1]) if (k == axis) != along]
            if not kept:
                continue
            own, number = np.unique(places[there][:, kept], axis=0, return_inverse=True)
            ranks.append(there)
            groups.append(number.ravel() + len(names))
            names += [
                ", ".join(f"{axes[k]} {c}" for k, c in zip(kept, place, strict=True))
                for place in own.tolist()
            ]
        if not ranks:
            nothing = np.zeros(0, np.int64)
            return self._of_ranks(nothing, nothing, [], of)
        return self._of_ranks(np.concatenate(ranks), np.concatenate(groups), names, of)

    def _of_ranks(self, rank: Ints, group: Ints, names: list[str], of: str) -> Samples:
        some = np.isin(rank, self.ranks)
        order, begins = counting_sort(group, len(names))
        members = rank[order].tolist()
        own = tuple(tuple(members[low:high]) for low, high in pairwise(begins.tolist()))
        amount = self.amount(of)[rank[some]]
        return Samples("rank", group[some], names, {"seconds": amount}, ranks=own)

    @property
    def places(self) -> Ints:
        """Places of the ranks that count: int64, shape (ranks, axes)."""
        return places_of(self._request.match, self._request.analysis.trace.ranks)[
            self.ranks
        ]

    @property
    def axes(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        match = self._request.match
        return () if match is None else match.topology.axes


def _class_text(number: int) -> str:
    """Name sizes of so many binary digits: ``1..2 KiB``, the end not included."""
    if number < 2:
        return exact_size_text(number)
    return exact_sizes_text(1 << (number - 1), 1 << number)


def places_of(match: Match | None, ranks: int = 0) -> Ints:
    """Return the coordinates of each rank on a grid; of so many where there is none.

    Returns
    -------
    int64, shape (ranks, axes)
        -1 for ranks that are not on it; no axes where the topology has none.
    """
    if match is None:
        return np.zeros((ranks, 0), np.int64)
    places = match.coordinates.astype(np.int64)
    if places.shape[1] != len(match.topology.dims) or not len(
        match.topology.coordinates
    ):
        return np.zeros((len(places), 0), np.int64)
    return places


def has_places(match: Match | None, axes: int = 1) -> bool:
    """Return whether ranks have so many coordinates."""
    return bool(places_of(match).shape[1] >= axes)


def table_of(by: str, samples: Samples) -> Table:
    """Build the table of samples, a row a group that has any.

    Returns
    -------
    Table
        The group; ``messages``, ``calls``, ``operations`` or ``ranks``; sums; for ranks
        ``balance``, the mean by the most; for each number ``_mean, _min, _median, _p95,
        _max``.
    """
    count = len(samples.names)
    number = np.bincount(samples.group, minlength=count)
    rows = np.flatnonzero(number)
    columns: dict[str, ColumnData] = {by: _of_groups(samples.names, rows)}
    columns[f"{samples.noun}s"] = number[rows]
    spreads = {
        name: spread_of(values, samples.group, count)
        for name, values in samples.numbers.items()
    }
    for name, spread in spreads.items():
        total = spread.total[rows]
        columns[name] = total.astype(np.int64) if name == "bytes" else total
    for name, values in samples.sums.items():
        sums = np.bincount(samples.group, np.nan_to_num(values), count)
        none = bool(len(values)) and bool(np.isnan(values).all())
        columns[name] = np.full(len(rows), np.nan) if none else sums[rows]
    for name, spread in spreads.items():
        if samples.noun == "rank":
            with np.errstate(invalid="ignore", divide="ignore"):
                columns["balance"] = spread.mean[rows] / spread.most[rows]
        columns |= {
            f"{name}_{key}": getattr(spread, own)[rows] for key, own in SPREAD.items()
        }
    return Table(STATISTICS, columns)


def _of_groups(names: list[str] | Ints, rows: Ints) -> ColumnData:
    if not isinstance(names, list):
        return names[rows]
    return rows.astype(np.int32), names


def coordinate_table(counted: Statistics, of: str) -> Table:
    """Compute how the time of ranks depends on each coordinate.

    Returns
    -------
    Table
        ``coordinate, places``; ``correlation`` of the time with it (Pearson), NaN where
        one of them does not vary; ``fastest`` and ``slowest`` plane, by the mean of
        their ranks, ``fastest_seconds, slowest_seconds``; ``balance``: mean of the
        planes by the slowest.
    """
    values, places = counted.amount(of)[counted.ranks], counted.places
    rows: list[tuple[str, int, float, str, float, str, float, float]] = []
    for axis in range(places.shape[1]):
        place = places[:, axis]
        some = (place >= 0) & ~np.isnan(values)
        if not some.any():
            continue
        own, number = np.unique(place[some], return_inverse=True)
        mean = np.bincount(number, values[some]) / np.bincount(number)
        low, high = int(mean.argmin()), int(mean.argmax())
        name = counted.axes[axis]
        rows.append(
            (
                name,
                len(own),
                correlation(place[some], values[some]),
                f"{name} {own[low]}",
                float(mean[low]),
                f"{name} {own[high]}",
                float(mean[high]),
                float(mean.mean() / mean[high]) if mean[high] else np.nan,
            )
        )
    columns = list(zip(*rows, strict=True)) or [()] * len(COORDINATES.columns)
    return Table(
        COORDINATES,
        {
            name: words(cells) if name in WORDS_OF_COORDINATES else np.array(cells)
            for name, cells in zip((c.name for c in COORDINATES), columns, strict=True)
        },
    )


WORDS_OF_COORDINATES: Final = ("coordinate", "fastest", "slowest")

COORDINATES: Final = Schema(
    Column("coordinate"),
    Column("places"),
    Column("correlation", "", "", "Pearson's, of the time with the coordinate"),
    Column("fastest", "", "", "Plane whose ranks take least in the mean"),
    Column("fastest_seconds", "s"),
    Column("slowest", "", "", "Plane whose ranks take most in the mean"),
    Column("slowest_seconds", "s"),
    Column("balance", "share", "", "Mean of the planes by the slowest"),
)


def difference(one: Table, other: Table) -> Table:
    """Subtract a table from another one, group by group; the first column names groups.

    Sums and counts of a group that one of them lacks are 0 there, other numbers are
    not known.

    Returns
    -------
    Table
        The rows of both, those of `other` first: `other` - `one`.
    """
    by = next(iter(one.data))
    keys = [table[by].tolist() for table in (one, other)]
    labels = list(dict.fromkeys((*keys[1], *keys[0])))
    data: dict[str, ColumnData] = {
        by: words(labels) if other.is_words(by) else np.array(labels, other[by].dtype)
    }
    for name in one.names[1:]:
        unknown: float = np.nan if name.endswith(UNSUMMED) else 0
        ends = []
        for table, own in zip((one, other), keys, strict=True):
            values = dict(zip(own, table[name].tolist(), strict=True))
            ends.append(np.array([values.get(label, unknown) for label in labels]))
        whole = {table[name].dtype.kind for table in (one, other)} == {"i"}
        data[name] = (ends[1] - ends[0]).astype(np.int64 if whole else np.float64)
    return Table(one.schema, data)


UNSUMMED: Final = (*(f"_{key}" for key in SPREAD), "balance")
"""Ends of the names of columns that are no sums."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """A row of the table of groups."""

    text: str
    """What it is called."""
    samples: Callable[[Statistics, str], Samples]
    """Finds what is counted."""
    given: Callable[[Analysis, Match | None], bool]
    """Whether there is more than nothing to tell, of which analysis and topology."""
    needs: tuple[str, ...] = ()
    """Results that it is made from, besides the trace itself."""


def _has_messages(analysis: Analysis, _: Match | None) -> bool:
    return len(analysis.trace.messages) > 0


def _has_calls(analysis: Analysis, _: Match | None) -> bool:
    return len(analysis.trace.calls) > 0


def _has_operations(analysis: Analysis, _: Match | None) -> bool:
    return len(analysis.trace.collectives) > 0


def _plan_of(analysis: Analysis) -> Plan | None:
    identification = analysis.identification
    return None if identification is None else identification.plan


def _has_plan(analysis: Analysis, match: Match | None) -> bool:
    return _plan_of(analysis) is not None and _has_messages(analysis, match)


def _has_nodes(analysis: Analysis, _: Match | None) -> bool:
    return analysis.trace.has_nodes


def _always(analysis: Analysis, _: Match | None) -> bool:
    del analysis
    return True


_PLACES: Final = ("identification",)
_NAMES: Final = (*_PLACES, "parts")
"""Results that tell the ranks' coordinates, and the names of communicators."""

GROUPS: Final[Mapping[str, Grouping]] = {
    "function": Grouping(
        tr("Function"), Statistics.by_function, _has_calls, ("waits",)
    ),
    "state": Grouping(tr("State"), Statistics.by_state, _always),
    "size": Grouping(tr("Size class"), Statistics.by_size, _has_messages, ("waits",)),
    "direction": Grouping(
        tr("Direction"), Statistics.by_direction, _has_messages, (*DIRECTED, "waits")
    ),
    "communicator": Grouping(
        tr("Communicator"),
        Statistics.by_communicator,
        _has_messages,
        (*_NAMES, "waits"),
    ),
    "tag": Grouping(tr("Tag"), Statistics.by_tag, _has_messages, ("waits",)),
    "collective": Grouping(
        tr("Collective"), Statistics.by_collective, _has_operations, _NAMES
    ),
    "axis": Grouping(
        tr("Axis of the plan"), Statistics.by_axis, _has_plan, (*_PLACES, "waits")
    ),
    "last": Grouping(tr("Came last"), Statistics.by_last, _has_operations, ("waits",)),
    "first": Grouping(
        tr("Came first"), Statistics.by_first, _has_operations, ("waits",)
    ),
    "rank": Grouping(tr("Rank"), Statistics.by_rank, _has_calls, ("waits",)),
    "row": Grouping(
        tr("Row"), Statistics.by_row, lambda _, m: has_places(m, 3), _PLACES
    ),
    "plane": Grouping(
        tr("Plane"), Statistics.by_plane, lambda _, m: has_places(m, 2), _PLACES
    ),
    "node": Grouping(tr("Node"), Statistics.by_node, _has_nodes),
}
"""What statistics are told by. To add one is to write a method and a line here."""


STATISTICS: Final = Schema(
    *(
        Column(
            by,
            "#" if by in ("rank", "last", "first", "tag") else "",
            tr(by),
            group.text,
            ordered=by in ("size", "row", "plane"),
        )
        for by, group in GROUPS.items()
    ),
    Column("messages", "", tr("messages")),
    Column("calls", "", tr("calls")),
    Column("operations", "", tr("operations")),
    Column("ranks", "", tr("ranks")),
    Column(
        "spread",
        "s",
        tr("spread"),
        tr("From the first member's arrival to the last one's, of all together"),
    ),
    Column(
        "seconds",
        "s",
        tr("time"),
        tr(
            "Time of all together, also of calls that end behind the time that counts; "
            "of a message from send to receive"
        ),
    ),
    Column("bytes", "B", tr("bytes"), tr("Bytes of all together")),
    Column("wait", "s", tr("wait"), tr("Late-partner wait, of all together")),
    Column(
        "balance",
        "share",
        tr("balance"),
        tr("Load balance: mean of the ranks by the one with most"),
    ),
    *spread_columns("spread", "s", tr("spread"), tr("spread of arrivals")),
    *spread_columns("seconds", "s"),
    *spread_columns("bytes", "B", tr("size"), tr("size")),
)

_NEEDS_OF_AMOUNTS: Final = {"wait": ("waits",), "caused": ("delays",)}


def statistics_needs(by: str, of: str = "compute") -> tuple[str, ...]:
    """Name the results that statistics by a group, of an amount, are made from."""
    own = GROUPS[by].needs if by in GROUPS else _PLACES  # by coordinate
    times = ("waits", "account") if by in (*OF_RANKS, "coordinate") else ()
    return tuple(dict.fromkeys((*own, *times, *_NEEDS_OF_AMOUNTS.get(of, ()))))
