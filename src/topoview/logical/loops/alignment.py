"""Align two sequences: find a long common subsequence."""

import numpy as np

from topoview.base.kernels import kernel
from topoview.model import Ints

MAX_ALIGNMENT_STEPS = 1_000_000_000
"""Steps that all alignments of a trace may take together, about."""


def limit_for(symbols: int) -> int:
    """Edits that one alignment may look ahead when so many symbols are aligned."""
    return int(np.clip(MAX_ALIGNMENT_STEPS // max(symbols, 1), 16, 1024))


@kernel
def align(a: Ints, b: Ints, limit: int) -> Ints:
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
    n, m = len(a), len(b)
    partner = np.full(n, -1, np.int64)
    while n > 0 and m > 0 and a[n - 1] == b[m - 1]:
        n -= 1
        m -= 1
        partner[n] = m
    limit = min(limit, max(n + m, 1))  # so many edits always suffice
    reach = np.zeros((limit + 1, 2 * limit + 3), np.int64)
    i, j = 0, 0
    while True:
        while i < n and j < m and a[i] == b[j]:
            partner[i] = j
            i += 1
            j += 1
        if i == n or j == m:
            return partner
        edits, diagonal = _search_edits(a[i:n], b[j:m], reach)
        x = reach[edits, diagonal + limit + 1]
        di, dj = x, x - diagonal
        _trace_back(reach, edits, diagonal, i, j, partner)
        i += di
        j += dj


@kernel
def _search_edits(a: Ints, b: Ints, reach: Ints) -> tuple[int, int]:
    """Fill `reach` until an end is reached or the limit; edits and diagonal."""
    n, m = len(a), len(b)
    limit = len(reach) - 1
    zero = limit + 1
    best, diagonal = -1, 0
    for d in range(limit + 1):
        best = -1
        for k in range(-d, d + 1, 2):
            if d == 0:
                x = 0
            elif k == -d or (k != d and _best_diagonal(reach, d, k, zero)):
                x = reach[d - 1, zero + k + 1]
            else:
                x = reach[d - 1, zero + k - 1] + 1
            y = x - k
            if x > n or y > m or y < 0:
                reach[d, zero + k] = min(x, n + 1)
                continue
            while x < n and y < m and a[x] == b[y]:
                x += 1
                y += 1
            reach[d, zero + k] = x
            if x == n and y == m:
                return d, k
            if x + y > best:
                best, diagonal = x + y, k
    return limit, diagonal


@kernel
def _best_diagonal(reach: Ints, d: int, k: int, zero: int) -> bool:
    return bool(reach[d - 1, zero + k - 1] < reach[d - 1, zero + k + 1])


@kernel
def _trace_back(  # noqa: PLR0913
    reach: Ints, d: int, k: int, i: int, j: int, partner: Ints
) -> None:
    """Note the diagonals of the path to (edits d, diagonal k) in `partner`."""
    zero = len(reach)
    while True:
        x = reach[d, zero + k]
        start, step = 0, 0
        if d > 0 and (k == -d or (k != d and _best_diagonal(reach, d, k, zero))):
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
