"""A card in the window's corner: the notes on a trace, one below the other."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from topoview.ui.fonts import font
from topoview.ui.formats import with_gaps
from topoview.ui.widgets import IconButton, give_focus_back, takes_escape


class NotesCard(QFrame):
    """Lists what should be known about a trace, above the status bar."""

    def __init__(self, window: QWidget, title: str = "Notes on the trace") -> None:
        super().__init__(window)
        self._window = window
        self.setObjectName("card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.title = QLabel(title, self)
        self.title.setFont(font(13, 600))
        close = IconButton("close", "Close this card", self)
        close.clicked.connect(self.hide)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(close)
        self.text = QLabel(self)
        self.text.setFont(font(12))
        self.text.setWordWrap(True)
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.rows = rows = QVBoxLayout(self)
        rows.setContentsMargins(12, 8, 12, 12)
        rows.setSpacing(8)
        rows.addLayout(head)
        rows.addWidget(self.text)
        self.hide()

    def toggle(self, notes: tuple[str, ...], bottom: int) -> None:
        """Show the notes with the card's lower edge at `bottom`, or hide them."""
        if self.isVisible() or not notes:
            self.hide()
            return
        self.text.setText(with_gaps("\n\n".join(notes)))
        self.place(bottom)

    def setVisible(self, visible: bool) -> None:  # noqa: N802 - Qt's name
        """Show it, or hide it and give the keyboard back."""
        if not visible:
            give_focus_back(self)
        super().setVisible(visible)

    def place(self, bottom: int) -> None:
        """Show the card alone, as high as what is in it."""
        for other in self._window.findChildren(NotesCard):
            if other is not self:
                other.hide()
        width = min(480, self._window.width() - 32)
        self.setFixedWidth(width)
        height = self.rows.totalHeightForWidth(width)
        self.setGeometry(16, bottom - height - 12, width, height)
        self.show()
        self.raise_()
        self.setFocus()

    def event(self, event: QEvent) -> bool:
        """Close with Esc, before the shortcut of that key."""
        if takes_escape(event):
            self.hide()
            return True
        return super().event(event)
