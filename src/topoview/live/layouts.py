"""Layouts that can be chosen now, and the ranks in the chosen one."""

from dataclasses import dataclass

from topoview.base.text import tr
from topoview.live.machine import placement_tells
from topoview.model import (
    Analysis,
    CommunicationMatrix,
    Floats,
    Geometry,
    Layout,
    Machine,
    Match,
    kept_with_source,
)
from topoview.session import State
from topoview.topology.layout import LAYOUTS

OWN_LAYOUT_TEXTS = {name: tr(it.title) for name, it in LAYOUTS.items() if not it.free}
"""Titles of layouts that only some topologies have."""

GENERAL_LAYOUT_TEXTS = {name: tr(it.title) for name, it in LAYOUTS.items() if it.free}
"""Titles of those that any trace can have."""

LAYOUT_TEXTS = {**OWN_LAYOUT_TEXTS, **GENERAL_LAYOUT_TEXTS}


def default_second_layout(state: State) -> str:
    """Layout of the second view as long as none is chosen: by host, if it is known."""
    analysis = state.analysis
    return (
        "nodes" if analysis is not None and any(analysis.trace.hosts[:1]) else "ranks"
    )


def load_layouts() -> None:
    """Import what knows the layouts, which takes long, before a trace is there."""
    from topoview.topology import layout_names

    del layout_names


def own_layouts(state: State) -> tuple[str, ...]:
    """List the layouts that the shown match has, the natural one first."""
    match = state.derived.match
    return () if match is None else _layouts_of_match(match)[0]


@kept_with_source()
def _layouts_of_match(match: Match) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Layouts of a match, and further ones: asked for at every change of the state."""
    from topoview.topology import further_layouts, layout_names

    return layout_names(match), further_layouts(match)


def general_layouts(state: State) -> tuple[str, ...]:
    """List the layouts that any trace can have, and the shown match has not."""
    match, analysis = state.derived.match, state.analysis
    if match is None or analysis is None:
        return ()
    levels, places = placement_tells(state.scene.geometry.placement)
    names = _layouts_of_match(match)[1]
    if levels or analysis.trace.has_nodes:
        names = (*names, "nodes")
    return (*names, "places") if places else names


def all_layouts(state: State) -> tuple[str, ...]:
    """List the layouts that can be chosen now, the natural one first."""
    return (*own_layouts(state), *general_layouts(state))


def chosen_layout(state: State) -> str:
    """Return the layout that the state wants, empty if there is no match."""
    names = all_layouts(state)
    return state.scene.layout if state.scene.layout in names else "".join(names[:1])


def axes_of_block(dims: tuple[int, ...]) -> tuple[int, ...]:
    """Return the axis of space of each dimension of a block as it is at first."""
    from topoview.topology.layout.grid import block_axes

    return block_axes(dims)


def shape_of_planes(
    match: Match, layout: Layout, room: tuple[float, float]
) -> tuple[float, ...]:
    """Return how planes stand beside each other in a room; empty for other layouts."""
    if layout.shape != "planes":
        return ()
    from topoview.topology.layout.planes import sheet_of

    return sheet_of(layout.on_sheet(match.topology.dims), room)


def awaits_places(state: State) -> bool:
    """Return whether the wanted layout is one that the worker still makes."""
    analysis = state.analysis
    if analysis is None or analysis.spectral is not None or state.opening is None:
        return False
    return chosen_layout(state) == "spectral" == natural_layout(analysis)


def natural_layout(analysis: Analysis) -> str:
    """Return the layout in which ranks are shown at first; empty if it is unknown."""
    identification = analysis.identification
    return (
        ""
        if identification is None
        else _layouts_of_match(identification.shown_first)[0][0]
    )


@dataclass(frozen=True, slots=True, eq=False)
class PlacedRanks:
    """Ranks in a layout, and which others there are."""

    layout: Layout
    """Where the ranks are."""
    own: tuple[str, ...]
    """Names of the layouts that the match has of its own, the natural one first."""
    further: tuple[str, ...]
    """Names of those that any match can have."""


def place_ranks(  # noqa: PLR0913 - as `lay_out`
    match: Match,
    matrix: CommunicationMatrix,
    name: str,
    geometry: Geometry,
    machine: Machine,
    spectral: Floats | None,
    room: tuple[float, float] | None = None,
) -> PlacedRanks:
    """Lay out the ranks; as `topoview.topology.lay_out`."""
    from topoview.topology import further_layouts, lay_out, layout_names

    return PlacedRanks(
        lay_out(match, matrix, name, geometry, machine, spectral, room),
        layout_names(match),
        further_layouts(match, machine),
    )
