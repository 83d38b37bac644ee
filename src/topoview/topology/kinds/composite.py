"""Directions in products and in disjoint copies: those of their factors."""

import numpy as np

from topoview.model import Directions, Ints, Match, Topology
from topoview.topology.named import Named, number_after

AND, TO = " & ", " in copy "


def factor_match(factor: Topology) -> Match:
    """Hold a factor against itself."""
    none = np.zeros((0, 2), np.int32)
    vertex = np.arange(factor.vertices, dtype=np.int32)
    return Match(factor, vertex, len(factor.edges), none, none, 1.0, 1.0)


class _Factor:
    """Directions within a factor by numbers that are valid for all pairs."""

    def __init__(self, factor: Topology, prefix: str = "") -> None:
        from topoview.topology.partners.directions import directions

        self.named: Directions = directions(factor_match(factor))
        self.prefix = prefix
        self.known: list[str] = []
        self.number: dict[str, int] = {}

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Numbers of the directions, SELF among them: int64."""
        found, names = self.named.names(here.astype(np.int32), there.astype(np.int32))
        for name in names:
            if name not in self.number:
                self.number[name] = len(self.known)
                self.known.append(name)
        table = np.array([self.number[name] for name in names], np.int64)
        return table[found]

    def name(self, code: int) -> str:
        return self.prefix + self.known[code]

    def follow(self, vertex: int, name: str) -> int | None:
        if not name.startswith(self.prefix):
            return None
        return self.named.partner(vertex, name.removeprefix(self.prefix))


class ProductDirections(Named):
    """The direction in the factor that changes: ``EAST``, ``WORKER 3``.

    Factors of one kind are told apart by their number (``2: EAST``); where
    several change their directions are joined (``EAST & WORKER 3``).
    """

    MOST = 1 << 20

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        factors = match.topology.factors
        kinds = [factor.kind for factor in factors]
        self.sizes = [factor.vertices for factor in factors]
        self.factors = [
            _Factor(f, f"{i + 1}: " if kinds.count(f.kind) > 1 else "")
            for i, f in enumerate(factors)
        ]

    def _split(self, vertex: Ints) -> list[Ints]:
        parts = []
        for size in self.sizes:
            parts.append(vertex % size)
            vertex = vertex // size
        return parts

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Give the direction of each pair a number; see `Named`."""
        codes = np.zeros(len(here), np.int64)
        pairs = zip(self._split(here), self._split(there), strict=True)
        for factor, (a, b) in zip(self.factors, pairs, strict=True):
            code = np.where(a == b, 0, factor.codes(a, b) + 1)
            codes = codes * self.MOST + code
        return codes

    def name(self, code: int) -> str:
        """Name of a direction."""
        words = []
        for factor in reversed(self.factors):
            code, mine = divmod(code, self.MOST)
            if mine:
                words.append(factor.name(mine - 1))
        return AND.join(reversed(words))

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        places = [int(p[0]) for p in self._split(np.array([vertex]))]
        at = 0
        for word in name.split(AND):
            for i in range(at, len(self.factors)):
                there = self.factors[i].follow(places[i], word)
                if there is not None and there != places[i]:
                    places[i], at = there, i + 1
                    break
            else:
                return None
        stride, found = 1, 0
        for place, size in zip(places, self.sizes, strict=True):
            found += stride * place
            stride *= size
        return found


class CopiesDirections(Named):
    """The direction in the copy; the place in another copy."""

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        topology = match.topology
        self.factor = _Factor(topology.factors[0])
        self.n = topology.factors[0].vertices
        self.copy = topology.coordinates[:, -1].astype(np.int64)
        self.first = np.argsort(self.copy, kind="stable").reshape(-1, self.n)
        self.within = np.empty(topology.vertices, np.int64)
        self.within[self.first] = np.arange(self.n)

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Give the direction of each pair a number; see `Named`."""
        inside = self.factor.codes(self.within[here], self.within[there])
        other = self.copy[here] != self.copy[there]
        return np.where(other, -1 - there, inside)

    def name(self, code: int) -> str:
        """Name of a direction."""
        if code >= 0:
            return self.factor.name(code)
        there = -1 - code
        return f"vertex {self.within[there]}{TO}{self.copy[there]}"

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        if TO in name:
            first, _, second = name.partition(TO)
            place, copy = number_after(first, "vertex "), number_after(second, "")
            if place is None or copy is None:
                return None
            known = place < self.n and copy < len(self.first)
            return int(self.first[copy, place]) if known else None
        there = self.factor.follow(int(self.within[vertex]), name)
        return None if there is None else int(self.first[self.copy[vertex], there])
