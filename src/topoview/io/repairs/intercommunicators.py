"""Intercommunicators that a tracer records as two communicators, one for each group.

EZTrace defines an intercommunicator once for each of its groups, with that group's
ranks alone. Its records name partners by their number in the other group (MPI 4.1,
section 7.6), which nothing defines: taken for numbers in the rank's own group, sends
go to wrong ranks, often to the sender itself. The calls that created communicators,
and the blocking receives, tell which two communicators are one.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.io.decoder.library import FIRST_SPECIAL_RANK
from topoview.io.decoder.pairing import Received, Sent
from topoview.io.definitions.communicators import Communicators
from topoview.model import Calls, Indices, Ints, Regions, distinct

IntercommunicatorPairs = tuple[tuple[int, int], ...]
"""Numbers of communicators that are one; -1 if the other one is not known."""

_ChannelCounts = Counter[tuple[int, int, int]]
"""How often a number in a communicator's group named another, with a tag."""


class Endpoints(NamedTuple):
    """Sends or receives."""

    communicator: Indices
    own: Indices
    other: NDArray[np.integer]
    tag: NDArray[np.integer]
    """`communicator`, `own`, `other` and `tag`: shape (n,): who recorded each, a rank
    of the world, and whom it names: a number in the communicator."""


def pair_intercommunicators(
    communicators: Communicators,
    sends: Endpoints,
    receives: Endpoints,
    made: dict[int, bool],
) -> IntercommunicatorPairs:
    """Find which two communicators are one between their groups.

    Parameters
    ----------
    sends, receives
        All sends, and blocking receives, in communicators in which no rank was seen to
        receive what another sent.
    made
        What is known of who made them; see `topoview.io.repairs.intercommunicators`.
        Of others those are between groups that have receives without a send, or where
        all send to themselves.

    Returns
    -------
    tuple of pairs
        The partner of each such communicator has other ranks; what is received in one
        was sent in the other. If nothing is received, and there are two groups only,
        they are paired in order. -1 if none fits, or several do.
    """
    sent = _count_channels(communicators, sends)
    received = _count_channels(communicators, receives)
    ranks = {n: communicators.items[n].ranks for n in sent | received}
    candidates = [
        n
        for n, members in ranks.items()
        if made.get(
            n, _is_intercommunicator(sent.get(n), received.get(n), len(members))
        )
    ]
    merit = {
        (one, other): _merit((one, other), sent, received, ranks)
        for one in candidates
        for other in candidates
        if not np.isin(ranks[one], ranks[other]).any()
    }
    fits = {
        one: _best_partners({other: merit.get((one, other), 0) for other in candidates})
        for one in candidates
    }
    pairs = set()
    for one, others in fits.items():
        is_clear = len(others) == 1 and len(fits[others[0]]) == 1
        pairs.add((min(one, others[0]), max(one, others[0])) if is_clear else (one, -1))
    in_order = _pair_in_order(communicators, made) if not received else ()
    return in_order or tuple(sorted(pairs))


def _best_partners(merits: dict[int, int]) -> list[int]:
    """Choose the partners of most merit."""
    most = max(merits.values(), default=0)
    return [n for n, merit in merits.items() if merit == most and most > 0]


def _pair_in_order(
    communicators: Communicators, made: dict[int, bool]
) -> IntercommunicatorPairs:
    """Pair what two groups made in the same order; none if there are others."""
    by_group: dict[bytes, list[int]] = {}
    for number, is_between in made.items():
        if is_between:
            group = communicators.items[number].ranks.tobytes()
            by_group.setdefault(group, []).append(number)
    sides = list(by_group.values())
    if len(sides) != 2 or len(sides[0]) != len(sides[1]):
        return ()
    return tuple((min(p), max(p)) for p in zip(*sides, strict=True))


