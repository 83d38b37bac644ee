"""Write sets of ranks as conditions in words of the topology.

A set is written as a conjunction of predicates, as the complement of one, or as one
of two; only what is none of these is a list of ranks. As most irregular sets can be
written in no such way, a quick test tells beforehand whether any predicates can.
"""

import re
from dataclasses import dataclass, field
from itertools import combinations
from operator import itemgetter

import numpy as np

from topoview.logical.predicates import (
    MODULI,
    Predicate,
    RankPlaces,
    predicates_of,
    sum_moduli,
)
from topoview.model import Bools, Guard, Ints

# Whether any simple conditions can tell a set of ranks: a quick test, never wrong.
#
# Simple conditions look at one value of a rank at a time: a coordinate, the sum or
# the difference of two, whether it has a partner in a direction. All conditions on a
# value that hold for a set allow at least certain values, and a rank whose values are
# all allowed but that is not of the set cannot be excluded. Finding one takes far
# less time than making the conditions, and irregular sets of ranks have many.

MAX_VALUES_TOLD_APART = 256
"""Values beyond which those that do not occur all count as excluded."""

MAX_VALUES_LISTED = 4
"""Values of a coordinate that a condition may list."""


@dataclass(frozen=True, slots=True, eq=False)
class _RankValue:
    """A value of every rank that conditions look at."""

    of: Ints
    """int32, shape (ranks,): the values, from 0."""
    count: int
    """How many there are."""
    classes: Bools
    """bool, shape (conditions, count): where conditions hold that do not depend on the
    set."""
    is_range: bool
    """Whether conditions on least, greatest and one missing value exist."""
    listed: int
    """Up to how many values conditions list."""

    def allowed(self, inside: Bools) -> Bools:
        """Return which values conditions that hold for a set allow, or fewer."""
        present = np.zeros(self.count, bool)
        present[self.of[inside]] = True
        own = np.flatnonzero(present)
        if len(own) <= self.listed or self.count > MAX_VALUES_TOLD_APART:
            return present
        allow = np.ones(self.count, bool)
        if self.is_range:
            low, high = int(own[0]), int(own[-1])
            allow[:low] = allow[high + 1 :] = False
            if len(own) == high - low:
                allow = present
        held = self.classes[:, own].all(axis=1)
        return allow & self.classes[held].all(axis=0)


@dataclass(slots=True)
class FeasibilityTest:
    """Tests sets of ranks at some places."""

    places: RankPlaces
    """Where the ranks are."""
    _values: list[_RankValue] = field(default_factory=list)

    def may_be_told(self, chosen: Bools, others: Bools) -> bool:
        """Return whether simple conditions may tell some ranks from others.

        Parameters
        ----------
        chosen, others : bool, shape (ranks,)

        Returns
        -------
        bool
            False only if no conjunction of simple conditions holds for all of the
            first and none of the others.
        """
        size = int(np.count_nonzero(chosen))
        if size <= 1 or self.places.ranks == 2:
            return True
        if not self._values:
            self._values = _rank_values(self.places)
        left = np.ones(len(chosen), bool)
        for value in self._values:
            left &= value.allowed(chosen)[value.of]
        for _, holds in self.places.has:
            having = int(np.count_nonzero(holds & chosen))
            if having == size:
                left &= holds
            elif having == 0:
                left &= ~holds
        return not (left & others).any()


def _rank_values(places: RankPlaces) -> list[_RankValue]:
    """Collect the values that conditions look at."""
    result = []
    for name, column in zip(places.names, places.columns, strict=True):
        count = int(column.max(initial=0)) + 1
        listed = 1 if name == "rank" else MAX_VALUES_LISTED
        result.append(
            _RankValue(column.astype(np.int32), count, _rests(count), True, listed)
        )
    sums = [(column, _sum_rests) for _, column in places.sums()]
    apart = [(a - b, _signs) for a, b in combinations(places.columns, 2)]
    for column, parts in (*sums, *apart):
        least = int(column.min(initial=0))
        count = int(column.max(initial=0)) - least + 1
        classes = parts(np.arange(least, least + min(count, MAX_VALUES_TOLD_APART)))
        result.append(
            _RankValue((column - least).astype(np.int32), count, classes, False, 1)
        )
    return result


