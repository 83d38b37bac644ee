"""Bodies that differ only in a number, in sizes, or in partners, as one."""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from topoview.logical.loops.repetitions import find_runs
from topoview.logical.loops.tree import NodeKey, NodeKind, NodeRow, Nodes
from topoview.model import Ints

MAX_ITERATIONS_COMPARED = 200_000
"""Iterations that may be compared, over all bodies."""


@dataclass(frozen=True, slots=True, eq=False)
class VaryingSymbols:
    """What symbols say but for one thing: a number, sizes, or the partner."""

    family: Ints
    """int64, shape (symbols,): symbols of one family differ in that only; -1 for
    symbols that are never told so."""
    value: Ints
    """int64, shape (symbols,): the number, or the partner's name, -1 if there is none.
    Shape (symbols, sizes) of sizes: least and most of all ranks."""


def fold_numbers(nodes: Nodes, body: NodeRow, numbers: VaryingSymbols) -> NodeRow:
    """Fold neighbouring bodies that differ only in a number into one loop.

    In each iteration all leaves that vary must have the same number, which is
    what the loop goes over: ``for k in 1, 2, 4: Send to EXCHANGE k``. Inner
    bodies come first. A loop must save lines; one of two iterations at least two.
    """
    return _NumberFolding(nodes, numbers).body(body)


