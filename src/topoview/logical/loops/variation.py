"""Loops whose body varies: trip counts, and parts that some iterations run."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from topoview.logical.loops.compress import compress
from topoview.logical.loops.iterations import (
    Iterations,
    find_iterations,
    iterations_of_visits,
    runs_alike,
)
from topoview.logical.loops.levels import levels
from topoview.logical.loops.nodes import Kind, Nodes, Row
from topoview.logical.loops.tables import (
    least_cost,
    pattern_cost,
    readable,
    tells_of_levels,
    trips_cost,
)
from topoview.logical.loops.unify import Shapes, plain, refolded, unified
from topoview.model import Ints
from topoview.progress import Report, silent

WORTH = 0.15
"""Share of a body's lines that must be saved, so that it is worth a table."""

WORK = 5_000_000
"""Nodes that may be looked at, over all rows and anchors."""

ANCHORS = 6
"""Anchors that are tried in a row."""

LONG = 20_000
"""Nodes of a row in which only one anchor is tried."""


def fold_variation(nodes: Nodes, body: Row, report: Report = silent) -> Row:
    """Write loops whose iterations differ a little as one loop, inner ones first.

    Iterations may differ in the trip counts of inner loops, and in parts that
    only some of them have. Tables keep what each iteration does. The row is looked
    at as it is, with loops of one body but different counts broken up into equal
    shares, and with loops written out, since what looks like the end of one loop
    and the begin of the next may be iterations of one that varies.
    """
    return _Folding(nodes, report).body(body)


def fold_visits(
    nodes: Nodes, body: Row, visits: Sequence[Ints], report: Report = silent
) -> Row:
    """Write visits of a function as one loop, and then what varies in it.

    Parameters
    ----------
    visits
        For some functions the places in the sequence at which visits begin.
    """
    folding = _Folding(nodes, report)
    found = folding.of_visits(body, visits)
    return body if found is None else folding.body(found)


