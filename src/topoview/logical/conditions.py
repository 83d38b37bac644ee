"""Sets of ranks as conditions in words of the topology.

A set is told as a conjunction of simple conditions, as the complement of one, or
as one of two; only what is none of these is a list of ranks.
"""

import re
from dataclasses import dataclass, field
from operator import itemgetter

import numpy as np

from topoview.logical.atoms import Atom, Places, atoms
from topoview.logical.closures import Closures
from topoview.model import Bools, Guard, Ints
from topoview.progress import breathe

LISTED = 12
"""Ranks that a list names."""

ALTERNATIVES = 2
"""Conjunctions that a condition may join with ``or``."""

MOST = 4
"""Simple conditions that one without ``or`` may hold."""

FEW = 3
"""Ranks that are rather named than told by more than two conditions on the number."""

_EDGE = re.compile(r"not at ([a-z]+(?: or [a-z]+)?) edge$")

SIMPLE = 3
"""Simple conditions that such a one may hold in all; beyond that a list is clearer."""


@dataclass(slots=True)
class Conditions:
    """Makes guards of sets of ranks; equal sets are one guard.

    Attributes
    ----------
    places
        Where the ranks are.
    guards
        The guards made so far.
    """

    places: Places
    guards: list[Guard]
    _number: dict[bytes, int]
    _closures: Closures = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the test of sets."""
        self._closures = Closures(self.places)

    @staticmethod
    def at(places: Places) -> "Conditions":
        """Begin without guards."""
        return Conditions(places, [], {})

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
            text = described(chosen, self._closures)
            closed = text is not None
            if text is None:
                text = _listed(ranks)
            self._number[key] = len(self.guards)
            self.guards.append(Guard(text, ranks.astype(np.int32), closed))
        return self._number[key]


def described(chosen: Bools, closures: Closures) -> str | None:
    """Tell a set of ranks as a condition, None if it needs a list.

    Parameters
    ----------
    chosen : bool, shape (ranks,)
    closures
        Test sets of ranks at their places.
    """
    places = closures.places
    simple = _conjunction(chosen, closures)
    if simple is not None and _said(simple) <= 2:
        return _all_of(simple)
    other = _conjunction(~chosen, closures)
    if other is not None and len(other) == 1:
        return _negated(other[0])
    if places.names == ("rank",) and int(np.count_nonzero(chosen)) <= FEW:
        return None
    if simple is not None and len(simple) <= MOST:
        return _all_of(simple)
    if other is not None and len(other) <= MOST:
        return f"not ({_all_of(other)})"
    return _either(chosen, closures)


def _conjunction(chosen: Bools, closures: Closures) -> list[Atom] | None:
    """Find few conditions that hold together just for these ranks."""
    if not chosen.any() or not closures.may_be_told(chosen):
        return None
    found: list[Atom] = []
    left = ~chosen
    candidates = []
    for atom in atoms(chosen, closures.places):
        breathe()
        candidates.append(atom)
    while left.any():
        best, most = None, 0.0
        for atom in candidates:
            breathe()
            excludes = int(np.count_nonzero(left & ~atom.holds))
            gain = excludes / atom.cost
            if gain > most:
                best, most = atom, gain
        if best is None:
            return None
        found.append(best)
        left &= best.holds
    return _needed(found, chosen)


def _needed(found: list[Atom], chosen: Bools) -> list[Atom]:
    """Drop conditions that the others imply, the earliest first."""
    kept = list(found)
    for atom in found:
        rest = [other for other in kept if other is not atom]
        if rest:
            holds = np.ones(len(chosen), bool)
            for other in rest:
                holds &= other.holds
            if np.array_equal(holds, chosen):
                kept = rest
    return sorted(kept, key=lambda atom: atom.order)


def _either(chosen: Bools, closures: Closures) -> str | None:
    """Join conjunctions with ``or``: greedily those that take most of the set.

    None takes less than those after it, so each takes at least its share of what is
    left. Parts that cannot do so are not looked at.
    """
    left, size = chosen.copy(), int(np.count_nonzero(chosen))
    parts: list[list[Atom]] = []
    while size and len(parts) < ALTERNATIVES:
        least = -(-size // (ALTERNATIVES - len(parts)))
        part = _largest(left, chosen, least, closures)
        if part is None:
            return None
        parts.append(part[0])
        left &= ~part[1]
        size = int(np.count_nonzero(left))
        if sum(len(part) for part in parts) + (size > 0) > SIMPLE:
            return None
    if size:
        return None
    if all(len(part) == 1 and part[0].text.startswith("rank ") for part in parts):
        return None  # a list says the same
    return " or ".join(_all_of(part) for part in parts)


def _largest(
    left: Bools, chosen: Bools, least: int, closures: Closures
) -> tuple[list[Atom], Bools] | None:
    """Find a conjunction within the set that takes most of what is left."""
    sized: list[tuple[int, int, Bools]] = []
    for part in closures.places.cuts():
        breathe()
        some = int(np.count_nonzero(left & part))
        if some >= least:
            sized.append((-some, len(sized), part))
    for _, _, part in sorted(sized, key=itemgetter(0, 1)):
        inside = chosen & part
        found = _conjunction(inside, closures)
        if found is not None:
            return found, inside
    return None


def _all_of(found: list[Atom]) -> str:
    """Join conditions: ``not at west edge and not at top edge`` in fewer words."""
    texts = [atom.text for atom in found]
    edges = [word for text in texts if (word := _EDGE.match(text))]
    if len(edges) > 1:
        names = [name for word in edges for name in word[1].split(" or ")]
        first = next(i for i, text in enumerate(texts) if _EDGE.match(text))
        texts = [text for text in texts if not _EDGE.match(text)]
        texts.insert(first, f"not at {_listed_words(names)} edge")
    return " and ".join(texts)


def _said(found: list[Atom]) -> int:
    """Count conditions as they are told, those on edges in one."""
    edges = sum(bool(_EDGE.match(atom.text)) for atom in found)
    return len(found) - max(edges - 1, 0)


def _listed_words(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _negated(atom: Atom) -> str:
    if atom.negation:
        return atom.negation
    if " in " in atom.text:
        return atom.text.replace(" in ", " not in ", 1)
    return f"not {atom.text}" if " " not in atom.text else f"not ({atom.text})"


def _listed(ranks: Ints) -> str:
    """Name ranks, runs of three or more as ``4..9``; long lists are cut."""
    breaks = np.flatnonzero(np.diff(ranks) != 1) + 1
    words: list[str] = []
    for run in np.split(ranks, breaks):
        if len(run) > 2:
            words.append(f"{run[0]}..{run[-1]}")
        else:
            words += [str(rank) for rank in run.tolist()]
    if len(words) > LISTED:
        return f"rank in {', '.join(words[:LISTED])}, ... ({len(ranks)} ranks)"
    if len(words) == 1 and len(ranks) == 1:
        return f"rank {words[0]}"
    return f"rank in {', '.join(words)}"
