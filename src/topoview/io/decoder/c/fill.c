/* The second pass: intervals, calls, messages, further records, to the columns.
 *
 * Regions that are left while others are open above them close these, too, unless these
 * are left themselves soon after: such overlap. One that was never entered is not left. Records of a message belong to the MPI call that is open, or
 * to the one before.
 */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <unistd.h>

#include "meaning.h"

enum {
    DEEPEST_SEARCH = 1024, /* levels in which a region that is left is looked for */
    FARTHEST_LOOK = 4096   /* events in which the end of an open region is looked for */
};
enum { INTERVALS_TABLE, CALLS_TABLE, SENDS_TABLE, RECEIVES_TABLE, PARTS_TABLE };

/* Intervals of a location: the last one, and what it shows. */
struct shown {
    int64_t last, time, word;
};

/* Shows a state and a region from now on. */
static inline void show(const struct columns *columns, struct shown *shown, int64_t first,
                        int64_t time, int64_t word)
{
    if (word == shown->word)
        return;
    if (shown->time != time) {
        columns->time[++shown->last] = time;
    } else if (shown->last > first) {
        int64_t before = shown->last - 1;
        int64_t known = (int64_t)((uint32_t)columns->region[before]
                                  | (uint64_t)columns->state[before] << 32);
        if (known == word) {
            *shown = (struct shown){before, columns->time[before], word};
            return;
        }
    }
    columns->state[shown->last] = (uint8_t)(word >> 32);
    columns->region[shown->last] = (int32_t)word;
    shown->time = time;
    shown->word = word;
}

static bool grow_stack(struct reader *reader)
{
    size_t size = reader->stack_size ? 2 * reader->stack_size : SLOTS;
    int64_t *larger = realloc(reader->stack, size * sizeof *larger);
    if (!larger)
        return false;
    reader->stack = larger;
    reader->stack_size = size;
    return true;
}

static bool is_message(unsigned kind)
{
    return (kind >= SEND && kind <= IRECV) || kind == CANCELLED || kind == COLLECTIVE_END
           || kind == COLLECTIVE_REQUEST || kind == COLLECTIVE_COMPLETE
           || (kind >= PROBE && kind <= IMRECV);
}

/* Begins an MPI call at the depth that is reached; false if its row was not counted. */
static inline bool begin_call(struct reader *reader, const struct columns *columns,
                              int64_t word, int64_t now)
{
    int64_t call = reader->call, depth = reader->depth;
    if (call >= reader->call_limit)
        return false;
    int64_t level = depth < MAX_PATH_DEPTH ? depth : MAX_PATH_DEPTH, known = reader->path_known;
    int64_t path = known < level ? descend(reader, known, level)
                                 : reader->path_nodes[level];
    columns->call_kept[call] = (uint8_t)(known < MAX_KEPT_LEVELS ? known : MAX_KEPT_LEVELS);
    reader->path_known = level;
    reader->oddities.path_cut += level < depth;
    columns->call_path[call] = (int32_t)path;
    columns->call_region[call] = (int32_t)word;
    columns->enter[call] = now;
    columns->completes[call] = -1;
    reader->open_level = depth;
    reader->open_call = call;
    reader->call = call + 1;
    return true;
}

/* Tells whether the events ahead leave a region as often as it is open: so many times
 * more than they enter it. Some of those in its chunk are looked at. */
static bool is_left_later(const struct reader *reader, const struct view *view,
                          const uint8_t *at, int64_t word, int64_t open)
{
    struct cursor chunk = {at, view->end, view->swap, false};
    int64_t entered = 0;
    for (int looks = 0; looks < FARTHEST_LOOK;) {
        unsigned kind = take_byte(&chunk);
        if (kind == TIMESTAMP) {
            take_whole(&chunk);
            kind = take_byte(&chunk);
        }
        struct cursor content = chunk;
        uint64_t size;
        if (reader->archive->bare[kind]) {
            size = take_byte(&chunk);
            size = size == UNDEFINED ? 0 : size;
        } else {
            size = take_length(&chunk);
            content = chunk;
        }
        if (chunk.bad || size > left(&chunk) || kind == END_OF_CHUNK || kind == END_OF_FILE)
            return false;
        chunk.at += size;
        looks += kind != ATTRIBUTES;
        bool enters = kind == ENTER || kind == CONTEXT_ENTER;
        if (!enters && kind != LEAVE && kind != CONTEXT_LEAVE)
            continue;
        uint64_t region = take_number(&content, NARROW);
        int64_t other = kind <= LEAVE ? region_of(reader, region) : context_of(reader, region);
        if (content.bad || other != word)
            continue;
        if (enters || entered)
            entered += enters ? 1 : -1;
        else if (!--open)
            return true;
    }
    return false;
}

