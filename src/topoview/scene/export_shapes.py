"""What a renderer draws, read back from VTK and laid flat on a page.

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

from topoview.grouping import index_in_run
from topoview.model import Bools, Bytes, Floats, Ints, Pose
from topoview.scene.actors import AMBIENT, DIFFUSE, LIGHT_DIRECTION
from topoview.scene.camera import pixels_per_unit, project

UNIT_VECTORS = np.eye(3)
CUBE_FACES = np.array(
    [
        [
            sign * UNIT_VECTORS[k]
            + a * UNIT_VECTORS[k - 2]
            + sign * b * UNIT_VECTORS[k - 1]
            for a, b in around
        ]
        for k in range(3)
        for sign in (-1.0, 1.0)
        for around in [((-1, -1), (1, -1), (1, 1), (-1, 1))]
    ]
)
"""Faces of the cube from -1 to 1, counter-clockwise from outside: shape (6, 4, 3)."""


class _ShapeTable:
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
class Faces(_ShapeTable):
    """Quadrangles; a triangle repeats its last corner."""

    corners: Floats
    """float64, shape (n, 4, 3): counter-clockwise as seen from outside."""
    normals: Floats
    """float64, shape (n, 3)"""
    colours: Bytes
    """uint8, shape (n, 4): RGBA, without light."""
    lit: Bools
    outside: Bools
    inside: Bools
    """`lit`, `outside` and `inside`: bool, shape (n,): whether light shades it; whether
    it is seen from outside, and from inside."""
    ground: Bools
    """bool, shape (n,): whether it is a shell, with others on it."""
    centre: Floats
    """float64, shape (n, 3): middle of what it belongs to, all of which is in front of
    something or behind."""

    @classmethod
    def none(cls) -> Self:
        """Return no faces."""
        no = np.zeros(0, bool)
        many = np.zeros((0, 4, 3))
        rows = np.zeros((0, 3))
        return cls(many, rows, np.zeros((0, 4), np.uint8), no, no, no, no, rows)


@dataclass(frozen=True, slots=True, eq=False)
class Balls(_ShapeTable):
    """Balls in space, or dots of a size on the screen."""

    places: Floats
    """float64, shape (n, 3)"""
    radii: Floats
    pixels: Floats
    """`radii` and `pixels`: float64, shape (n,): radius in space, or where that is 0 in
    device pixels."""
    colours: Bytes
    """uint8, shape (n, 4)"""
    lit: Bools
    behind: Bools
    """`lit` and `behind`: bool, shape (n,): whether light shades it; whether it is a
    hull of which only the far side is seen, a rim around what is in it."""

    @classmethod
    def none(cls) -> Self:
        """Return no balls."""
        no, zero = np.zeros(0, bool), np.zeros(0)
        return cls(np.zeros((0, 3)), zero, zero, np.zeros((0, 4), np.uint8), no, no)


@dataclass(frozen=True, slots=True, eq=False)
class Strokes(_ShapeTable):
    """Straight lines."""

    ends: Floats
    """float64, shape (n, 2, 3)"""
    colours: Bytes
    """uint8, shape (n, 4)"""
    widths: Floats
    """float64, shape (n,): device pixels."""

    @classmethod
    def none(cls) -> Self:
        """Return no lines."""
        return cls(np.zeros((0, 2, 3)), np.zeros((0, 4), np.uint8), np.zeros(0))


@dataclass(frozen=True, slots=True, eq=False)
class DrawnShapes:
    """All that is drawn."""

    faces: Faces
    balls: Balls
    strokes: Strokes


def read_renderer(renderer: Any) -> DrawnShapes:  # noqa: ANN401 - of VTK
    """Read what a renderer draws: meshes, glyphs at points, lines and points.

    Parameters
    ----------
    renderer : vtkRenderer
        Whose mappers colour through look-up tables.
    """
    faces: list[Faces] = []
    balls: list[Balls] = []
    strokes: list[Strokes] = []
    for actor in _visible_actors(renderer):
        mapper = actor.GetMapper()
        data = mapper.GetInput()
        if isinstance(mapper, vtkGlyph3DMapper):
            shape = _read_glyphs(actor, mapper, data)
            (balls if isinstance(shape, Balls) else faces).append(shape)  # type: ignore[arg-type]
            continue
        if data.GetNumberOfPolys():
            faces.append(_read_polygons(actor, data))
        if data.GetNumberOfLines():
            strokes.append(_read_lines(actor, data))
        if data.GetNumberOfVerts():
            balls.append(_read_dots(actor, data))
    return DrawnShapes(
        Faces.joined(faces), Balls.joined(balls), Strokes.joined(strokes)
    )


def _visible_actors(renderer: Any) -> Iterator[vtkActor]:  # noqa: ANN401
    actors = renderer.GetActors()
    for number in range(actors.GetNumberOfItems()):
        actor = actors.GetItemAsObject(number)
        if actor.GetVisibility() and actor.GetMapper().GetInput() is not None:
            yield actor


def _numpy_array(values: Any) -> NDArray[Any]:  # noqa: ANN401
    return np.asarray(vtk_to_numpy(values))  # type: ignore[no-untyped-call]


def _mesh_points(data: vtkPolyData) -> Floats:
    if not data.GetNumberOfPoints():
        return np.zeros((0, 3))
    return _numpy_array(data.GetPoints().GetData()).astype(np.float64)


def _actor_colours(actor: vtkActor, scalars: Any, count: int) -> Bytes:  # noqa: ANN401
    """RGBA of points or cells: uint8, shape (count, 4)."""
    looks, mapper = actor.GetProperty(), actor.GetMapper()
    result = np.empty((count, 4), np.uint8)
    if mapper.GetScalarVisibility() and scalars is not None and count:
        table, mode = mapper.GetLookupTable(), mapper.GetColorMode()
        result[:] = _numpy_array(table.MapScalars(scalars, mode, -1))[:count]
    else:
        result[:, :3] = np.rint(255 * np.array(looks.GetColor()))
        result[:, 3] = 255
    result[:, 3] = np.rint(result[:, 3] * looks.GetOpacity())
    return result


def _read_glyphs(
    actor: vtkActor, mapper: vtkGlyph3DMapper, data: vtkPolyData
) -> Faces | Balls:
    """Read one shape at many places.

    A round shape comes out as balls; any other as its bounding box, which differs
    from the scene's boxes by their bevels only.
    """
    shape = _mesh_points(mapper.GetSource(0))
    half = np.abs(shape).max(axis=0)
    round_ = np.allclose(np.linalg.norm(shape / half, axis=1), 1.0, atol=0.02)
    columns = data.GetPointData()
    size = _numpy_array(columns.GetArray("size")) * mapper.GetScaleFactor()
    keep = size > 0
    if mapper.GetMasking():
        keep &= _numpy_array(columns.GetArray("shown")) > 0
    places, size = _mesh_points(data)[keep], size[keep].astype(np.float64)
    colours = _actor_colours(actor, columns.GetScalars(), len(keep))[keep]
    looks, count = actor.GetProperty(), len(places)
    lit = np.full(count, looks.GetLighting())
    hull = bool(looks.GetFrontfaceCulling())
    if round_:
        behind = np.full(count, hull)
        return Balls(
            places=places,
            radii=size * half.max(),
            pixels=np.zeros(count),
            colours=colours,
            lit=lit,
            behind=behind,
        )
    corners = CUBE_FACES * half * size[:, None, None, None] + places[:, None, None]
    each = np.repeat(np.arange(count), len(CUBE_FACES))
    return Faces(
        corners=corners.reshape(-1, 4, 3),
        normals=np.tile(CUBE_FACES.mean(axis=1), (count, 1)),
        colours=colours[each],
        lit=lit[each],
        outside=np.full(len(each), not hull),
        inside=np.full(len(each), not looks.GetBackfaceCulling()),
        ground=np.zeros(len(each), bool),
        centre=places[each],
    )


def _read_polygons(actor: vtkActor, data: vtkPolyData) -> Faces:
    """Read a mesh of triangles and quadrangles."""
    places, looks = _mesh_points(data), actor.GetProperty()
    cells = data.GetPolys()
    ends = _numpy_array(cells.GetOffsetsArray()).astype(np.int64)
    ids = _numpy_array(cells.GetConnectivityArray()).astype(np.int64)
    begin, length = ends[:-1], np.diff(ends)
    count = len(begin)
    index = ids[begin[:, None] + np.minimum(np.arange(4), length[:, None] - 1)]
    by_cell = data.GetCellData().GetScalars()
    of_points = data.GetPointData().GetScalars()
    if by_cell is not None:
        colours = _actor_colours(actor, by_cell, count)
    else:
        by_point = _actor_colours(actor, of_points, len(places))
        colours = by_point[index[:, 0]]
    corners = places[index]
    normals = data.GetPointData().GetNormals()
    facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    if normals is not None:
        facing = _numpy_array(normals).astype(np.float64)[index].mean(axis=1)
    facing /= np.maximum(np.linalg.norm(facing, axis=1, keepdims=True), 1e-12)
    return Faces(
        corners=corners,
        normals=facing,
        colours=colours,
        lit=np.full(count, looks.GetLighting()),
        outside=np.full(count, not looks.GetFrontfaceCulling()),
        inside=np.full(count, not looks.GetBackfaceCulling()),
        ground=np.full(count, by_cell is None and of_points is None),
        centre=corners.mean(axis=1),
    )


def _read_lines(actor: vtkActor, data: vtkPolyData) -> Strokes:
    """Read lines of any number of points."""
    cells = data.GetLines()
    ends = _numpy_array(cells.GetOffsetsArray()).astype(np.int64)
    ids = _numpy_array(cells.GetConnectivityArray()).astype(np.int64)
    cell = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    within = cell[1:] == cell[:-1]
    pairs = np.stack([ids[:-1], ids[1:]], axis=1)[within]
    colours = _actor_colours(actor, data.GetCellData().GetScalars(), len(ends) - 1)
    width = np.full(len(pairs), float(actor.GetProperty().GetLineWidth()))
    return Strokes(_mesh_points(data)[pairs], colours[cell[1:][within]], width)


def _read_dots(actor: vtkActor, data: vtkPolyData) -> Balls:
    """Read points, of one size on the screen."""
    ids = _numpy_array(data.GetVerts().GetConnectivityArray()).astype(np.int64)
    colours = _actor_colours(
        actor, data.GetPointData().GetScalars(), len(_mesh_points(data))
    )
    count = len(ids)
    size = np.full(count, actor.GetProperty().GetPointSize() / 2)
    no = np.zeros(count, bool)
    return Balls(
        places=_mesh_points(data)[ids],
        radii=np.zeros(count),
        pixels=size,
        colours=colours[ids],
        lit=no,
        behind=no,
    )


# What is drawn in space, as flat shapes on a page, the furthest first.
#
# The painter's algorithm (Newell, Newell and Sancha, 1972, without splitting): shapes
# are sorted by their distance and cover each other. The scene is made of small convex
# pieces, so that none needs to be split; long lines are.

LINE_PIECE_LENGTH = 0.5
"""Length of the pieces of a line, in distances between neighbours."""

FACE, BALL, STROKE = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class PageShapes:
    """Shapes on a page, in the order in which they are painted."""

    kind: Ints
    row: Ints
    """`kind` and `row`: int64, shape (n,): `FACE`, `BALL` or `STROKE`, and the row of
    each in its table."""
    corners: Floats
    """float64, shape (faces, 4, 2): pixels, x to the right, y down."""
    circles: Floats
    """float64, shape (balls, 3): middle and radius in pixels."""
    lines: Floats
    """float64, shape (strokes, 2, 2)"""
    widths: Floats
    """float64, shape (strokes,)"""
    face_colours: Bytes
    ball_colours: Bytes
    line_colours: Bytes
    """`face_colours`, `ball_colours` and `line_colours`: uint8, shape (n, 4): RGBA;
    those of balls before light falls on them."""
    lit: Bools
    """bool, shape (balls,): whether a ball is shaded."""


def flatten(
    shapes: DrawnShapes, pose: Pose, size: tuple[float, float], ratio: float
) -> PageShapes:
    """Project what is drawn.

    Parameters
    ----------
    shapes
        What is drawn.
    pose
        The camera.
    size
        Width and height of the page in pixels.
    ratio
        Device pixels, of which widths are told, a pixel of the page.
    """
    corners, shades, face_keys = _project_faces(shapes.faces, pose, size)
    circles, ball_keys = _project_balls(shapes.balls, pose, size, ratio)
    strokes = _outside_glyphs(_split_strokes(shapes.strokes), *_hiding_glyphs(shapes))
    lines = project(pose, strokes.ends.reshape(-1, 3), size).reshape(-1, 2, 2)
    middle = strokes.ends.mean(axis=1)
    line_keys = np.stack(
        [_sorting_distance(pose, middle), np.zeros(len(middle))], axis=1
    )
    counts = (len(corners), len(circles), len(lines))
    kind = np.repeat([FACE, BALL, STROKE], counts)
    row = np.concatenate([np.arange(count) for count in counts])
    keys = np.concatenate([face_keys, ball_keys, line_keys])
    order = np.lexsort([-keys[:, 1], -keys[:, 0]])
    return PageShapes(
        kind=kind[order],
        row=row[order],
        corners=corners,
        circles=circles,
        lines=lines,
        widths=strokes.widths / ratio,
        face_colours=shades,
        ball_colours=shapes.balls.colours,
        line_colours=strokes.colours,
        lit=shapes.balls.lit,
    )


def _sorting_distance(pose: Pose, points: Floats) -> Floats:
    """How far points are, as what covers what needs it."""
    if pose.parallel:
        return np.asarray((pose.eye - points) @ pose.axes[2])
    return np.asarray(np.linalg.norm(points - pose.eye, axis=1))


def _project_faces(
    faces: Faces, pose: Pose, size: tuple[float, float]
) -> tuple[Floats, Bytes, Floats]:
    """Corners, colours and keys of the faces that are seen, all others left out."""
    corners = project(pose, faces.corners.reshape(-1, 3), size).reshape(-1, 4, 2)
    across, along = corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]
    turned = across[:, 0] * along[:, 1] - across[:, 1] * along[:, 0]
    front = turned < 0  # y runs down the page
    seen = np.where(front, faces.outside, faces.inside)
    keys = np.stack(
        [
            _sorting_distance(pose, faces.centre),
            _sorting_distance(pose, faces.corners.mean(axis=1)),
        ],
        axis=1,
    )
    if faces.ground.any():  # at most a face further away than what is on it
        across_space = np.linalg.norm(faces.corners[:, 2] - faces.corners[:, 0], axis=1)
        keys[faces.ground] += across_space.max()
    shades = light_colours(faces.colours, _light_cosine(pose, faces.normals))
    shades = np.where(faces.lit[:, None], shades, faces.colours)
    return corners[seen], shades[seen], keys[seen]


def _light_cosine(pose: Pose, normals: Floats) -> Floats:
    """Cosine between the light and normals that are turned to the camera."""
    local = normals @ np.stack(pose.axes, axis=1)
    local *= np.where(local[:, 2:] < 0, -1.0, 1.0)
    lamp = np.array(LIGHT_DIRECTION) / np.linalg.norm(LIGHT_DIRECTION)
    return np.asarray(np.maximum(local @ lamp, 0.0))


def light_colours(colours: Bytes, shine: Floats) -> Bytes:
    """Colours under the scene's light: uint8, shape (n, 4)."""
    bright = colours[:, :3] * (AMBIENT + DIFFUSE * shine)[:, None]
    return np.concatenate(
        [np.minimum(np.rint(bright), 255).astype(np.uint8), colours[:, 3:]], axis=1
    )


