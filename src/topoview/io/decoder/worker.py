"""One thread's part of decoding: locations one after the other, a chunk at a time.

Memory is one chunk, and what is open at a time: regions and requests.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from topoview.io.decoder.buffer import Buffer
from topoview.io.decoder.counted import Chunk, Counted, Part, Start
from topoview.io.decoder.counting import Counting, place_chunk
from topoview.io.decoder.definitions import HEADER, correct_first
from topoview.io.decoder.fill import LATEST, close, fill, open_row
from topoview.io.decoder.frame import (
    CHANGED,
    EXTRA,
    GROW_PATHS,
    GROW_REQUESTS,
    GROW_STACK,
    Frame,
    address,
    make_frame,
)
from topoview.io.decoder.further import WORDS as FURTHER_WORDS
from topoview.io.decoder.held import LARGEST, Held
from topoview.io.decoder.local import LocalTables
from topoview.io.decoder.paths import PathTable
from topoview.io.decoder.requests import FREE, rehash
from topoview.io.decoder.stretch import restore
from topoview.model import Ints

_STACK: Final = 256
_SLOTS: Final = 256
_CHANGED: Final = "changed while it was read"

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
        self.buffer = Buffer()
        self.further = np.zeros((256, FURTHER_WORDS), np.int64)
        self.set(
            further=address(self.further),
            **common,
        )
        self.local = LocalTables(
            self.frame, self.buffer, self.folder, definition_chunk, common
        )
        self._files, self._definitions = Held(), Held()
        self._counting = Counting(self.frame, self.buffer, self.event_chunk, advance)
        self.paths = PathTable(self.frame)
        self._stack = np.zeros(0, np.int64)
        self._new_stack(_STACK)
        self._keys = self._values = np.zeros(0, np.int64)
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

    def _begin(self) -> None:
        """Forget what was open in the location before."""
        self._row["depth"] = 0
        if len(self._stack) > _STACK:
            self._new_stack(_STACK)
        if len(self._keys) != _SLOTS:
            self._keys = self._values = np.zeros(0, np.int64)
            self._new_requests(_SLOTS)
        elif self._row["used"]:
            self._values.fill(FREE)
            self._row["used"] = 0
        self.paths.clear()

    @property
    def requests(self) -> Ints:
        """Values of the open requests, see `topoview.io.decoder.requests`."""
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
            chunks, tally, lost, fault = self._counting.count(file, whole, part)
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
        tally[EXTRA] = self._row["opening"] + self._row["ending"]
        kinds = np.flatnonzero(tally)
        content, is_only = None, whole <= min(LARGEST, self.event_chunk)
        if size == whole and is_only and chunks and not start:  # it is still there
            content = self._files.hold(self.buffer.bytes[: chunks[0].size].tobytes())
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
            start,
            self._counting.is_whole,
            content,
            self._definitions.hold(self.local.content),
        )

    def fill(self, location: int, counted: Counted) -> str:
        """Fill the columns with a location's events: what is wrong, if anything.

        The frame must say what the location is, and where its parts of the
        columns are.
        """
        if counted.chunks:
            self.local.define(location, counted.definitions)
        self._begin()
        open_row(self.frame)
        if counted.start is not None:
            self._begin_at(counted.start)
        self.is_inside = False
        if not counted.chunks:
            return ""
        fault = ""
        if counted.content is not None:
            got = self.buffer.put(counted.content)
            fault = self._take(counted.chunks[0], got)
            self.advance(got)
        else:
            fault = self._fill_from(location, counted)
        self.is_inside = bool(self._row["open_level"] >= 0)
        close(self.frame)
        return fault

    def _fill_from(self, location: int, counted: Counted) -> str:
        """Fill the columns from a location's file: what is wrong, if anything."""
        try:
            file = os.open(f"{self.folder}/{location}.evt", os.O_RDONLY)
        except OSError:
            return _CHANGED
        fault = ""
        try:
            for chunk in counted.chunks:
                got = self.buffer.load(file, chunk.begin, chunk.size)
                fault = self._take(chunk, got)
                if fault or not self.advance(got):
                    break
        except OSError as error:
            fault = f"unreadable ({error.strerror})"
        finally:
            os.close(file)
        return fault

    def _take(self, chunk: Chunk, got: int) -> str:
        """Fill in a chunk of which so many bytes are in memory."""
        begin, events = self.buffer.address, chunk.events
        place_chunk(self.frame, begin, got, chunk.swap, events, chunk.skip)
        return "" if got == chunk.size and self._fill() else _CHANGED

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
