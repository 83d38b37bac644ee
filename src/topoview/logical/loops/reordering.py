"""Bring calls of one condition together where no rank can tell the difference."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from topoview.logical.loops.tree import (
    EachOf,
    IterationPart,
    Leaf,
    Repeat,
    Tree,
    TreeBody,
    TreeNode,
    renumbered,
    shared_guard,
)
from topoview.model import Guard, Ints

_MAX_NODES_BACK = 16
"""Nodes to look back over: it stays linear."""


def join_across(tree: Tree, guard: Ints, guards: Sequence[Guard]) -> tuple[Tree, Ints]:
    """Join what has one condition across what other ranks do meanwhile.

    ``if x even: A``, ``if x odd: B``, ``if x even: C`` become ``if x even: A, C``
    and ``if x odd: B``: no rank does both, so each does the same as before. What
    takes entries of tables stays where it is, since tables are read in order.

    Parameters
    ----------
    guard : int64, shape (symbols,)
        Guard of each symbol, -1 for all ranks.

    Returns
    -------
    Tree, and int64, shape (leaves,)
        The tree, its leaves numbered in listing order again; the new number of each
        leaf.
    """
    joiner = _Joiner(tree, guard, guards)
    (own, *blocks), number = renumbered(
        [joiner.body(body) for body in (tree.body, *tree.blocks)]
    )
    numbers = np.array([number[leaf] for leaf in range(tree.leaves)], np.int64)
    return replace(tree, body=own, blocks=tuple(blocks)), numbers


@dataclass(slots=True)
class _Joiner:
    tree: Tree
    guard: Ints
    guards: Sequence[Guard]
    apart: dict[tuple[int, int], bool] = field(default_factory=dict)

    def body(self, body: TreeBody) -> TreeBody:
        """Join within a body, and within what it holds."""
        entries: list[tuple[TreeNode, int]] = []
        for node in body:
            held: TreeNode = node
            if isinstance(node, EachOf | Repeat | IterationPart):
                held = replace(node, body=self.body(node.body))
            guard = shared_guard((held,), self.tree.blocks, self.guard)
            place = len(entries)
            if guard >= 0 and self._is_free(held):
                place = self._after_alike(
                    [g for _, g in entries[-_MAX_NODES_BACK:]], guard, place
                )
            entries.insert(place, (held, guard))
        return tuple(node for node, _ in entries)

    def _after_alike(self, before: list[int], guard: int, end: int) -> int:
        """Place behind the last node of a guard, if all after it are of other ranks."""
        for back, other in enumerate(reversed(before)):
            if other == guard:
                return end - back
            if other < 0 or not self._is_apart(guard, other):
                return end
        return end

    def _is_apart(self, one: int, other: int) -> bool:
        pair = (min(one, other), max(one, other))
        if pair not in self.apart:
            ours, theirs = (self.guards[number].ranks for number in pair)
            self.apart[pair] = not np.isin(ours, theirs, assume_unique=True).any()
        return self.apart[pair]

    def _is_free(self, node: TreeNode) -> bool:
        """Whether a node takes nothing from tables."""
        if isinstance(node, Repeat):
            return node.trips < 0 and all(self._is_free(inner) for inner in node.body)
        if isinstance(node, EachOf):
            return all(self._is_free(inner) for inner in node.body)
        return isinstance(node, Leaf)
