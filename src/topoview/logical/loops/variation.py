"""Loops whose body varies: trip counts, and parts that some iterations run.

A row of nodes is looked at in several forms (some of its loops written out, broken up
or put together), a loop is laid over it, and what varies becomes a table. It is kept
if it is shorter and says what a reader would.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from topoview.base.progress import Report, silent
from topoview.logical.loops import kernels
from topoview.logical.loops.compression import compress, substitute
from topoview.logical.loops.iterations import (
    LeastLines,
    VaryingLoop,
    find_iterations,
    runs_alike,
)
from topoview.logical.loops.repetition_kernels import cycle_length
from topoview.logical.loops.tree import NodeKey, NodeKind, NodeRow, Nodes
from topoview.model import Bools, Ints

# A row of nodes with some of its loops written out, or put together otherwise.

MAX_ROW_NODES = 20_000
"""Nodes of the longest row, for a program of few lines."""

MAX_ROW_NODES_PER_LINE = 50
"""Nodes of the longest row for each line of the program, for one of many."""

MAX_BODIES_TRIED = 3
"""Bodies of which stretches are made one loop, for each depth."""


def row_forms(nodes: Nodes, body: NodeRow) -> Iterator[tuple[Ints, Ints]]:
    """Yield a row as it is, its loops broken up, and its loops written out.

    The deepest loops are written out first.

    Yields
    ------
    row, origin : int64, shape (n,)
        Nodes, and which node of the given row each of them is from.
    """
    longest = max(MAX_ROW_NODES, MAX_ROW_NODES_PER_LINE * nodes.lines_of(body))
    row = np.array(body, np.int64)
    origin = np.arange(len(row))
    while len(row) <= longest:
        yield row, origin
        distinct = _distinct_forms(row)
        yield from _break_loops(nodes, row, origin, distinct, longest)
        depth = max(_depth(nodes, node) for node in distinct)
        if not depth:
            return
        deep = [node for node in distinct if _depth(nodes, node) == depth]
        parts = {node: nodes.keys[node] for node in deep}
        width = np.ones(max(distinct) + 1, np.int64)
        for node, (_, value, within) in parts.items():
            width[node] = value[0] * len(within)
        if width[row].sum() > longest:
            return
        runs: Counter[NodeRow] = Counter()
        times = np.bincount(row)
        for node, (_, value, within) in parts.items():
            runs[within] += value[0] * int(times[node])
        row, origin = (
            substitute(
                row,
                {node: value[0] * within for node, (_, value, within) in parts.items()},
            ),
            np.repeat(origin, width[row]),
        )
        for within, _ in runs.most_common(MAX_BODIES_TRIED):
            yield _collect_loops(nodes, row, origin, within)


def _distinct_forms(row: Ints) -> list[int]:
    result: list[int] = np.flatnonzero(np.bincount(row)).tolist()
    return result


def _depth(nodes: Nodes, node: int) -> int:
    kind, _, body = nodes.keys[node]
    if kind is not NodeKind.LOOP:
        return 0
    return 1 + max(_depth(nodes, inner) for inner in body)


def _break_loops(
    nodes: Nodes, row: Ints, origin: Ints, distinct: list[int], longest: int
) -> Iterator[tuple[Ints, Ints]]:
    """Break loops with one body but different counts up into equal shares."""
    counts: dict[NodeRow, dict[int, int]] = {}
    for node in distinct:
        kind, value, body = nodes.keys[node]
        if kind is NodeKind.LOOP:
            counts.setdefault(body, {})[node] = value[0]
    units: dict[int, NodeRow] = {}
    for body, of in counts.items():
        if len(of) > 1:
            share = int(np.gcd.reduce(list(of.values())))
            unit = body if share == 1 else (nodes.add(NodeKind.LOOP, (share,), body),)
            units.update({node: count // share * unit for node, count in of.items()})
    width = np.ones(max(distinct) + 1, np.int64)
    for node, unit in units.items():
        width[node] = len(unit)
    if units and width[row].sum() <= longest:
        yield substitute(row, units), np.repeat(origin, width[row])


def _collect_loops(
    nodes: Nodes, row: Ints, origin: Ints, body: NodeRow
) -> tuple[Ints, Ints]:
    """Fold each stretch of a body into one loop, also of one trip."""
    first, count = kernels.stretches(row, np.array(body, np.int64))
    kept = row[first]
    for times in np.unique(count[count > 0]).tolist():
        kept[count == times] = nodes.add(NodeKind.LOOP, (times,), body)
    return kept, origin[first]


# Loops that differ in their trip counts only, as one with a table of counts.


@dataclass(slots=True)
class Shapes:
    """Shapes of nodes: those of one shape differ in trip counts only."""

    nodes: Nodes
    number_of: dict[int, int] = field(default_factory=dict)
    numbered: dict[NodeKey, int] = field(default_factory=dict)

    def of(self, node: int) -> int:
        """Look the number of a node's shape up."""
        if node not in self.number_of:
            kind, value, body = self.nodes.keys[node]
            if kind is NodeKind.LOOP:
                value = ()
            key = (kind, value, tuple(self.of(inner) for inner in body))
            self.number_of[node] = self.numbered.setdefault(key, len(self.numbered))
        return self.number_of[node]


