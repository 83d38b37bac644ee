"""Partners of all messages as directions, by the scheme that needs fewest names.

A program's phases need not share a topology: a halo on a grid, then a transpose,
then all results to one rank. Messages of one kind (tag, phase) are named together,
by the topology's directions unless those say little about them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topoview.grouping import grouped
from topoview.logical.naming_schemes import (
    WORKER,
    Named,
    Scheme,
    by_partner,
    by_star,
    by_topology,
)
from topoview.logical.numbering import kinds_of, number
from topoview.logical.stages import READING
from topoview.model import Bools, Directions, Indices, Ints, Trace, distinct
from topoview.progress import Report, breathe, breathing, portions, silent

KINDS = 64
"""Tags told apart; where there are more, they number something else than kinds."""

FEW, PLENTY = 3, 8
"""Names that a kind of messages may have without the other names being tried, and
without its partners being numbered, which says nothing of where they are."""


@dataclass(frozen=True, slots=True, eq=False)
class DirectionsByCall:
    """Directions that change from call to call: phases of other topologies.

    Attributes
    ----------
    parts
        The directions.
    of_call : int32, shape (calls,)
        Which of them name the partners of each of the trace's calls.
    """

    parts: tuple[Directions, ...]
    of_call: Indices


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


Leads = tuple[Ints, Ints]
"""Ranks, ascending, and the partner of each."""


def name_messages(
    trace: Trace,
    directions: Directions | DirectionsByCall,
    others: Sequence[Directions],
    receive_call: Ints,
    report: Report = silent,
) -> Naming:
    """Name the partners of all messages.

    Parameters
    ----------
    directions
        The topology's names.
    others
        Further names, taken for kinds of messages for which they need at most
        half as many.
    receive_call : int64, shape (messages,)
        Call that received each message, or posted its receive; -1 if unknown.
    """
    messages = trace.messages
    kind = _kinds(trace, report)
    if isinstance(directions, DirectionsByCall):
        parts = directions.parts
        at = np.append(directions.of_call, 0).astype(np.int64)
        part = np.where(
            messages.send_call >= 0, at[messages.send_call], at[receive_call]
        )
    else:
        parts, part = (directions,), np.zeros(len(messages), np.int64)
    report(READING, 0.15)
    kind = number(kind * len(parts) + part, report, READING, (0.15, 0.18))[1]
    code = np.empty(len(kind), np.int64)
    for some in portions(len(code), report, READING, (0.18, 0.2)):
        sender = messages.sender[some].astype(np.int64)
        code[some] = (kind[some] * trace.ranks + sender) * trace.ranks
        code[some] += messages.receiver[some]
    triples, which = number(code, report, READING, (0.2, 0.25))
    report(READING, 0.25)
    pair = triples % trace.ranks**2
    table = _Table(pair // trace.ranks, pair % trace.ranks)
    first = np.zeros(len(triples), np.int64)
    first[which] = part
    triple_kind = triples // trace.ranks**2
    for index, primary in enumerate(parts):
        own = np.flatnonzero(first == index)
        if not len(own):
            continue
        report(READING, 0.25)
        schemes = [by_topology(primary), *(by_topology(other) for other in others)]
        schemes += [by_star, by_partner]
        _name_part(table, own, triple_kind[own], schemes, report)
    report(READING, 0.28)
    return table.naming(which, trace.ranks, report)


def _kinds(trace: Trace, report: Report) -> Ints:
    if not len(trace.messages):
        return np.zeros(0, np.int64)
    tag = trace.messages.tag.astype(np.int64)
    tag -= tag.min()
    tags = number(tag, report, READING, (0.1, 0.15))[1]
    return tags if tags.max(initial=0) < KINDS else np.zeros(len(tags), np.int64)


class _Table:
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


def _name_part(
    table: _Table, own: Ints, kind: Ints, schemes: list[Scheme], report: Report
) -> None:
    sender, receiver = table.pairs(own)
    with breathing(report, READING, 0.26):
        primary = schemes[0](sender, receiver)
    if _cost(primary, slice(None)) > 2:
        star = by_star(sender, receiver)
        if _cost(star, slice(None)) <= 2:
            table.add(own, star, report)
            return
    with breathing(report, READING, 0.26):
        chosen = _chosen(primary, table.pairs(own), kind, schemes)
    for index, scheme in enumerate(schemes):
        report(READING, 0.27)
        some = np.flatnonzero(chosen[kind] == index)
        if not len(some):
            continue
        if not index:
            to, source, names = primary
            table.add(own[some], (to[some], source[some], names), report)
        elif scheme is by_star:  # each kind has its own master
            for one in distinct(kind[some]).tolist():
                part = some[kind[some] == one]
                table.add(own[part], scheme(sender[part], receiver[part]), report)
        else:
            with breathing(report, READING, 0.27):
                named = scheme(sender[some], receiver[some])
            table.add(own[some], named, report)


def _chosen(
    primary: Named, pairs: tuple[Ints, Ints], kind: Ints, schemes: list[Scheme]
) -> Ints:
    """Scheme of each kind of messages, int64, shape (kinds,)."""
    chosen = np.zeros(int(kind.max()) + 1, np.int64)
    order, begins = grouped(kind, len(chosen))
    for some in np.split(order, begins[1:-1]):
        breathe()
        if not len(some):
            continue
        cost = _cost(primary, some)
        if cost <= FEW:
            continue
        costs = [cost]
        for scheme in schemes[1:]:
            if cost <= PLENTY and scheme in {by_star, by_partner}:
                break
            named = scheme(pairs[0][some], pairs[1][some])
            costs.append(2 * _cost(named, slice(None)))
        chosen[kind[some[0]]] = int(np.argmin(costs))
    return chosen


def _cost(named: Named, some: Ints | slice) -> int:
    """Names that a scheme needs; a pair without a name counts as one."""
    to, source, _ = named
    both = np.concatenate((to[some], source[some]))
    lost = int(np.sum(both < 0))
    breathe()
    return len(kinds_of(both[both >= 0] if lost else both)) + lost
