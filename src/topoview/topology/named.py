"""Directions by a number for each pair: what all kinds share, and plain numbers."""

from abc import ABC, abstractmethod

import numpy as np

from topoview.model import Directions, Indices, Ints, Match, distinct

SELF = "SELF"
"""Direction of a message to oneself, in every topology."""


class Named(ABC):
    """Directions by a number for each pair, from which the partner follows."""

    def __init__(self, match: Match) -> None:
        self.vertex = match.vertex.astype(np.int64)
        self.rank = np.full(match.topology.vertices, -1, np.int64)
        present = self.vertex >= 0
        self.rank[self.vertex[present]] = np.flatnonzero(present)

    def names(self, ranks: Indices, partners: Indices) -> tuple[Indices, list[str]]:
        """Name the partner of each rank; see `Directions`."""
        here, there = self.vertex[ranks], self.vertex[partners]
        own = np.asarray(ranks == partners)
        known = (here >= 0) & (there >= 0) & ~own
        codes = self.codes(here[known], there[known])
        unique, number = np.unique(codes, return_inverse=True)
        found = np.full(len(here), -1, np.int32)
        found[known] = number
        found[own] = len(unique)
        names = [self.name(int(code)) for code in unique]
        return found, [*names, SELF] if own.any() else names

    def partner(self, rank: int, name: str) -> int | None:
        """World rank that a direction leads to; see `Directions`."""
        if name == SELF:
            return rank
        here = int(self.vertex[rank])
        there = None if here < 0 else self.follow(here, name)
        if there is None or not 0 <= there < len(self.rank):
            return None
        return int(self.rank[there])

    @abstractmethod
    def codes(self, here: Ints, there: Ints) -> Ints:
        """Give the direction of each pair of different vertices a number."""

    @abstractmethod
    def name(self, code: int) -> str:
        """Name of a direction."""

    @abstractmethod
    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""


class Difference(Named):
    """Difference of the ranks, the shortest way round."""

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Give the direction of each pair a number; see `Named`."""
        n = len(self.rank)
        low = (n - 1) // 2
        return (there - here + low) % n - low

    def name(self, code: int) -> str:
        """Name of a direction."""
        return f"{code:+d}"

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        for sign, prefix in ((1, "+"), (-1, "-")):
            steps = number_after(name, prefix)
            if steps is not None:
                return (vertex + sign * steps) % len(self.rank)
        return None


class Exchange(Named):
    """Bits in which the vertices' numbers differ."""

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Give the direction of each pair a number; see `Named`."""
        return here ^ there

    def name(self, code: int) -> str:
        """Name of a direction."""
        return f"EXCHANGE {code}"

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        bits = number_after(name, "EXCHANGE ")
        return None if bits is None else vertex ^ bits


class ByRank(Named):
    """The partner itself."""

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Give the direction of each pair a number; see `Named`."""
        del here
        found: Ints = self.rank[there]
        return found

    def name(self, code: int) -> str:
        """Name of a direction."""
        return f"rank {code}"

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        del vertex
        rank = number_after(name, "rank ")
        known = rank is not None and rank < len(self.vertex)
        return int(self.vertex[rank]) if known else None


def number_after(name: str, prefix: str) -> int | None:
    """Read the number that follows a prefix; None if the name is another."""
    digits = name.removeprefix(prefix)
    return int(digits) if name.startswith(prefix) and digits.isdigit() else None


def numbered(match: Match) -> Directions:
    """Choose the scheme that needs the fewest names for a topology's edges."""
    edges = match.topology.edges.astype(np.int64)
    here = np.concatenate([edges[:, 0], edges[:, 1]])
    there = np.concatenate([edges[:, 1], edges[:, 0]])
    schemes = [Difference(match), Exchange(match), ByRank(match)]
    return min(schemes, key=lambda scheme: len(distinct(scheme.codes(here, there))))
