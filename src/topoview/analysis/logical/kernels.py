"""Kernels that run a logical trace beside the calls of ranks, and sum up exactly."""

import cython
import numpy as np

if not cython.compiled:
    from math import frexp

    from topoview.analysis.logical.exact_sums import (
        BITS,
        COUNT,
        FLOAT_BITS,
        FULL,
        LONGEST,
        LOW,
        MOST,
        SQUARES,
        TOTAL,
    )
    from topoview.base.kinds import *
    from topoview.base.ordering import search_right
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
    from topoview.model import NOWHERE


# Exact sums: see `topoview.analysis.logical.exact_sums`.


def add_numbers(
    group: Indices, numbers: Floats, counts: Bools, sums: OutIntRows
) -> None:
    """Add the numbers that count to the sums of their groups.

    Parameters
    ----------
    group : int32, shape (n,)
    numbers : float64, shape (n,)
        Finite where they count.
    counts : bool, shape (n,)
    sums : int64, shape (groups, digits)
        Changed in place.
    """
    i: Int
    with cython.nogil:
        for i in range(len(numbers)):
            if not counts[i]:
                continue
            share, power = frexp(numbers[i])
            # 53 bits that are whole, and the place of the lowest one
            whole: Int = cython.cast(Int, share * 9007199254740992.0)
            place: Int = power + FLOAT_BITS - 53
            digit: Int = place >> 5
            shift: Int = place & 31
            low: Int = (whole & LOW) << shift
            high: Int = (whole >> BITS) << shift
            row: Int = group[i]
            sums[row, digit] += low & LOW
            sums[row, digit + 1] += (low >> BITS) + (high & LOW)
            sums[row, digit + 2] += high >> BITS
            if sums[row, digit] > FULL or sums[row, digit + 1] > FULL:
                carry(sums, row, 0)


def carry(rows: OutIntRows, row: Int, first: Int) -> None:
    """Carry what the digits of a sum exceed, from a column on."""
    k: Int
    for k in range(first, rows.shape[1] - 1):
        rows[row, k + 1] += rows[row, k] >> BITS
        rows[row, k] &= LOW


def note_ticks(group: Int, ticks: Int, call: Int, tally: OutIntRows) -> None:
    """Count the time of a call in, or what ends with it.

    Parameters
    ----------
    tally : int64, shape (groups, columns)
        As of `topoview.analysis.logical.exact_sums.new_tally`.
    """
    tally[group, COUNT] += 1
    tally[group, TOTAL] += ticks
    # halves of 32 bits: of the square of 62 bits each digit is a sum of their products
    size: Int = cython.cast(Int, ticks if ticks >= 0 else -ticks)
    low: Int = size & LOW
    high: Int = size >> BITS
    lows: Int = low * low  # an int64 holds its 64 bits, whatever its sign
    between: Int = 2 * low * high
    highs: Int = high * high
    tally[group, SQUARES] += lows & LOW
    tally[group, SQUARES + 1] += ((lows >> BITS) & LOW) + (between & LOW)
    tally[group, SQUARES + 2] += ((between >> BITS) & LOW) + (highs & LOW)
    tally[group, SQUARES + 3] += highs >> BITS
    if (
        tally[group, SQUARES] > FULL
        or tally[group, SQUARES + 1] > FULL
        or tally[group, SQUARES + 2] > FULL
    ):
        carry(tally, group, SQUARES)
    if tally[group, LONGEST] < 0 or ticks > tally[group, MOST]:
        tally[group, MOST], tally[group, LONGEST] = ticks, call


def tally_calls(statement: Indices, ticks: Ints, first: Int, tally: OutIntRows) -> None:
    """Count calls in.

    Parameters
    ----------
    statement : int32, shape (n,)
        Statement of each call; -1 for none.
    ticks : int64, shape (n,)
        What is counted of each.
    first
        Number of the first call.
    tally : int64, shape (statements, columns)
        See `topoview.analysis.logical.exact_sums`.
    """
    k: Int
    with cython.nogil:
        for k in range(len(statement)):
            if statement[k] >= 0:
                note_ticks(statement[k], ticks[k], first + k, tally)


# A logical trace as words, run beside the calls of a rank.


