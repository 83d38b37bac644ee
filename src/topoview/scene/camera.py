"""Where the scene is seen from, how that is fitted to what is shown, and key frames.

All but `SceneCamera`, which moves VTK's camera, is pure NumPy. Angles are in degrees:
azimuth turns about the vertical z axis from +x, elevation rises from the horizon.
Pixels count from the top left corner.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from topoview.model import BLOCK_VIEW, Floats, Ints, Pose, bounds_of

FIELD_OF_VIEW = 22.0
"""Vertical opening of the camera in degrees."""

TAN_HALF_FIELD = math.tan(math.radians(FIELD_OF_VIEW / 2))

HOMES = {
    "torus": (-62.0, 40.0),
    "tube": (-40.0, 24.0),
    "star": (-70.0, 30.0),
    "sphere": (-62.0, 24.0),
    "graph": (-60.0, 22.0),
    "flat": (-78.0, 44.0),
    "planes": (-90.0, 90.0),
    "line": (-84.0, 40.0),
    "upright": (-90.0, 0.0),
    "box": BLOCK_VIEW,
}
"""Azimuth and elevation that show each form best."""

CAMERAS: dict[str, tuple[float, float] | None] = {
    "home": None,
    "front": (-90.0, 0.0),
    "right": (0.0, 0.0),
    "above": (-90.0, 90.0),
    "behind": (90.0, 0.0),
    "left": (180.0, 0.0),
    "below": (-90.0, -90.0),
}
"""Cameras in order of their keys, 1 to 7; None is the home of the form."""


@dataclass(frozen=True, slots=True)
class Margins:
    """Pixels at each side of the view that the scene leaves free."""

    left: float = 40.0
    top: float = 64.0
    right: float = 40.0
    bottom: float = 64.0


def depths(pose: Pose, points: ArrayLike) -> Floats:
    """Distance of points from the eye along the line of sight: shape (n,)."""
    behind = (np.asarray(points, np.float64) - pose.focal) @ pose.axes[2]
    return np.asarray(pose.distance - behind)


def project(pose: Pose, points: ArrayLike, size: tuple[float, float]) -> Floats:
    """Pixels at which points are seen.

    Parameters
    ----------
    pose
        The camera.
    points : float, shape (n, 3)
    size
        Width and height of the view in pixels.

    Returns
    -------
    float64, shape (n, 2)
        x to the right, y down.
    """
    right, up, _ = pose.axes
    local = np.asarray(points, np.float64) - pose.focal
    scale = TAN_HALF_FIELD * (
        pose.distance if pose.parallel else np.maximum(depths(pose, points), 1e-9)
    )
    width, height = size
    x = (local @ right) / scale / (width / height) + pose.shift[0]
    y = (local @ up) / scale + pose.shift[1]
    return np.stack([(1 + x) * width / 2, (1 - y) * height / 2], axis=-1)


def pixels_per_unit(pose: Pose, points: ArrayLike, height: float) -> Floats:
    """Pixels that a unit of length takes at each point: shape (n,)."""
    far = depths(pose, points)
    far = np.full_like(far, pose.distance) if pose.parallel else np.maximum(far, 1e-9)
    return np.asarray(height / 2 / (TAN_HALF_FIELD * far))


def ray(
    pose: Pose, x: float, y: float, size: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Origin and unit direction, shape (3,) each, of the line of sight at a pixel."""
    right, up, back = pose.axes
    width, height = size
    across = (2 * x / width - 1 - pose.shift[0]) * TAN_HALF_FIELD * width / height
    above = (1 - 2 * y / height - pose.shift[1]) * TAN_HALF_FIELD
    offset = across * right + above * up
    if pose.parallel:
        return pose.eye + pose.distance * offset, -back
    direction = offset - back
    return pose.eye, direction / np.linalg.norm(direction)


def turn(pose: Pose, azimuth: float, elevation: float) -> Pose:
    """Turn about the focal point; the horizon stays level."""
    return replace(
        pose,
        azimuth=(pose.azimuth + azimuth + 180) % 360 - 180,
        elevation=min(90.0, max(-90.0, pose.elevation + elevation)),
    )


def pan(pose: Pose, dx: float, dy: float, height: float) -> Pose:
    """Move what is seen by so many pixels to the right and down."""
    right, up, _ = pose.axes
    unit = 2 * TAN_HALF_FIELD * pose.distance / height
    x, y, z = np.asarray(pose.focal) - unit * (dx * right - dy * up)
    return replace(pose, focal=(float(x), float(y), float(z)))


