/* Wavefront sweeps from the eight corners, as Sweep3D and SNAP: sweep X Y [TURNS] [BLOCKS]. */
int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int nx = atoi(argv[1]), ny = atoi(argv[2]), x = rank % nx, y = rank / nx;
    int turns = argc > 3 ? atoi(argv[3]) : 3, blocks = argc > 4 ? atoi(argv[4]) : 4;
    truth_place(2, (int[]){x, y});
    double mine = 1, sum;
    for (int turn = 0; turn < turns; turn++) {
        for (int octant = 0; octant < 8; octant++) {
            int i = octant & 1 ? -1 : 1, j = octant & 2 ? -1 : 1;
            int before_x = x - i, after_x = x + i, before_y = y - j, after_y = y + j;
            for (int block = 0; block < blocks; block++) {
                if (before_x >= 0 && before_x < nx)
                    MPI_Recv(in_buffer, 600, MPI_DOUBLE, y * nx + before_x, octant, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                if (before_y >= 0 && before_y < ny)
                    MPI_Recv(in_buffer, 800, MPI_DOUBLE, before_y * nx + x, octant, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                if (after_x >= 0 && after_x < nx)
                    MPI_Send(out_buffer, 600, MPI_DOUBLE, y * nx + after_x, octant, MPI_COMM_WORLD);
                if (after_y >= 0 && after_y < ny)
                    MPI_Send(out_buffer, 800, MPI_DOUBLE, after_y * nx + x, octant, MPI_COMM_WORLD);
            }
        }
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    return end();
}
