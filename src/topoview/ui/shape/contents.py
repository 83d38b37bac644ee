"""Rows of the card about the shape: those that a layout has a use for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QPushButton, QVBoxLayout, QWidget

from topoview.model import OUTSIDE, SPACING, WRAPS, Geometry
from topoview.scene.slices import sliced
from topoview.session import Session
from topoview.topology.lattice import AXES
from topoview.ui.fonts import font
from topoview.ui.shape.commands import GAP_TEXTS, change
from topoview.ui.shape.rows import Range, Slider, Width, choice
from topoview.ui.shape.section import Section
from topoview.ui.widgets import Segmented

if TYPE_CHECKING:
    from topoview.ui.scene.content import SceneContent
    from topoview.ui.scene.view import SceneView

SECTIONS = {
    "spacing": True,
    "show": True,
    "machine": False,
    "layers": False,
    "folds": False,
}
"""Parts of the card, and which of them are unfolded at first."""

SMOOTH_MOST = 5000
"""Ranks up to which the scene follows a slider while it is dragged."""

MOST_DIMENSIONS = 8
"""Dimensions that have a row."""

WIDE = ("grid", "tube", "torus", "ranks")
"""Layouts whose rows have a width that can be chosen."""


class ShapeRows(QWidget):
    """Makes and keeps the rows.

    Parameters
    ----------
    content
        Of the scene, for whose layout they are.
    open_
        Which parts are unfolded; told of each that is folded or unfolded.

    Signals
    -------
    folded
        A part was folded or unfolded.
    """

    folded = Signal()

    def __init__(
        self,
        session: Session,
        scene: SceneView,
        content: SceneContent,
        open_: dict[str, bool],
    ) -> None:
        super().__init__()
        self._session, self._scene, self._open = session, scene, open_
        self.rows: dict[str, QWidget] = {}
        self._parts: dict[str, Section] = {}
        self.setObjectName("plain")
        self.setProperty("compact", True)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 6, 0)
        self._column.setSpacing(4)
        layout, match = content.layout, content.match
        self._add_spacing()
        if layout.free or layout.name == "ranks":
            self._add_order(layout.name)
        grid = layout.grid
        if grid is not None and grid.tables and any(grid.periodic):
            wraps = Segmented()
            wraps.offer([(name, name.capitalize()) for name in WRAPS], "")
            wraps.chosen.connect(lambda name: self._set("wrap", name))
            self._add("wrap", "Wrap-around", wraps)
        dims = sliced(layout, match)[1]
        if dims and max(dims) > 1:
            self._add_dimensions(dims)
        if grid is not None and grid.tables and layout.name != "places":
            self._add_layers(dims)
        if layout.name == "grid" and len(dims) > 2 and not layout.free:
            self._add_folds(len(dims))
        self._add_machine(content.machine.partings)
        self._column.addStretch(1)

    def tell(self, geometry: Geometry) -> None:
        """Show what is chosen, which may have been chosen elsewhere."""
        if "show" in self._parts:
            self._parts["show"].clear.setVisible(bool(geometry.ranges))
        for name, row in self.rows.items():
            if isinstance(row, Slider):
                row.tell(getattr(geometry, name))
            elif isinstance(row, Segmented):
                row.choose(getattr(geometry, name))
            elif isinstance(row, Range):
                row.tell(geometry)
            elif isinstance(row, Width):
                row.tell(geometry.width)
            elif isinstance(row, QComboBox) and name in ("gaps", "explode", "order"):
                row.setCurrentIndex(max(row.findData(getattr(geometry, name)), 0))

    def _add(self, name: str, text: str, row: QWidget) -> None:
        row.setFont(font(12))
        self._part.add(text, row)
        self.rows[name] = row

    def _begin(self, name: str, title: str) -> Section:
        """Add the next rows under another title."""
        self._part = part = Section(title, open_=self._open[name])
        part.folded.connect(lambda open_: self._keep(name, open_=open_))
        self._column.addWidget(part)
        self._parts[name] = part
        return part

    def _set(self, field: str, value: object) -> None:
        change(self._session, self._scene.lens, **{field: value})

    def _setter(self, field: str) -> Callable[[object], None]:
        return lambda value: self._set(field, value)

    def _ranges(self) -> tuple[tuple[int, int, int], ...]:
        return self._scene.state.view.geometry.ranges

    def _add_spacing(self) -> None:
        self._begin("spacing", "Arrangement")
        tracking = self._scene.scene.ranks <= SMOOTH_MOST
        spacing = Slider(*SPACING, self._setter("spacing"), tracking=tracking)
        self._add("spacing", "Spacing", spacing)

    def _add_machine(self, partings: tuple[str, ...]) -> None:
        self._begin("machine", "Machine")
        known = [("", GAP_TEXTS[""])]
        known += [(name, GAP_TEXTS.get(name, f"Between {name}s")) for name in partings]
        self._add("gaps", "Gaps", choice(known, self._setter("gaps")))
        path = self._scene.state.view.geometry.placement
        button = QPushButton(Path(path).name if path else "Choose a file…")
        button.setToolTip(path or "A table of ranks and where each of them ran")
        button.clicked.connect(self._ask_for_placement)
        self._add("placement", "Placement", button)

    def _ask_for_placement(self) -> None:
        from topoview.ui.shape.commands import ask_for_placement
        from topoview.ui.window import MainWindow

        window = self.window()
        if isinstance(window, MainWindow):
            ask_for_placement(window)

    def _add_order(self, name: str) -> None:
        orders = [("rank", "By number"), ("place", "By place in the topology")]
        if name != "ranks":
            self._add("order", "Order", choice(orders, self._setter("order")))
        if name in WIDE:
            most = max(self._scene.scene.ranks, 1)
            self._add("width", "Row of", Width(most, self._setter("width")))

    def _add_dimensions(self, dims: tuple[int, ...]) -> None:
        part = self._begin("show", "Coordinates shown")
        part.offer("Show all", lambda: self._set("ranges", ()))
        for axis, count in enumerate(dims[:MOST_DIMENSIONS]):
            if count > 1:
                row = Range(axis, count, self._ranges, self._setter("ranges"))
                self._add(f"range {axis}", AXES[axis], row)
        outside = Segmented()
        outside.offer([(name, name.capitalize()) for name in OUTSIDE], "")
        outside.chosen.connect(lambda name: self._set("outside", name))
        self._add("outside", "Others", outside)

    def _add_layers(self, dims: tuple[int, ...]) -> None:
        self._begin("layers", "Layers")
        known: list[tuple[object, str]] = [(-1, "Together")]
        known += [(k, f"Apart along {AXES[k]}") for k, n in enumerate(dims) if n > 1]
        self._add("explode", "Drawn", choice(known, self._setter("explode")))
        tracking = self._scene.scene.ranks <= SMOOTH_MOST
        apart = Slider(0.0, 8.0, self._setter("apart"), tracking=tracking)
        self._add("apart", "By", apart)

    def _add_folds(self, count: int) -> None:
        self._begin("folds", "Axes of space")
        geometry = self._scene.state.view.geometry
        now = geometry.fold if len(geometry.fold) == count else ()
        now = now or tuple(d % 3 for d in range(count))
        axes: list[tuple[object, str]] = [
            (axis, f"Along {name}") for axis, name in enumerate("xyz")
        ]
        boxes: list[QComboBox] = []

        def fold(_: object) -> None:
            self._set("fold", tuple(int(box.currentData()) for box in boxes))

        for axis in range(min(count, MOST_DIMENSIONS)):
            box = choice(axes, fold)
            box.setCurrentIndex(now[axis])
            boxes.append(box)
            self._add(f"fold {axis}", AXES[axis], box)
        if count > MOST_DIMENSIONS:
            for box in boxes:
                box.setEnabled(False)

    def _keep(self, name: str, *, open_: bool) -> None:
        self._open[name] = open_
        self.folded.emit()
