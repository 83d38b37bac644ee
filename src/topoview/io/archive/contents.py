"""The files of an archive: how large they are, and what they hold, inflated or not.

Files that OTF2 compressed with zlib are rows of blocks (``decoder/c/packed.c``), which
are inflated one at a time, where they are read: nothing is written to disk.
"""

import ctypes
import os
import zlib
from ctypes import c_int64, c_void_p
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

import numpy as np

from topoview.io.decoder.library import address, load_decoder

_MAX_BLOCKS: Final = 1 << 20
_NO_MEMORY: Final = -2


class EventFiles(NamedTuple):
    """The files of a trace's events."""

    folder: Path
    """Folder of the locations' files."""
    event_chunk: int
    definition_chunk: int
    """`event_chunk` and `definition_chunk`: bytes of the chunks of files."""
    compressed: bool
    """Whether OTF2 compressed them."""
    silent: frozenset[int]
    """Locations that have no events, by the definitions: no file is missed."""
    resolution: int
    """Ticks a second."""

    def path(self, location: int) -> str:
        """Path of the file of a location's events."""
        return f"{self.folder}/{location}.evt"

    def size(self, location: int) -> int:
        """Bytes of the file of a location's events, 0 if it cannot be read."""
        try:
            if not self.compressed:
                return os.stat(self.path(location)).st_size  # noqa: PTH116 - of very many
            with TraceFile(self.path(location), compressed=True) as file:
                return file.size
        except OSError:
            return 0


class TraceFile:
    """A file of an archive that is open.

    Raises `OSError` if it cannot be.

    Parameters
    ----------
    compressed
        Whether OTF2 compressed it.
    """

    def __init__(self, path: str | Path, *, compressed: bool) -> None:
        self._file = Path(path).open("rb")  # noqa: SIM115 - closed with this
        self._blocks = np.zeros((0, 4), np.int64)
        self._compressed = compressed
        self.size = os.fstat(self._file.fileno()).st_size
        """Bytes that it holds, inflated."""
        if compressed:
            find_blocks, file = load_decoder().blocks, self._file.fileno()
            blocks = np.zeros((find_blocks(file, None, _MAX_BLOCKS), 4), np.int64)
            count = find_blocks(file, address(blocks), len(blocks))
            self._blocks = blocks[:count]
            self.size = int(blocks[:count, 3].sum())

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self._file.close()

    def read(self, begin: int, size: int) -> bytes:
        """Read so many bytes, or as many as there are."""
        if not self._compressed:
            return self._read(begin, size)
        parts = []
        ends = self._blocks[:, 2] + self._blocks[:, 3]
        for place, packed, at, whole in self._blocks[ends > begin].tolist():
            if at >= begin + size:
                break
            block = _inflated(self._read(place, packed), whole)
            parts.append(block[max(begin - at, 0) : begin + size - at])
            if len(block) < whole:  # it is damaged
                break
        return b"".join(parts)

    def _read(self, begin: int, size: int) -> bytes:
        self._file.seek(begin)
        return self._file.read(size)


def _inflated(packed: bytes | ctypes.Array[ctypes.c_uint8], room: int) -> bytes:
    """Inflate a block, to at most so many bytes; nothing if it is damaged."""
    try:
        return zlib.decompressobj().decompress(packed, room)
    except zlib.error:
        return b""


@ctypes.CFUNCTYPE(c_int64, c_void_p, c_int64, c_void_p, c_int64)
def _inflate(packed: int, size: int, whole: int, room: int) -> int:
    """Inflate a block for the decoder, whose threads run on meanwhile."""
    try:
        block = _inflated((ctypes.c_uint8 * size).from_address(packed), room)
    except MemoryError:
        return _NO_MEMORY
    ctypes.memmove(whole, block, len(block))
    return len(block)


INFLATE: Final = ctypes.cast(_inflate, c_void_p).value
"""Address of the function that the decoder inflates blocks with."""
