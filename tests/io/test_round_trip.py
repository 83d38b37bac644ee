"""A trace that is written and read again is the same one."""

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from traces import programs, simulated

from topoview.analysis import Program, simulate
from topoview.analysis.demo import demo_program
from topoview.io import open_trace, write_trace
from topoview.model import Trace


def assert_same_table(read: object, written: object) -> None:
    assert type(read) is type(written)
    for field in fields(written):  # type: ignore[arg-type]
        ours, theirs = getattr(read, field.name), getattr(written, field.name)
        assert ours.dtype == theirs.dtype, field.name
        np.testing.assert_array_equal(ours, theirs, field.name)


def with_regions_of(read: Trace, written: Trace) -> Trace:
    """Renumber a read trace's regions and operations as the written one's."""
    names = written.regions.names
    assert sorted(read.regions.names) == sorted(names)
    number = np.array([*(names.index(n) for n in read.regions.names), -1], np.int32)
    order = np.array([read.regions.names.index(name) for name in names])
    operations = written.regions.operations
    assert sorted(read.regions.operations) == sorted(operations)
    operation = np.array([*(operations.index(o) for o in read.regions.operations), -1])
    return replace(
        read,
        regions=replace(
            read.regions,
            names=names,
            state=read.regions.state[order],
            operation=operation[read.regions.operation[order]].astype(np.int32),
            operations=operations,
        ),
        timeline=replace(read.timeline, region=number[read.timeline.region]),
        calls=replace(read.calls, region=number[read.calls.region]),
    )


def assert_same(read: Trace, written: Trace) -> None:
    read = with_regions_of(read, written)
    assert read.clock == written.clock
    assert read.ranks == written.ranks
    assert read.events == written.events
    assert read.producer == written.producer
    assert read.locations == written.locations
    assert read.metrics == written.metrics
    assert read.warnings == ()
    assert read.regions.names == written.regions.names
    assert read.regions.operations == written.regions.operations
    np.testing.assert_array_equal(read.regions.state, written.regions.state)
    np.testing.assert_array_equal(read.regions.operation, written.regions.operation)
    for table in ("timeline", "calls", "messages", "collectives"):
        assert_same_table(getattr(read, table), getattr(written, table))
    assert len(read.communicators) == len(written.communicators)
    for ours, theirs in zip(read.communicators, written.communicators, strict=True):
        assert ours.name == theirs.name
        np.testing.assert_array_equal(ours.ranks, theirs.ranks)
    assert len(read.topologies) == len(written.topologies)
    for mine, yours in zip(read.topologies, written.topologies, strict=True):
        assert (mine.name, mine.communicator, mine.dims, mine.names) == (
            yours.name,
            yours.communicator,
            yours.dims,
            yours.names,
        )
        np.testing.assert_array_equal(mine.periodic, yours.periodic)
        order = np.argsort(mine.ranks)
        np.testing.assert_array_equal(mine.ranks[order], yours.ranks)
        np.testing.assert_array_equal(mine.coordinates[order], yours.coordinates)


@settings(max_examples=40)
@given(programs())
def test_any_program(
    tmp_path_factory: pytest.TempPathFactory, program: Program
) -> None:
    written = simulate(program)
    anchor = write_trace(written, tmp_path_factory.mktemp("archive"))
    assert_same(open_trace(anchor), written)


def test_the_demo(tmp_path: Path) -> None:
    written = simulate(demo_program())
    assert_same(open_trace(write_trace(written, tmp_path)), written)


def test_time_stamps_far_from_zero(tmp_path: Path) -> None:
    written = simulated("torus", (4, 3), numbering=1)
    written = replace(written, clock=replace(written.clock, origin=3 * 10**17))
    assert_same(open_trace(write_trace(written, tmp_path)), written)


@pytest.mark.parametrize(
    "name",
    [
        "ez-bt-9",
        "ez-threads-halo",
        "public-apex",
        "public-casita-2_cuda_simple",
        "public-sstmacro-10",
        "public-tracer-stencil4d-32",
        "sp-masterworker-24",
        "sp-rowcol-6x4",
        "sp-threads-halo",
        "sp-twophase-6x6-user-metrics",
    ],
)
def test_real_traces(
    name: str, real_trace: Callable[[str], Trace], tmp_path: Path
) -> None:
    """What is left out is what the model does not hold: nesting and metrics."""
    written = real_trace(name)
    read = open_trace(write_trace(written, tmp_path))
    assert read.clock == written.clock
    assert read.locations == written.locations
    assert read.producer == written.producer
    assert read.metrics == written.metrics
    for table in ("timeline", "calls", "messages", "collectives"):
        ours, theirs = getattr(read, table), getattr(written, table)
        if table in ("timeline", "calls"):
            ours, theirs = (
                replace(part, region=names_of(trace)[part.region])
                for part, trace in ((ours, read), (theirs, written))
            )
        assert_same_table(ours, theirs)


def names_of(trace: Trace) -> np.ndarray:
    return np.array([*trace.regions.names, ""], object)