def _rests(count: int) -> Bools:
    """Rests of divisions, and bits, of the values below a number."""
    values = np.arange(min(count, MAX_VALUES_TOLD_APART))
    rests = [values % step == rest for step in MODULI for rest in range(step)]
    bits = [(values & 1 << bit) != 0 for bit in range(1, count.bit_length())]
    return np.stack(rests + bits + [~bit for bit in bits])


def _sum_rests(values: Ints) -> Bools:
    moduli = sum_moduli(int(values[-1]))
    rests = [values % step == rest for step in moduli for rest in range(step)]
    return np.array(rests, bool).reshape(-1, len(values))


def _signs(values: Ints) -> Bools:
    return np.stack([values <= 0, values >= 0, values != 0, values < 0, values > 0])


MAX_RANKS_LISTED = 12
"""Ranks that a list names."""

MAX_ALTERNATIVES = 2
"""Conjunctions that a condition may join with ``or``."""

MAX_CONJUNCTS = 4
"""Simple conditions that one without ``or`` may hold."""

MAX_RANKS_NAMED = 3
"""Ranks that are rather named than told by more than two conditions on the number."""

_EDGE = re.compile(r"not at ([a-z]+(?: or [a-z]+)?) edge$")

MAX_PREDICATES = 3
"""Simple conditions that such a one may hold in all; beyond that a list is clearer."""


