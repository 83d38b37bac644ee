"""VTK off-screen, no Qt; and a plotter of pyvista with the scene for notebooks."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np
from vtkmodules import vtkCommonCore
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkRenderingCore import vtkRenderer, vtkRenderWindow

from topoview.base.text import tr
from topoview.desktop import has_display
from topoview.errors import TopoviewError, UsageError, save_text
from topoview.live.colourings.table import check_colouring
from topoview.live.waits.delays import first_view
from topoview.model import Analysis, Bytes
from topoview.report.write import check_writable
from topoview.scene.topology_scene import TopologyScene
from topoview.session import SceneOptions, State, ThemeName
from topoview.ui.panels.scene.content import SceneContent, prepare_scene
from topoview.ui.panels.scene.moment import MomentFinder
from topoview.version import __version__

if TYPE_CHECKING:
    import pyvista


_making = RLock()
"""Held while VTK is silent, and while `_KIND` is looked at or set: threads may make
windows at a time."""


@contextmanager
def silence_vtk() -> Iterator[None]:
    """Keep VTK from complaining on stderr.

    Without a display it tries X first, and says that there is none.
    """
    output, logger = vtkCommonCore.vtkOutputWindow, vtkCommonCore.vtkLogger
    with _making:
        before, verbosity = output.GetInstance(), logger.GetCurrentVerbosityCutoff()
        output.SetInstance(vtkCommonCore.vtkStringOutputWindow())
        logger.SetStderrVerbosity(logger.VERBOSITY_OFF)
        try:
            yield
        finally:
            logger.SetStderrVerbosity(verbosity)
            output.SetInstance(before)


_KIND = "VTK_DEFAULT_OPENGL_WINDOW"
"""Variable of the environment that names the class of windows VTK makes."""


@cache
def _egl_window() -> Any | None:  # noqa: ANN401 - of VTK
    """Return a window of EGL that has been made; None where that does not work.

    It is kept: else the driver of OpenGL would be loaded for each view, and unloaded
    after the last one.
    """
    try:
        from vtkmodules.vtkRenderingOpenGL2 import vtkEGLRenderWindow
    except ImportError:
        return None
    window = vtkEGLRenderWindow()
    window.SetOffScreenRendering(True)
    window.SetSize(1, 1)
    with silence_vtk():
        window.Initialize()
    return window if window.GetInitialized() else None


@contextmanager
def _off_screen() -> Iterator[None]:
    """Let VTK make windows of EGL where that works; else it chooses by itself.

    EGL needs no display and no connection to one. A window of X keeps its connection
    for as long as anything refers to it, and the process ends at once if the display
    goes before. What is shown later needs a window of X again.
    """
    with _making:
        if _KIND in os.environ or _egl_window() is None:
            yield
            return
        os.environ[_KIND] = "vtkEGLRenderWindow"
        try:
            yield
        finally:
            del os.environ[_KIND]


def require_opengl() -> None:
    """Refuse to draw where OpenGL does not work: see `make_view`."""
    with _making:
        if _KIND in os.environ or _egl_window() is None:
            make_view((1, 1)).close()


@dataclass(frozen=True, slots=True)
class OffScreenView:
    """A window of VTK that is not shown, with one renderer; it is to be closed."""

    window: Any
    renderer: Any

    def close(self) -> None:
        """Release what OpenGL holds."""
        self.window.Finalize()


def make_view(pixels: tuple[int, int], samples: int = 0) -> OffScreenView:
    """Create what draws so many pixels off-screen.

    Parameters
    ----------
    pixels
        Width and height.
    samples
        That each pixel is smoothed of; 0: none.

    Raises
    ------
    TopoviewError
        OpenGL does not work here: VTK would crash when it draws.
    """
    with silence_vtk(), _off_screen():
        view = OffScreenView(vtkRenderWindow(), vtkRenderer())
    view.window.SetOffScreenRendering(True)
    view.window.SetMultiSamples(samples)
    view.window.SetSize(*pixels)
    view.window.AddRenderer(view.renderer)
    with silence_vtk():
        view.window.Initialize()
    if not view.window.GetInitialized():
        raise TopoviewError(
            tr(
                "nothing can be drawn in 3D, as OpenGL does not work here: "
                "topoview --doctor says what is missing, --no-3d does without"
            )
        )
    return view


def read_pixels(window: Any, buffer: vtkCommonCore.vtkUnsignedCharArray) -> Bytes:  # noqa: ANN401
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
    analysis: Analysis,
    time: float | None,
    size: tuple[int, int],
    theme: ThemeName,
    **how: Any,  # noqa: ANN401 - fields of SceneOptions
) -> "pyvista.Plotter":
    """Draw the ranks of an analysis at a time in seconds; see `topoview.plot`.

    Raises
    ------
    UsageError
        The trace has no such time, or nothing for the colouring.
    TopoviewError
        The ranks cannot be laid out.
    """
    clock, options = analysis.trace.clock, SceneOptions(**how)
    length = clock.seconds(clock.length)
    if isinstance(time, str):
        raise UsageError(f"time is a number of seconds, not the text {time!r}")
    if time is not None and not 0 <= time <= length:
        raise UsageError(
            f"{analysis.trace.name} has no time {time:g} s: it lasts {length:.6g} s"
        )
    check_colouring(analysis, options.colouring)
    ticks = first_view(analysis).time if time is None else clock.ticks(time)
    window = clock.whole
    state = State(analysis, time=ticks, window=window, theme=theme, scene=options)
    laid_out = prepare_scene(state)
    if laid_out is None or laid_out.fault:
        raise TopoviewError(laid_out.fault if laid_out else "there is no topology")
    content: SceneContent = laid_out
    import pyvista  # takes longer than all that is done with it

    class ScenePlotter(pyvista.Plotter):
        """A plotter that need not be shown before it is saved."""

        def screenshot(self, *args: Any, **named: Any) -> Any:  # noqa: ANN401
            """Save what is seen; without a window if there is none yet."""
            window, shows = self.render_window, self.off_screen or not self._first_time
            if shows or window is None:
                return super().screenshot(*args, **named)
            self.off_screen = True
            window.SetOffScreenRendering(True)
            try:
                return super().screenshot(*args, **named)
            finally:
                self.off_screen = False
                window.SetOffScreenRendering(False)

        def export_html(self, filename: str | Path | None = None) -> None:
            """Write a page that needs no other: ranks and edges, to be turned."""
            name = f"{analysis.trace.name}.html" if filename is None else filename
            seen = self.screenshot(return_img=True)[..., :3]
            _write_turning_page(state, content, seen, Path(name))

        def _repr_png_(self) -> bytes:
            """Show the picture in a notebook; without ``show()``, too."""
            from io import BytesIO

            written = BytesIO()
            self.screenshot(written)
            return written.getvalue()

    hidden = pyvista.OFF_SCREEN or not has_display()
    with silence_vtk(), _off_screen() if hidden else _making:
        plotter = ScenePlotter(
            off_screen=hidden or None, window_size=list(size), lighting="none"
        )
        plotter.camera_set = True  # or its first frame would move the camera
        scene = TopologyScene(plotter.renderer, theme, size)
        scene.show(content.match, content.layout, content.matrix, options.geometry)
        scene.show_edges(shown=options.edges)
        MomentFinder().at(state, content).draw(scene)
    return plotter


def _write_turning_page(
    state: State, content: SceneContent, seen: Bytes, path: Path
) -> None:
    """Write a page with the scene, to be turned by a script of the page's own."""
    from topoview.report.blocks import Document, Figure, Picture
    from topoview.report.document.page import page
    from topoview.scene.flat.charts import png_bytes
    from topoview.ui.export.report.pictures import scene_model

    check_writable(path, "scenes", (".html",))
    model = scene_model(state, content)
    picture = Picture(png_bytes(seen), (seen.shape[1], seen.shape[0]))
    name, clock = content.analysis.trace.name, content.analysis.trace.clock
    document = Document(
        title=name,
        subtitle=content.match.topology.name,
        findings=(),
        blocks=(
            Figure("scene", f"{clock.seconds(state.time):.6g} s after the start."),
        ),
        command="",
        source=f"topoview {__version__}",
        pictures={"scene": picture},
        models={} if model is None else {"scene": model},
    )
    save_text(path, page(document))
