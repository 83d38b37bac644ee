"""Communicators that play the same part at different ranks."""

import numpy as np

from topoview.model import Communicator, Ints, Trace


def families(trace: Trace) -> tuple[Ints, list[str]]:
    """Find the communicators that one call made for different ranks.

    The rows of a grid are one family, its columns another one: the parts that
    one ``Comm_split`` makes have no rank in common, so each communicator joins
    the first family that it has no rank in common with, those of its own size
    first. A communicator of all ranks is called after the world.

    Returns
    -------
    int64, shape (communicators,), and list of str
        Family of each communicator; its name, empty for that of all ranks.
    """
    found = np.zeros(len(trace.communicators), np.int64)
    names = ["", "self"]
    taken: list[set[int]] = []
    sizes: list[set[int]] = []
    for index, communicator in enumerate(trace.communicators):
        if len(communicator.ranks) == 0:
            found[index] = 1
        elif len(communicator.ranks) < trace.ranks:
            found[index] = 2 + _join(communicator, taken, sizes)
    for size, letter in zip(sizes, _letters(len(sizes)), strict=True):
        least, most = min(size), max(size)
        span = f"{least}" if least == most else f"{least} to {most}"
        names.append(f"communicator {letter} of {span}")
    return found, names


def _join(
    communicator: Communicator, taken: list[set[int]], sizes: list[set[int]]
) -> int:
    members = set(communicator.ranks.tolist())
    free = [i for i, ranks in enumerate(taken) if ranks.isdisjoint(members)]
    if free:
        chosen = min(free, key=lambda i: len(members) not in sizes[i])
    else:
        chosen = len(taken)
        taken.append(set())
        sizes.append(set())
    taken[chosen] |= members
    sizes[chosen].add(len(members))
    return chosen


def _letters(count: int) -> list[str]:
    return [chr(ord("A") + i) if i < 26 else f"number {i + 1}" for i in range(count)]


def local_ranks(trace: Trace, communicator: Ints, rank: Ints) -> Ints:
    """Find ranks' own numbers in communicators.

    Parameters
    ----------
    communicator, rank : int64, shape (n,)
        Pairs of a communicator and a world rank.

    Returns
    -------
    int64, shape (n,)
        -1 where the rank is no member.
    """
    local = np.full(len(rank), -1, np.int64)
    order = np.argsort(communicator, kind="stable")
    used, first = np.unique(communicator[order], return_index=True)
    for index, asked in zip(used.tolist(), np.split(order, first[1:]), strict=False):
        members = trace.communicators[index].ranks
        own = np.full(trace.ranks, -1 if len(members) else 0, np.int64)
        known = np.flatnonzero(members >= 0)  # -1: no rank that the trace has
        own[members[known]] = known
        local[asked] = own[rank[asked]]
    return local
