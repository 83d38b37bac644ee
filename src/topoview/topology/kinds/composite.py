"""Topologies made of others: Cartesian products, disjoint copies, and unions.

What their factors are, and how these name partners, they are told as functions: by the
library, of which they are a part.
"""

import math
from collections import Counter
from collections.abc import Callable

import numpy as np

from topoview.grouping import index_in_run
from topoview.model import Bools, Directions, Indices, Ints, Match, Topology
from topoview.topology.direction_names import NamedDirections, number_after
from topoview.topology.graph.graph import Graph, graph_of, induced, unique_edges
from topoview.topology.graph.isomorphism import isomorphism
from topoview.topology.graph.products import factor_places, same_edges, square_classes
from topoview.topology.lattices.lattice import lattice, stencil_of
from topoview.topology.members import (
    MAX_ORDERED_BY_CHANCE,
    ExactMatch,
    Recogniser,
    rank_distance,
)

Naming = Callable[[Match], Directions]
"""Names the partners in a topology."""

# Directions in products and in disjoint copies: those of their factors.

AND, TO = " & ", " in copy "


def factor_match(factor: Topology) -> Match:
    """Hold a factor against itself."""
    none = np.zeros((0, 2), np.int32)
    vertex = np.arange(factor.vertices, dtype=np.int32)
    return Match(
        topology=factor,
        vertex=vertex,
        matched=len(factor.edges),
        missing_edges=none,
        extra_edges=none,
        calls_covered=1.0,
        bytes_covered=1.0,
    )


class FactorDirections:
    """Directions within a factor by numbers that are valid for all pairs."""

    def __init__(self, factor: Topology, naming: Naming, prefix: str = "") -> None:
        self.named: Directions = naming(factor_match(factor))
        self.prefix = prefix
        self.labels: list[str] = []
        self.number: dict[str, int] = {}

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Numbers of the directions, SELF among them: int64."""
        numbers, names = self.named.names(here.astype(np.int32), there.astype(np.int32))
        for name in names:
            if name not in self.number:
                self.number[name] = len(self.labels)
                self.labels.append(name)
        table = np.array([self.number[name] for name in names], np.int64)
        return table[numbers]

    def name(self, code: int) -> str:
        """Name of a direction."""
        return self.prefix + self.labels[code]

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        if not name.startswith(self.prefix):
            return None
        return self.named.partner(vertex, name.removeprefix(self.prefix))


class ProductDirections(NamedDirections):
    """The direction in the factor that changes: ``EAST``, ``WORKER 3``.

    Factors of one kind are told apart by their number (``2: EAST``); where
    several change their directions are joined (``EAST & WORKER 3``).
    """

    MOST = 1 << 20

    def __init__(self, match: Match, naming: Naming) -> None:
        super().__init__(match)
        factors = match.topology.factors
        kinds = [factor.kind for factor in factors]
        self.sizes = [factor.vertices for factor in factors]
        self.factors = [
            FactorDirections(f, naming, f"{i + 1}: " if kinds.count(f.kind) > 1 else "")
            for i, f in enumerate(factors)
        ]

    def _split(self, vertex: Ints) -> list[Ints]:
        parts = []
        for size in self.sizes:
            parts.append(vertex % size)
            vertex = vertex // size
        return parts

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Encode the direction of each pair; see `NamedDirections`."""
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
        stride, result = 1, 0
        for place, size in zip(places, self.sizes, strict=True):
            result += stride * place
            stride *= size
        return result


