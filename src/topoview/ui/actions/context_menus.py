"""Context menus: entries of the table of actions for the thing under the pointer.

What is under the pointer is selected before, so that actions are about it. Only what
makes sense then is listed.
"""

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QWidget

from topoview.live.picking.relations import RELATIONS
from topoview.ui.actions.action import SEPARATOR
from topoview.ui.actions.menus import ActionSet
from topoview.ui.actions.rows import ROW_GROUP_TEXTS, TRACK_TEXTS
from topoview.ui.panels.table import PointedThing

_RELATED = tuple(f"select-{name}" for name in RELATIONS)
_TABLE = ("copy-csv", "copy-markdown", "save-csv", "export-panel")
_OCCURRENCES = ("next-instance", "previous-instance")

CONTEXT_MENUS: dict[str, tuple[str, ...]] = {
    "scene": (
        *_RELATED,
        *("select-others", "name-selection", "clear", SEPARATOR),
        *("show-chains", "show-path", "fade-computing", "edges", "messages", SEPARATOR),
        *("next-layout", "shape", "all-coordinates", "fit-scene", SEPARATOR),
        *("export-panel", "copy-picture"),
    ),
    "timeline": (
        *("zoom-selected", "play-selected", "undo", "fit", "fetch", SEPARATOR),
        *("next-event", "previous-event", "next-call", "previous-call", SEPARATOR),
        *_RELATED,
        *("select-others", "clear", SEPARATOR),
        *("order-rank", "order-place", "order-distance", "order-similarity"),
        *("order-number", "only-selected", "all-rows", SEPARATOR),
        *(f"group-{name or 'order'}" for name in ROW_GROUP_TEXTS),
        *("fold-groups", "unfold-groups", "turn-groups", "turn-threads", SEPARATOR),
        *(f"track-{name}" for name in (*TRACK_TEXTS, "counter")),
        *(SEPARATOR, "all-messages", "message-sent", "message-received"),
        *("follow-wait", "no-ruler", "rows-fit", "mark", SEPARATOR),
        "export-panel",
    ),
    "matrix": ("select-others", "clear", SEPARATOR, *_TABLE),
    "topology": (
        *("why", "copy-why", "remember", SEPARATOR),
        *_TABLE,
    ),
    "logical": (
        *_OCCURRENCES,
        *("slowest-iteration", "clear", SEPARATOR),
        *("find-logical", "unfold", "fold", SEPARATOR),
        *("copy-logical", *_TABLE),
    ),
    "profile": (*_OCCURRENCES, "clear", SEPARATOR, *_TABLE),
    "events": ("next-call", "previous-call", "fetch", SEPARATOR, *_TABLE),
}
"""Names of actions by panel; those of the first view are the second's, too."""

OTHER_PANELS = ("clear", SEPARATOR, *_TABLE)
"""For panels without a menu of their own."""


def context_menu(
    name: str, thing: PointedThing, actions: ActionSet, parent: QWidget
) -> QMenu:
    """Make the menu of a panel for what is under the pointer."""
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
    for each in names:
        if each == SEPARATOR:
            menu.addSeparator()
        elif actions.qt[each].isEnabled():
            menu.addAction(actions.qt[each])
    return menu


def open_context_menu(
    name: str, thing: PointedThing, at: QPoint, actions: ActionSet, parent: QWidget
) -> None:
    """Open the menu of a panel."""
    context_menu(name, thing, actions, parent).popup(at)
