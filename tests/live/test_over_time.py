"""Times by call path and over time, against plain loops over the events."""

from collections import defaultdict
from pathlib import Path

import numpy as np
import otf2
import pytest
import traces

import topoview
from topoview.model import Trace

pytestmark = pytest.mark.usefixtures("one_store")

NAMES = ("sp-twophase-6x6-user-metrics", "sp-jacobi2d-8x4-periodic-idlewave")


def plain_tree(name: str, folder: Path) -> dict[str, list[int]]:
    """Sum up visits, ticks within and own ticks by path: a stack a location."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    stacks: dict[object, list[tuple[str, int]]] = defaultdict(list)
    with otf2.reader.open(str(traces.unpacked(name, folder))) as archive:
        for location, event in archive.events:
            stack = stacks[location]
            if isinstance(event, otf2.events.Enter):
                stack.append((event.region.name.removeprefix("MPI_"), event.time))
            elif isinstance(event, otf2.events.Leave):
                path = [name for name, _ in stack]
                spent = event.time - stack.pop()[1]
                sums[" > ".join(path)][0] += 1
                sums[" > ".join(path)][1] += spent
                sums[" > ".join(path)][2] += spent
                if stack:
                    sums[" > ".join(path[:-1])][2] -= spent
    return sums


@pytest.mark.parametrize("name", NAMES)
def test_the_tree_of_calls_has_the_times_of_the_events(
    name: str, tmp_path: Path
) -> None:
    trace = traces.read_real(name)
    table = topoview.regions(trace, tree=True, span="run")
    second = trace.clock.resolution
    sums = {
        row["path"].replace("MPI_", ""): (
            row["visits"],
            round(row["seconds"] * second),
            round(row["own_seconds"] * second),
        )
        for row in table
    }
    truth = {path: tuple(one) for path, one in plain_tree(name, tmp_path).items()}
    # MPI calls lie in the regions that are open: their visits and times are exact
    calls = {path for path in truth if trace_operation(trace, path)}
    assert {path: sums[path] for path in calls} == {path: truth[path] for path in calls}
    outer = {path for path in truth if not path.count(" > ")}
    assert {path: sums[path][1] for path in outer} == {
        path: truth[path][1] for path in outer
    }


def trace_operation(trace: Trace, path: str) -> bool:
    return path.rpartition(" > ")[2] in trace.regions.operations


def test_a_tree_sums_to_its_roots() -> None:
    trace = topoview.demo("transpose")
    table = topoview.regions(trace, tree=True, ranks="0-4", window=(2.0, 2.2))
    roots = table["depth"] == 0
    np.testing.assert_allclose(
        table["own_seconds"].sum(), table["seconds"][roots].sum()
    )
    assert (table["own_seconds"] > -1e-12).all()


def test_parts_of_the_time_sum_to_the_profile() -> None:
    trace = topoview.demo("transpose")
    parts = topoview.profile(trace, "time", parts=7, span="run").to_pandas()
    states = topoview.profile(trace, "state", span="run").to_pandas()
    assert len(parts.begin.unique()) == 7
    by_state = parts.groupby("state", observed=True).seconds.sum()
    truth = states.set_index("name").seconds
    truth.index = truth.index.astype(str)
    length = trace.clock.seconds(trace.clock.length)
    share = parts.groupby("begin").share.sum()
    np.testing.assert_allclose(share, 1.0)
    assert by_state.sum() == pytest.approx(trace.ranks * length)
    assert by_state["compute"] == pytest.approx(truth["compute"], rel=1e-6)
