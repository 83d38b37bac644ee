"""From one layout to the next: ranks wander to their new places."""

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation

from topoview.model import Floats
from topoview.scene.camera import Pose, between
from topoview.scene.topology_scene import TopologyScene

CHANGE_TIME = 400
"""Milliseconds that ranks take to their new places."""


class LayoutChange(QObject):
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
        self._way.setDuration(CHANGE_TIME)
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
        self._scene.look_with(between(old, new, share))
        self._redraw()
