"""The table of all actions: menus, tool bar, palette and key help are made of it."""

from __future__ import annotations

from functools import partial

from topoview.ui.actions import appearance, general, layout, selection, timeline
from topoview.ui.actions.action import (
    SEPARATOR,
    Action,
    Menu,
    Setting,
    always,
    choice,
    field,
    flag,
    has_health,
    has_logical,
    has_match,
    has_notes,
)
from topoview.ui.panels.options import TopologyOptions
from topoview.ui.panels.table import PANELS
from topoview.ui.widgets import dialogs

_THEME = Setting(lambda c: c.settings.theme, general.choose_theme)
_THEME_TEXTS = {"system": "As the desktop", "light": "Light", "dark": "Dark"}
_FULL_SCREEN = Setting(lambda c: c.window.isFullScreen(), general.toggle_full_screen)

CAMERA_TEXTS = {
    "home": "As at first",
    "front": "From the front",
    "right": "From the right",
    "above": "From above",
    "behind": "From behind",
    "left": "From the left",
    "below": "From below",
}
"""Names of cameras, in the order of their keys."""

_FILE: Menu = (
    Action(
        "open",
        "Open trace…",
        partial(general.ask_for_trace, folder=False),
        "Ctrl+O",
        when=always,
        icon="open",
    ),
    Action(
        "open-folder",
        "Open folder…",
        partial(general.ask_for_trace, folder=True),
        "Ctrl+Shift+O",
        when=always,
    ),
    Action(
        "open-part",
        "Open a part of the trace…",
        general.open_subset,
        words="subset ranks window time large",
    ),
    "Open recent",
    Action(
        "demo", "Open the demo", general.open_demo, words="sample example", when=always
    ),
    SEPARATOR,
    Action(
        "screenshot",
        "Save picture of the scene…",
        general.save_picture,
        "Ctrl+S",
        "screenshot export png image report",
        icon="camera",
    ),
    Action(
        "copy-picture",
        "Copy picture of the scene",
        general.copy_picture,
        words="clipboard",
        when=has_match,
    ),
    Action(
        "film",
        "Save film of the scene…",
        general.save_film,
        "Ctrl+Shift+S",
        "movie video mp4 gif export animation",
        has_match,
    ),
    Action(
        "key-frame",
        "Add camera key frame",
        general.add_key_frame,
        words="film path fly",
        when=has_match,
    ),
    Action(
        "no-key-frames",
        "Clear camera key frames",
        general.clear_key_frames,
        words="film path fly",
        when=lambda c: bool(c.state.film_path),
    ),
    SEPARATOR,
    Action(
        "compare",
        "Compare with another trace…",
        general.compare_traces,
        words="diff difference two logical traces",
        when=has_logical,
    ),
    SEPARATOR,
    Action(
        "cancel",
        "Cancel opening",
        lambda c: c.opener.cancel(),
        when=lambda c: c.state.opening is not None,
    ),
    Action("close", "Close trace", general.close_trace, "Ctrl+W"),
    Action("quit", "Quit", lambda c: c.window.close(), "Ctrl+Q", "exit", always),
)

_EDIT: Menu = (
    *timeline.ZOOM_ACTIONS,
    SEPARATOR,
    *selection.SELECTION_ACTIONS,
    Action(
        "copy-logical",
        "Copy logical trace",
        general.copy_logical,
        "Ctrl+Shift+C",
        "text listing clipboard",
        has_logical,
        icon="copy",
    ),
    Action(
        "find-logical",
        "Find in the logical trace…",
        general.find_logical,
        "Ctrl+F",
        "search filter lines statements",
        has_logical,
        icon="search",
    ),
)

_VIEW: Menu = (
    "Theme",
    flag("fullscreen", "Full screen", "F11", setting=_FULL_SCREEN, when=always),
    SEPARATOR,
    Action(
        "palette",
        "Find a command…",
        lambda c: c.show("palette"),
        "Ctrl+Shift+P",
        when=always,
        icon="search",
    ),
)

