"""Kernels that name the steps from each vertex of a graph: alike along parallel edges.

The end of a step is beside the end of the same step from each neighbour, two steps lead
to the same place in either order, and ends are neighbours wherever those of the same
steps are. What is left is tried.
"""

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from topoview.base.kinds import *

    MAX_CHOICES = 4000
    """Choices that are looked at for the steps from a vertex."""

    MAX_COMPARED = 3
    """Neighbours whose steps' ends are compared by their neighbours."""

MAX_GUESSES = 16
"""How often one of several ways to name a vertex' steps is taken."""


def bits(mask: Int) -> Int:
    """Return how many bits are set."""
    count: Int = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


class Naming:
    """Names of steps: numbers from 0 on, for each vertex as far as that went.

    A set of a vertex' neighbours is a number with a bit for each of them, in the order
    of `indices`.

    Attributes
    ----------
    degree
        Steps from a vertex.
    indptr, indices
        Neighbours of the graph's vertices, in compressed rows.
    inner : bool, shape (n,)
        Vertices that have as many neighbours, whose neighbours have as many, too.
    named : bool, shape (n,)
        Vertices whose steps have names.
    ends : int32, shape (n, degree)
        Where each step leads from each of these.
    opposite : int64, shape (degree,)
        The step that leads back, -1 where that has not been seen.
    at : int64, shape (n,)
        Scratch: position of vertices in a list, -1 elsewhere and between calls.
    allowed : int64, shape (degree,)
        Scratch: neighbours of a vertex to which each step may lead.
    chosen : int64, shape (degree,)
        Scratch: the neighbour to which each leads.
    joined, beside : int64, shape (degree,)
        Scratch: neighbours of each step's end, and of each neighbour, among all.
    ours, theirs : int64, shape (degree, degree)
        Scratch: what pairs of steps, and of neighbours, look like.
    left, untried : int64, shape (degree + 1, degree) and (degree + 1,)
        Scratch: what each step may yet be at each level of a search, and the neighbours
        that are not tried there.
    step, taken : int64, shape (degree + 1,) and (degree,)
        Scratch: the step that is tried at each level, and the neighbour of each step.
    """

    def __init__(
        self, indptr: Ints, indices: Indices, inner: Bools, degree: Int
    ) -> None:
        n: Int = len(indptr) - 1
        self.degree = degree
        self.indptr = indptr
        self.indices = indices
        self.inner = inner
        self.named = np.zeros(n, np.bool_)
        self.ends = np.full((n, degree), -1, np.int32)
        self.opposite = np.full(degree, -1, np.int64)
        self.at = np.full(n, -1, np.int64)
        self.allowed = np.empty(degree, np.int64)
        self.chosen = np.empty(degree, np.int64)
        self.joined = np.empty(degree, np.int64)
        self.beside = np.empty(degree, np.int64)
        self.ours = np.empty((degree, degree), np.int64)
        self.theirs = np.empty((degree, degree), np.int64)
        self.left = np.empty((degree + 1, degree), np.int64)
        self.untried = np.empty(degree + 1, np.int64)
        self.step = np.empty(degree + 1, np.int64)
        self.taken = np.empty(degree, np.int64)

    def name_from(self, w: Int, guess: Bool) -> Int:
        """Name the steps from a vertex, of which a neighbour's have names.

        Returns 1 if there is one way, or the first is taken as a guess, 0 if there is
        none, 2 if there are more.
        """
        s: Int
        source: Int = self.allow(w)
        near: Indices = self.indices[self.indptr[w] : self.indptr[w] + self.degree]
        there: Indices = self.ends[source]
        self.join(near, self.beside)
        self.join(there, self.joined)
        self.compare_joined()
        # what lies around both is whole: then it has to look the same farther off
        deep: Bool = self.inner[source] and self.inner[w]
        ways: Int = self.assign(guess and not deep)
        if ways == 2 and deep:
            self.share(there, self.ours)
            self.share(near, self.theirs)
            ways = self.assign(guess)
        if ways == 1:
            for s in range(self.degree):
                self.ends[w, s] = near[self.chosen[s]]
            if not self.oppose(w):
                return 0
        return ways

    def allow(self, w: Int) -> Int:  # noqa: C901 - each of three rules
        """Allow neighbours of a vertex as ends of its steps, by neighbours with names.

        Returns the first of these.
        """
        first: Int = self.indptr[w]
        source: Int = -1
        compared: Int = 0
        i: Int
        s: Int
        for i in range(self.degree):
            self.at[self.indices[first + i]] = i
            self.allowed[i] = (cython.cast(Int, 1) << self.degree) - 1
        for i in range(self.degree):
            u: Int = self.indices[first + i]
            if not self.named[u]:
                continue
            step: Int = -1
            for s in range(self.degree):
                if self.ends[u, s] == w:
                    step = s
            if step < 0:
                continue
            if self.opposite[step] >= 0:
                self.allowed[self.opposite[step]] &= cython.cast(Int, 1) << i
            if source < 0:
                source = u
            for s in range(self.degree):  # two steps lead to the same place either way
                y: Int = self.ends[u, s]
                if self.named[y]:
                    end: Int = self.at[self.ends[y, step]]
                    self.allowed[s] &= cython.cast(Int, 1) << end if end >= 0 else 0
            if compared == MAX_COMPARED:
                continue
            compared += 1
            for s in range(self.degree):  # ends of a step are beside each other
                if s != step:
                    self.allowed[s] &= self.listed_beside(self.ends[u, s])
        for i in range(self.degree):
            self.at[self.indices[first + i]] = -1
        return source

    def listed_beside(self, v: Int) -> Int:
        """Return which neighbours of a vertex are in the list, by their positions."""
        listed: Int = 0
        k: Int
        for k in range(self.indptr[v], self.indptr[v + 1]):
            if self.at[self.indices[k]] >= 0:
                listed |= cython.cast(Int, 1) << self.at[self.indices[k]]
        return listed

    def join(self, near: Indices, joined: OutInts) -> None:
        """Find which of some vertices are neighbours of each of them."""
        s: Int
        for s in range(near.shape[0]):
            self.at[near[s]] = s
        for s in range(near.shape[0]):
            joined[s] = self.listed_beside(near[s])
        for s in range(near.shape[0]):
            self.at[near[s]] = -1

    def compare_joined(self) -> None:
        """Allow what is joined to as many others, and say which pairs are joined."""
        s: Int
        i: Int
        for s in range(self.degree):  # counted once, in what is free until `assign`
            self.taken[s] = bits(self.beside[s])
        for s in range(self.degree):
            joined: Int = bits(self.joined[s])
            for i in range(self.degree):
                if self.taken[i] != joined:
                    self.allowed[s] &= ~(cython.cast(Int, 1) << i)
                self.ours[s, i] = self.joined[s] >> i & 1
                self.theirs[s, i] = self.beside[s] >> i & 1

    def share(self, near: Indices, shared: OutIntRows) -> None:
        """Add twice how many neighbours any two of some vertices have in common."""
        i: Int
        j: Int
        k: Int
        for i in range(near.shape[0]):
            for k in range(self.indptr[near[i]], self.indptr[near[i] + 1]):
                self.at[self.indices[k]] = i
            for j in range(near.shape[0]):
                for k in range(self.indptr[near[j]], self.indptr[near[j] + 1]):
                    if self.at[self.indices[k]] == i:
                        shared[i, j] += 2
            for k in range(self.indptr[near[i]], self.indptr[near[i] + 1]):
                self.at[self.indices[k]] = -1

    def assign(self, guess: Bool) -> Int:  # noqa: C901 - tries and undoes
        """Assign each step a neighbour of its own: pairs are `ours` as in `theirs`.

        Returns 0 if there is no way, 1 if there is one (or `guess`), 2 if there are
        more; `chosen` has the first.
        """
        level: Int = 0
        choices: Int = 0
        ways: Int = 0
        fresh: Bool = True
        s: Int
        j: Int
        for s in range(self.degree):
            self.left[0, s] = self.allowed[s]
            self.taken[s] = -1
        while level >= 0:
            if fresh:  # the step is next that has fewest ways
                fewest: Int = self.degree + 1
                for s in range(self.degree):
                    if self.taken[s] < 0:
                        many: Int = bits(self.left[level, s])
                        if many < fewest:
                            fewest = many
                            self.step[level] = s
                self.untried[level] = self.left[level, self.step[level]]
                fresh = False
            if self.untried[level] == 0:
                level -= 1
                if level >= 0:
                    self.taken[self.step[level]] = -1
                continue
            choices += 1
            if choices > MAX_CHOICES:
                return 2
            bit: Int = self.untried[level] & -self.untried[level]
            self.untried[level] ^= bit
            end: Int = 0
            while bit >> end != 1:
                end += 1
            step: Int = self.step[level]
            self.taken[step] = end
            # what the other steps may be then
            fits: Bool = True
            for s in range(self.degree):
                if self.taken[s] < 0:
                    mask: Int = self.left[level, s] & ~bit
                    pair: Int = self.ours[step, s]
                    for j in range(self.degree):
                        if mask >> j & 1 and self.theirs[end, j] != pair:
                            mask ^= cython.cast(Int, 1) << j
                    self.left[level + 1, s] = mask
                    fits = fits and mask != 0
            if not fits:
                self.taken[step] = -1
            elif level == self.degree - 1:
                ways += 1
                if ways == 1:
                    for s in range(self.degree):
                        self.chosen[s] = self.taken[s]
                if guess or ways > 1:
                    return ways
                self.taken[step] = -1
            else:
                level += 1
                fresh = True
        return ways

    def oppose(self, w: Int) -> Bool:
        """Note which steps lead back to a vertex; returns whether it is as before."""
        s: Int
        back: Int
        for s in range(self.degree):
            x: Int = self.ends[w, s]
            if not self.named[x]:
                continue
            for back in range(self.degree):
                if self.ends[x, back] == w:
                    if self.opposite[back] < 0 and self.opposite[s] < 0:
                        self.opposite[back] = s
                        self.opposite[s] = back
                    elif self.opposite[back] != s:
                        return False
        return True


