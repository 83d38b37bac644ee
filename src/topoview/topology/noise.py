"""What a graph would be if some edges were not missing and others were not there."""

import math
from collections.abc import Iterable

import numpy as np

from topoview.progress import Report, silent
from topoview.topology.graph import Graph, edge_keys
from topoview.topology.noise_few import few_edits
from topoview.topology.noise_fit import Fit
from topoview.topology.noise_lattices import grown_lattices
from topoview.topology.noise_members import nearest_members
from topoview.topology.noise_plain import plain_fits
from topoview.topology.signature import Member

FEWEST = 8
"""Vertices below which a graph that is no member is not near to one either."""

GROWN = 32
"""Vertices from which on lattices are grown."""

SMALL = 64
"""Vertices below which less noise is allowed: small graphs are all near each other."""

MOST = {"large": 0.12, "small": 0.08}
"""Edits per edge up to which a member explains a graph, 3 % missing and 3 % extra
edges with room for chance."""

BESIDE = 1.2
"""Edges between vertices that edits touch, per edge that chance would give, up to
which edits are noise."""

FEW = 8
"""Edits of which that cannot be told."""

LARGEST = 1024
"""Vertices up to which members that are no lattices are tried."""


def most_edits(graph: Graph) -> int:
    """Edits up to which a member explains a graph."""
    share = MOST["small" if graph.n < SMALL else "large"]
    return int(share * len(graph.edges) + 0.25)


def approximations(
    graph: Graph, members: Iterable[Member], report: Report = silent
) -> list[Fit]:
    """Find the members of the library that a graph nearly is.

    Parameters
    ----------
    graph
        Any graph.
    members
        Members with as many vertices.
    report
        May raise `Cancelled`.

    Returns
    -------
    list of Fit
        Fewest edits first, none with more than `most_edits`. All edits are counted.
    """
    most = most_edits(graph)
    if graph.n < FEWEST or not most:
        return []
    found = plain_fits(graph)
    if graph.n >= GROWN:
        found += grown_lattices(graph, report)
    close = [fit for fit in found if fit.edits <= most and scattered(graph, fit)]
    if not close and graph.n <= LARGEST:
        known = list(members)
        near = few_edits(graph, known, most, report)
        near = near or nearest_members(graph, known, most, report)
        close = [fit for fit in near if scattered(graph, fit)]
    return sorted(close, key=lambda fit: fit.edits)


def scattered(graph: Graph, fit: Fit) -> bool:
    """Tell whether the edits of a fit lie beside each other no more than by chance.

    Along a seam, a border or around a hole they do: then it is another shape.
    """
    if fit.edits < FEW:
        return True
    n, keys = graph.n, edge_keys(graph.n, fit.edges)
    edits = np.setxor1d(edge_keys(n, graph.edges), keys, True)
    touched = np.zeros(n, bool)
    touched[np.concatenate([edits // n, edits % n])] = True
    kept = fit.edges[~np.isin(keys, edits, assume_unique=True)]
    beside = int(touched[kept].all(axis=1).sum())
    chance = len(kept) * float(touched.mean()) ** 2
    return beside <= BESIDE * chance + 4 * math.sqrt(chance) + 4
