"""From a sequence of symbols to a program: loops, numbers, varying parts, blocks.

Bodies that occur in several places are blocks, which are written once and have a
name. Repeated sequences come from a suffix array (Manber and Myers 1993).
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
from topoview.logical.loops.repetition_kernels import best_repeat
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
        nodes, bound = [n for row in self.rows for n in (*row, -1)], self.nodes.bound
        lines = np.array([self.nodes.lines[n] if n >= 0 else 0 for n in nodes])
        # what follows each row, and depends on a loop over numbers, repeats nothing
        alone = np.array([n < 0 or bound[n] for n in nodes])
        text = np.where(alone, -np.cumsum(alone), nodes)
        lines[alone] = 0
        begins, (length,) = best_repeat(text, lines, self.least, MIN_BLOCK_LINES)
        if not length:
            return False
        first = np.cumsum([0, *(len(row) + 1 for row in self.rows)])
        which = np.searchsorted(first, begins, side="right") - 1
        taken = list(zip(which.tolist(), (begins - first[which]).tolist(), strict=True))
        row, at = taken[0]
        body = self.rows[row][at : at + length]
        use = self.nodes.add(NodeKind.USE, (len(self.blocks),))
        for row, at in reversed(taken):
            self.rows[row][at : at + length] = [use]
        self.blocks.append(len(self.rows))
        self.rows.append(body)
        return True

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
