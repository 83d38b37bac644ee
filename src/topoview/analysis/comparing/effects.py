"""Where two runs differ: everywhere, at a place, in an iteration, or in one cell.

The differences of all places in all iterations are a table. Median polish splits it
into what all cells share, what a row adds, what a column adds, and the rest of each
cell (Tukey 1977, Exploratory data analysis, chapter 11): one rank that is late once is
one cell, a slow node a few rows, a slower processor what all share. As medians make
them, none of these blurs the others.
"""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np

from topoview.analysis.comparing.spread import DEVIATION_OF_MAD
from topoview.model import Floats

ROUNDS: Final = 10
"""Rounds of polishing at most; few tables need more than three."""

FALSE_ALARM: Final = 1e-3
"""How likely any cell of a table of chance alone stands out."""

MIN_ROWS: Final = 3
"""Places from which on an iteration can be told from its cells."""

MIN_SHARE: Final = 0.05
"""Effects are told that are at least this share of the largest: noise of computers has
longer tails than a normal distribution."""

EVERYWHERE: Final = -1


@dataclass(frozen=True, slots=True)
class Effect:
    """A part of the difference between two runs."""

    place: int
    iteration: int
    """`place` and `iteration`: group of ranks, and iteration from 0; `EVERYWHERE` for
    all of them."""
    seconds: float
    """What it adds to a cell: to each iteration of a rank."""
    total: float
    """What it adds in all its cells, to all ranks."""


def effects(table: Floats, weight: Floats) -> list[Effect]:
    """Split a table of differences into effects, the largest first.

    Parameters
    ----------
    table : float64, shape (places, iterations)
        Differences in seconds, of the mean rank of each place.
    weight : float64, shape (places,)
        Ranks at each place.

    Returns
    -------
    list of Effect
        Those that chance does not explain, and that are not small beside the largest.
    """
    if not table.size:
        return []
    shared, rows, columns, rest = polish(table)
    spread = DEVIATION_OF_MAD * float(np.median(np.abs(rest)))
    limit = spread * -NormalDist().inv_cdf(FALSE_ALARM / 2 / rest.size)
    ranks, count = float(weight.sum()), table.shape[1]
    candidates = []
    if abs(shared) > limit / np.sqrt(rest.size):
        total = shared * ranks * count
        candidates.append(Effect(EVERYWHERE, EVERYWHERE, shared, total))
    for place in np.flatnonzero(np.abs(rows) > limit / np.sqrt(count)).tolist():
        own = float(rows[place])
        candidates.append(
            Effect(place, EVERYWHERE, own, own * float(weight[place]) * count)
        )
    few = limit / np.sqrt(len(rows))
    for iteration in np.flatnonzero(np.abs(columns) > few).tolist():
        own = float(columns[iteration])
        candidates.append(Effect(EVERYWHERE, iteration, own, own * ranks))
    for place, iteration in np.argwhere(np.abs(rest) > limit).tolist():
        own = float(rest[place, iteration])
        candidates.append(Effect(place, iteration, own, own * float(weight[place])))
    least = MIN_SHARE * max((abs(one.total) for one in candidates), default=0.0)
    kept = [one for one in candidates if abs(one.total) >= least]
    return sorted(kept, key=lambda one: -abs(one.total))


def polish(table: Floats) -> tuple[float, Floats, Floats, Floats]:
    """Split a table into what all cells share, rows, columns, and the rest.

    Returns
    -------
    float, and float64 of shape (rows,), (columns,), (rows, columns)
        They sum up to the table.
    """
    rest = table.copy()
    shared, rows, columns = 0.0, np.zeros(len(table)), np.zeros(table.shape[1])
    for _ in range(ROUNDS):
        by_row = np.median(rest, axis=1)
        rest -= by_row[:, None]
        rows += by_row
        if len(table) < MIN_ROWS:
            break
        by_column = np.median(rest, axis=0)
        rest -= by_column
        columns += by_column
        if not (by_row.any() or by_column.any()):
            break
    for part in (rows, columns):
        middle = float(np.median(part))
        part -= middle
        shared += middle
    return shared, rows, columns, rest
