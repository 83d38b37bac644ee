"""Twisted tori: the last place along an axis is joined to the first one, further on.

So many places further on along the axes before it (Cámara and others, 2010, "Twisted
torus topologies for enhanced interconnection networks", IEEE Trans. Parallel Distrib.
Syst. 21).
"""

import functools
import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from topoview.model import AXES, Indices, Ints, Match, Topology
from topoview.topology.direction_names import AXIS_WORDS, CompassDirections
from topoview.topology.graph.graph import Graph, edges_of_ends
from topoview.topology.graph.products import same_edges
from topoview.topology.lattices.abelian import AbelianGroup
from topoview.topology.lattices.lattice import (
    divisions,
    row_major_places,
    shaped_name,
    strides_of,
)
from topoview.topology.lattices.parallel_edges import parallel_steps
from topoview.topology.lattices.unnamed_stencils import group_of_steps, unnamed_stencils
from topoview.topology.members import (
    ExactMatch,
    Member,
    candidates,
    exactly,
    rank_distance,
)

MAX_TWISTED_AXES = 3
"""Axes of a twisted torus."""

MIN_EXTENT = 3
"""Places along each of its axes: on fewer, a ring with several steps says the same."""

MAX_LISTED = 256
"""Vertices up to which all are tried: on extents of 4 steps are not told apart."""

MAX_EXTENT = 512
"""Places along each of its axes at most."""

MAX_RELATIONS = 4
"""Ways to tell parallel edges that are tried."""


def twisted_torus(dims: Sequence[int], twists: Sequence[Sequence[int]]) -> Topology:
    """Build a torus of which axes come back so many places further on.

    Parameters
    ----------
    dims
        Its dims.
    twists
        For each axis how far it comes back further on along each before it.
    """
    places = row_major_places(math.prod(dims), dims)
    return Topology(
        kind="twisted",
        name=twisted_name(dims, twists),
        dims=tuple(dims),
        periodic=(True,) * len(dims),
        offsets=tuple(tuple(shifts) for shifts in twists),
        edges=edges_of_ends(_twisted_ends(places, dims, twists)),
        coordinates=places,
    )


def twisted_name(dims: Sequence[int], twists: Sequence[Sequence[int]]) -> str:
    """Name as shown: ``2D torus 8x6, twisted by 3``."""
    said = [
        f"by {shift}"
        + (f" in {AXES[along]} across {AXES[axis]}" if len(dims) > 2 else "")
        for axis, shifts in enumerate(twists)
        for along, shift in enumerate(shifts)
        if shift
    ]
    torus = shaped_name(tuple(dims), (True,) * len(dims))
    return f"{torus}, twisted {', '.join(said)}"


def _twisted_ends(
    places: Ints | Indices, dims: Sequence[int], twists: Sequence[Sequence[int]]
) -> Ints:
    """Find the neighbours of places, both ways along each axis in turn."""
    steps = np.eye(len(dims), dtype=np.int64)
    ends = [
        _reduced(places + sign * step, dims, twists)
        for step in steps
        for sign in (1, -1)
    ]
    return np.stack(ends, 1)


def _reduced(
    points: Ints, dims: Sequence[int], twists: Sequence[Sequence[int]]
) -> Ints:
    """Find the vertices at points that may lie outside: int64, shape (points,)."""
    inside = points.astype(np.int64)
    for axis in reversed(range(len(dims))):
        rounds, inside[:, axis] = np.divmod(inside[:, axis], dims[axis])
        inside[:, :axis] += rounds[:, None] * np.array(twists[axis], np.int64)
    return inside @ strides_of(dims)


def listed_twisted_tori(n: int) -> Iterator[Member]:
    """List those of `n` vertices that come back in one way, as far as that serves."""
    shapes = divisions(n, MAX_TWISTED_AXES) if n <= MAX_LISTED else ()
    wide = [dims for dims in shapes if len(dims) > 1 and dims[-1] >= MIN_EXTENT]
    for dims in itertools.chain.from_iterable(map(_orders, wide)):
        for twists in _single_twists(dims):
            made = functools.partial(twisted_torus, dims, twists)
            name = twisted_name(dims, twists)
            yield Member("twisted", name, {2 * len(dims): n}, made)


def _orders(dims: tuple[int, ...]) -> list[tuple[int, ...]]:
    return sorted(set(itertools.permutations(dims)), reverse=True)


