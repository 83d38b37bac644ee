"""States of regions by name and paradigm."""

# ruff: noqa: ANN001, ANN201 - plain numbers all

import pytest

from topoview.io.definitions.regions import (
    operation_name,
    operation_state,
    region_state,
)
from topoview.model import MPIState

USER, COMPILER, MPI = 1, 2, 4
FILE_IO = 27


@pytest.mark.parametrize(
    ("operation", "state"),
    [
        ("Send", MPIState.SEND),
        ("Isend", MPIState.SEND),
        ("Sendrecv", MPIState.SEND),
        ("Startall", MPIState.SEND),
        ("Recv", MPIState.RECEIVE),
        ("Irecv", MPIState.RECEIVE),
        ("Recv_init", MPIState.RECEIVE),
        ("Probe", MPIState.RECEIVE),
        ("Waitall", MPIState.WAIT),
        ("Testsome", MPIState.WAIT),
        ("Allreduce", MPIState.COLLECTIVE),
        ("Iallreduce", MPIState.COLLECTIVE),
        ("Allreduce_init", MPIState.COLLECTIVE),
        ("Ineighbor_alltoallw", MPIState.COLLECTIVE),
        ("Neighbor_allgather_init", MPIState.COLLECTIVE),
        ("Barrier", MPIState.BARRIER),
        ("Ibarrier", MPIState.BARRIER),
        ("Put", MPIState.ONE_SIDED),
        ("Win_fence", MPIState.ONE_SIDED),
        ("File_write_at_all", MPIState.IO),
        ("Init_thread", MPIState.SETUP),
        ("Finalize", MPIState.SETUP),
        ("Comm_split", MPIState.SETUP),
        ("Cart_create", MPIState.SETUP),
        ("Wtime", MPIState.SETUP),
    ],
)
def test_operations_in_every_spelling(operation, state):
    for name in (
        f"MPI_{operation}",
        f"PMPI_{operation}",
        f"mpi_{operation.lower()}_",
        f"mpi_{operation.lower()}__",
        f"MPI_{operation.upper()}",
        f"mpi_{operation.lower()}_f08_",
        f"MPI_{operation}_c",
    ):
        assert operation_name(name, USER) == operation, name
        assert region_state(name, 0, USER) is state, name


@pytest.mark.parametrize(
    ("name", "operation", "state"),
    [
        ("MPI_Wait()", "Wait", MPIState.WAIT),
        ("__mpi_f08_MOD_mpi_isend_f08", "Isend", MPIState.SEND),
        ("mpi_f08_mp_mpi_allreduce_", "Allreduce", MPIState.COLLECTIVE),
        ("mpi_f08::mpi_barrier_f08ts", "Barrier", MPIState.BARRIER),
        ("MPI::Comm::Send(void const*, int, int) const", "Send", MPIState.SEND),
        ("MPI::Intracomm::Allreduce", "Allreduce", MPIState.COLLECTIVE),
        ("MPI::Request::Waitall", "Waitall", MPIState.WAIT),
        ("MPI::Win::Fence", "Win_fence", MPIState.ONE_SIDED),
        ("MPI::Is_initialized", "Initialized", MPIState.SETUP),
        ("MPIX_Comm_agree", "Comm_agree", MPIState.COLLECTIVE),
        ("MPIX_Comm_shrink", "Comm_shrink", MPIState.SETUP),
        ("MPIX_Isend_enqueue", "Isend", MPIState.SEND),
        ("MPIX_Query_cuda_support", "Query_cuda_support", MPIState.SETUP),
    ],
)
def test_names_of_other_bindings(name, operation, state):
    assert operation_name(name, USER) == operation
    assert region_state(name, 0, USER) is state


@pytest.mark.parametrize(
    ("name", "operation", "state"),
    [
        ("MPI_Comm_c2f", "Comm_c2f", MPIState.SETUP),
        ("MPI_Win_c2f", "Win_c2f", MPIState.ONE_SIDED),
        ("MPI_File_f2c", "File_f2c", MPIState.IO),
    ],
)
def test_calls_that_no_list_names(name, operation, state):
    assert operation_name(name, MPI) == operation
    assert operation_state(operation) is state


@pytest.mark.parametrize(
    "name", ["solve", "mpi_solve_", "MPI", "pmpi", "Working", "prompi_send", "main"]
)
def test_what_is_no_call_computes(name):
    assert operation_name(name, COMPILER) == ""
    assert region_state(name, 0, COMPILER) is MPIState.COMPUTE


def test_input_and_output():
    assert region_state("write", FILE_IO, 0) is MPIState.IO
    assert region_state("fopen", 1, USER) is MPIState.IO
    assert region_state("read", 1, COMPILER) is MPIState.COMPUTE


def test_where_measurement_pauses():
    assert region_state("MEASUREMENT OFF", 31, USER) is MPIState.OUTSIDE
    assert region_state("TRACE BUFFER FLUSH", 31, 6) is MPIState.MEASUREMENT
