"""Pictures of panels and of the whole window as PNG, SVG or PDF."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, QTimer
from PySide6.QtGui import QColor, QImage, QPainter
from shiboken6 import isValid

from topoview.base.text import tr
from topoview.errors import ExportError
from topoview.report.write import check_writable
from topoview.scene.palette import THEMES
from topoview.ui.export.picture import save_image, set_paper_width
from topoview.ui.export.tiles import check_picture_size
from topoview.ui.export.vector import painting, pdf_file, svg_text
from topoview.ui.panels.table import PANELS
from topoview.ui.widgets.panel import Panel

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from PySide6.QtWidgets import QWidget

    from topoview.ui.actions.action import Context
    from topoview.ui.export.picture_choice import PictureChoice

WINDOW = "window"
"""The whole window, among panels."""


def picture_panels(c: Context) -> dict[str, str]:
    """List what pictures can be made of now: the scene, open panels, the window."""
    panels = c.panels()
    opened = {
        name: row.title
        for name, row in PANELS.items()
        if panels is not None and name != "second" and panels.is_open(name)
    }
    return {"scene": tr("Scene"), **opened, WINDOW: tr("Whole window")}


LOOK_MILLISECONDS = 50
"""Between two looks whether a panel shows all that it should."""


def when_seen(c: Context, name: str, act: Callable[[], None]) -> None:
    """Bring a panel to the front, and do something once it shows what it should.

    One that is behind another tab may not have been made, and asks for nothing.
    """
    panels = c.panels()
    if panels is not None and name in PANELS:
        panels.open_panel(name, shown=True)

    def look() -> None:
        if panels is None or not isValid(c.window):
            return
        if panels.settled and (name not in PANELS or panels.panel(name).isVisible()):
            act()
        elif name not in PANELS or panels.is_open(name):
            QTimer.singleShot(LOOK_MILLISECONDS, c.window, look)

    look()


def save_panel(c: Context, name: str, path: Path, choice: PictureChoice) -> None:
    """Save the picture of a panel, or of the window; the suffix tells the format.

    Text and lines of SVG and PDF files are vectors, rows of the timeline and cells
    of the matrix are pixels.

    Raises
    ------
    ExportError
        It cannot be made, or written there.
    """
    panels, analysis = c.panels(), c.state.analysis
    if panels is None or analysis is None:
        raise ExportError(tr("there is no panel yet: open a trace"))
    widget: QWidget = c.window if name == WINDOW else panels.panel(name)
    seen = widget.width(), widget.height()
    size, scale, width_cm = choice.measures(seen)
    if not isinstance(widget, Panel):
        size, scale = seen, max(scale, round(scale * size[0] / max(seen[0], 1)))
    title = f"{analysis.trace.name}: {picture_panels(c).get(name, name)}"
    ground = QColor(THEMES[c.state.theme].panel)

    def paint(painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(0, 0, *size, ground)
        if isinstance(widget, Panel):
            widget.paint_at(painter, QSize(*size))
        else:
            widget.render(painter, QPoint())

    check_writable(path, "pictures", (".png", ".svg", ".pdf"))
    suffix = path.suffix.lower()
    if suffix == ".svg":
        path.write_text(svg_text(size, title, paint, width_cm), "utf-8", "replace")
        return
    if suffix == ".pdf":
        file, unit = pdf_file(path, size, title, width_cm)
        with painting(file) as painter:
            painter.scale(unit, unit)
            paint(painter)
        return
    wide, high = (side * scale for side in size)
    check_picture_size(wide, high, clear=False)
    image = QImage(wide, high, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    with QPainter(image) as painter:
        paint(painter)
    image.setDevicePixelRatio(1.0)
    image.setText("Title", title)
    set_paper_width(image, width_cm)
    save_image(image, path)
