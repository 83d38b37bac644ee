"""Bounds between the clocks of ranks: what happens on one before what on another.

A message is sent before it is received; in a collective operation in which all
wait for all, everyone enters before anyone leaves. With ``o[r]`` added to the
times of rank ``r`` that makes difference constraints: ``o[a] - o[b] <= t_b - t_a``
if the event at ``t_a`` on a's clock comes before the one at ``t_b`` on b's.
A collective is one more node of the constraints' graph, an instant between the
last entry and the first exit: linear in its members, where pairs would not be.
"""

# mypy: allow-untyped-defs
# ruff: noqa: ANN001, ANN202 - numba finds the types of what has none

from typing import Final, NamedTuple

import numba
import numpy as np

from topoview.hash_table import slot_of
from topoview.model import Bools, Calls, Collectives, Indices, Ints, Messages, Regions

MOST_PARTS: Final = 4_000_000
"""Parts in collectives that are looked at; of more a regular sample is taken."""

# OTF2_CollectiveOp codes. Those that let ranks contribute nothing (the v and w
# variants, scans) wait for nobody for certain, and bound nothing.
_ALL_TO_ALL: Final = (0, 6, 8, 11, 13, 14)
_FROM_ROOT: Final = (1, 4)
_TO_ROOT: Final = (2, 12)

_BLOCKING: Final = frozenset(
    (
        *("Barrier", "Bcast", "Gather", "Scatter", "Allgather", "Alltoall"),
        *("Allreduce", "Reduce", "Reduce_scatter", "Reduce_scatter_block"),
    )
)


class Bounds(NamedTuple):
    """Difference constraints ``o[before] - o[after] <= most``.

    Attributes
    ----------
    nodes
        Number of nodes: ranks, then collectives.
    before, after : int32, shape (bounds,)
        Nodes.
    most : int64, shape (bounds,)
        Ticks.
    """

    nodes: int
    before: Indices
    after: Indices
    most: Ints


def find_bounds(  # noqa: PLR0913
    ranks: int,
    messages: Messages,
    calls: Calls,
    collectives: Collectives,
    regions: Regions,
    sizes: Ints,
    rank_of_row: Indices,
) -> Bounds:
    """Collect what messages and collectives say about the clocks.

    Parameters
    ----------
    sizes : int64, shape (communicators,)
        Members of each communicator.
    rank_of_row : int32, shape (rows,)
        Rank of each row of `calls`.
    """
    before, after, most = tightest(
        ranks,
        messages.sender,
        messages.receiver,
        messages.send_time,
        messages.receive_time,
    )
    row = np.searchsorted(calls.offsets, collectives.call, side="right") - 1
    blocking = np.array([name in _BLOCKING for name in regions.operations] + [False])
    waits = blocking[regions.operation][calls.region[collectives.call]]
    groups = _instances(collectives, rank_of_row[row], sizes, waits)
    more = _collective_bounds(ranks, groups, calls, collectives, rank_of_row[row])
    return Bounds(
        ranks + len(groups) - 1,
        np.concatenate((before, more[0])).astype(np.int32),
        np.concatenate((after, more[1])).astype(np.int32),
        np.concatenate((most, more[2])),
    )


class Groups(NamedTuple):
    """Parts in the same collective operation, group after group.

    Attributes
    ----------
    parts : int64, shape (n,)
        Indices of parts.
    offsets : int64, shape (groups + 1,)
        Where each group begins in `parts`.
    """

    parts: Ints
    offsets: Ints

    def __len__(self) -> int:
        """Count the offsets: one more than groups."""
        return len(self.offsets)


