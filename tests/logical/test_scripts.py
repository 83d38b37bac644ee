"""Calls without a rule: what is equal of them is held once."""

from collections.abc import Sequence
from dataclasses import fields
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from parts import logicalise
from programs import Grid, Step, trace_of
from traces import examples

from topoview.grouping import run_offsets
from topoview.logical.scripts import (
    _all_visits,
    _cycles,
    _row_numbers,
    _Runs,
    join_scripts,
)
from topoview.model import Scripts, Trace

Made = tuple[int, int, int, int]
"""Operation, receiver, sender and bytes of a call."""

Turn = tuple[int, tuple[Made, ...]]
"""Calls of the trace, and what stands for them."""

RANKS, VISITS = 5, 6

CALLS = st.tuples(
    st.integers(0, 1), st.integers(-1, RANKS - 1), st.integers(-1, RANKS - 1),
    st.integers(-1, 2),
)  # fmt: skip
TURNS = st.tuples(st.integers(0, 2), st.lists(CALLS, max_size=3).map(tuple))
CELLS = st.lists(
    st.lists(
        st.lists(st.sampled_from(range(4)), min_size=VISITS, max_size=VISITS),
        min_size=RANKS,
        max_size=RANKS,
    ),
    min_size=1,
    max_size=2,
)
KINDS = st.lists(TURNS, min_size=4, max_size=4)


def spelled_out(cells: Sequence[Sequence[Sequence[Turn]]]) -> Scripts:
    """Write turns of scripts, ranks and visits, each one by itself."""
    many, ranks = len(cells), len(cells[0])
    turns = [turn for script in cells for own in script for turn in own]
    calls = [call for _, made in turns for call in made]
    number: list[dict[int, int]] = [{} for _ in range(ranks)]
    ends = []
    for script in cells:
        for own, met in zip(script, number, strict=True):
            for _, made in own:
                ends += [
                    [met.setdefault(one, len(met)) if one >= 0 else -1 for one in call]
                    for call in (call[1:3] for call in made)
                ]
    operation, _, _, size = np.array(calls, np.int64).reshape(-1, 4).T
    to, source = np.array(ends, np.int32).reshape(-1, 2).T
    none = np.full(len(calls), -1, np.int32)
    visits = len(cells[0][0])
    return Scripts(
        statement=np.arange(many, dtype=np.int32),
        visits=np.full(many, visits),
        sequence=np.arange(many * ranks, dtype=np.int32),
        period=np.full(many * ranks, visits),
        runs=visits * np.arange(many * ranks + 1),
        visit=np.tile(np.arange(visits), many * ranks),
        turn=np.arange(len(turns), dtype=np.int32),
        recorded=np.array([len(made) + more for more, made in turns], np.int64),
        calls=run_offsets([len(made) for _, made in turns]),
        call=np.arange(len(calls), dtype=np.int32),
        operation=operation.astype(np.int32),
        communicator=none,
        root=none,
        to=to,
        source=source,
        size=size,
        source_size=size + 1,
        partners=run_offsets([len(met) for met in number]),
        partner=np.array([one for met in number for one in met], np.int32),
        operations=("Send", "Recv"),
        communicators=(),
    )


def made_by(scripts: Scripts, cell: int, visit: int) -> Turn:
    """Look up a turn."""
    where = np.array([cell]), np.array([visit])
    ((first,), (count,)) = scripts.calls_of(*where)
    entry = np.arange(first, first + count)
    made = scripts.made(np.full(count, cell % scripts.ranks), entry)
    columns = made.operation, made.receiver, made.sender, made.size
    assert made.source_size.tolist() == (made.size + 1).tolist()
    recorded = int(scripts.recorded[scripts.runs_of(*where)][0])
    rows = np.stack(columns, axis=1).tolist()
    return recorded - int(count), tuple(tuple(row) for row in rows)


@examples(60)
@given(CELLS, KINDS, st.sets(st.integers(1, RANKS - 1)))
def test_joined_parts_are_what_they_were_and_one_whatever_the_parts(
    numbers: list[list[list[int]]], kinds: list[Turn], cuts: set[int]
) -> None:
    cells = [[[kinds[k] for k in own] for own in script] for script in numbers]
    ends = [0, *sorted(cuts), RANKS]
    parts = [
        (low, spelled_out([script[low:high] for script in cells]))
        for low, high in pairwise(ends)
    ]
    joined = join_scripts(parts, RANKS)
    for cell in range(len(cells) * RANKS):
        script, rank = divmod(cell, RANKS)
        for visit in range(VISITS):
            assert made_by(joined, cell, visit) == cells[script][rank][visit]
    whole = join_scripts([(0, spelled_out(cells))], RANKS)
    for field in fields(Scripts):
        one, other = (getattr(each, field.name) for each in (joined, whole))
        assert np.array_equal(one, other), field.name
    # nothing is there twice
    columns = [getattr(joined, field.name) for field in fields(Scripts)]
    calls = np.stack(columns[10:17])
    assert len(np.unique(calls, axis=1).T) == len(joined.operation)
    turns = [
        tuple(joined.call[a:b].tolist()) for a, b in pairwise(joined.calls.tolist())
    ]
    assert len(set(turns)) == len(turns)


