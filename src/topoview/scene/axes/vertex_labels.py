"""Names of places that are on no axis: a star's master, factors of products, copies."""

import math
from collections.abc import Iterator

import numpy as np

from topoview.model import (
    MASTER,
    WORKER,
    Floats,
    Ints,
    Layout,
    Match,
    Pose,
    Topology,
)
from topoview.scene.annotations import Label
from topoview.scene.axes.axis_labels import LINE_HEIGHT, LabelLayout, label_width
from topoview.scene.camera import project

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
    here = np.flatnonzero(match.vertex >= 0)
    named = (topology.kind, layout.name)
    if not 0 < len(here) <= MAX_RANKS_NAMED:
        return []
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
        texts = [f"copy {number}" for number in range(int(copy.max()) + 1)]
        _label_blocks(words, topology, inside[vertex], copy[vertex], texts)
    return words.labels


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
        """Write a text beside a rank, away from its block's middle, if it has room."""
        way = self.seen[one] - centre
        long = float(np.hypot(*way))
        way = way / long if long > 1 else np.array([0.0, 1.0])
        wide = label_width(text) / 2 - 4
        out = self.reach + NAME_GAP + abs(way[0]) * wide + abs(way[1]) * LINE_HEIGHT / 2
        x, y = self.seen[one] + out * way
        if self._clear(x, y, text):
            self.put(float(x), float(y), text)


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
    stride, found = 1, [""] * math.prod(f.vertices for f in topology.factors[1:])
    for factor in topology.factors[1:]:
        names = _vertex_names(factor)
        for number, before in enumerate(found):
            own = names[number // stride % factor.vertices]
            found[number] = f"{before}; {own}" if before else own
        stride *= factor.vertices
    return found


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
            yield f"level {place[0]}, {place[1]}"
        else:
            yield ", ".join(map(str, place))