def _single_twists(dims: Sequence[int]) -> Iterator[list[list[int]]]:
    """List twists by one number of places: of one axis, or of all after the first."""
    axes = range(len(dims))
    slots = [[(axis, along)] for axis in axes for along in range(axis)]
    if len(dims) > 2:
        slots.append([(axis, 0) for axis in axes[1:]])
    for some in slots:
        for shift in range(2, dims[some[0][1]] // 2 + 1):
            twists = [[0] * axis for axis in axes]
            for axis, along in some:
                twists[axis][along] = shift
            yield twists


_alike = candidates(listed_twisted_tori)


def recognise_twisted_tori(graph: Graph) -> list[ExactMatch]:
    """Find the twisted torus that a connected graph is, and its names as a stencil."""
    listed = _alike(graph)
    ranks = np.arange(graph.n)
    matches = [
        ExactMatch(topology, ranks, 0.0)
        for topology in (member.make() for member in listed)
        if same_edges(graph, topology.edges, ranks)
    ]
    matches = matches[:1] or _twisted_tori(graph)
    for member in () if matches else listed:
        if (exact := exactly(graph, member)) is not None:
            matches = [exact]
            break
    if not matches:
        return []
    others, most = unnamed_stencils(graph), max(matches[0].topology.dims)
    rings = [one.topology for one in others if len(one.topology.dims) == 1]
    if any(max(ring.offsets) <= (most,) for ring in rings):
        return [*others, *matches]  # short steps on a ring are the simpler name
    return [*matches, *others]


def _twisted_tori(graph: Graph) -> list[ExactMatch]:
    """Find a twisted torus by its steps, which are parallel edges.

    Where these, one after the other, come back to places that were reached already
    gives its dims and twists.
    """
    axes = int(graph.degree[0]) // 2
    if not 2 <= axes <= MAX_TWISTED_AXES or (graph.degree != 2 * axes).any():
        return []
    for steps in itertools.islice(parallel_steps(graph), MAX_RELATIONS):
        group = group_of_steps(steps)
        if group is None or group.free or not steps.reached.all():
            continue
        if group.torsion != graph.n or steps.place.shape[1] != axes:
            continue
        place = steps.place - steps.place[0]
        ways = [
            way
            for order in itertools.permutations(range(axes))
            for signs in itertools.product((1, -1), repeat=axes)
            if (way := _way(group, place, order, signs)) is not None
        ]
        for _, dims, twists, vertex in sorted(ways, key=lambda way: way[0]):
            topology = twisted_torus(dims, twists)
            if same_edges(graph, topology.edges, vertex):
                return [ExactMatch(topology, vertex, rank_distance(vertex))]
    return []


_Way = tuple[tuple[float, ...], tuple[int, ...], list[list[int]], Ints]
"""A sort key, the simplest twist in the most natural numbering first; dims; twists; the
vertex of each place."""


def _way(
    group: AbelianGroup, place: Ints, order: tuple[int, ...], signs: tuple[int, ...]
) -> _Way | None:
    """Lay steps along axes in an order; None if that is no torus, or no twisted one."""
    steps = group.coordinates[list(order)] * np.array(signs)[:, None]
    reached = np.zeros((1, len(group.orders)), np.int64)
    dims: list[int] = []
    twists: list[list[int]] = []
    for step in steps:
        some = group.reduced(step * np.arange(1, MAX_EXTENT + 1)[:, None])
        back = (some[:, None] == reached[None]).all(axis=2)
        if not back.any():
            return None
        extent = int(back.any(axis=1).argmax()) + 1
        at = int(back[extent - 1].argmax())
        twists.append((at // strides_of(dims) % np.array(dims, np.int64)).tolist())
        dims.append(extent)
        moved = step * np.arange(extent)[:, None, None] + reached[None]
        reached = group.reduced(moved.reshape(-1, reached.shape[1]))
    shifts = [shift for some in twists for shift in some if shift]
    if min(dims) < MIN_EXTENT or not shifts or shifts in ([1], [dims[0] - 1]):
        return None  # a twist by one place is a ring with two steps
    points = place[:, list(order)] * np.array(signs)
    vertex = _reduced(points, dims, twists)
    far = rank_distance(vertex)
    ascends = float(sorted(dims)[::-1] != dims)
    key = (float(far > 0), len(shifts), sum(shifts), ascends, far)
    return key, tuple(dims), twists, vertex


def twisted_directions(match: Match) -> CompassDirections:
    """Name EAST, WEST, SOUTH, NORTH, UP and DOWN, across the twists as well."""
    topology = match.topology
    ends = _twisted_ends(topology.coordinates, topology.dims, topology.offsets)
    sides = [word for axis in range(len(topology.dims)) for word in AXIS_WORDS[axis]]
    words = AXES[: len(topology.dims)]
    return CompassDirections(match, ends, tuple(words), sides)
