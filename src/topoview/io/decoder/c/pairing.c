/* Sends and their receives, for one receiving rank after the other.
 *
 * Messages between the same two ranks on the same communicator with the same tag do not
 * overtake each other (MPI 4.1, section 3.5): the k-th send matches the k-th receive, in
 * the order in which the receives were posted. Sends are ordered by receiver first, by
 * counting, so that what is matched at a time is near in memory, and receivers can be
 * shared out among threads.
 */
#include "columns.h"
#include "table.h"

enum { QUEUES = 64 };

/* Numbers of sends: 32 bits suffice for all but the longest traces, and take half the
 * memory to go through. `wide` is known where this is compiled. */
static inline int64_t number_at(const void *numbers, bool wide, int64_t at)
{
    return wide ? ((const int64_t *)numbers)[at] : ((const uint32_t *)numbers)[at];
}

static inline void put_number(void *numbers, bool wide, int64_t at, int64_t number)
{
    if (wide)
        ((int64_t *)numbers)[at] = number;
    else
        ((uint32_t *)numbers)[at] = (uint32_t)number;
}

int decoder_group(const int32_t *receiver, int64_t count, const int64_t *order,
                  int64_t ranks, int64_t *begins, void *grouped, int wide)
{
    int64_t *following = malloc((size_t)(ranks + 1) * sizeof *following);
    if (!following)
        return NO_MEMORY;
    for (int64_t rank = 0; rank <= ranks; rank++)
        begins[rank] = 0;
    for (int64_t place = 0; place < count; place++)
        begins[receiver[order ? order[place] : place] + 1]++;
    for (int64_t rank = 1; rank <= ranks; rank++)
        begins[rank] += begins[rank - 1];
    for (int64_t rank = 0; rank <= ranks; rank++)
        following[rank] = begins[rank];
    for (int64_t place = 0; place < count; place++) {
        int64_t send = order ? order[place] : place;
        put_number(grouped, wide, following[receiver[send]]++, send);
    }
    free(following);
    return FINE;
}

/* Messages of a sender with a tag on a communicator, by their place in the receiver's
 * group; and the queues of the messages that were sent, and received, after the last
 * one: programs repeat themselves. */
struct queue {
    uint64_t name, communicator;
    int64_t head, tail; /* -1: empty */
    int64_t next_sent, next_received;
};

/* What one thread matches with. The first queue is none: no message is in it. */
struct pairing {
    struct columns *columns;
    struct table index;
    struct queue *queues;
    int64_t count, room;
    void *following; /* places of the messages behind each in its queue */
    int64_t matched, backwards, worst;
};

static bool is_queue(const struct queue *queue, uint64_t name, uint64_t communicator)
{
    return queue->name == name && queue->communicator == communicator;
}

static bool new_queue(struct pairing *pairing, uint64_t name, uint64_t communicator,
                      int64_t place)
{
    if (pairing->count == pairing->room) {
        int64_t room = pairing->room ? 2 * pairing->room : QUEUES;
        struct queue *larger = realloc(pairing->queues, (size_t)room * sizeof *larger);
        if (!larger)
            return false;
        pairing->queues = larger;
        pairing->room = room;
    }
    pairing->queues[pairing->count++] =
        (struct queue){name, communicator, place, place, 0, 0};
    return true;
}

/* Makes queues of the sends of a group. */
static inline bool enqueue(struct pairing *pairing, const void *grouped, bool wide,
                           int64_t begin, int64_t end)
{
    const struct columns *columns = pairing->columns;
    int64_t at = 0;
    pairing->count = 0;
    if (!table_clear(&pairing->index, QUEUES)
        || !new_queue(pairing, UINT64_MAX, UINT64_MAX, -1))
        return false;
    for (int64_t place = 0; place < end - begin; place++) {
        int64_t send = number_at(grouped, wide, begin + place), before = at;
        uint64_t name = (uint64_t)columns->sender[send] << 32
                        | (uint32_t)columns->tag[send];
        uint64_t communicator = (uint32_t)columns->communicator[send];
        at = pairing->queues[before].next_sent;
        if (!is_queue(&pairing->queues[at], name, communicator)) {
            struct slot *slot = table_slot(&pairing->index, name, communicator);
            at = slot->value;
            if (at == FREE) {
                at = pairing->count;
                table_add(&pairing->index, slot, name, communicator, at);
                if (pairing->index.failed || !new_queue(pairing, name, communicator, place))
                    return false;
                pairing->queues[before].next_sent = at;
                continue;
            }
            pairing->queues[before].next_sent = at;
        }
        put_number(pairing->following, wide, pairing->queues[at].tail, place);
        pairing->queues[at].tail = place;
    }
    return true;
}

/* Matches the receives of a rank, and says of the sends that are left that nobody
 * received them. */
