"""Actions on how the ranks are arranged in the scene: layouts, gaps, wraps, slices."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog

from topoview.base.text import in_sentence, tr
from topoview.errors import PlacementError
from topoview.live import layouts
from topoview.model import SPACING_RANGE, Geometry
from topoview.session import SceneOptions, SecondViewOptions
from topoview.ui.actions.action import (
    SEPARATOR,
    Action,
    Context,
    HasValue,
    Menu,
    Setting,
    choice,
    flag,
    has_match,
    has_scene,
)
from topoview.ui.panels.scene.view_slots import (
    FIRST_VIEW,
    GAP_TEXTS,
    SECOND_VIEW,
    active_view,
)
from topoview.ui.widgets import dialogs

ACROSS = -1
"""Stands for the axis that planes are across, where a step along an axis is meant."""

LAYOUT_SEARCH_WORDS = {
    "block": "cut planes sliders",
    "planes": "contact sheet slices",
    "snake": "rows back and forth boustrophedon",
    "nested": "factors within factors product",
    "spectral": "by the graph itself eigenvectors",
    "ranks": "plain numbers",
    "sphere": "geodesic",
    "places": "coordinates in the network",
}
"""Further words that the palette finds layouts by."""

WRAP_TEXTS = {
    "stubs": tr("Wrap-around edges as stubs"),
    "arcs": tr("Wrap-around edges as arcs"),
    "none": tr("No wrap-around edges"),
}


def geometry_of(c: Context) -> Geometry:
    """Return the geometry of the view that is used."""
    return active_view(c.state).seen(c.state).scene.geometry


def geometry(name: str) -> Setting:
    """Return a field of the geometry of the view that is used."""
    return Setting(
        lambda c: getattr(geometry_of(c), name),
        lambda value, c: active_view(c.state).rearrange(c.session, **{name: value}),
    )


def can_lay_out(name: str, c: Context) -> bool:
    """Return whether the ranks can be shown so."""
    return has_scene(c) and name in layouts.all_layouts(c.state)


def next_layout(c: Context) -> None:
    """Show the next of the topology's layouts."""
    names = layouts.own_layouts(c.state)
    if names:
        now = c.state.scene.layout
        after = (names.index(now) if now in names else 0) + 1
        c.session.show_layout(names[after % len(names)])


def second_layout(c: Context) -> str:
    """Return the layout that was chosen for the second view, empty if it is closed."""
    panels = c.panels()
    is_open = panels is not None and panels.is_open("second")
    return c.state.second.layout if is_open else ""


def choose_second_layout(name: str, c: Context) -> None:
    """Show the ranks in this layout beside the other one."""
    panels = c.panels()
    if panels is not None:
        SECOND_VIEW.choose(c.session, name)
        panels.open_panel("second", shown=True)


def can_show_copies(c: Context) -> bool:
    """Return whether the shown layout is a grid that can be repeated."""
    if not has_match(c) or c.scene is None or c.scene.content is None:
        return False
    grid = c.scene.content.layout.grid
    return grid is not None and bool(grid.tables) and any(grid.periodic)


def can_group_by(name: str, c: Context) -> bool:
    """Return whether gaps can be between such units."""
    if not name:
        return has_match(c)
    content = c.scene.content if c.scene is not None else None
    return content is not None and name in content.machine.partings


def scale_spacing(by: float, c: Context) -> None:
    """Move the ranks apart, or nearer to each other."""
    least, most = SPACING_RANGE
    spacing = min(max(round(geometry_of(c).spacing * by, 2), least), most)
    active_view(c.state).rearrange(c.session, spacing=spacing)


def toggle_shape_card(c: Context) -> None:
    """Open or close the card about the shape of the scene."""
    if c.scene is not None:
        c.scene.toggle_shape()


def show_all_coordinates(c: Context) -> None:
    """Leave a slice."""
    active_view(c.state).rearrange(c.session, ranges=())


def is_sliced(c: Context) -> bool:
    """Return whether some coordinates only are shown."""
    return has_match(c) and bool(geometry_of(c).ranges)


