/* What is done with columns once they are filled. */
#ifndef TOPOVIEW_COLUMNS_H
#define TOPOVIEW_COLUMNS_H

#include "decoder.h"

/* What sends or receives are matched by; a negative rank matches nothing. */
struct ends {
    const int32_t *sender, *receiver, *communicator;
    const uint32_t *tag;
    int64_t count;
};

/* Intervals of rows, as in `topoview.model.Timeline`. */
struct timeline {
    const int64_t *offsets;
    int64_t *time;
    uint8_t *state;
    int32_t *region;
};

/* Which calls of each row are kept: from `low` to `high`; where the rows began, and
 * begin now. */
struct kept {
    const int64_t *begins, *low, *high, *offsets;
    int64_t rows;
};

/* Arcs of a graph: those from a node are `offsets[node]` to `offsets[node + 1]`. */
struct arcs {
    const int64_t *offsets;
    const int32_t *head;
    const int64_t *weight;
};

/* pairing.c */

/* Groups sends by their receiver, in order within each group: where the groups begin,
 * and the sends. `wide`: numbers of sends have 64 bits, else 32. */
EXPORT int decoder_group(const int32_t *receiver, int64_t count, const int64_t *order,
                         int64_t ranks, int64_t *begins, void *grouped, int wide);
/* Matches the receives of ranks from `first` up to `last`, which are `slots` in `order`
 * (NULL: theirs): matched; received before they were sent; by how many ticks at most. */
EXPORT int decoder_pair(struct columns *columns, int64_t first, int64_t last,
                        const int64_t *begins, const void *grouped, int wide,
                        const int64_t *slots, const int64_t *order, int64_t tally[3]);
/* Matches the k-th send to the k-th receive of the same ends; -1 where there is none. */
EXPORT int decoder_match(const struct ends *sends, const struct ends *receives,
                         int64_t *found);

/* columns.c */

/* Moves parts of bytes together, from left to right; parts may overlap their place. */
EXPORT void decoder_gather(void *to, const void *column, const int64_t *begins,
                           const int64_t *sizes, int64_t count);
/* Follows calls that moved to the left; elements are `stride` bytes apart. */
EXPORT void decoder_follow(int64_t *column, int64_t stride, const int64_t *begins,
                           const int64_t *sizes, const int64_t *moved, int64_t rows);
/* Forgets posted receives if some hold memory that was never set; how many. */
EXPORT int64_t decoder_forget_unset(struct received *receives, const int64_t *parts,
                                    int64_t rows);
EXPORT void decoder_renumber(int64_t *calls, int64_t count, const struct kept *kept);
/* Finds messages outside of some stretches that arrive in a call that is kept. */
EXPORT int64_t decoder_arrived(const int64_t *completion, const int32_t *receiver,
                               int64_t count, const int64_t *first, const int64_t *last,
                               int64_t stretches, const struct kept *kept, int64_t *found);
/* Renumbers the calls of receives; one that is cut off is not known. */
EXPORT void decoder_renumber_ends(int64_t *receive, int64_t *completion, int64_t *time,
                                  const int32_t *receiver, int64_t count,
                                  const struct kept *kept);
/* Shows samples in a timeline: how many intervals there are then. */
EXPORT int64_t decoder_show_samples(const struct timeline *old, int64_t rows,
                                    const int64_t *sample_offsets,
                                    const int64_t *sample_times,
                                    const int32_t *sample_regions,
                                    const uint8_t *state_of, const int32_t *operation_of,
                                    int64_t *offsets, struct timeline *shown);

/* clocks.c */

/* Adds to the times of rows, which are `stride` bytes apart. */
EXPORT void decoder_shift_rows(int64_t *times, int64_t stride, const int64_t *offsets,
                               const int64_t *of_row, int64_t rows);
/* Shifts ends of messages; -1 is one that was not recorded. */
EXPORT void decoder_shift_ends(int64_t *times, const int32_t *rank, int64_t count,
                               const int64_t *of_rank);
EXPORT void decoder_shift_timeline(const struct timeline *old, int64_t rows,
                                   const int64_t *of_row, const uint8_t *lead,
                                   struct timeline *shifted);
/* Counts messages that were received before they were sent; the worst. */
EXPORT void decoder_violations(const int64_t *sent, const int64_t *received,
                               int64_t count, int64_t found[2]);
/* The shortest time that a message took, for each pair of ranks: how many pairs, in
 * memory that `decoder_free` gives back; -1 if there is none. */
EXPORT int64_t decoder_tightest(int64_t ranks, const int32_t *sender,
                                const int32_t *receiver, const int64_t *sent,
                                const int64_t *received, int64_t count, int64_t **found);
EXPORT void decoder_free(void *memory);
/* Shortest paths where weights may be negative. `lack`: 0, or by how much weights must
 * grow before a cycle that was found stops being negative. */
EXPORT int decoder_shortest(const struct arcs *arcs, int64_t nodes, int64_t slack,
                            int64_t *distance, int64_t *lack);
/* Moves each node to the middle of what its neighbours leave it. */
EXPORT void decoder_relax(const struct arcs *incoming, const struct arcs *outgoing,
                          int64_t nodes, int64_t slack, int64_t *place);

#endif
