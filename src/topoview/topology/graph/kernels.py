"""Kernels of topology/graph."""

import numpy as np
from numpy.typing import NDArray

from topoview.base.kernels import kernel
from topoview.model import Bools, Indices, Ints

Rows = tuple[Ints, Indices]
"""Where each vertex' neighbours begin, and the neighbours."""


Arrays = tuple[Ints, Ints, Ints, Ints]
"""Vertices in order of their cells, position of each, and for each cell (named by
its first position): the cell of each vertex, and the cell's length."""


Scratch = tuple[Ints, Bools, Ints, Ints, Ints, Ints]
"""Queue of splitters, whether a cell waits in it; for each vertex its neighbours in
the splitter, for each cell its touched vertices, and lists of both."""


@kernel
def adjacency_rows(n: int, edges: Indices) -> tuple[Ints, Indices, Indices]:
    # edges are sorted, so that two passes leave each row sorted: first the
    # smaller neighbours (as larger ends), then the larger ones
    m = len(edges)
    indptr = np.zeros(n + 1, np.int64)
    for e in range(m):
        indptr[edges[e, 0] + 1] += 1
        indptr[edges[e, 1] + 1] += 1
    for v in range(n):
        indptr[v + 1] += indptr[v]
    indices = np.empty(2 * m, np.int32)
    edge_of = np.empty(2 * m, np.int32)
    free = indptr[:-1].copy()
    for side in (1, 0):
        for e in range(m):
            v = edges[e, side]
            indices[free[v]] = edges[e, 1 - side]
            edge_of[free[v]] = e
            free[v] += 1
    return indptr, indices, edge_of


@kernel
def triangles(indptr: Ints, indices: Indices, edges: Indices) -> Ints:
    counts = np.zeros(len(edges), np.int64)
    near = np.full(len(indptr) - 1, -1, np.int32)  # last vertex this is next to
    last = -1
    for e in range(len(edges)):
        u, v = edges[e, 0], edges[e, 1]
        if u != last:
            last = u
            for k in range(indptr[u], indptr[u + 1]):
                near[indices[k]] = u
        many = 0
        for k in range(indptr[v], indptr[v + 1]):
            many += near[indices[k]] == u
        counts[e] = many
    return counts


@kernel
def next_ring(  # noqa: PLR0913 - a search goes on where it was
    indptr: Ints,
    indices: Indices,
    begin: int,
    end: int,
    distance: Indices,
    queue: Indices,
) -> int:
    """Take the neighbours of the vertices ``queue[begin:end]`` that are not met yet.

    They are put behind these; the step of every search by breadth.

    Parameters
    ----------
    indptr, indices
        Neighbours of the vertices, in compressed rows.
    begin, end
        Part of the queue whose neighbours are looked at.
    distance : int32, shape (n,)
        Steps to each vertex that is met, else -1.
    queue : int32, shape (n,)
        Vertices that are met, by distance.

    Returns
    -------
    int
        How many vertices are met.
    """
    tail = end
    for head in range(begin, end):
        v = queue[head]
        for k in range(indptr[v], indptr[v + 1]):
            u = indices[k]
            if distance[u] < 0:
                distance[u] = distance[v] + 1
                queue[tail] = u
                tail += 1
    return tail


@kernel
def breadth_first(
    indptr: Ints, indices: Indices, met: int, distance: Indices, queue: Indices
) -> int:
    """Search a graph by breadth (Moore, 1959, "The shortest path through a maze").

    Parameters are those of `next_ring`, and how many vertices are met at first.

    Returns
    -------
    int
        How many vertices are met in the end.
    """
    begin: int | np.int64 = np.int64(0)
    while begin < met:
        begin, met = met, next_ring(indptr, indices, begin, met, distance, queue)
    return met


@kernel
def search_all(indptr: Ints, indices: Indices) -> tuple[Indices, Indices]:
    """Search each component from its first vertex: order of all, and component."""
    n = len(indptr) - 1
    order = np.empty(n, np.int32)
    distance = np.full(n, -1, np.int32)
    label = np.empty(n, np.int32)
    components = met = 0
    for start in range(n):
        if distance[start] < 0:
            order[met], distance[start] = start, 0
            rest = order[met:]
            many = breadth_first(indptr, indices, 1, distance, rest)
            for v in rest[:many]:
                label[v] = components
            components += 1
            met += many
    return order, label


@kernel
def all_level_sizes(indptr: Ints, indices: Indices) -> Ints:
    n = len(indptr) - 1
    sizes = np.zeros((n, min(n, 512)), np.int64)
    distance = np.empty(n, np.int32)
    queue = np.empty(n, np.int32)
    for start in range(n):
        distance[:] = -1
        distance[start], queue[0] = 0, start
        for v in queue[: breadth_first(indptr, indices, 1, distance, queue)]:
            sizes[start, min(distance[v], sizes.shape[1] - 1)] += 1
    return sizes


