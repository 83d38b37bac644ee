"""Topologies of one form each: all-to-all, none, unknown."""

from collections.abc import Iterator

import numpy as np

from topoview.model import NO_MESSAGES, Indices, Topology
from topoview.topology.graph.graph import Graph
from topoview.topology.lattices.lattice import complete_aliases
from topoview.topology.members import ExactMatch, Member


def complete(n: int) -> Topology:
    """Make the graph in which all communicate with all."""
    u, v = np.triu_indices(n, 1)
    edges = np.stack([u, v], 1).astype(np.int32)
    return _shape("complete", f"all-to-all {n}", edges, _column(n))


def completes(n: int) -> Iterator[Member]:
    """List the one of `n` vertices."""
    spectrum = np.append(np.full(n - 1, -1.0), n - 1.0)
    name = f"all-to-all {n}"
    yield Member("complete", name, {n - 1: n}, lambda: complete(n), lambda: spectrum)


def recognise_complete(graph: Graph) -> list[ExactMatch]:
    """Find out whether all communicate with all."""
    n = graph.n
    if n < 2 or len(graph.edges) != n * (n - 1) // 2:
        return []
    return [ExactMatch(complete(n), np.arange(n), 0.0, complete_aliases(n))]


def none(own: int = 0, unrecorded: int = 0) -> Topology:
    """Make the topology of a program in which no messages between ranks are seen.

    Parameters
    ----------
    own
        Messages that ranks send to themselves.
    unrecorded
        Calls that reach another rank, of which the trace does not tell whom.
    """
    edges = np.zeros((0, 2), np.int32)
    places = np.zeros((0, 1), np.int32)
    name = NO_MESSAGES
    if unrecorded:
        name = "partners not recorded"
    elif own:
        name = "messages to oneself only"
    return _shape("none", name, edges, places)


def unknown(graph: Graph) -> Topology:
    """Make the topology that is the graph which was seen itself."""
    return _shape("unknown", "unknown", graph.edges, _column(graph.n))


def _shape(kind: str, name: str, edges: Indices, places: Indices) -> Topology:
    return Topology(kind, name, (), (), (), edges, places)


def _column(n: int) -> Indices:
    return np.arange(n, dtype=np.int32)[:, None]
