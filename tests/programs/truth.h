/* What the program really does, told by the program itself: each rank writes its sends
   (operation, world rank, bytes), in order, to the file RANK of the folder $TRUTH.
   Compiled into each program with -include, so that no tracer is needed for it. */
#ifndef TRUTH_H
#define TRUTH_H
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *truth_file(void)
{
    static FILE *file;
    if (!file) {
        char path[4096];
        int rank;
        const char *folder = getenv("TRUTH");
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        snprintf(path, sizeof path, "%s/%d", folder ? folder : "/dev", rank);
        file = fopen(folder ? path : "/dev/null", "w");
        if (!file) exit(3);
        setvbuf(file, NULL, _IOFBF, 1 << 16);
    }
    return file;
}

/* World rank of a communicator's rank: of the other side, if it has two. */
static int truth_world(MPI_Comm comm, int rank)
{
    MPI_Group group, world;
    int inter, there;
    if (rank < 0) return -1;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter) PMPI_Comm_remote_group(comm, &group);
    else PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, 1, &rank, world, &there);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    return there;
}

static int truth_sent(const char *operation, int count, MPI_Datatype type, int to, MPI_Comm comm)
{
    int size;
    PMPI_Type_size(type, &size);
    if (to != MPI_PROC_NULL)
        fprintf(truth_file(), "%s %d %lld\n", operation, truth_world(comm, to),
                (long long)count * size);
    return 0;
}

static int truth_put(const char *operation, int count, MPI_Datatype type, int to, MPI_Win window)
{
    MPI_Group group, world;
    int there, size;
    if (to == MPI_PROC_NULL) return 0;
    PMPI_Win_get_group(window, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, 1, &to, world, &there);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    PMPI_Type_size(type, &size);
    fprintf(truth_file(), "%s %d %lld\n", operation, there, (long long)count * size);
    return 0;
}

/* Persistent sends: what each request stands for. */
static struct { MPI_Request request; int count, to; MPI_Datatype type; MPI_Comm comm; } truth_kept[64];
static int truth_many;

static int truth_keep(MPI_Request request, int count, MPI_Datatype type, int to, MPI_Comm comm)
{
    truth_kept[truth_many].request = request;
    truth_kept[truth_many].count = count;
    truth_kept[truth_many].to = to;
    truth_kept[truth_many].type = type;
    truth_kept[truth_many++].comm = comm;
    return MPI_SUCCESS;
}

static int truth_started(int many, const MPI_Request *requests)
{
    for (int i = 0; i < many; i++)
        for (int k = 0; k < truth_many; k++)
            if (truth_kept[k].request == requests[i])
                truth_sent("Start", truth_kept[k].count, truth_kept[k].type, truth_kept[k].to,
                           truth_kept[k].comm);
    return 0;
}

#define MPI_Send(b, n, t, to, tag, c) (truth_sent("Send", n, t, to, c), MPI_Send(b, n, t, to, tag, c))
#define MPI_Ssend(b, n, t, to, tag, c) (truth_sent("Ssend", n, t, to, c), MPI_Ssend(b, n, t, to, tag, c))
#define MPI_Bsend(b, n, t, to, tag, c) (truth_sent("Bsend", n, t, to, c), MPI_Bsend(b, n, t, to, tag, c))
#define MPI_Isend(b, n, t, to, tag, c, r) (truth_sent("Isend", n, t, to, c), MPI_Isend(b, n, t, to, tag, c, r))
#define MPI_Issend(b, n, t, to, tag, c, r) (truth_sent("Issend", n, t, to, c), MPI_Issend(b, n, t, to, tag, c, r))
#define MPI_Sendrecv(b, n, t, to, tag, b2, n2, t2, from, tag2, c, s) \
    (truth_sent("Sendrecv", n, t, to, c), MPI_Sendrecv(b, n, t, to, tag, b2, n2, t2, from, tag2, c, s))
#define MPI_Sendrecv_replace(b, n, t, to, tag, from, tag2, c, s) \
    (truth_sent("Sendrecv_replace", n, t, to, c), MPI_Sendrecv_replace(b, n, t, to, tag, from, tag2, c, s))
#define MPI_Send_init(b, n, t, to, tag, c, r) \
    (MPI_Send_init(b, n, t, to, tag, c, r), truth_keep(*(r), n, t, to, c))
#define MPI_Start(r) (truth_started(1, r), MPI_Start(r))
#define MPI_Startall(n, r) (truth_started(n, r), MPI_Startall(n, r))
#define MPI_Put(b, n, t, to, d, n2, t2, w) (truth_put("Put", n, t, to, w), MPI_Put(b, n, t, to, d, n2, t2, w))
#define MPI_Get(b, n, t, to, d, n2, t2, w) (truth_put("Get", n, t, to, w), MPI_Get(b, n, t, to, d, n2, t2, w))
#define MPI_Accumulate(b, n, t, to, d, n2, t2, o, w) \
    (truth_put("Accumulate", n, t, to, w), MPI_Accumulate(b, n, t, to, d, n2, t2, o, w))

static void truth_place(int d, const int *place)
{
    fprintf(truth_file(), "place");
    for (int i = 0; i < d; i++) fprintf(truth_file(), " %d", place[i]);
    fprintf(truth_file(), "\n");
}

static inline void truth_unused(void)
{
    (void)truth_sent; (void)truth_put; (void)truth_keep; (void)truth_started; (void)truth_place;
}
static int rank, ranks;
static char *out_buffer, *in_buffer;
#define BUFFER (1 << 20)

static inline void begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    out_buffer = calloc(1, BUFFER);
    in_buffer = calloc(1, BUFFER);
    truth_unused();
}

static inline int end(void)
{
    fclose(truth_file());
    MPI_Finalize();
    return 0;
}
#endif
