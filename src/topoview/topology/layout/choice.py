"""Which layouts serve each kind of topology, the natural one first."""

import numpy as np

from topoview.model import Match

MAX_ON_CIRCLE = 512
"""Most ranks for which a circle is offered."""

MAX_LEVEL_WIDTH = 128
"""Most ranks of a level of a tree that is drawn flat at first."""

MAX_IN_LINE = 64
"""Most ranks of a chain that are drawn in one line."""


MOST_ON_SURFACE = 2000
"""Ranks of a 2D lattice up to which it is bent round at first: of more it is flat, so
that all of them are seen."""

LEAST_IN_PLANES = 500
"""Ranks of a lattice in space from which its planes are seen first: in a block of more
those in front hide the others."""


def wrapping(match: Match) -> list[int]:
    """Axes of a 2D lattice that bend around: the smallest first."""
    topology = match.topology
    axes = [
        axis
        for axis in range(len(topology.dims))
        if topology.periodic[axis] and topology.dims[axis] > 2
    ]
    return sorted(axes, key=lambda axis: topology.dims[axis])


def lattice_layouts(match: Match) -> tuple[str, ...]:
    """Bend what wraps; draw three dims in space."""
    dims, bends = match.topology.dims, len(wrapping(match))
    if len(dims) == 1:
        if bends and dims[0] <= MAX_ON_CIRCLE:
            return ("circle", "snake", "line")
        return ("line", "snake") if dims[0] <= MAX_IN_LINE else ("snake", "line")
    if len(dims) == 2:
        bent = ((), ("tube",), ("torus", "tube"))[bends]
        if match.topology.vertices > MOST_ON_SURFACE:
            return ("flat", *bent)
        return (*bent[:1], "flat", *bent[1:])
    if len(dims) > 3:
        if set(dims) == {2} and match.topology.vertices < LEAST_IN_PLANES:
            return ("grid", "planes", "flat", "spectral")  # as hypercubes are known
        return ("planes", "grid", "flat", "spectral")
    if match.topology.vertices >= LEAST_IN_PLANES:
        return ("planes", "block", "grid", "spectral")
    return ("grid", "planes", "block", "spectral")


def tree_layouts(match: Match) -> tuple[str, ...]:
    """Draw flat, or on a cone where a level is too wide to be seen."""
    levels = match.topology.coordinates[:, 0]
    wide = bool(np.bincount(levels).max(initial=0) > MAX_LEVEL_WIDTH)
    return ("cone", "tree", "spectral") if wide else ("tree", "cone", "spectral")


def complete_layouts(match: Match) -> tuple[str, ...]:
    """Draw on a circle or a sphere."""
    few = match.topology.vertices <= MAX_IN_LINE
    return ("circle", "sphere") if few else ("sphere",)


def spectral_layouts(match: Match) -> tuple[str, ...]:
    """Draw by the graph itself."""
    few = match.topology.vertices <= MAX_ON_CIRCLE
    return ("spectral", "circle") if few else ("spectral", "sphere")


def folded_layouts(match: Match) -> tuple[str, ...]:
    """Draw as a sack that is sewn up in the north; other seams as grids and tubes."""
    if match.topology.name.endswith("north"):
        return ("folded", "flat", "tube")
    return ("tube", "flat") if match.topology.periodic[0] else ("flat", "spectral")


def twisted_layouts(match: Match) -> tuple[str, ...]:
    """Draw flat or in space, as a torus that is cut open."""
    flat = len(match.topology.dims) == 2
    return ("flat", "spectral") if flat else ("grid", "planes", "spectral")


def mesh_layouts(match: Match) -> tuple[str, ...]:
    """Draw open meshes in the plane."""
    if match.topology.periodic[0]:
        return ("spectral", "mesh")
    return ("mesh", "spectral")


def rook_layouts(match: Match) -> tuple[str, ...]:
    """Draw as a table, or in space."""
    return ("table", "spectral") if len(match.topology.dims) == 2 else ("grid", "flat")


MOST_IN_BLOCK = 64
"""Ranks of a plan up to which they are seen in one block."""


def plan_layouts(match: Match) -> tuple[str, ...]:
    """Draw as a block, or many ranks as its planes; two axes as a table."""
    if len(match.topology.dims) < 3:
        return rook_layouts(match)
    few = match.topology.vertices <= MOST_IN_BLOCK
    return ("grid", "planes", "flat") if few else ("planes", "grid", "flat")


def user_layouts(match: Match) -> tuple[str, ...]:
    """Draw a user's lattice as one."""
    if match.topology.dims:
        return lattice_layouts(match)
    return spectral_layouts(match)
