"""Skeletons on other numbers of ranks than their trace's, held against simulations."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import traces
from programs import Step, trace_of
from test_skeleton import program

from topoview.model import Trace
from topoview.skeleton import LANGUAGES

ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
UNMADE = ("Init", "Finalize")

LATTICES = [
    ("grid", (4, 3), (3, 5)),
    ("grid", (5,), (7,)),
    ("grid", (3, 3, 3), (2, 4, 2)),
    ("torus", (6,), (9,)),
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


@pytest.mark.parametrize("kind", ["star", "complete", "random"])
def test_what_is_no_lattice_is_bound_to_its_ranks(kind: str) -> None:
    found = program(traces.simulated(kind, (8,)))
    assert "the topology is no lattice" in found.bound
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
    for call, partner in (
        (messages.send_call, messages.receiver),
        (messages.receive_call, messages.sender),
    ):
        for k in np.flatnonzero((call >= begin) & (call < end)).tolist():
            told[int(call[k])] = int(partner[k]), int(messages.size[k])
    for k in np.flatnonzero((parts.call >= begin) & (parts.call < end)).tolist():
        if parts.sent[k]:
            told[int(parts.call[k])] = -1, int(parts.sent[k])
    lines = []
    for call in range(begin, end):
        region = trace.calls.region[call]
        name = trace.regions.operations[int(trace.regions.operation[region])]
        if name not in UNMADE:
            partner, size = told.get(call, (-1, -1))
            lines.append(f"{name} {partner} {size}")
    return lines
