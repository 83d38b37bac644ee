"""Giving up an analysis: at any report, and there are many."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulation import Program, simulate

from topoview import progress
from topoview.logical import arrays as numbering
from topoview.logical.arrays import distinct_codes, factorize, first_entries
from topoview.logical.logicalise import COLLECTING_PARTNERS
from topoview.logical.merge.maximal_process import COMPARING_MAXIMAL
from topoview.logical.stages import GROUPING, READING
from topoview.logical.statements import WRITING
from topoview.logical.verification import VERIFYING
from topoview.model import Trace, distinct
from topoview.pipeline import analyse
from topoview.progress import Cancelled, batches
from topoview.topology import lattice
from topoview.topology.matrix import COUNTING

FEW = 60


@pytest.fixture(scope="module")
def trace() -> Trace:
    """Make a trace of some hundred thousand calls."""
    program = Program(lattice((4, 4), (True, True)), iterations=600, allreduce_every=10)
    return simulate(program)


def count_reports(trace: Trace) -> int:
    """Count the reports of an analysis."""
    count = 0

    def report(_stage: str, _fraction: float) -> None:
        nonlocal count
        count += 1

    list(analyse(trace, report))
    return count


@pytest.mark.parametrize("part", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999])
def test_whoever_gives_up_is_heard_at_any_report(trace: Trace, part: float) -> None:
    """Nothing swallows `Cancelled`, and nothing is found after it."""
    left = int(part * count_reports(trace))
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


def test_there_are_many_reports(trace: Trace) -> None:
    """Whoever gives up waits for a small part of the work."""
    assert count_reports(trace) > FEW


@pytest.mark.parametrize(
    "stage",
    [
        READING,
        GROUPING,
        WRITING,
        COLLECTING_PARTNERS,
        COMPARING_MAXIMAL,
        VERIFYING,
        COUNTING,
    ],
)
def test_no_stage_goes_through_many_rows_between_reports(
    trace: Trace, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stage that goes through all rows reports at each portion of them."""
    length = 1000
    monkeypatch.setattr(progress, "BATCH_ROWS", length)
    rows = len(trace.messages) if stage == COUNTING else len(trace.calls)
    stages: list[str] = []
    list(analyse(trace, lambda stage, _: stages.append(stage)))
    assert stages.count(stage) >= rows // length


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


@given(
    st.lists(st.integers(0, 2**61), max_size=200),
    st.integers(1, 300),
    st.integers(0, 300),
)
def test_numbers_are_those_of_sorting(some: list[int], length: int, small: int) -> None:
    codes = np.array(some, np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "BATCH_ROWS", length)
        patch.setattr(numbering, "_MIN_HASHED_ENTRIES", small)
        patch.setattr(numbering, "_INITIAL_SLOTS", 2)
        kinds, of = factorize(codes)
        only = distinct_codes(codes)
    wanted, inverse = np.unique(codes, return_inverse=True)
    assert np.array_equal(kinds, wanted)
    assert np.array_equal(only, wanted)
    assert np.array_equal(distinct(codes), wanted)
    assert np.array_equal(of, inverse)
    first = np.unique(codes, return_index=True)[1]
    assert np.array_equal(first_entries(of, len(kinds)), first)
