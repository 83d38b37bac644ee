"""The identification: which topology explains who communicates with whom.

Members of the library are candidates that pairs exactly are: all, those above a cut
through the volumes, those with about as much traffic; and those that a level nearly is.
The answer is the one with the shortest description
(`topoview.topology.identification.description`).
"""

import math
import time
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from topoview.base.progress import Report, silent
from topoview.model import (
    Bools,
    CommunicationMatrix,
    GraphStructure,
    Identification,
    Indices,
    Match,
    distinct,
)
from topoview.topology.graph.graph import induced
from topoview.topology.identification.components import Parts, near_matches
from topoview.topology.identification.description import (
    bits_of_pairs,
    bits_when_listed,
    description_bits,
    left_out,
)
from topoview.topology.identification.nearest import nearest_matches, relatives
from topoview.topology.identification.remainder import remainder
from topoview.topology.identification.structure import factor_names, structure
from topoview.topology.identification.traffic import (
    PairTraffic,
    VolumeLevel,
    around_hubs,
    bands,
    carried_pairs,
    least_bytes,
    levels,
    match_topology,
    pair_traffic,
    part_of,
)
from topoview.topology.kinds.complete import none, unknown
from topoview.topology.members import Recogniser
from topoview.topology.noise.matches import contained_matches, match_exactly


