"""The pointer over the scene: what it hovers over, and what a click selects."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QPointF, QTimer

from topoview.scene.topology_scene import TopologyScene
from topoview.session import Session
from topoview.ui.panels.scene.annotations import Hover

TIP_DELAY_MILLISECONDS = 300
"""Milliseconds until a tip is shown."""


class ScenePointer(QObject):
    """Follows the pointer.

    Parameters
    ----------
    session
        Takes what is selected.
    scene
        What it is over.
    key
        Does what a click on the key means; tells whether the click was there.
    changed
        Called when something else is under the pointer.
    """

    def __init__(
        self,
        session: Session,
        scene: TopologyScene,
        key: Callable[[QPointF, Session], bool],
        changed: Callable[[], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._key = key
        self._session, self._scene, self._changed = session, scene, changed
        self.hover: Hover | None = None
        self._tip = QTimer(self)
        self._tip.setSingleShot(True)
        self._tip.setInterval(TIP_DELAY_MILLISECONDS)
        self._tip.timeout.connect(self._tell)

    def leave(self) -> None:
        """Forget what was under it."""
        self._set(None)

    def click(self, at: QPointF, adds: bool) -> None:
        """Select the rank or edge there, or do what the key says."""
        if self._key(at, self._session):
            return
        rank = self._scene.pick(at.x(), at.y())
        if rank is None:
            edge = self._scene.pick_edge(at.x(), at.y())
            self._session.select(edge=edge)
            return
        chosen = self._session.state.selection.ranks if adds else ()
        other = set(chosen) ^ {rank}
        self._session.select(ranks=tuple(sorted(other)))

    def move(self, at: QPointF) -> None:
        """See what is there."""
        rank = self._scene.pick(at.x(), at.y())
        edge = None if rank is not None else self._scene.pick_edge(at.x(), at.y())
        over = rank is not None or edge is not None
        self._set(Hover(at.x(), at.y(), rank, edge) if over else None)

    def _set(self, hover: Hover | None) -> None:
        old = self.hover
        if hover is not None and old is not None:
            same = (hover.rank, hover.edge) == (old.rank, old.edge)
            if same and old.tip:
                return
        if old is None and hover is None:
            return
        self.hover = hover
        self._tip.stop()
        if hover is not None:
            self._tip.start()
        self._changed()

    def _tell(self) -> None:
        if self.hover is not None:
            at = self.hover
            self.hover = Hover(at.x, at.y, at.rank, at.edge, tip=True)
            self._changed()
