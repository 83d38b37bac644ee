"""Kernels of analysis/logical."""

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from topoview.base.kernels import kernel
from topoview.logical.loops.kernels import (
    CALL,
    LOOP,
    NEXT,
    SCRIPT,
    SOMETIMES,
    STOP,
    USE,
    WHEN,
)
from topoview.model import NOWHERE, Bools, Floats, Indices, Ints

if TYPE_CHECKING:
    from topoview.analysis.logical.exact_sums import Tally

BITS: Final = 32


LOW: Final = (1 << BITS) - 1


FULL: Final = 1 << 62


FLOAT_BITS: Final = 1127


@kernel
def look(values: Ints, wanted: Ints, seen: Bools) -> None:
    """Find which pairs of metric and place records have."""
    left = len(wanted) - np.sum(seen)
    for k in range(len(values)):
        if not left:
            break
        for row in range(len(wanted)):
            if (
                not seen[row]
                and values[k, 0] == wanted[row, 0]
                and values[k, 1] == wanted[row, 1]
            ):
                seen[row] = True
                left -= 1


@kernel
def measure(  # noqa: PLR0913
    times: Ints, values: Floats, mode: int, begin: Ints, end: Ints, found: Floats
) -> None:
    """Read a counter over intervals in order: mode 0 values, 1 grows, 2 changes."""
    for k in range(len(begin)):
        last = np.searchsorted(times, end[k], side="right") - 1
        if mode == 0:
            if last >= 0:
                found[k] = values[last]
            continue
        first = np.searchsorted(times, begin[k], side="right") - 1
        if mode == 2:
            before = values[first] if first >= 0 else 0.0
            found[k] = (values[last] if last >= 0 else 0.0) - before
            continue
        if first < 0 or last < 0:
            continue
        low = between_samples(times, values, first, begin[k])
        high = between_samples(times, values, last, end[k])
        if high >= low:
            found[k] = high - low


@kernel
def between_samples(times: Ints, values: Floats, at: int, time: int) -> float:
    """Value at a time from the records around it; NaN after the last one."""
    if times[at] == time:
        return float(values[at])
    if at + 1 >= len(times):
        return np.nan
    span = times[at + 1] - times[at]
    return float(values[at] + (values[at + 1] - values[at]) * (time - times[at]) / span)


@kernel
def add_numbers(group: Indices, numbers: Floats, told: Bools, sums: Ints) -> None:
    """Add numbers that are told to the sums of their groups: int64, (n, digits)."""
    for i in range(len(numbers)):
        if not told[i]:
            continue
        share, power = math.frexp(numbers[i])
        whole, place = np.int64(share * 2.0**53), power + FLOAT_BITS - 53
        at, shift = place >> 5, place & 31
        low, high = (whole & LOW) << shift, (whole >> BITS) << shift
        own = sums[group[i]]
        own[at] += low & LOW
        own[at + 1] += (low >> BITS) + (high & LOW)
        own[at + 2] += high >> BITS
        if own[at] > FULL or own[at + 1] > FULL:
            carry(own)


@kernel
def carry(own: Ints) -> None:
    for k in range(len(own) - 1):
        own[k + 1] += own[k] >> BITS
        own[k] &= LOW


@kernel
def note_ticks(group: int, ticks: int, call: int, tally: "Tally") -> None:
    """Count the time of a call in, or what ends with it."""
    number, total, squares, most, longest = tally
    number[group] += 1
    total[group] += ticks
    low, high = abs(ticks) & LOW, abs(ticks) >> BITS
    lows, between, highs = low * low, 2 * low * high, high * high
    own = squares[group]
    own[0] += lows & LOW  # an int64 holds its 64 bits, whatever its sign
    own[1] += ((lows >> BITS) & LOW) + (between & LOW)
    own[2] += ((between >> BITS) & LOW) + (highs & LOW)
    own[3] += highs >> BITS
    if own[0] > FULL or own[1] > FULL or own[2] > FULL:
        carry(own)
    if longest[group] < 0 or ticks > most[group]:
        most[group], longest[group] = ticks, call


