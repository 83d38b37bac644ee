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
from topoview.io.decoder_counted import NOTHING, Counted
from topoview.io.decoder_counting import Counting, place_chunk
from topoview.io.decoder_definitions import BIG, HEADER, MARK, correct_first
from topoview.io.decoder_fill import LATEST, close, fill, open_row
from topoview.io.decoder_frame import (
    CHANGED,
    EXTRA,
    GROW_PATHS,
    GROW_REQUESTS,
    GROW_STACK,
    Frame,
    address,
    make_frame,
)
from topoview.io.decoder_further import WORDS as FURTHER_WORDS
from topoview.io.decoder_local import LocalTables
from topoview.io.decoder_paths import PathTable
from topoview.io.decoder_requests import rehash
from topoview.io.records import TIMESTAMP
from topoview.model import Ints

_STACK: Final = 256
_SLOTS: Final = 256
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
        self._buffer = Buffer()
        self.further = np.zeros((256, FURTHER_WORDS), np.int64)
        self.set(
            further=address(self.further),
            **common,
        )
        self._local = LocalTables(
            self.frame, self._buffer, self._folder, definition_chunk, common
        )
        self._counting = Counting(self.frame, self._buffer, self._event_chunk, advance)
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
            chunks, tally, lost, fault = self._counting.count(file, size, size == whole)
        except OSError as error:
            fault = f"unreadable ({error.strerror})"
            return Counted((), none, none, -1, 0, size, 0, fault, "")
        finally:
            os.close(file)
        if not any(chunk.events for chunk in chunks):
            return Counted((), none, none, -1, 0, size, lost, fault or "", "")
        correct_first(self.frame)
        tally[EXTRA] = self._row["opening"] + self._row["ending"]
        kinds = np.flatnonzero(tally)
        return Counted(
            tuple(chunks),
            kinds,
            tally[kinds],
            min(int(self._row["first"]) % (4 * LATEST), LATEST),
            offsets,
            size,
            lost,
            fault,
            local_fault,
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
                begin = address(self._buffer.bytes)
                place_chunk(self.frame, begin, got, chunk.swap, chunk.events)
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
