"""Merge groups of ranks apart whose programs have little in common.

Even and odd ranks that do the same calls in other orders (a red-black exchange, a
chain of blocking calls) are two programs. Merged as one, their calls would be torn
apart; so their point-to-point calls are told apart, while what all ranks do together,
collective operations, stays one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from topoview.grouping import factorize
from topoview.logical.arrays import run_offsets
from topoview.logical.loops.compression import LoopSequence, LoopTokens, compress
from topoview.logical.merge.rerolling import reroll
from topoview.logical.merge.sequences import MergedSequence, group_sets, project
from topoview.logical.stages import MERGING
from topoview.model import Bools, Ints
from topoview.progress import Report, silent

MAX_GROUPS_CLUSTERED = 24
"""Groups that are put into clusters at most."""

MAX_CALLS_MERGED = 500_000
"""Calls that may be merged to find the clusters."""


def codes_by_cluster(
    flat: Ints, offsets: Ints, shared: Bools, report: Report
) -> Ints | None:
    """Give calls of ranks that are better merged apart codes of their own.

    Group after group joins the cluster whose program grows least by it, or begins
    one of its own.

    Parameters
    ----------
    flat, offsets
        The groups' sequences: int64, codes from 0.
    shared : bool, shape (codes,)
        Codes of calls that all ranks make together.

    Returns
    -------
    int64, shape (entries,), or None
        New codes; None if there is one cluster, or if finding them would take too
        long.
    """
    groups = len(offsets) - 1
    if not 1 < groups <= MAX_GROUPS_CLUSTERED:
        return None
    finder = _ClusterFinder(flat, offsets, shared)
    clusters: list[tuple[list[int], int]] = []
    for group in range(groups):
        report(MERGING, group / groups)
        options = [(finder.length([group]), len(clusters))]
        for place, (members, length) in enumerate(clusters):
            options.append((finder.length([*members, group]) - length, place))
        if finder.work > MAX_CALLS_MERGED:
            return None
        grown, place = min(options)
        if place == len(clusters):
            clusters.append(([group], grown))
        else:
            members, length = clusters[place]
            clusters[place] = ([*members, group], length + grown)
    if len(clusters) < 2:
        return None
    of = np.zeros(groups, np.int64)
    for place, (members, _) in enumerate(clusters):
        of[members] = place
    cluster = np.where(shared[flat], 0, np.repeat(of, np.diff(offsets)))
    return factorize(flat * len(clusters) + cluster)[1]


@dataclass(slots=True)
class _ClusterFinder:
    flat: Ints
    offsets: Ints
    shared: Bools
    work: int = 0
    known: dict[tuple[int, ...], int] = field(default_factory=dict)

    def length(self, members: Sequence[int]) -> int:
        """Count the calls of the program of some groups, shared ones not."""
        key = tuple(members)
        if key not in self.known:
            parts = [self.flat[self.offsets[g] : self.offsets[g + 1]] for g in members]
            flat = np.concatenate(parts)
            offsets = run_offsets(np.array([len(part) for part in parts]))
            self.work += len(flat)
            merged = project(flat, offsets)
            never = len(self.flat)
            self.known[key] = never if merged is None else self._own(merged, offsets)
        return self.known[key]

    def _own(self, merged: MergedSequence, offsets: Ints) -> int:
        code, tokens, written = shortest_loops(merged, offsets)
        first = np.zeros(tokens.symbols, bool)
        first[code] = ~self.shared[merged.symbol]
        return _leaves(tokens, written, first)


def shortest_loops(
    merged: MergedSequence, offsets: Ints, report: Report = silent
) -> tuple[Ints, LoopTokens, LoopSequence]:
    """Write a merge as loops: the codes of its positions, and their tokens."""
    code, _ = _group_codes(merged, offsets)
    return code, *compress(code, report)


def reorder(
    merged: MergedSequence, offsets: Ints, least: int, report: Report
) -> MergedSequence:
    """Put calls that do not depend on each other into the order of shorter loops.

    Parameters
    ----------
    least
        Lines of the loops that must become fewer: else the merge stays as it is.
    """
    code, sets = _group_codes(merged, offsets)
    return reroll(merged, code, sets, least, report)


def _group_codes(merged: MergedSequence, offsets: Ints) -> tuple[Ints, list[Ints]]:
    """Give a number to what stands where and for whom; tell each number's groups."""
    every = np.ones(len(merged.position), bool)
    which, sets = group_sets(merged.position, offsets, every, len(merged.symbol))
    known, code = factorize(merged.symbol * (len(sets) + 1) + which)
    return code, [sets[some] for some in (known % (len(sets) + 1)).tolist()]


def _leaves(tokens: LoopTokens, written: LoopSequence, counts: Bools) -> int:
    found = 0
    for token in written:
        if token < tokens.symbols:
            found += int(counts[token])
        else:
            found += _leaves(tokens, tokens.loops[token - tokens.symbols][1], counts)
    return found
