"""What the panels Find and Messages share: a field for a query, and where to look."""

from collections.abc import Callable
from typing import ClassVar

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from topoview.live.tables.search.query import QueryError
from topoview.session import Session, State
from topoview.ui.panels.options import FIND_SCOPES, FindOptions, MessageOptions
from topoview.ui.widgets.controls import Segmented
from topoview.ui.widgets.layouts import filled, new_label
from topoview.ui.widgets.panel import Asked, GoOn, Result, TablePanel
from topoview.ui.widgets.theme import font

TYPING_MILLISECONDS = 150
"""Milliseconds that the typing rests before anything is looked for."""


FOLLOWED = ("analysis", "window", "selection", "theme", "time_zero", "unit")
"""Parts of the state that all of them follow, besides their options."""


class QueryPanel(TablePanel[Asked, Result]):
    """Lists what a query finds; what is not understood is said below the field."""

    OPTIONS: ClassVar[type[FindOptions | MessageOptions]]
    """Options that hold the text and the scope."""

    def __init__(
        self,
        session: Session,
        parent: QWidget | None,
        answer: Callable[[Asked, GoOn], Result],
    ) -> None:
        super().__init__(session, parent, answer)
        self.field = QLineEdit(self)
        self.field.setClearButtonEnabled(True)
        self.field.setFont(font(13, mono=True))
        self.wrong = new_label(self, look=font(12, plain=True), wraps=True)
        self.wrong.setContentsMargins(12, 0, 12, 4)
        self.wrong.hide()
        self.scopes = Segmented(self, session.setter(self.OPTIONS, "scope"))
        self.chips = filled(QHBoxLayout(), self.scopes, 1, margins=(12, 0, 12, 6))
        line = filled(QHBoxLayout(), self.field, margins=(12, 0, 12, 0))
        rows = self.head()
        rows.setContentsMargins(0, 10, 0, 0)
        rows.setSpacing(6)
        rows.addLayout(line)
        rows.addWidget(self.wrong)
        rows.addLayout(self.chips)
        self._rest = QTimer(self, singleShot=True, interval=TYPING_MILLISECONDS)
        self._rest.timeout.connect(self._typed)
        self.field.textEdited.connect(lambda _: self._rest.start())
        self.field.textChanged.connect(self._cleared)
        self.field.returnPressed.connect(self._typed)

    def request_of(self, state: State) -> Asked | None:
        """Return what a state looks for; raise `QueryError` if it is not understood."""
        raise NotImplementedError

    def take_keyboard(self) -> None:
        """Move the keyboard to the field."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def request(self, state: State) -> Asked | None:
        """Return what is looked for; what is not understood changes nothing."""
        self.wrong.hide()
        try:
            return self.request_of(state)
        except QueryError as error:
            self.wrong.setText(str(error))
            self.wrong.show()
            return self.requested

    def show_state(self, state: State) -> None:
        """Show the text and the scope."""
        options = state.of(self.OPTIONS)
        if not self._rest.isActive() and self.field.text() != options.text:
            self.field.setText(options.text)
        self.scopes.offer(FIND_SCOPES, options.scope)

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state, and the field, ask for."""
        return super().settled and not self._rest.isActive()

    def _typed(self) -> None:
        self._rest.stop()
        self.session.change(self.OPTIONS, text=self.field.text())

    def _cleared(self, text: str) -> None:
        if not text and self.session.state.of(self.OPTIONS).text:
            self._rest.start()
