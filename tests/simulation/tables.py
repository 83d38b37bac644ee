"""Tables of a simulated trace, filled for all ranks at once."""

from dataclasses import dataclass

import numpy as np

from simulation.program import Exchange, Program
from topoview.model import (
    Calls,
    Collectives,
    Indices,
    Ints,
    Messages,
    Regions,
    Timeline,
    TimeState,
)

STATES = {
    "Init": TimeState.SETUP,
    "Cart_create": TimeState.SETUP,
    "Barrier": TimeState.BARRIER,
    "Irecv": TimeState.RECEIVE,
    "Isend": TimeState.SEND,
    "Waitall": TimeState.WAIT,
    "Allreduce": TimeState.COLLECTIVE,
    "Finalize": TimeState.SETUP,
}
"""Operations that a simulated program calls, and a rank's state in each."""

COLLECTIVES = {"Barrier": (0, 0), "Allreduce": (11, 8)}
"""Operations recorded as collectives: OTF2_CollectiveOp code, and bytes."""

BUSY = 400
"""Ticks that any call takes by itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Times:
    """When ranks make the calls of one iteration, in ticks.

    Attributes
    ----------
    post, send : int64, shape (messages,)
        When the receiver enters Irecv, and the sender Isend.
    wait, done : int64, shape (ranks,)
        When each rank enters Waitall, and leaves it.
    """

    post: Ints
    send: Ints
    wait: Ints
    done: Ints


# Where the calls of an iteration lie among those of their rank.


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """Number of each message's calls among those that a rank posts in an iteration.

    Attributes
    ----------
    receive, send : int64, shape (messages,)
        Of the receiver's Irecv, and of the sender's Isend, which come after.
    among_sends : int64, shape (messages,)
        Number of the message among those that the sender sends.
    sends, posts : int64, shape (ranks,)
        Number of Isend, and of both, that each rank posts.
    """

    receive: Ints
    send: Ints
    among_sends: Ints
    sends: Ints
    posts: Ints


def slots_of(ranks: int, traffic: Exchange) -> Slots:
    """Give the calls of one iteration their numbers."""
    sends = np.bincount(traffic.sender, minlength=ranks)
    receives = np.bincount(traffic.receiver, minlength=ranks)
    among_sends = _number_within(traffic.sender, sends)
    return Slots(
        receive=_number_within(traffic.receiver, receives),
        send=receives[traffic.sender] + among_sends,
        among_sends=among_sends,
        sends=sends,
        posts=sends + receives,
    )


def _number_within(group: Indices, sizes: Ints) -> Ints:
    """Count the elements of each group, in order of appearance."""
    order = np.argsort(group, kind="stable")
    number = np.empty(len(group), np.int64)
    number[order] = np.arange(len(group)) - offsets_of(sizes)[group[order]]
    return number


def offsets_of(sizes: Ints) -> Ints:
    """Begin of each of adjacent blocks, and their end: int64, shape (n + 1,)."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


