"""Small MPI programs, written call by call for each rank, as traces."""

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from traces import made

from topoview.model import (
    Calls,
    Collectives,
    Communicator,
    Messages,
    Regions,
    Timeline,
    TimeState,
    Trace,
)


@dataclass(frozen=True)
class Step:
    """A call: messages sent (receiver, bytes), ranks received from, and more.

    `posted` is the index among the rank's own steps of the call whose request
    a Wait completes; `part` is (communicator, root, bytes) of a collective.
    """

    operation: str
    sends: tuple[tuple[int, int], ...] = ()
    receives: tuple[int, ...] = ()
    posted: int = -1
    part: tuple[int, int, int] | None = None


class Grid:
    """Directions on an open or periodic grid, ranks row-major with x fastest."""

    def __init__(self, dims: tuple[int, ...], *, periodic: bool = False) -> None:
        self.dims = dims
        self.periodic = periodic
        self.ranks = int(np.prod(dims))

    def place(self, rank: int) -> list[int]:
        place = []
        for extent in self.dims:
            place.append(rank % extent)
            rank //= extent
        return place

    def names(
        self, ranks: np.ndarray, partners: np.ndarray
    ) -> tuple[np.ndarray, list[str]]:
        said = [
            " ".join(map(str, self._offset(int(r), int(p))))
            for r, p in zip(ranks, partners, strict=True)
        ]
        names = sorted(set(said))
        return np.array([names.index(name) for name in said], np.int32), names

    def _offset(self, rank: int, partner: int) -> list[int]:
        offset = []
        here, there = self.place(rank), self.place(partner)
        for a, b, extent in zip(here, there, self.dims, strict=True):
            step = b - a
            if self.periodic:
                step = (step + (extent - 1) // 2) % extent - (extent - 1) // 2
            offset.append(step)
        return offset

    def partner(self, rank: int, name: str) -> int | None:
        return self.towards(rank, [int(word) for word in name.split()])

    def towards(self, rank: int, offset: Sequence[int]) -> int | None:
        there, weight = 0, 1
        for a, step, extent in zip(self.place(rank), offset, self.dims, strict=True):
            b = a + step
            if self.periodic:
                b %= extent
            elif not 0 <= b < extent:
                return None
            there += b * weight
            weight *= extent
        return there


STATES = {
    "Send": TimeState.SEND,
    "Isend": TimeState.SEND,
    "Recv": TimeState.RECEIVE,
    "Irecv": TimeState.RECEIVE,
    "Wait": TimeState.WAIT,
    "Waitall": TimeState.WAIT,
    "Barrier": TimeState.BARRIER,
}


def trace_of(
    ranks: Sequence[Sequence[Step]], communicators: Sequence[Sequence[int]] = ()
) -> Trace:
    """Make the trace of a program; every call lasts 3 ticks, 7 after the last.

    Messages of a pair of ranks are matched in order. Communicator 0 is the
    world, the others follow.
    """
    operations = sorted({step.operation for steps in ranks for step in steps})
    counts = [len(steps) for steps in ranks]
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    sent: list[tuple[int, int, int, int]] = []
    posted: dict[tuple[int, int], deque[int]] = defaultdict(deque)
    completes, region, parts = [], [], []
    for rank, steps in enumerate(ranks):
        for index, step in enumerate(steps):
            call = int(offsets[rank]) + index
            region.append(operations.index(step.operation))
            completes.append(
                int(offsets[rank]) + step.posted if step.posted >= 0 else -1
            )
            sent += [(call, rank, to, size) for to, size in step.sends]
            for source in step.receives:
                posted[source, rank].append(call)
            if step.part:
                parts.append((call, *step.part))
    receive = [
        posted[sender, to].popleft() if posted[sender, to] else -1
        for _, sender, to, _ in sent
    ]
    table = np.array(sent, np.int64).reshape(-1, 4)
    part = np.array(parts, np.int64).reshape(-1, 4)
    enter = np.concatenate([10 * np.arange(count) for count in counts] or [[]])
    enter = enter.astype(np.int64)
    states = [STATES.get(name, TimeState.COLLECTIVE) for name in operations]
    rows = len(ranks)
    return made(
        rows,
        10 * max(counts, default=0),
        1_000_000,
        regions=Regions(
            tuple(f"MPI_{name}" for name in operations),
            np.array(states, np.uint8),
            np.arange(len(operations), dtype=np.int32),
            tuple(operations),
        ),
        communicators=(
            Communicator("MPI_COMM_WORLD", np.arange(rows, dtype=np.int32)),
            *(Communicator("", np.array(c, np.int32)) for c in communicators),
        ),
        timeline=Timeline(
            np.arange(rows + 1, dtype=np.int64),
            np.zeros(rows, np.int64),
            np.zeros(rows, np.uint8),
            np.full(rows, -1, np.int32),
        ),
        calls=Calls(
            offsets,
            np.array(region, np.int32),
            enter,
            enter + 3,
            np.array(completes, np.int64),
            np.zeros(len(region), np.int32),
            np.zeros(len(region), np.uint8),
        ),
        messages=Messages(
            table[:, 1].astype(np.int32),
            table[:, 2].astype(np.int32),
            table[:, 3],
            np.zeros(len(table), np.int32),
            np.zeros(len(table), np.int32),
            table[:, 0],
            np.array(receive, np.int64),
            np.array(receive, np.int64),
            table[:, 0],
            np.zeros(len(table), np.int64),
            np.array([-1 if call < 0 else 0 for call in receive], np.int64),
        ),
        collectives=Collectives(
            part[:, 0],
            part[:, 1].astype(np.int32),
            np.zeros(len(part), np.uint8),
            part[:, 2].astype(np.int32),
            part[:, 3],
            part[:, 3],
            part[:, 0],
        ),
    )


def entries_of(
    trace: Trace, rank: int
) -> list[tuple[str, int | None, int | None, int | None]]:
    """Read what a rank did, straight from the trace; only for single messages."""
    sends = {int(c): i for i, c in enumerate(trace.messages.send_call)}
    receives = {int(c): i for i, c in enumerate(trace.messages.receive_call) if c >= 0}
    parts = {int(c): i for i, c in enumerate(trace.collectives.call)}
    found = []
    begin, end = trace.calls.offsets[rank : rank + 2].tolist()
    for call in range(begin, end):
        name = trace.regions.operations[trace.calls.region[call]]
        to = source = size = None
        if call in parts and name != "Barrier":
            size = int(trace.collectives.sent[parts[call]])
        if call in receives:
            source = int(trace.messages.sender[receives[call]])
            size = int(trace.messages.size[receives[call]])
        if call in sends:
            to = int(trace.messages.receiver[sends[call]])
            size = int(trace.messages.size[sends[call]])
        found.append((name, to, size, source))
    return found


def halo(grid: Grid, turns: int = 5) -> Trace:
    """Exchange with up to 26 neighbours, one by one, and an Allreduce; so often."""
    offsets = [o for o in product((-1, 0, 1), repeat=len(grid.dims)) if any(o)]
    ranks = []
    for rank in range(grid.ranks):
        there = [p for o in offsets if (p := grid.towards(rank, o)) is not None]
        own: list[Step] = []
        for _ in range(turns):
            begin = len(own)
            own += [Step("Irecv", receives=(p,)) for p in there]
            own += [Step("Send", sends=((p, 800),)) for p in there]
            own += [Step("Wait", posted=begin + k) for k in range(len(there))]
            own.append(Step("Allreduce", part=(0, -1, 8)))
        ranks.append(own)
    return trace_of(ranks)
