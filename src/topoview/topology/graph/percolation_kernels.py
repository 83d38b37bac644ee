"""Kernels that place vertices by the votes of their neighbours."""

import cython
import numpy as np

if not cython.compiled:
    from topoview.base.hashing import slot_of
    from topoview.base.kinds import Bool, Float, Floats, Indices, Int, Ints, OutInts

    NOWHERE = -1
    """Place of a vertex that has none."""

    CLEAR_LEAD = 2
    """By how much a place must lead others: a vote is worth 3, a placed neighbour that
    is expected and missing costs 1."""

    FILLING_LEAD = 5
    """A lead of 1 at last, where nothing is clear: then what fills a hole among placed
    vertices leads, since it is likelier to lack an edge than the hole is to lack a
    vertex. Its lowest two bits are the lead."""

    MAX_VAIN_VOTES = 8
    """Votes on held vertices that place none, for each vertex of the graph: when there
    are more, it does not grow into what it is meant to be."""

    MAX_UNDECIDED = 16
    """Undecided vertices that are looked at for a clear one before a tie is broken."""

    MAX_VOTES = 1 << 16
    """Slots for the places that the neighbours of one vertex vote for."""


class Growth:
    """A graph whose vertices get places, and what is needed meanwhile.

    Places are points of an endless lattice (`steps` are the numbers that lead from one
    to its neighbours, and a hash table from points to vertices is held), or vertices of
    a template (there are no `steps`).
    """

    def __init__(  # noqa: PLR0913 - what a growth consists of
        self,
        indptr: Ints,
        indices: Indices,
        code: OutInts,
        steps: Ints,
        mask: Int,
        template_indptr: Ints,
        template_indices: Indices,
        looks: Floats,
        template_looks: Floats,
    ) -> None:
        """Begin with no vertex placed.

        Parameters
        ----------
        indptr, indices
            Neighbours of the vertices, in compressed rows.
        code : int64, shape (n,)
            Gets the place of each vertex.
        steps : int64, shape (k,)
            Differences between neighbouring points; none for a template.
        mask
            Bits of the number of a point: others are carries of axes that close.
        template_indptr, template_indices
            Neighbours of the template's vertices; unused for a lattice.
        looks, template_looks : float64
            What vertices and places look like, to break ties; unused for a lattice.
        """
        n: Int = len(indptr) - 1
        widest: Int = 1
        slots: Int = 64
        places: Int = len(template_indptr) - 1
        v: Int
        if len(steps):  # slots of the hash table
            places = 16
            while places <= 2 * n - 1:
                places *= 2
        for v in range(n):
            widest = max(widest, indptr[v + 1] - indptr[v])
        most: Int = min(4 * widest * max(len(steps), widest), MAX_VOTES)
        while slots < most:
            slots *= 2
        self.indptr, self.indices = indptr, indices
        self.template_indptr, self.template_indices = template_indptr, template_indices
        self.looks, self.template_looks = looks, template_looks
        self.code, self.steps, self.mask = code, steps, mask
        # who is where: the points, if any, and the vertex at each
        self.keys = np.full(places if len(steps) else 0, NOWHERE)
        self.at = np.full(places, -1)
        # places that neighbours vote for, a hash table, and its slots in use
        self.voted = np.full(slots, NOWHERE)
        self.votes = np.zeros(slots, np.int64)
        self.touched = np.empty(slots, np.int64)
        # vertices by their number of placed neighbours: queues as lists that are
        # linked through their entries, first in first out
        self.count = np.zeros(n, np.int64)
        self.entry = np.empty(len(indices) + n + 1, np.int64)
        self.after = np.full(len(indices) + n + 1, -1)
        self.head, self.tail = np.full(widest + 1, -1), np.full(widest + 1, -1)
        # vertices whose votes were not clear, in a circle
        self.held = np.empty(n + 1, np.int64)
        self.is_held = np.zeros(n, np.bool_)


