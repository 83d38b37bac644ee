"""How long each row was in each state up to some of its intervals.

Two of these sums tell all between them: so a picture of any window looks at a few
intervals at each edge of its pixels, however many lie between. For previews the same
sums are there for ever fewer intervals. (Prefix sums; the levels are those of Chan,
Xiao, Shen, Chen 2008, Maintaining interactivity while exploring massive time series.)
"""

from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

import numba
import numpy as np

from topoview.model import Bools, Bytes, Ints, MPIState, Timeline, freeze
from topoview.progress import Report, portions, silent

EVERY: Final = 256
"""Intervals from one sum to the next one."""

COARSER: Final = 16
"""Sums of a level for one of the next level."""

FEW: Final = 1 << 14
"""Sums of the last level: so many are looked at for a preview of a whole run."""

LEAST: Final = 2
"""Sums that a row has at least if it has any."""

_LARGE: Final = 16
_WAIT: Final = np.uint8(MPIState.WAIT)
_SEND: Final = np.uint8(MPIState.SEND)
_ONE_SIDED: Final = np.uint8(MPIState.ONE_SIDED)


@dataclass(frozen=True, slots=True, eq=False)
class StateSums:
    """Sums of time by state in the rows of a timeline.

    Attributes
    ----------
    every
        Intervals from one sum of level 0 to the next.
    offsets : int64, shape (levels, rows + 1)
        Where the sums of each level and row are. The last of a row is at the begin of
        its last interval, the others at every `every`-th, or ever fewer, from the
        first on. Rows with few intervals have none.
    begin : int64, shape (sums,)
        Begin of the interval in ticks.
    ticks : int64, shape (sums, states)
        Time from the row's begin to there in each state.
    states : uint8, shape (states,)
        `MPIState` of the columns.
    """

    every: int
    offsets: Ints
    begin: Ints
    ticks: Ints
    states: Bytes

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What one look through a timeline finds.

    Attributes
    ----------
    longest
        Begin and length in ticks of the longest wait of a rank's main thread, the
        first of equals; -1 without any.
    communication
        Begin of their first communication and end of the last one; -1 without any.
    states
        Codes of the states that they are in, ascending.
    sums
        Sums of time by state.
    """

    longest: tuple[int, int]
    communication: tuple[int, int]
    states: tuple[int, ...]
    sums: StateSums


_KNOWN: WeakKeyDictionary[Timeline, StateSums] = WeakKeyDictionary()


def remember_sums(timeline: Timeline, sums: StateSums) -> None:
    """Have pictures of a timeline made from its sums."""
    _KNOWN[timeline] = sums


def sums_of(timeline: Timeline) -> StateSums | None:
    """Give the sums of a timeline if they are known."""
    return _KNOWN.get(timeline)


def look_through(
    timeline: Timeline,
    ranks: int,
    report: Report = silent,
    *,
    every: int = EVERY,
    few: int = FEW,
) -> Found:
    """Look through all intervals once.

    Parameters
    ----------
    ranks
        Rows that are main threads: the first ones.
    every
        As in `StateSums`.
    few
        Sums of the last level, at most, unless each row has few.

    Raises
    ------
    Cancelled
        From `report`.
    """
    counts = np.diff(timeline.offsets)
    sums = np.where(counts >= LEAST * every, -(-counts // every) + 1, 0)
    offsets = np.append(0, np.cumsum(sums)).astype(np.int64)
    begin = np.zeros(offsets[-1], np.int64)
    ticks = np.zeros((offsets[-1], len(MPIState)), np.int64)
    seen = np.zeros((2, len(MPIState)), np.bool_)
    extremes = np.full(4, -1, np.int64)
    columns = timeline.offsets, timeline.time, timeline.state
    for some in portions(len(timeline.time), report, "looking for waits", scale=_LARGE):
        part = some.start, some.stop
        _add_up(*columns, part, ranks, every, offsets, begin, ticks, seen, extremes)
    _cumulate(offsets, ticks)
    states = np.flatnonzero(seen.any(axis=0)).astype(np.uint8)
    ticks = ticks[:, states]
    longest, length, first, last = extremes.tolist()
    return Found(
        (longest, length),
        (first, last),
        tuple(np.flatnonzero(seen[0]).tolist()),
        _levels(every, few, offsets, begin, ticks, states),
    )


@numba.njit(nogil=True, cache=True)
def _add_up(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    state: Bytes,
    part: tuple[int, int],
    ranks: int,
    every: int,
    places: Ints,
    begin: Ints,
    ticks: Ints,
    seen: Bools,
    extremes: Ints,
) -> None:
    """Add up the time between sums, and look for extremes, in a part of a timeline."""
    row = np.searchsorted(offsets, part[0], side="right") - 1
    at = part[0]
    while at < part[1]:
        first, stop = offsets[row], offsets[row + 1]
        place, many = places[row], places[row + 1] > places[row]
        main = row < ranks
        for i in range(at, min(stop, part[1])):
            code = state[i]
            length = time[i + 1] - time[i] if i + 1 < stop else 0
            if many:
                own = place + (i - first) // every
                if (i - first) % every == 0:
                    begin[own] = time[i]
                ticks[own, code] += length
            seen[0 if main else 1, code] = True
            if not main:
                continue
            if code == _WAIT and length > extremes[1]:
                extremes[0], extremes[1] = time[i], length
            if _SEND <= code <= _ONE_SIDED:
                if extremes[2] < 0 or time[i] < extremes[2]:
                    extremes[2] = time[i]
                extremes[3] = max(extremes[3], time[i] + length)
        if many and stop <= part[1]:
            begin[places[row + 1] - 1] = time[stop - 1]
        at = stop
        row += 1


@numba.njit(nogil=True, cache=True)
def _cumulate(offsets: Ints, ticks: Ints) -> None:
    """Turn time from each sum to the next into time from the row's begin."""
    total = np.zeros(ticks.shape[1], np.int64)
    for row in range(len(offsets) - 1):
        total[:] = 0
        for place in range(offsets[row], offsets[row + 1]):
            for code in range(len(total)):
                length = ticks[place, code]
                ticks[place, code] = total[code]
                total[code] += length


