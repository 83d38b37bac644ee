"""From a sequence of symbols to a program: loops, numbers, varying parts, blocks.

Bodies that occur in several places are blocks, which are written once and have a
name. Repeated sequences come from a suffix array (Manber and Myers 1993).
"""

import gc
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np

from topoview.base.progress import Report, silent
from topoview.logical.loops.compression import compress
from topoview.logical.loops.cost import tree_bits
from topoview.logical.loops.numbered import (
    VaryingSymbols,
    fold_numbers,
    fold_rounds,
    fold_sizes,
)
from topoview.logical.loops.repetition_kernels import best_repeat
from topoview.logical.loops.tree import NodeKind, NodeRow, Nodes, Tree
from topoview.logical.loops.variation import fold_variation
from topoview.model import Bools, Ints

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
    nodes: Nodes, body: NodeRow, report: Report = silent
) -> tuple[NodeRow, list[NodeRow]]:
    """Write sequences of nodes that occur in several places once.

    Each time the sequence is taken whose naming saves most lines (Apostolico and
    Lonardi, Off-line compression by greedy textual substitution, 2000); blocks
    may use others. A block costs its body, a head, and a line for each use.

    Parameters
    ----------
    body
        The program, without blocks.

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
    naming = _BlockNaming.of(nodes, body, int(MIN_SHARE_SAVED * nodes.lines_of(body)))
    work = MAX_NODES_VISITED
    while work > 0:
        report("naming blocks", 0.0)
        length = len(naming.text)
        work -= length
        if length > MAX_PROGRAM_NODES or not naming.name_best():
            break
    return naming.finished()


@dataclass(slots=True)
class _BlockNaming:
    """All bodies one after the other, in which repeated sequences become blocks.

    Nodes keep their numbers; behind the last node's come that of the end of a body, and
    those of the blocks.
    """

    nodes: Nodes
    least: int
    end: int
    text: Ints
    lines: Ints
    alone: Bools
    """`lines` and `alone`: of each number, its lines, and whether it repeats nothing:
    the end of a body, and what depends on a loop over numbers."""
    bodies: int
    """How many bodies there were before any block."""
    body_of: dict[int, int]
    """Which of the bodies is that of a node."""

    @staticmethod
    def of(nodes: Nodes, body: NodeRow, least: int) -> "_BlockNaming":
        """Lay all bodies in a row, each once."""
        bodies: list[NodeRow] = [body]
        body_of: dict[int, int] = {}
        for row in bodies:  # which grows meanwhile
            for node in row:
                kind, _, within = nodes.keys[node]
                is_list = kind is NodeKind.EACH  # read as one line
                if within and not is_list and node not in body_of:
                    body_of[node] = len(bodies)
                    bodies.append(within)
        end = len(nodes.keys)
        return _BlockNaming(
            nodes=nodes,
            least=least,
            end=end,
            text=np.array([node for row in bodies for node in (*row, end)], np.int64),
            lines=np.array([*nodes.lines, 0], np.int64),
            alone=np.array([*nodes.bound, True], bool),
            bodies=len(bodies),
            body_of=body_of,
        )

    def name_best(self) -> bool:
        """Name the sequence that saves most, if any saves something."""
        alone = self.alone[self.text]
        text = np.where(alone, -1 - np.cumsum(alone), self.text)
        lines = np.where(alone, 0, self.lines[self.text])
        begins, (length,) = best_repeat(text, lines, self.least, MIN_BLOCK_LINES)
        if not length:
            return False
        block = self.text[begins[0] : begins[0] + length].copy()
        kept = np.ones(len(text), bool)
        kept[begins[:, None] + np.arange(1, length)] = False
        self.text[begins] = len(self.lines)
        self.text = np.concatenate((self.text[kept], block, [self.end]))
        self.lines, self.alone = np.append(self.lines, 1), np.append(self.alone, False)
        return True

    def finished(self) -> tuple[NodeRow, list[NodeRow]]:
        """Put blocks that are used once back, and number the others as used."""
        nodes, end = self.nodes, self.end
        uses = np.bincount(self.text)
        ends = np.flatnonzero(self.text == end)
        rows = [own[:-1].tolist() for own in np.split(self.text, ends + 1)[:-1]]
        order: dict[int, int] = {}
        blocks: list[NodeRow] = []
        memo: dict[int, int] = {}

        def row(which: int) -> NodeRow:
            done: list[int] = []
            for node in rows[which]:
                if node > end and uses[node] == 1:
                    done += row(self.bodies + node - end - 1)
                else:
                    done.append(rewritten(node))
            return tuple(done)

        def rewritten(node: int) -> int:
            if node > end:
                if node not in order:
                    order[node] = len(blocks)
                    blocks.append(())
                    blocks[order[node]] = row(self.bodies + node - end - 1)
                return nodes.add(NodeKind.USE, (order[node],))
            if node not in self.body_of:
                return node
            if node not in memo:
                kind, value, _ = nodes.keys[node]
                memo[node] = nodes.add(kind, value, row(self.body_of[node]))
            return memo[node]

        return row(0), blocks


def with_whole_turns(nodes: Nodes, body: NodeRow) -> NodeRow:
    """Let loops begin where what stands before and after them is one more turn.

    ``a, repeat 9: (b, a), b`` is ``repeat 10: (a, b)``: symbols that stand for several
    nodes hide it from what compresses them.
    """
    row: list[int] = []
    left = list(body[::-1])
    while left:
        node = left.pop()
        kind, value, within = nodes.keys[node]
        if kind is NodeKind.LOOP:
            within = with_whole_turns(nodes, within)
            before = _alike(row[::-1], within[::-1])
            after = len(within) - before
            if before and after == _alike(left[::-1], within[:after]):
                value, within = (value[0] + 1,), within[after:] + within[:after]
                del row[-before:], left[len(left) - after :]
            node = nodes.add(kind, value, within)
        row.append(node)
    return tuple(row)


def _alike(one: Sequence[int], other: Sequence[int]) -> int:
    """Count the nodes with which both begin."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def structure(  # noqa: PLR0913
    sequence: Ints,
    numbers: VaryingSymbols | None = None,
    report: Report = silent,
    *,
    sizes: VaryingSymbols | None = None,
    partners: VaryingSymbols | None = None,
    written: tuple[Nodes, NodeRow] | None = None,
    whole: bool = True,
) -> Tree:
    """Write a sequence as a short program that gives just this sequence.

    With loops over numbers, loops of growing sizes, rounds, and loops that vary.

    Parameters
    ----------
    sequence : int64, shape (n,)
        Symbols, not negative.
    numbers
        Numbers in the symbols that loops may go over.
    sizes
        Sizes in the symbols that may grow from turn to turn.
    partners
        Partners in the symbols, of which one after the other may take its turn.
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
        if partners is not None:
            body = fold_rounds(nodes, body, partners)
        shortest = nodes.tree(*name_blocks(nodes, body, report), whole=whole)
        varied = fold_variation(nodes, body, report)
        for other in dict.fromkeys((body, varied, with_whole_turns(nodes, varied))):
            if other == body:
                continue
            tree = nodes.tree(*name_blocks(nodes, other, report), whole=whole)
            if tree_bits(tree) < tree_bits(shortest) and tree.leaves <= shortest.leaves:
                shortest = tree
    finally:
        if collects:
            gc.enable()
    assert np.array_equal(shortest.expand()[:, 1], sequence)
    return shortest
