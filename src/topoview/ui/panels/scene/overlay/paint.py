"""Paints the annotations over a scene: on the widget and in pictures alike.

Labels with a halo, cards and tips, rows of legend entries, and colour scales with
histograms; `overlay.below` says where everything below the scene stands.
"""

from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QPolygonF,
)

from topoview.model import Floats, TimeState
from topoview.scene.annotations import (
    Annotations,
    AxisLine,
    Box,
    Card,
    ColourBar,
    Footer,
    Label,
    LegendEntry,
    LegendLine,
    RankRing,
    leader_end,
    place_card,
)
from topoview.scene.palette import STATE_COLOURS, THEMES, Theme, mix_colours
from topoview.scene.shading import MIN_SIZE_SHARE
from topoview.ui.panels.scene.overlay.below import (
    HISTOGRAM_HEIGHT,
    OVERLAY_MARGIN,
    SCALE_WIDTH,
    place_below,
    scale_title,
    scale_width,
    swatch_width,
)
from topoview.ui.panels.scene.overlay.sheet import (
    MomentPainter,
    paint_corners,
    paint_sheet,
)
from topoview.ui.widgets.theme import font, letter, set_shape, text_width, translucent


def paint_card(  # noqa: PLR0913 - where it is and what it must spare
    painter: QPainter,
    theme: Theme,
    card: Card,
    view: Box,
    spared: tuple[Floats, float],
    taken: list[Box],
) -> Box | None:
    """Paint a card where it hides nothing; returns where that is, None: nowhere."""
    bold, plain = QFontMetricsF(font(12, 600)), QFontMetricsF(font(12, 400))
    rows = [
        (row, number == 0)
        for number, line in enumerate(card.lines)
        for row in _wrapped(line, plain if number else bold)
    ]
    width = 20 + max(
        (bold if first else plain).horizontalAdvance(row) for row, first in rows
    )
    size = (float(int(width) + 1 + RING_ROOM * card.leader), 20.0 * len(rows) + 8)
    ringed = False
    if card.leader:
        placed = place_card(card.x, card.y, size, view, spared, taken)
        if placed is None:
            return None
        box, ringed = placed.box, not placed.leader
        if placed.leader:
            _paint_leader(painter, theme, card, leader_end(card.x, card.y, box))
    else:
        box = _tip_place(card, size, view)
    left, top = round(box[0]) + 0.5, round(box[1]) + 0.5
    set_shape(painter, fill=theme.panel, edge=theme.rule)
    painter.drawRoundedRect(QRectF(left, top, box[2], box[3]), 4, 4)
    middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
    for number, (row, first) in enumerate(rows):
        letter(
            painter,
            font(12, 600 if first else 400),
            theme.text if first else theme.text2,
        )
        place = QRectF(left + 10, top + 4 + 20 * number, box[2], 20)
        painter.drawText(place, middle, row)
    if ringed:  # it says whose card this is
        set_shape(painter, edge=theme.ink, width=2.0)
        painter.drawEllipse(QPointF(left + box[2] - 11, top + 11), 4.5, 4.5)
    return box


def _paint_leader(
    painter: QPainter, theme: Theme, card: Card, end: tuple[float, float]
) -> None:
    for colour, stroke in ((theme.panel, 3.0), (theme.ink, 1.0)):
        painter.setPen(QPen(QColor(colour), stroke))
        painter.drawLine(QPointF(card.x, card.y), QPointF(*end))
    set_shape(painter, fill=theme.ink)
    painter.drawEllipse(QPointF(card.x, card.y), 2.5, 2.5)


RING_ROOM = 10
"""Pixels of a card that its ring takes, where it has one instead of a leader."""

MAX_CARD_ROW = 240.0
"""Pixels of a card's line above which it goes on in a second one."""


def _wrapped(line: str, metrics: QFontMetricsF) -> list[str]:
    """Break a line at its commas where it is too long for a card."""
    rows: list[str] = []
    for part in line.split(", "):
        longer = f"{rows[-1]}, {part}" if rows else part
        if rows and metrics.horizontalAdvance(longer) > MAX_CARD_ROW:
            rows[-1] += ","
            rows.append(part)
        else:
            rows[-1:] = [longer]
    return rows


