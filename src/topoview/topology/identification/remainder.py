"""What explains the pairs of ranks that an answer leaves, in turn.

Members of the library, on all ranks or on some; on a lattice also longer steps, the
coarse levels of multigrid programs; and trees by the ranks' numbers, of which the
answer may have edges, too. The shortest description decides.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from topoview.base.progress import Report, silent
from topoview.model import AXES, Bools, Ints, Match, Topology, distinct, places_among
from topoview.topology.graph.graph import edge_keys, graph_of
from topoview.topology.identification.components import Parts, near_matches
from topoview.topology.identification.description import (
    bits_in_order,
    bits_of_steps,
    description_bits,
    left_out,
)
from topoview.topology.identification.traffic import (
    PairTraffic,
    VolumeLevel,
    around_hubs,
    carried_pairs,
    levels,
    match_topology,
    part_of,
)
from topoview.topology.kinds.complete import unknown
from topoview.topology.kinds.tree import (
    binary_tree,
    binomial_tree,
    doubling_tree,
    without_highest_bit,
)
from topoview.topology.lattices.lattice import lattice, strides_of
from topoview.topology.noise.matches import match_exactly

# Longer steps on an answer's lattice: the coarse levels of multigrid programs.

MAX_STRIDES = 12
"""Different steps, each along one axis, that are still a pattern."""


def strides_match(traffic: PairTraffic, left: Bools, answer: Match) -> Match | None:
    """Match the pairs that are one longer step along an axis apart.

    In multigrid each coarser grid lives on every second place of the finer one, so
    that its neighbours are 2, 4, ... places apart (Briggs, Henson, McCormick, 2000,
    "A multigrid tutorial", chapter 3).

    Parameters
    ----------
    left : bool, shape (pairs,)
        Pairs that the answer does not explain.
    answer
        The answer; only lattices have strides.

    Returns
    -------
    Match or None
        Of all pairs that are such steps: missing are those that do not communicate.
        None if there are none, or more than `MAX_STRIDES` steps. Its topology is of
        kind ``strides`` and has the lattice's dims, periods and coordinates, and the
        steps as offsets.
    """
    whole = answer.topology
    if whole.kind != "lattice":
        return None
    ends = answer.vertex[traffic.pairs[left]].astype(np.int64)
    steps = _steps(whole, ends[(ends >= 0).all(axis=1)])
    along = ((steps != 0).sum(axis=1) == 1) & (steps.max(axis=1, initial=0) > 1)
    offsets = np.unique(steps[along], axis=0)
    if not 0 < len(offsets) <= MAX_STRIDES:
        return None
    listed = tuple(tuple(row) for row in offsets.tolist())
    made = lattice(whole.dims, whole.periodic, listed)
    topology = replace(made, kind="strides", name=_name(offsets))
    match = match_topology(topology, answer.vertex, traffic, 0, left)
    if not match.missing:
        return match
    several = f" ({match.matched} of {len(made.edges)} pairs)"
    return replace(match, topology=replace(topology, name=topology.name + several))


def _steps(whole: Topology, ends: Ints) -> Ints:
    """How far apart places are along each axis, the shortest way round."""
    places = whole.coordinates.astype(np.int64)
    apart = np.abs(places[ends[:, 1]] - places[ends[:, 0]])
    dims, wraps = np.array(whole.dims), np.array(whole.periodic, bool)
    shortest: Ints = np.where(wraps, np.minimum(apart, dims - apart), apart)
    return shortest


def _name(offsets: Ints) -> str:
    """Name steps by their axes: ``offsets ±2, ±4 in x; ±2 in z``."""
    by_axis = [sorted(column[column > 0].tolist()) for column in offsets.T]
    if len(by_axis) > 1 and all(lengths == by_axis[0] for lengths in by_axis):
        return f"offsets {_both_ways(by_axis[0])} along each axis"
    words: list[str] = []
    for axis, lengths in enumerate(by_axis):
        if lengths:
            word = "offsets" if not words else ""
            name = AXES[axis] if axis < len(AXES) else f"axis {axis}"
            words.append(f"{word} {_both_ways(lengths)} in {name}".strip())
    return "; ".join(words)


def _both_ways(lengths: Sequence[int]) -> str:
    return ", ".join(f"±{length}" for length in lengths)


# Trees over all ranks, some of whose edges are the answer's.

PARENTS: dict[Callable[[int], Topology], Callable[[Ints], Ints]] = {
    binomial_tree: lambda child: child & (child - 1),
    doubling_tree: without_highest_bit,
    binary_tree: lambda child: (child - 1) // 2,
}
"""Trees that programs build by the ranks' numbers, and who the parent is."""

