"""Matches with missing and extra edges, for levels that no member is exactly."""

from collections.abc import Iterable, Iterator

import numpy as np

from topoview.model import Indices, Match
from topoview.progress import Report, silent
from topoview.topology.graph import graph_of
from topoview.topology.levels import Level
from topoview.topology.library import (
    Recogniser,
    exact_matches,
    library_members,
    other_names,
)
from topoview.topology.matching import match_topology
from topoview.topology.noise.approximate import approximations
from topoview.topology.noise.fit import Fit
from topoview.topology.traffic import Traffic

QUIET = 0.05
"""Share of silent ranks up to which they may have lost all their edges."""

LISTED = 4
"""Matches that are listed."""


def noisy_matches(
    traffic: Traffic,
    cut: list[Level],
    patterns: Iterable[Recogniser] = (),
    report: Report = silent,
) -> list[Match]:
    """Match the topologies that the levels nearly are.

    What a level would be without noise is identified as if it had been seen, so that
    it gets all its names and natural places.

    Parameters
    ----------
    traffic
        Traffic of all pairs.
    cut
        The levels.
    patterns
        What recognises the user's own patterns.
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
    return sorted(matches.values(), key=_rank)[:LISTED]


def _rank(match: Match) -> tuple[float, int]:
    return -round(match.bytes_covered, 4), match.missing + match.extra


def _memberships(traffic: Traffic, level: Level) -> Iterator[Indices]:
    """Ranks that may be part of a level's topology: those seen, then all."""
    seen = np.zeros(traffic.ranks, bool)
    seen[traffic.pairs[level.seen]] = True
    yield np.flatnonzero(seen).astype(np.int32)
    if 0 < traffic.ranks - seen.sum() <= QUIET * traffic.ranks:
        yield np.arange(traffic.ranks, dtype=np.int32)


def _of_level(
    traffic: Traffic,
    level: Level,
    ranks: Indices,
    patterns: Iterable[Recogniser],
    report: Report,
) -> Iterator[Match]:
    pairs = traffic.pairs[level.seen]
    graph = graph_of(len(ranks), np.searchsorted(ranks, pairs).astype(np.int32))
    for fit in approximations(graph, library_members(graph.n), report)[:LISTED]:
        match = match_of(traffic, level, ranks, fit, patterns)
        if match is not None:
            yield match


def match_of(
    traffic: Traffic,
    level: Level,
    ranks: Indices,
    fit: Fit,
    patterns: Iterable[Recogniser] = (),
) -> Match | None:
    """Match what a level would be if it were exactly a fit, with all its names.

    Parameters
    ----------
    traffic, level
        The pairs.
    ranks : int32, shape (n,)
        Rank of each of the fit's vertices.
    fit
        The fit.
    patterns
        What recognises the user's own patterns.
    """
    found = exact_matches(traffic.ranks, ranks, ranks[fit.edges], patterns)
    if not found:
        return None
    return match_topology(
        found[0].topology,
        found[0].vertex,
        traffic,
        level.number,
        level.seen,
        other_names(found),
    )
