"""Parts that few pairs join, or none: each is answered as it would be alone.

What each is stands side by side: ``4 x 3D torus 4x4x4``, ``2D grid 6x6 + 2 x ring 5``.
All edges of all answers are verified, and those that are missing or too many add up.
Replicas are the same program many times: what one part is, others are tried for first
where there are many, so that ten thousand copies are not answered one by one.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from topoview.base.progress import Report, silent
from topoview.grouping import index_in_run
from topoview.model import Indices, Ints, Match, Topology
from topoview.topology.graph.graph import Graph, graph_of
from topoview.topology.graph.isomorphism import isomorphism
from topoview.topology.identification.description import description_bits
from topoview.topology.identification.traffic import (
    PairTraffic,
    VolumeLevel,
    match_topology,
)
from topoview.topology.kinds.composite import MAX_DIFFERENT, side_by_side
from topoview.topology.members import Member, Recogniser
from topoview.topology.noise.fit import Fit, scattered
from topoview.topology.noise.fitted_members import nearest_members
from topoview.topology.noise.grown_lattices import supported
from topoview.topology.noise.matches import in_any_order, most_edits, noisy_matches

MAX_ANSWERED = 64
"""Parts, no two of which are alike in edges and traffic, that are answered as if each
were the whole run. Further ones are tried for what these are."""

MAX_IN_VAIN = 8
"""Parts without an answer, the largest first, after which none is sought for others."""

MIN_TIMES = 8
"""Parts that are the same in the same numbers, from which on others are tried for it
before they are answered."""

MAX_FORMS = 8
"""What parts are most often: these are tried."""

MIN_SHARE_PLACED = 0.5
"""Share of the communicating ranks of a level that must be in parts with an answer."""

MIN_PART = 8
"""Ranks of the parts, at least, that some edges join to others."""

MAX_STEPS = 3
"""How far ranks may be from a part that they are put into: ends of noisy lattices."""

Answer = Callable[[PairTraffic], Match | None]
"""Answers traffic of which all ranks communicate."""


@dataclass(slots=True)
class Parts:
    """Answers of parts, each once: what is alike has one answer."""

    answer: Answer
    """Finds what a part is, as if it were alone."""
    patterns: tuple[Recogniser, ...] = ()
    """What recognises the user's own patterns."""
    known: dict[bytes, list[tuple[float, Match]]] = field(default_factory=dict)
    """For the edges of a part its answers, each with the bits that it took."""
    same: dict[bytes, Match | None] = field(default_factory=dict)
    """The answer for the edges of a part and their traffic."""
    forms: "dict[int, dict[bytes, _Form]]" = field(default_factory=dict)
    """What parts with some number of ranks are, by the edges among these."""

    def beside(
        self, traffic: PairTraffic, level: VolumeLevel, part: Ints
    ) -> Match | None:
        """Match what the parts of a level are, side by side.

        Parameters
        ----------
        part : integers, shape (ranks,)
            Part of each rank, -1 outside. Pairs of two parts are extra.

        Returns
        -------
        Match or None
            None if there are less than two parts that have an answer, or these have
            less than `MIN_SHARE_PLACED` of the ranks.
        """
        split = sorted(_split(traffic, level, part), key=lambda one: -len(one[0]))
        joined = sum(len(ranks) for ranks, _ in split)
        placed: list[_Piece] = []
        answered, vain = 0, 0
        for ranks, own in split:
            further = answered < MAX_ANSWERED and vain < MAX_IN_VAIN
            match, sought = self._of(own, further)
            answered += sought
            vain += sought and match is None
            place = np.flatnonzero(match.vertex >= 0) if match is not None else ()
            # not of one with places for silent ranks, which may be any part's
            if match is not None and len(place) == match.topology.vertices:
                order = place[np.argsort(match.vertex[place])]
                placed.append((match.topology, ranks[order], match.also))
        pieces = _named_alike(placed)
        if len(pieces) < 2:
            return None
        if sum(len(held) for _, held, _ in pieces) < MIN_SHARE_PLACED * joined:
            return None
        made = side_by_side(traffic.ranks, [(form, held) for form, held, _ in pieces])
        also: tuple[str, ...] = ()
        if made.topology.kind == "copies":
            shared = set.intersection(*(set(names) for _, _, names in pieces))
            names = (name for name in pieces[0][2] if name in shared)
            also = tuple(f"{len(pieces)} x {name}" for name in names)
        return match_topology(
            made.topology, made.vertex, traffic, level.number, level.seen, also
        )

    def _of(self, own: PairTraffic, further: bool) -> tuple[Match | None, bool]:
        """Find the answer of a part, and whether that was sought as for a whole run.

        An answer of others serves, too, if it is no worse for this part; what a part
        is alone is only sought if further ones may be.
        """
        edges = own.pairs.tobytes()
        key = edges + own.calls.tobytes() + own.volume.tobytes()
        if key in self.same:
            return self.same[key], False
        match, sought = self._shared(own, edges), False
        if match is None:
            match = self._as_others(own, further)
            sought = match is None and further
            if sought:
                match = self.answer(own)
            if match is not None and match.topology.kind == "unknown":
                match = None
            if match is not None:
                bits = description_bits(own, match, own.ranks)
                self.known.setdefault(edges, []).append((bits, match))
        if match is not None:
            self._keep(match, sought)
        self.same[key] = match
        return match, sought

    def _shared(self, own: PairTraffic, edges: bytes) -> Match | None:
        """Find an answer of the same edges that describes this traffic as well."""
        for bits, match in self.known.get(edges, ()):
            if match.matched == len(own.pairs):
                return match
            if description_bits(own, match, own.ranks) <= bits:
                return match
        return None

    def _keep(self, match: Match, sought: bool) -> None:
        """Count an answer among the forms that parts with as many ranks have."""
        forms = self.forms.setdefault(len(match.vertex), {})
        form = forms.setdefault(match.rank_edges.tobytes(), _Form(match))
        form.times += 1
        if sought:
            form.edits = max(form.edits, match.edits)

    def _as_others(self, own: PairTraffic, further: bool) -> Match | None:
        """Match a part with what others are that have as many ranks.

        In the numbers that they have there, where noise allows it; where further parts
        may be answered, no more of it than these showed. Or in any others exactly.
        """
        forms = sorted(
            self.forms.get(own.ranks, {}).values(), key=lambda form: -form.times
        )[:MAX_FORMS]
        graph = graph_of(own.ranks, own.pairs)
        everything = np.ones(len(own.pairs), bool)
        best, least = None, most_edits(graph)
        for form in forms:
            if further and form.times < MIN_TIMES:
                continue
            other = form.match
            match = match_topology(other.topology, other.vertex, own, 0, everything)
            if match.edits <= min(least, form.edits if further else least):
                fit = Fit("", match.rank_edges, match.missing, match.extra)
                if scattered(graph, fit):
                    match = replace(match, also=other.also)
                    best, least = match, match.edits - 1
        if best is None and not further:
            return self._as_renumbered(own, graph, [form.match for form in forms])
        return best

    def _as_renumbered(
        self, own: PairTraffic, graph: Graph, others: list[Match]
    ) -> Match | None:
        """Match a part with what others are, under any numbering, past noise."""
        everything = np.ones(len(own.pairs), bool)
        for other in {one.topology.name: one for one in others}.values():
            topology = other.topology
            template = graph_of(topology.vertices, topology.edges)
            vertex = isomorphism(graph, template)
            if vertex is None:
                vertex = _past_noise(graph, template, topology)
            if vertex is not None:
                match = match_topology(topology, vertex, own, 0, everything)
                return replace(match, also=other.also)
        return None


