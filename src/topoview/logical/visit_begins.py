"""Where visits of functions begin in merged calls: each may be a turn of a loop."""

from collections.abc import Iterator

import numpy as np

from topoview.logical.arrays import repeated, stretch
from topoview.logical.merging import Merged
from topoview.logical.records import Records
from topoview.model import Ints

FEWEST = 3
"""Visits that may be turns of a loop."""

FUNCTIONS = 16
"""Functions that are tried, the outermost ones."""

LEVELS = 8
"""Outermost levels of which functions are tried."""


def visit_begins(
    rows: Records, entry_row: Ints, offsets: Ints, merged: Merged
) -> tuple[Ints, ...]:
    """Find functions that all groups visit at once, each visit right after the other.

    Parameters
    ----------
    entry_row : int64, shape (entries,)
        Row of each entry of the groups' sequences.
    offsets : int64, shape (groups + 1,)
        Entries of each group.

    Returns
    -------
    tuple of int64, shape (visits,)
        For each such function the positions at which its visits begin, ascending.
    """
    paths = rows.paths
    if len(paths.level) < 2 or (merged.position < 0).any():
        return ()
    path = rows.path[entry_row]
    kept = rows.kept[entry_row].astype(np.int64)
    group = repeated(np.arange(len(offsets) - 1), np.diff(offsets))
    found: list[Ints] = []
    for level in range(1, min(int(paths.level[path].max(initial=0)), LEVELS) + 1):
        own = np.where(paths.level[path] >= level, paths.cut(path, level), -1)
        anew = (own >= 0) & (kept < level)
        often = np.bincount(own[anew], minlength=len(paths.level))
        for function in np.flatnonzero(often >= FEWEST).tolist():
            if len(found) == FUNCTIONS:
                return tuple(found)
            some = own == function
            found += _at_once(group[some], anew[some], merged.position[some])
    return tuple(found)


def _at_once(group: Ints, anew: Ints, position: Ints) -> Iterator[Ints]:
    """Give the begins of visits, if all groups are in the same one at any time.

    And nothing is called between them: else what is around the function is the loop,
    and visits of it may be in several places of the program.
    """
    before = np.cumsum(anew)
    first = np.flatnonzero(np.diff(group, prepend=-1))
    many = np.diff(np.append(first, len(group)))
    visit = before - repeated(before[first], many)
    visits = int(visit.max(initial=-1)) + 1
    if visits < FEWEST or not anew[first].all():
        return
    begin = np.full(visits, np.iinfo(np.int64).max)
    last = np.full(visits, -1)
    stretch(begin, last, visit, position)
    whole = len(np.unique(position)) == last[-1] - begin[0] + 1
    if whole and (last[:-1] < begin[1:]).all():
        yield begin
