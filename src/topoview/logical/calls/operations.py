"""Classes of MPI operations: which poll, receive, wait, reach memory, or stay local.

Names are as in `Regions.operations`, that is as in the C binding without ``MPI_``.
"""

import re
from typing import Final

import numpy as np

from topoview.base.resources import resource
from topoview.model import Bools, Collectives, Indices, Ints, Regions

_CLASSES: Final = {
    name: frozenset(operations.split())
    for name, operations in (
        entry.split(":")
        for entry in resource("mpi", "operations.txt").read_text("ascii").split("\n\n")
    )
}

LOCAL_OPERATIONS: Final = _CLASSES["local"]
"""Calls that do not communicate and never wait, and the program's begin and end: what
a logical trace does not hold.

Persistent requests communicate in Start, not when they are made.
"""

POLLING: Final = _CLASSES["polling"]
"""Calls repeated until something has happened: a run of one counts as one call.

How many a Waitsome completes, and so how many there are, is chance as well.
"""

RECEIVING: Final = _CLASSES["receiving"]
"""Calls whose receive may be missing from the trace though it took place."""

POINT_TO_POINT: Final = RECEIVING | _CLASSES["sending"]
"""Calls that carry a message, unless their partner is ``MPI_PROC_NULL``."""

ONE_SIDED: Final = _CLASSES["one-sided"]
"""Calls that reach another rank's memory."""

LOCKING: Final = _CLASSES["locking"]
"""Calls that concern one target's memory."""

SENDRECV = frozenset({"Sendrecv", "Sendrecv_replace", "Isendrecv", "Isendrecv_replace"})
"""Calls that send and receive at once."""

PLAIN_RECEIVES = frozenset({"Recv", "Irecv", "Mrecv", "Imrecv"})
"""Calls that receive just one message."""

POSTING: Final = _CLASSES["posting"]
"""Calls that open a request."""

TESTALL, WAITALL = frozenset({"Testall"}), frozenset({"Waitall"})
"""What polls for all requests, and what waits for them."""

WAITING = frozenset({"Wait"})
"""Calls that complete one request and are named by it."""

_SCATTERS = frozenset({"Scatter", "Iscatter", "Scatterv", "Iscatterv"})
_BROADCASTS = frozenset({"Bcast", "Ibcast"})

NO_DATA = re.compile(
    r"I?barrier|(Comm|Intercomm|Cart|Graph|Dist_graph|Win)_\w+"
    r"|File_(open|close|sync|preallocate|set_\w+)",
    re.IGNORECASE,
)
"""Collectives that carry no data, whatever the trace says of their bytes."""


def carries_no_data(regions: Regions) -> Bools:
    """Whether each operation carries no data: bool, shape (operations,)."""
    return np.array([bool(NO_DATA.fullmatch(n)) for n in regions.operations], bool)


def is_one_of(regions: Regions, names: frozenset[str]) -> Bools:
    """Whether each operation is one of these: bool, shape (operations + 1,).

    The last entry, for -1, is False.
    """
    return np.array([*(name in names for name in regions.operations), False], bool)


def sizes_of_parts(
    parts: Collectives,
    chosen: slice | Ints,
    regions: Regions,
    operation: Indices | Ints,
) -> Ints:
    """Compute the bytes of calls of collectives: int64, shape (n,).

    That is what a rank gives; of Scatter what it gets, of Bcast one or the other.

    Parameters
    ----------
    chosen
        Which parts.
    operation : int32, shape (n,)
        Operation of each.
    """
    sent, received = parts.sent[chosen], parts.received[chosen]
    given = np.where(is_one_of(regions, _SCATTERS)[operation], received, sent)
    either = np.maximum(sent, received)
    return np.where(is_one_of(regions, _BROADCASTS)[operation], either, given)
