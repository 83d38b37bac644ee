"""The rule of the maximal process: one rank's calls stand for all."""

from dataclasses import dataclass

import numpy as np

from topoview.base.progress import Report
from topoview.grouping import Hashes
from topoview.logical.calls.call_table import CallTable
from topoview.logical.kernels import mix_bits
from topoview.logical.loops.alignment import align, limit_for
from topoview.logical.merge.groups import RankGroups
from topoview.logical.merge.lists import sums_of
from topoview.model import Bools, Ints

COMPARING_MAXIMAL = "comparing with the maximal process"


@dataclass(frozen=True, slots=True, eq=False)
class MaximalProjection:
    """All ranks held against the maximal process."""

    fits: Bools
    """bool, shape (entries,): for each row of the groups whether the maximal process
    makes that call, too."""
    rank: int
    """The maximal process."""
    exact: Bools
    """bool, shape (groups,): groups that do just what is left of its calls where
    directions without a neighbour are dropped."""


def compare_with_maximal(
    rows: CallTable, groups: RankGroups, segment: Ints, report: Report
) -> MaximalProjection:
    """Hold the groups of ranks against the maximal process.

    It is the rank with most directions, then most calls, then the lowest number.

    Parameters
    ----------
    segment : int64, shape (rows,)
        How many collectives of all ranks come before each row: what lies between two is
        compared with what the maximal process does there, equal stretches once.
    """
    offsets = groups.offsets(rows)
    halves = _halves(rows)
    owned = _halves_of_groups(rows, halves, groups.first)
    rank = _maximal_rank(owned, offsets, groups)
    own = slice(rows.offsets[rank], rows.offsets[rank + 1])
    main = [half[own] for half in halves]
    waits = rows.symbols.awaited[rows.symbol[own]] >= 0
    fits = np.ones(int(offsets[-1]), bool)
    exact = np.zeros(len(groups), bool)
    for index, first in enumerate(groups.first.tolist()):
        report(COMPARING_MAXIMAL, index / len(groups))
        has = [owned[index, half] & (half >= 0) for half in main]
        kept = np.flatnonzero(has[0] | has[1] | ((main[0] < 0) & (main[1] < 0)))
        code = 4 * rows.symbol[own][kept] + np.where(
            waits[kept], 0, 2 * has[0][kept] + has[1][kept]
        )
        its = slice(rows.offsets[first], rows.offsets[first + 1])
        theirs = 4 * rows.symbol[its] + 2 * (rows.receiver[its] >= 0)
        theirs += rows.sender[its] >= 0
        exact[index] = np.array_equal(theirs, code)
        if not exact[index]:
            fits[offsets[index] : offsets[index + 1]] = _made_too(
                (theirs, segment[its]), (code, segment[own][kept])
            )
    return MaximalProjection(fits, rank, exact)


def _made_too(calls: tuple[Ints, Ints], of_maximal: tuple[Ints, Ints]) -> Bools:
    """Return which calls the maximal process makes as well, in the order of both.

    Parameters
    ----------
    calls, of_maximal
        Codes of calls and their segments.
    """
    segments = 1 + max(int(own.max(initial=-1)) for _, own in (calls, of_maximal))
    (theirs, begin, key), (ours, our_begin, our_key) = (
        (code, *_stretches(code, of, segments)) for code, of in (calls, of_maximal)
    )
    limit = limit_for(len(theirs))
    fits = np.ones(len(theirs), bool)
    cache: dict[tuple[int, int], Bools] = {}
    for at in np.flatnonzero(key != our_key).tolist():
        pair = int(key[at]), int(our_key[at])
        low, high = int(begin[at]), int(begin[at + 1])
        if pair not in cache:
            same = ours[our_begin[at] : our_begin[at + 1]]
            cache[pair] = align(theirs[low:high], same, limit) >= 0
        fits[low:high] = cache[pair]
    return fits


def _stretches(code: Ints, segment: Ints, segments: int) -> tuple[Ints, Hashes]:
    """Where each segment begins, and a number that is equal where calls are."""
    begin = np.searchsorted(segment, np.arange(segments + 1))
    return begin, sums_of(begin[:-1], mix_bits(code.astype(np.uint64)))


def _halves(rows: CallTable) -> tuple[Ints, Ints]:
    """Half of each row, sent and received: ``2 * direction`` and one more."""
    symbols = rows.symbols
    waits = symbols.awaited >= 0
    halves = []
    for side, (direction, partner) in enumerate(
        ((symbols.to, rows.receiver), (symbols.source, rows.sender))
    ):
        half = np.where(direction >= 0, 2 * direction + side, -1)
        has = waits[rows.symbol] | (partner >= 0)
        halves.append(np.where(has, half[rows.symbol], -1))
    return halves[0], halves[1]


def _halves_of_groups(rows: CallTable, halves: tuple[Ints, Ints], first: Ints) -> Bools:
    """Whether each group has each half; a last column, for none, is False."""
    owned = np.zeros((len(first), 2 * len(rows.names) + 1), bool)
    for index, rank in enumerate(first.tolist()):
        own = slice(rows.offsets[rank], rows.offsets[rank + 1])
        for half in halves:
            owned[index, half[own]] = True
    owned[:, -1] = False
    return owned


def _maximal_rank(owned: Bools, offsets: Ints, groups: RankGroups) -> int:
    width = owned.shape[1] // 2
    directions = owned[:, :-1].reshape(len(owned), width, 2).any(axis=2).sum(axis=1)
    best = np.lexsort((groups.first, -np.diff(offsets), -directions))[0]
    return int(groups.first[best])
