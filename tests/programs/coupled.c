/* Two codes on halves of the ranks: coupled X Y KIND. Each has a halo of its own on its
   communicator (X x Y, periodic in x; the second with more turns); every few turns they
   exchange fields: through an intercommunicator (inter, or without blocking: later) or in
   the world (world). */
static void halo(MPI_Comm comm, int me, int nx, int ny, int bytes)
{
    int x = me % nx, y = me / nx, n = 0;
    int to[4] = {y * nx + (x + 1) % nx, y * nx + (x + nx - 1) % nx,
                 y < ny - 1 ? me + nx : MPI_PROC_NULL, y ? me - nx : MPI_PROC_NULL};
    MPI_Request all[8];
    for (int i = 0; i < 4; i++) MPI_Irecv(in_buffer, bytes, MPI_BYTE, to[i], i ^ 1, comm, &all[n++]);
    for (int i = 0; i < 4; i++) MPI_Isend(out_buffer, bytes, MPI_BYTE, to[i], i, comm, &all[n++]);
    MPI_Waitall(n, all, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int nx = atoi(argv[1]), ny = atoi(argv[2]), half = ranks / 2, ocean = rank >= half;
    int later = !strcmp(argv[3], "later"), inter = later || !strcmp(argv[3], "inter"), me;
    MPI_Comm mine, other = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, ocean, rank, &mine);
    MPI_Comm_rank(mine, &me);
    if (inter) MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, ocean ? 0 : half, 77, &other);
    double a = 1, b;
    for (int step = 0; step < 8; step++) {
        for (int turn = 0; turn < (ocean ? 6 : 2); turn++) {
            halo(mine, me, nx, ny, ocean ? 4096 : 1024);
            if (ocean) MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, mine);
        }
        MPI_Comm comm = inter ? other : MPI_COMM_WORLD;
        int partner = inter ? me : ocean ? me : me + half;
        if (later) {
            MPI_Request both[2];
            MPI_Irecv(in_buffer, 2048, MPI_BYTE, partner, 8, comm, &both[0]);
            MPI_Isend(out_buffer, ocean ? 1500 : 2048, MPI_BYTE, partner, 8, comm, &both[1]);
            MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        } else if (ocean) {
            MPI_Recv(in_buffer, 2048, MPI_BYTE, partner, 8, comm, MPI_STATUS_IGNORE);
            MPI_Send(out_buffer, 1500, MPI_BYTE, partner, 9, comm);
        } else {
            MPI_Send(out_buffer, 2048, MPI_BYTE, partner, 8, comm);
            MPI_Recv(in_buffer, 1500, MPI_BYTE, partner, 9, comm, MPI_STATUS_IGNORE);
        }
    }
    return end();
}
