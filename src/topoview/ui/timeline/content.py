"""What a timeline shows of a state: derived once, kept until its sources change."""

from collections.abc import Callable, Hashable
from typing import TypeVar

import numpy as np
from PySide6.QtGui import QImage

from topoview.analysis.pace import DEAD, NEAR
from topoview.analysis.wanted import Wanted
from topoview.model import Floats, Ints, Trace
from topoview.scene.palette import THEMES
from topoview.scene.timeline.bands import Bands, place_rows
from topoview.scene.timeline.messages import EdgeMessages, call_messages, edge_messages
from topoview.scene.timeline.pixels import Pixels, strip_pixels
from topoview.scene.timeline.rows import RowOrder, row_order
from topoview.session import State
from topoview.ui.playback import leaves_out, speed
from topoview.ui.selected import wanted
from topoview.ui.timeline.frame import Frame
from topoview.ui.timeline.picture import TimelinePicture
from topoview.ui.timeline.requests import QuietRequest, RowsRequest, StripRequest

Value = TypeVar("Value")


class TimelineContent:
    """Derives what is shown from a state; remembers the latest of each thing."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[tuple[Hashable, ...], object]] = {}

    def frame(self, state: State, width: int, height: int, scale: float) -> Frame:
        """Geometry of a timeline of a size in logical pixels."""
        return Frame(
            width,
            height,
            scale,
            shown_window(state),
            bounds(state),
            state.unit,
            state.mark,
        )

    def order(self, state: State) -> RowOrder:
        """Order of the rows."""
        analysis = state.analysis
        assert analysis is not None
        view = state.view
        chosen = state.selection.ranks if view.order == "distance" else ()
        key = (analysis.trace, analysis.identification, view.match, view.order, chosen)
        return self._keep("order", key, lambda: row_order(state))

    def bands(self, state: State, frame: Frame) -> Bands:
        """Where the rows are."""
        assert state.analysis is not None
        trace, order = state.analysis.trace, self.order(state)
        return self._keep(
            "bands",
            (trace, order, frame.lines, frame.scale),
            lambda: place_rows(trace, order, frame.lines, frame.scale),
        )

    def wanted(self, state: State) -> Wanted | None:
        """Tell which calls stand out, None if all are alike."""
        chosen = state.selection
        key = (state.analysis, chosen.statement, chosen.operation, chosen.lines)
        if not chosen.operation and chosen.statement is None and chosen.lines is None:
            return None
        return self._keep("wanted", key, lambda: wanted(state))

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

    def messages(self, state: State, frame: Frame) -> EdgeMessages | None:
        """Find the messages of the selected edge or call that the window shows."""
        analysis, chosen = state.analysis, state.selection
        edge, call = chosen.edge, chosen.call
        if analysis is None or (edge is None and call is None):
            return None
        trace = analysis.trace
        found = self._keep(
            "edge",
            (trace, edge, call),
            lambda: (
                edge_messages(trace, edge)
                if edge is not None
                else call_messages(trace, call if call is not None else -1)
            ),
        )
        return self._keep(
            "messages", (found, frame.window), lambda: found.within(frame.window)
        )

    def rows_request(self, state: State, frame: Frame) -> RowsRequest:
        """Gather what the rows' picture is made from."""
        assert state.analysis is not None
        return RowsRequest(
            state.analysis.trace,
            self.bands(state, frame),
            frame.window,
            frame.columns,
            THEMES[state.view.theme],
            state.view.focus,
            state.analysis.logical,
            self.wanted(state),
        )

    def strip_request(self, state: State, frame: Frame) -> StripRequest:
        """Gather what the strip's shares are computed from."""
        assert state.analysis is not None
        trace = state.analysis.trace
        return StripRequest(trace, frame.bounds, frame.columns)

    def quiet_request(self, state: State, frame: Frame) -> QuietRequest | None:
        """Gather what is left out of playing; None if nothing is."""
        if state.analysis is None or not leaves_out(state):
            return None
        rate = speed(state) * state.analysis.trace.clock.resolution
        return QuietRequest(
            state.analysis.trace, frame.bounds, frame.columns, DEAD * rate, NEAR * rate
        )

    def picture(
        self,
        state: State,
        frame: Frame,
        rows: tuple[QImage | None, tuple[int, int]],
        share: Floats | None,
        quiet: Ints | None = None,
    ) -> TimelinePicture:
        """Put together what is painted."""
        assert state.analysis is not None
        theme = THEMES[state.view.theme]
        trace = state.analysis.trace
        strip = None
        if share is not None:
            self._keep("share", (id(share),), lambda: share)  # none gets its id
            strip = self._keep(
                "strip",
                (id(share), frame.strip_lines, theme),
                lambda: image(strip_pixels(share, frame.strip_lines, theme)),
            )
        selection = state.selection
        return TimelinePicture(
            frame,
            theme,
            trace.clock,
            state.time,
            self.order(state),
            self.bands(state, frame),
            *rows,
            strip,
            selection.ranks or selection.edge or (),
            selection.window,
            self.messages(state, frame),
            self._keep("names", (trace,), lambda: _further_names(trace)),
            self.call(state),
            trace.markers,
            state.bounds,
            state.repeat,
            quiet if leaves_out(state) else None,
        )

    def _keep(
        self, name: str, key: tuple[Hashable, ...], make: Callable[[], Value]
    ) -> Value:
        kept = self._kept.get(name)
        if kept is not None and kept[0] == key:
            return kept[1]  # type: ignore[return-value]
        value = make()
        self._kept[name] = (key, value)
        return value


def timeline_picture(
    state: State, width: int, height: int, scale: float = 1.0
) -> TimelinePicture:
    """Make a timeline's picture at once, for `paint_timeline` on any painter.

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
    pixels, _ = request.pixels()
    share, _ = content.strip_request(state, frame).shares()
    return content.picture(state, frame, (image(pixels), frame.window), share)


def image(pixels: Pixels) -> QImage:
    """Make an image of pixels, which it owns."""
    height, width = pixels.shape
    data = np.ascontiguousarray(pixels)
    found = QImage(data.data, width, height, 4 * width, QImage.Format.Format_RGB32)
    return found.copy()


def _further_names(trace: Trace) -> tuple[str, ...]:
    """Names of all locations; none where all of them are ranks, which are numbered."""
    if len(trace.locations) == trace.ranks:
        return ()
    return tuple(location.name for location in trace.locations)


def bounds(state: State) -> tuple[int, int]:
    """Return the whole run in ticks, at least one tick long."""
    assert state.analysis is not None
    return 0, max(1, state.analysis.trace.clock.length)


def shown_window(state: State) -> tuple[int, int]:
    """Return the state's window, within the run."""
    begin, end = state.window
    last = bounds(state)[1]
    begin = min(max(0, begin), last - 1)
    return begin, min(max(begin + 1, end), last)
