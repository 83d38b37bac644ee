"""Merged sequences give every sequence back, and are those of the program."""

import itertools
from itertools import chain, pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from topoview.base.progress import silent
from topoview.logical.kernels import mix_bits
from topoview.logical.merge.lists import sums_of
from topoview.logical.merge.segments import _merges, _turns_merged
from topoview.logical.merge.sequences import (
    MergedSequence,
    fold,
    project,
    project_from_end,
)
from topoview.model import Ints

SEQUENCES = st.lists(st.lists(st.integers(0, 6), max_size=20), min_size=1, max_size=6)


def joined(sequences: list[list[int]]) -> tuple[Ints, Ints]:
    flat = np.array([s for own in sequences for s in own], np.int64)
    lengths = [len(own) for own in sequences]
    return flat, np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)


def symbols_of(merged: MergedSequence, flat: Ints) -> Ints:
    symbols = np.full(merged.position.max(initial=-1) + 1, -1)
    symbols[merged.position] = flat
    return symbols


def assert_gives_back(merged: MergedSequence, flat: Ints, offsets: Ints) -> None:
    symbols = symbols_of(merged, flat)
    assert (symbols[merged.position] == flat).all()
    for begin, end in pairwise(offsets.tolist()):
        assert (np.diff(merged.position[begin:end]) > 0).all()
    assert set(merged.position.tolist()) == set(range(len(symbols)))


@given(SEQUENCES)
def test_any_sequences_come_back(sequences: list[list[int]]) -> None:
    sequences.sort(key=len, reverse=True)
    flat, offsets = joined(sequences)
    ways = (
        project(flat, offsets),
        project_from_end(flat, offsets),
        fold(flat, offsets, silent),
        fold(flat, offsets, silent, early=True),
    )
    for merged in ways:
        assert merged is not None
        assert_gives_back(merged, flat, offsets)


@settings(max_examples=200)
@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=40),
    st.lists(st.sets(st.integers(0, 9)), min_size=1, max_size=5),
)
def test_projections_of_a_program_merge_to_it(
    program: list[int], without: list[set[int]]
) -> None:
    """Each sequence lacks some symbols; the merge is the program's own length."""
    kept = [[s for s in program if s not in lacks] for lacks in [set(), *without]]
    flat, offsets = joined(kept)
    merged = project(flat, offsets)
    assert merged is not None
    assert merged.forced == 0
    assert symbols_of(merged, flat).tolist() == program


def test_rows_are_hashed_by_what_they_say_and_where() -> None:
    """All short sequences differ, also 0, 0 and 1, 1: numbers like those of places."""
    every = [row for n in range(1, 5) for row in itertools.product(range(5), repeat=n)]
    begins = np.cumsum([0, *map(len, every)])[:-1]
    codes = np.concatenate([np.array(row, np.uint64) for row in every])
    found = sums_of(begins, mix_bits(codes))
    assert len(np.unique(found)) == len(every)


@settings(max_examples=200)
@given(
    st.lists(st.lists(st.integers(0, 6), max_size=8), min_size=2, max_size=5),
    st.integers(2, 6),
    st.booleans(),
)
def test_whatever_way_sequences_are_merged_they_come_back(
    bodies: list[list[int]], turns: int, ends: bool
) -> None:
    bodies.sort(key=len, reverse=True)
    sequences = [turns * body + [9] * ends for body in bodies]
    flat, offsets = joined(sequences)
    ways = chain(_merges(flat, offsets), _turns_merged(flat, offsets))
    for position in ways:
        said = dict(zip(position.tolist(), flat.tolist(), strict=True))
        assert [said[at] for at in position.tolist()] == flat.tolist()
        for begin, end in pairwise(offsets.tolist()):
            assert (np.diff(position[begin:end]) > 0).all()


def test_the_one_who_begins_a_round_does_the_same_turn() -> None:
    """0 sends and receives, all others receive and send: three positions a turn."""
    sequences = [[1, 0] * 6 + [2], [0, 1] * 6 + [2], [0, 1] * 6 + [2]]
    ways = _turns_merged(*joined(sequences))
    assert {position.max() + 1 for position in ways} == {3 * 6 + 1}
    sequences[0][0] = 0
    assert not list(_turns_merged(*joined(sequences))), "no turns"
