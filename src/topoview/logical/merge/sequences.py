"""Merge the sequences of groups of ranks into one that all can be read from.

Either by projection (a symbol is written when all groups that still have it to come
stand at it), or by folding one sequence after the other into the longest, aligned as
in a diff. Every sequence comes back as ascending positions of the merged one.
"""

from dataclasses import dataclass

import numpy as np

from topoview.base.progress import Report
from topoview.logical.loops.alignment import align, limit_for
from topoview.logical.loops.kernels import elements_of_part
from topoview.logical.merge import kernels
from topoview.logical.stages import MERGING
from topoview.model import Ints

MAX_FORCED_COMPARISONS = 20_000_000
"""Comparisons that may be spent on choosing symbols where groups disagree."""

MAX_SYMBOLS_FOLDED = 30_000_000
"""Symbols that folding may align, over all groups."""


@dataclass(frozen=True, slots=True, eq=False)
class MergedSequence:
    """One sequence for all groups."""

    position: Ints
    """int64, shape (entries,): position of each entry of the groups' sequences."""
    forced: int
    """Positions at which groups disagreed what comes first."""


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
    position, forced = kernels.project(
        flat, offsets, codes, stays, MAX_FORCED_COMPARISONS
    )
    return None if forced < 0 else MergedSequence(position, forced)


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
        positions = np.full(len(own), -1, np.int64)
        aligned = partner >= 0
        chosen = partner[aligned]
        if early:
            chosen = elements_of_part(own[here[aligned]], merged[there])
        positions[here[aligned]] = there[chosen]
        fresh = np.flatnonzero(positions < 0)
        after = np.maximum.accumulate(positions)[fresh]
        node = np.empty(len(own), np.int64)
        node[positions >= 0] = order[positions[positions >= 0]]
        node[fresh] = len(node_code) + np.arange(len(fresh))
        node_code = np.concatenate((node_code, own[fresh]))
        order = np.insert(order, after + 1, node[fresh])
        nodes.append(node)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return MergedSequence(place[np.concatenate(nodes)], 0)


def project_from_end(
    flat: Ints, offsets: Ints, *, stays: bool = False
) -> MergedSequence | None:
    """Merge by projection from the end: symbols that can wait come late, not early."""
    ends = np.repeat(offsets[1:] + offsets[:-1] - 1, np.diff(offsets))
    turn = ends - np.arange(len(flat))
    merged = project(np.ascontiguousarray(flat[turn]), offsets, stays=stays)
    if merged is None:
        return None
    last = merged.position.max(initial=0)
    return MergedSequence(last - merged.position[turn], merged.forced)
