"""Expand the logical trace for every rank, and compare with what it did."""

import numpy as np

from topoview.logical.projection import Classes, Program
from topoview.logical.records import Records
from topoview.logical.statements import Skeleton
from topoview.model import Bools, Ints, SideTable

CELLS = 4_000_000
"""Rows that are compared at once."""


def verified(  # noqa: PLR0913
    rows: Records,
    main: Program,
    known: Classes,
    frame: Skeleton,
    sizes: SideTable,
    constant: tuple[Ints, Ints],
) -> Bools:
    """Find the ranks whose calls the logical trace expands to exactly.

    Parameters
    ----------
    constant : two of int64, shape (statements,)
        Size sent and received where it does not vary, -1 where there is none.

    Returns
    -------
    bool, shape (ranks,)
    """
    exact = np.zeros(len(known.of), bool)
    symbols = rows.symbols
    own = symbols.code(
        rows.symbol, symbols.to[rows.symbol], symbols.source[rows.symbol]
    )
    counts = np.diff(rows.offsets)
    order = np.argsort(known.of, kind="stable")
    ends = np.cumsum(np.bincount(known.of, minlength=len(known.halves)))
    for halves, ranks in zip(known.halves, np.split(order, ends[:-1]), strict=True):
        kept, to, source = main.project(halves)
        code = symbols.code(main.symbol[kept], to, source)
        statement = frame.statement[kept]
        collective = (symbols.to[main.symbol] < 0) & (symbols.source[main.symbol] < 0)
        waits = symbols.awaited[main.symbol[kept]] >= 0
        present = (((to >= 0) | collective[kept]) & ~waits, (source >= 0) & ~waits)
        turn = _turns(statement)
        able = ranks[counts[ranks] == len(kept)]
        step = max(1, CELLS // max(len(kept), 1))
        for begin in range(0, len(able), step):
            some = able[begin : begin + step]
            at = rows.offsets[some][:, None] + np.arange(len(kept))
            same = (own[at] == code).all(axis=1)
            for side, size in enumerate((rows.size, rows.source_size)):
                told = _told(
                    sizes,
                    bool(side),
                    constant[side],
                    statement,
                    turn,
                    some,
                    len(counts),
                )
                same &= (np.where(present[side], told, -1) == size[at]).all(axis=1)
            exact[some] = same
    return exact


def _turns(statement: Ints) -> Ints:
    """How often each position's statement has come before it."""
    order = np.argsort(statement, kind="stable")
    ordered = statement[order]
    begins = np.searchsorted(ordered, ordered)
    turn = np.empty(len(statement), np.int64)
    turn[order] = np.arange(len(statement)) - begins
    return turn


def _told(  # noqa: PLR0913
    sizes: SideTable,
    received: bool,
    constant: Ints,
    statement: Ints,
    turn: Ints,
    some: Ints,
    ranks: int,
) -> Ints:
    """Sizes that the logical trace tells, int64, shape (len(some), positions)."""
    told = np.repeat(constant[statement][None, :], len(some), axis=0)
    column = np.full(len(constant), -1, np.int64)
    own = np.flatnonzero(sizes.received == received)
    column[sizes.statement[own]] = own
    varying = np.flatnonzero(column[statement] >= 0)
    cell = column[statement[varying]][None, :] * ranks + some[:, None]
    begin = sizes.offsets[cell]
    length = sizes.offsets[cell + 1] - begin
    value = np.append(sizes.values, -1)[
        np.where(length > 0, begin + turn[varying] % np.maximum(length, 1), -1)
    ]
    told[:, varying] = value
    return told
