"""The list of colourings: in groups, found by typing, the same order everywhere."""

from itertools import groupby

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from topoview.ui.actions.appearance import colouring_group, colouring_texts
from topoview.ui.shell.window import MainWindow
from topoview.ui.widgets.search_box import SearchBox


def test_colourings_stand_in_groups(loaded: MainWindow) -> None:
    names = list(colouring_texts(loaded.session.state))
    groups = [group for group, _ in groupby(names, colouring_group)]
    assert groups == ["Now", "Window", "Run", "Groups"]
    assert names[0] == "state"


def test_a_colouring_is_found_by_typing(loaded: MainWindow, qtbot: QtBot) -> None:
    box = loaded.tool_bar.colourings
    assert isinstance(box, SearchBox)
    before = loaded.session.state
    box.showPopup()
    results = box.results
    qtbot.waitUntil(results.isVisible)
    assert {"Now", "Window", "Run", "Groups"} <= set(results.texts())
    qtbot.keyClicks(results.field, "win wait")
    assert results.texts()[0] == "Window"
    assert all("ait" in text for text in results.texts()[1:])
    QTest.keyClick(results.field, Qt.Key.Key_Down)
    wanted = results.list.currentItem().text()
    assert wanted == results.texts()[2]
    QTest.keyClick(results.field, Qt.Key.Key_Return)
    assert results.isHidden()
    texts = colouring_texts(loaded.session.state)
    assert texts[loaded.session.state.scene.colouring] == wanted
    assert loaded.session.state.time == before.time


def test_home_and_end_move_in_the_list(loaded: MainWindow, qtbot: QtBot) -> None:
    box, before = loaded.tool_bar.colourings, loaded.session.state.time
    box.showPopup()
    qtbot.waitUntil(box.results.isVisible)
    QTest.keyClick(box.results.field, Qt.Key.Key_End)
    assert box.results.list.currentRow() == box.results.list.count() - 1
    QTest.keyClick(box.results.field, Qt.Key.Key_Home)
    assert box.results.list.currentItem().text() == "State"
    QTest.keyClick(box.results.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(box.results.isHidden)
    assert loaded.session.state.time == before


def test_what_matches_nothing_is_told(loaded: MainWindow, qtbot: QtBot) -> None:
    box, before = loaded.tool_bar.colourings, loaded.session.state
    box.showPopup()
    qtbot.waitUntil(box.results.isVisible)
    qtbot.keyClicks(box.results.field, "zzz")
    assert box.results.texts() == ["nothing matches"]
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown):
        QTest.keyClick(box.results.field, key)
    assert box.results.list.currentItem() is None
    QTest.keyClick(box.results.field, Qt.Key.Key_Return)
    assert box.results.isHidden()
    assert loaded.session.state == before
