"""Playback range, what playing leaves out, and the mark, on the timeline."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter

from topoview.scene.palette import THEMES
from topoview.session import Session
from topoview.ui.panels.timeline.content import TimelineContent
from topoview.ui.panels.timeline.frame import TimelineFrame
from topoview.ui.panels.timeline.marks import played_words, span_words
from topoview.ui.panels.timeline.paint import paint_timeline
from topoview.ui.panels.timeline.picture import TimelinePicture
from topoview.ui.panels.timeline.view import TimelineView

QUIET = np.array([[400, 500], [900, 1000]])


def shown(session: Session) -> tuple[TimelinePicture, np.ndarray]:
    content = TimelineContent()
    frame = content.frame(session.state, 900, 300, 1.0)
    nothing = (None, (0, 1))
    picture = content.picture(session.state, frame, nothing, None, QUIET)
    image = QImage(900, 300, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    paint_timeline(painter, picture)
    painter.end()
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(300, 900)
    return picture, pixels & 0xFFFFFF


def colour(session: Session, name: str) -> int:
    theme = THEMES[session.state.theme]
    return QColor(getattr(theme, name)).rgb() & 0xFFFFFF


@pytest.mark.usefixtures("qtbot")
def test_what_is_played_has_a_bar_and_is_said(session: Session) -> None:
    session.update(window=(0, 2000), bounds=(500, 1500), repeat=True, time_zero=500)
    picture, pixels = shown(session)
    frame, ink = picture.frame, colour(session, "ink")
    assert pixels[1, round(frame.x(1000))] == ink
    assert pixels[1, round(frame.x(490)) - 2] != ink
    assert pixels[1, round(frame.x(1510)) + 2] != ink
    assert played_words(picture)[0].startswith("plays +0")
    assert played_words(picture)[0].endswith(", repeating")
    session.update(bounds=None)
    assert played_words(shown(session)[0]) == []


@pytest.mark.usefixtures("qtbot")
def test_what_is_left_out_is_hatched(session: Session) -> None:
    session.update(window=(0, 2000), skip=True)
    picture, pixels = shown(session)
    frame = picture.frame
    rows = slice(round(frame.rows.top()) + 2, round(frame.rows.bottom()) - 2)
    back = colour(session, "panel")

    def touched(ticks: int) -> bool:
        x = round(frame.x(ticks))
        return bool((pixels[rows, x - 3 : x + 3] != back).any())

    assert touched(450)
    assert not touched(700)
    assert played_words(picture) == ["skips 2 idle periods, 200 µs in all"]
    session.update(bounds=(600, 2000))
    assert not touched_in(session, 450)
    session.update(speed_unit="calls", speed=10.0)
    assert shown(session)[0].quiet is None


def touched_in(session: Session, ticks: int) -> bool:
    picture, pixels = shown(session)
    x = round(picture.frame.x(ticks))
    column = pixels[round(picture.frame.rows.top()) + 2 :, x - 3 : x + 3]
    column = column[: round(picture.frame.rows.height()) - 4]
    return bool((column != colour(session, "panel")).any())


@pytest.mark.usefixtures("qtbot")
def test_the_mark_is_named_and_told(session: Session) -> None:
    session.update(window=(0, 2000), time_zero=800, time=1600)
    picture, pixels = shown(session)
    frame, ink = picture.frame, colour(session, "ink")
    x = round(frame.x(800))
    column = pixels[round(frame.rows.top()) : round(frame.rows.bottom()), x - 1 : x + 2]
    assert 0.3 < (column == ink).any(axis=1).mean() < 1
    labels = [label for _, label in frame.axis(picture.clock).ticks]
    assert "0.0 ms" in labels
    assert any(label.startswith("+") for label in labels)
    words = span_words(session.state, frame, None, QPointF(x + 2, 15))
    assert words.startswith("<nobr><b>mark</b>, 0.800 ms")
    assert not span_words(session.state, frame, None, QPointF(x + 60, 15))


@pytest.mark.usefixtures("qtbot")
def test_bars_and_rests_are_told(session: Session) -> None:
    session.update(window=(0, 2000), bounds=(100, 600), skip=True)
    frame = TimelineFrame(900, 300, 1.0, (0, 2000), (0, 2020))
    over = QPointF(frame.x(450), 2)
    assert "<b>playback range</b>" in span_words(session.state, frame, QUIET, over)
    over = QPointF(frame.x(450), 15)
    assert "skipped in playback" in span_words(session.state, frame, QUIET, over)
    below = QPointF(frame.x(450), frame.rows.top() + 20)
    assert not span_words(session.state, frame, QUIET, below)


def test_rests_are_found_for_the_view(view: TimelineView, qtbot: object) -> None:
    view.session.update(skip=True, speed=1e-5)
    qtbot.waitUntil(lambda: view.settled, timeout=60_000)  # type: ignore[attr-defined]
    known = view.session.state.analysis
    assert known is not None
    assert view.quiet is not None
    time = np.unique(known.trace.timeline.time)
    for begin, _ in view.quiet.tolist():
        at = int(np.searchsorted(time, begin))
        assert time[at] == begin
        assert time[at + 1] - begin >= 0.5 * 1e-5 * known.trace.clock.resolution
    view.session.update(skip=False)
    assert view.quiet is None


@pytest.mark.usefixtures("qtbot")
@pytest.mark.parametrize(("time", "side"), [(100, "left"), (1900, "right")])
def test_a_cursor_outside_of_what_is_shown_is_told_at_the_edge(
    session: Session, time: int, side: str
) -> None:
    session.update(window=(500, 1500), time=1000)
    frame = shown(session)[0].frame
    ink = colour(session, "ink")

    def edge(pixels: np.ndarray) -> bool:
        rows = frame.rows
        left = rows.left() if side == "left" else rows.right() - 9
        part = pixels[8:22, round(left) : round(left) + 9]
        return bool((part == ink).any())

    assert not edge(shown(session)[1])
    session.update(time=time)
    assert edge(shown(session)[1])
