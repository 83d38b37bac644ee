"""What the actions do: one function each, on a window."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from topoview.session import Selection
from topoview.ui.logical_menu import copy_all
from topoview.ui.shown import layout_names

if TYPE_CHECKING:
    from topoview.model import Clock
    from topoview.ui.window import MainWindow

CAMERAS = (
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
    "timeline": "Timeline",
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
    """Ask for a file and save the picture of the scene."""
    w.ask_for_picture()


def cancel(w: MainWindow) -> None:
    """Give up opening."""
    w.opener.cancel()


def close_trace(w: MainWindow) -> None:
    """Show the welcome page."""
    w.opener.cancel()
    w.session.update(
        analysis=None, failure="", playing=False, selection=Selection(), time=0
    )


def leave(w: MainWindow) -> None:
    """Close the window."""
    w.close()


def full_screen(w: MainWindow) -> None:
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


def clear(w: MainWindow) -> None:
    """Clear selection and focus."""
    w.session.update(
        selection=Selection(), view=replace(w.session.state.view, focus=frozenset())
    )


def toggle(name: str, w: MainWindow) -> None:
    """Draw edges or messages, or no longer."""
    w.session.view(**{name: not getattr(w.session.state.view, name)})


def look(number: int, w: MainWindow) -> None:
    """Turn the camera to one of its numbered places."""
    if w.workspace is not None:
        w.workspace.scene.set_camera(number)


def fit_scene(w: MainWindow) -> None:
    """Fit the whole scene into its view."""
    if w.workspace is not None:
        w.workspace.scene.fit()


def toggle_projection(w: MainWindow) -> None:
    """Change between perspective and parallel projection."""
    if w.workspace is not None:
        w.workspace.scene.toggle_projection()


def next_layout(w: MainWindow) -> None:
    """Show the next of the topology's layouts."""
    names = layout_names(w.session.state)
    if names:
        now = w.session.state.view.layout
        after = (names.index(now) if now in names else 0) + 1
        w.session.view(layout=names[after % len(names)])


def match(by: int, w: MainWindow) -> None:
    """Show the next or previous match."""
    known = w.session.state.analysis
    if known is not None and known.identification is not None:
        count = len(known.identification.matches)
        shown = (w.session.state.view.match + by) % count
        w.session.view(match=shown, layout="")


def unfold(everything: bool, w: MainWindow) -> None:
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
    if w.workspace is not None:
        copy_all(w.workspace.panel("logical").model)
        w.say("The logical trace is on the clipboard")


# Time


def undo_zoom(w: MainWindow) -> None:
    """Show the time window before the last zoom."""
    w.history.undo()


def redo_zoom(w: MainWindow) -> None:
    """Zoom again what was undone."""
    w.history.redo()


def play(w: MainWindow) -> None:
    """Play or pause."""
    w.playback.toggle()


def choose_speed(value: float, w: MainWindow) -> None:
    """Choose the simulated seconds in a second of playing; 0: from the window."""
    w.session.update(speed=value)


def toggle_repeat(w: MainWindow) -> None:
    """Begin again at the window's end, or no longer."""
    w.session.update(repeat=not w.session.state.repeat)


def choose_order(name: str, w: MainWindow) -> None:
    """Choose the order of the timeline's rows."""
    w.session.view(order=name)


def step(by: int, w: MainWindow) -> None:
    """Go to the next or previous event of the selected ranks, or of any."""
    import numpy as np

    from topoview.analysis.navigation import following, next_event, previous_event

    state = w.session.state
    if state.analysis is None:
        return
    chosen = state.selection.ranks
    rows = np.array(chosen, np.int32) if chosen else None
    find = next_event if by > 0 else previous_event
    found = find(state.analysis.trace, state.time, rows)
    if found is not None:
        window = following(state.window, found, _whole(w))
        w.session.update(time=found, window=window, playing=False)


def jump(end: int, w: MainWindow) -> None:
    """Go to the window's begin (0) or end (1)."""
    w.session.update(time=w.session.state.window[end])


def go_to_time(w: MainWindow) -> None:
    """Let the user type a time."""
    w.tool_bar.edit_time()


def go_to(ticks: int, w: MainWindow) -> None:
    """Move the time cursor, and the window with it if need be."""
    from topoview.analysis.navigation import following

    begin, end = _whole(w)
    time = min(max(ticks, begin), end)
    window = following(w.session.state.window, time, (begin, end))
    w.session.update(time=time, window=window)


def zoom(factor: float, w: MainWindow) -> None:
    """Magnify the time window around the cursor, or its middle."""
    from topoview.analysis.navigation import zoomed

    state = w.session.state
    begin, end = state.window
    at = state.time if begin <= state.time <= end else (begin + end) // 2
    w.session.update(window=zoomed(state.window, factor, at, _whole(w)))


def pan(share: float, w: MainWindow) -> None:
    """Move the time window by a share of its length."""
    from topoview.analysis.navigation import panned

    window = panned(w.session.state.window, share, _whole(w))
    w.session.update(window=window)


def zoom_to_selected(w: MainWindow) -> None:
    """Show the selected stretch of time."""
    from topoview.analysis.navigation import within

    chosen = w.session.state.selection.window
    if chosen is not None:
        w.session.update(window=within(chosen, _whole(w)))


def fit(w: MainWindow) -> None:
    """Show the whole run."""
    w.session.update(window=_whole(w))


def _whole(w: MainWindow) -> tuple[int, int]:
    known = w.session.state.analysis
    clock: Clock | None = known.trace.clock if known else None
    return 0, max(clock.length, 1) if clock else 1
