"""Very many ranks as impostors: each pixel's line of sight is tested against shapes.

Triangles of so many small shapes would take longer than all else. So the nearest rank
in each pixel is found here (ray casting: boxes by slabs, Kay and Kajiya 1986), and VTK
draws one picture with depths, before and behind which lines are drawn as ever. Which
rank a pixel shows depends on the camera alone (a visibility buffer, Burns and Hunt
2013): while time runs its pixels are coloured anew, and no rank is looked at that is
hidden.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkLookupTable
from vtkmodules.vtkCommonDataModel import vtkImageData, vtkPolyData
from vtkmodules.vtkRenderingCore import (
    vtkActor,
    vtkPolyDataMapper,
    vtkProp,
    vtkTexture,
)

from topoview.kernels import kernel
from topoview.model import Bools, Bytes, Floats, Indices, Ints, Shorts
from topoview.scene.actors import (
    AMBIENT,
    DIFFUSE,
    LIGHT_DIRECTION,
    shared_array,
    vtk_cells,
    vtk_points,
)
from topoview.scene.ranks.glyphs import BEVEL, GlyphShape, RankGlyphs
from topoview.scene.shading import DEPTH_LEVELS

NO_RANK: Final = -1
"""In the picture of ranks: the background. What is less is the rim of a rank."""

BEVEL_BEGIN: Final = 1 - 2 * BEVEL
"""Share of half a box's side that is left of it by bevels."""

MIN_SLOPE: Final = 1e-9
"""Of a ray along an axis: less than a pixel anywhere."""

VERTEX_SHADER = """//VTK::System::Dec
in vec4 vertexMC;
out vec2 place;
void main() {
  vec2 corner = sign(vertexMC.xy);
  place = 0.5 * corner + 0.5;
  gl_Position = vec4(corner, 0.0, 1.0);
}
"""

FRAGMENT_SHADER = """//VTK::System::Dec
//VTK::Output::Dec
uniform sampler2D rankColours;
uniform sampler2D rankDepths;
in vec2 place;
void main() {
  vec4 seen = texture(rankColours, place);
  if (seen.a == 0.0) discard;
  gl_FragDepth = texture(rankDepths, place).r;
  gl_FragData[0] = seen;
}
"""


Triple = tuple[float, float, float]


@kernel(error_model="numpy", inline="always")
def _dot(a: Triple, b: Triple) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel(error_model="numpy")
def _reach(a: Triple, half: Triple) -> float:
    """How far a box reaches along a vector."""
    return abs(a[0]) * half[0] + abs(a[1]) * half[1] + abs(a[2]) * half[2]


@kernel(error_model="numpy", inline="always")
def _inverse(number: float) -> float:
    return 1 / (number if abs(number) > MIN_SLOPE else MIN_SLOPE)


@kernel(error_model="numpy")
def _crossed(to: Triple, way: Triple, half: Triple) -> tuple[float, float]:
    """Where a ray enters and leaves a box; that is no way if it misses it."""
    x, y, z = _inverse(way[0]), _inverse(way[1]), _inverse(way[2])
    a, b, c = to[0] * x, to[1] * y, to[2] * z
    x, y, z = abs(x) * half[0], abs(y) * half[1], abs(z) * half[2]
    return max(a - x, b - y, c - z), min(a + x, b + y, c + z)


@kernel(error_model="numpy")
def _clipped(to: Triple, way: Triple, half: Triple) -> tuple[float, float]:
    """Where a ray enters and leaves what bevels leave of a box, but for its sides."""
    enter, leave = -np.inf, np.inf
    x, y, z = to[0] / half[0], to[1] / half[1], to[2] / half[2]
    u, v, w = way[0] / half[0], way[1] / half[1], way[2] / half[2]
    for _ in range(3):
        x, y, z, u, v, w = y, z, x, v, w, u
        for sign in (-1, 1):
            over = _inverse(u + sign * v)
            middle, reach = (x + sign * y) * over, abs(over) * (1 + BEVEL_BEGIN)
            enter, leave = max(enter, middle - reach), min(leave, middle + reach)
    for second in (-1, 1):
        for third in (-1, 1):
            over = _inverse(u + second * v + third * w)
            middle = (x + second * y + third * z) * over
            reach = abs(over) * (1 + 2 * BEVEL_BEGIN)
            enter, leave = max(enter, middle - reach), min(leave, middle + reach)
    return enter, leave


