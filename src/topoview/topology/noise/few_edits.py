"""Members of the library that are one or two edges away from a graph.

What degrees a graph must have after an edit leaves few edges to remove, and few pairs
to join: each is tried, and what results is compared exactly. So the edits are the
fewest there are, and members that fit equally well are all found.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from topoview.base.progress import Report, silent
from topoview.model import Indices, Ints
from topoview.topology.graph.graph import Graph, edge_keys, graph_of
from topoview.topology.graph.isomorphism import isomorphism
from topoview.topology.graph.refinement import refined_hash
from topoview.topology.members import Member
from topoview.topology.noise.fit import Fit

MAX_EDITS = 2
"""Edits that are looked for."""

MAX_WORK = 400_000
"""Edges of the graphs that are made, in all."""

MAX_WORK_SHARE = 0.25
"""Part of that for each member, so that one does not take it all."""

MAX_PAIRS_JOINED = 4096
"""Pairs that are joined at most for each two degrees."""


@dataclass(slots=True)
class _WorkLeft:
    """How many edges of further graphs may still be looked at."""

    edges: int


def few_edits(
    graph: Graph, members: Iterable[Member], most: int, report: Report = silent
) -> list[Fit]:
    """Find the members that are fewest edits away, at most `MAX_EDITS`.

    Parameters are those of `nearest_members`, which finds more edits but not
    always the fewest.

    Returns
    -------
    list of Fit
        All with equally many edits; empty if there is none.
    """
    bound = min(most, MAX_EDITS)
    close = [
        (fewest_edits(graph, member), member)
        for member in members
        if abs(member.edges - len(graph.edges)) <= bound
    ]
    work = MAX_WORK
    for edits in range(1, bound + 1):
        result = []
        for least, member in close:
            if work > 0 and least <= edits:
                report("looking past noise", 0.5)
                left = _WorkLeft(int(MAX_WORK_SHARE * MAX_WORK))
                fit = _within(graph, member, edits, left)
                work -= int(MAX_WORK_SHARE * MAX_WORK) - left.edges
                if fit is not None:
                    result.append(fit)
        if result:
            return result
    return []


def fewest_edits(graph: Graph, member: Member) -> int:
    """Compute a lower bound of the edits that make a graph's degrees a member's."""
    wanted = _histogram(member, int(graph.degree.max()) + MAX_EDITS + 1)
    return _edits_between(np.bincount(graph.degree, minlength=len(wanted)), wanted)


def _histogram(member: Member, width: int) -> Ints:
    counts = np.zeros(max(width, max(member.degrees) + 1), np.int64)
    for degree, count in member.degrees.items():
        counts[degree] = count
    return counts


def _edits_between(counts: Ints, wanted: Ints) -> int:
    if counts.sum() != wanted.sum():
        return 2**62
    apart = counts - wanted
    steps = int(np.abs(np.cumsum(apart)).sum())
    ends = abs(int(np.arange(len(apart)) @ apart))
    return max((steps + 1) // 2, ends // 2)


def _after(counts: Ints, low: int, high: int, step: int) -> Ints:
    """Count the degrees after an edge between two vertices comes or goes."""
    made = counts.copy()
    for degree in (low, high):
        made[degree] -= 1
        made[degree + step] += 1
    return made


def _within(graph: Graph, member: Member, edits: int, left: _WorkLeft) -> Fit | None:
    """Find a member at exactly so many edits."""
    change = member.edges - len(graph.edges)
    if abs(change) > edits or (edits - change) % 2:
        return None
    wanted = _histogram(member, int(graph.degree.max()) + MAX_EDITS + 1)
    topology = member.make()
    template = graph_of(topology.vertices, topology.edges)
    wanted_hash = refined_hash(template)
    added = (edits + change) // 2
    keys = edge_keys(graph.n, graph.edges)
    for edited in _edited(graph, wanted, (edits - added, added), keys, left):
        if (
            refined_hash(edited) == wanted_hash
            and isomorphism(edited, template) is not None
        ):
            return Fit(member.name, edited.edges, added, edits - added)
    return None


def _edited(
    graph: Graph, wanted: Ints, edits: tuple[int, int], keys: Ints, left: _WorkLeft
) -> Iterator[Graph]:
    """Yield the graphs with the degrees that are wanted: first remove, then add.

    `keys` are those of the edges at first: none is removed and put back.
    """
    removed, added = edits
    if not removed and not added:
        yield graph
        return
    counts = np.bincount(graph.degree, minlength=len(wanted))
    step = -1 if removed else 1
    next_edits = (removed - 1, added) if removed else (0, added - 1)
    for low, high in _degrees(graph, removed > 0):
        rest = _edits_between(_after(counts, low, high, step), wanted)
        if rest > removed + added - 1:
            continue
        choices: Ints | Indices = (
            _removable(graph, low, high) if removed else _pairs(graph, low, high, keys)
        )
        for choice in choices:
            left.edges -= len(graph.edges)
            if left.edges < 0:
                return
            if removed:
                edges = np.delete(graph.edges, choice, axis=0)
            else:
                joined = np.concatenate([graph.edges, choice[None]])
                edges = joined[np.lexsort((joined[:, 1], joined[:, 0]))]
            yield from _edited(graph_of(graph.n, edges), wanted, next_edits, keys, left)


def _degrees(graph: Graph, joined: bool) -> Iterator[tuple[int, int]]:
    """List degrees of two vertices, smaller first, of neighbours only or of any."""
    if joined:
        ends = np.sort(graph.degree[graph.edges], axis=1)
        yield from map(tuple, np.unique(ends, axis=0).tolist())
        return
    present = np.unique(graph.degree).tolist()
    yield from ((low, high) for low in present for high in present if low <= high)


def _removable(graph: Graph, low: int, high: int) -> Ints:
    ends = np.sort(graph.degree[graph.edges], axis=1)
    result: Ints = np.flatnonzero((ends == (low, high)).all(axis=1))
    return result


def _pairs(graph: Graph, low: int, high: int, keys: Ints) -> Indices:
    """Pairs of vertices with two degrees that share no edge: int32, shape (k, 2)."""
    one, other = (np.flatnonzero(graph.degree == d) for d in (low, high))
    if len(one) * len(other) > MAX_PAIRS_JOINED:
        return np.zeros((0, 2), np.int32)
    pairs = np.stack(np.meshgrid(one, other, indexing="ij"), -1).reshape(-1, 2)
    pairs = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1).astype(np.int32)
    unique: Indices = np.unique(pairs, axis=0)
    return unique[~np.isin(edge_keys(graph.n, unique), keys)]
