"""Make a skeleton program of a logical trace."""

from dataclasses import dataclass, field

import numpy as np

from topoview.logical.listing import statement_text
from topoview.logical.repetition import cycle_length
from topoview.logical.skeleton_communicators import Communicators
from topoview.logical.skeleton_conditions import Condition, condition_of
from topoview.logical.skeleton_facts import Facts, facts
from topoview.logical.skeleton_operations import MAKING, OPERATIONS
from topoview.logical.skeleton_program import (
    Argument,
    Block,
    Comm,
    For,
    If,
    Named,
    Node,
    Now,
    Op,
    Queue,
    Queues,
    Remark,
    SkeletonProgram,
    Use,
    merged,
)
from topoview.logical.skeleton_values import (
    NONE,
    Fixed,
    Partner,
    Turns,
    Value,
    is_natural,
    lattice_places,
    partner_of,
    value_of,
)
from topoview.logical.words import plural
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
        remarks=builder.told(),
        bound=tuple(dict.fromkeys(builder.bound if dims else [*builder.bound, OPEN])),
    )


OPEN = "the topology is no lattice"


@dataclass(slots=True)
class _Builder:
    trace: Trace
    logical: LogicalTrace
    match: Match
    compute: Floats
    known: Facts
    bound: list[str] = field(default_factory=list)
    remarks: dict[str, int] = field(default_factory=dict)
    communicators: Communicators = field(init=False)
    loose: tuple[int, ...] = field(init=False)
    found: dict[bytes, Condition] = field(default_factory=dict)
    numbers: int = 0

    def __post_init__(self) -> None:
        self.communicators = Communicators(self.trace, self.match, self.known)
        listed = {p for some in self.known.completed for p in some}
        self.loose = tuple(
            s
            for s in range(self.logical.statements)
            if s not in listed and self._opens(s)
        )

    def told(self) -> tuple[str, ...]:
        """Say what is not as in the trace, a sentence each."""
        return tuple(
            f"{what}: {plural(count, 'statement')}"
            for what, count in self.remarks.items()
        )

    def body(self, body: tuple[Statement, ...], context: Bools) -> tuple[Node, ...]:
        """Write statements that the ranks of `context` run."""
        found: list[Node] = []
        for statement in body:
            match statement:
                case Call():
                    found += self._call(statement, context)
                case Loop(count, inner, _, trips):
                    often: Value = Fixed(count)
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
            self.bound.append("ranks are listed")
        return self.found[key]

    def _new_number(self) -> int:
        self.numbers += 1
        return self.numbers

    def _call(self, call: Call, context: Bools) -> list[Node]:
        own = slice(self.known.begins[call.index], self.known.begins[call.index + 1])
        taking = np.unique(self.known.rank[own])
        if not len(taking):
            self._remark("without a call of their own")
            return [Remark(statement_text(call))]
        node, partners = self._node(call)
        if isinstance(node, Remark):
            return [node]
        wanted = np.zeros(len(context), bool)
        wanted[taking] = True
        if not (context & ~wanted).any() or self._guards(partners, context, wanted):
            return [node]
        return [If(self._condition(wanted), f"taking_{call.index}", (node,))]

    def _node(self, call: Call) -> tuple[Node, list[Partner]]:
        text, operation = statement_text(call), call.operation
        spent = float(self.compute[call.index])
        if operation in MAKING:
            return self.communicators.make(call.index, operation, text, spent), []
        if operation == "Comm_free":
            return self.communicators.free(call.index, text, spent), []
        if operation not in OPERATIONS:
            self._remark("not made again")
            return Remark(text), []
        if self.known.several[call.index]:
            self._remark("with several messages a call, of which the first is made")
        function, kinds = OPERATIONS[operation]
        arguments: list[Argument] = [
            self._argument(call, kind) for kind in kinds.split()
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
            self._remark("without a partner in the trace")
            return Remark(text), []
        return Op(call.index, function, tuple(arguments), text, spent), partners

    def _argument(self, call: Call, kind: str) -> Argument:
        s = call.index
        if kind == "queue":
            return Queue(s)
        if kind == "queues":
            return Queues(
                tuple(sorted({*self.known.completed[s], *self._loose_for(s)}))
            )
        if kind == "comm":
            return Comm(self._communicator(s))
        name = f"{kind}_{s}"
        if kind in ("to", "source"):
            rank, partner = self.known.of(s, kind)
            found = partner_of(self.match, rank, partner)
            if not found.closed:
                self.bound.append("partners are listed")
            label = (call.to if kind == "to" else call.source) or ""
            return Named(name, found, self._communicator(s), label)
        if kind.startswith("either_"):
            column = kind.removeprefix("either_")
            values = self.known.of(s, column)[1]
            if (values < 0).all():
                column = f"source_{column}"
            rank, values = self.known.of(s, column)
            return Named(name, value_of(self.trace.ranks, rank, values))
        column = "size" if kind == "even_size" else kind
        rank, values = self.known.of(s, column)
        if kind == "even_size" and len(values) and (values != values[0]).any():
            self._remark("with sizes evened out over the ranks")
            return Named(name, Fixed(round(float(values.mean()))))
        if column == "size" and call.operation in ROOTED_SIZES:
            values = np.full(len(values), values.max(initial=0))
        return Named(name, value_of(self.trace.ranks, rank, np.maximum(values, 0)))

    def _communicator(self, s: int) -> int:
        families = self.known.of(s, "family")[1]
        if not len(families):
            return 0
        return self.communicators.number(int(families[0]), s)

    def _loose_for(self, s: int) -> tuple[int, ...]:
        """Statements whose requests no other is known to complete."""
        return () if self.known.completed[s] and self._single(s) else self.loose

    def _single(self, s: int) -> bool:
        operation = self._operation(s)
        return operation in ("Wait", "Test")

    def _operation(self, s: int) -> str:
        regions = self.trace.regions
        begin = int(self.known.begins[s])
        if begin == int(self.known.begins[s + 1]):
            return ""
        call = self.known.call[begin]
        return regions.operations[int(regions.operation[self.trace.calls.region[call]])]

    def _opens(self, s: int) -> bool:
        function = OPERATIONS.get(self._operation(s), ("", ""))
        return "queue" in function[1].split()

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

    def _remark(self, what: str) -> None:
        self.remarks[what] = self.remarks.get(what, 0) + 1


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


ROOTED_SIZES = frozenset({"Bcast", "Reduce", "Gather", "Scatter", "Ibcast", "Ireduce"})
"""Collectives in which all ranks must name one size, whatever the tracer records."""
