"""Sliders over the scene for the three planes that a block is cut along."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QSlider, QSpinBox, QWidget

from topoview.base.text import plural, tr
from topoview.scene.axes.plane_sheet import (
    FLAT_GAP,
    FLAT_SIDE,
    NARROW_SLIDERS,
    sliders_place,
)
from topoview.ui.widgets.controls import Segmented
from topoview.ui.widgets.theme import font

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


class AxisSlider(QWidget):
    """A slider for the plane across an axis, and a box for its number.

    Signals
    -------
    moved
        The user wants another plane: its number.
    """

    moved = Signal(int)

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
        """Stand at a plane of so many."""
        blockers = [QSignalBlocker(part) for part in (self.box, self.slider)]
        self.title.setText(f"{axis} {place}")
        self.count.setText(plural(count, "plane"))
        for part in (self.box, self.slider):
            part.setAccessibleName(tr("Plane across {axis}", axis=axis))
            part.setRange(0, count - 1)
            part.setValue(place)
        del blockers


class CutSliders(QWidget):
    """Chooses what a block is cut through.

    Signals
    -------
    moved
        The plane across an axis is to be another one: the axis, and its number.
    chosen
        What it is to be cut through: a key of `CUT_TEXTS`.
    """

    moved = Signal(int, int)
    chosen = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.axes = {axis: AxisSlider(self) for axis in ORDER}
        self.through = Segmented(self)
        self._words = QLabel(tr("Cut through"), self)
        self._words.setFont(font(12))
        for axis, slider in self.axes.items():
            slider.moved.connect(lambda at, axis=axis: self.moved.emit(axis, at))
        self.through.chosen.connect(self.chosen)
        self.hide()

    def show_cut(
        self, dims: tuple[int, ...], place: tuple[int, ...], followed: str
    ) -> None:
        """Stand at a place; `followed` is the key of what it follows, or empty."""
        for axis, slider in self.axes.items():
            slider.show_place("xyz"[axis], place[axis], dims[axis])
        self.through.offer(tuple(CUT_TEXTS.items()), followed)

    def place(
        self, dims: tuple[int, ...], size: tuple[float, float], below: float
    ) -> None:
        """Stand below the planes that are beside the block, or in a column."""
        left, top, wide = sliders_place(dims, size, below)
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
        right = 3 * FLAT_SIDE + 2 * FLAT_GAP if wide else NARROW_SLIDERS
        self.setGeometry(
            round(left),
            round(top),
            max(round(right), x + self.through.width()),
            y + self.through.height(),
        )