@kernel(error_model="numpy")
def _bevelled(at: Triple, half: Triple) -> bool:
    """Tell whether a place on a box is cut off by a bevel, or in it."""
    count = 0
    for k in range(3):
        count += abs(at[k]) > BEVEL_BEGIN * half[k]
    return count > 1


@kernel(error_model="numpy")
def _box_light(at: Triple, half: Triple, lamp: Triple) -> float:
    """Light at a place on a box: in a bevel that of its sides is mixed."""
    total = square = 0.0
    for k in range(3):
        place = at[k] / half[k]
        share = max(abs(place) - BEVEL_BEGIN, 0.0)
        total += np.copysign(share, place) * lamp[k]
        square += share * share
    return total / np.sqrt(square)


@kernel(error_model="numpy")
def _ball_met(to: Triple, way: Triple, radius: float, lamp: Triple) -> Triple:
    """Where a ray enters a ball, the light there, and whether it does."""
    a, b = _dot(way, way), _dot(way, to)
    root = b * b - a * (_dot(to, to) - radius * radius)
    if root < 0:
        return np.inf, 0.0, 0.0
    t = (b - np.sqrt(root)) / a
    at = t * way[0] - to[0], t * way[1] - to[1], t * way[2] - to[2]
    return t, _dot(at, lamp) / radius, 1.0


@kernel(error_model="numpy")
def _box_met(
    to: Triple, way: Triple, half: Triple, hull: float, lamp: Triple
) -> Triple:
    """Where a ray enters a box, the light there, and 1; where it leaves its rim, -1."""
    t, leave = _crossed(to, way, half)
    if t <= leave:
        at = t * way[0] - to[0], t * way[1] - to[1], t * way[2] - to[2]
        if _bevelled(at, half):
            first, last = _clipped(to, way, half)
            t, leave = max(t, first), min(leave, last)
            at = t * way[0] - to[0], t * way[1] - to[1], t * way[2] - to[2]
        if t <= leave:
            return t, _box_light(at, half, lamp), 1.0
    if hull > 1:
        outside = half[0] * hull, half[1] * hull, half[2] * hull
        t, leave = _crossed(to, way, outside)
        first, last = _clipped(to, way, outside)
        t, leave = max(t, first), min(leave, last)
        if t <= leave:
            return leave, 0.0, -1.0
    return np.inf, 0.0, 0.0


@kernel(error_model="numpy", inline="always")
def _pixels_of(seen: float, around: float, middle: float, size: int) -> tuple[int, int]:
    """First pixel whose middle lies around a place, and the one after the last."""
    seen += middle - 0.5
    first = max(np.ceil(seen - around), 0.0)
    return int(first), int(max(min(np.floor(seen + around) + 1.0, size), first))


