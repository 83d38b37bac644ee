"""Chooses the planes that a block is cut along: by sliders, mouse, wheel and keys."""

import math
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QSlider, QSpinBox, QWidget

from topoview.base.text import plural, tr
from topoview.model import AXES, WAITING_STATES, Ints, in_states
from topoview.scene.axes.plane_faces import CutBlock, Room
from topoview.scene.axes.plane_sheet import INSET_EDGE, CutRooms, FlatRooms, SheetPlaces
from topoview.scene.topology_scene import TopologyScene
from topoview.session import Session
from topoview.ui.panels.scene.moment import SceneMoment
from topoview.ui.panels.scene.overlay.sheet import flag_of
from topoview.ui.panels.scene.view_slots import ViewSlot
from topoview.ui.widgets.controls import Segmented
from topoview.ui.widgets.layouts import new_label
from topoview.ui.widgets.theme import font

BLOCK_MARGINS = (90.0, 90.0, 70.0, 88.0)
"""Pixels at the left, top, right and below a block that is all of the picture: for
names of its axes, title and key."""

FLAT_SIDE, FLAT_GAP, FLAT_TOP = 150.0, 42.0, 118.0
"""Pixels of the longest side of a plane beside the block, between them, and above."""

FLATS_WIDTH = 3 * FLAT_SIDE + 2 * FLAT_GAP
"""Pixels that the three planes take beside the block, or the sliders below them."""

SLIDERS_HEIGHT, LEAST_FLAT = 120.0, 60.0
"""Pixels that the sliders below take, and of a plane at least; else there is none."""

MIN_WIDTH_WITH_FLATS = 1000.0
"""Pixels of a view from which on the planes are beside the block, too."""

MIN_WIDTH_WITH_SLIDERS = 520.0
"""Pixels of a view from which on there is room for sliders."""

NARROW_SLIDERS, NARROW_TOP = 262.0, 76.0
"""Pixels that sliders take without planes above them, and above them."""

BOX_WIDTH = 56
"""Pixels of the box with a plane's number."""

ORDER = (2, 1, 0)
"""Axes in the order of the sliders: as the planes above them."""

SELECTED, WAITING, MIDDLE = "selected", "waiting", "middle"

CUT_TEXTS = {
    SELECTED: tr("Selected rank"),
    WAITING: tr("Most waiting"),
    MIDDLE: tr("Middle"),
}
"""What a block can be cut through."""


def cut_rooms(
    dims: tuple[int, ...], size: tuple[float, float], below: float
) -> CutRooms:
    """Divide a view among a cut block, planes beside it and their sliders.

    Parameters
    ----------
    size, below
        Pixels of the view, and what of its height is the key's.
    """
    left, top, right, bottom = BLOCK_MARGINS
    high = size[1] - FLAT_TOP - SLIDERS_HEIGHT - bottom / 2 - below
    side, flats, end = min(FLAT_SIDE, high), None, size[0] - INSET_EDGE
    if size[0] >= MIN_WIDTH_WITH_FLATS and side >= LEAST_FLAT:
        cell = side / max(dims)
        cell = math.floor(cell) if cell >= 1 else cell
        end -= FLATS_WIDTH
        flats = FlatRooms(end, FLAT_TOP, cell, FLAT_SIDE + FLAT_GAP)
    elif size[0] >= MIN_WIDTH_WITH_SLIDERS:
        end -= NARROW_SLIDERS
    width, height = end - left - right, size[1] - top - bottom - below
    return CutRooms(Room(left, top, max(width, 40.0), max(height, 40.0)), flats)


