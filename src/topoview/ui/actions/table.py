"""The table of all actions: menus, tool bar, palette and key help are made of it."""

from __future__ import annotations

from functools import partial

from topoview.base.resources import DEMOS
from topoview.base.text import tr
from topoview.ui.actions import (
    appearance,
    bookmarks,
    general,
    layout,
    selection,
    timeline,
)
from topoview.ui.actions.action import (
    SEPARATOR,
    Action,
    Later,
    Menu,
    Setting,
    always,
    choice,
    field,
    flag,
    has_digest,
    has_health,
    has_logical,
    has_match,
    has_notes,
    has_scene,
)
from topoview.ui.panels.options import TopologyOptions
from topoview.ui.panels.table import PANELS
from topoview.ui.widgets import dialogs

_THEME = Setting(lambda c: c.settings.theme, appearance.choose_theme)
_MOUSE = Setting(field("mouse", "").get, timeline.choose_mouse)
_PROJECTION = Setting(
    lambda c: general.camera_of(c).parallel, lambda on, c: general.look(c, parallel=on)
)
_FULL_SCREEN = Setting(lambda c: c.window.isFullScreen(), general.toggle_full_screen)

_MESSAGES = Setting(appearance.shows_messages, field("messages").put)

CAMERA_TEXTS = {
    "home": tr("Default view"),
    "front": tr("From the front"),
    "right": tr("From the right"),
    "above": tr("From above"),
    "behind": tr("From behind"),
    "left": tr("From the left"),
    "below": tr("From below"),
}
"""Names of cameras, in the order of their keys."""

_FILE: Menu = (
    Action(
        "open",
        tr("Open trace…"),
        partial(general.ask_for_trace, folder=False),
        "Ctrl+O",
        always,
        icon="open",
    ),
    Action(
        "open-folder",
        tr("Open folder…"),
        partial(general.ask_for_trace, folder=True),
        "Ctrl+Shift+O",
        always,
    ),
    Action("open-part", tr("Open subset…"), Later("shell.subset_dialog.open_subset")),
    Action(
        "fetch",
        tr("Fetch this window"),
        Later("export.cluster.fetch_window"),
        when=has_digest,
    ),
    Action(
        "on-cluster",
        tr("Open on cluster…"),
        Later("export.cluster.ask_for_cluster"),
        when=always,
    ),
    tr("Open recent"),
    tr("Open a demo"),
    SEPARATOR,
    Action(
        "screenshot",
        tr("Save picture…"),
        Later("export.picture_dialog.ask_for_picture"),
        "Ctrl+S",
        has_scene,
        icon="camera",
    ),
    Action("copy-picture", tr("Copy picture"), general.copy_picture, when=has_scene),
    Action(
        "report",
        tr("Save report…"),
        Later("export.report.job.ask_for_report"),
        when=has_logical,
    ),
    Action("export-panel", tr("Export panel…"), general.export_panel, "Ctrl+E"),
    Action("copy-csv", tr("Copy table as CSV"), Later("export.listing.copy_csv")),
    Action(
        "copy-markdown",
        tr("Copy table as Markdown"),
        Later("export.listing.copy_markdown"),
    ),
    Action("save-csv", tr("Save table as CSV…"), Later("export.listing.save_csv")),
    Action(
        "film",
        tr("Export animation…"),
        Later("export.film_dialog.ask_for_film"),
        "Ctrl+Shift+S",
        has_scene,
    ),
    Action(
        "key-frame", tr("Add camera key frame"), general.add_key_frame, when=has_scene
    ),
    Action(
        "no-key-frames",
        tr("Clear camera key frames"),
        general.clear_key_frames,
        when=lambda c: bool(c.state.film_path),
    ),
    SEPARATOR,
    *bookmarks.SESSION_ACTIONS,
    SEPARATOR,
    Action(
        "compare",
        tr("Compare with another trace…"),
        Later("panels.logical.comparison.ask_for_comparison"),
        when=has_logical,
    ),
    SEPARATOR,
    Action(
        "cancel",
        tr("Cancel opening"),
        lambda c: c.opener.cancel(),
        when=lambda c: c.state.opening is not None,
    ),
    Action("close", tr("Close trace"), general.close_trace, "Ctrl+W"),
    Action("quit", tr("Quit"), lambda c: c.window.close(), "Ctrl+Q", always),
)

