"""Write sets of ranks as conditions in words of the topology.

A set is written as a conjunction of predicates, as the complement of one, or as one
of two; only what is none of these is a list of ranks.
"""

import re
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from topoview.logical.conditions.predicates import Predicate, RankPlaces
from topoview.model import Bools, Guard, Ints

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
        others = np.ones(self.places.ranks, bool)
        others[ranks] = False
        return _may_tell(ranks, others, self.places)

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
        simple = _conjunction(chosen, others, self.places)
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
            text = condition_of(chosen, self.places)
            closed = text is not None
            if text is None:
                text = _list_text(ranks)
            self._number[key] = len(self.guards)
            self.guards.append(Guard(text, ranks.astype(np.int32), closed))
        return self._number[key]


def condition_of(chosen: Bools, places: RankPlaces) -> str | None:
    """Express a set of ranks as a condition, None if it needs a list.

    Parameters
    ----------
    chosen : bool, shape (ranks,)
    """
    simple = _conjunction(chosen, ~chosen, places)
    if simple is not None and _predicates_written(simple) <= 2:
        return _all_of(simple)
    other = _conjunction(~chosen, chosen, places)
    if other is not None and len(other) == 1:
        return _negated(other[0])
    if places.names == ("rank",) and int(np.count_nonzero(chosen)) <= MAX_RANKS_NAMED:
        return None
    if simple is not None and len(simple) <= MAX_CONJUNCTS:
        return _all_of(simple)
    if other is not None and len(other) <= MAX_CONJUNCTS:
        return f"not ({_all_of(other)})"
    return _either(chosen, places)


def _candidates(chosen: Bools, others: Bools, places: RankPlaces) -> list[Predicate]:
    """Find the conditions that hold for some ranks; none if others have them all."""
    ranks = np.flatnonzero(chosen)
    if not _may_tell(ranks, others, places):
        return []
    return [atom for value in places.values for atom in value.predicates(ranks)]


def _may_tell(ranks: Ints, others: Bools, places: RankPlaces) -> bool:
    """Return whether conditions that hold for some ranks tell them from others."""
    left = others.copy()
    for value in places.values if len(ranks) else ():
        held = value.held(ranks)
        if held is not None:
            left &= held[value.of]
            if not left.any():
                return True
    return False


def _conjunction(
    chosen: Bools, others: Bools, places: RankPlaces
) -> list[Predicate] | None:
    """Find few conditions that hold together for some ranks and for none of others."""
    candidates = [(one, ~one.holds) for one in _candidates(chosen, others, places)]
    if not candidates:
        return None
    predicates: list[Predicate] = []
    left = others.copy()
    while left.any():
        best, fails = max(
            candidates,
            key=lambda one: np.count_nonzero(left & one[1]) / one[0].cost,
        )
        predicates.append(best)
        left &= ~fails
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


def _either(chosen: Bools, places: RankPlaces) -> str | None:
    """Join conjunctions with ``or``: greedily those that take most of the set.

    None takes less than those after it, so each takes at least its share of what is
    left. Parts that cannot do so are not looked at.
    """
    left, size = chosen.copy(), int(np.count_nonzero(chosen))
    parts: list[list[Predicate]] = []
    while size and len(parts) < MAX_ALTERNATIVES:
        least = -(-size // (MAX_ALTERNATIVES - len(parts)))
        part = _largest(left, chosen, least, places)
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
    left: Bools, chosen: Bools, least: int, places: RankPlaces
) -> tuple[list[Predicate], Bools] | None:
    """Find a conjunction within the set that takes most of what is left."""
    sized: list[tuple[int, int, Bools]] = []
    for part in places.cuts():
        some = int(np.count_nonzero(left & part))
        if some >= least:
            sized.append((-some, len(sized), part))
    for _, _, part in sorted(sized, key=itemgetter(0, 1)):
        inside = chosen & part
        conjunction = _conjunction(inside, ~inside, places)
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
        texts.insert(first, f"not at {', '.join(names[:-1])} or {names[-1]} edge")
    return " and ".join(texts)


def _predicates_written(predicates: list[Predicate]) -> int:
    """Count conditions as they are told, those on edges in one."""
    edges = sum(bool(_EDGE.match(atom.text)) for atom in predicates)
    return len(predicates) - max(edges - 1, 0)


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
