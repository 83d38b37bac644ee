"""The ranks in the rows of the timeline: their order, and their groups."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.base.text import plural, tr
from topoview.model import (
    AXES,
    Analysis,
    Frozen,
    Indices,
    Ints,
    Match,
    Profile,
    TimeState,
    Topology,
    Trace,
    kept_with_source,
)
from topoview.session import State
from topoview.topology.graph.graph import distances_from, graph_of, unique_edges


@dataclass(frozen=True, slots=True, eq=False)
class RowOrder(Frozen):
    """Ranks in the order drawn."""

    ranks: Indices
    """int32, shape (ranks,): the ranks that are shown, each once."""
    groups: Ints
    """int64, shape (groups,): index into `ranks` at which each group begins; the first
    is 0."""
    labels: tuple[str, ...]
    """Name of each group, empty if there is but one."""
    numbered: bool
    """Whether rows are better labelled with their ranks than with their group."""
    words: str
    """What is shown, and in which order: ``32 ranks, by distance from rank 5``."""


def order_by_rank(ranks: int) -> RowOrder:
    """Ranks by number, without groups."""
    numbers = np.arange(ranks, dtype=np.int32)
    return RowOrder(
        numbers,
        np.zeros(1, np.int64),
        (),
        True,
        tr("{ranks}, by rank", ranks=plural(ranks, "rank")),
    )


@kept_with_source()
def order_by_place(match: Match) -> RowOrder:
    """Rows of a lattice, grids of a globe, levels of anything else.

    A lattice is read like a page: x runs fastest, and each row of x is a group. So is
    each grid of a globe, which is a group.
    Elsewhere the first coordinate is the level (of a tree, of a star), and a
    level is a group. Ranks without a place come last.
    """
    topology = match.topology
    places = match.coordinates
    columns = places.shape[1]
    grid = len(topology.dims) == columns and not topology.is_globe
    keys = list(places.T) if grid else list(places.T[::-1])
    if topology.is_globe:
        keys = [*places[:, 1:].T, places[:, 0]]
    silent = match.vertex < 0
    ranks = np.lexsort((*keys, silent)).astype(np.int32)
    label = places[:, 1:] if grid else places[:, :1]
    if columns == 1:
        label = np.zeros((len(places), 0), np.int32)
    keys_of_group = np.column_stack((silent.astype(np.int32), label))
    groups = _group_starts(keys_of_group[ranks])
    firsts = ranks[groups]
    cross = re.sub(r"(?<=\d)x(?=\d)", "\u00d7", topology.name)
    words = tr(
        "{ranks}, in the order of {cross}",
        ranks=plural(len(ranks), "rank"),
        cross=cross,
    )
    if grid and columns > 1:
        words += tr(": rows of {dim}", dim=topology.dims[0])
    words_at = _coordinate_labels(topology, grid, label[firsts])
    labels = tuple(
        "silent" if nowhere else text
        for nowhere, text in zip(silent[firsts].tolist(), words_at, strict=True)
    )
    return RowOrder(ranks, groups, labels if any(labels) else (), True, words)


NOT_CONNECTED: Final = tr("not connected")
"""Label of ranks that no way leads to."""


@kept_with_source()
def order_by_distance(match: Match, origin: tuple[int, ...] = ()) -> RowOrder:
    """Group the ranks by how many hops they are away from those of an origin.

    Breadth-first search over the topology's edges, from all ranks of the origin at
    once; from rank 0 if it is empty. In this order a disturbance that
    travels from neighbour to neighbour is one front.
    """
    count = len(match.vertex)
    sources = np.array([r for r in origin if r < count] or [0])
    present = np.flatnonzero(match.vertex >= 0)
    rank = np.full(match.topology.vertices, -1, np.int32)
    rank[match.vertex[present]] = present
    one, other = (rank[side] for side in match.topology.edges.T)
    there = (one >= 0) & (other >= 0)
    edges = unique_edges(count, one[there], other[there])
    distance, _ = distances_from(graph_of(count, edges), sources)
    hops = np.where(distance < 0, np.inf, distance)
    ranks = np.argsort(hops, kind="stable").astype(np.int32)
    groups = _group_starts(hops[ranks, None])
    labels = tuple(_hops_label(hops[r]) for r in ranks[groups])
    start = (
        tr("rank {source}", source=sources[0])
        if len(sources) == 1
        else plural(len(sources), "rank")
    )
    words = tr(
        "{ranks}, by distance from {start}", ranks=plural(count, "rank"), start=start
    )
    return RowOrder(ranks, groups, labels, False, words)


def order_by_number(profile: Profile, number: str, seconds: float) -> RowOrder:
    """Ranks by a number of the profile, the largest first; see `profile_numbers`.

    Parameters
    ----------
    seconds
        In a tick.
    """
    values = _profile_column(profile, number) * seconds
    ranks = np.argsort(-values, kind="stable").astype(np.int32)
    what = profile_numbers(profile).get(number, number)
    words = tr("{ranks}, by {what}", ranks=plural(len(ranks), "rank"), what=what)
    return RowOrder(ranks, np.zeros(1, np.int64), (), False, words)


def profile_numbers(profile: Profile | None) -> Mapping[str, str]:
    """Words for the numbers of the profile that rows can be ordered by, by name.

    States are named by their numbers, times in operations by these.
    """
    return {} if profile is None else _words_for(profile)


@kept_with_source()
def _words_for(profile: Profile) -> Mapping[str, str]:
    spent = profile.state_totals
    texts = {
        f"state-{int(state)}": tr("time in {label}", label=state.label)
        for state in TimeState
        if spent[state] > 0 and state != TimeState.OUTSIDE
    }
    return texts | {
        name: tr("time in MPI_{name}", name=name) for name in profile.operations
    }


def _profile_column(profile: Profile, number: str) -> Ints:
    if number in profile.operations:
        return profile.ticks[:, profile.operations.index(number)]
    return profile.state_ticks[:, int(number.removeprefix("state-"))]


MAX_RANKS_CLUSTERED: Final = 256
"""Ranks up to which rows are ordered as leaves of a tree of clusters: that takes time
that grows with the cube of their number."""


@kept_with_source()
def order_by_similarity(profile: Profile) -> RowOrder:
    """Ranks that spend their time alike next to each other.

    Each rank is the vector of the shares of its time in each state. Up to
    `MAX_RANKS_CLUSTERED` ranks are leaves of their average-linkage tree in the order
    in which neighbours are nearest (Bar-Joseph, Gifford, Jaakkola 2001, Fast optimal
    leaf ordering for hierarchical clustering); more are in the order of the first
    principal axis.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage

    ticks = profile.state_ticks.astype(np.float64)
    share = ticks / np.maximum(ticks.sum(axis=1, keepdims=True), 1.0)
    count = len(share)
    order: Ints = np.arange(count)
    if not np.ptp(share, axis=0).any():
        pass
    elif count <= MAX_RANKS_CLUSTERED:
        tree = linkage(share, "average", optimal_ordering=True)
        order = leaves_list(tree).astype(np.int64)
    else:
        _, vectors = np.linalg.eigh(np.cov(share.T))
        order = np.argsort(share @ vectors[:, -1], kind="stable")
    if order[0] > order[-1]:
        order = order[::-1]
    words = tr("{ranks}, similar ones together", ranks=plural(count, "rank"))
    zero = np.zeros(1, np.int64)
    return RowOrder(order.astype(np.int32), zero, (), False, words)


