"""Where to look first, and what is shown of a delay: its front, at a time and place.

A delay of one rank makes others wait, those again others: the front of that waiting
travels over the topology like a wave (Afzal, Hager, Wellein 2019, Propagation and decay
of injected one-off delays on clusters, section 3).
"""

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview.live.picking.navigation import Window
from topoview.model import (
    Analysis,
    Delays,
    Frozen,
    Indices,
    Ints,
    Match,
    TimeState,
    Trace,
    distinct,
    kept_with_source,
)
from topoview.report.claims import front, late, states_differ, waiting
from topoview.session import GPU_BUSY, Selection, State

MIN_SHARE_SHOWN: Final = 0.02
"""Share of all waiting that a delay has caused at least to be shown unasked."""

FRONT_REACHED: Final = (0.2, 0.6)
"""Least and largest share of the ranks that a front reaches that it has reached at the
time shown."""

FRONT_ENDED: Final = 0.9
"""Share of the ranks that a front reaches whose waits end within what is shown."""

MAX_TIMES_TRIED: Final = 64

MAX_RANKS_COMPARED: Final = 1024
"""Ranks, chosen at random, whose states tell how clear a front is: a share of them is
that of all to within 3 % (twice the standard error)."""

CROWDED_FRONT: Final = 1.5
"""Edges of the front for each rank at it, above which only the shortest are drawn: of
a 27-point stencil, not of a torus."""

MARGIN_SHARE: Final = 1 / 4
"""Length of what is shown before a delay and after its last wait, of that between."""

OPERATIONS_SHOWN: Final = 2
"""Kernels as long as most time of devices is spent in that fit into what is shown
first: there is room for their names."""

MESSAGES_SHOWN: Final = 2
"""Messages a rank in what is shown first up to which they are drawn beside devices."""


@dataclass(frozen=True, slots=True)
class FirstView:
    """A time, the window around it, and the delay that is its reason; -1 for none."""

    time: int
    window: Window
    delay: int = -1


@dataclass(frozen=True, slots=True, eq=False)
class DelayFront(Frozen):
    """The front of a delay: when it comes to each rank."""

    rank: int
    begin: int
    """`rank` and `begin`: the rank that was late, and since when, in ticks."""
    arrival: Ints
    end: Ints
    """`arrival` and `end`: int64, shape (ranks,): begin and end of each rank's first
    wait for it in ticks; -1 where the front never comes."""

    def reached(self, ticks: int) -> Ints:
        """Find the ranks that it has reached at a time, the late one too."""
        there = (self.arrival >= 0) & (self.arrival <= ticks)
        there[self.rank] = self.begin <= ticks
        result: Ints = np.flatnonzero(there)
        return result

    def edges(self, match: Match, ticks: int) -> Indices:
        """Find the edges that it crosses at a time.

        Returns
        -------
        int32, shape (n, 2)
            A rank that it has reached, and a neighbour that it reaches later.
        """
        pairs = _ways_of_front(self, match)
        inside = np.zeros(len(self.arrival), np.bool_)
        inside[self.reached(ticks)] = True
        later = self.arrival > ticks
        crossed = inside[pairs[:, 0]] & later[pairs[:, 1]]
        return np.asarray(pairs[crossed], np.int32)


@kept_with_source()
def _ways_of_front(front: DelayFront, match: Match) -> Indices:
    """Edges between ranks that a front comes to, once in each direction."""
    comes = (front.arrival >= 0) & (match.vertex >= 0)
    comes[front.rank] = match.vertex[front.rank] >= 0
    ranks = np.flatnonzero(comes)
    rank = np.full(match.topology.vertices, -1, np.int32)
    rank[match.vertex[ranks]] = ranks
    edges = match.topology.edges
    for side in (0, 1):  # one after the other: few are left
        edges = edges[rank[edges[:, side]] >= 0]
    pairs = rank[edges]
    return np.concatenate([pairs, pairs[:, ::-1]])


def sparse_front(pairs: Indices, places: NDArray[np.floating]) -> Indices:
    """Choose what is drawn of a front whose edges cross each other.

    Parameters
    ----------
    pairs : int32, shape (n, 2)
        Edges that it crosses, as `DelayFront.edges` gives them.
    places : shape (ranks, 3)
        Where the ranks are drawn.

    Returns
    -------
    int32, shape (k, 2)
        All if there are few (`CROWDED_FRONT`), else the shortest edge to each rank that
        the front has not reached.
    """
    if len(pairs) <= CROWDED_FRONT * len(distinct(pairs)):
        return pairs
    length = np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1)
    order = np.lexsort((pairs[:, 0], length, pairs[:, 1]))
    _, first = np.unique(pairs[order, 1], return_index=True)
    return np.asarray(pairs[order[first]], np.int32)


