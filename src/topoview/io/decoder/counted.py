"""What the first pass finds in a location."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.model import Ints


class Chunk(NamedTuple):
    """A chunk of a file: where it lies, its events, and its byte order.

    `skip` bytes of its records are left out, and not counted among its events.
    """

    begin: int
    size: int
    events: int
    swap: int
    skip: int = 0


class Start(NamedTuple):
    """Where reading a location begins, and what was before.

    Attributes
    ----------
    chunk, skip, events
        Number of the file's chunk; bytes and events of it that are left out.
    first, now
        Time stamps of the first event of all, and of the last one before that was
        looked at, 0 if none was.
    off
        Whether the measurement is switched off, or the location has ended.
    words : int64, shape (open regions,)
        Words of regions, see `topoview.io.decoder.regions`.
    sends, receives : int64, shape (n, 3)
        Partner, communicator and tag of messages before whose other end may come.
    """

    chunk: int
    skip: int
    events: int
    first: int
    now: int
    off: int
    words: Ints
    sends: Ints
    receives: Ints


class Part(NamedTuple):
    """Which part of a location's file is read.

    Attributes
    ----------
    size
        Bytes of the file, up to the end of a chunk.
    until
        Time stamp; the last event is the first end of a region that is not before it.
        -1: all.
    start
        None: from the file's beginning.
    """

    size: int
    until: int = -1
    start: Start | None = None


class Counted(NamedTuple):
    """What the first pass found in a location.

    Attributes
    ----------
    chunks
        Those that can be read.
    kinds, counts
        Types of records that there are, and how many of each; behind the types
        as in `topoview.io.decoder.frame`.
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
    start
        What was before; None if all was counted.
    is_whole
        Whether it was counted up to the end of the file.
    content, definitions
        What the two files contain, if that is held: the only chunk of the first.
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
    start: Start | None = None
    is_whole: bool = True
    content: bytes | None = None
    definitions: bytes | None = None

    @property
    def events(self) -> int:
        """Events that can be read."""
        return sum(chunk.events for chunk in self.chunks)


NOTHING: Final = Counted(
    (), np.zeros(0, np.int64), np.zeros(0, np.int64), -1, 0, 0, 0, "", ""
)
"""What is found in a location that is not to be read."""
