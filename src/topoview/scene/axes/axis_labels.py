"""Names and numbers of axes, put where they are read and touch nothing."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

import numpy as np

from topoview.base.text import tr
from topoview.model import (
    AXES,
    MASTER,
    WORKER,
    Floats,
    Grid,
    Ints,
    Layout,
    Match,
    Pose,
    Topology,
)
from topoview.scene.annotations import AxisLine, Label, leader_end
from topoview.scene.camera import project

CHARACTER_WIDTH, LINE_HEIGHT = 6.4, 15.0
"""Pixels that a character is wide, about, and a line high."""

MARGIN_ABOVE, MARGIN_BELOW, MARGIN_ASIDE = 56.0, 56.0, 6.0
"""Pixels of a view that are for its title and its key, and at its sides."""

MIN_AXIS_LENGTH = 34.0
"""Pixels from which on an axis is labelled."""

MIN_LABEL_DISTANCE = (34.0, LINE_HEIGHT)
"""Distance of labels in pixels, right or down, from which they do not touch."""

ANYWHERE, OFF_LINES, OFF_BODY = range(3)
"""What words are kept off beside other words: nothing, lines of axes, ranks too."""

LINE_WIDTH = 6.0
"""Pixels beside a line that words are not to touch."""

ARROW_LENGTH = 16.0
"""Pixels of the arrow from the last number of an axis to its name."""

NAME_DISTANCE, NAME_CLEARANCE = 10.0 + ARROW_LENGTH, 5.0
"""Pixels from the last place of an axis to its arrow's tip, and on to its name."""

MIN_LEADER = 28.0
"""Pixels from which on a name that is elsewhere has a leader to its axis."""

PERIODIC_SUFFIX, PERIODIC_SIGN = tr(", periodic"), " \u21bb"
"""What names of axes that wrap end with, and with a circling arrow for want of room."""

RUNS_SEPARATOR = ": "
"""Stands before what runs along a plan's axis, which is told where there is room."""

CIRCLE_SUFFIXES = (tr(", major circle"), tr(", minor circle"))
"""What names of a torus' axes end with if there is room."""

TICK_STEPS = (1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 50, 64, *(100 << k for k in range(12)))
"""Places between numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class ProjectedAxis:
    """An axis as it is seen."""

    name: str
    """What is written at its end, if anything."""
    places: Floats
    """float64, shape (n, 2): pixels of its coordinates."""
    outward: Floats
    """float64, shape (n, 2): unit vectors away from what it is an axis of."""
    out: float
    """Pixels from the places to the numbers."""
    closed: bool = False
    """Whether the last one is beside the first."""
    reach: float = 0.0
    """Pixels that numbers may be further out, to stand beside the body."""
    numbered: bool = True
    """Whether there are numbers along it."""
    first: int = 0
    """Coordinate of the first place."""
    prefix: str = ""
    """What is written before each number: names the axis among others."""


def axis_names(grid: Grid) -> list[str]:
    """Names of a layout's axes: ``x EAST, 8``, with ``periodic`` where it wraps.

    Those of a plan tell what runs along them: ``experts 3: Alltoall``.
    """
    names = []
    for number, (count, wraps) in enumerate(zip(grid.dims, grid.periodic, strict=True)):
        axis = grid.axes[number] if grid.axes else AXES[number]
        way = grid.directions[number] if grid.directions else ""
        name = f"{axis} {way}, {count}" if way else f"{axis} {count}"
        if grid.runs and grid.runs[number]:
            name = f"{name}{RUNS_SEPARATOR}{grid.runs[number]}"
        names.append(f"{name}{PERIODIC_SUFFIX}" if wraps and count > 2 else name)
    return names


def tick_step(
    count: int, right: float, down: float, wide: float = MIN_LABEL_DISTANCE[0]
) -> int:
    """Choose how many places are between numbers, given two neighbours' distance."""
    for step in TICK_STEPS:
        apart = step * abs(right) >= wide or step * abs(down) >= MIN_LABEL_DISTANCE[1]
        if apart or step >= count:
            return int(step)
    return count


