"""Files of the store that several arrays share.

To make, map and cut a file costs as much as to fill a megabyte, and what is smaller
than the huge pages that files are mapped in is cleared and mapped page by page: 27 MB
in 17 files took twice the CPU time of one file.
"""

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from topoview.io.store.arrays import HEADER, create, finish

_FIRST: Final = 1 << 22
_LARGEST: Final = 1 << 25
_ALIGNMENT: Final = 64


class Shared:
    """Arrays that lie one behind the other in files of bytes.

    Parameters
    ----------
    folder
        Where the files go.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._blocks: list[NDArray[np.uint8]] = []
        self._used: list[int] = []
        self._places: dict[int, tuple[int, int, NDArray[Any]]] = {}
        self._wanted: set[int] = set()

    def allocate(self, length: int, dtype: DTypeLike) -> NDArray[Any]:
        """Give an array to be filled.

        Raises
        ------
        OSError
            If there is no room for it.
        """
        size = length * np.dtype(dtype).itemsize
        if not self._blocks or self._used[-1] + size > len(self._blocks[-1]):
            self._begin(size)
        number, at = len(self._blocks) - 1, self._used[-1]
        array = self._blocks[-1][at : at + size].view(dtype)
        self._used[-1] = at + size + -size % _ALIGNMENT
        self._places[array.ctypes.data] = number, at, array
        return array

    def _begin(self, size: int) -> None:
        """Begin a file for so many bytes or more: twice as large as those before."""
        room = max(_FIRST, min(2 * sum(self._used), _LARGEST)) - HEADER
        path = self._folder / self._name(len(self._blocks))
        self._blocks.append(create(path, max(size, room), np.uint8))
        self._used.append(0)

    def _name(self, number: int) -> str:
        return f"shared-{number}.npy"

    def refer(self, array: NDArray[Any]) -> dict[str, Any] | None:
        """Make the reference to an array's beginning; None if it is not from here."""
        number, at, whole = self._places.get(array.ctypes.data, (-1, 0, array))
        is_part = array.nbytes <= whole.nbytes and array.dtype == whole.dtype
        if number < 0 or not is_part or not array.flags.c_contiguous:
            return None
        self._wanted.add(number)
        told = {"dtype": array.dtype.str, "shape": list(array.shape)}
        return {"file": self._name(number), "at": at, **told}

    def finish(self) -> list[str]:
        """Cut and head the files; gives those that something refers to."""
        for number in self._wanted:
            used = min(self._used[number], len(self._blocks[number]))
            finish(self._folder / self._name(number), self._blocks[number][:used])
        return [self._name(number) for number in sorted(self._wanted)]
