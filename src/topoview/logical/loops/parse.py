"""The shortest way to write a sequence as loops, by dynamic programming on runs.

Each loop of a sequence lies within a run. The shortest way to write the first j
symbols ends either with symbol j or with a loop that ends there: one whose body
is a rotation of the run's period, as often as it goes. What a body costs is
found the same way, short ones first, for every rotation; where a period is so
long that its rotations are too many, some are tried (`ROTATIONS`).
"""

from dataclasses import dataclass

import numba
import numpy as np

from topoview.logical.loops.roots import Roots, class_at, least_rotation
from topoview.logical.loops.runs import runs_of
from topoview.model import Ints
from topoview.progress import Report, silent

LEAF = 1 << 32
"""Cost of a symbol; a loop costs 1 beside its body, so that symbols count first."""

NEVER = 1 << 62

ROTATIONS = 1 << 20
"""Symbols of rotations that are tried for each class, at least 8 rotations."""

WORK = 400_000_000
"""Symbols that may be looked at in all: the longest classes are left out then."""


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """The shortest way to write a sequence: its items in order.

    Attributes
    ----------
    begin : int64, shape (items,)
        Index of each item's first symbol.
    count : int64, shape (items,)
        How often a loop runs, 1 for a symbol.
    root, rotation : int64, shape (items,)
        Class of a loop's body, and which rotation of its root; -1 for a symbol.
    """

    begin: Ints
    count: Ints
    root: Ints
    rotation: Ints


def costs(
    s: Ints, roots: Roots, report: Report = silent, work: int = WORK
) -> tuple[Ints, bool]:
    """Find what each rotation of each class costs when it is written shortest.

    Returns
    -------
    int64, shape (Roots.slot[-1],)
        `NEVER` for rotations that were not tried.
    bool
        Whether all classes could be looked at.
    """
    cost = np.full(int(roots.slot[-1]), NEVER, np.int64)
    done = 0
    while done < len(roots.period) and work > 0:
        report("finding loops", 0.3 + 0.4 * done / len(roots.period))
        done, work = _costs(
            s, roots.table, roots.begin, roots.period, roots.slot, cost, done, work
        )
    return cost, done == len(roots.period)


