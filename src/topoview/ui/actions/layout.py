"""Actions on how the ranks are arranged in the scene: layouts, gaps, wraps, slices."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QFileDialog

from topoview.errors import PlacementError
from topoview.ui.actions import action as given
from topoview.ui.actions.action import (
    SEPARATOR,
    Action,
    general_layouts,
    has_match,
    own_layouts,
)
from topoview.ui.panels.scene.view_slots import FIRST_VIEW, SECOND_VIEW, ViewSlot

if TYPE_CHECKING:
    from topoview.model import Geometry
    from topoview.session import Session, State
    from topoview.ui.panels.scene.view import SceneView
    from topoview.ui.shell.window import MainWindow

OWN_LAYOUT_TEXTS = {
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

GENERAL_LAYOUT_TEXTS = {
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

LAYOUT_TEXTS = {**OWN_LAYOUT_TEXTS, **GENERAL_LAYOUT_TEXTS}
"""Names of layouts: those of topologies, and those that any trace can have."""

LAYOUT_SEARCH_WORDS = {
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


def active_scene(w: MainWindow) -> SceneView | None:
    """View of the ranks that actions are about: the one that was used last."""
    return w.workspace.active if w.workspace is not None else None


def view_slot_of(w: MainWindow) -> ViewSlot:
    """Tell which of the two views that is."""
    scene = active_scene(w)
    return FIRST_VIEW if scene is None else scene.lens


def geometry_of(w: MainWindow) -> Geometry:
    """Give its geometry."""
    return view_slot_of(w).seen(w.session.state).view.geometry


def change_geometry(session: Session, lens: ViewSlot, **changes: Any) -> None:  # noqa: ANN401
    """Replace fields of the geometry of a view."""
    geometry = lens.seen(session.state).view.geometry
    lens.arrange(session, replace(geometry, **changes))


def all_layouts(state: State) -> tuple[str, ...]:
    """Layouts that can be chosen now, the natural one first."""
    return (*own_layouts(state), *general_layouts(state))


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


def is_layout(name: str, w: MainWindow) -> bool:
    """Tell whether the ranks are shown so."""
    return has_match(w) and layout_of(w.session.state) == name


def choose_second_layout(name: str, w: MainWindow) -> None:
    """Show the ranks in this layout beside the other one."""
    if w.workspace is not None:
        SECOND_VIEW.choose(w.session, name)
        w.workspace.open_panel("second", shown=True)


def is_second_layout(name: str, w: MainWindow) -> bool:
    """Tell whether the second view shows the ranks so."""
    shown = w.workspace is not None and w.workspace.is_open("second")
    return shown and w.session.state.view.second == name


def choose_geometry_field(field: str, value: Any, w: MainWindow) -> None:  # noqa: ANN401 - any field's
    """Choose something about the geometry."""
    change_geometry(w.session, view_slot_of(w), **{field: value})


def is_geometry_field(field: str, value: Any, w: MainWindow) -> bool:  # noqa: ANN401
    """Tell whether that is chosen."""
    return bool(getattr(geometry_of(w), field) == value)


def toggle_copies(w: MainWindow) -> None:
    """Draw copies of a periodic grid around it, or no longer."""
    change_geometry(w.session, view_slot_of(w), copies=not geometry_of(w).copies)


def can_show_copies(w: MainWindow) -> bool:
    """Tell whether the shown layout is a grid that can be repeated."""
    scene = active_scene(w)
    if not has_match(w) or scene is None or scene.content is None:
        return False
    grid = scene.content.layout.grid
    return grid is not None and bool(grid.tables) and any(grid.periodic)


def can_group_by(name: str, w: MainWindow) -> bool:
    """Tell whether gaps can be between such units."""
    if not name:
        return has_match(w)
    scene = active_scene(w)
    content = scene.content if scene is not None else None
    return content is not None and name in content.machine.partings


def toggle_rank_order(w: MainWindow) -> None:
    """Order ranks by number or by place in layouts that are not the topology's."""
    now = geometry_of(w).order
    change_geometry(
        w.session, view_slot_of(w), order="place" if now == "rank" else "rank"
    )


def scale_spacing(by: float, w: MainWindow) -> None:
    """Move the ranks apart, or nearer to each other."""
    from topoview.model import SPACING_RANGE

    spacing = min(
        max(round(geometry_of(w).spacing * by, 2), SPACING_RANGE[0]), SPACING_RANGE[1]
    )
    change_geometry(w.session, view_slot_of(w), spacing=spacing)


def toggle_shape_card(w: MainWindow) -> None:
    """Open or close the card about the shape of the scene."""
    if w.workspace is not None:
        w.workspace.active_shape.toggle()


def show_all_coordinates(w: MainWindow) -> None:
    """Leave a slice."""
    change_geometry(w.session, view_slot_of(w), ranges=())


def is_sliced(w: MainWindow) -> bool:
    """Tell whether some coordinates only are shown."""
    return has_match(w) and bool(geometry_of(w).ranges)


