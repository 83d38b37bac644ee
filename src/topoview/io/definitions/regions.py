"""Code regions: numbered densely, classified as MPI operations and states.

A region is recognised as an MPI operation by its name, since EZTrace does not say so
otherwise. `RegionLookup` leads from the identifiers in event records to regions.
"""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.io.definitions.interfaces import interface_state
from topoview.io.definitions.records import Definitions
from topoview.model import Bytes, Indices, Regions, SourceLines, TimeState

Identifiers = NDArray[np.uint32]


class RegionLookup(NamedTuple):
    """What identifiers in events mean."""

    identifiers: Identifiers
    """uint32, sorted: identifiers of the regions."""
    dense: Indices
    """int32: region of each."""
    direct: Indices
    """int32: region by identifier, -1 if there is none; empty if they are too far apart
    for a table."""
    contexts: Indices
    """int32: region of each calling context."""
    state: Bytes
    """uint8: state of each region."""
    operation: Indices
    """int32: MPI operation of each region, -1 if it is none."""


# Which state a code region is, by its name and paradigm.
#
# Names of MPI calls are those of the MPI 4.1 standard (Message Passing Interface
# Forum, 2023), deprecated ones of MPI 1 included. A region is an MPI call if its name
# is that of one, in the spelling of C or Fortran, with or without the P of the
# profiling interface; its paradigm need not be MPI, because EZTrace calls all regions
# USER.

# Codes of OTF2_Paradigm and OTF2_RegionRole.
_USER: Final = 1
_MPI: Final = 4
_IO_ROLES: Final = frozenset({27, 38})

_UNMEASURED: Final = "MEASUREMENT OFF"
"""Region in which Score-P does not measure."""

# EZTrace tells I/O by names only.
_POSIX_IO: Final = frozenset(
    {
        "open", "creat", "close", "read", "write", "pread", "pwrite", "readv",
        "writev", "lseek", "fsync", "fdatasync", "fopen", "fdopen", "freopen",
        "fclose", "fread", "fwrite", "fseek", "fflush",
    }
)  # fmt: skip

_STATES_BY_PREFIX: Final = {"Win": TimeState.ONE_SIDED, "File": TimeState.IO}

