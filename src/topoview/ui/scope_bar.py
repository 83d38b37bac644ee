"""What the matrix and the profile count: a choice that both share."""

from PySide6.QtWidgets import QHBoxLayout, QWidget

from topoview.session import Session, State
from topoview.ui.widgets import Segmented

SCOPES = {"run": "Run", "window": "Window", "selected": "Selected"}
TIPS = (
    "What is counted: the whole run, the time that the timeline shows, or what is "
    "selected: ranks, a stretch of time, a statement, a loop, an operation"
)


class ScopeBar(QWidget):
    """A row with the choice, and room for more at its right."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedHeight(36)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(10, 4, 8, 2)
        self.row.setSpacing(8)
        self.scopes = Segmented(self)
        self.scopes.setToolTip(TIPS)
        self.scopes.setAccessibleName("What is counted")
        self.scopes.chosen.connect(lambda name: session.view(scope=name))
        self.row.addWidget(self.scopes)
        self.row.addStretch(1)
        self._unsubscribe = session.subscribe(self._show)
        self._show(session.state, session.state)

    def _show(self, _: State, new: State) -> None:
        self.scopes.offer(list(SCOPES.items()), new.view.scope)
