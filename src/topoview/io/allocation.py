"""Where reading takes its arrays from: memory, or files of a store."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Allocate(Protocol):
    """Give an array of one dimension, whatever it contains, to be written to.

    Parameters
    ----------
    name
        What it is, unique in a reading: ``timeline.time``, ``calls.enter``,
        ``messages.size``. What the trace holds in the end is the array's
        beginning, ``array[:count]``.
    length
        Elements: as many as there can be, perhaps more than are written.
    dtype
    scratch
        The array is needed until the trace has been read, and not in it.
    """

    def __call__(
        self, name: str, length: int, dtype: DTypeLike, *, scratch: bool = False
    ) -> NDArray[Any]:
        """Give an array."""
        ...


def in_memory(
    name: str, length: int, dtype: DTypeLike, *, scratch: bool = False
) -> NDArray[Any]:
    """Take an array from memory; what is never written to costs nothing."""
    del name, scratch
    return np.empty(length, dtype)
