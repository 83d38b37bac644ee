"""Programs that put instead of sending: the messages of a trace as RMA records."""

from dataclasses import fields, replace

import numpy as np

from topoview.model import EventRecords, Trace

FIELDS = ("window", "remote", "bytes", "matching")


def with_puts(trace: Trace, *, messages: bool = False) -> Trace:
    """Record each message of a trace as a put of its sender in the same call.

    Parameters
    ----------
    messages
        Whether the messages stay as well.
    """
    known = trace.messages
    order = np.lexsort((known.send_time, known.sender))
    counts = np.bincount(known.sender, minlength=len(trace.locations))
    columns = (np.full(len(order), 7), known.receiver[order], known.size[order])
    values = np.stack([*columns, np.zeros(len(order))], axis=1).astype(np.int64)
    offsets = np.append(0, np.cumsum(counts)).astype(np.int64)
    puts = EventRecords("RmaPut", FIELDS, offsets, known.send_time[order], values)
    # other objects, or what is known of the trace's calls would be taken for it
    calls = replace(trace.calls)
    made = replace(trace, calls=calls, further=(*trace.further, puts))
    if messages:
        return made
    none = {part.name: getattr(known, part.name)[:0] for part in fields(known)}
    return replace(made, messages=replace(known, **none))
