"""What explains the pairs of ranks that an answer leaves, in turn."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from topoview.model import Bools, Indices, Match, distinct
from topoview.progress import Report, breathe, silent
from topoview.topology.graph import edge_keys, graph_of
from topoview.topology.kinds.shapes import unknown
from topoview.topology.levels import Level, levels
from topoview.topology.library import Recogniser, exact_matches, other_names
from topoview.topology.matching import match_topology, merged_in
from topoview.topology.noise.matches import noisy_matches
from topoview.topology.remainder_strides import strides_match
from topoview.topology.traffic import Traffic, part_of

MOST = 4
"""Topologies that are found in what is left, at most."""

REACH = 0.5
"""Share of the communicating ranks that a topology in what is left must join: a few
pairs alone are always a library member, and mean nothing."""


def remainder(
    traffic: Traffic,
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
    while left.any() and len(found) < MOST:
        report("identifying what is left", len(found) / MOST)
        match = (
            strides_match(traffic, left, answer)
            or _member(traffic, left, patterns)
            or _noisy(traffic, left, patterns, report)
            or _unknown(traffic, left)
        )
        found.append(_without_own(traffic, match))
        left &= ~carried(traffic, match)
    return tuple(found)


def _without_own(traffic: Traffic, match: Match) -> Match:
    """Leave messages to oneself to the answer, which covers them."""
    calls = int(traffic.calls.sum()) + traffic.own_calls
    volume = int(traffic.volume.sum()) + traffic.own_volume
    return replace(
        match,
        calls_covered=max(0.0, match.calls_covered - traffic.own_calls / max(calls, 1)),
        bytes_covered=max(
            0.0, match.bytes_covered - traffic.own_volume / max(volume, 1)
        ),
    )


def carried(traffic: Traffic, match: Match) -> Bools:
    """Tell which pairs are edges of a match's topology: bool, shape (pairs,)."""
    n = max(traffic.ranks, 1)
    breathe()
    return merged_in(edge_keys(n, traffic.pairs), edge_keys(n, match.rank_edges))


def _member(
    traffic: Traffic, left: Bools, patterns: tuple[Recogniser, ...]
) -> Match | None:
    """Match the finest level of what is left that is a member, alone or completed.

    Completed by the pairs that the answer has among the same ranks.
    """
    for level in _levels(traffic, left):
        for seen in (level.seen, _completed(traffic, level.seen)):
            pairs = traffic.pairs[seen]
            members = distinct(pairs).astype(np.int32)
            if len(members) < REACH * len(traffic.members):
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


def _levels(traffic: Traffic, left: Bools) -> list[Level]:
    """Levels of what is left, as pairs of all."""
    where = np.flatnonzero(left)
    found = []
    for level in levels(part_of(traffic, left)):
        seen = np.zeros(len(left), bool)
        seen[where[level.seen]] = True
        found.append(Level(level.number, seen, level.least, level.gap))
    return found


def _completed(traffic: Traffic, seen: Bools) -> Bools:
    """Add all pairs that communicate within the components of some."""
    component = graph_of(traffic.ranks, traffic.pairs[seen]).component_of
    joined: Bools = component[traffic.pairs[:, 0]] == component[traffic.pairs[:, 1]]
    return joined


def _noisy(
    traffic: Traffic, left: Bools, patterns: tuple[Recogniser, ...], report: Report
) -> Match | None:
    reached: Indices = distinct(traffic.pairs[left])
    if len(reached) < REACH * len(traffic.members) or 2 * left.sum() < len(reached):
        return None
    matches = noisy_matches(traffic, _levels(traffic, left), patterns, report)
    return matches[0] if matches else None


def _unknown(traffic: Traffic, left: Bools) -> Match:
    pairs = traffic.pairs[left]
    members = distinct(pairs)
    graph = graph_of(len(members), np.searchsorted(members, pairs).astype(np.int32))
    vertex = np.full(traffic.ranks, -1, np.int64)
    vertex[members] = np.arange(len(members))
    return match_topology(unknown(graph), vertex, traffic, 0, left)
