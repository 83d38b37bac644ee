"""What was simulated is what is found, from the archive to the logical trace."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from simulation import Program, silent_program, simulate
from traces import NINE_POINT, SIX_POINT, permutation
from writer import write_trace

from topoview.logical import expand
from topoview.model import Topology, Trace
from topoview.pipeline import Results, analyse
from topoview.topology import complete, lattice, star
from topoview.topology.lattices.lattice import STENCILS
from topoview.worker import open_trace

Archive = Callable[[Trace], Path]


@dataclass(frozen=True)
class Case:
    """A shape, the name that it is to be found by, and other names of it."""

    topology: Topology
    name: str
    also: tuple[str, ...] = ()


def grid(*dims: int) -> Topology:
    return lattice(dims, (False,) * len(dims))


def torus(*dims: int) -> Topology:
    return lattice(dims, (True,) * len(dims))


CASES = {
    "chain": Case(grid(7), "chain 7"),
    "ring": Case(torus(9), "ring 9"),
    "grid": Case(grid(5, 3), "2D grid 5x3"),
    "grid 3d": Case(grid(4, 3, 3), "3D grid 4x3x3"),
    "grid 4d": Case(grid(3, 3, 3, 3), "4D grid 3x3x3x3"),
    "torus": Case(torus(6, 5), "2D torus 6x5"),
    "torus 3d": Case(torus(5, 3, 3), "3D torus 5x3x3"),
    "mixed": Case(lattice((6, 4), (True, False)), "2D grid 6x4, periodic in x"),
    "mixed 3d": Case(
        lattice((5, 3, 3), (True, False, True)), "3D grid 5x3x3, periodic in x and z"
    ),
    "hypercube": Case(torus(2, 2, 2, 2, 2), "hypercube 2^5"),
    "6-point": Case(
        lattice((6, 6), (True, True), SIX_POINT), "2D torus 6x6, 6-point stencil"
    ),
    "9-point": Case(
        lattice((6, 4), (False, False), NINE_POINT), "2D grid 6x4, 9-point stencil"
    ),
    "27-point": Case(
        lattice((3, 3, 4), (False,) * 3, STENCILS["box"](3)),
        "3D grid 3x3x4, 27-point stencil",
    ),
    "star": Case(star(12), "star 12"),
    "all-to-all": Case(complete(8), "all-to-all 8"),
}


def program_of(case: Case, *, numbering: int | None) -> Program:
    n = case.topology.vertices
    order = None if numbering is None else permutation(n, numbering)
    return Program(case.topology, numbering=order, iterations=6, allreduce_every=3)


@cache
def results_of(shape: str, numbering: int | None) -> Results:
    """Read what a program of a shape wrote, once for all tests of what is found."""
    trace = simulate(program_of(CASES[shape], numbering=numbering))
    with TemporaryDirectory() as folder:
        return Results(open_trace(write_trace(trace, Path(folder) / "archive")))


def edges_of(program: Program) -> set[tuple[int, int]]:
    ends = np.sort(program.rank_of[program.topology.edges], axis=1)
    return {(int(a), int(b)) for a, b in ends}


@pytest.mark.parametrize(
    "numbering", [None, 1, pytest.param(2, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("shape", sorted(CASES))
def test_the_topology_is_found(shape: str, numbering: int | None) -> None:
    case = CASES[shape]
    program = program_of(case, numbering=numbering)
    best = results_of(shape, numbering).make("identification").best
    dims = best.topology.dims
    assert sorted(dims) == sorted(case.topology.dims) or shape == "hypercube"
    if numbering is None:
        assert best.topology.name == case.name
    assert best.topology.kind == case.topology.kind
    assert (best.missing, best.extra) == (0, 0)
    assert best.calls_covered == best.bytes_covered == 1.0
    assert best.matched == len(case.topology.edges)
    found = {(int(a), int(b)) for a, b in best.rank_edges}
    assert found == edges_of(program)


Entry = tuple[str, int | None, int | None, int | None]


def calls_of(trace: Trace, rank: int) -> list[Entry]:
    """List a rank's calls between Init and Finalize: operation, to, bytes, source."""
    calls, messages, regions = trace.calls, trace.messages, trace.regions
    sent = {int(call): m for m, call in enumerate(messages.send_call)}
    received = {int(call): m for m, call in enumerate(messages.receive_call)}
    found: list[Entry] = []
    for call in range(int(calls.offsets[rank]) + 1, int(calls.offsets[rank + 1]) - 1):
        operation = regions.operations[regions.operation[calls.region[call]]]
        if call in sent:
            m = sent[call]
            to, size = int(messages.receiver[m]), int(messages.size[m])
            found.append((operation, to, size, None))
        elif call in received:
            m = received[call]
            source, size = int(messages.sender[m]), int(messages.size[m])
            found.append((operation, None, size, source))
        else:
            found.append((operation, None, None, None))
    return found


ONE_PROGRAM = sorted(CASES.keys() - {"star", "all-to-all", "hypercube"})
"""Shapes in which all ranks do the same in the same order of directions."""


@pytest.mark.parametrize("shape", ONE_PROGRAM)
def test_the_logical_trace_says_what_every_rank_did(shape: str) -> None:
    simulated = simulate(program_of(CASES[shape], numbering=1))
    logical = results_of(shape, 1).make("logical")
    assert logical.calls_excluded == 0
    assert logical.bytes_excluded == 0
    assert logical.ranks_verified == simulated.ranks
    assert logical.loops >= 1
    assert logical.statements < logical.records
    for rank in range(simulated.ranks):
        said = [
            (what, to, size if (to, by) != (None, None) else None, by)
            for what, to, size, by in expand(logical, rank)
        ]
        assert said == calls_of(simulated, rank)


def test_without_messages_there_is_no_topology(archive: Archive) -> None:
    trace = simulate(silent_program(6, allreduce_every=1))
    *_, known = analyse(open_trace(archive(trace)))
    assert known.identification is not None
    assert known.logical is not None
    assert known.identification.best.topology.kind == "none"
    assert known.logical.ranks_verified == 6
    assert known.spectral is None
