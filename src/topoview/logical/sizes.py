"""Sizes of statements: where they tell statements apart, and where they vary."""

import numba
import numpy as np

from topoview.logical.arrays import number, spans
from topoview.logical.records import Records
from topoview.logical.repetition import cycle_length
from topoview.model import Bools, Ints, SideTable


def split_by_size(rows: Records, position: Ints, fits: Bools, rank: int) -> Ints:
    """Tell positions of the program apart by size, where all ranks agree.

    Positions with equal symbols are of one kind if the maximal process has the
    same size there. Where another rank has different sizes at them, or has larger
    ones where the maximal process has smaller ones (blocks of uneven size that are
    not sent in the same turn everywhere), sizes tell nothing, and all positions of
    the symbol are of one kind.

    Parameters
    ----------
    position : int64, shape (rows,)
        Position of each row in the program, -1 if it has none.
    fits : bool, shape (ranks,)
        Ranks that do just what the program says; only they are asked.
    rank
        The maximal process.

    Returns
    -------
    int64, shape (positions,)
        Kind of each position.
    """
    own = slice(rows.offsets[rank], rows.offsets[rank + 1])
    symbol = number(rows.symbol[own])[1]
    kind = symbol
    for size in (rows.size[own], rows.source_size[own]):
        order = np.unique(size, return_inverse=True)[1]
        kind = number(kind * (int(order.max(initial=0)) + 1) + order)[1]
    first = np.zeros(int(kind.max(initial=-1)) + 1, np.int64)
    first[kind[::-1]] = np.arange(len(kind))[::-1]
    agree = np.ones(int(symbol.max(initial=-1)) + 1, bool)
    for size in (rows.size, rows.source_size):
        _compare(
            rows.offsets,
            np.where(position >= 0, np.append(kind, -1)[position], -1),
            size,
            np.flatnonzero(fits),
            symbol[first],
            size[own][first],
            agree,
        )
    return number(np.where(agree[symbol], kind + len(agree), symbol))[1]


@numba.njit(nogil=True, cache=True)
def _compare(  # noqa: PLR0913
    offsets: Ints,
    kind: Ints,
    size: Ints,
    ranks: Ints,
    symbol: Ints,
    model: Ints,
    agree: Bools,
) -> None:
    """Clear `agree` for symbols whose sizes a rank has in another order.

    A rank agrees if it has one size wherever the maximal process has one, and
    if larger ones are larger there too. `symbol` and `model` are the symbol of
    each kind and the maximal process's size; kinds of a symbol are neighbours.
    """
    seen_by = np.full(len(symbol), -1, np.int64)
    seen = np.zeros(len(symbol), np.int64)
    for rank in ranks:
        for row in range(offsets[rank], offsets[rank + 1]):
            k = kind[row]
            if k < 0 or size[row] < 0:
                continue
            if seen_by[k] != rank:
                seen_by[k] = rank
                seen[k] = size[row]
            elif seen[k] != size[row]:
                agree[symbol[k]] = False
        before = -1
        for k in range(len(symbol)):
            if seen_by[k] != rank:
                continue
            if before >= 0 and symbol[before] == symbol[k]:
                told = np.sign(model[k] - model[before])
                if np.sign(seen[k] - seen[before]) != told:
                    agree[symbol[k]] = False
            before = k


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


def size_table(
    rows: Records, statement: Ints, varies: tuple[Bools, Bools]
) -> SideTable:
    """Write down the sizes of statements whose size varies.

    Parameters
    ----------
    statement : int64, shape (rows,)
        Statement of each row, -1 if it has none.
    varies : two of bool, shape (statements,)
        Whether the size sent, and the size received, varies.
    """
    ranks = len(rows.offsets) - 1
    columns = np.concatenate([np.flatnonzero(v) for v in varies])
    received = np.repeat([False, True], [int(v.sum()) for v in varies])
    counts, values = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for varying, size in zip(varies, (rows.size, rows.source_size), strict=True):
        column = np.full(len(varying) + 1, -1, np.int64)
        cells = int(varying.sum()) * ranks
        column[np.flatnonzero(varying)] = np.arange(int(varying.sum()))
        own = np.where(size >= 0, column[statement], -1)
        count, value = _cells(rows.offsets, own, size, cells)
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
