"""Regions of the program besides MPI, and its parameters: when, how often, how long."""

from typing import Final

import numpy as np

from topoview.base.text import tr
from topoview.live.tables.statistics.histogram import SPREAD, spread_columns, spread_of
from topoview.live.timeline.call_stack import stack_spans
from topoview.model import Bools, Column, Ints, Schema, Table, Trace, named

END_TIP: Final = tr("End of the last visit; of a parameter: when it has another value")

REGIONS: Final = Schema(
    Column("region", "", tr("region")),
    Column("ranks", "", tr("ranks")),
    Column("visits", "", tr("visits"), tr("How often ranks enter it, all together")),
    Column(
        "seconds",
        "s",
        tr("time"),
        tr("Time of all together, with what is called within"),
    ),
    Column("share", "share", tr("share"), tr("Share of the time of the ranks")),
    *spread_columns("seconds", "s"),
    Column("begin", "at", tr("begin")),
    Column("end", "at", tr("end"), END_TIP),
)

PARAMETERS: Final = Schema(
    Column("parameter", "", tr("parameter")),
    Column("value", "", tr("value")),
    Column("ranks", "", tr("ranks")),
    Column("records", "", tr("records")),
    Column("begin", "at", tr("begin")),
    Column("end", "at", tr("end"), END_TIP),
)


def region_table(
    trace: Trace, ranks: tuple[int, ...] = (), window: tuple[int, int] | None = None
) -> Table:
    """Return a table of the regions that main threads visit, besides MPI calls.

    A visit is from where a region is entered to where it is left, with all that is
    called within; one within another visit to the same region is part of that.

    Parameters
    ----------
    ranks
        Only visits of these; empty: of all.
    window
        Begin and end in ticks: visits count as far as they are in it. None: the run.

    Returns
    -------
    Table
        ``region, ranks, visits``; ``seconds`` of all visits together, and the spread of
        single ones; ``share`` of the time of those ranks; ``begin`` of the first visit,
        ``end`` of the last one, in seconds. Most time first.
    """
    user = np.append(trace.regions.operation < 0, False)
    window = window or (trace.clock.begin, max(trace.clock.length, 1))
    some = ranks or range(trace.ranks)
    columns = [_visits(trace, rank, user, window) for rank in some]
    rank, region, begin, end = (np.concatenate(c) for c in zip(*columns, strict=True))
    count, scale = len(trace.regions.names), trace.clock.resolution
    visits = np.bincount(region, minlength=count)
    first, last = np.full(count, trace.clock.length), np.zeros(count, np.int64)
    np.minimum.at(first, region, begin)
    np.maximum.at(last, region, end)
    there = np.zeros((count, trace.ranks), bool)
    there[region, rank] = True
    spread = spread_of((end - begin) / scale, region, count)
    rows = np.flatnonzero(visits)
    rows = rows[np.argsort(-spread.total[rows], kind="stable")]
    whole = len(columns) * max(window[1] - window[0], 1) / scale
    return Table(
        REGIONS,
        {
            "region": named(rows, list(trace.regions.names)),
            "ranks": there.sum(axis=1)[rows],
            "visits": visits[rows],
            "seconds": spread.total[rows],
            "share": spread.total[rows] / whole,
            **{
                f"seconds_{key}": getattr(spread, own)[rows]
                for key, own in SPREAD.items()
            },
            "begin": first[rows] / scale,
            "end": last[rows] / scale,
        },
    )


