"""Actions on time: zooming, stepping, playback, clock and the order of rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from topoview.live.navigation import visited_regions, visits_of_region
from topoview.ui.actions import action as given
from topoview.ui.actions.action import SEPARATOR, Action
from topoview.ui.playback import CALL_RATE, SPEEDS, WHOLE_IN_SECONDS
from topoview.ui.widgets.formats import UNITS, round_text

if TYPE_CHECKING:
    from topoview.model import Clock, Indices, Trace
    from topoview.ui.shell.window import MainWindow


def undo_zoom(w: MainWindow) -> None:
    """Show the time window before the last zoom."""
    w.history.undo()


def redo_zoom(w: MainWindow) -> None:
    """Zoom again what was undone."""
    w.history.redo()


def toggle_playing(w: MainWindow) -> None:
    """Play or pause."""
    w.playback.toggle()


def choose_speed(value: float, w: MainWindow) -> None:
    """Choose the simulated seconds in a second of playing; 0: all of it in 10 s."""
    w.session.update(speed=value, pace="")


def type_speed(w: MainWindow) -> None:
    """Let the user type a speed."""
    w.tool_bar.speed_box.edit()


def choose_rate(speed: float, pace: str, w: MainWindow) -> None:
    """Choose a speed that is counted otherwise than in simulated seconds."""
    w.session.update(speed=speed, pace=pace)


def is_rate(speed: float, pace: str, w: MainWindow) -> bool:
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
    from topoview.live.navigation import communication_window

    known = w.session.state.analysis
    found = communication_window(known) if known else None
    if found is None:
        w.say("The ranks do not communicate")
        return
    w.session.update(bounds=found)


def play_window(w: MainWindow) -> None:
    """Play what the timeline shows."""
    w.session.update(bounds=None)


def has_playback_range(w: MainWindow) -> bool:
    """Tell whether something else is played than what the timeline shows."""
    return w.session.state.bounds is not None


def toggle_fixed_cursor(w: MainWindow) -> None:
    """Let the timeline move under the cursor, or the cursor over the timeline."""
    w.session.update(still=not w.session.state.still)


def is_cursor_fixed(w: MainWindow) -> bool:
    """Tell whether the timeline moves under the cursor."""
    return w.session.state.still


def set_time_zero(w: MainWindow) -> None:
    """Count times from the cursor on; at the mark itself from the begin again."""
    state = w.session.state
    w.session.update(mark=None if state.mark == state.time else state.time)


def has_time_zero(w: MainWindow) -> bool:
    """Tell whether times are counted from a mark."""
    return w.session.state.mark is not None


def choose_unit(unit: str, w: MainWindow) -> None:
    """Write times in a unit; empty: as suits the run."""
    w.session.update(unit=unit)


def is_unit(unit: str, w: MainWindow) -> bool:
    """Tell whether times are written in this unit."""
    return w.session.state.unit == unit


def step_iteration(by: int, w: MainWindow) -> None:
    """Go to the next or previous iteration of the run's longest loop."""
    from topoview.live.occurrences import iteration_times, neighbour

    state = w.session.state
    if state.analysis is None:
        return
    rank = state.selection.ranks[0] if state.selection.ranks else 0
    times = iteration_times(state.analysis, rank)
    if not len(times):
        w.say(f"The logical trace has no loop that rank {rank} is in")
        return
    _go_to_found(neighbour(times, state.time, by), w)


def step_phase(by: int, w: MainWindow) -> None:
    """Go to the next or previous phase of the run."""
    from topoview.live.occurrences import neighbour, phase_times

    state = w.session.state
    if state.analysis is not None:
        _go_to_found(neighbour(phase_times(state.analysis), state.time, by), w)


def has_phases(w: MainWindow) -> bool:
    """Tell whether the run has phases."""
    known = w.session.state.analysis
    found = known.identification if known else None
    return found is not None and any(part.by == "phase" for part in found.parts)


def _go_to_found(found: int | None, w: MainWindow) -> None:
    from topoview.live.navigation import following

    if found is not None:
        window = following(w.session.state.window, found, _whole_run(w))
        w.session.update(time=found, window=window, playing=False)


def toggle_repeat(w: MainWindow) -> None:
    """Begin again at the window's end, or no longer."""
    w.session.update(repeat=not w.session.state.repeat)


def choose_row_order(name: str, w: MainWindow) -> None:
    """Choose the order of the timeline's rows."""
    w.session.view(order=name)


def step_event(by: int, w: MainWindow) -> None:
    """Go to the next or previous event of the selected ranks, or of any."""
    from topoview.live.navigation import next_event, previous_event

    _step_to(next_event if by > 0 else previous_event, w)


