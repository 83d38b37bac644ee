"""Values and conditions that differ by rank, in the shortest form that is exact.

A value is a constant, a cycle over turns, a step on the lattice, or at worst a table
by rank; a condition is an expression of the rank's place, or a list of ranks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from topoview.logical.loops.repetition_kernels import cycle_length
from topoview.model import AXES, Bools, Ints, Match

ABSENT = -1
"""No partner, no size."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """One value for all ranks and turns."""

    value: int


@dataclass(frozen=True, slots=True)
class ByTurn:
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


@dataclass(frozen=True, slots=True)
class OfRanks:
    """A number that follows from the number of ranks."""

    text: str
    """Expression of ``ranks`` and ``levels``, the bits that number them."""


@dataclass(frozen=True, slots=True)
class Series:
    """Values taken in turn, of which the number of ranks says which they are."""

    text: str
    """Expression of ``ranks``, ``levels`` and ``{k}``, the turn."""
    length: OfRanks
    """How many there are."""
    count: int
    """How many there are for the ranks of the trace."""


Value = Fixed | ByTurn | ByRank | ByRankTurns | Place | OfRanks | Series


@dataclass(frozen=True, slots=True)
class Partner:
    """A partner's world rank."""

    form: str
    """``rank`` (the value itself), ``xor`` (own rank with these bits turned), ``shift``
    (so many ranks on, round), ``step`` (offset on the lattice, the `steps`),
    ``transpose`` (first two coordinates exchanged), ``parent`` and ``child`` (of a
    binary tree in the order of its levels; the value tells which child)."""
    value: Value = Fixed(0)
    """What the form needs."""
    steps: tuple[int, ...] = ()
    """Offset, x first."""

    @property
    def closed(self) -> bool:
        """Whether it means something for other numbers of ranks.

        Bits and steps from rank to rank are seen at one number of ranks only: there
        seven ranks on may be one back.
        """
        is_constant = self.form == "rank" and self.value in (Fixed(0), Fixed(ABSENT))
        follows = isinstance(self.value, Series)
        return is_constant or follows or self.form in CLOSED_FORMS


CLOSED_FORMS = frozenset({"step", "transpose", "parent", "child"})
"""Forms of partners that mean the same for any number of ranks."""

TWO_PLACES = 2
"""Extent of an axis on which each place is at an edge."""

MIN_RANKS_OF_SERIES = 5
"""Fewest ranks of which a series is told from others."""


