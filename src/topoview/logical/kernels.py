"""Kernels of logical."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from topoview.base.kernels import kernel
from topoview.logical.loops.kernels import cycle_length
from topoview.model import Ints


@kernel
def mixed(codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    found = np.empty(len(codes), np.uint64)
    for k in range(len(codes)):
        found[k] = mix(codes[k])
    return found


@kernel(inline="always")
def mix(code: Any) -> Any:  # noqa: ANN401 - an unsigned integer of numba's
    """Scramble one code, within a kernel."""
    x = code * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def size_range(statement: Ints, size: Ints, statements: int) -> tuple[Ints, Ints]:
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


@kernel
def table_cells(
    offsets: Ints, column: Ints, size: Ints, cells: int
) -> tuple[Ints, Ints]:
    """Count and sizes of each cell, each reduced to its shortest cycle."""
    ranks = len(offsets) - 1
    counts = np.zeros(cells, np.int64)
    for rank in range(ranks):
        for row in range(offsets[rank], offsets[rank + 1]):
            if column[row] >= 0:
                counts[column[row] * ranks + rank] += 1
    begins = np.zeros(cells + 1, np.int64)
    for cell in range(cells):
        begins[cell + 1] = begins[cell] + counts[cell]
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


@kernel
def turns(statement: Ints, statements: int) -> Ints:
    """How often each position's statement has come before it."""
    count = np.zeros(statements, np.int64)
    turn = np.empty(len(statement), np.int64)
    for k in range(len(statement)):
        turn[k] = count[statement[k]]
        count[statement[k]] += 1
    return turn
