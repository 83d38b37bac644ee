"""Compare rows of loops, and run programs of words."""

import cython
import numpy as np

if not cython.compiled:
    from topoview.base.kinds import *

    Arrays = tuple[Ints, ...]

    STOP, CALL, SCRIPT, LOOP, NEXT, WHEN, SOMETIMES, USE, RETURN = range(9)
    """What words say: the end; a call, or calls without a rule, of a statement; a
    loop's head, of two words, and its end; a condition; a part; a block, and its end.
    """


def elements_of_part(part: Ints, body: Ints) -> Ints:
    """Find the first elements of a body that are a part's symbols, in order.

    Parameters
    ----------
    part, body : int64, shapes (n,) and (m,)

    Returns
    -------
    int64, shape (n,) or less
        Ascending; up to the first symbol that does not come any more.
    """
    elements: OutInts = np.empty(len(part), np.int64)
    element: Int = 0
    k: Int = 0
    with cython.nogil:
        while k < len(part) and element < len(body):
            if body[element] == part[k]:
                elements[k] = element
                k += 1
            element += 1
    return np.asarray(elements)[:k]


def stretches(row: Ints, body: Ints) -> Arrays:
    """Find the stretches of a row that repeat a body.

    Parameters
    ----------
    row, body : int64, shapes (n,) and (m,)

    Returns
    -------
    first, count : int64, shape (stretches and other nodes,)
        Where each begins, and how often the body runs there, 0 for another node.
    """
    first: OutInts = np.empty(len(row), np.int64)
    count: OutInts = np.empty(len(row), np.int64)
    n: Int = len(row)
    length: Int = len(body)
    many: Int = 0
    at: Int = 0
    with cython.nogil:
        while at < n:
            first[many] = at
            times: Int = 0
            while at + length <= n:
                k: Int = 0
                while k < length and row[at + k] == body[k]:
                    k += 1
                if k < length:
                    break
                times += 1
                at += length
            if not times:
                at += 1
            count[many] = times
            many += 1
    return np.asarray(first)[:many], np.asarray(count)[:many]


# Running programs of words.


def run_words(  # noqa: C901, PLR0913
    words: IntRows,
    loops: Int,
    inside: Bools,
    offsets: Ints,
    values: Ints,
    counts: Ints,
) -> Ints:
    """Run a program.

    Parameters
    ----------
    words : int64, shape (words, 4)
        As of `topoview.logical.loops.words.WordWriter`.
    loops
        Number of loops.
    inside : bool, shape (guards,)
        Which conditions hold.
    offsets, values : int64, shapes (tables + 1,) and (entries,)
        Tables one after the other.
    counts : int64, shape (tables of counts by rank,)
        How often loops run whose counts differ by rank.

    Returns
    -------
    int64, shape (calls, 2)
        Statement of each call, and the number that the innermost loop over numbers
        around it is at, 0 without one.
    """
    calls = np.empty((256, 2), np.int64)
    made: OutIntRows = calls
    turns: OutInts = np.zeros(len(offsets), np.int64)  # how often tables were read
    # head, turn and count of each open loop, its table of numbers, the number outside
    stack: OutIntRows = np.zeros((loops + 1, 5), np.int64)
    returns: OutInts = np.zeros(len(words), np.int64)
    open_loops: Int = 0
    open_blocks: Int = 0
    pc: Int = 0
    number: Int = 0
    many: Int = 0
    with cython.nogil:
        while words[pc, 0] != STOP:
            what: Int = words[pc, 0]
            a: Int = words[pc, 1]
            leap: Int = words[pc, 3]
            pc += 1
            if what in (CALL, SCRIPT):
                if many == len(made):
                    with cython.gil:
                        calls = np.concatenate((calls, calls))
                        made = calls
                made[many, 0], made[many, 1] = a, number
                many += 1
            elif what == LOOP:
                count: Int = words[pc, 0]
                table: Int = words[pc, 1]
                if table >= 0:
                    count = values[next_entry(table, offsets, turns)]
                if words[pc, 2] >= 0:
                    count = counts[words[pc, 2]]
                if count <= 0:
                    pc = leap
                    continue
                table = words[pc, 3]
                stack[open_loops, 0], stack[open_loops, 1] = pc + 1, 0
                stack[open_loops, 2], stack[open_loops, 3] = count, table
                stack[open_loops, 4] = number
                if table >= 0:
                    number = values[offsets[table]]
                open_loops += 1
                pc += 1
            elif what == NEXT:
                top: Int = open_loops - 1
                stack[top, 1] += 1
                if stack[top, 1] < stack[top, 2]:
                    if stack[top, 3] >= 0:
                        number = values[offsets[stack[top, 3]] + stack[top, 1]]
                    pc = stack[top, 0]
                else:
                    number = stack[top, 4]
                    open_loops -= 1
            elif what == WHEN:
                if not inside[a]:
                    pc = leap
            elif what == SOMETIMES:
                if not values[next_entry(a, offsets, turns)]:
                    pc = leap
            elif what == USE:
                returns[open_blocks] = pc
                open_blocks += 1
                pc = a
            else:
                open_blocks -= 1
                pc = returns[open_blocks]
    return calls[:many].copy()


def next_entry(table: Int, offsets: Ints, turns: OutInts) -> Int:
    """Find where the next entry of a table is: the first again after the last."""
    begin: Int = offsets[table]
    entry: Int = begin + turns[table] % (offsets[table + 1] - begin)
    turns[table] += 1
    return entry
