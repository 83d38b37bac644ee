"""What the MPI operations are to a logical trace; names as in `Regions.operations`."""

import numpy as np

from topoview.model import Bools, Regions

LEFT_OUT = frozenset(
    {
        "Init",
        "Init_thread",
        "Finalize",
        "Initialized",
        "Finalized",
        "Query_thread",
        "Is_thread_main",
        "Abort",
        "Pcontrol",
        "Wtime",
        "Wtick",
        "Get_version",
        "Get_library_version",
        "Get_processor_name",
        "Comm_rank",
        "Comm_size",
        "Comm_group",
        "Comm_compare",
        "Comm_test_inter",
        "Comm_remote_size",
        "Comm_get_name",
        "Comm_set_name",
        "Comm_get_attr",
        "Comm_set_attr",
        "Comm_create_keyval",
        "Comm_free_keyval",
        "Comm_set_errhandler",
        "Comm_get_errhandler",
        "Comm_call_errhandler",
        "Group_incl",
        "Group_excl",
        "Group_range_incl",
        "Group_range_excl",
        "Group_union",
        "Group_intersection",
        "Group_difference",
        "Group_translate_ranks",
        "Group_compare",
        "Group_rank",
        "Group_size",
        "Group_free",
        "Cart_coords",
        "Cart_rank",
        "Cart_shift",
        "Cart_get",
        "Cartdim_get",
        "Dims_create",
        "Topo_test",
        "Graph_neighbors",
        "Graph_neighbors_count",
        "Dist_graph_neighbors",
        "Dist_graph_neighbors_count",
        "Get_count",
        "Get_elements",
        "Get_address",
        "Address",
        "Status_set_elements",
        "Status_set_cancelled",
        "Test_cancelled",
        "Type_contiguous",
        "Type_vector",
        "Type_hvector",
        "Type_create_hvector",
        "Type_indexed",
        "Type_create_indexed_block",
        "Type_create_hindexed",
        "Type_hindexed",
        "Type_struct",
        "Type_create_struct",
        "Type_create_subarray",
        "Type_create_darray",
        "Type_create_resized",
        "Type_dup",
        "Type_commit",
        "Type_free",
        "Type_size",
        "Type_get_extent",
        "Type_get_true_extent",
        "Type_extent",
        "Type_lb",
        "Type_ub",
        "Type_get_envelope",
        "Type_get_contents",
        "Type_set_name",
        "Pack",
        "Unpack",
        "Pack_size",
        "Pack_external",
        "Unpack_external",
        "Pack_external_size",
        "Op_create",
        "Op_free",
        "Op_commutative",
        "Reduce_local",
        "Errhandler_create",
        "Errhandler_set",
        "Errhandler_get",
        "Errhandler_free",
        "Error_string",
        "Error_class",
        "Add_error_class",
        "Add_error_code",
        "Add_error_string",
        "Info_create",
        "Info_set",
        "Info_get",
        "Info_free",
        "Info_dup",
        "Info_delete",
        "Attr_get",
        "Attr_put",
        "Attr_delete",
        "Keyval_create",
        "Keyval_free",
        "Alloc_mem",
        "Free_mem",
        "Buffer_attach",
        "Buffer_detach",
        "Request_free",
        "Send_init",
        "Bsend_init",
        "Ssend_init",
        "Rsend_init",
        "Recv_init",
        "Psend_init",
        "Precv_init",
        "Win_get_attr",
        "Win_set_attr",
        "Win_get_group",
        "Win_get_name",
        "Win_set_name",
        "Win_set_errhandler",
        "File_get_amode",
        "File_get_atomicity",
        "File_get_byte_offset",
        "File_get_group",
        "File_get_info",
        "File_get_position",
        "File_get_size",
        "File_get_type_extent",
        "File_get_view",
        "File_set_errhandler",
        "T_init_thread",
        "T_finalize",
    }
)
"""Calls that do not communicate and never wait, and the program's begin and end.

Persistent requests communicate in Start, not when they are made.
"""

POLLING = frozenset(
    {
        "Test",
        "Testall",
        "Testany",
        "Testsome",
        "Waitsome",
        "Iprobe",
        "Improbe",
        "Request_get_status",
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
        "Rput",
        "Rget",
        "Raccumulate",
        "Rget_accumulate",
    }
)
"""Calls that open a request."""

WAITING = frozenset({"Wait"})
"""Calls that complete one request and are named by it."""

RECEIVED_SIZE = frozenset(
    {"Bcast", "Ibcast", "Scatter", "Iscatter", "Scatterv", "Iscatterv"}
)
"""Collectives whose size is what a rank receives; that of others is what it sends."""

SIZELESS = frozenset({"Barrier", "Ibarrier", "Comm_split", "Comm_dup", "Cart_create"})
"""Collectives that carry no data."""


def among(regions: Regions, names: frozenset[str]) -> Bools:
    """Whether each operation is one of these: bool, shape (operations + 1,).

    The last entry, for -1, is False.
    """
    return np.array([*(name in names for name in regions.operations), False], bool)
