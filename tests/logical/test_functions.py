"""Calls tell the function of the program that makes them."""

from dataclasses import replace

import numpy as np
from functions import with_functions
from hypothesis import assume, given
from hypothesis import strategies as st
from parts import logicalise
from programs import Step, trace_of
from traces import examples

from topoview.logical.functions.nesting import OTHER_FUNCTIONS, Nesting
from topoview.logical.listing import calls_in, lines, listing
from topoview.model import Call, CallPaths, LogicalTrace, Loop, Match, Trace
from topoview.topology import directions, lattice

RANKS = 6


def made(names: list[str]) -> Trace:
    """Send to the next rank of a ring and receive, once in each function."""
    steps: list[list[Step]] = []
    for rank in range(RANKS):
        sends = ((rank + 1) % RANKS, 64)
        pair = [
            Step("Send", sends=(sends,)),
            Step("Recv", receives=((rank - 1) % RANKS,)),
        ]
        steps.append(pair * len(names))
    return with_functions(
        trace_of(steps),
        [[told for name in names for told in (name, name.replace("!", ""))]] * RANKS,
    )


def logical_of(trace: Trace, *, functions: bool = False) -> LogicalTrace:
    none = np.zeros((0, 2), np.int32)
    ranks = np.arange(RANKS, dtype=np.int32)
    match = Match(lattice((RANKS,), (True,)), ranks, 0, none, none, 1.0, 1.0)
    logical = logicalise(trace, directions(match), match=match, functions=functions)
    assert logical.ranks_verified == RANKS
    return logical


def body(logical: LogicalTrace) -> list[str]:
    return [x for x in listing(logical).splitlines() if not x.startswith("#")]


PLACES = ["main", "main > a", "main > !a", "main > b > !a", "main > b", "!main > a"]
ANEW = ["main", "main > !a", "main > !b > a", "main > !b", "main > !b > c > a"]
PAIR = ["Send to EAST 64 B", "Recv from WEST 64 B"]


def within(head: str, lines: list[str]) -> list[str]:
    return [head, *(f"    {line}" for line in lines)]


def test_a_loop_in_a_function() -> None:
    """It is entered once."""
    trace = made(["solve"] * 10 + ["norm"] * 5)
    assert body(logical_of(trace, functions=True)) == [
        *within("solve:", within("repeat 10:", PAIR)),
        *within("norm:", within("repeat 5:", PAIR)),
    ]


def test_a_function_in_a_loop() -> None:
    """It is entered in each iteration."""
    trace = made(["!solve"] * 10 + ["main > !norm"] * 5)
    assert body(logical_of(trace, functions=True)) == [
        *within("repeat 10:", within("solve:", PAIR)),
        *within("main:", within("repeat 5:", within("norm:", PAIR))),
    ]


def test_two_visits_one_after_the_other() -> None:
    trace = made(["main", "main > solve", "main > !solve", "main > norm"])
    assert body(logical_of(trace, functions=True)) == [
        *PAIR,
        *within("repeat 2:", within("solve:", PAIR)),
        *within("norm:", PAIR),
    ]


def test_what_all_calls_are_in_is_told_once() -> None:
    logical = logical_of(made(["main", "main > solve", "main > norm"]), functions=True)
    assert "# all calls are in main" in listing(logical).splitlines()
    assert body(logical) == [*PAIR, *within("solve:", PAIR), *within("norm:", PAIR)]


def test_a_call_in_two_places_stays_one_where_that_is_shorter() -> None:
    trace = made(["left", "right"] * 10)
    assert body(logical_of(trace)) == within("repeat 20:", PAIR)
    assert body(logical_of(trace, functions=True)) == within(
        "repeat 10:", [*within("left:", PAIR), *within("right:", PAIR)]
    )


def test_one_function_is_not_worth_telling() -> None:
    assert body(logical_of(made(["main"] * 10))) == within("repeat 10:", PAIR)


def test_paths_tell_loops_apart_that_are_one_without_them() -> None:
    """Told by the paths where that is no longer."""
    logical = logical_of(made(["main > solve"] * 10 + ["main > norm"] * 10 + ["main"]))
    assert [call.path for call in calls_in(logical.body)] == [("main",)] * 2
    assert all(call.kept <= len(call.path) for call in calls_in(logical.body))


def test_lines_are_those_of_the_listing() -> None:
    trace = made(["main > solve", "main > !solve > inner", "main > norm"] * 4)
    logical = logical_of(trace, functions=True)
    found = lines(logical)
    assert "function" in {line.kind for line in found}
    assert body(logical) == [f"{'    ' * line.depth}{line.text}" for line in found]
    for number, line in enumerate(found):
        for own in found[number + 1 : line.end]:
            assert own.depth > line.depth
            assert line.first <= own.first <= own.last <= line.last


