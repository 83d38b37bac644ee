"""Whose calls a logical trace holds, merged the way that gives the shortest program."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from topoview.logical.arrays import number
from topoview.logical.groups import Groups
from topoview.logical.loops import compress
from topoview.logical.maximal import hold_against
from topoview.logical.merging import POLICIES, Merged, fold, group_sets, project
from topoview.logical.records import Records
from topoview.model import Ints
from topoview.progress import Report

SHORT = 200_000
"""Calls of all groups that are so few that several ways to merge them are tried."""

Rule = Callable[[Records, Sequence[Groups], Report], tuple[Groups, Merged]]


def all_ranks(
    rows: Records, ways: Sequence[Groups], report: Report
) -> tuple[Groups, Merged]:
    """Hold all ranks' calls: the merge whose loops are the shortest.

    Parameters
    ----------
    ways
        The groups of ranks, with one or more encodings.
    """
    best: tuple[Groups, Merged] | None = None
    least = 0
    for groups in ways:
        flat, offsets = groups.sequences(rows)
        report("merging groups of ranks", 0.0)
        merges = list(_merges(flat, offsets, report))
        if len(merges) == len(ways) == 1:
            return groups, merges[0]
        for merged in merges:
            length = _length(merged, offsets, report)
            if best is None or length < least:
                best, least = (groups, merged), length
    assert best is not None
    return best


def maximal_process(
    rows: Records, ways: Sequence[Groups], report: Report
) -> tuple[Groups, Merged]:
    """Hold one rank's calls, and what others have of them in the same order."""
    return ways[0], hold_against(rows, ways[0], report).merged


RULES: dict[str, Rule] = {"all": all_ranks, "maximal": maximal_process}
"""What a logical trace can hold: all ranks' calls, or the maximal process's."""


def _merges(flat: Ints, offsets: Ints, report: Report) -> Iterator[Merged]:
    """Merge in several ways, equal results once."""
    first = project(flat, offsets)
    known: list[Ints] = []
    forced = first is None or first.forced > 0
    if first is not None:
        known.append(first.symbol)
        yield first
    if len(offsets) > 2 and first is not None and len(flat) <= SHORT:
        for policy in POLICIES:
            for turned in (False, True):
                report("merging groups of ranks", 0.5)
                other = (
                    _turned(flat, offsets, policy)
                    if turned
                    else project(flat, offsets, policy)
                )
                if other and not any(np.array_equal(other.symbol, k) for k in known):
                    known.append(other.symbol)
                    yield other
    if forced:
        folded = fold(flat, offsets, report)
        if folded is not None:
            yield folded
        elif first is None:  # group after group, as they are
            yield Merged(flat, np.arange(len(flat)), 0)


def _turned(flat: Ints, offsets: Ints, policy: int) -> Merged | None:
    """Merge from the end: symbols that can wait come late, not early."""
    ends = np.repeat(offsets[1:] + offsets[:-1] - 1, np.diff(offsets))
    turn = ends - np.arange(len(flat))
    merged = project(np.ascontiguousarray(flat[turn]), offsets, policy)
    if merged is None:
        return None
    last = len(merged.symbol) - 1
    return Merged(
        np.ascontiguousarray(merged.symbol[::-1]),
        np.ascontiguousarray(last - merged.position[turn]),
        merged.forced,
    )


def _length(merged: Merged, offsets: Ints, report: Report) -> int:
    """Count the lines of a merge's loops."""
    every = np.ones(len(merged.position), bool)
    which, sets = group_sets(merged.position, offsets, every, len(merged.symbol))
    code = number(merged.symbol * (len(sets) + 1) + which)[1]
    tokens, written = compress(code, report)
    return tokens.leaves(written)