def _instances(
    collectives: Collectives, rank: Indices, sizes: Ints, waits: Bools
) -> Groups:
    """Find which parts belong together: the k-th of each rank on a communicator.

    Only communicators on which all members took part equally often count: after
    a lost record nothing is certain.
    """
    communicator = collectives.communicator.astype(np.int64)
    key = communicator * (int(rank.max(initial=0)) + 1) + rank
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    counts = np.diff(starts, append=len(order))
    turn = np.empty(len(order), np.int64)
    turn[order] = np.arange(len(order)) - np.repeat(starts, counts)
    whole = _equally_often(communicator[order[starts]], counts, sizes)
    step = max(1, -(-len(order) // MOST_PARTS))
    wanted = np.flatnonzero(whole[communicator] & (turn % step == 0))
    ordered = wanted[np.lexsort((turn[wanted], communicator[wanted]))]
    new = np.diff(communicator[ordered], prepend=-1) != 0
    new |= np.diff(turn[ordered], prepend=-1) != 0
    offsets = np.append(np.flatnonzero(new), len(ordered))
    return _alike(ordered, offsets, collectives, waits)


def _equally_often(communicator: Ints, counts: Ints, sizes: Ints) -> Bools:
    """Whether all members of each communicator have as many parts."""
    members = np.bincount(communicator, minlength=len(sizes))
    most = np.zeros(len(sizes), np.int64)
    least = np.full(len(sizes), np.iinfo(np.int64).max)
    np.maximum.at(most, communicator, counts)
    np.minimum.at(least, communicator, counts)
    equal: Bools = (members == sizes) & (sizes > 1) & (most == least)
    return equal


def _alike(
    parts: Ints, offsets: Ints, collectives: Collectives, waits: Bools
) -> Groups:
    """Keep groups that agree on operation and root, and wait."""
    if len(offsets) < 2:
        return Groups(parts[:0], np.zeros(1, np.int64))
    length = np.diff(offsets)
    first = np.repeat(parts[offsets[:-1]], length)
    agree = waits[parts]
    for column in (collectives.operation, collectives.root):
        agree &= column[parts] == column[first]
    good = np.logical_and.reduceat(agree, offsets[:-1])
    kept = length[good]
    return Groups(
        parts[np.repeat(good, length)], np.concatenate(([0], np.cumsum(kept)))
    )


def _collective_bounds(
    ranks: int,
    groups: Groups,
    calls: Calls,
    collectives: Collectives,
    rank: Indices,
) -> tuple[Ints, Ints, Ints]:
    parts = groups.parts
    node = ranks + np.repeat(np.arange(len(groups) - 1), np.diff(groups.offsets))
    call, member = collectives.call[parts], rank[parts].astype(np.int64)
    operation = collectives.operation[parts]
    is_root = collectives.root[parts] == member
    every = np.isin(operation, _ALL_TO_ALL)
    comes = every | np.isin(operation, _TO_ROOT)
    comes |= np.isin(operation, _FROM_ROOT) & is_root
    goes = every | np.isin(operation, _FROM_ROOT)
    goes |= np.isin(operation, _TO_ROOT) & is_root
    return (
        np.concatenate((member[comes], node[goes])),
        np.concatenate((node[comes], member[goes])),
        np.concatenate((-calls.enter[call[comes]], calls.leave[call[goes]])),
    )


@numba.njit(nogil=True, cache=True)
def tightest(
    ranks: int, sender: Indices, receiver: Indices, sent: Ints, received: Ints
) -> tuple[Ints, Ints, Ints]:
    """Find the shortest time that a message took, for each pair of ranks.

    Messages of which an end is not recorded (time -1) say nothing. Linear: a
    hash table of pairs.

    Returns
    -------
    before, after, most : int64, shape (pairs,)
        Sender, receiver, and the difference of their clocks' times in ticks.
    """
    keys = np.full(1 << 10, -1, np.int64)
    least = np.empty(1 << 10, np.int64)
    used = 0
    for m in range(len(sender)):
        if sent[m] < 0 or received[m] < 0 or sender[m] == receiver[m]:
            continue
        key = np.int64(sender[m]) * ranks + receiver[m]
        slot = slot_of(keys, key)
        took = received[m] - sent[m]
        if keys[slot] < 0:
            keys[slot], least[slot] = key, took
            used += 1
            if 2 * used > len(keys):
                keys, least = _doubled(keys, least)
        elif took < least[slot]:
            least[slot] = took
    found = np.flatnonzero(keys >= 0)
    return keys[found] // ranks, keys[found] % ranks, least[found]


@numba.njit(nogil=True, cache=True)
def _doubled(keys, least):
    larger = np.full(2 * len(keys), -1, np.int64)
    values = np.empty_like(larger)
    for old in range(len(keys)):
        if keys[old] >= 0:
            slot = slot_of(larger, keys[old])
            larger[slot], values[slot] = keys[old], least[old]
    return larger, values
