"""Loops whose body varies: trip counts, and parts that some iterations run.

A row of nodes is looked at as it is and with its loops written out, a loop is laid over
it, and what varies becomes a table. What is shortest is kept, tables included.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from topoview.kernels import kernel
from topoview.logical.loops.compression import compress, substitute
from topoview.logical.loops.cost import LINE, tables_bits
from topoview.logical.loops.iterations import (
    VaryingLoop,
    find_iterations,
    runs_alike,
)
from topoview.logical.loops.tree import NodeKey, NodeKind, NodeRow, Nodes
from topoview.model import Bools, Ints
from topoview.progress import Report, silent

# A row of nodes with some of its loops written out, or put together otherwise.

MAX_ROW_NODES = 20_000
"""Nodes of the longest row, for a program of few lines."""

MAX_ROW_NODES_PER_LINE = 50
"""Nodes of the longest row for each line of the program, for one of many."""


MAX_BODIES_TRIED = 3
"""Bodies of which stretches are made one loop, for each depth."""


def row_forms(nodes: Nodes, body: NodeRow) -> Iterator[tuple[Ints, Ints]]:
    """Take a row as it is, its loops broken up, and its loops written out.

    The deepest loops are written out first.

    What looks like the end of one loop and the begin of the next may be iterations of
    one that varies; and a body that runs once may be a loop of one trip.

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
        distinct = np.unique(row).tolist()
        yield from _break_loops(nodes, row, origin, distinct, longest)
        depth = max(_depth(nodes, node) for node in distinct)
        width = np.ones(max(distinct) + 1, np.int64)
        parts: dict[int, NodeRow] = {}
        for node in distinct:
            if depth and _depth(nodes, node) == depth:
                _, value, within = nodes.keys[node]
                parts[node] = value[0] * within
                width[node] = len(parts[node])
        if not parts or width[row].sum() > longest:
            return
        often = np.bincount(row)
        row, origin = substitute(row, parts), np.repeat(origin, width[row])
        runs: Counter[NodeRow] = Counter()
        for node in parts:
            _, value, within = nodes.keys[node]
            runs[within] += value[0] * int(often[node])
        for within, _ in runs.most_common(MAX_BODIES_TRIED):
            yield _collect_loops(nodes, row, origin, within)


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
    """Make each stretch of a body one loop, also of one trip."""
    first, count = _stretches(row, np.array(body, np.int64))
    kept = row[first]
    for times in np.unique(count[count > 0]).tolist():
        kept[count == times] = nodes.add(NodeKind.LOOP, (times,), body)
    return kept, origin[first]


@kernel
def _stretches(row: Ints, body: Ints) -> tuple[Ints, Ints]:
    """Where each node or stretch begins, and how often the body runs there or 0."""
    first, count = np.empty(len(row), np.int64), np.zeros(len(row), np.int64)
    found, at = 0, 0
    while at < len(row):
        first[found] = at
        while at + len(body) <= len(row):
            k = 0
            while k < len(body) and row[at + k] == body[k]:
                k += 1
            if k < len(body):
                break
            count[found] += 1
            at += len(body)
        if not count[found]:
            at += 1
        found += 1
    return first[:found], count[:found]


# Loops that differ in their trip counts only, as one with a table of counts.


@dataclass(slots=True)
class Shapes:
    """Shapes of nodes: those of one shape differ in trip counts only."""

    nodes: Nodes
    known: dict[int, int] = field(default_factory=dict)
    numbered: dict[NodeKey, int] = field(default_factory=dict)

    def of(self, node: int) -> int:
        """Look the number of a node's shape up."""
        if node not in self.known:
            kind, value, body = self.nodes.keys[node]
            if kind is NodeKind.LOOP:
                value = ()
            key = (kind, value, tuple(self.of(inner) for inner in body))
            self.known[node] = self.numbered.setdefault(key, len(self.numbered))
        return self.known[node]


