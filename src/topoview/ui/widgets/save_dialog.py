"""The form that dialogs for saving share, and the choices of the last time."""

from __future__ import annotations

import json
from dataclasses import Field, asdict
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from topoview.base.text import json_text, tr
from topoview.ui.widgets.layouts import filled, new_label
from topoview.ui.widgets.theme import font

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from topoview.ui.settings import Settings

CAPTION_TEXT, LEGEND_TEXT = (
    tr("Caption with trace, topology and time"),
    tr("Legend of colours and lines"),
)

FIELD_HEIGHT, MIN_DIALOG_WIDTH = 28, 440
FIELD_PADDING = 8


class RememberedChoice(Protocol):
    """What is chosen in a dialog: a frozen dataclass of plain values."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def sound(self) -> bool:
        """Whether it can be chosen in the dialog."""


ChoiceT = TypeVar("ChoiceT", bound=RememberedChoice)


def last_choice(settings: Settings, key: str, natural: ChoiceT) -> ChoiceT:
    """Return the last choice that was made; `natural` if there is none, or odd."""
    try:
        payload: dict[str, Any] = json.loads(str(settings.text(key)))
        choice = type(natural)(**payload)
    except (ValueError, TypeError):
        return natural
    same = all(
        type(getattr(choice, name)) is type(value)
        for name, value in asdict(natural).items()
    )
    return choice if same and choice.sound else natural


def keep_choice(settings: Settings, key: str, choice: RememberedChoice) -> None:
    """Keep a choice for the next time."""
    settings.keep_text(key, json_text(asdict(choice)))


def titled_column(dialog: QDialog, title: str) -> QVBoxLayout:
    """Add frame and title to a dialog; what it asks is added to the column."""
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(title)
    dialog.setMinimumWidth(MIN_DIALOG_WIDTH)
    column = filled(QVBoxLayout(dialog), margins=(20, 20, 20, 16), spacing=10)
    heading = new_label(dialog, title, look=font(16, 600))
    column.addWidget(heading)
    return column


def pad_number(field: QAbstractSpinBox) -> None:
    """Style a field for a number as one for text.

    Style sheets do not reach the text within it.
    """
    field.setMinimumHeight(FIELD_HEIGHT)
    field.lineEdit().setTextMargins(FIELD_PADDING, 0, FIELD_PADDING, 0)


class SaveDialog(QDialog):
    """A form below a title, a note below the form, and buttons."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = titled_column(self, title)
        self.form = QFormLayout()
        """Rows of the form."""
        column.addLayout(self.form)
        self.note = new_label(self, wraps=True)
        """Tells what will come of what is entered."""
        column.addWidget(self.note)
        self._buttons = QDialogButtonBox(self)
        roles = QDialogButtonBox.ButtonRole
        self.save = self._buttons.addButton(tr("Save…"), roles.AcceptRole)
        """The button that takes it."""
        self._buttons.addButton(tr("Cancel"), roles.RejectRole)
        self.save.setDefault(True)
        self._buttons.rejected.connect(self.reject)
        column.addWidget(self._buttons)

    def on_save(self, take: Callable[[], None]) -> None:
        """Set what is done when all is chosen."""
        self._buttons.accepted.connect(take)

    def button(self, text: str) -> QPushButton:
        """Add a button between the others."""
        return self._buttons.addButton(text, QDialogButtonBox.ButtonRole.ActionRole)

    def box(self, label: str, names: Sequence[str], chosen: int = 0) -> QComboBox:
        """Add a row with a box of names."""
        made = QComboBox(self)
        made.addItems(list(names))
        made.setCurrentIndex(chosen)
        made.setMinimumHeight(FIELD_HEIGHT)
        self.form.addRow(label, made)
        return made

    def choose(self, label: str, table: Mapping[str, str], key: str) -> QComboBox:
        """Add a row with a box of a table's names; an unknown key selects the first."""
        keys = list(table)
        return self.box(
            label, list(table.values()), keys.index(key) if key in keys else 0
        )

    def line(
        self, label: str, text: str, example: str, beside: QWidget | None = None
    ) -> QLineEdit:
        """Add a row with a line of text, which shows an example while it is empty."""
        made = QLineEdit(text, self)
        made.setPlaceholderText(example)
        made.setMinimumHeight(FIELD_HEIGHT)
        made.setFont(font(13, plain=True))
        if beside is None:
            self.form.addRow(label, made)
            return made
        row = filled(QHBoxLayout(), (made, 1), beside)
        self.form.addRow(label, row)
        return made

    def number(self, least: int, most: int, value: int) -> QSpinBox:
        """Create a field for a whole number; the caller places it somewhere."""
        made = QSpinBox(self)
        made.setRange(least, most)
        made.setValue(value)
        pad_number(made)
        return made

    def decimal(
        self, ends: tuple[float, float], value: float, unit: str, decimals: int = 1
    ) -> QDoubleSpinBox:
        """Create a field for a number with decimals; the caller places it somewhere."""
        made = QDoubleSpinBox(self)
        made.setDecimals(decimals)
        made.setRange(*ends)
        made.setSingleStep(0.5)
        made.setValue(value)
        made.setSuffix(unit)
        pad_number(made)
        return made

    def tick(self, text: str, *, on: bool) -> QCheckBox:
        """Add a row with a box to tick."""
        made = QCheckBox(text, self)
        made.setChecked(on)
        self.form.addRow("", made)
        return made
