"""Moving in time: windows that zoom and pan, steps between events, playing speed."""

from dataclasses import dataclass

import numpy as np

from topoview.model import Analysis, Indices, Ints, Trace, count_before

Window = tuple[int, int]
"""Begin and end in ticks."""

MIN_WINDOW_TICKS = 16
"""Ticks of the shortest window."""


def zoomed(window: Window, factor: float, at: float, bounds: Window) -> Window:
    """Magnify a window around a time.

    Parameters
    ----------
    window
        The window now.
    factor
        2 shows half of it, 0.5 twice as much.
    at
        Time in ticks that keeps its place on the screen, where `bounds` allow.
    bounds
        What there is to be seen; the result lies in it.

    Examples
    --------
    >>> zoomed((0, 1000), 2, 0, (0, 1000))
    (0, 500)
    """
    begin, end = window
    length = max(
        min(MIN_WINDOW_TICKS, bounds[1] - bounds[0]), round((end - begin) / factor)
    )
    share = (at - begin) / (end - begin)
    left = round(at - share * length)
    return within((left, left + length), bounds)


def panned(window: Window, share: float, bounds: Window) -> Window:
    """Move a window by a share of its length, later if positive."""
    by = round(share * (window[1] - window[0]))
    return within((window[0] + by, window[1] + by), bounds)


def within(window: Window, bounds: Window) -> Window:
    """Move a window into bounds, and shorten it if it is longer."""
    length = min(window[1] - window[0], bounds[1] - bounds[0])
    begin = min(max(window[0], bounds[0]), bounds[1] - length)
    return begin, begin + length


def following(window: Window, ticks: int, bounds: Window) -> Window:
    """Turn the page if a time has left the window; else the window as it is."""
    if window[0] <= ticks <= window[1]:
        return window
    tenth = (window[1] - window[0]) // 10
    return within((ticks - tenth, ticks - tenth + window[1] - window[0]), bounds)


def working_window(analysis: Analysis) -> Window:
    """Window from the first communication to the last, with a margin.

    Programs may spend most of a short run in MPI_Init; what follows is what one
    opens a trace for. The whole run if they communicate for half of it or more,
    or not at all.
    """
    length, communication = (
        max(analysis.trace.clock.length, 1),
        communication_window(analysis),
    )
    if communication is None or 2 * (communication[1] - communication[0]) >= length:
        return 0, length
    begin, end = communication
    margin = (end - begin) // 50 + 1
    return max(0, begin - margin), min(length, end + margin)


def communication_window(analysis: Analysis) -> Window | None:
    """Window from the first communication to the end of the last; None without any."""
    return None if analysis.overview is None else analysis.overview.communication


def visited_regions(analysis: Analysis) -> list[str]:
    """Name the regions that ranks are ever in: the program's own, then operations."""
    if analysis.overview is None:
        return []
    regions = analysis.trace.regions
    numbers = np.flatnonzero(analysis.overview.visits[:, 0] >= 0).tolist()
    titles = {(bool(regions.operation[n] >= 0), regions.title(n)) for n in numbers}
    return list(dict.fromkeys(name for _, name in sorted(titles)))


def visits_of_region(analysis: Analysis, name: str) -> Window | None:
    """Window of all regions of a name; None if no rank is ever in one itself."""
    if analysis.overview is None:
        return None
    regions, visits = analysis.trace.regions, analysis.overview.visits
    meant = [n for n in range(len(visits)) if regions.title(n) == name]
    some = visits[[n for n in meant if visits[n, 0] >= 0]]
    return (int(some[:, 0].min()), int(some[:, 1].max())) if len(some) else None


def time_of_call(trace: Trace, rank: int, position: float) -> int:
    """Time at which a rank has made so many calls, between two of them evenly.

    Parameters
    ----------
    position
        Calls from its first one on; a fraction leads to the next.
    """
    low, high = trace.calls.offsets[rank : rank + 2]
    enter = trace.calls.enter[low:high]
    if position >= len(enter) - 1:
        return trace.clock.length
    if position < 0:
        return round((position + 1) * int(enter[0]))
    whole = int(position)
    step = int(enter[whole + 1]) - int(enter[whole])
    return int(enter[whole]) + round((position - whole) * step)


def calls_before(trace: Trace, rank: int, ticks: int) -> float:
    """Position of a time among a rank's calls; the inverse of `time_of_call`."""
    low, high = trace.calls.offsets[rank : rank + 2]
    enter = trace.calls.enter[low:high]
    at = int(np.searchsorted(enter, ticks, side="right")) - 1
    if at < 0:
        return ticks / max(int(enter[0]), 1) - 1 if len(enter) else 0.0
    if at + 1 == len(enter):
        return float(at)
    step = int(enter[at + 1]) - int(enter[at])
    return at + (ticks - int(enter[at])) / max(step, 1)


def next_event(trace: Trace, ticks: int, rows: Indices | None = None) -> int | None:
    """Earliest time after `ticks` at which any row changes state or region.

    Parameters
    ----------
    trace
        The trace.
    ticks
        Time now.
    rows : int32, shape (n,)
        Rows of the timeline to look at, all if None.

    Returns
    -------
    int or None
        None if nothing changes any more.
    """
    timeline = trace.timeline
    return _next(timeline.offsets, timeline.time, ticks, rows)


def previous_event(trace: Trace, ticks: int, rows: Indices | None = None) -> int | None:
    """Latest time before `ticks` at which any row changed; see `next_event`."""
    timeline = trace.timeline
    return _previous(timeline.offsets, timeline.time, ticks, rows)


def next_call(trace: Trace, ticks: int, rows: Indices | None = None) -> int | None:
    """Earliest time after `ticks` at which any row enters an MPI call."""
    return _next(trace.calls.offsets, trace.calls.enter, ticks, rows)


def previous_call(trace: Trace, ticks: int, rows: Indices | None = None) -> int | None:
    """Latest time before `ticks` at which any row entered an MPI call."""
    return _previous(trace.calls.offsets, trace.calls.enter, ticks, rows)


def _next(offsets: Ints, time: Ints, ticks: int, rows: Indices | None) -> int | None:
    low, high = _ranges(offsets, rows)
    indices = count_before(time, low, high, ticks + 1)
    indices = indices[indices < high]
    return int(time[indices].min()) if len(indices) else None


def _previous(
    offsets: Ints, time: Ints, ticks: int, rows: Indices | None
) -> int | None:
    low, high = _ranges(offsets, rows)
    indices = count_before(time, low, high, ticks) - 1
    indices = indices[indices >= low]
    return int(time[indices].max()) if len(indices) else None


def _ranges(offsets: Ints, rows: Indices | None) -> tuple[Ints, Ints]:
    if rows is None:
        return offsets[:-1], offsets[1:]
    return offsets[:-1][rows], offsets[1:][rows]


IDLE_SECONDS, LEAD_SECONDS = 0.5, 0.1
"""Seconds of playing without an event from which they are left out, and that are
left before the next event."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a film goes through a stretch of time."""

    seconds: float = 10.0
    """That it lasts."""
    calls: float = 0.0
    """MPI calls of `rank` that it shows in a second, whatever `seconds` says; 0 for an
    even pace."""
    rank: int = 0
    """Whose calls they are."""
    skip: bool = False
    """Whether times in which nothing happens are left out; not where calls count."""


def busiest(trace: Trace) -> int:
    """Return the rank that makes most MPI calls, the first of several."""
    return int(np.diff(trace.calls.offsets[: trace.ranks + 1]).argmax())