@kernel(error_model="numpy")
def cast_rays(  # noqa: C901, PLR0913 - one loop
    places: Floats,
    sizes: Floats,
    shape: Triple,
    hull: float,
    view: Floats,
    boxes: bool,
    numbers: Indices,
    ranks: Indices,
    depths: Floats,
    lights: Bytes,
) -> None:
    """Find the nearest shape on each pixel's line of sight.

    Parameters
    ----------
    places : float32, shape (n, 3)
        Best with the nearest first: then what is hidden costs little.
    sizes : float32, shape (n,)
        0 hides.
    shape
        Half the extent of the shape of size 1 along each axis.
    hull
        Size of the hull whose far side is the rim of a box, in sizes of that; 1: none.
    view : float64, shape (20,)
        `RayView.numbers`.
    boxes
        Whether they are boxes along the axes; else they are balls.
    numbers : int32, shape (n,)
        Their numbers.
    ranks : int32, shape (height, width)
        Gets the number of the nearest shape, ``-2 - number`` for its rim. The lowest
        line is the first one.
    depths : float32, shape (height, width)
        Gets its depth along the camera's axis where it is nearer.
    lights : uint8, shape (height, width)
        Gets the light on it.
    """
    size = ranks.shape[1], ranks.shape[0]
    right, up = (view[0], view[1], view[2]), (view[3], view[4], view[5])
    ahead = view[6], view[7], view[8]
    focal, beside, above, perspective, near = (
        *(view[12], view[13], view[14]),
        *(view[15], view[16]),
    )
    lamp = view[17], view[18], view[19]
    flat = 1 - perspective
    unit = shape[0] * hull, shape[1] * hull, shape[2] * hull
    wide, tall, deep = _reach(right, unit), _reach(up, unit), _reach(ahead, unit)
    for i in range(len(places)):
        scale = np.float64(sizes[i])
        if scale <= 0:
            continue
        to = places[i, 0] - view[9], places[i, 1] - view[10], places[i, 2] - view[11]
        far = _dot(to, ahead)
        nearest, furthest = far - deep * scale, far + deep * scale
        if furthest <= near:
            continue
        left, stop, low, high = 0, size[0], 0, size[1]
        if nearest > near:
            # of a corner at e: focal (u + e_u) / (far + e_far) - focal u / far
            most = focal * scale / (perspective * nearest + flat)
            v = _dot(to, up) / (perspective * far + flat)
            around = most * (tall + abs(v) * perspective * deep)
            low, high = _pixels_of(focal * v, around, above, size[1])
            if low == high:
                continue
            u = _dot(to, right) / (perspective * far + flat)
            around = most * (wide + abs(u) * perspective * deep)
            left, stop = _pixels_of(focal * u, around, beside, size[0])
        half = shape[0] * scale, shape[1] * scale, shape[2] * scale
        for row in range(low, high):
            y = (row + 0.5 - above) / focal
            for column in range(left, stop):
                if depths[row, column] <= nearest:
                    continue
                x = (column + 0.5 - beside) / focal
                aside = (
                    x * right[0] + y * up[0],
                    x * right[1] + y * up[1],
                    x * right[2] + y * up[2],
                )
                way = (
                    ahead[0] + perspective * aside[0],
                    ahead[1] + perspective * aside[1],
                    ahead[2] + perspective * aside[2],
                )
                own = (
                    to[0] - flat * aside[0],
                    to[1] - flat * aside[1],
                    to[2] - flat * aside[2],
                )
                if boxes:
                    depth, light, met = _box_met(own, way, half, hull, lamp)
                else:
                    depth, light, met = _ball_met(own, way, half[0], lamp)
                if met and near < depth < depths[row, column]:
                    number = numbers[i]
                    depths[row, column] = depth
                    ranks[row, column] = number if met > 0 else -2 - number
                    shown = min(AMBIENT + DIFFUSE * max(light, 0.0), 1.0)
                    lights[row, column] = np.uint8(shown * 255 + 0.5)


