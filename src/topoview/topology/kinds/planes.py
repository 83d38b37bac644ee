"""Planes: all that share a coordinate in three dimensions communicate."""

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from topoview.model import Topology
from topoview.topology.factorisation import divisions
from topoview.topology.graph import unique_edges
from topoview.topology.lattice import row_major_places
from topoview.topology.signature import Member

MOST = 4096
"""Vertices of the largest that is looked for: edges grow by n to 5/3."""


def planes(dims: Sequence[int]) -> Topology:
    """Make planes: each plane across each of three axes is all-to-all."""
    n = math.prod(dims)
    places = row_major_places(n, dims)
    u, v = [], []
    for axis, extent in enumerate(dims):
        order = np.argsort(places[:, axis], kind="stable").reshape(extent, -1)
        first, second = np.triu_indices(order.shape[1], 1)
        u.append(order[:, first].ravel())
        v.append(order[:, second].ravel())
    extents = tuple(int(m) for m in dims)
    edges = unique_edges(n, np.concatenate(u), np.concatenate(v))
    name = f"planes {'x'.join(map(str, extents))}"
    open_axes = (False,) * len(extents)
    return Topology("planes", name, extents, open_axes, (), edges, places)


def all_planes(n: int) -> Iterator[Member]:
    """List all of `n` vertices."""
    if n > MOST:
        return
    for dims in divisions(n, 3):
        if len(dims) == 3 and dims[1] > 2:
            apart = math.prod(m - 1 for m in dims)
            yield Member(
                "planes",
                f"planes {'x'.join(map(str, dims))}",
                {n - 1 - apart: n},
                lambda dims=dims: planes(dims),  # type: ignore[misc]
                variants=lambda dims=dims: map(  # type: ignore[misc]
                    planes, sorted(set(itertools.permutations(dims)))
                ),
                alike=True,
            )
