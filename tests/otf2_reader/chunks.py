"""How much of an archive's files can be read, found before libotf2 reads them.

libotf2 trusts what a damaged file says: it can announce ten billion events, and
a file that was cut in a later chunk makes it repeat stale ones for ever. Each
chunk of a file begins with a header of 18 bytes: a mark, the byte order, and
the numbers of its first and last event. Scanning them is cheap, and bounds
every read. In a chunk that was cut the records are counted one by one: a byte
that says what it is, then its length, then its content (libotf2 3.1, source of
``OTF2_Buffer.c`` and ``OTF2_EvtReader_inc.c``). Definitions that were cut are
counted likewise: behind the cut libotf2 would read what memory held before, be
it the definitions of the trace that was read last.
"""

import contextlib
import struct
from pathlib import Path
from typing import IO, Final, NamedTuple

from topoview.io.archive.chunks import chunks_of

_MARK: Final = 3
_ORDERS: Final = {0x42: "<", 0x23: ">"}
_SIZE: Final = 18
_END: Final = b"\x02\x01"
_TAIL: Final = 4
_SMALLEST: Final = 2

# Records that are no events, and how long a record with its length can be.
_LAST_CONTROL: Final = 2
_TIME: Final = 5
_TIME_SIZE: Final = 9
_ATTRIBUTES: Final = 6
_LONG: Final = 0xFF
# Records of one number, which may be 0xFF to say that it is not defined.
_NUMBERS: Final = frozenset({12, 13, 16, 17, 20, 21, 24, 28, 29, 30})


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


def scan(path: Path, chunk_size: int) -> EventFile:
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
            return _scan(file, size, max(chunk_size, _SIZE))
    except FileNotFoundError:
        return EventFile(0, 0, 0, "missing")
    except OSError as error:
        return EventFile(0, 0, 0, f"unreadable ({error.strerror})")


def chunk_ends(path: Path, chunk_size: int) -> list[int]:
    """Give the number of the last event of each chunk of a file that is whole."""
    if not path.exists():
        return []
    data = path.read_bytes()
    heads = [
        data[at : at + _SIZE] for at in range(0, len(data), max(chunk_size, _SIZE))
    ]
    return [numbers[1] for numbers in map(_numbers, heads) if numbers]


def _scan(file: IO[bytes], size: int, chunk_size: int) -> EventFile:
    most = chunk_size // _SMALLEST
    before = last = begin = 0
    for begin in range(0, size, chunk_size):
        file.seek(begin)
        numbers = _numbers(file.read(_SIZE))
        if (
            numbers is None
            or numbers[0] != last + 1
            or not 0 <= numbers[1] - last < most
        ):
            return EventFile(size, last, last, "damaged")
        before, last = last, numbers[1]
    file.seek(max(size - _TAIL, 0))
    # A line end behind it does no harm: a tool for texts adds it.
    is_whole = file.read().rstrip(b"\r\n").endswith(_END)
    if is_whole and last - before <= (size - begin) // _SMALLEST:
        return EventFile(size, last, last, "")
    file.seek(begin + _SIZE)
    there = before + _count(file.read())
    return EventFile(
        size, min(there, last), last, "damaged" if is_whole else "cut short"
    )


def _numbers(head: bytes) -> tuple[int, int] | None:
    """Numbers of the first and the last event of a chunk, by its header."""
    if len(head) < _SIZE or head[0] != _MARK or head[1] not in _ORDERS:
        return None
    first, last = struct.unpack_from(f"{_ORDERS[head[1]]}QQ", head, 2)
    return first, last


def _count(data: bytes) -> int:
    """Count the whole event records in a chunk that was cut."""
    events = at = 0
    while at + 1 < len(data) and data[at] > _LAST_CONTROL:
        kind, length = data[at], data[at + 1]
        if kind == _TIME:
            at += _TIME_SIZE
            continue
        at += 2
        if length == _LONG and kind in _NUMBERS:
            length = 0
        elif length == _LONG:
            length = int.from_bytes(data[at : at + 8], "little")
            at += 8
        if length > len(data) - at:
            break
        at += length
        events += kind != _ATTRIBUTES
    return events


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
    if data[-_TAIL:].rstrip(b"\r\n").endswith(_END):
        return None
    whole = 0
    with contextlib.suppress(ValueError):
        for chunk in chunks_of(data, chunk_size):
            with contextlib.suppress(IndexError):
                for _, end in chunk.records():
                    whole += end <= len(chunk.data)
    return whole
