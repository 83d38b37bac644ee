"""Call paths that are read, held against a stack of open regions."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from event_files import Event, library_columns, write_definitions, write_file
from traces import simulated
from writer import write_trace

from topoview.io.decoder.library import (
    LOCATION,
    MAX_LOCATION_PATHS,
    MAX_PATH_DEPTH,
    address,
    load_decoder,
)
from topoview.model import CallPaths, TimeState, Trace
from topoview.worker import open_trace

ENTER, LEAVE = 12, 13
USER = 400
"""Regions of the user's own."""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a trace of six ranks and many regions, its events to be replaced."""
    trace = simulated("grid", (3, 2))
    regions = trace.regions
    more = np.zeros(USER, np.int32)
    regions = replace(
        regions,
        names=(*regions.names, *(f"function {i}" for i in range(USER))),
        state=np.append(regions.state, more + TimeState.COMPUTE).astype(np.uint8),
        operation=np.append(regions.operation, more - 1),
    )
    folder = tmp_path_factory.mktemp("paths") / "run"
    write_trace(replace(trace, regions=regions), folder)
    return folder


def write(archive: Path, rank: int, steps: list[int]) -> None:
    """Replace a rank's events: enter a region, or leave the region -n - 1."""
    events = []
    for at, step in enumerate(steps):
        kind, region = (LEAVE, -step - 1) if step < 0 else (ENTER, step)
        events.append(Event(100 + 10 * at, kind, (region,)))
    (archive / "traces" / f"{rank}.evt").write_bytes(write_file(events, "little"))
    (archive / "traces" / f"{rank}.def").write_bytes(
        write_definitions("little", {}, [])
    )


def known(trace: Trace) -> tuple[list[int], list[int]]:
    """Numbers of regions as the file has them: the user's, and MPI calls."""
    operation = trace.regions.operation
    order = np.arange(len(operation))  # written in their order
    return order[operation < 0].tolist(), order[operation >= 0].tolist()


def paths_of(trace: Trace, row: int) -> list[tuple[int, ...]]:
    """Path of each call of a row."""
    calls = slice(*trace.calls.offsets[row : row + 2])
    return [trace.paths.regions_of(path) for path in trace.calls.path[calls].tolist()]


def test_any_program(archive: Path) -> None:
    """Each rank has other functions in another order; calls at any depth."""
    user, calls = known(open_trace(archive))
    rng = random.Random(3)
    expected: list[list[tuple[int, ...]]] = []
    for rank in range(6):
        stack: list[int] = []
        steps, paths = [], []
        own = rng.sample(user, 5)
        for _ in range(2000):
            kind = rng.random()
            if kind < 0.3:
                stack.append(rng.choice(own))
                steps.append(stack[-1])
            elif kind < 0.6 and stack:
                # sometimes one that has others open above it
                left = rng.choice(stack[-2:]) if rng.random() < 0.2 else stack[-1]
                while stack.pop() != left:
                    pass
                steps.append(-left - 1)
            else:
                call = rng.choice(calls)
                paths.append(tuple(stack))
                steps += [call, -call - 1]
        expected.append(paths)
        write(archive, rank, steps)
    trace = open_trace(archive)
    for rank in range(6):
        assert paths_of(trace, rank) == expected[rank]
    assert library_columns(archive) == []


def test_recursion_is_told_to_some_depth(archive: Path) -> None:
    user, calls = known(open_trace(archive))
    deep = MAX_PATH_DEPTH + 5000
    steps = [user[1]] * deep + [calls[0], -calls[0] - 1]
    steps += [-user[1] - 1] * (deep - 3) + [calls[0], -calls[0] - 1]
    write(archive, 0, steps)
    trace = open_trace(archive)
    assert paths_of(trace, 0) == [(user[1],) * MAX_PATH_DEPTH, (user[1],) * 3]
    assert any(f"{MAX_PATH_DEPTH} levels" in warning for warning in trace.warnings)
    assert library_columns(archive) == []


def test_more_paths_than_are_kept(archive: Path) -> None:
    """Those that come later are told as what is around them."""
    user, calls = known(open_trace(archive))
    steps, expected = [], []
    call = [calls[0], -calls[0] - 1]
    for one in user[:200]:
        for other in user[:100]:
            steps += [one, other, *call, -other - 1, -one - 1]
            expected.append((one, other))
    write(archive, 0, steps)
    trace = open_trace(archive)
    found = paths_of(trace, 0)
    whole = [path for path in found if len(path) == 2]
    assert whole == expected[: len(whole)]
    assert len(set(whole)) + len({path[0] for path in whole}) == MAX_LOCATION_PATHS - 1
    assert all(
        path == other[: len(path)] for path, other in zip(found, expected, strict=True)
    )
    assert any(
        f"{MAX_LOCATION_PATHS} different paths" in warning for warning in trace.warnings
    )


def join(
    tables: list[list[list[int]]], offsets: list[int], column: list[int], most: int
) -> tuple[CallPaths, list[int], int]:
    """Put paths of locations together: all paths, the calls' ones, those not kept."""
    arrays = [np.array(table, np.int32) for table in tables]
    rows = np.zeros(len(tables), LOCATION)
    rows["paths"] = [address(array) if array.size else 0 for array in arrays]
    rows["path_count"] = [array.size // 2 for array in arrays]
    parents, regions = np.zeros((2, most), np.int32)
    calls, found = np.array(column, np.int32), np.zeros(2, np.int64)
    load_decoder().join_paths(
        address(rows), len(rows), address(np.array(offsets)), address(calls), most,
        address(parents), address(regions), address(found),
    )  # fmt: skip
    count, cut = found.tolist()
    return CallPaths(parents[:count], regions[:count]), calls.tolist(), cut


def test_equal_paths_of_locations_have_one_number() -> None:
    tables = [[[-1, 0, 1], [-1, 4, 5]], [], [[-1, 0, 0, 2], [-1, 6, 4, 5]]]
    paths, column, cut = join(tables, [0, 2, 2, 5], [2, 1, 0, 1, 3], 10)
    assert [paths.regions_of(path) for path in range(len(paths))] == [
        *((), (4,), (4, 5), (6,))
    ]
    assert column == [2, 1, 0, 3, 2]
    assert not cut


def test_more_paths_of_a_trace_than_are_kept() -> None:
    """None is told with a region left out of its middle."""
    tables = [[[-1, 0, 0], [-1, 4, 5]], [[-1, 0, 1, 0], [-1, 6, 5, 5]]]
    paths, column, cut = join(tables, [0, 2, 5], [1, 2, 1, 2, 3], 3)
    assert [paths.regions_of(path) for path in column] == [*((4,), (5,), (), (), (5,))]
    assert len(paths) == 3
    assert cut == 2


def test_tables_that_are_the_same_are_put_together_once() -> None:
    rng = random.Random(1)
    table = [[-1, *(rng.randrange(n + 1) for n in range(300))], [-1, *range(300)]]
    tables = [table, [row[:] for row in table], [[-1, 0], [-1, 7]], table]
    paths, column, _ = join(tables, [0, 1, 2, 3, 4], [300, 300, 1, 299], 1 << 10)
    assert column[0] == column[1] == 300
    assert column[3] == 299
    assert paths.regions_of(column[2]) == (7,)
