"""Whose calls a logical trace holds, merged the way that gives the shortest program."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import numpy as np

from topoview.logical.call_paths import MOST
from topoview.logical.clusters import in_order, shortest, told_apart
from topoview.logical.functions import functions_of
from topoview.logical.groups import TRIED, Groups, groups_by_code, groups_by_size
from topoview.logical.loops.compress import compress
from topoview.logical.maximal import hold_against
from topoview.logical.merging import POLICIES, Merged, fold, project
from topoview.logical.merging_ways import SHORT, other_folds, turned_round
from topoview.logical.numbering import number
from topoview.logical.records import Records
from topoview.logical.stages import MERGING
from topoview.model import Ints, distinct
from topoview.progress import Report, silent

TORN = 1.25
"""How much longer than one group's program a merge is that tears groups apart."""

SEVERAL = 6
"""Merges, the shortest ones, in which calls change places."""

ROLLED = 2_000
"""Lines of the longest program in which calls change places."""

LONG = 16
"""Lines of the shortest program that is also tried without sizes."""

FAR = 4
"""How many times shorter it must be without sizes."""

Chosen = tuple[tuple[Groups, Merged], int]
"""Groups and their merge, and the lines of its loops; 0 if it is the only one."""

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
    best, least = _shortest(rows, ways, report)
    for other in (_by_size, _apart, _without_sizes, _by_path):
        found = other(rows, best[0], least, report)
        if found is not None:
            best, least = found
    return best


def functions_apart(
    rows: Records, ways: Sequence[Groups], report: Report
) -> tuple[Groups, Merged]:
    """Hold all ranks' calls, equal ones of different call paths as different ones."""
    functions = rows.paths.without(MOST)[rows.path]
    told = [
        groups_by_code(rows, _with_function(groups, functions, report), report)
        for groups in ways
    ]
    best, least = _shortest(rows, told, report)
    apart = _apart(rows, best[0], least, report)
    return best if apart is None else apart[0]


def maximal_process(
    rows: Records, ways: Sequence[Groups], report: Report
) -> tuple[Groups, Merged]:
    """Hold one rank's calls, and what others have of them in the same order."""
    return ways[0], hold_against(rows, ways[0], report).merged


RULES: dict[str, Rule] = {
    "all": all_ranks,
    "functions": functions_apart,
    "maximal": maximal_process,
}
"""What a logical trace can hold: all ranks' calls, or the maximal process's."""


def _shortest(rows: Records, ways: Sequence[Groups], report: Report) -> Chosen:
    best: tuple[Groups, Merged] | None = None
    least = 0
    for groups in ways:
        flat, offsets = groups.sequences(rows)
        report(MERGING, 0.0)
        merges = list(_merges(flat, offsets, report))
        if len(merges) == len(ways) == 1 and len(flat) > SHORT:
            return (groups, merges[0]), 0
        merged, length = _best_of(merges, offsets, report)
        if best is None or length < least:
            best, least = (groups, merged), length
    assert best is not None
    return best, least


def _best_of(
    merges: Iterable[Merged], offsets: Ints, report: Report
) -> tuple[Merged, int]:
    """Find the merge whose loops are the shortest, and their lines.

    Where a call stands in several places although nothing but the order may demand
    it, others are tried.
    """
    tried = [(_length(merged, offsets, report), merged) for merged in merges]
    least, best = min(tried, key=lambda one: one[0])
    distinct = shortest(best, offsets, report)[0].max(initial=-1) + 1
    if len(offsets) < 3 or least <= distinct or least > ROLLED:
        return best, least
    for length, merged in sorted(tried, key=lambda one: one[0])[:SEVERAL]:
        if length <= ROLLED:
            other = in_order(merged, offsets, least, report)
            if other is not merged:
                best, least = other, _length(other, offsets, report)
        if least <= distinct:
            break
    return best, least


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
                report(MERGING, 0.5)
                merge = partial(project, policy=policy)
                if turned:
                    merge = partial(turned_round, merge=merge)
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
            yield Merged(flat, np.arange(len(flat)), 0)


def length_of(rows: Records, groups: Groups, merged: Merged) -> int:
    """Count the lines of the loops of what was chosen."""
    return _length(merged, groups.sequences(rows)[1])


