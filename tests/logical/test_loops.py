"""Loop compression is exact, and finds the loops that a sequence was made of."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoview.base.progress import Cancelled
from topoview.logical.loops.compression import LoopTokens, compress
from topoview.logical.loops.repetition_kernels import cycle_length
from topoview.logical.loops.repetitions import find_runs

Nested = list["int | tuple[int, Nested]"]

SYMBOL = st.integers(0, 5)
PROGRAM = st.lists(
    st.recursive(
        SYMBOL,
        lambda inner: st.tuples(
            st.integers(2, 4), st.lists(inner, min_size=1, max_size=4)
        ),
        max_leaves=8,
    ),
    max_size=5,
)


def run(program: Nested) -> list[int]:
    done: list[int] = []
    for item in program:
        if isinstance(item, tuple):
            done += item[0] * run(item[1])
        else:
            done.append(item)
    return done


def leaves(program: Nested) -> int:
    return sum(leaves(i[1]) if isinstance(i, tuple) else 1 for i in program)


def expanded(tokens: LoopTokens, written: tuple[int, ...]) -> list[int]:
    """Write loops out."""
    result: list[int] = []
    for token in written:
        if token < tokens.symbols:
            result.append(token)
        else:
            count, body = tokens.loops[token - tokens.symbols]
            result += count * expanded(tokens, body)
    return result


@given(program=PROGRAM)
def test_expanding_gives_the_sequence_again(program: Nested) -> None:
    sequence = np.array(run(program), np.int64)
    tokens, written = compress(sequence)
    assert expanded(tokens, written) == sequence.tolist()
    assert tokens.leaves(written) <= leaves(program)
    assert all(count > 1 for count, _ in tokens.loops)


@given(st.lists(SYMBOL, max_size=60))
def test_any_sequence_is_written_exactly(sequence: list[int]) -> None:
    tokens, written = compress(np.array(sequence, np.int64))
    assert expanded(tokens, written) == sequence


def shortest(s: tuple[int, ...]) -> tuple[int, int]:
    """Find fewest symbols, then fewest loops, by trying everything."""

    @cache
    def best(i: int, j: int) -> tuple[int, int]:
        found = (j - i, 0)
        for k in range(i + 1, j):
            left, right = best(i, k), best(k, j)
            found = min(found, (left[0] + right[0], left[1] + right[1]))
        for p in range(1, (j - i) // 2 + 1):
            if (j - i) % p == 0 and s[i : j - p] == s[i + p : j]:
                body = best(i, i + p)
                found = min(found, (body[0], body[1] + 1))
        return found

    return best(0, len(s))


def loops(tokens: LoopTokens, written: tuple[int, ...]) -> int:
    return sum(
        1 + loops(tokens, tokens.loops[t - tokens.symbols][1])
        for t in written
        if t >= tokens.symbols
    )


@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 2), max_size=6), st.integers(1, 4)),
        max_size=3,
    )
)
def test_nothing_is_shorter(pieces: list[tuple[list[int], int]]) -> None:
    sequence = [symbol for piece, count in pieces for symbol in piece * count][:36]
    tokens, written = compress(np.array(sequence, np.int64))
    found = (tokens.leaves(written), loops(tokens, written))
    assert found == shortest(tuple(sequence))


@given(st.lists(st.integers(0, 1), max_size=40))
def test_all_maximal_repetitions_are_found(sequence: list[int]) -> None:
    n = len(sequence)
    known: dict[tuple[int, int], int] = {}
    for period in range(1, n // 2 + 1):
        begin = 0
        while begin + period < n:
            end = begin
            while end + period < n and sequence[end] == sequence[end + period]:
                end += 1
            if end - begin >= period:
                known.setdefault((begin, end + period), period)
            begin = end + 1
    found = find_runs(np.array(sequence, np.int64)).tolist()
    assert sorted(found) == sorted([*span, period] for span, period in known.items())


@pytest.mark.parametrize("work", [0, 1, 100])
def test_spent_work_costs_loops_but_not_exactness(work: int) -> None:
    sequence = np.tile(np.random.default_rng(1).integers(0, 2, 500), 3)
    tokens, written = compress(sequence, work=work)
    assert expanded(tokens, written) == sequence.tolist()
    assert not tokens.whole


def test_finding_loops_can_be_cancelled() -> None:
    def give_up(_stage: str, _fraction: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        compress(np.tile([0, 1, 1], 50), give_up)


@pytest.mark.parametrize(
    "program",
    [
        [(200, [0, 1, 2])],
        [9, (20, [0, 1, (3, [2, 3]), 4]), 5, 6],
        [(8, [(22, [0, 1, 2]), 3, (22, [4, 5])])],
        # two iterations of the inner loop touch those of the next outer one
        [(50, [0, 0, 1, 0])],
        [(30, [(3, [0, 1]), 2, (4, [0, 1])])],
        [7, (100, [0, (10, [(10, [1, 2]), 3])]), 8],
        # a body of more than a thousand symbols, cut by no loop at one place only
        [(5, [(2, [0, 1]), *range(2, 1500), (3, [1, 0])])],
    ],
)
def test_loops_of_programs_are_found(program: Nested) -> None:
    tokens, written = compress(np.array(run(program), np.int64))
    assert tokens.leaves(written) <= leaves(program)


def test_a_loop_of_one_loop_is_one() -> None:
    tokens = LoopTokens(3)
    inner = tokens.loop(4, (0, 1))
    outer = tokens.loop(5, (inner,))
    assert tokens.loops[outer - 3] == (20, (0, 1))


def test_long_sequences_take_bounded_work() -> None:
    random = np.random.default_rng(0).integers(0, 50, 20_000)
    tokens, written = compress(random)
    assert tokens.leaves(written) <= len(random)


@given(st.lists(st.integers(0, 2), max_size=25))
def test_cycle_length_against_all_lengths(sequence: list[int]) -> None:
    n = len(sequence)
    shortest = next(
        (
            p
            for p in range(1, n)
            if all(sequence[i] == sequence[i % p] for i in range(n))
        ),
        n,
    )
    assert cycle_length(np.array(sequence, np.int64)) == shortest
