"""What the scene shows at one time: states, numbers, colours, sizes and messages."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from topoview import model
from topoview.base.text import tr
from topoview.live.colourings.scales import Colouring, ColouringRequest
from topoview.live.colourings.table import COLOURINGS, ColouringValues
from topoview.live.moments.messages import NO_MESSAGES, MessagesInFlight, draws_messages
from topoview.live.moments.moment import Lookups, Moment, TimeCursor
from topoview.live.moments.wait_chains import WaitChains, wait_chains
from topoview.live.moments.window_sums import edge_bytes, transfer_bytes
from topoview.live.waits.critical_path import path_within
from topoview.live.waits.delays import shown_front, sparse_front
from topoview.scene.lines.message_lines import colour_messages
from topoview.scene.lines.pair_lines import (
    EdgeTraffic,
    busiest_edges,
    communicating_pairs,
)
from topoview.scene.palette import THEMES, TRAIL_OUTLINE
from topoview.scene.ranks.slices import pairs_inside, ranks_inside
from topoview.scene.shading import (
    CALM_STATES,
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
from topoview.ui.panels import selected_calls
from topoview.ui.panels.options import ComparisonOptions
from topoview.ui.panels.scene.content import SceneContent

# What colours, rims and sizes of ranks mean: numbers put to scales; no Qt.

TRAIL_SHARE = 0.05
"""Length of a trail, of the window's."""


@dataclass(frozen=True, slots=True, eq=False)
class ChannelValues:
    """Numbers that ranks show, each None where there are none."""

    fill: model.RankValues | None = None
    outline: model.RankValues | None = None
    size: model.RankValues | None = None
    """`fill`, `outline` and `size`: what colours, rims and sizes tell."""
    trail: int = 0
    """How long an outline tells of the state before, in ticks; 0 if none does."""
    gathered: model.Floats | None = None
    """float64, shape (ranks,): of each rank in a collective operation the share of the
    members that have come to it; 0 of others."""


def channel_values(
    view: SceneOptions, values: ColouringValues, request: ColouringRequest
) -> ChannelValues:
    """Find all numbers that a view asks for."""
    fill = values.of(view.colouring, request)
    if fill is not None:
        fill = _on_chosen_scale(fill, view, values, request)
    begin, end = request.window
    return ChannelValues(
        fill,
        values.of(view.outline, request),
        _numbers_only(values.of(view.size, request)),
        max(round((end - begin) * TRAIL_SHARE), 1)
        if view.outline == TRAIL_OUTLINE
        else 0,
        shares_arrived(request.look.cursor, request.time) if view.pulse else None,
    )


def highlighted_values(ranks: int, count: int) -> model.RankValues:
    """Return the ranks' numbers as far as they are lit."""
    values = np.arange(ranks, dtype=np.float64)
    values[count:] = np.nan
    return model.RankValues(values, 0, max(ranks - 1, 1), none=tr("not lit yet"))


def _numbers_only(values: model.RankValues | None) -> model.RankValues | None:
    """Leave categories out: they have no size."""
    return None if values is None or values.names else values


def _on_chosen_scale(
    colours: model.RankValues,
    view: SceneOptions,
    values: ColouringValues,
    request: ColouringRequest,
) -> model.RankValues:
    """Let colours span what the view says."""
    if view.steps:
        colours = colours.stepping(log=view.steps == "log")
    if view.span == "data":
        colours = colours.stretched
    elif view.span == "fixed" and view.low < view.high:
        colours = colours.spanning(view.low, view.high)
    elif view.span == "window":
        ends = values.span(view.colouring, request)
        if ends is not None:
            most = max(map(abs, ends))
            colours = colours.spanning(*((-most, most) if colours.middle else ends))
    return colours


def shares_arrived(cursor: TimeCursor, ticks: int) -> model.Floats:
    """Return the share of members that have come to the operation of each rank.

    Returns
    -------
    float64, shape (ranks,)
        0 for ranks in no collective operation.
    """
    trace = cursor.trace
    result, parts = np.zeros(trace.ranks), trace.collectives
    if not len(parts):
        return result
    call, inside = cursor.calls(ticks)
    ranks = np.flatnonzero(inside)
    at = model.places_among(parts.call, call[ranks])
    ranks, at = ranks[at >= 0], at[at >= 0]
    communicator = parts.communicator[at]
    valid = communicator >= 0
    ranks, communicator = ranks[valid], communicator[valid]
    members = np.maximum(trace.communicator_sizes, 1)
    count = np.bincount(communicator, minlength=len(members))
    result[ranks] = np.minimum(count / members, 1.0)[communicator]
    return result


