"""A card over the scene: spacing, gaps, slices, layers and folds of the arrangement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from topoview.model import Geometry
from topoview.session import Session, State
from topoview.ui.fonts import font
from topoview.ui.shape.contents import SECTIONS, ShapeRows
from topoview.ui.widgets import IconButton, give_focus_back, takes_escape

if TYPE_CHECKING:
    from topoview.ui.scene.view import SceneView

WIDTH = 256
HEAD = 44
"""Pixels of the card, and of it without its rows."""


class ShapeCard(QFrame):
    """Offers what can be changed about the arrangement that is shown.

    It stands over the scene, so it is small: parts of it fold, and so does all of it.
    """

    def __init__(self, session: Session, scene: SceneView) -> None:
        super().__init__(scene)
        self._session, self._scene = session, scene
        self._shown: object = None
        self._open = dict(SECTIONS)
        self._inner: ShapeRows | None = None
        self.setObjectName("card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.title = QToolButton(self)
        self.title.setObjectName("fold")
        self.title.setFont(font(13, 600))
        self.title.clicked.connect(self._fold)
        self.reset = QToolButton(self)
        self.reset.setObjectName("link")
        self.reset.setText("As at first")
        self.reset.setFont(font(12))
        self.reset.clicked.connect(lambda: scene.lens.arrange(session, Geometry()))
        close = IconButton("close", "Close this card", self)
        close.clicked.connect(self.hide)
        head = QHBoxLayout()
        head.addWidget(self.title)
        head.addStretch(1)
        head.addWidget(self.reset)
        head.addWidget(close)
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(10, 5, 6, 6)
        rows.setSpacing(4)
        rows.addLayout(head)
        rows.addWidget(self._area)
        self._tell_fold()
        self.hide()
        scene.canvas.resized.connect(self.renew)
        scene.filled.connect(self.renew)
        session.subscribe(self._follow)

    def toggle(self) -> None:
        """Open or close the card."""
        if self.isVisible():
            self.hide()
            return
        self._shown = None
        self._fill()
        self.show()  # a scene that is to be resized is so now
        self.place()
        self.raise_()
        self.setFocus()

    def setVisible(self, visible: bool) -> None:  # noqa: N802 - Qt's name
        """Show it, or hide it and give the keyboard back."""
        if not visible:
            give_focus_back(self)
        super().setVisible(visible)

    def place(self) -> None:
        """Stand at the right of the scene, below its switch."""
        if self._area.isHidden():
            small = self.sizeHint()
            width, height = min(small.width(), WIDTH), small.height()
        else:
            inner = self._area.widget()
            wanted = 60 if inner is None else inner.sizeHint().height() + HEAD
            width, height = WIDTH, min(wanted, self._scene.height() - 56)
        left = self._scene.width() - width - 12
        self.setGeometry(left, 46, width, max(height, HEAD))

    def _fold(self) -> None:
        """Leave only the title, or show all again."""
        self._area.setVisible(self._area.isHidden())
        self._tell_fold()
        self.place()

    def _tell_fold(self) -> None:
        open_ = not self._area.isHidden()
        self.title.setText(f"{chr(0x25BE) if open_ else chr(0x25B8)} Shape")
        self.title.setToolTip("Fold this card" if open_ else "Unfold this card")
        self.reset.setVisible(open_)

    def event(self, event: QEvent) -> bool:
        """Close with Esc, before the shortcut of that key."""
        if takes_escape(event):
            self.hide()
            return True
        return super().event(event)

    def renew(self) -> None:
        """Follow the scene, which has something else to show."""
        if self.isVisible():
            self._fill()
            self.place()

    def _follow(self, old: State, new: State) -> None:
        before, after = (self._scene.lens.seen(state).view for state in (old, new))
        if self.isVisible() and before.geometry != after.geometry:
            self._tell(after.geometry)

    def _fill(self) -> None:
        """Make the rows that the shown layout has a use for."""
        content = self._scene.content
        if content is None:
            self.hide()
            return
        geometry = self._scene.state.view.geometry
        key = (content.layout.name, content.machine, content.match)
        if key != self._shown:
            self._shown = key
            self._inner = ShapeRows(self._session, self._scene, content, self._open)
            # they have their new height when Qt has laid them out
            self._inner.folded.connect(lambda: QTimer.singleShot(0, self, self.place))
            self._area.setWidget(self._inner)
        self._tell(geometry)

    @property
    def rows(self) -> dict[str, QWidget]:
        """The rows by their names."""
        return {} if self._inner is None else self._inner.rows

    def _tell(self, geometry: Geometry) -> None:
        if self._inner is not None:
            self._inner.tell(geometry)