def _count_channels(
    communicators: Communicators, ends: Endpoints
) -> dict[int, _ChannelCounts]:
    """Count sends or receives, by communicator."""
    if not len(ends.own):
        return {}
    own = communicators.local_ranks(ends.own, ends.communicator)
    columns = np.stack([ends.communicator, own, ends.other, ends.tag]).astype(np.int64)
    columns = columns[:, np.lexsort(columns)]
    first = np.append(True, (columns[:, 1:] != columns[:, :-1]).any(axis=0))
    counts = np.diff(np.append(np.flatnonzero(first), columns.shape[1]))
    result: dict[int, _ChannelCounts] = {}
    rows = columns[:, first].T.tolist()
    for (number, *channel), count in zip(rows, counts.tolist(), strict=True):
        result.setdefault(number, Counter())[*channel,] = count
    return result


def _is_intercommunicator(
    sends: _ChannelCounts | None, receives: _ChannelCounts | None, size: int
) -> bool:
    """Return whether numbers in a communicator cannot be those of its own group."""
    lonely = sends is not None and all(own == other for own, other, _ in sends)
    return (lonely and size > 1) or not _all_were_sent(
        receives or (), sends or Counter(), receives
    )


def _merit(
    pair: tuple[int, int],
    sent: dict[int, _ChannelCounts],
    received: dict[int, _ChannelCounts],
    ranks: dict[int, Indices],
) -> int:
    """Rate how well two communicators fit: 0 not at all, 2 if nothing else is sent."""
    fits = exact = True
    some = False
    for one, other in (pair, pair[::-1]):
        sends, receives = sent.get(other, Counter()), received.get(one, Counter())
        # Sends to numbers that the own group does not have were not read.
        own, there = len(ranks[one]), len(ranks[other])
        seen = Counter({c: n for c, n in receives.items() if c[0] < there})
        back = {c: n for c, n in sends.items() if c[1] < own}
        some |= bool(receives)
        fits &= _all_were_sent(seen, sends, receives)
        exact &= back == {(c[1], c[0], c[2]): n for c, n in seen.items()}
    return (1 + exact) * (some and fits)


def _all_were_sent(
    which: Iterable[tuple[int, int, int]],
    sends: _ChannelCounts,
    receives: _ChannelCounts | None,
) -> bool:
    """Return whether receives are of sends."""
    counts = receives or Counter()
    return all(sends[other, own, tag] >= counts[own, other, tag]
               for own, other, tag in which)  # fmt: skip


def without_foreign_receives(communicator: Indices, foreign: NDArray[np.bool_]) -> Ints:
    """Find communicators in which nothing was received from another rank.

    Parameters
    ----------
    communicator : shape (sends,)
        Numbers of the communicators.
    foreign : shape (sends,)
        Whether a send was received, by another rank than the own one.
    """
    everything = distinct(communicator)
    return np.setdiff1d(everything, distinct(communicator[foreign])).astype(np.int64)


# Which communicators the calls made that make ones between two groups.
#
# EZTrace numbers communicators by a counter of the first rank of their group, so
# those that a rank leads are, by their numbers, in the order in which it made them.

_INTERCOMMUNICATOR_CALLS: Final = frozenset({
    "Intercomm_create", "Intercomm_create_from_groups", "Comm_accept",
    "Comm_connect", "Comm_join", "Comm_spawn", "Comm_spawn_multiple",
})  # fmt: skip
_INTRACOMMUNICATOR_CALLS: Final = frozenset({
    "Comm_create", "Comm_create_from_group", "Comm_create_group", "Comm_dup",
    "Comm_dup_with_info", "Comm_idup", "Comm_idup_with_info", "Comm_split",
    "Comm_split_type", "Cart_create", "Cart_sub", "Graph_create",
    "Dist_graph_create", "Dist_graph_create_adjacent", "Intercomm_merge",
})  # fmt: skip
_PREDEFINED_PER_RANK: Final = 2
"""Communicators of one rank that EZTrace defines for each rank at the beginning."""


def creates_intercommunicators(region: Indices, regions: Regions) -> bool:
    """Return whether some call creates a communicator between two groups."""
    wanted = _regions_of(regions, _INTERCOMMUNICATOR_CALLS)
    return bool(len(wanted)) and bool(np.isin(region, wanted).any())


