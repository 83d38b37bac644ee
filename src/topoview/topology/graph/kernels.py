"""Kernels that search a graph, map it onto another, and tell its edges apart.

Of all here that take them, ``indptr`` (int64, shape (n + 1,)) tells where the
neighbours of each vertex begin in ``indices`` (int32, ascending for each vertex), and
``edge_of`` (int32) the edges to them; ``edges`` (int32, shape (m, 2)) are pairs of
vertices, the smaller first, sorted.
"""

import cython
import numpy as np

if not cython.compiled:
    from topoview.base.hashing import mix, slot_of
    from topoview.base.kinds import *

    AHEAD = 12
    """Vertices by which rows are fetched before they are read."""

    Search = tuple[Indices, Indices]
    Whole = tuple[Indices, Indices, Indices, Indices, Ints, Indices]

    def fetch(values: Indices, place: Int) -> None:
        """Fetch memory that is read soon."""


# Rows of neighbours, and what is counted along them.


def count_ends(edges: IndexRows, side: Int, n: Int) -> Ints:
    """Count of each vertex the edges of which it is the smaller (0) or larger end (1).

    Returns
    -------
    int64, shape (n,)
    """
    counts = np.zeros(n, np.int64)
    many: OutInts = counts
    e: Int
    with cython.nogil:
        for e in range(len(edges)):
            many[edges[e, side]] += 1
    return counts


def fill_rows(edges: IndexRows, side: Int, free: OutInts, filled: OutIndices) -> None:
    """Put the other end of each edge, or its number, into the row of one end.

    Edges are sorted, so that either side leaves its part of each row sorted.

    Parameters
    ----------
    side
        Whose rows get it: the smaller (0) or larger (1) ends; 2 and 3 if it is the
        number.
    free : int64, shape (n,)
        Where the next one of each row goes.
    filled : int32, shape (2 m,)
        Gets the rows.
    """
    e: Int
    with cython.nogil:
        for e in range(len(edges)):
            v: Int = edges[e, side & 1]
            filled[free[v]] = e if side > 1 else edges[e, 1 - side]
            free[v] += 1


def enter_differences(edges: IndexRows, codes: Ints, keys: OutInts) -> Int:
    """Enter the differences of codes along edges into a table, without their signs.

    Parameters
    ----------
    codes : int64, shape (n,)
        Code of each vertex.
    keys : int64, shape (power of two,)
        The table: -1 where there is none.

    Returns
    -------
    int
        How many differences there are; it ends when the table is half full.
    """
    used: Int = 0
    last: Int = -1
    e: Int
    with cython.nogil:
        for e in range(len(edges)):
            code: Int = codes[edges[e, 1]] - codes[edges[e, 0]]
            if code < 0:
                code = -code
            if code != last:  # along an axis neighbours are often equal
                last = code
                slot: Int = slot_of(keys, code)
                if keys[slot] < 0:
                    if 2 * used >= len(keys):
                        break
                    keys[slot] = code
                    used += 1
    return used


def triangles(indptr: Ints, indices: Indices, edges: IndexRows) -> Ints:
    """Count the triangles that each edge lies in.

    Returns
    -------
    int64, shape (m,)
    """
    counts = np.zeros(len(edges), np.int64)
    counted: OutInts = counts
    near: OutIndices = np.full(len(indptr) - 1, -1, np.int32)  # last it is next to
    last: Int = -1
    e: Int
    k: Int
    with cython.nogil:
        for e in range(len(edges)):
            u, v = edges[e, 0], edges[e, 1]
            if u != last:  # edges are sorted: a vertex' neighbours are marked once
                last = u
                for k in range(indptr[u], indptr[u + 1]):
                    near[indices[k]] = u
            many: Int = 0
            for k in range(indptr[v], indptr[v + 1]):
                if near[indices[k]] == u:
                    many += 1
            counted[e] = many
    return counts


