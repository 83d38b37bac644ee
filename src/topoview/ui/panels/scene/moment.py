"""What the scene shows at one time: states, numbers, colours, sizes and messages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np

from topoview.live.colourings.scales import Colouring, ColouringRequest
from topoview.live.colourings.table import COLOURINGS, ColouringValues
from topoview.live.moment import Moment, calls_at, moment
from topoview.live.searching import intervals_at
from topoview.live.wait_chains import WaitChains, wait_chains
from topoview.model import (
    Bytes,
    Collectives,
    Communicator,
    Floats,
    Indices,
    Ints,
    MPIState,
    RankValues,
    Trace,
)
from topoview.scene.lines.messages_in_flight import (
    NO_MESSAGES,
    MessagesInFlight,
    colour_messages,
)
from topoview.scene.lines.traffic_lines import EdgeTraffic
from topoview.scene.palette import THEMES, TRAIL_OUTLINE
from topoview.scene.ranks.slices import ranks_inside
from topoview.scene.shading import (
    COLLECTIVE_GROWTH,
    Shading,
    outlines_by_values,
    shade_by_state,
    shade_by_values,
    sizes_by_values,
    trail_outlines,
)
from topoview.scene.topology_scene import NO_WAIT_CHAINS, TopologyScene
from topoview.session import SceneOptions, State
from topoview.ui.panels.scene.content import SceneContent
from topoview.ui.panels.scene.edges import ImmediateTraffic, Ranges
from topoview.ui.panels.selection import coloured_loop, selected_calls

# What colours, rims and sizes of ranks mean: numbers put to scales; no Qt.

TRAIL_SHARE = 0.05
"""Length of a trail, of the window's."""

FAINT_STATES = (MPIState.OUTSIDE, MPIState.COMPUTE)


@dataclass(frozen=True, slots=True, eq=False)
class ChannelValues:
    """Numbers that ranks show, each None where there are none.

    Attributes
    ----------
    fill, rim, size
        What colours, rims and sizes tell.
    trail
        How long a rim tells of the state before, in ticks; 0 if none does.
    gathered : float64, shape (ranks,)
        Of each rank in a collective operation the share of the members that have
        come to it; 0 of others.
    """

    fill: RankValues | None = None
    rim: RankValues | None = None
    size: RankValues | None = None
    trail: int = 0
    gathered: Floats | None = None


def channel_values(
    view: SceneOptions, values: ColouringValues, asked: ColouringRequest
) -> ChannelValues:
    """Find all numbers that a view asks for."""
    fill = values.of(view.colouring, asked)
    if fill is not None:
        fill = _on_chosen_scale(fill, view, values, asked)
    begin, end = asked.window
    return ChannelValues(
        fill,
        values.of(view.rim, asked),
        _numbers_only(values.of(view.size, asked)),
        max(round((end - begin) * TRAIL_SHARE), 1) if view.rim == TRAIL_OUTLINE else 0,
        shares_arrived(asked.known.trace, asked.time) if view.pulse else None,
    )


def highlighted_values(ranks: int, count: int) -> RankValues:
    """Tell the ranks' numbers as far as they are lit."""
    values = np.arange(ranks, dtype=np.float64)
    values[count:] = np.nan
    return RankValues(values, 0, max(ranks - 1, 1), none="not lit yet")


def _numbers_only(found: RankValues | None) -> RankValues | None:
    """Leave categories out: they have no size."""
    return None if found is None or found.names else found


def _on_chosen_scale(
    found: RankValues,
    view: SceneOptions,
    values: ColouringValues,
    asked: ColouringRequest,
) -> RankValues:
    """Let colours span what the view says."""
    if view.steps:
        found = found.stepping(log=view.steps == "log")
    if view.span == "data":
        found = found.stretched
    elif view.span == "fixed" and view.low < view.high:
        found = found.spanning(view.low, view.high)
    elif view.span == "window":
        ends = values.span(view.colouring, asked)
        if ends is not None:
            most = max(map(abs, ends))
            found = found.spanning(*((-most, most) if found.middle else ends))
    return found


def shares_arrived(trace: Trace, ticks: int) -> Floats:
    """Tell which share of the members has come to the operation of each rank.

    Returns
    -------
    float64, shape (ranks,)
        0 for ranks in no collective operation.
    """
    found = np.zeros(trace.ranks)
    parts = trace.collectives
    if not len(parts):
        return found
    call, inside = calls_at(trace, ticks)
    ranks = np.flatnonzero(inside)
    at = np.searchsorted(parts.call, call[ranks])
    same = at < len(parts)
    same[same] = parts.call[at[same]] == call[ranks[same]]
    ranks, at = ranks[same], at[same]
    communicator = parts.communicator[at]
    known = communicator >= 0
    ranks, communicator = ranks[known], communicator[known]
    members = _members(trace.collectives, trace.communicators)
    count = np.bincount(communicator, minlength=len(members))
    found[ranks] = np.minimum(count / members, 1.0)[communicator]
    return found


_MEMBERS: WeakKeyDictionary[Collectives, Ints] = WeakKeyDictionary()


def _members(parts: Collectives, communicators: Sequence[Communicator]) -> Ints:
    """Members of each communicator, at least 1; counted once."""
    if parts not in _MEMBERS:
        sizes = [max(len(each.ranks), 1) for each in communicators]
        _MEMBERS[parts] = np.array(sizes, np.int64)
    return _MEMBERS[parts]


