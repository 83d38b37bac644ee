"""Isomorphism of two graphs by individualising vertices and refining cells.

The vertices of both graphs are split in lockstep into ordered cells, until all
vertices of a cell have equally many neighbours in each cell; then one vertex is
singled out and so on, until every cell is a single vertex (McKay, 1981,
"Practical graph isomorphism"; the refinement is Hopcroft's, O(m log n)). Meant
for templates that look the same from each vertex of a cell, as lattices do:
there one to four vertices suffice and nothing is ever undone.
"""

import numpy as np

from topoview.grouping import begins_run
from topoview.model import Indices, Ints
from topoview.topology.graph import refinement_kernels
from topoview.topology.graph.graph import Graph

Rows = tuple[Ints, Indices]
"""Where the neighbours of each vertex begin, and the neighbours."""

MAX_VERTICES_TRIED = 64
"""Vertices of a cell that are tried before giving up."""


def refined_map(rows: Rows, wanted: Rows, ours: Ints, theirs: Ints) -> Ints | None:
    """Map all vertices of a graph by refining it in lockstep with a template.

    Parameters
    ----------
    rows, wanted
        Neighbours of the vertices of the graph, and of the template.
    ours, theirs : int64, shape (n,)
        Colours of their vertices, which the map keeps.

    Returns
    -------
    int64, shape (n,), or None
        Vertex of the template for each of the graph's, edges not verified.
    """
    if not np.array_equal(np.sort(ours), np.sort(theirs)):
        return None
    return _lockstep(rows, wanted, _cells(ours), _cells(theirs))


def stable_colours(graph: Graph, first: Ints | None = None) -> Ints:
    """Colour the vertices so that those of a colour see the same colours around.

    The coarsest such colouring; vertices that an automorphism exchanges share their
    colour (Weisfeiler, Leman, 1968). In O(m log n).

    Parameters
    ----------
    first : int64, shape (n,)
        Colours that it refines; those by degree if None.

    Returns
    -------
    int64, shape (n,)
        Numbered densely, by the first colours first.
    """
    n = graph.n
    if not n:
        return np.zeros(0, np.int64)
    cells = _cells(graph.degree if first is None else first)
    rows = graph.indptr, graph.indices
    refinement_kernels.refine(*rows, cells, np.flatnonzero(cells[3]), _scratch(n))
    number: Ints = np.cumsum(cells[3] > 0)[cells[2]] - 1
    return number


def refined_hash(graph: Graph) -> int:
    """Compute a number that isomorphic graphs share, and hardly any others.

    It is that of `stable_colours`. In O(m log n).
    """
    cells, rows = _cells(graph.degree), (graph.indptr, graph.indices)
    starts = np.flatnonzero(cells[3])
    return int(refinement_kernels.refine(*rows, cells, starts, _scratch(graph.n)))


MAX_SINGLED_OUT = 4096
"""Vertices that are singled out for an order of all, those tried and left included;
beyond, those of a cell stay as they are numbered."""

MAX_COPIED = 1 << 16
"""Vertices that are copied up to which others of a cell are tried."""


def canonical_order(graph: Graph) -> Ints:
    """Put the vertices in an order that does not follow from their numbers.

    Of the vertices of the first cell that has several, the one that splits the others
    in the least way goes before them, and so on (McKay, 1981). Where more vertices
    than `MAX_VERTICES_TRIED` look alike, and are not, numbers may still tell.

    Returns
    -------
    int64, shape (n,)
        Vertex at each place.
    """
    n = graph.n
    rows = graph.indptr, graph.indices
    cells, scratch = _cells(graph.degree), _scratch(n)
    refinement_kernels.refine(*rows, cells, np.flatnonzero(cells[3]), scratch)
    left, last = MAX_SINGLED_OUT, refinement_kernels.last_shared(cells, n - 1)
    while last >= 0 and left > 0:
        cell, alike = _cell_at(cells, last)
        tried = cells[0, cell : cell + min(alike, MAX_VERTICES_TRIED, left)].tolist()
        # trying copies all cells: of large graphs one will do
        tried = tried if n * len(tried) <= MAX_COPIED else tried[:1]
        left -= len(tried)
        _single_out(rows, cells, _least(rows, cells, tried, scratch), scratch)
        last = refinement_kernels.last_shared(cells, last)
    order: Ints = cells[0]
    return order


def _least(rows: Rows, cells: Ints, tried: list[int], scratch: Ints) -> int:
    """Find the vertex, of some, that leads to the least hash if it is singled out."""
    if len(tried) == 1:
        return tried[0]
    hashes = [_single_out(rows, cells.copy(), vertex, scratch) for vertex in tried]
    return tried[hashes.index(min(hashes))]


def _cells(colour: Ints) -> Ints:
    """Return a cell for each colour, in their order.

    Returns
    -------
    int64, shape (4, n)
        As `refinement_kernels.refine` takes it.
    """
    n = len(colour)
    cells = np.zeros((4, n), np.int64)
    order, position, start, length = cells
    order[:] = np.argsort(colour, kind="stable")
    position[order] = np.arange(n)
    begins = begins_run(colour[order])
    starts = np.flatnonzero(begins)
    length[starts[:-1]] = starts[1:] - starts[:-1]
    length[starts[-1:]] = n - starts[-1:]
    start[order] = starts[np.cumsum(begins) - 1]
    return cells


def _scratch(n: int) -> Ints:
    return np.zeros((7, n + 1), np.int64)


def _cell_at(cells: Ints, place: int) -> tuple[int, int]:
    """Return where the cell at a place begins, and its length."""
    cell = int(cells[2, cells[0, place]])
    return cell, int(cells[3, cell])


def _lockstep(graph: Rows, template: Rows, ours: Ints, theirs: Ints) -> Ints | None:
    """Refine both, singling out vertices, until all are single; None if unlike."""
    n = ours.shape[1]
    scratch = _scratch(n)
    starts = np.flatnonzero(theirs[3])
    seen = refinement_kernels.refine(*graph, ours, starts, scratch)
    if seen != refinement_kernels.refine(*template, theirs, starts, scratch):
        return None
    last = refinement_kernels.last_shared(theirs, n - 1)
    while last >= 0:
        cell, length = _cell_at(theirs, last)
        wanted = _single_out(template, theirs, int(theirs[0, cell]), scratch)
        members = ours[0, cell : cell + min(MAX_VERTICES_TRIED, length)].tolist()
        kept = ours.copy()
        for vertex in members:
            if _single_out(graph, ours, vertex, scratch) == wanted:
                break
            ours[:] = kept
        else:
            return None
        last = refinement_kernels.last_shared(theirs, last)
    mapping = np.empty(n, np.int64)
    mapping[ours[0]] = theirs[0]
    return mapping


def _single_out(graph: Rows, cells: Ints, vertex: int, scratch: Ints) -> int:
    """Move a vertex to a cell of its own, at the end of its cell, and refine.

    Returns the hash of what was seen.
    """
    order, position, start, length = cells
    cell = start[vertex]
    last = int(cell + length[cell] - 1)
    here, other = position[vertex], order[last]
    order[here], position[other] = other, here
    order[last], position[vertex] = vertex, last
    length[cell] -= 1
    length[last], start[vertex] = 1, last
    return int(refinement_kernels.refine(*graph, cells, np.array([last]), scratch))
