"""From a sequence of symbols to a program: loops, numbers, varying parts, blocks.

Bodies that occur in several places are blocks, which are written once and have a
name. The longest repeated sequences come from a suffix array (Manber and Myers 1993).
"""

import gc
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from topoview.base.progress import Report, silent
from topoview.logical.loops.compression import compress
from topoview.logical.loops.cost import tree_bits
from topoview.logical.loops.numbered import (
    NumberedSymbols,
    SizedSymbols,
    fold_numbers,
    fold_sizes,
)
from topoview.logical.loops.tree import NodeKind, NodeRow, Nodes, Tree
from topoview.logical.loops.variation import fold_variation
from topoview.model import Ints

# Bodies that occur in several places, named once.

MIN_BLOCK_LINES = 3
"""Lines of the shortest block."""

MIN_SHARE_SAVED = 0.01
"""Share of the program's lines that a block must save to be worth a name."""

MAX_NODES_VISITED = 300_000
"""Nodes that may be looked at, over all rounds."""

MAX_PROGRAM_NODES = 20_000
"""Nodes of the longest program in which blocks are looked for."""


def name_blocks(
    nodes: Nodes, body: NodeRow, report: Report = silent, work: int = MAX_NODES_VISITED
) -> tuple[NodeRow, list[NodeRow]]:
    """Write sequences of nodes that occur in several places once.

    Each time the sequence is taken whose naming saves most lines (Apostolico and
    Lonardi, Off-line compression by greedy textual substitution, 2000); blocks
    may use others. A block costs its body, a head, and a line for each use.

    Parameters
    ----------
    body
        The program, without blocks.
    work
        Nodes that may be looked at, over all rounds.

    Returns
    -------
    body, blocks
        The program and its blocks as rows of nodes, blocks in the order in which
        the program uses them.

    Raises
    ------
    Cancelled
        From `report`.
    """
    if len(body) > MAX_PROGRAM_NODES:
        return body, []
    naming = _BlockNaming(nodes, int(MIN_SHARE_SAVED * nodes.lines_of(body)))
    naming.collect(body)
    while work > 0:
        report("naming blocks", 0.0)
        length = sum(len(row) for row in naming.rows)
        work -= length
        if length > MAX_PROGRAM_NODES or not naming.name_best():
            break
    return naming.finished()


@dataclass(slots=True)
class _BlockNaming:
    nodes: Nodes
    least: int
    rows: list[list[int]] = field(default_factory=list)
    row_of: dict[int, int] = field(default_factory=dict)
    blocks: list[int] = field(default_factory=list)

    def collect(self, body: NodeRow) -> None:
        """Take in every body once."""
        self.rows.append(list(body))
        for node in body:
            within = self.nodes.keys[node][2]
            is_list = self.nodes.keys[node][0] is NodeKind.EACH  # read as one line
            if within and not is_list and node not in self.row_of:
                self.row_of[node] = -1
                at = len(self.rows)
                self.collect(within)
                self.row_of[node] = at

    def name_best(self) -> bool:
        """Name the sequence that saves most, if any saves something."""
        text, row, place = self._text()
        lines = [self.nodes.lines[n] if n >= 0 else 0 for n in text.tolist()]
        begins, length = best_repeat(text, np.array(lines), self.least)
        if not length:
            return False
        taken = list(zip(row[begins].tolist(), place[begins].tolist(), strict=True))
        which, at = taken[0]
        body = self.rows[which][at : at + length]
        use = self.nodes.add(NodeKind.USE, (len(self.blocks),))
        for which, at in sorted(taken, reverse=True):
            self.rows[which][at : at + length] = [use]
        self.blocks.append(len(self.rows))
        self.rows.append(body)
        return True

    def _text(self) -> tuple[Ints, Ints, Ints]:
        """All rows, each followed by a number of its own: node, row, place."""
        text, row, place = [], [], []
        alone = -1
        for which, nodes in enumerate(self.rows):
            for at, node in enumerate([*nodes, -1]):
                single = node < 0 or self.nodes.bound[node]
                text.append(alone if single else node)
                alone -= single
                row.append(which)
                place.append(at)
        return np.array(text), np.array(row), np.array(place)

    def finished(self) -> tuple[NodeRow, list[NodeRow]]:
        """Put blocks that are used once back, and number the others as used."""
        uses = Counter(
            self.nodes.keys[node][1][0]
            for row in self.rows
            for node in row
            if self.nodes.keys[node][0] is NodeKind.USE
        )
        order: dict[int, int] = {}
        bodies: list[NodeRow] = []
        memo: dict[int, int] = {}

        def row(which: int) -> NodeRow:
            done: list[int] = []
            for node in self.rows[which]:
                kind, value, _ = self.nodes.keys[node]
                if kind is NodeKind.USE and uses[value[0]] == 1:
                    done += row(self.blocks[value[0]])
                else:
                    done.append(rewritten(node))
            return tuple(done)

        def rewritten(node: int) -> int:
            kind, value, _ = self.nodes.keys[node]
            if kind is NodeKind.USE:
                if value[0] not in order:
                    order[value[0]] = len(bodies)
                    bodies.append(())
                    bodies[order[value[0]]] = row(self.blocks[value[0]])
                return self.nodes.add(NodeKind.USE, (order[value[0]],))
            if node not in self.row_of:
                return node
            if node not in memo:
                memo[node] = self.nodes.add(kind, value, row(self.row_of[node]))
            return memo[node]

        return row(0), bodies


