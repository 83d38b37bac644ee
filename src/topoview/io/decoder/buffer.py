"""A part of a file in memory, with room behind it that may be read."""

import os

import numpy as np

from topoview.io.decoder.memory import PADDING


class Buffer:
    """Memory that grows with what is read to it.

    Attributes
    ----------
    bytes : uint8
        What was read, then what may be read but means nothing.
    """

    def __init__(self) -> None:
        self.bytes = np.zeros(0, np.uint8)

    def load(self, file: int, begin: int, size: int) -> int:
        """Read a part of a file: how many bytes there were."""
        if len(self.bytes) < size + PADDING:
            self.bytes = np.zeros(size + PADDING, np.uint8)
        view = self.bytes[:size].data
        got = 0
        while got < size:
            more = os.preadv(file, [view[got:]], begin + got)
            if not more:
                break
            got += more
        return got
