"""What a timeline shows of a state: derived once, kept until its sources change.

Requests are gathered in the window's thread and turned into pixels in another one;
a `TimelinePicture` has all that is painted.
"""

from dataclasses import replace
from typing import Final

import numpy as np
from PySide6.QtGui import QImage

from topoview import model
from topoview.base.text import duration_text, plural, tr
from topoview.live.colourings.table import STATE, row_of
from topoview.live.picking.navigation import IDLE_SECONDS, LEAD_SECONDS
from topoview.live.picking.occurrences import iteration_times
from topoview.live.picking.selection import CallFinder
from topoview.live.tables.statistics.histogram import correlation
from topoview.live.timeline.collectives import WindowCollectives
from topoview.live.timeline.device_waits import WindowDeviceWaits
from topoview.live.timeline.orders import NOT_CONNECTED, RowOrder, row_order
from topoview.live.timeline.row_colours import (
    REGION_TEXTS,
    RowColourRequest,
    RowColours,
    RowLegend,
    shown_colouring,
)
from topoview.live.timeline.rows import RowBands, place_rows
from topoview.live.timeline.selected_messages import (
    SelectedMessages,
    WindowMessages,
    call_messages,
    edge_messages,
    one_message,
)
from topoview.live.timeline.tracks import (
    DEVICE_WAITS,
    LINES,
    OPERATIONS,
    Track,
    TrackRequest,
    rank_of_tracks,
    track_rows,
)
from topoview.live.waits.delays import shown_front
from topoview.report.waits.delays import front_words
from topoview.scene.flat.timeline_pixels import overview_pixels, waiting_share
from topoview.scene.palette import THEMES
from topoview.session import CallFilter, State, TimelineOptions
from topoview.ui.panels.scene.overlay.legend import colouring_text
from topoview.ui.panels.selected_calls import call_filter, coloured_loop
from topoview.ui.panels.timeline.critical_path import shown_path
from topoview.ui.panels.timeline.frame import (
    GUTTER_WIDTH,
    TRACK_GAP,
    WIDE_GUTTER,
    TimelineFrame,
)
from topoview.ui.panels.timeline.picture import (
    FrontLines,
    Ruler,
    ShownTrack,
    TimelinePicture,
    image_of_pixels,
)
from topoview.ui.panels.timeline.requests import (
    IdleRequest,
    RowsRequest,
    StripRequest,
    TracksFound,
    TracksRequest,
)
from topoview.ui.playback import playback_speed, skips_idle
from topoview.ui.widgets.latest_only import LastMade


def front_lines(state: State, order: RowOrder) -> FrontLines | None:
    """Find the lines of the shown delay's front in an order of rows."""
    front, rows = shown_front(state), state.timeline
    if front is None or rows.order != "distance" or rows.origin != (front.rank,):
        return None
    if rows.group:
        return None
    assert state.analysis is not None
    group = np.zeros(len(order.ranks), np.int64)
    group[order.groups[1:]] = 1
    group = np.cumsum(group)
    there = front.arrival[order.ranks] >= 0
    if order.labels and order.labels[-1] == NOT_CONNECTED:
        there &= group < group[-1]
    groups = model.distinct(group[there])
    ends = [
        [int(np.median(ticks[order.ranks[there & (group == g)]])) for g in groups]
        for ticks in (front.arrival, front.end)
    ]
    begin, end = np.array(ends, np.int64).reshape(2, -1)
    in_turn = np.argsort(np.argsort(begin)).astype(np.float64)
    if len(begin) > 1 and correlation(groups, in_turn) < model.MIN_CORRELATION:
        return None  # another topology is shown than the one that it travels on
    return FrontLines(groups, begin, end, front_words(state.analysis, state.delay))


OVERVIEW_MARGIN = 4
"""Windows on each side of the shown one that a zoomed overview shows."""