@numba.njit(nogil=True, cache=True)
def _costs(  # noqa: PLR0913
    s: Ints,
    table: Ints,
    begin: Ints,
    period: Ints,
    slot: Ints,
    cost: Ints,
    done: int,
    work: int,
) -> tuple[int, int]:
    """Go on until there was enough work for a report."""
    until = max(0, work - 20_000_000)
    while done < len(period) and work > until:
        length = period[done]
        text, inner, classes, first = inner_runs(
            s[begin[done] : begin[done] + length], s, table, begin, period
        )
        step = max(1, length // max(8, ROTATIONS // length))
        for rotation in range(0, length, step):
            at = parse(length, rotation, inner, classes, first, slot, cost)[0]
            cost[slot[done] + rotation] = at[length]
        looked = 2 * length  # symbols, and how often runs cover them
        for k in range(len(inner)):
            looked += inner[k, 1] - inner[k, 0]
        work -= (length // step + 1) * looked
        if step > 1:
            work -= looked * _cuts(text, inner, classes, first, slot, cost, done)
        done += 1
    return done, work


@numba.njit(nogil=True, cache=True)
def _cuts(  # noqa: PLR0913
    text: Ints,
    inner: Ints,
    classes: Ints,
    first: Ints,
    slot: Ints,
    cost: Ints,
    which: int,
) -> int:
    """Try rotations at which two periods written shortest are cut in any case."""
    length = len(text) // 2
    _, back, _ = parse(2 * length, 0, inner, classes, first, slot, cost)
    on = np.zeros(2 * length + 1, np.bool_)
    j = 2 * length
    while j > 0:
        on[j] = True
        j = back[j]
    tried = 0
    for i in range(length):
        if on[i] and on[i + length] and tried < 8:
            if cost[slot[which] + i] < NEVER:
                continue
            at = parse(length, i, inner, classes, first, slot, cost)[0]
            cost[slot[which] + i] = at[length]
            tried += 1
    return tried + 2


@numba.njit(nogil=True, cache=True)
def inner_runs(
    root: Ints, s: Ints, table: Ints, begin: Ints, period: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """Find the runs within two periods that are short enough to lie within one.

    Returns
    -------
    text, runs, classes, first
        The two periods; runs as of `find_runs`, their class, and where its root
        first begins.
    """
    length = len(root)
    text = np.empty(2 * length, np.int64)
    text[:length] = root
    text[length:] = root
    runs = np.empty((2 * length, 3), np.int64)
    scratch = np.empty((4, 2 * length + 1), np.int64)
    found = runs_of(text, text[::-1].copy(), runs, scratch)
    kept = 0
    classes, first = np.empty(found, np.int64), np.empty(found, np.int64)
    for k in range(found):
        p = runs[k, 2]
        if 2 * p > length:
            continue
        at = runs[k, 0] + least_rotation(text[runs[k, 0] : runs[k, 0] + p])
        known = table[class_at(s, text[at : at + p], table, begin, period)]
        if known < 0:
            continue
        runs[kept] = runs[k]
        classes[kept] = known
        first[kept] = at
        kept += 1
    return text, runs[:kept], classes[:kept], first[:kept]


@numba.njit(nogil=True, cache=True)
def parse(  # noqa: PLR0913
    n: int, begin: int, runs: Ints, classes: Ints, first: Ints, slot: Ints, cost: Ints
) -> tuple[Ints, Ints, Ints]:
    """Find the shortest way to write n symbols, from an index of the text on.

    Returns
    -------
    at, back, run : int64, shape (n + 1,)
        What the first j symbols cost, where the last item of them begins, and
        the run that it is a loop of, -1 for a symbol.
    """
    at = np.zeros(n + 1, np.int64)
    back = np.zeros(n + 1, np.int64)
    run = np.full(n + 1, -1, np.int64)
    head = np.full(n + 1, -1, np.int64)
    follows = np.full(len(runs), -1, np.int64)
    room = np.zeros(len(runs) + 1, np.int64)
    for k in range(len(runs)):
        low = max(runs[k, 0] - begin, 0)
        high = min(runs[k, 1] - begin, n)
        room[k + 1] = room[k]
        if high - low >= 2 * runs[k, 2]:
            room[k + 1] += runs[k, 2]
            follows[k] = head[low + 2 * runs[k, 2]]
            head[low + 2 * runs[k, 2]] = k
    best = np.full(room[-1], NEVER, np.int64)
    start = np.zeros(room[-1], np.int64)
    active = np.empty((len(runs), 4), np.int64)  # run, phase, rotation, end
    many = 0
    for j in range(1, n + 1):
        at[j] = at[j - 1] + LEAF
        back[j] = j - 1
        k = head[j]
        while k >= 0:
            active[many, 0] = k
            active[many, 1] = 0
            active[many, 2] = (j - 2 * runs[k, 2] + begin - first[k]) % runs[k, 2]
            active[many, 3] = min(runs[k, 1] - begin, n)
            many += 1
            k = follows[k]
        a = 0
        while a < many:
            k = active[a, 0]
            if j > active[a, 3]:
                many -= 1
                active[a] = active[many]
                continue
            p = runs[k, 2]
            place = room[k] + active[a, 1]
            body = cost[slot[classes[k]] + active[a, 2]]
            if body < NEVER:
                i = j - 2 * p
                if at[i] + body + 1 < best[place]:
                    best[place] = at[i] + body + 1
                    start[place] = i
                if best[place] < at[j]:
                    at[j] = best[place]
                    back[j] = start[place]
                    run[j] = k
            active[a, 1] = active[a, 1] + 1 if active[a, 1] + 1 < p else 0
            active[a, 2] = active[a, 2] + 1 if active[a, 2] + 1 < p else 0
            a += 1
    return at, back, run


def path(  # noqa: PLR0913
    n: int, begin: int, runs: Ints, classes: Ints, first: Ints, slot: Ints, cost: Ints
) -> Path:
    """Find the items of the shortest way to write n symbols from an index on."""
    _, back, run = parse(n, begin, runs, classes, first, slot, cost)
    ends = _ends(back)
    which = run[ends]
    loop = which >= 0
    period = np.where(loop, runs[which, 2], 1) if len(runs) else np.ones_like(ends)
    at = back[ends] + begin
    root = np.where(loop, classes[which], -1) if len(runs) else np.full_like(ends, -1)
    phase = (at - first[which]) % period if len(runs) else np.zeros_like(ends)
    return Path(at, (ends - back[ends]) // period, root, np.where(loop, phase, -1))


@numba.njit(nogil=True, cache=True)
def _ends(back: Ints) -> Ints:
    ends = np.empty(len(back), np.int64)
    found, j = 0, len(back) - 1
    while j > 0:
        ends[found] = j
        found += 1
        j = back[j]
    return ends[:found][::-1].copy()
