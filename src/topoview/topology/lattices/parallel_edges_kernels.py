"""Kernels of topology/lattices."""

import numpy as np

from topoview.base.kernels import kernel
from topoview.model import Bools, Indices, Ints
from topoview.topology.graph.percolation_kernels import Rows

MAX_CHOICES = 4000
"""Choices that are looked at for the steps from a vertex."""


MAX_GUESSES = 16
"""How often one of several ways to name a vertex' steps is taken."""


@kernel
def steps_from(  # noqa: C901, PLR0913 - what neighbours tell, and what is left
    rows: Rows,
    known: Bools,
    inner: Bools,
    ends: Indices,
    opposite: Ints,
    at: Ints,
    w: int,
    guess: bool,
) -> int:
    """Name the steps from a vertex, in `ends`: 1 if there is one way, 0 none, 2 more.

    `at` is -1 everywhere, before and after.
    """
    indptr, indices = rows
    degree = ends.shape[1]
    first = indptr[w]
    for i in range(degree):
        at[indices[first + i]] = i
    may = np.full(degree, (np.int64(1) << degree) - 1)
    source = -1
    told = 0
    for i in range(degree):
        u = indices[first + i]
        if not known[u]:
            continue
        step = -1
        for s in range(degree):
            if ends[u, s] == w:
                step = s
        if step < 0:
            continue
        if opposite[step] >= 0:
            may[opposite[step]] &= np.int64(1) << i
        if source < 0:
            source = u
        for s in range(degree):  # two steps lead to the same place either way
            y = ends[u, s]
            if known[y]:
                end = at[ends[y, step]]
                may[s] &= np.int64(1) << end if end >= 0 else 0
        if told < 3:
            told += 1
            for s in range(degree):
                if s == step:
                    continue
                y = ends[u, s]
                near = np.int64(0)
                for k in range(indptr[y], indptr[y + 1]):
                    if at[indices[k]] >= 0:
                        near |= np.int64(1) << at[indices[k]]
                may[s] &= near
    for i in range(degree):
        at[indices[first + i]] = -1
    beside = among(rows, indices[first : first + degree], at)
    joined = among(rows, ends[source], at)
    for s in range(degree):
        wanted = bits(joined[s])
        for i in range(degree):
            if bits(beside[i]) != wanted:
                may[s] &= ~(np.int64(1) << i)
    chosen = np.full(degree, -1, np.int64)
    ours = adjacency(joined)
    theirs = adjacency(beside)
    deep = inner[source] and inner[w]
    ways = assigned(may, ours, theirs, chosen, guess and not deep)
    if ways == 2 and deep:
        ours += 2 * shared(rows, ends[source], at)
        theirs += 2 * shared(rows, indices[first : first + degree], at)
        ways = assigned(may, ours, theirs, chosen, guess)
    if ways == 1:
        for s in range(degree):
            ends[w, s] = indices[first + chosen[s]]
        for s in range(degree):
            x = ends[w, s]
            if known[x]:
                for back in range(degree):
                    if ends[x, back] == w:
                        if opposite[back] < 0 and opposite[s] < 0:
                            opposite[back] = s
                            opposite[s] = back
                        elif opposite[back] != s:
                            return 0
    return ways


@kernel
def among(rows: Rows, near: Indices, at: Ints) -> Ints:
    # which ends of steps are neighbours of each other, as bits
    indptr, indices = rows
    for s in range(len(near)):
        at[near[s]] = s
    joined = np.zeros(len(near), np.int64)
    for s in range(len(near)):
        for k in range(indptr[near[s]], indptr[near[s] + 1]):
            if at[indices[k]] >= 0:
                joined[s] |= np.int64(1) << at[indices[k]]
    for s in range(len(near)):
        at[near[s]] = -1
    return joined


@kernel
def adjacency(joined: Ints) -> Ints:
    found = np.zeros((len(joined), len(joined)), np.int64)
    for i in range(len(joined)):
        for j in range(len(joined)):
            found[i, j] = joined[i] >> j & 1
    return found


@kernel
def shared(rows: Rows, near: Indices, at: Ints) -> Ints:
    # how many neighbours any two of some vertices have in common
    indptr, indices = rows
    found = np.zeros((len(near), len(near)), np.int64)
    for i in range(len(near)):
        for k in range(indptr[near[i]], indptr[near[i] + 1]):
            at[indices[k]] = i
        for j in range(len(near)):
            for k in range(indptr[near[j]], indptr[near[j] + 1]):
                found[i, j] += at[indices[k]] == i
        for k in range(indptr[near[i]], indptr[near[i] + 1]):
            at[indices[k]] = -1
    return found


