"""Random nested programs with conditions, on random topologies and numberings.

What a plain interpreter makes of such a program is written as a trace; its
logical trace must say the same for every rank and be no longer.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from hypothesis import Phase, given
from hypothesis import strategies as st
from parts import logicalise
from programs import Step, entries_of, trace_of
from traces import examples

from topoview.logical import expand
from topoview.model import Directions, LogicalTrace, Match, Topology
from topoview.topology import binomial_tree, directions, lattice, star


@dataclass(frozen=True)
class Line:
    """A leaf, ``what``; or a body in a loop or under a condition."""

    what: str
    value: int = 0
    body: tuple["Line", ...] = ()


def leaves(body: tuple[Line, ...]) -> int:
    """Count the calls of a program; an exchange is a receive and a send."""
    return sum(
        leaves(line.body) if line.body else 1 + (line.what == "exchange")
        for line in body
    )


LEAF = st.builds(Line, st.just("exchange"), st.integers(0, 7)) | st.builds(
    Line, st.sampled_from(["Allreduce", "Alltoall"])
)
NESTED = st.recursive(
    LEAF,
    lambda inner: st.builds(
        Line,
        st.sampled_from(["repeat", "repeat", "when"]),
        st.integers(2, 5),
        st.lists(inner, min_size=1, max_size=3).map(tuple),
    ),
    max_leaves=8,
)
FREE = st.lists(NESTED, min_size=1, max_size=4).map(tuple)
"""Any nesting: ranks may run loops of their own, in any order beside each other."""


def stepped(body: list[Line]) -> tuple[Line, ...]:
    """Put calls of all ranks around loops, and at the end."""
    found: list[Line] = []
    for line in body:
        around = line.what == "repeat"
        found += [Line("Allreduce")] * around + [line] + [Line("Alltoall")] * around
    return (*found, Line("Allreduce"))


GUARDED = LEAF | st.builds(
    Line,
    st.just("when"),
    st.integers(0, 3),
    st.lists(LEAF, min_size=1, max_size=3).map(tuple),
)
STEPPED = st.recursive(
    GUARDED,
    lambda inner: st.builds(
        Line,
        st.just("repeat"),
        st.integers(2, 5),
        st.lists(inner, min_size=1, max_size=3).map(stepped),
    ),
    max_leaves=8,
)
IN_STEP = st.lists(STEPPED, min_size=1, max_size=4).map(stepped)
"""A call of all ranks stands before and after each loop, and after its body."""

CONDITIONS: list[Callable[[np.ndarray], bool]] = [
    lambda place: bool(place[0] > 0),
    lambda place: bool(place[0] % 2 == 0),
    lambda place: bool(place[-1] == 0),
    lambda place: bool(place.sum() % 2 == 1),
]
"""Conditions on a place."""


def topologies() -> list[Topology]:
    return [
        lattice((4, 3), (False, False)),
        lattice((4, 4), (True, True)),
        lattice((3, 2, 2), (False, True, False)),
        lattice((7,), (True,)),
        binomial_tree(8),
        star(6),
    ]


class Interpreter:
    """Runs a program for all ranks at once, a line at a time."""

    def __init__(self, match: Match, named: Directions) -> None:
        self.match, self.named = match, named
        self.ranks = len(match.vertex)
        self.leaf: dict[int, int] = {}
        self.steps: list[list[Step]] = [[] for _ in range(self.ranks)]
        edges = match.rank_edges
        here = np.concatenate([edges[:, 0], edges[:, 1]]).astype(np.int32)
        there = np.concatenate([edges[:, 1], edges[:, 0]]).astype(np.int32)
        found, self.names = named.names(here, there)
        back, _ = named.names(there, here)
        self.towards: list[dict[int, int]] = []
        for direction in range(len(self.names)):
            own = found == direction
            # a line is one receive and one send of a rank only if no two send to it
            if len(set(there[own])) == own.sum() and len(set(back[own])) == 1:
                pairs = zip(here[own].tolist(), there[own].tolist(), strict=True)
                self.towards.append(dict(pairs))

    def number(self, line: Line) -> int:
        """Bytes of a leaf: leaves of a program differ in them."""
        return 64 + self.leaf.setdefault(id(line), len(self.leaf))

    def run(self, body: tuple[Line, ...], active: frozenset[int]) -> None:
        for line in body:
            if line.what == "repeat":
                for _ in range(line.value):
                    self.run(line.body, active)
            elif line.what == "when":
                holds = CONDITIONS[line.value % len(CONDITIONS)]
                places = self.match.coordinates
                some = {r for r in active if holds(places[r])}
                self.run(line.body, frozenset(some))
            elif line.what == "exchange":
                self.exchange(line, active)
            else:
                part = (0, -1, self.number(line))
                for rank in sorted(active):
                    self.steps[rank].append(Step(line.what, part=part))

    def exchange(self, line: Line, active: frozenset[int]) -> None:
        towards = self.towards[line.value % len(self.towards)]
        size = self.number(line)
        pairs = [(h, t) for h, t in sorted(towards.items()) if h in active]
        for here, there in pairs:
            self.steps[there].append(Step("Irecv", receives=(here,)))
        for here, there in pairs:
            self.steps[here].append(Step("Send", sends=((there, size),)))


UNSHRUNK = (Phase.explicit, Phase.reuse, Phase.generate)
"""A trace takes up to some seconds: making it smaller again would take minutes."""


def bound(program: tuple[Line, ...]) -> float:
    """Statements of the longest logical trace of a program.

    The one that takes fewest bits can have more of them, with fewer conditions.
    """
    return 2 * leaves(program) + 4


def check(which: int, seed: int, program: tuple[Line, ...]) -> LogicalTrace | None:
    """Find a program's logical trace, and hold it against every rank's calls."""
    topology = topologies()[which]
    n = topology.vertices
    vertex = np.random.default_rng(seed).permutation(n).astype(np.int32)
    none = np.zeros((0, 2), np.int32)
    match = Match(topology, vertex, 0, none, none, 1.0, 1.0)
    named = directions(match)
    interpreter = Interpreter(match, named)
    interpreter.run(program, frozenset(range(n)))
    trace = trace_of(interpreter.steps)
    if not len(trace.calls):
        return None
    logical = logicalise(trace, named, match=match)
    assert logical.ranks_verified == n
    assert (logical.calls_excluded, logical.bytes_excluded) == (0, 0)
    for rank in range(n):
        assert expand(logical, rank) == entries_of(trace, rank)
    return logical


@examples(25, phases=UNSHRUNK)
@given(st.sampled_from(range(6)), st.integers(0, 1000), FREE)
def test_any_program_comes_back_no_longer(
    which: int, seed: int, program: tuple[Line, ...]
) -> None:
    """Nearly: collectives of some ranks, and loops in lists, may take more."""
    logical = check(which, seed, program)
    assert logical is None or logical.statements <= bound(program)


@examples(25, phases=UNSHRUNK)
@given(st.sampled_from(range(6)), st.integers(0, 1000), IN_STEP)
def test_a_program_in_step_comes_back_no_longer(
    which: int, seed: int, program: tuple[Line, ...]
) -> None:
    logical = check(which, seed, program)
    assert logical is not None
    assert logical.statements <= bound(program)


def test_sizes_tell_calls_apart() -> None:
    """What only some ranks do has sizes that others do not know."""

    def turns(*body: Line) -> Line:
        return Line("repeat", 4, body)

    some = Line("when", 0, (Line("exchange", 5), Line("Allreduce")))
    inner = turns(some, Line("Allreduce"))
    other = turns(Line("exchange", 6), Line("when", 1, (Line("Allreduce"),)))
    program = (
        Line("when", 3, (Line("Alltoall"),)),
        turns(Line("Allreduce"), inner, Line("Alltoall"), other, Line("Allreduce")),
    )
    for which in range(6):
        logical = check(which, 1, program)
        assert logical is not None
        assert logical.statements <= bound(program)
