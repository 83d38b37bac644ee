"""Rows of the card about the shape: sliders, choices, ranges of a dimension."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSlider, QSpinBox, QWidget

from topoview.model import Geometry
from topoview.ui.fonts import font

Ranges = tuple[tuple[int, int, int], ...]

STEP = 20
"""Steps of a slider in a unit."""


def choice(
    entries: Sequence[tuple[object, str]], chosen: Callable[[object], None]
) -> QComboBox:
    """Make a box of choices: what is told when each is taken, and its text."""
    box = QComboBox()
    narrow = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
    box.setSizeAdjustPolicy(narrow)
    for value, text in entries:
        box.addItem(text, value)
        box.setItemData(box.count() - 1, text, Qt.ItemDataRole.ToolTipRole)
    box.activated.connect(lambda index: chosen(box.itemData(index)))
    return box


class Slider(QWidget):
    """A slider and the number that it stands at."""

    def __init__(
        self,
        low: float,
        high: float,
        chosen: Callable[[object], None],
        *,
        tracking: bool,
    ) -> None:
        super().__init__()
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(round(low * STEP), round(high * STEP))
        self.slider.setTracking(tracking)
        self._number = QLabel()
        self._number.setFont(font(12))
        self._number.setFixedWidth(32)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.slider, 1)
        row.addWidget(self._number)
        self.slider.sliderMoved.connect(lambda at: self._show(at / STEP))
        self.slider.valueChanged.connect(lambda at: chosen(at / STEP))

    def tell(self, value: float) -> None:
        """Stand at a number."""
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(value * STEP))
        self._show(value)

    def _show(self, value: float) -> None:
        self._number.setText(f"{value:.2f}")


class Width(QSpinBox):
    """How many ranks a row has; the least number lets the program choose."""

    def __init__(self, most: int, chosen: Callable[[object], None]) -> None:
        super().__init__()
        self.setRange(0, most)
        self.setSpecialValueText("what suits")
        self.setSuffix(" ranks")
        self.setKeyboardTracking(False)
        self.valueChanged.connect(chosen)

    def tell(self, value: int) -> None:
        """Show a width."""
        with QSignalBlocker(self):
            self.setValue(value)


class Range(QWidget):
    """First and last coordinate of what is shown, and a slider that moves both.

    Parameters
    ----------
    axis, count
        Dimension, and its extent.
    ranges
        Gives the ranges of all dimensions that are shown now.
    chosen
        Takes others.
    """

    def __init__(
        self,
        axis: int,
        count: int,
        ranges: Callable[[], Ranges],
        chosen: Callable[[object], None],
    ) -> None:
        super().__init__()
        self._axis, self._count = axis, count
        self._ranges, self._chosen = ranges, chosen
        self.first, self.last = QSpinBox(), QSpinBox()
        for box in (self.first, self.last):
            box.setRange(0, count - 1)
            box.setKeyboardTracking(False)
            box.setFixedWidth(44)
            box.valueChanged.connect(self._choose)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setToolTip("Moves the slice that is shown; of all, shows one")
        self.slider.valueChanged.connect(self._move)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.first)
        row.addWidget(self.slider, 1)
        row.addWidget(self.last)

    def tell(self, geometry: Geometry) -> None:
        """Show the range that is chosen."""
        found = [(a, b) for axis, a, b in geometry.ranges if axis == self._axis]
        self._show(*(found[0] if found else (0, self._count - 1)))

    def _show(self, first: int, last: int) -> None:
        parts = (self.first, self.last, self.slider)
        blockers = [QSignalBlocker(part) for part in parts]
        self.first.setValue(first)
        self.last.setValue(last)
        more = self._count - 1 - (last - first)
        # where all is shown there is no slice to move: one begins
        self.slider.setRange(0, more if more else self._count - 1)
        self.slider.setValue(first)
        del blockers

    def _choose(self) -> None:
        first, last = self.first.value(), self.last.value()
        if first > last:
            moved = self.sender() is self.first
            first, last = (first, first) if moved else (last, last)
        self._take(first, last)

    def _move(self, first: int) -> None:
        more = self.last.value() - self.first.value()
        self._take(first, first + (more if more < self._count - 1 else 0))

    def _take(self, first: int, last: int) -> None:
        others = [part for part in self._ranges() if part[0] != self._axis]
        if (first, last) != (0, self._count - 1):
            others.append((self._axis, first, last))
        self._chosen(tuple(sorted(others)))
