"""When actions make sense, and which of them are on: asked of a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topoview.session import Selection

if TYPE_CHECKING:
    from topoview.ui.window import MainWindow


# When an action makes sense


def always(w: MainWindow) -> bool:
    """Tell that an action always makes sense."""
    del w
    return True


def has_trace(w: MainWindow) -> bool:
    """Tell whether a trace is shown."""
    return w.workspace is not None and w.pages.currentWidget() is w.workspace


def is_opening(w: MainWindow) -> bool:
    """Tell whether a trace is being opened."""
    return w.session.state.opening is not None


def has_key_frames(w: MainWindow) -> bool:
    """Tell whether films follow a path."""
    return w.workspace is not None and bool(w.workspace.camera_path)


def has_match(w: MainWindow) -> bool:
    """Tell whether the topology has been identified."""
    known = w.session.state.analysis
    return has_trace(w) and bool(known and known.identification)


def has_logical(w: MainWindow) -> bool:
    """Tell whether there is a logical trace."""
    known = w.session.state.analysis
    return has_trace(w) and bool(known and known.logical)


def has_selection(w: MainWindow) -> bool:
    """Tell whether anything is selected or in focus."""
    state = w.session.state
    return state.selection != Selection() or bool(state.view.focus)


def has_notes(w: MainWindow) -> bool:
    """Tell whether there are notes on the trace."""
    return has_trace(w) and bool(w.notes)


def has_health(w: MainWindow) -> bool:
    """Tell whether it is known how completely the trace was read."""
    known = w.session.state.analysis
    return known is not None and known.trace.health is not None


def is_zoomed(w: MainWindow) -> bool:
    """Tell whether the timeline shows less than the whole run."""
    known = w.session.state.analysis
    if known is None or not has_trace(w):
        return False
    return w.session.state.window != (0, max(known.trace.clock.length, 1))


def has_selected_time(w: MainWindow) -> bool:
    """Tell whether a stretch of time is selected."""
    return has_trace(w) and w.session.state.selection.window is not None


def can_undo(w: MainWindow) -> bool:
    """Tell whether a zoom can be undone."""
    return w.history.can_undo


def can_redo(w: MainWindow) -> bool:
    """Tell whether an undone zoom can be done again."""
    return w.history.can_redo


def can_order(name: str, w: MainWindow) -> bool:
    """Tell whether the timeline can be in this order."""
    if not has_trace(w):
        return False
    from topoview.scene.timeline.rows import possible_orders

    return name in possible_orders(w.session.state)


# Which of the actions that are on or off are on


def is_shown(name: str, w: MainWindow) -> bool:
    """Tell whether the scene draws edges or messages."""
    return bool(getattr(w.session.state.view, name))


def is_playing(w: MainWindow) -> bool:
    """Tell whether time runs."""
    return w.session.state.playing


def is_repeating(w: MainWindow) -> bool:
    """Tell whether playing begins again at the end."""
    return w.session.state.repeat


def order_is(name: str, w: MainWindow) -> bool:
    """Tell whether the timeline is in this order."""
    return w.session.state.view.order == name


def theme_is(name: str, w: MainWindow) -> bool:
    """Tell whether this theme was chosen."""
    return w.settings.theme == name


def is_full_screen(w: MainWindow) -> bool:
    """Tell whether the window fills the screen."""
    return w.isFullScreen()


def panel_shown(name: str, w: MainWindow) -> bool:
    """Tell whether a panel is open."""
    return w.workspace is not None and w.workspace.is_open(name)
