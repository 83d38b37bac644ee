static inline int local(int world, MPI_Comm of)
{
    MPI_Group all, own;
    int there = MPI_PROC_NULL;
    if (world < 0)
        return MPI_PROC_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_group(of, &own);
    MPI_Group_translate_ranks(all, 1, &world, own, &there);
    MPI_Group_free(&all);
    MPI_Group_free(&own);
    return there;
}
