"""Matches made by hand, and scenes drawn off-screen."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkUnsignedCharArray

from topoview.model import CommunicationMatrix, Layout, Match, Topology
from topoview.scene.topology_scene import TopologyScene
from topoview.topology import lay_out
from topoview.ui.panels.scene.plotter import make_view


@dataclass(frozen=True)
class Case:
    """A topology that was matched, in a layout."""

    match: Match
    layout: Layout
    matrix: CommunicationMatrix


def matched(topology: Topology, layout: str = "", numbering: int | None = None) -> Case:
    """Match a topology with itself, under a random numbering if one is wanted."""
    n = topology.vertices
    order = np.arange(n, dtype=np.int32)
    if numbering is not None:
        order = np.random.default_rng(numbering).permutation(order)
    nothing = np.zeros((0, 2), np.int32)
    match = Match(topology, order, len(topology.edges), nothing, nothing, 1.0, 1.0)
    a, b = match.rank_edges.T
    both = (np.concatenate([a, b]), np.concatenate([b, a]))
    calls = csr_array((np.full(len(both[0]), 2), both), shape=(n, n))
    matrix = CommunicationMatrix.of_sparse(calls, calls * 500)
    return Case(match, lay_out(match, matrix, layout), matrix)


class Stage:
    """A view with a scene, and the picture that it draws."""

    def __init__(
        self, theme: str, size: tuple[int, int], *, rays: bool = False
    ) -> None:
        self.view = make_view(size)
        self.scene = TopologyScene(self.view.renderer, theme, size, rays=rays)

    def picture(self) -> np.ndarray:
        """Render: uint8, shape (height, width, 3), top row first."""
        window = self.view.window
        window.Render()
        width, height = window.GetSize()
        found = vtkUnsignedCharArray()
        window.GetPixelData(0, 0, width - 1, height - 1, 0, found, 0)
        flat = vtk_to_numpy(found)
        return flat.reshape(height, width, 3)[::-1].copy()

    def close(self) -> None:
        """End scene and view."""
        self.scene.close()
        self.view.close()


MakeStage = Callable[..., Stage]
"""What the fixture ``stage`` is."""
