/* Records of messages, requests and collectives, from a chunk to the columns.
 *
 * Sends become messages at once. Receives, and parts in collectives, get their place when
 * they are posted, so that they lie in the order that matching needs.
 */
#include "meaning.h"

/* Key of a message that was probed: requests have none beside theirs. */
enum { REQUEST = 0, MESSAGE = 1 };

/* Value of a request that nothing is known to have posted, where EZTrace wrote it. */
enum { ORPHAN = -5 };

static bool contains(const struct side *side, int64_t rank)
{
    int64_t low = 0, high = side->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (side->sorted[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < side->count && side->sorted[low] == rank;
}

void find_communicator_again(struct reader *reader, uint32_t local)
{
    const struct archive *archive = reader->archive;
    uint32_t identifier = (uint32_t)mapped(reader, MAP_COMM, local);
    int64_t count = archive->comm_count, number = 0;
    int64_t at = lower_bound32(archive->comm_identifiers, count, identifier);
    if (at < count && archive->comm_identifiers[at] == identifier)
        number = archive->comm_numbers[at];
    const int64_t *begins = archive->comm_begins + number;
    reader->comm_known = local;
    reader->comm_number = number;
    reader->comm_ranks = archive->comm_ranks + begins[0];
    reader->comm_size = begins[1] - begins[0];
    if (!archive->comm_sides)
        return;
    /* Between two groups partners are ranks of the other one. */
    const struct side *sides = archive->comm_sides + 2 * number;
    for (int mine = 0; mine < 2; mine++)
        if (contains(&sides[mine], reader->rank)) {
            reader->comm_ranks = sides[1 - mine].members;
            reader->comm_size = sides[1 - mine].count ? sides[1 - mine].count : -1;
        }
}

/* Call that posted a request. */
static inline int64_t posted_by(const struct reader *reader, int64_t value)
{
    const struct columns *columns = reader->archive->columns;
    int64_t index = value >> 2;
    switch (value & 3) {
    case BY_SEND:
        return columns->send_call[index];
    case BY_RECEIVE:
        return columns->receives[index].post;
    case BY_COLLECTIVE:
        return columns->part_call[index];
    default:
        return index;
    }
}

/* Remembers a request by what posted it. */
static inline void post(struct reader *reader, uint64_t request, uint64_t kind,
                        int64_t index, int by)
{
    table_put(&reader->requests, request, kind, index * 4 + by);
}

/* Completes a request in a call: its value. */
static inline int64_t complete(struct reader *reader, uint64_t request, int64_t call)
{
    int64_t value = table_take(&reader->requests, request, REQUEST);
    if (value == FREE)
        return FREE;
    int64_t posted = posted_by(reader, value);
    if ((value & 3) == BY_SEND)
        reader->archive->columns->send_completion[value >> 2] = call;
    if (call >= 0 && call != posted) {
        int64_t *known = &reader->archive->columns->completes[call];
        reader->several |= *known != -1;
        *known = *known == -1 ? posted : SEVERAL;
    }
    return value;
}

static inline int64_t orphaned(const struct reader *reader, int64_t value)
{
    return value == FREE && reader->archive->flat ? ORPHAN : value;
}

/* What the record of a message says. */
struct message {
    int64_t partner; /* rank of the world */
    uint32_t local;  /* of the communicator that was found last */
    uint32_t tag;
    int64_t size, time, call;
};

/* Enters a message; a request is still to complete, all else has. */
static inline enum taken place_send(struct reader *reader, const struct message *message,
                                    const uint64_t *request)
{
    struct columns *columns = reader->archive->columns;
    int64_t row = reader->send;
    if (row >= reader->send_limit)
        return NO_ROOM;
    columns->sender[row] = (int32_t)reader->rank;
    columns->receiver[row] = (int32_t)message->partner;
    columns->size[row] = message->size;
    columns->tag[row] = (int32_t)message->tag;
    columns->communicator[row] = (int32_t)reader->comm_number;
    columns->send_call[row] = message->call;
    columns->send_completion[row] = request ? -1 : message->call;
    columns->send_time[row] = message->time;
    if (request)
        post(reader, *request, REQUEST, row, BY_SEND);
    reader->send = row + 1;
    return TAKEN;
}

/* Gives a receive its place, -1 if there is none left. */
static inline int64_t new_receive(struct reader *reader, int64_t time, int64_t call)
{
    struct columns *columns = reader->archive->columns;
    int64_t slot = reader->receive;
    if (slot >= reader->receive_limit)
        return -1;
    reader->receive = slot + 1;
    columns->receives[slot].rank = NOT_THERE;
    columns->receives[slot].size = NOT_THERE;
    columns->receives[slot].post = call;
    if (columns->posted)
        columns->posted[slot] = time;
    return slot;
}

static inline enum taken place_posted(struct reader *reader, uint64_t request,
                                      int64_t time, int64_t call)
{
    int64_t slot = new_receive(reader, time, call);
    if (slot < 0)
        return NO_ROOM;
    post(reader, request, REQUEST, slot, BY_RECEIVE);
    return TAKEN;
}

/* Enters what a receive brought. `posted` is the value of its request. */
static inline enum taken place_receive(struct reader *reader, int64_t posted,
                                       const struct message *message)
{
    int64_t slot;
    if (posted >= 0 && ((posted & 3) == BY_SEND || (posted & 3) == BY_CALL))
        return TAKEN; /* what EZTrace records when a persistent send completes */
    if (posted != FREE && (posted & 3) == BY_RECEIVE) {
        slot = posted >> 2;
    } else {
        slot = new_receive(reader, message->time, message->call);
        if (slot < 0)
            return NO_ROOM;
        if (posted == ORPHAN)
            reader->archive->columns->receives[slot].post = -2 - message->call;
        else if (posted != FREE)
            reader->archive->columns->receives[slot].post = posted_by(reader, posted);
    }
    struct received *received = &reader->archive->columns->receives[slot];
    received->rank = (int32_t)message->partner;
    received->tag = message->tag;
    received->communicator = (int32_t)reader->comm_number;
    received->local = message->local;
    received->size = message->size;
    received->call = message->call;
    received->time = message->time;
    return TAKEN;
}

const uint8_t *take_near(struct reader *reader, unsigned kind, const uint8_t *at,
                         int64_t time, int64_t call)
{
    unsigned sizes[5] = {0};
    if (kind == ISEND_COMPLETE || kind == IRECV_REQUEST) {
        uint64_t request = load_field(at, &sizes[0]);
        if (sizes[0] > WIDE)
            return NULL;
        if (kind == ISEND_COMPLETE)
            complete(reader, request, call);
        else if (place_posted(reader, request, time, call) != TAKEN)
            return NULL;
        return at + 1 + sizes[0];
    }
    unsigned length = *at++;
    const uint8_t *after = at + length;
    uint64_t local = load_field(at, &sizes[0]);
    at += 1 + (sizes[0] & 15);
    uint64_t communicator = load_field(at, &sizes[1]);
    at += 1 + (sizes[1] & 15);
    uint64_t tag = load_field(at, &sizes[2]);
    at += 1 + (sizes[2] & 15);
    uint64_t size = load_field(at, &sizes[3]);
    at += 1 + (sizes[3] & 15);
    bool has_request = kind == ISEND || kind == IRECV;
    uint64_t request = has_request ? load_field(at, &sizes[4]) : 0;
    if (sizes[0] > NARROW || sizes[1] > NARROW || sizes[2] > NARROW || sizes[3] > WIDE
        || sizes[4] > WIDE || length >= NEAR - 16 || (int64_t)size < -1)
        return NULL;
    find_communicator(reader, (uint32_t)communicator);
    if ((int64_t)local >= reader->comm_size)
        return NULL;
    int32_t partner = reader->comm_ranks[local];
    if (partner < 0)
        return NULL;
    struct message message = {partner, (uint32_t)local, (uint32_t)tag, (int64_t)size,
                              time, call};
    enum taken taken;
    if (kind == SEND || kind == ISEND) {
        taken = place_send(reader, &message, has_request ? &request : NULL);
    } else {
        int64_t posted = FREE;
        if (has_request)
            posted = orphaned(reader, complete(reader, request, call));
        taken = place_receive(reader, posted, &message);
    }
    return taken == TAKEN ? after : NULL;
}

/* Takes what records of messages begin with: who, in which communicator, which tag. */
static struct message take_ends(struct cursor *content, uint32_t *communicator)
{
    struct message message = {0};
    message.local = (uint32_t)take_number(content, NARROW);
    *communicator = (uint32_t)take_number(content, NARROW);
    message.tag = (uint32_t)take_number(content, NARROW);
    return message;
}

static enum taken take_send(struct reader *reader, struct cursor content, bool posted,
                            int64_t time, int64_t call)
{
    uint32_t communicator;
    struct message message = take_ends(&content, &communicator);
    message.size = (int64_t)take_number(&content, WIDE);
    message.time = time;
    message.call = call;
    uint64_t request = posted ? take_number(&content, WIDE) : 0;
    if (content.bad)
        return SPOILT;
    find_communicator(reader, communicator);
    message.partner = partner_of(reader, message.local);
    if (message.partner >= 0 && message.size < -1) /* memory that was never set */
        message.partner = UNKNOWN_PARTNER;
    if (message.partner < 0) {
        reader->oddities.unknown_senders += message.partner < NOBODY;
        if (posted && call >= 0)
            post(reader, request, REQUEST, call, BY_CALL);
        return TAKEN;
    }
    return place_send(reader, &message, posted ? &request : NULL);
}

/* Takes a receive that completed. */
static enum taken take_receive(struct reader *reader, struct cursor content, bool posted,
                               int64_t time, int64_t call)
{
    uint32_t communicator;
    int64_t by = FREE;
    struct message message = take_ends(&content, &communicator);
    message.size = (int64_t)take_number(&content, WIDE);
    message.time = time;
    message.call = call;
    if (posted) {
        uint64_t request = take_number(&content, WIDE);
        if (!content.bad)
            by = complete(reader, request, call);
        by = orphaned(reader, by);
    }
    if (content.bad)
        return SPOILT;
    find_communicator(reader, communicator);
    message.partner = partner_of(reader, message.local);
    if (message.partner >= 0 && message.size < -1) {
        message.partner = UNKNOWN_PARTNER;
        message.local = UINT32_MAX;
    }
    return place_receive(reader, by, &message);
}

/* Takes a message that was found and will be received later (MPI_Mprobe). */
static enum taken take_probe(struct reader *reader, struct cursor content, int64_t time,
                             int64_t call)
{
    uint32_t communicator;
    struct message message = take_ends(&content, &communicator);
    uint64_t found = take_number(&content, WIDE);
    if (content.bad)
        return SPOILT;
    int64_t slot = new_receive(reader, time, call);
    if (slot < 0)
        return NO_ROOM;
    find_communicator(reader, communicator);
    /* The sender waits where the size will be: it may never be received. */
    struct received *received = &reader->archive->columns->receives[slot];
    received->size = partner_of(reader, message.local);
    received->local = message.local;
    received->communicator = (int32_t)reader->comm_number;
    received->tag = message.tag;
    post(reader, found, MESSAGE, slot, BY_RECEIVE);
    return TAKEN;
}

/* Takes the receive of a message that was probed. */
static enum taken take_matched(struct reader *reader, unsigned kind,
                               struct cursor content, int64_t time, int64_t call)
{
    uint64_t one = take_number(&content, WIDE), other = take_number(&content, WIDE);
    if (content.bad)
        return SPOILT;
    int64_t found = kind == IMRECV ? complete(reader, one, call)
                                   : table_take(&reader->requests, one, MESSAGE);
    if (found == FREE || (found & 3) != BY_RECEIVE)
        return TAKEN;
    struct received *received = &reader->archive->columns->receives[found >> 2];
    if (kind == IMRECV_REQUEST) {
        received->post = call;
        table_put(&reader->requests, other, REQUEST, found);
        return TAKEN;
    }
    if (received->size == NOT_THERE)
        return TAKEN;
    if (kind == MRECV)
        received->post = call;
    received->rank = (int32_t)received->size;
    received->size = (int64_t)other;
    received->call = call;
    received->time = time;
    return TAKEN;
}

/* Gives a part in a collective its place, -1 if there is none left. */
static int64_t new_part(struct reader *reader, int64_t call)
{
    struct columns *columns = reader->archive->columns;
    int64_t slot = reader->part;
    if (slot >= reader->part_limit)
        return -1;
    reader->part = slot + 1;
    columns->part_call[slot] = columns->part_completion[slot] = call;
    columns->part_operation[slot] = NO_PART;
    return slot;
}

static enum taken post_collective(struct reader *reader, struct cursor content, int64_t call)
{
    uint64_t request = take_number(&content, WIDE);
    if (content.bad)
        return SPOILT;
    int64_t slot = new_part(reader, call);
    if (slot < 0)
        return NO_ROOM;
    post(reader, request, REQUEST, slot, BY_COLLECTIVE);
    return TAKEN;
}

/* Takes what makes a communicator: that from which it is made. */
static enum taken take_parent(struct reader *reader, uint32_t communicator)
{
    const struct further *table = &reader->archive->further[COLLECTIVE_END];
    struct further_rows *rows = &reader->further[COLLECTIVE_END];
    if (!table->times)
        return TAKEN;
    if (rows->next >= rows->limit)
        return NO_ROOM;
    find_communicator(reader, communicator);
    table->fields[rows->next] = reader->comm_number;
    table->times[rows->next++] = reader->now - reader->origin;
    return TAKEN;
}

/* Takes the part in a collective that ended. */
static enum taken take_part(struct reader *reader, struct cursor content, bool posted,
                            int64_t call)
{
    struct columns *columns = reader->archive->columns;
    unsigned operation = take_byte(&content);
    uint32_t communicator = (uint32_t)take_number(&content, NARROW);
    uint32_t root = (uint32_t)take_number(&content, NARROW);
    uint64_t sent = take_number(&content, WIDE), received = take_number(&content, WIDE);
    int64_t by = FREE;
    if (posted) {
        uint64_t request = take_number(&content, WIDE);
        if (!content.bad)
            by = complete(reader, request, call);
    }
    if (content.bad)
        return SPOILT;
    if (operation >= FIRST_PSEUDO_COLLECTIVE)
        return operation == CREATE_HANDLE ? take_parent(reader, communicator) : TAKEN;
    int64_t slot = by != FREE && (by & 3) == BY_COLLECTIVE ? by >> 2
                                                           : new_part(reader, call);
    if (slot < 0)
        return NO_ROOM;
    find_communicator(reader, communicator);
    columns->part_completion[slot] = call;
    columns->part_communicator[slot] = (int32_t)reader->comm_number;
    columns->part_operation[slot] = (uint8_t)operation;
    columns->part_root[slot] = (int32_t)partner_of(reader, root);
    columns->part_sent[slot] = (int64_t)sent;
    columns->part_received[slot] = (int64_t)received;
    return TAKEN;
}

/* Ends a request whose record says nothing more: a send, or a cancelled one. */
static enum taken finish(struct reader *reader, unsigned kind, struct cursor content,
                         int64_t call)
{
    uint64_t request = take_number(&content, WIDE);
    if (content.bad)
        return SPOILT;
    if (kind == CANCELLED) {
        int64_t value = table_take(&reader->requests, request, REQUEST);
        if (value != FREE && (value & 3) == BY_SEND) {
            /* One to nobody: it is taken out in the end. */
            reader->archive->columns->receiver[value >> 2] = NOBODY;
            reader->cancelled++;
        }
    } else {
        complete(reader, request, call);
    }
    return TAKEN;
}

enum taken take_message(struct reader *reader, unsigned kind, struct cursor content,
                        uint64_t size)
{
    int64_t call = reader->open_call, time = reader->now - reader->origin;
    if (reader->open_level < 0) {
        call = reader->call > reader->first_call ? reader->call - 1 : -1;
        reader->oddities.astray += kind <= COLLECTIVE_COMPLETE && kind != CANCELLED;
    }
    switch (kind) {
    case SEND:
    case ISEND:
        return take_send(reader, content, kind == ISEND, time, call);
    case RECV:
    case IRECV:
        return take_receive(reader, content, kind == IRECV, time, call);
    case IRECV_REQUEST: {
        uint64_t request = take_number(&content, WIDE);
        return content.bad ? SPOILT : place_posted(reader, request, time, call);
    }
    case CANCELLED:
        take_further(reader, kind, content, size);
        return finish(reader, kind, content, call);
    case ISEND_COMPLETE:
        return finish(reader, kind, content, call);
    case COLLECTIVE_REQUEST:
        return post_collective(reader, content, call);
    case COLLECTIVE_END:
    case COLLECTIVE_COMPLETE:
        return take_part(reader, content, kind == COLLECTIVE_COMPLETE, call);
    case PROBE:
        return take_probe(reader, content, time, call);
    default:
        return take_matched(reader, kind, content, time, call);
    }
}