def _tip_place(card: Card, size: tuple[float, float], view: Box) -> Box:
    """Place of a tip: right and below the pointer, or left or above it."""
    x, y = card.x + 16, card.y + 14
    if x + size[0] > view[0] + view[2]:
        x = card.x - 12 - size[0]
    if y + size[1] > view[1] + view[3]:
        y = card.y - 12 - size[1]
    return max(x, view[0]), y, *size


HALO_WIDTH = 3.0
"""Width of the rim's pen: half of it is outside of the words."""

MAX_WORDS_CACHED = 4096
"""Words that are kept as images: each is about 2 kB."""


def paint_label(painter: QPainter, theme: Theme, label: Label) -> None:
    """Write a word centred at its place.

    Outlines of letters take long: on a window's pixmap they are painted once and
    kept, and stand on whole pixels. Pictures and pages get outlines.
    """
    colour = theme.text if label.strong else theme.text2
    device = painter.device()
    if not isinstance(device, QPixmap):
        half = text_width(label.text, 11) / 2
        at = QPointF(label.x - half, label.y + 4)
        _paint_outlines(painter, label.text, theme.panel, colour, at)
        return
    ratio = device.devicePixelRatioF() * painter.worldTransform().m11()
    image, left, top = _word_image(label.text, theme.panel, colour, ratio)
    x, y = ((label.x - left) * ratio, (label.y + 4 - top) * ratio)
    painter.drawImage(QPointF(round(x) / ratio, round(y) / ratio), image)


@lru_cache(maxsize=MAX_WORDS_CACHED)
def _word_image(
    text: str, rim: str, colour: str, ratio: float
) -> tuple[QImage, float, float]:
    """Image of a word, and where the middle of its base line is in it."""
    metrics = QFontMetricsF(font(11))
    width = metrics.horizontalAdvance(text) + 2 * HALO_WIDTH
    height = metrics.height() + 2 * HALO_WIDTH
    size = int(width * ratio) + 1, int(height * ratio) + 1
    image = QImage(*size, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    base = HALO_WIDTH + metrics.ascent()
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _paint_outlines(painter, text, rim, colour, QPointF(HALO_WIDTH, base))
    return image, width / 2, base


def _paint_outlines(
    painter: QPainter, text: str, rim: str, colour: str, at: QPointF
) -> None:
    path = _word_outlines(text).translated(at)
    pen = QPen(QColor(rim), HALO_WIDTH)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(pen)
    painter.drawPath(path)
    set_shape(painter, fill=colour)
    painter.drawPath(path)


@lru_cache(maxsize=MAX_WORDS_CACHED)
def _word_outlines(text: str) -> QPainterPath:
    """Outlines of a word at the origin.

    Qt does not find quite the same ones each time: without keeping them two pictures
    of the same would differ by shades in a few pixels.
    """
    path = QPainterPath()
    path.addText(0, 0, font(11), text)
    return path


MIN_SCALE_WIDTH = 60.0
SCALE_HEIGHT = 9.0


def paint_scale(
    painter: QPainter,
    theme: Theme,
    scale: ColourBar,
    at: tuple[float, float],
    room: float,
) -> float:
    """Paint a scale in one row; where there is little room it is shorter.

    Parameters
    ----------
    at
        Where it begins, and the base line of its words.
    room
        Pixels from there to where it must end.

    Returns
    -------
    float
        Where it ends.
    """
    x, y = at
    long = min(
        max(SCALE_WIDTH - scale_width(scale) + room, MIN_SCALE_WIDTH), SCALE_WIDTH
    )
    title = _shorten_title(
        scale_title(scale), room - scale_width(scale) + SCALE_WIDTH - long
    )
    x = _paint_text(painter, title, theme.text2, 12, 400, x, y) + 12
    x = _paint_text(painter, scale.low, theme.text, 12, 600, x, y) + 8
    if scale.look == "size":
        _paint_wedge(painter, theme, x, y, long)
    for number, colour in enumerate(scale.colours):
        step = long / len(scale.colours)
        part = QRectF(x + number * step, y - SCALE_HEIGHT, step + 0.6, SCALE_HEIGHT)
        painter.fillRect(part, QColor(colour))
    if scale.look == "outline":  # hollow, as rims are
        hole = QRectF(x + 3, y - SCALE_HEIGHT + 3, long - 6, SCALE_HEIGHT - 6)
        painter.fillRect(hole, QColor(theme.panel))
    _paint_histogram(painter, theme, scale.counts, (x, y - SCALE_HEIGHT - 2), long)
    return _paint_text(painter, scale.high, theme.text, 12, 600, x + long + 8, y)


def _shorten_title(title: str, left: float) -> str:
    """Shorten a title by the pixels that lack; `left` is negative then."""
    if left >= 0:
        return title
    words = QFontMetricsF(font(12))
    room = max(words.horizontalAdvance(title) + left, 0.0)
    return words.elidedText(title, Qt.TextElideMode.ElideRight, room)


def _paint_wedge(
    painter: QPainter, theme: Theme, x: float, y: float, long: float
) -> None:
    """Paint sizes from the smallest to the largest."""
    set_shape(painter, fill=theme.text3)
    low = SCALE_HEIGHT * MIN_SIZE_SHARE
    corners = ((x, y), (x, y - low), (x + long, y - SCALE_HEIGHT), (x + long, y))
    painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))


