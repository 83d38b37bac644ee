/* Sparse exchange with unknown senders (NBX, Hoefler et al. 2010): Issend, Iprobe with
   wildcards, Ibarrier: sparse KIND. fixed: to rank + 1, + 3, - 2; probe: Probe and Recv of
   a known number of messages of unknown sizes. */
int main(int argc, char **argv)
{
    begin(&argc, &argv);
    static const int far[] = {1, 3, -2};
    for (int turn = 0; turn < 6; turn++) {
        MPI_Request sends[3], barrier = MPI_REQUEST_NULL;
        MPI_Status status;
        int done = 0, flag, count;
        for (int i = 0; i < 3; i++)
            MPI_Issend(out_buffer, 100 * (i + 1), MPI_BYTE, (rank + far[i] + ranks) % ranks, turn, MPI_COMM_WORLD, &sends[i]);
        if (!strcmp(argv[1], "probe")) {
            for (int i = 0; i < 3; i++) {
                MPI_Probe(MPI_ANY_SOURCE, turn, MPI_COMM_WORLD, &status);
                MPI_Get_count(&status, MPI_BYTE, &count);
                MPI_Recv(in_buffer, count, MPI_BYTE, status.MPI_SOURCE, turn, MPI_COMM_WORLD, &status);
            }
            MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
            continue;
        }
        while (!done) {
            MPI_Iprobe(MPI_ANY_SOURCE, turn, MPI_COMM_WORLD, &flag, &status);
            if (flag) {
                MPI_Get_count(&status, MPI_BYTE, &count);
                MPI_Recv(in_buffer, count, MPI_BYTE, status.MPI_SOURCE, turn, MPI_COMM_WORLD, &status);
            }
            if (barrier == MPI_REQUEST_NULL) {
                MPI_Testall(3, sends, &flag, MPI_STATUSES_IGNORE);
                if (flag) MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
            } else
                MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        }
    }
    return end();
}
