"""The two view slots of the scene: what each one takes of the session's state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from topoview.session import Session, State

if TYPE_CHECKING:
    from topoview.model import Geometry


@dataclass(frozen=True, slots=True)
class ViewSlot:
    """What a view of the ranks is about.

    Attributes
    ----------
    seen
        The state as this view shows it.
    choose
        Takes another layout for it.
    arrange
        Takes another geometry for it.
    write
        Takes other labels for it.
    keyed
        Whether it says what colours mean: of two views beside each other one does.
    """

    seen: Callable[[State], State]
    choose: Callable[[Session, str], None]
    arrange: Callable[[Session, Geometry], None]
    write: Callable[[Session, str], None]
    keyed: bool = True


def _state_of_second(state: State) -> State:
    """Let what is chosen for the second view be the only choice."""
    view = state.view
    layout = view.second or default_second_layout(state)
    placement = view.geometry.placement
    geometry = replace(view.second_geometry, placement=placement)
    second = replace(view, layout=layout, geometry=geometry, labels=view.second_labels)
    return replace(state, view=second)


def default_second_layout(state: State) -> str:
    """Layout of the second view as long as none is chosen: by node, if it is known."""
    known = state.analysis
    if known is None or not (known.trace.locations and known.trace.locations[0].node):
        return "ranks"
    return "nodes"


def _choose_second_layout(session: Session, name: str) -> None:
    geometry = session.state.view.second_geometry.elsewhere
    session.view(second=name, second_geometry=geometry)


def _arrange_second_view(session: Session, geometry: Geometry) -> None:
    """Take a geometry; its placement file is that of both views."""
    view = session.state.view
    placed = replace(view.geometry, placement=geometry.placement)
    session.view(second_geometry=geometry, geometry=placed)


FIRST_VIEW = ViewSlot(
    lambda state: state,
    lambda session, name: session.show(layout=name),
    lambda session, geometry: session.view(geometry=geometry),
    lambda session, name: session.view(labels=name),
)
SECOND_VIEW = ViewSlot(
    _state_of_second,
    _choose_second_layout,
    _arrange_second_view,
    lambda session, name: session.view(second_labels=name),
    keyed=False,
)
