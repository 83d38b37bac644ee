"""One thread's part of decoding: locations one after the other, a chunk at a time.

Memory is one chunk, and what is open at a time: regions and requests.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from topoview.io.decoder_buffer import Buffer
from topoview.io.decoder_count import count
from topoview.io.decoder_counted import Chunk, Counted, Part, Start
from topoview.io.decoder_definitions import BIG, HEADER, LITTLE, MARK, correct_first
from topoview.io.decoder_fill import LATEST, close, fill, open_row
from topoview.io.decoder_frame import (
    CHANGED,
    EXTRA,
    GROW_PATHS,
    GROW_REQUESTS,
    GROW_STACK,
    TALLY,
    WHOLE,
    Frame,
    address,
    make_frame,
)
from topoview.io.decoder_further import WORDS as FURTHER_WORDS
from topoview.io.decoder_local import END, TAIL, LocalTables
from topoview.io.decoder_paths import PathTable
from topoview.io.decoder_requests import rehash
from topoview.io.decoder_stretch import count_until, restore
from topoview.model import Ints

_STACK: Final = 256
_SLOTS: Final = 256
_LARGEST_CHUNK: Final = 1 << 27
_LAST_CHUNKS: Final = 2

WHOLE_FILE: Final = Part(sys.maxsize)


class Worker:
    """What one thread needs.

    Parameters
    ----------
    folder
        Folder of the locations' files.
    event_chunk, definition_chunk
        Bytes of the chunks of files.
    common
        Fields of the frame that are the same for all locations.
    advance
        Called with bytes that were read; tells whether to go on.
    """

    def __init__(
        self,
        folder: Path,
        event_chunk: int,
        definition_chunk: int,
        common: dict[str, int],
        advance: Callable[[int], bool],
    ) -> None:
        self.frame: Frame = make_frame()
        self._row = self.frame[0]
        self.folder = os.fspath(folder)
        self.event_chunk = max(event_chunk, HEADER)
        self.advance = advance
        self._tally = np.zeros(TALLY, np.int64)
        self.buffer = Buffer()
        self.further = np.zeros((256, FURTHER_WORDS), np.int64)
        self.set(
            tally=address(self._tally),
            further=address(self.further),
            **common,
        )
        self.local = LocalTables(
            self.frame, self.buffer, self.folder, definition_chunk, common
        )
        self.paths = PathTable(self.frame)
        self._stack = np.zeros(0, np.int64)
        self._new_stack(_STACK)
        self._keys = self._values = np.zeros(0, np.int64)
        self._is_whole = True
        self.is_inside = False
        """Whether the location that was filled last ended inside an MPI call."""

    def set(self, **fields: int) -> None:
        """Set fields of the frame."""
        for name, value in fields.items():
            self._row[name] = value

    def _new_stack(self, size: int) -> None:
        stack = np.zeros(size, np.int64)
        if self._row["depth"]:
            stack[: len(self._stack)] = self._stack
        self._stack = stack
        self.set(stack=address(stack), stack_size=size)

    def _new_requests(self, slots: int) -> None:
        old_keys, old_values = self._keys, self._values
        self._keys, self._values = np.empty(slots, np.int64), np.empty(slots, np.int64)
        self.set(keys=address(self._keys), values=address(self._values), slots=slots)
        rehash(self.frame, old_keys, old_values)

    @property
    def requests(self) -> Ints:
        """Values of the table of requests that are open, see `decoder_requests`."""
        return self._values

    def count(self, location: int, part: Part = WHOLE_FILE) -> Counted:
        """Count what a location holds in a part of its file.

        What is behind that is no damage.
        """
        none, fault, size = np.zeros(0, np.int64), "", 0
        try:
            file = os.open(f"{self.folder}/{location}.evt", os.O_RDONLY)
        except FileNotFoundError:
            return Counted((), none, none, -1, 0, 0, 0, "missing", "")
        except OSError as error:
            fault = f"unreadable ({error.strerror})"
            return Counted((), none, none, -1, 0, 0, 0, fault, "")
        try:
            whole = os.fstat(file).st_size
            size = min(whole, part.size)
            if not size:
                return Counted((), none, none, -1, 0, 0, 0, "empty", "")
            local_fault, offsets = self.local.define(location)
            self._tally[:] = 0
            self._row["first"] = self._row["opening"] = -1
            self._is_whole = size == whole
            chunks, lost, fault = self._count(file, size, part)
        except OSError as error:
            fault = f"unreadable ({error.strerror})"
            return Counted((), none, none, -1, 0, size, 0, fault, "")
        finally:
            os.close(file)
        start = part.start
        if not any(chunk.events for chunk in chunks):
            first = start.first if start else -1
            return Counted((), none, none, first, 0, size, lost, fault, "", start)
        self._row["clock"] = 0
        correct_first(self.frame)
        if start:
            self._row["first"] = start.first
        self._tally[EXTRA] = self._row["opening"] + self._row["ending"]
        kinds = np.flatnonzero(self._tally)
        return Counted(
            tuple(chunks),
            kinds,
            self._tally[kinds],
            min(int(self._row["first"]) % (4 * LATEST), LATEST),
            offsets,
            size,
            lost,
            fault,
            local_fault,
            start,
            self._is_whole,
        )

    def _count(  # noqa: C901
        self, file: int, size: int, part: Part
    ) -> tuple[list[Chunk], int, str]:
        chunks: list[Chunk] = []
        last = lost = got = 0
        fault = ""
        step = self.event_chunk
        if step > _LARGEST_CHUNK:
            return [], 0, "damaged"
        origin = part.start.chunk * step if part.start else 0
        for begin in range(origin, size, step):
            got = self.buffer.load(file, begin, min(step, size - begin))
            head = self.buffer.bytes[:HEADER]
            swap = int(head[1] == BIG)
            order = ">" if swap else "<"
            first, final = (int(n) for n in head[2:HEADER].view(f"{order}u8"))
            if part.start and begin == origin:
                last = first - 1
            if (
                got < HEADER
                or head[0] != MARK
                or head[1] not in (LITTLE, BIG)
                or first != last + 1
                or not 0 <= final - last < step
            ):
                return chunks, lost, "damaged"
            skip = wanted = 0
            if part.start and begin == origin:
                skip, wanted = part.start.skip, -part.start.events
            wanted += final - last
            is_end = False
            if part.until >= 0 and begin + _LAST_CHUNKS * step >= size:
                self.frame_chunk(swap, got, wanted, skip)
                most = int(count_until(self.frame, part.until))
                is_end, wanted = most >= 0, most if most >= 0 else wanted
            self.frame_chunk(swap, got, wanted, skip)
            count(self.frame)
            events, status = int(self._row["events"]), int(self._row["status"])
            chunks.append(Chunk(begin, got, events, swap, skip))
            is_last = begin + step >= size and self._is_whole
            if events != wanted or (status != WHOLE and not is_last):
                lost += wanted - events
                fault = "damaged" if fault or not is_last else "cut short"
            last = final
            self._is_whole &= not is_end
            if is_end or not self.advance(got):
                return chunks, lost, fault
        if not self._is_whole:
            return chunks, lost, fault
        # A line end behind it does no harm: a tool for texts adds it.
        tail = bytes(self.buffer.bytes[max(got - TAIL, 0) : got]).rstrip(b"\r\n")
        if tail.endswith(END):
            return chunks, lost, "damaged" if fault else ""
        return chunks, lost, fault or "cut short"

    def frame_chunk(self, swap: int, size: int, events: int, skip: int = 0) -> None:
        """Tell kernels of the chunk in the buffer."""
        begin = address(self.buffer.bytes)
        self.set(
            begin=begin + HEADER + skip,
            at=begin + HEADER + skip,
            end=begin + size,
            swap=swap,
            announced=events,
            events=0,
        )

    def fill(self, location: int, counted: Counted) -> str:
        """Fill the columns with a location's events: what is wrong, if anything.

        The frame must say what the location is, and where its parts of the
        columns are.
        """
        if counted.chunks:
            self.local.define(location)
        self.set(depth=0)
        self._new_stack(_STACK)
        self._keys = self._values = np.zeros(0, np.int64)
        self._new_requests(_SLOTS)
        self.paths.clear()
        open_row(self.frame)
        if counted.start is not None:
            self._begin_at(counted.start)
        self.is_inside = False
        if not counted.chunks:
            return ""
        fault = ""
        try:
            file = os.open(f"{self.folder}/{location}.evt", os.O_RDONLY)
        except OSError:
            return "changed while it was read"
        try:
            for chunk in counted.chunks:
                got = self.buffer.load(file, chunk.begin, chunk.size)
                self.frame_chunk(chunk.swap, got, chunk.events, chunk.skip)
                if got < chunk.size or not self._fill():
                    fault = "changed while it was read"
                    break
                if not self.advance(got):
                    break
        except OSError as error:
            fault = f"unreadable ({error.strerror})"
        finally:
            os.close(file)
        self.is_inside = bool(self._row["open_level"] >= 0)
        close(self.frame)
        return fault

    def _begin_at(self, start: Start) -> None:
        while len(self._stack) <= len(start.words):
            self._new_stack(2 * len(self._stack))
        ends = start.sends, start.receives
        restore(self.frame, start.words, start.off, start.now, *ends)

    def _fill(self) -> bool:
        """Fill in a chunk; tells whether it is the one that was counted."""
        while True:
            fill(self.frame)
            status = int(self._row["status"])
            if status == GROW_STACK:
                self._new_stack(2 * len(self._stack))
            elif status == GROW_REQUESTS:
                self._new_requests(2 * len(self._keys))
            elif status == GROW_PATHS:
                self.paths.grow()
            else:
                return (
                    status != CHANGED and self._row["events"] == self._row["announced"]
                )
