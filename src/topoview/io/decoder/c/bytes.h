/* Bytes of a chunk: loads, and OTF2's compressed integers.
 *
 * An integer is compressed to a byte with the number of its bytes that follow, the
 * highest ones that are zero left out, in the chunk's byte order; 0xFF stands for
 * "undefined", all bits set (libotf2 3.2, source of OTF2_Buffer.h).
 */
#ifndef TOPOVIEW_BYTES_H
#define TOPOVIEW_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    PADDING = 64,    /* bytes behind a chunk that may be loaded, and are zero */
    NEAR = 80,       /* bytes that a common record and its time do not exceed */
    UNDEFINED = 255, /* instead of the size of an integer, or a long length */
    NARROW = 4,      /* bytes of integers, at most */
    WIDE = 8
};

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#error "numbers are loaded as they are: for little-endian machines"
#endif

static inline uint64_t load64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Integer of eight bytes in the chunk's order; they are there. */
static inline uint64_t load_whole(const uint8_t *at, bool swap)
{
    uint64_t value = load64(at);
    return swap ? __builtin_bswap64(value) : value;
}

/* Compressed integer in this machine's order; NEAR bytes are there. More than WIDE
 * bytes are none: the caller looks at `size`. */
static inline uint64_t load_field(const uint8_t *at, unsigned *size)
{
    static const uint64_t masks[16] = {
        0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF,
        0xFFFFFFFFFFFFFF, ~UINT64_C(0),
    };
    *size = *at;
    return load64(at + 1) & masks[*size & 15];
}

/* Content of a record, one field after the other. What reaches beyond the end is 0,
 * and `bad`; so is what is no number. */
struct cursor {
    const uint8_t *at, *end;
    bool swap, bad;
};

static inline size_t left(const struct cursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

static inline uint8_t take_byte(struct cursor *cursor)
{
    if (left(cursor) < 1) {
        cursor->bad = true;
        return 0;
    }
    return *cursor->at++;
}

static inline uint64_t take_whole(struct cursor *cursor)
{
    if (left(cursor) < 8) {
        cursor->bad = true;
        cursor->at = cursor->end;
        return 0;
    }
    cursor->at += 8;
    return load_whole(cursor->at - 8, cursor->swap);
}

/* Compressed integer of at most `widest` bytes. */
static inline uint64_t take_number(struct cursor *cursor, unsigned widest)
{
    unsigned size = take_byte(cursor);
    if (size > widest) {
        cursor->bad |= size != UNDEFINED;
        return widest == WIDE ? ~UINT64_C(0) : UINT32_MAX;
    }
    if (size > left(cursor)) {
        cursor->bad = true;
        cursor->at = cursor->end;
        return 0;
    }
    uint64_t value = 0;
    if (size) {
        value = load_whole(cursor->at, cursor->swap); /* behind the end: padding */
        unsigned unused = 64 - 8 * size;
        value = cursor->swap ? value >> unused : value << unused >> unused;
    }
    cursor->at += size;
    return value;
}

/* Length of a record's content; behind it the content begins. */
static inline uint64_t take_length(struct cursor *cursor)
{
    unsigned size = take_byte(cursor);
    return size == UNDEFINED ? take_whole(cursor) : size;
}

#endif