def _paint_text(  # noqa: PLR0913 - what a text is made of
    painter: QPainter,
    text: str,
    colour: str,
    size: int,
    weight: int,
    x: float,
    y: float,
) -> float:
    letter(painter, font(size, weight), colour)
    painter.drawText(QPointF(x, y), text)
    return x + text_width(text, size, weight)


def _paint_histogram(
    painter: QPainter,
    theme: Theme,
    counts: tuple[int, ...],
    at: tuple[float, float],
    long: float,
) -> None:
    most = max(counts, default=0)
    if not most:
        return
    (x, y), step = at, long / len(counts)
    for number, count in enumerate(counts):
        if count:
            height = max(HISTOGRAM_HEIGHT * count / most, 1.5)
            bar = QRectF(x + number * step, y - height, step - 1, height)
            painter.fillRect(bar, QColor(theme.text3))


HEADING_HEIGHT = 56.0
"""Pixels above a scene that its title takes."""

FOOTER_HEIGHT = 44
"""Height of the line below a picture."""

TAIL_SHADES = 11
"""Shades of the tail of a message in the key."""

ARROW_HEAD = 5.0
"""Length of the head of an axis in pixels."""

RING_DISTANCES = {"selected": 3.5, "hovered": 2.0}
"""Pixels between a rank's rim and its ring."""


def paint_annotations(
    painter: QPainter, notes: Annotations, size: tuple[float, float]
) -> None:
    """Paint everything over a scene of a size in pixels."""
    paint_standing(painter, notes, size)
    paint_moment(painter, notes, size)
    paint_rings(painter, notes)
    paint_changing(painter, notes, size)


def standing(notes: Annotations) -> tuple[object, ...]:
    """Return what `paint_standing` paints: the same at all times, mostly."""
    written = notes.theme, notes.title, notes.subtitle, notes.lines, notes.labels
    return *written, notes.sheet


def paint_standing(
    painter: QPainter, notes: Annotations, size: tuple[float, float]
) -> None:
    """Paint heading, axes and labels."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    theme = THEMES[notes.theme]
    if notes.sheet is not None:
        paint_sheet(painter, theme, notes.sheet)
    for line in notes.lines:
        _paint_axis_line(painter, theme, line)
    for label in notes.labels:
        paint_label(painter, theme, label)
    paint_heading(painter, theme, notes, size[0] - 2 * OVERLAY_MARGIN)


def paint_rings(painter: QPainter, notes: Annotations) -> None:
    """Paint rings around ranks."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for ring in notes.rings:
        _paint_ring(painter, THEMES[notes.theme], ring)


def of_moment(notes: Annotations) -> tuple[object, ...]:
    """Return what `paint_moment` paints: the same wherever camera and pointer are."""
    below = notes.theme, notes.scales, notes.key, notes.legends
    sheet = notes.sheet
    if sheet is None or not sheet.cut_faces:
        return below
    return *below, sheet.block, sheet.flats, sheet.flat_map, notes.sheet_moment


