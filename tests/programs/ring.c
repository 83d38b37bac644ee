/* Rings by hand: ring KIND. allreduce: reduce-scatter and allgather of pieces; nbody: all
   particles go round (Sendrecv_replace); token: one message goes round, blocking. */
int main(int argc, char **argv)
{
    begin(&argc, &argv);
    const char *kind = argv[1];
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    truth_place(1, &rank);
    for (int turn = 0; turn < 6; turn++) {
        if (!strcmp(kind, "allreduce")) {
            for (int half = 0; half < 2; half++)
                for (int step = 0; step < ranks - 1; step++) {
                    MPI_Request two[2];
                    MPI_Irecv(in_buffer, 1000, MPI_DOUBLE, before, half, MPI_COMM_WORLD, &two[0]);
                    MPI_Isend(out_buffer, 1000, MPI_DOUBLE, next, half, MPI_COMM_WORLD, &two[1]);
                    MPI_Wait(&two[0], MPI_STATUS_IGNORE);
                    MPI_Wait(&two[1], MPI_STATUS_IGNORE);
                }
        } else if (!strcmp(kind, "nbody")) {
            for (int step = 0; step < ranks; step++)
                MPI_Sendrecv_replace(out_buffer, 700, MPI_DOUBLE, next, 3, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (ranks > 1) {
            if (rank == 0) MPI_Send(out_buffer, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
            MPI_Recv(in_buffer, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank) MPI_Send(out_buffer, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return end();
}
