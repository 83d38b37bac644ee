/* The decoder of OTF2 events: what Python, and the fuzzer, see of it.
 *
 * Whoever calls owns the structures and the columns, and keeps them until the last
 * reader is freed. What readers find and hand out through `struct location` lies in
 * their own memory, and goes with them. All structures are mirrored in `library.py`;
 * `decoder_sizes` tells whether both agree.
 *
 * Nothing in a file is trusted: all that is loaded is bounded by the chunk in memory,
 * all that is stored by the rows that the first pass counted.
 */
#ifndef TOPOVIEW_DECODER_H
#define TOPOVIEW_DECODER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

/* Results of functions. */
enum { FINE = 0, NO_MEMORY = 1 };

/* What is wrong with a file. */
enum fault { SOUND, MISSING, EMPTY, CUT_SHORT, DAMAGED, UNREADABLE, CHANGED };

/* What is counted besides the 256 types of records. */
enum {
    CALLS = 256,       /* MPI calls that begin */
    VALUES,            /* values of metrics */
    ATTRIBUTED,        /* attributes */
    EXTRA,             /* intervals besides those that events begin */
    EARLIER_SENDS,     /* messages before the part that is read */
    EARLIER_RECEIVES,
    KINDS
};

enum { TABLES = 5, MAPPINGS = 15, MOST_FIELDS = 8, MOST_FORMS = 16 };

/* Senders of receives: not completed, or matched; nobody; not in the communicator. */
enum { NOBODY = -1, UNKNOWN_PARTNER = -2, NOT_THERE = -3 };

/* Operation of a collective that was posted and never completed. */
enum { NO_PART = 255 };

/* A receive: together, for all of it is looked at when it is matched. */
struct received {
    int32_t rank;
    uint32_t tag;
    int32_t communicator;
    uint32_t local;
    int64_t size, call, time, post;
};

/* A communicator between two groups has two of these. */
struct side {
    const int32_t *members, *sorted;
    int64_t count;
};

/* A table of further records: a time and some fields a row. */
struct further {
    int64_t *times, *fields;
    const int64_t *offsets; /* where each location's rows begin */
    int64_t *filled;        /* where they end */
};

/* The columns, all locations one after the other. */
struct columns {
    const int64_t *offsets[TABLES]; /* intervals, calls, sends, receives, parts */
    int64_t *filled[TABLES];
    int64_t *time;
    uint8_t *state;
    int32_t *region;
    int32_t *call_region;
    int64_t *enter, *leave, *completes;
    int32_t *call_path;
    uint8_t *call_kept;
    int32_t *sender, *receiver;
    int64_t *size;
    int32_t *tag, *communicator;
    int64_t *send_call, *receive_call, *completion_call;
    int64_t *send_completion; /* the call in which the send completed */
    int64_t *send_time, *receive_time;
    struct received *receives;
    int64_t *posted; /* when receives were posted; may be NULL */
    int64_t *part_call;
    int32_t *part_communicator;
    uint8_t *part_operation;
    int32_t *part_root;
    int64_t *part_sent, *part_received;
    int64_t *part_completion; /* the call in which it completed */
};

/* A chunk of a file that can be read. */
struct chunk {
    int64_t begin, size;
    int64_t events; /* behind the bytes that are skipped */
    int32_t skip;
    int32_t swap;
};

struct tally {
    int64_t kind, count;
};

/* A location: who it is, what is read of it, and what was found. */
struct location {
    uint64_t id;
    int64_t wanted; /* 0: only its first event's time is */
    int64_t rank;
    int64_t idle;   /* state outside of all regions */
    int64_t origin; /* time stamp that is time 0 */

    /* The part of its file: so many bytes, up to the first end of a region that is
     * not before a time stamp (-1: all). */
    int64_t part, until;
    /* Where reading begins: chunk (-1: at the file's beginning), bytes and events of
     * it that are left out; the first event of all and the last one before; whether
     * measurement is off; regions that are open; partner, communicator and tag of
     * messages that are not matched. */
    int64_t start_chunk, start_skip, start_events, start_first, start_now, start_off;
    const int64_t *words;
    int64_t depth;
    const int64_t *sends, *receives;
    int64_t send_count, receive_count;
    /* Messages of each channel before that: partner, communicator, tag, number, and
     * whether they were received; 2: parts in collective operations. */
    const int64_t *channels;
    int64_t channel_count;
    int64_t strange; /* what is before has to be decoded to know what it means */