class Program:
    """What a logical trace says, for all ranks, as arrays."""

    def __init__(  # noqa: PLR0913
        self,
        words: IntRows,
        loops: Int,
        uses: Int,
        polls: Bools,
        cells: Ints,
        sequence: Indices,
        period: Ints,
        runs: Ints,
        visit: Ints,
        recorded: Ints,
        guards: BoolRows,
        begins: Ints,
        entries: Ints,
        rank_trips: IntRows,
    ) -> None:
        """Hold the arrays.

        Parameters
        ----------
        words : int64, shape (n, 4)
            As of `topoview.logical.loops.words`.
        loops, uses
            Loops, and uses of blocks.
        polls : bool, shape (statements + 1,)
            Whether a statement stands for any number of calls.
        cells : int64, shape (statements + 1,)
            Of statements that stand for several calls without a rule: their first
            cells.
        sequence : int32
        period, runs, visit, recorded : int64
            As of `Scripts`.
        guards : bool, shape (ranks, guards)
            Who fulfils each condition.
        begins, entries : int64
            Offsets and entries of `LogicalTrace.patterns` and `LogicalTrace.trips`.
        rank_trips : int64, shape (ranks, tables)
            `LogicalTrace.rank_trips`.
        """
        self.words = words
        self.loops = loops
        self.uses = uses
        self.polls = polls
        self.cells = cells
        self.sequence = sequence
        self.period = period
        self.runs = runs
        self.visit = visit
        self.recorded = recorded
        self.guards = guards
        self.begins = begins
        self.entries = entries
        self.rank_trips = rank_trips


def walk(  # noqa: PLR0913
    program: Program,
    offsets: Ints,
    first: Int,
    last: Int,
    statement: Indices,
    enter: Ints,
    leave: Ints,
    tally: OutIntRows,
    uses: OutInts,
) -> Int:
    """Time the iterations of loops, of ranks with whose calls the program agrees.

    Parameters
    ----------
    offsets : int64, shape (ranks + 1,)
        Where the calls of each rank begin.
    first, last
        The ranks: up to the last, which is none of them.
    statement : int32, shape (calls,)
        Statement of each call; -1 for none.
    enter, leave : int64, shape (calls,)
        In ticks.
    tally : int64, shape (loops, columns)
        Iterations are counted in: see `topoview.analysis.logical.exact_sums`.
    uses : int64, shape (uses,)
        Time in calls is added to the use of a block that they belong to.

    Returns
    -------
    int
        How many ranks agree.
    """
    turns: OutInts = np.zeros(len(program.begins), np.int64)
    visits: OutInts = np.zeros(len(program.polls), np.int64)
    # head, number, iterations done, their count, time and call that one began at
    stack: OutIntRows = np.empty((program.loops + 2, 6), np.int64)
    # place, use, time in calls so far
    returns: OutIntRows = np.empty((len(program.words), 3), np.int64)
    agreed: Int = 0
    rank: Int
    with cython.nogil:
        for rank in range(first, last):
            begin: Int = offsets[rank]
            end: Int = offsets[rank + 1]
            if is_run(
                program, rank, statement, enter, leave, begin, end, False,
                turns, visits, stack, returns, tally, uses,
            ):  # fmt: skip
                # nothing is counted of a rank before all of it agrees
                is_run(
                    program, rank, statement, enter, leave, begin, end, True,
                    turns, visits, stack, returns, tally, uses,
                )  # fmt: skip
                agreed += 1
    return agreed


