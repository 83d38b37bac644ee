"""The scene in the window: follows the session, the mouse and the theme.

A second view of the same ranks has a layout and a camera of its own.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QCloseEvent, QPainter, QPixmap, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from topoview.base.text import tr
from topoview.live.layouts import LAYOUT_TEXTS, all_layouts, shape_of_planes
from topoview.model import RankValues
from topoview.scene.annotations import Annotations
from topoview.scene.axes.plane_faces import CutBlock
from topoview.scene.palette import THEMES
from topoview.scene.ranks.forms import LEAST_GAPPED
from topoview.scene.topology_scene import TopologyScene
from topoview.session import Camera, MatchChoice, SceneOptions, Session, State
from topoview.ui.panels.scene.camera import CameraControl, LayoutTransition
from topoview.ui.panels.scene.canvas import PUSH, SceneCanvas, SceneSmoothing
from topoview.ui.panels.scene.content import SceneContent, prepare_scene
from topoview.ui.panels.scene.edges import BackgroundTraffic, SelectionEdges
from topoview.ui.panels.scene.moment import MomentFinder, SceneMoment, look_of
from topoview.ui.panels.scene.overlay import below
from topoview.ui.panels.scene.overlay import paint as overlay
from topoview.ui.panels.scene.overlay.annotations import Hover, LegendRoom, annotate
from topoview.ui.panels.scene.overlay.cut_sliders import CutControl
from topoview.ui.panels.scene.overlay.message_card import MessageCard
from topoview.ui.panels.scene.overlay.shape_card import ShapeCard
from topoview.ui.panels.scene.overlay.symbols import heading_of
from topoview.ui.panels.scene.pointer import SceneLasso, ScenePointer
from topoview.ui.panels.scene.view_slots import FIRST_VIEW, SECOND_VIEW, ViewSlot
from topoview.ui.widgets import controls
from topoview.ui.widgets.latest_only import LatestOnly
from topoview.ui.widgets.layouts import filled
from topoview.ui.widgets.panel import Panel, PointedThing

SWITCH_MARGIN = 12

LEAST_RANK_WITH_MARKS = 6.0
"""Pixels of a rank below which messages are drawn of selected ranks alone, unasked."""


class LayoutSwitch(controls.Segmented):
    """Offers the layouts that a match has of its own, and the one that is shown."""

    def offer_layouts(self, content: SceneContent) -> None:
        """Show what can be chosen, and what is."""
        names = dict.fromkeys((*content.layouts, content.layout.name))
        choices = {name: LAYOUT_TEXTS[name] for name in names}
        self.offer(choices, content.layout.name)

    def place(self, content: SceneContent, shown: MatchChoice | None) -> None:
        """Place it at the right unless the title is there: the tool bar has it too."""
        self.adjustSize()
        scene = self.parentWidget()
        left = (0 if scene is None else scene.width()) - self.width() - SWITCH_MARGIN
        self.move(left, SWITCH_MARGIN)
        beside = left > overlay.heading_width(*heading_of(content, shown))
        self.setVisible(beside and len(content.layouts) > 1)


# What is written over the scene in the window: painted anew only if it changes.


class OverlayCache:
    """Paints title, keys, labels, rings and cards over a scene.

    Qt asks for them with each of the scene's frames, and whenever something near
    changes. What stays the same while it plays is kept as a pixmap.
    """

    def __init__(self, scene: TopologyScene, room: LegendRoom) -> None:
        self._scene, self._room = scene, room
        self._of: tuple[object, ...] = ()
        self._kept: tuple[object, ...] = ()
        self._standing, self._moment = KeptPicture(), KeptPicture()
        self.notes: Annotations | None = None
        """What is written; None before anything is."""
        self._shown: SceneMoment | None = None
        self.painted = 0
        """How many times there was something else to paint."""

    @property
    def block(self) -> CutBlock | None:
        """The cut block that is painted; None if there is none."""
        sheet = None if self.notes is None else self.notes.sheet
        return None if sheet is None else sheet.block

    def tip_at(self, at: QPointF) -> str:
        """Explain the legend at a place; empty if there is none."""
        notes = self.notes
        if notes is None:
            return ""
        width, height = self._scene.size
        rows = below.place_below(notes.scales, notes.key, notes.legends, width)
        return below.legend_tip(rows, at.x(), height - below.OVERLAY_MARGIN - at.y())

    def click(self, at: QPointF, session: Session) -> bool:
        """Act on a click on the key; return whether there is something there.

        A state's ranks are brought out, and a category's are selected; a second
        click undoes it.
        """
        notes, shown = self.notes, self._shown
        if notes is None or shown is None:
            return False
        width, height = self._scene.size
        rows = below.place_below(notes.scales, notes.key, notes.legends, width)
        entry = below.entry_at(rows, at.x(), height - below.OVERLAY_MARGIN - at.y())
        if entry is None or entry.of < 0:
            return entry is not None
        if shown.values is None:
            same = session.state.focus == {entry.of}
            session.update(focus=frozenset() if same else frozenset({entry.of}))
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
        room = scene.size, ratio
        of = (*map(id, same), room, self._room.less)
        if self.notes is None or of != self._of:
            notes = annotate(
                state, content, scene, shown, hover=hover, keyed=self._room.keyed
            )
            key, legends = below.leave_out(self._room.less, notes.key, notes.legends)
            self.notes = replace(notes, key=key, legends=legends)
            self._shown = shown
            self._of, self._kept = of, same  # or ids could be given again
            self.painted += 1
            standing_now, moment_now = (
                overlay.standing(self.notes),
                overlay.of_moment(self.notes),
            )
            self._standing.keep(standing_now, overlay.paint_standing, self.notes, room)
            self._moment.keep(moment_now, overlay.paint_moment, self.notes, room)
        painter.drawPixmap(0, 0, self._standing.pixmap)
        painter.drawPixmap(0, 0, self._moment.pixmap)
        overlay.paint_rings(painter, self.notes)
        overlay.paint_changing(painter, self.notes, scene.size)


class KeptPicture:
    """Keeps what was painted as long as the same is to be painted."""

    def __init__(self) -> None:
        self.pixmap = QPixmap()
        self._of: tuple[object, ...] = ()

    def keep(
        self,
        of: tuple[object, ...],
        paint: Callable[[QPainter, Annotations, tuple[float, float]], None],
        notes: Annotations,
        room: tuple[tuple[float, float], float],
    ) -> None:
        """Paint notes unless the picture is `of` the same, in the same room.

        Parameters
        ----------
        room
            Width and height in pixels, and device pixels a pixel.
        """
        if self._of == (*of, room):
            return
        size, ratio = room
        width, height = (round(side * ratio) for side in size)
        if (width, height) != self.pixmap.size().toTuple():
            self.pixmap = QPixmap(width, height)
        self.pixmap.setDevicePixelRatio(ratio)
        self.pixmap.fill(Qt.GlobalColor.transparent)
        with QPainter(self.pixmap) as painter:
            paint(painter, notes, size)
        self._of = *of, room


def _written(state: State) -> tuple[object, ...]:
    """Return what of a state decides what is written over the scene alone."""
    noted = state.window if state.notes else None
    units = state.time_zero, state.unit
    cut = state.scene.cut
    return (state.scene.labels, cut, *units, state.picked, state.notes, noted)


LINES_BETWEEN = 4
"""Pixels that lines between panels take of the height, at most."""


class SceneView(QWidget):
    """Shows the ranks in the shape of their topology, coloured by state.

    Drag turns, Shift or another button moves, the wheel zooms at the pointer; a
    click selects a rank or an edge, Ctrl adds; a drag with Ctrl selects in a box,
    with Shift too in a lasso; a double click centres. On planes a drag selects in a box
    or moves what a block is cut along, and the wheel goes from plane to plane.
    """

    filled = Signal()
    """There is something else to see."""
    placement_asked = Signal()
    """The user wants to choose a placement file."""
    menu_asked = Signal(object, QPoint)
    """The user wants the context menu: of which `PointedThing`, where on the screen."""

    def __init__(
        self,
        session: Session,
        parent: QWidget | None = None,
        lens: ViewSlot = FIRST_VIEW,
    ) -> None:
        super().__init__(parent)
        self.session, self.lens = session, lens
        self.content: SceneContent | None = None
        """What is shown, None before there is anything."""
        self._has_camera = False
        """Whether the state says where what is being prepared is seen from."""
        self._traffic = BackgroundTraffic(self._colour)
        self._moments = MomentFinder(self._traffic)
        self._shown: SceneMoment | None = None
        self._small = False
        self.canvas = SceneCanvas(self)
        self.scene = TopologyScene(self.canvas.renderer, session.state.theme, rays=True)
        self.canvas.without_vtk = self.scene.pixels
        self._room = LegendRoom(self.scene, keyed=lens.keyed, yields=True)
        filled(QVBoxLayout(self), self.canvas, margins=(0, 0, 0, 0))
        self.written = OverlayCache(self.scene, self._room)
        self._overlay = controls.Overlay(self, self._paint)
        self._switch = LayoutSwitch(self)
        self._switch.chosen.connect(lambda name: lens.choose(session, name))
        self._switch.hide()
        self.cuts = CutControl(
            session,
            lens,
            self.scene,
            self,
            moment=lambda: self._shown,
            block=lambda: self.written.block,
        )
        self._smooth = SceneSmoothing(self.scene, self.canvas, self._again, self)
        self.camera = CameraControl(self.scene, self._move, self._keep_camera, self)
        self._change = LayoutTransition(self.scene, self._move, self._arrived, self)
        self._lasso = SceneLasso(session, self.scene, self)
        self._links = SelectionEdges(self.scene, self._redraw, self)
        self._pointer = ScenePointer(
            session, self.scene, self.written.click, self._overlay.update, self
        )
        self._connect()
        self._worker: LatestOnly[State, SceneContent | None] = LatestOnly(
            lambda state, _: prepare_scene(
                state, self.content, self.scene.room_of_planes
            ),
            self._take,
        )
        self._unsubscribe = session.subscribe(self._follow)
        self._follow(State(), session.state)
        self.shape = ShapeCard(session, lens, lambda: self.content, self)
        self.shape.placement_asked.connect(self.placement_asked)
        self.messages: MessageCard | None = None
        if lens is FIRST_VIEW:
            self.messages = MessageCard(session, self, self.shape)
            self.canvas.resized.connect(self.messages.place)
        self.canvas.resized.connect(self.shape.renew)
        self.filled.connect(self.shape.renew)

    @property
    def state(self) -> State:
        """The session's state as this view shows it."""
        return self.lens.seen(self.session.state)

    def height_for_planes(self, usual: int, most: int) -> int:
        """Return how high the view should be, from `usual` on: so that cells grow.

        Planes of ranks that are too small to be parted get the largest cells that there
        is room for, and no more room than that.
        """
        content, (wide, high) = self.content, self.scene.room_of_planes
        if content is None or content.layout.shape != "planes":
            return usual
        around = self.scene.size[1] - high + LINES_BETWEEN

        def cell(height: int) -> float:
            room = wide, height - around
            return shape_of_planes(content.match, content.layout, room)[1]

        best = cell(most)
        if cell(usual) >= min(best, LEAST_GAPPED):
            return usual
        return bisect_left(range(most), best, lo=usual, hi=most, key=cell)

    @property
    def _are_small(self) -> bool:
        """Whether ranks are too small for marks of messages to be told apart."""
        return self.scene.rank_pixels < LEAST_RANK_WITH_MARKS

    @property
    def _asleep(self) -> bool:
        """Whether nobody sees it: only of the second view, which may be closed."""
        return self.lens is not FIRST_VIEW and not self.isVisible()

    def wake(self) -> None:
        """Show the session as it is now."""
        self.scene.set_theme(self.state.theme)
        if self.content is not None and self.content.shows(self.state):
            self._show_content(self.content)
        else:
            self._worker.ask(self.state)

    def _connect(self) -> None:
        canvas = self.canvas
        canvas.dragged.connect(self._drag)
        canvas.wheeled.connect(self.camera.wheel)
        canvas.stepped.connect(self._step)
        canvas.clicked.connect(self._pointer.click)
        canvas.double_clicked.connect(self._double_click)
        canvas.hovered.connect(self._pointer.move)
        canvas.left.connect(self._pointer.leave)
        canvas.menu_asked.connect(self._ask_menu)
        canvas.hovered.connect(lambda at: canvas.setToolTip(self.written.tip_at(at)))
        canvas.drawn.connect(self._lasso.follow)
        canvas.released.connect(self._lasso.finish)
        self._lasso.changed.connect(self._overlay.update)
        canvas.resized.connect(self._resize)

    @property
    def layout_name(self) -> str:
        """Name of the layout that is shown, empty if none is."""
        return "" if self.content is None else self.content.layout.name

    @property
    def values(self) -> RankValues | None:
        """Numbers that the ranks' colours tell; None for states."""
        return None if self._shown is None else self._shown.values

    def toggle_shape(self) -> None:
        """Open or close the card about its shape."""
        self.shape.toggle()

    @property
    def hovered(self) -> int | None:
        """Rank under the pointer."""
        hover = self._pointer.hover
        return None if hover is None else hover.rank

    @property
    def busy(self) -> bool:
        """Whether something is still to be prepared, turned or smoothed."""
        moving = self.camera.turning or self._change.running
        working = self._worker.busy or self._links.busy or self._traffic.busy
        return working or moving or self._smooth.busy

    # the session

    def _follow(self, old: State, new: State) -> None:
        if self._asleep:
            return
        old, new = self.lens.seen(old), self.lens.seen(new)
        if new.theme != old.theme:
            self.scene.set_theme(new.theme)
            self._redraw()
        if self.content is None or not self.content.shows(new):
            self._has_camera |= new.camera != old.camera
            self._worker.ask(new)
        if self.content is not None and not self.content.is_of(new):
            self._take(new, None)
            return
        view, before = new.scene, old.scene
        small = self._small
        if look_of(new, small=small) != look_of(old, small=small):
            if new.time != old.time:
                self._move()
            self._colour()
        if _written(new) != _written(old) or new.selection != old.selection:
            self.cuts.show_cut()
            self._overlay.update()
        if view.edges != before.edges:
            self.scene.show_edges(shown=view.edges)
            self._redraw()
        self._fit_geometry(old, new)
        self._follow_geometry(before, view)
        self._follow_camera(new)
        if new.selection != old.selection:
            self._links.follow(new)

    def _follow_camera(self, new: State) -> None:
        """Look from where the state says; marks go where ranks become too small."""
        self.camera.follow(new.camera)
        if self._are_small != self._small and new.scene.messages is None:
            self._colour()

    def _fit_geometry(self, old: State, new: State) -> None:
        """Show all of copies and wrap-around edges that come or go."""
        was, now = old.scene.geometry, new.scene.geometry
        same = (was.wrap, was.copies) == (now.wrap, now.copies)
        if self.content is not None and not same and new.camera == old.camera:
            self._fit(replace(new.camera, whole=True, turned=False))

    def _follow_geometry(self, old: SceneOptions, new: SceneOptions) -> None:
        """Draw edges, copies and slices anew where ranks stay."""
        if old.geometry == new.geometry or self.content is None:
            return
        was, now = old.geometry, new.geometry
        if (was.wrap, was.copies) != (now.wrap, now.copies):
            self._show_content(self.content)
        elif (was.ranges, was.outside, was.shrink, was.diagonals) != (
            now.ranges,
            now.outside,
            now.shrink,
            now.diagonals,
        ):
            self.scene.slice(now)
            self._colour()

    def _take(self, state: State, content: SceneContent | None) -> None:
        """Show what was prepared, if it is still what is wanted."""
        now = self.state
        if content is not None and (content is self.content or not content.shows(now)):
            return  # asked for twice, or too late
        del state
        before, places, pose = self.content, self.scene.places, self.scene.pose
        self._change.stop()
        self.content = content
        self._pointer.leave()
        if content is None:
            self._shown = None
            self.scene.clear()
            self._switch.hide()
            self.cuts.show_cut()
            self._redraw()
            return
        same = before is not None and before.match is content.match
        stays = before is not None and before.layout.name == content.layout.name
        if self._has_camera:
            pass
        elif same and stays:
            self._fit(replace(now.camera, whole=True, turned=False))
        elif before is not None:
            self._fit(Camera(parallel=now.camera.parallel))
        self._has_camera = False
        self._show_content(content)
        if same and not stays:
            self._change.start(places, pose)

    def _keep_camera(self, camera: Camera) -> None:
        self.lens.look(self.session, camera)

    def _fit(self, camera: Camera) -> None:
        """Look from elsewhere since something else is shown."""
        self.session.adjust(**{self.lens.camera: camera})

    def _show_content(self, content: SceneContent) -> None:
        """Fill the scene; seen from where the state says."""
        now = self.state
        geometry = now.scene.geometry
        self.scene.show(
            content.match, content.layout, content.matrix, geometry, content.measure
        )
        self.scene.show_edges(shown=now.scene.edges)
        self._links.set(now)
        self.canvas.handle_at = self.cuts.take_handle if content.is_sheet else None
        self.camera.renew(now.camera)
        self._switch.offer_layouts(content)
        self._place_switch()
        self._resize()
        self._colour()
        self.filled.emit()

    def _arrived(self) -> None:
        """Show again what is not shown on the way to another layout."""
        self.scene.show_edges(shown=self.state.scene.edges)
        self._colour()

    def _again(self) -> None:
        """Show the same in another detail."""
        shown = self._shown
        if self.content is None or shown is None:
            return
        if self.scene.detail.messages and not shown.sought:
            self._shown = shown = self._moments.at(
                self.state, self.content, small=self._small
            )
        if not self._change.running:
            self.scene.show_edges(shown=self.state.scene.edges)
            shown.draw(self.scene)
        self._overlay.update()

    def _colour(self) -> None:
        content, state = self.content, self.state
        if content is None:
            return
        with self._smooth.timed():
            detail = self.scene.detail
            self._small = self._are_small
            self._shown = self._moments.at(
                state, content, messages=detail.messages, small=self._small
            )
            self._shown.draw(self.scene)
        if self._room.changes(state, content, self._shown, self._size):
            self._resize()
        else:
            self._redraw()

    # the mouse and keys

    def _ask_menu(self, at: QPointF) -> None:
        if self.content is not None:
            thing = PointedThing(self._pointer.choose(at))
            self.menu_asked.emit(thing, self.canvas.mapToGlobal(at.toPoint()))

    def _drag(self, how: str, dx: float, dy: float) -> None:
        self._pointer.leave()
        if how == PUSH:
            self.cuts.push(dx, dy)
        else:
            self.camera.drag(how, dx, dy)

    def _step(self, by: int, at: QPointF) -> None:
        """Go on by planes; where there is one only, come nearer or go away."""
        if self.scene.planes is not None and self.scene.planes.counted < 0:
            self.camera.wheel(-by, at)
        else:
            self.cuts.step_at(by, at)

    def _double_click(self, at: QPointF) -> None:
        """Turn about the rank there, cut a block through it, or show its plane."""
        if self.scene.planes is None or self.scene.planes.counted < 0:
            self.camera.centre(at)
        elif (rank := self.scene.pick(at.x(), at.y())) is not None:
            (self.cuts.cut_at if self.scene.is_cut else self.cuts.turn_alone)(rank)

    def _redraw(self) -> None:
        self._smooth.draw()
        self._overlay.update()

    def _move(self) -> None:
        self._smooth.move()
        self._overlay.update()

    @property
    def _size(self) -> tuple[float, float]:
        return float(max(self.width(), 1)), float(max(self.height(), 1))

    def _resize(self) -> None:
        size = self._size
        if self.content is not None and self._shown is not None:
            self._room.changes(self.state, self.content, self._shown, size)
        self.scene.resize(size, self.devicePixelRatioF(), self._room.pixels)
        content = self.content
        if content is not None and not content.fits(self.scene.room_of_planes):
            self._worker.ask(self.state)
        self.camera.refit()
        self.cuts.show_cut()
        self._move()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the overlay over the canvas and the switch at its corner."""
        super().resizeEvent(event)
        self._overlay.resize(event.size())
        self._place_switch()

    def _place_switch(self) -> None:
        if self.content is not None:
            self._switch.place(self.content, self.session.state.derived.choice)

    def _paint(self, painter: QPainter) -> None:
        content, shown = self.content, self._shown
        if content is None or shown is None:
            return
        with self._smooth.timed():
            hover = self._pointer.hover
            self.written.paint(painter, self.state, content, shown, hover)
        self._lasso.paint(painter)

    def closeEvent(self, event: QCloseEvent) -> None:
        """End the thread and VTK's window."""
        self._unsubscribe()
        self._worker.stop()
        self._links.stop()
        self._traffic.stop()
        self.camera.stop()
        self._change.stop()
        self._smooth.stop()
        self._pointer.leave()
        self.content = self._shown = None  # paints may still come
        self.scene.close()
        self.canvas.close()
        super().closeEvent(event)