_OPERATIONS_BY_STATE: Final = {
    TimeState.SEND: """
        Send Bsend Ssend Rsend Isend Ibsend Issend Irsend
        Send_init Bsend_init Ssend_init Rsend_init Psend_init
        Pready Pready_list Pready_range
        Sendrecv Sendrecv_replace Isendrecv Isendrecv_replace
        Start Startall""",
    TimeState.RECEIVE: """
        Recv Irecv Recv_init Precv_init Mrecv Imrecv Parrived
        Probe Iprobe Mprobe Improbe""",
    TimeState.WAIT: """
        Wait Waitall Waitany Waitsome Test Testall Testany Testsome
        Request_get_status Request_get_status_all Request_get_status_any
        Request_get_status_some""",
    TimeState.COLLECTIVE: """
        Bcast Gather Gatherv Scatter Scatterv Allgather Allgatherv
        Alltoall Alltoallv Alltoallw Reduce Allreduce Reduce_scatter
        Reduce_scatter_block Scan Exscan Comm_agree Comm_iagree
        Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall
        Neighbor_alltoallv Neighbor_alltoallw""",
    TimeState.BARRIER: "Barrier",
    TimeState.ONE_SIDED: """
        Put Get Accumulate Get_accumulate Fetch_and_op Compare_and_swap
        Rput Rget Raccumulate Rget_accumulate
        Win_create Win_allocate Win_allocate_shared Win_create_dynamic Win_free
        Win_attach Win_detach Win_shared_query Win_fence Win_start Win_complete
        Win_post Win_wait Win_test Win_lock Win_lock_all Win_unlock
        Win_unlock_all Win_flush Win_flush_all Win_flush_local
        Win_flush_local_all Win_sync Win_get_group Win_set_name Win_get_name
        Win_set_attr Win_get_attr Win_delete_attr Win_create_keyval
        Win_free_keyval Win_set_errhandler Win_get_errhandler
        Win_create_errhandler Win_call_errhandler Win_set_info Win_get_info""",
    TimeState.IO: """
        File_open File_close File_delete File_set_size File_preallocate
        File_get_size File_get_group File_get_amode File_set_info File_get_info
        File_set_view File_get_view File_seek File_seek_shared
        File_get_position File_get_position_shared File_get_byte_offset
        File_get_type_extent File_set_atomicity File_get_atomicity File_sync
        File_set_errhandler File_get_errhandler File_create_errhandler
        File_call_errhandler Register_datarep
        File_read File_read_all File_read_at File_read_at_all File_read_shared
        File_read_ordered File_read_all_begin File_read_all_end
        File_read_at_all_begin File_read_at_all_end File_read_ordered_begin
        File_read_ordered_end File_iread File_iread_all File_iread_at
        File_iread_at_all File_iread_shared
        File_write File_write_all File_write_at File_write_at_all
        File_write_shared File_write_ordered File_write_all_begin
        File_write_all_end File_write_at_all_begin File_write_at_all_end
        File_write_ordered_begin File_write_ordered_end File_iwrite
        File_iwrite_all File_iwrite_at File_iwrite_at_all File_iwrite_shared""",
    TimeState.SETUP: """
        Init Init_thread Finalize Abort Initialized Finalized Query_thread
        Is_thread_main Session_init Session_finalize Session_get_info
        Session_get_num_psets Session_get_nth_pset Session_get_pset_info
        Session_create_errhandler Session_set_errhandler Session_get_errhandler
        Session_call_errhandler Session_attach_buffer Session_detach_buffer
        Session_flush_buffer Session_iflush_buffer
        Comm_rank Comm_size Comm_compare Comm_dup Comm_dup_with_info Comm_idup
        Comm_idup_with_info Comm_create Comm_create_group Comm_create_from_group
        Comm_split Comm_split_type Comm_free Comm_group Comm_remote_group
        Comm_remote_size Comm_test_inter Comm_set_name Comm_get_name
        Comm_set_info Comm_get_info Comm_set_attr Comm_get_attr
        Comm_delete_attr Comm_create_keyval Comm_free_keyval
        Comm_set_errhandler Comm_get_errhandler Comm_create_errhandler
        Comm_call_errhandler Comm_accept Comm_connect Comm_disconnect
        Comm_get_parent Comm_join Comm_spawn Comm_spawn_multiple
        Comm_attach_buffer Comm_detach_buffer Comm_flush_buffer
        Comm_iflush_buffer
        Intercomm_create Intercomm_create_from_groups Intercomm_merge
        Cart_create Cart_coords Cart_get Cart_map Cart_rank Cart_shift Cart_sub
        Cartdim_get Dims_create Graph_create Graph_get Graph_map
        Graph_neighbors Graph_neighbors_count Graphdims_get Topo_test
        Dist_graph_create Dist_graph_create_adjacent Dist_graph_neighbors
        Dist_graph_neighbors_count
        Group_compare Group_difference Group_excl Group_free
        Group_from_session_pset Group_incl Group_intersection Group_range_excl
        Group_range_incl Group_rank Group_size Group_translate_ranks Group_union
        Type_commit Type_contiguous Type_create_darray
        Type_create_f90_complex Type_create_f90_integer Type_create_f90_real
        Type_create_hindexed Type_create_hindexed_block Type_create_hvector
        Type_create_indexed_block Type_create_keyval Type_create_resized
        Type_create_struct Type_create_subarray Type_delete_attr Type_dup
        Type_extent Type_free Type_free_keyval Type_get_attr Type_get_contents
        Type_get_envelope Type_get_extent Type_get_extent_x Type_get_name
        Type_get_true_extent Type_get_true_extent_x Type_get_value_index
        Type_hindexed Type_hvector Type_indexed Type_lb Type_match_size
        Type_set_attr Type_set_name Type_size Type_size_x Type_struct Type_ub
        Type_vector Pack Pack_size Pack_external Pack_external_size Unpack
        Unpack_external
        Op_create Op_free Op_commutative Reduce_local
        Address Get_address Aint_add Aint_diff Alloc_mem Free_mem
        Attr_delete Attr_get Attr_put Keyval_create Keyval_free
        Buffer_attach Buffer_detach Buffer_flush Buffer_iflush
        Errhandler_create Errhandler_free Errhandler_get Errhandler_set
        Error_class Error_string Add_error_class Add_error_code
        Add_error_string Remove_error_class Remove_error_code
        Remove_error_string
        Info_create Info_create_env Info_delete Info_dup Info_free Info_get
        Info_get_nkeys Info_get_nthkey Info_get_string Info_get_valuelen
        Info_set
        Get_count Get_elements Get_elements_x Get_processor_name
        Get_hw_resource_info Get_version Get_library_version Status_c2f
        Status_f2c Status_c2f08 Status_f082c Status_f2f08 Status_f082f
        Status_set_cancelled Status_set_elements Status_set_elements_x
        Status_get_source Status_get_tag Status_get_error Status_set_source
        Status_set_tag Status_set_error
        Request_free Cancel Test_cancelled Grequest_start Grequest_complete
        Pcontrol Wtime Wtick
        Lookup_name Publish_name Unpublish_name Open_port Close_port""",
}  # fmt: skip