def paint_moment(
    painter: QPainter, notes: Annotations, size: tuple[float, float]
) -> None:
    """Paint what changes with time: keys, legends, the block beside planes."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    theme = THEMES[notes.theme]
    if notes.sheet is not None and notes.sheet_moment is not None:
        sheet = MomentPainter(painter, theme, notes.sheet, notes.sheet_moment)
        sheet.paint_cut()
        sheet.paint_map()
    paint_below(painter, theme, notes, size)


def paint_changing(
    painter: QPainter, notes: Annotations, size: tuple[float, float]
) -> None:
    """Paint what changes with all of it: bars and fronts of planes, cards."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    theme = THEMES[notes.theme]
    if notes.sheet is not None and notes.sheet_moment is not None:
        MomentPainter(painter, theme, notes.sheet, notes.sheet_moment).paint_planes()
    used = place_below(notes.scales, notes.key, notes.legends, size[0]).height
    below = OVERLAY_MARGIN + used + 4
    view = (8.0, HEADING_HEIGHT, size[0] - 16, size[1] - HEADING_HEIGHT - below)
    spared = notes.obstacles, notes.clearance
    taken: list[Box] = []
    for card in notes.cards:
        if (box := paint_card(painter, theme, card, view, spared, taken)) is not None:
            taken.append(box)
    if notes.footer is not None:
        paint_footer(painter, theme, notes.footer, size)


def _paint_axis_line(painter: QPainter, theme: Theme, line: AxisLine) -> None:
    begin, end = QPointF(*line.begin), QPointF(*line.end)
    set_shape(painter, edge=theme.edge)
    painter.drawLine(begin, end)
    way = end - begin
    length = (way.x() ** 2 + way.y() ** 2) ** 0.5
    if line.arrow and length > 0:
        back = way * (ARROW_HEAD / length)
        aside = QPointF(-back.y(), back.x()) * 0.6
        painter.drawPolyline([end - back + aside, end, end - back - aside])


def paint_below(
    painter: QPainter, theme: Theme, notes: Annotations, size: tuple[float, float]
) -> None:
    """Paint what is below a scene."""
    shown = place_below(notes.scales, notes.key, notes.legends, size[0])
    base = size[1] - OVERLAY_MARGIN
    if shown.veiled:  # what the user has moved there
        veil = translucent(theme.panel, 0.8)
        top = base - shown.veiled
        painter.fillRect(QRectF(0, top, size[0], size[1] - top), veil)
    for x, up, scale in shown.scales:
        paint_scale(painter, theme, scale, (x, base - up), size[0] - OVERLAY_MARGIN - x)
    for x, up, entry in shown.key:
        _paint_entry(painter, theme, entry, x, base - up)
    for x, up, legend in shown.legends:
        _paint_legend(painter, theme, legend, x, base - up)


def paint_footer(
    painter: QPainter, theme: Theme, footer: Footer, size: tuple[float, float]
) -> None:
    """Paint the line below a scene of a size in pixels."""
    painter.fillRect(
        QRectF(OVERLAY_MARGIN, size[1], size[0] - 2 * OVERLAY_MARGIN, 1),
        QColor(theme.rule),
    )
    y = size[1] + 27
    letter(painter, font(13, 600, plain=True), theme.text)
    painter.drawText(QPointF(OVERLAY_MARGIN, y), footer.program)
    x = OVERLAY_MARGIN + painter.fontMetrics().horizontalAdvance(footer.program) + 18
    letter(painter, font(13), theme.text2)
    for fact in footer.facts:
        width = painter.fontMetrics().horizontalAdvance(fact)
        if x + width <= size[0] - OVERLAY_MARGIN:  # cut words are none
            painter.drawText(QPointF(x, y), fact)
            x += width + 18
    painter.setFont(font(11))
    width = painter.fontMetrics().horizontalAdvance(footer.source)
    if x + width < size[0] - OVERLAY_MARGIN:
        painter.setPen(QColor(theme.text3))
        painter.drawText(QPointF(size[0] - OVERLAY_MARGIN - width, y), footer.source)


def heading_width(title: str, subtitle: str) -> float:
    """Pixels from the left that title and subtitle take."""
    return OVERLAY_MARGIN + max(
        QFontMetricsF(each).horizontalAdvance(text)
        for each, text in zip(_heading_fonts(), (title, subtitle), strict=True)
    )


def _heading_fonts() -> tuple[QFont, QFont]:
    return font(15, 600), font(12)


def paint_heading(
    painter: QPainter, theme: Theme, notes: Annotations, room: float
) -> None:
    """Paint title and subtitle, cut where their room ends."""
    lines = ((28, notes.title, theme.text), (46, notes.subtitle, theme.text2))
    for each, (y, text, colour) in zip(_heading_fonts(), lines, strict=True):
        letter(painter, each, colour)
        end = Qt.TextElideMode.ElideRight
        shown = QFontMetricsF(each).elidedText(text, end, room)
        painter.drawText(QPointF(OVERLAY_MARGIN, y), shown)