_EDIT: Menu = (
    *timeline.UNDO_ACTIONS,
    SEPARATOR,
    *selection.SELECTION_ACTIONS,
    bookmarks.BOOKMARKS_MENU,
    SEPARATOR,
    Action("preferences", tr("Preferences…"), general.show_preferences, when=always),
    SEPARATOR,
    Action(
        "copy-logical",
        tr("Copy logical trace"),
        general.copy_logical,
        "Ctrl+Shift+C",
        has_logical,
        icon="copy",
    ),
    Action(
        "find-calls", tr("Find calls…"), general.find_calls, "Ctrl+F", icon="search"
    ),
    Action(
        "find-logical",
        tr("Find in the logical trace…"),
        general.find_logical,
        "Ctrl+Shift+F",
        has_logical,
        icon="search",
    ),
)

_VIEW: Menu = (
    tr("Theme"),
    tr("Mouse"),
    flag("fullscreen", tr("Full screen"), "F11", _FULL_SCREEN, always),
    SEPARATOR,
    *general.VIEW_ACTIONS,
    SEPARATOR,
    Action("rail", tr("Go to the panels' rail"), lambda c: c.show("rail"), "F6"),
    Action(
        "menu-bar", tr("Open the menu bar"), lambda c: c.show("menus"), "F10", always
    ),
    SEPARATOR,
    Action(
        "palette",
        tr("Find a command…"),
        lambda c: c.show("palette"),
        "Ctrl+Shift+P",
        always,
        icon="search",
    ),
)

_SCENE: Menu = (
    flag("edges", tr("Edges"), "E", icon="edges"),
    flag("messages", tr("Messages in flight"), "X", _MESSAGES, icon="messages"),
    appearance.MESSAGE_MENU,
    *appearance.EDGE_ACTIONS,
    SEPARATOR,
    appearance.COLOUR_MENU,
    appearance.RANGE_MENU,
    appearance.OUTLINE_MENU,
    appearance.SIZE_MENU,
    appearance.COUNTER_MENU,
    tr("Labels"),
    *appearance.RANK_ACTIONS,
    Action(
        "next-colouring",
        tr("Next colouring"),
        appearance.next_colouring,
        "C",
        has_match,
    ),
    SEPARATOR,
    layout.LAYOUT_MENU,
    layout.GAP_MENU,
    layout.WRAP_MENU,
    layout.PLANES_MENU,
    layout.SECOND_VIEW_MENU,
    *layout.SHAPE_ACTIONS,
    tr("Camera"),
    flag("projection", tr("Orthographic projection"), "P", _PROJECTION, has_scene),
    Action(
        "fit-scene",
        tr("Fit the scene"),
        partial(general.look, whole=True, turned=False),
        "Shift+F",
        has_scene,
    ),
)

_ANALYSIS: Menu = (
    Action(
        "next-match", tr("Next match"), partial(general.step_match, 1), "N", has_match
    ),
    Action(
        "previous-match",
        tr("Previous match"),
        partial(general.step_match, -1),
        "Shift+N",
        has_match,
    ),
    flag(
        "why",
        tr("Explain match"),
        setting=Setting(
            lambda c: c.state.of(TopologyOptions).page == "why",
            lambda on, c: c.session.change(TopologyOptions, page="why" if on else ""),
        ),
        when=has_match,
    ),
    Action(
        "remember",
        tr("Save as named pattern…"),
        general.ask_for_pattern_name,
        when=general.can_save_pattern,
    ),
    Action(
        "copy-why", tr("Copy explanation"), general.copy_explanation, when=has_match
    ),
    SEPARATOR,
    *timeline.DELAY_ACTIONS,
    SEPARATOR,
    *selection.OCCURRENCE_ACTIONS,
    SEPARATOR,
    Action("compare-window", tr("Compare with this window"), general.compare_window),
    Action(
        "end-comparison",
        tr("End comparison of windows"),
        general.end_comparison,
        when=general.is_window_compared,
    ),
    SEPARATOR,
    Action(
        "unfold",
        tr("Unfold all loops"),
        partial(general.fold_loops, False),
        when=has_logical,
        icon="unfold",
    ),
    Action(
        "fold",
        tr("Fold all loops"),
        partial(general.fold_loops, True),
        when=has_logical,
        icon="fold",
    ),
    SEPARATOR,
    Action(
        "notes",
        tr("Warnings"),
        lambda c: c.show("notes"),
        when=has_notes,
        icon="warning",
    ),
    Action("health", tr("Trace quality"), lambda c: c.show("health"), when=has_health),
)

