/* A ring whose ranks also write a file each turn: files. */
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    truth_place(1, &rank);
    double given = rank, sum;
    for (int turn = 0; turn < 8; turn++) {
        char name[64];
        snprintf(name, sizeof name, "out.%d", rank);
        int file = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0644);
        if (write(file, out_buffer, 4096) != 4096) return 1;
        close(file);
        MPI_Request one;
        MPI_Isend(out_buffer, 100, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &one);
        MPI_Recv(in_buffer, 100, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&one, MPI_STATUS_IGNORE);
        MPI_Allreduce(&given, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    return end();
}
