"""Very many ranks as impostors: each pixel's line of sight is tested against shapes.

Triangles of so many small shapes would take longer than all else. So the nearest rank
in each pixel is found here (ray casting, `rays.py`), and VTK draws one picture with
depths, before and behind which lines are drawn as ever. Which rank a pixel shows does
not depend on colours (a visibility buffer, Burns and Hunt 2013): where only these
change, pixels are coloured anew, and no rank is looked at that is hidden.
"""

from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Final

import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkImageData, vtkPolyData
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkProp, vtkTexture

from topoview.base.kinds import FloatTriple, Singles
from topoview.base.threads import equal_parts, in_parts
from topoview.model import Bools, Bytes, Floats, Indices, Shorts
from topoview.scene.actors import LIGHT_DIRECTION, shared_array, vtk_cells, vtk_points
from topoview.scene.ranks import rays
from topoview.scene.ranks.glyphs import GlyphSet, RankGlyphs

VERTEX_SHADER = """//VTK::System::Dec
in vec4 vertexMC;
out vec2 place;
void main() {
  vec2 corner = sign(vertexMC.xy);
  place = vec2(0.5, -0.5) * corner + 0.5;
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
  gl_FragData[0] = seen.bgra;
}
"""


@dataclass(frozen=True, slots=True, eq=False)
class RayView:
    """A camera of VTK, as rays need it."""

    size: tuple[int, int]
    """Width and height in pixels."""
    numbers: Floats
    """float64, shape (20,): unit vectors to the right, down and ahead, the eye, pixels
    of a unit at depth 1 (with perspective, else at any), the pixel that is seen
    straight ahead, 1 for a camera with perspective or 0, the nearest depth, and the
    direction to the light."""
    furthest: float
    """The furthest depth."""

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
            *right,
            *-up,
            *ahead,
            *camera.GetPosition(),
            height / 2 / unit,
            width / 2 * (1 - beside),
            height / 2 * (1 + above),
            perspective,
            near,
            *(lamp @ [right, up, -ahead]),
        )
        return cls((width, height), np.array(numbers), far)

    def same(self, other: "RayView") -> bool:
        """Return whether another one sees the same."""
        same = self.size == other.size and self.furthest == other.furthest
        return same and np.array_equal(self.numbers, other.numbers)

    @property
    def ahead(self) -> Floats:
        """Direction that it looks in: shape (3,)."""
        return self.numbers[6:9]

    def part(self, samples: float, first: int) -> Floats:
        """Return the numbers for samples along each side of a pixel, from a line on."""
        numbers = self.numbers.copy()
        numbers[12:15] *= samples
        numbers[14] -= first
        return numbers


@dataclass(frozen=True, slots=True, eq=False)
class RayPicture:
    """Which rank is seen where: what `cast_rays` finds, of all samples."""

    ranks: Indices
    depths: Singles
    lights: Bytes

    @classmethod
    def empty(cls, width: int, height: int) -> "RayPicture":
        """Create one of so many samples."""
        size = height, width
        return cls(
            np.empty(size, np.int32),
            np.empty(size, np.float32),
            np.empty(size, np.uint8),
        )

    def part(self, lines: slice) -> tuple[Indices, Singles, Bytes]:
        """Return some of its lines."""
        return self.ranks[lines], self.depths[lines], self.lights[lines]


