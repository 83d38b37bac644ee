"""Chunks of files: what their headers say, and the records in them.

Every file of an archive is a row of chunks, each with a header of 18 bytes that, of
events, numbers the first and the last one; a record is a byte that says what it is, its
length, and its content (libotf2 3.1, source of ``OTF2_Buffer.c``). Scanning this is
cheap: it tells the size, length and reading time of a trace before it is read. Events
and definitions are decoded in C.
"""

from collections.abc import Iterator
from typing import Final, Literal

from topoview.base.platform import cores
from topoview.io.archive.contents import EventFiles, TraceFile
from topoview.io.definitions.tables import text_of
from topoview.model import TraceExtent

_CHUNK_MARK: Final = 3
_BYTE_ORDERS: Final[dict[int, Literal["little", "big"]]] = {0x42: "little", 0x23: "big"}
_CHUNK_HEADER_BYTES: Final = 18
_LAST_CONTROL_RECORD: Final = 2
_LENGTH_IN_EIGHT_BYTES: Final = 0xFF
_MAX_INTEGER_BYTES: Final = 8


class Chunk:
    """A chunk, read one thing after the other.

    Each method raises `IndexError` or `ValueError` where there is no such thing.
    """

    def __init__(self, data: bytes) -> None:
        if (
            len(data) <= _CHUNK_HEADER_BYTES
            or data[0] != _CHUNK_MARK
            or data[1] not in _BYTE_ORDERS
        ):
            raise ValueError("no chunk")
        self.data, self.at, self._order = data, 2, _BYTE_ORDERS[data[1]]
        """`data` and `at`: its bytes, and where it is read next: behind the header
        at first."""
        _, self.last = self.fixed(8), self.fixed(8)
        """`last`: number of its last event."""

    def records(self) -> Iterator[tuple[int, int]]:
        """Go from record to record: the type of each, and where it should end."""
        while (kind := self.byte()) > _LAST_CONTROL_RECORD:
            length = self.byte()
            if length == _LENGTH_IN_EIGHT_BYTES:
                length = self.fixed(8)
            end = self.at + length
            yield kind, end
            self.at = end

    def byte(self) -> int:
        """Read a byte."""
        self.at += 1
        return self.data[self.at - 1]

    def fixed(self, size: int) -> int:
        """Read an integer of so many bytes."""
        raw = self.data[self.at : self.at + size]
        if len(raw) < size:
            raise IndexError("the chunk ends")
        self.at += size
        return int.from_bytes(raw, self._order)

    def integer(self) -> int:
        """Read an integer behind its length; -1 if it is undefined."""
        size = self.byte()
        if size == _LENGTH_IN_EIGHT_BYTES:
            return -1
        if size > _MAX_INTEGER_BYTES:
            raise ValueError("no integer")
        return self.fixed(size)

    def text(self) -> str:
        """Read a text."""
        end = self.data.index(b"\0", self.at)
        raw = self.data[self.at : end]
        self.at = end + 1
        return text_of(raw)


def chunks_of(data: bytes, size: int) -> Iterator[Chunk]:
    """Iterate over the chunks of a file; raises `ValueError` where one is damaged."""
    size = max(size, _CHUNK_HEADER_BYTES)
    for begin in range(0, len(data), size):
        yield Chunk(data[begin : begin + size])


# How large a trace is: from the headers of chunks, a look or two at each file.

LONG_READ_SECONDS: Final = 15.0
"""From how long on it is worth asking whether all is to be read."""

_READ_BYTES_PER_SECOND: Final = 45e6
"""Bytes a second that a core reads, about."""

_STORED_BYTES_PER_BYTE: Final = 2
"""Bytes in the store for a byte of the trace, about."""

_FIRST_BYTES: Final = _CHUNK_HEADER_BYTES + 9
"""Bytes of a chunk up to the first event: behind the header stands its time."""

_TIMESTAMP_RECORD: Final = 5


def read_seconds(size: int) -> float:
    """Estimate how long reading so many bytes takes."""
    return size / (_READ_BYTES_PER_SECOND * cores())


def survey_trace(
    name: str, files: EventFiles, locations: list[int], ranks: int
) -> TraceExtent | None:
    """Look at the files of a trace; None if they are read in no time.

    Parameters
    ----------
    locations
        The locations' identifiers.
    """
    size = sum(map(files.size, locations))
    seconds = read_seconds(size)
    if seconds < LONG_READ_SECONDS:
        return None
    events, length = 0, 0
    for location in locations:
        last, begin, end = _look_at_file(files, location)
        events += last
        length = max(length, end - begin)
    return TraceExtent(
        name=name,
        ranks=ranks,
        locations=len(locations),
        events=events,
        size=size,
        length=length / files.resolution,
        seconds=seconds,
        room=_STORED_BYTES_PER_BYTE * size,
    )


def _look_at_file(files: EventFiles, location: int) -> tuple[int, int, int]:
    """Read the last event's number, and times of the first and the last chunk."""
    chunk = max(files.event_chunk, _FIRST_BYTES)
    try:
        with TraceFile(files.path(location), compressed=files.compressed) as file:
            _, begin = _parse_head(file.read(0, _FIRST_BYTES))
            last = (file.size - 1) // chunk * chunk
            last, end = _parse_head(file.read(last, _FIRST_BYTES))
    except (OSError, ValueError, IndexError):
        return 0, 0, 0
    return last, begin, end


def _parse_head(data: bytes) -> tuple[int, int]:
    """Read the number of the last event of a chunk, and the time of the first."""
    chunk = Chunk(data)
    if chunk.byte() != _TIMESTAMP_RECORD:
        raise ValueError("no chunk of events")
    return chunk.last, chunk.fixed(8)
