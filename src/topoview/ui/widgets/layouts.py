"""What panels are put together with: labels, rows, columns, stacks, scrolled areas."""

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QLabel,
    QLayout,
    QScrollArea,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

Box = TypeVar("Box", bound=QBoxLayout)
Item = QWidget | QLayout
Margins = tuple[int, int, int, int]


def styled(widget: QWidget, name: str) -> None:
    """Let a widget of a class of ours have the ground of a rule of the style sheet."""
    widget.setObjectName(name)
    widget.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)


def new_label(  # noqa: PLR0913 - what labels differ in
    parent: QWidget | None = None,
    text: str = "",
    *,
    look: QFont | None = None,
    dim: bool = False,
    wraps: bool = False,
    plain: bool = False,
) -> QLabel:
    """Create a label; `plain` text may look like HTML, as names and paths do."""
    result = QLabel(parent)
    if plain:
        result.setTextFormat(Qt.TextFormat.PlainText)
    if look is not None:
        result.setFont(look)
    if dim:
        result.setProperty("dim", True)
    result.setWordWrap(wraps)
    result.setText(text)
    return result


def filled(
    box: Box,
    *items: Item | tuple[Item, int] | int,
    margins: Margins | None = None,
    spacing: int | None = None,
) -> Box:
    """Fill a row or column, and return it.

    Parameters
    ----------
    items
        Widgets and layouts, with how much of the room they take if given; a
        number alone is room that stays empty.
    margins
        Pixels at the left, top, right and bottom; None: as the style has them.
    spacing
        Pixels between items; None: as the style has them.
    """
    if margins is not None:
        box.setContentsMargins(*margins)
    if spacing is not None:
        box.setSpacing(spacing)
    for item in items:
        if isinstance(item, int):
            box.addStretch(item)
            continue
        part, stretch = item if isinstance(item, tuple) else (item, 0)
        if isinstance(part, QWidget):
            box.addWidget(part, stretch)
        else:
            box.addLayout(part, stretch)
    return box


def bare_column(widget: QWidget, *items: Item | tuple[Item, int] | int) -> QVBoxLayout:
    """Lay a widget out from top to bottom, without margins and gaps."""
    return filled(QVBoxLayout(widget), *items, margins=(0, 0, 0, 0), spacing=0)


def stacked(panel: QWidget, *views: QWidget) -> QStackedLayout:
    """Add a stack of views to a panel, of which one is shown."""
    stack = QStackedLayout(panel)
    for view in views:
        stack.addWidget(view)
    return stack


def scrolled(content: QWidget) -> QScrollArea:
    """Let a panel that is too low for its content scroll: nothing is drawn over."""
    area = QScrollArea(content.parentWidget())
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    return area
