"""The rule of the maximal process: one rank's calls stand for all."""

from dataclasses import dataclass

import numpy as np

from topoview.logical.calls.call_table import CallTable
from topoview.logical.loops.alignment import align, limit_for
from topoview.logical.merge.groups import RankGroups
from topoview.model import Bools, Ints, MaximalProcess, Trace
from topoview.progress import Report, silent

COMPARING_MAXIMAL = "comparing with the maximal process"


@dataclass(frozen=True, slots=True, eq=False)
class MaximalProjection:
    """All ranks held against the maximal process.

    Attributes
    ----------
    position : int64, shape (entries,)
        For each row of the groups the call of the maximal process that it is; -1 for
        rows that do not fit.
    rank
        The maximal process.
    exact : bool, shape (groups,)
        Groups that do just what is left of its calls where directions without a
        neighbour are dropped.
    """

    position: Ints
    rank: int
    exact: Bools


def compare_with_maximal(
    rows: CallTable, groups: RankGroups, report: Report
) -> MaximalProjection:
    """Hold the groups of ranks against the maximal process.

    It is the rank with most directions, then most calls, then the lowest number.
    """
    offsets = groups.offsets(rows)
    halves = _halves(rows)
    owned = _halves_of_groups(rows, halves, groups.first)
    rank = _maximal_rank(owned, offsets, groups)
    own = slice(rows.offsets[rank], rows.offsets[rank + 1])
    main = [half[own] for half in halves]
    waits = rows.symbols.awaited[rows.symbol[own]] >= 0
    limit = limit_for(int(offsets[-1]))
    position = np.full(int(offsets[-1]), -1, np.int64)
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
        entries = slice(offsets[index], offsets[index + 1])
        if np.array_equal(theirs, code):
            exact[index] = True
            position[entries] = kept
        else:
            partner = align(theirs, code, limit)
            position[entries] = np.append(kept, -1)[partner]
    return MaximalProjection(position, rank, exact)


def maximal_figures(
    trace: Trace,
    rows: CallTable,
    groups: RankGroups,
    placed: MaximalProjection,
    report: Report = silent,
) -> MaximalProcess:
    """Tell what the rule alone would leave out."""
    report(COMPARING_MAXIMAL, 0.0)
    held = groups.spread(rows, placed.position) >= 0
    size = np.where(rows.receiver >= 0, rows.size, 0)
    total, kept = int(size.sum()), int(size[held].sum())
    has = np.zeros(len(trace.calls), bool)
    has[rows.call[held]] = True
    has[rows.polled[:, 0]] = has[rows.polled[:, 1]]
    calls = int(has.sum())
    report(COMPARING_MAXIMAL, 1.0)
    return MaximalProcess(
        placed.rank,
        (rows.calls - calls) / rows.calls if rows.calls else 0.0,
        (total - kept) / total if total else 0.0,
        int(placed.exact[groups.of].sum()),
    )


def _halves(rows: CallTable) -> tuple[Ints, Ints]:
    """Half of each row, sent and received: ``2 * direction`` and one more."""
    symbols = rows.symbols
    waits = symbols.awaited >= 0
    found = []
    for side, (direction, partner) in enumerate(
        ((symbols.to, rows.receiver), (symbols.source, rows.sender))
    ):
        half = np.where(direction >= 0, 2 * direction + side, -1)
        has = waits[rows.symbol] | (partner >= 0)
        found.append(np.where(has, half[rows.symbol], -1))
    return found[0], found[1]


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
