"""Time in each state, by parts of the run."""

from typing import Final

import numpy as np

from topoview.base.text import tr
from topoview.live.timeline.raster import plan_render, state_shares
from topoview.model import (
    Analysis,
    Column,
    Floats,
    Indices,
    Schema,
    Table,
    TimeState,
    named,
)

OVER_TIME: Final = Schema(
    Column("begin", "at", tr("begin"), tr("Begin of the part of the time")),
    Column("state", "", tr("state")),
    Column("seconds", "s", tr("time"), tr("Time of all ranks together in that part")),
    Column("share", "share", tr("share"), tr("Share of the time of the ranks in it")),
)


def states_over_time(
    analysis: Analysis, window: tuple[int, int], rows: Indices, parts: int
) -> Table:
    """Return the time of main threads in each state, by equal parts of a window.

    Parameters
    ----------
    window
        Begin and end in ticks.
    rows : int32, shape (n,)
        Ranks that count.
    parts
        How many parts.

    Returns
    -------
    Table
        A row for each part and each state that occurs, in order of time.
    """
    trace = analysis.trace
    shares: Floats = state_shares(
        plan_render(trace.timeline, analysis.sums, rows, window, parts)
    )
    used = np.flatnonzero(shares.any(axis=1))
    part, second = (window[1] - window[0]) / parts, trace.clock.resolution
    share = shares[used].T.ravel()
    return Table(
        OVER_TIME,
        {
            "begin": np.repeat(
                (window[0] + part * np.arange(parts)) / second, len(used)
            ),
            "state": named(
                np.tile(np.arange(len(used)), parts),
                [TimeState(state).label for state in used.tolist()],
            ),
            "seconds": share * part * len(rows) / second,
            "share": share,
        },
    )