class TimelineContent:
    """Derives what is shown from a state; remembers the latest of each thing."""

    def __init__(self) -> None:
        self._keep = LastMade()
        self._finder = CallFinder()
        self._coloured = RowColours()

    def frame(
        self, state: State, width: int, height: int, scale: float
    ) -> TimelineFrame:
        """Geometry of a timeline of a size in logical pixels."""
        tracks = tuple(row for _, row in self.tracks(state))
        gutter = WIDE_GUTTER if self.order(state).labels or tracks else GUTTER_WIDTH
        of = (
            width,
            height,
            scale,
            shown_window(state),
            overview_bounds(state),
            state.unit,
            state.time_zero,
            gutter,
            _track_heights(tracks, height),
            rows_colour(state) is not None,
        )
        return self._keep("frame", of, lambda: TimelineFrame(*of))

    def tracks(self, state: State) -> tuple[tuple[str, Track], ...]:
        """Tracks that are shown, of those that the trace has."""
        analysis, names = state.analysis, state.timeline.tracks
        if analysis is None or not names:
            return ()
        rows = self._keep("tracks", (analysis,), lambda: track_rows(analysis))
        return tuple((name, rows[name]) for name in names if name in rows)

    def track_requests(
        self, state: State, frame: TimelineFrame
    ) -> tuple[TrackRequest, ...]:
        """Gather what the tracks are made from."""
        analysis = state.analysis
        if analysis is None or not state.timeline.tracks:
            return ()
        ranks = self.order(state).ranks
        shown = self._keep("shown", (ranks.tobytes(),), lambda: ranks.tobytes())
        rank = rank_of_tracks(state)
        return tuple(
            TrackRequest(
                name=name,
                analysis=analysis,
                window=frame.window,
                width=frame.columns,
                ranks=b"" if row.of_rank else shown,
                rank=rank if row.of_rank else -1,
                lines=int(height * frame.scale),
            )
            for (name, row), height in zip(
                self.tracks(state), frame.tracks, strict=True
            )
        )

    def order(self, state: State) -> RowOrder:
        """Order of the rows."""
        analysis = state.analysis
        assert analysis is not None
        rows = state.timeline
        key = (
            analysis.trace,
            analysis.identification,
            analysis.profile,
            state.match,
            rows.order,
            rows.origin,
            rows.number,
            rows.group,
            rows.apart,
            rows.only,
        )

        def make() -> RowOrder:
            # the same as long as rows stay: it takes long to place very many
            order = row_order(state)
            arrays = order.ranks.tobytes(), order.groups.tobytes()
            alike = *arrays, order.labels, order.numbered, order.words
            return self._keep("alike", alike, lambda: order)

        return self._keep("order", key, make)

    def bands(self, state: State, frame: TimelineFrame) -> RowBands:
        """Where the rows are."""
        assert state.analysis is not None
        trace, order = state.analysis.trace, self.order(state)
        rows = state.timeline
        key = (
            trace,
            order,
            frame.lines,
            frame.scale,
            rows.folded,
            rows.turned,
            rows.threads,
            rows.view,
        )
        return self._keep(
            "bands",
            key,
            lambda: place_rows(trace, order, frame.lines, frame.scale, rows),
        )

    def wanted(self, state: State) -> CallFilter | None:
        """Return which calls stand out, None if all are alike."""
        chosen = state.selection
        marks = chosen.statement, chosen.operation, chosen.lines, chosen.query
        key = (state.analysis, *marks)
        if marks == (None, "", None, ""):
            return None
        return self._keep("wanted", key, lambda: call_filter(state))

    def call(self, state: State) -> tuple[int, int, int] | None:
        """Row, begin and end of the selected call."""
        call = state.selection.call
        if call is None or state.analysis is None:
            return None
        calls = state.analysis.trace.calls
        if call >= len(calls):
            return None
        row = int(np.searchsorted(calls.offsets, call, side="right")) - 1
        return row, int(calls.enter[call]), int(calls.leave[call])

    def messages(self, state: State, frame: TimelineFrame) -> SelectedMessages | None:
        """Find the messages of the selected edge or call that the window shows."""
        analysis, chosen = state.analysis, state.selection
        edge, call = chosen.edge, chosen.call
        one = state.picked.number if state.picked.kind == "message" else None
        if analysis is None or (edge is None and call is None and one is None):
            return None
        trace = analysis.trace

        def find() -> SelectedMessages:
            if one is not None:
                return one_message(analysis, one)
            if edge is not None:
                return edge_messages(analysis, edge)
            return call_messages(analysis, call if call is not None else -1)

        selected = self._keep("edge", (trace, edge, call, one), find)
        return self._keep(
            "messages", (selected, frame.window), lambda: selected.within(frame.window)
        )

    def rows_request(self, state: State, frame: TimelineFrame) -> RowsRequest:
        """Gather what the rows' picture is made from."""
        assert state.analysis is not None
        return RowsRequest(
            trace=state.analysis.trace,
            bands=self.bands(state, frame),
            window=frame.window,
            columns=frame.columns,
            theme=THEMES[state.theme],
            focus=state.focus,
            logical=state.analysis.logical,
            wanted=self.wanted(state),
            analysis=state.analysis,
            finder=self._finder,
            coloured=self._coloured,
            colour=rows_colour(state),
            isolated=state.selection.isolated,
        )

    def strip_request(self, state: State, frame: TimelineFrame) -> StripRequest:
        """Gather what the strip's shares are computed from."""
        assert state.analysis is not None
        analysis = state.analysis
        return StripRequest(analysis.trace, frame.bounds, frame.columns, analysis)

    def quiet_request(self, state: State, frame: TimelineFrame) -> IdleRequest | None:
        """Gather what is left out of playing; None if nothing is."""
        if state.analysis is None or not skips_idle(state):
            return None
        rate = playback_speed(state) * state.analysis.trace.clock.resolution
        return IdleRequest(
            state.analysis.trace,
            run_bounds(state),
            frame.columns,
            IDLE_SECONDS * rate,
            LEAD_SECONDS * rate,
        )

    def picture(  # noqa: PLR0913 - a picture's parts
        self,
        state: State,
        frame: TimelineFrame,
        rows: tuple[QImage | None, tuple[int, int]],
        share: model.Floats | None,
        quiet: model.Ints | None = None,
        tracks: TracksFound | None = None,
        legend: RowLegend | None = None,
    ) -> TimelinePicture:
        """Put together what is painted."""
        assert state.analysis is not None
        theme = THEMES[state.theme]
        trace = state.analysis.trace
        strip = None
        if share is not None:
            self._keep("share", (id(share),), lambda: share)  # none gets its id
            strip = self._keep(
                "strip",
                (id(share), frame.strip_lines, theme),
                lambda: image_of_pixels(
                    overview_pixels(share, frame.strip_lines, theme)
                ),
            )
        selection = state.selection
        return TimelinePicture(
            frame=frame,
            theme=theme,
            clock=trace.clock,
            time=state.time,
            order=self.order(state),
            bands=self.bands(state, frame),
            rows=rows[0],
            rows_window=rows[1],
            strip=strip,
            waiting=0.0 if share is None else float(waiting_share(share).max()),
            selected=selection.ranks or selection.edge or (),
            span=selection.window,
            messages=self.messages(state, frame),
            names=self._keep("names", (trace,), lambda: _location_names(trace)),
            call=self.call(state),
            markers=trace.markers,
            played=state.bounds,
            repeated=state.repeat,
            quiet=quiet if skips_idle(state) else None,
            front=self._keep(
                "front",
                (state.analysis.delays, state.delay, self.order(state)),
                lambda: front_lines(state, self.order(state)),
            ),
            notes=state.notes,
            trace=trace,
            tracks=self.shown_tracks(state, frame, tracks or {}),
            remarks=_remarks(state),
            lines=lines_found(state, tracks or {}),
            ruler=ruler_of(state),
            path=shown_path(state, frame),
            legend=legend,
            operations=operations_found(state, tracks or {}),
            device_waits=_device_waits_found(tracks or {}),
        )

    def lines_request(
        self, state: State, frame: TimelineFrame
    ) -> tuple[TrackRequest, ...]:
        """Gather what lies over the rows is found from: messages and operations."""
        analysis, shown = state.analysis, state.timeline
        drawn = {LINES: shown.messages, OPERATIONS: shown.collectives}
        if analysis is None:
            return ()
        bands = self.bands(state, frame)
        drawn[DEVICE_WAITS] = self._keep(
            "strips", bands, lambda: bool(bands.strip.any())
        )
        names = [name for name, on in drawn.items() if on]
        if not names:
            return ()
        ranks = self.order(state).ranks.tobytes()
        return tuple(
            TrackRequest(
                name=name,
                analysis=analysis,
                window=frame.window,
                width=frame.columns,
                ranks=ranks,
                rank=-1,
                lines=0,
            )
            for name in names
        )

    def shown_tracks(
        self, state: State, frame: TimelineFrame, tracks: TracksFound
    ) -> tuple[ShownTrack, ...]:
        """Put together the tracks, with what was last found of each."""
        rows = dict(self.tracks(state))
        return tuple(
            ShownTrack(rows[request.name], *tracks[request.name], done=True)
            if request.name in tracks and tracks[request.name][0].rank == request.rank
            else ShownTrack(rows[request.name], request, None, done=False)
            for request in self.track_requests(state, frame)
        )