def _visits(
    trace: Trace, rank: int, user: Bools, window: tuple[int, int]
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the rank, region, begin and end in a window of each visit of a rank."""
    most = int(trace.timeline.offsets[rank + 1] - trace.timeline.offsets[rank])
    spans = stack_spans(trace, rank, window, most)
    assert spans is not None
    there = (spans.end > window[0]) | (spans.begin >= window[0])
    there &= (spans.begin < window[1]) | (window[1] >= trace.clock.length)
    some = np.flatnonzero(user[spans.region] & there)
    region = spans.region[some].astype(np.int64)
    begin, end = (np.clip(side[some], *window) for side in (spans.begin, spans.end))
    order = np.lexsort((-end, begin, region))
    region, begin, end = region[order], begin[order], end[order]
    # Visits nest: one that begins before an earlier one's end lies within it.
    reach = end + region * (window[1] + 1)
    before = np.append(-1, np.maximum.accumulate(reach)[:-1])[: len(reach)]
    outer = begin + region * (window[1] + 1) >= before
    region, begin, end = region[outer], begin[outer], end[outer]
    return np.full(len(region), rank, np.int64), region, begin, end


def parameter_table(trace: Trace, ranks: tuple[int, ...] = ()) -> Table:
    """Return a table of the values that the program recorded of its parameters.

    Parameters
    ----------
    ranks
        Only records of these; empty: of all.

    Returns
    -------
    Table
        ``parameter, value, ranks, records``; ``begin``: the first record, ``end``: that
        of the parameter after the last one on any rank, else the end of the run; in
        seconds. In order of time.
    """
    scale, length = trace.clock.resolution, trace.clock.length
    called = {
        one.kind: dict(zip(one.identifiers.tolist(), one.names, strict=True))
        for one in trace.names
    }
    rows: list[tuple[str, str, int, int, float, float]] = []
    for records in trace.further:
        if records.name not in PARAMETER_RECORDS:
            continue
        row = np.repeat(np.arange(len(records.offsets) - 1), np.diff(records.offsets))
        rank = trace.rank_of_location[row]
        own = np.isin(rank, ranks) if ranks else np.ones(len(rank), bool)
        row, rank, time = row[own], rank[own], records.time[own]
        which = records.column("parameter")[own]
        order = np.lexsort((time, row, which))
        follows = np.full(len(order), length, np.int64)
        same = which[order][1:] == which[order][:-1]
        same &= row[order][1:] == row[order][:-1]
        follows[order[:-1][same]] = time[order[1:][same]]
        keys = np.stack((which, records.column(records.fields[-1])[own]), axis=1)
        pairs, group = np.unique(keys, axis=0, return_inverse=True)
        group, count = group.ravel(), len(pairs)
        first, last = np.full(count, length), np.zeros(count, np.int64)
        np.minimum.at(first, group, time)
        np.maximum.at(last, group, follows)
        groups = np.unique(np.stack((group, rank), axis=1), axis=0)[:, 0]
        columns = (
            [called.get("parameter", {}).get(p, f"{p}") for p, _ in pairs.tolist()],
            [_value_text(records.name, v, called) for _, v in pairs.tolist()],
            np.bincount(groups, minlength=count).tolist(),
            np.bincount(group, minlength=count).tolist(),
            (first / scale).tolist(),
            (last / scale).tolist(),
        )
        rows += zip(*columns, strict=True)
    rows.sort(key=lambda each: each[4])
    names, values, ranks, counts, begin, end = zip(*rows, strict=True) if rows else NONE
    place = np.arange(len(rows), dtype=np.int32)
    return Table(
        PARAMETERS,
        {
            "parameter": named(place, list(names)),
            "value": named(place, list(values)),
            "ranks": np.array(ranks, np.int64),
            "records": np.array(counts, np.int64),
            "begin": np.array(begin, np.float64),
            "end": np.array(end, np.float64),
        },
    )


NONE: Final = ((),) * 6


def _value_text(kind: str, value: int, called: dict[str, dict[int, str]]) -> str:
    if kind == "ParameterString":
        return called.get("text of a parameter", {}).get(value, str(value))
    return str(value % (1 << 64) if kind == "ParameterUnsignedInt" else value)


PARAMETER_RECORDS: Final = ("ParameterInt", "ParameterUnsignedInt", "ParameterString")
"""Types of records of parameters."""
