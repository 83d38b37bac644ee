/* LU factorisation as in HPL: panels go round each row as a ring, rows are swapped along
   columns, on X x Y ranks: panel X Y. */
int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int nx = atoi(argv[1]), ny = atoi(argv[2]), x = rank % nx, y = rank / nx;
    MPI_Comm row, column;
    MPI_Comm_split(MPI_COMM_WORLD, y, x, &row);
    MPI_Comm_split(MPI_COMM_WORLD, x, y, &column);
    double mine = 1, sum;
    for (int step = 0; step < 4 * nx * ny; step++) {
        int root = step % nx;
        if (x == root)
            for (int k = 0; k < 2; k++) MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_MAX, column);
        if (x != root) MPI_Recv(in_buffer, 3000, MPI_DOUBLE, (x + nx - 1) % nx, 1, row, MPI_STATUS_IGNORE);
        if ((x + 1) % nx != root) MPI_Send(out_buffer, 3000, MPI_DOUBLE, (x + 1) % nx, 1, row);
        MPI_Allgather(out_buffer, 64, MPI_DOUBLE, in_buffer, 64, MPI_DOUBLE, column);
        (void)y;
    }
    return end();
}
