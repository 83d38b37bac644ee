"""Waiting in total: by kind, rank, pair, direction, statement, communicator, time."""

import numpy as np

from topoview.analysis.waits.delays import iterations
from topoview.analysis.waits.states import (
    KIND_OF_OPERATION,
    collective_instances,
    completion_calls,
    waiting_calls,
)
from topoview.grouping import factorize
from topoview.model import (
    NO_WAIT,
    CallPositions,
    Identification,
    Indices,
    Ints,
    LogicalTrace,
    Trace,
    WaitStates,
    WaitSums,
)
from topoview.progress import Report, silent

_SENDER, _RECEIVER, _BARRIER, _NXN = range(4)


def wait_sums(  # noqa: PLR0913
    trace: Trace,
    waits: WaitStates | None,
    logical: LogicalTrace,
    positions: CallPositions,
    parts: Identification,
    report: Report = silent,
) -> WaitSums | None:
    """Sum up the waiting of the ranks' main threads.

    Parameters
    ----------
    parts
        With the phases that were found.

    Returns
    -------
    WaitSums or None
        None if the clocks are not aligned.
    """
    if waits is None:
        return None
    report("adding up waits", 0.0)
    calls, ranks = trace.calls, trace.ranks
    offsets = calls.offsets[: ranks + 1]
    last = int(offsets[-1])
    until, enter, leave = waits.until[:last], calls.enter[:last], calls.leave[:last]
    late = np.minimum(until, leave) - enter
    call = np.flatnonzero((until >= 0) & (late > 0))
    ticks, whom = late[call], waits.whom[call]
    kind = waits.kind[call].astype(np.int64)
    rank = np.searchsorted(offsets, call, side="right") - 1
    pairs, number = factorize(rank * ranks + whom)
    between = kind <= _RECEIVER
    phases = [part for part in parts.parts if part.by == "phase"]
    return WaitSums(
        suffered=_sums(kind * ranks + rank, ticks, NO_WAIT * ranks).reshape(-1, ranks),
        held_up=_sums(whom, ticks, ranks),
        pair_rank=(pairs // ranks).astype(np.int32),
        pair_whom=(pairs % ranks).astype(np.int32),
        pair_ticks=_sums(number, ticks, len(pairs)),
        pair_calls=np.bincount(number, minlength=len(pairs)),
        directions=logical.partners.names,
        by_direction=_sums(
            directions_of(logical, rank[between], whom[between]),
            ticks[between],
            len(logical.partners.names),
        ),
        by_statement=_sums(logical.statement_of_call[call], ticks, logical.statements),
        by_communicator=_sums(
            waits.communicator[call], ticks, len(trace.communicators)
        ),
        by_iteration=_sums(iterations(positions, call), ticks, 1),
        phases=tuple(part.name for part in phases),
        by_phase=np.array(
            [
                ticks[(enter[call] >= part.begin) & (enter[call] <= part.end)].sum()
                for part in phases
            ],
            np.int64,
        ),
        wrong_order=_wrong_order(trace, call[kind == _SENDER], until, late),
        completion=completion_times(trace),
        **_bounds(trace, waits, last),
    )


def _sums(group: Ints | Indices, ticks: Ints, groups: int) -> Ints:
    """Sum up by group; -1 is none. Sums below 2^53 ticks are exact."""
    there = group >= 0
    return np.bincount(group[there], ticks[there], groups).astype(np.int64)


def directions_of(logical: LogicalTrace, rank: Ints, whom: Indices) -> Indices:
    """Tell in which direction a rank's partner lies: the first, if in several.

    Returns
    -------
    int32, shape (n,)
        Index into the names of `LogicalTrace.partners`; -1 for none.
    """
    partners = logical.partners
    ranks = len(partners.offsets) - 1
    owner = np.repeat(np.arange(ranks), np.diff(partners.offsets))
    key = owner * (ranks + 1) + partners.partner + 1
    order = np.argsort(key, kind="stable")
    wanted = rank * (ranks + 1) + whom + 1
    at = np.minimum(np.searchsorted(key[order], wanted), max(len(order) - 1, 0))
    if not len(order):
        return np.full(len(rank), -1, np.int32)
    there = key[order[at]] == wanted
    return np.where(there, partners.direction[order[at]], -1).astype(np.int32)


def _wrong_order(trace: Trace, late_senders: Ints, sent: Ints, late: Ints) -> int:
    """Sum up late senders for whom messages waited that had been sent earlier.

    Messages that the rank receives in later calls though they had been sent before
    the one that it waited for.
    """
    messages = trace.messages
    done = completion_calls(trace, waiting_calls(trace))
    known = (done >= 0) & (done < len(sent)) & (messages.send_call >= 0)
    never = np.iinfo(np.int64).max
    earliest = np.full(len(sent) + 1, never)
    np.minimum.at(earliest, done[known], trace.calls.enter[messages.send_call[known]])
    offsets = trace.calls.offsets[: trace.ranks + 1]
    for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        own = earliest[begin:end][::-1]
        np.minimum.accumulate(own, out=own)
    after = earliest[late_senders + 1]
    ends = np.isin(late_senders + 1, offsets)  # a rank's last call
    wrong = ~ends & (after < sent[late_senders])
    return int(late[late_senders[wrong]].sum())


def completion_times(trace: Trace) -> Ints:
    """Sum up the time in operations of all with all after the first rank left them.

    Scalasca's Barrier Completion and N x N Completion.

    Returns
    -------
    int64, shape (2,)
        Of barriers, and of the others, in ticks.
    """
    found = collective_instances(trace)
    if not len(found.parts):
        return np.zeros(2, np.int64)
    begins, sizes = found.starts[:-1], np.diff(found.starts)
    enter, leave = trace.calls.enter[found.call], trace.calls.leave[found.call]
    first = np.minimum.reduceat(leave, begins)
    all_there = np.maximum.reduceat(enter, begins)
    since = np.repeat(np.maximum(first, all_there), sizes)
    spent = np.maximum(leave - since, 0)
    kind = KIND_OF_OPERATION[trace.collectives.operation[found.parts]]
    return np.array([spent[kind == one].sum() for one in (_BARRIER, _NXN)], np.int64)


def _bounds(trace: Trace, waits: WaitStates, last: int) -> dict[str, int]:
    """Tell between what all waiting lies, if clocks are as far off as they may be."""
    calls, alignment = trace.calls, trace.clock.alignment
    until = waits.until[:last]
    call = np.flatnonzero(until >= 0)
    wait = until[call] - calls.enter[call]
    spent = calls.leave[call] - calls.enter[call]
    error = np.zeros(len(call), np.int64)
    if alignment is not None:
        half = np.maximum(alignment.half_width, 0)
        rank = np.searchsorted(calls.offsets, call, side="right") - 1
        whom = waits.whom[call]
        error = np.where(rank == whom, 0, half[rank] + half[whom])
    return {
        "least": int(np.clip(wait - error, 0, np.maximum(spent, 0)).sum()),
        "most": int(np.clip(wait + error, 0, np.maximum(spent, 0)).sum()),
    }
