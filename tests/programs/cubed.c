/* Halo on a cubed sphere (climate models): six faces of k x k ranks, edges glued: cubed K. */
static int k;

/* The point of the cube's surface in the middle of a cell's edge, scaled to integers. */
static void point(int face, int u, int v, int *p)
{
    int a = u - k, b = v - k, s = face % 2 ? k : -k;
    p[face / 2] = s;
    p[(face / 2 + 1) % 3] = a;
    p[(face / 2 + 2) % 3] = b;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    k = atoi(argv[1]);
    int to[4], many = 0, mine[4][3];
    int face = rank / (k * k), j = rank / k % k, i = rank % k;
    static const int du[4] = {0, 2, 1, 1}, dv[4] = {1, 1, 0, 2};
    for (int e = 0; e < 4; e++) point(face, 2 * i + du[e], 2 * j + dv[e], mine[e]);
    for (int other = 0; other < ranks; other++)
        for (int e = 0; e < 4; e++)
            for (int f = 0; f < 4; f++) {
                int p[3], of = other / (k * k), oj = other / k % k, oi = other % k;
                point(of, 2 * oi + du[f], 2 * oj + dv[f], p);
                if (other != rank && !memcmp(p, mine[e], sizeof p)) to[many++] = other;
            }
    for (int turn = 0; turn < 12; turn++) {
        MPI_Request all[16];
        for (int n = 0; n < many; n++) MPI_Irecv(in_buffer, 3000, MPI_BYTE, to[n], 5, MPI_COMM_WORLD, &all[n]);
        for (int n = 0; n < many; n++) MPI_Isend(out_buffer, 3000, MPI_BYTE, to[n], 5, MPI_COMM_WORLD, &all[many + n]);
        MPI_Waitall(2 * many, all, MPI_STATUSES_IGNORE);
    }
    return end();
}
