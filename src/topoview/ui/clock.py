"""How times and speeds are written, and read from what a user types."""

import re

from topoview.analysis import Analysis
from topoview.session import State
from topoview.ui.formats import (
    duration_text,
    marked_text,
    parse_time,
    round_text,
    time_unit,
)
from topoview.ui.playback import CALLS, WHOLE, speed

FASTEST, SLOWEST = 1e6, 1e-12


def clock_text(state: State, known: Analysis) -> str:
    """Write the cursor's time, from the mark if there is one."""
    return marked_text(state.time, state.mark, known.trace.clock, state.unit)


def parse_clock(text: str, state: State, known: Analysis) -> int:
    """Read a time in ticks; one with a sign is counted from the mark, or the cursor.

    Raises
    ------
    ValueError
        It is no time.
    """
    clock = known.trace.clock
    unit = state.unit or time_unit(clock.seconds(clock.length))
    bare = text.strip().replace("\u2212", "-")
    if bare[:1] in ("+", "-"):
        start = state.time if state.mark is None else state.mark
        return start + parse_time(bare, clock, unit)
    return parse_time(bare, clock, unit)


def speed_text(state: State) -> str:
    """Write how fast playing is: ``10 ms/s``, ``20 calls/s``, ``all in 10 s``."""
    if state.pace == CALLS and state.speed:
        return f"{state.speed:g} calls/s"
    if state.pace == WHOLE and state.speed:
        return f"all in {state.speed:g} s"
    if not state.speed:
        return f"{duration_text(speed(state))}/s" if state.analysis else ""
    return f"{round_text(state.speed)}/s"


def parse_speed(text: str) -> tuple[float, str]:
    """Read a speed and its pace from what a user typed.

    Raises
    ------
    ValueError
        It is no speed.
    """
    bare = re.sub(r"\s|\u2009", "", text).replace(",", ".").lower()
    number = r"(\d*\.?\d+(?:e[+-]?\d+)?)"
    if found := re.fullmatch(rf"{number}(?:mpi)?calls?(?:/s|asecond)?", bare):
        return _checked(float(found[1]), text), CALLS
    if found := re.fullmatch(rf"(?:allin|in|allofitin){number}s", bare):
        return _checked(float(found[1]), text), WHOLE
    found = re.fullmatch(rf"{number}(s|ms|us|µs|ns)?(?:/s|asecond)", bare)
    if found:
        scale = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
        return _checked(float(found[1]) * scale[found[2] or "s"], text), ""
    raise ValueError(f"{text!r} is no speed: write 10 ms/s, 20 calls/s or all in 10 s")


def _checked(value: float, text: str) -> float:
    if not SLOWEST <= value <= FASTEST:
        raise ValueError(
            f"{text!r} is no speed that can be played: choose one nearer to 10 ms/s"
        )
    return value
