"""Small files that stay in memory between the two passes.

To open a file, ask for its size, read and close it takes longer than to decode a few
kilobytes: a trace of 100,000 ranks has 200,000 such files, read twice.
"""

from typing import Final

from topoview.io.decoder.pool import cores
from topoview.memory import memory_budget

LARGEST: Final = 1 << 16
"""Bytes of a file up to which it is worth it."""

_ROOM: Final = 1 << 26
_SHARE: Final = 16
"""Of the budget of memory no more than this part is taken."""


class Held:
    """Room for what one thread has read; files beyond it are read again."""

    def __init__(self) -> None:
        self._room = min(_ROOM, memory_budget() // _SHARE) // cores()
        self._last: bytes | None = None

    def hold(self, content: bytes | None) -> bytes | None:
        """Give what is held of a file: its content, or None.

        The same object as before takes no further room.
        """
        if content is None or content is self._last:
            return content
        if len(content) > min(self._room, LARGEST):
            return None
        self._room -= len(content)
        self._last = content
        return content
