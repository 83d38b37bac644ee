"""How a skeleton program makes each MPI call again, and which it cannot, and why."""

import numpy as np

from topoview.logical.listing import call_text
from topoview.model import Call, Trace
from topoview.skeleton.facts import CallFacts

OPERATIONS: dict[str, tuple[str, str]] = {
    "Send": ("send", "to size tag comm"),
    "Ssend": ("ssend", "to size tag comm"),
    "Bsend": ("bsend", "to size tag comm"),
    "Rsend": ("rsend", "to size tag comm"),
    "Recv": ("recv", "source source_size source_tag comm"),
    "Mrecv": ("recv", "source source_size source_tag comm"),
    "Isend": ("isend", "queue to size tag comm"),
    "Issend": ("issend", "queue to size tag comm"),
    "Ibsend": ("ibsend", "queue to size tag comm"),
    "Irsend": ("irsend", "queue to size tag comm"),
    "Irecv": ("irecv", "queue source source_size source_tag comm"),
    "Imrecv": ("irecv", "queue source source_size source_tag comm"),
    "Sendrecv": ("sendrecv", "to size tag source source_size source_tag comm"),
    "Sendrecv_replace": (
        "sendrecv_replace",
        "to size tag source source_size source_tag comm",
    ),
    "Start": ("start", "queue to source either_size either_tag comm"),
    "Startall": ("start", "queue to source either_size either_tag comm"),
    "Wait": ("wait_one", "queues"),
    "Waitall": ("wait_all", "queues"),
    "Waitany": ("wait_any", "queues"),
    "Waitsome": ("wait_some", "queues"),
    "Test": ("test_one", "until queues"),
    "Testall": ("test_all", "until queues"),
    "Testany": ("test_any", "until queues"),
    "Testsome": ("test_some", "until queues"),
    "Iprobe": ("iprobe", "until comm"),
    "Improbe": ("iprobe", "until comm"),
    "Probe": ("probe", "comm"),
    "Mprobe": ("probe", "comm"),
    "Barrier": ("barrier", "comm"),
    "Bcast": ("bcast", "size root comm"),
    "Reduce": ("reduce", "size root comm"),
    "Allreduce": ("allreduce", "size comm"),
    "Scan": ("scan", "size comm"),
    "Exscan": ("exscan", "size comm"),
    "Gather": ("gather_to", "size root comm"),
    "Gatherv": ("gatherv", "even_size root comm"),
    "Scatter": ("scatter", "size root comm"),
    "Scatterv": ("scatterv", "even_size root comm"),
    "Allgather": ("allgather", "size comm"),
    "Allgatherv": ("allgatherv", "even_size comm"),
    "Alltoall": ("alltoall", "size comm"),
    "Alltoallv": ("alltoallv", "even_size comm"),
    "Alltoallw": ("alltoallv", "even_size comm"),
    "Reduce_scatter": ("reduce_scatter", "even_size comm"),
    "Reduce_scatter_block": ("reduce_scatter_block", "size comm"),
    "Ibarrier": ("ibarrier", "queue comm"),
    "Ibcast": ("ibcast", "queue size root comm"),
    "Ireduce": ("ireduce", "queue size root comm"),
    "Iallreduce": ("iallreduce", "queue size comm"),
    "Iscan": ("iscan", "queue size comm"),
    "Iexscan": ("iexscan", "queue size comm"),
    "Igather": ("igather", "queue size root comm"),
    "Iscatter": ("iscatter", "queue size root comm"),
    "Iallgather": ("iallgather", "queue size comm"),
    "Ialltoall": ("ialltoall", "queue size comm"),
    "Igatherv": ("igatherv", "queue even_size root comm"),
    "Iscatterv": ("iscatterv", "queue even_size root comm"),
    "Iallgatherv": ("iallgatherv", "queue even_size comm"),
    "Ialltoallv": ("ialltoallv", "queue even_size comm"),
    "Ialltoallw": ("ialltoallv", "queue even_size comm"),
    "Ireduce_scatter": ("ireduce_scatter", "queue even_size comm"),
    "Ireduce_scatter_block": ("ireduce_scatter_block", "queue size comm"),
    "Win_allocate": ("win_allocate", "window room"),
    "Win_create": ("win_create", "window room"),
    "Win_free": ("win_free", "window"),
    "Win_fence": ("win_fence", "window"),
    "Win_start": ("win_start", "group window"),
    "Win_complete": ("win_complete", "window"),
    "Win_post": ("win_post", "group window"),
    "Win_wait": ("win_wait", "window"),
    "Win_lock_all": ("win_lock_all", "window"),
    "Win_unlock_all": ("win_unlock_all", "window"),
    "Win_flush_all": ("win_flush_all", "window"),
    "Win_flush_local_all": ("win_flush_local_all", "window"),
    "Win_sync": ("win_sync", "window"),
    "Win_lock": ("win_lock", "to window"),
    "Win_unlock": ("win_unlock", "to window"),
    "Win_flush": ("win_flush", "to window"),
    "Win_flush_local": ("win_flush_local", "to window"),
    "Put": ("put", "to size window"),
    "Get": ("get", "source source_size window"),
    "Accumulate": ("accumulate", "to size window"),
    "Get_accumulate": ("get_accumulate", "to either_size window"),
    "Fetch_and_op": ("fetch_and_op", "to either_size window"),
    "Compare_and_swap": ("compare_and_swap", "to either_size window"),
    "Rput": ("rput", "queue to size window"),
    "Raccumulate": ("raccumulate", "queue to size window"),
    "Rget_accumulate": ("rget_accumulate", "queue to either_size window"),
    "Rget": ("rget", "queue source source_size window"),
    "File_open": ("file_open", "file together"),
    "File_close": ("file_close", "file"),
    "File_sync": ("file_sync", "file"),
    "File_seek": ("file_seek", "file"),
    "File_set_view": ("file_set_view", "file"),
    "File_write": ("file_write", "size file"),
    "File_write_all": ("file_write_all", "size file"),
    "File_write_shared": ("file_write_shared", "size file"),
    "File_write_ordered": ("file_write_ordered", "size file"),
    "File_write_at": ("file_write_at", "size file"),
    "File_write_at_all": ("file_write_at_all", "size file"),
    "File_iwrite": ("file_iwrite", "queue size file"),
    "File_iwrite_shared": ("file_iwrite_shared", "queue size file"),
    "File_iwrite_at": ("file_iwrite_at", "queue size file"),
    "File_read": ("file_read", "size file"),
    "File_read_all": ("file_read_all", "size file"),
    "File_read_shared": ("file_read_shared", "size file"),
    "File_read_ordered": ("file_read_ordered", "size file"),
    "File_read_at": ("file_read_at", "size file"),
    "File_read_at_all": ("file_read_at_all", "size file"),
    "File_iread": ("file_iread", "queue size file"),
    "File_iread_shared": ("file_iread_shared", "queue size file"),
    "File_iread_at": ("file_iread_at", "queue size file"),
    "Neighbor_allgather": ("neighbor_allgather", "share around"),
    "Neighbor_alltoall": ("neighbor_alltoall", "share around"),
    "Neighbor_allgatherv": ("neighbor_allgatherv", "share around"),
    "Neighbor_alltoallv": ("neighbor_alltoallv", "share around"),
    "Neighbor_alltoallw": ("neighbor_alltoallv", "share around"),
    "Ineighbor_allgatherv": ("ineighbor_allgatherv", "queue share around"),
    "Ineighbor_alltoallv": ("ineighbor_alltoallv", "queue share around"),
    "Ineighbor_alltoallw": ("ineighbor_alltoallv", "queue share around"),
    "Ineighbor_allgather": ("ineighbor_allgather", "queue share around"),
    "Ineighbor_alltoall": ("ineighbor_alltoall", "queue share around"),
}
"""MPI operation to the runtime's function and what it is given, in order.

``either_size`` is what is sent, or else received; ``even_size`` is the mean over
ranks and turns, where each rank gives another size; ``queue`` holds the requests
that the statement opens, ``queues`` are those that it completes; ``until`` tells
whether a poll is repeated; ``window`` and ``file`` are numbers, ``room`` is the bytes
of a window, ``together`` whether all ranks open a file; ``share`` is what goes to one
neighbour, ``around`` the communicator of the lattice; ``group`` is whom a rank reaches,
or who reaches it.
"""