def name_steps(  # noqa: C901, PLR0913 - a queue, and what must wait
    indptr: Ints, indices: Indices, full: Bools, inner: Bools, root: Int, order: Ints
) -> tuple[NDArray[np.bool_], NDArray[np.int32], NDArray[np.int64], int]:
    """Name the steps from all vertices to which that leads, from one on.

    Parameters
    ----------
    indptr : int64, shape (n + 1,)
        Where each vertex' neighbours begin.
    indices : int32
        The neighbours.
    full, inner : bool, shape (n,)
        Vertices that have most neighbours, and those of them that only such ones join.
    root
        The first vertex, a full one.
    order : int64, shape (degree,)
        Its steps' ends: places among its neighbours.

    Returns
    -------
    bool, shape (n,)
        Vertices whose steps have names; not `root` if there is no way to name all.
    int32, shape (n, degree)
        Where each step leads from each of these.
    int64, shape (degree,)
        The opposite of each step, -1 where none was seen.
    int
        How often one of several ways was taken.
    """
    naming = Naming(indptr, indices, inner, len(order))
    n: Int = len(full)
    degree: Int = len(order)
    queue: OutInts = np.empty(n, np.int64)
    waiting: OutIndices = np.empty(n, np.int32)
    waits: OutBools = np.zeros(n, np.bool_)
    head: Int = 0
    tail: Int = 1
    many: Int = 0
    guesses: Int = 0
    guess: Bool = False
    whole: Bool = True
    max_guesses: Int = MAX_GUESSES
    s: Int
    i: Int
    with cython.nogil:
        for s in range(degree):
            naming.ends[root, s] = indices[indptr[root] + order[s]]
        # Names spread from a vertex to its neighbours where parallel edges leave one
        # way.
        naming.named[root] = True
        queue[0] = root
        while whole:
            # those that have one way, given their neighbours
            while head < tail and whole:
                v: Int = queue[head]
                head += 1
                for s in range(degree):
                    w: Int = naming.ends[v, s]
                    if not full[w] or naming.named[w]:
                        continue
                    ways: Int = naming.name_from(w, guess)
                    if ways == 0:
                        whole = False
                        break
                    if ways == 1:
                        naming.named[w] = True
                        queue[tail] = w
                        tail += 1
                    elif not waits[w]:
                        waits[w] = True
                        waiting[many] = w
                        many += 1
            # of those that had more ways, the first that has one now
            left: Int = 0
            for i in range(many):
                w = waiting[i]
                if naming.named[w]:
                    continue
                ways = 2
                if head == tail and whole:
                    ways = naming.name_from(w, guess)
                if ways == 0:
                    whole = False
                elif ways == 1:
                    naming.named[w] = True
                    queue[tail] = w
                    tail += 1
                    guess = False
                else:
                    waiting[left] = w
                    left += 1
            many = left
            if head == tail and whole:
                if many == 0:
                    break
                # Nothing follows any more: one of several ways is taken, of which few
                # are allowed.
                if guess or guesses == max_guesses:
                    whole = False
                else:
                    guess = True
                    guesses += 1
        if not whole:
            naming.named[root] = False
    return (
        np.asarray(naming.named).view(np.bool_),
        np.asarray(naming.ends),
        np.asarray(naming.opposite),
        guesses,
    )
