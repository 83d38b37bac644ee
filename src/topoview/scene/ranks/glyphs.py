"""Ranks as glyphs: one shape at many places, each with its colour and size."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable, vtkPoints
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkRenderingCore import (
    vtkActor,
    vtkGlyph3DMapper,
    vtkPolyDataMapper,
    vtkProp,
)

from topoview.model import Bools, Floats, Ints, Shorts
from topoview.scene.parts import (
    Codes,
    cells_of,
    coloured,
    mesh,
    points_of,
    shaded,
    shared,
)
from topoview.scene.shapes import Shape

HALO = 1.13
"""Size of the hull in the background's colour that parts boxes from each other."""

NEAREST = "gl_FragDepth = 0.001 * gl_FragCoord.z;"
"""Shader code that draws before all else, in the order of depth."""


class RankGlyphs:
    """Draws ranks as one shape at their places.

    Parameters
    ----------
    ranks : int64, shape (n,)
        Ranks that it draws, ascending.
    places : float64, shape (n, 3)
    sizes : float64, shape (n,)
        Size of each glyph, in sizes of the shape.
    shape
        What is drawn.
    lookup
        Colours of the codes.
    halo
        Whether a hull in the background's colour parts them.
    """

    def __init__(  # noqa: PLR0913 - what it is made of
        self,
        ranks: Ints,
        places: Floats,
        sizes: Floats,
        shape: Shape,
        lookup: vtkLookupTable,
        *,
        halo: bool,
    ) -> None:
        self.ranks = ranks
        self.places = places
        self.sizes = sizes
        self.shape = shape
        self._codes = Codes(len(ranks))
        self._shown = np.ones(len(ranks), bool)
        self._scale = sizes.astype(np.float32)
        self._drawn = self._scale.copy()
        self._scale_array = shared(self._drawn, "size")
        self._data = vtkPolyData()
        self._placed = places.astype(np.float32)
        self._points = points_of(places)
        self._data.SetPoints(self._points)
        columns = self._data.GetPointData()
        columns.SetScalars(self._codes.array)
        columns.AddArray(self._scale_array)
        self._solid, mapped = self._glyph_actor(lookup)
        shaded(self._solid)
        self._solid.GetProperty().BackfaceCullingOn()
        self._halo, hull = self._glyph_actor(lookup)
        self._mappers = (mapped, hull)
        hull.SetScaleFactor(HALO)
        hull.ScalarVisibilityOff()
        self._halo.GetProperty().FrontfaceCullingOn()
        self._halo.GetProperty().LightingOff()
        self._halo.ForceOpaqueOn()
        self._halo.SetVisibility(halo)
        self._has_halo = halo
        self._dots = vtkPolyData()
        self._dots.SetPoints(self._points)
        self._dots.GetPointData().SetScalars(self._codes.array)
        mapper = vtkPolyDataMapper()
        mapper.SetInputData(self._dots)
        coloured(mapper, lookup)
        self._dot_actor = vtkActor()
        self._dot_actor.SetMapper(mapper)
        self._dot_actor.GetProperty().LightingOff()
        self._dot_actor.ForceOpaqueOn()
        self._dot_actor.VisibilityOff()
        self._moving = False

    def _glyph_actor(self, lookup: vtkLookupTable) -> tuple[vtkActor, vtkGlyph3DMapper]:
        mapper = vtkGlyph3DMapper()
        mapper.SetInputData(self._data)
        shape = self.shape
        mapper.SetSourceData(mesh(shape.points, shape.normals, shape.triangles))
        mapper.OrientOff()
        mapper.ScalingOn()
        mapper.SetScaleModeToScaleByMagnitude()
        mapper.SetScaleArray("size")
        coloured(mapper, lookup)
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
            "//VTK::Depth::Impl", True, NEAREST, False
        )

    def background(self, red: float, green: float, blue: float) -> None:
        """Tell the background's colour, each part in [0, 1]."""
        self._halo.GetProperty().SetColor(red, green, blue)

    def colour(self, codes: Shorts) -> None:
        """Give each of its ranks a code of the look-up table."""
        self._codes.set(codes)
        self._data.Modified()
        self._dots.Modified()

    def resize(self, factors: Floats) -> None:
        """Draw each of its ranks larger or smaller; 0 hides it."""
        self._scale[:] = self.sizes * factors
        self._shown = factors > 0
        self._drawn[:] = self._scale
        self._scale_array.Modified()
        self._data.Modified()
        if self._moving:
            self._choose_dots()

    @property
    def data(self) -> vtkPolyData:
        """Places, sizes and codes, for what else is drawn at them."""
        return self._data

    def leave_out(self, some: Bools) -> None:
        """Leave ranks to others that draw them: bool, shape (n,)."""
        self._drawn[:] = np.where(some, np.float32(0), self._scale)
        self._scale_array.Modified()
        self._data.Modified()

    def displace(self, places: Floats) -> None:
        """Draw its ranks at other places: float64, shape (n, 3)."""
        self._placed = places.astype(np.float32)
        self._points.SetData(points_of(places).GetData())
        self._points.Modified()
        self._data.Modified()
        self._dots.Modified()

    def move(self, *, moving: bool, pixels: float) -> None:
        """Draw dots of so many pixels while the camera moves, glyphs when still."""
        self._moving = moving
        self._solid.SetVisibility(not moving)
        self._halo.SetVisibility(self._has_halo and not moving)
        self._dot_actor.SetVisibility(moving)
        if moving:
            self._choose_dots()
            self._dot_actor.GetProperty().SetPointSize(max(1.0, pixels))

    @property
    def moving(self) -> bool:
        """Whether they are dots now."""
        return self._moving

    @property
    def shapes(self) -> list[vtkProp]:
        """What draws them while they are no dots."""
        return [self._solid, self._halo]

    @contextmanager
    def only(self, first: int, last: int) -> Iterator[None]:
        """Draw those from one to before another only."""
        points, data = vtkPoints(), vtkPolyData()
        points.SetData(shared(self._placed[first:last]))
        data.SetPoints(points)
        data.GetPointData().SetScalars(shared(self._codes.values[first:last], "code"))
        data.GetPointData().AddArray(shared(self._drawn[first:last], "size"))
        for mapper in self._mappers:
            mapper.SetInputData(data)
        try:
            yield
        finally:
            for mapper in self._mappers:
                mapper.SetInputData(self._data)

    def _choose_dots(self) -> None:
        shown = np.flatnonzero(self._shown).astype(np.int64)
        self._dots.SetVerts(cells_of(shown[:, None]))

    @property
    def half_extents(self) -> Floats:
        """Half the extent of each glyph as it is drawn now: shape (n, 3)."""
        return self._scale.astype(np.float64)[:, None] * self.shape.half

    def half_extents_of(self, index: Ints) -> Floats:
        """Half the extent of some of its glyphs as they are drawn now: shape (n, 3)."""
        return self._scale[index].astype(np.float64)[:, None] * self.shape.half

    @property
    def shown(self) -> Bools:
        """Which of its ranks are drawn: shape (n,)."""
        return self._shown
