"""The scene as vectors: SVG and PDF of shapes and words, not of dots."""

import html
from pathlib import Path

import numpy as np
from PySide6.QtCore import (
    QBuffer,
    QByteArray,
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
    QPageSize,
    QPaintDevice,
    QPainter,
    QPdfWriter,
    QPen,
    QPolygonF,
    QRadialGradient,
)
from PySide6.QtSvg import QSvgGenerator

from topoview import __version__
from topoview.errors import ExportError
from topoview.model import Bytes
from topoview.scene.flat import BALL, FACE, Flat, lit
from topoview.scene.palette import THEMES
from topoview.ui.overlay.paint import paint_annotations
from topoview.ui.recipe import Recipe
from topoview.ui.studio import Studio
from topoview.ui.svg_shapes import (
    SEAM,
    SHINES,
    SPOT,
    dimmed,
    shaded,
    svg_shapes,
    words_of_one_width,
)

INCH = 72
"""Pixels of the picture an inch of a PDF page: one is a point."""

FAMILIES = "Inter, Helvetica, Arial, 'Liberation Sans', sans-serif"
"""An SVG file holds no fonts: what a viewer without Inter takes."""

XMP = """<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" rdf:about="">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
<dc:description><rdf:Alt>
<rdf:li xml:lang="x-default">{recipe}</rdf:li></rdf:Alt></dc:description>
</rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>
"""


def save_svg(studio: Studio, recipe: Recipe, path: Path, title: str) -> None:
    """Write an SVG file; its description holds the recipe.

    Raises
    ------
    ExportError
        It cannot be written.
    """
    flat, notes = studio.flat(recipe.time)
    written = QBuffer()
    device = QSvgGenerator()
    device.setOutputDevice(written)
    device.setSize(QSize(*recipe.size))
    device.setViewBox(QRectF(0, 0, *recipe.size))
    device.setTitle(title)
    device.setDescription(recipe.text)
    with QPainter(device) as painter:
        paint_annotations(painter, notes, studio.view)
    text = words_of_one_width(bytes(written.data().data()).decode(), FAMILIES)
    # Qt's own gradients come first, then all that it painted
    head, end, rest = text.partition("</defs>")
    width, height = recipe.size
    ground = ""
    if not recipe.transparent:
        panel = THEMES[recipe.view.theme].panel
        ground = f'\n<rect width="{width}" height="{height}" fill="{panel}"/>'
    shapes = svg_shapes(flat, studio.view)
    path.write_text(f"{head}{end}{ground}\n{shapes}{rest}", "utf-8")


def save_pdf(studio: Studio, recipe: Recipe, path: Path, title: str) -> None:
    """Write a PDF file of one page; its metadata (XMP) hold the recipe.

    Raises
    ------
    ExportError
        It cannot be written.
    """
    device = QPdfWriter(str(path))
    device.setResolution(INCH)
    width, height = map(float, recipe.size)
    exact = QPageSize.SizeMatchPolicy.ExactMatch
    page = QPageSize(QSizeF(width, height), QPageSize.Unit.Point, "", exact)
    device.setPageSize(page)
    device.setPageMargins(QMarginsF(0, 0, 0, 0))
    device.setTitle(title)
    device.setCreator(f"topoview {__version__}")
    words = XMP.format(title=html.escape(title), recipe=html.escape(recipe.text))
    device.setDocumentXmpMetadata(QByteArray(words.encode()))
    _paint(device, studio, recipe, path)


def _paint(device: QPaintDevice, studio: Studio, recipe: Recipe, path: Path) -> None:
    flat, notes = studio.flat(recipe.time)
    painter = QPainter()
    if not painter.begin(device):
        raise ExportError(
            f"{path} cannot be written: check that the folder may be written to"
        )
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width, height = studio.view
        if not recipe.transparent:
            whole = QRectF(0, 0, *recipe.size)
            painter.fillRect(whole, QColor(THEMES[recipe.view.theme].panel))
        painter.setClipRect(QRectF(0, 0, width, height))
        paint_flat(painter, flat)
        painter.setClipping(False)
        paint_annotations(painter, notes, studio.view)
    finally:
        ended = painter.end()
    if not ended or not path.is_file() or not path.stat().st_size:
        raise ExportError(f"{path} could not be written: is the disk full?")


def paint_flat(painter: QPainter, flat: Flat) -> None:
    """Paint shapes in their order."""
    own, balls = shaded(flat), dimmed(flat)
    faces = [[QPointF(x, y) for x, y in four] for four in flat.corners.tolist()]
    face_colours = flat.face_colours.tolist()
    circles, ball_colours = flat.circles.tolist(), balls.tolist()
    lines, line_colours = flat.lines.tolist(), flat.line_colours.tolist()
    widths = flat.widths.tolist()
    for kind, row in zip(flat.kind.tolist(), flat.row.tolist(), strict=True):
        if kind == FACE:
            colour = QColor(*face_colours[row])
            painter.setBrush(colour)
            painter.setPen(QPen(colour, SEAM))
            painter.drawPolygon(QPolygonF(faces[row]))
        elif kind == BALL:
            x, y, radius = circles[row]
            painter.setPen(Qt.PenStyle.NoPen)
            if own and flat.lit[row]:
                painter.setBrush(_shading(flat.ball_colours[row], x, y, radius))
            else:
                painter.setBrush(QColor(*ball_colours[row]))
            painter.drawEllipse(QPointF(x, y), radius, radius)
        else:
            first, second = lines[row]
            pen = QPen(QColor(*line_colours[row]), widths[row])
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawLine(QLineF(*first, *second))


def _shading(colour: Bytes, x: float, y: float, radius: float) -> QBrush:
    """Light on a ball."""
    spot = QPointF(x + SPOT[0] * radius, y + SPOT[1] * radius)
    light = QRadialGradient(QPointF(x, y), radius, spot)
    for place, shine in SHINES:
        light.setColorAt(
            place, QColor(*lit(colour[None], np.array([shine]))[0].tolist())
        )
    return QBrush(light)
