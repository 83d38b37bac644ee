"""Words beside the timeline's rows."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFontMetrics
from timelines import trace_of

from topoview.live.timeline.orders import RowOrder
from topoview.live.timeline.rows import place_rows
from topoview.ui.panels.timeline.frame import TimelineFrame
from topoview.ui.panels.timeline.hover import row_words
from topoview.ui.panels.timeline.paint import row_labels, short_name
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
