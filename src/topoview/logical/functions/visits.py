"""Loops whose turns are visits (invocations) of functions.

A call tells how many functions stayed open since the call before. Where a loop's
turns begin these numbers tell what a trace without functions cannot: that of four
turns each second one enters a function anew, so that they are two visits of two turns
each.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from topoview.grouping import counting_sort, index_in_run
from topoview.logical.calls.call_table import CallTable
from topoview.logical.loops.tree import (
    BlockUse,
    EachOf,
    IterationPart,
    Leaf,
    Repeat,
    Tree,
    TreeBody,
    TreeNode,
)
from topoview.model import Bools, Ints

UNKNOWN_LEVELS: Final = -1
"""Levels that stay open from turn to turn, of a loop of which nothing is known."""

_MAX_LEVELS: Final = 256
"""More levels than a path can have."""


_Begins = tuple[Ints, Ints, tuple[int, ...]]
"""Of a call that turns begin with: the number of each turn, the levels that stayed open
before it, and the regions that the call is made in."""


@dataclass(frozen=True, slots=True, eq=False)
class VisitedTree:
    """A tree whose loops tell what stays open from turn to turn."""

    tree: Tree
    """The tree; loops of which each m-th turn enters a function are two loops."""
    turns: Bools
    """bool, shape (rows,): rows that begin a further turn of a loop: what stayed open
    before them is told by the loop."""
    uneven: tuple[int, ...] = ()
    """Regions that some turns of a loop enter anew, others not, without a rule."""


def with_visits(  # noqa: PLR0913
    tree: Tree,
    rows: CallTable,
    place: Ints,
    guard: Ints,
    holds: Sequence[Bools],
    several: Set[int] = frozenset(),
) -> VisitedTree:
    """Find what stays open of each loop from turn to turn: O(rows * depth).

    Parameters
    ----------
    place : int64, shape (rows,)
        Leaf of each row.
    guard : int64, shape (symbols of the tree,)
        Guard of each symbol, -1 for all ranks.
    holds : of bool, shape (ranks of the rows,)
        For which of them each guard holds.
    several
        Leaves that stand for several rows of a rank at once.
    """
    turns = np.zeros(len(place), bool)
    if len(rows.paths.level) < 2 or not len(place) or place.min() < 0:
        return VisitedTree(tree, turns)
    finder = _VisitFinder(
        rows=rows,
        place=place,
        leaves=tree.leaves,
        guard=guard,
        holds=holds,
        turns=turns,
        several=several,
    )
    body = finder.body(tree.body)
    blocks = tuple(finder.body(block) for block in tree.blocks)
    uneven = tuple(dict.fromkeys(finder.uneven))
    return VisitedTree(replace(tree, body=body, blocks=blocks), turns, uneven)


FirstRow = tuple[int, Bools, int]
"""A leaf, the ranks whose first call in a body it is, and how often it runs there."""


@dataclass(slots=True)
class _VisitFinder:
    rows: CallTable
    place: Ints
    leaves: int
    guard: Ints
    holds: Sequence[Bools]
    turns: Bools
    several: Set[int]
    uneven: list[int] = field(default_factory=list)
    _order: Ints = field(init=False)
    _bounds: Ints = field(init=False)
    _rank: Ints = field(init=False)
    _one: Bools = field(init=False)

    def __post_init__(self) -> None:
        """Sort the rows by leaf: a rank's follow each other in the order they ran."""
        self._order, self._bounds = counting_sort(self.place, self.leaves)
        self._rank = self.rows.rank
        least = np.full(self.leaves, np.iinfo(np.int64).max)
        most = np.full(self.leaves, -1)
        np.minimum.at(least, self.place, self.rows.path)
        np.maximum.at(most, self.place, self.rows.path)
        self._one = least == most

    def body(self, body: TreeBody) -> TreeBody:
        """Enter the loops of a body, inner ones first."""
        return tuple(self._node(node) for node in body)

    def _node(self, node: TreeNode) -> TreeNode:
        if isinstance(node, Leaf | BlockUse):
            return node
        if isinstance(node, EachOf | IterationPart):
            return replace(node, body=self.body(node.body))
        loops = self._loops(node) if node.is_fixed else []
        *outer, (count, kept) = loops or [(node.count, UNKNOWN_LEVELS)]
        made = replace(node, count=count, body=self.body(node.body), kept=kept)
        for count, kept in reversed(outer):
            made = Repeat(count, (made,), kept=kept)
        return made

    def _loops(self, node: Repeat) -> list[tuple[int, int]]:
        """Split a loop by visits: counts of nested loops, and what stays open in each.

        Only the calls that a turn may begin with matter, one for each rank. All of
        them together tell how many levels stay open before each turn, at least and at
        most; `_loop_factors` reads the loops off that. Empty if nothing is known of it.
        """
        firsts = self._firsts(node.body, np.ones(len(self.rows.offsets) - 1, bool))
        if not firsts or not all(self._one[place] for place, *_ in firsts):
            return []
        least, most = np.full(node.count, _MAX_LEVELS), np.full(node.count, -1)
        further: list[Ints] = []
        begins: list[_Begins] = []
        for place, ranks, times in firsts:
            row, turn = self._begins(place, ranks, times)
            turn %= node.count
            further.append(row[turn > 0])
            kept = self.rows.kept[row].astype(np.int64)
            path = int(self.rows.path[self._order[self._bounds[place]]])
            begins.append((turn, kept, self.rows.paths.regions(path)))
            open_ = np.minimum(kept, self._level(row))
            np.minimum.at(least, turn, open_)
            np.maximum.at(most, turn, open_)
        if node.count < 2 or most[1:].min() < 0:
            return []
        self.turns[np.concatenate(further)] = True
        result = _loop_factors(least, most)
        if len(result) > 1 and (node.over or node.sized):
            result = [(node.count, int(most[1:].max()))]
            least = np.append(0, np.full(node.count - 1, least[1:].min()))
        inner, stays = result[-1]
        low = int(least.reshape(-1, inner)[:, 1:].min(initial=stays))
        own = [(turn % inner, kept, regions) for turn, kept, regions in begins]
        for level in range(low + 1, stays + 1):
            self.uneven += _uneven_visits(level, own)
        return result

    def _begins(self, place: int, ranks: Bools, times: int) -> tuple[Ints, Ints]:
        """Rows of some ranks with which the body of a loop begins, and their number.

        Parameters
        ----------
        times
            How often the leaf runs in the body.
        """
        row = self._order[self._bounds[place] : self._bounds[place + 1]]
        rank = self._rank[row]
        so_far = index_in_run(np.bincount(rank))
        begins = ranks[rank] & (so_far % times == 0)
        return row[begins], so_far[begins] // times

    def _level(self, row: Ints) -> Ints:
        level: Ints = self.rows.paths.level[self.rows.path[row]]
        return level

    def _firsts(self, body: TreeBody, left: Bools) -> list[FirstRow] | None:
        """Find the first call of each rank in a body; None where unknown."""
        result: list[FirstRow] = []
        for node in body:
            if isinstance(node, Leaf):
                own = left & self._ranks(int(self.guard[node.symbols[0]]))
                some: list[FirstRow] | None = (
                    [(node.place, own, 1)] if own.any() else []
                )
                if some and node.place in self.several:
                    some = None
            elif isinstance(node, EachOf):
                some = self._firsts(node.body, left)
            elif isinstance(node, Repeat) and node.is_fixed:
                inner = self._firsts(node.body, left)
                some = inner and [(p, own, n * node.count) for p, own, n in inner]
            else:
                some = None
            if some is None:
                return None
            result += some
            for _, own, _ in some:
                left = left & ~own
            if not left.any():
                break
        return result

    def _ranks(self, guard: int) -> Bools:
        every = np.ones(len(self.rows.offsets) - 1, bool)
        return every if guard < 0 else self.holds[guard]


