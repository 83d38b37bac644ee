"""Comparing with another trace: read beside the window, shown side by side."""

from __future__ import annotations

import threading
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QItemSelectionModel, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QGuiApplication, QResizeEvent
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
from topoview.model import (
    Analysis,
    Call,
    Column,
    ColumnData,
    LogicalTrace,
    Schema,
    Table,
    Trace,
    words,
)
from topoview.report.logical.comparison import (
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
from topoview.report.logical.lines import logical_lines
from topoview.report.run_comparison import ComparedRuns, run_table
from topoview.session import ComparedRun, Session, State
from topoview.ui.panels.logical.timelines import DRAWN_RESULTS, TimelinesPage
from topoview.ui.panels.logical.times import TimesPage
from topoview.ui.widgets import dialogs
from topoview.ui.widgets.layouts import filled
from topoview.ui.widgets.table import Index, Role, TableModel, TableView
from topoview.ui.widgets.theme import font

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from topoview.ui.actions.action import Context

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

COLUMNS = ("a", "text_a", "sign", "b", "text_b")
WIDTHS = {"a": 46, "sign": 26, "b": 46}
"""Pixels of columns; the lines take the rest."""

TINTED = {"removed": ("text_a",), "added": ("text_b",)}
"""Cells with a background, by the kind of a change; of others both lines."""

_DIFF_TEXTS = {
    "same": tr("the same in both"),
    "indented": tr("the same in both, but what is around it differs"),
    "changed": tr("in both, with another size, count or condition"),
    "removed": tr("only in the first"),
    "added": tr("only in the second"),
}


class ComparisonModel(TableModel):
    """Lines of two logical traces, those that are aligned in one row.

    Attributes
    ----------
    changes
        What each row shows: a `Change`, or how many equal lines are left out.
    """

    def __init__(
        self, comparison: Comparison, names: tuple[str, str], session: Session
    ) -> None:
        super().__init__(session)
        self._comparison = comparison
        first, second = (
            f"{name}, {plural(ranks, 'rank')}"
            for name, ranks in zip(names, comparison.ranks, strict=True)
        )
        titles = (" ", first, " ", " ", second)
        self._schema = Schema(
            *(
                Column(name, "#" * (name in "ab"), title)
                for name, title in zip(COLUMNS, titles, strict=True)
            )
        )
        self.tip = self._explain
        self.restrict(differences=False)

    def restrict(self, *, differences: bool) -> None:
        """Show only differences and what is around them, or everything."""
        every = self._comparison.changes
        self.changes = shorten(every) if differences else every
        a, text_a, sign, b, text_b = zip(*map(_cells, self.changes), strict=True)
        data: dict[str, ColumnData] = {
            "a": np.array(a, np.int64),
            "text_a": words(list(text_a)),
            "sign": words(list(sign)),
            "b": np.array(b, np.int64),
            "text_b": words(list(text_b)),
        }
        self.show(Table(self._schema, data))

    def differing(self) -> list[int]:
        """Return the first row of each stretch that differs."""
        differs = [
            isinstance(r, Change) and r.kind in DIFFERING_KINDS for r in self.changes
        ]
        return [k for k, it in enumerate(differs) if it and not (k and differs[k - 1])]

    def diff(self, rows: Iterable[int]) -> str:
        """Write rows as a diff."""
        lines: list[str] = []
        for row in map(self.changes.__getitem__, rows):
            if isinstance(row, SkippedLines):
                lines.append(f"@@ {row} @@")
            else:
                lines += change_text(row)
        return "\n".join(lines)

    def _explain(self, row: int, name: str) -> str:
        change = self.changes[row]
        if isinstance(change, SkippedLines):
            return ""
        return f"{self.text(row, name)}\n{_DIFF_TEXTS[change.kind]}".strip()

    def data(self, index: Index, role: int = Role.DisplayRole) -> object:
        """Return what a cell says, and how: differences have a background."""
        change, name = self.changes[index.row()], COLUMNS[index.column()]
        if role == Role.FontRole:
            return font(12, mono=True)
        if role == Role.BackgroundRole and isinstance(change, Change):
            colours = DIFF_COLOURS[self._session.state.theme]
            tinted = TINTED.get(change.kind, ("text_a", "text_b"))
            there = name in tinted and change.kind in colours
            return QColor(colours[change.kind]) if there else None
        return super().data(index, role)


def _cells(row: Change | SkippedLines) -> tuple[int, str, str, int, str]:
    """Return the cells of a row; numbers from 1, 0 less where there is none."""
    if isinstance(row, SkippedLines):
        return -1, f"… {row}", "", -1, ""
    a, b = (-1 if number is None else number + 1 for number in (row.a, row.b))
    return a, row.text_a, SIGN_OF_KIND[row.kind], b, row.text_b


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
        self.model = ComparisonModel(comparison, names, session)
        page = QWidget(self)
        column = filled(QVBoxLayout(page), margins=(0, 10, 0, 0), spacing=8)
        self.summary = QLabel(summary_text(comparison), self)
        self.only = QCheckBox(tr("Only differences"), self)
        self.only.toggled.connect(self._restrict)
        self.previous = self._button(tr("Previous difference"), -1)
        self.next = self._button(tr("Next difference"), 1)
        bar = QHBoxLayout()
        bar.setContentsMargins(14, 0, 14, 0)
        bar.setSpacing(8)
        bar.addWidget(self.summary, 1)
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
        filled(QVBoxLayout(self), self.tabs, margins=(0, 4, 0, 0))
        first = self.model.index(0, 0)  # or focus would select it
        flag = QItemSelectionModel.SelectionFlag.NoUpdate
        self.view.selectionModel().setCurrentIndex(first, flag)
        self.view.chosen.connect(self._choose)
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

    def _show(self, _: State, __: State) -> None:
        self.model.refresh()

    def _choose(self, place: int) -> None:
        """Select the statement of a line in the window, while its trace is open."""
        analysis = self._session.state.analysis
        if analysis is None or analysis.logical is not self._logical:
            return
        row = self.model.changes[place]
        if isinstance(row, Change) and row.a is not None:
            statement = logical_lines(analysis)[row.a].statement
            if isinstance(statement, Call):
                self._session.select(statement=statement.index)

    def _button(self, text: str, by: int) -> QPushButton:
        button = QPushButton(text, self)
        button.setAutoDefault(False)
        button.clicked.connect(lambda: self.step(by))
        return button


class _ComparisonTable(TableView):
    """Rows that can be selected and copied as a diff; they are in one order."""

    def __init__(self, model: ComparisonModel, parent: QWidget) -> None:
        self._changes = model
        name = tr("Comparison of logical traces")
        super().__init__(model, name, parent, sort=lambda _: None)
        self.horizontalHeader().setSectionsClickable(False)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.fit()

    def fit(self) -> None:
        """Share the room between the lines of both."""
        heads, modes = self.horizontalHeader(), QHeaderView.ResizeMode
        for column, name in enumerate(COLUMNS):
            fixed = name in WIDTHS
            mode = modes.Fixed if fixed else modes.Stretch
            heads.setSectionResizeMode(column, mode)
            if fixed:
                heads.resizeSection(column, WIDTHS[name])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the columns as they are."""
        QTableView.resizeEvent(self, event)

    def go_to(self, row: int) -> None:
        """Select a row, and show it."""
        self.selectRow(row)
        self.scrollTo(self.currentIndex(), QTableView.ScrollHint.PositionAtCenter)
        self.chosen.emit(row)

    def copy(self, places: Sequence[int] | None = None) -> int:
        """Put the selected rows on the clipboard, as a diff."""
        if places is None:
            chosen = self.selectionModel().selectedRows()
            places = sorted(index.row() for index in chosen)
        QGuiApplication.clipboard().setText(self._changes.diff(places))
        return len(places)


_POLL_MILLISECONDS = 50
"""Milliseconds between two looks at how far it is."""


def ask_for_comparison(c: Context) -> None:
    """Ask for another trace, and show how its logical trace differs."""
    chosen = dialogs.ask_for_trace(c.window, c.settings.folder, folder=False)
    if chosen:
        c.settings.folder = str(Path(chosen).parent)
        CompareJob(c, chosen).start()


class CompareJob(QObject):
    """Reads another trace and compares, with a dialog that can cancel it."""

    finished = Signal(object)
    """The `ComparisonDialog`, None if there is nothing to show."""
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
                run = ComparedRun(
                    trace=self._analysis.trace,
                    name=other.trace.name,
                    path=other.trace.path,
                    computation=runs.computation,
                    functions=run_table(runs, "function"),
                )
                self._session.update(compared=run)
            shown = ComparisonDialog(
                session=self._session,
                logical=self._logical,
                comparison=compared,
                names=(self._analysis.trace.name, other.trace.name),
                parent=self._window,
                runs=runs,
                both=(self._analysis, other),
            )
            shown.show()
        elif line and not cancelled:
            dialogs.show_fault(
                self._window, tr("The traces could not be compared"), line, details
            )
        self.finished.emit(shown)
        self.deleteLater()