def identify(
    matrix: CommunicationMatrix,
    report: Report = silent,
    *,
    threshold: float | None = None,
    patterns: Iterable[Recogniser] = (),
) -> Identification:
    """Find the topology that explains who communicates with whom.

    Candidates are members of the library, under any numbering of the ranks, that
    some pairs exactly are: all, those above a cut through the volumes, those with
    about as much traffic. Every edge is verified. Where none leaves as little as noise
    would, those are, too, that a level nearly is, their edits counted. The answer is
    the one with the shortest description, ``unknown`` if none is shorter than a list
    of the pairs.

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

    def answer(own: PairTraffic) -> Match:
        return _matches(own, None, parts, report, is_part=True)[0]

    parts = Parts(answer, tuple(patterns))
    rest: tuple[Match, ...] = ()
    if not len(traffic.pairs):
        matches = [_no_messages(traffic)]
    else:
        matches = _matches(traffic, threshold, parts, report)
        rest = remainder(traffic, matches[0], parts, report)
    return Identification(
        ranks=matrix.ranks,
        matches=_distinct(matches),
        warnings=(*_warnings(traffic), *_tie(matches)),
        seconds=time.perf_counter() - began,
        remainder=rest,
        structure=_structure(traffic, matches[0]),
    )


def _distinct(matches: list[Match]) -> tuple[Match, ...]:
    """Leave out what another search has found before: the same with the same edits."""
    firsts: dict[tuple[str, int, int, int], Match] = {}
    for match in matches:
        key = match.topology.name, match.level, match.matched, match.edits
        firsts.setdefault(key, match)
    return tuple(firsts.values())


def _structure(traffic: PairTraffic, answer: Match) -> GraphStructure | None:
    if answer.topology.kind != "unknown":
        return None
    return structure(traffic.graph, traffic.members, traffic.ranks)


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
    edits = best.edits
    equal = [
        match.topology.name
        for match in matches[1:]
        if match.level == best.level
        and match.edits == edits > 0
        and match.topology.kind != "unknown"
    ]
    if not equal:
        return ()
    return (f"{', '.join(equal)} fits as well: {edits} edges differ there, too.",)


MIN_SHARE_OF_RANKS = 0.5
"""Share of the communicating ranks that an answer must join: a few loud pairs are
always a member of the library, and mean nothing."""

MAX_SHARE_LIGHT, MIN_GAP = 0.05, 10
"""Share of the bytes that light pairs have at most, and how many times as much heavy
ones carry: then what these are is no chance, on however few ranks, if they have most
messages, too."""

MAX_SHARE_EMPTY = 0.2
"""Share of the places of a lattice that may be empty if it is to be no chance."""

MAX_SHARE_LEFT = 0.12
"""Share of the messages, or bytes, that an exact answer leaves up to which it is not
asked what all pairs nearly are: as much as the edits that noise is allowed."""


class _Ranking:
    """Candidates for the answer, by the bits that describe the traffic with them."""

    def __init__(self, traffic: PairTraffic, first: VolumeLevel) -> None:
        self.traffic = part_of(traffic, first.seen)
        self.ranks = len(traffic.members)
        nothing = np.zeros(len(self.traffic.pairs), bool)
        self.unknown = bits_of_pairs(self.traffic, nothing, 0, self.ranks)
        self.candidates: list[tuple[float, Match]] = []

    def add(self, matches: Iterable[Match]) -> None:
        """Weigh matches; those that leave nothing of weight are never ``unknown``.

        Others are where they are no shorter than a list of the pairs they explain.
        """
        for match in matches:
            bits = description_bits(self.traffic, match, self.ranks)
            if not match.missing and self.leaves_light(match):
                bits = min(bits, self.unknown)
            elif bits > bits_when_listed(self.traffic, match, self.ranks):
                bits = math.inf
            self.candidates.append((bits, match))

    def leaves_light(self, match: Match) -> bool:
        """Return whether a match leaves no pair, or is a lattice and others are light.

        And few places: of a lattice with many empty ones a fit says little, as does one
        of different pieces, or of a small tree.
        """
        carried = carried_pairs(self.traffic, match)
        empty = left_out(match.topology)
        if empty > MAX_SHARE_EMPTY * (empty + match.topology.vertices):
            return False
        kind = match.topology.kind
        if carried.all() or kind not in ("lattice", "part", "user"):
            return bool(carried.all()) and kind != "union"
        volume = np.maximum(self.traffic.volume, 1)
        calls, size = self.shares_left(match)
        return bool(
            calls < 0.5
            and size <= MAX_SHARE_LIGHT
            and volume[carried].min() >= MIN_GAP * volume[~carried].max()
        )

    def shares_left(self, match: Match) -> tuple[float, float]:
        """Shares of the messages, and of the bytes, that a match leaves."""
        left = ~carried_pairs(self.traffic, match)
        calls, size = (
            float(one[left].sum() / max(one.sum(), 1))
            for one in (self.traffic.calls, self.traffic.volume)
        )
        return calls, size

    def differences(self, match: Match) -> int:
        """Count the pairs in which a match's topology and all traffic differ."""
        carried = carried_pairs(self.traffic, match)
        return int((~carried).sum()) + match.missing

    def could_win(self, seen: Bools) -> bool:
        """Return whether an exact answer of some pairs might be shorter than others."""
        least = min([self.unknown, *(bits for bits, _ in self.candidates)])
        return bits_of_pairs(self.traffic, seen, 0, self.ranks) < least

    def matches(self) -> list[Match]:
        """All that are no longer than a list of the pairs, the answer first.

        It has no more edits than any other of its level that leaves out no more places.
        """
        short = sorted(
            (one for one in self.candidates if one[0] <= self.unknown),
            key=lambda one: (one[0], one[1].level, one[1].edits),
        )
        best = [
            match
            for _, match in short
            if not any(_beats(other, match) for _, other in self.candidates)
        ][:1]
        return best + [match for _, match in short if match not in best]


def _beats(other: Match, match: Match) -> bool:
    """Return whether another match has fewer edits, and leaves out no more places."""
    room = left_out(other.topology) <= left_out(match.topology)
    same = match.level == other.level
    return same and room and other.edits < match.edits


