"""Tori whose graph leaves a choice of axes: the program's own are taken."""

from dataclasses import replace

import numpy as np
import pytest
from simulation import Program, simulate
from traces import logical_of

from topoview.analysis.torus_axes import oriented
from topoview.model import Trace
from topoview.topology import communication_matrix, identify, lattice


def ran(dims: tuple[int, ...], seed: int, *, declares: bool) -> Trace:
    """Trace of an exchange on a torus, its ranks numbered at random."""
    torus = lattice(dims, (True,) * len(dims))
    order = np.random.default_rng(seed).permutation(torus.vertices).astype(np.int32)
    trace = simulate(Program(torus, iterations=6, numbering=order))
    return trace if declares else replace(trace, topologies=())


@pytest.mark.parametrize("declares", [True, False])
@pytest.mark.parametrize("dims", [(4, 4), (4, 4, 3), (4, 4, 4)])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_renumbered_torus_has_as_few_statements_as_a_numbered_one(
    dims: tuple[int, ...], seed: int, *, declares: bool
) -> None:
    torus = lattice(dims, (True,) * len(dims))
    _, plain = logical_of(simulate(Program(torus, iterations=6)))
    match, logical = logical_of(ran(dims, seed, declares=declares))
    assert logical.statements == plain.statements
    assert not match.missing
    assert not match.extra


def test_what_does_not_fit_the_messages_is_not_taken() -> None:
    trace = ran((4, 4), 2, declares=True)
    (declared,) = trace.topologies
    wrong = replace(declared, ranks=np.roll(declared.ranks, 1))
    back = trace.messages.send_call[::-1]
    shuffled = replace(
        trace.messages, send_call=np.random.default_rng(1).permutation(back)
    )
    other = replace(trace, topologies=(wrong,), messages=shuffled)
    found = identify(communication_matrix(other))
    assert oriented(other, found) is found
