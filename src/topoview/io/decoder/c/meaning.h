/* What identifiers and times in a location's events mean. */
#ifndef TOPOVIEW_MEANING_H
#define TOPOVIEW_MEANING_H

#include <math.h>

#include "reader.h"

/* First of sorted numbers that is not below one. */
static inline int64_t lower_bound32(const uint32_t *sorted, int64_t count, uint32_t wanted)
{
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (sorted[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Global identifier of a local one; itself if no table has it. */
static inline uint64_t mapped(const struct reader *reader, enum mapping kind, uint64_t local)
{
    const struct map *map = &reader->maps[kind];
    if (!map->count)
        return local;
    if (map->mode == DENSE)
        return local < map->count ? map->items[local] : local;
    uint64_t low = 0, high = map->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (map->items[2 * middle] < local)
            low = middle + 1;
        else
            high = middle;
    }
    bool known = low < map->count && map->items[2 * low] == local;
    return known ? map->items[2 * low + 1] : local;
}

/* Word of a region by its local identifier, whatever that is. */
static inline int64_t search_region(const struct reader *reader, uint64_t local)
{
    const struct archive *archive = reader->archive;
    uint32_t region = (uint32_t)mapped(reader, MAP_REGION, local);
    if (region < archive->direct_count)
        return archive->direct[region];
    int64_t count = archive->identifier_count;
    int64_t at = lower_bound32(archive->identifiers, count, region);
    bool known = at < count && archive->identifiers[at] == region;
    return known ? archive->packed[at] : REGION_UNKNOWN;
}

static inline int64_t region_of(const struct reader *reader, uint64_t local)
{
    if (local < reader->region_count)
        return reader->regions[local];
    return search_region(reader, local);
}

/* Word of the region of a calling context. */
static inline int64_t context_of(const struct reader *reader, uint64_t local)
{
    uint32_t context = (uint32_t)mapped(reader, MAP_CONTEXT, local);
    if (context < reader->archive->context_count)
        return reader->archive->contexts[context];
    return REGION_UNKNOWN;
}

/* Corrects a time, the next one of the location. Between two measured offsets the
 * offset is interpolated, before and after them extrapolated (libotf2 3.2, sources of
 * OTF2_EvtReader.c and otf2_archive_location.c). */
static inline int64_t corrected(struct reader *reader, uint64_t time)
{
    int64_t at = reader->clock;
    while (at + 1 < reader->clock_count && time > reader->clocks[at].end)
        at++;
    reader->clock = at;
    const struct clock *clock = &reader->clocks[at];
    double passed = time >= clock->begin ? (double)(time - clock->begin)
                                         : -(double)(clock->begin - time);
    double moved = rint(clock->slope * passed);
    int64_t whole = fabs(moved) < 0x1p63 ? (int64_t)moved : INT64_MIN;
    return (int64_t)(time + clock->offset + (uint64_t)whole);
}

/* Time stamp of a record: damaged ones are behind all others. */
static inline int64_t time_of(struct reader *reader, uint64_t stamp)
{
    int64_t time = reader->clock_count ? corrected(reader, stamp) : (int64_t)stamp;
    return time < 0 || time > MAX_TIME ? MAX_TIME : time;
}

void find_communicator_again(struct reader *reader, uint32_t local);

/* Finds a communicator by the location's identifier; the world if it is not defined. */
static inline void find_communicator(struct reader *reader, uint32_t local)
{
    if (local != reader->comm_known)
        find_communicator_again(reader, local);
}

/* Rank of the world that a rank of that communicator is. */
static inline int64_t partner_of(const struct reader *reader, uint32_t local)
{
    if (local >= UINT32_C(0xFFFFFF00)) /* MPI_PROC_NULL, OTF2_UNDEFINED and others */
        return NOBODY;
    if (local < reader->comm_size)
        return reader->comm_ranks[local];
    return reader->comm_size == 0 && local == 0 ? reader->rank : UNKNOWN_PARTNER;
}

#endif
