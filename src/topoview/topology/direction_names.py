"""Names of partners: directions by a number for each pair of vertices.

`NamedDirections` is what all kinds share. Lattices name the offset, axis by axis:
EAST/WEST along x, SOUTH/NORTH along y (y runs down the page), UP/DOWN along z, ``+w``
and ``-w`` beyond; graphs without names of their own take the difference of the ranks,
the bits that differ, or the partner.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from topoview.grouping import factorize
from topoview.model import AXES, Directions, Indices, Ints, Match, distinct
from topoview.topology.lattices.lattice import strides_of

SELF = "SELF"
"""Direction of a message to oneself, in every topology."""


class NamedDirections(ABC):
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
        valid = (here >= 0) & (there >= 0) & ~own
        here, there = here[valid], there[valid]
        unique, number = factorize(self.codes(here, there))
        numbers = np.full(len(ranks), -1, np.int32)
        numbers[valid] = number
        numbers[own] = len(unique)
        names = [self.name(int(code)) for code in unique]
        return numbers, [*names, SELF] if own.any() else names

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
        """Encode the direction of each pair of different vertices."""

    @abstractmethod
    def name(self, code: int) -> str:
        """Name of a direction."""

    @abstractmethod
    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""


class Difference(NamedDirections):
    """Difference of the ranks, the shortest way round."""

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Encode the direction of each pair; see `NamedDirections`."""
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


class Exchange(NamedDirections):
    """Bits in which the vertices' numbers differ."""

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Encode the direction of each pair; see `NamedDirections`."""
        return here ^ there

    def name(self, code: int) -> str:
        """Name of a direction."""
        return f"EXCHANGE {code}"

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        bits = number_after(name, "EXCHANGE ")
        return None if bits is None else vertex ^ bits


class ByRank(NamedDirections):
    """The partner itself."""

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Encode the direction of each pair; see `NamedDirections`."""
        del here
        result: Ints = self.rank[there]
        return result

    def name(self, code: int) -> str:
        """Name of a direction."""
        return f"rank {code}"

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        del vertex
        rank = number_after(name, "rank ")
        is_known = rank is not None and rank < len(self.vertex)
        return int(self.vertex[rank]) if is_known else None


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


COMPASS = ("EAST", "WEST", "SOUTH", "NORTH", "SOUTHEAST", "SOUTHWEST", "NORTHEAST",
           "NORTHWEST")  # fmt: skip


