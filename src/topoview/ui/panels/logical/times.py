"""Times of two runs beside each other: what began the difference, and a table."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from topoview.base.text import tr
from topoview.report.run_comparison import (
    BY,
    ComparedRuns,
    aligned_text,
    cause_text,
    headline,
    rule_text,
    run_table,
    waiting_text,
)
from topoview.session import Session
from topoview.ui.widgets.layouts import filled, new_label
from topoview.ui.widgets.table import NO_TABLE, TableModel, TableView
from topoview.ui.widgets.theme import font

MAX_CAUSES = 5
"""Causes that are told in the window; the command lists all."""


class TimesPage(QWidget):
    """How two runs differ in time."""

    def __init__(
        self,
        compared_runs: ComparedRuns,
        session: Session,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._runs = compared_runs
        column = filled(QVBoxLayout(self), margins=(14, 10, 14, 8), spacing=6)
        self.headline = self._label(headline(compared_runs))
        self.headline.setFont(font(13, 600))
        causes = [cause_text(cause) for cause in compared_runs.causes[:MAX_CAUSES]]
        head = tr("Differences excluding waiting for partners, the largest first:")
        self.causes = self._label("\n".join([head, *causes] if causes else []))
        names = f"A: {compared_runs.names[0]}. B: {compared_runs.names[1]}."
        texts = names, waiting_text(compared_runs), aligned_text(compared_runs)
        further = [text for text in texts if text]
        self.further = self._label("\n".join(further))
        bar = filled(QHBoxLayout(), QLabel(tr("By"), self))
        self.by = QComboBox(self)
        for by in BY:
            if compared_runs.rows[by]:
                self.by.addItem(tr(by), by)
        self.by.currentIndexChanged.connect(lambda _: self._list())
        bar.addWidget(self.by)
        bar.addStretch(1)
        self.colour = QPushButton(tr("Colour ranks by change of computation"), self)
        self.colour.setAutoDefault(False)
        self.colour.clicked.connect(
            lambda: session.change("scene", colouring="compared")
        )
        bar.addWidget(self.colour)
        self.model = TableModel(session)
        self.table = TableView(self.model, tr("Times of both runs"), self)
        self.rule = self._label(
            tr(
                "Seconds and bytes of the mean rank. {rule}",
                rule=rule_text(compared_runs),
            )
        )
        self.rule.setFont(font(12))
        for widget in (self.headline, self.causes, self.further):
            widget.setVisible(bool(widget.text()))
            column.addWidget(widget)
        column.addLayout(bar)
        column.addWidget(self.table, 1)
        column.addWidget(self.rule)
        self._list()

    def _label(self, text: str) -> QLabel:
        label = new_label(self, text, wraps=True, plain=True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    def _list(self) -> None:
        """List the groups of the kind that is chosen."""
        by = self.by.currentData()
        self.model.mono = by == "statement"
        self.model.show(run_table(self._runs, by) if by else NO_TABLE)
