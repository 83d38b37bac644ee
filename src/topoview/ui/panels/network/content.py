"""What the network panel shows of a state: asked for in one thread, made in another."""

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from topoview.base.text import plural, tr
from topoview.errors import TopoviewError
from topoview.live.network import (
    NetworkTraffic,
    PairsOnLink,
    beside_measured,
    causes_on_link,
    links_of_pair,
    mappings_of_traffic,
    pairs_on_link,
    remapped,
    traffic_of_matrix,
)
from topoview.live.tables.pairs import counted_matrix
from topoview.live.tables.parts.extents import extent_table
from topoview.live.tables.parts.parts import phases_of
from topoview.model import (
    Analysis,
    Column,
    ColumnData,
    Ints,
    LinkLoads,
    MachineChoice,
    Mapping,
    Mappings,
    Schema,
    Table,
    Trace,
    ratio_of,
    words,
)
from topoview.model.topology import AXES
from topoview.report.network import (
    as_hot_words,
    best_mapping,
    link_name,
    mapping_table,
    verdict,
)
from topoview.report.waits.pages import statement_texts
from topoview.scene.network_shape import NetworkShape, network_shape
from topoview.session import CallFilter, State
from topoview.ui.panels.matrix.content import effective_scope, scope_window
from topoview.ui.panels.network.colours import COLOURS, NetworkColours, Shown
from topoview.ui.panels.options import NetworkOptions
from topoview.ui.panels.selected_calls import call_filter
from topoview.ui.widgets.latest_only import LastMade

LISTING_TEXTS: Final = {
    "links": tr("Links"),
    "pairs": tr("Pairs"),
    "statements": tr("Calls"),
    "communicators": tr("Comms"),
    "mappings": tr("Mappings"),
}
"""What can be listed: pairs and calls of the selected link, else of the hottest one,
communicators of the selected link, else their shapes on the machine."""

MAX_ROWS: Final = 500
"""Rows of links and pairs that are listed."""

BINS: Final = 14
"""Bars of a histogram of loads."""


@dataclass(frozen=True, slots=True)
class NetworkAsked:
    """What a picture is made from; equal ones look equal."""

    analysis: Analysis
    machine: MachineChoice
    """`known` and `machine`: the trace, and what the user says of its machine."""
    window: tuple[int, int] | None
    ranks: tuple[int, ...]
    wanted: CallFilter
    """`window`, `ranks` and `wanted`: which messages count; None, empty and nothing:
    all."""
    link: int
    listing: str
    """`link` and `listing`: as in the options."""
    edge: tuple[int, int] | None
    """A selected pair of ranks, whose route is shown."""
    colour: str = "load"
    extent: str = ""
    mapping: str = ""
    collectives: bool = False
    """`colour`, `extent`, `mapping` and `collectives`: as in the options."""

    @property
    def counted(self) -> tuple[object, ...]:
        """What the loads of the run depend on; calls are named by the logical trace."""
        analysis, wanted = self.analysis, self.wanted
        calls = (wanted, analysis.logical if wanted else None)
        part = self.window, self.ranks, self.collectives
        return analysis.trace, self.machine, *part, calls

    @property
    def shown(self) -> tuple[object, ...]:
        """What the loads depend on that are shown."""
        return *self.counted, self.mapping


@dataclass(frozen=True, slots=True)
class Target:
    """What a row of the list is of: a link, pair, statement, ranks or a mapping."""

    link: int = -1
    pair: tuple[int, int] | None = None
    statement: int = -1
    ranks: tuple[int, ...] = ()
    mapping: str = ""


class Listed(NamedTuple):
    """What is listed: rows, what each is of, and a remark."""

    table: Table
    targets: tuple[Target, ...]
    remark: str


