"""Ranks as glyphs: rounded boxes or balls, one shape at many places.

Each glyph has its own colour and size.
"""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkRenderingCore import (
    vtkActor,
    vtkGlyph3DMapper,
    vtkPolyDataMapper,
    vtkProp,
)

from topoview.model import Bools, Floats, Ints, Shorts
from topoview.scene.actors import (
    CodeArray,
    colour_by_codes,
    shade_actor,
    shared_array,
    surface_mesh,
    vtk_cells,
    vtk_points,
)


@dataclass(frozen=True, slots=True, eq=False)
class GlyphShape:
    """A closed surface around the origin."""

    points: Floats
    normals: Floats
    """`points` and `normals`: float64, shape (n, 3)"""
    triangles: Ints
    """int64, shape (m, 3): counter-clockwise as seen from outside."""
    half: Floats
    """float64, shape (3,): half its extent along each axis."""
    box: bool
    """Whether it is a box; else it is a ball."""

    def scaled(self, x: float, y: float, z: float) -> "GlyphShape":
        """Stretch it along the axes; normals stay, so that shading does."""
        by = np.array([x, y, z])
        return replace(self, points=self.points * by, half=self.half * by)


BEVEL: Final = 0.1
"""Width of the bevels of a box along each side, in lengths of that."""


@cache
def rounded_box(bevel: float = BEVEL) -> GlyphShape:
    """Build a unit cube with bevelled edges: 24 vertices, 44 triangles.

    Each vertex has the normal of its face, so that the narrow bevels look
    round when normals are interpolated.
    """
    corners = np.array(list(itertools.product((-1, 1), repeat=3)))
    normals = (np.eye(3)[:, None] * corners).reshape(-1, 3)
    points = np.tile((0.5 - bevel) * corners, (3, 1)) + bevel * normals
    polygons = []
    for way in filter(any, itertools.product((-1, 0, 1), repeat=3)):
        along = points @ way  # the furthest points are the face in that direction
        face = np.flatnonzero(along > along.max() - 1e-9)
        spokes = points[face] - points[face].mean(axis=0)
        aside = np.cross(way, spokes[0])
        around = np.arctan2(spokes @ aside / np.linalg.norm(way), spokes @ spokes[0])
        polygons.append(face[np.argsort(around)])
    return _triangulate(points, normals, polygons, box=True)


@cache
def ball(level: int) -> GlyphShape:
    """Build a ball of diameter 1: an icosahedron whose faces are split in four.

    Level 1 has 80 triangles, level 2 has 320, level 3 has 1280.
    """
    golden = (1 + 5**0.5) / 2
    corners = [
        np.roll((0.0, a, b * golden), k)
        for k in range(3)
        for a, b in itertools.product((-1, 1), repeat=2)
    ]
    points = np.array(corners) / np.hypot(1, golden)
    near = points @ points.T > 0.4
    triples = itertools.combinations(range(12), 3)
    faces = np.array([each for each in triples if near[np.ix_(each, each)].all()])
    for _ in range(level):
        edges = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]], axis=2).reshape(-1, 2)
        ends, edge = np.unique(edges, axis=0, return_inverse=True)
        middles = points[ends].sum(axis=1)
        middles /= np.linalg.norm(middles, axis=1, keepdims=True)
        (i, j, k), (a, b, c) = faces.T, len(points) + edge.reshape(-1, 3).T
        smaller = ((i, a, c), (a, j, b), (c, b, k), (a, b, c))
        faces = np.concatenate([np.stack(each, axis=1) for each in smaller])
        points = np.concatenate([points, middles])
    return _triangulate(points / 2, points, faces, box=False)


def _triangulate(
    points: Floats, normals: Floats, polygons: Iterable[Ints], *, box: bool
) -> GlyphShape:
    """Cut convex polygons of a shape of size 1 into triangles that face outwards."""
    triangles = np.array(
        [
            [polygon[0], second, third]
            for polygon in polygons
            for second, third in itertools.pairwise(polygon[1:])
        ],
        np.int64,
    )
    a, b, c = (points[corner] for corner in triangles.T)
    inward = np.sum(np.cross(b - a, c - a) * (a + b + c), axis=1) <= 0
    triangles[inward, 1:] = triangles[inward, :0:-1]
    return GlyphShape(points, normals, triangles, np.full(3, 0.5), box)


HALO_PIXELS = 2.5
"""Width of the rim in the background's colour that parts boxes from each other."""

MAX_HALO_SIZE = 1.3
"""Most that the hull which makes this rim is larger than its box."""

FRONT_DEPTH_SHADER = "gl_FragDepth = 0.001 * gl_FragCoord.z;"
"""Shader code that draws before all else, in the order of depth."""


@dataclass(frozen=True, slots=True, eq=False)
class GlyphSet:
    """Ranks that are drawn as one shape at their places."""

    ranks: Ints
    """int64, shape (n,): ascending."""
    places: Floats
    """float64, shape (n, 3)"""
    sizes: Floats
    """float64, shape (n,): size of each glyph, in sizes of the shape."""
    shape: GlyphShape
    """What is drawn."""
    lookup: vtkLookupTable
    """Colours of the codes."""
    halo: bool = False
    """Whether a hull in the background's colour parts them."""


