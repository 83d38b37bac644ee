"""Waiting in total: by kind, rank, pair, direction, statement, communicator, time."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from topoview.analysis.logical.iterations import iterations
from topoview.analysis.waits import kernels
from topoview.analysis.waits.operations.collective_times import whole_operations
from topoview.analysis.waits.states import bounds, lateness, receives_of
from topoview.base.progress import Report, silent
from topoview.grouping import factorize
from topoview.model import (
    NO_WAIT,
    WAIT_KINDS,
    WAIT_SUMS,
    WAITS_FOR_ONE,
    CallPositions,
    CollectiveTimes,
    DeducedEnds,
    Identification,
    IdentifiedPart,
    Indices,
    Ints,
    LogicalTrace,
    Overview,
    Part,
    Plan,
    Regions,
    Trace,
    WaitStates,
    WaitSums,
    WindowWaits,
    places_among,
    readonly,
)

_SENDER, _, _BARRIER, _NXN = range(4)

_FOR_ONE = np.array([kind in WAITS_FOR_ONE for kind in WAIT_KINDS])

_FENCE, _EARLY_WAIT = map(WAIT_KINDS.index, ("wait_at_fence", "early_wait"))


def wait_sums(  # noqa: PLR0913
    part: Part,
    waits: WaitStates | None,
    logical: LogicalTrace,
    positions: CallPositions,
    parts: Identification,
    times: CollectiveTimes,
    deduced: DeducedEnds,
    on_windows: WindowWaits,
    overview: Overview | None,
    report: Report = silent,
    *,
    window: tuple[int, int] | None = None,
    some_ranks: Sequence[int] = (),
) -> WaitSums | None:
    """Sum up the waiting of all threads of a part's ranks in a stretch of time.

    Parameters
    ----------
    parts
        With the phases that were found.
    window
        Begin and end in ticks: waits count as far as they are in it; None: the
        exchange of the overview.
    some_ranks
        Only the waiting of these; empty: of all.

    Returns
    -------
    WaitSums or None
        None if the clocks are not aligned.
    """
    if window is None:
        assert overview is not None
        window = overview.exchange
    if waits is None:
        return None
    report("adding up waits", 0.0)
    trace = part.trace
    calls, ranks = trace.calls, trace.ranks
    # Threads beside the ranks wait as well: calls of all rows of the part count.
    call = np.concatenate(
        [np.zeros(0, np.int64)]
        + [own.start + np.flatnonzero(waits.until[own] >= 0) for own in part.calls]
    )
    whom, kind = waits.whom[call], waits.kind[call].astype(np.int64)
    rank = trace.ranks_of_calls(call)
    enter = calls.enter[call]
    least, most = bounds(trace, waits, call, rank, window)
    # What cannot have waited in the window, whatever the clocks' error, goes first.
    some = most > 0
    if some_ranks:
        some &= np.isin(rank, some_ranks)
    call, whom, kind, rank = call[some], whom[some], kind[some], rank[some]
    least, most, enter = least[some], most[some], enter[some]
    ticks = lateness(trace, waits, call, window)
    pairs, number = factorize(rank * ranks + whom)
    phases = [part for part in parts.parts if part.by == "phase"]
    toward = directions_of(logical, rank, whom)
    spans = () if parts.plan is None else parts.plan.spans
    # One row a kind of sum: a number for each wait, -1 for none, and how many there
    # are.
    groups: dict[str, tuple[Ints | Indices, int]] = {
        "kind": (kind, NO_WAIT),
        "rank": (rank, ranks),
        "waited_for": (whom, ranks),
        "pair": (number, len(pairs)),
        "direction": (
            np.where(_FOR_ONE[kind], toward, -1),
            len(logical.partners.names),
        ),
        "statement": (logical.statement_of_call[call], logical.statements),
        "communicator": (waits.communicator[call], len(trace.communicators)),
        "axis": (
            np.where(
                _FOR_ONE[kind],
                _between(parts.plan, rank, whom),
                _within(parts.plan, trace, waits.communicator[call]),
            ),
            len(spans),
        ),
        "phase": (_phases(phases, enter), len(phases)),
        "iteration": (iterations(positions, call), 1),
    }

    def by(name: str, of: Ints = ticks) -> Ints:
        return _sums(groups[name][0], of, groups[name][1])

    def by_kind_and(who: Ints | Indices) -> Ints:
        return _sums(kind * ranks + who, ticks, NO_WAIT * ranks).reshape(-1, ranks)

    waited, in_main = ticks > 0, call < calls.offsets[ranks]
    suffered = by_kind_and(rank)
    of_transfers = _transfer_waits(
        trace, on_windows, call, kind, rank, ticks, window[0]
    )
    sums = {name: by(name) for name in WAIT_SUMS}
    exact = trace.clock.alignment is None
    # Exact clocks leave nothing open: both bounds are the sum itself.
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
        axes=spans,
        by_axis=sums["axis"],
        by_iteration=sums["iteration"],
        phases=tuple(part.name for part in phases),
        by_phase=sums["phase"],
        wrong_order=_wrong_order(
            part,
            waits,
            deduced,
            *(column[waited & in_main & (kind == _SENDER)] for column in (call, ticks)),
        ),
        completion=completion_times(part, times, window, some_ranks),
        early_fence=of_transfers[0],
        late_complete=suffered[_EARLY_WAIT] - of_transfers[1],
        least=int(least.sum()),
        most=int(most.sum()),
        between={
            name: np.stack(2 * [own] if exact else [by(name, least), by(name, most)])
            for name, own in sums.items()
        },
    )


def added_sums(parts: Sequence[WaitSums | None], _regions: Regions) -> WaitSums | None:
    """Add up the sums of parts of a trace."""
    some = [one for one in parts if one is not None]
    if not some:
        return None
    ranks = some[0].suffered.shape[1]
    codes = [one.pair_rank.astype(np.int64) * ranks + one.pair_whom for one in some]
    pairs, number = factorize(np.concatenate(codes))

    def of_pairs(columns: Sequence[Ints]) -> Ints:
        return _sums(number, np.concatenate(columns), len(pairs))

    def between(name: str) -> Ints:
        columns = [one.between[name] for one in some]
        if name == "pair":
            return np.stack([of_pairs([one[k] for one in columns]) for k in range(2)])
        return _added(columns)

    added: dict[str, Any] = {
        name: _added([getattr(one, name) for one in some]) for name in _ADDED
    }
    return replace(
        some[0],
        **added,
        least=sum(one.least for one in some),
        most=sum(one.most for one in some),
        pair_rank=(pairs // ranks).astype(np.int32),
        pair_whom=(pairs % ranks).astype(np.int32),
        pair_ticks=of_pairs([one.pair_ticks for one in some]),
        pair_calls=of_pairs([one.pair_calls for one in some]),
        between={name: between(name) for name in some[0].between},
    )


_ADDED: Final = (
    "suffered",
    "held_up",
    "by_direction",
    "by_statement",
    "by_communicator",
    "by_axis",
    "by_iteration",
    "by_phase",
    "wrong_order",
    "completion",
    "early_fence",
    "late_complete",
)
"""Fields of `WaitSums` that are added up."""


def _added(columns: Sequence[Ints]) -> Ints:
    """Add up arrays; some have entries for fewer iterations than others."""
    longest = max(columns, key=lambda one: one.shape[-1])
    result = np.zeros_like(longest)
    for one in columns:
        result[..., : one.shape[-1]] += one
    return result


def _between(plan: Plan | None, rank: Ints, whom: Indices) -> Ints:
    """Return the axis of a plan along which two ranks differ; -1 for none."""
    if plan is None:
        return np.full(len(rank), -1)
    return np.where(whom >= 0, plan.span_of(rank, np.maximum(whom, 0)), -1)


def _within(plan: Plan | None, trace: Trace, communicator: Indices) -> Ints:
    """Return the axis of a plan on which communicators have all ranks; -1 for none."""
    spans = [
        -1 if plan is None else plan.span_of_group(one.ranks)
        for one in trace.communicators
    ]
    return np.array([*spans, -1])[communicator]


def _phases(phases: Sequence[IdentifiedPart], times: Ints) -> Ints:
    """Return the phase of each time: the last one that has begun; -1 for none."""
    result = np.full(len(times), -1, np.int64)
    for number, part in enumerate(phases):
        result[(times >= part.begin) & (times <= part.end)] = number
    return result


def _sums(group: Ints | Indices, ticks: Ints, groups: int) -> Ints:
    """Sum up by group; -1 is none. Sums below 2^53 ticks are exact."""
    there = group >= 0
    return np.bincount(group[there], ticks[there], groups).astype(np.int64)


def directions_of(logical: LogicalTrace, rank: Ints, whom: Indices) -> Indices:
    """Return the direction of a rank's partner: the first, if there are several.

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
    result = np.full(len(rank), -1, np.int32)
    result[at >= 0] = partners.direction[order[at[at >= 0]]]
    return result


