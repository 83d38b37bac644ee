"""Markers above the rows, and the line that a call was made from."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter

from topoview.model import Analysis, Marker, SourceLines, TimeState
from topoview.scene.palette import THEMES
from topoview.session import Session
from topoview.ui.panels.timeline.content import TimelineContent
from topoview.ui.panels.timeline.frame import TimelineFrame
from topoview.ui.panels.timeline.hover import HoveredInterval, interval_words
from topoview.ui.panels.timeline.marks import marker_words
from topoview.ui.panels.timeline.paint import paint_still
from topoview.ui.panels.timeline.view import TimelineView

MARKERS = (
    Marker(300, 0, "Tool", "Remark", "low", "", -1, "first <step>"),
    Marker(1200, 100, "Tool", "Fault", "high", "rank 3, main", 3, "slow"),
    Marker(1201, 0, "", "", "none", "", -1, "and this"),
    Marker(5000, 0, "", "", "none", "", -1, "behind the end"),
)


@pytest.fixture
def marked(session: Session) -> Session:
    analysis = session.state.analysis
    assert analysis is not None
    trace = replace(analysis.trace, markers=MARKERS)
    session.update(analysis=replace(analysis, trace=trace))
    return session


def image(session: Session) -> tuple[np.ndarray, TimelineFrame]:
    frame = TimelineFrame(900, 300, 1.0, session.state.window, (0, 2020))
    picture = TimelineContent().picture(session.state, frame, (None, (0, 1)), None)
    shown = QImage(900, 300, QImage.Format.Format_RGB32)
    painter = QPainter(shown)
    paint_still(painter, picture)
    painter.end()
    pixels = np.frombuffer(shown.constBits(), np.uint32).reshape(300, 900)
    return pixels & 0xFFFFFF, frame


@pytest.mark.usefixtures("qtbot")
def test_flags_stand_where_markers_are(marked: Session) -> None:
    pixels, frame = image(marked)
    line = pixels[round(frame.rows.top()) - 9]
    back = QColor(THEMES[marked.state.theme].panel).rgb() & 0xFFFFFF
    for marker in MARKERS[:3]:
        assert line[round(frame.x(marker.time)) + 2] != back
    assert line[round(frame.x(700))] == back


def test_flags_are_told(marked: Session) -> None:
    analysis = marked.state.analysis
    assert analysis is not None
    frame = TimelineFrame(900, 300, 1.0, (0, 2020), (0, 2020))

    def words(ticks: int, y: float) -> str:
        at = QPointF(frame.x(ticks) + 3, y)
        return marker_words(MARKERS, analysis.trace.clock, frame, at)

    over = frame.rows.top() - 5
    assert words(300, over).startswith("<b>first &lt;step&gt;</b>")
    both = words(1200, over)
    assert "rank 3, main" in both
    assert "and this" in both
    assert words(700, over) == words(300, over + 20) == ""
    assert "behind" not in words(2020, over)


def test_the_line_of_a_call_is_told(view: TimelineView) -> None:
    state = view.session.state
    analysis = state.analysis
    assert analysis is not None
    trace = analysis.trace
    line = trace.timeline
    first = line.offsets[7] + 2
    waits, before = int(line.region[first]), int(line.region[first - 1])
    sources = SourceLines(
        places=("s.c:12",),
        site_entered=np.array([waits], np.int32),
        site_left=np.array([before], np.int32),
        site_place=np.array([0], np.int32),
    )
    begin, end = int(line.time[first]), int(line.time[first + 1])
    interval = HoveredInterval(7, 7, begin, end, TimeState.WAIT, waits)
    known = Analysis(replace(trace, sources=sources))
    words = interval_words(replace(state, analysis=known), view.frame, interval)
    assert "called from s.c:12" in words
