"""What reading found in the events of a trace, whoever read them."""

from dataclasses import dataclass, field
from typing import NamedTuple

from topoview.model import Calls, Collectives, Messages, Records, Timeline


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
    """

    no_receive: int
    no_send: int
    unknown_partners: int
    backwards: int
    worst: int


@dataclass(frozen=True, slots=True)
class Recorded:
    """The events of a trace.

    Attributes
    ----------
    timeline, calls, messages, collectives, further
        As the model has them.
    counts
        Events of each type, by its name; empty if they were not told apart.
    count
        Events in all.
    origin, length
        Time stamp of the trace's beginning, and ticks to its last event.
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
    lost
        Events that are known to be there, but could not be read.
    """

    timeline: Timeline
    calls: Calls
    messages: Messages
    collectives: Collectives
    tally: Tally
    count: int
    origin: int
    length: int
    aligned: bool
    further: tuple[Records, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    astray: int = 0
    spoilt: int = 0
    faults: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    lost: int = 0
