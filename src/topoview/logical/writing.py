"""From a tree of places to statements: calls with directions, sizes, conditions."""

import re
from dataclasses import dataclass, field, replace

import numpy as np

from topoview.logical.assembly import Frame
from topoview.logical.loops.tree import Body, Leaf, Part, Repeat, Use
from topoview.logical.operations import POLLING
from topoview.logical.paths_told import Around, paths_of_places
from topoview.logical.records import Records
from topoview.logical.sizes import extent, side_table
from topoview.model import (
    Block,
    BlockCall,
    Call,
    Ints,
    Loop,
    MPIState,
    Partners,
    SideTable,
    Sometimes,
    Statement,
    Trace,
    When,
)
from topoview.progress import Report, portions, silent

WRITING = "writing statements"

_NUMBER = re.compile(r"\d+$")


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A written program.

    Attributes
    ----------
    body, blocks
        Statements.
    statements, loops, depth
        How many calls and loops, and the deepest nesting.
    sizes, peers
        Numbers that vary.
    """

    body: tuple[Statement, ...]
    blocks: tuple[Block, ...]
    statements: int
    loops: int
    depth: int
    sizes: SideTable
    peers: SideTable


def write(
    trace: Trace,
    rows: Records,
    frame: Frame,
    partners: Partners,
    report: Report = silent,
) -> Text:
    """Write a frame's places as statements."""
    report(WRITING, 0.0)
    leaves = frame.tree.leaves
    sizes = [
        extent(frame.place, size, leaves) for size in (rows.size, rows.source_size)
    ]
    varies = tuple(least != most for least, most in sizes)
    ranges = [
        list(zip(least.tolist(), most.tolist(), strict=True)) for least, most in sizes
    ]
    writer = _Writer(trace, rows, frame, ranges[0], ranges[1])
    report(WRITING, 0.2)
    writer.around = paths_of_places(trace, rows, frame, leaves, report)
    report(WRITING, 0.4)
    writer.blocks = [writer.body(block) for block in frame.tree.blocks]
    own, guard = writer.body(frame.tree.body)
    body = _wrapped([(own, guard)])
    blocks = tuple(
        Block(_name(index), statements)
        for index, (statements, _) in enumerate(writer.blocks)
    )
    deep = [_depth(block.body, ()) for block in blocks]
    for _ in blocks:  # a block may use a later one
        deep = [_depth(block.body, tuple(deep)) for block in blocks]
    report(WRITING, 0.5)
    bytes_ = (rows.size, rows.source_size)
    sizes_told = side_table(rows.offsets, frame.place, bytes_, varies, report)
    report(WRITING, 0.7)
    return Text(
        body,
        blocks,
        leaves,
        writer.loops,
        _depth(body, tuple(deep)),
        sizes_told,
        _peers(rows, frame.place, leaves, partners, report),
    )


def _peers(
    rows: Records, place: Ints, leaves: int, partners: Partners, report: Report
) -> SideTable:
    several = np.zeros(len(partners.names) + 1, bool)
    several[partners.direction[partners.partner < 0]] = True
    varies = []
    for direction, partner in (
        (rows.symbols.to, rows.receiver),
        (rows.symbols.source, rows.sender),
    ):
        found = np.zeros(leaves, bool)
        for some in portions(len(place) if several.any() else 0, report, WRITING):
            own = several[direction[rows.symbol[some]]]
            own &= (partner[some] >= 0) & (place[some] >= 0)
            found[place[some][own]] = True
        varies.append(found)
    sides = (rows.receiver, rows.sender)
    return side_table(rows.offsets, place, sides, (varies[0], varies[1]), report)


Written = tuple[tuple[Statement, ...], int]
"""Statements, and the guard that they all share, -1 if there is none."""