/* Leaves a region, and those that are open above it, but for those that are left later. */
static void leave_below(struct reader *reader, const struct columns *columns, int64_t word,
                        int64_t now, const struct view *view, const uint8_t *at)
{
    int64_t *stack = reader->stack;
    int64_t depth = reader->depth, level = depth - 2, open = -1;
    int64_t lowest = depth > DEEPEST_SEARCH ? depth - DEEPEST_SEARCH : 0;
    reader->oddities.unbalanced++;
    while (level >= lowest && stack[level] != word)
        level--;
    if (level < lowest)
        return;
    reader->depth = level;
    for (int64_t above = level + 1; above < depth && !reader->archive->flat; above++) {
        int64_t times = 1; /* levels of the region, in those that stay open */
        for (int64_t below = lowest; below < reader->depth; below++)
            times += stack[below] == stack[above];
        if (!is_left_later(reader, view, at, stack[above], times))
            continue;
        if (reader->open_level == above)
            open = reader->depth;
        stack[reader->depth++] = stack[above];
    }
    reader->oddities.overlaps += reader->depth > level;
    if (reader->path_known > level)
        reader->path_known = level;
    if (open >= 0) {
        reader->open_level = open;
    } else if (reader->open_level >= level) {
        columns->leave[reader->open_call] = now;
        reader->open_level = -1;
    }
}

/* Leaves the region that is open above all others. */
static inline void leave_top(struct reader *reader, const struct columns *columns,
                             int64_t now)
{
    int64_t depth = --reader->depth;
    if (reader->path_known > depth)
        reader->path_known = depth;
    if (reader->open_level >= depth) {
        columns->leave[reader->open_call] = now;
        reader->open_level = -1;
    }
}

/* When a flush of the buffer stopped; -1 if that is damaged. */
static int64_t flush_stop(struct reader *reader, struct cursor content)
{
    uint64_t stamp = take_whole(&content);
    int64_t time = reader->clock_count ? corrected(reader, stamp) : (int64_t)stamp;
    return content.bad || time < 0 || time > MAX_TIME ? -1 : time - reader->origin;
}