class Recorder:
    """Takes the calls of all ranks in program order, and makes the tables."""

    def __init__(self, program: Program, traffic: Exchange) -> None:
        self.traffic = traffic
        self.slots = slots_of(program.ranks, traffic)
        every = program.allreduce_every
        reductions = program.iterations // every if every else 0
        once = ["Init", *["Cart_create"] * program.cartesian, "Barrier", "Finalize"]
        used = {*once, *["Allreduce"] * (reductions > 0)}
        if len(traffic.sender) and program.iterations:
            used |= {"Irecv", "Isend", "Waitall"}
        self.regions = _regions([name for name in STATES if name in used])
        self._waits = (self.slots.posts > 0).astype(np.int64)
        repeated = program.iterations * (self.slots.posts + self._waits)
        self._offsets = offsets_of(len(once) + reductions + repeated)
        self._next = self._offsets[:-1].copy()
        total = int(self._offsets[-1])
        self._region = np.empty(total, np.int32)
        self._enter = np.empty(total, np.int64)
        self._leave = np.empty(total, np.int64)
        self._completes = np.full(total, -1, np.int64)
        self._parts: list[tuple[str, Ints]] = []
        self._first = offsets_of(self.slots.sends * program.iterations)
        sent = int(self._first[-1])
        self._which = np.empty(sent, np.int32)
        self._send_call = np.empty(sent, np.int64)
        self._receive_call = np.empty(sent, np.int64)
        self._completion_call = np.empty(sent, np.int64)
        self._send_completion = np.empty(sent, np.int64)

    def collective(self, operation: str, enter: Ints, leave: Ints) -> None:
        """Record a call that every rank makes."""
        if operation in COLLECTIVES:
            self._parts.append((operation, self._next.copy()))
        self._put(operation, self._next, enter, leave)
        self._next += 1

    def exchange(self, iteration: int, times: Times) -> None:
        """Record an iteration's messages."""
        slots, traffic = self.slots, self.traffic
        receives = self._next[traffic.receiver] + slots.receive
        sends = self._next[traffic.sender] + slots.send
        waits = self._next + slots.posts
        waiting = slots.posts > 0
        self._put("Irecv", receives, times.post, times.post + BUSY)
        self._put("Isend", sends, times.send, times.send + BUSY)
        self._put("Waitall", waits[waiting], times.wait[waiting], times.done[waiting])
        alone = slots.posts == 1
        self._completes[waits[alone]] = waits[alone] - 1
        row = self._first[traffic.sender] + iteration * slots.sends[traffic.sender]
        row += slots.among_sends
        self._which[row] = np.arange(len(row))
        self._send_call[row] = sends
        self._receive_call[row] = receives
        self._completion_call[row] = waits[traffic.receiver]
        self._send_completion[row] = waits[traffic.sender]
        self._next += slots.posts + self._waits

    def _put(self, operation: str, calls: Ints, enter: Ints, leave: Ints) -> None:
        self._region[calls] = self.regions.names.index(f"MPI_{operation}")
        self._enter[calls] = enter
        self._leave[calls] = leave

    def calls(self) -> Calls:
        """Make the table of calls, all of them in the program itself."""
        kept = np.ones(len(self._region), np.uint8)
        kept[self._offsets[:-1][np.diff(self._offsets) > 0]] = 0
        return Calls(
            self._offsets,
            self._region,
            self._enter,
            self._leave,
            self._completes,
            np.ones(len(self._region), np.int32),
            kept,
        )

    def messages(self, communicator: int) -> Messages:
        """Make the table of messages, all in one communicator.

        As measured programs tell it, a message is sent on entering the call
        that sends it, and received on leaving the call that completes it.
        """
        traffic, which = self.traffic, self._which
        return Messages(
            sender=traffic.sender[which],
            receiver=traffic.receiver[which],
            size=traffic.size[which],
            tag=traffic.tag[which],
            communicator=np.full(len(which), communicator, np.int32),
            send_call=self._send_call,
            receive_call=self._receive_call,
            completion_call=self._completion_call,
            send_completion_call=self._send_completion,
            send_time=self._enter[self._send_call],
            receive_time=self._leave[self._completion_call],
        )

    def collectives(self) -> Collectives:
        """Make the table of collectives, all in the world."""
        # the i-th collective of all ranks is the same one: ranks go first
        call = np.stack([calls for _, calls in self._parts], 1).ravel()
        ranks = len(self._next)
        code = [COLLECTIVES[operation][0] for operation, _ in self._parts]
        size = np.array([COLLECTIVES[operation][1] for operation, _ in self._parts])
        volume = np.tile(size.astype(np.int64), ranks)
        return Collectives(
            call=call,
            communicator=np.zeros(len(call), np.int32),
            operation=np.tile(np.array(code, np.uint8), ranks),
            root=np.full(len(call), -1, np.int32),
            sent=volume,
            received=volume.copy(),
            completion_call=call,
        )


def _regions(operations: list[str]) -> Regions:
    """Make the regions: the program itself, then one for each operation."""
    states = [TimeState.COMPUTE, *(STATES[operation] for operation in operations)]
    return Regions(
        names=("main", *(f"MPI_{operation}" for operation in operations)),
        state=np.array(states, np.uint8),
        operation=np.arange(-1, len(operations), dtype=np.int32),
        operations=tuple(operations),
    )


def timeline_of(calls: Calls, regions: Regions, start: Ints, end: Ints) -> Timeline:
    """Make the timeline of ranks that are in region 0 where they are in no call.

    Parameters
    ----------
    calls
        Calls that follow each other with gaps, at least one in each row.
    regions
        Regions.
    start, end : int64, shape (rows,)
        When each row enters region 0, and leaves it.
    """
    number = np.diff(calls.offsets)
    late = (start > 0).astype(np.int64)
    offsets = offsets_of(late + 2 * number + 2)
    first = offsets[:-1] + late
    time = np.zeros(int(offsets[-1]), np.int64)
    region: Indices = np.zeros(len(time), np.int32)
    state = np.full(len(time), TimeState.COMPUTE, np.uint8)
    before = np.repeat(first - 2 * calls.offsets[:-1], number)
    entered = before + 2 * np.arange(len(calls)) + 1
    time[first] = start
    time[entered] = calls.enter
    time[entered + 1] = calls.leave
    time[offsets[1:] - 1] = end
    region[entered] = calls.region
    state[entered] = regions.state[calls.region]
    for outside in (offsets[:-1][late > 0], offsets[1:] - 1):
        region[outside] = -1
        state[outside] = TimeState.OUTSIDE
    return Timeline(offsets, time, state, region)
