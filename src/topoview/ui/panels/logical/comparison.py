"""Comparing with another trace: read beside the window, shown side by side."""

from __future__ import annotations

import threading
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableView,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from topoview.base.progress import Cancelled
from topoview.base.text import plural, tr
from topoview.errors import TopoviewError
from topoview.model import Analysis, Call, LogicalTrace, Trace
from topoview.report.logical_comparison import (
    DIFFERING_KINDS,
    SIGN_OF_KIND,
    Change,
    Comparison,
    SkippedLines,
    change_text,
    compare,
    shorten,
    summary_text,
)
from topoview.report.logical_lines import logical_lines
from topoview.report.run_comparison import ComparedRuns
from topoview.session import ComparedRun, Session, State
from topoview.ui.panels.logical.timelines import DRAWN_RESULTS, TimelinesPage
from topoview.ui.panels.logical.times import TimesPage
from topoview.ui.widgets import dialogs
from topoview.ui.widgets.theme import font

if TYPE_CHECKING:
    from topoview.ui.actions.action import Context

ROW_ROLE = 21
DIFF_COLOURS = {
    "light": {
        "indented": "#eef1f4",
        "changed": "#efe6f7",
        "removed": "#fbe3d2",
        "added": "#d8e8f8",
    },
    "dark": {
        "indented": "#232a31",
        "changed": "#3b2d4d",
        "removed": "#4a2b15",
        "added": "#173a56",
    },
}
"""Backgrounds by theme; a sign at each line tells the same."""

NUMBER_A_COLUMN, TEXT_A_COLUMN, SIGN_COLUMN, NUMBER_B_COLUMN, TEXT_B_COLUMN = range(5)
_TINTED_COLUMNS = {
    "same": (TEXT_A_COLUMN, TEXT_B_COLUMN),
    "indented": (TEXT_A_COLUMN, TEXT_B_COLUMN),
    "changed": (TEXT_A_COLUMN, TEXT_B_COLUMN),
    "removed": (TEXT_A_COLUMN,),
    "added": (TEXT_B_COLUMN,),
}
_DIFF_TEXTS = {
    "same": tr("the same in both"),
    "indented": tr("the same in both, but what is around it differs"),
    "changed": tr("in both, with another size, count or condition"),
    "removed": tr("only in the first"),
    "added": tr("only in the second"),
}
Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()


