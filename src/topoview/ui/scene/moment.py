"""What the scene shows at one time: states, numbers, colours, messages; no Qt."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from topoview.analysis.colourings.general import COLOURINGS
from topoview.analysis.colourings.table import Asked, Colouring
from topoview.analysis.colourings.values import Values
from topoview.analysis.moment import Moment, moment
from topoview.analysis.wait_chains import Chains, chains
from topoview.model import Indices, RankValues
from topoview.scene.message_looks import NONE, Flying, coloured
from topoview.scene.palette import THEMES
from topoview.scene.shading import Shading
from topoview.scene.slices import inside_of
from topoview.scene.topology_scene import NO_CHAINS, TopologyScene
from topoview.scene.traffic_lines import Traffic
from topoview.session import State, View
from topoview.ui.scene.channels import Channels, channels, lit, shading_of
from topoview.ui.scene.content import SceneContent
from topoview.ui.scene.traffic import Ranges, TrafficNow
from topoview.ui.selected import told_loop, wanted

MOST_CHAINS = 64
"""Selected ranks whose chains of waiting are drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class SceneMoment:
    """The ranks and messages at a time.

    Attributes
    ----------
    now
        States.
    told
        Numbers that ranks show.
    shading
        Colours, rims and sizes.
    flying
        Messages.
    comets
        Whether they trail all of their way.
    traffic
        Bytes on edges in the window, if that is drawn.
    chains
        Who waits for whom, if that is drawn.
    pairs
        Pairs of ranks that are drawn of it.
    """

    now: Moment
    told: Channels
    shading: Shading
    flying: Flying
    comets: bool = False
    traffic: Traffic | None = None
    chains: Chains | None = None
    pairs: tuple[Indices, ...] = NO_CHAINS

    @property
    def values(self) -> RankValues | None:
        """Numbers that ranks are coloured by, None for states."""
        return self.told.fill

    def draw(self, scene: TopologyScene) -> None:
        """Show it in a scene."""
        scene.colour(self.shading)
        scene.show_messages(self.flying, comets=self.comets)
        scene.show_chains(self.pairs)
        scene.show_traffic(self.traffic)


class Moments:
    """Finds the moments of a session; keeps numbers that do not change with time.

    Parameters
    ----------
    traffic
        Gives the traffic of a window; by default it is summed up at once.

    While time runs a moment tells all that happened since the one before.
    """

    def __init__(
        self,
        traffic: Callable[[SceneContent, tuple[int, int], Ranges], Traffic | None]
        | None = None,
    ) -> None:
        self._traffic = traffic or TrafficNow()
        self._values = Values()
        self._last = -1

    def at(self, state: State, content: SceneContent) -> SceneMoment:
        """Find what is shown at a state's time."""
        view, theme = state.view, THEMES[state.view.theme]
        trace = content.known.trace
        known = state.analysis or content.known
        runs = state.playing and view.brief and 0 <= self._last < state.time
        since = self._last if runs else None
        self._last = state.time
        now = moment(trace, state.time, since)
        asked = Asked(known, state.time, state.window)
        if any(row.selects for row in _rows(view)):
            asked = replace(asked, wanted=wanted(state), loop=told_loop(state))
        told = channels(view, self._values, asked)
        if state.lit >= 0:
            told = Channels(lit(trace.ranks, state.lit))
        flying = NONE
        if view.messages:
            first, inside = state.selection.ranks, None
            if view.geometry.ranges:
                inside = inside_of(content.layout, content.match, view.geometry)
            flying = content.flights.at(state.time, since, first, inside)
            name = view.message_colour
            flying = coloured(flying, name, trace, theme, state.time)
        found: Chains | None = None
        pairs: tuple[Indices, ...] = NO_CHAINS
        if view.chains and known.waits is not None:
            found = chains(trace, known.waits, state.time)
            pairs = _pairs(found, state.selection.ranks)
        shading = shading_of(trace, view, theme, now, told)
        traffic = None
        if view.traffic and view.edges:
            traffic = self._traffic(content, state.window, view.geometry.ranges)
        return SceneMoment(
            now, told, shading, flying, view.comets, traffic, found, pairs
        )


def _rows(view: View) -> list[Colouring]:
    """Rows of the table of colourings that colours, rims and sizes follow."""
    names = (view.colouring, view.rim, view.size)
    return [COLOURINGS[name] for name in names if name in COLOURINGS]


def _pairs(found: Chains, chosen: tuple[int, ...]) -> tuple[Indices, ...]:
    """All pairs, those of the longest chain, and those of chosen ranks' chains."""
    waiting = np.flatnonzero(found.whom >= 0)
    own = [found.of(rank) for rank in chosen[:MOST_CHAINS] if rank < len(found.whom)]
    return (
        np.stack([waiting, found.whom[waiting]], axis=1).astype(np.int32),
        _links([found.longest]),
        _links(own),
    )


def _links(ways: list[list[int]]) -> Indices:
    links = {pair for way in ways for pair in pairwise(way)}
    return np.array(sorted(links), np.int32).reshape(-1, 2)


def looks(state: State) -> tuple[object, ...]:
    """Return all of a state that decides what a moment looks like."""
    view = state.view
    names = [name for name in (view.colouring, view.rim, view.size) if name]
    rows = [COLOURINGS.get(name) for name in names]
    windowed = view.span == "window" or any(
        row is None or row.over != "run" for row in rows
    )
    return (
        state.time,
        *(state.playing, state.lit),
        state.window if view.traffic or (windowed and names != ["state"]) else None,
        (view.traffic, view.edges),
        state.analysis if names != ["state"] or view.chains else None,
        state.selection.ranks if view.chains else None,
        *(view.theme, view.focus, view.messages, view.message_colour, view.comets),
        *(view.colouring, view.colour_map, view.span, view.low, view.high),
        *(view.steps, view.rim, view.size, view.faded, view.pulse, view.chains),
        _chosen(state) if any(row.selects for row in _rows(view)) else None,
    )


def _chosen(state: State) -> tuple[object, ...]:
    chosen = state.selection
    return chosen.statement, chosen.lines, chosen.operation
