/* The first pass: how many records of each type there are, and which chunks are sound.
 *
 * A record is a byte that says what it is, then, unless it is a single integer, its
 * length, then its content. A time stamp holds for all records up to the next one
 * (libotf2 3.2, source of OTF2_Buffer.c and OTF2_EvtReader_inc.c).
 */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <unistd.h>

#include "meaning.h"

enum {
    PAIRED = 1 << 22,       /* bytes of a chunk up to which two are in memory */
    LAST_CHUNKS = 2,        /* of a part, in which the end of a stretch is looked for */
    LARGEST_HELD = 1 << 16, /* bytes of a file that stays in memory between passes */
    PEEKED = 1 << 12,       /* bytes that are looked at for the first event */
    MORE_INTERVALS = 2      /* that a location needs if reading begins in its middle */
};

enum ended { ENDED_WHOLE, ENDED_CUT, ENDED_DAMAGED };

static inline bool changes_state(unsigned kind)
{
    return (kind >= MEASUREMENT && kind <= LEAVE) || kind == CONTEXT_ENTER
           || kind == CONTEXT_LEAVE;
}

/* Intervals that a location's first event can need beyond those of `changes_state`:
 * one if it does not change the state, which is shown all the same; one more if it may
 * be unsound or has no time, as else none is needed where it is the trace's first. */
static int opening_of(const struct reader *reader, unsigned kind, bool timed, uint64_t size)
{
    bool plain = !changes_state(kind);
    bool sound = timed && (plain || (reader->archive->bare[kind] && size <= NARROW));
    return plain + !sound;
}

/* How far a chunk was counted. */
struct counted {
    const uint8_t *at;
    int64_t events;
    int latest; /* type of the last event */
};

/* Counts the records of a chunk, up to as many events as it is said to hold. */
static enum ended count_chunk(struct reader *reader, const struct view *view,
                              struct counted *counted)
{
    int64_t *tally = reader->tallies[0], calls = 0, events = counted->events;
    const uint8_t *bare = reader->archive->bare;
    struct cursor chunk = {counted->at, view->end, view->swap, false};
    int latest = counted->latest;
    enum ended ended = ENDED_WHOLE;
    for (;;) {
        unsigned kind = take_byte(&chunk);
        if (kind == TIMESTAMP && !chunk.bad) {
            uint64_t stamp = take_whole(&chunk);
            kind = take_byte(&chunk);
            if (!chunk.bad && reader->first < 0)
                reader->first = (int64_t)stamp;
        }
        if (chunk.bad) {
            ended = ENDED_CUT;
            break;
        }
        if (kind == END_OF_CHUNK || kind == END_OF_FILE)
            break;
        struct cursor content = chunk;
        uint64_t size;
        if (bare[kind]) {
            size = take_byte(&chunk);
            if (size == UNDEFINED)
                size = 0;
            if (chunk.bad || size > left(&chunk) || size > WIDE) {
                ended = size <= WIDE ? ENDED_CUT : ENDED_DAMAGED;
                break;
            }
            if (kind == ENTER) {
                uint64_t region = take_number(&content, NARROW);
                calls += !content.bad && (region_of(reader, region) & IS_CALL);
            }
        } else {
            size = take_length(&chunk);
            if (chunk.bad || size > left(&chunk)) {
                ended = size >> 32 ? ENDED_DAMAGED : ENDED_CUT;
                break;
            }
            content = chunk;
            if (kind == ATTRIBUTES) {
                tally[ATTRIBUTED] += (int64_t)count_attributes(content, size);
                chunk.at += size;
                continue;
            }
            if (kind == CONTEXT_ENTER) {
                uint64_t context = take_number(&content, NARROW);
                calls += !content.bad && (context_of(reader, context) & IS_CALL);
            } else if (kind == METRIC) {
                tally[VALUES] += (int64_t)count_values(content, size);
            }
        }
        chunk.at += size;
        if (events == view->events)
            break;
        events++;
        if (reader->opening < 0)
            reader->opening = opening_of(reader, kind, reader->first >= 0, size);
        latest = (int)kind;
        tally[kind]++;
    }
    tally[CALLS] += calls;
    if (events)
        reader->ending = !changes_state((unsigned)latest);
    *counted = (struct counted){chunk.at, events, latest};
    return ended;
}

