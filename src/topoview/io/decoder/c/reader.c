/* A reader: its memory, its files, and the order in which it takes locations. */
#define _FILE_OFFSET_BITS 64
#define _GNU_SOURCE /* statx: built with a new libc, fstat is missing in older ones */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader.h"

uint64_t table_seed[3] = {UINT64_C(0x9E3779B97F4A7C15), UINT64_C(0xC2B2AE3D27D4EB4F), 0};

/* Draws where keys of tables go, when the library is loaded; it stays if there is none. */
__attribute__((constructor)) static void draw_table_seed(void)
{
    uint64_t drawn[3];
    if (getrandom(drawn, sizeof drawn, GRND_NONBLOCK) != (ssize_t)sizeof drawn)
        return;
    memcpy(table_seed, drawn, sizeof drawn);
    table_seed[0] |= 1;
    table_seed[1] |= 1;
}

struct block {
    struct block *before;
    size_t size, used;
    max_align_t bytes[];
};

enum { BLOCK = 1 << 16, LINE = sizeof(max_align_t) };

/* Memory that lives as long as the reader; NULL if there is none. */
void *keep(struct reader *reader, size_t size)
{
    struct block *block = reader->arena;
    if (size > PTRDIFF_MAX / 2)
        return NULL;
    size = (size + LINE - 1) / LINE * LINE;
    if (!block || size > block->size - block->used) {
        size_t room = size > BLOCK ? size : BLOCK;
        block = malloc(sizeof *block + room);
        if (!block)
            return NULL;
        *block = (struct block){reader->arena, room, 0};
        reader->arena = block;
    }
    block->used += size;
    return (uint8_t *)block->bytes + block->used - size;
}

bool claim_room(struct room *room, size_t size)
{
    if (room->size >= size + PADDING)
        return true;
    free(room->bytes);
    room->size = 0;
    room->bytes = malloc(size + PADDING);
    if (room->bytes)
        room->size = size + PADDING;
    return room->bytes != NULL;
}

int64_t load_bytes(int file, uint8_t *bytes, int64_t begin, int64_t size)
{
    int64_t got = 0;
    while (got < size) {
        ssize_t more = pread(file, bytes + got, (size_t)(size - got), begin + got);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            return -1;
        if (more == 0)
            break;
        got += more;
    }
    return got;
}

int64_t load(struct reader *reader, int file, int64_t begin, int64_t size)
{
    if (size < 0 || !claim_room(&reader->loaded, (size_t)size))
        return -2;
    uint8_t *bytes = reader->bytes = reader->loaded.bytes;
    int64_t got = reader->archive->inflate
                      ? load_inflated(reader, file, bytes, begin, size)
                      : load_bytes(file, bytes, begin, size);
    if (got >= 0)
        memset(bytes + got, 0, PADDING);
    return got;
}

int open_file(struct reader *reader, const struct location *location, const char *ending,
              int64_t *size)
{
    char path[8192];
    int length = snprintf(path, sizeof path, "%s/%" PRIu64 ".%s",
                          reader->archive->folder, location->id, ending);
    if (length < 0 || (size_t)length >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    /* A pipe would let its reader wait for ever. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct statx status = {0};
    const unsigned wanted = STATX_TYPE | STATX_SIZE;
    if (file >= 0
        && (statx(file, "", AT_EMPTY_PATH, wanted, &status)
            || !S_ISREG(status.stx_mode))) {
        close(file);
        errno = S_ISDIR(status.stx_mode) ? EISDIR : EINVAL;
        return -1;
    }
    *size = (int64_t)status.stx_size;
    if (file >= 0 && reader->archive->inflate) {
        if (!find_blocks(reader, file)) {
            close(file);
            errno = ENOMEM;
            return -1;
        }
        *size = inflated_size(reader);
    }
    return file;
}

bool advance(struct reader *reader, int64_t size)
{
    atomic_fetch_add_explicit(&reader->archive->done, size, memory_order_relaxed);
    return !atomic_load_explicit(&reader->archive->stop, memory_order_relaxed);
}

/* How long records are that are counted as common ones; -1 for those that never are. */
static void tabulate_types(struct reader *reader)
{
    const struct archive *archive = reader->archive;
    for (unsigned kind = 0; kind < 256; kind++) {
        reader->longest[kind] = archive->bare[kind] ? WIDE : NEAR - 16;
        const uint8_t *forms = archive->forms + kind * MOST_FIELDS;
        while (reader->widths[kind] < MOST_FIELDS && forms[reader->widths[kind]])
            reader->widths[kind]++;
    }
    reader->longest[ENTER] = NARROW;
    for (unsigned kind = 0; kind <= ATTRIBUTES; kind++)
        reader->longest[kind] = -1;
    reader->longest[METRIC] = reader->longest[CONTEXT_ENTER] = -1;
}

struct reader *decoder_open(struct archive *archive)
{
    struct reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    reader->archive = archive;
    reader->regions = archive->direct;
    reader->region_count = (uint64_t)archive->direct_count;
    reader->comm_known = reader->blocks_of = reader->inflated_block = -1;
    tabulate_types(reader);
    return reader;
}

void decoder_close(struct reader *reader)
{
    if (!reader)
        return;
    while (reader->arena) {
        struct block *before = reader->arena->before;
        free(reader->arena);
        reader->arena = before;
    }
    struct room *rooms[] = {&reader->loaded, &reader->index, &reader->deflated,
                            &reader->inflated};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        free(rooms[i]->bytes);
    free(reader->definitions);
    free(reader->items);
    free(reader->clocks);
    free(reader->region_table);
    free(reader->stack);
    table_free(&reader->requests);
    table_free(&reader->paths);
    free(reader);
}

int decoder_work(struct reader *reader, int task)
{
    static bool (*const work[])(struct reader *, struct location *) = {
        [COUNT_ALL] = count_location, [PEEK] = peek,          [FIND_END] = find_end,
        [FIND_START] = find_start,    [FILL] = fill_location,
    };
    struct archive *archive = reader->archive;
    if (task < COUNT_ALL || task > FILL)
        return FINE;
    while (!atomic_load_explicit(&archive->stop, memory_order_relaxed)) {
        int64_t place = atomic_fetch_add_explicit(&archive->next, 1, memory_order_relaxed);
        if (place >= archive->order_count)
            break;
        struct location *location = &archive->locations[archive->order[place]];
        if (!work[task](reader, location)) {
            atomic_store_explicit(&archive->stop, 1, memory_order_relaxed);
            return NO_MEMORY;
        }
    }
    return FINE;
}

void decoder_oddities(const struct reader *reader, struct oddities *found)
{
    *found = reader->oddities;
}

void decoder_totals(const struct location *locations, int64_t count, int64_t totals[KINDS])
{
    memset(totals, 0, KINDS * sizeof *totals);
    for (int64_t row = 0; row < count; row++)
        for (int64_t i = 0; i < locations[row].tally_count; i++)
            totals[locations[row].tallies[i].kind] += locations[row].tallies[i].count;
}

void decoder_tally(const struct location *locations, int64_t count, const uint8_t *wanted,
                   int64_t *found)
{
    for (int64_t row = 0; row < count; row++) {
        found[row] = 0;
        for (int64_t i = 0; i < locations[row].tally_count; i++)
            if (wanted[locations[row].tallies[i].kind])
                found[row] += locations[row].tallies[i].count;
    }
}

void decoder_sizes(int64_t sizes[4])
{
    sizes[0] = sizeof(struct archive);
    sizes[1] = sizeof(struct columns);
    sizes[2] = sizeof(struct location);
    sizes[3] = sizeof(struct received);
}
