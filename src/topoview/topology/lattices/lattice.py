"""Lattices of any dimension: their dims, their stencils, how they are made and named.

Chains, rings, grids, tori, hypercubes, and any stencil on them. To add a stencil is to
add a line to `STENCILS`.
"""

import functools
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from topoview.base.threads import equal_parts, in_parts
from topoview.model import AXES, Indices, Ints, Topology, distinct
from topoview.topology.graph import kernels as graph_kernels
from topoview.topology.graph.graph import MANY_EDGES, Graph
from topoview.topology.graph.products import LatticeAxis
from topoview.topology.lattices import kernels

# Ways to write a number as a product.


def factorisations(n: int, d: int) -> Iterator[tuple[int, ...]]:
    """Write `n` as a product of `d` factors of 2 or more, largest first."""
    yield from (dims for dims in divisions(n, d) if len(dims) == d)


def divisions(n: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    """Write `n` as a product of at most `most` factors of 2 or more, largest first.

    Examples
    --------
    >>> list(divisions(12))
    [(12,), (6, 2), (4, 3), (3, 2, 2)]
    """
    yield from _split(n, divisors(n)[::-1], n, n if most is None else most)


def _split(
    n: int, falling: list[int], largest: int, most: int
) -> Iterator[tuple[int, ...]]:
    if most < 1 or n < 2:
        return
    for first in falling:
        if first > largest or first < 2 or n % first:
            continue
        if first**most < n:
            return
        if first == n:
            yield (n,)
        for rest in _split(n // first, falling, first, most - 1):
            yield (first, *rest)


def divisors(n: int) -> list[int]:
    """List all divisors, ascending."""
    low = [d for d in range(1, int(n**0.5) + 1) if n % d == 0]
    return low + [n // d for d in reversed(low) if d * d != n]


Offset = tuple[int, ...]
Offsets = tuple[Offset, ...]


def canonical(offset: Iterable[int]) -> Offset:
    """Of an offset and its opposite, the one whose first step is positive."""
    steps = tuple(int(step) for step in offset)
    first = next((step for step in steps if step), 0)
    return tuple(-step for step in steps) if first < 0 else steps


@functools.lru_cache(maxsize=256)
def _canonical(offsets: Offsets) -> Offsets:
    return tuple(map(canonical, offsets))


@functools.cache
def plain(d: int) -> Offsets:
    """Offsets of the 3-, 5-, 7-point stencil: one step along one axis."""
    return tuple(tuple(int(i == j) for j in range(d)) for i in range(d))


def _steps(
    dims: tuple[int, ...], reach: int, kept: Callable[[Offset], bool]
) -> Callable[[int], Offsets]:
    """Choose, of all steps that go so far along each axis, one of each +/- pair.

    Parameters
    ----------
    dims
        Numbers of axes for which the stencil exists; empty if for any from 2 on.
    kept
        Whether a step belongs to it.
    """

    @functools.cache
    def offsets(d: int) -> Offsets:
        if d not in dims if dims else d < 2:
            return ()
        steps = itertools.product(range(-reach, reach + 1), repeat=d)
        return tuple(step for step in steps if step > (0,) * d and kept(step))

    return offsets


def _length(step: Offset) -> int:
    """Count the places that a step goes along all axes."""
    return sum(map(abs, step))


def _arms(length: int) -> Callable[[int], Offsets]:
    def is_straight(step: Offset) -> bool:
        return sum(s != 0 for s in step) == 1

    return _steps((1, 2, 3), length, is_straight)


STENCILS: dict[str, Callable[[int], Offsets]] = {
    "plain": plain,
    "6-point": _steps((2,), 1, lambda step: step != (1, 1)),
    "box": _steps((), 1, any),
    "19-point": _steps((3,), 1, lambda step: _length(step) < 3),
    "15-point": _steps((3,), 1, lambda step: _length(step) != 2),
    "13-point": _steps((2,), 2, lambda step: _length(step) <= 2),
    "25-point": _steps((2,), 2, any),
    "arms of 2": _arms(2),
    "arms of 3": _arms(3),
    "arms of 4": _arms(4),
    "knight's moves": _steps((2,), 2, lambda step: {*map(abs, step)} == {1, 2}),
    "diagonals only": _steps((2, 3), 1, all),
    "face diagonals only": _steps((3,), 1, lambda step: _length(step) == 2),
    # to the 12 nearest neighbours, along the axes of a primitive cell
    "face-centred stencil": _steps(
        (3,), 1, lambda step: sum(step) == 0 or _length(step) == 1
    ),
}
"""Name to the offsets in `d` dimensions, one of each +/- pair; empty if none."""

NAMED = frozenset(
    ("knight's moves", "diagonals only", "face diagonals only", "face-centred stencil")
)
"""Stencils that are known by a name, not by their points."""

SCATTERED = ("diagonals only", "face diagonals only")
"""Stencils whose lattices may fall into parts between which no step leads."""

MAX_OFFSETS, MAX_DIFFERENCES = 128, 1 << 14
"""Offsets, one of each +/- pair, beyond which edges are no stencil; and twice as many
differences of places as they may look like where axes are closed."""


def offsets_between(
    edges: Indices, axes: Sequence[LatticeAxis], most: int = MAX_OFFSETS
) -> Offsets:
    """Return the offsets that edges span, one of each +/- pair, the shortest way round.

    Empty if there are more than `most`: than any stencil has.
    """
    codes, weight = np.zeros(len(axes[0].place), np.int64), 1
    for axis in axes:  # a digit an axis, of differences from -extent to extent
        codes += np.multiply(axis.place, weight, dtype=np.int64)
        weight *= 2 * axis.extent + 1

    def differences(part: slice) -> Ints:
        few = 1 << (2 * (part.stop - part.start)).bit_length()
        keys = np.full(min(few, MAX_DIFFERENCES), -1, np.int64)
        graph_kernels.enter_differences(edges[part], codes, keys)
        return keys[keys >= 0]

    parts = equal_parts(len(edges), least=MANY_EDGES)
    seen = distinct(np.concatenate(in_parts(differences, parts)))
    # a step along a closed axis is one of two differences
    ways = 1 << sum(axis.wraps for axis in axes)
    if len(seen) >= min(MAX_DIFFERENCES // 2, most * ways + 1):
        return ()
    steps = np.empty((len(seen), len(axes)), np.int64)
    for i, axis in enumerate(axes):
        base = 2 * axis.extent + 1
        steps[:, i] = (seen + axis.extent) % base - axis.extent
        seen = (seen - steps[:, i]) // base
    extents = np.array([axis.extent for axis in axes])
    wraps = np.array([axis.wraps for axis in axes])
    low = (extents - 1) // 2

    def shortest(signed: Ints) -> list[Offset]:
        round_axes = (signed + low) % extents - low
        return list(map(tuple, np.where(wraps, round_axes, signed).tolist()))

    offsets = set(map(max, shortest(steps), shortest(-steps)))
    if len(offsets) > most:
        return ()
    return tuple(sorted(offsets, key=lambda offset: offset[::-1]))


MAX_STEPS_LISTED = 6
"""Steps of a stencil without a name up to which they are listed."""


@functools.lru_cache(maxsize=1024)  # each lattice that is made asks for its name
def stencil_of(offsets: Offsets, d: int) -> str:
    """Name in `STENCILS` that offsets have, up to reflections; empty if none."""
    stencil = frozenset(map(canonical, offsets))
    # A box of many dimensions is not made to see that this is none.
    boxed = len(stencil) == (3**d - 1) // 2
    for name, make in STENCILS.items():
        wanted = make(d) if name != "box" or boxed else ()
        if wanted and len(wanted) == len(stencil):
            # all others are their own reflections
            leans = name in ("6-point", "face-centred stencil")
            signs = itertools.product((1, -1), repeat=d)
            for flips in signs if leans else [(1,) * d]:
                mirrored = (
                    canonical(a * b for a, b in zip(offset, flips, strict=True))
                    for offset in wanted
                )
                if frozenset(mirrored) == stencil:
                    return name
    return ""


def stencil_label(offsets: Offsets, d: int) -> str:
    """Name a stencil by its points: ``6-point stencil``.

    The literature counts neighbours in the 6-point stencil, and neighbours plus
    the centre in all others; those with arms of several steps are told apart from
    boxes. Offsets that no stencil has are listed: ``steps 1 and 4``.
    """
    name = stencil_of(offsets, d)
    if not name and len(offsets) <= MAX_STEPS_LISTED:
        listed = [str(o[0] if d == 1 else o) for o in sorted(offsets)]
        *most, last = listed
        return f"steps {', '.join(most)}{' and ' if most else ''}{last}"
    if name in NAMED:
        return name
    points = 2 * len(offsets) + (name != "6-point")
    if name.startswith("arms") and d > 1:
        return f"{points}-point star stencil"
    return f"{points}-point stencil{'' if name else ' of its own'}"


MANY_VERTICES = 1 << 16
"""Vertices of a part whose edges are listed in a thread of its own."""


def lattice(
    dims: Sequence[int],
    periodic: Sequence[bool],
    offsets: Offsets | None = None,
) -> Topology:
    """Build a lattice; vertices are numbered with x fastest.

    Parameters
    ----------
    dims
        Extent of each dimension, x first.
    periodic
        Whether each dimension wraps.
    offsets
        Neighbours, one of each +/- pair; unit vectors if not given.

    Examples
    --------
    >>> lattice((4, 3), (True, False)).name
    '2D grid 4x3, periodic in x'
    >>> len(lattice((4, 3), (True, False)).edges)
    20
    """
    d = len(dims)
    n = math.prod(dims)
    steps = plain(d) if offsets is None else _canonical(tuple(map(tuple, offsets)))
    places = row_major_places(n, dims)
    shape = (
        places,
        np.array(dims, np.int64),
        np.array(periodic, np.bool_),
        np.array(steps, np.int64).reshape(-1, d),
    )
    pieces = in_parts(
        lambda part: kernels.lattice_edges(*shape, part.start, part.stop),
        equal_parts(n, least=MANY_VERTICES),
    )
    ends = np.cumsum([0, *map(len, pieces)])
    edges = np.empty((ends[-1], 2), np.int32)

    def join(k: int) -> None:
        edges[ends[k] : ends[k + 1]] = pieces[k]

    in_parts(join, range(len(pieces)))
    wraps = tuple(bool(p) for p in periodic)
    extents = tuple(int(m) for m in dims)
    name = lattice_name(extents, wraps, steps)
    return Topology(
        kind="lattice",
        name=name,
        dims=extents,
        periodic=wraps,
        offsets=steps,
        edges=edges,
        coordinates=places,
    )


def as_lattice(
    dims: tuple[int, ...],
    periodic: tuple[bool, ...],
    offsets: Offsets,
    made: Topology | None,
) -> Topology:
    """Build a lattice, or take one with the same offsets in another order."""
    if (
        made is None
        or (made.dims, made.periodic) != (dims, periodic)
        or set(made.offsets) != set(offsets)
    ):
        return lattice(dims, periodic, offsets)
    return replace(made, offsets=offsets)


def fills(graph: Graph, topology: Topology, vertex: Ints) -> bool:
    """Return whether a graph of which all edges are a lattice's has all of these.

    Parameters
    ----------
    vertex : int64, shape (n,)
        Vertex of the lattice for each of the graph's: each once, else it is none.
    """
    taken = np.zeros(topology.vertices, bool)
    taken[vertex] = True
    return len(graph.edges) == len(topology.edges) and bool(taken.all())


def row_major_places(n: int, dims: Sequence[int]) -> Indices:
    """Coordinates of each vertex, x fastest: int32, shape (n, len(dims))."""
    return kernels.row_major(n, np.array(dims, np.int64))


def strides_of(dims: Sequence[int]) -> Ints:
    """By how much a vertex' number grows with one step along each axis."""
    return np.concatenate([[1], np.cumprod(dims[:-1], dtype=np.int64)])


def step_ends(
    places: Indices, dims: Sequence[int], periodic: Sequence[bool], step: Ints
) -> tuple[Ints, Ints]:
    """Vertices from which a step stays in a lattice, and those that it leads to.

    Parameters
    ----------
    places : int32, shape (vertices, len(dims))
        Coordinates of all vertices, numbered with x fastest.
    step : int64, shape (len(dims),)
        Offset of the neighbour.
    """
    there = places.astype(np.int64) + step
    extents, wraps = np.array(dims), np.array(periodic, bool)
    there[:, wraps] %= extents[wraps]
    inside = ((there >= 0) & (there < extents)).all(axis=1)
    here: Ints = np.flatnonzero(inside)
    ends: Ints = there[inside] @ strides_of(dims)
    return here, ends


def lattice_name(
    dims: tuple[int, ...], periodic: tuple[bool, ...], offsets: Offsets
) -> str:
    """Name a lattice as shown: ``2D torus 6x6, 6-point stencil``."""
    stencil = ""
    if frozenset(offsets) != frozenset(plain(len(dims))):
        stencil = f", {stencil_label(offsets, len(dims))}"
    if len(dims) == 1:
        wraps = periodic[0] and dims[0] > 2
        return f"{'ring' if wraps else 'chain'} {dims[0]}{stencil}"
    if len(dims) > 2 and set(dims) == {2} and not stencil:
        return f"hypercube 2^{len(dims)}"
    return shaped_name(dims, periodic) + stencil


def shaped_name(dims: tuple[int, ...], periodic: tuple[bool, ...]) -> str:
    """Name a lattice by dims and periods alone: ``3D torus 2x2x2``."""
    shape = "x".join(map(str, dims))
    if all(periodic):
        return f"{len(dims)}D torus {shape}"
    wrapped = [axis for axis, wraps in zip(AXES, periodic, strict=False) if wraps]
    name = f"{len(dims)}D grid {shape}"
    if not wrapped:
        return name
    *most, last = wrapped
    return f"{name}, periodic in {', '.join(most) + ' and ' if most else ''}{last}"


# Other names of the same graph.


def lattice_aliases(topology: Topology) -> tuple[str, ...]:
    """Name all lattices that are the same graph as one.

    A ring of 4 is 2 x 2; in a hypercube nothing tells open from closed; in small dims
    stencils fall together. Square 6-point stencils have names of their own.
    """
    dims, periodic = topology.dims, topology.periodic
    stencil = stencil_of(topology.offsets, len(dims))
    if stencil != "plain":
        square = stencil == "6-point" and len(set(dims)) == 1 and all(periodic)
        own = _six_point_aliases(dims[0]) if square else ()
        return (*own, *_other_stencils(topology))
    axes = list(zip(dims, periodic, strict=True))
    fours = axes.count((4, True))
    twos = dims.count(2) + 2 * fours
    rest = [axis for axis in axes if axis[0] != 2 and axis != (4, True)]
    closed = all(wraps for _, wraps in rest)
    names = []
    for rings in range(twos // 2, -1, -1):
        pairs = twos - 2 * rings
        flag = closed and bool(rest or rings)
        made = [*rest, *[(4, True)] * rings, *[(2, flag)] * pairs]
        made.sort(key=lambda axis: -axis[0])
        if Counter(n for n, _ in made) != Counter(dims):
            names.append(_name(made))
    if not rest and twos > 1:
        cube = (2,) * twos
        shapes = [shaped_name(cube, (wraps,) * twos) for wraps in (True, False)]
        names += [shape for shape in shapes if shape != topology.name]
    return tuple(dict.fromkeys(names))


MAX_VERTICES_OF_STENCILS = 4096
"""Vertices up to which it is tried whether other stencils give the same edges."""


def _other_stencils(topology: Topology) -> tuple[str, ...]:
    """Name the stencils of single steps that fall together where an extent is 2 or 3.

    Along a closed axis of 2 one step either way leads to one neighbour, along one of 3
    two steps lead where one does the other way.
    """
    dims, periodic = topology.dims, topology.periodic
    small = any(
        n == 2 or (n == 3 and wraps) for n, wraps in zip(dims, periodic, strict=True)
    )
    if not small or len(dims) > 3 or topology.vertices > MAX_VERTICES_OF_STENCILS:
        return ()
    names = []
    for make in STENCILS.values():
        offsets = make(len(dims))
        if offsets and max(map(abs, itertools.chain(*offsets))) == 1:
            other = lattice(dims, periodic, offsets)
            if other.name != topology.name and np.array_equal(
                other.edges, topology.edges
            ):
                names.append(other.name)
    return tuple(dict.fromkeys(names))


def _six_point_aliases(side: int) -> tuple[str, ...]:
    """Name what BT and SP do, and the 16 ranks that look like rows and columns."""
    multipartition = f"multipartition {side}x{side}"
    if side == 4:
        return (multipartition, "Shrikhande graph")
    return (multipartition,)


def complete_aliases(n: int) -> tuple[str, ...]:
    """Name the boxes in which all are neighbours: of open 2 and closed 3."""
    names = []
    for d in (2, 3):
        for dims in itertools.combinations_with_replacement((3, 2), d):
            if math.prod(dims) == n:
                closed = 3 in dims
                names.append(lattice_name(dims, (closed,) * d, STENCILS["box"](d)))
    return tuple(names)


def _name(axes: list[tuple[int, bool]]) -> str:
    dims = tuple(n for n, _ in axes)
    return lattice_name(dims, tuple(wraps for _, wraps in axes), plain(len(dims)))