/* Takes the events of a chunk, as many as were counted. */
static enum filled fill_chunk(struct reader *reader, const struct view *view)
{
    /* Copied: the compiler cannot know that no store to a column changes them. */
    const struct columns columns = *reader->archive->columns;
    const uint8_t *bare = reader->archive->bare, *at = view->begin;
    const int64_t *regions = reader->regions;
    uint64_t region_count = reader->region_count;
    bool flat = reader->archive->flat, timed = reader->clock_count > 0;
    int64_t now = reader->now, origin = reader->origin, idle = reader->idle;
    int64_t here = now - origin, first = reader->first_interval;
    int64_t limit = reader->interval_limit - 1;
    struct shown shown = {reader->interval, columns.time[reader->interval], reader->shown};
    /* Up to here the next record is one that is wholly there. */
    const uint8_t *near = view->swap || view->end - at < NEAR ? at : view->end - NEAR;
    int64_t events = 0;
    /* Behind what was counted nothing is known to be sound. */
    while (events < view->events) {
        struct cursor chunk = {at, view->end, view->swap, false};
        unsigned kind = take_byte(&chunk);
        if (kind == TIMESTAMP) {
            uint64_t stamp = take_whole(&chunk);
            int64_t time = timed ? corrected(reader, stamp) : (int64_t)stamp;
            time = time < 0 || time > MAX_TIME ? MAX_TIME : time;
            now = time > now ? time : now;
            here = now - origin;
            kind = take_byte(&chunk);
        }
        at = chunk.at;
        bool is_near = at < near;
        if (is_near && kind >= SEND && kind <= IRECV && reader->open_level >= 0) {
            const uint8_t *after = take_near(reader, kind, at, here, reader->open_call);
            if (after) {
                at = after;
                events++;
                continue;
            }
        }
        struct cursor content = chunk;
        uint64_t size = 0;
        int64_t word = idle;
        bool near_region = false;
        if (is_near && (kind == ENTER || kind == LEAVE)) {
            unsigned bytes;
            uint64_t region = load_field(at, &bytes);
            near_region = bytes <= NARROW;
            if (near_region) {
                at += 1 + bytes;
                word = region < region_count ? regions[region]
                                             : search_region(reader, region);
            }
        }
        if (!near_region) {
            if (kind == END_OF_CHUNK || kind == END_OF_FILE)
                break;
            if (bare[kind]) {
                size = take_byte(&chunk);
                size = size > WIDE ? 0 : size;
            } else {
                size = take_length(&chunk);
                content = chunk;
            }
            if (chunk.bad || size > left(&chunk))
                break; /* it is not what was counted */
            at = chunk.at + size;
            reader->now = now;
            if (kind == ATTRIBUTES) {
                take_attributes(reader, content, size, *at);
                continue;
            }
            if (kind == ENTER || kind == LEAVE || kind == CONTEXT_ENTER
                || kind == CONTEXT_LEAVE) {
                struct cursor number = content;
                uint64_t region = take_number(&number, NARROW);
                if (number.bad) {
                    events++;
                    reader->oddities.spoilt++;
                    continue;
                }
                word = kind <= LEAVE ? region_of(reader, region)
                                     : context_of(reader, region);
            }
        }
        if (kind == ENTER || kind == CONTEXT_ENTER) {
            if ((size_t)reader->depth >= reader->stack_size && !grow_stack(reader))
                return MEMORY_LACKS;
            if (word & IS_CALL) {
                /* Calls are not within others, but for those that make I/O: what was
                 * open when measurement was switched off was left meanwhile. */
                if ((flat || reader->cut >= 0) && reader->open_level >= 0) {
                    columns.leave[reader->open_call] = flat ? here : reader->cut;
                    reader->cut = -1;
                    reader->depth = reader->open_level;
                    reader->open_level = -1;
                    if (reader->path_known > reader->depth)
                        reader->path_known = reader->depth;
                    reader->oddities.unbalanced++;
                }
                if (reader->open_level < 0 && !begin_call(reader, &columns, word, here))
                    break;
            }
            if (kind == CONTEXT_ENTER)
                take_further(reader, kind, content, size);
            reader->stack[reader->depth++] = word;
        } else if (kind == LEAVE || kind == CONTEXT_LEAVE) {
            reader->cut = -1;
            if (reader->depth && reader->stack[reader->depth - 1] == word)
                leave_top(reader, &columns, here);
            else
                leave_below(reader, &columns, word, here, view, at);
        } else if (kind == MEASUREMENT) {
            struct cursor mode = content;
            bool was_off = reader->off;
            reader->off = take_byte(&mode) != MEASUREMENT_ON;
            if (reader->off && !was_off)
                reader->cut = reader->open_level >= 0 ? here : -1;
            reader->has_gaps |= reader->off;
            take_further(reader, kind, content, size);
        } else {
            enum taken taken = is_message(kind)
                                   ? take_message(reader, kind, content, size)
                                   : take_further(reader, kind, content, size);
            if (taken == NO_ROOM)
                break;
            reader->oddities.spoilt += taken == SPOILT;
            int64_t stop = kind == FLUSH ? flush_stop(reader, content) : -1;
            if (stop > here && shown.last + 1 < limit) {
                /* The interval around it goes on behind it. */
                int64_t around = reader->off     ? OUTSIDE
                                 : reader->depth ? reader->stack[reader->depth - 1] & SHOWN
                                                 : idle;
                int64_t begin = here > shown.time ? here : shown.time;
                show(&columns, &shown, first, begin,
                     (around & NO_REGION) | (int64_t)STATE_MEASUREMENT << 32);
                show(&columns, &shown, first, stop > begin ? stop : begin, around);
                events++;
                continue;
            }
            if (shown.word != OUTSIDE || reader->depth || reader->off) {
                events++;
                continue;
            }
        }
        events++;
        if (reader->off)
            word = OUTSIDE;
        else
            word = reader->depth ? reader->stack[reader->depth - 1] & SHOWN : idle;
        if (shown.last >= limit && word != shown.word && shown.time < here)
            break;
        /* What happens while the buffer is flushed is shown behind that. */
        show(&columns, &shown, first, here > shown.time ? here : shown.time, word);
    }
    reader->now = now;
    reader->interval = shown.last;
    reader->shown = shown.word;
    if (reader->requests.failed || reader->paths.failed)
        return MEMORY_LACKS;
    return events == view->events ? ALL_FILLED : FILE_CHANGED;
}

