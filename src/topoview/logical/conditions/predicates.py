"""Simple conditions on a rank's place: the predicates that guards are made of.

A predicate looks at one value of a rank: a coordinate, the sum or the difference of
two, its rest, or whether the rank has a partner in a direction.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations

import numpy as np

from topoview.model import AXES, GLOBES, Bools, Ints, Match, Topology

EDGE_NAMES = (("west", "east"), ("north", "south"), ("bottom", "top"))
"""Edges of the axes x, y and z, the one at coordinate 0 first."""

MAX_AXES_NAMED = 8
"""Axes of a lattice that conditions may be told by."""

COORDINATE_NAMES: dict[str, tuple[str, ...]] = {
    "lattice": tuple(AXES[:MAX_AXES_NAMED]),
    "part": tuple(AXES[:MAX_AXES_NAMED]),
    "folded": ("x", "y"),
    "twisted": tuple(AXES[:3]),
    **GLOBES,
    "groups": ("member", "group"),
    "between groups": ("member", "group"),
    "cg": ("column", "row"),
    "rook": ("column", "row"),
    "transpose": ("x", "y"),
    "tree": ("level",),
}
"""What the coordinates of each kind of topology are called; of others nothing."""

MODULI = (2, 3, 4, 8, 16, 32, 64)
"""Moduli of conditions like ``x % 4 = 1``."""


SUM_MODULI = (2, 3)
"""Moduli of conditions on a sum, like ``(x + y) odd``: the colours of a board."""

MAX_VALUES_LISTED = 4
"""Values of a coordinate that a condition may list."""

MAX_VALUES_KEPT = 256
"""Values so few that what holds for some of them is found once."""


@dataclass(frozen=True, slots=True, eq=False)
class Predicate:
    """A simple condition."""

    text: str
    of: Ints
    """integers, shape (ranks,): the value of each rank that it looks at, from 0."""
    allowed: Bools
    """bool, shape (values,): for which it holds."""
    cost: float
    """How much worse it reads than others; 1 is the best."""
    order: tuple[int, str]
    """Place in a sentence."""
    negation: str = ""
    """`text` and `negation`: in words; the negation's are empty if it has none of its
    own."""

    @property
    def holds(self) -> Bools:
        """Where it holds: bool, shape (ranks,)."""
        return self.allowed[self.of]


Said = tuple[str, Bools, float, str]
"""Of a predicate its words, for which values it holds, cost, and negation."""


@dataclass(frozen=True, slots=True, eq=False)
class RankValue:
    """A value of every rank that conditions look at."""

    of: Ints
    """integers, shape (ranks,): index of each into `values`."""
    values: Ints
    """int64, shape (values,): ascending, without gaps."""
    order: tuple[int, str]
    """Place of its conditions in a sentence."""
    said: Callable[[Ints, Ints], Iterator[Said]]
    """What is true of some of all values, ascending."""
    _held: dict[bytes, Bools | None] = field(default_factory=dict, init=False)

    @staticmethod
    def at(
        column: Ints,
        order: tuple[int, str],
        said: Callable[[Ints, Ints], Iterator[Said]],
    ) -> "RankValue":
        """Look at the values of a column, int64, shape (ranks,)."""
        least, most = int(column.min(initial=0)), int(column.max(initial=0))
        of = (column - least).astype(np.min_scalar_type(most - least))
        return RankValue(of, np.arange(least, most + 1), order, said)

    def predicates(self, ranks: Ints) -> list[Predicate]:
        """Write the conditions that hold for some ranks, at least one."""
        return [
            Predicate(text, self.of, allowed, cost, self.order, negation)
            for text, allowed, cost, negation in self.said(
                self.values, self.values[self._present(ranks)]
            )
        ]

    def held(self, ranks: Ints) -> Bools | None:
        """Find for which values all conditions hold that do for some ranks.

        Returns
        -------
        bool, shape (values,), or None
            None if no condition holds for the ranks.
        """
        present = self._present(ranks)
        key = present.tobytes()
        if key not in self._held:
            said = self.said(self.values, self.values[present])
            own = [allowed for _, allowed, _, _ in said]
            held = np.logical_and.reduce(own) if own else None
            if len(self.values) > MAX_VALUES_KEPT:
                return held
            self._held[key] = held
        return self._held[key]

    def _present(self, ranks: Ints) -> Bools:
        present = np.zeros(len(self.values), bool)
        present[self.of[ranks]] = True
        return present


@dataclass(frozen=True, slots=True, eq=False)
class RankPlaces:
    """Where the ranks are."""

    ranks: int
    """Number of ranks."""
    names: tuple[str, ...]
    columns: tuple[Ints, ...]
    """`names` and `columns`: names of the coordinates and their values, int64, shape
    (ranks,)."""
    values: tuple[RankValue, ...]
    """What conditions look at."""
    has: tuple[tuple[str, Bools], ...] = ()
    """Names of directions, and whether each rank has a partner there."""

    def cuts(self) -> Iterator[Bools]:
        """Yield simple parts of the whole: single places, halves, relations."""
        extents = [int(column.max(initial=0)) + 1 for column in self.columns]
        for column, extent in zip(self.columns, extents, strict=True):
            if extent <= 64:
                for value in range(extent):
                    yield column == value
                    yield column < value
                    yield column > value
            yield column % 2 == 0
            yield column % 2 == 1
        for (a, n), (b, m) in combinations(zip(self.columns, extents, strict=True), 2):
            if n == m:
                yield a == b
                yield a < b
                yield a > b
        for _, holds in self.has:
            yield holds
            yield ~holds


def _coordinate_names(match: Match) -> tuple[tuple[str, ...], Topology | None]:
    """Names of a match's coordinates, and the lattice that the first of them are of."""
    topology = match.topology
    if topology.kind == "copies" and topology.factors[0].is_on_lattice:
        lattice = topology.factors[0]
        return (*COORDINATE_NAMES["lattice"][: len(lattice.dims)], "copy"), lattice
    if topology.kind == "plan":
        return tuple(axis.name for axis in topology.factors), None
    names = COORDINATE_NAMES.get(topology.kind, ())
    return names, topology if topology.is_on_lattice else None


