"""What is written over the scene: words, rings and cards, and where, in pixels.

Whatever can paint text and lines draws them, on the screen and in pictures alike.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from topoview.model import Bools, Floats, Ints
from topoview.scene.axes.plane_sheet import PlaneSheet, SheetMoment

CARD_STEP = 8.0
"""Pixels between places that are tried for a card."""

COUNTED_CELL = 4.0
"""Pixels to which it is known where ranks are that a card would hide."""

OWN_CLEARANCE = 12.0
"""Pixels that a card leaves free about its own place."""

CROSSING_COST = 60.0
"""Pixels that a card may be further away for each rank or word that its line to its
place does not run across."""

MAX_LEADERS_TRIED = 120
"""Free places whose lines are looked at: the nearest ones."""


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

    `look` is ``message``, ``awaited``, ``early``, ``missing``, ``extra``, ``end``,
    ``column``, ``waits``, ``edge``, ``wrap`` or empty; an edge has a width in pixels
    and a strength of its colour.
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
class PlacedCard:
    """Where a card is, and whether its leader crosses nothing: else it has none."""

    box: "Box"
    leader: bool


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
    sheet: PlaneSheet | None = None
    """Names and marks of planes beside each other."""
    sheet_moment: SheetMoment | None = None
    """What changes over them with time."""


Box = tuple[float, float, float, float]
"""Left, top, width, height."""


def place_card(  # noqa: PLR0913 - where it is and what it must spare
    x: float,
    y: float,
    card: tuple[float, float],
    view: Box,
    spared: tuple[Floats, float],
    taken: list[Box],
) -> PlacedCard | None:
    """Choose the free place that is nearest to what a card speaks of.

    Parameters
    ----------
    x, y
        The place.
    card
        Width and height.
    view
        Where cards may be.
    spared
        Places that stay visible, float64, shape (n, 2), and pixels about them.
    taken
        Cards that are already there.

    Returns
    -------
    PlacedCard or None
        None where there is no free place.
    """
    width, height = card
    obstacles, clearance = spared
    left, top = view[0], view[1]
    across = np.arange(left, left + view[2] - width + 0.5, CARD_STEP)
    down = np.arange(top, top + view[3] - height + 0.5, CARD_STEP)
    corner = np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2)
    free = _holds_none(obstacles, corner, card, clearance)
    free &= _holds_none(np.array([[x, y]]), corner, card, OWN_CLEARANCE)
    for other in taken:
        apart = (corner >= (other[0] + other[2], other[1] + other[3])) | (
            corner + card <= other[:2]
        )
        free &= apart.any(axis=1)
    corner = corner[free]
    if not len(corner):
        return None
    way = np.clip((x, y), corner, corner + card) - (x, y)
    distance = np.hypot(way[:, 0], way[:, 1])
    near = np.argsort(distance, kind="stable")[:MAX_LEADERS_TRIED]
    crossed = _count_crossed(obstacles, (x, y), corner[near], card)
    best = np.argmin(distance[near] + CROSSING_COST * crossed)
    box = (float(corner[near[best], 0]), float(corner[near[best], 1]), width, height)
    return PlacedCard(box, leader=not crossed[best])


def leader_end(x: float, y: float, box: Box) -> tuple[float, float]:
    """Point of a card's rim that is nearest to a place."""
    left, top, width, height = box
    return min(max(x, left), left + width), min(max(y, top), top + height)


def _holds_none(
    points: Floats, corner: Floats, size: tuple[float, float], margin: float
) -> Bools:
    """Return for each of some boxes of one size whether no point is in it."""
    if not len(corner):
        return np.zeros(0, np.bool_)
    # Sums of points up to each cell of some pixels, of which four give those in a box.
    low = corner.min(axis=0) - margin - 2 * COUNTED_CELL
    high = corner.max(axis=0) + size + margin
    points = points[((points > low) & (points < high)).all(axis=1)]
    cells = ((high - low) // COUNTED_CELL).astype(np.int64)[::-1] + 2
    count = np.zeros(cells, np.int32)
    at = ((points - low) // COUNTED_CELL).astype(np.int64)
    np.add.at(count, (at[:, 1], at[:, 0]), 1)
    sums = count.cumsum(axis=0).cumsum(axis=1)
    first = ((corner - margin - low) // COUNTED_CELL).astype(np.int64)
    last = ((corner + size + margin - low) // COUNTED_CELL).astype(np.int64)
    (x0, y0), (x1, y1) = (first - 1).T, last.T
    inside = sums[y1, x1] - sums[y0, x1] - sums[y1, x0] + sums[y0, x0]
    return np.asarray(inside == 0)


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
