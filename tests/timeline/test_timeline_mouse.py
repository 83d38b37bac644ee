"""What the mouse does on the timeline."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from topoview.analysis.message_index import message_index
from topoview.base.text import grouped
from topoview.live.moments.moment import call_at
from topoview.live.timeline.selected_messages import MAX_MESSAGES_DRAWN
from topoview.model import Messages
from topoview.session import Picked, Selection
from topoview.ui.panels.timeline.content import ruler_of
from topoview.ui.panels.timeline.hover import interval_at, interval_words, message_near
from topoview.ui.panels.timeline.labels import group_labels
from topoview.ui.panels.timeline.view import TimelineView

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


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


def drag(
    qtbot: QtBot,
    view: TimelineView,
    one: QPoint,
    other: QPoint,
    keys: Qt.KeyboardModifier = NONE,
) -> None:
    qtbot.mousePress(view, LEFT, keys, pos=one)
    qtbot.mouseMove(view, (one + other) / 2)
    qtbot.mouseMove(view, other)
    qtbot.mouseRelease(view, LEFT, keys, pos=other)


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
    view.session.change("timeline", order=order)
    qtbot.mouseClick(view, LEFT, pos=centre_of(view, rank, 1000))
    state = view.session.state
    assert state.selection.ranks == (rank,)
    pixel_ticks = 2020 / view.frame.rows.width()
    assert state.time == pytest.approx(1000, abs=pixel_ticks), "the cursor goes there"
    trace = state.analysis.trace
    call = call_at(trace, rank, state.time)
    expected = Picked("rank", rank) if call is None else Picked("call", call)
    assert state.picked == expected


def test_a_click_never_sorts_the_rows_anew(qtbot: QtBot, view: TimelineView) -> None:
    session = view.session
    session.select(ranks=(5,))
    session.order_rows("distance")
    order = view.content.order(session.state).ranks.tolist()
    assert order[0] == 5
    for rank in (11, 2):
        qtbot.mouseClick(view, LEFT, pos=centre_of(view, rank, 1000))
        assert session.state.selection.ranks == (rank,)
        assert view.content.order(session.state).ranks.tolist() == order
    session.order_rows("distance")
    assert view.content.order(session.state).ranks[0] == 2


def test_a_drag_selects_ranks_in_any_order(qtbot: QtBot, view: TimelineView) -> None:
    view.session.order_rows("distance")
    order = view.content.order(view.session.state).ranks.tolist()
    drag(qtbot, view, centre_of(view, order[2], 400), centre_of(view, order[4], 1200))
    assert view.session.state.selection.ranks == tuple(sorted(order[2:5]))


def test_control_and_shift_select_more(qtbot: QtBot, view: TimelineView) -> None:
    view.session.change("timeline", order="rank")
    control = Qt.KeyboardModifier.ControlModifier
    shift = Qt.KeyboardModifier.ShiftModifier
    qtbot.mouseClick(view, LEFT, pos=centre_of(view, 4, 1000))
    qtbot.mouseClick(view, LEFT, control, centre_of(view, 9, 1000))
    assert view.session.state.selection.ranks == (4, 9)
    qtbot.mouseClick(view, LEFT, control, centre_of(view, 9, 1000))
    qtbot.mouseClick(view, LEFT, shift, centre_of(view, 6, 1000))
    assert view.session.state.selection.ranks == (4, 5, 6)


def test_drag_selects_time_and_ranks(qtbot: QtBot, view: TimelineView) -> None:
    view.session.change("timeline", order="rank")
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
    view.session.change("timeline", order="distance")
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


def test_the_overview_has_a_zoom_of_its_own(qtbot: QtBot, view: TimelineView) -> None:
    """Ctrl and the wheel over it; the rows stay, and it never shows less than they."""
    view.session.update(window=(500, 1000))
    at = QPointF(view.frame.strip_x(750), view.frame.strip.center().y())
    keys = Qt.KeyboardModifier.ControlModifier
    turn_wheel(view, at, QPoint(0, 360), keys)
    qtbot.waitUntil(lambda: view.session.state.timeline.overview is not None)
    begin, end = view.frame.bounds
    assert end - begin < 2020
    assert view.session.state.window == (500, 1000)
    assert view.frame.strip_ticks(at.x()) == pytest.approx(750, abs=3)
    turn_wheel(view, at, QPoint(0, 12000), keys)
    qtbot.waitUntil(lambda: view.frame.bounds == (500, 1000))
    view.session.update(window=(100, 1500))
    assert view.frame.bounds == (100, 1500)
    turn_wheel(view, at, QPoint(0, -12000), keys)
    qtbot.waitUntil(lambda: view.session.state.timeline.overview is None)
    assert view.frame.bounds == (0, 2020)


def test_a_double_click_on_the_overview_zooms_it_to_the_window(
    qtbot: QtBot, view: TimelineView
) -> None:
    view.session.update(window=(900, 1000))
    at = QPoint(round(view.frame.strip_x(950)), int(view.frame.strip.center().y()))
    qtbot.mouseDClick(view, LEFT, pos=at)
    assert view.frame.bounds == (500, 1400)
    qtbot.mouseDClick(view, LEFT, pos=QPoint(round(view.frame.strip_x(950)), at.y()))
    assert view.frame.bounds == (0, 2020)


def test_intervals_are_told_with_rank_call_and_duration(view: TimelineView) -> None:
    state, frame = view.session.state, view.frame
    at = QPointF(centre_of(view, 7, 300))
    interval = interval_at(state, frame, view.bands, at)
    assert interval is not None
    # rank 7 waits from 288 to 308 microseconds
    assert (interval.rank, interval.begin, interval.end) == (7, 288, 308)
    words = interval_words(state, frame, interval)
    assert "rank 7" in words
    assert "Wait" in words
    assert "20 µs" in words


@pytest.mark.parametrize("order", ["rank", "place", "distance"])
def test_a_straight_drag_selects_time_and_rank(
    qtbot: QtBot, view: TimelineView, order: str
) -> None:
    """Not a pixel up or down: the commonest gesture of all."""
    view.session.change("timeline", order=order)
    one, other = centre_of(view, 5, 300), centre_of(view, 5, 900)
    drag(qtbot, view, one, QPoint(other.x(), one.y()))
    chosen = view.session.state.selection
    assert chosen.window is not None
    pixel = 2020 / view.frame.rows.width()
    assert chosen.window == pytest.approx((300, 900), abs=2 * pixel)
    assert chosen.ranks == (5,)


def test_a_drag_straight_down_selects_ranks_only(
    qtbot: QtBot, view: TimelineView
) -> None:
    view.session.change("timeline", order="rank")
    drag(qtbot, view, centre_of(view, 3, 700), centre_of(view, 6, 700))
    chosen = view.session.state.selection
    assert chosen.window is None
    assert chosen.ranks == (3, 4, 5, 6)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_rubber_band_leaves_the_rows_visible(
    qtbot: QtBot, view: TimelineView, theme: str
) -> None:
    view.session.update(theme=theme)
    view.session.change("timeline", order="rank")
    qtbot.waitUntil(lambda: view.settled, timeout=20_000)
    before = view.grab().toImage()
    one, other = centre_of(view, 2, 400), centre_of(view, 9, 1600)
    qtbot.mousePress(view, LEFT, pos=one)
    qtbot.mouseMove(view, other)
    during = view.grab().toImage()
    qtbot.mouseRelease(view, LEFT, pos=other)
    for ticks in (550, 950, 1470):
        at = centre_of(view, 5, ticks)
        then, now = before.pixelColor(at).getRgb(), during.pixelColor(at).getRgb()
        shift = max(abs(a - b) for a, b in zip(then[:3], now[:3], strict=True))
        assert 0 < shift < 45


def test_with_vampirs_habits_a_drag_zooms(qtbot: QtBot, view: TimelineView) -> None:
    view.session.update(mouse="vampir")
    one, other = centre_of(view, 5, 400), centre_of(view, 7, 1200)
    pixel = 2020 / view.frame.rows.width()
    drag(qtbot, view, one, other)
    assert view.session.state.selection == Selection()
    assert view.session.state.window == pytest.approx((400, 1200), abs=2 * pixel)
    qtbot.mouseClick(view, LEFT, pos=centre_of(view, 3, 800))
    assert view.session.state.selection.ranks == (3,)


def test_with_vampirs_habits_shift_selects_and_the_wheel_pans(
    qtbot: QtBot, view: TimelineView
) -> None:
    view.session.update(mouse="vampir")
    view.session.change("timeline", order="rank")
    view.session.update(window=(500, 1500))
    one, other = centre_of(view, 2, 700), centre_of(view, 4, 900)
    shift = Qt.KeyboardModifier.ShiftModifier
    qtbot.mousePress(view, LEFT, shift, pos=one)
    qtbot.mouseMove(view, other)
    qtbot.mouseRelease(view, LEFT, shift, pos=other)
    assert view.session.state.selection.ranks == (2, 3, 4)
    assert view.session.state.window == (500, 1500)
    at = view.frame.rows.center()
    turn_wheel(view, at, QPoint(0, -120))
    qtbot.waitUntil(lambda: view.session.state.window == (600, 1600))
    turn_wheel(view, at, QPoint(0, 120), Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: view.session.state.window != (600, 1600))
    begin, end = view.session.state.window
    assert end - begin == pytest.approx(800, abs=1)


BOTH = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def test_wheel_with_both_keys_zooms_rows_and_beside_them_scrolls(
    qtbot: QtBot, view: TimelineView
) -> None:
    session, rows = view.session, view.frame.rows
    at = QPointF(rows.center().x(), rows.top() + 0.25 * rows.height())
    turn_wheel(view, at, QPoint(0, 360), BOTH)
    qtbot.waitUntil(lambda: session.state.timeline.view != (0.0, 1.0), timeout=20_000)
    begin, end = session.state.timeline.view
    assert end - begin == pytest.approx(1.25**-3)
    assert begin + 0.25 * (end - begin) == pytest.approx(0.25)
    turn_wheel(view, QPointF(5, rows.center().y()), QPoint(0, -240))
    qtbot.waitUntil(lambda: session.state.timeline.view[0] > begin, timeout=20_000)
    assert session.state.window == (0, 2020)


def test_drag_with_both_keys_zooms_to_a_rectangle(
    qtbot: QtBot, view: TimelineView
) -> None:
    session, rows = view.session, view.frame.rows
    one = (rows.topLeft() + QPointF(100, rows.height() / 4)).toPoint()
    other = (rows.topLeft() + QPointF(300, rows.height() * 3 / 4)).toPoint()
    ends = [view.frame.ticks(p.x()) for p in (one, other)]
    drag(qtbot, view, one, other, BOTH)
    assert session.state.window == pytest.approx(tuple(ends), abs=2)
    assert session.state.timeline.view == pytest.approx((0.25, 0.75), abs=0.02)


def test_drag_with_control_lays_a_ruler(qtbot: QtBot, view: TimelineView) -> None:
    one, other = centre_of(view, 3, 300), centre_of(view, 7, 900)
    drag(qtbot, view, one, other, Qt.KeyboardModifier.ControlModifier)
    ruler = view.session.state.timeline.ruler
    assert ruler is not None
    assert ruler == pytest.approx((300, 3, 900, 7), abs=2)
    assert (ruler[1], ruler[3]) == (3, 7)
    found = ruler_of(view.session.state)
    assert found is not None
    assert "rank 3 to 7" in found.words
    assert view.session.state.selection == Selection()


def test_a_click_at_its_mark_folds_a_group_and_on_it_selects_its_ranks(
    qtbot: QtBot, view: TimelineView
) -> None:
    session, group = view.session, group_labels(view.bands, view.frame)[1]
    qtbot.mouseClick(view, LEFT, pos=QPoint(11, round(group.y)))
    assert session.state.timeline.turned == frozenset({1})
    qtbot.waitUntil(lambda: view.settled, timeout=20_000)
    bands = view.bands
    first = int(bands.bounds[np.flatnonzero(bands.folded)[0]])
    ranks = bands.rank[first : first + 4].tolist()
    qtbot.mouseClick(view, LEFT, pos=centre_of(view, ranks[0], 1000))
    assert session.state.selection.ranks == tuple(sorted(ranks))
    group = group_labels(bands, view.frame)[1]
    qtbot.mouseClick(view, LEFT, pos=QPoint(11, round(group.y)))
    assert session.state.timeline.turned == frozenset()


def test_all_messages_are_drawn_thinned_and_can_be_clicked(
    qtbot: QtBot, view: TimelineView
) -> None:
    session = view.session
    known = session.state.analysis
    assert known is not None
    rng = np.random.default_rng(1)
    count = 3 * MAX_MESSAGES_DRAWN
    ranks = rng.integers(0, 12, count)
    sent = rng.integers(0, 1000, count)
    received = sent + rng.permutation(count) // 3 + 1
    none = np.full(count, -1)
    messages = Messages(
        ranks.astype(np.int32),
        ((ranks + 1) % 12).astype(np.int32),
        *(np.full(count, 8), none.astype(np.int32), none.astype(np.int32)),
        *(none, none, none, none, sent, received),
    )
    trace = replace(known.trace, messages=messages)
    index = message_index(messages)
    session.update(analysis=replace(known, trace=trace, message_index=index))
    session.change("timeline", messages=True)
    qtbot.waitUntil(lambda: view.settled and view.lines is not None, timeout=20_000)
    lines = view.lines
    assert lines is not None
    assert lines.total == count
    assert f"{grouped(1024)} of {grouped(3072)} messages" in lines.words
    long = received - sent
    assert long[lines.message].min() >= np.sort(long)[-MAX_MESSAGES_DRAWN]
    k = int(long[lines.message].argmax())
    first = int(lines.message[k])
    one = centre_of(view, int(messages.sender[first]), int(sent[first]))
    assert message_near(view, QPointF(one)) is not None
    far = QPointF(view.frame.x(2019), view.frame.rows.top() + 1)
    assert message_near(view, far) is None
    qtbot.mouseClick(view, LEFT, pos=one)
    assert session.state.picked.kind == "message"
