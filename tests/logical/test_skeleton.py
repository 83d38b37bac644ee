"""Skeleton programs: their conditions and values, and what they do when run."""

import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import traces
from hypothesis import given, settings
from hypothesis import strategies as st
from parts import logicalise
from programs import Grid, Step, trace_of

from topoview.analysis.logical.statements import computed_mean
from topoview.model import Match, Trace
from topoview.pipeline import analyse
from topoview.skeleton import LANGUAGES, skeleton_program
from topoview.skeleton.expressions import (
    ByRank,
    ByRankTurns,
    ByTurn,
    Fixed,
    Partner,
    condition_of,
    partner_of,
    value_of,
)
from topoview.skeleton.program import SkeletonProgram
from topoview.topology import directions, lattice


def grid(dims: tuple[int, ...], periodic: bool = False) -> Match:
    topology = lattice(dims, (periodic,) * len(dims))
    none = np.zeros((0, 2), np.int32)
    ranks = np.arange(topology.vertices, dtype=np.int32)
    return Match(topology, ranks, len(topology.edges), none, none, 1.0, 1.0)


def program(trace: Trace) -> SkeletonProgram:
    *_, known = analyse(trace)
    assert known.logical is not None
    assert known.identification is not None
    seconds = computed_mean(trace, known.logical)
    return skeleton_program(
        trace, known.logical, known.identification.shown_first, seconds * 1e6
    )


def holds(text: str, match: Match, rank: int) -> bool:
    """Evaluate a condition as the programs do."""
    places = match.topology.coordinates[rank]
    names = {"rank": rank, "ranks": len(match.vertex)}
    for d, name in enumerate("xyz"[: len(places)]):
        names[name] = int(places[d])
        names[f"n{name}"] = match.topology.dims[d]
    python = text.replace("&&", " and ").replace("||", " or ").replace("!(", " not (")
    return bool(eval(python, {}, names))


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([(4, 3), (5, 5), (2, 2), (3, 4, 2), (7,), (8, 8)]),
    st.data(),
)
def test_conditions_hold_for_just_their_ranks(
    dims: tuple[int, ...], data: st.DataObject
) -> None:
    match = grid(dims)
    count = len(match.vertex)
    bits = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
    ranks = np.flatnonzero(bits)
    found = condition_of(match, ranks)
    if found.text:
        assert [r for r in range(count) if holds(found.text, match, r)] == list(ranks)
    else:
        assert list(found.ranks) == list(ranks)


@pytest.mark.parametrize(
    ("chosen", "text"),
    [
        (lambda place: place[0] > 0, "x > 0"),
        (lambda place: place[0] < 5, "x < nx - 1"),
        (lambda place: place[1] == 5, "y == ny - 1"),
        (lambda place: place[0] == place[1], "x == y"),
        (lambda place: place[0] % 2 == 0, "x % 2 == 0"),
        (
            lambda place: (place[0] % 5 == 0) & (place[1] > 0),
            "(x == 0 || x == nx - 1) && y > 0",
        ),
        (lambda place: (place == 0).all(axis=0), "rank == 0"),
        (lambda place: (place == 0).any(axis=0), "!(x > 0 && y > 0)"),
    ],
)
def test_conditions_are_told_by_place(
    chosen: Callable[[np.ndarray], np.ndarray], text: str
) -> None:
    match = grid((6, 6))
    found = condition_of(match, np.flatnonzero(chosen(match.topology.coordinates.T)))
    assert found.text == text
    assert found.closed


def test_values_take_their_shortest_form() -> None:
    rank = np.repeat(np.arange(3), 4)
    assert value_of(3, rank, np.full(12, 7)) == Fixed(7)
    assert value_of(3, rank, np.tile([1, 2], 6)) == ByTurn((1, 2))
    assert value_of(3, rank, np.repeat([5, 6, 7], 4)) == ByRank((5, 6, 7))
    mixed = value_of(3, rank, np.array([1, 1, 1, 1, 1, 2, 1, 2, 3, 3, 3, 3]))
    assert mixed == ByRankTurns(((1,), (1, 2), (3,)))


def test_partners_are_told_as_steps_bits_and_transposes() -> None:
    match = grid((4, 4), periodic=True)
    rank = np.arange(16)
    x, y = rank % 4, rank // 4
    east = partner_of(match, rank, (x + 1) % 4 + 4 * y)
    assert east == Partner("step", steps=(1, 0))
    assert partner_of(match, rank, rank ^ 5).form in ("xor", "step")
    assert partner_of(match, rank, y + 4 * x).form == "transpose"
    assert partner_of(match, rank[1:], np.zeros(15, np.int64)).value == Fixed(0)


def test_a_halo_exchange_runs_on_other_lattices_too() -> None:
    found = program(traces.simulated("grid", (4, 3), allreduce_every=2))
    assert not found.bound
    assert not found.remarks
    text = LANGUAGES[".c"](found)
    assert "neighbour((const int[]){1, 0})" in text
    python = LANGUAGES[".py"](found)
    compile(python, "skeleton.py", "exec")


