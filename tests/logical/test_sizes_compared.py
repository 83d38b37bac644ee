"""Listings of one program on several numbers of ranks."""

import pytest
from regular import run
from traces import logical_of

from topoview.analysis.comparing.sizes import facts_of, rule_of
from topoview.report.logical.comparison import compare_sizes
from topoview.topology import lattice


def compared(name: str, *sizes: int) -> tuple[str, list[dict[str, str]]]:
    matches, logical = zip(
        *(logical_of(run(name, ranks, 20)) for ranks in sizes), strict=True
    )
    said, table = compare_sizes(logical, [match.topology for match in matches])
    return said, list(table)


def test_what_varies_follows_from_the_number_of_ranks() -> None:
    said, rows = compared("ring allreduce", 16, 8, 32)
    assert said == "The listing is the same on 8, 16, 32 ranks, apart from 1 number."
    (row,) = rows
    assert row["line"].strip() == "repeat 14:"
    assert row["values"] == "14, 30, 62"
    assert row["rule"] == "2 ranks - 2"


def test_what_varies_follows_from_an_extent() -> None:
    said, rows = compared("cannon", 16, 64)
    assert said == "The listing is the same on 16, 64 ranks, apart from 1 number."
    assert [(row["values"], row["rule"]) for row in rows] == [("4, 8", "nx")]


def test_a_listing_without_such_numbers_is_the_same() -> None:
    said, rows = compared("sweeps", 8, 32)
    assert said == "The listing is the same on 8, 32 ranks."
    assert not rows


def test_lines_that_some_runs_lack_are_listed() -> None:
    """On 8 ranks of a torus two are each other's only neighbour along an axis."""
    said, rows = compared("stencil 2D periodic", 8, 32)
    assert "differ in" in said
    lacking = [row for row in rows if row["runs"] == "32"]
    assert any("NORTH" in row["line"] for row in lacking)


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ((7, 15), "ranks - 1"),
        ((8, 16), "ranks"),
        ((14, 30), "2 ranks - 2"),
        ((24, 48), "3 ranks"),
        ((4096, 2048), "32768 / ranks"),
        ((4, 4096), ""),
    ],
)
def test_rules_of_numbers(values: tuple[int, int], rule: str) -> None:
    facts = facts_of([8, 16], [lattice((8,), (True,)), lattice((16,), (True,))])
    assert rule_of(dict(enumerate(values)), facts) == rule