class LabelLayout:
    """Words that do not touch each other, within a view of some size in pixels.

    Parameters
    ----------
    size
        Width and height of the view.
    body : float64, shape (k, 2)
        Corners, in order around it, of the convex region that names had better
        not stand on.
    """

    def __init__(self, size: tuple[float, float], body: Floats) -> None:
        self._size, self._body = size, body
        self._taken: list[tuple[float, float, float]] = []
        self._lined: list[tuple[float, float, float]] = []
        self.labels: list[Label] = []
        self.lines: list[AxisLine] = []

    def fits(self, x: float, y: float, text: str, off: int = ANYWHERE) -> bool:
        """Return whether a word has room where it is `OFF_LINES`, or `OFF_BODY` too."""
        half = label_width(text) / 2
        width, height = self._size
        if not (half + MARGIN_ASIDE <= x <= width - half - MARGIN_ASIDE):
            return False
        if not MARGIN_ABOVE <= y <= height - MARGIN_BELOW:
            return False
        if any(
            abs(x - a) < half + other and abs(y - b) < LINE_HEIGHT
            for a, b, other in self._taken + (self._lined if off else [])
        ):
            return False
        return off < OFF_BODY or not self._on_body(x, y, half)

    def moved_inside(self, x: float, text: str) -> float:
        """Move a word right or left as far as the sides of the view ask for."""
        least = label_width(text) / 2 + MARGIN_ASIDE
        return min(max(x, least), max(self._size[0] - least, least))

    def spare(self, line: AxisLine) -> None:
        """Keep words off a line."""
        steps = max(int(math.dist(line.begin, line.end) / LINE_HEIGHT), 1)
        for share in np.linspace(0, 1, steps + 1).tolist():
            x, y = (
                a + share * (b - a) for a, b in zip(line.begin, line.end, strict=True)
            )
            self._lined.append((x, y, LINE_WIDTH / 2))

    def put(self, x: float, y: float, text: str, *, strong: bool = False) -> None:
        """Write a word."""
        self._taken.append((x, y, label_width(text) / 2))
        self.labels.append(Label(float(x), float(y), text, strong))

    def _on_body(self, x: float, y: float, half: float) -> bool:
        """Return whether a word's middle, or that of a side of it, is on the body."""
        if len(self._body) < 3:
            return False
        high = LINE_HEIGHT / 2
        sides = ((0, 0), (-half, 0), (half, 0), (0, -high), (0, high))
        points = np.add((x, y), sides)
        edge = np.roll(self._body, -1, axis=0) - self._body
        way = points[:, None] - self._body
        side = edge[:, 0] * way[..., 1] - edge[:, 1] * way[..., 0]
        return bool(((side >= 0).all(axis=1) | (side <= 0).all(axis=1)).any())


SHIFTS = tuple(
    (right * far, down * far)
    for far in (9.0, 18.0)
    for right, down in (
        (0, 1),
        (0, -1),
        (1, 0),
        (-1, 0),
        (1, 1),
        (-1, 1),
        (1, -1),
        (-1, -1),
    )
)
"""Pixels that a word may be moved so that it stands on no rank: the least first."""

WORD_HEIGHT = 11.0
"""Pixels that letters are high."""


def off_ranks(labels: list[Label], ranks: Floats, reach: Floats) -> list[Label]:
    """Move words that stand on ranks beside them; leave out those with no room there.

    Parameters
    ----------
    ranks : float64, shape (n, 2)
        Middles of ranks in pixels.
    reach : float64, shape (n,)
        Pixels that they reach from there.
    """
    places = np.array([(label.x, label.y) for label in labels]).reshape(-1, 2)
    halves = np.array([(label_width(one.text) / 2, WORD_HEIGHT / 2) for one in labels])

    def on_rank(at: Floats, half: Floats) -> bool:
        return bool((np.abs(ranks - at) < half + reach[:, None]).all(axis=1).any())

    stays = [not on_rank(*pair) for pair in zip(places, halves, strict=True)]
    for k in np.flatnonzero(~np.array(stays, np.bool_)).tolist():
        others = np.flatnonzero(stays)
        room = halves[others] + halves[k] + (2.0, LINE_HEIGHT - WORD_HEIGHT)
        for shift in SHIFTS:
            at = places[k] + shift
            touches = (np.abs(places[others] - at) < room).all(axis=1).any()
            below_title = at[1] - halves[k, 1] >= MARGIN_ABOVE - 6
            if below_title and not touches and not on_rank(at, halves[k]):
                places[k], stays[k] = at, True
                break
    return [
        replace(label, x=float(x), y=float(y))
        for label, (x, y), stay in zip(labels, places, stays, strict=True)
        if stay
    ]


def label_width(text: str) -> float:
    """Pixels that a word takes, about, with room beside it."""
    return CHARACTER_WIDTH * len(text) + 8


