"""Stroke icons on a grid of 24, drawn in the colour of the text around them."""

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from topoview.base.resources import resource

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
    "panel": '<path d="M4.5 5.5h15v13h-15zM4.5 9.5h15"/>',
    "topology": '<path d="M7.5 7l8 3M7 8l3 8M12 17l4-5"/>'
    '<circle cx="6" cy="6" r="2"/><circle cx="17.5" cy="11" r="2"/>'
    '<circle cx="10.5" cy="18" r="2"/>',
    "logical": '<path d="M4 5.5h9M8 9.8h11M8 14.1h8M4 18.5h11"/>',
    "delays": '<path d="M7 4h10M7 20h10M8 4c0 5 8 6 8 16M16 4c0 5-8 6-8 16"/>',
    "picked": '<path d="M10 10l3.5 9.5 2-4.5 4.5-2z"/><path d="M4 8V4h4M12 4h4v3M4 12v4'
    'h3"/>',
    "matrix": '<path d="M4.5 4.5h15v15h-15zM9.5 4.5v15M14.5 4.5v15M4.5 9.5h15M4.5 '
    '14.5h15"/>',
    "profile": '<path d="M4.5 4v16M8 6.5h11M8 12h6M8 17.5h8.5"/>',
    "events": '<path d="M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01"/>',
    "find": '<circle cx="10.5" cy="10.5" r="6"/><path d="M15 15l5 5"/>',
    "iterations": '<path d="M19.5 12a7.5 7.5 0 1 1-2.2-5.3M19.5 3.5v4h-4"/>',
    "communicators": '<circle cx="9" cy="12" r="5.5"/>'
    '<circle cx="15" cy="12" r="5.5"/>',
    "hung": '<circle cx="12" cy="12" r="8.5"/><path d="M9.5 8.5v7M14.5 8.5v7"/>',
    "bookmarks": '<path d="M6.5 4h11v16L12 15.5 6.5 20z"/>',
    "phases": '<path d="M4 7h6v4H4zM10 11h10v4H10zM4 15h6v4H4z"/>',
    "statistics": '<path d="M4 20h16M6 20v-5M10 20V9M14 20V5M18 20v-8"/>',
    "timeline": '<path d="M4 6h8M7 10h12M5 14h7M9 18h11"/>',
    "network": '<path d="M12 7.5v4M6 16.5v-2.5h12v2.5M12 11.5V14"/>'
    '<path d="M9.5 3.5h5v4h-5zM3.5 16.5h5v4h-5zM15.5 16.5h5v4h-5z"/>',
    "scene": '<path d="M12 3.5l7.5 4.2v8.6L12 20.5l-7.5-4.2V7.7z"/>'
    '<path d="M4.5 7.7L12 12l7.5-4.3M12 12v8.5"/>',
    "both": '<path d="M4.5 4.5h15v15h-15zM4.5 14.5h15"/>',
    "second": '<path d="M3.5 5.5h17v13h-17zM12 5.5v13"/>',
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
    result = icon(name, colour, pixels)
    result.addPixmap(_pixmap(name, QColor(dimmed), pixels), QIcon.Mode.Disabled)
    return result


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
