"""Which small numbers occur: `numpy.unique` holds Python's lock while it looks."""

import numba
import numpy as np

from topoview.model import Indices, Ints


@numba.njit(nogil=True, cache=True)
def occurring(numbers: Indices, size: int) -> Ints:
    """Find which numbers occur, in order; negative ones do not count.

    Parameters
    ----------
    numbers : int, shape (n,)
        Below `size`.
    """
    seen = np.zeros(size, np.bool_)
    for number in numbers:
        if number >= 0:
            seen[number] = True
    return np.flatnonzero(seen)
