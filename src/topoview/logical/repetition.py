"""How a sequence repeats as a whole."""

import numba
import numpy as np

from topoview.model import Ints


@numba.njit(nogil=True, cache=True)
def cycle_length(s: Ints) -> int:
    """Length of the shortest start that, repeated, gives the whole sequence.

    The repetition may end within the start. By the failure function of Knuth,
    Morris and Pratt (1977): linear time.
    """
    n = len(s)
    if n < 2:
        return n
    border = np.zeros(n, np.int64)
    k = 0
    for i in range(1, n):
        while k > 0 and s[i] != s[k]:
            k = border[k - 1]
        if s[i] == s[k]:
            k += 1
        border[i] = k
    return n - int(border[n - 1])
