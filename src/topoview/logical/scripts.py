"""Calls that follow no rule, written down: what is equal of them is held once.

Whose partners a call names would tell all ranks apart, so partners are numbers in the
order in which a rank meets them. Equal calls, turns and sequences of turns are one, of
ranks read together and when what was read apart is joined: what the calls take follows
how much they differ, not how many they are.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np

from topoview.grouping import (
    begins_run,
    combined,
    factorize,
    first_entries,
    in_order_met,
    index_in_run,
    run_begins,
    run_offsets,
    run_rows,
    turns,
)
from topoview.logical.assembly import PlaceTree
from topoview.logical.calls.call_table import CallTable
from topoview.logical.loops.repetition_kernels import cycle_length
from topoview.logical.merge.classes import numbered_partners
from topoview.model import Bools, Indices, Ints, Scripts, Trace

_OF_CALLS: Final = {
    "operation": np.int32,
    "communicator": np.int32,
    "root": np.int32,
    "to": np.int32,
    "source": np.int32,
    "size": np.int64,
    "source_size": np.int64,
}
"""Columns of `Scripts` that have an entry for each different call."""


def write_scripts(
    trace: Trace,
    rows: CallTable,
    frame: PlaceTree,
    where: tuple[Ints, Ints],
    scripted: Bools,
) -> Scripts:
    """Write down the calls of the places that stand for several without a rule.

    Parameters
    ----------
    where : two of int64, shape (rows,)
        As `PlaceTree.place` and `PlaceTree.visit`, of these rows.
    scripted
        As `topoview.logical.statements.WrittenProgram.scripted`.
    """
    places = np.flatnonzero(scripted)
    if not len(places):
        return Scripts.none()
    ranks, (place, visit_of) = len(rows.offsets) - 1, where
    column = np.full(frame.tree.leaves + 1, -1, np.int64)
    column[places] = np.arange(len(places))
    row = np.flatnonzero(column[place] >= 0)
    rank = rows.rank[row] - rows.first
    cell = column[place[row]] * ranks + rank
    order = np.argsort(cell, kind="stable")
    ends = rows.receiver[row], rows.sender[row]
    (to, source), partners, partner = numbered_partners(rank, ends, ranks)
    row, cell, to, source = (one[order] for one in (row, cell, to, source))
    symbols, symbol = rows.symbols, rows.symbol[row]
    told = (symbols.operation, symbols.family, symbols.root)
    columns = (
        *(one[symbol] for one in told),
        *(to, source),
        *(rows.size[row], rows.source_size[row]),
    )
    call, example = _numbered(columns)
    visit = turns(frame.leaf, frame.tree.leaves)[visit_of[row]]
    begins = run_begins(cell, visit)
    calls = np.append(begins, len(row))
    first, last = trace.calls.offsets[[rows.first, rows.first + ranks]].tolist()
    recorded = np.bincount(rows.polled[:, 1] - first, minlength=last - first) + 1
    new = np.diff(rows.call[row], prepend=-1) != 0  # a call can have several rows
    made = np.append(0, np.cumsum(recorded[rows.call[row] - first] * new))
    number, some = _numbered([_row_numbers(calls, call)])
    visits = np.bincount(frame.leaf, minlength=frame.tree.leaves)[places]
    of_cells = np.repeat(visits, ranks)
    runs = _Runs(cell[begins], visit[begins], 1 + number, np.diff(made[calls]))
    sequence, period, offsets, runs = _cycles(_all_visits(runs, of_cells), of_cells)
    short = zip(_OF_CALLS.items(), columns, strict=True)
    held: dict[str, Any] = {
        name: values[example].astype(dtype) for (name, dtype), values in short
    }
    scripts = Scripts(
        statement=places.astype(np.int32),
        visits=visits,
        sequence=sequence.astype(np.int32),
        period=period,
        runs=offsets,
        visit=runs.visit,
        turn=runs.turn.astype(np.int32),
        recorded=runs.recorded,
        calls=np.append(0, run_offsets(np.diff(calls)[some])),  # the first makes none
        call=call[run_rows(calls, some)].astype(np.int32),
        partners=partners,
        partner=partner.astype(np.int32),
        operations=tuple(trace.regions.operations),
        communicators=rows.families,
        **held,
    )
    return _held_once(scripts)


def join_scripts(scripts: Sequence[tuple[int, Scripts]], ranks: int) -> Scripts:
    """Join scripts of some ranks each, in their order, told with the first of them.

    What cells of other ranks have is not said.
    """
    parts = [one for _, one in scripts]
    many = len(parts[0].statement)
    if not many:
        return parts[0]
    sequence, partners = np.zeros((many, ranks), np.int32), np.zeros(ranks, np.int64)
    numbered = zip(scripts, _counted_on([one.period for one in parts]), strict=True)
    for (first, one), before in numbered:
        own = slice(first, first + one.ranks)
        sequence[:, own] = before + one.sequence.reshape(many, one.ranks)
        partners[own] = np.diff(one.partners)
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(one, name) for one in parts])
        for name in (*_OF_CALLS, *_OF_SEQUENCES)
    }
    for name, entries in (("turn", "calls"), ("call", "operation")):
        before = _counted_on([getattr(one, entries) for one in parts])
        before -= np.arange(len(parts)) * (entries == "calls")  # these are offsets
        counts = [len(getattr(one, name)) for one in parts]
        columns[name] += np.repeat(before, counts).astype(np.int32)
    for name in ("runs", "calls"):
        of_parts = [np.diff(getattr(one, name)) for one in parts]
        columns[name] = run_offsets(np.concatenate(of_parts))
    joined = replace(
        parts[0], sequence=sequence.ravel(), partners=run_offsets(partners), **columns
    )
    return _held_once(joined)


_OF_SEQUENCES: Final = ("period", "visit", "turn", "recorded", "call", "partner")
"""Columns of `Scripts` that are joined one after the other, beside those of calls."""


def _counted_on(parts: Sequence[Ints | Indices]) -> Ints:
    """Count the entries of all parts before each."""
    return run_offsets([len(one) for one in parts])[:-1]


def _held_once(scripts: Scripts) -> Scripts:
    """Hold equal calls, turns and sequences once, in the order they are met in."""
    columns = [getattr(scripts, name) for name in _OF_CALLS]
    number, of_call = _numbered(columns)
    call = number[scripts.call]
    number, of_turn = _numbered([_row_numbers(scripts.calls, call)])
    turn = number[scripts.turn]
    runs = combined((scripts.visit, turn, scripts.recorded))
    rows = _row_numbers(scripts.runs, runs)
    number, of_sequence = _numbered([rows, scripts.period])
    met, sequence = in_order_met(number[scripts.sequence])
    own = of_sequence[met]
    run = run_rows(scripts.runs, own)
    met, turn = in_order_met(turn[run])
    made = of_turn[met]
    entry = run_rows(scripts.calls, made)
    met, call = in_order_met(call[entry])
    held: dict[str, Any] = {
        name: column[of_call[met]]
        for name, column in zip(_OF_CALLS, columns, strict=True)
    }
    return replace(
        scripts,
        sequence=sequence.astype(np.int32),
        period=scripts.period[own],
        runs=run_offsets(np.diff(scripts.runs)[own]),
        visit=scripts.visit[run],
        turn=turn.astype(np.int32),
        recorded=scripts.recorded[run],
        calls=run_offsets(np.diff(scripts.calls)[made]),
        call=call.astype(np.int32),
        **held,
    )


def _numbered(columns: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Enumerate the combinations of columns: number of each row, and a row of each."""
    number = combined(columns)
    return number, first_entries(number, int(number.max(initial=-1)) + 1)


