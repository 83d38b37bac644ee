"""Saving a picture of the scene: the dialog, the file, the clipboard; key frames."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from topoview.errors import TopoviewError
from topoview.ui.export.render_spec import MAX_SCALE, RenderSpec
from topoview.ui.widgets import dialogs
from topoview.ui.widgets import save_dialog as asking

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from topoview.ui.actions.action import Context
    from topoview.ui.settings import Settings

PICTURE_FORMATS = {
    ".png": "PNG (raster)",
    ".svg": "SVG (vector)",
    ".pdf": "PDF (vector)",
}

PICTURE_SIZES = {
    "as in the window": None,
    "1280 by 800": (1280, 800),
    "1920 by 1080": (1920, 1080),
    "800 by 600": (800, 600),
    "custom": None,
    "for paper": None,
}

CM_PER_INCH, POINTS_PER_INCH = 2.54, 72
TEXT_PIXELS = 12
"""Logical pixels of most text: what has the size in points that is asked for."""

MIN_PAPER_SHAPE = 0.75
"""Height for one of width below which text would leave no room in a column."""

WIDTHS_CM, RESOLUTIONS, TEXT_POINTS = (2.0, 120.0), (72, 1200), (4.0, 40.0)
"""Least and most of what can be asked for on paper: cm, dpi, points."""

MIN_SIDE, MAX_SIDE = 64, 16384
"""Pixels that a side of a picture may have."""

SCENE_ALONE = {"scene": "Scene"}
_SETTINGS_KEY = "picture"


@dataclass(frozen=True, slots=True)
class PictureChoice:
    """How a picture is to be saved; remembered from one to the next.

    Attributes
    ----------
    suffix
        Key of `PICTURE_FORMATS`.
    size
        Name in `PICTURE_SIZES`.
    width, height
        Pixels, for ``custom`` size.
    scale
        Dots along each side for one pixel; PNG only.
    transparent, footer, key
        What is behind and beside the scene.
    width_cm, height_cm, dpi, points
        For the size ``for paper``: width and height in cm (a height of 0 has the
        shape of the window, or is higher), least dots per inch of a PNG file, and the
        size of text in points: the picture is laid out so that its text has it.
    """

    suffix: str = ".png"
    size: str = "as in the window"
    width: int = 1600
    height: int = 1000
    scale: int = 1
    transparent: bool = False
    footer: bool = True
    key: bool = True
    width_cm: float = 8.5
    height_cm: float = 0.0
    dpi: int = 300
    points: float = 7.0

    @property
    def sound(self) -> bool:
        """Whether it can be chosen."""
        sides = (
            MIN_SIDE <= self.width <= MAX_SIDE and MIN_SIDE <= self.height <= MAX_SIDE
        )
        named = self.suffix in PICTURE_FORMATS and self.size in PICTURE_SIZES
        paper = (
            WIDTHS_CM[0] <= self.width_cm <= WIDTHS_CM[1]
            and 0 <= self.height_cm <= WIDTHS_CM[1]
            and RESOLUTIONS[0] <= self.dpi <= RESOLUTIONS[1]
            and TEXT_POINTS[0] <= self.points <= TEXT_POINTS[1]
        )
        return named and sides and paper and 1 <= self.scale <= MAX_SCALE

    def measures(self, seen: tuple[int, int]) -> tuple[tuple[int, int], int, float]:
        """Choose size in logical pixels, pixels for each of them, and width in cm.

        Parameters
        ----------
        seen
            Size in the window.

        Returns
        -------
        size, scale, cm
            The scale is that of a PNG file; cm is 0 where the size is not for paper.
        """
        size, scale, width_cm = PICTURE_SIZES[self.size] or seen, self.scale, 0.0
        if self.size == "custom":
            size = (self.width, self.height)
        elif self.size == "for paper":
            width_cm = self.width_cm
            wide = width_cm / CM_PER_INCH * POINTS_PER_INCH * TEXT_PIXELS / self.points
            shape = self.height_cm / width_cm
            shape = shape or max(seen[1] / max(seen[0], 1), MIN_PAPER_SHAPE)
            size = (
                min(max(round(wide), MIN_SIDE), MAX_SIDE),
                min(max(round(wide * shape), MIN_SIDE), MAX_SIDE),
            )
            scale = math.ceil(self.dpi * width_cm / CM_PER_INCH / size[0])
        most = max(1, min(MAX_SCALE, MAX_SIDE // max(size)))
        return size, min(scale, most) if self.suffix == ".png" else 1, width_cm

    def apply(self, spec: RenderSpec) -> RenderSpec:
        """Make a specification for the picture in the window one for this."""
        size, scale, width_cm = self.measures(spec.size)
        return replace(
            spec,
            size=size,
            scale=scale,
            width_cm=width_cm,
            transparent=self.transparent,
            footer=self.footer,
            key=self.key,
        )


def last_picture_choice(settings: Settings) -> PictureChoice:
    """Return the last choice that was made."""
    return asking.last_choice(settings, _SETTINGS_KEY, PictureChoice())


class PictureDialog(asking.SaveDialog):
    """Asks how a picture is to be saved.

    Signals
    -------
    chosen
        The `PictureChoice`.
    copied
        The `PictureChoice`: to the clipboard instead.
    """

    chosen = Signal(object)
    copied = Signal(object)

    def __init__(
        self,
        settings: Settings,
        parent: QWidget | None = None,
        panels: Mapping[str, str] = SCENE_ALONE,
        panel: str = "scene",
    ) -> None:
        super().__init__("Save picture", parent)
        self._settings, self._panels = settings, panels
        last = last_picture_choice(settings)
        self.panel_box = self.choose("Panel", panels, panel)
        self.kind = self.choose("Format", PICTURE_FORMATS, last.suffix)
        at = list(PICTURE_SIZES).index(last.size)
        self.size_box = self.box("Size", list(PICTURE_SIZES), at)
        self.wide = self.number(MIN_SIDE, MAX_SIDE, last.width)
        self.high = self.number(MIN_SIDE, MAX_SIDE, last.height)
        self.sides = QWidget(self)
        sides = QHBoxLayout(self.sides)
        sides.setContentsMargins(0, 0, 0, 0)
        sides.addWidget(self.wide)
        sides.addWidget(QLabel("by", self.sides))
        sides.addWidget(self.high)
        sides.addStretch()
        self.form.addRow("", self.sides)
        self.scale = self.number(1, MAX_SCALE, last.scale)
        self.scale.setSuffix(" times")
        self.form.addRow("Scale", self.scale)
        self.wide_cm = self.decimal(WIDTHS_CM, last.width_cm, " cm")
        self.high_cm = self.decimal((0.0, WIDTHS_CM[1]), last.height_cm, " cm")
        self.high_cm.setSpecialValueText("automatic")
        self.form.addRow("Width", self.wide_cm)
        self.form.addRow("Height", self.high_cm)
        self.dpi = self.number(*RESOLUTIONS, last.dpi)
        self.dpi.setSuffix(" dpi")
        self.form.addRow("Resolution", self.dpi)
        self.points = self.decimal(TEXT_POINTS, last.points, " pt")
        self.form.addRow("Text size", self.points)
        self.clear = self.tick("Transparent background", on=last.transparent)
        self.footer = self.tick(asking.CAPTION_TEXT, on=last.footer)
        self.key = self.tick(asking.LEGEND_TEXT, on=last.key)
        self.copy = self.button("Copy")
        self.on_save(lambda: self._take(self.chosen))
        self.copy.clicked.connect(lambda: self._take(self.copied))
        self.note.setText(
            "Settings are stored in the file: topoview render --like reproduces it."
        )
        self.kind.currentIndexChanged.connect(self._check)
        self.size_box.currentIndexChanged.connect(self._check)
        self.panel_box.currentIndexChanged.connect(self._check)
        self._check()

    @property
    def panel(self) -> str:
        """Name of the panel that is chosen."""
        return list(self._panels)[self.panel_box.currentIndex()]

    def choice(self) -> PictureChoice:
        """Return what is entered."""
        return PictureChoice(
            list(PICTURE_FORMATS)[self.kind.currentIndex()],
            self.size_box.currentText(),
            self.wide.value(),
            self.high.value(),
            self.scale.value(),
            self.clear.isChecked(),
            self.footer.isChecked(),
            self.key.isChecked(),
            self.wide_cm.value(),
            self.high_cm.value(),
            self.dpi.value(),
            self.points.value(),
        )

    def _take(self, signal: Any) -> None:  # noqa: ANN401 - a bound signal
        choice = self.choice()
        asking.keep_choice(self._settings, _SETTINGS_KEY, choice)
        self.accept()
        signal.emit(choice)

    def _check(self) -> None:
        """Enable what matters for the kind that is chosen."""
        suffix = self.choice().suffix
        paper, scene = self.choice().size == "for paper", self.panel == "scene"
        own, dots = self.choice().size == "custom", suffix == ".png"
        shown = {
            self.sides: own,
            self.scale: dots and not paper,
            self.wide_cm: paper,
            self.high_cm: paper,
            self.dpi: paper and dots,
            self.points: paper,
        }
        for field, wanted in shown.items():
            self.form.setRowVisible(field, wanted)
        self.copy.setEnabled(dots and scene)
        for row in (self.clear, self.footer, self.key):
            row.setEnabled(scene)
        self.note.setVisible(scene)


def ask_for_picture(c: Context, panel: str = "scene") -> None:
    """Ask how and where a panel is to be saved, and do it."""
    from topoview.ui.export.panels import picture_panels

    if c.state.analysis is None:
        return
    dialog = PictureDialog(c.settings, c.window, picture_panels(c), panel)
    dialog.chosen.connect(lambda choice: _ask_where(c, dialog.panel, choice))
    dialog.copied.connect(partial(copy_picture, c))
    dialog.open()


def _ask_where(c: Context, panel: str, choice: PictureChoice) -> None:
    known = c.state.analysis
    if known is None:
        return
    folder = Path(c.settings.folder or Path.home())
    of = "" if panel == "scene" else f"-{panel}"
    suggestion = folder / f"{known.trace.name}{of}{choice.suffix}"
    chosen = dialogs.ask_for_picture(c.window, suggestion)
    if not chosen:
        return
    if panel == "scene":
        save_picture(c, Path(chosen), choice)
        return
    from topoview.ui.export.panels import save_panel

    try:
        save_panel(c, panel, Path(chosen), choice)
    except (TopoviewError, OSError) as error:
        dialogs.show_fault(c.window, "The picture could not be saved", str(error))
    else:
        c.say(f"Picture saved: {chosen}")


def save_picture(c: Context, path: Path, choice: PictureChoice) -> None:
    """Save the scene as it is seen; what goes wrong is told.

    The picture is drawn anew off-screen: what a widget shows comes out cropped or
    blank after its panel was torn off.
    """
    from topoview.ui.export import picture as export

    def act(spec: RenderSpec) -> None:
        assert c.scene is not None
        assert c.state.analysis is not None
        content = c.scene.content
        export.save_scene(c.state.analysis, spec, path, content)

    if _do_with_spec(c, choice, act):
        c.say(f"Picture saved: {path}")


def copy_picture(c: Context, choice: PictureChoice) -> None:
    """Put a picture of the scene on the clipboard."""
    from topoview.ui.export import picture as export

    def act(spec: RenderSpec) -> None:
        assert c.scene is not None
        assert c.state.analysis is not None
        content = c.scene.content
        image = export.render(c.state.analysis, spec, content)
        QGuiApplication.clipboard().setImage(image)

    if _do_with_spec(c, choice, act):
        c.say("The picture of the scene is on the clipboard")


def _do_with_spec(
    c: Context, choice: PictureChoice, act: Callable[[RenderSpec], None]
) -> bool:
    """Do something with what is seen; tells whether that went well."""
    from topoview.ui.export.render_spec import render_spec_of
    from topoview.ui.panels.scene.overlay import FOOTER_HEIGHT

    view = c.scene
    if view is None:
        return False
    size = (view.width(), view.height() + (FOOTER_HEIGHT if choice.footer else 0))
    seen = render_spec_of(view.state, size, view.scene.pose, footer=True)
    QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
    try:
        act(choice.apply(seen))
    except (TopoviewError, OSError) as error:
        QGuiApplication.restoreOverrideCursor()
        dialogs.show_fault(c.window, "The picture could not be saved", str(error))
        return False
    QGuiApplication.restoreOverrideCursor()
    return True
