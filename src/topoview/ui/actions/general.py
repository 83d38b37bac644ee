"""Actions on files, pictures, panels, camera, matches and the logical trace."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QInputDialog

from topoview.errors import TopoviewError
from topoview.session import Selection, choices, shown_match
from topoview.ui.actions.action import own_layouts
from topoview.ui.widgets import dialogs

if TYPE_CHECKING:
    from topoview.ui.shell.window import MainWindow

CAMERA_TEXTS = (
    "As at first",
    "From the front",
    "From the right",
    "From above",
    "From behind",
    "From the left",
    "From below",
)

PANEL_TITLES = {
    "topology": "Topology",
    "logical": "Logical trace",
    "matrix": "Matrix",
    "profile": "Profile",
    "events": "Events",
    "timeline": "Timeline",
    "second": "Scene 2",
}


# Files and the window


def open_file(w: MainWindow) -> None:
    """Ask for a trace and open it."""
    w.ask_for_trace(folder=False)


def open_folder(w: MainWindow) -> None:
    """Ask for a folder that holds a trace, and open it."""
    w.ask_for_trace(folder=True)


def open_demo(w: MainWindow) -> None:
    """Write the sample trace and open it."""
    w.open_demo()


def save_picture(w: MainWindow) -> None:
    """Ask how and where to save the picture of the scene."""
    from topoview.ui.export import picture_dialog as saving

    saving.ask_for_picture(w)


def copy_picture(w: MainWindow) -> None:
    """Copy the picture of the scene."""
    from topoview.ui.export import picture_dialog as saving
    from topoview.ui.export.picture_dialog import last_picture_choice

    saving.copy_picture(w, last_picture_choice(w.settings))


def add_key_frame(w: MainWindow) -> None:
    """Let films be seen from here at this time."""
    from topoview.ui.export import picture_dialog as saving

    saving.add_key_frame(w)


def clear_key_frames(w: MainWindow) -> None:
    """Let films be seen from where the scene is seen."""
    from topoview.ui.export import picture_dialog as saving

    saving.clear_key_frames(w)


def save_film(w: MainWindow) -> None:
    """Ask for a file and save a film of the scene."""
    from topoview.ui.export.film_dialog import ask_for_film

    ask_for_film(w)


def compare_traces(w: MainWindow) -> None:
    """Ask for another trace, and show how its logical trace differs."""
    from topoview.ui.panels.logical.comparison import ask_for_comparison

    ask_for_comparison(w)


def cancel_opening(w: MainWindow) -> None:
    """Give up opening."""
    w.opener.cancel()


def close_trace(w: MainWindow) -> None:
    """Show the welcome page."""
    w.opener.cancel()
    w.session.update(
        analysis=None, failure="", playing=False, selection=Selection(), time=0
    )


def quit_window(w: MainWindow) -> None:
    """Close the window."""
    w.close()


def toggle_full_screen(w: MainWindow) -> None:
    """Fill the screen, or no longer."""
    if w.isFullScreen():
        w.showNormal()
    else:
        w.showFullScreen()
    w.actions_shown.refresh()


def choose_theme(name: str, w: MainWindow) -> None:
    """Take a theme, or that of the desktop."""
    w.choose_theme(name)


def open_palette(w: MainWindow) -> None:
    """Open the command palette."""
    w.command_palette.open()


def show_keys(w: MainWindow) -> None:
    """Show or hide the list of keys."""
    w.key_help.toggle()


def about(w: MainWindow) -> None:
    """Tell what this program is."""
    w.about()


def show_notes(w: MainWindow) -> None:
    """List what should be known about the trace."""
    w.show_notes()


def toggle_panel(name: str, w: MainWindow) -> None:
    """Open or close a panel."""
    if w.workspace is not None:
        w.workspace.open_panel(name, shown=not w.workspace.is_open(name))


def reset_panels(w: MainWindow) -> None:
    """Arrange the panels as at first."""
    if w.workspace is not None:
        w.workspace.arrange()


# Selection, scene, analysis


def clear_selection(w: MainWindow) -> None:
    """Clear selection and focus."""
    w.session.update(
        selection=Selection(), view=replace(w.session.state.view, focus=frozenset())
    )


def toggle_view_field(name: str, w: MainWindow) -> None:
    """Draw edges or messages, or no longer."""
    w.session.view(**{name: not getattr(w.session.state.view, name)})


def look_from(number: int, w: MainWindow) -> None:
    """Turn the camera to one of its numbered places."""
    if w.workspace is not None:
        w.workspace.active.camera.set_camera(number)


def fit_scene(w: MainWindow) -> None:
    """Fit the whole scene into its view."""
    if w.workspace is not None:
        w.workspace.active.camera.fit()


def toggle_projection(w: MainWindow) -> None:
    """Change between perspective and parallel projection."""
    if w.workspace is not None:
        w.workspace.active.camera.toggle_projection()


def next_layout(w: MainWindow) -> None:
    """Show the next of the topology's layouts."""
    names = own_layouts(w.session.state)
    if names:
        now = w.session.state.view.layout
        after = (names.index(now) if now in names else 0) + 1
        w.session.show(layout=names[after % len(names)])


def step_match(by: int, w: MainWindow) -> None:
    """Show the next or previous match."""
    known = w.session.state.analysis
    if known is not None and known.identification is not None:
        count = len(choices(known.identification))
        shown = (w.session.state.view.match + by) % count
        w.session.show(match=shown, layout="")


def unfold_loops(everything: bool, w: MainWindow) -> None:
    """Unfold or fold the loops of the logical trace."""
    if w.workspace is not None:
        w.workspace.panel("logical").unfold(everything)


def find_logical(w: MainWindow) -> None:
    """Let the user type what the logical trace's panel shows."""
    if w.workspace is not None:
        w.workspace.open_panel("logical", shown=True)
        w.workspace.panel("logical").open_finder()


def copy_logical(w: MainWindow) -> None:
    """Copy the logical trace as text."""
    from topoview.ui.panels.logical.view import copy_listing

    if w.workspace is not None:
        copy_listing(w.workspace.panel("logical").model)
        w.say("The logical trace is on the clipboard")


def copy_explanation(w: MainWindow) -> None:
    """Copy why the topology was found, as text; show it, too."""
    if w.workspace is not None:
        w.session.view(why=True)
        w.workspace.panel("topology").why.copy_all()


def can_save_pattern(w: MainWindow) -> bool:
    """Tell whether a topology with edges is shown."""
    match = shown_match(w.session.state)
    return w.workspace is not None and match is not None and bool(match.matched)


def ask_for_pattern_name(w: MainWindow) -> None:
    """Ask for a name and save the topology that is shown under it."""
    from topoview.topology import save_pattern

    match = shown_match(w.session.state)
    known = w.session.state.analysis
    if match is None or known is None:
        return
    strange = match.topology.kind == "unknown"
    proposed = known.trace.name if strange else match.topology.name
    name, agreed = QInputDialog.getText(
        w, "Remember this topology", "Its name in other traces:", text=proposed
    )
    if not agreed:
        return
    try:
        path = save_pattern(match, name)
    except TopoviewError as error:
        dialogs.show_fault(w, "The topology could not be remembered", str(error))
    else:
        w.say(f"Remembered as {name.strip()}, in {path}")