def rank_shading(
    look: Lookups, state: State, now: Moment, channel_values: ChannelValues
) -> Shading:
    """Colour, rim and size all ranks."""
    view, theme = state.scene, THEMES[state.theme]
    if channel_values.fill is None:
        shading = shade_by_state(theme, now.state, state.focus)
    else:
        shading = shade_by_values(theme, channel_values.fill, view.colour_map)
    if channel_values.trail:
        rims, colours = trail_outlines(
            theme, *_previous_state(look, now, channel_values.trail)
        )
        shading = replace(shading, rims=rims, rim_colours=colours)
    elif channel_values.outline is not None:
        rims, colours = outlines_by_values(
            theme, channel_values.outline, view.colour_map
        )
        shading = replace(shading, rims=rims, rim_colours=colours)
    sizes = (
        None if channel_values.size is None else sizes_by_values(channel_values.size)
    )
    if channel_values.gathered is not None:
        sizes = (1.0 if sizes is None else sizes) * (
            1 + COLLECTIVE_GROWTH * channel_values.gathered
        )
    here = selected_calls.ranks_in_selected_calls(state)
    if state.selection.isolated:
        alone = np.zeros(len(shading.codes), bool)
        alone[list(state.selection.isolated)] = True
        shading = replace(shading, stands_out=alone)
    elif here is not None and here.any():  # the picture is focused on them
        shading = replace(shading, stands_out=here[: len(shading.codes)])
    faint = model.in_states(now.state, CALM_STATES) if view.translucent else None
    return replace(shading, sizes=sizes, faint=faint)


def _previous_state(
    look: Lookups, now: Moment, length: int
) -> tuple[model.Bytes, model.Floats]:
    """State of each rank before its present one, and how long that is over."""
    timeline, at = look.trace.timeline, look.cursor.intervals(now.ticks)
    before = np.maximum(at - 1, timeline.offsets[: len(at)])
    state = np.where(at > before, timeline.state[before], model.TimeState.OUTSIDE)
    age = (now.ticks - timeline.time[at]) / length
    return state.astype(np.uint8), age


MAX_CHAINS_DRAWN = 64
"""Selected ranks whose chains of waiting are drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class SceneMoment:
    """The ranks and messages at a time.

    Attributes
    ----------
    comets
        Whether they trail all of their way.
    """

    now: Moment
    """States."""
    look: Lookups
    """Looks up more of this trace."""
    channels: ChannelValues
    """Numbers that ranks show."""
    shading: Shading
    """Colours, rims and sizes."""
    flying: MessagesInFlight
    """Messages."""
    trails: bool = False
    traffic: EdgeTraffic | None = None
    """Bytes on edges in the window, if that is drawn."""
    chains: WaitChains | None = None
    """Who waits for whom, if that is drawn."""
    pairs: tuple[model.Indices, ...] = NO_WAIT_CHAINS
    """Pairs of ranks that are drawn of it."""
    sought: bool = True
    """Whether messages were looked for."""
    small: bool = False
    """Whether ranks are too small for their messages to be told apart."""

    @property
    def values(self) -> model.RankValues | None:
        """Numbers that ranks are coloured by, None for states."""
        return self.channels.fill

    def draw(self, scene: TopologyScene) -> None:
        """Show it in a scene."""
        scene.colour(self.shading)
        scene.show_messages(self.flying, trails=self.trails)
        scene.show_chains(self.pairs)
        scene.show_traffic(self.traffic)


Ranges = tuple[tuple[int, int, int], ...]
TrafficRequest = tuple[SceneContent, tuple[int, int], Ranges]


def traffic_in_window(
    content: SceneContent, window: tuple[int, int], ranges: Ranges = ()
) -> EdgeTraffic:
    """Sum up what was sent along the shown topology's edges in a window.

    Only edges between ranks that are in the ranges count.
    """
    edges, match = communicating_pairs(content.match), content.match
    inside = ranks_inside(content.layout, match, model.Geometry(ranges=ranges))
    if inside is not None:
        edges = pairs_inside(edges, inside)
    sums = transfer_bytes if content.matrix.one_sided else edge_bytes
    return busiest_edges(edges, sums(content.analysis, window, edges))


class ImmediateTraffic:
    """Gives the traffic at once: summed up meanwhile for any window it is asked for."""

    def __init__(self) -> None:
        self._kept: tuple[TrafficRequest, EdgeTraffic] | None = None

    def __call__(
        self, content: SceneContent, window: tuple[int, int], ranges: Ranges = ()
    ) -> EdgeTraffic:
        """Return the traffic of a window."""
        kept, key = self._kept, (content, window, ranges)
        if kept is None or kept[0] != key:
            self._kept = kept = key, traffic_in_window(content, window)
        return kept[1]


def shows_messages(state: State, content: SceneContent) -> bool:
    """Return whether messages are drawn: on planes only if that is asked for.

    Their lines would cross other planes.
    """
    unasked = state.scene.messages is None
    return draws_messages(state) and not (unasked and content.is_sheet)


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

    def at(
        self,
        state: State,
        content: SceneContent,
        *,
        messages: bool = True,
        small: bool = False,
    ) -> SceneMoment:
        """Find what is shown at a state's time.

        Parameters
        ----------
        messages
            Whether they are drawn.
        small
            Whether ranks are so small that, unless all are asked for, only messages of
            selected ones are.
        """
        view, theme = state.scene, THEMES[state.theme]
        trace = content.analysis.trace
        analysis = state.analysis or content.analysis
        # While time only moves on, a search goes on from the last frame instead of
        # anew.
        runs = state.playing and view.hold_short and 0 <= self._last < state.time
        since = self._last if runs else None
        self._last = state.time
        look = self._values.lookups(trace)
        now = look.cursor.moment(state.time, since)
        request = ColouringRequest(analysis, state.time, state.window, lookups=look)
        if any(row.selects for row in _colourings_used(view)):
            request = replace(
                request,
                wanted=selected_calls.call_filter(state),
                loop=selected_calls.coloured_loop(state),
                base=state.of(ComparisonOptions).window,
                focus=state.focus,
                compared=state.compared,
            )
        channels = channel_values(view, self._values, request)
        if state.highlighted >= 0:
            channels = ChannelValues(highlighted_values(trace.ranks, state.highlighted))
        # Messages of all ranks hide small ranks: then only those of selected ones are
        # drawn.
        flying = NO_MESSAGES
        small &= view.messages is None and shows_messages(state, content)
        every = shows_messages(state, content) and not small
        first = state.selection.ranks
        planes = content.is_sheet
        if messages and (every or (first and view.messages is None and not planes)):
            inside = None
            if view.geometry.ranges:
                inside = ranks_inside(content.layout, content.match, view.geometry)
            flying = content.flights.at(
                state.time, since, first, inside, only=not every
            )
            name = view.message_colour
            flying = colour_messages(flying, name, analysis, theme, state.time, first)
        # Pairs are drawn in this order: chains of waiting, the path, the front of a
        # delay.
        chains: WaitChains | None = None
        pairs: tuple[model.Indices, ...] = NO_WAIT_CHAINS
        if view.chains and analysis.waits is not None:
            chains = wait_chains(look.cursor, analysis.waits, state.time)
            pairs = _chain_pairs(chains, state.selection.ranks)
        if view.path and analysis.critical_path is not None:
            steps = path_within(analysis.critical_path, state.window).jumps
            pairs = (*pairs[:-2], steps, pairs[-1])
        front = shown_front(state)
        if front is not None and not view.path and not planes:
            crossed = front.edges(content.match, state.time)
            crossed = sparse_front(crossed, content.layout.positions)
            pairs = (*pairs[:-1], crossed)
        shading = rank_shading(look, state, now, channels)
        traffic = None
        if view.traffic and view.edges:
            traffic = self._traffic(content, state.window, view.geometry.ranges)
        return SceneMoment(
            now=now,
            look=look,
            channels=channels,
            shading=shading,
            flying=flying,
            trails=view.trails,
            traffic=traffic,
            chains=chains,
            pairs=pairs,
            sought=messages,
            small=small,
        )


def _colourings_used(view: SceneOptions) -> list[Colouring]:
    """Rows of the table of colourings that colours, rims and sizes follow."""
    names = (view.colouring, view.outline, view.size)
    return [COLOURINGS[name] for name in names if name in COLOURINGS]


def _chain_pairs(
    chains: WaitChains, chosen: tuple[int, ...]
) -> tuple[model.Indices, ...]:
    """All pairs, those of the longest chain, of chosen ranks' chains; no others."""
    waiting = np.flatnonzero(chains.whom >= 0)
    own = [
        chains.of(rank) for rank in chosen[:MAX_CHAINS_DRAWN] if rank < len(chains.whom)
    ]
    return (
        np.stack([waiting, chains.whom[waiting]], axis=1).astype(np.int32),
        _consecutive_pairs([chains.longest]),
        _consecutive_pairs(own),
        *NO_WAIT_CHAINS[-2:],
    )


