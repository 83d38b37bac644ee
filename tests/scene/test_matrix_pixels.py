"""The matrix' pixels against sums over a dense matrix."""

import numpy as np
import traces
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from topoview.model import Ints
from topoview.scene.flat.matrix_pixels import (
    ABSENT,
    MatrixExtract,
    MatrixOrder,
    cell_pixels,
    edge_matrix,
    extract_cells,
    order_matrix,
    possible_matrix_orders,
    stored_cells,
)
from topoview.scene.flat.timeline_pixels import packed_colour
from topoview.scene.palette import THEMES


def permuted(ranks: Ints) -> MatrixOrder:
    place = np.empty(len(ranks), np.int32)
    place[ranks] = np.arange(len(ranks))
    return MatrixOrder(ranks.astype(np.int32), place, np.zeros(1, np.int64))


@given(data=st.data())
def test_bins_are_sums_of_what_they_cover(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 20))
    dense = np.array(
        data.draw(
            st.lists(
                st.lists(
                    st.sampled_from([-1, 0, 1, 5, 900]), min_size=count, max_size=count
                ),
                min_size=count,
                max_size=count,
            )
        )
    )
    there = np.argwhere(dense >= 0)
    numbers = csr_array(
        (dense[dense >= 0], (there[:, 0], there[:, 1])), shape=(count, count)
    )
    order = np.array(data.draw(st.permutations(range(count))))
    left, top = (data.draw(st.integers(0, count - 1)) for _ in range(2))
    wide = data.draw(st.integers(1, count))
    lines = data.draw(st.integers(1, 25))
    found = extract_cells(
        numbers, permuted(order), MatrixExtract(left, top, wide), lines
    )
    side = min(lines, wide)
    assert found.exact == (wide <= lines)
    expected = np.full((side, side), ABSENT)
    for row in range(top, min(top + wide, count)):
        for column in range(left, min(left + wide, count)):
            value = dense[order[row], order[column]]
            if value >= 0:
                y, x = (row - top) * side // wide, (column - left) * side // wide
                expected[y, x] = max(expected[y, x], 0) + value
    np.testing.assert_array_equal(found.values, expected)
    seen = stored_cells(numbers, permuted(order), MatrixExtract(left, top, wide), lines)
    np.testing.assert_array_equal(seen, expected != ABSENT)


def test_colours_tell_the_least_the_greatest_and_nothing() -> None:
    dense = np.array([[0, 1, 0], [10, 0, 0], [0, 0, 100]])
    order = permuted(np.arange(3))
    found = extract_cells(csr_array(dense), order, MatrixExtract(0, 0, 3), 50)
    for theme in THEMES.values():
        shown = cell_pixels(found, theme)
        assert shown[0, 0] == packed_colour(theme.panel)
        assert len({int(shown[0, 1]), int(shown[1, 0]), int(shown[2, 2])}) == 3
        faint = cell_pixels(found, theme, dense == 10)
        assert faint[1, 0] == shown[1, 0]
        assert faint[2, 2] != shown[2, 2]


def test_pairs_beyond_the_topology_are_marked_where_they_communicate() -> None:
    dense = np.array([[0, 1, 1], [1, 0, 0], [0, 0, 0]])
    extra = edge_matrix(np.array([[0, 2], [1, 2], [-1, 0]], np.int32), 3)
    order = permuted(np.array([2, 0, 1]))
    found = extract_cells(csr_array(dense), order, MatrixExtract(0, 0, 3), 50, extra)
    np.testing.assert_array_equal(np.argwhere(found.marked), [[1, 0]])


def test_ranks_in_order_of_place_are_row_major() -> None:
    known = traces.analysed(traces.simulated("torus", (4, 3), numbering=1))
    assert known.identification is not None
    match = known.identification.best
    assert possible_matrix_orders(known.trace, match)[:2] == ("rank", "place")
    order = order_matrix("place", known.trace, match)
    places = [tuple(match.coordinates[rank][::-1]) for rank in order.ranks]
    assert places == sorted(places)
    np.testing.assert_array_equal(order.ranks[order.place], np.arange(12))
    assert order_matrix("node", known.trace, None).ranks.tolist() == list(range(12))