def grow_from(  # noqa: PLR0913 - a graph, a lattice or a template, and how
    indptr: Ints,
    indices: Indices,
    code: OutInts,
    steps: Ints,
    mask: Int,
    width: Int,
    template_indptr: Ints,
    template_indices: Indices,
    looks: Floats,
    template_looks: Floats,
    ties: Bool,
) -> None:
    """Place further vertices of a graph, in place.

    Parameters are those of `Growth`, and some more.

    Parameters
    ----------
    code : int64, shape (n,)
        Place of each vertex, `NOWHERE` where it has none.
    width
        Bits of a coordinate in the number of a point; 0 for a template.
    ties
        Whether one of several places that are equally likely is taken at last, and a
        single neighbour may place a vertex.
    """
    growth = Growth(
        indptr,
        indices,
        code,
        steps,
        mask,
        template_indptr,
        template_indices,
        looks,
        template_looks,
    )
    v: Int
    with cython.nogil:
        for v in range(len(code)):
            if code[v] != NOWHERE:
                settle(growth, v, code[v])
        grow(growth, 1 if ties else 2, ties, width)


def slot_of_place(growth: Growth, place: Int) -> Int:
    """Find where the table has a place, or would have it."""
    return slot_of(growth.keys, place) if len(growth.steps) else place


def settle(growth: Growth, vertex: Int, place: Int) -> None:
    """Put a vertex at a place."""
    slot: Int = slot_of_place(growth, place)
    if len(growth.steps):
        growth.keys[slot] = place
    growth.at[slot] = vertex
    growth.code[vertex] = place


def occupied(growth: Growth, place: Int) -> Int:
    """Count the places around one that have a vertex."""
    count: Int = 0
    i: Int
    if len(growth.steps):
        for i in range(len(growth.steps)):
            there: Int = (place + growth.steps[i]) & growth.mask
            if growth.at[slot_of(growth.keys, there)] >= 0:
                count += 1
    else:
        for i in range(
            growth.template_indptr[place], growth.template_indptr[place + 1]
        ):
            if growth.at[growth.template_indices[i]] >= 0:
                count += 1
    return count


def near(a: Int, b: Int, width: Int) -> Bool:
    """Return whether two points are less than 4 apart along each axis."""
    mask: Int = (cython.cast(Int, 1) << width) - 1
    while a != 0 or b != 0:
        apart: Int = (a & mask) - (b & mask)
        if apart > 3 or apart < -3:
            return False
        a >>= width
        b >>= width
    return True


def vote(  # noqa: C901 - one pass over what the neighbours expect
    growth: Growth, v: Int, need: Int, margin: Int, width: Int
) -> Int:
    """Find the place that most placed neighbours of a vertex expect.

    Returns `NOWHERE` if fewer than `need` do, or it does not lead by `margin`.
    """
    mask: Int = len(growth.voted) - 1
    steps: Int = len(growth.steps)
    many: Int = 0
    top: Int = 0
    i: Int
    j: Int
    k: Int
    for k in range(growth.indptr[v], growth.indptr[v + 1]):
        here: Int = growth.code[growth.indices[k]]
        if here == NOWHERE:
            continue
        first: Int = 0
        expects: Int = steps
        if not steps:
            first = growth.template_indptr[here]
            expects = growth.template_indptr[here + 1] - first
        for j in range(expects):
            place: Int
            if steps:
                place = (here + growth.steps[j]) & growth.mask
            else:
                place = growth.template_indices[first + j]
            if growth.at[slot_of_place(growth, place)] >= 0:
                continue
            i = slot_of(growth.voted, place)
            if growth.voted[i] == NOWHERE:
                if 2 * many > mask:
                    continue  # a hub: enough places have votes
                growth.voted[i] = place
                growth.votes[i] = 0
                growth.touched[many] = i
                many += 1
            growth.votes[i] += 1
            top = max(top, growth.votes[i])
    # of those that have most votes, or one less, the best and the second
    best: Int = NOWHERE
    score: Float = -1e30
    second: Float = -1e30  # counts where the best is near
    for k in range(many):
        i = growth.touched[k]
        if growth.votes[i] >= max(need, top - 1):
            place = growth.voted[i]
            around: Int = occupied(growth, place)
            scored: Float = 3.0 * growth.votes[i]
            scored += around if margin == FILLING_LEAD else -around
            if margin == 0:
                unlike: Float = abs(growth.looks[v] - growth.template_looks[place])
                scored -= min(0.9, unlike)
            if scored > score:
                if best != NOWHERE and (width == 0 or near(place, best, width)):
                    second = score
                best, score = place, scored
            elif scored > second and (width == 0 or near(place, best, width)):
                second = scored
        growth.voted[i] = NOWHERE
    if margin > 0 and (score < second + (margin & 3) or score <= 0):
        return NOWHERE
    return best