def label_axes(
    axes: Sequence[ProjectedAxis], size: tuple[float, float], body: Floats
) -> LabelLayout:
    """Write numbers along axes, and their names where there is room left.

    Lines run from number to number of an axis that is not closed; an arrow or a
    leader leads to its name.
    """
    words = LabelLayout(size, body)
    numbers = [_number_axis(axis, words) for axis in axes]
    for line in words.lines:
        words.spare(line)
    longest_first = sorted(
        zip(axes, numbers, strict=True),
        key=lambda each: -float(np.ptp(each[0].places, axis=0).max()),
    )
    for axis, written in longest_first:
        short = axis.name
        for suffix in CIRCLE_SUFFIXES:
            short = short.removesuffix(suffix)
        if short.endswith(PERIODIC_SUFFIX):
            short = short.removesuffix(PERIODIC_SUFFIX) + PERIODIC_SIGN
        shortest = short.partition(RUNS_SEPARATOR)[0]
        names = dict.fromkeys(filter(None, (axis.name, short, shortest)))
        care = (OFF_BODY, OFF_LINES, ANYWHERE)
        for off, far, name in product(care, (False, True), names):
            # rather short than far from the arrow, rather far than on ranks
            place = _name_position(axis, name, words, off, far=far)
            if place is not None:
                words.put(*place, name, strong=True)
                words.lines += _way_to_name(axis, written, words.labels[-1])
                break
    return words


def _number_axis(axis: ProjectedAxis, words: LabelLayout) -> list[Label]:
    """Write the numbers of an axis, with lines between them; returns them."""
    written: list[Label] = []
    for number in _tick_numbers(axis):
        text = f"{axis.prefix}{axis.first + number}"
        for further in np.arange(0.0, axis.reach + 1, 6.0):
            x, y = _beside_axis(axis, number, axis.out + further, label_width(text) - 8)
            beside = axis.closed and not axis.prefix
            if words.fits(x, y, text, OFF_BODY if beside else ANYWHERE):
                words.put(x, y, text)
                written.append(words.labels[-1])
                break
    if not axis.closed:
        for one, other in pairwise(written):
            begin, end = _beside_word(one, other), _beside_word(other, one)
            ahead = (other.x - one.x, other.y - one.y)
            if np.dot(np.subtract(end, begin), ahead) > 0:
                words.lines.append(AxisLine(begin, end))
        if len(written) > 1:
            words.lines.append(_arrow(axis, written[-1]))
    return written


def _arrow(axis: ProjectedAxis, last: Label) -> AxisLine:
    """Arrow beyond the last number of an axis."""
    way = axis.places[-1] - axis.places[-2]
    right, down = (way / max(float(np.hypot(*way)), 1e-9)).tolist()
    x, y = _beside_word(last, Label(last.x + right, last.y + down, ""))
    return AxisLine(
        (x, y), (x + ARROW_LENGTH * right, y + ARROW_LENGTH * down), arrow=True
    )


def _beside_word(one: Label, to: Label) -> tuple[float, float]:
    """Where a line from the middle of a word to another one leaves the word."""
    way = np.array([to.x - one.x, to.y - one.y])
    way /= max(float(np.hypot(*way)), 1e-9)
    half = label_width(one.text) / 2 - 1, LINE_HEIGHT / 2
    far = min(side / max(abs(part), 1e-9) for side, part in zip(half, way, strict=True))
    return one.x + far * float(way[0]), one.y + far * float(way[1])


def _way_to_name(
    axis: ProjectedAxis, written: list[Label], name: Label
) -> list[AxisLine]:
    """Leader from an axis to its name where that stands neither beside it nor ahead."""
    wide = label_width(name.text) - 8
    box = (name.x - wide / 2, name.y - LINE_HEIGHT / 2, wide, LINE_HEIGHT)
    ends = [(one.x, one.y) for one in written]
    along = ends
    if len(written) > 1 and not axis.closed:
        tip = _arrow(axis, written[-1]).end
        along = np.concatenate(
            [np.linspace(*piece, 9) for piece in pairwise([*ends, tip])]
        ).tolist()
        ends = [tip, ends[0]]
    if not ends:
        return []
    if min(math.dist(at, leader_end(*at, box)) for at in along) <= MIN_LEADER:
        return []
    end, begin = min(
        ((end, leader_end(*end, box)) for end in ends), key=lambda way: math.dist(*way)
    )
    if end in [(one.x, one.y) for one in written]:
        end = _beside_word(Label(*end, written[0].text), name)
    return [AxisLine(begin, end)]


def _beside_axis(
    axis: ProjectedAxis, number: int, out: float, wide: float
) -> tuple[float, float]:
    """Middle of a word of some width beside a coordinate."""
    way = axis.outward[number]
    x, y = axis.places[number] + way * (out + wide / 2 * abs(way[0]))
    return float(x), float(y)


