"""Kernels of topology/graph."""

import numpy as np

from topoview.base.hash_table import slot_of
from topoview.base.kernels import kernel
from topoview.model import Floats, Indices, Ints

NOWHERE = -1
"""Place of a vertex that has none."""


CLEAR_LEAD = 2
"""By how much a place must lead others: a vote is worth 3, a placed neighbour that is
expected and missing costs 1."""


FILLING_LEAD = 5
"""A lead of 1 at last, where nothing is clear: then what fills a hole among placed
vertices leads, since it is likelier to lack an edge than the hole is to lack a vertex.
Its lowest two bits are the lead."""


Number = int | np.int64


Rows = tuple[Ints, Indices]
"""A graph's ``indptr`` and ``indices``."""


Space = tuple[Ints, Ints, Indices, Ints, Ints, Floats, Floats]
"""Steps between neighbouring points (none: a template), the template's rows, a table
from the place to the vertex there: codes and vertices; and what vertices and places
look like, to break ties."""


MAX_UNDECIDED = 16
"""Undecided vertices that are looked at for a clear one before a tie is broken."""


@kernel
def slot_of_place(space: Space, place: Number) -> Number:
    """Find where the table has a place, or would have it."""
    return slot_of(space[3], place) if len(space[0]) else place


@kernel
def settle(space: Space, code: Ints, vertices: Ints, places: Ints) -> None:
    """Put vertices at places, in the table and in `code`, in place."""
    for i in range(len(vertices)):
        slot = slot_of_place(space, places[i])
        if len(space[0]):
            space[3][slot] = places[i]
        space[4][slot] = vertices[i]
        code[vertices[i]] = places[i]


@kernel
def occupied(space: Space, place: Number) -> Number:
    # places around one that have a vertex
    steps, indptr, indices = space[0], space[1], space[2]
    at = space[4]
    count = 0
    if len(steps):
        for step in steps:
            count += at[slot_of_place(space, place + step)] >= 0
    else:
        for k in range(indptr[place], indptr[place + 1]):
            count += at[indices[k]] >= 0
    return count


@kernel
def near(a: Number, b: Number, width: int) -> bool:
    # whether two points are less than 4 apart along each axis
    while a != 0 or b != 0:
        mask = (1 << width) - 1
        if abs(int(a & mask) - int(b & mask)) > 3:
            return False
        a >>= width
        b >>= width
    return True


@kernel
def vote(  # noqa: C901, PLR0913 - one pass over what the neighbours expect
    rows: Rows,
    space: Space,
    code: Ints,
    v: int,
    need: int,
    margin: int,
    width: int,
    scratch: tuple[Ints, Ints, Ints],
) -> Number:
    """Place that most placed neighbours of a vertex expect; nowhere if unclear."""
    indptr, indices = rows
    steps, tptr, tind = space[0], space[1], space[2]
    at = space[4]
    keys, votes, touched = scratch
    mask = len(keys) - 1
    many = 0
    top = 0
    for k in range(indptr[v], indptr[v + 1]):
        here = code[indices[k]]
        if here == NOWHERE:
            continue
        expects = len(steps) if len(steps) else tptr[here + 1] - tptr[here]
        for j in range(expects):
            place = here + steps[j] if len(steps) else np.int64(tind[tptr[here] + j])
            if at[slot_of_place(space, place)] >= 0:
                continue
            i = slot_of(keys, place)
            if keys[i] == NOWHERE:
                if 2 * many > mask:
                    continue  # a hub: enough places have votes
                keys[i] = place
                votes[i] = 0
                touched[many] = i
                many += 1
            votes[i] += 1
            top = max(top, votes[i])
    best: Number = NOWHERE
    score = second = -1e30  # the second one counts where the best is near
    for t in range(many):
        i = touched[t]
        if votes[i] >= max(need, top - 1):
            place = keys[i]
            around = occupied(space, place)
            scored = 3.0 * votes[i] + (around if margin == FILLING_LEAD else -around)
            if margin == 0:
                scored -= min(0.9, abs(space[5][v] - space[6][place]))
            if scored > score:
                if best != NOWHERE and (width == 0 or near(place, best, width)):
                    second = score
                best, score = place, scored
            elif scored > second and (width == 0 or near(place, best, width)):
                second = scored
        keys[i] = NOWHERE
    if margin > 0 and (score < second + (margin & 3) or score <= 0):
        return NOWHERE
    return best


