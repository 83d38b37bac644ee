"""The identification: which topology explains the communication, and what it leaves.

The levels of volume are compared with the library, exactly and then past noise. What
the answer leaves is identified in its turn; on a lattice it may be longer steps, the
coarse levels of multigrid programs.
"""

import time
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from topoview.model import (
    AXES,
    Bools,
    CommunicationMatrix,
    GraphStructure,
    Identification,
    Indices,
    Ints,
    Match,
    Topology,
    distinct,
)
from topoview.progress import Report, silent
from topoview.topology.graph.graph import Graph, edge_keys, graph_of, unique_edges
from topoview.topology.identification.nearest import (
    in_rank_order,
    nearest_matches,
    relatives,
)
from topoview.topology.identification.structure import structure
from topoview.topology.identification.traffic import (
    PairTraffic,
    VolumeLevel,
    bands,
    levels,
    match_topology,
    merged_in,
    pair_traffic,
    part_of,
)
from topoview.topology.kinds.complete import none, unknown
from topoview.topology.library import exact_matches
from topoview.topology.members import Recogniser, other_names
from topoview.topology.noise.matches import noisy_matches

# Longer steps on an answer's lattice: the coarse levels of multigrid programs.

MAX_STRIDES = 12
"""Different steps, each along one axis, that are still a pattern."""

MIN_PAIRS_PER_STRIDE = 2
"""Pairs that share a step on average; fewer are chance."""


def strides_match(traffic: PairTraffic, left: Bools, answer: Match) -> Match | None:
    """Match the pairs that are one longer step along an axis apart.

    In multigrid each coarser grid lives on every second place of the finer one, so
    that its neighbours are 2, 4, ... places apart (Briggs, Henson, McCormick, 2000,
    "A multigrid tutorial", chapter 3).

    Parameters
    ----------
    traffic
        Traffic of all pairs.
    left : bool, shape (pairs,)
        Pairs that the answer does not explain.
    answer
        The answer; only lattices have strides.

    Returns
    -------
    Match or None
        Of the pairs that are such steps, all of them seen, or None unless they are
        most of what is left. Its topology is of kind ``strides`` and has the
        lattice's dims, periods and coordinates, and the steps as offsets.
    """
    lattice = answer.topology
    if lattice.kind != "lattice":
        return None
    where = np.flatnonzero(left)
    ends = answer.vertex[traffic.pairs[where]].astype(np.int64)
    inside = (ends >= 0).all(axis=1)
    where, ends = where[inside], ends[inside]
    steps = _steps(lattice, ends)
    along = ((steps != 0).sum(axis=1) == 1) & (steps.max(axis=1, initial=0) > 1)
    if not along.any() or 2 * along.sum() < left.sum():
        return None
    offsets = np.unique(steps[along], axis=0)
    if len(offsets) > MAX_STRIDES or along.sum() < MIN_PAIRS_PER_STRIDE * len(offsets):
        return None
    seen = np.zeros(len(left), bool)
    seen[where[along]] = True
    edges = unique_edges(lattice.vertices, ends[along, 0], ends[along, 1])
    listed = tuple(tuple(row) for row in offsets.tolist())
    topology = Topology(
        "strides",
        _name(offsets),
        lattice.dims,
        lattice.periodic,
        listed,
        edges,
        lattice.coordinates,
    )
    return match_topology(topology, answer.vertex, traffic, 0, seen)


def _steps(lattice: Topology, ends: Ints) -> Ints:
    """How far apart places are along each axis, the shortest way round."""
    places = lattice.coordinates.astype(np.int64)
    apart = np.abs(places[ends[:, 1]] - places[ends[:, 0]])
    dims, wraps = np.array(lattice.dims), np.array(lattice.periodic, bool)
    shortest: Ints = np.where(wraps, np.minimum(apart, dims - apart), apart)
    return shortest


def _name(offsets: Ints) -> str:
    """Name steps by their axes: ``strides 2, 4 in x; 2 in z``, alike ones together."""
    by_axis = [sorted(column[column > 0].tolist()) for column in offsets.T]
    if len(by_axis) > 1 and all(lengths == by_axis[0] for lengths in by_axis):
        return f"strides {', '.join(map(str, by_axis[0]))} along each axis"
    words: list[str] = []
    for axis, lengths in enumerate(by_axis):
        if lengths:
            word = "strides" if not words else ""
            name = AXES[axis] if axis < len(AXES) else f"axis {axis}"
            words.append(f"{word} {', '.join(map(str, lengths))} in {name}".strip())
    return "; ".join(words)


# What explains the pairs of ranks that an answer leaves, in turn.

MAX_REMAINDERS = 4
"""Topologies that are found in what is left, at most."""

MIN_SHARE_OF_RANKS = 0.5
"""Share of the communicating ranks that a topology in what is left must join: a few
pairs alone are always a library member, and mean nothing."""


