"""Hold a topology against what the ranks sent."""

import numba
import numpy as np

from topoview.model import Bools, Indices, Ints, Match, Topology
from topoview.progress import breathe
from topoview.topology.traffic import Traffic


def match_topology(  # noqa: PLR0913 - what a match consists of
    topology: Topology,
    vertex: Indices | Ints,
    traffic: Traffic,
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
    breathe()
    wanted.sort()
    breathe()
    pairs = traffic.pairs[:, 0].astype(np.int64) * n + traffic.pairs[:, 1]
    carried = merged_in(pairs, wanted)
    matched = merged_in(wanted, pairs[seen])
    missing = wanted[~matched]
    breathe()
    return Match(
        topology=topology,
        vertex=np.asarray(vertex, np.int32),
        matched=int(matched.sum()),
        missing_edges=np.stack([missing // n, missing % n], 1).astype(np.int32),
        extra_edges=traffic.pairs[seen & ~carried],
        calls_covered=_fraction(traffic.calls, carried, traffic.own_calls),
        bytes_covered=_fraction(traffic.volume, carried, traffic.own_volume),
        level=level,
        also=also,
    )


def _fraction(amounts: Ints, carried: Bools, own: int) -> float:
    total = int(amounts.sum()) + own
    return (int(amounts[carried].sum()) + own) / total if total else 1.0


@numba.njit(nogil=True, cache=True)
def merged_in(keys: Ints, of: Ints) -> Bools:
    """Tell which of some keys are among others; both ascend, the first are distinct."""
    found = np.zeros(len(keys), np.bool_)
    j = 0
    for i in range(len(keys)):
        while j < len(of) and of[j] < keys[i]:
            j += 1
        found[i] = j < len(of) and of[j] == keys[i]
    return found
