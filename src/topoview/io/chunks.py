"""Chunk headers of event files: how many events can be read from each.

libotf2 trusts what a damaged file says: it can announce ten billion events, and
a file cut in a later chunk makes it repeat stale ones for ever. Each chunk of a
file begins with a header of 18 bytes: a mark, the byte order, and the numbers
of its first and last event (OTF2 3.1, source of ``OTF2_Buffer.c``). Scanning
them is cheap, and bounds every read.
"""

import struct
from pathlib import Path
from typing import NamedTuple

_HEADER = struct.Struct("<BB")
_MARK = 3
_ORDERS = {0x42: "<", 0x23: ">"}
_SIZE = 18
_END = b"\x02\x01"
_TAIL = 4


class EventFile(NamedTuple):
    """What the chunk headers of an event file say.

    Attributes
    ----------
    size
        Bytes.
    whole
        Events in the chunks that are whole.
    announced
        Events that the headers announce, chunks that were cut included.
    fault
        What is wrong with the file, empty if nothing is.
    """

    size: int
    whole: int
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
        with path.open("rb") as file:
            whole = last = 0
            for begin in range(0, size, chunk_size):
                file.seek(begin)
                head = file.read(_SIZE)
                numbers = _numbers(head)
                if numbers is None or numbers[0] != last + 1 or numbers[1] < last:
                    return EventFile(size, last, last, "a chunk is damaged")
                length = min(chunk_size, size - begin)
                # A record takes two bytes at least.
                if 2 * (numbers[1] - last) > length and length == chunk_size:
                    return EventFile(size, last, last, "a chunk is damaged")
                whole, last = last, numbers[1]
            if not size:
                return EventFile(0, 0, 0, "it is empty")
            file.seek(max(size - _TAIL, 0))
            # A line end behind it does no harm: a tool for texts adds it.
            if not file.read().rstrip(b"\r\n").endswith(_END):
                return EventFile(size, whole, last, "its end is missing")
            return EventFile(size, last, last, "")
    except FileNotFoundError:
        return EventFile(0, 0, 0, "it is missing")
    except OSError as error:
        return EventFile(0, 0, 0, f"it cannot be read ({error.strerror})")


def _numbers(head: bytes) -> tuple[int, int] | None:
    if len(head) < _SIZE:
        return None
    mark, order = _HEADER.unpack_from(head)
    if mark != _MARK or order not in _ORDERS:
        return None
    first, last = struct.unpack_from(f"{_ORDERS[order]}QQ", head, 2)
    return first, last
