"""What chunk headers of event files say: how much can be read, how large a trace is.

Every file of an archive is a row of chunks, each with a header that numbers its first
and last event. Scanning the headers is cheap: it bounds what may be read of a damaged
file, and tells the size, length and reading time of a trace before it is read.
"""

import os
import struct
from pathlib import Path
from typing import Final, Literal

from topoview.io.decoder.threads import cores
from topoview.model import TraceExtent

# How much of a file of definitions can be read, found before libotf2 reads it.
#
# Definitions that were cut are counted: behind the cut libotf2 would read what memory
# held before, be it the definitions of the trace that was read last. Each chunk of a
# file begins with a header of 18 bytes; a record is a byte that says what it is, then
# its length, then its content (libotf2 3.1, source of ``OTF2_Buffer.c``).

_CHUNK_MARK: Final = 3
_BYTE_ORDERS: Final[dict[int, Literal["little", "big"]]] = {0x42: "little", 0x23: "big"}
_CHUNK_HEADER_BYTES: Final = 18
_END_MARK: Final = b"\x02\x01"
_TAIL_BYTES: Final = 4

_LAST_CONTROL_RECORD: Final = 2
_LENGTH_IN_EIGHT_BYTES: Final = 0xFF


def count_definitions(path: Path, chunk_size: int) -> int | None:
    """Count the records in a file of definitions that was cut.

    Returns
    -------
    int or None
        How many are whole; None if the file itself is, or is missing.
    """
    try:
        data = path.read_bytes()
    except OSError:
        return None
    if data[-_TAIL_BYTES:].rstrip(b"\r\n").endswith(_END_MARK):
        return None
    records = 0
    for begin in range(0, len(data), max(chunk_size, _CHUNK_HEADER_BYTES)):
        chunk = data[begin : begin + chunk_size]
        if (
            len(chunk) <= _CHUNK_HEADER_BYTES
            or chunk[0] != _CHUNK_MARK
            or chunk[1] not in _BYTE_ORDERS
        ):
            break
        at = _CHUNK_HEADER_BYTES
        while at + 1 < len(chunk) and chunk[at] > _LAST_CONTROL_RECORD:
            length = chunk[at + 1]
            at += 2
            if length == _LENGTH_IN_EIGHT_BYTES:
                length = int.from_bytes(chunk[at : at + 8], _BYTE_ORDERS[chunk[1]])
                at += 8
            at += length
            records += at <= len(chunk)
    return records


# How large a trace is: from the headers of chunks, a look or two at each file.

LONG_READ_SECONDS: Final = 15.0
"""From how long on it is worth asking whether all is to be read."""

_READ_BYTES_PER_SECOND: Final = 45e6
"""Bytes a second that a core reads, about."""

_STORED_BYTES_PER_BYTE: Final = 2
"""Bytes in the store for a byte of the trace, about."""

_FIRST_BYTES: Final = 27
_TIMESTAMP_RECORD: Final = 5
_ORDERS: Final = {0x42: "<", 0x23: ">"}


def read_seconds(size: int) -> float:
    """Estimate how long reading so many bytes takes."""
    return size / (_READ_BYTES_PER_SECOND * cores())


def survey_trace(  # noqa: PLR0913
    name: str,
    folder: Path,
    locations: list[int],
    ranks: int,
    chunk: int,
    resolution: int,
) -> TraceExtent | None:
    """Look at the files of a trace; None if they are read in no time.

    Parameters
    ----------
    folder, locations
        Where the files are, and the locations' identifiers.
    chunk
        Bytes of their chunks.
    resolution
        Ticks a second.
    """
    files = [f"{folder}/{location}.evt" for location in locations]
    size = sum(_file_size(file) for file in files)
    seconds = read_seconds(size)
    if seconds < LONG_READ_SECONDS:
        return None
    events, length = 0, 0
    for file in files:
        last, begin, end = _look_at_file(file, max(chunk, _FIRST_BYTES))
        events += last
        length = max(length, end - begin)
    return TraceExtent(
        name=name,
        ranks=ranks,
        locations=len(files),
        events=events,
        size=size,
        length=length / resolution,
        seconds=seconds,
        room=_STORED_BYTES_PER_BYTE * size,
    )


def _file_size(file: str) -> int:
    try:
        return os.stat(file).st_size  # noqa: PTH116 - of very many files
    except OSError:
        return 0


def _look_at_file(file: str, chunk: int) -> tuple[int, int, int]:
    """Read the last event's number, and times of the first and the last chunk."""
    try:
        with Path(file).open("rb") as opened:
            size = os.fstat(opened.fileno()).st_size
            _, begin = _parse_head(opened.read(_FIRST_BYTES))
            opened.seek((size - 1) // chunk * chunk)
            last, end = _parse_head(opened.read(_FIRST_BYTES))
    except (OSError, ValueError):
        return 0, 0, 0
    return last, begin, end


def _parse_head(data: bytes) -> tuple[int, int]:
    if (
        len(data) < _FIRST_BYTES
        or data[1] not in _ORDERS
        or data[18] != _TIMESTAMP_RECORD
    ):
        raise ValueError("no chunk of events")
    _, last, time = struct.unpack_from(f"{_ORDERS[data[1]]}QQxQ", data, 2)
    return last, time
