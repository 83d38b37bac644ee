"""A digest: exact sums of states, the same results, and files that are damaged."""

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import traces
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import DTypeLike, NDArray
from parts import parts_of
from same import assert_same

import topoview
from topoview.__main__ import main
from topoview.analysis.account.sums import state_ticks
from topoview.analysis.digest import (
    COUNTER_STEPS,
    KEPT,
    STEPS,
    condense,
    folded,
    joined_samples,
    joined_slowest,
    samples,
    slowest,
    step_ends,
)
from topoview.base.tasks import Here
from topoview.base.text import grouped
from topoview.errors import RefusedError, TopoviewError, TraceError
from topoview.model import (
    Analysis,
    EventRecords,
    MachineChoice,
    MetricCounter,
    Timeline,
    TimeState,
    Trace,
    whole_part,
)
from topoview.pipeline import RESULTS, Options, Results
from topoview.report.document import sections
from topoview.scene.flat.plain_report import loads_of
from topoview.store.digest import VERSION, read_digest, read_results, write_digest
from topoview.worker.digest import write_results
from topoview.worker.graph import Job, make_on
from topoview.worker.results import results_of

# The pyramid: what is kept of the timeline.


@st.composite
def timelines(draw: st.DrawFn) -> tuple[Timeline, int]:
    """Draw a timeline of some rows, and its length."""
    length = draw(st.integers(0, 60))
    rows = []
    for _ in range(draw(st.integers(1, 4))):
        cuts = draw(st.sets(st.integers(1, max(length, 1)), max_size=12))
        times = [0, *sorted(cut for cut in cuts if cut <= length)]
        states = [draw(st.integers(0, 9)) for _ in times]
        rows.append((times, [*states[:-1], 0]))
    return made_timeline(rows), length


def made_timeline(rows: list[tuple[list[int], list[int]]]) -> Timeline:
    offsets = np.cumsum([0, *(len(times) for times, _ in rows)])
    time = np.concatenate([times for times, _ in rows]).astype(np.int64)
    state = np.concatenate([states for _, states in rows]).astype(np.uint8)
    return Timeline(offsets, time, state, np.full(len(time), -1, np.int32))


def ticks_of(line: Timeline, begin: int, end: int) -> np.ndarray:
    """Count ticks one by one."""
    found = np.zeros((line.rows, len(TimeState)), np.int64)
    for tick in range(begin, end):
        for row, at in enumerate(line.at(tick)):
            found[row, line.state[at]] += 1
    return found


@given(timelines(), st.integers(1, 9))
def test_sums_of_states_are_exact_at_every_level(
    made: tuple[Timeline, int], steps: int
) -> None:
    line, length = made
    edges = step_ends(length, steps)
    small = folded(line, length, steps)
    for times in np.split(small.time, small.offsets[1:-1]):
        assert times[0] == 0
        assert (np.diff(times) > 0).all()
    assert (small.state[small.offsets[1:] - 1] == TimeState.OUTSIDE).all()
    for coarser in range(1, steps + 1):  # steps together, as a coarser level has them
        bounds = np.unique([*edges[::coarser], length])
        sums = state_ticks(small, slice(0, small.rows), bounds)
        for step, (begin, end) in enumerate(
            zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
        ):
            expected = ticks_of(line, begin, end)
            np.testing.assert_array_equal(sums[:, step], expected)
            np.testing.assert_array_equal(ticks_of(small, begin, end), expected)


def test_folding_has_no_more_intervals_than_there_are() -> None:
    trace = traces.read_real("sp-rowcol-6x4")
    small = folded(trace.timeline, trace.clock.length, 2000)
    assert small.offsets[-1] <= trace.timeline.offsets[-1]


# Counters: a few records of each step.


