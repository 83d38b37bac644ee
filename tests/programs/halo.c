/* Halo exchange on a lattice of any dimension: halo MODE NUMBERING STENCIL DIMS [TURNS].
   MODE      blocking, sendrecv, isend, persistent, neighbours, put, waitany, testsome, parity
   NUMBERING natural, zorder, snake, random, blocked (2 x 2 ranks a node), cart (MPI_Cart_create)
   STENCIL   star, box, d3q19, leap (1 and 2 along the first axis)
   DIMS      4x3p: extents, x first, p where the axis is periodic */
#define MOST 80
#define WIDE 5
static int d, dims[WIDE], wraps[WIDE], place[WIDE];
static int partners, to[MOST], bytes[MOST];
static MPI_Comm comm = MPI_COMM_WORLD;
static int *rank_at;

static int index_of(const int *p)
{
    int i = 0;
    for (int k = d - 1; k >= 0; k--) i = i * dims[k] + p[k];
    return i;
}

static void place_of(int i, int *p)
{
    for (int k = 0; k < d; k++) { p[k] = i % dims[k]; i /= dims[k]; }
}

static unsigned morton(const int *p)
{
    unsigned code = 0;
    for (int bit = 0; bit < 8; bit++)
        for (int k = 0; k < d; k++) code |= (unsigned)((p[k] >> bit) & 1) << (bit * d + k);
    return code;
}

static void number(const char *how, int *index_of_rank)
{
    for (int i = 0; i < ranks; i++) index_of_rank[i] = i;
    if (!strcmp(how, "random")) {
        unsigned state = 12345;
        for (int i = ranks - 1; i > 0; i--) {
            state = state * 1103515245u + 12345u;
            int j = (int)((state >> 16) % (unsigned)(i + 1)), t = index_of_rank[i];
            index_of_rank[i] = index_of_rank[j];
            index_of_rank[j] = t;
        }
        return;
    }
    for (int i = 0; i < ranks; i++) {
        int p[WIDE] = {0}, r = i;
        place_of(i, p);
        if (!strcmp(how, "zorder")) {
            r = 0;
            for (int j = 0; j < ranks; j++) {
                int q[WIDE] = {0};
                place_of(j, q);
                r += morton(q) < morton(p);
            }
        } else if (!strcmp(how, "snake")) {
            if (p[1] % 2) p[0] = dims[0] - 1 - p[0];
            r = index_of(p);
        } else if (!strcmp(how, "blocked")) {
            int blocks = dims[0] / 2;
            r = 4 * (p[1] / 2 * blocks + p[0] / 2) + p[1] % 2 * 2 + p[0] % 2;
        }
        index_of_rank[r] = i;
    }
}

static void add(const int *offset, int size)
{
    int q[WIDE];
    int other = MPI_PROC_NULL, inside = 1;
    for (int k = 0; k < d; k++) {
        q[k] = place[k] + offset[k];
        if (wraps[k]) q[k] = (q[k] + 2 * dims[k]) % dims[k];
        else if (q[k] < 0 || q[k] >= dims[k]) inside = 0;
    }
    if (inside) other = rank_at[index_of(q)];
    to[partners] = other;
    bytes[partners++] = size;
}

static void make_stencil(const char *kind)
{
    int many = 1, box = strcmp(kind, "star") && strcmp(kind, "leap");
    for (int k = 0; k < d; k++) many *= 3;
    /* pairs of opposite directions next to each other: the partner of 2i is that of 2i + 1 */
    for (int code = many - 1; code > many / 2; code--) {
        int offset[WIDE], back[WIDE], c = code, length = 0;
        for (int k = 0; k < d; k++) {
            offset[k] = c % 3 - 1;
            c /= 3;
            back[k] = -offset[k];
            length += offset[k] != 0;
        }
        if (length > (box ? (!strcmp(kind, "d3q19") ? 2 : d) : 1)) continue;
        int size = length == 1 ? 4096 : length == 2 ? 512 : 64;
        add(offset, size);
        add(back, size);
    }
    if (!strcmp(kind, "leap")) {
        int far[WIDE] = {2}, back[WIDE] = {-2};
        add(far, 2048);
        add(back, 2048);
    }
}

