"""Kernels of logical/merge."""

import numpy as np
from numpy.typing import NDArray

from topoview.base.kernels import kernel
from topoview.logical.kernels import mix
from topoview.model import Ints

Hashes = NDArray[np.uint64]


OF_PLACE = np.uint64(0x9FB21C651E98DF25)
"""Added to a place before it is scrambled: as a symbol it would meet equal symbols."""


@kernel
def rank_keys(  # noqa: PLR0913
    first: int,
    offsets: Ints,
    told: Hashes,
    receiver: Ints,
    sender: Ints,
    neighbours: Ints,
    ranks: int,
) -> Hashes:
    """Hash each rank's rows, its partners numbered as it meets them."""
    met = np.full(ranks, -1, np.int64)
    number = np.zeros(ranks, np.uint64)
    found = np.empty(len(offsets) - 1, np.uint64)
    for rank in range(len(found)):
        many = np.uint64(1)
        key = np.uint64(offsets[rank + 1] - offsets[rank])
        for row in range(offsets[rank], offsets[rank + 1]):
            code = told[row]
            for side in range(2):
                partner = sender[row] if side else receiver[row]
                own = np.uint64(0)
                if partner >= 0:
                    if met[partner] != rank:
                        met[partner] = rank
                        pair = (first + rank) * ranks + partner
                        at = np.searchsorted(neighbours, pair)
                        near = at < len(neighbours) and neighbours[at] == pair
                        number[partner] = many * np.uint64(2) + np.uint64(near)
                        many += np.uint64(1)
                    own = number[partner]
                code = mix(code ^ own)
            key = mix(key ^ code)
        found[rank] = key
    return found


@kernel
def sums(begins: Ints, key: Hashes) -> Hashes:
    found = np.empty(len(begins), np.uint64)
    for cell in range(len(begins)):
        end = begins[cell + 1] if cell + 1 < len(begins) else len(key)
        total = np.uint64(end - begins[cell])
        for row in range(begins[cell], end):
            total += mix(key[row] ^ mix(np.uint64(row - begins[cell]) + OF_PLACE))
        found[cell] = mix(total)
    return found


@kernel
def project(  # noqa: C901
    flat: Ints, offsets: Ints, codes: int, stays: bool, budget: int
) -> tuple[Ints, Ints, int]:
    groups = len(offsets) - 1
    last = np.zeros(len(flat), np.bool_)
    need = np.zeros(codes, np.int64)
    seen = np.full(codes, -1, np.int64)
    for g in range(groups):
        for e in range(offsets[g + 1] - 1, offsets[g] - 1, -1):
            s = flat[e]
            if seen[s] != g:
                seen[s] = g
                last[e] = True
                need[s] += 1
    at = np.zeros(codes, np.int64)
    standing = np.full(codes, -1, np.int64)
    following = np.full(groups, -1, np.int64)
    here = offsets[:-1].copy()
    used = np.zeros(codes, np.int64)
    heap = np.zeros((codes + 1, 2), np.int64)
    zero = int(np.int64(0))  # numba compiles anew for numbers that are written out
    heaped = zero
    left = 0
    for g in range(groups):
        if here[g] < offsets[g + 1]:
            s = flat[here[g]]
            following[g] = standing[s]
            standing[s] = g
            at[s] += 1
            left += 1
            if at[s] == need[s]:
                heaped = push(heap, heaped, zero, s)
    position = np.full(len(flat), -1, np.int64)
    merged = np.empty(len(flat), np.int64)
    count, forced = zero, 0
    while left:
        if heaped:
            s = heap[0, 1]
            heaped = pop(heap, heaped)
        else:
            forced += 1
            budget -= codes
            if budget < 0:
                return merged[:0], position, -1
            s = -1
            for t in range(codes):
                if at[t] and (
                    s < 0
                    or at[t] * need[s] > at[s] * need[t]
                    or (at[t] * need[s] == at[s] * need[t] and used[t] < used[s])
                ):
                    s = t
        g = standing[s]
        standing[s] = -1
        at[s] = 0
        used[s] = count + 1
        latest = (count + 1) << 32
        while g >= 0:
            after = following[g]
            e = here[g]
            position[e] = count
            if last[e]:
                need[s] -= 1
            here[g] = e + 1
            if e + 1 < offsets[g + 1]:
                t = flat[e + 1]
                following[g] = standing[t]
                standing[t] = g
                at[t] += 1
                if t != s and at[t] == need[t]:
                    heaped = push(heap, heaped, (used[t] or count) - stays * latest, t)
            else:
                left -= 1
            g = after
        if at[s] and at[s] == need[s]:
            heaped = push(heap, heaped, used[s] - stays * latest, s)
        merged[count] = s
        count += 1
    return merged[:count].copy(), position, forced


@kernel
def push(heap: Ints, n: int, key: int, value: int) -> int:
    i = n
    while i:
        up = (i - 1) // 2
        if heap[up, 0] <= key:
            break
        heap[i, 0], heap[i, 1] = heap[up, 0], heap[up, 1]
        i = up
    heap[i, 0], heap[i, 1] = key, value
    return n + 1


@kernel
def pop(heap: Ints, n: int) -> int:
    n -= 1
    key, value = heap[n, 0], heap[n, 1]
    i = 0
    while 2 * i + 1 < n:
        down = 2 * i + 1
        if down + 1 < n and heap[down + 1, 0] < heap[down, 0]:
            down += 1
        if heap[down, 0] >= key:
            break
        heap[i, 0], heap[i, 1] = heap[down, 0], heap[down, 1]
        i = down
    heap[i, 0], heap[i, 1] = key, value
    return n


@kernel
def first_places(part: Ints, whole: Ints) -> Ints:
    """First places of a sequence of which a part is left, in order."""
    found = np.empty(len(part), np.int64)
    at = np.int64(0)
    for index in range(len(part)):
        while whole[at] != part[index]:
            at += 1
        found[index] = at
        at += 1
    return found
