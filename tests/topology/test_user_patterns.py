"""Users' patterns: found again, in other sizes too; hostile files are told."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import graph_of_edges, matrix_of, pairs_of

from topoview.errors import PatternError
from topoview.topology import identify, lattice
from topoview.topology.patterns.patterns import (
    load_pattern,
    save_pattern,
    saved_patterns,
)
from topoview.topology.patterns.rules import evaluate, topologies

KNIGHT = """
name = "knight's move"
offsets = [[1, 2], [2, 1], [1, -2], [2, -1]]
periodic = true
"""

WHEEL = """
name = "wheel"
partners = ["rank % (n - 1) + 1 if rank > 0 else -1", "0 if rank > 0 else -1"]
"""

GEAR = """
name = "gear"
ranks = "2 * k + 1"
partners = [
  "2 * k if rank < 2 * k and rank % 2 == 0 else -1",
  "(rank + 1) % (2 * k) if rank < 2 * k else -1",
]
[parameters]
k = [3, 100]
"""


def written(folder: Path, text: str, name: str = "pattern.toml") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def found(file: Path, n: int, edges: object, seed: int | None = 1) -> str:
    """Name of what is found with a pattern; its edges are verified."""
    ends = np.asarray(edges)
    if seed is not None:
        ends = np.random.default_rng(seed).permutation(n)[ends]
    matrix = matrix_of(n, ends)
    best = identify(matrix, patterns=[load_pattern(file)]).best
    if not best.missing and not best.extra:
        assert {tuple(e) for e in best.rank_edges.tolist()} == pairs_of(matrix)
    return best.topology.name if best.topology.kind == "user" else ""


@pytest.mark.parametrize("dims", [(7, 6), (8, 5), (9, 9)])
def test_a_lattice_is_found_in_all_sizes(tmp_path: Path, dims: tuple[int, int]) -> None:
    offsets = ((1, 2), (2, 1), (1, -2), (2, -1))
    truth = lattice(dims, (True, True), offsets)
    file = written(tmp_path, KNIGHT)
    n = truth.vertices
    assert found(file, n, truth.edges) == "knight's move"
    assert found(file, n, truth.edges, seed=None) == "knight's move"
    assert found(file, n, lattice(dims, (True, False)).edges) == ""


@pytest.mark.parametrize("n", [6, 9, 30])
def test_rules_of_rank_and_size(tmp_path: Path, n: int) -> None:
    file = written(tmp_path, WHEEL)
    assert found(file, n, list(nx.wheel_graph(n).edges)) == "wheel"


@pytest.mark.parametrize("k", [3, 7])
def test_parameters_give_the_sizes(tmp_path: Path, k: int) -> None:
    rim = nx.cycle_graph(2 * k)
    rim.add_edges_from((2 * k, i) for i in range(0, 2 * k, 2))
    file = written(tmp_path, GEAR)
    assert found(file, 2 * k + 1, list(rim.edges)) == "gear"
    made = list(topologies({**_toml(GEAR)}, "gear", 2 * k + 1))
    assert nx.is_isomorphic(graph_of_edges(2 * k + 1, made[0].edges), rim)
    assert not list(topologies({**_toml(GEAR)}, "gear", 2 * k))


def _toml(text: str) -> dict:
    import tomllib

    return tomllib.loads(text)


def test_a_python_function(tmp_path: Path) -> None:
    text = """
print("said on the way")

def edges(ranks):
    if ranks % 2:
        return None
    half = ranks // 2
    ring = [(i, (i + 1) % half) for i in range(half)]
    return ring + [(i, i + half) for i in range(half)]