def _past_noise(graph: Graph, template: Graph, topology: Topology) -> Ints | None:
    """Find the vertex of a topology for each of a graph that it nearly is."""
    if template.n != graph.n:
        return None
    degrees = dict(enumerate(np.bincount(template.degree).tolist()))
    member = Member(topology.kind, topology.name, degrees, lambda: topology)
    most = most_edits(graph)
    fits = in_any_order(graph, lambda one: nearest_members(one, [member], most))
    for fit in fits:
        if scattered(graph, fit):
            return isomorphism(graph_of(graph.n, fit.edges), template)
    return None


@dataclass(slots=True)
class _Form:
    """What parts are, by the numbers of their ranks."""

    match: Match
    """Of one of them."""
    times: int = 0
    """How many they are."""
    edits: int = 0
    """Most edits of one that was answered as if it were the whole run."""


def _split(
    traffic: PairTraffic, level: VolumeLevel, part: Ints
) -> Iterator[tuple[Ints, PairTraffic]]:
    """Split the traffic of a level by parts: the ranks of each, and its traffic."""
    inside = level.seen & (np.diff(part[traffic.pairs], axis=1)[:, 0] == 0)
    inside &= part[traffic.pairs[:, 0]] >= 0
    pairs = traffic.pairs[inside]
    present = np.zeros(traffic.ranks, bool)
    present[pairs] = True
    members = np.flatnonzero(present)
    _, label = np.unique(part[members], return_inverse=True)
    sizes = np.bincount(label)
    ranks: Ints = members[np.argsort(label, kind="stable")]
    of, place = np.zeros((2, traffic.ranks), np.int64)
    of[members] = label
    place[ranks] = index_in_run(sizes)
    owner = of[pairs[:, 0]]
    order = np.argsort(owner, kind="stable")  # ranks of a part ascend: pairs do, too
    ends = place[pairs[order]].astype(np.int32)
    calls, volume = traffic.calls[inside][order], traffic.volume[inside][order]
    begins = np.append(0, np.cumsum(np.bincount(owner, minlength=len(sizes))))
    held = np.split(ranks, np.cumsum(sizes)[:-1])
    for number, own in enumerate(held):
        here = slice(*begins[number : number + 2].tolist())
        yield own, PairTraffic(len(own), ends[here], calls[here], volume[here], 0, 0)


