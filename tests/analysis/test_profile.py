"""Profiles against sums written as plain loops."""

import json
import re
from collections.abc import Callable

import numpy as np
import pytest
from traces import profile_of_run

from topoview.analysis.account.account import account
from topoview.analysis.waits.deduced import deduced_ends
from topoview.analysis.waits.states import wait_states
from topoview.base.progress import Cancelled
from topoview.base.text import write
from topoview.model import TimeState, Trace, whole_part
from topoview.report.profile import CLASS_TEXTS, profile_page, profile_record
from topoview.report.write import page_text

Simulated = Callable[..., Trace]


@pytest.mark.parametrize(
    ("kind", "dims"), [("grid", (4, 3)), ("star", (6,)), ("torus", (3, 3, 2))]
)
def test_sums_equal_plain_loops(
    simulated: Simulated, kind: str, dims: tuple[int, ...]
) -> None:
    trace = simulated(kind, dims)
    found = profile_of_run(trace)
    calls = trace.calls
    for rank in range(trace.ranks):
        count = dict.fromkeys(found.operations, 0)
        ticks = dict.fromkeys(found.operations, 0)
        for call in range(calls.offsets[rank], calls.offsets[rank + 1]):
            name = trace.regions.operations[trace.regions.operation[calls.region[call]]]
            count[name] += 1
            ticks[name] += int(calls.leave[call] - calls.enter[call])
        assert list(count.values()) == found.calls[rank].tolist()
        assert list(ticks.values()) == found.ticks[rank].tolist()


def test_states_fill_the_whole_time(simulated: Simulated) -> None:
    trace = simulated("grid", (4, 3))
    found = profile_of_run(trace)
    assert (found.state_ticks.sum(axis=1) == trace.clock.length).all()
    part = whole_part(trace)
    line = account(part, wait_states(trace), deduced_ends(part)).timeline
    for time in np.linspace(0, trace.clock.length, 20).astype(int).tolist():
        states = line.state[line.at(time)]
        assert all(
            found.state_ticks[rank, states[rank]] > 0 or time == trace.clock.length
            for rank in range(trace.ranks)
        )
    rank = 5
    begin, end = line.offsets[rank : rank + 2]
    by_hand = [0] * len(TimeState)
    for i in range(begin, end):
        until = line.time[i + 1] if i + 1 < end else trace.clock.length
        by_hand[line.state[i]] += int(until - line.time[i])
    assert by_hand == found.state_ticks[rank].tolist()


def test_record_and_text_tell_the_same(simulated: Simulated) -> None:
    trace = simulated("grid", (4, 3))
    found = profile_of_run(trace)
    record = json.loads(json.dumps(profile_record(trace, found)))
    text = page_text(profile_page(trace, found))
    for name, told in record["functions"].items():
        assert told["calls"] == sum(told["calls_by_rank"])
        assert told["seconds"] == pytest.approx(sum(told["seconds_by_rank"]))
        start = f"{name.removeprefix('MPI_')} "
        line = next(x for x in text.splitlines() if x.startswith(start))
        cells = re.split("  +", line)
        assert cells[1:3] == [write(told["calls"]), write(told["seconds"], "s")]
    for name, seconds in record["account"].items():
        start = f"{CLASS_TEXTS[name]} "
        line = next(x for x in text.splitlines() if x.startswith(start))
        assert write(seconds, "s") in re.split("  +", line)
    whole = trace.ranks * record["duration_seconds"]
    assert sum(record["account"].values()) == pytest.approx(whole)
    assert record["span"] == {
        "name": "run",
        "begin": 0,
        "end": record["duration_seconds"],
    }
    seconds = [told["seconds"] for told in record["functions"].values()]
    assert seconds == sorted(seconds, reverse=True)


def test_text_of_many_ranks_is_cut(simulated: Simulated) -> None:
    trace = simulated("grid", (10, 10))
    text = page_text(profile_page(trace, profile_of_run(trace)))
    assert "--by rank lists all" in text
    assert text.endswith("84 more")


def test_cancel(simulated: Simulated) -> None:
    def stop(stage: str, fraction: float) -> None:
        del stage, fraction
        raise Cancelled

    with pytest.raises(Cancelled):
        profile_of_run(simulated("grid", (4, 3)), stop)