def _transfer_waits(  # noqa: PLR0913
    trace: Trace,
    on_windows: WindowWaits,
    call: Ints,
    kind: Ints,
    rank: Ints,
    ticks: Ints,
    since: int,
) -> Ints:
    """Sum up waits at fences, and early waits, while there still were transfers.

    Parameters
    ----------
    ticks : int64, shape (n,)
        How long they waited, from `since` on at the earliest.

    Returns
    -------
    int64, shape (2, ranks)
        By rank that waited.
    """
    ending, through = on_windows.pending
    at = places_among(call, ending)
    ending, through, at = ending[at >= 0], through[at >= 0], at[at >= 0]
    begun = np.maximum(trace.calls.enter[ending], since)
    spent = np.clip(through - begun, 0, ticks[at])
    return np.stack(
        [
            _sums(np.where(kind[at] == one, rank[at], -1), spent, trace.ranks)
            for one in (_FENCE, _EARLY_WAIT)
        ]
    )


def _wrong_order(
    part: Part, waits: WaitStates, deduced: DeducedEnds, late: Ints, ticks: Ints
) -> Ints:
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
    trace, own = part.trace, part.main
    messages = trace.messages
    offsets = trace.calls.offsets[part.ranks.start : part.ranks.stop + 1]
    ranks, size = len(offsets) - 1, own.stop - own.start
    earliest = np.full(size, np.iinfo(np.int64).max)
    overtaken = np.zeros(size, np.bool_)
    last, of = np.full(ranks, -1), np.full(ranks, -1)
    for rows, done in receives_of(part, deduced):
        send = messages.send_call[rows]
        matched = np.flatnonzero((send >= 0) & (done >= 0) & (done < size))
        send = send[matched]
        kernels.note_sends(
            send,
            trace.calls.enter[send],
            done[matched],
            messages.sender[rows][matched],
            readonly(messages.receiver[rows][matched] - part.ranks.start, np.int32),
            waits.cause[own],
            earliest,
            overtaken,
            last,
            of,
        )
    source = kernels.waiting_messages(
        offsets - own.start,
        late - own.start,
        waits.until[own],
        earliest,
        overtaken,
    )
    rank = np.searchsorted(offsets, late, side="right") - 1 + part.ranks.start
    return np.stack(
        [_sums(np.where(source == k, rank, -1), ticks, trace.ranks) for k in (1, 2)]
    )


def completion_times(
    part: Part, times: CollectiveTimes, window: tuple[int, int], ranks: Sequence[int]
) -> Ints:
    """Sum up the time in operations of all with all after the first rank left them.

    Scalasca's Barrier Completion and N x N Completion.

    Returns
    -------
    int64, shape (2,)
        Of barriers, and of the others, in ticks, of some ranks in a window.
    """
    operations = whole_operations(part, times)
    operations = operations.some(~operations.near)
    if ranks:
        operations = operations.some(np.isin(operations.rank, ranks))
    at = np.searchsorted(times.operation, operations.operation)
    last = np.searchsorted(times.came[0], operations.operation, side="right") - 1
    since = np.maximum(times.left[at], times.came[3, last])
    until = np.clip(part.trace.calls.leave[operations.call], *window)
    spent = np.maximum(until - np.clip(since, *window), 0)
    return np.array(
        [spent[operations.kind == one].sum() for one in (_BARRIER, _NXN)], np.int64
    )
