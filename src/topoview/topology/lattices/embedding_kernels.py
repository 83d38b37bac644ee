"""Kernels of topology/lattices."""

import numpy as np

from topoview.base.hash_table import slot_of
from topoview.base.kernels import kernel
from topoview.model import Bools, Indices, Ints

MAX_WAYS_BACK = 64
"""How often a choice is taken back."""


MAX_CLASHES = 64
"""Pairs of vertices that tell after how many places an axis comes back, at most."""


Rows = tuple[Ints, Indices]
"""A graph's ``indptr`` and ``indices``."""


Space = tuple[Ints, Ints, Ints, Ints, Indices]
"""Steps, periods, number of the step for a difference, and what lies where: numbers of
points, and the vertices there."""


State = tuple[Ints, Bools, Ints, Ints, Ints, Ints]
"""Place of each vertex, whether it has one, how many of its neighbours have, a mark on
vertices, how many vertices are off 0 along each axis, and the least and the largest
coordinate along each."""


@kernel
def number_of(point: Ints) -> int | np.int64:
    # of a point: from 0 on
    width = np.int64(1) << (60 // len(point))
    found = np.int64(0)
    for a in range(len(point)):
        found = found * width + point[a] + width // 2
    return found


@kernel
def move(space: Space, point: Ints, step: int, there: Ints) -> None:
    steps, periods = space[0], space[1]
    for a in range(len(point)):
        to = point[a] + steps[step, a]
        if periods[a]:
            to %= periods[a]
        there[a] = to


@kernel
def step_between(space: Space, here: Ints, there: Ints) -> int:
    # number of the step from one point to another, -1 if it is none
    periods = space[1]
    code, weight = np.int64(0), np.int64(1)
    for a in range(len(here)):
        apart = there[a] - here[a]
        if periods[a]:
            apart = (apart + 1) % periods[a] - 1
        if apart < -1 or apart > 1:
            return -1
        code += (apart + 1) * weight
        weight *= 3
    number: int = space[2][code]
    return number


@kernel
def fits(rows: Rows, space: Space, state: State, v: int, point: Ints) -> bool:
    # whether a point is free, and the vertices around it are just `v`'s neighbours,
    # which are marked
    keys, at = space[3], space[4]
    beside, mark = state[2], state[3]
    if keys[slot_of(keys, number_of(point))] >= 0:
        return False
    there = np.empty_like(point)
    met = 0
    for s in range(len(space[0])):
        move(space, point, s, there)
        slot = slot_of(keys, number_of(there))
        if keys[slot] >= 0:
            if mark[at[slot]] != v:
                return False
            met += 1
    degree = rows[0][v + 1] - rows[0][v]
    enough: bool = met == beside[v] and len(space[0]) - met >= degree - met
    return enough


@kernel
def is_turned(space: Space, state: State, point: Ints) -> bool:
    # whether another point is the same but for turning axes along which nothing lies
    off, periods = state[4], space[1]
    for a in range(len(point)):
        if off[a]:
            continue
        if point[a] < 0 or point[a] > 1:
            return True
        for b in range(a):
            if not off[b] and periods[a] == periods[b] and point[b] < point[a]:
                return True
    return False


@kernel
def options(  # noqa: PLR0913 - where to look, and how far
    rows: Rows, space: Space, state: State, v: int, most: int, found: Ints
) -> int:
    """List the places that a vertex may have, in `found`, and count them."""
    indptr, indices = rows
    place, known, _, mark = state[:4]
    one = other = -1
    for k in range(indptr[v], indptr[v + 1]):
        w = indices[k]
        mark[w] = v
        if known[w]:
            if one < 0:
                one = w
            else:
                other = w
    point = np.empty(place.shape[1], np.int64)
    count = 0
    for s in range(len(space[0])):
        move(space, place[one], s, point)
        if other >= 0 and step_between(space, place[other], point) < 0:
            continue
        if is_turned(space, state, point):
            continue
        if fits(rows, space, state, v, point):
            for a in range(len(point)):
                found[count, a] = point[a]
            count += 1
            if count == most:
                break
    return count


@kernel
def put(rows: Rows, space: Space, state: State, v: int, point: Ints) -> None:
    indptr, indices = rows
    place, known, beside, _, off, box = state
    number = number_of(point)
    slot = slot_of(space[3], number)
    space[3][slot] = number
    space[4][slot] = v
    known[v] = True
    for a in range(len(point)):
        place[v, a] = point[a]
        off[a] += point[a] != 0
        box[0, a] = min(box[0, a], point[a])
        box[1, a] = max(box[1, a], point[a])
    for k in range(indptr[v], indptr[v + 1]):
        beside[indices[k]] += 1


@kernel
def take(rows: Rows, space: Space, state: State, v: int) -> None:
    # the last one that was put: no later one was put aside for it
    indptr, indices = rows
    place, known, beside, _, off = state[:5]
    slot = slot_of(space[3], number_of(place[v]))
    space[3][slot] = -1
    known[v] = False
    for a in range(place.shape[1]):
        off[a] -= place[v, a] != 0
    for k in range(indptr[v], indptr[v + 1]):
        beside[indices[k]] -= 1


@kernel
def viable(rows: Rows, space: Space, state: State, v: int, found: Ints) -> int:
    """List the places that leave all neighbours one, in `found`, and count them."""
    indptr, indices = rows
    one, most = np.int64(1), np.int64(len(space[0]))
    count = options(rows, space, state, v, most, found)
    some = np.empty((1, found.shape[1]), np.int64)
    box = state[5].copy()
    kept = 0
    for i in range(count):
        put(rows, space, state, v, found[i])
        free = True
        for k in range(indptr[v], indptr[v + 1]):
            w = np.int64(indices[k])
            if not state[1][w] and not options(rows, space, state, w, one, some):
                free = False
                break
        take(rows, space, state, v)
        if free:
            for a in range(found.shape[1]):
                found[kept, a] = found[i, a]
            kept += 1
    for a in range(found.shape[1]):
        state[5][0, a], state[5][1, a] = box[0, a], box[1, a]
    return kept


@kernel
def usual_option(rows: Rows, space: Space, state: State) -> Ints:
    # by how much ranks mostly differ along each step (Boyer, Moore, 1981, "MJRTY")
    indptr, indices = rows
    place, known = state[0], state[1]
    usual = np.zeros(len(space[0]), np.int64)
    lead = np.zeros(len(space[0]), np.int64)
    for v in range(len(known)):
        if known[v]:
            for k in range(indptr[v], indptr[v + 1]):
                w = indices[k]
                if known[w]:
                    s = step_between(space, place[v], place[w])
                    if lead[s] == 0:
                        usual[s] = w - v
                    lead[s] += 1 if usual[s] == w - v else -1
    return usual


@kernel
def best_option(  # noqa: PLR0913 - what is compared
    rows: Rows, space: Space, state: State, v: int, found: Ints, count: int,
    usual: Ints, nth: int,
) -> int:  # fmt: skip
    """Find the nth best of some places: in rank order, then in the smallest box."""
    indptr, indices = rows
    place, known, box = state[0], state[1], state[5]
    cost = np.empty(count, np.float64)
    for i in range(count):
        strange = 0
        for k in range(indptr[v], indptr[v + 1]):
            w = indices[k]
            if known[w] and len(usual):
                s = step_between(space, place[w], found[i])
                strange += usual[s] != v - w
        volume = 1.0
        for a in range(found.shape[1]):
            low, high = min(box[0, a], found[i, a]), max(box[1, a], found[i, a])
            volume *= high - low + 1
        cost[i] = 1e15 * (strange > 0) + volume
    best = 0
    for _ in range(nth + 1):
        best = 0
        for i in range(count):
            if cost[i] < cost[best]:
                best = i
        cost[best] = np.inf
    return best


@kernel
def are_apart(space: Space, here: Ints, there: Ints) -> int | np.int64:
    # steps between two points, other points or not
    periods, plain = space[1], len(space[0]) == 2 * len(here)
    most = total = np.int64(0)
    for a in range(len(here)):
        step = abs(here[a] - there[a])
        if periods[a]:
            step = min(step, periods[a] - step)
        most, total = max(most, step), total + step
    return total if plain else most


@kernel
def is_shut(space: Space, here: Ints, there: Ints, steps: int) -> bool:
    # whether so many steps cannot lead from one point to another, over free points
    plain, apart = len(space[0]) == 2 * len(here), are_apart(space, here, there)
    if plain and (apart - steps) % 2:
        return True
    if apart < steps or (apart == steps and not plain):
        return False  # there are ways around
    over = np.empty_like(here)
    for s in range(len(space[0])):
        move(space, here, s, over)
        slot = slot_of(space[3], number_of(over))
        if space[3][slot] < 0 and are_apart(space, over, there) < steps:
            return False
    return True


@kernel
def find_clashes(  # noqa: C901 - pairs of neighbours of neighbours
    rows: Rows, space: Space, state: State, found: Ints
) -> int:
    """List how far vertices are apart that steps over others cannot join.

    In `found`: how many steps, 2 or 3, and how far along each axis.
    """
    indptr, indices = rows
    place, known, beside = state[:3]
    count = 0
    for v in range(len(known)):
        if known[v] or not beside[v]:
            continue
        for i in range(indptr[v], indptr[v + 1]):
            one = indices[i]
            for j in range(indptr[v], indptr[v + 1]):
                other = indices[j]
                if not known[one] or one == other:
                    continue
                begin, end, steps = j, j + 1, np.int64(2)
                if not known[other]:
                    begin, end, steps = indptr[other], indptr[other + 1], np.int64(3)
                for k in range(begin, end):
                    far = indices[k]
                    if not known[far] or far == one or count == len(found):
                        continue
                    if is_shut(space, place[one], place[far], steps):
                        found[count, 0] = steps
                        for a in range(place.shape[1]):
                            step = abs(place[one, a] - place[far, a])
                            if space[1][a]:
                                step = min(step, space[1][a] - step)
                            found[count, a + 1] = step
                        count += 1
    return count


@kernel
def search(  # noqa: C901 - a search with ways back
    rows: Rows, space: Space, vertices: Ints, points: Ints, looks: int
) -> tuple[Ints, Indices, Ints]:
    indptr, indices = rows
    n, d, degree = len(indptr) - 1, points.shape[1], len(space[0])
    place = np.zeros((n, d), np.int64)
    known = np.zeros(n, np.bool_)
    beside = np.zeros(n, np.int64)
    state = (place, known, beside, np.full(n, -1, np.int64), np.zeros(d, np.int64),
             np.zeros((2, d), np.int64))  # fmt: skip
    order = np.empty(n, np.int32)
    placed = 0
    clashes = np.zeros((MAX_CLASHES, 1 + d), np.int64)
    clashing, reached = 0, -1
    farthest, laid = order[:0].copy(), place
    # vertices by how many neighbours are placed: those with most are looked at first
    top = np.full(degree + 1, -1, np.int64)
    below = np.empty(len(indices) + n, np.int64)
    vertex = np.empty(len(indices) + n, np.int32)
    entries = 0
    waiting = np.empty(n, np.int32)
    waits = np.zeros(n, np.bool_)
    many = cursor = idle = fewest = 0
    likely = np.int64(-1)
    # choices: the vertex, how many were placed, which way, the box, what was usual
    choices = np.empty((n + 1, 4), np.int64)
    boxes = np.empty((n + 1, 2, d), np.int64)
    depth = back = 0
    usual = np.zeros(0, np.int64)
    found = np.empty((degree, d), np.int64)
    chosen = np.empty(d, np.int64)
    for i in range(len(vertices)):
        put(rows, space, state, vertices[i], points[i])
        order[placed] = vertices[i]
        placed += 1
    two, first = np.int64(2), np.int64(0)
    again = True
    while True:
        if again:  # all that have a placed neighbour are looked at anew
            again = False
            entries = many = cursor = idle = 0
            for level in range(degree + 1):
                top[level] = -1
            for w in range(n):
                waits[w] = False
                if not known[w] and beside[w]:
                    vertex[entries], below[entries] = w, top[beside[w]]
                    top[beside[w]] = entries
                    entries += 1
        v = np.int64(-1)
        level = degree
        while level > 0 and v < 0:
            if top[level] < 0:
                level -= 1
                continue
            w = vertex[top[level]]
            top[level] = below[top[level]]
            if not known[w] and beside[w] == level:
                v = np.int64(w)
        looks -= 1
        if looks < 0:
            break
        go, fails = -1, False
        if v >= 0:
            count = options(rows, space, state, v, two, found)
            fails = count == 0
            if count == 1:
                go = 0
            elif count > 1 and not waits[v]:
                waits[v] = True
                waiting[many] = v
                many += 1
        elif placed == n or many == 0:
            break
        elif idle < many:  # one of those that wait: what could its neighbours do?
            cursor %= many
            v = np.int64(waiting[cursor])
            if known[v]:
                many -= 1
                waiting[cursor] = waiting[many]
                continue
            count = viable(rows, space, state, v, found)
            looks -= count
            fails = count == 0
            if idle == 0 or count < fewest:
                fewest, likely = count, v
            cursor += 1
            idle += 1
            if count == 1:
                go = 0
        else:  # a choice
            v = likely
            if 2 * placed >= n and not len(usual):
                usual = usual_option(rows, space, state)
            count = viable(rows, space, state, v, found)
            looks -= count
            for a in range(d):
                boxes[depth, 0, a], boxes[depth, 1, a] = state[5][0, a], state[5][1, a]
            choices[depth, 0], choices[depth, 1] = v, placed
            choices[depth, 2], choices[depth, 3] = 0, len(usual)
            depth += 1
            go = best_option(rows, space, state, v, found, count, usual, first)
        if fails:
            if placed > reached:
                reached = placed
                clashing = find_clashes(rows, space, state, clashes)
                farthest = order[:placed].copy()
                laid = place.copy()
            back += 1
            if back > MAX_WAYS_BACK:
                break
            while depth and go < 0:
                v, kept = choices[depth - 1, 0], choices[depth - 1, 1]
                while placed > kept:
                    placed -= 1
                    take(rows, space, state, np.int64(order[placed]))
                for a in range(d):
                    state[5][0, a] = boxes[depth - 1, 0, a]
                    state[5][1, a] = boxes[depth - 1, 1, a]
                choices[depth - 1, 2] += 1
                count = viable(rows, space, state, v, found)
                looks -= count
                if choices[depth - 1, 2] < count:
                    told = usual[: choices[depth - 1, 3]]
                    nth = choices[depth - 1, 2]
                    go = best_option(rows, space, state, v, found, count, told, nth)
                else:
                    depth -= 1
            if go < 0:
                break
            again = True
        if go >= 0:
            for a in range(d):
                chosen[a] = found[go, a]
            put(rows, space, state, v, chosen)
            order[placed] = v
            placed += 1
            idle = 0
            if not again:
                for k in range(indptr[v], indptr[v + 1]):
                    w = indices[k]
                    if not known[w]:
                        vertex[entries], below[entries] = w, top[beside[w]]
                        top[beside[w]] = entries
                        entries += 1
    if placed < n:
        return laid, farthest, clashes[:clashing]
    return place, order, clashes[:clashing]
