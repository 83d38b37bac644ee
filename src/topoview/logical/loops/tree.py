"""A program as a tree of loops, and the table of its parts while it is being found.

While a program is being found, its parts are numbers of a table (hash consing): two
parts are equal just if their numbers are, and a body is a tuple of numbers. Then they
become a tree over the places of the program, before these get their statements.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from itertools import chain
from typing import NamedTuple

import numpy as np

from topoview.logical.loops.compression import LoopTokens
from topoview.logical.loops.kernels import CALL, SOMETIMES
from topoview.logical.loops.words import WordWriter, joined_tables
from topoview.model import Bools, Ints


class Leaf(NamedTuple):
    """One place of the program; a tuple, since a million of them is soon made."""

    place: int
    """Number of the place in listing order: the body, then the blocks."""
    symbols: tuple[int, ...]
    """What it says; within a loop over numbers, one for each of its iterations."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A loop."""

    count: int
    """How often the body runs; the most where that varies."""
    body: "TreeBody"
    over: tuple[int, ...] = ()
    """Numbers that it goes through, in a loop over numbers."""
    trips: int = -1
    """Table of `Tree.trips` that tells how often the body runs, -1 if it is always
    `count` times."""
    rank_trips: int = -1
    """Table of `Tree.rank_trips` that tells how often each rank runs the body, -1 if
    all do equally often."""
    sized: bool = False
    """Whether calls differ in size from turn to turn: a leaf that does has a symbol for
    each."""
    kept: int = -1
    """Functions that stay open from turn to turn, of those around the first call; -1
    where unknown."""

    @property
    def is_fixed(self) -> bool:
        """Whether it always runs equally often, for all ranks."""
        return self.trips < 0 and self.rank_trips < 0


@dataclass(frozen=True, slots=True)
class IterationPart:
    """What some iterations of a loop do; `Tree.patterns` tells which."""

    pattern: int
    body: "TreeBody"


@dataclass(frozen=True, slots=True)
class BlockUse:
    """A block, here."""

    block: int


@dataclass(frozen=True, slots=True)
class EachOf:
    """Calls of one operation in a row, which are read as one."""

    body: "TreeBody"
    neighbours: bool


