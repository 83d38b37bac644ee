"""The library: every kind of topology, how it is recognised, named and drawn.

To add a kind is to write a file in `kinds` and a line of `LIBRARY`.
"""

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from topoview.model import AXES, Bools, Directions, Indices, Ints, Match
from topoview.topology.direction_names import (
    AxisDirections,
    CompassDirections,
    Difference,
    Exchange,
    LatticeDirections,
    lattice_directions,
    numbered,
)
from topoview.topology.graph.graph import Graph, graph_of, induced
from topoview.topology.graph.invariants import vertex_classes
from topoview.topology.kinds.butterfly import butterflies, butterfly_directions
from topoview.topology.kinds.cg import (
    cg_directions,
    cgs,
    recognise_transpose,
    transpose_directions,
)
from topoview.topology.kinds.complete import (
    all_between_groups,
    all_planes,
    completes,
    recognise_complete,
    recognise_rooks,
    rooks,
)
from topoview.topology.kinds.composite import (
    Naming,
    PiecesDirections,
    ProductDirections,
    recognise_copies,
    recognise_products,
    recognise_unions,
)
from topoview.topology.kinds.doubling import (
    double_tree_directions,
    double_trees,
    recursive_doublings,
)
from topoview.topology.kinds.folded import folded_directions, folded_grids
from topoview.topology.kinds.groups import GroupsDirections, recognise_groups
from topoview.topology.kinds.mesh import mesh_directions, meshes
from topoview.topology.kinds.networks import networks
from topoview.topology.kinds.sphere import (
    at_corners,
    ball_sizes,
    cubed_directions,
    cubed_spheres,
    spheres,
    yin_yang_directions,
    yin_yangs,
)
from topoview.topology.kinds.star import StarDirections, recognise_stars, stars
from topoview.topology.kinds.tree import recognise_trees, tree_directions, trees
from topoview.topology.kinds.twisted import recognise_twisted_tori, twisted_directions
from topoview.topology.lattices.lattice import lattice, strides_of
from topoview.topology.lattices.partial import recognise_partial_lattices
from topoview.topology.lattices.recognition import cramped, lattices
from topoview.topology.lattices.templates import lattice_members, scattered_lattices
from topoview.topology.lattices.unnamed_stencils import unnamed_stencils
from topoview.topology.layout import choice as layouts
from topoview.topology.members import (
    ExactMatch,
    Member,
    Members,
    Recogniser,
    by_signature,
    kept,
)

MAX_VERTICES_FOR_ALL_NAMES = 256
"""Vertices beyond which one name is enough."""

Layouts = Callable[[Match], tuple[str, ...]] | tuple[str, ...]
"""Names of layouts, or what chooses them."""

Scattered = Callable[[Graph, Bools], list[ExactMatch]]
"""The same for the graph of all ranks, and which of them communicate at all: for
kinds that are not connected."""


@dataclass(frozen=True, slots=True)
class TopologyKind:
    """A kind of topology."""

    recognise: Recogniser | None = None
    """Finds all ways in which a connected graph is of this kind."""
    scattered: Scattered | None = None
    """The same for kinds that are not connected."""
    members: Members | None = None
    """Lists those with a number of vertices, each with sizes and degrees; None for
    kinds made of others."""
    directions: Naming = numbered
    """Names partners."""
    layouts: Layouts = layouts.spectral_layouts
    """Names in `LAYOUTS` of `topoview.topology.layout`, the natural one first."""
    otherwise: Recogniser | None = None
    """As `recognise`, for connected graphs that none of these recognises."""


def _listed(
    members: Members,
    directions: Naming = numbered,
    layouts: Layouts = layouts.spectral_layouts,
    colour: Callable[[Graph], Ints] | None = None,
) -> TopologyKind:
    """Return a kind whose members are tried that have the sizes and degrees."""
    recognise = by_signature(members, colour)
    return TopologyKind(recognise, None, members, directions, layouts)


def _user(match: Match) -> Directions:
    return LatticeDirections(match) if match.topology.dims else numbered(match)


