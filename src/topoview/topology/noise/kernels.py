"""Kernels that compare a map of vertices with its template, improve it, or search one.

``indptr`` and ``indices`` are the neighbours of the graph's vertices, in compressed
rows; ``tptr`` and ``tind`` those of the template's.
"""

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from topoview.base.kinds import *

    MAX_DEGREE = 256
    """Neighbours beyond which a vertex is left where it is."""

    WORD = 32
    """Vertices of which each number of a set has a bit."""


def agreement(
    indptr: Ints, indices: Indices, tptr: Ints, tind: Indices, vertex: Ints
) -> Ints:
    """Count neighbours of each vertex that the template has beside it, too.

    Parameters
    ----------
    vertex : int64, shape (n,)
        Vertex of the template for each of the graph's, -1 where it has none.

    Returns
    -------
    int64, shape (n,)
    """
    counts = np.empty(len(vertex), np.int64)
    agree: OutInts = counts
    mark: OutInts = np.zeros(len(tptr) - 1, np.int64)
    v: Int
    with cython.nogil:
        for v in range(len(vertex)):
            agree[v] = fits_at(indptr, indices, tptr, tind, vertex, v, mark)
    return counts


def fits_at(  # noqa: PLR0913 - a graph, a template, and a map
    indptr: Ints,
    indices: Indices,
    tptr: Ints,
    tind: Indices,
    vertex: Ints,
    v: Int,
    mark: OutInts,
) -> Int:
    """Count neighbours of one vertex that the template has beside it, too.

    `mark` is 0 everywhere, before and after.
    """
    count: Int = 0
    k: Int
    if vertex[v] < 0:
        return 0
    first = tptr[vertex[v]]
    last = tptr[vertex[v] + 1]
    for k in range(first, last):
        mark[tind[k]] = 1
    for k in range(indptr[v], indptr[v + 1]):
        place: Int = vertex[indices[k]]
        if place >= 0:
            count += mark[place]
    for k in range(first, last):
        mark[tind[k]] = 0
    return count


def improve(  # noqa: C901, PLR0913 - tries and undoes
    indptr: Ints,
    indices: Indices,
    tptr: Ints,
    tind: Indices,
    vertex: OutInts,
    passes: Int,
) -> None:
    """Exchange badly placed vertices with others, in place, while that matches more.

    Parameters
    ----------
    vertex : int64, shape (n,)
        Vertex of the template for each of the graph's, none twice.
    passes
        How often all are tried.
    """
    n: Int = len(vertex)
    agree: OutInts = np.empty(n, np.int64)
    at: OutInts = np.empty(n, np.int64)  # who is at each of the template's vertices
    mark: OutInts = np.zeros(n, np.int64)
    votes: OutInts = np.zeros(n, np.int64)
    places: OutInts = np.empty(n, np.int64)
    turn: Int = 0
    changed: Bool = True
    v: Int
    k: Int
    j: Int
    with cython.nogil:
        for v in range(n):
            at[vertex[v]] = v
            agree[v] = fits_at(indptr, indices, tptr, tind, vertex, v, mark)
        while changed and turn < passes:
            changed = False
            turn += 1
            for v in range(n):
                old = vertex[v]
                here = indptr[v + 1] - indptr[v]
                there = tptr[old + 1] - tptr[old]
                if agree[v] >= max(here, there) or here > MAX_DEGREE:
                    continue
                # places beside those of its neighbours, by how many of these
                count: Int = 0
                for k in range(indptr[v], indptr[v + 1]):
                    beside = vertex[indices[k]]
                    for j in range(tptr[beside], tptr[beside + 1]):
                        if not votes[tind[j]]:
                            places[count] = tind[j]
                            count += 1
                        votes[tind[j]] += 1
                place: Int = -1
                most: Int = 0
                for k in range(count):
                    t: Int = places[k]
                    other = at[t]
                    before: Int = agree[v] + agree[other]
                    # 1 for the edge between both, if there is one
                    bound: Int = votes[t] + 1 - before
                    bound += min(indptr[other + 1] - indptr[other], there)
                    votes[t] = 0
                    if t == old or bound <= most:
                        continue
                    vertex[v], vertex[other] = t, old
                    gain: Int = -before
                    gain += fits_at(indptr, indices, tptr, tind, vertex, v, mark)
                    gain += fits_at(indptr, indices, tptr, tind, vertex, other, mark)
                    vertex[v], vertex[other] = old, t
                    if gain > most:
                        most, place = gain, t
                if place < 0:
                    continue
                other = at[place]
                vertex[v], vertex[other] = place, old
                at[place], at[old] = v, other
                changed = True
                for j in range(2):
                    w: Int = other if j else v
                    agree[w] = fits_at(indptr, indices, tptr, tind, vertex, w, mark)
                    for k in range(indptr[w], indptr[w + 1]):
                        agree[indices[k]] = fits_at(
                            indptr, indices, tptr, tind, vertex, indices[k], mark
                        )


