"""What the scene shows at one time: states, numbers, colours, messages; no Qt."""

from dataclasses import dataclass

import numpy as np

from topoview.analysis.colouring_table import Asked
from topoview.analysis.colourings import COLOURINGS, Values
from topoview.analysis.moment import Moment, moment
from topoview.model import Floats, Indices, RankValues
from topoview.scene.palette import THEMES
from topoview.scene.shading import Shading, by_state, by_values
from topoview.scene.topology_scene import TopologyScene
from topoview.session import State
from topoview.ui.scene_content import SceneContent

NONE = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class SceneMoment:
    """The ranks and messages at a time.

    Attributes
    ----------
    now
        States.
    values
        Numbers that ranks are coloured by, None for states.
    shading
        Colours.
    flying
        Messages: senders, receivers, and the share of the way that is done.
    """

    now: Moment
    values: RankValues | None
    shading: Shading
    flying: tuple[Indices, Indices, Floats]

    def draw(self, scene: TopologyScene) -> None:
        """Show it in a scene."""
        scene.colour(self.shading)
        scene.show_messages(self.flying)


class Moments:
    """Finds the moments of a session; keeps numbers that do not change with time."""

    def __init__(self) -> None:
        self._values = Values()

    def at(self, state: State, content: SceneContent) -> SceneMoment:
        """Find what is shown at a state's time."""
        view, theme = state.view, THEMES[state.view.theme]
        now = moment(content.known.trace, state.time)
        known = state.analysis or content.known
        asked = Asked(known, state.time, state.window)
        values = self._values.of(view.colouring, asked)
        if values is None:
            shading = by_state(theme, now.state, view.focus)
        else:
            values = values.stretched if view.stretched else values
            shading = by_values(theme, values, view.colour_map)
        flying = (NONE, NONE, np.zeros(0))
        if view.messages:
            flying = content.flights.at(state.time)
        return SceneMoment(now, values, shading, flying)


def looks(state: State) -> tuple[object, ...]:
    """Return all of a state that decides what a moment looks like."""
    view = state.view
    row = COLOURINGS.get(view.colouring)
    return (
        state.time,
        state.window if row is not None and row.over != "run" else None,
        state.analysis if row is not None else None,
        *(view.theme, view.focus, view.messages),
        *(view.colouring, view.colour_map, view.stretched),
    )
