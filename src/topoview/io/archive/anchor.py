"""The anchor file of an archive, with which it is read.

An anchor begins with 46 bytes of fixed size (a mark, the byte order, "OTF2", versions,
chunk sizes, how files are stored, counts), then come three texts that end in a zero
(machine, creator, description). Version 2 added properties, two texts each, and an
identifier of the trace, version 3 two counts and a byte behind all (libotf2 3.1, source
of ``OTF2_AnchorFile.c``).
"""

import struct
from pathlib import Path
from typing import Final, NamedTuple

from topoview.errors import TraceError
from topoview.io.definitions.tables import text_of

_SUBSTRATE_AT: Final = 28
_COMPRESSION_AT: Final = 29
_SIONLIB: Final = 2
_ZLIB: Final = 2
_HEADER_BYTES: Final = 46
_MARK: Final = b"OTF2\0"
_BYTE_ORDERS: Final = {0x42: "<", 0x23: ">"}
_CHUNK_SIZES_AT: Final = 12
_SUBSTRATES: Final = (1, _SIONLIB, 3)
_COMPRESSIONS: Final = (1, _ZLIB)
_TEXTS: Final = 3
_IDENTIFIER_BYTES: Final = 8
_COUNTS_BYTES: Final = 8
_END: Final = b"\x02"
_MAX_BYTES: Final = 1 << 24
"""Bytes that are read of a file; an anchor has some hundred."""


class AnchorFile(NamedTuple):
    """What an anchor file says."""

    event_chunk: int
    definition_chunk: int
    """`event_chunk` and `definition_chunk`: bytes of the chunks of files."""
    creator: str
    """Name that the program which wrote the archive gave itself."""
    compressed: bool = False
    """Whether its files are compressed with zlib."""


def read_anchor_file(path: Path, shown: Path) -> AnchorFile:
    """Read an anchor file.

    Parameters
    ----------
    shown
        The file as the user knows it.

    Raises
    ------
    TraceError
        If it is damaged or none, or files lie in containers of SIONlib.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES)
        head = _parse(data)
    except (OSError, ValueError, struct.error):
        raise TraceError(
            f"{shown} is damaged or no OTF2 anchor file: nothing of the trace can be "
            "read without it; copy the trace again"
        ) from None
    if data[_SUBSTRATE_AT] == _SIONLIB:
        raise TraceError(
            f"{shown} keeps its events in containers of SIONlib, which cannot "
            "be read: measure without it (SCOREP_TRACING_USE_SION=no)"
        )
    return head


def _parse(data: bytes) -> AnchorFile:
    """Parse an anchor; raises `ValueError` or `struct.error` if it is none."""
    if (
        len(data) <= _HEADER_BYTES
        or data[2:7] != _MARK
        or data[1] not in _BYTE_ORDERS
        or data[_SUBSTRATE_AT] not in _SUBSTRATES
        or data[_COMPRESSION_AT] not in _COMPRESSIONS
    ):
        raise ValueError("no anchor")
    order, version = _BYTE_ORDERS[data[1]], data[7]
    event_chunk, definition_chunk = struct.unpack_from(
        f"{order}QQ", data, _CHUNK_SIZES_AT
    )
    _, creator, _, behind = data[_HEADER_BYTES:].split(b"\0", _TEXTS)
    if version > 1:
        (properties,) = struct.unpack_from(f"{order}I", behind)
        *texts, rest = behind[4:].split(b"\0", 2 * properties)
        after = _IDENTIFIER_BYTES + _COUNTS_BYTES * (version > 2)
        if len(texts) < 2 * properties or len(rest) < after:
            raise ValueError("the anchor ends")
        if version == 3 and rest[after : after + 1] != _END:
            raise ValueError("the anchor does not end")
    compressed = data[_COMPRESSION_AT] == _ZLIB
    return AnchorFile(event_chunk, definition_chunk, text_of(creator), compressed)
