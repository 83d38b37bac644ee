/* Call paths of MPI calls: which regions were open around each.
 *
 * Paths are a tree: a path is the one around it, and a region. Nothing is done for a
 * region until an MPI call is made in it; then the levels that changed since the call
 * before are looked up in a table of (path around, region). So a call costs a look at
 * one number, unless other regions are open than around the call before.
 */
#include "reader.h"

#define CUT (INT64_C(1) << 40) /* no more paths are kept: what is around stands for it */

static int64_t step(struct reader *reader, int64_t path, int64_t region)
{
    if (path & CUT)
        return path;
    uint64_t key = (uint64_t)path << 32 | (uint64_t)region;
    struct slot *slot = table_slot(&reader->paths, key, 0);
    if (slot->value != FREE)
        return slot->value;
    int64_t new = reader->path_count;
    if (new >= MAX_LOCATION_PATHS) {
        reader->oddities.path_cut++;
        return path | CUT;
    }
    reader->path_parents[new] = (int32_t)path;
    reader->path_regions[new] = (int32_t)region;
    reader->path_count++;
    table_add(&reader->paths, slot, key, 0, new);
    return new;
}

/* Notes the paths of some levels of open regions; gives that of the last. */
int64_t descend(struct reader *reader, int64_t known, int64_t level)
{
    int64_t path = reader->path_nodes[known];
    for (int64_t place = known; place < level; place++) {
        path = step(reader, path, reader->stack[place] & NO_REGION);
        reader->path_nodes[place + 1] = path;
    }
    return path;
}

/* The paths of all locations, while they are put together. */
struct joined {
    struct table index; /* path around and region to path */
    int32_t *parents, *regions;
    int64_t count, cut, most;
};

/* Gives the paths of a location numbers. Those that are not kept, and all within them,
 * have that of the path around. */
static void join(struct joined *joined, const int32_t *own, int64_t count, int32_t *new,
                 uint8_t *whole)
{
    new[0] = 0;
    whole[0] = 1;
    for (int64_t path = 1; path < count; path++) {
        int32_t parent = own[path], region = own[count + path];
        uint64_t key = (uint64_t)new[parent] << 32 | (uint32_t)region;
        struct slot *slot = table_slot(&joined->index, key, 0);
        new[path] = new[parent];
        whole[path] = 1;
        if (!whole[parent] || (slot->value == FREE && joined->count >= joined->most)) {
            whole[path] = 0;
            joined->cut++;
        } else if (slot->value != FREE) {
            new[path] = (int32_t)slot->value;
        } else {
            joined->parents[joined->count] = new[parent];
            joined->regions[joined->count] = region;
            new[path] = (int32_t)joined->count;
            table_add(&joined->index, slot, key, 0, joined->count++);
        }
    }
}

/* Where the same paths as those of a location were met before; itself if nowhere. Most
 * locations of a program have the same. */
static int64_t find_same(struct table *seen, const struct location *locations, int64_t row)
{
    const struct location *own = &locations[row];
    size_t bytes = (size_t)own->path_count * 2 * sizeof *own->paths;
    uint64_t key = (uint64_t)own->path_count;
    for (int64_t i = 0; i < 2 * own->path_count; i++)
        key = (key ^ (uint32_t)own->paths[i]) * UINT64_C(0x100000001B3);
    for (uint64_t more = 0;; more++) {
        struct slot *slot = table_slot(seen, key, more);
        if (slot->value == FREE) {
            table_add(seen, slot, key, more, row);
            return row;
        }
        const struct location *other = &locations[slot->value];
        if (other->path_count == own->path_count
            && !memcmp(other->paths, own->paths, bytes))
            return slot->value;
    }
}

int decoder_join_paths(const struct location *locations, int64_t count,
                       const int64_t *offsets, int32_t *column, int64_t most,
                       int32_t *parents, int32_t *regions, int64_t found[2])
{
    struct joined joined = {.parents = parents, .regions = regions, .count = 1,
                            .most = most};
    struct table seen;
    int32_t **news = calloc((size_t)count + 1, sizeof *news);
    uint8_t *whole = malloc(MAX_LOCATION_PATHS);
    bool fine = table_make(&joined.index, PATH_SLOTS) & table_make(&seen, PATH_SLOTS);
    fine &= news && whole;
    parents[0] = regions[0] = -1;
    for (int64_t row = 0; fine && row < count; row++) {
        const struct location *own = &locations[row];
        if (own->path_count < 1 || own->path_count > MAX_LOCATION_PATHS)
            continue;
        int64_t same = find_same(&seen, locations, row);
        if (same == row) {
            news[row] = malloc((size_t)own->path_count * sizeof **news);
            if (news[row])
                join(&joined, own->paths, own->path_count, news[row], whole);
        }
        const int32_t *new = news[same];
        fine = new && !joined.index.failed && !seen.failed;
        for (int64_t call = offsets[row]; fine && call < offsets[row + 1]; call++)
            column[call] = new[column[call]];
    }
    found[0] = joined.count;
    found[1] = joined.cut;
    for (int64_t row = 0; news && row < count; row++)
        free(news[row]);
    free(news);
    free(whole);
    table_free(&joined.index);
    table_free(&seen);
    return fine ? FINE : NO_MEMORY;
}
