"""All event records of a trace, derived from its tables."""

from topoview.io.writer_messages import collective_blocks, message_blocks
from topoview.io.writer_order import (
    call_blocks,
    call_order,
    measurement_blocks,
    region_blocks,
)
from topoview.io.writer_records import Records, in_order
from topoview.model import Trace


def records_of(trace: Trace) -> Records:
    """Derive the records of all locations, in the order in which they are written."""
    order = call_order(trace.calls)
    return in_order(
        [
            *region_blocks(trace.timeline, trace.regions),
            *measurement_blocks(trace.timeline),
            *call_blocks(trace.calls, order),
            *message_blocks(trace, order),
            *collective_blocks(trace, order),
        ],
        trace.timeline.rows,
    )