@kernel
def bits(mask: int) -> int:
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@kernel
def assigned(  # noqa: C901 - tries and undoes
    may: Ints,
    ours: Ints,
    theirs: Ints,
    chosen: Ints,
    guess: bool,
) -> int:
    """Give each step an end of its own so that pairs look as `ours` do in `theirs`.

    Returns 0 if there is no way, 1 if there is one (or `guess`), 2 if there are more;
    `chosen` has the first.
    """
    degree = len(may)
    left = np.empty((degree + 1, degree), np.int64)
    for s in range(degree):
        left[0, s] = may[s]
    step = np.full(degree + 1, -1, np.int64)
    untried = np.zeros(degree + 1, np.int64)
    taken = np.full(degree, -1, np.int64)
    level, nodes, ways = 0, 0, 0
    fresh = True
    while level >= 0:
        if fresh:
            fewest, best = degree + 1, -1
            for s in range(degree):
                if taken[s] < 0:
                    many = bits(left[level, s])
                    if many < fewest:
                        fewest, best = many, s
            step[level] = best
            untried[level] = left[level, best]
            fresh = False
        if untried[level] == 0:
            level -= 1
            if level >= 0:
                taken[step[level]] = -1
            continue
        nodes += 1
        if nodes > MAX_CHOICES:
            return 2
        bit = untried[level] & -untried[level]
        untried[level] ^= bit
        end = 0
        while bit >> end != 1:
            end += 1
        s = step[level]
        taken[s] = end
        fits = True
        for other in range(degree):
            if taken[other] < 0:
                mask = left[level, other] & ~bit
                for j in range(degree):
                    if mask >> j & 1 and theirs[end, j] != ours[s, other]:
                        mask ^= np.int64(1) << j
                left[level + 1, other] = mask
                fits = fits and mask != 0
        if not fits:
            taken[s] = -1
        elif level == degree - 1:
            ways += 1
            if ways == 1:
                for other in range(degree):
                    chosen[other] = taken[other]
            if guess or ways > 1:
                return ways
            taken[s] = -1
        else:
            level += 1
            fresh = True
    return ways


@kernel
def named(  # noqa: C901 - a queue, and what must wait
    rows: Rows, full: Bools, inner: Bools, root: int, order: Ints
) -> tuple[Bools, Indices, Ints, int]:
    # `known[root]` is False if there is no way to name the steps
    indptr, indices = rows
    n, degree = len(full), len(order)
    ends = np.full((n, degree), -1, np.int32)
    opposite = np.full(degree, -1, np.int64)
    known = np.zeros(n, np.bool_)
    waits = np.zeros(n, np.bool_)
    at = np.full(n, -1, np.int64)
    for s in range(degree):
        ends[root, s] = indices[indptr[root] + order[s]]
    known[root] = True
    queue = np.empty(n, np.int64)
    queue[0] = root
    waiting = np.empty(n, np.int32)  # as `ends`
    head, tail, many, guesses = 0, 1, 0, 0
    guess = guesses > 0
    while True:
        while head < tail:
            v = queue[head]
            head += 1
            for s in range(degree):
                w = ends[v, s]
                if not full[w] or known[w]:
                    continue
                found = steps_from(rows, known, inner, ends, opposite, at, w, guess)
                if found == 0:
                    known[root] = False
                    return known, ends, opposite, guesses
                if found == 1:
                    known[w] = True
                    queue[tail] = w
                    tail += 1
                elif not waits[w]:
                    waits[w] = True
                    waiting[many] = w
                    many += 1
        left = 0
        for i in range(many):
            w = waiting[i]
            if known[w]:
                continue
            found = 2
            if head == tail:
                found = steps_from(rows, known, inner, ends, opposite, at, w, guess)
                if found == 0:
                    known[root] = False
                    return known, ends, opposite, guesses
            if found == 1:
                known[w] = True
                queue[tail] = w
                tail += 1
                guess = False
            else:
                waiting[left] = w
                left += 1
        many = left
        if head == tail:
            if many == 0:
                return known, ends, opposite, guesses
            if guess or guesses == MAX_GUESSES:
                known[root] = False
                return known, ends, opposite, guesses
            guess = True
            guesses += 1


@kernel
def count_ways(  # noqa: PLR0913 - a search by breadth
    ends: Indices, known: Bools, root: int, generator: Ints, sign: Ints, many: int
) -> Ints:
    n, degree = ends.shape
    place = np.zeros((n, many), np.int64)
    seen = np.zeros(n, np.bool_)
    queue = np.empty(n, np.int64)
    queue[0] = root
    seen[root] = True
    head, tail = 0, 1
    while head < tail:
        v = queue[head]
        head += 1
        for s in range(degree):
            w = ends[v, s]
            if known[w] and not seen[w]:
                seen[w] = True
                for i in range(many):
                    place[w, i] = place[v, i]
                place[w, generator[s]] += sign[s]
                queue[tail] = w
                tail += 1
    return place
