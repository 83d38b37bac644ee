"""Name the partner of every message: by a direction where there is one.

Messages of one kind (tag, phase) are named together, by the scheme that needs fewest
names: the directions of the topology, master and worker, the distance around all
ranks, the bits in which two ranks differ, or the partner's number in the rank's own
list of neighbours.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from topoview.base.progress import Report, silent
from topoview.grouping import counting_sort, factorize, run_offsets
from topoview.logical.stages import READING
from topoview.model import (
    MASTER,
    WORKER,
    Directions,
    Indices,
    Ints,
    Match,
    Plan,
    distinct,
    places_among,
)

# Masters and their workers, whom they serve in order of arrival.


def name_star(sender: Ints, receiver: Ints) -> tuple[Ints, Ints, list[str]]:
    """Name the one rank that has part in all messages MASTER, its partners WORKER."""
    none = np.full(len(sender), -1, np.int64)
    both = set(np.array([sender[0], receiver[0]]).tolist())
    centre = [r for r in both if bool(np.all((sender == r) | (receiver == r)))]
    if not centre or bool(np.any(sender == receiver)):
        return none, none, []
    return (
        (sender == centre[0]).astype(np.int64),
        (receiver == centre[0]).astype(np.int64),
        [MASTER, WORKER],
    )


def name_stars(
    named: tuple[Ints, Ints, list[str]],
) -> tuple[Ints, Ints, list[str]]:
    """Name the workers of several masters alike, as those of one are."""
    to, source, names = named
    # the last one is for no name: there may be none at all
    is_worker = np.array([*(name != MASTER for name in names), False], np.int64)
    short = [np.where(side < 0, -1, is_worker[side]) for side in (to, source)]
    return short[0], short[1], [MASTER, WORKER]


# Partners by their distance around all ranks, or by the bits in which they differ.
#
# Algorithms that talk to many ranks in turn go round: in step k each rank sends k
# ranks ahead and receives from k ranks behind it (pairwise exchange, dissemination;
# Thakur, Rabenseifner and Gropp 2005, section 4), or it exchanges with the rank whose
# number differs in the bits of k.

AHEAD, BEHIND, SELF_NAME = "+", "-", "SELF"
"""How names begin of partners ahead and behind, and the name of a rank itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Shifts:
    """Names that go round: ``+3`` for where to send, ``-3`` for where from."""

    place: Ints
    """int64, shape (ranks,): place of each rank in the round."""
    rank: Ints
    """int64, shape (ranks,): rank at each place."""
    words: tuple[str, str] = (AHEAD, BEHIND)
    """How names begin of partners ahead and behind."""

    @staticmethod
    def around(
        place: Ints | Indices, words: tuple[str, str] = (AHEAD, BEHIND)
    ) -> "Shifts":
        """Go round all ranks in the order of their places, from 0 without gaps."""
        return Shifts(place.astype(np.int64), np.argsort(place), words)

    def names(
        self, ranks: Ints | Indices, partners: Ints | Indices
    ) -> tuple[Indices, list[str]]:
        """Name whom ranks send to; see `topoview.model.Directions`."""
        return self._named(self.place[partners] - self.place[ranks], self.words[0])

    def sources(
        self, ranks: Ints | Indices, partners: Ints | Indices
    ) -> tuple[Indices, list[str]]:
        """Name whom ranks receive from."""
        return self._named(self.place[ranks] - self.place[partners], self.words[1])

    def both(self, sender: Ints, receiver: Ints) -> tuple[Ints, Ints, list[str]]:
        """Name both ends of messages: index for each, and all names."""
        to, ahead = self.names(sender, receiver)
        source, behind = self.sources(receiver, sender)
        names = list(dict.fromkeys((*ahead, *behind)))
        index_of = {name: at for at, name in enumerate(names)}
        place = np.array([index_of[name] for name in behind], np.int64)
        return to.astype(np.int64), place[source], names

    def _named(self, distance: Ints, word: str) -> tuple[Indices, list[str]]:
        distance %= len(self.place)
        unique = distinct(distance)
        names = [_shift_name(word, k) for k in unique.tolist()]
        return np.searchsorted(unique, distance).astype(np.int32), names

    def partner(self, rank: int, name: str) -> int | None:
        """World rank that a direction leads to."""
        for word, sign in zip(self.words, (1, -1), strict=True):
            if name.startswith(word):
                far = name.removeprefix(word).removeprefix(" x") or "1"
                return int(
                    self.rank[(self.place[rank] + sign * int(far)) % len(self.rank)]
                )
        return rank if name == SELF_NAME else None


