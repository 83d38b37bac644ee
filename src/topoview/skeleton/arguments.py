"""Find the arguments of a skeleton's calls."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from topoview.base.text import plural
from topoview.model import Call, LogicalTrace, Match, Trace
from topoview.skeleton import program as nodes
from topoview.skeleton.expressions import (
    ByRank,
    ByRankTurns,
    Fixed,
    partner_of,
    value_of,
)
from topoview.skeleton.facts import CallFacts
from topoview.skeleton.mpi_objects import Communicators, WindowsAndFiles
from topoview.skeleton.operations import (
    BOTH_GROUPS,
    NO_COMMUNICATOR,
    NO_LATTICE,
    OPERATIONS,
    OWN_GRAPH,
    has_own_graph,
    is_of_all,
    not_made_text,
    wants_communicator,
)

ONE_SIZE_COLLECTIVES = frozenset(
    {"Bcast", "Reduce", "Gather", "Scatter", "Ibcast", "Ireduce"}
)
"""Collectives in which all ranks must name one size, whatever the tracer records."""


@dataclass(slots=True)
class ArgumentFinder:
    """Finds the arguments of calls, and notes what is not as in the trace."""

    trace: Trace
    logical: LogicalTrace
    match: Match
    facts: CallFacts
    communicators: Communicators
    places: WindowsAndFiles
    bound: list[str] = field(default_factory=list)
    """Why the program cannot run at other numbers of ranks."""
    remarks: dict[str, int] = field(default_factory=dict)
    """What is not as in the trace, and for how many statements."""
    square: bool = False
    """Whether partners need a lattice as long as wide."""
    bits: bool = False
    """Whether partners need a power of two of ranks."""
    placed: bool = False
    """Whether places on a lattice are needed."""
    _loose: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Find the requests that no call is known to complete."""
        listed = {s for some in self.facts.completed for s in some}
        self._loose = tuple(
            s
            for s in range(self.logical.statements)
            if s not in listed and self._opens(s)
        )

    def of(self, call: Call, kind: str) -> nodes.Argument:
        """Find an argument of a call; kinds are those of `OPERATIONS`."""
        return ARGUMENT_FINDERS.get(kind, ArgumentFinder.value)(self, call, kind)

    def remark(self, what: str) -> None:
        """Note for one more statement that it is not as in the trace."""
        self.remarks[what] = self.remarks.get(what, 0) + 1

    def sentences(self) -> tuple[str, ...]:
        """Describe what is not as in the trace, a sentence each."""
        remarks = [
            f"{what}: {plural(count, 'statement')}"
            for what, count in self.remarks.items()
        ]
        if any(table.name == "InterComm" for table in self.trace.definitions):
            remarks.append(BOTH_GROUPS)
        return tuple(remarks)

    def until(self, call: Call, kind: str) -> nodes.Argument:
        """Write whether a poll is repeated."""
        return nodes.NamedValue(kind, Fixed(int(call.polls)))

    def queue(self, call: Call, kind: str) -> nodes.Argument:
        """Find the requests that the call opens."""
        del kind
        return nodes.OpenedRequests(call.index)

    def queues(self, call: Call, kind: str) -> nodes.Argument:
        """Find the requests that the call completes."""
        del kind
        own = self.facts.completed[call.index]
        single = call.operation in ("Wait", "Test")
        loose = () if own and single else self._loose
        return nodes.ClosedRequests(tuple(sorted({*own, *loose})))

    def comm(self, call: Call, kind: str) -> nodes.Argument:
        """Find the communicator."""
        del kind
        return nodes.CommunicatorNumber(self._communicator(call.index))

    def partner(self, call: Call, kind: str) -> nodes.Argument:
        """Find the partner sent to, or received from."""
        rank, partner = self.facts.of(call.index, kind)
        expression = partner_of(self.match, rank, partner)
        if not expression.closed:
            self.bound.append("partners are listed")
        self.square |= expression.form == "transpose"
        self.bits |= expression.form == "xor"
        self.placed |= expression.form in ("step", "transpose")
        label = (call.to if kind == "to" else call.source) or ""
        comm = self._communicator(call.index)
        return nodes.NamedValue(f"{kind}_{call.index}", expression, comm, label)

    def either(self, call: Call, kind: str) -> nodes.Argument:
        """Find what is sent, or else received."""
        column = kind.removeprefix("either_")
        if (self.facts.of(call.index, column)[1] < 0).all():
            column = f"source_{column}"
        rank, values = self.facts.of(call.index, column)
        name = f"{kind}_{call.index}"
        return nodes.NamedValue(
            name, value_of(self.trace.ranks, rank, np.maximum(values, 0))
        )

    def even(self, call: Call, kind: str) -> nodes.Argument:
        """Mean size, where all ranks must know all sizes."""
        values = self.facts.of(call.index, "size")[1]
        if len(values) and (values != values[0]).any():
            self.remark("with sizes evened out over the ranks")
        mean = round(float(values.mean())) if len(values) else 0
        return nodes.NamedValue(f"{kind}_{call.index}", Fixed(mean))

    def value(self, call: Call, kind: str) -> nodes.Argument:
        """Size, tag or root."""
        rank, values = self.facts.of(call.index, kind)
        name = f"{kind}_{call.index}"
        expression = value_of(self.trace.ranks, rank, np.maximum(values, 0))
        differs = isinstance(expression, ByRank | ByRankTurns)
        if kind == "size" and differs and call.operation in ONE_SIZE_COLLECTIVES:
            expression, differs = Fixed(int(values.max())), False
        if differs:
            self.bound.append("sizes are listed by rank")
        if kind == "root" and expression != Fixed(0):
            self.bound.append("a root is another rank than 0")
        return nodes.NamedValue(name, expression)

    def place(self, call: Call, kind: str) -> nodes.Argument:
        """Find the number of the window or file."""
        return nodes.NamedValue(kind, Fixed(self.places.number(call)))

    def room(self, call: Call, kind: str) -> nodes.Argument:
        """Find the bytes of a window."""
        return nodes.NamedValue(kind, Fixed(self.places.room(call)))

    def together(self, call: Call, kind: str) -> nodes.Argument:
        """Write whether all ranks open a file."""
        return nodes.NamedValue(kind, Fixed(int(self.places.is_shared(call))))

    def group(self, call: Call, kind: str) -> nodes.Argument:
        """Find whom a rank reaches in an epoch, or who reaches it."""
        del kind
        epoch_group = self.places.groups[call.index]
        self.placed = True
        if epoch_group.steps is None:
            self.bound.append("partners are listed")
        return nodes.EpochMembers(f"group_{call.index}", epoch_group)

    def around(self, call: Call, kind: str) -> nodes.Argument:
        """Find the communicator of the lattice."""
        del call, kind
        self.placed = True
        return nodes.CommunicatorNumber(self.communicators.lattice())

    def share(self, call: Call, kind: str) -> nodes.Argument:
        """Find the bytes for a neighbour: all have one size."""
        values = np.maximum(self.facts.of(call.index, "size")[1], 0)
        around = (
            1 if "allgather" in call.operation else 2 * len(self.match.topology.dims)
        )
        if not values.any():
            self.remark("without bytes, which the trace does not record")
        elif (values != values[0]).any():
            self.remark("with sizes evened out over the ranks")
        mean = round(float(values.mean())) if len(values) else 0
        return nodes.NamedValue(f"{kind}_{call.index}", Fixed(mean // around))

    def why_not(self, call: Call) -> str:
        """Explain why a call cannot be made, if it cannot."""
        if call.calls is not None and " | " in call.operation:
            return f"{call.operation}, not made again: {MIXED_CALLS}"
        if call.operation not in OPERATIONS:
            return not_made_text(call.operation)
        kinds = OPERATIONS[call.operation][1].split()
        if self._is_lost(call):
            return f"{not_made_text(call.operation)}: {NO_COMMUNICATOR}"
        if "around" in kinds and has_own_graph(self.trace):
            return f"{not_made_text(call.operation)}: {OWN_GRAPH}"
        if "around" in kinds and not self.communicators.has_lattice():
            return f"{not_made_text(call.operation)}: {NO_LATTICE}"
        return self.places.reason(call) if {"window", "file"} & {*kinds} else ""

    def _is_lost(self, call: Call) -> bool:
        """Whether a collective call may be one of some ranks only.

        Where its communicator is not recorded it is taken to be that of all ranks,
        if all make it equally often; notes that.
        """
        families = self.facts.of(call.index, "family")[1]
        if not wants_communicator(call.operation) or (families >= 0).any():
            return False
        if not is_of_all(self.facts, call, self.trace.ranks):
            return True
        self.remark("over all ranks, as neither communicator nor bytes are recorded")
        return False

    def _communicator(self, s: int) -> int:
        families = self.facts.of(s, "family")[1]
        return self.communicators.number(int(families[0])) if len(families) else 0

    def _opens(self, s: int) -> bool:
        begin = int(self.facts.begins[s])
        if begin == int(self.facts.begins[s + 1]):
            return False
        regions = self.trace.regions
        region = self.trace.calls.region[self.facts.call[begin]]
        operation = regions.operations[int(regions.operation[region])]
        return "queue" in OPERATIONS.get(operation, ("", ""))[1].split()


ARGUMENT_FINDERS: dict[str, Callable[[ArgumentFinder, Call, str], nodes.Argument]] = {
    "until": ArgumentFinder.until,
    "queue": ArgumentFinder.queue,
    "queues": ArgumentFinder.queues,
    "comm": ArgumentFinder.comm,
    "to": ArgumentFinder.partner,
    "source": ArgumentFinder.partner,
    "either_size": ArgumentFinder.either,
    "either_tag": ArgumentFinder.either,
    "even_size": ArgumentFinder.even,
    "window": ArgumentFinder.place,
    "group": ArgumentFinder.group,
    "file": ArgumentFinder.place,
    "room": ArgumentFinder.room,
    "together": ArgumentFinder.together,
    "around": ArgumentFinder.around,
    "share": ArgumentFinder.share,
}
"""Kind of argument to what finds it; all others are values of the trace."""

MIXED_CALLS = "calls of several operations in an order without a rule"
