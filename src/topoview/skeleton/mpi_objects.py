"""What a skeleton program makes and frees: communicators, windows and files."""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from topoview.logical.expansion import calls_by_index
from topoview.model import Call, Ints, LogicalTrace, Match, Trace
from topoview.skeleton.expressions import (
    ABSENT,
    ByRank,
    Fixed,
    Place,
    Value,
    lattice_places,
    value_of,
)
from topoview.skeleton.facts import CallFacts, EpochGroup, groups_of
from topoview.skeleton.operations import OPERATIONS
from topoview.skeleton.program import (
    FreeCommunicator,
    MakeCommunicator,
    NamedValue,
    Operation,
    Remark,
    SkeletonNode,
)

# Communicators of a skeleton program: which call makes which one.

WORLD_NUMBER = 0

SELF_FAMILY = 1
"""Family of the communicators in which each rank is alone."""


class Communicators:
    """Numbers of the communicators, and when they are made.

    A communicator of all ranks is the world. Families of smaller ones are made
    by the first call that makes communicators and still has none to make; those
    that are used before are made before the program begins.
    """

    def __init__(self, trace: Trace, match: Match, facts: CallFacts) -> None:
        self.names = ["MPI_COMM_WORLD"]
        """What each is; number 0 is the world."""
        self.early: list[MakeCommunicator] = []
        """What is made before the program begins."""
        self.placed = False
        """Whether any is of places on the lattice."""
        self.bound: list[str] = []
        """Why they cannot be made of other numbers of ranks."""
        self._trace = trace
        self._match = match
        self._facts = facts
        self._number: dict[int, int] = {}
        self._free: list[int] = []
        self._lattice: int | None = None
        self._last_use = _last_uses(facts)
        self._wanted = _in_order_of_use(facts)

    def number(self, family: int) -> int:
        """Return the number of the communicator that a family takes part in."""
        if family <= WORLD_NUMBER:
            return WORLD_NUMBER
        if family == SELF_FAMILY:
            return self.alone()
        if family not in self._number:
            self.early.append(self._split(family, "", 0.0, alone=False))
        return self._number[family]

    def alone(self) -> int:
        """Return the number of the communicator in which each rank is alone."""
        if SELF_FAMILY not in self._number:
            self._number[SELF_FAMILY] = len(self.names)
            self.names.append("MPI_COMM_SELF")
            self.early.append(MakeCommunicator("self", self._number[SELF_FAMILY]))
        return self._number[SELF_FAMILY]

    def lattice(self) -> int:
        """Return the number of the communicator of the lattice, for neighbourhoods."""
        self.placed = True
        if self._lattice is None:
            self._lattice = len(self.names)
            self.names.append("the lattice")
            self.early.append(MakeCommunicator("lattice", self._lattice))
        return self._lattice

    def has_lattice(self) -> bool:
        """Return whether the topology is a Cartesian one of all ranks."""
        offsets = np.abs(np.array(self._match.topology.offsets, np.int64))
        steps = len(offsets) == len(self._match.topology.dims) and offsets.sum() == len(
            offsets
        )
        return lattice_places(self._match) is not None and bool(steps)

    def make(self, operation: str, text: str, spent: float) -> SkeletonNode:
        """Write the call of a statement that makes a communicator."""
        waiting = [f for f in self._wanted if f not in self._number]
        parts = operation not in ("Comm_dup", "Comm_idup", "Cart_create")
        if waiting and parts:
            return self._split(waiting[0], text, spent, alone=True)
        number = len(self.names)
        self._free.append(number)
        kind = "lattice" if operation == "Cart_create" else "duplicate"
        self.placed |= kind == "lattice"
        if operation.startswith("Comm_split"):
            everyone = NamedValue(f"color_{number}", Fixed(0))
            order = NamedValue(f"key_{number}", Fixed(0))
            self.names.append("all ranks")
            return MakeCommunicator(
                kind="split",
                comm=number,
                color=everyone,
                key=order,
                text=text,
                compute=spent,
            )
        self.names.append("all ranks")
        return MakeCommunicator(kind, number, text=text, compute=spent)

    def free(self, statement: int, text: str, spent: float) -> SkeletonNode:
        """Write the call of a statement that frees a communicator."""
        if self._free:
            return FreeCommunicator(self._free.pop(0), text, spent)
        for family, number in self._number.items():
            if family != SELF_FAMILY and self._last_use.get(family, 0) < statement:
                del self._number[family]
                return FreeCommunicator(number, text, spent)
        return Remark(text)

    def _split(
        self, family: int, text: str, spent: float, *, alone: bool
    ) -> MakeCommunicator:
        number = len(self.names)
        self._number[family] = number
        self.names.append(self._facts.families[family])
        color, key = self._parts(family, alone=alone)
        return MakeCommunicator(
            kind="split",
            comm=number,
            color=NamedValue(f"color_{number}", color),
            key=NamedValue(f"key_{number}", key),
            text=text,
            compute=spent,
        )

    def _parts(self, family: int, *, alone: bool) -> tuple[Value, Value]:
        """Part and order of each rank; others are `alone`, or have no part."""
        ranks = self._trace.ranks
        color = np.full(ranks, ABSENT, np.int64)
        key = np.zeros(ranks, np.int64)
        own = np.flatnonzero(self._facts.family_of == family)
        for part, index in enumerate(own.tolist()):
            members = self._trace.communicators[index].ranks
            members = members[members >= 0]
            color[members] = part
            key[members] = np.arange(len(members))
        if alone:  # they may free what they are given
            others = np.flatnonzero(color < 0)
            color[others] = len(own) + np.arange(len(others))
        order = np.lexsort((np.arange(ranks), color))
        same = np.diff(color[order]) == 0
        if (np.diff(key[order])[same] == 1).all():
            key[:] = 0  # equal keys are ordered by rank
        axes = shape_of(self._match, color)
        everyone = np.arange(ranks)
        part_of, order_of = (value_of(ranks, everyone, v) for v in (color, key))
        if axes is not None:
            part_of, self.placed = Place(axes), True
        if ByRank in {type(part_of), type(order_of)}:
            self.bound.append("communicators are listed by rank")
        return part_of, order_of


