"""Directions by a number for each pair: what all kinds share, and plain numbers."""

from abc import ABC, abstractmethod

import numba
import numpy as np

from topoview.model import Directions, Indices, Ints, Match, distinct
from topoview.progress import breathe, in_breaths

SPARSE = 8
"""Codes that there may be for each entry for a table to be made of them."""

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
        breathe()
        own = np.asarray(ranks == partners)
        known = (here >= 0) & (there >= 0) & ~own
        here, there = here[known], there[known]
        breathe()
        unique, number = numbered_codes(self.codes(here, there))
        breathe()
        found = np.full(len(ranks), -1, np.int32)
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


def numbered_codes(codes: Ints) -> tuple[Ints, Ints]:
    """Give each distinct code a number.

    As ``np.unique(codes, return_inverse=True)``, but where codes are not much larger
    than there are entries by a table instead of by sorting.
    """
    least, most = (int(codes.min()), int(codes.max())) if len(codes) else (0, 0)
    if most - least > SPARSE * len(codes) + 1024:
        unique, number = np.unique(codes, return_inverse=True)
        return unique, number
    number_of = np.full(most - least + 1, -1, np.int64)
    for some in in_breaths(len(codes)):
        _mark(codes[some], least, number_of)
    unique = np.flatnonzero(number_of == 0)
    number_of[unique] = np.arange(len(unique))
    found = np.empty(len(codes), np.int64)
    for some in in_breaths(len(codes)):
        found[some] = number_of[codes[some] - least]
    return unique + least, found


@numba.njit(nogil=True, cache=True)
def _mark(codes: Ints, least: int, marked: Ints) -> None:
    for code in codes:
        marked[code - least] = 0


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
