"""Plans: communicators that partition the ranks are axes, and give each rank a place.

Communicators that are disjoint, of one size, and used alike are a family; where it has
all ranks, it partitions them into groups. So do the lines of a chain, a ring, a grid
along which messages go. Families of which each determines one coordinate are axes: a
rank is told by its place on each of them, as in "pipeline 4 x experts 3 x data 2" or
"rows and columns 6x4".
"""

import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import numpy as np

from topoview.analysis.partners.collectives import MAX_ALL_TO_ALL_PAIRS, whole_match
from topoview.logical.calls.communicators import given_stem
from topoview.model import (
    AXES,
    LINES,
    CommunicationMatrix,
    Identification,
    Ints,
    Plan,
    PlanAxis,
    Topology,
    Trace,
)
from topoview.model.trace import COLLECTIVE_OPERATIONS, FIRST_WITHOUT_DATA
from topoview.topology.graph.graph import graph_of, unique_edges
from topoview.topology.kinds.complete import complete, rook_name
from topoview.topology.kinds.composite import product
from topoview.topology.lattices.lattice import lattice, strides_of

MESSAGES: Final = "point to point"
"""What runs along an axis of messages."""

MAX_PARTITIONS: Final = 20
"""Partitions of the ranks of which plans are made: those that are used most."""

MAX_AXES: Final = 6
"""Axes of a plan."""

MAX_PLANS: Final = 8
"""Plans that are listed."""

MAX_MATCHES: Final = 3
"""Matches whose lines are axes: the first ones."""


@dataclass(frozen=True, slots=True, eq=False)
class _Partition:
    """Disjoint groups of one size that together have all ranks."""

    group: Ints
    """int64, shape (ranks,): lowest rank of each rank's group."""
    place: Ints
    """int64, shape (ranks,): place of each rank in its group."""
    size: int
    """Ranks of a group."""
    calls: Counter[str]
    """What runs within the groups, and how many calls a rank makes, about."""
    communicators: tuple[int, ...] = ()
    """The groups, if they are communicators."""
    shape: str = ""
    """``chain`` or ``ring`` if messages go along it."""
    stages: bool = False
    """Whether the messages of each group go along it only."""
    stem: str = ""
    """How the program named all of the communicators."""

    def joined(self, other: "_Partition") -> "_Partition":
        """Join what runs in the same groups; places are those of messages."""
        first, second = (other, self) if other.shape else (self, other)
        return replace(
            first,
            calls=self.calls | other.calls,
            communicators=(*self.communicators, *other.communicators),
            stem=first.stem or second.stem,
        )


def find_plans(
    trace: Trace, matrix: CommunicationMatrix, identification: Identification
) -> tuple[Plan, ...]:
    """Find the plans of a run, that with most axes first; none without communicators.

    The axes of a plan are independent: their sizes multiply to the number of ranks, and
    ranks that differ along one of them only are in one group of it.
    """
    groups = list(_of_communicators(trace))
    if not groups:
        return ()
    partitions = _distinct([*groups, *_of_messages(matrix, identification, groups)])
    plans: list[Plan] = []
    for ways in (_products(trace.ranks, partitions), _nested(trace, groups)):
        for chosen in ways if not plans else ():
            places = _coordinates(chosen)
            if places is not None:
                plans.append(_plan(trace.ranks, chosen, places))
    plans.sort(key=lambda plan: (-len(plan.axes), -sum(a.calls for a in plan.axes)))
    return (*plans[:1], *(_by_axes_of(plans[0], plan) for plan in plans[1:MAX_PLANS]))


# Partitions of the ranks.


def _of_communicators(trace: Trace) -> Iterator[_Partition]:
    """Find families of communicators that partition the ranks.

    Members of a family are used alike: first as often, then for the same operations,
    then at all.
    """
    uses, waiting = _uses(trace), list[int]()
    for index, communicator in enumerate(trace.communicators):
        size = len(communicator.ranks)
        if uses[index] and 1 < size < trace.ranks and (communicator.ranks >= 0).all():
            waiting.append(index)

    def likeness(index: int, level: int) -> tuple[object, ...]:
        use = sorted(uses[index].items())
        alike = (tuple(use), tuple(name for name, _ in use), ())[level]
        return len(trace.communicators[index].ranks), alike

    for level in range(3):
        families: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for index in waiting:
            families[likeness(index, level)].append(index)
        for alike in families.values():
            for family in _partitioning(trace, alike):
                members = frozenset(family)
                waiting = [index for index in waiting if index not in members]
                yield _of_family(trace, family, uses)


