"""Runs the program of a logical trace beside the calls of a rank."""

import numba
import numpy as np

from topoview.model import Bools, Floats, Indices, Ints

STOP, CALL, LOOP, NEXT, WHEN, SOMETIMES, USE, RETURN = range(8)
"""What the words of a program say; `loop_program` writes them."""


@numba.njit(nogil=True, cache=True)
def walk(  # noqa: C901, PLR0913
    program: Ints,
    nodes: int,
    loops: int,
    inside: Bools,
    pattern_offsets: Ints,
    patterns: Ints,
    trip_offsets: Ints,
    trips: Ints,
    own_trips: Ints,
    statement: Indices,
    enter: Ints,
    leave: Ints,
    begin: int,
    end: int,
    polls: Bools,
    rank: int,
    record: bool,
    tallies: Floats,
    numbers: Ints,
    uses: Ints,
) -> bool:
    """Run the program beside a rank's calls; tells whether they agree."""
    turns = np.zeros(nodes + 1, np.int64)
    stack = np.zeros((loops + 2, 6), np.int64)  # head, number, done, count, time, call
    returns = np.zeros((256, 3), np.int64)  # place, use, time in calls so far
    deep = back = pc = spent = 0
    call = begin
    time = enter[begin] if begin < end else 0
    while True:
        what, a, node, leap = program[pc]
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
        elif what == LOOP:
            count, of = program[pc + 1, 0], program[pc + 1, 1]
            if of >= 0:
                length = trip_offsets[of + 1] - trip_offsets[of]
                count = trips[trip_offsets[of] + turns[node] % length]
                turns[node] += 1
            if program[pc + 1, 2] >= 0:
                count = own_trips[program[pc + 1, 2]]
            if count <= 0:
                pc = leap
                continue
            deep += 1
            stack[deep] = (pc, a, 0, count, time, call)
            pc += 2
        elif what == NEXT:
            top = stack[deep]
            if record and call > top[5]:
                _note(top[1], top[2], rank, top[4], time, tallies, numbers)
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
            length = pattern_offsets[a + 1] - pattern_offsets[a]
            taken = patterns[pattern_offsets[a] + turns[node] % length]
            turns[node] += 1
            pc = pc + 1 if taken else leap
        elif what == USE:
            returns[back] = (pc + 1, node, spent)
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


@numba.njit(nogil=True, cache=True)
def _note(  # noqa: PLR0913
    loop: int,
    iteration: int,
    rank: int,
    begin: int,
    end: int,
    tallies: Floats,
    numbers: Ints,
) -> None:
    """Count an iteration in (Welford 1962)."""
    spent = end - begin
    numbers[loop, 0] += 1
    numbers[loop, 1] += spent
    step = spent - tallies[loop, 0]
    tallies[loop, 0] += step / numbers[loop, 0]
    tallies[loop, 1] += step * (spent - tallies[loop, 0])
    if spent > numbers[loop, 2]:
        numbers[loop, 2] = spent
        numbers[loop, 3] = iteration
        numbers[loop, 4] = rank
        numbers[loop, 5] = begin
        numbers[loop, 6] = end