def grow(  # noqa: C901 - a queue for each number of placed neighbours
    growth: Growth, need: Int, ties: Bool, width: Int
) -> None:
    """Place vertices, those with most placed neighbours first, as far as votes reach.

    Parameters
    ----------
    need
        Votes that a place needs.
    ties
        Whether one of several places that are equally likely is taken at last.
    width
        Bits of a coordinate in the number of a point; 0 for a template.
    """
    n: Int = len(growth.indptr) - 1
    used: Int = 0  # entries of all queues
    first: Int = 0
    holding: Int = 0
    vain: Int = MAX_VAIN_VOTES * n
    highest: Int = 0
    v: Int
    k: Int
    attempt: Int
    # A queue for each number of placed neighbours: most votes first.
    for v in range(n):
        if growth.code[v] != NOWHERE:
            continue
        for k in range(growth.indptr[v], growth.indptr[v + 1]):
            if growth.code[growth.indices[k]] != NOWHERE:
                growth.count[v] += 1
        if growth.count[v]:
            used = append(growth, v, used)
            highest = max(highest, growth.count[v])
    while True:
        v = -1
        place: Int = NOWHERE
        while highest > 0:
            i: Int = growth.head[highest]
            if i < 0:
                highest -= 1
                continue
            growth.head[highest] = growth.after[i]
            if growth.head[highest] < 0:
                growth.tail[highest] = -1
            v = growth.entry[i]
            if growth.code[v] != NOWHERE or growth.count[v] != highest:
                continue  # it has a place, or stands in a higher queue by now
            place = vote(growth, v, need, CLEAR_LEAD, width)
            if place != NOWHERE:
                break
            if not growth.is_held[v]:
                growth.is_held[v] = True
                growth.held[(first + holding) % (n + 1)] = v
                holding += 1
        if place == NOWHERE:
            # nothing is certain: the first that a single neighbour places, and
            # where ties do not matter any
            for attempt in range(3 if ties else 2):
                margin: Int = CLEAR_LEAD
                if attempt == 1:
                    margin = 1 if ties else FILLING_LEAD
                elif attempt == 2:
                    margin = 0
                many: Int = min(holding, MAX_UNDECIDED) if ties else holding
                for _ in range(many):
                    v = growth.held[first]
                    first = (first + 1) % (n + 1)
                    holding -= 1
                    growth.is_held[v] = False
                    if growth.code[v] != NOWHERE:
                        continue
                    place = vote(growth, v, 1, margin, width)
                    if place != NOWHERE:
                        break
                    vain -= 1
                    growth.is_held[v] = True
                    growth.held[(first + holding) % (n + 1)] = v
                    holding += 1
                if place != NOWHERE or vain < 0:
                    break
            if place == NOWHERE:
                return
        # Neighbours of what is placed now have one vote more: they move up.
        settle(growth, v, place)
        for k in range(growth.indptr[v], growth.indptr[v + 1]):
            u: Int = growth.indices[k]
            if growth.code[u] == NOWHERE:
                growth.count[u] += 1
                used = append(growth, u, used)
                highest = max(highest, growth.count[u])


def append(growth: Growth, vertex: Int, used: Int) -> Int:
    """Append a vertex to the queue of its number of placed neighbours.

    Returns the entries in use afterwards.
    """
    number: Int = growth.count[vertex]
    growth.entry[used] = vertex
    if growth.tail[number] >= 0:
        growth.after[growth.tail[number]] = used
    else:
        growth.head[number] = used
    growth.tail[number] = used
    return used + 1