/* Looks at a record: whether it is common, its type, where the next one begins. */
static inline bool look_near(const uint8_t **at, const int16_t *longest,
                             const int64_t *regions, uint64_t region_count,
                             unsigned *kind, int64_t *calls)
{
    const uint8_t *record = *at;
    *kind = *record;
    if (*kind == TIMESTAMP) {
        record += 9;
        *kind = *record;
    }
    unsigned size = record[1];
    *at = record + 2 + size;
    if ((int)size > longest[*kind])
        return false;
    if (*kind == ENTER) {
        uint64_t region = load_field(record + 1, &size);
        if (region >= region_count)
            return false;
        *calls += (regions[region] & IS_CALL) != 0;
    }
    return true;
}

/* Counts the records of two chunks beside each other, as far as both are common.
 *
 * Where the next record begins is known when the length of this one is: that of another
 * chunk is looked at meanwhile. Both are in this machine's byte order. The last event
 * is that of the other chunk, which comes later. */
static void count_near(struct reader *reader, const struct view views[2],
                       struct counted counted[2])
{
    const int16_t *longest = reader->longest;
    const int64_t *regions = reader->regions;
    uint64_t region_count = reader->region_count;
    int64_t *tally = reader->tallies[0], *tally2 = reader->tallies[1];
    const uint8_t *at = views[0].begin, *at2 = views[1].begin;
    int64_t most = views[0].events < views[1].events ? views[0].events : views[1].events;
    int64_t events = 0, calls = 0;
    int latest = -1;
    counted[0] = (struct counted){at, 0, -1};
    counted[1] = (struct counted){at2, 0, -1};
    if (views[0].end - at < NEAR || views[1].end - at2 < NEAR)
        return;
    const uint8_t *end = views[0].end - NEAR, *end2 = views[1].end - NEAR;
    if (reader->opening < 0 && at < end) {
        const uint8_t *after = at;
        unsigned kind;
        int64_t none;
        if (*at != TIMESTAMP
            || !look_near(&after, longest, regions, region_count, &kind, &none))
            return;
        if (reader->first < 0)
            reader->first = (int64_t)load64(at + 1);
        reader->opening = opening_of(reader, kind, true, at[10]);
    }
    while (events < most && at < end && at2 < end2) {
        const uint8_t *after = at, *after2 = at2;
        unsigned kind, kind2;
        int64_t more = calls;
        bool one = look_near(&after, longest, regions, region_count, &kind, &more);
        bool two = look_near(&after2, longest, regions, region_count, &kind2, &more);
        if (!one || !two)
            break;
        tally[kind]++;
        tally2[kind2]++;
        at = after;
        at2 = after2;
        latest = (int)kind2;
        calls = more;
        events++;
    }
    tally[CALLS] += calls;
    counted[0] = (struct counted){at, events, latest};
    counted[1] = (struct counted){at2, events, latest};
}

/* Counts the events of a chunk up to the first end of a region behind a time stamp; a
 * call that is open then has ended, if it is no deeper. -1 if that is in a later chunk. */
static int64_t count_until(struct reader *reader, const struct view *view, int64_t until)
{
    struct cursor chunk = {view->begin, view->end, view->swap, false};
    const uint8_t *bare = reader->archive->bare;
    bool behind = false;
    for (int64_t events = 0; events < view->events;) {
        unsigned kind = take_byte(&chunk);
        if (kind == TIMESTAMP && !chunk.bad) {
            uint64_t stamp = take_whole(&chunk);
            if (!chunk.bad)
                behind |= time_of(reader, stamp) >= until;
            kind = take_byte(&chunk);
        }
        uint64_t size = take_byte(&chunk);
        if (size == UNDEFINED)
            size = bare[kind] ? 0 : take_whole(&chunk);
        if (chunk.bad || size > left(&chunk))
            return -1;
        chunk.at += size;
        events += kind != ATTRIBUTES;
        if (behind && (kind == LEAVE || kind == CONTEXT_LEAVE))
            return events;
    }
    return -1;
}

