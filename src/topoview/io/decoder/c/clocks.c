/* Clocks of ranks made comparable: bounds, shortest paths, times shifted.
 *
 * `clock_bounds.py` and `clocks.py` tell the method and where it is from.
 */
#include "columns.h"
#include "table.h"

#include <string.h>

/* Longer than any distance: not connected. `clocks.py` sees to it that weights and slack
 * are below half of it, so that a distance, a weight and the slack can be added up. */
#define FAR (INT64_C(1) << 61)

enum { PAIRS = 1 << 10, SWEEPS = 200, TOO_FAR = -1 };

__extension__ typedef __int128 wide;

void decoder_shift_rows(int64_t *times, int64_t stride, const int64_t *offsets,
                        const int64_t *of_row, int64_t rows)
{
    for (int64_t row = 0; row < rows; row++)
        for (int64_t i = offsets[row]; i < offsets[row + 1]; i++) {
            int64_t *time = (int64_t *)((uint8_t *)times + i * stride);
            *time = (int64_t)((uint64_t)*time + (uint64_t)of_row[row]);
        }
}

void decoder_shift_ends(int64_t *times, const int32_t *rank, int64_t count,
                        const int64_t *of_rank)
{
    for (int64_t i = 0; i < count; i++)
        if (times[i] >= 0)
            times[i] += of_rank[rank[i]];
}

void decoder_shift_timeline(const struct timeline *old, int64_t rows, const int64_t *of_row,
                            const uint8_t *lead, struct timeline *shifted)
{
    for (int64_t row = 0; row < rows; row++) {
        int64_t first = old->offsets[row], size = old->offsets[row + 1] - first;
        int64_t at = shifted->offsets[row];
        if (lead[row]) {
            shifted->time[at] = 0;
            shifted->state[at] = 0;
            shifted->region[at++] = -1;
        }
        for (int64_t i = 0; i < size; i++)
            shifted->time[at + i] = old->time[first + i] + of_row[row];
        if (size && !lead[row]) /* outside from the trace's beginning on */
            shifted->time[at] = old->time[first];
        if (size > 0) {
            memcpy(shifted->state + at, old->state + first, (size_t)size);
            memcpy(shifted->region + at, old->region + first, (size_t)size * 4);
        }
    }
}

void decoder_violations(const int64_t *sent, const int64_t *received, int64_t count,
                        int64_t found[2])
{
    found[0] = found[1] = 0;
    for (int64_t i = 0; i < count; i++) {
        if (sent[i] < 0 || received[i] < 0 || received[i] >= sent[i])
            continue;
        found[0]++;
        if (sent[i] - received[i] > found[1])
            found[1] = sent[i] - received[i];
    }
}

int64_t decoder_tightest(int64_t ranks, const int32_t *sender, const int32_t *receiver,
                         const int64_t *sent, const int64_t *received, int64_t count,
                         int64_t **found)
{
    struct table table;
    struct pair {
        uint64_t key;
        int64_t took;
    } *least = NULL;
    int64_t room = 0, pairs = 0;
    bool fine = table_make(&table, PAIRS);
    *found = NULL;
    for (int64_t i = 0; fine && i < count; i++) {
        if (sent[i] < 0 || received[i] < 0 || sender[i] == receiver[i])
            continue;
        uint64_t key = (uint64_t)(sender[i] * ranks + receiver[i]);
        struct slot *slot = table_slot(&table, key, 0);
        int64_t took = received[i] - sent[i];
        if (slot->value != FREE) {
            if (took < least[slot->value].took)
                least[slot->value].took = took;
            continue;
        }
        if (pairs == room) {
            room = room ? 2 * room : PAIRS;
            struct pair *larger = realloc(least, (size_t)room * sizeof *larger);
            fine = larger != NULL;
            if (!fine)
                break;
            least = larger;
        }
        least[pairs] = (struct pair){key, took};
        table_add(&table, slot, key, 0, pairs++);
        fine = !table.failed;
    }
    if (fine)
        *found = malloc((size_t)(3 * pairs + 1) * sizeof **found);
    for (int64_t at = 0; *found && at < pairs; at++) {
        (*found)[at] = (int64_t)least[at].key / ranks;
        (*found)[pairs + at] = (int64_t)least[at].key % ranks;
        (*found)[2 * pairs + at] = least[at].took;
    }
    table_free(&table);
    free(least);
    return *found ? pairs : -1;
}

void decoder_free(void *memory)
{
    free(memory);
}