def places_of(
    match: Match | None, ranks: int, has: tuple[tuple[str, Bools], ...] = ()
) -> RankPlaces:
    """Find the places of a match's ranks; ranks' numbers where it has no places."""
    names: tuple[str, ...] = ()
    lattice: Topology | None = None
    if match is not None and bool(np.all(match.vertex >= 0)):
        names, lattice = _coordinate_names(match)
        if match.topology.kind == "star":
            has = (("", match.vertex == 0), *has)
    number = np.arange(ranks, dtype=np.int64)
    if match is None or not names:
        names, columns = ("rank",), (number,)
    else:
        table = match.coordinates.astype(np.int64)
        columns = tuple(table.T[: len(names)])
        names = names[: len(columns)]
    bounded = [] if lattice is None else [not wraps for wraps in lattice.periodic]
    edges = [
        own if bounds else None
        for own, bounds in zip(EDGE_NAMES, bounded, strict=False)
    ] + [None] * len(names)
    values = tuple(_values(names, columns, edges, has))
    if ranks == 2 and not any(name == "" for name, _ in has):
        values = (RankValue.at(number, (0, "rank"), partial(_one_rank, 1.0)),)
    return RankPlaces(ranks, names, columns, values, has)


def _values(
    names: tuple[str, ...],
    columns: tuple[Ints, ...],
    edges: list[tuple[str, str] | None],
    has: tuple[tuple[str, Bools], ...],
) -> Iterator[RankValue]:
    """Yield what conditions look at: coordinates, sums, differences, partners."""
    for axis, (name, column) in enumerate(zip(names, columns, strict=True)):
        said = partial(_on_axis, name, edges[axis])
        yield RankValue.at(column, (axis, name), said)
    for many in sorted({2, len(names)} - {1}):
        for axes in combinations(range(len(names)), many):
            name = " + ".join(names[axis] for axis in axes)
            own = [columns[axis] for axis in axes]
            said = partial(_on_sum, name, _is_strip(own))
            yield RankValue.at(np.sum(own, axis=0), (7, name), said)
    for (x, a), (y, b) in combinations(zip(names, columns, strict=True), 2):
        if not _is_strip((a, b)):
            yield RankValue.at(a - b, (7, x + y), partial(_on_difference, x, y))
    # edges tell the same of all directions
    cost = 9.0 if any(own for own in edges[: len(names)]) else 3.0
    for name, holds in has:
        said = partial(_by_partner, name, cost)
        yield RankValue.at(holds.astype(np.int64), (8 if name else 0, name), said)
    if names != ("rank",):
        number = np.arange(len(columns[0]))
        yield RankValue.at(number, (9, "rank"), partial(_one_rank, 8.0))


def _is_strip(columns: Sequence[Ints]) -> bool:
    """Whether diagonals have two places: any two lie on one, so it tells nothing."""
    *_, width, length = sorted(int(column.max(initial=0)) for column in columns)
    return width < 2 <= length


def predicates_of(chosen: Bools, places: RankPlaces) -> Iterator[Predicate]:
    """Yield the simple conditions that hold for all of a set of ranks.

    Parameters
    ----------
    chosen : bool, shape (ranks,)
        Not empty.
    """
    ranks = np.flatnonzero(chosen)
    for value in places.values:
        yield from value.predicates(ranks)


def _one_rank(cost: float, values: Ints, own: Ints) -> Iterator[Said]:
    """Name one rank. Of two, no words on its place are plainer."""
    if len(own) == 1:
        yield f"rank {own[0]}", values == own[0], cost, ""


def _by_partner(name: str, cost: float, values: Ints, own: Ints) -> Iterator[Said]:
    if len(own) == 1:
        words = [f"has no {name}", f"has {name}"] if name else ["worker", "master"]
        value = int(own[0])
        yield words[value], values == value, cost if name else 0.9, words[1 - value]


