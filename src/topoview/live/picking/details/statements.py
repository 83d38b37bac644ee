"""Whom the calls of a statement of the logical trace waited for."""

import numpy as np

from topoview.base.progress import batches
from topoview.live.tables.calls import Search
from topoview.model import Analysis, kept_with_source

MAX_CALLS_SUMMED = 10_000_000
"""Calls of a trace that are gone through at a click: in a tenth of a second."""


@kept_with_source()
def statement_waits(
    analysis: Analysis, statement: int
) -> tuple[tuple[tuple[int, int], ...], int]:
    """Sum up how long the calls of a statement waited, by the rank waited for.

    Not where a trace has very many calls.

    Returns
    -------
    by_rank : tuple of (int, int)
        Ranks and ticks, those waited for longest first.
    unknown : int
        Ticks for which the trace does not tell whom.
    """
    logical, waits = analysis.logical, analysis.waits
    if logical is None or waits is None:
        return (), 0
    if len(logical.statement_of_call) > MAX_CALLS_SUMMED:
        return (), 0
    search, sums = Search(analysis), np.zeros(analysis.trace.ranks + 1, np.int64)
    for part in batches(len(logical.statement_of_call)):
        own = part.start + np.flatnonzero(logical.statement_of_call[part] == statement)
        late = search.late(own)
        np.add.at(sums, waits.whom[own][late > 0], late[late > 0])  # -1 is the last
    order = np.argsort(-sums[:-1], kind="stable")
    order = order[sums[order] > 0]
    pairs = zip(order.tolist(), sums[order].tolist(), strict=True)
    return tuple(pairs), int(sums[-1])
