"""Call paths of all locations put together: one number for equal ones."""

from typing import Final

import numba
import numpy as np

from topoview.hash_table import slot_of
from topoview.model import CallPaths, Indices, Ints

MOST: Final = 1 << 18
"""Paths that are kept of a trace."""

_SAME: Final = -1
_FIRST: Final = 64


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
        """Note the paths of a location, as `topoview.io.decoder.paths` has them.

        Most locations of a program have the same, which are kept once.
        """
        self._tables[row] = self._same.setdefault(table, table)

    def join(self, offsets: Ints, column: Indices) -> tuple[CallPaths, int]:
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
            _renumber(column, offsets, begins, np.concatenate(joined.news))
        return joined.paths, joined.cut


class _Joined:
    """Paths of several locations; `news` holds, for each table, their numbers."""

    def __init__(self) -> None:
        self._columns = np.full((2, _FIRST), -1, np.int32)
        self._keys = np.full(4 * _FIRST, -1, np.int64)
        self._values = np.zeros(4 * _FIRST, np.int32)
        self.count, self.cut = 1, 0
        self.news: list[Indices] = []
        self._size = 0
        self._begins: dict[bytes, int] = {b"": _SAME}

    @property
    def paths(self) -> CallPaths:
        """All paths."""
        parent, region = self._columns[:, : self.count].copy()
        return CallPaths(parent, region)

    def begin(self, table: bytes) -> int:
        """Add a table; tells where in `news` its numbers begin, -1 if they stay."""
        known = self._begins.get(table)
        if known is not None:
            return known
        own = np.frombuffer(table, np.int32).reshape(2, -1).copy()
        self._make_room(min(self.count + own.shape[1], MOST))
        new = np.zeros(own.shape[1], np.int32)
        self.count, cut = _add(
            own, self._columns, self.count, self._keys, self._values, new, MOST
        )
        self.cut += cut
        begin = _SAME
        if not np.array_equal(new, np.arange(len(new))):
            begin = self._size
            self.news.append(new)
            self._size += len(new)
        self._begins[table] = begin
        return begin

    def _make_room(self, paths: int) -> None:
        while self._columns.shape[1] < paths:
            own = self._columns[:, : self.count].copy()
            size = 2 * self._columns.shape[1]
            self._columns = np.full((2, size), -1, np.int32)
            self._keys = np.full(4 * size, -1, np.int64)
            self._values = np.zeros(4 * size, np.int32)
            again = np.zeros(self.count, np.int32)
            count = self.count
            _add(own, self._columns, 1, self._keys, self._values, again, count)


@numba.njit(nogil=True, cache=True)
def _add(  # noqa: PLR0913
    own: Indices,
    columns: Indices,
    count: int,
    keys: Ints,
    values: Indices,
    new: Indices,
    most: int,
) -> tuple[int, int]:
    """Give the paths of a table numbers; count all paths, and those not kept."""
    whole = np.ones(own.shape[1], np.bool_)
    cut = 0
    for path in range(1, own.shape[1]):
        parent, region = own[0, path], own[1, path]
        new[path] = new[parent]
        key = np.int64(new[parent]) << 32 | (np.int64(region) & 0xFFFFFFFF)
        slot = slot_of(keys, key)
        if not whole[parent] or (keys[slot] < 0 and count >= most):
            whole[path] = False
            cut += 1
        elif keys[slot] >= 0:
            new[path] = values[slot]
        else:
            keys[slot], values[slot] = key, count
            columns[0, count], columns[1, count] = new[parent], region
            new[path] = count
            count += 1
    return count, cut


@numba.njit(nogil=True, cache=True)
def _renumber(column: Indices, offsets: Ints, begins: Ints, news: Indices) -> None:
    for row in range(len(begins)):
        if begins[row] >= 0:
            for call in range(offsets[row], offsets[row + 1]):
                column[call] = news[begins[row] + column[call]]