LIBRARY: dict[str, TopologyKind] = {
    "lattice": TopologyKind(
        recognise=lattices,
        scattered=scattered_lattices,
        members=lattice_members,
        directions=lattice_directions,
        layouts=layouts.lattice_layouts,
        otherwise=unnamed_stencils,
    ),
    "part": TopologyKind(
        directions=LatticeDirections,
        layouts=layouts.lattice_layouts,
        otherwise=recognise_partial_lattices,
    ),
    "complete": TopologyKind(
        recognise_complete, None, completes, Difference, layouts.complete_layouts
    ),
    "star": TopologyKind(recognise_stars, None, stars, StarDirections, ("star",)),
    "tree": TopologyKind(
        recognise_trees, None, trees, tree_directions, layouts.tree_layouts
    ),
    "cg": _listed(cgs, cg_directions, ("table", "spectral")),
    "rook": TopologyKind(
        recognise_rooks, None, rooks, LatticeDirections, layouts.rook_layouts
    ),
    "planes": _listed(all_planes, LatticeDirections, layouts.rook_layouts),
    "between groups": _listed(all_between_groups, layouts=layouts.rook_layouts),
    "butterfly": _listed(butterflies, butterfly_directions, ("table", "spectral")),
    "sphere": _listed(spheres, numbered, ("globe", "spectral"), ball_sizes),
    "cubed sphere": _listed(
        cubed_spheres, cubed_directions, ("globe", "spectral"), at_corners
    ),
    "yin-yang": _listed(yin_yangs, yin_yang_directions, ("globe", "spectral")),
    "folded": _listed(
        folded_grids, folded_directions, layouts.folded_layouts, vertex_classes
    ),
    "twisted": TopologyKind(
        directions=twisted_directions,
        layouts=layouts.twisted_layouts,
        otherwise=recognise_twisted_tori,
    ),
    "double tree": _listed(double_trees, double_tree_directions, colour=vertex_classes),
    "recursive doubling": _listed(recursive_doublings, colour=vertex_classes),
    "network": _listed(networks),
    "mesh": _listed(meshes, mesh_directions, layouts.mesh_layouts),
    "groups": TopologyKind(
        otherwise=lambda graph: recognise_groups(graph, exact),
        directions=lambda match: GroupsDirections(match, directions),
        layouts=("groups", "spectral"),
    ),
    "product": TopologyKind(
        otherwise=lambda graph: recognise_products(graph, exact),
        directions=lambda match: ProductDirections(match, directions),
        layouts=("nested", "spectral"),
    ),
    "plan": TopologyKind(directions=AxisDirections, layouts=layouts.plan_layouts),
    "transpose": TopologyKind(
        scattered=recognise_transpose,
        directions=transpose_directions,
        layouts=("table", "spectral"),
    ),
    "copies": TopologyKind(
        scattered=lambda graph, members: recognise_copies(graph, members, exact),
        directions=lambda match: PiecesDirections(match, directions),
        layouts=("nested", "spectral"),
    ),
    "union": TopologyKind(
        scattered=lambda graph, members: recognise_unions(graph, members, exact),
        directions=lambda match: PiecesDirections(match, directions),
    ),
    "user": TopologyKind(directions=_user, layouts=layouts.user_layouts),
    "none": TopologyKind(layouts=("ranks",)),
    "unknown": TopologyKind(),
}
"""Every kind; among equally natural ones the first wins."""


def library_members(n: int, without: Container[str] = ()) -> Iterator[Member]:
    """List all members of the library with `n` vertices that are no composites.

    Parameters
    ----------
    without
        Kinds that are left out.
    """
    for name, members in _KEPT.items():
        if name not in without:
            yield from members(n)


_KEPT = {
    name: kept(kind.members)
    for name, kind in LIBRARY.items()
    if kind.members is not None
}
"""The members of each kind."""


def exact(graph: Graph, patterns: Iterable[Recogniser] = ()) -> list[ExactMatch]:
    """All ways in which a connected graph is a member of the library, best first.

    Parameters
    ----------
    patterns
        What recognises the user's own patterns; they go before the library.
    """
    matches = [f for recognise in patterns for f in recognise(graph)]
    if graph.connected:
        for kind in LIBRARY.values():
            if kind.recognise is not None and not (
                matches and graph.n > MAX_VERTICES_FOR_ALL_NAMES
            ):
                matches += kind.recognise(graph)
        for kind in reversed(LIBRARY.values()):  # a product is more than its offsets
            if kind.otherwise is not None and not matches:
                matches += kind.otherwise(graph)
    return sorted(matches, key=lambda one: (one.naturalness, cramped(one.topology)))


