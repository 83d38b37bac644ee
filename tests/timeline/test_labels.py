"""Words beside the timeline's rows."""

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFontMetrics

from topoview.ui.panels.timeline.mouse import row_words
from topoview.ui.panels.timeline.paint import short_name
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