bool read_header(const uint8_t *at, int64_t size, bool *swap, uint64_t *first,
                 uint64_t *last)
{
    if (size < HEADER || at[0] != MARK || (at[1] != LITTLE && at[1] != BIG))
        return false;
    *swap = at[1] == BIG;
    *first = load_whole(at + 2, *swap);
    *last = load_whole(at + 10, *swap);
    return *first <= INT64_MAX && *last < INT64_MAX;
}

/* A chunk in memory. */
struct found {
    struct view view; /* `events` as its header says */
    uint64_t first, last;
    int64_t at, size;
    bool sound;
};

static struct found find_chunk(const struct reader *reader, int64_t at, int64_t got,
                               int64_t step)
{
    struct found found = {.at = at, .size = got - at < step ? got - at : step};
    const uint8_t *begin = reader->bytes + at;
    found.sound = read_header(begin, found.size, &found.view.swap, &found.first,
                              &found.last);
    if (found.sound) {
        found.view.begin = begin + HEADER;
        found.view.end = begin + found.size;
        found.view.events = (int64_t)(found.last - found.first + 1);
    }
    return found;
}

/* Chunks of a location, while it is counted. */
struct counting {
    struct chunk *chunks;
    int64_t count, room;
    enum fault fault;
    int64_t lost, end;
};

static bool append_chunk(struct reader *reader, struct counting *counting,
                         struct chunk chunk)
{
    if (counting->count == counting->room) {
        int64_t room = counting->room ? 2 * counting->room : 4;
        struct chunk *chunks = keep(reader, (size_t)room * sizeof *chunks);
        if (!chunks)
            return false;
        if (counting->count)
            memcpy(chunks, counting->chunks, (size_t)counting->count * sizeof *chunks);
        counting->chunks = chunks;
        counting->room = room;
    }
    counting->chunks[counting->count++] = chunk;
    return true;
}

enum step_result { GO_ON, STOP, LAST, LACKING };

/* Counts a chunk; `begin` is where what is in memory begins in the file. */
static enum step_result count_found(struct reader *reader, struct location *location,
                                    struct counting *counting, struct found *found,
                                    struct counted *counted, int64_t begin, int64_t size,
                                    int64_t *last)
{
    int64_t step = reader->archive->event_chunk;
    bool starts = location->start_chunk >= 0;
    if (found->sound && *last < 0)
        *last = (int64_t)found->first - 1;
    if (!found->sound || (int64_t)found->first != *last + 1) {
        counting->fault = DAMAGED;
        return STOP;
    }
    struct view *view = &found->view;
    int64_t announced = (int64_t)found->last - *last, skip = 0;
    if (announced < 0 || announced >= step) {
        counting->fault = DAMAGED;
        return STOP;
    }
    if (starts && !counting->count) {
        skip = location->start_skip;
        announced -= location->start_events;
        if (announced < 0 || skip > view->end - view->begin) { /* it has changed */
            counting->fault = DAMAGED;
            return STOP;
        }
        view->begin += skip;
        counted->at = view->begin;
    }
    view->events = announced;
    int64_t behind = begin + found->at + step;
    bool is_end = false;
    if (location->until >= 0 && behind + (LAST_CHUNKS - 1) * step >= size) {
        int64_t most = count_until(reader, view, location->until);
        is_end = most >= 0;
        if (is_end)
            view->events = announced = most;
    }
    enum ended ended = count_chunk(reader, view, counted);
    struct chunk chunk = {begin + found->at, found->size, counted->events, (int32_t)skip,
                          view->swap};
    if (!append_chunk(reader, counting, chunk))
        return LACKING;
    bool is_last = behind >= size && location->is_whole;
    if (counted->events != announced || (ended != ENDED_WHOLE && !is_last)) {
        counting->lost += announced - counted->events;
        counting->fault = counting->fault || !is_last ? DAMAGED : CUT_SHORT;
    }
    *last = (int64_t)found->last;
    counting->end = found->at + found->size;
    location->is_whole &= !is_end;
    return advance(reader, found->size) && !is_end ? GO_ON : LAST;
}