def _row_numbers(offsets: Ints, values: Ints) -> Ints:
    """Enumerate rows of numbers: equal ones have one number, and only these.

    The entries of each row are taken together two by two until each row is one.

    Parameters
    ----------
    offsets : int64, shape (rows + 1,)
    values : int64, shape (entries,)
    """
    begin, counts = offsets[:-1], np.diff(offsets)
    code = 1 + factorize(values)[1]  # 0: none
    while counts.max(initial=0) > 1:
        halves = (counts + 1) // 2
        second = 2 * index_in_run(halves) + 1
        left = np.repeat(begin, halves) + second - 1
        paired = second < np.repeat(counts, halves)
        right = np.where(paired, code[np.minimum(left + 1, len(code) - 1)], 0)
        code = 1 + combined((code[left], right))
        begin, counts = run_offsets(halves)[:-1], halves
    number = np.zeros(len(counts), np.int64)
    number[counts > 0] = code[begin[counts > 0]]
    return number


class _Runs(NamedTuple):
    """Runs of equal turns: columns of one length, in order of cells and visits."""

    cell: Ints
    visit: Ints
    turn: Ints
    """`cell`, `visit` and `turn`: int64, shape (runs,): the visit is the first; turn 0
    makes no calls."""
    recorded: Ints


def _all_visits(made: _Runs, visits: Ints) -> _Runs:
    """Join visits at which ranks make calls to runs, with those at which they do not.

    Parameters
    ----------
    made
        The visits with calls, one by one.
    visits : int64, shape (cells,)
        How many there are of each cell.
    """
    cell, visit, turn, recorded = made
    begins = begins_run(cell)
    follows = np.append(0, visit[:-1] + 1)[: len(visit)]
    follows[begins] = 0
    lacks = visit > follows  # no calls since the visit before
    first = np.flatnonzero(lacks | begins_run(cell, turn, recorded))
    before = np.flatnonzero(lacks)
    last = np.flatnonzero(np.append(begins[1:], True)[: len(cell)])
    after = last[visit[last] + 1 < visits[cell[last]]]
    idle = np.flatnonzero(np.bincount(cell, minlength=len(visits)) == 0)
    empty = np.zeros(len(before) + len(after) + len(idle), np.int64)
    runs = _Runs(
        np.concatenate((cell[first], cell[before], cell[after], idle)),
        np.concatenate(
            (visit[first], follows[before], visit[after] + 1, np.zeros_like(idle))
        ),
        np.concatenate((turn[first], empty)),
        np.concatenate((recorded[first], empty)),
    )
    order = np.lexsort((runs.visit, runs.cell))
    return _Runs(*(column[order] for column in runs))


