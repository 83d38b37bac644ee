/* 3D FFT of pencils: alltoall in rows, then in columns, there and back: pencil X Y [v]. */
int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int nx = atoi(argv[1]), x = rank % nx, y = rank / nx, uneven = argc > 3;
    MPI_Comm row, column;
    MPI_Comm_split(MPI_COMM_WORLD, y, x, &row);
    MPI_Comm_split(MPI_COMM_WORLD, x, y, &column);
    int counts[64], starts[64];
    for (int i = 0; i < 64; i++) { counts[i] = 100; starts[i] = 100 * i; }
    for (int step = 0; step < 12; step++) {
        MPI_Comm comms[4] = {row, column, column, row};
        for (int k = 0; k < 4; k++) {
            if (uneven) MPI_Alltoallv(out_buffer, counts, starts, MPI_DOUBLE, in_buffer, counts, starts, MPI_DOUBLE, comms[k]);
            else MPI_Alltoall(out_buffer, 100, MPI_DOUBLE, in_buffer, 100, MPI_DOUBLE, comms[k]);
        }
    }
    return end();
}
