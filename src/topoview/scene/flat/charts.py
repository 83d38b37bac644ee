"""Charts of reports as SVG: bars, heat maps, places, lines. No Qt, no VTK.

All words are escaped; colours are those of the light theme, as reports are printed.
"""

import base64
import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Final

import numpy as np

from topoview.base.text import NOT_KNOWN, duration_text, one_line, share_text
from topoview.model import Bytes, Floats, Match
from topoview.scene.palette import MAP_STEPS, THEMES, rgb

THEME: Final = THEMES["light"]
FONTS: Final = "Inter, sans-serif"
BAR_GROUND: Final = "#e6eaed"
BAR: Final = "#59636e"

_PAPER_TO_NAVY: Final = (
    "#f7f4e6",
    "#e6dcae",
    "#c3b369",
    "#8a8678",
    "#575d6d",
    "#3b496c",
    "#123570",
    "#00224e",
)
"""Cividis from its dark end to paper instead of yellow."""

_DECADES: Final = 2.0
"""Of a heat map whose colours follow the logarithm."""

WIDTH: Final = 690.0
"""CSS pixels of charts as wide as the page."""

MAX_CELLS: Final = (120, 240)
"""Rows and columns of a heat map; of more, each cell shows the most of several."""

MAX_MARKED: Final = 40
"""Points of a line up to which each is marked."""

MAX_PLACES: Final = 28
"""Extent of a grid up to which each place is drawn."""


@dataclass
class Svg:
    """A picture that is being drawn; lengths are CSS pixels."""

    width: float
    height: float
    parts: list[str] = field(default_factory=list)

    def rect(  # noqa: PLR0913
        self, x: float, y: float, w: float, h: float, fill: str, radius: float = 0
    ) -> None:
        """Draw a filled rectangle."""
        self.parts.append(
            f'<rect x="{x:.2f}" y="{y:.2f}" width="{max(w, 0):.2f}" '
            f'height="{max(h, 0):.2f}" fill="{fill}" rx="{radius:g}"/>'
        )

    def line(
        self, points: Sequence[tuple[float, float]], colour: str, wide: float = 1
    ) -> None:
        """Draw a line through points."""
        coordinates = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
        self.parts.append(
            f'<polyline points="{coordinates}" fill="none" stroke="{colour}" '
            f'stroke-width="{wide:g}"/>'
        )

    def text(  # noqa: PLR0913
        self,
        x: float,
        y: float,
        words: str,
        size: float = 12,
        *,
        colour: str = THEME.text,
        anchor: str = "start",
        weight: int = 400,
    ) -> None:
        """Write words; `y` is the line that they stand on."""
        self.parts.append(
            f'<text x="{x:.2f}" y="{y:.2f}" font-family="{FONTS}" '
            f'font-size="{size:g}" font-weight="{weight}" fill="{colour}" '
            f'text-anchor="{anchor}">{escape(one_line(words), quote=False)}</text>'
        )

    def image(self, pixels: Bytes, x: float, y: float, w: float, h: float) -> None:
        """Draw pixels, uint8 of shape (rows, columns, 3), without smoothing them."""
        high, wide, _ = pixels.shape
        tall = pixels.repeat(math.ceil(2 * h / high), 0)
        large = tall.repeat(math.ceil(2 * w / wide), 1)
        data = base64.b64encode(png_bytes(large)).decode("ascii")
        self.parts.append(
            f'<image x="{x:.2f}" y="{y:.2f}" width="{w:.2f}" height="{h:.2f}" '
            'preserveAspectRatio="none" style="image-rendering:pixelated" '
            f'xlink:href="data:image/png;base64,{data}"/>'
        )

    def done(self, title: str) -> str:
        """Write the picture."""
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" '
            'xmlns:xlink="http://www.w3.org/1999/xlink" '
            f'width="{self.width:g}" height="{self.height:g}" '
            f'viewBox="0 0 {self.width:g} {self.height:g}" role="img" '
            f'aria-label="{escape(one_line(title))}">{"".join(self.parts)}</svg>'
        )


