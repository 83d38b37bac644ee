"""Call paths of all locations put together: one number for equal ones."""

from typing import Final

import numba
import numpy as np

from topoview.model import Indices, Ints, Paths

MOST: Final = 1 << 18
"""Paths that are kept of a trace."""

_SAME: Final = -1


class Tables:
    """Paths of all locations, each with numbers of its own.

    Parameters
    ----------
    rows
        Number of locations.
    """

    def __init__(self, rows: int) -> None:
        self._tables = [b""] * rows
        self._same: dict[bytes, bytes] = {}

    def take(self, row: int, table: bytes) -> None:
        """Note the paths of a location, as `topoview.io.decoder_paths` has them.

        Most locations of a program have the same, which are kept once.
        """
        self._tables[row] = self._same.setdefault(table, table)

    def join(self, offsets: Ints, column: Indices) -> tuple[Paths, int]:
        """Give equal call paths of different locations one number.

        Parameters
        ----------
        offsets : int64, shape (rows + 1,)
            Where each location's calls begin.
        column : int32, shape (calls,)
            Path of each call by its location's table; is changed to those of all.

        Returns
        -------
        Paths, int
            All paths, and how many others were not kept: their calls have the path
            around them.
        """
        joined = _Joined()
        begins = np.array([joined.begin(table) for table in self._tables], np.int64)
        if (begins != _SAME).any():
            _renumber(column, offsets, begins, np.array(joined.news, np.int32))
        parent, region = joined.parents, joined.regions
        return Paths(np.array(parent, np.int32), np.array(region, np.int32)), joined.cut


class _Joined:
    """Paths of several locations; `news` holds, for each table, their numbers."""

    def __init__(self) -> None:
        self.parents, self.regions = [-1], [-1]
        self.news: list[int] = []
        self.cut = 0
        self._numbers: dict[tuple[int, int], int] = {}
        self._begins: dict[bytes, int] = {b"": _SAME}

    def begin(self, table: bytes) -> int:
        """Add a table; tells where in `news` its numbers begin, -1 if they stay."""
        known = self._begins.get(table)
        if known is not None:
            return known
        own = np.frombuffer(table, np.int32).reshape(2, -1)[:, 1:].tolist()
        new = [0]
        whole = [True]
        for parent, region in zip(*own, strict=True):
            number = self._number(new[parent], region) if whole[parent] else None
            new.append(new[parent] if number is None else number)
            whole.append(number is not None)
        self.cut += whole.count(False)
        begin = _SAME if new == list(range(len(new))) else len(self.news)
        if begin != _SAME:
            self.news += new
        self._begins[table] = begin
        return begin

    def _number(self, parent: int, region: int) -> int | None:
        number = self._numbers.get((parent, region))
        if number is not None or len(self.parents) >= MOST:
            return number
        self._numbers[parent, region] = number = len(self.parents)
        self.parents.append(parent)
        self.regions.append(region)
        return number


@numba.njit(nogil=True, cache=True)
def _renumber(column: Indices, offsets: Ints, begins: Ints, news: Indices) -> None:
    for row in range(len(begins)):
        if begins[row] >= 0:
            for call in range(offsets[row], offsets[row + 1]):
                column[call] = news[begins[row] + column[call]]
