"""The communication matrix counts each message once, at its sender."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import matrix_of
from scipy.sparse import coo_array, csr_array

from topoview.model import CommunicationMatrix, Messages
from topoview.topology import communication_matrix
from topoview.topology.identification.traffic import levels, pair_traffic


class _Trace:
    """As much of a trace as the matrix reads."""

    def __init__(self, ranks: int, sent: list[tuple[int, int, int]]) -> None:
        table = np.array(sent, np.int64).reshape(-1, 3)
        nothing = np.zeros(len(table), np.int64)
        few = nothing.astype(np.int32)
        self.ranks = ranks
        self.messages = Messages(
            table[:, 0].astype(np.int32), table[:, 1].astype(np.int32), table[:, 2],
            few, few, *(nothing for _ in range(6)),
        )  # fmt: skip


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(-1, 6), st.integers(0, 3)), max_size=40
    )
)
def test_counts(sent: list[tuple[int, int, int]]) -> None:
    matrix = communication_matrix(_Trace(6, sent))
    calls, volume = np.zeros((6, 6)), np.zeros((6, 6))
    for sender, receiver, size in sent:
        if 0 <= receiver < 6:
            calls[sender, receiver] += 1
            volume[sender, receiver] += size
    assert np.array_equal(matrix.calls.toarray(), calls)
    assert np.array_equal(matrix.volume.toarray(), volume)
    assert np.array_equal(matrix.calls.indices, matrix.volume.indices)
    traffic = pair_traffic(matrix)
    for (u, v), count, size in zip(
        traffic.pairs.tolist(), traffic.calls, traffic.volume, strict=True
    ):
        assert u < v
        assert count == calls[u, v] + calls[v, u]
        assert size == volume[u, v] + volume[v, u]
    assert traffic.calls.sum() + traffic.own_calls == calls.sum()
    assert traffic.volume.sum() + traffic.own_volume == volume.sum()


def test_levels_are_cut_at_gaps_of_three() -> None:
    volume = [100, 90, 31, 30, 10, 4, 0]
    edges = [(0, v) for v in range(1, 8)]
    traffic = pair_traffic(matrix_of(8, edges, np.array(volume) // 1))
    found = levels(traffic)
    # 90 to 31 and 10 to 4 are no gaps; 30 to 10 and 4 to nothing (a byte) are
    assert [int(level.seen.sum()) for level in found] == [7, 6, 4]
    assert [level.number for level in found] == [0, 1, 2]
    assert [level.least for level in found] == [1, 8, 60]
    assert [level.gap for level in found] == [1.0, 8.0, 3.0]


def test_a_threshold_is_the_only_cut() -> None:
    edges = [(0, v) for v in range(1, 8)]
    traffic = pair_traffic(matrix_of(8, edges, [100, 90, 31, 30, 10, 5, 4]))
    (level,) = levels(traffic, threshold=0.05)
    assert level.number == 1
    assert level.seen.tolist() == [True] * 6 + [False]
    (everything,) = levels(traffic, threshold=0.01)
    assert everything.number == 0
    assert everything.seen.all()


@pytest.mark.parametrize("seed", range(6))
def test_pairs_are_the_sums_of_both_directions(seed: int) -> None:
    """Rows may be in any order, and hold a pair twice."""
    rng = np.random.default_rng(seed)
    ranks, many = 9, (0, 1, 20, 60, 60, 200)[seed]
    ends = rng.integers(ranks, size=(2, many))
    calls, volume = rng.integers(1, 9, many), rng.integers(9, size=many)
    shape = ranks, ranks
    if seed % 2:
        order = np.lexsort((-ends[1], ends[0]))  # descending within rows
        begins = np.searchsorted(ends[0][order], np.arange(ranks + 1))
        rows = [
            csr_array((one[order], ends[1][order], begins), shape=shape)
            for one in (calls, volume)
        ]
    else:
        rows = [
            coo_array((one, tuple(ends)), shape=shape).tocsr()
            for one in (calls, volume)
        ]
    told = pair_traffic(CommunicationMatrix.of_sparse(*rows))
    wanted: dict[tuple[int, int], list[int]] = {}
    own = [0, 0]
    for u, v, n, size in zip(
        *ends.tolist(), calls.tolist(), volume.tolist(), strict=True
    ):
        sums = own if u == v else wanted.setdefault((min(u, v), max(u, v)), [0, 0])
        sums[0] += n
        sums[1] += size
    assert told.pairs.tolist() == [list(pair) for pair in sorted(wanted)]
    assert np.column_stack((told.calls, told.volume)).tolist() == [
        wanted[pair] for pair in sorted(wanted)
    ]
    assert [told.own_calls, told.own_volume] == own