MIN_TREE = 4
"""Ranks up to which a tree is nothing but a chain or a star."""

MAX_AXES_ORDERED = 3
"""Axes of a grid by whose places ranks are numbered in every order: 48 ways."""

PARENTS_SAMPLED = 64
"""First children by which most trees are excluded."""


def trees_in_order(
    traffic: PairTraffic, left: Bools, orders: Sequence[Ints]
) -> Iterator[Match]:
    """Match trees by number of which an answer explains some edges already.

    Parameters
    ----------
    left : bool, shape (pairs,)
        Pairs that the answer does not explain.
    orders
        Numbers of the ranks, from 0, that the program may go by.
    """
    n = traffic.ranks
    keys = np.sort(edge_keys(n, traffic.pairs))
    for vertex in orders if n > MIN_TREE else ():
        rank = np.argsort(vertex).astype(np.int32)
        for make, parent in PARENTS.items():
            for children in (min(n, PARENTS_SAMPLED), n):
                child = np.arange(1, children)
                ends = np.stack([rank[child], rank[parent(child)]], 1)
                wanted = edge_keys(n, np.sort(ends, axis=1))
                if (places_among(keys, wanted) < 0).any():
                    break
            else:
                yield match_topology(make(n), vertex, traffic, 0, left)


def _orders(answer: Match, ranks: int) -> list[Ints]:
    """List ways to number the ranks: as they come, row by row from a grid's corners."""
    orders = [np.arange(len(answer.vertex))]
    topology = answer.topology
    everyone = ranks == len(answer.vertex) == topology.vertices
    placed = topology.kind == "lattice" and len(topology.dims) <= MAX_AXES_ORDERED
    if not placed or any(topology.periodic) or not everyone:
        return orders if ranks == len(answer.vertex) else []
    places, dims = answer.coordinates.astype(np.int64), np.array(topology.dims)
    axes = [axis for axis in range(len(dims)) if dims[axis] > 1]
    for order in itertools.permutations(axes):
        for many in range(len(axes) + 1):
            for flipped in itertools.combinations(axes, many):
                turned = places.copy()
                turned[:, flipped] = dims[list(flipped)] - 1 - turned[:, flipped]
                own = turned[:, order] @ strides_of(dims[list(order)].tolist())
                orders.append(own)
    return list({one.tobytes(): one for one in orders}.values())


MAX_REMAINDERS = 4
"""Topologies that are found in what is left, at most."""


