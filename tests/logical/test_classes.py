"""Classes of ranks against their definition, rank by rank."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topoview.logical.calls.call_table import CallTable, RowSymbols
from topoview.logical.functions.call_paths import CallPaths
from topoview.logical.merge.classes import RankClasses, compare_ranks, joined_ranks
from topoview.model import SideTable

NONE = np.zeros(0, np.int64)
ROOT = CallPaths(np.array([-1]), np.array([-1]), np.zeros(1, np.int64))
SYMBOLS = RowSymbols(*np.tile(np.arange(3), (6, 1)))

Row = tuple[int, int, int, int, int]
Rows = list[Row]
Pairs = set[tuple[int, int]]

few = st.integers(-1, 2)
rows_of_a_rank = st.lists(
    st.tuples(st.integers(0, 2), few, few, st.integers(-1, 4), st.integers(-1, 4)),
    max_size=3,
)


@st.composite
def ranks_alike(draw: st.DrawFn) -> list[Rows]:
    """Rows of five ranks: some repeat another's, their partners renamed."""
    ranks = [draw(rows_of_a_rank) for _ in range(2)]
    while len(ranks) < 5:
        of = draw(st.sampled_from(ranks))
        renamed = [*draw(st.permutations(range(5))), -1]
        ranks.append([(*row[:3], renamed[row[3]], renamed[row[4]]) for row in of])
    return ranks


def table_of(ranks: list[Rows], first: int = 0) -> CallTable:
    columns = np.array([row for own in ranks for row in own], np.int64).reshape(-1, 5)
    symbol, size, source_size, receiver, sender = np.ascontiguousarray(columns.T)
    none = np.zeros(len(columns), np.int64)
    return CallTable(
        first=first,
        offsets=np.cumsum([0, *map(len, ranks)]),
        call=np.arange(len(columns)),
        symbol=symbol,
        size=size,
        source_size=source_size,
        receiver=receiver,
        sender=sender,
        paths=ROOT,
        path=none,
        kept=none.astype(np.uint8),
        symbols=SYMBOLS,
        names=[],
        families=[],
        polled=NONE.reshape(0, 2),
        null=0,
        calls=len(columns),
    )


def in_own_words(rank: int, rows: Rows, near: Pairs) -> list[tuple[object, ...]]:
    """Tell what a rank does, its partners numbered as it meets them."""
    known = {-1: (-1, False)}
    for row in rows:
        for partner in row[3:]:
            known.setdefault(partner, (len(known), (rank, partner) in near))
    return [(*row[:3], known[row[3]], known[row[4]]) for row in rows]


@given(
    ranks_alike(), st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4))), st.data()
)
def test_ranks_of_a_class_do_the_same_but_for_their_partners(
    ranks: list[Rows], near: Pairs, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, 5))
    rows = [table_of(ranks[:cut]), table_of(ranks[cut:], cut)]
    pairs = np.array([5 * one + other for one, other in sorted(near)], np.int64)
    compared = compare_ranks(rows, 5, pairs)
    parts = joined_ranks([compare_ranks([one], 5, pairs) for one in rows])
    for name in ("key", "first", "leads"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(compared, name))
    for name in ("offsets", "call", "symbol", "receiver", "sender"):
        one, other = (getattr(found.examples, name) for found in (parts, compared))
        np.testing.assert_array_equal(one, other)
    found = compared.classes()
    words = [in_own_words(rank, own, near) for rank, own in enumerate(ranks)]
    for one in range(5):
        for other in range(5):
            assert (found.of[one] == found.of[other]) == (words[one] == words[other])
    firsts = [words.index(words[rank]) for rank in range(5)]
    assert found.first[found.of].tolist() == firsts
    assert found.first.tolist() == sorted(set(firsts))
    assert found.members.tolist() == [firsts.count(one) for one in found.first]


@given(ranks_alike(), st.sets(st.integers(0, 4)))
def test_what_holds_for_examples_is_spread_over_their_classes(
    ranks: list[Rows], some: set[int]
) -> None:
    rows = table_of(ranks)
    compared = compare_ranks([rows], 5, NONE)
    found, examples = compared.classes(), compared.examples
    assert np.array_equal(examples.symbol[found.rows_of(rows, examples)], rows.symbol)
    own = [row for rank in found.first.tolist() for row in ranks[rank]]
    assert [
        tuple(row)
        for row in np.stack(
            [
                examples.symbol,
                examples.size,
                examples.source_size,
                examples.receiver,
                examples.sender,
            ],
            1,
        ).tolist()
    ] == own
    classes = np.array([c for c in some if c < len(found)], np.int64)
    assert found.ranks(classes).tolist() == [
        rank for rank in range(5) if found.of[rank] in classes
    ]


@given(st.lists(st.integers(0, 2), min_size=1, max_size=6), st.data())
def test_cells_of_examples_are_those_of_their_classes(
    of: list[int], data: st.DataObject
) -> None:
    class_of = np.unique(of, return_inverse=True)[1]
    classes = int(class_of.max()) + 1
    cells = [
        data.draw(st.lists(st.integers(0, 9), max_size=3)) for _ in range(2 * classes)
    ]
    told = SideTable(
        np.arange(2, dtype=np.int32),
        np.zeros(2, bool),
        np.cumsum([0, *map(len, cells)]),
        np.array([value for cell in cells for value in cell], np.int64),
    )
    first = np.unique(class_of, return_index=True)[1]
    found = RankClasses(class_of, first, np.bincount(class_of))
    spread = found.spread_table(told)
    for column in range(2):
        for rank, own in enumerate(class_of.tolist()):
            begin, end = spread.offsets[column * len(of) + rank :][:2]
            assert spread.values[begin:end].tolist() == cells[column * classes + own]