def test_each_message_that_is_started_with_others_is_made() -> None:
    grid_of = Grid((3, 3))
    steps = []
    for rank in range(9):
        around = [grid_of.towards(rank, o) for o in ((0, 1), (1, 0), (-1, 0), (0, -1))]
        there = tuple(r for r in around if r is not None)
        started = Step("Startall", tuple((r, 64) for r in there), there)
        steps.append([started, Step("Waitall")] * 3)
    trace = trace_of(steps)
    match = grid((3, 3))
    logical = logicalise(trace, directions(match), match=match)
    found = skeleton_program(trace, logical, match, np.zeros(logical.statements))
    assert not found.remarks
    assert not found.bound
    text = LANGUAGES[".c"](found)
    for way in ("EAST", "WEST", "NORTH", "SOUTH"):
        assert re.search(rf"\bstart\(\d+, {way}, -1, 64, .*Startall to {way}", text)
        assert re.search(rf"\bstart\(\d+, -1, {way}, 64, .*Startall from {way}", text)


@pytest.mark.parametrize("kind", ["grid", "torus", "star", "random"])
def test_c_compiles_without_warnings(kind: str, tmp_path: Path) -> None:
    dims = (12,) if kind in ("star", "random") else (4, 3)
    source = tmp_path / "skeleton.c"
    source.write_text(LANGUAGES[".c"](program(traces.simulated(kind, dims))))
    made = subprocess.run(
        [
            *("mpicc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-o"),
            *(str(tmp_path / "skeleton"), str(source)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr


def test_what_only_holds_for_these_ranks_binds_the_program() -> None:
    """A table by rank, a rank number, a place that is at no edge."""
    match = grid((6, 5))
    rank = np.arange(30)
    assert partner_of(match, rank, np.zeros(30, np.int64)).closed
    assert not partner_of(match, rank, np.full(30, 7)).closed
    assert not partner_of(match, rank, (rank + 7) % 30).closed
    assert not partner_of(grid((4, 4)), rank[:16], rank[:16] ^ 5).closed
    x = match.topology.coordinates[:, 0]
    assert condition_of(match, np.flatnonzero(x == 0)).closed
    assert condition_of(match, np.flatnonzero((x > 0) & (x < 5))).closed
    assert not condition_of(match, np.flatnonzero(x == 2)).closed
    assert not condition_of(match, np.flatnonzero(x >= 3)).closed


def of_first(most: int, *steps: Step, communicators: int = 0) -> SkeletonProgram:
    """Let the first of six ranks do steps, after a barrier of all."""
    rows = [
        [Step("Barrier", part=(0, -1, 0)), *(steps if rank < most else ())]
        for rank in range(6)
    ]
    trace = trace_of(rows, communicators=[[]] * communicators)
    match = grid((6,))
    logical = logicalise(trace, directions(match), match=match)
    return skeleton_program(trace, logical, match, np.zeros(logical.statements))


def test_each_rank_alone_is_not_all_ranks() -> None:
    found = of_first(2, Step("Allreduce", part=(1, -1, 8)), communicators=1)
    text = LANGUAGES[".c"](found)
    assert "comm[1] = MPI_COMM_SELF;" in text
    assert re.search(r"allreduce\(8, comm\[1\]\);", text)
    assert "MPI.COMM_SELF" in LANGUAGES[".py"](found)


@pytest.mark.parametrize(("most", "is_made"), [(6, True), (2, False)])
def test_a_communicator_that_is_not_told_is_that_of_all_or_none(
    most: int, is_made: bool
) -> None:
    found = of_first(most, Step("Iallreduce"), Step("Wait", posted=1))
    text = LANGUAGES[".c"](found)
    assert bool(re.search(r"^ +iallreduce\(", text, re.MULTILINE)) == is_made
    (remark, *_) = found.remarks
    assert remark.startswith("over all ranks" if is_made else "Iallreduce, not made")


@pytest.mark.parametrize("name", ["Comm_spawn", "Intercomm_create", "Allreduce_init"])
def test_what_cannot_be_made_is_told_by_name(name: str) -> None:
    found = of_first(6, Step(name))
    assert any(
        remark.startswith(f"{name}, not made again: ") for remark in found.remarks
    )


def test_a_communicator_that_some_make_is_made_by_all_before() -> None:
    part = Step("Allreduce", part=(1, -1, 8))
    rows = [[Step("Comm_create_group"), part] if rank < 3 else [] for rank in range(6)]
    trace = trace_of(rows, communicators=[[0, 1, 2]])
    match = grid((6,))
    logical = logicalise(trace, directions(match), match=match)
    found = skeleton_program(trace, logical, match, np.zeros(logical.statements))
    assert [make.comm for make in found.early] == [1]
    assert any("before the program begins" in remark for remark in found.remarks)


def test_names_that_the_program_gave_stay_in_comments() -> None:
    """A communicator can be called anything."""
    name = "half */ abort(); /*\nraise SystemExit('out of a comment')\n"
    part = Step("Allreduce", part=(1, -1, 8))
    trace = trace_of([[part] if rank < 3 else [] for rank in range(6)], [[0, 1, 2]])
    named = replace(trace.communicators[1], name=name)
    trace = replace(trace, communicators=(trace.communicators[0], named))
    match = grid((6,))
    logical = logicalise(trace, directions(match), match=match)
    assert "SystemExit" in str(logical.body)
    found = skeleton_program(trace, logical, match, np.zeros(logical.statements))
    told = [line for line in LANGUAGES[".py"](found).splitlines() if "System" in line]
    assert told
    assert all("#" in line.split("raise")[0] for line in told)
    assert "*/ abort" not in LANGUAGES[".c"](found)
