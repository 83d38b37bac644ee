"""Plotters of pyvista, no Qt: off-screen ones, and one with the scene for notebooks."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import pyvista
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import (
    vtkLogger,
    vtkOutputWindow,
    vtkStringOutputWindow,
    vtkUnsignedCharArray,
)

from topoview.desktop import has_display
from topoview.errors import TopoviewError, UsageError
from topoview.live.colourings.table import offered
from topoview.live.delays import first_view
from topoview.model import Analysis, Bytes
from topoview.scene.topology_scene import TopologyScene
from topoview.session import SceneOptions, State
from topoview.ui.panels.scene.content import prepare_scene
from topoview.ui.panels.scene.moment import MomentFinder


@contextmanager
def silence_vtk() -> Iterator[None]:
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


@cache
def choose_egl() -> None:
    """Have VTK draw through EGL where that works; else it chooses by itself.

    EGL needs no display and no connection to one. A window of X keeps its connection
    for as long as anything refers to it, and the process ends at once if the display
    goes before.
    """
    try:
        from vtkmodules.vtkRenderingOpenGL2 import vtkEGLRenderWindow
    except ImportError:
        return
    probe = vtkEGLRenderWindow()
    probe.SetOffScreenRendering(True)
    probe.SetSize(1, 1)
    with silence_vtk():
        probe.Initialize()
    if probe.GetInitialized():
        os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")


def make_plotter(pixels: tuple[int, int], samples: int = 0) -> pyvista.Plotter:
    """Make a plotter that draws so many pixels off-screen; it is to be closed.

    Parameters
    ----------
    pixels
        Width and height.
    samples
        That each pixel is smoothed of; 0: none.
    """
    choose_egl()
    plotter = pyvista.Plotter(
        off_screen=True, window_size=list(pixels), lighting="none"
    )
    assert plotter.render_window is not None
    plotter.render_window.SetMultiSamples(samples)
    return plotter


def read_pixels(window: Any, buffer: vtkUnsignedCharArray) -> Bytes:  # noqa: ANN401
    """Read what a VTK window has drawn: uint8, shape (height, width, 4), top row first.

    Parameters
    ----------
    buffer
        Is filled on the way: to keep one spares memory that is made anew.
    """
    width, height = window.GetSize()
    window.GetRGBACharPixelData(0, 0, width - 1, height - 1, 0, buffer, 0)
    flat = vtk_to_numpy(buffer)  # type: ignore[no-untyped-call]
    return np.ascontiguousarray(flat.reshape(height, width, 4)[::-1])


def scene_plotter(
    known: Analysis,
    time: float | None,
    size: tuple[int, int],
    theme: str,
    **how: Any,  # noqa: ANN401 - fields of SceneOptions
) -> pyvista.Plotter:
    """Draw the ranks of an analysis at a time in seconds; see `topoview.plot`.

    Raises
    ------
    UsageError
        The trace has no such time, or nothing for the colouring.
    TopoviewError
        The ranks cannot be laid out.
    """
    clock, options = known.trace.clock, SceneOptions(**how)
    length = clock.seconds(clock.length)
    if time is not None and not 0 <= time <= length:
        raise UsageError(
            f"{known.trace.name} has no time {time:g} s: it lasts {length:.6g} s"
        )
    if options.colouring not in offered(known):
        raise UsageError(
            f"{known.trace.name} has nothing for the colouring {options.colouring}: "
            f"choose one of {', '.join(offered(known))}"
        )
    ticks = first_view(known).time if time is None else clock.ticks(time)
    window = (0, max(clock.length, 1))
    state = State(known, time=ticks, window=window, theme=theme, scene=options)
    content = prepare_scene(state)
    if content is None or content.fault:
        raise TopoviewError(content.fault if content else "there is no topology")
    hidden = pyvista.OFF_SCREEN or not has_display()
    if hidden:
        choose_egl()
    with silence_vtk():
        plotter = pyvista.Plotter(
            off_screen=hidden or None, window_size=list(size), lighting="none"
        )
        scene = TopologyScene(plotter, theme, size)
        scene.show(content.match, content.layout, content.matrix, options.geometry)
        scene.show_edges(shown=options.edges)
        MomentFinder().at(state, content).draw(scene)
    return plotter