MENUS: dict[str, Menu] = {
    tr("File"): _FILE,
    tr("Open a demo"): tuple(
        Action(
            f"demo-{name}",
            tr(title),
            partial(general.open_demo, name),
            when=always,
            words="sample example tutorial open demo",
        )
        for name, title in DEMOS.items()
    ),
    tr("Edit"): _EDIT,
    tr("View"): _VIEW,
    tr("Theme"): choice(
        "theme", appearance.THEME_TEXTS, "colours appearance mode", _THEME, when=always
    ),
    tr("Mouse"): choice(
        "mouse", timeline.MOUSE_TEXTS, "habits preset", _MOUSE, when=always
    ),
    **selection.SELECTION_MENUS,
    bookmarks.BOOKMARKS_MENU: bookmarks.BOOKMARK_ACTIONS,
    tr("Scene"): _SCENE,
    tr("Camera"): tuple(
        Action(
            f"camera-{key}",
            text,
            partial(general.look_from, preset),
            f"Alt+{key}",
            has_scene,
            words="view look from",
        )
        for key, (preset, text) in enumerate(CAMERA_TEXTS.items(), 1)
    ),
    **appearance.APPEARANCE_MENUS,
    **layout.LAYOUT_MENUS,
    **timeline.TIMELINE_MENUS,
    tr("Analysis"): _ANALYSIS,
    tr("Window"): (
        *(general.panel_action(name, row.title) for name, row in PANELS.items()),
        SEPARATOR,
        Action("reset-panels", tr("Reset panel layout"), general.reset_panels),
    ),
    tr("Help"): (
        Action("manual", tr("Documentation"), general.open_manual, when=always),
        Action(
            "panel-page",
            tr("Help on this panel"),
            general.open_panel_page,
            "F1",
            always,
        ),
        Action("keys", tr("Keys and mouse"), lambda c: c.show("keys"), "?", always),
        Action("log", tr("Show the log"), general.show_log, when=always),
        SEPARATOR,
        Action(
            "about",
            tr("About topoview"),
            lambda c: dialogs.about(c.window),
            when=always,
        ),
    ),
}

MENU_BAR = (
    tr("File"),
    tr("Edit"),
    tr("View"),
    tr("Scene"),
    tr("Timeline"),
    tr("Analysis"),
    tr("Window"),
    tr("Help"),
)

TOOL_BAR = (
    "open",
    "screenshot",
    SEPARATOR,
    "undo",
    "zoom-in",
    "zoom-out",
    "fit",
    SEPARATOR,
    "previous-event",
    "play",
    "next-event",
)

ACTIONS = tuple(
    action
    for entries in MENUS.values()
    for action in entries
    if isinstance(action, Action)
)

