"""Directions of many pairs of ranks at once, as the logical trace names them."""

from itertools import pairwise

import numpy as np

from topoview.grouping import begins_run
from topoview.model import Analysis, Bools, Indices, Ints, places_among


class PartnerDirections:
    """The direction from each rank to each of its partners.

    As in the logical trace if there is one, else as in the topology. A pair may
    have several names (both ways on an axis of two): they are one label, ``EAST/WEST``.
    """

    labels: tuple[str, ...]
    """All labels."""

    def __init__(self, analysis: Analysis) -> None:
        self._ranks = analysis.trace.ranks
        rank, partner, direction, names = _named_pairs(analysis)
        key = rank.astype(np.int64) * self._ranks + partner
        order = np.lexsort((direction, key))
        key, direction = key[order], direction[order]
        new = begins_run(key)
        self._keys = key[new]
        sets: dict[tuple[int, ...], int] = {}
        ends = np.append(np.flatnonzero(new), len(key)).tolist()
        directions = direction.tolist()
        self._label = np.array(
            [
                sets.setdefault(tuple(directions[low:high]), len(sets))
                for low, high in pairwise(ends)
            ],
            np.int32,
        )
        self._sets = [tuple(names[number] for number in each) for each in sets]
        self.labels = tuple("/".join(each) for each in self._sets)

    def of(self, rank: Indices | Ints, partner: Indices | Ints) -> Indices:
        """Return the label from each rank to its partner: int32, -1 without one."""
        result = np.full(len(rank), -1, np.int32)
        key = rank.astype(np.int64) * self._ranks + partner
        at = places_among(self._keys, key)
        there = (at >= 0) & (rank >= 0) & (partner >= 0)
        result[there] = self._label[at[there]]
        return result

    def named(self, name: str) -> Bools:
        """Return which labels have a name in any case: bool, shape (labels + 1,).

        The last is for no label, False.
        """
        wanted = name.upper()
        flags = [any(own.upper() == wanted for own in each) for each in self._sets]
        return np.array([*flags, False])


def _named_pairs(analysis: Analysis) -> tuple[Ints, Ints, Ints, tuple[str, ...]]:
    logical, identification = analysis.logical, analysis.identification
    if logical is not None:
        partners = logical.partners
        rank = np.repeat(np.arange(analysis.trace.ranks), np.diff(partners.offsets))
        single = partners.partner >= 0
        columns = rank, partners.partner, partners.direction
        one, other, direction = (c[single].astype(np.int64) for c in columns)
        return one, other, direction, partners.names
    nothing = np.zeros(0, np.int64)
    if identification is None:
        return nothing, nothing, nothing, ()
    from topoview.topology import directions

    match = identification.best
    rank = np.full(match.topology.vertices, -1, np.int32)
    placed = np.flatnonzero(match.vertex >= 0)
    rank[match.vertex[placed]] = placed
    edges = rank[match.topology.edges]
    one, other = edges[(edges >= 0).all(axis=1)].T
    every = np.arange(analysis.trace.ranks, dtype=np.int32)  # of themselves
    ranks = np.concatenate([one, other, every])
    others = np.concatenate([other, one, every])
    number, names = directions(match).names(ranks, others)
    has = number >= 0
    one, other, direction = (c[has].astype(np.int64) for c in (ranks, others, number))
    return one, other, direction, tuple(names)
