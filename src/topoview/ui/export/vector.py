"""The scene as vectors: SVG and PDF of shapes and text instead of pixels.

Qt's own SVG writer repeats all of a pen's and a font's settings for each shape: a
surface of 576 ranks took 6 MB.
"""

import html
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QIODevice,
    QLineF,
    QMarginsF,
    QPointF,
    QRectF,
    QSize,
    QSizeF,
    Qt,
)
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetricsF,
    QPageSize,
    QPainter,
    QPdfWriter,
    QPen,
    QPolygonF,
    QRadialGradient,
)
from PySide6.QtSvg import QSvgGenerator

from topoview.errors import writing
from topoview.model import Bytes
from topoview.scene.export_shapes import BALL, FACE, PageShapes, light_colours
from topoview.scene.palette import THEMES
from topoview.ui.export.render_spec import RenderSpec
from topoview.ui.export.renderer import OffscreenRenderer
from topoview.ui.widgets.theme import font
from topoview.version import __version__

MAX_SHADED_BALLS = 3000
"""Balls up to which each has its own light; more are flat, or files get large."""

LIGHT_FALLOFF = ((0.0, 0.98), (0.55, 0.75), (1.0, 0.12))
"""How far from the brightest spot of a ball how much light falls."""

BRIGHTEST_SPOT = (-0.28, -0.45)
"""Where a ball is brightest, in radii from its middle."""

FACE_OVERLAP = 0.35
"""Pixels that faces overlap, or the background shines through between them."""

UNSHADED_LIGHT = 0.7
"""Light that falls on balls that have no light of their own."""

TEXT_PATTERN = re.compile(
    r'<text ([^>]*font-size="(\d+)" font-weight="(\d+)"[^>]*)>([^<]*)</text>'
)


def are_balls_shaded(flat: PageShapes) -> bool:
    """Return whether each ball has its own light."""
    return bool(np.count_nonzero(flat.lit) <= MAX_SHADED_BALLS)


def unshaded_ball_colours(flat: PageShapes) -> Bytes:
    """Colours of balls: as they are painted where they have no light of their own."""
    dim = light_colours(
        flat.ball_colours, np.full(len(flat.ball_colours), UNSHADED_LIGHT)
    )
    return np.where(
        flat.lit[:, None] & (not are_balls_shaded(flat)), dim, flat.ball_colours
    )


def svg_shapes(flat: PageShapes, size: tuple[float, float]) -> str:
    """Write shapes in their order, cut off at the edges of a view in pixels."""
    width, height = size
    own = are_balls_shaded(flat)
    balls, bright = unshaded_ball_colours(flat), {}
    for row in np.flatnonzero(flat.lit).tolist() if own else ():
        bright[_hex_colour(flat.ball_colours[row])] = flat.ball_colours[row]
    lines = [
        "<defs>",
        f'<clipPath id="view"><rect width="{width:g}" height="{height:g}"/></clipPath>',
        *(_gradient(name, colour) for name, colour in bright.items()),
        "</defs>",
        '<g clip-path="url(#view)" stroke-linecap="round" '
        f'stroke-width="{FACE_OVERLAP}">',
        *_shapes(flat, balls, own=own),
        "</g>",
    ]
    return "\n".join(lines) + "\n"


def _shapes(flat: PageShapes, balls: Bytes, *, own: bool) -> Iterator[str]:
    corners, circles, lines = flat.corners.tolist(), flat.circles.tolist(), flat.lines
    ends, widths, seen = lines.tolist(), flat.widths.tolist(), flat.lit.tolist()
    for kind, row in zip(flat.kind.tolist(), flat.row.tolist(), strict=True):
        if kind == FACE:
            colour = _hex_colour(flat.face_colours[row])
            fill = f'fill="{colour}" stroke="{colour}"'
            clear = _opacity("opacity", flat.face_colours[row])
            yield f'<path {fill}{clear} d="{_path_data(corners[row])}z"/>'
        elif kind == BALL:
            x, y, radius = map(_number_text, circles[row])
            place = f'cx="{x}" cy="{y}" r="{radius}"'
            colour = _hex_colour(balls[row])
            clear = _opacity("opacity", balls[row])
            fill = f"url(#b{colour[1:]})" if own and seen[row] else colour
            yield f'<circle fill="{fill}"{clear} {place}/>'
        else:
            shown = f'stroke="{_hex_colour(flat.line_colours[row])}"'
            clear = _opacity("opacity", flat.line_colours[row])
            wide = f'stroke-width="{_number_text(widths[row])}"'
            yield f'<path {shown}{clear} {wide} d="{_path_data(ends[row])}"/>'


