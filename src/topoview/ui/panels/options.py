"""Options of the panels that only the window knows; those of the others are in `State`.

Each panel's are a frozen dataclass, held in `State.panels` by its class. They are
here, and not in the panels' own modules, since actions change them before these
heavy modules are loaded.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from topoview.base.text import tr
from topoview.model import SpanName
from topoview.model.frozen.options import FreeText, OneOf

RunOrWindow = Literal["run", "window"]
RUN_OR_WINDOW = {"run": tr("Run"), "window": tr("Window")}


@dataclass(frozen=True, slots=True)
class TopologyOptions:
    """How the matches are shown."""

    page: Literal["", "matches", "plan", "why"] = ""
    """What is shown: the ``matches``, the ``plan``, or the reasons for them; empty: the
    plan where it says more than the matches."""
    turned: frozenset[FreeText] = frozenset()
    """Sections of the list that were folded, or unfolded, by the user."""


@dataclass(frozen=True, slots=True)
class ShapeOptions:
    """`unfolded`: parts of the cards about shapes whose rows are shown."""

    unfolded: frozenset[FreeText] = frozenset({"spacing", "show"})


@dataclass(frozen=True, slots=True)
class LogicalOptions:
    """How the logical trace is shown."""

    OF_TRACE: ClassVar[bool] = True
    folded: bool | None = None
    """Whether all rows that can be are folded, or none is; None: as many as suit."""
    turned: frozenset[int] = frozenset()
    """Lines of rows that are otherwise than `folded` says."""
    finding: FreeText | None = None
    """What is written in the field that filters lines; None: it is closed."""


@dataclass(frozen=True, slots=True)
class MatrixOptions:
    """How the matrix is shown."""

    amount: Annotated[str, OneOf("ui.panels.matrix.content:AMOUNT_TEXTS")] = "calls"
    """What it shows: ``calls``, ``bytes``, ``calls/s``, ``bytes/s``, ``mean`` (bytes a
    message), ``wait`` (of the receiver for the sender), or ``moved``, the bytes of
    one-sided transfers."""
    order: Literal["rank", "place", "node"] = "rank"
    """Order of its ranks: ``rank``, ``place`` or ``node``."""


@dataclass(frozen=True, slots=True)
class MatrixPart:
    """Which messages the matrix counts, of those in its scope."""

    OF_TRACE: ClassVar[bool] = True
    communicator: int | None = None
    """Number of the communicator that they are on; None: any."""
    phase: int | None = None
    """Number of the phase, in order of time, that they are sent in; None: any."""
    collectives: bool = False
    """Whether collective operations count, too, as messages of an algorithm."""
    level: int | None = None
    """Level of volume whose pairs are shown, all alike: a binary matrix. None: a full
    one."""


@dataclass(frozen=True, slots=True)
class ProfileOptions:
    """`kind`: the list: classes of time, functions, call tree, or a run compared."""

    kind: Literal["account", "functions", "tree", "compared"] = "account"


FIND_SCOPES = {"run": tr("Run"), "window": tr("Window"), "ranks": tr("Selected ranks")}
"""Where calls and messages are looked for."""


@dataclass(frozen=True, slots=True)
class FindOptions:
    """What is looked for among the calls of all ranks, and how it is listed."""

    OF_TRACE: ClassVar[bool] = True
    text: FreeText = ""
    """A query, as of ``--find``; the panel Events lists only these, too."""
    scope: Literal["run", "window", "ranks"] = "run"
    """Name in `FIND_SCOPES`."""
    column: Annotated[str, OneOf("live.tables.calls:NUMBERS")] = "duration"
    brush: tuple[float, float] | None = None
    """`column` and `brush`: numbers that the histogram counts, and from which to below
    which rows are listed; None: all."""
    sort: Annotated[str, OneOf("live.tables.search.find:SORTED_BY")] = "duration"
    descending: bool = True
    """`sort` and `descending`: what rows are sorted by."""


@dataclass(frozen=True, slots=True)
class MessageOptions:
    """`text`, `scope`: what messages are listed, as in `FindOptions`."""

    OF_TRACE: ClassVar[bool] = True
    text: FreeText = ""
    scope: Literal["run", "window", "ranks"] = "run"


@dataclass(frozen=True, slots=True)
class IterationOptions:
    """What is shown of iterations."""

    OF_TRACE: ClassVar[bool] = True
    amount: FreeText = "seconds"
    """Name in `live.tables.iteration_grid.AMOUNTS`, or of a counter's colouring."""
    scope: RunOrWindow = "run"
    """Iterations of the ``run``, or those that begin in the ``window``."""
    merge: Literal["maximum", "mean"] = "maximum"
    """What a pixel of several cells shows: their ``maximum`` or ``mean``."""
    brush: tuple[float, float] | None = None
    """From which to below which number cells stand out; None: all."""
    listed: Literal["iterations", "outliers"] = "iterations"
    """What is listed: ``iterations``, slowest first, or ``outliers`` by their cause."""


