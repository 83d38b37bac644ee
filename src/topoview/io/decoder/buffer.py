"""A part of a file in memory, with room behind it that may be read."""

import os

import numpy as np

from topoview.io.decoder.frame import address
from topoview.io.decoder.memory import PADDING


class Buffer:
    """Memory that grows with what is read to it.

    Attributes
    ----------
    bytes : uint8
        What was read, then what may be read but means nothing.
    address
        Where that is.
    """

    def __init__(self) -> None:
        self.bytes = np.zeros(0, np.uint8)
        self.address = 0

    def _make_room(self, size: int) -> None:
        if len(self.bytes) < size + PADDING:
            self.bytes = np.zeros(size + PADDING, np.uint8)
            self.address = address(self.bytes)

    def put(self, content: bytes) -> int:
        """Take what was read before: how many bytes that are."""
        self._make_room(len(content))
        self.bytes[: len(content)] = np.frombuffer(content, np.uint8)
        return len(content)

    def load(self, file: int, begin: int, size: int) -> int:
        """Read a part of a file: how many bytes there were."""
        self._make_room(size)
        view = self.bytes[:size].data
        got = 0
        while got < size:
            more = os.preadv(file, [view[got:]], begin + got)
            if not more:
                break
            got += more
        return got
