"""A program as a tree of loops over numbers, before it gets its statements."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from topoview.model import Bools, Ints


class Leaf(NamedTuple):
    """One place of the program; a tuple, since a million of them is soon made.

    Attributes
    ----------
    place
        Number of the place in listing order: the body, then the blocks.
    symbols
        What it says; within a loop over numbers, one for each of its iterations.
    """

    place: int
    symbols: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A loop.

    Attributes
    ----------
    count
        How often the body runs; the most where that varies.
    over
        Numbers that it goes through, in a loop over numbers.
    trips
        Table of `Tree.trips` that tells how often the body runs, -1 if it is
        always `count` times.
    rank_trips
        Table of `Tree.rank_trips` that tells how often each rank runs the body, -1
        if all do equally often.
    sized
        Whether calls differ in size from turn to turn: a leaf that does has a symbol
        for each.
    kept
        Functions that stay open from turn to turn, of those around the first call; -1
        where that is not known.
    """

    count: int
    body: "Body"
    over: tuple[int, ...] = ()
    trips: int = -1
    rank_trips: int = -1
    sized: bool = False
    kept: int = -1


@dataclass(frozen=True, slots=True)
class Part:
    """What some iterations of a loop do; `Tree.patterns` tells which."""

    pattern: int
    body: "Body"


@dataclass(frozen=True, slots=True)
class Use:
    """A block, here."""

    block: int


FEW = 200
"""Positions of the longest loop that is written out as a list."""

