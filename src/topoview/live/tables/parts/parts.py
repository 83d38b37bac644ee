"""Communicators and phases of a run: members, traffic and time."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from topoview.base.text import tr
from topoview.grouping import index_in_run, run_begins
from topoview.live.tables.iterations import iterations
from topoview.model import (
    Analysis,
    Column,
    Communicator,
    Frozen,
    IdentifiedPart,
    Ints,
    Schema,
    Table,
    Trace,
    named,
)
from topoview.model.trace import FIRST_WITHOUT_DATA

NOTHING: Final = {0: ""}

COMMUNICATORS: Final = Schema(
    Column("depth", "#", "", "How many others it lies in"),
    Column("colour", "#"),
    Column("communicator", "#", link="communicator"),
    Column(
        "name",
        "",
        tr("communicator"),
        tr("Its name, below the smallest one with all of its members"),
    ),
    Column("ranks", "", tr("ranks"), tr("Members")),
    Column("topology", "", tr("topology")),
    Column("shape", "", tr("shape"), tr("Its members in the words of the topology")),
    Column(
        "seconds",
        "s",
        tr("time"),
        tr("Time of all members in its collective operations"),
        codes=NOTHING,
    ),
    Column(
        "spread",
        "s",
        tr("spread"),
        tr("From the first arrival to the last: mean over operations"),
    ),
    Column(
        "spread_most", "s", tr("most"), tr("From the first arrival to the last: most")
    ),
    Column(
        "operations", "", tr("operations"), tr("Collective operations"), codes=NOTHING
    ),
    Column(
        "messages",
        "",
        tr("messages"),
        tr("Messages sent point-to-point"),
        codes=NOTHING,
    ),
    Column("bytes", "B", tr("bytes"), tr("Bytes sent point-to-point"), codes=NOTHING),
)

PHASES: Final = Schema(
    Column("name", "", tr("name"), ordered=True),
    Column("remark", "", tr("remark")),
    Column("topology", "", tr("topology")),
    Column("begin", "at", tr("begin")),
    Column("seconds", "s", tr("time")),
    Column("share", "share", tr("share"), tr("Share of the time of the ranks")),
    Column("ranks", "", tr("ranks")),
    Column(
        "iterations",
        "",
        tr("iterations"),
        tr("Iterations whose first call is in it, of the outermost loop with several"),
    ),
    Column("messages", "", tr("messages")),
    Column("bytes", "B", tr("bytes")),
)


def communicator_table(
    analysis: Analysis, window: tuple[int, int] | None = None
) -> Table:
    """Build a table of the communicators that are used.

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
    trace, messages = analysis.trace, analysis.trace.messages
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
    parts = [_part_of(analysis, trace.communicators[c]) for c in used.tolist()]
    names = communicator_names(analysis, used)
    shapes = ["" if part is None else _name(part) for part in parts]
    places = np.arange(len(used), dtype=np.int32)
    return Table(
        COMMUNICATORS,
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
        },
    )


def phase_table(analysis: Analysis) -> Table:
    """Build a table of the phases, in order of time.

    Returns
    -------
    Table
        ``name, remark, topology, begin, seconds, share`` (of the run), ``ranks``,
        ``iterations`` whose first call is made meanwhile (of the outermost loop that
        has several, on the rank with most), ``messages`` and ``bytes`` sent meanwhile.
    """
    trace, messages = analysis.trace, analysis.trace.messages
    phases = phases_of(analysis)
    scale = trace.clock.resolution
    sent = messages.times
    order = np.argsort(sent, kind="stable")
    when, sums = sent[order], np.append(0, np.cumsum(messages.size[order]))
    begin = np.array([phase.begin for phase in phases], np.int64)
    end = np.array([phase.end for phase in phases], np.int64)
    low, high = np.searchsorted(when, begin), np.searchsorted(when, end)
    places = np.arange(len(phases), dtype=np.int32)
    return Table(
        PHASES,
        {
            "name": named(places, [phase.name for phase in phases]),
            "remark": named(places, [phase.remark for phase in phases]),
            "topology": named(places, [_name(phase) for phase in phases]),
            "begin": begin / scale,
            "seconds": (end - begin) / scale,
            "share": (end - begin) / trace.clock.ticks_read,
            "ranks": np.array([len(phase.ranks) for phase in phases], np.int64),
            "iterations": _iterations(analysis, phases),
            "messages": high - low,
            "bytes": sums[high] - sums[low],
        },
    )


