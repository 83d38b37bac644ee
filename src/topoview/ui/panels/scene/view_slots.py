"""The two views of the ranks: what each takes of the state."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from topoview.base.text import tr
from topoview.live.layouts import default_second_layout
from topoview.model import Geometry
from topoview.session import Camera, Session, State

GAP_TEXTS = {
    "": tr("No grouping"),
    "node": tr("Group by host"),
    "socket": tr("Group by socket"),
    "communicator": tr("Group by communicator"),
}


@dataclass(frozen=True, slots=True)
class ViewSlot:
    """One of the two views of the ranks."""

    part: str
    camera: str
    """`part` and `camera`: fields of the state that hold its options and its camera."""
    keyed: bool = True
    """Whether it has the legend: of two views beside each other one has."""

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
        """Choose another layout; ranges of the old one's dimensions go."""
        own: Any = session.state.part(self.part)
        self.change(session, layout=layout, geometry=own.geometry.elsewhere)

    def arrange(self, session: Session, geometry: Geometry) -> None:
        """Choose a geometry; its placement file is that of both views."""
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
        """Set the camera."""
        session.update(**{self.camera: camera})


FIRST_VIEW = ViewSlot("scene", "camera")
SECOND_VIEW = ViewSlot("second", "second_camera", keyed=False)


def active_view(state: State) -> ViewSlot:
    """Return the view that actions are about: the one that was used last."""
    return SECOND_VIEW if state.second_active else FIRST_VIEW