/* Begins a location: outside of everything from time 0 on. */
static bool begin_row(struct reader *reader, const struct location *location, int64_t row)
{
    const struct columns *columns = reader->archive->columns;
    const int64_t *const *offsets = columns->offsets;
    reader->rank = location->rank;
    reader->origin = location->origin;
    reader->idle = NO_REGION | location->idle << 32;
    reader->interval = reader->first_interval = offsets[INTERVALS_TABLE][row];
    reader->interval_limit = offsets[INTERVALS_TABLE][row + 1];
    reader->call = reader->first_call = offsets[CALLS_TABLE][row];
    reader->call_limit = offsets[CALLS_TABLE][row + 1];
    reader->send = reader->first_send = offsets[SENDS_TABLE][row];
    reader->send_limit = offsets[SENDS_TABLE][row + 1];
    reader->receive = offsets[RECEIVES_TABLE][row];
    reader->receive_limit = offsets[RECEIVES_TABLE][row + 1];
    reader->part = offsets[PARTS_TABLE][row];
    reader->part_limit = offsets[PARTS_TABLE][row + 1];
    for (unsigned kind = 0; kind < 256; kind++) {
        const struct further *table = &reader->archive->further[kind];
        if (table->times)
            reader->further[kind] =
                (struct further_rows){table->offsets[row], table->offsets[row + 1]};
    }
    reader->now = reader->depth = reader->off = reader->clock = 0;
    reader->open_level = reader->open_call = reader->comm_known = reader->cut = -1;
    reader->several = reader->has_gaps = false;
    reader->cancelled = 0;
    reader->path_known = 0;
    reader->path_count = 1;
    reader->path_parents[0] = reader->path_regions[0] = -1;
    reader->shown = OUTSIDE;
    columns->time[reader->interval] = 0;
    columns->state[reader->interval] = STATE_OUTSIDE;
    columns->region[reader->interval] = (int32_t)NO_REGION;
    return table_clear(&reader->requests, SLOTS) && table_clear(&reader->paths, PATH_SLOTS);
}

/* Begins a location in the middle. All that was before is one call, which is cut off
 * later; the first pass has counted a row for it and for each message. */
static bool begin_within(struct reader *reader, const struct location *location)
{
    struct columns *columns = reader->archive->columns;
    int64_t when = location->start_now - reader->origin, call = reader->call++;
    int64_t shown = reader->idle, inside = -1;
    when = when > 0 ? when : 0;
    while (reader->stack_size <= (size_t)location->depth)
        if (!grow_stack(reader))
            return false;
    for (int64_t level = 0; level < location->depth; level++) {
        int64_t word = location->words[level];
        reader->stack[level] = word;
        if (inside < 0 && (word & IS_CALL))
            inside = level;
        shown = word & SHOWN;
    }
    if (location->start_off)
        shown = OUTSIDE;
    reader->depth = location->depth;
    reader->off = location->start_off;
    reader->now = when + reader->origin;
    columns->call_region[call] = inside >= 0 ? (int32_t)location->words[inside] : 0;
    columns->enter[call] = columns->leave[call] = when;
    columns->completes[call] = -1;
    columns->call_path[call] = 0;
    columns->call_kept[call] = 0;
    if (inside >= 0) {
        reader->open_level = inside;
        reader->open_call = call;
    }
    if (shown != OUTSIDE) {
        reader->interval += when > 0;
        columns->time[reader->interval] = when;
        columns->state[reader->interval] = (uint8_t)(shown >> 32);
        columns->region[reader->interval] = (int32_t)shown;
        reader->shown = shown;
    }
    for (int64_t one = 0; one < location->send_count; one++) {
        const int64_t *send = location->sends + 3 * one;
        int64_t row = reader->send++;
        columns->sender[row] = (int32_t)reader->rank;
        columns->receiver[row] = (int32_t)send[0];
        columns->size[row] = 0;
        columns->tag[row] = (int32_t)send[2];
        columns->communicator[row] = (int32_t)send[1];
        columns->send_call[row] = columns->send_completion[row] = call;
        columns->send_time[row] = when;
    }
    for (int64_t one = 0; one < location->receive_count; one++) {
        const int64_t *receive = location->receives + 3 * one;
        int64_t row = reader->receive++;
        columns->receives[row] = (struct received){
            .rank = (int32_t)receive[0],
            .communicator = (int32_t)receive[1],
            .tag = (uint32_t)receive[2],
            .call = call,
            .time = when,
            .post = call,
        };
        if (columns->posted)
            columns->posted[row] = when;
    }
    return true;
}

