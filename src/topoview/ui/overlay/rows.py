"""How what is written below a scene is put into rows, and how much room it takes."""

from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtGui import QFontMetricsF

from topoview.scene.annotations import KeyEntry, Legend, Scale
from topoview.ui.fonts import font
from topoview.ui.overlay.scale import (
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
    rows: list[list[tuple[float, KeyEntry]]] = [[]] if key else []
    x = left
    for entry in key:
        takes = entry_width(entry)
        if (x + takes > width - MARGIN or entry.heading) and rows[-1]:
            rows.append([])
            x = left
        rows[-1].append((x, entry))
        x += takes + 20
    return rows


def swatch_width(entry: KeyEntry) -> float:
    """Pixels of a key's entry before its name."""
    return 16.0 if entry.colour else 0.0


def entry_width(entry: KeyEntry) -> float:
    """Pixels that an entry of the key takes."""
    words, figures = QFontMetricsF(font(12)), QFontMetricsF(font(12, 600))
    takes = swatch_width(entry) + words.horizontalAdvance(entry.name)
    return takes + 6 + figures.horizontalAdvance(entry.count)


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


Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Below:
    """Where scales, key and legends stand: x, and pixels that the base line is up.

    Attributes
    ----------
    height
        Pixels that all of it takes.
    veiled
        Those that hide what is behind them: of more than one row of scales.
    """

    scales: tuple[tuple[float, float, Scale], ...]
    key: tuple[tuple[float, float, KeyEntry], ...]
    legends: tuple[tuple[float, float, Legend], ...]
    height: float
    veiled: float


def below(
    scales: tuple[Scale, ...],
    key: tuple[KeyEntry, ...],
    legends: tuple[Legend, ...],
    width: float,
) -> Below:
    """Put all that is written below a scene into rows.

    What the key tells of the ranks' fill stands beside the first scale if it has room
    there in one row; all else is below the scales. Legends are above both.
    """
    own, further = _own(key)
    rows = scale_rows(scales, width, alone=bool(own))
    beside: list[list[tuple[float, KeyEntry]]] = []
    if rows and own:
        x, last = rows[0][-1]
        beside = key_rows(own, width, x + scale_width(last) + 20)
        end = max(x + entry_width(entry) for x, entry in beside[0])
        if len(beside) > 1 or end > width - MARGIN:
            rows, beside = scale_rows(scales, width, alone=False), []
    keys = key_rows(further if beside else key, width, MARGIN)
    under = LINE * len(keys)
    height = under + ROW * len(rows)
    lines = legend_rows(legends, width)
    return Below(
        _up(rows, ROW, under),
        _up(keys[::-1], LINE, 0.0) + _up(beside, LINE, under),
        _up(lines[::-1], LINE, height),
        height + LINE * len(lines),
        height + LINE * len(lines) if len(rows) > 1 else 0.0,
    )


def _own(
    key: tuple[KeyEntry, ...],
) -> tuple[tuple[KeyEntry, ...], tuple[KeyEntry, ...]]:
    """Part what the key tells of fills from what it tells under further headings."""
    later = [at for at, entry in enumerate(key) if at and entry.heading]
    cut = later[0] if later else len(key)
    return key[:cut], key[cut:]


def _up(
    rows: list[list[tuple[float, Row]]], step: float, under: float
) -> tuple[tuple[float, float, Row], ...]:
    """Tell how far up each row is, the lowest first; they are `step` apart."""
    return tuple(
        (x, under + step * number, each)
        for number, row in enumerate(rows)
        for x, each in row
    )


def entry_at(shown: Below, x: float, up: float) -> KeyEntry | None:
    """Find the key's entry at a place, `up` pixels above the lowest base line."""
    for left, base, entry in shown.key:
        if (
            left - 4 <= x <= left + entry_width(entry) + 4
            and -6 <= up - base <= LINE - 6
        ):
            return entry
    return None


def room_below(
    scales: tuple[Scale, ...],
    key: tuple[KeyEntry, ...],
    legends: tuple[Legend, ...],
    width: float,
) -> float:
    """Pixels that all of it takes beyond what is free below a scene anyway."""
    return max(0.0, below(scales, key, legends, width).height - USUAL)