TreeNode = Leaf | EachOf | Repeat | IterationPart | BlockUse
TreeBody = tuple[TreeNode, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A program.

    Its tables are read as `topoview.logical.loops.words` tells.
    """

    body: TreeBody
    """The program."""
    blocks: tuple[TreeBody, ...] = ()
    """Bodies that are used in several places."""
    trips: tuple[Ints, ...] = ()
    """int64, shape (entries,): how often a loop runs."""
    patterns: tuple[Bools, ...] = ()
    """bool, shape (entries,): whether a part runs."""
    rank_trips: tuple[Ints, ...] = ()
    """int64, shape (ranks,): how often each rank runs a loop's body."""
    leaves: int = 0
    """Number of leaves, in body and blocks."""
    whole: bool = True
    """False if the sequence was so irregular that not all repetitions could be looked
    at."""

    def expand(self) -> Ints:
        """Run the program.

        Returns
        -------
        int64, shape (n, 2)
            Leaf and symbol of each position.
        """
        symbols: list[tuple[int, ...]] = [()] * self.leaves
        tables: list[Ints | Bools] = [*self.patterns, *self.trips]
        writer = _TreeWriter(tables, symbols=symbols, patterns=len(self.patterns))
        writer.program(self.body, self.blocks)
        place, turn = writer.run(np.zeros(0, bool), np.zeros(0, np.int64)).T
        begins, joined = joined_tables([np.array(own, np.int64) for own in symbols])
        turn = np.where(np.diff(begins)[place] > 1, turn, 0)
        return np.column_stack((place, joined[begins[place] + turn]))

    def lines(self) -> int:
        """Count lines: leaves, uses of blocks, heads of loops, parts and blocks."""
        return sum(_body_lines(body) for body in (self.body, *self.blocks)) + len(
            self.blocks
        )


def _body_lines(body: TreeBody) -> int:
    return sum(map(_node_lines, body))


def _node_lines(node: TreeNode) -> int:
    if isinstance(node, Leaf | BlockUse):
        return 1
    if isinstance(node, EachOf):
        return list_lines(len(node.body))
    return 1 + _body_lines(node.body)


NAMES_PER_LINE = 3
"""Partners that take as much to tell as a line, where a line lists them."""


def list_lines(names: int) -> int:
    """Lines that a list of so many partners takes as much as."""
    return 1 + names // NAMES_PER_LINE


def leaves_of(
    body: Iterable[TreeNode], blocks: Sequence[TreeBody] = ()
) -> Iterator[Leaf]:
    """Iterate over the leaves of a body in order; over those of blocks, if given."""
    for node in body:
        if isinstance(node, Leaf):
            yield node
        elif not isinstance(node, BlockUse):
            yield from leaves_of(node.body, blocks)
        elif blocks:
            yield from leaves_of(blocks[node.block], blocks)


def shared_guard(
    body: Iterable[TreeNode], blocks: Sequence[TreeBody], guard: Ints
) -> int:
    """Find the guard that all leaves of a body share, -1 if there is none.

    Parameters
    ----------
    guard : int64, shape (symbols,)
        Guard of each symbol, -1 for all ranks.
    """
    guards = {int(guard[leaf.symbols[0]]) for leaf in leaves_of(body, blocks)}
    return guards.pop() if len(guards) == 1 else -1


def renumbered(
    bodies: Sequence[TreeBody],
) -> tuple[list[TreeBody], dict[int, int]]:
    """Renumber the leaves of bodies in listing order.

    Returns
    -------
    list of TreeBody, and dict
        The bodies, and the new number of each leaf.
    """
    number: dict[int, int] = {}

    def renumbered(body: TreeBody) -> TreeBody:
        nodes: list[TreeNode] = []
        for node in body:
            if isinstance(node, Leaf):
                number[node.place] = len(number)
                nodes.append(Leaf(number[node.place], node.symbols))
            elif isinstance(node, BlockUse):
                nodes.append(node)
            else:
                nodes.append(replace(node, body=renumbered(node.body)))
        return tuple(nodes)

    return [renumbered(body) for body in bodies], number


@dataclass(slots=True)
class _TreeWriter(WordWriter):
    """Writes a tree as words: its places are the statements, turns the numbers."""

    symbols: list[tuple[int, ...]] = field(kw_only=True)
    patterns: int = field(kw_only=True)

    def node(self, node: object) -> None:
        match node:
            case Leaf(place):
                self.words.append((CALL, place, 0, 0))
                self.symbols[place] = node.symbols
            case EachOf(body):
                self.body(body)
            case IterationPart(pattern, body):
                with self.under(SOMETIMES, pattern):
                    self.body(body)
            case BlockUse(block):
                self.use(block)
            case Repeat(count, body, over, trips):
                trips = trips if trips < 0 else trips + self.patterns
                turns = np.arange(count if over or node.sized else 0)
                with self.loop(count, trips, -1, turns):
                    self.body(body)


class NodeKind(IntEnum):
    """What a node is, and what its value is."""

    LEAF = 0
    """A place of the program: its symbols."""
    LOOP = 1
    """A loop: its count."""
    OVER = 2
    """A loop over numbers: the numbers."""
    TRIPS = 3
    """A loop whose count varies: number of its table."""
    PART = 4
    """What some iterations do: number of the pattern."""
    USE = 5
    """A block: its number."""
    SIZES = 6
    """A loop whose calls differ in size from turn to turn: its count."""
    EACH = 7
    """Calls that are read as one: 1 if they are to all neighbours, else 0."""


NodeRow = tuple[int, ...]
NodeKey = tuple[NodeKind, NodeRow, NodeRow]


@dataclass(slots=True)
class Nodes:
    """All nodes: kind, value, body."""

    keys: list[NodeKey] = field(default_factory=list)
    """Kind, value and body of each node."""
    leaves: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    """`leaves` and `lines`: how many leaves each node has, and how many lines it
    takes."""
    bound: list[bool] = field(default_factory=list)
    """Whether each node has leaves that depend on the loop over numbers in which it
    lies."""
    trips: list[Ints] = field(default_factory=list)
    patterns: list[Bools] = field(default_factory=list)
    """`trips` and `patterns`: the tables."""
    _number: dict[NodeKey, int] = field(default_factory=dict)

    def add(self, kind: NodeKind, value: NodeRow, body: NodeRow = ()) -> int:
        """Look a node's number up; a new one gets the next."""
        if kind is NodeKind.LOOP and len(body) == 1:
            inner, count, within = self.keys[body[0]]
            if inner is NodeKind.LOOP:
                value, body = (value[0] * count[0],), within
        key = (kind, value, body)
        if key not in self._number:
            self._number[key] = len(self.keys)
            self.keys.append(key)
            own = kind in (NodeKind.LEAF, NodeKind.USE, NodeKind.EACH)
            one = own and kind is not NodeKind.EACH
            self.leaves.append(1 if one else self.leaves_of(body))
            head = kind is not NodeKind.PART or len(body) > 1 or self.lines_of(body) > 1
            if kind is NodeKind.EACH:
                self.lines.append(list_lines(len(body)))
            else:
                self.lines.append(1 if own else head + self.lines_of(body))
            self.bound.append(
                (kind is NodeKind.LEAF and len(value) > 1)
                or (
                    kind not in (NodeKind.OVER, NodeKind.SIZES)
                    and any(self.bound[node] for node in body)
                )
            )
        return self._number[key]

    def leaves_of(self, body: NodeRow) -> int:
        """Count the leaves of a body."""
        return sum(self.leaves[node] for node in body)

    def lines_of(self, body: NodeRow) -> int:
        """Count the lines of a body: leaves, and heads of loops and longer parts."""
        return sum(map(self.lines.__getitem__, body))

    def written(
        self,
        tokens: LoopTokens,
        row: NodeRow,
        node_rows: Sequence[NodeRow] | None = None,
    ) -> NodeRow:
        """Write loops as nodes; `node_rows` stand for each symbol."""
        memo: dict[int, NodeRow] = {}

        def one(token: int) -> NodeRow:
            if token not in memo:
                if token >= tokens.symbols:
                    count, body = tokens.loops[token - tokens.symbols]
                    memo[token] = (self.add(NodeKind.LOOP, (count,), nodes(body)),)
                elif node_rows is None:
                    memo[token] = (self.add(NodeKind.LEAF, (token,)),)
                else:
                    memo[token] = node_rows[token]
            return memo[token]

        def nodes(row: NodeRow) -> NodeRow:
            return tuple(chain.from_iterable(map(one, row)))

        return nodes(row)

    def tree(self, body: NodeRow, blocks: list[NodeRow], *, whole: bool) -> Tree:
        """Build the program of its nodes."""
        maker = _TreeMaker(self)
        main = maker.body(body)
        rest = tuple(maker.body(block) for block in blocks)
        trips = tuple(self.trips[table] for table in maker.trips)
        patterns = tuple(self.patterns[table] for table in maker.patterns)
        return Tree(main, rest, trips, patterns, leaves=maker.leaves, whole=whole)


@dataclass(slots=True)
class _TreeMaker:
    nodes: Nodes
    leaves: int = 0
    trips: dict[int, int] = field(default_factory=dict)
    patterns: dict[int, int] = field(default_factory=dict)
    keys: list[NodeKey] = field(init=False)

    def __post_init__(self) -> None:
        self.keys = self.nodes.keys

    def body(self, body: NodeRow) -> TreeBody:
        """Write out a body, leaves numbered in order."""
        done: list[TreeNode] = []
        for kind, value, node in map(self.keys.__getitem__, body):
            if kind is NodeKind.LEAF:
                done.append(Leaf(self.leaves, value))
                self.leaves += 1
            else:
                done.append(self._node(kind, value, node))
        return tuple(done)

    def _node(
        self, kind: NodeKind, value: NodeRow, body: NodeRow
    ) -> EachOf | Repeat | IterationPart | BlockUse:
        if kind is NodeKind.USE:
            return BlockUse(value[0])
        within = self.body(body)
        if kind is NodeKind.EACH:
            return EachOf(within, bool(value[0]))
        if kind is NodeKind.PART:
            pattern = self.patterns.setdefault(value[0], len(self.patterns))
            return IterationPart(pattern, within)
        if kind is NodeKind.OVER:
            return Repeat(len(value), within, value)
        if kind is NodeKind.SIZES:
            return Repeat(value[0], within, sized=True)
        if kind is NodeKind.TRIPS:
            most = int(np.max(self.nodes.trips[value[0]]))
            trips = self.trips.setdefault(value[0], len(self.trips))
            return Repeat(most, within, trips=trips)
        return Repeat(value[0], within)
