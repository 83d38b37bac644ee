"""Communicators of a skeleton program: which call makes which one."""

from itertools import combinations

import numpy as np

from topoview.logical.skeleton.facts import Facts
from topoview.logical.skeleton.program import Free, Make, Named, Node, Remark
from topoview.logical.skeleton.values import (
    NONE,
    Fixed,
    Place,
    Value,
    lattice_places,
    value_of,
)
from topoview.model import Ints, Match, Trace

WORLD = 0

ALONE = 1
"""Family of the communicators in which each rank is alone."""


class Communicators:
    """Numbers of the communicators, and when they are made.

    A communicator of all ranks is the world. Families of smaller ones are made
    by the first call that makes communicators and still has none to make; those
    that are used before are made before the program begins.

    Attributes
    ----------
    names
        What each is; number 0 is the world.
    early
        What is made before the program begins.
    """

    def __init__(self, trace: Trace, match: Match, known: Facts) -> None:
        self.names = ["MPI_COMM_WORLD"]
        self.early: list[Make] = []
        self._trace = trace
        self._match = match
        self._known = known
        self._number: dict[int, int] = {}
        self._free: list[int] = []
        self._lattice: int | None = None
        self._last_use = _last_use(known)
        self._wanted = _in_order_of_use(known)

    def number(self, family: int) -> int:
        """Give the number of the communicator that a family takes part in."""
        if family <= WORLD:
            return WORLD
        if family == ALONE:
            return self.alone()
        if family not in self._number:
            self.early.append(self._split(family, "", 0.0, alone=False))
        return self._number[family]

    def alone(self) -> int:
        """Give the number of the communicator in which each rank is alone."""
        if ALONE not in self._number:
            self._number[ALONE] = len(self.names)
            self.names.append("MPI_COMM_SELF")
            self.early.append(Make("self", self._number[ALONE]))
        return self._number[ALONE]

    def lattice(self) -> int:
        """Give the number of the communicator of the lattice, for neighbourhoods."""
        if self._lattice is None:
            self._lattice = len(self.names)
            self.names.append("the lattice")
            self.early.append(Make("lattice", self._lattice))
        return self._lattice

    def has_lattice(self) -> bool:
        """Tell whether the topology is a Cartesian one of all ranks."""
        offsets = np.abs(np.array(self._match.topology.offsets, np.int64))
        steps = len(offsets) == len(self._match.topology.dims) and offsets.sum() == len(
            offsets
        )
        return lattice_places(self._match) is not None and bool(steps)

    def make(self, operation: str, text: str, spent: float) -> Node:
        """Write the call of a statement that makes a communicator."""
        waiting = [f for f in self._wanted if f not in self._number]
        parts = operation not in ("Comm_dup", "Comm_idup", "Cart_create")
        if waiting and parts:
            return self._split(waiting[0], text, spent, alone=True)
        number = len(self.names)
        self._free.append(number)
        kind = "lattice" if operation == "Cart_create" else "duplicate"
        if operation.startswith("Comm_split"):
            everyone = Named(f"color_{number}", Fixed(0))
            order = Named(f"key_{number}", Fixed(0))
            self.names.append("all ranks")
            return Make("split", number, everyone, order, text, spent)
        self.names.append("all ranks")
        return Make(kind, number, text=text, compute=spent)

    def free(self, statement: int, text: str, spent: float) -> Node:
        """Write the call of a statement that frees a communicator."""
        if self._free:
            return Free(self._free.pop(0), text, spent)
        for family, number in self._number.items():
            if family != ALONE and self._last_use.get(family, 0) < statement:
                del self._number[family]
                return Free(number, text, spent)
        return Remark(text)

    def _split(self, family: int, text: str, spent: float, *, alone: bool) -> Make:
        number = len(self.names)
        self._number[family] = number
        self.names.append(self._known.families[family])
        color, key = self._parts(family, alone=alone)
        return Make(
            "split",
            number,
            Named(f"color_{number}", color),
            Named(f"key_{number}", key),
            text,
            spent,
        )

    def _parts(self, family: int, *, alone: bool) -> tuple[Value, Value]:
        """Part and order of each rank; others are `alone`, or have no part."""
        ranks = self._trace.ranks
        color = np.full(ranks, NONE, np.int64)
        key = np.zeros(ranks, np.int64)
        own = np.flatnonzero(self._known.family_of == family)
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
        part_of: Value = value_of(ranks, everyone, color)
        if axes is not None:
            part_of = Place(axes)
        return part_of, value_of(ranks, everyone, key)


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


def _in_order_of_use(known: Facts) -> list[int]:
    families = dict.fromkeys(known.columns["family"].tolist())
    return [family for family in families if family > 1]


def _last_use(known: Facts) -> dict[int, int]:
    last: dict[int, int] = {}
    for s in range(len(known.begins) - 1):
        for family in np.unique(known.of(s, "family")[1]).tolist():
            last[family] = s
    return last
