"""A row of the table of actions, and conditions that enable or check it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from topoview.model import Match
from topoview.session import Selection, State, shown_match

if TYPE_CHECKING:
    from topoview.ui.shell.window import MainWindow

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
    from topoview.live.timeline.rows import possible_row_orders

    return name in possible_row_orders(w.session.state)


# Which of the actions that are on or off are on


def is_view_field_on(name: str, w: MainWindow) -> bool:
    """Tell whether the scene draws edges or messages."""
    return bool(getattr(w.session.state.view, name))


def is_playing(w: MainWindow) -> bool:
    """Tell whether time runs."""
    return w.session.state.playing


def is_repeating(w: MainWindow) -> bool:
    """Tell whether playing begins again at the end."""
    return w.session.state.repeat


def is_row_order(name: str, w: MainWindow) -> bool:
    """Tell whether the timeline is in this order."""
    return w.session.state.view.order == name


def is_theme(name: str, w: MainWindow) -> bool:
    """Tell whether this theme was chosen."""
    return w.settings.theme == name


def is_full_screen(w: MainWindow) -> bool:
    """Tell whether the window fills the screen."""
    return w.isFullScreen()


def is_panel_shown(name: str, w: MainWindow) -> bool:
    """Tell whether a panel is open."""
    return w.workspace is not None and w.workspace.is_open(name)


@dataclass(frozen=True, slots=True)
class Action:
    """A thing that the user can do.

    Attributes
    ----------
    name
        Unique identifier.
    text
        What it is called in menus, palette and help.
    run
        Does it, in a window.
    keys
        Shortcuts, apart by spaces; the first one is shown.
    icon
        Name in the table of icons.
    when
        Whether it makes sense now.
    on
        Whether it is on, for those that are on or off.
    words
        Further words that the palette finds it by.
    """

    name: str
    text: str
    run: Callable[[MainWindow], None]
    keys: str = ""
    icon: str = ""
    when: Callable[[MainWindow], bool] = has_trace
    on: Callable[[MainWindow], bool] | None = None
    words: str = ""


SEPARATOR = "-"
"""Between groups of actions in a menu."""


def is_page_shown(state: State) -> bool:
    """Tell whether a page about another trace hides what is known."""
    unread = state.opening is not None and not state.opening.read
    return bool(state.failure) or unread


def own_layouts(state: State) -> tuple[str, ...]:
    """List the layouts that the shown match has, the natural one first."""
    match = shown_match(state)
    if match is None:
        return ()
    return _layouts_of_match(match)[0]


@lru_cache(maxsize=1)
def _layouts_of_match(match: Match) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Layouts of a match, and further ones: asked for at every change of the state."""
    from topoview.topology import further_layouts, layout_names

    return layout_names(match), further_layouts(match)


def general_layouts(state: State) -> tuple[str, ...]:
    """List the layouts that any trace can have, and the shown match has not."""
    match, known = shown_match(state), state.analysis
    if match is None or known is None:
        return ()
    from topoview.io.placement_file import placement_tells

    levels, places = placement_tells(state.view.geometry.placement)
    names = _layouts_of_match(match)[1]
    if levels or known.trace.has_nodes:
        names = (*names, "nodes")
    return (*names, "places") if places else names


def trace_notes(state: State) -> tuple[str, ...]:
    """List what the user should know about the trace and its analysis."""
    known = state.analysis
    if known is None:
        return ()
    found = known.identification.warnings if known.identification else ()
    return tuple(dict.fromkeys((*known.trace.warnings, *found, *known.notes)))
