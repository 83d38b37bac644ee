/* What one thread needs to read locations one after the other; parts of the decoder. */
#ifndef TOPOVIEW_READER_H
#define TOPOVIEW_READER_H

#include "bytes.h"
#include "decoder.h"
#include "table.h"

/* Types of records (OTF2_Events.h). */
enum record {
    END_OF_CHUNK = 0,
    END_OF_FILE = 2,
    MARK = 3, /* begins the header of a chunk */
    TIMESTAMP = 5,
    ATTRIBUTES = 6,
    FLUSH = 10,
    MEASUREMENT = 11,
    ENTER = 12,
    LEAVE = 13,
    SEND = 14,
    ISEND = 15,
    ISEND_COMPLETE = 16,
    IRECV_REQUEST = 17,
    RECV = 18,
    IRECV = 19,
    CANCELLED = 21,
    COLLECTIVE_END = 23,
    METRIC = 31,
    RMA_FIRST = 35, /* windows, operations of their ranks, locks */
    RMA_LAST = 43,
    CONTEXT_ENTER = 66,
    CONTEXT_LEAVE = 67,
    COLLECTIVE_REQUEST = 85,
    COLLECTIVE_COMPLETE = 86,
    PROBE = 89,
    MRECV = 90,
    IMRECV_REQUEST = 91,
    IMRECV = 92
};

enum { MEASUREMENT_ON = 1, FIRST_PSEUDO_COLLECTIVE = 17, CREATE_HANDLE = 17 };

/* Kinds of identifiers that local definitions map (OTF2_MappingType). */
enum mapping {
    MAP_STRING, MAP_ATTRIBUTE, MAP_LOCATION, MAP_REGION, MAP_GROUP, MAP_METRIC,
    MAP_COMM, MAP_PARAMETER, MAP_WINDOW, MAP_SOURCE, MAP_CONTEXT, MAP_GENERATOR,
    MAP_FILE, MAP_HANDLE, MAP_LOCATION_GROUP
};

enum { HEADER = 18, LITTLE = 0x42, BIG = 0x23, TAIL = 4 };
enum { LARGEST_CHUNK = 1 << 27 }; /* bytes: none is loaded that is larger */
enum { MOST_BLOCKS = 1 << 20 };   /* of a compressed file: more are left out */
enum { DENSE = 0, SPARSE = 1 };

#define MAX_TIME (INT64_C(7) << 60) /* times behind it are damaged */

/* A region in one word: its number, the state in it, whether it is an MPI call. */
#define NO_REGION INT64_C(0xFFFFFFFF)
#define IS_CALL (INT64_C(1) << 40)
#define SHOWN (IS_CALL - 1)
enum { STATE_OUTSIDE = 0, STATE_COMPUTE = 1, STATE_MEASUREMENT = 10 };
#define REGION_UNKNOWN (NO_REGION | (int64_t)STATE_COMPUTE << 32)
#define OUTSIDE (NO_REGION | (int64_t)STATE_OUTSIDE << 32)

/* What posted a request, in the lowest bits of its value; above them the send, the
 * receive, the part in a collective, or the call of a send that is no message. */
enum { BY_SEND, BY_RECEIVE, BY_COLLECTIVE, BY_CALL };

enum {
    SLOTS = 256,                  /* of the table of requests, at first */
    PATH_SLOTS = 64,              /* of that of call paths */
    MAX_PATH_DEPTH = 256,         /* levels that are kept of a call path */
    MAX_KEPT_LEVELS = 255,        /* levels that are known to have stayed open */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    MAX_LOCATION_PATHS = 1 << 6, /* short inputs are to reach it */
#else
    MAX_LOCATION_PATHS = 1 << 14, /* that are kept of a location */
#endif
    SEVERAL = -2                  /* of `completes` until the end: several calls posted */
};

struct map {
    uint64_t *items; /* dense: global identifiers; sparse: pairs, in order */
    uint64_t count;
    unsigned mode;
};

/* Between two measured offsets of the clock. */
struct clock {
    uint64_t begin, end, offset;
    double slope;
};

/* Memory that lives as long as the reader. */
struct block;

/* Bytes that are used again, and as many as PADDING behind them. */
struct room {
    uint8_t *bytes;
    size_t size;
};

/* A chunk in memory, as far as its records are to be read. */
struct view {
    const uint8_t *begin, *end;
    bool swap;
    int64_t events;
};

struct reader {
    struct archive *archive;
    struct block *arena;

    /* What is in memory of a file, and zeros behind it. */
    struct room loaded;
    uint8_t *bytes;

    /* The blocks of the compressed file that was read last, and one of them. */
    struct room index, deflated, inflated;
    struct packed_block *blocks;
    int64_t block_count, inflated_block, inflated_size;
    int blocks_of;

