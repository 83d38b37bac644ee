"""Edges of the selection and traffic of the window, found in the background."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QObject, QTimer

from topoview.live.call_facts import edges_of_call
from topoview.live.picking.selection import selected_edges
from topoview.model import Analysis, Indices, LogicalTrace, Trace
from topoview.scene.lines.pair_lines import EdgeTraffic
from topoview.scene.topology_scene import TopologyScene
from topoview.session import CallFilter, State
from topoview.ui.panels.scene.content import SceneContent
from topoview.ui.panels.scene.moment import Ranges, TrafficRequest, traffic_in_window
from topoview.ui.panels.selected_calls import call_filter
from topoview.ui.widgets.latest_only import LatestOnly

MAX_WAIT_MILLISECONDS = 60
"""Milliseconds that a frame waits for edges: then ranks are marked without them."""


@dataclass(frozen=True, slots=True)
class EdgesRequest:
    """Calls whose messages' edges are looked for: of statements, or a single one."""

    trace: Trace
    logical: LogicalTrace | None
    wanted: CallFilter
    call: int | None = None
    analysis: Analysis = field(kw_only=True, compare=False)

    def edges(self, _: object = None) -> Indices:
        """Find them; a long computation that releases the GIL."""
        if self.call is not None:
            return edges_of_call(self.analysis, self.call)
        return selected_edges(self.analysis, self.wanted)


def edges_request(state: State) -> EdgesRequest | None:
    """Return a request for the edges to be found; None if no calls are selected."""
    analysis, chosen = state.analysis, state.selection
    if analysis is None or (chosen.edge or chosen.flow) is not None:
        return None
    calls = call_filter(state)
    if calls:
        return EdgesRequest(analysis.trace, analysis.logical, calls, analysis=analysis)
    if chosen.call is None:
        return None
    return EdgesRequest(analysis.trace, None, calls, chosen.call, analysis=analysis)


def selected_edge(state: State, scene: TopologyScene) -> Indices | None:
    """Return the selected pair as an array of one edge, else the edges of a few ranks.

    None if neither is selected.
    """
    edge = state.selection.edge or state.selection.flow
    if edge is None:
        return scene.edges_of(state.selection.ranks)
    return np.array([edge], np.int32)


class SelectionEdges(QObject):
    """Draws what is selected in a scene: marks of ranks, and edges.

    Edges of calls are looked up in a thread. The frame that shows them shows the
    ranks' marks as well; only if the edges take longer these come before.
    """

    def __init__(
        self, scene: TopologyScene, redraw: Callable[[], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._scene = scene
        self._redraw = redraw
        self._request: EdgesRequest | None = None
        self._edges: Indices | None = None
        self._ranks: tuple[int, ...] = ()
        self._late = QTimer(self, singleShot=True, interval=MAX_WAIT_MILLISECONDS)
        self._late.timeout.connect(self._draw)
        self._worker = LatestOnly[EdgesRequest, Indices](EdgesRequest.edges, self._take)

    @property
    def busy(self) -> bool:
        """Whether edges are still to be found, or ranks to be marked."""
        return self._worker.busy or self._late.isActive()

    def set(self, state: State) -> None:
        """Mark what is selected in a scene that will be drawn anyway."""
        self._look_up(state)
        self._mark()

    def follow(self, state: State) -> None:
        """Mark what is selected, and have it drawn: in one frame if that is soon."""
        if self._look_up(state):
            self._draw()
        elif not self._late.isActive():
            self._late.start()

    def stop(self) -> None:
        """Find nothing more."""
        self._late.stop()
        self._worker.stop()

    def _look_up(self, state: State) -> bool:
        """Find the edges, or begin to; tells whether all is known."""
        request = edges_request(state)
        self._ranks = state.selection.ranks
        if request is None:
            self._request, self._edges = None, selected_edge(state, self._scene)
        elif request != self._request:
            self._request, self._edges = request, None
            self._worker.ask(request)
        return request is None or self._edges is not None

    def _take(self, request: EdgesRequest, edges: Indices) -> None:
        if request == self._request:
            self._edges = edges
            self._draw()

    def _mark(self) -> None:
        self._late.stop()
        self._scene.select_edges(self._edges)
        self._scene.mark(self._ranks)

    def _draw(self) -> None:
        self._mark()
        self._redraw()


# The traffic of the window, found beside the window's thread where that matters.


class BackgroundTraffic:
    """Gives the traffic as soon as it is summed up; until then that before it.

    Parameters
    ----------
    found
        Called when there is another one.
    """

    def __init__(self, on_result: Callable[[], None]) -> None:
        self._found = on_result
        self._kept: tuple[TrafficRequest, EdgeTraffic] | None = None
        self._worker: LatestOnly[TrafficRequest, EdgeTraffic] = LatestOnly(
            lambda request, _: traffic_in_window(*request), self._take
        )

    def __call__(
        self, content: SceneContent, window: tuple[int, int], ranges: Ranges = ()
    ) -> EdgeTraffic | None:
        """Return the traffic that is known of the shown topology."""
        kept, request = self._kept, (content, window, ranges)
        same = kept is not None and kept[0][0] is content
        if kept is None or kept[0] != request:
            self._worker.ask(request)
        return kept[1] if same and kept is not None else None

    def _take(self, request: TrafficRequest, traffic: EdgeTraffic) -> None:
        self._kept = request, traffic
        self._found()

    @property
    def busy(self) -> bool:
        """Whether traffic is still to be summed up."""
        return self._worker.busy

    def stop(self) -> None:
        """End the thread."""
        self._worker.stop()
