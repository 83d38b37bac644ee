"""Labels at the ranks of the scene: a table of what they say, thinned where dense."""

from collections.abc import Callable
from math import floor

import numpy as np

from topoview.model import Floats, Indices, Ints, Match
from topoview.scene.annotations import Label
from topoview.scene.camera import depths
from topoview.scene.topology_scene import TopologyScene
from topoview.session import State
from topoview.ui.panels.scene.content import SceneContent

MAX_LABELS = 400
"""Most labels that are written."""

HIDING_REACH = 1.3
"""Times a glyph's reach within which it hides another's middle."""

MAX_RANKS_CONSIDERED = 3000
"""Ranks that are looked at: the nearest ones, of more those before all others."""

NEIGHBOUR_CELLS = sorted(
    ((right, down) for right in (-1, 0, 1) for down in (-1, 0, 1)),
    key=lambda cell: abs(cell[0]) + abs(cell[1]),
)
"""A cell and those beside it: itself first, where most is found."""

CHARACTER_WIDTH, LINE_HEIGHT = 7.5, 17.0
"""Pixels that a character is wide, about, and a line high."""


def _rank_label(_: SceneContent, rank: int) -> str:
    return str(rank)


def _place_label(content: SceneContent, rank: int) -> str:
    match: Match = content.match
    if match.vertex[rank] < 0 or match.topology.is_empty:
        return str(rank)
    return ", ".join(map(str, match.topology.coordinates[match.vertex[rank]].tolist()))


def _node_label(content: SceneContent, rank: int) -> str:
    return content.analysis.trace.locations[rank].node or str(rank)


LABEL_TEXTS: dict[str, Callable[[SceneContent, int], str]] = {
    "rank": _rank_label,
    "place": _place_label,
    "node": _node_label,
}
"""What labels can say; `actions.appearance.LABEL_TEXTS` has their names."""


def rank_labels(
    state: State, content: SceneContent, scene: TopologyScene
) -> list[Label]:
    """Write at the ranks that are seen, nearest first, what the view asks for.

    Where they are dense some are left out; selected ranks keep theirs.
    """
    texts = LABEL_TEXTS.get(state.scene.labels)
    hidden = scene.is_cut or not scene.detail.labels
    if texts is None or not scene.ranks or hidden:
        return []
    ranks = np.arange(scene.ranks, dtype=np.int32)
    pixels = scene.project(ranks)
    width, height = scene.size
    seen = (pixels[:, 0] > 0) & (pixels[:, 0] < width)
    seen &= scene.visible
    seen &= (pixels[:, 1] > 0) & (pixels[:, 1] < height)
    first = np.zeros(len(ranks), bool)
    first[[rank for rank in state.selection.ranks if rank < len(ranks)]] = True
    far = depths(scene.pose, scene.places)
    order = np.lexsort((far, ~first)).astype(np.int64)
    order = order[seen[order]]
    longest = max(len(texts(content, int(rank))) for rank in _sample(ranks))
    size = (CHARACTER_WIDTH * longest + 8, LINE_HEIGHT)
    reach = HIDING_REACH * scene.reach_pixels
    if len(order) > MAX_RANKS_CONSIDERED:
        order = _first_in_each_cell(order, pixels, size, reach)
    kept = _not_overlapping(order[:MAX_RANKS_CONSIDERED], pixels, size, reach)
    return [
        Label(
            float(pixels[rank, 0]),
            float(pixels[rank, 1]),
            texts(content, rank),
            strong=True,
        )
        for rank in kept
    ]


def _sample(ranks: Indices) -> Indices:
    """Ranks that tell how long labels are: the last ones have the most digits."""
    return np.concatenate([ranks[:20], ranks[-20:]])


def _first_in_each_cell(
    order: Ints, pixels: Floats, size: tuple[float, float], reach: float
) -> Ints:
    """Keep the first in each part of the view that is half as large as words are.

    Of very many ranks the nearest ones alone would be in one corner of a block.
    """
    cells = np.floor(pixels[order] / np.maximum(np.array(size) / 2, reach))
    x, y = cells.astype(np.int64).T
    _, first = np.unique(x * (int(y.max(initial=0)) + 1) + y, return_index=True)
    return order[np.sort(first)]


def _not_overlapping(
    order: Ints, pixels: Floats, size: tuple[float, float], reach: float
) -> list[int]:
    """Keep ranks whose words touch no others', and that none before them hides.

    Parameters
    ----------
    order
        Ranks, nearest first.
    size
        Width and height of words.
    reach
        Pixels within which a nearer rank hides one.
    """
    wide, high = size
    width, height = max(wide, reach), max(high, reach)
    words: dict[tuple[int, int], list[tuple[float, float]]] = {}
    glyphs: dict[tuple[int, int], list[tuple[float, float]]] = {}
    kept = []
    for rank, (x, y) in zip(order.tolist(), pixels[order].tolist(), strict=True):
        i, j = floor(x / width), floor(y / height)
        around = [(i + right, j + down) for right, down in NEIGHBOUR_CELLS]
        hidden = any(
            abs(a - x) < reach and abs(b - y) < reach
            for cell in around
            for a, b in glyphs.get(cell, ())
        )
        glyphs.setdefault((i, j), []).append((x, y))
        if hidden or any(
            abs(a - x) < wide and abs(b - y) < high
            for cell in around
            for a, b in words.get(cell, ())
        ):
            continue
        words.setdefault((i, j), []).append((x, y))
        kept.append(rank)
        if len(kept) == MAX_LABELS:
            break
    return kept
