"""What the first pass finds in a location."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.model import Ints


class Chunk(NamedTuple):
    """A chunk of a file: where it lies, its events, and its byte order."""

    begin: int
    size: int
    events: int
    swap: int


class Counted(NamedTuple):
    """What the first pass found in a location.

    Attributes
    ----------
    chunks
        Those that can be read.
    kinds, counts
        Types of records that there are, and how many of each; behind the types
        as in `topoview.io.decoder_frame`.
    first
        Time of the first event, corrected; -1 without one.
    offsets
        Offsets of the clock that the local definitions hold.
    size
        Bytes.
    lost
        Events that are announced and not there.
    fault, definitions_fault
        What is wrong with the two files, empty if nothing is.
    """

    chunks: tuple[Chunk, ...]
    kinds: NDArray[np.int64]
    counts: Ints
    first: int
    offsets: int
    size: int
    lost: int
    fault: str
    definitions_fault: str

    @property
    def events(self) -> int:
        """Events that can be read."""
        return sum(chunk.events for chunk in self.chunks)


NOTHING: Final = Counted(
    (), np.zeros(0, np.int64), np.zeros(0, np.int64), -1, 0, 0, 0, "", ""
)
"""What is found in a location that is not to be read."""