def zoom(
    pose: Pose, factor: float, x: float, y: float, size: tuple[float, float]
) -> Pose:
    """Zoom by a factor; what is seen at pixel (x, y) stays there."""
    centre = project(pose, [pose.focal], size)[0]
    nearer = replace(pose, distance=pose.distance / factor)
    growth = factor - 1
    return pan(nearer, -(x - centre[0]) * growth, -(y - centre[1]) * growth, size[1])


def interpolate_pose(start: Pose, end: Pose, share: float) -> Pose:
    """Return the pose on the way from one to the other, the short way round."""
    if share >= 1:
        return end  # exactly, which logarithms would miss

    def mix(a: float, b: float) -> float:
        return a + (b - a) * share

    way = (end.azimuth - start.azimuth + 180) % 360 - 180
    x, y, z = (mix(a, b) for a, b in zip(start.focal, end.focal, strict=True))
    return Pose(
        azimuth=start.azimuth + share * way,
        elevation=mix(start.elevation, end.elevation),
        distance=math.exp(mix(math.log(start.distance), math.log(end.distance))),
        focal=(x, y, z),
        shift=(mix(start.shift[0], end.shift[0]), mix(start.shift[1], end.shift[1])),
        parallel=end.parallel,
    )


# How the camera is fitted to what it shows.

MAX_RANKS_SEARCHED = 256
"""Ranks up to which it is searched from where they hide each other least."""

MIN_ROOM = (5.0, 2.0)
"""Units of length (distances of neighbours) that there is always room for, across
and upright."""

DISTANCE_HALVINGS = 30
"""Steps in which the distance is searched: to a billionth of its range."""

MAX_POINTS_FITTED = 4000
"""Points from which only the outermost are looked at."""


def fit_camera(  # noqa: PLR0913 - what a camera takes
    points: Floats,
    radii: Floats,
    azimuth: float,
    elevation: float,
    size: tuple[float, float],
    margins: Margins,
    *,
    parallel: bool = False,
) -> Pose:
    """Camera that shows all points within the margins, as large as looks good.

    That is as large as there is room for, unless there are few ranks (`MIN_ROOM`).

    Parameters
    ----------
    points : float, shape (n, 3)
        What must be seen.
    radii : float, shape (n,)
        Extent of what is drawn about each point.
    azimuth, elevation
        Direction in degrees that it looks from.
    size
        Width and height of the view in pixels.
    margins
        Pixels to leave free.
    parallel
        Whether the camera is orthographic.
    """
    width, height = size
    if not len(points):
        points, radii = np.zeros((1, 3)), np.ones(1)
    some = outermost_points(points)
    seen, radius = points[some], radii[some]
    centre = (seen.min(axis=0) + seen.max(axis=0)) / 2
    x, y, z = map(float, centre)
    extent = float((np.linalg.norm(seen - centre, axis=1) + radius).max())
    room = (
        max(0.1, 1 - (margins.left + margins.right) / width),
        max(0.1, 1 - (margins.top + margins.bottom) / height),
    )
    pose = Pose(azimuth, elevation, 1.0, (x, y, z), parallel=parallel)

    def too_near(distance: float) -> bool:
        low, high = _view_bounds(replace(pose, distance=distance), seen, radius, size)
        taken = (high - low) / 2
        return bool(taken[0] > room[0] or taken[1] > room[1])

    near, far = (
        extent * 1.02,
        60 * max(extent, 0.1) / TAN_HALF_FIELD / min(width / height, 1),
    )
    unit = min(room[0] * width / MIN_ROOM[0], room[1] * height / MIN_ROOM[1])
    near = max(near, height / 2 / (TAN_HALF_FIELD * unit))  # few ranks are no giants
    far = max(far, near)
    for _ in range(DISTANCE_HALVINGS):
        middle = math.sqrt(near * far)
        near, far = (middle, far) if too_near(middle) else (near, middle)
    # as exact as it is searched: the last bits of sums differ from one time to the next
    pose = replace(pose, distance=float(f"{far:.9g}"))
    low, high = _view_bounds(pose, seen, radius, size)
    target = (
        (margins.left - margins.right) / width,
        (margins.bottom - margins.top) / height,
    )
    middle_seen = (low + high) / 2
    return replace(
        pose,
        shift=(
            round(target[0] - float(middle_seen[0]), 9),
            round(target[1] - float(middle_seen[1]), 9),
        ),
    )


