"""Positions in the logical trace against a plain run of the program."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
import traces

from topoview.analysis.logical.iterations import iterations_at
from topoview.analysis.logical.kernels import place_left_out
from topoview.analysis.logical.positions import CALL, call_positions
from topoview.live.moments.moment import TimeCursor
from topoview.live.picking.occurrences import positions_at
from topoview.logical.listing import lines
from topoview.model import (
    NOWHERE,
    BlockCall,
    Call,
    CallPositions,
    Each,
    LogicalTrace,
    Loop,
    Sometimes,
    Statement,
    Trace,
    When,
    whole_part,
)
from topoview.pipeline import analyse

Written = list[tuple[int, tuple[tuple[int, int], ...]]]
"""Statement of each position, and number and iteration of the loops around it."""


def written_out(logical: LogicalTrace) -> Written:  # noqa: C901
    """Write the program out with everything taken, as often as it ever is."""
    numbers: dict[int, int] = {}
    begun: dict[int, int] = {}

    def count(body: tuple[Statement, ...]) -> None:
        for statement in body:
            if isinstance(statement, Loop):
                numbers[id(statement)] = len(numbers)
            if isinstance(statement, Each | Loop | When | Sometimes):
                count(statement.body)

    def go(
        body: tuple[Statement, ...], around: tuple[tuple[int, int], ...], out: Written
    ) -> None:
        for statement in body:
            if isinstance(statement, Call):
                most = 1 if statement.calls is None else statement.calls[1]
                out.extend([(statement.index, around)] * most)
            elif isinstance(statement, BlockCall):
                go(logical.blocks[statement.block].body, around, out)
            elif isinstance(statement, Loop):
                number = numbers[id(statement)]
                for _ in range(statement.count):
                    begun[number] = begun.get(number, 0) + 1
                    go(statement.body, (*around, (number, begun[number])), out)
            else:
                go(statement.body, around, out)

    count(logical.body)
    for block in logical.blocks:
        count(block.body)
    out: Written = []
    go(logical.body, (), out)
    return out


def check(trace: Trace, logical: LogicalTrace, found: CallPositions) -> None:
    """See that every call stands where its statement is, and that numbers grow."""
    written = written_out(logical)
    assert found.length == len(written)
    statement = np.array([s for s, _ in written])
    operations = {
        line.statement.index: line.statement.operation
        for line in lines(logical)
        if isinstance(line.statement, Call)
    }
    for rank in range(trace.ranks):
        own = slice(*trace.calls.offsets[rank : rank + 2].tolist())
        at, of = found.of_call[own], logical.statement_of_call[own]
        held, before = at[of >= 0], NOWHERE
        taken, region = set(held.tolist()), trace.calls.region[own].tolist()
        for call, place in enumerate(at.tolist()):
            if of[call] < 0 and place != before:  # where it would reach a neighbour
                assert place > before
                assert place not in taken
                title = trace.regions.title(region[call])
                assert operations[int(statement[place])] == title
            before = place
        assert (held != NOWHERE).all()
        np.testing.assert_array_equal(statement[held], of[of >= 0])
        assert (np.diff(held) >= 0).all()
    every = np.arange(len(written))
    for loop in range(len(found.loops)):
        expected = [dict(around).get(loop, 0) for _, around in written]
        np.testing.assert_array_equal(iterations_at(found, every, loop), expected)


@pytest.mark.parametrize(
    ("kind", "dims"), [("torus", (4, 3)), ("grid", (4, 3)), ("star", (6,))]
)
def test_simulated_programs(kind: str, dims: tuple[int, ...]) -> None:
    trace = traces.simulated(kind, dims, iterations=7, allreduce_every=3)
    *_, known = analyse(trace)
    assert known.logical is not None
    assert known.positions is not None
    check(trace, known.logical, known.positions)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("ez-lu-8", marks=pytest.mark.slow),
        pytest.param("sp-cg-32", marks=pytest.mark.slow),
        "sp-twophase-6x6-user-metrics",
        "ez-mg-8",
        "sp-masterworker-24",
    ],
)
def test_real_programs(name: str) -> None:
    known = traces.analysis_of_real(name)
    trace = known.trace
    assert known.logical is not None
    check(trace, known.logical, call_positions(whole_part(trace), known.logical))


def test_at_a_time_it_is_that_of_the_last_call(simulated: Callable[..., Trace]) -> None:
    trace = simulated("grid", (4, 3))
    *_, known = analyse(trace)
    assert known.positions is not None
    calls = trace.calls
    for ticks in np.linspace(0, trace.clock.length, 40).astype(int).tolist():
        found = positions_at(TimeCursor(trace), known.positions, ticks)
        for rank in range(trace.ranks):
            begin, end = calls.offsets[rank : rank + 2].tolist()
            begun = [c for c in range(begin, end) if calls.enter[c] <= ticks]
            at = known.positions.of_call[begun[-1]] if begun else NOWHERE
            if at == NOWHERE:
                assert np.isnan(found[rank])
            else:
                assert found[rank] == at


@pytest.mark.parametrize("seed", range(20))
def test_calls_left_out_are_placed_as_by_looking_at_all(seed: int) -> None:
    """What was looked at before for the same operation is not looked at again."""
    noise = np.random.default_rng(seed)
    program = np.zeros((60, 4), np.int64)
    program[:, 0], program[:, 1] = CALL, noise.integers(0, 5, 60)
    of_statement, of_call = noise.integers(-1, 4, 5), noise.integers(-1, 4, 50)
    of_statement, of_call = of_statement.astype(np.int32), of_call.astype(np.int32)
    statement = np.where(noise.random(50) < 0.8, -1, 3).astype(np.int32)
    expected, found = np.full((2, 50), NOWHERE)
    ahead, call, last = np.zeros(5, np.int64), 0, NOWHERE
    for turn in range(6):
        first = int(noise.integers(0, 50))
        leap = first + int(noise.integers(1, 9))
        told = place_left_out(
            program, first, leap, 100 * turn, of_statement, of_call,
            statement, call, 50, last, found, ahead,
        )  # fmt: skip
        for place, line in enumerate(range(first, leap), 100 * turn):
            run = itertools.takewhile(lambda k: statement[k] < 0, range(call, 50))
            wanted = of_statement[program[line, 1]]
            same = next((k for k in run if of_call[k] == wanted), -1)
            if same >= 0:
                expected[call:same], expected[same] = last, place
                call, last = same + 1, place
        assert told == (call, last)
        assert found.tolist() == expected.tolist()
        call = min(call + int(noise.integers(0, 2)), 50)
