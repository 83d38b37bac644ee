/* Halo of an ocean model with a tripolar grid (POP, NEMO): periodic in x, open in the
   south, the north edge folded on itself: tripole X Y. */
int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int nx = atoi(argv[1]), ny = atoi(argv[2]), x = rank % nx, y = rank / nx;
    int to[4] = {y * nx + (x + 1) % nx, y * nx + (x + nx - 1) % nx, y ? rank - nx : MPI_PROC_NULL,
                 y < ny - 1 ? rank + nx : y * nx + nx - 1 - x};
    int tags[4] = {2, 1, 3, y < ny - 1 ? 4 : 5}, from_tags[4] = {1, 2, 4, y < ny - 1 ? 3 : 5};
    double mine = 1, sum;
    for (int turn = 0; turn < 12; turn++) {
        MPI_Request all[8];
        for (int i = 0; i < 4; i++) MPI_Irecv(in_buffer, 2048, MPI_BYTE, to[i], from_tags[i], MPI_COMM_WORLD, &all[i]);
        for (int i = 0; i < 4; i++) MPI_Isend(out_buffer, 2048, MPI_BYTE, to[i], tags[i], MPI_COMM_WORLD, &all[4 + i]);
        MPI_Waitall(8, all, MPI_STATUSES_IGNORE);
        for (int k = 0; k < 3; k++) MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    return end();
}
