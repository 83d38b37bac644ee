"""Kernels that find repetitions in a sequence of symbols."""

import numba
import numpy as np

from topoview.model import Ints


@numba.njit(nogil=True, cache=True)
def next_period(s: Ints, low: int, budget: int, runs: Ints) -> tuple[int, int, int]:
    """Find the shortest period, `low` or more, at which anything repeats.

    Parameters
    ----------
    s : int64, shape (n,)
    low
        First period to try.
    budget
        Comparisons that may be made.
    runs : int64, shape (m, 2), m > n / 2
        Filled with the first index and length of each maximal stretch that
        repeats with this period at least once.

    Returns
    -------
    period, number of runs, comparisons made
        Period 0 if there is none or the budget is spent.
    """
    n = len(s)
    spent = 0
    for period in range(low, n // 2 + 1):
        if spent > budget:
            break
        spent += n - period
        found = 0
        equal = 0
        for i in range(n - period):
            if s[i] == s[i + period]:
                equal += 1
                continue
            if equal >= period:
                runs[found, 0] = i - equal
                runs[found, 1] = equal + period
                found += 1
            equal = 0
        if equal >= period:
            runs[found, 0] = n - period - equal
            runs[found, 1] = equal + period
            found += 1
        if found:
            return period, found, spent
    return 0, 0, spent


@numba.njit(nogil=True, cache=True)
def best_run(s: Ints, budget: int) -> tuple[int, int, int, int]:
    """Find the repetition that saves most symbols when it is written once.

    Returns
    -------
    first, period, length, comparisons made
        Period 0 if nothing repeats.
    """
    n = len(s)
    saved, first, best, length, spent = 0, 0, 0, 0, 0
    for period in range(1, n // 2 + 1):
        if saved >= n - period or spent > budget:
            break
        spent += n - period
        equal = 0
        for i in range(n - period + 1):
            if i < n - period and s[i] == s[i + period]:
                equal += 1
                continue
            gain = equal // period * period
            if gain > saved:
                saved, first, best, length = gain, i - equal, period, equal + period
            equal = 0
    return first, best, length, spent


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