def best_repeat(text: Ints, weight: Ints, least: int) -> tuple[Ints, int]:
    """Find the sequence whose naming saves most.

    Parameters
    ----------
    text : int64, shape (n,)
        Numbers; negative ones are all different.
    weight : int64, shape (n,)
        Lines of each.
    least
        Lines that naming it must save, or more.

    Returns
    -------
    begins : int64, shape (uses,)
        Where it occurs, without overlap, ascending.
    length
        0 if nothing saves lines.
    """
    order = suffixes(text)
    common = _common_prefixes(text, order)
    total = np.concatenate((np.zeros(1, np.int64), np.cumsum(weight)))
    best, chosen = max(least - 1, 0), (np.zeros(0, np.int64), 0)
    for low, high, length in _intervals(common):
        cost = int(total[order[low] + length] - total[order[low]])
        if cost < MIN_BLOCK_LINES or _lines_saved(high - low, cost) <= best:
            continue
        begins = _without_overlap(np.sort(order[low:high]), length)
        if _lines_saved(len(begins), cost) > best:
            best, chosen = _lines_saved(len(begins), cost), (begins, length)
    return chosen


def _lines_saved(uses: int, cost: int) -> int:
    return (uses - 1) * cost - uses - 1


def _without_overlap(begins: Ints, length: int) -> Ints:
    kept: list[int] = []
    for begin in begins.tolist():
        if not kept or begin >= kept[-1] + length:
            kept.append(begin)
    return np.array(kept, np.int64)


def suffixes(text: Ints) -> Ints:
    """Sort the suffixes of a text by doubling (Manber and Myers 1993), int64."""
    n = len(text)
    rank = np.unique(text, return_inverse=True)[1].astype(np.int64)
    order = np.argsort(rank, kind="stable")
    step = 1
    while step < n:
        after = np.full(n, -1, np.int64)
        after[: n - step] = rank[step:]
        order = np.lexsort((after, rank))
        a, b = rank[order], after[order]
        new = np.concatenate(([0], np.cumsum((a[1:] != a[:-1]) | (b[1:] != b[:-1]))))
        rank = np.empty(n, np.int64)
        rank[order] = new
        if new[-1] == n - 1:
            break
        step *= 2
    return order


def _common_prefixes(text: Ints, order: Ints) -> Ints:
    """Length of what each suffix and the next in order have in common (Kasai 2001)."""
    n = len(text)
    rank = np.empty(n, np.int64)
    rank[order] = np.arange(n)
    values, places, after = text.tolist(), rank.tolist(), order.tolist()
    common = [0] * max(n - 1, 0)
    k = 0
    for i in range(n):
        if places[i] == n - 1:
            k = 0
            continue
        j = after[places[i] + 1]
        while i + k < n and j + k < n and values[i + k] == values[j + k]:
            k += 1
        common[places[i]] = k
        k = max(k - 1, 0)
    return np.array(common, np.int64)


def _intervals(common: Ints) -> list[tuple[int, int, int]]:
    """List the intervals of longest common prefixes: begin, end, length.

    An interval is a maximal stretch of sorted suffixes that begin alike (Abouelhoda,
    Kurtz and Ohlebusch 2004).
    """
    result: list[tuple[int, int, int]] = []
    stack: list[tuple[int, int]] = []
    for place, length in enumerate([*common.tolist(), 0]):
        begin = place
        while stack and stack[-1][1] > length:
            begin, prefix = stack.pop()
            result.append((begin, place + 1, prefix))
        if length and (not stack or stack[-1][1] < length):
            stack.append((begin, length))
    return result


def structure(  # noqa: PLR0913
    sequence: Ints,
    numbers: NumberedSymbols | None = None,
    report: Report = silent,
    *,
    sizes: SizedSymbols | None = None,
    written: tuple[Nodes, NodeRow] | None = None,
    whole: bool = True,
) -> Tree:
    """Write a sequence as a short program that gives just this sequence.

    With loops over numbers, loops of growing sizes, and loops that vary.

    Parameters
    ----------
    sequence : int64, shape (n,)
        Symbols, not negative.
    numbers
        Numbers in the symbols that loops may go over.
    sizes
        Sizes in the symbols that may grow from turn to turn.
    written
        Its plain loops, where they are known.
    whole
        Whether all repetitions were looked at.

    Raises
    ------
    Cancelled
        From `report`.
    """
    collects = gc.isenabled()
    gc.disable()  # nothing here is garbage; looking for it takes half of the time
    try:
        if written is None:
            tokens, row = compress(sequence, report)
            nodes, whole = Nodes(), tokens.whole
            body = nodes.written(tokens, row)
        else:
            nodes, body = written
        if numbers is not None:
            body = fold_numbers(nodes, body, numbers)
        if sizes is not None:
            body = fold_sizes(nodes, body, sizes)
        shortest = nodes.tree(*name_blocks(nodes, body, report), whole=whole)
        varied = fold_variation(nodes, body, report)
        tree = nodes.tree(*name_blocks(nodes, varied, report), whole=whole)
        if tree_bits(tree) < tree_bits(shortest) and tree.leaves <= shortest.leaves:
            shortest = tree
    finally:
        if collects:
            gc.enable()
    assert np.array_equal(shortest.expand()[:, 1], sequence)
    return shortest
