"""What operations on windows wait for: fences, epochs of groups, and locks.

All ranks of a window wait for all in a fence, and where it is made and freed. Between
``Win_start`` and ``Win_complete`` a rank reaches the ranks of a group; those let it
from ``Win_post`` to ``Win_wait``. The k-th of these epochs in which one rank reaches
another is the k-th in which the other one lets it: Hermanns, Geimer, Mohr and Wolf
2009, Scalable detection of MPI-2 remote memory access inefficiency patterns. A lock is
waited for until the rank that has it has given it back.

OTF2 records them as ``RmaCollectiveEnd``, ``RmaGroupSync`` and ``RmaRequestLock`` with
``RmaReleaseLock``, each in its call. They are found in the whole trace at once: there
are few beside those of messages.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from topoview.analysis.waits.operations.collective_times import (
    LOOKING,
    OperationParts,
    in_order,
    needed_by,
    times_of,
)
from topoview.analysis.waits.operations.instances import (
    CollectiveInstances,
    OrderedParts,
    instances_of,
)
from topoview.analysis.waits.operations.kernels import earlier_uses
from topoview.base.progress import Report, silent
from topoview.grouping import factorize, index_in_run
from topoview.logical.calls.one_sided import (
    calls_around,
    ranks_of,
    window_members,
    world_targets,
)
from topoview.logical.calls.operations import ONE_SIDED
from topoview.model import (
    NO_WAIT,
    WAIT_KINDS,
    Bools,
    Bytes,
    EventRecords,
    Ints,
    Trace,
    WindowWaits,
    distinct,
    places_among,
)

WINDOW_KINDS = {
    "Win_fence": WAIT_KINDS.index("wait_at_fence"),
    "Win_free": WAIT_KINDS.index("wait_at_free"),
    **dict.fromkeys(
        ("Win_create", "Win_create_dynamic", "Win_allocate", "Win_allocate_shared"),
        WAIT_KINDS.index("wait_at_create"),
    ),
}
"""Wait state in each operation of all ranks of a window."""

LATE_POST, EARLY_WAIT, LOCK_CONTENTION = map(
    WAIT_KINDS.index, ("late_post", "early_wait", "lock_contention")
)

_START, _POST, _COMPLETE, _WAIT = range(4)

EPOCH_SIDES = {
    "Win_start": _START,
    "Win_post": _POST,
    "Win_complete": _COMPLETE,
    "Win_wait": _WAIT,
    "Win_test": _WAIT,
}
"""What each operation on a group begins or ends."""

TRANSFER_RECORDS = ("RmaPut", "RmaGet", "RmaAtomic")

ALL_TARGETS = 2**32 - 1
"""Number of all ranks of a window in records of locks."""

_EXCLUSIVE = 0
"""OTF2_LockType."""


def window_waits(trace: Trace, report: Report = silent) -> WindowWaits:
    """Find for whom calls wait in operations on windows."""
    report(LOOKING, 0.0)
    needs = [
        np.stack([*one[1:3], one.until, one.whom, np.full(len(one.call), one.kind)])
        for one in window_needs(trace)
    ]
    return WindowWaits(
        _by_call(_met(trace)),
        _by_call(np.concatenate(needs, axis=1)),
        np.stack(pending_transfers(trace)),
    )


def _met(trace: Trace) -> Ints:
    """Find for whom ranks wait in operations of all ranks of a window."""
    instances, kind = window_instances(trace)
    instance = np.repeat(
        np.arange(len(instances.starts) - 1), np.diff(instances.starts)
    )
    nowhere = np.zeros(len(instance), np.bool_)
    parts = in_order(
        OperationParts(
            operation=instance,
            rank=instances.rank,
            call=instances.call,
            kind=kind,
            is_root=nowhere,
            group=instance,
            done=instances.call,
            near=nowhere,
        )
    )
    needed = needed_by(trace, parts, times_of(parts, trace.calls))
    return np.stack(
        [parts.call, needed.cause, needed.until, needed.whom, parts.kind]
    ).astype(np.int64)


def _by_call(table: Ints) -> Ints:
    return np.ascontiguousarray(table[:, np.argsort(table[0], kind="stable")])


def window_instances(trace: Trace) -> tuple[CollectiveInstances, Bytes]:
    """Group the parts of operations on windows, as fences: with the kinds of waits.

    Returns
    -------
    CollectiveInstances, and uint8, shape (parts,)
        `CollectiveInstances.communicator` numbers windows.
    """
    records = _with_earlier(trace, "RmaCollectiveEnd")
    names = trace.regions.operations
    kinds = np.array([*(WINDOW_KINDS.get(name, NO_WAIT) for name in names), NO_WAIT])
    kind = kinds[records.operation].astype(np.uint8)
    windows, group = factorize(records.columns["window"])
    made_by = window_members(trace)
    members = np.array(
        [len(made_by.get(one, range(trace.ranks))) for one in windows.tolist()],
        np.int64,
    )
    some = np.flatnonzero(kind < NO_WAIT)
    own = records.some(some)
    parts = instances_of(
        trace, OrderedParts(some, own.rank, own.call, group[some], own.count), members
    )
    return parts, kind[parts.parts]


class Needs(NamedTuple):
    """Calls that need others, of other ranks."""

    kind: int
    """Index into `WAIT_KINDS`: in which wait state they are if those are late."""
    call: Ints
    cause: Ints
    """`call` and `cause`: int64, shape (n,): the call, and the one that it needs."""
    whom: Ints
    """int64, shape (n,): rank of that one."""
    until: Ints
    """int64, shape (n,): when that lets the call go on, in ticks."""


def window_needs(trace: Trace) -> Iterator[Needs]:
    """Iterate over the needs of epochs and locks."""
    epochs = _epochs(trace)
    if len(epochs.start):
        yield from _epoch_needs(trace, epochs)
    yield _lock_needs(trace)


@dataclass(frozen=True, slots=True, eq=False)
class _InCalls:
    """Records of one type in calls of the ranks' main threads: shape (n,) each."""

    rank: Ints
    call: Ints
    time: Ints
    operation: Ints
    """Of their call."""
    count: Ints
    """How many each stands for: those before the part of a trace that was read have no
    call and no time, -1."""
    columns: dict[str, Ints]

    def some(self, which: Ints | Bools) -> "_InCalls":
        """Return some of the calls."""
        return _InCalls(
            rank=self.rank[which],
            call=self.call[which],
            time=self.time[which],
            operation=self.operation[which],
            count=self.count[which],
            columns={name: column[which] for name, column in self.columns.items()},
        )