@examples(40)
@given(st.lists(st.sampled_from(PLACES), min_size=1, max_size=12), st.integers(1, 5))
def test_paths_make_no_program_longer(places: list[str], times: int) -> None:
    """It stays exact, and calls come in the functions that they were made in."""
    trace = made(places * times)
    logical = logical_of(trace)
    bare = replace(
        trace,
        paths=CallPaths(),
        calls=replace(trace.calls, path=np.zeros_like(trace.calls.path)),
    )
    assert logical.statements <= logical_of(bare).statements
    own = {call.index: call.path for call in every_call(logical)}
    names = trace.regions.names
    for call, statement in enumerate(logical.statement_of_call.tolist()):
        regions = trace.paths.regions_of(int(trace.calls.path[call]))
        assert fits(own[statement], tuple(names[region] for region in regions))


def every_call(logical: LogicalTrace) -> list[Call]:
    bodies = (logical.body, *(block.body for block in logical.blocks))
    return [call for body in bodies for call in calls_in(body)]


def fits(told: tuple[str, ...], path: tuple[str, ...]) -> bool:
    """Tell whether a path is what is told, or begins and ends so."""
    if OTHER_FUNCTIONS not in told:
        return path[: len(told)] == told
    at = told.index(OTHER_FUNCTIONS)
    outer, inner = told[:at], told[at + 1 :]
    long_enough = len(path) >= len(outer) + len(inner)
    return (
        long_enough and path[:at] == outer and path[len(path) - len(inner) :] == inner
    )


@examples(40)
@given(st.lists(st.sampled_from(ANEW), min_size=1, max_size=10), st.integers(1, 4))
def test_visits_in_the_listing_are_those_of_the_trace(
    places: list[str], times: int
) -> None:
    """By the whole path, running the lines enters functions as the program did."""
    trace = made(places * times)
    logical = logical_of(trace, functions=True)
    assume(not logical.trips and not logical.patterns)
    entered = visits_of_trace(trace)
    assert visits_of_lines(logical) == entered


LEVELS = ["main", "main > a", "main > !a", "main > a > b", "main > a > !b"]


@examples(60)
@given(
    st.lists(st.sampled_from(LEVELS), min_size=1, max_size=4),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_visits_are_those_of_the_trace_or_it_is_told(
    places: list[str], inner: int, outer: int
) -> None:
    """Lines that tell fewer visits say so; more if a visit goes on after a loop."""
    once = ["main > !a", *places * inner]
    trace = made(["main", *once * outer])
    logical = logical_of(trace, functions=True)
    assume(not logical.trips and not logical.patterns)
    told = any(note.startswith("irregular visits") for note in logical.notes)
    assert told or visits_of_lines(logical) >= visits_of_trace(trace)


def test_visits_make_loops_in_loops() -> None:
    trace = made(["main", *["main > !a > b", "main > a > b", "main > a > !b"] * 4])
    turns = logical_of(trace, functions=True)
    assert turns.notes == ("irregular visits, not shown in the lines: b",)
    regular = ["main > !a > b", "main > a > b", "main > a > !b", "main > a > b"]
    assert body(logical_of(made(["main", *regular * 3]), functions=True)) == [
        *PAIR,
        *within(
            "repeat 3:",
            within("a:", within("repeat 2:", within("b:", within("repeat 2:", PAIR)))),
        ),
    ]


def visits_of_trace(trace: Trace) -> int:
    """Count the functions that rank 0 enters before its calls."""
    own = slice(0, int(trace.calls.offsets[1]))
    path, kept = trace.calls.path[own].tolist(), trace.calls.kept[own].tolist()
    return sum(
        len(trace.paths.regions_of(p)) - k for p, k in zip(path, kept, strict=True)
    )


def visits_of_lines(logical: LogicalTrace) -> int:
    """Count them by running the lines."""
    found = lines(logical)
    heads = {
        line.tokens[1][0]: number
        for number, line in enumerate(found)
        if line.kind == "block"
    }

    def run(begin: int, end: int) -> int:
        count = 0
        while begin < end:
            line = found[begin]
            if line.kind == "loop":
                assert isinstance(line.statement, Loop)
                count += line.statement.count * run(begin + 1, line.end)
            elif line.kind == "use":
                head = heads[line.tokens[1][0]]
                count += run(head + 1, found[head].end)
            else:
                count += len(line.names) + run(begin + 1, line.end)
            begin = line.end
        return count

    stop = min(heads.values(), default=len(found))
    return len(Nesting(logical).program) + run(0, stop)


def test_two_codes_in_one_program_are_in_it_once() -> None:
    """Half of the ranks send often and gather, the others send seldom."""
    steps: list[list[Step]] = []
    for rank in range(RANKS):
        half = rank // 3 * 3
        there, here = half + (rank - half + 1) % 3, half + (rank - half - 1) % 3
        pair = [Step("Send", sends=((there, 64),)), Step("Recv", receives=(here,))]
        gather = Step("Gather", part=(1 + rank // 3, 0, 8))
        steps.append([*pair * 5, gather] * 4 if half else pair * 3)
    paths = [["main"] * len(own) for own in steps]
    trace = with_functions(trace_of(steps, [[0, 1, 2], [3, 4, 5]]), paths)
    logical = logical_of(trace)
    assert Nesting(logical).program == ("main",)
    assert not any("main:" in line for line in body(logical))
