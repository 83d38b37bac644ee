"""Collective calls that tracers record without their group: I/O, new communicators.

All ranks of the group make them in the same order (MPI 4.1, section 6.1): the k-th of
each rank is the same one if it is of the same name and nobody leaves it before all are
in it. Score-P 8 records from which communicator another one is made. Other calls are
taken for calls of all ranks, unless a rank could make its communicator from another
one than that of all.
"""

import re
from typing import Final, NamedTuple

import numpy as np

from topoview.analysis.waits.operations.kernels import earlier_uses
from topoview.model import (
    COMMUNICATOR_PARENT,
    WAIT_KINDS,
    Bools,
    Bytes,
    Indices,
    Ints,
    Part,
    Trace,
    count_before,
    places_among,
)

IO, SETUP = map(WAIT_KINDS.index, ("wait_at_io", "wait_at_setup"))

_NAMES: Final = {
    IO: re.compile(
        r"File_(open|close|set_view|set_size|set_atomicity|preallocate|sync"
        r"|(i?(read|write)(_at)?_all|(read|write)_ordered)(_begin|_end)?)"
    ),
    SETUP: re.compile(
        r"Comm_(create(_(from_)?group)?|i?dup|i?dup_with_info|split|split_type)"
        r"|Cart_(create|sub)|Graph_create|Dist_graph_create(_adjacent)?|Intercomm_merge"
    ),
}
"""Names of the operations of each kind."""

_OF_A_GROUP: Final = frozenset({"Comm_create_group", "Comm_create_from_group"})
"""Those that only members call: of all ranks if no communicator is of some."""

_CODES: Final = 1 << 6
"""More than there are of these names."""


class UnrecordedParts(NamedTuple):
    """Parts of ranks in such operations: shape (n,) each."""

    turn: Ints
    """Which operation of its group it is, and of what name."""
    rank: Ints
    call: Ints
    kind: Bytes
    """`rank`, `call` and `kind`: who calls it, and the wait state that it can be."""
    group: Ints
    """Number of the group, as in `group_sizes`."""
    done: Ints
    """Call in which it completes."""


def group_sizes(trace: Trace) -> Ints:
    """Count the members of all groups that call operations.

    Those are the communicators; them once more, where another one is made from them;
    and all ranks for each kind of call whose group is not recorded.
    """
    sizes = trace.communicator_sizes
    return np.concatenate([sizes, sizes, np.full(len(_NAMES), trace.ranks)])


def communicator_of_group(trace: Trace, group: Ints) -> Indices:
    """Find the communicators of groups; of all ranks it is the first."""
    count = len(trace.communicators)
    return np.where(group < 2 * count, group % max(count, 1), 0).astype(np.int32)


def unrecorded_parts(part: Part) -> UnrecordedParts:
    """List the calls of some ranks' main threads that are such operations."""
    trace, main = part.trace, part.main
    regions, calls = trace.regions, trace.calls
    group = np.full(len(regions.operations) + 1, -1, np.int64)
    code = np.zeros(len(regions.operations) + 1, np.int64)
    sizes = trace.communicator_sizes
    some_only = ((sizes > 1) & (sizes < trace.ranks)).any()
    for number, pattern in enumerate(_NAMES.values()):
        titles = enumerate(regions.operations)
        names = [
            n
            for n, name in titles
            if pattern.fullmatch(name) and not (some_only and name in _OF_A_GROUP)
        ]
        names.sort(key=regions.operations.__getitem__)
        group[names], code[names] = number, np.arange(len(names))
    sought = (group >= 0)[regions.operation]
    some = np.flatnonzero(sought[calls.region[main]])
    recorded = trace.collectives.call
    low, high = np.searchsorted(recorded, (main.start, main.stop))
    some = some[places_among(recorded[low:high], some + main.start) < 0]
    if trace.ranks < 2:
        some = some[:0]
    call, kinds = some + main.start, np.array(list(_NAMES), np.uint8)
    rank = np.searchsorted(calls.offsets[: trace.ranks + 1], call, side="right") - 1
    operation = regions.operation[calls.region[call]]
    which = group[operation]
    communicators = len(trace.communicators)
    made_from = _made_from(part, group == list(_NAMES).index(SETUP))
    at = places_among(made_from[0], call)
    own = np.where(
        at >= 0,
        communicators + np.append(made_from[1], 0)[at],
        2 * communicators + which,
    )
    unclear = (at < 0) & (kinds[which] == SETUP)
    if unclear.any():
        # What a rank makes first can only be made from all ranks.
        before = np.cumsum(unclear) - unclear
        first = before == before[np.searchsorted(rank, rank)]
        unclear &= ~first & _ranks_with_nested_communicators(trace)[rank]
        call, rank, own, which, operation = (
            column[~unclear] for column in (call, rank, own, which, operation)
        )
    turn = earlier_uses(own * trace.ranks + rank, np.ones(len(call), np.int64))
    return UnrecordedParts(
        turn=turn * _CODES + code[operation],
        rank=rank.astype(np.int64),
        call=call,
        kind=kinds[which],
        group=own,
        done=_completing(calls.completes[main], main.start, call),
    )


