"""The first pass over a file: its chunks counted, two at a time."""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from topoview.io.decoder_buffer import Buffer
from topoview.io.decoder_count import count, count_near
from topoview.io.decoder_counted import Chunk
from topoview.io.decoder_definitions import BIG, HEADER, LITTLE, MARK
from topoview.io.decoder_frame import TALLY, WHOLE, Frame, address
from topoview.io.decoder_local import END, TAIL
from topoview.model import Ints

_LARGEST_CHUNK: Final = 1 << 27
_PAIRED: Final = 1 << 22
"""Bytes of a chunk up to which two are in memory at a time."""


class _Part(NamedTuple):
    """A chunk in memory: where it is, how much of it, and what its header says."""

    at: int
    size: int
    swap: int
    first: int
    last: int


class Counting:
    """What one thread counts with.

    Parameters
    ----------
    frame
        Is told where the tally is.
    step
        Bytes of the chunks of files.
    advance
        Called with bytes that were read; tells whether to go on.
    """

    def __init__(
        self, frame: Frame, buffer: Buffer, step: int, advance: Callable[[int], bool]
    ) -> None:
        self._frame, self._row, self._buffer = frame, frame[0], buffer
        self._step, self._advance = step, advance
        self._tallies = np.zeros((2, TALLY), np.int64)
        self._row["tally"] = address(self._tallies)

    def count(
        self, file: int, size: int, is_whole: bool
    ) -> tuple[list[Chunk], Ints, int, str]:
        """Count the records of a location whose local definitions are known.

        Parameters
        ----------
        file
            Its descriptor.
        size
            Bytes that are to be read.
        is_whole
            They are all.

        Returns
        -------
        list, int64, int, str
            Chunks that can be read; records as in `decoder_frame`; events that are
            announced and not there; what is wrong with the file, if anything.
        """
        self._tallies[:] = 0
        self._row["first"] = self._row["opening"] = -1
        chunks, lost, fault = self._count(file, size, is_whole)
        return chunks, self._tallies.sum(axis=0), lost, fault

    def _count(
        self, file: int, size: int, is_whole: bool
    ) -> tuple[list[Chunk], int, str]:
        chunks: list[Chunk] = []
        last = lost = end = 0
        fault, step = "", self._step
        if step > _LARGEST_CHUNK:
            return [], 0, "damaged"
        stride = 2 * step if step <= _PAIRED else step
        for begin in range(0, size, stride):
            wanted = min(stride, size - begin)
            got = self._buffer.load(file, begin, wanted)
            parts = [self._part(at, got) for at in range(0, wanted, step)]
            done = self._count_near(parts)
            for part, (at, events, latest) in zip(parts, done, strict=True):
                if part is None or part.first != last + 1:
                    return chunks, lost, "damaged"
                announced = part.last - last
                if not 0 <= announced < step:
                    return chunks, lost, "damaged"
                self._place(part, at, events, latest, announced)
                count(self._frame)
                events, status = int(self._row["events"]), int(self._row["status"])
                chunks.append(Chunk(begin + part.at, part.size, events, part.swap))
                is_last = begin + part.at + step >= size and is_whole
                if events != announced or (status != WHOLE and not is_last):
                    lost += announced - events
                    fault = "damaged" if fault or not is_last else "cut short"
                last, end = part.last, part.at + part.size
                if not self._advance(part.size):
                    return chunks, lost, fault
        if not is_whole:
            return chunks, lost, fault
        # A line end behind it does no harm: a tool for texts adds it.
        tail = bytes(self._buffer.bytes[max(end - TAIL, 0) : end]).rstrip(b"\r\n")
        if tail.endswith(END):
            return chunks, lost, "damaged" if fault else ""
        return chunks, lost, fault or "cut short"

    def _part(self, at: int, got: int) -> _Part | None:
        """Read the header of a chunk; None if it is none."""
        size = min(self._step, got - at)
        head = self._buffer.bytes[at : at + HEADER]
        if size < HEADER or head[0] != MARK or head[1] not in (LITTLE, BIG):
            return None
        swap = int(head[1] == BIG)
        first, last = (int(n) for n in head[2:].view(">u8" if swap else "<u8"))
        return _Part(at, size, swap, first, last)

    def _place(
        self, part: _Part, at: int, events: int, latest: int, announced: int
    ) -> None:
        begin = address(self._buffer.bytes) + part.at
        place_chunk(self._frame, begin, part.size, part.swap, announced)
        if events:
            row = self._row
            row["at"], row["events"], row["latest"] = at, events, latest

    def _count_near(self, parts: list[_Part | None]) -> list[tuple[int, int, int]]:
        """Count two chunks as far as that goes: place, events, last type."""
        nothing = [(0, 0, 0)] * len(parts)
        found = [part for part in parts if part is not None and not part.swap]
        if len(found) < 2 or found[1].first != found[0].last + 1:
            return nothing
        announced = [part.last - part.first + 1 for part in found]
        if not all(0 < number < self._step for number in announced):
            return nothing
        one, other = found
        begin, row = address(self._buffer.bytes), self._row
        place_chunk(self._frame, begin + one.at, one.size, 0, min(announced))
        row["other_at"] = begin + other.at + HEADER
        row["other_end"] = begin + other.at + other.size
        count_near(self._frame)
        events, latest = int(row["events"]), int(row["latest"])
        places = int(row["at"]), int(row["other_at"])
        return [(place, events, latest) for place in places]


def place_chunk(frame: Frame, begin: int, size: int, swap: int, events: int) -> None:
    """Tell the frame where a chunk is, and how many events it is said to hold."""
    row = frame[0]
    row["begin"] = row["at"] = begin + HEADER
    row["end"] = begin + size
    row["swap"], row["announced"], row["events"], row["latest"] = swap, events, 0, -1
