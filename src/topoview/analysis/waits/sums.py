"""Waiting in total: by kind, rank, pair, direction, statement, communicator, time."""

from collections.abc import Sequence

import numpy as np

from topoview.analysis.logical.iterations import iterations
from topoview.analysis.waits.states import (
    KIND_OF_OPERATION,
    collective_instances,
    completion_calls,
    lateness,
    waiting_calls,
)
from topoview.grouping import factorize
from topoview.model import (
    NO_WAIT,
    WAIT_SUMS,
    CallPositions,
    Identification,
    IdentifiedPart,
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
    enter = calls.enter[:last]
    late = np.maximum(lateness(trace, waits)[:last], 0)
    call = np.flatnonzero(waits.until[:last] >= 0)
    whom, kind = waits.whom[call], waits.kind[call].astype(np.int64)
    rank = np.searchsorted(offsets, call, side="right") - 1
    least, most = _bounds(trace, waits, call, rank)
    some = most > 0
    call, whom, kind, rank = call[some], whom[some], kind[some], rank[some]
    least, most = least[some], most[some]
    ticks = late[call]
    pairs, number = factorize(rank * ranks + whom)
    phases = [part for part in parts.parts if part.by == "phase"]
    toward = directions_of(logical, rank, whom)
    groups: dict[str, tuple[Ints | Indices, int]] = {
        "kind": (kind, NO_WAIT),
        "rank": (rank, ranks),
        "cause": (whom, ranks),
        "pair": (number, len(pairs)),
        "direction": (
            np.where(kind <= _RECEIVER, toward, -1),
            len(logical.partners.names),
        ),
        "statement": (logical.statement_of_call[call], logical.statements),
        "communicator": (waits.communicator[call], len(trace.communicators)),
        "phase": (_phases(phases, enter[call]), len(phases)),
        "iteration": (iterations(positions, call), 1),
    }

    def by(name: str, of: Ints = ticks) -> Ints:
        return _sums(groups[name][0], of, groups[name][1])

    def by_kind_and(who: Ints | Indices) -> Ints:
        return _sums(kind * ranks + who, ticks, NO_WAIT * ranks).reshape(-1, ranks)

    waited = ticks > 0
    sums = {name: by(name) for name in WAIT_SUMS}
    exact = trace.clock.alignment is None
    return WaitSums(
        suffered=by_kind_and(rank),
        held_up=by_kind_and(whom),
        pair_rank=(pairs // ranks).astype(np.int32),
        pair_whom=(pairs % ranks).astype(np.int32),
        pair_ticks=sums["pair"],
        pair_calls=np.bincount(number[waited], minlength=len(pairs)),
        directions=logical.partners.names,
        by_direction=sums["direction"],
        by_statement=sums["statement"],
        by_communicator=sums["communicator"],
        by_iteration=sums["iteration"],
        phases=tuple(part.name for part in phases),
        by_phase=sums["phase"],
        wrong_order=_wrong_order(
            trace, call[waited & (kind == _SENDER)], waits.until[:last], late
        ),
        completion=completion_times(trace),
        least=int(least.sum()),
        most=int(most.sum()),
        between={
            name: np.stack(2 * [own] if exact else [by(name, least), by(name, most)])
            for name, own in sums.items()
        },
    )


def _phases(phases: Sequence[IdentifiedPart], times: Ints) -> Ints:
    """Tell in which phase times are: the last one that has begun; -1 for none."""
    found = np.full(len(times), -1, np.int64)
    for number, part in enumerate(phases):
        found[(times >= part.begin) & (times <= part.end)] = number
    return found


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


def _wrong_order(trace: Trace, late_senders: Ints, sent: Ints, late: Ints) -> Ints:
    """Sum up by rank late senders for whom messages waited that had been sent earlier.

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
    rank = np.searchsorted(offsets, late_senders[wrong], side="right") - 1
    return _sums(rank, late[late_senders[wrong]], trace.ranks)


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


def _bounds(
    trace: Trace, waits: WaitStates, call: Ints, rank: Ints
) -> tuple[Ints, Ints]:
    """Tell between what each wait lies, if clocks are as far off as they may be."""
    calls, alignment = trace.calls, trace.clock.alignment
    wait = waits.until[call] - calls.enter[call]
    spent = np.maximum(calls.leave[call] - calls.enter[call], 0)
    if alignment is None:
        exact = np.clip(wait, 0, spent)
        return exact, exact
    half, whom = np.maximum(alignment.half_width, 0), waits.whom[call]
    error = np.where(rank == whom, 0, half[rank] + half[whom])
    return np.clip(wait - error, 0, spent), np.clip(wait + error, 0, spent)