@kernel
def colour_pixels(  # noqa: PLR0913
    ranks: Indices,
    depths: Floats,
    lights: Bytes,
    codes: Shorts,
    table: Bytes,
    fading: tuple[float, float],
    range_: tuple[float, float, float],
    found: Bytes,
    deep: Floats,
) -> None:
    """Give pixels the colours of the ranks in them.

    Where several samples make a pixel it has the mixture of their colours, and what
    they cover of it as its opacity.

    Parameters
    ----------
    ranks, depths, lights
        What `cast_rays` found; as many samples a pixel along both sides as `found`
        is smaller.
    codes : uint16, shape (n,)
        Code of each shape.
    table : uint8, shape (codes * DEPTH_LEVELS + 1, 3)
        Their colours in each depth, and last that of the background.
    fading
        Depths of the first level and of the last one.
    range_
        Nearest and furthest depth that is drawn; 1 for a camera with perspective.
    found : uint8, shape (height, width, 4)
        Gets RGBA.
    deep : float32, shape (height, width)
        Gets depths as OpenGL has them.
    """
    height, width, _ = found.shape
    samples = ranks.shape[0] // height
    steps = (DEPTH_LEVELS - 1) / max(fading[1] - fading[0], 1e-9)
    near, far, perspective = range_
    for row in range(height):
        for column in range(width):
            red = green = blue = covered = 0
            nearest = np.float32(np.inf)
            for y in range(row * samples, row * samples + samples):
                for x in range(column * samples, column * samples + samples):
                    rank = ranks[y, x]
                    if rank == NO_RANK:
                        continue
                    nearest = min(nearest, depths[y, x])
                    covered += 1
                    at, light = len(table) - 1, 255
                    if rank >= 0:
                        step = (depths[y, x] - fading[0]) * steps + 0.5
                        step = min(max(step, 0.0), DEPTH_LEVELS - 1.0)
                        at = np.int64(codes[rank]) * DEPTH_LEVELS + int(step)
                        light = np.int64(lights[y, x])
                    red += table[at, 0] * light
                    green += table[at, 1] * light
                    blue += table[at, 2] * light
            if covered:
                part = 1 / (255 * covered)
                found[row, column, 0] = np.uint8(red * part + 0.5)
                found[row, column, 1] = np.uint8(green * part + 0.5)
                found[row, column, 2] = np.uint8(blue * part + 0.5)
                share = far / (far - near)
                if perspective > 0:
                    deep[row, column] = share - share * near / nearest
                else:
                    deep[row, column] = (nearest - near) / (far - near)
            found[row, column, 3] = covered * 255 // (samples * samples)


@dataclass(frozen=True, slots=True, eq=False)
class RayView:
    """A camera of VTK, as rays need it.

    Attributes
    ----------
    size
        Width and height in pixels.
    numbers : float64, shape (20,)
        Unit vectors to the right, up and ahead, the eye, pixels of a unit at depth 1
        (with perspective, else at any), the pixel that is seen straight ahead, 1 for a
        camera with perspective or 0, the nearest depth, and the direction to the light.
    furthest
        The furthest depth.
    """

    size: tuple[int, int]
    numbers: Floats
    furthest: float

    @classmethod
    def of(cls, renderer: Any) -> "RayView":  # noqa: ANN401 - VTK's
        """Read a renderer's camera."""
        camera = renderer.GetActiveCamera()
        width, height = renderer.GetSize()
        ahead = np.array(camera.GetDirectionOfProjection())
        right = np.cross(ahead, camera.GetViewUp())
        right /= np.linalg.norm(right)
        up = np.cross(right, ahead)
        if camera.GetParallelProjection():
            perspective, unit = 0.0, camera.GetParallelScale()
        else:
            perspective = 1.0
            unit = np.tan(np.radians(camera.GetViewAngle() / 2))
        beside, above = camera.GetWindowCenter()
        near, far = camera.GetClippingRange()
        lamp = np.array(LIGHT_DIRECTION) / np.linalg.norm(LIGHT_DIRECTION)
        numbers = (
            *(*right, *up, *ahead, *camera.GetPosition()),
            *(height / 2 / unit, width / 2 * (1 - beside), height / 2 * (1 - above)),
            *(perspective, near),
            *(lamp @ [right, up, -ahead]),
        )
        return cls((width, height), np.array(numbers), far)

    def same(self, other: "RayView") -> bool:
        """Tell whether another one sees the same."""
        same = self.size == other.size and self.furthest == other.furthest
        return same and np.array_equal(self.numbers, other.numbers)

    @property
    def ahead(self) -> Floats:
        """Direction that it looks in: shape (3,)."""
        return self.numbers[6:9]

    def part(self, samples: int, first: int) -> Floats:
        """Return the numbers for samples along each side of a pixel, from a line on."""
        numbers = self.numbers.copy()
        numbers[12:15] *= samples
        numbers[14] -= first
        return numbers


