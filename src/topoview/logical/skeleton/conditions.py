"""Which ranks run a statement, as an expression of a skeleton program."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from topoview.logical.skeleton.values import lattice_places
from topoview.model import Bools, Ints, Match

AXES = "xyzwvutsrq"


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on the rank.

    Attributes
    ----------
    text
        C expression of ``x``, ``nx``, ``rank``, ``ranks``; empty if it has none.
    ranks
        The ranks that it holds for, where it has no expression.
    closed
        Whether it means something for other numbers of ranks.
    """

    text: str
    ranks: tuple[int, ...] = ()
    closed: bool = True


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
        found = _single(some, wanted) or _boxed(match, wanted)
        found = found or _single(some, ~wanted, "!") or _joined(some, wanted)
        if found is not None:
            return found
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
            yield f"{AXES[a]} == {AXES[b]}", places[:, a] == places[:, b], True
            both = f"{AXES[a]} + {AXES[b]}"
            odd = (places[:, a] + places[:, b]) % 2
            yield f"({both}) % 2 == 0", odd == 0, True
            yield f"({both}) % 2 == 1", odd == 1, True
            yield f"{AXES[a]} < {AXES[b]}", places[:, a] < places[:, b], True
            yield f"{AXES[a]} > {AXES[b]}", places[:, a] > places[:, b], True
            yield (
                f"{both} == n{AXES[a]} - 1",
                places[:, a] + places[:, b] == dims[a] - 1,
                True,
            )
    rank = np.arange(count)
    yield "rank == 0", rank == 0, True
    yield "rank == ranks - 1", rank == count - 1, True
    free = places is None  # on a lattice these hold by chance of its extents
    for bit in range(max(count - 1, 1).bit_length()):
        size = 1 << bit
        yield f"(rank >> {bit} & 1) == 0", (rank >> bit & 1) == 0, free
        yield f"(rank >> {bit} & 1) == 1", (rank >> bit & 1) == 1, free
        if bit > 1:
            yield f"rank % {size} == 0", rank % size == 0, free
            yield f"rank % {size} == {size // 2}", rank % size == size // 2, free
        yield f"rank < {size}", rank < size, free


def _single(terms: list[Term], wanted: Bools, sign: str = "") -> Condition | None:
    for text, holds, closed in terms:
        if np.array_equal(holds, wanted):
            return Condition(f"{sign}({text})" if sign else text, closed=closed)
    return None


def _boxed(match: Match, wanted: Bools) -> Condition | None:
    found = _box(match, wanted)
    if found is not None:
        return Condition(" && ".join(found), closed=_at_edges(found))
    opposite = _box(match, ~wanted)
    if opposite is not None:
        text = f"!({' && '.join(opposite)})"
        return Condition(text, closed=_at_edges(opposite))
    return None


def _at_edges(words: list[str]) -> bool:
    """Whether bounds name edges only: another place means nothing on other lattices."""
    return all(word.endswith((" == 0", " > 0", " - 1")) for word in words)


def _axis(name: str, place: Ints, extent: int) -> Iterator[Term]:
    yield f"{name} == 0", place == 0, True
    yield f"{name} == n{name} - 1", place == extent - 1, True
    yield f"{name} > 0", place > 0, True
    yield f"{name} < n{name} - 1", place < extent - 1, True
    ends = (place == 0) | (place == extent - 1)
    yield f"({name} == 0 || {name} == n{name} - 1)", ends, True
    for k in (2, 3, 4, 8):
        for rest in range(k):
            if extent > k:
                twice = rest + k < extent  # one place alone is no pattern
                yield f"{name} % {k} == {rest}", place % k == rest, twice


def _box(match: Match, wanted: Bools) -> list[str] | None:
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


def _joined(terms: list[Term], wanted: Bools) -> Condition | None:
    """Two conditions joined by and, or by or."""
    above = [term for term in terms if (term[1] | ~wanted).all()]
    below = [term for term in terms if (wanted | ~term[1]).all() and term[1].any()]
    for some, word, join in (
        (above, "&&", np.logical_and),
        (below, "||", np.logical_or),
    ):
        for one, other in combinations(some[:64], 2):
            if np.array_equal(join(one[1], other[1]), wanted):
                return Condition(f"{one[0]} {word} {other[0]}")
    return None