Node = Leaf | Repeat | Part | Use
Body = tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A program.

    Tables are read as the program runs: each time that a loop with trips, or a
    part, is reached it takes the next entry of its table, and the first again
    after the last.

    Attributes
    ----------
    body
        The program.
    blocks
        Bodies that are used in several places.
    trips
        int64, shape (entries,): how often a loop runs.
    patterns
        bool, shape (entries,): whether a part runs.
    rank_trips
        int64, shape (ranks,): how often each rank runs a loop's body.
    leaves
        Number of leaves, in body and blocks.
    whole
        False if the sequence was so irregular that not all repetitions could be
        looked at.
    """

    body: Body
    blocks: tuple[Body, ...] = ()
    trips: tuple[Ints, ...] = ()
    patterns: tuple[Bools, ...] = ()
    rank_trips: tuple[Ints, ...] = ()
    leaves: int = 0
    whole: bool = True

    def expand(self) -> Ints:
        """Run the program.

        Returns
        -------
        int64, shape (n, 2)
            Leaf and symbol of each position.
        """
        return _Run(self).run(self.body, 0)

    def lines(self) -> int:
        """Count lines: leaves, uses of blocks, heads of loops, parts and blocks."""
        return sum(_lines(body) for body in (self.body, *self.blocks)) + len(
            self.blocks
        )


def _lines(body: Body) -> int:
    return sum(
        1 if isinstance(node, Leaf | Use) else 1 + _lines(node.body) for node in body
    )


@dataclass(slots=True)
class _Run:
    tree: Tree
    turns: dict[tuple[str, int], int] = field(default_factory=dict)
    known: dict[int, Ints] = field(default_factory=dict)
    fixed: dict[int, bool] = field(default_factory=dict)

    def run(self, body: Body, iteration: int) -> Ints:
        """Write a body out, in an iteration of the loop over numbers around it."""
        if self._is_fixed(body):
            if id(body) not in self.known:
                self.known[id(body)] = self._write(body, iteration)
            return self.known[id(body)]
        return self._write(body, iteration)

    def _write(self, body: Body, iteration: int) -> Ints:
        parts: list[Ints] = [np.zeros((0, 2), np.int64)]
        leaves: list[int] = []
        for node in body:
            if isinstance(node, Leaf):
                place, symbols = node
                leaves.append(place)
                leaves.append(symbols[iteration if len(symbols) > 1 else 0])
                continue
            if isinstance(node, Repeat) and (few := self._few(node)):
                leaves += few
                continue
            if leaves:
                parts.append(np.array(leaves, np.int64).reshape(-1, 2))
                leaves.clear()
            if isinstance(node, Use):
                parts.append(self.run(self.tree.blocks[node.block], iteration))
            elif isinstance(node, Part):
                if self._next("part", node.pattern, self.tree.patterns[node.pattern]):
                    parts.append(self.run(node.body, iteration))
            else:
                parts += self._loop(node, iteration)
        if leaves:
            parts.append(np.array(leaves, np.int64).reshape(-1, 2))
        return np.concatenate(parts)

    def _few(self, node: Repeat) -> list[int]:
        """Write a short loop out as a list, which is faster; empty if it is none."""
        if (
            node.trips >= 0
            or node.over
            or node.sized
            or node.count * len(node.body) > FEW
        ):
            return []
        once: list[int] = []
        for inner in node.body:
            if isinstance(inner, Leaf) and len(inner.symbols) == 1:
                once.append(inner.place)
                once.append(inner.symbols[0])
            elif isinstance(inner, Repeat) and (few := self._few(inner)):
                once += few
            else:
                return []
        return once * node.count if len(once) * node.count <= 2 * FEW else []

    def _loop(self, node: Repeat, iteration: int) -> list[Ints]:
        count = node.count
        if node.trips >= 0:
            count = self._next("trips", node.trips, self.tree.trips[node.trips])
        if node.over or node.sized:
            return [self.run(node.body, k) for k in range(count)]
        if self._is_fixed(node.body):
            return [np.tile(self.run(node.body, iteration), (count, 1))]
        if all(self._is_simple(inner) for inner in node.body):
            return [self._all_turns(node.body, count)]
        return [self.run(node.body, iteration) for _ in range(count)]

    def _is_simple(self, node: Node) -> bool:
        """Whether a node does something fixed, a number of times that may vary."""
        if isinstance(node, Part) or (isinstance(node, Repeat) and node.trips >= 0):
            return self._is_fixed(node.body)
        return self._node_is_fixed(node)

    def _all_turns(self, body: Body, count: int) -> Ints:
        """Write out all iterations of a body of simple nodes at once."""
        pieces: list[Ints] = []
        times = np.ones((count, len(body)), np.int64)
        for column, node in enumerate(body):
            if isinstance(node, Part):
                table = self.tree.patterns[node.pattern]
                times[:, column] = self._next_some("part", node.pattern, table, count)
                pieces.append(self.run(node.body, 0))
            elif isinstance(node, Repeat) and node.trips >= 0:
                trips = self.tree.trips[node.trips]
                times[:, column] = self._next_some("trips", node.trips, trips, count)
                pieces.append(self.run(node.body, 0))
            else:
                pieces.append(self._write((node,), 0))
        length = np.array([len(piece) for piece in pieces])
        sizes = (times * length).ravel()
        place = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        period = np.repeat(np.tile(length, count), sizes)
        begin = np.repeat(np.tile(np.cumsum(length) - length, count), sizes)
        written: Ints = np.concatenate(pieces)[begin + place % period]
        return written

    def _next_some(
        self, kind: str, table: int, values: Ints | Bools, count: int
    ) -> Ints | Bools:
        turn = self.turns.get((kind, table), 0)
        self.turns[kind, table] = turn + count
        return values[(turn + np.arange(count)) % len(values)]

    def _next(self, kind: str, table: int, values: Ints | Bools) -> int:
        return int(self._next_some(kind, table, values, 1)[0])

    def _is_fixed(self, body: Body) -> bool:
        """Whether a body does the same each time that it runs."""
        if id(body) not in self.fixed:
            rest = [node for node in body if not isinstance(node, Leaf)]
            leaves = (node for node in body if isinstance(node, Leaf))
            fixed = all(len(leaf[1]) == 1 for leaf in leaves)
            self.fixed[id(body)] = fixed and all(map(self._node_is_fixed, rest))
        return self.fixed[id(body)]

    def _node_is_fixed(self, node: Node) -> bool:
        if isinstance(node, Leaf):
            return len(node.symbols) == 1
        if isinstance(node, Use):
            return self._is_fixed(self.tree.blocks[node.block])
        if isinstance(node, Part) or node.trips >= 0:
            return False
        return self._is_fixed(node.body)
