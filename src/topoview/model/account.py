"""One account of time: each tick of each location is in exactly one class."""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from topoview.base.text import mark
from topoview.model.arrays import Bytes, Frozen, Ints
from topoview.model.definitions import MPIState
from topoview.model.trace import Timeline
from topoview.model.waits import WAIT_KINDS

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
    "late_sender": MPIState.LATE_SENDER,
    "late_receiver": MPIState.LATE_RECEIVER,
    "wait_at_barrier": MPIState.WAIT_AT_BARRIER,
    "wait_at_nxn": MPIState.WAIT_AT_COLLECTIVE,
    "late_broadcast": MPIState.WAIT_AT_COLLECTIVE,
    "early_reduce": MPIState.WAIT_AT_COLLECTIVE,
    "early_scan": MPIState.WAIT_AT_COLLECTIVE,
    "wait_at_fence": MPIState.WAIT_ONE_SIDED,
    "wait_at_create": MPIState.WAIT_ONE_SIDED,
    "wait_at_free": MPIState.WAIT_ONE_SIDED,
    "late_post": MPIState.WAIT_ONE_SIDED,
    "early_wait": MPIState.WAIT_ONE_SIDED,
    "lock_contention": MPIState.WAIT_ONE_SIDED,
    "wait_at_io": MPIState.WAIT_AT_IO,
    "wait_at_setup": MPIState.WAIT_AT_SETUP,
}
"""State in which a location waits in each kind of `WAIT_KINDS`."""

FIRST_WAIT: Final = len(MPIState)
"""Class of the first kind of `WAIT_KINDS`; the classes below are states' codes."""

CLASSES: Final = FIRST_WAIT + len(WAIT_KINDS)
"""Codes of classes. Those of the states that wait for another rank are not used: the
kinds of `WAIT_KINDS` stand for them."""

AS_SHOWN: Final = 255
"""Stands for the class of a call whose rank's timeline tells it."""

STATE_OF_CLASS: Final = np.array(
    [*MPIState, *(WAITED_STATES[kind] for kind in WAIT_KINDS)], np.uint8
)
"""uint8, shape (CLASSES,): state as which scene and timeline show each class."""

_NAMES: Final = {
    MPIState.OUTSIDE: "not_recorded",
    MPIState.SETUP: "mpi_setup",
}

CLASS_NAMES: Final = (
    *(_NAMES.get(state, state.name.lower()) for state in MPIState),
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

_GROUPS: Final[dict[MPIState, Group]] = {
    MPIState.COMPUTE: "useful",
    MPIState.KERNEL: "useful",
    MPIState.COPY: "communication",
    **dict.fromkeys(
        (
            MPIState.SEND,
            MPIState.RECEIVE,
            MPIState.COLLECTIVE,
            MPIState.BARRIER,
            MPIState.ONE_SIDED,
        ),
        "communication",
    ),
    **dict.fromkeys(
        (
            MPIState.OUTSIDE,
            MPIState.SETUP,
            MPIState.IO,
            MPIState.MEASUREMENT,
            MPIState.GPU_CALL,
        ),
        "other",
    ),
}


def group_of_class(code: int) -> Group:
    """Return the group of a class."""
    return _GROUPS.get(MPIState(int(STATE_OF_CLASS[code])), "waiting")


def joined_states(classes: Bytes, ticks: Ints) -> Ints:
    """Join classes of time to states: from shape (n, classes) to (n, len(MPIState))."""
    result = np.zeros((len(ticks), len(MPIState)), np.int64)
    for column, code in enumerate(classes.tolist()):
        result[:, STATE_OF_CLASS[code]] += ticks[:, column]
    return result


def class_name(code: int, *, device: bool = False) -> str:
    """Return the name of a class as scripts know it; devices that do nothing idle."""
    return "idle" if device and code == MPIState.OUTSIDE else CLASS_NAMES[code]


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