def _tick_numbers(axis: ProjectedAxis) -> list[int]:
    count = len(axis.places)
    if count < 2 or not axis.numbered:
        return list(range(count)) if axis.numbered else []
    gaps = np.abs(np.diff(axis.places, axis=0))
    right, down = np.median(gaps, axis=0).tolist()
    wide = label_width(f"{axis.prefix}{axis.first + count - 1}") + 6
    if axis.closed:
        right = float(np.median(np.hypot(*gaps.T)))
        down = 0.0
    step = tick_step(count, right, down, wide)
    shown = list(range(0, count, step))
    if axis.closed:
        if len(shown) > 1 and count - shown[-1] < 0.75 * step:
            shown.pop()
    elif count - 1 - shown[-1] >= 0.75 * step:
        shown.append(count - 1)
    return shown


def _name_position(
    axis: ProjectedAxis, name: str, words: LabelLayout, off: int, *, far: bool
) -> tuple[float, float] | None:
    """Where a name stands: beyond the end; `far` from there, beside the axis."""
    half = label_width(name) / 2 - 4
    clear = np.array([half, LINE_HEIGHT / 2]) + NAME_CLEARANCE
    last = len(axis.places) - 1
    tried: list[tuple[float, float]] = []
    if not axis.closed:
        ends = ((last, max(last - 1, 0)), (0, min(1, last)))
        for number, before in ends[1:] if far else ends[:1]:
            way = axis.places[number] - axis.places[before]
            way = way / max(float(np.hypot(*way)), 1e-9)
            outward = axis.outward[number]
            for out in (axis.out, axis.out + LINE_HEIGHT + 2, 0.0):
                x, y = axis.places[number] + outward * out
                reach = NAME_DISTANCE + min(clear / np.maximum(np.abs(way), 1e-9))
                tried.append((float(x + way[0] * reach), float(y + way[1] * reach)))
            aside = axis.out + 8 + half * abs(outward[0]) + LINE_HEIGHT / 2
            for row in range(3):
                out = aside + row * (LINE_HEIGHT + 2)
                for ahead in (NAME_DISTANCE, -half * abs(float(way[0]))):
                    x, y = axis.places[number] + outward * out + way * ahead
                    tried.append((float(x), float(y)))
    shares = (0.5, 0.62, 0.38, 0.75, 0.25, 0.9, 0.1, 1.0, 0.0)
    begin = LINE_HEIGHT + 3 if axis.numbered and not axis.closed else 0.0
    aside = axis.closed or far
    for further in np.arange(begin, axis.reach + 4 * LINE_HEIGHT, LINE_HEIGHT + 3):
        for share in shares if aside else ():
            number = round(share * last)
            tried.append(_beside_axis(axis, number, axis.out + further, 2 * half))
    for x, y in tried:
        inside = words.moved_inside(x, name)
        if words.fits(inside, y, name, off):
            return inside, y
    return None


# Names of places that are on no axis: a star's master, factors of products, copies.

MAX_RANKS_NAMED = 2000
"""Ranks up to which places are named."""

MAX_BLOCKS_NAMED = 48
"""Blocks, and ranks within a block, up to which each is named."""

NAME_GAP = 4.0
"""Pixels between a name and what it names."""

BLOCK_SIDES = ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0))
"""Sides of a block that are tried for its name: its middle first, then below it."""

RANK_SIDES = ((0, -1), (1, 0), (-1, 0), (0, 1))
"""Sides of a single rank: a master's workers are below it."""

ViewSize = tuple[float, float]


