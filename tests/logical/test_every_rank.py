"""Logical traces that are made of some ranks at a time."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from parts import logical_in_parts
from traces import results_of_real

from topoview.logical import program
from topoview.logical.calls import facts
from topoview.logical.program import MAX_ROWS_NAMED_OTHERWISE
from topoview.model import LogicalTrace, Trace
from topoview.pipeline import Options, Results
from topoview.pipeline.logical_steps import naming_of, with_unseen


def same(one: Any, other: Any) -> bool:  # noqa: ANN401 - fields of any kind
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if hasattr(one, "__dataclass_fields__"):
        return all(
            same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one)
        )
    return one == other


def assert_same_logical(found: LogicalTrace, wanted: LogicalTrace) -> None:
    for field in fields(LogicalTrace):
        if field.name != "seconds":
            assert same(getattr(found, field.name), getattr(wanted, field.name)), field


@pytest.mark.parametrize(
    "name",
    ["sp-masterworker-24", "sp-rowcol-6x4", "app-pennant-12", "app-lammps-lj-24"],
)
def test_a_few_ranks_at_a_time_are_told_what_all_at_once_are(
    real_trace: Callable[[str], Trace],
    name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Programs with scripts, partners in turn, halves of calls, repeated polls."""
    trace = real_trace(name)
    whole = results_of_real(name).make("logical")
    monkeypatch.setattr(facts, "MAX_CALLS_AT_ONCE", len(trace.calls) // 5)
    parts = Results(trace, Options(), []).make("logical")
    assert_same_logical(parts, whole)


TRIED_ALWAYS = {
    "sp-masterworker-24": 3,
    "sp-rowcol-6x4": 7,
    "app-pennant-12": 7,
    "ez-cg-8": 2,
    "ez-threads-halo": 3,
    "sp-twophase-6x6-user-metrics": 2,
}
"""Number of parts by trace: each trace, and each number twice."""

PLAINLY_NAMED_ALWAYS = ("sp-rowcol-6x4", "ez-threads-halo")
"""Traces whose partners are also named in one way, as in a trace of many rows."""


@pytest.mark.parametrize(
    ("name", "count", "most"),
    [
        pytest.param(
            name,
            count,
            most,
            marks=[pytest.mark.slow]
            * (count != tried or (most == 0 and name not in PLAINLY_NAMED_ALWAYS)),
        )
        for name, tried in TRIED_ALWAYS.items()
        for count in (2, 3, 7)
        for most in (0, MAX_ROWS_NAMED_OTHERWISE)
    ],
)
def test_parts_of_the_ranks_make_the_same(
    real_trace: Callable[[str], Trace],
    name: str,
    count: int,
    most: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Receives that EZTrace does not record, threads, few calls and many."""
    monkeypatch.setattr(program, "MAX_ROWS_NAMED_OTHERWISE", most)
    results = (
        results_of_real(name)
        if most == MAX_ROWS_NAMED_OTHERWISE
        else Results(real_trace(name), Options(), [])
    )
    whole = results.make("logical")
    naming = naming_of(results["identification"])
    parts = logical_in_parts(results.trace, count, naming)
    assert_same_logical(with_unseen(results.trace, parts), whole)
