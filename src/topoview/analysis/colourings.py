"""What the colour of a rank can mean beside its MPI state: a table of functions.

The window lists the table before anything is read: compiled code is imported
when it is needed.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from topoview.analysis.logical_colourings import chosen_time, iteration, progress
from topoview.analysis.moment import calls_at, moment
from topoview.analysis.pipeline import Analysis
from topoview.analysis.rank_groups import communicators, nodes, symmetry
from topoview.analysis.wanted import NOTHING, Wanted
from topoview.model import Floats, Ints, MPIState, RankValues

STATE = "state"
"""The colouring that is no number: by MPI state."""


WAITING = (
    MPIState.SEND,
    MPIState.RECEIVE,
    MPIState.WAIT,
    MPIState.COLLECTIVE,
    MPIState.BARRIER,
)
"""States in which a rank may stand still for others."""

IN_MPI = tuple(s for s in MPIState if s not in (MPIState.OUTSIDE, MPIState.COMPUTE))

SPAN = 1000.0
"""From the shortest time that has a colour of its own to the longest."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What colours are asked for: of which analysis, when, and over which window.

    `longest_wait` is that of the run, in ticks; `wanted` are the calls that are
    selected, and `loop` is the number of the selected loop, -1 if none is.
    """

    known: Analysis
    time: int
    window: tuple[int, int]
    longest_wait: int = 0
    wanted: Wanted = NOTHING
    loop: int = -1


@dataclass(frozen=True, slots=True)
class Colouring:
    """A row of the table.

    Attributes
    ----------
    text
        What it is called in menus and keys.
    over
        Whether it follows the ``time``, the ``window``, or neither (``run``).
    values
        Finds the numbers.
    given
        Whether an analysis has what they are made of.
    selects
        Whether it follows the selected calls or loop.
    """

    text: str
    over: str
    values: Callable[[Asked], RankValues]
    given: Callable[[Analysis], bool]
    selects: bool = False


def _call_progress(asked: Asked) -> RankValues:
    trace = asked.known.trace
    call, inside = calls_at(trace, asked.time)
    enter, leave = trace.calls.enter[call[inside]], trace.calls.leave[call[inside]]
    values = np.full(trace.ranks, np.nan)
    values[inside] = (asked.time - enter) / (leave - enter)
    return RankValues(values, unit="%", none="in no MPI call")


def _calls_done(asked: Asked) -> RankValues:
    trace = asked.known.trace
    call, inside = calls_at(trace, asked.time)
    done = (call - trace.calls.offsets[: trace.ranks] + 1 - inside).astype(np.float64)
    return _spanned(done)


def _wait_so_far(asked: Asked) -> RankValues:
    trace = asked.known.trace
    now = moment(trace, asked.time)
    second = 1.0 / trace.clock.resolution
    values = np.asarray((asked.time - now.since) * second, np.float64)
    values = np.where(np.isin(now.state, WAITING), values, np.nan)
    return _times(values, asked.longest_wait * second, "not waiting")


def _since_change(asked: Asked) -> RankValues:
    trace = asked.known.trace
    now = moment(trace, asked.time)
    second = 1.0 / trace.clock.resolution
    values = np.asarray((asked.time - now.since) * second, np.float64)
    values = np.where(now.state == MPIState.OUTSIDE, np.nan, values)
    begin, end = asked.window
    return _times(values, (end - begin) * second, "outside")


def _times(values: Floats, longest: float, none: str) -> RankValues:
    high = max(longest, 1e-9)
    return RankValues(values, high / SPAN, high, "s", log=True, none=none)


def _share_of(states: tuple[MPIState, ...]) -> Callable[[Asked], RankValues]:
    def values(asked: Asked) -> RankValues:
        from topoview.analysis.shares import state_ticks

        ticks = state_ticks(asked.known.trace, asked.window)
        return RankValues(_share(ticks, states), unit="%", none="outside")

    return values


def _share(ticks: Ints, states: tuple[MPIState, ...]) -> Floats:
    """Time in some states of all the time that was recorded."""
    recorded = ticks.sum(axis=1) - ticks[:, MPIState.OUTSIDE]
    with np.errstate(invalid="ignore"):
        found: Floats = ticks[:, list(states)].sum(axis=1) / recorded
    return found


def _against_neighbours(asked: Asked) -> RankValues:
    """Take the waiting of a rank less that of its neighbours on the average."""
    from topoview.analysis.shares import state_ticks

    matrix = asked.known.matrix
    assert matrix is not None
    share = np.nan_to_num(_share(state_ticks(asked.known.trace, asked.window), WAITING))
    links = matrix.calls.astype(bool).astype(np.float64)
    links = links.maximum(links.T)
    links.setdiag(0)
    count = links.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(count > 0, share - links @ share / count, np.nan)
    most = float(np.nanmax(np.abs(values), initial=0.01))
    return RankValues(values, -most, most, "%", middle=True, none="no neighbours")


def _calls(asked: Asked) -> RankValues:
    assert asked.known.profile is not None
    return _spanned(asked.known.profile.calls.sum(axis=1))


def _traffic(axis: int) -> Callable[[Asked], RankValues]:
    def values(asked: Asked) -> RankValues:
        assert asked.known.matrix is not None
        return _spanned(asked.known.matrix.volume.sum(axis=axis), unit="B")

    return values


def _spanned(numbers: Ints | Floats, unit: str = "") -> RankValues:
    values = np.asarray(numbers, np.float64)
    low = float(values.min(initial=np.inf)) if len(values) else 0.0
    return RankValues(values, low, float(values.max(initial=low)), unit)


def _always(known: Analysis) -> bool:
    del known
    return True


def _has_calls(known: Analysis) -> bool:
    return bool(known.trace.calls.offsets[known.trace.ranks])


def _has_positions(known: Analysis) -> bool:
    return known.positions is not None


def _has_messages(known: Analysis) -> bool:
    return known.matrix is not None and known.matrix.calls.nnz > 0


def _has_profile(known: Analysis) -> bool:
    return known.profile is not None


def _has_nodes(known: Analysis) -> bool:
    return any(place.node for place in known.trace.locations)


def _has_parts(known: Analysis) -> bool:
    trace = known.trace
    return any(1 < len(c.ranks) < trace.ranks for c in trace.communicators)


COLOURINGS: dict[str, Colouring] = {
    "call": Colouring("Progress in the MPI call", "time", _call_progress, _has_calls),
    "done": Colouring("MPI calls done", "time", _calls_done, _has_calls),
    "progress": Colouring(
        "Progress in the logical trace", "time", progress, _has_positions
    ),
    "iteration": Colouring(
        "Iteration of the selected loop",
        "time",
        iteration,
        _has_positions,
        selects=True,
    ),
    "chosen": Colouring(
        "Time in the selected calls", "window", chosen_time, _has_calls, selects=True
    ),
    "wait": Colouring("Wait so far", "time", _wait_so_far, _has_calls),
    "change": Colouring("Time since the last change", "time", _since_change, _always),
    "mpi": Colouring("MPI in the window", "window", _share_of(IN_MPI), _always),
    "waiting": Colouring(
        "Waiting in the window", "window", _share_of(WAITING), _has_calls
    ),
    "neighbours": Colouring(
        "Waiting against the neighbours", "window", _against_neighbours, _has_messages
    ),
    "calls": Colouring("MPI calls of the run", "run", _calls, _has_profile),
    "sent": Colouring("Bytes sent", "run", _traffic(1), _has_messages),
    "received": Colouring("Bytes received", "run", _traffic(0), _has_messages),
    "node": Colouring("Node", "run", nodes, _has_nodes),
    "communicator": Colouring("Communicator", "run", communicators, _has_parts),
    "symmetry": Colouring("Symmetry class", "run", symmetry, _has_messages),
}
"""Every colouring but `STATE`. To add one is to write a function and a line here."""


def offered(known: Analysis) -> tuple[str, ...]:
    """Names of the colourings that an analysis has numbers for, `STATE` first."""
    return (STATE, *(name for name, row in COLOURINGS.items() if row.given(known)))


class Values:
    """Finds the numbers of a colouring, and keeps what does not change with time."""

    def __init__(self) -> None:
        self._kept: tuple[tuple[object, ...], RankValues] | None = None
        self._longest: tuple[Analysis, int] | None = None

    def of(self, name: str, asked: Asked) -> RankValues | None:
        """Numbers of a colouring; None for `STATE`, and where they are not known."""
        row = COLOURINGS.get(name)
        if row is None or not row.given(asked.known):
            return None
        if row.over == "time":
            return row.values(replace(asked, longest_wait=self._wait(asked.known)))
        window = asked.window if row.over == "window" else None
        chosen = (asked.wanted, asked.loop) if row.selects else None
        key = (name, asked.known, window, chosen)
        if self._kept is None or self._kept[0] != key:
            self._kept = (key, row.values(asked))
        return self._kept[1]

    def _wait(self, known: Analysis) -> int:
        if self._longest is None or self._longest[0].trace is not known.trace:
            from topoview.analysis.shares import longest_ticks

            self._longest = (known, longest_ticks(known.trace, WAITING))
        return self._longest[1]