def unify_nodes(nodes: Nodes, run: Ints) -> int:
    """Merge nodes of one shape into one node.

    Parameters
    ----------
    run : int64, shape (n,)
        Nodes in the order in which they run at the place of the new one.
    """
    if (run == run[0]).all():
        return int(run[0])
    distinct, which = np.unique(run, return_inverse=True)
    keys = [nodes.keys[node] for node in distinct.tolist()]
    kind, value, first = keys[0]
    counts = np.ones(len(run), np.int64)
    if kind is NodeKind.LOOP:
        counts = np.array([key[1][0] for key in keys], np.int64)[which]
    bodies = np.array([key[2] for key in keys], np.int64)[which]
    body = tuple(
        unify_nodes(nodes, np.repeat(bodies[:, place], counts))
        for place in range(len(first))
    )
    if kind is NodeKind.LOOP and (counts != counts[0]).any():
        nodes.trips.append(counts)
        return nodes.add(NodeKind.TRIPS, (len(nodes.trips) - 1,), body)
    return nodes.add(
        kind, value if kind is not NodeKind.LOOP else (int(counts[0]),), body
    )


def without_single_trips(nodes: Nodes, row: NodeRow) -> NodeRow:
    """Write loops of one trip as their body."""
    done: list[int] = []
    for node in row:
        kind, value, body = nodes.keys[node]
        done += body if kind is NodeKind.LOOP and value[0] == 1 else (node,)
    return tuple(done)


def refold(nodes: Nodes, row: NodeRow) -> NodeRow:
    """Find the loops of a row of nodes."""
    row = without_single_trips(nodes, row)
    if len(row) < 2:
        return row
    distinct, dense = np.unique(np.array(row, np.int64), return_inverse=True)
    tokens, written = compress(dense)
    return nodes.written(tokens, written, [(node,) for node in distinct.tolist()])


# What loops with varying bodies are worth: their tables, and what is readable.

LINES_PER_NUMBER = 0.1
"""Lines that a number of a table counts as; a table has two beside what it says."""

MAX_SHARE_IN_PARTS = 0.5
"""Share of a varying body that may be in parts."""

MAX_PARTS = 12
"""Parts of a varying body at most."""

MIN_NUMBERS_IRREGULAR = 8
"""Numbers that a pattern says, from which on it is without a rule."""

MIN_PERIODS = 4
"""Periods from which on a pattern comes every so often."""


def trips_cost(trips: Ints) -> float:
    """Cost of a table of trip counts, in lines.

    Those without order, down to the least share, cost more: what stands between
    the loops then rather comes in some iterations of one loop.
    """
    steps = np.diff(trips)
    without_order = bool((steps > 0).any() and (steps < 0).any())
    least = bool(np.gcd.reduce(trips) == trips.min())
    return LINES_PER_NUMBER * (2 + _numbers_written(trips)) + 0.5 * (
        without_order and least
    )


def pattern_cost(pattern: Bools) -> float:
    """Cost of a table that tells which iterations run a part, in lines."""
    return LINES_PER_NUMBER * (2 + _numbers_written(pattern.astype(np.int64)))


def least_cost(lines: LeastLines, loop: VaryingLoop) -> float:
    """Cost that a row of shapes of nodes with a loop has at least, in lines."""
    inside = len(np.unique(lines.row[loop.at.max(axis=1)]))
    present = loop.at >= 0
    whole: Bools = np.all(present, axis=1)
    tables = sum(not whole[low] for low, _ in runs_alike(present))
    outside = lines.outside(loop.begin, loop.end)
    return inside + outside + LINES_PER_NUMBER * 3 * tables


