/* Files, in the folder where the program runs; they go when they are closed. */

static MPI_File file[PLACES];
static MPI_Offset position[PLACES]; /* of this rank's calls that name one */

static inline void file_open(int f, int together)
{
    char name[64];
    snprintf(name, sizeof name, together ? "skeleton_%d.tmp" : "skeleton_%d_%d.tmp", f, rank);
    if (MPI_File_open(together ? MPI_COMM_WORLD : MPI_COMM_SELF, name,
                      MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file[f]) != MPI_SUCCESS)
        stop("cannot open a file here");
    position[f] = 0;
}

static inline void file_close(int f) { MPI_File_close(&file[f]); }
static inline void file_sync(int f) { MPI_File_sync(file[f]); }
static inline void file_seek(int f) { MPI_File_seek(file[f], 0, MPI_SEEK_SET); }
static inline void file_set_view(int f) { MPI_File_set_view(file[f], 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL); }

#define MOVES(name, call, buffer)                                                  \
    static inline void name(long bytes, int f)                                     \
    {                                                                              \
        call(file[f], buffer(bytes), (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE);     \
    }
MOVES(file_write, MPI_File_write, outgoing)
MOVES(file_write_all, MPI_File_write_all, outgoing)
MOVES(file_write_shared, MPI_File_write_shared, outgoing)
MOVES(file_write_ordered, MPI_File_write_ordered, outgoing)
MOVES(file_read, MPI_File_read, incoming)
MOVES(file_read_all, MPI_File_read_all, incoming)
MOVES(file_read_shared, MPI_File_read_shared, incoming)
MOVES(file_read_ordered, MPI_File_read_ordered, incoming)

#define MOVES_AT(name, call, buffer)                                               \
    static inline void name(long bytes, int f)                                     \
    {                                                                              \
        call(file[f], position[f], buffer(bytes), (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE); \
        position[f] += bytes;                                                      \
    }
MOVES_AT(file_write_at, MPI_File_write_at, outgoing)
MOVES_AT(file_write_at_all, MPI_File_write_at_all, outgoing)
MOVES_AT(file_read_at, MPI_File_read_at, incoming)
MOVES_AT(file_read_at_all, MPI_File_read_at_all, incoming)

#define MOVES_LATER(name, call)                                                    \
    static inline void name(int q, long bytes, int f)                              \
    {                                                                              \
        struct request *own = opened(q);                                           \
        room(&own->buffer, &own->room, bytes);                                     \
        call(file[f], own->buffer, (int)bytes, MPI_BYTE, &own->handle);            \
    }
MOVES_LATER(file_iwrite, MPI_File_iwrite)
MOVES_LATER(file_iwrite_shared, MPI_File_iwrite_shared)
MOVES_LATER(file_iread, MPI_File_iread)
MOVES_LATER(file_iread_shared, MPI_File_iread_shared)

#define MOVES_LATER_AT(name, call)                                                 \
    static inline void name(int q, long bytes, int f)                              \
    {                                                                              \
        struct request *own = opened(q);                                           \
        room(&own->buffer, &own->room, bytes);                                     \
        call(file[f], position[f], own->buffer, (int)bytes, MPI_BYTE, &own->handle); \
        position[f] += bytes;                                                      \
    }
MOVES_LATER_AT(file_iwrite_at, MPI_File_iwrite_at)
MOVES_LATER_AT(file_iread_at, MPI_File_iread_at)
