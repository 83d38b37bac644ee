"""Choose whose calls the logical trace holds, merged to the shortest program.

Calls can also be told apart by the functions that they are in: by all around them, or
by ever fewer of the outermost.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import numpy as np

from topoview.grouping import factorize
from topoview.logical.calls.call_table import CallTable
from topoview.logical.functions.call_paths import MAX_PARAMETERS_TRIED
from topoview.logical.loops.compression import compress
from topoview.logical.merge.clusters import codes_by_cluster, reorder, shortest_loops
from topoview.logical.merge.groups import (
    MAX_ROWS_SIZES_TRIED,
    RankGroups,
    groups_by_code,
    groups_by_size,
)
from topoview.logical.merge.maximal_process import compare_with_maximal
from topoview.logical.merge.sequences import (
    MAX_CALLS_MERGED_OTHERWISE,
    POLICIES,
    MergedSequence,
    fold,
    merge_from_end,
    other_folds,
    project,
)
from topoview.logical.stages import MERGING
from topoview.model import Ints, distinct
from topoview.progress import Report, silent

OUTERMOST_LEVELS = 3
"""Outermost functions by which calls are told apart where all of them tell too much."""


def function_numbers(rows: CallTable) -> Iterator[Ints]:
    """Give each row a number for where it is called, ever more coarsely."""
    if not len(rows.path):
        return
    used = factorize(rows.path)[0]
    paths = rows.paths
    yield rows.path
    if paths.parameters is not None:
        for left_out in range(
            1, min(len(paths.parameters.names), MAX_PARAMETERS_TRIED)
        ):
            yield paths.without(left_out)[rows.path]
    plain = paths.without(MAX_PARAMETERS_TRIED)
    if paths.parameters is not None:
        yield plain[rows.path]
    yield paths.functions()[rows.path] + 1
    for levels in range(
        min(int(paths.level[used].max()), OUTERMOST_LEVELS + 1) - 1, 0, -1
    ):
        yield plain[paths.cut(rows.path, levels)]


TORN_RATIO = 1.25
"""How much longer than one group's program a merge is that tears groups apart."""

MAX_MERGES_REORDERED = 6
"""Merges, the shortest ones, in which calls change places."""

MAX_LINES_REORDERED = 2_000
"""Lines of the longest program in which calls change places."""

MIN_LINES_TRIED_OTHERWISE = 16
"""Lines of the shortest program that is also tried without sizes."""

MIN_RATIO_WITHOUT_SIZES = 4
"""How many times shorter it must be without sizes."""

ChosenMerge = tuple[tuple[RankGroups, MergedSequence], int]
"""Groups and their merge, and the lines of its loops; 0 if it is the only one."""

MergeRule = Callable[
    [CallTable, Sequence[RankGroups], Report], tuple[RankGroups, MergedSequence]
]


def all_ranks(
    rows: CallTable, ways: Sequence[RankGroups], report: Report
) -> tuple[RankGroups, MergedSequence]:
    """Hold all ranks' calls: the merge whose loops are the shortest.

    Parameters
    ----------
    ways
        The groups of ranks, with one or more encodings.
    """
    best, least = _shortest(rows, ways, report)
    for other in (_sizes_apart, _clusters_apart, _without_sizes, _paths_apart):
        found = other(rows, best[0], least, report)
        if found is not None:
            best, least = found
    return best


def functions_apart(
    rows: CallTable, ways: Sequence[RankGroups], report: Report
) -> tuple[RankGroups, MergedSequence]:
    """Hold all ranks' calls, equal ones of different call paths as different ones."""
    functions = rows.paths.without(MAX_PARAMETERS_TRIED)[rows.path]
    told = [groups_by_code(rows, _with_function(groups, functions)) for groups in ways]
    best, least = _shortest(rows, told, report)
    apart = _clusters_apart(rows, best[0], least, report)
    return best if apart is None else apart[0]


def maximal_process(
    rows: CallTable, ways: Sequence[RankGroups], report: Report
) -> tuple[RankGroups, MergedSequence]:
    """Hold one rank's calls, and what others have of them in the same order."""
    return ways[0], compare_with_maximal(rows, ways[0], report).merged


