"""Communicators on the machine: their shape there, and how long they take."""

from typing import Final

import numpy as np

from topoview.analysis.network import routing
from topoview.analysis.network.placement import extent_of
from topoview.base.text import tr
from topoview.live.tables.parts.parts import collective_operations
from topoview.live.tables.statistics.histogram import correlation
from topoview.model import (
    Column,
    ColumnData,
    Floats,
    Ints,
    LinkLoads,
    Schema,
    Table,
    Trace,
    distinct,
    evenly,
    named,
)
from topoview.model.topology import AXES

MAX_NODES: Final = 1024
"""Nodes of a communicator between which hops are counted: of more, evenly chosen."""


EXTENTS: Final = Schema(
    Column("communicator", "#", link="communicator"),
    Column("name", "", tr("communicator")),
    Column("ranks", "", tr("ranks")),
    Column("nodes", "", tr("nodes")),
    *(Column(axis, "", axis, "Places that its nodes span") for axis in AXES),
    Column("holes", "", "", "Nodes of that box which it does not use"),
    Column("hops", "", tr("hops"), "Mean between its nodes"),
    Column("diameter", "", "", "Most hops between its nodes"),
    Column("operations", "", tr("operations")),
    Column("slowest", "s", tr("slowest"), "From the last arrival to the last end"),
    Column("mean", "s", tr("mean"), "From the last arrival to the last end"),
)


def extent_table(trace: Trace, loads: LinkLoads) -> Table:
    """Build a table of the communicators of several ranks, slowest first.

    How far a communicator reaches on the machine, beside how long its slowest
    collective operation takes once the last member has come (Gamblin and others,
    Fig. 6).

    Returns
    -------
    Table
        ``communicator`` (its number), ``name, ranks, nodes``; of a torus or mesh
        ``x, y, ...`` (places that its nodes span along each dimension, the shorter way
        around) and ``holes`` (nodes of that box which it does not use); ``hops`` and
        ``diameter`` (mean and most between its nodes; NaN where no route joins any);
        ``operations, slowest, mean``
        (seconds from the last arrival to the last end; NaN where clocks are not
        aligned, or there is none).
    """
    network, node = loads.network, loads.placement.node
    count, slowest, mean = _times(trace)
    chosen = [
        number
        for number, one in enumerate(trace.communicators)
        if len(one.ranks) > 1 and min(one.ranks.min(), node[one.ranks].min()) >= 0
    ]
    chosen.sort(key=lambda number: (-np.nan_to_num(slowest[number]), number))
    used = [distinct(node[trace.communicators[n].ranks]) for n in chosen]
    places = np.arange(len(chosen), dtype=np.int32)
    counts = np.array([len(nodes) for nodes in used], np.int64)
    names = [trace.communicators[number].name for number in chosen]
    columns: dict[str, ColumnData] = {
        "communicator": np.array(chosen, np.int32),
        "name": named(places, names),
        "ranks": trace.communicator_sizes[chosen],
        "nodes": counts,
    }
    if network.is_grid:
        rows = [extent_of(network, nodes) for nodes in used]
        spans = np.array(rows, np.int64).reshape(len(used), len(network.dims))
        columns |= {AXES[k]: spans[:, k] for k in range(len(network.dims))}
        columns["holes"] = spans.prod(1) - counts
    hops = np.array([_hops(loads, nodes) for nodes in used]).reshape(-1, 2)
    return Table(
        EXTENTS,
        {
            **columns,
            "hops": hops[:, 0],
            "diameter": hops[:, 1],
            "operations": count[chosen],
            "slowest": slowest[chosen],
            "mean": mean[chosen],
        },
    )


def _hops(loads: LinkLoads, nodes: Ints) -> tuple[float, float]:
    """Mean and greatest distance between different nodes, 0 for one alone."""
    if len(nodes) < 2:
        return 0.0, 0.0
    some = evenly(nodes, MAX_NODES)
    one, other = (part.ravel() for part in np.meshgrid(some, some))
    apart = one != other
    far = routing.distances(loads.network, one[apart], other[apart])
    far = far[far != routing.NO_ROUTE]
    return (float(far.mean()), float(far.max())) if len(far) else (np.nan, np.nan)


def measures(table: Table) -> dict[str, Floats]:
    """Return what a communicator's slowest operation may depend on, best first.

    Returns
    -------
    dict
        Extents along the dimensions, ``hops``, ``diameter``, ``holes`` and ``nodes``,
        those first that correlate most with `slowest`; only communicators count whose
        time is known (`timed`).
    """
    rows = timed(table)
    seconds = table["slowest"][rows]
    names = [*(axis for axis in AXES if axis in table.names)]
    names += [n for n in ("hops", "diameter", "holes", "nodes") if n in table.names]
    series = {name: np.asarray(table[name], np.float64)[rows] for name in names}
    linked = {n: abs(correlation(x, seconds)) for n, x in series.items()}
    best = sorted(names, key=lambda name: -np.nan_to_num(linked[name]))
    return {name: series[name] for name in best}


def timed(table: Table) -> Ints:
    """Rows of communicators whose slowest operation is known: int64."""
    return np.flatnonzero(~np.isnan(table["slowest"]))


def apart(trace: Trace, table: Table) -> list[int]:
    """Choose communicators that share no rank, slowest first: rows of the table.

    A plane is told from the world, and rows from the columns that cross them.
    """
    free, chosen = np.ones(trace.ranks, bool), []
    for row, number in enumerate(table["communicator"].tolist()):
        ranks = trace.communicators[number].ranks
        if len(ranks) < trace.ranks and free[ranks].all():
            free[ranks] = False
            chosen.append(row)
    return chosen


def _times(trace: Trace) -> tuple[Ints, Floats, Floats]:
    """Operations of each communicator, seconds of the slowest, seconds in the mean."""
    total, calls = len(trace.communicators), trace.calls
    operations = collective_operations(trace)
    count = np.bincount(operations.communicator, minlength=total)
    slowest, mean = np.full(total, np.nan), np.full(total, np.nan)
    if trace.clock.aligned and len(operations.first):
        complete = np.maximum.reduceat(calls.enter[operations.call], operations.first)
        end = np.maximum.reduceat(calls.leave[operations.call], operations.first)
        took = np.maximum(end - complete, 0) / trace.clock.resolution
        some, whose = count > 0, operations.communicator
        most = np.zeros(total)
        np.maximum.at(most, whose, took)
        slowest[some] = most[some]
        mean[some] = np.bincount(whose, took, total)[some] / count[some]
    return count, slowest, mean
