"""What chunk headers of event files say: how much can be read, how large a trace is.

Every file of an archive is a row of chunks, each with a header that numbers its first
and last event. Scanning the headers is cheap: it bounds what may be read of a damaged
file, and tells the size, length and reading time of a trace before it is read.
"""

import os
import struct
from pathlib import Path
from typing import IO, Final, Literal, NamedTuple

import numba
import numpy as np

from topoview.io.decoder.pool import cores
from topoview.model import Bytes, TraceExtent

# How much of an archive's files can be read, found before libotf2 reads them.
#
# libotf2 trusts what a damaged file says: it can announce ten billion events, and a
# file that was cut in a later chunk makes it repeat stale ones for ever. Each chunk
# of a file begins with a header of 18 bytes: a mark, the byte order, and the numbers
# of its first and last event. Scanning them is cheap, and bounds every read. In a
# chunk that was cut the records are counted one by one: a byte that says what it is,
# then its length, then its content (libotf2 3.1, source of ``OTF2_Buffer.c`` and
# ``OTF2_EvtReader_inc.c``). Definitions that were cut are counted likewise: behind
# the cut libotf2 would read what memory held before, be it the definitions of the
# trace that was read last.

_CHUNK_MARK: Final = 3
_ORDERS: Final = {0x42: "<", 0x23: ">"}
_BYTE_ORDERS: Final[dict[int, Literal["little", "big"]]] = {0x42: "little", 0x23: "big"}
_CHUNK_HEADER_BYTES: Final = 18
_END_MARK: Final = b"\x02\x01"
_TAIL_BYTES: Final = 4
_MIN_EVENT_BYTES: Final = 2

# Records that are no events, and how long a record with its length can be.
_LAST_CONTROL_RECORD: Final = 2
_TIMESTAMP_RECORD: Final = 5
_TIMESTAMP_BYTES: Final = 9
_ATTRIBUTES_RECORD: Final = 6
_LENGTH_IN_EIGHT_BYTES: Final = 0xFF
# Records of one number, which may be 0xFF to say that it is not defined.
_BARE_RECORDS: Final = frozenset({12, 13, 16, 17, 20, 21, 24, 28, 29, 30})


class EventFile(NamedTuple):
    """What the chunk headers of an event file say.

    Attributes
    ----------
    size
        Bytes.
    readable
        Events that are there.
    announced
        Events that the headers announce.
    fault
        What is wrong with the file, empty if nothing is.
    """

    size: int
    readable: int
    announced: int
    fault: str


def scan_event_file(path: Path, chunk_size: int) -> EventFile:
    """Read the chunk headers of an event file.

    Parameters
    ----------
    chunk_size
        Bytes of a chunk, from the anchor file.
    """
    try:
        size = path.stat().st_size
        if not size:
            return EventFile(0, 0, 0, "empty")
        with path.open("rb") as file:
            return _scan_chunks(file, size, max(chunk_size, _CHUNK_HEADER_BYTES))
    except FileNotFoundError:
        return EventFile(0, 0, 0, "missing")
    except OSError as error:
        return EventFile(0, 0, 0, f"unreadable ({error.strerror})")


def _scan_chunks(file: IO[bytes], size: int, chunk_size: int) -> EventFile:
    most = chunk_size // _MIN_EVENT_BYTES
    before = last = begin = 0
    for begin in range(0, size, chunk_size):
        file.seek(begin)
        numbers = _event_numbers(file.read(_CHUNK_HEADER_BYTES))
        if (
            numbers is None
            or numbers[0] != last + 1
            or not 0 <= numbers[1] - last < most
        ):
            return EventFile(size, last, last, "damaged")
        before, last = last, numbers[1]
    file.seek(max(size - _TAIL_BYTES, 0))
    # A line end behind it does no harm: a tool for texts adds it.
    is_whole = file.read().rstrip(b"\r\n").endswith(_END_MARK)
    if is_whole and last - before <= (size - begin) // _MIN_EVENT_BYTES:
        return EventFile(size, last, last, "")
    file.seek(begin + _CHUNK_HEADER_BYTES)
    there = before + int(_count_events(np.frombuffer(file.read(), np.uint8)))
    return EventFile(
        size, min(there, last), last, "damaged" if is_whole else "cut short"
    )


def _event_numbers(head: bytes) -> tuple[int, int] | None:
    """Numbers of the first and the last event of a chunk, by its header."""
    if (
        len(head) < _CHUNK_HEADER_BYTES
        or head[0] != _CHUNK_MARK
        or head[1] not in _ORDERS
    ):
        return None
    first, last = struct.unpack_from(f"{_ORDERS[head[1]]}QQ", head, 2)
    return first, last


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
            or chunk[1] not in _ORDERS
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


_IS_BARE: Final = np.array([kind in _BARE_RECORDS for kind in range(256)])


@numba.njit(nogil=True, cache=True)
def _count_events(data: Bytes) -> np.int64:
    """Count the whole event records in a chunk that was cut."""
    events = np.int64(0)
    at = np.int64(0)
    while at + 1 < len(data):
        kind = data[at]
        if kind <= _LAST_CONTROL_RECORD:
            break
        if kind == _TIMESTAMP_RECORD:
            at += _TIMESTAMP_BYTES
            continue
        length = np.int64(data[at + 1])
        at += 2
        if length == _LENGTH_IN_EIGHT_BYTES and _IS_BARE[kind]:
            length = np.int64(0)
        elif length == _LENGTH_IN_EIGHT_BYTES:
            if at + 8 > len(data):
                break
            length = np.int64(0)
            for place in range(7, -1, -1):
                length = (length << 8) | np.int64(data[at + place])
            at += 8
        if length < 0 or length > len(data) - at:
            break
        at += length
        events += kind != _ATTRIBUTES_RECORD
    return events


# How large a trace is: from the headers of chunks, a look or two at each file.

LONG_READ_SECONDS: Final = 15.0
"""From how long on it is worth asking whether all is to be read."""

_READ_BYTES_PER_SECOND: Final = 45e6
"""Bytes a second that a core reads, about."""

_STORED_BYTES_PER_BYTE: Final = 2
"""Bytes in the store for a byte of the trace, about."""

_FIRST_BYTES: Final = 27


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
