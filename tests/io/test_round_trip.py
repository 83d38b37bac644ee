"""A trace that is written and read again is the same one."""

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from simulation import Program, simulate
from simulation.demo import demo_program, demo_trace, mapping_program, simulate_demo
from traces import programs, simulated
from writer import write_trace

from topoview.base import resources
from topoview.model import CallPaths, TimeState, Trace
from topoview.worker import open_trace


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
        paths=replace(read.paths, region=number[read.paths.region]),
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
    for table in ("timeline", "calls", "messages", "collectives", "paths"):
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
    written = simulate_demo()
    assert_same(open_trace(write_trace(written, tmp_path)), written)


@pytest.mark.parametrize(
    ("name", "program"), [("wave", demo_program()), ("mapping", mapping_program())]
)
def test_the_demos_that_are_shipped(name: str, program: Program) -> None:
    """They are the simulated programs, measured in microseconds."""
    trace, whole = open_trace(resources.demo_trace(name)), simulate(program)
    written = demo_trace(program)
    assert trace.clock.resolution == 1_000_000
    for table in ("calls", "messages"):
        ours, theirs = getattr(trace, table), getattr(written, table)
        for column in theirs.__slots__:
            if column != "region":
                np.testing.assert_array_equal(
                    getattr(ours, column), getattr(theirs, column), column
                )
    np.testing.assert_array_equal(trace.calls.enter, whole.calls.enter // 1000)
    np.testing.assert_array_equal(trace.calls.leave, whole.calls.leave // 1000)


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
    """What is left out is what the model does not hold: nesting without calls.

    Sizes of collectives are written as they are, not as Score-P would write them.
    """
    written = real_trace(name)
    if not written.producer.startswith("EZTrace"):
        written = replace(written, producer="topoview")
    read = open_trace(write_trace(written, tmp_path))
    assert read.clock == written.clock
    assert read.locations == written.locations
    assert read.producer == written.producer
    assert read.metrics == written.metrics
    for table in ("timeline", "calls", "messages", "collectives"):
        ours, theirs = getattr(read, table), getattr(written, table)
        if table == "calls":
            assert read.calls.path.dtype == written.calls.path.dtype
            ours, theirs = (
                replace(part, path=told_of(trace)[part.path])
                for part, trace in ((ours, read), (theirs, written))
            )
        if table in ("timeline", "calls"):
            ours, theirs = (
                replace(part, region=names_of(trace)[part.region])
                for part, trace in ((ours, read), (theirs, written))
            )
        assert_same_table(ours, theirs)


def told_of(trace: Trace) -> np.ndarray:
    """Call paths in words."""
    names = trace.regions.names
    told = [
        " > ".join(names[region] for region in trace.paths.regions_of(path))
        for path in range(len(trace.paths))
    ]
    return np.array(told, object)


def names_of(trace: Trace) -> np.ndarray:
    return np.array([*trace.regions.names, ""], object)


@pytest.mark.parametrize("seed", range(6))
def test_any_call_paths(seed: int, tmp_path: Path) -> None:
    """Whatever functions calls are in, and whether the timeline tells of them."""
    rng = np.random.default_rng(seed)
    written = simulated("torus", (3, 3), iterations=4)
    regions, more = written.regions, np.zeros(5, np.int32)
    regions = replace(
        regions,
        names=(*regions.names, *"abcde"),
        state=np.append(regions.state, more + TimeState.COMPUTE).astype(np.uint8),
        operation=np.append(regions.operation, more - 1),
    )
    user = np.flatnonzero(regions.operation < 0)
    count = 12
    parent = np.append(-1, rng.integers(0, np.arange(1, count))).astype(np.int32)
    inner = np.append(-1, rng.choice(user, count - 1)).astype(np.int32)
    paths = CallPaths(parent, inner)
    calls = replace(
        written.calls,
        path=rng.integers(0, count, len(written.calls)).astype(np.int32),
        kept=np.zeros(len(written.calls), np.uint8),
    )
    timeline = written.timeline
    shown = np.array(timeline.region)
    free = shown == 0
    shown[free] = rng.choice([0, user[1], user[2]], np.count_nonzero(free))
    written = replace(
        written,
        regions=regions,
        paths=paths,
        calls=calls,
        timeline=replace(timeline, region=shown),
    )
    read = with_regions_of(open_trace(write_trace(written, tmp_path)), written)
    assert_same_table(read.timeline, written.timeline)
    assert_same_table(read.messages, written.messages)
    assert not read.calls.kept.any()
    assert [read.paths.regions_of(path) for path in read.calls.path.tolist()] == [
        paths.regions_of(path) for path in calls.path.tolist()
    ]
