"""Kernels that split cells of vertices until they are equitable."""

import cython

if not cython.compiled:
    from topoview.base.kinds import *
    from topoview.base.ordering import sort_by_key, sort_ints


def last_shared(cells: IntRows, last: Int) -> Int:
    """Find the last place, up to one, whose cell has more than one vertex; or -1.

    Parameters
    ----------
    cells : int64, shape (4, n)
        As `refine` takes them.
    last
        The place.
    """
    while last >= 0 and cells[3, cells[2, cells[0, last]]] == 1:
        last -= 1
    return last


def swap(order: OutInts, position: OutInts, p: Int, q: Int) -> None:
    """Exchange the vertices at two places."""
    v, w = order[p], order[q]
    order[p], order[q] = w, v
    position[v], position[w] = q, p


def mixed(trace: Code, value: Int) -> Code:
    """Add a number to a hash."""
    code: Code = cython.cast(Code, value) * cython.cast(Code, 0x9E3779B97F4A7C15)
    code ^= trace
    code ^= code >> cython.cast(Code, 29)
    code *= cython.cast(Code, 0xBF58476D1CE4E5B9)
    code ^= code >> cython.cast(Code, 32)
    return code


def refine(
    indptr: Ints,
    indices: Indices,
    cells: OutIntRows,
    splitters: Ints,
    scratch: OutIntRows,
) -> Code:
    """Split cells, in place, until they are equitable.

    Parameters
    ----------
    indptr, indices
        Neighbours of the vertices, in compressed rows.
    cells : int64, shape (4, n)
        Vertices in order of their cells; position of each; the cell of each, named by
        its first position; and the length of each cell, 0 where none begins.
    splitters : int64, shape (s,)
        Cells that others may be split by.
    scratch : int64, shape (7, n + 1)
        Zero at first; what is left in it serves the next call.

    Returns
    -------
    uint64
        A hash of all that was seen.
    """
    order: OutInts = cells[0]
    position: OutInts = cells[1]
    start: OutInts = cells[2]
    length: OutInts = cells[3]
    queue: OutInts = scratch[0]  # of splitters, in a circle
    waits: OutInts = scratch[1]  # whether a cell is in it
    count: OutInts = scratch[2]  # each vertex' neighbours in the splitter
    touched: OutInts = scratch[3]  # each cell's vertices that have some
    touched_vertices: OutInts = scratch[4]
    touched_cells: OutInts = scratch[5]
    spare: OutInts = scratch[6]
    head: Int = 0
    tail: Int = len(splitters)
    trace: Code = cython.cast(Code, 1469598103934665603)
    i: Int
    k: Int
    with cython.nogil:
        for i in range(tail):
            queue[i] = splitters[i]
            waits[splitters[i]] = 1
        while head < tail:
            splitter = queue[head % len(queue)]
            head += 1
            waits[splitter] = 0
            trace = mixed(trace, splitter)
            size = length[splitter]
            for i in range(size):  # the splitter itself may be put in another order
                spare[i] = order[splitter + i]
            vertices: Int = 0
            many: Int = 0
            for i in range(size):
                u = spare[i]
                for k in range(indptr[u], indptr[u + 1]):
                    v: Int = indices[k]
                    if count[v] == 0:
                        cell: Int = start[v]
                        touched_vertices[vertices] = v
                        vertices += 1
                        if touched[cell] == 0:
                            touched_cells[many] = cell
                            many += 1
                        # touched vertices gather at the end of their cell
                        last: Int = cell + length[cell] - 1 - touched[cell]
                        swap(order, position, position[v], last)
                        touched[cell] += 1
                    count[v] += 1
            # in order of cells, so that numbers of vertices do not matter
            sort_ints(touched_cells, many)
            for i in range(many):
                cell = touched_cells[i]
                first: Int = cell + length[cell] - touched[cell]
                touched[cell] = 0
                trace, tail = split(
                    order,
                    position,
                    start,
                    length,
                    cell,
                    first,
                    count,
                    queue,
                    waits,
                    tail,
                    trace,
                    spare,
                )
            for i in range(vertices):
                count[touched_vertices[i]] = 0
    return trace


def split(  # noqa: C901, PLR0913 - the state of `refine`
    order: OutInts,
    position: OutInts,
    start: OutInts,
    length: OutInts,
    cell: Int,
    first: Int,
    count: OutInts,
    queue: OutInts,
    waits: OutInts,
    tail: Int,
    trace: Code,
    spare: OutInts,
) -> tuple[Code, Int]:
    """Split a cell by the counts of its vertices; those from `first` on have some.

    Returns the hash, and where the queue ends.
    """
    end: Int = cell + length[cell]
    least: Int = count[order[first]]
    most: Int = least
    i: Int
    j: Int
    k: Int
    for i in range(first + 1, end):
        least = min(least, count[order[i]])
        most = max(most, count[order[i]])
    if least != most:
        sort_by_key(order, first, end, count, spare)
        for i in range(first, end):
            position[order[i]] = i
    largest: Int = cell
    most = 0
    i = cell
    while i < end:  # fragments of equal count
        j = first if i < first else i + 1
        while j < end and j > first and count[order[j]] == count[order[i]]:
            j += 1
        trace = mixed(mixed(mixed(trace, i), j - i), count[order[i]])
        length[i] = j - i
        if i > cell:  # the first fragment has the cell's begin, and may be long
            for k in range(i, j):
                start[order[k]] = i
        if j - i > most:
            most, largest = j - i, i
        i = j
    # all fragments but one suffice as splitters, unless the cell was waiting
    waited: Bool = waits[cell] != 0
    if length[cell] < end - cell:
        i = cell
        while i < end:
            if (waited or i != largest) and waits[i] == 0:
                queue[tail % len(queue)] = i
                tail += 1
                waits[i] = 1
            i += length[i]
    return trace, tail
