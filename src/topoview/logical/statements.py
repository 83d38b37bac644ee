"""From a tree of places to statements: calls with directions, sizes, conditions.

A statement also has the functions that it is called in: what the call paths of its
rows have in common.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise, takewhile
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np

from topoview.base.progress import Report, silent
from topoview.grouping import factorize
from topoview.logical.assembly import PlaceTree, side_table
from topoview.logical.calls.call_table import CallTable
from topoview.logical.calls.operations import POLLING
from topoview.logical.functions.call_paths import CallPaths
from topoview.logical.functions.nesting import OTHER_FUNCTIONS
from topoview.logical.kernels import size_range
from topoview.logical.loops.tree import (
    BlockUse,
    EachOf,
    IterationPart,
    Leaf,
    TreeBody,
    TreeNode,
    leaves_of,
    shared_guard,
)
from topoview.logical.merge.classes import RankClasses
from topoview.model import (
    ROOT_OF_LOOP,
    Block,
    BlockCall,
    Bools,
    Call,
    Each,
    Guard,
    Ints,
    Loop,
    Partners,
    SideTable,
    Sometimes,
    Statement,
    TimeState,
    Trace,
    When,
)

# Call paths of the places of a logical trace, of which each can have several.

UNKNOWN_FUNCTION: Final = "unknown function"
_MAX_PATHS_COMPARED: Final = 64
"""Paths of a place, of which more are not held against each other."""

RegionPath = tuple[int, ...]


class FunctionsAround(NamedTuple):
    """Functions around the calls of a place, as `topoview.model.Call` has them."""

    path: tuple[str, ...]
    kept: int


def paths_of_places(
    trace: Trace,
    rows: CallTable,
    frame: PlaceTree,
    places: int,
    report: Report = silent,
) -> list[FunctionsAround]:
    """Find the functions around each place.

    Where they differ it is what they begin with and what they end with: a function
    that is called from several others.

    Parameters
    ----------
    frame
        Place of each row, and the rows that begin a further turn of a loop.
    places
        Number of places.
    """
    place = frame.place
    held = place >= 0
    report("writing statements", 0.0)
    count = len(rows.paths.level)
    code = place[held] * count + rows.path[held]
    cells, cell = factorize(code)
    kept = np.zeros(len(cells), np.int64)
    open_before = np.where(frame.turns, 0, _kept_by_all(rows))[held]
    np.maximum.at(kept, cell, open_before)
    path = cells % count
    level = rows.paths.level[path]
    kept = np.minimum(kept, level)
    names = (*trace.regions.names, *rows.paths.names, UNKNOWN_FUNCTION)
    result = []
    bounds = np.searchsorted(cells, np.arange(places + 1) * count).tolist()
    for begin, end in pairwise(bounds):
        outer, inner = _common_ends(rows.paths, path[begin:end].tolist())
        functions = [names[region] for region in outer]
        most = min(len(outer) + bool(inner), int(kept[begin:end].max(initial=0)))
        if inner:
            functions += [OTHER_FUNCTIONS, *(names[region] for region in inner)]
            entered = int((level[begin:end] - kept[begin:end]).min())
            if entered <= len(inner):
                most = len(functions) - entered
        result.append(FunctionsAround(tuple(functions), most))
    return result


def _kept_by_all(rows: CallTable) -> Ints:
    """Count how many regions stayed open before each row.

    Those that each rank is in all the time are open before its first row, too: other
    ranks may have been there before.
    """
    kept = rows.kept.astype(np.int64)
    first = rows.offsets[:-1][np.diff(rows.offsets) > 0]
    if len(first):
        own = kept[first]
        kept[first] = len(rows.paths.level)
        low, high = int(rows.path.min()), int(rows.path.max())
        whole = int(rows.paths.level[rows.paths.common(low, high)])
        kept[first] = np.maximum(own, min(whole, int(kept.min())))
    return kept


def _common_ends(paths: CallPaths, some: list[int]) -> tuple[RegionPath, RegionPath]:
    """Find what different paths begin with, and with what they all end then."""
    if not some:
        return (), ()
    outer = paths.regions(paths.common(some[0], some[-1]))  # in order, like a tree
    if len(some) == 1 or len(some) > _MAX_PATHS_COMPARED:
        return outer, ()
    rests = [reversed(paths.regions(path)[len(outer) :]) for path in some]
    ends = zip(*rests, strict=False)
    same = takewhile(lambda regions: len(set(regions)) == 1, ends)
    inner = tuple(regions[0] for regions in same)
    return outer, tuple(reversed(inner))


WRITING = "writing statements"

_TRAILING_NUMBER = re.compile(r"\d+$")


@dataclass(frozen=True, slots=True, eq=False)
class WrittenProgram:
    """A written program."""

    body: tuple[Statement, ...]
    blocks: tuple[Block, ...]
    """`body` and `blocks`: statements."""
    guards: tuple[Guard, ...]
    """Their conditions."""
    statements: int
    loops: int
    depth: int
    """`statements`, `loops` and `depth`: how many calls and loops, and the deepest
    nesting."""
    sizes: SideTable
    """Bytes that vary."""
    scripted: Bools
    """bool, shape (statements,): statements that stand for calls that follow no
    rule."""
    rank_trips: tuple[Ints, ...]
    """How often each rank runs loops whose counts vary by rank."""


def write(
    trace: Trace,
    frame: PlaceTree,
    guards: Sequence[Guard],
    classes: RankClasses,
    report: Report = silent,
) -> WrittenProgram:
    """Write a frame's places as statements, with conditions that are guards."""
    report(WRITING, 0.0)
    rows, leaves = frame.rows, frame.tree.leaves
    sizes = [
        size_range(frame.place, size, leaves) for size in (rows.size, rows.source_size)
    ]
    varies = tuple(least != most for least, most in sizes)
    ranges = [
        list(zip(least.tolist(), most.tolist(), strict=True)) for least, most in sizes
    ]
    writer = _StatementWriter(trace, rows, frame, ranges[0], ranges[1])
    report(WRITING, 0.2)
    writer.around = paths_of_places(trace, rows, frame, leaves, report)
    report(WRITING, 0.4)
    writer.blocks = [writer.body(block) for block in frame.tree.blocks]
    own, guard = writer.body(frame.tree.body)
    body = writer.under_guards([(own, guard)])
    blocks = tuple(
        Block(_block_name(index), statements)
        for index, (statements, _) in enumerate(writer.blocks)
    )
    deep = [_depth(block.body, ()) for block in blocks]
    for _ in blocks:  # a block may use a later one
        deep = [_depth(block.body, tuple(deep)) for block in blocks]
    report(WRITING, 0.5)
    bytes_ = (rows.size, rows.source_size)
    scripted = np.append(writer.scripted, False)[frame.place]
    plain = np.where(scripted, -1, frame.place)
    varies = varies[0] & ~writer.scripted, varies[1] & ~writer.scripted
    sizes_told = side_table(rows.offsets, plain, bytes_, varies, report)
    return WrittenProgram(
        body=body,
        blocks=blocks,
        guards=tuple(guards[old] for old in writer.guards),
        statements=leaves,
        loops=writer.loops,
        depth=_depth(body, tuple(deep)),
        sizes=classes.spread_table(sizes_told),
        scripted=writer.scripted,
        rank_trips=tuple(writer.rank_trips),
    )