@dataclass(frozen=True, slots=True, eq=False)
class RayRequest:
    """What rays are to find: parameters as of `cast_rays`."""

    places: Singles
    sizes: Singles
    shape: FloatTriple
    hull: float
    view: RayView
    boxes: bool
    numbers: Indices
    samples: float = 1
    """Of each pixel, along both sides; 0.5: one of 2 x 2 pixels."""

    def answer(
        self, into: RayPicture | None = None, shown: "RayRequest | None" = None
    ) -> RayPicture:
        """Cast the rays; in any thread.

        Parameters
        ----------
        into
            Picture that may be overwritten.
        shown
            What that shows: where only sizes are others, only rays are cast that may
            meet something else now.
        """
        width, height = (ceil(side * self.samples) for side in self.view.size)
        if into is None or into.ranks.shape != (height, width):
            into, shown = RayPicture.empty(width, height), None
        result, changed = into, self._changed(shown)
        met, by_number = [self.sizes], np.zeros(len(self.sizes), bool)
        if changed is not None:
            nothing, by_number[self.numbers] = np.float32(0), changed
            met = [np.where(some, self.sizes, nothing) for some in (~changed, changed)]

        def cast(lines: slice) -> None:
            ranks, depths, lights = result.part(lines)
            numbers = self.view.part(self.samples, lines.start)
            if changed is None:
                ranks.fill(rays.NO_RANK)
                depths.fill(np.inf)
            else:
                rays.open_pixels(by_number, ranks, depths)
            for sizes in met:
                rays.cast_rays(
                    self.places,
                    sizes,
                    self.shape,
                    self.hull,
                    numbers,
                    self.boxes,
                    self.numbers,
                    ranks,
                    depths,
                    lights,
                )
                np.abs(depths, out=depths)

        in_parts(cast, equal_parts(height))
        return result

    def _changed(self, shown: "RayRequest | None") -> Bools | None:
        """Return which shapes have another size in a picture; None if more differs."""
        if (
            shown is None
            or shown.places is not self.places
            or shown.hull != self.hull
            or not shown.view.same(self.view)
        ):
            return None
        return np.not_equal(shown.sizes, self.sizes)


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
        self.depths: Singles = np.zeros((0, 0), np.float32)

    def fit(self, width: int, height: int) -> None:
        """Set how many pixels there are."""
        if self.depths.shape == (height, width):
            return
        self.colours = np.zeros((height, width, 4), np.uint8)
        self.depths = np.zeros((height, width), np.float32)
        columns = (
            shared_array(self.colours.reshape(-1, 4), "colours"),
            shared_array(self.depths.reshape(-1), "depths"),
        )
        for image, values in zip(self._images, columns, strict=True):
            image.SetDimensions(width, height, 1)
            image.GetPointData().SetScalars(values)

    def changed(self) -> None:
        """Show what `colours` and `depths` hold now."""
        for image in self._images:
            image.GetPointData().GetScalars().Modified()
            image.Modified()


MIN_COSINE_IN_ORDER: Final = 0.94
"""Of the angle that the camera turns before ranks are put in order of depth anew."""

FINE_SAMPLES: Final = 3
"""Samples along each side of a pixel of a picture at rest."""

ROUGH_SAMPLES: Final = 0.5
"""The same of a frame in a motion that would come late."""


