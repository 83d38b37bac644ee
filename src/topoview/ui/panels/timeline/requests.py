"""What is asked for in the background for the timeline: rows, tracks, strip."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from topoview import model
from topoview.live.moments.film_times import idle_periods
from topoview.live.picking.selection import CallFinder
from topoview.live.timeline.cached_raster import (
    StateShares,
    folded_shares,
    row_state_pixels,
    run_state_shares,
)
from topoview.live.timeline.collectives import CollectiveFinder
from topoview.live.timeline.row_colours import RowColourRequest, RowColours, RowLegend
from topoview.live.timeline.rows import RowBands
from topoview.live.timeline.tracks import (
    OPERATIONS,
    TrackData,
    TrackRequest,
    find_track,
)
from topoview.scene.flat.timeline_pixels import Pixels, row_pixels
from topoview.scene.palette import Theme
from topoview.session import CallFilter
from topoview.ui.panels.timeline.legend import row_colour_table

TracksFound = Mapping[str, tuple[TrackRequest, TrackData]]
"""What was last found of each track, by its name."""


@dataclass(frozen=True, slots=True)
class TracksRequest:
    """What all tracks are made from; `track_data` is not made again."""

    tracks: tuple[TrackRequest, ...]
    track_data: TracksFound = field(compare=False, default_factory=dict)
    operations: CollectiveFinder = field(
        compare=False, default_factory=CollectiveFinder
    )

    def data(self, go_on: Callable[[], bool] = lambda: True) -> TracksFound:
        """Find what they show; a long computation that releases the GIL."""
        answers: dict[str, tuple[TrackRequest, TrackData]] = {}
        for request in self.tracks:
            last = self.track_data.get(request.name)
            if last is not None and last[0] == request:
                answers[request.name] = last
            elif go_on():
                answers[request.name] = request, self._find(request)
        return answers

    def _find(self, request: TrackRequest) -> TrackData:
        if request.name != OPERATIONS:
            return find_track(request)
        return self.operations.find(request.analysis, request.window, request.shown)


IDLE_STEPS_PER_PIXEL = 16
"""Steps within a pixel of the strip at which it is looked for stretches: they are
seen in a magnified window too."""


class RowsMade(NamedTuple):
    """The picture of the rows."""

    pixels: Pixels
    """The picture."""
    exact: bool
    """Whether it is more than a preview."""
    legend: RowLegend | None = None
    """What its colours mean; None for those of states."""


@dataclass(frozen=True, slots=True)
class RowsRequest:
    """What the picture of the rows is made from; equal ones look equal.

    If a preview comes first, which `soon` allows, the same is asked for again without.
    """

    trace: model.Trace
    bands: RowBands
    window: tuple[int, int]
    columns: int
    theme: Theme
    focus: frozenset[int]
    logical: model.LogicalTrace | None
    wanted: CallFilter | None
    analysis: model.Analysis = field(compare=False)
    finder: CallFinder = field(compare=False)
    coloured: RowColours = field(compare=False)
    colour: RowColourRequest | None = None
    isolated: tuple[int, ...] = ()
    soon: bool = False

    def pixels(self, go_on: Callable[[], bool] = lambda: True) -> RowsMade:
        """Compute the pixels; a long computation that releases the GIL."""
        spans = None
        if self.wanted:
            spans = self.finder.spans(self.trace, self.logical, self.wanted)
        bands, window = self.bands, self.window
        if self.colour is not None:
            place = bands, window, self.columns, go_on
            made = self.coloured.pixels(self.colour, *place, soon=self.soon)
            shown = row_pixels(
                made.codes,
                bands,
                window,
                self.theme,
                self.focus,
                spans,
                made.stacks,
                row_colour_table(made.legend, self.theme),
                self.isolated,
            )
            return RowsMade(shown, made.exact, made.legend)
        from_ = self.analysis, bands, window, self.columns, go_on
        codes, exact = row_state_pixels(*from_, soon=self.soon)
        stacks, exact_too = folded_shares(*from_, soon=self.soon)
        look = self.theme, self.focus, spans, stacks, None, self.isolated
        shown = row_pixels(codes, bands, window, *look)
        return RowsMade(shown, exact and exact_too)


@dataclass(frozen=True, slots=True)
class StripRequest:
    """What the shares over the whole run are made from; `soon` as for the rows."""

    trace: model.Trace
    bounds: tuple[int, int]
    columns: int
    analysis: model.Analysis = field(compare=False)
    soon: bool = False

    def shares(self, _: object = None) -> StateShares:
        """Compute them; a long computation that releases the GIL."""
        return run_state_shares(
            self.analysis, self.bounds, self.columns, soon=self.soon
        )


@dataclass(frozen=True, slots=True)
class IdleRequest:
    """What the stretches that playing leaves out are found from.

    Those of the whole run that a pixel can show, at least `least` ticks long; playing
    goes on `near` ticks before each ends.
    """

    trace: model.Trace
    window: tuple[int, int]
    columns: int
    least: float
    near: float

    def stretches(self, _: object = None) -> model.Ints:
        """Find them; a long computation that releases the GIL."""
        result = idle_periods(
            self.trace.timeline,
            self.window,
            IDLE_STEPS_PER_PIXEL * self.columns,
            self.least,
        )
        result[:, 1] -= round(self.near)
        return result
