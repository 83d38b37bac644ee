"""Joining what has one condition: no rank does anything else than before."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topoview.logical.loops.reordering import join_across
from topoview.logical.loops.tree import (
    BlockUse,
    IterationPart,
    Leaf,
    Repeat,
    Tree,
    TreeBody,
)
from topoview.model import Guard

RANKS = 4
GUARDS = tuple(
    Guard(str(ranks), np.array(ranks, np.int32))
    for ranks in ([0, 1], [2, 3], [1, 2], [3], [0, 2])
)
SYMBOLS = 2 * (len(GUARDS) + 1)
GUARD_OF = np.arange(SYMBOLS) % (len(GUARDS) + 1) - 1

leaf = st.integers(0, SYMBOLS - 1)
node = st.recursive(
    leaf,
    lambda inner: (
        st.tuples(
            st.sampled_from(("repeat", "varies", "part")), st.lists(inner, min_size=1)
        )
        | st.just("use")
    ),
    max_leaves=12,
)


class Maker:
    """Makes trees; each part and loop with trips has a table of its own."""

    def __init__(self) -> None:
        self.leaves = 0
        self.trips: list[np.ndarray] = []
        self.patterns: list[np.ndarray] = []

    def body(self, nodes: list[object]) -> TreeBody:
        return tuple(self.node(each) for each in nodes)

    def node(self, each: object) -> Leaf | Repeat | IterationPart | BlockUse:
        if each == "use":
            return BlockUse(0)
        if isinstance(each, int):
            self.leaves += 1
            return Leaf(self.leaves - 1, (each,))
        assert isinstance(each, tuple)
        kind, inner = each
        if kind == "repeat":
            return Repeat(2, self.body(inner))
        if kind == "varies":
            self.trips.append(np.array([2, 1, 3]))
            return Repeat(3, self.body(inner), trips=len(self.trips) - 1)
        self.patterns.append(np.array([True, False]))
        return IterationPart(len(self.patterns) - 1, self.body(inner))


def of_rank(symbols: np.ndarray, rank: int) -> list[int]:
    return [
        int(symbol)
        for symbol in symbols
        if GUARD_OF[symbol] < 0 or rank in GUARDS[GUARD_OF[symbol]].ranks
    ]


@given(st.lists(node, max_size=12), st.lists(leaf, min_size=1, max_size=4))
def test_no_rank_does_anything_else(body: list[object], block: list[object]) -> None:
    maker = Maker()
    own, used = maker.body(body), maker.body(block)
    tree = Tree(
        own, (used,), tuple(maker.trips), tuple(maker.patterns), leaves=maker.leaves
    )
    joined, numbers = join_across(tree, GUARD_OF, GUARDS)
    assert sorted(numbers) == list(range(maker.leaves))
    before, after = tree.expand(), joined.expand()
    for rank in range(RANKS):
        assert of_rank(before[:, 1], rank) == of_rank(after[:, 1], rank)
    symbol_of = dict(zip(after[:, 0].tolist(), after[:, 1].tolist(), strict=True))
    for place, symbol in before.tolist():
        assert symbol_of[int(numbers[place])] == symbol


def test_halves_of_a_pairwise_exchange_come_together() -> None:
    """Even ranks send, then receive; odd ones do so the other way round."""
    evens = Guard("x even", np.array([0, 2], np.int32))
    odds = Guard("x odd", np.array([1, 3], np.int32))
    tree = Tree(tuple(Leaf(k, (k,)) for k in range(4)), leaves=4)
    joined, numbers = join_across(tree, np.array([0, 1, 0, 1]), (evens, odds))
    assert [node.symbols for node in joined.body if isinstance(node, Leaf)] == [
        (0,),
        (2,),
        (1,),
        (3,),
    ]
    assert numbers.tolist() == [0, 2, 1, 3]