_FIELDS = ("window", "remote", "group", "sync_level", "type")


def _joined(parts: list[_InCalls]) -> _InCalls:
    none = np.zeros(0, np.int64)

    def column(name: str) -> Ints:
        return np.concatenate([none, *(getattr(one, name) for one in parts)])

    return _InCalls(
        rank=column("rank"),
        call=column("call"),
        time=column("time"),
        operation=column("operation"),
        count=column("count"),
        columns={
            name: np.concatenate([none, *(one.columns[name] for one in parts)])
            for name in _FIELDS
        },
    )


def _in_calls(trace: Trace, name: str) -> _InCalls:
    """Find the records of a type in the calls of the trace."""
    return _joined(
        [
            _records_in_calls(trace, each)
            for each in trace.further
            if each.name == name and len(each)
        ]
    )


def _with_earlier(trace: Trace, name: str) -> _InCalls:
    """Find the records of a type, and before them what came before the trace's part."""
    operations = np.append(trace.regions.operation, -1)
    before = []
    for each in trace.earlier:
        if each.name == name:
            nowhere = np.full(len(each.count), -1, np.int64)
            counted = _InCalls(
                rank=each.rank,
                call=nowhere,
                time=nowhere,
                operation=operations[each.region].astype(np.int64),
                count=each.count,
                columns={field: each.column(field) for field in _FIELDS},
            )
            before.append(counted.some(each.region >= 0))
    return _joined([*before, _in_calls(trace, name)])


def _records_in_calls(trace: Trace, records: EventRecords) -> _InCalls:
    rank = ranks_of(trace, records).astype(np.int64)
    time = records.time[: len(rank)]
    call = calls_around(trace, rank, time)
    columns = {
        name: records.column(name)[: len(rank)]
        if name in records.fields
        else np.full(len(rank), -1, np.int64)
        for name in _FIELDS
    }
    own = np.flatnonzero(call >= 0)
    return _InCalls(
        rank=rank[own],
        call=call[own],
        time=time[own],
        operation=_operation(trace, call[own]),
        count=np.ones(len(own), np.int64),
        columns={name: column[own] for name, column in columns.items()},
    )


