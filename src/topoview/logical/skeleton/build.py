"""Make a skeleton program of a logical trace."""

from dataclasses import dataclass, field

import numpy as np

from topoview.logical.repetition import cycle_length
from topoview.logical.skeleton.arguments import Arguments
from topoview.logical.skeleton.communicators import Communicators
from topoview.logical.skeleton.conditions import Condition, condition_of
from topoview.logical.skeleton.facts import Facts, facts
from topoview.logical.skeleton.operations import MAKING, OPERATIONS, PARTS
from topoview.logical.skeleton.places import Places
from topoview.logical.skeleton.program import (
    Argument,
    Block,
    Choose,
    For,
    If,
    Named,
    Node,
    Now,
    Op,
    Remark,
    SkeletonProgram,
    Use,
    merged,
)
from topoview.logical.skeleton.reasons import (
    NO_MESSAGE,
    NO_PARTNER,
    NOT_BY_ALL,
    comment,
    is_of_all,
)
from topoview.logical.skeleton.values import (
    NONE,
    ByRank,
    Fixed,
    Partner,
    Turns,
    Value,
    is_natural,
    lattice_places,
)
from topoview.model import (
    BlockCall,
    Bools,
    Call,
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


def skeleton_program(
    trace: Trace, logical: LogicalTrace, match: Match, compute: Floats
) -> SkeletonProgram:
    """Write a program that makes the calls of a logical trace again.

    Parameters
    ----------
    match
        The topology whose coordinates conditions and partners are told in.
    compute : float64, shape (statements,)
        Microseconds that a rank computes before each statement.
    """
    known = facts(trace, logical)
    builder = _Builder(trace, logical, match, compute, known)
    everyone = np.ones(trace.ranks, bool)
    body = builder.body(logical.body, everyone)
    blocks = tuple(
        Block(f"block_{block.name}", builder.body(block.body, context))
        for block, context in zip(
            logical.blocks, _contexts(logical, everyone), strict=True
        )
    )
    lattice = lattice_places(match) is not None
    dims = match.topology.dims if lattice else ()
    natural = not lattice or is_natural(match)
    places = builder.arguments.places
    body = (*places.before(), *body, *places.after())
    return SkeletonProgram(
        name=trace.name,
        ranks=trace.ranks,
        topology=match.topology.name,
        dims=dims,
        periodic=match.topology.periodic if lattice else (),
        place=np.zeros(0, np.int64) if natural else match.vertex.astype(np.int64),
        statements=logical.statements,
        body=body,
        blocks=blocks,
        communicators=tuple(builder.communicators.names),
        early=tuple(builder.communicators.early),
        parts=tuple(part for part in PARTS.values() if part in builder.parts),
        places=len(known.places),
        remarks=builder.arguments.told(),
        bound=tuple(
            dict.fromkeys([*builder.arguments.bound, *([] if dims else [OPEN])])
        ),
        square=builder.arguments.square,
    )


MOST_TURNS = 64
"""Communicators that one statement makes; then the first is made again."""

OPEN = "the topology is no lattice"


@dataclass(slots=True)
class _Builder:
    trace: Trace
    logical: LogicalTrace
    match: Match
    compute: Floats
    known: Facts
    arguments: Arguments = field(init=False)
    communicators: Communicators = field(init=False)
    found: dict[bytes, Condition] = field(default_factory=dict)
    numbers: int = 0
    parts: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.communicators = Communicators(self.trace, self.match, self.known)
        self.arguments = Arguments(
            self.trace,
            self.logical,
            self.match,
            self.known,
            self.communicators,
            Places(self.logical, self.known, self.match, self.trace.ranks),
        )

    def body(self, body: tuple[Statement, ...], context: Bools) -> tuple[Node, ...]:
        """Write statements that the ranks of `context` run."""
        found: list[Node] = []
        for statement in body:
            match statement:
                case Call():
                    found += self._call(statement, context)
                case Loop(count, inner, _, trips, of_ranks):
                    often: Value = Fixed(count)
                    if of_ranks >= 0:
                        own = self.logical.rank_trips[of_ranks].tolist()
                        often = ByRank(tuple(own))
                        self.arguments.bound.append("loops run as often as ranks did")
                    if trips >= 0:
                        often = _cycle(self.logical.trips[trips])
                    name = f"trips_{self._new_number()}"
                    found.append(For(often, name, self.body(inner, context)))
                case When(guard, inner):
                    found.append(self._when(guard, inner, context))
                case Sometimes(share, pattern, inner):
                    taken = _cycle(self.logical.patterns[pattern])
                    name = f"pattern_{self._new_number()}"
                    text = f"{100 * share:.3g} % of the times"
                    found.append(Now(taken, name, text, self.body(inner, context)))
                case BlockCall(block):
                    found.append(Use(block))
        return merged(found)

    def _when(self, guard: int, inner: tuple[Statement, ...], context: Bools) -> Node:
        ranks = self.logical.guards[guard].ranks
        inside = np.zeros(len(context), bool)
        inside[ranks] = True
        condition = self._condition(inside)
        return If(condition, f"guard_{guard}", self.body(inner, context & inside))

    def _condition(self, wanted: Bools) -> Condition:
        key = wanted.tobytes()
        if key not in self.found:
            self.found[key] = condition_of(self.match, np.flatnonzero(wanted))
        if not self.found[key].closed:
            self.arguments.bound.append("ranks are listed")
        return self.found[key]

    def _new_number(self) -> int:
        self.numbers += 1
        return self.numbers

    def _call(self, call: Call, context: Bools) -> list[Node]:
        own = slice(self.known.begins[call.index], self.known.begins[call.index + 1])
        taking = np.unique(self.known.rank[own])
        if not len(taking):
            self.arguments.remark("without a call of their own")
            return [Remark(comment(call))]
        node, partners = self._node(call)
        if isinstance(node, Remark):
            return [node]
        wanted = np.zeros(len(context), bool)
        wanted[taking] = True
        if not (context & ~wanted).any() or self._guards(partners, context, wanted):
            return [node]
        return [If(self._condition(wanted), f"taking_{call.index}", (node,))]

    def _node(self, call: Call) -> tuple[Node, list[Partner]]:
        text, operation = comment(call), call.operation
        spent = float(self.compute[call.index])
        if operation in MAKING or operation == "Comm_free":
            return self._communicator(call, text, spent), []
        why_not = self.arguments.why_not(call)
        if why_not:
            self.arguments.remark(why_not)
            return Remark(text), []
        if self.known.several[call.index]:
            self.arguments.remark(
                "with several messages a call, of which the first is made"
            )
        function, kinds = OPERATIONS[operation]
        self.parts |= {PARTS[kind] for kind in kinds.split() if kind in PARTS}
        arguments: list[Argument] = [
            self.arguments.of(call, kind) for kind in kinds.split()
        ]
        partners = [
            a.value
            for a in arguments
            if isinstance(a, Named) and isinstance(a.value, Partner)
        ]
        if partners and all(
            isinstance(p.value, Fixed) and p.form == "rank" and p.value.value == NONE
            for p in partners
        ):
            started = operation in ("Start", "Startall")
            self.arguments.remark(NO_MESSAGE if started else NO_PARTNER)
            return Remark(text), []
        return Op(call.index, function, tuple(arguments), text, spent), partners

    def _communicator(self, call: Call, text: str, spent: float) -> Node:
        """Make or free a communicator: another one each turn."""
        everyone = is_of_all(self.known, call, self.trace.ranks)
        if call.operation in MAKING and not everyone:
            self.arguments.remark(f"{call.operation}, {NOT_BY_ALL}")
            return Remark(text)
        own = slice(self.known.begins[call.index], self.known.begins[call.index + 1])
        often = int(np.bincount(self.known.rank[own]).max(initial=0))
        turns: list[Node] = []
        for _ in range(min(often, MOST_TURNS)):
            if call.operation in MAKING:
                turns.append(self.communicators.make(call.operation, text, spent))
            else:
                turns.append(self.communicators.free(call.index, text, spent))
        return turns[0] if len(turns) == 1 else Choose(call.index, tuple(turns))

    def _guards(self, partners: list[Partner], context: Bools, wanted: Bools) -> bool:
        """Whether a call is left out by itself where it should be."""
        places = lattice_places(self.match)
        if not partners or places is None or any(p.form != "step" for p in partners):
            return False
        reached = np.zeros(len(context), bool)
        topology = self.match.topology
        for partner in partners:
            there = places + np.array(partner.steps)
            inside = (there >= 0) & (there < np.array(topology.dims))
            reached |= (inside | np.array(topology.periodic, bool)).all(axis=1)
        return bool(np.array_equal(reached & context, wanted & context))


def _cycle(values: Bools | Ints) -> Value:
    """Values in turn, as short as they can be told."""
    numbers = values.astype(np.int64)
    own = numbers[: cycle_length(numbers)].tolist()
    return Fixed(own[0]) if len(own) == 1 else Turns(tuple(own))


def _contexts(logical: LogicalTrace, everyone: Bools) -> list[Bools]:
    """Ranks that run each block somewhere."""
    found = [~everyone for _ in logical.blocks]

    def visit(body: tuple[Statement, ...], context: Bools) -> None:
        for statement in body:
            match statement:
                case When(guard, inner):
                    inside = ~everyone
                    inside[logical.guards[guard].ranks] = True
                    visit(inner, context & inside)
                case Loop(_, inner) | Sometimes(_, _, inner):
                    visit(inner, context)
                case BlockCall(block):
                    if (context & ~found[block]).any():
                        found[block] |= context
                        visit(logical.blocks[block].body, found[block])
                case _:
                    pass

    visit(logical.body, everyone)
    return found