_NUMBERS: Final = (
    Column("bytes", "B", tr("bytes")),
    Column("share", "share", tr("share")),
    Column("hops", "", tr("hops")),
)
LOADED: Final = Schema(
    Column("link", "", tr("link, its busier way")),
    Column("statement", "", tr("statement")),
    Column("communicator", "", tr("communicator")),
    Column("from", "#", tr("from rank"), link="rank"),
    Column("to", "#", tr("to rank"), link="rank"),
    Column("nodes", "", tr("nodes")),
    Column("spans", "", tr("spans")),
    *_NUMBERS,
    Column("times", "", tr("x mean")),
    Column("measured", "B", tr("measured")),
    Column("ratio", "", tr("modelled / measured")),
    Column("slowest", "s", tr("slowest")),
)
"""Of what is listed beside mappings."""

NOTHING_LISTED: Final = Listed(Table(LOADED, {}), (), "")


@dataclass(frozen=True, slots=True, eq=False)
class NetworkPicture:
    """What is shown."""

    request: NetworkAsked
    """What it is a picture of."""
    fault: str = ""
    """Why there is nothing; else empty."""
    traffic: NetworkTraffic | None = None
    shape: NetworkShape | None = None
    """`traffic` and `shape`: loads of links, and how the network is drawn."""
    colours: NetworkColours | None = None
    """Of cables and nodes."""
    used: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """int64, shape (n,): nodes with ranks."""
    route: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """int64, shape (n,): links of the selected pair's route."""
    link: int = -1
    """Selected link; -1 for none."""
    listed: Listed = NOTHING_LISTED
    """Of the list."""
    extent: tuple[float, float] = (1.0, 1.0)
    """Width and height of the network, as it is seen at first."""
    histograms: tuple[tuple[str, Ints], ...] = ()
    """Of each direction, both ways together: its name, and how many links there are of
    each load, int64, shape (`BINS`,)."""
    extents: Table | None = None
    """Communicators on the machine, as `extent_table` has them, where they are
    listed."""
    mappings: tuple[Mapping, ...] = ()
    """Where they are listed."""

    @property
    def mapping(self) -> Mapping | None:
        """The mapping that is shown, else the one that is best."""
        if not self.mappings:
            return None
        shown = (one for one in self.mappings if one.method == self.request.mapping)
        return next(shown, best_mapping(self.mappings))


def network_asked(state: State) -> NetworkAsked | None:
    """Gather what a state wants to see of the network; None before there is one."""
    analysis = state.analysis
    if analysis is None or analysis.matrix is None:
        return None
    options, chosen = state.of(NetworkOptions), state.selection
    window, is_selected = scope_window(state), effective_scope(state) == "selected"
    events = analysis.trace.digest is None
    for phase in phases_of(analysis) if events else ():
        if phase.name == options.phase:
            window = phase.begin, phase.end
    return NetworkAsked(
        analysis=analysis,
        machine=MachineChoice.of(options),
        window=window,
        ranks=(chosen.ranks or chosen.edge or ()) if is_selected else (),
        wanted=call_filter(state) if is_selected else CallFilter(),
        link=options.link,
        listing=options.listing,
        edge=chosen.edge or chosen.flow,
        colour=options.colour,
        extent=options.extent,
        mapping=options.mapping,
        collectives=options.collectives and events,
    )


