"""What is written over the scene: words, rings and cards, and where, in pixels.

Whatever can paint text and lines draws them, on the screen and in pictures alike.
"""

from dataclasses import dataclass

import numpy as np

from topoview.model import Floats

MIN_CARD_DISTANCE = 34.0
"""Pixels between a rank and its card at least."""

HIDDEN_COST = 15.0
"""Of a rank or word that a card hides: more than the way to any free place near it, of
which 30 pixels cost 1, as does each rank that the card's line runs across."""


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A colour, its name, and how many ranks have it; of their rims if so said.

    A `heading` says what the next ones tell.
    `of` is the number of its state or category, -1 if it can not be clicked.
    """

    colour: str
    name: str
    count: str
    dim: bool
    outline: bool = False
    of: int = -1
    heading: bool = False


@dataclass(frozen=True, slots=True)
class ColourBar:
    """Colours of numbers from the lowest to the highest, and how many have which.

    `counts` are those of equal parts of the scale. It is of the ``fill``, of the
    ``rim`` or of the ``size`` of ranks, which has no colours, or of ``edges``.
    """

    title: str
    colours: tuple[str, ...]
    low: str
    high: str
    counts: tuple[int, ...]
    look: str = "fill"


@dataclass(frozen=True, slots=True)
class LegendLine:
    """A line of some look and what it means.

    `look` is ``message``, ``awaited``, ``early``, ``missing``, ``extra``, ``waits``,
    ``edge``, ``wrap`` or empty; an edge has a width in pixels and a strength of its
    colour.
    `colour` is another one than that of the look.
    """

    look: str
    text: str
    width: float = 1.2
    strength: float = 1.0
    colour: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class RankRing:
    """A rim around a rank; `weight` is ``selected`` or ``hovered``."""

    outline: Floats
    weight: str


@dataclass(frozen=True, slots=True)
class Card:
    """Lines of text about a place, the first one stronger; with a leader to it."""

    x: float
    y: float
    lines: tuple[str, ...]
    leader: bool = True


@dataclass(frozen=True, slots=True)
class Label:
    """A word at a place: its middle; a strong one is in the colour of text."""

    x: float
    y: float
    text: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class AxisLine:
    """A piece of an axis, or a leader from a word to what it names.

    From `begin` to `end` in pixels; an arrow has its head at the end.
    """

    begin: tuple[float, float]
    end: tuple[float, float]
    arrow: bool = False


@dataclass(frozen=True, slots=True)
class Footer:
    """The line below a picture: what it shows, and what made it."""

    program: str
    facts: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True, eq=False)
class Annotations:
    """Everything that is written over a scene."""

    theme: str
    """``light`` or ``dark``."""
    title: str
    subtitle: str
    """`title` and `subtitle`: top left."""
    key: tuple[LegendEntry, ...]
    legends: tuple[LegendLine, ...]
    """`key` and `legends`: bottom left, the legends above the key."""
    rings: tuple[RankRing, ...]
    cards: tuple[Card, ...]
    labels: tuple[Label, ...]
    """`rings`, `cards` and `labels`: at their places."""
    obstacles: Floats
    """float64, shape (n, 2): places that cards had better not hide: of ranks and words;
    none without cards."""
    clearance: float
    """Pixels about obstacles that are to stay free."""
    footer: Footer | None = None
    """Below the picture, if any."""
    scales: tuple[ColourBar, ...] = ()
    """Left of the key, if any; further ones above it."""
    lines: tuple[AxisLine, ...] = ()
    """Of axes, and leaders."""


Box = tuple[float, float, float, float]
"""Left, top, width, height."""


def place_card(  # noqa: PLR0913 - where it is and what it must spare
    x: float,
    y: float,
    card: tuple[float, float],
    view: Box,
    spared: tuple[Floats, float],
    taken: list[Box],
) -> Box:
    """Choose where a card hides least, near the place that it speaks of.

    Parameters
    ----------
    x, y
        The place.
    card
        Width and height.
    view
        Where cards may be.
    spared
        Places that should stay visible, float64, shape (n, 2), and pixels about
        them.
    taken
        Cards that are already there.
    """
    width, height = card
    obstacles, clearance = spared
    left, top = view[0], view[1]
    right, bottom = left + view[2] - width, top + view[3] - height
    best = left, top, width, height
    least: tuple[float, ...] = (np.inf,)
    angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    for distance in (MIN_CARD_DISTANCE, 70.0, 120.0, 190.0, 280.0, 400.0):
        for angle in angles:
            ux, uy = np.cos(angle), np.sin(angle)
            at_x = x + ux * (distance + width / 2) - width / 2
            at_y = y + uy * (distance + height / 2) - height / 2
            inside_x = min(max(at_x, left), max(right, left))
            inside_y = min(max(at_y, top), max(bottom, top))
            box = (inside_x, inside_y, width, height)
            moved = abs(inside_x - at_x) + abs(inside_y - at_y)
            hidden = _count_inside(obstacles, box, clearance)
            clash = sum(_overlaps(box, other) for other in taken)
            own = _count_inside(np.array([[x, y]]), box, 12.0)
            crossed = _count_crossed(obstacles, (x, y), box)
            far = distance / 30 + moved / 10 + crossed
            cost = clash, own, HIDDEN_COST * hidden + far
            if cost < least:
                best, least = box, cost
    return best


def leader_end(x: float, y: float, box: Box) -> tuple[float, float]:
    """Point of a card's rim that is nearest to a place."""
    left, top, width, height = box
    return min(max(x, left), left + width), min(max(y, top), top + height)


def _count_inside(points: Floats, box: Box, margin: float) -> int:
    left, top, width, height = box
    across = (points[:, 0] > left - margin) & (points[:, 0] < left + width + margin)
    above = (points[:, 1] > top - margin) & (points[:, 1] < top + height + margin)
    return int(np.sum(across & above))


def _overlaps(box: Box, other: Box) -> bool:
    return (
        box[0] < other[0] + other[2]
        and other[0] < box[0] + box[2]
        and box[1] < other[1] + other[3]
        and other[1] < box[1] + box[3]
    )


def _count_crossed(points: Floats, start: tuple[float, float], box: Box) -> int:
    """Count the places that a leader would run across."""
    end = leader_end(*start, box)
    begin = np.array(start)
    way = np.array(end) - begin
    length = float(np.hypot(*way))
    if length < 1:
        return 0
    local = points - begin
    along = local @ way / length
    aside = np.abs(local @ np.array([-way[1], way[0]])) / length
    return int(np.sum((along > 12) & (along < length) & (aside < 10)))