/* Takes out the messages that were cancelled. */
static void drop_cancelled(struct reader *reader)
{
    const struct columns *columns = reader->archive->columns;
    int64_t to = reader->first_send;
    for (int64_t row = to; row < reader->send; row++) {
        if (columns->receiver[row] < 0)
            continue;
        columns->sender[to] = columns->sender[row];
        columns->receiver[to] = columns->receiver[row];
        columns->size[to] = columns->size[row];
        columns->tag[to] = columns->tag[row];
        columns->communicator[to] = columns->communicator[row];
        columns->send_call[to] = columns->send_call[row];
        columns->send_completion[to] = columns->send_completion[row];
        columns->send_time[to++] = columns->send_time[row];
    }
    reader->send = to;
    reader->oddities.cancelled += reader->cancelled;
}

/* Ends a location with its last event, or the end of a flush behind it. */
static void end_row(struct reader *reader, struct location *location)
{
    const struct columns *columns = reader->archive->columns;
    int64_t time = reader->now - reader->origin;
    int64_t last = reader->interval;
    struct shown shown = {last, columns->time[last], reader->shown};
    if (shown.time > time) {
        time = shown.time;
        reader->now = time + reader->origin;
    }
    if (reader->open_level >= 0) {
        columns->leave[reader->open_call] = time;
        reader->open_level = -1;
        if (!reader->off)
            location->open_word = reader->stack[reader->depth - 1] & SHOWN;
    }
    if (reader->cancelled)
        drop_cancelled(reader);
    if (last >= reader->interval_limit - 1 && shown.time != time)
        shown.last--; /* the file has changed since it was counted */
    show(columns, &shown, reader->first_interval, time, OUTSIDE);
    reader->interval = shown.last;
    for (int64_t call = reader->first_call; reader->several && call < reader->call; call++)
        if (columns->completes[call] == SEVERAL)
            columns->completes[call] = -1;
}

/* Tells whether nothing behind the chunks that were read changes what is before. A
 * receive that was posted and has not completed takes a send from those that were posted
 * after it; a collective operation is known when it completes. */
static bool is_settled(const struct reader *reader, bool is_inside)
{
    const struct columns *columns = reader->archive->columns;
    int64_t until = reader->archive->until, lowest = INT64_MAX;
    if (is_inside && columns->enter[reader->call - 1] < until)
        return false;
    for (uint64_t i = 0; i <= reader->requests.mask; i++) {
        int64_t value = reader->requests.slots[i].value, index = value >> 2;
        if (value == FREE)
            continue;
        if ((value & 3) == BY_COLLECTIVE) {
            int64_t call = columns->part_call[index];
            if (call >= 0 && columns->enter[call] < until)
                return false;
        }
        if ((value & 3) == BY_RECEIVE && index < lowest)
            lowest = index;
    }
    for (int64_t slot = lowest; slot < reader->receive - 1; slot++) {
        const struct received *later = &columns->receives[slot + 1];
        if (later->rank != NOT_THERE && later->time < until)
            return false;
    }
    return true;
}