def _consecutive_pairs(ways: list[list[int]]) -> model.Indices:
    links = {pair for way in ways for pair in pairwise(way)}
    return np.array(sorted(links), np.int32).reshape(-1, 2)


def look_of(state: State, *, small: bool = False) -> tuple[object, ...]:
    """Return all of a state that decides what a moment looks like.

    Where ranks are `small`, messages are those of selected ones.
    """
    view = state.scene
    names = [name for name in (view.colouring, view.outline, view.size) if name]
    rows = [COLOURINGS.get(name) for name in names]
    windowed = view.span == "window" or any(
        row is None or row.over != "run" for row in rows
    )
    some_only = view.messages is None and (small or not draws_messages(state))
    return (
        state.time,
        state.playing,
        state.highlighted,
        state.window
        if view.traffic or view.path or (windowed and names != ["state"])
        else None,
        (view.traffic, view.edges),
        state.analysis if names != ["state"] or view.chains or view.path else None,
        state.selection.ranks if view.chains or some_only else None,
        state.delay,
        state.compared,
        state.theme,
        state.focus,
        view.messages,
        view.message_colour,
        view.trails,
        view.colouring,
        view.colour_map,
        view.span,
        view.low,
        view.high,
        view.steps,
        view.outline,
        view.size,
        view.translucent,
        view.pulse,
        view.chains,
        view.path,
        _call_selection(state),
        state.of(ComparisonOptions).window,
    )


def _call_selection(state: State) -> tuple[object, ...]:
    chosen = state.selection
    meant = chosen.statement, chosen.lines, chosen.operation, chosen.query
    return (*meant, chosen.isolated)
