"""Communication matrices of given graphs, for the tests of this folder."""

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array

from topoview.model import CommunicationMatrix, Topology


def matrix_of(
    ranks: int, edges: ArrayLike, volume: ArrayLike = 100, calls: int = 1
) -> CommunicationMatrix:
    """Matrix in which each edge carries `volume` bytes both ways."""
    ends = np.asarray(edges).reshape(-1, 2)
    u = np.concatenate([ends[:, 0], ends[:, 1]])
    v = np.concatenate([ends[:, 1], ends[:, 0]])
    size = np.tile(np.broadcast_to(volume, len(ends)), 2).astype(np.int64)
    shape = (ranks, ranks)
    count = np.full(len(u), calls, np.int64)
    made = coo_array((count, (u, v)), shape=shape).tocsr()
    volume = coo_array((size, (u, v)), shape=shape)
    return CommunicationMatrix.of_sparse(made, volume)


def renumbered(topology: Topology, seed: int) -> CommunicationMatrix:
    """Give a topology's vertices random numbers; returns its matrix."""
    order = np.random.default_rng(seed).permutation(topology.vertices)
    return matrix_of(topology.vertices, order[topology.edges])


def graph_of_edges(n: int, edges: ArrayLike) -> nx.Graph:
    graph = nx.empty_graph(n)
    graph.add_edges_from(np.asarray(edges).tolist())
    return graph


def pairs_of(matrix: CommunicationMatrix) -> set[tuple[int, int]]:
    """Pairs of ranks that communicate, smaller first."""
    both = matrix.calls.tocoo()
    return {
        (min(u, v), max(u, v))
        for u, v in zip(both.row.tolist(), both.col.tolist(), strict=True)
        if u != v
    }
