"""One thread's part of decoding: locations one after the other, a chunk at a time.

Memory is one chunk, and what is open at a time: regions and requests.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.io.decoder_clock import WORDS
from topoview.io.decoder_count import count
from topoview.io.decoder_definitions import (
    BIG,
    HEADER,
    LITTLE,
    MARK,
    correct_first,
    define,
    order_pairs,
    tabulate,
)
from topoview.io.decoder_fill import LATEST, close, fill, open_row
from topoview.io.decoder_frame import (
    CHANGED,
    GROW_REQUESTS,
    GROW_STACK,
    TALLY,
    WHOLE,
    Frame,
    address,
    make_frame,
)
from topoview.io.decoder_further import WORDS as FURTHER_WORDS
from topoview.io.decoder_memory import PADDING
from topoview.io.decoder_regions import SPARSE
from topoview.io.decoder_requests import rehash
from topoview.io.records import MAPPINGS, REGION
from topoview.model import Ints

_STACK: Final = 256
_SLOTS: Final = 256
_TABLE: Final = 1 << 16
_LARGEST_CHUNK: Final = 1 << 27
_END: Final = b"\x02\x01"
_TAIL: Final = 4
_PEEK: Final = 1 << 12


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
        self._definition_chunk = max(definition_chunk, HEADER)
        self._advance = advance
        self._maps = np.zeros(3 * len(MAPPINGS), np.int64)
        self._tally = np.zeros(TALLY, np.int64)
        self._buffer = np.zeros(0, np.uint8)
        self._items = self._clocks = self._table = np.zeros(0, np.int64)
        self.further = np.zeros((256, FURTHER_WORDS), np.int64)
        self.set(
            maps=address(self._maps),
            tally=address(self._tally),
            further=address(self.further),
            **common,
        )
        self._common = common
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

    def _load(self, file: int, begin: int, size: int) -> int:
        """Read a part of a file to the buffer: how many bytes there were."""
        if len(self._buffer) < size + PADDING:
            self._buffer = np.zeros(size + PADDING, np.uint8)
        view = self._buffer[:size].data
        got = 0
        while got < size:
            more = os.preadv(file, [view[got:]], begin + got)
            if not more:
                break
            got += more
        return got

    def _define(self, location: int) -> tuple[str, int]:
        """Take the local definitions: what is wrong, and offsets of the clock."""
        row, fault, offsets = self._row, "", 0
        self._maps[:] = 0
        row["clock_count"] = row["clock"] = 0
        self.set(region_count=self._common["direct_count"])
        self.set(regions=self._common["direct"])
        try:
            file = os.open(f"{self._folder}/{location}.def", os.O_RDONLY)
        except FileNotFoundError:
            return "missing", 0
        except OSError as error:
            return f"unreadable ({error.strerror})", 0
        try:
            size = self._load(file, 0, os.fstat(file).st_size)
        except OSError as error:
            return f"unreadable ({error.strerror})", 0
        finally:
            os.close(file)
        if len(self._items) < 2 * size:
            self._items = np.zeros(4 * size, np.int64)
            self._clocks = np.zeros(WORDS * (len(self._items) // 8 + 1), np.int64)
            self.set(items=address(self._items), clocks=address(self._clocks))
        tail = bytes(self._buffer[max(size - _TAIL, 0) : size]).rstrip(b"\r\n")
        status, offsets = define(
            self.frame,
            address(self._buffer),
            size,
            self._definition_chunk,
            self._items,
            self._clocks,
        )
        if not tail.endswith(_END):
            fault = "cut short"
        elif status != WHOLE:
            fault = "damaged"
        self._find_regions()
        return fault, offsets

    def _find_regions(self) -> None:
        """Make the table of the location's regions."""
        maps = self._maps.reshape(-1, 3)
        for items, size, _ in maps[maps[:, 2] == SPARSE].tolist():
            begin = (items - address(self._items)) // 8
            kept = order_pairs(self._items[begin : begin + 2 * size])
            maps[maps[:, 0] == items, 1] = kept
        items, size, mode = maps[REGION].tolist()
        if not size:
            return
        begin = (items - address(self._items)) // 8
        if mode == SPARSE:
            local = self._items[begin : begin + 2 * size : 2]
            size = int(local[-1]) + 1 if 0 <= local[-1] < _TABLE else 0
        if len(self._table) < size:
            self._table = np.zeros(2 * size, np.int64)
        tabulate(self.frame, self._table[:size])
        self.set(regions=address(self._table), region_count=size)

    def peek(self, location: int) -> Counted:
        """Find when a location begins that is not to be read."""
        found = self.count(location, _PEEK)
        return NOTHING._replace(first=found.first, offsets=found.offsets)

    def count(self, location: int, most: int = sys.maxsize) -> Counted:
        """Count what a location holds, in the first `most` bytes of its file."""
        none = np.zeros(0, np.int64)
        fault, size = "", 0
        try:
            file = os.open(f"{self._folder}/{location}.evt", os.O_RDONLY)
        except FileNotFoundError:
            return Counted((), none, none, -1, 0, 0, 0, "missing", "")
        except OSError as error:
            fault = f"unreadable ({error.strerror})"
            return Counted((), none, none, -1, 0, 0, 0, fault, "")
        try:
            size = min(os.fstat(file).st_size, most)
            if not size:
                return Counted((), none, none, -1, 0, 0, 0, "empty", "")
            local_fault, offsets = self._define(location)
            self._tally[:] = 0
            self._row["first"] = -1
            chunks, lost, fault = self._count(file, size)
        except OSError as error:
            fault = f"unreadable ({error.strerror})"
            return Counted((), none, none, -1, 0, size, 0, fault, "")
        finally:
            os.close(file)
        if not any(chunk.events for chunk in chunks):
            return Counted((), none, none, -1, 0, size, lost, fault or "", "")
        correct_first(self.frame)
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

    def _count(self, file: int, size: int) -> tuple[list[Chunk], int, str]:
        chunks: list[Chunk] = []
        last = lost = got = 0
        fault = ""
        step = self._event_chunk
        if step > _LARGEST_CHUNK:
            return [], 0, "damaged"
        for begin in range(0, size, step):
            got = self._load(file, begin, min(step, size - begin))
            head = self._buffer[:HEADER]
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
            is_last = begin + step >= size
            if events != final - last or (status != WHOLE and not is_last):
                lost += final - last - events
                fault = "damaged" if fault or not is_last else "cut short"
            last = final
            if not self._advance(got):
                return chunks, lost, fault
        # A line end behind it does no harm: a tool for texts adds it.
        tail = bytes(self._buffer[max(got - _TAIL, 0) : got]).rstrip(b"\r\n")
        if tail.endswith(_END):
            return chunks, lost, "damaged" if fault else ""
        return chunks, lost, fault or "cut short"

    def _frame_chunk(self, swap: int, size: int, events: int) -> None:
        begin = address(self._buffer)
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
            self._define(location)
        self.set(depth=0)
        self._new_stack(_STACK)
        self._keys = self._values = np.zeros(0, np.int64)
        self._new_requests(_SLOTS)
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
                got = self._load(file, chunk.begin, chunk.size)
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
            else:
                return (
                    status != CHANGED and self._row["events"] == self._row["announced"]
                )
