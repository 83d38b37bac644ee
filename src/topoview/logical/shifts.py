"""Partners by their distance around all ranks, or by the bits in which they differ.

Algorithms that talk to many ranks in turn go round: in step k each rank sends k ranks
ahead and receives from k ranks behind it (pairwise exchange, dissemination; Thakur,
Rabenseifner and Gropp 2005, section 4), or it exchanges with the rank whose number
differs in the bits of k.
"""

from dataclasses import dataclass

import numpy as np

from topoview.model import Indices, Ints, distinct

AHEAD, BEHIND, OWN = "+", "-", "SELF"


@dataclass(frozen=True, slots=True, eq=False)
class Shifts:
    """Names that go round: ``+3`` for where to send, ``-3`` for where from.

    Attributes
    ----------
    place : int64, shape (ranks,)
        Place of each rank in the round.
    rank : int64, shape (ranks,)
        Rank at each place.
    words
        How names begin of partners ahead and behind.
    """

    place: Ints
    rank: Ints
    words: tuple[str, str] = (AHEAD, BEHIND)

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
        known = {name: at for at, name in enumerate(names)}
        place = np.array([known[name] for name in behind], np.int64)
        return to.astype(np.int64), place[source], names

    def _named(self, distance: Ints, word: str) -> tuple[Indices, list[str]]:
        distance %= len(self.place)
        known = distinct(distance)
        names = [_spelled(word, k) for k in known.tolist()]
        return np.searchsorted(known, distance).astype(np.int32), names

    def partner(self, rank: int, name: str) -> int | None:
        """World rank that a direction leads to."""
        for word, sign in zip(self.words, (1, -1), strict=True):
            if name.startswith(word):
                far = name.removeprefix(word).removeprefix(" x") or "1"
                return int(
                    self.rank[(self.place[rank] + sign * int(far)) % len(self.rank)]
                )
        return rank if name == OWN else None


def _spelled(word: str, distance: int) -> str:
    if not distance:
        return OWN
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
        known = distinct(bits)
        names = [f"EXCHANGE {k}" if k else OWN for k in known.tolist()]
        return np.searchsorted(known, bits).astype(np.int32), names

    def partner(self, rank: int, name: str) -> int | None:
        """World rank that a direction leads to."""
        return rank if name == OWN else rank ^ int(name.split()[-1])