def step_call(by: int, w: MainWindow) -> None:
    """Go to the next or previous MPI call of the selected ranks, or of any."""
    from topoview.live.navigation import next_call, previous_call

    _step_to(next_call if by > 0 else previous_call, w)


def _step_to(
    find: Callable[[Trace, int, Indices | None], int | None], w: MainWindow
) -> None:
    import numpy as np

    state = w.session.state
    if state.analysis is None:
        return
    chosen = state.selection.ranks
    rows = np.array(chosen, np.int32) if chosen else None
    _go_to_found(find(state.analysis.trace, state.time, rows), w)


def toggle_skip_idle(w: MainWindow) -> None:
    """Leave out of playing what nothing happens in, or no longer."""
    w.session.update(skip=not w.session.state.skip)


def skips_idle(w: MainWindow) -> bool:
    """Tell whether playing leaves out what nothing happens in."""
    return w.session.state.skip


def jump_to_end(end: int, w: MainWindow) -> None:
    """Go to the window's begin (0) or end (1)."""
    w.session.update(time=w.session.state.window[end])


def go_to_time(w: MainWindow) -> None:
    """Let the user type a time."""
    w.tool_bar.edit_time()


def move_cursor(ticks: int, w: MainWindow) -> None:
    """Move the time cursor, and the window with it if need be."""
    from topoview.live.navigation import following

    begin, end = _whole_run(w)
    time = min(max(ticks, begin), end)
    window = following(w.session.state.window, time, (begin, end))
    w.session.update(time=time, window=window)


def zoom_time(factor: float, w: MainWindow) -> None:
    """Magnify the time window around the cursor, or its middle."""
    from topoview.live.navigation import zoomed

    state = w.session.state
    begin, end = state.window
    at = state.time if begin <= state.time <= end else (begin + end) // 2
    w.session.update(window=zoomed(state.window, factor, at, _whole_run(w)))


def pan_time(share: float, w: MainWindow) -> None:
    """Move the time window by a share of its length."""
    from topoview.live.navigation import panned

    window = panned(w.session.state.window, share, _whole_run(w))
    w.session.update(window=window)


def zoom_to_selected(w: MainWindow) -> None:
    """Show the selected stretch of time."""
    from topoview.live.navigation import within

    chosen = w.session.state.selection.window
    if chosen is not None:
        w.session.update(window=within(chosen, _whole_run(w)))


def zoom_to_fit(w: MainWindow) -> None:
    """Show the whole run."""
    w.session.update(window=_whole_run(w))


def _whole_run(w: MainWindow) -> tuple[int, int]:
    known = w.session.state.analysis
    clock: Clock | None = known.trace.clock if known else None
    return 0, max(clock.length, 1) if clock else 1


def play_region(w: MainWindow) -> None:
    """Ask for a region, and play from its first visit to the end of its last."""
    known = w.session.state.analysis
    if known is not None:
        _ask_for_region(visited_regions(known), w)


def _ask_for_region(names: list[str], w: MainWindow) -> None:
    from PySide6.QtWidgets import QInputDialog

    name, agreed = QInputDialog.getItem(
        w, "Play the visits of a region", "From its first visit to its last:", names
    )
    if agreed:
        play_invocations(name, w)


def play_invocations(name: str, w: MainWindow) -> None:
    """Play from the first visit of a region to the end of the last."""
    known = w.session.state.analysis
    if known is None:
        return
    found = visits_of_region(known, name)
    if found is None:
        w.say(f"No rank is ever in {name} itself")
        return
    w.session.update(bounds=found)
    if not found[0] <= w.session.state.time <= found[1]:
        move_cursor(found[0], w)


RATE_CHOICES = (
    (2.0, CALL_RATE),
    (10.0, CALL_RATE),
    (50.0, CALL_RATE),
    (30.0, WHOLE_IN_SECONDS),
    (120.0, WHOLE_IN_SECONDS),
)
"""Speeds of the menu that are not counted in simulated seconds."""

_RATE_TEXTS = {
    CALL_RATE: "{:g} MPI calls a second",
    WHOLE_IN_SECONDS: "All of it in {:g} s",
}

# fmt: off
_SPEED_ACTIONS: tuple[Action | str, ...] = (
    Action("speed-auto", "All of it in 10 s", partial(choose_speed, 0.0),
       on=partial(is_rate, 0.0, ""), words="speed play faster slower"),
    *(Action(f"speed-{rate:g}", f"{round_text(rate)} a second",
         partial(choose_speed, rate), on=partial(is_rate, rate, ""),
         words="speed play faster slower")
      for rate in SPEEDS),
    SEPARATOR,
    *(Action(f"speed-{pace}-{rate:g}", _RATE_TEXTS[pace].format(rate),
         partial(choose_rate, rate, pace),
         on=partial(is_rate, rate, pace), words="speed play faster slower")
      for rate, pace in RATE_CHOICES),
    SEPARATOR,
    Action("speed-other", "Other speed\u2026", type_speed,
           words="play faster slower"),
)

