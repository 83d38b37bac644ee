"""Context menus: entries of the table of actions for the thing under the pointer.

What is under the pointer is selected before, so that actions are about it. Only what
makes sense then is listed.
"""

from collections.abc import Iterable

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QWidget

from topoview.ui.actions import rows
from topoview.ui.actions.action import SEPARATOR, Action
from topoview.ui.actions.menus import ActionSet
from topoview.ui.actions.selection import RELATED_MENU
from topoview.ui.actions.table import MENUS
from topoview.ui.actions.timeline import GO_MENU
from topoview.ui.widgets.panel import PointedThing

_TABLE = ("copy-csv", "copy-markdown", "save-csv", "export-panel")
_OCCURRENCES = ("next-instance", "previous-instance")

_NOTES = ("add-note", "add-bookmark")

CONTEXT_MENUS: dict[str, tuple[str, ...]] = {
    "scene": (
        RELATED_MENU,
        "select-others",
        "name-selection",
        "clear",
        SEPARATOR,
        *_NOTES,
        SEPARATOR,
        "show-chains",
        "show-path",
        "fade-computing",
        "edges",
        "messages",
        SEPARATOR,
        "next-layout",
        "shape",
        "all-coordinates",
        "fit-scene",
        SEPARATOR,
        "export-panel",
        "copy-picture",
    ),
    "timeline": (
        "zoom-selected",
        "play-selected",
        "undo",
        "fit",
        GO_MENU,
        "fetch",
        SEPARATOR,
        "follow-wait",
        "message-sent",
        "message-received",
        "all-messages",
        "no-ruler",
        "mark",
        SEPARATOR,
        RELATED_MENU,
        "select-others",
        "clear",
        SEPARATOR,
        *_NOTES,
        SEPARATOR,
        rows.ORDER_MENU,
        rows.GROUP_MENU,
        rows.COLOUR_MENU,
        rows.TRACK_MENU,
        rows.ZOOM_MENU,
        "only-selected",
        "all-rows",
        "turn-threads",
        SEPARATOR,
        "export-panel",
    ),
    "matrix": ("select-others", "clear", SEPARATOR, *_NOTES, SEPARATOR, *_TABLE),
    "topology": (
        "why",
        "copy-why",
        "remember",
        SEPARATOR,
        *_TABLE,
    ),
    "logical": (
        *_OCCURRENCES,
        "slowest-iteration",
        "clear",
        SEPARATOR,
        *_NOTES,
        SEPARATOR,
        "find-logical",
        "unfold",
        "fold",
        SEPARATOR,
        "copy-logical",
        *_TABLE,
    ),
    "profile": (*_OCCURRENCES, "clear", SEPARATOR, *_NOTES, SEPARATOR, *_TABLE),
    "events": (
        "next-call",
        "previous-call",
        "fetch",
        SEPARATOR,
        *_NOTES,
        SEPARATOR,
        *_TABLE,
    ),
}
"""Actions and menus within by panel; those of the first view are the second's, too."""

OTHER_PANELS = ("clear", SEPARATOR, *_NOTES, SEPARATOR, *_TABLE)
"""For panels without a menu of their own."""


def context_menu(
    name: str, thing: PointedThing, actions: ActionSet, parent: QWidget
) -> QMenu:
    """Create the menu of a panel for what is under the pointer."""
    menu = QMenu(parent)
    menu.aboutToHide.connect(menu.deleteLater)
    if thing.title:
        menu.addAction(thing.title).setEnabled(False)
        menu.addSeparator()
    for text, act in thing.own:
        menu.addAction(text).triggered.connect(lambda _=False, act=act: act())
    menu.addSeparator()
    names = CONTEXT_MENUS.get("scene" if name == "second" else name, OTHER_PANELS)
    actions.refresh()
    _fill(menu, names, actions)
    return menu


def _fill(menu: QMenu, names: Iterable[str], actions: ActionSet) -> None:
    """Put those actions into a menu that make sense, and menus that have some."""
    for name in names:
        if name == SEPARATOR:
            menu.addSeparator()
        elif name in MENUS:
            entries = MENUS[name]
            inner = [e.name if isinstance(e, Action) else e for e in entries]
            part = QMenu(name, menu)
            _fill(part, inner, actions)
            if not part.isEmpty():
                menu.addMenu(part)
        elif actions.qt[name].isEnabled():
            menu.addAction(actions.qt[name])


def open_context_menu(
    name: str, thing: PointedThing, at: QPoint, actions: ActionSet, parent: QWidget
) -> None:
    """Open the menu of a panel."""
    context_menu(name, thing, actions, parent).popup(at)
