"""Waiting in total: by kind, rank, pair, direction, statement, communicator, time."""

from collections.abc import Sequence

import numpy as np

from topoview.analysis.logical.iterations import iterations
from topoview.analysis.waits.collective_times import KIND_OF_OPERATION
from topoview.analysis.waits.instances import collective_instances
from topoview.analysis.waits.states import (
    bounds,
    completion_calls,
    lateness,
)
from topoview.analysis.waits.windows import pending_transfers
from topoview.base.kernels import kernel
from topoview.base.progress import Report, silent
from topoview.grouping import factorize
from topoview.model import (
    NO_WAIT,
    WAIT_KINDS,
    WAIT_SUMS,
    WAITS_FOR_ONE,
    Bytes,
    CallPositions,
    Identification,
    IdentifiedPart,
    Indices,
    Ints,
    LogicalTrace,
    Trace,
    WaitStates,
    WaitSums,
    places_among,
    readonly,
)

_SENDER, _, _BARRIER, _NXN = range(4)

_FOR_ONE = np.array([kind in WAITS_FOR_ONE for kind in WAIT_KINDS])

_FENCE, _EARLY_WAIT = map(WAIT_KINDS.index, ("wait_at_fence", "early_wait"))


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
    call = np.flatnonzero(waits.until[:last] >= 0)
    whom, kind = waits.whom[call], waits.kind[call].astype(np.int64)
    rank = np.searchsorted(offsets, call, side="right") - 1
    least, most = bounds(trace, waits, call, rank)
    some = most > 0
    call, whom, kind, rank = call[some], whom[some], kind[some], rank[some]
    least, most = least[some], most[some]
    ticks, enter = np.maximum(lateness(trace, waits, call), 0), calls.enter[call]
    pairs, number = factorize(rank * ranks + whom)
    phases = [part for part in parts.parts if part.by == "phase"]
    toward = directions_of(logical, rank, whom)
    groups: dict[str, tuple[Ints | Indices, int]] = {
        "kind": (kind, NO_WAIT),
        "rank": (rank, ranks),
        "cause": (whom, ranks),
        "pair": (number, len(pairs)),
        "direction": (
            np.where(_FOR_ONE[kind], toward, -1),
            len(logical.partners.names),
        ),
        "statement": (logical.statement_of_call[call], logical.statements),
        "communicator": (waits.communicator[call], len(trace.communicators)),
        "phase": (_phases(phases, enter), len(phases)),
        "iteration": (iterations(positions, call), 1),
    }

    def by(name: str, of: Ints = ticks) -> Ints:
        return _sums(groups[name][0], of, groups[name][1])

    def by_kind_and(who: Ints | Indices) -> Ints:
        return _sums(kind * ranks + who, ticks, NO_WAIT * ranks).reshape(-1, ranks)

    waited = ticks > 0
    suffered = by_kind_and(rank)
    of_transfers = _transfer_waits(trace, call, kind, rank, ticks)
    sums = {name: by(name) for name in WAIT_SUMS}
    exact = trace.clock.alignment is None
    return WaitSums(
        suffered=suffered,
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
            trace, waits, *(part[waited & (kind == _SENDER)] for part in (call, ticks))
        ),
        completion=completion_times(trace),
        early_fence=of_transfers[0],
        late_complete=suffered[_EARLY_WAIT] - of_transfers[1],
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
    at = places_among(key[order], wanted)
    found = np.full(len(rank), -1, np.int32)
    found[at >= 0] = partners.direction[order[at[at >= 0]]]
    return found


def _transfer_waits(
    trace: Trace, call: Ints, kind: Ints, rank: Ints, ticks: Ints
) -> Ints:
    """Sum up waits at fences, and early waits, while there still were transfers.

    Returns
    -------
    int64, shape (2, ranks)
        By rank that waited.
    """
    ending, through = pending_transfers(trace)
    at = places_among(call, ending)
    ending, through, at = ending[at >= 0], through[at >= 0], at[at >= 0]
    spent = np.clip(through - trace.calls.enter[ending], 0, ticks[at])
    return np.stack(
        [
            _sums(np.where(kind[at] == one, rank[at], -1), spent, trace.ranks)
            for one in (_FENCE, _EARLY_WAIT)
        ]
    )


def _wrong_order(trace: Trace, waits: WaitStates, late: Ints, ticks: Ints) -> Ints:
    """Sum up late senders for whom messages waited that had been sent earlier.

    Messages that the rank receives in later calls though they had been sent before
    the one that it waited for.

    Parameters
    ----------
    late, ticks : int64, shape (n,)
        Calls that waited for a sender, and how long.

    Returns
    -------
    int64, shape (2, ranks)
        By rank: such messages are from other ranks only, or one is from the same one.
    """
    messages = trace.messages
    offsets = trace.calls.offsets[: trace.ranks + 1]
    source = _waiting_messages(
        *map(readonly, (offsets, trace.calls.enter, late, waits.until, waits.cause)),
        *map(readonly, (messages.send_call, completion_calls(trace))),
        readonly(messages.sender, np.int32),
        readonly(messages.receiver, np.int32),
    )
    rank = np.searchsorted(offsets, late, side="right") - 1
    return np.stack(
        [_sums(np.where(source == k, rank, -1), ticks, trace.ranks) for k in (1, 2)]
    )


@kernel
def _waiting_messages(  # noqa: PLR0913
    offsets: Ints,
    enter: Ints,
    late: Ints,
    until: Ints,
    cause: Ints,
    send: Ints,
    done: Ints,
    sender: Indices,
    receiver: Indices,
) -> Bytes:
    """Tell of calls that wait for a sender whether messages lie there that come later.

    0: none; 1: of other ranks; 2: of that sender.
    """
    calls, never = offsets[-1], np.iinfo(np.int64).max
    found = np.zeros(len(late), np.uint8)
    earliest = np.full(calls, never)  # that the call, and then the rest, receives
    last, of = np.full(len(offsets) - 1, -1), np.full(len(offsets) - 1, -1)
    overtaken = np.full(calls, False)
    for m in range(len(send)):
        call = done[m]
        if send[m] < 0 or not 0 <= call < calls:
            continue
        earliest[call] = min(earliest[call], enter[send[m]])
        to = receiver[m]
        if of[to] != sender[m]:  # messages are in order of the calls that send
            of[to], last[to] = sender[m], -1
        if cause[call] == send[m] and last[to] > call:
            overtaken[call] = True
        last[to] = max(last[to], call)
    k = len(late) - 1
    for rank in range(len(offsets) - 2, -1, -1):
        least = never
        for call in range(offsets[rank + 1] - 1, offsets[rank] - 1, -1):
            if k >= 0 and late[k] == call:
                if least < until[call]:
                    found[k] = 2 if overtaken[call] else 1
                k -= 1
            least = min(least, earliest[call])
    return found


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