/* Counts the records of a file whose local definitions are known. False if reading
 * failed, with errno 0 if there was no memory. */
static bool count_file(struct reader *reader, struct location *location, int file,
                       struct counting *counting)
{
    int64_t step = reader->archive->event_chunk, size = location->size;
    bool starts = location->start_chunk >= 0;
    bool paired = step <= PAIRED && !starts && location->until < 0;
    int64_t stride = paired ? 2 * step : step, last = starts ? -1 : 0;
    if (step > LARGEST_CHUNK) {
        counting->fault = DAMAGED;
        return true;
    }
    int64_t origin = starts && location->start_chunk < size / step + 1
                         ? location->start_chunk * step
                         : starts ? size : 0;
    for (int64_t begin = origin; begin < size; begin += stride) {
        int64_t wanted = stride < size - begin ? stride : size - begin;
        int64_t got = load(reader, file, begin, wanted);
        if (got < 0) {
            errno = got == -2 ? 0 : errno;
            return false;
        }
        struct found found[2];
        struct counted counted[2];
        int several = 0;
        for (int64_t at = 0; at < wanted; at += step) {
            found[several] = find_chunk(reader, at, got < at ? at : got, step);
            counted[several] = (struct counted){found[several].view.begin, 0, -1};
            several++;
        }
        if (several == 2 && found[0].sound && found[1].sound && !found[0].view.swap
            && !found[1].view.swap && found[1].first == found[0].last + 1
            && found[0].view.events > 0 && found[0].view.events < step
            && found[1].view.events > 0 && found[1].view.events < step) {
            struct view views[2] = {found[0].view, found[1].view};
            count_near(reader, views, counted);
        }
        for (int i = 0; i < several; i++) {
            switch (count_found(reader, location, counting, &found[i], &counted[i],
                                begin, size, &last)) {
            case GO_ON:
                break;
            case LACKING:
                errno = 0;
                return false;
            default:
                return true;
            }
        }
    }
    if (!location->is_whole)
        return true;
    /* A line end behind it does no harm: a tool for texts adds it. */
    const uint8_t *bytes = reader->bytes;
    int64_t end = counting->end, lowest = end > TAIL ? end - TAIL : 0;
    while (end > lowest && (bytes[end - 1] == '\r' || bytes[end - 1] == '\n'))
        end--;
    if (end >= lowest + 2 && bytes[end - 1] == 1 && bytes[end - 2] == END_OF_FILE)
        counting->fault = counting->fault ? DAMAGED : SOUND;
    else if (!counting->fault)
        counting->fault = CUT_SHORT;
    return true;
}

/* Keeps bytes for the second pass if there is room; NULL if not. To open a file, ask for
 * its size, read and close it takes longer than to decode a few kilobytes. */
static const uint8_t *hold(struct reader *reader, const uint8_t *bytes, int64_t size)
{
    _Atomic int64_t *room = &reader->archive->room;
    if (size > LARGEST_HELD)
        return NULL;
    uint8_t *held = NULL;
    if (atomic_fetch_sub(room, size) >= size)
        held = keep(reader, (size_t)size + PADDING);
    if (!held) {
        atomic_fetch_add(room, size);
        return NULL;
    }
    memcpy(held, bytes, (size_t)size);
    memset(held + size, 0, PADDING);
    return held;
}

/* Hands out what was counted. */
static bool hand_out(struct reader *reader, struct location *location)
{
    struct tally found[KINDS];
    int64_t count = 0;
    for (int64_t kind = 0; kind < KINDS; kind++) {
        int64_t records = reader->tallies[0][kind] + reader->tallies[1][kind];
        if (records)
            found[count++] = (struct tally){kind, records};
    }
    struct tally *tallies = keep(reader, (size_t)count * sizeof *tallies);
    if (!tallies)
        return false;
    if (count)
        memcpy(tallies, found, (size_t)count * sizeof *tallies);
    location->tallies = tallies;
    location->tally_count = count;
    return true;
}