class SecondScene(Panel):
    """Holds the second view; there is none until it is shown for the first time.

    While it is hidden it takes no notice of the session.
    """

    placement_asked = Signal()
    """The user wants to choose a placement file."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.view: SceneView | None = None
        """The view; None before it is shown."""
        self._box = filled(QVBoxLayout(self), margins=(0, 0, 0, 0))
        self.setMinimumSize(160, 120)
        controls.follow(self, session, self._paint, to=("theme",))
        self._paint(session.state, session.state)

    def bar(self, title: str) -> controls.DockBar:
        """Create its title bar."""
        bar = SecondBar(self.session, title)
        bar.shape_asked.connect(self._toggle_shape)
        return bar

    def _paint(self, _: State, new: State) -> None:
        panel = THEMES[new.theme].panel
        if self.property("panel") != panel:
            self.setProperty("panel", panel)
            self.setStyleSheet(f"SecondScene {{ background: {panel}; }}")

    def showEvent(self, event: QShowEvent) -> None:
        """Create the view now that somebody looks."""
        super().showEvent(event)
        if self.view is None:
            self.view = SceneView(self.session, self, SECOND_VIEW)
            self._box.addWidget(self.view)
            self.view.placement_asked.connect(self.placement_asked)
            self.view.menu_asked.connect(self.menu_asked)
        self.view.wake()

    def _toggle_shape(self) -> None:
        if self.view is not None:
            self.view.toggle_shape()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Close the view."""
        if self.view is not None:
            self.view.close()
        super().closeEvent(event)


class SecondBar(controls.DockBar):
    """Chooses the layout of the second view of the ranks, and offers its shape."""

    shape_asked = Signal()
    """The card about its shape is to be opened or closed."""

    def __init__(self, session: Session, title: str) -> None:
        super().__init__(title)
        self.layouts = controls.ChoiceBox(
            tr("Layout of the second view"), partial(SECOND_VIEW.choose, session), self
        )
        self.layouts.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.add_control(self.layouts)
        shape = controls.IconButton(
            "shape", tr("Geometry of the second view: slices, layers, spacing")
        )
        shape.clicked.connect(self.shape_asked)
        self.add_control(shape)
        controls.follow(
            self, session, self._show, to=("analysis", "match", "scene", "second")
        )
        self._show(session.state, session.state)

    def _show(self, _: State, new: State) -> None:
        texts = {name: LAYOUT_TEXTS[name] for name in all_layouts(new)}
        self.layouts.offer(texts, SECOND_VIEW.seen(new).scene.layout)
