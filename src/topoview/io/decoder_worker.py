"""One thread's part of decoding: locations one after the other, a chunk at a time.

Memory is one chunk, and what is open at a time: regions and requests.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

import numpy as np

from topoview.io.decoder_buffer import Buffer
from topoview.io.decoder_count import count
from topoview.io.decoder_counted import NOTHING, Chunk, Counted
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
from topoview.io.records import TIMESTAMP
from topoview.model import Ints

_STACK: Final = 256
_SLOTS: Final = 256
_LARGEST_CHUNK: Final = 1 << 27
_PEEK: Final = 1 << 12


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
        self._folder = os.fspath(folder)
        self._event_chunk = max(event_chunk, HEADER)
        self._advance = advance
        self._tally = np.zeros(TALLY, np.int64)
        self._buffer = Buffer()
        self.further = np.zeros((256, FURTHER_WORDS), np.int64)
        self.set(
            tally=address(self._tally),
            further=address(self.further),
            **common,
        )
        self._local = LocalTables(
            self.frame, self._buffer, self._folder, definition_chunk, common
        )
        self.paths = PathTable(self.frame)
        self._stack = np.zeros(0, np.int64)
        self._new_stack(_STACK)
        self._keys = self._values = np.zeros(0, np.int64)

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

    def peek(self, location: int) -> Counted:
        """Find when a location begins that is not to be read."""
        found = self.count(location, _PEEK)
        return NOTHING._replace(first=found.first, offsets=found.offsets)

    def end(self, location: int, until: int, behind: int) -> int:
        """Find how many bytes of a location's file are to be read.

        Those of chunks that begin before a time stamp, and of some `behind` them.
        """
        try:
            file = os.open(f"{self._folder}/{location}.evt", os.O_RDONLY)
        except OSError:
            return 0
        try:
            size, step = os.fstat(file).st_size, self._event_chunk
            self._local.define(location)
            low, high = 1, -(-size // step)
            while low < high:
                middle = (low + high) // 2
                begin = self._begin_of(file, middle * step)
                low, high = (low, middle) if begin >= until else (middle + 1, high)
            return min((low + behind) * step, size)
        except OSError:
            return 0
        finally:
            os.close(file)

    def _begin_of(self, file: int, at: int) -> int:
        """Time stamp that a chunk begins with; -1 if it has none."""
        head = os.pread(file, HEADER + 9, at)
        if len(head) < HEADER + 9 or head[0] != MARK or head[HEADER] != TIMESTAMP:
            return -1
        order: Literal["little", "big"] = "big" if head[1] == BIG else "little"
        stamp = int.from_bytes(head[HEADER + 1 :], order)
        if stamp > LATEST:
            return -1
        self._row["first"], self._row["clock"] = stamp, 0
        correct_first(self.frame)
        return int(self._row["first"])

    @property
    def requests(self) -> Ints:
        """Values of the table of requests that are open, see `decoder_requests`."""
        return self._values

    def count(self, location: int, most: int = sys.maxsize) -> Counted:
        """Count what a location holds, in the first `most` bytes of its file.

        What is behind them is no damage.
        """
        none, fault, size = np.zeros(0, np.int64), "", 0
        try:
            file = os.open(f"{self._folder}/{location}.evt", os.O_RDONLY)
        except FileNotFoundError:
            return Counted((), none, none, -1, 0, 0, 0, "missing", "")
        except OSError as error:
            fault = f"unreadable ({error.strerror})"
            return Counted((), none, none, -1, 0, 0, 0, fault, "")
        try:
            whole = os.fstat(file).st_size
            size = min(whole, most)
            if not size:
                return Counted((), none, none, -1, 0, 0, 0, "empty", "")
            local_fault, offsets = self._local.define(location)
            self._tally[:] = 0
            self._row["first"] = self._row["opening"] = -1
            chunks, lost, fault = self._count(file, size, size == whole)
        except OSError as error:
            fault = f"unreadable ({error.strerror})"
            return Counted((), none, none, -1, 0, size, 0, fault, "")
        finally:
            os.close(file)
        if not any(chunk.events for chunk in chunks):
            return Counted((), none, none, -1, 0, size, lost, fault or "", "")
        correct_first(self.frame)
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
        )

    def _count(
        self, file: int, size: int, is_whole: bool
    ) -> tuple[list[Chunk], int, str]:
        chunks: list[Chunk] = []
        last = lost = got = 0
        fault = ""
        step = self._event_chunk
        if step > _LARGEST_CHUNK:
            return [], 0, "damaged"
        for begin in range(0, size, step):
            got = self._buffer.load(file, begin, min(step, size - begin))
            head = self._buffer.bytes[:HEADER]
            swap = int(head[1] == BIG)
            order = ">" if swap else "<"
            first, final = (int(n) for n in head[2:HEADER].view(f"{order}u8"))
            if (
                got < HEADER
                or head[0] != MARK
                or head[1] not in (LITTLE, BIG)
                or first != last + 1
                or not 0 <= final - last < step
            ):
                return chunks, lost, "damaged"
            self._frame_chunk(swap, got, final - last)
            count(self.frame)
            events, status = int(self._row["events"]), int(self._row["status"])
            chunks.append(Chunk(begin, got, events, swap))
            is_last = begin + step >= size and is_whole
            if events != final - last or (status != WHOLE and not is_last):
                lost += final - last - events
                fault = "damaged" if fault or not is_last else "cut short"
            last = final
            if not self._advance(got):
                return chunks, lost, fault
        if not is_whole:
            return chunks, lost, fault
        # A line end behind it does no harm: a tool for texts adds it.
        tail = bytes(self._buffer.bytes[max(got - TAIL, 0) : got]).rstrip(b"\r\n")
        if tail.endswith(END):
            return chunks, lost, "damaged" if fault else ""
        return chunks, lost, fault or "cut short"

    def _frame_chunk(self, swap: int, size: int, events: int) -> None:
        begin = address(self._buffer.bytes)
        self.set(
            begin=begin + HEADER,
            at=begin + HEADER,
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
            self._local.define(location)
        self.set(depth=0)
        self._new_stack(_STACK)
        self._keys = self._values = np.zeros(0, np.int64)
        self._new_requests(_SLOTS)
        self.paths.clear()
        open_row(self.frame)
        if not counted.chunks:
            return ""
        fault = ""
        try:
            file = os.open(f"{self._folder}/{location}.evt", os.O_RDONLY)
        except OSError:
            return "changed while it was read"
        try:
            for chunk in counted.chunks:
                got = self._buffer.load(file, chunk.begin, chunk.size)
                self._frame_chunk(chunk.swap, got, chunk.events)
                if got < chunk.size or not self._fill():
                    fault = "changed while it was read"
                    break
                if not self._advance(got):
                    break
        except OSError as error:
            fault = f"unreadable ({error.strerror})"
        finally:
            os.close(file)
        close(self.frame)
        return fault

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