def in_series(value: Value, ranks: int) -> Value:
    """Write values in turn as what follows from the number of ranks, if they do.

    That are all ranks, all but the first, or powers of two, up or down.
    """
    if not isinstance(value, ByTurn) or ranks < MIN_RANKS_OF_SERIES:
        return value
    everyone, bits = np.arange(ranks), 1 << np.arange((ranks - 1).bit_length())
    forms = {
        "{k} % ranks": everyone,
        "ranks - 1 - {k} % ranks": everyone[::-1],
        "1 + {k} % (ranks - 1)": everyone[1:],
        "ranks - 1 - {k} % (ranks - 1)": everyone[:0:-1],
        "1 << {k} % levels": bits,
        "1 << (levels - 1 - {k} % levels)": bits[::-1],
        "ranks - (1 << {k} % levels)": ranks - bits,
        "ranks - (1 << (levels - 1 - {k} % levels))": ranks - bits[::-1],
    }
    lengths = {ranks: "ranks", ranks - 1: "ranks - 1", len(bits): "levels"}
    for text, values in forms.items():
        if np.array_equal(values, value.values):
            return Series(text, OfRanks(lengths[len(values)]), len(values))
    return value


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
        return Fixed(ABSENT)
    if (values == values[0]).all():
        return Fixed(int(values[0]))
    starts = np.flatnonzero(np.append(True, rank[1:] != rank[:-1]))
    low, high = (f.reduceat(values, starts) for f in (np.minimum, np.maximum))
    if (low == high).all():
        table = np.full(ranks, ABSENT, np.int64)
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
        return ByTurn(taken.pop())
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
    stepped = _step_between(match, here, there)
    if stepped is not None:
        return stepped
    if ranks >= MIN_RANKS_OF_SERIES and match.topology.kind == "tree":
        if (there == (here - 1) // 2).all():
            return Partner("parent")
        which = there - 2 * here
        if (which == which[0]).all() and which[0] in (1, 2):
            return Partner("child", Fixed(int(which[0])))
    forms = (("xor", here ^ there), ("shift", (there - here) % ranks))
    for form, values in forms:
        value = value_of(ranks, here, values)
        if isinstance(value, Fixed | ByTurn):
            return Partner(form, in_series(value, ranks))
    if _transposed(match, here, there):
        return Partner("transpose")
    return Partner("rank", in_series(plain, ranks))


def lattice_places(match: Match) -> Ints | None:
    """Coordinates of each rank if the topology is a lattice or plan of all ranks.

    Returns
    -------
    int64, shape (ranks, d), or None
    """
    topology = match.topology
    if topology.kind not in ("lattice", "plan") or (match.vertex < 0).any():
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


def _step_between(match: Match, here: Ints, there: Ints) -> Partner | None:
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


def flat_table(values: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Offsets, and values one after the other."""
    offsets = [0]
    for own in values:
        offsets.append(offsets[-1] + len(own))
    return offsets, [value for own in values for value in own]


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on the rank."""

    text: str
    """C expression of ``x``, ``nx``, ``rank``, ``ranks``; empty if it has none."""
    ranks: tuple[int, ...] = ()
    """The ranks that it holds for, where it has no expression."""
    closed: bool = True
    """Whether it means something for other numbers of ranks."""


def condition_of(match: Match, ranks: Ints) -> Condition:
    """Find the shortest expression that holds for just these ranks.

    Tried are places on the lattice (edges, single rows, parities, x = y), then
    the number of the rank, then the opposite of each, then two of them joined;
    what is found has been compared with the ranks one by one.
    """
    count = len(match.vertex)
    wanted = np.zeros(count, bool)
    wanted[ranks] = True
    if wanted.all():
        return Condition("1")
    if not wanted.any():
        return Condition("0")
    terms = list(_terms(match, count))
    closed = [term for term in terms if term[2]]
    for some in (closed, terms):  # those that hold by chance of the extents last
        result = _single_term(some, wanted) or _box_term(match, wanted)
        result = (
            result or _single_term(some, ~wanted, "!") or _joined_terms(some, wanted)
        )
        if result is not None:
            return result
    return Condition("", tuple(np.flatnonzero(wanted).tolist()), closed=False)


Term = tuple[str, Bools, bool]


def _terms(match: Match, count: int) -> Iterator[Term]:
    """Yield single conditions: their text, where they hold, whether closed."""
    places = lattice_places(match)
    if places is not None:
        dims = match.topology.dims
        for d, extent in enumerate(dims):
            yield from _axis(AXES[d], places[:, d], extent)
        for a, b in combinations(range(len(dims)), 2):
            yield (
                f"{AXES[a]} == {AXES[b]}",
                places[:, a] == places[:, b],
                True,
            )
            both = f"{AXES[a]} + {AXES[b]}"
            yield from _parities(both, places[:, a] + places[:, b])
            yield (
                f"{AXES[a]} < {AXES[b]}",
                places[:, a] < places[:, b],
                True,
            )
            yield (
                f"{AXES[a]} > {AXES[b]}",
                places[:, a] > places[:, b],
                True,
            )
            yield (
                f"{both} == n{AXES[a]} - 1",
                places[:, a] + places[:, b] == dims[a] - 1,
                True,
            )
        if len(dims) > 2:
            yield from _parities(" + ".join(AXES[: len(dims)]), places.sum(axis=1))
    rank = np.arange(count)
    yield "rank == 0", rank == 0, True
    yield "rank == ranks - 1", rank == count - 1, True
    if match.topology.kind == "tree":
        for child in (1, 2):
            yield f"2 * rank + {child} < ranks", 2 * rank + child < count, True
    free = places is None  # on a lattice these hold by chance of its extents
    for bit in range(max(count - 1, 1).bit_length()):
        size = 1 << bit
        yield f"(rank >> {bit} & 1) == 0", (rank >> bit & 1) == 0, free
        yield f"(rank >> {bit} & 1) == 1", (rank >> bit & 1) == 1, free
        if bit > 1:
            yield f"rank % {size} == 0", rank % size == 0, free
            yield f"rank % {size} == {size // 2}", rank % size == size // 2, free
        yield f"rank < {size}", rank < size, False


def _parities(text: str, values: Ints) -> Iterator[Term]:
    for odd in range(2):
        yield f"({text}) % 2 == {odd}", values % 2 == odd, True


def _single_term(terms: list[Term], wanted: Bools, sign: str = "") -> Condition | None:
    for text, holds, closed in terms:
        if np.array_equal(holds, wanted):
            return Condition(f"{sign}({text})" if sign else text, closed=closed)
    return None


def _box_term(match: Match, wanted: Bools) -> Condition | None:
    bounds = _bounding_box(match, wanted)
    if bounds is not None:
        return Condition(" && ".join(bounds), closed=_at_edges(match, bounds))
    opposite = _bounding_box(match, ~wanted)
    if opposite is not None:
        text = f"!({' && '.join(opposite)})"
        return Condition(text, closed=_at_edges(match, opposite))
    return None


def _at_edges(match: Match, words: list[str]) -> bool:
    """Whether bounds name edges only: another place means nothing on other lattices.

    Nor does one of two places, where it is not known which of both edges is meant.
    """
    two = {
        a for a, n in zip(AXES, match.topology.dims, strict=False) if n == TWO_PLACES
    }
    return all(
        word.endswith((" == 0", " > 0", " - 1")) and word[0] not in two
        for word in words
    )


def by_neighbours(match: Match, counts: Ints) -> OfRanks | None:
    """Write counts by rank as so many for each neighbour: of a box, a grid, an axis.

    Parameters
    ----------
    counts : int64, shape (ranks,)
        0 for ranks that may have any.
    """
    places = lattice_places(match)
    if places is None or not counts.any():
        return None
    words, beside, topology = [], [], match.topology
    for name, place, extent, wraps in zip(
        AXES, places.T, topology.dims, topology.periodic, strict=False
    ):
        words.append("2" if wraps else f"({name} > 0) + ({name} < n{name} - 1)")
        ends = np.ones(len(place), np.int64) + wraps
        beside.append(ends if wraps else (place > 0) + (place < extent - 1) * ends)
    ways = dict(zip(words, beside, strict=True))
    ways[" + ".join(words)] = np.sum(beside, axis=0)
    box = " * ".join(f"(1 + {word})" for word in words)
    ways[f"{box} - 1"] = np.prod(np.add(beside, 1), axis=0) - 1
    some = counts > 0
    for text, neighbours in ways.items():
        times, rest = np.divmod(counts[some], np.maximum(neighbours[some], 1))
        if not rest.any() and (times == times[0]).all() and np.ptp(neighbours):
            return OfRanks(f"{times[0]} * ({text})" if times[0] > 1 else text)
    return None


def where_reached(match: Match, steps: tuple[int, ...]) -> tuple[Condition, Bools]:
    """Write where a step on the lattice leads to a rank: not across an open edge.

    Returns
    -------
    Condition
    bool, shape (ranks,)
        Whether it holds for each rank.
    """
    places = lattice_places(match)
    assert places is not None
    words, holds = [], np.ones(len(places), bool)
    topology = match.topology
    for axis, (step, extent) in enumerate(zip(steps, topology.dims, strict=True)):
        if step and not topology.periodic[axis]:
            name, place = AXES[axis], places[:, axis]
            low = f"{name} > {-step - 1}"
            words.append(low if step < 0 else f"{name} < n{name} - {step}")
            holds &= (place + step >= 0) & (place + step < extent)
    return Condition(" && ".join(words) or "1"), holds


def _axis(name: str, place: Ints, extent: int) -> Iterator[Term]:
    closed = extent != TWO_PLACES
    yield f"{name} == 0", place == 0, closed
    yield f"{name} == n{name} - 1", place == extent - 1, closed
    yield f"{name} > 0", place > 0, closed
    yield f"{name} < n{name} - 1", place < extent - 1, closed
    ends = (place == 0) | (place == extent - 1)
    yield f"({name} == 0 || {name} == n{name} - 1)", ends, True
    for k in (2, 3, 4, 8):
        for rest in range(k):
            if extent > k:
                twice = rest + k < extent  # one place alone is no pattern
                yield f"{name} % {k} == {rest}", place % k == rest, twice


def _bounding_box(match: Match, wanted: Bools) -> list[str] | None:
    """Bounds along each axis if just the ranks within are wanted."""
    places = lattice_places(match)
    if places is None or not wanted.any():
        return None
    inside = np.ones(len(wanted), bool)
    words = []
    for d, extent in enumerate(match.topology.dims):
        low, high = int(places[wanted, d].min()), int(places[wanted, d].max())
        inside &= (places[:, d] >= low) & (places[:, d] <= high)
        words += _bounds(AXES[d], low, high, extent)
    return words if np.array_equal(inside, wanted) else None


def _bounds(name: str, low: int, high: int, extent: int) -> list[str]:
    last = extent - 1
    if low == high and low in (0, last):
        return [f"{name} == {'0' if low == 0 else f'n{name} - 1'}"]
    if low == high and not 0 < low < last:
        return [f"{name} == {low}"]
    if low == high and extent > 3:
        return [f"{name} == {low}"]
    words = []
    if low == 1:
        words.append(f"{name} > 0")
    elif low > 1:
        words.append(f"{name} >= {low}")
    if high == last - 1:
        words.append(f"{name} < n{name} - 1")
    elif high < last:
        words.append(f"{name} <= {high}")
    return words


def _joined_terms(terms: list[Term], wanted: Bools) -> Condition | None:
    """Two conditions joined by and, or by or."""
    above = [term for term in terms if (term[1] | ~wanted).all()]
    below = [term for term in terms if (wanted | ~term[1]).all() and term[1].any()]
    for some, word, join in (
        (above, "&&", np.logical_and),
        (below, "||", np.logical_or),
    ):
        for one, other in combinations(some[:64], 2):
            if np.array_equal(join(one[1], other[1]), wanted):
                text = f"{one[0]} {word} {other[0]}"
                return Condition(text, closed=one[2] and other[2])
    return None
