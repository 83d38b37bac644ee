"""Partners of all messages as directions, by the scheme that needs fewest names.

A program's phases need not share a topology: a halo on a grid, then a transpose,
then all results to one rank. Messages of one kind (tag, phase) are named together,
by the topology's directions unless those say little about them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from topoview.grouping import grouped
from topoview.logical.arrays import spans
from topoview.logical.masters import MASTER, WORKER, star, stars
from topoview.logical.name_table import Named, NameTable, Naming
from topoview.logical.numbering import kinds_of, number
from topoview.logical.shifts import Shifts
from topoview.logical.stages import READING
from topoview.model import Directions, Indices, Ints, Trace, distinct
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


Scheme = Callable[[Ints, Ints], Named]


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
    table = NameTable(pair // trace.ranks, pair % trace.ranks)
    first = np.zeros(len(triples), np.int64)
    first[which] = part
    triple_kind = triples // trace.ranks**2
    for index, primary in enumerate(parts):
        own = np.flatnonzero(first == index)
        if not len(own):
            continue
        report(READING, 0.25)
        schemes = [_topology(primary), *(_topology(other) for other in others)]
        schemes += [star] if isinstance(primary, Shifts) else [star, _partner]
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


def _name_part(
    table: NameTable, own: Ints, kind: Ints, schemes: list[Scheme], report: Report
) -> None:
    sender, receiver = table.pairs(own)
    with breathing(report, READING, 0.26):
        primary = schemes[0](sender, receiver)
    if _cost(primary, slice(None)) > 2:
        one = star(sender, receiver)
        if _cost(one, slice(None)) <= 2:
            table.add(own, one, report)
            return
        if all(name.startswith((MASTER, WORKER)) for name in primary[2]):
            table.add(own, stars(primary), report)
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
        elif scheme is star:  # each kind has its own master
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
            if cost <= PLENTY and scheme in {star, _partner}:
                break
            named = scheme(pairs[0][some], pairs[1][some])
            costs.append(2 * _cost(named, slice(None)) - 1)
        chosen[kind[some[0]]] = int(np.argmin(costs))
    return chosen


def _cost(named: Named, some: Ints | slice) -> int:
    """Names that a scheme needs; a pair without a name counts as one."""
    to, source, _ = named
    both = np.concatenate((to[some], source[some]))
    lost = int(np.sum(both < 0))
    breathe()
    return len(kinds_of(both[both >= 0] if lost else both)) + lost


def _topology(directions: Directions) -> Scheme:
    def scheme(sender: Ints, receiver: Ints) -> Named:
        if isinstance(directions, Shifts):
            return directions.both(sender, receiver)
        here = np.concatenate((sender, receiver)).astype(np.int32)
        there = np.concatenate((receiver, sender)).astype(np.int32)
        breathe()
        found, names = directions.names(here, there)
        breathe()
        direction = found.astype(np.int64)
        return direction[: len(sender)], direction[len(sender) :], list(names)

    return scheme


def _partner(sender: Ints, receiver: Ints) -> Named:
    """Give each rank's partners numbers in order of their ranks."""
    ranks = int(max(sender.max(), receiver.max())) + 1
    here = np.concatenate((sender, receiver))
    there = np.concatenate((receiver, sender))
    pairs, which = number(here * ranks + there)
    owner = pairs // ranks
    offsets = spans(np.bincount(owner, minlength=ranks))
    slot = (np.arange(len(pairs)) - offsets[owner])[which]
    most = int(slot.max(initial=0)) + 1
    names = ["PARTNER"] if most == 1 else [f"NEIGHBOUR {k}" for k in range(most)]
    return slot[: len(sender)], slot[len(sender) :], names
