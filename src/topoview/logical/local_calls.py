"""MPI operations that a logical trace does not hold; names as in the C binding."""

from typing import Final

_NAMES: Final = """
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

LEFT_OUT: Final = frozenset(_NAMES.split())
"""Calls that do not communicate and never wait, and the program's begin and end.

Persistent requests communicate in Start, not when they are made.
"""
