/* Local definitions: mappings of identifiers, and offsets of the clock.
 *
 * The other records of these files say nothing that the global definitions do not
 * (libotf2 3.2, source of OTF2_DefReader_inc.c and otf2_id_map.c).
 */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <unistd.h>

#include "meaning.h"

enum { MAPPING_TABLE = 5, CLOCK_OFFSET = 6, SHORTEST_OFFSET = 17, LARGEST_TABLE = 1 << 16 };

static void forget(struct reader *reader)
{
    reader->defined = false;
    memset(reader->maps, 0, sizeof reader->maps);
    reader->clock_count = reader->clock = 0;
    reader->regions = reader->archive->direct;
    reader->region_count = (uint64_t)reader->archive->direct_count;
}

/* Takes a mapping table; false if it is none. */
static bool take_table(struct reader *reader, struct cursor content, uint64_t *used)
{
    unsigned kind = take_byte(&content);
    uint64_t count = take_number(&content, WIDE);
    unsigned mode = take_byte(&content);
    if (content.bad || mode > SPARSE || !count || count > left(&content))
        return false;
    uint64_t first = *used, items = count * (1 + mode);
    for (uint64_t place = 0; place < items; place++) {
        uint64_t value = take_number(&content, WIDE); /* a byte at least */
        if (content.bad)
            return false;
        reader->items[first + place] = value;
    }
    if (kind >= MAPPINGS)
        return true;
    if (reader->maps[kind].count)
        return false;
    reader->maps[kind] = (struct map){reader->items + first, count, mode};
    *used += items;
    return true;
}

/* The offset of the clock that was measured last. */
struct measured {
    int64_t count;
    uint64_t time, offset;
};

/* Takes an offset of the clock; false if it is not later than the last one. A single
 * one corrects nothing. */
static bool take_offset(struct reader *reader, struct cursor content,
                        struct measured *last)
{
    uint64_t time = take_whole(&content), offset = take_number(&content, WIDE);
    if (content.bad)
        return false;
    if (last->count) {
        if (last->time >= time)
            return false;
        double slope = (double)(int64_t)(offset - last->offset) / (double)(time - last->time);
        reader->clocks[reader->clock_count++] =
            (struct clock){last->time, time, last->offset, slope};
    }
    *last = (struct measured){last->count + 1, time, offset};
    return true;
}

/* Takes the definitions in a chunk: how it ended. */
static enum fault take_chunk(struct reader *reader, struct cursor chunk, uint64_t *used,
                             struct measured *last, bool *is_end)
{
    for (;;) {
        unsigned kind = take_byte(&chunk);
        if (chunk.bad)
            return DAMAGED;
        *is_end = kind == END_OF_FILE;
        if (kind == END_OF_FILE || kind == END_OF_CHUNK)
            return SOUND;
        uint64_t size = take_length(&chunk);
        if (chunk.bad || size > left(&chunk))
            return DAMAGED;
        struct cursor content = chunk;
        content.end = chunk.at + size;
        if (kind == MAPPING_TABLE && !take_table(reader, content, used))
            return DAMAGED;
        if (kind == CLOCK_OFFSET
            && (size < SHORTEST_OFFSET || !take_offset(reader, content, last)))
            return DAMAGED;
        chunk.at += size;
    }
}

static enum fault take_all(struct reader *reader)
{
    const uint8_t *file = reader->definitions, *stop = file + reader->definitions_size;
    uint64_t step = (uint64_t)reader->archive->definition_chunk, used = 0;
    struct measured last = {0};
    enum fault fault = DAMAGED;
    bool is_end = false;
    while (!is_end && file < stop) {
        uint64_t size = (uint64_t)(stop - file);
        size = size < step ? size : step;
        bool sound = size > HEADER && file[0] == MARK
                     && (file[1] == LITTLE || file[1] == BIG);
        fault = DAMAGED;
        if (!sound)
            break;
        struct cursor chunk = {file + HEADER, file + size, file[1] == BIG, false};
        fault = take_chunk(reader, chunk, &used, &last, &is_end);
        if (fault != SOUND)
            break;
        file += size;
    }
    reader->offsets = last.count;
    return is_end ? fault : DAMAGED;
}

struct pair {
    uint64_t local, global, place;
};