def _project_balls(
    balls: Balls, pose: Pose, size: tuple[float, float], ratio: float
) -> tuple[Floats, Floats]:
    middle = project(pose, balls.places, size)
    radius = pixels_per_unit(pose, balls.places, size[1]) * balls.radii
    radius = np.where(balls.radii > 0, radius, balls.pixels / ratio)
    far = _sorting_distance(pose, balls.places)
    behind = balls.behind.astype(np.float64)
    circles = np.concatenate([middle, radius[:, None]], axis=1)
    return circles, np.stack([far, behind], axis=1)


def _hiding_glyphs(shapes: DrawnShapes) -> tuple[Floats, Floats, Bools]:
    """Glyphs that hide what is in them: middles, half extents, and which are round."""
    faces, balls = shapes.faces, shapes.balls
    half = np.abs(faces.corners[:, 0] - faces.centre)
    box = faces.outside & (half.min(axis=1) > 0)
    box &= (
        np.ptp(np.abs(faces.corners - faces.centre[:, None]), axis=1).max(axis=1) == 0
    )
    ball = (balls.radii > 0) & ~balls.behind
    return (
        np.concatenate([faces.centre[box], balls.places[ball]]),
        np.concatenate([half[box], np.repeat(balls.radii[ball, None], 3, axis=1)]),
        np.repeat([False, True], [box.sum(), ball.sum()]),
    )


