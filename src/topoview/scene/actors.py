"""What VTK draws: meshes, lines and points coloured through a look-up table."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray
from vtkmodules.vtkCommonCore import vtkLookupTable, vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
from vtkmodules.vtkRenderingCore import vtkActor, vtkLight, vtkPolyDataMapper

from topoview.model import Bytes, Ints, Shorts

AMBIENT, DIFFUSE = 0.60, 0.42
"""The brightest face has the key's colour, no face less than 60 % of it."""


LIGHT_DIRECTION = (-0.35, 0.60, 1.0)
"""Where light comes from: to the right, up, and towards the eye."""


def scene_light() -> vtkLight:
    """Return the only light: from the upper left behind the camera."""
    lamp = vtkLight()
    lamp.SetLightTypeToCameraLight()
    lamp.SetPosition(*LIGHT_DIRECTION)
    lamp.SetFocalPoint(0, 0, 0)
    lamp.SetIntensity(1.0)
    return lamp


def shared_array(values: NDArray[Any], name: str = "") -> Any:  # noqa: ANN401 - of VTK
    """Let VTK read an array in place; it keeps it alive."""
    array = numpy_to_vtk(values, deep=False)  # type: ignore[no-untyped-call]
    array.SetName(name)
    return array


def copied_array(values: NDArray[Any]) -> Any:  # noqa: ANN401 - of VTK
    """Copy an array into VTK's."""
    return numpy_to_vtk(values, deep=True)  # type: ignore[no-untyped-call]


def _copied_ids(values: NDArray[Any]) -> Any:  # noqa: ANN401 - of VTK
    return numpy_to_vtkIdTypeArray(values, deep=True)  # type: ignore[no-untyped-call]


def vtk_points(places: NDArray[np.floating[Any]]) -> vtkPoints:
    """Copy places, shape (n, 3), into VTK's points."""
    points = vtkPoints()
    flat = np.ascontiguousarray(places.reshape(-1, 3), np.float32)
    points.SetData(copied_array(flat))
    return points


def vtk_cells(corners: Ints) -> vtkCellArray:
    """Cells that all have as many corners: int64, shape (cells, corners)."""
    count, size = corners.shape
    offsets = np.arange(0, (count + 1) * size, size, dtype=np.int64)
    cells = vtkCellArray()
    flat = np.ascontiguousarray(corners, np.int64).ravel()
    cells.SetData(_copied_ids(offsets), _copied_ids(flat))
    return cells


def surface_mesh(
    places: NDArray[np.floating[Any]], normals: NDArray[np.floating[Any]], corners: Ints
) -> vtkPolyData:
    """Build a surface of polygons with a normal at each point."""
    data = vtkPolyData()
    data.SetPoints(vtk_points(places))
    data.SetPolys(vtk_cells(corners))
    flat = np.ascontiguousarray(normals.reshape(-1, 3), np.float32)
    data.GetPointData().SetNormals(copied_array(flat))
    return data


def shade_actor(actor: vtkActor) -> None:
    """Light an actor as the style asks."""
    looks = actor.GetProperty()
    looks.SetAmbient(AMBIENT)
    looks.SetDiffuse(DIFFUSE)
    looks.SetSpecular(0.0)
    looks.SetInterpolationToPhong()
    actor.ForceOpaqueOn()


def surface_actor(data: vtkPolyData) -> vtkActor:
    """Draw a mesh, lit as the style asks."""
    mapper = vtkPolyDataMapper()
    mapper.SetInputData(data)
    actor = vtkActor()
    actor.SetMapper(mapper)
    shade_actor(actor)
    return actor


DEPTH_STEP = 4e-5
"""Share of the depth by which lines are drawn before others at the same place."""


def draw_nearer(actor: vtkActor, steps: int) -> None:
    """Draw an actor so many steps before what lies at the same place.

    Lines of the same ends have depths that differ in the last digit, by widths and
    by graphics cards: each would be seen through the other in places.
    """
    actor.GetShaderProperty().AddFragmentShaderReplacement(
        "//VTK::Depth::Impl",
        True,
        f"gl_FragDepth = gl_FragCoord.z - {steps * DEPTH_STEP:.9f};",
        False,
    )


class CodeArray:
    """A column of numbers of colours that VTK reads in place."""

    def __init__(self, count: int) -> None:
        self.values: Shorts = np.zeros(count, np.uint16)
        self.array = shared_array(self.values, "code")

    def set(self, values: Bytes | Shorts) -> None:
        """Replace the values; their number stays."""
        self.values[:] = values
        self.array.Modified()


def colour_by_codes(mapper: Any, lookup: vtkLookupTable) -> None:  # noqa: ANN401 - of VTK
    """Let a mapper colour by numbers through a look-up table."""
    mapper.SetLookupTable(lookup)
    mapper.SetUseLookupTableScalarRange(True)
    mapper.SetColorModeToMapScalars()
    mapper.ScalarVisibilityOn()


class Lines:
    """Straight pieces of lines, each of its own colour, one width for all."""

    def __init__(self, lookup: vtkLookupTable) -> None:
        self._data = vtkPolyData()
        mapper = vtkPolyDataMapper()
        mapper.SetInputData(self._data)
        colour_by_codes(mapper, lookup)
        mapper.SetScalarModeToUseCellData()
        self.actor = vtkActor()
        self.actor.SetMapper(mapper)
        self.actor.GetProperty().LightingOff()
        self.actor.ForceOpaqueOn()
        self.actor.SetVisibility(False)
        self._codes = CodeArray(0)
        self._width, self._enlarged = 1.0, 1.0

    def enlarge(self, factor: float) -> None:
        """Draw all lines wider by a factor, from now on."""
        self._enlarged = factor
        self.actor.GetProperty().SetLineWidth(self._width * factor)

    def set(
        self,
        ends: NDArray[np.floating[Any]],
        codes: Bytes | Shorts,
        width: float,
    ) -> None:
        """Draw other lines: ends of shape (n, 2, 3), a code for each."""
        self._data.SetPoints(vtk_points(ends))
        corners = np.arange(2 * len(ends), dtype=np.int64).reshape(-1, 2)
        self._data.SetLines(vtk_cells(corners))
        self._codes = CodeArray(len(ends))
        self._codes.set(codes)
        self._data.GetCellData().SetScalars(self._codes.array)
        self._data.Modified()
        self._width = width
        self.enlarge(self._enlarged)
        self.actor.SetVisibility(len(ends) > 0)

    def recolour(self, codes: Bytes) -> None:
        """Colour the same lines anew."""
        self._codes.set(codes)
        self._data.Modified()
