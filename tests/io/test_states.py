"""States of regions by name and paradigm."""

# ruff: noqa: ANN001, ANN201 - plain numbers all

import pytest

from topoview.io.definitions.regions import (
    operation_name,
    operation_state,
    region_state,
)
from topoview.model import TimeState

USER, COMPILER, MPI = 1, 2, 4
FILE_IO = 27


@pytest.mark.parametrize(
    ("operation", "state"),
    [
        ("Send", TimeState.SEND),
        ("Isend", TimeState.SEND),
        ("Sendrecv", TimeState.SEND),
        ("Startall", TimeState.SEND),
        ("Recv", TimeState.RECEIVE),
        ("Irecv", TimeState.RECEIVE),
        ("Recv_init", TimeState.RECEIVE),
        ("Probe", TimeState.RECEIVE),
        ("Waitall", TimeState.WAIT),
        ("Testsome", TimeState.WAIT),
        ("Allreduce", TimeState.COLLECTIVE),
        ("Iallreduce", TimeState.COLLECTIVE),
        ("Allreduce_init", TimeState.COLLECTIVE),
        ("Ineighbor_alltoallw", TimeState.COLLECTIVE),
        ("Neighbor_allgather_init", TimeState.COLLECTIVE),
        ("Barrier", TimeState.BARRIER),
        ("Ibarrier", TimeState.BARRIER),
        ("Put", TimeState.ONE_SIDED),
        ("Win_fence", TimeState.ONE_SIDED),
        ("File_write_at_all", TimeState.IO),
        ("Init_thread", TimeState.SETUP),
        ("Finalize", TimeState.SETUP),
        ("Comm_split", TimeState.SETUP),
        ("Cart_create", TimeState.SETUP),
        ("Wtime", TimeState.SETUP),
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
        ("MPI_Wait()", "Wait", TimeState.WAIT),
        ("__mpi_f08_MOD_mpi_isend_f08", "Isend", TimeState.SEND),
        ("mpi_f08_mp_mpi_allreduce_", "Allreduce", TimeState.COLLECTIVE),
        ("mpi_f08::mpi_barrier_f08ts", "Barrier", TimeState.BARRIER),
        ("MPI::Comm::Send(void const*, int, int) const", "Send", TimeState.SEND),
        ("MPI::Intracomm::Allreduce", "Allreduce", TimeState.COLLECTIVE),
        ("MPI::Request::Waitall", "Waitall", TimeState.WAIT),
        ("MPI::Win::Fence", "Win_fence", TimeState.ONE_SIDED),
        ("MPI::Is_initialized", "Initialized", TimeState.SETUP),
        ("MPIX_Comm_agree", "Comm_agree", TimeState.COLLECTIVE),
        ("MPIX_Comm_shrink", "Comm_shrink", TimeState.SETUP),
        ("MPIX_Isend_enqueue", "Isend", TimeState.SEND),
        ("MPIX_Query_cuda_support", "Query_cuda_support", TimeState.SETUP),
    ],
)
def test_names_of_other_bindings(name, operation, state):
    assert operation_name(name, USER) == operation
    assert region_state(name, 0, USER) is state


@pytest.mark.parametrize(
    ("name", "operation", "state"),
    [
        ("MPI_Comm_c2f", "Comm_c2f", TimeState.SETUP),
        ("MPI_Win_c2f", "Win_c2f", TimeState.ONE_SIDED),
        ("MPI_File_f2c", "File_f2c", TimeState.IO),
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
    assert region_state(name, 0, COMPILER) is TimeState.COMPUTE


def test_input_and_output():
    assert region_state("write", FILE_IO, 0) is TimeState.IO
    assert region_state("fopen", 1, USER) is TimeState.IO
    assert region_state("read", 1, COMPILER) is TimeState.COMPUTE


def test_where_measurement_pauses():
    assert region_state("MEASUREMENT OFF", 31, USER) is TimeState.OUTSIDE
    assert region_state("TRACE BUFFER FLUSH", 31, 6) is TimeState.MEASUREMENT
