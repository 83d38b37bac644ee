"""The documentation in the window: pages open offline, F1 knows the panel."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QTextDocument
from pytestqt.qtbot import QtBot

from topoview.base.resources import documentation
from topoview.ui.actions.table import ACTIONS
from topoview.ui.shell.window import MainWindow
from topoview.ui.widgets.manual import Manual, contents

HELP = next(action for action in ACTIONS if action.name == "panel-page")

PAGES = [path for _, _, path in contents() if path]


def manual_of(window: MainWindow) -> Manual:
    found = window.findChild(Manual)
    assert isinstance(found, Manual)
    return found


def test_help_opens_the_first_page_without_a_trace(
    window: MainWindow, qtbot: QtBot
) -> None:
    qtbot.keyClick(window, Qt.Key.Key_F1)
    manual = manual_of(window)
    assert manual.isVisible()
    assert manual.page == "index.md"
    qtbot.waitUntil(lambda: manual.pages.currentItem() is not None)
    assert manual.pages.currentItem().text(0) == "Start in five minutes"
    qtbot.keyClick(manual, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not manual.isVisible())


def test_f1_opens_the_page_of_the_panel_in_use(loaded: MainWindow) -> None:
    assert loaded.workspace is not None
    pages = {"matrix": "matrix", "timeline": "timeline", "events": "calls"}
    for name, page in pages.items():
        loaded.workspace.used = name
        loaded.actions_shown.run(HELP)
        assert manual_of(loaded).page == f"panels/{page}.md"
    assert manual_of(loaded).view.source().fragment() == "events"
    assert len(loaded.findChildren(Manual)) == 1


@pytest.fixture
def manual(window: MainWindow) -> Manual:
    made = Manual(window.session, window)
    made.open_page("index.md")
    return made


def test_links_pictures_and_headings(manual: Manual, qtbot: QtBot) -> None:
    view = manual.view
    view.setSource(view.source().resolved(QUrl("panels/matrix.md#scope")))
    assert manual.page == "panels/matrix.md"
    top = view.verticalScrollBar()
    assert top.value() > 0
    document = view.document()
    block = document.begin()
    names = []
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            look = pieces.fragment().charFormat()
            if look.isImageFormat():
                names.append(look.toImageFormat().name())
            pieces += 1
        block = block.next()
    assert names
    kind = QTextDocument.ResourceType.ImageResource.value
    for name in names:
        picture = view.loadResource(kind, QUrl(name))
        assert not picture.isNull()  # type: ignore[attr-defined]
        assert picture.width() > 100  # type: ignore[attr-defined]
    assert view.horizontalScrollBar().maximum() == 0
    view.backward()
    assert manual.page == "index.md"
    manual.resize(700, 500)
    qtbot.waitUntil(lambda: view.horizontalScrollBar().maximum() == 0)


def test_what_is_no_page_is_opened_elsewhere(
    manual: Manual, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    manual.open_page("reference/python.md")
    manual.view.setSource(manual.view.source().resolved(QUrl("tables.schema.json")))
    assert manual.page == "reference/python.md"
    assert Path(opened[0].toLocalFile()) == documentation(
        "reference/tables.schema.json"
    )


def test_search_leaves_pages_that_have_all_words(manual: Manual) -> None:
    manual.search.setText("rankfile tiling")
    shown = {page for page, item in manual._items.items() if not item.isHidden()}
    texts = {page: documentation(page).read_text().lower() for page in PAGES}
    assert shown == {p for p, t in texts.items() if "rankfile" in t and "tiling" in t}
    assert "tutorials/bad-mapping.md" in shown
    item = manual._items["tutorials/bad-mapping.md"]
    manual.pages.itemClicked.emit(item, 0)
    assert manual.page == "tutorials/bad-mapping.md"
    assert manual.view.textCursor().selectedText() == "rankfile"
    assert manual.view.verticalScrollBar().value() > 0
    manual.search.clear()
    assert not any(item.isHidden() for item in manual._items.values())


def test_pages_lie_beside_the_program_once_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from topoview.base import resources

    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(resources, "resource", lambda *parts: tmp_path.joinpath(*parts))
    assert resources.documentation("a.md") == tmp_path / "docs" / "a.md"


def test_the_manual_fits_on_the_screen(manual: Manual) -> None:
    room = manual.screen().availableSize()
    assert manual.width() <= room.width()
    assert manual.height() <= room.height()
