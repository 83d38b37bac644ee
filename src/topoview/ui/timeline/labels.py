"""What stands beside the timeline's rows."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics

from topoview.model import Indices, distinct
from topoview.scene.timeline.bands import Bands
from topoview.scene.timeline.rows import RowOrder
from topoview.ui.timeline.frame import Frame

_APART = 13.0
"""Least distance of labels in logical pixels."""
_STRIDES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
_DECIMAL_STRIDES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


@dataclass(frozen=True, slots=True)
class Label:
    """A label: its text, the middle of its line, and whether it is selected."""

    text: str
    y: float
    strong: bool = False


def row_labels(
    order: RowOrder,
    bands: Bands,
    frame: Frame,
    selected: tuple[int, ...],
    names: tuple[str, ...] = (),
) -> list[Label]:
    """Label the rows as far as there is room; selected ranks come first.

    Further locations have their names from `names`, if all of them fit.
    """
    strong = list(_thinned(_selected_labels(bands, frame, selected), []))
    strong += _further_labels(bands, frame, names)
    tall = bands.row_height >= _APART * frame.scale
    numbers = order.numbered and (tall or _ascending(order.ranks))
    if order.labels and not numbers:
        plain = _group_labels(order, bands, frame)
    else:
        plain = _rank_labels(bands, frame)
    return strong + list(_thinned(plain, strong))


def short_name(name: str, metrics: QFontMetrics, room: int) -> str:
    """Shorten a name to some pixels: ``OMP thread 1``, ``thread 1``, ``Serv…ad 1``.

    The last two words tell more than those before, and the first and last letters
    more than those in the middle.
    """
    words, shorter = name.split(), name
    for first in range(max(1, len(words) - 1)):
        shorter = " ".join(words[first:])
        if metrics.horizontalAdvance(shorter) <= room:
            return shorter
    return metrics.elidedText(shorter, Qt.TextElideMode.ElideMiddle, room)


def selected_runs(bands: Bands, selected: tuple[int, ...]) -> list[tuple[int, int]]:
    """First and last index of each run of neighbouring rows that are selected."""
    chosen = np.flatnonzero(np.isin(bands.rank, selected))
    if not len(chosen):
        return []
    breaks = np.flatnonzero(np.diff(chosen) > 1) + 1
    runs = np.split(chosen, breaks)
    return [(int(run[0]), int(run[-1])) for run in runs]


def _selected_labels(
    bands: Bands, frame: Frame, selected: tuple[int, ...]
) -> Iterator[Label]:
    for first, last in selected_runs(bands, selected):
        ranks = distinct(bands.rank[first : last + 1])
        middle = (bands.top[first] + bands.bottom[last]) / 2
        words = f"rank {ranks[0]}" if len(ranks) == 1 else f"{len(ranks)} ranks"
        yield Label(words, frame.y(float(middle)), strong=True)


def _further_labels(
    bands: Bands, frame: Frame, names: tuple[str, ...]
) -> Iterator[Label]:
    further = np.flatnonzero(bands.rows != bands.rank)
    tall = bands.bottom[further] - bands.top[further] >= _APART * frame.scale
    if names and np.all(tall):
        for i in further:
            middle = frame.y(float((bands.top[i] + bands.bottom[i]) / 2))
            yield Label(names[bands.rows[i]], middle)


def _group_labels(order: RowOrder, bands: Bands, frame: Frame) -> Iterator[Label]:
    ends = np.append(bands.groups[1:], len(bands.rows)) - 1
    pitch = bands.bottom[-1] / frame.scale / len(ends)
    stride = next((s for s in _STRIDES if s * pitch >= _APART), _STRIDES[-1])
    labelled = list(zip(bands.groups, ends, order.labels, strict=True))
    for first, last, words in labelled[::stride]:
        top = frame.y(float(bands.top[first]))
        middle = frame.y(float((bands.top[first] + bands.bottom[first]) / 2))
        beside = middle if first == last else max(middle, top + 6)
        yield Label(words, min(beside, frame.rows.bottom() - 4))


def _rank_labels(bands: Bands, frame: Frame) -> Iterator[Label]:
    """Numbers of ranks, every n-th one if their order is that of the numbers."""
    main = np.flatnonzero(bands.rows == bands.rank)
    ranks = bands.rank[main]
    binary = len(ranks) & (len(ranks) - 1) == 0
    strides = _STRIDES if binary else _DECIMAL_STRIDES
    pitch = (bands.bottom[-1] - bands.top[0]) / frame.scale / max(1, len(main))
    stride = next((s for s in strides if s * pitch >= _APART), strides[-1])
    shown = main[ranks % stride == 0] if _ascending(ranks) else main
    middle = (bands.top[shown] + bands.bottom[shown]) / 2
    if pitch < 1:  # looking at each of very many rows would take too long
        _, first = np.unique(middle.astype(np.int64), return_index=True)
        shown, middle = shown[first], middle[first]
    for i, y in zip(shown.tolist(), middle.tolist(), strict=True):
        yield Label(f"{bands.rank[i]}", frame.y(y))


def _ascending(ranks: Indices) -> bool:
    return bool(np.all(np.diff(ranks) > 0))


def _thinned(labels: Iterator[Label], taken: list[Label]) -> Iterator[Label]:
    """Leave out labels that would touch another one."""
    last = -_APART
    for label in labels:
        crowded = any(abs(label.y - other.y) < _APART for other in taken)
        if label.y - last >= _APART and not crowded:
            last = label.y
            yield label
