/* Particles move between neighbours of a 2D torus: how many differs by rank and step; the
   number goes first, then the data, only if there are any: particles X Y. */
int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int nx = atoi(argv[1]), ny = atoi(argv[2]), x = rank % nx, y = rank / nx;
    truth_place(2, (int[]){x, y});
    int to[4] = {y * nx + (x + 1) % nx, y * nx + (x + nx - 1) % nx,
                 (y + 1) % ny * nx + x, (y + ny - 1) % ny * nx + x};
    double mine = 1, sum;
    for (int step = 0; step < 10; step++) {
        for (int i = 0; i < 4; i++) {
            int many = (rank * 31 + step * 17 + i * 7) % 5 * 24, coming = 0;
            MPI_Request one;
            MPI_Isend(&many, 1, MPI_INT, to[i], 10 + i, MPI_COMM_WORLD, &one);
            MPI_Recv(&coming, 1, MPI_INT, to[i ^ 1], 10 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Wait(&one, MPI_STATUS_IGNORE);
            if (many) MPI_Isend(out_buffer, many, MPI_DOUBLE, to[i], 20 + i, MPI_COMM_WORLD, &one);
            if (coming) MPI_Recv(in_buffer, coming, MPI_DOUBLE, to[i ^ 1], 20 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (many) MPI_Wait(&one, MPI_STATUS_IGNORE);
        }
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    return end();
}