@dataclass(frozen=True, slots=True)
class StatisticsOptions:
    """What statistics are told by."""

    OF_TRACE: ClassVar[bool] = True
    by: Annotated[str, OneOf("live.tables.statistics.by_group:GROUPS")] = "function"
    of: Annotated[str, OneOf("live.tables.statistics.by_group:AMOUNTS")] = "compute"
    """`by` and `of`: names in `GROUPS` and `AMOUNTS` of `live.tables.statistics`."""
    first: tuple[float, float] | None = None
    second: tuple[float, float] | None = None
    """`first` and `second`: brushes of the two histograms: from which to below which
    numbers count; None: all."""
    shown: Literal["difference", "this", "other"] = "difference"
    """While windows are compared: the ``difference``, ``this`` window, or the ``other``
    one."""


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """`window`: begin and end in ticks of what windows are compared with, or None."""

    OF_TRACE: ClassVar[bool] = True
    window: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class PhaseOptions:
    """`listed`: what is listed, ``phases``, ``regions`` or ``parameters``."""

    listed: Literal["phases", "regions", "parameters"] = "phases"


@dataclass(frozen=True, slots=True)
class CommunicatorOptions:
    """`scope`: what is counted of communicators, of the ``run`` or the ``window``."""

    scope: RunOrWindow = "run"


@dataclass(frozen=True, slots=True)
class NetworkOptions:
    """How the machine's network is shown."""

    OF_TRACE: ClassVar[bool] = True
    file: FreeText = ""
    kind: Annotated[str, OneOf("model.network:ASSUMED_NETWORKS", also=("",))] = ""
    dims: FreeText = ""
    per_node: int = 0
    names: FreeText = ""
    """`file`, `kind`, `dims`, `per_node` and `names`: what the user says of the
    machine, as in `model.MachineChoice`."""
    counters: FreeText = ""
    link: int = -1
    """Index of the selected link; -1 for none."""
    listing: Annotated[str, OneOf("ui.panels.network.content:LISTING_TEXTS")] = "links"
    """What is listed: ``links``, ``pairs``, ``statements``, ``communicators`` or
    ``mappings``."""
    share: float = 0.5
    """Cables with at least this share of the hottest one's bytes are tubes."""
    axis: int = -1
    place: int = 0
    """`axis` and `place`: dimension that is sliced, -1 for none, and the coordinate
    that is shown."""
    azimuth: float = 0.0
    elevation: float = 0.0
    zoom: float = 1.0
    """`azimuth`, `elevation` and `zoom`: by how many degrees it is turned from the side
    from which it is first seen, and how much larger it is drawn."""
    colour: Annotated[str, OneOf("ui.panels.network.colours:COLOURS")] = "load"
    """What cables and nodes are coloured by: a name in
    `panels.network.colours.COLOURS`."""
    extent: FreeText = ""
    """What times of communicators are plotted against; empty: what they depend on
    most."""
    mapping: FreeText = ""
    """Method of the mapping that is shown; empty: as the ranks ran."""
    phase: FreeText = ""
    """Name of the phase whose messages count; empty: as the scope says."""
    collectives: bool = False
    """Whether collective operations count, too, as messages of an algorithm."""


@dataclass(frozen=True, slots=True)
class DelayOptions:
    """What is shown of delays.

    `column`, `descending`: what the list is sorted by; `page`: what is below it,
    ``advice``, ``states`` or ``efficiency``; `scope`: whether efficiencies are of the
    ``exchange``, the ``run``, the ``loop`` or the ``window``.
    """

    column: int = 9  # what they caused
    descending: bool = True
    listed: Literal["delays", "groups"] = "delays"
    text: FreeText = ""
    """`listed` and `text`: whether single ones are listed, or those of a rank in an
    iteration together; and what they are filtered by, as in `FindOptions`."""
    page: Annotated[str, OneOf("ui.panels.lists.delays:PAGES")] = "advice"
    scope: SpanName = "exchange"
