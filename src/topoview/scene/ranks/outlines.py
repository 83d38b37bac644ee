"""What else a rank shows beside its colour: a rim, and that others are seen through."""

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable
from vtkmodules.vtkRenderingCore import vtkProp

from topoview.model import Bytes, Shorts
from topoview.scene.actors import Lines, colour_by_codes, shade_actor, shared_array
from topoview.scene.palette import Theme, rgb
from topoview.scene.ranks.glyphs import RankGlyphs
from topoview.scene.ranks.surfaces import RankPolygons, RankTiles
from topoview.scene.shading import Shading, fill_lookup

OUTLINE_SIZE = 1.25
"""Size of the hull whose back is the rim, in sizes of the glyph."""

TRANSLUCENT_OPACITY = 0.35
"""Opacity of ranks that others are seen through."""

TILE_OUTLINE_WIDTH = 3.0
"""Pixels of the rim of a tile, and how far inside of it that is drawn."""

TILE_OUTLINE_INSET = 0.12


class RankOutlines:
    """Draws rims around ranks, and ranks that are seen through, over their glyphs.

    Parameters
    ----------
    glyphs
        Whose places and sizes they have.
    tiles
        Ranks that are tiles, if any: their rims are lines within their edges.
    """

    def __init__(
        self, glyphs: RankGlyphs, tiles: RankTiles | RankPolygons | None
    ) -> None:
        self._glyphs, self._tiles = glyphs, tiles
        count = len(glyphs.ranks)
        self._colours = vtkLookupTable()
        self._rims: Shorts = np.zeros(count, np.uint16)
        self._rimmed = np.zeros(count, np.float32)
        self._faint = np.zeros(count, np.float32)
        self._arrays = [
            shared_array(self._rims, "rim"),
            shared_array(self._rimmed, "rimmed"),
            shared_array(self._faint, "faint"),
        ]
        for array in self._arrays:
            glyphs.data.GetPointData().AddArray(array)
        self._rim, mapper = glyphs.glyph_actor("rimmed")
        colour_by_codes(mapper, self._colours)
        mapper.SetScalarModeToUsePointFieldData()
        mapper.SelectColorArray("rim")
        mapper.SetScaleFactor(OUTLINE_SIZE)
        self._rim.GetProperty().FrontfaceCullingOn()
        self._rim.GetProperty().LightingOff()
        self._rim.ForceOpaqueOn()
        self._ghost, mapper = glyphs.glyph_actor("faint")
        mapper.ScalarVisibilityOff()  # the colours of scalars would be opaque
        shade_actor(self._ghost)
        self._ghost.GetProperty().BackfaceCullingOn()
        self._ghost.GetProperty().SetOpacity(TRANSLUCENT_OPACITY)
        self._ghost.ForceOpaqueOff()
        self._ghost.ForceTranslucentOn()
        self._rim.VisibilityOff()
        self._ghost.VisibilityOff()
        self._lines = Lines(self._colours)
        self._lines.actor.VisibilityOff()
        self._moving, self._plain = False, True

    @property
    def actors(self) -> list[vtkProp]:
        """What is to be put into the renderer."""
        return [self._rim, self._ghost, self._lines.actor]

    def paint(self, theme: Theme) -> None:
        """Apply a theme's colour of ranks that are seen through."""
        self._ghost.GetProperty().SetColor(*(p / 255 for p in rgb(theme.edge)))

    def show(self, shading: Shading, ratio: float) -> None:
        """Draw the rims and the faint ranks of a shading."""
        faint = shading.faint
        plain = faint is None and shading.rims is None
        if plain and self._plain:
            return
        self._plain = plain
        ranks, shown = self._glyphs.ranks, self._glyphs.shown
        some = np.zeros(len(ranks), bool) if faint is None else faint[ranks] & shown
        sizes = self._glyphs.half_extents[:, 0] / self._glyphs.shape.half[0]
        self._faint[:] = np.where(some, sizes, 0)
        self._glyphs.leave_out(some)
        if shading.rims is not None:
            self._paint(shading.rim_colours)
            self._rims[:] = shading.rims[ranks]
            self._rimmed[:] = np.where((self._rims > 0) & shown & ~some, sizes, 0)
        else:
            self._rimmed[:] = 0
        for array in self._arrays:
            array.Modified()
        self._glyphs.data.Modified()
        self._show_tiles(shading, ratio)
        self._choose()

    def enlarge(self, factor: float) -> None:
        """Draw lines wider by a factor, from now on."""
        self._lines.enlarge(factor)

    def move(self, *, moving: bool) -> None:
        """Leave all of it out while the camera moves."""
        self._moving = moving
        self._choose()

    def _choose(self) -> None:
        still = not self._moving
        self._rim.SetVisibility(still and bool(self._rimmed.any()))
        self._ghost.SetVisibility(still and bool(self._faint.any()))

    def _show_tiles(self, shading: Shading, ratio: float) -> None:
        tiles = self._tiles
        if tiles is None or shading.rims is None:
            self._lines.actor.VisibilityOff()
            return
        codes = shading.rims[tiles.ranks]
        some = np.flatnonzero(codes)
        corners = tiles.outlines[some]
        middle = corners.mean(axis=1, keepdims=True)
        outward = np.cross(
            corners[:, 2] - corners[:, 0], corners[:, -1] - corners[:, 1]
        )
        outward /= np.maximum(np.linalg.norm(outward, axis=1, keepdims=True), 1e-9)
        reach = np.linalg.norm(corners[:, 2] - corners[:, 0], axis=1)[:, None]
        corners = corners + TILE_OUTLINE_INSET * (middle - corners)
        pieces = [
            np.stack([corners, np.roll(corners, -1, axis=1)], axis=2)
            + side * 0.04 * (outward * reach)[:, None, None]
            for side in (-1, 1)
        ]
        ends = np.concatenate(pieces).reshape(-1, 2, 3)
        self._lines.set(
            ends,
            np.tile(np.repeat(codes[some], corners.shape[1]), 2),
            TILE_OUTLINE_WIDTH * ratio,
        )

    def _paint(self, colours: tuple[str, ...]) -> None:
        table: Bytes = np.full((len(colours) + 1, 4), 255, np.uint8)
        table[1:, :3] = [rgb(colour) for colour in colours]
        fill_lookup(self._colours, table)