RULES: dict[str, MergeRule] = {
    "all": all_ranks,
    "functions": functions_apart,
    "maximal": maximal_process,
}
"""What a logical trace can hold: all ranks' calls, or the maximal process's."""


def _shortest(
    rows: CallTable, ways: Sequence[RankGroups], report: Report
) -> ChosenMerge:
    best: tuple[RankGroups, MergedSequence] | None = None
    least = 0
    for groups in ways:
        flat, offsets = groups.sequences(rows)
        report(MERGING, 0.0)
        merges = list(_merges(flat, offsets, report))
        if len(merges) == len(ways) == 1 and len(flat) > MAX_CALLS_MERGED_OTHERWISE:
            return (groups, merges[0]), 0
        merged, length = _best_of(merges, offsets, report)
        if best is None or length < least:
            best, least = (groups, merged), length
    assert best is not None
    return best, least


def _best_of(
    merges: Iterable[MergedSequence], offsets: Ints, report: Report
) -> tuple[MergedSequence, int]:
    """Find the merge whose loops are the shortest, and their lines.

    Where a call stands in several places although nothing but the order may demand
    it, others are tried.
    """
    tried = [(_merge_lines(merged, offsets, report), merged) for merged in merges]
    least, best = min(tried, key=lambda one: one[0])
    distinct = shortest_loops(best, offsets, report)[0].max(initial=-1) + 1
    if len(offsets) < 3 or least <= distinct or least > MAX_LINES_REORDERED:
        return best, least
    for length, merged in sorted(tried, key=lambda one: one[0])[:MAX_MERGES_REORDERED]:
        if length <= MAX_LINES_REORDERED:
            other = reorder(merged, offsets, least, report)
            if other is not merged:
                best, least = other, _merge_lines(other, offsets, report)
        if least <= distinct:
            break
    return best, least


def _merges(flat: Ints, offsets: Ints, report: Report) -> Iterator[MergedSequence]:
    """Merge in several ways, equal results once."""
    first = project(flat, offsets)
    known: list[Ints] = []
    forced = first is None or first.forced > 0
    if first is not None:
        known.append(first.symbol)
        yield first
    if (
        len(offsets) > 2
        and first is not None
        and len(flat) <= MAX_CALLS_MERGED_OTHERWISE
    ):
        for policy in POLICIES:
            for turned in (False, True):
                report(MERGING, 0.5)
                merge = partial(project, policy=policy)
                if turned:
                    merge = partial(merge_from_end, merge=merge)
                other = merge(flat, offsets)
                if other and not any(np.array_equal(other.symbol, k) for k in known):
                    known.append(other.symbol)
                    yield other
    if forced:
        folded = fold(flat, offsets, report)
        if folded is not None:
            yield folded
            yield from other_folds(flat, offsets, folded, report)
        elif first is None:  # group after group, as they are
            yield MergedSequence(flat, np.arange(len(flat)), 0)


def lines_of(rows: CallTable, groups: RankGroups, merged: MergedSequence) -> int:
    """Count the lines of the loops of what was chosen."""
    return _merge_lines(merged, groups.sequences(rows)[1])


def lines_if_torn(
    rows: CallTable, groups: RankGroups, merged: MergedSequence, times: float
) -> int:
    """Count the lines of what was chosen if groups have little in common, else 0.

    Then it is so many times as long as the program of the longest group.
    """
    flat, offsets = groups.sequences(rows)
    if len(flat) > MAX_CALLS_MERGED_OTHERWISE or len(groups) < 2:
        return 0
    tokens, written = compress(factorize(flat[: offsets[1]])[1])
    length = _merge_lines(merged, offsets)
    return length if length >= times * tokens.leaves(written) else 0


def _merge_lines(merged: MergedSequence, offsets: Ints, report: Report = silent) -> int:
    """Count the lines of a merge's loops."""
    _, tokens, written = shortest_loops(merged, offsets, report)
    return tokens.leaves(written)