def reset_layout(c: Context) -> None:
    """Reset layout."""
    natural, second = SceneOptions(), SecondViewOptions()
    scene = replace(c.state.scene, layout=natural.layout, geometry=natural.geometry)
    other = replace(c.state.second, layout=second.layout, geometry=second.geometry)
    c.session.update(scene=scene, second=other)


def ask_for_placement(c: Context) -> None:
    """Let the user choose a placement file, and follow it."""
    folder = c.settings.folder or str(Path.home())
    kinds = tr("Placement files (*.csv *.tsv *.txt);;All files (*)")
    chosen, _ = QFileDialog.getOpenFileName(
        c.window, tr("Placement file"), folder, kinds
    )
    if chosen:
        read_placement_file(chosen, c)


def read_placement_file(path: str, c: Context) -> None:
    """Read where ranks run from a file; shows what is wrong with it."""
    from topoview.live.machine import read_placement

    analysis, scene = c.state.analysis, c.state.scene
    if analysis is None:
        return
    try:
        machine = read_placement(Path(path), analysis.trace.ranks)
    except PlacementError as error:
        dialogs.show_fault(c.window, tr("The placement cannot be followed"), str(error))
        return
    gaps = scene.geometry.gaps
    if machine.levels and gaps not in machine.levels:
        gaps = machine.levels[0]
    placement = str(Path(path).absolute())
    placed = replace(scene.geometry.elsewhere, placement=placement, gaps=gaps)
    layout = scene.layout if machine.levels else "places"
    again = placed == scene.geometry
    c.session.change("scene", geometry=placed, layout=layout)
    if again and c.scene is not None:  # the same file, which may have changed
        c.scene.wake()


def forget_placement(c: Context) -> None:
    """Follow the trace's own system tree again."""
    FIRST_VIEW.rearrange(c.session, placement="", gaps="")


def has_placement(c: Context) -> bool:
    """Return whether a placement file is followed."""
    return has_match(c) and bool(c.state.scene.geometry.placement)


def _layout_actions(texts: dict[str, str]) -> tuple[Action, ...]:
    shown = Setting(
        lambda c: layouts.chosen_layout(c.state) if has_match(c) else "",
        lambda name, c: c.session.show_layout(name),
    )
    words = "layout arrangement geometry"
    return tuple(
        action
        for name, text in texts.items()
        for action in choice(
            "layout",
            {name: text},
            f"{words} {LAYOUT_SEARCH_WORDS.get(name, '')}",
            shown,
            can=can_lay_out,
        )
    )


_STEPS = "cut block sheet column coordinate"

LAYOUT_MENU, SECOND_VIEW_MENU, GAP_MENU, WRAP_MENU, PLANES_MENU = (
    tr("Layout"),
    tr("Second view"),
    tr("Group by (gap)"),
    tr("Wrap-around edges"),
    tr("Planes of a lattice"),
)
"""Names of menus."""

_BESIDE = {
    name: tr("Second view: {layout}", layout=in_sentence(text))
    for name, text in layouts.LAYOUT_TEXTS.items()
}
_order = geometry("order")
_by_place = Setting(
    lambda c: _order.get(c) == "place",
    lambda on, c: _order.put("place" if on else "rank", c),
)

_wider, _nearer = partial(scale_spacing, 1.2), partial(scale_spacing, 1 / 1.2)


def step_plane(axis: int, by: int, c: Context) -> None:
    """Go to another plane of a lattice."""
    if c.scene is not None:
        c.scene.cuts.step(axis, by)


def put_across(axis: int, c: Context) -> None:
    """Show planes across another axis, all of them."""
    active_view(c.state).rearrange(c.session, across=axis, alone=-1)


def turn_alone(c: Context) -> None:
    """Let the plane of the selected rank fill the view; or show all again."""
    if c.scene is not None:
        c.scene.cuts.turn_alone()


def has_planes(c: Context) -> bool:
    """Return whether planes of a lattice are shown."""
    return has_scene(c) and c.scene is not None and c.scene.scene.planes is not None


