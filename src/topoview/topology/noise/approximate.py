"""What a graph would be if some edges were not missing and others were not there."""

from collections.abc import Iterable

from topoview.progress import Report, silent
from topoview.topology.graph import Graph
from topoview.topology.noise.few import few_edits
from topoview.topology.noise.fit import Fit, scattered
from topoview.topology.noise.lattices import grown_lattices
from topoview.topology.noise.members import nearest_members
from topoview.topology.noise.plain import plain_fits
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
