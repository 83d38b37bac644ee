"""Checking an anchor file before libotf2 believes it.

An anchor begins with 46 bytes of fixed size (a mark, the byte order, "OTF2",
versions, chunk sizes, counts), then come three strings that end in a zero
(machine, creator, description), the number of properties, and these: two
strings each (libotf2 3.1, source of ``OTF2_AnchorFile.c``). libotf2 tries to
read as many as a damaged file announces, which can take hours.
"""

import struct
from pathlib import Path
from typing import Final

_MAGIC: Final = b"OTF2"
_ORDERS: Final = {0x42: "<", 0x23: ">"}
_FIXED: Final = 46
_STRINGS: Final = 3
_LARGEST: Final = 1 << 24


def is_plausible(path: Path) -> bool:
    """Tell whether an anchor file is worth showing to libotf2."""
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST)
    except OSError:
        return False
    if len(data) <= _FIXED or data[2:6] != _MAGIC or data[1] not in _ORDERS:
        return False
    at = _FIXED
    for _ in range(_STRINGS):
        at = data.find(b"\0", at) + 1
        if not at:
            return False
    if at + 4 > len(data):
        return False
    (properties,) = struct.unpack_from(f"{_ORDERS[data[1]]}I", data, at)
    return bool(2 * properties <= len(data) - at)
