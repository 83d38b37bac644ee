"""What each call of a skeleton program is given."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from topoview.logical.skeleton.communicators import Communicators
from topoview.logical.skeleton.facts import Facts
from topoview.logical.skeleton.operations import OPERATIONS
from topoview.logical.skeleton.places import Places
from topoview.logical.skeleton.program import (
    Argument,
    Comm,
    Members,
    Named,
    Queue,
    Queues,
)
from topoview.logical.skeleton.reasons import (
    BOTH_GROUPS,
    NO_COMMUNICATOR,
    NO_LATTICE,
    OWN_GRAPH,
    has_own_graph,
    is_of_all,
    unmade,
    wants_communicator,
)
from topoview.logical.skeleton.values import (
    ByRank,
    ByRankTurns,
    Fixed,
    partner_of,
    value_of,
)
from topoview.logical.words import plural
from topoview.model import Call, LogicalTrace, Match, Trace

ONE_SIZE = frozenset({"Bcast", "Reduce", "Gather", "Scatter", "Ibcast", "Ireduce"})
"""Collectives in which all ranks must name one size, whatever the tracer records."""


@dataclass(slots=True)
class Arguments:
    """Finds the arguments of calls, and notes what is not as in the trace.

    Attributes
    ----------
    bound
        Why the program cannot run at other numbers of ranks.
    remarks
        What is not as in the trace, and for how many statements.
    square
        Whether partners need a lattice as long as wide.
    """

    trace: Trace
    logical: LogicalTrace
    match: Match
    known: Facts
    communicators: Communicators
    places: Places
    bound: list[str] = field(default_factory=list)
    remarks: dict[str, int] = field(default_factory=dict)
    square: bool = False
    _loose: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Find the requests that no call is known to complete."""
        listed = {s for some in self.known.completed for s in some}
        self._loose = tuple(
            s
            for s in range(self.logical.statements)
            if s not in listed and self._opens(s)
        )

    def of(self, call: Call, kind: str) -> Argument:
        """Find an argument of a call; kinds are those of `OPERATIONS`."""
        return KINDS.get(kind, Arguments.value)(self, call, kind)

    def remark(self, what: str) -> None:
        """Note for one more statement that it is not as in the trace."""
        self.remarks[what] = self.remarks.get(what, 0) + 1

    def told(self) -> tuple[str, ...]:
        """Say what is not as in the trace, a sentence each."""
        told = [
            f"{what}: {plural(count, 'statement')}"
            for what, count in self.remarks.items()
        ]
        if any(table.name == "InterComm" for table in self.trace.definitions):
            told.append(BOTH_GROUPS)
        return tuple(told)

    def until(self, call: Call, kind: str) -> Argument:
        """Tell whether a poll is repeated."""
        return Named(kind, Fixed(int(call.polls)))

    def queue(self, call: Call, kind: str) -> Argument:
        """Find the requests that the call opens."""
        del kind
        return Queue(call.index)

    def queues(self, call: Call, kind: str) -> Argument:
        """Find the requests that the call completes."""
        del kind
        own = self.known.completed[call.index]
        single = call.operation in ("Wait", "Test")
        loose = () if own and single else self._loose
        return Queues(tuple(sorted({*own, *loose})))

    def comm(self, call: Call, kind: str) -> Argument:
        """Find the communicator."""
        del kind
        return Comm(self._communicator(call.index))

    def partner(self, call: Call, kind: str) -> Argument:
        """Find the partner sent to, or received from."""
        rank, partner = self.known.of(call.index, kind)
        found = partner_of(self.match, rank, partner)
        if not found.closed:
            self.bound.append("partners are listed")
        self.square |= found.form == "transpose"
        label = (call.to if kind == "to" else call.source) or ""
        comm = self._communicator(call.index)
        return Named(f"{kind}_{call.index}", found, comm, label)

    def either(self, call: Call, kind: str) -> Argument:
        """Find what is sent, or else received."""
        column = kind.removeprefix("either_")
        if (self.known.of(call.index, column)[1] < 0).all():
            column = f"source_{column}"
        rank, values = self.known.of(call.index, column)
        name = f"{kind}_{call.index}"
        return Named(name, value_of(self.trace.ranks, rank, np.maximum(values, 0)))

    def even(self, call: Call, kind: str) -> Argument:
        """Mean size, where all ranks must know all sizes."""
        values = self.known.of(call.index, "size")[1]
        if len(values) and (values != values[0]).any():
            self.remark("with sizes evened out over the ranks")
        mean = round(float(values.mean())) if len(values) else 0
        return Named(f"{kind}_{call.index}", Fixed(mean))

    def value(self, call: Call, kind: str) -> Argument:
        """Size, tag or root."""
        rank, values = self.known.of(call.index, kind)
        name = f"{kind}_{call.index}"
        found = value_of(self.trace.ranks, rank, np.maximum(values, 0))
        differs = isinstance(found, ByRank | ByRankTurns)
        if kind == "size" and differs and call.operation in ONE_SIZE:
            found, differs = Fixed(int(values.max())), False
        if differs:
            self.bound.append("sizes are listed by rank")
        if kind == "root" and found != Fixed(0):
            self.bound.append("a root is another rank than 0")
        return Named(name, found)

    def place(self, call: Call, kind: str) -> Argument:
        """Find the number of the window or file."""
        return Named(kind, Fixed(self.places.number(call)))

    def room(self, call: Call, kind: str) -> Argument:
        """Find the bytes of a window."""
        return Named(kind, Fixed(self.places.room(call)))

    def together(self, call: Call, kind: str) -> Argument:
        """Tell whether all ranks open a file."""
        return Named(kind, Fixed(int(self.places.is_shared(call))))

    def group(self, call: Call, kind: str) -> Argument:
        """Find whom a rank reaches in an epoch, or who reaches it."""
        del kind
        found = self.places.groups[call.index]
        if found.steps is None:
            self.bound.append("partners are listed")
        return Members(f"group_{call.index}", found)

    def around(self, call: Call, kind: str) -> Argument:
        """Find the communicator of the lattice."""
        del call, kind
        return Comm(self.communicators.lattice())

    def share(self, call: Call, kind: str) -> Argument:
        """Find the bytes for a neighbour: all have one size."""
        values = np.maximum(self.known.of(call.index, "size")[1], 0)
        around = (
            1 if "allgather" in call.operation else 2 * len(self.match.topology.dims)
        )
        if not values.any():
            self.remark("without bytes, which the trace does not tell")
        elif (values != values[0]).any():
            self.remark("with sizes evened out over the ranks")
        mean = round(float(values.mean())) if len(values) else 0
        return Named(f"{kind}_{call.index}", Fixed(mean // around))

    def why_not(self, call: Call) -> str:
        """Tell why a call cannot be made, if it cannot."""
        if call.operation not in OPERATIONS:
            return unmade(call.operation)
        kinds = OPERATIONS[call.operation][1].split()
        if self._is_lost(call):
            return f"{unmade(call.operation)}: {NO_COMMUNICATOR}"
        if "around" in kinds and has_own_graph(self.trace):
            return f"{unmade(call.operation)}: {OWN_GRAPH}"
        if "around" in kinds and not self.communicators.has_lattice():
            return f"{unmade(call.operation)}: {NO_LATTICE}"
        return self.places.reason(call) if {"window", "file"} & {*kinds} else ""

    def _is_lost(self, call: Call) -> bool:
        """Whether a collective call cannot be told to be one of all ranks.

        Where its communicator is not recorded it is taken to be that of all ranks,
        if all make it equally often; notes that.
        """
        families = self.known.of(call.index, "family")[1]
        if not wants_communicator(call.operation) or (families >= 0).any():
            return False
        if not is_of_all(self.known, call, self.trace.ranks):
            return True
        self.remark("over all ranks, as the trace tells neither communicator nor bytes")
        return False

    def _communicator(self, s: int) -> int:
        families = self.known.of(s, "family")[1]
        return self.communicators.number(int(families[0])) if len(families) else 0

    def _opens(self, s: int) -> bool:
        begin = int(self.known.begins[s])
        if begin == int(self.known.begins[s + 1]):
            return False
        regions = self.trace.regions
        region = self.trace.calls.region[self.known.call[begin]]
        operation = regions.operations[int(regions.operation[region])]
        return "queue" in OPERATIONS.get(operation, ("", ""))[1].split()


KINDS: dict[str, Callable[[Arguments, Call, str], Argument]] = {
    "until": Arguments.until,
    "queue": Arguments.queue,
    "queues": Arguments.queues,
    "comm": Arguments.comm,
    "to": Arguments.partner,
    "source": Arguments.partner,
    "either_size": Arguments.either,
    "either_tag": Arguments.either,
    "even_size": Arguments.even,
    "window": Arguments.place,
    "group": Arguments.group,
    "file": Arguments.place,
    "room": Arguments.room,
    "together": Arguments.together,
    "around": Arguments.around,
    "share": Arguments.share,
}
"""Kind of argument to what finds it; all others are values of the trace."""
