"""The edges that the selection brings out in the scene."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject

from topoview.analysis.chosen import chosen_edges
from topoview.analysis.wanted import Wanted
from topoview.model import Indices, LogicalTrace, Trace
from topoview.scene.topology_scene import TopologyScene
from topoview.session import State
from topoview.ui.latest_only import LatestOnly
from topoview.ui.selected import wanted


@dataclass(frozen=True, slots=True)
class EdgesAsked:
    """Calls whose messages' edges are looked for."""

    trace: Trace
    logical: LogicalTrace | None
    wanted: Wanted

    def edges(self, go_on: Callable[[], bool] = lambda: True) -> Indices:
        """Find them; a long computation that releases the GIL."""
        del go_on
        return chosen_edges(self.trace, self.logical, self.wanted)


def edges_asked(state: State) -> EdgesAsked | None:
    """Tell whose edges are to be found; None if no calls are selected."""
    known = state.analysis
    if known is None or state.selection.edge is not None:
        return None
    calls = wanted(state)
    return EdgesAsked(known.trace, known.logical, calls) if calls else None


def selected_edge(state: State) -> Indices | None:
    """Give the selected pair as an array of one edge, None if none is selected."""
    edge = state.selection.edge
    return None if edge is None else np.array([edge], np.int32)


class SceneLinks(QObject):
    """Draws the edges of the selection in a scene; calls are looked up in a thread."""

    def __init__(
        self, scene: TopologyScene, redraw: Callable[[], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._scene = scene
        self._redraw = redraw
        self._asked: EdgesAsked | None = None
        self._worker = LatestOnly[EdgesAsked, Indices](EdgesAsked.edges, self._take)

    @property
    def busy(self) -> bool:
        """Whether edges are still to be found."""
        return self._worker.busy

    def show(self, state: State) -> None:
        """Draw the selected edge, or those of the selected calls once found."""
        self._asked = edges_asked(state)
        self._scene.select_edges(selected_edge(state))
        if self._asked is not None:
            self._worker.ask(self._asked)

    def stop(self) -> None:
        """Find nothing more."""
        self._worker.stop()

    def _take(self, asked: EdgesAsked, edges: Indices) -> None:
        if asked == self._asked:
            self._scene.select_edges(edges)
            self._redraw()
