/* SUMMA product of matrices: broadcasts along rows and columns, roots in turn: summa X Y. */
int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int nx = atoi(argv[1]), ny = atoi(argv[2]), x = rank % nx, y = rank / nx;
    MPI_Comm row, column;
    MPI_Comm_split(MPI_COMM_WORLD, y, x, &row);
    MPI_Comm_split(MPI_COMM_WORLD, x, y, &column);
    for (int step = 0; step < nx * ny; step++) {
        MPI_Bcast(out_buffer, 2000, MPI_DOUBLE, step % nx, row);
        MPI_Bcast(in_buffer, 3000, MPI_DOUBLE, step % ny, column);
    }
    double mine = 1, sum;
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return end();
}