def _paint_entry(
    painter: QPainter, theme: Theme, entry: LegendEntry, x: float, y: float
) -> None:
    if entry.colour and entry.outline:
        set_shape(painter, edge=entry.colour, width=3)
        painter.drawEllipse(QRectF(x + 1, y - 8.5, 8.5, 8.5))
    elif entry.colour:
        painter.setBrush(QColor(entry.colour))
        painter.setPen(QPen(QColor(theme.rule if entry.dim else theme.text2), 1))
        painter.drawRect(QRectF(x + 0.5, y - 8.5, 9, 9))
        if entry.heel:
            painter.fillRect(QRectF(x + 1, y - 2.5, 8, 3), QColor(entry.heel))
    letter(painter, font(12), theme.text3 if entry.dim else theme.text2)
    x += swatch_width(entry)
    painter.drawText(QPointF(x, y), entry.name)
    x += 6 + text_width(entry.name, 12)
    letter(
        painter,
        font(12, 400 if entry.dim else 600),
        theme.text3 if entry.dim else theme.text,
    )
    painter.drawText(QPointF(x, y), entry.count)


def _paint_legend(
    painter: QPainter, theme: Theme, legend: LegendLine, x: float, y: float
) -> None:
    if legend.look:
        _paint_sample(painter, theme, legend, x, y - 4)
    letter(painter, font(12), theme.text2)
    painter.drawText(QPointF(x + (30 if legend.look else 0), y), legend.text)


def _paint_sample(
    painter: QPainter, theme: Theme, legend: LegendLine, x: float, y: float
) -> None:
    if legend.look in ("message", "awaited", "early", "waits"):
        waits = legend.look in ("awaited", "waits")
        colour = STATE_COLOURS[TimeState.WAIT] if waits else theme.ink
        colour = legend.colour or colour
        for step in range(TAIL_SHADES):  # PDF has no gradients that let through
            shade = translucent(colour, (step + 0.5) / TAIL_SHADES)
            part = 22 / TAIL_SHADES
            painter.fillRect(QRectF(x + part * step, y - 1.5, part, 3), shade)
        set_shape(painter, fill=colour)
        if legend.look == "early":
            painter.drawRect(QRectF(x + 17, y - 3.5, 7, 7))
        elif legend.look != "waits":
            radius = 4.5 if legend.look == "awaited" else 3.0
            painter.drawEllipse(QPointF(x + 21, y), radius, radius)
        return
    if legend.look == "column":
        middle = np.array([x + 12, y])
        corners = middle + np.array([(-5, -5), (5, -5), (5, 5), (-5, 5)])
        paint_corners(painter, theme, corners[None])
        return
    colour = theme.ink if legend.look in ("extra", "end") else theme.edge
    pen = QPen(QColor(mix_colours(theme.panel, colour, legend.strength)), legend.width)
    if legend.look in ("missing", "end"):
        pen.setDashPattern([2, 2])
    painter.setPen(pen)
    if legend.look == "wrap":
        painter.drawLine(QPointF(x, y), QPointF(x + 18, y))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawArc(QRectF(x + 18, y - 4, 8, 8), 90 * 16, 180 * 16)
        return
    painter.drawLine(QPointF(x, y), QPointF(x + 24, y))


def _paint_ring(painter: QPainter, theme: Theme, ring: RankRing) -> None:
    rim = _grow_outline(ring.outline, RING_DISTANCES[ring.weight])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    round_cap, round_join = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
    solid = Qt.PenStyle.SolidLine
    strokes = {
        "selected": ((theme.panel, 6.0), (theme.ink, 2.0)),
        "hovered": ((theme.panel, 3.0), (theme.ink, 1.0)),
    }[ring.weight]
    for colour, width in strokes:
        brush = QBrush(QColor(colour))
        painter.setPen(QPen(brush, width, solid, round_cap, round_join))
        painter.drawPolygon(rim)


def _grow_outline(outline: Floats, by: float) -> QPolygonF:
    """Move the corners of a convex outline away from its middle."""
    middle = outline.mean(axis=0)
    way = outline - middle
    length = (way**2).sum(axis=1, keepdims=True) ** 0.5
    grown = outline + way / length.clip(1e-6) * by
    return QPolygonF([QPointF(float(x), float(y)) for x, y in grown])