def _levels(  # noqa: PLR0913
    every: int, few: int, offsets: Ints, begin: Ints, ticks: Ints, states: Bytes
) -> StateSums:
    """Put levels of ever fewer sums before all of them: those previews look at."""
    levels = [(offsets, begin, ticks)]
    while len(levels[-1][1]) > few:
        old = levels[-1][0]
        sums = np.diff(old)
        # Of each row one of `COARSER` sums, and the last one, that of its end.
        kept = np.where(sums > 0, -(-(sums - 1) // COARSER) + 1, 0)
        new = np.append(0, np.cumsum(kept)).astype(np.int64)
        if 2 * new[-1] > old[-1]:
            break
        places = _thinned(old, new)
        levels.append((new, levels[-1][1][places], levels[-1][2][places]))
    sizes = np.array([len(level[1]) for level in levels])
    before = sizes[::-1].cumsum()[::-1] - sizes
    return StateSums(
        every,
        np.array(
            [level[0] + shift for level, shift in zip(levels, before, strict=True)]
        ),
        np.concatenate([level[1] for level in levels[::-1]]),
        np.concatenate([level[2] for level in levels[::-1]]),
        states,
    )


@numba.njit(nogil=True, cache=True)
def _thinned(old: Ints, new: Ints) -> Ints:
    """Places in a level of the sums of the next one."""
    found = np.empty(new[-1], np.int64)
    for row in range(len(old) - 1):
        count = new[row + 1] - new[row]
        for k in range(count - 1):
            found[new[row] + k] = old[row] + k * COARSER
        if count:
            found[new[row + 1] - 1] = old[row + 1] - 1
    return found