def _operation(trace: Trace, call: Ints) -> Ints:
    return trace.regions.operation[trace.calls.region[call]].astype(np.int64)


def _with_targets(trace: Trace, in_calls: _InCalls) -> _InCalls:
    """Turn numbers in windows into world ranks; without those that nobody has."""
    window, remote = in_calls.columns["window"], in_calls.columns["remote"]
    target = world_targets(window, remote, window_members(trace), trace.ranks)
    target[remote == ALL_TARGETS] = trace.ranks
    moved = replace(in_calls, columns=in_calls.columns | {"remote": target})
    return moved.some(target >= 0)


def _transfers(trace: Trace) -> _InCalls:
    """Find the calls that reach another rank; `remote` is its rank in the world."""
    return _joined(
        [_with_targets(trace, _in_calls(trace, name)) for name in TRANSFER_RECORDS]
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Epochs:
    """Epochs in which one rank reaches another: shape (n,) each, by pair and time."""

    pairs: Ints
    """Window, rank that reaches and rank that is reached, as one number; ascending."""
    pair: Ints
    """Index into them."""
    start: Ints
    post: Ints
    complete: Ints
    wait: Ints
    """`start`, `post`, `complete` and `wait`: calls."""


def _epochs(trace: Trace) -> _Epochs:
    """Find the epochs of which both ranks recorded begin and end."""
    records = _with_earlier(trace, "RmaGroupSync")
    names = trace.regions.operations
    sides = np.array([*(EPOCH_SIDES.get(name, -1) for name in names), -1])
    side = sides[records.operation]
    # a test that tells that the epoch goes on has no level of synchronisation
    ends = (side >= 0) & (records.columns["sync_level"] != 0)
    records, side = records.some(ends), side[ends]
    groups, number = factorize(records.columns["group"])
    none = np.zeros(0, np.int64)
    members = [trace.groups.get(one, none) for one in groups.tolist()]
    begins = np.cumsum([0, *map(len, members)])
    count = np.diff(begins)[number]
    row = np.repeat(np.arange(len(number)), count)
    of_row = begins[number[row]] + index_in_run(count)
    other = np.concatenate([none, *members])[of_row]
    own, side = records.rank[row], side[row]
    reached = np.isin(side, (_POST, _WAIT))
    origin, target = np.where(reached, (other, own), (own, other))
    pairs, pair = factorize(
        _pair_code(trace, records.columns["window"][row], origin, target)
    )
    of_side = [np.flatnonzero(side == one) for one in range(4)]
    turns = [earlier_uses(pair[at], records.count[row[at]]) for at in of_side]
    here = [records.call[row[at]] >= 0 for at in of_side]
    turns = [turn[own] for turn, own in zip(turns, here, strict=True)]
    of_side = [at[own] for at, own in zip(of_side, here, strict=True)]
    most = max((int(turn.max(initial=-1)) for turn in turns), default=0) + 1
    codes = [pair[at] * most + turn for at, turn in zip(of_side, turns, strict=True)]
    common = codes[0]
    for code in codes[1:]:
        common = np.intersect1d(common, code, assume_unique=True)
    calls = []
    for at, code in zip(of_side, codes, strict=True):
        order = np.argsort(code)
        calls.append(records.call[row[at[order[np.searchsorted(code[order], common)]]]])
    return _Epochs(pairs, common // most, *calls)


def _pair_code(trace: Trace, window: Ints, origin: Ints, target: Ints) -> Ints:
    code: Ints = (window * trace.ranks + origin) * trace.ranks + target
    return code


def _epoch_of(trace: Trace, epochs: _Epochs, moved: _InCalls) -> Ints:
    """Find the epoch in which each transfer is, -1 for none."""
    codes = _pair_code(
        trace, moved.columns["window"], moved.rank, moved.columns["remote"]
    )
    if not len(epochs.start):
        return np.full(len(codes), -1, np.int64)
    pair, calls = places_among(epochs.pairs, codes), len(trace.calls) + 1
    starts = epochs.pair * calls + epochs.start
    epoch = np.searchsorted(starts, pair * calls + moved.call, side="right") - 1
    there = (pair >= 0) & (epoch >= 0)
    there &= (epochs.pair[epoch] == pair) & (epochs.complete[epoch] > moved.call)
    return np.where(there, epoch, -1)


def _epoch_needs(trace: Trace, epochs: _Epochs) -> Iterator[Needs]:
    """Yield the needs of calls of epochs: that the other rank has come to its own.

    Late Post: until the last rank of the group posts, in the start, a transfer or the
    complete, whichever MPI lets wait: one that returned before has not. Early Wait:
    until the last one completes.
    """
    enter, leave = trace.calls.enter, trace.calls.leave
    offsets = trace.calls.offsets[: trace.ranks + 1]
    last = np.full(len(trace.calls), -1, np.int64)
    np.maximum.at(last, epochs.start, enter[epochs.post])
    latest = enter[epochs.post] == last[epochs.start]
    moved = _transfers(trace)
    epoch = _epoch_of(trace, epochs, moved)
    within = epoch >= 0
    for kind, call, cause in (
        (LATE_POST, epochs.start[latest], epochs.post[latest]),
        (LATE_POST, moved.call[within], epochs.post[epoch[within]]),
        (LATE_POST, epochs.complete[latest], epochs.post[latest]),
        (EARLY_WAIT, epochs.wait, epochs.complete),
    ):
        waited = (leave[call] > enter[cause]) | (kind == EARLY_WAIT)
        call, cause = call[waited], cause[waited]
        whom = np.searchsorted(offsets, cause, side="right") - 1
        yield Needs(kind, call, cause, whom, enter[cause])


def _lock_needs(trace: Trace) -> Needs:
    """Find the locks that another rank held, and the calls in which that was felt.

    Of what one rank locked the rank before it has given back last, in the order in
    which all did: an exclusive lock waits for any, a shared one for an exclusive one.
    MPI may let the call that asks for it wait, or the first that needs it.
    """
    calls = trace.calls
    there = {each.name for each in trace.further if len(each)}
    there |= {each.name for each in trace.earlier if len(each)}
    asks = "RmaRequestLock" if "RmaRequestLock" in there else "RmaAcquireLock"
    requested = _with_targets(trace, _with_earlier(trace, asks))
    given = _with_targets(trace, _with_earlier(trace, "RmaReleaseLock"))
    of_asked, of_given = _same_locks(trace, requested, given)
    requested, given = requested.some(of_asked), given.some(of_given)
    order = np.argsort(given.time, kind="stable")
    requested, given = requested.some(order), given.some(order)
    window, target = given.columns["window"], given.columns["remote"]
    everything = window * (trace.ranks + 1) + trace.ranks
    place, whole = everything - trace.ranks + target, target == trace.ranks
    exclusive = requested.columns["type"] == _EXCLUSIVE
    before = np.full(len(place), -1, np.int64)
    for who, of, wanted, among in (
        (exclusive, place, place, np.ones(len(place), bool)),
        (exclusive, place, everything, whole),
        (~exclusive & ~whole, place, place, exclusive),
        (~exclusive & whole, window, window, exclusive),
    ):
        rows = np.flatnonzero(who)
        previous = _previous(of, np.flatnonzero(among), wanted[rows], rows)
        before[rows] = np.maximum(before[rows], previous)
    late = np.flatnonzero(before >= 0)
    held = given.some(before[late])
    until = calls.leave[held.call]
    felt = []
    for moment in (until, calls.enter[held.call]):
        at = calls_around(trace, given.rank[late], moment)
        own = (at >= requested.call[late]) & (at <= given.call[late])
        own &= held.rank != given.rank[late]
        own[own] &= _reaching(trace)[_operation(trace, at[own])]
        felt.append((np.flatnonzero(own), at[own]))
    row, call = (np.concatenate(part) for part in zip(*felt, strict=True))
    return Needs(
        LOCK_CONTENTION,
        call,
        held.call[row],
        held.rank[row],
        until[row],
    )


def _reaching(trace: Trace) -> Bools:
    """Mark the operations on windows, by number; the last entry is for none."""
    names = trace.regions.operations
    own = [name in ONE_SIDED or name.startswith("Win_") for name in names]
    return np.array([*own, False])


def _same_locks(trace: Trace, in_calls: _InCalls, given: _InCalls) -> tuple[Ints, Ints]:
    """Match the k-th request of a rank for a lock with its k-th release."""
    codes = []
    for some in (in_calls, given):
        place = some.columns["window"] * (trace.ranks + 1) + some.columns["remote"]
        codes.append(place * trace.ranks + some.rank)
    _, number = factorize(np.concatenate(codes))
    own = number[: len(in_calls.rank)], number[len(in_calls.rank) :]
    turns = [
        earlier_uses(part, some.count)
        for part, some in zip(own, (in_calls, given), strict=True)
    ]
    most = max(int(turn.max(initial=0)) for turn in turns) + 1
    here = [np.flatnonzero(some.call >= 0) for some in (in_calls, given)]
    _, one, other = np.intersect1d(
        own[0][here[0]] * most + turns[0][here[0]],
        own[1][here[1]] * most + turns[1][here[1]],
        assume_unique=True,
        return_indices=True,
    )
    return here[0][one], here[1][other]


def _previous(key: Ints, some: Ints, wanted: Ints, before: Ints) -> Ints:
    """Find the last of some rows with a key before a row: int64, -1 for none.

    Parameters
    ----------
    key : int64, shape (rows,)
    some : int64, shape (n,)
        Rows that count, ascending.
    wanted, before : int64, shape (m,)
        The keys that are looked for, and before which rows.
    """
    if not len(some):
        return np.full(len(wanted), -1, np.int64)
    _, number = factorize(np.concatenate((key[some], wanted)))
    own, its = number[: len(some)] * len(key), number[len(some) :] * len(key)
    order = np.argsort(own, kind="stable")
    keys = own[order] + some[order]
    at = np.searchsorted(keys, its + before) - 1
    there = (at >= 0) & (keys[at] >= its)
    return np.where(there, some[order[at]], -1)


def pending_transfers(trace: Trace) -> tuple[Ints, Ints]:
    """Find when the last transfer to a rank was through, for calls that wait for it.

    Returns
    -------
    int64, shape (n,), twice
        Calls that end an epoch, ``Win_wait`` and ``Win_fence``, and in ticks when the
        last call that reached their rank in it returned.
    """
    moved, epochs = _transfers(trace), _epochs(trace)
    if not len(moved.call):
        return moved.call, moved.time
    epoch = _epoch_of(trace, epochs, moved)
    within = epoch >= 0
    some, fences = _fences_after(trace, moved)
    ends = np.concatenate((epochs.wait[epoch[within]], fences))
    calls = np.concatenate((moved.call[within], moved.call[some]))
    last = np.full(len(trace.calls), -1, np.int64)
    np.maximum.at(last, ends, trace.calls.leave[calls])
    ending = np.flatnonzero(last >= 0)
    return ending, last[ending]


def _fences_after(trace: Trace, moved: _InCalls) -> tuple[Ints, Ints]:
    """Find the fence in which each transfer ends: which do, and its target's part."""
    parts, kinds = window_instances(trace)
    instance = np.repeat(np.arange(len(parts.starts) - 1), np.diff(parts.starts))
    windows = distinct(_with_earlier(trace, "RmaCollectiveEnd").columns["window"])
    window, calls = places_among(windows, moved.columns["window"]), len(trace.calls)
    own = parts.communicator[instance].astype(np.int64) * calls + parts.call
    fences = np.flatnonzero(kinds == WINDOW_KINDS["Win_fence"])
    fences = fences[np.argsort(own[fences])]
    # the next one of its own rank on that window
    at = np.searchsorted(own[fences], window * calls + moved.call)
    some = np.flatnonzero((window >= 0) & (at < len(fences)))
    next_ = fences[at[some]]
    same = (parts.rank[next_] == moved.rank[some]) & (
        parts.communicator[instance[next_]] == window[some]
    )
    some, next_ = some[same], next_[same]
    place = instance * trace.ranks + parts.rank  # ascending
    wanted = instance[next_] * trace.ranks + moved.columns["remote"][some]
    part = places_among(place, wanted)
    return some[part >= 0], parts.call[part[part >= 0]]
