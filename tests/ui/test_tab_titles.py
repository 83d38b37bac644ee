"""Titles of tabs: read, or recognised by an icon; reached by one click."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTabBar
from pytestqt.qtbot import QtBot
from test_panel_sizes import opened, workspace_of

from topoview.ui.panels.table import PANELS
from topoview.ui.settings import MemoryStore, Settings
from topoview.ui.shell.tab_titles import ICON_SIDE, ICON_WIDTH, TAB_PADDING, titled_tabs
from topoview.ui.widgets.icons import ICONS

BESIDE = [n for n, row in PANELS.items() if n == "logical" or row.behind == "logical"]


def taken(widths: list[int], titled: int, front: int) -> int:
    """Pixels of all tabs, the first ones and the one in front with titles."""
    return sum(
        (width if at < titled or at == front else min(ICON_WIDTH, width)) + TAB_PADDING
        for at, width in enumerate(widths)
    )


@given(st.lists(st.integers(ICON_WIDTH, 120), min_size=1), st.integers(0, 900))
def test_as_many_tabs_have_titles_as_fit(widths: list[int], room: int) -> None:
    """Whichever is in front; one more would not."""
    titled = titled_tabs(widths, room)
    fronts = range(len(widths))
    if titled:
        assert max(taken(widths, titled, front) for front in fronts) <= room
    if titled < len(widths):
        assert max(taken(widths, titled + 1, front) for front in fronts) > room


def test_every_panel_has_an_icon() -> None:
    assert set(BESIDE) <= set(ICONS)


@pytest.mark.usefixtures("window")
def test_each_of_many_panels_is_reached_by_one_click(qtbot: QtBot) -> None:
    window = opened(qtbot, Settings(MemoryStore()), (1280, 800))
    found = workspace_of(window)

    def bar() -> QTabBar:
        bars = [bar for bar in found.findChildren(QTabBar) if bar.isVisible()]
        return max(bars, key=QTabBar.count)

    def settled() -> bool:
        """Tell whether all tabs are there, and nothing that they say is cut."""
        shown = bar()
        texts = [shown.tabText(at) for at in range(shown.count())]
        return len(texts) == len(BESIDE) and all(
            bool(text) == (shown.tabButton(at, ICON_SIDE) is None)
            and (text or at != shown.currentIndex())
            and shown.fontMetrics().horizontalAdvance(text) <= shown.tabRect(at).width()
            for at, text in enumerate(texts)
        )

    assert all(bar().tabText(at) for at in range(bar().count())), "six have room"
    for name in BESIDE:
        found.open_panel(name, shown=True)
    for at, name in enumerate(BESIDE):
        qtbot.waitUntil(settled, timeout=20_000)
        assert bar().rect().contains(bar().tabRect(at))
        assert bar().tabText(at) or bar().tabToolTip(at) == PANELS[name].title
        QTest.mouseClick(
            bar(), Qt.MouseButton.LeftButton, pos=bar().tabRect(at).center()
        )
        assert not found.panel(name).visibleRegion().isEmpty()
    window.close()
