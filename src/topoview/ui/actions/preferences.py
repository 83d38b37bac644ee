"""The dialog of preferences: what the window remembers from one run to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLineEdit

from topoview.base.memory import parse_size
from topoview.base.text import size_text, tr
from topoview.errors import TopoviewError
from topoview.ui.actions.appearance import COLOUR_MAP_TEXTS, THEME_TEXTS, choose_theme
from topoview.ui.actions.timeline import MOUSE_TEXTS, UNIT_TEXTS, choose_mouse
from topoview.ui.language import language_texts
from topoview.ui.settings import SCALES
from topoview.ui.widgets.controls import ChoiceBox
from topoview.ui.widgets.layouts import new_label
from topoview.ui.widgets.save_dialog import FIELD_HEIGHT, titled_column
from topoview.worker import user_store

if TYPE_CHECKING:
    from topoview.ui.actions.action import Context


class PreferencesDialog(QDialog):
    """Shows what is preferred; a choice counts at once, unless the form says else."""

    def __init__(self, c: Context) -> None:
        super().__init__(c.window)
        self._c = c
        column = titled_column(self, tr("Preferences"))
        self._form = QFormLayout()
        column.addLayout(self._form)
        self.theme = self._choice(
            tr("Theme"),
            THEME_TEXTS,
            c.settings.theme,
            lambda name: choose_theme(name, c),
        )
        self.colour_map = self._choice(
            tr("Colours of numbers"),
            COLOUR_MAP_TEXTS,
            c.state.scene.colour_map,
            partial(_prefer_colour_map, c),
        )
        self.unit = self._choice(
            tr("Unit of times"), UNIT_TEXTS, c.state.unit, partial(_prefer_unit, c)
        )
        self.mouse = self._choice(
            tr("Mouse"),
            MOUSE_TEXTS,
            c.state.mouse,
            lambda name: choose_mouse(name, c),
        )
        self.language = self._choice(
            tr("Language"),
            {"system": tr("System"), **language_texts()},
            c.settings.language,
            self._speak,
        )
        self.scale = self._choice(
            tr("Text and controls"),
            {scale: f"{float(scale):.0%}" for scale in SCALES},
            c.settings.scale,
            self._scale,
        )
        self.limit = QLineEdit(self)
        self.limit.setMinimumHeight(FIELD_HEIGHT)
        self._form.addRow(tr("Cache limit"), self.limit)
        self.limit.editingFinished.connect(self._take_limit)
        self.remark = new_label(self, dim=True, wraps=True)
        column.addWidget(self.remark)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)
        self._show_limit()

    def _choice(
        self,
        title: str,
        texts: Mapping[str, str],
        now: str,
        choose: Callable[[str], None],
    ) -> ChoiceBox:
        box = ChoiceBox(title, choose, self)
        box.setMinimumHeight(FIELD_HEIGHT)
        box.offer(texts, now)
        self._form.addRow(title, box)
        return box

    def _speak(self, language: str) -> None:
        self._c.settings.language = language
        self.remark.setText(tr("The language changes at the next start."))

    def _scale(self, scale: str) -> None:
        self._c.settings.scale = scale
        self.remark.setText(
            tr("The size of text and controls changes at the next start.")
        )

    def _show_limit(self) -> None:
        store = user_store()
        self.limit.setEnabled(store is not None)
        self.limit.setText(tr("off") if store is None else size_text(store.limit))

    def _take_limit(self) -> None:
        """Hold the cache to what is typed."""
        store = user_store()
        if store is None or self.limit.text() == size_text(store.limit):
            return
        try:
            store.set_limit(parse_size(self.limit.text()))
        except (TopoviewError, ValueError, OSError) as error:
            self.remark.setText(
                tr("The limit of the cache stays: {error}.", error=error)
            )
        else:
            self.remark.setText(
                tr("The cache takes at most {limit}.", limit=size_text(store.limit))
            )
        self._show_limit()


def _prefer_colour_map(c: Context, name: str) -> None:
    c.settings.keep_text("colour map", name)
    c.session.change("scene", colour_map=name)


def _prefer_unit(c: Context, unit: str) -> None:
    c.settings.keep_text("unit", unit)
    c.session.update(unit=unit)
