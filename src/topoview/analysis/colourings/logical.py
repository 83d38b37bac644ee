"""What ranks can be coloured by that the logical trace tells."""

from typing import TYPE_CHECKING

import numpy as np

from topoview.model import RankValues

if TYPE_CHECKING:
    from topoview.analysis.colourings.table import Asked

NO_LOOP = "the logical trace has no loop"
NO_CALLS = "select calls in the logical trace or the profile"


def progress(asked: "Asked") -> RankValues:
    """Count the calls of the logical trace that ranks are ahead of the slowest."""
    from topoview.analysis.logical.position import positions_at

    known = asked.known
    assert known.positions is not None
    found = positions_at(known.trace, known.positions, asked.time)
    there = ~np.isnan(found)
    none = "not in the logical trace"
    if not there.any():
        return RankValues(found, none=none)
    ahead = found - found[there].min()
    return RankValues(ahead, 0.0, float(ahead[there].max()), none=none)


def iteration(asked: "Asked") -> RankValues:
    """Tell which iteration of the selected loop each rank is in, from 1."""
    from topoview.analysis.logical.position import iterations, positions_at

    known = asked.known
    assert known.positions is not None
    loop = asked.loop
    nowhere = np.full(known.trace.ranks, np.nan)
    if not 0 <= loop < len(known.positions.loops):
        return RankValues(nowhere, none=NO_LOOP)
    at = positions_at(known.trace, known.positions, asked.time)
    found = iterations(known.positions, loop, at) + 1
    there = found[~np.isnan(found)]
    low, high = (there.min(), there.max()) if len(there) else (0.0, 1.0)
    return RankValues(found, float(low), float(high), none="not in the loop")


def chosen_time(asked: "Asked") -> RankValues:
    """Time of the window that each rank spends in the selected calls."""
    from topoview.analysis.chosen import chosen_spans

    trace = asked.known.trace
    if not asked.wanted:
        return RankValues(np.full(trace.ranks, np.nan), none=NO_CALLS)
    spans = chosen_spans(trace, asked.known.logical, asked.wanted)
    begin, end = asked.window
    spent = np.minimum(spans.leave, end) - np.maximum(spans.enter, begin)
    sums = np.concatenate([[0], np.cumsum(np.maximum(spent, 0))])
    ticks = np.diff(sums[spans.offsets[: trace.ranks + 1]])
    seconds = ticks / trace.clock.resolution
    seconds[~spans.ranks[: trace.ranks]] = np.nan
    known = seconds[~np.isnan(seconds)]
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    return RankValues(seconds, float(low), float(high), "s", none="not in them")
