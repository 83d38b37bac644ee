/* Feeds the decoder with damaged files, as `scripts/sanitize` tells.
 *
 * With libFuzzer it is a target; without, a program that mutates seeds by itself:
 * ``decoder_fuzz FOLDER SECONDS [SEED_FILE...]``, which leaves the input of a fault in
 * that folder. The decoder's files are in memory: the linker wraps what opens and reads
 * them. An input is a byte of options, a byte
 * that says how large chunks are, and whether files are compressed (by a toy of two
 * bytes a run), two bytes with the length of the local definitions,
 * these, and the file of events. Two locations have the same files, so that they send
 * each other messages. Each column is allocated for
 * itself, with as many rows as were counted: the sanitizer sees one row too many.
 */
#define _GNU_SOURCE /* statx */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "bytes.h"
#include "columns.h"
#include "tables.h" /* bare, forms, ...: written by the script */

enum { LATER = 9 }; /* no field: see `globals.c` */
enum { ROWS = 2, MOST = 1 << 16, HEAD = 4, REGIONS = 10, IS_STATE = 5, SEEDS = 512 };

static uint64_t executed, events;

enum { DEFINITIONS = 1 << 20, EVENTS }; /* descriptors that no other file has */
static struct {
    const uint8_t *bytes;
    size_t size;
} files[2];

int __real_close(int file);
int __wrap_close(int file);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_statx(int file, const char *path, int flags, unsigned wanted,
                 struct statx *found);
ssize_t __wrap_pread64(int file, void *bytes, size_t size, int64_t at);

int __wrap_close(int file)
{
    return file < DEFINITIONS ? __real_close(file) : 0;
}

int __wrap_open64(const char *path, int flags, ...)
{
    (void)flags;
    return strcmp(path + strlen(path) - 3, "def") ? EVENTS : DEFINITIONS;
}

int __wrap_statx(int file, const char *path, int flags, unsigned wanted,
                 struct statx *found)
{
    (void)path, (void)flags, (void)wanted;
    found->stx_mode = S_IFREG;
    found->stx_size = files[file - DEFINITIONS].size;
    return 0;
}

ssize_t __wrap_pread64(int file, void *bytes, size_t size, int64_t at)
{
    size_t whole = files[file - DEFINITIONS].size;
    size_t left = (uint64_t)at < whole ? whole - (size_t)at : 0;
    size = size < left ? size : left;
    if (size)
        memcpy(bytes, files[file - DEFINITIONS].bytes + at, size);
    return (ssize_t)size;
}

/* Inflates pairs of a number and a byte that is repeated as often, and once more. */
static int64_t inflate_runs(const uint8_t *packed, int64_t size, uint8_t *whole,
                            int64_t most)
{
    int64_t done = 0;
    for (int64_t at = 0; at + 1 < size; at += 2)
        for (int run = packed[at]; run >= 0 && done < most; run--)
            whole[done++] = packed[at + 1];
    return done;
}

static void *room(int64_t rows, size_t size)
{
    void *memory = malloc((size_t)(rows ? rows : 1) * size);
    if (!memory)
        abort();
    memset(memory, 0x5A, (size_t)(rows ? rows : 1) * size);
    return memory;
}

/* Sums of records of some types: where each location's rows begin. */
static int64_t *offsets_of(const struct location *rows, const int *kinds, int count,
                           const int64_t *more)
{
    uint8_t wanted[KINDS] = {0};
    int64_t found[ROWS], *offsets = room(ROWS + 1, sizeof *offsets);
    for (int i = 0; i < count; i++)
        wanted[kinds[i]] = 1;
    decoder_tally(rows, ROWS, wanted, found);
    offsets[0] = 0;
    for (int row = 0; row < ROWS; row++)
        offsets[row + 1] = offsets[row] + found[row] + (more ? more[row] : 0);
    return offsets;
}

struct memory {
    struct columns columns;
    struct further further[256];
    int64_t *offsets[TABLES];
};