    /* First pass. */
    int64_t first;   /* time stamp of the first event, -1 without one */
    int64_t offsets; /* offsets of the clock */
    int64_t size, events, lost;
    int64_t fault, fault_errno, definitions_fault, definitions_errno;
    int64_t started;  /* reading begins where `start_chunk` says */
    int64_t is_whole; /* counted up to the end of the file */
    const struct chunk *chunks;
    int64_t chunk_count;
    const struct tally *tallies;
    int64_t tally_count;
    const uint8_t *content, *definitions; /* files that stay in memory, or NULL */
    int64_t content_size, definitions_size;

    /* Second pass. */
    int64_t changed, changed_errno;
    int64_t unsettled; /* what is behind the part changes what is in it */
    int64_t last;      /* time stamp of the last event, -1 without one */
    int64_t open_word; /* what it is in at the end if that is an MPI call; else -1 */
    const int32_t *paths; /* call paths: those around each, then the regions */
    int64_t path_count;
};

/* What did not fit, of all locations that a reader filled. */
struct oddities {
    int64_t unbalanced, astray, unknown_senders, spoilt, path_cut, cancelled, overlaps;
};

/* A block of a file that OTF2 compressed: where it is, and where inflated. */
struct packed_block {
    int64_t begin, size, whole_begin, whole;
};

/* What all locations share. */
struct archive {
    const char *folder;
    /* Inflates a block, to at most so many bytes, if files are compressed: how many there
     * are; -2 if there is no memory. */
    int64_t (*inflate)(const uint8_t *packed, int64_t size, uint8_t *whole, int64_t room);
    int64_t event_chunk, definition_chunk;
    int64_t flat;  /* EZTrace: calls do not nest, receives may be wrong */
    int64_t until; /* ticks; what is not before them is not wanted */
    const uint8_t *bare;  /* [256]: a type of record has no length */
    const uint8_t *forms; /* [256][MOST_FIELDS]: form | (mapping + 1) << 4 */
    /* Regions as words (`meaning.h`): by identifier, or found by it. */
    const int64_t *direct;
    int64_t direct_count;
    const uint32_t *identifiers;
    const int64_t *packed;
    int64_t identifier_count;
    const int64_t *contexts;
    int64_t context_count;
    /* Communicators, by identifier; the first one is that of all ranks. */
    const uint32_t *comm_identifiers;
    const int32_t *comm_numbers;
    int64_t comm_count;
    const int64_t *comm_begins;
    const int32_t *comm_ranks;
    const struct side *comm_sides; /* two of each, or NULL */
    struct location *locations;
    const int64_t *order; /* of the locations, in which they are read */
    int64_t order_count;
    struct columns *columns;
    struct further *further; /* [256]: by type of record */
    /* Shared by readers in threads. */
    _Atomic int64_t next; /* place in the order that is read next */
    _Atomic int64_t done; /* bytes */
    _Atomic int64_t stop;
    _Atomic int64_t room; /* bytes for small files that stay in memory */
};

/* What readers do with locations: `decoder_work`. */
enum task {
    COUNT_ALL, /* first pass */
    PEEK,      /* the first event's time */
    FIND_END,  /* the part that ends with `until` */
    FIND_START, /* what is before the time stamp `start_now` */
    FILL       /* second pass */
};

struct reader;

EXPORT void decoder_sizes(int64_t sizes[4]);
EXPORT struct reader *decoder_open(struct archive *archive);
EXPORT void decoder_close(struct reader *reader);
/* Takes locations in order, as long as there are some and nobody says stop. */
EXPORT int decoder_work(struct reader *reader, int task);
EXPORT void decoder_oddities(const struct reader *reader, struct oddities *found);
/* Counts records of each type, in all locations. */
EXPORT void decoder_totals(const struct location *locations, int64_t count,
                           int64_t totals[KINDS]);
/* Counts records of those types that `wanted[KINDS]` marks, of each location. */
EXPORT void decoder_tally(const struct location *locations, int64_t count,
                          const uint8_t *wanted, int64_t *found);
/* Puts call paths of all locations together; arrays are as large as all can need. */
EXPORT int decoder_join_paths(const struct location *locations, int64_t count,
                              const int64_t *offsets, int32_t *column, int64_t most,
                              int32_t *parents, int32_t *regions, int64_t found[2]);
/* Finds the blocks of a compressed file, up to the first one that is none; NULL: counts. */
EXPORT int64_t decoder_blocks(int file, struct packed_block *blocks, int64_t most);
/* Reads a file of global definitions, behind which PADDING zeros stand, up to the first
 * record that is damaged. Called with tables that are NULL it counts: records of each
 * type, and items of lists. Gives where the file ends by what is in it; -1 if it is cut
 * or damaged. */
EXPORT int64_t decoder_definitions(const uint8_t *file, int64_t size, int64_t chunk,
                                   const uint8_t *forms /* [256][MOST_FORMS] */,
                                   uint64_t *const *rows /* [256] */, uint64_t *items,
                                   uint64_t counts[257]);
#endif
