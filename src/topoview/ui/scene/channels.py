"""What colours, rims and sizes of ranks mean: numbers put to scales; no Qt."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from topoview.analysis.colourings.table import Asked
from topoview.analysis.colourings.values import Values
from topoview.analysis.moment import Moment, calls_at
from topoview.analysis.searching import intervals_at
from topoview.model import (
    Bytes,
    Collectives,
    Communicator,
    Floats,
    Ints,
    MPIState,
    RankValues,
    Trace,
)
from topoview.scene.channel_names import TRAIL
from topoview.scene.palette import Theme
from topoview.scene.shading import (
    SWOLLEN,
    Shading,
    by_state,
    by_values,
    rims_by,
    rims_of_trails,
    sizes_by,
)
from topoview.session import View

TRAIL_LENGTH = 0.05
"""Length of a trail, of the window's."""

FAINT_STATES = (MPIState.OUTSIDE, MPIState.COMPUTE)


@dataclass(frozen=True, slots=True, eq=False)
class Channels:
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


def channels(view: View, values: Values, asked: Asked) -> Channels:
    """Find all numbers that a view asks for."""
    fill = values.of(view.colouring, asked)
    if fill is not None:
        fill = _scaled(fill, view, values, asked)
    begin, end = asked.window
    return Channels(
        fill,
        values.of(view.rim, asked),
        _number(values.of(view.size, asked)),
        max(round((end - begin) * TRAIL_LENGTH), 1) if view.rim == TRAIL else 0,
        gathered(asked.known.trace, asked.time) if view.pulse else None,
    )


def lit(ranks: int, count: int) -> RankValues:
    """Tell the ranks' numbers as far as they are lit."""
    values = np.arange(ranks, dtype=np.float64)
    values[count:] = np.nan
    return RankValues(values, 0, max(ranks - 1, 1), none="not lit yet")


def _number(found: RankValues | None) -> RankValues | None:
    """Leave categories out: they have no size."""
    return None if found is None or found.names else found


def _scaled(found: RankValues, view: View, values: Values, asked: Asked) -> RankValues:
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


def gathered(trace: Trace, ticks: int) -> Floats:
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


def shading_of(
    trace: Trace, view: View, theme: Theme, now: Moment, told: Channels
) -> Shading:
    """Colour, rim and size all ranks."""
    if told.fill is None:
        found = by_state(theme, now.state, view.focus)
    else:
        found = by_values(theme, told.fill, view.colour_map)
    if told.trail:
        rims, colours = rims_of_trails(theme, *_before(trace, now, told.trail))
        found = replace(found, rims=rims, rim_colours=colours)
    elif told.rim is not None:
        rims, colours = rims_by(theme, told.rim, view.colour_map)
        found = replace(found, rims=rims, rim_colours=colours)
    sizes = None if told.size is None else sizes_by(told.size)
    if told.gathered is not None:
        sizes = (1.0 if sizes is None else sizes) * (1 + SWOLLEN * told.gathered)
    faint = np.isin(now.state, FAINT_STATES) if view.faded else None
    return replace(found, sizes=sizes, faint=faint)


def _before(trace: Trace, now: Moment, length: int) -> tuple[Bytes, Floats]:
    """State of each rank before its present one, and how long that is over."""
    timeline = trace.timeline
    at = intervals_at(timeline, trace.ranks, now.ticks)
    before = np.maximum(at - 1, timeline.offsets[: trace.ranks])
    state = np.where(at > before, timeline.state[before], MPIState.OUTSIDE)
    age = (now.ticks - timeline.time[at]) / length
    return state.astype(np.uint8), age
