"""The table of all actions: menus, tool bar, palette and key help are made of it."""

from __future__ import annotations

from functools import partial

from topoview.live.relations import RELATIONS
from topoview.ui.actions import action as given
from topoview.ui.actions import appearance as channels
from topoview.ui.actions import appearance as colour
from topoview.ui.actions import general as do
from topoview.ui.actions import layout as shape
from topoview.ui.actions import selection as named
from topoview.ui.actions import selection as select
from topoview.ui.actions import timeline as time
from topoview.ui.actions import timeline as times
from topoview.ui.actions.action import SEPARATOR, Action
from topoview.ui.actions.general import ask_for_pattern_name, can_save_pattern
from topoview.ui.shell.cards import show_health
from topoview.ui.shell.subset_dialog import open_subset

_THEME_ACTIONS = tuple(
    Action(
        f"theme-{name}",
        text,
        partial(do.choose_theme, name),
        when=given.always,
        on=partial(given.is_theme, name),
        words="colours appearance mode",
    )
    for name, text in (
        ("system", "As the desktop"),
        ("light", "Light"),
        ("dark", "Dark"),
    )
)

_CAMERA_ACTIONS = tuple(
    Action(
        f"camera-{key}",
        text,
        partial(do.look_from, key),
        str(key),
        words="view look from",
    )
    for key, text in enumerate(do.CAMERA_TEXTS, 1)
)

_ORDER_ACTIONS = tuple(
    Action(
        f"order-{name}",
        f"Rows by {name}",
        partial(time.choose_row_order, name),
        when=partial(given.can_order, name),
        on=partial(given.is_row_order, name),
        words="sort timeline",
    )
    for name in ("rank", "place", "distance")
)

_RELATED_ACTIONS = tuple(
    Action(
        f"select-{name}",
        row.text,
        partial(select.select_related, name),
        when=partial(select.can_select, name),
        words="select ranks add",
    )
    for name, row in RELATIONS.items()
)

_LABEL_ACTIONS = tuple(
    Action(
        f"labels-{name or 'none'}",
        text,
        partial(colour.choose_labels, name),
        when=given.has_match,
        on=partial(colour.is_labelled_by, name),
        words="names numbers write at ranks",
    )
    for name, text in colour.LABEL_TEXTS.items()
)

_PANEL_ACTIONS = tuple(
    Action(
        f"panel-{name}",
        title,
        partial(do.toggle_panel, name),
        on=partial(given.is_panel_shown, name),
        words="panel show hide close open",
    )
    for name, title in do.PANEL_TITLES.items()
)

