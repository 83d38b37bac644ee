"""Classes of MPI operations: which poll, receive, wait, reach memory, or stay local.

Names are as in `Regions.operations`, that is as in the C binding without ``MPI_``.
"""

import re
from typing import Final

import numpy as np

from topoview.model import Bools, Regions

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

WAITING = frozenset({"Wait"})
"""Calls that complete one request and are named by it."""

RECEIVED_SIZE = frozenset(
    {"Bcast", "Ibcast", "Scatter", "Iscatter", "Scatterv", "Iscatterv"}
)
"""Collectives whose size is what a rank receives; that of others is what it sends."""

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


# MPI operations that a logical trace does not hold; names as in the C binding.

_LOCAL_NAMES: Final = """
    Init Init_thread Finalize Initialized Finalized Query_thread Is_thread_main
    Abort Pcontrol Wtime Wtick Get_version Get_library_version
    Get_processor_name Get_count Get_elements Get_address Get_elements_x
    Get_hw_resource_info Comm_rank Comm_size Comm_group Comm_compare
    Comm_test_inter Comm_remote_size Comm_get_name Comm_set_name Comm_get_attr
    Comm_set_attr Comm_create_keyval Comm_free_keyval Comm_set_errhandler
    Comm_get_errhandler Comm_call_errhandler Comm_get_parent Comm_remote_group
    Comm_get_info Comm_set_info Comm_delete_attr Comm_create_errhandler
    Group_incl Group_excl Group_range_incl Group_range_excl Group_union
    Group_intersection Group_difference Group_translate_ranks Group_compare
    Group_rank Group_size Group_free Group_from_session_pset Cart_coords
    Cart_rank Cart_shift Cart_get Cart_map Cartdim_get Dims_create Topo_test
    Graph_neighbors Graph_neighbors_count Graph_map Graph_get
    Dist_graph_neighbors Dist_graph_neighbors_count Address Status_set_elements
    Status_set_cancelled Status_set_elements_x Test_cancelled Type_contiguous
    Type_vector Type_hvector Type_create_hvector Type_indexed
    Type_create_indexed_block Type_create_hindexed Type_hindexed Type_struct
    Type_create_struct Type_create_subarray Type_create_darray
    Type_create_resized Type_dup Type_commit Type_free Type_size Type_get_extent
    Type_get_true_extent Type_extent Type_lb Type_ub Type_get_envelope
    Type_get_contents Type_set_name Type_create_hindexed_block Type_match_size
    Type_size_x Type_get_extent_x Type_get_true_extent_x Type_get_name
    Type_create_f90_integer Type_create_f90_real Type_create_f90_complex
    Type_create_keyval Type_free_keyval Type_get_attr Type_set_attr
    Type_delete_attr Pack Pack_size Pack_external Pack_external_size Unpack
    Unpack_external Op_create Op_free Op_commutative Reduce_local
    Errhandler_create Errhandler_set Errhandler_get Errhandler_free Error_string
    Error_class Add_error_class Add_error_code Add_error_string Info_create
    Info_set Info_get Info_free Info_dup Info_delete Info_get_nkeys
    Info_get_nthkey Info_get_valuelen Info_get_string Info_create_env Attr_get
    Attr_put Attr_delete Keyval_create Keyval_free Alloc_mem Free_mem
    Buffer_attach Buffer_detach Request_free Send_init Bsend_init Ssend_init
    Rsend_init Recv_init Psend_init Precv_init Win_get_attr Win_set_attr
    Win_get_group Win_get_name Win_set_name Win_set_errhandler Win_create_keyval
    Win_free_keyval Win_delete_attr Win_create_errhandler Win_get_errhandler
    Win_call_errhandler Win_get_info Win_shared_query File_get_amode
    File_get_atomicity File_get_byte_offset File_get_group File_get_info
    File_get_position File_get_size File_get_type_extent File_get_view
    File_set_errhandler File_create_errhandler File_get_errhandler
    File_call_errhandler T_init_thread T_finalize Session_init Session_finalize
    Session_get_num_psets Session_get_nth_pset Session_get_pset_info
    Session_get_info Graphdims_get Remove_error_class Remove_error_code
    Remove_error_string
"""

LOCAL_OPERATIONS: Final = frozenset(_LOCAL_NAMES.split())
"""Calls that do not communicate and never wait, and the program's begin and end.

Persistent requests communicate in Start, not when they are made.
"""
