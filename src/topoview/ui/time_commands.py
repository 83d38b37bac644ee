"""What the actions on time do: one function each, on a window."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topoview.model import Clock, Indices, Trace
    from topoview.ui.window import MainWindow


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
    from topoview.analysis.navigation import next_event, previous_event

    _step(next_event if by > 0 else previous_event, w)


def step_call(by: int, w: MainWindow) -> None:
    """Go to the next or previous MPI call of the selected ranks, or of any."""
    from topoview.analysis.navigation import next_call, previous_call

    _step(next_call if by > 0 else previous_call, w)


def _step(
    find: Callable[[Trace, int, Indices | None], int | None], w: MainWindow
) -> None:
    import numpy as np

    from topoview.analysis.navigation import following

    state = w.session.state
    if state.analysis is None:
        return
    chosen = state.selection.ranks
    rows = np.array(chosen, np.int32) if chosen else None
    found = find(state.analysis.trace, state.time, rows)
    if found is not None:
        window = following(state.window, found, _whole(w))
        w.session.update(time=found, window=window, playing=False)


def toggle_skip(w: MainWindow) -> None:
    """Leave out of playing what nothing happens in, or no longer."""
    w.session.update(skip=not w.session.state.skip)


def skips(w: MainWindow) -> bool:
    """Tell whether playing leaves out what nothing happens in."""
    return w.session.state.skip


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
