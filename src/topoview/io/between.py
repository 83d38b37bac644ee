"""Communicators between two groups that a tracer records as two, one of each group.

EZTrace defines an intercommunicator once for each of its groups, with that group's
ranks alone. What its records name as partners are numbers in the other group (MPI 4.1,
section 7.6), which nothing defines: taken for numbers in the own one, sends go to wrong
ranks, often to the own one. Blocking receives tell which two belong together.
"""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.io.communicators import Communicators
from topoview.model import Indices, Ints, distinct

Pairs = tuple[tuple[int, int], ...]
"""Numbers of communicators that are one; -1 if the other one is not known."""

_Channels = Counter[tuple[int, int, int]]
"""How often a number in a communicator's group named another, with a tag."""


class Endpoints(NamedTuple):
    """Sends or receives.

    Attributes
    ----------
    communicator, own, other, tag : shape (n,)
        Who recorded each, a rank of the world, and whom it names: a number in the
        communicator.
    """

    communicator: Indices
    own: Indices
    other: NDArray[np.integer]
    tag: NDArray[np.integer]


def find_pairs(
    communicators: Communicators,
    sends: Endpoints,
    receives: Endpoints,
    made: dict[int, bool],
) -> Pairs:
    """Find which two communicators are one between their groups.

    Parameters
    ----------
    sends, receives
        All sends, and blocking receives, in communicators in which no rank was seen to
        receive what another sent.
    made
        What is known of who made them; see `topoview.io.making`. Of others those are
        between groups that have receives without a send, or where all send to
        themselves.

    Returns
    -------
    tuple of pairs
        The partner of each such communicator has other ranks; what is received in one
        was sent in the other. If nothing is received, and there are two groups only,
        they are paired in order. -1 if none fits, or several do.
    """
    sent = _channels(communicators, sends)
    received = _channels(communicators, receives)
    ranks = {n: communicators.items[n].ranks for n in sent | received}
    candidates = [
        n
        for n, members in ranks.items()
        if made.get(n, _is_between(sent.get(n), received.get(n), len(members)))
    ]
    merit = {
        (one, other): _merit((one, other), sent, received, ranks)
        for one in candidates
        for other in candidates
        if not np.isin(ranks[one], ranks[other]).any()
    }
    fits = {
        one: _best({other: merit.get((one, other), 0) for other in candidates})
        for one in candidates
    }
    found = set()
    for one, others in fits.items():
        is_clear = len(others) == 1 and len(fits[others[0]]) == 1
        found.add((min(one, others[0]), max(one, others[0])) if is_clear else (one, -1))
    in_order = _in_order(communicators, made) if not received else ()
    return in_order or tuple(sorted(found))


def _best(merits: dict[int, int]) -> list[int]:
    """Choose the partners of most merit."""
    most = max(merits.values(), default=0)
    return [n for n, merit in merits.items() if merit == most and most > 0]


def _in_order(communicators: Communicators, made: dict[int, bool]) -> Pairs:
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


def _channels(communicators: Communicators, ends: Endpoints) -> dict[int, _Channels]:
    """Count sends or receives, by communicator."""
    if not len(ends.own):
        return {}
    own = communicators.local_ranks(ends.own, ends.communicator)
    columns = np.stack([ends.communicator, own, ends.other, ends.tag]).astype(np.int64)
    columns = columns[:, np.lexsort(columns)]
    first = np.append(True, (columns[:, 1:] != columns[:, :-1]).any(axis=0))
    counts = np.diff(np.append(np.flatnonzero(first), columns.shape[1]))
    found: dict[int, _Channels] = {}
    rows = columns[:, first].T.tolist()
    for (number, *channel), count in zip(rows, counts.tolist(), strict=True):
        found.setdefault(number, Counter())[*channel,] = count
    return found


def _is_between(sends: _Channels | None, receives: _Channels | None, size: int) -> bool:
    """Tell whether numbers in a communicator cannot be those of its own group."""
    lonely = sends is not None and all(own == other for own, other, _ in sends)
    return (lonely and size > 1) or not _is_sent(
        receives or (), sends or Counter(), receives
    )


def _merit(
    pair: tuple[int, int],
    sent: dict[int, _Channels],
    received: dict[int, _Channels],
    ranks: dict[int, Indices],
) -> int:
    """Tell how well two communicators fit: 0 not at all, 2 if nothing else is sent."""
    fits = exact = True
    some = False
    for one, other in (pair, pair[::-1]):
        sends, receives = sent.get(other, Counter()), received.get(one, Counter())
        # Sends to numbers that the own group does not have were not read.
        own, there = len(ranks[one]), len(ranks[other])
        seen = Counter({c: n for c, n in receives.items() if c[0] < there})
        back = {c: n for c, n in sends.items() if c[1] < own}
        some |= bool(receives)
        fits &= _is_sent(seen, sends, receives)
        exact &= back == {(c[1], c[0], c[2]): n for c, n in seen.items()}
    return (1 + exact) * (some and fits)


def _is_sent(
    which: Iterable[tuple[int, int, int]], sends: _Channels, receives: _Channels | None
) -> bool:
    """Tell whether receives are of sends."""
    counts = receives or Counter()
    return all(sends[other, own, tag] >= counts[own, other, tag]
               for own, other, tag in which)  # fmt: skip


def unseen(communicator: Indices, foreign: NDArray[np.bool_]) -> Ints:
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
