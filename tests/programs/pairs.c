/* Benchmarks between halves of the ranks, as those of OSU and IMB: pairs KIND. pingpong:
   message sizes double; window: 8 sends, then one answer; exchange: IMB's Exchange. */
int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int half = ranks / 2, other = rank < half ? rank + half : rank - half;
    if (!strcmp(argv[1], "exchange")) {
        int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
        for (int size = 1; size <= 65536; size *= 4)
            for (int turn = 0; turn < 5; turn++) {
                MPI_Request two[2];
                MPI_Isend(out_buffer, size, MPI_BYTE, left, 1, MPI_COMM_WORLD, &two[0]);
                MPI_Isend(out_buffer, size, MPI_BYTE, right, 2, MPI_COMM_WORLD, &two[1]);
                MPI_Recv(in_buffer, size, MPI_BYTE, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Recv(in_buffer, size, MPI_BYTE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
            }
    } else if (rank < 2 * half)
        for (int size = 1; size <= 65536; size *= 2)
            for (int turn = 0; turn < 5; turn++) {
                int many = !strcmp(argv[1], "window") ? 8 : 1;
                MPI_Request all[8];
                if (rank < half) {
                    for (int i = 0; i < many; i++) MPI_Isend(out_buffer, size, MPI_BYTE, other, 1, MPI_COMM_WORLD, &all[i]);
                    MPI_Waitall(many, all, MPI_STATUSES_IGNORE);
                    MPI_Recv(in_buffer, 65536, MPI_BYTE, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                } else {
                    for (int i = 0; i < many; i++) MPI_Irecv(in_buffer, size, MPI_BYTE, other, 1, MPI_COMM_WORLD, &all[i]);
                    MPI_Waitall(many, all, MPI_STATUSES_IGNORE);
                    MPI_Send(out_buffer, many > 1 ? 4 : size, MPI_BYTE, other, 2, MPI_COMM_WORLD);
                }
            }
    MPI_Barrier(MPI_COMM_WORLD);
    return end();
}
