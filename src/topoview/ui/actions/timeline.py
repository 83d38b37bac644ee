"""Actions on time: zooming, stepping, playback and clock."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from topoview.base.text import duration_text, plural, tr
from topoview.live.picking.navigation import visited_regions, visits_of_region
from topoview.session import Selection
from topoview.ui.actions.action import (
    SEPARATOR,
    Action,
    Context,
    HasValue,
    Menu,
    Setting,
    choice,
    field,
    flag,
    has,
    has_logical,
    has_selected_time,
    has_trace,
    is_zoomed,
)
from topoview.ui.actions.rows import ORDER_ACTIONS, ROW_MENUS
from topoview.ui.playback import CALL_RATE, SPEEDS, WHOLE_IN_SECONDS
from topoview.ui.widgets.formats import UNITS, round_text

if TYPE_CHECKING:
    from topoview.model import Clock, Indices, Trace


def play_selected(c: Context) -> None:
    """Play the selected stretch of time only, again and again."""
    chosen = c.state.selection.window
    if chosen is not None:
        c.session.update(bounds=chosen, repeat=True)


def play_communication(c: Context) -> None:
    """Play from the first communication to the last: no set-up, no finalisation."""
    from topoview.live.picking.navigation import communication_window

    analysis = c.state.analysis
    window = communication_window(analysis) if analysis else None
    if window is None:
        c.say(tr("The ranks do not communicate"))
        return
    c.session.update(bounds=window)


def choose_mouse(preset: str, c: Context) -> None:
    """Apply habits of the mouse, now and in later runs."""
    c.settings.keep_text("mouse", preset)
    c.session.update(mouse=preset)


def set_time_zero(c: Context) -> None:
    """Count times from the cursor on; at the mark itself from the begin again."""
    state = c.state
    c.session.update(time_zero=None if state.time_zero == state.time else state.time)


def step_iteration(by: int, c: Context) -> None:
    """Go to the next or previous iteration of the run's longest loop."""
    from topoview.live.picking.occurrences import iteration_times, neighbour

    state = c.state
    if state.analysis is None:
        return
    rank = state.selection.ranks[0] if state.selection.ranks else 0
    times = iteration_times(state.analysis, rank)
    if not len(times):
        c.say(tr("The logical trace has no loop that rank {rank} is in", rank=rank))
        return
    _go_to_found(neighbour(times, state.time, by), c)


def show_slowest_iteration(c: Context) -> None:
    """Show the slowest iteration of the selected loop, else of the main one."""
    from topoview.live.picking.navigation import within
    from topoview.ui.panels.selected_calls import coloured_loop

    analysis, loop = c.state.analysis, coloured_loop(c.state)
    measured = analysis.measured if analysis is not None else None
    if measured is None or loop < 0 or not measured.loops.slowest[loop]:
        c.say(tr("The logical trace has no loop"))
        return
    loops, clock = measured.loops, measured.trace.clock
    begin, end = int(loops.begin[loop]), int(loops.end[loop])
    rank, length = int(loops.slowest_rank[loop]), end - begin
    c.session.update(
        time=(begin + end) // 2,
        window=within((begin - length, end + length), _whole_run(c)),
        selection=Selection(ranks=(rank,)),
        playing=False,
    )
    c.say(
        tr(
            "Iteration {slowest} of rank {rank} took "
            "{length}, the longest of "
            "{iterations}; mean "
            "{mean}",
            slowest=loops.slowest[loop],
            rank=rank,
            length=duration_text(clock.seconds(length)),
            iterations=plural(int(loops.iterations[loop]), "iteration"),
            mean=duration_text(clock.seconds(float(loops.mean[loop]))),
        )
    )


def step_phase(by: int, c: Context) -> None:
    """Go to the next or previous phase of the run."""
    from topoview.live.picking.occurrences import neighbour, phase_times

    state = c.state
    if state.analysis is not None:
        _go_to_found(neighbour(phase_times(state.analysis), state.time, by), c)