def png_bytes(pixels: Bytes) -> bytes:
    """Write pixels, uint8 of shape (rows, columns, 3), as PNG."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    high, wide = pixels.shape[:2]
    rows = np.zeros((high, 1 + 3 * wide), np.uint8)
    rows[:, 1:] = pixels.reshape(high, -1)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows.tobytes(), 9))
        + chunk(b"IEND", b"")
    )


def efficiency_chart(rows: Sequence[tuple[str, str, float]], width: float = 300) -> str:
    """Draw efficiencies: name, what it is made of, and a fraction, from above down."""
    drawn = Svg(width, 40 * len(rows))
    for k, (name, made_of, share) in enumerate(rows):
        y = 40 * k
        drawn.text(0, y + 13, name, 12)
        text = NOT_KNOWN if math.isnan(share) else share_text(share, 0)
        drawn.text(width, y + 13, text, 14, anchor="end", weight=600)
        drawn.rect(0, y + 18, width, 5, BAR_GROUND)
        drawn.rect(0, y + 18, width * (0 if math.isnan(share) else share), 5, BAR)
        drawn.text(0, y + 33, made_of, 9, colour=THEME.text2)
    return drawn.done("Efficiencies")


def bars_chart(
    rows: Sequence[tuple[str, float, str, str]], width: float = 300, names: float = 120
) -> str:
    """Draw bars: name, length, what it says, colour; the longest fills the width."""
    drawn, most = Svg(width, max(22 * len(rows), 1)), max([r[1] for r in rows] or [0])
    room = width - names - 70
    for k, (name, value, text, colour) in enumerate(rows):
        y = 22 * k
        drawn.text(0, y + 15, name, 12)
        drawn.rect(names, y + 7, room, 8, BAR_GROUND)
        drawn.rect(names, y + 7, room * value / most if most else 0, 8, colour)
        drawn.text(width, y + 15, text, 12, anchor="end")
    return drawn.done("Bars")


def _ramp(values: Floats, least: float, most: float) -> Bytes:
    """Colour numbers from paper to navy: uint8, shape (..., 3)."""
    anchors = np.array([rgb(colour) for colour in _PAPER_TO_NAVY], float)
    at = np.linspace(0, len(anchors) - 1, MAP_STEPS)
    parts = [np.interp(at, np.arange(len(anchors)), part) for part in anchors.T]
    table = np.rint(np.stack(parts, axis=1)).astype(np.uint8)
    share = (values - least) / (most - least) if most > least else np.zeros_like(values)
    place = np.clip(np.nan_to_num(share) * len(table), 0, len(table) - 1)
    result: Bytes = table[place.astype(np.int64)]
    result[np.isnan(values)] = rgb(THEME.panel)
    return result


def _most_of_several(values: Floats, rows: int, columns: int) -> Floats:
    """Shrink a table: each cell shows the most of those that it stands for."""
    for axis, count in enumerate((rows, columns)):
        if values.shape[axis] > count:
            at = np.linspace(0, values.shape[axis], count + 1).astype(np.int64)[:-1]
            values = np.maximum.reduceat(values, at, axis=axis)
    return values


def heat_map(
    values: Floats,
    groups: Sequence[tuple[int, str]],
    sums: Floats,
    colour: str,
    *,
    height: float,
) -> str:
    """Draw a table of seconds by rows and iterations; above it sums by iteration.

    Parameters
    ----------
    values : float64, shape (rows, iterations)
        Colours follow the logarithm, over `_DECADES`.
    groups
        First row and name of each group of rows.
    sums : float64, shape (iterations,)
        Of what bars stand above; drawn in `colour`.
    """
    left, top = 64.0, 54.0
    room, high = WIDTH - left, height
    drawn = Svg(WIDTH, top + high + 22)
    count = values.shape[1]
    most = float(values.max(initial=0.0))
    with np.errstate(divide="ignore"):
        steps = (
            np.log10(np.maximum(values, most * 10**-_DECADES)) if most else values * 0
        )
    limit = float(np.log10(most)) if most else 1.0
    cells = _most_of_several(steps, *MAX_CELLS)
    drawn.image(_ramp(cells, limit - _DECADES, limit), left, top, room, high)
    tall = float(sums.max(initial=0.0)) or 1.0
    shown = _most_of_several(sums[None, :], 1, MAX_CELLS[1])[0]
    step = room / max(len(shown), 1)
    for k, value in enumerate(shown.tolist()):
        bar = 46 * value / tall
        drawn.rect(left + k * step, 50 - bar, max(step - 1, 0.6), bar, colour)
    drawn.text(left - 8, 12, duration_text(tall), 10, colour=THEME.text2, anchor="end")
    last = -100.0
    for k, (first, name) in enumerate(groups):
        end = groups[k + 1][0] if k + 1 < len(groups) else len(values)
        y = top + high * (first + end) / 2 / max(len(values), 1)
        if k:
            line = top + high * first / max(len(values), 1)
            drawn.rect(left, line - 0.75, room, 1.5, THEME.panel)
        if y - last >= 12:
            drawn.text(left - 8, y + 3.5, name, 10, colour=THEME.text2, anchor="end")
            last = y
    for number in _round_numbers(count):
        x = left + room * (number - 0.5) / count
        words = str(number)
        drawn.text(x, top + high + 14, words, 10, colour=THEME.text2, anchor="middle")
    return drawn.done("Iterations")


def _round_numbers(count: int) -> list[int]:
    step = next(
        s * 10**e for e in range(12) for s in (1, 2, 5) if count / (s * 10**e) <= 14
    )
    return [1, *range(step if step > 1 else 2, count + 1, step)]


def place_map(
    match: Match,
    values: Floats,
    *,
    width: float = 330,
    height: float = 210,
    mark: int = -1,
) -> str | None:
    """Draw a number of each rank at its place in a 2D lattice; None for others.

    Parameters
    ----------
    values : float64, shape (ranks,)
        Seconds.
    mark
        Rank that is outlined; -1 for none.
    """
    topology = match.topology
    if not topology.is_lattice or len(topology.dims) != 2:
        return None
    wide, high = topology.dims
    if max(wide, high) > MAX_PLACES:
        return None
    cell = min(40.0, (width - 70) / wide, height / high)
    drawn = Svg(width, max(cell * high, 60) + 2)
    least, most = float(np.nanmin(values)), float(np.nanmax(values))
    colours = _ramp(values, least, most)
    for rank, (x, y) in enumerate(match.coordinates.tolist()):
        if x < 0:
            continue
        red, green, blue = (int(part) for part in colours[rank])
        fill = f"#{red:02x}{green:02x}{blue:02x}"
        left, top = 1 + x * cell, 1 + y * cell
        if rank == mark:
            drawn.rect(left - 1, top - 1, cell, cell, THEME.ink, 3)
        drawn.rect(left + 0.5, top + 0.5, cell - 3, cell - 3, fill, 2)
        dark = 0.3 * red + 0.59 * green + 0.11 * blue < 140
        if cell >= 18:
            drawn.text(
                left + (cell - 2) / 2,
                top + cell / 2 + 3,
                str(rank),
                min(10.0, cell / 2.4),
                colour="#ffffff" if dark else THEME.text,
                anchor="middle",
            )
    bar = cell * wide + 8
    for k in range(40):
        share = np.array([k / 39])
        red, green, blue = (int(part) for part in _ramp(share, 0.0, 1.0)[0])
        drawn.rect(
            bar, 1 + 50 * (39 - k) / 40, 8, 1.6, f"#{red:02x}{green:02x}{blue:02x}"
        )
    drawn.text(bar + 12, 9, duration_text(most), 9, colour=THEME.text2)
    drawn.text(bar + 12, 52, duration_text(least), 9, colour=THEME.text2)
    return drawn.done("Places")


def line_chart(
    series: Sequence[tuple[str, str, Sequence[tuple[float, float]]]],
    ticks: Sequence[tuple[float, str]],
    levels: Sequence[tuple[float, str]],
    title: str,
) -> str:
    """Draw lines: name, colour and points of each, in the units of ticks and levels.

    Parameters
    ----------
    ticks, levels
        Where the axes are labelled, from the least to the most.
    """
    left, right, bottom, top = 52.0, 150.0, 24.0, 12.0
    height = 240.0
    drawn = Svg(WIDTH, height)
    room, high = WIDTH - left - right, height - bottom - top
    first, span = ticks[0][0], (ticks[-1][0] - ticks[0][0]) or 1.0
    low, rise = levels[0][0], (levels[-1][0] - levels[0][0]) or 1.0

    def at(x: float, y: float) -> tuple[float, float]:
        return (
            left + room * (x - first) / span,
            top + high * (1 - (y - low) / rise),
        )

    for value, words in levels:
        y = at(first, value)[1]
        drawn.line([(left, y), (left + room, y)], THEME.hairline)
        drawn.text(left - 6, y + 3.5, words, 10, colour=THEME.text2, anchor="end")
    for value, words in ticks:
        x = at(value, low)[0]
        drawn.text(x, height - 8, words, 10, colour=THEME.text2, anchor="middle")
    ends: list[tuple[float, float, str, str]] = []
    for name, colour, points in series:
        if not points:
            continue
        placed = [at(x, y) for x, y in points]
        drawn.line(placed, colour, 1.6)
        if len(placed) <= MAX_MARKED:
            for x, y in placed:
                drawn.rect(x - 2, y - 2, 4, 4, colour, 2)
        ends.append((placed[-1][1], placed[-1][0], name, colour))
    above = height
    for y, x, name, colour in sorted(ends, reverse=True):
        above = min(y, above - 13)  # names are moved up until they do not touch
        drawn.text(x + 8, above + 4, name, 11, colour=colour)
    return drawn.done(title)


SCALING_LINES: Final = (
    ("global", THEME.ink),
    ("parallel", "#eb6e05"),
    ("load balance", "#3f6bdb"),
    ("serialisation", "#b22099"),
    ("transfer", "#17a0ce"),
    ("computation", "#666811"),
)
"""Efficiencies that are drawn by ranks, and their colours."""


def scaling_chart(points: Sequence[tuple[int, Sequence[float]]]) -> str:
    """Draw efficiencies by the number of ranks, whose axis is logarithmic.

    Parameters
    ----------
    points
        Ranks of each run, and its efficiencies in the order of `SCALING_LINES`; NaN
        for what is not known.
    """
    series = [
        (
            name,
            colour,
            [(math.log2(n), own[k]) for n, own in points if not math.isnan(own[k])],
        )
        for k, (name, colour) in enumerate(SCALING_LINES)
    ]
    highest = max([1.0, *(y for *_, line in series for _, y in line)])
    steps = [k / 4 for k in range(math.ceil(4 * highest) + 1)]
    levels = [(share, f"{100 * share:.0f} %") for share in steps]
    counts = sorted({ranks for ranks, _ in points})
    ticks = [(math.log2(count), str(count)) for count in counts]
    return line_chart(series, ticks, levels, "Efficiency by number of ranks")