def length_if_torn(rows: Records, groups: Groups, merged: Merged, times: float) -> int:
    """Count the lines of what was chosen if groups have little in common, else 0.

    Then it is so many times as long as the program of the longest group.
    """
    flat, offsets = groups.sequences(rows)
    if len(flat) > SHORT or len(groups) < 2:
        return 0
    tokens, written = compress(number(flat[: offsets[1]])[1])
    length = _length(merged, offsets)
    return length if length >= times * tokens.leaves(written) else 0


def _length(merged: Merged, offsets: Ints, report: Report = silent) -> int:
    """Count the lines of a merge's loops."""
    _, tokens, written = shortest(merged, offsets, report)
    return tokens.leaves(written)


def _by_size(
    rows: Records, groups: Groups, least: int, report: Report
) -> Chosen | None:
    """Tell all sizes apart where groups disagree, if that makes no further groups."""
    flat, offsets = groups.sequences(rows)
    if len(rows.symbol) <= TRIED or len(groups) < 2:
        return None  # it was tried already
    tokens, written = compress(number(flat[: offsets[1]])[1], report)
    if least <= TORN * tokens.leaves(written) + 1:
        return None
    exact = groups_by_size(rows, report)
    if len(exact) > len(groups) or exact.code.max() <= groups.code.max():
        return None
    flat, offsets = exact.sequences(rows)
    merged, length = _best_of(_merges(flat, offsets, report), offsets, report)
    return ((exact, merged), length) if length < least else None


def _apart(rows: Records, groups: Groups, least: int, report: Report) -> Chosen | None:
    """Merge groups that do the same calls in other orders apart, if it is shorter.

    It can be only where the merged program is longer than that of the longest group.
    """
    flat, offsets = groups.sequences(rows)
    if len(flat) > SHORT or len(groups) < 2:
        return None
    tokens, written = compress(number(flat[: offsets[1]])[1])
    if least <= TORN * tokens.leaves(written) + 1:
        return None
    shared = np.zeros(int(groups.code.max(initial=-1)) + 1, bool)
    symbols = rows.symbols
    together = (symbols.family >= 0) & (symbols.to < 0) & (symbols.source < 0)
    shared[groups.code] = together[rows.symbol]
    told = told_apart(flat, offsets, shared, report)
    if told is None:
        return None
    merged, length = _best_of(_merges(told, offsets, report), offsets, report)
    return ((groups, merged), length) if length < least else None


def _by_path(
    rows: Records, groups: Groups, least: int, report: Report
) -> Chosen | None:
    """Tell calls of different call paths apart, if it is no longer.

    Where it is, calls are told apart by their innermost functions, or by so many of
    the outermost ones as may be.
    """
    if not least:
        return None
    known = [groups.code]
    best: Chosen | None = None
    for function in functions_of(rows, report):
        report(MERGING, 0.0)
        code = _with_function(groups, function, report)
        if any(code.max() == other.max() for other in known):
            continue  # finer ones have more codes
        known.append(code)
        report(MERGING, 0.0)
        told = groups_by_code(rows, code, report)
        if len(told) > len(groups):
            continue
        flat, offsets = told.sequences(rows)
        merged, length = _best_of(_merges(flat, offsets, report), offsets, report)
        if length <= (least if best is None else best[1] - 1):
            best = (told, merged), length
    return best


def _sweeps(rows: Records) -> bool:
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


def _with_function(groups: Groups, function: Ints, report: Report) -> Ints:
    told = number(function, report, MERGING)[1]
    code = groups.code * (int(told.max(initial=0)) + 1) + told
    return number(code, report, MERGING)[1]


def _without_sizes(
    rows: Records, groups: Groups, least: int, report: Report
) -> Chosen | None:
    """Merge without telling sizes apart, where that is far shorter.

    A test that sends ever larger messages is one loop then. Sizes that go up and down
    belong to a program's phases, which stay apart.
    """
    if least < LONG or len(groups.code) > SHORT or not _sweeps(rows):
        return None
    plain = groups_by_code(rows, rows.symbol, report)
    flat, offsets = plain.sequences(rows)
    merged, length = _best_of(_merges(flat, offsets, report), offsets, report)
    return ((plain, merged), length) if FAR * length <= least else None
