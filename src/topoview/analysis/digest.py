"""Results without the events: what a digest of a trace holds.

Its size follows the ranks and the program, not the events. Of counters it keeps a few
records in each of some equal steps of time (`samples`). Of the timeline it keeps how
long each location was in each state in each of some equal steps of time: exact sums, of
which those of longer stretches are sums again (a pyramid: Chan, Xiao, Shen, Chen 2008,
Maintaining interactivity while exploring massive time series). They are kept as a
timeline again, so that whatever shows one shows them: within a step a location is in
one state after the other, the first and the last as they were.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Final

import numpy as np

from topoview.analysis.account.sums import state_ticks
from topoview.analysis.message_index import message_index
from topoview.analysis.overview import with_sums
from topoview.base.progress import Report, silent
from topoview.grouping import begins_run
from topoview.model import (
    MESSAGE_CALLS,
    Account,
    Bytes,
    Calls,
    Collectives,
    Digest,
    EventRecords,
    Ints,
    Messages,
    Part,
    Regions,
    Rows,
    Slowest,
    Timeline,
    TimeState,
    Trace,
    Transfers,
    places_among,
    rows_at,
    rows_in_batches,
)

STEPS: Final = 512
"""Steps of time unless asked for otherwise."""

MAX_SLOWEST: Final = 4096
"""Slowest calls, and slowest messages, that are kept in full."""

MAX_PATH: Final = 1 << 16
"""Stretches of the critical path that are kept; of more its sums only."""

COUNTER_STEPS: Final = 8
"""Steps of time that are one for counters, of which four records a step are kept."""

KEPT: Final = (
    "one_sided",
    "matrix",
    "identification",
    "profile",
    "profile_of_run",
    "parts",
    "logical",
    "delays",
    "wait_sums",
    "critical_path",
    "efficiencies",
    "profile_of_loop",
    "devices",
    "outline",
    "overview",
    "waits",
    "hung",
    "positions",
    "measured",
    "iterations",
)
"""Results that a digest holds; others are made of these, or need the events."""

NEEDED: Final = (
    *(name for name in KEPT if name != "overview"),
    "pyramid",
    "samples",
    "slowest",
)
"""Results that a digest is made of."""

_ENTRIES_AT_ONCE: Final = 1 << 22
_FLOAT64: Final = 10
"""What records of counters call a float64 (OTF2_Type)."""
_OUTSIDE: Final = np.uint8(TimeState.OUTSIDE)


def step_ends(length: int, steps: int) -> Ints:
    """Return the ends of the steps of a digest in ticks, in front the first's begin."""
    return np.array([i * length // steps for i in range(steps + 1)], np.int64)


def folded(timeline: Timeline, length: int, steps: int) -> Timeline:
    """Keep of a timeline how long each row is in each state in each step.

    Neighbouring intervals of equal states are one, regions are left out. Rows without
    intervals, of other parts of the trace, have none.
    """
    edges = step_ends(length, steps)
    parts: list[tuple[Ints, Ints, Bytes]] = []
    own = np.diff(timeline.offsets) > 0
    offsets = np.append(timeline.offsets[:-1][own], timeline.offsets[-1])
    timeline = replace(timeline, offsets=offsets)
    counts = np.diff(offsets)
    for rows in _some_rows(counts + len(edges) * len(TimeState)):
        parts.append(_folded_rows(timeline, rows, edges))
    size = np.zeros(len(own) + 1, np.int64)
    size[1:][own] = np.concatenate([np.zeros(0, np.int64)] + [p[0] for p in parts])
    time = np.concatenate([np.zeros(0, np.int64)] + [part[1] for part in parts])
    state = np.concatenate([np.zeros(0, np.uint8)] + [part[2] for part in parts])
    return Timeline(np.cumsum(size), time, state, np.full(len(time), -1, np.int32))


def _some_rows(entries: Ints) -> list[slice]:
    """Cut rows into stretches of few entries each."""
    ends = np.cumsum(entries)
    result, begin = [], 0
    while begin < len(entries):
        before = int(ends[begin - 1]) if begin else 0
        stop = int(np.searchsorted(ends, before + _ENTRIES_AT_ONCE, side="right"))
        result.append(slice(begin, max(stop, begin + 1)))
        begin = result[-1].stop
    return result


def _folded_rows(
    timeline: Timeline, rows: slice, edges: Ints
) -> tuple[Ints, Ints, Bytes]:
    """Fold some rows: how many intervals each has, their begins, their states."""
    ticks = state_ticks(timeline, rows, edges)
    there = timeline.state[timeline.at(edges[:, None], rows).T]
    # States of a step in order: that at its begin, others, that at its end.
    place = np.ones(ticks.shape, np.int8)
    np.put_along_axis(place, there[:, 1:, None].astype(np.int64), 2, axis=2)
    np.put_along_axis(place, there[:, :-1, None].astype(np.int64), 0, axis=2)
    order = np.argsort(place, axis=2, kind="stable")
    length = np.take_along_axis(ticks, order, axis=2)
    some = length > 0
    row = np.nonzero(some)[0]
    state, length = order[some].astype(np.uint8), length[some]
    end = np.cumsum(length)
    many = rows.stop - rows.start
    before = np.searchsorted(row, np.arange(many))
    begin = end - length
    base = np.append(begin, 0)[before]
    time = begin - base[row] if len(row) else begin
    # What follows the last step: outside for ever.
    whole = edges[-1]
    row = np.concatenate([row, np.arange(many)])
    time = np.concatenate([time, np.full(many, whole)])
    state = np.concatenate([state, np.full(many, _OUTSIDE)])
    by_row = np.argsort(row, kind="stable")
    row, time, state = row[by_row], time[by_row], state[by_row]
    new = begins_run(row, state)
    return np.bincount(row[new], minlength=many), time[new], state[new]


def samples(
    trace: Trace, steps: int = STEPS, report: Report = silent
) -> EventRecords | None:
    """Keep a few records of the counters of a trace, or of a part of its ranks.

    Of each counter, location and step of time the first record and the last one, the
    least and the greatest: what is drawn of them in columns no narrower than the steps
    is what is drawn of all (M4: Jugel, Jerzak, Hackenbroich, Markl 2014, section 4).
    Of a counter whose numbers are changes the last record has the sum of the step.

    Returns
    -------
    EventRecords or None
        None if the trace has none.
    """
    report("condensing", 0.5)
    records = next((r for r in trace.further if r.name == "Metric" and len(r)), None)
    if records is None:
        return None
    edges = step_ends(trace.clock.length, max(steps // COUNTER_STEPS, 1))
    changes = [(c.metric, c.place) for c in trace.counters if c.mode == "change"]
    parts = [
        _few_samples(records, rows, edges, changes)
        for rows in _some_rows(np.diff(records.offsets))
    ]
    return replace(
        records,
        offsets=np.cumsum(np.concatenate([[0], *(part[0] for part in parts)])),
        time=np.concatenate([part[1] for part in parts]),
        values=np.concatenate([part[2] for part in parts]),
    )


def _few_samples(
    records: EventRecords, rows: slice, edges: Ints, changes: list[tuple[int, int]]
) -> tuple[Ints, Ints, Ints]:
    """Choose records of some rows: how many each row has, their times and values."""
    offsets = records.offsets[rows.start : rows.stop + 1]
    some, sizes = slice(int(offsets[0]), int(offsets[-1])), np.diff(offsets)
    time, values = records.time[some], records.values[some]
    if not len(time):
        return sizes, time, values
    own = replace(records, offsets=offsets - offsets[0], time=time, values=values)
    values = values.copy()
    row, number = np.repeat(np.arange(len(sizes)), sizes), own.numbers()
    step = np.searchsorted(edges[1:-1], time, side="right")
    metric, place = own.column("metric"), own.column("place")
    by, at = (step, place, metric, row), np.arange(len(row))
    order, ranked = np.lexsort((at, *by)), np.lexsort((at, number, *by))
    key = np.stack(by)[:, order]
    first = np.flatnonzero(np.append(True, (key[:, 1:] != key[:, :-1]).any(axis=0)))
    last = np.append(first[1:], len(order)) - 1
    sums = np.zeros(len(row), np.bool_)
    for change in changes:
        sums |= (metric == change[0]) & (place == change[1])
    added = sums[order[first]]
    summed = np.add.reduceat(number[order], first)[added].view(np.int64)
    values[order[last[added]], own.fields.index("type")] = _FLOAT64
    values[order[last[added]], own.fields.index("value")] = summed
    each, end = first[~added], last[~added]
    chosen = np.unique(
        np.concatenate([order[each], order[last], ranked[each], ranked[end]])
    )
    return np.bincount(row[chosen], minlength=len(sizes)), time[chosen], values[chosen]


def _joined(tables: Sequence[Any]) -> Any:  # noqa: ANN401 - as the tables
    """Join tables of the same rows, of which each row has elements in one of them."""
    rows = np.arange(len(tables[0].offsets) - 1)
    row = np.concatenate([np.repeat(rows, np.diff(table.offsets)) for table in tables])
    order = np.argsort(row, kind="stable")
    columns = {}
    for name in {field.name for field in fields(tables[0])} - {"offsets"}:
        parts = [getattr(table, name) for table in tables]
        if isinstance(parts[0], np.ndarray):
            columns[name] = np.concatenate(parts)[order]
    offsets = np.sum([table.offsets for table in tables], axis=0)
    return replace(tables[0], offsets=offsets, **columns)


def joined_pyramids(parts: Sequence[Timeline], _regions: Regions) -> Timeline:
    """Join the folded timelines of parts of a trace."""
    joined: Timeline = _joined(parts)
    return joined


def joined_samples(
    parts: Sequence[EventRecords | None], _regions: Regions
) -> EventRecords | None:
    """Join the samples of parts of a trace."""
    some = [one for one in parts if one is not None]
    return _joined(some) if some else None


def condense(
    trace: Trace,
    results: Mapping[str, Any],
    steps: int = STEPS,
    report: Report = silent,
) -> tuple[Trace, dict[str, Any]]:
    """Leave the events out of a trace and of what was found in it.

    Parameters
    ----------
    results
        Those of `NEEDED` that there are, by name.
    steps
        Steps of time in which sums of states were kept.

    Returns
    -------
    Trace, dict
        The trace with `Trace.digest`, and its results.
    """
    report("condensing", 0.6)
    few = results["samples"]
    slow: Slowest = results["slowest"]
    messages = np.sort(slow.message)
    kept = _kept_calls(trace, results, messages)
    condensed = replace(
        trace,
        timeline=results["pyramid"],
        calls=_some_calls(trace.calls, kept),
        messages=_some_messages(trace.messages, messages, kept),
        collectives=_some_parts(trace.collectives, kept),
        never_left=places_among(kept, trace.never_left),
        further=() if few is None else (few,),
        digest=Digest(
            trace=trace.path,
            steps=steps,
            calls=len(trace.calls),
            messages=len(trace.messages),
            collective_parts=len(trace.collectives),
            intervals=len(trace.timeline.time),
            without_receive=slow.without_receive,
        ),
        warnings=(*trace.warnings, _NOTE),
    )
    report("condensing", 0.9)
    return condensed, _condensed(condensed, results, kept)


_NOTE: Final = (
    "This is a digest: of the events it holds the slowest calls and messages and those "
    "that results refer to, and how long each location was in each state in each step "
    "of time. For all others open the trace that it is of."
)


def slowest(part: Part, report: Report = silent) -> Slowest:
    """Find the slowest calls and messages of some ranks."""
    report("condensing", 0.7)
    calls, messages = part.trace.calls, part.trace.messages

    def took(some: slice | Ints) -> Ints:
        sent, received = messages.send_time[some], messages.receive_time[some]
        return np.where((sent >= 0) & (received >= 0), received - sent, -1)

    lost = (messages.receive_time[some] < 0 for some in rows_in_batches(part.received))
    return Slowest(
        *_largest(part.calls, lambda some: calls.leave[some] - calls.enter[some]),
        *_largest(part.received, took),
        without_receive=sum(int(np.count_nonzero(own)) for own in lost),
    )


def joined_slowest(parts: Sequence[Slowest], _regions: Regions) -> Slowest:
    """Find the slowest of those of parts of a trace."""
    call, call_ticks, message, message_ticks = (
        np.concatenate([getattr(one, name) for one in parts])
        for name in ("call", "call_ticks", "message", "message_ticks")
    )
    return Slowest(
        *_first(call, call_ticks),
        *_first(message, message_ticks),
        without_receive=sum(one.without_receive for one in parts),
    )


def _largest(
    rows: Rows, number_of: Callable[[slice | Ints], Ints]
) -> tuple[Ints, Ints]:
    """Find the rows of the largest numbers above 0, and these; see `_first`."""
    row, number = np.zeros((2, 0), np.int64)
    for some in rows_in_batches(rows):
        own = number_of(some)
        more = np.flatnonzero(own > (number[-1] if len(row) == MAX_SLOWEST else 0))
        at = rows_at(some, more)
        row, number = _first(np.append(row, at), np.append(number, own[more]))
    return row, number


def _first(row: Ints, number: Ints) -> tuple[Ints, Ints]:
    """Return the first of some rows by their numbers; of equal ones the first rows."""
    best = np.lexsort((row, -number))[:MAX_SLOWEST]
    return row[best], number[best]


def _kept_calls(trace: Trace, results: Mapping[str, Any], messages: Ints) -> Ints:
    """Find the calls that are slow, or that something kept refers to: ascending."""
    chosen = [results["slowest"].call, trace.never_left]
    for name in MESSAGE_CALLS:
        chosen.append(getattr(trace.messages, name)[messages])
    if results.get("measured") is not None:
        chosen.append(results["measured"].statements.slowest)
    if results.get("delays") is not None:
        chosen.append(results["delays"].wait_call)
    calls = np.unique(np.concatenate(chosen))
    return calls[calls >= 0].astype(np.int64)


def _some_calls(calls: Calls, kept: Ints) -> Calls:
    columns = {f.name: getattr(calls, f.name) for f in fields(Calls)}
    kept_columns = {
        name: one[kept] for name, one in columns.items() if name != "offsets"
    }
    kept_columns["completes"] = places_among(kept, kept_columns["completes"])
    kept_columns["kept"] = np.zeros(len(kept), np.uint8)
    return Calls(np.searchsorted(kept, calls.offsets), **kept_columns)


def _some_messages(messages: Messages, chosen: Ints, kept: Ints) -> Messages:
    columns = {f.name: getattr(messages, f.name)[chosen] for f in fields(Messages)}
    for name in MESSAGE_CALLS:
        columns[name] = places_among(kept, columns[name])
    return Messages(**columns)


def _some_parts(parts: Collectives, kept: Ints) -> Collectives:
    begin = np.searchsorted(parts.call, kept)
    stop = np.searchsorted(parts.call, kept, side="right")
    size = stop - begin
    own = np.repeat(begin - np.cumsum(size) + size, size) + np.arange(size.sum())
    columns = {f.name: getattr(parts, f.name)[own] for f in fields(Collectives)}
    for name in ("call", "completion_call"):
        columns[name] = places_among(kept, columns[name])
    return Collectives(**columns)


def _condensed(trace: Trace, results: Mapping[str, Any], kept: Ints) -> dict[str, Any]:
    """Return results that refer to the calls that are left."""
    result = {name: value for name, value in results.items() if name in KEPT}

    def change(name: str, **columns: Any) -> None:  # noqa: ANN401 - fields of results
        if result.get(name) is not None:
            result[name] = replace(result[name], **columns)

    waits = result.get("waits")
    if waits is not None:
        columns = {
            f.name: getattr(waits, f.name)[kept]
            for f in fields(waits)
            if f.name != "measured"
        }
        columns["cause"] = places_among(kept, columns["cause"])
        tracer = waits.measured.copy()
        tracer[0] = places_among(kept, tracer[0])
        columns["measured"] = tracer[:, tracer[0] >= 0]
        result["waits"] = type(waits)(**columns)
    for name, column, is_call in (
        ("logical", "statement_of_call", False),
        ("positions", "of_call", False),
        ("delays", "wait_call", True),
        ("hung", "call", True),
    ):
        if result.get(name) is not None:
            own = getattr(result[name], column)
            change(name, **{column: places_among(kept, own) if is_call else own[kept]})
    measured = result.get("measured")
    if measured is not None:
        slowest = places_among(kept, measured.statements.slowest)
        statements = replace(measured.statements, slowest=slowest)
        change(
            "measured", trace=trace, logical=result["logical"], statements=statements
        )
    path = result.get("critical_path")
    if path is not None and len(path.rank) > MAX_PATH:
        none = np.zeros(0, np.int64)
        change("critical_path", rank=none.astype(np.int32), begin=none, end=none)
    if results.get("outline") is not None:
        result["overview"] = with_sums(
            trace, Account(trace.timeline), results["outline"]
        )
    result["message_index"] = message_index(trace.messages)
    none = np.zeros(0, np.int64)
    result["transfers"] = Transfers(none, none, none, none, none)
    return result
