#define _POSIX_C_SOURCE 200112L /* for clocks, where a compiler is strict */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What the program is given: see usage(). */
static int rank, ranks, levels; /* bits that number the ranks */
static int extent[DIMENSIONS + 1], place[DIMENSIONS + 1];
static double speed = 1.0; /* computing time is multiplied by this */
static int busy = 0;       /* compute in a loop, not asleep */

static void stop(const char *what)
{
    if (rank == 0)
        fprintf(stderr, "%s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
}

/* For what all ranks find wrong. */
static void leave(const char *what)
{
    if (rank == 0)
        fprintf(stderr, "%s\n", what);
    MPI_Finalize();
    exit(2);
}

static inline void compute(double microseconds)
{
    double left = microseconds * 1e-6 * speed;
    struct timespec begin, now;
    if (left <= 0)
        return;
    if (!busy && left > 200e-6) { /* to fall asleep takes some 100 microseconds */
        now.tv_sec = (time_t)left;
        now.tv_nsec = (long)((left - (double)now.tv_sec) * 1e9);
        nanosleep(&now, NULL);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) < left);
}

/* Values that are not the same for all: by rank, or by rank and turn. */

struct turns {
    const int *begin; /* rank r has value[begin[r]] to value[begin[r + 1] - 1] */
    const long *value;
};

static long turn[STATEMENTS + 1];

static inline long in_turn(const struct turns *of, int r, long k)
{
    int begin = of->begin[r % RANKS], count = of->begin[r % RANKS + 1] - begin;
    return count > 0 ? of->value[begin + k % count] : -1;
}

/* Places in the lattice; x, the first dimension, changes fastest. */

static inline int at(const int *there)
{
    int r = 0, stride = 1;
    for (int d = 0; d < DIMENSIONS; d++) {
        int c = there[d];
        if (periodic[d])
            c = ((c % extent[d]) + extent[d]) % extent[d];
        if (c < 0 || c >= extent[d])
            return MPI_PROC_NULL;
        r += c * stride;
        stride *= extent[d];
    }
    return rank_at(r);
}

static inline int neighbour(const int *step)
{
    int there[DIMENSIONS + 1];
    for (int d = 0; d < DIMENSIONS; d++)
        there[d] = place[d] + step[d];
    return at(there);
}

/* Memory for messages. */

static char *out, *in;
static size_t out_room, in_room;

static inline char *room(char **buffer, size_t *have, long bytes)
{
    if (bytes < 0)
        bytes = 0;
    if (bytes > INT_MAX)
        stop("a message of more than 2 GiB: not supported");
    if (*buffer == NULL || *have < (size_t)bytes) {
        *have = (size_t)bytes + 64;
        *buffer = realloc(*buffer, *have);
        if (*buffer == NULL)
            stop("no memory for a message");
        memset(*buffer, 0, *have);
    }
    return *buffer;
}

static inline const char *outgoing(long bytes)
{
    size_t wanted = bytes < 0 ? 0 : (size_t)bytes;
    if (out == NULL || out_room < wanted) {
        out = NULL; /* not freed: open requests may still read it */
        room(&out, &out_room, 2 * wanted < INT_MAX ? (long)(2 * wanted) : bytes);
    }
    return out;
}

static inline char *incoming(long bytes)
{
    return room(&in, &in_room, bytes);
}

/* Requests wait in a queue for each statement that opens them. */

struct request {
    MPI_Request handle;
    char *buffer;
    size_t room;
    long posted;
    int open, persistent, peer, tag;
    long bytes;
};

static struct queue {
    struct request *of;
    int count;
} queue[STATEMENTS + 1];

static long posts;

static inline struct request *opened(int q)
{
    struct request *found = NULL;
    for (int i = 0; i < queue[q].count && found == NULL; i++)
        if (!queue[q].of[i].open && !queue[q].of[i].persistent)
            found = &queue[q].of[i];
    if (found == NULL) {
        queue[q].of = realloc(queue[q].of, (size_t)(queue[q].count + 1) * sizeof *queue[q].of);
        if (queue[q].of == NULL)
            stop("no memory for a request");
        found = &queue[q].of[queue[q].count++];
        memset(found, 0, sizeof *found);
    }
    found->open = 1;
    found->posted = posts++;
    return found;
}

