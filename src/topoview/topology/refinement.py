"""Isomorphism of two graphs by individualising vertices and refining cells.

The vertices of both graphs are split in lockstep into ordered cells, until all
vertices of a cell have equally many neighbours in each cell; then one vertex is
singled out and so on, until every cell is a single vertex (McKay, 1981,
"Practical graph isomorphism"; the refinement is Hopcroft's, O(m log n)). Meant
for templates that look the same from each vertex of a cell, as lattices do:
there one to four vertices suffice and nothing is ever undone.
"""

import numba
import numpy as np

from topoview.model import Bools, Indices, Ints
from topoview.topology.graph import Graph
from topoview.topology.product import same_edges

_Arrays = tuple[Ints, Ints, Ints, Ints]
"""Vertices in order of their cells, position of each, and for each cell (named by
its first position): the cell of each vertex, and the cell's length."""

TRIES = 8
"""Vertices of a cell that are tried before giving up."""


class _Cells:
    """An ordered partition of a graph's vertices, refined in place."""

    def __init__(self, graph: Graph) -> None:
        n = graph.n
        self.graph = graph
        self.order = np.argsort(graph.degree, kind="stable").astype(np.int64)
        self.position = np.empty(n, np.int64)
        self.position[self.order] = np.arange(n)
        degrees = graph.degree[self.order]
        starts = np.flatnonzero(np.diff(degrees, prepend=-1))
        self.length = np.zeros(n, np.int64)
        self.length[starts] = np.diff(starts, append=n)
        self.start = np.empty(n, np.int64)
        self.start[self.order] = np.repeat(starts, self.length[starts])
        self.trace = self._refine(starts)

    @property
    def discrete(self) -> bool:
        return bool(self.length.max() == 1)

    def copy(self) -> "_Cells":
        other = object.__new__(_Cells)
        other.graph, other.trace = self.graph, self.trace
        for name in ("order", "position", "start", "length"):
            setattr(other, name, getattr(self, name).copy())
        return other

    def members(self, cell: int) -> Ints:
        return self.order[cell : cell + self.length[cell]].copy()

    def single_out(self, vertex: int) -> None:
        """Give a vertex a cell of its own, at the end of its cell, and refine."""
        cell = int(self.start[vertex])
        last = cell + int(self.length[cell]) - 1
        _swap(self.order, self.position, int(self.position[vertex]), last)
        self.length[cell] -= 1
        self.length[last] = 1
        self.start[vertex] = last
        self.trace = self._refine(np.array([last]))

    def _refine(self, splitters: Ints) -> int:
        cells = (self.order, self.position, self.start, self.length)
        return int(_refine(self.graph.indptr, self.graph.indices, cells, splitters))


def isomorphism(graph: Graph, template: Graph) -> Ints | None:
    """Find the vertex of the template for each vertex of a graph.

    Returns
    -------
    int64, shape (n,), or None
        Verified edge by edge; None if none was found.
    """
    if graph.n != template.n or len(graph.edges) != len(template.edges):
        return None
    if not np.array_equal(np.sort(graph.degree), np.sort(template.degree)):
        return None
    ours, theirs = _Cells(graph), _Cells(template)
    if ours.trace != theirs.trace:
        return None
    while not theirs.discrete:
        cell = int(np.flatnonzero(theirs.length > 1)[-1])
        theirs.single_out(int(theirs.members(cell)[0]))
        for vertex in ours.members(cell)[:TRIES]:
            tried = ours.copy()
            tried.single_out(int(vertex))
            if tried.trace == theirs.trace:
                ours = tried
                break
        else:
            return None
    mapping = np.empty(graph.n, np.int64)
    mapping[ours.order] = theirs.order
    return mapping if same_edges(graph, template.edges, mapping) else None


@numba.njit(nogil=True, cache=True)
def _swap(order: Ints, position: Ints, p: int, q: int) -> None:
    v, w = order[p], order[q]
    order[p], order[q] = w, v
    position[v], position[w] = q, p


@numba.njit(nogil=True, cache=True)
def _mixed(trace: np.uint64, value: int) -> np.uint64:
    h = trace ^ (np.uint64(value) * np.uint64(0x9E3779B97F4A7C15))
    h = (h ^ (h >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return h ^ (h >> np.uint64(32))


@numba.njit(nogil=True, cache=True)
def _refine(
    indptr: Ints, indices: Indices, cells: _Arrays, splitters: Ints
) -> np.uint64:
    """Split cells until they are equitable; a hash of all that was seen."""
    order, position, start, length = cells
    n = len(order)
    queue = np.empty(n + 1, np.int64)  # circular
    queued = np.zeros(n, np.bool_)
    count = np.zeros(n, np.int64)  # neighbours in the splitter
    touched = np.zeros(n, np.int64)  # touched vertices of each cell
    touched_vertices = np.empty(n, np.int64)
    touched_cells = np.empty(n, np.int64)
    trace = np.uint64(1469598103934665603)
    head, waiting = 0, len(splitters)
    for i in range(waiting):
        queue[i] = splitters[i]
        queued[splitters[i]] = True
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


@numba.njit(nogil=True, cache=True)
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
