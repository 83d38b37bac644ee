"""Pictures of the scene without a window: drawn large off-screen, words by Qt."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyvista
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QGuiApplication, QImage, QImageWriter, QPainter
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import (
    vtkLogger,
    vtkOutputWindow,
    vtkStringOutputWindow,
    vtkUnsignedCharArray,
)

from topoview import __version__
from topoview.analysis import Analysis
from topoview.errors import ExportError
from topoview.model import Bytes
from topoview.scene.topology_scene import TopologyScene
from topoview.session import Selection, State, View
from topoview.ui.display import has_display
from topoview.ui.fonts import load_fonts
from topoview.ui.overlay import FOOTER as FOOTER
from topoview.ui.overlay import paint_annotations
from topoview.ui.recipe import KEY, Recipe
from topoview.ui.scene_content import SceneContent, prepare
from topoview.ui.scene_moment import Moments
from topoview.ui.scene_notes import annotate

ENLARGED = 2
"""Pixels that are drawn for each pixel of the picture, along each side."""

SAMPLES = 4


def render_image(  # noqa: PLR0913 - what can be asked for
    analysis: Analysis,
    *,
    time: int,
    size: tuple[int, int] = (1280, 800),
    theme: str = "light",
    selection: Selection | None = None,
    view: View | None = None,
    footer: bool = True,
) -> QImage:
    """Draw the scene of an analysis.

    Parameters
    ----------
    analysis
        With its topology identified.
    time
        Ticks.
    size
        Width and height of the picture in pixels, footer included.
    theme
        ``light`` or ``dark``.
    selection, view
        What is selected, and how things are shown; `theme` holds.
    footer
        Whether a line below tells program, topology, time and program version.

    Raises
    ------
    ExportError
        The topology is not known, or nothing can be drawn on this machine.
    """
    recipe = Recipe(
        time,
        (0, analysis.trace.clock.length),
        size,
        footer,
        replace(view or View(), theme=theme),
        selection or Selection(),
        pose=None,
    )
    return make(analysis, recipe)


def make(
    analysis: Analysis, recipe: Recipe, known: SceneContent | None = None
) -> QImage:
    """Draw the scene of an analysis as a recipe says.

    Parameters
    ----------
    analysis
        With its topology identified.
    recipe
        How; the picture keeps it.
    known
        What has been laid out already.

    Raises
    ------
    ExportError
        The topology is not known, or nothing can be drawn on this machine.
    """
    state = State(
        analysis=analysis,
        time=recipe.time,
        window=recipe.window,
        selection=recipe.selection,
        view=recipe.view,
    )
    content = prepare(state, known)
    if content is None:
        raise ExportError("there is no picture yet: the topology is not known so far")
    with _application():
        load_fonts()
        image = _draw(state, content, recipe)
    for key, text in _facts(state, content).items():
        image.setText(key, text)
    image.setText(KEY, recipe.text)
    return image


def _draw(state: State, content: SceneContent, recipe: Recipe) -> QImage:
    width, height = recipe.size
    view = (width, max(height - (FOOTER if recipe.footer else 0), 16))
    shown = Moments().at(state, content)
    with _quiet(), _plotter(view) as plotter:
        scene = TopologyScene(plotter, state.view.theme, view, float(ENLARGED))
        scene.show(content.match, content.layout, content.matrix)
        if recipe.pose is not None:
            scene.look_with(recipe.pose)
        shown.draw(scene)
        scene.show_edges(shown=state.view.edges)
        scene.select_edge(state.selection.edge)
        pixels = _shrunk(_pixels(plotter))
        notes = annotate(state, content, scene, shown, footer=recipe.footer)
        scene.close()
    image = QImage(width, height, QImage.Format.Format_RGB32)
    with QPainter(image) as painter:
        painter.drawImage(0, 0, _image(pixels))
        paint_annotations(painter, notes, view)
    return image


def save_image(image: QImage, path: Path) -> None:
    """Write a picture as PNG, with what it shows in its metadata.

    Raises
    ------
    ExportError
        It cannot be written there.
    """
    suffix = path.suffix.lower()
    if suffix not in (".png", ""):
        raise ExportError(
            f"{path} cannot be written: pictures are PNG files; name it "
            f"{path.with_suffix('.png').name}"
        )
    if path.is_dir():
        raise ExportError(f"{path} is a folder: name a file in it")
    if not path.absolute().parent.is_dir():
        raise ExportError(f"{path} cannot be written: there is no folder {path.parent}")
    writer = QImageWriter(str(path), b"png")
    if not writer.write(image):
        raise ExportError(
            f"{path} cannot be written ({writer.errorString().lower()}): check that "
            "the folder may be written to and the disk is not full"
        )


def _facts(state: State, content: SceneContent) -> dict[str, str]:
    """Metadata of the PNG (tEXt chunks)."""
    trace = content.known.trace
    return {
        "Title": f"{trace.name}: {content.match.topology.name}",
        "Software": f"topoview {__version__}",
        "Source": Path(trace.path).name,
        "Topology": content.match.topology.name,
        "Ranks": str(trace.ranks),
        "Time": f"{trace.clock.seconds(state.time):.9g} s",
    }


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
