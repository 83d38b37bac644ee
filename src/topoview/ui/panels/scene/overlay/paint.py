"""Paints the annotations over a scene: on the widget and in pictures alike.

Labels with a halo, cards and tips, rows of legend entries, and colour scales with
histograms; `place_below` says where everything below the scene stands.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

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

from topoview.base.text import tr
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


SCALE_WIDTH = 160.0
MIN_SCALE_WIDTH = 60.0
SCALE_HEIGHT = 9.0

HISTOGRAM_HEIGHT = 18.0
"""Height of the histogram's longest bar, above the scale."""

OVERLAY_MARGIN = 16.0
LINE_HEIGHT = 20.0
"""Pixels about what is written at the edges of a scene, and height of a line."""

SCALE_ROW_HEIGHT = LINE_HEIGHT + HISTOGRAM_HEIGHT
"""Height of a row of scales."""

SCALE_GAP = 28.0
"""Pixels between two scales of a row."""


def scale_rows(
    scales: tuple[ColourBar, ...], width: float, *, alone: bool
) -> list[list[tuple[float, ColourBar]]]:
    """Put scales into rows, the lowest row first, each scale with where it begins.

    Parameters
    ----------
    width
        Of the view.
    alone
        Whether the first one has its row for itself and the key.
    """
    rows: list[list[tuple[float, ColourBar]]] = []
    x = OVERLAY_MARGIN
    for number, scale in enumerate(scales):
        takes = scale_width(scale)
        if not rows or x + takes > width - OVERLAY_MARGIN or (alone and number == 1):
            rows.append([])
            x = OVERLAY_MARGIN
        rows[-1].append((x, scale))
        x += takes + SCALE_GAP
    return rows


def scale_width(scale: ColourBar) -> float:
    """Pixels that a scale takes with its words."""
    numbers = text_width(scale.low, 12, 600) + text_width(scale.high, 12, 600)
    return text_width(_scale_title(scale), 12) + 12 + numbers + 8 + SCALE_WIDTH + 8


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
        _scale_title(scale), room - scale_width(scale) + SCALE_WIDTH - long
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


def _scale_title(scale: ColourBar) -> str:
    return scale.title if scale.look == "fill" else f"{scale.look}: {scale.title}"


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


USUAL_ROOM = 48.0
"""Height that the camera leaves free anyway: the key, and a row of legends."""


def entry_rows(
    key: tuple[LegendEntry, ...], width: float, left: float
) -> list[list[tuple[float, LegendEntry]]]:
    """Put the key into rows from `left` on, each entry with where it begins."""
    rows: list[list[tuple[float, LegendEntry]]] = [[]] if key else []
    x = left
    for entry in key:
        takes = entry_width(entry)
        if (x + takes > width - OVERLAY_MARGIN or entry.heading) and rows[-1]:
            rows.append([])
            x = left
        rows[-1].append((x, entry))
        x += takes + (20 if entry.count else 12)
    return rows


def swatch_width(entry: LegendEntry) -> float:
    """Pixels of a key's entry before its name."""
    return 16.0 if entry.colour else 0.0


def entry_width(entry: LegendEntry) -> float:
    """Pixels that an entry of the key takes."""
    takes = swatch_width(entry) + text_width(entry.name, 12)
    return takes + (6 + text_width(entry.count, 12, 600) if entry.count else 0)


LEGEND_GAP = 24.0
"""Pixels between the key and legends beside it."""


def _legend_width(legend: LegendLine) -> float:
    return (30 if legend.look else 0) + text_width(legend.text, 12)


def legend_rows(
    legends: tuple[LegendLine, ...], width: float
) -> list[list[tuple[float, LegendLine]]]:
    """Put legends into rows, each with where it begins."""
    rows: list[list[tuple[float, LegendLine]]] = [[]] if legends else []
    x = OVERLAY_MARGIN
    for legend in legends:
        takes = _legend_width(legend)
        if x + takes > width - OVERLAY_MARGIN and rows[-1]:
            rows.append([])
            x = OVERLAY_MARGIN
        rows[-1].append((x, legend))
        x += takes + 18
    return rows


PlacedRow = TypeVar("PlacedRow")


@dataclass(frozen=True, slots=True)
class BelowScene:
    """Where scales, key and legends stand: x, and pixels that the base line is up."""

    scales: tuple[tuple[float, float, ColourBar], ...]
    key: tuple[tuple[float, float, LegendEntry], ...]
    legends: tuple[tuple[float, float, LegendLine], ...]
    height: float
    """Pixels that all of it takes."""
    veiled: float
    """Those that hide what is behind them: of more than one row of scales."""


