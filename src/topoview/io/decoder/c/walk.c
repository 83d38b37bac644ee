/* Where in a location's file a stretch of time begins and ends, and what was before.
 *
 * Chunks begin with a time, so that those at a moment are found by bisection. What is
 * before is walked over, and nothing of it is written down: what follows needs to know
 * which regions are open, how many messages of each channel were sent and received, as
 * those of a channel match in order, and in how many operations on each communicator the
 * location took part, as those are in the same order everywhere. Which requests are open would take long to
 * follow: it is decoded from the last moment on at which none was. What cannot be
 * followed is called strange; then all that is before is decoded.
 */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include <unistd.h>

#include "meaning.h"

#define CONTEXT (INT64_C(1) << 40) /* marks a calling context among open regions */
#define PART (UINT64_C(1) << 40)   /* tag of parts in collective operations */

enum walked { THROUGH, REACHED, STRANGE, MEMORY };

/* A place in a file, and what holds there. */
struct moment {
    int64_t chunk, at, events; /* at: bytes behind the chunk's header */
    int64_t depth, off, now;
};

/* Messages of the same partner, communicator and tag, by the location's identifiers. */
struct channel {
    uint64_t name, tag; /* partner and communicator; tag, and whether received */
    int64_t count;
};

struct walk {
    struct moment here, free; /* free: where no request was open last */
    int64_t *stack, *free_stack;
    int64_t deepest;
    struct table index; /* of the channels */
    struct channel *channels;
    int64_t channel_count, channel_room;
    int64_t *log; /* channels of the messages since then */
    int64_t logged, log_room;
    int64_t requests;
};

/* Makes room for one more; old memory stays if there is none. */
static bool make_room(void **array, int64_t *room, int64_t used, size_t size)
{
    if (used < *room)
        return true;
    int64_t more = *room ? 2 * *room : 256;
    void *larger = realloc(*array, (size_t)more * size);
    if (!larger)
        return false;
    *array = larger;
    *room = more;
    return true;
}

static bool push(struct walk *walk, int64_t region)
{
    int64_t room = walk->deepest;
    if (walk->here.depth == room) {
        if (!make_room((void **)&walk->stack, &walk->deepest, room, sizeof *walk->stack))
            return false;
        void *larger = realloc(walk->free_stack,
                               (size_t)walk->deepest * sizeof *walk->free_stack);
        if (!larger)
            return false;
        walk->free_stack = larger;
    }
    walk->stack[walk->here.depth++] = region;
    return true;
}

static bool pop(struct walk *walk, int64_t region)
{
    if (walk->here.depth == 0 || walk->stack[walk->here.depth - 1] != region)
        return false;
    walk->here.depth--;
    return true;
}

/* Counts one more of a channel. */
static enum walked count_one(struct walk *walk, uint64_t name, uint64_t tag, bool log)
{
    struct slot *slot = table_slot(&walk->index, name, tag);
    int64_t channel = slot->value;
    if (channel == FREE) {
        channel = walk->channel_count++;
        table_add(&walk->index, slot, name, tag, channel);
        if (walk->index.failed
            || !make_room((void **)&walk->channels, &walk->channel_room, channel,
                          sizeof *walk->channels))
            return MEMORY;
        walk->channels[channel] = (struct channel){name, tag, 0};
    }
    walk->channels[channel].count++;
    if (log) {
        if (!make_room((void **)&walk->log, &walk->log_room, walk->logged,
                       sizeof *walk->log))
            return MEMORY;
        walk->log[walk->logged++] = channel;
    }
    return THROUGH;
}

static enum walked count_message(struct walk *walk, unsigned kind, struct cursor content,
                                 bool log)
{
    uint64_t partner = take_number(&content, NARROW);
    uint64_t communicator = take_number(&content, NARROW);
    uint64_t tag = take_number(&content, NARROW) << 1;
    if (content.bad)
        return STRANGE;
    tag |= kind == RECV || kind == IRECV;
    return count_one(walk, partner << 32 | communicator, tag, log);
}

