"""All actions of the window: one table makes menus, tool bar, palette and help."""

from __future__ import annotations

from functools import partial

from topoview.analysis.related import RELATIONS
from topoview.ui import channel_actions as channels
from topoview.ui import colour_commands as colour
from topoview.ui import commands as do
from topoview.ui import conditions as given
from topoview.ui import named_selections as named
from topoview.ui import select_commands as select
from topoview.ui import time_actions as times
from topoview.ui import time_commands as time
from topoview.ui.action import LINE, Action
from topoview.ui.health_card import show_health
from topoview.ui.part_dialog import open_part
from topoview.ui.remember import can_remember, remember
from topoview.ui.shape import actions as shape

# fmt: off
THEMES = tuple(
    Action(f"theme-{name}", text, partial(do.choose_theme, name), when=given.always,
           on=partial(given.theme_is, name), words="colours appearance mode")
    for name, text in
    (("system", "As the desktop"), ("light", "Light"), ("dark", "Dark"))
)

CAMERAS = tuple(
    Action(f"camera-{key}", text, partial(do.look, key), str(key),
           words="view look from")
    for key, text in enumerate(do.CAMERAS, 1)
)

ORDERS = tuple(
    Action(f"order-{name}", f"Rows by {name}", partial(time.choose_order, name),
           when=partial(given.can_order, name), on=partial(given.order_is, name),
           words="sort timeline")
    for name in ("rank", "place", "distance")
)

RELATED = tuple(
    Action(f"select-{name}", row.text, partial(select.select_related, name),
           when=partial(select.can_select, name), words="select ranks add")
    for name, row in RELATIONS.items()
)

LABELS = tuple(
    Action(f"labels-{name or 'none'}", text, partial(colour.choose_labels, name),
           when=given.has_match, on=partial(colour.labels_are, name),
           words="names numbers write at ranks")
    for name, text in colour.LABEL_TEXTS.items()
)

PANELS = tuple(
    Action(f"panel-{name}", title, partial(do.toggle_panel, name),
           on=partial(given.panel_shown, name), words="panel show hide close open")
    for name, title in do.PANEL_TITLES.items()
)

