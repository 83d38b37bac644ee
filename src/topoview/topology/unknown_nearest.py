"""Members of the library that an unknown graph is nearest to."""

from topoview.model import Match
from topoview.progress import Report, silent
from topoview.topology.graph import Graph, graph_of
from topoview.topology.levels import Level
from topoview.topology.library import library_members
from topoview.topology.nearest import MOST, in_rank_order
from topoview.topology.noise.approximate import GROWN, LARGEST
from topoview.topology.noise.fit import Fit
from topoview.topology.noise.lattices import grown_lattices
from topoview.topology.noise.matches import match_of
from topoview.topology.noise.members import nearest_members
from topoview.topology.noise.plain import plain_fits
from topoview.topology.traffic import Traffic

WORK = 500_000
"""Edges that are looked at in all, at least."""

PER_EDGE = 64
"""Edges that are looked at for each edge, at least."""


def nearest_matches(
    traffic: Traffic, level: Level, report: Report = silent
) -> list[Match]:
    """Match the members of the library that differ least from an unknown graph.

    Lattices in rank order; under any numbering those that grow over the graph, and
    other members whose degrees fit, up to `LARGEST` ranks all. Linear in the edges.
    Their edits are counted; that there is nothing nearer is not proven.

    Parameters
    ----------
    traffic
        Traffic of all pairs.
    level
        The pairs that are compared.
    report
        May raise `Cancelled`.

    Returns
    -------
    list of Match
        At most `MOST`, fewest edits first; none that a graph without edges would be
        as near to.
    """
    matches = {match.topology.name: match for match in in_rank_order(traffic)}
    ranks = traffic.members
    pairs = traffic.pairs[level.seen]
    graph = graph_of(len(ranks), ranks.searchsorted(pairs).astype("int32"))
    for fit in _fits(graph, report):
        match = match_of(traffic, level, ranks, fit)
        if match is not None:
            name = match.topology.name
            matches[name] = min(match, matches.get(name, match), key=_edits)
    return sorted(matches.values(), key=_edits)[:MOST]


def _fits(graph: Graph, report: Report) -> list[Fit]:
    most = len(graph.edges) - 1
    fits = plain_fits(graph)
    if graph.n >= GROWN:
        fits += grown_lattices(graph, report)
    best = min([most, *(fit.edits for fit in fits)])
    every = graph.n <= LARGEST
    # many lattices have as many vertices: beyond, growth finds those that are near
    members = library_members(graph.n, without=() if every else ("lattice",))
    work = max(WORK, PER_EDGE * len(graph.edges))
    fits += nearest_members(graph, members, best, report, (work, 0.0))
    near = [fit for fit in fits if fit.edits <= most and (every or _alike(graph, fit))]
    return sorted(near, key=lambda fit: fit.edits)[:MOST]


def _alike(graph: Graph, fit: Fit) -> bool:
    """Tell whether most edges of both are in the other."""
    matched = len(fit.edges) - fit.missing
    return 2 * matched >= max(len(fit.edges), len(graph.edges))


def _edits(match: Match) -> int:
    return match.missing + match.extra