static enum walked count_part(struct walk *walk, struct cursor content, bool log)
{
    unsigned operation = take_byte(&content);
    uint64_t communicator = take_number(&content, NARROW);
    if (content.bad)
        return STRANGE;
    return operation < FIRST_PSEUDO_COLLECTIVE ? count_one(walk, communicator, PART, log)
                                               : THROUGH;
}

/* How many more requests are open behind a record. */
static int request_change(unsigned kind)
{
    switch (kind) {
    case ISEND:
    case IRECV_REQUEST:
    case COLLECTIVE_REQUEST:
        return 1;
    case ISEND_COMPLETE:
    case IRECV:
    case COLLECTIVE_COMPLETE:
        return -1;
    default:
        return 0;
    }
}

/* Walks over a message, a request or a collective operation. `before` is where its event begins. */
static enum walked walk_request(struct walk *walk, unsigned kind, struct cursor content,
                                const struct moment *before)
{
    int change = request_change(kind);
    if (change > 0 && !walk->requests) {
        walk->free = *before;
        walk->free.depth = walk->here.depth;
        walk->free.off = walk->here.off;
        if (walk->here.depth)
            memcpy(walk->free_stack, walk->stack,
                   (size_t)walk->here.depth * sizeof *walk->stack);
        walk->logged = 0;
    }
    bool log = walk->requests || change > 0;
    enum walked walked = THROUGH;
    if (kind == SEND || kind == ISEND || kind == RECV || kind == IRECV)
        walked = count_message(walk, kind, content, log);
    if (kind == COLLECTIVE_END || kind == COLLECTIVE_COMPLETE)
        walked = count_part(walk, content, log);
    if (walked != THROUGH)
        return walked;
    walk->requests += change;
    return walk->requests < 0 ? STRANGE : THROUGH;
}

/* Walks over the events of a chunk before a time stamp; a negative one is behind all of
 * it, whose times are not looked at. */
static enum walked walk_chunk(struct reader *reader, struct walk *walk,
                              const struct view *view, int64_t until)
{
    const uint8_t *bare = reader->archive->bare, *at = view->begin + walk->here.at;
    /* Up to here the next record is one that is wholly there. */
    const uint8_t *near = view->swap || view->end - view->begin < NEAR ? view->begin
                                                                       : view->end - NEAR;
    while (walk->here.events < view->events) {
        struct moment before = walk->here;
        struct cursor chunk = {at, view->end, view->swap, false};
        before.at = at - view->begin;
        unsigned kind = take_byte(&chunk);
        if (kind == TIMESTAMP) {
            uint64_t stamp = take_whole(&chunk);
            if (until >= 0 && !chunk.bad) {
                int64_t time = reader->clock_count ? corrected(reader, stamp)
                                                   : (int64_t)stamp;
                if (time < 0 || time > MAX_TIME)
                    return STRANGE;
                if (time >= until) {
                    walk->here.at = before.at;
                    return REACHED;
                }
                if (time > walk->here.now)
                    walk->here.now = time;
            }
            kind = take_byte(&chunk);
        }
        if (chunk.bad)
            return STRANGE;
        if (chunk.at < near && (kind == ENTER || kind == LEAVE)) {
            unsigned size;
            int64_t region = (int64_t)load_field(chunk.at, &size);
            if (size <= NARROW) {
                at = chunk.at + 1 + size;
                walk->here.events++;
                if (kind == ENTER && !push(walk, region))
                    return MEMORY;
                if (kind == LEAVE && !pop(walk, region))
                    return STRANGE;
                continue;
            }
        }
        struct cursor content = chunk;
        uint64_t size;
        if (bare[kind]) {
            size = take_byte(&chunk);
            size = size == UNDEFINED ? 0 : size;
        } else {
            size = take_length(&chunk);
            content = chunk;
        }
        if (chunk.bad || size > left(&chunk) || kind == END_OF_CHUNK
            || kind == END_OF_FILE)
            return STRANGE;
        at = chunk.at + size;
        if (kind == ATTRIBUTES)
            continue;
        walk->here.events++;
        bool enters = kind == ENTER || kind == CONTEXT_ENTER;
        if (enters || kind == LEAVE || kind == CONTEXT_LEAVE) {
            int64_t region = (int64_t)take_number(&content, NARROW);
            if (kind == CONTEXT_ENTER || kind == CONTEXT_LEAVE)
                region |= CONTEXT;
            if (content.bad)
                return STRANGE;
            if (enters && !push(walk, region))
                return MEMORY;
            if (!enters && !pop(walk, region))
                return STRANGE;
            continue;
        }
        /* What was sent meanwhile, or taken back, is not told by how many there were. */
        if (kind == MEASUREMENT || kind == CANCELLED)
            return STRANGE;
        if ((kind >= PROBE && kind <= IMRECV) || (kind >= RMA_FIRST && kind <= RMA_LAST))
            return STRANGE;
        bool is_request = kind == COLLECTIVE_END || kind == COLLECTIVE_REQUEST
                          || kind == COLLECTIVE_COMPLETE;
        if (!is_request && (kind < SEND || kind > IRECV))
            continue;
        enum walked walked = walk_request(walk, kind, content, &before);
        if (walked != THROUGH)
            return walked;
    }
    walk->here.at = at - view->begin;
    return THROUGH;
}

