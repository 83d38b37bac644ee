"""Loop compression is exact, and finds the loops that a sequence was made of."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoview.logical.loops import Tokens, compress, inner_first, outer_first
from topoview.logical.repetition import cycle_length

Method = Callable[..., tuple[Tokens, tuple[int, ...]]]
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


@pytest.mark.parametrize("method", [inner_first, outer_first])
@given(program=PROGRAM)
def test_expanding_gives_the_sequence_again(method: Method, program: Nested) -> None:
    sequence = np.array(run(program), np.int64)
    tokens, written = method(sequence, 6)
    assert tokens.expand(written).tolist() == sequence.tolist()
    assert tokens.leaves(written) <= len(sequence)
    assert all(count > 1 for count, _ in tokens.loops)


@given(st.lists(SYMBOL, max_size=60))
def test_any_sequence_is_written_exactly(sequence: list[int]) -> None:
    tokens, written = compress(np.array(sequence, np.int64))
    assert tokens.expand(written).tolist() == sequence


@pytest.mark.parametrize("budget", [0, 1, 50, 1000])
@pytest.mark.parametrize("method", [inner_first, outer_first])
def test_spent_budget_costs_loops_but_not_exactness(
    method: Method, budget: int
) -> None:
    sequence = np.random.default_rng(1).integers(0, 2, 500)
    tokens, written = method(sequence, 2, budget)
    assert tokens.expand(written).tolist() == sequence.tolist()


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
    ],
)
def test_loops_of_programs_are_found(program: Nested) -> None:
    tokens, written = compress(np.array(run(program), np.int64))
    assert tokens.leaves(written) <= leaves(program)


def test_a_loop_of_one_loop_is_one() -> None:
    tokens = Tokens(3)
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
