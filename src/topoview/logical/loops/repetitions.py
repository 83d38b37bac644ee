"""Repetitions in a sequence: its cycle, and its maximal runs by what they repeat.

A run is a stretch that repeats with its shortest period at least twice, and that
cannot be prolonged; a sequence of n symbols has fewer than n (Bannai et al., The
"runs" theorem, 2017). They are found by halving (Main and Lorentz, An O(n log n)
algorithm for finding all repetitions in a string, 1984). Runs whose periods are
rotations of each other are one class, known by the least rotation (a Lyndon word).
"""

from dataclasses import dataclass

import numpy as np

from topoview.base.progress import Report, silent
from topoview.grouping import run_offsets
from topoview.logical.loops import repetition_kernels
from topoview.model import Ints


def find_runs(sequence: Ints, report: Report = silent) -> Ints:
    """Find all runs.

    Parameters
    ----------
    sequence : int64, shape (n,)

    Returns
    -------
    int64, shape (runs, 3)
        Begin, end and period of each run, in no particular order.

    Raises
    ------
    Cancelled
        From `report`.
    """
    s = np.ascontiguousarray(sequence, np.int64)
    n = len(s)
    backwards = np.ascontiguousarray(s[::-1])
    runs = np.empty((max(n, 1), 3), np.int64)
    scratch = np.empty((4, n + 1), np.int64)
    count, width, done = 0, 2, 0
    levels = max(1, (n - 1).bit_length())
    while width < 2 * n:
        for low in range(0, n, max(width, SYMBOLS_PER_REPORT // width * width)):
            high = min(n, low + max(width, SYMBOLS_PER_REPORT // width * width))
            count = repetition_kernels.runs_of_width(
                s, backwards, width, low, high, runs, count, scratch
            )
            report("finding loops", 0.3 * done / levels)
        width *= 2
        done += 1
    return runs[:count]


SYMBOLS_PER_REPORT = 1 << 18
"""Symbols that are looked at between two reports."""


@dataclass(frozen=True, slots=True, eq=False)
class RunClasses:
    """Classes of runs."""

    of: Ints
    first: Ints
    """`of` and `first`: int64, shape (runs,): class of each run, and the index at which
    its root first begins."""
    begin: Ints
    period: Ints
    """`begin` and `period`: int64, shape (classes,): where the sequence has each root,
    and its length."""
    slot: Ints
    """int64, shape (classes + 1,): each class owns `period` numbers from there on: one
    for each rotation."""
    table: Ints
    """int64, shape (power of two,): classes by hash, -1 where there is none."""


def classify_runs(s: Ints, runs: Ints) -> RunClasses:
    """Put runs into classes.

    Parameters
    ----------
    s : int64, shape (n,)
    runs : int64, shape (runs, 3)
        From `find_runs`; ascending periods.
    """
    table = np.full(1 << max(3, (2 * len(runs)).bit_length()), -1, np.int64)
    of, first = np.empty((2, len(runs)), np.int64)
    begin, period = np.empty((2, len(runs)), np.int64)
    count = repetition_kernels.classify(s, runs, table, of, first, begin, period)
    slot = run_offsets(period[:count])
    return RunClasses(
        of=of,
        first=first,
        begin=begin[:count],
        period=period[:count],
        slot=slot,
        table=table,
    )
