"""Titles of columns, as Qt's models are asked for them."""

from collections.abc import Sequence

from PySide6.QtCore import Qt

Role = Qt.ItemDataRole


def column_header(
    titles: Sequence[str],
    section: int,
    orientation: Qt.Orientation,
    role: int,
    tips: Sequence[str] = (),
) -> object:
    """Give a column's title, tip or alignment: the first left, numbers right."""
    if orientation != Qt.Orientation.Horizontal:
        return None
    if role == Role.DisplayRole:
        return titles[section]
    if role == Role.ToolTipRole and tips:
        return tips[section]
    if role == Role.TextAlignmentRole:
        side = Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter
    return None