def remainder(
    traffic: PairTraffic,
    answer: Match,
    patterns: Iterable[Recogniser] = (),
    report: Report = silent,
) -> tuple[Match, ...]:
    """Identify what an answer leaves, then what is left of that, and so on.

    Parameters
    ----------
    traffic
        Traffic of all pairs.
    answer
        The answer.
    patterns
        What recognises the user's own patterns.
    report
        May raise `Cancelled`.

    Returns
    -------
    tuple of Match
        In turn; the last may be ``unknown``. Empty if the answer leaves nothing. A
        match may have pairs that the answer has, too: all-to-all rows contain the
        neighbours of a torus.
    """
    patterns = tuple(patterns)
    found: list[Match] = []
    left = ~carried(traffic, answer)
    while left.any() and len(found) < MAX_REMAINDERS:
        report("identifying what is left", len(found) / MAX_REMAINDERS)
        match = (
            strides_match(traffic, left, answer)
            or _member(traffic, left, patterns)
            or _noisy(traffic, left, patterns, report)
            or _unknown(traffic, left)
        )
        found.append(_without_own(traffic, match))
        left &= ~carried(traffic, match)
    return tuple(found)


def _without_own(traffic: PairTraffic, match: Match) -> Match:
    """Leave messages to oneself to the answer, which covers them."""
    calls = int(traffic.calls.sum()) + traffic.own_calls + traffic.unrecorded
    volume = int(traffic.volume.sum()) + traffic.own_volume
    return replace(
        match,
        calls_covered=max(0.0, match.calls_covered - traffic.own_calls / max(calls, 1)),
        bytes_covered=max(
            0.0, match.bytes_covered - traffic.own_volume / max(volume, 1)
        ),
    )


def carried(traffic: PairTraffic, match: Match) -> Bools:
    """Tell which pairs are edges of a match's topology: bool, shape (pairs,)."""
    n = max(traffic.ranks, 1)
    return merged_in(edge_keys(n, traffic.pairs), edge_keys(n, match.rank_edges))


def _member(
    traffic: PairTraffic, left: Bools, patterns: tuple[Recogniser, ...]
) -> Match | None:
    """Match the finest level of what is left that is a member, alone or completed.

    Completed by the pairs that the answer has among the same ranks.
    """
    for level in _levels(traffic, left):
        for seen in (level.seen, _completed(traffic, level.seen)):
            pairs = traffic.pairs[seen]
            members = distinct(pairs).astype(np.int32)
            if len(members) < MIN_SHARE_OF_RANKS * len(traffic.members):
                continue
            found = exact_matches(traffic.ranks, members, pairs, patterns)
            if found:
                best = found[0]
                return match_topology(
                    best.topology,
                    best.vertex,
                    traffic,
                    level.number,
                    seen,
                    other_names(found),
                )
    return None


def _levels(traffic: PairTraffic, left: Bools) -> list[VolumeLevel]:
    """Levels of what is left, as pairs of all."""
    where = np.flatnonzero(left)
    found = []
    for level in levels(part_of(traffic, left)):
        seen = np.zeros(len(left), bool)
        seen[where[level.seen]] = True
        found.append(VolumeLevel(level.number, seen, level.least, level.gap))
    return found


def _completed(traffic: PairTraffic, seen: Bools) -> Bools:
    """Add all pairs that communicate within the components of some."""
    component = graph_of(traffic.ranks, traffic.pairs[seen]).component_of
    joined: Bools = component[traffic.pairs[:, 0]] == component[traffic.pairs[:, 1]]
    return joined


def _noisy(
    traffic: PairTraffic, left: Bools, patterns: tuple[Recogniser, ...], report: Report
) -> Match | None:
    reached: Indices = distinct(traffic.pairs[left])
    if len(reached) < MIN_SHARE_OF_RANKS * len(traffic.members) or 2 * left.sum() < len(
        reached
    ):
        return None
    matches = noisy_matches(traffic, _levels(traffic, left), patterns, report)
    return matches[0] if matches else None


def _unknown(traffic: PairTraffic, left: Bools) -> Match:
    pairs = traffic.pairs[left]
    members = distinct(pairs)
    graph = graph_of(len(members), np.searchsorted(members, pairs).astype(np.int32))
    vertex = np.full(traffic.ranks, -1, np.int64)
    vertex[members] = np.arange(len(members))
    return match_topology(unknown(graph), vertex, traffic, 0, left)


MAJORITY = 0.5
"""Share of all bytes from which on a lattice that is fully used, and few other pairs,
is a better answer than ``unknown``."""


