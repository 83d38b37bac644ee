"""Alignment against the longest common subsequence by dynamic programming."""

from itertools import pairwise

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topoview.logical.loops.alignment import align

SEQUENCE = st.lists(st.integers(0, 3), max_size=14)


def longest(a: list[int], b: list[int]) -> int:
    """Length of a longest common subsequence: a longest path in the match graph."""
    graph = nx.DiGraph()
    graph.add_node("begin")
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            if x == y:
                graph.add_edge("begin", (i, j))
                for before in list(graph.nodes):
                    if before != "begin" and before[0] < i and before[1] < j:
                        graph.add_edge(before, (i, j))
    return nx.dag_longest_path_length(graph)


@given(SEQUENCE, SEQUENCE)
def test_finds_a_longest_common_subsequence(a: list[int], b: list[int]) -> None:
    partner = align(np.array(a, np.int64), np.array(b, np.int64), 40)
    check(a, b, partner)
    assert np.sum(partner >= 0) == longest(a, b)


@given(SEQUENCE, SEQUENCE, st.integers(1, 5))
def test_little_look_ahead_gives_a_common_subsequence(
    a: list[int], b: list[int], limit: int
) -> None:
    check(a, b, align(np.array(a, np.int64), np.array(b, np.int64), limit))


def check(a: list[int], b: list[int], partner: np.ndarray) -> None:
    places = [(i, int(j)) for i, j in enumerate(partner) if j >= 0]
    assert all(a[i] == b[j] for i, j in places)
    assert all(x[1] < y[1] for x, y in pairwise(places))