/* Node that an arc comes from. */
static int64_t tail_of(const struct arcs *arcs, int64_t nodes, int64_t arc)
{
    int64_t low = 0, high = nodes + 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (arcs->offsets[middle] <= arc)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

/* Integer division that rounds down. */
static int64_t floor_divide(wide one, int64_t other)
{
    wide whole = one / other;
    return (int64_t)(whole - (one % other != 0 && (one < 0) != (other < 0)));
}

/* By how much the weights on a cycle of parents fall short of 0. */
static int64_t lacking(const struct arcs *arcs, int64_t nodes, const int64_t *parent,
                       int64_t slack, int64_t *seen)
{
    int64_t worst = 0;
    for (int64_t node = 0; node < nodes; node++)
        seen[node] = -1;
    for (int64_t start = 0; start < nodes; start++) {
        int64_t node = start;
        while (seen[node] < 0 && parent[node] >= 0) {
            seen[node] = start;
            node = tail_of(arcs, nodes, parent[node]);
        }
        if (parent[node] < 0 || seen[node] != start) {
            if (seen[node] < 0)
                seen[node] = start;
            continue;
        }
        int64_t length = 0, at = node;
        wide total = 0;
        do {
            total += arcs->weight[parent[at]] + slack;
            length++;
            at = tail_of(arcs, nodes, parent[at]);
        } while (at != node);
        int64_t lack = -floor_divide(total, length);
        worst = lack > worst ? lack : worst;
    }
    return worst;
}

int decoder_shortest(const struct arcs *arcs, int64_t nodes, int64_t slack,
                     int64_t *distance, int64_t *lack)
{
    int64_t *work = malloc((size_t)(3 * nodes + 1) * sizeof *work);
    uint8_t *waiting = malloc((size_t)nodes + 1);
    int64_t *parent = work, *queue = work + nodes, *seen = work + 2 * nodes;
    bool fine = work && waiting;
    int64_t first = 0, length = 0, steps = 0;
    *lack = 0;
    for (int64_t node = 0; fine && node < nodes; node++) {
        parent[node] = -1;
        waiting[node] = distance[node] < FAR;
        if (waiting[node])
            queue[length++] = node;
    }
    while (fine && length && !*lack) {
        int64_t node = queue[first];
        first = (first + 1) % nodes;
        length--;
        waiting[node] = 0;
        for (int64_t arc = arcs->offsets[node]; arc < arcs->offsets[node + 1]; arc++) {
            int64_t head = arcs->head[arc];
            int64_t reached = distance[node] + arcs->weight[arc] + slack;
            if (reached >= distance[head])
                continue;
            if (reached <= -FAR) {
                *lack = TOO_FAR;
                break;
            }
            distance[head] = reached;
            parent[head] = arc;
            if (!waiting[head]) {
                waiting[head] = 1;
                queue[(first + length) % nodes] = head;
                length++;
            }
        }
        if (++steps % nodes == 0 && !*lack)
            *lack = lacking(arcs, nodes, parent, slack, seen);
    }
    free(work);
    free(waiting);
    return fine ? FINE : NO_MEMORY;
}

void decoder_relax(const struct arcs *incoming, const struct arcs *outgoing, int64_t nodes,
                   int64_t slack, int64_t *place)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        int64_t moved = 0;
        for (int64_t step = 0; step < nodes; step++) {
            int64_t node = sweep % 2 ? nodes - 1 - step : step;
            int64_t most = FAR, least = -FAR;
            for (int64_t arc = outgoing->offsets[node]; arc < outgoing->offsets[node + 1];
                 arc++) {
                int64_t there = place[outgoing->head[arc]];
                int64_t bound = there + outgoing->weight[arc] + slack;
                if (there < FAR && bound < most)
                    most = bound;
            }
            for (int64_t arc = incoming->offsets[node]; arc < incoming->offsets[node + 1];
                 arc++) {
                int64_t there = place[incoming->head[arc]];
                int64_t bound = there - incoming->weight[arc] - slack;
                if (there < FAR && bound > least)
                    least = bound;
            }
            if (most < FAR && least > -FAR) {
                int64_t middle = least + floor_divide(most - least, 2);
                int64_t far = middle - place[node];
                far = far < 0 ? -far : far;
                moved = far > moved ? far : moved;
                place[node] = middle;
            } else {
                int64_t low = most < place[node] ? most : place[node];
                place[node] = least > low ? least : low;
            }
        }
        if (moved <= 1)
            break;
    }
}