def exact_matches(
    ranks: int,
    members: Indices,
    pairs: Indices,
    patterns: Iterable[Recogniser] = (),
) -> list[ExactMatch]:
    """All ways in which pairs of ranks are a member of the library, best first.

    Parameters
    ----------
    members : int32, shape (m,)
        Ranks that communicate at all, ascending: each must have its place.
    pairs : int32, shape (p, 2)
        Ranks that exchange messages, smaller first, sorted.
    patterns
        What recognises the user's own patterns; they go before the library.

    Returns
    -------
    list of ExactMatch
        Their `vertex` is that of each rank: int64, shape (ranks,).
    """
    if not len(pairs):
        return []
    own = induced(members, pairs)
    result = exact(own, patterns)
    for i, one in enumerate(result):
        vertex = np.full(ranks, -1, np.int64)
        vertex[members] = one.vertex
        result[i] = ExactMatch(one.topology, vertex, one.distance, one.also)
    if not own.connected:
        whole = graph_of(ranks, pairs)
        present = np.zeros(ranks, bool)
        present[members] = True
        for kind in LIBRARY.values():
            if kind.scattered is not None:
                result += kind.scattered(whole, present)
    return result


def layouts_of(match: Match) -> tuple[str, ...]:
    """Which layouts serve a match, the natural one first."""
    names = LIBRARY.get(match.topology.kind, LIBRARY["unknown"]).layouts
    return names if isinstance(names, tuple) else names(match)


def directions(match: Match) -> Directions:
    """Name partners after a match's topology.

    Lattices: EAST is +x, WEST -x, SOUTH +y, NORTH -y, UP +z, DOWN -z, the
    shortest way round where an axis wraps (half way round counts as positive);
    a hypercube: EXCHANGE and the bits of the vertex that differ; a star: MASTER
    and WORKER with its number; a tree: PARENT, and CHILD with its number, from 0;
    CG: EXCHANGE and the bits of the column that differ, TRANSPOSE (also of ranks
    on the diagonal, to themselves); all others: the difference of rank the shortest
    way round (``+3``), the bits that differ, or the partner itself (``rank 5``),
    whichever needs the fewest names for the edges.
    """
    return LIBRARY.get(match.topology.kind, LIBRARY["unknown"]).directions(match)


# Further names for partners, for phases that have another topology.


class _Transposed(CompassDirections):
    """TRANSPOSE: two coordinates change places; other partners have no name."""

    def __init__(self, match: Match, axes: tuple[int, int], name: str) -> None:
        topology = match.topology
        swapped = topology.coordinates.astype(np.int64)
        swapped[:, axes] = swapped[:, axes[::-1]]
        across = swapped @ strides_of(topology.dims)
        super().__init__(match, across[:, None], topology.axes, (name,))

    def names(self, ranks: Indices, partners: Indices) -> tuple[Indices, list[str]]:
        """Name the partner of each rank; those on the diagonal are their own."""
        numbers, names = super().names(ranks, partners)
        (said,) = self.sides
        at = names.index(said) if said in names else -2
        return np.where(numbers == at, 0, -1).astype(np.int32), [said]


def alternatives(match: Match) -> tuple[Directions, ...]:
    """Find further names for partners, for phases of another topology.

    On a lattice: TRANSPOSE, where two axes are equally long; EXCHANGE, the bits of
    the vertices' numbers that differ; the difference of the numbers. In rows and
    columns those of a torus too, which phases may go along.
    """
    topology = match.topology
    if topology.kind == "rook":
        dims = topology.dims
        torus = replace(match, topology=lattice(dims, (True,) * len(dims)))
        return (directions(torus), *alternatives(torus))
    if topology.kind != "lattice":
        return ()
    dims = topology.dims
    transposes: list[Directions] = []
    for a, b in combinations(range(min(len(dims), len(AXES))), 2):
        if dims[a] == dims[b] > 2:
            axes = "" if len(dims) == 2 else f" {AXES[a]}{AXES[b]}"
            transposes.append(_Transposed(match, (a, b), f"TRANSPOSE{axes}"))
    return (*transposes, Exchange(match), Difference(match))
