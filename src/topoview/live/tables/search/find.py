"""Finding calls while a user types: part after part, sorted, and counted."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from topoview.base.text import tr
from topoview.live.tables.calls import CALLS, NUMBERS, CallSearch, Search
from topoview.live.tables.search.query import (
    Query,
    QueryError,
    parse_query,
    why_nothing,
)
from topoview.live.tables.statistics.histogram import Histogram, histogram
from topoview.model import (
    PAGE_ROWS,
    Analysis,
    Bools,
    ColumnData,
    Floats,
    Indices,
    Ints,
    LazyTable,
    Table,
    distinct,
    kept_with_source,
    named,
)

UNITS: Final = {"duration": "s", "waited": "s", "begin": "s", "bytes": "B"}
"""Units of numbers, as a query writes them; others have none."""

AMOUNTS: Final = ("duration", "waited", "bytes")
"""Numbers that may span decades."""

WHOLE: Final = ("rank", "iteration", "bytes")
"""Numbers without fractions."""

SORTED_BY: Final = (*NUMBERS, "function", "last", "direction", "tag", "communicator")
"""Columns that rows are sorted by: numbers, or names."""

FIRST_PART: Final = 1 << 18
"""Calls that are looked through before the first rows are shown; then twice as many."""


@dataclass(frozen=True, slots=True)
class FindRequest:
    """What is looked for, and how it is shown; equal ones give equal answers."""

    analysis: Analysis
    """The trace and its results."""
    query: Query
    window: tuple[int, int] | None = None
    ranks: tuple[int, ...] = ()
    """`query`, `window` and `ranks`: as for `Search.calls`."""
    column: str = "duration"
    """One of `NUMBERS`: what the histogram counts."""
    brush: tuple[float, float] | None = None
    """Least number of that column in rows, and that which is above all; None: any."""
    sort: str = "duration"
    descending: bool = True
    """`sort` and `descending`: one of `SORTED_BY`: what rows are sorted by."""
    calls: int = 0
    """How many calls of the trace are looked through; 0: as few as suits."""
    text: str = field(default="", compare=False)
    """What the query was read from."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundCalls:
    """What was found so far."""

    request: FindRequest
    """What was looked for."""
    calls: Ints
    """int64, shape (rows,): calls of the rows, in order."""
    histogram: Histogram
    """Of all that was found, within the brush or not."""
    count: int
    """How many calls were found, within the brush or not."""
    ticks: int
    longest: int
    """`ticks` and `longest`: time of the rows' calls together, and of the longest
    one."""
    ranks: tuple[int, ...]
    """Ranks of the rows, ascending."""
    first: Table
    """Columns of the first `PAGE_ROWS` rows."""
    state: int = -1
    """`TimeState` of all rows; -1 where they differ."""
    next: int = 0
    """Calls of the trace to be looked through next time; 0: all have been."""
    reason: str = ""
    """Why nothing was found; empty if something was, or that is not known."""


class Finder:
    """Answers requests; goes on from where it was if the same is looked for.

    It belongs to the thread that asks it.
    """

    def __init__(self) -> None:
        self._search: Search | None = None
        self._key: tuple[object, ...] = ()
        self._parts: CallSearch | None = None
        self._calls = np.zeros(0, np.int64)
        self._done = 0

    def search(self, analysis: Analysis) -> Search:
        """Return the search over the calls of a trace."""
        if self._search is None or self._search.analysis is not analysis:
            self._search = Search(analysis)
        return self._search

    def step(
        self, request: FindRequest, go_on: Callable[[], bool] = lambda: True
    ) -> FoundCalls:
        """Look through as many calls as are asked for, and arrange what was found.

        Parameters
        ----------
        go_on
            Whether this is still wanted; else nothing is arranged, and the next step
            for the same goes on from here.
        """
        search, count = self.search(request.analysis), len(request.analysis.trace.calls)
        key = (request.analysis, request.query, request.window, request.ranks)
        if key != self._key or self._parts is None:
            self._key, self._done = key, 0
            self._calls = np.zeros(0, np.int64)
            self._parts = CallSearch(
                search, request.query, request.window, request.ranks
            )
        upto = min(max(request.calls, FIRST_PART, self._done), count)
        chunks = [self._calls]
        while self._done < upto and go_on():
            last = min(self._done + FIRST_PART, upto)
            chunks.append(self._parts.between(self._done, last))
            self._done = last
        self._calls = np.concatenate(chunks)
        wanted = go_on()
        shown = self._calls if wanted else self._calls[:0]
        result = _arrange(search, request, shown, self._done, count)
        if wanted and self._done >= count and not len(self._calls):
            reason = why_nothing(
                request.text,
                "call",
                lambda query: len(search.calls(query)),
                of_part=request.window is not None or bool(request.ranks),
            )
            result = replace(result, reason=reason)
        return result

    def page(self, request: tuple[FoundCalls, int]) -> "FindPage":
        """Compute the columns of some rows."""
        matches, number = request
        search = self.search(matches.request.analysis)
        calls = matches.calls[number * PAGE_ROWS : (number + 1) * PAGE_ROWS]
        return FindPage(matches, number, page_table(search, calls))


@dataclass(frozen=True, slots=True, eq=False)
class FindPage:
    """Columns of `PAGE_ROWS` rows: those of `Search.call_table`, and ``last``."""

    result: FoundCalls
    number: int
    table: Table


