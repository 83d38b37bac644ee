"""The card over the scene for its shape: spacing, sizes, gaps, slices, layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSlider,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from topoview import model
from topoview.base.text import tr
from topoview.live.layouts import axes_of_block
from topoview.scene.lines.edge_paths import EdgePaths
from topoview.scene.ranks.forms import MAX_RANKS_RESIZED
from topoview.scene.ranks.slices import sliced_dimensions
from topoview.session import Session, State
from topoview.ui.panels.options import ShapeOptions
from topoview.ui.panels.scene.view_slots import GAP_TEXTS, ViewSlot
from topoview.ui.widgets.controls import Card, ChoiceBox, Segmented, follow
from topoview.ui.widgets.layouts import filled, new_label
from topoview.ui.widgets.theme import font

if TYPE_CHECKING:
    from topoview.ui.panels.scene.content import SceneContent

CoordinateRanges = tuple[tuple[int, int, int], ...]

STEPS_PER_UNIT = 20
"""Steps of a slider in a unit."""


def choice_box(
    entries: Sequence[tuple[object, str]], chosen: Callable[[object], None]
) -> ChoiceBox:
    """Create a box of choices: each value, and its text."""
    box = ChoiceBox("", chosen)
    narrow = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
    box.setSizeAdjustPolicy(narrow)
    for value, text in entries:
        box.addItem(text, value)
        box.setItemData(box.count() - 1, text, Qt.ItemDataRole.ToolTipRole)
    return box


class LabelledSlider(QWidget):
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
        self.slider.setRange(round(low * STEPS_PER_UNIT), round(high * STEPS_PER_UNIT))
        self.slider.setTracking(tracking)
        self._number = new_label(look=font(12))
        self._number.setFixedWidth(32)
        filled(QHBoxLayout(self), (self.slider, 1), self._number, margins=(0, 0, 0, 0))
        self.slider.sliderMoved.connect(lambda at: self._show(at / STEPS_PER_UNIT))
        self.slider.valueChanged.connect(lambda at: chosen(at / STEPS_PER_UNIT))

    def tell(self, value: float) -> None:
        """Show a number."""
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(value * STEPS_PER_UNIT))
        self._show(value)

    def _show(self, value: float) -> None:
        self._number.setText(f"{value:.2f}")


class WidthBox(QSpinBox):
    """How many ranks a row has; the least number lets the program choose."""

    def __init__(self, most: int, chosen: Callable[[object], None]) -> None:
        super().__init__()
        self.setRange(0, most)
        self.setSpecialValueText(tr("auto"))
        self.setSuffix(tr(" ranks"))
        self.setKeyboardTracking(False)
        self.valueChanged.connect(chosen)

    def tell(self, value: int) -> None:
        """Show a width."""
        with QSignalBlocker(self):
            self.setValue(value)


class RangeRow(QWidget):
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
        ranges: Callable[[], CoordinateRanges],
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
        self.slider.setToolTip(tr("Moves the slice that is shown; of all, shows one"))
        self.slider.valueChanged.connect(self._move)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.first)
        row.addWidget(self.slider, 1)
        row.addWidget(self.last)

    def tell(self, geometry: model.Geometry) -> None:
        """Show the range that is chosen."""
        ranges = [(a, b) for axis, a, b in geometry.ranges if axis == self._axis]
        self._show(*(ranges[0] if ranges else (0, self._count - 1)))

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


NAME_WIDTH = 68
"""Pixels that names of rows take: the same in all parts."""


class FoldingSection(QWidget):
    """Rows with names; a click on the title folds or unfolds them."""

    turned = Signal()
    """The rows are to be folded, or unfolded."""

    def __init__(self, title: str, *, open_: bool) -> None:
        super().__init__()
        self._title = title
        self.head = QToolButton()
        self.head.setObjectName("fold")
        self.head.setFont(font(12, 600))
        self.head.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.head.clicked.connect(self.turned)
        self.clear = QToolButton()
        """A small button at the right end of the title; hidden at first."""
        self.clear.setObjectName("link")
        self.clear.setFont(font(12))
        self.clear.hide()
        above = filled(QHBoxLayout(), self.head, 1, self.clear, margins=(0, 0, 0, 0))
        self.body = QWidget()
        self._grid = QGridLayout(self.body)
        self._grid.setContentsMargins(0, 0, 0, 2)
        self._grid.setVerticalSpacing(4)
        self._grid.setHorizontalSpacing(4)
        self._grid.setColumnMinimumWidth(0, NAME_WIDTH)
        self._grid.setColumnStretch(1, 1)
        filled(QVBoxLayout(self), above, self.body, margins=(0, 0, 0, 0), spacing=3)
        self.show_rows(open_=open_)

    def add(self, text: str, row: QWidget) -> None:
        """Add a row under its name."""
        number = self._grid.rowCount()
        label = new_label(None, text, look=font(12), dim=True)
        row.setAccessibleName(text)
        self._grid.addWidget(label, number, 0)
        self._grid.addWidget(row, number, 1)

    def offer(self, text: str, act: Callable[[], None]) -> None:
        """Set what the small button does."""
        self.clear.setText(text)
        self.clear.clicked.connect(act)

    def show_rows(self, *, open_: bool) -> None:
        """Fold or unfold the rows."""
        self.body.setVisible(open_)
        self.head.setText(f"{chr(0x25BE) if open_ else chr(0x25B8)} {self._title}")
        self.head.setAccessibleName(f"{'Fold' if open_ else 'Unfold'} {self._title}")


MAX_RANKS_LIVE = 5000
"""Ranks up to which the scene follows a slider while it is dragged."""

MAX_DIMENSION_ROWS = 8
"""Dimensions that have a row."""

STYLE_TEXTS = {
    "stubs": tr("Stubs"),
    "arcs": tr("Arcs"),
    "none": tr("None"),
    "dimmed": tr("Dimmed"),
    "hidden": tr("Hidden"),
}
"""Names of ways to draw wrap-around edges, and ranks that are not shown."""

LAYOUTS_WITH_WIDTH = ("grid", "tube", "torus", "ranks")
"""Layouts whose rows have a width that can be chosen."""


class ShapeRows(QWidget):
    """Makes and keeps the rows.

    Parameters
    ----------
    lens
        The view of the ranks that they are about.
    content
        Of the scene, for whose layout they are.
    """

    placement_asked = Signal()
    """A placement file is to be chosen."""

    def __init__(self, session: Session, lens: ViewSlot, content: SceneContent) -> None:
        super().__init__()
        self._session, self._lens = session, lens
        self._ranks = len(content.match.vertex)
        self._tracking = self._ranks <= MAX_RANKS_LIVE
        self.rows: dict[str, QWidget] = {}
        self._parts: dict[str, FoldingSection] = {}
        self.setObjectName("plain")
        self.setProperty("compact", True)
        self._column = filled(QVBoxLayout(self), margins=(0, 0, 6, 0), spacing=4)
        layout, match = content.layout, content.match
        self._layout, self._match = layout, match
        self._add_spacing()
        if layout.free or layout.name == "ranks":
            self._add_order(layout.name)
        grid = layout.grid
        if grid is not None and grid.tables and any(grid.periodic):
            self._add_styles("wrap", tr("Wrap-around"), model.WRAP_STYLES)
        dims = sliced_dimensions(layout, match)[1]
        if dims and max(dims) > 1:
            self._add_dimensions(dims)
        if grid is not None and grid.tables and layout.name != "places":
            self._add_layers(dims)
        if layout.name == "grid" and len(dims) > 2 and not layout.free:
            self._add_folds(dims)
        self._add_machine(content.machine.partings)
        self._column.addStretch(1)

    def tell(self, geometry: model.Geometry) -> None:
        """Show what is chosen, which may have been chosen elsewhere."""
        if "show" in self._parts:
            self._parts["show"].clear.setVisible(bool(geometry.ranges))
        for name, row in self.rows.items():
            if isinstance(row, LabelledSlider):
                row.tell(getattr(geometry, name))
            elif isinstance(row, Segmented):
                row.choose(getattr(geometry, name))
            elif isinstance(row, RangeRow):
                row.tell(geometry)
            elif isinstance(row, WidthBox):
                row.tell(geometry.width)
            elif isinstance(row, ChoiceBox) and name in ("gaps", "explode", "order"):
                row.choose(getattr(geometry, name))

    def _add(self, name: str, text: str, row: QWidget) -> None:
        row.setFont(font(12))
        self._part.add(text, row)
        self.rows[name] = row

    def _begin(self, name: str, title: str) -> FoldingSection:
        """Add the next rows under another title."""
        open_ = name in self._session.state.of(ShapeOptions).unfolded
        self._part = part = FoldingSection(title, open_=open_)
        part.turned.connect(lambda: self._turn(name))
        self._column.addWidget(part)
        self._parts[name] = part
        return part

    def _set(self, field: str, value: object) -> None:
        self._lens.rearrange(self._session, **{field: value})

    def _setter(self, field: str) -> Callable[[object], None]:
        return lambda value: self._set(field, value)

    @property
    def _geometry(self) -> model.Geometry:
        return self._lens.seen(self._session.state).scene.geometry

    def _ranges(self) -> tuple[tuple[int, int, int], ...]:
        return self._geometry.ranges

    def _add_spacing(self) -> None:
        self._begin("spacing", tr("Arrangement"))
        spacing = LabelledSlider(
            *model.SPACING_RANGE, self._setter("spacing"), tracking=self._tracking
        )
        self._add("spacing", tr("Spacing"), spacing)
        layout, match = self._layout, self._match
        deep = layout.shape != "lattice" or np.ptp(layout.positions[:, 2:]) > 0
        if deep and len(layout.positions) <= MAX_RANKS_RESIZED:
            small = LabelledSlider(
                *model.SHRINK_RANGE, self._setter("shrink"), tracking=self._tracking
            )
            self._add("shrink", tr("Computing"), small)
            small.setToolTip(tr("Size of ranks that compute"))
        edges = match.rank_edges[(match.rank_edges >= 0).all(axis=1)]
        if EdgePaths(layout, match).diagonal(*edges.T).any():
            faint = LabelledSlider(
                0.0, 1.0, self._setter("diagonals"), tracking=self._tracking
            )
            self._add("diagonals", tr("Diagonals"), faint)
            faint.setToolTip(tr("Strength of diagonal edges"))

    def _add_machine(self, partings: tuple[str, ...]) -> None:
        self._begin("machine", tr("Hardware topology"))
        choices = [("", GAP_TEXTS[""])]
        choices += [
            (name, GAP_TEXTS.get(name, tr("Between {name}s", name=name)))
            for name in partings
        ]
        self._add("gaps", tr("Group by"), choice_box(choices, self._setter("gaps")))
        path = self._geometry.placement
        button = QPushButton(Path(path).name if path else tr("Choose a file…"))
        button.setToolTip(path or tr("A table of ranks and where each of them ran"))
        button.clicked.connect(self.placement_asked)
        self._add("placement", tr("Placement"), button)

    def _add_order(self, name: str) -> None:
        orders = [("rank", tr("By rank")), ("place", tr("Topology order"))]
        if name != "ranks":
            self._add("order", tr("Order"), choice_box(orders, self._setter("order")))
        if name in LAYOUTS_WITH_WIDTH:
            most = max(self._ranks, 1)
            self._add("width", tr("Row of"), WidthBox(most, self._setter("width")))

    def _add_dimensions(self, dims: tuple[int, ...]) -> None:
        part = self._begin("show", tr("Coordinates shown"))
        part.offer(tr("Show all"), lambda: self._set("ranges", ()))
        for axis, count in enumerate(dims[:MAX_DIMENSION_ROWS]):
            if count > 1:
                row = RangeRow(axis, count, self._ranges, self._setter("ranges"))
                self._add(tr("range {axis}", axis=axis), model.AXES[axis], row)
        self._add_styles("outside", tr("Others"), model.OUTSIDE_STYLES)

    def _add_styles(self, name: str, text: str, styles: Sequence[str]) -> None:
        row = Segmented(None, self._setter(name))
        row.offer({style: STYLE_TEXTS[style] for style in styles}, "")
        self._add(name, text, row)

    def _add_layers(self, dims: tuple[int, ...]) -> None:
        self._begin("layers", tr("Layers"))
        choices: list[tuple[object, str]] = [(-1, tr("Together"))]
        choices += [
            (k, tr("Apart along {axes}", axes=model.AXES[k]))
            for k, n in enumerate(dims)
            if n > 1
        ]
        self._add("explode", tr("Drawn"), choice_box(choices, self._setter("explode")))
        apart = LabelledSlider(0.0, 8.0, self._setter("apart"), tracking=self._tracking)
        self._add("apart", tr("By"), apart)

    def _add_folds(self, dims: tuple[int, ...]) -> None:
        self._begin("folds", tr("Axis mapping"))
        count = len(dims)
        geometry = self._geometry
        now = geometry.fold if len(geometry.fold) == count else ()
        now = now or axes_of_block(dims)
        axes: list[tuple[object, str]] = [
            (axis, tr("Along {name}", name=name)) for axis, name in enumerate("xyz")
        ]
        boxes: list[ChoiceBox] = []

        def fold(_: object) -> None:
            self._set("fold", tuple(int(box.currentData()) for box in boxes))

        for axis in range(min(count, MAX_DIMENSION_ROWS)):
            box = choice_box(axes, fold)
            box.setCurrentIndex(now[axis])
            boxes.append(box)
            self._add(tr("fold {axis}", axis=axis), model.AXES[axis], box)
        if count > MAX_DIMENSION_ROWS:
            for box in boxes:
                box.setEnabled(False)

    def _turn(self, name: str) -> None:
        now = self._session.state.of(ShapeOptions).unfolded
        self._session.change(ShapeOptions, unfolded=now ^ {name})

    def fold(self, unfolded: frozenset[str]) -> None:
        """Show the rows of some parts only."""
        for name, part in self._parts.items():
            part.show_rows(open_=name in unfolded)


CARD_WIDTH = 256
CARD_HEAD_HEIGHT = 44
"""Pixels of the card, and of it without its rows."""


class ShapeCard(Card):
    """Offers what can be changed about the arrangement that is shown.

    It stands over the scene, so it is small: parts of it fold, and so does all of it.

    Parameters
    ----------
    lens
        The view of the ranks that it is about.
    content
        Tells what that shows.
    scene
        Where it stands.
    """

    placement_asked = Signal()
    """A placement file is to be chosen."""

    def __init__(
        self,
        session: Session,
        lens: ViewSlot,
        content: Callable[[], SceneContent | None],
        scene: QWidget,
    ) -> None:
        self.title = QToolButton()
        self.title.setObjectName("fold")
        self.title.clicked.connect(lambda: self._fold())
        super().__init__(scene, self.title)
        self._session, self._lens = session, lens
        self._content, self._scene = content, scene
        self._shown: object = None
        self._inner: ShapeRows | None = None
        self.reset = QToolButton(self)
        self.reset.setObjectName("link")
        self.reset.setText(tr("Reset"))
        self.reset.setFont(font(12))
        self.reset.clicked.connect(lambda: lens.arrange(session, model.Geometry()))
        self.head.insertWidget(2, self.reset)
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.column.addWidget(self._area)
        self._tell_fold()
        follow(self, session, self._follow, to=("scene", "second", ShapeOptions))

    def toggle(self) -> None:
        """Open or close the card."""
        if self.isVisible():
            self.hide()
            return
        self._shown = None
        self._fill()
        self.show()  # a scene that is to be resized is so now
        self.place()
        self.raise_()
        self.setFocus()

    def place(self) -> None:
        """Place it at the right of the scene, below its switch."""
        if self._area.isHidden():
            small = self.sizeHint()
            width, height = min(small.width(), CARD_WIDTH), small.height()
        else:
            inner = self._area.widget()
            wanted = (
                60 if inner is None else inner.sizeHint().height() + CARD_HEAD_HEIGHT
            )
            width, height = CARD_WIDTH, min(wanted, self._scene.height() - 56)
        left = self._scene.width() - width - 12
        self.setGeometry(left, 46, width, max(height, CARD_HEAD_HEIGHT))

    def _fold(self) -> None:
        """Leave only the title, or show all again."""
        self._area.setVisible(self._area.isHidden())
        self._tell_fold()
        self.place()

    def _tell_fold(self) -> None:
        open_ = not self._area.isHidden()
        self.title.setText(
            tr("{arrow} Geometry", arrow=chr(9662) if open_ else chr(9656))
        )
        self.title.setToolTip(tr("Fold this card") if open_ else tr("Unfold this card"))
        self.reset.setVisible(open_)

    def renew(self) -> None:
        """Follow the scene, which has something else to show."""
        if self.isVisible():
            self._fill()
            self.place()

    def _follow(self, old: State, new: State) -> None:
        seen = self._lens.seen
        before, after = seen(old).scene, seen(new).scene
        if self.isVisible() and before.geometry != after.geometry:
            self._tell(after.geometry)
        unfolded = new.of(ShapeOptions).unfolded
        if self._inner is not None and unfolded != old.of(ShapeOptions).unfolded:
            self._inner.fold(unfolded)
            if self.isVisible():  # rows have their height when Qt has laid them out
                QTimer.singleShot(0, self, self.place)

    def _fill(self) -> None:
        """Add the rows that the shown layout has a use for."""
        content = self._content()
        if content is None:
            self.hide()
            return
        geometry = self._lens.seen(self._session.state).scene.geometry
        key = (content.layout.name, content.machine, content.match)
        if key != self._shown:
            self._shown = key
            self._inner = ShapeRows(self._session, self._lens, content)
            self._inner.placement_asked.connect(self.placement_asked)
            self._area.setWidget(self._inner)
        self._tell(geometry)

    @property
    def rows(self) -> dict[str, QWidget]:
        """The rows by their names."""
        return {} if self._inner is None else self._inner.rows

    def _tell(self, geometry: model.Geometry) -> None:
        if self._inner is not None:
            self._inner.tell(geometry)