MENUS: dict[str, tuple[Action | str, ...]] = {
    "File": (
        Action("open", "Open trace…", do.open_file, "Ctrl+O", "open", given.always),
        Action("open-folder", "Open folder…", do.open_folder, "Ctrl+Shift+O", "",
               given.always),
        Action("open-part", "Open a part of the trace…", open_part,
               words="subset ranks window time large"),
        "Open recent",
        Action("demo", "Open the demo", do.open_demo, when=given.always,
               words="sample example"),
        LINE,
        Action("screenshot", "Save picture of the scene…", do.save_picture, "Ctrl+S",
               "camera", words="screenshot export png image report"),
        Action("copy-picture", "Copy picture of the scene", do.copy_picture,
               when=given.has_match, words="clipboard"),
        Action("film", "Save film of the scene…", do.save_film, "Ctrl+Shift+S", "",
               given.has_match, words="movie video mp4 gif export animation"),
        Action("key-frame", "Add camera key frame", do.add_key_frame,
               when=given.has_match, words="film path fly"),
        Action("no-key-frames", "Clear camera key frames", do.clear_key_frames,
               when=given.has_key_frames, words="film path fly"),
        LINE,
        Action("compare", "Compare with another trace…", do.compare, "", "",
               given.has_logical, words="diff difference two logical traces"),
        LINE,
        Action("cancel", "Cancel opening", do.cancel, when=given.is_opening),
        Action("close", "Close trace", do.close_trace, "Ctrl+W"),
        Action("quit", "Quit", do.leave, "Ctrl+Q", "", given.always, words="exit"),
    ),
    "Edit": (
        Action("undo-zoom", "Undo zoom", time.undo_zoom, "Ctrl+Z", "undo",
               given.can_undo, words="back"),
        Action("redo-zoom", "Redo zoom", time.redo_zoom, "Ctrl+Shift+Z Ctrl+Y", "",
               given.can_redo),
        LINE,
        Action("clear", "Clear selection", do.clear, "Esc", "", given.has_selection,
               words="deselect none focus"),
        Action("select-all", "Select all ranks", select.select_all, "Ctrl+A"),
        Action("select-others", "Select the other ranks", select.select_others,
               when=select.has_ranks, words="invert"),
        "Select with the selected ranks",
        Action("name-selection", "Name selection…", named.name_selection,
               when=select.has_ranks, words="keep remember save ranks group"),
        named.MENU,
        LINE,
        Action("copy-logical", "Copy logical trace", do.copy_logical, "Ctrl+Shift+C",
               "copy", given.has_logical, words="text listing clipboard"),
        Action("find-logical", "Find in the logical trace…", do.find_logical, "Ctrl+F",
               "search", given.has_logical, words="search filter lines statements"),
    ),
    "View": (
        "Theme",
        Action("fullscreen", "Full screen", do.full_screen, "F11", "", given.always,
               given.is_full_screen),
        LINE,
        Action("palette", "Find a command…", do.open_palette, "Ctrl+Shift+P",
               "search", given.always),
    ),
    "Theme": THEMES,
    "Select with the selected ranks": RELATED,
    "Scene": (
        Action("edges", "Edges", partial(do.toggle, "edges"), "E", "edges",
               on=partial(given.is_shown, "edges"), words="lines links connections"),
        Action("messages", "Messages", partial(do.toggle, "messages"), "X", "messages",
               on=partial(given.is_shown, "messages"), words="dashes arrows"),
        channels.MESSAGES,
        *channels.BETWEEN,
        LINE,
        channels.COLOURS,
        channels.RANGE,
        channels.RIMS,
        channels.SIZES,
        channels.COUNTERS,
        "Labels",
        *channels.MORE,
        Action("next-colouring", "Next colouring", colour.next_colouring, "C", "",
               given.has_match, words="colour ranks by"),
        LINE,
        shape.LAYOUT,
        shape.GAPS,
        shape.WRAPS,
        shape.SECOND,
        *shape.MORE,
        Action("next-layout", "Next layout", do.next_layout, "L", "", given.has_match,
               words="flat torus tube shape arrangement"),
        "Camera",
        Action("projection", "Parallel or perspective", do.toggle_projection, "P",
               words="projection orthographic camera"),
        Action("fit-scene", "Fit the scene", do.fit_scene, "Shift+F",
               words="camera reset whole"),
    ),
    named.MENU: (),
    "Camera": CAMERAS,
    "Labels": LABELS,
    **channels.MENUS,
    **shape.MENUS,
    **times.menus(ORDERS),
    "Analysis": (
        Action("next-match", "Next match", partial(do.match, 1), "N", "",
               given.has_match, words="topology alternative"),
        Action("previous-match", "Previous match", partial(do.match, -1), "Shift+N",
               "", given.has_match, words="topology alternative"),
        Action("why", "Why this topology", partial(do.toggle, "why"), "", "",
               given.has_match, partial(given.is_shown, "why"),
               words="reasons candidates excluded explain"),
        Action("remember", "Remember this topology…", remember, "", "",
               can_remember, words="save pattern own user library"),
        Action("copy-why", "Copy why", do.copy_why, "", "", given.has_match,
               words="reasons candidates clipboard"),
        LINE,
        Action("next-instance", "Next time it is run", partial(select.step_through, 1),
               "I", "", select.has_calls, words="step instance iteration statement"),
        Action("previous-instance", "Previous time it is run",
               partial(select.step_through, -1), "Shift+I", "", select.has_calls,
               words="step back instance iteration statement"),
        LINE,
        Action("unfold", "Unfold all loops", partial(do.unfold, True), "", "unfold",
               given.has_logical, words="expand logical trace"),
        Action("fold", "Fold all loops", partial(do.unfold, False), "", "fold",
               given.has_logical, words="collapse logical trace"),
        LINE,
        Action("notes", "Notes on the trace", do.show_notes, "", "warning",
               given.has_notes, words="warnings problems"),
        Action("health", "Trace health", show_health, when=given.has_health,
               words="repaired incomplete damaged clocks unmatched exact"),
    ),
    "Window": (
        *PANELS,
        LINE,
        Action("reset-panels", "Panels as at first", do.reset_panels,
               words="restore docks arrangement"),
    ),
    "Help": (
        Action("keys", "Keys and mouse", do.show_keys, "? F1", "", given.always,
               words="help shortcuts"),
        LINE,
        Action("about", "About topoview", do.about, when=given.always, words="version"),
    ),
}
# fmt: on

MENU_BAR = ("File", "Edit", "View", "Scene", "Timeline", "Analysis", "Window", "Help")

TOOL_BAR = (
    *("open", "screenshot", LINE),
    *("undo-zoom", "zoom-in", "zoom-out", "fit", LINE),
    *("previous-event", "play", "next-event"),
)

ACTIONS = tuple(
    action
    for entries in MENUS.values()
    for action in entries
    if isinstance(action, Action)
)
