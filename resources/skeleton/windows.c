/* Windows; bytes go to and come from their begin. */

static struct {
    MPI_Win of;
    char *memory, *landing; /* what others reach; what is fetched comes here */
} window[PLACES];

static inline void win_allocate(int w, long bytes)
{
    MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window[w].memory, &window[w].of);
    window[w].landing = calloc((size_t)bytes + 1, 1);
}

static inline void win_create(int w, long bytes)
{
    window[w].memory = calloc((size_t)bytes + 1, 1);
    MPI_Win_create(window[w].memory, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window[w].of);
    window[w].landing = calloc((size_t)bytes + 1, 1);
}

static inline void win_free(int w)
{
    MPI_Win_free(&window[w].of);
    free(window[w].landing);
}

static inline void win_fence(int w) { MPI_Win_fence(0, window[w].of); }
static inline void win_lock_all(int w) { MPI_Win_lock_all(0, window[w].of); }
static inline void win_unlock_all(int w) { MPI_Win_unlock_all(window[w].of); }
static inline void win_flush_all(int w) { MPI_Win_flush_all(window[w].of); }
static inline void win_flush_local_all(int w) { MPI_Win_flush_local_all(window[w].of); }
static inline void win_sync(int w) { MPI_Win_sync(window[w].of); }

static inline void win_lock(int to, int w)
{
    if (to >= 0)
        MPI_Win_lock(MPI_LOCK_SHARED, to, 0, window[w].of);
}

#define LOCKED(name, call)                                                         \
    static inline void name(int to, int w)                                         \
    {                                                                              \
        if (to >= 0)                                                               \
            call(to, window[w].of);                                                \
    }
LOCKED(win_unlock, MPI_Win_unlock)
LOCKED(win_flush, MPI_Win_flush)
LOCKED(win_flush_local, MPI_Win_flush_local)

/* Epochs: a group is given by its ranks, those below 0 are none. */

static inline MPI_Group group_of(int n, const int *some)
{
    MPI_Group all, found;
    int *own = malloc(((size_t)n + 1) * sizeof *own), count = 0;
    for (int i = 0; i < n; i++) {
        int known = some[i] < 0;
        for (int k = 0; k < count; k++)
            known = known || own[k] == some[i];
        if (!known)
            own[count++] = some[i];
    }
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, count, own, &found);
    MPI_Group_free(&all);
    free(own);
    return found;
}

static inline void win_start(int n, const int *some, int w)
{
    MPI_Group group = group_of(n, some);
    MPI_Win_start(group, 0, window[w].of);
    MPI_Group_free(&group);
}

static inline void win_post(int n, const int *some, int w)
{
    MPI_Group group = group_of(n, some);
    MPI_Win_post(group, 0, window[w].of);
    MPI_Group_free(&group);
}

static inline void win_complete(int w) { MPI_Win_complete(window[w].of); }
static inline void win_wait(int w) { MPI_Win_wait(window[w].of); }

static inline void put(int to, long bytes, int w)
{
    if (to >= 0)
        MPI_Put(outgoing(bytes), (int)bytes, MPI_BYTE, to, 0, (int)bytes, MPI_BYTE, window[w].of);
}

static inline void accumulate(int to, long bytes, int w)
{
    if (to >= 0)
        MPI_Accumulate(outgoing(bytes), (int)bytes, MPI_BYTE, to, 0, (int)bytes, MPI_BYTE, MPI_BOR, window[w].of);
}

static inline void get(int from, long bytes, int w)
{
    if (from >= 0)
        MPI_Get(window[w].landing, (int)bytes, MPI_BYTE, from, 0, (int)bytes, MPI_BYTE, window[w].of);
}

static inline void get_accumulate(int to, long bytes, int w)
{
    if (to >= 0)
        MPI_Get_accumulate(outgoing(bytes), (int)bytes, MPI_BYTE, window[w].landing, (int)bytes, MPI_BYTE,
                           to, 0, (int)bytes, MPI_BYTE, MPI_BOR, window[w].of);
}

static inline MPI_Datatype number_of(long bytes)
{
    return bytes == 8 ? MPI_INT64_T : bytes == 4 ? MPI_INT32_T : bytes == 2 ? MPI_INT16_T : MPI_INT8_T;
}

static inline void fetch_and_op(int to, long bytes, int w)
{
    if (to >= 0)
        MPI_Fetch_and_op(outgoing(8), window[w].landing, number_of(bytes), to, 0, MPI_BOR, window[w].of);
}

static inline void compare_and_swap(int to, long bytes, int w)
{
    if (to >= 0)
        MPI_Compare_and_swap(outgoing(16), outgoing(8), window[w].landing, number_of(bytes), to, 0, window[w].of);
}

static inline void rput(int q, int to, long bytes, int w)
{
    if (to >= 0)
        MPI_Rput(outgoing(bytes), (int)bytes, MPI_BYTE, to, 0, (int)bytes, MPI_BYTE, window[w].of, &opened(q)->handle);
}

static inline void raccumulate(int q, int to, long bytes, int w)
{
    if (to >= 0)
        MPI_Raccumulate(outgoing(bytes), (int)bytes, MPI_BYTE, to, 0, (int)bytes, MPI_BYTE, MPI_BOR, window[w].of,
                        &opened(q)->handle);
}

static inline void rget(int q, int from, long bytes, int w)
{
    if (from >= 0)
        MPI_Rget(window[w].landing, (int)bytes, MPI_BYTE, from, 0, (int)bytes, MPI_BYTE, window[w].of, &opened(q)->handle);
}

static inline void rget_accumulate(int q, int to, long bytes, int w)
{
    if (to >= 0)
        MPI_Rget_accumulate(outgoing(bytes), (int)bytes, MPI_BYTE, window[w].landing, (int)bytes, MPI_BYTE,
                            to, 0, (int)bytes, MPI_BYTE, MPI_BOR, window[w].of, &opened(q)->handle);
}
