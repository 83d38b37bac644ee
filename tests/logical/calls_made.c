/* Writes down the calls that a program makes: operation, partner or root (or -1), bytes (or -1). */
#include <mpi.h>
#include <stdio.h>

static void told(const char *operation, int partner, long bytes)
{
    static FILE *out;
    if (out == NULL) {
        char name[32];
        int rank;
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        snprintf(name, sizeof name, "calls.%d", rank);
        out = fopen(name, "w");
    }
    fprintf(out, "%s %d %ld\n", operation, partner, bytes);
    fflush(out);
}

static long size_of(int count, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    return (long)count * size;
}

static int members(MPI_Comm comm)
{
    int size;
    PMPI_Comm_size(comm, &size);
    return size;
}

#define OP(operation, parameters, given, partner, bytes)                           \
    int MPI_##operation parameters                                                 \
    {                                                                              \
        told(#operation, partner, bytes);                                          \
        return PMPI_##operation given;                                             \
    }

OP(Win_create, (void *b, MPI_Aint s, int u, MPI_Info i, MPI_Comm c, MPI_Win *w), (b, s, u, i, c, w), -1, -1)
OP(Win_free, (MPI_Win *w), (w), -1, -1)
OP(Win_fence, (int a, MPI_Win w), (a, w), -1, -1)
OP(Put, (const void *o, int n, MPI_Datatype t, int to, MPI_Aint d, int m, MPI_Datatype u, MPI_Win w), (o, n, t, to, d, m, u, w), to, size_of(n, t))
OP(Get, (void *o, int n, MPI_Datatype t, int to, MPI_Aint d, int m, MPI_Datatype u, MPI_Win w), (o, n, t, to, d, m, u, w), to, size_of(n, t))
OP(Fetch_and_op, (const void *o, void *r, MPI_Datatype t, int to, MPI_Aint d, MPI_Op op, MPI_Win w), (o, r, t, to, d, op, w), to, size_of(1, t))
OP(File_open, (MPI_Comm c, const char *n, int a, MPI_Info i, MPI_File *f), (c, n, a, i, f), -1, -1)
OP(File_close, (MPI_File *f), (f), -1, -1)
OP(File_write_at, (MPI_File f, MPI_Offset o, const void *b, int n, MPI_Datatype t, MPI_Status *s), (f, o, b, n, t, s), -1, size_of(n, t))
OP(File_write_all, (MPI_File f, const void *b, int n, MPI_Datatype t, MPI_Status *s), (f, b, n, t, s), -1, size_of(n, t))
OP(File_read_all, (MPI_File f, void *b, int n, MPI_Datatype t, MPI_Status *s), (f, b, n, t, s), -1, size_of(n, t))
OP(File_iwrite, (MPI_File f, const void *b, int n, MPI_Datatype t, MPI_Request *r), (f, b, n, t, r), -1, size_of(n, t))
OP(Waitall, (int n, MPI_Request *r, MPI_Status *s), (n, r, s), -1, -1)
OP(Neighbor_alltoall, (const void *b, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, MPI_Comm c), (b, n, t, r, m, u, c), -1, 2 * size_of(n, t))
OP(Neighbor_alltoallv, (const void *b, const int *n, const int *d, MPI_Datatype t, void *r, const int *m, const int *e, MPI_Datatype u, MPI_Comm c), (b, n, d, t, r, m, e, u, c), -1, size_of(n[0] + n[1], t))
OP(Ineighbor_allgather, (const void *b, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, MPI_Comm c, MPI_Request *q), (b, n, t, r, m, u, c, q), -1, size_of(n, t))
OP(Isend, (const void *b, int n, MPI_Datatype t, int to, int g, MPI_Comm c, MPI_Request *r), (b, n, t, to, g, c, r), to, size_of(n, t))
OP(Irecv, (void *b, int n, MPI_Datatype t, int from, int g, MPI_Comm c, MPI_Request *r), (b, n, t, from, g, c, r), from, size_of(n, t))
OP(Allreduce, (const void *b, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (b, r, n, t, o, c), -1, size_of(n, t))
OP(Barrier, (MPI_Comm c), (c), -1, -1)
OP(Cart_create, (MPI_Comm c, int d, const int *n, const int *w, int o, MPI_Comm *m), (c, d, n, w, o, m), -1, -1)
OP(Send, (const void *b, int n, MPI_Datatype t, int to, int g, MPI_Comm c), (b, n, t, to, g, c), to, size_of(n, t))
OP(Recv, (void *b, int n, MPI_Datatype t, int from, int g, MPI_Comm c, MPI_Status *s), (b, n, t, from, g, c, s), from, size_of(n, t))
OP(Wait, (MPI_Request *r, MPI_Status *s), (r, s), -1, -1)
OP(Bcast, (void *b, int n, MPI_Datatype t, int r, MPI_Comm c), (b, n, t, r, c), r, size_of(n, t))
OP(Reduce, (const void *b, void *r, int n, MPI_Datatype t, MPI_Op o, int w, MPI_Comm c), (b, r, n, t, o, w, c), w, size_of(n, t))
OP(Gather, (const void *b, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, int w, MPI_Comm c), (b, n, t, r, m, u, w, c), w, size_of(n, t))
OP(Scatter, (const void *b, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, int w, MPI_Comm c), (b, n, t, r, m, u, w, c), w, size_of(n, t))
OP(Allgather, (const void *b, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, MPI_Comm c), (b, n, t, r, m, u, c), -1, size_of(n, t))
OP(Alltoall, (const void *b, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, MPI_Comm c), (b, n, t, r, m, u, c), -1, size_of(n, t))
OP(Alltoallv, (const void *b, const int *n, const int *d, MPI_Datatype t, void *r, const int *m, const int *e, MPI_Datatype u, MPI_Comm c), (b, n, d, t, r, m, e, u, c), -1, size_of(n[0], t))
OP(Iallreduce, (const void *b, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request *q), (b, r, n, t, o, c, q), -1, size_of(n, t))
OP(Iallgather, (const void *b, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, MPI_Comm c, MPI_Request *q), (b, n, t, r, m, u, c, q), -1, size_of(n, t))
OP(Ialltoall, (const void *b, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, MPI_Comm c, MPI_Request *q), (b, n, t, r, m, u, c, q), -1, size_of(n, t))

int MPI_Sendrecv(const void *b, int n, MPI_Datatype t, int to, int g, void *r, int m, MPI_Datatype u, int from, int h, MPI_Comm c, MPI_Status *s)
{
    told("Sendrecv", to, to < 0 ? -1 : size_of(n, t));
    told("Sendrecv_from", from, from < 0 ? -1 : size_of(m, u));
    return PMPI_Sendrecv(b, n, t, to, g, r, m, u, from, h, c, s);
}
OP(Igatherv, (const void *b, int n, MPI_Datatype t, void *r, const int *m, const int *e, MPI_Datatype u, int w, MPI_Comm c, MPI_Request *q), (b, n, t, r, m, e, u, w, c, q), -1, size_of(n, t))
OP(Iscatterv, (const void *b, const int *n, const int *d, MPI_Datatype t, void *r, int m, MPI_Datatype u, int w, MPI_Comm c, MPI_Request *q), (b, n, d, t, r, m, u, w, c, q), -1, size_of(m, u))
OP(Iallgatherv, (const void *b, int n, MPI_Datatype t, void *r, const int *m, const int *e, MPI_Datatype u, MPI_Comm c, MPI_Request *q), (b, n, t, r, m, e, u, c, q), -1, size_of(n, t))
OP(Ialltoallv, (const void *b, const int *n, const int *d, MPI_Datatype t, void *r, const int *m, const int *e, MPI_Datatype u, MPI_Comm c, MPI_Request *q), (b, n, d, t, r, m, e, u, c, q), -1, members(c) * size_of(n[0], t))
OP(Ireduce_scatter, (const void *b, void *r, const int *n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request *q), (b, r, n, t, o, c, q), -1, members(c) * size_of(n[0], t))
OP(Ireduce_scatter_block, (const void *b, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request *q), (b, r, n, t, o, c, q), -1, members(c) * size_of(n, t))
OP(Ineighbor_allgatherv, (const void *b, int n, MPI_Datatype t, void *r, const int *m, const int *e, MPI_Datatype u, MPI_Comm c, MPI_Request *q), (b, n, t, r, m, e, u, c, q), -1, size_of(n, t))
OP(Ineighbor_alltoallv, (const void *b, const int *n, const int *d, MPI_Datatype t, void *r, const int *m, const int *e, MPI_Datatype u, MPI_Comm c, MPI_Request *q), (b, n, d, t, r, m, e, u, c, q), -1, size_of(n[0] + n[1], t))
OP(Win_post, (MPI_Group g, int a, MPI_Win w), (g, a, w), -1, -1)
OP(Win_start, (MPI_Group g, int a, MPI_Win w), (g, a, w), -1, -1)
OP(Win_complete, (MPI_Win w), (w), -1, -1)
OP(Win_wait, (MPI_Win w), (w), -1, -1)
