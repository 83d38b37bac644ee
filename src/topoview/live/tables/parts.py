"""Communicators and phases of a run: members, traffic and time."""

import numpy as np

from topoview.model import (
    Analysis,
    Communicator,
    IdentifiedPart,
    Ints,
    Table,
    Trace,
    named,
)
from topoview.model.trace import FIRST_WITHOUT_DATA


def communicator_table(known: Analysis, window: tuple[int, int] | None = None) -> Table:
    """Make a table of the communicators that are used.

    Parameters
    ----------
    window
        Begin and end in ticks: messages sent and operations begun in between count.

    Returns
    -------
    Table
        ``communicator`` (its number), ``name, ranks`` (members), ``topology`` (empty
        if it was not identified by itself),
        ``messages, bytes`` (sent point-to-point), ``operations`` (collective ones),
        ``seconds`` (of all members within them), ``spread`` and ``spread_most``: from
        the first member's arrival to the last one's, mean and most over the operations,
        in seconds (NaN where the clocks are not aligned). Most time first.
    """
    trace, messages = known.trace, known.trace.messages
    count, scale = len(trace.communicators), trace.clock.resolution
    of_message = messages.communicator
    sent = messages.times
    keep = of_message >= 0
    if window is not None:
        keep &= (sent >= window[0]) & (sent < window[1])
    number = np.bincount(of_message[keep], minlength=count)
    volume = np.bincount(of_message[keep], messages.size[keep], count)
    operations, ticks, mean, most = _collectives(trace, window)
    used = np.flatnonzero(number + operations)
    used = used[np.lexsort((used, -volume[used], -ticks[used]))]
    if not trace.clock.aligned:
        mean, most = np.full(count, np.nan), np.full(count, np.nan)
    parts = [_part_of(known, trace.communicators[c]) for c in used.tolist()]
    names = [
        part.name if part is not None else trace.communicators[c].name
        for part, c in zip(parts, used.tolist(), strict=True)
    ]
    shapes = ["" if part is None else _name(part) for part in parts]
    places = np.arange(len(used), dtype=np.int32)
    return Table(
        {
            "communicator": used.astype(np.int32),
            "name": named(places, names),
            "ranks": trace.communicator_sizes[used],
            "topology": named(places, shapes),
            "messages": number[used],
            "bytes": volume[used].astype(np.int64),
            "operations": operations[used],
            "seconds": ticks[used] / scale,
            "spread": mean[used] / scale,
            "spread_most": most[used] / scale,
        }
    )


def phase_table(known: Analysis) -> Table:
    """Make a table of the phases, in order of time.

    Returns
    -------
    Table
        ``name, remark, topology, begin, seconds, share`` (of the run), ``ranks``,
        ``messages`` and ``bytes`` sent meanwhile.
    """
    trace, messages = known.trace, known.trace.messages
    phases = phases_of(known)
    scale, length = trace.clock.resolution, max(trace.clock.length, 1)
    sent = messages.times
    order = np.argsort(sent, kind="stable")
    when, sums = sent[order], np.append(0, np.cumsum(messages.size[order]))
    begin = np.array([phase.begin for phase in phases], np.int64)
    end = np.array([phase.end for phase in phases], np.int64)
    low, high = np.searchsorted(when, begin), np.searchsorted(when, end)
    places = np.arange(len(phases), dtype=np.int32)
    return Table(
        {
            "name": named(places, [phase.name for phase in phases]),
            "remark": named(places, [phase.remark for phase in phases]),
            "topology": named(places, [_name(phase) for phase in phases]),
            "begin": begin / scale,
            "seconds": (end - begin) / scale,
            "share": (end - begin) / length,
            "ranks": np.array([len(phase.ranks) for phase in phases], np.int64),
            "messages": high - low,
            "bytes": sums[high] - sums[low],
        }
    )


def phases_of(known: Analysis) -> list[IdentifiedPart]:
    """List the phases of a run in order of time."""
    found = known.identification
    parts = found.parts if found is not None else ()
    phases = [part for part in parts if part.by == "phase"]
    return sorted(phases, key=lambda part: (part.begin, part.end))


def _name(part: IdentifiedPart) -> str:
    return part.matches[0].topology.name if part.matches else ""


def _part_of(known: Analysis, communicator: Communicator) -> IdentifiedPart | None:
    """Find what was identified of a communicator, whose name is its own."""
    found = known.identification
    members = np.sort(communicator.ranks)
    for part in found.parts if found is not None else ():
        if part.by == "communicator" and np.array_equal(np.sort(part.ranks), members):
            return part
    return None


def _collectives(
    trace: Trace, window: tuple[int, int] | None
) -> tuple[Ints, Ints, Ints, Ints]:
    """Sum up the collective operations of each communicator.

    The n-th part that each member took in operations of a communicator is of the same
    operation: MPI asks for that order.

    Returns
    -------
    int64, four of shape (communicators,)
        Operations, ticks of all members within them, mean and most ticks between the
        first and the last arrival.
    """
    parts, calls = trace.collectives, trace.calls
    count = len(trace.communicators)
    zeros = np.zeros(count, np.int64)
    keep = (parts.call >= 0) & (parts.communicator >= 0)
    keep &= parts.operation < FIRST_WITHOUT_DATA
    call, communicator = parts.call[keep], parts.communicator[keep].astype(np.int64)
    if not len(call):
        return zeros, zeros, zeros, zeros
    row = np.searchsorted(calls.offsets, call, side="right") - 1
    order = np.lexsort((call, row, communicator))
    call, row, communicator = call[order], row[order], communicator[order]
    own = np.append(
        True, (row[1:] != row[:-1]) | (communicator[1:] != communicator[:-1])
    )
    starts = np.flatnonzero(own)
    turn = np.arange(len(call)) - np.repeat(
        starts, np.diff(np.append(starts, len(call)))
    )
    if window is not None:
        inside = (calls.enter[call] >= window[0]) & (calls.enter[call] < window[1])
        call, communicator, turn = call[inside], communicator[inside], turn[inside]
        if not len(call):
            return zeros, zeros, zeros, zeros
    order = np.lexsort((turn, communicator))
    call, communicator, turn = call[order], communicator[order], turn[order]
    new = np.append(
        True, (turn[1:] != turn[:-1]) | (communicator[1:] != communicator[:-1])
    )
    first = np.flatnonzero(new)
    enter = calls.enter[call]
    spread = np.maximum.reduceat(enter, first) - np.minimum.reduceat(enter, first)
    of = communicator[first]
    operations = np.bincount(of, minlength=count)
    ticks = np.bincount(communicator, calls.leave[call] - enter, count)
    sums = np.bincount(of, spread, count) / np.maximum(operations, 1)
    most = zeros.copy()
    np.maximum.at(most, of, spread)
    return operations, ticks.astype(np.int64), sums.astype(np.int64), most