class RankImpostors(RankGlyphs):
    """Draws ranks as `RankGlyphs`, but by rays: `prepare` goes before each frame."""

    def __init__(self, drawn: GlyphSet) -> None:
        super().__init__(drawn)
        self._lookup, self._hull = drawn.lookup, 1.0
        self._plane = PixelPlane()
        self._background = 1.0, 1.0, 1.0
        self._fading = 0.0, 1.0
        self._ahead: Floats = np.zeros(3)
        self._order: Indices = np.zeros(0, np.int32)
        self._sorted: Singles = np.zeros((0, 3), np.float32)
        self._sizes: Singles | None = None
        self.sharp = True
        """Whether each pixel has a sample also in frames before which the camera
        moved."""
        self._request: RayRequest | None = None
        self._cast: RayRequest | None = None
        self._view: tuple[object, RayView | None] = None, None
        self._coloured = self._deep = self._is_reported = False
        self._seen = self._coarse = RayPicture.empty(0, 0)
        self._frame: Bytes = np.zeros((0, 0, 4), np.uint8)

    @property
    def actors(self) -> list[vtkProp]:
        """What is to be put into the renderer."""
        return [self._plane.actor]

    def part(self, pixels: float) -> None:
        """Part boxes that are so many pixels large from each other."""
        hull = self._hull_size(pixels) if self._has_halo else 1.0
        if hull != self._hull:
            self._hull, self._request = hull, None

    def background(self, red: float, green: float, blue: float) -> None:
        """Set the background's colour, each part in [0, 1]."""
        self._background = red, green, blue
        self._coloured = False

    def fade(self, near: float, far: float) -> None:
        """Set the depths that colours fade between."""
        self._fading = near, far
        self._coloured = False

    def colour(self, codes: Shorts) -> None:
        """Set the code of each of its ranks: `DEPTH_LEVELS` rows of the table."""
        self._codes.set(codes)
        self._coloured = False

    def resize(self, factors: Floats) -> None:
        """Draw each of its ranks larger or smaller; 0 hides it."""
        super().resize(factors)
        self._request = self._sizes = None

    def leave_out(self, some: Bools) -> None:
        """Leave ranks to others that draw them: bool, shape (n,)."""
        super().leave_out(some)
        self._request = self._sizes = None

    def displace(self, places: Floats) -> None:
        """Draw its ranks at other places: float64, shape (n, 3)."""
        super().displace(places)
        self._request, self._ahead = None, np.zeros(3)

    def move(self, *, moving: bool, pixels: float) -> None:
        """Keep the shapes while the camera moves: they take no longer than dots."""

    def ask_fine(self) -> RayRequest | None:
        """Ask for more samples of what was found last; None if it has them."""
        if self._request is None or self._seen is not self._coarse:
            return None
        return replace(self._request, samples=FINE_SAMPLES)

    def take_fine(self, request: RayRequest, picture: RayPicture) -> bool:
        """Show more samples, unless something else is to be seen by now."""
        now = self._request
        if (
            now is None
            or now.view is not request.view
            or now.sizes is not request.sizes
        ):
            return False
        self._seen, self._coloured, self._deep = picture, False, False
        return True

    def rank_at(self, across: float, down: float) -> int | None:
        """Rank that is seen at a place, given as shares of the picture's sides.

        The rim of a rank belongs to it.
        """
        height, width = self._seen.ranks.shape
        row, column = int(down * height), int(across * width)
        if not (0 <= row < height and 0 <= column < width):
            return None
        hit = int(self._seen.ranks[row, column])
        if hit == rays.NO_RANK:
            return None
        return int(self.ranks[hit if hit >= 0 else -2 - hit])

    def prepare(self, renderer: Any) -> None:  # noqa: ANN401 - VTK's
        """Show by VTK what a renderer's camera sees, as far as that has changed."""
        view = self._find(renderer)
        if view is None:
            return
        plane = self._plane
        height, width = self._seen.ranks.shape
        plane.fit(min(width, view.size[0]), min(height, view.size[1]))
        if not self._coloured:
            self._paint(plane.colours, opacity=0)
            self._coloured, self._is_reported = True, False
        if not self._deep:
            self._deepen(view)
        if not self._is_reported:
            self._plane.changed()
            self._is_reported = True

    def pixels(self, renderer: Any) -> Bytes:  # noqa: ANN401 - VTK's
        """Return what a renderer's camera sees: a sample a pixel, until it changes.

        A rough frame has fewer pixels than the renderer.

        Returns
        -------
        uint8, shape (height, width, 4)
            Blue, green, red and opacity, all opaque; the top row first.
        """
        self._find(renderer)
        if self._seen is not self._coarse:
            self._seen, self._coloured, self._deep = self._coarse, False, False
        if self._frame.shape[:2] != self._seen.ranks.shape:
            self._frame = np.empty((*self._seen.ranks.shape, 4), np.uint8)
        self._paint(self._frame, opacity=255)
        return self._frame

    def _find(self, renderer: Any) -> RayView | None:  # noqa: ANN401 - VTK's
        """Find which rank each pixel shows; None without any pixels."""
        now = renderer.GetActiveCamera().GetMTime(), renderer.GetSize()
        if now != self._view[0]:
            self._view = now, RayView.of(renderer)
        view = self._view[1]
        if view is None or min(view.size) < 1:
            return None
        request, last = self._request, self._cast
        moves = last is not None and not view.same(last.view)
        samples = 1 if self.sharp or not moves else ROUGH_SAMPLES
        if request is None or moves or request.samples != samples:
            self._request = request = replace(self._ask(view), samples=samples)
            self._seen = self._coarse = request.answer(self._coarse, self._cast)
            self._cast = request
            self._coloured = self._deep = False
        return request.view

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
        return RayRequest(*places, view, self.shape.box, self._order)

    def _paint(self, image: Bytes, opacity: int) -> None:
        """Paint the samples' colours into pixels; with an opacity where no rank is."""
        table = vtk_to_numpy(self._lookup.GetTable())  # type: ignore[no-untyped-call]
        last = np.round(255 * np.array([[*self._background, opacity / 255]]))
        table = np.concatenate([table, last.astype(np.uint8)])
        table = np.take(table, [2, 1, 0, 3], axis=1)
        shades = self._codes.values, table.view(np.uint32)[:, 0], self._fading
        pixels = image.view(np.uint32)[..., 0]

        def colour(part: slice) -> None:
            rays.colour_pixels(*self._own(part, len(image)), *shades, pixels[part])

        in_parts(colour, equal_parts(len(image)))

    def _own(self, lines: slice, height: int) -> tuple[Indices, Singles, Bytes]:
        """Return the samples of some of so many lines of pixels."""
        samples = self._seen.ranks.shape[0] // height
        return self._seen.part(slice(lines.start * samples, lines.stop * samples))

    def _deepen(self, view: RayView) -> None:
        """Upload the depths of pixels to VTK: they stay while colours change."""
        near, perspective = float(view.numbers[16]), float(view.numbers[15])
        between = near, view.furthest, perspective

        def deepen(part: slice) -> None:
            own = self._own(part, len(self._plane.depths))
            rays.depth_pixels(own[1], between, self._plane.depths[part])

        in_parts(deepen, equal_parts(len(self._plane.depths)))
        self._deep, self._is_reported = True, False