def _uses(trace: Trace) -> list[Counter[str]]:
    """Count operations and messages of each communicator, a rank's share of them."""
    parts, messages = trace.collectives, trace.messages
    uses = [Counter[str]() for _ in trace.communicators]
    counted = (parts.communicator >= 0) & (parts.operation < FIRST_WITHOUT_DATA)
    region = trace.calls.region[parts.call[counted]]
    width = len(trace.regions.operations) + 1
    code = parts.communicator[counted].astype(np.int64) * width
    counts = np.bincount(code + trace.regions.operation[region] + 1)
    for kind in np.flatnonzero(counts).tolist():
        size = max(int(trace.communicator_sizes[kind // width]), 1)
        name = trace.regions.operations[kind % width - 1] if kind % width else ""
        blocking = name[1:].capitalize()  # of Iallreduce
        name = blocking if blocking in COLLECTIVE_OPERATIONS else name
        uses[kind // width][name] += -(-int(counts[kind]) // size)
    sent = np.bincount(
        messages.communicator[messages.communicator >= 0], minlength=len(uses)
    )
    for index in np.flatnonzero(sent).tolist():
        size = max(int(trace.communicator_sizes[index]), 1)
        uses[index][MESSAGES] = -(-int(sent[index]) // size)
    return uses


def _partitioning(trace: Trace, alike: Sequence[int]) -> Iterator[list[int]]:
    """Gather disjoint communicators, in order, while they have all ranks."""
    left = list(alike)
    while left:
        size = len(trace.communicators[left[0]].ranks)
        if size * len(left) < trace.ranks:
            return
        taken, family = np.zeros(trace.ranks, bool), list[int]()
        for index in left:
            ranks = trace.communicators[index].ranks
            if not taken[ranks].any():
                taken[ranks] = True
                family.append(index)
        if not taken.all():
            return
        members = frozenset(family)
        left = [index for index in left if index not in members]
        yield family


def _of_family(
    trace: Trace, family: Sequence[int], uses: Sequence[Counter[str]]
) -> _Partition:
    group, place = np.full((2, trace.ranks), -1)
    for index in family:
        ranks = trace.communicators[index].ranks
        group[ranks] = ranks.min()
        place[ranks] = np.arange(len(ranks))
    calls = Counter[str]()
    for index in family:
        calls |= uses[index]
    stems = {given_stem(trace.communicators[index].name) for index in family}
    return _Partition(
        group=group,
        place=place,
        size=len(trace.communicators[family[0]].ranks),
        calls=calls,
        communicators=tuple(family),
        stem=stems.pop() if len(stems) == 1 else "",
    )


def _of_messages(
    matrix: CommunicationMatrix,
    identification: Identification,
    others: Sequence[_Partition],
) -> Iterator[_Partition]:
    """Find the lines along which messages go: of lattices, and of copies of them."""
    ranks = matrix.ranks
    one, other = (
        np.asarray(ends, np.int64) for ends in (matrix.sender, matrix.receiver)
    )
    for match in identification.matches[:MAX_MATCHES]:
        topology, places = match.topology, match.coordinates.astype(np.int64)
        form = topology.factors[0] if topology.kind == "copies" else topology
        if form.kind != "lattice" or match.missing or bool(np.any(match.vertex < 0)):
            continue
        copy = np.zeros(ranks, np.int64)
        if form is not topology:
            copy = places[:, -1]
            alike = _alike_in_copies(copy, (one, other), others)
            places = places[:, :-1] if alike is None else places[alike, :-1]
        for group, place, wraps in _lines(matrix, form, places, copy):
            size = int(place.max()) + 1
            sent = int(matrix.counts[group[one] == group[other]].sum())
            if 1 < size < ranks:
                yield _Partition(
                    group=_lowest(group),
                    place=place,
                    size=size,
                    calls=Counter({MESSAGES: -(-sent // ranks)}),
                    shape="ring" if wraps else "chain",
                    stages=len(form.dims) == 1 and not wraps,
                )


def _lines(
    matrix: CommunicationMatrix, form: Topology, places: Ints, copy: Ints
) -> Iterator[tuple[Ints, Ints, bool]]:
    """Find the lines of a lattice: group and place of each rank, and if they wrap.

    A ring of four and two axes of two are the same graph: traffic tells them apart.
    """
    axes = list[Ints]()
    wraps, pairs = [], list[tuple[int, int]]()
    for place, size, periodic in zip(places.T, form.dims, form.periodic, strict=True):
        if size == 4 and periodic:
            pairs.append((len(axes), len(axes) + 1))
            axes += [(place + 1) // 2 % 2, place // 2]
            wraps += [False, False]
        else:
            axes.append(place)
            wraps.append(periodic)
    table = np.stack([*axes, copy], 1)
    strides = strides_of([int(column.max()) + 1 for column in table.T])
    number = table @ strides
    lines = [
        (number - axis * stride, axis, wrap)
        for axis, stride, wrap in zip(axes, strides.tolist(), wraps, strict=False)
    ]
    left = [k for k, axis in enumerate(axes) if int(axis.max()) == 1]
    unlike: list[tuple[int, int, Ints, Ints]] = []
    alike: list[tuple[int, int, Ints, Ints]] = []
    for i, j in (*pairs, *itertools.combinations(left[:MAX_AXES], 2)):
        place = np.where(axes[j], 3 - axes[i], axes[i])
        group = number - axes[i] * strides[i] - axes[j] * strides[j]
        around, across = _around(matrix, group, place)
        if around:
            (alike if across else unlike).append((i, j, group, place))
    for i, j, group, place in (*unlike, *alike[: len(pairs)]):
        if i in left and j in left:
            left = [k for k in left if k not in (i, j)]
            yield group, place, True
    for k, line in enumerate(lines):
        if k in left or int(axes[k].max()) != 1:
            yield line


def _around(matrix: CommunicationMatrix, line: Ints, place: Ints) -> tuple[bool, bool]:
    """Return whether as much goes along each side of squares, and along opposite ones.

    Around, one after the other; or the same way on both sides.
    """
    ring = np.lexsort((place, line)).reshape(-1, 4)

    def sent(step: int) -> Ints:
        there = np.roll(ring, -step, axis=1)
        calls = matrix.calls[ring.ravel(), there.ravel()]
        return np.asarray(calls, np.int64).reshape(-1, 4)

    ahead, back = sent(1), sent(-1)
    around = (ahead == ahead[:, :1]).all() and (back == back[:, :1]).all()
    # beyond the side from k to k + 1 lies that from k + 3 to k + 2
    return bool(around), bool((ahead == np.roll(back, 1, axis=1)).all())


def _alike_in_copies(
    copy: Ints, pairs: tuple[Ints, Ints], partitions: Sequence[_Partition]
) -> Ints | None:
    """Find the rank of the first copy that stands where each rank does.

    A copy alone may be turned or mirrored. Communicators that have a rank of each copy
    tell which ranks stand for each other; they must exchange messages alike.

    Returns
    -------
    int64, shape (ranks,), or None
        None where no communicators tell.
    """
    ranks, copies = len(copy), int(copy.max()) + 1
    across = [
        partition.group
        for partition in partitions
        if len(np.unique(partition.group * copies + copy)) == ranks
    ]
    talking = np.unique(pairs[0] * ranks + pairs[1])
    for layer in (*across, _joined(across)) if across else ():
        first = np.flatnonzero(copy == 0)
        of_layer = np.full(ranks, -1)
        of_layer[layer[first]] = first
        alike: Ints = of_layer[layer]
        together = len(np.unique(layer * copies + copy)) == ranks
        if together and alike.min() >= 0 and len(np.unique(layer)) == len(first):
            moved = alike[pairs[0]] * ranks + alike[pairs[1]]
            if np.isin(moved, talking).all():
                return alike
    return None


def _joined(groups: Sequence[Ints]) -> Ints:
    """Join ranks that are together in any partition: the lowest rank of each."""
    ranks = len(groups[0])
    every = np.tile(np.arange(ranks), len(groups))
    edges = unique_edges(ranks, every, np.concatenate(groups))
    return _lowest(graph_of(ranks, edges).component_of.astype(np.int64))


def _lowest(label: Ints) -> Ints:
    """Name groups after their lowest rank."""
    _, first, which = np.unique(label, return_index=True, return_inverse=True)
    lowest: Ints = first[which]
    return lowest


def _distinct(partitions: Sequence[_Partition]) -> list[_Partition]:
    """Keep each partition once, with all that runs in its groups; the most used."""
    result: dict[bytes, _Partition] = {}
    for one in partitions:
        key = one.group.tobytes()
        result[key] = result[key].joined(one) if key in result else one
    most = sorted(result.values(), key=lambda one: -sum(one.calls.values()))
    return most[:MAX_PARTITIONS]


# Axes: partitions of which each determines one coordinate.


def _products(
    ranks: int, partitions: Sequence[_Partition]
) -> Iterator[list[_Partition]]:
    """Iterate over partitions that cross each other and have a place for each rank."""

    @cache
    def cross(i: int, j: int) -> bool:
        """Return whether no two ranks are together in both."""
        codes = partitions[i].group * ranks + partitions[j].group
        return len(np.unique(codes)) == ranks

    def chosen(first: int, left: int, so_far: list[int]) -> Iterator[list[int]]:
        if left == 1 and len(so_far) > 1:
            yield so_far
        for i in range(first, len(partitions)) if len(so_far) < MAX_AXES else ():
            fits = left % partitions[i].size == 0
            if fits and all(cross(j, i) for j in so_far):
                yield from chosen(i + 1, left // partitions[i].size, [*so_far, i])

    for some in chosen(0, ranks, []):
        axes = [partitions[i] for i in some]
        if any(axis.communicators for axis in axes):
            yield axes


def _nested(
    trace: Trace, partitions: Sequence[_Partition]
) -> Iterator[list[_Partition]]:
    """Find axes of groups within groups: halves of halves, or nodes with leaders.

    Ranks that have the same place in the inner groups of an outer one are along an
    axis. Of groups of one size only it is known where each has its ranks if one rank of
    each is in a further communicator, as leaders are.
    """
    inner: list[_Partition] = []
    for one in sorted(partitions, key=lambda one: one.size):
        if not inner or (
            one.size > inner[-1].size
            and (one.group[inner[-1].group] == one.group).all()
        ):
            inner.append(one)
    uses, everyone = _uses(trace), np.zeros(trace.ranks, np.int64)
    whole = _Partition(everyone, np.arange(trace.ranks), trace.ranks, Counter())
    for index, communicator in enumerate(trace.communicators):
        ranks = communicator.ranks
        if len(ranks) == trace.ranks:
            whole = replace(whole, calls=whole.calls | uses[index])
        if len(inner) == 1 and len(ranks) == trace.ranks // inner[0].size:
            groups, order = np.unique(inner[0].group[ranks], return_index=True)
            if uses[index] and len(groups) == len(ranks) and (ranks >= 0).all():
                place = order[np.searchsorted(groups, inner[0].group)]
                inner.append(replace(whole, place=place, calls=uses[index]))
    if len(inner) > 1:
        steps = itertools.pairwise([*inner, whole])
        axes = [
            _across(small, large) for small, large in steps if large.size > small.size
        ]
        yield [inner[0], *axes]


def _across(inner: _Partition, outer: _Partition) -> _Partition:
    """Find the axis across the inner groups of outer ones, from one to the next."""
    width = len(inner.group)
    return replace(
        outer,
        group=_lowest(outer.group * width + inner.place),
        size=outer.size // inner.size,
    )


def _coordinates(axes: list[_Partition]) -> Ints | None:
    """Find the place of each rank on each axis: int64, shape (ranks, axes).

    Ranks have the same place on an axis if one gets from one to the other along the
    others. None if that gives no place of its own to each rank. Places are in the order
    in which the groups have their members.
    """
    ranks = len(axes[0].group)
    places = np.empty((ranks, len(axes)), np.int64)
    for i, axis in enumerate(axes):
        joined = _joined([other.group for other in axes if other is not axis])
        lowest, layer = np.unique(joined, return_inverse=True)
        if len(lowest) != axis.size:
            return None
        mean = np.bincount(layer, axis.place) / np.bincount(layer)
        order = np.empty(axis.size, np.int64)
        order[np.lexsort((lowest, mean))] = np.arange(axis.size)
        places[:, i] = order[layer]
    number = places @ strides_of([axis.size for axis in axes])
    return places if len(np.unique(number)) == ranks else None


# Names of axes, and what they look like.

PIPELINE, EXPERTS, TENSOR, DATA, SHARDS = (
    "pipeline",
    "experts",
    "tensor",
    "data",
    "shards",
)
"""Axes of a training run: stages that hand on what they have computed; experts that
exchange tokens; parts of a layer that add up what they have, in each step of the
pipeline; copies of the model that add up gradients, once a step; parts of a model that
are gathered before they are used."""

_PLAIN_STEM: Final = re.compile("row|column|line|col", re.IGNORECASE)
"""Names that say no more than that an axis is one."""


def _plan(ranks: int, axes: list[_Partition], places: Ints) -> Plan:
    """Name the axes, the nearest ranks along the first, and match what they make."""
    order = sorted(range(len(axes)), key=lambda i: (_stride(axes[i], places[:, i]), i))
    axes, places = [axes[i] for i in order], places[:, order]
    names = _names(axes)
    dims = [axis.size for axis in axes]
    topology = _topology(axes, names, dims)
    members = np.empty(ranks, np.int64)
    members[places @ strides_of(dims)] = np.arange(ranks)
    return Plan(
        axes=tuple(
            PlanAxis(
                name=name,
                size=axis.size,
                by=tuple(name for name, _ in axis.calls.most_common()),
                calls=sum(axis.calls.values()),
                communicators=axis.communicators,
            )
            for name, axis in zip(names, axes, strict=True)
        ),
        match=whole_match(ranks, topology, members),
    )


def _by_axes_of(finer: Plan, plan: Plan) -> Plan:
    """Name axes after those of a finer plan that they join: ``experts x data``."""
    axes, dims = list(plan.axes), [axis.size for axis in finer.axes]
    for i, axis in enumerate(axes):
        others = np.delete(plan.coordinates, i, axis=1)
        within = finer.coordinates[(others == 0).all(axis=1)]
        along = np.flatnonzero((within != within[0]).any(axis=0)).tolist()
        if math.prod(dims[k] for k in along) == axis.size:
            name = " x ".join(finer.axes[k].name for k in along)
            axes[i] = replace(axis, name=name)
    if plan.is_grid and finer.is_grid:
        return plan
    names = (
        f"({a.name}) {a.size}" if " x " in a.name else f"{a.name} {a.size}"
        for a in axes
    )
    factors = zip(plan.match.topology.factors, axes, strict=True)
    topology = replace(
        plan.match.topology,
        name=" x ".join(names),
        factors=tuple(replace(factor, name=axis.name) for factor, axis in factors),
    )
    return Plan(tuple(axes), replace(plan.match, topology=topology))


def _stride(axis: _Partition, place: Ints) -> float:
    """Find how far apart ranks are that are neighbours on an axis."""
    order = np.lexsort((place, axis.group))
    same = np.diff(axis.group[order]) == 0
    return float(np.median(np.abs(np.diff(order))[same]))


def _names(axes: Sequence[_Partition]) -> list[str]:
    """Name axes by what runs along them, and how often."""
    stages = [axis for axis in axes if axis.stages and set(axis.calls) == {MESSAGES}]
    names = list((LINES if len(axes) == 2 else AXES)[: len(axes)])
    if len(stages) == 1:
        adding = sorted(
            (axis for axis in axes if "Allreduce" in axis.calls),
            key=lambda axis: axis.calls["Allreduce"],
        )
        for i, axis in enumerate(axes):
            operation = axis.calls.most_common(1)[0][0]
            if axis is stages[0]:
                names[i] = PIPELINE
            elif operation.startswith("Alltoall"):
                names[i] = EXPERTS
            elif operation.startswith(("Allgather", "Reduce_scatter")):
                names[i] = SHARDS
            elif operation == "Allreduce":
                names[i] = DATA if axis is adding[0] else TENSOR
    stems = Counter(axis.stem for axis in axes)
    for i, axis in enumerate(axes):
        if stems[axis.stem] == 1 and axis.stem and not _PLAIN_STEM.match(axis.stem):
            names[i] = axis.stem
    repeated = Counter(names)
    return [
        f"{name} {names[: i + 1].count(name)}" if repeated[name] > 1 else name
        for i, name in enumerate(names)
    ]


def _topology(axes: list[_Partition], names: list[str], dims: list[int]) -> Topology:
    """Build the graph of a plan: in a group of communicators all reach all."""
    few = math.prod(dims) * sum(dims) // 2 <= MAX_ALL_TO_ALL_PAIRS
    factors = [
        complete(axis.size)
        if few and set(axis.calls) != {MESSAGES}
        else lattice((axis.size,), (axis.shape == "ring",))
        for axis in axes
    ]
    made = product(
        *(replace(form, name=name) for form, name in zip(factors, names, strict=True))
    )
    named = " x ".join(f"{n} {size}" for n, size in zip(names, dims, strict=True))
    if set(names) <= {*LINES, *AXES}:
        named = rook_name(dims)
    wraps = tuple(axis.shape == "ring" for axis in axes)
    runs = tuple(
        name for axis in axes for name, _ in axis.calls.most_common(1) or [("", 0)]
    )
    return replace(made, kind="plan", name=named, periodic=wraps, variant=runs)
