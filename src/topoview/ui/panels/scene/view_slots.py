"""The two views of the ranks: what each takes of the state, and possible layouts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from topoview.model import Geometry, Match
from topoview.session import Camera, Session, State, shown_match

OWN_LAYOUT_TEXTS = {
    "flat": "Flat",
    "snake": "Snake",
    "star": "Star",
    "tree": "Tree",
    "table": "Table",
    "globe": "Globe",
    "folded": "Folded",
    "groups": "Groups",
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

GAP_TEXTS = {
    "": "No gaps",
    "node": "Gaps between nodes",
    "socket": "Gaps between sockets",
    "communicator": "Gaps between communicators",
}


@dataclass(frozen=True, slots=True)
class ViewSlot:
    """One of the two views of the ranks.

    Attributes
    ----------
    part, camera
        Fields of the state that hold its options and its camera.
    keyed
        Whether it has the legend: of two views beside each other one has.
    """

    part: str
    camera: str
    keyed: bool = True

    def seen(self, state: State) -> State:
        """Return the state as this view shows it: what it has of its own counts."""
        if self.part == "scene":
            return state
        own = state.second
        scene = replace(
            state.scene,
            layout=own.layout or default_second_layout(state),
            geometry=replace(own.geometry, placement=state.scene.geometry.placement),
            labels=own.labels,
        )
        return replace(state, scene=scene, camera=state.second_camera)

    def change(self, session: Session, **changes: Any) -> None:  # noqa: ANN401
        """Replace options of it."""
        session.change(self.part, **changes)

    def choose(self, session: Session, layout: str) -> None:
        """Take another layout; ranges of the old one's dimensions go."""
        own: Any = session.state.part(self.part)
        self.change(session, layout=layout, geometry=own.geometry.elsewhere)

    def arrange(self, session: Session, geometry: Geometry) -> None:
        """Take a geometry; its placement file is that of both views."""
        state = session.state
        changes: dict[str, object] = {}
        if self.part == "second":
            placed = replace(state.scene.geometry, placement=geometry.placement)
            changes["scene"] = replace(state.scene, geometry=placed)
        own: Any = state.part(self.part)
        session.update(**{self.part: replace(own, geometry=geometry)}, **changes)

    def rearrange(self, session: Session, **changes: Any) -> None:  # noqa: ANN401
        """Replace fields of its geometry."""
        geometry = self.seen(session.state).scene.geometry
        self.arrange(session, replace(geometry, **changes))

    def look(self, session: Session, camera: Camera) -> None:
        """Take a camera."""
        session.update(**{self.camera: camera})


FIRST_VIEW = ViewSlot("scene", "camera")
SECOND_VIEW = ViewSlot("second", "second_camera", keyed=False)


def active_view(state: State) -> ViewSlot:
    """Return the view that actions are about: the one that was used last."""
    return SECOND_VIEW if state.second_active else FIRST_VIEW


def default_second_layout(state: State) -> str:
    """Layout of the second view as long as none is chosen: by node, if it is known."""
    known = state.analysis
    if known is None or not (known.trace.locations and known.trace.locations[0].node):
        return "ranks"
    return "nodes"


def own_layouts(state: State) -> tuple[str, ...]:
    """List the layouts that the shown match has, the natural one first."""
    match = shown_match(state)
    if match is None:
        return ()
    return _layouts_of_match(match)[0]


@lru_cache(maxsize=1)
def _layouts_of_match(match: Match) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Layouts of a match, and further ones: asked for at every change of the state."""
    from topoview.topology import further_layouts, layout_names

    return layout_names(match), further_layouts(match)


def general_layouts(state: State) -> tuple[str, ...]:
    """List the layouts that any trace can have, and the shown match has not."""
    match, known = shown_match(state), state.analysis
    if match is None or known is None:
        return ()
    from topoview.io.placement_file import placement_tells

    levels, places = placement_tells(state.scene.geometry.placement)
    names = _layouts_of_match(match)[1]
    if levels or known.trace.has_nodes:
        names = (*names, "nodes")
    return (*names, "places") if places else names


def all_layouts(state: State) -> tuple[str, ...]:
    """List the layouts that can be chosen now, the natural one first."""
    return (*own_layouts(state), *general_layouts(state))


def chosen_layout(state: State) -> str:
    """Return the layout that the state wants, empty if there is no match."""
    names = all_layouts(state)
    return state.scene.layout if state.scene.layout in names else "".join(names[:1])
