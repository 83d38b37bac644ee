"""The spans that numbers are of: exchange, run, loop, window; each is printed."""

import json
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from handmade import handmade
from parts import parts_of
from traces import results_of_real, simulated

import topoview
from topoview.__main__ import main
from topoview.analysis.logical.iterations import joined_loop, loop_window
from topoview.errors import UsageError
from topoview.live.tables.scope import scope_of
from topoview.model import PROFILES, WAIT_KINDS, Trace, WaitStates
from topoview.pipeline import Results
from topoview.report.document.facts import Facts
from topoview.report.document.findings import findings
from topoview.worker.results import shown_of

pytestmark = pytest.mark.usefixtures("one_store")

Calls = list[tuple[str, int, int]]
STEP, SETUP, FIRST = 130, 5000, 20 + 30 + 5000
"""Ticks of an iteration, of computing before the loop, and when the loop begins."""


def looping(iterations: int = 6) -> Trace:
    """Make a program of two ranks that computes for long between barrier and loop."""
    ranks: list[Calls] = [[("Init", 0, 20), ("Barrier", 20, 50)] for _ in range(2)]
    messages = []
    for turn in range(iterations):
        begin = FIRST + turn * STEP
        messages.append(((0, 2 + turn), (1, 2 + turn), (1, 2 + turn)))
        ranks[0].append(("Send", begin + 100, begin + 120))
        ranks[1].append(("Recv", begin + 100, begin + 130))
    end = FIRST + iterations * STEP
    for calls in ranks:
        calls.append(("Finalize", end + 3000, end + 3010))
    whole = [(0, -1, [(0, 1), (1, 1)])]
    return handmade(ranks, messages, whole)


def test_the_loop_is_from_its_first_iteration_to_its_last() -> None:
    """Without the set-up that is computed before it."""
    results = Results(looping())
    # rank 0 computes 110 ticks before each other Send, from its own end of the last
    begin, end = results.make("loop")
    assert (begin, end) == (FIRST - 10, FIRST + 6 * STEP)
    profile = results.make("profile_of_loop")
    assert profile.span.name == "loop"
    assert profile.span.window == (begin, end)
    assert (profile.class_ticks.sum(axis=1) == end - begin).all()
    assert dict(zip(profile.operations, profile.calls.sum(axis=0), strict=True)) == {
        "Send": 6,
        "Recv": 6,
    }


def test_the_loop_of_a_simulated_program() -> None:
    trace = simulated("torus", (4, 3), iterations=8, allreduce_every=0)
    results = Results(trace)
    begin, end = results.make("loop")
    calls, regions = trace.calls, trace.regions
    names = np.array(regions.operations)[regions.operation[calls.region]]
    barrier = calls.leave[names == "Barrier"]
    assert abs(begin - barrier.min()) < 0.1 * (end - begin) / 8
    assert end == calls.leave[names == "Waitall"].max()


@pytest.mark.parametrize("count", [2, 3])
def test_parts_find_the_same_loop(count: int) -> None:
    results = results_of_real("sp-jacobi2d-8x4-periodic-idlewave")
    trace, positions = results.trace, results.make("positions")
    windows = [loop_window(part, positions) for part in parts_of(trace, count)]
    assert joined_loop([*windows, None], trace.regions) == results.make("loop")
    assert joined_loop([None], trace.regions) is None