@kernel
def walk(  # noqa: C901, PLR0913
    program: Ints,
    loops: int,
    inside: Bools,
    table_offsets: Ints,
    tables: Ints,
    own_trips: Ints,
    statement: Indices,
    enter: Ints,
    leave: Ints,
    begin: int,
    end: int,
    polls: Bools,
    scripts: tuple[Ints, Ints, Ints, Ints],
    rank: int,
    record: bool,
    tally: "Tally",
    uses: Ints,
) -> bool:
    """Run the program beside a rank's calls; tells whether they agree."""
    turns = np.zeros(len(table_offsets), np.int64)
    visits = np.zeros(len(polls), np.int64)
    stack = np.zeros((loops + 2, 6), np.int64)  # head, number, done, count, time, call
    returns = np.zeros((len(program), 3), np.int64)  # place, use, time in calls so far
    deep = back = pc = spent = 0
    call = begin
    time = enter[begin] if begin < end else 0
    while True:
        what, a, of_use, leap = program[pc]
        if what == STOP:
            break
        if what == CALL:
            while call < end and statement[call] < 0:
                call += 1
            if call >= end or statement[call] != a:
                return False
            time = leave[call]
            spent += leave[call] - enter[call]
            call += 1
            while polls[a] and call < end and statement[call] == a:
                time = leave[call]
                spent += leave[call] - enter[call]
                call += 1
            pc += 1
        elif what == SCRIPT:
            left = calls_of_turn(scripts, a, visits[a], rank)
            visits[a] += 1
            while left:
                while call < end and statement[call] < 0:
                    call += 1
                if call >= end or statement[call] != a:
                    return False
                time = leave[call]
                spent += leave[call] - enter[call]
                call += 1
                left -= 1
            pc += 1
        elif what == LOOP:
            count, of = program[pc + 1, 0], program[pc + 1, 1]
            if of >= 0:
                length = table_offsets[of + 1] - table_offsets[of]
                count = tables[table_offsets[of] + turns[of] % length]
                turns[of] += 1
            if program[pc + 1, 2] >= 0:
                count = own_trips[program[pc + 1, 2]]
            if count <= 0:
                pc = leap
                continue
            deep += 1
            stack[deep, 0], stack[deep, 1], stack[deep, 2] = pc, a, 0
            stack[deep, 3], stack[deep, 4], stack[deep, 5] = count, time, call
            pc += 2
        elif what == NEXT:
            top = stack[deep]
            if record and call > top[5]:
                note_ticks(top[1], time - top[4], call - 1, tally)
            top[2] += 1
            top[4], top[5] = time, call
            if top[2] < top[3]:
                pc = top[0] + 2
            else:
                deep -= 1
                pc += 1
        elif what == WHEN:
            pc = pc + 1 if inside[a] else leap
        elif what == SOMETIMES:
            length = table_offsets[a + 1] - table_offsets[a]
            taken = tables[table_offsets[a] + turns[a] % length]
            turns[a] += 1
            pc = pc + 1 if taken else leap
        elif what == USE:
            returns[back, 0], returns[back, 1] = pc + 1, of_use
            returns[back, 2] = spent
            back += 1
            pc = a
        else:
            back -= 1
            pc = returns[back, 0]
            if record:
                uses[returns[back, 1]] += spent - returns[back, 2]
    while call < end and statement[call] < 0:
        call += 1
    return call >= end


@kernel
def calls_of_turn(
    scripts: tuple[Ints, Ints, Ints, Ints], statement: int, visit: int, rank: int
) -> int:
    """Count the calls that a rank makes as it comes to a script for the nth time."""
    first, turns, visits, recorded = scripts
    cell = first[statement] + rank
    begin, end = turns[cell], turns[cell + 1]
    at = begin + np.searchsorted(visits[begin:end], visit)
    return int(recorded[at]) if at < end and visits[at] == visit else 0


@kernel
def follow_all(  # noqa: PLR0913
    program: Ints,
    skips: Ints,
    loops: int,
    inside: Bools,
    tables: tuple[Ints, Ints],
    rank_trips: Ints,
    offsets: Ints,
    statement: Indices,
    operations: tuple[Indices, Indices],
    polls: Bools,
    scripts: tuple[Ints, Ints, Ints, Ints],
    first_rank: int,
    found: Ints,
) -> None:
    for rank in range(len(offsets) - 1):
        begin, end = offsets[rank] - offsets[0], offsets[rank + 1] - offsets[0]
        exact = follow(
            program,
            skips,
            loops,
            inside[rank],
            (tables[0], tables[1], rank_trips[rank]),
            statement[begin:end],
            (operations[0], operations[1][begin:end]),
            polls,
            scripts,
            first_rank + rank,
            found[begin:end],
        )
        if not exact:
            found[begin:end] = NOWHERE


@kernel
def place_left_out(  # noqa: PLR0913
    program: Ints,
    pc: int,
    leap: int,
    at: int,
    operations: tuple[Indices, Indices],
    statement: Indices,
    call: int,
    last: int,
    found: Ints,
    ahead: Ints,
) -> tuple[int, int]:
    """Place calls to no rank where a condition that does not hold would make them.

    At an edge programs call with ``MPI_PROC_NULL`` what elsewhere reaches a neighbour.
    Other calls that are left out, beside these, stay at the call before them. Before
    `ahead`, by operation, there are no such calls: none is looked at twice for one.

    Returns
    -------
    int
        The next call.
    int
        Position of the one before it.
    """
    end = len(statement)
    while pc < leap and program[pc, 0] in (CALL, WHEN, SOMETIMES):
        if program[pc, 0] == CALL:
            wanted = operations[0][program[pc, 1]]
            same = max(call, ahead[wanted])
            while same < end and statement[same] < 0 and operations[1][same] != wanted:
                same += 1
            ahead[wanted] = same
            if same < end and statement[same] < 0:
                while call < same:
                    found[call] = last
                    call += 1
                last = found[call] = at
                call += 1
            at += 1
        pc += 1
    return call, last


