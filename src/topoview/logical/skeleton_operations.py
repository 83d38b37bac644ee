"""How a skeleton program makes each MPI call again."""

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
}
"""MPI operation to the runtime's function and what it is given, in order.

``either_size`` is what is sent, or else received; ``even_size`` is the mean over
ranks and turns, where each rank gives another size; ``queue`` holds the requests
that the statement opens, ``queues`` are those that it completes; ``until`` tells
whether a poll is repeated.
"""

MAKING = frozenset(
    {
        "Comm_split",
        "Comm_dup",
        "Comm_idup",
        "Comm_create",
        "Comm_create_group",
        "Comm_split_type",
        "Cart_create",
        "Cart_sub",
        "Graph_create",
        "Dist_graph_create",
        "Dist_graph_create_adjacent",
    }
)
"""Operations that make a communicator."""
