"""Loops whose turns are visits of a function."""

import numpy as np
from functions import Told, trace_in_functions
from hypothesis import given
from hypothesis import strategies as st
from parts import logicalise
from programs import Grid, Step
from traces import examples

from topoview.logical import expand
from topoview.logical.functions.visits import _loop_factors
from topoview.logical.listing import listing
from topoview.model import LogicalTrace

OPERATIONS = ("Barrier", "Bcast", "Reduce", "Allreduce", "Alltoall", "Allgather")


def program(bodies: list[tuple[str, ...]], *, told: bool = True) -> LogicalTrace:
    """Let two ranks visit a function again and again."""
    ranks: list[list[Told]] = [[], []]
    for body in bodies:
        for number, operation in enumerate(body):
            function = "main > step" if number else "main > !step"
            step = Step(operation, part=(0, -1, 8 * (operation != "Barrier")))
            for own in ranks:
                own.append((function if told else "main", step))
    logical = logicalise(trace_in_functions(ranks), Grid((2,)))
    assert logical.ranks_verified == 2
    made = [operation for body in bodies for operation in body]
    assert [entry[0] for entry in expand(logical, 1)] == made
    return logical


@examples(60)
@given(
    st.lists(
        st.lists(st.sampled_from(OPERATIONS[:4]), min_size=1, max_size=5).map(tuple),
        min_size=1,
        max_size=4,
    ).flatmap(lambda kinds: st.lists(st.sampled_from(kinds), min_size=1, max_size=12))
)
def test_visits_make_no_program_longer(bodies: list[tuple[str, ...]]) -> None:
    assert program(bodies).statements <= program(bodies, told=False).statements


@given(
    st.lists(st.tuples(st.integers(2, 4), st.integers(0, 6)), min_size=1, max_size=4)
)
def test_turns_are_written_as_the_loops_that_they_were(
    loops: list[tuple[int, int]],
) -> None:
    """What stays open before each turn, as nested loops give it, tells the loops."""
    counts = [count for count, _ in loops]
    levels = np.cumsum([1 + level for _, level in loops]).tolist()
    kept = [0]
    for turn in range(1, int(np.prod(counts))):
        inner = 1
        for count, level in zip(counts[::-1], levels[::-1], strict=True):
            if turn % (inner * count):
                kept.append(level)
                break
            inner *= count
    told = np.array(kept)
    assert _loop_factors(told, told) == list(zip(counts, levels, strict=True))


def test_turns_without_a_rule_are_one_loop() -> None:
    for kept in ([0, 1, 2, 1, 1, 2], [0, 2, 1, 2, 2]):
        told = np.array(kept)
        assert _loop_factors(told, told) == [(len(kept), 2)]


def test_turns_with_a_rule_around_some_without() -> None:
    one, other = np.array([0, 2, 1, 2, 1, 2]), np.array([0, 2, 1, 1, 1, 2])
    assert _loop_factors(one, one) == [(3, 1), (2, 2)]
    assert _loop_factors(np.minimum(one, other), one) == [(6, 2)]
    low = np.array([0, 3, 2, 1, 3, 3])
    assert _loop_factors(low, low) == [(2, 1), (3, 3)]


def test_a_loop_that_ranks_begin_in_functions_of_different_depth() -> None:
    """One rank is in a further function all the time: no turn enters it anew."""
    for inner, outer in (("main > f", "main > f > g"), ("main > f > g", "main > f")):
        barrier = Step("Barrier", part=(0, -1, 0))
        one = [(inner, Step("Send", sends=((1, 8),))), (inner, barrier)]
        other = [(outer, Step("Recv", receives=(0,))), (outer, barrier)]
        logical = logicalise(trace_in_functions([one * 5, other * 5]), Grid((2,)))
        assert logical.ranks_verified == 2
        assert "repeat 5:" in listing(logical)
        assert not any("without a rule" in note for note in logical.notes)
