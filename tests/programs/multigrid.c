/* Red-black multigrid on a periodic 2D lattice: multigrid X Y [LEVELS]. On level l only
   every 2^l-th rank of each axis works, with partners 2^l apart. */
static int nx, ny, x, y;

static void halo(int step, int bytes)
{
    if (x % step || y % step) return;
    int to[4] = {y * nx + (x + step) % nx, y * nx + (x + nx - step) % nx,
                 (y + step) % ny * nx + x, (y + ny - step) % ny * nx + x};
    for (int colour = 0; colour < 2; colour++) {
        MPI_Request all[8];
        for (int i = 0; i < 4; i++) MPI_Irecv(in_buffer, bytes, MPI_BYTE, to[i], (i ^ 1) + 4 * colour, MPI_COMM_WORLD, &all[i]);
        for (int i = 0; i < 4; i++) MPI_Isend(out_buffer, bytes, MPI_BYTE, to[i], i + 4 * colour, MPI_COMM_WORLD, &all[4 + i]);
        MPI_Waitall(8, all, MPI_STATUSES_IGNORE);
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    nx = atoi(argv[1]), ny = atoi(argv[2]), x = rank % nx, y = rank / nx;
    int levels = argc > 3 ? atoi(argv[3]) : 2;
    truth_place(2, (int[]){x, y});
    double mine = 1, sum;
    for (int cycle = 0; cycle < 5; cycle++) {
        for (int l = 0; l < levels; l++) halo(1 << l, 8192 >> (3 * l));
        for (int l = levels - 1; l >= 0; l--) halo(1 << l, 8192 >> (3 * l));
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    return end();
}
