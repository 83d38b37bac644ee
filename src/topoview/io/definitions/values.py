"""Texts of an archive, and values whose type stands beside them, as a line of text."""

import struct
from collections.abc import Callable
from typing import Final

from topoview.text import one_line


def text_of(raw: bytes) -> str:
    r"""Decode a text; what would break or hide a line of it is spelt: ``\n``, ``\x1b``.

    Bytes that are no UTF-8 become U+FFFD.
    """
    return one_line(raw.decode(errors="replace"))


# Codes of OTF2_Type.
_SIGNED: Final = {5: 8, 6: 16, 7: 32, 8: 64}
_UNSIGNED: Final = {1: 8, 2: 16, 3: 32, **dict.fromkeys(range(11, 26), 32), 13: 64}
_FLOAT, _DOUBLE, _STRING = 9, 10, 11


def spell_value(kind: int, bits: int, text: Callable[[int], str]) -> str:
    """Spell a value by its OTF2_Type."""
    if kind == _STRING:
        return text(bits & 0xFFFFFFFF)
    if kind == _DOUBLE:
        return f"{struct.unpack('<d', struct.pack('<Q', bits))[0]:g}"
    if kind == _FLOAT:
        return f"{struct.unpack('<f', struct.pack('<I', bits & 0xFFFFFFFF))[0]:g}"
    if kind in _SIGNED:
        return str(as_signed(bits, _SIGNED[kind]))
    return str(bits & ((1 << _UNSIGNED.get(kind, 64)) - 1))


def as_signed(bits: int, size: int) -> int:
    """Read the lowest bits as a signed integer."""
    bits &= (1 << size) - 1
    return bits - (1 << size) if bits >> (size - 1) else bits
