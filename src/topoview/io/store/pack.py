"""Arrays of a manifest: in files of their own, shared ones, and a pack."""

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview.io.store.arrays import load
from topoview.io.store.format import Get

PACK: Final = "small.npy"

_ALIGNMENT: Final = 64


class Pack:
    """Arrays one behind the other, as bytes."""

    def __init__(self) -> None:
        self._blocks: list[NDArray[np.uint8]] = []
        self._size = 0

    def put(self, array: NDArray[Any]) -> dict[str, Any]:
        """Add an array; returns the reference to it."""
        told = {
            "at": self._size,
            "dtype": array.dtype.str,
            "shape": list(array.shape),
        }
        block = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        gap = -len(block) % _ALIGNMENT
        self._blocks += [block, np.zeros(gap, np.uint8)]
        self._size += len(block) + gap
        return told

    @property
    def blocks(self) -> tuple[memoryview, ...]:
        """All of them, one behind the other."""
        return tuple(block.data for block in self._blocks)

    def bytes(self) -> NDArray[np.uint8]:
        """All of them."""
        return np.concatenate([np.zeros(0, np.uint8), *self._blocks])


def unpacker(folder: Path, pack: memoryview | None = None) -> Get:
    """Make the function that finds the array of a reference.

    Parameters
    ----------
    folder
        Where the files are.
    pack
        The pack, if it is not a file.
    """
    blobs: dict[str, NDArray[np.uint8]] = {}
    if pack is not None:
        blobs[PACK] = np.frombuffer(pack, np.uint8)

    def get(told: Any) -> NDArray[Any]:  # noqa: ANN401 - JSON
        dtype = np.dtype(str(told["dtype"]))
        shape = tuple(int(n) for n in told["shape"])
        name = str(told.get("file", PACK))
        if Path(name).name != name:
            raise ValueError(f"{name} leads out of the folder")
        if "at" not in told:
            array = load(folder / name)
            if array.dtype != dtype or array.shape != shape:
                raise ValueError(f"{name} is not what the manifest says")
            return array
        if name not in blobs:
            blobs[name] = load(folder / name)
        blob, begin = blobs[name], int(told["at"])
        count = int(np.prod(shape, dtype=np.int64))
        if begin < 0 or begin + count * dtype.itemsize > len(blob):
            raise ValueError(f"an array is not in {name}")
        return np.frombuffer(blob, dtype, count, begin).reshape(shape)

    return get
