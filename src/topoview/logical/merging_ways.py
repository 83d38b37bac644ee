"""Further ways to merge: from the end, and with insertions elsewhere."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import numpy as np

from topoview.logical.merging import Merged, fold
from topoview.model import Ints
from topoview.progress import Report

SHORT: Final = 200_000
"""Calls of all groups that are so few that several ways to merge them are tried."""


def other_folds(
    flat: Ints, offsets: Ints, folded: Merged, report: Report
) -> Iterator[Merged]:
    """Fold so that what is inserted comes as late as can be, or as early.

    Of two groups: more of them differ because their partners have the wrong names.
    """
    if len(flat) > SHORT or len(offsets) > 3:
        return
    known = [folded.position]
    merge = partial(fold, report=report, early=True)
    for other in (merge(flat, offsets), turned_round(flat, offsets, merge)):
        if other and not any(np.array_equal(other.position, k) for k in known):
            known.append(other.position)
            yield other


def turned_round(
    flat: Ints, offsets: Ints, merge: Callable[[Ints, Ints], Merged | None]
) -> Merged | None:
    """Merge from the end: symbols that can wait come late, not early."""
    ends = np.repeat(offsets[1:] + offsets[:-1] - 1, np.diff(offsets))
    turn = ends - np.arange(len(flat))
    merged = merge(np.ascontiguousarray(flat[turn]), offsets)
    if merged is None:
        return None
    last = len(merged.symbol) - 1
    return Merged(
        np.ascontiguousarray(merged.symbol[::-1]),
        np.ascontiguousarray(last - merged.position[turn]),
        merged.forced,
    )