@dataclass(frozen=True, slots=True, eq=False)
class RayPicture:
    """Which rank is seen where: what `cast_rays` finds, of all samples."""

    ranks: Indices
    depths: Floats
    lights: Bytes

    @classmethod
    def empty(cls, width: int, height: int) -> "RayPicture":
        """Make one of so many samples."""
        size = height, width
        return cls(
            np.empty(size, np.int32),
            np.empty(size, np.float32),
            np.empty(size, np.uint8),
        )

    def part(self, lines: slice) -> tuple[Indices, Floats, Bytes]:
        """Give some of its lines."""
        return self.ranks[lines], self.depths[lines], self.lights[lines]


@dataclass(frozen=True, slots=True, eq=False)
class RayRequest:
    """What rays are to find: parameters as of `cast_rays`.

    Attributes
    ----------
    samples
        Of each pixel, along both sides.
    """

    places: Floats
    sizes: Floats
    shape: Triple
    hull: float
    view: RayView
    boxes: bool
    numbers: Indices
    samples: int = 1

    def answer(self, into: RayPicture | None = None) -> RayPicture:
        """Cast the rays; in any thread, into a picture that may be overwritten."""
        width, height = (side * self.samples for side in self.view.size)
        if into is None or into.ranks.shape != (height, width):
            into = RayPicture.empty(width, height)
        found = into

        def cast(lines: slice) -> None:
            ranks, depths, lights = found.part(lines)
            ranks.fill(NO_RANK)
            depths.fill(np.inf)
            numbers = self.view.part(self.samples, lines.start)
            cast_rays(
                *(self.places, self.sizes, self.shape, self.hull, numbers),
                *(self.boxes, self.numbers, ranks, depths, lights),
            )

        _in_parts(cast, height)
        return found


EVERYWHERE: Final = 1e6
"""Units of length that a plane reaches: VTK leaves out what it thinks is not seen."""


class PixelPlane:
    """Has VTK draw pixels that are made here, each at its depth."""

    def __init__(self) -> None:
        data = vtkPolyData()
        corners = np.array([[-1, -1, -1], [1, -1, -1], [1, 1, 1], [-1, 1, 1]], float)
        data.SetPoints(vtk_points(corners * EVERYWHERE))
        data.SetPolys(vtk_cells(np.arange(4).reshape(1, 4)))
        mapper = vtkPolyDataMapper()
        mapper.SetInputData(data)
        self.actor = vtkActor()
        self.actor.SetMapper(mapper)
        self.actor.SetUseBounds(False)
        self.actor.ForceOpaqueOn()
        self.actor.GetProperty().LightingOff()
        shaders = self.actor.GetShaderProperty()
        shaders.SetVertexShaderCode(VERTEX_SHADER)
        shaders.SetFragmentShaderCode(FRAGMENT_SHADER)
        self._images = []
        for name in ("rankColours", "rankDepths"):
            image, texture = vtkImageData(), vtkTexture()
            texture.SetInputData(image)
            texture.SetColorModeToDirectScalars()
            texture.InterpolateOff()
            texture.RepeatOff()
            self.actor.GetProperty().SetTexture(name, texture)
            self._images.append(image)
        self.colours: Bytes = np.zeros((0, 0, 4), np.uint8)
        self.depths: Floats = np.zeros((0, 0), np.float32)

    def fit(self, width: int, height: int) -> None:
        """Have so many pixels."""
        if self.depths.shape == (height, width):
            return
        self.colours = np.zeros((height, width, 4), np.uint8)
        self.depths = np.zeros((height, width), np.float32)
        columns = self.colours.reshape(-1, 4), self.depths.reshape(-1)
        for image, values in zip(self._images, columns, strict=True):
            image.SetDimensions(width, height, 1)
            image.GetPointData().SetScalars(shared_array(values, "pixels"))

    def changed(self) -> None:
        """Show what `colours` and `depths` hold now."""
        for image in self._images:
            image.GetPointData().GetScalars().Modified()
            image.Modified()


