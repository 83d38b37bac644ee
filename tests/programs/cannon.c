/* Cannon's product of matrices on a q x q torus: cannon Q [isend]. The first shift of
   row i goes i places, then each step one place west and north. */
int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int q = atoi(argv[1]), nonblocking = argc > 2;
    int sizes[2] = {q, q}, wraps[2] = {1, 1}, at[2], from, to;
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, wraps, 0, &grid);
    MPI_Cart_coords(grid, rank, 2, at);
    truth_place(2, (int[]){at[1], at[0]});
    for (int axis = 0; axis < 2; axis++) {
        int far = axis == 1 ? at[0] : at[1];
        MPI_Cart_shift(grid, axis, -far, &from, &to);
        if (nonblocking) {
            MPI_Request two[2];
            MPI_Irecv(in_buffer, 4000, MPI_DOUBLE, from, 1, grid, &two[0]);
            MPI_Isend(out_buffer, 4000, MPI_DOUBLE, to, 1, grid, &two[1]);
            MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
        } else
            MPI_Sendrecv_replace(out_buffer, 4000, MPI_DOUBLE, to, 1, from, 1, grid, MPI_STATUS_IGNORE);
    }
    for (int step = 0; step < q - 1; step++)
        for (int axis = 1; axis >= 0; axis--) {
            MPI_Cart_shift(grid, axis, -1, &from, &to);
            if (nonblocking) {
                MPI_Request two[2];
                MPI_Irecv(in_buffer, 4000, MPI_DOUBLE, from, 2, grid, &two[0]);
                MPI_Isend(out_buffer, 4000, MPI_DOUBLE, to, 2, grid, &two[1]);
                MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
            } else
                MPI_Sendrecv_replace(out_buffer, 4000, MPI_DOUBLE, to, 2, from, 2, grid, MPI_STATUS_IGNORE);
        }
    MPI_Barrier(MPI_COMM_WORLD);
    return end();
}
