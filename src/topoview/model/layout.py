"""Where ranks are drawn: the user's choice, the machine's units, the positions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from topoview.model.frozen.arrays import Floats, Frozen, Indices, freeze
from topoview.model.frozen.options import FreeText, OneOf

WRAP_STYLES = ("stubs", "arcs", "none")
"""How edges that wrap around are drawn."""

OUTSIDE_STYLES = ("dimmed", "hidden")
"""What becomes of ranks outside of the chosen ranges."""

RANK_ORDERS = ("rank", "place")
"""Order of the ranks in geometries that any trace can have."""

SPACING_RANGE = (0.6, 4.0)
"""Least and greatest distance of neighbours, in those that the layout chooses."""

SHRINK_RANGE = (0.2, 1.0)
"""Least and greatest size of ranks that compute."""

BLOCK_VIEW = (-122.0, 13.0)
"""Azimuth and elevation that blocks are laid out for, and first seen from: the left, so
that the axes, of which y runs towards the viewer, end at three different corners."""

FEW_POINTS = 512
"""Up to so many points are compared each with each; a tree of them takes longer to load
than that does."""


def nearest_distances(points: Floats) -> Floats:
    """Distance of each of points, shape (n, 3), to the nearest other; 1 if alone."""
    if len(points) < 2:
        return np.ones(len(points))
    if len(points) <= FEW_POINTS:
        apart = np.linalg.norm(points[:, None] - points, axis=2)
        np.fill_diagonal(apart, np.inf)
        return np.asarray(apart.min(axis=1))
    from scipy.spatial import cKDTree

    return np.asarray(cKDTree(points).query(points, k=2)[0])[:, 1]


@dataclass(frozen=True, slots=True)
class Geometry:
    """What the user chose about the arrangement of the ranks."""

    width: int = 0
    """Ranks in a row of a grid, around a tube, or around the pipe of a torus that is
    not the topology's own; 0: what suits their number."""
    order: Annotated[str, OneOf("model.layout:RANK_ORDERS")] = "rank"
    """Whether such geometries take ranks by their number or by
    their place in the topology."""
    spacing: float = 1.0
    """Distance of neighbours, as a factor; glyphs keep their size."""
    gaps: FreeText = ""
    """Level of the machine whose units are parted, or ``communicator``; empty: none."""
    placement: FreeText = ""
    """Path of the user's placement file; empty: what the trace says."""
    wrap: Annotated[str, OneOf("model.layout:WRAP_STYLES")] = "stubs"
    copies: bool = False
    """Whether a periodic grid has its copies around it."""
    ranges: tuple[tuple[int, int, int], ...] = ()
    """Dimension, first and last coordinate of what is shown of it."""
    outside: Annotated[str, OneOf("model.layout:OUTSIDE_STYLES")] = "dimmed"
    explode: int = -1
    apart: float = 2.0
    """`explode` and `apart`: dimension whose layers are drawn apart, -1 for none, and
    how far."""
    across: int = 2
    alone: int = -1
    """`across` and `alone`: dimension that planes beside each other are across, and
    which of them fills the view; -1: all are seen."""
    fold: tuple[int, ...] = ()
    """Axis of space of each dimension; empty: x, y and z in turn, that with the most
    places across the view."""
    shrink: float = 0.55
    """Size of ranks that compute in a block, as a share; less so on surfaces, where
    they hide less (`Form.shrinks`)."""
    diagonals: float = 0.5
    """Strength of a lattice's diagonal edges, as a share of that of the others."""

    @property
    def is_sound(self) -> bool:
        """Whether all numbers are such as can be drawn."""
        return (
            all(0 <= axis <= 2 for axis in (self.across, *self.fold))
            and SPACING_RANGE[0] <= self.spacing <= SPACING_RANGE[1]
            and SHRINK_RANGE[0] <= self.shrink <= SHRINK_RANGE[1]
            and 0 <= self.apart <= 100
            and 0 <= self.diagonals <= 1
        )

    @property
    def elsewhere(self) -> "Geometry":
        """The same for another layout: what is about dimensions goes."""
        return replace(self, ranges=(), explode=-1, fold=(), across=2, alone=-1)

    @property
    def placing(self) -> tuple[object, ...]:
        """What of it decides where ranks are."""
        return (
            self.width,
            self.order,
            self.spacing,
            self.gaps,
            self.placement,
            self.explode,
            self.apart,
            self.fold,
            self.across,
            self.alone,
        )


@dataclass(frozen=True, slots=True)
class Pose:
    """Where the camera is and what it looks at."""

    azimuth: float
    elevation: float
    """`azimuth` and `elevation`: direction from `focal` to the eye in degrees."""
    distance: float
    """From `focal` to the eye."""
    focal: tuple[float, float, float]
    """Point that it turns about."""
    shift: tuple[float, float] = (0.0, 0.0)
    """Where `focal` is seen, from the middle of the view, in halves of the view's width
    (right) and height (up)."""
    parallel: bool = False
    """Orthographic; the plane through `focal` is as large as in perspective."""

    @property
    def axes(self) -> tuple[Floats, Floats, Floats]:
        """Unit vectors to the right, up, and towards the eye, shape (3,) each."""
        a, e = math.radians(self.azimuth), math.radians(self.elevation)
        x, y, level, lift = math.cos(a), math.sin(a), math.cos(e), math.sin(e)
        right = np.array([-y, x, 0.0])
        up = np.array([-lift * x, -lift * y, level])
        return right, up, np.array([level * x, level * y, lift])

    @property
    def eye(self) -> Floats:
        """Position of the eye, shape (3,)."""
        return np.asarray(self.focal) + self.distance * self.axes[2]