/* Allocates what the first pass found to be needed, as `blocks.py` does. */
static void lay_out(struct memory *memory, const struct location *rows)
{
    static const int states[] = {12, 13, 66, 67, 11, EXTRA}, calls[] = {CALLS};
    static const int sends[] = {14, 15, EARLIER_SENDS}, parts[] = {23, 85, 86};
    static const int receives[] = {18, 19, 17, 89, EARLIER_RECEIVES};
    struct columns *c = &memory->columns;
    static const int flushes[] = {10};
    int64_t first[ROWS], totals[KINDS], *around = offsets_of(rows, flushes, 1, NULL);
    for (int row = 0; row < ROWS; row++)
        first[row] = 1 - (rows[row].first == rows[row].origin && rows[row].chunk_count > 0)
                     + 2 * (around[row + 1] - around[row]);
    free(around);
    memory->offsets[0] = offsets_of(rows, states, 6, first);
    memory->offsets[1] = offsets_of(rows, calls, 1, NULL);
    memory->offsets[2] = offsets_of(rows, sends, 3, NULL);
    memory->offsets[3] = offsets_of(rows, receives, 5, NULL);
    memory->offsets[4] = offsets_of(rows, parts, 3, NULL);
    for (int table = 0; table < TABLES; table++) {
        c->offsets[table] = memory->offsets[table];
        c->filled[table] = room(ROWS, sizeof(int64_t));
    }
#define COLUMN(name, table) c->name = room(memory->offsets[table][ROWS], sizeof *c->name)
    COLUMN(time, 0), COLUMN(state, 0), COLUMN(region, 0);
    COLUMN(call_region, 1), COLUMN(enter, 1), COLUMN(leave, 1), COLUMN(completes, 1);
    COLUMN(call_path, 1), COLUMN(call_kept, 1);
    COLUMN(sender, 2), COLUMN(receiver, 2), COLUMN(size, 2), COLUMN(tag, 2);
    COLUMN(communicator, 2), COLUMN(send_call, 2), COLUMN(receive_call, 2);
    COLUMN(completion_call, 2), COLUMN(send_completion, 2);
    COLUMN(send_time, 2), COLUMN(receive_time, 2);
    COLUMN(receives, 3), COLUMN(posted, 3);
    COLUMN(part_call, 4), COLUMN(part_communicator, 4), COLUMN(part_operation, 4);
    COLUMN(part_root, 4), COLUMN(part_sent, 4), COLUMN(part_received, 4);
    COLUMN(part_completion, 4);
    decoder_totals(rows, ROWS, totals);
    for (int kind = 0; kind < 256; kind++) {
        int counted = kind == 6 ? ATTRIBUTED : kind == 31 ? VALUES : kind, width = 4;
        if (kind != 6 && kind != 31)
            for (width = 0; width < MOST_FIELDS && forms[kind * MOST_FIELDS + width];)
                width++;
        if (!totals[counted])
            continue;
        int64_t *offsets = offsets_of(rows, &counted, 1, NULL);
        memory->further[kind] = (struct further){
            room(offsets[ROWS], sizeof(int64_t)),
            room(offsets[ROWS] * (width ? width : 1), sizeof(int64_t)),
            offsets,
            room(ROWS, sizeof(int64_t)),
        };
    }
}

