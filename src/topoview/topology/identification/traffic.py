"""Traffic of pairs of ranks, its levels of volume, and what a topology explains."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_array

from topoview.kernels import kernel
from topoview.model import Bools, CommunicationMatrix, Indices, Ints, Match, Topology


@dataclass(frozen=True, slots=True, eq=False)
class PairTraffic:
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
    unrecorded
        Calls that reach another rank, of which the trace does not tell whom.
    """

    ranks: int
    pairs: Indices
    calls: Ints
    volume: Ints
    own_calls: int
    own_volume: int
    unrecorded: int = 0

    @property
    def members(self) -> Indices:
        """Ranks that communicate with others, int32, ascending."""
        seen = np.zeros(self.ranks, bool)
        seen[self.pairs] = True
        found: Indices = np.flatnonzero(seen).astype(np.int32)
        return found


def pair_traffic(matrix: CommunicationMatrix) -> PairTraffic:
    """Add up both directions of each pair; the messages are counted already."""
    n = matrix.ranks
    sender = np.repeat(np.arange(n), np.diff(matrix.calls.indptr))
    receiver = matrix.calls.indices
    own = sender == receiver
    ends = np.minimum(sender, receiver)[~own], np.maximum(sender, receiver)[~own]
    calls, volume = (
        coo_array((amounts.data[~own], ends), shape=(n, n)).tocsr()
        for amounts in (matrix.calls, matrix.volume)
    )
    pairs = np.stack(calls.nonzero(), 1)
    return PairTraffic(
        ranks=n,
        pairs=pairs.astype(np.int32),
        calls=calls.data,
        volume=volume.data,
        own_calls=int(matrix.calls.data[own].sum()),
        own_volume=int(matrix.volume.data[own].sum()),
        unrecorded=matrix.unrecorded,
    )


def part_of(traffic: PairTraffic, chosen: Bools) -> PairTraffic:
    """Keep some of the pairs: bool, shape (pairs,); messages to oneself stay."""
    return replace(
        traffic,
        pairs=traffic.pairs[chosen],
        calls=traffic.calls[chosen],
        volume=traffic.volume[chosen],
    )


# Levels of traffic: the pairs of ranks that exchange much, and all others.

LEVEL_RATIO = 3.0
"""Ratio of neighbouring volumes, sorted, from which on they are two levels."""


GROUP_RATIO = 1.1
"""Ratio of neighbouring amounts, sorted, up to which they are of one group."""

