"""Options of the panels that only the window knows; those of the others are in `State`.

Each panel's are a frozen dataclass, held in `State.panels` by its class. They are
here, and not in the panels' own modules, since actions change them before these
heavy modules are loaded.
"""

from dataclasses import dataclass
from typing import ClassVar

from topoview.base.text import tr


@dataclass(frozen=True, slots=True)
class TopologyOptions:
    """How the matches are shown.

    Attributes
    ----------
    why
        Whether their list gives way to the reasons for them.
    turned
        Sections of the list that were folded, or unfolded, by the user.
    """

    why: bool = False
    turned: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ShapeOptions:
    """`unfolded`: parts of the cards about shapes whose rows are shown."""

    unfolded: frozenset[str] = frozenset({"spacing", "show"})


@dataclass(frozen=True, slots=True)
class LogicalOptions:
    """How the logical trace is shown.

    Attributes
    ----------
    folded
        Whether all rows that can be are folded, or none is; None: as many as suit.
    turned
        Lines of rows that are otherwise than `folded` says.
    finding
        What is written in the field that filters lines; None: it is closed.
    """

    OF_TRACE: ClassVar[bool] = True
    folded: bool | None = None
    turned: frozenset[int] = frozenset()
    finding: str | None = None


@dataclass(frozen=True, slots=True)
class MatrixOptions:
    """How the matrix is shown.

    Attributes
    ----------
    amount
        What it shows: ``calls``, ``bytes``, ``calls/s``, ``bytes/s``, ``mean`` (bytes a
        message), ``wait`` (of the receiver for the sender), or ``moved``, the bytes of
        one-sided transfers.
    order
        Order of its ranks: ``rank``, ``place`` or ``node``.
    """

    amount: str = "calls"
    order: str = "rank"


@dataclass(frozen=True, slots=True)
class MatrixPart:
    """Which messages the matrix counts, of those in its scope.

    Attributes
    ----------
    communicator
        Number of the communicator that they are on; None: any.
    phase
        Number of the phase, in order of time, that they are sent in; None: any.
    collectives
        Whether collective operations count, too, as messages of an algorithm.
    level
        Level of volume whose pairs are shown, all alike: a binary matrix. None: a
        full one.
    """

    OF_TRACE: ClassVar[bool] = True
    communicator: int | None = None
    phase: int | None = None
    collectives: bool = False
    level: int | None = None


@dataclass(frozen=True, slots=True)
class ProfileOptions:
    """`kind`: what the profile lists, ``functions`` or ``states``."""

    kind: str = "functions"


FIND_SCOPES = {"run": tr("Run"), "window": tr("Window"), "ranks": tr("Selected ranks")}
"""Where calls are looked for."""


@dataclass(frozen=True, slots=True)
class FindOptions:
    """What is looked for among the calls of all ranks, and how it is listed.

    Attributes
    ----------
    text
        A query, as of ``--find``; the panel Events lists only these, too.
    scope
        Name in `FIND_SCOPES`.
    column, brush
        Numbers that the histogram counts, and from which to below which rows are
        listed; None: all.
    sort, descending
        What rows are sorted by.
    """

    OF_TRACE: ClassVar[bool] = True
    text: str = ""
    scope: str = "run"
    column: str = "duration"
    brush: tuple[float, float] | None = None
    sort: str = "duration"
    descending: bool = True


@dataclass(frozen=True, slots=True)
class IterationOptions:
    """What is shown of iterations.

    Attributes
    ----------
    amount
        Name in `live.tables.iteration_grid.AMOUNTS`, or of a counter's colouring.
    scope
        Iterations of the ``run``, or those that begin in the ``window``.
    merge
        What a pixel of several cells shows: their ``maximum`` or ``mean``.
    brush
        From which to below which number cells stand out; None: all.
    listed
        What is listed: ``iterations``, slowest first, or ``outliers`` by their cause.
    """

    OF_TRACE: ClassVar[bool] = True
    amount: str = "seconds"
    scope: str = "run"
    merge: str = "maximum"
    brush: tuple[float, float] | None = None
    listed: str = "iterations"


@dataclass(frozen=True, slots=True)
class StatisticsOptions:
    """What statistics are told by.

    Attributes
    ----------
    by, of
        Names in `GROUPS` and `AMOUNTS` of `live.tables.statistics`.
    first, second
        Brushes of the two histograms: from which to below which numbers count; None:
        all.
    shown
        While windows are compared: the ``difference``, ``this`` window, or the
        ``other`` one.
    """

    OF_TRACE: ClassVar[bool] = True
    by: str = "function"
    of: str = "compute"
    first: tuple[float, float] | None = None
    second: tuple[float, float] | None = None
    shown: str = "difference"


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """`window`: begin and end in ticks of what windows are compared with, or None."""

    OF_TRACE: ClassVar[bool] = True
    window: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class PhaseOptions:
    """`listed`: what is listed, ``phases``, ``regions`` or ``parameters``."""

    listed: str = "phases"


@dataclass(frozen=True, slots=True)
class CommunicatorOptions:
    """`scope`: what is counted of communicators, of the ``run`` or the ``window``."""

    scope: str = "run"


@dataclass(frozen=True, slots=True)
class NetworkOptions:
    """How the machine's network is shown.

    Attributes
    ----------
    file, kind, dims, per_node, names
        What the user says of the machine, as in `model.MachineChoice`.
    link
        Index of the selected link; -1 for none.
    listing
        What is listed: ``links``, ``pairs``, ``statements``, ``communicators`` or
        ``mappings``.
    share
        Cables with at least this share of the hottest one's bytes are tubes.
    axis, place
        Dimension that is sliced, -1 for none, and the coordinate that is shown.
    azimuth, elevation, zoom
        By how many degrees it is turned from the side from which it is first seen, and
        how much larger it is drawn.
    colour
        What cables and nodes are coloured by: a name in
        `panels.network.colours.COLOURS`.
    extent
        What times of communicators are plotted against; empty: what they depend on
        most.
    mapping
        Method of the mapping that is shown; empty: as the ranks ran.
    phase
        Name of the phase whose messages count; empty: as the scope says.
    collectives
        Whether collective operations count, too, as messages of an algorithm.
    """

    OF_TRACE: ClassVar[bool] = True
    file: str = ""
    kind: str = ""
    dims: str = ""
    per_node: int = 0
    names: str = ""
    counters: str = ""
    link: int = -1
    listing: str = "links"
    share: float = 0.5
    axis: int = -1
    place: int = 0
    azimuth: float = 0.0
    elevation: float = 0.0
    zoom: float = 1.0
    colour: str = "load"
    extent: str = ""
    mapping: str = ""
    phase: str = ""
    collectives: bool = False


@dataclass(frozen=True, slots=True)
class DelayOptions:
    """What is shown of delays.

    `column`, `descending`: what the list is sorted by; `page`: what is below it,
    ``advice``, ``states`` or ``efficiency``; `scope`: whether efficiencies are of the
    ``run`` or the ``window``.
    """

    column: int = 6  # what they caused
    descending: bool = True
    page: str = "advice"
    scope: str = "run"
