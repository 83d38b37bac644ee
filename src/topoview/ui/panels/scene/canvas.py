"""The widget that shows the scene: draws once a frame, and reads the mouse.

While the scene changes it is drawn coarsely, and smoothly as soon as it stands still.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QContextMenuEvent,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget
from vtkmodules.vtkCommonCore import vtkUnsignedCharArray
from vtkmodules.vtkRenderingOpenGL2 import vtkRenderStepsPass, vtkSSAAPass

from topoview.model import Bytes
from topoview.scene.level_of_detail import FULL_DETAIL, Detail, DetailRule
from topoview.scene.ranks.impostors import RayPicture, RayRequest
from topoview.scene.topology_scene import TopologyScene
from topoview.ui.panels.scene.plotter import make_view, read_pixels, silence_vtk
from topoview.ui.panels.scene.pointer import BOX, LASSO
from topoview.ui.widgets.latest_only import LatestOnly

SUPERSAMPLING = 2.0
"""Times that VTK draws larger along each side to smooth a still picture."""

OPAQUE_PIXEL = np.array([0, 0, 0, 255], np.uint8).view(np.uint32)[0]
"""Of red, green, blue and alpha, what Qt takes for granted in pictures without any."""

CLICK_TOLERANCE = 4.0
"""Pixels that the mouse may move in a click."""

LEFT_BUTTON = Qt.MouseButton.LeftButton
ROTATE, PAN, PUSH = "rotate", "pan", "push"

FAST_STEPS = 5
"""Planes that a notch of the wheel goes on with Shift held."""


class SceneCanvas(QWidget):
    """Draws with VTK off-screen, and shows the picture as any widget shows its own.

    A widget of OpenGL would make Qt put the whole window together in OpenGL, in each
    frame: without a graphics card that takes longer than drawing the ranks. To read
    the picture back takes half a millisecond a million pixels there.

    `redraw` alone asks for a frame, any number of times within one turn of the event
    loop; other paints show the last one again.
    """

    dragged = Signal(str, float, float)
    """``rotate``, ``pan`` or ``push``, and by how many pixels right and down."""
    drawn = Signal(str, QPointF)
    """``box`` or ``lasso``, and where: a drag with Ctrl, or with Ctrl and Shift."""
    wheeled = Signal(float, QPointF)
    """By how many notches, and where."""
    stepped = Signal(int, QPointF)
    """By how many planes the wheel goes on, and where."""
    clicked = Signal(QPointF, bool)
    """Where, and whether Ctrl or Shift was held."""
    double_clicked = Signal(QPointF)
    hovered = Signal(QPointF)
    menu_asked = Signal(QPointF)
    """`double_clicked`, `hovered` and `menu_asked`: where."""
    left = Signal()
    """The pointer is elsewhere."""
    released = Signal()
    """A drag has ended."""
    resized = Signal()
    """The widget has another size."""
    rendered = Signal(float)
    """A frame was drawn, and how many seconds that took."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._stale = True
        self.without_vtk: Callable[[], Bytes | None] = lambda: None
        """Gives a frame that needs no VTK, as `TopologyScene.pixels` does, or None."""
        self.handle_at: Callable[[QPointF], bool] | None = None
        """Tells whether what is at a pixel can be pushed about; None where a drag
        turns what is seen: else it selects, and the wheel goes from plane to plane."""
        self._notches = 0.0
        self._pressed: QPointF | None = None
        self._last = QPointF()
        self._moved = False
        self._dragging = ""
        self.frames = 0
        """How many were drawn."""
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        view = make_view((16, 16))
        self.renderer, self._window = view.renderer, view.window
        """`renderer`: that is drawn in."""
        with silence_vtk():  # without a display it complains once
            self._window.Render()
        self._buffer = vtkUnsignedCharArray()
        self._pixels: Bytes | None = None  # what the image is a view of
        self._image, self._place = QImage(), QRectF()
        self._fine = vtkSSAAPass()
        self._steps = vtkRenderStepsPass()
        self._fine.SetDelegatePass(self._steps)
        self.set_smooth(fine=False)

    def redraw(self) -> None:
        """Draw a frame in the next turn of the event loop."""
        self._stale = True
        self.update()

    @property
    def dragging(self) -> bool:
        """Whether the mouse is held, and has moved."""
        return self._pressed is not None and self._moved

    @property
    def image(self) -> QImage:
        """The last frame, a copy; drawn now if it is due."""
        if self._stale:
            self._draw()
        return self._image.copy()

    def set_smooth(self, *, fine: bool, fast: bool = False) -> None:
        """Smooth by drawing larger (slow), by blurring steps, or not at all (fast)."""
        self.renderer.SetUseFXAA(not fine and not fast)
        self.renderer.SetPass(self._fine if fine else None)

    def _draw(self) -> None:
        """Draw a frame."""
        begin = perf_counter()
        self._stale = False
        if self._window is None:  # closed
            return
        self._fit()
        pixels, kind = self.without_vtk(), QImage.Format.Format_RGB32
        if pixels is None:
            self._window.Render()
            pixels = read_pixels(self._window, self._buffer)
            kind = QImage.Format.Format_RGBX8888
            whole = pixels.view(np.uint32)
            np.bitwise_or(whole, OPAQUE_PIXEL, out=whole)
        self._take(pixels, kind)
        self.rendered.emit(perf_counter() - begin)

    def _fit(self) -> None:
        """Set VTK's size to the widget's, in pixels of the device."""
        ratio = self.devicePixelRatioF()
        size = tuple(max(round(n * ratio), 1) for n in (self.width(), self.height()))
        if self._window.GetSize() != size:
            self._window.SetSize(*size)

    def _take(self, pixels: Bytes, kind: QImage.Format) -> None:
        """Show what was drawn."""
        self.frames += 1
        self._pixels = pixels
        height, width = pixels.shape[:2]
        self._image = QImage(pixels.data, width, height, 4 * width, kind)
        self._image.setDevicePixelRatio(self.devicePixelRatioF())
        whole, ratio = self._window.GetSize(), self.devicePixelRatioF()
        self._place = QRectF(0, 0, whole[0] / ratio, whole[1] / ratio)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw if anything has changed; else show the last frame again."""
        if self._stale:
            self._draw()
        with QPainter(self) as painter:
            painter.setClipRect(event.rect())
            painter.drawImage(self._place, self._image)  # larger where it is rough

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw anew in another size."""
        self.redraw()
        super().resizeEvent(event)
        self.resized.emit()

    def showEvent(self, event: QShowEvent) -> None:
        """Draw anew after it was hidden."""
        self.redraw()
        super().showEvent(event)

    def event(self, event: QEvent) -> bool:
        """Draw anew on a screen with other pixels."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self.redraw()
        return super().event(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """End VTK's window."""
        self._stale = False
        self._window.Finalize()
        self._window = self.renderer = None
        super().closeEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        self._pressed = self._last = event.position()
        self._moved = False
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.button() != LEFT_BUTTON:
            self._dragging = PAN
        elif control:
            self._dragging = LASSO if shift else BOX
        elif shift:
            self._dragging = PAN
        elif self.handle_at is None:
            self._dragging = ROTATE
        else:
            self._dragging = PUSH if self.handle_at(event.position()) else BOX

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag, or hover."""
        at = event.position()
        if not event.buttons() or self._pressed is None:
            self.hovered.emit(at)
            return
        way = at - self._pressed
        if not self._moved and way.manhattanLength() < CLICK_TOLERANCE:
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

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a drag, or tell of a click."""
        pressed, self._pressed = self._pressed, None
        if pressed is None:
            return
        if self._moved:
            self.released.emit()
        elif event.button() == LEFT_BUTTON:
            adds = (
                Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
            )
            self.clicked.emit(event.position(), bool(event.modifiers() & adds))
        elif event.button() == Qt.MouseButton.RightButton:
            self.menu_asked.emit(event.position())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu with the menu key; the right button may be a drag."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self.menu_asked.emit(QPointF(self.rect().center()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Pass it on."""
        if event.button() == LEFT_BUTTON:
            self.double_clicked.emit(event.position())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Pass it on."""
        notches, held = event.angleDelta().y() / 120, event.modifiers()
        event.accept()
        if self.handle_at is None or held & Qt.KeyboardModifier.ControlModifier:
            self.wheeled.emit(notches, event.position())
            return
        self._notches -= notches  # a fine wheel turns by parts of one
        whole = int(self._notches)
        self._notches -= whole
        fast = held & Qt.KeyboardModifier.ShiftModifier
        if whole:
            self.stepped.emit(whole * (FAST_STEPS if fast else 1), event.position())

    def leaveEvent(self, event: QEvent) -> None:
        """Pass it on."""
        super().leaveEvent(event)
        self.left.emit()


SMOOTH_DELAY_MILLISECONDS = 200
"""Milliseconds after the last frame until a still picture is smoothed."""

MAX_RANKS_SMOOTHED = 2000
"""Most ranks of which a still picture is smoothed."""


class SceneSmoothing(QObject):
    """Draws a scene on its canvas, again and smoothly after a while.

    In a motion, which `move` begins and rest ends, detail is dropped as
    `DetailRule` finds by the time that frames take.

    Parameters
    ----------
    scene, canvas
        What is drawn, and where.
    again
        Called when edges and messages must be shown anew: there is more detail, or
        less.
    parent
        Owner.
    """

    def __init__(
        self,
        scene: TopologyScene,
        canvas: SceneCanvas,
        again: Callable[[], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._scene, self._canvas, self._again = scene, canvas, again
        self._rule = DetailRule()
        self._moving = self._fine = False
        self._spent, self._frames = 0.0, 0
        self._later = QTimer(self, singleShot=True, interval=SMOOTH_DELAY_MILLISECONDS)
        self._later.timeout.connect(self._smooth)
        self._rays: LatestOnly[RayRequest, RayPicture] = LatestOnly(
            lambda request, _: request.answer(), self._take_rays
        )
        canvas.rendered.connect(self._rendered)

    @property
    def busy(self) -> bool:
        """Whether what is drawn is still to be smoothed."""
        return self._later.isActive() or self._rays.busy

    def move(self) -> None:
        """Draw one of many frames, in as much detail as there is time for."""
        ranks = self._scene.ranks
        if not self._moving or self._rule.ranks != ranks:
            self._moving = True
            self._rule.begin(ranks)
        elif self._canvas.frames != self._frames:
            self._rule.took(self._spent)
        if self._canvas.frames != self._frames:
            self._spent, self._frames = 0.0, self._canvas.frames
        self._reduce(self._rule.detail)
        self.draw()

    def draw(self) -> None:
        """Draw in as much detail as before."""
        self._set_fine(fine=False)
        self._canvas.redraw()
        self._later.start()

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Count the time of a block as the frame's."""
        begin = perf_counter()
        try:
            yield
        finally:
            self._spent += perf_counter() - begin

    def stop(self) -> None:
        """Leave it as it is."""
        self._later.stop()
        self._rays.stop()
        self._canvas.rendered.disconnect(self._rendered)

    def _rendered(self, seconds: float) -> None:
        self._spent += seconds
        if self._later.isActive():
            self._later.start()  # a slow frame is no rest

    def _reduce(self, detail: Detail) -> bool:
        if detail == self._scene.detail:
            return False
        self._scene.reduce(detail)
        self._again()
        return True

    def _smooth(self) -> None:
        if self._canvas.dragging:
            self._later.start()
            return
        self._moving = False
        restored = self._reduce(FULL_DETAIL)
        fine = self._scene.ranks <= MAX_RANKS_SMOOTHED
        if restored or fine:  # else it is drawn already
            self._set_fine(fine=fine)
            self._canvas.redraw()
        request = self._scene.ask_fine()
        if request is not None:
            self._rays.ask(request)

    def _take_rays(self, request: RayRequest, picture: RayPicture) -> None:
        """Show a finer picture, if that is still what is to be seen."""
        if self._scene.take_fine(request, picture):
            self._canvas.redraw()

    def _set_fine(self, *, fine: bool) -> None:
        # each time: a scene that is filled anew has all detail without being told
        self._canvas.set_smooth(fine=fine, fast=not self._scene.detail.smooth)
        if fine != self._fine:
            self._fine = fine
            self._scene.enlarge(SUPERSAMPLING if fine else 1.0)