class ComparisonModel(QAbstractTableModel):
    """Lines of two logical traces, those that are aligned in one row.

    Attributes
    ----------
    rows
        What each row shows: a `Change`, or how many equal lines are left out.
    """

    def __init__(
        self,
        comparison: Comparison,
        names: tuple[str, str],
        session: Session,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._comparison = comparison
        self._names = names
        self._session = session
        self._mono = font(12, mono=True)
        self.rows: tuple[Change | SkippedLines, ...] = comparison.changes

    def restrict(self, *, differences: bool) -> None:
        """Show only differences and what is around them, or everything."""
        self.beginResetModel()
        self.rows = (
            shorten(self._comparison.changes)
            if differences
            else self._comparison.changes
        )
        self.endResetModel()

    def differing(self) -> list[int]:
        """Give the first row of each stretch that differs."""
        differs = [
            isinstance(r, Change) and r.kind in DIFFERING_KINDS for r in self.rows
        ]
        return [k for k, it in enumerate(differs) if it and not (k and differs[k - 1])]

    def text(self, rows: list[int]) -> str:
        """Write rows as a diff."""
        said = []
        for row in map(self.rows.__getitem__, rows):
            if isinstance(row, SkippedLines):
                said.append(f"@@ {row} @@")
            else:
                said += change_text(row)
        return "\n".join(said)

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        """Count the rows."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        """Count the columns."""
        return 0 if parent.isValid() else 5

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Give the text and colours of a cell."""
        row, column = self.rows[index.row()], index.column()
        theme = self._session.state.theme
        if role == Qt.ItemDataRole.FontRole:
            return self._mono
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (
            NUMBER_A_COLUMN,
            NUMBER_B_COLUMN,
        ):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if isinstance(row, SkippedLines):
            label = f"… {row}"
            return (
                label
                if role == Qt.ItemDataRole.DisplayRole and column == TEXT_A_COLUMN
                else None
            )
        if (
            role == Qt.ItemDataRole.BackgroundRole
            and column in _TINTED_COLUMNS[row.kind]
        ):
            colour = DIFF_COLOURS[theme].get(row.kind)
            return QColor(colour) if colour else None
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{_cell_text(row, column)}\n{_DIFF_TEXTS[row.kind]}".strip()
        return _cell_text(row, column) if role == Qt.ItemDataRole.DisplayRole else None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Name the traces."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        ranks = [plural(number, "rank") for number in self._comparison.ranks]
        titles = {
            TEXT_A_COLUMN: f"{self._names[0]}, {ranks[0]}",
            TEXT_B_COLUMN: f"{self._names[1]}, {ranks[1]}",
        }
        return titles.get(section, "")


def _cell_text(row: Change, column: int) -> str:
    numbers = {NUMBER_A_COLUMN: row.a, NUMBER_B_COLUMN: row.b}
    if column in numbers:
        number = numbers[column]
        return "" if number is None else str(number + 1)
    return {
        TEXT_A_COLUMN: row.text_a,
        TEXT_B_COLUMN: row.text_b,
        SIGN_COLUMN: SIGN_OF_KIND[row.kind],
    }[column]


class ComparisonDialog(QDialog):
    """Shows times, and logical traces side by side: a click on a line selects it."""

    def __init__(  # noqa: PLR0913
        self,
        session: Session,
        logical: LogicalTrace,
        comparison: Comparison,
        names: tuple[str, str],
        parent: QWidget | None = None,
        runs: ComparedRuns | None = None,
        both: tuple[Analysis, Analysis] | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._logical = logical
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(
            tr("{first} and {second} - topoview", first=names[0], second=names[1])
        )
        self.resize(1080, 680)
        self.model = ComparisonModel(comparison, names, session, self)
        page = QWidget(self)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 10, 0, 0)
        column.setSpacing(8)
        self.told = QLabel(summary_text(comparison), self)
        self.only = QCheckBox(tr("Only differences"), self)
        self.only.toggled.connect(self._restrict)
        self.previous = self._button(tr("Previous difference"), -1)
        self.next = self._button(tr("Next difference"), 1)
        bar = QHBoxLayout()
        bar.setContentsMargins(14, 0, 14, 0)
        bar.setSpacing(8)
        bar.addWidget(self.told, 1)
        for widget in (self.only, self.previous, self.next):
            bar.addWidget(widget)
        column.addLayout(bar)
        self.view = _ComparisonTable(self.model, self)
        column.addWidget(self.view)
        self.tabs = QTabWidget(self)
        self.tabs.setDocumentMode(True)
        if runs is not None:
            self.tabs.addTab(TimesPage(runs, session, self), tr("Times"))
        if both is not None:
            self.tabs.addTab(TimelinesPage(session, both, self), tr("Timelines"))
        self.tabs.addTab(page, tr("Logical traces"))
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 4, 0, 0)
        whole.addWidget(self.tabs)
        chosen = self.view.selectionModel()
        first = self.model.index(0, TEXT_A_COLUMN)  # or focus would select it
        chosen.setCurrentIndex(first, QItemSelectionModel.SelectionFlag.NoUpdate)
        chosen.selectionChanged.connect(lambda: self._choose(self.view.currentIndex()))
        differs = self.model.differing()
        for widget in (self.only, self.previous, self.next):
            widget.setEnabled(bool(differs))
        leave = session.subscribe(self._show, to=("theme",))
        self.finished.connect(lambda _: leave())
        self.view.setFocus()

    def step(self, by: int) -> None:
        """Go to the next or previous stretch that differs, round at the ends."""
        places = self.model.differing()
        if not places:
            return
        here = self.view.currentIndex().row()
        after = [k for k in places if (k > here if by > 0 else k < here)]
        left = after or places
        self.view.go_to(left[0] if by > 0 else left[-1])

    def _restrict(self, differences: bool) -> None:
        self.model.restrict(differences=differences)

    def _show(self, old: State, new: State) -> None:
        del old, new
        self.view.viewport().update()

    def _choose(self, index: QModelIndex) -> None:
        """Select the statement of a line in the window, while its trace is open."""
        analysis = self._session.state.analysis
        if (
            not index.isValid()
            or analysis is None
            or analysis.logical is not self._logical
        ):
            return
        row = self.model.rows[index.row()]
        if isinstance(row, Change) and row.a is not None:
            statement = logical_lines(analysis)[row.a].statement
            if isinstance(statement, Call):
                self._session.select(statement=statement.index)

    def _button(self, text: str, by: int) -> QPushButton:
        button = QPushButton(text, self)
        button.setAutoDefault(False)
        button.clicked.connect(lambda: self.step(by))
        return button


