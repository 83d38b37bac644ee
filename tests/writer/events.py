"""All event records of a trace, derived from its tables."""

import numpy as np

from topoview.model import Trace
from writer.messages import collective_blocks, message_blocks
from writer.order import call_blocks, call_order, measurement_blocks
from writer.records import Block, Kind, Records, Turn, block, in_order
from writer.regions import region_blocks


def records_of(trace: Trace) -> Records:
    """Derive the records of all locations, in the order in which they are written."""
    order = call_order(trace.calls)
    blocks = [
        *region_blocks(trace),
        *measurement_blocks(trace.timeline),
        *call_blocks(trace.calls, order),
        *message_blocks(trace, order),
        *collective_blocks(trace, order),
    ]
    blocks += _program_blocks(blocks, trace.clock.length)
    return in_order(blocks, trace.timeline.rows)


def _program_blocks(blocks: list[Block], length: int) -> list[Block]:
    """List the records of the program's begin and end.

    They hold the trace's beginning and end where nothing else is recorded then.
    Their name is string 0 of the definitions.
    """
    times = np.concatenate([b.time for b in blocks])
    row = np.zeros(1, np.int64)
    found = []
    if length and times.min(initial=length) > 0:
        found.append(block(Kind.PROGRAM_BEGIN, Turn.PROGRAM_BEGIN, (row, row)))
    if times.max(initial=0) < length:
        at = (row, np.full(1, length, np.int64))
        found.append(block(Kind.PROGRAM_END, Turn.PROGRAM_END, at))
    return found