def unify_nodes(nodes: Nodes, run: Ints) -> int:
    """Make nodes of one shape one node.

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


MIN_LINES_SAVED = 2
"""Lines that a loop that varies must save: plain ones are easier to read."""

MAX_NODES_VISITED = 5_000_000
"""Nodes that may be looked at, over all rows and anchors."""

MAX_ANCHORS_TRIED = 6
"""Anchors that are tried in a row."""

MIN_NODES_ONE_ANCHOR = 20_000
"""Nodes of a row in which only one anchor is tried."""


def fold_variation(nodes: Nodes, body: NodeRow, report: Report = silent) -> NodeRow:
    """Write loops whose iterations differ a little as one loop, inner ones first.

    Iterations may differ in the trip counts of inner loops, and in parts that
    only some of them have. Tables keep what each iteration does.
    """
    return _VariationFolding(nodes, report).body(body)


@dataclass(slots=True)
class _VariationFolding:
    nodes: Nodes
    report: Report
    work: int = MAX_NODES_VISITED
    done: dict[int, int] = field(default_factory=dict)
    tables: dict[int, frozenset[tuple[NodeKind, int]]] = field(default_factory=dict)

    def body(self, body: NodeRow) -> NodeRow:
        """Fold a body, then those in it, then it again."""
        return self._folded(tuple(self._node(node) for node in self._folded(body)))

    def _folded(self, row: NodeRow) -> NodeRow:
        while (shorter := self._shorter(row)) is not None:
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
        best, least = None, self._bits(row) - LINE * MIN_LINES_SAVED
        for level in row_forms(self.nodes, row):
            self.report("finding loops that vary", 0.0)
            for candidate in self._candidates(*level, least):
                bits = self._bits(candidate)
                if bits < least:
                    best, least = candidate, bits
        return best

    def _candidates(self, row: Ints, origin: Ints, least: float) -> Iterator[NodeRow]:
        if self.work < 0:
            return
        anchors = MAX_ANCHORS_TRIED if len(row) < MIN_NODES_ONE_ANCHOR else 1
        self.work -= len(row) * (anchors + 1)
        shapes = Shapes(self.nodes)
        distinct, which = np.unique(row, return_inverse=True)
        shape = np.array([shapes.of(node) for node in distinct.tolist()])[which]
        for loop in find_iterations(shape, anchors):
            within = origin[loop.begin] != origin[loop.end - 1]
            if within and LINE * _least_lines(shape, loop) < least:
                yield self._loop(row, loop)
        if len(row) <= MIN_NODES_ONE_ANCHOR and len(np.unique(shape)) < len(distinct):
            self.work -= 5 * len(row)
            yield from self._with_trips(row, shape, least)

    def _with_trips(self, row: Ints, shape: Ints, least: float) -> Iterator[NodeRow]:
        """Find exact loops of shapes; trip counts go to tables."""
        tokens, written = compress(np.unique(shape, return_inverse=True)[1])
        if LINE * tokens.leaves(written) >= least:
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

    def _bits(self, row: NodeRow) -> float:
        """Weigh lines and tables."""
        tables = frozenset().union(*map(self._tables, row))
        own = (self._table(kind, number) for kind, number in sorted(tables))
        return LINE * self.nodes.lines_of(row) + tables_bits(own)

    def _table(self, kind: NodeKind, number: int) -> Ints | Bools:
        trips = kind is NodeKind.TRIPS
        return self.nodes.trips[number] if trips else self.nodes.patterns[number]

    def _tables(self, node: int) -> frozenset[tuple[NodeKind, int]]:
        if node not in self.tables:
            kind, value, body = self.nodes.keys[node]
            told = kind in (NodeKind.TRIPS, NodeKind.PART)
            own = frozenset([(kind, value[0])] if told else [])
            self.tables[node] = own.union(*map(self._tables, body))
        return self.tables[node]


def _least_lines(row: Ints, loop: VaryingLoop) -> int:
    """Count the lines that a row of shapes with a loop has at least."""
    parts = row[loop.at.max(axis=1)], row[: loop.begin], row[loop.end :]
    return 1 + sum(len(np.unique(part)) for part in parts)
