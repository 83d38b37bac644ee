"""What identifiers in records of metrics, parameters, RMA and I/O mean."""

from dataclasses import dataclass

from topoview.model.arrays import Ints, freeze


@dataclass(frozen=True, slots=True)
class MetricMember:
    """A metric: what one value of a record of type ``Metric`` is.

    Attributes
    ----------
    metric, place
        As in the fields ``metric`` and ``place`` of such a record.
    name, description
        As in the trace.
    unit
        Unit with its power: ``bytes``, ``10^3 #``, ``2^10 bytes``.
    kind
        ``other``, ``PAPI``, ``rusage`` or ``user``.
    value
        ``accumulated``, ``absolute`` or ``relative``.
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
    description: str = ""
    unit: str = ""
    kind: str = "other"
    value: str = "absolute"
    timing: str = "point"
    recorder: int = -1
    scope: str = ""


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


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """Names of identifiers that records hold.

    Attributes
    ----------
    kind
        ``parameter``, ``attribute``, ``RMA window``, ``I/O file``, ``I/O handle``,
        ``source line``, ``call path``.
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