class PiecesDirections(NamedDirections):
    """The direction in a copy, or another piece; the place in any other."""

    def __init__(self, match: Match, naming: Naming) -> None:
        super().__init__(match)
        topology = match.topology
        self.piece = topology.coordinates[:, -1].astype(np.int64)
        counts = np.bincount(self.piece)
        self.first = np.split(
            np.argsort(self.piece, kind="stable"), np.cumsum(counts)[:-1]
        )
        self.within = np.empty(topology.vertices, np.int64)
        for vertices in self.first:
            self.within[vertices] = np.arange(len(vertices))
        factors = topology.factors
        if topology.kind == "copies":
            factors *= len(counts)
        several = {factor: i for i, factor in enumerate(dict.fromkeys(factors))}
        self.by_factor = [FactorDirections(factor, naming) for factor in several]
        self.factor = np.array([several[factor] for factor in factors])
        self.numbers: dict[str, int] = {}

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Encode the direction of each pair; see `NamedDirections`."""
        codes = -1 - there
        inside = self.piece[here] == self.piece[there]
        for i, named in enumerate(self.by_factor):
            mine = np.flatnonzero(inside & (self.factor[self.piece[here]] == i))
            own = named.codes(self.within[here[mine]], self.within[there[mine]])
            shown, of = np.unique(own, return_inverse=True)
            names = (named.name(code) for code in shown.tolist())
            codes[mine] = np.array([self._number(name) for name in names], int)[of]
        return codes

    def _number(self, name: str) -> int:
        """Return the code of a direction, which several of the topologies may have."""
        return self.numbers.setdefault(name, len(self.numbers))

    def name(self, code: int) -> str:
        """Name of a direction."""
        if code >= 0:
            return list(self.numbers)[code]
        there = -1 - code
        return f"vertex {self.within[there]}{TO}{self.piece[there]}"

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        piece, place = int(self.piece[vertex]), int(self.within[vertex])
        if TO in name:
            first, _, second = name.partition(TO)
            to, other = number_after(first, "vertex "), number_after(second, "")
            if to is None or other is None or other >= len(self.first):
                return None
            exists = to < len(self.first[other])
            return int(self.first[other][to]) if exists else None
        there = self.by_factor[self.factor[piece]].follow(place, name)
        return None if there is None else int(self.first[piece][there])


# Disjoint copies of one topology: ``16 x ring 24``.


def copies(count: int, factor: Topology, interleaved: bool = False) -> Topology:
    """Build disjoint copies of a topology.

    Parameters
    ----------
    count
        How many.
    factor
        What is copied.
    interleaved
        Whether copies alternate in the vertices' numbers, as communicators of
        columns do; they follow one another if not, as those of rows do.
    """
    n = factor.vertices
    copy = np.repeat(np.arange(count), len(factor.edges))
    pitch, step = (1, count) if interleaved else (n, 1)
    edges = pitch * copy[:, None] + step * np.tile(factor.edges, (count, 1))
    edges = edges[np.lexsort((edges[:, 1], edges[:, 0]))].astype(np.int32)
    vertex = np.arange(count * n)
    which = vertex // pitch % count
    place = factor.coordinates[vertex // step % n]
    places = np.concatenate([place, which[:, None]], 1).astype(np.int32)
    name = f"{count} x {factor.name}"
    if " x " in factor.name:
        name = f"{count} x ({factor.name})"
    dims = (*(factor.dims or (n,)), count)
    return Topology(
        kind="copies",
        name=name,
        dims=dims,
        edges=edges,
        coordinates=places,
        factors=(factor,),
    )


def recognise_copies(
    graph: Graph, members: Bools, recognise: Recogniser
) -> list[ExactMatch]:
    """Find out of what the components are copies, under any numbering.

    Parameters
    ----------
    graph
        Graph of all ranks, silent ones too.
    members : bool, shape (ranks,)
        Ranks that communicate at all: each must have its place in a copy.
    recognise
        Finds what one of them is.
    """
    pieces = _pieces(graph, members)
    if pieces is None or len(pieces[1]) < 2 or any(np.ptp(pieces[i]) for i in (1, 3)):
        return []
    count, n = len(pieces[1]), int(pieces[1][0])
    ranks, edges = pieces[0].reshape(count, n), pieces[2].reshape(count, -1, 2)
    matches, made = recognise(graph_of(n, edges[0])), list[ExactMatch]()
    if n <= MAX_ORDERED_BY_CHANCE:  # the numbering of one copy tells nothing
        matches.sort(key=lambda match: match.topology.kind != "lattice")
    for match in matches if n <= MAX_ORDERED_BY_CHANCE else matches[:1]:
        within = _all_alike(n, edges, match.topology, match.vertex)
        if within is not None:
            held = np.take_along_axis(ranks, np.argsort(within, axis=1), axis=1)
            form = match.topology
            made += (_placed(graph.n, held, form, other) for other in (False, True))
    if not made:
        return []
    form = min(made, key=lambda exact: exact.naturalness).topology.factors[0]
    ways = (exact for exact in made if exact.topology.factors[0] is form)
    best = min(ways, key=lambda exact: exact.distance)
    # pairs are trivially chains, stars and all-to-alls
    names = {
        name: 0 for match in matches for name in (match.topology.name, *match.also)
    }
    names.pop(form.name)
    also = tuple(f"{count} x {name}" for name in names if n > 2)
    return [ExactMatch(best.topology, best.vertex, best.distance, also)]


_Pieces = tuple[Ints, Ints, Indices, Ints]
"""Ranks, component by component, and how many are in each; the edges of each in numbers
of its own, sorted, and how many these are."""


def _pieces(graph: Graph, members: Bools) -> _Pieces | None:
    """Split a graph into its components; None if a member has no edge."""
    if not np.array_equal(graph.degree > 0, members):
        return None
    present = np.flatnonzero(members)
    _, label = np.unique(graph.component_of[present], return_inverse=True)
    sizes = np.bincount(label)
    ranks = present[np.argsort(label, kind="stable")]
    of, place = np.empty((2, graph.n), np.int64)
    of[present] = label
    place[ranks] = index_in_run(sizes)
    owner = of[graph.edges[:, 0]]
    # ranks of a component ascend: edges stay sorted
    ends = place[graph.edges][np.argsort(owner, kind="stable")].astype(np.int32)
    return ranks, sizes, ends, np.bincount(owner, minlength=len(sizes))


def _all_alike(n: int, edges: Indices, topology: Topology, first: Ints) -> Ints | None:
    """Vertex of the topology for each rank of each component, or None."""
    template = graph_of(n, topology.edges)
    memo: dict[bytes, Ints] = {edges[0].tobytes(): first}
    within = np.empty((len(edges), n), np.int64)
    for i, mine in enumerate(edges):
        key = mine.tobytes()
        if key not in memo:
            vertex = isomorphism(graph_of(n, mine), template)
            if vertex is None:
                return None
            memo[key] = vertex
        within[i] = memo[key]
    return within


def _placed(ranks: int, held: Ints, factor: Topology, interleaved: bool) -> ExactMatch:
    """Build copies; `held` has the rank of each vertex in each copy."""
    count, n = held.shape
    topology = copies(count, factor, interleaved)
    pitch, step = (1, count) if interleaved else (n, 1)
    vertex = np.full(ranks, -1, np.int64)
    vertex[held] = pitch * np.arange(count)[:, None] + step * np.arange(n)
    return ExactMatch(topology, vertex, rank_distance(vertex[np.sort(held.ravel())]))


# Different topologies side by side: ``2D grid 6x6 + 2 x ring 5``.

MAX_DIFFERENT = 4
"""Different topologies that are told as one answer."""


def union(pieces: list[Topology]) -> Topology:
    """Put topologies side by side; vertices are numbered one piece after the other."""
    sizes = [piece.vertices for piece in pieces]
    offsets = np.cumsum([0, *sizes])
    edges = [piece.edges + offsets[i] for i, piece in enumerate(pieces)]
    places = [
        np.stack([np.arange(size), np.full(size, i)], 1) for i, size in enumerate(sizes)
    ]
    names = Counter(piece.name for piece in pieces)
    name = " + ".join(
        one if many == 1 else f"{many} x {one}" for one, many in names.items()
    )
    return Topology(
        kind="union",
        name=name,
        dims=tuple(sizes),
        edges=np.concatenate(edges).astype(np.int32),
        coordinates=np.concatenate(places).astype(np.int32),
        factors=tuple(pieces),
    )


def recognise_unions(
    graph: Graph, members: Bools, recognise: Recogniser
) -> list[ExactMatch]:
    """Find what the components are, if that differs; see `recognise_copies`."""
    split = _pieces(graph, members)
    if split is None or len(split[1]) < 2 or len(np.unique(split[1])) > MAX_DIFFERENT:
        return []
    ordered, sizes, ends, many = split
    pieces: list[tuple[Topology, Ints]] = []
    distinct: dict[str, Topology] = {}
    memo: dict[bytes, list[ExactMatch]] = {}  # edges of a connected graph are all of it
    for ranks, edges in zip(
        np.split(ordered, np.cumsum(sizes)[:-1]),
        np.split(ends, np.cumsum(many)[:-1]),
        strict=True,
    ):
        key = edges.tobytes()
        if key not in memo:
            memo[key] = recognise(graph_of(len(ranks), edges))
        some = memo[key]
        if not some:
            return []
        topology = distinct.setdefault(some[0].topology.name, some[0].topology)
        if len(distinct) > MAX_DIFFERENT:
            return []
        # ranks in the order of their vertices
        place = some[0].vertex
        if topology is not some[0].topology and not np.array_equal(
            topology.edges, some[0].topology.edges
        ):
            return []
        pieces.append((topology, ranks[np.argsort(place)]))
    if len(distinct) < 2:
        return []
    return [side_by_side(graph.n, pieces)]


def side_by_side(ranks: int, pieces: list[tuple[Topology, Ints]]) -> ExactMatch:
    """Put disjoint topologies side by side: copies if all are one, else a union.

    Parameters
    ----------
    ranks
        Of how many ranks these are some.
    pieces
        A topology, and the rank of each vertex, int64, for each piece.
    """
    form = pieces[0][0]
    if all(topology is form for topology, _ in pieces):
        held = np.array([vertices for _, vertices in pieces])
        ways = (_placed(ranks, held, form, other) for other in (False, True))
        return min(ways, key=lambda exact: exact.distance)
    pieces = sorted(pieces, key=lambda one: (-one[0].vertices, one[0].name))
    vertex = np.full(ranks, -1, np.int64)
    vertices = np.concatenate([vertices for _, vertices in pieces])
    vertex[vertices] = np.arange(len(vertices))
    made = union([topology for topology, _ in pieces])
    return ExactMatch(made, vertex, rank_distance(vertex[np.sort(vertices)]))


# Cartesian products of any topologies: ``ring 6 x star 4``.

MAX_PRODUCT_DEGREE = 128
"""Neighbours beyond which the local relations cost too much."""


def product(first: Topology, *others: Topology) -> Topology:
    """Build the Cartesian product; the first one is fastest in the vertices' numbers.

    Two vertices have an edge if they are neighbours in one factor and equal in all
    others.
    """
    factors = (first, *others)
    sizes = [factor.vertices for factor in factors]
    n = math.prod(sizes)
    vertex = np.arange(n)
    u, v, places, stride = [], [], [], 1
    for factor, size in zip(factors, sizes, strict=True):
        base = vertex[vertex // stride % size == 0]
        u.append((base[:, None] + stride * factor.edges[:, 0]).ravel())
        v.append((base[:, None] + stride * factor.edges[:, 1]).ravel())
        places.append(factor.coordinates[vertex // stride % size])
        stride *= size
    edges = unique_edges(n, np.concatenate(u), np.concatenate(v))
    name = " x ".join(factor.name for factor in factors)
    columns = np.concatenate(places, 1).astype(np.int32)
    return Topology(
        kind="product",
        name=name,
        dims=tuple(sizes),
        edges=edges,
        coordinates=columns,
        factors=factors,
    )


def recognise_products(graph: Graph, recognise: Recogniser) -> list[ExactMatch]:
    """Find the factors of a connected graph, under any numbering.

    Its prime factors follow from the local relations of `square_classes`; those
    that are paths or cycles are taken together as one lattice. What each factor is
    `recognise` finds.
    """
    if graph.n < 6 or graph.degree.max() > MAX_PRODUCT_DEGREE:
        return []
    classes = square_classes(graph)
    if int(classes.max(initial=0)) < 1:
        return []
    places = factor_places(graph, classes)
    if places is None:
        return []
    groups = _groups(graph, classes, places)
    if len(groups) < 2:
        return []
    splits = []
    for columns in groups:
        ranks, index = _fibre(places, columns)
        inside = recognise(induced(ranks, graph.edges))
        if not inside or _diminutive(inside[0].topology):
            return []
        # a path of three is a chain here, though it is a star as well
        best = min(inside, key=lambda one: one.topology.kind != "lattice")
        splits.append((_stride(graph, index), best, best.vertex[index]))
    splits.sort(key=lambda one: one[0])
    vertex = np.zeros(graph.n, np.int64)
    stride = 1
    for _, factor, inner in splits:
        vertex += stride * inner
        stride *= factor.topology.vertices
    factors = [factor.topology for _, factor, _ in splits]
    joined = all(f.kind == "lattice" and len(f.dims) == 1 for f in factors)
    topology = _joined(factors) if joined else product(*factors)
    if not same_edges(graph, topology.edges, vertex):
        return []
    return [ExactMatch(topology, vertex, rank_distance(vertex))]


def _joined(factors: list[Topology]) -> Topology:
    """Join the product of rings and chains with several steps into one lattice."""
    dims = [factor.dims[0] for factor in factors]
    periodic = [factor.periodic[0] for factor in factors]
    offsets = [
        (*(0,) * axis, step, *(0,) * (len(dims) - axis - 1))
        for axis, factor in enumerate(factors)
        for (step,) in factor.offsets
    ]
    return lattice(dims, periodic, tuple(offsets))


def _diminutive(factor: Topology) -> bool:
    """Return whether a stencil has too little room to be one: a square with a chord."""
    if factor.kind != "lattice" or factor.vertices > 4:
        return False
    return stencil_of(factor.offsets, len(factor.dims)) != "plain"


def _groups(graph: Graph, classes: Ints, places: Ints) -> list[list[int]]:
    """Columns of each factor: all paths and cycles together, others alone."""
    plain: list[int] = []
    others: list[int] = []
    for column in range(places.shape[1]):
        extent = int(places[:, column].max()) + 1
        ends = places[graph.edges[classes == column], column]
        edges = unique_edges(extent, ends[:, 0], ends[:, 1])
        degree = np.bincount(edges.ravel(), minlength=extent)
        (plain if degree.max() <= 2 else others).append(column)
    return [[c] for c in others] + ([plain] if plain else [])


def _fibre(places: Ints, columns: list[int]) -> tuple[Ints, Ints]:
    """Ranks that differ from the first in some columns only, and who has whose place.

    Returns
    -------
    ranks : int64, shape (m,)
        Ascending.
    index : int64, shape (n,)
        For each vertex the index in `ranks` of the one at the same place.
    """
    others = np.ones(places.shape[1], bool)
    others[columns] = False
    ranks = np.flatnonzero((places[:, others] == places[0, others]).all(axis=1))
    extents = places.max(axis=0)[columns] + 1
    keys = places[:, columns] @ np.cumprod(np.append(1, extents[:-1]))
    number = np.empty(int(extents.prod()), np.int64)
    number[keys[ranks]] = np.arange(len(ranks))
    return ranks, number[keys]


def _stride(graph: Graph, index: Ints) -> int:
    # the most frequent difference of rank along edges within the factor
    inside = index[graph.edges[:, 0]] != index[graph.edges[:, 1]]
    spans = graph.edges[inside, 1].astype(np.int64) - graph.edges[inside, 0]
    return int(np.bincount(spans).argmax())