class Placing:
    """A search that puts a vertex at each place of a template, all edges beside.

    The next place is always that for which fewest vertices are left, of those beside
    what has its vertex. Sets of vertices are the bits of a row of numbers.

    Attributes
    ----------
    n, words
        How many vertices there are, and numbers that a set consists of.
    beside : int64, shape (n, words)
        Neighbours of each vertex.
    may : int64, shape (n, words)
        Vertices with neighbours enough for each place.
    by_degree : int64, shape (n,)
        All vertices in the order in which they are tried.
    steps
        How many vertices may still be put at places.
    at : int64, shape (n,)
        Vertex at each place, -1 where none is.
    depth
        How many places have a vertex; -1 if nothing is left to be tried. At each depth,
        of which the arrays below have a row or `n`, one more is looked for.
    place, turn, many, whole : int64, shape (n,)
        The place that gets a vertex; which of the choices is next; how many there are,
        and how many of these lack no edge.
    choices : int64, shape (n, n)
        Vertices that it may get.
    lack : int64, shape (n + 1,)
        How many edges may still lack.
    free : int64, shape (n + 1, words)
        Vertices without a place.
    opens : int64, shape (n + 1,)
        How many places are beside those that have a vertex.
    open : int64, shape (n + 1, n)
        These places, in the order in which they were met.
    full, but_one : int64, shape ((n + 1) * n, words)
        For each of them: vertices with all edges to what is there, and vertices that
        lack one.
    """

    def __init__(  # noqa: PLR0913 - a graph, a template, and bounds
        self,
        indptr: Ints,
        indices: Indices,
        tptr: Ints,
        tind: Indices,
        by_degree: Ints,
        missing: Int,
        steps: Int,
    ) -> None:
        n: Int = len(by_degree)
        v: Int
        k: Int
        self.n = n
        self.words = (n + WORD - 1) // WORD
        self.tptr = tptr
        self.tind = tind
        self.by_degree = by_degree
        self.beside = np.zeros((n, self.words), np.int64)
        self.may = np.zeros((n, self.words), np.int64)
        self.free = np.zeros((n + 1, self.words), np.int64)
        for v in range(n):
            enter(self.free, 0, v)
            for k in range(indptr[v], indptr[v + 1]):
                enter(self.beside, v, indices[k])
            for k in range(n):
                if indptr[v + 1] - indptr[v] >= tptr[k + 1] - tptr[k] - missing:
                    enter(self.may, k, v)
        self.steps = steps
        self.at = np.full(n, -1, np.int64)
        self.place = np.zeros(n, np.int64)
        self.turn = np.zeros(n, np.int64)
        self.many = np.zeros(n, np.int64)
        self.whole = np.zeros(n, np.int64)
        self.choices = np.empty((n, n), np.int64)
        self.lack = np.full(n + 1, missing, np.int64)
        self.opens = np.zeros(n + 1, np.int64)
        self.open = np.empty((n + 1, n), np.int64)
        self.full = np.empty(((n + 1) * n, self.words), np.int64)
        self.but_one = np.empty(((n + 1) * n, self.words), np.int64)
        self.depth = 0
        self.meet(0, 0)
        self.choose()

    def meet(self, depth: Int, place: Int) -> None:
        """Add a place to those beside what has a vertex."""
        row: Int = depth * self.n + place
        w: Int
        self.open[depth, self.opens[depth]] = place
        self.opens[depth] += 1
        for w in range(self.words):
            self.full[row, w] = self.may[place, w]
            self.but_one[row, w] = 0

    def choose(self) -> None:
        """Choose the place that is next, and list the vertices that it may get."""
        depth: Int = self.depth
        least: Int = self.n + 1
        i: Int
        w: Int
        j: Int
        for i in range(self.opens[depth]):
            count: Int = 0
            for w in range(self.words):
                row: Int = depth * self.n + self.open[depth, i]
                fits: Int = self.full[row, w]
                if self.lack[depth]:
                    fits |= self.but_one[row, w]
                count += bits_of(fits & self.free[depth, w])
            if count < least:
                least = count
                self.place[depth] = self.open[depth, i]
        chosen: Int = depth * self.n + self.place[depth]
        many: Int = 0
        for j in range(self.n):
            v: Int = self.by_degree[j]
            if has(self.full, chosen, v) and has(self.free, depth, v):
                self.choices[depth, many] = v
                many += 1
        self.whole[depth] = many
        if self.lack[depth]:
            for j in range(self.n):
                if has(self.but_one, chosen, j) and has(self.free, depth, j):
                    self.choices[depth, many] = j
                    many += 1
        self.many[depth] = many
        self.turn[depth] = 0

    def carry_over(self, place: Int) -> None:
        """Copy what is left for all places but one a depth further."""
        depth: Int = self.depth
        after: Int = depth + 1
        i: Int
        w: Int
        for w in range(self.words):
            self.free[after, w] = self.free[depth, w]
        self.opens[after] = 0
        for i in range(self.opens[depth]):
            one: Int = self.open[depth, i]
            if one != place:
                self.open[after, self.opens[after]] = one
                self.opens[after] += 1
                for w in range(self.words):
                    row: Int = after * self.n + one
                    self.full[row, w] = self.full[row - self.n, w]
                    self.but_one[row, w] = self.but_one[row - self.n, w]

    def put(self) -> Bool:
        """Put the next vertex at the place chosen, unless nobody is left for another.

        What is left for the others is written a depth further.
        """
        depth: Int = self.depth
        after: Int = depth + 1
        turn: Int = self.turn[depth]
        v: Int = self.choices[depth, turn]
        place: Int = self.place[depth]
        i: Int
        w: Int
        k: Int
        self.turn[depth] += 1
        self.steps -= 1
        self.lack[after] = self.lack[depth] - (turn >= self.whole[depth])
        self.carry_over(place)
        leave(self.free, after, v)
        for k in range(self.tptr[place], self.tptr[place + 1]):
            other: Int = self.tind[k]
            if self.at[other] >= 0:
                continue
            i = 0
            while i < self.opens[after] and self.open[after, i] != other:
                i += 1
            if i == self.opens[after]:
                self.meet(after, other)
            left: Bool = False
            for w in range(self.words):
                at: Int = after * self.n + other
                full: Int = self.full[at, w]
                near: Int = self.beside[v, w]
                self.but_one[at, w] = (self.but_one[at, w] & near) | (full & ~near)
                self.full[at, w] = full & near
                fits: Int = full & near
                if self.lack[after]:
                    fits |= self.but_one[at, w]
                left |= (fits & self.free[after, w]) != 0
            if not left:
                return False
        self.at[place] = v
        return True

    def go_on(self) -> Bool:
        """Search on; return whether now all places have a vertex."""
        found: Bool
        with cython.nogil:
            found = self.search()
        return found

    def search(self) -> Bool:
        """Put vertices at places, and take them back, until all have one."""
        if self.depth == self.n:
            self.depth -= 1
            self.at[self.place[self.depth]] = -1
        while self.depth >= 0:
            if self.turn[self.depth] == self.many[self.depth]:
                self.depth -= 1
                if self.depth >= 0:
                    self.at[self.place[self.depth]] = -1
            elif self.steps <= 0:
                return False
            elif self.put():
                self.depth += 1
                if self.depth == self.n:
                    return True
                self.choose()
        return False

    def vertices(self) -> NDArray[np.int64]:
        """Return a copy of the vertex at each place."""
        return np.array(self.at)


def enter(sets: OutIntRows, row: Int, v: Int) -> None:
    """Add a vertex to a set."""
    one: Int = 1
    sets[row, v // WORD] |= one << (v % WORD)


def leave(sets: OutIntRows, row: Int, v: Int) -> None:
    """Remove a vertex from a set."""
    one: Int = 1
    sets[row, v // WORD] &= ~(one << (v % WORD))


def has(sets: OutIntRows, row: Int, v: Int) -> Bool:
    """Return whether a vertex is in a set."""
    found: Bool = ((sets[row, v // WORD] >> (v % WORD)) & 1) != 0
    return found


def bits_of(word: Int) -> Int:
    """Count the bits of a number below 2^32, of 2, 4, 8 and all at a time."""
    word -= (word >> 1) & 0x55555555
    word = (word & 0x33333333) + ((word >> 2) & 0x33333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F
    return ((word * 0x01010101) >> 24) & 0xFF
