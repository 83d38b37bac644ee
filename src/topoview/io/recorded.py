"""What reading found in the events of a trace, whoever read them."""

from dataclasses import dataclass, field
from typing import NamedTuple

from topoview.model import (
    Alignment,
    Calls,
    Collectives,
    Ints,
    Messages,
    Paths,
    Records,
    Timeline,
)


class Tally(NamedTuple):
    """What did not fit.

    Attributes
    ----------
    no_receive, no_send
        Messages of which that is not recorded.
    unknown_partners
        Records that name a partner outside of their communicator.
    backwards, worst
        Messages received before they were sent; by how many ticks at most.
    loosely
        Receives matched though they name another communicator.
    unknown_senders
        Those of `unknown_partners` that are receives.
    null_receives
        Receives from nobody (MPI_PROC_NULL), or from a process without a rank.
    from_self
        Receives that match nothing and claim to come from their own rank (EZTrace).
    unset
        Receives that hold memory which was never set (EZTrace).
    between
        Numbers of communicators that are one between two groups (EZTrace).
    """

    no_receive: int
    no_send: int
    unknown_partners: int
    backwards: int
    worst: int
    loosely: int = 0
    unknown_senders: int = 0
    null_receives: int = 0
    from_self: int = 0
    unset: int = 0
    between: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Recorded:
    """The events of a trace.

    Attributes
    ----------
    timeline, calls, messages, collectives, further
        As the model has them.
    paths, path_cut
        Call paths; how many times one was told shorter than it is.
    counts
        Events of each type, by its name; empty if they were not told apart.
    count
        Events in all.
    origin
        Time stamp of the trace's beginning.
    last : int64, shape (rows,)
        Ticks to the last event of each row, -1 without events.
    aligned
        Whether clocks of different ranks can be compared.
    tally
        Messages that did not fit.
    astray, spoilt
        Records of messages outside of any MPI call; records that hold numbers
        which are none.
    faults
        What is wrong with files: kind of file and description, and the files
        that they hold for.
    lost, lost_in
        Events that are known to be there, but could not be read; how many of them in
        each file that has some.
    unread
        Bytes of files before and behind what was asked for.
    alignment
        How the clocks were aligned; None if they were, or could not be.
    """

    timeline: Timeline
    calls: Calls
    messages: Messages
    collectives: Collectives
    tally: Tally
    count: int
    origin: int
    last: Ints
    aligned: bool
    paths: Paths = field(default_factory=Paths)
    further: tuple[Records, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    astray: int = 0
    spoilt: int = 0
    path_cut: int = 0
    faults: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    lost: int = 0
    lost_in: dict[str, int] = field(default_factory=dict)
    unread: int = 0
    alignment: Alignment | None = None

    @property
    def length(self) -> int:
        """Ticks from the trace's beginning to its last event."""
        return int(self.last.max(initial=0))
