"""Motion in the scene: the camera under mouse and keys, and changes of layout."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QEasingCurve, QObject, QPointF, QVariantAnimation

from topoview.model import Floats, Pose
from topoview.scene.camera import interpolate_pose, pan, turn, zoom
from topoview.scene.topology_scene import TopologyScene
from topoview.session import Camera
from topoview.ui.panels.scene.canvas import ROTATE

TURN_MILLISECONDS = 250
"""Milliseconds that the camera takes from one place to another."""

DEGREES_PER_PIXEL = 0.35
"""Turn of the camera for each pixel that the mouse is dragged."""

ZOOM_PER_NOTCH = 1.15
"""How much nearer the camera comes for each notch of the wheel."""


class CameraControl(QObject):
    """Moves the camera of a scene: to where the state says, and under the mouse.

    Parameters
    ----------
    scene
        Whose camera it is.
    redraw
        Called after each move.
    keep
        Puts into the state what the mouse did.
    """

    def __init__(
        self,
        scene: TopologyScene,
        redraw: Callable[[], None],
        keep: Callable[[Camera], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._scene = scene
        self._redraw = redraw
        self._keep = keep
        self._camera = Camera()
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

    def renew(self, camera: Camera) -> None:
        """Look at a scene that was filled anew."""
        self._turn.stop()
        self._camera = camera
        self._scene.look_with(self._pose())

    def follow(self, camera: Camera) -> None:
        """Go to where the state says, unless it is what the mouse did."""
        if camera == self._camera:
            return
        before, self._camera = self._camera, camera
        if replace(before, parallel=camera.parallel) == camera:
            self._look(replace(self._scene.pose, parallel=camera.parallel))
        else:
            self._go(self._pose())

    def refit(self) -> None:
        """Follow a new size, unless the user has chosen what she looks at."""
        if self._camera.whole:
            self._scene.look_with(self._scene.fitted())

    def drag(self, how: str, dx: float, dy: float) -> None:
        """Turn or move by pixels that the mouse was dragged."""
        pose = self._scene.pose
        if how == ROTATE:
            pose = turn(pose, -dx * DEGREES_PER_PIXEL, dy * DEGREES_PER_PIXEL)
            self._take(pose, whole=self._camera.whole, turned=True)
        else:
            self._take(pan(pose, dx, dy, self._scene.size[1]))

    def wheel(self, notches: float, at: QPointF) -> None:
        """Zoom in to what is at a pixel, or out."""
        scene = self._scene
        factor = ZOOM_PER_NOTCH**notches
        self._take(zoom(scene.pose, factor, at.x(), at.y(), scene.size))

    def centre(self, at: QPointF) -> None:
        """Turn about the rank at a pixel from now on; beside all, show everything."""
        rank = self._scene.pick(at.x(), at.y())
        if rank is None:
            pose = self._scene.pose
            self._keep(Camera("", pose, parallel=pose.parallel))
            return
        pose = self._scene.centred(rank)
        self._keep(Camera("", pose, whole=False, parallel=pose.parallel))

    def _pose(self) -> Pose:
        """Find the pose that the camera of the state means."""
        camera = self._camera
        side = camera.pose or self._scene.look(camera.preset)
        side = replace(side, parallel=camera.parallel)
        fits = camera.whole and not camera.turned
        return self._scene.fitted(side) if fits else side

    def _take(self, pose: Pose, *, whole: bool = False, turned: bool = False) -> None:
        """Look from where the mouse has brought the camera."""
        self._turn.stop()
        self._camera = Camera("", pose, whole, turned, pose.parallel)
        self._look(pose)
        self._keep(self._camera)

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
