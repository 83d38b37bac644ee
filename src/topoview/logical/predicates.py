"""Simple conditions on a rank's place: the predicates that guards are made of.

A predicate looks at one value of a rank: a coordinate, the sum or the difference of
two, its rest, or whether the rank has a partner in a direction.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from topoview.model import AXES, GLOBES, Bools, Ints, Match, Topology, distinct

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


def sum_moduli(most: int) -> list[int]:
    """Return the moduli of which each rest comes again in sums of up to so much."""
    return [step for step in SUM_MODULI if 2 * step - 1 <= most]


@dataclass(frozen=True, slots=True, eq=False)
class Predicate:
    """A simple condition."""

    text: str
    holds: Bools
    """bool, shape (ranks,): where it holds."""
    cost: float
    """How much worse it reads than others; 1 is the best."""
    order: tuple[int, str]
    """Place in a sentence."""
    negation: str = ""
    """`text` and `negation`: in words; the negation's are empty if it has none of its
    own."""


@dataclass(frozen=True, slots=True, eq=False)
class RankPlaces:
    """Where the ranks are."""

    ranks: int
    """Number of ranks."""
    names: tuple[str, ...]
    columns: tuple[Ints, ...]
    """`names` and `columns`: names of the coordinates and their values, int64, shape
    (ranks,)."""
    extents: tuple[int, ...]
    """Number of places along each coordinate."""
    edges: tuple[tuple[str, str] | None, ...]
    """Names of the two edges of each coordinate, None where it has none."""
    has: tuple[tuple[str, Bools], ...] = ()
    """Names of directions, and whether each rank has a partner there."""

    def sums(self) -> Iterator[tuple[str, Ints]]:
        """Yield the sums of two coordinates, and of all."""
        for many in sorted({2, len(self.names)} - {1}):
            for axes in combinations(range(len(self.names)), many):
                column = np.sum([self.columns[axis] for axis in axes], axis=0)
                yield " + ".join(self.names[axis] for axis in axes), column

    def cuts(self) -> Iterator[Bools]:
        """Yield simple parts of the whole: single places, halves, relations."""
        for column, extent in zip(self.columns, self.extents, strict=True):
            if extent <= 64:
                for value in range(extent):
                    yield column == value
                    yield column < value
                    yield column > value
            yield column % 2 == 0
            yield column % 2 == 1
        for (a, n), (b, m) in combinations(
            zip(self.columns, self.extents, strict=True), 2
        ):
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
            master = match.vertex == 0
            has = (("", master), *has)
    if match is None or not names:
        column = np.arange(ranks, dtype=np.int64)
        return RankPlaces(
            ranks=ranks,
            names=("rank",),
            columns=(column,),
            extents=(ranks,),
            edges=(None,),
            has=has,
        )
    table = match.coordinates.astype(np.int64)
    count = min(table.shape[1], len(names))
    bounded = [] if lattice is None else [not wraps for wraps in lattice.periodic]
    edges = tuple(
        EDGE_NAMES[i] if i < min(len(EDGE_NAMES), len(bounded)) and bounded[i] else None
        for i in range(count)
    )
    return RankPlaces(
        ranks=ranks,
        names=names[:count],
        columns=tuple(table[:, i] for i in range(count)),
        extents=tuple(int(table[:, i].max(initial=0)) + 1 for i in range(count)),
        edges=edges,
        has=has,
    )


def predicates_of(chosen: Bools, places: RankPlaces) -> Iterator[Predicate]:
    """Yield the simple conditions that hold for all of a set of ranks.

    Parameters
    ----------
    chosen : bool, shape (ranks,)
        Not empty.
    """
    if places.ranks == 2 and not any(name == "" for name, _ in places.has):
        yield from _one_of_two(chosen)
        return
    for axis in range(len(places.names)):
        yield from _on_axis(chosen, places, axis)
    for name, column in places.sums():
        yield from _on_sum(name, column, column[chosen])
    for one, two in combinations(range(len(places.names)), 2):
        yield from _on_two_axes(chosen, places, one, two)
    yield from _by_partner(chosen, places)
    if len(places.names) > 1 or places.names[0] != "rank":
        column = np.arange(places.ranks)
        own = column[chosen]
        if len(own) == 1:
            yield Predicate(f"rank {own[0]}", column == own[0], 8.0, (9, "rank"))


def _one_of_two(chosen: Bools) -> Iterator[Predicate]:
    """Of two ranks, name the one: no words on its place are plainer."""
    if not chosen.all():
        rank = int(np.argmax(chosen))
        yield Predicate(f"rank {rank}", chosen.copy(), 1.0, (0, "rank"))


def _by_partner(chosen: Bools, places: RankPlaces) -> Iterator[Predicate]:
    cost = 9.0 if any(places.edges) else 3.0  # edges tell the same of all directions
    for name, holds in places.has:
        if not name:  # a star
            if not bool(np.any(holds[chosen])):
                yield Predicate("worker", ~holds, 0.9, (0, name), "master")
            elif bool(np.all(holds[chosen])):
                yield Predicate("master", holds, 0.9, (0, name), "worker")
        elif bool(np.all(holds[chosen])):
            yield Predicate(f"has {name}", holds, cost, (8, name), f"has no {name}")
        elif not bool(np.any(holds[chosen])):
            yield Predicate(f"has no {name}", ~holds, cost, (8, name), f"has {name}")


def _on_axis(chosen: Bools, places: RankPlaces, axis: int) -> Iterator[Predicate]:
    name, column = places.names[axis], places.columns[axis]
    extent, edges = places.extents[axis], places.edges[axis]
    own = column[chosen]
    low, high = int(own.min()), int(own.max())
    order = (axis, name)
    if edges is not None and extent > 1:
        yield from _at_edges(name, column, own, extent, edges)
    if low == high:
        row = "rank " if name == "rank" else f"{name} = "
        yield Predicate(f"{row}{low}", column == low, 1.2, order, f"{name} != {low}")
    inner = edges is not None and low == 1 and high == extent - 2
    if 0 < low < high < extent - 1 and not inner:
        within = (column >= low) & (column <= high)
        yield Predicate(f"{name} in {low}..{high}", within, 1.6, order)
    elif low < high and low > 0 and not inner:
        yield Predicate(
            f"{name} >= {low}", column >= low, 1.4, order, f"{name} < {low}"
        )
    elif low < high < extent - 1 and not inner:
        yield Predicate(
            f"{name} <= {high}", column <= high, 1.4, order, f"{name} > {high}"
        )
    yield from _periodic(name, column, own, extent, order)
    present = distinct(own)
    if len(present) == high - low and high > low:
        value = int(np.setdiff1d(np.arange(low, high + 1), present)[0])
        yield Predicate(
            f"{name} != {value}", column != value, 1.5, order, f"{name} = {value}"
        )
    if name != "rank" and 2 <= len(present) <= 4 and len(present) < high - low + 1:
        said = ", ".join(map(str, present.tolist()))
        yield Predicate(f"{name} in {said}", np.isin(column, present), 2.5, order)


def _at_edges(
    name: str, column: Ints, own: Ints, extent: int, edges: tuple[str, str]
) -> Iterator[Predicate]:
    """Conditions on an axis' edges; of an axis of two places only what is not there.

    Ranks that are not at an edge have a neighbour there: of two places, each is told
    as the one that has it, as on longer axes.
    """
    order = (AXES.index(name), name)
    low, high = int(own.min()), int(own.max())
    if low == high and extent == 2:
        here, there = edges[low], edges[1 - low]
        said, opposite = f"not at {there} edge", f"not at {here} edge"
        yield Predicate(said, column == low, 1.0, order, opposite)
        return
    for edge, value in zip(edges, (0, extent - 1), strict=True):
        said, opposite = f"at {edge} edge", f"not at {edge} edge"
        if low == high == value:
            yield Predicate(said, column == value, 1.0, order, opposite)
        elif not bool(np.any(own == value)):
            yield Predicate(opposite, column != value, 1.0, order, said)
    outer = (column == 0) | (column == extent - 1)
    if low != high and extent > 2 and bool(np.all((own == 0) | (own == extent - 1))):
        said = f"at {edges[0]} or {edges[1]} edge"
        yield Predicate(
            said, outer, 1.05, order, f"not at {edges[0]} or {edges[1]} edge"
        )


def _periodic(
    name: str, column: Ints, own: Ints, extent: int, order: tuple[int, str]
) -> Iterator[Predicate]:
    for step in MODULI:
        if step >= extent:
            break
        rest = int(own[0] % step)
        if bool(np.all(own % step == rest)):
            holds = column % step == rest
            if step == 2:
                words = ("even", "odd")
                yield Predicate(
                    f"{name} {words[rest]}",
                    holds,
                    1.1,
                    order,
                    f"{name} {words[1 - rest]}",
                )
            elif rest == 0:
                yield Predicate(f"{name} a multiple of {step}", holds, 1.3, order)
            else:
                yield Predicate(f"{name} % {step} = {rest}", holds, 1.4, order)
    bit = 2
    while bit < extent:
        holds = (column & bit) != 0
        if bool(np.all(own & bit)):
            yield Predicate(f"{name} & {bit}", holds, 1.8, order, f"not {name} & {bit}")
        elif not bool(np.any(own & bit)):
            yield Predicate(
                f"not {name} & {bit}", ~holds, 1.8, order, f"{name} & {bit}"
            )
        bit *= 2


def _on_sum(name: str, column: Ints, own: Ints) -> Iterator[Predicate]:
    order = (7, name)
    for step in sum_moduli(int(column.max(initial=0))):
        rest = int(own[0] % step)
        if bool(np.all(own % step == rest)):
            holds = column % step == rest
            if step == 2:
                said, opposite = (
                    f"({name}) {word}" for word in ("odd", "even")[:: 2 * rest - 1]
                )
                yield Predicate(said, holds, 1.6, order, opposite)
            else:
                yield Predicate(f"({name}) % {step} = {rest}", holds, 1.8, order)
    if bool(np.all(own == own[0])):
        yield Predicate(f"{name} = {own[0]}", column == own[0], 1.9, order)


def _on_two_axes(
    chosen: Bools, places: RankPlaces, one: int, two: int
) -> Iterator[Predicate]:
    a, b = places.columns[one], places.columns[two]
    x, y = places.names[one], places.names[two]
    order = (7, x + y)
    candidates: list[tuple[str, Bools, str, float]] = [
        (f"{x} = {y}", a == b, f"{x} != {y}", 1.5),
        (f"{x} != {y}", a != b, f"{x} = {y}", 1.6),
        (f"{x} < {y}", a < b, f"{x} >= {y}", 1.6),
        (f"{x} > {y}", a > b, f"{x} <= {y}", 1.6),
        (f"{x} <= {y}", a <= b, f"{x} > {y}", 1.7),
        (f"{x} >= {y}", a >= b, f"{x} < {y}", 1.7),
    ]
    apart = int((a - b)[chosen][0])
    if apart:
        sign = "+" if apart > 0 else "-"
        said = f"{x} = {y} {sign} {abs(apart)}"
        candidates.append((said, a - b == apart, "", 2.0))
    for text, holds, negation, cost in candidates:
        if bool(np.all(holds[chosen])):
            yield Predicate(text, holds, cost, order, negation)
