"""Skeletons of real traces: what they call, held against the logical trace.

Communicators are made where the trace makes them as far as it tells which; all other
calls, their partners and their bytes are the same, one by one.
"""

from pathlib import Path

import pytest
import traces
from test_skeleton_sizes import run

from topoview.analysis.logical.statements import computed_mean
from topoview.logical import expand
from topoview.logical.expansion import ExpandedCall
from topoview.skeleton import LANGUAGES, skeleton_program

NAMES = [
    *("app-pennant-12", "ez-cg-8", "ez-is-16", "ez-threads-halo"),
    "sp-rowcol-6x4",
]
MORE_NAMES = [
    *(
        "public-sstmacro-10",
        "public-casita-4_mpi_ls_barr",
        "public-casita-10_scorep_mpi_tags",
    ),
    *("ez-bt-9", "ez-halo3d7-3x4x4", "ez-lu-8", "ez-mg-16", "ez-sp-16"),
    *("public-tracer-stencil4d-32", "sp-bintree-32", "sp-cg-32", "sp-ft-16"),
    "sp-masterworker-24",
    *("sp-halo3d27-3x3x4", "sp-halo3d7-3x4x4-permuted", "sp-lu-8-flush"),
    *("sp-jacobi2d-8x4-periodic-idlewave", "sp-twophase-6x6-user-metrics"),
]
MESSAGES = ("Send", "Isend", "Recv", "Irecv", "Sendrecv", "Sendrecv_from")


@pytest.mark.parametrize(
    "name",
    [*NAMES, *(pytest.param(name, marks=pytest.mark.slow) for name in MORE_NAMES)],
)
def test_a_skeleton_makes_the_calls_of_the_logical_trace(
    name: str, tmp_path: Path
) -> None:
    results = traces.results_of_real(name)
    trace, match = results.trace, results.make("identification").best
    logical = results.make("logical")
    seconds = computed_mean(trace, logical)
    program = skeleton_program(trace, logical, match, seconds)
    run(LANGUAGES[".c"](program), trace.ranks, (), tmp_path)
    for rank in range(trace.ranks):
        made = (tmp_path / f"calls.{rank}").read_text().splitlines()
        wanted = [line for entry in expand(logical, rank) for line in told(entry)]
        calls = [line for line in map(kept, made) if line]
        assert calls[: len(wanted)] == wanted, rank
        assert set(calls[len(wanted) :]) <= {"Waitall"}  # what is still open


def told(entry: ExpandedCall) -> list[str]:
    """Lines that a call makes: operation, partner, bytes of messages."""
    operation, to, size, source = entry
    if operation.startswith(("Comm_", "Cart_")):
        return []
    if operation == "Sendrecv":
        return [
            f"Sendrecv {-1 if to is None else to}",
            f"Sendrecv_from {-1 if source is None else source}",
        ]
    if operation not in MESSAGES:
        return [operation]
    partner = source if to is None else to
    return [] if partner is None else [f"{operation} {partner} {size}"]


def kept(line: str) -> str:
    """Keep of a line what is compared; MPI_PROC_NULL is -1."""
    operation, partner, size = line.split()
    if operation.startswith(("Comm_", "Cart_")):
        return ""
    if operation.startswith("Sendrecv"):
        return f"{operation} {max(int(partner), -1)}"
    return f"{operation} {partner} {size}" if operation in MESSAGES else operation
