"""Votes of the neighbours that have a place on where a vertex must lie."""

import numba
import numpy as np

from topoview.model import Floats, Indices, Ints

NOWHERE = -(2**62)
"""Place of a vertex that has none."""

CLEAR = 2
"""By how much a place must lead others: a vote is worth 3, a placed neighbour that is
expected and missing costs 1."""

FILL = 5
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


@numba.njit(nogil=True, cache=True)
def slot_of(space: Space, code: Number) -> Number:
    """Find where the table has a place, or would have it."""
    keys = space[3]
    if len(space[0]) == 0:
        return code
    mask = len(keys) - 1
    h = np.uint64(code) * np.uint64(0x9E3779B97F4A7C15)
    i = np.int64(h >> np.uint64(20)) & mask
    while keys[i] != NOWHERE and keys[i] != code:
        i = (i + 1) & mask
    return i


@numba.njit(nogil=True, cache=True)
def settle(space: Space, code: Ints, vertices: Ints, places: Ints) -> None:
    """Put vertices at places, in the table and in `code`, in place."""
    for i in range(len(vertices)):
        slot = slot_of(space, places[i])
        if len(space[0]):
            space[3][slot] = places[i]
        space[4][slot] = vertices[i]
        code[vertices[i]] = places[i]


@numba.njit(nogil=True, cache=True)
def _occupied(space: Space, place: Number) -> Number:
    # places around one that have a vertex
    steps, indptr, indices = space[0], space[1], space[2]
    at = space[4]
    count = 0
    if len(steps):
        for step in steps:
            count += at[slot_of(space, place + step)] >= 0
    else:
        for k in range(indptr[place], indptr[place + 1]):
            count += at[indices[k]] >= 0
    return count


@numba.njit(nogil=True, cache=True)
def _near(a: Number, b: Number, width: int) -> bool:
    # whether two points are less than 4 apart along each axis
    while a != 0 or b != 0:
        mask = (1 << width) - 1
        if abs(int(a & mask) - int(b & mask)) > 3:
            return False
        a >>= width
        b >>= width
    return True


@numba.njit(nogil=True, cache=True)
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
            if at[slot_of(space, place)] >= 0:
                continue
            h = np.uint64(place) * np.uint64(0x9E3779B97F4A7C15)
            i = np.int64(h >> np.uint64(20)) & mask
            while keys[i] != NOWHERE and keys[i] != place:
                i = (i + 1) & mask
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
            around = _occupied(space, place)
            scored = 3.0 * votes[i] + (around if margin == FILL else -around)
            if margin == 0:
                scored -= min(0.9, abs(space[5][v] - space[6][place]))
            if scored > score:
                if best != NOWHERE and (width == 0 or _near(place, best, width)):
                    second = score
                best, score = place, scored
            elif scored > second and (width == 0 or _near(place, best, width)):
                second = scored
        keys[i] = NOWHERE
    if margin > 0 and (score < second + (margin & 3) or score <= 0):
        return NOWHERE
    return best
