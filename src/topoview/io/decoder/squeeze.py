"""Gaps taken out of columns: where a location needed less room than was counted.

There is one where intervals merge, MPI calls nest, or a partner is unknown.
"""

# mypy: disable-error-code="call-arg"

from collections.abc import Callable
from functools import partial
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from topoview.io.decoder.columns import (
    CALL_TABLE,
    PARTS,
    RECEIVES,
    SENDS,
    TABLES,
    Blocks,
    Offsets,
)
from topoview.io.decoder.frame import address
from topoview.io.decoder.memory import move
from topoview.io.decoder.pool import in_threads
from topoview.model import Ints

_CALLS_IN = (
    ("calls.completes", CALL_TABLE),
    ("messages.send_call", SENDS),
    ("receives.call", RECEIVES),
    ("receives.post", RECEIVES),
    ("collectives.call", PARTS),
)
"""Columns that hold indices of calls."""


def squeeze(blocks: Blocks) -> Offsets:
    """Take out the gaps, and shorten the columns to what is filled.

    Room that messages have for receives without a send is left, and receives are
    where they were: see `Receives`.

    Returns
    -------
    Offsets
        Where each row's part begins.
    """
    layout, columns = blocks.layout, blocks.columns
    begins = layout.offsets[:, :-1]
    sizes = blocks.filled - begins
    offsets = [_offsets(row) for row in sizes]
    at = TABLES.index(CALL_TABLE)
    moved = begins[at] - offsets[at][:-1]
    if moved.any():
        for name, table in _CALLS_IN:
            number = TABLES.index(table)
            _renumber(columns[name], begins[number], sizes[number], moved)
    work = []
    for number, table in enumerate(TABLES):
        if table is RECEIVES:
            continue
        for name in blocks.names(table):
            work += _squeeze(columns[name], begins[number], sizes[number], 1)
            if table is not SENDS:
                columns[name] = columns[name][: offsets[number][-1]]
    further = {}
    for kind, filled in blocks.further_filled.items():
        here = layout.further[kind][:-1]
        further[kind] = _offsets(filled - here)
        for name, width in (("time", 1), ("fields", blocks.widths[kind])):
            title = f"further.{kind}.{name}"
            work += _squeeze(columns[title], here, filled - here, width)
            columns[title] = columns[title][: further[kind][-1] * width]
    in_threads(work)
    return Offsets(offsets, further)


class Receives:
    """Where the receives of each row are; at first with gaps between the rows.

    There is room for each that was posted and each that completed, twice as much as
    most programs need; if all are matched nobody looks at them again.

    Attributes
    ----------
    parts : int64, shape (rows, 2)
        Where those of each row begin and end.
    """

    def __init__(self, blocks: Blocks) -> None:
        number = TABLES.index(RECEIVES)
        begins, ends = blocks.layout.offsets[number, :-1], blocks.filled[number]
        self._blocks = blocks
        self.parts: Ints = np.stack([begins, ends], axis=1)

    @property
    def count(self) -> int:
        """How many there are."""
        return int(np.sum(self.parts[:, 1] - self.parts[:, 0]))

    def squeeze(self) -> Ints:
        """Take out the gaps, and shorten the columns to what is filled.

        Returns
        -------
        int64, shape (rows + 1,)
            Where each row's part begins.
        """
        columns, begins = self._blocks.columns, self.parts[:, 0]
        sizes = self.parts[:, 1] - begins
        offsets = _offsets(sizes)
        work = []
        for name in self._blocks.names(RECEIVES):
            work += _squeeze(columns[name], begins, sizes, 1)
            columns[name] = columns[name][: offsets[-1]]
        in_threads(work)
        self._blocks.part_receives()
        self.parts = np.stack([offsets[:-1], offsets[1:]], axis=1)
        return offsets


def _offsets(sizes: Ints) -> Ints:
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def _squeeze(
    column: NDArray[Any], begins: Ints, sizes: Ints, width: int
) -> list[Callable[[], None]]:
    """Say what is to be done for a column, if anything."""
    if not (begins[1:] != (begins + sizes)[:-1]).any():
        return []
    row = width * column.itemsize
    return [partial(_move, address(column), begins * row, sizes * row)]


@numba.njit(nogil=True, cache=True)
def _move(column: int, begins: Ints, sizes: Ints) -> None:
    """Move parts of bytes to the left until there are no gaps."""
    there = np.int64(column)
    for row in range(len(begins)):
        begin = np.int64(column + begins[row])
        if begin != there:
            move(there, begin, sizes[row])
        there += sizes[row]


@numba.njit(nogil=True, cache=True)
def _renumber(column: Ints, begins: Ints, sizes: Ints, moved: Ints) -> None:
    """Follow calls that move to the left by so many places, a row at a time."""
    for row in range(len(begins)):
        if not moved[row]:
            continue
        for place in range(begins[row], begins[row] + sizes[row]):
            if column[place] >= 0:
                column[place] -= moved[row]