def on_whole_pixels(
    pose: Pose, places: Floats, size: tuple[float, float], ratio: float
) -> Pose:
    """Move back until each place of a plane seen from above is as many whole pixels.

    Of places that are less than a pixel whole ones share each.

    Parameters
    ----------
    pose
        That shows all of them.
    places : float64, shape (n, 3)
        Whole distances apart.
    size
        Width and height of the view in pixels.
    ratio
        Device pixels a pixel.
    """
    middle = np.array([pose.focal])
    unit = float(pixels_per_unit(pose, middle, size[1])[0]) * ratio
    whole = math.floor(unit + 1e-6) or 1 / math.ceil(1 / unit - 1e-6)
    pose = replace(pose, distance=pose.distance * unit / whole)
    # the sides of ranks, which are half a place from their middles
    side = bounds_of(places)[0][None] - (0.5, 0.5, 0.0)
    off = project(pose, side, size)[0] * ratio
    right, down = np.rint(off) - off
    shift = pose.shift[0] + 2 * right / ratio / size[0]
    return replace(pose, shift=(shift, pose.shift[1] - 2 * down / ratio / size[1]))


def least_hidden_direction(
    places: Floats, radius: float, azimuth: float, elevation: float
) -> tuple[float, float]:
    """Direction near a given one in which the fewest ranks hide others.

    Returns
    -------
    azimuth, elevation
        In degrees; as given for more than `MAX_RANKS_SEARCHED` ranks.
    """
    if not 2 <= len(places) <= MAX_RANKS_SEARCHED:
        return azimuth, elevation
    from scipy.spatial import cKDTree  # loads long, and lattices have no use for it

    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    x, y, z = map(float, middle)
    extent = float(np.linalg.norm(places - middle, axis=1).max()) + radius
    best, least = (azimuth, elevation), np.inf
    for lift in np.arange(-6.0, 9.0, 2.0):
        for swing in np.arange(-16.0, 17.0, 2.0):
            angles = azimuth + float(swing), elevation + float(lift)
            pose = Pose(*angles, 1.2 * extent / TAN_HALF_FIELD, (x, y, z))
            seen = project(pose, places, (2.0, 2.0))
            balls = radius * pixels_per_unit(pose, places, 2.0)
            pairs = cKDTree(seen).query_pairs(2 * balls.max(), output_type="ndarray")
            first, second = pairs[:, 0], pairs[:, 1]
            apart = np.linalg.norm(seen[first] - seen[second], axis=1)
            hidden = np.maximum(1 - apart / (balls[first] + balls[second]), 0)
            cost = float((hidden**2).sum()) + 0.004 * abs(swing) + 0.01 * abs(lift)
            if cost < least - 1e-9:
                best, least = angles, cost
    return best


_POINTS_A_BLOCK: Final = 1 << 10
"""Points, one after the other, that are looked at only if their box is far enough."""


Singles = NDArray[np.float32]


def outermost_points(points: Floats) -> Ints:
    """Find those of points, shape (n, 3), that lie furthest in some direction."""
    if len(points) <= MAX_POINTS_FITTED:
        return np.arange(len(points))
    index = np.arange(160) + 0.5
    z = 1 - index / 80
    angle = np.pi * (3 - math.sqrt(5)) * index
    flat = np.sqrt(1 - z**2)
    ways = np.stack([flat * np.cos(angle), flat * np.sin(angle), z], 1)
    ways = np.concatenate([ways, np.eye(3), -np.eye(3), np.sign(ways[:32])])
    columns = np.ascontiguousarray(points.T, np.float32)
    begins = np.arange(0, len(points), _POINTS_A_BLOCK)
    low, high = (
        extreme.reduceat(columns, begins, axis=1)
        for extreme in (np.minimum, np.maximum)
    )
    whole = np.ptp(columns, axis=1)
    scattered = np.all((high - low).mean(axis=1) >= whole / 2)
    indices, places = set(), np.arange(len(points))
    for way in ways.astype(np.float32)[:, :, None]:
        some = slice(None)
        if not scattered:
            # No point of a block is further than the corner of its box, with what
            # both lose in rounding: most blocks are nearer than a point of the
            # furthest one.
            furthest = _along(np.where(way > 0, high, low), way)
            at = int(furthest.argmax()) * _POINTS_A_BLOCK
            most = _along(columns[:, at : at + _POINTS_A_BLOCK], way).max()
            blocks = begins[furthest >= most]
            some = (blocks[:, None] + np.arange(_POINTS_A_BLOCK)).ravel()
            some = some[some < len(points)]
        indices.add(int(places[some][_along(columns[:, some], way).argmax()]))
    return np.array(sorted(indices))