def _make_operation_table() -> dict[str, tuple[TimeState, str]]:
    """Name in lower case, without prefix, to state and name in C."""
    table = {
        name.lower(): (state, name)
        for state, names in _OPERATIONS_BY_STATE.items()
        for name in names.split()
    }
    # Non-blocking and persistent forms are as many again. An I-collective only
    # begins the operation; the wait shows where the time goes.
    for kind in (TimeState.COLLECTIVE, TimeState.BARRIER):
        for name in _OPERATIONS_BY_STATE[kind].split():
            table[f"i{name.lower()}"] = (kind, f"I{name.lower()}")
            table[f"{name.lower()}_init"] = (kind, f"{name}_init")
    return table


_OPERATIONS: Final = _make_operation_table()


def operation_name(region: str, paradigm: int = 0) -> str:
    """Name of the MPI operation that a region is, empty if it is none.

    Parameters
    ----------
    region
        Name in the trace.
    paradigm
        OTF2_Paradigm: what it says is MPI is an operation even if no list
        names it.

    Examples
    --------
    >>> operation_name("MPI_Isend"), operation_name("mpi_isend_")
    ('Isend', 'Isend')
    >>> operation_name("PMPI_COMM_SPLIT"), operation_name("mpi_solve_")
    ('Comm_split', '')
    >>> operation_name("mpi_send_f08ts_"), operation_name("MPI::File::Write_all")
    ('Send', 'File_write_all')
    >>> operation_name("MPI_Wait()"), operation_name("__mpi_f08_MOD_mpi_wait")
    ('Wait', 'Wait')
    """
    name = _MODULE.sub("", region.lower().partition("(")[0].strip().rstrip("_"))
    name = name.removeprefix("p")
    if name.startswith("mpi::"):
        name = _name_of_method(name)
    elif name.startswith(("mpi_", "mpix_")):
        name = name.partition("_")[2]
        for suffix in ("_f08", "_f08ts", "_c", "_enqueue"):
            name = name.removesuffix(suffix)
    else:
        return ""
    entry = _OPERATIONS.get(name)
    if entry:
        return entry[1]
    is_extension = region.removeprefix("P").startswith("MPIX_")
    return name.capitalize() if paradigm == _MPI or is_extension else ""


_MODULE: Final = re.compile(r"^_*mpi(_f08)?(_mod_|_mp_|::|\.)(?=p?mpi_)")
"""What compilers of Fortran put before the names of a module's procedures."""

_CLASSES: Final = {
    "intracomm": "comm",
    "intercomm": "comm",
    "cartcomm": "cart",
    "graphcomm": "graph",
    "datatype": "type",
}
"""Classes of the C++ binding of MPI 2.2 whose names differ from the C functions'."""

_METHODS: Final = {
    "comm_get_rank": "comm_rank",
    "comm_get_size": "comm_size",
    "comm_clone": "comm_dup",
    "comm_create_cart": "cart_create",
    "comm_create_graph": "graph_create",
    "comm_is_inter": "comm_test_inter",
    "comm_merge": "intercomm_merge",
    "group_get_rank": "group_rank",
    "group_get_size": "group_size",
    "is_finalized": "finalized",
    "is_initialized": "initialized",
    "type_get_size": "type_size",
}


def _name_of_method(name: str) -> str:
    """Name the C function of a method, both in lower case and without prefix."""
    owner, _, method = name.removeprefix("mpi::").rpartition("::")
    owner = _CLASSES.get(owner.rpartition("::")[2], owner.rpartition("::")[2])
    full = f"{owner}_{method}" if owner else method
    full = _METHODS.get(full, full)
    return full if full in _OPERATIONS or method not in _OPERATIONS else method


def operation_state(operation: str) -> TimeState:
    """State of a rank that is in an MPI operation."""
    entry = _OPERATIONS.get(operation.lower())
    if entry:
        return entry[0]
    family = operation.split("_", 1)[0]
    return _STATES_BY_PREFIX.get(family, TimeState.SETUP)


def region_state(region: str, role: int = 0, paradigm: int = 0) -> TimeState:
    """State of a location whose innermost region this is.

    Parameters
    ----------
    region
        Name in the trace.
    role
        OTF2_RegionRole.
    paradigm
        OTF2_Paradigm.
    """
    operation = operation_name(region, paradigm)
    if operation:
        return operation_state(operation)
    if role in _IO_ROLES or (paradigm == _USER and region in _POSIX_IO):
        return TimeState.IO
    if region == _UNMEASURED:
        return TimeState.OUTSIDE
    state = interface_state(region, role, paradigm)
    return TimeState.COMPUTE if state is None else state


