"""All that draws the ranks of a scene: glyphs or tiles, colours, highlights, images.

Selected ranks are drawn once more before all others, also those inside of blocks.
Periodic images of a grid are paler, and picked as the ranks that they are images of.
"""

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable
from vtkmodules.vtkRenderingCore import vtkProp

from topoview.model import Bools, Floats, Grid, Ints, Layout, Match, Pose, Shorts
from topoview.scene.camera import depths, pixels_per_unit, project
from topoview.scene.palette import Theme, mix_colours, rgb
from topoview.scene.ranks import picking
from topoview.scene.ranks.forms import FORMS, Form, glyph_shape, glyph_sizes
from topoview.scene.ranks.glyphs import GlyphSet, RankGlyphs
from topoview.scene.ranks.impostors import RankImpostors
from topoview.scene.ranks.outlines import RankOutlines
from topoview.scene.ranks.surfaces import RankPolygons, RankTiles, Surface
from topoview.scene.shading import (
    DEPTH_LEVELS,
    CodePalette,
    Shading,
    depth_levels,
    fading_table,
    fill_lookup,
)

MAX_RANKS_AS_MESHES = 2000
"""Ranks of more may be drawn by rays."""

MAX_RANKS_WITH_HALO = 20_000
"""Boxes of more are not parted from each other."""

MAX_RANKS_WITH_IMAGES = 5000
"""Ranks of more are not copied."""

IMAGE_PALENESS = 0.62
"""Share of the background in the colours of copies."""


def image_shifts(grid: Grid | None) -> Floats:
    """Where copies stand, from the grid itself: shape (copies, 3), (8, 3) for a torus.

    Copies are made along the first two axes that wrap.
    """
    periods = []
    if grid is not None and grid.tables and len(grid.dims) <= 3:
        for n, wraps, table in zip(grid.dims, grid.periodic, grid.tables, strict=True):
            if wraps and n > 1:
                periods.append(table[-1] - table[0] + table[1] - table[0])
    if not periods:
        return np.zeros((0, 3))
    some = np.array(periods[:2])
    steps = itertools.product((-1, 0, 1), repeat=len(some))
    beside = np.array([step for step in steps if any(step)], np.float64)
    return np.asarray(beside @ some)


class PeriodicImages:
    """Draws copies of a grid's ranks.

    Parameters
    ----------
    glyphs
        The ranks themselves.
    shifts : float64, shape (copies, 3)
        Where the copies are from these.
    """

    def __init__(self, glyphs: RankGlyphs, shifts: Floats) -> None:
        self._lookup = vtkLookupTable()
        self._count = len(shifts)
        places = (glyphs.places[None] + shifts[:, None]).reshape(-1, 3)
        ranks = np.tile(glyphs.ranks, self._count)
        sizes = np.tile(glyphs.sizes, self._count)
        drawn = GlyphSet(ranks, places, sizes, glyphs.shape, self._lookup)
        self.glyphs = RankGlyphs(drawn)

    @property
    def actors(self) -> list[vtkProp]:
        """What is to be put into the renderer."""
        return self.glyphs.actors

    def fill(self, palette: CodePalette, theme: Theme) -> None:
        """Fill the table with the colours of a palette, paler."""
        pale = [
            mix_colours(colour, theme.panel, IMAGE_PALENESS)
            for colour in palette.colours
        ]
        fill_lookup(self._lookup, fading_table(pale, [0.3] * len(pale), theme.panel))

    def colour(self, codes: Shorts) -> None:
        """Set the code of each rank in the look-up table."""
        self.glyphs.colour(np.tile(codes, self._count))

    def resize(self, factors: Floats) -> None:
        """Draw each rank larger or smaller; 0 hides it."""
        self.glyphs.resize(np.tile(factors, self._count))


MAX_HIGHLIGHTED = 600
"""Most ranks that are drawn so."""


class RankHighlights:
    """Draws some ranks where nothing hides them."""

    def __init__(self, drawn: GlyphSet) -> None:
        self.glyphs = RankGlyphs(drawn)
        self.glyphs.bring_to_front()

    @property
    def actors(self) -> list[vtkProp]:
        """What is to be put into the renderer."""
        return self.glyphs.actors

    def colour(self, codes: Shorts) -> None:
        """Set the code of each of its ranks, which it has among all."""
        self.glyphs.colour(codes[self.glyphs.ranks])


def highlighted_ranks(ranks: tuple[int, ...], count: int) -> Ints:
    """Ranks of a selection that are drawn so: ascending, not too many."""
    valid = np.array(ranks, np.int64)
    valid = valid[valid < count]
    return np.sort(valid) if len(valid) <= MAX_HIGHLIGHTED else valid[:0]


