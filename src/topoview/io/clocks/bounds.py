"""Bounds of how far clocks of ranks are apart: by messages and collectives."""

import ctypes
from typing import Final, NamedTuple

import numpy as np

from topoview.grouping import index_in_run, run_begins
from topoview.io.decoder.library import addresses, load_decoder, words_at
from topoview.model import Bools, Calls, Collectives, Indices, Ints, Messages, Regions

MAX_COLLECTIVE_PARTS: Final = 4_000_000
"""Parts in collectives that are looked at; of more a regular sample is taken."""


# OTF2_CollectiveOp codes. Those that let ranks contribute nothing (the v and w
# variants, scans) wait for nobody for certain, and bound nothing.
_ALL_TO_ALL: Final = (0, 6, 8, 11, 13, 14)

_FROM_ROOT: Final = (1, 4)

_TO_ROOT: Final = (2, 12)

_BLOCKING: Final = frozenset(
    (
        "Barrier",
        "Bcast",
        "Gather",
        "Scatter",
        "Allgather",
        "Alltoall",
        "Allreduce",
        "Reduce",
        "Reduce_scatter",
        "Reduce_scatter_block",
    )
)


class ClockBounds(NamedTuple):
    """Difference constraints ``o[before] - o[after] <= most``."""

    nodes: int
    """Number of nodes: ranks, then collectives."""
    before: Indices
    after: Indices
    """`before` and `after`: int32, shape (bounds,): nodes."""
    most: Ints
    """int64, shape (bounds,): ticks."""


def find_clock_bounds(  # noqa: PLR0913
    ranks: int,
    messages: Messages,
    calls: Calls,
    collectives: Collectives,
    regions: Regions,
    sizes: Ints,
    rank_of_row: Indices,
) -> ClockBounds:
    """Collect what messages and collectives say about the clocks.

    Parameters
    ----------
    sizes : int64, shape (communicators,)
        Members of each communicator.
    rank_of_row : int32, shape (rows,)
        Rank of each row of `calls`.
    """
    before, after, most = shortest_transfers(
        ranks,
        messages.sender,
        messages.receiver,
        messages.send_time,
        messages.receive_time,
    )
    row = np.searchsorted(calls.offsets, collectives.call, side="right") - 1
    blocking = np.array([name in _BLOCKING for name in regions.operations] + [False])
    waits = blocking[regions.operation][calls.region[collectives.call]]
    groups = _collective_instances(collectives, rank_of_row[row], sizes, waits)
    more = _collective_bounds(ranks, groups, calls, collectives, rank_of_row[row])
    return ClockBounds(
        ranks + len(groups) - 1,
        np.concatenate((before, more[0])).astype(np.int32),
        np.concatenate((after, more[1])).astype(np.int32),
        np.concatenate((most, more[2])),
    )


class CollectiveInstances(NamedTuple):
    """Parts in the same collective operation, group after group."""

    parts: Ints
    """int64, shape (n,): indices of parts."""
    offsets: Ints
    """int64, shape (groups + 1,): where each group begins in `parts`."""

    def __len__(self) -> int:
        """Count the offsets: one more than groups."""
        return len(self.offsets)


def _collective_instances(
    collectives: Collectives, rank: Indices, sizes: Ints, waits: Bools
) -> CollectiveInstances:
    """Find which parts belong together: the k-th of each rank on a communicator.

    Only communicators on which all members took part equally often count: after
    a lost record nothing is certain.
    """
    communicator = collectives.communicator.astype(np.int64)
    key = communicator * (int(rank.max(initial=0)) + 1) + rank
    order = np.argsort(key, kind="stable")
    starts = run_begins(key[order])
    counts = np.diff(starts, append=len(order))
    turn = np.empty(len(order), np.int64)
    turn[order] = index_in_run(counts)
    whole = _equally_often(communicator[order[starts]], counts, sizes)
    step = max(1, -(-len(order) // MAX_COLLECTIVE_PARTS))
    wanted = np.flatnonzero(whole[communicator] & (turn % step == 0))
    ordered = wanted[np.lexsort((turn[wanted], communicator[wanted]))]
    begins = run_begins(communicator[ordered], turn[ordered])
    offsets = np.append(begins, len(ordered))
    return _consistent_instances(ordered, offsets, collectives, waits)


def _equally_often(communicator: Ints, counts: Ints, sizes: Ints) -> Bools:
    """Whether all members of each communicator have as many parts."""
    members = np.bincount(communicator, minlength=len(sizes))
    most = np.zeros(len(sizes), np.int64)
    least = np.full(len(sizes), np.iinfo(np.int64).max)
    np.maximum.at(most, communicator, counts)
    np.minimum.at(least, communicator, counts)
    equal: Bools = (members == sizes) & (sizes > 1) & (most == least)
    return equal


def _consistent_instances(
    parts: Ints, offsets: Ints, collectives: Collectives, waits: Bools
) -> CollectiveInstances:
    """Keep groups that agree on operation and root, and wait."""
    if len(offsets) < 2:
        return CollectiveInstances(parts[:0], np.zeros(1, np.int64))
    length = np.diff(offsets)
    first = np.repeat(parts[offsets[:-1]], length)
    agree = waits[parts]
    for column in (collectives.operation, collectives.root):
        agree &= column[parts] == column[first]
    good = np.logical_and.reduceat(agree, offsets[:-1])
    kept = length[good]
    return CollectiveInstances(
        parts[np.repeat(good, length)], np.concatenate(([0], np.cumsum(kept)))
    )


def _collective_bounds(
    ranks: int,
    groups: CollectiveInstances,
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


def shortest_transfers(
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
    memory = ctypes.c_void_p()
    columns = [
        np.ascontiguousarray(column, dtype)
        for column, dtype in (
            (sender, np.int32), (receiver, np.int32),
            (sent, np.int64), (received, np.int64),
        )
    ]  # fmt: skip
    pairs = load_decoder().tightest(
        ranks, *addresses(*columns), len(sender), ctypes.addressof(memory)
    )
    if pairs < 0 or not memory.value:
        raise MemoryError
    before, after, most = words_at(memory.value, 3 * pairs).reshape(3, pairs)
    load_decoder().free(memory)
    return before, after, most
