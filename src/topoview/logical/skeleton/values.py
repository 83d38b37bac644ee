"""Values that a skeleton program needs, in the shortest form that is exact."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topoview.logical.repetition import cycle_length
from topoview.model import Ints, Match

NONE = -1
"""No partner, no size."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """One value for all ranks and turns."""

    value: int


@dataclass(frozen=True, slots=True)
class Turns:
    """One value a turn, the same for all ranks; from the first again."""

    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ByRank:
    """One value a rank; -1 where a rank takes no part."""

    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ByRankTurns:
    """Each rank has values that it takes in turn, from the first again."""

    values: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Place of the rank along some axes of the lattice, as one number."""

    axes: tuple[int, ...]


Value = Fixed | Turns | ByRank | ByRankTurns | Place


@dataclass(frozen=True, slots=True)
class Partner:
    """A partner's world rank.

    Attributes
    ----------
    form
        ``rank`` (the value itself), ``xor`` (own rank with these bits turned),
        ``shift`` (so many ranks on, round), ``step`` (offset on the lattice, the
        `steps`), ``transpose`` (first two coordinates exchanged).
    value
        What the form needs.
    steps
        Offset, x first.
    """

    form: str
    value: Value = Fixed(0)
    steps: tuple[int, ...] = ()

    @property
    def closed(self) -> bool:
        """Whether it means something for other numbers of ranks.

        Bits and steps from rank to rank are seen at one number of ranks only: there
        seven ranks on may be one back.
        """
        known = self.form == "rank" and self.value in (Fixed(0), Fixed(NONE))
        return known or self.form in ("step", "transpose")


def value_of(ranks: int, rank: Ints, values: Ints) -> Value:
    """Find the shortest form of values.

    Parameters
    ----------
    ranks
        Number of ranks.
    rank, values : int64, shape (calls,)
        Rank and value of each call; a rank's calls in program order, ranks
        ascending.
    """
    if not len(values):
        return Fixed(NONE)
    if (values == values[0]).all():
        return Fixed(int(values[0]))
    starts = np.flatnonzero(np.append(True, rank[1:] != rank[:-1]))
    low, high = (f.reduceat(values, starts) for f in (np.minimum, np.maximum))
    if (low == high).all():
        table = np.full(ranks, NONE, np.int64)
        table[rank[starts]] = low
        return ByRank(tuple(table.tolist()))
    turns: list[tuple[int, ...]] = [()] * ranks
    for begin, end in zip(
        starts.tolist(), [*starts[1:].tolist(), len(rank)], strict=True
    ):
        own = values[begin:end]
        turns[int(rank[begin])] = tuple(own[: cycle_length(own)].tolist())
    taken = {own for own in turns if own}
    if len(taken) == 1:
        return Turns(taken.pop())
    return ByRankTurns(tuple(turns))


def partner_of(match: Match, rank: Ints, partner: Ints) -> Partner:
    """Find the shortest form of partners.

    Parameters
    ----------
    match
        The topology.
    rank, partner : int64, shape (calls,)
        As in `value_of`; partners are world ranks.
    """
    ranks = len(match.vertex)
    here, there = rank[partner >= 0], partner[partner >= 0]
    plain = value_of(ranks, here, there)
    if isinstance(plain, Fixed):
        return Partner("rank", plain)
    stepped = _step(match, here, there)
    if stepped is not None:
        return stepped
    forms = (("xor", here ^ there), ("shift", (there - here) % ranks))
    for form, values in forms:
        value = value_of(ranks, here, values)
        if isinstance(value, Fixed | Turns):
            return Partner(form, value)
    if _transposed(match, here, there):
        return Partner("transpose")
    return Partner("rank", plain)


def lattice_places(match: Match) -> Ints | None:
    """Coordinates of each rank if the topology is a lattice of all ranks.

    Returns
    -------
    int64, shape (ranks, d), or None
    """
    topology = match.topology
    if topology.kind != "lattice" or (match.vertex < 0).any():
        return None
    return topology.coordinates[match.vertex].astype(np.int64)


def steps_between(match: Match, here: Ints, there: Ints) -> Ints | None:
    """Find the steps on the lattice between ranks, the shorter way round.

    Returns
    -------
    int64, shape (pairs, d), or None
        None if the topology is no lattice, or if there are no pairs.
    """
    places = lattice_places(match)
    if places is None or not len(here):
        return None
    steps = places[there] - places[here]
    extent = np.array(match.topology.dims, np.int64)
    wraps = np.array(match.topology.periodic, bool)
    low = (extent - 1) // 2
    return np.where(wraps, (steps + low) % extent - low, steps)


def _step(match: Match, here: Ints, there: Ints) -> Partner | None:
    steps = steps_between(match, here, there)
    if steps is None or (steps != steps[0]).any():
        return None
    return Partner("step", steps=tuple(steps[0].tolist()))


def _transposed(match: Match, here: Ints, there: Ints) -> bool:
    places = lattice_places(match)
    if places is None or places.shape[1] != 2 or len(set(match.topology.dims)) != 1:
        return False
    return bool((places[here] == places[there][:, ::-1]).all())


def is_natural(match: Match) -> bool:
    """Whether ranks lie on the lattice in row-major order, x fastest."""
    return bool((match.vertex == np.arange(len(match.vertex))).all())


def cells(values: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Offsets, and values one after the other."""
    offsets = [0]
    for own in values:
        offsets.append(offsets[-1] + len(own))
    return offsets, [value for own in values for value in own]
