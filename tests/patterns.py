"""Programs that go through given patterns of messages one after the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from traces import made

from topoview.model import (
    CallPaths,
    Calls,
    CartesianTopology,
    Collectives,
    Communicator,
    Messages,
    Regions,
    Timeline,
    TimeState,
    Trace,
)

OPERATIONS = ("Isend", "Irecv", "Alltoall", "Bcast", "Waitall")


@dataclass(frozen=True)
class Stage:
    """Directed messages that are sent `times` times; or a collective operation.

    `region` is the user's region around them. `root` is -1 in an Alltoall.
    """

    messages: Sequence[tuple[int, int]] = ()
    times: int = 1
    region: str = ""
    communicator: int = 0
    collective: bool = False
    root: int = -1


def both_ways(edges: np.ndarray) -> list[tuple[int, int]]:
    """Send along each edge in both directions."""
    pairs = edges.tolist()
    return [(u, v) for u, v in pairs] + [(v, u) for u, v in pairs]


def run(  # noqa: C901 - a program of four kinds of calls
    ranks: int,
    stages: Sequence[Stage],
    communicators: Sequence[Sequence[int]] = (),
    topologies: tuple[CartesianTopology, ...] = (),
    *,
    receives: bool = True,
    waits: bool = False,
) -> tuple[Trace, np.ndarray]:
    """Make the trace of a program, and tell the stage of each of its messages.

    Every call lasts 2 ticks, the next one follows after 2. Without `receives`
    these are not recorded, as EZTrace does. With `waits` each rank waits for all its
    messages whenever the stage's have been posted once.
    """
    groups = [list(range(ranks)), *communicators]
    names = ["compute", *sorted({s.region for s in stages if s.region})]
    calls: list[list[tuple[int, int, int]]] = [[] for _ in range(ranks)]
    sent: list[list[int]] = []
    parts: list[tuple[int, int, int, int]] = []
    for number, stage in enumerate(stages):
        region = names.index(stage.region) if stage.region else 0
        for _ in range(stage.times):
            if stage.collective:
                for rank in groups[stage.communicator]:
                    parts.append(
                        (rank, len(calls[rank]), stage.communicator, stage.root)
                    )
                    calls[rank].append((2 if stage.root < 0 else 3, region, number))
            posted = len(sent)
            for sender, receiver in stage.messages:
                row = [sender, receiver, len(calls[sender]), -1, number]
                calls[sender].append((0, region, number))
                if receives:
                    row[3] = len(calls[receiver])
                    calls[receiver].append((1, region, number))
                sent.append([*row, stage.communicator, row[3]])
            if waits:
                for message in sent[posted:]:
                    message[6] = len(calls[message[1]]) if receives else -1
                for rank in {rank for pair in stage.messages for rank in pair}:
                    calls[rank].append((4, region, number))
    offsets = np.concatenate([[0], np.cumsum([len(c) for c in calls])]).astype(np.int64)
    flat = [call for row in calls for call in row]
    table = np.array(sent, np.int64).reshape(-1, 7)
    table[:, 2] += offsets[table[:, 0]]
    for end in (3, 6):
        some = table[:, end] >= 0
        table[some, end] += offsets[table[some, 1]]
    # kernels take columns that are contiguous, as reading makes them
    table = np.asfortranarray(table[np.argsort(table[:, 2], kind="stable")])
    begins = [4 * np.arange(len(own), dtype=np.int64) + 2 for own in calls]
    enter = np.concatenate([np.zeros(0, np.int64), *begins])
    leave = enter + 2
    operation = np.array([c[0] for c in flat], np.int32)
    regions = Regions(
        names=(*names, *(f"MPI_{o}" for o in OPERATIONS)),
        state=np.array(
            [TimeState.COMPUTE] * len(names)
            + [TimeState.SEND, TimeState.RECEIVE, TimeState.COLLECTIVE]
            + [TimeState.COLLECTIVE, TimeState.WAIT],
            np.uint8,
        ),
        operation=np.array([-1] * len(names) + [0, 1, 2, 3, 4], np.int32),
        operations=OPERATIONS,
    )
    got = table[:, 3] >= 0
    receive_time = np.where(got, leave[table[:, 6]] if len(leave) else -1, -1)
    collective = np.array(parts, np.int64).reshape(-1, 4)
    part_call = collective[:, 1] + offsets[collective[:, 0]]
    order = np.argsort(part_call, kind="stable")
    trace = made(
        ranks,
        int(leave.max(initial=0)) + 4,
        producer="Score-P",
        regions=regions,
        communicators=tuple(
            Communicator("MPI_COMM_WORLD" if not i else f"group {i}", _ints(group))
            for i, group in enumerate(groups)
        ),
        topologies=topologies,
        timeline=_timeline(calls, len(names)),
        calls=Calls(
            offsets,
            operation + np.int32(len(names)),
            enter,
            leave,
            np.full(len(enter), -1, np.int64),
            _ints(np.array([c[1] + 1 for c in flat])),
            np.array(
                [
                    c[1] == b[1]
                    for row in calls
                    for b, c in pairwise([(0, -1, 0), *row])
                ],
                np.uint8,
            ),
        ),
        paths=CallPaths(
            np.array([-1, *(0 for _ in names)], np.int32),
            np.arange(-1, len(names), dtype=np.int32),
        ),
        messages=Messages(
            sender=_ints(table[:, 0]),
            receiver=_ints(table[:, 1]),
            size=np.full(len(table), 8, np.int64),
            tag=np.zeros(len(table), np.int32),
            communicator=_ints(table[:, 5]),
            send_call=table[:, 2],
            receive_call=table[:, 3],
            completion_call=table[:, 6],
            send_completion_call=table[:, 2],
            send_time=enter[table[:, 2]] if len(enter) else table[:, 2],
            receive_time=receive_time,
        ),
        collectives=Collectives(
            call=part_call[order],
            communicator=_ints(collective[order, 2]),
            operation=np.zeros(len(order), np.uint8),
            root=_ints(collective[order, 3]),
            sent=np.full(len(order), 8, np.int64),
            received=np.full(len(order), 8, np.int64),
            completion_call=part_call[order],
        ),
    )
    return trace, table[:, 4]


def _ints(values: object) -> np.ndarray:
    return np.asarray(values, np.int32)


def _timeline(calls: list[list[tuple[int, int, int]]], first: int) -> Timeline:
    """Each call, and before each the user's region that it is made in."""
    offsets, time, state, region = [0], [], [], []
    collectives = [TimeState.COLLECTIVE] * 2
    codes = [TimeState.SEND, TimeState.RECEIVE, *collectives, TimeState.WAIT]
    for row in calls:
        for i, (operation, user, _) in enumerate(row):
            time += [4 * i, 4 * i + 2]
            state += [TimeState.COMPUTE, codes[operation]]
            region += [user, first + operation]
        time.append(4 * len(row))
        state.append(TimeState.OUTSIDE)
        region.append(-1)
        offsets.append(len(time))
    return Timeline(
        np.array(offsets, np.int64),
        np.array(time, np.int64),
        np.array(state, np.uint8),
        np.array(region, np.int32),
    )
