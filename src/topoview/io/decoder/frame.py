"""What the decoder's kernels are told of a location, and keep between chunks.

One record of 64-bit fields, so that calling a kernel costs next to nothing: a
trace can have 100,000 locations. Columns are passed by their addresses; each has
a place that is written next and a limit behind it, which no kernel passes.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from topoview.io.decoder.paths import FIELDS as PATH_FIELDS

# How a kernel ended.
WHOLE: Final = 0
CUT: Final = 1
DAMAGED: Final = 2
GROW_STACK: Final = 3
GROW_REQUESTS: Final = 4
CHANGED: Final = 5
GROW_PATHS: Final = 6

# Places in the tally behind the 256 types of records.
CALLS: Final = 256
VALUES: Final = 257
ATTRIBUTED: Final = 258
EXTRA: Final = 259
TALLY: Final = 260
# What is told with a tally: messages before the part that is read.
EARLIER_SENDS: Final = 260
EARLIER_RECEIVES: Final = 261

_FIELDS: Final = (
    # The chunk in memory: its first record, its end, its byte order, and how
    # many events it is said to hold.
    "begin", "end", "swap", "announced",
    # How far it was read.
    "at", "events", "latest", "status", "now", "first", "tally",
    # Of the chunk behind, which is counted beside it: how far, and its end.
    "other_at", "other_end",
    # Intervals that its first and its last event can need beyond one an event of
    # those that change the state.
    "opening", "ending",
    # Regions by the location's identifiers: state, call and number in one word.
    "regions", "region_count", "direct", "direct_count", "identifiers", "packed",
    "identifier_count",
    "contexts", "context_count",
    # Mapping tables: for each kind address, entries and mode.
    "maps", "items",
    # Intervals of the clock's correction: begin, end, offset, slope.
    "clocks", "clock_count", "clock",
    # The location.
    "rank", "idle", "flat", "origin",
    # Regions that are open.
    "stack", "stack_size", "depth", "off", "open_level", "open_call",
    # Call paths, and how many of the open levels' are known.
    *PATH_FIELDS, "path_known",
    # Requests that are open: a table of keys and values.
    "keys", "values", "slots", "used",
    # Communicators.
    "comm_identifiers", "comm_numbers", "comm_count", "comm_begins", "comm_ranks",
    "comm_remote", "comm_known", "comm_number", "comm_begin", "comm_end",
    # Intervals.
    "time", "state", "region", "interval", "first_interval", "interval_limit",
    "shown",
    # Calls.
    "call_region", "enter", "leave", "completed", "call_path", "call_kept", "call",
    "first_call", "call_limit",
    # Sends.
    "sender", "receiver", "size", "tag", "communicator", "send_call",
    "receive_call", "completion_call", "send_time", "receive_time", "send",
    "send_limit",
    # Receives, in the order in which they were posted.
    "from_rank", "from_local", "from_communicator", "from_tag", "from_size",
    "from_call", "from_time", "from_post", "from_posted", "receive",
    "receive_limit",
    # Parts in collectives, in the order in which they were posted.
    "part_call", "part_communicator", "part_operation", "part_root", "part_sent",
    "part_received", "part", "part_limit",
    # Tables of further records, by type: times, fields, next place, limit.
    "further",
    # What did not fit.
    "unbalanced", "astray", "unknown_senders", "several", "spoilt",
)  # fmt: skip

FRAME: Final = np.dtype([(name, np.int64) for name in _FIELDS])

Frame = NDArray[np.void]
"""One element of `FRAME`."""


def make_frame() -> Frame:
    """Make a frame of zeros."""
    return np.zeros(1, FRAME)


def address(array: NDArray[np.generic]) -> int:
    """Address of an array's first element; the array must be kept alive."""
    return array.__array_interface__["data"][0]  # type: ignore[no-any-return]