def remainder(
    traffic: PairTraffic,
    answer: Match,
    parts: Parts,
    report: Report = silent,
) -> tuple[Match, ...]:
    """Identify what an answer leaves, then what is left of that, and so on.

    Parameters
    ----------
    parts
        Answers parts of what is left.
    report
        May raise `Cancelled`.

    Returns
    -------
    tuple of Match
        In turn; the last may be ``unknown``. Empty if the answer leaves nothing. A
        match may have pairs that the answer has, too: all-to-all rows contain the
        neighbours of a torus.
    """
    matches: list[Match] = []
    if not answer.level and not answer.extra:
        return ()
    left = ~carried_pairs(traffic, answer)
    while left.any() and len(matches) < MAX_REMAINDERS:
        report("identifying remaining traffic", len(matches) / MAX_REMAINDERS)
        rest = part_of(traffic, left)
        ranks = len(traffic.members)
        itself = _unknown(traffic, left)
        match, least = itself, description_bits(rest, itself, ranks)
        for other in _members(traffic, left, parts, report):
            bits = description_bits(rest, other, ranks)
            if bits < least and carried_pairs(rest, other).any():
                match, least = other, bits
        steps = strides_match(traffic, left, answer)
        if steps is not None and bits_of_steps(rest, steps, ranks) < least:
            match, least = steps, bits_of_steps(rest, steps, ranks)
        orders = _orders(answer, ranks)
        ways = len(orders) * len(PARENTS)
        for tree in trees_in_order(traffic, left, orders):
            if bits_in_order(rest, tree, ways, ranks) < least:
                match, least = tree, bits_in_order(rest, tree, ways, ranks)
        explained = left & carried_pairs(traffic, match)
        matches.append(_of_what_is_left(traffic, match, explained))
        left &= ~explained
    return tuple(matches)


def _of_what_is_left(traffic: PairTraffic, match: Match, pairs: Bools) -> Match:
    """Count only what the answer leaves: neither its pairs nor messages to oneself."""
    calls = int(traffic.calls.sum()) + traffic.own_calls + traffic.unrecorded
    volume = int(traffic.volume.sum()) + traffic.own_volume
    return replace(
        match,
        calls_covered=float(traffic.calls[pairs].sum()) / max(calls, 1),
        bytes_covered=float(traffic.volume[pairs].sum()) / max(volume, 1),
    )


def _members(
    traffic: PairTraffic, left: Bools, parts: Parts, report: Report
) -> Iterator[Match]:
    """Match what is left with members of the library, level by level.

    Alone, and completed by the pairs that the answer has among the same ranks; those of
    ranks with far more partners than others; past noise if no level is one exactly.
    """
    exact = False
    cut = _levels(traffic, left)
    for level in cut:
        ways = [level.seen, _completed(traffic, level.seen)]
        hubs = [*_hubs(traffic, left)] if level is cut[0] else []
        for seen in (*ways, *hubs):
            pairs = traffic.pairs[seen]
            members = distinct(pairs).astype(np.int32)
            own = replace(level, seen=seen)
            match = match_exactly(traffic, own, members, pairs, parts.patterns)
            if match is not None:
                hub = any(seen is one for one in hubs)
                exact |= not hub and not left_out(match.topology)
                yield match
    if not exact and 2 * left.sum() >= len(distinct(traffic.pairs[left])):
        yield from near_matches(traffic, cut, parts, report)


def _hubs(traffic: PairTraffic, left: Bools) -> Iterator[Bools]:
    """Choose pairs around hubs, alone and with those that the answer has there."""
    for some in around_hubs(part_of(traffic, left)):
        seen = left.copy()
        seen[left] = some
        yield seen
    degree = np.bincount(traffic.pairs[left].ravel(), minlength=traffic.ranks)
    yield (traffic.pairs == degree.argmax()).any(axis=1)


def _levels(traffic: PairTraffic, left: Bools) -> list[VolumeLevel]:
    """Levels of what is left, as pairs of all."""
    result = []
    for level in levels(part_of(traffic, left)):
        seen = left.copy()
        seen[left] = level.seen
        result.append(VolumeLevel(level.number, seen, level.least, level.gap))
    return result


def _completed(traffic: PairTraffic, seen: Bools) -> Bools:
    """Add all pairs that communicate within the components of some."""
    component = graph_of(traffic.ranks, traffic.pairs[seen]).component_of
    joined: Bools = component[traffic.pairs[:, 0]] == component[traffic.pairs[:, 1]]
    return joined


def _unknown(traffic: PairTraffic, left: Bools) -> Match:
    rest = part_of(traffic, left)
    return match_topology(unknown(rest.graph), rest.places, traffic, 0, left)
