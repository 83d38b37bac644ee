"""How the ranks are arranged in the scene: what actions do about it, and when."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QFileDialog

from topoview.errors import PlacementError
from topoview.ui.conditions import has_match
from topoview.ui.scene.lens import FIRST, SECOND, Lens
from topoview.ui.shown import further_names, layout_names

if TYPE_CHECKING:
    from topoview.model import Geometry
    from topoview.session import Session, State
    from topoview.ui.scene.view import SceneView
    from topoview.ui.window import MainWindow

OWN_TEXTS = {
    "flat": "Flat",
    "snake": "Snake",
    "star": "Star",
    "tree": "Tree",
    "table": "Table",
    "globe": "Globe",
    "mesh": "Mesh",
    "nested": "Nested",
    "spectral": "Spectral",
    "ranks": "Rank order",
}

FURTHER_TEXTS = {
    "line": "Line",
    "circle": "Circle",
    "grid": "Grid",
    "tube": "Tube",
    "torus": "Torus",
    "sphere": "Sphere",
    "cube": "Cube",
    "helix": "Helix",
    "nodes": "By node",
    "places": "By machine place",
}

LAYOUT_TEXTS = {**OWN_TEXTS, **FURTHER_TEXTS}
"""Names of layouts: those of topologies, and those that any trace can have."""

LAYOUT_WORDS = {
    "snake": "rows to and fro boustrophedon",
    "nested": "factors within factors product",
    "spectral": "by the graph itself eigenvectors",
    "ranks": "plain numbers",
    "sphere": "geodesic",
    "places": "coordinates in the network",
}
"""Further words that the palette finds layouts by."""

WRAP_TEXTS = {
    "stubs": "Wrap-around edges as stubs",
    "arcs": "Wrap-around edges as arcs",
    "none": "No wrap-around edges",
}

GAP_TEXTS = {
    "": "No gaps",
    "node": "Gaps between nodes",
    "socket": "Gaps between sockets",
    "communicator": "Gaps between communicators",
}


def scene_of(w: MainWindow) -> SceneView | None:
    """View of the ranks that actions are about: the one that was used last."""
    return w.workspace.active if w.workspace is not None else None


def lens_of(w: MainWindow) -> Lens:
    """Tell which of the two views that is."""
    scene = scene_of(w)
    return FIRST if scene is None else scene.lens


def geometry_of(w: MainWindow) -> Geometry:
    """Give its geometry."""
    return lens_of(w).seen(w.session.state).view.geometry


def change(session: Session, lens: Lens, **changes: Any) -> None:  # noqa: ANN401
    """Replace fields of the geometry of a view."""
    geometry = lens.seen(session.state).view.geometry
    lens.arrange(session, replace(geometry, **changes))


def all_layouts(state: State) -> tuple[str, ...]:
    """Layouts that can be chosen now, the natural one first."""
    return (*layout_names(state), *further_names(state))


def layout_of(state: State) -> str:
    """Layout that the state wants, empty if there is no match."""
    names = all_layouts(state)
    return state.view.layout if state.view.layout in names else "".join(names[:1])


def choose_layout(name: str, w: MainWindow) -> None:
    """Show the ranks in this layout."""
    w.session.show(layout=name)


def can_lay_out(name: str, w: MainWindow) -> bool:
    """Tell whether the ranks can be shown so."""
    return has_match(w) and name in all_layouts(w.session.state)


def layout_is(name: str, w: MainWindow) -> bool:
    """Tell whether the ranks are shown so."""
    return has_match(w) and layout_of(w.session.state) == name


def choose_second(name: str, w: MainWindow) -> None:
    """Show the ranks in this layout beside the other one."""
    if w.workspace is not None:
        SECOND.choose(w.session, name)
        w.workspace.open_panel("second", shown=True)


def second_is(name: str, w: MainWindow) -> bool:
    """Tell whether the second view shows the ranks so."""
    shown = w.workspace is not None and w.workspace.is_open("second")
    return shown and w.session.state.view.second == name


def choose(field: str, value: Any, w: MainWindow) -> None:  # noqa: ANN401 - any field's
    """Choose something about the geometry."""
    change(w.session, lens_of(w), **{field: value})


def geometry_is(field: str, value: Any, w: MainWindow) -> bool:  # noqa: ANN401
    """Tell whether that is chosen."""
    return bool(getattr(geometry_of(w), field) == value)


def toggle_copies(w: MainWindow) -> None:
    """Draw copies of a periodic grid around it, or no longer."""
    change(w.session, lens_of(w), copies=not geometry_of(w).copies)


def can_copy(w: MainWindow) -> bool:
    """Tell whether the shown layout is a grid that can be repeated."""
    scene = scene_of(w)
    if not has_match(w) or scene is None or scene.content is None:
        return False
    grid = scene.content.layout.grid
    return grid is not None and bool(grid.tables) and any(grid.periodic)


def can_part(name: str, w: MainWindow) -> bool:
    """Tell whether gaps can be between such units."""
    if not name:
        return has_match(w)
    scene = scene_of(w)
    content = scene.content if scene is not None else None
    return content is not None and name in content.machine.partings


def toggle_order(w: MainWindow) -> None:
    """Order ranks by number or by place in layouts that are not the topology's."""
    now = geometry_of(w).order
    change(w.session, lens_of(w), order="place" if now == "rank" else "rank")