static inline int left_open(int q)
{
    for (int i = 0; i < queue[q].count; i++)
        if (queue[q].of[i].open)
            return 1;
    return 0;
}

static inline int gather(int n, const int *queues, struct request ***found, MPI_Request **handles)
{
    static struct request **requests;
    static MPI_Request *plain;
    static int size;
    int count = 0;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < queue[queues[k]].count; i++) {
            if (!queue[queues[k]].of[i].open)
                continue;
            if (count == size) {
                size = 2 * size + 16;
                requests = realloc(requests, (size_t)size * sizeof *requests);
                plain = realloc(plain, (size_t)size * sizeof *plain);
                if (requests == NULL || plain == NULL)
                    stop("no memory for requests");
            }
            requests[count] = &queue[queues[k]].of[i];
            plain[count] = requests[count]->handle;
            count++;
        }
    *found = requests;
    *handles = plain;
    return count;
}

static inline void closed(struct request *done, MPI_Request handle)
{
    done->handle = handle;
    done->open = 0;
}

static inline void wait_one(int n, const int *queues)
{
    struct request **found;
    MPI_Request *handles, none = MPI_REQUEST_NULL;
    int count = gather(n, queues, &found, &handles), oldest = 0;
    for (int i = 1; i < count; i++)
        if (found[i]->posted < found[oldest]->posted)
            oldest = i;
    MPI_Wait(count ? &handles[oldest] : &none, MPI_STATUS_IGNORE);
    if (count)
        closed(found[oldest], handles[oldest]);
}

static inline void wait_all(int n, const int *queues)
{
    struct request **found;
    MPI_Request *handles;
    int count = gather(n, queues, &found, &handles);
    MPI_Waitall(count, handles, MPI_STATUSES_IGNORE);
    for (int i = 0; i < count; i++)
        closed(found[i], handles[i]);
}

static inline void wait_any(int n, const int *queues)
{
    struct request **found;
    MPI_Request *handles;
    int which, count = gather(n, queues, &found, &handles);
    MPI_Waitany(count, handles, &which, MPI_STATUS_IGNORE);
    if (which != MPI_UNDEFINED)
        closed(found[which], handles[which]);
}

static inline void close_some(int count, const int *which, struct request **found, const MPI_Request *handles)
{
    for (int i = 0; count != MPI_UNDEFINED && i < count; i++)
        closed(found[which[i]], handles[which[i]]);
}

static inline void wait_some(int n, const int *queues)
{
    struct request **found;
    MPI_Request *handles;
    int done, count = gather(n, queues, &found, &handles);
    int *which = malloc(((size_t)count + 1) * sizeof *which);
    MPI_Waitsome(count, handles, &done, which, MPI_STATUSES_IGNORE);
    close_some(done, which, found, handles);
    free(which);
}

/* Polls are repeated until something has happened, for a tenth of a second at
 * most, where the trace has runs of them. */

static inline int polling(int until, int flag, const struct timespec *begin)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return until && !flag
        && (double)(now.tv_sec - begin->tv_sec) + 1e-9 * (double)(now.tv_nsec - begin->tv_nsec) < 0.1;
}

#define POLL(call)                                                                 \
    struct timespec begin;                                                         \
    int flag;                                                                      \
    clock_gettime(CLOCK_MONOTONIC, &begin);                                        \
    do                                                                             \
        call;                                                                      \
    while (polling(until, flag, &begin))

static inline void test_one(int until, int n, const int *queues)
{
    struct request **found;
    MPI_Request *handles, none = MPI_REQUEST_NULL;
    int count = gather(n, queues, &found, &handles), oldest = 0;
    for (int i = 1; i < count; i++)
        if (found[i]->posted < found[oldest]->posted)
            oldest = i;
    POLL(MPI_Test(count ? &handles[oldest] : &none, &flag, MPI_STATUS_IGNORE));
    if (count && flag)
        closed(found[oldest], handles[oldest]);
}

