"""Loops whose trip count differs by rank, as one loop with a count for each rank."""

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
    leaves_of,
    renumbered,
)
from topoview.model import Bools, Guard, Ints

MIN_LOOPS_JOINED = 3
"""Loops of one body in a row that are one loop, whatever their conditions are."""

MAX_BODY_STATEMENTS = 64
"""Statements of a body that is looked for behind a loop and before it."""

BodyKey = tuple[object, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SymbolGuards:
    """What the symbols of a tree are."""

    call: Ints
    """int64, shape (symbols,): equal for symbols that differ in their guard only; -1
    for those whose halves have guards of their own."""
    guard: Ints
    """int64, shape (symbols,): guard of each, -1 for all ranks."""
    guards: Sequence[Guard]
    """The guards."""
    ranks: int
    """Number of ranks."""

    def holds(self, symbol: int) -> Bools:
        """Ranks that are at a symbol, bool, shape (ranks,)."""
        number = int(self.guard[symbol])
        if number < 0:
            return np.ones(self.ranks, bool)
        result = np.zeros(self.ranks, bool)
        result[self.guards[number].ranks] = True
        return result


def join_rank_trips(tree: Tree, places: SymbolGuards) -> tuple[Tree, Ints]:
    """Join loops of one body that follow each other under conditions.

    ``if worker: repeat 22: A``, ``if rank in 1, 3, 5: A``, ``if rank 5: A`` become
    ``repeat 22..24: A``, and a table keeps how often each rank runs it. Two loops
    are joined only if a condition is a list of ranks: otherwise the conditions say
    more than the table.

    Returns
    -------
    Tree, and int64, shape (leaves,)
        The tree, its leaves numbered in listing order; the new number of each leaf.
    """
    counter = _TripJoiner(tree, places)
    bodies = [counter.body(body) for body in (tree.body, *tree.blocks)]
    if not counter.tables:
        return tree, np.arange(tree.leaves)
    (own, *blocks), number = renumbered(bodies)
    of = [number[counter.stands(leaf)] for leaf in range(tree.leaves)]
    made = replace(
        tree,
        body=own,
        blocks=tuple(blocks),
        leaves=len(number),
        rank_trips=tuple(counter.tables),
    )
    return made, np.array(of, np.int64)


@dataclass(slots=True)
class _CountedBody:
    """A body that runs so often for some ranks: nodes ``begin`` to ``end``."""

    begin: int
    end: int
    count: int
    leaves: list[Leaf]
    inside: Bools
    looped: bool


@dataclass(slots=True)
class _TripJoiner:
    tree: Tree
    places: SymbolGuards
    tables: list[Ints] = field(default_factory=list)
    instead: dict[int, int] = field(default_factory=dict)

    def stands(self, leaf: int) -> int:
        """Leaf that stands for one that was joined."""
        while leaf in self.instead:
            leaf = self.instead[leaf]
        return leaf

    def body(self, body: TreeBody) -> TreeBody:
        """Join within a body, and within what it holds."""
        nodes: list[TreeNode] = [
            replace(node, body=self.body(node.body))
            if isinstance(node, EachOf | Repeat | IterationPart)
            else node
            for node in body
        ]
        keys = [self._key(node) for node in nodes]
        at = 0
        while at < len(nodes):
            node = nodes[at]
            if isinstance(node, Repeat) and _is_plain(node) and keys[at]:
                joined = self._joined(nodes, keys, at)
                if joined is not None:
                    begin, end, loop = joined
                    nodes[begin:end] = [loop]
                    keys[begin:end] = [()]
                    at = begin
            at += 1
        return tuple(nodes)

    def _key(self, node: TreeNode) -> BodyKey:
        """Equal for nodes that differ in guards only; empty if none is like it."""
        if isinstance(node, Leaf):
            calls = self.places.call[list(node.symbols)]
            return ("call", *calls.tolist()) if (calls >= 0).all() else ()
        if not isinstance(node, Repeat) or not _is_plain(node):
            return ()
        within = tuple(self._key(inner) for inner in node.body)
        return ("repeat", node.count, within) if all(within) else ()

    def _joined(
        self, nodes: list[TreeNode], keys: list[BodyKey], at: int
    ) -> tuple[int, int, Repeat] | None:
        body = keys[at][2]
        assert isinstance(body, tuple)
        if len(body) > MAX_BODY_STATEMENTS:
            return None
        items = [self._item(nodes, at, at + 1)]
        while item := self._next(nodes, keys, items[-1].end, body, forward=True):
            items.append(item)
        while item := self._next(nodes, keys, items[0].begin, body, forward=False):
            items.insert(0, item)
        sizes = [int(item.inside.sum()) for item in items]
        widest = items[int(np.argmax(sizes))]
        items = self._alike(items, widest)
        if len(items) < 2 or (len(items) < MIN_LOOPS_JOINED and self._are_told(items)):
            return None
        trips = np.zeros(self.places.ranks, np.int64)
        for item in items:
            trips += item.count * item.inside
            for leaf, stands in zip(item.leaves, widest.leaves, strict=True):
                if leaf is not stands:
                    self.instead[leaf.place] = stands.place
        self.tables.append(trips)
        first = nodes[widest.begin]
        own = tuple(nodes[widest.begin : widest.end])
        if widest.looped and isinstance(first, Repeat):
            own = first.body
        made = Repeat(int(trips.max()), own, rank_trips=len(self.tables) - 1)
        return items[0].begin, items[-1].end, made

    def _alike(
        self, items: list[_CountedBody], widest: _CountedBody
    ) -> list[_CountedBody]:
        """Items next to the widest whose ranks do each call just if its ranks do."""
        all_of = [self.places.holds(leaf.symbols[0]) for leaf in widest.leaves]

        def fits(item: _CountedBody) -> bool:
            if (item.inside & ~widest.inside).any():
                return False
            return all(
                np.array_equal(self.places.holds(leaf.symbols[0]), holds & item.inside)
                for leaf, holds in zip(item.leaves, all_of, strict=True)
            )

        place = items.index(widest)
        low = high = place
        while low > 0 and fits(items[low - 1]):
            low -= 1
        while high + 1 < len(items) and fits(items[high + 1]):
            high += 1
        return items[low : high + 1]

    def _are_told(self, items: list[_CountedBody]) -> bool:
        """Whether conditions follow from the topology, all of them."""
        used = {
            int(self.places.guard[leaf.symbols[0]])
            for item in items
            for leaf in item.leaves
        }
        return all(self.places.guards[number].closed for number in used if number >= 0)

    def _next(
        self,
        nodes: list[TreeNode],
        keys: list[BodyKey],
        edge: int,
        body: BodyKey,
        *,
        forward: bool,
    ) -> _CountedBody | None:
        """Find the body once more, in a loop or as it is, after or before an index."""
        beside = edge if forward else edge - 1
        key = keys[beside] if 0 <= beside < len(nodes) else ()
        if key and key[0] == "repeat" and key[2] == body:
            return self._item(nodes, beside, beside + 1)
        begin = edge if forward else edge - len(body)
        end = begin + len(body)
        if begin >= 0 and tuple(keys[begin:end]) == body:
            return self._item(nodes, begin, end, looped=False)
        return None

    def _item(
        self, nodes: list[TreeNode], begin: int, end: int, *, looped: bool = True
    ) -> _CountedBody:
        count = 1
        own: Sequence[TreeNode] = nodes[begin:end]
        if looped:
            loop = nodes[begin]
            assert isinstance(loop, Repeat)
            count, own = loop.count, loop.body
        leaves = list(leaves_of(own))
        inside = np.zeros(self.places.ranks, bool)
        for leaf in leaves:
            inside |= self.places.holds(leaf.symbols[0])
        return _CountedBody(
            begin=begin,
            end=end,
            count=count,
            leaves=leaves,
            inside=inside,
            looped=looped,
        )


def _is_plain(loop: Repeat) -> bool:
    return loop.is_fixed and not loop.over and not loop.sized
