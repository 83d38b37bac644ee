"""What can be copied from the logical trace."""

from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QTreeView

from topoview.logical import listing
from topoview.ui.logical.model import Index, LogicalModel


def copy_row(model: LogicalModel, index: Index, *, below: bool) -> None:
    """Put a row on the clipboard, with those below it if wanted."""
    if index.isValid():
        QGuiApplication.clipboard().setText(row_text(model, index, below=below))


def row_text(model: LogicalModel, index: Index, *, below: bool) -> str:
    """Write a row as text, with those below it."""
    own = model.lines_below(index)
    if not below and model.node(index).kind != "group":
        own = own[:1]
    least = min((line.depth for line in own), default=0)
    return "\n".join("    " * (line.depth - least) + line.text for line in own)


def show_menu(view: QTreeView, model: LogicalModel, at: QPoint) -> None:
    """Offer what can be done with the row at a place."""
    index = view.indexAt(at)
    menu = QMenu(view)
    if index.isValid():
        line = menu.addAction("Copy line")
        line.triggered.connect(lambda: copy_row(model, index, below=False))
        if model.hasChildren(index.siblingAtColumn(0)):
            rows = menu.addAction("Copy with the lines below it")
            rows.triggered.connect(lambda: copy_row(model, index, below=True))
            menu.addSeparator()
            fold = menu.addAction("Unfold all below it")
            first = index.siblingAtColumn(0)
            fold.triggered.connect(lambda: view.expandRecursively(first))
        menu.addSeparator()
    everything = menu.addAction("Copy the whole logical trace")
    everything.triggered.connect(lambda: copy_all(model))
    menu.popup(view.viewport().mapToGlobal(at))


def copy_all(model: LogicalModel) -> None:
    """Put the whole listing on the clipboard."""
    text = listing(model.logical) if model.logical else ""
    QGuiApplication.clipboard().setText(text)
