"""Classes of MPI operations: which poll, receive, wait, reach memory, or stay local.

Names are as in `Regions.operations`, that is as in the C binding without ``MPI_``.
"""

import re
from typing import Final

import numpy as np

from topoview.base.resources import resource
from topoview.model import Bools, Collectives, Indices, Ints, Regions

POLLING = frozenset(
    {
        "Test",
        "Testall",
        "Testany",
        "Testsome",
        "Waitsome",
        "Iprobe",
        "Improbe",
        "Parrived",
        "Request_get_status",
        "Request_get_status_all",
        "Request_get_status_any",
        "Request_get_status_some",
        "Win_test",
    }
)
"""Calls repeated until something has happened: a run of one counts as one call.

How many a Waitsome completes, and so how many there are, is chance as well.
"""

RECEIVING = frozenset(
    {
        "Recv",
        "Irecv",
        "Mrecv",
        "Imrecv",
        "Sendrecv",
        "Sendrecv_replace",
        "Start",
        "Startall",
    }
)
"""Calls whose receive may be missing from the trace though it took place."""

POINT_TO_POINT = RECEIVING | frozenset(
    {"Send", "Isend", "Bsend", "Ibsend", "Ssend", "Issend", "Rsend", "Irsend"}
)
"""Calls that carry a message, unless their partner is ``MPI_PROC_NULL``."""

ONE_SIDED = frozenset(
    {
        "Put",
        "Get",
        "Accumulate",
        "Get_accumulate",
        "Fetch_and_op",
        "Compare_and_swap",
        "Rput",
        "Rget",
        "Raccumulate",
        "Rget_accumulate",
    }
)
"""Calls that reach another rank's memory."""

LOCKING = frozenset(
    {"Win_lock", "Win_unlock", "Win_flush", "Win_flush_local", "Win_sync"}
)
"""Calls that concern one target's memory."""

SENDRECV = frozenset({"Sendrecv", "Sendrecv_replace", "Isendrecv", "Isendrecv_replace"})
"""Calls that send and receive at once."""

PLAIN_RECEIVES = frozenset({"Recv", "Irecv", "Mrecv", "Imrecv"})
"""Calls that receive just one message."""

POSTING = frozenset(
    {
        "Irecv",
        "Imrecv",
        "Isend",
        "Ibsend",
        "Issend",
        "Irsend",
        "Isendrecv",
        "Isendrecv_replace",
        "Start",
        "Ibarrier",
        "Ibcast",
        "Igather",
        "Igatherv",
        "Iscatter",
        "Iscatterv",
        "Iallgather",
        "Iallgatherv",
        "Ialltoall",
        "Ialltoallv",
        "Ialltoallw",
        "Ireduce",
        "Iallreduce",
        "Ireduce_scatter",
        "Ireduce_scatter_block",
        "Iscan",
        "Iexscan",
        "Ineighbor_allgather",
        "Ineighbor_allgatherv",
        "Ineighbor_alltoall",
        "Ineighbor_alltoallv",
        "Ineighbor_alltoallw",
        "File_iread",
        "File_iread_all",
        "File_iread_at",
        "File_iread_at_all",
        "File_iread_shared",
        "File_iwrite",
        "File_iwrite_all",
        "File_iwrite_at",
        "File_iwrite_at_all",
        "File_iwrite_shared",
        "Comm_idup",
        "Comm_idup_with_info",
        "Grequest_start",
        "Rput",
        "Rget",
        "Raccumulate",
        "Rget_accumulate",
    }
)
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


LOCAL_OPERATIONS: Final = frozenset(
    resource("mpi", "local_operations.txt").read_text("ascii").split()
)
"""Calls that do not communicate and never wait, and the program's begin and end: what
a logical trace does not hold.

Persistent requests communicate in Start, not when they are made.
"""