@st.composite
def counted(draw: st.DrawFn) -> tuple[Trace, int]:
    """Draw a trace of some rows with records of two counters, and steps."""
    length, rows = draw(st.integers(1, 60)), draw(st.integers(1, 4))
    records = [
        sorted(
            draw(
                st.lists(
                    st.tuples(
                        st.integers(0, length), st.integers(0, 1), st.integers(-9, 9)
                    ),
                    max_size=20,
                )
            )
        )
        for _ in range(rows)
    ]
    flat = [record for row in records for record in row]
    offsets = np.cumsum([0, *map(len, records)])
    time = np.array([one[0] for one in flat], np.int64)
    values = [[counter, 0, 8, number] for _, counter, number in flat]
    metric = EventRecords(
        "Metric",
        ("metric", "place", "type", "value"),
        offsets,
        time,
        np.array(values, np.int64).reshape(-1, 4),
    )
    trace = traces.simulated("grid", (3, 2))
    counters = (
        MetricCounter(0, 0, "grows", mode="grows"),
        MetricCounter(1, 0, "changes", mode="change"),
    )
    clock = replace(trace.clock, length=length)
    made = replace(trace, further=(metric,), counters=counters, clock=clock)
    return made, draw(st.sampled_from([8, 24, 80]))


@given(counted())
def test_samples_are_those_that_make_each_step(made: tuple[Trace, int]) -> None:
    """First, last, least, greatest of what is a value; the sum of what is a change."""
    trace, steps = made
    (records,), found = trace.further, samples(trace, steps)
    if not len(records):
        assert found is None
        return
    assert found is not None
    edges = step_ends(trace.clock.length, steps // COUNTER_STEPS)
    for row in range(len(records.offsets) - 1):
        for step in range(len(edges) - 1):
            for counter in (0, 1):
                own, kept = (
                    [
                        (int(table.time[i]), float(table.numbers()[i]))
                        for i in range(table.offsets[row], table.offsets[row + 1])
                        if table.values[i, 0] == counter
                        and step == min(sum(table.time[i] >= edges[1:-1]), len(edges))
                    ]
                    for table in (records, found)
                )
                assert bool(own) == bool(kept)
                if not own:
                    continue
                if counter:
                    assert kept == [(own[-1][0], sum(number for _, number in own))]
                    continue
                assert set(kept) <= set(own)
                assert len(kept) <= 4
                assert (kept[0], kept[-1]) == (own[0], own[-1])
                for chosen in (min, max):
                    expected = chosen(number for _, number in own)
                    assert chosen(number for _, number in kept) == expected


@given(counted(), st.integers(1, 3))
def test_samples_of_parts_are_those_of_all(made: tuple[Trace, int], parts: int) -> None:
    trace, steps = made
    (records,), whole = trace.further, samples(trace, steps)
    rows = len(records.offsets) - 1
    found = []
    for part in np.array_split(np.arange(rows), parts):
        some = np.isin(np.arange(rows), part)
        sizes = np.diff(records.offsets)
        kept = np.repeat(some, sizes)
        own = replace(
            records,
            offsets=np.cumsum(np.append(0, np.where(some, sizes, 0))),
            time=records.time[kept],
            values=records.values[kept],
        )
        found.append(samples(replace(trace, further=(own,)), steps))
    assert_same(joined_samples(found, trace.regions), whole)


# The same results, however many parts there are.


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    """Make the digest of a real trace in this process, as one."""
    made: dict[str, tuple[Trace, dict[str, Any]]] = {}

    def make(name: str) -> tuple[Trace, dict[str, Any]]:
        if name not in made:
            file = tmp_path_factory.mktemp("single") / "one.topoview"
            write_results(Results(traces.read_real(name)), file)
            made[name] = read_digest(file), without_clock(read_results(file))
        return made[name]

    return make


def without_clock(results: dict[str, Any]) -> dict[str, Any]:
    """Leave out how long results took to find."""
    timed = {"identification", "parts", "logical"}
    return {
        name: replace(value, seconds=0.0) if name in timed else value
        for name, value in results.items()
    }


@pytest.mark.parametrize(
    "name",
    [
        "sp-rowcol-6x4",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in [*traces.BUNDLED_NAMES, *traces.MORE_NAMES]
            if name != "sp-rowcol-6x4"
        ),
    ],
)
# of three parts test_cluster.py makes the same one
@pytest.mark.parametrize("count", [1, 2, pytest.param(3, marks=pytest.mark.slow), 7])
def test_parts_make_the_same_digest(
    count: int, name: str, single: Callable[[str], Any], tmp_path: Path
) -> None:
    trace, results = single(name)
    file, folder = tmp_path / "parts.topoview", tmp_path / "work"
    path = str(traces.real_path(name))
    made = make_on(Here(), Job(path, str(file), str(folder), count, 1, 1 << 32, 512))
    assert made.size == file.stat().st_size
    assert_same(replace(read_digest(file), path=trace.path), trace)
    assert_same(without_clock(read_results(file)), results)


