"""Parts of a program as numbers, so that equal parts are one.

While a program is being found, its parts are numbers of a `Nodes` table: two
parts are equal just if their numbers are, and a body is a tuple of numbers.
"""

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from topoview.logical.loops.compress import Tokens
from topoview.logical.loops.tree import Body, Leaf, Part, Repeat, Tree, Use
from topoview.model import Bools, Ints


class Kind(IntEnum):
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


Row = tuple[int, ...]
Key = tuple[Kind, Row, Row]


@dataclass(slots=True)
class Nodes:
    """All nodes: kind, value, body.

    Attributes
    ----------
    keys
        Kind, value and body of each node.
    leaves, lines
        How many leaves each node has, and how many lines it takes.
    bound
        Whether each node has leaves that depend on the loop over numbers in which
        it lies.
    trips, patterns
        The tables.
    """

    keys: list[Key] = field(default_factory=list)
    leaves: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    bound: list[bool] = field(default_factory=list)
    trips: list[Ints] = field(default_factory=list)
    patterns: list[Bools] = field(default_factory=list)
    _number: dict[Key, int] = field(default_factory=dict)

    def add(self, kind: Kind, value: Row, body: Row = ()) -> int:
        """Look a node's number up; a new one gets the next."""
        if kind is Kind.LOOP and len(body) == 1:
            inner, count, within = self.keys[body[0]]
            if inner is Kind.LOOP:
                value, body = (value[0] * count[0],), within
        key = (kind, value, body)
        if key not in self._number:
            self._number[key] = len(self.keys)
            self.keys.append(key)
            own = kind in (Kind.LEAF, Kind.USE)
            self.leaves.append(1 if own else self.leaves_of(body))
            head = kind is not Kind.PART or len(body) > 1 or self.lines_of(body) > 1
            self.lines.append(1 if own else head + self.lines_of(body))
            self.bound.append(
                (kind is Kind.LEAF and len(value) > 1)
                or (
                    kind not in (Kind.OVER, Kind.SIZES)
                    and any(self.bound[node] for node in body)
                )
            )
        return self._number[key]

    def leaves_of(self, body: Row) -> int:
        """Count the leaves of a body."""
        return sum(self.leaves[node] for node in body)

    def lines_of(self, body: Row) -> int:
        """Count the lines of a body: leaves, and heads of loops and longer parts."""
        return sum(map(self.lines.__getitem__, body))

    def places(self, row: Row) -> Ints | None:
        """Find where each node begins in the sequence that a row is written for.

        Returns
        -------
        int64, shape (nodes,), or None
            None if that differs from turn to turn.
        """
        known: dict[int, int] = {}

        def length(node: int) -> int:
            if node not in known:
                kind, value, body = self.keys[node]
                if kind in (Kind.TRIPS, Kind.PART, Kind.USE):
                    return -1
                each = [length(inner) for inner in body]
                times = len(value) if kind is Kind.OVER else (*value, 1)[0]
                own = times * sum(each) if min(each, default=0) >= 0 else -1
                known[node] = 1 if kind is Kind.LEAF else own
            return known[node]

        lengths = np.array([length(node) for node in row], np.int64)
        return None if (lengths < 0).any() else np.cumsum(lengths) - lengths

    def written(self, tokens: Tokens, row: Row) -> Row:
        """Make nodes of loops."""
        known: dict[int, int] = {}

        def node(token: int) -> int:
            if token not in known:
                if token < tokens.symbols:
                    known[token] = self.add(Kind.LEAF, (token,))
                else:
                    count, body = tokens.loops[token - tokens.symbols]
                    within = tuple(node(inner) for inner in body)
                    known[token] = self.add(Kind.LOOP, (count,), within)
            return known[token]

        return tuple(node(token) for token in row)

    def tree(self, body: Row, blocks: list[Row], *, whole: bool) -> Tree:
        """Make the program of its nodes."""
        maker = _Maker(self)
        main = maker.body(body)
        rest = tuple(maker.body(block) for block in blocks)
        trips = tuple(self.trips[table] for table in maker.trips)
        patterns = tuple(self.patterns[table] for table in maker.patterns)
        return Tree(main, rest, trips, patterns, leaves=maker.leaves, whole=whole)


@dataclass(slots=True)
class _Maker:
    nodes: Nodes
    leaves: int = 0
    trips: dict[int, int] = field(default_factory=dict)
    patterns: dict[int, int] = field(default_factory=dict)
    keys: list[Key] = field(init=False)

    def __post_init__(self) -> None:
        self.keys = self.nodes.keys

    def body(self, body: Row) -> Body:
        """Write out a body, leaves numbered in order."""
        done: list[Leaf | Repeat | Part | Use] = []
        for kind, value, node in map(self.keys.__getitem__, body):
            if kind is Kind.LEAF:
                done.append(Leaf(self.leaves, value))
                self.leaves += 1
            else:
                done.append(self._node(kind, value, node))
        return tuple(done)

    def _node(self, kind: Kind, value: Row, body: Row) -> Repeat | Part | Use:
        if kind is Kind.USE:
            return Use(value[0])
        within = self.body(body)
        if kind is Kind.PART:
            pattern = self.patterns.setdefault(value[0], len(self.patterns))
            return Part(pattern, within)
        if kind is Kind.OVER:
            return Repeat(len(value), within, value)
        if kind is Kind.SIZES:
            return Repeat(value[0], within, sized=True)
        if kind is Kind.TRIPS:
            most = int(np.max(self.nodes.trips[value[0]]))
            trips = self.trips.setdefault(value[0], len(self.trips))
            return Repeat(most, within, trips=trips)
        return Repeat(value[0], within)
