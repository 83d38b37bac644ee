"""Playback: moves the time cursor through the window or a chosen range."""

from time import perf_counter

from PySide6.QtCore import QObject, Qt, QTimer, QVariantAnimation

from topoview.live.picking.navigation import IDLE_SECONDS, LEAD_SECONDS, busiest
from topoview.session import Session, State

DEFAULT_SECONDS = 10.0
"""Time that playing takes for all of it if no speed was chosen."""

TICK_MILLISECONDS = 16
"""Milliseconds between two steps; a slow frame makes the next step longer."""

HIGHLIGHT_MILLISECONDS_PER_RANK, MAX_HIGHLIGHT_MILLISECONDS = 120, 6000
"""Milliseconds that lighting a rank takes, and all of them at most."""

SPEEDS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 1e-3, 1e-4, 1e-5, 1e-6)
"""Simulated seconds in a second of playing that the menu offers."""

CALL_RATE, WHOLE_IN_SECONDS = "calls", "whole"
"""Paces: MPI calls of a rank in a second, and seconds that all of it takes."""


def playback_range(state: State) -> tuple[int, int]:
    """Return the begin and end of what is played, in ticks."""
    if state.bounds is not None:
        return state.bounds
    if state.fixed_cursor and state.analysis is not None:
        return state.analysis.trace.clock.whole
    return state.window


def playback_speed(state: State) -> float:
    """Return the simulated seconds in a second of playing."""
    if state.analysis is None or (state.speed and not state.speed_unit):
        return state.speed
    begin, end = playback_range(state)
    length = end - begin
    if state.fixed_cursor and state.bounds is None:
        length = state.window[1] - state.window[0]
    takes = (
        state.speed
        if state.speed_unit == WHOLE_IN_SECONDS and state.speed
        else DEFAULT_SECONDS
    )
    return state.analysis.trace.clock.seconds(length) / takes


def skips_idle(state: State) -> bool:
    """Return whether playing skips stretches without events; never where they count."""
    return state.skip and not (state.speed_unit == CALL_RATE and bool(state.speed))


def counted_rank(state: State) -> int:
    """Return the rank whose calls playing counts: a selected one, or the busiest."""
    assert state.analysis is not None
    trace = state.analysis.trace
    chosen = [rank for rank in state.selection.ranks if rank < trace.ranks]
    if chosen:
        return chosen[0]
    return busiest(trace)


class Playback(QObject):
    """Moves the time cursor while the state says that time runs.

    At the end it stops, or begins again if the state says so.
    """

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._last = 0.0
        self._exact = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(TICK_MILLISECONDS)
        self._timer.timeout.connect(self._step)
        self._lights = QVariantAnimation(self)
        self._lights.setStartValue(0)
        self._lights.valueChanged.connect(self._light)
        self._lights.finished.connect(lambda: self._session.update(highlighted=-1))
        session.subscribe(self._watch, to=("analysis", "playing", "highlighted"))

    def toggle(self) -> None:
        """Play or pause; at the end playing starts at the begin."""
        state = self._session.state
        if state.analysis is None:
            return
        begin, end = playback_range(state)
        if not state.playing and not begin <= state.time < end:
            self._session.update(time=begin)
        self._session.update(playing=not state.playing)

    def light_ranks(self) -> None:
        """Light the ranks one after the other, within a few seconds."""
        analysis = self._session.state.analysis
        if analysis is None:
            return
        self._session.update(playing=False)
        self._lights.stop()
        self._lights.setDuration(
            min(
                MAX_HIGHLIGHT_MILLISECONDS,
                HIGHLIGHT_MILLISECONDS_PER_RANK * analysis.trace.ranks,
            )
        )
        self._lights.setEndValue(analysis.trace.ranks)
        self._lights.start()

    def _light(self, count: object) -> None:
        if self._lights.state() == QVariantAnimation.State.Running:
            self._session.update(highlighted=int(str(count)))

    def _watch(self, old: State, new: State) -> None:
        if old.trace is not new.trace:
            self._session.update(bounds=None, time_zero=None)
        if new.highlighted >= 0 and (new.playing or new.analysis is not old.analysis):
            self._lights.stop()
            self._session.update(highlighted=-1)
        if new.playing and not old.playing:
            self._last = perf_counter()
            self._exact = float(new.time)
            self._timer.start()
        elif old.playing and not new.playing:
            self._timer.stop()

    def _after_nothing(self, state: State, rate: float) -> float:
        """Find where the next event is near; 0 if it is near now, or never comes."""
        from topoview.live.picking.navigation import next_event

        assert state.analysis is not None
        coming = next_event(state.analysis.trace, state.time)
        if coming is None or coming - state.time < IDLE_SECONDS * rate:
            return 0.0
        return coming - LEAD_SECONDS * rate

    def _advance(self, state: State, elapsed: float) -> None:
        """Find the next time, as precise as it is needed for slow speeds."""
        assert state.analysis is not None
        trace = state.analysis.trace
        if state.speed_unit == CALL_RATE and state.speed and len(trace.calls):
            from topoview.live.picking.navigation import calls_before, time_of_call

            rank = counted_rank(state)
            done = calls_before(trace, rank, round(self._exact))
            coming = time_of_call(trace, rank, done + elapsed * state.speed)
            self._exact = max(float(coming), self._exact + 1)
            return
        rate = playback_speed(state) * trace.clock.resolution
        self._exact += elapsed * rate
        if state.skip:
            self._exact = max(self._exact, self._after_nothing(state, rate))

    def _step(self) -> None:
        state = self._session.state
        if state.analysis is None or not state.playing:
            return
        now = perf_counter()
        elapsed, self._last = now - self._last, now
        if round(self._exact) != state.time:  # somebody else moved the cursor
            self._exact = float(state.time)
        self._advance(state, elapsed)
        begin, end = playback_range(state)
        self._exact = max(self._exact, float(begin))
        if self._exact < end:
            self._go(state, round(self._exact))
        elif state.repeat:
            self._exact = float(begin)
            self._go(state, begin)
        else:
            self._go(state, end, playing=False)

    def _go(self, state: State, time: int, *, playing: bool = True) -> None:
        """Move the cursor over the timeline, or the timeline under the cursor."""
        from topoview.live.picking.navigation import following, within

        assert state.analysis is not None
        whole = state.analysis.trace.clock.whole
        begin, end = state.window
        if state.fixed_cursor:
            by = time - state.time
            if not begin <= state.time <= end:
                by = time - (begin + end) // 2
            window = within((begin + by, end + by), whole)
        elif state.bounds is not None:
            window = following(state.window, time, whole)
        else:
            window = state.window
        self._session.update(time=time, window=window, playing=playing)