def shape_of(match: Match, color: Ints) -> tuple[int, ...] | None:
    """Axes of the lattice along which the parts of a split lie apart.

    Returns
    -------
    tuple of int or None
        Two ranks are in one part if they agree on these axes; None if that is
        not so for any choice.
    """
    places = lattice_places(match)
    if places is None or (color < 0).any():
        return None
    d = places.shape[1]
    for count in range(1, d):
        for axes in combinations(range(d), count):
            _, group = np.unique(places[:, axes], axis=0, return_inverse=True)
            pairs = np.unique(np.column_stack((group.ravel(), color)), axis=0)
            if len(pairs) == len(np.unique(color)) == len(np.unique(group)):
                return axes
    return None


def _in_order_of_use(facts: CallFacts) -> list[int]:
    families = dict.fromkeys(facts.columns["family"].tolist())
    return [family for family in families if family > 1]


def _last_uses(facts: CallFacts) -> dict[int, int]:
    last: dict[int, int] = {}
    for s in range(len(facts.begins) - 1):
        for family in np.unique(facts.of(s, "family")[1]).tolist():
            last[family] = s
    return last


# Windows and files of a skeleton program: which there are, and whether they can be.

FREEING_OPERATION = {
    "Win_allocate": "Win_free",
    "Win_create": "Win_free",
    "File_open": "File_close",
}
"""Calls that make a window or file, and what frees it."""

MIN_WINDOW_BYTES = 16
"""Bytes of the smallest window: the largest number that is fetched and changed."""