def squares(indptr: Ints, indices: Indices, edge_of: Indices, edges: Int) -> Ints:
    """Count the cycles of four that each edge lies in.

    Parameters
    ----------
    edges
        How many there are.

    Returns
    -------
    int64, shape (edges,)
    """
    counts = np.zeros(edges, np.int64)
    counted: OutInts = counts
    paths: OutInts = np.zeros(len(indptr) - 1, np.int64)  # of length 2 from u
    u: Int
    k: Int
    j: Int
    with cython.nogil:
        for u in range(len(indptr) - 1):
            for k in range(indptr[u], indptr[u + 1]):
                v = indices[k]
                for j in range(indptr[v], indptr[v + 1]):
                    paths[indices[j]] += 1
            for k in range(indptr[u], indptr[u + 1]):
                v = indices[k]
                if v < u:
                    continue
                for j in range(indptr[v], indptr[v + 1]):
                    if indices[j] != u:  # each of the other paths closes a cycle
                        counted[edge_of[k]] += paths[indices[j]] - 1
            for k in range(indptr[u], indptr[u + 1]):
                v = indices[k]
                for j in range(indptr[v], indptr[v + 1]):
                    paths[indices[j]] = 0
    return counts


# Searches by breadth (Moore, 1959, "The shortest path through a maze").


