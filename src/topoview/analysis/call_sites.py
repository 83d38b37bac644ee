"""Source lines that calls were made from, where a trace tells them.

Three kinds of records can: an attribute of the event that begins the call, the
calling context that the call is entered in, and the definition of a call site, which
holds for all calls from one region to another.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from topoview.analysis import kernels
from topoview.model import (
    EventRecords,
    Indices,
    Ints,
    LineSums,
    LogicalTrace,
    Part,
    Trace,
    elements,
    places_among,
)

_SOURCE_LINE_TYPE: Final = 20
"""OTF2_Type of an attribute that is a source line."""

_ENTER_RECORDS: Final = (12, 66)


def places_of_calls(trace: Trace, calls: Ints) -> Indices:
    """Find the line that each call was made from.

    Parameters
    ----------
    calls : int64, shape (n,), ascending
        Indices into the trace's calls.

    Returns
    -------
    int32, shape (n,)
        Index into the lines of `Trace.sources`, -1 where the trace does not tell.
    """
    result = np.full(len(calls), -1, np.int32)
    if not len(trace.sources) or not len(calls):
        return result
    region, enter = trace.calls.region[calls], trace.calls.enter[calls]
    row = np.searchsorted(trace.calls.offsets, calls, side="right") - 1
    rows = slice(int(row.min()), int(row.max()) + 1)
    row -= rows.start
    if len(trace.sources.site_entered):
        callers = trace.paths.region[trace.calls.path[calls]]
        take_sites(trace, region, callers, result)
    for records, places, regions in line_records(trace, rows):
        kernels.take(
            records.offsets, records.time, places, regions, row, enter, region, result
        )
    return result


def places_of_statements(part: Part, logical: LogicalTrace) -> Ints:
    """Find the lines that calls of each statement were made from, on some ranks.

    Returns
    -------
    int64, shape (n, 2)
        Statements, and indices into the lines of `Trace.sources`: each pair once,
        in order.
    """
    trace, chunks = part.trace, [np.zeros((0, 2), np.int64)]
    for _, own in part.rank_batches() if len(trace.sources) else ():
        statement = logical.statement_of_call[own]
        some = np.flatnonzero(statement >= 0)
        place = places_of_calls(trace, own.start + some)
        pairs = np.column_stack((statement[some], place))[place >= 0]
        chunks.append(np.unique(pairs, axis=0))
    return joined_places(chunks)


def joined_places(parts: Sequence[Ints]) -> Ints:
    """Join pairs of parts of a trace."""
    return np.unique(np.concatenate(parts), axis=0)


def lines_of_statements(trace: Trace, sums: LineSums) -> tuple[tuple[str, ...], ...]:
    """Name the lines of each statement, each once; all empty where none is told."""
    places: list[dict[str, None]] = [{} for _ in sums.ranks]
    for statement, index in sums.places.tolist():
        places[statement][trace.sources.places[index]] = None
    return tuple(map(tuple, places))


def line_records(
    trace: Trace, rows: slice
) -> list[tuple[EventRecords, Indices, Indices]]:
    """Return records of locations that name lines, with each one's line and region.

    The region is -1 where the record does not tell. Those that tell more exactly come
    last.
    """
    sources, result = trace.sources, []
    for records in trace.further:
        if records.name == "CallingContextEnter":
            here = _part(records, rows)
            index = places_among(sources.contexts, here.column("context"))
            places = _pick(sources.context_place, index)
            result.append((here, places, _pick(sources.context_region, index)))
    for records in trace.further:
        if records.name == "Attribute":
            here = _part(records, rows)
            is_line = here.column("type") == _SOURCE_LINE_TYPE
            is_line &= np.isin(here.column("record"), _ENTER_RECORDS)
            here = _chosen(here, is_line)
            index = places_among(sources.place_identifiers, here.column("value"))
            places = index.astype(np.int32)
            result.append((here, places, np.full(len(index), -1, np.int32)))
    return result


def _part(records: EventRecords, rows: slice) -> EventRecords:
    """Return the records of some locations."""
    here = elements(rows, records.offsets)
    ends = records.offsets[rows.start : rows.stop + 1] - here.start
    return EventRecords(
        records.name, records.fields, ends, records.time[here], records.values[here]
    )


def _chosen(records: EventRecords, wanted: np.ndarray) -> EventRecords:
    """Return some of the records."""
    before = np.concatenate(([0], np.cumsum(wanted)))
    return EventRecords(
        records.name,
        records.fields,
        before[records.offsets],
        records.time[wanted],
        records.values[wanted],
    )


def _pick(column: Indices, index: Indices | Ints) -> Indices:
    """Look up a column, -1 for no index."""
    if not len(column):
        return np.full(len(index), -1, np.int32)
    return np.where(index >= 0, column[index], -1).astype(np.int32)


def take_sites(trace: Trace, region: Indices, caller: Indices, sites: Indices) -> None:
    """Enter the line where one region calls another, if there is only one such."""
    sources = trace.sources
    only: dict[tuple[int, int], int] = {}
    for entered, left, place in zip(
        sources.site_entered.tolist(),
        sources.site_left.tolist(),
        sources.site_place.tolist(),
        strict=True,
    ):
        for key in ((entered, left), (entered, -1)):
            only[key] = place if only.get(key, place) == place else -1
    pairs, which = np.unique(
        np.column_stack((region, caller)), axis=0, return_inverse=True
    )
    places = [only.get((int(one), int(by)), -1) for one, by in pairs]
    sites[:] = np.array(places, np.int32)[which.reshape(-1)]
