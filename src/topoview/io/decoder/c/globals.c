/* Global definitions: the fields of all records, as tables of numbers.
 *
 * A record is a byte that says its type, a length, and fields one after the other. Some
 * types got more fields in a later version of OTF2; a record ends before those that its
 * writer did not know (libotf2 3.2, source of OTF2_GlobalDefReader_inc.c).
 */
#include "reader.h"

/* Forms of fields (checked by `columns.py`): a list has as many items as the field
 * before it says. */
enum form {
    BYTE = 1,
    SHORT,      /* compressed integer of at most NARROW bytes */
    LONG,       /* of at most WIDE bytes */
    TEXT,       /* bytes up to a zero */
    VALUE,      /* of the type in the field before */
    SHORTS,     /* list of compressed integers */
    LONGS,
    PROPERTIES, /* list of a byte, a type, and a value of it */
    LATER       /* no field: what follows was added later */
};

enum { LEADING = 2 }; /* numbers before the fields of a row */

/* Where records go. */
struct output {
    const uint8_t *file;
    const uint8_t *forms;
    uint64_t *rows[256]; /* where the next record of each type goes, or NULL */
    uint64_t *items;     /* those of lists, or NULL */
    uint64_t *counts;    /* records of each type, and items */
    uint64_t records;
};

static void put_item(struct output *output, uint64_t item)
{
    uint64_t place = output->counts[256]++;
    if (output->items)
        output->items[place] = item;
}

/* Takes a list. Each item has a byte at least: no promise is believed beyond that. */
static void take_list(struct output *output, enum form form, uint64_t count,
                      struct cursor *content)
{
    if (count > left(content)) {
        content->bad = true;
        return;
    }
    for (; count && !content->bad; count--) {
        if (form == PROPERTIES) {
            put_item(output, take_byte(content));
            unsigned type = take_byte(content);
            put_item(output, type);
            put_item(output, take_value(content, type));
        } else {
            put_item(output, take_number(content, form == SHORTS ? NARROW : WIDE));
        }
    }
}

/* Takes a record as a row: its number among all, how many fields it has, and these. Of a
 * text and of a list it is where they begin, in the file and among the items. */
static bool take_record(struct output *output, unsigned kind, struct cursor content)
{
    const uint8_t *forms = output->forms + kind * MOST_FORMS;
    uint64_t row[LEADING + MOST_FORMS] = {output->records++}, *field = row + LEADING;
    bool ended = false;
    for (; *forms; forms++) {
        enum form form = *forms;
        if (form == LATER) {
            ended = !left(&content);
            continue;
        }
        if (ended) {
            *field++ = 0;
            continue;
        }
        row[1]++;
        if (form == BYTE) {
            *field++ = take_byte(&content);
        } else if (form == SHORT || form == LONG) {
            *field++ = take_number(&content, form == SHORT ? NARROW : WIDE);
        } else if (form == VALUE) {
            uint64_t value = take_value(&content, (unsigned)field[-1]);
            *field++ = value;
        } else if (form == TEXT) {
            const uint8_t *end = memchr(content.at, 0, left(&content));
            *field++ = (uint64_t)(content.at - output->file);
            content.bad |= !end;
            content.at = end ? end + 1 : content.end;
        } else {
            uint64_t begin = output->counts[256];
            take_list(output, form, field[-1], &content);
            *field++ = begin;
        }
    }
    if (content.bad)
        return false;
    output->counts[kind]++;
    size_t width = (size_t)(field - row);
    if (output->rows[kind]) {
        memcpy(output->rows[kind], row, width * sizeof *row);
        output->rows[kind] += width;
    }
    return true;
}

int64_t decoder_definitions(const uint8_t *file, int64_t size, int64_t chunk,
                            const uint8_t *forms, uint64_t *const *rows,
                            uint64_t *items, uint64_t counts[257])
{
    struct output output = {
        .file = file, .forms = forms, .items = items, .counts = counts};
    memcpy(output.rows, rows, sizeof output.rows);
    memset(counts, 0, 257 * sizeof *counts);
    for (int64_t begin = 0; begin < size; begin += chunk) {
        const uint8_t *at = file + begin;
        int64_t length = size - begin < chunk ? size - begin : chunk;
        if (length <= HEADER || at[0] != MARK || (at[1] != LITTLE && at[1] != BIG))
            return -1;
        struct cursor cursor = {at + HEADER, at + length, at[1] == BIG, false};
        for (;;) {
            unsigned kind = take_byte(&cursor);
            if (kind == END_OF_FILE)
                return cursor.at - file;
            if (cursor.bad)
                return -1;
            if (kind == END_OF_CHUNK)
                break;
            uint64_t extent = take_length(&cursor);
            if (cursor.bad || extent > left(&cursor))
                return -1;
            struct cursor content = cursor;
            content.end = cursor.at + extent;
            if (forms[kind * MOST_FORMS] && !take_record(&output, kind, content))
                return -1;
            cursor.at += extent;
        }
    }
    return -1;
}