def vertex_labels(
    match: Match, layout: Layout, pose: Pose, size: ViewSize, reach: float
) -> list[Label]:
    """Name places of a star, a product or copies in a layout of their own.

    Glyphs reach so many pixels from their places.
    """
    topology = match.topology
    placed = match.vertex >= 0
    named = (topology.kind, layout.name)
    if not 0 < np.count_nonzero(placed) <= MAX_RANKS_NAMED:
        return []
    here = np.flatnonzero(placed)
    words = _BlockLabels(project(pose, layout.positions[here], size), reach, size)
    vertex = match.vertex[here].astype(np.int64)
    if named == ("star", "star"):
        masters = np.flatnonzero(match.coordinates[here, 0] == 0)
        texts = _vertex_names(topology)
        for index in masters[:MAX_BLOCKS_NAMED]:
            words.beside(np.array([index]), texts[vertex[index]])
    elif named == ("product", "nested"):
        n = topology.factors[0].vertices
        _label_blocks(words, topology, vertex % n, vertex // n, _block_names(topology))
    elif named == ("copies", "nested"):
        copy = topology.coordinates[:, -1].astype(np.int64)
        inside = np.empty(len(copy), np.int64)
        order = np.argsort(copy, kind="stable")
        inside[order] = np.arange(len(copy)) % topology.factors[0].vertices
        texts = [
            tr("copy {number}", number=number) for number in range(int(copy.max()) + 1)
        ]
        _label_blocks(words, topology, inside[vertex], copy[vertex], texts)
    return words.labels


AROUND_RANK = (0.0, math.pi / 3, -math.pi / 3, math.pi)
"""Where a number is tried around a rank: radians from the way out of its block."""


class _BlockLabels(LabelLayout):
    """Words beside ranks, on none of them."""

    def __init__(self, seen: Floats, reach: float, size: ViewSize) -> None:
        super().__init__(size, np.zeros((0, 2)))
        self.seen, self.reach = seen, reach

    def _clear(self, x: float, y: float, text: str) -> bool:
        half = label_width(text) / 2 - 4
        apart = np.abs(self.seen - (x, y)) - self.reach
        touching = (apart[:, 0] < half) & (apart[:, 1] < LINE_HEIGHT / 2)
        return self.fits(x, y, text) and not touching.any()

    def beside(self, some: Ints, *texts: str) -> bool:
        """Write the first of some texts that has room beside a block of ranks."""
        low, high = self.seen[some].min(axis=0), self.seen[some].max(axis=0)
        middle, half = (low + high) / 2, (high - low) / 2 + self.reach + NAME_GAP
        for text in texts:
            wide = label_width(text) / 2 - 4
            for right, down in BLOCK_SIDES if len(some) > 1 else RANK_SIDES:
                x = middle[0] + right * (half[0] + wide)
                y = middle[1] + down * (half[1] + LINE_HEIGHT / 2)
                if self._clear(x, y, text):
                    self.put(x, y, text, strong=":" in text or text == MASTER)
                    return True
        return False

    def around(self, centre: Floats, one: int, text: str) -> None:
        """Write a text beside a rank, away from its block's middle if it has room."""
        right, down = (self.seen[one] - centre).tolist()
        outward = (
            math.atan2(down, right) if math.hypot(right, down) > 1 else math.pi / 2
        )
        wide = label_width(text) / 2 - 4
        for turn in AROUND_RANK:
            right, down = math.cos(outward + turn), math.sin(outward + turn)
            out = (
                self.reach + NAME_GAP + abs(right) * wide + abs(down) * LINE_HEIGHT / 2
            )
            x, y = self.seen[one] + out * np.array([right, down])
            if self._clear(x, y, text):
                self.put(float(x), float(y), text)
                return


def _label_blocks(
    words: _BlockLabels, topology: Topology, inside: Ints, block: Ints, texts: list[str]
) -> None:
    """Name each block, and the places within all if they are few, else in the front."""
    blocks = np.unique(block)
    front = max(blocks, key=lambda one: float(words.seen[block == one, 1].mean()))
    inner = topology.factors[0]
    outer = " \u00d7 ".join(factor.name for factor in topology.factors[1:])
    for one in blocks[:MAX_BLOCKS_NAMED]:
        text, own = texts[one], np.flatnonzero(block == one)
        first = outer and one == blocks[0]
        words.beside(own, *((f"{outer}: {text}",) if first else ()), text)
    names = _vertex_names(inner)
    for each in blocks if len(block) <= MAX_BLOCKS_NAMED else [front]:
        some = np.flatnonzero(block == each)
        centre = words.seen[some].mean(axis=0)
        for one in some if len(some) <= MAX_BLOCKS_NAMED else ():
            words.around(centre, int(one), names[inside[one]])


def _block_names(topology: Topology) -> list[str]:
    """Name the blocks of a product by the places in all factors but the first."""
    stride, result = 1, [""] * math.prod(f.vertices for f in topology.factors[1:])
    for factor in topology.factors[1:]:
        names = _vertex_names(factor)
        for number, before in enumerate(result):
            own = names[number // stride % factor.vertices]
            result[number] = f"{before}; {own}" if before else own
        stride *= factor.vertices
    return result


def _vertex_names(topology: Topology) -> list[str]:
    """Name each vertex of a topology."""
    return list(_iter_vertex_names(topology))


def _iter_vertex_names(topology: Topology) -> Iterator[str]:
    several = int((topology.coordinates[:, 0] == 0).sum()) > 1
    for place in topology.coordinates.tolist():
        if topology.kind == "star" and place[0] == 0:
            yield f"{MASTER} {place[1]}" if several else MASTER
        elif topology.kind == "star":
            yield f"{WORKER} {place[1]}"
        elif topology.kind == "tree":
            yield tr("level {first}, {second}", first=place[0], second=place[1])
        else:
            yield ", ".join(map(str, place))