@kernel
def roots_like(
    indptr: Ints, indices: Indices, chosen: Ints, rings: Ints, many: int
) -> Ints:
    distance = np.full(len(indptr) - 1, -1, np.int32)
    members = np.empty(len(indptr) - 1, np.int32)
    found = np.empty(many, np.int64)
    roots = 0
    for root in chosen:
        distance[root], members[0] = 0, root
        begin, end = np.int64(0), np.int64(1)  # of one type in all rounds
        alike = True
        for wanted in rings[1:]:
            tail = next_ring(indptr, indices, begin, end, distance, members)
            begin, end = end, np.int64(tail)
            if end - begin != wanted:
                alike = False
                break
        distance[members[:end]] = -1
        if alike:
            found[roots] = root
            roots += 1
            if roots == many:
                break
    return found[:roots].copy()


@kernel
def mixed_colour(vertex: int) -> np.uint64:
    h = (np.uint64(vertex) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    return (h ^ (h >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)


@kernel
def beside(
    rows: Rows, here: int, place: Indices, found: Indices, marks: NDArray[np.uint64]
) -> int:
    """List the neighbours that have no place, sorted by those of theirs that have."""
    indptr, indices = rows
    many = 0
    for k in range(indptr[here], indptr[here + 1]):
        u = indices[k]
        if place[u] >= 0:
            continue
        mark = np.uint64(indptr[u + 1] - indptr[u])
        for j in range(indptr[u], indptr[u + 1]):
            if place[indices[j]] >= 0:
                mark += mixed_colour(place[indices[j]])
        i = many
        while i > 0 and marks[i - 1] > mark:
            marks[i], found[i] = marks[i - 1], found[i - 1]
            i -= 1
        marks[i], found[i] = mark, u
        many += 1
    return many


@kernel
def spread(  # noqa: C901 - one pass outwards
    graph: Rows, template: Rows, ours: Ints, theirs: Ints, widest: int
) -> Ints:
    n = len(graph[0]) - 1
    place = np.full(n, -1, np.int32)  # of the graph's vertices
    taken = np.full(n, -1, np.int32)  # of the template's: they have themselves
    queue = np.empty(n, np.int32)  # vertices of the graph
    undecided = np.empty(n, np.int32)
    none = place[:0].astype(np.int64)
    mine, other = np.empty(widest, np.int32), np.empty(widest, np.int32)
    marks, signs = np.empty(widest, np.uint64), np.empty(widest, np.uint64)
    for i in range(len(ours)):
        place[ours[i]], taken[theirs[i]], queue[i] = theirs[i], theirs[i], ours[i]
    head, tail, waiting = 0, len(ours), 0
    while tail < n:
        forced = head == tail
        if forced:  # nothing tells neighbours apart: any choice is as good
            if not waiting:
                return none
            waiting -= 1
            v = undecided[waiting]
        else:
            v = queue[head]
            head += 1
        many = beside(graph, v, place, mine, marks)
        if template[0][place[v] + 1] - template[0][place[v]] > widest:
            return none
        if many != beside(template, place[v], taken, other, signs):
            return none
        left = 0
        for i in range(many):
            if marks[i] != signs[i]:
                return none
            alone = (i == 0 or marks[i - 1] != marks[i]) and (
                i == many - 1 or marks[i + 1] != marks[i]
            )
            if alone or forced:
                u, w = mine[i], other[i]
                place[u], taken[w], queue[tail] = w, w, u
                tail += 1
                forced = False
            else:
                left += 1
        if left and waiting < n:
            undecided[waiting] = v
            waiting += 1
    return place.astype(np.int64)


@kernel
def find_root(parent: Ints, x: int) -> int:
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


@kernel
def unite(parent: Ints, a: int, b: int) -> None:
    a = find_root(parent, a)
    b = find_root(parent, b)
    if a < b:
        parent[b] = a
    elif b < a:
        parent[a] = b


@kernel
def find_squares(  # noqa: C901 - one pass over the neighbours of neighbours
    indptr: Ints, indices: Indices, edge_of: Indices, edges: int, widest: int
) -> Ints:
    n = len(indptr) - 1
    parent = np.arange(edges)
    near = np.full(n, -1, np.int64)  # last vertex that this is a neighbour of
    local = np.empty(n, np.int64)  # which of its neighbours
    paths = np.zeros(n, np.int64)  # of length 2 from u that end here
    middle = np.empty((n, 2), np.int64)  # of the first two: local index
    second = np.empty((n, 2), np.int64)  # and the arc from there
    far = np.empty(widest * widest + 1, np.int64)
    squares = np.zeros((widest, widest), np.int64)
    for u in range(n):
        first = indptr[u]
        degree = indptr[u + 1] - first
        squares[:degree, :degree] = 0
        for i in range(degree):
            near[indices[first + i]] = u
            local[indices[first + i]] = i
        ends = 0
        for i in range(degree):
            v = indices[first + i]
            for k in range(indptr[v], indptr[v + 1]):
                x = indices[k]
                if x == u:
                    continue
                if near[x] == u:  # a chord: both edges share a factor
                    unite(parent, edge_of[first + i], edge_of[first + local[x]])
                    squares[i, local[x]] = -widest
                    continue
                if paths[x] == 0:
                    far[ends] = x
                    ends += 1
                if paths[x] < 2:
                    middle[x, paths[x]] = i
                    second[x, paths[x]] = k
                else:
                    for j in range(2):
                        unite(parent, edge_of[first + i], edge_of[first + middle[x, j]])
                    unite(
                        parent,
                        edge_of[first + middle[x, 0]],
                        edge_of[first + middle[x, 1]],
                    )
                paths[x] += 1
        for f in range(ends):
            x = far[f]
            if paths[x] == 2:
                squares[middle[x, 0], middle[x, 1]] += 1
                squares[middle[x, 1], middle[x, 0]] += 1
        for f in range(ends):
            x = far[f]
            if paths[x] == 2:
                i, j = middle[x, 0], middle[x, 1]
                if squares[i, j] > 0:
                    unite(parent, edge_of[first + i], edge_of[second[x, 1]])
                    unite(parent, edge_of[first + j], edge_of[second[x, 0]])
            paths[x] = 0
        for i in range(degree):
            for j in range(i):
                if squares[i, j] != 1:
                    unite(parent, edge_of[first + i], edge_of[first + j])
    return parent


@kernel
def propagate(
    indptr: Ints, indices: Indices, edge_of: Indices, classes: Ints, count: int
) -> tuple[Ints, Ints]:
    n = len(indptr) - 1
    places = np.zeros((n, count), np.int64)
    extents = np.ones(count, np.int64)
    distance = np.full(n, -1, np.int32)
    queue = np.empty(n, np.int32)
    distance[0] = queue[0] = 0
    for v in queue[: breadth_first(indptr, indices, 1, distance, queue)]:
        one = other = -1
        for k in range(indptr[v], indptr[v + 1]):
            u = indices[k]
            if distance[u] < distance[v]:
                if one < 0:
                    one = k
                elif other < 0 and classes[edge_of[k]] != classes[edge_of[one]]:
                    other = k
        if one < 0:
            continue
        axis = classes[edge_of[one]]
        if other < 0:
            places[v, axis] = extents[axis]
            extents[axis] += 1
        else:
            for i in range(count):
                places[v, i] = places[indices[one], i]
            places[v, axis] = places[indices[other], axis]
    return places, extents


@kernel
def last_shared(cells: Arrays, last: int) -> int:
    """Find the last place, up to one, whose cell has more than one vertex; or -1."""
    order, _, start, length = cells
    while last >= 0 and length[start[order[last]]] == 1:
        last -= 1
    return last


@kernel
def swap(order: Ints, position: Ints, p: int, q: int) -> None:
    v, w = order[p], order[q]
    order[p], order[q] = w, v
    position[v], position[w] = q, p


@kernel
def mixed(trace: np.uint64, value: int) -> np.uint64:
    h = trace ^ (np.uint64(value) * np.uint64(0x9E3779B97F4A7C15))
    h = (h ^ (h >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return h ^ (h >> np.uint64(32))


@kernel
def refine(
    indptr: Ints, indices: Indices, cells: Arrays, waiting: int, scratch: Scratch
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
        trace = mixed(trace, splitter)
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
                    swap(order, position, position[v], last)
                    touched[cell] += 1
                count[v] += 1
        touched_cells[:many].sort()
        for cell in touched_cells[:many]:
            first = cell + length[cell] - touched[cell]
            touched[cell] = 0
            trace, head_queue = split(
                cells, cell, first, count, queue, queued, head + waiting, trace
            )
            waiting = head_queue - head
        for v in touched_vertices[:vertices]:
            count[v] = 0
    return trace


@kernel
def split(  # noqa: PLR0913 - the state of _refine
    cells: Arrays,
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
        trace = mixed(mixed(mixed(trace, i), j - i), count[order[i]])
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
