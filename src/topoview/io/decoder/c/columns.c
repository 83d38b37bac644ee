/* What is done with columns once they are filled: gaps, cuts, samples. */
#include "columns.h"

#include <string.h>

void decoder_gather(void *to, const void *column, const int64_t *begins,
                    const int64_t *sizes, int64_t count)
{
    uint8_t *there = to;
    for (int64_t row = 0; row < count; row++) {
        const uint8_t *begin = (const uint8_t *)column + begins[row];
        if (begin != there && sizes[row])
            memmove(there, begin, (size_t)sizes[row]);
        there += sizes[row];
    }
}

void decoder_follow(int64_t *column, int64_t stride, const int64_t *begins,
                    const int64_t *sizes, const int64_t *moved, int64_t rows)
{
    for (int64_t row = 0; row < rows; row++) {
        if (!moved[row])
            continue;
        for (int64_t i = begins[row]; i < begins[row] + sizes[row]; i++) {
            int64_t *call = (int64_t *)((uint8_t *)column + i * stride);
            if (*call >= 0)
                *call -= moved[row];
            else if (*call < -1) /* a call that is told as what may be unset */
                *call += moved[row];
        }
    }
}

/* EZTrace reads the status of MPI_Waitany, MPI_Testsome and the like where programs in C
 * ignore it. If one is seen to hold no message, others may only seem to. */
int64_t decoder_forget_unset(struct received *receives, const int64_t *parts, int64_t rows)
{
    bool found = false;
    int64_t count = 0;
    for (int64_t row = 0; row < rows; row++)
        for (int64_t slot = parts[2 * row]; slot < parts[2 * row + 1]; slot++) {
            const struct received *receive = &receives[slot];
            found |= receive->rank == UNKNOWN_PARTNER && receive->post != receive->call;
        }
    for (int64_t row = 0; row < rows; row++)
        for (int64_t slot = parts[2 * row]; slot < parts[2 * row + 1]; slot++) {
            struct received *receive = &receives[slot];
            if (receive->rank == NOT_THERE || receive->post == receive->call)
                continue;
            if (found) {
                receive->rank = NOT_THERE;
                count++;
            } else if (receive->post < -1) { /* nothing is known to have posted it */
                receive->post = -2 - receive->post;
            }
        }
    return count;
}

/* Row that a call is in: mostly the one that is guessed. */
static int64_t row_of(const struct kept *kept, int64_t call, int64_t guess)
{
    const int64_t *begins = kept->begins;
    if (guess >= 0 && guess < kept->rows && call >= begins[guess]
        && call < begins[guess + 1])
        return guess;
    int64_t low = 0, high = kept->rows + 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (begins[middle] <= call)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

/* New number of a call, -1 if it is not kept. */
static int64_t new_call(const struct kept *kept, int64_t call, int64_t *guess)
{
    if (call < 0)
        return -1;
    int64_t row = *guess = row_of(kept, call, *guess);
    if (row < 0 || row >= kept->rows || call < kept->low[row] || call >= kept->high[row])
        return -1;
    return kept->offsets[row] + call - kept->low[row];
}

void decoder_renumber(int64_t *calls, int64_t count, const struct kept *kept)
{
    int64_t row = 0;
    for (int64_t i = 0; i < count; i++)
        if (calls[i] >= 0)
            calls[i] = new_call(kept, calls[i], &row);
}

int64_t decoder_arrived(const int64_t *completion, const int32_t *receiver, int64_t count,
                        const int64_t *first, const int64_t *last, int64_t stretches,
                        const struct kept *kept, int64_t *found)
{
    int64_t number = 0, at = 0;
    for (int64_t stretch = 0; stretch <= stretches; stretch++) {
        int64_t stop = stretch < stretches ? first[stretch] : count;
        for (int64_t i = at; i < stop; i++) {
            int64_t row = receiver[i];
            if (new_call(kept, completion[i], &row) >= 0)
                found[number++] = i;
        }
        if (stretch < stretches && last[stretch] > at)
            at = last[stretch];
    }
    return number;
}

void decoder_renumber_ends(int64_t *receive, int64_t *completion, int64_t *time,
                           const int32_t *receiver, int64_t count, const struct kept *kept)
{
    for (int64_t i = 0; i < count; i++) {
        int64_t posted = receive[i], completed = completion[i], row = receiver[i];
        int64_t ended = new_call(kept, completed, &row);
        completion[i] = receive[i] = ended;
        if (ended < 0) {
            time[i] = -1;
        } else if (posted != completed) {
            int64_t begun = new_call(kept, posted, &row);
            receive[i] = begun >= 0 ? begun : ended;
        }
    }
}

/* Begins an interval; gives the place behind it. None is empty or repeats. */
static int64_t put_interval(struct timeline *shown, int64_t first, int64_t at, int64_t time,
                            uint8_t state, int32_t region)
{
    if (at > first && shown->time[at - 1] == time)
        at--;
    if (at > first && shown->state[at - 1] == state && shown->region[at - 1] == region)
        return at;
    shown->time[at] = time;
    shown->state[at] = state;
    shown->region[at] = region;
    return at + 1;
}

int64_t decoder_show_samples(const struct timeline *old, int64_t rows,
                             const int64_t *sample_offsets, const int64_t *sample_times,
                             const int32_t *sample_regions, const uint8_t *state_of,
                             const int32_t *operation_of, int64_t *offsets,
                             struct timeline *shown)
{
    const uint8_t outside = 0;
    int64_t at = 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t first = at, sample = sample_offsets[row], stop = sample_offsets[row + 1];
        int64_t begin = old->offsets[row], end = old->offsets[row + 1];
        bool alone = end - begin == 1 && sample < stop;
        for (int64_t i = begin; i < end; i++) {
            int64_t until = i + 1 == end ? INT64_MAX : old->time[i + 1];
            int32_t region = old->region[i];
            bool is_call = region >= 0 && operation_of[region] >= 0;
            bool free = alone || (old->state[i] != outside && !is_call);
            at = put_interval(shown, first, at, old->time[i], old->state[i], region);
            for (; sample < stop && sample_times[sample] < until; sample++) {
                int32_t here = sample_regions[sample];
                int64_t time = sample_times[sample];
                if (free && here >= 0)
                    at = put_interval(shown, first, at,
                                      time > old->time[i] ? time : old->time[i],
                                      state_of[here], here);
            }
        }
        if (alone)
            at = put_interval(shown, first, at, sample_times[stop - 1], outside, -1);
        offsets[row + 1] = at;
    }
    return at;
}