_Piece = tuple[Topology, Ints, tuple[str, ...]]
"""A topology, the rank of each of its vertices, and its other names."""


def _named_alike(pieces: list[_Piece]) -> list[_Piece]:
    """Name the same graph alike, as most are named, and keep the most frequent."""
    many: Counter[str] = Counter()
    for topology, held, _ in pieces:
        many[topology.name] += len(held)
    first = {topology.name: topology for topology, _, _ in reversed(pieces)}
    forms: list[Topology] = []
    maps: dict[int, tuple[Topology, Ints]] = {}
    result: list[_Piece] = []
    for topology in sorted(first.values(), key=lambda one: -many[one.name]):
        if all(_onto(topology, form) is None for form in forms):
            forms.append(topology)
    for topology, held, also in pieces:
        if id(topology) not in maps:
            maps[id(topology)] = topology, np.arange(len(held))
            for form in forms:
                onto = _onto(topology, form)
                if onto is not None:
                    maps[id(topology)] = form, onto
                    break
        form, vertex = maps[id(topology)]
        ranks = np.empty_like(held)
        ranks[vertex] = held
        names = dict.fromkeys((topology.name, *also))
        names.pop(form.name, None)
        result.append((form, ranks, tuple(names)))
    covered: Counter[int] = Counter()
    for form, held, _ in result:
        covered[id(form)] += len(held)
    kept = {one for one, _ in covered.most_common(MAX_DIFFERENT)}
    return [piece for piece in result if id(piece[0]) in kept]


def _onto(topology: Topology, form: Topology) -> Ints | None:
    """Find the vertex of a form for each of a topology's, if they are one graph."""
    n, m = topology.vertices, len(topology.edges)
    if (n, m) != (form.vertices, len(form.edges)):
        return None
    if np.array_equal(topology.edges, form.edges):
        return np.arange(n)
    return isomorphism(graph_of(n, topology.edges), graph_of(n, form.edges))


def near_matches(
    traffic: PairTraffic, cut: list[VolumeLevel], parts: Parts, report: Report = silent
) -> list[Match]:
    """Match what the levels nearly are, and what parts of each are side by side.

    Parameters are those of `noisy_matches`.
    """
    matches = noisy_matches(traffic, cut, parts.patterns, report)
    for level in cut:
        for part in _partitions(traffic, level):
            report("looking at components", 0.5)
            match = parts.beside(traffic, level, part)
            matches += [] if match is None else [match]
    return matches


def _partitions(traffic: PairTraffic, level: VolumeLevel) -> Iterator[Ints]:
    """Split the ranks of a level: by components, and where few pairs join parts.

    Pairs that join copies close hardly any short cycles, as those of lattices do.

    Returns
    -------
    iterator of int64, shape (ranks,)
        Part of each rank, -1 of those in none; several parts.
    """
    graph = graph_of(traffic.ranks, traffic.pairs[level.seen])
    part = _in_parts(graph.component_of, 2)
    yield from (part,) if part.max() > 0 else ()
    clean = supported(graph)
    if len(clean.edges) == len(graph.edges):
        return
    part = _in_parts(clean.component_of, MIN_PART)
    if part.max() > 0:
        yield _with_neighbours(graph, part)


def _in_parts(component: Indices, least: int) -> Ints:
    """Return the number of each rank's component, -1 in those with fewer ranks."""
    sizes = np.bincount(component)
    number = np.where(sizes >= least, np.cumsum(sizes >= least) - 1, -1)
    part: Ints = number[component]
    return part


def _with_neighbours(graph: Graph, part: Ints) -> Ints:
    """Put each rank where most of its neighbours are, those that are in no part, too.

    Where as many are in several parts, it is in the one with fewest others: copies are
    of one size.
    """
    several = int(part.max()) + 1
    both = np.concatenate([graph.edges, graph.edges[:, ::-1]]).astype(np.int64)
    for _ in range(MAX_STEPS):
        own, beside = part[both].T
        unsure = np.zeros(graph.n, bool)
        unsure[both[(own != beside) & (beside >= 0), 0]] = True
        ends = both[unsure[both[:, 0]] & (beside >= 0)]
        votes, count = np.unique(
            ends[:, 0] * several + part[ends[:, 1]], return_counts=True
        )
        ranks, wanted = np.divmod(votes, several)
        others = np.bincount(part[part >= 0], minlength=several)[wanted]
        others -= part[ranks] == wanted
        order = np.lexsort((-others, count))  # the best comes last
        part = part.copy()
        part[ranks[order]] = wanted[order]
    return part
