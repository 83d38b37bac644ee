"""Merge the sequences of groups of ranks into one that all can be read from.

Either by projection (a symbol is written when all groups that still have it to come
stand at it), or by folding one sequence after the other into the longest, aligned as
in a diff. Every sequence comes back as ascending positions of the merged one.
"""

from dataclasses import dataclass

import numpy as np

from topoview.base.kernels import kernel
from topoview.base.progress import Report
from topoview.logical.loops.alignment import align, limit_for
from topoview.logical.stages import MERGING
from topoview.model import Ints

MAX_FORCED_COMPARISONS = 20_000_000
"""Comparisons that may be spent on choosing symbols where groups disagree."""

MAX_SYMBOLS_FOLDED = 30_000_000
"""Symbols that folding may align, over all groups."""


@dataclass(frozen=True, slots=True, eq=False)
class MergedSequence:
    """One sequence for all groups.

    Attributes
    ----------
    symbol : int64, shape (positions,)
        Code of each position.
    position : int64, shape (entries,)
        Position of each entry of the groups' sequences.
    forced
        Positions at which groups disagreed what comes first.
    """

    symbol: Ints
    position: Ints
    forced: int


def project(flat: Ints, offsets: Ints, *, stays: bool = False) -> MergedSequence | None:
    """Merge sequences that are one program's, without what does not concern them.

    A symbol comes next when every group that still has it to come stands at it; of
    several the one that came, or could first come, the longest ago, so that loops of
    different groups keep step, or that of the groups that went on last. Where there is
    none the one that most of its groups stand at is taken. Takes O(entries log groups).

    Parameters
    ----------
    flat, offsets
        The sequences one after the other: int64, codes from 0.
    stays
        Whether the groups that went on last go on.

    Returns
    -------
    Merged or None
        None if groups disagree so often that it would take too long.
    """
    codes = int(flat.max(initial=-1)) + 1
    symbol, position, forced = _project(
        flat, offsets, codes, stays, MAX_FORCED_COMPARISONS
    )
    return None if forced < 0 else MergedSequence(symbol, position, forced)


@kernel
def _project(  # noqa: C901
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
                heaped = _push(heap, heaped, zero, s)
    position = np.full(len(flat), -1, np.int64)
    merged = np.empty(len(flat), np.int64)
    count, forced = zero, 0
    while left:
        if heaped:
            s = heap[0, 1]
            heaped = _pop(heap, heaped)
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
                    heaped = _push(heap, heaped, (used[t] or count) - stays * latest, t)
            else:
                left -= 1
            g = after
        if at[s] and at[s] == need[s]:
            heaped = _push(heap, heaped, used[s] - stays * latest, s)
        merged[count] = s
        count += 1
    return merged[:count].copy(), position, forced


@kernel
def _push(heap: Ints, n: int, key: int, value: int) -> int:
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
def _pop(heap: Ints, n: int) -> int:
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


def fold(
    flat: Ints, offsets: Ints, report: Report, *, early: bool = False
) -> MergedSequence | None:
    """Fold one sequence after the other into the longest.

    Each is aligned with what is merged so far, over symbols that both know; what
    is not aligned is inserted.

    Parameters
    ----------
    early
        Calls of one kind are aligned with the first that they can be, not with any: so
        that what only some ranks do comes as a whole between what all do.

    Returns
    -------
    Merged or None
        None if that would take too long.
    """
    groups = len(offsets) - 1
    counts = np.diff(offsets)
    if groups * int(counts.max(initial=0)) > MAX_SYMBOLS_FOLDED:
        return None
    limit = limit_for(groups * int(counts.max(initial=0)))
    codes = int(flat.max(initial=-1)) + 1
    node_code = flat[offsets[0] : offsets[1]]
    order = np.arange(len(node_code))
    nodes = [order]
    for g in range(1, groups):
        report(MERGING, g / groups)
        own = flat[offsets[g] : offsets[g + 1]]
        mine, theirs = np.zeros(codes, bool), np.zeros(codes, bool)
        mine[own] = True
        theirs[node_code] = True
        both = mine & theirs
        here = np.flatnonzero(both[own])
        merged = node_code[order]
        there = np.flatnonzero(both[merged])
        partner = align(own[here], merged[there], limit)
        found = np.full(len(own), -1, np.int64)
        aligned = partner >= 0
        chosen = partner[aligned]
        if early:
            chosen = _first_places(own[here[aligned]], merged[there])
        found[here[aligned]] = there[chosen]
        fresh = np.flatnonzero(found < 0)
        after = np.maximum.accumulate(found)[fresh]
        node = np.empty(len(own), np.int64)
        node[found >= 0] = order[found[found >= 0]]
        node[fresh] = len(node_code) + np.arange(len(fresh))
        node_code = np.concatenate((node_code, own[fresh]))
        order = np.insert(order, after + 1, node[fresh])
        nodes.append(node)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return MergedSequence(node_code[order], place[np.concatenate(nodes)], 0)


@kernel
def _first_places(part: Ints, whole: Ints) -> Ints:
    """First places of a sequence of which a part is left, in order."""
    found = np.empty(len(part), np.int64)
    at = np.int64(0)
    for index in range(len(part)):
        while whole[at] != part[index]:
            at += 1
        found[index] = at
        at += 1
    return found


def project_from_end(
    flat: Ints, offsets: Ints, *, stays: bool = False
) -> MergedSequence | None:
    """Merge by projection from the end: symbols that can wait come late, not early."""
    ends = np.repeat(offsets[1:] + offsets[:-1] - 1, np.diff(offsets))
    turn = ends - np.arange(len(flat))
    merged = project(np.ascontiguousarray(flat[turn]), offsets, stays=stays)
    if merged is None:
        return None
    last = len(merged.symbol) - 1
    return MergedSequence(
        np.ascontiguousarray(merged.symbol[::-1]),
        np.ascontiguousarray(last - merged.position[turn]),
        merged.forced,
    )
