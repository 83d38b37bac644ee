"""Asking how a picture is to be saved: kind, size, and what is on it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from topoview.ui.fonts import font
from topoview.ui.recipe import MOST_SCALE, Recipe

if TYPE_CHECKING:
    from topoview.ui.settings import Settings

KINDS = {
    ".png": "PNG, dots",
    ".svg": "SVG, vectors",
    ".pdf": "PDF, vectors",
    ".glb": "glTF, a model for slides",
}

SIZES = {
    "as in the window": None,
    "1280 by 800": (1280, 800),
    "1920 by 1080": (1920, 1080),
    "800 by 600": (800, 600),
    "another": None,
}

LEAST, MOST = 64, 16384
"""Pixels that a side of a picture may have."""

_KEY = "picture"
_HEIGHT = 28


@dataclass(frozen=True, slots=True)
class Choice:
    """How a picture is to be saved; remembered from one to the next.

    Attributes
    ----------
    suffix
        Key of `KINDS`.
    size
        Name in `SIZES`.
    width, height
        Pixels, for ``another`` size.
    scale
        Dots along each side for one pixel; PNG only.
    transparent, footer, key
        What is behind and beside the scene.
    """

    suffix: str = ".png"
    size: str = "as in the window"
    width: int = 1600
    height: int = 1000
    scale: int = 1
    transparent: bool = False
    footer: bool = True
    key: bool = True

    def apply(self, recipe: Recipe) -> Recipe:
        """Make a recipe for the picture in the window one for this."""
        size = SIZES[self.size] or recipe.size
        if self.size == "another":
            size = (self.width, self.height)
        scale = self.scale if self.suffix == ".png" else 1
        return replace(
            recipe,
            size=size,
            scale=max(1, min(scale, MOST // max(size))),
            transparent=self.transparent,
            footer=self.footer,
            key=self.key,
        )


def remembered(settings: Settings) -> Choice:
    """Return the last choice that was made."""
    try:
        told: dict[str, Any] = json.loads(str(settings.text(_KEY)))
        choice = Choice(**told)
        sound = choice.suffix in KINDS and choice.size in SIZES
        return choice if sound else Choice()
    except (ValueError, TypeError):
        return Choice()


class PictureDialog(QDialog):
    """Asks how a picture is to be saved.

    Signals
    -------
    chosen
        The `Choice`.
    copied
        The `Choice`: to the clipboard instead.
    """

    chosen = Signal(object)
    copied = Signal(object)

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        last = remembered(settings)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("topoview")
        self.setMinimumWidth(420)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(10)
        title = QLabel("Save picture of the scene", self)
        title.setFont(font(16, 600))
        column.addWidget(title)
        self.kind = self._box(list(KINDS.values()), list(KINDS).index(last.suffix))
        self.size_box = self._box(list(SIZES), list(SIZES).index(last.size))
        self.wide = self._number(LEAST, MOST, last.width)
        self.high = self._number(LEAST, MOST, last.height)
        self.scale = self._number(1, MOST_SCALE, last.scale)
        self.scale.setSuffix(" times")
        self.clear = QCheckBox("Transparent background", self)
        self.footer = QCheckBox("Line below with trace, topology and time", self)
        self.key = QCheckBox("Key of colours and lines", self)
        for box, on in (
            (self.clear, last.transparent),
            (self.footer, last.footer),
            (self.key, last.key),
        ):
            box.setChecked(on)
        self._lay_out(column)
        self.kind.currentIndexChanged.connect(self._check)
        self.size_box.currentIndexChanged.connect(self._check)
        self._check()

    def _lay_out(self, column: QVBoxLayout) -> None:
        sides = QHBoxLayout()
        sides.addWidget(self.wide)
        sides.addWidget(QLabel("by", self))
        sides.addWidget(self.high)
        sides.addStretch()
        form = QFormLayout()
        form.addRow("Kind", self.kind)
        form.addRow("Size in pixels", self.size_box)
        form.addRow("", sides)
        form.addRow("Enlarged", self.scale)
        for box in (self.clear, self.footer, self.key):
            form.addRow("", box)
        column.addLayout(form)
        self.note = QLabel(self)
        self.note.setWordWrap(True)
        column.addWidget(self.note)
        roles = QDialogButtonBox.ButtonRole
        self.buttons = QDialogButtonBox(self)
        self.save = self.buttons.addButton("Save…", roles.AcceptRole)
        self.copy = self.buttons.addButton("Copy", roles.ActionRole)
        self.buttons.addButton("Cancel", roles.RejectRole)
        self.save.setDefault(True)
        self.buttons.accepted.connect(lambda: self._take(self.chosen))
        self.copy.clicked.connect(lambda: self._take(self.copied))
        self.buttons.rejected.connect(self.reject)
        column.addWidget(self.buttons)

    def choice(self) -> Choice:
        """Return what is entered."""
        return Choice(
            list(KINDS)[self.kind.currentIndex()],
            self.size_box.currentText(),
            self.wide.value(),
            self.high.value(),
            self.scale.value(),
            self.clear.isChecked(),
            self.footer.isChecked(),
            self.key.isChecked(),
        )

    def _take(self, signal: Any) -> None:  # noqa: ANN401 - a bound signal
        choice = self.choice()
        self._settings.keep_text(_KEY, json.dumps(asdict(choice)))
        self.accept()
        signal.emit(choice)

    def _check(self) -> None:
        """Enable what matters for the kind that is chosen."""
        suffix = self.choice().suffix
        own = self.size_box.currentText() == "another"
        self.wide.setEnabled(own)
        self.high.setEnabled(own)
        self.scale.setEnabled(suffix == ".png")
        self.copy.setEnabled(suffix == ".png")
        flat = suffix != ".glb"
        for box in (self.size_box, self.clear, self.footer, self.key):
            box.setEnabled(flat)
        self.note.setText(
            "The file keeps how it was made: topoview render --like makes it again."
            if flat
            else "Ranks and edges in space, with their colours at this time."
        )

    def _box(self, names: list[str], index: int) -> QComboBox:
        box = QComboBox(self)
        box.addItems(names)
        box.setCurrentIndex(index)
        box.setMinimumHeight(_HEIGHT)
        return box

    def _number(self, least: int, most: int, value: int) -> QSpinBox:
        box = QSpinBox(self)
        box.setRange(least, most)
        box.setValue(value)
        box.setMinimumHeight(_HEIGHT)
        return box