static inline void test_all(int until, int n, const int *queues)
{
    struct request **found;
    MPI_Request *handles;
    int count = gather(n, queues, &found, &handles);
    POLL(MPI_Testall(count, handles, &flag, MPI_STATUSES_IGNORE));
    for (int i = 0; flag && i < count; i++)
        closed(found[i], handles[i]);
}

static inline void test_any(int until, int n, const int *queues)
{
    struct request **found;
    MPI_Request *handles;
    int which, count = gather(n, queues, &found, &handles);
    POLL(MPI_Testany(count, handles, &which, &flag, MPI_STATUS_IGNORE));
    if (flag && which != MPI_UNDEFINED)
        closed(found[which], handles[which]);
}

static inline void test_some(int until, int n, const int *queues)
{
    struct request **found;
    MPI_Request *handles;
    int count = gather(n, queues, &found, &handles);
    int *which = malloc(((size_t)count + 1) * sizeof *which);
    POLL(MPI_Testsome(count, handles, &flag, which, MPI_STATUSES_IGNORE));
    close_some(flag, which, found, handles);
    free(which);
}

static inline void iprobe(int until, MPI_Comm comm)
{
    POLL(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE));
}

static inline void probe(MPI_Comm comm) { MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE); }

/* Messages; a rank that has no partner does nothing. */

#define SENDS(name, call)                                                          \
    static inline void name(int peer, long bytes, int tag, MPI_Comm comm)          \
    {                                                                              \
        if (peer >= 0)                                                             \
            call(outgoing(bytes), (int)bytes, MPI_BYTE, peer, tag, comm);          \
    }
SENDS(send, MPI_Send)
SENDS(ssend, MPI_Ssend)
SENDS(rsend, MPI_Rsend)

#define POSTS(name, call)                                                          \
    static inline void name(int q, int peer, long bytes, int tag, MPI_Comm comm)   \
    {                                                                              \
        if (peer >= 0)                                                             \
            call(outgoing(bytes), (int)bytes, MPI_BYTE, peer, tag, comm,           \
                 &opened(q)->handle);                                              \
    }
POSTS(isend, MPI_Isend)
POSTS(issend, MPI_Issend)
POSTS(irsend, MPI_Irsend)

static inline void attach(long bytes)
{
    static char *attached;
    static size_t have;
    if ((size_t)bytes + MPI_BSEND_OVERHEAD > have) {
        int size;
        if (attached != NULL)
            MPI_Buffer_detach(&attached, &size);
        free(attached);
        have = 16 * ((size_t)bytes + MPI_BSEND_OVERHEAD);
        attached = malloc(have);
        MPI_Buffer_attach(attached, (int)have);
    }
}

static inline void bsend(int peer, long bytes, int tag, MPI_Comm comm)
{
    if (peer < 0)
        return;
    attach(bytes);
    MPI_Bsend(outgoing(bytes), (int)bytes, MPI_BYTE, peer, tag, comm);
}

static inline void ibsend(int q, int peer, long bytes, int tag, MPI_Comm comm)
{
    if (peer < 0)
        return;
    attach(bytes);
    MPI_Ibsend(outgoing(bytes), (int)bytes, MPI_BYTE, peer, tag, comm, &opened(q)->handle);
}

static inline void recv(int peer, long bytes, int tag, MPI_Comm comm)
{
    if (peer >= 0)
        MPI_Recv(incoming(bytes), (int)bytes, MPI_BYTE, peer, tag, comm, MPI_STATUS_IGNORE);
}

static inline void irecv(int q, int peer, long bytes, int tag, MPI_Comm comm)
{
    struct request *own;
    if (peer < 0)
        return;
    own = opened(q);
    room(&own->buffer, &own->room, bytes);
    MPI_Irecv(own->buffer, (int)bytes, MPI_BYTE, peer, tag, comm, &own->handle);
}

