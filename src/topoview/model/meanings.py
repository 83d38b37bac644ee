"""What identifiers in records of metrics, parameters, RMA and I/O mean."""

from dataclasses import dataclass

from topoview.model.arrays import Ints, freeze


@dataclass(frozen=True, slots=True)
class Counter:
    """A number that a trace records over time: one value of its metrics' records.

    Attributes
    ----------
    metric, place
        What the records of type ``Metric`` call it: their metric, and the place of
        the value among the record's values.
    name, unit
        Such as ``PAPI_TOT_CYC``; the unit may be empty.
    mode
        ``grows`` if values count up from the begin, ``value`` if each stands for
        itself, ``change`` if each is what came since the one before.
    base, power
        A recorded number must be multiplied by `base` to the `power`.
    description
        As in the trace.
    kind
        ``other``, ``PAPI``, ``rusage`` or ``user``.
    timing
        For which time a value holds: from the ``start``, at the ``point``, since the
        ``last`` one, until the ``next``.
    recorder
        Location that recorded an instance of the metric, -1 for its own location.
    scope
        What an instance of it was recorded for, such as ``node kn1``; empty for its
        location.
    """

    metric: int
    place: int
    name: str
    unit: str = ""
    mode: str = "value"
    base: int = 10
    power: int = 0
    description: str = ""
    kind: str = "other"
    timing: str = "point"
    recorder: int = -1
    scope: str = ""

    @property
    def scale(self) -> float:
        """What a recorded number must be multiplied by to be in the unit."""
        return float(self.base) ** self.power

    @property
    def words(self) -> str:
        """Unit of the recorded numbers: ``bytes``, ``10^-6 s``, ``2^10 bytes``."""
        if not self.power:
            return self.unit
        return f"{self.base}^{self.power} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class SystemNode:
    """A part of the machine: the machine, a rack, a node, a device.

    Attributes
    ----------
    name
        Name in the trace.
    kind
        What the trace calls it: ``machine``, ``node``.
    parent
        Index of what it is in, -1 for nothing.
    """

    name: str
    kind: str
    parent: int = -1


@dataclass(frozen=True, slots=True)
class Marker:
    """A remark on a moment that a tool or its user left in the trace.

    Attributes
    ----------
    time, duration
        In ticks of the trace, as times of events.
    group, category, severity
        What kind of remark it is; severity is ``none``, ``low``, ``medium``, ``high``.
    scope
        What it is about, such as ``rank 3``; empty for the whole trace.
    row
        Index of the location that it is about, -1 if it is about more.
    text
        The remark.
    """

    time: int
    duration: int
    group: str
    category: str
    severity: str
    scope: str
    row: int
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """Names of identifiers that records hold.

    Attributes
    ----------
    kind
        ``parameter``, ``text of a parameter``, ``attribute``, ``RMA window``, ``I/O
        file``, ``I/O handle``, ``source line``, ``call path``, ``sampling``; ``property
        of location`` and the like, where an identifier can have several names, ``PID:
        4711``.
    identifiers : int64, shape (n,)
        The trace's own, ascending.
    names
        Of each.
    """

    kind: str
    identifiers: Ints
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)
