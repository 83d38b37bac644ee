"""Matches with missing and extra edges, for levels that no member is exactly.

All methods are tried, each for what would be nearer than those before it; what a level
would be without noise is then identified as if it had been seen.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from topoview.base.progress import Report, silent
from topoview.model import Bools, Indices, Match
from topoview.topology.graph.graph import Graph, graph_of, induced, unique_edges
from topoview.topology.graph.refinement import canonical_order
from topoview.topology.identification.description import left_out
from topoview.topology.identification.traffic import (
    PairTraffic,
    VolumeLevel,
    match_topology,
)
from topoview.topology.library import exact, exact_matches, library_members
from topoview.topology.members import Member, Recogniser, other_names
from topoview.topology.noise.contained import contained_lattices
from topoview.topology.noise.few_edits import few_edits
from topoview.topology.noise.fit import Fit, scattered
from topoview.topology.noise.fitted_members import nearest_members, plain_fits
from topoview.topology.noise.grown_lattices import grown_lattices
from topoview.topology.noise.made_of_parts import fits_of_groups

# What a graph would be if some edges were not missing and others were not there.

MIN_VERTICES = 8
"""Vertices below which a graph that is no member is not near to one either."""

MIN_GROWN_VERTICES = 16
"""Vertices from which on lattices are grown."""

ORDERS_TRIED = 3
"""Orders in which small graphs are searched."""

SMALL_GRAPH = 64
"""Vertices below which less noise is allowed: small graphs are all near each other."""

MAX_EDITS_PER_EDGE = {"large": 0.12, "small": 0.08}
"""Edits per edge up to which a member explains a graph, 3 % missing and 3 % extra
edges with room for chance."""

MAX_MEMBER_VERTICES = 1024
"""Vertices up to which members that are no lattices are tried."""


def most_edits(graph: Graph) -> int:
    """Edits up to which a member explains a graph."""
    share = MAX_EDITS_PER_EDGE["small" if graph.n < SMALL_GRAPH else "large"]
    return int(share * len(graph.edges) + 0.25)


def approximations(
    graph: Graph, members: Sequence[Member], report: Report = silent
) -> list[Fit]:
    """Find the members of the library that a graph nearly is.

    Parameters
    ----------
    members
        Members with as many vertices; up to `MAX_MEMBER_VERTICES` they are tried.
    report
        May raise `Cancelled`.

    Returns
    -------
    list of Fit
        Fewest edits first, none with more than `most_edits`. All edits are counted.
    """
    most = most_edits(graph)
    if graph.n < MIN_VERTICES or not most:
        return []
    fits = plain_fits(graph, most)
    if graph.n >= SMALL_GRAPH:
        fits += grown_lattices(graph, report)
    elif graph.n >= MIN_GROWN_VERTICES:
        fits += in_any_order(
            graph, lambda one: grown_lattices(one, report), ORDERS_TRIED
        )
    least = min([most, *(fit.edits for fit in fits if not fit.left_out)])
    if graph.n <= MAX_MEMBER_VERTICES:
        few = few_edits(graph, members, least, report)
        fits += few or nearest_members(graph, members, least, report)
        fits += fits_of_groups(graph, lambda part: _of_part(part, report))
    close = [fit for fit in fits if fit.edits <= most and scattered(graph, fit)]
    return sorted(close, key=lambda fit: fit.edits)


def _of_part(graph: Graph, report: Report) -> list[Fit]:
    """Find what a part of a graph is, or nearly is, the shortest to tell first."""
    matches = exact(graph)[:1]
    fits = [Fit("", graph.edges, 0, 0, left_out(one.topology)) for one in matches]
    if any(not fit.left_out for fit in fits):
        return fits
    fits += approximations(graph, list(library_members(graph.n)), report)
    return sorted(fits, key=lambda fit: fit.bits)


def in_any_order(
    graph: Graph, search: Callable[[Graph], list[Fit]], orders: int = 1
) -> list[Fit]:
    """Search a graph whose vertices are numbered by what they are, not as they come.

    So what is found does not depend on the numbers of the ranks. Searches that begin at
    the first vertices find more in several orders, all made from the canonical one.
    """
    rng = np.random.default_rng(1)
    order = canonical_order(graph)
    result = []
    for _ in range(orders):
        number = np.empty_like(order)
        number[order] = np.arange(graph.n)
        ends = number[graph.edges]
        other = graph_of(graph.n, unique_edges(graph.n, ends[:, 0], ends[:, 1]))
        result += [
            replace(fit, edges=unique_edges(graph.n, *order[fit.edges].T))
            for fit in search(other)
        ]
        order = order[rng.permutation(graph.n)]
    return result


MAX_SHARE_SILENT = 0.05
"""Share of silent ranks up to which they may have lost all their edges."""

MAX_MATCHES_LISTED = 4
"""Matches that are listed."""


def noisy_matches(
    traffic: PairTraffic,
    cut: list[VolumeLevel],
    patterns: Iterable[Recogniser] = (),
    report: Report = silent,
) -> list[Match]:
    """Match the topologies that the levels nearly are.

    What a level would be without noise is identified as if it had been seen, so that
    it gets all its names and natural places.

    Parameters
    ----------
    report
        May raise `Cancelled`.

    Returns
    -------
    list of Match
        Most bytes covered first, then fewest edits.
    """
    matches: dict[tuple[str, int], Match] = {}
    for level in cut:
        for ranks in _memberships(traffic, level):
            for match in _of_level(traffic, level, ranks, patterns, report):
                matches.setdefault((match.topology.name, match.level), match)
    return sorted(matches.values(), key=_rank)[:MAX_MATCHES_LISTED]


def _rank(match: Match) -> tuple[float, int]:
    return -round(match.bytes_covered, 4), match.edits


def _memberships(traffic: PairTraffic, level: VolumeLevel) -> Iterator[Indices]:
    """Ranks that may be part of a level's topology: those seen, then all."""
    seen = np.zeros(traffic.ranks, bool)
    seen[traffic.pairs[level.seen]] = True
    yield np.flatnonzero(seen).astype(np.int32)
    if 0 < traffic.ranks - seen.sum() <= MAX_SHARE_SILENT * traffic.ranks:
        yield np.arange(traffic.ranks, dtype=np.int32)