def turn_overview(c: Context) -> None:
    """Let the overview show what is around the window, or all of the run again."""
    from topoview.ui.panels.timeline.content import overview_turned

    c.session.update(timeline=overview_turned(c.state))


has_phases = has(
    lambda analysis: (
        analysis.identification is not None
        and any(part.by == "phase" for part in analysis.identification.parts)
    )
)
"""Whether the run has phases."""


def _go_to_found(time: int | None, c: Context) -> None:
    from topoview.live.picking.navigation import following

    if time is not None:
        window = following(c.state.window, time, _whole_run(c))
        c.session.update(time=time, window=window, playing=False)


def step_event(by: int, c: Context) -> None:
    """Go to the next or previous event of the selected ranks, or of any."""
    from topoview.live.picking.navigation import next_event, previous_event

    _step_to(next_event if by > 0 else previous_event, c)


def step_call(by: int, c: Context) -> None:
    """Go to the next or previous MPI call of the selected ranks, or of any."""
    from topoview.live.picking.navigation import next_call, previous_call

    _step_to(next_call if by > 0 else previous_call, c)


def _step_to(
    find: Callable[[Trace, int, Indices | None], int | None], c: Context
) -> None:
    import numpy as np

    state = c.state
    if state.analysis is None:
        return
    chosen = state.selection.ranks
    rows = np.array(chosen, np.int32) if chosen else None
    _go_to_found(find(state.analysis.trace, state.time, rows), c)


def jump_to_end(end: int, c: Context) -> None:
    """Go to start of view (0) or end (1)."""
    c.session.update(time=c.state.window[end])


def move_cursor(ticks: int, c: Context) -> None:
    """Move the time cursor, and the window with it if need be."""
    from topoview.live.picking.navigation import following

    begin, end = _whole_run(c)
    time = min(max(ticks, begin), end)
    window = following(c.state.window, time, (begin, end))
    c.session.update(time=time, window=window)


def zoom_time(factor: float, c: Context) -> None:
    """Magnify the time window around the cursor, or its middle."""
    from topoview.live.picking.navigation import zoomed

    state = c.state
    begin, end = state.window
    at = state.time if begin <= state.time <= end else (begin + end) // 2
    c.session.update(window=zoomed(state.window, factor, at, _whole_run(c)))


def pan_time(share: float, c: Context) -> None:
    """Move the time window by a share of its length."""
    from topoview.live.picking.navigation import panned

    window = panned(c.state.window, share, _whole_run(c))
    c.session.update(window=window)


def zoom_to_selected(c: Context) -> None:
    """Show the selected stretch of time."""
    from topoview.live.picking.navigation import within

    chosen = c.state.selection.window
    if chosen is not None:
        c.session.update(window=within(chosen, _whole_run(c)))


def zoom_to_fit(c: Context) -> None:
    """Show the whole run."""
    c.session.update(window=_whole_run(c))


def _whole_run(c: Context) -> tuple[int, int]:
    analysis = c.state.analysis
    clock: Clock | None = analysis.trace.clock if analysis else None
    return 0, max(clock.length, 1) if clock else 1


def play_region(c: Context) -> None:
    """Ask for a region, and play from its first visit to the end of its last."""
    analysis = c.state.analysis
    if analysis is not None:
        _ask_for_region(visited_regions(analysis), c)


def _ask_for_region(names: list[str], c: Context) -> None:
    from PySide6.QtWidgets import QInputDialog

    name, agreed = QInputDialog.getItem(
        c.window,
        tr("Play the visits of a region"),
        tr("From its first visit to its last:"),
        names,
    )
    if agreed:
        play_invocations(name, c)


def play_invocations(name: str, c: Context) -> None:
    """Play from the first visit of a region to the end of the last."""
    analysis = c.state.analysis
    if analysis is None:
        return
    visit = visits_of_region(analysis, name)
    if visit is None:
        c.say(tr("No rank is ever in {name} itself", name=name))
        return
    c.session.update(bounds=visit)
    if not visit[0] <= c.state.time <= visit[1]:
        move_cursor(visit[0], c)


