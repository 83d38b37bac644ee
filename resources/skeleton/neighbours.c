/* Neighbourhood collectives; bytes are those of one neighbour's share. */

static inline int around(MPI_Comm comm)
{
    int dims = 0;
    MPI_Cartdim_get(comm, &dims);
    return 2 * dims;
}

static inline void neighbor_allgather(long bytes, MPI_Comm comm) { MPI_Neighbor_allgather(outgoing(bytes), (int)bytes, MPI_BYTE, incoming(bytes * around(comm)), (int)bytes, MPI_BYTE, comm); }
static inline void neighbor_alltoall(long bytes, MPI_Comm comm) { MPI_Neighbor_alltoall(outgoing(bytes * around(comm)), (int)bytes, MPI_BYTE, incoming(bytes * around(comm)), (int)bytes, MPI_BYTE, comm); }

#define AROUND_COUNTS(bytes, comm)                                                 \
    int size = around(comm), *counts = calloc(2 * (size_t)size, sizeof *counts);   \
    long all = 0;                                                                  \
    for (int i = 0; i < size; i++) {                                               \
        counts[i] = (int)(bytes);                                                  \
        counts[size + i] = (int)all;                                               \
        all += counts[i];                                                          \
    }

static inline void neighbor_allgatherv(long bytes, MPI_Comm comm)
{
    AROUND_COUNTS(bytes, comm)
    MPI_Neighbor_allgatherv(outgoing(bytes), (int)bytes, MPI_BYTE, incoming(all), counts, counts + size, MPI_BYTE, comm);
    free(counts);
}

static inline void neighbor_alltoallv(long bytes, MPI_Comm comm)
{
    AROUND_COUNTS(bytes, comm)
    MPI_Neighbor_alltoallv(outgoing(all), counts, counts + size, MPI_BYTE, incoming(all), counts, counts + size, MPI_BYTE, comm);
    free(counts);
}

static inline void ineighbor_allgather(int q, long bytes, MPI_Comm comm) { OWN(q, bytes * around(comm)); MPI_Ineighbor_allgather(outgoing(bytes), (int)bytes, MPI_BYTE, own->buffer, (int)bytes, MPI_BYTE, comm, &own->handle); }
static inline void ineighbor_alltoall(int q, long bytes, MPI_Comm comm) { OWN(q, bytes * around(comm)); MPI_Ineighbor_alltoall(outgoing(bytes * around(comm)), (int)bytes, MPI_BYTE, own->buffer, (int)bytes, MPI_BYTE, comm, &own->handle); }

/* Counts must stay until the operation is done: they lie behind what it receives. */

#define OWN_AROUND(q, bytes, comm)                                                 \
    int size = around(comm), *counts;                                              \
    long all = (bytes) * size, there = (all + 15) / 16 * 16;                       \
    OWN(q, there + 2 * (long)sizeof(int) * size);                                  \
    counts = (int *)(void *)(own->buffer + there);                                 \
    for (int i = 0; i < size; i++) {                                               \
        counts[i] = (int)(bytes);                                                  \
        counts[size + i] = (int)((bytes) * i);                                     \
    }

static inline void ineighbor_allgatherv(int q, long bytes, MPI_Comm comm) { OWN_AROUND(q, bytes, comm); MPI_Ineighbor_allgatherv(outgoing(bytes), (int)bytes, MPI_BYTE, own->buffer, counts, counts + size, MPI_BYTE, comm, &own->handle); }
static inline void ineighbor_alltoallv(int q, long bytes, MPI_Comm comm) { OWN_AROUND(q, bytes, comm); MPI_Ineighbor_alltoallv(outgoing(all), counts, counts + size, MPI_BYTE, own->buffer, counts, counts + size, MPI_BYTE, comm, &own->handle); }