class AxisSlider(QWidget):
    """A slider for the plane across an axis, and a box for its number."""

    moved = Signal(int)
    """The user wants another plane: its number."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.title, self.count = QLabel(self), QLabel(self)
        self.title.setFont(font(12, 600))
        self.count.setFont(font(12))
        self.box, self.slider = QSpinBox(self), QSlider(Qt.Orientation.Horizontal, self)
        self.box.setFixedWidth(BOX_WIDTH)
        self.box.setKeyboardTracking(False)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(4)
        for column, part in enumerate((self.title, self.count, self.box)):
            grid.addWidget(part, 0, column)
        grid.setColumnStretch(1, 1)
        grid.addWidget(self.slider, 1, 0, 1, 3)
        self.slider.valueChanged.connect(self.moved)
        self.box.valueChanged.connect(self.moved)

    def show_place(self, axis: str, place: int, count: int) -> None:
        """Show the plane that is cut, of so many."""
        blockers = [QSignalBlocker(part) for part in (self.box, self.slider)]
        self.title.setText(f"{axis} {place}")
        self.count.setText(plural(count, "plane"))
        for part in (self.box, self.slider):
            part.setAccessibleName(tr("Plane across {axis}", axis=axis))
            part.setRange(0, count - 1)
            part.setValue(place)
        del blockers


class CutControl(QWidget):
    """Chooses what planes and a block are cut through: sliders, flags, wheel, keys.

    Parameters
    ----------
    lens
        The view of the ranks that it is in.
    moment, block
        Return what is shown, and the block that is drawn; None if there is none.
    """

    def __init__(  # noqa: PLR0913 - what it reads and changes
        self,
        session: Session,
        lens: ViewSlot,
        scene: TopologyScene,
        parent: QWidget,
        *,
        moment: Callable[[], SceneMoment | None],
        block: Callable[[], CutBlock | None],
    ) -> None:
        super().__init__(parent)
        self._session, self._lens, self._scene = session, lens, scene
        self._moment, self._block = moment, block
        self._pushed = (2, 0.0)
        """Axis along which a plane is pushed, and how far beyond whole places."""
        self.axes = {axis: AxisSlider(self) for axis in ORDER}
        self.through = Segmented(self)
        self._words = new_label(self, tr("Cut through"), look=font(12))
        for axis, slider in self.axes.items():
            slider.moved.connect(lambda to, axis=axis: self._slide(axis, to))
        self.through.chosen.connect(self._choose)
        self.hide()

    def show_cut(self) -> None:
        """Show the sliders where there is a cut block, at its planes."""
        planes, scene = self._scene.planes, self._scene
        self.setVisible(scene.is_cut and scene.width >= MIN_WIDTH_WITH_SLIDERS)
        if planes is None or not scene.is_cut:
            return
        place = self._place(planes).tolist()
        for axis, slider in self.axes.items():
            slider.show_place(AXES[axis], place[axis], planes.dims[axis])
        cut = self._lens.seen(self._session.state).scene.cut
        self.through.offer(CUT_TEXTS, "" if cut else SELECTED)
        self._arrange(planes.dims, scene.size, scene.below)

    def _arrange(
        self, dims: tuple[int, ...], size: tuple[float, float], below: float
    ) -> None:
        """Place them below the planes beside the block, or in a column."""
        flats = cut_rooms(dims, size, below).flats
        wide = flats is not None
        left, top = size[0] - NARROW_SLIDERS - INSET_EDGE, NARROW_TOP
        if flats is not None:
            left, top = flats.left, FLAT_TOP + max(dims[1:]) * flats.cell + 22
        high = max(slider.sizeHint().height() for slider in self.axes.values())
        y = 0
        for number, slider in enumerate(self.axes.values()):
            if wide:
                x = round(number * (FLAT_SIDE + FLAT_GAP))
                slider.setGeometry(x, 0, round(FLAT_SIDE), high)
            else:
                slider.setGeometry(0, number * (high + 8), round(NARROW_SLIDERS), high)
            y = slider.geometry().bottom() + 14
        self.through.adjustSize()
        self._words.setVisible(wide)
        words = self._words.sizeHint()
        self._words.setGeometry(0, y, words.width(), self.through.height())
        x = words.width() + 12 if wide else 0
        self.through.move(x, y)
        right = FLATS_WIDTH if wide else NARROW_SLIDERS
        self.setGeometry(
            round(left),
            round(top),
            max(round(right), x + self.through.width()),
            y + self.through.height(),
        )

    def _place(self, planes: SheetPlaces) -> Ints:
        """Return the coordinates that are cut through."""
        state = self._lens.seen(self._session.state)
        return planes.through(state.selection.ranks, state.scene.cut)

    def step(self, axis: int, by: int) -> None:
        """Go to another plane: select the rank there if one is cut through.

        Parameters
        ----------
        axis
            Dimension that the step is along; -1: that which planes are across.
        """
        planes, state = self._scene.planes, self._lens.seen(self._session.state)
        axis = planes.counted if planes is not None and axis < 0 else axis
        if planes is None or axis < 0:
            return
        place, alone = self._place(planes), state.scene.geometry.alone
        place[axis] += by
        if alone >= 0 and axis == planes.counted:
            self._show_alone(int(planes.inside(place)[axis]))
        rank = planes.rank_of(planes.inside(place))
        if state.selection.ranks and not state.scene.cut and rank >= 0:
            self._session.select(ranks=(rank,))
        else:
            self._cut_through(planes, place)

    def turn_alone(self, rank: int | None = None) -> None:
        """Let the plane of a rank fill the view, or that which is cut; or show all."""
        planes, state = self._scene.planes, self._lens.seen(self._session.state)
        if planes is None or self._scene.is_cut:
            return
        place = self._place(planes) if rank is None else planes.coordinates[rank]
        alone = state.scene.geometry.alone >= 0
        self._show_alone(-1 if alone else int(place[planes.counted]))

    def _show_alone(self, plane: int) -> None:
        self._lens.rearrange(self._session, alone=plane)

    def cut_at(self, rank: int) -> None:
        """Cut through the place of a rank."""
        planes = self._scene.planes
        if planes is not None:
            self._cut_through(planes, planes.coordinates[rank].astype(np.int64))

    def _cut_through(self, planes: SheetPlaces, place: Ints) -> None:
        self._session.change("scene", cut=tuple(planes.inside(place).tolist()))

    def _slide(self, axis: int, to: int) -> None:
        planes = self._scene.planes
        if planes is not None:
            place = self._place(planes)
            if place[axis] != to:
                place[axis] = to
                self._cut_through(planes, place)

    def _move(self, axis: int, by: int) -> None:
        planes = self._scene.planes
        if planes is not None:
            self._slide(axis, int(self._place(planes)[axis]) + by)

    def _choose(self, name: str) -> None:
        planes, moment = self._scene.planes, self._moment()
        if planes is None or moment is None:
            return
        if name == SELECTED:
            self._session.change("scene", cut=())
        elif name == MIDDLE:
            self._cut_through(planes, planes.through((), ()))
        elif name == WAITING:
            # Of each axis the plane with most waiting ranks; if none waits, most ranks.
            there = planes.coordinates[:, 0] >= 0
            waits = there & in_states(moment.now.state, WAITING_STATES)
            places = planes.coordinates[waits if waits.any() else there]
            fullest = [np.bincount(axis).argmax() for axis in places.T]
            self._cut_through(planes, np.array(fullest))

    # the mouse on the block

    def _handle_at(self, at: QPointF) -> int | None:
        """Find the axis along which what is at a pixel can be pushed."""
        block = self._block()
        if block is None:
            return None
        for number, axis in enumerate(block.axes if block.alone else ()):
            if flag_of(axis).contains(at):
                return number
        face = block.face_at(at.x(), at.y())
        return None if face is None else face.axis

    def take_handle(self, at: QPointF) -> bool:
        """Begin to push what is at a pixel; False if nothing there can be pushed."""
        axis = self._handle_at(at)
        self._pushed = (2 if axis is None else axis), 0.0
        return axis is not None

    def push(self, dx: float, dy: float) -> None:
        """Move the plane that was taken, along its axis, as the mouse moves."""
        block, (axis, left) = self._block(), self._pushed
        if block is None:
            return
        step = block.steps[axis]
        left += float(step @ (dx, dy) / (step @ step))
        self._pushed = axis, left - round(left)
        self._move(axis, round(left))

    def step_at(self, by: int, at: QPointF) -> None:
        """Go on by planes of the block that is there, or of the sheet."""
        axis = self._handle_at(at)
        if axis is None:
            self.step(-1, by)
        else:
            self._move(axis, by)