"""
    file = written(tmp_path, text, "sun_let.py")
    sun = nx.cycle_graph(9)
    sun.add_edges_from((i, i + 9) for i in range(9))
    assert found(file, 18, list(sun.edges)) == "sun let"
    assert found(file, 9, list(nx.wheel_graph(9).edges)) == ""


def test_remembered_and_found_again(tmp_path: Path) -> None:
    graph = nx.petersen_graph()
    unknown = identify(matrix_of(10, list(graph.edges))).best
    assert unknown.topology.kind == "unknown"
    file = save_pattern(unknown, "my own / graph", tmp_path)
    patterns, warnings = saved_patterns(tmp_path)
    assert [p.name for p in patterns] == ["my own / graph"]
    assert not warnings
    assert found(file, 10, list(graph.edges)) == "my own / graph"
    (tmp_path / "broken.toml").write_text("name = ")
    patterns, warnings = saved_patterns(tmp_path)
    assert len(patterns) == 1
    assert "broken.toml" in warnings[0]


def test_a_remembered_lattice_is_found_in_other_sizes(tmp_path: Path) -> None:
    small = lattice((6, 5), (True, True))
    match = identify(matrix_of(30, small.edges)).best
    file = save_pattern(match, "torus", tmp_path)
    assert found(file, 63, lattice((9, 7), (True, True)).edges) == "torus"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name = ", "TOML"),
        ("name = 3\noffsets = [[1]]", "name"),
        ("x = 1", "'x'"),
        ("", "offsets, partners and edges"),
        ("offsets = []", "offsets"),
        ("offsets = [[1, 0], [1]]", "one length"),
        ("offsets = [[0, 0]]", "nowhere"),
        ("offsets = [[1.5]]", "whole numbers"),
        ("offsets = [[1]]\nperiodic = [true, true]", "periodic"),
        ('partners = [\'__import__("os").system("true")\']', "not understood"),
        ("partners = ['rank.real']", "not understood"),
        ("partners = ['other + 1']", "'other'"),
        ("partners = ['rank /']", "no expression"),
        ("partners = ['rank / 2']", "//"),
        ("partners = ['rank % 0']", "zero"),
        ("partners = ['2 ** 2000']", "raises"),
        ("partners = ['" + "(" * 400 + "']", "expression"),
        ("partners = [3]", "in quotes"),
        ("edges = [[0, 1, 2]]", "two ranks"),
        ("edges = [[0, -1]]", "rank"),
        ("edges = [['a', 'b']]", "whole numbers"),
        ("edges = 7", "pairs"),
        ("partners = ['rank+a+b']\n[parameters]\na = [1, 9]\nb = [9, 1]", "values"),
        ("partners = ['rank']\nparameters = 3", "parameters"),
    ],
)
def test_hostile_toml_is_told(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(PatternError, match=f"pattern.toml: .*{told}"):
        load_pattern(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def edges(", "line 1"),
        ("x = 1", "edges"),
        ("def edges(ranks):\n    return 1 / 0", "line 2.*ZeroDivision"),
        ("def edges(ranks):\n    return [(0, ranks)]", "outside"),
        ("def edges(ranks):\n    return [(0.5, 1)]", "whole numbers"),
        ("def edges(ranks):\n    return [(0, 1, 2)]", "pairs"),
        ("import os\nos._exit(7)", "status 7"),
        ("import sys\nsys.exit(0)", "pairs|status|edges"),
    ],
)
def test_hostile_python_is_told(tmp_path: Path, text: str, told: str) -> None:
    pattern = load_pattern(written(tmp_path, text, "pattern.py"))
    if "sys.exit(0)" in text:  # gives no pairs
        assert list(pattern.topologies(5)) == []
        return
    with pytest.raises(PatternError, match=f"pattern.py.*{told}"):
        list(pattern.topologies(5))


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    for name in ("none.toml", "none.py"):
        with pytest.raises(PatternError, match=name):
            load_pattern(tmp_path / name)
    with pytest.raises(PatternError):
        load_pattern(tmp_path)


@given(
    st.recursive(
        st.sampled_from(["rank", "n", "3", "7", "0"]),
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from("+-*&|^"), inner).map(
                lambda t: f"({t[0]} {t[1]} {t[2]})"
            ),
            st.tuples(inner, inner).map(lambda t: f"({t[0]} // ({t[1]} * 2 + 1))"),
            st.tuples(inner, inner).map(lambda t: f"({t[0]} % ({t[1]} * 2 + 1))"),
            st.tuples(inner, inner, inner).map(
                lambda t: f"({t[0]} if {t[1]} < {t[2]} else -{t[0]})"
            ),
            st.tuples(inner, inner).map(lambda t: f"abs({t[0]} - {t[1]})"),
        ),
        max_leaves=8,
    ),
    st.integers(1, 30),
)
def test_expressions_have_pythons_values(text: str, n: int) -> None:
    ours = np.broadcast_to(evaluate(text, {"rank": np.arange(n), "n": n}), (n,))
    for rank in range(n):
        python = eval(text, {"abs": abs}, {"rank": rank, "n": n})
        assert int(ours[rank]) == python or abs(python) > 2**62