@dataclass(slots=True)
class WindowsAndFiles:
    """Windows and files.

    A window is made again where all ranks made it and each of its calls can be: else
    what was put would not be between the calls that it must be between.
    """

    logical: LogicalTrace
    facts: CallFacts
    match: Match
    ranks: int
    calls: dict[int, list[Call]] = field(default_factory=dict, init=False)
    groups: dict[int, EpochGroup] = field(default_factory=dict, init=False)
    """Of each statement that starts or posts an epoch, its group."""
    why_not: dict[int, str] = field(default_factory=dict, init=False)
    """For windows and files whose calls are left out, the reason."""

    def __post_init__(self) -> None:
        """Sort the calls by window and file."""
        for call in calls_by_index(self.logical):
            place = int(self.facts.place[call.index])
            if place >= 0:
                self.calls.setdefault(place, []).append(call)
        for place, calls in self.calls.items():
            unknown = [c.operation for c in calls if c.operation not in OPERATIONS]
            if unknown:
                self.why_not[place] = f"not made again, for their {unknown[0]}"
            elif why := self._find_groups(calls):
                self.why_not[place] = f"not made again: {why}"
            elif self._is_window(calls) and len(self._ranks(calls)) < self.ranks:
                self.why_not[place] = "not made again: not all ranks have the window"

    def _find_groups(self, calls: list[Call]) -> str:
        groups, why = groups_of(self.facts, self.match, calls)
        self.groups |= groups
        return why

    def number(self, call: Call) -> int:
        """Return the number of a call's window or file, -1 if it has none."""
        return int(self.facts.place[call.index])

    def reason(self, call: Call) -> str:
        """Explain why a call that needs a window or file cannot be made, if so."""
        place = self.number(call)
        if place < 0:
            return "not reproduced: the trace does not record their window or file"
        return self.why_not.get(place, "")

    def room(self, call: Call) -> int:
        """Count the bytes that a window must have."""
        return self._room(self.calls[self.number(call)])

    def is_shared(self, call: Call) -> bool:
        """Return whether all ranks open a file."""
        return len(self._ranks([call])) == self.ranks

    def before(self) -> list[SkeletonNode]:
        """Write what the trace does not show being made."""
        result: list[SkeletonNode] = []
        for place, calls in self._made_outside(making=True):
            window = self._is_window(calls)
            function = "win_allocate" if window else "file_open"
            shared = len(self._ranks(calls)) == self.ranks
            value = self._room(calls) if window else int(shared)
            arguments = (
                NamedValue("place", Fixed(place)),
                NamedValue("how", Fixed(value)),
            )
            result.append(
                Operation(0, function, arguments, "made before the trace begins", 0.0)
            )
        return result

    def after(self) -> list[SkeletonNode]:
        """Free what the trace does not show being freed."""
        result: list[SkeletonNode] = []
        for place, calls in self._made_outside(making=False):
            function = "win_free" if self._is_window(calls) else "file_close"
            arguments = (NamedValue("place", Fixed(place)),)
            result.append(
                Operation(0, function, arguments, "freed after the trace", 0.0)
            )
        return result

    def _made_outside(self, *, making: bool) -> list[tuple[int, list[Call]]]:
        """Windows and files that no call of the trace makes, or none frees."""
        wanted = set(FREEING_OPERATION if making else FREEING_OPERATION.values())
        return [
            (place, calls)
            for place, calls in sorted(self.calls.items())
            if place not in self.why_not
            and not wanted & {call.operation for call in calls}
        ]

    @staticmethod
    def _is_window(calls: list[Call]) -> bool:
        return not calls[0].operation.startswith("File_")

    def _ranks(self, calls: list[Call]) -> set[int]:
        own = [self._own(call) for call in calls]
        return {rank for part in own for rank in self.facts.rank[part].tolist()}

    def _room(self, calls: list[Call]) -> int:
        sizes = [
            int(self.facts.columns[name][self._own(call)].max(initial=0))
            for call in calls
            for name in ("size", "source_size")
        ]
        return max(sizes, default=0) + MIN_WINDOW_BYTES

    def _own(self, call: Call) -> slice:
        begins = self.facts.begins
        return slice(int(begins[call.index]), int(begins[call.index + 1]))
