"""Stroke icons on a grid of 24, drawn in the colour of the text around them."""

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from topoview.resources import resource

APPLICATION = "io.github.topoview.topoview"
APPLICATION_ICON = ("share", "icons", "hicolor", "scalable", "apps")

ICONS = {
    "open": '<path d="M3 7.5V18a1.5 1.5 0 0 0 1.5 1.5h13L21 10.5H8L5 19"/>'
    '<path d="M3 7.5V6a1.5 1.5 0 0 1 1.5-1.5H9l2 2.5h6A1.5 1.5 0 0 1 '
    '18.5 8.5V10.5"/>',
    "camera": '<path d="M3.5 8.5A1.5 1.5 0 0 1 5 7h2.5l1.5-2h6l1.5 2H19'
    "a1.5 1.5 0 0 1 1.5 1.5v9A1.5 1.5 0 0 1 19 19H5a1.5 1.5 0 0 "
    '1-1.5-1.5z"/><circle cx="12" cy="13" r="3.5"/>',
    "play": '<path d="M7.5 5l11 7-11 7z"/>',
    "pause": '<path d="M8.5 5.5v13M15.5 5.5v13"/>',
    "previous": '<path d="M17 6l-8 6 8 6z"/><path d="M6.5 6v12"/>',
    "next": '<path d="M7 6l8 6-8 6z"/><path d="M17.5 6v12"/>',
    "repeat": '<path d="M16.5 3.5l3.5 3.5-3.5 3.5"/><path d="M20 7H8a4 4 0 '
    '0 0-4 4"/><path d="M7.5 20.5L4 17l3.5-3.5"/><path d="M4 17h12a4 4 0 0 0 '
    '4-4"/>',
    "fit": '<path d="M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5"/>',
    "zoom-in": '<circle cx="10.5" cy="10.5" r="6"/>'
    '<path d="M15 15l5 5M10.5 8v5M8 10.5h5"/>',
    "zoom-out": '<circle cx="10.5" cy="10.5" r="6"/><path d="M15 15l5 5M8 10.5h5"/>',
    "undo": '<path d="M8 5L4 9l4 4"/><path d="M4 9h10a5.5 5.5 0 0 1 0 11h-4"/>',
    "bookmark": '<path d="M6.5 4h11v16L12 15.5 6.5 20z"/>',
    "search": '<circle cx="10.5" cy="10.5" r="6"/><path d="M15 15l5 5"/>',
    "float": '<path d="M9 5h10v10"/><path d="M5 9h10v10H5z"/>',
    "close": '<path d="M6.5 6.5l11 11M17.5 6.5l-11 11"/>',
    "edges": '<path d="M7.5 7.5l9 9M7.5 16.5v-9h9"/>'
    '<circle cx="6" cy="6" r="2"/><circle cx="18" cy="18" r="2"/>'
    '<circle cx="6" cy="18" r="2"/><circle cx="18" cy="6" r="2"/>',
    "shape": '<path d="M4 7h9M17 7h3M4 12h3M11 12h9M4 17h9M17 17h3"/>'
    '<circle cx="15" cy="7" r="2"/><circle cx="9" cy="12" r="2"/>'
    '<circle cx="15" cy="17" r="2"/>',
    "messages": '<path d="M4 12h14M13 7l5 5-5 5"/>',
    "copy": '<path d="M9 8.5h10.5V20H9z"/><path d="M6 15.5H4.5V4H15v1.5"/>',
    "fold": '<path d="M5 12h14M12 3v5M9.5 6L12 8.5 14.5 6M12 21v-5'
    'M9.5 18l2.5-2.5 2.5 2.5"/>',
    "unfold": '<path d="M5 12h14M12 8.5v-5M9.5 6L12 3.5 14.5 6M12 15.5v5'
    'M9.5 18l2.5 2.5 2.5-2.5"/>',
    "filter-off": '<path d="M4 5h16l-6 7.5V19l-4-2v-4.5z"/><path d="M4 20L20 4"/>',
    "warning": '<path d="M12 4.5L21 19.5H3z"/><path d="M12 10.5v4M12 17v.01"/>',
    "pin": '<path d="M9 3.5h6l-1 6 3.5 3.5v1.5h-11V13L10 9.5z"/><path d="M12 14.5v6"/>',
    "target": '<circle cx="12" cy="12" r="6.5"/><path d="M12 2.5v4M12 17.5v4'
    'M2.5 12h4M17.5 12h4"/>',
}


def icon(name: str, colour: QColor | str, pixels: int = 18) -> QIcon:
    """Draw an icon in a colour; sharp on screens of up to twice the density."""
    stroke = QColor(colour)
    return QIcon(_pixmap(name, stroke, pixels))


def application_icon() -> QIcon:
    """Icon of the application."""
    return QIcon(str(resource(*APPLICATION_ICON, f"{APPLICATION}.svg")))


def themed_icon(name: str, colour: str, dimmed: str, pixels: int = 18) -> QIcon:
    """Draw an icon with its disabled state."""
    found = icon(name, colour, pixels)
    found.addPixmap(_pixmap(name, QColor(dimmed), pixels), QIcon.Mode.Disabled)
    return found


def _pixmap(name: str, stroke: QColor, pixels: int) -> QPixmap:
    return QPixmap.fromImage(_drawn(name, stroke.name(), pixels))


@cache
def _drawn(name: str, stroke: str, pixels: int) -> QImage:
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" '
        f'stroke="{stroke}" stroke-width="1.6" stroke-linecap="round" '
        f'stroke-linejoin="round">{ICONS[name]}</svg>'
    )
    ratio = 2
    kind = QImage.Format.Format_ARGB32_Premultiplied
    image = QImage(pixels * ratio, pixels * ratio, kind)
    image.fill(Qt.GlobalColor.transparent)
    with QPainter(image) as painter:
        QSvgRenderer(QByteArray(svg.encode())).render(
            painter, QRectF(0, 0, pixels * ratio, pixels * ratio)
        )
    image.setDevicePixelRatio(ratio)
    return image