def _outside_glyphs(
    strokes: Strokes, middles: Floats, halves: Floats, round_: Bools
) -> Strokes:
    """Leave out the parts of lines that are within the glyph nearest to them."""
    if not len(middles) or not len(strokes.ends):
        return strokes
    from scipy.spatial import cKDTree  # loads long: not before the window

    begin, way = strokes.ends[:, 0], strokes.ends[:, 1] - strokes.ends[:, 0]
    nearest = cKDTree(middles).query(strokes.ends.mean(axis=1))[1]
    scale = 1 / halves[nearest]
    start, step = (begin - middles[nearest]) * scale, way * scale
    enter, leave = np.where(
        round_[nearest, None].T, _within_ball(start, step), _within_box(start, step)
    )
    miss = ~(enter < leave)
    enter, leave = np.where(miss, 1.0, enter), np.where(miss, 1.0, leave)
    low = np.concatenate([np.zeros(len(enter)), np.clip(leave, 0, 1)])
    high = np.concatenate([np.clip(enter, 0, 1), np.ones(len(leave))])
    line = np.tile(np.arange(len(enter)), 2)
    keep = high - low > 1e-6
    share, line = np.stack([low, high], axis=1)[keep], line[keep]
    ends = begin[line, None] + share[:, :, None] * way[line, None]
    return Strokes(ends, strokes.colours[line], strokes.widths[line])


