"""What the paper shows: its Table 7, its small tables and its renumbered grids.

Xu, Prithivathi, Subhlok, Zheng, 2008, "Logicalization of MPI communication
traces". Its library: grids and tori of any dimension, square 6-point stencils,
8-point stencils, all-to-all, binary tree, the CG stencil.
"""

from collections.abc import Iterator

import numpy as np
import pytest
from matrices import matrix_of

from topoview.model import Ints, Topology
from topoview.topology import cg, complete_tree, identify, lattice
from topoview.topology.graph.graph import Graph, graph_of, unique_edges
from topoview.topology.graph.isomorphism import isomorphism
from topoview.topology.kinds.complete import complete
from topoview.topology.lattices.lattice import STENCILS, divisions
from topoview.topology.members import degrees_of


def bt(ranks: int) -> Ints:
    """Partners of BT and SP: x, y and z of cells that lie on diagonals."""
    side = round(ranks**0.5)
    rank = np.arange(ranks)
    column, row = rank % side, rank // side
    there = [
        (column + 1) % side + side * row,
        column + side * ((row + 1) % side),
        (column - 1) % side + side * ((row + 1) % side),
    ]
    return unique_edges(ranks, np.tile(rank, 3), np.concatenate(there))


def lu(ranks: int) -> Ints:
    """Partners of LU: a grid as square as a power of two can be."""
    rows = 2 ** ((ranks.bit_length() - 1) // 2)
    return lattice((ranks // rows, rows), (False, False)).edges


def mg(ranks: int) -> Ints:
    """Partners of MG on its finest grid: a torus as cubic as can be."""
    bits = ranks.bit_length() - 1
    x, y = bits // 3, (bits - bits // 3) // 2
    dims = (2**x, 2**y, 2 ** (bits - x - y))
    return lattice(dims, (True,) * 3).edges


PROGRAMS = {"BT": bt, "LU": lu, "CG": lambda n: cg(n).edges, "MG": mg}


def library(n: int) -> Iterator[tuple[str, Topology]]:
    """List the paper's library."""
    six, eight = STENCILS["6-point"](2), STENCILS["box"](2)
    for dims in divisions(n):
        shape, d = "x".join(map(str, dims)), len(dims)
        yield f"{shape} grid", lattice(dims, (False,) * d)
        if max(dims) > 2:
            yield f"{shape} torus", lattice(dims, (True,) * d)
        if d == 2 and dims[0] == dims[1] > 2:
            yield f"{shape} 6-point", lattice(dims, (True,) * 2, six)
        if d == 2 and min(dims) > 2:
            yield f"{shape} 8-point", lattice(dims, (False,) * 2, eight)
    yield "all-to-all", complete(n)
    yield "binary tree", complete_tree(n, 2)
    if n & (n - 1) == 0:
        yield "CG", cg(n)


def spectrum(n: int, edges: Ints) -> np.ndarray:
    full = np.zeros((n, n))
    full[edges[:, 0], edges[:, 1]] = 1
    return np.linalg.eigvalsh(full + full.T)


def columns(n: int, edges: Ints) -> tuple[set[str], set[str], set[str]]:
    """Candidates by size and degrees, by spectrum, by isomorphism."""
    seen = graph_of(n, np.asarray(edges, np.int32))
    by_size, by_spectrum, by_isomorphism = set(), set(), set()
    for name, topology in library(n):
        made: Graph = graph_of(n, topology.edges)
        if degrees_of(made) != degrees_of(seen):
            continue
        by_size.add(name)
        if np.allclose(spectrum(n, topology.edges), spectrum(n, edges), atol=1e-6):
            by_spectrum.add(name)
        if isomorphism(seen, made) is not None:
            by_isomorphism.add(name)
    return by_size, by_spectrum, by_isomorphism


def names(text: str) -> set[str]:
    return {name.strip() for name in text.split(",") if name.strip()}


SIXTY_FOUR = "2x2x2x2x2x2 grid, 4x2x2x2x2 torus, 4x4x2x2 torus, 4x4x4 torus"

TABLE_7 = [
    ("BT", 9, "3x3 6-point", ""),
    ("BT", 16, "4x4 6-point", ""),
    ("BT", 36, "3x3x2x2 torus, 4x3x3 torus, 6x6 6-point", "6x6 6-point"),
    ("BT", 64, f"{SIXTY_FOUR}, 8x8 6-point", "8x8 6-point"),
    ("BT", 121, "11x11 6-point", ""),
    ("LU", 8, "4x2 grid, CG", ""),
    ("LU", 16, "4x4 grid", ""),
    ("LU", 32, "8x4 grid", ""),
    ("LU", 64, "8x8 grid", ""),
    ("LU", 128, "16x8 grid", ""),
    ("CG", 8, "4x2 grid, CG", ""),
    ("CG", 16, "8x2 grid, CG", "CG"),
    ("CG", 32, "8x2x2 grid, CG", "CG"),
    ("CG", 64, "16x2x2 grid, CG", "CG"),
    ("CG", 128, "16x2x2x2 grid, CG", "CG"),
    ("MG", 8, "2x2x2 grid, 4x2 torus", ""),
    ("MG", 16, "2x2x2x2 grid, 4x2x2 torus, 4x4 torus", ""),
    ("MG", 32, "2x2x2x2x2 grid, 4x2x2x2 torus, 4x4x2 torus", ""),
    ("MG", 64, f"{SIXTY_FOUR}, 8x8 6-point", SIXTY_FOUR),
    ("MG", 128, "8x2x2x2x2 torus, 8x4x2x2 torus, 8x4x4 torus", ""),
]  # fmt: skip
"""Program, ranks, candidates by size and degrees, and those by spectrum where they
are fewer; isomorphism leaves the same. BT is also SP."""


@pytest.mark.parametrize(("program", "ranks", "by_size", "by_spectrum"), TABLE_7)
def test_table_7(program: str, ranks: int, by_size: str, by_spectrum: str) -> None:
    edges = PROGRAMS[program](ranks)
    order = np.random.default_rng(7).permutation(ranks)[edges]
    renumbered = unique_edges(ranks, order[:, 0], order[:, 1])
    first, second, third = columns(ranks, renumbered)
    assert first == names(by_size)
    assert second == third == names(by_spectrum or by_size)
    # the program, with its larger library, finds the same graph and more names
    best = identify(matrix_of(ranks, renumbered)).best
    assert best.missing == best.extra == 0
    shown = {best.topology.name, *best.also}
    expected = {f"{d}D torus {s}" for s, d in _tori(third)}
    assert expected <= shown


def _tori(found: set[str]) -> Iterator[tuple[str, int]]:
    for name in found:
        shape, _, kind = name.partition(" ")
        if kind == "torus":
            yield shape, shape.count("x") + 1


def test_mg_on_8_ranks() -> None:
    pairs = [(0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7),
             (0, 4), (1, 5), (2, 6), (3, 7)]  # fmt: skip
    volume = np.repeat([141, 144, 148], 4)
    best = identify(matrix_of(8, pairs, volume)).best
    assert best.topology.name == "hypercube 2^3"
    assert {"3D torus 2x2x2", "3D grid 2x2x2"} <= set(best.also)
    assert best.missing == best.extra == best.level == 0


def test_mg_on_16_ranks_without_its_faint_pairs() -> None:
    torus = lattice((2, 2, 4), (True,) * 3).edges
    faint = [(4, 12), (5, 13), (6, 14), (7, 15)]
    loud = np.linspace(8700, 9100, len(torus)).astype(int)
    volume = np.concatenate([loud, np.full(4, 46)])
    best = identify(matrix_of(16, np.concatenate([torus, faint]), volume)).best
    assert "3D torus 4x2x2" in {best.topology.name, *best.also} or (
        best.topology.dims == (2, 2, 4)
    )
    assert best.missing == 0
    assert best.level == 1
    assert 0.99 < best.bytes_covered < 1


def test_a_grid_numbered_along_its_diagonals() -> None:
    # 0 1 3 / 2 4 6 / 5 7 8
    number = np.array([[0, 1, 3], [2, 4, 6], [5, 7, 8]])
    edges = [*zip(number[:, :-1].ravel(), number[:, 1:].ravel(), strict=True),
             *zip(number[:-1].ravel(), number[1:].ravel(), strict=True)]  # fmt: skip
    best = identify(matrix_of(9, edges)).best
    assert best.topology.name == "2D grid 3x3"
    places = best.coordinates
    assert np.abs(places[number[0, 0]] - places[number[2, 2]]).tolist() == [2, 2]


@pytest.mark.parametrize("dims", [(4, 4), (8, 8), (16, 8), (4, 4, 4)])
@pytest.mark.parametrize("seed", range(3))
def test_grids_of_which_two_thirds_are_renumbered(
    dims: tuple[int, ...], seed: int
) -> None:
    truth = lattice(dims, (False,) * len(dims))
    n = truth.vertices
    rng = np.random.default_rng(seed)
    moved = rng.choice(n, 2 * n // 3, replace=False)
    number = np.arange(n)
    number[moved] = moved[rng.permutation(len(moved))]
    best = identify(matrix_of(n, number[truth.edges])).best
    assert best.topology.name == truth.name
    assert best.missing == best.extra == 0