def is_readable(row: Ints, loop: VaryingLoop) -> bool:
    """Whether a loop says what a reader would.

    Most of the body is what all iterations do, and no part is rather that of one
    loop after another, each regular.
    """
    present = loop.at >= 0
    whole: Bools = np.all(present, axis=1)
    parts = [(low, high) for low, high in runs_alike(present) if not whole[low]]
    if len(parts) > MAX_PARTS:
        return False
    inside = row[loop.at.max(axis=1)]
    varying = sum(len(np.unique(inside[low:high])) for low, high in parts)
    if varying > MAX_SHARE_IN_PARTS * len(np.unique(inside)):
        return False
    edges = (0, len(present))
    return all(
        parts_are_of_one_loop(present[low], at_edge=low in edges or high in edges)
        for low, high in parts
    )


def parts_are_of_one_loop(pattern: Bools, *, at_edge: bool) -> bool:
    """Whether a part belongs to one loop: no loops one after another are as clear.

    It comes in all iterations but one, or within the first or last one, or every
    so often, or without a rule.
    """
    runs = int(pattern.sum())
    if runs == len(pattern) - 1:
        return True
    if runs == 1:
        return not at_edge and bool(pattern[0] or pattern[-1])
    values = pattern.astype(np.int64)
    often = MIN_PERIODS * cycle_length(values) <= len(values)
    return often or _numbers_written(values) > MIN_NUMBERS_IRREGULAR


def trips_are_of_one_loop(trips: Ints) -> bool:
    """Whether trip counts belong to one loop: no loops one after another are as clear.

    They change from each turn to the next, or but for the first or the last turn
    not at all; or come again and again, or are without a rule.
    """
    change = np.flatnonzero(np.diff(trips)) + 1
    if len(change) == len(trips) - 1:
        return True
    if len(change) == 1 and change[0] in (1, len(trips) - 1):
        return True
    often = MIN_PERIODS * cycle_length(trips) <= len(trips)
    return often or _numbers_written(trips) > MIN_NUMBERS_IRREGULAR


def _numbers_written(table: Ints) -> int:
    """How many numbers a table takes when its repetitions are written once."""
    return _numbers_of_table((table - table.min()).tobytes())


@lru_cache(maxsize=10_000)
def _numbers_of_table(table: bytes) -> int:
    tokens, written = compress(np.frombuffer(table, np.int64))
    return tokens.leaves(written)


MIN_SHARE_SAVED = 0.15
"""Share of a body's lines that must be saved, so that it is worth a table."""

MAX_NODES_VISITED = 1_500_000
"""Nodes that may be looked at, over all rows and anchors."""

MAX_ANCHORS_TRIED = 6
"""Anchors that are tried in a row."""

MIN_NODES_ONE_ANCHOR = 20_000
"""Nodes of a row in which only one anchor is tried."""


def fold_variation(nodes: Nodes, body: NodeRow, report: Report = silent) -> NodeRow:
    """Write loops whose iterations differ a little as one loop, inner ones first.

    Iterations may differ in the trip counts of inner loops, and in parts that
    only some of them have. Tables keep what each iteration does. The row is looked
    at as it is, with loops of one body but different counts broken up into equal
    shares, and with loops written out, since what looks like the end of one loop
    and the begin of the next may be iterations of one that varies.
    """
    return _VariationFolding(nodes, report).body(body)


