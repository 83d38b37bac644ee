"""A card over the scene: spacing, gaps, slices, layers and folds of the arrangement."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from topoview.model import OUTSIDE, SPACING, WRAPS, Geometry
from topoview.scene.slices import sliced
from topoview.session import Session, State
from topoview.topology.lattice import AXES
from topoview.ui.fonts import font
from topoview.ui.shape.commands import GAP_TEXTS, change
from topoview.ui.shape.rows import Range, Slider, Width, choice
from topoview.ui.widgets import IconButton, Segmented, give_focus_back, takes_escape

if TYPE_CHECKING:
    from topoview.ui.scene.view import SceneView

WIDTH = 300

SMOOTH_MOST = 5000
"""Ranks up to which the scene follows a slider while it is dragged."""

MOST_DIMENSIONS = 8
"""Dimensions that have a row."""

WIDE = ("grid", "tube", "torus", "ranks")
"""Layouts whose rows have a width that can be chosen."""


class ShapeCard(QFrame):
    """Offers what can be changed about the arrangement that is shown."""

    def __init__(self, session: Session, scene: SceneView) -> None:
        super().__init__(scene)
        self._session, self._scene = session, scene
        self._shown: object = None
        self.setObjectName("card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        title = QLabel("Shape", self)
        title.setFont(font(13, 600))
        reset = QPushButton("As at first", self)
        reset.clicked.connect(lambda: scene.lens.arrange(session, Geometry()))
        close = IconButton("close", "Close this card", self)
        close.clicked.connect(self.hide)
        head = QHBoxLayout()
        head.addWidget(title, 1)
        head.addWidget(reset)
        head.addWidget(close)
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(12, 8, 6, 10)
        rows.setSpacing(8)
        rows.addLayout(head)
        rows.addWidget(self._area)
        self.rows: dict[str, QWidget] = {}
        self.hide()
        scene.canvas.resized.connect(self.renew)
        scene.filled.connect(self.renew)
        session.subscribe(self._follow)

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

    def setVisible(self, visible: bool) -> None:  # noqa: N802 - Qt's name
        """Show it, or hide it and give the keyboard back."""
        if not visible:
            give_focus_back(self)
        super().setVisible(visible)

    def place(self) -> None:
        """Stand at the right of the scene, below its switch."""
        inner = self._area.widget()
        wanted = 60 if inner is None else inner.sizeHint().height() + 62
        height = min(wanted, self._scene.height() - 56)
        self.setGeometry(self._scene.width() - WIDTH - 12, 46, WIDTH, max(height, 80))

    def event(self, event: QEvent) -> bool:
        """Close with Esc, before the shortcut of that key."""
        if takes_escape(event):
            self.hide()
            return True
        return super().event(event)

    def renew(self) -> None:
        """Follow the scene, which has something else to show."""
        if self.isVisible():
            self._fill()
            self.place()

    def _follow(self, old: State, new: State) -> None:
        before, after = (self._scene.lens.seen(state).view for state in (old, new))
        if self.isVisible() and before.geometry != after.geometry:
            self._tell(after.geometry)

    def _tell(self, geometry: Geometry) -> None:
        """Show what is chosen, which may have been chosen elsewhere."""
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

    def _fill(self) -> None:
        """Make the rows that the shown layout has a use for."""
        content = self._scene.content
        if content is None:
            self.hide()
            return
        key = (content.layout.name, content.machine, content.match)
        if key == self._shown:
            self._tell(self._scene.state.view.geometry)
            return
        self._shown = key
        inner = QWidget()
        inner.setObjectName("plain")
        self._grid = QGridLayout(inner)
        self._grid.setContentsMargins(0, 0, 8, 0)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(1, 1)
        self.rows = {}
        self._add_distances(content.machine.partings)
        if content.layout.free or content.layout.name == "ranks":
            self._add_order(content.layout.name)
        grid = content.layout.grid
        if grid is not None and grid.tables and any(grid.periodic):
            wraps = Segmented()
            wraps.offer([(name, name.capitalize()) for name in WRAPS], "")
            wraps.chosen.connect(lambda name: self._set("wrap", name))
            self._add("wrap", "Wrap-around", wraps)
        dims = sliced(content.layout, content.match)[1]
        if dims and max(dims) > 1:
            self._add_dimensions(dims)
        if grid is not None and grid.tables:
            self._add_layers(dims)
        if content.layout.name == "grid" and len(dims) > 2 and not content.layout.free:
            self._add_folds(len(dims))
        self._area.setWidget(inner)
        self._tell(self._scene.state.view.geometry)

    def _add(self, name: str, text: str, row: QWidget) -> None:
        number = self._grid.rowCount()
        label = QLabel(text)
        label.setProperty("dim", True)
        label.setFont(font(12))
        row.setAccessibleName(text)
        self._grid.addWidget(label, number, 0)
        self._grid.addWidget(row, number, 1)
        self.rows[name] = row

    def _set(self, field: str, value: object) -> None:
        change(self._session, self._scene.lens, **{field: value})

    def _setter(self, field: str) -> Callable[[object], None]:
        return lambda value: self._set(field, value)

    def _ranges(self) -> tuple[tuple[int, int, int], ...]:
        return self._scene.state.view.geometry.ranges

    def _add_distances(self, partings: tuple[str, ...]) -> None:
        tracking = self._scene.scene.ranks <= SMOOTH_MOST
        spacing = Slider(*SPACING, self._setter("spacing"), tracking=tracking)
        self._add("spacing", "Spacing", spacing)
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
        for axis, count in enumerate(dims[:MOST_DIMENSIONS]):
            if count > 1:
                row = Range(axis, count, self._ranges, self._setter("ranges"))
                self._add(f"range {axis}", f"Show {AXES[axis]}", row)
        outside = Segmented()
        outside.offer([(name, name.capitalize()) for name in OUTSIDE], "")
        outside.chosen.connect(lambda name: self._set("outside", name))
        self._add("outside", "Others", outside)

    def _add_layers(self, dims: tuple[int, ...]) -> None:
        known: list[tuple[object, str]] = [(-1, "Together")]
        known += [(k, f"Apart along {AXES[k]}") for k, n in enumerate(dims) if n > 1]
        self._add("explode", "Layers", choice(known, self._setter("explode")))
        tracking = self._scene.scene.ranks <= SMOOTH_MOST
        apart = Slider(0.0, 8.0, self._setter("apart"), tracking=tracking)
        self._add("apart", "By", apart)

    def _add_folds(self, count: int) -> None:
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
            self._add(f"fold {axis}", f"Draw {AXES[axis]}", box)
        if count > MOST_DIMENSIONS:
            for box in boxes:
                box.setEnabled(False)