/* Time stamp that a chunk begins with; -1 if it has none. */
static int64_t begin_of(struct reader *reader, int file, int64_t at)
{
    int64_t got = load(reader, file, at, HEADER + 9);
    const uint8_t *head = reader->bytes;
    if (got != HEADER + 9 || head[0] != MARK || head[HEADER] != TIMESTAMP)
        return -1;
    uint64_t stamp = load_whole(head + HEADER + 1, head[1] == BIG);
    if (stamp > MAX_TIME)
        return -1;
    reader->clock = 0;
    int64_t time = reader->clock_count ? corrected(reader, stamp) : (int64_t)stamp;
    reader->clock = 0;
    return time;
}

/* Counts the chunks that begin before a time stamp; the first one always does. */
static int64_t chunks_before(struct reader *reader, int file, int64_t size, int64_t moment)
{
    int64_t step = reader->archive->event_chunk;
    int64_t low = 1, high = size / step + (size % step != 0);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (begin_of(reader, file, middle * step) >= moment)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Opens a location's file, with its local definitions known. */
static int open_defined(struct reader *reader, struct location *location, int64_t *size,
                        bool *memory)
{
    *memory = true;
    int file = open_file(reader, location, "evt", size);
    if (file < 0)
        return -1;
    *memory = define(reader, location, NULL, 0);
    if (!*memory) {
        close(file);
        return -1;
    }
    return file;
}

/* Finds which part of a location's file is read up to a time stamp: those chunks that
 * begin before it, and one behind them. */
bool find_end(struct reader *reader, struct location *location)
{
    int64_t size, step = reader->archive->event_chunk;
    bool memory;
    int file = open_defined(reader, location, &size, &memory);
    location->part = 0;
    if (file < 0)
        return memory;
    int64_t chunks = chunks_before(reader, file, size, location->until) + 1;
    location->part = chunks <= size / step ? chunks * step : size;
    close(file);
    return true;
}

/* Loads a chunk; `last` is the number of the last event before it. */
static enum walked load_chunk(struct reader *reader, int file, int64_t number,
                              uint64_t *last, struct view *view)
{
    int64_t step = reader->archive->event_chunk;
    if (step > LARGEST_CHUNK)
        return STRANGE;
    int64_t got = load(reader, file, number * step, step);
    uint64_t first, final;
    if (got == -2)
        return MEMORY;
    if (got < 0 || !read_header(reader->bytes, got, &view->swap, &first, &final)
        || first != *last + 1 || final < *last || final - *last >= (uint64_t)got)
        return STRANGE;
    view->begin = reader->bytes + HEADER;
    view->end = reader->bytes + got;
    view->events = (int64_t)(final - *last);
    *last = final;
    return THROUGH;
}

/* Partners, communicators, tags and numbers of the messages before, and of parts in
 * collective operations. Records that name nobody, or somebody unknown, are no messages. */
static bool tell_channels(struct reader *reader, struct location *location,
                          const struct walk *walk)
{
    int64_t (*found)[5] = keep(reader, (size_t)walk->channel_count * sizeof *found);
    if (!found)
        return false;
    int64_t count = 0;
    reader->comm_known = -1;
    reader->rank = location->rank;
    for (int64_t i = 0; i < walk->channel_count; i++) {
        const struct channel *channel = &walk->channels[i];
        if (!channel->count)
            continue;
        find_communicator(reader, (uint32_t)channel->name);
        bool is_part = channel->tag == PART;
        int64_t partner = is_part ? 0
                                  : partner_of(reader, (uint32_t)(channel->name >> 32));
        if (partner < 0)
            continue;
        found[count][0] = partner;
        found[count][1] = reader->comm_number;
        found[count][2] = (int64_t)(channel->tag >> 1);
        found[count][3] = channel->count;
        found[count++][4] = is_part ? 2 : channel->tag & 1;
    }
    location->channels = found[0];
    location->channel_count = count;
    return true;
}

static bool tell_start(struct reader *reader, struct location *location,
                       struct walk *walk, bool has_ended)
{
    struct moment from = walk->here;
    const int64_t *stack = walk->stack;
    if (walk->requests) {
        from = walk->free;
        stack = walk->free_stack;
        has_ended = false;
        for (int64_t i = 0; i < walk->logged; i++)
            walk->channels[walk->log[i]].count--;
    }
    if (!tell_channels(reader, location, walk))
        return false;
    int64_t depth = has_ended ? 0 : from.depth;
    int64_t *words = keep(reader, (size_t)depth * sizeof *words);
    if (!words)
        return false;
    for (int64_t level = 0; level < depth; level++) {
        uint64_t local = (uint64_t)(stack[level] & (CONTEXT - 1));
        words[level] = stack[level] & CONTEXT ? context_of(reader, local)
                                              : region_of(reader, local);
    }
    location->start_chunk = from.chunk;
    location->start_skip = from.at;
    location->start_events = from.events;
    location->start_first = location->first;
    location->start_now = from.now;
    location->start_off = from.off || has_ended;
    location->words = words;
    location->depth = depth;
    return true;
}

/* Walks up to a moment, back to the last one at which no request was open. */
static enum walked walk_file(struct reader *reader, struct location *location, int file,
                             int64_t size, int64_t moment, struct walk *walk)
{
    int64_t count = chunks_before(reader, file, size, moment);
    int64_t step = reader->archive->event_chunk;
    uint64_t last = 0;
    enum walked walked = REACHED;
    reader->clock = 0;
    for (int64_t number = 0; number < count; number++) {
        struct view view;
        bool is_last = number == count - 1;
        walked = load_chunk(reader, file, number, &last, &view);
        if (walked != THROUGH)
            return walked;
        walk->here.at = walk->here.events = 0;
        walk->here.chunk = number;
        walked = walk_chunk(reader, walk, &view, is_last ? moment : -1);
        if (walked == STRANGE || walked == MEMORY)
            return walked;
        if (!advance(reader, step))
            break;
    }
    bool has_ended = walked != REACHED;
    if (has_ended && size > count * step) {
        walk->here.at = walk->here.events = 0;
        walk->here.chunk = count;
        has_ended = false;
    }
    return tell_start(reader, location, walk, has_ended) ? THROUGH : MEMORY;
}

/* Finds what is before the time stamp `start_now`, where the location begins at `first`.
 * The start says nothing of messages yet: those follow from all locations' channels. */
bool find_start(struct reader *reader, struct location *location)
{
    int64_t moment = location->start_now, size;
    bool memory;
    location->start_chunk = -1;
    location->channel_count = location->strange = 0;
    if (location->first < 0 || location->first >= moment)
        return true;
    int file = open_defined(reader, location, &size, &memory);
    struct walk walk = {0};
    enum walked walked = memory ? STRANGE : MEMORY;
    if (file >= 0) {
        walked = MEMORY;
        if (table_make(&walk.index, SLOTS))
            walked = walk_file(reader, location, file, size, moment, &walk);
        close(file);
    }
    table_free(&walk.index);
    free(walk.stack);
    free(walk.free_stack);
    free(walk.channels);
    free(walk.log);
    location->strange = walked == STRANGE;
    if (walked == STRANGE) /* all is decoded then: the others need not look */
        atomic_store(&reader->archive->stop, 1);
    return walked != MEMORY;
}
