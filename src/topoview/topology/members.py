"""Lattices of a number of vertices, by dims, periods and stencils."""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from topoview.model import Floats, Topology
from topoview.topology.factorisation import divisions
from topoview.topology.lattice import lattice, lattice_name
from topoview.topology.signature import Member
from topoview.topology.stencil_degrees import degree_histogram
from topoview.topology.stencils import STENCILS, Offsets


def lattice_members(n: int) -> Iterator[Member]:
    """List all lattices of `n` vertices with the stencils of `STENCILS`.

    Dims are listed largest first; of equal ones the closed come first.
    """
    for dims in divisions(n):
        for periodic in periods(dims):
            for make in STENCILS.values():
                offsets = make(len(dims))
                if offsets and fits(dims, periodic, offsets):
                    yield _member(dims, periodic, offsets)


def periods(dims: tuple[int, ...]) -> Iterator[tuple[bool, ...]]:
    """List which dims may wrap, each graph once: no dim of 2, equal ones in order."""
    for flags in itertools.product((True, False), repeat=len(dims)):
        axes = list(zip(dims, flags, strict=True))
        ordered = all(m != k or p >= q for (m, p), (k, q) in itertools.pairwise(axes))
        if ordered and not any(p and m < 3 for m, p in axes):
            yield flags


def fits(dims: Sequence[int], periodic: Sequence[bool], offsets: Offsets) -> bool:
    """Tell whether no two steps of a stencil lead from a vertex to the same one.

    Arms that reach all round are no arms but rows and columns.
    """
    if offsets is STENCILS["box"](len(dims)):
        reach = [1] * len(dims)
    else:
        reach = [max(abs(step[i]) for step in offsets) for i in range(len(dims))]
    return all(
        2 * r + (wraps and r > 1) < m if wraps or r > 1 else r < m
        for r, m, wraps in zip(reach, dims, periodic, strict=True)
    )


def _member(
    dims: tuple[int, ...], periodic: tuple[bool, ...], offsets: Offsets
) -> Member:
    def variants() -> Iterator[Topology]:
        axes = zip(dims, periodic, strict=True)
        for order in sorted(set(itertools.permutations(axes))):
            yield lattice([m for m, _ in order], [p for _, p in order], offsets)

    known = (STENCILS["plain"](len(dims)), STENCILS["box"](len(dims)))
    closed = all(periodic) or offsets in known
    return Member(
        "lattice",
        lattice_name(dims, periodic, offsets),
        degree_histogram(dims, periodic, offsets),
        lambda: lattice(dims, periodic, offsets),
        (lambda: lattice_spectrum(dims, periodic, offsets)) if closed else None,
        variants,
    )


def lattice_spectrum(
    dims: Sequence[int], periodic: Sequence[bool], offsets: Offsets
) -> Floats:
    """Eigenvalues of a lattice, ascending: float64, shape (vertices,).

    Closed forms: on a torus a wave for each vertex, whatever the offsets; plain
    lattices add, and boxes multiply, those of their axes (Cvetkovic, Doob, Sachs,
    1980, "Spectra of graphs", section 2.5).

    Raises
    ------
    ValueError
        If there is no closed form: an open axis with another stencil.
    """
    if all(periodic):
        phase = np.stack(
            [a.ravel() / m for a, m in zip(np.indices(dims), dims, strict=True)]
        )
        waves = 2 * np.cos(2 * np.pi * (np.array(offsets) @ phase))
        return np.sort(waves.sum(axis=0))
    kinds = {name: set(make(len(dims))) for name, make in STENCILS.items()}
    axes = [_axis(m, p) for m, p in zip(dims, periodic, strict=True)]
    if set(offsets) == kinds["plain"]:
        total = np.zeros(1)
        for values in axes:
            total = np.add.outer(total, values).ravel()
        return np.sort(total)
    if set(offsets) == kinds["box"]:
        total = np.ones(1)
        for values in axes:
            total = np.multiply.outer(total, values + 1).ravel()
        return np.sort(total - 1)
    raise ValueError("no closed form for this stencil on open axes")


def _axis(m: int, wraps: bool) -> Floats:
    k = np.arange(m)
    if wraps and m > 2:
        ring: Floats = 2 * np.cos(2 * np.pi * k / m)
        return ring
    chain: Floats = 2 * np.cos(np.pi * (k + 1) / (m + 1))
    return chain
