"""A program gives its sequence again, and is as short as the one that made it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoview.logical.loops_numbers import Numbers
from topoview.logical.loops_tree import Body, Leaf, Part, Repeat, Tree, Use
from topoview.logical.structure import structure


def run(tree: Tree) -> list[tuple[int, int]]:  # noqa: C901
    """Interpret a program plainly: one leaf after the other."""
    turns: dict[tuple[str, int], int] = {}
    done: list[tuple[int, int]] = []

    def turn(kind: str, table: int) -> int:
        turns[kind, table] = turns.get((kind, table), -1) + 1
        return turns[kind, table]

    def go(body: Body, k: int) -> None:
        for node in body:
            match node:
                case Leaf(index, symbols):
                    done.append((index, symbols[k] if len(symbols) > 1 else symbols[0]))
                case Use(block):
                    go(tree.blocks[block], k)
                case Part(pattern, within):
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

    def lines(body: Body, indent: str) -> list[str]:
        found: list[str] = []
        for node in body:
            if isinstance(node, Leaf):
                found.append(indent + "/".join(map(str, node.symbols)))
            elif isinstance(node, Use):
                found.append(f"{indent}block {'ABCDEFGH'[node.block]}")
            else:
                found += [indent + head(node), *lines(node.body, indent + " ")]
        return found

    def head(node: Repeat | Part) -> str:
        if isinstance(node, Part):
            return "".join("01"[bit] for bit in tree.patterns[node.pattern]) + ":"
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
    numbers = Numbers(np.arange(20) // 4, np.arange(20) % 4)
    for known in (None, numbers):
        tree = structure(np.array(sequence, np.int64), known)
        assert [symbol for _, symbol in run(tree)] == sequence
        assert tree.expand().tolist() == [list(entry) for entry in run(tree)]
        assert {index for index, _ in run(tree)} == set(range(tree.leaves))


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
    numbers = Numbers(np.arange(50) // 10, np.arange(50) % 10)
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
    numbers = Numbers(np.arange(50) // 10, np.arange(50) % 10)
    numbers.family[30:] = -1
    sequence = [s for k in (8, 4, 2) for s in [*[k, 31] * 6, 10 + k, 32, 21]]
    assert text(structure(np.array(sequence), numbers)) == [
        *["8,4,2 x", " 6 x", "  8/4/2", "  31", " 18/14/12", " 32", " 21"]
    ]


def test_two_numbers_that_vary_apart_are_no_loop() -> None:
    numbers = Numbers(np.arange(50) // 10, np.arange(50) % 10)
    tree = structure(np.array([1, 13, 22, 2, 11, 24, 4, 12, 21]), numbers)
    assert tree.leaves == 9
