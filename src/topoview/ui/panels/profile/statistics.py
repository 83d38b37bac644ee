"""The panel Statistics: how durations, sizes and times spread, by group.

Statistics are requested in the window's thread and made in another one. While windows
are compared they tell by how much the shown one differs from the other.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from topoview.base.text import MINUS, duration_text, plural, plural_noun, tr
from topoview.live.tables.statistics.by_group import (
    AMOUNTS,
    GROUPS,
    Samples,
    Statistics,
    StatisticsRequest,
    coordinate_table,
    difference,
    has_places,
    table_of,
)
from topoview.live.tables.statistics.histogram import Histogram, histogram
from topoview.model import Analysis, Floats, Match, Table
from topoview.session import Picked, Session, State
from topoview.ui.panels.empty import why_no_profile
from topoview.ui.panels.matrix.content import effective_scope, scope_window
from topoview.ui.panels.options import ComparisonOptions, StatisticsOptions
from topoview.ui.panels.profile.durations import (
    DurationMap,
    DurationsView,
    duration_map,
    function_of,
)
from topoview.ui.panels.selected_calls import call_filter
from topoview.ui.widgets.charts.histogram import HistogramData, HistogramView
from topoview.ui.widgets.controls import ChoiceBox, ScopeBar, Segmented
from topoview.ui.widgets.formats import window_text
from topoview.ui.widgets.latest_only import LastMade
from topoview.ui.widgets.layouts import filled, new_label
from topoview.ui.widgets.panel import TablePanel
from topoview.ui.widgets.table import NO_TABLE
from topoview.ui.widgets.theme import font

RANK_GROUPS: Final = ("row", "plane", "node")
"""Groups of ranks: of these a time is chosen."""

SHOWN: Final = {
    "difference": tr("Difference"),
    "this": tr("This window"),
    "other": tr("Compared"),
}
CHARTS: Final = ("spread", "seconds", "bytes")
"""Columns that histograms are drawn of, the first ones that there are."""

UNITS: Final = {"spread": "s", "seconds": "s", "bytes": "B"}


@dataclass(frozen=True, slots=True)
class PictureRequest:
    """What is shown; equal ones are alike."""

    request: StatisticsRequest
    """What is counted."""
    base: tuple[int, int] | None = None
    """The window that is compared with; None: none is."""
    first: tuple[float, float] | None = None
    second: tuple[float, float] | None = None
    """`first` and `second`: brushes of the histograms."""
    function: str = ""
    """Whose durations are counted by rank; empty: those of all calls."""

    @property
    def analysis(self) -> Analysis:
        """Return what is counted in."""
        return self.request.analysis


@dataclass(frozen=True, slots=True, eq=False)
class StatisticsPicture:
    """What is drawn of statistics."""

    made_of: PictureRequest
    """What they are of."""
    samples: Samples
    """What is counted, within the brushes or not."""
    table: Table
    base: Table | None
    """`table` and `base`: statistics, and those of the window that is compared with."""
    charts: tuple[tuple[str, Histogram], ...]
    """Column and counts of each histogram."""
    coordinates: Table
    """As of `coordinate_table`; empty where groups are no rows or planes."""
    planes: Mapping[str, tuple[int, ...]]
    """Ranks of each plane, by its name."""
    durations: DurationMap | None
    """Of calls, by rank; None where something else is counted."""
    difference: Table | None
    """By how much the statistics differ from those of the other window."""

    def shown(self, which: str) -> Table:
        """Return the table of a name in `SHOWN`."""
        if self.base is None or self.difference is None or which == "this":
            return self.table
        return self.base if which == "other" else self.difference


class StatisticsMaker:
    """Makes pictures; what is counted is kept until something else is.

    It belongs to the thread that makes them.
    """

    def __init__(self) -> None:
        self._keep = LastMade()

    def picture(self, request: PictureRequest, _: object = None) -> StatisticsPicture:
        """Compute the picture; a long computation that releases the GIL."""
        statistics_request = request.request
        counted = self._counted("this", statistics_request)
        samples = counted.samples(statistics_request.by, statistics_request.of)
        names = [name for name in CHARTS if name in samples.numbers][:2]
        charts = tuple(
            (name, histogram(values, whole=name == "bytes"))
            for name, values in _charted(counted, samples, names, statistics_request)
        )
        brushes = request.first, request.second
        base = None
        if request.base is not None:
            other = self._counted(
                "other", replace(statistics_request, window=request.base)
            )
            base = _brushed(
                other.samples(statistics_request.by, statistics_request.of),
                names,
                brushes,
                statistics_request.by,
            )
        coordinates, planes = NO_TABLE, dict[str, tuple[int, ...]]()
        if statistics_request.by in ("row", "plane"):
            coordinates = coordinate_table(counted, statistics_request.of)
            own = counted.samples("plane", statistics_request.of)
            planes = dict(zip(own.names, own.ranks, strict=True))
        table = _brushed(samples, names, brushes, statistics_request.by)
        durations = None
        if samples.noun == "call":
            key = replace(statistics_request, by="", of=""), request.function
            durations = self._keep(
                "durations",
                key,
                lambda: duration_map(request.analysis, counted, request.function),
            )
        return StatisticsPicture(
            made_of=request,
            samples=samples,
            table=table,
            base=base,
            charts=charts,
            coordinates=coordinates,
            planes=planes,
            durations=durations,
            difference=None if base is None else difference(base, table),
        )

    def _counted(self, name: str, request: StatisticsRequest) -> Statistics:
        search = self._keep(
            "search", request.analysis, lambda: Statistics(request).search
        )
        key = replace(request, by="", of="")
        result: Statistics = self._keep(name, key, lambda: Statistics(request, search))
        return result


def _charted(
    counted: Statistics, samples: Samples, names: list[str], request: StatisticsRequest
) -> list[tuple[str, Floats]]:
    """List what histograms count: each rank once, though it is in two planes."""
    if samples.noun != "rank":
        return [(name, samples.numbers[name]) for name in names]
    if request.by == "state":
        return []
    return [("seconds", counted.amount(request.of)[counted.ranks])]


Brushes = tuple[tuple[float, float] | None, tuple[float, float] | None]


def _brushed(samples: Samples, names: list[str], brushes: Brushes, by: str) -> Table:
    for name, brush in zip(names, brushes, strict=False):
        if brush is not None:
            samples = samples.within(name, *brush)
    return table_of(by, samples)


def offered_groups(analysis: Analysis, match: Match | None) -> dict[str, str]:
    """Name the groups of statistics; in two dimensions planes are rows."""
    result = {
        name: row.text for name, row in GROUPS.items() if row.given(analysis, match)
    }
    if "plane" in result and not has_places(match, 3):
        result["plane"] = tr("Row or column")
    return result


def picture_request(state: State) -> PictureRequest | None:
    """Gather what a state wants to see; None before there is a profile."""
    analysis, options = state.analysis, state.of(StatisticsOptions)
    if analysis is None or analysis.profile is None:
        return None
    match, chosen, scope = state.derived.match, state.selection, effective_scope(state)
    offered = offered_groups(analysis, match)
    by = options.by if options.by in offered else next(iter(offered))
    window = scope_window(state)
    if window is None and scope != "run":
        window = analysis.profile.span.window  # the exchange, as the profile's
    request = StatisticsRequest(analysis, match, window, by=by, of=options.of)
    if by not in RANK_GROUPS:
        request = replace(request, of="compute")
    if scope == "selected":
        ranks = chosen.ranks or chosen.edge or ()
        request = replace(request, ranks=ranks, wanted=call_filter(state))
    base = state.of(ComparisonOptions).window
    function = function_of(chosen, analysis.trace.regions.operations)
    return PictureRequest(
        request, base, options.first, options.second, function=function
    )


LEAST_GROUPS_WIDTH = 104
"""Pixels of the box that chooses rows, beside the scopes."""


class StatisticsPanel(TablePanel[PictureRequest, StatisticsPicture]):
    """Statistics of the run, the window, or what is selected."""

    PARTS = (
        "analysis",
        "opening",
        "window",
        "selection",
        "match",
        "theme",
        "scope",
        StatisticsOptions,
        ComparisonOptions,
    )
    NAME = tr("Statistics")
    SORTED = "seconds"
    SCROLLS = True
    HEIGHT = 460

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent, StatisticsMaker().picture)
        self.scopes = ScopeBar(session, self.content, of_time=True)
        self.groups = self._box(tr("Statistics by"), "by")
        self.groups.setToolTip(tr("What a row of the table is"))
        self.groups.setMinimumWidth(LEAST_GROUPS_WIDTH)
        self.amounts = self._box(tr("Time of ranks"), "of")
        self.shown = Segmented(self.content, session.setter(StatisticsOptions, "shown"))
        self.compared = QLabel(self.content)
        self.planes = new_label(self.content, wraps=True)
        self.planes.setToolTip(
            tr(
                "Mean time of the ranks of a plane; how a rank's time is correlated "
                "with its coordinate"
            )
        )
        self.planes.linkActivated.connect(self._go_to_plane)
        for label in (self.compared, self.planes):
            label.setFont(font(12))
            label.setContentsMargins(12, 2, 12, 2)
        self.charts = tuple(HistogramView(session, self.content) for _ in range(2))
        for chart, name in zip(self.charts, ("first", "second"), strict=True):
            chart.setFixedHeight(84)
            chart.brushed.connect(session.setter(StatisticsOptions, name))
        self.durations = DurationsView(session, self.content)
        self.durations.setFixedHeight(132)
        self.names = tuple(QLabel(self.content) for _ in (*self.charts, self.durations))
        self._lay_out()

    def _box(self, name: str, option: str) -> ChoiceBox:
        setter = self.session.setter
        take = setter(StatisticsOptions, option, first=None, second=None)
        box = ChoiceBox(name, take, self.content)
        box.setFont(font(12))
        return box

    def _lay_out(self) -> None:
        self.scopes.row.addWidget(self.groups)
        pair = filled(QHBoxLayout(), self.amounts, self.shown, 1, margins=(10, 0, 8, 2))
        self.column.insertWidget(0, self.scopes)
        self.column.insertLayout(1, pair)
        self.column.insertWidget(2, self.compared)
        self.column.insertWidget(3, self.planes)
        views = (*self.charts, self.durations)
        for name, chart in zip(self.names, views, strict=True):
            name.setFont(font(12, 600))
            name.setContentsMargins(12, 4, 12, 0)
            self.column.addWidget(name)
            self.column.addWidget(chart)

    def request(self, state: State) -> PictureRequest | None:
        """Return what a state wants to see."""
        return picture_request(state)

    def show_result(self, result: StatisticsPicture) -> None:
        """Show the histograms and what planes differ; the table follows options."""
        self._show_charts(result)
        self._show_durations(result.durations)
        self._tell_planes(result)

    def show_state(self, state: State) -> None:
        """Show what is counted by what, and the table that the options name."""
        options, analysis = state.of(StatisticsOptions), state.analysis
        request, picture = self.requested, self.result
        if request is not None and analysis is not None:
            groups = offered_groups(analysis, state.derived.match)
            self.groups.offer(groups, request.request.by)
        self.amounts.offer(AMOUNTS, options.of)
        self.amounts.setVisible(
            request is not None and request.request.by in RANK_GROUPS
        )
        base = state.of(ComparisonOptions).window
        self.shown.offer(SHOWN, options.shown)
        self.shown.setVisible(base is not None)
        self.compared.setVisible(base is not None)
        if base is not None and analysis is not None:
            when = window_text(base, analysis.trace.clock, state.unit)
            self.compared.setText(tr("Compared with {when}", when=when))
        self.durations.update()  # what is selected has a frame
        if picture is not None:
            differs = picture.base is not None and options.shown == "difference"
            self.show_table(picture.shown(options.shown), signed=differs)

    def why_empty(self, state: State) -> tuple[str, str]:
        """Return why there are no statistics."""
        return why_no_profile(
            state.analysis,
            going_on=state.opening is not None,
            made=self.result is not None,
        )

    def _show_charts(self, picture: StatisticsPicture) -> None:
        charts = picture.charts
        places = zip(self.charts, self.names, strict=False)
        for place, (chart, name) in enumerate(places):
            there = place < len(charts)
            chart.setVisible(there)
            name.setVisible(there)
            if not there:
                chart.show_bins(None)
                continue
            column, bins = charts[place]
            noun = picture.samples.noun
            brush = (picture.made_of.first, picture.made_of.second)[place]
            unit = UNITS[column]
            chart.show_bins(HistogramData(bins, noun, unit, brush))
            title = {"bytes": tr("Size"), "spread": tr("Spread of arrivals")}.get(
                column
            )
            name.setText(
                tr(
                    "{title} of {nouns}",
                    title=title or tr("Duration"),
                    nouns=plural_noun(noun),
                )
            )
            if noun == "rank":
                name.setText(
                    tr(
                        "{amounts}: time of ranks",
                        amounts=AMOUNTS[picture.made_of.request.of],
                    )
                )

    def _show_durations(self, shown: DurationMap | None) -> None:
        """Show how long calls take on each rank."""
        self.durations.show_map(shown)
        name = self.names[-1]
        for widget in (name, self.durations):
            widget.setVisible(shown is not None)
        if shown is not None:
            name.setText(
                tr(
                    "{function}: durations by rank, up to {calls} a cell",
                    function=shown.function or tr("All calls"),
                    calls=plural(int(shown.counted.counts.max(initial=0)), "call"),
                )
            )

    def _tell_planes(self, picture: StatisticsPicture) -> None:
        """Name the fastest and the slowest plane of each coordinate, as links."""
        lines = []
        for row in picture.coordinates:
            r = row["correlation"]
            linked = "" if r is None else tr(", correlation {r:.2f}", r=r)
            lines.append(
                tr(
                    "{name}: slowest <a href='{slow}'>{slow}</a> ({most}), "
                    "fastest <a href='{fast}'>{fast}</a> ({least}){text}",
                    name=row["coordinate"],
                    slow=row["slowest"],
                    most=duration_text(row["slowest_seconds"]),
                    fast=row["fastest"],
                    least=duration_text(row["fastest_seconds"]),
                    text=linked.replace("-", MINUS),
                )
            )
        self.planes.setText("<br>".join(lines))
        self.planes.setVisible(bool(lines))

    def _go_to_plane(self, name: str) -> None:
        if self.result is not None and name in self.result.planes:
            self._select_ranks(self.result.planes[name])

    def _select_ranks(self, ranks: tuple[int, ...]) -> None:
        chosen = self.session.state.selection
        ranks = () if chosen.ranks == ranks else ranks
        self.session.update(
            selection=replace(chosen, ranks=ranks, edge=None, call=None)
        )

    def choose(self, place: int) -> None:
        """Select what a row is about; again: deselect it."""
        picture, state = self.result, self.session.state
        if picture is None:
            return
        samples, by = picture.samples, picture.made_of.request.by
        label, names = self.view.title(place), [*map(str, samples.names)]
        number = names.index(label) if label in names else -1
        if samples.ranks and number >= 0:
            self._select_ranks(samples.ranks[number])
        elif samples.communicators is not None and number >= 0:
            self.pick(Picked("communicator", int(samples.communicators[number])))
        elif by == "function":
            same = state.selection.operation == label
            self.session.choose(operation="" if same else label)
        elif by in QUERIES:
            query = QUERIES[by].format(label.partition("/")[0])
            same = state.selection.query == query
            self.session.choose(query="" if same else query)

    def remark(self) -> tuple[str, str]:
        """Return how many rows there are, and of how many things."""
        picture = self.result
        if picture is None:
            return "", ""
        noun, rows = picture.samples.noun, plural(len(picture.table), "row")
        if noun == "rank" or f"{noun}s" not in picture.table.names:
            return rows, ""
        whole = plural(int(picture.table[f"{noun}s"].sum()), noun)
        return tr("{sum} in {rows}", sum=whole, rows=rows), ""


QUERIES: Final = {"direction": "to {}", "tag": "tag {}"}
"""Queries that find the calls of a group, by what groups are."""
