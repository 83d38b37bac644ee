"""What may be inferred of calls whose partners the trace does not record.

An inference is a guess from what else the program says: never an answer.
"""

from dataclasses import replace

import numpy as np

from topoview.analysis.partners.declared_topologies import MAX_DECLARED, declared_edges
from topoview.base.text import plural
from topoview.model import (
    CartesianTopology,
    CommunicationMatrix,
    IdentifiedPart,
    Indices,
    Ints,
    Trace,
    UnrecordedCalls,
)
from topoview.topology.identification.traffic import match_topology, pair_traffic


def inferred_parts(
    trace: Trace, matrix: CommunicationMatrix
) -> tuple[IdentifiedPart, ...]:
    """Return what unrecorded calls may be.

    Calls go along the axes of a declared Cartesian topology if each of its ranks makes
    as many as it has directions, or neighbours, or a multiple of that. Without one,
    equal counts tell that all ranks may have as many partners.

    Parameters
    ----------
    trace
        The trace; nothing is inferred unless it has `unrecorded` calls.
    matrix
        The traffic that is recorded.

    Returns
    -------
    tuple of IdentifiedPart
        By ``inference``, each for one operation; with a match if there is a lattice.
    """
    parts = []
    for one in trace.unrecorded:
        declared = [
            part
            for topology in trace.topologies[:MAX_DECLARED]
            if (part := _along_axes(trace, matrix, one, topology)) is not None
        ]
        parts += declared or _as_many_each(trace, one)
    return tuple(parts)


def _as_many_each(trace: Trace, one: UnrecordedCalls) -> list[IdentifiedPart]:
    ranks = np.flatnonzero(one.of_rank)
    counts = one.of_rank[ranks]
    if len(ranks) < trace.ranks or counts.min() < counts.max():
        return []
    each = plural(int(counts[0]), "call")
    return [_part(trace, one, ranks, f"each of the {trace.ranks} makes {each}")]


def _along_axes(
    trace: Trace,
    matrix: CommunicationMatrix,
    one: UnrecordedCalls,
    declared: CartesianTopology,
) -> IdentifiedPart | None:
    topology, vertex, edges = declared_edges(trace.ranks, declared)
    ranks = declared.ranks[declared.ranks >= 0]
    counts = one.of_rank[ranks]
    if not len(edges) or not counts.all():
        return None
    axes = sum(extent > 1 for extent in declared.dims)
    neighbours = np.bincount(edges.ravel(), minlength=trace.ranks)[ranks]
    if _is_multiple(counts, np.full(len(ranks), 2 * axes)):
        per = f"of its {2 * axes} directions"
        times = int(counts[0]) // (2 * axes)
    elif _is_multiple(counts, neighbours):
        per, times = "of its neighbours", int(counts[0]) // int(neighbours[0])
    else:
        return None
    traffic = pair_traffic(matrix)
    match = match_topology(
        topology, vertex, traffic, 0, np.ones(len(traffic.pairs), bool)
    )
    name = declared.name or "the declared Cartesian topology"
    why = f"each rank of {name} makes {plural(times, 'call')} for each {per}"
    part = _part(trace, one, ranks, why)
    return replace(part, matches=(match,))


def _is_multiple(counts: Ints, of: Ints) -> bool:
    """Return whether all counts are the same whole multiple of some others."""
    if (of <= 0).any():
        return False
    times = counts // of
    return bool((counts == times * of).all() and times.min() == times.max() > 0)


def _part(
    trace: Trace, one: UnrecordedCalls, ranks: Ints | Indices, why: str
) -> IdentifiedPart:
    return IdentifiedPart(
        by="inference",
        name=f"MPI_{one.operation}",
        begin=0,
        end=trace.clock.length,
        ranks=ranks.astype(np.int32),
        matches=(),
        remark=why,
    )
