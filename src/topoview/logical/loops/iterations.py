"""Merge iterations that differ a little into one body with optional parts.

Iterations are told apart by a symbol that each of them has once, the anchor. Those
that differ are merged as sequences of differing ranks are: into the shortest sequence
found that holds all of them. This is how the authors of structure extraction tell
data conditions: by the share of the iterations.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from topoview.logical.loops import kernels
from topoview.logical.loops.alignment import align, limit_for
from topoview.model import Bools, Ints

MIN_ITERATIONS = 8
"""Iterations of the shortest loop that is told by an anchor."""

MAX_VARIANTS = 24
"""Different iterations that are merged at most."""


@dataclass(frozen=True, slots=True, eq=False)
class VaryingLoop:
    """A loop whose body varies."""

    begin: int
    end: int
    """`begin` and `end`: what of the row it covers."""
    at: Ints
    """int64, shape (elements, iterations): index in the row of each element of the
    body, -1 in iterations without it."""


@dataclass(frozen=True, slots=True, eq=False)
class LeastLines:
    """Lines that a row takes at least: each of its symbols needs one."""

    row: Ints
    before: Ints
    after: Ints
    """`before` and `after`: int64, shape (n + 1,): how many symbols there are before
    each index, and from there on."""
    most: float
    """Lines from which on a loop is not worth it."""

    @staticmethod
    def of(row: Ints, most: float) -> "LeastLines":
        """Count the symbols before and after each index."""
        before, after = np.zeros((2, len(row) + 1), np.int64)
        before[np.unique(row, return_index=True)[1] + 1] = 1
        after[np.unique(row[::-1], return_index=True)[1] + 1] = 1
        return LeastLines(row, np.cumsum(before), np.cumsum(after)[::-1], most)

    def outside(self, begin: int, end: int) -> int:
        """Count the lines that a loop leaves at least."""
        return 1 + int(self.before[begin] + self.after[end])


def find_iterations(lines: LeastLines, anchors: int) -> Iterator[VaryingLoop]:
    """Find loops of which a row could consist, by the most promising anchors.

    Parameters
    ----------
    lines
        Of a row of symbols.
    anchors
        How many are tried.
    """
    row = lines.row
    for anchor in _anchors(row)[:anchors]:
        begins = np.flatnonzero(row == anchor)
        ends = np.append(begins[1:], len(row))
        for low, high in _iteration_windows(begins, ends):
            merged = _merge_iterations(row, begins[low:high], ends[low:high])
            if merged is not None:
                yield from _loop_begins(lines, *merged)


def _anchors(row: Ints) -> list[int]:
    """Symbols that come often: of those equally often the first one."""
    distinct, first, counts = np.unique(row, return_index=True, return_counts=True)
    order = np.lexsort((first, -counts))
    chosen: dict[int, int] = {}
    for place in order.tolist():
        if counts[place] >= MIN_ITERATIONS:
            chosen.setdefault(int(counts[place]), int(distinct[place]))
    return list(chosen.values())


def _iteration_windows(begins: Ints, ends: Ints) -> list[tuple[int, int]]:
    """Stretches of iterations between such as are far longer than usual."""
    length = ends - begins
    odd = np.flatnonzero(length > 3 * np.median(length) + 2)
    if len(odd) > MAX_VARIANTS:
        return [(0, len(begins))]
    edges = [-1, *odd.tolist(), len(begins) - 1]
    return [
        (low + 1, high + 1)
        for low, high in pairwise(edges)
        if high - low >= MIN_ITERATIONS
    ]


def _merge_iterations(
    row: Ints, begins: Ints, ends: Ints
) -> tuple[int, int, Ints] | None:
    """Merge iterations: where they begin and end, and their elements.

    The last one goes as far as it is like the others.
    """
    parts = [
        row[a:b].tobytes() for a, b in zip(begins.tolist(), ends.tolist(), strict=True)
    ]
    counts = Counter(parts[:-1])
    if len(counts) > MAX_VARIANTS or 2 * len(counts) > len(parts):
        return None
    sequence = np.zeros(0, np.int64)
    for part, _ in counts.most_common():
        sequence = _merge_two(sequence, np.frombuffer(part, row.dtype).copy())
    rows = list(dict.fromkeys(parts))
    number = {part: index for index, part in enumerate(rows)}
    offset = np.full((len(sequence), len(rows)), -1, np.int64)
    for index, part in enumerate(rows):
        placed = kernels.elements_of_part(
            np.frombuffer(part, row.dtype).copy(), sequence
        )
        offset[placed, index] = np.arange(len(placed))
    chosen = offset[:, [number[part] for part in parts]]
    at = np.where(chosen >= 0, chosen + begins, -1)
    end = int(begins[-1]) + int(chosen[:, -1].max()) + 1
    return int(begins[0]), end, at[(at >= 0).any(axis=1)]


def _merge_two(a: Ints, b: Ints) -> Ints:
    """Join two sequences to one that holds both, by what they have in common."""
    if not len(a):
        return b
    partner = align(a, b, limit_for(len(a) + len(b)))
    aligned = np.flatnonzero(partner >= 0)
    is_fresh = np.ones(len(b), bool)
    is_fresh[partner[aligned]] = False
    fresh = np.flatnonzero(is_fresh)
    before = np.append(aligned, len(a))[np.searchsorted(partner[aligned], fresh)]
    return np.insert(a, before, b[fresh])


MAX_BODY_BEFORE = 200
"""Elements of a body that may come before the first anchor."""


def _loop_begins(
    lines: LeastLines, begin: int, end: int, at: Ints
) -> Iterator[VaryingLoop]:
    """Begin the loop as it is, and where more of what comes before it fits in."""
    row = lines.row
    yield VaryingLoop(begin, end, at)
    most = min(len(at), MAX_BODY_BEFORE) - 1
    # what comes before, backwards, as the end of an iteration, and what that costs
    before = np.ascontiguousarray(row[max(0, begin - most) : begin][::-1])
    body = np.ascontiguousarray(row[at.max(axis=1)][::-1][:most])
    placed = kernels.elements_of_part(before, body)
    counts = np.searchsorted(placed, np.arange(1, most + 1))
    gain = counts - np.cumsum(at[::-1, -1][:most] >= 0)
    best = np.maximum.accumulate(np.maximum(gain, 0))
    inside = at[:, :-1].max(axis=1)
    kept = len(np.unique(row[inside[inside >= 0]]))  # whatever the last iteration lacks
    for width in np.flatnonzero(np.diff(best, prepend=0)) + 1:
        cut, count = len(at) - width, int(counts[width - 1])
        last = at[cut:, -1]
        until = int(last[last >= 0].min(initial=end))
        if kept + lines.outside(begin - count, until) > lines.most:
            continue
        early = np.full((width, 1), -1, np.int64)
        early[width - 1 - placed[:count], 0] = begin - 1 - np.arange(count)
        moved = np.concatenate(
            (np.concatenate((early, at[cut:, :-1]), axis=1), at[:cut]), axis=0
        )
        yield VaryingLoop(begin - count, until, moved[(moved >= 0).any(axis=1)])


def runs_alike(present: Bools) -> list[tuple[int, int]]:
    """Stretches of elements that the same iterations have.

    Parameters
    ----------
    present : bool, shape (elements, iterations)
    """
    change = np.flatnonzero((present[1:] != present[:-1]).any(axis=1)) + 1
    edges = [0, *change.tolist(), len(present)]
    return list(pairwise(edges))