static int compare_pairs(const void *one, const void *other)
{
    const struct pair *a = one, *b = other;
    if (a->local != b->local)
        return a->local < b->local ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* Orders pairs by the local identifier; of several for the same one the last counts. */
static bool order_map(struct map *map)
{
    uint64_t *items = map->items, kept = 0;
    bool sorted = true;
    for (uint64_t i = 1; i < map->count; i++)
        sorted &= items[2 * i] > items[2 * i - 2];
    if (sorted)
        return true;
    struct pair *pairs = malloc(map->count * sizeof *pairs);
    if (!pairs)
        return false;
    for (uint64_t i = 0; i < map->count; i++)
        pairs[i] = (struct pair){items[2 * i], items[2 * i + 1], i};
    qsort(pairs, map->count, sizeof *pairs, compare_pairs);
    for (uint64_t i = 0; i < map->count; i++) {
        if (i + 1 < map->count && pairs[i + 1].local == pairs[i].local)
            continue;
        items[2 * kept] = pairs[i].local;
        items[2 * kept++ + 1] = pairs[i].global;
    }
    map->count = kept;
    free(pairs);
    return true;
}

/* Makes the table of the location's regions, from identifier 0 on. */
static bool find_regions(struct reader *reader)
{
    for (unsigned kind = 0; kind < MAPPINGS; kind++)
        if (reader->maps[kind].mode == SPARSE && !order_map(&reader->maps[kind]))
            return false;
    const struct map *map = &reader->maps[MAP_REGION];
    if (!map->count)
        return true;
    uint64_t size = map->count;
    if (map->mode == SPARSE) {
        uint64_t last = map->items[2 * map->count - 2];
        size = last < LARGEST_TABLE ? last + 1 : 0;
    }
    if (reader->region_room < size) {
        free(reader->region_table);
        reader->region_room = 0;
        reader->region_table = malloc(2 * size * sizeof *reader->region_table);
        if (!reader->region_table)
            return false;
        reader->region_room = 2 * size;
    }
    for (uint64_t local = 0; local < size; local++)
        reader->region_table[local] = search_region(reader, local);
    reader->regions = reader->region_table;
    reader->region_count = size;
    return true;
}

/* Takes what the file of definitions contains. */
static bool take_definitions(struct reader *reader, const uint8_t *bytes, size_t size)
{
    forget(reader);
    reader->definitions_held = NULL;
    if (reader->items_room < size || !reader->definitions) {
        size_t room = 2 * size + PADDING;
        free(reader->definitions);
        free(reader->items);
        free(reader->clocks);
        reader->items_room = 0;
        reader->definitions = malloc(room + PADDING);
        reader->items = malloc(room * sizeof *reader->items);
        reader->clocks = malloc((room / SHORTEST_OFFSET + 1) * sizeof *reader->clocks);
        if (!reader->definitions || !reader->items || !reader->clocks)
            return false;
        reader->items_room = room;
    }
    if (size)
        memcpy(reader->definitions, bytes, size);
    memset(reader->definitions + size, 0, PADDING);
    reader->definitions_size = size;
    enum fault fault = take_all(reader);
    size_t end = size, lowest = size > TAIL ? size - TAIL : 0;
    while (end > lowest && (bytes[end - 1] == '\r' || bytes[end - 1] == '\n'))
        end--;
    if (end < lowest + 2 || bytes[end - 1] != 1 || bytes[end - 2] != END_OF_FILE)
        fault = CUT_SHORT;
    reader->definitions_fault = fault;
    if (!find_regions(reader))
        return false;
    reader->defined = true;
    return true;
}

bool define(struct reader *reader, struct location *location, const uint8_t *held,
            int64_t size)
{
    const uint8_t *bytes = held;
    location->definitions_errno = 0;
    if (!bytes) {
        int file = open_file(reader, location, "def", &size);
        if (file < 0) {
            size = -1;
        } else {
            size = load(reader, file, 0, size < LARGEST_CHUNK ? size : LARGEST_CHUNK);
            int error = errno;
            close(file);
            errno = error;
        }
        if (size == -2)
            return false;
        if (size < 0) {
            location->definitions_errno = errno;
            location->definitions_fault = errno == ENOENT ? MISSING : UNREADABLE;
            location->offsets = 0;
            forget(reader);
            return true;
        }
        bytes = reader->bytes;
    }
    /* Mostly all locations have the same. */
    bool same = reader->defined && (size_t)size == reader->definitions_size
                && (bytes == reader->definitions_held
                    || !memcmp(bytes, reader->definitions, (size_t)size));
    if (!same && !take_definitions(reader, bytes, (size_t)size))
        return false;
    reader->clock = 0;
    location->definitions_fault = reader->definitions_fault;
    location->offsets = reader->offsets;
    return true;
}