static inline void sendrecv(int to, long bytes, int tag, int source, long source_bytes, int source_tag, MPI_Comm comm)
{
    if (to < 0 && source < 0)
        return;
    bytes = to < 0 ? 0 : bytes;
    source_bytes = source < 0 ? 0 : source_bytes;
    MPI_Sendrecv(outgoing(bytes), (int)bytes, MPI_BYTE, to < 0 ? MPI_PROC_NULL : to, tag,
                 incoming(source_bytes), (int)source_bytes, MPI_BYTE,
                 source < 0 ? MPI_PROC_NULL : source, source_tag, comm, MPI_STATUS_IGNORE);
}

static inline void sendrecv_replace(int to, long bytes, int tag, int source, long source_bytes, int source_tag, MPI_Comm comm)
{
    long most = bytes > source_bytes ? bytes : source_bytes;
    if (to >= 0 || source >= 0)
        MPI_Sendrecv_replace(incoming(most), (int)most, MPI_BYTE, to < 0 ? MPI_PROC_NULL : to, tag,
                             source < 0 ? MPI_PROC_NULL : source, source_tag, comm, MPI_STATUS_IGNORE);
}

/* Persistent requests are made when first started. */

static inline void start(int q, int to, int source, long bytes, int tag, MPI_Comm comm)
{
    int peer = to >= 0 ? to : source;
    struct request *own = NULL;
    if (peer < 0)
        return;
    for (int i = 0; i < queue[q].count && own == NULL; i++)
        if (!queue[q].of[i].open && queue[q].of[i].persistent && queue[q].of[i].peer == peer
            && queue[q].of[i].bytes == bytes && queue[q].of[i].tag == tag)
            own = &queue[q].of[i];
    if (own == NULL) {
        own = opened(q);
        own->persistent = 1;
        own->peer = peer;
        own->bytes = bytes;
        own->tag = tag;
        if (to >= 0)
            MPI_Send_init(outgoing(bytes), (int)bytes, MPI_BYTE, to, tag, comm, &own->handle);
        else
            MPI_Recv_init(room(&own->buffer, &own->room, bytes), (int)bytes, MPI_BYTE, source, tag, comm, &own->handle);
    }
    own->open = 1;
    own->posted = posts++;
    MPI_Start(&own->handle);
}

/* Collective operations; bytes are those of one rank's share. */

static inline int members(MPI_Comm comm)
{
    int size;
    MPI_Comm_size(comm, &size);
    return size;
}

#define NAMED_COUNTS(bytes, comm)                                                  \
    int size = members(comm), *counts = calloc(2 * (size_t)size, sizeof *counts);  \
    long all = 0;                                                                  \
    for (int i = 0; i < size; i++) {                                               \
        counts[i] = (int)(bytes);                                                  \
        counts[size + i] = (int)all;                                               \
        all += counts[i];                                                          \
    }

static inline void barrier(MPI_Comm comm) { MPI_Barrier(comm); }
static inline void bcast(long bytes, int root, MPI_Comm comm) { MPI_Bcast(incoming(bytes), (int)bytes, MPI_BYTE, root, comm); }
static inline void reduce(long bytes, int root, MPI_Comm comm) { MPI_Reduce(outgoing(bytes), incoming(bytes), (int)bytes, MPI_BYTE, MPI_BOR, root, comm); }
static inline void allreduce(long bytes, MPI_Comm comm) { MPI_Allreduce(outgoing(bytes), incoming(bytes), (int)bytes, MPI_BYTE, MPI_BOR, comm); }
static inline void scan(long bytes, MPI_Comm comm) { MPI_Scan(outgoing(bytes), incoming(bytes), (int)bytes, MPI_BYTE, MPI_BOR, comm); }
static inline void exscan(long bytes, MPI_Comm comm) { MPI_Exscan(outgoing(bytes), incoming(bytes), (int)bytes, MPI_BYTE, MPI_BOR, comm); }
static inline void gather_to(long bytes, int root, MPI_Comm comm) { MPI_Gather(outgoing(bytes), (int)bytes, MPI_BYTE, incoming(bytes * members(comm)), (int)bytes, MPI_BYTE, root, comm); }
static inline void scatter(long bytes, int root, MPI_Comm comm) { MPI_Scatter(outgoing(bytes * members(comm)), (int)bytes, MPI_BYTE, incoming(bytes), (int)bytes, MPI_BYTE, root, comm); }
static inline void allgather(long bytes, MPI_Comm comm) { MPI_Allgather(outgoing(bytes), (int)bytes, MPI_BYTE, incoming(bytes * members(comm)), (int)bytes, MPI_BYTE, comm); }
static inline void alltoall(long bytes, MPI_Comm comm) { MPI_Alltoall(outgoing(bytes * members(comm)), (int)bytes, MPI_BYTE, incoming(bytes * members(comm)), (int)bytes, MPI_BYTE, comm); }
static inline void reduce_scatter_block(long bytes, MPI_Comm comm) { MPI_Reduce_scatter_block(outgoing(bytes * members(comm)), incoming(bytes), (int)bytes, MPI_BYTE, MPI_BOR, comm); }

