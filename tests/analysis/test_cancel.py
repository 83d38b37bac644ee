"""Giving up an analysis: at any report, and there are many."""

import pytest

from topoview.analysis import analyse
from topoview.analysis.simulation.simulate import Program, simulate
from topoview.logical.rows import Symbols
from topoview.logical.stages import READING
from topoview.model import Trace
from topoview.progress import Cancelled
from topoview.topology import lattice

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


def test_calls_become_rows_in_many_steps(trace: Trace) -> None:
    """The longest stage without loops of its own asks between its array operations."""
    stages: list[str] = []
    list(analyse(trace, lambda stage, _: stages.append(stage)))
    assert stages.count(READING) > len(Symbols.__dataclass_fields__)
