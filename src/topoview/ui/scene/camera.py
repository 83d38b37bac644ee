"""The camera in the window: what mouse and keys do to it, and its turns."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QEasingCurve, QObject, QPointF, QVariantAnimation

from topoview.scene.camera import CAMERAS, Pose, between, pan, turn, zoom
from topoview.scene.topology_scene import TopologyScene
from topoview.ui.scene.canvas import ROTATE

TURN_TIME = 250
"""Milliseconds that the camera takes from one place to another."""

DEGREES = 0.35
"""Turn of the camera for each pixel that the mouse is dragged."""

NOTCH = 1.15
"""How much nearer the camera comes for each notch of the wheel."""


class CameraControl(QObject):
    """Moves the camera of a scene.

    Parameters
    ----------
    scene
        Whose camera it is.
    redraw
        Called after each move.
    """

    def __init__(
        self, scene: TopologyScene, redraw: Callable[[], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._scene = scene
        self._redraw = redraw
        self._whole = True
        self._way = (scene.pose, scene.pose)
        self._turn = QVariantAnimation(self)
        self._turn.setDuration(TURN_TIME)
        self._turn.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._turn.setStartValue(0.0)
        self._turn.setEndValue(1.0)
        self._turn.valueChanged.connect(self._turned)

    @property
    def turning(self) -> bool:
        """Whether it is on its way."""
        return self._turn.state() == QVariantAnimation.State.Running

    def stop(self) -> None:
        """Stay where it is."""
        self._turn.stop()

    def renew(self) -> None:
        """Show everything of a scene that was filled anew."""
        self._turn.stop()
        self._whole = True

    def refit(self) -> None:
        """Follow a new size, unless the user has chosen what she looks at."""
        if self._whole:
            self._scene.look_with(self._scene.fitted())

    def set_camera(self, number: int) -> None:
        """Look from one of `CAMERAS`, counted from 1."""
        self._whole = True
        self._go(self._scene.look(list(CAMERAS)[number - 1]))

    def fit(self) -> None:
        """Show everything from where the camera is."""
        self._whole = True
        self._go(self._scene.fitted())

    def toggle_projection(self) -> None:
        """Change between perspective and orthographic."""
        pose = self._scene.pose
        self._look(replace(pose, parallel=not pose.parallel))

    def drag(self, how: str, dx: float, dy: float) -> None:
        """Turn or move by pixels that the mouse was dragged."""
        self._turn.stop()
        pose = self._scene.pose
        if how == ROTATE:
            self._look(turn(pose, -dx * DEGREES, dy * DEGREES))
        else:
            self._whole = False
            self._look(pan(pose, dx, dy, self._scene.size[1]))

    def wheel(self, notches: float, at: QPointF) -> None:
        """Come nearer to what is at a pixel, or go away from it."""
        self._turn.stop()
        self._whole = False
        scene = self._scene
        self._look(zoom(scene.pose, NOTCH**notches, at.x(), at.y(), scene.size))

    def centre(self, at: QPointF) -> None:
        """Turn about the rank at a pixel from now on; beside all, show everything."""
        rank = self._scene.pick(at.x(), at.y())
        if rank is None:
            self.fit()
            return
        self._whole = False
        self._go(self._scene.centred(rank))

    def _go(self, pose: Pose) -> None:
        self._turn.stop()
        self._way = (self._scene.pose, pose)
        self._turn.start()

    def _turned(self, share: float) -> None:
        self._look(between(*self._way, share))

    def _look(self, pose: Pose) -> None:
        self._scene.look_with(pose)
        self._redraw()