def _shift_name(word: str, distance: int) -> str:
    if not distance:
        return SELF_NAME
    if word in (AHEAD, BEHIND):
        return f"{word}{distance}"
    return word if distance == 1 else f"{word} x{distance}"


@dataclass(frozen=True, slots=True, eq=False)
class Exchanges:
    """Names by the bits of ranks' numbers that differ: ``EXCHANGE 5``."""

    def names(
        self, ranks: Ints | Indices, partners: Ints | Indices
    ) -> tuple[Indices, list[str]]:
        """Name the partner of each rank; see `topoview.model.Directions`."""
        bits = ranks.astype(np.int64) ^ partners
        unique = distinct(bits)
        names = [f"EXCHANGE {k}" if k else SELF_NAME for k in unique.tolist()]
        return np.searchsorted(unique, bits).astype(np.int32), names

    def partner(self, rank: int, name: str) -> int | None:
        """World rank that a direction leads to."""
        return rank if name == SELF_NAME else rank ^ int(name.split()[-1])


# Partners as numbers, in the order in which each rank comes to use them.


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """Names of partners that no scheme places: ``NEIGHBOUR 0``, or ``RANK +1``.

    Programs on unstructured meshes go through a list of neighbours. By the numbers in
    it all ranks do the same, whatever the graph is. Where each number in it is the
    same step from rank to rank, around the end, for all ranks, that is what is told.
    """

    ranks: int
    """Number of ranks."""
    pair: Ints
    slot: Ints
    """`pair` and `slot`: int64, shape (pairs,): ``rank * ranks + partner``, ascending,
    and the number of the partner's name."""
    labels: tuple[str, ...]
    """The names."""

    @staticmethod
    def of(met: Ints, ranks: int) -> "Neighbours":
        """Enumerate the partners of each rank.

        Parameters
        ----------
        met : int64, shape (pairs,)
            As of `topoview.logical.merge.classes.RanksCompared`.
        """
        begins = run_offsets(np.bincount(met // ranks, minlength=ranks))
        order = np.argsort(met)
        pairs = met[order]
        slot = order - begins[pairs // ranks]
        steps = _steps(ranks, pairs, slot)
        if steps is not None:
            distinct_steps, of_slot = np.unique(steps, return_inverse=True)
            names = tuple(_step_name(step) for step in distinct_steps.tolist())
            return Neighbours(ranks, pairs, of_slot[slot].astype(np.int64), names)
        most = int(slot.max(initial=-1)) + 1
        names = tuple(f"NEIGHBOUR {k}" for k in range(most))
        return Neighbours(ranks, pairs, slot, names)

    def names(self, ranks: Indices, partners: Indices) -> tuple[Indices, list[str]]:
        """Name partners: the index of each one's name, and the names."""
        wanted = ranks.astype(np.int64) * self.ranks + partners
        slot = np.append(self.slot, -1).astype(np.int32)
        return slot[places_among(self.pair, wanted)], list(self.labels)

    def partner(self, rank: int, name: str) -> int | None:
        """World rank of a partner, None if the rank has none of that name."""
        wanted = self.labels.index(name)
        own = np.flatnonzero((self.pair // self.ranks == rank) & (self.slot == wanted))
        return int(self.pair[own[0]] % self.ranks) if len(own) else None


def _steps(ranks: int, pair: Ints, slot: Ints) -> Ints | None:
    """Find the step that each slot is for all ranks, none if one differs."""
    if not len(pair):
        return None
    step = (pair % ranks - pair // ranks) % ranks
    low, high = np.full((2, int(slot.max()) + 1), -1, np.int64)
    low[slot] = step
    np.maximum.at(high, slot, step)
    if (low[slot] != step).any() or (low != high).any():
        return None
    return np.where(2 * low > ranks, low - ranks, low)


def _step_name(step: int) -> str:
    return f"RANK {step:+d}" if step else SELF_NAME


# Names of partners, gathered pair by pair from the schemes that name them.


NamedPairs = tuple[Ints, Ints, list[str]]
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

    def add(self, own: Ints, named: NamedPairs) -> None:
        """Add a scheme's names for some pairs; equal names must lead alike."""
        to, source, names = named
        side = np.concatenate((to, source))
        sender, receiver = self.sender[own], self.receiver[own]
        here = np.concatenate((sender, receiver))
        there = np.concatenate((receiver, sender))
        for half in (slice(0, len(to)), slice(len(to), len(side))):
            lost = half.start + np.flatnonzero(side[half] < 0)
            if len(lost):
                ranks, which = factorize(there[lost])
                side[lost] = len(names) + which
                names = [*names, *(f"rank {rank}" for rank in ranks.tolist())]
        order, begins = counting_sort(side, len(names))
        place = np.zeros(len(names), np.int64)
        for index, name in enumerate(names):
            rows = order[begins[index] : begins[index + 1]]
            if not len(rows):
                continue
            place[index] = self._enter(name, _last_partners(here[rows], there[rows]))
        self.to[own], self.source[own] = place[side[: len(to)]], place[side[len(to) :]]

    def _enter(self, name: str, leads: Leads) -> int:
        wanted, turn = name, 1
        while True:
            if wanted not in self.number:
                self.number[wanted] = len(self.names)
                self.names.append(wanted)
                self.leads.append(leads)
                return len(self.names) - 1
            index = self.number[wanted]
            earlier = self.leads[index]
            if name == WORKER or _agree(earlier, leads):
                both = (
                    np.concatenate(part) for part in zip(earlier, leads, strict=True)
                )
                self.leads[index] = _last_partners(*both)
                return index
            turn += 1
            wanted = f"{name} #{turn}"


def _last_partners(here: Ints, there: Ints) -> Leads:
    """Keep the last partner of each rank."""
    order = np.argsort(here, kind="stable")
    here = here[order]
    last = np.append(here[1:] != here[:-1], True)[: len(here)]
    return here[last], there[order][last]


def _agree(earlier: Leads, leads: Leads) -> bool:
    """Whether ranks that both know have the same partner in both."""
    at = places_among(earlier[0], leads[0])
    both = at >= 0
    return bool((earlier[1][at[both]] == leads[1][both]).all())


MAX_TAGS = 64
"""Tags told apart where the ranks are no lattice, which names most of the messages."""

MAX_NAMES_UNQUESTIONED, MAX_NAMES_UNNUMBERED = 3, 8
"""Names that a kind of messages may have without the other names being tried, and
without its partners being numbered, which says nothing of where they are."""


MAX_RANKS_NUMBERED = 2
"""Ranks that exchange a kind of messages beside a lattice and have no rule."""


NamingScheme = Callable[[Ints, Ints], NamedPairs]


class Naming(NamedTuple):
    """How partners are named, and where the ranks are."""

    directions: Directions
    """Names of partners."""
    match: Match | None = None
    """Where the ranks are: conditions are told in its coordinates. Without one they are
    told by the ranks' numbers."""
    others: Sequence[Directions] = ()
    """Further names of partners, for messages that `directions` says little of."""
    plan: Plan | None = None
    """Coordinates by communicators, whose axes name these."""
    places: Match | None = None
    """In whose coordinates conditions are told, where not in those of `match`."""


def name_partners(  # noqa: PLR0913
    kind: Ints,
    pairs: tuple[Ints, Ints],
    directions: Directions,
    others: Sequence[Directions],
    match: Match | None = None,
    report: Report = silent,
) -> NameTable:
    """Name the partners of all messages.

    Neighbours in a lattice have its directions, whatever else is sent.

    Parameters
    ----------
    kind : int64, shape (n,)
        Kind of each message: those of equal sender, receiver and kind are one.
    pairs : two of int64, shape (n,)
        Senders and receivers.
    directions
        The topology's names.
    others
        Further names, taken for kinds of messages for which they need at most
        half as many.
    match
        Where the ranks are.
    """
    table = NameTable(*pairs)
    schemes = [*map(_by_topology, (directions, *others)), name_star]
    if not isinstance(directions, Shifts):
        schemes.append(_by_partner_number)
    if match is not None and keeps_directions(directions, match):
        _name_in_lattice(table, match, kind, schemes[: 1 + len(others)])
    elif len(kind):
        _name_kinds(table, kind, schemes, report)
    report(READING, 0.28)
    return table


def keeps_directions(directions: Directions, match: Match | None) -> bool:
    """Return whether neighbours have a lattice's directions, whatever else is sent."""
    placed = match is not None and match.topology.is_lattice
    return placed and not isinstance(directions, Shifts | Exchanges | Neighbours)


def neighbour_pairs(match: Match | None, ranks: int) -> Ints:
    """Pairs of ranks that are neighbours in the topology, both ways round.

    Returns
    -------
    int64, shape (n,)
        ``rank * ranks + neighbour``, ascending.
    """
    if match is None:
        return np.zeros(0, np.int64)
    rank = np.full(match.topology.vertices, -1)
    held = np.flatnonzero(match.vertex >= 0)
    rank[match.vertex[held]] = held
    a, b = rank[np.asarray(match.topology.edges, np.int64)].reshape(-1, 2).T
    held_both = (a >= 0) & (b >= 0)
    a, b = a[held_both], b[held_both]
    return np.sort(np.concatenate((a * ranks + b, b * ranks + a)))


def _name_in_lattice(
    table: NameTable, match: Match, kind: Ints, schemes: Sequence[NamingScheme]
) -> None:
    """Name neighbours by directions, and the rest, kind by kind, by fewest names.

    What one rank gathers or scatters with a tag of its own, most of it from or to ranks
    that are no neighbours, is told so; else a kind is split pair by pair.
    """
    ranks = len(match.vertex)
    pairs = table.sender * ranks + table.receiver
    near = places_among(neighbour_pairs(match, ranks), pairs) >= 0
    by_direction = near.copy()
    for tag in distinct(kind[~near]).tolist():
        rows = np.flatnonzero(kind == tag)
        named = name_star(table.sender[rows], table.receiver[rows])
        if named[2] and len(rows) > max(2 * near[rows].sum(), 1):
            table.add(rows, _by_hub(named, table.sender[rows], table.receiver[rows]))
            by_direction[rows] = False
            near[rows] = True
    rows = np.flatnonzero(by_direction)
    if len(rows):
        table.add(rows, schemes[0](table.sender[rows], table.receiver[rows]))
    for tag in distinct(kind[~near]).tolist():
        rows = np.flatnonzero(~near & (kind == tag))
        ends = table.sender[rows], table.receiver[rows]
        few = len(distinct(np.concatenate(ends))) <= MAX_RANKS_NUMBERED
        others = () if few else (s for s in schemes if s is not name_star)
        ways = [scheme(*ends) for scheme in (*others, _by_rank)]
        table.add(rows, min(ways, key=lambda way: _names_needed(way, slice(None))))


def _by_hub(named: NamedPairs, sender: Ints, receiver: Ints) -> NamedPairs:
    """Name the hub of a star by its number, and the others, in any order, WORKER."""
    to, source, _ = named
    hub = int((receiver if source[0] else sender)[0])
    return to, source, [f"rank {hub}", WORKER]


def _by_rank(sender: Ints, receiver: Ints) -> NamedPairs:
    """Name partners by their numbers."""
    ranks, which = factorize(np.concatenate((receiver, sender)))
    names = [f"rank {rank}" for rank in ranks.tolist()]
    return which[: len(sender)], which[len(sender) :], names


def _name_kinds(
    table: NameTable, kind: Ints, schemes: list[NamingScheme], report: Report
) -> None:
    """Name all pairs of a table, each kind of messages by the scheme that suits it."""
    sender, receiver = table.sender, table.receiver
    every = np.arange(len(kind))
    primary = schemes[0](sender, receiver)
    if _names_needed(primary, slice(None)) > 2:
        one = name_star(sender, receiver)
        if _names_needed(one, slice(None)) <= 2:
            table.add(every, one)
            return
        if all(name.startswith((MASTER, WORKER)) for name in primary[2]):
            table.add(every, name_stars(primary))
            return
    chosen = _choose_schemes(primary, (sender, receiver), kind, schemes)
    for index, scheme in enumerate(schemes):
        report(READING, 0.27)
        some = np.flatnonzero(chosen[kind] == index)
        if not len(some):
            continue
        if not index:
            to, source, names = primary
            table.add(some, (to[some], source[some], names))
        elif scheme is name_star:  # each kind has its own master
            for one in distinct(kind[some]).tolist():
                part = some[kind[some] == one]
                table.add(part, scheme(sender[part], receiver[part]))
        else:
            table.add(some, scheme(sender[some], receiver[some]))


def _choose_schemes(
    primary: NamedPairs,
    pairs: tuple[Ints, Ints],
    kind: Ints,
    schemes: list[NamingScheme],
) -> Ints:
    """Scheme of each kind of messages, int64, shape (kinds,)."""
    chosen = np.zeros(int(kind.max()) + 1, np.int64)
    order, begins = counting_sort(kind, len(chosen))
    for some in np.split(order, begins[1:-1]):
        if not len(some):
            continue
        cost = _names_needed(primary, some)
        if cost <= MAX_NAMES_UNQUESTIONED:
            continue
        costs = [cost]
        for scheme in schemes[1:]:
            if cost <= MAX_NAMES_UNNUMBERED and scheme in {
                name_star,
                _by_partner_number,
            }:
                break
            named = scheme(pairs[0][some], pairs[1][some])
            costs.append(2 * _names_needed(named, slice(None)) - 1)
        chosen[kind[some[0]]] = int(np.argmin(costs))
    return chosen


def _names_needed(named: NamedPairs, some: Ints | slice) -> int:
    """Names that a scheme needs; a pair without a name counts as one."""
    to, source, _ = named
    both = np.concatenate((to[some], source[some]))
    lost = int(np.sum(both < 0))
    return len(factorize(both[both >= 0] if lost else both)[0]) + lost


def _by_topology(directions: Directions) -> NamingScheme:
    def scheme(sender: Ints, receiver: Ints) -> NamedPairs:
        if isinstance(directions, Shifts):
            return directions.both(sender, receiver)
        here = np.concatenate((sender, receiver)).astype(np.int32)
        there = np.concatenate((receiver, sender)).astype(np.int32)
        numbers, names = directions.names(here, there)
        direction = numbers.astype(np.int64)
        return direction[: len(sender)], direction[len(sender) :], list(names)

    return scheme


def _by_partner_number(sender: Ints, receiver: Ints) -> NamedPairs:
    """Enumerate each rank's partners in order of their ranks."""
    ranks = int(max(sender.max(), receiver.max())) + 1
    here = np.concatenate((sender, receiver))
    there = np.concatenate((receiver, sender))
    pairs, which = factorize(here * ranks + there)
    owner = pairs // ranks
    offsets = run_offsets(np.bincount(owner, minlength=ranks))
    slot = (np.arange(len(pairs)) - offsets[owner])[which]
    most = int(slot.max(initial=0)) + 1
    names = ["PARTNER"] if most == 1 else [f"NEIGHBOUR {k}" for k in range(most)]
    return slot[: len(sender)], slot[len(sender) :], names