def timeline_picture(
    state: State, width: int, height: int, scale: float = 1.0
) -> TimelinePicture:
    """Compute a timeline's picture at once, for `paint_timeline` on any painter.

    Parameters
    ----------
    state
        State with an analysis.
    width, height
        Size in logical pixels.
    scale
        Device pixels in a logical one.
    """
    content = TimelineContent()
    frame = content.frame(state, width, height, scale)
    request = content.rows_request(state, frame)
    pixels, _, legend = request.pixels()
    share, _ = content.strip_request(state, frame).shares()
    requests = content.track_requests(state, frame) + content.lines_request(
        state, frame
    )
    tracks = TracksRequest(requests).data()
    image = image_of_pixels(pixels), frame.window
    return content.picture(state, frame, image, share, tracks=tracks, legend=legend)


def rows_colour(state: State) -> RowColourRequest | None:
    """Return what rows are coloured by; None for states."""
    analysis, name = state.analysis, state.timeline.colour
    if analysis is None or name == STATE or shown_colouring(analysis, name) == STATE:
        return None
    row = row_of(name, analysis)
    title = REGION_TEXTS.get(name) or colouring_text(state, name)
    if row is not None and row.selects:
        chosen = call_filter(state), coloured_loop(state)
        return RowColourRequest(analysis, name, title, *chosen)
    return RowColourRequest(analysis, name, title)


