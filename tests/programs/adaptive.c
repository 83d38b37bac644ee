/* An adaptive solver on a periodic ring of blocks: inner iterations differ from step to
   step, messages grow with the refinement, a check is made every third step. */
int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    static const int inner[] = {3, 5, 4, 7, 2, 6, 3, 8, 5, 4};
    double mine = 1, sum;
    for (int step = 0; step < 10; step++) {
        int cells = 100 + 20 * (step / 2) + 4 * (rank % 3);
        for (int i = 0; i < inner[step]; i++) {
            MPI_Request all[4];
            MPI_Irecv(in_buffer, 2000, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &all[0]);
            MPI_Irecv(in_buffer, 2000, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &all[1]);
            MPI_Isend(out_buffer, cells, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &all[2]);
            MPI_Isend(out_buffer, cells, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &all[3]);
            MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
            MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
        if (step % 3 == 0) MPI_Gather(&mine, 1, MPI_DOUBLE, in_buffer, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    return end();
}