def reset_layout(w: MainWindow) -> None:
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
        read_placement_file(chosen, w)


def read_placement_file(path: str, w: MainWindow) -> None:
    """Take where ranks run from a file; tells what is wrong with it."""
    from topoview.io.placement_file import read_placement
    from topoview.ui.widgets.dialogs import show_fault

    known = w.session.state.analysis
    if known is None:
        return
    try:
        machine = read_placement(Path(path), known.trace.ranks)
    except PlacementError as error:
        show_fault(w, "The placement cannot be followed", str(error))
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
    change_geometry(w.session, FIRST_VIEW, placement="", gaps="")


def has_placement(w: MainWindow) -> bool:
    """Tell whether a placement file is followed."""
    return has_match(w) and bool(w.session.state.view.geometry.placement)


LAYOUT_MENU, SECOND_VIEW_MENU, GAP_MENU, WRAP_MENU = (
    "Layout",
    "Second view",
    "Gaps",
    "Wrap-around edges",
)
"""Names of menus."""

_OWN_LAYOUT_ACTIONS, _GENERAL_LAYOUT_ACTIONS = (
    tuple(
        Action(
            f"layout-{name}",
            text,
            partial(choose_layout, name),
            when=partial(can_lay_out, name),
            on=partial(is_layout, name),
            words=f"layout arrangement geometry {LAYOUT_SEARCH_WORDS.get(name, '')}",
        )
        for name, text in texts.items()
    )
    for texts in (OWN_LAYOUT_TEXTS, GENERAL_LAYOUT_TEXTS)
)

_SECOND_VIEW_ACTIONS = tuple(
    Action(
        f"second-{name}",
        f"Beside: {text[0].lower()}{text[1:]}",
        partial(choose_second_layout, name),
        when=partial(can_lay_out, name),
        on=partial(is_second_layout, name),
        words="second view scene 2 layout linked",
    )
    for name, text in LAYOUT_TEXTS.items()
)

_GAP_ACTIONS = tuple(
    Action(
        f"gaps-{name or 'none'}",
        text,
        partial(choose_geometry_field, "gaps", name),
        when=partial(can_group_by, name),
        on=partial(is_geometry_field, "gaps", name),
        words="machine hierarchy units part apart",
    )
    for name, text in GAP_TEXTS.items()
)

_WRAP_ACTIONS = tuple(
    Action(
        f"wrap-{name}",
        text,
        partial(choose_geometry_field, "wrap", name),
        when=given.has_match,
        on=partial(is_geometry_field, "wrap", name),
        words="periodic torus edges",
    )
    for name, text in WRAP_TEXTS.items()
)

LAYOUT_MENUS: dict[str, tuple[Action | str, ...]] = {
    LAYOUT_MENU: (
        *_OWN_LAYOUT_ACTIONS,
        SEPARATOR,
        *_GENERAL_LAYOUT_ACTIONS,
        SEPARATOR,
        Action(
            "order-places",
            "Order them by place in the topology",
            toggle_rank_order,
            when=given.has_match,
            on=partial(is_geometry_field, "order", "place"),
            words="layout line circle grid helix numbering",
        ),
        Action(
            "natural-shape",
            "Arrange the ranks as at first",
            reset_layout,
            when=given.has_match,
            words="layout reset geometry natural",
        ),
    ),
    SECOND_VIEW_MENU: _SECOND_VIEW_ACTIONS,
    GAP_MENU: (
        *_GAP_ACTIONS,
        SEPARATOR,
        Action(
            "placement",
            "Placement file…",
            ask_for_placement,
            when=given.has_match,
            words="machine nodes sockets network csv map",
        ),
        Action(
            "no-placement",
            "Forget the placement file",
            forget_placement,
            when=has_placement,
            words="machine nodes",
        ),
    ),
    WRAP_MENU: (
        *_WRAP_ACTIONS,
        SEPARATOR,
        Action(
            "copies",
            "Copies around a periodic grid",
            toggle_copies,
            when=can_show_copies,
            on=partial(is_geometry_field, "copies", True),
            words="repeat 3x3 tiles images",
        ),
    ),
}

SHAPE_ACTIONS = (
    Action(
        "shape",
        "Shape…",
        toggle_shape_card,
        "G",
        "",
        given.has_match,
        words="slices ranges spacing layers fold explode geometry",
    ),
    Action(
        "all-coordinates",
        "Show all coordinates",
        show_all_coordinates,
        "Shift+G",
        "",
        is_sliced,
        words="slice ranges leave end whole",
    ),
    Action(
        "wider",
        "Ranks further apart",
        partial(scale_spacing, 1.2),
        "+",
        "",
        given.has_match,
        words="spacing distance",
    ),
    Action(
        "nearer",
        "Ranks nearer to each other",
        partial(scale_spacing, 1 / 1.2),
        "-",
        "",
        given.has_match,
        words="spacing distance",
    ),
)