MIN_ROWS_SHARE: Final = 0.4
"""Share of the height that tracks leave to the rows at least."""


def _track_heights(tracks: tuple[Track, ...], height: int) -> tuple[int, ...]:
    """Heights of tracks, smaller ones where they would leave too little to the rows."""
    wanted = sum(track.height + TRACK_GAP for track in tracks)
    room = TimelineFrame(1, height, 1.0, (0, 1), (0, 1)).room * (1 - MIN_ROWS_SHARE)
    factor = min(1.0, max(room, 1.0) / max(wanted, 1))
    return tuple(max(int(track.height * factor), 1) for track in tracks)


def lines_found(state: State, tracks: TracksFound) -> WindowMessages | None:
    """Return all messages of the window as they were last found, if they are drawn."""
    data = tracks[LINES][1] if state.timeline.messages and LINES in tracks else None
    return data if isinstance(data, WindowMessages) else None


def operations_found(state: State, tracks: TracksFound) -> WindowCollectives | None:
    """Return the window's operations as they were last found, if they are drawn."""
    drawn = state.timeline.collectives and OPERATIONS in tracks
    data = tracks[OPERATIONS][1] if drawn else None
    return data if isinstance(data, WindowCollectives) else None


def _device_waits_found(tracks: TracksFound) -> WindowDeviceWaits | None:
    data = tracks[DEVICE_WAITS][1] if DEVICE_WAITS in tracks else None
    return data if isinstance(data, WindowDeviceWaits) else None


