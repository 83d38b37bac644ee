"""What the colour of a rank can mean beside its state: a table of functions.

The window lists the table before anything is read: compiled code is imported when it
is needed. `ColouringValues` keeps numbers that do not change with time.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from topoview.base.text import did_you_mean, tr
from topoview.errors import UsageError
from topoview.live.colourings import locations, run, waits
from topoview.live.colourings.run import iteration, progress, selected_time
from topoview.live.colourings.scales import (
    IN_MPI,
    Colouring,
    ColouringRequest,
    always,
    shares,
    spanned,
    times,
)
from topoview.model import (
    WAITING_STATES,
    Analysis,
    Floats,
    Ints,
    MetricCounter,
    RankValues,
    TimeState,
    Trace,
    in_states,
)

if TYPE_CHECKING:
    from topoview.live.moments.moment import Lookups

STATE = "state"
"""The colouring that is no number: by state."""


def _call_progress(request: ColouringRequest) -> RankValues:
    trace = request.analysis.trace
    call, inside = request.look.cursor.calls(request.time)
    enter, leave = trace.calls.enter[call[inside]], trace.calls.leave[call[inside]]
    values = np.full(trace.ranks, np.nan)
    values[inside] = (request.time - enter) / (leave - enter)
    return RankValues(values, unit="%", none=tr("in no MPI call"))


def _calls_done(request: ColouringRequest) -> RankValues:
    trace = request.analysis.trace
    call, inside = request.look.cursor.calls(request.time)
    done = (call - trace.calls.offsets[: trace.ranks] + 1 - inside).astype(np.float64)
    return spanned(done)


def _wait_so_far(request: ColouringRequest) -> RankValues:
    trace = request.analysis.trace
    now = request.look.cursor.moment(request.time)
    second = 1.0 / trace.clock.resolution
    values = np.asarray((request.time - now.since) * second, np.float64)
    values = np.where(in_states(now.state, WAITING_STATES), values, np.nan)
    return times(values, request.look.longest_wait * second, tr("not waiting"))


def _since_change(request: ColouringRequest) -> RankValues:
    trace = request.analysis.trace
    now = request.look.cursor.moment(request.time)
    second = 1.0 / trace.clock.resolution
    values = np.asarray((request.time - now.since) * second, np.float64)
    values = np.where(now.state == TimeState.OUTSIDE, np.nan, values)
    begin, end = request.window
    return times(values, (end - begin) * second, tr("not recorded"))


def _share_of(
    states: tuple[TimeState, ...],
) -> Callable[[ColouringRequest], RankValues]:
    def values(request: ColouringRequest) -> RankValues:
        from topoview.live.moments.window_sums import state_ticks

        ticks = state_ticks(request.analysis.trace, request.window)
        return shares(_share(ticks, states), tr("not recorded"))

    return values


def _share(ticks: Ints, states: tuple[TimeState, ...]) -> Floats:
    """Time in some states of all the time that was recorded."""
    recorded = ticks.sum(axis=1) - ticks[:, TimeState.OUTSIDE]
    with np.errstate(invalid="ignore"):
        result: Floats = ticks[:, list(states)].sum(axis=1) / recorded
    return result


def _against_neighbours(request: ColouringRequest) -> RankValues:
    """Compute the waiting of a rank less that of its neighbours on the average."""
    from topoview.live.moments.window_sums import state_ticks

    matrix = request.analysis.matrix
    assert matrix is not None
    share = np.nan_to_num(
        _share(state_ticks(request.analysis.trace, request.window), WAITING_STATES)
    )
    links = matrix.calls.astype(bool).astype(np.float64)
    links = links.maximum(links.T)
    links.setdiag(0)
    count = links.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(count > 0, share - links @ share / count, np.nan)
    most = float(np.nanmax(np.abs(values), initial=0.01))
    return RankValues(values, -most, most, "%", middle=True, none=tr("no neighbours"))


NO_WINDOW = tr("choose Compare with this window first")


def _against_window(request: ColouringRequest) -> RankValues:
    """Compute the share of time in MPI, or what stands out, less that of a window."""
    from topoview.live.moments.window_sums import state_ticks

    trace, states = request.analysis.trace, tuple(map(TimeState, sorted(request.focus)))
    if request.base is None:
        return RankValues(np.full(trace.ranks, np.nan), none=NO_WINDOW)
    one, other = (
        _share(state_ticks(trace, window), states or IN_MPI)
        for window in (request.base, request.window)
    )
    values = other - one
    most = float(np.nanmax(np.abs(values), initial=0.01))
    return RankValues(values, -most, most, "%", middle=True, none=tr("not recorded"))


NO_RUN = tr("compare with another trace first")


def _against_run(request: ColouringRequest) -> RankValues:
    """Compute how much longer each rank computes than its counterpart elsewhere."""
    ranks, other = request.analysis.trace.ranks, request.compared
    if other is None or other.trace is not request.analysis.trace:
        return RankValues(np.full(ranks, np.nan), none=NO_RUN)
    values = other.computation - 1
    most = float(np.nanmax(np.abs(values), initial=0.01))
    return RankValues(values, -most, most, "%", middle=True, none=tr("no counterpart"))


def _has_calls(analysis: Analysis) -> bool:
    return bool(analysis.trace.calls.offsets[analysis.trace.ranks])


def _has_all_calls(analysis: Analysis) -> bool:
    return _has_calls(analysis) and analysis.trace.digest is None


def _has_positions(analysis: Analysis) -> bool:
    return analysis.positions is not None and analysis.trace.digest is None


def _has_messages(analysis: Analysis) -> bool:
    return analysis.matrix is not None and len(analysis.matrix.counts) > 0


def _has_symmetry(analysis: Analysis) -> bool:
    return analysis.symmetry is not None and _has_messages(analysis)


def _has_profile(analysis: Analysis) -> bool:
    return analysis.profile_of_run is not None


def _has_nodes(analysis: Analysis) -> bool:
    return analysis.trace.has_nodes


def _has_parts(analysis: Analysis) -> bool:
    return analysis.trace.has_parts


COLOURINGS: dict[str, Colouring] = {
    "call": Colouring(
        tr("Progress in the MPI call"), "time", _call_progress, _has_all_calls, "%"
    ),
    "done": Colouring(tr("Completed MPI calls"), "time", _calls_done, _has_all_calls),
    "progress": Colouring(
        tr("Progress in the logical trace"), "time", progress, _has_positions
    ),
    "iteration": Colouring(
        tr("Iteration of the selected loop"),
        "time",
        iteration,
        _has_positions,
        selects=True,
        otherwise=tr("Iteration of the longest loop"),
    ),
    "chosen": Colouring(
        tr("Time in the selected calls"),
        "window",
        selected_time,
        _has_all_calls,
        "s",
        selects=True,
    ),
    "wait": Colouring(
        tr("Time in current call"), "time", _wait_so_far, _has_all_calls, "s"
    ),
    "late": Colouring(
        tr("Late-partner wait (current call)"),
        "time",
        waits.late_now,
        waits.has_waits,
        "s",
    ),
    "held": Colouring(tr("Delayed ranks"), "time", waits.held, waits.has_waits),
    "depth": Colouring(tr("Hops to root cause"), "time", waits.depth, waits.has_waits),
    "change": Colouring(tr("Time in state"), "time", _since_change, always, "s"),
    "region": Colouring(tr("Region"), "time", waits.regions, always),
    "phase": Colouring(tr("Phase"), "time", waits.phases, waits.has_phases),
    "threads": Colouring(
        tr("Threads at work"),
        "time",
        locations.busy_now("thread"),
        locations.has_others("thread"),
        "%",
    ),
    "gpu": Colouring(
        tr("GPU streams at work"),
        "time",
        locations.busy_now("accelerator"),
        locations.has_others("accelerator"),
        "%",
    ),
    "thread-region": Colouring(
        tr("Region of its threads"),
        "time",
        locations.region_now("thread"),
        locations.has_others("thread"),
    ),
    "gpu-region": Colouring(
        tr("Region of its GPU streams"),
        "time",
        locations.region_now("accelerator"),
        locations.has_others("accelerator"),
    ),
    "mpi": Colouring(tr("MPI, % of window"), "window", _share_of(IN_MPI), always, "%"),
    "waiting": Colouring(
        tr("Wait time, % of window"),
        "window",
        _share_of(WAITING_STATES),
        _has_calls,
        "%",
    ),
    "neighbours": Colouring(
        tr("Wait time minus neighbours' mean"),
        "window",
        _against_neighbours,
        _has_messages,
        "%",
    ),
    "difference": Colouring(
        tr("MPI share: change from compared window"),
        "window",
        _against_window,
        always,
        "%",
        selects=True,
    ),
    "compared": Colouring(
        tr("Change of computation in compared run"),
        "run",
        _against_run,
        always,
        "%",
        selects=True,
    ),
    "late-window": Colouring(
        tr("Late-partner wait, % of window"),
        "window",
        waits.late_share,
        waits.has_waits,
        "%",
    ),
    "critical": Colouring(
        tr("On critical path, % of window"),
        "window",
        waits.on_path,
        waits.has_path,
        "%",
    ),
    **{
        f"in-{state.name.lower()}": Colouring(
            tr(
                "{state}, % of window",
                state=state.label[0].upper() + state.label[1:],
            ),
            "window",
            _share_of((state,)),
            waits.has_state(state),
            "%",
        )
        for state in TimeState
        if state != TimeState.OUTSIDE
    },
    "threads-window": Colouring(
        tr("Threads at work, % of window"),
        "window",
        locations.busy_share("thread"),
        locations.has_others("thread"),
        "%",
    ),
    "gpu-window": Colouring(
        tr("GPU streams at work, % of window"),
        "window",
        locations.busy_share("accelerator"),
        locations.has_others("accelerator"),
        "%",
    ),
    "calls": Colouring(tr("MPI calls of the run"), "run", run.calls, _has_profile),
    "suffered": Colouring(
        tr("Wait suffered"), "run", waits.suffered, waits.has_sums, "s"
    ),
    "caused": Colouring(tr("Wait caused"), "run", waits.caused, waits.has_causes, "s"),
    "sent": Colouring(tr("Bytes sent"), "run", run.traffic(1), _has_messages, "B"),
    "received": Colouring(
        tr("Bytes received"), "run", run.traffic(0), _has_messages, "B"
    ),
    "node": Colouring(tr("Host"), "run", run.nodes, _has_nodes),
    "communicator": Colouring(tr("Communicator"), "run", run.communicators, _has_parts),
    "symmetry": Colouring(tr("Equivalence class"), "run", run.symmetry, _has_symmetry),
}
"""Every colouring but `STATE` and the counters that a trace has. To add one is to
write a function and a line here."""


COUNTER_PREFIX = "counter-"
"""What the names of colourings by counters begin with; metric and place follow."""


_COUNTER_UNITS = {"s": "s", "B": "B", "Bytes": "B", "bytes": "B"}
"""Units of counters that are written as others of the kind are."""

_COUNTER_RATES = {"s": "%"}
"""The same of how much they grow a second."""


def counter_rows(analysis: Analysis) -> dict[str, Colouring]:
    """Return a row of the table for each counter of which the trace has values."""
    if not _has_counters(analysis):
        return {}
    return {
        f"{COUNTER_PREFIX}{counter.metric}-{counter.place}": _counter_row(counter)
        for counter in analysis.trace.counters
    }


def _counter_row(counter: MetricCounter) -> Colouring:
    grows = counter.mode != "value"
    unit = (_COUNTER_RATES if grows else _COUNTER_UNITS).get(counter.unit, "")
    text = counter.name
    if grows:
        text += tr(", % of window") if unit else tr(" per second")
    text += f" ({counter.unit})" if counter.unit and not unit else ""

    def values(request: ColouringRequest) -> RankValues:
        from topoview.live.colourings.counters import rate_in, value_at

        trace = request.analysis.trace
        series = request.look.series(counter)
        if series is None:
            return spanned(np.full(trace.ranks, np.nan), none=tr("not recorded"))
        if grows:
            readings = rate_in(trace, series, counter, request.window)
        else:
            readings = value_at(trace, series, request.time)
        return spanned(readings, unit, tr("not recorded"))

    return Colouring(text, "window" if grows else "time", values, _has_counters, unit)


def _has_counters(analysis: Analysis) -> bool:
    if not analysis.trace.counters:
        return False
    from topoview.live.colourings.counters import metric_records

    return metric_records(analysis.trace) is not None


def rows(analysis: Analysis) -> dict[str, Colouring]:
    """Return the rows that an analysis has numbers for, and those of its counters."""
    # Menus ask this of every row at every change: no `given` may take long.
    colourings = {name: row for name, row in COLOURINGS.items() if row.given(analysis)}
    return colourings | counter_rows(analysis)


def row_of(name: str, analysis: Analysis) -> Colouring | None:
    """Find a row by its name; None for `STATE`, and where numbers are not known."""
    row = COLOURINGS.get(name)
    if row is None:
        return counter_rows(analysis).get(name)
    return row if row.given(analysis) else None


def offered(analysis: Analysis) -> tuple[str, ...]:
    """Names of the colourings that an analysis has numbers for, `STATE` first."""
    return (STATE, *rows(analysis))


def check_colouring(analysis: Analysis, name: str) -> None:
    """Refuse a colouring that an analysis has no numbers for.

    Raises
    ------
    UsageError
        With the name that was probably meant, or all there are.
    """
    names = offered(analysis)
    if name not in names:
        meant = did_you_mean(name, names) or f": choose one of {', '.join(names)}"
        raise UsageError(f"{analysis.trace.name} has no colouring {name!r}{meant}")


# Numbers of colourings as they are asked for, kept where they do not change.

MAX_VALUES_KEPT = 6
"""Numbers that do not follow time and are kept."""

RANGE_SAMPLES = 24
"""Times of a window that the range of what follows time is taken from."""


class ColouringValues:
    """Finds the numbers of a colouring, and keeps what does not change with time."""

    def __init__(self) -> None:
        self._kept: dict[tuple[object, ...], RankValues] = {}
        self._lookups: Lookups | None = None
        self._spans: dict[tuple[object, ...], tuple[float, float]] = {}

    def of(self, name: str, request: ColouringRequest) -> RankValues | None:
        """Numbers of a colouring; None for `STATE`, and where unknown."""
        row = row_of(name, request.analysis)
        if row is None:
            return None
        request = replace(request, lookups=self.lookups(request.analysis.trace))
        if row.over == "time":
            return row.values(request)
        window = request.window if row.over == "window" else None
        key = (name, request.analysis, window, *_selection_key(row, request))
        if key not in self._kept:
            _make_room(self._kept)
            self._kept[key] = row.values(request)
        return self._kept[key]

    def span(self, name: str, request: ColouringRequest) -> tuple[float, float] | None:
        """Find the least and the greatest number within the window.

        For what follows time `RANGE_SAMPLES` times of it are looked at.

        Returns
        -------
        tuple of float, or None
            None without any number.
        """
        row = row_of(name, request.analysis)
        if row is None:
            return None
        times_ = [request.time]
        if row.over == "time":
            begin, end = request.window
            times_ = [int(t) for t in np.linspace(begin, end - 1, RANGE_SAMPLES)]
        key = (name, request.analysis, request.window, *_selection_key(row, request))
        if key not in self._spans:
            snapshots = [self.of(name, replace(request, time=time)) for time in times_]
            parts = [each.values for each in snapshots if each is not None]
            valid = np.concatenate(parts)
            valid = valid[~np.isnan(valid)]
            _make_room(self._spans)
            none = (np.nan, np.nan)
            ends = (float(valid.min()), float(valid.max())) if len(valid) else none
            self._spans[key] = ends
        ends = self._spans[key]
        return None if np.isnan(ends[0]) else ends

    def lookups(self, trace: Trace) -> "Lookups":
        """Return what is looked up in a trace for all colourings."""
        if self._lookups is None or self._lookups.trace is not trace:
            from topoview.live.moments.moment import Lookups

            self._lookups = Lookups(trace)
        return self._lookups


def _selection_key(row: Colouring, request: ColouringRequest) -> tuple[object, ...]:
    """Return what is selected, of what follows it."""
    chosen = (
        request.wanted,
        request.loop,
        request.base,
        request.focus,
        request.compared,
    )
    return chosen if row.selects else ()


def _make_room(kept: dict[tuple[object, ...], Any]) -> None:
    while len(kept) >= MAX_VALUES_KEPT:
        del kept[next(iter(kept))]
