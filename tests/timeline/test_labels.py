"""Words beside the timeline's rows."""

import math
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFontMetrics
from timelines import trace_of

from topoview.live.timeline.orders import RowOrder
from topoview.live.timeline.rows import place_rows
from topoview.ui.panels.timeline.frame import TimelineFrame
from topoview.ui.panels.timeline.hover import row_words
from topoview.ui.panels.timeline.labels import (
    MIN_OUTLINE_GAP,
    row_labels,
    selected_runs,
    short_name,
    short_place,
)
from topoview.ui.panels.timeline.view import TimelineView
from topoview.ui.widgets.theme import font


@pytest.mark.usefixtures("view")
def test_names_keep_what_tells_them_apart() -> None:
    metrics = QFontMetrics(font(11))
    width = metrics.horizontalAdvance
    assert short_name("thread 1", metrics, 200) == "thread 1"
    assert short_name("OMP thread 1", metrics, width("thread 1")) == "thread 1"
    for name in ("CUDA[GeForce:7]", "some very long", "x"):
        room = max(width("CU\u2026:7]"), 8)
        found = short_name(name, metrics, room)
        assert width(found) <= room
        assert found[0] in (name[0], name.split()[-2:][0][0])
        assert found[-1] == name[-1]


def test_rows_have_their_names_beside_them(view: TimelineView) -> None:
    frame, state = view.frame, view.session.state
    assert state.analysis is not None
    top = QPointF(5, frame.rows.top() + 1)
    name = state.analysis.trace.locations[int(view.bands.rows[0])].name
    words = row_words(state, frame, view.bands, top)
    assert f"rank {view.bands.rank[0]}" in words
    assert name in words
    assert row_words(state, frame, view.bands, QPointF(5, 2)) == ""


def labels_of(ranks: int, group: int, height: int) -> list[tuple[int, float]]:
    """Numbers and places of labels of ranks in groups that are alike."""
    trace = trace_of([[(0, 8)]] * ranks, 100)
    groups = np.arange(0, ranks, group) if group else np.zeros(1, np.int64)
    order = RowOrder(np.arange(ranks, dtype=np.int32), groups, (), True, "")
    frame = TimelineFrame(900, height, 1.0, (0, 100), (0, 100))
    bands = place_rows(trace, order, frame.lines, 1.0)
    return [(int(label.text), label.y) for label in row_labels(order, bands, frame, ())]


@pytest.mark.usefixtures("view")
def test_all_coordinates_of_a_group_are_told() -> None:
    metrics = QFontMetrics(font(11))
    name, room = "y 0, z 1, w 2", metrics.horizontalAdvance("y0 z1 w2") + 1
    assert short_place(name, metrics, room) == "y0 z1 w2"
    assert short_place(name, metrics, metrics.horizontalAdvance(name) + 1) == name
    assert short_place("level 1", metrics, 200) == "level 1"
    assert short_place(name, metrics, room - 6) == "", "a part would be another place"
    long = "MPI_COMM_WORLD_dup"
    assert short_place(long, metrics, 100).startswith("MPI_COMM")


@pytest.mark.parametrize("height", range(130, 500, 17))
@pytest.mark.parametrize(
    ("ranks", "group"),
    [(128, 16), (128, 8), (32, 4), (32, 0), (12, 4), (12, 3), (81, 3), (100, 0)],
)
def test_rank_numbers_stand_at_even_steps_from_borders_of_groups(
    ranks: int, group: int, height: int
) -> None:
    found = labels_of(ranks, group, height)
    numbers = [number for number, _ in found]
    assert numbers[0] == 0
    steps = set(np.diff(numbers).tolist())
    assert len(steps) <= 1
    for step in steps:
        assert not group or group % step == 0 or step % group == 0
    assert np.all(np.diff([y for _, y in found]) >= 13)


@pytest.mark.parametrize("ranks", [12, 40, 1000, 10_000])
@pytest.mark.parametrize("step", [2, 3, 7, 40])
def test_outlines_leave_the_rows_between_them_to_be_seen(ranks: int, step: int) -> None:
    trace = trace_of([[(0, 8)]] * ranks, 100)
    order = RowOrder(
        np.arange(ranks, dtype=np.int32), np.zeros(1, np.int64), (), True, ""
    )
    frame = TimelineFrame(900, 200, 1.0, (0, 100), (0, 100))
    bands = place_rows(trace, order, frame.lines, 1.0)
    selected = tuple(range(0, ranks, step))
    runs = selected_runs(bands, selected, 1.0)
    assert np.concatenate(runs).tolist() == list(selected)
    apart = bands.row_height * (step - 1)
    if apart >= MIN_OUTLINE_GAP + 1:
        assert len(runs) == len(selected)
    elif apart < MIN_OUTLINE_GAP - 2:
        assert len(runs) == 1
    for run, following in pairwise(runs):
        bottom = math.ceil(bands.bottom[run[-1]])
        gap = math.floor(bands.top[following[0]]) - bottom
        assert gap >= MIN_OUTLINE_GAP


def test_a_run_of_rows_that_cannot_be_told_apart_counts_what_is_selected() -> None:
    trace = trace_of([[(0, 8)]] * 10_000, 100)
    order = RowOrder(
        np.arange(10_000, dtype=np.int32), np.zeros(1, np.int64), (), True, ""
    )
    frame = TimelineFrame(900, 200, 1.0, (0, 100), (0, 100))
    bands = place_rows(trace, order, frame.lines, 1.0)
    labels = row_labels(order, bands, frame, tuple(range(0, 10_000, 2)))
    assert [label.text for label in labels if label.strong] == ["5000 ranks"]
