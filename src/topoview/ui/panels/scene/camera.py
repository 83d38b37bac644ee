"""Motion in the scene: the camera under mouse and keys, and changes of layout."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QEasingCurve, QObject, QPointF, QVariantAnimation

from topoview.model import Floats
from topoview.scene.camera import CAMERAS, Pose, interpolate_pose, pan, turn, zoom
from topoview.scene.topology_scene import TopologyScene
from topoview.ui.panels.scene.canvas import ROTATE

TURN_MILLISECONDS = 250
"""Milliseconds that the camera takes from one place to another."""

DEGREES_PER_PIXEL = 0.35
"""Turn of the camera for each pixel that the mouse is dragged."""

ZOOM_PER_NOTCH = 1.15
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
        self._turn.setDuration(TURN_MILLISECONDS)
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
            self._look(turn(pose, -dx * DEGREES_PER_PIXEL, dy * DEGREES_PER_PIXEL))
        else:
            self._whole = False
            self._look(pan(pose, dx, dy, self._scene.size[1]))

    def wheel(self, notches: float, at: QPointF) -> None:
        """Come nearer to what is at a pixel, or go away from it."""
        self._turn.stop()
        self._whole = False
        scene = self._scene
        self._look(
            zoom(scene.pose, ZOOM_PER_NOTCH**notches, at.x(), at.y(), scene.size)
        )

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
        self._look(interpolate_pose(*self._way, share))

    def _look(self, pose: Pose) -> None:
        self._scene.look_with(pose)
        self._redraw()


TRANSITION_MILLISECONDS = 400
"""Milliseconds that ranks take to their new places."""


class LayoutTransition(QObject):
    """Moves the ranks of a scene from where they were to where they are.

    Parameters
    ----------
    scene
        Whose ranks they are.
    redraw
        Called after each step.
    done
        Called when all have arrived.
    """

    def __init__(
        self,
        scene: TopologyScene,
        redraw: Callable[[], None],
        done: Callable[[], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._scene = scene
        self._redraw = redraw
        self._from: tuple[Floats, Pose, Pose] | None = None
        self._way = QVariantAnimation(self)
        self._way.setDuration(TRANSITION_MILLISECONDS)
        self._way.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._way.setStartValue(0.0)
        self._way.setEndValue(1.0)
        self._way.valueChanged.connect(self._step)
        self._way.finished.connect(self.stop)
        self._done = done

    @property
    def running(self) -> bool:
        """Whether ranks are on their way."""
        return self._from is not None

    def start(self, places: Floats, pose: Pose) -> None:
        """Begin where the ranks and the camera were; they are shown anew already."""
        now = self._scene.places
        same = len(places) != len(now) or np.array_equal(places, now)
        if not same and not self._scene.tiled:
            self._from = (places, pose, self._scene.pose)
            self._way.start()

    def stop(self) -> None:
        """Put everything to its place at once."""
        if self._from is None:
            return
        _, _, pose = self._from
        self._from = None
        self._way.stop()
        self._scene.displace(None)
        self._scene.look_with(pose)
        self._done()

    def _step(self, share: float) -> None:
        if self._from is None:
            return
        places, old, new = self._from
        self._scene.displace(places + (self._scene.places - places) * share)
        self._scene.look_with(interpolate_pose(old, new, share))
        self._redraw()
