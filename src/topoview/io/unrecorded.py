"""Calls that reach another rank, of which the trace does not record whom."""

from typing import Final

import numpy as np

from topoview.base.threads import equal_parts, in_parts
from topoview.model import Bools, Ints, Trace, UnrecordedCalls, distinct, occurring

_SENDS_AND_RECEIVES: Final = frozenset(
    {"Sendrecv", "Sendrecv_replace", "Isendrecv", "Isendrecv_replace"}
)

_REACHING: Final = _SENDS_AND_RECEIVES | frozenset(
    f"{mode}{how}send".capitalize() for mode in ("", "i") for how in ("", "b", "s", "r")
)
"""Calls that send a message, unless to ``MPI_PROC_NULL``."""

_POSTED: Final = frozenset({"Isend", "Ibsend", "Issend", "Irsend"})
"""Calls whose message may be cancelled."""

_CANCELLED_RECORD: Final = "MpiRequestCancelled"

_ONE_SIDED: Final = frozenset(
    (
        "Put",
        "Get",
        "Accumulate",
        "Get_accumulate",
        "Rput",
        "Rget",
        "Raccumulate",
        "Rget_accumulate",
        "Fetch_and_op",
        "Compare_and_swap",
    )
)

_ONE_SIDED_RECORDS: Final = frozenset({"RmaPut", "RmaGet", "RmaAtomic"})

_NEIGHBOURHOOD: Final = "neighbor_"

_CALLS_A_THREAD: Final = 1 << 18

_MESSAGES_LOOKED_AT: Final = 1 << 12
"""Messages of which operations are looked up at a time."""


def find_unrecorded(trace: Trace, is_eztrace: bool) -> tuple[UnrecordedCalls, ...]:
    """Find calls that reach another rank, of which the trace does not tell whom.

    Those of operations of which not one call left a record: one that left none among
    others that did goes to nobody. EZTrace records no `MPI_Sendrecv`, but may take
    another call's record for its. OTF2 has no record for neighbours in neighbourhood
    collectives: they are known where the communicator's topology is declared.
    """
    regions, calls = trace.regions, trace.calls
    if trace.ranks < 2 or not len(calls):
        return ()
    called = {*regions.operation[_regions_called(trace)].tolist()}
    names = [(code, regions.operations[code]) for code in sorted(called) if code >= 0]
    reaching = {code for code, name in names if name in _REACHING}
    seen = _operations_with_messages(trace, reaching)
    if np.any(trace.messages.send_call < 0):  # sends were lost: receives tell of whom
        seen |= reaching
    moved = any(
        records.name in _ONE_SIDED_RECORDS and len(records) for records in trace.further
    )
    if any(one.name == _CANCELLED_RECORD and len(one) for one in trace.further):
        seen |= {code for code, name in names if name in _POSTED}
    silent = [
        (code, name)
        for code, name in names
        if (name in _REACHING and code not in seen)
        or (is_eztrace and name in _SENDS_AND_RECEIVES)
        or (name in _ONE_SIDED and not moved)
        or _NEIGHBOURHOOD in name.lower()
    ]
    if not silent:
        return ()
    accounted = _accounted_calls(trace)
    unrecorded = []
    for code, name in silent:
        some = np.flatnonzero((regions.operation == code)[calls.region])
        of_rank = _calls_by_rank(trace, some[~accounted[some]])
        if of_rank.any():
            unrecorded.append(UnrecordedCalls(name, of_rank))
    return tuple(unrecorded)


def _regions_called(trace: Trace) -> Ints:
    """Find the regions of which there is a call; all columns are read by all cores."""
    region, size = trace.calls.region, len(trace.regions.operation)
    parts = equal_parts(len(region), least=_CALLS_A_THREAD)
    return distinct(
        np.concatenate(in_parts(lambda part: occurring(region[part], size), parts))
    )


def _operations_with_messages(trace: Trace, wanted: set[int]) -> set[int]:
    """Find the operations of which a call sent or received a message.

    Messages are looked at until all that are wanted were seen: mostly the first few.
    """
    seen: set[int] = set()
    operation, region = trace.regions.operation, trace.calls.region
    ends = trace.messages.send_call, trace.messages.completion_call
    for begin in range(0, len(trace.messages), _MESSAGES_LOOKED_AT):
        if wanted <= seen:
            break
        for column in ends:
            call = column[begin : begin + _MESSAGES_LOOKED_AT]
            leaving = occurring(region[call[call >= 0]], len(operation))
            seen |= {*operation[leaving].tolist()}
    return seen


def _accounted_calls(trace: Trace) -> Bools:
    """Find calls whose partners are known: by a message, or a declared topology."""
    messages, count = trace.messages, len(trace.calls)
    accounted = np.zeros(count + 1, np.bool_)
    for column in (messages.send_call, messages.completion_call):
        accounted[np.maximum(column, -1)] = True
    declared = [one.communicator for one in trace.topologies]
    among = np.isin(trace.collectives.communicator, declared)
    accounted[trace.collectives.call[among]] = True
    return accounted[:-1]  # behind it: of messages without such a call


def _calls_by_rank(trace: Trace, some: Ints) -> Ints:
    rank = trace.ranks_of_calls(some)
    counted: Ints = np.bincount(rank[rank >= 0], minlength=trace.ranks)
    return counted


def unrecorded_warnings(unrecorded: tuple[UnrecordedCalls, ...]) -> list[str]:
    """List sentences on what is missing."""
    return [
        f"{one.words} left no record in the trace: whom they reach is not known, "
        "and what they exchange is missing."
        for one in unrecorded
    ]
