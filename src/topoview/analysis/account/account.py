"""Which class of time each tick of each location is in.

A call that waits for another rank does so from its begin until the last of what it
needs could go on (`topoview.analysis.waits.states`); what is left of it is transfer
and overhead. Böhme, Geimer, Wolf and Arnold 2010, Identifying the root causes of wait
states in large-scale parallel applications, tell waiting from the rest of a call so.
The classes are those of `topoview.model.times.account`.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from topoview.analysis.account import kernels
from topoview.analysis.waits.states import receives_of
from topoview.base.progress import Report, silent
from topoview.model import (
    AS_SHOWN,
    CLASSES,
    FIRST_WAIT,
    STATE_OF_CLASS,
    Account,
    Bytes,
    DeducedEnds,
    Indices,
    Ints,
    Part,
    Timeline,
    TimeState,
    WaitStates,
    distinct,
    elements,
)

ELEMENTS_AT_ONCE: Final = 1 << 22
"""Intervals and calls whose classes are found at once, unless one row has more."""

_ACCOUNTING: Final = "accounting for time"
_FOR_EVER: Final = np.iinfo(np.int64).max
_NO_SPANS: Final = np.zeros((0, 2), np.int64)


class _Classes(NamedTuple):
    """What the calls of some rows say of their time."""

    until: Ints
    """int64, shape (calls,): when each stops waiting, -1 where it does not wait."""
    waiting: Bytes
    """uint8, shape (calls,): class in which it waits."""
    rest: Bytes
    """uint8, shape (calls,): class of it else."""


def account(
    part: Part,
    waits: WaitStates | None,
    deduced: DeducedEnds,
    report: Report = silent,
) -> Account:
    """Put the time of some ranks in classes, joined to states.

    Parameters
    ----------
    waits
        For whom the part's calls waited; None: that is not known, and no class is
        waiting for another rank.

    Returns
    -------
    Account
        Its timeline has no intervals in rows of other ranks.

    Raises
    ------
    Cancelled
        From `report`.
    """
    return account_and_ticks(part, waits, deduced, _NO_SPANS, report).account


ClassTicks = tuple[Bytes, Ints]
"""As `class_ticks` returns it."""


class AccountOfPart(NamedTuple):
    """Classes of the time of some ranks, and what is in some spans."""

    account: Account
    ticks: list[ClassTicks]
    """Of each span by itself."""


def account_and_ticks(
    part: Part,
    waits: WaitStates | None,
    deduced: DeducedEnds,
    spans: Ints,
    report: Report = silent,
) -> AccountOfPart:
    """Put the time of some ranks in classes: see `account`, and `class_ticks`."""
    line, size = part.trace.timeline, np.zeros(part.trace.timeline.rows, np.int64)
    time, state, region = [line.time[:0]], [line.state[:0]], [line.region[:0]]
    ticks: list[list[_Ticks]] = [[] for _ in spans]
    for rows, columns in _classified(part, waits, deduced, spans, report, write=True):
        for number, of_span in enumerate(ticks):
            of_span.append(_ticks_used(rows, columns[0][:, number : number + 1]))
        size[rows] = columns[1]
        time.append(columns[2])
        state.append(columns[3])
        region.append(columns[4])
    intervals = Timeline(
        offsets=np.append(0, np.cumsum(size)),
        time=np.concatenate(time),
        state=np.concatenate(state),
        region=np.concatenate(region),
    )
    of_spans = [_join_ticks(own, 1, line.rows) for own in ticks]
    return AccountOfPart(Account(intervals), of_spans)


def class_ticks(
    part: Part,
    waits: WaitStates | None,
    deduced: DeducedEnds | None,
    spans: Ints,
    report: Report = silent,
) -> ClassTicks:
    """Sum up the time that each location of some ranks spends in each class.

    Parameters
    ----------
    deduced
        None: the timeline has the states of an account. What ended before all spans,
        or begins behind them, is passed over.
    spans : int64, shape (spans, 2)
        Begin and end of each, in ticks.

    Returns
    -------
    classes : uint8, shape (classes,)
        Those that there are, ascending.
    ticks : int64, shape (spans, rows, classes)
        Rows of other ranks have zeros; of those of the part classes sum to the span.
    """
    spans = np.ascontiguousarray(spans, np.int64)
    pieces = [
        _ticks_used(rows, columns[0])
        for rows, columns in _classified(
            part, waits, deduced, spans, report, write=False
        )
    ]
    return _join_ticks(pieces, len(spans), part.trace.timeline.rows)


_Ticks = tuple[slice, Ints, Ints]
"""Rows, classes that occur in them, and the ticks of these, row by row and by span."""


def _ticks_used(rows: slice, ticks: Ints) -> _Ticks:
    """Leave out classes that do not occur in some rows."""
    used = np.flatnonzero(ticks.any(axis=(0, 1)))
    return rows, used, ticks[:, :, used]


def _join_ticks(pieces: Sequence[_Ticks], spans: int, rows: int) -> ClassTicks:
    """Join the ticks of some rows."""
    classes = distinct(np.concatenate([np.zeros(0, np.int64), *(p[1] for p in pieces)]))
    result = np.zeros((spans, rows, len(classes)), np.int64)
    for some, used, ticks in pieces:
        columns = np.searchsorted(classes, used)
        result[:, some, columns] = ticks.transpose(1, 0, 2)
    return classes.astype(np.uint8), result


def _classified(  # noqa: PLR0913
    part: Part,
    waits: WaitStates | None,
    deduced: DeducedEnds | None,
    spans: Ints,
    report: Report,
    *,
    write: bool,
) -> Iterator[tuple[slice, tuple[Ints, Ints, Ints, Bytes, Indices]]]:
    """Iterate over a part's rows, with what `kernels.account_rows` finds of them."""
    line, calls = part.trace.timeline, part.trace.calls
    classes, before = _classes_of_calls(part, waits, deduced), 0
    for stretch in part.rows:
        for rows in _row_batches(stretch, line.offsets, calls.offsets):
            report(_ACCOUNTING, rows.start / max(line.rows, 1))
            number = elements(rows, calls.offsets)
            own = slice(before, before + number.stop - number.start)
            before = own.stop
            until, waiting, rest = (
                classes.until[own],
                classes.waiting[own],
                classes.rest[own],
            )
            yield (
                rows,
                kernels.account_rows(
                    (rows.start, rows.stop),
                    line.offsets,
                    line.time,
                    line.state,
                    line.region,
                    calls.offsets,
                    calls.enter,
                    calls.leave,
                    until,
                    waiting,
                    rest,
                    STATE_OF_CLASS,
                    spans,
                    write,
                ),
            )


