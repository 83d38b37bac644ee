/* Chains: line KIND. pipeline: 30 items go from stage to stage; oddeven: transposition
   sort, pairs in turn (Sendrecv); oddeven-isend: the same without Sendrecv. */
int main(int argc, char **argv)
{
    begin(&argc, &argv);
    const char *kind = argv[1];
    truth_place(1, &rank);
    if (!strcmp(kind, "pipeline")) {
        for (int item = 0; item < 30; item++) {
            if (rank) MPI_Recv(in_buffer, 2048, MPI_BYTE, rank - 1, item, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank < ranks - 1) MPI_Send(out_buffer, 2048, MPI_BYTE, rank + 1, item, MPI_COMM_WORLD);
        }
    } else
        for (int step = 0; step < 2 * ranks; step++) {
            int other = (rank + step) % 2 ? rank - 1 : rank + 1;
            if (other < 0 || other >= ranks) continue;
            if (!strcmp(kind, "oddeven"))
                MPI_Sendrecv(out_buffer, 999, MPI_INT, other, 1, in_buffer, 999, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else {
                MPI_Request one;
                MPI_Isend(out_buffer, 999, MPI_INT, other, 1, MPI_COMM_WORLD, &one);
                MPI_Recv(in_buffer, 999, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Wait(&one, MPI_STATUS_IGNORE);
            }
        }
    MPI_Barrier(MPI_COMM_WORLD);
    return end();
}
