"""Numbers beside the statements: sizes, and partners, that vary."""

import numba
import numpy as np

from topoview.logical.arrays import spans
from topoview.logical.repetition import cycle_length
from topoview.model import Bools, Ints, SideTable
from topoview.progress import Report, portions, silent


@numba.njit(nogil=True, cache=True)
def extent(statement: Ints, size: Ints, statements: int) -> tuple[Ints, Ints]:
    """Least and most of each statement's sizes; -1 and -1 if there are none.

    Parameters
    ----------
    statement, size : int64, shape (rows,)
        Rows with -1 in either count for nothing.

    Returns
    -------
    least, most : int64, shape (statements,)
    """
    least = np.full(statements, -1, np.int64)
    most = np.full(statements, -1, np.int64)
    for row in range(len(statement)):
        s, value = statement[row], size[row]
        if s < 0 or value < 0:
            continue
        if least[s] < 0 or value < least[s]:
            least[s] = value
        most[s] = max(most[s], value)
    return least, most


def side_table(
    offsets: Ints,
    statement: Ints,
    sides: tuple[Ints, Ints],
    varies: tuple[Bools, Bools],
    report: Report = silent,
) -> SideTable:
    """Write down the numbers of statements of which they vary.

    Parameters
    ----------
    offsets : int64, shape (ranks + 1,)
        Rows of each rank.
    statement : int64, shape (rows,)
        Statement of each row, -1 if it has none.
    sides : two of int64, shape (rows,)
        Numbers of the side sent and of that received, -1 where there is none.
    varies : two of bool, shape (statements,)
        Whether a statement's numbers vary, on either side.
    """
    ranks = len(offsets) - 1
    columns = np.concatenate([np.flatnonzero(v) for v in varies])
    received = np.repeat([False, True], [int(v.sum()) for v in varies])
    counts, values = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for varying, numbers in zip(varies, sides, strict=True):
        column = np.full(len(varying) + 1, -1, np.int64)
        cells = int(varying.sum()) * ranks
        column[np.flatnonzero(varying)] = np.arange(int(varying.sum()))
        if not cells:
            continue
        own = np.empty(len(statement), np.int64)
        for some in portions(len(own), report, "writing statements"):
            own[some] = np.where(numbers[some] >= 0, column[statement[some]], -1)
        count, value = _cells(offsets, own, numbers, cells)
        counts.append(count)
        values.append(value)
    return SideTable(
        columns.astype(np.int32),
        received,
        spans(np.concatenate(counts)),
        np.concatenate(values),
    )


@numba.njit(nogil=True, cache=True)
def _cells(offsets: Ints, column: Ints, size: Ints, cells: int) -> tuple[Ints, Ints]:
    """Count and sizes of each cell, each reduced to its shortest cycle."""
    ranks = len(offsets) - 1
    counts = np.zeros(cells, np.int64)
    for rank in range(ranks):
        for row in range(offsets[rank], offsets[rank + 1]):
            if column[row] >= 0:
                counts[column[row] * ranks + rank] += 1
    begins = np.zeros(cells + 1, np.int64)
    begins[1:] = np.cumsum(counts)
    values = np.zeros(begins[cells], np.int64)
    filled = begins.copy()
    for rank in range(ranks):
        for row in range(offsets[rank], offsets[rank + 1]):
            if column[row] >= 0:
                cell = column[row] * ranks + rank
                values[filled[cell]] = size[row]
                filled[cell] += 1
    end = 0
    for cell in range(cells):
        own = values[begins[cell] : begins[cell + 1]]
        counts[cell] = cycle_length(own)
        for k in range(counts[cell]):
            values[end + k] = own[k]
        end += counts[cell]
    return counts, values[:end].copy()
