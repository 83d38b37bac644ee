"""Windows and files of a skeleton program: which there are, and whether they can be."""

from dataclasses import dataclass, field

from topoview.logical.running import calls_of
from topoview.logical.skeleton.epochs import Group, groups_of
from topoview.logical.skeleton.facts import Facts
from topoview.logical.skeleton.operations import OPERATIONS
from topoview.logical.skeleton.program import Named, Node, Op
from topoview.logical.skeleton.values import Fixed
from topoview.model import Call, LogicalTrace, Match

MAKERS = {
    "Win_allocate": "Win_free",
    "Win_create": "Win_free",
    "File_open": "File_close",
}
"""Calls that make a window or file, and what frees it."""

LEAST = 16
"""Bytes of the smallest window: the largest number that is fetched and changed."""


@dataclass(slots=True)
class Places:
    """Windows and files.

    A window is made again where all ranks made it and each of its calls can be: else
    what was put would not be between the calls that it must be between.

    Attributes
    ----------
    why_not
        For windows and files whose calls are left out, the reason.
    groups
        Of each statement that starts or posts an epoch, its group.
    """

    logical: LogicalTrace
    known: Facts
    match: Match
    ranks: int
    calls: dict[int, list[Call]] = field(default_factory=dict, init=False)
    groups: dict[int, Group] = field(default_factory=dict, init=False)
    why_not: dict[int, str] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        """Sort the calls by window and file."""
        for call in calls_of(self.logical):
            place = int(self.known.place[call.index])
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
        found, why = groups_of(self.known, self.match, calls)
        self.groups |= found
        return why

    def number(self, call: Call) -> int:
        """Give the number of a call's window or file, -1 if it has none."""
        return int(self.known.place[call.index])

    def reason(self, call: Call) -> str:
        """Tell why a call that needs a window or file cannot be made, if it cannot."""
        place = self.number(call)
        if place < 0:
            return "not made again: the trace does not tell their window or file"
        return self.why_not.get(place, "")

    def room(self, call: Call) -> int:
        """Count the bytes that a window must have."""
        return self._room(self.calls[self.number(call)])

    def is_shared(self, call: Call) -> bool:
        """Tell whether all ranks open a file."""
        return len(self._ranks([call])) == self.ranks

    def before(self) -> list[Node]:
        """Make what the trace does not show being made."""
        found: list[Node] = []
        for place, calls in self._made_outside(making=True):
            window = self._is_window(calls)
            function = "win_allocate" if window else "file_open"
            shared = len(self._ranks(calls)) == self.ranks
            value = self._room(calls) if window else int(shared)
            arguments = (Named("place", Fixed(place)), Named("how", Fixed(value)))
            found.append(
                Op(0, function, arguments, "made before the trace begins", 0.0)
            )
        return found

    def after(self) -> list[Node]:
        """Free what the trace does not show being freed."""
        found: list[Node] = []
        for place, calls in self._made_outside(making=False):
            function = "win_free" if self._is_window(calls) else "file_close"
            arguments = (Named("place", Fixed(place)),)
            found.append(Op(0, function, arguments, "freed after the trace", 0.0))
        return found

    def _made_outside(self, *, making: bool) -> list[tuple[int, list[Call]]]:
        """Windows and files that no call of the trace makes, or none frees."""
        wanted = set(MAKERS if making else MAKERS.values())
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
        return {rank for part in own for rank in self.known.rank[part].tolist()}

    def _room(self, calls: list[Call]) -> int:
        sizes = [
            int(self.known.columns[name][self._own(call)].max(initial=0))
            for call in calls
            for name in ("size", "source_size")
        ]
        return max(sizes, default=0) + LEAST

    def _own(self, call: Call) -> slice:
        begins = self.known.begins
        return slice(int(begins[call.index]), int(begins[call.index + 1]))