def test_results_refer_to_calls_that_are_there(single: Callable[[str], Any]) -> None:
    whole = traces.read_real("sp-rowcol-6x4")
    trace, results = single("sp-rowcol-6x4")
    assert trace.digest.calls == len(whole.calls)
    assert trace.digest.messages == len(whole.messages)
    reported = sections._about(trace).rows
    assert ("MPI calls", grouped(len(whole.calls))) in reported
    assert ("messages", grouped(len(whole.messages))) in reported
    calls = trace.calls
    assert len(results["waits"].until) == len(calls) <= len(whole.calls)
    took = np.sort(whole.calls.leave - whole.calls.enter)[::-1]
    kept = np.sort(calls.leave - calls.enter)[::-1]
    few = min(len(kept), 1000)
    np.testing.assert_array_equal(kept[:few], took[:few])
    sent = trace.messages.send_call
    rows = np.searchsorted(calls.offsets, sent, side="right") - 1
    np.testing.assert_array_equal(rows, trace.messages.sender)


# A file that is damaged, or of another version.


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the digest of a simulated trace."""
    file = tmp_path_factory.mktemp("small") / "small.topoview"
    few = Options(steps=16)
    write_results(Results(traces.simulated("grid", (3, 2)), few), file)
    return file


def test_a_digest_is_written_as_a_whole_and_again_the_same(
    small: Path, tmp_path: Path
) -> None:
    trace, again = read_digest(small), tmp_path / "again.topoview"
    write_digest(again, trace, read_results(small))
    assert again.read_bytes() == small.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["again.topoview"]


def test_large_arrays_of_a_digest_are_those_that_are_allocated(
    tmp_path: Path,
) -> None:
    trace, file = traces.simulated("torus", (8, 8)), tmp_path / "all.topoview"
    write_digest(file, trace, {})
    allocated: dict[str, NDArray[Any]] = {}

    def allocate(
        name: str, length: int, dtype: DTypeLike, *, scratch: bool = False
    ) -> NDArray[Any]:
        assert not scratch
        assert name not in allocated
        allocated[name] = np.empty(length, dtype)
        return allocated[name]

    again = read_digest(file, allocate=allocate)
    assert_same(replace(again, path=trace.path), trace)
    columns = again.timeline.time, again.calls.enter, again.messages.size
    for column in columns:
        assert any(np.shares_memory(column, one) for one in allocated.values())
        assert not column.flags.writeable


def test_damage_ends_in_a_sentence(small: Path, tmp_path: Path) -> None:
    whole, chance = small.read_bytes(), random.Random(21)
    trace, results = read_digest(small), read_results(small)
    file = tmp_path / "damaged.topoview"
    said: list[str] = []
    for turn in range(300):
        data = bytearray(whole)
        if turn % 3:
            for _ in range(chance.randint(1, 8)):
                data[chance.randrange(len(data))] = chance.randrange(256)
        else:
            del data[chance.randrange(len(data)) :]
        file.write_bytes(data)
        try:
            found = read_digest(file), read_results(file)
        except TraceError as error:
            said.append(str(error))
            continue
        assert_same(found, (trace, results))
    assert len(said) > 200
    assert all(str(file) in text and "\n" not in text for text in said)


@pytest.mark.parametrize(
    "damage",
    [
        lambda ranks, begins, receiver: (ranks, begins[:-1], receiver),
        lambda ranks, begins, receiver: (ranks - 1, begins[:-1], receiver),
        lambda ranks, begins, receiver: (ranks, begins + (begins > 0) * 9, receiver),
        lambda ranks, begins, receiver: (ranks, np.maximum(begins, 1), receiver),
        lambda ranks, begins, receiver: (ranks, begins[::-1].copy(), receiver),
        lambda ranks, begins, receiver: (ranks, begins, receiver[::-1].copy()),
        lambda ranks, begins, receiver: (ranks, begins, receiver - 2),
        lambda ranks, begins, receiver: (ranks, begins, receiver + 2),
        lambda ranks, begins, receiver: (ranks, begins, receiver + np.int64(1 << 32)),
    ],
)
def test_a_matrix_that_does_not_fit_together_is_refused(
    damage: Callable[..., tuple[object, ...]], small: Path, tmp_path: Path
) -> None:
    """Compiled code would run beyond its columns, or without end."""
    results, file = read_results(small), tmp_path / "damaged.topoview"
    ranks, begins, receiver, *others = results["matrix"]
    changed = {"matrix": (*damage(ranks, begins, receiver), *others)}
    write_digest(file, read_digest(small), results | changed)
    with pytest.raises(TopoviewError):
        results_of(file, ["matrix"])
    write_digest(file, read_digest(small), results)
    assert results_of(file, ["matrix"])["matrix"].ranks == ranks


def test_the_reader_of_the_documentation_reads_it(small: Path, tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "guides" / "digest.md").read_text()
    program = tmp_path / "reader.py"
    program.write_text(page.partition("```python\n")[2].partition("```")[0])
    assert len(program.read_text().splitlines()) <= 40
    told = subprocess.run(
        [sys.executable, program, small], capture_output=True, text=True, check=True
    )
    messages = len(traces.simulated("grid", (3, 2)).messages)
    assert told.stdout == f"topoview digest {VERSION} 6 ranks {messages} messages\n"


def test_digests_of_before_are_refused_by_their_version(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Version 1 had fewer fields and results: it would be taken for a damaged file."""
    trace, file = read_digest(small), tmp_path / "before.topoview"
    with monkeypatch.context() as before:
        before.setattr("topoview.store.digest.VERSION", 1)
        write_digest(file, trace, {})
    with pytest.raises(
        TraceError, match=rf"version 1 .* reads version {VERSION}: make it"
    ):
        read_digest(file)


