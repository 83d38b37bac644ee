"""Trees: binomial, and complete with a fixed number of children."""

from collections.abc import Iterator

import numpy as np

from topoview.model import Ints, Match, Topology
from topoview.topology.graph import Graph, graph_of, unique_edges
from topoview.topology.named import Named, number_after
from topoview.topology.product import same_edges
from topoview.topology.recognition import Exact

MOST_CHILDREN = 8
"""Most children in a row that are tried."""

MOST_ROOTS = 8
"""Most vertices that are tried as the root."""

PARENT, CHILD, PLACE = "PARENT", "CHILD ", "tree place "


def binomial_tree(n: int) -> Topology:
    """Make the tree in which clearing the lowest set bit gives the parent."""
    child = np.arange(1, n)
    return _tree(f"binomial tree {n}", child & (child - 1))


def complete_tree(n: int, k: int) -> Topology:
    """Make the tree that is filled row by row, with `k` children each."""
    word = {2: "binary", 3: "ternary"}.get(k, f"{k}-ary")
    return _tree(f"{word} tree {n}", (np.arange(1, n) - 1) // k)


def _tree(name: str, parent: Ints) -> Topology:
    n = len(parent) + 1
    level = np.zeros(n, np.int64)
    for child in range(1, n):  # parents have smaller numbers
        level[child] = level[parent[child - 1]] + 1
    order = np.argsort(level, kind="stable")
    first = np.searchsorted(level[order], np.arange(int(level.max()) + 1))
    index = np.empty(n, np.int64)
    index[order] = np.arange(n) - first[level[order]]
    places = np.stack([level, index], 1).astype(np.int32)
    edges = unique_edges(n, parent, np.arange(1, n))
    return Topology("tree", name, (), (), (), edges, places)


def recognise_trees(graph: Graph) -> list[Exact]:
    """Find out which tree a connected graph is, under any numbering."""
    n = graph.n
    if len(graph.edges) != n - 1 or not 3 <= graph.degree.max() < n - 1:
        return []  # chains and stars are known by these names
    degrees = np.sort(graph.degree)
    found = []
    for topology in _candidates(n):
        template = graph_of(n, topology.edges)
        if np.array_equal(np.sort(template.degree), degrees):
            vertex = rooted_isomorphism(graph, template)
            if vertex is not None:
                distance = 3 * float(np.mean(np.abs(vertex - np.arange(n)))) / n
                found.append(Exact(topology, vertex, distance))
    return found


def _candidates(n: int) -> Iterator[Topology]:
    yield binomial_tree(n)
    for k in range(2, min(MOST_CHILDREN, n - 2) + 1):
        yield complete_tree(n, k)


def rooted_isomorphism(graph: Graph, template: Graph) -> Ints | None:
    """Map a tree onto a template whose root is vertex 0; verified.

    Subtrees get equal codes where they are equal (Aho, Hopcroft, Ullman, 1974,
    "The design and analysis of computer algorithms", section 3.2). Equal ones
    are taken in order of rank, so that natural numberings are kept.
    """
    codes: dict[tuple[int, ...], int] = {}
    wanted = _Rooted(template, 0, codes)
    roots = np.flatnonzero(graph.degree == template.degree[0])[:MOST_ROOTS]
    best: Ints | None = None
    distance = np.inf
    for root in roots.tolist():
        ours = _Rooted(graph, root, codes)
        if ours.code[root] != wanted.code[0]:
            continue
        vertex = np.empty(graph.n, np.int64)
        vertex[root] = 0
        for here in ours.order:
            pairs = zip(
                ours.children(here), wanted.children(int(vertex[here])), strict=True
            )
            for child, place in pairs:
                vertex[child] = place
        apart = float(np.abs(vertex - np.arange(graph.n)).sum())
        if apart < distance and same_edges(graph, template.edges, vertex):
            best, distance = vertex, apart
    return best


class _Rooted:
    """A tree from a root: vertices from the top down, and codes of subtrees."""

    def __init__(
        self, graph: Graph, root: int, codes: dict[tuple[int, ...], int]
    ) -> None:
        self.graph, self.parent = graph, np.full(graph.n, -1, np.int64)
        self.order = [root]
        for here in self.order:
            below = self._below(here)
            self.parent[below] = here
            self.order.extend(below.tolist())
        self.code = np.zeros(graph.n, np.int64)
        for here in reversed(self.order):
            key = tuple(sorted(self.code[self._below(here)].tolist()))
            self.code[here] = codes.setdefault(key, len(codes))

    def _below(self, here: int) -> Ints:
        row = slice(self.graph.indptr[here], self.graph.indptr[here + 1])
        beside = self.graph.indices[row].astype(np.int64)
        below: Ints = beside[beside != self.parent[here]]
        return below

    def children(self, here: int) -> list[int]:
        """Children by code, then by number."""
        below = self._below(here)
        ordered: list[int] = below[np.lexsort((below, self.code[below]))].tolist()
        return ordered


class TreeDirections(Named):
    """PARENT, CHILD with its number from 0, else the place in the tree."""

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        n = match.topology.vertices
        level = match.topology.coordinates[:, 0]
        edges = match.topology.edges
        lower = level[edges[:, 0]] < level[edges[:, 1]]
        above = np.where(lower, edges[:, 0], edges[:, 1]).astype(np.int64)
        below = np.where(lower, edges[:, 1], edges[:, 0]).astype(np.int64)
        self.parent = np.full(n, -1, np.int64)
        self.parent[below] = above
        order = np.lexsort((below, above))
        first = np.searchsorted(above[order], np.arange(n))
        self.number = np.full(n, -1, np.int64)
        self.number[below[order]] = np.arange(len(order)) - first[above[order]]
        self.child, self.first = below[order], first
        self.children = np.bincount(above, minlength=n)

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Give the direction of each pair a number; see `Named`."""
        n = len(self.parent)
        child = np.where(self.parent[there] == here, self.number[there], n + there)
        return np.where(self.parent[here] == there, -1, child)

    def name(self, code: int) -> str:
        """Name of a direction."""
        if code < 0:
            return PARENT
        n = len(self.parent)
        return f"{CHILD}{code}" if code < n else f"{PLACE}{code - n}"

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        if name == PARENT:
            return int(self.parent[vertex])
        child = number_after(name, CHILD)
        if child is not None:
            known = child < self.children[vertex]
            return int(self.child[self.first[vertex] + child]) if known else None
        return number_after(name, PLACE)
