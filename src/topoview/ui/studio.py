"""Where pictures are drawn without a window: large, off-screen, words by Qt."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from types import TracebackType

import numpy as np
import pyvista
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import (
    vtkLogger,
    vtkOutputWindow,
    vtkStringOutputWindow,
    vtkUnsignedCharArray,
)

from topoview.model import Bytes
from topoview.scene.topology_scene import TopologyScene
from topoview.session import State
from topoview.ui.display import has_display
from topoview.ui.fonts import load_fonts
from topoview.ui.overlay import FOOTER, paint_annotations
from topoview.ui.recipe import Recipe
from topoview.ui.scene_content import SceneContent
from topoview.ui.scene_links import edges_asked, selected_edge
from topoview.ui.scene_moment import Moments
from topoview.ui.scene_notes import annotate

ENLARGED = 2
"""Pixels that are drawn for each pixel of the picture, along each side."""

SAMPLES = 4


class Studio:
    """Draws pictures of one scene, at any time; a context manager.

    Parameters
    ----------
    state
        With an analysis whose topology is identified.
    content
        What is laid out of it.
    recipe
        Size, footer, and where it is seen from.
    """

    def __init__(self, state: State, content: SceneContent, recipe: Recipe) -> None:
        self._state, self._content, self._recipe = state, content, recipe
        below = FOOTER if recipe.footer else 0
        self._view = (recipe.size[0], max(recipe.size[1] - below, 16))
        self._moments = Moments()
        self._stack = ExitStack()

    def __enter__(self) -> "Studio":
        """Set the scene up."""
        with _application():
            load_fonts()
        self._stack.enter_context(_quiet())
        self._plotter = self._stack.enter_context(_plotter(self._view))
        scene = TopologyScene(
            self._plotter, self._state.view.theme, self._view, float(ENLARGED)
        )
        self._stack.callback(scene.close)
        content = self._content
        scene.show(content.match, content.layout, content.matrix)
        if self._recipe.pose is not None:
            scene.look_with(self._recipe.pose)
        scene.show_edges(shown=self._state.view.edges)
        asked = edges_asked(self._state)
        chosen = selected_edge(self._state) if asked is None else asked.edges()
        scene.select_edges(chosen)
        self._scene = scene
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take it down."""
        self._stack.close()

    def picture(self, time: int) -> QImage:
        """Draw it at a time in ticks."""
        state = replace(self._state, time=time)
        shown = self._moments.at(state, self._content)
        shown.draw(self._scene)
        pixels = _shrunk(_pixels(self._plotter))
        notes = annotate(
            state, self._content, self._scene, shown, footer=self._recipe.footer
        )
        image = QImage(*self._recipe.size, QImage.Format.Format_RGB32)
        with QPainter(image) as painter:
            painter.drawImage(0, 0, _image(pixels))
            paint_annotations(painter, notes, self._view)
        return image


@contextmanager
def _application() -> Iterator[None]:
    """Have a Qt application; without a display one that only paints images."""
    if QGuiApplication.instance() is not None:
        yield
        return
    if not has_display():
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _KEPT.append(QGuiApplication([]))
    yield


_KEPT: list[QCoreApplication] = []
"""The application that was made here: fonts live as long as it does."""


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep VTK from complaining on stderr.

    Without a display it tries X first, and says that there is none.
    """
    before = vtkOutputWindow.GetInstance()
    verbosity = vtkLogger.GetCurrentVerbosityCutoff()
    vtkOutputWindow.SetInstance(vtkStringOutputWindow())
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)
    try:
        yield
    finally:
        vtkLogger.SetStderrVerbosity(verbosity)
        vtkOutputWindow.SetInstance(before)


@contextmanager
def _plotter(view: tuple[int, int]) -> Iterator[pyvista.Plotter]:
    plotter = pyvista.Plotter(
        off_screen=True,
        window_size=[view[0] * ENLARGED, view[1] * ENLARGED],
        lighting="none",
    )
    try:
        assert plotter.render_window is not None
        plotter.render_window.SetMultiSamples(SAMPLES)
        yield plotter
    finally:
        plotter.close()


def _pixels(plotter: pyvista.Plotter) -> Bytes:
    """Render, and read the picture: uint8, shape (height, width, 3), top row first."""
    window = plotter.render_window
    assert window is not None
    window.Render()
    width, height = window.GetSize()
    found = vtkUnsignedCharArray()
    window.GetPixelData(0, 0, width - 1, height - 1, 0, found, 0)
    flat = vtk_to_numpy(found)  # type: ignore[no-untyped-call]
    pixels = flat.reshape(height, width, 3)
    return np.ascontiguousarray(pixels[::-1])


def _shrunk(pixels: Bytes) -> Bytes:
    """Average the pixels that were drawn for one of the picture."""
    height, width = (length // ENLARGED for length in pixels.shape[:2])
    blocks = pixels.reshape(height, ENLARGED, width, ENLARGED, 3)
    mean = blocks.mean(axis=(1, 3), dtype=np.float32)
    return np.asarray(np.rint(mean), np.uint8)


def _image(pixels: Bytes) -> QImage:
    height, width = pixels.shape[:2]
    kind = QImage.Format.Format_RGB888
    return QImage(pixels.data, width, height, 3 * width, kind).copy()
