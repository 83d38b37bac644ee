/* EZTrace records the receives of requests that Fortran programs wait for, not of
 * those that C programs do; it knows a request by its address. With
 * `mpicc -include skeleton-fortran.h` a C program calls the Fortran bindings (link
 * with -lmpi_mpifh) and its requests keep their addresses. */
#include <mpi.h>
#include <stdlib.h>

void mpi_isend_(const void *, int *, MPI_Fint *, int *, int *, MPI_Fint *, MPI_Fint *, int *);
void mpi_irecv_(void *, int *, MPI_Fint *, int *, int *, MPI_Fint *, MPI_Fint *, int *);
void mpi_wait_(MPI_Fint *, MPI_Fint *, int *);
void mpi_waitall_(int *, MPI_Fint *, MPI_Fint *, int *);

#define SLOTS 65536

static MPI_Fint slot[SLOTS];
static int slots_used, slots_open;

static inline MPI_Fint *new_slot(void)
{
    if (slots_open == 0 || slots_used == SLOTS)
        slots_used = 0;
    slots_open++;
    return &slot[slots_used++];
}

static inline int slot_of(MPI_Request r)
{
    MPI_Fint wanted = MPI_Request_c2f(r);
    for (int i = slots_used - 1; i >= 0; i--)
        if (slot[i] == wanted)
            return i;
    return -1;
}

static inline int fortran_isend(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request *r)
{
    MPI_Fint ft = MPI_Type_c2f(t), fc = MPI_Comm_c2f(c), *fr = new_slot();
    int e;
    mpi_isend_(b, &n, &ft, &to, &tag, &fc, fr, &e);
    *r = MPI_Request_f2c(*fr);
    return e;
}

static inline int fortran_irecv(void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request *r)
{
    MPI_Fint ft = MPI_Type_c2f(t), fc = MPI_Comm_c2f(c), *fr = new_slot();
    int e;
    mpi_irecv_(b, &n, &ft, &from, &tag, &fc, fr, &e);
    *r = MPI_Request_f2c(*fr);
    return e;
}

static inline int fortran_wait(MPI_Request *r, MPI_Status *s)
{
    MPI_Fint status[sizeof(MPI_Status) / sizeof(MPI_Fint) + 1], none = MPI_Request_c2f(*r);
    int e, i = slot_of(*r);
    (void)s;
    mpi_wait_(i < 0 ? &none : &slot[i], status, &e);
    slots_open -= i >= 0;
    *r = MPI_REQUEST_NULL;
    return e;
}

/* Waits for a stretch of slots; those in between that are closed do no harm. */
static inline int fortran_waitall(int n, MPI_Request *r, MPI_Status *s)
{
    size_t size = sizeof(MPI_Status) / sizeof(MPI_Fint) + 1;
    int low = SLOTS, high = -1, count, e;
    MPI_Fint *status;
    (void)s;
    for (int i = 0; i < n; i++) {
        int k = slot_of(r[i]);
        low = k < low ? k : low;
        high = k > high ? k : high;
    }
    count = high < 0 ? 0 : high - low + 1;
    status = malloc(((size_t)count + 1) * size * sizeof *status);
    mpi_waitall_(&count, &slot[count ? low : 0], status, &e);
    for (int i = 0; i < n; i++)
        r[i] = MPI_REQUEST_NULL;
    slots_open -= n;
    free(status);
    return e;
}

#define MPI_Isend fortran_isend
#define MPI_Irecv fortran_irecv
#define MPI_Wait fortran_wait
#define MPI_Waitall fortran_waitall