class CompassDirections(NamedDirections):
    """EAST, SOUTHWEST, ... for neighbours, further vertices by their place.

    A side may lead to oneself, as a transpose does on the diagonal.

    Parameters
    ----------
    ends : int64, shape (vertices, sides)
        Vertex on each of the first of the sides, -1 where there is none. If it
        is the same on two of them the first names it.
    words
        What the coordinates are called: ``face``, ``column``, ``row``.
    sides
        Names of the sides, if others than those of `COMPASS`.
    """

    def __init__(
        self,
        match: Match,
        ends: Ints,
        words: tuple[str, ...],
        sides: Sequence[str] = COMPASS,
    ) -> None:
        super().__init__(match)
        self.ends, self.words, self.sides = ends, words, sides[: ends.shape[1]]
        self.places = match.topology.coordinates

    def names(self, ranks: Indices, partners: Indices) -> tuple[Indices, list[str]]:
        """Name the partner of each rank; see `Directions`."""
        numbers, names = super().names(ranks, partners)
        own = np.flatnonzero(ranks == partners)
        vertex = self.vertex[ranks[own]]
        for side, name in enumerate(self.sides if len(own) else ()):
            at = own[(vertex >= 0) & (self.ends[vertex, side] == vertex)]
            if len(at):
                names = names if name in names else [*names, name]
                numbers[at] = names.index(name)
        return numbers, names

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Encode the direction of each pair; see `NamedDirections`."""
        codes = len(self.sides) + there
        for side in reversed(range(self.ends.shape[1])):
            codes = np.where(self.ends[here, side] == there, side, codes)
        return codes

    def name(self, code: int) -> str:
        """Name of a direction."""
        if code < len(self.sides):
            return self.sides[code]
        place = self.places[code - len(self.sides)].tolist()
        return " ".join(f"{w} {p}" for w, p in zip(self.words, place, strict=True))

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        if name in self.sides:
            there = int(self.ends[vertex, self.sides.index(name)])
            return there if there >= 0 else None
        place = re.fullmatch(" ".join(rf"{word} (\d+)" for word in self.words), name)
        if place is None:
            return None
        wanted = [int(digits) for digits in place.groups()]
        matches = np.flatnonzero((self.places == wanted).all(axis=1))
        return int(matches[0]) if len(matches) else None


# Names of offsets on a lattice, and back.
#
# Axes x, y, z are EAST/WEST, SOUTH/NORTH (y runs down the page), UP/DOWN; beyond
# three ``+w`` and ``-w``, ``+v``, ... Single steps along x and y are one word
# (``SOUTHWEST``), z goes before them (``UP-SOUTHWEST``), longer steps carry their
# length (``EAST x2``, ``SOUTH-EAST x2``), further axes follow (``EAST +w``, ``-2w``).

AXIS_WORDS = {0: ("EAST", "WEST"), 1: ("SOUTH", "NORTH"), 2: ("UP", "DOWN")}
"""Axis to the names of its positive and its negative direction."""

_AXIS_OF = {
    word: (axis, 1 - 2 * i)
    for axis, words in AXIS_WORDS.items()
    for i, word in enumerate(words)
}
_WORD = re.compile(r"(EAST|WEST|SOUTH|NORTH|UP|DOWN)(?: x(\d+))?")
_SEPARATOR = re.compile(r"^(-(?=[A-Z])| )")
_FURTHER = re.compile(r"([+-])(\d*)([a-w])")


def offset_name(steps: Sequence[int]) -> str:
    """Name an offset, x first: ``(-1, 1)`` is ``SOUTHWEST``."""
    x, y, z = (*steps[:3], 0, 0, 0)[:3]
    if abs(x) == 1 and abs(y) == 1:
        flat = [_word(1, y) + _word(0, x)]
    else:
        flat = [_word(1, y), _word(0, x)]
    words = "-".join(word for word in (_word(2, z), *flat) if word)
    further = [
        f"{'+' if step > 0 else '-'}{abs(step) if abs(step) > 1 else ''}{axis}"
        for axis, step in zip(AXES[3:], steps[3:], strict=False)
        if step
    ]
    return " ".join(part for part in (words, *further) if part) or "SELF"


def offset_of(name: str, d: int) -> tuple[int, ...] | None:
    """Offset in `d` dimensions that a name stands for, None if it is no name."""
    steps = [0] * d
    rest = name
    while rest and name != "SELF":
        if match := _WORD.match(rest):
            axis, sign = _AXIS_OF[match[1]]
        elif match := _FURTHER.match(rest):
            axis, sign = AXES.index(match[3]), 1 if match[1] == "+" else -1
        else:
            return None
        length = int(match[2] or 1)
        if axis >= d or steps[axis]:
            return None
        steps[axis] = sign * length
        rest = _SEPARATOR.sub("", rest[match.end() :])
    return tuple(steps)


def _word(axis: int, step: int) -> str:
    if not step:
        return ""
    word = AXIS_WORDS[axis][step < 0]
    return word if abs(step) == 1 else f"{word} x{abs(step)}"


# Directions on lattices: offsets the shortest way round, and hypercubes' bits.


class LatticeDirections(NamedDirections):
    """Offsets on a lattice, the shortest way round."""

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        topology = match.topology
        self.places = topology.coordinates
        self.dims = np.array(topology.dims, np.int64)
        self.wraps = np.array(topology.periodic, bool)
        self.strides = strides_of(topology.dims)
        self.at = np.full(int(self.dims.prod()), -1, np.int64)
        self.at[self.places @ self.strides] = np.arange(topology.vertices)
        self.widths = 2 * self.dims - 1
        self.weights = strides_of(self.widths.tolist())

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Encode the direction of each pair; see `NamedDirections`."""
        codes = np.zeros(len(here), np.int64)
        axes = zip(self.places.T, self.dims.tolist(), self.wraps.tolist(), strict=True)
        for (place, size, wraps), weight in zip(axes, self.weights, strict=True):
            steps = place[there].astype(np.int64) - place[here]
            if wraps:
                low = (size - 1) // 2
                steps = (steps + low) % size - low
            codes += (steps + size - 1) * weight
        return codes

    def name(self, code: int) -> str:
        """Name of a direction."""
        steps = code // self.weights % self.widths - (self.dims - 1)
        return offset_name(steps.tolist())

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        steps = offset_of(name, len(self.dims))
        if steps is None:
            return None
        return self.vertex_at(self.places[vertex] + np.array(steps))

    def vertex_at(self, place: Ints) -> int | None:
        """Vertex at a place that may lie outside."""
        place = np.where(self.wraps, place % self.dims, place)
        if (place < 0).any() or (place >= self.dims).any():
            return None
        there = int(self.at[place @ self.strides])
        return there if there >= 0 else None


class AxisDirections(LatticeDirections):
    """Steps along the named axes of a plan: ``pipeline +1``, ``data -1 & a +2``."""

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        self.said = [factor.name for factor in match.topology.factors]

    def name(self, code: int) -> str:
        """Name of a direction."""
        steps = (code // self.weights % self.widths - (self.dims - 1)).tolist()
        return " & ".join(
            f"{axis} {step:+d}"
            for axis, step in zip(self.said, steps, strict=True)
            if step
        )

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        place = self.places[vertex].astype(np.int64)
        for word in name.split(" & "):
            axis, _, steps = word.rpartition(" ")
            if axis not in self.said:
                return None
            place[self.said.index(axis)] += int(steps)
        return self.vertex_at(place)


def lattice_directions(match: Match) -> Directions:
    """Name by offsets; on a hypercube by the bits of the vertex that differ."""
    dims = match.topology.dims
    cube = len(dims) > 2 and set(dims) == {2}
    return Exchange(match) if cube else LatticeDirections(match)
