# Neighbourhood collectives; bytes are those of one neighbour's share.


def around(comm):
    """Count the neighbours, those beyond open edges too."""
    return 2 * comm.Get_dim()


def neighbor_allgather(size, comm):
    """Gather from neighbours."""
    comm.Neighbor_allgather(outgoing(size), incoming(size * around(comm)))


def neighbor_alltoall(size, comm):
    """Exchange with neighbours."""
    n = around(comm)
    comm.Neighbor_alltoall(outgoing(size * n), incoming(size * n))


def _counted(size, n):
    return [size] * n, [size * k for k in range(n)]


def neighbor_allgatherv(size, comm):
    """Gather from neighbours, as much as each has."""
    n = around(comm)
    there = [incoming(size * n)[0], _counted(size, n), MPI.BYTE]
    comm.Neighbor_allgatherv(outgoing(size), there)


def neighbor_alltoallv(size, comm):
    """Exchange with neighbours, as much as each has."""
    n = around(comm)
    here = [outgoing(size * n)[0], _counted(size, n), MPI.BYTE]
    there = [incoming(size * n)[0], _counted(size, n), MPI.BYTE]
    comm.Neighbor_alltoallv(here, there)


def ineighbor_allgather(q, size, comm):
    """Post a gathering from neighbours."""
    buffer = _own(size * around(comm))
    opened(q, comm.Ineighbor_allgather(outgoing(size), buffer), buffer)


def ineighbor_alltoall(q, size, comm):
    """Post an exchange with neighbours."""
    n = around(comm)
    buffer = _own(size * n)
    opened(q, comm.Ineighbor_alltoall(outgoing(size * n), buffer), buffer)


def ineighbor_allgatherv(q, size, comm):
    """Post a gathering from neighbours, as much as each has."""
    n = around(comm)
    there = [bytearray(size * n), _counted(size, n), MPI.BYTE]
    opened(q, comm.Ineighbor_allgatherv(outgoing(size), there), there)


def ineighbor_alltoallv(q, size, comm):
    """Post an exchange with neighbours, as much as each has."""
    n = around(comm)
    here, there = ([bytearray(size * n), _counted(size, n), MPI.BYTE] for _ in range(2))
    opened(q, comm.Ineighbor_alltoallv(here, there), [here, there])