def _uneven_visits(level: int, begins: list[_Begins]) -> Iterator[int]:
    """Yield the function at a level if some turns enter it anew, others not."""
    deep = [own for own in begins if len(own[2]) >= level]
    if any(((turn > 0) & (kept < level)).any() for turn, kept, _ in deep):
        yield deep[0][2][level - 1]


def _loop_factors(least: Ints, most: Ints) -> list[tuple[int, int]]:
    """Write the turns of a loop as loops in each other, by what stays open before each.

    Parameters
    ----------
    least, most : int64, shape (turns,)
        Levels that stay open before each turn; the first number says nothing.

    Returns
    -------
    list of (turns, levels)
        The outermost first. Of the innermost some turns may enter functions anew, and
        others not, without a rule; then it is what stays open at most.
    """
    count = len(most)
    low = int(least[1:].min(initial=_MAX_LEVELS))
    anew = np.flatnonzero(most[1:] == low) + 1
    if len(anew) == count - 1:
        return [(count, low)]
    every = int(anew[0]) if len(anew) else count
    is_rule = np.array_equal(anew, np.arange(every, count, every))
    is_rule &= count % every == 0 and len(anew) == np.sum(least[1:] == low)
    if not is_rule or every == count:
        return [(count, int(most[1:].max()))]
    inner = least.reshape(-1, every).min(axis=0), most.reshape(-1, every).max(axis=0)
    return [(count // every, low), *_loop_factors(*inner)]