def _along(columns: Singles, way: Singles) -> Singles:
    """Return how far points lie in a direction: a product of matrices is slower."""
    result: Singles = columns[0] * way[0]
    part = np.empty_like(result)
    for axis in (1, 2):
        result += np.multiply(columns[axis], way[axis], out=part)
    return result


def _view_bounds(
    pose: Pose, points: Floats, radius: Floats, size: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Least and greatest x and y of the points in halves of the view."""
    right, up, back = pose.axes
    local = points - pose.focal
    far = np.full(len(points), pose.distance)
    if not pose.parallel:
        far = np.maximum(pose.distance - local @ back, 1e-6)
    aspect = np.array([size[0] / size[1], 1.0])
    seen = (
        np.stack([local @ right, local @ up], 1)
        / (TAN_HALF_FIELD * far)[:, None]
        / aspect
    )
    ball = (radius / (TAN_HALF_FIELD * far))[:, None] / aspect
    return (seen - ball).min(axis=0), (seen + ball).max(axis=0)


# A camera's way through poses that were set at times: key frames.


def pose_on_path(path: tuple[tuple[int, Pose], ...], time: int) -> Pose:
    """Pose on the way at a time.

    The way is smooth and never swings beyond its key frames (Fritsch and Butland,
    1984); before the first and after the last the camera stands still.

    Parameters
    ----------
    path
        Times in ticks, strictly ascending, and the pose at each; at least one.
    time
        Ticks.
    """
    times = np.array([at for at, _ in path], float)
    if len(path) == 1 or time <= times[0]:
        return path[0][1]
    if time >= times[-1]:
        return path[-1][1]
    from scipy.interpolate import PchipInterpolator  # films alone wait for it

    numbers = PchipInterpolator(times, _pose_rows([pose for _, pose in path]))(time)
    azimuth, elevation, distance, x, y, z, right, up = map(float, numbers)
    nearest = int(np.searchsorted(times, time, "right")) - 1
    return Pose(
        azimuth=(azimuth + 180) % 360 - 180,
        elevation=elevation,
        distance=float(np.exp(distance)),
        focal=(x, y, z),
        shift=(right, up),
        parallel=path[nearest][1].parallel,
    )


def _pose_rows(poses: list[Pose]) -> Floats:
    """Rows of numbers that may be mixed: turns the short way, distances as factors."""
    azimuths = np.unwrap([pose.azimuth for pose in poses], period=360)
    rows = [
        (pose.elevation, np.log(pose.distance), *pose.focal, *pose.shift)
        for pose in poses
    ]
    return np.column_stack([azimuths, np.array(rows)]).round(9)


def with_key_frame(
    path: tuple[tuple[int, Pose], ...], time: int, pose: Pose
) -> tuple[tuple[int, Pose], ...]:
    """Path with one key frame more; one at the same time is replaced."""
    return tuple(sorted({**dict(path), time: pose}.items()))


# The camera of a scene: where it stands, and how VTK's follows it.

SEARCHED_HOMES = ("torus", "tube", "graph", "star")
"""Homes about which a direction is searched in which few ranks hide others."""

MARGINS = Margins()
FRAMED_MARGINS = Margins(left=60.0, top=58.0, right=40.0, bottom=71.0)
"""Margins of scenes with names of coordinates beside and below them."""
NUMBERED_AROUND = ("circle", "torus")
"""Layouts with numbers all around."""
INSET_VIEW = (-58.0, 24.0)
"""Azimuth and elevation that the block beside its planes is seen from."""

INSET_SHARE, MIN_INSET, MAX_INSET, MIN_WIDTH_WITH_INSET = 0.22, 116.0, 380.0, 560.0
"""Share of the view's width that it has, within bounds, and where it has none."""


def inset_width(width: float) -> float:
    """Return the pixels of a view beside planes for their block; 0 in narrow ones."""
    wide = min(max(INSET_SHARE * width, MIN_INSET), MAX_INSET)
    return wide if width >= MIN_WIDTH_WITH_INSET else 0.0


PLANES_MARGINS = Margins(left=44.0, top=84.0, right=16.0, bottom=52.0)
"""Margins of planes beside each other, whose names stand above them."""
ONLY_PLANE_MARGINS = replace(PLANES_MARGINS, top=PLANES_MARGINS.top - 18)
"""Margins of one that has no name."""
RING_MARGINS = Margins(left=60.0, top=84.0, right=60.0, bottom=84.0)
"""Margins of their scenes."""


@dataclass(frozen=True, slots=True, eq=False)
class SceneExtent:
    """What the camera must see."""

    home: str
    """Form in `HOMES`."""
    places: Floats
    reach: float
    """`places` and `reach`: places of the ranks, and how far their glyphs reach."""
    points: Floats
    radii: Floats
    """`points` and `radii`: points that must be seen, and radii about them: shapes (n,
    3) and (n,)."""
    margins: Margins
    """Pixels to leave free, for the names of coordinates among others."""
    has_inset: bool = False
    """Whether a block stands beside it: of planes of three dims."""


EMPTY_EXTENT = SceneExtent(
    home="box",
    places=np.zeros((0, 3)),
    reach=1.0,
    points=np.zeros((0, 3)),
    radii=np.zeros(0),
    margins=MARGINS,
)


class SceneCamera:
    """Moves the camera of a renderer; knows the view's size in pixels."""

    def __init__(self, renderer: Any, size: tuple[float, float]) -> None:  # noqa: ANN401
        self._renderer = renderer
        self.size = size
        self.ratio = 1.0  # device pixels a pixel
        self.below = 0.0  # pixels that are to be free at the lower end, too
        self.pose = Pose(*HOMES["box"], 10.0, (0.0, 0.0, 0.0))
        self._last: tuple[SceneExtent, tuple[object, ...], Pose] | None = None
        self._searched: tuple[Floats, tuple[object, ...], tuple[float, float]] | None
        self._searched = None

    @property
    def room_of_planes(self) -> tuple[float, float]:
        """Pixels that planes beside each other can fill."""
        margins, (width, height) = PLANES_MARGINS, self.size
        wide = width - margins.left - margins.right - inset_width(width)
        return wide, height - margins.top - margins.bottom - self.below

    def place(self, pose: Pose, near: float, far: float) -> None:
        """Set the pose; what there is to see lies between two depths."""
        self.pose = pose
        camera = self._renderer.GetActiveCamera()
        camera.SetFocalPoint(*pose.focal)
        camera.SetPosition(*pose.eye)
        camera.SetViewUp(*pose.axes[1])
        camera.SetViewAngle(FIELD_OF_VIEW)
        camera.SetWindowCenter(-pose.shift[0], -pose.shift[1])
        camera.SetParallelProjection(pose.parallel)
        camera.SetParallelScale(pose.distance * TAN_HALF_FIELD)
        span = max(far - near, 1.0)
        camera.SetClippingRange(
            max(near - span - 2, 0.01 * pose.distance), far + span + 2
        )

    def look(self, name: str, extent: SceneExtent) -> Pose:
        """Pose of a camera of `CAMERAS` that shows everything."""
        angles = CAMERAS[name]
        if angles is None:
            angles = HOMES[extent.home]
            if extent.home in SEARCHED_HOMES:
                angles = self._least_hidden(extent, angles)
        return self._fitted(*angles, extent)

    def _least_hidden(
        self, extent: SceneExtent, near: tuple[float, float]
    ) -> tuple[float, float]:
        """Search; the last answer is kept, as a new scene is looked at twice."""
        key = (extent.reach, near)
        last = self._searched
        if last is not None and last[0] is extent.places and last[1] == key:
            return last[2]
        angles = least_hidden_direction(extent.places, extent.reach, *near)
        self._searched = extent.places, key, angles
        return angles

    def fitted(self, extent: SceneExtent, side: Pose | None = None) -> Pose:
        """Pose that shows everything from where the camera is, or another one was."""
        side = side or self.pose
        return self._fitted(
            side.azimuth, side.elevation, extent, parallel=side.parallel
        )

    def _fitted(
        self,
        azimuth: float,
        elevation: float,
        extent: SceneExtent,
        *,
        parallel: bool | None = None,
    ) -> Pose:
        """Fit; the last answer is kept, as what is shown anew asks more than once."""
        parallel = self.pose.parallel if parallel is None else parallel
        margins = extent.margins
        inset = inset_width(self.size[0]) if extent.has_inset else 0.0
        margins = replace(
            margins,
            right=margins.right + inset,
            bottom=margins.bottom + self.below,
        )
        key = (azimuth, elevation, self.size, self.ratio, margins, parallel)
        last = self._last
        if last is not None and last[0] is extent and last[1] == key:
            return last[2]
        pose = fit_camera(
            extent.points,
            extent.radii,
            azimuth,
            elevation,
            self.size,
            margins,
            parallel=parallel,
        )
        if extent.home == "planes" and elevation == HOMES["planes"][1]:
            pose = on_whole_pixels(pose, extent.places, self.size, self.ratio)
        self._last = extent, key, pose
        return pose