def next_ring(  # noqa: PLR0913 - a search goes on where it was
    indptr: Ints,
    indices: Indices,
    begin: Int,
    end: Int,
    distance: OutIndices,
    queue: OutIndices,
) -> Int:
    """Queue the neighbours of the vertices ``queue[begin:end]`` that are not met yet.

    They are put behind these; the step of every search by breadth.

    Parameters
    ----------
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
    tail: Int = end
    head: Int
    k: Int
    for head in range(begin, end):
        v = queue[head]
        for k in range(indptr[v], indptr[v + 1]):
            u = indices[k]
            if distance[u] < 0:
                distance[u] = distance[v] + 1
                queue[tail] = u
                tail += 1
    return tail


def breadth_first(
    indptr: Ints, indices: Indices, met: Int, distance: OutIndices, queue: OutIndices
) -> Int:
    """Search a graph by breadth from the vertices at the beginning of the queue.

    Parameters are those of `next_ring`, and how many vertices are met at first.

    Returns
    -------
    int
        How many vertices are met in the end.
    """
    begin: Int = 0
    while begin < met:
        end: Int = met
        met = next_ring(indptr, indices, begin, end, distance, queue)
        begin = end
    return met


def search_from(
    indptr: Ints, indices: Indices, starts: Ints, radius: Int, most: Int
) -> Search:
    """Search a graph by breadth from some vertices, so far as is wanted.

    Parameters
    ----------
    starts : int64, shape (s,)
        Vertices at distance 0.
    radius
        The farthest distance.
    most
        Vertices beyond which a ring is left out, unless it is the first.

    Returns
    -------
    distance : int32, shape (n,)
        Steps to each vertex that is met, else -1.
    order : int32, shape (met,)
        Vertices that are met, by distance.
    """
    n: Int = len(indptr) - 1
    steps, order = np.full(n, -1, np.int32), np.empty(n, np.int32)
    distance: OutIndices = steps
    queue: OutIndices = order
    begin: Int = 0
    met: Int = len(starts)
    rings: Int = 0
    i: Int
    with cython.nogil:
        for i in range(met):
            distance[starts[i]] = 0
            queue[i] = starts[i]
        while begin < met and rings < radius:
            tail: Int = next_ring(indptr, indices, begin, met, distance, queue)
            if tail > most and rings > 0:
                for i in range(met, tail):
                    distance[queue[i]] = -1
                break
            begin = met
            met = tail
            rings += 1
    return steps, order[:met]


def meet(  # noqa: PLR0913 - what is known of a vertex
    u: Int,
    met: Int,
    indptr: Ints,
    vertex: OutIndices,
    number_of: OutIndices,
    begin: OutInts,
    free: OutInts,
) -> Int:
    """Enter a vertex under the next number, with room for its row; return the next."""
    vertex[met] = u
    number_of[u] = met
    free[met] = begin[met]
    begin[met + 1] = begin[met] + indptr[u + 1] - indptr[u]
    return met + 1


def search_all(indptr: Ints, indices: Indices) -> Whole:
    """Search each component from its first vertex, and renumber the vertices.

    Returns
    -------
    order : int32, shape (n,)
        All vertices as they are met, component by component: their new numbers.
    number : int32, shape (n,)
        New number of each vertex: the other way round.
    label, distance : int32, shape (n,)
        Component of each of the new numbers, and steps from its first one.
    begins : int64, shape (n + 1,)
    rows : int32
        The neighbours of each by their new numbers, ascending, as compressed rows.
    """
    n: Int = len(indptr) - 1
    order, number = np.empty(n, np.int32), np.full(n, -1, np.int32)
    labels, steps = np.empty(n, np.int32), np.empty(n, np.int32)
    begins, rows = np.zeros(n + 1, np.int64), np.empty(len(indices), np.int32)
    vertex: OutIndices = order
    number_of: OutIndices = number
    label: OutIndices = labels
    distance: OutIndices = steps
    begin: OutInts = begins
    row: OutIndices = rows
    free: OutInts = np.empty(n, np.int64)  # where the next neighbour of each goes
    components: Int = 0
    head: Int = 0
    met: Int = 0
    start: Int
    k: Int
    with cython.nogil:
        for start in range(n):
            if number_of[start] >= 0:
                continue
            distance[met] = 0
            met = meet(start, met, indptr, vertex, number_of, begin, free)
            while head < met:
                v: Int = vertex[head]
                label[head] = components
                if head + AHEAD < met:  # rows lie anywhere in memory
                    fetch(indices, indptr[vertex[head + AHEAD]])
                for k in range(indptr[v], indptr[v + 1]):
                    u: Int = indices[k]
                    if number_of[u] < 0:
                        distance[met] = distance[head] + 1
                        met = meet(u, met, indptr, vertex, number_of, begin, free)
                    there: Int = number_of[u]
                    row[free[there]] = head  # heads ascend, and so do rows
                    free[there] += 1
                head += 1
            components += 1
    return order, number, labels, steps, begins, rows


def all_level_sizes(indptr: Ints, indices: Indices) -> Ints:
    """Count the vertices at each distance from each vertex.

    Returns
    -------
    int64, shape (n, min(n, 512))
        Those that are farther count in the last column.
    """
    n: Int = len(indptr) - 1
    sizes = np.zeros((n, min(n, 512)), np.int64)
    size: OutIntRows = sizes
    last: Int = size.shape[1] - 1
    distance: OutIndices = np.empty(n, np.int32)
    queue: OutIndices = np.empty(n, np.int32)
    start: Int
    i: Int
    with cython.nogil:
        for start in range(n):
            for i in range(n):
                distance[i] = -1
            distance[start] = 0
            queue[0] = start
            for i in range(breadth_first(indptr, indices, 1, distance, queue)):
                far: Int = distance[queue[i]]
                size[start, min(far, last)] += 1
    return sizes


def roots_like(
    indptr: Ints, indices: Indices, chosen: Ints, rings: Ints, many: Int
) -> Ints:
    """Find vertices that have as many others at each distance as wanted.

    Parameters
    ----------
    chosen : int64, shape (c,)
        Vertices that are looked at.
    rings : int64, shape (r,)
        Vertices at each distance, from 0 on.
    many
        How many are enough.

    Returns
    -------
    int64, shape (at most `many`,)
    """
    alike = np.empty(many, np.int64)
    roots: OutInts = alike
    distance: OutIndices = np.full(len(indptr) - 1, -1, np.int32)
    queue: OutIndices = np.empty(len(indptr) - 1, np.int32)
    count: Int = 0
    same: Bool
    c: Int
    i: Int
    with cython.nogil:
        for c in range(len(chosen)):
            root = chosen[c]
            distance[root] = 0
            queue[0] = root
            begin: Int = 0
            end: Int = 1
            same = True
            for i in range(1, len(rings)):
                tail: Int = next_ring(indptr, indices, begin, end, distance, queue)
                begin = end
                end = tail
                if end - begin != rings[i]:
                    same = False
                    break
            for i in range(end):
                distance[queue[i]] = -1
            if same:
                roots[count] = root
                count += 1
                if count == many:
                    break
    return alike[:count]


# A map that spreads from a few vertices.


def beside(  # noqa: PLR0913 - two outputs
    indptr: Ints,
    indices: Indices,
    here: Int,
    mark: Codes,
    near: OutIndices,
    sums: OutCodes,
) -> Int:
    """List the neighbours that have no mark, sorted by the marks of theirs.

    `near` gets the neighbours, and `sums` what stands for the sets of their neighbours'
    marks. Returns how many there are. Nothing is decided within the loops over
    neighbours: it could not be foreseen.
    """
    many: Int = 0
    i: Int
    j: Int
    k: Int
    for k in range(indptr[here], indptr[here + 1]):
        near[many] = indices[k]
        many += mark[indices[k]] == 0
    for i in range(many):
        u: Int = near[i]
        total = cython.cast(Code, indptr[u + 1] - indptr[u])
        for j in range(indptr[u], indptr[u + 1]):
            total += mark[indices[j]]
        k = i
        while k > 0 and sums[k - 1] > total:
            sums[k], near[k] = sums[k - 1], near[k - 1]
            k -= 1
        sums[k], near[k] = total, u
    return many


def spread(  # noqa: C901, PLR0913 - one pass outwards
    indptr: Ints,
    indices: Indices,
    template_indptr: Ints,
    template_indices: Indices,
    ours: Ints,
    theirs: Ints,
    widest: Int,
    inside: Bools,
) -> Indices:
    """Extend the map of a few vertices of a graph onto a template to others.

    Parameters
    ----------
    template_indptr, template_indices
        Those of the template's, which has as many.
    ours, theirs : int64, shape (s,)
        Vertices that are mapped: of the graph, and of the template.
    widest
        Most neighbours of a vertex of the graph.
    inside : bool, shape (n,) or (0,)
        Vertices of the template to which it goes, as far as neighbours can be told
        apart; none: to all.

    Returns
    -------
    int32, shape (n,) or (0,)
        Vertex of the template for each of the graph's, -1 of those to which it did not
        go; none where two disagree.
    """
    n: Int = len(indptr) - 1
    places = np.full(n, -1, np.int32)
    place: OutIndices = places
    # of vertices of the graph that have a place, and of those of the template that are
    # taken: a number that stands for the latter; 0 of others
    mark: OutCodes = np.zeros(n, np.uint64)
    sign: OutCodes = np.zeros(n, np.uint64)
    queue: OutIndices = np.empty(n, np.int32)  # vertices of the graph
    undecided: OutIndices = np.empty(n, np.int32)
    mine: OutIndices = np.empty(widest + 1, np.int32)
    other: OutIndices = np.empty(widest + 1, np.int32)
    marks: OutCodes = np.empty(widest, np.uint64)
    signs: OutCodes = np.empty(widest, np.uint64)
    head: Int = 0
    tail: Int = len(ours)
    waiting: Int = 0
    agrees: Bool = True
    forced: Bool
    alone: Bool
    i: Int
    with cython.nogil:
        for i in range(tail):
            place[ours[i]] = theirs[i]
            mark[ours[i]] = sign[theirs[i]] = mix(cython.cast(Code, theirs[i] + 1))
            queue[i] = ours[i]
        while agrees and tail < n:
            forced = head == tail
            if forced:  # nothing tells neighbours apart: any choice is as good
                if not waiting or len(inside):
                    agrees = len(inside) > 0
                    break
                waiting -= 1
                v: Int = undecided[waiting]
            else:
                v = queue[head]
                head += 1
            there: Int = place[v]
            # neighbours of both are in the order of their marks, which must agree
            many: Int = beside(indptr, indices, v, mark, mine, marks)
            if (
                template_indptr[there + 1] - template_indptr[there] > widest
                or beside(template_indptr, template_indices, there, sign, other, signs)
                != many
            ):
                agrees = False
                break
            left: Int = 0
            for i in range(many):
                if marks[i] != signs[i]:
                    agrees = False
                    break
                u, w = mine[i], other[i]
                if len(inside) and not inside[w]:
                    continue
                alone = (i == 0 or marks[i - 1] != marks[i]) and (
                    i == many - 1 or marks[i + 1] != marks[i]
                )
                if alone or forced:
                    place[u], queue[tail] = w, u
                    mark[u] = sign[w] = mix(cython.cast(Code, w) + 1)
                    tail += 1
                    forced = False
                else:
                    left += 1
            if left and waiting < n:
                undecided[waiting] = v
                waiting += 1
    return places if agrees else places[:0]