RUNTIME_PARTS = {"window": "windows", "file": "files", "around": "neighbours"}
"""Kind of argument to the part of the runtime that calls with such a one need."""

MAKING_COMMUNICATORS = frozenset(
    {
        "Comm_split",
        "Comm_dup",
        "Comm_idup",
        "Comm_create",
        "Comm_create_group",
        "Comm_dup_with_info",
        "Intercomm_merge",
        "Comm_split_type",
        "Cart_create",
        "Cart_sub",
        "Graph_create",
        "Dist_graph_create",
        "Dist_graph_create_adjacent",
    }
)
"""Operations that make a communicator."""


_PROCESSES = "the processes that it is about are not in the trace"
_OTHER_GROUP = "messages to the other group go over all ranks"

WHY_NOT_MADE = {
    **dict.fromkeys(
        (
            "Comm_spawn",
            "Comm_spawn_multiple",
            "Comm_get_parent",
            "Comm_accept",
            "Comm_connect",
            "Comm_disconnect",
            "Comm_join",
            "Open_port",
            "Close_port",
            "Publish_name",
            "Unpublish_name",
            "Lookup_name",
        ),
        _PROCESSES,
    ),
    "Intercomm_create": _OTHER_GROUP,
    "Intercomm_create_from_groups": _OTHER_GROUP,
}
"""Operations that are not made, and why not, where that is not plain."""

