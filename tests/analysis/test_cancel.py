"""Giving up an analysis at any report; portions of rows change nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulation import Program, simulate

from topoview.base import progress
from topoview.base.progress import Cancelled, batches
from topoview.model import Trace
from topoview.pipeline import analyse
from topoview.topology import lattice


@pytest.fixture(scope="module")
def trace() -> Trace:
    """Make a trace of some hundred thousand calls."""
    program = Program(lattice((4, 4), (True, True)), iterations=600, allreduce_every=10)
    return simulate(program)


@pytest.fixture(scope="module")
def reports(trace: Trace) -> int:
    """Count the reports of an analysis."""
    count = 0

    def report(_stage: str, _fraction: float) -> None:
        nonlocal count
        count += 1

    list(analyse(trace, report))
    return count


@pytest.mark.parametrize("part", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999])
def test_whoever_gives_up_is_heard_at_any_report(
    trace: Trace, reports: int, part: float
) -> None:
    """Nothing swallows `Cancelled`, and nothing is found after it."""
    left = int(part * reports)
    after = []

    def report(stage: str, _fraction: float) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            after.append(stage)
            raise Cancelled

    with pytest.raises(Cancelled):
        list(analyse(trace, report))
    assert len(after) == 1


@pytest.mark.parametrize("length", [1, 7, 1000])
def test_portions_change_nothing(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    program = Program(lattice((3, 2), (True, False)), iterations=9, allreduce_every=4)
    trace = simulate(program)
    *_, whole = analyse(trace)
    monkeypatch.setattr(progress, "BATCH_ROWS", length)
    *_, parts = analyse(trace)
    assert whole.logical is not None
    assert parts.logical is not None
    assert parts.logical.body == whole.logical.body
    assert parts.logical.ranks_verified == whole.logical.ranks_verified == 6
    assert parts.logical.maximal == whole.logical.maximal
    assert parts.logical.bytes_excluded == whole.logical.bytes_excluded
    for name in ("statement_of_call", "ticks"):
        one, other = getattr(parts.logical, name), getattr(whole.logical, name)
        assert np.array_equal(one, other)
    assert parts.matrix is not None
    assert whole.matrix is not None
    assert abs(parts.matrix.volume - whole.matrix.volume).sum() == 0


@given(
    st.integers(0, 50), st.integers(1, 60), st.tuples(st.floats(0, 1), st.floats(0, 1))
)
def test_portions_cover_all_rows(
    total: int, length: int, fractions: tuple[float, float]
) -> None:
    told: list[float] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "BATCH_ROWS", length)
        rows = [
            row
            for some in batches(total, lambda _, f: told.append(f), "", fractions)
            for row in range(some.start, some.stop)
        ]
    assert rows == list(range(total))
    assert len(told) == -(-total // length)
    assert all(min(fractions) <= f <= max(fractions) for f in told)