def is_run(  # noqa: C901, PLR0913
    program: Program,
    rank: Int,
    statement: Indices,
    enter: Ints,
    leave: Ints,
    begin: Int,
    end: Int,
    record: Bool,
    turns: OutInts,
    visits: OutInts,
    stack: OutIntRows,
    returns: OutIntRows,
    tally: OutIntRows,
    uses: OutInts,
) -> Bool:
    """Run the program beside a rank's calls; return whether they agree."""
    words: IntRows = program.words
    depth: Int = 0
    back: Int = 0
    pc: Int = 0
    spent: Int = 0
    call: Int = begin
    time: Int = enter[begin] if begin < end else 0
    k: Int
    for k in range(len(turns)):
        turns[k] = 0
    for k in range(len(visits)):
        visits[k] = 0
    while True:
        what: Int = words[pc, 0]
        a: Int = words[pc, 1]
        if what == STOP:
            break
        # A call must be the rank's next one, but for those that the logical trace
        # leaves out.
        if what in (CALL, SCRIPT):
            left: Int = 1
            if what == SCRIPT:
                left = calls_of_turn(program, a, visits[a], rank)
                visits[a] += 1
            while left:
                # calls that the logical trace leaves out may stand anywhere
                while call < end and statement[call] < 0:
                    call += 1
                if call >= end or statement[call] != a:
                    return False
                time = leave[call]
                spent += leave[call] - enter[call]
                call += 1
                left -= 1
                # A poll may be repeated: as often as the rank makes it.
                if what == CALL and program.polls[a]:
                    left = 1 if call < end and statement[call] == a else 0
            pc += 1
        elif what == LOOP:
            count: Int = words[pc + 1, 0]
            table: Int = words[pc + 1, 1]
            # How often it runs: by turn from a table, by rank, or always alike.
            if table >= 0:
                length: Int = program.begins[table + 1] - program.begins[table]
                count = program.entries[program.begins[table] + turns[table] % length]
                turns[table] += 1
            if words[pc + 1, 2] >= 0:
                count = program.rank_trips[rank, words[pc + 1, 2]]
            if count <= 0:
                pc = words[pc, 3]
                continue
            depth += 1
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = pc, a, 0
            stack[depth, 3], stack[depth, 4], stack[depth, 5] = count, time, call
            pc += 2
        elif what == NEXT:
            # an iteration without calls takes no time, and is none
            if record and call > stack[depth, 5]:
                ticks: Int = time - stack[depth, 4]
                note_ticks(stack[depth, 1], ticks, call - 1, tally)
            stack[depth, 2] += 1
            stack[depth, 4], stack[depth, 5] = time, call
            if stack[depth, 2] < stack[depth, 3]:
                pc = stack[depth, 0] + 2
            else:
                depth -= 1
                pc += 1
        # What a rank does not run is skipped: up to the end of the condition.
        elif what == WHEN:
            pc = pc + 1 if program.guards[rank, a] else words[pc, 3]
        elif what == SOMETIMES:
            length = program.begins[a + 1] - program.begins[a]
            taken: Int = program.entries[program.begins[a] + turns[a] % length]
            turns[a] += 1
            pc = pc + 1 if taken else words[pc, 3]
        # A block is run as if it stood here: where to go on, and what had been spent.
        elif what == USE:
            returns[back, 0], returns[back, 1] = pc + 1, words[pc, 2]
            returns[back, 2] = spent
            back += 1
            pc = a
        else:  # the end of a block
            back -= 1
            pc = returns[back, 0]
            if record:
                uses[returns[back, 1]] += spent - returns[back, 2]
    # What is left over may only be what the logical trace leaves out.
    while call < end and statement[call] < 0:
        call += 1
    return call >= end


def calls_of_turn(program: Program, statement: Int, visit: Int, rank: Int) -> Int:
    """Count the calls that a rank makes as it comes to a script for the nth time."""
    number: Int = program.sequence[program.cells[statement] + rank]
    begin: Int = program.runs[number]
    end: Int = program.runs[number + 1]
    place: Int = visit % program.period[number]
    behind: Int = search_right(program.visit[begin:end], place)
    made: Int = program.recorded[begin + behind - 1]
    return made


# Positions.


def follow_all(  # noqa: PLR0913
    program: Program,
    skips: Ints,
    offsets: Ints,
    statement: Indices,
    of_statement: Indices,
    of_call: Indices,
    first_rank: Int,
    positions: OutInts,
) -> None:
    """Find where the calls of some ranks stand in the program.

    Parameters
    ----------
    skips : int64, shape (words,)
        Positions of a condition's body, and of all iterations of a loop.
    offsets : int64, shape (ranks + 1,)
        Where the calls of each rank begin; arrays of calls begin with the first one.
    statement : int32, shape (calls,)
        Statement of each call; -1 for none.
    of_statement : int32, shape (statements,)
        Operation of each statement; -1 for none.
    of_call : int32, shape (calls,)
        Operation of each call; -1 for none. Looked at where a call has no statement.
    first_rank
        The first of these ranks.
    positions : int64, shape (calls,)
        Gets them; nowhere of ranks with which the program does not agree.
    """
    turns: OutInts = np.empty(len(program.begins), np.int64)
    visits: OutInts = np.empty(len(program.polls), np.int64)
    # head, iterations done, their count, position after the loop
    stack: OutIntRows = np.empty((program.loops + 2, 4), np.int64)
    returns: OutInts = np.empty(len(program.words), np.int64)
    most: Int = -1
    k: Int
    for k in range(len(of_statement)):
        most = max(most, of_statement[k])
    ahead: OutInts = np.empty(most + 2, np.int64)  # the first for -1
    rank: Int
    exact: Bool
    with cython.nogil:
        for rank in range(len(offsets) - 1):
            begin: Int = offsets[rank] - offsets[0]
            end: Int = offsets[rank + 1] - offsets[0]
            exact = is_placed(
                program, skips, first_rank + rank,
                statement, of_statement, of_call, begin, end,
                turns, visits, stack, returns, ahead, positions,
            )  # fmt: skip
            if not exact:
                for k in range(begin, end):
                    positions[k] = NOWHERE


