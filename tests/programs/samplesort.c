/* Sample sort: gather of samples, broadcast of splitters, alltoall of counts, alltoallv. */
int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int counts[64], starts[64], in_counts[64], in_starts[64];
    for (int turn = 0; turn < 4; turn++) {
        MPI_Gather(out_buffer, 16, MPI_INT, in_buffer, 16, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Bcast(in_buffer, ranks - 1, MPI_INT, 0, MPI_COMM_WORLD);
        for (int i = 0, at = 0; i < ranks; i++) {
            counts[i] = 50 + (rank * 7 + i * 13 + turn) % 50;
            starts[i] = at;
            at += counts[i];
        }
        MPI_Alltoall(counts, 1, MPI_INT, in_counts, 1, MPI_INT, MPI_COMM_WORLD);
        for (int i = 0, at = 0; i < ranks; i++) { in_starts[i] = at; at += in_counts[i]; }
        MPI_Alltoallv(out_buffer, counts, starts, MPI_INT, in_buffer, in_counts, in_starts, MPI_INT, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return end();
}
