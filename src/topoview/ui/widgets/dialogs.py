"""Message boxes and file choosers: questions to the user, and errors in plain words."""

import logging
import os
import platform
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType

from platformdirs import user_log_path
from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QMainWindow,
    QMessageBox,
    QProgressDialog,
    QPushButton,
    QWidget,
)

from topoview.base.text import tr
from topoview.errors import TopoviewError
from topoview.version import __version__

TRACE_FILTER = tr(
    "OTF2 traces and digests (*.otf2 *.otf2.tar.* *.tar.xz *.tar.gz *.tar.zst *.tgz "
    "*.zip *.topoview);;All files (*)"
)

FAULT_BOX = "complaint"


def ask_for_trace(parent: QWidget, start: str, *, folder: bool) -> str:
    """Let the user choose a trace; empty if she does not."""
    if folder:
        return QFileDialog.getExistingDirectory(parent, tr("Open folder"), start)
    return QFileDialog.getOpenFileName(parent, tr("Open trace"), start, TRACE_FILTER)[0]


def ask_where(
    parent: QWidget, title: str, suggestion: Path, kinds: Mapping[str, str]
) -> str:
    """Let the user choose where a file goes; empty if she does not.

    Parameters
    ----------
    kinds
        What can be written, by its ending. A name with none of these endings gets
        the one that is chosen in the dialog, at first that of the suggestion.
    """
    name = suggestion.name
    endings = sorted(kinds, key=name.endswith, reverse=True)
    filters = {f"{kinds[ending]} (*{ending})": ending for ending in endings}
    path, kind = str(suggestion), ""
    while True:
        path, kind = QFileDialog.getSaveFileName(
            parent, title, path, ";;".join(filters), kind
        )
        if not path or path.lower().endswith(tuple(kinds)):
            return path
        path += filters.get(kind, endings[0])
        if not Path(path).exists():
            return path  # else the dialog asks whether that is to be replaced


def show_fault(
    parent: QWidget | None, title: str, line: str, details: str = ""
) -> None:
    """Show what went wrong; the details can be copied.

    While one such dialog is open no second one opens: a fault in drawing comes
    again with every frame.
    """
    if any(box.isVisible() for box in _message_boxes(FAULT_BOX)):
        return
    box = _message_box(parent, title, line)
    box.setObjectName(FAULT_BOX)
    if details:
        copy = box.addButton(tr("Copy details"), QMessageBox.ButtonRole.ActionRole)
        copy.clicked.disconnect()  # it would close the dialog
        copy.clicked.connect(
            lambda: QGuiApplication.clipboard().setText(
                f"{line}\n{versions()}\n{details}"
            )
        )
    box.open()


def ask_about_existing(
    parent: QWidget, path: str, replace: Callable[[], None], use: Callable[[], None]
) -> None:
    """Ask whether a file that is there is to be made again, or opened as it is."""
    box = _message_box(
        parent,
        tr("Make it again?"),
        tr("{path} is there already, and would be replaced.", path=path),
    )
    roles = QMessageBox.ButtonRole
    box.addButton("Replace", roles.DestructiveRole).clicked.connect(lambda: replace())
    opened = box.addButton(tr("Open it as it is"), roles.AcceptRole)
    opened.clicked.connect(lambda: use())
    box.setDefaultButton(opened)
    box.open()


def about(parent: QWidget) -> None:
    """Show what this program is."""
    _message_box(
        parent,
        tr("topoview {version}", version=__version__),
        tr(
            "Identifies the communication topology of MPI programs in their OTF2 "
            "traces, shows their ranks over time, and writes them down as one logical "
            "trace."
        ),
    ).open()


def progress_dialog(
    parent: QWidget, title: str, doing: str, cancel: Callable[[], object]
) -> QProgressDialog:
    """Create a box of progress, in per cent; Enter does not cancel it, Esc does."""
    dialog = QProgressDialog(doing, tr("Cancel"), 0, 100, parent)
    dialog.setWindowTitle(title)
    dialog.setWindowModality(Qt.WindowModality.NonModal)
    dialog.setMinimumDuration(0)
    dialog.setMinimumWidth(340)
    dialog.setAutoReset(False)
    dialog.setAutoClose(False)
    dialog.canceled.connect(cancel)
    for button in dialog.findChildren(QPushButton):
        button.setAutoDefault(False)
        button.setDefault(False)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    dialog.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    dialog.setFocus()
    return dialog


def log_path() -> Path:
    """Path of the log file."""
    return user_log_path("topoview") / "topoview.log"


def versions() -> str:
    """Name what runs, for the log and for whoever gets a fault to read."""
    return tr(
        "topoview {version}, Python {python_version}, Qt {qversion}, {uname}",
        version=__version__,
        python_version=platform.python_version(),
        qversion=qVersion(),
        uname=" ".join(os.uname()[0:3:2]),
    )


def _message_box(parent: QWidget | None, title: str, text: str) -> QMessageBox:
    box = QMessageBox(parent or QApplication.activeWindow() or _any_window())
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)  # paths may look like HTML
    box.setText(title)
    box.setInformativeText(text)
    box.addButton(QMessageBox.StandardButton.Close)
    return box


def _any_window() -> QWidget | None:
    """Find a window that owns a dialog; what nobody owns Python deletes at once."""
    windows = (w for w in QApplication.topLevelWidgets() if isinstance(w, QMainWindow))
    return next(windows, None)


def _message_boxes(name: str) -> list[QMessageBox]:
    tops = QApplication.topLevelWidgets()
    return [w for w in tops if isinstance(w, QMessageBox) and w.objectName() == name]


def catch_faults() -> None:
    """Show faults of the program in a dialog; they go to stderr as well."""
    sys.excepthook = _show_exception


def _show_exception(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        QGuiApplication.quit()
        return
    details = "".join(traceback.format_exception(kind, error, trace))
    print(details, file=sys.stderr)  # noqa: T201 - for who starts it in a terminal
    logging.getLogger("topoview").error("%s", details)
    if isinstance(error, TopoviewError):
        show_fault(None, tr("That did not work"), str(error))
        return
    show_fault(
        None,
        tr("Something went wrong in topoview"),
        tr(
            "{kind}: {error}. What you see may be incomplete; your trace is "
            "untouched. Please report the details.",
            kind=kind.__name__,
            error=error,
        ),
        details,
    )
