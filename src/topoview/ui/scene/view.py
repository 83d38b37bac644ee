"""The scene in the window: follows the session, the mouse and the theme."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from topoview.model import RankValues
from topoview.scene.camera import Pose
from topoview.scene.topology_scene import TopologyScene
from topoview.session import Session, State, View, shown_choice
from topoview.ui.latest_only import LatestOnly
from topoview.ui.scene.camera import CameraControl
from topoview.ui.scene.canvas import SceneCanvas
from topoview.ui.scene.change import LayoutChange
from topoview.ui.scene.content import SceneContent, prepare
from topoview.ui.scene.lasso import SceneLasso
from topoview.ui.scene.lens import FIRST, Lens
from topoview.ui.scene.links import SceneLinks
from topoview.ui.scene.moment import Moments, SceneMoment, looks
from topoview.ui.scene.pointer import ScenePointer
from topoview.ui.scene.room import SceneRoom
from topoview.ui.scene.smooth import SceneSmooth
from topoview.ui.scene.switch import LayoutSwitch
from topoview.ui.scene.traffic import TrafficLater
from topoview.ui.scene.written import SceneWritten
from topoview.ui.widgets import Overlay


class SceneView(QWidget):
    """Shows the ranks in the shape of their topology, coloured by state.

    Drag turns, Shift or another button moves, the wheel zooms at the pointer; a
    click selects a rank or an edge, Ctrl adds; a drag with Ctrl selects in a box,
    with Shift too in a lasso; a double click centres.

    Signals
    -------
    filled
        There is something else to see.
    """

    filled = Signal()

    def __init__(
        self, session: Session, parent: QWidget | None = None, lens: Lens = FIRST
    ) -> None:
        super().__init__(parent)
        self.session, self.lens = session, lens
        self._content: SceneContent | None = None
        self._traffic = TrafficLater(self._colour)
        self._moments = Moments(self._traffic)
        self._shown: SceneMoment | None = None
        self.canvas = SceneCanvas(self)
        self.scene = TopologyScene(self.canvas.plotter, session.state.view.theme)
        self._room = SceneRoom(self.scene, keyed=lens.keyed)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.canvas)
        self.written = SceneWritten(self.scene, keyed=lens.keyed)
        self._overlay = Overlay(self, self._paint)
        self._switch = LayoutSwitch(self)
        self._switch.chosen.connect(lambda name: lens.choose(session, name))
        self._switch.hide()
        self._smooth = SceneSmooth(self.scene, self.canvas, self._again, self)
        self.camera = CameraControl(self.scene, self._move, self)
        self._change = LayoutChange(self.scene, self._move, self._arrived, self)
        self._lasso = SceneLasso(session, self.scene, self)
        self._links = SceneLinks(self.scene, self._redraw, self)
        self._pointer = ScenePointer(
            session, self.scene, self.written.click, self._overlay.update, self
        )
        self._connect()
        self._worker: LatestOnly[State, SceneContent | None] = LatestOnly(
            lambda state, _: prepare(state, self._content), self._take
        )
        self._unsubscribe = session.subscribe(self._follow)
        self._follow(State(), session.state)

    @property
    def state(self) -> State:
        """The session's state as this view shows it."""
        return self.lens.seen(self.session.state)

    @property
    def _asleep(self) -> bool:
        """Whether nobody sees it: only of the second view, which may be closed."""
        return self.lens is not FIRST and not self.isVisible()

    def wake(self) -> None:
        """Show the session as it is now."""
        self.scene.set_theme(self.state.view.theme)
        if self._content is not None and self._content.shows(self.state):
            self._show_content(self._content, self.scene.pose)
        else:
            self._worker.ask(self.state)

    def _connect(self) -> None:
        canvas = self.canvas
        canvas.dragged.connect(self._drag)
        canvas.wheeled.connect(self.camera.wheel)
        canvas.clicked.connect(self._pointer.click)
        canvas.double_clicked.connect(self.camera.centre)
        canvas.hovered.connect(self._pointer.move)
        canvas.left.connect(self._pointer.leave)
        canvas.drawn.connect(self._lasso.follow)
        canvas.released.connect(self._lasso.finish)
        self._lasso.changed.connect(self._overlay.update)
        canvas.resized.connect(self._resize)

    @property
    def content(self) -> SceneContent | None:
        """What is shown, None before there is anything."""
        return self._content

    @property
    def layout_name(self) -> str:
        """Name of the layout that is shown, empty if none is."""
        return "" if self._content is None else self._content.layout.name

    @property
    def values(self) -> RankValues | None:
        """Numbers that the ranks' colours tell; None for states."""
        return None if self._shown is None else self._shown.values

    @property
    def hovered(self) -> int | None:
        """Rank under the pointer."""
        hover = self._pointer.hover
        return None if hover is None else hover.rank

    @property
    def busy(self) -> bool:
        """Whether something is still to be prepared, turned or smoothed."""
        moving = self.camera.turning or self._change.running
        working = self._worker.busy or self._links.busy
        return working or moving or self._smooth.busy

    # the session

    def _follow(self, old: State, new: State) -> None:
        if self._asleep:
            return
        old, new = self.lens.seen(old), self.lens.seen(new)
        if new.view.theme != old.view.theme:
            self.scene.set_theme(new.view.theme)
            self._redraw()
        if self._content is None or not self._content.shows(new):
            self._worker.ask(new)
        if self._content is not None and not self._content.is_of(new):
            self._take(new, None)
            return
        view, before = new.view, old.view
        if looks(new) != looks(old):
            if new.time != old.time:
                self._move()
            self._colour()
        if (view.labels, new.mark, new.unit) != (before.labels, old.mark, old.unit):
            self._overlay.update()
        if view.edges != before.edges:
            self.scene.show_edges(shown=view.edges)
            self._redraw()
        self._follow_geometry(before, view)
        if new.selection != old.selection:
            self._links.follow(new)

    def _follow_geometry(self, old: View, new: View) -> None:
        """Draw edges, copies and slices anew where ranks stay."""
        if old.geometry == new.geometry or self._content is None:
            return
        was, now = old.geometry, new.geometry
        if (was.wrap, was.copies) != (now.wrap, now.copies):
            self._show_content(self._content, self.scene.pose)
        elif (was.ranges, was.outside) != (now.ranges, now.outside):
            self.scene.slice(now)
            self._colour()

    def _take(self, state: State, content: SceneContent | None) -> None:
        """Show what was prepared, if it is still what is wanted."""
        now = self.state
        if content is not None and (content is self._content or not content.shows(now)):
            return  # asked for twice, or too late
        del state
        before, places, pose = self._content, self.scene.places, self.scene.pose
        self._change.stop()
        self._content = content
        self._pointer.leave()
        if content is None:
            self._shown = None
            self.scene.clear()
            self._switch.hide()
            self._redraw()
            return
        same = before is not None and before.match is content.match
        stays = before is not None and before.layout.name == content.layout.name
        self._show_content(content, pose if same and stays else None)
        if same and not stays:
            self._change.start(places, pose)

    def _show_content(self, content: SceneContent, pose: Pose | None) -> None:
        """Fill the scene; seen from its home, or from the side of a pose."""
        now = self.state
        geometry = now.view.geometry
        self.scene.show(content.match, content.layout, content.matrix, geometry)
        self.scene.show_edges(shown=now.view.edges)
        self._links.set(now)
        if pose is not None:
            self.scene.look_with(self.scene.fitted(pose))
        self.camera.renew()
        self._switch.offer_layouts(content)
        self._place_switch()
        self._resize()
        self._colour()
        self.filled.emit()

    def _arrived(self) -> None:
        """Show again what is not shown on the way to another layout."""
        self.scene.show_edges(shown=self.state.view.edges)
        self._colour()

    def _again(self) -> None:
        """Show the same in another detail."""
        if self._shown is not None and not self._change.running:
            self.scene.show_edges(shown=self.state.view.edges)
            self._shown.draw(self.scene)
        self._overlay.update()

    def _colour(self) -> None:
        content, state = self._content, self.state
        if content is None:
            return
        with self._smooth.timed():
            self._shown = self._moments.at(state, content)
            self._shown.draw(self.scene)
        if self._room.changes(state, content, self._shown, float(self.width())):
            self._resize()
        else:
            self._redraw()

    # the mouse and keys

    def _drag(self, how: str, dx: float, dy: float) -> None:
        self._pointer.leave()
        self.camera.drag(how, dx, dy)

    def _redraw(self) -> None:
        self._smooth.draw()
        self._overlay.update()

    def _move(self) -> None:
        self._smooth.move()
        self._overlay.update()

    def _resize(self) -> None:
        size = (float(max(self.width(), 1)), float(max(self.height(), 1)))
        if self._content is not None and self._shown is not None:
            self._room.changes(self.state, self._content, self._shown, size[0])
        self.scene.resize(size, self.devicePixelRatioF(), self._room.pixels)
        self.camera.refit()
        self._move()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Keep the overlay over the canvas and the switch at its corner."""
        super().resizeEvent(event)
        self._overlay.resize(event.size())
        self._place_switch()

    def _place_switch(self) -> None:
        if self._content is not None:
            self._switch.place(self._content, shown_choice(self.session.state))

    def _paint(self, painter: QPainter) -> None:
        content, shown = self._content, self._shown
        if content is None or shown is None:
            return
        with self._smooth.timed():
            hover = self._pointer.hover
            self.written.paint(painter, self.state, content, shown, hover)
        self._lasso.paint(painter)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        """End the thread and VTK's window."""
        self._unsubscribe()
        self._worker.stop()
        self._links.stop()
        self._traffic.stop()
        self.camera.stop()
        self._change.stop()
        self._smooth.stop()
        self._pointer.leave()
        self._content = self._shown = None  # paints may still come
        self.scene.close()
        self.canvas.close()
        super().closeEvent(event)
