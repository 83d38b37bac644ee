/* Exchanges at distances 1, 2, 4, ...: powers KIND.
   doubling: recursive doubling, ranks beyond a power of two fold in; dissemination: to
   rank + 2^k modulo ranks; bitonic: sorts on a hypercube; halving: sizes halve. */
static void swap(int other, int bytes, int tag)
{
    MPI_Request two[2];
    MPI_Irecv(in_buffer, bytes, MPI_BYTE, other, tag, MPI_COMM_WORLD, &two[0]);
    MPI_Isend(out_buffer, bytes, MPI_BYTE, other, tag, MPI_COMM_WORLD, &two[1]);
    MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    const char *kind = argv[1];
    int power = 1;
    while (2 * power <= ranks) power *= 2;
    for (int turn = 0; turn < 8; turn++) {
        if (!strcmp(kind, "doubling")) {
            int rest = ranks - power, me = rank;
            if (rank < 2 * rest) {
                if (rank % 2 == 0) MPI_Send(out_buffer, 800, MPI_BYTE, rank + 1, 9, MPI_COMM_WORLD);
                else MPI_Recv(in_buffer, 800, MPI_BYTE, rank - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                me = rank % 2 ? rank / 2 : -1;
            } else me = rank - rest;
            for (int k = 1; k < power && me >= 0; k *= 2) {
                int other = me ^ k;
                swap(other < rest ? 2 * other + 1 : other + rest, 800, 1);
            }
            if (rank < 2 * rest) {
                if (rank % 2) MPI_Send(out_buffer, 800, MPI_BYTE, rank - 1, 9, MPI_COMM_WORLD);
                else MPI_Recv(in_buffer, 800, MPI_BYTE, rank + 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
        } else if (!strcmp(kind, "dissemination")) {
            for (int k = 1; k < ranks; k *= 2) {
                MPI_Request one;
                MPI_Isend(out_buffer, 8, MPI_BYTE, (rank + k) % ranks, 1, MPI_COMM_WORLD, &one);
                MPI_Recv(in_buffer, 8, MPI_BYTE, (rank + ranks - k % ranks) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Wait(&one, MPI_STATUS_IGNORE);
            }
        } else if (!strcmp(kind, "bitonic")) {
            for (int stage = 2; stage <= ranks; stage *= 2)
                for (int k = stage / 2; k > 0; k /= 2) swap(rank ^ k, 4096, 1);
        } else {
            for (int k = 1, size = 65536; k < power; k *= 2, size /= 2) swap(rank ^ k, size, 1);
        }
    }
    return end();
}
