"""Titles of the tabs of panels: as many as there is room for, icons for the others.

Qt would cut all of them to a few letters. Here each tab can be read or recognised, and
reached by one click, however many panels are open.
"""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QLabel, QMainWindow, QTabBar
from shiboken6 import getCppPointer

from topoview.scene.palette import Theme
from topoview.ui.widgets.icons import ICONS, icon

TAB_PADDING = 11
"""Pixels of a tab beside its title: those of the style sheet, and one more."""

ICON_PIXELS, ICON_INSET = 14, 3
"""Size of an icon, and room before it."""

ICON_WIDTH = ICON_INSET + ICON_PIXELS + 4
"""What an icon takes in place of a title: Qt leaves room beyond it."""

OTHER_PANEL = "panel"
"""Icon of panels that have none of their own."""

ICON_SIDE = QTabBar.ButtonPosition.LeftSide

DIRECT_CHILDREN = Qt.FindChildOption.FindDirectChildrenOnly


def titled_tabs(widths: Sequence[int], room: int) -> int:
    """Count the tabs, from the first on, that have a title whichever is in front.

    The others have an icon, but for the one in front: so the first ones stay in their
    places when it changes.

    Parameters
    ----------
    widths
        Of the titles in pixels.
    room
        Width of the row of tabs.
    """
    for titled in range(len(widths), 0, -1):
        rest = widths[titled:]
        front = max(max(rest, default=0) - ICON_WIDTH, 0)
        taken = sum(widths[:titled]) + ICON_WIDTH * len(rest) + front
        if taken + TAB_PADDING * len(widths) <= room:
            return titled
    return 0


def fits_in_front(width: int, tabs: int, room: int) -> bool:
    """Tell whether the tab in front has room for its title beside icons of all others.

    Without, the panel itself shows its title.
    """
    return width + ICON_WIDTH * (tabs - 1) + TAB_PADDING * tabs <= room


def title_tabs(
    window: QMainWindow,
    docks: Mapping[str, QDockWidget],
    titles: Mapping[str, str],
    theme: Theme,
) -> None:
    """Give each tab of a window's panels its title, or its icon with a tip.

    Parameters
    ----------
    docks, titles
        By the names of the panels, which their icons have too.
    """
    names = {getCppPointer(dock)[0]: name for name, dock in docks.items()}
    shown = {name: titles[name] for name in docks}
    bars = window.findChildren(QTabBar, options=DIRECT_CHILDREN)
    for bar in bars:
        there = _names_of(bar, names)
        if not all(there):  # Qt still names a panel that is going
            continue
        metrics = bar.fontMetrics()
        widths = [metrics.horizontalAdvance(titles[name]) for name in there]
        titled = titled_tabs(widths, bar.width())
        for at, name in list(enumerate(there))[titled:]:
            in_front = at == bar.currentIndex()
            if not (in_front and fits_in_front(widths[at], len(there), bar.width())):
                shown[name] = ""
    for name, dock in docks.items():
        # Qt takes the tabs' titles from there, again and again
        text = titles[name] if dock.isFloating() else shown[name]
        if dock.windowTitle() != text:
            dock.setWindowTitle(text)
            dock.setAccessibleName(titles[name])
    for bar in bars:
        for at, name in enumerate(_names_of(bar, names)):
            _put_icon(bar, at, "" if shown[name] else name, theme)
            bar.setTabToolTip(at, "" if shown[name] else titles[name])
            bar.setAccessibleTabName(at, titles[name])


def _put_icon(bar: QTabBar, at: int, name: str, theme: Theme) -> None:
    """Put the icon of a panel on a tab, or take it off: an empty name.

    No icon of the tab itself: Qt leaves as much room beside that as it takes.
    """
    before = bar.tabButton(at, ICON_SIDE)
    if not name:
        if before is not None:
            bar.setTabButton(at, ICON_SIDE, None)
            before.deleteLater()
        return
    label = before if isinstance(before, QLabel) else QLabel(bar)
    drawn = icon(name if name in ICONS else OTHER_PANEL, theme.text2, ICON_PIXELS)
    label.setPixmap(drawn.pixmap(ICON_PIXELS, ICON_PIXELS))
    label.setFixedSize(ICON_INSET + ICON_PIXELS, ICON_PIXELS)
    label.setAlignment(Qt.AlignmentFlag.AlignRight)
    label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    if label is not before:
        bar.setTabButton(at, ICON_SIDE, label)


def _names_of(bar: QTabBar, names: Mapping[int, str]) -> list[str]:
    """Name the panels of a row of tabs: Qt keeps the address of each with its tab."""
    return [names.get(bar.tabData(at), "") for at in range(bar.count())]