@kept_with_source()
def front_of(delays: Delays, delay: int, ranks: int) -> DelayFront:
    """Find when the front of a delay comes to each rank but the late one."""
    own = slice(int(delays.offsets[delay]), int(delays.offsets[delay + 1]))
    who = delays.wait_rank[own][::-1]  # the first of several waits is written last
    end = np.full(ranks, -1, np.int64)
    end[who] = delays.wait_end[own][::-1]
    arrival, rank = delays.arrivals(delay, ranks), int(delays.rank[delay])
    arrival[rank] = end[rank] = -1  # it may come back to where it began
    return DelayFront(rank, int(delays.begin[delay]), arrival, end)


def shown_front(state: State) -> DelayFront | None:
    """Return the front that a state asks for; None where its delay does not travel."""
    analysis = state.analysis
    if analysis is None or analysis.delays is None:
        return None
    if not 0 <= state.delay < len(analysis.delays):
        return None
    if not front(analysis.trace, analysis.delays, state.delay).holds:
        return None
    return front_of(analysis.delays, state.delay, analysis.trace.ranks)


def worth_showing(analysis: Analysis | None) -> int:
    """Count the delays, from the costliest on, that are shown unasked."""
    if analysis is None or analysis.delays is None:
        return 0
    delays = analysis.delays
    if not waiting(analysis).holds:
        return 0
    return int((delays.caused >= max(MIN_SHARE_SHOWN * delays.waiting, 1)).sum())


def _clearest_time(analysis: Analysis, front: DelayFront) -> int:
    """Find when a front is seen best: before it ranks compute, behind it they wait."""
    line, others = analysis.trace.timeline, np.flatnonzero(front.arrival >= 0)
    some = others
    if len(others) > MAX_RANKS_COMPARED:
        some = np.random.default_rng(0).choice(others, MAX_RANKS_COMPARED, False)
    arrival, end = front.arrival[some], front.end[some]
    low, high = np.quantile(arrival, FRONT_REACHED, method="lower")
    best, clearest = int(low), -1.0
    for ticks in np.linspace(low, high, MAX_TIMES_TRIED).astype(np.int64).tolist():
        reached = arrival <= ticks
        ahead = ~reached
        computes = line.state[line.at(ticks, some)] == TimeState.COMPUTE
        waits = end > ticks
        clear = float(waits[reached].mean())
        clear += float(computes[ahead].mean()) if ahead.any() else 0.0
        if clear > clearest:
            best, clearest = ticks, clear
    return best


@kept_with_source()
def view_of_delay(analysis: Analysis, delay: int) -> FirstView:
    """Choose a time at the front of a delay, and the window in which it travels."""
    delays = analysis.delays
    assert delays is not None
    begin = int(delays.begin[delay])
    front = front_of(delays, delay, analysis.trace.ranks)
    end, time = int(delays.end[delay]), begin
    there = front.arrival >= 0
    if there.any():
        time = _clearest_time(analysis, front)
        begin = min(begin, time)
        end = max(end, int(np.quantile(front.end[there], FRONT_ENDED, method="lower")))
    margin = round((end - begin) * MARGIN_SHARE) + 1
    last = max(analysis.trace.clock.length, 1)
    return FirstView(time, (max(begin - margin, 0), min(end + margin, last)), delay)


def _is_within(analysis: Analysis, delay: int, exchange: Window) -> bool:
    """Return whether a front travels between the first message and the last.

    Who waits for a rank that starts late, or for all to end, tells little.
    """
    assert analysis.delays is not None
    front = front_of(analysis.delays, delay, analysis.trace.ranks)
    there = front.arrival >= 0
    if not there.any():
        return False
    first = min(front.begin, float(np.median(front.arrival[there])))
    return exchange[0] <= first and float(np.median(front.end[there])) <= exchange[1]


