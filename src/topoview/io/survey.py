"""How large a trace is: from the headers of chunks, a look or two at each file."""

import os
import struct
from pathlib import Path
from typing import Final

from topoview.io.decoder.pool import cores
from topoview.model import Extent

LONG_SECONDS: Final = 15.0
"""From how long on it is worth asking whether all is to be read."""

_RATE: Final = 45e6
"""Bytes a second that a core reads, about."""

_KEPT: Final = 2
"""Bytes in the store for a byte of the trace, about."""

_HEADER: Final = 27
_TIME: Final = 5
_ORDERS: Final = {0x42: "<", 0x23: ">"}


def seconds_for(size: int) -> float:
    """Estimate how long reading so many bytes takes."""
    return size / (_RATE * cores())


def survey(  # noqa: PLR0913
    name: str,
    folder: Path,
    locations: list[int],
    ranks: int,
    chunk: int,
    resolution: int,
) -> Extent | None:
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
    size = sum(_size(file) for file in files)
    seconds = seconds_for(size)
    if seconds < LONG_SECONDS:
        return None
    events, length = 0, 0
    for file in files:
        last, begin, end = _look(file, max(chunk, _HEADER))
        events += last
        length = max(length, end - begin)
    return Extent(
        name=name,
        ranks=ranks,
        locations=len(files),
        events=events,
        size=size,
        length=length / resolution,
        seconds=seconds,
        room=_KEPT * size,
    )


def _size(file: str) -> int:
    try:
        return os.stat(file).st_size  # noqa: PTH116 - of very many files
    except OSError:
        return 0


def _look(file: str, chunk: int) -> tuple[int, int, int]:
    """Read the last event's number, and times of the first and the last chunk."""
    try:
        with Path(file).open("rb") as opened:
            size = os.fstat(opened.fileno()).st_size
            _, begin = _head(opened.read(_HEADER))
            opened.seek((size - 1) // chunk * chunk)
            last, end = _head(opened.read(_HEADER))
    except (OSError, ValueError):
        return 0, 0, 0
    return last, begin, end


def _head(data: bytes) -> tuple[int, int]:
    if len(data) < _HEADER or data[1] not in _ORDERS or data[18] != _TIME:
        raise ValueError("no chunk of events")
    _, last, time = struct.unpack_from(f"{_ORDERS[data[1]]}QQxQ", data, 2)
    return last, time
