"""The widget that VTK draws into: draws once a frame, and reads the mouse."""

from time import perf_counter

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import (
    QEnterEvent,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget
from pyvistaqt import QtInteractor
from vtkmodules.vtkRenderingOpenGL2 import vtkRenderStepsPass, vtkSSAAPass

from topoview.ui.scene_lasso import BOX, LASSO

OVERSAMPLED = 2.0
"""Times that VTK draws larger along each side to smooth a still picture."""

CLICK = 4.0
"""Pixels that the mouse may move in a click."""

LEFT = Qt.MouseButton.LeftButton
ROTATE, PAN = "rotate", "pan"


class SceneCanvas(QtInteractor):
    """A pyvista plotter in a widget that renders only what has changed.

    pyvistaqt renders in every paint, and once more when it is asked to render.
    Here `redraw` alone asks for a frame, any number of times within one turn of
    the event loop; other paints show the last one again. VTK's own habits with
    mouse and keys are replaced by signals.

    Signals
    -------
    dragged
        ``rotate`` or ``pan``, and by how many pixels right and down.
    drawn
        ``box`` or ``lasso``, and where: a drag with Ctrl, or with Ctrl and Shift.
    wheeled
        By how many notches, and where.
    clicked
        Where, and whether Ctrl or Shift was held.
    double_clicked, hovered
        Where.
    left
        The pointer is elsewhere.
    released
        A drag has ended.
    resized
        The widget has another size.
    rendered
        A frame was drawn, and how many seconds that took.
    """

    dragged = Signal(str, float, float)
    drawn = Signal(str, QPointF)
    wheeled = Signal(float, QPointF)
    clicked = Signal(QPointF, bool)
    double_clicked = Signal(QPointF)
    hovered = Signal(QPointF)
    left = Signal()
    released = Signal()
    resized = Signal()
    rendered = Signal(float)

    def __init__(self, parent: QWidget) -> None:
        self._stale = True
        self._pressed: QPointF | None = None
        self._last = QPointF()
        self._moved = False
        self._dragging = ""
        self.frames = 0
        super().__init__(parent, auto_update=False, multi_samples=0, lighting="none")
        self.setAcceptDrops(False)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._fine = vtkSSAAPass()
        self._steps = vtkRenderStepsPass()
        self._fine.SetDelegatePass(self._steps)
        self.renderer.SetUseFXAA(True)

    def redraw(self) -> None:
        """Draw a frame in the next turn of the event loop."""
        self._stale = True
        self.update()

    @property
    def dragging(self) -> bool:
        """Whether the mouse is held, and has moved."""
        return self._pressed is not None and self._moved

    def set_smooth(self, *, fine: bool, fast: bool = False) -> None:
        """Smooth by drawing larger (slow), by blurring steps, or not at all (fast)."""
        self.renderer.SetUseFXAA(not fine and not fast)
        self.renderer.SetPass(self._fine if fine else None)

    def paintGL(self) -> None:  # noqa: N802 - Qt's name
        """Render if anything has changed; else show the last frame again."""
        if self._stale:
            self._stale = False
            self.frames += 1
            begin = perf_counter()
            super().paintGL()  # type: ignore[no-untyped-call]
            self.rendered.emit(perf_counter() - begin)
            return
        self._in_paint = True
        try:
            super().paintGL()  # type: ignore[no-untyped-call]
        finally:
            self._in_paint = False

    def initializeGL(self) -> None:  # noqa: N802 - Qt's name
        """Draw anew in a new context: torn off, or put back."""
        self._stale = True
        super().initializeGL()  # type: ignore[no-untyped-call]

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Draw anew in another size."""
        self._stale = True
        super().resizeEvent(event)
        self.resized.emit()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Draw anew after it was hidden."""
        self._stale = True
        super().showEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Begin a click or a drag."""
        self._pressed = self._last = event.position()
        self._moved = False
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.button() != LEFT:
            self._dragging = PAN
        elif control:
            self._dragging = LASSO if shift else BOX
        else:
            self._dragging = PAN if shift else ROTATE

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Drag, or hover."""
        at = event.position()
        if not event.buttons() or self._pressed is None:
            self.hovered.emit(at)
            return
        way = at - self._pressed
        if not self._moved and way.manhattanLength() < CLICK:
            return
        step = at - self._last
        if self._dragging in (BOX, LASSO):
            if not self._moved:
                self.drawn.emit(self._dragging, self._pressed)
            self._moved, self._last = True, at
            self.drawn.emit(self._dragging, at)
            return
        self._moved, self._last = True, at
        self.dragged.emit(self._dragging, step.x(), step.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """End a drag, or tell of a click."""
        pressed, self._pressed = self._pressed, None
        if pressed is None:
            return
        if self._moved:
            self.released.emit()
        elif event.button() == LEFT:
            adds = (
                Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
            )
            self.clicked.emit(event.position(), bool(event.modifiers() & adds))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Tell of it."""
        if event.button() == LEFT:
            self.double_clicked.emit(event.position())

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Tell of it."""
        self.wheeled.emit(event.angleDelta().y() / 120, event.position())
        event.accept()

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802 - Qt's name
        """Keep VTK out of it."""

    def leaveEvent(self, event: object) -> None:  # noqa: ARG002, N802 - Qt's name
        """Tell of it."""
        self.left.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Leave keys to the window: VTK's own would quit it."""
        event.ignore()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Leave keys to the window."""
        event.ignore()
