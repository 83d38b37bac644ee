"""Rows of the table of actions: time, playing, and the timeline."""

from functools import partial

from topoview.ui import conditions as given
from topoview.ui import time_commands as time
from topoview.ui.action import LINE, Action
from topoview.ui.formats import UNITS, round_text
from topoview.ui.playback import CALLS, SPEEDS, WHOLE
from topoview.ui.region_commands import play_region

PACES = ((2.0, CALLS), (10.0, CALLS), (50.0, CALLS), (30.0, WHOLE), (120.0, WHOLE))
"""Speeds of the menu that are not counted in simulated seconds."""

_WORDS = {CALLS: "{:g} MPI calls a second", WHOLE: "All of it in {:g} s"}

# fmt: off
_SPEED: tuple[Action | str, ...] = (
    Action("speed-auto", "All of it in 10 s", partial(time.choose_speed, 0.0),
       on=partial(time.pace_is, 0.0, ""), words="speed play faster slower"),
    *(Action(f"speed-{rate:g}", f"{round_text(rate)} a second",
         partial(time.choose_speed, rate), on=partial(time.pace_is, rate, ""),
         words="speed play faster slower")
      for rate in SPEEDS),
    LINE,
    *(Action(f"speed-{pace}-{rate:g}", _WORDS[pace].format(rate),
         partial(time.choose_pace, rate, pace),
         on=partial(time.pace_is, rate, pace), words="speed play faster slower")
      for rate, pace in PACES),
    LINE,
    Action("speed-other", "Other speed\u2026", time.type_speed,
           words="play faster slower"),
)

_PLAYED = (
    Action("play-window", "What the timeline shows", time.play_window,
       on=lambda w: not time.plays_bounds(w), words="play range bounds"),
    Action("play-selected", "The selected time, again and again", time.play_selected,
       "Shift+R", when=given.has_selected_time, words="play loop range repeat"),
    Action("play-communication", "From the first communication to the last",
       time.play_communication, words="play skip initialisation finalisation"),
    Action("play-region", "The visits of a region\u2026", play_region,
       words="play from first to last visit function skip before after"),
)

_CLOCK: tuple[Action | str, ...] = (
    *(Action(f"unit-{unit or 'natural'}", f"Times in {unit}" if unit else
         "Times in the unit that suits", partial(time.choose_unit, unit),
         on=partial(time.unit_is, unit), words="clock seconds")
      for unit in ("", *UNITS)),
    LINE,
    Action("mark", "Count from the cursor", time.set_mark, "M", on=time.has_mark,
       words="mark clock relative zero time"),
)


def menus(orders: tuple[Action, ...]) -> dict[str, tuple[Action | str, ...]]:
    """Make the menus about time; `orders` are those of the timeline's rows."""
    return {
    "Timeline": (*_TIMELINE, *orders),
    "Speed": _SPEED,
    "What is played": _PLAYED,
    "Clock": _CLOCK,
    }


_TIMELINE: tuple[Action | str, ...] = (
    Action("play", "Play or pause", time.play, "Space", "play",
           on=given.is_playing, words="animate run stop"),
    "Speed",
    "What is played",
    Action("repeat", "Repeat what is played", time.toggle_repeat, "R", "repeat",
           on=given.is_repeating, words="loop playing"),
    LINE,
    Action("skip", "Skip what nothing happens in", time.toggle_skip, "",
           "", on=time.skips, words="dead idle time playing"),
    Action("still", "Move the timeline, not the cursor", time.toggle_still, "",
           on=time.is_still, words="playing scroll fixed cursor still"),
    "Clock",
    LINE,
    Action("previous-event", "Previous event", partial(time.step, -1), ",",
           "previous", words="step back"),
    Action("next-event", "Next event", partial(time.step, 1), ".", "next",
           words="step forward"),
    Action("previous-call", "Previous MPI call", partial(time.step_call, -1),
           "Shift+,", words="step back enter"),
    Action("next-call", "Next MPI call", partial(time.step_call, 1),
           "Shift+.", words="step forward enter"),
    Action("previous-iteration", "Previous iteration",
           partial(time.step_iteration, -1), "Ctrl+,", when=given.has_logical,
           words="step back loop"),
    Action("next-iteration", "Next iteration", partial(time.step_iteration, 1),
           "Ctrl+.", when=given.has_logical, words="step forward loop"),
    Action("previous-phase", "Previous phase", partial(time.step_phase, -1),
           "Alt+,", when=time.has_phases, words="step back"),
    Action("next-phase", "Next phase", partial(time.step_phase, 1), "Alt+.",
           when=time.has_phases, words="step forward"),
    Action("begin", "Go to the window's begin", partial(time.jump, 0), "Home",
           words="start first"),
    Action("end", "Go to the window's end", partial(time.jump, 1), "End",
           words="last"),
    Action("go-to", "Go to time…", time.go_to_time, "Ctrl+G", words="jump cursor"),
    LINE,
    Action("zoom-in", "Zoom in", partial(time.zoom, 2.0), "W Ctrl++ Ctrl+=",
           "zoom-in", words="time magnify"),
    Action("zoom-out", "Zoom out", partial(time.zoom, 0.5), "S Ctrl+-", "zoom-out",
           given.is_zoomed, words="time"),
    Action("earlier", "Earlier", partial(time.pan, -0.25), "A", "", given.is_zoomed,
           words="pan left scroll back"),
    Action("later", "Later", partial(time.pan, 0.25), "D", "", given.is_zoomed,
           words="pan right scroll forward"),
    Action("zoom-selected", "Zoom to the selected time", time.zoom_to_selected,
           "Return Enter", "", given.has_selected_time, words="window magnify"),
    Action("fit", "Show the whole run", time.fit, "F Ctrl+0", "fit",
           given.is_zoomed, words="fit all zoom"),
    LINE,
)
# fmt: on
