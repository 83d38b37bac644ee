"""What is written over the scene: words, rings and cards, and where, in pixels.

Whatever can paint text and lines draws them, on the screen and in pictures alike.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from topoview.model import Floats, Ints

CARD_DISTANCES = (34.0, 70.0, 120.0, 190.0, 280.0, 400.0)
"""Pixels between a place and its card that are tried."""

CARD_ANGLES = 24
"""Directions from a place to its card that are tried at each distance."""

OWN_CLEARANCE = 12.0
"""Pixels that a card leaves free about its own place."""

HIDDEN_COST = 15.0
"""Of a rank or word that a card hides: more than the way to any free place near it, of
which 30 pixels cost 1, as does each rank that the card's line runs across."""


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A colour, its name, and how many ranks have it; of their rims if so said.

    A `heading` says what the next ones tell; `heel` is the colour of what a state waits
    for, empty for none. `of` is the number of its state or category, -1 if it cannot be
    clicked.
    """

    colour: str
    name: str
    count: str
    dim: bool
    outline: bool = False
    of: int = -1
    heading: bool = False
    heel: str = ""


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
    # candidates on rings about the place, moved into the view, the nearest ones first
    distance = np.repeat(CARD_DISTANCES, CARD_ANGLES)
    angle = np.linspace(0, 2 * np.pi, CARD_ANGLES, endpoint=False)
    way = np.tile(
        np.column_stack([np.cos(angle), np.sin(angle)]), (len(CARD_DISTANCES), 1)
    )
    half = np.array([width / 2, height / 2])
    ideal = (x, y) + way * (distance[:, None] + half) - half
    corner = np.clip(ideal, (left, top), (max(right, left), max(bottom, top)))
    moved = np.abs(corner - ideal).sum(axis=1)
    clash = np.zeros(len(corner), np.int64)
    for other in taken:
        clash += np.all(
            (corner < (other[0] + other[2], other[1] + other[3]))
            & (other[:2] < corner + card),
            axis=1,
        )
    hides_place = _count_inside(np.array([[x, y]]), corner, card, OWN_CLEARANCE)
    hidden = _count_inside(obstacles, corner, card, clearance)
    crossed = _count_crossed(obstacles, (x, y), corner, card)
    far = distance / 30 + moved / 10 + crossed
    best = np.lexsort((HIDDEN_COST * hidden + far, hides_place, clash))[0]
    return float(corner[best, 0]), float(corner[best, 1]), width, height


def leader_end(x: float, y: float, box: Box) -> tuple[float, float]:
    """Point of a card's rim that is nearest to a place."""
    left, top, width, height = box
    return min(max(x, left), left + width), min(max(y, top), top + height)


def _count_inside(
    points: Floats, corner: Floats, size: tuple[float, float], margin: float
) -> Ints:
    """Count the points in each of some boxes of one size, int64, shape (boxes,)."""
    low, high = corner - margin, corner + size + margin
    count = np.zeros(len(corner), np.int64)
    for some in _in_pieces(points):
        inside = np.all((some > low[:, None]) & (some < high[:, None]), axis=2)
        count += inside.sum(axis=1)
    return count


def _count_crossed(
    points: Floats,
    start: tuple[float, float],
    corner: Floats,
    size: tuple[float, float],
) -> Ints:
    """Count the points that a leader to each box would run across."""
    way = np.clip(start, corner, corner + size) - start
    length = np.maximum(np.hypot(way[:, 0], way[:, 1]), 1.0)[:, None]
    unit = way / length
    count = np.zeros(len(corner), np.int64)
    for some in _in_pieces(points - start):
        along = unit @ some.T
        aside = np.abs(np.column_stack([-unit[:, 1], unit[:, 0]]) @ some.T)
        count += ((along > 12) & (along < length) & (aside < 10)).sum(axis=1)
    return count


def _in_pieces(points: Floats) -> Iterator[Floats]:
    """Cut points up, so that all boxes times all points need not fit into memory."""
    for begin in range(0, len(points), 1 << 12):
        yield points[begin : begin + (1 << 12)]