Run = Callable[..., tuple[int, Any, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*words: str) -> tuple[int, dict[str, object], str]:
        status = main(list(words))
        out, err = capsys.readouterr()
        return (
            status,
            out if "--json" not in words or status else json.loads(out),
            err,
        )

    return call


TRACE = "tests/data/sp-jacobi2d-8x4-periodic-idlewave.tar.xz"


COMMANDS = (
    "profile",
    "efficiency",
    "waits",
    "waits --by kind",
    "statistics",
    "regions",
    "communicators",
    "matrix",
    "calls --limit 3",
    "messages --limit 3",
    "iterations --limit 3",
)


@pytest.mark.parametrize("line", COMMANDS)
@pytest.mark.parametrize("span", ["exchange", "run", "loop"])
def test_commands_print_their_span(line: str, span: str, run: Run) -> None:
    command, *options = line.split()
    status, record, _ = run(command, TRACE, *options, "--span", span, "--json")
    assert status == 0
    assert record["span"]["name"] == span
    begin, end = record["span"]["begin"], record["span"]["end"]
    if span == "exchange":
        lists = command in ("calls", "messages", "iterations")  # of all, by default
        given = ("--span", span) if lists else ()
        _, text, _ = run(command, TRACE, *options, *given)
        assert f"Span: exchange, {begin:.6g} to {end:.6g} s" in text
    if command == "profile":
        trace = topoview.open(TRACE)
        told = sum(record["account"].values())
        assert told == pytest.approx(32 * (end - begin))
        table = topoview.account(trace, span=span)  # type: ignore[arg-type]
        assert dict(zip(table["class"], table["seconds"], strict=True)) == (
            pytest.approx(record["account"])
        )
        assert table["share"].sum() == pytest.approx(1)


def test_a_span_is_a_window_and_ranks_are_ranks(run: Run) -> None:
    """The loop's numbers are those of its window; those of ranks add up."""
    _, record, _ = run("profile", TRACE, "--span", "loop", "--json")
    ends = [str(record["span"][name]) for name in ("begin", "end")]
    _, window, _ = run("profile", TRACE, "--from", ends[0], "--to", ends[1], "--json")
    assert window["account"] == pytest.approx(record["account"], rel=1e-9)
    halves = [
        run("profile", TRACE, "--span", "loop", "--ranks", ranks, "--json")[1]
        for ranks in ("0-15", "16-31")
    ]
    for name, seconds in record["account"].items():
        parts = [half["account"].get(name, 0.0) for half in halves]
        assert sum(parts) == pytest.approx(seconds)
    assert len(halves[0]["functions"]["MPI_Waitall"]["calls_by_rank"]) == 16
    part = topoview.account(TRACE, span="loop", ranks="0-15")
    assert dict(zip(part["class"], part["seconds"], strict=True)) == pytest.approx(
        halves[0]["account"]
    )


def test_where_nothing_repeats_there_is_no_loop(run: Run) -> None:
    path = "tests/data/cases/zero-events.tar.xz"
    status, _, error = run("profile", path, "--span", "loop")
    assert status == 2
    assert error.strip().endswith("has no loop: its logical trace repeats nothing")
    with pytest.raises(UsageError, match="no loop"):
        topoview.account(path, span="loop")
    with pytest.raises(UsageError, match="name one"):
        topoview.account(TRACE, span="run", window=(0, 1))
    with pytest.raises(UsageError, match="a span is exchange, run, loop"):
        topoview.account(TRACE, span="all")  # type: ignore[arg-type]


def by_hand(
    trace: Trace, waits: WaitStates, window: tuple[int, int], ranks: range
) -> dict[str, dict[object, int]]:
    """Sum up waiting in a window: a plain loop over all calls."""
    sums: dict[str, dict[object, int]] = defaultdict(lambda: defaultdict(int))
    for row in range(trace.timeline.rows):
        rank = int(trace.rank_of_location[row])
        for call in range(*map(int, trace.calls.offsets[row : row + 2])):
            until = min(int(waits.until[call]), int(trace.calls.leave[call]))
            begin = max(int(trace.calls.enter[call]), window[0])
            ticks = min(until, window[1]) - begin
            if waits.until[call] < 0 or ticks <= 0 or rank not in ranks:
                continue
            sums["kind"][WAIT_KINDS[waits.kind[call]]] += ticks
            sums["rank"][rank] += ticks
            sums["waited_for"][int(waits.whom[call])] += ticks
            sums["call"][call] += ticks
    return sums


@pytest.mark.parametrize("ranks", [range(32), range(3, 9)])
@pytest.mark.parametrize("which", ["exchange", "run", "loop", "window"])
def test_waits_of_a_span_and_ranks_are_those_of_a_plain_loop(
    which: str, ranks: range
) -> None:
    trace = topoview.open(TRACE)
    results = Results(trace)
    scope: dict[str, Any] = {"span": which}
    if which == "window":  # cuts through waits
        scope = {"window": (1.75, 1.7501)}
        window = trace.clock.ticks(1.75), trace.clock.ticks(1.7501)
    else:
        window = results.make(PROFILES[which]).span.window
    if len(ranks) < trace.ranks:
        scope["ranks"] = ranks
    expected = by_hand(trace, results.make("waits"), window, ranks)
    assert expected["kind"]
    for by, sums in expected.items():
        table = topoview.waits(trace, by, **scope).to_pandas().set_index(by)
        ticks = (table.seconds * trace.clock.resolution).round().astype(int)
        assert ticks[ticks > 0].to_dict() == sums


def test_waits_of_windows_add_up(run: Run) -> None:
    """And so do those of ranks; what caused them is told of all of them only."""
    _, whole, _ = run("waits", TRACE, "--json")
    middle = str((whole["span"]["begin"] + whole["span"]["end"]) / 2)
    halves = [
        run("waits", TRACE, option, middle, "--json")[1]
        for option in ("--from", "--to")
    ]
    outside = [run("waits", TRACE, "--span", "run", "--json")[1]]
    for name in ("total_seconds", "error_seconds"):
        total = sum(half[name] for half in halves)
        assert total == pytest.approx(outside[0][name], abs=1e-8)
    for kind in ("late_sender", "wait_at_barrier"):
        total = sum(half["by_kind"][kind] for half in halves)
        assert total == pytest.approx(whole["by_kind"][kind], abs=1e-8)
    assert "caused" in whole
    assert "critical_path" in whole
    for half in halves:
        assert not {"caused", "critical_path", "advice"} & half.keys()
    of_ranks = [
        run("waits", TRACE, "--ranks", ranks, "--json")[1]["total_seconds"]
        for ranks in ("0-15", "16-31")
    ]
    assert sum(of_ranks) == pytest.approx(whole["total_seconds"])


def test_delays_are_of_the_exchange(run: Run) -> None:
    _, record, _ = run("idle-waves", TRACE, "--json")
    _, waits, _ = run("waits", TRACE, "--json")
    assert record["span"] == waits["span"]
    assert record["waiting_seconds"] == pytest.approx(waits["total_seconds"])


def test_reports_are_of_the_span_that_is_named() -> None:
    known = shown_of(TRACE)
    for span in ("exchange", "run", "loop"):
        told = scope_of(known, span=span).of_span()  # type: ignore[arg-type]
        made = {finding.title: finding.text for finding in findings(Facts(told))}
        titles = " ".join(made)
        assert f" % in the {span}; " in titles
        assert f"In the {span} all ranks together wait" in " ".join(made.values())


def test_collective_reads_and_writes_are_in_the_exchange() -> None:
    """Rank 2 comes 100 µs late to three, of which one is before all messages."""
    waits = topoview.waits("tests/data/cases/io-collective.tar.xz", "kind").to_pandas()
    assert waits.set_index("kind").seconds["wait_at_io"] == pytest.approx(600e-6)
