"""The ranks of a scene: glyphs, tiles or both, with their colours and outlines."""

from dataclasses import dataclass

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable
from vtkmodules.vtkRenderingCore import vtkProp

from topoview.model import Floats, Ints, Layout, Match, Shorts
from topoview.scene.camera import Pose, depths, pixels_per_unit, project
from topoview.scene.fading import LEVELS, depth_levels, fading_table, fill
from topoview.scene.forms import FORMS, Form, shape_of, sizes_of
from topoview.scene.palette import Theme, rgb
from topoview.scene.picking import ray_balls, ray_boxes, ray_tiles
from topoview.scene.rank_glyphs import RankGlyphs
from topoview.scene.rank_tiles import RankTiles
from topoview.scene.scene_camera import Extent
from topoview.scene.shading import Palette, Shading
from topoview.scene.surfaces import Surface

SHRUNK = 0.18
"""Size of ranks that are not in focus."""

VANISH = 2000
"""Ranks from which those that are not in focus are left out."""

ROUND = np.linspace(0, 2 * np.pi, 49)[:-1]
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A camera, the view's size in pixels, and the depths that fading spans."""

    pose: Pose
    size: tuple[float, float]
    near: float
    far: float


class RankParts:
    """Draws all ranks of a layout in a form."""

    def __init__(
        self, layout: Layout, match: Match, surface: Surface | None, form: Form
    ) -> None:
        self._lookup = vtkLookupTable()
        self.form = form
        self.places = layout.positions.astype(np.float64)
        count = len(self.places)
        self.codes: Shorts = np.zeros(count, np.uint16)
        self._levels = np.zeros(count, np.uint8)
        self._theme: Theme | None = None
        self._palette: Palette | None = None
        self.tiles: RankTiles | None = None
        rest = np.arange(count)
        if form.name == "tiles" and surface is not None:
            self.tiles = RankTiles(surface, self._lookup)
            self.places[self.tiles.ranks] = self.tiles.places
            rest = np.setdiff1d(rest, self.tiles.ranks)
        drawn = FORMS["graph"] if self.tiles is not None else form
        self.glyphs = RankGlyphs(
            rest,
            self.places[rest],
            sizes_of(drawn, layout, match, surface)[rest],
            shape_of(drawn, len(rest)),
            self._lookup,
            halo=drawn.halo and len(rest) <= 20_000,
        )
        self._boxes = drawn.name in ("box", "flat")

    @property
    def actors(self) -> list[vtkProp]:
        """What is to be put into the renderer."""
        tiles = [] if self.tiles is None else self.tiles.actors
        return [*tiles, *self.glyphs.actors]

    @property
    def reach(self) -> float:
        """Greatest half extent of a glyph."""
        if not len(self.glyphs.ranks):
            return 0.0
        return float(self.glyphs.sizes.max() * self.glyphs.shape.half.max())

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """Points that the camera is fitted to, shape (n, 3), and radii about them."""
        points = self.places[self.glyphs.ranks]
        radii = self.glyphs.sizes * self.glyphs.shape.half.max()
        if self.tiles is None:
            return points, radii
        corners = self.tiles.outlines.reshape(-1, 3)
        radii = np.concatenate([radii, np.zeros(len(corners))])
        return np.concatenate([points, corners]), radii

    def extent(self, home: str, further: Floats, *, framed: bool) -> Extent:
        """Tell what the camera must see: the ranks, and further points."""
        points, radii = self.bounds
        return Extent(
            home,
            self.places,
            self.reach,
            np.concatenate([points, further]),
            np.concatenate([radii, np.zeros(len(further))]),
            framed=framed,
        )

    def paint(self, theme: Theme) -> None:
        """Take the colours of a theme, but for those of the ranks."""
        self._theme = theme
        self._fill()
        red, green, blue = (part / 255 for part in rgb(theme.panel))
        self.glyphs.background(red, green, blue)
        if self.tiles is not None:
            self.tiles.paint_shell(*(part / 255 for part in rgb(theme.shell)))

    def colour(self, shading: Shading) -> None:
        """Colour all ranks; those that do not stand out shrink."""
        if shading.palette != self._palette:
            self._palette = shading.palette
            self._fill()
        self.codes = shading.codes
        stands_out, small = shading.stands_out, 1.0
        if stands_out is None:
            stands_out = np.ones(len(self.codes), bool)
        else:
            small = SHRUNK / self.form.size if len(self.codes) <= VANISH else 0.0
            if self.tiles is not None:
                blank = np.uint16(shading.palette.blank)
                self.codes = np.where(stands_out, self.codes, blank)
        self.glyphs.resize(np.where(stands_out[self.glyphs.ranks], 1.0, small))
        self._send()

    def _fill(self) -> None:
        """Fade the palette's colours to the theme's background."""
        if self._theme is None or self._palette is None:
            return
        form = self.form
        amounts = [
            form.fade_compute if calm else form.fade_state
            for calm in self._palette.calm
        ]
        colours = self._palette.colours
        fill(self._lookup, fading_table(colours, amounts, self._theme.panel))

    def fade(self, seen: Seen) -> None:
        """Fade with the depth from the camera."""
        far = depths(seen.pose, self.places)
        self._levels = depth_levels(far, seen.near, seen.far)
        self._send()

    def _send(self) -> None:
        codes = self.codes * np.uint16(LEVELS) + self._levels
        self.glyphs.colour(codes[self.glyphs.ranks])
        if self.tiles is not None:
            self.tiles.colour(codes[self.tiles.ranks])

    def move(self, seen: Seen, ratio: float, *, moving: bool) -> None:
        """Draw glyphs as dots while the camera moves."""
        middle = self.places.mean(axis=0, keepdims=True)
        pixels = pixels_per_unit(seen.pose, middle, seen.size[1])[0] * ratio
        self.glyphs.move(moving=moving, pixels=pixels * self.form.size)

    def pick(self, origin: Floats, direction: Floats) -> int | None:
        """Rank that a ray meets first."""
        glyphs = self.glyphs
        half = glyphs.half_extents
        if self._boxes:
            far = ray_boxes(origin, direction, glyphs.places, half)
        else:
            far = ray_balls(origin, direction, glyphs.places, half[:, 0])
        far = np.where(glyphs.shown, far, np.inf)
        ranks = glyphs.ranks
        if self.tiles is not None:
            ranks = np.concatenate([ranks, self.tiles.ranks])
            tiled = ray_tiles(origin, direction, self.tiles.outlines)
            far = np.concatenate([far, tiled])
        if not len(far) or not np.isfinite(far.min()):
            return None
        return int(ranks[np.argmin(far)])

    def outline(self, rank: int, pose: Pose, size: tuple[float, float]) -> Floats:
        """Rim of a rank as it is seen: pixels, shape (k, 2), in order around it.

        Takes the same time for any number of ranks: many may be selected.
        """
        if self.tiles is not None:
            tile = _index(self.tiles.ranks, rank)
            if tile is not None:
                return project(pose, self.tiles.outlines[tile], size)
        half = self.glyphs.half_extent(int(np.searchsorted(self.glyphs.ranks, rank)))
        place = self.places[rank]
        if self._boxes:
            return _hull(project(pose, place + CORNERS * half, size))
        centre = project(pose, place[None], size)
        pixels = pixels_per_unit(pose, place[None], size[1])[0]
        around = np.stack([np.cos(ROUND), np.sin(ROUND)], axis=1)
        return np.asarray(centre + max(pixels * half[0], 2.0) * around)


def _index(ascending: Ints, value: int) -> int | None:
    """Index of a value in an ascending array, None if it is not there."""
    at = int(np.searchsorted(ascending, value))
    return at if at < len(ascending) and ascending[at] == value else None


def _hull(points: Floats) -> Floats:
    """Convex hull in order around it (Andrew's monotone chain, 1979)."""
    ordered = sorted(map(tuple, points))
    rims: list[list[tuple[float, ...]]] = []
    for sweep in (ordered, ordered[::-1]):
        rim: list[tuple[float, ...]] = []
        for x, y in sweep:
            while len(rim) > 1:
                (ax, ay), (bx, by) = rim[-2], rim[-1]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 1e-9:
                    break
                rim.pop()
            rim.append((x, y))
        rims.append(rim[:-1])
    return np.array(rims[0] + rims[1])
