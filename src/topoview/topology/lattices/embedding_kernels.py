"""Kernels that lay a graph on a lattice, vertex by vertex, and go back where it fails.

Where a vertex may lie follows from its neighbours that lie already: beside all of them,
and beside no vertex that is none (a search for an induced subgraph with forward
checking, after Haralick, Elliott, 1980, "Increasing tree search efficiency for
constraint satisfaction problems", Artificial Intelligence 14). What has one place only
is placed first. Of several places most are excluded by what a neighbour's neighbours
then could do, as opposite sides of a square are parallel; what is left, such as a
single row that leads off, is tried.

A point is a row of an array of coordinates: kernels are given the array and the row.
"""

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from topoview.base.hashing import slot_of
    from topoview.base.kinds import *

MAX_WAYS_BACK = 64
"""How often a choice is taken back."""

MAX_CLASHES = 64
"""Pairs of vertices that show after how many places an axis comes back, at most."""


class Board:
    """A graph and a lattice, and which vertices of the one lie where on the other.

    Attributes
    ----------
    indptr, indices
        Neighbours of the graph's vertices, in compressed rows.
    steps : int64, shape (k, d)
        Steps to the neighbours of a point.
    periods : int64, shape (d,)
        After how many places each axis comes back, 0 if it never does.
    plain
        Whether a step goes along one axis only.
    width
        Numbers of points have one digit to this base for each axis.
    step_numbers : int64, shape (3 ** d,)
        Number of the step for a difference, -1 if it is none.
    keys, occupants : int64 and int32
        Hash table: numbers of the points that are taken, and the vertices there.
    place : int64, shape (n, d)
        Point of each vertex.
    placed : bool, shape (n,)
        Whether it has a point.
    beside : int64, shape (n,)
        How many of its neighbours have a point.
    mark : int64, shape (n,)
        The vertex whose neighbours were looked at last.
    off : int64, shape (d,)
        How many vertices are off 0 along each axis.
    box : int64, shape (2, d)
        Least and largest coordinates of the vertices that stay where they are.
    order : int32, shape (n,)
        These vertices, in the order in which they were placed; `count` are.
    usual, lead : int64, shape (k,)
        By how much ranks mostly differ along each step; scratch of that.
    cost : float64, shape (k,)
        Scratch: what speaks against each of some points.
    scratch : int64, shape (2, d)
        A point for the vertex that is looked at, and one beside it.
    top : int64, shape (k + 1,)
        Queue of vertices: last entry of those beside 0 to k that are placed.
    queued, below : int32 and int64, `queue_length` of them
        Vertex of each entry, and the entry before it with as many, -1 if there is none.
    """

    def __init__(
        self, indptr: Ints, indices: Indices, steps: IntRows, periods: Ints
    ) -> None:
        n: Int = len(indptr) - 1
        k: Int = len(steps)
        d: Int = len(periods)
        s: Int
        a: Int
        self.indptr = indptr
        self.indices = indices
        self.steps = steps
        self.periods = periods
        self.plain = k == 2 * d
        self.width = 1 << (60 // d)
        self.step_numbers = np.full(3**d, -1, np.int64)
        for s in range(k):
            code: Int = 0
            for a in range(d):
                code = 3 * code + steps[s, d - 1 - a] + 1
            self.step_numbers[code] = s
        size: Int = 1
        while size <= 4 * n:  # at most a quarter is taken
            size *= 2
        self.keys = np.full(size, -1, np.int64)
        self.occupants = np.empty(size, np.int32)
        self.place = np.zeros((n, d), np.int64)
        self.placed = np.zeros(n, np.bool_)
        self.beside = np.zeros(n, np.int64)
        self.mark = np.full(n, -1, np.int64)
        self.off = np.zeros(d, np.int64)
        self.box = np.zeros((2, d), np.int64)
        self.order = np.empty(n, np.int32)
        self.count = 0
        self.usual = np.zeros(k, np.int64)
        self.lead = np.zeros(k, np.int64)
        self.cost = np.empty(k, np.float64)
        self.scratch = np.empty((2, d), np.int64)
        # all vertices are queued at first, then the neighbours of each that is placed
        self.top = np.full(k + 1, -1, np.int64)
        self.queued = np.empty(len(indices) + n, np.int32)
        self.below = np.empty(len(indices) + n, np.int64)
        self.queue_length = 0

    # Points.

    def number_of(self, points: IntRows, i: Int) -> Int:
        """Return the number of a point, from 0 on."""
        number: Int = 0
        a: Int
        for a in range(points.shape[1]):
            number = number * self.width + points[i, a] + (self.width >> 1)
        return number

    def move(
        self, points: IntRows, i: Int, step: Int, there: OutIntRows, j: Int
    ) -> None:
        """Write the point to which a step leads."""
        a: Int
        for a in range(points.shape[1]):
            to: Int = points[i, a] + self.steps[step, a]
            if self.periods[a] and (to < 0 or to >= self.periods[a]):
                to %= self.periods[a]
            there[j, a] = to

    def step_between(self, here: IntRows, i: Int, there: IntRows, j: Int) -> Int:
        """Return the number of the step from one point to another, -1 if none is."""
        code: Int = 0
        weight: Int = 1
        a: Int
        for a in range(here.shape[1]):
            apart: Int = there[j, a] - here[i, a]
            if self.periods[a]:
                apart = (apart + 1) % self.periods[a] - 1
            if apart < -1 or apart > 1:
                return -1
            code += (apart + 1) * weight
            weight *= 3
        number: Int = self.step_numbers[code]
        return number

    def apart(self, here: IntRows, i: Int, there: IntRows, j: Int, a: Int) -> Int:
        """Return how far two points are apart along an axis."""
        apart: Int = here[i, a] - there[j, a]
        if apart < 0:
            apart = -apart
        return min(apart, self.periods[a] - apart) if self.periods[a] else apart

    def distance(self, here: IntRows, i: Int, there: IntRows, j: Int) -> Int:
        """Return how many steps two points are apart, whatever lies between."""
        most: Int = 0
        total: Int = 0
        a: Int
        for a in range(here.shape[1]):
            apart: Int = self.apart(here, i, there, j, a)
            most = max(most, apart)
            total += apart
        return total if self.plain else most

    def is_turned(self, points: IntRows, i: Int) -> Bool:
        """Return whether another point is as good: the axes off which nothing lies.

        Such axes may be exchanged and reversed. Of the points that are the same then
        the one is kept that goes forward along the first of them.
        """
        a: Int
        b: Int
        for a in range(points.shape[1]):
            if self.off[a]:
                continue
            if points[i, a] < 0 or points[i, a] > 1:
                return True
            for b in range(a):
                if (
                    not self.off[b]
                    and self.periods[a] == self.periods[b]
                    and points[i, b] < points[i, a]
                ):
                    return True
        return False

    def fits(self, v: Int, points: IntRows, i: Int) -> Bool:
        """Return whether a vertex may lie at a point; its neighbours are marked.

        The point has to be free, and the vertices around it have to be just the
        vertex' neighbours that have a point.
        """
        if self.keys[slot_of(self.keys, self.number_of(points, i))] >= 0:
            return False
        met: Int = 0
        s: Int
        for s in range(self.steps.shape[0]):
            self.move(points, i, s, self.scratch, 1)
            slot: Int = slot_of(self.keys, self.number_of(self.scratch, 1))
            if self.keys[slot] >= 0:
                if self.mark[self.occupants[slot]] != v:
                    return False
                met += 1
        degree: Int = self.indptr[v + 1] - self.indptr[v]
        # the neighbours that have none need as many free ones
        enough: Bool = met == self.beside[v] and self.steps.shape[0] >= degree
        return enough

    # Vertices are put there and taken away.

    def put(self, v: Int, points: IntRows, i: Int) -> None:
        """Put a vertex at a point."""
        number: Int = self.number_of(points, i)
        slot: Int = slot_of(self.keys, number)
        self.keys[slot] = number
        self.occupants[slot] = v
        self.placed[v] = True
        a: Int
        k: Int
        for a in range(points.shape[1]):
            self.place[v, a] = points[i, a]
            self.off[a] += points[i, a] != 0
        for k in range(self.indptr[v], self.indptr[v + 1]):
            self.beside[self.indices[k]] += 1

    def take(self, v: Int) -> None:
        """Remove the vertex that was placed last.

        Its slot may be emptied: no later key was put behind it for want of that.
        """
        self.keys[slot_of(self.keys, self.number_of(self.place, v))] = -1
        self.placed[v] = False
        a: Int
        k: Int
        for a in range(self.place.shape[1]):
            self.off[a] -= self.place[v, a] != 0
        for k in range(self.indptr[v], self.indptr[v + 1]):
            self.beside[self.indices[k]] -= 1

    def settle(self, v: Int, points: IntRows, i: Int) -> None:
        """Put a vertex at a point to stay, as the next one in order."""
        self.put(v, points, i)
        a: Int
        for a in range(points.shape[1]):
            self.box[0, a] = min(self.box[0, a], points[i, a])
            self.box[1, a] = max(self.box[1, a], points[i, a])
        self.order[self.count] = v
        self.count += 1

    # Points that a vertex may have.

    def options(self, v: Int, most: Int, points: OutIntRows) -> Int:
        """List up to so many points that a vertex may have; returns how many."""
        first: Int = -1
        last: Int = -1
        k: Int
        for k in range(self.indptr[v], self.indptr[v + 1]):
            w: Int = self.indices[k]
            self.mark[w] = v
            if self.placed[w]:
                if first < 0:
                    first = w
                else:
                    last = w
        count: Int = 0
        s: Int
        for s in range(self.steps.shape[0]):
            self.move(self.place, first, s, points, count)
            # most are ruled out by a second neighbour alone
            if last >= 0 and self.step_between(self.place, last, points, count) < 0:
                continue
            if not self.is_turned(points, count) and self.fits(v, points, count):
                count += 1
                if count == most:
                    break
        return count

    def viable(self, v: Int, points: OutIntRows) -> Int:
        """List the points that leave one for each neighbour; returns how many."""
        count: Int = self.options(v, self.steps.shape[0], points)
        kept: Int = 0
        i: Int
        k: Int
        a: Int
        for i in range(count):
            self.put(v, points, i)
            free: Bool = True
            for k in range(self.indptr[v], self.indptr[v + 1]):
                w: Int = self.indices[k]
                if not self.placed[w] and not self.options(w, 1, self.scratch):
                    free = False
                    break
            self.take(v)
            if free:
                for a in range(points.shape[1]):
                    points[kept, a] = points[i, a]
                kept += 1
        return kept

    # The best of several points.

    def note_usual(self) -> None:
        """Note by how much ranks mostly differ along each step.

        That is the candidate of a majority vote (Boyer, Moore, 1981, "MJRTY").
        """
        v: Int
        k: Int
        for v in range(self.placed.shape[0]):
            if not self.placed[v]:
                continue
            for k in range(self.indptr[v], self.indptr[v + 1]):
                w: Int = self.indices[k]
                if not self.placed[w]:
                    continue
                s: Int = self.step_between(self.place, v, self.place, w)
                if self.lead[s] == 0:
                    self.usual[s] = w - v
                self.lead[s] += 1 if self.usual[s] == w - v else -1

    def best_option(
        self, v: Int, points: IntRows, count: Int, by_rank: Bool, nth: Int
    ) -> Int:
        """Return the best of a vertex' points but for so many: in the smallest box.

        With `by_rank` those come first where ranks differ as usual along each step.
        """
        i: Int
        k: Int
        a: Int
        for i in range(count):
            strange: Bool = False
            if by_rank:
                for k in range(self.indptr[v], self.indptr[v + 1]):
                    w: Int = self.indices[k]
                    if self.placed[w]:
                        s: Int = self.step_between(self.place, w, points, i)
                        strange = strange or self.usual[s] != v - w
            volume: Float = 1.0
            for a in range(points.shape[1]):
                low: Int = min(self.box[0, a], points[i, a])
                high: Int = max(self.box[1, a], points[i, a])
                volume *= high - low + 1
            # no box is as large as 1e15
            self.cost[i] = volume + 1e15 if strange else volume
        best: Int = 0
        while True:
            best = 0
            for i in range(count):
                if self.cost[i] < self.cost[best]:
                    best = i
            if nth == 0:
                return best
            self.cost[best] = 1e300
            nth -= 1

    # Which vertex is next: of those that may be looked at the one beside most.

    def queue(self, v: Int) -> None:
        """Queue a vertex as it is now."""
        level: Int = self.beside[v]
        self.queued[self.queue_length] = v
        self.below[self.queue_length] = self.top[level]
        self.top[level] = self.queue_length
        self.queue_length += 1

    def queue_all(self) -> None:
        """Queue all vertices that have a placed neighbour, and no others."""
        self.queue_length = 0
        v: Int
        level: Int
        for level in range(self.top.shape[0]):
            self.top[level] = -1
        for v in range(self.placed.shape[0]):
            if not self.placed[v] and self.beside[v]:
                self.queue(v)

    def next_queued(self) -> Int:
        """Return the next vertex, -1 if there is none.

        Vertices are queued again when a neighbour is placed: older entries are void.
        """
        level: Int = self.top.shape[0] - 1
        while level > 0:
            e: Int = self.top[level]
            if e < 0:
                level -= 1
                continue
            self.top[level] = self.below[e]
            v: Int = self.queued[e]
            if not self.placed[v] and self.beside[v] == level:
                return v
        return -1

    # Where it went no further.

    def is_shut(self, v: Int, w: Int, steps: Int) -> Bool:
        """Return whether so many steps cannot lead from a vertex to another.

        They would go over free points.
        """
        apart: Int = self.distance(self.place, v, self.place, w)
        if self.plain and (apart - steps) % 2:
            return True
        if apart < steps or (apart == steps and not self.plain):
            return False  # there are ways around
        s: Int
        for s in range(self.steps.shape[0]):
            self.move(self.place, v, s, self.scratch, 0)
            slot: Int = slot_of(self.keys, self.number_of(self.scratch, 0))
            if (
                self.keys[slot] < 0
                and self.distance(self.scratch, 0, self.place, w) < steps
            ):
                return False
        return True

    def find_clashes(  # noqa: C901 - pairs of neighbours of neighbours
        self, clashes: OutIntRows
    ) -> Int:
        """List how far vertices are apart that steps over others cannot join.

        Two placed vertices are joined over a common neighbour without a point, or over
        two that are neighbours.

        Parameters
        ----------
        clashes : int64, shape (c, 1 + d)
            Gets how many steps, 2 or 3, and how far along each axis.

        Returns
        -------
        int
            How many there are, `c` at most.
        """
        count: Int = 0
        v: Int
        i: Int
        j: Int
        k: Int
        a: Int
        for v in range(self.placed.shape[0]):
            if self.placed[v] or not self.beside[v]:
                continue
            for i in range(self.indptr[v], self.indptr[v + 1]):
                near: Int = self.indices[i]
                if not self.placed[near]:
                    continue
                for j in range(self.indptr[v], self.indptr[v + 1]):
                    middle: Int = self.indices[j]
                    if middle == near:
                        continue
                    begin: Int = j
                    end: Int = j + 1
                    steps: Int = 2
                    if not self.placed[middle]:
                        begin, end = self.indptr[middle], self.indptr[middle + 1]
                        steps = 3
                    for k in range(begin, end):
                        far: Int = self.indices[k]
                        if not self.placed[far] or far == near:
                            continue
                        if count == clashes.shape[0]:
                            return count
                        if self.is_shut(near, far, steps):
                            clashes[count, 0] = steps
                            for a in range(self.place.shape[1]):
                                clashes[count, a + 1] = self.apart(
                                    self.place, near, self.place, far, a
                                )
                            count += 1
        return count


def search(  # noqa: C901, PLR0913 - a search with ways back; graph, lattice, beginning
    indptr: Ints,
    indices: Indices,
    steps: IntRows,
    periods: Ints,
    vertices: Ints,
    points: IntRows,
    looks: Int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Lay a connected graph on a lattice.

    Parameters
    ----------
    indptr : int64, shape (n + 1,)
        Where each vertex' neighbours begin; none has more than there are steps.
    indices : int32
        The neighbours.
    steps : int64, shape (k, d)
        Steps to the neighbours of a point, both ways, none longer than 1 along an axis.
    periods : int64, shape (d,)
        After how many places each axis comes back, 3 or more; 0 if it never does.
    vertices, points : int64, shape (b,) and (b, d)
        Vertices whose points are given, one at least.
    looks
        How often points are looked for, at most.

    Returns
    -------
    int64, shape (n, d)
        Point of each vertex.
    int32, shape (placed,)
        Vertices in the order in which they were placed: how far it went at most.
    int64, shape (c, 1 + d)
        Where it went no further, as `Board.find_clashes` lists it.
    """
    board = Board(indptr, indices, steps, periods)
    n: Int = len(indptr) - 1
    d: Int = len(periods)
    spots: OutIntRows = np.empty((len(steps), d), np.int64)
    # how far it went, when it went farthest
    reached: Int = -1
    clashing: Int = 0
    laid: OutIntRows = np.empty((n, d), np.int64)
    farthest: OutIndices = np.empty(n, np.int32)
    clashes: OutIntRows = np.empty((MAX_CLASHES, 1 + d), np.int64)
    # vertices with several options, in turn: `idle` of them have been looked at in vain
    waiting: OutIndices = np.empty(n, np.int32)
    waits: OutBools = np.zeros(n, np.bool_)
    many: Int = 0
    turn: Int = 0
    idle: Int = 0
    fewest: Int = 0
    likely: Int = -1
    # choices: the vertex, how many were placed, which way, whether ranks counted; boxes
    choices: OutIntRows = np.empty((n + 1, 4), np.int64)
    boxes: OutIntRows = np.empty((2 * (n + 1), d), np.int64)
    depth: Int = 0
    ways_back: Int = MAX_WAYS_BACK
    by_rank: Bool = False
    again: Bool = True
    i: Int
    a: Int
    k: Int
    with cython.nogil:
        for i in range(len(vertices)):
            board.settle(vertices[i], points, i)
        while True:
            if again:
                again = False
                waits[:] = 0
                many = turn = idle = 0
                board.queue_all()
            # What has a single place, given its neighbours, is placed first: no choice
            # is made.
            v: Int = board.next_queued()
            looks -= 1
            if looks < 0:
                break
            spot: Int = -1
            count: Int = -1
            if v >= 0:
                count = board.options(v, 2, spots)
                if count == 1:
                    spot = 0
                elif count > 1 and not waits[v]:
                    waits[v] = True
                    waiting[many] = v
                    many += 1
            elif board.count == n or many == 0:
                break
            elif idle < many:  # of those that wait: what could its neighbours do?
                turn %= many
                v = waiting[turn]
                if board.placed[v]:
                    many -= 1
                    waiting[turn] = waiting[many]
                    continue
                count = board.viable(v, spots)
                looks -= count
                if idle == 0 or count < fewest:
                    fewest, likely = count, v
                turn += 1
                idle += 1
                if count == 1:
                    spot = 0
            else:  # nothing follows any more: a choice, where there are fewest ways
                v = likely
                if 2 * board.count >= n and not by_rank:
                    board.note_usual()
                    by_rank = True
                count = board.viable(v, spots)
                looks -= count
                for a in range(d):
                    boxes[2 * depth, a] = board.box[0, a]
                    boxes[2 * depth + 1, a] = board.box[1, a]
                # A choice is noted with all that it changes, to be taken back.
                choices[depth, 0], choices[depth, 1] = v, board.count
                choices[depth, 2], choices[depth, 3] = 0, by_rank
                depth += 1
                spot = board.best_option(v, spots, count, by_rank, 0)
            if count == 0:  # stuck: the last choice is made otherwise
                if board.count > reached:
                    reached = board.count
                    clashing = board.find_clashes(clashes)
                    farthest[:reached] = board.order[:reached]
                    laid[:, :] = board.place
                if ways_back == 0:
                    break
                ways_back -= 1
                while depth and spot < 0:
                    v = choices[depth - 1, 0]
                    while board.count > choices[depth - 1, 1]:
                        board.count -= 1
                        board.take(board.order[board.count])
                    for a in range(d):
                        board.box[0, a] = boxes[2 * depth - 2, a]
                        board.box[1, a] = boxes[2 * depth - 1, a]
                    choices[depth - 1, 2] += 1
                    nth: Int = choices[depth - 1, 2]
                    count = board.viable(v, spots)
                    looks -= count
                    if nth < count:
                        spot = board.best_option(
                            v, spots, count, choices[depth - 1, 3], nth
                        )
                    else:
                        depth -= 1
                if spot < 0:
                    break
                again = True
            if spot >= 0:
                board.settle(v, spots, spot)
                idle = 0
                if not again:
                    for k in range(indptr[v], indptr[v + 1]):
                        if not board.placed[indices[k]]:
                            board.queue(indices[k])
    if board.count == n:
        laid, farthest, reached = board.place, board.order, n
    elif reached < 0:  # nowhere to go from the beginning, or no look was left
        laid, reached = board.place, 0
    return (
        np.asarray(laid),
        np.asarray(farthest)[:reached],
        np.asarray(clashes)[:clashing],
    )
