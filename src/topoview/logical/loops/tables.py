"""What loops with varying bodies are worth: their tables, and what is readable."""

from functools import lru_cache

import numpy as np

from topoview.logical.loops.compress import compress
from topoview.logical.loops.iterations import Iterations, runs_alike
from topoview.logical.repetition import cycle_length
from topoview.model import Bools, Ints

WEIGHT = 0.1
"""Lines that a number of a table counts as; a table has two beside what it says."""

PARTS = 0.5
"""Share of a varying body that may be in parts."""

MOST_PARTS = 12
"""Parts of a varying body at most."""

IRREGULAR = 8
"""Numbers that a pattern says, from which on it is without a rule."""

PERIODS = 4
"""Periods from which on a pattern comes every so often."""


def trips_cost(trips: Ints) -> float:
    """Cost of a table of trip counts, in lines.

    Those without order, down to the least share, cost more: what stands between
    the loops then rather comes in some iterations of one loop.
    """
    steps = np.diff(trips)
    without_order = bool((steps > 0).any() and (steps < 0).any())
    least = bool(np.gcd.reduce(trips) == trips.min())
    return WEIGHT * (2 + _said(trips)) + 0.5 * (without_order and least)


def pattern_cost(pattern: Bools) -> float:
    """Cost of a table that tells which iterations run a part, in lines."""
    return WEIGHT * (2 + _said(pattern.astype(np.int64)))


def least_cost(row: Ints, loop: Iterations) -> float:
    """Cost that a row with a loop has at least, in lines.

    Parameters
    ----------
    row : int64, shape (n,)
        Shapes of nodes.
    """
    inside = row[loop.at.max(axis=1)]
    outside = (row[: loop.begin], row[loop.end :])
    lines = 1 + sum(len(np.unique(part)) for part in (inside, *outside))
    present = loop.at >= 0
    tables = sum(not present[low].all() for low, _ in runs_alike(present))
    return lines + WEIGHT * 3 * tables


def readable(row: Ints, loop: Iterations, *, visits: bool = False) -> bool:
    """Whether a loop says what a reader would.

    Most of the body is what all iterations do, and no part is rather that of one
    loop after another, each regular; but where each iteration is a visit of a
    function, it is one loop.
    """
    present = loop.at >= 0
    stretches = runs_alike(present)
    parts = [(low, high) for low, high in stretches if not present[low].all()]
    if len(parts) > MOST_PARTS:
        return False
    inside = row[loop.at.max(axis=1)]
    varying = sum(len(np.unique(inside[low:high])) for low, high in parts)
    if varying > PARTS * len(np.unique(inside)):
        return False
    edges = (0, len(present))
    return visits or all(
        tells_of_one_loop(present[low], at_edge=low in edges or high in edges)
        for low, high in parts
    )


def tells_of_one_loop(pattern: Bools, *, at_edge: bool) -> bool:
    """Whether a part belongs to one loop: no loops one after another are as clear.

    It comes in all iterations but one, or within the first or last one, or every
    so often, or without a rule.
    """
    runs = int(pattern.sum())
    if runs == len(pattern) - 1:
        return True
    if runs == 1:
        return not at_edge and bool(pattern[0] or pattern[-1])
    values = pattern.astype(np.int64)
    often = PERIODS * cycle_length(values) <= len(values)
    return often or _said(values) > IRREGULAR


def tells_of_levels(trips: Ints) -> bool:
    """Whether trip counts belong to one loop: no loops one after another are as clear.

    They change from each turn to the next, or but for the first or the last turn
    not at all; or come again and again, or are without a rule.
    """
    change = np.flatnonzero(np.diff(trips)) + 1
    if len(change) == len(trips) - 1:
        return True
    if len(change) == 1 and change[0] in (1, len(trips) - 1):
        return True
    often = PERIODS * cycle_length(trips) <= len(trips)
    return often or _said(trips) > IRREGULAR


def _said(table: Ints) -> int:
    """How many numbers a table takes when its repetitions are written once."""
    return _said_of((table - table.min()).tobytes())


@lru_cache(maxsize=10_000)
def _said_of(table: bytes) -> int:
    tokens, written = compress(np.frombuffer(table, np.int64))
    return tokens.leaves(written)