class RankGlyphs:
    """Draws ranks as one shape at their places."""

    def __init__(self, drawn: GlyphSet) -> None:
        self.ranks, self.places, self.sizes = drawn.ranks, drawn.places, drawn.sizes
        self.shape, self._has_halo = drawn.shape, drawn.halo
        self._codes = CodeArray(len(self.ranks))
        self.shown: Bools = np.ones(len(self.ranks), bool)
        """Which of its ranks are drawn: shape (n,)."""
        self._scale = self.sizes.astype(np.float32)
        self._drawn = self._scale.copy()
        self._scale_array = shared_array(self._drawn, "size")
        self.data = vtkPolyData()
        """Places, sizes and codes, for what else is drawn at them."""
        self._placed = self.places.astype(np.float32)
        self._points = vtk_points(self.places)
        self.data.SetPoints(self._points)
        columns = self.data.GetPointData()
        columns.SetScalars(self._codes.array)
        columns.AddArray(self._scale_array)
        self._solid, mapped = self.glyph_actor("size")
        shade_actor(self._solid)
        self._solid.GetProperty().BackfaceCullingOn()
        self._halo, hull = self.glyph_actor("size")
        colour_by_codes(mapped, drawn.lookup)
        self._hull_mapper = hull
        hull.ScalarVisibilityOff()
        self._halo.GetProperty().FrontfaceCullingOn()
        self._halo.GetProperty().LightingOff()
        self._halo.ForceOpaqueOn()
        self._halo.SetVisibility(self._has_halo)
        self._dots = vtkPolyData()
        self._dots.SetPoints(self._points)
        self._dots.GetPointData().SetScalars(self._codes.array)
        mapper = vtkPolyDataMapper()
        mapper.SetInputData(self._dots)
        colour_by_codes(mapper, drawn.lookup)
        self._dot_actor = vtkActor()
        self._dot_actor.SetMapper(mapper)
        self._dot_actor.GetProperty().LightingOff()
        self._dot_actor.ForceOpaqueOn()
        self._dot_actor.VisibilityOff()
        self.moving = False
        """Whether they are dots now."""

    def glyph_actor(self, sizes: str) -> tuple[vtkActor, vtkGlyph3DMapper]:
        """Draw its shape at its places once more, with sizes of a column of `data`."""
        mapper = vtkGlyph3DMapper()
        mapper.SetInputData(self.data)
        shape = self.shape
        mapper.SetSourceData(surface_mesh(shape.points, shape.normals, shape.triangles))
        mapper.OrientOff()
        mapper.ScalingOn()
        mapper.SetScaleModeToScaleByMagnitude()
        mapper.SetScaleArray(sizes)
        actor = vtkActor()
        actor.SetMapper(mapper)
        return actor, mapper

    @property
    def actors(self) -> list[vtkProp]:
        """What is to be put into the renderer."""
        return [self._solid, self._dot_actor, self._halo]

    def bring_to_front(self) -> None:
        """Draw them before everything else, among themselves as they are."""
        self._solid.GetShaderProperty().AddFragmentShaderReplacement(
            "//VTK::Depth::Impl", True, FRONT_DEPTH_SHADER, False
        )

    def part(self, pixels: float) -> None:
        """Part boxes that are so many pixels large from each other."""
        if self._has_halo:
            self._hull_mapper.SetScaleFactor(self._hull_size(pixels))

    def _hull_size(self, pixels: float) -> float:
        return min(1 + 2 * HALO_PIXELS / max(pixels, 1e-9), MAX_HALO_SIZE)

    def background(self, red: float, green: float, blue: float) -> None:
        """Set the background's colour, each part in [0, 1]."""
        self._halo.GetProperty().SetColor(red, green, blue)

    def colour(self, codes: Shorts) -> None:
        """Set the code of each of its ranks in the look-up table."""
        self._codes.set(codes)
        self.data.Modified()
        self._dots.Modified()

    def resize(self, factors: Floats) -> None:
        """Draw each of its ranks larger or smaller; 0 hides it."""
        self._scale[:] = self.sizes * factors
        self.shown = factors > 0
        self._drawn[:] = self._scale
        self._scale_array.Modified()
        self.data.Modified()
        if self.moving:
            self._choose_dots()

    def leave_out(self, some: Bools) -> None:
        """Leave ranks to others that draw them: bool, shape (n,)."""
        self._drawn[:] = np.where(some, np.float32(0), self._scale)
        self._scale_array.Modified()
        self.data.Modified()

    def displace(self, places: Floats) -> None:
        """Draw its ranks at other places: float64, shape (n, 3)."""
        self._placed = places.astype(np.float32)
        self._points.SetData(vtk_points(places).GetData())
        self._points.Modified()
        self.data.Modified()
        self._dots.Modified()

    def move(self, *, moving: bool, pixels: float) -> None:
        """Draw dots of so many pixels while the camera moves, glyphs when still."""
        self.moving = moving
        self._solid.SetVisibility(not moving)
        self._halo.SetVisibility(self._has_halo and not moving)
        self._dot_actor.SetVisibility(moving)
        if moving:
            self._choose_dots()
            self._dot_actor.GetProperty().SetPointSize(max(1.0, pixels))

    def _choose_dots(self) -> None:
        shown = np.flatnonzero(self.shown).astype(np.int64)
        self._dots.SetVerts(vtk_cells(shown[:, None]))

    @property
    def half_extents(self) -> Floats:
        """Half the extent of each glyph as it is drawn now: shape (n, 3)."""
        return self._scale.astype(np.float64)[:, None] * self.shape.half

    def half_extents_of(self, index: Ints) -> Floats:
        """Half the extent of some of its glyphs as they are drawn now: shape (n, 3)."""
        return self._scale[index].astype(np.float64)[:, None] * self.shape.half
