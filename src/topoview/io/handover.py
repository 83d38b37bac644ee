"""Handing a large result from one process to another without copying it.

The pickle and, behind it, the memory of the arrays (pickle protocol 5,
out-of-band buffers) are written to a file without a name, which both processes
have open; the receiver maps it to memory. Nothing is left behind, however the
processes end.
"""

import mmap
import os
import pickle
import tempfile
from typing import Any, Final

_ALIGNMENT: Final = 64

Layout = list[tuple[int, int]]
"""Offset and length of the pickle and of each buffer."""


def make_store() -> int:
    """Make a file without a name; in memory where the system can.

    Returns
    -------
    int
        Its descriptor, which the caller closes.
    """
    if hasattr(os, "memfd_create"):
        return os.memfd_create("topoview")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def hand_over(value: object, store: int) -> Layout:
    """Write a value to a store."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    layout, offset = [], 0
    for block in (memoryview(head), *(buffer.raw() for buffer in buffers)):
        layout.append((offset, block.nbytes))
        written = 0
        while written < block.nbytes:
            written += os.pwrite(store, block[written:], offset + written)
        offset += -(-block.nbytes // _ALIGNMENT) * _ALIGNMENT
    os.ftruncate(store, max(offset, 1))
    return layout


def take_over(store: int, layout: Layout) -> Any:  # noqa: ANN401 - what was written
    """Read the value from a store; its arrays are read-only maps of the file."""
    memory = memoryview(mmap.mmap(store, 0, access=mmap.ACCESS_READ))
    head, *buffers = (memory[offset : offset + size] for offset, size in layout)
    return pickle.loads(head, buffers=buffers)