_RANGE_ACTIONS = (
    Action("play-window", "What the timeline shows", play_window,
       on=lambda w: not has_playback_range(w), words="play range bounds"),
    Action("play-selected", "The selected time, again and again", play_selected,
       "Shift+R", when=given.has_selected_time, words="play loop range repeat"),
    Action("play-communication", "From the first communication to the last",
       play_communication, words="play skip initialisation finalisation"),
    Action("play-region", "The visits of a region\u2026", play_region,
       words="play from first to last visit function skip before after"),
)

_CLOCK_ACTIONS: tuple[Action | str, ...] = (
    *(Action(f"unit-{unit or 'natural'}", f"Times in {unit}" if unit else
         "Times in the unit that suits", partial(choose_unit, unit),
         on=partial(is_unit, unit), words="clock seconds")
      for unit in ("", *UNITS)),
    SEPARATOR,
    Action("mark", "Count from the cursor", set_time_zero, "M", on=has_time_zero,
       words="mark clock relative zero time"),
)


def timeline_menus(orders: tuple[Action, ...]) -> dict[str, tuple[Action | str, ...]]:
    """Make the menus about time; `orders` are those of the timeline's rows."""
    return {
    "Timeline": (*_TIMELINE_ACTIONS, *orders),
    "Speed": _SPEED_ACTIONS,
    "What is played": _RANGE_ACTIONS,
    "Clock": _CLOCK_ACTIONS,
    }


_TIMELINE_ACTIONS: tuple[Action | str, ...] = (
    Action("play", "Play or pause", toggle_playing, "Space", "play",
           on=given.is_playing, words="animate run stop"),
    "Speed",
    "What is played",
    Action("repeat", "Repeat what is played", toggle_repeat, "R", "repeat",
           on=given.is_repeating, words="loop playing"),
    SEPARATOR,
    Action("skip", "Skip what nothing happens in", toggle_skip_idle, "",
           "", on=skips_idle, words="dead idle time playing"),
    Action("still", "Move the timeline, not the cursor", toggle_fixed_cursor, "",
           on=is_cursor_fixed, words="playing scroll fixed cursor still"),
    "Clock",
    SEPARATOR,
    Action("previous-event", "Previous event", partial(step_event, -1), ",",
           "previous", words="step back"),
    Action("next-event", "Next event", partial(step_event, 1), ".", "next",
           words="step forward"),
    Action("previous-call", "Previous MPI call", partial(step_call, -1),
           "Shift+,", words="step back enter"),
    Action("next-call", "Next MPI call", partial(step_call, 1),
           "Shift+.", words="step forward enter"),
    Action("previous-iteration", "Previous iteration",
           partial(step_iteration, -1), "Ctrl+,", when=given.has_logical,
           words="step back loop"),
    Action("next-iteration", "Next iteration", partial(step_iteration, 1),
           "Ctrl+.", when=given.has_logical, words="step forward loop"),
    Action("previous-phase", "Previous phase", partial(step_phase, -1),
           "Alt+,", when=has_phases, words="step back"),
    Action("next-phase", "Next phase", partial(step_phase, 1), "Alt+.",
           when=has_phases, words="step forward"),
    Action("begin", "Go to the window's begin", partial(jump_to_end, 0), "Home",
           words="start first"),
    Action("end", "Go to the window's end", partial(jump_to_end, 1), "End",
           words="last"),
    Action("go-to", "Go to time…", go_to_time, "Ctrl+G", words="jump cursor"),
    SEPARATOR,
    Action("zoom-in", "Zoom in", partial(zoom_time, 2.0), "W Ctrl++ Ctrl+=",
           "zoom-in", words="time magnify"),
    Action("zoom-out", "Zoom out", partial(zoom_time, 0.5), "S Ctrl+-", "zoom-out",
           given.is_zoomed, words="time"),
    Action("earlier", "Earlier", partial(pan_time, -0.25), "A", "", given.is_zoomed,
           words="pan left scroll back"),
    Action("later", "Later", partial(pan_time, 0.25), "D", "", given.is_zoomed,
           words="pan right scroll forward"),
    Action("zoom-selected", "Zoom to the selected time", zoom_to_selected,
           "Return Enter", "", given.has_selected_time, words="window magnify"),
    Action("fit", "Show the whole run", zoom_to_fit, "F Ctrl+0", "fit",
           given.is_zoomed, words="fit all zoom"),
    SEPARATOR,
)
# fmt: on
