"""A program gives its sequence again, and is as short as the one that made it."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topoview.logical.loops.numbered import VaryingSymbols
from topoview.logical.loops.structure import structure
from topoview.logical.loops.tree import (
    BlockUse,
    IterationPart,
    Leaf,
    Repeat,
    Tree,
    TreeBody,
)


def run(tree: Tree) -> list[tuple[int, int]]:  # noqa: C901
    """Interpret a program plainly: one leaf after the other."""
    turns: dict[tuple[str, int], int] = {}
    done: list[tuple[int, int]] = []

    def turn(kind: str, table: int) -> int:
        turns[kind, table] = turns.get((kind, table), -1) + 1
        return turns[kind, table]

    def go(body: TreeBody, k: int) -> None:
        for node in body:
            match node:
                case Leaf(index, symbols):
                    done.append((index, symbols[k] if len(symbols) > 1 else symbols[0]))
                case BlockUse(block):
                    go(tree.blocks[block], k)
                case IterationPart(pattern, within):
                    bits = tree.patterns[pattern]
                    if bits[turn("part", pattern) % len(bits)]:
                        go(within, k)
                case Repeat(count, within, over, trips):
                    if trips >= 0:
                        table = tree.trips[trips]
                        count = int(table[turn("trips", trips) % len(table)])
                    for i in range(count):
                        go(within, i if over else k)

    go(tree.body, 0)
    return done


def text(tree: Tree) -> list[str]:
    """Write a program as lines."""

    def lines(body: TreeBody, indent: str) -> list[str]:
        found: list[str] = []
        for node in body:
            if isinstance(node, Leaf):
                found.append(indent + "/".join(map(str, node.symbols)))
            elif isinstance(node, BlockUse):
                found.append(f"{indent}block {'ABCDEFGH'[node.block]}")
            else:
                found += [indent + head(node), *lines(node.body, indent + " ")]
        return found

    def head(node: Repeat | IterationPart) -> str:
        if isinstance(node, IterationPart):
            return "".join(str(int(bit)) for bit in tree.patterns[node.pattern]) + ":"
        if node.trips >= 0:
            return f"{','.join(map(str, tree.trips[node.trips]))} x"
        return f"{','.join(map(str, node.over)) or node.count} x"

    written = lines(tree.body, "")
    for name, block in zip("ABCDEFGH", tree.blocks, strict=False):
        written += [f"{name}:", *lines(block, " ")]
    return written


@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 9), max_size=7), st.integers(1, 5)),
        max_size=6,
    )
)
def test_any_sequence_is_written_exactly(pieces: list[tuple[list[int], int]]) -> None:
    sequence = [symbol for piece, count in pieces for symbol in piece * count]
    numbers = VaryingSymbols(np.arange(20) // 4, np.arange(20) % 4)
    for known in (None, numbers):
        tree = structure(np.array(sequence, np.int64), known)
        assert [symbol for _, symbol in run(tree)] == sequence
        assert tree.expand().tolist() == [list(entry) for entry in run(tree)]
        assert {index for index, _ in run(tree)} == set(range(tree.leaves))


NESTED = st.recursive(
    st.integers(0, 9),
    lambda inner: st.tuples(st.integers(2, 9), st.lists(inner, min_size=1, max_size=5)),
    max_leaves=12,
)


@given(st.lists(NESTED, max_size=6))
def test_a_program_is_no_longer_than_the_one_that_made_it(program: list[Any]) -> None:
    def ran(body: list[Any]) -> list[int]:
        return [
            symbol
            for item in body
            for symbol in (
                item[0] * ran(item[1]) if isinstance(item, tuple) else [item]
            )
        ]

    def leaves(body: list[Any]) -> int:
        return sum(leaves(i[1]) if isinstance(i, tuple) else 1 for i in body)

    tree = structure(np.array(ran(program), np.int64))
    assert tree.leaves <= leaves(program)
    assert [symbol for _, symbol in run(tree)] == ran(program)


def test_a_body_in_several_places_is_a_block() -> None:
    sequence = [0, 1, 2, 3, 9, 0, 1, 2, 3, 8, *[0, 1, 2, 3, 7] * 5]
    assert text(structure(np.array(sequence))) == [
        *["block A", "9", "block A", "8", "5 x", " block A", " 7"],
        *["A:", " 0", " 1", " 2", " 3"],
    ]


def test_blocks_use_blocks_and_hold_loops() -> None:
    inner = [0, 1, 2, 3, 4, *[5, 6] * 7]
    outer = [*inner, 9, *inner, 8]
    sequence = [*outer, 10, *outer, 11, *inner, 12, *outer]
    assert text(structure(np.array(sequence))) == [
        *["block A", "10", "block A", "11", "block B", "12", "block A"],
        *["A:", " block B", " 9", " block B", " 8"],
        *["B:", " 0", " 1", " 2", " 3", " 4", " 7 x", "  5", "  6"],
    ]


def test_what_is_short_or_stands_once_is_no_block() -> None:
    assert not structure(np.array([0, 1, 5, 0, 1, 6, 0, 1, 7])).blocks
    assert not structure(np.arange(50)).blocks


@pytest.mark.parametrize("trips", [1, 5])
def test_bodies_that_differ_in_a_number_are_a_loop_over_it(trips: int) -> None:
    # symbols: family * 10 + number; families 0, 1, 2 have numbers 1, 2, 4
    exchange = [f * 10 + k for k in (1, 2, 4) for f in (0, 1, 2)]
    numbers = VaryingSymbols(np.arange(50) // 10, np.arange(50) % 10)
    numbers.family[30:] = -1
    sequence = [30, *[*exchange, 31] * trips, 32]
    head = ["30", " 31", "32"] if trips > 1 else ["30", "31", "32"]
    loop = ["1,2,4 x", " 1/2/4", " 11/12/14", " 21/22/24"]
    inside = [f" {line}" for line in loop] if trips > 1 else loop
    outside = [f"{trips} x"] if trips > 1 else []
    assert text(structure(np.array(sequence), numbers)) == [
        *head[:1],
        *outside,
        *inside,
        *head[1:],
    ]


def test_inner_loops_and_constants_stay_in_a_loop_over_numbers() -> None:
    numbers = VaryingSymbols(np.arange(50) // 10, np.arange(50) % 10)
    numbers.family[30:] = -1
    sequence = [s for k in (8, 4, 2) for s in [*[k, 31] * 6, 10 + k, 32, 21]]
    assert text(structure(np.array(sequence), numbers)) == [
        *["8,4,2 x", " 6 x", "  8/4/2", "  31", " 18/14/12", " 32", " 21"]
    ]


def test_two_numbers_that_vary_apart_are_no_loop() -> None:
    numbers = VaryingSymbols(np.arange(50) // 10, np.arange(50) % 10)
    tree = structure(np.array([1, 13, 22, 2, 11, 24, 4, 12, 21]), numbers)
    assert tree.leaves == 9


HALF = np.random.default_rng(3).permutation(100) < 50
"""Half of a hundred iterations, without a rule."""


def bits(values: Sequence[bool]) -> str:
    return "".join(str(int(value)) for value in values)


def iterations(count: int, body: Callable[[int], list[int]]) -> list[int]:
    return [symbol for k in range(count) for symbol in body(k)]


def test_the_second_papers_nested_loops_stay_as_they_are() -> None:
    # 50 x (barrier, 2 x (send, receive)), 100 x (2 x (2 x (send, receive)), barrier);
    # no trace can tell 2 x 2 x from 4 x
    sequence = [*[9, *[1, 2] * 2] * 50, *[*[1, 2] * 4, 9] * 100]
    assert text(structure(np.array(sequence))) == [
        *["50 x", " 9", " 2 x", "  1", "  2"],
        *["100 x", " 4 x", "  1", "  2", " 9"],
    ]


@pytest.mark.parametrize("sends", [1, 2, 3])
def test_a_barrier_in_half_of_the_iterations(sends: int) -> None:
    sequence = iterations(100, lambda k: [9] * int(HALF[k]) + [1, 2] * sends)
    body = [" 1", " 2"] if sends == 1 else [f" {sends} x", "  1", "  2"]
    tree = structure(np.array(sequence))
    assert tree.leaves == 3
    # what stands before the first and after the last is one iteration's begin
    pattern = bits([*HALF[1:], False])
    assert text(tree) == ["100 x", *body, f" {pattern}:", "  9"] or text(tree) == [
        *["100 x", f" {bits(HALF)}:", "  9", *body]
    ]


@pytest.mark.parametrize("place", [1, 4, 10])
def test_a_call_in_all_iterations_but_one(place: int) -> None:
    # LULESH: an allreduce in 29 of 30 time steps
    step = list(range(20, 30))
    body = [*step[:place], 9, *step[place:]]
    sequence = [1, 2, *iterations(30, lambda k: body if k else step), 3]
    told = [f" {symbol}" for symbol in step]
    told[place:place] = [f" 0{'1' * 29}:", "  9"]
    assert text(structure(np.array(sequence))) == ["1", "2", "30 x", *told, "3"]


def test_a_check_every_so_often() -> None:
    sequence = iterations(95, lambda k: [2, 3, 4] + [9] * (k % 10 == 9) + [5])
    pattern = bits([k % 10 == 9 for k in range(95)])
    assert text(structure(np.array([1, *sequence, 7]))) == [
        *["1", "95 x", " 2", " 3", " 4", f" {pattern}:", "  9", " 5", "7"]
    ]
    whole = iterations(100, lambda k: [2, 3, 4] + [9] * (k % 10 == 9))
    assert text(structure(np.array(whole))) == [
        *["10 x", " 10 x", "  2", "  3", "  4", " 9"]
    ]


def test_cases_that_exclude_each_other() -> None:
    sequence = iterations(
        100, lambda k: [1, 2, 11] + ([3, 4] if HALF[k] else [5]) + [7, 8]
    )
    cases = [[f" {bits(HALF)}:", "  3", "  4"], [f" {bits(~HALF)}:", "  5"]]
    told = text(structure(np.array(sequence)))
    assert told in [
        ["100 x", " 1", " 2", " 11", *first, *second, " 7", " 8"]
        for first, second in (cases, cases[::-1])
    ]


def test_trip_counts_that_vary() -> None:
    trips = np.random.default_rng(1).integers(1, 12, 20).tolist()
    told = ["20 x", " 1", f" {','.join(map(str, trips))} x", "  2", "  3", " 4"]
    sequence = iterations(20, lambda k: [1, *[2, 3] * trips[k], 4])
    assert text(structure(np.array(sequence))) == told


def test_levels_within_a_loop() -> None:
    cycle = iterations(8, lambda k: [1, *[2, 3] * (8 - k), 4])
    assert text(structure(np.array([*cycle, 5] * 10))) == [
        *["10 x", " 8 x", "  1", "  8,7,6,5,4,3,2,1 x", "   2", "   3", "  4", " 5"]
    ]


@settings(max_examples=60)
@given(
    st.lists(st.booleans(), min_size=1, max_size=40),
    st.lists(st.integers(0, 5), min_size=1, max_size=5),
    st.lists(st.integers(0, 8), max_size=3),
    st.integers(1, 3),
)
def test_what_varies_comes_back_exactly(
    pattern: list[bool], always: list[int], part: list[int], trips: int
) -> None:
    inner = [symbol for bit in pattern for symbol in always * trips + part * bit]
    sequence = np.array([*inner, 6, *inner], np.int64)
    tree = structure(sequence)
    assert [symbol for _, symbol in run(tree)] == sequence.tolist()
    assert tree.expand().tolist() == [list(entry) for entry in run(tree)]