def is_placed(  # noqa: C901, PLR0913
    program: Program,
    skips: Ints,
    rank: Int,
    statement: Indices,
    of_statement: Indices,
    of_call: Indices,
    begin: Int,
    end: Int,
    turns: OutInts,
    visits: OutInts,
    stack: OutIntRows,
    returns: OutInts,
    ahead: OutInts,
    positions: OutInts,
) -> Bool:
    """Find where a rank's calls stand; return whether the program agrees with them."""
    words: IntRows = program.words
    depth: Int = 0
    back: Int = 0
    pc: Int = 0
    position: Int = 0
    last: Int = NOWHERE
    call: Int = begin
    k: Int
    for k in range(len(turns)):
        turns[k] = 0
    for k in range(len(visits)):
        visits[k] = 0
    for k in range(len(ahead)):
        ahead[k] = 0
    while True:
        what: Int = words[pc, 0]
        a: Int = words[pc, 1]
        leap: Int = words[pc, 3]
        if what == STOP:
            break
        # A position is a place in the program as if all ranks ran all of it.
        if what in (CALL, SCRIPT):
            made: Int = 1
            if what == SCRIPT:
                made = calls_of_turn(program, a, visits[a], rank)
                visits[a] += 1
            else:
                leap = 1
            for k in range(made):
                # calls that are left out stay at the call before them
                while call < end and statement[call] < 0:
                    positions[call] = last
                    call += 1
                if call >= end or statement[call] != a:
                    return False
                last = position + min(k, leap - 1)  # polls may be repeated
                positions[call] = last
                call += 1
            # Repeated polls stand where the first one does.
            if what == CALL and program.polls[a]:
                while call < end and statement[call] == a:
                    positions[call] = position
                    call += 1
            position += leap
            pc += 1
        elif what == LOOP:
            count: Int = words[pc + 1, 0]
            table: Int = words[pc + 1, 1]
            # As in `is_run`; but a rank that runs no trip passes the positions of all.
            if table >= 0:
                length: Int = program.begins[table + 1] - program.begins[table]
                count = program.entries[program.begins[table] + turns[table] % length]
                turns[table] += 1
            if words[pc + 1, 2] >= 0:
                count = program.rank_trips[rank, words[pc + 1, 2]]
            if count <= 0:
                position += skips[pc]
                pc = leap
                continue
            depth += 1
            stack[depth, 0], stack[depth, 1] = pc, 0
            stack[depth, 2], stack[depth, 3] = count, position + skips[pc]
            pc += 2
        elif what == NEXT:
            stack[depth, 1] += 1
            if stack[depth, 1] < stack[depth, 2]:
                pc = stack[depth, 0] + 2
            else:
                # behind the iterations that only other ranks make
                position = stack[depth, 3]
                depth -= 1
                pc += 1
        elif what in (WHEN, SOMETIMES):
            taken: Bool
            if what == WHEN:
                taken = program.guards[rank, a]
            else:
                length = program.begins[a + 1] - program.begins[a]
                taken = program.entries[program.begins[a] + turns[a] % length] != 0
                turns[a] += 1
            # Other ranks run what this one does not: its calls left out meanwhile stand
            # there.
            if taken:
                pc += 1
            else:
                call, last = place_left_out(
                    words, pc + 1, leap, position, of_statement, of_call,
                    statement, call, end, last, positions, ahead,
                )  # fmt: skip
                position += skips[pc]
                pc = leap
        elif what == USE:
            returns[back] = pc + 1
            back += 1
            pc = a
        else:  # the end of a block
            back -= 1
            pc = returns[back]
    while call < end and statement[call] < 0:
        positions[call] = last
        call += 1
    return call >= end


def place_left_out(  # noqa: PLR0913
    words: IntRows,
    pc: Int,
    leap: Int,
    position: Int,
    of_statement: Indices,
    of_call: Indices,
    statement: Indices,
    call: Int,
    end: Int,
    last: Int,
    positions: OutInts,
    ahead: OutInts,
) -> Pair:
    """Place calls to no rank where a condition that does not hold would make them.

    At an edge programs call with ``MPI_PROC_NULL`` what elsewhere reaches a neighbour.
    Other calls that are left out, beside these, stay at the call before them. Before
    `ahead`, by operation from -1 on, there are no such calls: none is looked at twice
    for one.

    Returns
    -------
    int
        The next call.
    int
        Position of the one before it.
    """
    while pc < leap and words[pc, 0] in (CALL, WHEN, SOMETIMES):
        if words[pc, 0] == CALL:
            wanted: Int = of_statement[words[pc, 1]]
            same: Int = max(call, ahead[wanted + 1])
            while same < end and statement[same] < 0 and of_call[same] != wanted:
                same += 1
            ahead[wanted + 1] = same
            if same < end and statement[same] < 0:
                while call < same:
                    positions[call] = last
                    call += 1
                positions[call] = position
                last = position
                call += 1
            position += 1
        pc += 1
    return call, last