_MAX_TABLE_PER_REGION: Final = 4
_MIN_TABLE_SIZE: Final = 1 << 16
_MAX_LINE: Final = 1 << 30


def find_regions(definitions: Definitions) -> tuple[Regions, RegionLookup]:
    """Find the regions, number them densely, and classify them.

    Definitions that differ in nothing but their identifier are one region:
    EZTrace defines every region once for each rank.
    """
    numbers: dict[tuple[str, int, int, int, int, int], int] = {}
    dense: dict[int, int] = {}
    for ref, record in definitions.regions.items():
        key = (definitions.string(record.name), *record[1:])
        dense[ref] = numbers.setdefault(key, len(numbers))
    operations: dict[str, int] = {}
    state = np.zeros(len(numbers), np.uint8)
    operation = np.full(len(numbers), -1, np.int32)
    for (name, role, paradigm, *_), number in numbers.items():
        state[number] = region_state(name, role, paradigm)
        called = operation_name(name, paradigm)
        if called:
            operation[number] = operations.setdefault(called, len(operations))
    files = tuple(definitions.string(key[3]) for key in numbers)
    lines = np.array([key[4:] for key in numbers], np.int64).reshape(-1, 2)
    has_files = any(files)
    regions = Regions(
        names=tuple(key[0] for key in numbers),
        state=state,
        operation=operation,
        operations=tuple(operations),
        files=files if has_files else (),
        lines=np.where(lines <= _MAX_LINE, lines, 0).astype(np.int32)[
            : len(files) * has_files
        ],
    )
    contexts = {
        ref: dense.get(context.region, -1)
        for ref, context in definitions.contexts.items()
    }
    return regions, _region_lookup(dense, contexts, regions)


def _region_lookup(
    dense: dict[int, int], contexts: dict[int, int], regions: Regions
) -> RegionLookup:
    identifiers = np.array(sorted(dense), np.uint32)
    numbers = np.array([dense[i] for i in identifiers.tolist()], np.int32)
    direct = np.zeros(0, np.int32)
    if len(dense) and max(dense) < _MIN_TABLE_SIZE + _MAX_TABLE_PER_REGION * len(dense):
        direct = np.full(max(dense) + 1, -1, np.int32)
        direct[identifiers] = numbers
    of_context = np.zeros(0, np.int32)
    if contexts and max(contexts) < _MIN_TABLE_SIZE + _MAX_TABLE_PER_REGION * len(
        contexts
    ):
        of_context = np.full(max(contexts) + 1, -1, np.int32)
        of_context[list(contexts)] = list(contexts.values())
    return RegionLookup(
        identifiers=identifiers,
        dense=numbers,
        direct=direct,
        contexts=of_context,
        state=regions.state,
        operation=regions.operation,
    )


def find_source_lines(definitions: Definitions, meaning: RegionLookup) -> SourceLines:
    """Collect lines, calling contexts and call sites; regions become numbers."""
    further, text = definitions.further, definitions.string
    lines = {ref: f"{text(file)}:{line}" for ref, (file, line) in further.lines.items()}
    identifiers = sorted(lines)
    place_of = {ref: index for index, ref in enumerate(identifiers)}
    places = [lines[ref] for ref in identifiers]
    contexts = sorted(definitions.contexts)
    index_of = {ref: index for index, ref in enumerate(contexts)}
    records = [definitions.contexts[ref] for ref in contexts]
    identified = zip(meaning.identifiers.tolist(), meaning.dense.tolist(), strict=True)
    region = dict(identified)
    numbers = {line: index for index, line in enumerate(places)}
    site_place: list[int] = []
    for site in further.sites:
        line = f"{text(site.file)}:{site.line}"
        if line not in numbers:
            numbers[line] = len(places)
            places.append(line)
        site_place.append(numbers[line])
    return SourceLines(
        places=tuple(places),
        place_identifiers=np.array(identifiers, np.int64),
        contexts=np.array(contexts, np.int64),
        context_region=_indices(region.get(record.region, -1) for record in records),
        context_parent=_indices(index_of.get(record.parent, -1) for record in records),
        context_place=_indices(place_of.get(record.line, -1) for record in records),
        site_entered=_indices(region.get(site.entered, -1) for site in further.sites),
        site_left=_indices(region.get(site.left, -1) for site in further.sites),
        site_place=_indices(site_place),
    )


def _indices(numbers: Iterable[int]) -> Indices:
    return np.fromiter(numbers, np.int32)
