"""Which ranks of two runs belong together: by their place in the topology.

Places are what a program's ranks have in common however they are numbered. Where both
runs have the same extents, a place meets itself. Where a grid has another extent, its
first and last plane meet those of the other one, and what is between them meets what is
between: a corner meets a corner, also on more ranks.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from topoview.model import AXES, Frozen, Indices, Ints, Match

ALL_RANKS = "all ranks"
"""Name of the only group where no places can be held against each other."""

_SIDES = ("first", "inner", "last")
_INNER = 1


@dataclass(frozen=True, slots=True, eq=False)
class Counterparts(Frozen):
    """Groups of ranks that two runs have in common."""

    names: tuple[str, ...]
    """Names of the groups: ``rank 14, x 2, y 2``; ``x first, y inner``."""
    of_a: Ints
    of_b: Ints
    """`of_a` and `of_b`: int64, shape (ranks,): group of each rank of either run; -1
    for none."""
    single: bool
    """Whether each group is one rank of either run."""


def places(a: Match, b: Match) -> Counterparts:
    """Find the places that the topologies of two runs have in common.

    Where neither has a lattice, ranks meet by their place if both have the same
    topology, by their number if there are as many, and all together otherwise.
    """
    one, other = a.topology, b.topology
    if one.name == other.name and one.edges.shape == other.edges.shape and one.vertices:
        return _by_coordinates(a, b)
    if one.is_lattice and other.is_lattice and len(one.dims) == len(other.dims):
        return _grouped(sides_of(a, b), _side_name)
    if len(a.vertex) == len(b.vertex):
        numbers = np.arange(len(a.vertex))
        return Counterparts(
            tuple(f"rank {rank}" for rank in numbers.tolist()), numbers, numbers, True
        )
    return Counterparts(
        (ALL_RANKS,),
        np.zeros(len(a.vertex), np.int64),
        np.zeros(len(b.vertex), np.int64),
        single=False,
    )


def planes(a: Match, b: Match) -> list[Counterparts]:
    """Find the planes that two lattices have in common, axis by axis; else none."""
    one, other = a.topology, b.topology
    if not (one.is_lattice and other.is_lattice and len(one.dims) == len(other.dims)):
        return []
    result = []
    for axis in range(len(one.dims)):
        if one.dims[axis] < 2 or other.dims[axis] < 2:
            continue
        name = AXES[axis]
        if one.dims[axis] == other.dims[axis]:
            sides = [m.coordinates[:, axis : axis + 1].astype(np.int64) for m in (a, b)]
            words = [str(number) for number in range(one.dims[axis])]
        else:
            sides = [side[:, axis : axis + 1] for side in sides_of(a, b)]
            words = list(_SIDES)
            if all((side == _INNER).all() for side in sides):
                continue
        texts = {number: f"{name} {word}" for number, word in enumerate(words)}
        result.append(_grouped(sides, _namer(texts)))
    return result


def sides_of(a: Match, b: Match) -> tuple[Ints, Ints]:
    """Return where each rank of two lattices is along each axis: first, inner, last.

    Along an axis that is periodic in either, where that has no ends, all are inner.

    Returns
    -------
    int64, shape (ranks, dimensions), of both
        0 first, 1 inner, 2 last; -1 for ranks without a place.
    """
    endless = np.array(a.topology.periodic) | np.array(b.topology.periodic)
    sides = []
    for match in (a, b):
        place = match.coordinates.astype(np.int64)
        extent = np.array(match.topology.dims)
        side = np.where(place == 0, 0, np.where(place == extent - 1, 2, _INNER))
        side[:, endless] = _INNER
        side[place[:, 0] < 0] = -1
        sides.append(side)
    return sides[0], sides[1]


def _by_coordinates(a: Match, b: Match) -> Counterparts:
    coordinates = a.coordinates
    texts = _place_names(a, coordinates)
    vertex_of = [m.vertex.astype(np.int64) for m in (a, b)]
    rank_of = np.full(a.topology.vertices, -1, np.int64)
    there = vertex_of[0] >= 0
    rank_of[vertex_of[0][there]] = np.flatnonzero(there)
    # vertices of either run are numbered alike: they are those of the same graph
    names = [
        texts[rank] if rank >= 0 else f"place {vertex}"
        for vertex, rank in enumerate(rank_of.tolist())
    ]
    return Counterparts(tuple(names), vertex_of[0], vertex_of[1], single=True)


def _place_names(match: Match, coordinates: Indices) -> list[str]:
    topology = match.topology
    if not topology.is_lattice:
        return [f"rank {rank}" for rank in range(len(coordinates))]
    return [
        f"rank {rank}, " + ", ".join(f"{AXES[k]} {c}" for k, c in enumerate(place))
        for rank, place in enumerate(coordinates.tolist())
    ]


def _namer(texts: dict[int, str]) -> Callable[[Sequence[int]], str]:
    return lambda row: texts[row[0]]


def _side_name(row: Sequence[int]) -> str:
    if all(side == _INNER for side in row):
        return "inner ranks"
    return ", ".join(f"{AXES[k]} {_SIDES[side]}" for k, side in enumerate(row))


def _grouped(
    rows: Sequence[Ints], name: Callable[[Sequence[int]], str]
) -> Counterparts:
    """Group the rows that both sides have; ranks without a place are in no group."""
    there = [side[:, 0] >= 0 for side in rows]
    keys = [{*map(tuple, s[t].tolist())} for s, t in zip(rows, there, strict=True)]
    shared = sorted(keys[0] & keys[1])
    number = {key: k for k, key in enumerate(shared)}
    of = [
        np.array([number.get(tuple(row), -1) for row in side.tolist()], np.int64)
        for side in rows
    ]
    if len(shared) == 1:
        return Counterparts((ALL_RANKS,), of[0], of[1], single=False)
    sizes = [np.bincount(o[o >= 0], minlength=len(shared)) for o in of]
    single = all(bool((size == 1).all()) for size in sizes)
    return Counterparts(tuple(map(name, shared)), of[0], of[1], single)
