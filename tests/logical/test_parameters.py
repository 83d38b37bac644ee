"""Parameters that a program records in its functions, as OTF2 has them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import otf2
import pytest
from otf2.enums import Paradigm, ParameterType
from parts import logical_in_parts, logicalise, read_calls
from programs import Grid

from topoview.logical.calls.partners import Naming
from topoview.logical.listing import listing
from topoview.logical.merge.classes import compare_ranks
from topoview.model import LogicalTrace
from topoview.worker import open_trace

RANKS = 3
Event = tuple[str, str | int, int | str]
Program = Callable[[int], Iterator[Event]]
"""For a rank: ``enter`` and ``leave`` a function, ``set`` a parameter, ``call``."""


def archived(program: Program, path: Path) -> Path:
    """Write the archive of a program; each event takes ten ticks."""
    with otf2.writer.open(str(path), timer_resolution=1000) as archive:
        define = archive.definitions
        node = define.system_tree_node("machine", class_name="node")
        regions: dict[str, object] = {}
        parameters: dict[str, object] = {}
        for rank in range(RANKS):
            group = define.location_group(f"rank {rank}", system_tree_parent=node)
            writer = archive.event_writer(f"main {rank}", group=group)
            stack: list[object] = []
            now = 0

            def region(name: str) -> object:
                if name not in regions:
                    is_call = name.startswith("MPI_")
                    paradigm = Paradigm.MPI if is_call else Paradigm.USER
                    regions[name] = define.region(name, paradigm=paradigm)
                return regions[name]

            for what, name, value in program(rank):
                now += 10
                if what == "set":
                    is_text = isinstance(value, str)
                    kind = ParameterType.STRING if is_text else ParameterType.INT64
                    if name not in parameters:
                        parameters[str(name)] = define.parameter(name, kind)
                    own = parameters[str(name)]
                    if is_text:
                        writer.parameter_string(now, own, value)
                    else:
                        writer.parameter_int(now, own, value)
                elif what == "leave":
                    writer.leave(now, stack.pop())
                else:
                    stack.append(region(str(name)))
                    writer.enter(now, stack[-1])
                    if what == "call":
                        now += 5
                        writer.leave(now, stack.pop())
    return path / "traces.otf2"


def in_function(name: str, inner: Iterator[Event]) -> Iterator[Event]:
    yield "enter", name, 0
    yield from inner
    yield "leave", name, 0


def call(name: str) -> Iterator[Event]:
    yield "call", f"MPI_{name}", 0


def shown(program: Program, path: Path) -> tuple[list[str], LogicalTrace]:
    logical = logicalise(open_trace(archived(program, path / "run")), Grid((RANKS,)))
    assert logical.ranks_verified == RANKS
    return [x for x in listing(logical).splitlines() if not x.startswith("#")], logical


def levels(rank: int) -> Iterator[Event]:
    """Solve on three levels in turn, four times."""
    del rank

    def solve(level: int) -> Iterator[Event]:
        yield "set", "level", level
        yield from call("Allreduce")
        yield from call("Barrier")

    def main() -> Iterator[Event]:
        for _ in range(4):
            for level in (1, 2, 4):
                yield from in_function("solve", solve(level))
            yield from call("Bcast")

    yield from in_function("main", main())


def steps(rank: int) -> Iterator[Event]:
    """Count time steps in the main function, and call another one in each."""

    def main() -> Iterator[Event]:
        for step in range(1, 21):
            yield "set", "step", 10 * step
            yield "set", "rank", rank
            yield from in_function("solve", call("Allreduce"))
            yield from call("Barrier")

    yield from in_function("main", main())


def apart(rank: int) -> Iterator[Event]:
    """Call the same function with other values for other work."""
    del rank

    def work(kind: str, name: str) -> Iterator[Event]:
        yield "set", "kind", kind
        for _ in range(3):
            yield from call(name)

    def main() -> Iterator[Event]:
        for _ in range(5):
            yield from in_function("work", work("coarse", "Bcast"))
            yield from in_function("work", work("fine", "Barrier"))
        yield from in_function("work", call("Barrier"))

    yield from in_function("main", main())


def at_random(rank: int) -> Iterator[Event]:
    """Take values without a rule, the same in all ranks."""
    del rank
    rng = np.random.default_rng(7)

    def work() -> Iterator[Event]:
        yield "set", "case", int(rng.integers(100))
        yield from call("Allreduce")
        yield from call("Barrier")

    for _ in range(12):
        yield from in_function("work", work())


def left(rank: int) -> Iterator[Event]:
    """Set a parameter in a visit that makes no calls, before one that does."""
    del rank

    def work(value: int) -> Iterator[Event]:
        if value:
            yield "set", "value", value
        else:
            yield from call("Barrier")

    def main() -> Iterator[Event]:
        yield from in_function("work", work(3))
        yield from in_function("work", work(0))

    yield from in_function("main", main())


def outside(rank: int) -> Iterator[Event]:
    """Begin outside all functions, and end in one without a row."""
    del rank

    def solve() -> Iterator[Event]:
        yield "set", "level", 1
        yield from call("Barrier")

    def main() -> Iterator[Event]:
        yield from in_function("solve", solve())
        yield from in_function("final", call("Finalize"))

    yield from call("Barrier")
    yield from in_function("main", main())


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (
            levels,
            [
                "repeat 4:",
                "    for k in 1, 2, 4:",
                "        solve with level = k:",
                "            Allreduce",
                "            Barrier",
                "    Bcast",
            ],
        ),
        (
            steps,
            [
                "for k in 10, 20, ..., 200:",
                "    with step = k, rank = 0..2:",
                "        solve:",
                "            Allreduce",
                "        Barrier",
            ],
        ),
        (
            apart,
            [
                "repeat 5:",
                "    work with kind = coarse:",
                "        repeat 3:",
                "            Bcast",
                "    work with kind = fine:",
                "        repeat 3:",
                "            Barrier",
                "work:",
                "    Barrier",
            ],
        ),
        (
            at_random,
            [
                "repeat 12:",
                "    work with case = 5..94:",
                "        Allreduce",
                "        Barrier",
            ],
        ),
        (left, ["Barrier"]),
    ],
    ids=lambda p: getattr(p, "__name__", ""),
)
def test_parameters_of_functions(
    program: Program, expected: list[str], tmp_path: Path
) -> None:
    assert shown(program, tmp_path)[0] == expected


@pytest.mark.parametrize("own", [levels, steps, apart, at_random, left])
def test_parts_of_the_ranks_find_the_same_paths(own: Program, tmp_path: Path) -> None:
    """Each part counts values of parameters anew."""
    wanted = shown(own, tmp_path)[1]
    found = logical_in_parts(open_trace(tmp_path / "run"), 3, Naming(Grid((RANKS,))))
    assert listing(found) == listing(wanted)
    assert found.ranks_verified == RANKS


def test_ranks_that_do_the_same_are_of_one_class(tmp_path: Path) -> None:
    """What was open at the end of the rank before is none of theirs."""
    trace = open_trace(archived(outside, tmp_path / "run"))
    rows = read_calls(trace, Naming(Grid((RANKS,))))
    assert len(compare_ranks(rows, RANKS, np.zeros(0, np.int64)).first) == 1