    /* Local definitions. */
    uint8_t *definitions; /* what was taken last, if `defined` */
    size_t definitions_size;
    const uint8_t *definitions_held;
    bool defined;
    enum fault definitions_fault;
    int64_t offsets;
    struct map maps[MAPPINGS];
    uint64_t *items;
    struct clock *clocks;
    size_t items_room;
    int64_t clock_count, clock;
    const int64_t *regions; /* words by the location's identifiers */
    uint64_t region_count;
    int64_t *region_table;
    size_t region_room;

    /* The communicator that was looked up last. */
    int64_t comm_known, comm_number;
    const int32_t *comm_ranks;
    int64_t comm_size; /* 0: of the own rank; -1: nobody is known */

    /* Counting. */
    int64_t first, opening, ending;
    int64_t tallies[2][KINDS];
    int16_t longest[256]; /* length up to which a record is common, by type */
    uint8_t widths[256];  /* fields of further records */

    /* The location that is filled. */
    int64_t rank, origin, idle;
    int64_t *stack;
    size_t stack_size;
    int64_t now, depth, off, open_level, open_call;
    int64_t interval, first_interval, interval_limit, shown;
    int64_t call, first_call, call_limit;
    int64_t send, first_send, send_limit, receive, receive_limit, part, part_limit;
    bool several;
    bool has_gaps;     /* measurement was off for some time */
    int64_t cut;       /* since when, if a call was open and nothing was left since; -1 */
    int64_t cancelled; /* sends: their receiver is nobody until the end */
    struct table requests;
    struct table paths;
    int64_t path_nodes[MAX_PATH_DEPTH + 1]; /* of the open levels */
    int64_t path_count, path_known;
    int32_t path_parents[MAX_LOCATION_PATHS], path_regions[MAX_LOCATION_PATHS];
    struct further_rows {
        int64_t next, limit;
    } further[256];
    const int32_t *last_paths; /* handed out for the location before */
    int64_t last_path_count;
    struct oddities oddities;
};

/* reader.c */
void *keep(struct reader *reader, size_t size);
bool claim_room(struct room *room, size_t size);
/* A part of a file: bytes that there were, or -1 and errno. */
int64_t load_bytes(int file, uint8_t *bytes, int64_t begin, int64_t size);
/* The same, inflated where it is compressed, into the reader's memory, zeros behind it;
 * -2 if there is no memory. */
int64_t load(struct reader *reader, int file, int64_t begin, int64_t size);
/* A location's file, and how many bytes it has, inflated; or -1 and errno. */
int open_file(struct reader *reader, const struct location *location, const char *ending,
              int64_t *size);
/* Whether to go on, after so many bytes. */
bool advance(struct reader *reader, int64_t size);

/* packed.c: finds the blocks of a compressed file; false if there is no memory. */
bool find_blocks(struct reader *reader, int file);
int64_t inflated_size(const struct reader *reader);
int64_t load_inflated(struct reader *reader, int file, uint8_t *bytes, int64_t begin,
                      int64_t size);

/* definitions.c: takes the local definitions, from their file if `held` is NULL; false
 * if there is no memory. */
bool define(struct reader *reader, struct location *location, const uint8_t *held,
            int64_t size);

/* count.c */
bool count_location(struct reader *reader, struct location *location);
bool peek(struct reader *reader, struct location *location);
bool read_header(const uint8_t *at, int64_t size, bool *swap, uint64_t *first,
                 uint64_t *last);

/* seek.c and walk.c */
bool find_end(struct reader *reader, struct location *location);
bool find_start(struct reader *reader, struct location *location);

/* fill.c */
enum filled { ALL_FILLED, FILE_CHANGED, MEMORY_LACKS };
bool fill_location(struct reader *reader, struct location *location);

/* paths.c */
int64_t descend(struct reader *reader, int64_t known, int64_t level);

/* further.c: the content of a record, which is `size` bytes. */
enum taken { TAKEN, SPOILT, NO_ROOM };
uint64_t count_values(struct cursor content, uint64_t size);
uint64_t count_attributes(struct cursor content, uint64_t size);
enum taken take_further(struct reader *reader, unsigned kind, struct cursor content,
                        uint64_t size);
/* A value, as far as its OTF2_Type says; identifiers as they are. */
uint64_t take_value(struct cursor *content, unsigned type);
void take_attributes(struct reader *reader, struct cursor content, uint64_t size,
                     unsigned kind);

/* messages.c: a record of a message, a request or a collective. */
enum taken take_message(struct reader *reader, unsigned kind, struct cursor content,
                        uint64_t size);
/* The same for a common one with NEAR bytes in memory, in a call: where it ends; NULL,
 * and nothing is done, if something about it is unusual. */
const uint8_t *take_near(struct reader *reader, unsigned kind, const uint8_t *at,
                         int64_t time, int64_t call);

#endif
