"""Traffic of pairs of ranks, both ways together."""

from dataclasses import dataclass

import numba
import numpy as np

from topoview.model import Bools, CommunicationMatrix, Indices, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Traffic:
    """Messages between pairs of ranks, both ways together.

    Attributes
    ----------
    ranks
        Number of ranks.
    pairs : int32, shape (m, 2)
        Ranks that exchange messages, smaller first, sorted.
    calls, volume : int64, shape (m,)
        Messages and bytes of each pair.
    own_calls, own_volume
        Messages and bytes that ranks send to themselves.
    """

    ranks: int
    pairs: Indices
    calls: Ints
    volume: Ints
    own_calls: int
    own_volume: int

    @property
    def members(self) -> Indices:
        """Ranks that communicate with others, int32, ascending."""
        seen = np.zeros(self.ranks, bool)
        seen[self.pairs] = True
        found: Indices = np.flatnonzero(seen).astype(np.int32)
        return found


def pair_traffic(matrix: CommunicationMatrix) -> Traffic:
    """Add up both directions of each pair; the messages are counted already."""
    calls, volume = matrix.calls, matrix.volume
    if not calls.has_sorted_indices:
        calls, volume = calls.sorted_indices(), volume.sorted_indices()
    pairs, calls_of, bytes_of, own = _both_ways(
        np.asarray(calls.indptr), np.asarray(calls.indices), calls.data, volume.data
    )
    return Traffic(matrix.ranks, pairs, calls_of, bytes_of, int(own[0]), int(own[1]))


@numba.njit(nogil=True, cache=True)
def _both_ways(  # noqa: C901 - one pass over rows and columns
    indptr: Ints, indices: Ints, calls: Ints, volume: Ints
) -> tuple[Indices, Ints, Ints, Ints]:
    # what larger ranks send to a smaller one, in order of the senders; then both
    # lists of each rank are merged
    n, m = len(indptr) - 1, len(indices)
    begins = np.zeros(n + 1, np.int64)
    for row in range(n):
        for k in range(indptr[row], indptr[row + 1]):
            if indices[k] < row:
                begins[indices[k] + 1] += 1
    begins = np.cumsum(begins)
    free = begins.copy()
    sender = np.empty(begins[n], np.int32)
    entry = np.empty(begins[n], np.int64)
    own = np.zeros(2, np.int64)
    for row in range(n):
        for k in range(indptr[row], indptr[row + 1]):
            column = indices[k]
            if column < row:
                sender[free[column]], entry[free[column]] = row, k
                free[column] += 1
            elif column == row:
                own[0] += calls[k]
                own[1] += volume[k]
    pairs = np.empty((m, 2), np.int32)
    both = np.zeros(m, np.int64)
    bytes_ = np.zeros(m, np.int64)
    last = -1
    for row in range(n):
        first = last
        k, j = indptr[row], begins[row]
        while k < indptr[row + 1] or j < begins[row + 1]:
            if k < indptr[row + 1] and indices[k] <= row:
                k += 1
                continue
            ahead = k < indptr[row + 1]
            if ahead and j < begins[row + 1]:
                ahead = indices[k] <= sender[j]
            other, arc = (indices[k], k) if ahead else (sender[j], entry[j])
            if ahead:
                k += 1
            else:
                j += 1
            if last == first or pairs[last, 1] != other:
                last += 1
                pairs[last, 0], pairs[last, 1] = row, other
            both[last] += calls[arc]
            bytes_[last] += volume[arc]
    last += 1
    return pairs[:last].copy(), both[:last].copy(), bytes_[:last].copy(), own


def part_of(traffic: Traffic, chosen: Bools) -> Traffic:
    """Keep some of the pairs: bool, shape (pairs,); messages to oneself stay."""
    return Traffic(
        ranks=traffic.ranks,
        pairs=traffic.pairs[chosen],
        calls=traffic.calls[chosen],
        volume=traffic.volume[chosen],
        own_calls=traffic.own_calls,
        own_volume=traffic.own_volume,
    )
