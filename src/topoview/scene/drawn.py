"""What a renderer draws, read back from VTK as faces, balls and lines in space.

Vector files and models for slides are made of it. Reading what VTK draws, instead of
drawing a second time, keeps them like the picture whatever the scene learns to show.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkRenderingCore import vtkActor, vtkGlyph3DMapper

from topoview.model import Bools, Bytes, Floats

AXES = np.eye(3)
CUBE = np.array(
    [
        [sign * AXES[k] + a * AXES[k - 2] + sign * b * AXES[k - 1] for a, b in around]
        for k in range(3)
        for sign in (-1.0, 1.0)
        for around in [((-1, -1), (1, -1), (1, 1), (-1, 1))]
    ]
)
"""Faces of the cube from -1 to 1, counter-clockwise from outside: shape (6, 4, 3)."""


class _Table:
    """Columns of one length."""

    @classmethod
    def joined(cls, parts: list[Self]) -> Self:
        """Put tables below each other."""
        names = [field.name for field in fields(cls)]  # type: ignore[arg-type]
        parts = [cls.none(), *parts]
        return cls(*(np.concatenate([getattr(p, n) for p in parts]) for n in names))

    @classmethod
    def none(cls) -> Self:
        """Return a table without rows."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False)
class Faces(_Table):
    """Quadrangles; a triangle repeats its last corner.

    Attributes
    ----------
    corners : float64, shape (n, 4, 3)
        Counter-clockwise as seen from outside.
    normals : float64, shape (n, 3)
    colours : uint8, shape (n, 4)
        RGBA, without light.
    lit, outside, inside : bool, shape (n,)
        Whether light shades it; whether it is seen from outside, and from inside.
    ground : bool, shape (n,)
        Whether it is a shell, with others on it.
    centre : float64, shape (n, 3)
        Middle of what it belongs to, all of which is in front of something or behind.
    """

    corners: Floats
    normals: Floats
    colours: Bytes
    lit: Bools
    outside: Bools
    inside: Bools
    ground: Bools
    centre: Floats

    @classmethod
    def none(cls) -> Self:
        """Return no faces."""
        no = np.zeros(0, bool)
        many = np.zeros((0, 4, 3))
        rows = np.zeros((0, 3))
        return cls(many, rows, np.zeros((0, 4), np.uint8), no, no, no, no, rows)


@dataclass(frozen=True, slots=True, eq=False)
class Balls(_Table):
    """Balls in space, or dots of a size on the screen.

    Attributes
    ----------
    places : float64, shape (n, 3)
    radii, pixels : float64, shape (n,)
        Radius in space, or where that is 0 in device pixels.
    colours : uint8, shape (n, 4)
    lit, behind : bool, shape (n,)
        Whether light shades it; whether it is a hull of which only the far side is
        seen, a rim around what is in it.
    """

    places: Floats
    radii: Floats
    pixels: Floats
    colours: Bytes
    lit: Bools
    behind: Bools

    @classmethod
    def none(cls) -> Self:
        """Return no balls."""
        no, zero = np.zeros(0, bool), np.zeros(0)
        return cls(np.zeros((0, 3)), zero, zero, np.zeros((0, 4), np.uint8), no, no)


@dataclass(frozen=True, slots=True, eq=False)
class Strokes(_Table):
    """Straight lines.

    Attributes
    ----------
    ends : float64, shape (n, 2, 3)
    colours : uint8, shape (n, 4)
    widths : float64, shape (n,)
        Device pixels.
    """

    ends: Floats
    colours: Bytes
    widths: Floats

    @classmethod
    def none(cls) -> Self:
        """Return no lines."""
        return cls(np.zeros((0, 2, 3)), np.zeros((0, 4), np.uint8), np.zeros(0))


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """All that is drawn."""

    faces: Faces
    balls: Balls
    strokes: Strokes


def drawn(renderer: Any) -> Drawn:  # noqa: ANN401 - of VTK
    """Read what a renderer draws: meshes, glyphs at points, lines and points.

    Parameters
    ----------
    renderer : vtkRenderer
        Whose mappers colour through look-up tables.
    """
    faces: list[Faces] = []
    balls: list[Balls] = []
    strokes: list[Strokes] = []
    for actor in _visible(renderer):
        mapper = actor.GetMapper()
        data = mapper.GetInput()
        if isinstance(mapper, vtkGlyph3DMapper):
            found = _glyphs(actor, mapper, data)
            (balls if isinstance(found, Balls) else faces).append(found)  # type: ignore[arg-type]
            continue
        if data.GetNumberOfPolys():
            faces.append(_polygons(actor, data))
        if data.GetNumberOfLines():
            strokes.append(_lines(actor, data))
        if data.GetNumberOfVerts():
            balls.append(_dots(actor, data))
    return Drawn(Faces.joined(faces), Balls.joined(balls), Strokes.joined(strokes))


def _visible(renderer: Any) -> Iterator[vtkActor]:  # noqa: ANN401
    actors = renderer.GetActors()
    for number in range(actors.GetNumberOfItems()):
        actor = actors.GetItemAsObject(number)
        if actor.GetVisibility() and actor.GetMapper().GetInput() is not None:
            yield actor


def _array(values: Any) -> NDArray[Any]:  # noqa: ANN401
    return np.asarray(vtk_to_numpy(values))  # type: ignore[no-untyped-call]


