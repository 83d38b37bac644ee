"""Local definitions of a location, as kernels need them."""

import os
from typing import Final

import numpy as np

from topoview.io.decoder.buffer import Buffer
from topoview.io.decoder.clock import WORDS
from topoview.io.decoder.definitions import HEADER, define, order_pairs, tabulate
from topoview.io.decoder.frame import WHOLE, Frame, address
from topoview.io.decoder.regions import SPARSE
from topoview.io.record_types import MAPPINGS, REGION

END: Final = b"\x02\x01"
"""How a file ends."""
TAIL: Final = 4
"""Bytes that are looked at for that."""

_TABLE: Final = 1 << 16


class LocalTables:
    """Mapping tables, offsets of the clock and regions of one location at a time.

    Parameters
    ----------
    frame
        Is told where they are.
    folder
        Folder of the locations' files.
    chunk
        Bytes of the chunks of files.
    common
        Fields of the frame that are the same for all locations.
    """

    def __init__(
        self,
        frame: Frame,
        buffer: Buffer,
        folder: str,
        chunk: int,
        common: dict[str, int],
    ) -> None:
        self._frame, self._row = frame, frame[0]
        self._buffer, self._folder = buffer, folder
        self._chunk = max(chunk, HEADER)
        self._common = common
        self._maps = np.zeros(3 * len(MAPPINGS), np.int64)
        self._items = self._clocks = self._table = np.zeros(0, np.int64)
        self._set(maps=address(self._maps))
        self.content: bytes | None = None
        """What was taken last; None if nothing was."""
        self._found = "", 0

    def _set(self, **fields: int) -> None:
        for name, value in fields.items():
            self._row[name] = value

    def define(self, location: int, held: bytes | None = None) -> tuple[str, int]:
        """Take the local definitions: what is wrong, and offsets of the clock.

        Parameters
        ----------
        held
            What the location's file contains, if that is known.
        """
        try:
            content = self._load(location) if held is None else held
        except FileNotFoundError:
            self._forget()
            return "missing", 0
        except OSError as error:
            self._forget()
            return f"unreadable ({error.strerror})", 0
        if content != self.content:
            # Mostly all locations have the same.
            self._forget()
            self._found = self._define(content)
            self.content = content
        self._row["clock"] = 0
        return self._found

    def _load(self, location: int) -> bytes:
        file = os.open(f"{self._folder}/{location}.def", os.O_RDONLY)
        try:
            size = self._buffer.load(file, 0, os.fstat(file).st_size)
            return self._buffer.bytes[:size].tobytes()
        finally:
            os.close(file)

    def _forget(self) -> None:
        self.content = None
        self._maps[:] = 0
        self._row["clock_count"] = self._row["clock"] = 0
        self._set(region_count=self._common["direct_count"])
        self._set(regions=self._common["direct"])

    def _define(self, content: bytes) -> tuple[str, int]:
        size, fault = self._buffer.put(content), ""
        if len(self._items) < 2 * size:
            self._items = np.zeros(4 * size, np.int64)
            self._clocks = np.zeros(WORDS * (len(self._items) // 8 + 1), np.int64)
            self._set(items=address(self._items), clocks=address(self._clocks))
        tail = content[-TAIL:].rstrip(b"\r\n")
        status, offsets = define(
            self._frame,
            self._buffer.address,
            size,
            self._chunk,
            self._items,
            self._clocks,
        )
        if not tail.endswith(END):
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
        tabulate(self._frame, self._table[:size])
        self._set(regions=address(self._table), region_count=size)