@kernel
def follow(  # noqa: C901, PLR0913
    program: Ints,
    skips: Ints,
    loops: int,
    inside: Bools,
    tables: tuple[Ints, Ints, Ints],
    statement: Indices,
    operations: tuple[Indices, Indices],
    polls: Bools,
    scripts: tuple[Ints, Ints, Ints, Ints],
    rank: int,
    found: Ints,
) -> bool:
    """Run the program beside a rank's calls; tells whether they agree."""
    turns = np.zeros(len(tables[0]), np.int64)
    visits = np.zeros(len(polls), np.int64)
    stack = np.zeros((loops + 2, 4), np.int64)  # head, done, count, position after
    returns = np.zeros(len(program), np.int64)
    deep = back = pc = at = call = 0
    last = NOWHERE
    end, most = len(statement), -1
    for operation in operations[0]:
        most = max(most, operation)
    ahead = np.zeros(most + 2, np.int64)  # the last for -1
    while True:
        what, a, leap = program[pc, 0], program[pc, 1], program[pc, 3]
        if what == STOP:
            break
        if what == CALL:
            while call < end and statement[call] < 0:
                found[call] = last
                call += 1
            if call >= end or statement[call] != a:
                return False
            last = at
            found[call] = at
            call += 1
            while polls[a] and call < end and statement[call] == a:
                found[call] = at
                call += 1
            at += 1
            pc += 1
        elif what == SCRIPT:
            made = calls_of_turn(scripts, a, visits[a], rank)
            visits[a] += 1
            for k in range(made):
                while call < end and statement[call] < 0:
                    found[call] = last
                    call += 1
                if call >= end or statement[call] != a:
                    return False
                last = at + min(k, leap - 1)  # polls may be repeated
                found[call] = last
                call += 1
            at += leap
            pc += 1
        elif what == LOOP:
            count, of = program[pc + 1, 0], program[pc + 1, 1]
            if of >= 0:
                length = tables[0][of + 1] - tables[0][of]
                count = tables[1][tables[0][of] + turns[of] % length]
                turns[of] += 1
            if program[pc + 1, 2] >= 0:
                count = tables[2][program[pc + 1, 2]]
            if count <= 0:
                at += skips[pc]
                pc = leap
                continue
            deep += 1
            stack[deep] = (pc, 0, count, at + skips[pc])
            pc += 2
        elif what == NEXT:
            top = stack[deep]
            top[1] += 1
            if top[1] < top[2]:
                pc = top[0] + 2
            else:
                at = top[3]
                deep -= 1
                pc += 1
        elif what in (WHEN, SOMETIMES):
            if what == WHEN:
                taken = inside[a]
            else:
                length = tables[0][a + 1] - tables[0][a]
                taken = tables[1][tables[0][a] + turns[a] % length] != 0
                turns[a] += 1
            if taken:
                pc += 1
            else:
                call, last = place_left_out(
                    *(program, pc + 1, leap, at, operations, statement),
                    *(call, last, found, ahead),
                )
                at += skips[pc]
                pc = leap
        elif what == USE:
            returns[back] = pc + 1
            back += 1
            pc = a
        else:
            back -= 1
            pc = returns[back]
    while call < end and statement[call] < 0:
        found[call] = last
        call += 1
    return call >= end


@kernel
def tally_calls(statement: Indices, ticks: Ints, first: int, tally: "Tally") -> None:
    """Count calls in, from one on."""
    for k in range(len(statement)):
        if statement[k] >= 0:
            note_ticks(statement[k], ticks[k], first + k, tally)


@kernel
def count_ranks(
    rank: int, offsets: Ints, statement: Indices, seen: Ints, ranks: Ints
) -> None:
    """Count the ranks that make calls of each statement, from one on."""
    for row in range(len(offsets) - 1):
        for call in range(offsets[row] - offsets[0], offsets[row + 1] - offsets[0]):
            s = statement[call]
            if s >= 0 and seen[s] != rank + row:
                seen[s] = rank + row
                ranks[s] += 1


@kernel
def add_bytes(call: Ints, size: Ints, statement: Indices, total: Ints) -> None:
    for i in range(len(call)):
        if call[i] >= 0 and statement[call[i]] >= 0 and size[i] > 0:
            total[statement[call[i]]] += size[i]
