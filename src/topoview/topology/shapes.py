"""Topologies that are no lattices: star, all-to-all, none, unknown."""

import numpy as np

from topoview.model import Indices, Topology
from topoview.topology.graph import Graph, unique_edges


def star(n: int) -> Topology:
    """Make a star: vertex 0 is the master, the others are workers 1 to n - 1."""
    others = np.arange(1, n)
    edges = unique_edges(n, np.zeros(n - 1, np.int64), others)
    places = np.stack([np.arange(n) > 0, np.arange(n)], 1).astype(np.int32)
    return _shape("star", f"star {n}", edges, places)


def complete(n: int) -> Topology:
    """Make the graph in which all communicate with all."""
    u, v = np.triu_indices(n, 1)
    edges = np.stack([u, v], 1).astype(np.int32)
    return _shape("complete", f"all-to-all {n}", edges, _column(n))


def none() -> Topology:
    """Make the topology of a program without point-to-point messages."""
    edges = np.zeros((0, 2), np.int32)
    places = np.zeros((0, 1), np.int32)
    return _shape("none", "no point-to-point messages", edges, places)


def unknown(graph: Graph) -> Topology:
    """Make the topology that is the graph which was seen itself."""
    return _shape("unknown", "unknown", graph.edges, _column(graph.n))


def _shape(kind: str, name: str, edges: Indices, places: Indices) -> Topology:
    return Topology(kind, name, (), (), (), edges, places)


def _column(n: int) -> Indices:
    return np.arange(n, dtype=np.int32)[:, None]
