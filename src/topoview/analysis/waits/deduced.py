"""Where receives and requests end of a trace that does not record it: by its ranks.

A rank's receives without a message are those of the messages without a receive that
were sent to it, in order, if one rank sent all of them and both are equally many (MPI
4.1, section 3.5: messages do not overtake).
"""

from collections.abc import Sequence

import numpy as np

from topoview.analysis.waits.collective_times import LOOKING
from topoview.base.progress import Report, batches, silent
from topoview.logical.calls.operations import PLAIN_RECEIVES, WAITING, is_one_of
from topoview.model import (
    DeducedEnds,
    Ints,
    Part,
    Regions,
    Trace,
    places_among,
    rows_in_batches,
)


def deduced_ends(part: Part, report: Report = silent) -> DeducedEnds:
    """Deduce where receives of some ranks end, and tell how their requests do."""
    report(LOOKING, 0.0)
    calls, main = part.trace.calls, part.main
    operation = part.trace.regions.operation
    waiting = is_one_of(part.trace.regions, WAITING)[operation]
    starting = is_one_of(part.trace.regions, frozenset({"Startall"}))[operation]
    recorded = starts = False
    for rows in batches(main.stop - main.start):
        some = slice(main.start + rows.start, main.start + rows.stop)
        region = calls.region[some]
        recorded = bool((waiting[region] & (calls.completes[some] >= 0)).any())
        if recorded:
            starts = False
            break
        starts = starts or bool(starting[region].any())
    return DeducedEnds(_deduced_receives(part), recorded, starts)


def joined_ends(found: Sequence[DeducedEnds], _regions: Regions) -> DeducedEnds:
    """Join what parts of a trace tell."""
    receive = np.concatenate([one.receive for one in found], axis=1)
    recorded = any(one.recorded for one in found)
    return DeducedEnds(
        receive[:, np.argsort(receive[0], kind="stable")],
        recorded,
        not recorded and any(one.starts for one in found),
    )


def _deduced_receives(part: Part) -> Ints:
    """Find receives of messages that have none: see `DeducedEnds`."""
    messages, ranks, main = part.trace.messages, part.ranks, part.main
    pieces = [np.zeros(0, np.int64)]
    for rows in rows_in_batches(part.received):
        receive = messages.receive_call[rows]
        which = np.flatnonzero((receive < 0) & (messages.send_call[rows] >= 0))
        pieces.append(rows.start + which if isinstance(rows, slice) else rows[which])
    lost = np.concatenate(pieces)
    if not len(lost):
        return np.zeros((2, 0), np.int64)
    operation = part.trace.regions.operation[part.trace.calls.region[main]]
    free = is_one_of(part.trace.regions, PLAIN_RECEIVES)[operation]
    for rows in rows_in_batches(part.received):
        receive = messages.receive_call[rows]
        found = receive[(receive >= main.start) & (receive < main.stop)]
        free[found - main.start] = False
    call = main.start + np.flatnonzero(free)
    offsets, size = part.trace.calls.offsets, ranks.stop - ranks.start
    rank = np.searchsorted(offsets[ranks.start + 1 : ranks.stop + 1], call, "right")
    receiver, sender = messages.receiver[lost] - ranks.start, messages.sender[lost]
    low, high = np.full(size, part.trace.ranks), np.full(size, -1)
    np.minimum.at(low, receiver, sender)
    np.maximum.at(high, receiver, sender)
    many = np.bincount(receiver, minlength=size) == np.bincount(rank, minlength=size)
    clear = (low == high) & many
    chosen = lost[clear[receiver]]
    order = np.lexsort((messages.send_call[chosen], messages.receiver[chosen]))
    table = np.stack([chosen[order], call[clear[rank]]])
    return table[:, np.argsort(table[0], kind="stable")]


def received_by(trace: Trace, deduced: DeducedEnds, rows: Ints | slice) -> Ints:
    """Call that received, or posted the receive of, messages; -1 if unknown."""
    told = trace.messages.receive_call[rows]
    lost = np.flatnonzero(told < 0)
    if not len(lost) or not deduced.receive.size:
        return told
    own = rows.start + lost if isinstance(rows, slice) else rows[lost]
    at = places_among(deduced.receive[0], own)
    found = told.copy()
    found[lost[at >= 0]] = deduced.receive[1, at[at >= 0]]
    return found
