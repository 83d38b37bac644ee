"""The edges that the selection brings out in the scene."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, QTimer

from topoview.analysis.call_messages import edges_of_call
from topoview.analysis.chosen import chosen_edges
from topoview.analysis.one_sided_traffic import transfer_edges
from topoview.analysis.wanted import Wanted
from topoview.model import Indices, LogicalTrace, Trace
from topoview.scene.topology_scene import TopologyScene
from topoview.session import State
from topoview.ui.latest_only import LatestOnly
from topoview.ui.selected import wanted

PATIENCE = 60
"""Milliseconds that a frame waits for edges: then ranks are marked without them."""


@dataclass(frozen=True, slots=True)
class EdgesAsked:
    """Calls whose messages' edges are looked for: of statements, or a single one."""

    trace: Trace
    logical: LogicalTrace | None
    wanted: Wanted
    call: int | None = None

    def edges(self, go_on: Callable[[], bool] = lambda: True) -> Indices:
        """Find them; a long computation that releases the GIL."""
        del go_on
        if self.call is not None:
            return edges_of_call(self.trace, self.call)
        edges = chosen_edges(self.trace, self.logical, self.wanted)
        moved = transfer_edges(self.trace, self.logical, self.wanted)
        if not len(moved):
            return edges
        found: Indices = np.unique(np.concatenate([edges, moved]), axis=0)
        return found


def edges_asked(state: State) -> EdgesAsked | None:
    """Tell whose edges are to be found; None if no calls are selected."""
    known, chosen = state.analysis, state.selection
    if known is None or chosen.edge is not None:
        return None
    calls = wanted(state)
    if calls:
        return EdgesAsked(known.trace, known.logical, calls)
    if chosen.call is None:
        return None
    return EdgesAsked(known.trace, None, calls, chosen.call)


def selected_edge(state: State) -> Indices | None:
    """Give the selected pair as an array of one edge, None if none is selected."""
    edge = state.selection.edge
    return None if edge is None else np.array([edge], np.int32)


class SceneLinks(QObject):
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
        self._asked: EdgesAsked | None = None
        self._edges: Indices | None = None
        self._ranks: tuple[int, ...] = ()
        self._late = QTimer(self, singleShot=True, interval=PATIENCE)
        self._late.timeout.connect(self._draw)
        self._worker = LatestOnly[EdgesAsked, Indices](EdgesAsked.edges, self._take)

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
        asked = edges_asked(state)
        self._ranks = state.selection.ranks
        if asked is None:
            self._asked, self._edges = None, selected_edge(state)
        elif asked != self._asked:
            self._asked, self._edges = asked, None
            self._worker.ask(asked)
        return asked is None or self._edges is not None

    def _take(self, asked: EdgesAsked, edges: Indices) -> None:
        if asked == self._asked:
            self._edges = edges
            self._draw()

    def _mark(self) -> None:
        self._late.stop()
        self._scene.select_edges(self._edges)
        self._scene.mark(self._ranks)

    def _draw(self) -> None:
        self._mark()
        self._redraw()
