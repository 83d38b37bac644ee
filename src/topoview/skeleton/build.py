"""Make a skeleton program of a logical trace."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from topoview.logical.loops.repetition_kernels import cycle_length
from topoview.model import (
    AXES,
    BlockCall,
    Bools,
    Call,
    Each,
    Floats,
    Ints,
    LogicalTrace,
    Loop,
    Match,
    Sometimes,
    Statement,
    Trace,
    When,
)
from topoview.skeleton import program as nodes
from topoview.skeleton.arguments import ArgumentFinder
from topoview.skeleton.expressions import (
    ABSENT,
    ByRank,
    ByTurn,
    Condition,
    Fixed,
    OfRanks,
    Partner,
    Series,
    Value,
    by_neighbours,
    condition_of,
    is_natural,
    value_of,
    where_reached,
)
from topoview.skeleton.facts import CallFacts, call_facts
from topoview.skeleton.mpi_objects import Communicators, WindowsAndFiles
from topoview.skeleton.operations import (
    MAKING_COMMUNICATORS,
    NO_MESSAGE,
    NO_PARTNER,
    NOT_BY_ALL,
    OPERATIONS,
    RUNTIME_PARTS,
    comment_text,
    is_of_all,
)
from topoview.skeleton.program import merge_equal_conditions

# What each call of a skeleton program is given.

PLACES = re.compile(rf"\bn?[{AXES[:10]}]\b")
"""What a condition calls places and extents."""


def skeleton_program(
    trace: Trace, logical: LogicalTrace, match: Match, compute: Floats
) -> nodes.SkeletonProgram:
    """Write a program that makes the calls of a logical trace again.

    Parameters
    ----------
    match
        The topology whose coordinates conditions and partners are told in.
    compute : float64, shape (statements,)
        Microseconds that a rank computes before each statement.
    """
    facts = call_facts(trace, logical)
    builder = _ProgramBuilder(trace, logical, match, compute, facts)
    everyone = np.ones(trace.ranks, bool)
    body = builder.body(logical.body, everyone)
    blocks = tuple(
        nodes.SkeletonBlock(f"block_{block.name}", builder.body(block.body, context))
        for block, context in zip(
            logical.blocks, _ranks_of_blocks(logical, everyone), strict=True
        )
    )
    arguments = builder.arguments
    lattice = arguments.placed or builder.communicators.placed
    dims, periodic = (
        (match.topology.dims, match.topology.periodic) if lattice else ((), ())
    )
    if any(wraps and extent == 2 for wraps, extent in zip(periodic, dims, strict=True)):
        arguments.bound.append(TWO_AROUND)
    natural = not lattice or is_natural(match)
    places = arguments.places
    body = (*places.before(), *body, *places.after())
    return nodes.SkeletonProgram(
        name=trace.name,
        ranks=trace.ranks,
        topology=match.topology.name,
        dims=dims,
        periodic=periodic,
        place=np.zeros(0, np.int64) if natural else match.vertex.astype(np.int64),
        statements=logical.statements,
        body=body,
        blocks=blocks,
        communicators=tuple(builder.communicators.names),
        early=tuple(builder.communicators.early),
        parts=tuple(part for part in RUNTIME_PARTS.values() if part in builder.parts),
        places=len(facts.places),
        remarks=arguments.sentences(),
        bound=tuple(dict.fromkeys([*arguments.bound, *builder.communicators.bound])),
        assumptions=tuple(dict.fromkeys(builder.assumptions)),
        square=arguments.square,
        bits=arguments.bits,
    )


MAX_COMMUNICATORS_OF_STATEMENT = 64
"""Communicators that one statement makes; then the first is made again."""

TWO_AROUND = "of two ranks in a ring each is both neighbours of the other"

MIN_RANKS_IN_RING = 8
"""Fewest ranks of a ring of which it is no chance that a loop turns as often."""


@dataclass(slots=True)
class _ProgramBuilder:
    trace: Trace
    logical: LogicalTrace
    match: Match
    compute: Floats
    facts: CallFacts
    arguments: ArgumentFinder = field(init=False)
    communicators: Communicators = field(init=False)
    conditions: dict[bytes, Condition] = field(default_factory=dict)
    numbers: int = 0
    parts: set[str] = field(default_factory=set)
    assumptions: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.communicators = Communicators(self.trace, self.match, self.facts)
        self.arguments = ArgumentFinder(
            trace=self.trace,
            logical=self.logical,
            match=self.match,
            facts=self.facts,
            communicators=self.communicators,
            places=WindowsAndFiles(
                self.logical, self.facts, self.match, self.trace.ranks
            ),
        )

    def body(
        self, body: tuple[Statement, ...], context: Bools
    ) -> tuple[nodes.SkeletonNode, ...]:
        """Write statements that the ranks of `context` run."""
        children: list[nodes.SkeletonNode] = []
        for statement in body:
            match statement:
                case Call():
                    children += self._call(statement, context)
                case Each(inner):
                    children += self.body(inner, context)
                case Loop():
                    children.append(self._loop(statement, context))
                case When(guard, inner):
                    children.append(self._when(guard, inner, context))
                case Sometimes(share, pattern, inner):
                    taken = _shortest_cycle(self.logical.patterns[pattern])
                    name = f"pattern_{self._new_number()}"
                    text = f"{100 * share:.3g} % of the times"
                    children.append(
                        nodes.OnTurns(taken, name, text, self.body(inner, context))
                    )
                case BlockCall(block):
                    children.append(nodes.RunBlock(block))
        return merge_equal_conditions(children)

    def _loop(self, loop: Loop, context: Bools) -> nodes.SkeletonNode:
        repeated = self.body(loop.body, context)
        often: Value
        if loop.trips >= 0:
            often = _shortest_cycle(self.logical.trips[loop.trips])
        elif loop.rank_trips >= 0:
            trips = self.logical.rank_trips[loop.rank_trips]
            neighbours = by_neighbours(self.match, trips)
            often = neighbours or ByRank(tuple(trips.tolist()))
            self.arguments.placed |= neighbours is not None
            if neighbours is None:
                self.arguments.bound.append("loops run as often as ranks did")
        else:
            often = self._as_often(loop.count, repeated)
        return nodes.For(often, f"trips_{self._new_number()}", repeated)

    def _as_often(self, count: int, body: Sequence[nodes.SkeletonNode]) -> Value:
        """Write how often a loop runs: once for each value that a call in it takes.

        Rounds on a ring are taken for such of an algorithm that goes all around.
        """
        for partner in _partners_of(body):
            if isinstance(partner.value, Series) and partner.value.count == count:
                return partner.value.length
        topology, ranks = self.match.topology, self.trace.ranks
        if topology.periodic == (True,) and ranks >= MIN_RANKS_IN_RING:
            rounds = {ranks - 1: "ranks - 1", 2 * (ranks - 1): "2 * (ranks - 1)"}
            if count in rounds:
                self.assumptions.append(f"a loop of {count} turns has {rounds[count]}")
                return OfRanks(rounds[count])
        return Fixed(count)

    def _when(
        self, guard: int, inner: tuple[Statement, ...], context: Bools
    ) -> nodes.SkeletonNode:
        ranks = self.logical.guards[guard].ranks
        inside = np.zeros(len(context), bool)
        inside[ranks] = True
        body = self.body(inner, context & inside)
        return nodes.If(self._condition(inside, body), f"guard_{guard}", body)

    def _condition(
        self, wanted: Bools, body: Sequence[nodes.SkeletonNode]
    ) -> Condition:
        """Write for whom a body is: at best those whose partner is there."""
        for partner in _partners_of(body[:1]):
            if partner.form == "step":
                condition, reached = where_reached(self.match, partner.steps)
                if np.array_equal(reached, wanted):
                    return condition
        key = wanted.tobytes()
        if key not in self.conditions:
            self.conditions[key] = condition_of(self.match, np.flatnonzero(wanted))
        condition = self.conditions[key]
        self.arguments.placed |= bool(PLACES.search(condition.text))
        if not condition.closed:
            self.arguments.bound.append("ranks are listed")
        return condition

    def _often(self, call: Call) -> Value:
        """How many calls each rank makes from turn to turn, where no rule tells."""
        scripts, ranks = self.logical.scripts, self.trace.ranks
        script = int(np.searchsorted(scripts.statement, call.index))
        visits = int(scripts.visits[script])
        rank = np.repeat(np.arange(ranks), visits)
        visit = np.tile(np.arange(visits), ranks)
        return value_of(ranks, rank, scripts.calls_of(script * ranks + rank, visit)[1])

    def _new_number(self) -> int:
        self.numbers += 1
        return self.numbers

    def _call(self, call: Call, context: Bools) -> list[nodes.SkeletonNode]:
        own = slice(self.facts.begins[call.index], self.facts.begins[call.index + 1])
        taking = np.unique(self.facts.rank[own])
        if not len(taking):
            self.arguments.remark("without a call of their own")
            return [nodes.Remark(comment_text(call))]
        node = self._node(call)
        if isinstance(node, nodes.Remark):
            return [node]
        if call.calls is not None:
            self.arguments.bound.append("calls without a rule are listed")
            return [nodes.For(self._often(call), f"calls_{call.index}", (node,))]
        wanted = np.zeros(len(context), bool)
        wanted[taking] = True
        partners = _partners_of((node,))
        if not (context & ~wanted).any() or self._guards(partners, context, wanted):
            return [node]
        condition = self._condition(wanted, (node,))
        return [nodes.If(condition, f"taking_{call.index}", (node,))]

    def _node(self, call: Call) -> nodes.SkeletonNode:
        text, operation = comment_text(call), call.operation
        spent = float(self.compute[call.index])
        if operation in MAKING_COMMUNICATORS or operation == "Comm_free":
            return self._communicator(call, text, spent)
        why_not = self.arguments.why_not(call)
        if why_not:
            self.arguments.remark(why_not)
            return nodes.Remark(text)
        if self.facts.several[call.index]:
            self.arguments.remark("with the first of several messages per call")
        function, kinds = OPERATIONS[operation]
        self.parts |= {
            RUNTIME_PARTS[kind] for kind in kinds.split() if kind in RUNTIME_PARTS
        }
        arguments: list[nodes.Argument] = [
            self.arguments.of(call, kind) for kind in kinds.split()
        ]
        node = nodes.Operation(call.index, function, tuple(arguments), text, spent)
        partners = _partners_of((node,))
        if partners and all(
            isinstance(p.value, Fixed) and p.form == "rank" and p.value.value == ABSENT
            for p in partners
        ):
            started = operation in ("Start", "Startall")
            self.arguments.remark(NO_MESSAGE if started else NO_PARTNER)
            return nodes.Remark(text)
        return node

    def _communicator(self, call: Call, text: str, spent: float) -> nodes.SkeletonNode:
        """Write a call that makes or frees a communicator: another one each turn."""
        everyone = is_of_all(self.facts, call, self.trace.ranks)
        if call.operation in MAKING_COMMUNICATORS and not everyone:
            self.arguments.remark(f"{call.operation}, {NOT_BY_ALL}")
            return nodes.Remark(text)
        own = slice(self.facts.begins[call.index], self.facts.begins[call.index + 1])
        often = int(np.bincount(self.facts.rank[own]).max(initial=0))
        turns: list[nodes.SkeletonNode] = []
        for _ in range(min(often, MAX_COMMUNICATORS_OF_STATEMENT)):
            if call.operation in MAKING_COMMUNICATORS:
                turns.append(self.communicators.make(call.operation, text, spent))
            else:
                turns.append(self.communicators.free(call.index, text, spent))
        return (
            turns[0]
            if len(turns) == 1
            else nodes.ByTurnChoice(call.index, tuple(turns))
        )

    def _guards(self, partners: list[Partner], context: Bools, wanted: Bools) -> bool:
        """Whether a call is left out by itself where it should be."""
        rank, reached = np.arange(len(context)), np.zeros(len(context), bool)
        for partner in partners:
            if partner.form == "step":
                reached |= where_reached(self.match, partner.steps)[1]
            elif partner.form == "parent":
                reached |= rank > 0
            elif partner.form == "child" and isinstance(partner.value, Fixed):
                reached |= 2 * rank + partner.value.value < len(rank)
            else:
                return False
        return bool(partners) and bool(
            np.array_equal(reached & context, wanted & context)
        )


def _partners_of(body: Sequence[nodes.SkeletonNode]) -> list[Partner]:
    """List the partners of the calls of a body, those within it not."""
    return [
        argument.value
        for node in body
        if isinstance(node, nodes.Operation)
        for argument in node.arguments
        if isinstance(argument, nodes.NamedValue)
        and isinstance(argument.value, Partner)
    ]


def _shortest_cycle(values: Bools | Ints) -> Value:
    """Values in turn, as short as they can be told."""
    numbers = values.astype(np.int64)
    own = numbers[: cycle_length(numbers)].tolist()
    return Fixed(own[0]) if len(own) == 1 else ByTurn(tuple(own))


def _ranks_of_blocks(logical: LogicalTrace, everyone: Bools) -> list[Bools]:
    """Ranks that run each block somewhere."""
    result = [~everyone for _ in logical.blocks]

    def visit(body: tuple[Statement, ...], context: Bools) -> None:
        for statement in body:
            match statement:
                case When(guard, inner):
                    inside = ~everyone
                    inside[logical.guards[guard].ranks] = True
                    visit(inner, context & inside)
                case Each(inner) | Loop(_, inner) | Sometimes(_, _, inner):
                    visit(inner, context)
                case BlockCall(block):
                    if (context & ~result[block]).any():
                        result[block] |= context
                        visit(logical.blocks[block].body, result[block])
                case _:
                    pass

    visit(logical.body, everyone)
    return result