def test_tables_that_do_not_fit_together_are_refused(
    small: Path, tmp_path: Path
) -> None:
    trace = read_digest(small)
    calls = replace(trace.calls, region=trace.calls.region + 1000)
    file = tmp_path / "wrong.topoview"
    write_digest(file, replace(trace, calls=calls), {})
    with pytest.raises(TraceError, match="does not fit together"):
        read_digest(file)


def test_what_needs_events_is_refused(small: Path) -> None:
    results = Results(read_digest(small))
    with pytest.raises(RefusedError, match="is a digest, without the events"):
        results.make("profile")
    assert set(KEPT) <= RESULTS.keys()
    assert Options().steps == STEPS


@pytest.mark.usefixtures("one_store", "few_moves")
def test_commands_take_a_digest_in_place_of_a_trace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Or say what they need."""
    trace = str(traces.real_path("sp-rowcol-6x4"))
    file = str(tmp_path / "run.topoview")

    def said(*arguments: str) -> dict[str, Any]:
        assert main([*arguments, "--json"]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return {k: v for k, v in found.items() if k not in ("seconds", "warnings")}

    assert said("digest", trace, "-o", file)["ranks"] == 24
    for command in ("identify", "logical", "matrix", "profile", "iterations"):
        assert said(command, file) == said(command, trace)
    for name in ("run", "run.bin", "run.zip", "run.tar"):  # it is known by what it is
        renamed = shutil.copy(file, tmp_path / name)
        assert said("identify", str(renamed)) == said("identify", file)
    machine = ("--torus", "4x3x2")
    for command in ("network", "map"):
        assert said(command, file, *machine) == said(command, trace, *machine)
    loads = [
        loads_of(
            Analysis(found.trace, matrix=found.make("matrix")),
            MachineChoice(kind="torus", dims="4x3x2"),
        )
        for found in (results_of(file, ("matrix",)), results_of(trace, ("matrix",)))
    ]
    assert_same(*loads)
    assert said("efficiency", file) == said("efficiency", trace)
    by = "--by", "plane"
    assert said("efficiency", file, *by) == said("efficiency", trace, *by)
    (advice,) = (a for a in said("waits", file)["advice"] if a["rule"] == "efficiency")
    assert advice["command"].startswith(f"topoview efficiency {file}")
    of_digest, of_trace = said("info", file), said("info", trace)
    same = ("events", "calls", "messages", "messages_without_receive", "records")
    assert [of_digest[key] for key in same] == [of_trace[key] for key in same]
    for command, *more in (
        ["statistics"],
        ["iterations", "--loop", "99"],
        ["phases"],
        ["matrix", "--from", "0.1"],
        ["matrix", "--collectives"],
        ["matrix", "--find", "Waitall"],
        ["matrix", "--waits"],
        ["network", *machine, "--extents"],
        ["network", *machine, "--collectives"],
        ["efficiency", "--from", "0.1"],
    ):
        assert main([command, file, *more]) == 1
        told = capsys.readouterr()
        assert f"open the trace, {trace}" in told.err
        assert not told.out
    assert main(["identify", file, "--read-ranks", "0-3"]) == 1
    assert "leave out --read-ranks" in capsys.readouterr().err
    assert main(["digest", file, "-o", f"{file}2"]) == 1
    assert "is a digest already" in capsys.readouterr().err


def test_python_counts_no_part_of_a_digest(small: Path) -> None:
    trace = traces.simulated("grid", (3, 2))
    assert topoview.matrix(small).calls.sum() == len(trace.messages)
    assert topoview.efficiency(small) == topoview.efficiency(trace)
    for refused in (
        lambda: topoview.matrix(small, collectives=True),
        lambda: topoview.matrix(small, ranks=[0]),
        lambda: topoview.efficiency(small, window=(0, 1)),
        lambda: topoview.phases(small),
        lambda: topoview.statistics(small, "size"),
        lambda: topoview.network(small, window=(0, 1), machine={"torus": "6"}),
    ):
        with pytest.raises(TopoviewError, match="is a digest, without the events"):
            refused()


@pytest.mark.parametrize("kept", [7, 200, 1 << 20])
def test_the_slowest_are_found_in_parts_and_batches(
    kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("topoview.analysis.digest.MAX_SLOWEST", kept)
    monkeypatch.setattr("topoview.base.progress.BATCH_ROWS", 300)
    trace = traces.read_real("sp-twophase-6x6-user-metrics")
    calls, messages = trace.calls, trace.messages
    receive = messages.receive_time.copy()
    receive[:30] = -1
    trace = replace(trace, messages=replace(messages, receive_time=receive))
    spent, flight = calls.leave - calls.enter, receive - messages.send_time
    flight[receive < 0] = 0
    found = [joined_slowest([slowest(p) for p in parts_of(trace, n)], trace.regions)
             for n in (2, 3, 7)]  # fmt: skip
    for one in (slowest(whole_part(trace)), *found):
        for row, ticks, number in (
            (one.call, one.call_ticks, spent),
            (one.message, one.message_ticks, flight),
        ):
            wanted = sorted(np.flatnonzero(number > 0), key=lambda k: (-number[k], k))
            assert row.tolist() == wanted[:kept]
            np.testing.assert_array_equal(ticks, number[row])
        assert one.without_receive == 30


def test_condensing_keeps_the_whole_of_a_short_run() -> None:
    trace = traces.simulated("grid", (3, 2))
    few = {
        "pyramid": folded(trace.timeline, trace.clock.length, 16),
        "samples": None,
        "slowest": slowest(whole_part(trace)),
    }
    found, _ = condense(trace, few, steps=16)
    assert len(found.calls) <= len(trace.calls)
    total = state_ticks(
        trace.timeline, slice(0, trace.ranks), np.array([0, trace.clock.length])
    )
    same = state_ticks(
        found.timeline, slice(0, trace.ranks), np.array([0, trace.clock.length])
    )
    np.testing.assert_array_equal(same, total)
