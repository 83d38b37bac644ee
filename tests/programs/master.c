/* A master and its workers: master KIND. static: the same number of tasks for each, in
   order; dynamic: who asks first (ANY_SOURCE); two: two masters, each with half. */
int main(int argc, char **argv)
{
    begin(&argc, &argv);
    const char *kind = argv[1];
    MPI_Status status;
    if (!strcmp(kind, "static")) {
        for (int turn = 0; turn < 5; turn++)
            if (rank == 0) {
                for (int w = 1; w < ranks; w++) MPI_Send(out_buffer, 100, MPI_DOUBLE, w, 1, MPI_COMM_WORLD);
                for (int w = 1; w < ranks; w++) MPI_Recv(in_buffer, 10, MPI_DOUBLE, w, 2, MPI_COMM_WORLD, &status);
            } else {
                MPI_Recv(in_buffer, 100, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &status);
                MPI_Send(out_buffer, 10, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
            }
    } else {
        int masters = !strcmp(kind, "two") ? 2 : 1, mine = rank % masters, workers = 0;
        for (int w = masters; w < ranks; w++) workers += w % masters == mine;
        if (rank < masters) {
            int tasks = 6 * workers, ended = 0;
            while (ended < workers) {
                MPI_Recv(in_buffer, 10, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
                int more = tasks-- > 0;
                MPI_Send(out_buffer, more ? 100 : 0, MPI_DOUBLE, status.MPI_SOURCE, more, MPI_COMM_WORLD);
                ended += !more;
            }
        } else
            do {
                MPI_Send(out_buffer, 10, MPI_DOUBLE, mine, 2, MPI_COMM_WORLD);
                MPI_Recv(in_buffer, 100, MPI_DOUBLE, mine, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            } while (status.MPI_TAG);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return end();
}
