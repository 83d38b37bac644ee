"""Other names of the same graph."""

import itertools
import math
from collections import Counter

from topoview.model import Topology
from topoview.topology.lattice import lattice_name, shaped_name
from topoview.topology.stencils import STENCILS, plain, stencil_of


def lattice_aliases(topology: Topology) -> tuple[str, ...]:
    """Name all plain lattices that are the same graph as a plain lattice.

    A ring of 4 is 2 x 2; in a hypercube nothing tells open from closed. Square
    6-point stencils have names of their own.
    """
    dims, periodic = topology.dims, topology.periodic
    stencil = stencil_of(topology.offsets, len(dims))
    if stencil == "6-point" and len(set(dims)) == 1 and all(periodic):
        return _six_point_aliases(dims[0])
    if stencil != "plain":
        return ()
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
