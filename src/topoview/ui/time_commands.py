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
    """Choose the simulated seconds in a second of playing; 0: all of it in 10 s."""
    w.session.update(speed=value, pace="")


def type_speed(w: MainWindow) -> None:
    """Let the user type a speed."""
    w.tool_bar.speed_box.edit()


def choose_pace(speed: float, pace: str, w: MainWindow) -> None:
    """Choose a speed that is counted otherwise than in simulated seconds."""
    w.session.update(speed=speed, pace=pace)


def pace_is(speed: float, pace: str, w: MainWindow) -> bool:
    """Tell whether this speed was chosen."""
    state = w.session.state
    return (state.speed, state.pace) == (speed, pace)


def play_selected(w: MainWindow) -> None:
    """Play the selected stretch of time only, again and again."""
    chosen = w.session.state.selection.window
    if chosen is not None:
        w.session.update(bounds=chosen, repeat=True)


def play_communication(w: MainWindow) -> None:
    """Play from the first communication to the last: no set-up, no finalisation."""
    from topoview.analysis.navigation import communication_window

    known = w.session.state.analysis
    found = communication_window(known.trace) if known else None
    if found is None:
        w.say("The ranks do not communicate")
        return
    w.session.update(bounds=found)


def play_window(w: MainWindow) -> None:
    """Play what the timeline shows."""
    w.session.update(bounds=None)


def plays_bounds(w: MainWindow) -> bool:
    """Tell whether something else is played than what the timeline shows."""
    return w.session.state.bounds is not None


def toggle_still(w: MainWindow) -> None:
    """Let the timeline move under the cursor, or the cursor over the timeline."""
    w.session.update(still=not w.session.state.still)


def is_still(w: MainWindow) -> bool:
    """Tell whether the timeline moves under the cursor."""
    return w.session.state.still


def set_mark(w: MainWindow) -> None:
    """Count times from the cursor on; at the mark itself from the begin again."""
    state = w.session.state
    w.session.update(mark=None if state.mark == state.time else state.time)


def has_mark(w: MainWindow) -> bool:
    """Tell whether times are counted from a mark."""
    return w.session.state.mark is not None


def choose_unit(unit: str, w: MainWindow) -> None:
    """Write times in a unit; empty: as suits the run."""
    w.session.update(unit=unit)


def unit_is(unit: str, w: MainWindow) -> bool:
    """Tell whether times are written in this unit."""
    return w.session.state.unit == unit


def step_iteration(by: int, w: MainWindow) -> None:
    """Go to the next or previous iteration of the run's longest loop."""
    from topoview.analysis.iterations import iteration_times, neighbour

    state = w.session.state
    if state.analysis is None:
        return
    rank = state.selection.ranks[0] if state.selection.ranks else 0
    times = iteration_times(state.analysis, rank)
    if not len(times):
        w.say(f"The logical trace has no loop that rank {rank} is in")
        return
    _arrive(neighbour(times, state.time, by), w)


def step_phase(by: int, w: MainWindow) -> None:
    """Go to the next or previous phase of the run."""
    from topoview.analysis.iterations import neighbour, phase_times

    state = w.session.state
    if state.analysis is not None:
        _arrive(neighbour(phase_times(state.analysis), state.time, by), w)


def has_phases(w: MainWindow) -> bool:
    """Tell whether the run has phases."""
    known = w.session.state.analysis
    found = known.identification if known else None
    return found is not None and any(part.by == "phase" for part in found.parts)


def _arrive(found: int | None, w: MainWindow) -> None:
    from topoview.analysis.navigation import following

    if found is not None:
        window = following(w.session.state.window, found, _whole(w))
        w.session.update(time=found, window=window, playing=False)


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

    state = w.session.state
    if state.analysis is None:
        return
    chosen = state.selection.ranks
    rows = np.array(chosen, np.int32) if chosen else None
    _arrive(find(state.analysis.trace, state.time, rows), w)


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
