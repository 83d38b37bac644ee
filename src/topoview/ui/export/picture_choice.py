"""What can be asked of what is saved: kinds of files; size on screen or paper."""

import math
from dataclasses import dataclass, replace

from topoview.base.text import mark, tr
from topoview.ui.export.render_spec import MAX_SCALE, TIMELINE_SHARE, RenderSpec

PICTURE_FORMATS = {
    ".png": tr("PNG (raster)"),
    ".svg": tr("SVG (vector)"),
    ".pdf": tr("PDF (vector)"),
}
FILM_FORMATS = {".mp4": tr("MP4, a film"), ".gif": tr("GIF, an animated picture")}
REPORT_FORMATS = {".html": tr("HTML page"), ".pdf": "PDF"}
"""Kinds of files, by their endings."""

PAPER = mark("for paper")
"""Name of a size in cm."""

PICTURE_SIZES = {
    mark("as in the window"): None,
    mark("1280 by 800"): (1280, 800),
    mark("1920 by 1080"): (1920, 1080),
    mark("800 by 600"): (800, 600),
    mark("custom"): None,
    PAPER: None,
}

CM_PER_INCH, POINTS_PER_INCH = 2.54, 72
TEXT_PIXELS = 12
"""Logical pixels of most text: what has the size in points that is asked for."""

MIN_SCENE_SHAPE, WRITTEN_ROOM = 0.5, 180
"""Least height of a scene on paper for one of width, and pixels for what is written
above and below it, where no height is asked for."""

WIDTHS_CM, RESOLUTIONS, TEXT_POINTS = (2.0, 120.0), (72, 1200), (4.0, 40.0)
"""Least and most of what can be asked for on paper: cm, dpi, points."""

MIN_SIDE, MAX_SIDE = 64, 16384
"""Pixels that a side of a picture may have."""


@dataclass(frozen=True, slots=True)
class PictureChoice:
    """How a picture is to be saved; remembered from one to the next."""

    suffix: str = ".png"
    """Key of `PICTURE_FORMATS`."""
    size: str = "as in the window"
    """Name in `PICTURE_SIZES`."""
    width: int = 1600
    height: int = 1000
    """`width` and `height`: pixels, for ``custom`` size."""
    scale: int = 1
    """Dots along each side for one pixel; PNG only."""
    transparent: bool = False
    footer: bool = True
    key: bool = True
    timeline: bool = False
    """`transparent`, `footer`, `key` and `timeline`: what is behind and beside the
    scene; the timeline is below it."""
    width_cm: float = 8.5
    height_cm: float = 0.0
    dpi: int = 300
    points: float = 7.0
    """`width_cm`, `height_cm`, `dpi` and `points`: for the size ``for paper``: width
    and height in cm (a height of 0 has the shape of the window, or is higher), least
    dots per inch of a PNG file, and the size of text in points: the picture is laid out
    so that its text has it."""

    @property
    def sound(self) -> bool:
        """Whether it can be chosen."""
        sides = (
            MIN_SIDE <= self.width <= MAX_SIDE and MIN_SIDE <= self.height <= MAX_SIDE
        )
        named = self.suffix in PICTURE_FORMATS and self.size in PICTURE_SIZES
        paper = (
            WIDTHS_CM[0] <= self.width_cm <= WIDTHS_CM[1]
            and 0 <= self.height_cm <= WIDTHS_CM[1]
            and RESOLUTIONS[0] <= self.dpi <= RESOLUTIONS[1]
            and TEXT_POINTS[0] <= self.points <= TEXT_POINTS[1]
        )
        return named and sides and paper and 1 <= self.scale <= MAX_SCALE

    def measures(self, seen: tuple[int, int]) -> tuple[tuple[int, int], int, float]:
        """Choose size in logical pixels, pixels for each of them, and width in cm.

        Parameters
        ----------
        seen
            Size in the window.

        Returns
        -------
        size, scale, cm
            The scale is that of a PNG file; cm is 0 where the size is not for paper.
        """
        size, scale, width_cm = PICTURE_SIZES[self.size] or seen, self.scale, 0.0
        if self.size == "custom":
            size = (self.width, self.height)
        elif self.size == PAPER:
            width_cm = self.width_cm
            wide = width_cm / CM_PER_INCH * POINTS_PER_INCH * TEXT_PIXELS / self.points
            shape = self.height_cm / width_cm
            shape = shape or max(
                seen[1] / max(seen[0], 1), MIN_SCENE_SHAPE + WRITTEN_ROOM / wide
            )
            size = (
                min(max(round(wide), MIN_SIDE), MAX_SIDE),
                min(max(round(wide * shape), MIN_SIDE), MAX_SIDE),
            )
            scale = math.ceil(self.dpi * width_cm / CM_PER_INCH / size[0])
        has_size = self.size == "custom" or (self.size == PAPER and self.height_cm)
        if self.timeline and not has_size:
            size = size[0], min(round(size[1] / (1 - TIMELINE_SHARE)), MAX_SIDE)
        most = max(1, min(MAX_SCALE, MAX_SIDE // max(size)))
        return size, min(scale, most) if self.suffix == ".png" else 1, width_cm

    def apply(self, spec: RenderSpec) -> RenderSpec:
        """Turn a specification for the picture in the window into one for this."""
        size, scale, width_cm = self.measures(spec.size)
        return replace(
            spec,
            size=size,
            scale=scale,
            whole=spec.whole and size != spec.size,
            width_cm=width_cm,
            transparent=self.transparent,
            footer=self.footer,
            key=self.key,
            rows=spec.rows if self.timeline else None,
        )
