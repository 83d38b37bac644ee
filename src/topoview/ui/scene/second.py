"""A second view of the same ranks, in another layout, with a camera of its own."""

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from topoview.scene.palette import THEMES
from topoview.session import Session, State
from topoview.ui.scene.lens import SECOND
from topoview.ui.scene.view import SceneView
from topoview.ui.shape.card import ShapeCard


class SecondScene(QWidget):
    """Holds the second view; there is none until it is shown for the first time.

    While it is hidden it takes no notice of the session.

    Attributes
    ----------
    view, shape
        The view, and the card about its shape; None before it is shown.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.view: SceneView | None = None
        self.shape: ShapeCard | None = None
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self.setMinimumSize(160, 120)
        session.subscribe(self._paint)
        self._paint(session.state, session.state)

    def _paint(self, _: State, new: State) -> None:
        panel = THEMES[new.view.theme].panel
        if self.property("panel") != panel:
            self.setProperty("panel", panel)
            self.setStyleSheet(f"SecondScene {{ background: {panel}; }}")

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Make the view now that somebody looks."""
        super().showEvent(event)
        if self.view is None:
            self.view = SceneView(self._session, self, SECOND)
            self._box.addWidget(self.view)
            self.shape = ShapeCard(self._session, self.view)
        self.view.wake()

    def toggle_shape(self) -> None:
        """Open or close the card about its shape."""
        if self.shape is not None:
            self.shape.toggle()

    def end(self) -> None:
        """Close the view."""
        if self.view is not None:
            self.view.close()