@dataclass(slots=True)
class BodyFolding:
    """Makes neighbouring bodies that differ by some rule one loop."""

    nodes: Nodes
    symbols: VaryingSymbols
    """What may differ."""
    done: dict[int, int] = field(default_factory=dict, init=False)
    shapes: dict[int, int] = field(default_factory=dict, init=False)
    shape_of: dict[NodeKey, int] = field(default_factory=dict, init=False)
    work: int = field(default=MAX_ITERATIONS_COMPARED, init=False)

    def body(self, body: NodeRow) -> NodeRow:
        """Fold a body, inner ones first."""
        row = tuple(self._node(node) for node in body)
        while True:
            best = self._best(row)
            if best is None:
                return row
            begin, period, count = best
            row = (
                *row[:begin],
                self._loop(row[begin : begin + period * count], period),
                *row[begin + period * count :],
            )

    def _node(self, node: int) -> int:
        if node not in self.done:
            kind, value, within = self.nodes.keys[node]
            self.done[node] = (
                self.nodes.add(kind, value, self.body(within)) if within else node
            )
        return self.done[node]

    def shape(self, node: int) -> int:
        """Look up a node's shape: that of nodes which differ as they may."""
        if node not in self.shapes:
            kind, value, within = self.nodes.keys[node]
            if kind is NodeKind.LEAF and len(value) == 1:
                family = int(self.symbols.family[value[0]])
                value = (-1 - family,) if family >= 0 else value
            key = (kind, value, tuple(self.shape(inner) for inner in within))
            self.shapes[node] = self.shape_of.setdefault(key, len(self.shape_of))
        return self.shapes[node]

    def _best(self, row: NodeRow) -> tuple[int, int, int] | None:
        """Find the loop that saves most lines: begin, period, count."""
        text = np.array([self.shape(node) for node in row], np.int64)
        if len(set(text.tolist())) == len(set(row)):
            return None  # nothing differs
        best, chosen = 0, None
        for begin, end, period in find_runs(text).tolist():
            for at in range(begin, end - 2 * period + 1):
                lines = self.nodes.lines_of(row[at : at + period])
                if ((end - at) // period - 1) * lines - 1 <= best:
                    continue  # not even all that is left would save more
                count = len(self.alike(row, at, end, period))
                saved = (count - 1) * lines - 1
                if count > 1 and saved > best and self.is_worth(count, saved):
                    best, chosen = saved, (at, period, count)
        return chosen

    def alike(self, row: NodeRow, begin: int, end: int, period: int) -> list[Ints]:
        """Find the iterations that can be one loop: the symbols of each."""
        rows: list[Ints] = []
        for at in range(begin, end - period + 1, period):
            self.work -= 1
            part = row[at : at + period]
            if self.work < 0 or any(self._is_varied(node) for node in part):
                break
            rows.append(self._symbols(part))
            if len(rows) > 1 and not self.fits(rows):
                rows.pop()
                break
        return rows

    def _is_varied(self, node: int) -> bool:
        """Whether there is such a loop in a node already."""
        kind, _, within = self.nodes.keys[node]
        varied = kind in (NodeKind.OVER, NodeKind.SIZES, NodeKind.USE)
        return varied or any(self._is_varied(inner) for inner in within)

    def _symbols(self, row: NodeRow) -> Ints:
        """Symbols of all leaves of a body in order."""
        symbols: list[int] = []
        for node in row:
            kind, value, within = self.nodes.keys[node]
            symbols += (
                [value[0]] if kind is NodeKind.LEAF else self._symbols(within).tolist()
            )
        return np.array(symbols, np.int64)

    def _loop(self, row: NodeRow, period: int) -> int:
        """Fold iterations into one loop."""
        parts = [row[at : at + period] for at in range(0, len(row), period)]
        symbols = np.array([self._symbols(part) for part in parts])
        leaves = iter(symbols.T.tolist())

        def rewritten(node: int) -> int:
            kind, value, within = self.nodes.keys[node]
            if kind is NodeKind.LEAF:
                own = tuple(next(leaves))
                return self.nodes.add(kind, own if len(set(own)) > 1 else own[:1])
            return self.nodes.add(kind, value, tuple(rewritten(n) for n in within))

        return self.made(symbols, tuple(rewritten(node) for node in parts[0]))

    def is_worth(self, count: int, saved: int) -> bool:
        """Return whether a loop of so many iterations is worth the lines it saves."""
        raise NotImplementedError

    def fits(self, rows: list[Ints]) -> bool:
        """Return whether the last of some iterations fits to those before it."""
        raise NotImplementedError

    def made(self, symbols: Ints, body: NodeRow) -> int:
        """Build the loop of iterations with these symbols."""
        raise NotImplementedError


class _NumberFolding(BodyFolding):
    def is_worth(self, count: int, saved: int) -> bool:
        return count > 2 or saved > 1

    def fits(self, rows: list[Ints]) -> bool:
        varying = np.any([row != rows[0] for row in rows], axis=0)
        numbers = [set(self.symbols.value[row[varying]].tolist()) for row in rows]
        return all(len(own) == 1 for own in numbers) and numbers[-1] != numbers[-2]

    def made(self, symbols: Ints, body: NodeRow) -> int:
        varying = np.flatnonzero((symbols != symbols[0]).any(axis=0))
        over = self.symbols.value[symbols[:, varying[0]]]
        return self.nodes.add(NodeKind.OVER, tuple(over.tolist()), body)


MIN_TURNS, MIN_TURNS_IF_STEEP = 4, 3
"""Turns of the shortest such loop, also where sizes change by `STEEP_SIZE_FACTOR`."""

MIN_SIZE_FACTOR, STEEP_SIZE_FACTOR = 1.6, 2.1
"""Factor by which all sizes change at least from turn to turn, if they do."""

MIN_LINES_SAVED = 4
"""Lines that it must save."""


def fold_sizes(nodes: Nodes, body: NodeRow, sizes: VaryingSymbols) -> NodeRow:
    """Fold neighbouring bodies whose messages grow, or shrink, into one loop.

    So are the levels of a multigrid solver, and tests that double what they send.
    From turn to turn all sizes that change must grow, or all must shrink, by far; what
    is of similar size is rather another part of the program. Inner bodies come first.
    There must be several turns, and lines saved: else what stands there says more.
    """
    return _SizeFolding(nodes, sizes).body(body)


class _SizeFolding(BodyFolding):
    def is_worth(self, count: int, saved: int) -> bool:
        return count >= MIN_TURNS_IF_STEEP and saved >= MIN_LINES_SAVED

    def fits(self, rows: list[Ints]) -> bool:
        first = self._steps(rows[0], rows[1], MIN_SIZE_FACTOR)
        last = self._steps(rows[-2], rows[-1], MIN_SIZE_FACTOR)
        return bool(first.any()) and np.array_equal(first, last)

    def alike(self, row: NodeRow, begin: int, end: int, period: int) -> list[Ints]:
        rows = BodyFolding.alike(self, row, begin, end, period)
        steep = (self._steps(a, b, STEEP_SIZE_FACTOR).any() for a, b in pairwise(rows))
        return rows if len(rows) >= MIN_TURNS or all(steep) else rows[:1]

    def _steps(self, before: Ints, after: Ints, factor: float) -> Ints:
        """Return which symbols grow by a factor, 1, or shrink, -1.

        0 where a symbol stays; for all if not all that change do so alike.
        """
        a, b = (
            np.maximum(self.symbols.value[before], 1),
            np.maximum(self.symbols.value[after], 1),
        )
        up, down = b >= factor * a, a >= factor * b
        changes = a != b
        result = np.zeros(len(before), np.int64)
        if np.array_equal(up, changes):
            result[up.any(axis=1)] = 1
        elif np.array_equal(down, changes):
            result[down.any(axis=1)] = -1
        return result

    def made(self, symbols: Ints, body: NodeRow) -> int:
        return self.nodes.add(NodeKind.SIZES, (len(symbols),), body)


MAX_NAMES_APART = 4
"""Partners whose calls in a row are statements of their own, not read as one."""


def fold_rounds(nodes: Nodes, body: NodeRow, partners: VaryingSymbols) -> NodeRow:
    """Read calls as one that are made for one partner after the other.

    As ``Isend to WEST, Irecv, Isend to EAST, Irecv, ...``: in each round other partners
    take their turn. Rounds of one call are lists before they come here.
    """
    return _RoundFolding(nodes, partners).body(body)


class _RoundFolding(BodyFolding):
    def alike(self, row: NodeRow, begin: int, end: int, period: int) -> list[Ints]:
        rounds = BodyFolding.alike(self, row, begin, end, period)
        return rounds if period > 1 else []

    def _is_varied(self, node: int) -> bool:
        kind, value, _ = self.nodes.keys[node]
        plain = kind is NodeKind.LEAF and len(value) == 1
        return not plain or self.symbols.family[value[0]] < 0

    def is_worth(self, count: int, saved: int) -> bool:
        return count > MAX_NAMES_APART and saved > 0

    def fits(self, rows: list[Ints]) -> bool:
        last = self.symbols.value[rows[-1]]
        has = last >= 0
        if not has.any():
            return False
        before = self.symbols.value[np.array(rows[:-1])]
        return bool((before != last)[:, has].all())

    def _loop(self, row: NodeRow, period: int) -> int:
        del period
        return self.nodes.add(NodeKind.EACH, (0,), row)
