"""Where receives and requests end of a trace that does not record it: by its ranks."""

from collections.abc import Sequence

import numpy as np

from topoview.analysis.waits.operations.collective_times import LOOKING
from topoview.base.progress import Report, silent
from topoview.logical.calls.messages import (
    completions_recorded,
    deduced_receives,
    requests_started,
)
from topoview.model import (
    DeducedEnds,
    Ints,
    Part,
    Regions,
    Trace,
    places_among,
    rows_at,
)


def deduced_ends(part: Part, report: Report = silent) -> DeducedEnds:
    """Deduce where receives of some ranks end, and tell how their requests do."""
    report(LOOKING, 0.0)
    recorded = completions_recorded(part)
    starts = not recorded and requests_started(part)
    return DeducedEnds(deduced_receives(part), recorded, starts)


def joined_ends(parts: Sequence[DeducedEnds], _regions: Regions) -> DeducedEnds:
    """Join what parts of a trace tell."""
    receive = np.concatenate([one.receive for one in parts], axis=1)
    recorded = any(one.recorded for one in parts)
    return DeducedEnds(
        receive[:, np.argsort(receive[0], kind="stable")],
        recorded,
        not recorded and any(one.starts for one in parts),
    )


def received_by(trace: Trace, deduced: DeducedEnds, rows: Ints | slice) -> Ints:
    """Call that received, or posted the receive of, messages; -1 if unknown."""
    recorded = trace.messages.receive_call[rows]
    lost = np.flatnonzero(recorded < 0)
    if not len(lost) or not deduced.receive.size:
        return recorded
    at = places_among(deduced.receive[0], rows_at(rows, lost))
    result = recorded.copy()
    result[lost[at >= 0]] = deduced.receive[1, at[at >= 0]]
    return result
