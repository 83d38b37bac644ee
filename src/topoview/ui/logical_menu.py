"""What can be copied from the logical trace."""

from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QTreeView

from topoview.ui.logical_model import Index, LogicalModel


def copy_row(model: LogicalModel, index: Index, *, below: bool) -> None:
    """Put a row on the clipboard, with those below it if wanted."""
    if index.isValid():
        QGuiApplication.clipboard().setText(model.text(index, below=below))


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
    QGuiApplication.clipboard().setText(model.whole())