def ruler_of(state: State) -> Ruler | None:
    """Measure what lies between the ends of the ruler."""
    analysis, chosen = state.analysis, state.timeline.ruler
    if analysis is None or chosen is None:
        return None
    begin, one, end, other = chosen
    clock = analysis.trace.clock
    words = [duration_text(clock.seconds(abs(end - begin)))]
    words.append(
        tr("rank {one} to {other}", one=one, other=other)
        if one != other
        else tr("rank {one}", one=one)
    )
    times = iteration_times(analysis, other)
    low, high = sorted((begin, end))
    between = int(np.count_nonzero((times > low) & (times <= high)))
    if len(times):
        words.append(plural(between, "iteration"))
    return Ruler(chosen, ", ".join(words))


def _remarks(state: State) -> tuple[tuple[int, str], ...]:
    """Gather times and words of bookmarks, notes and the trace's markers."""
    assert state.analysis is not None
    return (
        *((mark.time, mark.name) for mark in state.bookmarks),
        *(
            (
                n.time,
                tr("rank {rank}: {text}", rank=n.rank, text=n.text.splitlines()[0]),
            )
            for n in state.notes
        ),
        *((mark.time, mark.text) for mark in state.analysis.trace.markers),
    )


def _location_names(trace: model.Trace) -> tuple[str, ...]:
    """Names of all locations; none where all of them are ranks, which are numbered."""
    if len(trace.locations) == trace.ranks:
        return ()
    streams = [trace.locations[k] for k in trace.further_rows("accelerator")]
    devices = {(stream.rank, model.device_name(stream)) for stream in streams}
    alone = len(devices) == len({stream.rank for stream in streams})
    short = tr("stream {number}", number=r"\3") if alone else r"\1 \2:\3"
    return tuple(model.STREAM_NAME.sub(short, place.name) for place in trace.locations)


def run_bounds(state: State) -> tuple[int, int]:
    """Return the whole run in ticks, at least one tick long."""
    assert state.analysis is not None
    return state.analysis.trace.clock.whole


def shown_window(state: State) -> tuple[int, int]:
    """Return the state's window, which begins within the run.

    It may end after it, beside that of a longer run.
    """
    begin = min(max(0, state.window[0]), run_bounds(state)[1] - 1)
    return begin, max(begin + 1, state.window[1])


def overview_bounds(state: State) -> tuple[int, int]:
    """Return the stretch in ticks that the overview shows: never less than the rows."""
    whole, chosen = run_bounds(state), state.timeline.overview
    if chosen is None:
        return whole
    begin, end = shown_window(state)
    begin = max(min(chosen[0], begin), whole[0])
    return begin, max(min(max(chosen[1], end), whole[1]), begin + 1)


def overview_turned(state: State) -> TimelineOptions:
    """Let the overview show what is around the window; all of the run if it does."""
    (begin, end), whole = shown_window(state), run_bounds(state)
    around = OVERVIEW_MARGIN * (end - begin)
    near = max(begin - around, whole[0]), min(end + around, whole[1])
    chosen = near if state.timeline.overview is None and near != whole else None
    return replace(state.timeline, overview=chosen)
