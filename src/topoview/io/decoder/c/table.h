/* The hash table: two words to a number.
 *
 * Open addressing with linear probing; removal moves followers back (Knuth, "The Art of
 * Computer Programming", volume 3, 1998, section 6.4, algorithm R), so that the table's
 * size follows what is in it, not all that ever was. At most half of it is used.
 *
 * Keys come from files. Where they go depends on numbers that each run draws, so that
 * nobody can write a file whose keys all go to the same place; so nothing may depend on
 * the order of slots.
 */
#ifndef TOPOVIEW_TABLE_H
#define TOPOVIEW_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define FREE INT64_MIN

/* reader.c: two odd numbers, and any one. */
extern uint64_t table_seed[3];

struct slot {
    uint64_t key, more;
    int64_t value; /* FREE: nothing is here */
};

struct table {
    struct slot *slots;
    uint64_t mask;
    uint64_t used;
    bool failed; /* there was no memory: something is not in it */
};

static inline bool table_make(struct table *table, uint64_t size)
{
    table->slots = malloc(size * sizeof *table->slots);
    table->mask = size - 1;
    table->used = 0;
    table->failed = table->slots == NULL;
    for (uint64_t i = 0; table->slots && i < size; i++)
        table->slots[i].value = FREE;
    return !table->failed;
}

static inline void table_free(struct table *table)
{
    free(table->slots);
    table->slots = NULL;
}

/* Forgets all, and the room that was needed beyond `size`. */
static inline bool table_clear(struct table *table, uint64_t size)
{
    if (table->slots && table->mask == size - 1 && !table->failed) {
        for (uint64_t i = 0; table->used && i < size; i++)
            table->slots[i].value = FREE;
        table->used = 0;
        return true;
    }
    table_free(table);
    return table_make(table, size);
}

static inline uint64_t table_home(const struct table *table, uint64_t key, uint64_t more)
{
    uint64_t mixed = (key ^ table_seed[2]) * table_seed[0];
    mixed = ((mixed ^ mixed >> 32) + more) * table_seed[1];
    return (mixed ^ mixed >> 32) & table->mask;
}

/* Slot of a key, or the free one that it would be put to. */
static inline struct slot *table_slot(const struct table *table, uint64_t key,
                                      uint64_t more)
{
    uint64_t at = table_home(table, key, more);
    while (table->slots[at].value != FREE
           && (table->slots[at].key != key || table->slots[at].more != more))
        at = (at + 1) & table->mask;
    return &table->slots[at];
}

static inline int64_t table_get(const struct table *table, uint64_t key, uint64_t more)
{
    return table_slot(table, key, more)->value;
}

__attribute__((noinline, unused)) static void table_grow(struct table *table)
{
    struct table larger;
    if (!table_make(&larger, 2 * (table->mask + 1))) {
        table->failed = true;
        return;
    }
    for (uint64_t i = 0; i <= table->mask; i++)
        if (table->slots[i].value != FREE)
            *table_slot(&larger, table->slots[i].key, table->slots[i].more) =
                table->slots[i];
    larger.used = table->used;
    larger.failed = table->failed;
    free(table->slots);
    *table = larger;
}

/* Puts a new key to its slot. */
static inline void table_add(struct table *table, struct slot *slot, uint64_t key,
                             uint64_t more, int64_t value)
{
    if (table->used >= table->mask) {
        table->failed = true; /* there was no memory to grow: one slot stays free */
        return;
    }
    *slot = (struct slot){key, more, value};
    if (2 * ++table->used > table->mask + 1)
        table_grow(table);
}

/* Puts a value to a key; one that it has is replaced. */
static inline void table_put(struct table *table, uint64_t key, uint64_t more,
                             int64_t value)
{
    struct slot *slot = table_slot(table, key, more);
    if (slot->value != FREE)
        slot->value = value;
    else
        table_add(table, slot, key, more, value);
}

/* Removes a key: its value, FREE if it is not there. */
static inline int64_t table_take(struct table *table, uint64_t key, uint64_t more)
{
    struct slot *slots = table->slots, *found = table_slot(table, key, more);
    int64_t value = found->value;
    if (value == FREE)
        return FREE;
    table->used--;
    uint64_t hole = (uint64_t)(found - slots), at = hole;
    for (;;) {
        at = (at + 1) & table->mask;
        if (slots[at].value == FREE)
            break;
        uint64_t home = table_home(table, slots[at].key, slots[at].more);
        if (((at - home) & table->mask) >= ((at - hole) & table->mask)) {
            slots[hole] = slots[at];
            hole = at;
        }
    }
    slots[hole].value = FREE;
    return value;
}

#endif