def write_peers(
    rows: CallTable, place: Ints, varies: tuple[Bools, Bools], report: Report
) -> SideTable:
    """Write down the partners of statements whose directions lead to several.

    Parameters
    ----------
    place : int64, shape (rows,)
        Statement of each row, -1 if it has none, or one without a rule.
    varies
        As `shifting`.
    """
    return side_table(rows.offsets, place, (rows.receiver, rows.sender), varies, report)


def shifting(
    rows: CallTable, place: Ints, text: WrittenProgram, partners: Partners
) -> tuple[Bools, Bools]:
    """Find statements that send to several partners in turn, and that receive so.

    Parameters
    ----------
    rows, place
        Rows of the examples, and the statement of each.

    Returns
    -------
    two of bool, shape (statements,)
    """
    several = np.zeros(len(partners.names) + 1, bool)
    several[partners.direction[partners.partner < 0]] = True
    varies = []
    for direction, partner in (
        (rows.symbols.to, rows.receiver),
        (rows.symbols.source, rows.sender),
    ):
        shifted = np.zeros(text.statements, bool)
        if several.any():
            own = several[direction][rows.symbol] & (partner >= 0) & (place >= 0)
            shifted[place[own]] = True
        varies.append(shifted & ~text.scripted)
    return varies[0], varies[1]


_Often = tuple[int, int]
"""Least and most."""


def _often(cell: Ints, cells: int) -> _Often:
    """Count how often a cell comes, of so many in all: least and most."""
    counts = np.unique(cell, return_counts=True)[1]
    return int(counts.min()) if len(counts) == cells else 0, int(counts.max())


WrittenBody = tuple[tuple[Statement, ...], int]
"""Statements, and the guard that they all share, -1 if there is none."""


