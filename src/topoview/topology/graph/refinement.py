"""Isomorphism of two graphs by individualising vertices and refining cells.

The vertices of both graphs are split in lockstep into ordered cells, until all
vertices of a cell have equally many neighbours in each cell; then one vertex is
singled out and so on, until every cell is a single vertex (McKay, 1981,
"Practical graph isomorphism"; the refinement is Hopcroft's, O(m log n)). Meant
for templates that look the same from each vertex of a cell, as lattices do:
there one to four vertices suffice and nothing is ever undone.
"""

import numpy as np

from topoview.base.kernels import kernel
from topoview.model import Bools, Indices, Ints
from topoview.topology.graph.graph import Graph

_Arrays = tuple[Ints, Ints, Ints, Ints]
"""Vertices in order of their cells, position of each, and for each cell (named by
its first position): the cell of each vertex, and the cell's length."""

_Scratch = tuple[Ints, Bools, Ints, Ints, Ints, Ints]
"""Queue of splitters, whether a cell waits in it; for each vertex its neighbours in
the splitter, for each cell its touched vertices, and lists of both."""

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
    arrays: _Arrays = (cells[0], cells[1], cells[2], cells[3])
    scratch = _scratch(n)
    _refined(rows, arrays, np.flatnonzero(arrays[3]), scratch)
    left, last = MAX_SINGLED_OUT, _last_shared(arrays, n - 1)
    while last >= 0 and left > 0:
        cell = int(arrays[2][arrays[0][last]])
        alike = int(arrays[3][cell])
        tried = arrays[0][cell : cell + min(alike, MAX_VERTICES_TRIED, left)].tolist()
        # trying copies all cells: of large graphs one will do
        tried = tried if n * len(tried) <= MAX_COPIED else tried[:1]
        left -= len(tried)
        _single_out(rows, arrays, _least(rows, arrays, tried, scratch), scratch)
        last = _last_shared(arrays, last)
    return arrays[0]


MAX_COPIED = 1 << 16
"""Vertices that are copied up to which others of a cell are tried."""


def _least(
    rows: tuple[Ints, Indices], cells: _Arrays, tried: list[int], scratch: _Scratch
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


def _scratch(n: int) -> _Scratch:
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
    ours: _Arrays,
    theirs: _Arrays,
    tries: int,
) -> Ints:
    """Refine both, singling out vertices, until all cells are single; or empty."""
    n = len(ours[0])
    scratch = _scratch(n)
    starts = np.flatnonzero(theirs[3])
    first = _refined(graph, ours, starts, scratch)
    if first != _refined(template, theirs, starts, scratch):
        return ours[0][:0]
    last = _last_shared(theirs, n - 1)
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
        last = _last_shared(theirs, last)
    mapping = np.empty(n, np.int64)
    mapping[ours[0]] = theirs[0]
    return mapping


@kernel
def _last_shared(cells: _Arrays, last: int) -> int:
    """Find the last place, up to one, whose cell has more than one vertex; or -1."""
    order, _, start, length = cells
    while last >= 0 and length[start[order[last]]] == 1:
        last -= 1
    return last


def _single_out(
    graph: tuple[Ints, Indices], cells: _Arrays, vertex: int, scratch: _Scratch
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
    graph: tuple[Ints, Indices], cells: _Arrays, splitters: Ints, scratch: _Scratch
) -> int:
    """Split cells until they are equitable; a hash of all that was seen."""
    queue, queued = scratch[:2]
    queue[: len(splitters)] = splitters
    queued[splitters] = True
    return int(_refine(graph[0], graph[1], cells, len(splitters), scratch))


@kernel
def _swap(order: Ints, position: Ints, p: int, q: int) -> None:
    v, w = order[p], order[q]
    order[p], order[q] = w, v
    position[v], position[w] = q, p


@kernel
def _mixed(trace: np.uint64, value: int) -> np.uint64:
    h = trace ^ (np.uint64(value) * np.uint64(0x9E3779B97F4A7C15))
    h = (h ^ (h >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return h ^ (h >> np.uint64(32))


@kernel
def _refine(
    indptr: Ints, indices: Indices, cells: _Arrays, waiting: int, scratch: _Scratch
) -> np.uint64:
    """Split cells until they are equitable; so many splitters wait in the queue."""
    order, position, start, length = cells
    queue, queued, count, touched, touched_vertices, touched_cells = scratch
    head, trace = 0, np.uint64(1469598103934665603)
    while waiting:
        splitter = queue[head]
        head = (head + 1) % len(queue)
        waiting -= 1
        queued[splitter] = False
        trace = _mixed(trace, splitter)
        members = order[splitter : splitter + length[splitter]].copy()
        vertices = many = 0
        for u in members:
            for k in range(indptr[u], indptr[u + 1]):
                v = indices[k]
                cell = start[v]
                if count[v] == 0:
                    touched_vertices[vertices] = v
                    vertices += 1
                    if touched[cell] == 0:
                        touched_cells[many] = cell
                        many += 1
                    # touched vertices gather at the end of their cell
                    last = cell + length[cell] - 1 - touched[cell]
                    _swap(order, position, position[v], last)
                    touched[cell] += 1
                count[v] += 1
        touched_cells[:many].sort()
        for cell in touched_cells[:many]:
            first = cell + length[cell] - touched[cell]
            touched[cell] = 0
            trace, head_queue = _split(
                cells, cell, first, count, queue, queued, head + waiting, trace
            )
            waiting = head_queue - head
        for v in touched_vertices[:vertices]:
            count[v] = 0
    return trace


@kernel
def _split(  # noqa: PLR0913 - the state of _refine
    cells: _Arrays,
    cell: int,
    first: int,
    count: Ints,
    queue: Ints,
    queued: Bools,
    tail: int,
    trace: np.uint64,
) -> tuple[np.uint64, int]:
    """Split a cell by the counts of its vertices; those from `first` on have one."""
    order, position, start, length = cells
    end = cell + length[cell]
    counts = np.array([count[v] for v in order[first:end]])
    if counts.min() != counts.max():
        moved = order[first:end][np.argsort(counts, kind="mergesort")]
        for i in range(len(moved)):
            order[first + i] = moved[i]
            position[moved[i]] = first + i
    largest = cell
    most = 0
    i = cell
    while i < end:  # fragments of equal count
        j = first if i < first else i + 1
        while j < end and j > first and count[order[j]] == count[order[i]]:
            j += 1
        trace = _mixed(_mixed(_mixed(trace, i), j - i), count[order[i]])
        length[i] = j - i
        for k in range(i, j):
            start[order[k]] = i
        if j - i > most:
            most, largest = j - i, i
        i = j
    # all fragments but one suffice as splitters, unless the cell was waiting
    was_queued = queued[cell]
    if length[cell] < end - cell:
        i = cell
        while i < end:
            if (was_queued or i != largest) and not queued[i]:
                queue[tail % len(queue)] = i
                tail += 1
                queued[i] = True
            i += length[i]
    return trace, tail