NO_LATTICE = "the topology is not a plain lattice"
OWN_GRAPH = "the neighbours in the graph that the program made are not in the trace"
BOTH_GROUPS = "collective operations between two groups are made by both as one"
NO_PARTNER = "without a partner in the trace"
NO_COMMUNICATOR = "its communicator is not in the trace"
NO_MESSAGE = "Start, not made again: no message is in the trace"
NOT_BY_ALL = "made before the program begins, as not all ranks call it"


def comment_text(call: Call) -> str:
    """Write a call as in the listing, for a comment: names are the program's own.

    A line in them would end a comment of Python, ``*/`` one of C.
    """
    return " ".join(call_text(call).split()).replace("*/", "* /")


def not_made_text(operation: str) -> str:
    """Explain that an operation is not made, and why not."""
    why = WHY_NOT_MADE.get(operation, "")
    if not why and operation.endswith("_init"):
        why = "the trace does not distinguish its requests from others"
    return f"{operation}, not made again" + (f": {why}" if why else "")


def wants_communicator(operation: str) -> bool:
    """Whether an operation is collective over a communicator that a call names."""
    kinds = OPERATIONS[operation][1].split()
    return (
        "comm" in kinds
        and not {"to", "source", "until"} & {*kinds}
        and (operation not in ("Probe", "Mprobe"))
    )


def has_own_graph(trace: Trace) -> bool:
    """Whether the program made a graph of neighbours, and no lattice."""
    made = set(trace.regions.operations)
    graphs = ("Graph_create", "Dist_graph_create", "Dist_graph_create_adjacent")
    return "Cart_create" not in made and not made.isdisjoint(graphs)


def is_of_all(facts: CallFacts, call: Call, ranks: int) -> bool:
    """Whether all ranks make the calls of a statement equally often."""
    begin, end = facts.begins[call.index : call.index + 2].tolist()
    often = np.bincount(facts.rank[begin:end], minlength=ranks)
    return bool((often == often[0]).all())