class NetworkMaker:
    """Makes pictures; keeps loads and mappings until others are asked for.

    It belongs to the thread that makes them.
    """

    def __init__(self) -> None:
        self._keep = LastMade()

    def picture(self, request: NetworkAsked, _: object = None) -> NetworkPicture:
        """Compute a picture: loads of links, the route of a pair, a list."""
        try:
            return self._picture(request)
        except TopoviewError as error:
            return NetworkPicture(request, str(error))

    def _picture(self, request: NetworkAsked) -> NetworkPicture:
        traffic = self._keep("run", request.counted, lambda: _traffic(request))
        mappings: Mappings | None = None
        if request.listing == "mappings" or request.mapping:
            mappings = self._keep(
                "mappings",
                (*request.counted, request.analysis.identification),
                lambda: mappings_of_traffic(request.analysis, traffic),
            )
            for mapping in mappings.mappings[1:]:
                if mapping.method == request.mapping:
                    traffic = self._keep(
                        "loads", request.shown, partial(remapped, traffic, mapping)
                    )
        # Each is kept under what it depends on: another colour computes no routes anew.
        network = traffic.loads.network
        key = (request.analysis.trace, request.machine)
        placed = (
            request.shown if request.mapping else key
        )  # mappings are of some messages
        shape = self._keep("shape", key, lambda: network_shape(network))
        shown = Shown(
            request.analysis.trace,
            traffic,
            shape,
            lambda: self._keep(
                "extents",
                placed,
                lambda: extent_table(request.analysis.trace, traffic.loads),
            ),
        )
        _, coloured = COLOURS.get(request.colour, COLOURS["load"])
        colours = self._keep(
            "colours", (request.shown, request.colour), lambda: coloured(shown)
        )
        # A link of another machine may still be selected.
        link = request.link if request.link < len(network.links) else -1
        route = np.zeros(0, np.int64)
        if request.edge is not None:
            one, other = request.edge
            both = (
                links_of_pair(traffic.loads, *ends)
                for ends in ((one, other), (other, one))
            )
            route = np.concatenate(list(both))
        lists_extents = request.listing == "communicators" and link < 0
        listed = (
            _mapped(mappings)
            if request.listing == "mappings" and mappings is not None
            else self._list(request, shown, link)
        )
        placement = traffic.loads.placement
        return NetworkPicture(
            request=request,
            fault="",
            traffic=traffic,
            shape=shape,
            colours=colours,
            used=self._keep("used", placed, lambda: placement.used),
            route=route,
            link=link,
            listed=listed,
            extent=self._keep("extent", key, shape.extent),
            histograms=self._keep(
                "bars", request.shown, lambda: histograms(traffic.loads)
            ),
            extents=shown.extents() if lists_extents else None,
            mappings=mappings.mappings if mappings is not None else (),
        )

    def _list(self, request: NetworkAsked, shown: Shown, link: int) -> Listed:
        traffic = shown.traffic
        if request.listing == "links":
            return _links(shown)
        if request.listing == "communicators" and link < 0:
            return _extents(request.analysis.trace, shown.extents())
        chosen = link if link >= 0 else traffic.loads.hottest
        if chosen < 0:
            return NOTHING_LISTED._replace(remark=tr("the network has no links"))
        pairs = self._keep(
            "pairs", (request.shown, chosen), lambda: pairs_on_link(traffic, chosen)
        )
        name = link_name(traffic.loads.network, chosen)
        if request.listing == "pairs":
            return _pairs(pairs, tr("over {name}", name=name))
        causes = self._keep(
            "causes",
            (request.shown, chosen, request.analysis.logical),
            lambda: causes_on_link(request.analysis, traffic, pairs),
        )
        if request.listing == "statements":
            logical = request.analysis.logical
            texts = statement_texts(logical) if logical is not None else []
            rows = [(texts[k], amount) for k, amount in causes.statements]
            targets = tuple(Target(statement=k) for k, _ in causes.statements)
        else:
            communicators = request.analysis.trace.communicators
            rows = [
                (communicators[k].name, amount) for k, amount in causes.communicators
            ]
            targets = (Target(),) * len(rows)
        of = "statement" if request.listing == "statements" else "communicator"
        amounts = np.array([amount for _, amount in rows], np.float64)
        table = Table(
            LOADED,
            {
                of: words([name for name, _ in rows]),
                "bytes": amounts,
                "share": amounts / (causes.total or np.nan),
            },
        )
        return Listed(table, targets, tr("of the run, over {name}", name=name))