def _cycles(runs: _Runs, visits: Ints) -> tuple[Ints, Ints, Ints, _Runs]:
    """Reduce the turns of each cell to their shortest cycle.

    Parameters
    ----------
    visits : int64, shape (cells,)
        How many there are of each cell.

    Returns
    -------
    int64, shape (cells,)
        Sequence of each cell.
    int64, shape (sequences,), and int64, shape (sequences + 1,)
        Their lengths in visits, and offsets of their runs.
    _Runs
        The runs, each with a cell that has it.
    """
    said = combined((runs.turn, runs.recorded))
    offsets = np.searchsorted(runs.cell, np.arange(len(visits) + 1))
    rows = _row_numbers(offsets, combined((runs.visit, said)))
    sequence, example = _numbered([rows, visits])
    period = np.ones(len(example), np.int64)
    for number, cell in enumerate(example.tolist()):
        own = slice(offsets[cell], offsets[cell + 1])
        if own.stop - own.start > 1:
            often = np.diff(runs.visit[own], append=visits[cell])
            period[number] = cycle_length(np.repeat(said[own], often))
    run = run_rows(offsets, example)
    of_run = np.repeat(np.arange(len(example)), np.diff(offsets)[example])
    kept = runs.visit[run] < period[of_run]
    counts = np.bincount(of_run[kept], minlength=len(example))
    some = _Runs(*(column[run[kept]] for column in runs))
    return sequence, period, run_offsets(counts), some
