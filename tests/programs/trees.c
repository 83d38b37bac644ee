/* Trees by hand: trees KIND [ROOT]. binomial: broadcast and reduction; binary: reduction
   up a binary heap and broadcast down; ternary: the same with three children. */
int main(int argc, char **argv)
{
    begin(&argc, &argv);
    const char *kind = argv[1];
    int root = argc > 2 ? atoi(argv[2]) : 0, me = (rank - root + ranks) % ranks;
    int wide = !strcmp(kind, "ternary") ? 3 : 2;
    for (int turn = 0; turn < 10; turn++) {
        if (!strcmp(kind, "binomial")) {
            int mask = 1;
            for (; mask < ranks; mask *= 2)
                if (me & mask) {
                    MPI_Recv(in_buffer, 1024, MPI_BYTE, (me - mask + root) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    break;
                }
            for (mask /= 2; mask > 0; mask /= 2)
                if (me + mask < ranks)
                    MPI_Send(out_buffer, 1024, MPI_BYTE, (me + mask + root) % ranks, 1, MPI_COMM_WORLD);
        } else {
            for (int child = wide * me + 1; child <= wide * me + wide && child < ranks; child++)
                MPI_Recv(in_buffer, 1024, MPI_BYTE, (child + root) % ranks, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (me) {
                int parent = ((me - 1) / wide + root) % ranks;
                MPI_Send(out_buffer, 1024, MPI_BYTE, parent, 2, MPI_COMM_WORLD);
                MPI_Recv(in_buffer, 1024, MPI_BYTE, parent, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
            for (int child = wide * me + 1; child <= wide * me + wide && child < ranks; child++)
                MPI_Send(out_buffer, 1024, MPI_BYTE, (child + root) % ranks, 3, MPI_COMM_WORLD);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return end();
}
