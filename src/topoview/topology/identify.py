"""The identification: which topology explains the communication."""

import time
from collections.abc import Callable, Iterable

import numpy as np

from topoview.model import (
    Bools,
    CommunicationMatrix,
    Identification,
    Indices,
    Match,
)
from topoview.progress import Report, silent
from topoview.topology.aliases import complete_aliases
from topoview.topology.cg import recognise_cg
from topoview.topology.graph import Graph, graph_of
from topoview.topology.levels import Level, levels
from topoview.topology.matching import match_topology
from topoview.topology.nearest import in_rank_order, relatives
from topoview.topology.recognition import Exact, lattices
from topoview.topology.shapes import complete, none, star, unknown
from topoview.topology.traffic import Traffic, pair_traffic
from topoview.topology.tree import recognise_trees

MAJORITY = 0.5
"""Share of all bytes from which on a lattice that is fully used, and few other pairs,
is a better answer than ``unknown``."""

Recogniser = Callable[[Graph], list[Exact]]
"""Finds all ways in which a connected graph is one kind of topology."""


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
    ranks, every edge verified. If there is none, it is a lattice in rank order
    that is fully used and carries most bytes, or else ``unknown``.

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
    if not len(traffic.pairs):
        matches = [_no_messages(traffic)]
    else:
        cut = levels(traffic, threshold)
        matches = _matches(traffic, cut, (*patterns, *KINDS.values()), report)
    return Identification(
        ranks=matrix.ranks,
        matches=tuple(matches),
        warnings=_warnings(traffic),
        seconds=time.perf_counter() - began,
    )


def _no_messages(traffic: Traffic) -> Match:
    silent_ranks = np.full(traffic.ranks, -1, np.int32)
    return match_topology(none(), silent_ranks, traffic, 0, np.zeros(0, bool))


def _warnings(traffic: Traffic) -> tuple[str, ...]:
    quiet = traffic.ranks - len(traffic.members)
    if not quiet or quiet == traffic.ranks:
        return ()
    return (f"{quiet} of {traffic.ranks} ranks send no message to another rank.",)


def _matches(
    traffic: Traffic,
    cut: list[Level],
    recognisers: tuple[Recogniser, ...],
    report: Report,
) -> list[Match]:
    members = traffic.members
    matches = []
    for level in cut:
        report("identifying", level.number / len(cut))
        graph = _graph(traffic, members, level.seen)
        found = _exact(graph, recognisers)
        if found:
            best = found[0]
            vertex = _spread(traffic, members, best.vertex)
            also = _other_names(found)
            matches.append(
                match_topology(
                    best.topology, vertex, traffic, level.number, level.seen, also
                )
            )
    if matches:
        seen = next(level.seen for level in cut if level.number == matches[0].level)
        return matches + relatives(matches[0], traffic, seen)
    first = cut[0]
    graph = _graph(traffic, members, first.seen)
    vertex = _spread(traffic, members, np.arange(graph.n))
    itself = match_topology(unknown(graph), vertex, traffic, first.number, first.seen)
    near = in_rank_order(traffic)
    if near and _explains(near[0]):
        return [*near, itself]
    return [itself, *near]


def _explains(match: Match) -> bool:
    """Tell whether a lattice that leaves pairs out is better than ``unknown``."""
    few = 2 * match.extra <= match.matched
    return not match.missing and few and match.bytes_covered >= MAJORITY


def _graph(traffic: Traffic, members: Indices, seen: Bools) -> Graph:
    edges = np.searchsorted(members, traffic.pairs[seen]).astype(np.int32)
    return graph_of(len(members), edges)


def _spread(traffic: Traffic, members: Indices, places: np.ndarray) -> Indices:
    vertex = np.full(traffic.ranks, -1, np.int32)
    vertex[members] = places
    return vertex


def _exact(graph: Graph, recognisers: tuple[Recogniser, ...]) -> list[Exact]:
    """All ways in which a graph is a member of the library, best first."""
    if not graph.connected:
        return []
    found = [f for recognise in recognisers for f in recognise(graph)]
    return sorted(found, key=lambda exact: min(exact.distance, 0.5))


def _other_names(found: list[Exact]) -> tuple[str, ...]:
    names = [name for exact in found for name in (exact.topology.name, *exact.also)]
    return tuple(dict.fromkeys(names[1:]))


def _stars(graph: Graph) -> list[Exact]:
    n = graph.n
    if n < 2 or len(graph.edges) != n - 1 or graph.degree.max() != n - 1:
        return []
    master = int(graph.degree.argmax())
    vertex = np.arange(n)
    vertex[:master] += 1
    vertex[master] = 0
    distance = 3 * float(np.mean(np.abs(vertex - np.arange(n)))) / n
    return [Exact(star(n), vertex, distance)]


def _completes(graph: Graph) -> list[Exact]:
    n = graph.n
    if n < 2 or len(graph.edges) != n * (n - 1) // 2:
        return []
    return [Exact(complete(n), np.arange(n), 0.0, complete_aliases(n))]


KINDS: dict[str, Recogniser] = {
    "lattice": lattices,
    "complete": _completes,
    "star": _stars,
    "tree": recognise_trees,
    "cg": recognise_cg,
}
"""What recognises each kind; among equally natural ones the first wins."""