UNFOCUSED_SIZE = 0.18
"""Size of ranks that are not in focus."""

MAX_UNFOCUSED_RANKS = 2000
"""Ranks from which those that are not in focus are left out."""


@dataclass(frozen=True, slots=True, eq=False)
class DepthView:
    """A camera, the view's size in pixels, and the depths that fading spans."""

    pose: Pose
    size: tuple[float, float]
    near: float
    far: float


class RankActors:
    """Draws all ranks of a layout in a form."""

    def __init__(  # noqa: PLR0913
        self,
        layout: Layout,
        match: Match,
        surface: Surface | None,
        form: Form,
        spacing: float,
        *,
        copies: bool = False,
        rays: bool = False,
    ) -> None:
        self._lookup = vtkLookupTable()
        self.form = form
        self.places = layout.positions.astype(np.float64)
        count = len(self.places)
        self.codes: Shorts = np.zeros(count, np.uint16)
        self._levels = np.zeros(count, np.uint8)
        self._theme: Theme | None = None
        self._palette: CodePalette | None = None
        self.tiles: RankTiles | RankPolygons | None = None
        rest = np.arange(count)
        if form.name == "tiles" and surface is not None:
            self.tiles = RankTiles(surface, self._lookup)
        elif form.name == "tiles":
            self.tiles = RankPolygons(layout, self._lookup)
        if self.tiles is not None:
            self.places[self.tiles.ranks] = self.tiles.places
            rest = np.setdiff1d(rest, self.tiles.ranks)
        drawn = FORMS["graph"] if self.tiles is not None else form
        self._boxes = drawn.name in ("box", "flat", "planes")
        sizes = glyph_sizes(drawn, layout, match, spacing)[rest]
        what = GlyphSet(
            rest,
            self.places[rest],
            sizes,
            glyph_shape(drawn, len(rest)),
            self._lookup,
            halo=drawn.halo and len(rest) <= MAX_RANKS_WITH_HALO,
        )
        self.impostors: RankImpostors | None = None
        # cells of planes are on whole pixels: there is nothing for meshes to smooth
        if rays and (form.name == "planes" or len(rest) > MAX_RANKS_AS_MESHES):
            self.impostors = RankImpostors(what)
        self.glyphs = self.impostors or RankGlyphs(what)
        shifts = np.zeros((0, 3))
        if copies and self._boxes and count <= MAX_RANKS_WITH_IMAGES:
            shifts = image_shifts(layout.grid)
        self.copies = PeriodicImages(self.glyphs, shifts) if len(shifts) else None
        self.marks: RankHighlights | None = None
        self.inside: Bools = np.ones(count, bool)
        self._dimmed, self._shrink = True, 1.0
        self._shading: Shading | None = None
        self._ratio = 1.0
        self._sized = self._all_alike = np.ones(count)
        self._visible: Bools | None = None
        self._whole = True
        self.second = RankOutlines(self.glyphs, self.tiles)

    @property
    def actors(self) -> list[vtkProp]:
        """What is to be put into the renderer."""
        tiles = [] if self.tiles is None else self.tiles.actors
        copies = [] if self.copies is None else self.copies.actors
        return [*tiles, *self.glyphs.actors, *self.second.actors, *copies]

    @cached_property
    def reach(self) -> float:
        """Greatest half extent of a glyph."""
        if not len(self.glyphs.ranks):
            return 0.0
        return float(self.glyphs.sizes.max() * self.glyphs.shape.half.max())

    @cached_property
    def tile_extent(self) -> float:
        """How long a side of a tile of a surface is, about; 0 without tiles."""
        if self.tiles is None or not len(self.tiles.ranks):
            return 0.0
        corners = self.tiles.outlines[:, ::2]
        apart = np.linalg.norm(corners - corners.mean(axis=1, keepdims=True), axis=2)
        return float(np.sqrt(2) * np.median(apart))

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """Points that the camera is fitted to, shape (n, 3), and radii about them."""
        shown = self.inside if self.inside.any() else ~self.inside
        some = shown[self.glyphs.ranks]
        points = self.places[self.glyphs.ranks[some]]
        radii = self.glyphs.sizes[some] * self.glyphs.shape.half.max()
        if self.copies is not None:
            some = shown[self.copies.glyphs.ranks]
            around = self.copies.glyphs.places[some]
            points = np.concatenate([points, around])
            radii = np.concatenate([radii, np.full(len(around), self.reach)])
        if self.tiles is None:
            return points, radii
        corners = self.tiles.outlines[shown[self.tiles.ranks], ::2].reshape(-1, 3)
        if isinstance(self.tiles, RankPolygons) and self._whole:
            corners = np.concatenate([corners, self.tiles.whole])
        radii = np.concatenate([radii, np.zeros(len(corners))])
        return np.concatenate([points, corners]), radii

    def bounds_of(self, some: Ints) -> tuple[Floats, Floats]:
        """Return the bounds of some ranks of those that are all there (`whole`)."""
        return self.places[some], self.glyphs.sizes[some] * self.glyphs.shape.half.max()

    def paint(self, theme: Theme) -> None:
        """Apply the colours of a theme, but for those of the ranks."""
        self._theme = theme
        self._fill()
        red, green, blue = (part / 255 for part in rgb(theme.panel))
        self.glyphs.background(red, green, blue)
        self.second.paint(theme)
        if self.tiles is not None:
            self.tiles.paint_shell(*(part / 255 for part in rgb(theme.shell)))

    def colour(self, shading: Shading, ratio: float) -> None:
        """Colour all ranks; those that do not stand out shrink."""
        if shading.palette != self._palette:
            self._palette = shading.palette
            self._fill()
        self._shading, self._ratio = shading, ratio
        self.codes = shading.codes
        factors = self._factors(shading)
        if self.tiles is not None:
            blank = np.uint16(shading.palette.blank)
            hidden = factors < 1.0
            if shading.faint is not None:
                hidden |= shading.faint
            self.codes = np.where(hidden, blank, self.codes).astype(np.uint16)
        if shading.sizes is not None:
            factors = factors * shading.sizes
        if factors is not self._sized and not np.array_equal(factors, self._sized):
            self._sized, self._visible = factors, None
            self.glyphs.resize(factors[self.glyphs.ranks])
            if self.copies is not None:
                self.copies.resize(factors[self.glyphs.ranks])
        self.second.show(shading, ratio)
        self._send()

    def _factors(self, shading: Shading) -> Floats:
        """Share of its size that each rank has: shape (ranks,)."""
        calm_size = self.form.size_computing(self._shrink, len(self.codes))
        calm = None if self.tiles is not None else shading.calm
        shrinks = calm is not None and calm_size != 1
        apart = shading.stands_out is not None or self.marks is not None
        if self._whole and not shrinks and not apart:
            return self._all_alike
        factors = np.ones(len(self.codes))
        if calm is not None:
            factors[calm] = calm_size
        if shading.stands_out is not None:
            factors[~shading.stands_out] = self._small
        if not self._whole:
            factors[~self.inside] = self._small if self._dimmed else 0.0
        if self.marks is not None:  # who is selected is not left out
            own = self.marks.glyphs.ranks
            least = UNFOCUSED_SIZE / self.form.size
            whole = np.where(False if calm is None else calm[own], 1.0, factors[own])
            factors[own] = np.maximum(whole, least)
        return factors

    @property
    def _small(self) -> float:
        """Factor of the size of ranks that stand back."""
        return (
            UNFOCUSED_SIZE / self.form.size
            if len(self.codes) <= MAX_UNFOCUSED_RANKS
            else 0.0
        )

    def restrict(self, inside: Bools, *, dimmed: bool, shrink: float = 1.0) -> None:
        """Show only some ranks; the others are dimmed and small, or vanish.

        Those that compute have so much of their size, or more (`Form.shrinks`).
        """
        self.inside, self._dimmed, self._shrink = inside, dimmed, shrink
        self._visible, self._whole = None, bool(inside.all())
        if self._shading is not None:
            self.colour(self._shading, self._ratio)

    @property
    def whole(self) -> bool:
        """Whether it shows all ranks, each once, at the layout's places."""
        return self.tiles is None and self.copies is None and self._whole

    @property
    def visible(self) -> Bools:
        """Ranks that are drawn, be it dimmed: shape (ranks,)."""
        if self._visible is None:
            self._visible = self.inside.copy()
            self._visible[self.glyphs.ranks] = self.glyphs.shown
        return self._visible

    @property
    def ends(self) -> Bools:
        """Ranks that lines may end at: shape (ranks,)."""
        return self.visible if self._whole else self.inside & self.visible

    def mark(self, ranks: tuple[int, ...]) -> None:
        """Choose the ranks that are drawn before all others; put actors anew."""
        self.marks, glyphs = None, self.glyphs
        some = highlighted_ranks(ranks, len(self.places))
        index = np.searchsorted(glyphs.ranks, some)
        own = index < len(glyphs.ranks)
        own[own] = glyphs.ranks[index[own]] == some[own]
        some, index = some[own], index[own]
        if len(some):
            places, sizes = glyphs.places[index], glyphs.sizes[index]
            self.marks = RankHighlights(
                GlyphSet(some, places, sizes, glyphs.shape, self._lookup)
            )
        if self._shading is not None:
            self.colour(self._shading, self._ratio)

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
        fill_lookup(self._lookup, fading_table(colours, amounts, self._theme.panel))
        if self.copies is not None:
            self.copies.fill(self._palette, self._theme)

    def fade(self, seen: DepthView) -> None:
        """Fade with the depth from the camera."""
        self.glyphs.part(self._pixels(seen) * self.form.size)
        if self.impostors is not None:
            self.impostors.fade(seen.near, seen.far)
        if self.impostors is None or self.copies is not None:
            far = depths(seen.pose, self.places)
            self._levels = depth_levels(far, seen.near, seen.far)
            self._send()

    @cached_property
    def _middle(self) -> Floats:
        return np.array([[column.mean() for column in self.places.T]])

    def _pixels(self, seen: DepthView) -> float:
        """Pixels of a unit of length in the middle."""
        middle = self._middle
        return float(pixels_per_unit(seen.pose, middle, seen.size[1])[0])

    def _send(self) -> None:
        if self.impostors is not None:
            every = len(self.impostors.ranks) == len(self.codes)
            codes = self.codes if every else self.codes[self.impostors.ranks]
            self.impostors.colour(codes)
            if self.copies is None and self.marks is None:
                return
        codes = self.codes * np.uint16(DEPTH_LEVELS) + self._levels
        if self.impostors is None:
            self.glyphs.colour(codes[self.glyphs.ranks])
        if self.tiles is not None:
            self.tiles.colour(codes[self.tiles.ranks])
        if self.copies is not None:
            self.copies.colour(codes[self.glyphs.ranks])
        if self.marks is not None:
            self.marks.colour(self.codes * np.uint16(DEPTH_LEVELS))

    def move(self, seen: DepthView, ratio: float, *, moving: bool) -> None:
        """Draw glyphs as dots while the camera moves."""
        pixels = self._pixels(seen) * ratio
        self.glyphs.move(moving=moving, pixels=pixels * self.form.size)
        if self.copies is not None:
            self.copies.glyphs.move(moving=moving, pixels=pixels * self.form.size)
        self.second.move(moving=moving)

    def pick(
        self, origin: Floats, direction: Floats, share: tuple[float, float]
    ) -> int | None:
        """Rank that a ray meets first, whose pixel is at shares of the view's sides."""
        if self.marks is not None:
            front = self.marks.glyphs
            met = self._along(front, origin, direction)
            if met.min() < np.inf:
                return int(front.ranks[met.argmin()])
        if self.impostors is not None and self.copies is None:
            return self.impostors.rank_at(*share)
        ranks, far = [self.glyphs.ranks], [self._along(self.glyphs, origin, direction)]
        if self.copies is not None:
            ranks.append(self.copies.glyphs.ranks)
            far.append(self._along(self.copies.glyphs, origin, direction))
        if self.tiles is not None:
            ranks.append(self.tiles.ranks)
            met = picking.ray_polygons(origin, direction, self.tiles.outlines)
            far.append(np.where(self.inside[self.tiles.ranks], met, np.inf))
        every = np.concatenate(far)
        if not len(every) or not np.isfinite(every.min()):
            return None
        return int(np.concatenate(ranks)[np.argmin(every)])

    def _along(self, glyphs: RankGlyphs, origin: Floats, direction: Floats) -> Floats:
        """Distance along a ray to each glyph; inf where it misses."""
        half = glyphs.half_extents
        if self._boxes:
            far = picking.ray_boxes(origin, direction, glyphs.places, half)
        else:
            far = picking.ray_balls(origin, direction, glyphs.places, half[:, 0])
        return np.where(glyphs.shown, far, np.inf)

    def outlines(
        self, ranks: Ints, pose: Pose, size: tuple[float, float]
    ) -> list[Floats]:
        """Rims of ranks as they are seen: pixels, each of shape (k, 2)."""
        if self.tiles is None:
            return self._rims(ranks, pose, size)
        result = []
        for rank in ranks.tolist():
            tile = picking.index_in_sorted(self.tiles.ranks, rank)
            if tile is None:
                result += self._rims(np.array([rank]), pose, size)
            else:
                result.append(project(pose, self.tiles.outlines[tile], size))
        return result

    def _rims(self, ranks: Ints, pose: Pose, size: tuple[float, float]) -> list[Floats]:
        """Rims of ranks that are no tiles."""
        if not len(ranks):
            return []
        half = self.glyphs.half_extents_of(np.searchsorted(self.glyphs.ranks, ranks))
        return picking.glyph_outlines(
            self.places[ranks], half, pose, size, boxes=self._boxes
        )
