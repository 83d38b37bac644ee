"""The timeline in a window: what its pixels show of the session."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from timelines import Row, grid_match, trace_of

from topoview.live.timeline.raster import raster
from topoview.model import Analysis, Identification, TimeState
from topoview.scene.flat.timeline_pixels import packed_colour
from topoview.scene.palette import THEMES
from topoview.session import Session
from topoview.ui.panels.timeline.content import timeline_picture
from topoview.ui.panels.timeline.paint import paint_timeline
from topoview.ui.panels.timeline.view import TimelineView


def pixels_of(image: QImage) -> np.ndarray:
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    flat = np.frombuffer(image.constBits(), np.uint32).copy()
    return flat.reshape(image.height(), image.width())


def colours_in(view: TimelineView) -> set[int]:
    """Colours of the rows, without what is drawn over them."""
    session = view.session
    session.update(time=session.state.window[1] + 1)
    rows = view.frame.rows.toRect()
    image = pixels_of(view.grab(rows).toImage())
    return set(np.unique(image).tolist())


def key_of(theme: str, *states: TimeState) -> set[int]:
    colours = THEMES[theme]
    found = {int(packed_colour(colours.state_colour(state))) for state in states}
    return found | {int(packed_colour(colours.panel))}


def test_pixels_are_those_of_the_raster(view: TimelineView) -> None:
    frame, bands = view.frame, view.bands
    trace = view.session.state.analysis.trace
    codes = raster(trace.timeline, bands.rows, *frame.window, frame.columns)
    view.session.update(time=frame.window[1] + 10)
    shown = pixels_of(view.grab().toImage())
    left = frame.rows.toRect().left()
    colours = THEMES["light"]
    for index in range(len(bands.rows)):
        line = frame.rows.toRect().top() + int(bands.top[index])
        expected = [
            int(packed_colour(colours.state_colour(code))) for code in codes[index]
        ]
        assert shown[line, left : left + frame.columns].tolist() == expected


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_colour_is_blended(qtbot: QtBot, view: TimelineView, theme: str) -> None:
    view.session.update(theme=theme)
    view.session.change("timeline", order="rank")
    view.session.update(window=(0, 2000))
    view.resize(500, 140)
    qtbot.waitUntil(lambda: view.settled, timeout=20_000)
    states = (TimeState.SETUP, TimeState.COMPUTE, TimeState.WAIT, TimeState.OUTSIDE)
    assert colours_in(view) <= key_of(theme, *states)


def test_cursor_shows_the_sessions_time(view: TimelineView) -> None:
    ink = int(packed_colour(THEMES["light"].ink))
    for time in (100, 1234):
        view.session.update(time=time)
        shown = pixels_of(view.grab().toImage())
        line = shown[int(view.frame.rows.top()) + 2]
        assert round(view.frame.x(time)) in np.flatnonzero(line == ink)


def test_selected_statement_stands_out_in_colours_of_the_key(
    qtbot: QtBot, view: TimelineView
) -> None:
    analysis = view.session.state.analysis
    calls = analysis.trace.calls
    of_call = np.where(calls.region == TimeState.WAIT, 1, 0).astype(np.int32)
    logical = SimpleNamespace(statement_of_call=of_call, statements=2)
    view.session.update(analysis=replace(analysis, logical=logical))
    view.session.select(statement=0)
    view.session.update(window=(300, 700))
    qtbot.waitUntil(lambda: view.settled, timeout=20_000)
    # set-up is over: every row is a thin stripe, so most lines are background
    shown = pixels_of(view.grab(view.frame.rows.toRect()).toImage())
    panel = int(packed_colour(THEMES["light"].panel))
    assert np.mean(shown == panel) > 0.7
    view.session.select(statement=1)
    qtbot.waitUntil(lambda: view.settled, timeout=20_000)
    states = (TimeState.COMPUTE, TimeState.WAIT)
    assert colours_in(view) <= key_of("light", *states)
    shown = pixels_of(view.grab(view.frame.rows.toRect()).toImage())
    wait = int(packed_colour(THEMES["light"].state_colour(TimeState.WAIT)))
    full = [line for line in shown if wait in line]
    assert len(full) > 100


def test_last_picture_is_shifted_until_the_next_is_there(
    qtbot: QtBot, view: TimelineView
) -> None:
    view.session.update(time=2020, window=(0, 1010))
    assert not view.settled
    early = pixels_of(view.grab(view.frame.rows.toRect()).toImage())
    qtbot.waitUntil(lambda: view.settled, timeout=20_000)
    late = pixels_of(view.grab(view.frame.rows.toRect()).toImage())
    assert np.mean(early == late) > 0.97


def test_a_new_trace_replaces_the_old_one(
    qtbot: QtBot, view: TimelineView, steps: Callable[[int, int], list[Row]]
) -> None:
    trace = trace_of(steps(2, 3), 400)
    view.session.update(analysis=Analysis(trace), window=(0, 400), time=0)
    qtbot.waitUntil(lambda: view.settled, timeout=20_000)
    assert view.bands.rows.tolist() == [0, 1]
    view.session.update(analysis=None)
    view.grab()


def test_rows_follow_the_order_once_the_topology_is_known(
    qtbot: QtBot, steps: Callable[[int, int], list[Row]]
) -> None:
    session = Session()
    view = TimelineView(session)
    qtbot.addWidget(view)
    view.resize(600, 300)
    view.show()
    trace = trace_of(steps(12, 3), 400)
    session.update(analysis=Analysis(trace), window=(0, 400))
    assert view.bands.rows.tolist() == list(range(12))
    match = grid_match(4, 3, seed=1)
    known = Analysis(trace, identification=Identification(12, (match,)))
    session.update(analysis=known)
    assert match.vertex[view.bands.rows].tolist() == list(range(12))
    qtbot.waitUntil(lambda: view.settled, timeout=20_000)


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_reports_paint_the_same_picture(
    session: Session, scale: float, qapp: QApplication
) -> None:
    del qapp
    image = QImage(round(600 * scale), round(240 * scale), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    painter = QPainter(image)
    session.update(time=0)
    picture = timeline_picture(session.state, 600, 240, scale)
    paint_timeline(painter, picture)
    painter.end()
    shown = pixels_of(image)
    frame, trace = picture.frame, session.state.analysis.trace
    codes = raster(trace.timeline, picture.bands.rows, *frame.window, frame.columns)
    left, top = (round(x * scale) for x in (frame.rows.left(), frame.rows.top()))
    for index, row in enumerate(codes):
        line = shown[top + int(picture.bands.top[index])]
        expected = [
            int(packed_colour(THEMES["light"].state_colour(code))) for code in row
        ]
        # the cursor covers the first columns
        assert line[left + 10 : left + frame.columns].tolist() == expected[10:]


def test_a_timeline_that_nobody_sees_asks_for_nothing(
    view: TimelineView, qtbot: QtBot
) -> None:
    hidden = TimelineView(view.session)
    qtbot.addWidget(hidden)
    view.session.update(time=view.session.state.time + 1)
    assert hidden._rows_asked is None
    hidden.show()
    assert hidden._rows_asked is not None