def _row_batches(rows: slice, *offsets: Ints) -> Iterator[slice]:
    """Cut rows into stretches that have few elements each, and are few themselves."""
    sizes = np.arange(rows.stop - rows.start + 1) * CLASSES
    for one in offsets:
        sizes += one[rows.start : rows.stop + 1]
    first, last = 0, 0
    while first < rows.stop - rows.start:
        end = np.searchsorted(sizes, sizes[first] + ELEMENTS_AT_ONCE, side="right")
        last = min(max(int(end) - 1, first + 1), rows.stop - rows.start)
        yield slice(rows.start + first, rows.start + last)
        first = last


def _classes_of_calls(
    part: Part, waits: WaitStates | None, deduced: DeducedEnds | None
) -> _Classes:
    """Find the classes of a part's calls."""
    if deduced is None:
        rest = np.full(part.size, AS_SHOWN, np.uint8)
    else:
        rest = _without_waiting(part, deduced)
    if waits is None:
        until = np.full(len(rest), -1, np.int64)
        waiting = np.zeros(len(rest), np.uint8)
    else:
        until = part.column(waits.until).copy()
        waiting = part.column(waits.kind) + np.uint8(FIRST_WAIT)
    hanging = part.places(part.trace.never_left)
    hanging = hanging[hanging >= 0]
    until[hanging], waiting[hanging] = _FOR_EVER, TimeState.NEVER_COMPLETED
    return _Classes(until, waiting, rest)


def _without_waiting(part: Part, deduced: DeducedEnds) -> Bytes:
    """Find the class of each call of a part when it does not wait."""
    state = part.trace.regions.state[part.column(part.trace.calls.region)]
    # What completes requests is receiving if it completes a receive, else sending.
    completes = state == TimeState.WAIT
    rest: Bytes = np.where(completes, np.uint8(TimeState.SEND), state)
    if completes.any():
        for _, done in receives_of(part, deduced):
            received = done[done >= 0]
            rest[received[completes[received]]] = TimeState.RECEIVE
    return rest