def created_intercommunicators(
    communicators: Communicators, region: Indices, offsets: Ints, regions: Regions
) -> dict[int, bool]:
    """Find which communicators are between two groups.

    Parameters
    ----------
    region : int32, shape (calls,)
        Regions of calls.
    offsets : int64, shape (rows + 1,)
        Where the calls of each row begin; rows of ranks are the first ones.

    Returns
    -------
    dict
        By number. Communicators whose first rank made others than those that are
        defined are not in it.
    """
    led: dict[int, list[int]] = {}
    for _, number in sorted(communicators.numbers.items()):
        ranks = communicators.items[number].ranks
        if len(ranks) and len(ranks) < len(communicators.items[0].ranks):
            led.setdefault(int(ranks[0]), []).append(number)
    between, within = (
        _regions_of(regions, _INTERCOMMUNICATOR_CALLS),
        _regions_of(regions, _INTRACOMMUNICATOR_CALLS),
    )
    result: dict[int, bool] = {}
    for leader, numbers in led.items():
        own = region[offsets[leader] : offsets[leader + 1]]
        made = np.isin(own[np.isin(own, [*between, *within])], between).tolist()
        if len(numbers) == len(made) + _PREDEFINED_PER_RANK:
            result |= dict(zip(numbers[_PREDEFINED_PER_RANK:], made, strict=True))
    return result


def _regions_of(regions: Regions, operations: frozenset[str]) -> Ints:
    wanted = [i for i, name in enumerate(regions.operations) if name in operations]
    return np.flatnonzero(np.isin(regions.operation, wanted))


class LooseEnds(NamedTuple):
    """Messages that are paired within communicators as they are defined, and the rest.

    `sent` and `received` are all sends and receives.
    """

    sent: Sent
    received: Received
    left: Ints
    """int64, shape (n,): receives that were not paired."""
    local: NDArray[np.uint32]
    """uint32, shape (n,): the senders that they name, as numbered in the
    communicator."""
    owner: Indices
    """int32, shape (n,): their ranks."""


def find_intercommunicators(
    ends: LooseEnds, calls: Calls, communicators: Communicators, regions: Regions
) -> IntercommunicatorPairs:
    """Find which communicators are one between two groups."""
    sent, received, left, local, owner = ends
    if not creates_intercommunicators(calls.region, regions):
        return ()
    made = created_intercommunicators(
        communicators, calls.region, calls.offsets, regions
    )
    seen = sent.receive_time >= 0
    candidates = np.concatenate([sent.communicator, received.communicator[left]])
    foreign = np.zeros(len(candidates), np.bool_)
    foreign[: len(seen)] = seen & (sent.sender != sent.receiver)
    numbers = [n for n, is_between in made.items() if is_between]
    wanted = np.union1d(
        without_foreign_receives(candidates, foreign), np.array(numbers, np.int64)
    )
    wanted = np.setdiff1d(wanted, [*communicators.remote])
    blocking = received.post[left] == received.call[left]
    blocking &= np.isin(received.communicator[left], wanted) & (
        local < FIRST_SPECIAL_RANK
    )
    left, owner, local = left[blocking], owner[blocking], local[blocking]
    send = np.flatnonzero(np.isin(sent.communicator, wanted))
    number, sender = sent.communicator[send], sent.sender[send]
    receiver, tag = sent.receiver[send], sent.tag[send]
    of_sender = communicators.local_ranks(sender, number)
    of_receiver = communicators.local_ranks(receiver, number)
    own = seen[send]
    receives = Endpoints(
        np.concatenate([number[own], received.communicator[left]]),
        np.concatenate([receiver[own], owner]),
        np.concatenate([of_sender[own], local]),
        np.concatenate([tag[own], received.tag[left].view(np.int32)]),
    )
    sends = Endpoints(number, sender, of_receiver, tag)
    return pair_intercommunicators(communicators, sends, receives, made)