@dataclass(slots=True)
class _Writer:
    trace: Trace
    rows: Records
    frame: Frame
    sent: list[tuple[int, int]]
    received: list[tuple[int, int]]
    loops: int = 0
    blocks: list[Written] = field(default_factory=list)
    around: list[Around] = field(default_factory=list)

    def body(self, body: Body) -> Written:
        """Write a body; neighbours with one condition share it."""
        parts = [self._node(node) for node in body]
        guards = {guard for _, guard in parts}
        if len(guards) == 1:
            return tuple(s for statements, _ in parts for s in statements), guards.pop()
        return _wrapped(parts), -1

    def _node(self, node: Leaf | Repeat | Part | Use) -> Written:
        if isinstance(node, Leaf):
            return (self._call(node),), int(self.frame.guard[node.symbols[0]])
        if isinstance(node, Use):
            return (BlockCall(node.block),), self._guard_of(node.block)
        within, guard = self.body(node.body)
        if isinstance(node, Part):
            pattern = self.frame.tree.patterns[node.pattern]
            return (Sometimes(float(np.mean(pattern)), node.pattern, within),), guard
        self.loops += 1
        growth = self._growth(node.body) if node.sized else 0
        tables = node.trips, node.rank_trips
        loop = Loop(node.count, within, node.over, *tables, growth, node.kept)
        return (loop,), guard

    def _growth(self, body: Body) -> int:
        """Whether sizes grow from turn to turn, 1, or shrink, -1."""
        for node in body:
            if isinstance(node, Leaf) and len(node.symbols) > 1:
                first, last = self.frame.row[[node.symbols[0], node.symbols[-1]]]
                for size in (self.rows.size, self.rows.source_size):
                    if size[first] != size[last]:
                        return 1 if size[first] < size[last] else -1
            elif isinstance(node, Repeat | Part) and (found := self._growth(node.body)):
                return found
        return 0

    def _guard_of(self, block: int) -> int:
        """Guard that a block's statements share; it is told where it is used."""
        return self._shared(self.frame.tree.blocks[block])

    def _shared(self, body: Body) -> int:
        guards = set()
        for node in body:
            if isinstance(node, Leaf):
                guards.add(int(self.frame.guard[node.symbols[0]]))
            elif isinstance(node, Use):
                guards.add(self._guard_of(node.block))
            else:
                guards.add(self._shared(node.body))
        return guards.pop() if len(guards) == 1 else -1

    def _differs(self, leaf: Leaf, direction: Ints) -> bool:
        """Whether a place's directions differ, not its sizes only."""
        symbols = self.rows.symbol[self.frame.row[list(leaf.symbols)]]
        return len(set(direction[symbols].tolist())) > 1

    def _call(self, leaf: Leaf) -> Call:
        trace, rows, frame = self.trace, self.rows, self.frame
        symbols = rows.symbols
        row = int(frame.row[leaf.symbols[0]])
        symbol = int(rows.symbol[row])
        to, source = (
            rows.names[direction] if direction >= 0 else None
            for direction in (int(symbols.to[symbol]), int(symbols.source[symbol]))
        )
        to = _parameter(to) if self._differs(leaf, symbols.to) else to
        source = _parameter(source) if self._differs(leaf, symbols.source) else source
        waits = bool(symbols.awaited[symbol] >= 0)
        sent, received = self.sent[leaf.place], self.received[leaf.place]
        operation = trace.regions.operations[int(symbols.operation[symbol])]
        family = int(symbols.family[symbol])
        call = Call(
            index=leaf.place,
            operation=operation,
            to=None if waits else to,
            source=None if waits else source,
            size=_only(sent),
            source_size=_only(received),
            detail=_detail(trace, rows, symbol),
            state=MPIState(
                int(trace.regions.state[trace.calls.region[rows.call[row]]])
            ),
            sizes=_range(sent),
            source_sizes=_range(received),
            communicator=rows.families[family] if family > 0 else "",
            root=int(symbols.root[symbol]),
            to_guard=int(frame.to_guard[leaf.symbols[0]]),
            source_guard=int(frame.source_guard[leaf.symbols[0]]),
            polls=operation in POLLING,
            path=self.around[leaf.place].path,
            kept=self.around[leaf.place].kept,
        )
        return replace(call, awaits_to=to, awaits_source=source) if waits else call


def _wrapped(parts: list[Written]) -> tuple[Statement, ...]:
    """Put neighbours with one condition under it."""
    statements: list[Statement] = []
    under = -1
    for own, guard in parts:
        if guard < 0:
            statements += own
        elif guard == under:
            last = statements[-1]
            assert isinstance(last, When)
            statements[-1] = When(guard, (*last.body, *own))
        else:
            statements.append(When(guard, own))
        under = guard
    return tuple(statements)


def _depth(body: tuple[Statement, ...], blocks: tuple[int, ...]) -> int:
    deep = 0
    for statement in body:
        if isinstance(statement, Loop):
            deep = max(deep, 1 + _depth(statement.body, blocks))
        elif isinstance(statement, When | Sometimes):
            deep = max(deep, _depth(statement.body, blocks))
        elif isinstance(statement, BlockCall) and blocks:
            deep = max(deep, blocks[statement.block])
    return deep


def _name(index: int) -> str:
    """Name blocks A to Z, then AA, AB, ..."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _parameter(name: str | None) -> str | None:
    if name is None:
        return None
    return _NUMBER.sub("k", name) if _NUMBER.search(name) else f"{name} xk"


def _only(size: tuple[int, int]) -> int | None:
    return size[0] if size[0] == size[1] >= 0 else None


def _range(size: tuple[int, int]) -> tuple[int, int] | None:
    return size if size[0] != size[1] else None


def _detail(trace: Trace, rows: Records, symbol: int) -> str:
    symbols = rows.symbols
    words = []
    if symbols.root[symbol] >= 0:
        words.append(f"root {symbols.root[symbol]}")
    if symbols.family[symbol] > 0:
        words.append(rows.families[int(symbols.family[symbol])])
    if symbols.awaited[symbol] >= 0:
        words.append(trace.regions.operations[int(symbols.awaited[symbol])])
    return ", ".join(words)
