"""The timeline in a window: mouse, session, and what the pixels show."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from timelines import Row, grid_match, trace_of

from topoview.analysis import Analysis
from topoview.model import Identification, MPIState
from topoview.scene.palette import THEMES
from topoview.scene.raster import raster
from topoview.scene.timeline_pixels import pixel
from topoview.session import Selection, Session
from topoview.ui.timeline_content import timeline_picture
from topoview.ui.timeline_paint import paint_timeline
from topoview.ui.timeline_tips import interval_at, interval_words
from topoview.ui.timeline_view import TimelineView

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def view(qtbot: QtBot, session: Session) -> TimelineView:
    """Show the session's timeline and wait for its pixels."""
    view = TimelineView(session)
    qtbot.addWidget(view)
    view.resize(890, 262)
    view.show()
    qtbot.waitExposed(view)
    qtbot.waitUntil(lambda: view.settled, timeout=20_000)
    return view


def centre_of(view: TimelineView, rank: int, ticks: float) -> QPoint:
    bands = view.bands
    index = int(np.flatnonzero(bands.rows == rank)[0])
    middle = (bands.top[index] + bands.bottom[index]) / 2
    return QPointF(view.frame.x(ticks), view.frame.y(float(middle))).toPoint()


def turn_wheel(
    view: TimelineView,
    at: QPointF,
    angle: QPoint,
    keys: Qt.KeyboardModifier = NONE,
) -> None:
    event = QWheelEvent(
        at,
        view.mapToGlobal(at),
        QPoint(),
        angle,
        Qt.MouseButton.NoButton,
        keys,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, event)


def drag(qtbot: QtBot, view: TimelineView, one: QPoint, other: QPoint) -> None:
    qtbot.mousePress(view, LEFT, pos=one)
    qtbot.mouseMove(view, (one + other) / 2)
    qtbot.mouseMove(view, other)
    qtbot.mouseRelease(view, LEFT, pos=other)


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


def key_of(theme: str, *states: MPIState) -> set[int]:
    colours = THEMES[theme]
    found = {int(pixel(colours.state_colour(state))) for state in states}
    return found | {int(pixel(colours.panel))}


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
        expected = [int(pixel(colours.state_colour(code))) for code in codes[index]]
        assert shown[line, left : left + frame.columns].tolist() == expected


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_colour_is_blended(qtbot: QtBot, view: TimelineView, theme: str) -> None:
    view.session.view(theme=theme, order="rank")
    view.session.update(window=(0, 2000))
    view.resize(500, 140)
    qtbot.waitUntil(lambda: view.settled, timeout=20_000)
    states = (MPIState.SETUP, MPIState.COMPUTE, MPIState.WAIT, MPIState.OUTSIDE)
    assert colours_in(view) <= key_of(theme, *states)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("notches", [1, -1, 3])
def test_wheel_keeps_the_time_at_the_pointer(
    qtbot: QtBot, view: TimelineView, share: float, notches: int
) -> None:
    view.session.update(window=(500, 1500))
    rows = view.frame.rows
    at = QPointF(rows.left() + share * rows.width(), rows.center().y())
    before = view.frame.ticks(at.x())
    turn_wheel(view, at, QPoint(0, 120 * notches))
    qtbot.waitUntil(lambda: view.session.state.window != (500, 1500))
    begin, end = view.session.state.window
    assert end - begin == pytest.approx(1000 / 1.25**notches, abs=1)
    assert view.frame.ticks(at.x()) == pytest.approx(before, abs=1)


def test_shift_wheel_pans(qtbot: QtBot, view: TimelineView) -> None:
    view.session.update(window=(500, 1500))
    at = view.frame.rows.center()
    turn_wheel(view, at, QPoint(0, -120), Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: view.session.state.window == (600, 1600))
    turn_wheel(view, at, QPoint(240, 0))
    qtbot.waitUntil(lambda: view.session.state.window == (400, 1400))


@pytest.mark.parametrize("rank", [0, 5, 11])
@pytest.mark.parametrize("order", ["rank", "place", "distance"])
def test_click_selects_the_rank(
    qtbot: QtBot, view: TimelineView, rank: int, order: str
) -> None:
    view.session.view(order=order)
    qtbot.mouseClick(view, LEFT, pos=centre_of(view, rank, 1000))
    assert view.session.state.selection.ranks == (rank,)
    assert view.session.state.time == 500


def test_control_and_shift_select_more(qtbot: QtBot, view: TimelineView) -> None:
    view.session.view(order="rank")
    control = Qt.KeyboardModifier.ControlModifier
    shift = Qt.KeyboardModifier.ShiftModifier
    qtbot.mouseClick(view, LEFT, pos=centre_of(view, 4, 1000))
    qtbot.mouseClick(view, LEFT, control, centre_of(view, 9, 1000))
    assert view.session.state.selection.ranks == (4, 9)
    qtbot.mouseClick(view, LEFT, control, centre_of(view, 9, 1000))
    qtbot.mouseClick(view, LEFT, shift, centre_of(view, 6, 1000))
    assert view.session.state.selection.ranks == (4, 5, 6)