static inline void gatherv(long bytes, int root, MPI_Comm comm)
{
    NAMED_COUNTS(bytes, comm)
    MPI_Gatherv(outgoing(bytes), (int)bytes, MPI_BYTE, incoming(all), counts, counts + size, MPI_BYTE, root, comm);
    free(counts);
}

static inline void scatterv(long bytes, int root, MPI_Comm comm)
{
    NAMED_COUNTS(bytes, comm)
    MPI_Scatterv(outgoing(all), counts, counts + size, MPI_BYTE, incoming(bytes), (int)bytes, MPI_BYTE, root, comm);
    free(counts);
}

static inline void allgatherv(long bytes, MPI_Comm comm)
{
    NAMED_COUNTS(bytes, comm)
    MPI_Allgatherv(outgoing(bytes), (int)bytes, MPI_BYTE, incoming(all), counts, counts + size, MPI_BYTE, comm);
    free(counts);
}

static inline void alltoallv(long bytes, MPI_Comm comm)
{
    NAMED_COUNTS(bytes, comm)
    MPI_Alltoallv(outgoing(all), counts, counts + size, MPI_BYTE, incoming(all), counts, counts + size, MPI_BYTE, comm);
    free(counts);
}

static inline void reduce_scatter(long bytes, MPI_Comm comm)
{
    NAMED_COUNTS(bytes, comm)
    MPI_Reduce_scatter(outgoing(all), incoming(bytes), counts, MPI_BYTE, MPI_BOR, comm);
    free(counts);
}

/* Their non-blocking forms keep what they receive with their request. */

#define OWN(q, bytes)                                                              \
    struct request *own = opened(q);                                               \
    room(&own->buffer, &own->room, bytes)

static inline void ibarrier(int q, MPI_Comm comm) { MPI_Ibarrier(comm, &opened(q)->handle); }
static inline void ibcast(int q, long bytes, int root, MPI_Comm comm) { OWN(q, bytes); MPI_Ibcast(own->buffer, (int)bytes, MPI_BYTE, root, comm, &own->handle); }
static inline void ireduce(int q, long bytes, int root, MPI_Comm comm) { OWN(q, bytes); MPI_Ireduce(outgoing(bytes), own->buffer, (int)bytes, MPI_BYTE, MPI_BOR, root, comm, &own->handle); }
static inline void iallreduce(int q, long bytes, MPI_Comm comm) { OWN(q, bytes); MPI_Iallreduce(outgoing(bytes), own->buffer, (int)bytes, MPI_BYTE, MPI_BOR, comm, &own->handle); }
static inline void iscan(int q, long bytes, MPI_Comm comm) { OWN(q, bytes); MPI_Iscan(outgoing(bytes), own->buffer, (int)bytes, MPI_BYTE, MPI_BOR, comm, &own->handle); }
static inline void iexscan(int q, long bytes, MPI_Comm comm) { OWN(q, bytes); MPI_Iexscan(outgoing(bytes), own->buffer, (int)bytes, MPI_BYTE, MPI_BOR, comm, &own->handle); }
static inline void igather(int q, long bytes, int root, MPI_Comm comm) { OWN(q, bytes * members(comm)); MPI_Igather(outgoing(bytes), (int)bytes, MPI_BYTE, own->buffer, (int)bytes, MPI_BYTE, root, comm, &own->handle); }
static inline void iscatter(int q, long bytes, int root, MPI_Comm comm) { OWN(q, bytes); MPI_Iscatter(outgoing(bytes * members(comm)), (int)bytes, MPI_BYTE, own->buffer, (int)bytes, MPI_BYTE, root, comm, &own->handle); }
static inline void iallgather(int q, long bytes, MPI_Comm comm) { OWN(q, bytes * members(comm)); MPI_Iallgather(outgoing(bytes), (int)bytes, MPI_BYTE, own->buffer, (int)bytes, MPI_BYTE, comm, &own->handle); }
static inline void ialltoall(int q, long bytes, MPI_Comm comm) { OWN(q, bytes * members(comm)); MPI_Ialltoall(outgoing(bytes * members(comm)), (int)bytes, MPI_BYTE, own->buffer, (int)bytes, MPI_BYTE, comm, &own->handle); }