SEARCH_WORDS = {
    "show-traffic": "width bytes volume",
    "show-chains": "chains root cause late wait paths",
    "show-path": "longest path imbalance",
    "fade-computing": "transparent transparency opacity fade",
    "grow-ranks": "collective pulse swell",
    "hold-short": "playing flash short events",
    "animate-ranks": "numbering order light one after the other",
    "show-trails": "comets dashes",
    "wider": "spacing distance",
    "nearer": "spacing distance",
    "order-places": "layout line circle grid helix numbering",
    "natural-shape": "layout reset geometry natural",
    "placement": "machine nodes sockets network csv map",
    "no-placement": "machine nodes",
    "copies": "repeat 3x3 tiles images",
    "clear": "deselect none focus",
    "select-others": "invert",
    "name-selection": "keep remember save ranks group",
    "fetch": "digest cluster events subset part detail",
    "open-part": "subset ranks window time large",
    "preferences": "settings options theme colours size fonts cache units mouse",
    "log": "file fault bug crash report",
    "screenshot": "screenshot export png image report",
    "copy-picture": "clipboard",
    "export-panel": "picture image svg pdf png paper timeline matrix profile window",
    "copy-csv": "table numbers clipboard",
    "copy-markdown": "table numbers clipboard report",
    "save-csv": "table numbers export spreadsheet",
    "menu-bar": "keyboard menus",
    "rail": "keyboard panels sidebar",
    "film": "movie video mp4 gif export animation",
    "key-frame": "film path fly",
    "no-key-frames": "film path fly",
    "compare-window": "diff difference phase iteration statistics profile two",
    "end-comparison": "diff difference window",
    "compare": "diff difference two logical traces",
    "quit": "exit",
    "copy-logical": "text listing clipboard",
    "find-calls": "search filter query events duration size direction tag",
    "find-logical": "search filter lines statements",
    "edges": "lines links connections",
    "messages": "dashes arrows",
    "next-colouring": "colour ranks by",
    "next-layout": "flat torus tube shape arrangement",
    "projection": "projection orthographic camera",
    "fit-scene": "camera reset whole",
    "next-match": "topology alternative",
    "previous-match": "topology alternative",
    "why": "reasons candidates excluded explain",
    "remember": "save pattern own user library",
    "copy-why": "reasons candidates clipboard",
    "unfold": "expand logical trace",
    "fold": "collapse logical trace",
    "notes": "warnings problems",
    "health": "repaired incomplete damaged clocks unmatched exact",
    "reset-panels": "restore docks arrangement",
    "keys": "help shortcuts",
    "manual": "help manual tutorials pages",
    "panel-page": "documentation manual page",
    "about": "version",
    "speed-other": "play faster slower",
    "play-window": "play range bounds",
    "play-selected": "play loop range repeat",
    "play-communication": "play skip initialisation finalisation",
    "play-region": "play from first to last visit function skip before after",
    "mark": "mark clock relative zero time",
    "play": "animate run stop",
    "repeat": "loop playing",
    "skip": "dead idle time playing",
    "fixed-cursor": "playing scroll fixed cursor still",
    "begin": "start first",
    "end": "last",
    "go-to": "jump cursor",
    "zoom-in": "time magnify",
    "zoom-out": "time",
    "earlier": "pan left scroll back",
    "later": "pan right scroll forward",
    "zoom-selected": "window magnify",
    "fit": "fit all whole run",
    "next-bookmark": "go jump mark",
    "previous-bookmark": "go jump back mark",
    "add-note": "pin comment",
    "save-session": "export view layout bookmarks notes share colleague",
    "open-session": "import view layout bookmarks notes",
    "all-messages": "lines arrows timeline",
    "all-collectives": "barrier allreduce spans last arrival lines timeline",
    "message-sent": "other end sender jump",
    "message-received": "other end receiver jump",
    "follow-wait": "late sender root cause jump",
    "no-ruler": "measure",
    "only-selected": "filter hide rows",
    "all-rows": "filter rows",
    "turn-threads": "locations openmp cuda",
    "order-number": "sort timeline time function state",
    "pin": "hop origin sort rows",
    "rows-in": "vertical magnify",
    "rows-out": "vertical",
    "rows-up": "vertical pan",
    "rows-down": "vertical pan",
    "rows-fit": "vertical whole",
    "track-counter": "track metric papi curve heat",
    "fold-groups": "rows collapse mixture",
    "unfold-groups": "rows expand",
    "turn-groups": "rows collapse expand",
    "undo": "back view zoom",
    "redo": "forward view zoom",
    "overview": "strip below magnify part of the run",
    "slowest-iteration": "longest loop outlier",
    "plane-alone": "single slice fill zoom",
}
"""Further words that the palette finds actions by."""
