"""For whom calls wait in operations on windows: looked up by parts of the ranks.

They are found in the whole trace at once: of records of one-sided calls there are few
beside those of messages.
"""

import numpy as np

from topoview.analysis.waits.collective_times import (
    LOOKING,
    OperationParts,
    in_order,
    needed_by,
    times_of,
)
from topoview.analysis.waits.windows import (
    pending_transfers,
    window_instances,
    window_needs,
)
from topoview.base.progress import Report, silent
from topoview.model import Ints, Trace, WindowWaits


def window_waits(trace: Trace, report: Report = silent) -> WindowWaits:
    """Find for whom calls wait in operations on windows."""
    report(LOOKING, 0.0)
    needs = [
        np.stack([*one[1:3], one.until, one.whom, np.full(len(one.call), one.kind)])
        for one in window_needs(trace)
    ]
    return WindowWaits(
        _by_call(_met(trace)),
        _by_call(np.concatenate(needs, axis=1)),
        np.stack(pending_transfers(trace)),
    )


def _met(trace: Trace) -> Ints:
    """Find for whom ranks wait in operations of all ranks of a window."""
    instances, kind = window_instances(trace)
    instance = np.repeat(
        np.arange(len(instances.starts) - 1), np.diff(instances.starts)
    )
    nowhere = np.zeros(len(instance), np.bool_)
    parts = in_order(
        OperationParts(
            operation=instance,
            rank=instances.rank,
            call=instances.call,
            kind=kind,
            is_root=nowhere,
            group=instance,
            done=instances.call,
            near=nowhere,
        )
    )
    needed = needed_by(trace, parts, times_of(parts, trace.calls))
    return np.stack(
        [parts.call, needed.cause, needed.until, needed.whom, parts.kind]
    ).astype(np.int64)


def _by_call(table: Ints) -> Ints:
    return np.ascontiguousarray(table[:, np.argsort(table[0], kind="stable")])
