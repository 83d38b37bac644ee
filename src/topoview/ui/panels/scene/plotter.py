"""The scene on a plotter of pyvista, to show in a notebook, change and save; no Qt."""

from typing import Any

import pyvista

from topoview.desktop import has_display
from topoview.errors import TopoviewError, UsageError
from topoview.live.colourings.table import offered
from topoview.model import Analysis
from topoview.scene.topology_scene import TopologyScene
from topoview.session import SceneOptions, State
from topoview.ui.panels.scene.content import prepare_scene
from topoview.ui.panels.scene.moment import MomentFinder
from topoview.ui.panels.scene.offscreen import choose_egl, silence_vtk


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
    assert known.overview is not None
    ticks = known.overview.times[1] if time is None else clock.ticks(time)
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