def _ranks_with_nested_communicators(trace: Trace) -> Bools:
    """Return which ranks may have made a communicator of some from another of some.

    Returns
    -------
    bool, shape (ranks,)
    """
    sizes = trace.communicator_sizes
    of_some = np.flatnonzero((sizes > 1) & (sizes < trace.ranks))
    result = np.zeros(trace.ranks, np.bool_)
    if len(of_some) < 2:
        return result
    member = np.concatenate([trace.communicators[k].ranks for k in of_some])
    from scipy.sparse import csr_array  # takes long to import, and few come here

    belongs = np.repeat(np.arange(len(of_some)), sizes[of_some])[member >= 0]
    member = member[member >= 0]
    shape = len(of_some), trace.ranks
    incidence = csr_array((np.ones(len(member), np.int64), (belongs, member)), shape)
    common = (incidence @ incidence.T).tocoo()
    inside = (common.data == sizes[of_some][common.row]) & (common.row != common.col)
    result[member[np.isin(belongs, common.row[inside])]] = True
    return result


def _made_from(part: Part, makes: Bools) -> tuple[Ints, Ints]:
    """Find from which communicators calls of some ranks make others, as recorded.

    Parameters
    ----------
    makes : bool, shape (operations + 1,)
        Which operations make communicators.

    Returns
    -------
    int64, shape (n,), twice
        Calls, ascending, and indices of communicators.
    """
    trace, calls = part.trace, part.trace.calls
    pairs = np.zeros((2, 0), np.int64)
    for records in trace.further:
        if records.name != COMMUNICATOR_PARENT:
            continue
        begins = records.offsets[part.ranks.start : part.ranks.stop + 1]
        some = slice(int(begins[0]), int(begins[-1]))
        row = np.repeat(np.arange(part.ranks.start, part.ranks.stop), np.diff(begins))
        low, high = calls.offsets[row], calls.offsets[row + 1]
        call = count_before(calls.enter, low, high, records.time[some] + 1) - 1
        parent = records.column("communicator")[some][call >= low]
        call = call[call >= low]
        # In a Wait it is what that completes.
        is_made = makes[trace.regions.operation[calls.region[call]]]
        call = np.where(is_made, call, calls.completes[call])
        pairs = np.stack([call, parent])[:, call >= 0]
    call, parent = pairs[:, np.argsort(pairs[0])]  # Waits complete in any order
    return call, parent


def _completing(completes: Ints, first: int, call: Ints) -> Ints:
    """Find the call that completes each of some; itself if none does.

    Parameters
    ----------
    completes : int64, shape (n,)
        What each of the calls from `first` on completes; -1 for nothing.
    """
    by = np.flatnonzero(completes >= 0) if len(call) else call
    by = by[np.argsort(completes[by], kind="stable")]
    at = np.searchsorted(completes[by], call)
    there = at < len(by)
    there[there] = completes[by[at[there]]] == call[there]
    result = call.copy()
    result[there] = by[at[there]] + first
    return result
