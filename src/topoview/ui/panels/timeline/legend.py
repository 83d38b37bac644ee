"""Paints the legend of what rows are coloured by, where that is not their states."""

from typing import Final

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter

from topoview.base.text import tr
from topoview.live.timeline.row_colours import SCALE_STEPS, RowLegend
from topoview.scene.flat.timeline_pixels import Pixels, packed_colour
from topoview.scene.palette import Theme, category_colours
from topoview.scene.shading import value_colours
from topoview.ui.panels.scene.overlay.legend import number_text
from topoview.ui.panels.timeline.picture import TimelinePicture
from topoview.ui.widgets.theme import LEFT, RIGHT, font, letter

SWATCH: Final = 10
SCALE_WIDTH: Final = 120
MIN_NAME_WIDTH: Final = 40
"""Pixels of a name at least: names that have less are left out, the last ones first."""


def paint_legend(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint what colours mean: a swatch for each category, or a scale."""
    legend, frame, theme = picture.legend, picture.frame, picture.theme
    if legend is None or not frame.has_legend:
        return
    box = frame.legend_box
    letter(painter, font(11), theme.text2)
    metrics = painter.fontMetrics()
    room = max(frame.gutter - 14, metrics.horizontalAdvance(legend.title) + 2)
    area = QRectF(4, box.top(), room, box.height())
    painter.drawText(area, RIGHT, legend.title)
    box.setLeft(max(box.left(), room + 14))
    colours = legend_colours(picture)
    if not legend.scale.names:
        _paint_scale(painter, picture, box, colours)
        return
    entries = list(zip(legend.scale.names, colours[1:], strict=False))
    entries.append((legend.scale.none, colours[0]))
    wide = [metrics.horizontalAdvance(name) for name, _ in entries]
    each = SWATCH + 6 + 14
    while len(entries) > 1 and len(entries) * (each + MIN_NAME_WIDTH) > box.width():
        entries.pop(-2)
        wide.pop(-2)
    most = box.width() / len(entries) - each
    spare = sum(max(most - width, 0) for width in wide)
    long = sum(width > most for width in wide)
    most += spare / max(long, 1)
    x = box.left()
    for (name, colour), width in zip(entries, wide, strict=True):
        y = box.center().y() - SWATCH / 2
        painter.fillRect(QRectF(x, y, SWATCH, SWATCH), QColor(colour))
        shown = int(min(width, most)) + 1
        words = metrics.elidedText(name, Qt.TextElideMode.ElideRight, shown)
        painter.setPen(QColor(theme.text))
        at = QRectF(x + SWATCH + 6, box.top(), shown + 2, box.height())
        painter.drawText(at, LEFT, words)
        x += each + shown


def row_colour_table(legend: RowLegend, theme: Theme) -> Pixels:
    """Colours of codes: of none, then of categories or the steps of a scale."""
    colours = list(value_colours(theme, legend.scale))
    if legend.scale.names:
        colours = list(category_colours(SCALE_STEPS, theme))
    if legend.others:
        colours[len(legend.scale.names) - 1] = theme.text3
    table = [packed_colour(theme.outside), *map(packed_colour, colours)]
    return np.array(table, np.uint32)


def legend_colours(picture: TimelinePicture) -> list[str]:
    """Colours of codes, as ``#rrggbb``."""
    assert picture.legend is not None
    table = row_colour_table(picture.legend, picture.theme)
    return [f"#{int(colour) & 0xFFFFFF:06x}" for colour in table]


def _paint_scale(
    painter: QPainter, picture: TimelinePicture, box: QRectF, colours: list[str]
) -> None:
    assert picture.legend is not None
    theme, scale = picture.theme, picture.legend.scale
    metrics, x = painter.fontMetrics(), box.left()
    low, high = (number_text(scale, number) for number in (scale.low, scale.high))
    painter.setPen(QColor(theme.text))
    wide = metrics.horizontalAdvance(low) + 2
    painter.drawText(QRectF(x, box.top(), wide, box.height()), LEFT, low)
    x += wide + 6
    band = QRectF(x, box.center().y() - 4, SCALE_WIDTH, 8)
    gradient = QLinearGradient(band.topLeft(), band.topRight())
    for place in np.linspace(0, 1, 16):
        at = 1 + round(place * (len(colours) - 2))
        gradient.setColorAt(float(place), QColor(colours[at]))
    painter.fillRect(band, gradient)
    x += SCALE_WIDTH + 6
    words = high + (tr(", logarithmic") if scale.log else "")
    wide = metrics.horizontalAdvance(words) + 2
    painter.drawText(QRectF(x, box.top(), wide, box.height()), LEFT, words)
    x += wide + 14
    if scale.none:
        y = box.center().y() - SWATCH / 2
        painter.fillRect(QRectF(x, y, SWATCH, SWATCH), QColor(colours[0]))
        at = QRectF(x + SWATCH + 6, box.top(), 200, box.height())
        painter.drawText(at, LEFT, scale.none)