def first_view(analysis: Analysis) -> FirstView:
    """Choose what is shown first: the costliest delay between first and last message.

    Calls that are never left come before all. The delay is one of a rank that was late
    beyond noise, and its front is seen (`topoview.report.claims`). Without one that is
    worth it the time between the first message and the last at which the states of the
    ranks differ most (`topoview.analysis.overview`), and around it as much as lets
    kernels of devices be told apart.
    """
    delays = analysis.delays
    if analysis.overview is None:
        return FirstView(0, (0, max(analysis.trace.clock.length, 1)))
    if hang := hang_view(analysis):
        return hang
    for delay in range(worth_showing(analysis)):
        if delays is None or not late(analysis.trace, delays, delay).holds:
            continue
        if not _is_within(analysis, delay, analysis.overview.exchange):
            continue
        view = view_of_delay(analysis, delay)
        if states_differ(analysis, view.time).holds:
            return view
    time, window = analysis.overview.time, analysis.overview.window
    return FirstView(time, _window_of_kernels(analysis.trace, time, window))


@kept_with_source()
def _window_of_kernels(trace: Trace, time: int, window: Window) -> Window:
    """Narrow a window around a time until kernels and copies in it have names."""
    line, rows = trace.timeline, trace.further_rows("accelerator")
    lengths = [np.zeros(0, np.int64)]
    for row in rows[rows < line.rows].tolist():
        first, stop = line.offsets[row : row + 2].tolist()
        low, high = np.searchsorted(line.time[first:stop], window).tolist()
        ticks = np.diff(line.time[first + low : first + high])
        state = line.state[first + low : first + low + len(ticks)]
        lengths.append(ticks[(state == TimeState.KERNEL) | (state == TimeState.COPY)])
    length = np.sort(np.concatenate(lengths))
    sums = np.cumsum(length)
    if not len(length) or not sums[-1]:
        return window
    wide = OPERATIONS_SHOWN * int(length[np.searchsorted(sums, sums[-1] / 2)])
    if wide >= window[1] - window[0]:
        return window
    begin = min(max(time - wide // 2, window[0]), window[1] - wide)
    return begin, begin + wide


@kept_with_source()
def telling_time(analysis: Analysis, window: Window) -> int:
    """Choose a time within a window as for what is shown first.

    At the front of the costliest delay that begins there, else when the states of the
    ranks differ most; its begin where no events are kept.
    """
    from topoview.analysis.overview import most_mixed_time  # loads compiled code

    if analysis.trace.digest is not None or window[0] >= window[1]:
        return window[0]
    for delay in range(worth_showing(analysis)):
        time = view_of_delay(analysis, delay).time
        if window[0] <= time <= window[1] and states_differ(analysis, time).holds:
            return time
    return most_mixed_time(analysis.trace, window)


def hang_view(analysis: Analysis) -> FirstView | None:
    """Show the last call that is never left, and all of these; None without any."""
    hung, calls = analysis.hung, analysis.trace.calls
    if hung is None or not len(hung.call):
        return None
    begin, end = calls.enter[hung.call], int(calls.leave[hung.call].max())
    long = max(end - int(begin.min()), 1)
    return FirstView(int(begin.max()), (max(int(begin.min()) - long // 4, 0), end))


def changes_to_delay(state: State, delay: int) -> dict[str, Any]:
    """Return what changes in the state when a delay is shown.

    The cursor is at its front, the late rank is selected, and rows are in the order of
    their distance from it where the topology has one.
    """
    assert state.analysis is not None
    assert state.analysis.delays is not None
    view = view_of_delay(state.analysis, delay)
    rank = int(state.analysis.delays.rank[delay])
    match, rows = state.derived.match, state.timeline
    if match is not None and len(match.topology.edges):
        rows = replace(rows, order="distance", origin=(rank,))
    return {
        "delay": delay,
        "time": view.time,
        "window": view.window,
        "selection": Selection(ranks=(rank,)),
        "timeline": rows,
        "playing": False,
    }


def changes_at_first(state: State) -> dict[str, Any]:
    """Return what changes in the state for what is shown first of its trace.

    That is how busy its devices are, too, where there are any, and messages between
    their hosts if they are few.
    """
    assert state.analysis is not None
    trace, view = state.analysis.trace, first_view(state.analysis)
    changes: dict[str, Any] = {"time": view.time, "window": view.window}
    if len(trace.further_rows("accelerator")):
        sent, received = trace.messages.send_time, trace.messages.receive_time
        seen = (sent < view.window[1]) & (received > view.window[0])
        few = np.count_nonzero(seen) <= MESSAGES_SHOWN * trace.ranks
        changes["timeline"] = replace(
            state.timeline, tracks=(GPU_BUSY,), messages=bool(few)
        )
    if view.delay >= 0:
        changes |= changes_to_delay(replace(state, **changes), view.delay)
    return changes
