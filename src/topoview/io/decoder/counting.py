"""The first pass over a file or a part of it: chunks counted, two at a time."""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from topoview.io.decoder.buffer import Buffer
from topoview.io.decoder.count import count, count_near
from topoview.io.decoder.counted import Chunk, Part
from topoview.io.decoder.definitions import BIG, HEADER, LITTLE, MARK
from topoview.io.decoder.frame import TALLY, WHOLE, Frame, address
from topoview.io.decoder.local import END, TAIL
from topoview.io.decoder.stretch import count_until
from topoview.model import Ints

_LARGEST_CHUNK: Final = 1 << 27
_PAIRED: Final = 1 << 22
"""Bytes of a chunk up to which two are in memory at a time."""

_LAST_CHUNKS: Final = 2
"""Chunks at the end of a part in which the end of a stretch of time is looked for."""


_NOTHING: Final = (0, 0, 0)


class _Found(NamedTuple):
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
        self.is_whole = True

    def count(
        self, file: int, whole: int, part: Part
    ) -> tuple[list[Chunk], Ints, int, str]:
        """Count the records of a location whose local definitions are known.

        `is_whole` then tells whether that went up to the file's end.

        Parameters
        ----------
        file
            Its descriptor.
        whole
            Bytes of it.
        part
            What is to be counted.

        Returns
        -------
        list, int64, int, str
            Chunks that can be read; records as in `topoview.io.decoder.frame`; events
            that are announced and not there; what is wrong with the file, if anything.
        """
        self._tallies[:] = 0
        self._row["first"] = self._row["opening"] = -1
        self.is_whole = part.size >= whole
        chunks, lost, fault = self._count(file, min(part.size, whole), part)
        return chunks, self._tallies.sum(axis=0), lost, fault

    def _count(  # noqa: C901 - one pass
        self, file: int, size: int, part: Part
    ) -> tuple[list[Chunk], int, str]:
        chunks: list[Chunk] = []
        fault, step, start = "", self._step, part.start
        if step > _LARGEST_CHUNK:
            return [], 0, "damaged"
        origin = start.chunk * step if start else 0
        is_paired = step <= _PAIRED and not start and part.until < 0
        stride = 2 * step if is_paired else step
        last = -1 if start else 0
        lost = end = 0
        for begin in range(origin, size, stride):
            wanted = min(stride, size - begin)
            got = self._buffer.load(file, begin, wanted)
            several = [self._found(at, got) for at in range(0, wanted, step)]
            done = self._count_near(several)
            for found, near in zip(several, done, strict=True):
                last = found.first - 1 if found and last < 0 else last
                if found is None or found.first != last + 1:
                    return chunks, lost, "damaged"
                announced = found.last - last
                if not 0 <= announced < step:
                    return chunks, lost, "damaged"
                skip = 0
                if start and not chunks:
                    skip, announced = start.skip, announced - start.events
                behind = begin + found.at + step
                is_end = False
                if behind + (_LAST_CHUNKS - 1) * step >= size:
                    is_end, announced = self._until(part, found, announced, skip)
                self._place(found, announced, skip, near)
                count(self._frame)
                events, status = int(self._row["events"]), int(self._row["status"])
                at = begin + found.at
                chunks.append(Chunk(at, found.size, events, found.swap, skip))
                is_last = behind >= size and self.is_whole
                if events != announced or (status != WHOLE and not is_last):
                    lost += announced - events
                    fault = "damaged" if fault or not is_last else "cut short"
                last, end = found.last, found.at + found.size
                self.is_whole &= not is_end
                if is_end or not self._advance(found.size):
                    return chunks, lost, fault
        if not self.is_whole:
            return chunks, lost, fault
        # A line end behind it does no harm: a tool for texts adds it.
        tail = bytes(self._buffer.bytes[max(end - TAIL, 0) : end]).rstrip(b"\r\n")
        if tail.endswith(END):
            return chunks, lost, "damaged" if fault else ""
        return chunks, lost, fault or "cut short"

    def _found(self, at: int, got: int) -> _Found | None:
        """Read the header of a chunk; None if it is none."""
        size = min(self._step, got - at)
        head = self._buffer.bytes[at : at + HEADER]
        if size < HEADER or head[0] != MARK or head[1] not in (LITTLE, BIG):
            return None
        swap = int(head[1] == BIG)
        first, last = (int(n) for n in head[2:].view(">u8" if swap else "<u8"))
        return _Found(at, size, swap, first, last)

    def _until(
        self, part: Part, found: _Found, announced: int, skip: int
    ) -> tuple[bool, int]:
        """Find whether the part ends in a chunk, and how many events are wanted."""
        if part.until < 0:
            return False, announced
        self._place(found, announced, skip)
        most = int(count_until(self._frame, part.until))
        return most >= 0, most if most >= 0 else announced

    def _place(
        self,
        found: _Found,
        announced: int,
        skip: int,
        near: tuple[int, int, int] = _NOTHING,
    ) -> None:
        """Tell the frame of a chunk, and how far it was counted before."""
        begin = self._buffer.address + found.at
        place_chunk(self._frame, begin, found.size, found.swap, announced, skip)
        at, events, latest = near
        if events:
            row = self._row
            row["at"], row["events"], row["latest"] = at, events, latest

    def _count_near(self, several: list[_Found | None]) -> list[tuple[int, int, int]]:
        """Count two chunks as far as that goes: place, events, last type."""
        nothing = [_NOTHING] * len(several)
        found = [part for part in several if part is not None and not part.swap]
        if len(found) < 2 or found[1].first != found[0].last + 1:
            return nothing
        announced = [part.last - part.first + 1 for part in found]
        if not all(0 < number < self._step for number in announced):
            return nothing
        one, other = found
        begin, row = self._buffer.address, self._row
        place_chunk(self._frame, begin + one.at, one.size, 0, min(announced))
        row["other_at"] = begin + other.at + HEADER
        row["other_end"] = begin + other.at + other.size
        count_near(self._frame)
        events, latest = int(row["events"]), int(row["latest"])
        places = int(row["at"]), int(row["other_at"])
        return [(place, events, latest) for place in places]


def place_chunk(  # noqa: PLR0913
    frame: Frame, begin: int, size: int, swap: int, events: int, skip: int = 0
) -> None:
    """Tell the frame where a chunk is, and how many events behind `skip` it has."""
    row = frame[0]
    row["begin"] = row["at"] = begin + HEADER + skip
    row["end"] = begin + size
    row["swap"], row["announced"], row["events"], row["latest"] = swap, events, 0, -1