def rank_shading(
    trace: Trace, state: State, now: Moment, told: ChannelValues
) -> Shading:
    """Colour, rim and size all ranks."""
    view, theme = state.scene, THEMES[state.theme]
    if told.fill is None:
        found = shade_by_state(theme, now.state, state.focus)
    else:
        found = shade_by_values(theme, told.fill, view.colour_map)
    if told.trail:
        rims, colours = trail_outlines(theme, *_previous_state(trace, now, told.trail))
        found = replace(found, rims=rims, rim_colours=colours)
    elif told.rim is not None:
        rims, colours = outlines_by_values(theme, told.rim, view.colour_map)
        found = replace(found, rims=rims, rim_colours=colours)
    sizes = None if told.size is None else sizes_by_values(told.size)
    if told.gathered is not None:
        sizes = (1.0 if sizes is None else sizes) * (
            1 + COLLECTIVE_GROWTH * told.gathered
        )
    faint = np.isin(now.state, FAINT_STATES) if view.faded else None
    return replace(found, sizes=sizes, faint=faint)


def _previous_state(trace: Trace, now: Moment, length: int) -> tuple[Bytes, Floats]:
    """State of each rank before its present one, and how long that is over."""
    timeline = trace.timeline
    at = intervals_at(timeline, trace.ranks, now.ticks)
    before = np.maximum(at - 1, timeline.offsets[: trace.ranks])
    state = np.where(at > before, timeline.state[before], MPIState.OUTSIDE)
    age = (now.ticks - timeline.time[at]) / length
    return state.astype(np.uint8), age


MAX_CHAINS_DRAWN = 64
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
    told: ChannelValues
    shading: Shading
    flying: MessagesInFlight
    comets: bool = False
    traffic: EdgeTraffic | None = None
    chains: WaitChains | None = None
    pairs: tuple[Indices, ...] = NO_WAIT_CHAINS

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


class MomentFinder:
    """Finds the moments of a session; keeps numbers that do not change with time.

    Parameters
    ----------
    traffic
        Gives the traffic of a window; by default it is summed up at once.

    While time runs a moment tells all that happened since the one before.
    """

    def __init__(
        self,
        traffic: Callable[[SceneContent, tuple[int, int], Ranges], EdgeTraffic | None]
        | None = None,
    ) -> None:
        self._traffic = traffic or ImmediateTraffic()
        self._values = ColouringValues()
        self._last = -1

    def at(self, state: State, content: SceneContent) -> SceneMoment:
        """Find what is shown at a state's time."""
        view, theme = state.scene, THEMES[state.theme]
        trace = content.known.trace
        known = state.analysis or content.known
        runs = state.playing and view.brief and 0 <= self._last < state.time
        since = self._last if runs else None
        self._last = state.time
        now = moment(trace, state.time, since)
        asked = ColouringRequest(known, state.time, state.window)
        if any(row.selects for row in _colourings_used(view)):
            asked = replace(
                asked, wanted=selected_calls(state), loop=coloured_loop(state)
            )
        told = channel_values(view, self._values, asked)
        if state.lit >= 0:
            told = ChannelValues(highlighted_values(trace.ranks, state.lit))
        flying = NO_MESSAGES
        if view.messages:
            first, inside = state.selection.ranks, None
            if view.geometry.ranges:
                inside = ranks_inside(content.layout, content.match, view.geometry)
            flying = content.flights.at(state.time, since, first, inside)
            name = view.message_colour
            flying = colour_messages(flying, name, trace, theme, state.time)
        found: WaitChains | None = None
        pairs: tuple[Indices, ...] = NO_WAIT_CHAINS
        if view.chains and known.waits is not None:
            found = wait_chains(trace, known.waits, state.time)
            pairs = _chain_pairs(found, state.selection.ranks)
        shading = rank_shading(trace, state, now, told)
        traffic = None
        if view.traffic and view.edges:
            traffic = self._traffic(content, state.window, view.geometry.ranges)
        return SceneMoment(
            now, told, shading, flying, view.comets, traffic, found, pairs
        )


def _colourings_used(view: SceneOptions) -> list[Colouring]:
    """Rows of the table of colourings that colours, rims and sizes follow."""
    names = (view.colouring, view.rim, view.size)
    return [COLOURINGS[name] for name in names if name in COLOURINGS]


def _chain_pairs(found: WaitChains, chosen: tuple[int, ...]) -> tuple[Indices, ...]:
    """All pairs, those of the longest chain, and those of chosen ranks' chains."""
    waiting = np.flatnonzero(found.whom >= 0)
    own = [
        found.of(rank) for rank in chosen[:MAX_CHAINS_DRAWN] if rank < len(found.whom)
    ]
    return (
        np.stack([waiting, found.whom[waiting]], axis=1).astype(np.int32),
        _consecutive_pairs([found.longest]),
        _consecutive_pairs(own),
    )


def _consecutive_pairs(ways: list[list[int]]) -> Indices:
    links = {pair for way in ways for pair in pairwise(way)}
    return np.array(sorted(links), np.int32).reshape(-1, 2)


def look_of(state: State) -> tuple[object, ...]:
    """Return all of a state that decides what a moment looks like."""
    view = state.scene
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
        *(state.theme, state.focus, view.messages, view.message_colour, view.comets),
        *(view.colouring, view.colour_map, view.span, view.low, view.high),
        *(view.steps, view.rim, view.size, view.faded, view.pulse, view.chains),
        _call_selection(state)
        if any(row.selects for row in _colourings_used(view))
        else None,
    )


def _call_selection(state: State) -> tuple[object, ...]:
    chosen = state.selection
    return chosen.statement, chosen.lines, chosen.operation