_SCENE: Menu = (
    flag("edges", "Edges", "E", "lines links connections", icon="edges"),
    flag("messages", "Messages", "X", "dashes arrows", icon="messages"),
    appearance.MESSAGE_MENU,
    *appearance.EDGE_ACTIONS,
    SEPARATOR,
    appearance.COLOUR_MENU,
    appearance.RANGE_MENU,
    appearance.OUTLINE_MENU,
    appearance.SIZE_MENU,
    appearance.COUNTER_MENU,
    "Labels",
    *appearance.RANK_ACTIONS,
    Action(
        "next-colouring",
        "Next colouring",
        appearance.next_colouring,
        "C",
        "colour ranks by",
        has_match,
    ),
    SEPARATOR,
    layout.LAYOUT_MENU,
    layout.GAP_MENU,
    layout.WRAP_MENU,
    layout.SECOND_VIEW_MENU,
    *layout.SHAPE_ACTIONS,
    Action(
        "next-layout",
        "Next layout",
        layout.next_layout,
        "L",
        "flat torus tube shape arrangement",
        has_match,
    ),
    "Camera",
    Action(
        "projection",
        "Parallel or perspective",
        general.toggle_projection,
        "P",
        "projection orthographic camera",
    ),
    Action(
        "fit-scene",
        "Fit the scene",
        partial(general.look, whole=True, turned=False),
        "Shift+F",
        "camera reset whole",
    ),
)

_ANALYSIS: Menu = (
    Action(
        "next-match",
        "Next match",
        partial(general.step_match, 1),
        "N",
        "topology alternative",
        has_match,
    ),
    Action(
        "previous-match",
        "Previous match",
        partial(general.step_match, -1),
        "Shift+N",
        "topology alternative",
        has_match,
    ),
    flag(
        "why",
        "Why this topology",
        words="reasons candidates excluded explain",
        setting=field("why", TopologyOptions),
        when=has_match,
    ),
    Action(
        "remember",
        "Remember this topology…",
        general.ask_for_pattern_name,
        words="save pattern own user library",
        when=general.can_save_pattern,
    ),
    Action(
        "copy-why",
        "Copy why",
        general.copy_explanation,
        words="reasons candidates clipboard",
        when=has_match,
    ),
    SEPARATOR,
    *selection.OCCURRENCE_ACTIONS,
    SEPARATOR,
    Action(
        "unfold",
        "Unfold all loops",
        partial(general.fold_loops, False),
        words="expand logical trace",
        when=has_logical,
        icon="unfold",
    ),
    Action(
        "fold",
        "Fold all loops",
        partial(general.fold_loops, True),
        words="collapse logical trace",
        when=has_logical,
        icon="fold",
    ),
    SEPARATOR,
    Action(
        "notes",
        "Notes on the trace",
        lambda c: c.show("notes"),
        words="warnings problems",
        when=has_notes,
        icon="warning",
    ),
    Action(
        "health",
        "Trace health",
        lambda c: c.show("health"),
        words="repaired incomplete damaged clocks unmatched exact",
        when=has_health,
    ),
)

MENUS: dict[str, Menu] = {
    "File": _FILE,
    "Edit": _EDIT,
    "View": _VIEW,
    "Theme": choice(
        "theme", _THEME_TEXTS, "colours appearance mode", _THEME, when=always
    ),
    **selection.SELECTION_MENUS,
    "Scene": _SCENE,
    "Camera": tuple(
        Action(
            f"camera-{key}",
            text,
            partial(general.look_from, preset),
            str(key),
            "view look from",
        )
        for key, (preset, text) in enumerate(CAMERA_TEXTS.items(), 1)
    ),
    **appearance.APPEARANCE_MENUS,
    **layout.LAYOUT_MENUS,
    **timeline.TIMELINE_MENUS,
    "Analysis": _ANALYSIS,
    "Window": (
        *(general.panel_action(name, row.title) for name, row in PANELS.items()),
        SEPARATOR,
        Action(
            "reset-panels",
            "Panels as at first",
            general.reset_panels,
            words="restore docks arrangement",
        ),
    ),
    "Help": (
        Action(
            "keys",
            "Keys and mouse",
            lambda c: c.show("keys"),
            "? F1",
            "help shortcuts",
            always,
        ),
        SEPARATOR,
        Action(
            "about",
            "About topoview",
            lambda c: dialogs.about(c.window),
            words="version",
            when=always,
        ),
    ),
}

MENU_BAR = ("File", "Edit", "View", "Scene", "Timeline", "Analysis", "Window", "Help")

TOOL_BAR = (
    *("open", "screenshot", SEPARATOR),
    *("undo-zoom", "zoom-in", "zoom-out", "fit", SEPARATOR),
    *("previous-event", "play", "next-event"),
)

ACTIONS = tuple(
    action
    for entries in MENUS.values()
    for action in entries
    if isinstance(action, Action)
)