MENUS: dict[str, tuple[Action | str, ...]] = {
    "File": (
        Action("open", "Open trace…", do.open_file, "Ctrl+O", "open", given.always),
        Action(
            "open-folder",
            "Open folder…",
            do.open_folder,
            "Ctrl+Shift+O",
            "",
            given.always,
        ),
        Action(
            "open-part",
            "Open a part of the trace…",
            open_subset,
            words="subset ranks window time large",
        ),
        "Open recent",
        Action(
            "demo",
            "Open the demo",
            do.open_demo,
            when=given.always,
            words="sample example",
        ),
        SEPARATOR,
        Action(
            "screenshot",
            "Save picture of the scene…",
            do.save_picture,
            "Ctrl+S",
            "camera",
            words="screenshot export png image report",
        ),
        Action(
            "copy-picture",
            "Copy picture of the scene",
            do.copy_picture,
            when=given.has_match,
            words="clipboard",
        ),
        Action(
            "film",
            "Save film of the scene…",
            do.save_film,
            "Ctrl+Shift+S",
            "",
            given.has_match,
            words="movie video mp4 gif export animation",
        ),
        Action(
            "key-frame",
            "Add camera key frame",
            do.add_key_frame,
            when=given.has_match,
            words="film path fly",
        ),
        Action(
            "no-key-frames",
            "Clear camera key frames",
            do.clear_key_frames,
            when=given.has_key_frames,
            words="film path fly",
        ),
        SEPARATOR,
        Action(
            "compare",
            "Compare with another trace…",
            do.compare_traces,
            "",
            "",
            given.has_logical,
            words="diff difference two logical traces",
        ),
        SEPARATOR,
        Action("cancel", "Cancel opening", do.cancel_opening, when=given.is_opening),
        Action("close", "Close trace", do.close_trace, "Ctrl+W"),
        Action(
            "quit", "Quit", do.quit_window, "Ctrl+Q", "", given.always, words="exit"
        ),
    ),
    "Edit": (
        Action(
            "undo-zoom",
            "Undo zoom",
            time.undo_zoom,
            "Ctrl+Z",
            "undo",
            given.can_undo,
            words="back",
        ),
        Action(
            "redo-zoom",
            "Redo zoom",
            time.redo_zoom,
            "Ctrl+Shift+Z Ctrl+Y",
            "",
            given.can_redo,
        ),
        SEPARATOR,
        Action(
            "clear",
            "Clear selection",
            do.clear_selection,
            "Esc",
            "",
            given.has_selection,
            words="deselect none focus",
        ),
        Action("select-all", "Select all ranks", select.select_all, "Ctrl+A"),
        Action(
            "select-others",
            "Select the other ranks",
            select.invert_selection,
            when=select.has_selected_ranks,
            words="invert",
        ),
        "Select with the selected ranks",
        Action(
            "name-selection",
            "Name selection…",
            named.name_selection,
            when=select.has_selected_ranks,
            words="keep remember save ranks group",
        ),
        named.NAMED_SELECTIONS_MENU,
        SEPARATOR,
        Action(
            "copy-logical",
            "Copy logical trace",
            do.copy_logical,
            "Ctrl+Shift+C",
            "copy",
            given.has_logical,
            words="text listing clipboard",
        ),
        Action(
            "find-logical",
            "Find in the logical trace…",
            do.find_logical,
            "Ctrl+F",
            "search",
            given.has_logical,
            words="search filter lines statements",
        ),
    ),
    "View": (
        "Theme",
        Action(
            "fullscreen",
            "Full screen",
            do.toggle_full_screen,
            "F11",
            "",
            given.always,
            given.is_full_screen,
        ),
        SEPARATOR,
        Action(
            "palette",
            "Find a command…",
            do.open_palette,
            "Ctrl+Shift+P",
            "search",
            given.always,
        ),
    ),
    "Theme": _THEME_ACTIONS,
    "Select with the selected ranks": _RELATED_ACTIONS,
    "Scene": (
        Action(
            "edges",
            "Edges",
            partial(do.toggle_view_field, "edges"),
            "E",
            "edges",
            on=partial(given.is_view_field_on, "edges"),
            words="lines links connections",
        ),
        Action(
            "messages",
            "Messages",
            partial(do.toggle_view_field, "messages"),
            "X",
            "messages",
            on=partial(given.is_view_field_on, "messages"),
            words="dashes arrows",
        ),
        channels.MESSAGE_MENU,
        *channels.EDGE_ACTIONS,
        SEPARATOR,
        channels.COLOUR_MENU,
        channels.RANGE_MENU,
        channels.OUTLINE_MENU,
        channels.SIZE_MENU,
        channels.COUNTER_MENU,
        "Labels",
        *channels.RANK_ACTIONS,
        Action(
            "next-colouring",
            "Next colouring",
            colour.next_colouring,
            "C",
            "",
            given.has_match,
            words="colour ranks by",
        ),
        SEPARATOR,
        shape.LAYOUT_MENU,
        shape.GAP_MENU,
        shape.WRAP_MENU,
        shape.SECOND_VIEW_MENU,
        *shape.SHAPE_ACTIONS,
        Action(
            "next-layout",
            "Next layout",
            do.next_layout,
            "L",
            "",
            given.has_match,
            words="flat torus tube shape arrangement",
        ),
        "Camera",
        Action(
            "projection",
            "Parallel or perspective",
            do.toggle_projection,
            "P",
            words="projection orthographic camera",
        ),
        Action(
            "fit-scene",
            "Fit the scene",
            do.fit_scene,
            "Shift+F",
            words="camera reset whole",
        ),
    ),
    named.NAMED_SELECTIONS_MENU: (),
    "Camera": _CAMERA_ACTIONS,
    "Labels": _LABEL_ACTIONS,
    **channels.APPEARANCE_MENUS,
    **shape.LAYOUT_MENUS,
    **times.timeline_menus(_ORDER_ACTIONS),
    "Analysis": (
        Action(
            "next-match",
            "Next match",
            partial(do.step_match, 1),
            "N",
            "",
            given.has_match,
            words="topology alternative",
        ),
        Action(
            "previous-match",
            "Previous match",
            partial(do.step_match, -1),
            "Shift+N",
            "",
            given.has_match,
            words="topology alternative",
        ),
        Action(
            "why",
            "Why this topology",
            partial(do.toggle_view_field, "why"),
            "",
            "",
            given.has_match,
            partial(given.is_view_field_on, "why"),
            words="reasons candidates excluded explain",
        ),
        Action(
            "remember",
            "Remember this topology…",
            ask_for_pattern_name,
            "",
            "",
            can_save_pattern,
            words="save pattern own user library",
        ),
        Action(
            "copy-why",
            "Copy why",
            do.copy_explanation,
            "",
            "",
            given.has_match,
            words="reasons candidates clipboard",
        ),
        SEPARATOR,
        Action(
            "next-instance",
            "Next time it is run",
            partial(select.step_occurrence, 1),
            "I",
            "",
            select.has_selected_calls,
            words="step instance iteration statement",
        ),
        Action(
            "previous-instance",
            "Previous time it is run",
            partial(select.step_occurrence, -1),
            "Shift+I",
            "",
            select.has_selected_calls,
            words="step back instance iteration statement",
        ),
        SEPARATOR,
        Action(
            "unfold",
            "Unfold all loops",
            partial(do.unfold_loops, True),
            "",
            "unfold",
            given.has_logical,
            words="expand logical trace",
        ),
        Action(
            "fold",
            "Fold all loops",
            partial(do.unfold_loops, False),
            "",
            "fold",
            given.has_logical,
            words="collapse logical trace",
        ),
        SEPARATOR,
        Action(
            "notes",
            "Notes on the trace",
            do.show_notes,
            "",
            "warning",
            given.has_notes,
            words="warnings problems",
        ),
        Action(
            "health",
            "Trace health",
            show_health,
            when=given.has_health,
            words="repaired incomplete damaged clocks unmatched exact",
        ),
    ),
    "Window": (
        *_PANEL_ACTIONS,
        SEPARATOR,
        Action(
            "reset-panels",
            "Panels as at first",
            do.reset_panels,
            words="restore docks arrangement",
        ),
    ),
    "Help": (
        Action(
            "keys",
            "Keys and mouse",
            do.show_keys,
            "? F1",
            "",
            given.always,
            words="help shortcuts",
        ),
        SEPARATOR,
        Action("about", "About topoview", do.about, when=given.always, words="version"),
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
