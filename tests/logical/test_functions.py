"""Calls tell the function of the program that makes them."""

from dataclasses import replace

import numpy as np
from programs import Step, trace_of

from topoview.logical import listing, logicalise
from topoview.logical.lines import calls_of, lines
from topoview.model import LogicalTrace, Match, Paths, Trace
from topoview.topology import directions, lattice

RANKS = 6


def with_functions(trace: Trace, functions: list[str]) -> Trace:
    """Let each call be in functions, such as ``main > solve``.

    All of them are entered anew where they differ from those of the call before; and
    after a ``!``, which is no part of the name.
    """
    regions = trace.regions
    stacks = [told.replace("!", "").split(" > ") for told in functions]
    named = sorted({name for stack in stacks for name in stack if name})
    n = len(regions.names)
    everything = replace(
        regions,
        names=(*regions.names, *named),
        state=np.append(regions.state, np.zeros(len(named), np.uint8)),
        operation=np.append(regions.operation, np.full(len(named), -1, np.int32)),
    )
    known: dict[tuple[str, ...], int] = {(): 0}
    parent, region = [-1], [-1]
    path, kept = [], []
    before: list[str] = []
    for told, stack in zip(functions, stacks, strict=True):
        own = [name for name in stack if name]
        for level in range(len(own)):
            key = tuple(own[: level + 1])
            if key not in known:
                known[key] = len(parent)
                parent.append(known[key[:-1]])
                region.append(n + named.index(key[-1]))
        path.append(known[tuple(own)])
        same = 0
        while same < min(len(own), len(before)) and own[same] == before[same]:
            same += 1
        new = [level for level, name in enumerate(told.split(" > ")) if "!" in name]
        kept.append(min([same, *new]))
        before = own
    calls = trace.calls
    return replace(
        trace,
        regions=everything,
        paths=Paths(np.array(parent, np.int32), np.array(region, np.int32)),
        calls=replace(
            calls,
            path=np.tile(np.array(path, np.int32), trace.ranks),
            kept=np.tile(np.array([0, *kept[1:]], np.uint8), trace.ranks),
        ),
    )


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
        [told for name in names for told in (name, name.replace("!", ""))],
    )


def logical_of(trace: Trace, rule: str = "all") -> LogicalTrace:
    none = np.zeros((0, 2), np.int32)
    ranks = np.arange(RANKS, dtype=np.int32)
    match = Match(lattice((RANKS,), (True,)), ranks, 0, none, none, 1.0, 1.0)
    logical = logicalise(trace, directions(match), match=match, rule=rule)
    assert logical.ranks_verified == RANKS
    return logical


def body(logical: LogicalTrace) -> list[str]:
    return [x for x in listing(logical).splitlines() if not x.startswith("#")]


PAIR = ["Send to EAST 64 B", "Recv from WEST 64 B"]


def within(head: str, lines: list[str]) -> list[str]:
    return [head, *(f"    {line}" for line in lines)]


def test_a_loop_in_a_function() -> None:
    """It is entered once."""
    trace = made(["solve"] * 10 + ["norm"] * 5)
    assert body(logical_of(trace, "functions")) == [
        *within("solve:", within("repeat 10:", PAIR)),
        *within("norm:", within("repeat 5:", PAIR)),
    ]


def test_a_function_in_a_loop() -> None:
    """It is entered in each iteration."""
    trace = made(["!solve"] * 10 + ["main > !norm"] * 5)
    assert body(logical_of(trace, "functions")) == [
        *within("repeat 10:", within("solve:", PAIR)),
        *within("main:", within("repeat 5:", within("norm:", PAIR))),
    ]


def test_two_visits_one_after_the_other() -> None:
    trace = made(["main", "main > solve", "main > !solve", "main > norm"])
    assert body(logical_of(trace, "functions")) == [
        *PAIR,
        *within("repeat 2:", within("solve:", PAIR)),
        *within("norm:", PAIR),
    ]


def test_what_all_calls_are_in_is_told_once() -> None:
    logical = logical_of(made(["main", "main > solve", "main > norm"]), "functions")
    assert "# all calls are in main" in listing(logical).splitlines()
    assert body(logical) == [*PAIR, *within("solve:", PAIR), *within("norm:", PAIR)]


def test_a_call_in_two_places_stays_one_where_that_is_shorter() -> None:
    trace = made(["left", "right"] * 10)
    assert body(logical_of(trace)) == within("repeat 20:", PAIR)
    assert body(logical_of(trace, "functions")) == within(
        "repeat 10:", [*within("left:", PAIR), *within("right:", PAIR)]
    )


def test_one_function_is_not_worth_telling() -> None:
    assert body(logical_of(made(["main"] * 10))) == within("repeat 10:", PAIR)


def test_paths_tell_loops_apart_that_are_one_without_them() -> None:
    """Told by the paths where that is no longer."""
    logical = logical_of(made(["main > solve"] * 10 + ["main > norm"] * 10 + ["main"]))
    assert [call.path for call in calls_of(logical.body)] == [("main",)] * 2
    assert all(call.kept <= len(call.path) for call in calls_of(logical.body))


def test_lines_are_those_of_the_listing() -> None:
    trace = made(["main > solve", "main > !solve > inner", "main > norm"] * 4)
    logical = logical_of(trace, "functions")
    found = lines(logical)
    assert "function" in {line.kind for line in found}
    assert body(logical) == [f"{'    ' * line.depth}{line.text}" for line in found]
    for number, line in enumerate(found):
        for own in found[number + 1 : line.end]:
            assert own.depth > line.depth
            assert line.first <= own.first <= own.last <= line.last
