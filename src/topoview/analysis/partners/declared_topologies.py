"""Cartesian topologies that the program declared, held against what it did."""

import numpy as np

from topoview.analysis.partners.neighbourhoods import with_neighbourhoods
from topoview.analysis.partners.one_sided import one_sided_matrix, transfers
from topoview.base.progress import Report, silent
from topoview.model import (
    CartesianTopology,
    CommunicationMatrix,
    DeclaredTopology,
    Identification,
    Indices,
    Ints,
    Match,
    Topology,
    Trace,
    distinct,
    places_among,
)
from topoview.topology import communication_matrix, identify, lattice
from topoview.topology.identification.traffic import pair_traffic
from topoview.topology.matrix import matrix_of

COMPARING = "comparing declared topologies"
MAX_DECLARED = 32
"""Declared topologies that are compared."""


def compare_declared(
    trace: Trace, identification: Identification, report: Report = silent
) -> tuple[DeclaredTopology, ...]:
    """Compare each declared Cartesian topology with the messages of its ranks.

    Those on its communicator count; if there are none, those on any. In a run without
    messages one-sided transfers do.

    Parameters
    ----------
    trace
        The trace.
    identification
        What was found for the whole run.
    report
        Told how far it is; may raise `Cancelled`.
    """
    comparisons = []
    some = [t for t in trace.topologies if len(t.ranks) > 1][:MAX_DECLARED]
    for i, declared in enumerate(some):
        report(COMPARING, i / len(some))
        comparisons.append(_compared(trace, identification, declared, report))
    return tuple(comparisons)


def _compared(
    trace: Trace,
    identification: Identification,
    declared: CartesianTopology,
    report: Report,
) -> DeclaredTopology:
    topology, _, edges = declared_edges(trace.ranks, declared)
    matrix, whole = _traffic_of(trace, declared, report)
    traffic = pair_traffic(matrix)
    pairs = _keys(traffic.pairs, trace.ranks)
    wanted = _keys(edges, trace.ranks)
    used = int(np.sum(places_among(pairs, wanted) >= 0))
    observed = identification if whole else identify(matrix, report)
    verdict = _verdict(trace.ranks, wanted, used, observed.best, report)
    if verdict == "unused" and trace.unrecorded:
        verdict = "unrecorded"
    return DeclaredTopology(
        name=declared.name,
        topology=topology.name,
        observed=observed.best.topology.name,
        dims=declared.dims,
        verdict=verdict,
        edges=len(wanted),
        used=used,
        further=len(pairs) - used,
    )


def _verdict(ranks: int, wanted: Ints, used: int, best: Match, report: Report) -> str:
    if not used:
        return "unused"
    exact = not best.missing and best.topology.is_named
    seen = best.rank_edges
    if not exact or len(seen) != len(wanted):
        return "different"
    if np.array_equal(_keys(seen, ranks), wanted):
        return "same"
    amount = np.ones(len(wanted), np.int64)
    meant = identify(
        matrix_of(ranks, wanted // ranks, wanted % ranks, amount, amount), report
    ).best
    names = {meant.topology.name, *meant.also}
    return "permuted" if names & {best.topology.name, *best.also} else "different"


def declared_edges(
    ranks: int, declared: CartesianTopology
) -> tuple[Topology, Indices, Indices]:
    """Build the lattice; return it, each rank's vertex, and edges of known ranks."""
    nowhere = np.full(ranks, -1, np.int32)
    axes = [i for i in reversed(range(len(declared.dims))) if declared.dims[i] > 1]
    dims = [declared.dims[i] for i in axes]
    if not dims:
        return lattice((1,), (False,)), nowhere, np.zeros((0, 2), np.int32)
    topology = lattice(dims, [bool(declared.periodic[i]) for i in axes])
    place = np.zeros(len(declared.ranks), np.int64)
    for i, n in zip(reversed(axes), reversed(dims), strict=True):
        place = place * n + declared.coordinates[:, i]
    rank = np.full(topology.vertices, -1, np.int32)
    inside = (place >= 0) & (place < topology.vertices)
    rank[place[inside]] = declared.ranks[inside]
    vertex = nowhere
    vertex[rank[rank >= 0]] = np.flatnonzero(rank >= 0)
    edges = rank[topology.edges]
    return topology, vertex, edges[(edges >= 0).all(axis=1)]


def _traffic_of(
    trace: Trace, declared: CartesianTopology, report: Report
) -> tuple[CommunicationMatrix, bool]:
    """Count what counts for a declared topology; and whether that is all there is."""
    member = np.zeros(trace.ranks + 1, bool)
    member[declared.ranks] = True
    member[-1] = False
    messages = trace.messages
    moved = None if len(messages) else transfers(trace)
    if moved:
        chosen = member[moved.sender] & member[moved.receiver]
        matrix = one_sided_matrix(trace.ranks, moved, chosen)
        assert matrix is not None
        return matrix, bool(chosen.all())
    chosen = messages.communicator == declared.communicator
    if declared.communicator < 0 or not chosen.any():
        inside = (messages.sender < trace.ranks) & (messages.receiver < trace.ranks)
        chosen = inside & member[messages.sender] & member[messages.receiver]
    matrix = communication_matrix(trace, chosen, report)
    own = with_neighbourhoods(matrix, trace, declared.communicator)
    every = with_neighbourhoods(matrix, trace)
    whole = int(matrix.counts.sum()) == len(messages)
    return own, whole and int(own.counts.sum()) == int(every.counts.sum())


def _keys(pairs: Indices, ranks: int) -> Ints:
    low, high = np.minimum(*pairs.T), np.maximum(*pairs.T)  # far faster than an axis
    return distinct(low.astype(np.int64) * ranks + high)
