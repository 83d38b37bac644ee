"""Whom calls wait for that are never left, and which ranks wait for each other.

A send that hangs is recorded with its receiver. Whom a receive waits for, or a call
that completes some, is not: it is taken to be who sent next in its earlier calls from
the same place, as far as they repeat. In a collective operation those members of its
communicator are missing that are in no such call of it. Ranks of a deadlock wait for
each other in a cycle (Knapp 1987, Deadlock detection in distributed databases, section
2: a cycle of the wait-for graph).
"""

from collections import deque
from collections.abc import Iterable
from typing import Final

import numpy as np

from topoview.base.progress import Report, silent
from topoview.logical.calls.operations import is_one_of
from topoview.model import HUNG_EVIDENCE, HungCalls, Ints, TimeState, Trace

_RECORDED, _AS_BEFORE, _MISSING = range(len(HUNG_EVIDENCE))

_LONGEST_PERIOD: Final = 64
"""Receives from one place after which their senders may repeat."""

_BEGIN_SENDS: Final = frozenset(
    {"Isend", "Issend", "Irsend", "Isendrecv", "Isendrecv_replace", "Start", "Startall"}
)
"""Calls whose sends end in another one."""

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
    """Yield the receivers of messages that hang in their send, or its completion."""
    messages, regions, region = trace.messages, trace.regions, trace.calls.region
    send = messages.send_call[: messages.sends]
    pending = messages.receive_call[: messages.sends] < 0
    # A request that was not completed, where completions are recorded at all.
    complete = messages.send_completion_call[: messages.sends]
    without_blocking = is_one_of(regions, _BEGIN_SENDS)[regions.operation]
    open_requests = pending & (complete < 0) & (complete >= 0).any()
    open_requests &= without_blocking[region[send]]
    for number, call in enumerate(trace.never_left.tolist()):
        hangs = pending & (send == call)
        if regions.state[region[call]] == TimeState.WAIT:
            row = int(np.searchsorted(trace.calls.offsets, call, side="right")) - 1
            hangs |= open_requests & (send >= trace.calls.offsets[row]) & (send < call)
        for receiver in np.unique(messages.receiver[: messages.sends][hangs]).tolist():
            yield number, receiver, _RECORDED


def _as_before(trace: Trace, row: Ints) -> Iterable[Edge]:
    """Yield who would send next, by the earlier receives of the same place.

    Where several would, those whose messages were sent are not waited for.
    """
    calls, messages = trace.calls, trace.messages
    place = calls.region.astype(np.int64) << 32 | calls.path
    done = messages.completion_call
    done = np.where(done >= 0, done, messages.receive_call)
    lost = np.flatnonzero(messages.receive_call[: messages.sends] < 0)
    for number, call in enumerate(trace.never_left.tolist()):
        own = np.flatnonzero((done >= calls.offsets[row[number]]) & (done < call))
        own = own[place[done[own]] == place[call]]
        own = own[np.lexsort((messages.sender[own], done[own]))]
        begins = np.flatnonzero(np.diff(done[own], append=-1))[:-1] + 1
        groups = [
            tuple(some.tolist()) for some in np.split(messages.sender[own], begins)
        ]
        senders = set(_next_of(groups))
        if len(senders) > 1:
            rank = trace.rank_of_location[row[number]]
            arrived = lost[messages.receiver[lost] == rank]
            senders -= set(messages.sender[arrived].tolist())
        for sender in senders - {-1}:
            yield number, sender, _AS_BEFORE


def _next_of(senders: list[tuple[int, ...]]) -> tuple[int, ...]:
    """Continue a list that ends periodically; with nothing if it does not."""
    if len(senders) == 1:
        return senders[0]
    for period in range(1, min(_LONGEST_PERIOD, len(senders) // 2) + 1):
        if senders[-period:] == senders[-2 * period : -period]:
            return senders[-period]
    return ()


def _missing(trace: Trace, rank: Ints) -> Iterable[Edge]:
    """Yield the members of a group that are in no such collective operation."""
    regions, region = trace.regions, trace.calls.region[trace.never_left]
    of_all = np.isin(regions.state, (TimeState.COLLECTIVE, TimeState.BARRIER))
    present: dict[tuple[int, int], list[int]] = {}
    for number in np.flatnonzero(of_all[region]).tolist():
        operation = int(regions.operation[region[number]])
        present.setdefault((operation, _group_of(trace, number)), []).append(number)
    for (_, group), numbers in present.items():
        for member in np.setdiff1d(trace.communicators[group].ranks, rank[numbers]):
            if member >= 0:
                yield from ((number, int(member), _MISSING) for number in numbers)


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
    if not len(one):
        return ()
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components  # loads long

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