def page_table(search: Search, calls: Ints) -> Table:
    """Build a table of calls, with the message or arrival that came last.

    Returns
    -------
    Table
        As of `Search.call_table`; ``last`` is the direction to the rank ``waited_for``.
    """
    table, labels = search.call_table(calls), search.directions.labels
    cause = table["waited_for"]
    way = search.directions.of(table["rank"], cause).tolist()
    last = [
        labels[direction] if direction >= 0 else tr("rank {cause}", cause=rank)
        for direction, rank in zip(way, cause.tolist(), strict=True)
    ]
    there = np.where(cause >= 0, np.arange(len(calls)), -1)
    data = {**table.data, "last": named(there, last)}
    return Table(CALLS, {column.name: data[column.name] for column in CALLS})


def found_table(calls: FoundCalls) -> LazyTable:
    """Return the calls that were found; their columns are made as they are seen."""
    search = Search(calls.request.analysis)
    return LazyTable(
        CALLS,
        len(calls.calls),
        lambda rows: page_table(search, calls.calls[rows]),
        ("function", "last", "direction", "communicator"),
    )


def _arrange(
    search: Search, request: FindRequest, calls: Ints, done: int, count: int
) -> FoundCalls:
    values = search.numbers(request.column, calls)
    counted = histogram(
        values, amount=request.column in AMOUNTS, whole=request.column in WHOLE
    )
    rows = calls
    if request.brush is not None:
        rows = calls[(values >= request.brush[0]) & (values < request.brush[1])]
    trace = search.analysis.trace
    if request.sort == request.column and request.brush is None:
        keys = values
    else:
        keys = _sort_keys(search, request.sort, rows)
    keys = np.where(np.isnan(keys), np.inf, -keys if request.descending else keys)
    took = trace.calls.leave[rows] - trace.calls.enter[rows]
    ticks, longest = int(took.sum()), int(took.max(initial=0))
    ranks = tuple(distinct(search.rank_of(rows)).tolist())
    states = np.unique(trace.regions.state[distinct(trace.calls.region[rows])])
    state = int(states[0]) if len(states) == 1 else -1
    rows = rows[np.argsort(keys, kind="stable")]
    more = 0 if done >= count else 2 * done
    return FoundCalls(
        request=request,
        calls=rows,
        histogram=counted,
        count=len(calls),
        ticks=ticks,
        longest=longest,
        ranks=ranks,
        first=page_table(search, rows[:PAGE_ROWS]),
        state=state,
        next=more,
    )


def _sort_keys(search: Search, name: str, calls: Ints) -> Floats:
    """Return numbers that sort as a column's numbers or names do; NaN for none."""
    if name in NUMBERS:
        return search.numbers(name, calls)
    trace = search.analysis.trace
    if name == "function":
        region = trace.calls.region[calls]
        titles = [trace.regions.title(n) for n in range(len(trace.regions.names))]
        column: ColumnData = region, titles
    else:
        column = page_table(search, calls).data[name]
    if not isinstance(column, tuple):
        return np.where(column < 0, np.nan, column)
    places = np.argsort(np.argsort(np.array(column[1], str))).astype(np.float64)
    if name == "last":  # ranks without a direction come last
        places[~np.isin(column[1], search.directions.labels)] = np.nan
    return np.append(places, np.nan)[np.maximum(column[0], -1)]


def brushed_text(text: str, column: str, brush: tuple[float, float] | None) -> str:
    """Write a query that finds what another one does within a brush.

    Examples
    --------
    >>> brushed_text("Waitall", "duration", (0.01, 0.5))
    'Waitall duration >= 0.01 s duration < 0.5 s'
    """
    if brush is None:
        return text
    unit = UNITS.get(column, "")
    terms = (
        f"{column} {sign} {end!r} {unit}"
        for sign, end in zip((">=", "<"), brush, strict=True)
    )
    return " ".join((text, *terms)).strip()


@kept_with_source(most=1)
def calls_of_text(analysis: Analysis, text: str) -> Indices:
    """Mark the calls that a query finds: int32, shape (calls,), 0 or else -1.

    All panels ask for the same, one after the other.
    """
    result = np.full(len(analysis.trace.calls), -1, np.int32)
    with suppress(QueryError):  # what a session file says finds nothing
        result[Search(analysis).calls(parse_query(text))] = 0
    result.flags.writeable = False
    return result


def suggestions(analysis: Analysis) -> tuple[str, ...]:
    """List words that a query of this trace may hold, in alphabetical order each."""
    trace = analysis.trace
    used = _used(trace.regions.operation, len(trace.regions.operations))
    names = (
        name
        for name, there in zip(trace.regions.operations, used, strict=True)
        if there
    )
    ways = analysis.logical.partners.names if analysis.logical is not None else ()
    communicators = dict.fromkeys(c.name for c in trace.communicators if c.name)
    return (
        *sorted(names),
        *(f"to {way}" for way in ways),
        *(f"from {way}" for way in ways),
        *(f'on "{name}"' for name in communicators),
        *(f"{column} >" for column in NUMBERS),
        "tag",
        "in",
    )


def _used(operation: Indices, count: int) -> Bools:
    mask = np.zeros(count + 1, bool)
    mask[operation] = True
    return mask[:count]
