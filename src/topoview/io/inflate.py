"""Archives that OTF2 compressed with zlib, and those in containers.

A compressed file is a row of blocks: eight bytes that mark a header, the sizes of
the block compressed, uncompressed, and of the block before (four bytes each,
little endian), then the block, a zlib stream. Old writers leave a gap behind the
block: as many bytes as it has uncompressed (libotf2 1.5, source of ``OTF2_File.c``;
libotf2 3 reads none of this). The files are written again without compression.
"""

import struct
import zlib
from pathlib import Path
from typing import IO, Final

from topoview.errors import TraceError
from topoview.io.archive import Anchor
from topoview.progress import Report

_SUBSTRATE: Final = 28
_COMPRESSION: Final = 29
_SIONLIB: Final = 2
_NONE: Final = 1
_ZLIB: Final = 2
_MARKS: Final = (b"\xff\xff\xff\xff\0\0\0\0", b"\0\0\0\0\xff\xff\xff\xff")
_SIZES: Final = struct.Struct("<III")
_HEADER: Final = 8 + _SIZES.size
_LARGEST: Final = 1 << 27
_SUFFIXES: Final = frozenset({".def", ".evt", ".snap"})


def without_compression(anchor: Anchor, scratch: Path, report: Report) -> Anchor:
    """Give an anchor whose files are not compressed: itself, or that of a copy.

    Raises
    ------
    TraceError
        If the files lie in containers of SIONlib, or the copy has no room.
    """
    try:
        with anchor.file.open("rb") as file:
            head = file.read(_COMPRESSION + 1)
    except OSError:
        return anchor
    if len(head) <= _COMPRESSION:
        return anchor
    if head[_SUBSTRATE] == _SIONLIB:
        raise TraceError(
            f"{anchor.shown} keeps its events in containers of SIONlib, which cannot "
            "be read: measure without it (SCOREP_TRACING_USE_SION=no)"
        )
    if head[_COMPRESSION] != _ZLIB:
        return anchor
    folder = scratch / "inflated"
    try:
        return anchor._replace(file=_copy(anchor.file, folder, report))
    except OSError as error:
        raise TraceError(
            f"{anchor.shown} is compressed, and there is no room to unpack it in "
            f"{scratch.parent} ({error.strerror}): free some, or set TMPDIR"
        ) from error


def _copy(anchor: Path, folder: Path, report: Report) -> Path:
    copy = folder / anchor.name
    copy.with_suffix("").mkdir(parents=True)
    data = bytearray(anchor.read_bytes())
    data[_COMPRESSION] = _NONE
    copy.write_bytes(data)
    files = [anchor.with_suffix(".def"), *sorted(anchor.with_suffix("").iterdir())]
    for number, file in enumerate(files):
        report("unpacking", number / len(files))
        if file.suffix in _SUFFIXES and file.is_file():
            with file.open("rb") as packed:
                there = folder / file.relative_to(anchor.parent)
                with there.open("wb") as whole:
                    _inflate(packed, whole)
    return copy


def _inflate(packed: IO[bytes], whole: IO[bytes]) -> None:
    """Write all blocks that are whole; what is lost is found when it is read."""
    while True:
        begin = packed.tell()
        head = packed.read(_HEADER)
        if len(head) < _HEADER or head[:8] not in _MARKS:
            return
        size, size_whole, _ = _SIZES.unpack(head[8:])
        if not 0 < size <= _LARGEST or not 0 < size_whole <= _LARGEST:
            return
        stream = zlib.decompressobj()
        try:
            block = stream.decompress(packed.read(size), size_whole)
        except zlib.error:
            return
        whole.write(block)
        if packed.read(8) not in _MARKS:
            packed.seek(begin + _HEADER + size_whole)
            if packed.read(8) not in _MARKS:
                return
        packed.seek(-8, 1)
