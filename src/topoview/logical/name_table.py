"""Names of partners, gathered pair by pair from the schemes that name them."""

from dataclasses import dataclass

import numpy as np

from topoview.grouping import grouped
from topoview.logical.masters import WORKER
from topoview.logical.numbering import kinds_of, number
from topoview.logical.stages import READING
from topoview.model import Bools, Ints
from topoview.progress import Report


@dataclass(frozen=True, slots=True, eq=False)
class Naming:
    """Names of all messages' partners.

    Attributes
    ----------
    names
        Names of the directions.
    to, source : int64, shape (messages,)
        Direction to the receiver at the sender, and to the sender at the receiver.
    several : bool, shape (names,)
        Whether a direction leads to several partners in turn.
    """

    names: list[str]
    to: Ints
    source: Ints
    several: Bools


Named = tuple[Ints, Ints, list[str]]
"""Direction at the sender and at the receiver of each pair, and the names."""

Leads = tuple[Ints, Ints]
"""Ranks, ascending, and the partner of each."""


class NameTable:
    """Directions of distinct pairs of ranks, collected scheme by scheme."""

    def __init__(self, sender: Ints, receiver: Ints) -> None:
        self.sender, self.receiver = sender, receiver
        self.to = np.full(len(sender), -1, np.int64)
        self.source = np.full(len(sender), -1, np.int64)
        self.names: list[str] = []
        self.leads: list[Leads] = []
        self.number: dict[str, int] = {}

    def add(self, own: Ints, named: Named, report: Report) -> None:
        """Take a scheme's names for some pairs; equal names must lead alike."""
        to, source, names = named
        side = np.concatenate((to, source))
        sender, receiver = self.pairs(own)
        here = np.concatenate((sender, receiver))
        there = np.concatenate((receiver, sender))
        for half in (slice(0, len(to)), slice(len(to), len(side))):
            report(READING, 0.27)
            lost = half.start + np.flatnonzero(side[half] < 0)
            if len(lost):
                ranks, which = number(there[lost], report, READING, (0.27, 0.27))
                side[lost] = len(names) + which
                names = [*names, *(f"rank {rank}" for rank in ranks.tolist())]
        order, begins = grouped(side, len(names), report, READING, (0.27, 0.27))
        place = np.zeros(len(names), np.int64)
        for index, name in enumerate(names):
            report(READING, 0.27)
            rows = order[begins[index] : begins[index + 1]]
            if not len(rows):
                continue
            place[index] = self._enter(name, _last(here[rows], there[rows]))
        self.to[own], self.source[own] = place[side[: len(to)]], place[side[len(to) :]]

    def pairs(self, own: Ints) -> tuple[Ints, Ints]:
        """Senders and receivers."""
        return self.sender[own], self.receiver[own]

    def _enter(self, name: str, leads: Leads) -> int:
        wanted, turn = name, 1
        while True:
            if wanted not in self.number:
                self.number[wanted] = len(self.names)
                self.names.append(wanted)
                self.leads.append(leads)
                return len(self.names) - 1
            index = self.number[wanted]
            known = self.leads[index]
            if name == WORKER or _agree(known, leads):
                both = (np.concatenate(part) for part in zip(known, leads, strict=True))
                self.leads[index] = _last(*both)
                return index
            turn += 1
            wanted = f"{name} #{turn}"

    def naming(self, which: Ints, ranks: int, report: Report) -> Naming:
        """Give each message its names."""
        several = np.zeros(len(self.names), bool)
        here = np.concatenate((self.sender, self.receiver))
        there = np.concatenate((self.receiver, self.sender))
        name = np.concatenate((self.to, self.source))
        code = (name * ranks + here) * ranks + there
        pairs = kinds_of(code, report, READING, (0.28, 0.29)) // ranks
        twice = pairs[1:][pairs[1:] == pairs[:-1]]
        several[twice // ranks] = True
        report(READING, 0.29)
        return Naming(self.names, self.to[which], self.source[which], several)


def _last(here: Ints, there: Ints) -> Leads:
    """Keep the last partner of each rank."""
    order = np.argsort(here, kind="stable")
    here = here[order]
    last = np.append(here[1:] != here[:-1], True)[: len(here)]
    return here[last], there[order][last]


def _agree(known: Leads, leads: Leads) -> bool:
    """Whether ranks that both know have the same partner in both."""
    if not len(known[0]):
        return True
    at = np.minimum(np.searchsorted(known[0], leads[0]), len(known[0]) - 1)
    other = (known[0][at] == leads[0]) & (known[1][at] != leads[1])
    return not other.any()