def _gradient(name: str, colour: Bytes) -> str:
    """Light on balls of a colour."""
    x, y = ((1 + part) / 2 for part in BRIGHTEST_SPOT)
    light = [
        (at, light_colours(colour[None], np.array([shine]))[0])
        for at, shine in LIGHT_FALLOFF
    ]
    stops = "".join(
        f'<stop offset="{at}" stop-color="{_hex_colour(shade)}"/>'
        for at, shade in light
    )
    return (
        f'<radialGradient id="b{name[1:]}" fx="{x}" fy="{y}">{stops}</radialGradient>'
    )


def _path_data(points: list[list[float]]) -> str:
    return "M" + " ".join(f"{_number_text(x)} {_number_text(y)}" for x, y in points)


def _number_text(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _hex_colour(colour: Bytes) -> str:
    return "#" + "".join(f"{part:02x}" for part in colour[:3].tolist())


def _opacity(name: str, colour: Bytes) -> str:
    return "" if colour[3] == 255 else f' {name}="{colour[3] / 255:.3g}"'


def fix_text_widths(text: str, families: str) -> str:
    """Name fonts for a viewer without ours, and hold words at the width that ours has.

    An SVG file holds no fonts, and what stands beside a word would be written over it.
    """

    def fixed(match: re.Match[str]) -> str:
        looks, size, weight, words = match.groups()
        own = font(int(size), int(weight))
        wide = QFontMetricsF(own).horizontalAdvance(html.unescape(words))
        looks = looks.replace(
            f'font-family="{own.family()}"', f'font-family="{families}"'
        )
        fitted = f'textLength="{_number_text(wide)}" lengthAdjust="spacingAndGlyphs"'
        return f"<text {looks.strip()} {fitted}>{words}</text>" if wide else match[0]

    return TEXT_PATTERN.sub(fixed, text)


POINTS_PER_INCH, CM_PER_INCH = 72, 2.54
"""Pixels of the picture an inch of a PDF page, unless its width in cm is said."""

PDF_RESOLUTION = 72
"""Units of a PDF page an inch."""

SIDES_PATTERN = re.compile(r'width="[\d.]+mm" height="[\d.]+mm"')

FONT_FAMILIES = "Inter, Helvetica, Arial, 'Liberation Sans', sans-serif"
"""An SVG file holds no fonts: what a viewer without Inter takes."""

XMP_TEMPLATE = """<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" rdf:about="">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
<dc:description><rdf:Alt>
<rdf:li xml:lang="x-default">{spec}</rdf:li></rdf:Alt></dc:description>
</rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>
"""


def svg_text(
    size: tuple[int, int],
    title: str,
    paint: Callable[[QPainter], None],
    width_cm: float = 0.0,
    description: str = "",
) -> str:
    """Write what is painted as SVG, as wide on paper as is said (0: not said)."""
    written = QBuffer()
    device = QSvgGenerator()
    device.setOutputDevice(written)
    device.setSize(QSize(*size))
    device.setViewBox(QRectF(0, 0, *size))
    device.setTitle(title)
    device.setDescription(description)
    with QPainter(device) as painter:
        paint(painter)
    text = fix_text_widths(bytes(written.data().data()).decode(), FONT_FAMILIES)
    if width_cm:
        sides = f'width="{width_cm:g}cm" height="{width_cm * size[1] / size[0]:.4g}cm"'
        text = SIDES_PATTERN.sub(sides, text, count=1)
    return text


class PdfFile(QPdfWriter):
    """A document that is written to a file once it is painted.

    Qt itself has no files whose names are not in UTF-8, and no word of a full disk.
    """

    def __init__(self, path: Path) -> None:
        self._pages = QBuffer()
        self._pages.open(QIODevice.OpenModeFlag.WriteOnly)
        super().__init__(self._pages)
        self.path = path

    def save(self) -> None:
        """Write the file; raises `OSError` if that fails."""
        self.path.write_bytes(self._pages.data().data())


def pdf_file(
    path: Path, size: tuple[int, int], title: str, width_cm: float = 0.0
) -> tuple[PdfFile, float]:
    """Begin a page of PDF; also return how many of its units a pixel is."""
    file = PdfFile(path)
    wide = width_cm / CM_PER_INCH * POINTS_PER_INCH or float(size[0])
    scale = wide / size[0]
    file.setResolution(PDF_RESOLUTION)
    exact = QPageSize.SizeMatchPolicy.ExactMatch
    extent = QSizeF(wide, size[1] * scale)
    file.setPageSize(QPageSize(extent, QPageSize.Unit.Point, "", exact))
    file.setPageMargins(QMarginsF(0, 0, 0, 0))
    file.setTitle(title)
    file.setCreator(f"topoview {__version__}")
    return file, scale * PDF_RESOLUTION / POINTS_PER_INCH


def save_svg(
    offscreen: OffscreenRenderer, spec: RenderSpec, path: Path, title: str
) -> None:
    """Write an SVG file; its description holds the specification.

    Raises
    ------
    ExportError
        It cannot be written.
    """
    flat, notes = offscreen.flat(spec.time)
    text = svg_text(
        spec.size,
        title,
        lambda painter: offscreen.annotate(painter, notes, spec.time),
        spec.width_cm,
        spec.text,
    )
    # Qt's own gradients come first, then all that it painted
    head, end, rest = text.partition("</defs>")
    width, height = spec.size
    ground = ""
    if not spec.transparent:
        panel = THEMES[spec.theme].panel
        ground = f'\n<rect width="{width}" height="{height}" fill="{panel}"/>'
    shapes = svg_shapes(flat, offscreen.view)
    path.write_text(f"{head}{end}{ground}\n{shapes}{rest}", "utf-8", "replace")


def save_pdf(
    offscreen: OffscreenRenderer, spec: RenderSpec, path: Path, title: str
) -> None:
    """Write a PDF file of one page; its metadata (XMP) hold the specification.

    Raises
    ------
    TopoviewError
        It cannot be written.
    """
    file, scale = pdf_file(path, spec.size, title, spec.width_cm)
    words = XMP_TEMPLATE.format(title=html.escape(title), spec=html.escape(spec.text))
    file.setDocumentXmpMetadata(QByteArray(words.encode("utf-8", "replace")))
    flat, notes = offscreen.flat(spec.time)
    with painting(file) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(scale, scale)
        width, height = offscreen.view
        if not spec.transparent:
            whole = QRectF(0, 0, *spec.size)
            painter.fillRect(whole, QColor(THEMES[spec.theme].panel))
        painter.setClipRect(QRectF(0, 0, width, height))
        paint_flat_scene(painter, flat)
        painter.setClipping(False)
        offscreen.annotate(painter, notes, spec.time)


@contextmanager
def painting(file: PdfFile) -> Iterator[QPainter]:
    """Paint on a document, and write it.

    Raises
    ------
    TopoviewError
        It cannot be written.
    """
    with QPainter(file) as painter:
        yield painter
    with writing(file.path):
        file.save()


def paint_flat_scene(painter: QPainter, flat: PageShapes) -> None:
    """Paint shapes in their order."""
    own, balls = are_balls_shaded(flat), unshaded_ball_colours(flat)
    faces = [[QPointF(x, y) for x, y in four] for four in flat.corners.tolist()]
    face_colours = flat.face_colours.tolist()
    circles, ball_colours = flat.circles.tolist(), balls.tolist()
    lines, line_colours = flat.lines.tolist(), flat.line_colours.tolist()
    widths = flat.widths.tolist()
    for kind, row in zip(flat.kind.tolist(), flat.row.tolist(), strict=True):
        if kind == FACE:
            colour = QColor(*face_colours[row])
            painter.setBrush(colour)
            painter.setPen(QPen(colour, FACE_OVERLAP))
            painter.drawPolygon(QPolygonF(faces[row]))
        elif kind == BALL:
            x, y, radius = circles[row]
            painter.setPen(Qt.PenStyle.NoPen)
            if own and flat.lit[row]:
                painter.setBrush(_ball_brush(flat.ball_colours[row], x, y, radius))
            else:
                painter.setBrush(QColor(*ball_colours[row]))
            painter.drawEllipse(QPointF(x, y), radius, radius)
        else:
            first, second = lines[row]
            pen = QPen(QColor(*line_colours[row]), widths[row])
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawLine(QLineF(*first, *second))


def _ball_brush(colour: Bytes, x: float, y: float, radius: float) -> QBrush:
    """Light on a ball."""
    spot = QPointF(x + BRIGHTEST_SPOT[0] * radius, y + BRIGHTEST_SPOT[1] * radius)
    light = QRadialGradient(QPointF(x, y), radius, spot)
    for place, shine in LIGHT_FALLOFF:
        light.setColorAt(
            place, QColor(*light_colours(colour[None], np.array([shine]))[0].tolist())
        )
    return QBrush(light)