MIN_COSINE_IN_ORDER: Final = 0.94
"""Of the angle that the camera turns before ranks are put in order of depth anew."""

FINE_SAMPLES: Final = 3
"""Samples along each side of a pixel of a picture at rest."""

THREADS: Final = max(1, min(8, os.cpu_count() or 1))
"""Parts of the picture that are made at once."""


class RankImpostors(RankGlyphs):
    """Draws ranks as `RankGlyphs` does, but by rays: `prepare` goes before each frame.

    Parameters
    ----------
    boxes
        Whether their shape is a box; else it is a ball.
    """

    def __init__(  # noqa: PLR0913 - what it is made of
        self,
        ranks: Ints,
        places: Floats,
        sizes: Floats,
        shape: GlyphShape,
        lookup: vtkLookupTable,
        *,
        halo: bool,
        boxes: bool,
    ) -> None:
        super().__init__(ranks, places, sizes, shape, lookup, halo=halo)
        self._boxes, self._lookup, self._hull = boxes, lookup, 1.0
        self._plane = PixelPlane()
        self._background = 1.0, 1.0, 1.0
        self._fading = 0.0, 1.0
        self._ahead: Floats = np.zeros(3)
        self._order: Indices = np.zeros(0, np.int32)
        self._sorted: Floats = np.zeros((0, 3), np.float32)
        self._sizes: Floats | None = None
        self._asked: RayRequest | None = None
        self._coloured = False
        self._seen = self._coarse = RayPicture.empty(0, 0)

    @property
    def actors(self) -> list[vtkProp]:
        """What is to be put into the renderer."""
        return [self._plane.actor]

    def part(self, pixels: float) -> None:
        """Part boxes that are so many pixels large from each other."""
        hull = self._hull_size(pixels) if self._has_halo else 1.0
        if hull != self._hull:
            self._hull, self._asked = hull, None

    def background(self, red: float, green: float, blue: float) -> None:
        """Tell the background's colour, each part in [0, 1]."""
        self._background = red, green, blue
        self._coloured = False

    def fade(self, near: float, far: float) -> None:
        """Tell the depths that colours fade between."""
        self._fading = near, far
        self._coloured = False

    def colour(self, codes: Shorts) -> None:
        """Give each of its ranks a code, which has `DEPTH_LEVELS` rows of the table."""
        self._codes.set(codes)
        self._coloured = False

    def resize(self, factors: Floats) -> None:
        """Draw each of its ranks larger or smaller; 0 hides it."""
        super().resize(factors)
        self._asked = self._sizes = None

    def leave_out(self, some: Bools) -> None:
        """Leave ranks to others that draw them: bool, shape (n,)."""
        super().leave_out(some)
        self._asked = self._sizes = None

    def displace(self, places: Floats) -> None:
        """Draw its ranks at other places: float64, shape (n, 3)."""
        super().displace(places)
        self._asked, self._ahead = None, np.zeros(3)

    def move(self, *, moving: bool, pixels: float) -> None:
        """Keep the shapes while the camera moves: they take no longer than dots."""

    def ask_fine(self) -> RayRequest | None:
        """Ask for more samples of what was found last; None if it has them."""
        if self._asked is None or self._seen is not self._coarse:
            return None
        return replace(self._asked, samples=FINE_SAMPLES)

    def take_fine(self, asked: RayRequest, found: RayPicture) -> bool:
        """Show more samples, unless something else is to be seen by now."""
        now = self._asked
        if now is None or now.view is not asked.view or now.sizes is not asked.sizes:
            return False
        self._seen, self._coloured = found, False
        return True

    def rank_at(self, across: float, down: float) -> int | None:
        """Rank that is seen at a place, given as shares of the picture's sides.

        The rim of a rank belongs to it.
        """
        height, width = self._seen.ranks.shape
        row, column = int((1 - down) * height), int(across * width)
        if not (0 <= row < height and 0 <= column < width):
            return None
        found = int(self._seen.ranks[row, column])
        if found == NO_RANK:
            return None
        return int(self.ranks[found if found >= 0 else -2 - found])

    def prepare(self, renderer: Any) -> None:  # noqa: ANN401 - VTK's
        """Find what a renderer's camera sees, as far as that has changed."""
        view = RayView.of(renderer)
        if min(view.size) < 1:
            return
        asked = self._asked
        if asked is None or not view.same(asked.view):
            self._asked = asked = self._ask(view)
            self._seen = self._coarse = asked.answer(self._coarse)
            self._coloured = False
        if not self._coloured:
            self._paint(asked.view)

    def _ask(self, view: RayView) -> RayRequest:
        """Ask what is seen, with the shapes in order of depth, about."""
        if self._ahead @ view.ahead < MIN_COSINE_IN_ORDER:
            self._ahead, self._sizes = view.ahead, None
            depth = self._placed @ view.ahead.astype(np.float32)
            depth -= depth.min(initial=0.0)
            depth *= 65535 / max(float(depth.max(initial=0.0)), 1e-9)
            order = np.argsort(depth.astype(np.uint16), kind="stable")
            self._order = order.astype(np.int32)
            self._sorted = self._placed[self._order]
        if self._sizes is None:
            self._sizes = self._drawn[self._order]
        x, y, z = self.shape.half.tolist()
        places = self._sorted, self._sizes, (x, y, z), self._hull
        return RayRequest(*places, view, self._boxes, self._order)

    def _paint(self, view: RayView) -> None:
        """Give the samples their colours, and make pixels of them."""
        plane = self._plane
        plane.fit(*view.size)
        colours = vtk_to_numpy(self._lookup.GetTable())[:, :3]  # type: ignore[no-untyped-call]
        last = np.round(255 * np.array([self._background])).astype(np.uint8)
        table = np.concatenate([colours, last])
        near, perspective = float(view.numbers[16]), float(view.numbers[15])

        samples = self._seen.ranks.shape[0] // view.size[1]

        def colour(part: slice) -> None:
            own = slice(part.start * samples, part.stop * samples)
            colour_pixels(
                *self._seen.part(own),
                *(self._codes.values, table, self._fading),
                (near, view.furthest, perspective),
                *(plane.colours[part], plane.depths[part]),
            )

        _in_parts(colour, view.size[1])
        plane.changed()
        self._coloured = True


def _in_parts(work: Callable[[slice], None], lines: int) -> None:
    """Do work on all lines of a picture, in some threads."""
    ends = [lines * k // THREADS for k in range(THREADS + 1)]
    parts = [slice(*pair) for pair in pairwise(ends)]
    if len(parts) == 1:
        work(parts[0])
        return
    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(work, parts))


def load_rays() -> None:
    """Have the kernels compiled, or loaded: not in the window's thread."""
    lamp = np.array([0.0, 0.0, 1.0])
    view = RayView((1, 1), np.concatenate([np.eye(3).ravel(), np.ones(8), lamp]), 2.0)
    none = np.zeros((0, 3), np.float32), np.zeros(0, np.float32), (1.0, 1.0, 1.0), 1.0
    found = RayRequest(*none, view, boxes=True, numbers=np.zeros(0, np.int32)).answer()
    colour_pixels(
        *found.part(slice(1)),
        *(np.zeros(0, np.uint16), np.zeros((1, 3), np.uint8), (0.0, 1.0)),
        *((0.0, 1.0, 1.0), np.zeros((1, 1, 4), np.uint8), np.zeros((1, 1), np.float32)),
    )