def place_below(
    scales: tuple[ColourBar, ...],
    key: tuple[LegendEntry, ...],
    legends: tuple[LegendLine, ...],
    width: float,
) -> BelowScene:
    """Put all that is written below a scene into rows.

    What the key tells of the ranks' fill stands beside the first scale if it has room
    there in one row; all else is below the scales. Legends are above both, or beside
    the key's last row if all have room there.
    """
    own, further = _split_at_headings(key)
    rows = scale_rows(scales, width, alone=bool(own))
    beside: list[list[tuple[float, LegendEntry]]] = []
    if rows and own:
        x, last = rows[0][-1]
        beside = entry_rows(own, width, x + scale_width(last) + 20)
        end = max(x + entry_width(entry) for x, entry in beside[0])
        if len(beside) > 1 or end > width - OVERLAY_MARGIN:
            rows, beside = scale_rows(scales, width, alone=False), []
    keys = entry_rows(further if beside else key, width, OVERLAY_MARGIN)
    under = LINE_HEIGHT * len(keys)
    height = under + SCALE_ROW_HEIGHT * len(rows)
    lines, above = legend_rows(legends, width), height
    if keys and len(lines) == 1:
        x, entry = keys[-1][-1]
        aside = x + entry_width(entry) + LEGEND_GAP - OVERLAY_MARGIN
        x, line = lines[0][-1]
        if aside + x + _legend_width(line) <= width - OVERLAY_MARGIN:
            lines, above = [[(aside + x, line) for x, line in lines[0]]], 0.0
    height = max(height, above + LINE_HEIGHT * len(lines))
    return BelowScene(
        _row_heights(rows, SCALE_ROW_HEIGHT, under),
        _row_heights(keys[::-1], LINE_HEIGHT, 0.0)
        + _row_heights(beside, LINE_HEIGHT, under),
        _row_heights(lines[::-1], LINE_HEIGHT, above),
        height,
        height if len(rows) > 1 else 0.0,
    )


def _split_at_headings(
    key: tuple[LegendEntry, ...],
) -> tuple[tuple[LegendEntry, ...], tuple[LegendEntry, ...]]:
    """Part what the key tells of fills from what it tells under further headings."""
    later = [at for at, entry in enumerate(key) if at and entry.heading]
    cut = later[0] if later else len(key)
    return key[:cut], key[cut:]


def _row_heights(
    rows: list[list[tuple[float, PlacedRow]]], step: float, under: float
) -> tuple[tuple[float, float, PlacedRow], ...]:
    """Return each row with how far up it is, the lowest first, `step` apart."""
    return tuple(
        (x, under + step * number, each)
        for number, row in enumerate(rows)
        for x, each in row
    )


LEGEND_TIPS = {
    "message": tr(
        "Messages that have been sent and not yet received; of too many to be told "
        "apart those of selected ranks, and a random sample of the others"
    ),
    "awaited": tr("Late sender: the receiver waits since before the message was sent"),
    "early": tr("Unexpected message: sent before its receive was posted"),
    "end": tr("Between ranks whose wait for the delay is over and others"),
    "column": tr("Ranks with the selected one's x and y, in other planes"),
    "missing": tr("Edges of the topology that no message uses"),
    "extra": tr("Ranks that communicate without an edge of the topology between them"),
    "waits": tr("From each waiting rank to the rank whose message it waits for"),
    "edge": tr("Edges of the topology, as wide as the bytes sent over them"),
}
"""What lines of the legends mean, by their look, when they are pointed at."""


def legend_tip(shown: BelowScene, x: float, up: float) -> str:
    """Explain the legend at a place, `up` pixels above the lowest base line."""
    for left, base, legend in shown.legends:
        right = left + _legend_width(legend)
        if left - 4 <= x <= right + 4 and -6 <= up - base <= LINE_HEIGHT - 6:
            return LEGEND_TIPS.get(legend.look, "")
    return ""


def entry_at(shown: BelowScene, x: float, up: float) -> LegendEntry | None:
    """Find the key's entry at a place, `up` pixels above the lowest base line."""
    for left, base, entry in shown.key:
        if (
            left - 4 <= x <= left + entry_width(entry) + 4
            and -6 <= up - base <= LINE_HEIGHT - 6
        ):
            return entry
    return None


MAX_KEY_SHARE = 0.25
"""Share of a scene's height from which on key and legends leave something out."""

MOST_LEFT_OUT = 2
"""What they leave out at most, as of `leave_out`."""


def leave_out(
    less: int, key: tuple[LegendEntry, ...], legends: tuple[LegendLine, ...]
) -> tuple[tuple[LegendEntry, ...], tuple[LegendLine, ...]]:
    """Leave nothing out of key and legends (0), lines' styles (1), counts too (2)."""
    if less > 1:
        key = tuple(replace(entry, count="") for entry in key)
    return key, () if less else legends


def how_much_less(
    scales: tuple[ColourBar, ...],
    key: tuple[LegendEntry, ...],
    legends: tuple[LegendLine, ...],
    size: tuple[float, float],
) -> int:
    """Find what key and legends leave out, as of `leave_out`, in a scene of a size."""
    width, height = size
    for less in range(MOST_LEFT_OUT):
        below = place_below(scales, *leave_out(less, key, legends), width)
        if below.height <= MAX_KEY_SHARE * height:
            return less
    return MOST_LEFT_OUT


def room_below(
    scales: tuple[ColourBar, ...],
    key: tuple[LegendEntry, ...],
    legends: tuple[LegendLine, ...],
    width: float,
) -> float:
    """Pixels that all of it takes beyond what is free below a scene anyway."""
    more = place_below(scales, key, legends, width).height - USUAL_ROOM
    return more + AXIS_NAMES_GAP if more > 0 else 0.0


def below_fits(notes: Annotations, width: float) -> bool:
    """Return whether each entry of key and legends fits into a width by itself."""
    shown = place_below((), notes.key, notes.legends, width)
    ends = [x + entry_width(entry) for x, _, entry in shown.key]
    ends += [x + 30 + text_width(line.text, 12) for x, _, line in shown.legends]
    return max(ends, default=0.0) <= width - OVERLAY_MARGIN


AXIS_NAMES_GAP = 10.0
"""Pixels between more rows than usual and the names of axes above them."""


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
