"""Events of a location replayed: intervals, MPI calls, their paths, and requests."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from otf2_reader.events import Event
from topoview.io.decoder.library import (
    MAX_KEPT_LEVELS,
    MAX_LOCATION_PATHS,
    MAX_PATH_DEPTH,
    MAX_TIME,
)
from topoview.io.definitions.regions import RegionLookup
from topoview.io.record_types import (
    BUFFER_FLUSH,
    COLLECTIVE_COMPLETE,
    COLLECTIVE_END,
    COLLECTIVE_REQUEST,
    CONTEXT_ENTER,
    CONTEXT_LEAVE,
    ENTER,
    IRECV,
    IRECV_REQUEST,
    ISEND,
    ISEND_COMPLETE,
    LEAVE,
    MEASUREMENT,
    RECV,
    SEND,
)
from topoview.model import CallPaths, TimeState

BEFORE = -1
"""Time of the first interval until the trace's beginning is known."""

DROPPED = 255
"""Kind of a record that says nothing."""

SENDS = (SEND, ISEND)
RECEIVES = (RECV, IRECV)
COLLECTIVES = (COLLECTIVE_END, COLLECTIVE_COMPLETE)
POSTS = (ISEND, IRECV_REQUEST, COLLECTIVE_REQUEST)
COMPLETIONS = (ISEND_COMPLETE, IRECV, COLLECTIVE_COMPLETE)
RECORDS = frozenset({*SENDS, *RECEIVES, *COLLECTIVES, *POSTS, *COMPLETIONS})
CHANGES = frozenset({ENTER, LEAVE, CONTEXT_ENTER, CONTEXT_LEAVE, MEASUREMENT})

_OUTSIDE, _COMPUTE = int(TimeState.OUTSIDE), int(TimeState.COMPUTE)
_MEASUREMENT_ON = 1
_CANCELLED = 21
_REPLAYED = RECORDS | CHANGES | {BUFFER_FLUSH, _CANCELLED}
_FARTHEST_LOOK = 4096
_DEEPEST_SEARCH = 1024


@dataclass(slots=True)
class Record:
    """A record of a message, a request or a collective."""

    kind: int
    when: int
    """`kind` and `when`: type of the event, and its time."""
    call: int
    """Index of the location's call that it was recorded in, -1 before any."""
    partner: int = 0
    communicator: int = 0
    tag: int = 0
    """As in the file; of a collective `partner` is its root, `tag` its operation."""
    size: int = 0
    received: int = 0
    """`size` and `received`: bytes."""
    post: "Record | None" = None
    """Record that posted the request which this one completes; else itself."""
    done: int = -1
    """Of a send, the call that completed it; -1 if nothing did."""


@dataclass(slots=True)
class Row:
    """What a location's events became; times are those of the file."""

    time: list[int] = field(default_factory=lambda: [BEFORE])
    state: list[int] = field(default_factory=lambda: [_OUTSIDE])
    region: list[int] = field(default_factory=lambda: [-1])
    call_region: list[int] = field(default_factory=list)
    enter: list[int] = field(default_factory=list)
    leave: list[int] = field(default_factory=list)
    completes: list[int] = field(default_factory=list)
    path: list[int] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    first: int = -1
    last: int = -1
    count: int = 0
    unbalanced: int = 0
    astray: int = 0
    open_word: int = -1

    def show(self, now: int, state: int, region: int) -> None:
        """Show a state and a region from now on."""
        if self.region[-1] == region and self.state[-1] == state:
            return
        now = max(now, self.time[-1])
        columns = (self.time, now), (self.state, state), (self.region, region)
        if self.time[-1] != now:
            for column, value in columns:
                column.append(value)
        elif len(self.time) > 1 and (self.state[-2], self.region[-2]) == (
            state,
            region,
        ):
            for column, _ in columns:
                column.pop()
        else:
            self.state[-1], self.region[-1] = state, region


