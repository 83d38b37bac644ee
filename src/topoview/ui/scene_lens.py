"""Which of the two views of the ranks it is, and what it takes of the state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from topoview.session import Session, State


@dataclass(frozen=True, slots=True)
class Lens:
    """What a view of the ranks is about.

    Attributes
    ----------
    seen
        The state as this view shows it.
    choose
        Takes another layout for it.
    """

    seen: Callable[[State], State]
    choose: Callable[[Session, str], None]


def _second(state: State) -> State:
    """Let the second layout be the only one, without what is about dimensions."""
    view = state.view
    layout = view.second or natural_second(state)
    geometry = replace(view.geometry.elsewhere, copies=False)
    return replace(state, view=replace(view, layout=layout, geometry=geometry))


def natural_second(state: State) -> str:
    """Layout of the second view as long as none is chosen: by node, if it is known."""
    known = state.analysis
    if known is None or not (known.trace.locations and known.trace.locations[0].node):
        return "ranks"
    return "nodes"


FIRST = Lens(lambda state: state, lambda session, name: session.show(layout=name))
SECOND = Lens(_second, lambda session, name: session.view(second=name))