/* Puts the location back to what is known without reading it. */
static void begin(struct location *location)
{
    location->first = -1;
    location->offsets = location->size = location->events = location->lost = 0;
    location->fault = location->fault_errno = SOUND;
    location->definitions_fault = location->definitions_errno = SOUND;
    location->started = 0;
    location->is_whole = 1;
    location->chunks = NULL;
    location->tallies = NULL;
    location->content = location->definitions = NULL;
    location->chunk_count = location->tally_count = 0;
    location->content_size = location->definitions_size = 0;
    location->changed = location->changed_errno = location->unsettled = 0;
    location->last = location->open_word = -1;
    location->paths = NULL;
    location->path_count = 0;
}

static bool fail(struct location *location)
{
    int64_t size = location->size;
    begin(location);
    location->size = size;
    location->fault = errno == ENOENT && !size ? MISSING : UNREADABLE;
    location->fault_errno = errno;
    return true;
}

/* Sums up what was counted in the chunks. */
static bool conclude(struct reader *reader, struct location *location,
                     const struct counting *counting, int64_t whole)
{
    bool starts = location->start_chunk >= 0;
    location->lost = counting->lost;
    location->fault = counting->fault;
    location->started = starts;
    for (int64_t i = 0; i < counting->count; i++)
        location->events += counting->chunks[i].events;
    if (location->events) {
        reader->clock = 0;
        if (reader->clock_count)
            reader->first = corrected(reader, (uint64_t)reader->first);
        uint64_t first = (uint64_t)(starts ? location->start_first : reader->first);
        location->first = first > MAX_TIME ? MAX_TIME : (int64_t)first;
        location->chunks = counting->chunks;
        location->chunk_count = counting->count;
        reader->tallies[0][EXTRA] = reader->opening + reader->ending;
        if (location->size == whole && whole <= reader->archive->event_chunk && !starts) {
            location->content_size = counting->chunks[0].size;
            location->content = hold(reader, reader->bytes, location->content_size);
        }
        if (reader->defined) {
            if (!reader->definitions_held)
                reader->definitions_held = hold(reader, reader->definitions,
                                                (int64_t)reader->definitions_size);
            location->definitions = reader->definitions_held;
            location->definitions_size = (int64_t)reader->definitions_size;
        }
    } else {
        memset(reader->tallies, 0, sizeof reader->tallies);
        location->first = starts ? location->start_first : -1;
        location->offsets = 0;
        location->definitions_fault = SOUND;
        location->is_whole = 1;
    }
    if (starts) {
        reader->tallies[0][CALLS] += 1;
        reader->tallies[0][EXTRA] += MORE_INTERVALS;
        reader->tallies[0][EARLIER_SENDS] += location->send_count;
        reader->tallies[0][EARLIER_RECEIVES] += location->receive_count;
    }
    return hand_out(reader, location);
}

static bool count_part(struct reader *reader, struct location *location)
{
    int64_t whole;
    begin(location);
    int file = open_file(reader, location, "evt", &whole);
    if (file < 0)
        return fail(location);
    location->size = whole < location->part ? whole : location->part;
    if (!location->size) {
        close(file);
        location->fault = EMPTY;
        return true;
    }
    struct counting counting = {0};
    memset(reader->tallies, 0, sizeof reader->tallies);
    reader->first = reader->opening = -1;
    location->is_whole = location->part >= whole;
    bool fine = define(reader, location, NULL, 0);
    errno = 0;
    bool read = fine && count_file(reader, location, file, &counting);
    int error = errno;
    close(file);
    errno = error;
    if (!read)
        return fine && error ? fail(location) : false;
    return conclude(reader, location, &counting, whole);
}

/* Counts what a location holds in the part of its file that is read. What is behind that
 * is no damage. False if there is no memory. */
bool count_location(struct reader *reader, struct location *location)
{
    if (location->wanted)
        return count_part(reader, location);
    return peek(reader, location);
}

/* Finds the time of a location's first event, and whether its clock is corrected. */
bool peek(struct reader *reader, struct location *location)
{
    struct location beginning = *location;
    beginning.part = PEEKED;
    beginning.until = -1;
    beginning.start_chunk = -1;
    if (!count_part(reader, &beginning))
        return false;
    begin(location);
    location->first = beginning.first;
    location->offsets = beginning.offsets;
    return true;
}