def _on_axis(
    name: str, edges: tuple[str, str] | None, values: Ints, own: Ints
) -> Iterator[Said]:
    low, high, last = int(own[0]), int(own[-1]), int(values[-1])
    if edges is not None and last:
        yield from _at_edges(edges, values, own)
    if low == high:
        row = "rank " if name == "rank" else f"{name} = "
        yield f"{row}{low}", values == low, 1.2, f"{name} != {low}"
    inner = edges is not None and low == 1 and high == last - 1
    if 0 < low < high < last and not inner:
        within = (values >= low) & (values <= high)
        yield f"{name} in {low}..{high}", within, 1.6, ""
    elif 0 < low < high and not inner:
        yield f"{name} >= {low}", values >= low, 1.4, f"{name} < {low}"
    elif low < high < last and not inner:
        yield f"{name} <= {high}", values <= high, 1.4, f"{name} > {high}"
    yield from _periodic(name, values, own)
    if len(own) == high - low and high > low:
        (value,) = np.setdiff1d(np.arange(low, high + 1), own).tolist()
        yield f"{name} != {value}", values != value, 1.5, f"{name} = {value}"
    if name != "rank" and 2 <= len(own) <= MAX_VALUES_LISTED and len(own) <= high - low:
        listed = ", ".join(map(str, own.tolist()))
        yield f"{name} in {listed}", np.isin(values, own), 2.5, ""


def _at_edges(edges: tuple[str, str], values: Ints, own: Ints) -> Iterator[Said]:
    """Conditions on an axis' edges; of an axis of two places only what is not there.

    Ranks that are not at an edge have a neighbour there: of two places, each is told
    as the one that has it, as on longer axes.
    """
    low, high, last = int(own[0]), int(own[-1]), int(values[-1])
    if low == high and last == 1:
        said, opposite = (f"not at {edge} edge" for edge in edges[:: 2 * low - 1])
        yield said, values == low, 1.0, opposite
        return
    for edge, value in zip(edges, (0, last), strict=True):
        said, opposite = f"at {edge} edge", f"not at {edge} edge"
        if low == high == value:
            yield said, values == value, 1.0, opposite
        elif value not in (low, high):
            yield opposite, values != value, 1.0, said
    if len(own) == 2 and last > 1 and (low, high) == (0, last):
        said = f"at {edges[0]} or {edges[1]} edge"
        yield said, (values == 0) | (values == last), 1.05, f"not {said}"


def _periodic(name: str, values: Ints, own: Ints) -> Iterator[Said]:
    last = int(values[-1])
    for step in MODULI:
        rest = int(own[0] % step)
        if step > last or (own % step != rest).any():
            continue
        holds = values % step == rest
        if step == 2:
            words = (f"{name} even", f"{name} odd")
            yield words[rest], holds, 1.1, words[1 - rest]
        elif rest == 0:
            yield f"{name} a multiple of {step}", holds, 1.3, ""
        else:
            yield f"{name} % {step} = {rest}", holds, 1.4, ""
    for bit in range(1, last.bit_length()):
        holds = values >> bit & 1
        words = (f"not {name} & {1 << bit}", f"{name} & {1 << bit}")
        has = own >> bit & 1
        if (has == has[0]).all():
            yield words[has[0]], holds == has[0], 1.8, words[1 - has[0]]


def _on_sum(name: str, is_strip: bool, values: Ints, own: Ints) -> Iterator[Said]:
    for step in SUM_MODULI:
        if 2 * step - 1 > values[-1]:  # not each rest comes again
            continue
        rests = np.unique(own % step).tolist()
        if step == 2 and len(rests) == 1:
            words = (f"({name}) even", f"({name}) odd")
            rest = rests[0]
            yield words[rest], values % 2 == rest, 1.6, words[1 - rest]
        elif len(rests) == 1:
            (rest,) = rests
            said, opposite = (
                f"({name}) % {step} {sign} {rest}" for sign in ("=", "!=")
            )
            yield said, values % step == rest, 1.8, opposite
        elif len(rests) == step - 1:
            (rest,) = set(range(step)) - set(rests)
            said, opposite = (
                f"({name}) % {step} {sign} {rest}" for sign in ("!=", "=")
            )
            yield said, values % step != rest, 1.9, opposite
    if len(own) == 1 and not is_strip:
        yield f"{name} = {own[0]}", values == own[0], 1.9, ""


def _on_difference(x: str, y: str, values: Ints, own: Ints) -> Iterator[Said]:
    candidates: list[Said] = [
        (f"{x} = {y}", values == 0, 1.5, f"{x} != {y}"),
        (f"{x} != {y}", values != 0, 1.6, f"{x} = {y}"),
        (f"{x} < {y}", values < 0, 1.6, f"{x} >= {y}"),
        (f"{x} > {y}", values > 0, 1.6, f"{x} <= {y}"),
        (f"{x} <= {y}", values <= 0, 1.7, f"{x} > {y}"),
        (f"{x} >= {y}", values >= 0, 1.7, f"{x} < {y}"),
    ]
    apart = int(own[0])
    if apart:
        said = f"{x} = {y} {'+' if apart > 0 else '-'} {abs(apart)}"
        candidates.append((said, values == apart, 2.0, ""))
    for one in candidates:
        if one[1][own - values[0]].all():
            yield one
