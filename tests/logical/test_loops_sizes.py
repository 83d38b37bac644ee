"""Bodies that differ only in sizes: loops over levels, and what stays apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from parts import logicalise
from programs import Grid, Step, trace_of

from topoview.logical import expand
from topoview.logical.listing import listing
from topoview.logical.loops.numbered import VaryingSymbols
from topoview.logical.loops.structure import structure
from topoview.model import LogicalTrace

FAMILIES = 4


@given(st.lists(st.integers(0, 6 * FAMILIES - 1), min_size=1, max_size=80))
def test_any_sequence_comes_back(codes: list[int]) -> None:
    symbols = np.arange(6 * FAMILIES)
    size = np.stack([8 * 2 ** (symbols // FAMILIES)] * 2, axis=1)
    tree = structure(np.array(codes), sizes=VaryingSymbols(symbols % FAMILIES, size))
    assert tree.expand()[:, 1].tolist() == codes


def exchanges(sizes: list[int], turns: int = 1) -> LogicalTrace:
    """Exchange with the neighbours on a ring, with messages of each size in turn."""
    grid = Grid((6,), periodic=True)
    steps = []
    for rank in range(6):
        own: list[Step] = []
        for size in sizes:
            for step in (1, -1):
                to, source = grid.towards(rank, [step]), grid.towards(rank, [-step])
                assert to is not None
                assert source is not None
                own += [Step("Irecv", receives=(source,)), Step("Send", ((to, size),))]
            own += [Step("Waitall"), Step("Barrier")]
        steps.append(own * turns)
    trace = trace_of(steps)
    logical = logicalise(trace, grid)
    assert logical.ranks_verified == 6
    assert [entry[2] for entry in expand(logical, 3) if entry[0] == "Send"] == [
        size for _ in range(turns) for size in sizes for _ in range(2)
    ]
    return logical


@pytest.mark.parametrize(
    ("sizes", "head"),
    [
        ([8, 16, 32, 64, 128], "repeat 5, sizes grow:"),
        ([4096, 1024, 256], "repeat 3, sizes shrink:"),
        ([90, 350, 1300], "repeat 3, sizes grow:"),
    ],
)
def test_levels_are_one_loop(sizes: list[int], head: str) -> None:
    logical = exchanges(sizes, 2)
    assert logical.statements == 6
    lines = listing(logical).splitlines()
    assert any(line.strip() == head for line in lines)
    least, most = min(sizes), max(sizes)
    assert any(f"{least} B..{most // 1024} KiB" in x or f"{least}..{most} B" in x
               for x in lines)  # fmt: skip


@pytest.mark.parametrize("sizes", [[800, 600, 400, 200, 100], [8, 64, 8, 64], [8, 16]])
def test_what_is_no_level_stays_apart(sizes: list[int]) -> None:
    """They are no levels; a table of them beside the calls may be shorter."""
    logical = exchanges(sizes, 2)
    assert logical.statements in (4, 6 * len(set(sizes)))
    assert "sizes" not in listing(logical)
