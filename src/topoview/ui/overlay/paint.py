"""Paints what is written over the scene: on the widget and in pictures alike."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPen,
    QPolygonF,
)

from topoview.model import Floats, MPIState
from topoview.scene.annotations import (
    Annotations,
    Box,
    Footer,
    KeyEntry,
    Legend,
    Ring,
)
from topoview.scene.fading import mix
from topoview.scene.palette import STATE_COLOURS, THEMES, Theme
from topoview.ui.fonts import font
from topoview.ui.overlay.cards import paint_card
from topoview.ui.overlay.rows import below, swatch_width
from topoview.ui.overlay.scale import MARGIN, paint_scale
from topoview.ui.overlay.words import paint_label

FOOTER = 44
"""Height of the line below a picture."""

TAIL = 11
"""Shades of the tail of a message in the key."""

GROWTH = {"selected": 3.5, "marked": 2.0, "hovered": 2.0}
"""Pixels between a rank's rim and its ring."""


def paint_annotations(
    painter: QPainter, notes: Annotations, size: tuple[float, float]
) -> None:
    """Paint everything over a scene of a size in pixels."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    theme = THEMES[notes.theme]
    for label in notes.labels:
        paint_label(painter, theme, label)
    for ring in notes.rings:
        _ring(painter, theme, ring)
    used = _below(painter, theme, notes, size)
    _heading(painter, theme, notes, size[0] - 2 * MARGIN)
    view = (8.0, 56.0, size[0] - 16, size[1] - 56 - 8 - used)
    spared = notes.obstacles, notes.clearance
    taken: list[Box] = []
    for card in notes.cards:
        taken.append(paint_card(painter, theme, card, view, spared, taken))
    if notes.footer is not None:
        _footer(painter, theme, notes.footer, size)


def _below(
    painter: QPainter, theme: Theme, notes: Annotations, size: tuple[float, float]
) -> float:
    """Paint what is below a scene; returns the height used."""
    shown = below(notes.scales, notes.key, notes.legends, size[0])
    base = size[1] - MARGIN
    if shown.veiled:  # what the user has moved there
        veil = QColor(theme.panel)
        veil.setAlphaF(0.8)
        top = base - shown.veiled
        painter.fillRect(QRectF(0, top, size[0], size[1] - top), veil)
    for x, up, scale in shown.scales:
        paint_scale(painter, theme, scale, (x, base - up), size[0] - MARGIN - x)
    for x, up, entry in shown.key:
        _key_entry(painter, theme, entry, x, base - up)
    for x, up, legend in shown.legends:
        _legend(painter, theme, legend, x, base - up)
    return shown.height


def _footer(
    painter: QPainter, theme: Theme, footer: Footer, size: tuple[float, float]
) -> None:
    """Paint the line below a scene of a size in pixels."""
    painter.fillRect(
        QRectF(MARGIN, size[1], size[0] - 2 * MARGIN, 1), QColor(theme.rule)
    )
    y = size[1] + 27
    painter.setFont(font(13, 600))
    painter.setPen(QColor(theme.text))
    painter.drawText(QPointF(MARGIN, y), footer.program)
    x = MARGIN + painter.fontMetrics().horizontalAdvance(footer.program) + 18
    painter.setFont(font(13))
    painter.setPen(QColor(theme.text2))
    for fact in footer.facts:
        painter.drawText(QPointF(x, y), fact)
        x += painter.fontMetrics().horizontalAdvance(fact) + 18
    painter.setFont(font(11))
    width = painter.fontMetrics().horizontalAdvance(footer.source)
    if x + width < size[0] - MARGIN:
        painter.setPen(QColor(theme.text3))
        painter.drawText(QPointF(size[0] - MARGIN - width, y), footer.source)


def heading_width(title: str, subtitle: str) -> float:
    """Pixels from the left that title and subtitle take."""
    return MARGIN + max(
        QFontMetricsF(each).horizontalAdvance(text)
        for each, text in zip(_heading_fonts(), (title, subtitle), strict=True)
    )


def _heading_fonts() -> tuple[QFont, QFont]:
    return font(15, 600), font(12)


def _heading(painter: QPainter, theme: Theme, notes: Annotations, room: float) -> None:
    lines = ((28, notes.title, theme.text), (46, notes.subtitle, theme.text2))
    for each, (y, text, colour) in zip(_heading_fonts(), lines, strict=True):
        painter.setFont(each)
        painter.setPen(QColor(colour))
        end = Qt.TextElideMode.ElideRight
        shown = QFontMetricsF(each).elidedText(text, end, room)
        painter.drawText(QPointF(MARGIN, y), shown)


def _key_entry(
    painter: QPainter, theme: Theme, entry: KeyEntry, x: float, y: float
) -> None:
    if entry.colour and entry.rim:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(entry.colour), 3))
        painter.drawEllipse(QRectF(x + 1, y - 8.5, 8.5, 8.5))
    elif entry.colour:
        painter.setBrush(QColor(entry.colour))
        painter.setPen(QPen(QColor(theme.rule if entry.dim else theme.text2), 1))
        painter.drawRect(QRectF(x + 0.5, y - 8.5, 9, 9))
    painter.setFont(font(12))
    painter.setPen(QColor(theme.text3 if entry.dim else theme.text2))
    x += swatch_width(entry)
    painter.drawText(QPointF(x, y), entry.name)
    x += 6 + painter.fontMetrics().horizontalAdvance(entry.name)
    painter.setFont(font(12, 400 if entry.dim else 600))
    painter.setPen(QColor(theme.text3 if entry.dim else theme.text))
    painter.drawText(QPointF(x, y), entry.count)


def _legend(
    painter: QPainter, theme: Theme, legend: Legend, x: float, y: float
) -> None:
    if legend.look:
        _sample(painter, theme, legend, x, y - 4)
    painter.setFont(font(12))
    painter.setPen(QColor(theme.text2))
    painter.drawText(QPointF(x + (30 if legend.look else 0), y), legend.text)


def _sample(
    painter: QPainter, theme: Theme, legend: Legend, x: float, y: float
) -> None:
    if legend.look in ("message", "awaited", "early", "waits"):
        waits = legend.look in ("awaited", "waits")
        colour = STATE_COLOURS[MPIState.WAIT] if waits else theme.ink
        colour = legend.colour or colour
        for step in range(TAIL):  # PDF has no gradients that let through
            shade = QColor(colour)
            shade.setAlphaF((step + 0.5) / TAIL)
            part = 22 / TAIL
            painter.fillRect(QRectF(x + part * step, y - 1.5, part, 3), shade)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        if legend.look == "early":
            painter.drawRect(QRectF(x + 17, y - 3.5, 7, 7))
        elif legend.look != "waits":
            radius = 4.5 if legend.look == "awaited" else 3.0
            painter.drawEllipse(QPointF(x + 21, y), radius, radius)
        return
    colour = theme.ink if legend.look == "extra" else theme.edge
    pen = QPen(QColor(mix(theme.panel, colour, legend.strength)), legend.width)
    if legend.look == "missing":
        pen.setDashPattern([2, 2])
    painter.setPen(pen)
    painter.drawLine(QPointF(x, y), QPointF(x + 24, y))


def _ring(painter: QPainter, theme: Theme, ring: Ring) -> None:
    rim = _grown(ring.outline, GROWTH[ring.weight])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    round_cap, round_join = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
    solid = Qt.PenStyle.SolidLine
    strokes = {
        "selected": ((theme.panel, 6.0), (theme.ink, 2.0)),
        "marked": ((theme.panel, 3.5), (theme.ink, 1.3)),
        "hovered": ((theme.panel, 3.0), (theme.ink, 1.0)),
    }[ring.weight]
    for colour, width in strokes:
        brush = QBrush(QColor(colour))
        painter.setPen(QPen(brush, width, solid, round_cap, round_join))
        painter.drawPolygon(rim)


def _grown(outline: Floats, by: float) -> QPolygonF:
    """Move the corners of a convex outline away from its middle."""
    middle = outline.mean(axis=0)
    way = outline - middle
    length = (way**2).sum(axis=1, keepdims=True) ** 0.5
    grown = outline + way / length.clip(1e-6) * by
    return QPolygonF([QPointF(float(x), float(y)) for x, y in grown])