@examples(60)
@given(st.lists(st.lists(st.integers(0, 2), max_size=9), max_size=9))
def test_rows_have_one_number_if_they_are_equal(rows: list[list[int]]) -> None:
    offsets = run_offsets([len(row) for row in rows])
    values = np.array([value for row in rows for value in row], np.int64)
    numbers = _row_numbers(offsets, values).tolist()
    for number, row in zip(numbers, rows, strict=True):
        for other, there in zip(numbers, rows, strict=True):
            assert (number == other) == (row == there)


@examples(60)
@given(
    st.lists(
        st.lists(st.integers(0, 2), min_size=1, max_size=12), min_size=1, max_size=4
    )
)
def test_visits_are_runs_of_the_shortest_cycle(cells: list[list[int]]) -> None:
    """0 are visits without calls, of which nothing is given."""
    given_ = [
        (cell, visit, turn, 10 * turn)
        for cell, own in enumerate(cells)
        for visit, turn in enumerate(own)
        if turn
    ]
    made = _Runs(*np.array(given_, np.int64).reshape(-1, 4).T)
    visits = np.array([len(own) for own in cells])
    sequence, period, offsets, runs = _cycles(_all_visits(made, visits), visits)
    for cell, own in enumerate(cells):
        number = int(sequence[cell])
        length = int(period[number])
        some = slice(*offsets[number : number + 2].tolist())
        begins = [*runs.visit[some].tolist(), length]
        cycle = [
            turn
            for turn, (begin, end) in zip(
                runs.turn[some], pairwise(begins), strict=True
            )
            for _ in range(begin, end)
        ]
        assert len(cycle) == length
        assert [cycle[k % length] for k in range(len(own))] == own
        shortest = next(
            n
            for n in range(1, len(own) + 1)
            if all(own[k] == own[k % n] for k in range(len(own)))
        )
        assert length == shortest
        assert runs.recorded[some].tolist() == (10 * runs.turn[some]).tolist()
        assert (np.diff(runs.turn[some]) != 0).all()


def wandering(turns: int, period: int, ranks: int = 12) -> Trace:
    """Send to one to three others by chance, the same again after some turns."""
    steps: list[list[Step]] = [[] for _ in range(ranks)]
    for turn in range(turns):
        draw = np.random.default_rng(turn % period)
        sent = []
        for rank, own in enumerate(steps):
            there = draw.permutation(ranks - 1)[: draw.integers(1, 4)]
            for to in ((rank + 1 + there) % ranks).tolist():
                size = int(draw.integers(8, 12))
                own.append(Step("Isend", sends=((to, size),)))
                sent.append((rank, to))
        for rank, to in sent:
            steps[to].append(Step("Recv", receives=(rank,)))
        for own in steps:
            own.append(Step("Barrier", part=(0, -1, 0)))
    return trace_of(steps)


def size_of(scripts: Scripts) -> int:
    """Count the bytes of all columns."""
    columns = (getattr(scripts, field.name) for field in fields(Scripts))
    return sum(one.nbytes for one in columns if isinstance(one, np.ndarray))


def run_calls(scripts: Scripts) -> np.ndarray:
    """Count the calls of all cells, visit by visit."""
    cells = len(scripts.sequence)
    visits = np.repeat(scripts.visits, scripts.ranks)
    cell = np.repeat(np.arange(cells), visits)
    visit = np.concatenate([np.arange(many) for many in visits])
    return scripts.calls_of(cell, visit)[1]


def test_a_table_takes_what_differs_not_how_often_it_comes() -> None:
    few, many, other = (
        logicalise(wandering(turns, period), Grid((4, 3))).scripts
        for turns, period in ((10, 3), (30, 3), (30, 30))
    )
    assert len(few.statement)
    calls = [int(run_calls(scripts).sum()) for scripts in (few, many, other)]
    assert calls[1] > 2.5 * calls[0]
    assert size_of(many) < 1.2 * size_of(few)
    assert size_of(other) > 4 * size_of(many)
