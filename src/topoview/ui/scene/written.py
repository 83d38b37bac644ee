"""What is written over the scene in the window: painted anew only if it changes."""

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPixmap

from topoview.scene.annotations import Annotations
from topoview.scene.topology_scene import TopologyScene
from topoview.session import Session, State
from topoview.ui.overlay.paint import paint_annotations
from topoview.ui.overlay.rows import below, entry_at
from topoview.ui.overlay.scale import MARGIN
from topoview.ui.scene.content import SceneContent
from topoview.ui.scene.moment import SceneMoment
from topoview.ui.scene.notes import Hover, annotate


class SceneWritten:
    """Paints title, keys, labels, rings and cards over a scene.

    Qt asks for them with each of the scene's frames, and whenever something near
    changes. They are kept as a pixmap.

    Attributes
    ----------
    painted
        How many times they were painted, not only shown again.
    """

    def __init__(self, scene: TopologyScene, *, keyed: bool = True) -> None:
        self._scene, self._keyed = scene, keyed
        self._of: tuple[object, ...] = ()
        self._kept: tuple[object, ...] = ()
        self._pixmap = QPixmap()
        self._notes: Annotations | None = None
        self._shown: SceneMoment | None = None
        self.painted = 0

    def click(self, at: QPointF, session: Session) -> bool:
        """Do what a click on the key does; tells whether there is something there.

        A state's ranks are brought out, and a category's are selected; a second
        click undoes it.
        """
        notes, shown = self._notes, self._shown
        if notes is None or shown is None:
            return False
        width, height = self._scene.size
        rows = below(notes.scales, notes.key, notes.legends, width)
        entry = entry_at(rows, at.x(), height - MARGIN - at.y())
        if entry is None or entry.of < 0:
            return entry is not None
        if shown.values is None:
            same = session.state.view.focus == {entry.of}
            session.view(focus=frozenset() if same else frozenset({entry.of}))
            return True
        ranks = tuple(np.flatnonzero(shown.values.values == entry.of).tolist())
        same = session.state.selection.ranks == ranks
        session.select(ranks=() if same else ranks)
        return True

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
            notes = annotate(
                state, content, scene, shown, hover=hover, keyed=self._keyed
            )
            with QPainter(self._pixmap) as inner:
                paint_annotations(inner, notes, scene.size)
            self._notes, self._shown = notes, shown
            self._of, self._kept = of, same  # or ids could be given again
            self.painted += 1
        painter.drawPixmap(0, 0, self._pixmap)
