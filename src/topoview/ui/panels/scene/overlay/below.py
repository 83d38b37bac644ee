"""What stands below a scene: which legends there is room for, and where."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

from topoview.base.text import tr
from topoview.scene.annotations import Annotations, ColourBar, LegendEntry, LegendLine
from topoview.ui.widgets.theme import text_width

SCALE_WIDTH = 160.0

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
    return text_width(scale_title(scale), 12) + 12 + numbers + 8 + SCALE_WIDTH + 8


def scale_title(scale: ColourBar) -> str:
    """Name what a scale stands for."""
    return scale.title if scale.look == "fill" else f"{scale.look}: {scale.title}"


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


@lru_cache(maxsize=8)
def place_below(
    scales: tuple[ColourBar, ...],
    key: tuple[LegendEntry, ...],
    legends: tuple[LegendLine, ...],
    width: float,
) -> BelowScene:
    """Put all that is written below a scene into rows.

    What the key tells of the ranks' fill stands beside the first scale if it has room
    there in one row; all else is below the scales. Legends are above both, or beside
    the key's last row if all have room there. The latest answers are kept: a picture
    asks for the same several times.
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