def _iterations(analysis: Analysis, phases: list[IdentifiedPart]) -> Ints:
    """Count the iterations whose first call is in each phase, on the rank with most.

    Those of the outermost loop that has several there; else one or none.
    """
    result = np.zeros(len(phases), np.int64)
    begin = np.array([phase.begin for phase in phases], np.int64)
    end = np.array([phase.end for phase in phases], np.int64)
    loops = len(analysis.positions.loops) if analysis.positions is not None else 0
    ranks = analysis.trace.ranks
    for loop in range(loops if phases else 0):
        every = iterations(analysis, loop)
        if every is None:
            continue
        first = analysis.trace.calls.enter[every.first]
        place = np.searchsorted(begin, first, side="right") - 1
        inside = (place >= 0) & (first < end[place])
        key = place[inside] * ranks + every.rank[inside]
        counts = np.bincount(key, minlength=len(phases) * ranks)
        most = counts.reshape(len(phases), ranks).max(axis=1)
        result = np.where(result > 1, result, np.maximum(result, most))
        if (result > 1).all():
            break
    return result


def phases_of(analysis: Analysis) -> list[IdentifiedPart]:
    """List the phases of a run in order of time."""
    identification = analysis.identification
    parts = identification.parts if identification is not None else ()
    phases = [part for part in parts if part.by == "phase"]
    return sorted(phases, key=lambda part: (part.begin, part.end))


def communicator_names(analysis: Analysis, numbers: Ints) -> list[str]:
    """Name communicators as all views do: several that a trace calls alike differ."""
    communicators = analysis.trace.communicators
    parts = [_part_of(analysis, communicators[c]) for c in numbers.tolist()]
    return [
        part.name if part is not None else communicators[c].name
        for part, c in zip(parts, numbers.tolist(), strict=True)
    ]


def _name(part: IdentifiedPart) -> str:
    return part.matches[0].topology.name if part.matches else ""


def _part_of(analysis: Analysis, communicator: Communicator) -> IdentifiedPart | None:
    """Find what was identified of a communicator, whose name is its own."""
    identification = analysis.identification
    members = np.sort(communicator.ranks)
    for part in identification.parts if identification is not None else ():
        if part.by == "communicator" and np.array_equal(np.sort(part.ranks), members):
            return part
    return None


@dataclass(frozen=True, slots=True, eq=False)
class CollectiveOperations(Frozen):
    """Collective operations: the calls of all members, operation after operation."""

    part: Ints
    call: Ints
    """`part` and `call`: int64, shape (parts,): part of the trace's `Collectives`, and
    its call."""
    first: Ints
    """int64, shape (operations,): where the parts of each operation begin."""
    communicator: Ints
    """int64, shape (operations,)"""

    def spread(self, trace: Trace) -> Ints:
        """Ticks from the first member's arrival to the last one's, of each."""
        enter = trace.calls.enter[self.call]
        if not len(self.first):
            return np.zeros(0, np.int64)
        last = np.maximum.reduceat(enter, self.first)
        result: Ints = last - np.minimum.reduceat(enter, self.first)
        return result


def collective_operations(
    trace: Trace, window: tuple[int, int] | None = None
) -> CollectiveOperations:
    """Find which calls are parts of one collective operation.

    The n-th part that each member took in operations of a communicator is of the same
    operation: MPI asks for that order.

    Parameters
    ----------
    window
        Begin and end in ticks: only parts whose calls begin in between.
    """
    parts, calls = trace.collectives, trace.calls
    keep = (parts.call >= 0) & (parts.communicator >= 0)
    part = np.flatnonzero(keep & (parts.operation < FIRST_WITHOUT_DATA))
    call, communicator = parts.call[part], parts.communicator[part].astype(np.int64)
    row = np.searchsorted(calls.offsets, call, side="right") - 1
    order = np.lexsort((call, row, communicator))
    part, row, communicator = part[order], row[order], communicator[order]
    starts = run_begins(row, communicator)
    turn = index_in_run(np.diff(starts, append=len(part)))
    if window is not None:
        enter = calls.enter[parts.call[part]]
        inside = (enter >= window[0]) & (enter < window[1])
        part, communicator, turn = part[inside], communicator[inside], turn[inside]
    order = np.lexsort((turn, communicator))
    part, communicator, turn = part[order], communicator[order], turn[order]
    first = run_begins(turn, communicator)
    return CollectiveOperations(part, parts.call[part], first, communicator[first])


def _collectives(
    trace: Trace, window: tuple[int, int] | None
) -> tuple[Ints, Ints, Ints, Ints]:
    """Sum up the collective operations of each communicator.

    Returns
    -------
    int64, four of shape (communicators,)
        Operations, ticks of all members within them, mean and most ticks between the
        first and the last arrival.
    """
    calls, count = trace.calls, len(trace.communicators)
    instances = collective_operations(trace, window)
    took = calls.leave[instances.call] - calls.enter[instances.call]
    whose = trace.collectives.communicator[instances.part]
    spread, of = instances.spread(trace), instances.communicator
    operations = np.bincount(of, minlength=count)
    ticks = np.bincount(whose, took, count)
    sums = np.bincount(of, spread, count) / np.maximum(operations, 1)
    most = np.zeros(count, np.int64)
    np.maximum.at(most, of, spread)
    return operations, ticks.astype(np.int64), sums.astype(np.int64), most