def has_several_planes(c: Context) -> bool:
    """Return whether they can be across one axis or another, or alone."""
    planes = c.scene.scene.planes if has_planes(c) and c.scene is not None else None
    return planes is not None and planes.counted >= 0


PLANE_ACTIONS = tuple(
    Action(name, text, partial(step_plane, axis, by), keys, when, words=_STEPS)
    for name, text, axis, by, keys, when in (
        ("next-plane", tr("Next plane"), ACROSS, 1, "PgDown", has_several_planes),
        (
            "previous-plane",
            tr("Previous plane"),
            ACROSS,
            -1,
            "PgUp",
            has_several_planes,
        ),
        ("next-in-x", tr("Next rank along x"), 0, 1, "Ctrl+Right", has_planes),
        ("previous-in-x", tr("Previous rank along x"), 0, -1, "Ctrl+Left", has_planes),
        ("next-in-y", tr("Next rank along y"), 1, 1, "Ctrl+Down", has_planes),
        ("previous-in-y", tr("Previous rank along y"), 1, -1, "Ctrl+Up", has_planes),
    )
)

LAYOUT_MENUS: dict[str, Menu] = {
    PLANES_MENU: (
        *(
            Action(
                f"across-{axis}",
                tr("Planes across {axis}", axis=axis),
                partial(put_across, number),
                when=has_several_planes,
                on=HasValue(geometry("across"), number),
                words="contact sheet slices cut along",
            )
            for number, axis in enumerate("xyz")
        ),
        Action(
            "plane-alone",
            tr("One plane alone"),
            turn_alone,
            "Ctrl+Shift+Return",
            has_several_planes,
            on=lambda c: geometry_of(c).alone >= 0,
        ),
        SEPARATOR,
        *PLANE_ACTIONS,
    ),
    LAYOUT_MENU: (
        *_layout_actions(layouts.OWN_LAYOUT_TEXTS),
        SEPARATOR,
        *_layout_actions(layouts.GENERAL_LAYOUT_TEXTS),
        SEPARATOR,
        flag(
            "order-places",
            tr("Order ranks by topology"),
            setting=_by_place,
            when=has_match,
        ),
        Action("natural-shape", tr("Reset layout"), reset_layout, when=has_match),
        SEPARATOR,
        Action("next-layout", tr("Next layout"), next_layout, "L", has_scene),
        Action("wider", tr("Increase spacing"), _wider, "+", has_match),
        Action("nearer", tr("Decrease spacing"), _nearer, "-", has_match),
    ),
    SECOND_VIEW_MENU: choice(
        "second",
        _BESIDE,
        "second view scene 2 layout linked",
        Setting(second_layout, choose_second_layout),
        can=can_lay_out,
    ),
    GAP_MENU: (
        *choice(
            "gaps",
            GAP_TEXTS,
            "machine hierarchy units part apart",
            geometry("gaps"),
            can=can_group_by,
        ),
        SEPARATOR,
        Action("placement", tr("Placement file…"), ask_for_placement, when=has_match),
        Action(
            "no-placement",
            tr("Remove the placement file"),
            forget_placement,
            when=has_placement,
        ),
    ),
    WRAP_MENU: (
        *choice("wrap", WRAP_TEXTS, "periodic torus edges", geometry("wrap")),
        SEPARATOR,
        flag(
            "copies",
            tr("Periodic images"),
            setting=geometry("copies"),
            when=can_show_copies,
        ),
    ),
}


_SHAPE_WORDS = "slices ranges spacing layers fold explode geometry"
_LEAVE_WORDS = "slice ranges leave end whole"

SHAPE_ACTIONS = (
    Action(
        "shape", tr("Geometry…"), toggle_shape_card, "G", has_scene, words=_SHAPE_WORDS
    ),
    Action(
        "all-coordinates",
        tr("Show all coordinates"),
        show_all_coordinates,
        "Shift+G",
        is_sliced,
        words=_LEAVE_WORDS,
    ),
)