@dataclass(slots=True)
class _VariationFolding:
    nodes: Nodes
    report: Report
    work: int = MAX_NODES_VISITED
    done: dict[int, int] = field(default_factory=dict)
    tables: dict[int, float] = field(default_factory=dict)
    folded: set[NodeRow] = field(default_factory=set)
    """Rows of which nothing shorter was found: most come again once what is in them was
    folded, and the same rows stand in several loops."""

    def body(self, body: NodeRow) -> NodeRow:
        """Fold a body, then those in it, then it again."""
        return self._folded(tuple(self._node(node) for node in self._folded(body)))

    def _folded(self, row: NodeRow) -> NodeRow:
        while row not in self.folded:
            shorter = self._shorter(row)
            if shorter is None:
                self.folded.add(row)
            else:
                row = shorter
        return row

    def _node(self, node: int) -> int:
        if node not in self.done:
            kind, value, within = self.nodes.keys[node]
            self.done[node] = (
                self.nodes.add(kind, value, self.body(within)) if within else node
            )
        return self.done[node]

    def _shorter(self, row: NodeRow) -> NodeRow | None:
        if len(row) < 2:
            return None
        lines = self._cost(row)
        bound = lines - max(2.0, MIN_SHARE_SAVED * lines)
        best: tuple[float, NodeRow] | None = None
        for level in row_forms(self.nodes, row):
            self.report("finding loops that vary", 0.0)
            for candidate in self._candidates(*level, bound):
                cost = self._cost(candidate)
                if not all(map(self._clear, candidate)):
                    continue
                if cost <= bound and (best is None or cost < best[0]):
                    best = (cost, candidate)
        return None if best is None else best[1]

    def _candidates(self, row: Ints, origin: Ints, bound: float) -> Iterator[NodeRow]:
        if self.work < 0:
            return
        anchors = MAX_ANCHORS_TRIED if len(row) < MIN_NODES_ONE_ANCHOR else 1
        self.work -= len(row) * (anchors + 1)
        shapes = Shapes(self.nodes)
        distinct = np.flatnonzero(np.bincount(row))
        shape_of = np.zeros(len(self.nodes.keys), np.int64)
        shape_of[distinct] = [shapes.of(node) for node in distinct.tolist()]
        shape = shape_of[row]
        lines = LeastLines.of(shape, bound)
        for loop in find_iterations(lines, anchors):
            if (
                origin[loop.begin] != origin[loop.end - 1]
                and least_cost(lines, loop) <= bound
                and is_readable(shape, loop)
            ):
                yield self._loop(row, loop)
        few = len(row) <= MIN_NODES_ONE_ANCHOR
        if few and len(np.unique(shape_of[distinct])) < len(distinct):
            self.work -= 5 * len(row)
            yield from self._with_trips(row, shape, bound)

    def _with_trips(self, row: Ints, shape: Ints, bound: float) -> Iterator[NodeRow]:
        """Find exact loops of shapes; trip counts go to tables."""
        shapes, symbol = np.unique(shape, return_inverse=True)
        tokens, written = compress(symbol)
        lines = np.full(len(shapes), np.iinfo(np.int64).max)
        nodes = np.flatnonzero(np.bincount(row))
        one = without_single_trips
        np.minimum.at(
            lines,
            symbol[np.unique(row, return_index=True)[1]],
            [self.nodes.lines_of(one(self.nodes, (n,))) for n in nodes.tolist()],
        )
        if tokens.lines(written, lines.tolist()) > bound:
            return
        inner = Nodes()
        body = inner.written(tokens, written)
        leaf = inner.tree(body, [], whole=True).expand()[:, 0]
        order = np.argsort(leaf, kind="stable")
        ends = np.cumsum(np.bincount(leaf))
        runs = iter(np.split(row[order], ends[:-1]))

        def made(row: NodeRow) -> NodeRow:
            done: list[int] = []
            for node in row:
                kind, value, within = inner.keys[node]
                if kind is NodeKind.LEAF:
                    done += without_single_trips(
                        self.nodes, (unify_nodes(self.nodes, next(runs)),)
                    )
                else:
                    done.append(self.nodes.add(kind, value, made(within)))
            return tuple(done)

        yield made(body)

    def _loop(self, row: Ints, loop: VaryingLoop) -> NodeRow:
        """Write the loop, and what comes before and after it."""
        present = loop.at >= 0
        body: list[int] = []
        for low, high in runs_alike(present):
            elements = tuple(
                unify_nodes(self.nodes, row[at[at >= 0]]) for at in loop.at[low:high]
            )
            within = refold(self.nodes, elements)
            if present[low].all():
                body += within
            else:
                self.nodes.patterns.append(present[low].copy())
                pattern = len(self.nodes.patterns) - 1
                body.append(self.nodes.add(NodeKind.PART, (pattern,), within))
        count = loop.at.shape[1]
        return (
            *refold(self.nodes, tuple(row[: loop.begin].tolist())),
            self.nodes.add(NodeKind.LOOP, (count,), tuple(body)),
            *refold(self.nodes, tuple(row[loop.end :].tolist())),
        )

    def _clear(self, node: int) -> bool:
        """Whether all tables of trip counts belong to one loop each."""
        kind, value, body = self.nodes.keys[node]
        if kind is NodeKind.TRIPS and not trips_are_of_one_loop(
            self.nodes.trips[value[0]]
        ):
            return False
        return all(map(self._clear, body))

    def _cost(self, row: NodeRow) -> float:
        """Lines, and what tables cost that say much."""
        tables, cost = self.tables, 0.0
        for node, times in Counter(row).items():
            if node not in tables:
                tables[node] = self._tables(node)
            cost += times * (self.nodes.lines[node] + tables[node])
        return cost

    def _tables(self, node: int) -> float:
        kind, value, body = self.nodes.keys[node]
        cost = sum(self._tables(inner) for inner in body)
        if kind is NodeKind.TRIPS:
            cost += trips_cost(self.nodes.trips[value[0]])
        elif kind is NodeKind.PART:
            cost += pattern_cost(self.nodes.patterns[value[0]])
        return cost
