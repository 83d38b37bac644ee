"""Isomorphism of two graphs by individualising vertices and refining cells.

The vertices of both graphs are split in lockstep into ordered cells, until all
vertices of a cell have equally many neighbours in each cell; then one vertex is
singled out and so on, until every cell is a single vertex (McKay, 1981,
"Practical graph isomorphism"; the refinement is Hopcroft's, O(m log n)). Meant
for templates that look the same from each vertex of a cell, as lattices do:
there one to four vertices suffice and nothing is ever undone.
"""

import numpy as np

from topoview.model import Indices, Ints
from topoview.topology.graph import kernels
from topoview.topology.graph.graph import Graph
from topoview.topology.graph.kernels import Arrays, Scratch

MAX_VERTICES_TRIED = 64
"""Vertices of a cell that are tried before giving up."""


def refined_map(
    rows: tuple[Ints, Indices],
    wanted: tuple[Ints, Indices],
    ours: Ints,
    theirs: Ints,
) -> Ints | None:
    """Map all vertices of a graph by refining it in lockstep with a template.

    Parameters
    ----------
    rows, wanted
        Where the neighbours of each vertex begin, and the neighbours: of the graph,
        and of the template.
    ours, theirs : int64, shape (n,)
        Colours of their vertices, which the map keeps.

    Returns
    -------
    int64, shape (n,), or None
        Vertex of the template for each of the graph's, edges not verified.
    """
    mine, other = _cells(ours), _cells(theirs)
    if not np.array_equal(mine[4], other[4]):
        return None
    mapping: Ints = _lockstep(rows, wanted, mine[:4], other[:4], MAX_VERTICES_TRIED)
    return mapping if len(mapping) else None


def stable_colours(graph: Graph, first: Ints | None = None) -> Ints:
    """Colour the vertices so that those of a colour see the same colours around.

    The coarsest such colouring; vertices that an automorphism exchanges share their
    colour (Weisfeiler, Leman, 1968). In O(m log n).

    Parameters
    ----------
    graph
        The graph.
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
    starts = np.flatnonzero(cells[3])
    _refined((graph.indptr, graph.indices), cells[:4], starts, _scratch(n))
    number: Ints = np.cumsum(cells[3] > 0)[cells[2]] - 1
    return number


MAX_SINGLED_OUT = 4096
"""Vertices that are singled out for an order of all, those tried and left included;
beyond, those of a cell stay as they are numbered."""


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
    rows = (graph.indptr, graph.indices)
    *cells, _ = _cells(graph.degree)
    arrays: Arrays = (cells[0], cells[1], cells[2], cells[3])
    scratch = _scratch(n)
    _refined(rows, arrays, np.flatnonzero(arrays[3]), scratch)
    left, last = MAX_SINGLED_OUT, kernels.last_shared(arrays, n - 1)
    while last >= 0 and left > 0:
        cell = int(arrays[2][arrays[0][last]])
        alike = int(arrays[3][cell])
        tried = arrays[0][cell : cell + min(alike, MAX_VERTICES_TRIED, left)].tolist()
        # trying copies all cells: of large graphs one will do
        tried = tried if n * len(tried) <= MAX_COPIED else tried[:1]
        left -= len(tried)
        _single_out(rows, arrays, _least(rows, arrays, tried, scratch), scratch)
        last = kernels.last_shared(arrays, last)
    return arrays[0]


MAX_COPIED = 1 << 16
"""Vertices that are copied up to which others of a cell are tried."""


def _least(
    rows: tuple[Ints, Indices], cells: Arrays, tried: list[int], scratch: Scratch
) -> int:
    """Of some vertices the one that, singled out, leads to the least hash."""
    if len(tried) == 1:
        return tried[0]
    hashes = []
    for vertex in tried:
        own = (cells[0].copy(), cells[1].copy(), cells[2].copy(), cells[3].copy())
        hashes.append(_single_out(rows, own, vertex, scratch))
    return tried[hashes.index(min(hashes))]


def _cells(colour: Ints) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Make a cell of each colour, in their order; last, the sorted colours."""
    n = len(colour)
    order = np.argsort(colour, kind="stable").astype(np.int64)
    position = np.empty(n, np.int64)
    position[order] = np.arange(n)
    ordered = colour[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    length = np.zeros(n, np.int64)
    length[starts] = np.diff(starts, append=n)
    start = np.empty(n, np.int64)
    start[order] = np.repeat(starts, length[starts])
    return order, position, start, length, ordered


def _scratch(n: int) -> Scratch:
    return (
        np.empty(n + 1, np.int64),
        np.zeros(n, np.bool_),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
    )


def _lockstep(
    graph: tuple[Ints, Indices],
    template: tuple[Ints, Indices],
    ours: Arrays,
    theirs: Arrays,
    tries: int,
) -> Ints:
    """Refine both, singling out vertices, until all cells are single; or empty."""
    n = len(ours[0])
    scratch = _scratch(n)
    starts = np.flatnonzero(theirs[3])
    first = _refined(graph, ours, starts, scratch)
    if first != _refined(template, theirs, starts, scratch):
        return ours[0][:0]
    last = kernels.last_shared(theirs, n - 1)
    while last >= 0:
        cell = int(theirs[2][theirs[0][last]])
        length = int(theirs[3][cell])
        wanted = _single_out(template, theirs, int(theirs[0][cell]), scratch)
        members = ours[0][cell : cell + min(tries, length)].tolist()
        kept = [some.copy() for some in ours]
        for vertex in members:
            if _single_out(graph, ours, vertex, scratch) == wanted:
                break
            for some, before in zip(ours, kept, strict=True):
                some[:] = before
        else:
            return ours[0][:0]
        last = kernels.last_shared(theirs, last)
    mapping = np.empty(n, np.int64)
    mapping[ours[0]] = theirs[0]
    return mapping


def _single_out(
    graph: tuple[Ints, Indices], cells: Arrays, vertex: int, scratch: Scratch
) -> int:
    """Give a vertex a cell of its own, at the end of its cell, and refine."""
    order, position, start, length = cells
    cell = start[vertex]
    last = int(cell + length[cell] - 1)
    here, other = position[vertex], order[last]
    order[here], position[other] = other, here
    order[last], position[vertex] = vertex, last
    length[cell] -= 1
    length[last], start[vertex] = 1, last
    return _refined(graph, cells, np.array([last]), scratch)


def _refined(
    graph: tuple[Ints, Indices], cells: Arrays, splitters: Ints, scratch: Scratch
) -> int:
    """Split cells until they are equitable; a hash of all that was seen."""
    queue, queued = scratch[:2]
    queue[: len(splitters)] = splitters
    queued[splitters] = True
    return int(kernels.refine(graph[0], graph[1], cells, len(splitters), scratch))
