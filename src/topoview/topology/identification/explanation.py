"""Why an answer was given: which candidates there were, and what excluded each.

The tests are those of Xu, Prithivathi, Subhlok and Zheng (2008,
"Logicalization of MPI communication traces"): size and degrees, spectrum,
isomorphism; with short cycles and distances, which exclude at less cost.
"""

import functools
import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from topoview.base.progress import Report, silent
from topoview.model import (
    CandidateStep,
    CommunicationMatrix,
    Identification,
    LevelSteps,
)
from topoview.topology.graph.graph import Graph, graph_of
from topoview.topology.graph.invariants import (
    distance_profile,
    eigenvalues,
    same_spectrum,
    short_cycles,
)
from topoview.topology.graph.isomorphism import isomorphism
from topoview.topology.identification.traffic import (
    VolumeLevel,
    carried_pairs,
    least_bytes,
    levels,
    pair_traffic,
    part_of,
)
from topoview.topology.library import LIBRARY
from topoview.topology.members import Member, degrees_of

MAX_MEMBERS_OF_A_KIND = 1000
"""Members of a kind that are looked at: powers of two have very many lattices."""

MAX_EDGES_TESTED = 4_000_000
"""Edges, of all candidates together, up to which these are made and tested."""

MAX_ALL_SPECTRA = 512
"""Vertices up to which spectra are computed of what distances have excluded, too."""


def explain(
    matrix: CommunicationMatrix,
    identification: Identification,
    report: Report = silent,
    *,
    threshold: float | None = None,
    spectrum: bool = False,
) -> tuple[LevelSteps, ...]:
    """List for each level of volume which candidates there were, and their fate.

    It is done afterwards, so that identifying takes no longer for it.

    Parameters
    ----------
    matrix, threshold
        What was identified, and how.
    identification
        What came of it.
    report
        Told how far it is; may raise `Cancelled`.
    spectrum
        Whether to compare spectra too, of up to `MAX_EIGENVALUES` ranks.
    """
    traffic = pair_traffic(matrix)
    own = (
        carried_pairs(traffic, identification.best)
        if identification.best.level
        else None
    )
    least = 0 if own is None else least_bytes(traffic, own)
    cut = levels(traffic, threshold, least)
    steps = []
    for i, level in enumerate(cut):
        report("explaining", i / len(cut))
        names = {
            name
            for match in identification.matches
            if match.level == level.number
            and match.topology.kind != "unknown"
            and not match.missing
            and not match.extra
            for name in (match.topology.name, *match.also)
        }
        graph = part_of(traffic, level.seen).graph
        steps.append(_explained(graph, level, names, spectrum))
    return tuple(steps)


Fact = Callable[[Callable[[Graph], Any]], Any]
"""Computes something of a graph, once."""


def _explained(
    graph: Graph, level: VolumeLevel, names: set[str], spectrum: bool
) -> LevelSteps:
    fact: Fact = functools.cache(lambda compute: compute(graph))
    degrees = degrees_of(graph)
    excluded = Counter({"edges": 0, "degrees": 0})
    steps = []
    made = 0
    members, all_tried = _of_size(graph.n)
    for member in members:
        if member.edges != len(graph.edges):
            excluded["edges"] += 1
        elif Counter(member.degrees) != degrees:
            excluded["degrees"] += 1
        elif made + member.edges > MAX_EDGES_TESTED:
            is_match = member.name in names
            steps.append(
                CandidateStep(member.name, "found" if is_match else "not tested")
            )
        else:
            made += member.edges
            steps.append(_tried(graph, fact, member, names, spectrum))
    listed = {member.name for member in members}
    steps += [CandidateStep(name, "found") for name in sorted(names - listed)]
    return LevelSteps(
        level=level.number,
        least=level.least,
        gap=level.gap,
        vertices=graph.n,
        edges=len(graph.edges),
        degrees=tuple(sorted(degrees.items())),
        connected=graph.connected,
        excluded=tuple(excluded.items()),
        all_tried=all_tried,
        steps=tuple(sorted(steps, key=lambda step: step.verdict != "found")),
    )


def _of_size(n: int) -> tuple[list[Member], bool]:
    """Members of the library with `n` vertices, each name once; whether it is all."""
    members: dict[str, Member] = {}
    complete = True
    for kind in LIBRARY.values():
        if kind.members is None:
            continue
        some = list(itertools.islice(kind.members(n), MAX_MEMBERS_OF_A_KIND + 1))
        complete &= len(some) <= MAX_MEMBERS_OF_A_KIND
        for member in some[:MAX_MEMBERS_OF_A_KIND]:
            members.setdefault(member.name, member)
    return list(members.values()), complete


def _tried(
    graph: Graph, fact: Fact, member: Member, names: set[str], spectrum: bool
) -> CandidateStep:
    """Hold a candidate against the graph, the cheapest tests first."""
    topology = member.make()
    other = graph_of(topology.vertices, topology.edges)
    verdict = "found" if member.name in names else ""
    for name, compute in TESTS.items() if not verdict else ():
        one, two = fact(compute), compute(other)
        if one is not None and two is not None and not np.array_equal(one, two):
            verdict = name
            break
    same = None
    if spectrum and verdict in ("found", "short cycles"):
        # of as many partners, cycles of three and four follow from the spectrum
        same = verdict == "found"
    elif spectrum and (not verdict or graph.n <= MAX_ALL_SPECTRA):
        own, its = fact(eigenvalues), eigenvalues(other)
        same = None if own is None or its is None else same_spectrum(own, its)
    if not verdict and same is False:
        verdict = "spectrum"
    if not verdict:
        fits = isomorphism(graph, other) is not None
        verdict = "found" if fits else "isomorphism"
    return CandidateStep(member.name, verdict, same)


TESTS: dict[str, Callable[[Graph], Any]] = {
    "short cycles": short_cycles,
    "distances": distance_profile,
}
"""What excludes a candidate before isomorphism is tried, the cheapest first."""
