"""What is drawn in space, as flat shapes on a page, the furthest first.

The painter's algorithm (Newell, Newell and Sancha, 1972, without splitting): shapes
are sorted by their distance and cover each other. The scene is made of small convex
pieces, so that none needs to be split; long lines are.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from topoview.model import Bools, Bytes, Floats, Ints
from topoview.scene.camera import Pose, pixels_per_unit, project
from topoview.scene.drawn import Balls, Drawn, Faces, Strokes
from topoview.scene.parts import AMBIENT, DIFFUSE, LAMP

PIECE = 0.5
"""Length of the pieces of a line, in distances between neighbours."""

FACE, BALL, STROKE = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class Flat:
    """Shapes on a page, in the order in which they are painted.

    Attributes
    ----------
    kind, row : int64, shape (n,)
        `FACE`, `BALL` or `STROKE`, and the row of each in its table.
    corners : float64, shape (faces, 4, 2)
        Pixels, x to the right, y down.
    circles : float64, shape (balls, 3)
        Middle and radius in pixels.
    lines : float64, shape (strokes, 2, 2)
    widths : float64, shape (strokes,)
    face_colours, ball_colours, line_colours : uint8, shape (n, 4)
        RGBA; those of balls before light falls on them.
    lit : bool, shape (balls,)
        Whether a ball is shaded.
    """

    kind: Ints
    row: Ints
    corners: Floats
    circles: Floats
    lines: Floats
    widths: Floats
    face_colours: Bytes
    ball_colours: Bytes
    line_colours: Bytes
    lit: Bools


def flatten(found: Drawn, pose: Pose, size: tuple[float, float], ratio: float) -> Flat:
    """Project what is drawn.

    Parameters
    ----------
    found
        What is drawn.
    pose
        The camera.
    size
        Width and height of the page in pixels.
    ratio
        Device pixels, of which widths are told, a pixel of the page.
    """
    corners, shades, face_keys = _faces(found.faces, pose, size)
    circles, ball_keys = _balls(found.balls, pose, size, ratio)
    strokes = _outside(_split(found.strokes), *_solids(found))
    lines = project(pose, strokes.ends.reshape(-1, 3), size).reshape(-1, 2, 2)
    middle = strokes.ends.mean(axis=1)
    line_keys = np.stack([_distance(pose, middle), np.zeros(len(middle))], axis=1)
    counts = (len(corners), len(circles), len(lines))
    kind = np.repeat([FACE, BALL, STROKE], counts)
    row = np.concatenate([np.arange(count) for count in counts])
    keys = np.concatenate([face_keys, ball_keys, line_keys])
    order = np.lexsort([-keys[:, 1], -keys[:, 0]])
    return Flat(
        kind[order],
        row[order],
        corners,
        circles,
        lines,
        strokes.widths / ratio,
        shades,
        found.balls.colours,
        strokes.colours,
        found.balls.lit,
    )


def _distance(pose: Pose, points: Floats) -> Floats:
    """How far points are, as what covers what needs it."""
    if pose.parallel:
        return np.asarray((pose.eye - points) @ pose.axes[2])
    return np.asarray(np.linalg.norm(points - pose.eye, axis=1))


def _faces(
    faces: Faces, pose: Pose, size: tuple[float, float]
) -> tuple[Floats, Bytes, Floats]:
    """Corners, colours and keys of the faces that are seen, all others left out."""
    corners = project(pose, faces.corners.reshape(-1, 3), size).reshape(-1, 4, 2)
    across, along = corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]
    turned = across[:, 0] * along[:, 1] - across[:, 1] * along[:, 0]
    front = turned < 0  # y runs down the page
    seen = np.where(front, faces.outside, faces.inside)
    keys = np.stack(
        [_distance(pose, faces.centre), _distance(pose, faces.corners.mean(axis=1))],
        axis=1,
    )
    if faces.ground.any():  # at most a face further away than what is on it
        across_space = np.linalg.norm(faces.corners[:, 2] - faces.corners[:, 0], axis=1)
        keys[faces.ground] += across_space.max()
    shades = lit(faces.colours, _shine(pose, faces.normals))
    shades = np.where(faces.lit[:, None], shades, faces.colours)
    return corners[seen], shades[seen], keys[seen]


def _shine(pose: Pose, normals: Floats) -> Floats:
    """Cosine between the light and normals that are turned to the camera."""
    local = normals @ np.stack(pose.axes, axis=1)
    local *= np.where(local[:, 2:] < 0, -1.0, 1.0)
    lamp = np.array(LAMP) / np.linalg.norm(LAMP)
    return np.asarray(np.maximum(local @ lamp, 0.0))


def lit(colours: Bytes, shine: Floats) -> Bytes:
    """Colours under the scene's light: uint8, shape (n, 4)."""
    bright = colours[:, :3] * (AMBIENT + DIFFUSE * shine)[:, None]
    return np.concatenate(
        [np.minimum(np.rint(bright), 255).astype(np.uint8), colours[:, 3:]], axis=1
    )


def _balls(
    balls: Balls, pose: Pose, size: tuple[float, float], ratio: float
) -> tuple[Floats, Floats]:
    middle = project(pose, balls.places, size)
    radius = pixels_per_unit(pose, balls.places, size[1]) * balls.radii
    radius = np.where(balls.radii > 0, radius, balls.pixels / ratio)
    far = _distance(pose, balls.places)
    behind = balls.behind.astype(np.float64)
    circles = np.concatenate([middle, radius[:, None]], axis=1)
    return circles, np.stack([far, behind], axis=1)


def _solids(found: Drawn) -> tuple[Floats, Floats, Bools]:
    """Glyphs that hide what is in them: middles, half extents, and which are round."""
    faces, balls = found.faces, found.balls
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


def _outside(
    strokes: Strokes, middles: Floats, halves: Floats, round_: Bools
) -> Strokes:
    """Leave out the parts of lines that are within the glyph nearest to them."""
    if not len(middles) or not len(strokes.ends):
        return strokes
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


def _split(strokes: Strokes) -> Strokes:
    """Cut lines into pieces short enough to be before or behind a glyph."""
    way = strokes.ends[:, 1] - strokes.ends[:, 0]
    pieces = np.ceil(np.linalg.norm(way, axis=1) / PIECE).astype(np.int64)
    pieces = np.clip(pieces, 1, 64)
    line = np.repeat(np.arange(len(pieces)), pieces)
    number = np.arange(len(line)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    share = np.stack([number, number + 1], axis=1) / pieces[line][:, None]
    ends = strokes.ends[line, :1] + share[:, :, None] * way[line, None]
    return Strokes(ends, strokes.colours[line], strokes.widths[line])
