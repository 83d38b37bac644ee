"""Trees: binomial, and complete with a fixed number of children."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from topoview.model import Indices, Ints, Match, Topology
from topoview.topology.direction_names import CompassDirections
from topoview.topology.graph.graph import Graph, distances_from, graph_of, unique_edges
from topoview.topology.graph.products import same_edges
from topoview.topology.members import (
    ExactMatch,
    Member,
    candidates,
    degree_counts,
    rank_distance,
)

MAX_CHILDREN = 32
"""Most children in a row that are tried."""

MAX_TWO_INNER = 3
"""Most children of a tree of which only the root and one child have any."""

MAX_ROOTS_TRIED = 8
"""Most vertices that are tried as the root."""

PARENT, CHILD = "PARENT", "CHILD "


def binomial_tree(n: int) -> Topology:
    """Build the tree in which clearing the lowest set bit gives the parent."""
    child = np.arange(1, n)
    return _tree(f"binomial tree {n}", child & (child - 1))


def doubling_tree(n: int) -> Topology:
    """Build the tree in which clearing the highest set bit gives the parent.

    In each round all that have been reached send on by a distance that doubles. For
    powers of two it is the other binomial tree.
    """
    return _tree(
        f"binomial tree {n}, by doubling", without_highest_bit(np.arange(1, n))
    )


def without_highest_bit(child: Ints) -> Ints:
    """Clear the highest set bit of numbers above 0."""
    return child - (1 << (np.frexp(child)[1].astype(np.int64) - 1))


def binary_tree(n: int) -> Topology:
    """Build the tree that is filled row by row, with two children each."""
    return complete_tree(n, 2)


def complete_tree(n: int, k: int) -> Topology:
    """Build the tree that is filled row by row, with `k` children each."""
    return _tree(_complete_name(n, k), (np.arange(1, n) - 1) // k)


def _complete_name(n: int, k: int) -> str:
    word = {2: "binary", 3: "ternary"}.get(k, f"{k}-ary")
    return f"{word} tree {n}"


def _tree(name: str, parent: Ints) -> Topology:
    n = len(parent) + 1
    level = _levels(np.append(0, parent))
    order = np.argsort(level, kind="stable")
    first = np.searchsorted(level[order], np.arange(int(level.max()) + 1))
    index = np.empty(n, np.int64)
    index[order] = np.arange(n) - first[level[order]]
    places = np.stack([level, index], 1).astype(np.int32)
    edges = unique_edges(n, parent, np.arange(1, n))
    return Topology(kind="tree", name=name, edges=edges, coordinates=places)


def trees(n: int) -> Iterator[Member]:
    """List the trees of `n` vertices; chains and stars are known by these names."""
    if n < 5:
        return
    child = np.arange(1, n)
    degrees = _degrees(child & (child - 1))
    yield Member("tree", f"binomial tree {n}", degrees, lambda: binomial_tree(n))
    if n & (n - 1):
        degrees = _degrees(without_highest_bit(child))
        name = f"binomial tree {n}, by doubling"
        yield Member("tree", name, degrees, lambda: doubling_tree(n))
    for k in range(2, min(MAX_CHILDREN, n - 2) + 1):
        if k > MAX_TWO_INNER and n - 1 <= 2 * k:
            break  # two masters with workers each, not a root and its first child
        full, rest = divmod(n - 1, k)
        counts = Counter({k: 1, k + 1: full - 1})
        counts[rest + 1] += bool(rest)
        counts[1] += n - full - bool(rest)
        yield Member(
            "tree",
            _complete_name(n, k),
            +counts,
            lambda k=k: complete_tree(n, k),  # type: ignore[misc]
        )


def _degrees(parent: Ints) -> Counter[int]:
    """How many vertices have each degree, if all but the first have these parents."""
    n = len(parent) + 1
    return degree_counts(np.bincount(parent, minlength=n) + (np.arange(n) > 0))


_alike = candidates(trees)


def recognise_trees(graph: Graph) -> list[ExactMatch]:
    """Find out which tree a connected graph is, under any numbering and root."""
    n = graph.n
    if len(graph.edges) != n - 1 or not 3 <= graph.degree.max() < n - 1:
        return []
    result = []
    for member in _alike(graph):
        topology = member.make()
        placed = rooted_isomorphism(graph, graph_of(n, topology.edges))
        if placed is not None:
            result.append(ExactMatch(topology, *placed))
    return result


def rooted_isomorphism(graph: Graph, template: Graph) -> tuple[Ints, float] | None:
    """Map a tree onto a template whose root is vertex 0; verified.

    For trees in which subtrees of equal size are equal, as in complete and in
    binomial ones. Of equal subtrees the first in order of rank, counted from the
    root's, comes first: so that natural numberings are kept, from any root.

    Returns
    -------
    vertex : int64, shape (n,)
        Vertex of the template for each of the graph's.
    distance
        Mean distance between vertex and rank, counted from 0 or from the root's.
    """
    n = graph.n
    wanted = _Rooted(template, 0)
    best, least = None, np.inf
    for root in _roots(graph, wanted).tolist():
        ours = _Rooted(graph, root)
        vertex = _unfold(ours, wanted)
        if vertex.min() < 0 or not same_edges(graph, template.edges, vertex):
            continue
        turned = np.abs(vertex - (np.arange(n) - root) % n)
        distance = min(rank_distance(vertex), 3 * float(turned.mean()) / n)
        if distance < least:
            best, least = vertex, distance
    return None if best is None else (best, float(least))


def _roots(graph: Graph, wanted: "_Rooted") -> Ints:
    """Vertices at which a tree falls into branches of the sizes wanted."""
    some = _Rooted(graph, 0)
    word = np.random.default_rng(3).integers(1, 2**62, graph.n + 1)
    below = np.zeros(graph.n, np.int64)
    children = some.order[1:]
    np.add.at(below, some.parent[children], word[some.size[children]])
    above = np.where(np.arange(graph.n) == 0, 0, word[graph.n - some.size])
    branches = wanted.size[wanted.parent == 0]
    return np.flatnonzero(below + above == word[branches].sum())[:MAX_ROOTS_TRIED]


class _Rooted:
    """A tree from a root: vertices from the top down, sizes, sorted children."""

    def __init__(self, graph: Graph, root: int) -> None:
        n = graph.n
        self.distance, self.order = distances_from(graph, np.array([root]))
        distance = self.distance
        below = (distance[graph.edges[:, 0]] < distance[graph.edges[:, 1]]).astype(int)
        edge = np.arange(n - 1)
        self.parent = np.full(n, -1, np.int64)
        self.parent[graph.edges[edge, below]] = graph.edges[edge, 1 - below]
        self.size = _sizes(distance, self.parent)
        number = (np.arange(n) - root) % n
        self.child = np.lexsort((number, self.size, self.parent))[1:]
        self.children = np.bincount(self.parent[self.child], minlength=n)
        self.first = np.cumsum(self.children) - self.children


def _levels(parent: Ints) -> Ints:
    """Count the steps from each vertex up to the root, which is its own parent."""
    level = np.zeros(len(parent), np.int64)
    above = np.arange(len(parent))
    while above.any():
        level += above > 0
        above = parent[above]
    return level


def _sizes(distance: Indices, parent: Ints) -> Ints:
    size = np.ones(len(parent), np.int64)
    for far in range(int(distance.max(initial=0)), 0, -1):
        below = np.flatnonzero(distance == far)
        np.add.at(size, parent[below], size[below])
    return size


def _unfold(ours: _Rooted, theirs: _Rooted) -> Ints:
    """Map each vertex, children in their order; -1 below where sizes differ."""
    vertex = np.full(len(ours.order), -1, np.int64)
    vertex[ours.order[0]] = 0
    place = np.empty(len(vertex), np.int64)
    place[ours.child] = np.arange(len(ours.child)) - ours.first[ours.parent[ours.child]]
    for far in range(1, int(ours.distance.max(initial=0)) + 1):
        own = np.flatnonzero(ours.distance == far)
        above = vertex[ours.parent[own]]
        fits = (above >= 0) & (
            ours.children[ours.parent[own]] == theirs.children[above]
        )
        own = own[fits]
        there = theirs.child[theirs.first[above[fits]] + place[own]]
        alike = ours.size[own] == theirs.size[there]
        vertex[own[alike]] = there[alike]
    return vertex


def tree_directions(match: Match) -> CompassDirections:
    """Name PARENT, CHILD with its number from 0, else the place in the tree."""
    topology = match.topology
    level, edges = topology.coordinates[:, 0], topology.edges.astype(np.int64)
    down = level[edges[:, 0]] < level[edges[:, 1]]
    above, below = np.where(down[:, None], edges, edges[:, ::-1]).T
    order = np.lexsort((below, above))
    above, below = above[order], below[order]
    number = np.arange(len(above)) - np.searchsorted(above, above)
    ends = np.full((topology.vertices, 2 + int(number.max(initial=0))), -1)
    ends[below, 0], ends[above, 1 + number] = above, below
    sides = (PARENT, *(f"{CHILD}{k}" for k in range(ends.shape[1] - 1)))
    return CompassDirections(match, ends, ("level", "place"), sides)
