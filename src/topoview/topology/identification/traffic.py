"""Traffic of pairs of ranks, its levels of volume, and what a topology explains."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from topoview.base.threads import equal_parts, in_parts
from topoview.model import (
    Bools,
    CommunicationMatrix,
    Indices,
    Ints,
    Match,
    Topology,
    readonly,
)
from topoview.topology import kernels
from topoview.topology.graph.graph import Graph, edge_keys, induced

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class PairTraffic:
    """Messages between pairs of ranks, both ways together."""

    ranks: int
    """Number of ranks."""
    pairs: Indices
    """int32, shape (m, 2): ranks that exchange messages, smaller first, sorted."""
    calls: Ints
    volume: Ints
    """`calls` and `volume`: int64, shape (m,): messages and bytes of each pair."""
    own_calls: int
    own_volume: int
    """`own_calls` and `own_volume`: messages and bytes that ranks send to
    themselves."""
    unrecorded: int = 0
    """Calls that reach another rank, of which the trace does not tell whom."""

    @cached_property
    def members(self) -> Indices:
        """Ranks that communicate with others, int32, ascending."""
        seen = np.zeros(self.ranks, bool)
        seen[self.pairs] = True
        result: Indices = np.flatnonzero(seen).astype(np.int32)
        return result

    @property
    def graph(self) -> Graph:
        """The graph of `members`, numbered in their order."""
        return induced(self.members, self.pairs)

    @property
    def places(self) -> Indices:
        """Number of each rank among `members`, -1 of others: int32, shape (ranks,)."""
        result: Indices = np.full(self.ranks, -1, np.int32)
        result[self.members] = np.arange(len(self.members))
        return result


MANY_ARCS, PARTS = 1 << 19, 4
"""Pairs of sender and receiver from which on both ways are added up in threads, and
parts then: the first ranks have most pairs."""


def pair_traffic(matrix: CommunicationMatrix) -> PairTraffic:
    """Add up both directions of each pair; the messages are counted already."""
    indptr = readonly(matrix.begins)
    indices = readonly(matrix.receiver, np.int32)
    calls, volume = readonly(matrix.counts), readonly(matrix.sizes)
    parts = equal_parts(matrix.ranks, PARTS if len(indices) > MANY_ARCS else 1)
    back = in_parts(
        lambda part: kernels.arcs_back(indptr, indices, part.start, part.stop), parts
    )
    begins = np.cumsum([0, *(many for *_, many in back)]).tolist()
    pairs = np.empty((begins[-1], 2), np.int32)
    sums = np.zeros((2, begins[-1]), np.int64)

    def add(k: int) -> None:
        own = slice(*begins[k : k + 2])
        into = pairs[own], *sums[:, own]
        kernels.both_ways(
            indptr, indices, calls, volume, parts[k].start, *back[k][:3], *into
        )

    in_parts(add, range(len(parts)))
    oneself = np.flatnonzero(indices == matrix.sender)
    return PairTraffic(
        ranks=matrix.ranks,
        pairs=pairs,
        calls=sums[0],
        volume=sums[1],
        own_calls=int(calls[oneself].sum()),
        own_volume=int(volume[oneself].sum()),
        unrecorded=matrix.unrecorded,
    )


def part_of(traffic: PairTraffic, chosen: Bools) -> PairTraffic:
    """Keep some of the pairs: bool, shape (pairs,); messages to oneself stay."""
    if chosen.all():
        return traffic
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
"""Groups of amounts up to which any of them in a row may be a pattern."""

MAX_HUBS = 8
"""Ranks with far more partners than others without which pairs may be a pattern."""

HUB_RATIO = 1.5
"""How many more partners these have, at least."""

MAX_CUTS = 12
"""Falls between groups above which pairs may be a pattern, the largest."""


@dataclass(frozen=True, slots=True, eq=False)
class VolumeLevel:
    """The pairs above a cut through the sorted volumes."""

    number: int
    """0: all pairs that communicate; 1: those above the lowest cut, and so on."""
    seen: Bools
    """bool, shape (pairs,): pairs of the level."""
    least: int
    """Bytes of its pair that has fewest."""
    gap: float
    """By what factor the volumes fall below it; 1 if there is nothing below."""


def levels(
    traffic: PairTraffic, threshold: float | None = None, least: int = 0
) -> list[VolumeLevel]:
    """Cut the pairs wherever the sorted volumes fall by `LEVEL_RATIO` or more.

    Empty messages count as one byte.

    Parameters
    ----------
    threshold
        If given, the only cut: pairs with at least this fraction of the bytes of
        the largest pair (Xu, Prithivathi, Subhlok, Zheng, 2008, "Logicalization of
        MPI communication traces", take 0.05).
    least
        Bytes above which there is a further cut, if given.

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
    falls = np.zeros(0, np.int64)
    if ascending[-1] >= LEVEL_RATIO * ascending[0]:  # else it never falls so far
        falls = np.flatnonzero(ascending[1:] >= LEVEL_RATIO * ascending[:-1]) + 1
    cuts = {0, *falls.tolist(), int(np.searchsorted(ascending, least))}
    return [
        _level(number, volume >= ascending[above], ascending, above)
        for number, above in enumerate(sorted(cuts))
    ]


def _level(number: int, seen: Bools, ascending: np.ndarray, above: int) -> VolumeLevel:
    least = int(ascending[above])
    gap = least / float(ascending[above - 1]) if above else 1.0
    return VolumeLevel(number, seen, least, gap)


def cut_matrix(
    matrix: CommunicationMatrix, level: int, threshold: float | None = None
) -> tuple[CommunicationMatrix, VolumeLevel | None]:
    """Keep the pairs of ranks of a level of volume, both ways, and tell the cut.

    Level 0 is all pairs, 1 those above the lowest cut, and so on; there are no more
    pairs from the last on. Messages to oneself are kept in level 0 only.

    Parameters
    ----------
    threshold
        As in `levels`, in place of a level.

    Returns
    -------
    CommunicationMatrix
        Empty messages count as one byte where pairs are chosen.
    VolumeLevel or None
        None where no two ranks exchange anything.
    """
    traffic = pair_traffic(matrix)
    cuts = levels(traffic, threshold)
    if not cuts:
        return matrix, None
    cut = cuts[0] if threshold is not None else cuts[min(level, len(cuts) - 1)]
    if not cut.number:
        return matrix, cut
    seen = traffic.pairs[cut.seen].astype(np.int64)
    kept = seen[:, 0] * matrix.ranks + seen[:, 1]
    sender = matrix.sender
    keep = _among_pairs(sender, matrix.receiver, matrix.ranks, kept)
    begins = np.searchsorted(sender[keep], np.arange(matrix.ranks + 1))
    reduced = replace(
        matrix,
        begins=begins,
        receiver=matrix.receiver[keep],
        counts=matrix.counts[keep],
        sizes=matrix.sizes[keep],
        waits=None if matrix.waits is None else _of_pairs(matrix.waits, kept),
    )
    return reduced, cut


def _among_pairs(
    sender: Indices | Ints, receiver: Indices | Ints, ranks: int, kept: Ints
) -> Bools:
    """Return which are of pairs, either way; ``smaller * ranks + larger`` names one."""
    low, high = np.minimum(sender, receiver), np.maximum(sender, receiver)
    result: Bools = np.isin(low.astype(np.int64) * ranks + high, kept)
    return result


def _of_pairs(amounts: "csr_array", kept: Ints) -> "csr_array":
    """Keep the amounts of pairs, both ways."""
    from scipy.sparse import csr_array

    pairs, shape = amounts.tocoo(), amounts.shape
    one, other = pairs.coords
    keep = _among_pairs(one, other, shape[0], kept)
    return csr_array((pairs.data[keep], (one[keep], other[keep])), shape=shape)


def least_bytes(traffic: PairTraffic, seen: Bools) -> int:
    """Bytes from which on pairs are these and no others; 0 if no cut tells them."""
    volume = np.maximum(traffic.volume, 1)
    least = int(volume[seen].min(initial=volume.max(initial=0)))
    return least if (volume >= least).sum() == seen.sum() else 0


def bands(traffic: PairTraffic) -> list[Bools]:
    """Choose pairs by their messages, or bytes, that may be a pattern of their own.

    Values are grouped where neighbours differ by less than `GROUP_RATIO`. A band is
    all pairs above one of the largest falls between groups; of few groups, for
    patterns that overlie, any in a row.

    Returns
    -------
    list of bool arrays, shape (pairs,)
        Each once; none is all pairs.
    """
    masks: dict[bytes, Bools] = {}
    for amounts in (traffic.volume, traffic.calls):
        if not len(amounts) or amounts.max() <= GROUP_RATIO * max(amounts.min(), 1):
            continue
        values = np.unique(np.maximum(amounts, 1))
        falls = values[1:] / values[:-1]
        starts = np.flatnonzero(falls > GROUP_RATIO) + 1
        starts = starts[np.argsort(-falls[starts - 1], kind="stable")]
        lows = [int(values[0]), *values[np.sort(starts[:MAX_CUTS])].tolist()]
        group = np.searchsorted(lows, np.maximum(amounts, 1), side="right") - 1
        top = len(lows) - 1
        few = len(starts) < MAX_GROUPS
        for low in range(len(lows)):
            for high in range(low, len(lows)) if few else (top,):
                if high - low < top:
                    seen = (group >= low) & (group <= high)
                    masks.setdefault(np.packbits(seen).tobytes(), seen)
    return list(masks.values())


def around_hubs(traffic: PairTraffic) -> list[Bools]:
    """Choose the pairs of ranks that have far more partners than others, or the rest.

    Managers and servers, whatever they exchange: bool, shape (pairs,), for each choice.
    """
    result: list[Bools] = []
    degree = np.bincount(traffic.pairs.ravel(), minlength=traffic.ranks)
    order = np.argsort(-degree, kind="stable")
    for hubs in range(1, min(MAX_HUBS, len(order) - 1) + 1):
        more, fewer = degree[order[[hubs - 1, hubs]]].tolist()
        if more >= HUB_RATIO * fewer > 0:
            one, other = np.isin(traffic.pairs, order[:hubs]).T
            result += [one | other, ~(one | other)]
    return result


# Hold a topology against what the ranks sent.


def match_topology(  # noqa: PLR0913 - what a match consists of
    topology: Topology,
    vertex: Indices | Ints,
    traffic: PairTraffic,
    level: int,
    seen: Bools,
    also: tuple[str, ...] = (),
    exactly: Bools | None = None,
) -> Match:
    """Count what of a topology was seen, and what it covers.

    Parameters
    ----------
    vertex : integers, shape (ranks,)
        Vertex of each rank, -1 for ranks outside.
    level
        Number of the level.
    seen : bool, shape (pairs,)
        Pairs of the level: those of them that the topology lacks are extra. What it
        has is missing only if it was seen at no level.
    also
        Other names of the same graph.
    exactly : bool, shape (pairs,), optional
        The pairs that are the edges of the topology, where that is known.
    """
    n = traffic.ranks
    carried, matched, missing = (
        _carried(topology, vertex, traffic)
        if exactly is None
        else (exactly, len(topology.edges), np.zeros(0, np.int64))
    )
    lacking = traffic.unrecorded
    volume = _fraction(traffic.volume, carried, traffic.own_volume)
    return Match(
        topology=topology,
        vertex=np.asarray(vertex, np.int32),
        matched=matched,
        missing_edges=np.stack([missing // n, missing % n], 1).astype(np.int32),
        extra_edges=traffic.pairs[seen & ~carried],
        calls_covered=_fraction(traffic.calls, carried, traffic.own_calls, lacking),
        bytes_covered=volume if len(traffic.pairs) or not lacking else 0.0,
        level=level,
        also=also,
    )


def _carried(
    topology: Topology, vertex: Indices | Ints, traffic: PairTraffic
) -> tuple[Bools, int, Ints]:
    """Find the pairs that are a topology's edges, and which edges are no pairs.

    Returns
    -------
    bool, shape (pairs,)
    int
        How many there are.
    int64, shape (missing,)
        Both ranks of an edge that is none, as one number.
    """
    n = traffic.ranks
    rank = np.zeros(max(topology.vertices, 1), np.int64)
    present = vertex >= 0
    rank[vertex[present]] = np.flatnonzero(present)
    u, v = rank[topology.edges[:, 0]], rank[topology.edges[:, 1]]
    wanted = np.minimum(u, v) * n + np.maximum(u, v)
    wanted.sort()
    pairs = traffic.pairs[:, 0].astype(np.int64) * n + traffic.pairs[:, 1]
    carried = kernels.merged_in(pairs, wanted)
    matched = kernels.merged_in(wanted, pairs)
    return carried, int(matched.sum()), wanted[~matched]


def carried_pairs(traffic: PairTraffic, match: Match) -> Bools:
    """Return which pairs are edges of a match's topology: bool, shape (pairs,)."""
    n = max(traffic.ranks, 1)
    return kernels.merged_in(
        edge_keys(n, traffic.pairs), edge_keys(n, match.rank_edges)
    )


def _fraction(amounts: Ints, carried: Bools, own: int, lacking: int = 0) -> float:
    every = int(amounts.sum())
    inside = every if carried.all() else int(amounts[carried].sum())
    total = every + own + lacking
    return (inside + own) / total if total else 1.0