/* Counts must stay until the operation is done: they lie behind what it receives. */

#define OWN_COUNTS(q, room_for, bytes, comm)                                       \
    int size = members(comm), *counts;                                             \
    long all = (bytes) * size, there = ((long)(room_for) + 15) / 16 * 16;          \
    OWN(q, there + 2 * (long)sizeof(int) * size);                                  \
    counts = (int *)(void *)(own->buffer + there);                                 \
    for (int i = 0; i < size; i++) {                                               \
        counts[i] = (int)(bytes);                                                  \
        counts[size + i] = (int)((bytes) * i);                                     \
    }

static inline void igatherv(int q, long bytes, int root, MPI_Comm comm) { OWN_COUNTS(q, all, bytes, comm); MPI_Igatherv(outgoing(bytes), (int)bytes, MPI_BYTE, own->buffer, counts, counts + size, MPI_BYTE, root, comm, &own->handle); }
static inline void iscatterv(int q, long bytes, int root, MPI_Comm comm) { OWN_COUNTS(q, bytes, bytes, comm); MPI_Iscatterv(outgoing(all), counts, counts + size, MPI_BYTE, own->buffer, (int)bytes, MPI_BYTE, root, comm, &own->handle); }
static inline void iallgatherv(int q, long bytes, MPI_Comm comm) { OWN_COUNTS(q, all, bytes, comm); MPI_Iallgatherv(outgoing(bytes), (int)bytes, MPI_BYTE, own->buffer, counts, counts + size, MPI_BYTE, comm, &own->handle); }
static inline void ialltoallv(int q, long bytes, MPI_Comm comm) { OWN_COUNTS(q, all, bytes, comm); MPI_Ialltoallv(outgoing(all), counts, counts + size, MPI_BYTE, own->buffer, counts, counts + size, MPI_BYTE, comm, &own->handle); }
static inline void ireduce_scatter(int q, long bytes, MPI_Comm comm) { OWN_COUNTS(q, bytes, bytes, comm); MPI_Ireduce_scatter(outgoing(all), own->buffer, counts, MPI_BYTE, MPI_BOR, comm, &own->handle); }
static inline void ireduce_scatter_block(int q, long bytes, MPI_Comm comm) { OWN(q, bytes); MPI_Ireduce_scatter_block(outgoing(bytes * members(comm)), own->buffer, (int)bytes, MPI_BYTE, MPI_BOR, comm, &own->handle); }

/* Communicators. */

static inline void make_lattice(MPI_Comm *made)
{
    int sizes[DIMENSIONS + 1], wraps[DIMENSIONS + 1], n = DIMENSIONS;
    for (int d = 0; d < DIMENSIONS; d++) { /* MPI's last dimension changes fastest */
        sizes[d] = extent[DIMENSIONS - 1 - d];
        wraps[d] = periodic[DIMENSIONS - 1 - d];
    }
    if (n == 0) {
        n = 1;
        sizes[0] = ranks;
        wraps[0] = 0;
    }
    MPI_Cart_create(MPI_COMM_WORLD, n, sizes, wraps, 0, made);
}
