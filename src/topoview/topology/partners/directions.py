"""Partners as directions: ``EAST``, ``MASTER``, ``EXCHANGE 4``, ``+3``."""

from topoview.model import Directions, Match
from topoview.topology.library import naming_of


def directions(match: Match) -> Directions:
    """Name partners after a match's topology.

    Lattices: EAST is +x, WEST -x, SOUTH +y, NORTH -y, UP +z, DOWN -z, the
    shortest way round where an axis wraps (half way round counts as positive);
    a hypercube: EXCHANGE and the bits of the vertex that differ; a star: MASTER
    and WORKER with its number; a tree: PARENT, and CHILD with its number, from 0;
    CG: EXCHANGE and the bits of the column that differ, TRANSPOSE (also of ranks
    on the diagonal, to themselves); all others: the difference of rank the shortest
    way round (``+3``), the bits that differ, or the partner itself (``rank 5``),
    whichever needs the fewest names for the edges.
    """
    return naming_of(match.topology.kind)(match)