def _match_of(state: State) -> Match:
    match = state.derived.match
    assert match is not None
    return match


def _has_places(state: State) -> bool:
    match = state.derived.match
    return _has_edges(state) and match is not None and match.topology.has_places


def _has_edges(state: State) -> bool:
    match = state.derived.match
    return match is not None and len(match.topology.edges) > 0


def _profile_of(state: State) -> Profile:
    assert state.analysis is not None
    assert state.analysis.profile is not None
    return state.analysis.profile


def _has_profile(state: State) -> bool:
    return state.analysis is not None and state.analysis.profile is not None


def _has_number(state: State) -> bool:
    profile = state.analysis.profile if state.analysis else None
    return state.timeline.number in profile_numbers(profile)


@dataclass(frozen=True, slots=True)
class Ordering:
    """A row of the table of orders: how it is made, and whether that can be."""

    make: Callable[[State], RowOrder]
    given: Callable[[State], bool]


ROW_ORDERS: dict[str, Ordering] = {
    "rank": Ordering(lambda s: order_by_rank(_trace_of(s).ranks), lambda _: True),
    "place": Ordering(lambda s: order_by_place(_match_of(s)), _has_places),
    "distance": Ordering(
        lambda s: order_by_distance(_match_of(s), s.timeline.origin), _has_edges
    ),
    "number": Ordering(
        lambda s: order_by_number(
            _profile_of(s),
            s.timeline.number,
            1.0 / _trace_of(s).clock.resolution,
        ),
        _has_number,
    ),
    "similarity": Ordering(lambda s: order_by_similarity(_profile_of(s)), _has_profile),
}