@dataclass(slots=True)
class _StatementWriter:
    trace: Trace
    rows: CallTable
    frame: PlaceTree
    sent: list[tuple[int, int]]
    received: list[tuple[int, int]]
    scripted: Bools = field(init=False)
    scripted_rows: dict[int, Ints] = field(default_factory=dict)
    scripted_counts: dict[int, tuple[_Often, _Often]] = field(default_factory=dict)
    loops: int = 0
    rank_trips: list[Ints] = field(default_factory=list)
    known_trips: dict[bytes, int] = field(default_factory=dict)
    guards: dict[int, int] = field(default_factory=dict)
    blocks: list[WrittenBody] = field(default_factory=list)
    around: list[FunctionsAround] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Collect the calls of places that stand for several."""
        frame = self.frame
        leaves = frame.tree.leaves
        self.rank_trips = list(frame.tree.rank_trips)
        self.scripted = np.zeros(leaves, bool)
        symbol = np.full(leaves, -1, np.int64)
        expanded = frame.tree.expand()
        symbol[expanded[:, 0]] = expanded[:, 1]
        self.scripted[symbol >= 0] = frame.script[symbol[symbol >= 0]]
        held = np.flatnonzero(np.append(self.scripted, False)[frame.place])
        order = held[np.argsort(frame.place[held], kind="stable")]
        place = frame.place[order]
        rows, ranks = self.rows, len(self.rows.offsets) - 1
        visits = np.bincount(frame.leaf, minlength=leaves)
        for index in np.flatnonzero(self.scripted).tolist():
            row = order[
                np.searchsorted(place, index) : np.searchsorted(place, index, "right")
            ]
            rank = rows.rank[row]
            cell = frame.visit[row] * ranks + rank
            partner = np.maximum(rows.receiver[row], rows.sender[row])
            width = int(partner.max()) + 2
            pairs = np.unique(cell * width + partner + 1) // width
            often = int(visits[index]) * len(np.unique(rank))
            self.scripted_rows[index] = row
            self.scripted_counts[index] = _often(cell, often), _often(pairs, often)

    def body(self, body: TreeBody) -> WrittenBody:
        """Write a body; neighbours with one condition share it."""
        parts = [self._node(node) for node in body]
        guards = {guard for _, guard in parts}
        if len(guards) == 1:
            return tuple(s for statements, _ in parts for s in statements), guards.pop()
        return self.under_guards(parts), -1

    def under_guards(self, parts: list[WrittenBody]) -> tuple[Statement, ...]:
        """Put neighbours with one condition under it."""
        statements: list[Statement] = []
        for guard, run in groupby(parts, key=itemgetter(1)):
            own = tuple(one for within, _ in run for one in within)
            statements += own if guard < 0 else [When(self._numbered(guard), own)]
        return tuple(statements)

    def _numbered(self, guard: int) -> int:
        """Return the number of a guard among those that statements have."""
        return guard if guard < 0 else self.guards.setdefault(guard, len(self.guards))

    def _node(self, node: TreeNode) -> WrittenBody:
        if isinstance(node, Leaf):
            guard = int(self.frame.guard[node.symbols[0]])
            return (self._repeated(node, self._call(node)),), guard
        if isinstance(node, EachOf):
            within, guard = self.body(node.body)
            return (Each(within, node.neighbours),), guard
        if isinstance(node, BlockUse):
            blocks = self.frame.tree.blocks
            shared = shared_guard((node,), blocks, self.frame.guard)
            return (BlockCall(node.block),), shared
        within, guard = self.body(node.body)
        if isinstance(node, IterationPart):
            pattern = self.frame.tree.patterns[node.pattern]
            return (Sometimes(float(np.mean(pattern)), node.pattern, within),), guard
        self.loops += 1
        growth = self._growth(node.body) if node.sized else 0
        loop = Loop(
            count=node.count,
            body=within,
            over=node.over,
            trips=node.trips,
            rank_trips=node.rank_trips,
            growth=growth,
            kept=node.kept,
        )
        return (loop,), guard

    def _repeated(self, leaf: Leaf, call: Call) -> Statement:
        """Repeat a call that ranks make several times in a row."""
        times = self.frame.times.get(leaf.symbols[0])
        if times is None:
            return call
        self.loops += 1
        most = int(times.max())
        table = self.known_trips.setdefault(times.tobytes(), len(self.rank_trips))
        if table == len(self.rank_trips):
            self.rank_trips.append(times)
        return Loop(most, (call,), rank_trips=table)

    def _growth(self, body: TreeBody) -> int:
        """Whether sizes grow from turn to turn, 1, or shrink, -1."""
        for leaf in leaves_of(body):
            first, last = self.frame.row[[leaf.symbols[0], leaf.symbols[-1]]]
            for size in (self.rows.size, self.rows.source_size):
                if size[first] != size[last]:
                    return 1 if size[first] < size[last] else -1
        return 0

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
        to = _parameter_of(to) if self._differs(leaf, symbols.to) else to
        source = (
            _parameter_of(source) if self._differs(leaf, symbols.source) else source
        )
        root = int(symbols.root[symbol])
        root = ROOT_OF_LOOP if self._differs(leaf, symbols.root) else root
        waits = bool(symbols.awaited[symbol] >= 0)
        sent, received = self.sent[leaf.place], self.received[leaf.place]
        operation = trace.regions.operations[int(symbols.operation[symbol])]
        family = int(symbols.family[symbol])
        call = Call(
            index=leaf.place,
            operation=operation,
            to=None if waits else to,
            source=None if waits else source,
            size=_only_value(sent),
            source_size=_only_value(received),
            detail=_call_detail(trace, rows, symbol, root),
            state=TimeState(
                int(trace.regions.state[trace.calls.region[rows.call[row]]])
            ),
            sizes=_value_range(sent),
            source_sizes=_value_range(received),
            communicator=rows.families[family] if family > 0 else "",
            root=root,
            to_guard=self._numbered(int(frame.to_guard[leaf.symbols[0]])),
            source_guard=self._numbered(int(frame.source_guard[leaf.symbols[0]])),
            polls=operation in POLLING,
            path=self.around[leaf.place].path,
            kept=self.around[leaf.place].kept,
        )
        if frame.script[leaf.symbols[0]]:
            return self._script(call)
        return replace(call, awaits_to=to, awaits_source=source) if waits else call

    def _script(self, call: Call) -> Call:
        """Build a call that stands for all at its place, which have no order."""
        rows, row = self.rows, self.scripted_rows[call.index]
        operations, families = (
            factorize(column[rows.symbol[row]])[0].tolist()
            for column in (rows.symbols.operation, rows.symbols.family)
        )
        calls, partners = self.scripted_counts[call.index]
        return replace(
            call,
            operation=" | ".join(self.trace.regions.operations[o] for o in operations),
            to="partners" if len(operations) == 1 and call.to else None,
            source="partners" if len(operations) == 1 and call.source else None,
            awaits_to=None,
            awaits_source=None,
            to_guard=-1,
            source_guard=-1,
            detail=_communicators_text(rows.families, families),
            communicator="",
            calls=calls,
            partners=partners,
        )


def _depth(body: tuple[Statement, ...], blocks: tuple[int, ...]) -> int:
    deep = 0
    for statement in body:
        if isinstance(statement, Loop):
            deep = max(deep, 1 + _depth(statement.body, blocks))
        elif isinstance(statement, Each | When | Sometimes):
            deep = max(deep, _depth(statement.body, blocks))
        elif isinstance(statement, BlockCall) and blocks:
            deep = max(deep, blocks[statement.block])
    return deep


def _block_name(index: int) -> str:
    """Name blocks A to Z, then AA, AB, ..."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _parameter_of(name: str | None) -> str | None:
    if name is None:
        return None
    return (
        _TRAILING_NUMBER.sub("k", name)
        if _TRAILING_NUMBER.search(name)
        else f"{name} xk"
    )


def _only_value(size: tuple[int, int]) -> int | None:
    return size[0] if size[0] == size[1] >= 0 else None


def _value_range(size: tuple[int, int]) -> tuple[int, int] | None:
    return size if size[0] != size[1] else None


MAX_COMMUNICATORS_NAMED = 3
"""Communicators that a statement of calls without a rule names."""


def _communicators_text(names: tuple[str, ...], families: list[int]) -> str:
    """Name the communicators of calls, unless all ranks take part."""
    own = [names[family] or "all ranks" for family in families if family >= 0]
    if families in ([0], [-1]):
        return ""
    if len(own) > MAX_COMMUNICATORS_NAMED:
        return f"{len(own)} communicators"
    return ", ".join(own)


def _call_detail(trace: Trace, rows: CallTable, symbol: int, root: int) -> str:
    symbols = rows.symbols
    words = []
    if symbols.root[symbol] >= 0:
        words.append("root k" if root == ROOT_OF_LOOP else f"root {root}")
    if symbols.family[symbol] > 0:
        words.append(rows.families[int(symbols.family[symbol])])
    if symbols.awaited[symbol] >= 0:
        words.append(trace.regions.operations[int(symbols.awaited[symbol])])
    return ", ".join(words)