def _points(data: vtkPolyData) -> Floats:
    if not data.GetNumberOfPoints():
        return np.zeros((0, 3))
    return _array(data.GetPoints().GetData()).astype(np.float64)


def _colours(actor: vtkActor, scalars: Any, count: int) -> Bytes:  # noqa: ANN401
    """RGBA of points or cells: uint8, shape (count, 4)."""
    looks, mapper = actor.GetProperty(), actor.GetMapper()
    found = np.empty((count, 4), np.uint8)
    if mapper.GetScalarVisibility() and scalars is not None and count:
        table, mode = mapper.GetLookupTable(), mapper.GetColorMode()
        found[:] = _array(table.MapScalars(scalars, mode, -1))[:count]
    else:
        found[:, :3] = np.rint(255 * np.array(looks.GetColor()))
        found[:, 3] = 255
    found[:, 3] = np.rint(found[:, 3] * looks.GetOpacity())
    return found


def _glyphs(
    actor: vtkActor, mapper: vtkGlyph3DMapper, data: vtkPolyData
) -> Faces | Balls:
    """Read one shape at many places.

    A round shape comes out as balls; any other as its bounding box, which differs
    from the scene's boxes by their bevels only.
    """
    shape = _points(mapper.GetSource(0))
    half = np.abs(shape).max(axis=0)
    round_ = np.allclose(np.linalg.norm(shape / half, axis=1), 1.0, atol=0.02)
    columns = data.GetPointData()
    size = _array(columns.GetArray("size")) * mapper.GetScaleFactor()
    keep = size > 0
    if mapper.GetMasking():
        keep &= _array(columns.GetArray("shown")) > 0
    places, size = _points(data)[keep], size[keep].astype(np.float64)
    colours = _colours(actor, columns.GetScalars(), len(keep))[keep]
    looks, count = actor.GetProperty(), len(places)
    lit = np.full(count, looks.GetLighting())
    hull = bool(looks.GetFrontfaceCulling())
    if round_:
        behind = np.full(count, hull)
        return Balls(places, size * half.max(), np.zeros(count), colours, lit, behind)
    corners = CUBE * half * size[:, None, None, None] + places[:, None, None]
    each = np.repeat(np.arange(count), len(CUBE))
    return Faces(
        corners.reshape(-1, 4, 3),
        np.tile(CUBE.mean(axis=1), (count, 1)),
        colours[each],
        lit[each],
        np.full(len(each), not hull),
        np.full(len(each), not looks.GetBackfaceCulling()),
        np.zeros(len(each), bool),
        places[each],
    )


def _polygons(actor: vtkActor, data: vtkPolyData) -> Faces:
    """Read a mesh of triangles and quadrangles."""
    places, looks = _points(data), actor.GetProperty()
    cells = data.GetPolys()
    ends = _array(cells.GetOffsetsArray()).astype(np.int64)
    ids = _array(cells.GetConnectivityArray()).astype(np.int64)
    begin, length = ends[:-1], np.diff(ends)
    count = len(begin)
    index = ids[begin[:, None] + np.minimum(np.arange(4), length[:, None] - 1)]
    by_cell = data.GetCellData().GetScalars()
    of_points = data.GetPointData().GetScalars()
    if by_cell is not None:
        colours = _colours(actor, by_cell, count)
    else:
        by_point = _colours(actor, of_points, len(places))
        colours = by_point[index[:, 0]]
    corners = places[index]
    normals = data.GetPointData().GetNormals()
    facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    if normals is not None:
        facing = _array(normals).astype(np.float64)[index].mean(axis=1)
    facing /= np.maximum(np.linalg.norm(facing, axis=1, keepdims=True), 1e-12)
    return Faces(
        corners,
        facing,
        colours,
        np.full(count, looks.GetLighting()),
        np.full(count, not looks.GetFrontfaceCulling()),
        np.full(count, not looks.GetBackfaceCulling()),
        np.full(count, by_cell is None and of_points is None),
        corners.mean(axis=1),
    )


def _lines(actor: vtkActor, data: vtkPolyData) -> Strokes:
    """Read lines of any number of points."""
    cells = data.GetLines()
    ends = _array(cells.GetOffsetsArray()).astype(np.int64)
    ids = _array(cells.GetConnectivityArray()).astype(np.int64)
    cell = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    within = cell[1:] == cell[:-1]
    pairs = np.stack([ids[:-1], ids[1:]], axis=1)[within]
    colours = _colours(actor, data.GetCellData().GetScalars(), len(ends) - 1)
    width = np.full(len(pairs), float(actor.GetProperty().GetLineWidth()))
    return Strokes(_points(data)[pairs], colours[cell[1:][within]], width)


def _dots(actor: vtkActor, data: vtkPolyData) -> Balls:
    """Read points, of one size on the screen."""
    ids = _array(data.GetVerts().GetConnectivityArray()).astype(np.int64)
    colours = _colours(actor, data.GetPointData().GetScalars(), len(_points(data)))
    count = len(ids)
    size = np.full(count, actor.GetProperty().GetPointSize() / 2)
    no = np.zeros(count, bool)
    return Balls(_points(data)[ids], np.zeros(count), size, colours[ids], no, no)