def _trace_of(state: State) -> Trace:
    if state.analysis is None:
        raise ValueError(tr("no trace is open"))
    return state.analysis.trace


def possible_row_orders(state: State) -> tuple[str, ...]:
    """Names of the orders that make sense for what is known so far."""
    return tuple(name for name, row in ROW_ORDERS.items() if row.given(state))


def row_order(state: State) -> RowOrder:
    """Ranks in the order and the groups that a state asks for, as far as it can.

    Raises
    ------
    ValueError
        If the state has no analysis.
    """
    trace, chosen = _trace_of(state), state.timeline
    row = ROW_ORDERS.get(chosen.order)
    if row is None or not row.given(state):
        row = ROW_ORDERS["rank"]
    order = row.make(state)
    parts = parts_of(state, chosen.group)
    if parts is not None:
        order = _grouped(order, parts.number, parts.names)
    if chosen.only:
        order = _kept(order, [r for r in chosen.only if r < trace.ranks])
    return order


# Groups.


class Parts(NamedTuple):
    """Groups of ranks."""

    number: Ints
    """int64, shape (ranks,): number of each rank's group."""
    names: tuple[str, ...]
    """Those of the groups."""
    several: bool = True
    """Whether there is more than one."""


def _no_groups(state: State) -> Parts:
    return Parts(np.zeros(_trace_of(state).ranks, np.int64), ("",), several=False)


def _by_colouring(name: str) -> Callable[[State], Parts | None]:
    """Group ranks by the categories of a colouring of the run."""

    def parts(state: State) -> Parts | None:
        analysis = state.analysis
        return None if analysis is None else _category_parts(analysis, name)

    return parts


@kept_with_source()
def _category_parts(analysis: Analysis, name: str) -> Parts | None:
    """Group ranks by categories: menus ask at each change of the state."""
    from topoview.live.colourings.scales import ColouringRequest
    from topoview.live.colourings.table import COLOURINGS

    if not COLOURINGS[name].given(analysis):
        return None
    values = COLOURINGS[name].values(ColouringRequest(analysis, 0, (0, 1)))
    number = np.where(np.isnan(values.values), len(values.names), values.values)
    several = bool((number[1:] != number[:1]).any())
    return Parts(number.astype(np.int64), (*values.names, values.none), several)


def _by_coordinates(axis: int, *, along: bool) -> Callable[[State], Parts | None]:
    """Group ranks that have a coordinate in common, or all but it (a line)."""

    def parts(state: State) -> Parts | None:
        match = state.derived.match
        if match is None or not _has_places(state):
            return None
        return _coordinate_parts(match, axis, along)

    return parts


@kept_with_source(most=2 * len(AXES))
def _coordinate_parts(match: Match, axis: int, along: bool) -> Parts | None:
    """Group ranks by coordinates: menus ask at each change of the state."""
    places = match.topology.coordinates
    columns = places.shape[1]
    least = 3 if along else 2
    if len(match.topology.dims) != columns or columns < least or axis >= columns:
        return None
    kept = [k for k in range(columns) if (k == axis) != along]
    shape = tuple((places[:, kept].max(axis=0, initial=0) + 1).tolist())
    silent = int(np.prod(shape))
    own = np.ravel_multi_index(tuple(places[:, kept].T), shape)
    keys = np.where(match.vertex < 0, silent, own[match.vertex])
    there = np.bincount(keys, minlength=silent + 1) > 0
    number = (np.cumsum(there) - 1)[keys]
    coordinates = np.unravel_index(np.flatnonzero(there[:-1]), shape)
    axes = match.topology.axes
    names = [
        ", ".join(f"{axes[k]} {c}" for k, c in zip(kept, key, strict=True))
        for key in zip(*(axis.tolist() for axis in coordinates), strict=True)
    ]
    several = bool(there.sum() > 1)
    return Parts(number, (*names, *["silent"] * bool(there[-1])), several)


