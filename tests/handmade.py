"""Traces written by hand, call by call."""

from collections.abc import Sequence

import numpy as np
from simulation.tables import timeline_of
from traces import made

from topoview.io.definitions.regions import operation_state
from topoview.model import (
    Calls,
    Collectives,
    Communicator,
    Messages,
    Regions,
    TimeState,
    Trace,
)

Place = tuple[int, int]
"""A rank, and the number of its call."""


def handmade(
    ranks: Sequence[Sequence[tuple[str, int, int]]],
    messages: Sequence[tuple[Place, ...]] = (),
    collectives: Sequence[tuple[int, int, Sequence[Place]]] = (),
    completes: Sequence[tuple[Place, Place]] = (),
) -> Trace:
    """Make a trace of calls at given times, a tick a millisecond.

    Parameters
    ----------
    ranks
        Of each rank the operations, when they are entered, and when left.
    messages
        The call that sends, the one that posts the receive, the one that completes it;
        perhaps the one that completes the send.
    collectives
        OTF2's code of the operation, the root or -1, and the calls, all in the world.
    completes
        Calls that wait, and those whose requests they complete.
    """
    n = len(ranks)
    offsets = np.concatenate(([0], np.cumsum([len(own) for own in ranks])))
    flat = [call for own in ranks for call in own]
    names = sorted({name for name, _, _ in flat})

    def at(place: Place) -> int:
        return int(offsets[place[0]]) + place[1]

    done = np.full(len(flat), -1, np.int64)
    for wait, posted in completes:
        done[at(wait)] = at(posted)
    regions = Regions(
        ("main", *(f"MPI_{name}" for name in names)),
        np.array([TimeState.COMPUTE, *map(operation_state, names)], np.uint8),
        np.arange(-1, len(names), dtype=np.int32),
        tuple(names),
    )
    enter = np.array([enter for _, enter, _ in flat], np.int64)
    leave = np.array([leave for _, _, leave in flat], np.int64)
    calls = Calls(
        offsets,
        np.array([1 + names.index(name) for name, _, _ in flat], np.int32),
        enter,
        leave,
        done,
        np.zeros(len(flat), np.int32),
        np.zeros(len(flat), np.uint8),
    )
    sent = sorted(messages, key=lambda message: at(message[0]))
    send, post, end = (
        np.array([at(message[k]) for message in sent], np.int64) for k in range(3)
    )
    parts = sorted(
        (at(place), code, root) for code, root, own in collectives for place in own
    )
    column = np.array(parts, np.int64).reshape(-1, 3).T.copy()
    length = int(leave.max()) + 10
    return made(
        n,
        length,
        regions=regions,
        calls=calls,
        communicators=(Communicator("MPI_COMM_WORLD", np.arange(n, dtype=np.int32)),),
        messages=Messages(
            np.array([message[0][0] for message in sent], np.int32),
            np.array([message[1][0] for message in sent], np.int32),
            np.full(len(sent), 8, np.int64),
            np.zeros(len(sent), np.int32),
            np.zeros(len(sent), np.int32),
            send,
            post,
            end,
            np.array([at(ends[3]) if ends[3:] else -1 for ends in sent], np.int64),
            enter[send],
            leave[end],
        ),
        collectives=Collectives(
            column[0],
            np.zeros(len(parts), np.int32),
            column[1].astype(np.uint8),
            column[2].astype(np.int32),
            np.zeros(len(parts), np.int64),
            np.zeros(len(parts), np.int64),
            column[0],
        ),
        timeline=timeline_of(
            calls, regions, np.zeros(n, np.int64), np.full(n, length, np.int64)
        ),
    )
