"""Calls that are read as one line, and calls without a rule, in all their forms."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from parts import logicalise, measure_lines
from programs import Grid, Step, entries_of, halo, trace_of
from test_skeleton_real import kept, told
from test_skeleton_sizes import run
from traces import examples

from topoview.__main__ import main
from topoview.analysis.logical.positions import call_positions
from topoview.base.text import grouped
from topoview.live.picking.line_filter import parse_line_filter, shown_lines
from topoview.live.picking.occurrences import iteration_times
from topoview.logical import expand
from topoview.logical.listing import listing, spelled_out
from topoview.model import (
    Analysis,
    Call,
    Guard,
    LogicalTrace,
    Loop,
    Match,
    MeasuredLines,
    Scripts,
    TimeState,
    Trace,
    When,
    whole_part,
)
from topoview.report.logical.as_html import page
from topoview.report.logical.as_json import program_record
from topoview.report.logical.graph import graphviz, svg
from topoview.report.logical.lines import cells, line_summary, timed_listing
from topoview.skeleton import LANGUAGES, skeleton_program
from topoview.topology import lattice

RING = 3
ROUNDS = st.lists(
    st.lists(st.integers(0, 4), min_size=RING, max_size=RING), min_size=1, max_size=6
)


def irregular(rounds: list[list[int]]) -> Trace:
    """Each round a rank sends some messages around, of ever other sizes."""
    ranks: list[list[Step]] = [[] for _ in range(RING)]
    for number, counts in enumerate(rounds):
        for rank, own in enumerate(ranks):
            to, source = (rank + 1) % RING, (rank - 1) % RING
            sizes = [8 + number + k for k in range(counts[rank])]
            own += [Step("Send", sends=((to, size),)) for size in sizes]
            own += [Step("Recv", receives=(source,))] * counts[source]
            own.append(Step("Barrier", part=(0, -1, 0)))
    return trace_of(ranks)


def by_script(trace: Trace, rounds: list[list[int]]) -> LogicalTrace:
    """Write it with sends and receives by table: what each rank makes each round."""
    names = trace.regions.operations
    operation = np.array(names)[trace.regions.operation[trace.calls.region]]
    statements = ("Send", "Recv", "Barrier")
    statement = np.array([statements.index(name) for name in operation], np.int32)
    made = [
        (kind, turn, (counts[rank], counts[rank - 1])[kind])
        for kind in (0, 1)
        for rank in range(RING)
        for turn, counts in enumerate(rounds)
    ]
    calls = [(kind, 8 + turn + k) for kind, turn, count in made for k in range(count)]
    kinds = np.array([kind for kind, _ in calls], np.int32)
    sizes = np.array([size for _, size in calls], np.int64)
    none, counts = np.full(len(calls), -1), np.array([count for *_, count in made])
    neighbours = [[(rank + 1) % RING, (rank - 1) % RING] for rank in range(RING)]
    scripts = Scripts(
        statement=np.array([0, 1], np.int32),
        visits=np.full(2, len(rounds)),
        sequence=np.arange(2 * RING, dtype=np.int32),
        period=np.full(2 * RING, len(rounds)),
        runs=np.arange(2 * RING + 1, dtype=np.int64) * len(rounds),
        visit=np.tile(np.arange(len(rounds)), 2 * RING),
        turn=np.arange(len(made), dtype=np.int32),
        recorded=counts,
        calls=np.append(0, np.cumsum(counts)),
        call=np.arange(len(calls), dtype=np.int32),
        operation=kinds,
        communicator=none.astype(np.int32),
        root=none.astype(np.int32),
        to=np.where(kinds == 0, 0, none).astype(np.int32),
        source=np.where(kinds == 1, 1, none).astype(np.int32),
        size=np.where(kinds == 0, sizes, none),
        source_size=np.where(kinds == 1, sizes, none),
        partners=2 * np.arange(RING + 1),
        partner=np.array(neighbours, np.int32).ravel(),
        operations=("Send", "Recv"),
        communicators=(),
    )
    most = max(map(max, rounds))
    often = min(map(min, rounds)), most
    body = (
        Call(0, "Send", "partners", None, None, None, "", TimeState.SEND, calls=often),
        Call(
            *(1, "Recv", None, "partners", None, None, "", TimeState.RECEIVE),
            calls=often,
        ),
        Call(2, "Barrier", None, None, None, None, "", TimeState.BARRIER),
    )
    guard = Guard("rank >= 0", np.arange(RING, dtype=np.int32))
    logical = logicalise(trace, Grid((RING,), periodic=True))
    return replace(
        logical,
        body=(Loop(len(rounds), (When(0, body[:1]), *body[1:])),),
        statements=3,
        guards=(guard,),
        blocks=(),
        patterns=(),
        trips=(),
        rank_trips=(),
        scripts=scripts,
        statement_of_call=statement,
        ticks=np.zeros(3, np.int64),
    )


@examples(40)
@given(ROUNDS)
def test_a_script_is_run_call_by_call(rounds: list[list[int]]) -> None:
    trace = irregular(rounds)
    logical = by_script(trace, rounds)
    for rank in range(RING):
        assert expand(logical, rank) == entries_of(trace, rank)
    known = measure_lines(
        trace, logical, None, call_positions(whole_part(trace), logical)
    )
    assert known.loops.ranks == RING
    assert known.loops.iterations.tolist() == [RING * len(rounds)]
    found = call_positions(whole_part(trace), logical)
    most = max(map(max, rounds))
    assert found.length == len(rounds) * (2 * most + 1)
    for rank in range(RING):
        own = slice(*trace.calls.offsets[rank : rank + 2].tolist())
        expected = []
        for turn, counts in enumerate(rounds):
            begin = turn * (2 * most + 1)
            expected += range(begin, begin + counts[rank])
            expected += range(begin + most, begin + most + counts[rank - 1])
            expected.append(begin + 2 * most)
        assert found.of_call[own].tolist() == expected


def test_another_number_of_calls_is_not_followed() -> None:
    rounds = [[1, 2, 3], [2, 0, 1]]
    trace = irregular(rounds)
    logical = by_script(trace, rounds)
    known = logical.scripts
    more = np.arange(len(known.recorded)) == 0
    wrong = replace(known, recorded=known.recorded + more)
    wrong = replace(logical, scripts=wrong)
    assert (
        measure_lines(
            trace, wrong, None, call_positions(whole_part(trace), wrong)
        ).loops.ranks
        < RING
    )


@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))]
)
def test_repeated_polls_of_a_table_are_followed(seed: int) -> None:
    """A rank polls as often as it happens to: the table has each poll once."""
    rng = np.random.default_rng(seed)
    ranks: list[list[Step]] = [[] for _ in range(6)]
    for _ in range(12):
        sent: list[tuple[int, int]] = []
        for rank, own in enumerate(ranks):
            there = rng.permutation(len(ranks))[: rng.integers(4)].tolist()
            sent += [(rank, to) for to in there if to != rank]
            for to in there:
                if to != rank:
                    size = int(rng.integers(8, 99))
                    own.append(Step("Isend", sends=((to, size),)))
        for source, to in rng.permutation(np.array(sent, int).reshape(-1, 2)).tolist():
            ranks[to] += [Step("Iprobe")] * int(rng.integers(1, 4))
            ranks[to].append(Step("Recv", receives=(source,)))
        for own in ranks:
            own += [Step("Iprobe")] * int(rng.integers(1, 4))
            own.append(Step("Barrier", part=(0, -1, 0)))
    trace = trace_of(ranks)
    logical = logicalise(trace, Grid((len(ranks),)))
    scripts = logical.scripts
    assert logical.ranks_verified == len(ranks)
    assert (scripts.recorded > np.diff(scripts.calls)[scripts.turn]).any()  # repeated
    assert measure_lines(
        trace, logical, None, call_positions(whole_part(trace), logical)
    ).loops.ranks == len(ranks)
    positions = call_positions(whole_part(trace), logical).of_call
    assert (positions < call_positions(whole_part(trace), logical).length).all()
    assert (positions >= 0).all()
    for rank in range(len(ranks)):
        own = slice(*trace.calls.offsets[rank : rank + 2].tolist())
        assert (np.diff(positions[own]) >= 0).all()


def test_visits_without_calls_take_no_room() -> None:
    rounds = [[0, 0, 0]] * 200 + [[2, 0, 1]]
    trace = irregular(rounds)
    scripts = logicalise(trace, Grid((RING,), periodic=True)).scripts
    assert len(scripts.visit) <= 2 * len(scripts.call)


def test_a_turn_begins_with_what_is_made_once_in_it() -> None:
    rounds = [[1, 2, 3], [2, 0, 1], [4, 4, 4]]
    trace = irregular(rounds)
    logical = by_script(trace, rounds)
    positions = call_positions(whole_part(trace), logical)
    known = Analysis(trace=trace, logical=logical, positions=positions)
    assert len(iteration_times(known, 1)) == len(rounds)


def test_a_script_in_json_is_what_ranks_do() -> None:
    rounds = [[1, 2, 3], [2, 0, 1]]
    trace = irregular(rounds)
    logical = by_script(trace, rounds)
    record = program_record(
        measure_lines(trace, logical, None, call_positions(whole_part(trace), logical))
    )
    first, second = record["scripts"]
    assert (first["statement"], second["statement"]) == (0, 1)
    for rank in range(RING):
        turns = zip(first["by_rank"][rank], second["by_rank"][rank], strict=True)
        calls = [call for one, other in turns for call in (*one, *other)]
        expected = [list(e) for e in entries_of(trace, rank) if e[0] != "Barrier"]
        assert calls == expected
    (line,) = (line for line in record["lines"] if line.get("operation") == "Send")
    assert line["by_table"] == [0, 3]


def skeleton_of(trace: Trace, logical: LogicalTrace):  # noqa: ANN201 - its own class
    none = np.zeros((0, 2), np.int32)
    ring = lattice((RING,), (True,))
    match = Match(ring, np.arange(RING, dtype=np.int32), 0, none, none, 1.0, 1.0)
    return skeleton_program(trace, logical, match, np.zeros(logical.statements))


def test_a_skeleton_makes_a_script_of_one_operation(tmp_path: Path) -> None:
    rounds = [[1, 2, 3], [2, 0, 1], [1, 1, 1]]
    trace = irregular(rounds)
    logical = by_script(trace, rounds)
    program = skeleton_of(trace, logical)
    assert "calls without a rule are listed" in program.bound
    assert not program.remarks
    run(LANGUAGES[".c"](program), RING, (), tmp_path)
    for rank in range(RING):
        made = (tmp_path / f"calls.{rank}").read_text().splitlines()
        wanted = [line for entry in expand(logical, rank) for line in told(entry)]
        assert [line for line in map(kept, made) if line] == wanted
    compile(LANGUAGES[".py"](program), "skeleton.py", "exec")


def test_a_skeleton_tells_a_script_of_several_operations() -> None:
    rounds = [[1, 2, 3], [2, 0, 1]]
    trace = irregular(rounds)
    logical = by_script(trace, rounds)
    (loop,) = logical.body
    assert isinstance(loop, Loop)
    assert isinstance(loop.body[1], Call)
    mixed = replace(loop.body[1], operation="Irecv | Recv")
    body = (replace(loop, body=(loop.body[0], mixed, loop.body[2])),)
    (remark,) = skeleton_of(trace, replace(logical, body=body)).remarks
    assert remark == (
        "Irecv | Recv, not made again: calls of several operations in an order "
        "without a rule: 1 statement"
    )


@pytest.fixture(scope="module")
def known() -> MeasuredLines:
    grid = Grid((3, 3, 3))
    trace = halo(grid)
    logical = logicalise(trace, grid)
    return measure_lines(
        trace, logical, None, call_positions(whole_part(trace), logical)
    )


def heads(known: MeasuredLines) -> list[int]:
    return [k for k, line in enumerate(known.lines) if line.kind == "each"]


def test_calls_that_are_read_as_one_sum_up(known: MeasuredLines) -> None:
    """Against all calls that lie below a head, one by one."""
    assert len(heads(known)) == 3
    trace, logical = known.trace, known.logical
    calls = trace.calls
    rank = np.repeat(np.arange(trace.ranks), np.diff(calls.offsets[: trace.ranks + 1]))
    for number in heads(known):
        line = known.lines[number]
        of = logical.statement_of_call
        own = np.flatnonzero((of >= line.first) & (of < line.last))
        spent = (calls.leave - calls.enter)[own]
        summary = line_summary(known, number)
        assert (
            f"{grouped(len(own))} calls of {len(set(rank[own].tolist()))} ranks"
            in summary
        )
        assert known.shares[number] == pytest.approx(spent.sum() / known.statements.run)
        told = cells(known, number)
        assert told[0] == str(len(own))
        assert told[2] == cells(known, line.end - 1)[2]  # all calls last 3 ticks


def test_the_deviation_of_calls_read_as_one_is_that_of_all() -> None:
    grid = Grid((3, 3, 3))
    trace = halo(grid)
    random = np.random.default_rng(1)
    enter = trace.calls.enter
    leave = enter + random.integers(1, 4, len(enter))
    trace = replace(trace, calls=replace(trace.calls, leave=leave))
    logical = logicalise(trace, grid)
    known = measure_lines(
        trace, logical, None, call_positions(whole_part(trace), logical)
    )
    from topoview.report.logical.lines import _moments

    for number in heads(known):
        line = known.lines[number]
        own = slice(line.first, line.last)
        of = known.logical.statement_of_call
        below = (of >= line.first) & (of < line.last)
        spent = (leave - enter)[below]
        mean, deviation = _moments(
            known.statements.spent, own, known.statements.calls[own]
        )
        assert mean == pytest.approx(spent.mean())
        assert deviation == pytest.approx(spent.std())


def test_the_timed_listing_folds_and_spells(known: MeasuredLines) -> None:
    def words(text: str) -> list[str]:
        column = text.splitlines()[0].index("statement")
        return [line[column:] for line in text.splitlines()[1:]]

    def plain(text: str) -> list[str]:
        return [line for line in text.splitlines() if not line.startswith("#")]

    assert words(timed_listing(known)) == plain(listing(known.logical))
    spelled = words(timed_listing(known, spell=True))
    calls = [line.strip() for line in spelled if " each of " not in line]
    assert calls == [
        line.strip() for line in plain(listing(spelled_out(known.logical)))
    ]


def found(known: MeasuredLines, text: str) -> str:
    wanted = parse_line_filter(text)
    parts = known.lines, wanted, known.trace, known.logical, known.shares
    return timed_listing(known, shown_lines(*parts))


def test_what_is_found_inside_is_unfolded(known: MeasuredLines) -> None:
    inside = found(known, '"send to 0 0 1"')
    assert "Send to each of 26 partners" in inside
    assert sum("Send to" in line for line in inside.splitlines()) == 2
    whole = found(known, '"send to each"')
    assert sum("Send to" in line for line in whole.splitlines()) == 1


def test_pictures_and_page_fold_too(known: MeasuredLines) -> None:
    assert svg(known).count("<text x=") < 15
    assert "each of 26" in svg(known)
    assert graphviz(known).count("n161 [") + graphviz(known).count(" [label=") >= 4
    assert page(known).count("each-row folded") == 3


def test_the_command_spells_on_request(
    capsys: pytest.CaptureFixture[str], real_path: Callable[[str], Path]
) -> None:
    path = str(real_path("app-pennant-12"))

    def printed(*options: str) -> str:
        assert main(["logical", path, *options]) == 0
        return capsys.readouterr().out

    record = json.loads(printed("--json"))
    assert printed() == record["listing"] + "\n"
    assert printed("--spell") == record["spelled"] + "\n"
    assert record["listing"] != record["spelled"]
    read = [line for line in record["listing"].splitlines() if line[:1] not in "#"]
    assert record["lines"] == len([line for line in read if line])
    spelled = printed("--spell", "--times").splitlines()
    assert len(spelled) > len(printed("--times").splitlines())


@pytest.mark.parametrize("periodic", [True, False])
def test_calls_for_one_partner_after_the_other_are_read_as_one(
    *, periodic: bool
) -> None:
    """As in a particle code: Isend and Irecv for each of eight neighbours in turn."""
    grid = Grid((4, 5), periodic=periodic)
    around = [place for place in product((-1, 0, 1), repeat=2) if any(place)]
    ranks: list[list[Step]] = []
    for rank in range(grid.ranks):
        own: list[Step] = []
        for size in (8, 100):
            for number, place in enumerate(around):
                to = grid.towards(rank, place)
                source = grid.towards(rank, (-place[0], -place[1]))
                if to is not None:
                    own.append(Step("Isend", sends=((to, size * (number + 1)),)))
                if source is not None:
                    own.append(Step("Irecv", receives=(source,)))
            own.append(Step("Waitall"))
        ranks.append(own)
    logical = logicalise(trace_of(ranks), grid)
    assert logical.ranks_verified == grid.ranks
    lines = [line for line in listing(logical).splitlines() if line[0] != "#"]
    assert len(lines) == len(("exchange", "Waitall")) * 2
    assert lines[2].endswith("100..800 B, each with Irecv")
    assert "4 statements (34 spelled out)" in listing(logical)
    calls = listing(spelled_out(logical)).count("send")
    assert calls == 2 * len(around)