def _by_selection(state: State) -> Parts | None:
    ranks = [r for r in state.timeline.apart if r < _trace_of(state).ranks]
    if not ranks:
        return None
    number = np.ones(_trace_of(state).ranks, np.int64)
    number[ranks] = 0
    return Parts(number, ("selected", "others"))


AXES_GROUPED: Final = 3

GROUPINGS: dict[str, Callable[[State], Parts | None]] = {
    "none": _no_groups,
    "node": _by_colouring("node"),
    "communicator": _by_colouring("communicator"),
    "symmetry": _by_colouring("symmetry"),
    **{f"same-{AXES[k]}": _by_coordinates(k, along=False) for k in range(AXES_GROUPED)},
    **{f"along-{AXES[k]}": _by_coordinates(k, along=True) for k in range(AXES_GROUPED)},
    "selection": _by_selection,
}
"""What can make groups of rows beside their order; None where it does not."""


def parts_of(state: State, group: str) -> Parts | None:
    """Find groups of the ranks by a name in the table; None where there are none."""
    grouping = GROUPINGS.get(group)
    return None if grouping is None else grouping(state)


def is_possible(group: str, state: State) -> bool:
    """Return whether this makes several groups of what is there, or none."""
    if group in ("", "none"):
        return True
    if group == "selection":
        return bool(state.selection.ranks) or state.timeline.group == "selection"
    parts = parts_of(state, group)
    return parts is not None and parts.several


def possible_groups(state: State) -> tuple[str, ...]:
    """Names of what makes several groups of what is known, or of what is selected."""
    return tuple(name for name in ("", *GROUPINGS) if is_possible(name, state))


def _grouped(order: RowOrder, number: Ints, names: tuple[str, ...]) -> RowOrder:
    """Put an order into groups: those whose ranks are the same stay in order."""
    own = number[order.ranks]
    sorting = np.argsort(own, kind="stable")
    ranks, own = order.ranks[sorting], own[sorting]
    groups = _group_starts(own[:, None])
    labels = tuple(names[k] for k in own[groups].tolist())
    numbered = order.numbered or not any(labels)
    shown = labels if any(labels) else ()
    return RowOrder(ranks, groups, shown, numbered, order.words)


def _kept(order: RowOrder, ranks: list[int]) -> RowOrder:
    """Keep some ranks of an order; groups without any are left out."""
    wanted = np.isin(order.ranks, ranks)
    if not wanted.any():
        return order
    group = np.searchsorted(order.groups, np.arange(len(order.ranks)), side="right") - 1
    own = group[wanted]
    labels = order.labels and tuple(order.labels[k] for k in np.unique(own).tolist())
    words = tr("{sum} of {words}", sum=int(wanted.sum()), words=order.words)
    groups = _group_starts(own[:, None])
    return RowOrder(order.ranks[wanted], groups, labels, order.numbered, words)


def _group_starts(keys: NDArray[Any]) -> Ints:
    """Find where rows differ from the one before; the first one does."""
    differ = np.any(keys[1:] != keys[:-1], axis=1)
    result: Ints = np.concatenate(([0], np.flatnonzero(differ) + 1)).astype(np.int64)
    return result


def _coordinate_labels(topology: Topology, grid: bool, places: Indices) -> list[str]:
    """Name groups by what they share of their coordinates: shape (groups, shared)."""
    columns = places.T.tolist()
    if not columns:
        return [""] * len(places)
    if grid:
        axes = topology.axes[1:]
        if len({axis[0] for axis in axes}) == len(axes) > 1:  # there is little room
            axes = tuple(axis[0] for axis in axes)
        named = [
            [f"{axis} {c}" for c in column]
            for axis, column in zip(axes, columns, strict=True)
        ]
        return list(map(", ".join, zip(*named, strict=True)))
    if topology.kind == "star":
        return ["workers" if c else "master" for c in columns[0]]
    if topology.is_globe:
        return [f"{topology.axes[0]} {c}" for c in columns[0]]
    return [tr("level {c}", c=c) for c in columns[0]]


def _hops_label(hops: float) -> str:
    if not np.isfinite(hops):
        return NOT_CONNECTED
    return tr("1 hop") if hops == 1 else tr("{hops} hops", hops=int(hops))