class _ComparisonTable(QTableView):
    """Rows that can be selected and copied as a diff."""

    def __init__(self, model: ComparisonModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows = model
        self.setModel(model)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setAccessibleName(tr("Comparison of logical traces"))
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_ROLE)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setSectionsClickable(False)
        header.setHighlightSections(False)
        for column in (TEXT_A_COLUMN, TEXT_B_COLUMN):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        for column, width in (
            (NUMBER_A_COLUMN, 46),
            (SIGN_COLUMN, 26),
            (NUMBER_B_COLUMN, 46),
        ):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, width)

    def go_to(self, row: int) -> None:
        """Select a row, and show it."""
        index = self._rows.index(row, TEXT_A_COLUMN)
        flag = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(index, flag.ClearAndSelect | flag.Rows)
        self.scrollTo(index, QTableView.ScrollHint.PositionAtCenter)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ctrl+C copies the selected rows as a diff."""
        if event.matches(QKeySequence.StandardKey.Copy):
            rows = sorted({index.row() for index in self.selectedIndexes()})
            QGuiApplication.clipboard().setText(self._rows.text(rows))
            return
        super().keyPressEvent(event)


_POLL_MILLISECONDS = 50
"""Milliseconds between two looks at how far it is."""


def ask_for_comparison(c: Context) -> None:
    """Ask for another trace, and show how its logical trace differs."""
    chosen = dialogs.ask_for_trace(c.window, c.settings.folder, folder=False)
    if chosen:
        c.settings.folder = str(Path(chosen).parent)
        CompareJob(c, chosen).start()


class CompareJob(QObject):
    """Reads another trace and compares, with a dialog that can cancel it.

    Signals
    -------
    finished
        The `ComparisonDialog`, None if there is nothing to show.
    """

    finished = Signal(object)
    _ended = Signal(object, str, str)

    def __init__(self, context: Context, path: str) -> None:
        window = context.window
        super().__init__(window)
        self._session, self._window = context.session, window
        self._path = path
        self._cancelled = threading.Event()
        self._progress = ("", 0.0)
        self._ended.connect(self._end)
        name = Path(path).name
        self.dialog = dialogs.progress_dialog(
            window,
            tr("Compare with another trace"),
            tr("Comparing with {name}", name=name),
            self._cancelled.set,
        )
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MILLISECONDS)
        self._timer.timeout.connect(self._show_progress)

    def start(self) -> None:
        """Begin."""
        analysis = self._session.state.analysis
        assert analysis is not None
        assert analysis.logical is not None
        self._analysis = analysis
        self._logical = analysis.logical
        self.dialog.setValue(0)
        self._timer.start()
        threading.Thread(
            target=self._work,
            args=(analysis.trace, analysis.logical),
            name="comparing",
            daemon=True,
        ).start()

    def _report(self, stage: str, fraction: float) -> None:
        if self._cancelled.is_set():
            raise Cancelled
        self._progress = (stage, fraction)

    def _work(self, trace: Trace, ours: LogicalTrace) -> None:
        """Run in the thread; a worker reads the other trace, and compares."""
        try:
            from topoview.report.run_comparison import RUN_RESULTS, compare_results
            from topoview.worker.results import aligned_with, results_of, shown_of

            names = (*RUN_RESULTS, *DRAWN_RESULTS)
            results, aligned = aligned_with(trace, self._path, self._report, names)
            compared = compare(ours, results["logical"], aligned)
            runs = None
            if aligned is not None:
                own = results_of(trace, RUN_RESULTS, None, self._report)
                titles = trace.name, results.trace.name
                runs = compare_results(own, results, aligned, titles)
            other = shown_of(results.trace, self._report, names)
            self._ended.emit((other, compared, runs), "", "")
        except Cancelled:
            self._ended.emit(None, "", "")
        except TopoviewError as error:
            self._ended.emit(None, str(error), error.details)
        except Exception as error:  # noqa: BLE001 - a thread must not die silently
            fault = tr("a fault in topoview ({kind})", kind=type(error).__name__)
            line = tr("{fault}: please report the details", fault=fault)
            self._ended.emit(None, line, traceback.format_exc())

    def _show_progress(self) -> None:
        stage, fraction = self._progress
        if stage and not self.dialog.wasCanceled():
            name = Path(self._path).name
            self.dialog.setLabelText(
                tr("Comparing with {name}: {stage}", name=name, stage=tr(stage))
            )
            self.dialog.setValue(min(int(100 * fraction), 99))

    def _end(
        self,
        result: tuple[Analysis, Comparison, ComparedRuns | None] | None,
        line: str,
        details: str,
    ) -> None:
        self._timer.stop()
        cancelled = self._cancelled.is_set()
        self.dialog.canceled.disconnect()
        self.dialog.close()
        self.dialog.deleteLater()
        shown: ComparisonDialog | None = None
        if result is not None and not cancelled:
            other, compared, runs = result
            if runs is not None:
                where = other.trace.name, other.trace.path
                run = ComparedRun(self._analysis.trace, *where, runs.computation)
                self._session.update(compared=run)
            shown = ComparisonDialog(
                self._session,
                self._logical,
                compared,
                (self._analysis.trace.name, other.trace.name),
                self._window,
                runs,
                (self._analysis, other),
            )
            shown.show()
        elif line and not cancelled:
            dialogs.show_fault(
                self._window, tr("The traces could not be compared"), line, details
            )
        self.finished.emit(shown)
        self.deleteLater()