static void give_back(struct memory *memory)
{
    struct columns *c = &memory->columns;
    void *columns[] = {
        c->time, c->state, c->region, c->call_region, c->enter, c->leave, c->completes,
        c->call_path, c->call_kept, c->sender, c->receiver, c->size, c->tag,
        c->communicator, c->send_call, c->receive_call, c->completion_call,
        c->send_completion, c->send_time, c->receive_time, c->receives, c->posted,
        c->part_call, c->part_communicator, c->part_operation, c->part_root,
        c->part_sent, c->part_received, c->part_completion,
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        free(columns[i]);
    for (int table = 0; table < TABLES; table++) {
        free(memory->offsets[table]);
        free(c->filled[table]);
    }
    for (int kind = 0; kind < 256; kind++) {
        free(memory->further[kind].times);
        free(memory->further[kind].fields);
        free((void *)memory->further[kind].offsets);
        free(memory->further[kind].filled);
    }
}

/* Matches what was decoded, and puts call paths together. */
static void finish(struct memory *memory, const struct location *rows)
{
    struct columns *c = &memory->columns;
    int64_t sends = 0, begins[ROWS + 1], slots[2 * ROWS], tally[3], found[2];
    int64_t *calls = memory->offsets[1];
    /* Gaps are closed as `blocks.py` does. */
    int64_t at[ROWS], size[ROWS], many[ROWS];
    for (int row = 0; row < ROWS; row++) {
        at[row] = memory->offsets[2][row] * 4;
        size[row] = c->filled[2][row] * 4 - at[row];
        sends += size[row] / 4;
        slots[2 * row] = memory->offsets[3][row];
        slots[2 * row + 1] = c->filled[3][row];
    }
    decoder_gather(c->sender, c->sender, at, size, ROWS);
    decoder_gather(c->receiver, c->receiver, at, size, ROWS);
    decoder_gather(c->tag, c->tag, at, size, ROWS);
    decoder_gather(c->communicator, c->communicator, at, size, ROWS);
    for (int row = 0; row < ROWS; row++) {
        at[row] *= 2;
        size[row] *= 2;
        many[row] = c->filled[1][row] - calls[row];
    }
    decoder_gather(c->send_time, c->send_time, at, size, ROWS);
    decoder_forget_unset(c->receives, slots, ROWS);
    uint32_t *grouped = room(sends, sizeof *grouped);
    decoder_group(c->receiver, sends, NULL, ROWS, begins, grouped, 0);
    decoder_pair(c, 0, ROWS, begins, grouped, 0, slots, NULL, tally);
    free(grouped);
    int64_t paths = rows[0].path_count + rows[1].path_count + 1, joined[ROWS + 1] = {0};
    int32_t *parents = room(paths, 4), *regions = room(paths, 4);
    for (int row = 0; row < ROWS; row++) {
        at[row] = calls[row] * 4;
        size[row] = many[row] * 4;
        joined[row + 1] = joined[row] + many[row];
    }
    decoder_gather(c->call_path, c->call_path, at, size, ROWS);
    decoder_join_paths(rows, ROWS, joined, c->call_path, paths, parents, regions, found);
    free(parents);
    free(regions);
}

/* Has a stretch of time read, if the input asks for it. */
static void cut_out(struct archive *archive, struct reader *reader, struct location *rows,
                    unsigned options)
{
    static const int64_t ends[ROWS][3] = {{1, 0, 3}, {0, 1, 0}};
    archive->next = archive->stop = 0;
    decoder_work(reader, PEEK);
    for (int row = 0; row < ROWS; row++) {
        int64_t begin = rows[row].first < 0 ? 0 : rows[row].first;
        rows[row].start_now = begin + (options & 32 ? 40 : 4000);
        rows[row].until = begin + (options & 64 ? 400 : 1 << 20);
    }
    archive->until = options & 64 ? 300 : 1 << 19;
    archive->next = archive->stop = 0;
    if (options & 16)
        decoder_work(reader, FIND_START);
    bool strange = rows[0].strange || rows[1].strange;
    for (int row = 0; row < ROWS; row++) {
        if (strange || !(options & 16))
            rows[row].start_chunk = -1;
        rows[row].sends = ends[row];
        rows[row].receives = ends[1 - row];
        rows[row].send_count = rows[row].receive_count = 1;
    }
    archive->next = archive->stop = 0;
    if (options & 8)
        decoder_work(reader, FIND_END);
    else
        rows[0].until = rows[1].until = -1;
}

/* Reads the locations in two passes. */
static void read_rows(struct archive *archive, struct location *rows, struct memory *memory)
{
    struct reader *reader = decoder_open(archive);
    memset(memory, 0, sizeof *memory);
    archive->next = archive->stop = 0;
    if (!reader || decoder_work(reader, COUNT_ALL))
        abort();
    for (int row = 0; row < ROWS; row++) {
        rows[row].origin = rows[0].first < 0 ? 0 : rows[0].first;
        events += (uint64_t)rows[row].events;
    }
    lay_out(memory, rows);
    archive->next = archive->stop = 0;
    if (decoder_work(reader, FILL))
        abort();
    finish(memory, rows);
    decoder_close(reader);
    give_back(memory);
}

/* Reads bytes as global definitions, in two passes. */
static void read_globals(const uint8_t *data, size_t size, int64_t chunk)
{
    uint64_t *rows[256] = {NULL}, *tables[256], counts[257], again[257];
    uint8_t *file = room((int64_t)size + PADDING, 1);
    memcpy(file, data, size);
    memset(file + size, 0, PADDING);
    int64_t end = decoder_definitions(file, (int64_t)size, chunk, definition_forms, rows,
                                      NULL, counts);
    uint64_t *items = room((int64_t)counts[256], sizeof *items);
    for (int kind = 0; kind < 256; kind++) {
        int64_t width = 2;
        for (int i = 0; definition_forms[kind * MOST_FORMS + i]; i++)
            width += definition_forms[kind * MOST_FORMS + i] != LATER;
        tables[kind] = counts[kind]
            ? room((int64_t)counts[kind] * width, sizeof *tables[kind]) : NULL;
    }
    if (end != decoder_definitions(file, (int64_t)size, chunk, definition_forms, tables,
                                   items, again)
        || memcmp(counts, again, sizeof counts))
        abort();
    for (int kind = 0; kind < 256; kind++)
        free(tables[kind]);
    free(items);
    free(file);
}

/* Reads bytes as bounds between clocks, whose times are up to 2^58 as `clocks.py` has it,
 * and finds offsets as that does. */
static void align(const uint8_t *data, size_t size)
{
    enum { ARC = 10, NODES = 7, ARCS = 200 };
    int64_t count = (int64_t)(size / ARC), *found, slack = 0, lack = 1, nodes = NODES;
    int64_t sent[ARCS], received[ARCS], offsets[2][NODES + 1], weight[2][ARCS];
    int64_t tally[2], start[NODES];
    int32_t ends[2][ARCS], head[2][ARCS];
    count = count < ARCS ? count : ARCS;
    for (int64_t i = 0; i < count; i++) {
        const uint8_t *arc = data + i * ARC;
        ends[0][i] = arc[0] % NODES, ends[1][i] = arc[1] % NODES;
        memcpy(&received[i], arc + 2, 8);
        received[i] >>= 5;
        sent[i] = received[i] < 0 ? -received[i] : 0;
        received[i] = received[i] < 0 ? 0 : received[i];
    }
    decoder_violations(sent, received, count, tally);
    int64_t pairs = decoder_tightest(nodes, ends[0], ends[1], sent, received, count, &found);
    if (pairs < 0)
        abort();
    for (int side = 0; side < 2; side++)
        for (int64_t node = 0, arcs = 0; node <= nodes; node++) {
            offsets[side][node] = arcs;
            for (int64_t i = 0; i < pairs; i++)
                if (found[side * pairs + i] == node) {
                    head[side][arcs] = (int32_t)found[(1 - side) * pairs + i];
                    weight[side][arcs++] = found[2 * pairs + i];
                }
        }
    struct arcs graphs[2] = {{offsets[0], head[0], weight[0]},
                             {offsets[1], head[1], weight[1]}};
    while (lack > 0 && slack < INT64_C(1) << 60) {
        for (int64_t node = 0; node < nodes; node++)
            start[node] = node && size % 2 ? INT64_C(1) << 61 : 0;
        if (decoder_shortest(&graphs[0], nodes, slack, start, &lack))
            abort();
        slack += lack;
    }
    if (!lack)
        decoder_relax(&graphs[1], &graphs[0], nodes, slack, start);
    decoder_free(found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t order[ROWS] = {0, 1}, begins[] = {0, 2, 3, 3};
    static const uint32_t identifiers[] = {0, 1, 2}, known[] = {0, 5, 300};
    static const int32_t numbers[] = {0, 1, 2}, ranks[] = {0, 1, 1}, group[] = {0, 1};
    static const struct side sides[6] = {
        {group, group, 0}, {group, group, 0}, {group, group, 1},
        {group + 1, group + 1, 1}, {group, group, 0}, {group, group, 0},
    };
    static int64_t direct[REGIONS];
    for (int i = 0; i < REGIONS; i++)
        direct[i] = i | (int64_t)(1 + i % IS_STATE) << 32 | (int64_t)(i > 3) << 40;
    if (size < HEAD || size > MOST)
        return 0;
    unsigned options = data[0];
    int64_t chunk = INT64_C(512) << data[1] % 16; /* up to 16 MiB */
    size_t local = data[2] | (size_t)data[3] << 8;
    local = local < size - HEAD ? local : size - HEAD;
    if (options == 4)
        align(data + HEAD, size - HEAD);
    read_globals(data + HEAD, local, chunk);
    files[0].bytes = data + HEAD, files[0].size = local;
    files[1].bytes = data + HEAD + local, files[1].size = size - HEAD - local;
    struct location rows[ROWS] = {{0}, {0}};
    struct memory memory = {0};
    struct archive archive = {
        .folder = "",
        .inflate = data[1] & 16 ? inflate_runs : NULL,
        .event_chunk = chunk,
        .definition_chunk = 1 << 16,
        .flat = options & 1,
        .bare = bare,
        .forms = forms,
        .direct = direct,
        .direct_count = options & 2 ? REGIONS : 0,
        .identifiers = known,
        .packed = direct + 4,
        .identifier_count = 3,
        .contexts = direct,
        .context_count = 3,
        .comm_identifiers = identifiers,
        .comm_numbers = numbers,
        .comm_count = 3,
        .comm_begins = begins,
        .comm_ranks = ranks,
        .comm_sides = options & 128 ? sides : NULL,
        .locations = rows,
        .order = order,
        .order_count = ROWS,
        .columns = &memory.columns,
        .further = memory.further,
        .room = options & 2 ? 1 << 20 : 0,
    };
    for (int row = 0; row < ROWS; row++) {
        rows[row].id = (uint64_t)row;
        rows[row].wanted = 1;
        rows[row].rank = row;
        rows[row].idle = 1;
        rows[row].part = INT64_MAX;
        rows[row].until = rows[row].start_chunk = -1;
    }
    if (!(options & 24)) {
        read_rows(&archive, rows, &memory);
        executed++;
        return 0;
    }
    struct reader *seeking = decoder_open(&archive);
    if (!seeking)
        abort();
    cut_out(&archive, seeking, rows, options);
    read_rows(&archive, rows, &memory);
    if (options & 8) { /* once more, a little further, as `window.py` does */
        for (int row = 0; row < ROWS; row++)
            rows[row].until += rows[row].until < INT64_C(1) << 61 ? 1 << 16 : 0;
        archive.next = archive.stop = 0;
        decoder_work(seeking, FIND_END);
        read_rows(&archive, rows, &memory);
    }
    decoder_close(seeking);
    executed++;
    return 0;
}

#ifndef LIBFUZZER

#include <sanitizer/common_interface_defs.h>
#include <time.h>

static uint8_t data[2 * MOST];
static size_t data_size;
static const char *folder;

/* Writes the input down at which a sanitizer ends the program. */
static void save_input(void)
{
    char path[8192];
    snprintf(path, sizeof path, "%s/last-input", folder);
    FILE *file = fopen(path, "wb");
    if (file) {
        fwrite(data, 1, data_size, file);
        fclose(file);
    }
}

static uint64_t state = 88172645463325252u;

/* Marsaglia's xorshift (2003): numbers below a limit. */
static uint64_t draw(uint64_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return limit ? state % limit : 0;
}

/* Flips, inserts, removes, copies and repeats bytes. */
static size_t mutate(size_t size)
{
    static const uint8_t telling[] = {0, 1, 2, 3, 4, 5, 6, 8, 9, 0x23, 0x42, 0x7F, 0x80, 0xFF};
    for (uint64_t times = 1 + draw(8); times && size > HEAD; times--) {
        size_t at = draw(size), much = 1 + draw(16);
        much = much < size - at ? much : size - at;
        switch (draw(7)) {
        case 0:
            data[at] ^= (uint8_t)(1u << draw(8));
            break;
        case 1:
            data[at] = telling[draw(sizeof telling)];
            break;
        case 2:
            data[at] = (uint8_t)draw(256);
            break;
        case 3:
            memmove(data + at, data + at + much, size - at - much);
            size -= much;
            break;
        case 4:
            if (size + much > MOST)
                break;
            memmove(data + at + much, data + at, size - at);
            size += much;
            break;
        case 5:
            memmove(data + draw(size - much + 1), data + at, much);
            break;
        default:
            if (draw(8) == 0)
                size = at > HEAD ? at : HEAD;
            else
                data[0] = (uint8_t)draw(256);
        }
    }
    return size;
}

int main(int count, char **names)
{
    static uint8_t seeds[SEEDS][MOST];
    static size_t sizes[SEEDS];
    int known = 0;
    if (count < 4)
        return 2;
    folder = names[1];
    __sanitizer_set_death_callback(save_input);
    time_t end = time(NULL) + atol(names[2]);
    state ^= (uint64_t)time(NULL) * 2654435761u;
    for (int i = 3; i < count && known < SEEDS; i++) {
        FILE *file = fopen(names[i], "rb");
        if (!file)
            return 2;
        sizes[known] = fread(seeds[known], 1, MOST, file);
        fclose(file);
        known += sizes[known] > HEAD;
    }
    for (int i = 0; i < known; i++) {
        memcpy(data, seeds[i], data_size = sizes[i]);
        LLVMFuzzerTestOneInput(data, data_size);
    }
    while (time(NULL) < end) {
        int seed = (int)draw((uint64_t)known);
        memcpy(data, seeds[seed], sizes[seed]);
        data_size = mutate(sizes[seed]);
        LLVMFuzzerTestOneInput(data, data_size);
        if (draw(64) == 0 && data_size > HEAD) { /* go on from here, now and then */
            int other = (int)draw((uint64_t)known);
            if (other >= known / 2) {
                memcpy(seeds[other], data, data_size);
                sizes[other] = data_size;
            }
        }
    }
    printf("%" PRIu64 " inputs, %" PRIu64 " events counted, no fault\n", executed, events);
    return 0;
}

#endif
