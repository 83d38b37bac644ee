"""How what is written below a scene is put into rows, and how much room it takes."""

from PySide6.QtGui import QFontMetricsF

from topoview.scene.annotations import KeyEntry, Legend, Scale
from topoview.ui.fonts import font
from topoview.ui.overlay_scale import (
    BARS_HEIGHT,
    LINE,
    MARGIN,
    ROW,
    scale_rows,
    scale_width,
)

USUAL = 48.0
"""Height that the camera leaves free anyway: the key, and a row of legends."""


def key_rows(
    key: tuple[KeyEntry, ...], width: float, left: float
) -> list[list[tuple[float, KeyEntry]]]:
    """Put the key into rows from `left` on, each entry with where it begins."""
    words = QFontMetricsF(font(12))
    figures = QFontMetricsF(font(12, 600))
    rows: list[list[tuple[float, KeyEntry]]] = [[]]
    x = left
    for entry in key:
        takes = swatch_width(entry) + words.horizontalAdvance(entry.name)
        takes += 6 + figures.horizontalAdvance(entry.count)
        if x + takes > width - MARGIN and rows[-1]:
            rows.append([])
            x = left
        rows[-1].append((x, entry))
        x += takes + 20
    return rows


def swatch_width(entry: KeyEntry) -> float:
    """Pixels of a key's entry before its name."""
    return 16.0 if entry.colour else 0.0


def legend_rows(
    legends: tuple[Legend, ...], width: float
) -> list[list[tuple[float, Legend]]]:
    """Put legends into rows, each with where it begins."""
    words = QFontMetricsF(font(12))
    rows: list[list[tuple[float, Legend]]] = [[]] if legends else []
    x = MARGIN
    for legend in legends:
        takes = (30 if legend.look else 0) + words.horizontalAdvance(legend.text)
        if x + takes > width - MARGIN and rows[-1]:
            rows.append([])
            x = MARGIN
        rows[-1].append((x, legend))
        x += takes + 18
    return rows


def room_below(
    scales: tuple[Scale, ...],
    key: tuple[KeyEntry, ...],
    legends: tuple[Legend, ...],
    width: float,
) -> float:
    """Pixels that all of it takes beyond what is free below a scene anyway."""
    rows = scale_rows(scales, width, alone=bool(key))
    left, height = MARGIN, 0.0
    if rows:
        x, last = rows[0][-1]
        left = x + scale_width(last) + 20
        height = BARS_HEIGHT + (len(rows) - 1) * ROW
    height += LINE * len(key_rows(key, width, left))
    height += LINE * len(legend_rows(legends, width))
    return max(0.0, height - USUAL)