/* Hands out the call paths; most locations of a program have the same. */
static bool hand_out_paths(struct reader *reader, struct location *location)
{
    size_t half = (size_t)reader->path_count * sizeof *reader->path_parents;
    bool same = reader->last_path_count == reader->path_count
                && !memcmp(reader->last_paths, reader->path_parents, half)
                && !memcmp(reader->last_paths + reader->path_count, reader->path_regions,
                           half);
    if (!same) {
        int32_t *paths = keep(reader, 2 * half);
        if (!paths)
            return false;
        memcpy(paths, reader->path_parents, half);
        memcpy(paths + reader->path_count, reader->path_regions, half);
        reader->last_paths = paths;
        reader->last_path_count = reader->path_count;
    }
    location->paths = reader->last_paths;
    location->path_count = reader->path_count;
    return true;
}

static void take_stock(struct reader *reader, int64_t row)
{
    int64_t *const *filled = reader->archive->columns->filled;
    filled[INTERVALS_TABLE][row] = reader->interval + 1;
    filled[CALLS_TABLE][row] = reader->call;
    filled[SENDS_TABLE][row] = reader->send;
    filled[RECEIVES_TABLE][row] = reader->receive;
    filled[PARTS_TABLE][row] = reader->part;
    for (unsigned kind = 0; kind < 256; kind++)
        if (reader->archive->further[kind].times)
            reader->archive->further[kind].filled[row] = reader->further[kind].next;
}

/* Fills in a chunk that is in memory; notes it if it is not the one that was counted. */
static enum filled take_chunk(struct reader *reader, struct location *location,
                              const uint8_t *bytes, int64_t got, const struct chunk *chunk)
{
    enum filled filled = FILE_CHANGED;
    if (got == chunk->size && got >= HEADER + chunk->skip) {
        struct view view = {bytes + HEADER + chunk->skip, bytes + got, chunk->swap,
                            chunk->events};
        filled = fill_chunk(reader, &view);
    }
    if (filled == FILE_CHANGED)
        location->changed = CHANGED;
    return filled;
}

static enum filled fill_from_file(struct reader *reader, struct location *location)
{
    enum filled filled = ALL_FILLED;
    int64_t size;
    int file = open_file(reader, location, "evt", &size);
    if (file < 0) {
        location->changed = CHANGED;
        return FILE_CHANGED;
    }
    for (int64_t i = 0; i < location->chunk_count && filled == ALL_FILLED; i++) {
        const struct chunk *chunk = &location->chunks[i];
        int64_t got = load(reader, file, chunk->begin, chunk->size);
        if (got < 0) {
            location->changed = UNREADABLE;
            location->changed_errno = errno;
            filled = got == -2 ? MEMORY_LACKS : FILE_CHANGED;
            break;
        }
        filled = take_chunk(reader, location, reader->bytes, got, chunk);
        if (!advance(reader, got))
            break;
    }
    close(file);
    return filled;
}

/* Fills the columns with a location's events; false if there is no memory. */
bool fill_location(struct reader *reader, struct location *location)
{
    int64_t row = location - reader->archive->locations;
    int64_t offsets = location->offsets, fault = location->definitions_fault;
    bool is_inside = false;
    if (location->chunk_count
        && !define(reader, location, location->definitions, location->definitions_size))
        return false;
    location->offsets = offsets; /* as when it was counted */
    location->definitions_fault = fault;
    if (!begin_row(reader, location, row)
        || (location->started && !begin_within(reader, location)))
        return false;
    if (location->chunk_count) {
        enum filled filled;
        if (location->content) {
            int64_t got = location->content_size;
            filled = take_chunk(reader, location, location->content, got, location->chunks);
            advance(reader, got);
        } else {
            filled = fill_from_file(reader, location);
        }
        if (filled == MEMORY_LACKS)
            return false;
        is_inside = reader->open_level >= 0;
        end_row(reader, location);
    }
    take_stock(reader, row);
    location->unsettled = !location->is_whole
                          && (reader->has_gaps || !is_settled(reader, is_inside));
    if (location->chunk_count || location->started) {
        location->last = reader->now;
        return hand_out_paths(reader, location);
    }
    return true;
}