@dataclass(slots=True)
class Conditions:
    """Makes guards of sets of ranks; equal sets are one guard."""

    places: RankPlaces
    """Where the ranks are."""
    guards: list[Guard]
    """The guards made so far."""
    _number: dict[bytes, int]
    _closures: FeasibilityTest = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the test of sets."""
        self._closures = FeasibilityTest(self.places)

    @staticmethod
    def at(places: RankPlaces) -> "Conditions":
        """Begin without guards."""
        return Conditions(places, [], {})

    def may_tell(self, ranks: Ints) -> bool:
        """Return whether simple conditions on places may tell ranks from all others.

        Parameters
        ----------
        ranks : int64, shape (n,)
            Ascending.
        """
        if self.places.names == ("rank",):
            return False
        chosen = np.zeros(self.places.ranks, bool)
        chosen[ranks] = True
        return self._closures.may_be_told(chosen, ~chosen)

    def widened(self, chosen: Bools, others: Bools) -> Bools | None:
        """Find where a simple condition holds that tells some ranks from others.

        Parameters
        ----------
        chosen, others : bool, shape (ranks,)

        Returns
        -------
        bool, shape (ranks,), or None
            All of the first, none of the others; None if there is no such condition.
        """
        simple = _conjunction(chosen, others, self._closures)
        return _held_by(simple) if simple else None

    def guard(self, ranks: Ints) -> int:
        """Look up the guard of a set of ranks; -1 for all ranks.

        Parameters
        ----------
        ranks : int64, shape (n,)
            Ascending.
        """
        if len(ranks) == self.places.ranks:
            return -1
        key = ranks.astype(np.int32).tobytes()
        if key not in self._number:
            chosen = np.zeros(self.places.ranks, bool)
            chosen[ranks] = True
            text = condition_of(chosen, self._closures)
            closed = text is not None
            if text is None:
                text = _list_text(ranks)
            self._number[key] = len(self.guards)
            self.guards.append(Guard(text, ranks.astype(np.int32), closed))
        return self._number[key]


def condition_of(chosen: Bools, closures: FeasibilityTest) -> str | None:
    """Express a set of ranks as a condition, None if it needs a list.

    Parameters
    ----------
    chosen : bool, shape (ranks,)
    closures
        Test sets of ranks at their places.
    """
    places = closures.places
    simple = _conjunction(chosen, ~chosen, closures)
    if simple is not None and _predicates_written(simple) <= 2:
        return _all_of(simple)
    other = _conjunction(~chosen, chosen, closures)
    if other is not None and len(other) == 1:
        return _negated(other[0])
    if places.names == ("rank",) and int(np.count_nonzero(chosen)) <= MAX_RANKS_NAMED:
        return None
    if simple is not None and len(simple) <= MAX_CONJUNCTS:
        return _all_of(simple)
    if other is not None and len(other) <= MAX_CONJUNCTS:
        return f"not ({_all_of(other)})"
    return _either(chosen, closures)


def _conjunction(
    chosen: Bools, others: Bools, closures: FeasibilityTest
) -> list[Predicate] | None:
    """Find few conditions that hold together for some ranks and for none of others."""
    if not chosen.any() or not closures.may_be_told(chosen, others):
        return None
    predicates: list[Predicate] = []
    left = others.copy()
    candidates = list(predicates_of(chosen, closures.places))
    while left.any():
        best, most = None, 0.0
        for atom in candidates:
            excludes = int(np.count_nonzero(left & ~atom.holds))
            gain = excludes / atom.cost
            if gain > most:
                best, most = atom, gain
        if best is None:
            return None
        predicates.append(best)
        left &= best.holds
    return _needed(predicates, others)


def _needed(predicates: list[Predicate], others: Bools) -> list[Predicate]:
    """Drop conditions that the others imply, the earliest first."""
    kept = list(predicates)
    for atom in predicates:
        rest = [other for other in kept if other is not atom]
        if rest and not (_held_by(rest) & others).any():
            kept = rest
    return sorted(kept, key=lambda atom: atom.order)


def _held_by(predicates: list[Predicate]) -> Bools:
    """Find where conditions hold together, bool, shape (ranks,)."""
    holds: Bools = np.logical_and.reduce([atom.holds for atom in predicates])
    return holds


def _either(chosen: Bools, closures: FeasibilityTest) -> str | None:
    """Join conjunctions with ``or``: greedily those that take most of the set.

    None takes less than those after it, so each takes at least its share of what is
    left. Parts that cannot do so are not looked at.
    """
    left, size = chosen.copy(), int(np.count_nonzero(chosen))
    parts: list[list[Predicate]] = []
    while size and len(parts) < MAX_ALTERNATIVES:
        least = -(-size // (MAX_ALTERNATIVES - len(parts)))
        part = _largest(left, chosen, least, closures)
        if part is None:
            return None
        parts.append(part[0])
        left &= ~part[1]
        size = int(np.count_nonzero(left))
        if sum(len(part) for part in parts) + (size > 0) > MAX_PREDICATES:
            return None
    if size:
        return None
    if all(len(part) == 1 and part[0].text.startswith("rank ") for part in parts):
        return None  # a list says the same
    return " or ".join(_all_of(part) for part in parts)


def _largest(
    left: Bools, chosen: Bools, least: int, closures: FeasibilityTest
) -> tuple[list[Predicate], Bools] | None:
    """Find a conjunction within the set that takes most of what is left."""
    sized: list[tuple[int, int, Bools]] = []
    for part in closures.places.cuts():
        some = int(np.count_nonzero(left & part))
        if some >= least:
            sized.append((-some, len(sized), part))
    for _, _, part in sorted(sized, key=itemgetter(0, 1)):
        inside = chosen & part
        conjunction = _conjunction(inside, ~inside, closures)
        if conjunction is not None:
            return conjunction, inside
    return None


def _all_of(predicates: list[Predicate]) -> str:
    """Join conditions: ``not at west edge and not at top edge`` in fewer words."""
    texts = [atom.text for atom in predicates]
    edges = [word for text in texts if (word := _EDGE.match(text))]
    if len(edges) > 1:
        names = [name for word in edges for name in word[1].split(" or ")]
        first = next(i for i, text in enumerate(texts) if _EDGE.match(text))
        texts = [text for text in texts if not _EDGE.match(text)]
        texts.insert(first, f"not at {_list_words(names)} edge")
    return " and ".join(texts)


def _predicates_written(predicates: list[Predicate]) -> int:
    """Count conditions as they are told, those on edges in one."""
    edges = sum(bool(_EDGE.match(atom.text)) for atom in predicates)
    return len(predicates) - max(edges - 1, 0)


def _list_words(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _negated(atom: Predicate) -> str:
    if atom.negation:
        return atom.negation
    if " in " in atom.text:
        return atom.text.replace(" in ", " not in ", 1)
    return f"not {atom.text}" if " " not in atom.text else f"not ({atom.text})"


def _list_text(ranks: Ints) -> str:
    """Name ranks, runs of three or more as ``4..9``; long lists are cut."""
    breaks = np.flatnonzero(np.diff(ranks) != 1) + 1
    words: list[str] = []
    for run in np.split(ranks, breaks):
        if len(run) > 2:
            words.append(f"{run[0]}..{run[-1]}")
        else:
            words += [str(rank) for rank in run.tolist()]
    if len(words) > MAX_RANKS_LISTED:
        return (
            f"rank in {', '.join(words[:MAX_RANKS_LISTED])}, ... ({len(ranks)} ranks)"
        )
    if len(words) == 1 and len(ranks) == 1:
        return f"rank {words[0]}"
    return f"rank in {', '.join(words)}"