def _of_level(
    traffic: PairTraffic,
    level: VolumeLevel,
    ranks: Indices,
    patterns: Iterable[Recogniser],
    report: Report,
) -> Iterator[Match]:
    graph = induced(ranks, traffic.pairs[level.seen])
    members = list(library_members(graph.n)) if graph.n <= MAX_MEMBER_VERTICES else []
    fits = in_any_order(graph, lambda graph: approximations(graph, members, report))
    for fit in fits[:MAX_MATCHES_LISTED]:
        match = match_exactly(traffic, level, ranks, ranks[fit.edges], patterns)
        if match is not None:
            yield match


def contained_matches(
    traffic: PairTraffic, level: VolumeLevel, report: Report = silent
) -> Iterator[Match]:
    """Match the lattices that a level contains beside many other edges.

    Parameters are those of `noisy_matches`, for one level.
    """
    ranks = traffic.members
    graph = induced(ranks, traffic.pairs[level.seen])

    def search(graph: Graph) -> list[Fit]:
        return contained_lattices(graph, library_members(graph.n), report)

    for fit in in_any_order(graph, search):
        match = match_exactly(traffic, level, ranks, ranks[fit.edges])
        if match is not None:
            yield match


def match_exactly(  # noqa: PLR0913 - the pairs, and what a match consists of
    traffic: PairTraffic,
    level: VolumeLevel,
    ranks: Indices,
    pairs: Indices,
    patterns: Iterable[Recogniser] = (),
    exactly: Bools | None = None,
) -> Match | None:
    """Match what pairs of ranks exactly are, with all its names.

    Parameters
    ----------
    traffic, level
        What it is held against.
    ranks : int32, shape (n,)
        Ranks that have their place, ascending.
    pairs : int32, shape (p, 2)
        Pairs of these.
    patterns
        What recognises the user's own patterns.
    exactly : bool, shape (pairs of the traffic,), optional
        Which these pairs are, where they are some of the traffic's.
    """
    matches = exact_matches(traffic.ranks, ranks, pairs, patterns)
    if not matches:
        return None
    return match_topology(
        matches[0].topology,
        matches[0].vertex,
        traffic,
        level.number,
        level.seen,
        other_names(matches),
        exactly,
    )