RATE_CHOICES = (
    (2.0, CALL_RATE),
    (10.0, CALL_RATE),
    (50.0, CALL_RATE),
    (30.0, WHOLE_IN_SECONDS),
    (120.0, WHOLE_IN_SECONDS),
)
"""Speeds of the menu that are not counted in simulated seconds."""

_RATE_TEXTS = {
    CALL_RATE: tr("{:g} MPI calls a second"),
    WHOLE_IN_SECONDS: tr("Fit to {:g} s"),
}


has_delays = has(lambda analysis: analysis.delays is not None and len(analysis.delays))
"""Whether delays are known."""


def step_delay(by: int, c: Context) -> None:
    """Show the next or previous delay."""
    from topoview.ui.shell.reason_bar import step_delay

    step_delay(c.session, by)


_SPEED = Setting(
    lambda c: (c.state.speed, c.state.speed_unit),
    lambda rate, c: c.session.update(speed=rate[0], speed_unit=rate[1]),
)
_PLAYING = Setting(lambda c: c.state.playing, lambda _, c: c.playback.toggle())
_ZERO = Setting(lambda c: c.state.time_zero is not None, lambda _, c: set_time_zero(c))


def _speed_action(rate: float, speed_unit: str, name: str, text: str) -> Action:
    speed = (rate, speed_unit)
    run, on = partial(_SPEED.put, speed), HasValue(_SPEED, speed)
    return Action(name, text, run, on=on, words="speed play faster slower")


_SPEED_MENU: Menu = (
    _speed_action(0.0, "", "speed-auto", tr("Fit to 10 s")),
    *(
        _speed_action(
            rate, "", f"speed-{rate:g}", tr("{rate} a second", rate=round_text(rate))
        )
        for rate in SPEEDS
    ),
    SEPARATOR,
    *(
        _speed_action(
            rate,
            unit,
            f"speed-{unit}-{rate:g}",
            _RATE_TEXTS[unit].format(rate),
        )
        for rate, unit in RATE_CHOICES
    ),
    SEPARATOR,
    Action("speed-other", tr("Other speed…"), lambda c: c.show("speed")),
)

_RANGE_MENU: Menu = (
    Action(
        "play-window",
        tr("Visible window"),
        lambda c: c.session.update(bounds=None),
        on=lambda c: c.state.bounds is None,
    ),
    Action(
        "play-selected",
        tr("Loop the selected time"),
        play_selected,
        "Shift+R",
        has_selected_time,
    ),
    Action(
        "play-communication",
        tr("From the first communication to the last"),
        play_communication,
    ),
    Action("play-region", tr("The visits of a region…"), play_region),
    SEPARATOR,
    flag(
        "repeat", tr("Repeat playback range"), "R", field("repeat", ""), icon="repeat"
    ),
    flag("skip", tr("Skip idle periods"), setting=field("skip", "")),
)

MOUSE_TEXTS = {
    "topoview": tr("Mouse as in topoview"),
    "vampir": tr("Mouse as in Vampir"),
}

UNIT_TEXTS = {
    "": tr("Automatic unit"),
    **{unit: tr("Times in {unit}", unit=unit) for unit in UNITS},
}

_CLOCK_MENU: Menu = (
    *choice(
        "unit",
        UNIT_TEXTS,
        "clock seconds",
        field("unit", ""),
        when=has_trace,
        none="natural",
    ),
    SEPARATOR,
    flag("mark", tr("Set time zero at cursor (mark)"), "M", _ZERO),
)

UNDO_ACTIONS = (
    Action(
        "undo",
        tr("Undo"),
        lambda c: c.history.undo(),
        "Ctrl+Z Alt+Left",
        lambda c: has_trace(c) and c.history.can_undo,
        icon="undo",
    ),
    Action(
        "redo",
        tr("Redo"),
        lambda c: c.history.redo(),
        "Ctrl+Shift+Z Ctrl+Y Alt+Right",
        lambda c: has_trace(c) and c.history.can_redo,
    ),
)

