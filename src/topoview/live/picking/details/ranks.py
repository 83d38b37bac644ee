"""All about a rank at a time."""

from dataclasses import dataclass

import numpy as np

from topoview.live.moments.moment import TimeCursor, call_at
from topoview.live.moments.wait_chains import waiting_for
from topoview.model import Analysis, Indices


@dataclass(frozen=True, slots=True)
class RankDetails:
    """A rank at a time."""

    rank: int
    ticks: int
    """`rank` and `ticks`: who, and when."""
    state: int
    since: int
    until: int
    region: int
    """`state`, `since`, `until` and `region`: `TimeState` that it is in, when that
    begins and ends, innermost region (or -1)."""
    call: int
    """Index of the call that it is in, -1 for none."""
    whom: int
    """Rank that it waits for now, -1 for none."""
    waiting: tuple[tuple[int, int], ...]
    """Ranks that wait for it now, longest first, and for how many ticks so far."""
    calls: int
    """Calls that it makes in all."""
    sent: tuple[int, int]
    received: tuple[int, int]
    """`sent` and `received`: messages and bytes that it sends, and receives."""
    communicators: tuple[int, ...]
    """Indices of those that it is a member of, but for the world."""


def rank_details(analysis: Analysis, rank: int, ticks: int) -> RankDetails:
    """Find all about a rank at a time."""
    trace, timeline = analysis.trace, analysis.trace.timeline
    at = int(timeline.at(ticks, np.array([rank]))[0])
    last = at + 1 == int(timeline.offsets[rank + 1])
    call = call_at(trace, rank, ticks)
    whom, waiting = -1, []
    if analysis.waits is not None:
        cursor = TimeCursor(trace)
        awaited = waiting_for(cursor, analysis.waits, ticks)
        whom = int(awaited[rank])
        now, _ = cursor.calls(ticks)
        since = trace.calls.enter[np.maximum(now, 0)]
        waiting = [
            (int(one), ticks - int(since[one]))
            for one in np.flatnonzero(awaited == rank)
        ]
    sent, received = _traffic_of(analysis, rank)
    return RankDetails(
        rank=rank,
        ticks=ticks,
        state=int(timeline.state[at]),
        since=int(timeline.time[at]),
        until=-1 if last else int(timeline.time[at + 1]),
        region=int(timeline.region[at]),
        call=-1 if call is None else call,
        whom=whom,
        waiting=tuple(sorted(waiting, key=lambda pair: (-pair[1], pair[0]))),
        calls=int(np.diff(trace.calls.offsets[rank : rank + 2])[0]),
        sent=sent,
        received=received,
        communicators=tuple(
            index
            for index, each in enumerate(trace.communicators)
            if index and len(each.ranks) > 1 and _is_member(each.ranks, rank)
        ),
    )


def _traffic_of(
    analysis: Analysis, rank: int
) -> tuple[tuple[int, int], tuple[int, int]]:
    matrix = analysis.matrix
    if matrix is None:
        return (0, 0), (0, 0)
    counts, sizes = matrix.counts, matrix.sizes
    low, high = matrix.begins[rank : rank + 2].tolist()
    sent = int(counts[low:high].sum()), int(sizes[low:high].sum())
    own = matrix.receiver == rank
    return sent, (int(counts[own].sum()), int(sizes[own].sum()))


def _is_member(ranks: Indices, rank: int) -> bool:
    return bool(np.any(ranks == rank))
