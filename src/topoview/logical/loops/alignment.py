"""Align two sequences: find a long common subsequence."""

import cython
import numpy as np

if not cython.compiled:
    from topoview.base.kinds import Bool, Int, Ints, OutIntRows, OutInts, Pair

MAX_ALIGNMENT_STEPS = 1_000_000_000
"""Steps that all alignments of a trace may take together, about."""


def limit_for(symbols: Int) -> Int:
    """Return the edits that one alignment may look ahead when so many are aligned."""
    return min(max(MAX_ALIGNMENT_STEPS // max(symbols, 1), 16), 1024)


def align(a: Ints, b: Ints, limit: Int) -> Ints:
    """Find a long common subsequence.

    Myers (1986), An O(ND) difference algorithm and its variations, section 3;
    where more than `limit` edits are needed the path that came farthest is
    taken so far, and the search begins anew from its end. So it takes
    O((len(a) + len(b)) limit) steps and O(limit^2) memory.

    Parameters
    ----------
    a, b : int64, shapes (n,) and (m,)
    limit
        Edits to look ahead, 1 or more.

    Returns
    -------
    int64, shape (n,)
        For each symbol of `a` the index in `b` that it is aligned with, -1
        where there is none; ascending where it is not.
    """
    n: Int = len(a)
    m: Int = len(b)
    partner: OutInts = np.full(n, -1, np.int64)
    while n > 0 and m > 0 and a[n - 1] == b[m - 1]:  # equal ends need no search
        n -= 1
        m -= 1
        partner[n] = m
    limit = min(limit, max(n + m, 1))  # so many edits always suffice
    reach: OutIntRows = np.empty((limit + 1, 2 * limit + 3), np.int64)
    i: Int = 0
    j: Int = 0
    with cython.nogil:
        while True:
            while i < n and j < m and a[i] == b[j]:
                partner[i] = j
                i += 1
                j += 1
            if i == n or j == m:
                break
            edits, diagonal = search_edits(a, i, n, b, j, m, reach)
            x: Int = reach[edits, diagonal + limit + 1]
            trace_back(reach, edits, diagonal, i, j, partner)
            i += x
            j += x - diagonal
    return np.asarray(partner)


def search_edits(  # noqa: PLR0913
    a: Ints, i: Int, n: Int, b: Ints, j: Int, m: Int, reach: OutIntRows
) -> Pair:
    """Find how far so many edits lead, until an end is reached or the limit.

    Parameters
    ----------
    a, i, n, b, j, m
        The sequences, from `i` to `n` and from `j` to `m`.
    reach : int64, shape (limit + 1, 2 limit + 3)
        Gets how many symbols of `a` are passed, by edits and diagonal.

    Returns
    -------
    int and int
        Edits and diagonal of the path that comes farthest.
    """
    limit: Int = len(reach) - 1
    zero: Int = limit + 1
    best: Int = -1
    diagonal: Int = 0
    n -= i
    m -= j
    d: Int
    for d in range(limit + 1):
        best = -1
        k: Int = -d
        while k <= d:
            x: Int = 0
            if d > 0:
                if k == -d or (k != d and from_above(reach, d, k, zero)):
                    x = reach[d - 1, zero + k + 1]
                else:
                    x = reach[d - 1, zero + k - 1] + 1
            y: Int = x - k
            if x > n or y > m or y < 0:  # outside: no path goes on from here
                reach[d, zero + k] = min(x, n + 1)
            else:
                while x < n and y < m and a[i + x] == b[j + y]:
                    x += 1
                    y += 1
                reach[d, zero + k] = x
                if x == n and y == m:
                    return d, k
                if x + y > best:
                    best, diagonal = x + y, k
            k += 2
    return limit, diagonal


def from_above(reach: OutIntRows, d: Int, k: Int, zero: Int) -> Bool:
    """Return whether the best path to a diagonal ends with a symbol of `b` alone."""
    farther: Bool = reach[d - 1, zero + k - 1] < reach[d - 1, zero + k + 1]
    return farther


def trace_back(  # noqa: PLR0913
    reach: OutIntRows, d: Int, k: Int, i: Int, j: Int, partner: OutInts
) -> None:
    """Note the diagonals of the path to edits d, diagonal k in `partner`."""
    zero: Int = len(reach)
    while True:
        x: Int = reach[d, zero + k]
        start: Int = 0
        step: Int = 0
        if d > 0 and (k == -d or (k != d and from_above(reach, d, k, zero))):
            start = reach[d - 1, zero + k + 1]
            step = 1
        elif d > 0:
            start = reach[d - 1, zero + k - 1] + 1
            step = -1
        while x > start:
            x -= 1
            partner[i + x] = j + x - k
        if d == 0:
            return
        d -= 1
        k += step
