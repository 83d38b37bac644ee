"""Asking how a picture is to be saved: kind, size, and what is on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from topoview.ui import asking
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

    @property
    def sound(self) -> bool:
        """Whether it can be chosen."""
        sides = LEAST <= self.width <= MOST and LEAST <= self.height <= MOST
        named = self.suffix in KINDS and self.size in SIZES
        return named and sides and 1 <= self.scale <= MOST_SCALE

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
    return asking.remembered(settings, _KEY, Choice())


class PictureDialog(asking.Asking):
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
        super().__init__("Save picture of the scene", parent)
        self._settings = settings
        last = remembered(settings)
        self.kind = self.choose("Kind", KINDS, last.suffix)
        at = list(SIZES).index(last.size)
        self.size_box = self.box("Size in pixels", list(SIZES), at)
        self.wide = self.number(LEAST, MOST, last.width)
        self.high = self.number(LEAST, MOST, last.height)
        sides = QHBoxLayout()
        sides.addWidget(self.wide)
        sides.addWidget(QLabel("by", self))
        sides.addWidget(self.high)
        sides.addStretch()
        self.form.addRow("", sides)
        self.scale = self.number(1, MOST_SCALE, last.scale)
        self.scale.setSuffix(" times")
        self.form.addRow("Enlarged", self.scale)
        self.clear = self.tick("Transparent background", on=last.transparent)
        self.footer = self.tick(asking.FOOTER, on=last.footer)
        self.key = self.tick(asking.KEY, on=last.key)
        self.copy = self.button("Copy")
        self.on_save(lambda: self._take(self.chosen))
        self.copy.clicked.connect(lambda: self._take(self.copied))
        self.kind.currentIndexChanged.connect(self._check)
        self.size_box.currentIndexChanged.connect(self._check)
        self._check()

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
        asking.remember(self._settings, _KEY, choice)
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
