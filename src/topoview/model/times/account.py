"""One account of time: each tick of each location is in exactly one class."""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from topoview.base.text import mark
from topoview.model.definitions import TimeState
from topoview.model.frozen.arrays import Bytes, Frozen, Ints
from topoview.model.times.waits import WAIT_KINDS
from topoview.model.trace import Timeline

SpanName = Literal["exchange", "run", "loop", "window"]
"""Which time numbers are of: from the first call that communicates to the last, from
the first event to the last, the iterations of the loop with most time, or a window."""

SPAN_TEXTS: Final[dict[SpanName, str]] = {
    "exchange": mark("exchange"),
    "run": mark("run"),
    "loop": mark("loop"),
    "window": mark("window"),
}

PROFILES: Final[dict[str, str]] = {
    "exchange": "profile",
    "run": "profile_of_run",
    "loop": "profile_of_loop",
}
"""Results that hold the profiles of spans."""

WAITED_STATES: Final = {
    "late_sender": TimeState.LATE_SENDER,
    "late_receiver": TimeState.LATE_RECEIVER,
    "wait_at_barrier": TimeState.WAIT_AT_BARRIER,
    "wait_at_nxn": TimeState.WAIT_AT_COLLECTIVE,
    "late_broadcast": TimeState.WAIT_AT_COLLECTIVE,
    "early_reduce": TimeState.WAIT_AT_COLLECTIVE,
    "early_scan": TimeState.WAIT_AT_COLLECTIVE,
    "wait_at_fence": TimeState.WAIT_ONE_SIDED,
    "wait_at_create": TimeState.WAIT_ONE_SIDED,
    "wait_at_free": TimeState.WAIT_ONE_SIDED,
    "late_post": TimeState.WAIT_ONE_SIDED,
    "early_wait": TimeState.WAIT_ONE_SIDED,
    "lock_contention": TimeState.WAIT_ONE_SIDED,
    "wait_at_io": TimeState.WAIT_AT_IO,
    "wait_at_setup": TimeState.WAIT_AT_SETUP,
}
"""State in which a location waits in each kind of `WAIT_KINDS`."""

FIRST_WAIT: Final = len(TimeState)
"""Class of the first kind of `WAIT_KINDS`; the classes below are states' codes."""

CLASSES: Final = FIRST_WAIT + len(WAIT_KINDS)
"""Codes of classes. Those of the states that wait for another rank are not used: the
kinds of `WAIT_KINDS` stand for them."""

AS_SHOWN: Final = 255
"""Stands for the class of a call whose rank's timeline tells it."""

STATE_OF_CLASS: Final = np.array(
    [*TimeState, *(WAITED_STATES[kind] for kind in WAIT_KINDS)], np.uint8
)
"""uint8, shape (CLASSES,): state as which scene and timeline show each class."""

_NAMES: Final = {
    TimeState.OUTSIDE: "not_recorded",
    TimeState.SETUP: "mpi_setup",
}

CLASS_NAMES: Final = (
    *(_NAMES.get(state, state.name.lower()) for state in TimeState),
    *WAIT_KINDS,
)
"""Name of each class, as scripts know it."""

Group = Literal["useful", "communication", "waiting", "other"]

GROUP_TEXTS: Final[dict[Group, str]] = {
    "useful": mark("Useful"),
    "communication": mark("Communication"),
    "waiting": mark("Waiting"),
    "other": mark("Other"),
}
"""Groups of classes, in the order in which they are shown."""

_GROUPS: Final[dict[TimeState, Group]] = {
    TimeState.COMPUTE: "useful",
    TimeState.KERNEL: "useful",
    TimeState.COPY: "communication",
    **dict.fromkeys(
        (
            TimeState.SEND,
            TimeState.RECEIVE,
            TimeState.COLLECTIVE,
            TimeState.BARRIER,
            TimeState.ONE_SIDED,
        ),
        "communication",
    ),
    **dict.fromkeys(
        (
            TimeState.OUTSIDE,
            TimeState.SETUP,
            TimeState.IO,
            TimeState.MEASUREMENT,
            TimeState.GPU_CALL,
        ),
        "other",
    ),
}


def group_of_class(code: int) -> Group:
    """Return the group of a class."""
    return _GROUPS.get(TimeState(int(STATE_OF_CLASS[code])), "waiting")


def joined_states(classes: Bytes, ticks: Ints) -> Ints:
    """Join classes of time to states: int64, from shape (n, classes) to (n, states)."""
    result = np.zeros((len(ticks), len(TimeState)), np.int64)
    for column, code in enumerate(classes.tolist()):
        result[:, STATE_OF_CLASS[code]] += ticks[:, column]
    return result


def class_name(code: int, *, device: bool = False) -> str:
    """Return the name of a class as scripts know it; devices that do nothing idle."""
    return "idle" if device and code == TimeState.OUTSIDE else CLASS_NAMES[code]


@dataclass(frozen=True, slots=True)
class Span:
    """The time that numbers are of."""

    name: SpanName
    begin: int
    end: int
    """`begin` and `end`: in ticks."""

    @property
    def window(self) -> tuple[int, int]:
        """Begin and end in ticks."""
        return self.begin, self.end


@dataclass(frozen=True, slots=True, eq=False)
class Account(Frozen):
    """What each location does at each time, in classes joined to states."""

    timeline: Timeline
    """As `Trace.timeline`, with waits for other ranks and what is never completed."""


_FAR: Final = 1000
"""A stamp that lies so many times the rest of a run apart from that is far."""


def recorded_run(first: Ints, last: Ints, *, hangs: bool) -> tuple[int, int]:
    """Return when a run begins and ends, without a stamp that is far from all others.

    Parameters
    ----------
    first, last : int64, shape (n,)
        First and last event of each location, in ticks.
    hangs
        Whether calls are never left: then the others hang, while time goes on.

    Examples
    --------
    >>> recorded_run(np.array([5, 6]), np.array([15, 10**6]), hangs=False)
    (5, 15)
    """
    if not len(first):
        return 0, 0
    begins, ends = np.sort(first).tolist(), np.sort(last)[::-1].tolist()
    begin, end = begins[0], ends[0]
    if len(first) > 1:
        far = _FAR * max(ends[1] - begins[1], 1)
        if begins[1] - begin > far:
            begin = begins[1]
        if end - ends[1] > far and not hangs:
            end = ends[1]
    return begin, end