class Paths:
    """Call paths as a tree: each is the one around it, and a region."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, int], int] = {}
        self._parents, self._regions = [-1], [-1]
        self.cut = 0

    def number(self, stack: Sequence[int]) -> int:
        """Find the path of a stack of regions, -1 for unknown ones."""
        path = 0
        self.cut += len(stack) > MAX_PATH_DEPTH
        for region in stack[:MAX_PATH_DEPTH]:
            if (path, region) not in self._numbers:
                if len(self._parents) == MAX_LOCATION_PATHS:
                    self.cut += 1
                    break
                self._numbers[path, region] = len(self._parents)
                self._parents.append(path)
                self._regions.append(region)
            path = self._numbers[path, region]
        return path

    def as_model(self) -> CallPaths:
        """Give all of them."""
        return CallPaths(
            np.array(self._parents, np.int32), np.array(self._regions, np.int32)
        )


def replay(
    events: Sequence[Event],
    meaning: RegionLookup,
    paths: Paths,
    idle: int,
    flat: bool,
    ends: Sequence[int] = (),
) -> Row:
    """Replay the events of a location.

    Parameters
    ----------
    idle
        State outside of all regions.
    flat
        MPI calls are never nested: one that begins within another ends that.
    ends
        Numbers of events up to the end of each chunk: in the rest of its own it is
        looked for whether a region is left later.
    """
    row = Row(count=len(events))
    if not events:
        return row
    row.first = min(events[0][0], MAX_TIME)
    location = _Location(row, meaning, paths, flat, events, ends)
    for place, (time, kind, fields) in enumerate(events):
        if place and kind not in _REPLAYED:
            continue
        location.now = max(location.now, min(time, MAX_TIME))
        if kind in RECORDS:
            location.record(kind, fields)
        elif kind in CHANGES:
            location.place = place
            location.change(kind, fields[0])
        elif kind == _CANCELLED:
            location.cancel(fields[0])
        elif kind == BUFFER_FLUSH and location.now < fields[0] <= MAX_TIME:
            _, region = location.shown(idle)
            begin = max(location.now, row.time[-1])
            row.show(begin, int(TimeState.MEASUREMENT), region)
            row.show(max(begin, fields[0]), *location.shown(idle))
        row.show(location.now, *location.shown(idle))
    row.last = max(location.now, min(events[-1][0], MAX_TIME), row.time[-1])
    if location.open_level >= 0:
        row.leave[-1] = row.last
        if not location.off:
            state, region = location.shown(idle)
            row.open_word = state << 32 | region % (1 << 32)
    row.show(row.last, _OUTSIDE, -1)
    row.completes = [max(call, -1) for call in row.completes]
    return row


class _Location:
    """Where a location is, while its events are replayed."""

    def __init__(
        self,
        row: Row,
        meaning: RegionLookup,
        paths: Paths,
        flat: bool,
        events: Sequence[Event],
        ends: Sequence[int],
    ) -> None:
        self.row, self.paths, self.flat, self.events = row, paths, flat, events
        self.ends, self.place = ends, 0
        self.operation = meaning.operation.tolist()
        self.states = meaning.state.tolist()
        identified = zip(
            meaning.identifiers.tolist(), meaning.dense.tolist(), strict=True
        )
        self.regions = dict(identified)
        self.contexts = dict(enumerate(meaning.contexts.tolist()))
        self.now, self.off, self.analysis = 0, False, 0
        self.open_level = self.cut = -1
        self.stack: list[int] = []
        self.requests: dict[int, Record] = {}

    def shown(self, idle: int) -> tuple[int, int]:
        """Tell the state and the region that the location is in."""
        if self.off:
            return _OUTSIDE, -1
        if not self.stack:
            return idle, -1
        here = self.stack[-1]
        return (self.states[here] if here >= 0 else _COMPUTE), here

    def change(self, kind: int, reference: int) -> None:
        """Enter or leave a region; begin or end a call that it is."""
        if kind == MEASUREMENT:
            begins = not self.off and reference != _MEASUREMENT_ON
            self.off = reference != _MEASUREMENT_ON
            if begins:  # a call that is open may be left meanwhile
                self.cut = self.now if self.open_level >= 0 else -1
        if kind in (LEAVE, CONTEXT_LEAVE):
            self.cut = -1
        table = self.regions if kind in (ENTER, LEAVE) else self.contexts
        region = table.get(reference, -1)
        if kind in (ENTER, CONTEXT_ENTER):
            if region >= 0 and self.operation[region] >= 0:
                self.begin_call(region)
            self.stack.append(region)
        elif kind in (LEAVE, CONTEXT_LEAVE):
            if self.stack and self.stack[-1] == region:
                self.stack.pop()
            else:
                self.row.unbalanced += 1
                nearest = self.stack[-_DEEPEST_SEARCH:][::-1]
                if region in nearest:
                    self.leave_below(len(self.stack) - 1 - nearest.index(region))
            self.analysis = min(self.analysis, len(self.stack))
            if self.open_level >= len(self.stack):
                self.row.leave[-1] = self.now
                self.open_level = -1

    def leave_below(self, level: int) -> None:
        """Leave a region, and those above it but for those that are left later."""
        above = list(enumerate(self.stack))[level + 1 :]
        kept: list[tuple[int, int]] = []
        for place, region in above:
            still_open = (*self.stack[:level], *(other for _, other in kept))
            times = 1 + still_open.count(region)
            if not self.flat and self.is_left_later(region, times):
                kept.append((place, region))
        self.stack[level:] = [region for _, region in kept]
        self.analysis = min(self.analysis, level)
        if self.open_level >= level:
            open_ = [n for n, (place, _) in enumerate(kept) if place == self.open_level]
            if open_:
                self.open_level = level + open_[0]
            else:
                self.row.leave[-1] = self.now
                self.open_level = -1

    def is_left_later(self, region: int, times: int) -> bool:
        """Tell whether what is ahead leaves it so many times more than it enters it."""
        entered, after = 0, self.place + 1
        ends = (end for end in self.ends if end >= after)
        chunk_end = next(ends, len(self.events))
        for place in range(after, min(chunk_end, after + _FARTHEST_LOOK)):
            _, kind, fields = self.events[place]
            if kind not in (ENTER, LEAVE, CONTEXT_ENTER, CONTEXT_LEAVE):
                continue
            table = self.regions if kind in (ENTER, LEAVE) else self.contexts
            if table.get(fields[0], -1) == region:
                if kind in (ENTER, CONTEXT_ENTER):
                    entered += 1
                elif entered:
                    entered -= 1
                else:
                    times -= 1
            if not times:
                return True
        return False

    def cancel(self, request: int) -> None:
        """Forget a message that was cancelled."""
        record = self.requests.pop(request, None)
        if record is not None and record.kind == ISEND:
            record.kind = DROPPED

    def begin_call(self, region: int) -> None:
        """Begin an MPI call, unless it is a part of another one."""
        row = self.row
        if (self.flat or self.cut >= 0) and self.open_level >= 0:
            row.leave[-1] = self.now if self.flat else self.cut
            self.cut = -1
            del self.stack[self.open_level :]
            self.open_level = -1
            row.unbalanced += 1
        if self.open_level >= 0:
            return
        depth = len(self.stack)
        row.call_region.append(region)
        row.enter.append(self.now)
        row.leave.append(self.now)
        row.completes.append(-1)
        row.path.append(self.paths.number(self.stack))
        row.kept.append(min(self.analysis, depth, MAX_KEPT_LEVELS))
        self.analysis = min(depth, MAX_PATH_DEPTH)
        self.open_level = depth

    def record(self, kind: int, fields: tuple[int, ...]) -> None:
        """Note a record, and what it completes.

        Identifiers of requests may be used again once they were completed. What EZTrace
        records as a receive when a persistent send completes says nothing.
        """
        record = Record(kind, self.now, len(self.row.enter) - 1)
        self.row.astray += self.open_level < 0
        if kind in COLLECTIVES:
            record.tag, record.communicator, record.partner = fields[:3]
            record.size, record.received = map(_signed, fields[3:5])
        elif kind in (*SENDS, *RECEIVES):
            record.partner, record.communicator, record.tag = fields[:3]
            record.size = _signed(fields[3])
        record.post = record
        record.done = record.call if kind == SEND else -1
        self.row.records.append(record)
        if kind in POSTS:
            self.requests[fields[-1]] = record
        elif kind in COMPLETIONS and fields[-1] in self.requests:
            record.post = self.requests.pop(fields[-1])
            record.post.done = record.call
            if kind == IRECV and record.post.kind == ISEND:
                record.kind = DROPPED
            if record.call >= 0 and record.call != record.post.call:
                several = self.row.completes[record.call] != -1
                self.row.completes[record.call] = -2 if several else record.post.call


def _signed(size: int) -> int:
    """Read 64 bits as a signed number: what is not defined is -1."""
    return size - (1 << 64) if size >> 63 else size
