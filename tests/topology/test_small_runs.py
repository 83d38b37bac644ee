"""On few ranks a list of pairs is short, but heavy pairs have a name all the same."""

import itertools

import numpy as np
import pytest
from scipy.sparse import coo_array

from topoview.model import CommunicationMatrix
from topoview.report.identification.answer import heavy_match
from topoview.topology import identify, lattice

SHAPES = {
    "grid 2x2": ((2, 2), (False, False)),
    "grid 3x2": ((3, 2), (False, False)),
    "grid 4x2": ((4, 2), (False, False)),
    "grid 3x3": ((3, 3), (False, False)),
    "torus 3x3": ((3, 3), (True, True)),
    "cube": ((2, 2, 2), (False,) * 3),
    "chain 5": ((5,), (False,)),
    "chain 9": ((9,), (False,)),
    "ring 5": ((5,), (True,)),
    "ring 6": ((6,), (True,)),
    "ring 8": ((8,), (True,)),
    "ring 9": ((9,), (True,)),
    "grid 4x4": ((4, 4), (False, False)),
}
LIGHT = ("nothing", "gather", "a pair", "exchange", "tree", "all")


def light_pairs(
    kind: str, n: int, heavy: set[tuple[int, int]]
) -> list[tuple[int, int]]:
    every = list(itertools.combinations(range(n), 2))
    return {
        "nothing": [],
        "gather": [(0, rank) for rank in range(1, n)],
        "a pair": [pair for pair in every if pair not in heavy][-1:],
        "exchange": [(a, b) for a, b in every if (a ^ b).bit_count() == 1],
        "tree": [((rank - 1) // 2, rank) for rank in range(1, n)],
        "all": every,
    }[kind]


@pytest.mark.parametrize("times", [20, 3])
@pytest.mark.parametrize("light", LIGHT)
@pytest.mark.parametrize("shape", SHAPES)
def test_heavy_pairs_are_named_whatever_else_is_light(
    shape: str, light: str, times: int
) -> None:
    """Some exchanges of 8 KiB, and a single one of 96 bytes."""
    topology = lattice(*SHAPES[shape])
    n = topology.vertices
    order = np.random.default_rng(n).permutation(n)
    heavy = {tuple(sorted(pair)) for pair in order[topology.edges].tolist()}
    amounts = {pair: [times, times * 8192] for pair in sorted(heavy)}
    for pair in light_pairs(light, n, heavy):
        own = amounts.setdefault(pair, [0, 0])
        own[0], own[1] = own[0] + 1, own[1] + 96
    u, v = np.array(list(amounts)).T
    calls, volume = np.array(list(amounts.values())).T
    ends = np.concatenate((u, v)), np.concatenate((v, u))
    matrix = CommunicationMatrix(
        coo_array((np.tile(calls, 2), ends), shape=(n, n)).tocsr(),
        coo_array((np.tile(volume, 2), ends), shape=(n, n)).tocsr(),
    )
    found = identify(matrix)
    named = [match for match in (found.best, heavy_match(found)) if match is not None]
    assert all(match.topology.kind != "unknown" for match in named)
    assert any(set(map(tuple, match.rank_edges.tolist())) == heavy for match in named)
