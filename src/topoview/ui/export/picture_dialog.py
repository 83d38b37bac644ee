"""Saving a picture of the scene: the dialog, the file, the clipboard; key frames."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from topoview.base.text import tr
from topoview.errors import TopoviewError
from topoview.ui.export.picture_choice import (
    MAX_SIDE,
    MIN_SIDE,
    PAPER,
    PICTURE_FORMATS,
    PICTURE_SIZES,
    RESOLUTIONS,
    TEXT_POINTS,
    WIDTHS_CM,
    PictureChoice,
)
from topoview.ui.export.render_spec import MAX_SCALE
from topoview.ui.widgets import dialogs
from topoview.ui.widgets import save_dialog as asking

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from topoview.ui.actions.action import Context
    from topoview.ui.export.render_spec import RenderSpec
    from topoview.ui.settings import Settings

SCENE_ALONE = {"scene": tr("Scene")}
_SETTINGS_KEY = "picture"


def last_picture_choice(settings: Settings) -> PictureChoice:
    """Return the last choice that was made."""
    return asking.last_choice(settings, _SETTINGS_KEY, PictureChoice())


class PictureDialog(asking.SaveDialog):
    """Asks how a picture is to be saved."""

    chosen = Signal(object)
    """The `PictureChoice`."""
    copied = Signal(object)
    """The `PictureChoice`: to the clipboard instead."""

    def __init__(
        self,
        settings: Settings,
        parent: QWidget | None = None,
        panels: Mapping[str, str] = SCENE_ALONE,
        panel: str = "scene",
    ) -> None:
        super().__init__(tr("Save picture"), parent)
        self._settings, self._panels = settings, panels
        last = last_picture_choice(settings)
        self.panel_box = self.choose(tr("Panel"), panels, panel)
        self.kind = self.choose(tr("Format"), PICTURE_FORMATS, last.suffix)
        self.paper = self.tick(tr("For paper: width in cm"), on=last.size == PAPER)
        self._sizes = [name for name in PICTURE_SIZES if name != PAPER]
        at = 0 if last.size == PAPER else self._sizes.index(last.size)
        self.size_box = self.box(tr("Size"), list(map(tr, self._sizes)), at)
        self.wide = self.number(MIN_SIDE, MAX_SIDE, last.width)
        self.high = self.number(MIN_SIDE, MAX_SIDE, last.height)
        self.sides = QWidget(self)
        sides = QHBoxLayout(self.sides)
        sides.setContentsMargins(0, 0, 0, 0)
        sides.addWidget(self.wide)
        sides.addWidget(QLabel(tr("by"), self.sides))
        sides.addWidget(self.high)
        sides.addStretch()
        self.form.addRow("", self.sides)
        self.scale = self.number(1, MAX_SCALE, last.scale)
        self.scale.setSuffix(tr(" times"))
        self.form.addRow(tr("Scale"), self.scale)
        self.wide_cm = self.decimal(WIDTHS_CM, last.width_cm, " cm")
        self.high_cm = self.decimal((0.0, WIDTHS_CM[1]), last.height_cm, " cm")
        self.high_cm.setSpecialValueText(tr("automatic"))
        self.form.addRow(tr("Width"), self.wide_cm)
        self.form.addRow(tr("Height"), self.high_cm)
        self.dpi = self.number(*RESOLUTIONS, last.dpi)
        self.dpi.setSuffix(tr(" dpi"))
        self.form.addRow(tr("Resolution"), self.dpi)
        self.points = self.decimal(TEXT_POINTS, last.points, " pt")
        self.form.addRow(tr("Text size"), self.points)
        self.clear = self.tick(tr("Transparent background"), on=last.transparent)
        self.footer = self.tick(asking.CAPTION_TEXT, on=last.footer)
        self.key = self.tick(asking.LEGEND_TEXT, on=last.key)
        self.timeline = self.tick(tr("Timeline below the scene"), on=last.timeline)
        self.copy = self.button(tr("Copy"))
        self.on_save(lambda: self._take(self.chosen))
        self.copy.clicked.connect(lambda: self._take(self.copied))
        self.note.setText(
            tr("Settings are stored in the file: topoview render --like reproduces it.")
        )
        self.kind.currentIndexChanged.connect(self._check)
        self.size_box.currentIndexChanged.connect(self._check)
        self.paper.toggled.connect(self._check)
        self.panel_box.currentIndexChanged.connect(self._check)
        self._check()

    @property
    def panel(self) -> str:
        """Name of the panel that is chosen."""
        return list(self._panels)[self.panel_box.currentIndex()]

    def choice(self) -> PictureChoice:
        """Return what is entered."""
        return PictureChoice(
            suffix=list(PICTURE_FORMATS)[self.kind.currentIndex()],
            size=PAPER
            if self.paper.isChecked()
            else self._sizes[self.size_box.currentIndex()],
            width=self.wide.value(),
            height=self.high.value(),
            scale=self.scale.value(),
            transparent=self.clear.isChecked(),
            footer=self.footer.isChecked(),
            key=self.key.isChecked(),
            timeline=self.timeline.isChecked() and self.panel == "scene",
            width_cm=self.wide_cm.value(),
            height_cm=self.high_cm.value(),
            dpi=self.dpi.value(),
            points=self.points.value(),
        )

    def _take(self, signal: Any) -> None:  # noqa: ANN401 - a bound signal
        choice = self.choice()
        asking.keep_choice(self._settings, _SETTINGS_KEY, choice)
        self.accept()
        signal.emit(choice)

    def _check(self) -> None:
        """Enable what matters for the kind that is chosen."""
        suffix = self.choice().suffix
        paper, scene = self.choice().size == PAPER, self.panel == "scene"
        own, dots = self.choice().size == "custom", suffix == ".png"
        shown = {
            self.size_box: not paper,
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
        for row in (self.clear, self.footer, self.key, self.timeline):
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
    analysis = c.state.analysis
    if analysis is None:
        return
    folder = Path(c.settings.folder or Path.home())
    of = "" if panel == "scene" else f"-{panel}"
    suggestion = folder / f"{analysis.trace.name}{of}{choice.suffix}"
    chosen = dialogs.ask_where(
        c.window, tr("Save picture"), suggestion, PICTURE_FORMATS
    )
    if not chosen:
        return
    if panel == "scene":
        save_picture(c, Path(chosen), choice)
        return
    from topoview.ui.export.panels import save_panel, when_seen

    def save() -> None:
        try:
            save_panel(c, panel, Path(chosen), choice)
        except (TopoviewError, OSError) as error:
            title = tr("The picture could not be saved")
            dialogs.show_fault(c.window, title, str(error))
        else:
            c.say(tr("Picture saved: {chosen}", chosen=chosen))

    when_seen(c, panel, save)


def save_picture(c: Context, path: Path, choice: PictureChoice) -> None:
    """Save the scene as it is seen, and report what goes wrong.

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
        c.say(tr("Picture saved: {path}", path=path))


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
        c.say(tr("The picture of the scene is on the clipboard"))


def _do_with_spec(
    c: Context, choice: PictureChoice, act: Callable[[RenderSpec], None]
) -> bool:
    """Call `act` with the specification of what is seen; tells whether it went well."""
    from topoview.ui.export.render_spec import render_spec_of
    from topoview.ui.panels.scene.overlay.paint import FOOTER_HEIGHT

    view = c.scene
    if view is None:
        return False
    size = (view.width(), view.height() + (FOOTER_HEIGHT if choice.footer else 0))
    seen = render_spec_of(view.state, size, view.scene.pose, footer=True)
    seen = replace(
        seen,
        whole=view.state.camera.whole,
        rows=replace(view.state.timeline, ruler=None, overview=None),
        delay=view.state.delay,
    )
    QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
    try:
        act(choice.apply(seen))
    except (TopoviewError, OSError) as error:
        QGuiApplication.restoreOverrideCursor()
        dialogs.show_fault(c.window, tr("The picture could not be saved"), str(error))
        return False
    QGuiApplication.restoreOverrideCursor()
    return True
