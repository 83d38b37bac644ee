"""Percolation matching: vertices are placed by the votes of neighbours with a place.

A vertex with several placed neighbours must lie where all of them expect a neighbour
(Yartseva, Grossglauser, 2013, "On the performance of percolation graph matching",
COSN). Right places gather votes from all sides and wrong ones do not, so that single
edges too few or too many are outvoted. Places are vertices of a template, or points of
an endless lattice whose dimensions show themselves when all is placed.
"""

import numpy as np

from topoview.model import Bools, Ints
from topoview.topology.graph import percolation_kernels
from topoview.topology.graph.graph import Graph


def grow_points(
    graph: Graph, twos: Bools, offsets: Ints, seeds: Ints, points: Ints
) -> tuple[Ints, Bools]:
    """Place vertices on an endless lattice, from a few whose points are known.

    Near linear in the edges.

    Parameters
    ----------
    twos : bool, shape (d,)
        Which axes of the lattice have two places only, 0 and 1.
    offsets : int64, shape (k, d)
        Neighbours of a point: both of each +/- pair, but 1 along axes of two places.
    seeds : int64, shape (s,)
        Vertices that have a point.
    points : int64, shape (s, d)
        Their points.

    Returns
    -------
    points : int64, shape (n, d)
        Point of each vertex.
    placed : bool, shape (n,)
        Whether it has one.
    """
    # a point is one number, with as many bits for each coordinate, from the middle on;
    # of two places it is the lowest bit, and what is carried is dropped
    width = 60 // len(twos)
    shifts = width * np.arange(len(twos), dtype=np.int64)
    weights = np.int64(1) << shifts
    middle = np.where(twos, 0, 1 << (width - 1))
    bits = np.where(twos, 1, (1 << width) - 1)
    code, unused = np.full(graph.n, -1), np.zeros(1)
    code[seeds] = (points + middle) @ weights
    percolation_kernels.grow_from(
        graph.indptr,
        graph.indices,
        code,
        offsets.astype(np.int64) @ weights,
        int(bits @ weights),
        width,
        graph.indptr[:1],
        graph.indices[:0],
        unused,
        unused,
        ties=False,
    )
    placed: Bools = code != -1
    return ((code[:, None] >> shifts) & bits) - middle, placed


def grow_on(graph: Graph, template: Graph, vertex: Ints, ties: bool = True) -> None:
    """Place further vertices on a template, in place.

    Parameters
    ----------
    graph, template
        With equally many vertices.
    vertex : int64, shape (n,)
        Vertex of the template for each of the graph's, -1 where not known;
        completed as far as votes reach.
    ties
        Whether one of several places that are equally likely is taken at last.
    """
    percolation_kernels.grow_from(
        graph.indptr,
        graph.indices,
        vertex,
        graph.indptr[:0],
        0,
        0,
        template.indptr,
        template.indices,
        graph.log_walks,
        template.log_walks,
        ties,
    )