@dataclass(slots=True)
class _Folding:
    nodes: Nodes
    report: Report
    work: int = WORK
    done: dict[int, int] = field(default_factory=dict)
    tables: dict[int, float] = field(default_factory=dict)

    def body(self, body: Row) -> Row:
        """Fold a body, then those in it, then it again."""
        return self._folded(tuple(self._node(node) for node in self._folded(body)))

    def of_visits(self, row: Row, visits: Sequence[Ints]) -> Row | None:
        """Write the visits of one function as a loop where that saves lines most."""
        lines = self._cost(row)
        bound = lines - max(2.0, WORTH * lines)
        best: tuple[float, Row] | None = None
        shapes = Shapes(self.nodes)
        for level, origin in levels(self.nodes, row):
            self.report("finding loops that vary", 0.0)
            at = self.nodes.places(tuple(level.tolist()))
            if at is None:
                continue
            shape = np.array([shapes.of(node) for node in level.tolist()], np.int64)
            for begins in visits:
                places = np.minimum(np.searchsorted(at, begins), len(at) - 1)
                if not np.array_equal(at[places], begins):
                    continue
                for loop in iterations_of_visits(shape, places):
                    if (
                        origin[loop.begin] == origin[loop.end - 1]
                        or least_cost(shape, loop) > bound
                        or not readable(shape, loop, visits=True)
                    ):
                        continue
                    found = self._loop(level, loop)
                    cost = self._cost(found)
                    if cost <= bound and all(map(self._clear, found)):
                        bound, best = cost, (cost, found)
        return None if best is None else best[1]

    def _folded(self, row: Row) -> Row:
        while True:
            shorter = self._shorter(row)
            if shorter is None:
                return row
            row = shorter

    def _node(self, node: int) -> int:
        if node not in self.done:
            kind, value, within = self.nodes.keys[node]
            self.done[node] = (
                self.nodes.add(kind, value, self.body(within)) if within else node
            )
        return self.done[node]

    def _shorter(self, row: Row) -> Row | None:
        if len(row) < 2:
            return None
        lines = self._cost(row)
        bound = lines - max(2.0, WORTH * lines)
        best: tuple[float, Row] | None = None
        for level in levels(self.nodes, row):
            self.report("finding loops that vary", 0.0)
            for candidate in self._candidates(*level, bound):
                cost = self._cost(candidate)
                if not all(map(self._clear, candidate)):
                    continue
                if cost <= bound and (best is None or cost < best[0]):
                    best = (cost, candidate)
        return None if best is None else best[1]

    def _candidates(self, row: Ints, origin: Ints, bound: float) -> Iterator[Row]:
        if self.work < 0:
            return
        anchors = ANCHORS if len(row) < LONG else 1
        self.work -= len(row) * (anchors + 1)
        shapes = Shapes(self.nodes)
        distinct = np.flatnonzero(np.bincount(row))
        shape_of = np.zeros(len(self.nodes.keys), np.int64)
        shape_of[distinct] = [shapes.of(node) for node in distinct.tolist()]
        shape = shape_of[row]
        for loop in find_iterations(shape, anchors):
            if (
                origin[loop.begin] != origin[loop.end - 1]
                and least_cost(shape, loop) <= bound
                and readable(shape, loop)
            ):
                yield self._loop(row, loop)
        few = len(row) <= LONG
        if few and len(np.unique(shape_of[distinct])) < len(distinct):
            self.work -= 5 * len(row)
            yield from self._with_trips(row, shape, bound)

    def _with_trips(self, row: Ints, shape: Ints, bound: float) -> Iterator[Row]:
        """Find exact loops of shapes; trip counts go to tables."""
        tokens, written = compress(np.unique(shape, return_inverse=True)[1])
        if tokens.leaves(written) > bound:
            return
        inner = Nodes()
        body = inner.written(tokens, written)
        leaf = inner.tree(body, [], whole=True).expand()[:, 0]
        order = np.argsort(leaf, kind="stable")
        ends = np.cumsum(np.bincount(leaf))
        runs = iter(np.split(row[order], ends[:-1]))

        def made(row: Row) -> Row:
            done: list[int] = []
            for node in row:
                kind, value, within = inner.keys[node]
                if kind is Kind.LEAF:
                    done += plain(self.nodes, (unified(self.nodes, next(runs)),))
                else:
                    done.append(self.nodes.add(kind, value, made(within)))
            return tuple(done)

        yield made(body)

    def _loop(self, row: Ints, loop: Iterations) -> Row:
        """Write the loop, and what comes before and after it."""
        present = loop.at >= 0
        body: list[int] = []
        for low, high in runs_alike(present):
            elements = tuple(
                unified(self.nodes, row[at[at >= 0]]) for at in loop.at[low:high]
            )
            within = refolded(self.nodes, elements)
            if present[low].all():
                body += within
            else:
                self.nodes.patterns.append(present[low].copy())
                pattern = len(self.nodes.patterns) - 1
                body.append(self.nodes.add(Kind.PART, (pattern,), within))
        count = loop.at.shape[1]
        return (
            *refolded(self.nodes, tuple(row[: loop.begin].tolist())),
            self.nodes.add(Kind.LOOP, (count,), tuple(body)),
            *refolded(self.nodes, tuple(row[loop.end :].tolist())),
        )

    def _clear(self, node: int) -> bool:
        """Whether all tables of trip counts belong to one loop each."""
        kind, value, body = self.nodes.keys[node]
        if kind is Kind.TRIPS and not tells_of_levels(self.nodes.trips[value[0]]):
            return False
        return all(map(self._clear, body))

    def _cost(self, row: Row) -> float:
        """Lines, and what tables cost that say much."""
        known, cost = self.tables, 0.0
        for node, times in Counter(row).items():
            if node not in known:
                known[node] = self._tables(node)
            cost += times * (self.nodes.lines[node] + known[node])
        return cost

    def _tables(self, node: int) -> float:
        kind, value, body = self.nodes.keys[node]
        cost = sum(self._tables(inner) for inner in body)
        if kind is Kind.TRIPS:
            cost += trips_cost(self.nodes.trips[value[0]])
        elif kind is Kind.PART:
            cost += pattern_cost(self.nodes.patterns[value[0]])
        return cost