def _sizes_apart(
    rows: CallTable, groups: RankGroups, least: int, report: Report
) -> ChosenMerge | None:
    """Tell all sizes apart where groups disagree, if that makes no further groups."""
    flat, offsets = groups.sequences(rows)
    if len(rows.symbol) <= MAX_ROWS_SIZES_TRIED or len(groups) < 2:
        return None  # it was tried already
    tokens, written = compress(factorize(flat[: offsets[1]])[1], report)
    if least <= TORN_RATIO * tokens.leaves(written) + 1:
        return None
    exact = groups_by_size(rows)
    if len(exact) > len(groups) or exact.code.max() <= groups.code.max():
        return None
    flat, offsets = exact.sequences(rows)
    merged, length = _best_of(_merges(flat, offsets, report), offsets, report)
    return ((exact, merged), length) if length < least else None


def _clusters_apart(
    rows: CallTable, groups: RankGroups, least: int, report: Report
) -> ChosenMerge | None:
    """Merge groups that do the same calls in other orders apart, if it is shorter.

    It can be only where the merged program is longer than that of the longest group.
    """
    flat, offsets = groups.sequences(rows)
    if len(flat) > MAX_CALLS_MERGED_OTHERWISE or len(groups) < 2:
        return None
    tokens, written = compress(factorize(flat[: offsets[1]])[1])
    if least <= TORN_RATIO * tokens.leaves(written) + 1:
        return None
    shared = np.zeros(int(groups.code.max(initial=-1)) + 1, bool)
    symbols = rows.symbols
    together = (symbols.family >= 0) & (symbols.to < 0) & (symbols.source < 0)
    shared[groups.code] = together[rows.symbol]
    told = codes_by_cluster(flat, offsets, shared, report)
    if told is None:
        return None
    merged, length = _best_of(_merges(told, offsets, report), offsets, report)
    return ((groups, merged), length) if length < least else None


def _paths_apart(
    rows: CallTable, groups: RankGroups, least: int, report: Report
) -> ChosenMerge | None:
    """Tell calls of different call paths apart, if it is no longer.

    Where it is, calls are told apart by their innermost functions, or by so many of
    the outermost ones as may be.
    """
    if not least:
        return None
    known = [groups.code]
    best: ChosenMerge | None = None
    for function in function_numbers(rows):
        report(MERGING, 0.0)
        code = _with_function(groups, function)
        if any(code.max() == other.max() for other in known):
            continue  # finer ones have more codes
        known.append(code)
        report(MERGING, 0.0)
        told = groups_by_code(rows, code)
        if len(told) > len(groups):
            continue
        flat, offsets = told.sequences(rows)
        merged, length = _best_of(_merges(flat, offsets, report), offsets, report)
        if length <= (least if best is None else best[1] - 1):
            best = (told, merged), length
    return best


def _sweeps(rows: CallTable) -> bool:
    """Whether the sizes of each rank's equal calls only grow, or only shrink."""
    cell = rows.rank * len(rows.symbols) + rows.symbol
    order = np.argsort(cell, kind="stable")
    same = np.diff(cell[order]) == 0
    for size in (rows.size, rows.source_size):
        step = np.where(same, np.diff(size[order]), 0)
        grows = distinct(cell[order][1:][step > 0])
        if np.isin(cell[order][1:][step < 0], grows).any():
            return False
    return True


def _with_function(groups: RankGroups, function: Ints) -> Ints:
    told = factorize(function)[1]
    code = groups.code * (int(told.max(initial=0)) + 1) + told
    return factorize(code)[1]


def _without_sizes(
    rows: CallTable, groups: RankGroups, least: int, report: Report
) -> ChosenMerge | None:
    """Merge without telling sizes apart, where that is far shorter.

    A test that sends ever larger messages is one loop then. Sizes that go up and down
    belong to a program's phases, which stay apart.
    """
    if (
        least < MIN_LINES_TRIED_OTHERWISE
        or len(groups.code) > MAX_CALLS_MERGED_OTHERWISE
        or not _sweeps(rows)
    ):
        return None
    plain = groups_by_code(rows, rows.symbol)
    flat, offsets = plain.sequences(rows)
    merged, length = _best_of(_merges(flat, offsets, report), offsets, report)
    return (
        ((plain, merged), length) if MIN_RATIO_WITHOUT_SIZES * length <= least else None
    )