def _matches(
    traffic: PairTraffic,
    threshold: float | None,
    parts: Parts,
    report: Report,
    *,
    is_part: bool = False,
) -> list[Match]:
    """Match traffic, the answer first; a part is not told what it is near to."""
    patterns = parts.patterns
    cut = levels(traffic, threshold)
    first = cut[0]
    exact: list[Match] = []
    for level in cut:
        report("identifying", level.number / len(cut))
        exact += _exactly(traffic, level, level.seen, traffic.members, patterns)
    # What explains all pairs exactly at the first level cannot be beaten; if it is the
    # only one, and volumes show no bands, nothing else is looked for.
    whole = bool(exact) and exact[0].level == first.number
    some = bands(part_of(traffic, first.seen))
    certain = whole and not left_out(exact[0].topology)
    if certain and len(exact) == 1 and not some and exact[0].topology.kind != "union":
        return [*exact, *relatives(exact[0], traffic, first.seen)]
    ranking = _Ranking(traffic, first)
    ranking.add(exact)
    certain = certain and bool(ranking.matches())
    used = {cut[match.level - first.number].seen.tobytes() for match in exact}

    def consider(some: Iterable[Bools]) -> None:
        """Add what some of the first level's pairs exactly are."""
        for number, band in enumerate(some, start=len(cut)):
            seen = first.seen.copy()
            seen[first.seen] = band
            joined = distinct(traffic.pairs[seen]).astype(np.int32)
            if (
                seen.tobytes() not in used
                and len(joined) >= MIN_SHARE_OF_RANKS * len(traffic.members)
                and ranking.could_win(band)
            ):
                used.add(seen.tobytes())
                own = VolumeLevel(number, seen, least_bytes(traffic, seen), 1.0)
                level = own if own.least and threshold is None else first
                ranking.add(_exactly(traffic, level, seen, joined, patterns))

    # Bands of equal volume may be a structure that the rest of the pairs hides.
    consider(some)
    if certain:
        return _listed(traffic, cut, ranking.matches(), exact, [])
    # Nothing fits as it is: edges may be missing or too many, or hubs may hide what
    # remains without them; at last a place in a larger topology is looked for.
    graph = induced(traffic.members, traffic.pairs[first.seen])
    places = traffic.places
    itself = match_topology(unknown(graph), places, traffic, first.number, first.seen)
    near: list[Match] = []
    if not _explains_all(ranking):
        certainly = {match.level for match in exact if not left_out(match.topology)}
        others = [level for level in cut if level.number not in certainly]
        near = near_matches(traffic, others, parts, report)
        ranking.add(near)
    consider(around_hubs(ranking.traffic))
    if not ranking.matches() and not factor_names(graph):  # a product is no overlay
        ranking.add(contained_matches(traffic, first, report))
    if ranked := ranking.matches():
        return [*_listed(traffic, cut, ranked, exact, near), itself]
    return (
        [itself] if is_part else _with_nearest(traffic, first, itself, ranking, report)
    )


def _with_nearest(
    traffic: PairTraffic,
    level: VolumeLevel,
    itself: Match,
    ranking: _Ranking,
    report: Report,
) -> list[Match]:
    """Show the nearest topology below an unknown one, to tell what it is not."""
    near = nearest_matches(traffic, level, report)
    fewest = [match for match in near if match.edits == near[0].edits]
    ranking.add(match for match in fewest if not match.missing)  # below others
    best = ranking.matches()[:1]
    return [*best, itself, *(match for match in near if match not in best)]


def _explains_all(ranking: _Ranking) -> bool:
    """Return whether the best match has no place too many, and leaves only noise."""
    best = ranking.matches()[:1]
    return (
        bool(best)
        and not left_out(best[0].topology)
        and max(ranking.shares_left(best[0])) <= MAX_SHARE_LEFT
    )


def _exactly(
    traffic: PairTraffic,
    level: VolumeLevel,
    seen: Bools,
    joined: Indices,
    patterns: tuple[Recogniser, ...],
) -> list[Match]:
    """Match what some pairs exactly are on some ranks, as a match of a level."""
    pairs = part_of(traffic, seen).pairs
    match = match_exactly(traffic, level, joined, pairs, patterns, seen)
    return [] if match is None else [match]


def _listed(
    traffic: PairTraffic,
    cut: list[VolumeLevel],
    matches: list[Match],
    exact: list[Match],
    near: list[Match],
) -> list[Match]:
    """List the answer, what levels are, and lattices that are near the answer."""
    best = matches[0]
    others = [match for match in matches[1:] if match in exact or match in near]
    others += [match for match in exact if match not in matches]
    if best.level >= len(cut):  # a cut of its own, between the others
        carried = carried_pairs(traffic, best)
        cut = levels(traffic, None, least_bytes(traffic, carried))
        level = next(one for one in cut if one.seen.sum() == carried.sum())
        best = replace(best, level=level.number)
        others = [
            replace(one, level=one.level + (one.level >= level.number))
            for one in others
        ]
    seen = next(level.seen for level in cut if level.number == best.level)
    close = [] if best.edits else relatives(best, traffic, seen)
    return [best, *others, *close]
