"""Opens the window in German, and tells what it says; run by `test_languages`.

It is a program of its own, since the language is set before the window is loaded.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import topoview.__main__
import topoview.cli.drawing  # noqa: F401 - what a command has loaded by then
from topoview.ui.language import speak_language

speak_language("de")

import traces  # noqa: E402
from PySide6.QtCore import Qt  # noqa: E402
from PySide6.QtGui import QAction, QFontMetricsF  # noqa: E402
from PySide6.QtWidgets import (  # noqa: E402
    QAbstractButton,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QTableView,
    QToolButton,
    QTreeView,
    QWidget,
)

from topoview import worker  # noqa: E402
from topoview.pipeline import analyse  # noqa: E402
from topoview.ui.actions import general  # noqa: E402
from topoview.ui.actions.table import MENUS  # noqa: E402
from topoview.ui.panels.table import PANELS  # noqa: E402
from topoview.ui.shell.screenshots import complete_window, settle  # noqa: E402
from topoview.ui.shell.window import MainWindow  # noqa: E402
from topoview.ui.widgets.controls import ElidedLabel  # noqa: E402


def said_by(widget: QWidget) -> Iterator[tuple[str, str]]:
    """List what a widget says, each with the kind of text that it is."""
    yield "title", widget.windowTitle()
    yield "tip", widget.toolTip()
    yield "name", widget.accessibleName()
    if isinstance(widget, QLabel | QAbstractButton):
        yield "text", widget.text()
    if isinstance(widget, QLineEdit):
        yield "hint", widget.placeholderText()
    if isinstance(widget, QComboBox):
        yield from (("item", widget.itemText(i)) for i in range(widget.count()))
    if isinstance(widget, QTableView | QTreeView) and widget.model() is not None:
        roles = Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole
        for column in range(widget.model().columnCount()):
            for role in roles:
                told = widget.model().headerData(
                    column, Qt.Orientation.Horizontal, role
                )
                yield "heading", told if isinstance(told, str) else ""


def said_by_menu(menu: QMenu) -> Iterator[tuple[str, str]]:
    """List the entries of a menu, and of those within it."""
    yield "menu", menu.title()
    for entry in menu.actions():
        yield "action", entry.text()
        yield "tip", entry.toolTip()
        if isinstance(inner := entry.menu(), QMenu):
            yield from said_by_menu(inner)


def is_cut(widget: QWidget) -> bool:
    """Tell whether a label or a button has too little room for its text."""
    if not isinstance(widget, QLabel | QAbstractButton) or isinstance(
        widget, ElidedLabel
    ):
        return False
    if widget.visibleRegion().isEmpty():
        return False
    style = Qt.ToolButtonStyle.ToolButtonIconOnly
    if (
        isinstance(widget, QToolButton)
        and widget.icon()
        and (widget.toolButtonStyle() == style)
    ):
        return False
    text = widget.text()
    if "<" in text or (isinstance(widget, QLabel) and widget.wordWrap()):
        return False
    lines = text.replace("&", "").split("\n")
    metrics = QFontMetricsF(widget.font())
    return max(map(metrics.horizontalAdvance, lines)) > widget.width() + 1


def texts_of(window: QWidget) -> tuple[set[tuple[str, str]], set[str]]:
    """List what a window and all within it say, and what of it is cut."""
    widgets = [window, *window.findChildren(QWidget)]
    said = {one for widget in widgets for one in said_by(widget)}
    said |= {("action", entry.text()) for entry in window.findChildren(QAction)}
    said |= {("tip", entry.toolTip()) for entry in window.findChildren(QAction)}
    return said, {widget.text() for widget in widgets if is_cut(widget)}


def main(pictures: Path) -> None:
    """Walk through the window, its menus, panels and dialogs."""
    steps = tuple(analyse(traces.simulated("torus", (4, 3), numbering=1)))
    worker.analyse_in_process = lambda *_: iter(steps)
    said: set[tuple[str, str]] = set()
    cut: set[str] = set()

    def look(window: QWidget, name: str) -> None:
        told, narrow = texts_of(window)
        said.update(told)
        cut.update(narrow)
        window.grab().save(str(pictures / f"{name}.png"))

    with complete_window(Path(f"{steps[-1].trace.name}.otf2"), theme="light") as shown:
        assert isinstance(shown, MainWindow)
        settle(shown)
        look(shown, "window")
        for menu in shown.menus.values():
            said.update(said_by_menu(menu))
        for name in PANELS:
            shown.context.panels().open_panel(name, shown=True)
            shown.context.panels().focus(name)
            settle(shown)
            look(shown, name)
        for name in ("show_preferences", "save_picture", "save_film"):
            getattr(general, name)(shown.context)
            for dialog in shown.findChildren(QDialog):
                look(dialog, name)
                dialog.reject()
    told = {"said": sorted(said), "cut": sorted(cut), "menus": len(MENUS)}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