static inline void dequeue(struct pairing *pairing, const void *grouped, bool wide,
                           int64_t group, const int64_t *slots, const int64_t *order)
{
    struct columns *columns = pairing->columns;
    int64_t at = 0;
    for (int64_t posted = slots[0]; posted < slots[1]; posted++) {
        struct received *received = &columns->receives[order ? order[posted] : posted];
        if (received->rank < 0)
            continue;
        uint64_t name = (uint64_t)received->rank << 32 | received->tag;
        uint64_t communicator = (uint32_t)received->communicator;
        int64_t before = at;
        at = pairing->queues[before].next_received;
        if (!is_queue(&pairing->queues[at], name, communicator)) {
            at = table_get(&pairing->index, name, communicator);
            if (at == FREE) {
                at = before;
                continue;
            }
            pairing->queues[before].next_received = at;
        }
        struct queue *queue = &pairing->queues[at];
        int64_t place = queue->head;
        if (place < 0)
            continue;
        queue->head = place == queue->tail ? -1
                                           : number_at(pairing->following, wide, place);
        int64_t send = number_at(grouped, wide, group + place);
        columns->receive_call[send] = received->post;
        columns->completion_call[send] = received->call;
        columns->receive_time[send] = received->time;
        received->rank = NOT_THERE;
        int64_t early = columns->send_time[send] - received->time;
        pairing->matched++;
        pairing->backwards += early > 0;
        pairing->worst = early > pairing->worst ? early : pairing->worst;
    }
    for (int64_t i = 0; i < pairing->count; i++) {
        int64_t place = pairing->queues[i].head, tail = pairing->queues[i].tail;
        while (place >= 0) {
            int64_t send = number_at(grouped, wide, group + place);
            columns->receive_call[send] = columns->completion_call[send] =
                columns->receive_time[send] = -1;
            place = place == tail ? -1 : number_at(pairing->following, wide, place);
        }
    }
}

__attribute__((always_inline)) static inline bool
pair_ranks(struct pairing *pairing, bool wide, int64_t first, int64_t last,
           const int64_t *begins, const void *grouped, const int64_t *slots,
           const int64_t *order)
{
    for (int64_t rank = first; rank < last; rank++) {
        if (begins[rank] == begins[rank + 1])
            continue;
        if (!enqueue(pairing, grouped, wide, begins[rank], begins[rank + 1]))
            return false;
        dequeue(pairing, grouped, wide, begins[rank], slots + 2 * rank, order);
    }
    return true;
}

int decoder_pair(struct columns *columns, int64_t first, int64_t last,
                 const int64_t *begins, const void *grouped, int wide,
                 const int64_t *slots, const int64_t *order, int64_t tally[3])
{
    struct pairing pairing = {.columns = columns};
    int64_t longest = 1;
    for (int64_t rank = first; rank < last; rank++)
        if (begins[rank + 1] - begins[rank] > longest)
            longest = begins[rank + 1] - begins[rank];
    pairing.following = malloc((size_t)longest * (wide ? 8 : 4));
    bool fine = pairing.following
                && (wide ? pair_ranks(&pairing, true, first, last, begins, grouped, slots,
                                      order)
                         : pair_ranks(&pairing, false, first, last, begins, grouped, slots,
                                      order));
    free(pairing.following);
    free(pairing.queues);
    table_free(&pairing.index);
    tally[0] = pairing.matched;
    tally[1] = pairing.backwards;
    tally[2] = pairing.worst;
    return fine ? FINE : NO_MEMORY;
}

/* Words of the key of an end at an index; false if it matches nothing. */
static bool name_end(const struct ends *ends, int64_t at, uint64_t *key, uint64_t *more)
{
    if (ends->sender[at] < 0 || ends->receiver[at] < 0)
        return false;
    *key = (uint64_t)ends->sender[at] << 32 | (uint32_t)ends->receiver[at];
    *more = (uint64_t)(uint32_t)ends->communicator[at] << 32 | ends->tag[at];
    return true;
}

/* Matches sends and receives that are in the order in which they were posted: a table of
 * queues of sends. */
int decoder_match(const struct ends *sends, const struct ends *receives, int64_t *found)
{
    int64_t *links = malloc((size_t)(3 * sends->count + 1) * sizeof *links);
    struct table index;
    bool fine = table_make(&index, QUEUES) && links;
    int64_t queues = 0, *following = links;
    uint64_t key, more;
    for (int64_t send = 0; fine && send < sends->count; send++) {
        if (!name_end(sends, send, &key, &more))
            continue;
        struct slot *slot = table_slot(&index, key, more);
        int64_t *ends = links + sends->count; /* head and tail of each queue */
        following[send] = -1;
        if (slot->value == FREE) {
            ends[2 * queues] = ends[2 * queues + 1] = send;
            table_add(&index, slot, key, more, queues++);
            fine = !index.failed;
        } else {
            int64_t *tail = &ends[2 * slot->value + 1];
            following[*tail] = send;
            *tail = send;
        }
    }
    for (int64_t receive = 0; fine && receive < receives->count; receive++) {
        found[receive] = -1;
        if (!name_end(receives, receive, &key, &more))
            continue;
        int64_t queue = table_get(&index, key, more);
        if (queue == FREE)
            continue;
        int64_t *head = &links[sends->count + 2 * queue];
        found[receive] = *head;
        *head = *head >= 0 ? following[*head] : -1;
    }
    table_free(&index);
    free(links);
    return fine ? FINE : NO_MEMORY;
}
