"""The card that tells how completely a trace was read."""

from collections.abc import Callable
from pathlib import Path

import pytest
import traces
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from topoview.model import Trace
from topoview.session import State
from topoview.ui.panels.timeline.content import timeline_picture
from topoview.ui.panels.timeline.labels import _incomplete_ranks, row_labels
from topoview.ui.shell.window import MainWindow

Load = Callable[[Path], MainWindow]

pytestmark = pytest.mark.usefixtures("one_store")


def test_what_was_repaired_is_told(
    load: Load, real_path: Callable[[str], Path], qtbot: QtBot
) -> None:
    window = load(real_path("ez-cg-8"))
    badge = window.statusBar().health  # type: ignore[attr-defined]
    assert badge.isVisible()
    assert badge.text() == "Clocks corrected"
    qtbot.mouseClick(badge, Qt.MouseButton.LeftButton)
    assert window.health.isVisible()
    words = [word for row in window.health.page.tables[0].rows for word in row]
    assert words[:3] == ["Files", "exact", "All files are whole."]
    assert words[words.index("Clocks") + 1] == "repaired"
    assert "4416 messages were received before they were sent, now 0" in words[-1]
    window.show_notes()
    assert not window.health.isVisible()
    window.actions_shown.qt["health"].trigger()
    assert window.health.isVisible()
    assert window.health.geometry().bottom() < window.statusBar().geometry().top()
    qtbot.keyClick(window.health, Qt.Key.Key_Escape)
    assert not window.health.isVisible()


def test_nothing_is_said_of_what_is_whole(
    load: Load, archive: Callable[[Trace], Path]
) -> None:
    window = load(archive(traces.simulated("torus", (4, 3))))
    assert not window.statusBar().health.isVisible()  # type: ignore[attr-defined]
    window.actions_shown.qt["health"].trigger()
    assert window.health.title.text() == "Trace quality: exact"
    assert any("exact" in row for row in window.health.page.tables[0].rows)
    window.actions_shown.qt["close"].trigger()
    assert not window.health.isVisible()
    assert not window.actions_shown.qt["health"].isEnabled()


def test_a_message_stands_alone_on_the_left(
    load: Load, real_path: Callable[[str], Path]
) -> None:
    """Whatever changes meanwhile: buttons would be drawn over it."""
    window = load(real_path("ez-cg-8"))
    badge = window.statusBar().health  # type: ignore[attr-defined]
    window.say("7 of 1 000 on rank 5")
    window.session.update(time=window.session.state.time + 1)
    assert not badge.isVisible()
    window.statusBar().clearMessage()
    assert badge.isVisible()


def labels_of(state: State) -> list[str]:
    """List the labels beside the timeline's rows."""
    picture = timeline_picture(state, 900, 400, 1)
    incomplete = _incomplete_ranks(picture.trace)
    labels = row_labels(
        picture.order,
        picture.bands,
        picture.frame,
        picture.selected,
        picture.names,
        incomplete,
    )
    return [label.text for label in labels]


def test_what_is_incomplete_is_seen_in_bar_and_rows(
    load: Load, archive: Callable[[Trace], Path]
) -> None:
    """A file of a rank is cut: numbers may be wrong, and its row says whose."""
    path = archive(traces.simulated("torus", (4, 3)))
    folder = path.parent if path.is_file() else path
    events = sorted(folder.rglob("5.evt"))[0]
    events.write_bytes(events.read_bytes()[: events.stat().st_size // 2])
    window = load(path)
    badge = window.statusBar().health  # type: ignore[attr-defined]
    assert badge.text() == "Incomplete"
    assert badge.font().bold() or badge.font().weight() >= 600
    assert not badge.icon().isNull()
    assert "5.evt" in badge.toolTip()
    texts = labels_of(window.session.state)
    assert "5 incomplete" in texts
    assert sum("incomplete" in text for text in texts) == 1
    window.session.select(ranks=(5,))
    assert "rank 5 incomplete" in labels_of(window.session.state)