@dataclass(frozen=True, slots=True, eq=False)
class Machine(Frozen):
    """Where ranks run."""

    levels: tuple[str, ...] = ()
    """What its units are called, the outermost first: ``node``, ``socket``."""
    units: Indices = field(default_factory=lambda: np.zeros((0, 0), np.int32))
    """int32, shape (levels, ranks): unit of each rank at each level, -1 where it is not
    known; units within different outer ones have different numbers."""
    names: tuple[tuple[str, ...], ...] = ()
    """Names of the units of each level."""
    communicator: Indices = field(default_factory=lambda: np.zeros(0, np.int32))
    """int32, shape (ranks,): the smallest communicator that each rank shares with some,
    not all; -1 for ranks without one. Empty if there is none."""
    places: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    """float64, shape (ranks, 3) or (0, 3): places in a physical network, NaN where they
    are not known."""

    @property
    def partings(self) -> tuple[str, ...]:
        """What gaps can be between."""
        return (*self.levels, *(["communicator"] if len(self.communicator) else []))

    def parted(self, gaps: str) -> tuple[Indices, ...]:
        """Units that gaps are between, the outermost first; int32, shape (ranks,)."""
        if gaps == "communicator" and len(self.communicator):
            return (self.communicator,)
        if gaps not in self.levels:
            return ()
        return tuple(self.units[: self.levels.index(gaps) + 1])


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The lattice that the places of a layout follow."""

    coordinates: Indices
    """int32, shape (ranks, dims): -1 for ranks that are not in it."""
    dims: tuple[int, ...]
    periodic: tuple[bool, ...]
    """`dims` and `periodic`: extent of each dimension, and whether it wraps."""
    tables: tuple[Floats, ...] = ()
    """float64, shape (dims[d], 3) each: A rank is at the origin plus what the tables
    say of its coordinates; empty for bent layouts."""
    origin: Floats = field(default_factory=lambda: np.zeros(3))
    """float64, shape (3,)"""
    axes: tuple[str, ...] = ()
    """Names of the dimensions that have others than ``x``, ``y``, ``z``."""
    directions: tuple[str, ...] = ()
    """What a step along each dimension is called; empty where it has no name, or none
    is known."""
    runs: tuple[str, ...] = ()
    """What runs along each axis of a plan; empty for others."""

    def __post_init__(self) -> None:
        """Set the arrays read-only."""
        freeze(self)
        for table in self.tables:
            table.flags.writeable = False


@dataclass(frozen=True, slots=True, eq=False)
class Layout(Frozen):
    """Where ranks are drawn."""

    name: str
    """Name in the table of layouts, such as ``torus`` or ``flat``."""
    shape: str
    """How the scene draws it: ``lattice`` (boxes), ``planes`` (boxes seen from above,
    without edges), ``cut`` (three planes of a block), ``graph`` (balls and arcs),
    ``torus``, ``tube``, ``star``, ``sphere`` (a polygon a rank)."""
    positions: NDArray[np.float32]
    """float32, shape (ranks, 3): right-handed scene coordinates, z up; neighbours are
    about 1 apart."""
    normals: NDArray[np.float32] = field(
        default_factory=lambda: np.zeros((0, 3), np.float32)
    )
    """float32, shape (ranks, 3): outward direction of curved layouts; empty, shape (0,
    3), otherwise."""
    grid: Grid | None = None
    """The lattice that places follow, None if there is none."""
    corners: NDArray[np.float32] = field(
        default_factory=lambda: np.zeros((0, 3, 3), np.float32)
    )
    """float32, shape (ranks, corners, 3): corners of the polygon of each rank on a
    sphere, counter-clockwise as seen from outside; those with fewer corners repeat
    their last. NaN for ranks that are not on it. Shape (0, 3, 3) for other shapes."""
    cells: Floats = field(default_factory=lambda: np.zeros((0, 3, 3)))
    """float64, shape (cells, corners, 3): polygons of the whole sphere, also where no
    rank is, around the origin; as `corners` otherwise."""
    spacing: float = 1.0
    """Distance of neighbours, of which glyphs take no notice."""
    empty: int = 0
    """Places that have no rank."""
    free: bool = False
    """Whether it is one that any trace can have, which all ranks are part of."""
    marks: tuple[tuple[float, float, float, str], ...] = ()
    """Words at places: x, y, z, text; of ``planes`` the name of each at the place of
    its first rank."""
    cell: float = 0.0
    """Pixels of a rank that it is made for; 0: any."""
    directions: tuple[str, ...] = ()
    """What steps along its axes are called, of ``planes`` and ``cut``: else its grid
    tells."""
    axes: tuple[int, ...] = ()
    alone: int = -1
    """`axes` and `alone`: of ``planes``: dimensions across a plane, down it, and those
    that planes are counted by; and which coordinate of the first of these is seen."""

    def on_sheet(self, dims: Sequence[int]) -> tuple[int, ...]:
        """Return extents in the order of `axes`, of planes that are seen."""
        wide, high, *counts = (dims[axis] for axis in self.axes)
        return (wide, high, *([1] * (self.alone >= 0) or counts[:1]), *counts[1:])