def test_drag_selects_time_and_ranks(qtbot: QtBot, view: TimelineView) -> None:
    view.session.view(order="rank")
    drag(qtbot, view, centre_of(view, 3, 400), centre_of(view, 6, 1200))
    selection = view.session.state.selection
    assert selection.ranks == (3, 4, 5, 6)
    begin, end = selection.window
    pixel_ticks = 2020 / view.frame.rows.width()
    assert begin == pytest.approx(400, abs=pixel_ticks)
    assert end == pytest.approx(1200, abs=pixel_ticks)
    assert view.session.state.window == (0, 2020)


def test_double_click_zooms_to_the_selected_time(
    qtbot: QtBot, view: TimelineView
) -> None:
    view.session.update(selection=Selection(ranks=(2,), window=(400, 1200)))
    at = centre_of(view, 5, 900)
    qtbot.mouseClick(view, LEFT, pos=at)
    qtbot.mouseDClick(view, LEFT, pos=at)
    assert view.session.state.window == (400, 1200)
    assert view.session.state.selection.ranks == (2,)


def test_double_click_zooms_to_the_interval(qtbot: QtBot, view: TimelineView) -> None:
    view.session.view(order="distance")
    at = centre_of(view, 4, 1040)
    qtbot.mouseClick(view, LEFT, pos=at)
    qtbot.mouseDClick(view, LEFT, pos=at)
    # rank 4 computes from tick 1005 to 1085
    begin, end = view.session.state.window
    assert begin == 995
    assert end == 1095


def test_axis_scrubs(qtbot: QtBot, view: TimelineView) -> None:
    y = 12
    one = QPoint(round(view.frame.x(800)), y)
    other = QPoint(round(view.frame.x(1300)), y)
    drag(qtbot, view, one, other)
    found = view.session.state.time
    assert found == pytest.approx(1300, abs=2020 / view.frame.rows.width())
    drag(qtbot, view, other, QPoint(5000, y))
    assert view.session.state.time == 2020


def test_cursor_can_be_dragged(qtbot: QtBot, view: TimelineView) -> None:
    drag(qtbot, view, centre_of(view, 3, 500), centre_of(view, 3, 700))
    found = view.session.state.time
    assert found == pytest.approx(700, abs=2020 / view.frame.rows.width())
    assert view.session.state.selection == Selection()


def test_cursor_shows_the_sessions_time(view: TimelineView) -> None:
    ink = int(pixel(THEMES["light"].ink))
    for time in (100, 1234):
        view.session.update(time=time)
        shown = pixels_of(view.grab().toImage())
        line = shown[int(view.frame.rows.top()) + 2]
        assert round(view.frame.x(time)) in np.flatnonzero(line == ink)


def test_frame_on_the_strip_moves_and_stretches(
    qtbot: QtBot, view: TimelineView
) -> None:
    view.session.update(window=(500, 1000))
    y = int(view.frame.strip.center().y())
    at = [QPoint(round(view.frame.strip_x(t)), y) for t in (750, 1250, 1500, 1800)]
    drag(qtbot, view, at[0], at[1])
    begin, end = view.session.state.window
    assert end - begin == 500
    assert begin == pytest.approx(1000, abs=3)
    drag(qtbot, view, at[2], at[3])
    begin, end = view.session.state.window
    assert begin == pytest.approx(1000, abs=3)
    assert end == pytest.approx(1800, abs=3)
    drag(qtbot, view, at[0] - QPoint(60, 0), at[0])
    assert view.session.state.window[1] == pytest.approx(750, abs=3)


def test_selected_statement_stands_out_in_colours_of_the_key(
    qtbot: QtBot, view: TimelineView
) -> None:
    analysis = view.session.state.analysis
    calls = analysis.trace.calls
    of_call = np.where(calls.region == MPIState.WAIT, 1, 0).astype(np.int32)
    logical = SimpleNamespace(statement_of_call=of_call)
    view.session.update(analysis=replace(analysis, logical=logical))
    view.session.select(statement=0)
    view.session.update(window=(300, 700))
    qtbot.waitUntil(lambda: view.settled, timeout=20_000)
    # set-up is over: every row is a thin stripe, so most lines are background
    shown = pixels_of(view.grab(view.frame.rows.toRect()).toImage())
    panel = int(pixel(THEMES["light"].panel))
    assert np.mean(shown == panel) > 0.7
    view.session.select(statement=1)
    qtbot.waitUntil(lambda: view.settled, timeout=20_000)
    states = (MPIState.COMPUTE, MPIState.WAIT)
    assert colours_in(view) <= key_of("light", *states)
    shown = pixels_of(view.grab(view.frame.rows.toRect()).toImage())
    wait = int(pixel(THEMES["light"].state_colour(MPIState.WAIT)))
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


def test_intervals_are_told_with_rank_call_and_duration(view: TimelineView) -> None:
    state, frame = view.session.state, view.frame
    at = QPointF(centre_of(view, 7, 300))
    interval = interval_at(state, frame, view.bands, at)
    assert interval is not None
    # rank 7 waits from 288 to 308 microseconds
    assert (interval.rank, interval.begin, interval.end) == (7, 288, 308)
    words = interval_words(state, frame, interval)
    assert "rank 7" in words
    assert "MPI_Wait" in words
    assert "20.0 µs" in words


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
        expected = [int(pixel(THEMES["light"].state_colour(code))) for code in row]
        # the cursor covers the first columns
        assert line[left + 10 : left + frame.columns].tolist() == expected[10:]
