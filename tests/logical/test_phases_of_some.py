"""A phase that only some ranks have, between phases of all."""

from dataclasses import replace

import numpy as np
import pytest
from programs import Step, trace_of
from traces import logical_of

from topoview.logical.listing import listing


@pytest.mark.parametrize("q", [5, 6])
def test_a_transpose_after_a_halo(q: int) -> None:
    """Receives say no partner, as EZTrace writes them: they look all the same."""
    ranks: list[list[Step]] = []
    for rank in range(q * q):
        x, y = rank % q, rank // q
        near = (
            y * q + (x + 1) % q,
            y * q + (x - 1) % q,
            (y + 1) % q * q + x,
            (y - 1) % q * q + x,
        )
        steps: list[Step] = []
        for _ in range(4):
            turned = [(x * q + y, 4096)] * 6 if x != y else []
            for other, size in [*[(r, 2048) for r in near] * 12, *turned]:
                steps.append(Step("Irecv"))
                steps.append(Step("Isend", sends=((other, size),)))
                steps.append(Step("Waitall"))
            steps.append(Step("Barrier"))
        ranks.append(steps)
    trace = trace_of(ranks)
    tag = (trace.messages.size == 4096).astype(np.int32)
    trace = replace(trace, messages=replace(trace.messages, tag=tag))
    _, logical = logical_of(trace)
    assert logical.ranks_verified == q * q
    assert logical.statements <= 16, listing(logical)
