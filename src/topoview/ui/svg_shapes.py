"""Shapes of a page as SVG, and words that are as wide in every viewer.

Qt's own writer repeats all of a pen's and a font's settings for each shape: a surface
of 576 ranks took 6 MB.
"""

import html
import re
from collections.abc import Iterator

import numpy as np
from PySide6.QtGui import QFontMetricsF

from topoview.model import Bytes
from topoview.scene.flat import BALL, FACE, Flat, lit
from topoview.ui.fonts import font

SHADED = 3000
"""Balls up to which each has its own light; more are flat, or files get large."""

SHINES = ((0.0, 0.98), (0.55, 0.75), (1.0, 0.12))
"""How far from the brightest spot of a ball how much light falls."""

SPOT = (-0.28, -0.45)
"""Where a ball is brightest, in radii from its middle."""

SEAM = 0.35
"""Pixels that faces overlap, or the background shines through between them."""

DIM = 0.7
"""Light that falls on balls that have no light of their own."""

WORDS = re.compile(
    r'<text ([^>]*font-size="(\d+)" font-weight="(\d+)"[^>]*)>([^<]*)</text>'
)


def shaded(flat: Flat) -> bool:
    """Tell whether each ball has its own light."""
    return bool(np.count_nonzero(flat.lit) <= SHADED)


def dimmed(flat: Flat) -> Bytes:
    """Colours of balls: as they are painted where they have no light of their own."""
    dim = lit(flat.ball_colours, np.full(len(flat.ball_colours), DIM))
    return np.where(flat.lit[:, None] & (not shaded(flat)), dim, flat.ball_colours)


def svg_shapes(flat: Flat, size: tuple[float, float]) -> str:
    """Write shapes in their order, cut off at the edges of a view in pixels."""
    width, height = size
    own = shaded(flat)
    balls, bright = dimmed(flat), {}
    for row in np.flatnonzero(flat.lit).tolist() if own else ():
        bright[_hex(flat.ball_colours[row])] = flat.ball_colours[row]
    lines = [
        "<defs>",
        f'<clipPath id="view"><rect width="{width:g}" height="{height:g}"/></clipPath>',
        *(_light(name, colour) for name, colour in bright.items()),
        "</defs>",
        f'<g clip-path="url(#view)" stroke-linecap="round" stroke-width="{SEAM}">',
        *_shapes(flat, balls, own=own),
        "</g>",
    ]
    return "\n".join(lines) + "\n"


def _shapes(flat: Flat, balls: Bytes, *, own: bool) -> Iterator[str]:
    corners, circles, lines = flat.corners.tolist(), flat.circles.tolist(), flat.lines
    ends, widths, seen = lines.tolist(), flat.widths.tolist(), flat.lit.tolist()
    for kind, row in zip(flat.kind.tolist(), flat.row.tolist(), strict=True):
        if kind == FACE:
            colour = _hex(flat.face_colours[row])
            fill = f'fill="{colour}" stroke="{colour}"'
            clear = _clear("opacity", flat.face_colours[row])
            yield f'<path {fill}{clear} d="{_way(corners[row])}z"/>'
        elif kind == BALL:
            x, y, radius = circles[row]
            place = f'cx="{_short(x)}" cy="{_short(y)}" r="{_short(radius)}"'
            colour = _hex(balls[row])
            clear = _clear("opacity", balls[row])
            fill = f"url(#b{colour[1:]})" if own and seen[row] else colour
            yield f'<circle fill="{fill}"{clear} {place}/>'
        else:
            shown = f'stroke="{_hex(flat.line_colours[row])}"'
            clear = _clear("opacity", flat.line_colours[row])
            wide = f'stroke-width="{_short(widths[row])}"'
            yield f'<path {shown}{clear} {wide} d="{_way(ends[row])}"/>'


def _light(name: str, colour: Bytes) -> str:
    """Light on balls of a colour."""
    x, y = ((1 + part) / 2 for part in SPOT)
    light = [(at, lit(colour[None], np.array([shine]))[0]) for at, shine in SHINES]
    stops = "".join(
        f'<stop offset="{at}" stop-color="{_hex(shade)}"/>' for at, shade in light
    )
    return (
        f'<radialGradient id="b{name[1:]}" fx="{x}" fy="{y}">{stops}</radialGradient>'
    )


def _way(points: list[list[float]]) -> str:
    return "M" + " ".join(f"{_short(x)} {_short(y)}" for x, y in points)


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _hex(colour: Bytes) -> str:
    return "#" + "".join(f"{part:02x}" for part in colour[:3].tolist())


def _clear(name: str, colour: Bytes) -> str:
    return "" if colour[3] == 255 else f' {name}="{colour[3] / 255:.3g}"'


def words_of_one_width(text: str, families: str) -> str:
    """Name fonts for a viewer without ours, and hold words at the width that ours has.

    An SVG file holds no fonts, and what stands beside a word would be written over it.
    """

    def fixed(found: re.Match[str]) -> str:
        looks, size, weight, words = found.groups()
        own = font(int(size), int(weight))
        wide = QFontMetricsF(own).horizontalAdvance(html.unescape(words))
        looks = looks.replace(
            f'font-family="{own.family()}"', f'font-family="{families}"'
        )
        fitted = f'textLength="{_short(wide)}" lengthAdjust="spacingAndGlyphs"'
        return f"<text {looks.strip()} {fitted}>{words}</text>" if wide else found[0]

    return WORDS.sub(fixed, text)
