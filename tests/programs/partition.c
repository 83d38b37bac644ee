/* Halo of an irregular partition: ranks are points in the unit square, partners are those
   nearer than a distance, sizes follow the distance. No topology has that. */
int main(int argc, char **argv)
{
    begin(&argc, &argv);
    double at[64][2];
    unsigned state = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    for (int i = 0; i < ranks; i++)
        for (int k = 0; k < 2; k++) {
            state = state * 1103515245u + 12345u;
            at[i][k] = (state >> 8 & 0xffff) / 65536.0;
        }
    int to[64], bytes[64], many = 0;
    for (int i = 0; i < ranks; i++) {
        double dx = at[i][0] - at[rank][0], dy = at[i][1] - at[rank][1], far = dx * dx + dy * dy;
        if (i != rank && far < 3.0 / ranks) {
            bytes[many] = 8 * (int)(1000 - 300 * far * ranks);
            to[many++] = i;
        }
    }
    double mine = 1, sum;
    for (int turn = 0; turn < 15; turn++) {
        MPI_Request all[128];
        for (int i = 0; i < many; i++) MPI_Irecv(in_buffer, bytes[i], MPI_BYTE, to[i], 5, MPI_COMM_WORLD, &all[i]);
        for (int i = 0; i < many; i++) MPI_Isend(out_buffer, bytes[i], MPI_BYTE, to[i], 5, MPI_COMM_WORLD, &all[many + i]);
        MPI_Waitall(2 * many, all, MPI_STATUSES_IGNORE);
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    return end();
}
