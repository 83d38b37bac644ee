/* Phases that alternate: phases Q KIND, on q x q ranks. A periodic halo some times, then
   a transposition (transpose) or a sum by recursive doubling (doubling). */
static void swap(int to, int from, int bytes, int tag)
{
    MPI_Request two[2];
    MPI_Irecv(in_buffer, bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, &two[0]);
    MPI_Isend(out_buffer, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, &two[1]);
    MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int q = atoi(argv[1]), x = rank % q, y = rank / q;
    for (int phase = 0; phase < 4; phase++) {
        for (int turn = 0; turn < 12; turn++) {
            swap(y * q + (x + 1) % q, y * q + (x + q - 1) % q, 2048, 1);
            swap(y * q + (x + q - 1) % q, y * q + (x + 1) % q, 2048, 2);
            swap((y + 1) % q * q + x, (y + q - 1) % q * q + x, 2048, 3);
            swap((y + q - 1) % q * q + x, (y + 1) % q * q + x, 2048, 4);
        }
        for (int turn = 0; turn < 6; turn++)
            if (!strcmp(argv[2], "transpose")) {
                if (x != y) swap(x * q + y, x * q + y, 4096, 5);
            } else
                for (int k = 1; k < ranks; k *= 2) swap(rank ^ k, rank ^ k, 1024, 6);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return end();
}
