"""Skeletons on other numbers of ranks than their trace's, held against simulations."""

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
import traces
from programs import Grid, Step, trace_of
from regular import PROGRAMS, sides, unit_steps
from regular import run as regular_run
from test_skeleton import program

from topoview.model import Trace
from topoview.skeleton import LANGUAGES

ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
UNMADE = ("Init", "Finalize")

LATTICES = [
    ("grid", (4, 3), (3, 4)),
    ("grid", (5,), (7,)),
    ("grid", (3, 3, 3), (2, 3, 2)),
    ("torus", (6,), (7,)),
    ("torus", (4, 3), (3, 3)),
    pytest.param("torus", (3, 4, 3), (4, 3, 3), marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("kind", "seen", "wanted"), LATTICES)
def test_lattices_of_other_extents_make_the_calls_of_a_run_there(
    kind: str, seen: tuple[int, ...], wanted: tuple[int, ...], tmp_path: Path
) -> None:
    found = program(traces.simulated(kind, seen))
    assert not found.bound
    assert not found.remarks
    truth = traces.simulated(kind, wanted)
    options = ("--dims", *map(str, wanted))
    run(LANGUAGES[".c"](found), truth.ranks, options, tmp_path)
    for rank in range(truth.ranks):
        made = (tmp_path / f"calls.{rank}").read_text().splitlines()
        assert made == calls_of(truth, rank), rank


BOUND = {
    "tree": "partners are listed",
}
"""Programs whose skeleton runs on the ranks of its trace only, and why."""

NEW = {"ring allreduce", "master and workers", "butterfly", "binary tree", "pencils"}
"""Programs that are tried also where slow tests are left out."""

QUICK: list[pytest.MarkDecorator] = []
SLOW = [pytest.mark.slow]

TAKEN = {"cannon": "the extent of the lattice is taken for a number of its own"}
"""Programs whose skeleton makes other calls on other ranks, and why."""


@pytest.mark.parametrize(
    ("name", "ranks"),
    [
        pytest.param(name, ranks, marks=QUICK if ranks == 8 and name in NEW else SLOW)
        for name in PROGRAMS
        for ranks in (8, 32)
        if name not in TAKEN
    ],
)
def test_a_regular_program_makes_the_calls_of_a_run_on_other_ranks(
    name: str, ranks: int, tmp_path: Path
) -> None:
    many = "periodic" in name or "3D" in name  # so that not all are at an edge
    found = program(regular_run(name, 64 if many else 16, 3))
    if name in BOUND:
        assert BOUND[name] in found.bound
        return
    assert not found.bound
    truth = regular_run(name, ranks, 3)
    dims = sides(ranks, len(found.dims)) if found.dims else ()
    options = ("--dims", *map(str, dims)) if dims else ()
    run(LANGUAGES[".c"](found), ranks, options, tmp_path)
    for rank in range(ranks):
        lines = (tmp_path / f"calls.{rank}").read_text().splitlines()
        wanted = calls_of(truth, rank)
        assert [_plain(line) for line in lines] == [_plain(line) for line in wanted]


def _plain(line: str) -> str:
    """Leave out roots, and the bytes of an Alltoall, which may be one rank's share."""
    return re.sub("^(Bcast|Gather) .*? |^(Alltoall) .*", r"\1\2 ", line)


def test_extents_follow_from_the_number_of_ranks(tmp_path: Path) -> None:
    found = program(traces.simulated("grid", (3, 5)))
    run(LANGUAGES[".c"](found), 8, (), tmp_path)
    truth = traces.simulated("grid", (2, 4))
    for rank in range(8):
        made = (tmp_path / f"calls.{rank}").read_text().splitlines()
        assert made == calls_of(truth, rank), rank


def test_a_loop_over_neighbours_turns_as_often_as_there_are_any(tmp_path: Path) -> None:
    """Waits for each request, of which the trace does not record for which."""

    def waiting(dims: tuple[int, ...]) -> Trace:
        grid = Grid(dims)
        steps: list[list[Step]] = [[] for _ in range(grid.ranks)]
        for _ in range(3):
            for rank, own in enumerate(steps):
                around = [
                    grid.towards(rank, offset) for offset in unit_steps(len(dims))
                ]
                some = [partner for partner in around if partner is not None]
                own += [
                    Step("Irecv", receives=(partner,)) for partner in reversed(some)
                ]
                own += [Step("Isend", sends=((partner, 64),)) for partner in some]
                own += [Step("Wait")] * (2 * len(some))
        return trace_of(steps)

    found = program(waiting((4, 3)))
    assert not found.bound
    text = LANGUAGES[".c"](found)
    assert "2 * ((x > 0) + (x < nx - 1) + (y > 0) + (y < ny - 1))" in text
    run(text, 15, ("--dims", "5", "3"), tmp_path)
    truth = waiting((5, 3))
    for rank in range(15):
        made = (tmp_path / f"calls.{rank}").read_text().splitlines()
        assert made == calls_of(truth, rank), rank


def test_partners_without_a_rule_bind_a_skeleton_to_its_ranks() -> None:
    found = program(traces.simulated("random", (8,)))
    assert "partners are listed" in found.bound
    assert 'leave("this skeleton runs on 8 ranks only")' in LANGUAGES[".c"](found)


def test_a_collective_of_each_root_in_turn_has_these_roots(tmp_path: Path) -> None:
    rows = [[0, 1, 2], [3, 4, 5]]

    def steps(rank: int) -> list[Step]:
        row = rank // 3
        gathers = [Step("Gather", part=(1 + row, root, 16)) for root in rows[row]]
        reduces = [Step("Reduce", part=(0, root, 8)) for root in reversed(range(6))]
        return [*gathers, Step("Barrier", part=(0, -1, 0)), *reduces] * 3

    trace = trace_of([steps(rank) for rank in range(6)], rows)
    found = program(trace)
    assert "a root is another rank than 0" in found.bound
    run(LANGUAGES[".c"](found), 6, (), tmp_path)
    gathers = [f"Gather {root} 16" for root in range(3)]  # ranks of the communicator
    reduces = [f"Reduce {root} 8" for root in reversed(range(6))]
    for rank in range(6):
        made = (tmp_path / f"calls.{rank}").read_text().splitlines()
        assert made == [*gathers, "Barrier -1 -1", *reduces] * 3, rank


def run(text: str, ranks: int, options: tuple[str, ...], place: Path) -> None:
    """Compile a program with what writes its calls down, and run it."""
    source = place / "skeleton.c"
    source.write_text(text)
    between = Path(__file__).parent / "calls_made.c"
    build = ("mpicc", "-Wall", "-Wextra", "-Werror", "-o", str(place / "skeleton"))
    subprocess.run((*build, str(source), str(between)), check=True, timeout=120)
    wanted = ("mpirun", "--oversubscribe", "-np", str(ranks), str(place / "skeleton"))
    done = subprocess.run(
        (*wanted, "--speed", "0", *options),
        cwd=place,
        env={**os.environ, **ROOT},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def calls_of(trace: Trace, rank: int) -> list[str]:
    """Operation, partner and bytes of a rank's calls, straight from the trace."""
    begin, end = trace.calls.offsets[rank : rank + 2].tolist()
    messages, parts = trace.messages, trace.collectives
    told: dict[int, tuple[int, int]] = {}
    received: dict[int, tuple[int, int]] = {}
    for ends, call, partner in (
        (told, messages.send_call, messages.receiver),
        (received, messages.receive_call, messages.sender),
    ):
        for k in np.flatnonzero((call >= begin) & (call < end)).tolist():
            ends[int(call[k])] = int(partner[k]), int(messages.size[k])
    for k in np.flatnonzero((parts.call >= begin) & (parts.call < end)).tolist():
        if parts.sent[k]:
            told[int(parts.call[k])] = -1, int(parts.sent[k])
    either = {**received, **told}
    lines = []
    for call in range(begin, end):
        region = trace.calls.region[call]
        name = trace.regions.operations[int(trace.regions.operation[region])]
        if name not in UNMADE:
            halves = [(name, either)]
            if name == "Sendrecv":
                halves = [(name, told), ("Sendrecv_from", received)]
            for word, half in halves:
                partner, size = half.get(call, (-1, -1))
                lines.append(f"{word} {partner} {size}")
    return lines