MAX_GROUPS = 6
"""Groups of amounts up to which overlying patterns are looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class VolumeLevel:
    """The pairs above a cut through the sorted volumes.

    Attributes
    ----------
    number
        0: all pairs that communicate; 1: those above the lowest cut, and so on.
    seen : bool, shape (pairs,)
        Pairs of the level.
    least
        Bytes of its pair that has fewest.
    gap
        By what factor the volumes fall below it; 1 if there is nothing below.
    """

    number: int
    seen: Bools
    least: int
    gap: float


def levels(traffic: PairTraffic, threshold: float | None = None) -> list[VolumeLevel]:
    """Cut the pairs wherever the sorted volumes fall by `LEVEL_RATIO` or more.

    Empty messages count as one byte.

    Parameters
    ----------
    traffic
        Traffic of all pairs.
    threshold
        If given, the only cut: pairs with at least this fraction of the bytes of
        the largest pair (Xu, Prithivathi, Subhlok, Zheng, 2008, "Logicalization of
        MPI communication traces", take 0.05).

    Returns
    -------
    list of Level
        All pairs, those above the lowest cut, and so on; with a threshold one.
    """
    volume = np.maximum(traffic.volume, 1)
    ascending = np.sort(volume)
    if not len(ascending):
        return []
    if threshold is not None:
        above = int(np.searchsorted(ascending, threshold * ascending[-1]))
        above = min(above, len(ascending) - 1)
        return [_level(int(above > 0), volume >= ascending[above], ascending, above)]
    falls = np.flatnonzero(ascending[1:] >= LEVEL_RATIO * ascending[:-1]) + 1
    return [
        _level(number, volume >= ascending[above], ascending, above)
        for number, above in enumerate([0, *falls.tolist()])
    ]


def _level(number: int, seen: Bools, ascending: np.ndarray, above: int) -> VolumeLevel:
    least = int(ascending[above])
    gap = least / float(ascending[above - 1]) if above else 1.0
    return VolumeLevel(number, seen, least, gap)


def bands(traffic: PairTraffic) -> list[Bools]:
    """Choose pairs with about as many messages, or bytes, for patterns that overlie.

    Values are grouped where neighbours differ by less than `GROUP_RATIO`; a band is
    some groups in a row, but not all.

    Returns
    -------
    list of bool arrays, shape (pairs,)
        Empty if there are more than `MAX_GROUPS` groups.
    """
    found: dict[bytes, Bools] = {}
    for amounts in (traffic.volume, traffic.calls):
        values = np.unique(np.maximum(amounts, 1))
        starts = np.flatnonzero(values[1:] > GROUP_RATIO * values[:-1]) + 1
        lows = values[np.concatenate([[0], starts])] if len(values) else values
        if not 1 < len(lows) <= MAX_GROUPS:
            continue
        group = np.searchsorted(lows, np.maximum(amounts, 1), side="right") - 1
        for low in range(len(lows)):
            for high in range(low, len(lows)):
                if high - low + 1 < len(lows):
                    seen = (group >= low) & (group <= high)
                    found.setdefault(np.packbits(seen).tobytes(), seen)
    return list(found.values())


# Hold a topology against what the ranks sent.


def match_topology(  # noqa: PLR0913 - what a match consists of
    topology: Topology,
    vertex: Indices | Ints,
    traffic: PairTraffic,
    level: int,
    seen: Bools,
    also: tuple[str, ...] = (),
) -> Match:
    """Count what of a topology was seen, and what it covers.

    Parameters
    ----------
    topology
        The topology.
    vertex : integers, shape (ranks,)
        Vertex of each rank, -1 for ranks outside.
    traffic
        Traffic of all pairs.
    level
        Number of the level.
    seen : bool, shape (pairs,)
        Pairs of the level.
    also
        Other names of the same graph.
    """
    n = traffic.ranks
    rank = np.zeros(max(topology.vertices, 1), np.int64)
    present = vertex >= 0
    rank[vertex[present]] = np.flatnonzero(present)
    u, v = rank[topology.edges[:, 0]], rank[topology.edges[:, 1]]
    wanted = np.minimum(u, v) * n + np.maximum(u, v)
    wanted.sort()
    pairs = traffic.pairs[:, 0].astype(np.int64) * n + traffic.pairs[:, 1]
    carried = merged_in(pairs, wanted)
    matched = merged_in(wanted, pairs[seen])
    missing = wanted[~matched]
    lacking = traffic.unrecorded
    volume = _fraction(traffic.volume, carried, traffic.own_volume)
    return Match(
        topology=topology,
        vertex=np.asarray(vertex, np.int32),
        matched=int(matched.sum()),
        missing_edges=np.stack([missing // n, missing % n], 1).astype(np.int32),
        extra_edges=traffic.pairs[seen & ~carried],
        calls_covered=_fraction(traffic.calls, carried, traffic.own_calls, lacking),
        bytes_covered=volume if len(traffic.pairs) or not lacking else 0.0,
        level=level,
        also=also,
    )


def _fraction(amounts: Ints, carried: Bools, own: int, lacking: int = 0) -> float:
    total = int(amounts.sum()) + own + lacking
    return (int(amounts[carried].sum()) + own) / total if total else 1.0


@kernel
def merged_in(keys: Ints, of: Ints) -> Bools:
    """Tell which of some keys are among others; both ascend, the first are distinct.

    As `numpy.isin`, which takes ten times as long.
    """
    found = np.zeros(len(keys), np.bool_)
    j = 0
    for i in range(len(keys)):
        while j < len(of) and of[j] < keys[i]:
            j += 1
        found[i] = j < len(of) and of[j] == keys[i]
    return found