_STEP_ACTIONS = tuple(
    Action(
        f"{way}-{name}",
        texts[by > 0],
        partial(step, by),
        keys[by > 0],
        when,
        icon=way if name == "event" else "",
        words=f"step {'forward' if by > 0 else 'back'} {words}".strip(),
    )
    for name, texts, step, keys, words, when in (
        (
            "event",
            (tr("Previous event"), tr("Next event")),
            step_event,
            (",", "."),
            "",
            has_trace,
        ),
        (
            "call",
            (tr("Previous MPI call"), tr("Next MPI call")),
            step_call,
            ("Shift+,", "Shift+."),
            "enter",
            has_trace,
        ),
        (
            "iteration",
            (tr("Previous iteration"), tr("Next iteration")),
            step_iteration,
            ("Ctrl+,", "Ctrl+."),
            "loop",
            has_logical,
        ),
        (
            "phase",
            (tr("Previous phase"), tr("Next phase")),
            step_phase,
            ("Alt+,", "Alt+."),
            "",
            has_phases,
        ),
    )
    for way, by in (("previous", -1), ("next", 1))
)

DELAY_ACTIONS: Menu = (
    flag("reason", tr("Why this moment is shown"), setting=field("reason", "")),
    *(
        Action(
            f"{way}-delay",
            text,
            partial(step_delay, by),
            keys,
            has_delays,
            words="wave late wait front origin",
        )
        for way, text, by, keys in (
            ("next", tr("Next delay"), 1, "J"),
            ("previous", tr("Previous delay"), -1, "Shift+J"),
        )
    ),
)

GO_MENU = tr("Go to")
"""Name of the menu of steps in time."""

TIMELINE_MENUS: dict[str, Menu] = {
    tr("Timeline"): (
        flag("play", tr("Play or pause"), "Space", _PLAYING, icon="play"),
        tr("Speed"),
        tr("Playback range"),
        flag(
            "fixed-cursor", tr("Keep cursor fixed"), setting=field("fixed_cursor", "")
        ),
        Action(
            "overview",
            tr("Zoom the overview to the window"),
            turn_overview,
            on=lambda c: c.state.timeline.overview is not None,
        ),
        tr("Clock"),
        SEPARATOR,
        GO_MENU,
        Action(
            "slowest-iteration",
            tr("Slowest iteration"),
            show_slowest_iteration,
            "Ctrl+I",
            has_logical,
        ),
        SEPARATOR,
        Action(
            "zoom-in",
            tr("Zoom in"),
            partial(zoom_time, 2.0),
            "W Ctrl++ Ctrl+=",
            icon="zoom-in",
        ),
        Action(
            "zoom-out",
            tr("Zoom out"),
            partial(zoom_time, 0.5),
            "S Ctrl+-",
            is_zoomed,
            icon="zoom-out",
        ),
        Action(
            "zoom-selected",
            tr("Zoom to the selected time"),
            zoom_to_selected,
            "Return Enter",
            has_selected_time,
        ),
        Action(
            "fit", tr("Zoom to fit"), zoom_to_fit, "F Ctrl+0", is_zoomed, icon="fit"
        ),
        SEPARATOR,
        *ORDER_ACTIONS,
    ),
    GO_MENU: (
        *_STEP_ACTIONS,
        Action("earlier", tr("Pan left"), partial(pan_time, -0.25), "A", is_zoomed),
        Action("later", tr("Pan right"), partial(pan_time, 0.25), "D", is_zoomed),
        Action("begin", tr("Go to start of view"), partial(jump_to_end, 0), "Home"),
        Action("end", tr("Go to end of view"), partial(jump_to_end, 1), "End"),
        Action("go-to", tr("Go to time…"), lambda c: c.show("time"), "Ctrl+G"),
    ),
    tr("Speed"): _SPEED_MENU,
    tr("Playback range"): _RANGE_MENU,
    tr("Clock"): _CLOCK_MENU,
    **ROW_MENUS,
}
