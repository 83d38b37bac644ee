"""The states that a rank can be in, as MPI sees it."""

from enum import IntEnum


class MPIState(IntEnum):
    """What a location does at a time; the code is stored as uint8.

    ``OUTSIDE`` is before the location's first event, after its last one, while
    measurement was off, and for threads other than a rank's main one and GPU
    streams while they are in no region. ``COMPUTE`` is everything else that is
    no MPI call and no I/O.
    """

    OUTSIDE = 0
    COMPUTE = 1
    SEND = 2
    RECEIVE = 3
    WAIT = 4
    COLLECTIVE = 5
    BARRIER = 6
    ONE_SIDED = 7
    IO = 8
    SETUP = 9

    @property
    def label(self) -> str:
        """Name shown to the user, lower case: ``send``, ``one-sided``, ``I/O``."""
        return _LABELS.get(self, self.name.lower().replace("_", "-"))


_LABELS = {MPIState.IO: "I/O", MPIState.SETUP: "set-up"}