def _within_ball(start: Floats, step: Floats) -> Floats:
    """Where lines enter and leave the ball of radius 1: shape (2, n)."""
    a = np.maximum((step**2).sum(axis=1), 1e-30)
    b = (start * step).sum(axis=1)
    root = b**2 - a * ((start**2).sum(axis=1) - 1)
    root = np.sqrt(np.where(root > 0, root, np.nan))
    return np.asarray(np.stack([-b - root, -b + root]) / a)


def _within_box(start: Floats, step: Floats) -> Floats:
    """Where lines enter and leave the cube from -1 to 1: shape (2, n)."""
    step = np.where(np.abs(step) < 1e-12, 1e-12, step)
    sides = np.sort(np.stack([(-1 - start) / step, (1 - start) / step]), axis=0)
    return np.stack([sides[0].max(axis=1), sides[1].min(axis=1)])


def _split_strokes(strokes: Strokes) -> Strokes:
    """Cut lines into pieces short enough to be before or behind a glyph."""
    way = strokes.ends[:, 1] - strokes.ends[:, 0]
    pieces = np.ceil(np.linalg.norm(way, axis=1) / LINE_PIECE_LENGTH).astype(np.int64)
    pieces = np.clip(pieces, 1, 64)
    line = np.repeat(np.arange(len(pieces)), pieces)
    number = index_in_run(pieces)
    share = np.stack([number, number + 1], axis=1) / pieces[line][:, None]
    ends = strokes.ends[line, :1] + share[:, :, None] * way[line, None]
    return Strokes(ends, strokes.colours[line], strokes.widths[line])
