"""Two logical traces side by side, and where they differ."""

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    Qt,
)
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from topoview.logical.diff import Change, Comparison, summary
from topoview.logical.lines import lines
from topoview.model import Call, LogicalTrace
from topoview.session import Session, State
from topoview.ui.logical.comparison_model import (
    NUMBER_A,
    NUMBER_B,
    ROW,
    SIGN,
    TEXT_A,
    TEXT_B,
    ComparisonModel,
)


class ComparisonDialog(QDialog):
    """Shows a comparison; a click on a line of the first trace selects it."""

    def __init__(
        self,
        session: Session,
        logical: LogicalTrace,
        found: Comparison,
        names: tuple[str, str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._logical = logical
        self._lines = lines(logical)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"{names[0]} and {names[1]} - topoview")
        self.resize(1080, 680)
        self.model = ComparisonModel(found, names, session, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 10, 0, 0)
        column.setSpacing(8)
        self.told = QLabel(summary(found), self)
        self.only = QCheckBox("Only differences", self)
        self.only.toggled.connect(self._restrict)
        self.previous = self._button("Previous difference", -1)
        self.next = self._button("Next difference", 1)
        bar = QHBoxLayout()
        bar.setContentsMargins(14, 0, 14, 0)
        bar.setSpacing(8)
        bar.addWidget(self.told, 1)
        for widget in (self.only, self.previous, self.next):
            bar.addWidget(widget)
        column.addLayout(bar)
        self.view = _Table(self.model, self)
        column.addWidget(self.view)
        self.view.selectionModel().currentRowChanged.connect(self._choose)
        differs = self.model.differing()
        for widget in (self.only, self.previous, self.next):
            widget.setEnabled(bool(differs))
        leave = session.subscribe(self._show)
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
        if old.view.theme != new.view.theme:
            self.view.viewport().update()

    def _choose(self, index: QModelIndex) -> None:
        """Select the statement of a line in the window, while its trace is open."""
        known = self._session.state.analysis
        if not index.isValid() or known is None or known.logical is not self._logical:
            return
        row = self.model.rows[index.row()]
        if isinstance(row, Change) and row.a is not None:
            statement = self._lines[row.a].statement
            if isinstance(statement, Call):
                self._session.select(statement=statement.index)

    def _button(self, text: str, by: int) -> QPushButton:
        button = QPushButton(text, self)
        button.setAutoDefault(False)
        button.clicked.connect(lambda: self.step(by))
        return button


class _Table(QTableView):
    """Rows that can be selected and copied as a diff."""

    def __init__(self, model: ComparisonModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows = model
        self.setModel(model)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setAccessibleName("Comparison of logical traces")
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setSectionsClickable(False)
        header.setHighlightSections(False)
        for column in (TEXT_A, TEXT_B):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        for column, width in ((NUMBER_A, 46), (SIGN, 26), (NUMBER_B, 46)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, width)

    def go_to(self, row: int) -> None:
        """Select a row, and show it."""
        index = self._rows.index(row, TEXT_A)
        flag = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(index, flag.ClearAndSelect | flag.Rows)
        self.scrollTo(index, QTableView.ScrollHint.PositionAtCenter)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Ctrl+C copies the selected rows as a diff."""
        if event.matches(QKeySequence.StandardKey.Copy):
            rows = sorted({index.row() for index in self.selectedIndexes()})
            QGuiApplication.clipboard().setText(self._rows.text(rows))
            return
        super().keyPressEvent(event)
