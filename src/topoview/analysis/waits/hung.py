"""Whom calls wait for that are never left, and which ranks wait for each other.

A send that hangs is recorded with its receiver. Whom a receive waits for is not: it is
taken to be who sent next in its earlier calls from the same place, as far as they
repeat. In a collective operation those are missing that are in no such call. Ranks of a
deadlock wait for each other in a cycle (Knapp 1987, Deadlock detection in distributed
databases, section 2: a cycle of the wait-for graph).
"""

from collections import deque
from collections.abc import Iterable
from typing import Final

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from topoview.base.progress import Report, silent
from topoview.model import HUNG_EVIDENCE, HungCalls, Ints, Trace

_RECORDED, _AS_BEFORE, _MISSING = range(len(HUNG_EVIDENCE))

_LONGEST_PERIOD: Final = 64
"""Receives from one place after which their senders may repeat."""

Edge = tuple[int, int, int]
"""Number of a call among those that hang, the rank it waits for, and the evidence."""


def hung_calls(trace: Trace, report: Report = silent) -> HungCalls:
    """Find whom calls wait for that are never left."""
    report("looking for calls that are never left", 0.0)
    call = trace.never_left
    row = np.searchsorted(trace.calls.offsets, call, side="right") - 1
    rank = trace.rank_of_location[row]
    edges = sorted({*_recorded(trace), *_as_before(trace, row), *_missing(trace, rank)})
    table = np.array(edges, np.int64).reshape(-1, 3)
    return HungCalls(
        call=call,
        rank=rank.astype(np.int32),
        waiter=table[:, 0].copy(),
        whom=table[:, 1].astype(np.int32),
        evidence=table[:, 2].astype(np.uint8),
        cycles=_cycles(trace.ranks, rank[table[:, 0]], table[:, 1]),
    )


def _recorded(trace: Trace) -> Iterable[Edge]:
    """Yield the receivers of messages that hang in their send."""
    messages = trace.messages
    for number, call in enumerate(trace.never_left.tolist()):
        sends = messages.send_call[: messages.sends]
        low, high = np.searchsorted(sends, (call, call + 1))
        for place in range(int(low), int(high)):
            if messages.receive_call[place] < 0:
                yield number, int(messages.receiver[place]), _RECORDED


def _as_before(trace: Trace, row: Ints) -> Iterable[Edge]:
    """Yield who would send next, by the earlier receives of the same place."""
    calls, messages = trace.calls, trace.messages
    place = calls.region.astype(np.int64) << 32 | calls.path
    receive = messages.receive_call
    for number, call in enumerate(trace.never_left.tolist()):
        own = np.flatnonzero((receive >= calls.offsets[row[number]]) & (receive < call))
        own = own[place[receive[own]] == place[call]]
        own = own[np.argsort(receive[own], kind="stable")]
        sender = _next_of(messages.sender[own].tolist())
        if sender >= 0:
            yield number, sender, _AS_BEFORE


def _next_of(senders: list[int]) -> int:
    """Continue a list that ends periodically; -1 if it does not."""
    if len(senders) == 1:
        return senders[0]
    for period in range(1, min(_LONGEST_PERIOD, len(senders) // 2) + 1):
        if senders[-period:] == senders[-2 * period : -period]:
            return senders[-period]
    return -1


def _missing(trace: Trace, rank: Ints) -> Iterable[Edge]:
    """Yield the members of a group that are in no such collective operation."""
    regions, region = trace.regions, trace.calls.region[trace.never_left]
    parts = trace.collectives
    operation = regions.operation[region]
    recorded = np.unique(regions.operation[trace.calls.region[parts.call]])
    names = {"Barrier", "Allreduce", "Reduce", "Bcast", "Alltoall", "Allgather"}
    is_collective = np.array(
        [
            code in recorded or regions.operations[code] in names
            for code in operation.tolist()
        ],
        np.bool_,
    )
    for number in np.flatnonzero(is_collective).tolist():
        members = trace.communicators[_group_of(trace, number)].ranks.tolist()
        there = set(rank[operation == operation[number]].tolist())
        for member in members:
            if member >= 0 and member not in there:
                yield number, member, _MISSING


def _group_of(trace: Trace, number: int) -> int:
    """Return the communicator of the last call of the same place, else the world."""
    calls, parts = trace.calls, trace.collectives
    call = int(trace.never_left[number])
    row = int(np.searchsorted(calls.offsets, call, side="right")) - 1
    low, high = np.searchsorted(parts.call, (calls.offsets[row], call))
    earlier = parts.call[low:high]
    same = (calls.region[earlier] == calls.region[call]) & (
        calls.path[earlier] == calls.path[call]
    )
    groups = parts.communicator[low:high][same]
    return int(groups[-1]) if len(groups) and groups[-1] >= 0 else 0


def _cycles(ranks: int, one: Ints, other: Ints) -> tuple[tuple[int, ...], ...]:
    """Find a shortest cycle in each part of the graph whose ranks reach each other."""
    graph = csr_array((np.ones(len(one), np.int8), (one, other)), shape=(ranks, ranks))
    _, part = connected_components(graph, directed=True, connection="strong")
    sizes = np.bincount(part, minlength=1)
    following: dict[int, list[int]] = {}
    for rank, whom in sorted(set(zip(one.tolist(), other.tolist(), strict=True))):
        if part[rank] == part[whom]:
            following.setdefault(rank, []).append(whom)
    cycles = []
    for number in np.flatnonzero(sizes > 1).tolist():
        cycles.append(_cycle_through(int(np.flatnonzero(part == number)[0]), following))
    return tuple(cycles)


def _cycle_through(first: int, following: dict[int, list[int]]) -> tuple[int, ...]:
    """Find the shortest way from a rank back to it."""
    before: dict[int, int] = {}
    waiting = deque([first])
    while first not in before:
        rank = waiting.popleft()
        for whom in following[rank]:
            if whom not in before:
                before[whom] = rank
                waiting.append(whom)
    way = [first]
    while len(way) == 1 or way[-1] != first:
        way.append(before[way[-1]])
    way.reverse()
    return tuple(way[:-1])