@kernel
def grow(  # noqa: C901, PLR0913 - a queue for each number of placed neighbours
    rows: Rows,
    space: Space,
    code: Ints,
    need: int,
    ties: bool,
    width: int,
) -> None:
    indptr, indices = rows
    n = len(indptr) - 1
    steps = space[0]
    widest = 1
    for v in range(n):
        widest = max(widest, indptr[v + 1] - indptr[v])
    cells = 64
    while cells < min(4 * widest * max(len(steps), widest), 1 << 16):
        cells *= 2
    scratch = (
        np.full(cells, NOWHERE),
        np.zeros(cells, np.int64),
        np.empty(cells, np.int64),
    )
    # queues as lists linked through their entries, first in first out
    entries = len(indices) + n + 1
    entry = np.empty(entries, np.int64)
    after = np.full(entries, -1, np.int64)
    head = np.full(widest + 1, -1, np.int64)
    tail = np.full(widest + 1, -1, np.int64)
    queues = (entry, after, head, tail)
    used = 0
    count = np.zeros(n, np.int64)
    held = np.empty(n + 1, np.int64)  # circular
    is_held = np.zeros(n, np.bool_)
    first = holding = 0
    highest: Number = 0
    for v in range(n):
        if code[v] == NOWHERE:
            for k in range(indptr[v], indptr[v + 1]):
                count[v] += code[indices[k]] != NOWHERE
            if count[v]:
                used = append(queues, count[v], v, used)
                highest = max(highest, count[v])
    one = np.empty(1, np.int64)
    where = np.empty(1, np.int64)
    while True:
        v = -1
        place: Number = NOWHERE
        while highest > 0:
            if head[highest] < 0:
                highest -= 1
                continue
            i = head[highest]
            head[highest] = after[i]
            if head[highest] < 0:
                tail[highest] = -1
            if code[entry[i]] != NOWHERE or count[entry[i]] != highest:
                continue
            v = entry[i]
            place = vote(rows, space, code, v, need, CLEAR_LEAD, width, scratch)
            if place != NOWHERE:
                break
            if not is_held[v]:
                is_held[v] = True
                held[(first + holding) % (n + 1)] = v
                holding += 1
        if place == NOWHERE:
            # nothing is certain: the first that a single neighbour places, and
            # where ties do not matter any
            for attempt in range(3 if ties else 2):
                margin = (CLEAR_LEAD, 1 if ties else FILLING_LEAD, 0)[attempt]
                for _ in range(min(holding, MAX_UNDECIDED) if ties else holding):
                    u = held[first]
                    first = (first + 1) % (n + 1)
                    holding -= 1
                    is_held[u] = False
                    if code[u] != NOWHERE:
                        continue
                    place = vote(rows, space, code, u, 1, margin, width, scratch)
                    if place != NOWHERE:
                        v = u
                        break
                    is_held[u] = True
                    held[(first + holding) % (n + 1)] = u
                    holding += 1
                if place != NOWHERE:
                    break
            if place == NOWHERE:
                return
        one[0] = v
        where[0] = place
        settle(space, code, one, where)
        for k in range(indptr[v], indptr[v + 1]):
            u = indices[k]
            if code[u] == NOWHERE:
                count[u] += 1
                used = append(queues, count[u], u, used)
                highest = max(highest, count[u])


@kernel
def append(
    queues: tuple[Ints, Ints, Ints, Ints], number: int, vertex: int, used: int
) -> int:
    """Append a vertex to the queue of a number; entries used afterwards."""
    entry, after, head, tail = queues
    entry[used] = vertex
    if tail[number] >= 0:
        after[tail[number]] = used
    else:
        head[number] = used
    tail[number] = used
    return used + 1
