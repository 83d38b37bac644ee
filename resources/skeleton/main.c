static void usage(void)
{
    leave("usage: skeleton [options]\n"
         "  --busy           compute in a loop (else asleep)\n"
         "  --speed FACTOR   multiply the computing time by this\n"
         "  --dims N...      extents of the lattice, x first (of the trace: $dims)\n" /* if lattice */
         );
}

int main(int argc, char **argv)
{
    static const int given[DIMENSIONS + 1] = {$dims};
    static const int longest_first[] = {$longest_first}; /* if lattice */
    int sides[DIMENSIONS] = {0}; /* if lattice */
    int places = 1, p;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    comm[0] = MPI_COMM_WORLD;
    memcpy(extent, given, sizeof extent);
    if (ranks != RANKS) { /* if lattice */
        MPI_Dims_create(ranks, DIMENSIONS, sides); /* if lattice */
        for (int k = 0; k < DIMENSIONS; k++) /* if lattice */
            extent[longest_first[k]] = sides[k]; /* if lattice */
    } /* if lattice */
    memset(turn, 0, sizeof turn);
    while (1 << levels < ranks)
        levels++;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--busy") == 0)
            busy = 1;
        else if (strcmp(argv[i], "--speed") == 0 && i + 1 < argc)
            speed = atof(argv[++i]);
        else if (strcmp(argv[i], "--dims") == 0 && i + DIMENSIONS < argc)
            for (int k = 0; k < DIMENSIONS; k++)
                extent[k] = atoi(argv[++i]);
        else
            usage();
    if (ranks != RANKS || memcmp(extent, given, sizeof extent) != 0) /* if bound */
        leave("this skeleton runs on $ranks ranks only"); /* if bound */
    if (extent[0] != extent[1]) /* if square */
        leave("partners are transposed: the lattice must be as long as wide"); /* if square */
    if (ranks != RANKS && (ranks & (ranks - 1))) /* if bits */
        leave("partners differ by a bit: the number of ranks must be a power of two"); /* if bits */
    for (int k = 0; k < DIMENSIONS; k++)
        places *= extent[k];
    if (DIMENSIONS && places != ranks)
        leave("the lattice has not a place for each rank: give --dims");
    natural = memcmp(extent, given, sizeof extent) != 0; /* if numbered */
    p = place_of(rank);
    for (int k = 0; k < DIMENSIONS; k++) {
        place[k] = p % extent[k];
        p /= extent[k];
    }
    $early
    program();
    for (int q = 0; q < STATEMENTS; q++)
        if (left_open(q))
            wait_all(1, &q);
    MPI_Finalize();
    return 0;
}