def space(by: float, w: MainWindow) -> None:
    """Move the ranks apart, or nearer to each other."""
    from topoview.model import SPACING

    spacing = min(max(round(geometry_of(w).spacing * by, 2), SPACING[0]), SPACING[1])
    change(w.session, lens_of(w), spacing=spacing)


def show_shape(w: MainWindow) -> None:
    """Open or close the card about the shape of the scene."""
    if w.workspace is not None:
        w.workspace.active_shape.toggle()


def show_all(w: MainWindow) -> None:
    """Leave a slice."""
    change(w.session, lens_of(w), ranges=())


def is_sliced(w: MainWindow) -> bool:
    """Tell whether some coordinates only are shown."""
    return has_match(w) and bool(geometry_of(w).ranges)


def natural_shape(w: MainWindow) -> None:
    """Arrange the ranks as at first."""
    from topoview.model import Geometry

    w.session.view(
        layout="", second="", geometry=Geometry(), second_geometry=Geometry()
    )


def ask_for_placement(w: MainWindow) -> None:
    """Let the user choose a placement file, and follow it."""
    folder = w.settings.folder or str(Path.home())
    kinds = "Placement files (*.csv *.tsv *.txt);;All files (*)"
    chosen, _ = QFileDialog.getOpenFileName(w, "Placement file", folder, kinds)
    if chosen:
        follow_placement(chosen, w)


def follow_placement(path: str, w: MainWindow) -> None:
    """Take where ranks run from a file; tells what is wrong with it."""
    from topoview.io.placement_file import read_placement
    from topoview.ui.dialogs import complain

    known = w.session.state.analysis
    if known is None:
        return
    try:
        machine = read_placement(Path(path), known.trace.ranks)
    except PlacementError as error:
        complain(w, "The placement cannot be followed", str(error))
        return
    gaps = w.session.state.view.geometry.gaps
    if machine.levels and gaps not in machine.levels:
        gaps = machine.levels[0]
    layout = w.session.state.view.layout if machine.levels else "places"
    geometry = replace(
        w.session.state.view.geometry.elsewhere,
        placement=str(Path(path).absolute()),
        gaps=gaps,
    )
    again = geometry == w.session.state.view.geometry
    w.session.view(geometry=geometry, layout=layout)
    if again and w.workspace is not None:  # the same file, which may have changed
        w.workspace.scene.wake()


def forget_placement(w: MainWindow) -> None:
    """Follow the trace's own system tree again."""
    change(w.session, FIRST, placement="", gaps="")


def has_placement(w: MainWindow) -> bool:
    """Tell whether a placement file is followed."""
    return has_match(w) and bool(w.session.state.view.geometry.placement)
