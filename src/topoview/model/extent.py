"""How large a trace is, known before it is read."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Extent:
    """What reading a trace means.

    Attributes
    ----------
    name
        Of the trace.
    ranks, locations
        How many there are.
    events
        Records in all files, as the chunks' headers say.
    size
        Bytes of these files.
    length
        Seconds that the trace lasts, about; 0 if not known.
    seconds
        How long reading all of it takes on this machine, about.
    room
        Bytes that the cache would take, about.
    """

    name: str
    ranks: int
    locations: int
    events: int
    size: int
    length: float
    seconds: float
    room: int