def histograms(loads: LinkLoads) -> tuple[tuple[str, Ints], ...]:
    """Count links by load, from 0 to that of the hottest, for each direction."""
    network, most = loads.network, loads.hottest_bytes
    directions = network.directions
    names = list(dict.fromkeys(name.rstrip("+-") for name in directions))
    axis = np.array([names.index(name.rstrip("+-")) for name in directions])
    place = np.minimum(loads.bytes * (BINS / (most or 1.0)), BINS - 1).astype(np.int64)
    counts = np.bincount(
        axis[network.direction] * BINS + place, minlength=len(names) * BINS
    )
    return tuple(zip(names, counts.reshape(-1, BINS), strict=True))


def _traffic(request: NetworkAsked) -> NetworkTraffic:
    analysis = request.analysis
    matrix = counted_matrix(
        analysis,
        wanted=request.wanted,
        window=request.window,
        ranks=request.ranks,
        collectives=request.collectives,
    )
    result = traffic_of_matrix(analysis.trace, request.machine, matrix)
    if request.ranks or request.wanted:
        return result  # counters count all messages
    loads = beside_measured(
        analysis.trace, result.loads, request.machine, request.window
    )
    return replace(result, loads=loads)


def _links(
    shown: Shown,
) -> Listed:
    loads = shown.traffic.loads
    amount = shown.busier(loads.bytes)
    order = np.argsort(-amount, kind="stable")[:MAX_ROWS]
    busier = [
        max(
            (link for link in shown.shape.cables[cable].tolist() if link >= 0),
            key=lambda link: loads.bytes[link],
        )
        for cable in order.tolist()
    ]
    links = [link for link in busier if loads.bytes[link]]
    size = loads.bytes[links]
    data: dict[str, ColumnData] = {
        "link": words([link_name(loads.network, link) for link in links]),
        "bytes": size,
        "times": size / (loads.mean_bytes or np.nan),
    }
    measured = loads.measured
    if measured is not None and not np.isnan(measured.links).all():
        data["measured"] = measured.links[links]
        data["ratio"] = ratio_of(size, measured.links[links])
    remark = tr("nothing goes over any link")
    if links:
        remark = as_hot_words(loads)
    return Listed(Table(LOADED, data), tuple(map(Target, links)), remark)


def _extents(trace: Trace, table: Table) -> Listed:
    """List communicators by their slowest operation, with what they span."""
    axes = [name for name in table.names if name in AXES]
    communicators = [trace.communicators[n] for n in table["communicator"].tolist()]
    spans = ["x".join(str(row[axis]) for axis in axes) or "-" for row in table]
    listed = Table(
        LOADED,
        {
            "communicator": words([each.name for each in communicators]),
            "nodes": table["nodes"],
            "spans": words(spans),
            "hops": table["hops"],
            "slowest": table["slowest"],
        },
    )
    members = (tuple(sorted(each.ranks.tolist())) for each in communicators)
    targets = tuple(Target(ranks=ranks) for ranks in members)
    return Listed(listed, targets, tr("by their slowest collective operation"))


def _pairs(pairs: PairsOnLink, where: str) -> Listed:
    table = Table(
        LOADED,
        {
            "from": pairs.sender[:MAX_ROWS],
            "to": pairs.receiver[:MAX_ROWS],
            "bytes": pairs.bytes[:MAX_ROWS],
            "hops": pairs.hops[:MAX_ROWS],
        },
    )
    ends = zip(table["from"].tolist(), table["to"].tolist(), strict=True)
    remark = f"{plural(len(pairs.sender), 'pair')} {where}"
    return Listed(table, tuple(Target(pair=pair) for pair in ends), remark)


def _mapped(
    mappings: Mappings,
) -> Listed:
    remark = verdict(mappings.mappings[0], best_mapping(mappings.mappings))
    return Listed(
        mapping_table(mappings.mappings),
        tuple(Target(mapping=each.method) for each in mappings.mappings),
        " ".join((remark, *mappings.notes)),
    )
