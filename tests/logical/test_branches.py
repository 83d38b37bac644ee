"""Calls that ranks could make at two places go where conditions are simple."""

import re

import pytest
from programs import Grid, Step, trace_of
from regular import Ranks, run, together, unit_steps
from traces import logical_of

from topoview.logical.listing import listing
from topoview.model import LogicalTrace


def conditions(logical: LogicalTrace) -> set[str]:
    assert logical.ranks_verified == logical.ranks
    return set(re.findall(r"if (.*):", listing(logical)))


def test_a_corner_is_even_or_odd_by_its_place() -> None:
    """Its calls do not tell: it has one partner on each axis."""
    logical = logical_of(run("parity halo", 64, 5))[1]
    edges = ("west", "east", "north", "south")
    assert conditions(logical) == {f"not at {edge} edge" for edge in edges} | {
        f"not at {edge} edge and (x + y) {word}"
        for edge in edges
        for word in ("even", "odd")
    }


@pytest.mark.parametrize("ranks", [64, pytest.param(128, marks=pytest.mark.slow)])
def test_colours_of_a_cube_are_told_by_the_sum_of_all_coordinates(ranks: int) -> None:
    said = conditions(logical_of(run("parity halo 3D", ranks, 4))[1])
    assert not any("rank" in text or " or " in text for text in said)
    assert "not at west edge and (x + y + z) odd" in said


def test_three_colours_are_told_by_a_rest() -> None:
    steps: Ranks = [[] for _ in range(24)]
    for _ in range(10):
        for colour in range(3):
            for rank, own in enumerate(steps):
                x, y = rank % 6, rank // 6
                for partner in (rank - 1,) if x else ():
                    own.append(Step("Send", sends=((partner, 64),)))
                for partner in (rank + 1,) if x < 5 else ():
                    own.append(Step("Recv", receives=(partner,)))
                if (x + y) % 3 == colour:
                    own.append(Step("Win_sync"))
        together(steps, "Allreduce")
    said = listing(logical_of(trace_of(steps))[1])
    assert "rank in" not in said


@pytest.mark.parametrize("dims", [(6, 5), (9, 8)])
def test_three_colours_of_a_halo_are_told_by_rests_that_are_missing(
    dims: tuple[int, int],
) -> None:
    """A rank receives from one colour before its own turn, from another after it."""
    grid = Grid(dims)
    steps: Ranks = [[] for _ in range(grid.ranks)]
    colours = [sum(grid.place(rank)) % 3 for rank in range(grid.ranks)]
    for colour in range(3):
        for rank, own in enumerate(steps):
            near = [grid.towards(rank, offset) for offset in unit_steps(2)]
            partners = sorted(partner for partner in near if partner is not None)
            if colours[rank] == colour:
                own += [Step("Send", sends=((partner, 64),)) for partner in partners]
            own += [
                Step("Recv", receives=(partner,))
                for partner in partners
                if colours[partner] == colour
            ]
    together(steps, "Allreduce")
    said = conditions(logical_of(trace_of([10 * own for own in steps]))[1])
    assert not any("rank" in text for text in said)
    assert "not at west edge and (x + y) % 3 != 0" in said


@pytest.mark.parametrize("ranks", [8, 16])
def test_a_strip_of_two_rows_is_told_by_colours_as_larger_grids_are(ranks: int) -> None:
    said = conditions(logical_of(run("parity halo", ranks, 5))[1])
    assert {f"not at west edge and (x + y) {word}" for word in ("even", "odd")} <= said
    assert not any(" = " in text for text in said)