def identify(
    matrix: CommunicationMatrix,
    report: Report = silent,
    *,
    threshold: float | None = None,
    patterns: Iterable[Recogniser] = (),
) -> Identification:
    """Find the topology that explains who communicates with whom.

    The pairs of ranks fall into levels by volume. The answer is the finest
    level that is exactly a member of the library, under any numbering of the
    ranks, every edge verified. If there is none, it is the member that a level
    nearly is, its edits counted; one that other patterns overlie; a lattice in
    rank order that is fully used; or else ``unknown``.

    Parameters
    ----------
    matrix
        Traffic of all pairs of ranks.
    report
        Told which level is looked at; may raise `Cancelled`.
    threshold
        Fraction of the bytes of the largest pair that a pair must have; if not
        given, levels are cut where volumes fall.
    patterns
        What recognises the user's own patterns; they go before the library.
    """
    began = time.perf_counter()
    traffic = pair_traffic(matrix)
    wanted = tuple(patterns)
    rest: tuple[Match, ...] = ()
    if not len(traffic.pairs):
        matches = [_no_messages(traffic)]
    else:
        cut = levels(traffic, threshold)
        matches = _matches(traffic, cut, wanted, report)
        rest = remainder(traffic, matches[0], wanted, report)
    return Identification(
        ranks=matrix.ranks,
        matches=tuple(matches),
        warnings=(*_warnings(traffic), *_tie(matches)),
        seconds=time.perf_counter() - began,
        remainder=rest,
        structure=_structure(traffic, matches[0]),
    )


def _structure(traffic: PairTraffic, answer: Match) -> GraphStructure | None:
    if answer.topology.kind != "unknown":
        return None
    members = traffic.members
    graph = _graph(traffic, members, np.ones(len(traffic.pairs), bool))
    return structure(graph, members, traffic.ranks)


def _no_messages(traffic: PairTraffic) -> Match:
    silent_ranks = np.full(traffic.ranks, -1, np.int32)
    topology = none(traffic.own_calls, traffic.unrecorded)
    return match_topology(topology, silent_ranks, traffic, 0, np.zeros(0, bool))


def _warnings(traffic: PairTraffic) -> tuple[str, ...]:
    quiet = traffic.ranks - len(traffic.members)
    if not quiet or quiet == traffic.ranks:
        return ()
    return (f"{quiet} of {traffic.ranks} ranks send no message to another rank.",)


def _tie(matches: list[Match]) -> tuple[str, ...]:
    """Warn of matches that fit as well as the answer does, with as many edits."""
    best = matches[0]
    edits = best.missing + best.extra
    equal = [
        match.topology.name
        for match in matches[1:]
        if match.level == best.level
        and match.missing + match.extra == edits > 0
        and match.topology.kind != "unknown"
    ]
    if not equal:
        return ()
    return (f"{', '.join(equal)} fits as well: {edits} edges differ there, too.",)


def _matches(
    traffic: PairTraffic,
    cut: list[VolumeLevel],
    patterns: tuple[Recogniser, ...],
    report: Report,
) -> list[Match]:
    members = traffic.members
    matches = []
    for level in cut:
        report("identifying", level.number / len(cut))
        pairs = traffic.pairs[level.seen]
        found = exact_matches(traffic.ranks, members, pairs, patterns)
        if found:
            best, also = found[0], other_names(found)
            matches.append(
                match_topology(
                    best.topology,
                    best.vertex,
                    traffic,
                    level.number,
                    level.seen,
                    also,
                )
            )
    if matches:
        seen = next(level.seen for level in cut if level.number == matches[0].level)
        return matches + relatives(matches[0], traffic, seen)
    first = cut[0]
    graph = _graph(traffic, members, first.seen)
    vertex = _spread(traffic, members, np.arange(graph.n))
    itself = match_topology(unknown(graph), vertex, traffic, first.number, first.seen)
    noisy = noisy_matches(traffic, cut, patterns, report)
    if noisy:
        return [*noisy, itself]
    overlying = _overlying(traffic, first, patterns)
    if overlying:
        return [*overlying, itself]
    near = in_rank_order(traffic)
    if near and _explains(near[0]):
        return [*near, itself]
    return [itself, *nearest_matches(traffic, first, report)]


def _overlying(
    traffic: PairTraffic, level: VolumeLevel, patterns: tuple[Recogniser, ...]
) -> list[Match]:
    """Match members of the library that others overlie, most bytes covered first."""
    matches = []
    for band in bands(traffic):
        pairs = traffic.pairs[band & level.seen]
        for best in exact_matches(traffic.ranks, traffic.members, pairs, patterns)[:1]:
            match = match_topology(
                best.topology, best.vertex, traffic, level.number, level.seen, best.also
            )
            if match.bytes_covered >= MAJORITY:
                matches.append(match)
    return sorted(matches, key=lambda match: -match.bytes_covered)[:1]


def _explains(match: Match) -> bool:
    """Tell whether a lattice that leaves pairs out is better than ``unknown``."""
    few = 2 * match.extra <= match.matched
    return not match.missing and few and match.bytes_covered >= MAJORITY


def _graph(traffic: PairTraffic, members: Indices, seen: Bools) -> Graph:
    place = np.zeros(traffic.ranks, np.int32)
    place[members] = np.arange(len(members))
    return graph_of(len(members), place[traffic.pairs[seen]])


def _spread(traffic: PairTraffic, members: Indices, places: np.ndarray) -> Indices:
    vertex = np.full(traffic.ranks, -1, np.int32)
    vertex[members] = places
    return vertex
