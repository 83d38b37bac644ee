"""Draws a scene coarsely while it changes, and smoothly when it stands still."""

from PySide6.QtCore import QObject, QTimer

from topoview.scene.topology_scene import TopologyScene
from topoview.ui.scene_canvas import OVERSAMPLED, SceneCanvas

AFTER = 200
"""Milliseconds until a still picture is smoothed."""

MOST = 2000
"""Most ranks of which a still picture is smoothed."""


class SceneSmooth(QObject):
    """Draws a scene on its canvas, again and smoothly after a while."""

    def __init__(
        self, scene: TopologyScene, canvas: SceneCanvas, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._scene, self._canvas = scene, canvas
        self._later = QTimer(self, singleShot=True, interval=AFTER)
        self._later.timeout.connect(self._smooth)

    @property
    def busy(self) -> bool:
        """Whether what is drawn is still to be smoothed."""
        return self._later.isActive()

    def draw(self) -> None:
        """Draw at once."""
        self._set_fine(fine=False)
        self._canvas.redraw()
        self._later.start()

    def stop(self) -> None:
        """Leave it as it is."""
        self._later.stop()

    def _smooth(self) -> None:
        self._scene.moving(moving=False)
        self._set_fine(fine=self._scene.ranks <= MOST)
        self._canvas.redraw()

    def _set_fine(self, *, fine: bool) -> None:
        self._canvas.set_fine(fine=fine)
        self._scene.enlarge(OVERSAMPLED if fine else 1.0)
