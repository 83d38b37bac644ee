"""Listings of regular programs, which grow with neither ranks nor iterations."""

import functools
import re

import pytest
from regular import PROGRAMS, run
from traces import logical_of

from topoview.logical.listing import listing

EVERYBODY = {"transpose", "ring allreduce", "master and workers"}
"""Programs in which a rank calls as often as there are ranks."""

OTHERWISE = {
    "stencil 2D periodic": "two ranks in a ring are each other's only neighbour",
    "stencil 3D periodic": "two ranks in a ring are each other's only neighbour",
    "cannon": "two ranks in a ring are each other's only neighbour",
    "tree": "one of the root's messages comes before or after those of all",
    "parity halo": "on 4 x 2 ranks nobody has a partner on both sides of a column",
    "parity halo 3D": "on 2 x 2 x 2 ranks each is at three edges",
    "red-black": "on 4 x 2 ranks x tells which of a row's two places are red",
    "multigrid": "steps of rank numbers take fewer lines on 8 ranks",
}
"""Programs whose listing on 8 ranks is another one than on many, and why."""


@functools.cache
def said(name: str, ranks: int, turns: int) -> str:
    """Tell a program's listing but for its numbers, if it is exact."""
    logical = logical_of(run(name, ranks, turns))[1]
    assert logical.ranks_verified == ranks
    lines = [line for line in listing(logical).splitlines() if not line.startswith("#")]
    return re.sub(r"\d+(\.\.\d+)?(, (\d+|\.\.\.))*", "N", "\n".join(lines))


@pytest.mark.parametrize(
    "sizes", [(8, 32), pytest.param((8, 64, 128, 512), marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in OTHERWISE])
def test_a_listing_is_the_same_whatever_the_number_of_ranks(
    name: str, sizes: tuple[int, ...]
) -> None:
    if name in EVERYBODY:
        sizes = (8, 16, 64)[: len(sizes)]
    listings = {said(name, ranks, 20 if ranks <= 64 else 4) for ranks in sizes}
    assert len(listings) == 1


@pytest.mark.parametrize("turns", [20, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_listing_is_the_same_however_often_a_loop_runs(name: str, turns: int) -> None:
    ranks = 16 if name in OTHERWISE else 8
    assert said(name, ranks, 10) == said(name, ranks, turns)


@pytest.mark.parametrize(
    "name",
    [
        "ring shift",
        pytest.param("master and workers", marks=pytest.mark.slow),
        pytest.param("transpose", marks=pytest.mark.slow),
        pytest.param("red-black", marks=pytest.mark.slow),
    ],
)
def test_ten_thousand_turns_take_no_more_lines_than_ten(name: str) -> None:
    assert said(name, 8, 10) == said(name, 8, 10_000)
