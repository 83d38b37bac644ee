"""Collective operations on any number of ranks: two trees at once, recursive doubling.

Of two binary trees each carries half of the data; what is inside of one is mostly a
leaf of the other (Sanders, Speck, Träff, 2009, "Two-tree algorithms for full bandwidth
broadcast, reduction and scan", Parallel Computing 35). NCCL and RCCL take trees in
which a rank stands between its children, and for the second one the ranks mirrored
or, if there is an odd number of them, shifted.

In recursive doubling and halving partners are 1, 2, 4, ... apart. Ranks beyond a power
of two give their data to a partner first, and get the result from it in the end
(Thakur, Rabenseifner, Gropp, 2005, "Optimization of collective communication
operations in MPICH", Int. J. High Perform. Comput. Appl. 19).
"""

from collections import Counter
from collections.abc import Iterator
from functools import partial

import numpy as np

from topoview.model import Indices, Ints, Match, Topology
from topoview.topology.direction_names import CompassDirections
from topoview.topology.graph.graph import unique_edges
from topoview.topology.members import Member, degree_counts

MIN_TREES = 8
"""Ranks from which on two trees are told from other small graphs."""

MIN_DOUBLING = 9
"""Ranks from which on recursive doubling is told from other small graphs."""

INORDER, LEVELS = "", ", level by level"
MIRRORED, SHIFTED = "mirrored", "shifted"


def double_tree(n: int, order: str = INORDER, second: str = "") -> Topology:
    """Build two binary trees of the same vertices.

    Parameters
    ----------
    order
        `INORDER` if a vertex stands between its children, `LEVELS` if the trees are
        filled row by row.
    second
        How the second tree differs from the first: `MIRRORED` or `SHIFTED`; if empty as
        NCCL takes it for `n`.
    """
    edges = np.concatenate(_trees(n, order, second))
    name = _tree_name(n, order, second)
    variant = (order, second or _usual(n))
    return _of(n, "double tree", name, unique_edges(n, *edges.T), variant)


def _tree_name(n: int, order: str, second: str) -> str:
    name = f"double binary tree {n}{order}"
    return name if second in ("", _usual(n)) else f"{name}, {second}"


def _usual(n: int) -> str:
    return SHIFTED if n % 2 else MIRRORED


def _trees(n: int, order: str, second: str) -> tuple[Ints, Ints]:
    """List the edges of both trees, a child and its parent each: int64, (n - 1, 2)."""
    child = np.arange(1, n)
    if order == LEVELS:
        parent = (child - 1) // 2
    else:
        bit = child & -child
        above = (child ^ bit) | 2 * bit
        parent = np.where(above < n, above, child ^ bit)
    ends = np.stack([child, parent], 1)
    mirrored = (second or _usual(n)) == MIRRORED
    return ends, n - 1 - ends if mirrored else (ends + 1) % n


def double_tree_directions(match: Match) -> CompassDirections:
    """Name PARENT and CHILD with its number, those of the second tree as such."""
    topology = match.topology
    n = topology.vertices
    ends = np.full((n, 6), -1)
    for tree, edges in enumerate(_trees(n, *topology.variant)):
        child, parent = edges[np.argsort(edges[:, 0])].T
        ends[child, 3 * tree] = parent
        for number in (1, 2):
            _, first = np.unique(parent, return_index=True)
            ends[parent[first], 3 * tree + number] = child[first]
            child, parent = np.delete(child, first), np.delete(parent, first)
    sides = ("PARENT", "CHILD 0", "CHILD 1")
    both = (*sides, *(f"SECOND {side}" for side in sides))
    return CompassDirections(match, ends, ("rank",), both)


def double_trees(n: int) -> Iterator[Member]:
    """List those of `n` vertices."""
    if n < MIN_TREES:
        return
    for order in (INORDER, LEVELS):
        for second in (MIRRORED, SHIFTED):
            name = _tree_name(n, order, second)
            degrees = _tree_degrees(n, order, second)
            made = partial(double_tree, n, order, second)
            yield Member("double tree", name, degrees, made)


def _tree_degrees(n: int, order: str, second: str) -> Counter[int]:
    """Count the vertices of each degree; what is in both trees counts once."""
    tree, other = _trees(n, order, second)
    parent = np.full(n, -1)
    parent[other[:, 0]] = other[:, 1]
    child, above = tree.T
    alone = tree[(parent[child] != above) & (parent[above] != child)]
    degree = np.bincount(alone.ravel(), minlength=n)
    return degree_counts(degree + np.bincount(other.ravel(), minlength=n))


def recursive_doubling(n: int, beyond_last: bool = False) -> Topology:
    """Build the partners in recursive doubling of `n` ranks, no power of two.

    Parameters
    ----------
    beyond_last
        Whether the last ranks give their data to the first ones; if not, of the first
        ones each even one to the next, as MPICH and Open MPI do.
    """
    power = 1 << (n.bit_length() - 1)
    pairs = np.arange(n - power)
    if beyond_last:
        rank = np.arange(power)
        outside = pairs + power
    else:
        rank = np.concatenate([2 * pairs + 1, np.arange(2 * len(pairs), n)])
        outside = 2 * pairs
    vertex = np.arange(power)
    bits = 1 << np.arange(power.bit_length() - 1)
    u = np.concatenate([outside, np.repeat(rank, len(bits))])
    v = np.concatenate([rank[pairs], rank[vertex[:, None] ^ bits].ravel()])
    name = f"recursive doubling {n}"
    return _of(n, "recursive doubling", name, unique_edges(n, u, v))


def recursive_doublings(n: int) -> Iterator[Member]:
    """List the one of `n` vertices; of powers of two it is a hypercube."""
    power = 1 << (n.bit_length() - 1)
    beyond, bits = n - power, power.bit_length() - 1
    if n < MIN_DOUBLING or not beyond:
        return
    yield Member(
        "recursive doubling",
        f"recursive doubling {n}",
        {1: beyond, bits: power - beyond, bits + 1: beyond},
        partial(recursive_doubling, n),
        variants=lambda: [recursive_doubling(n, beyond_last=True)],
    )


def _of(
    n: int, kind: str, name: str, edges: Indices, variant: tuple[str, ...] = ()
) -> Topology:
    return Topology(
        kind=kind,
        name=name,
        edges=edges,
        coordinates=np.arange(n, dtype=np.int32)[:, None],
        variant=variant,
    )
