"""What is written over the scene in the window: painted anew only if it changes."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPixmap

from topoview.scene.topology_scene import TopologyScene
from topoview.session import State
from topoview.ui.overlay import paint_annotations
from topoview.ui.scene_content import SceneContent
from topoview.ui.scene_moment import SceneMoment
from topoview.ui.scene_notes import Hover, annotate


class SceneWritten:
    """Paints title, keys, labels, rings and cards over a scene.

    Qt asks for them with each of the scene's frames, and whenever something near
    changes. They are kept as a pixmap.

    Attributes
    ----------
    painted
        How many times they were painted, not only shown again.
    """

    def __init__(self, scene: TopologyScene) -> None:
        self._scene = scene
        self._of: tuple[object, ...] = ()
        self._kept: tuple[object, ...] = ()
        self._pixmap = QPixmap()
        self.painted = 0

    def paint(
        self,
        painter: QPainter,
        state: State,
        content: SceneContent,
        shown: SceneMoment,
        hover: Hover | None,
    ) -> None:
        """Paint them over all of a widget."""
        scene = self._scene
        ratio = painter.device().devicePixelRatioF()
        same = (state, content, shown, scene.pose, scene.detail, hover)
        of = (*map(id, same), scene.size, ratio)
        if of != self._of:
            width, height = (round(side * ratio) for side in scene.size)
            if (width, height) != self._pixmap.size().toTuple():
                self._pixmap = QPixmap(width, height)
            self._pixmap.setDevicePixelRatio(ratio)
            self._pixmap.fill(Qt.GlobalColor.transparent)
            notes = annotate(state, content, scene, shown, hover=hover)
            with QPainter(self._pixmap) as inner:
                paint_annotations(inner, notes, scene.size)
            self._of, self._kept = of, same  # or ids could be given again
            self.painted += 1
        painter.drawPixmap(0, 0, self._pixmap)