static void exchange(const char *mode, MPI_Request *kept, MPI_Win window, MPI_Comm graph)
{
    MPI_Request requests[2 * MOST];
    int n = 0;
    if (!strcmp(mode, "blocking")) {
        for (int i = 0; i < partners; i++) {
            int back = i ^ 1;
            /* from the far end of an open axis on: the others wait their turn */
            MPI_Send(out_buffer, bytes[i], MPI_BYTE, to[i], i, comm);
            MPI_Recv(in_buffer, bytes[i], MPI_BYTE, to[back], i, comm, MPI_STATUS_IGNORE);
        }
    } else if (!strcmp(mode, "parity")) {
        int sum = 0;
        for (int k = 0; k < d; k++) sum += place[k];
        for (int i = 0; i < partners; i++) {
            if (sum % 2) MPI_Recv(in_buffer, bytes[i], MPI_BYTE, to[i ^ 1], i, comm, MPI_STATUS_IGNORE);
            MPI_Ssend(out_buffer, bytes[i], MPI_BYTE, to[i], i, comm);
            if (sum % 2 == 0) MPI_Recv(in_buffer, bytes[i], MPI_BYTE, to[i ^ 1], i, comm, MPI_STATUS_IGNORE);
        }
    } else if (!strcmp(mode, "sendrecv")) {
        for (int i = 0; i < partners; i++)
            MPI_Sendrecv(out_buffer, bytes[i], MPI_BYTE, to[i], i, in_buffer, bytes[i], MPI_BYTE,
                         to[i ^ 1], i, comm, MPI_STATUS_IGNORE);
    } else if (!strcmp(mode, "persistent")) {
        MPI_Startall(2 * partners, kept);
        MPI_Waitall(2 * partners, kept, MPI_STATUSES_IGNORE);
    } else if (!strcmp(mode, "neighbours")) {
        MPI_Neighbor_alltoall(out_buffer, 512, MPI_DOUBLE, in_buffer, 512, MPI_DOUBLE, graph);
    } else if (!strcmp(mode, "put")) {
        MPI_Win_fence(0, window);
        for (int i = 0; i < partners; i++)
            MPI_Put(out_buffer, bytes[i], MPI_BYTE, to[i], 8192 * i, bytes[i], MPI_BYTE, window);
        MPI_Win_fence(0, window);
    } else {
        for (int i = 0; i < partners; i++)
            MPI_Irecv(in_buffer, bytes[i], MPI_BYTE, to[i ^ 1], i, comm, &requests[n++]);
        for (int i = 0; i < partners; i++)
            MPI_Isend(out_buffer, bytes[i], MPI_BYTE, to[i], i, comm, &requests[n++]);
        if (!strcmp(mode, "waitany")) {
            for (int i = 0, which; i < n; i++) MPI_Waitany(n, requests, &which, MPI_STATUS_IGNORE);
        } else if (!strcmp(mode, "testsome")) {
            int which[2 * MOST], some, left = n;
            for (int i = 0; i < n; i++) left -= requests[i] == MPI_REQUEST_NULL;
            while (left > 0) {
                MPI_Testsome(n, requests, &some, which, MPI_STATUSES_IGNORE);
                if (some == MPI_UNDEFINED) break;
                left -= some;
            }
        } else {
            MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
        }
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    if (argc < 5) MPI_Abort(MPI_COMM_WORLD, 2);
    const char *mode = argv[1], *numbering = argv[2];
    int turns = argc > 5 ? atoi(argv[5]) : 20;
    for (char *word = strtok(argv[4], "x"); word; word = strtok(NULL, "x")) {
        dims[d] = atoi(word);
        wraps[d++] = strchr(word, 'p') != NULL;
    }
    int *index_of_rank = malloc(sizeof(int) * (size_t)ranks);
    rank_at = malloc(sizeof(int) * (size_t)ranks);
    number(numbering, index_of_rank);
    if (!strcmp(numbering, "cart")) {
        int sizes[WIDE], periods[WIDE], at[WIDE];
        for (int k = 0; k < d; k++) { sizes[k] = dims[d - 1 - k]; periods[k] = wraps[d - 1 - k]; }
        MPI_Cart_create(MPI_COMM_WORLD, d, sizes, periods, 1, &comm);
        for (int r = 0; r < ranks; r++) {
            int p[WIDE];
            MPI_Cart_coords(comm, r, d, at);
            for (int k = 0; k < d; k++) p[k] = at[d - 1 - k];
            index_of_rank[r] = index_of(p);
        }
        MPI_Comm_rank(comm, &rank);
    }
    for (int r = 0; r < ranks; r++) rank_at[index_of_rank[r]] = r;
    place_of(index_of_rank[rank], place);
    truth_place(d, place);
    make_stencil(argv[3]);

    MPI_Request kept[2 * MOST];
    MPI_Win window = MPI_WIN_NULL;
    MPI_Comm graph = MPI_COMM_NULL;
    char *exposed = NULL;
    if (!strcmp(mode, "persistent"))
        for (int i = 0; i < partners; i++) {
            MPI_Recv_init(in_buffer, bytes[i], MPI_BYTE, to[i ^ 1], i, comm, &kept[2 * i]);
            MPI_Send_init(out_buffer, bytes[i], MPI_BYTE, to[i], i, comm, &kept[2 * i + 1]);
        }
    if (!strcmp(mode, "put")) MPI_Win_allocate(8192 * MOST, 1, MPI_INFO_NULL, comm, &exposed, &window);
    if (!strcmp(mode, "neighbours")) {
        int real[MOST], alike[MOST], many = 0;
        for (int i = 0; i < partners; i++) alike[i] = 1;
        for (int i = 0; i < partners; i++) if (to[i] != MPI_PROC_NULL) real[many++] = to[i];
        MPI_Dist_graph_create_adjacent(comm, many, real, alike, many, real, alike,
                                       MPI_INFO_NULL, 0, &graph);
    }
    double mine = rank, sum;
    for (int turn = 0; turn < turns; turn++) {
        exchange(mode, kept, window, graph);
        if (turn % 5 == 4) MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    }
    if (window != MPI_WIN_NULL) MPI_Win_free(&window);
    return end();
}
