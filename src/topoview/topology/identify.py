"""The identification: which topology explains the communication."""

import time
from collections.abc import Iterable

import numpy as np

from topoview.model import (
    Bools,
    CommunicationMatrix,
    Identification,
    Indices,
    Match,
    Structure,
)
from topoview.progress import Report, breathe, breathing, silent
from topoview.topology.graph import Graph, graph_of
from topoview.topology.kinds.shapes import none, unknown
from topoview.topology.levels import Level, bands, levels
from topoview.topology.library import Recogniser, exact_matches, other_names
from topoview.topology.matching import match_topology
from topoview.topology.nearest import in_rank_order, relatives
from topoview.topology.noise.matches import noisy_matches
from topoview.topology.remainder import remainder
from topoview.topology.traffic import Traffic, pair_traffic
from topoview.topology.unknown_nearest import nearest_matches
from topoview.topology.unknown_structure import structure

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
    with breathing(report, "identifying"):
        traffic = pair_traffic(matrix)
        breathe()
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


def _structure(traffic: Traffic, answer: Match) -> Structure | None:
    if answer.topology.kind != "unknown":
        return None
    members = traffic.members
    graph = _graph(traffic, members, np.ones(len(traffic.pairs), bool))
    return structure(graph, members, traffic.ranks)


def _no_messages(traffic: Traffic) -> Match:
    silent_ranks = np.full(traffic.ranks, -1, np.int32)
    return match_topology(none(), silent_ranks, traffic, 0, np.zeros(0, bool))


def _warnings(traffic: Traffic) -> tuple[str, ...]:
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
    traffic: Traffic,
    cut: list[Level],
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
    with breathing(report, "looking past noise", 0.5):
        noisy = noisy_matches(traffic, cut, patterns, report)
    if noisy:
        return [*noisy, itself]
    overlying = _overlying(traffic, first, patterns)
    if overlying:
        return [*overlying, itself]
    near = in_rank_order(traffic)
    if near and _explains(near[0]):
        return [*near, itself]
    with breathing(report, "looking for what is nearest", 0.5):
        return [itself, *nearest_matches(traffic, first, report)]


def _overlying(
    traffic: Traffic, level: Level, patterns: tuple[Recogniser, ...]
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


def _graph(traffic: Traffic, members: Indices, seen: Bools) -> Graph:
    place = np.zeros(traffic.ranks, np.int32)
    place[members] = np.arange(len(members))
    return graph_of(len(members), place[traffic.pairs[seen]])


def _spread(traffic: Traffic, members: Indices, places: np.ndarray) -> Indices:
    vertex = np.full(traffic.ranks, -1, np.int32)
    vertex[members] = places
    return vertex
