"""Who reaches whom in neighbourhood collectives, by the topologies that were declared.

OTF2 has no record of partners there, but on a communicator with a Cartesian topology
they are the neighbours along each dimension (MPI 4.1, section 8.6): each rank sends to
the one before and to the one behind, where there is one. Graphs are not recorded.
"""

import re
from typing import Final

import numpy as np

from topoview.model import (
    CartesianTopology,
    CommunicationMatrix,
    Indices,
    Ints,
    Trace,
    places_among,
)
from topoview.topology.matrix import added_matrices, matrix_of

NEIGHBOURHOOD: Final = re.compile(r"I?neighbor_\w+", re.IGNORECASE)
"""Names of operations in which ranks need their neighbours only."""


def declared_by_communicator(trace: Trace) -> dict[int, CartesianTopology]:
    """Return the first declared topology of each communicator, by its index."""
    return {one.communicator: one for one in reversed(trace.topologies)}


def cartesian_neighbours(declared: CartesianTopology) -> tuple[Indices, Indices]:
    """List whom each rank of a topology sends to in a neighbourhood collective.

    Returns
    -------
    int32, shape (n,), twice
        Senders and receivers: a pair is there twice where a rank lies both before and
        behind.
    """
    dims = np.array(declared.dims, np.int64)
    strides = np.append(np.cumprod(dims[:0:-1])[::-1], 1)
    place = declared.coordinates.astype(np.int64)
    valid = ((place >= 0) & (place < dims)).all(axis=1)
    ranks, place = declared.ranks[valid], place[valid]
    number = place @ strides
    order = np.argsort(number, kind="stable")
    senders, receivers = [], []
    for axis, (extent, wraps) in enumerate(
        zip(declared.dims, declared.periodic.tolist(), strict=True)
    ):
        for step in (-1, 1):
            there = place.copy()
            there[:, axis] += step
            inside = (there[:, axis] >= 0) & (there[:, axis] < extent)
            there[:, axis] %= extent
            some = inside | wraps
            at = places_among(number[order], there[some] @ strides)
            senders.append(ranks[some][at >= 0])
            receivers.append(ranks[order[at[at >= 0]]])
    none = np.zeros(0, np.int32)
    return np.concatenate([none, *senders]), np.concatenate([none, *receivers])


def with_neighbourhoods(
    matrix: CommunicationMatrix, trace: Trace, communicator: int | None = None
) -> CommunicationMatrix:
    """Add the traffic of neighbourhood collectives to that of messages.

    Parameters
    ----------
    communicator
        Index of the one that counts; None: all.
    """
    names = trace.regions.operations
    codes = [n for n, name in enumerate(names) if NEIGHBOURHOOD.fullmatch(name)]
    if not codes or not trace.topologies:
        return matrix
    declared = declared_by_communicator(trace)
    table, calls = trace.collectives, trace.calls
    operation = trace.regions.operation[calls.region[table.call]]
    some = np.flatnonzero(np.isin(operation, codes))
    rank, group = trace.ranks_of_calls(table.call[some]), table.communicator[some]
    parts = [matrix]
    for number in np.unique(group).tolist():
        if number not in declared or communicator not in (None, number):
            continue
        own = (group == number) & (rank >= 0)
        times = np.bincount(rank[own], minlength=trace.ranks)
        sent = np.zeros(trace.ranks, np.int64)
        np.add.at(sent, rank[own], np.maximum(table.sent[some[own]], 0))
        parts.append(_traffic(trace.ranks, declared[number], times, sent))
    if len(parts) == 1:
        return matrix
    return matrix.with_pairs_of(added_matrices(parts, trace.regions))


def _traffic(
    ranks: int, declared: CartesianTopology, times: Ints, sent: Ints
) -> CommunicationMatrix:
    """Share what each rank sent in all out among its neighbours."""
    sender, receiver = cartesian_neighbours(declared)
    degree = np.bincount(sender, minlength=ranks)
    some = times[sender] > 0
    sender, receiver = sender[some], receiver[some]
    return matrix_of(
        ranks, sender, receiver, times[sender], sent[sender] // degree[sender]
    )
