/* Records that neither states nor messages are made of, to tables of their own; and
 * attributes of events.
 *
 * A list of attributes precedes its event: how many there are, then of each what it is,
 * the type of its value, and the value (libotf2 3.2, source of OTF2_AttributeList.c and
 * otf2_attribute_value_inc.c).
 */
#include "meaning.h"

/* Forms of fields: a byte, a compressed integer, eight bytes that are a time. */
enum { FORM_BYTE = 1, FORM_NARROW, FORM_WIDE, FORM_TIME };

enum {
    ATTRIBUTE_FIELDS = 4,   /* attribute, type, value, type of the event */
    METRIC_FIELDS = 4,      /* metric, place in it, type, value */
    SMALLEST_ATTRIBUTE = 3, /* bytes */
    SMALLEST_VALUE = 2      /* of a metric: its type, and an integer without bytes */
};

/* Counts the values of a metric, as far as its record has room for them. */
uint64_t count_values(struct cursor content, uint64_t size)
{
    const uint8_t *begin = content.at;
    take_number(&content, NARROW);
    uint64_t taken = (uint64_t)(content.at - begin), values = take_byte(&content);
    uint64_t room = size > taken ? (size - taken) / SMALLEST_VALUE : 0;
    return values < room ? values : room;
}

/* Counts the attributes of a list, as far as it has room for them. */
uint64_t count_attributes(struct cursor content, uint64_t size)
{
    uint64_t count = take_number(&content, NARROW);
    return content.bad || count > size / SMALLEST_ATTRIBUTE ? 0 : count;
}

/* Appends the values of a metric. */
static enum taken take_metric(struct reader *reader, struct cursor content, uint64_t size)
{
    const struct further *table = &reader->archive->further[METRIC];
    struct further_rows *rows = &reader->further[METRIC];
    const uint8_t *end = content.at + size;
    uint64_t count = count_values(content, size);
    uint64_t metric = mapped(reader, MAP_METRIC, take_number(&content, NARROW));
    bool bad = take_byte(&content) > count || content.bad;
    content.bad = bad;
    if ((int64_t)count > rows->limit - rows->next)
        return NO_ROOM;
    for (uint64_t place = 0; place < count; place++) {
        uint64_t type = take_byte(&content), value = take_number(&content, WIDE);
        if (content.bad || content.at > end) {
            bad = true;
            break;
        }
        int64_t *row = table->fields + METRIC_FIELDS * rows->next;
        table->times[rows->next++] = reader->now - reader->origin;
        row[0] = (int64_t)metric;
        row[1] = (int64_t)place;
        row[2] = (int64_t)type;
        row[3] = (int64_t)value;
    }
    return bad ? SPOILT : TAKEN;
}

/* Appends a record to the table of its type, if there is one. */
enum taken take_further(struct reader *reader, unsigned kind, struct cursor content,
                        uint64_t size)
{
    const struct further *table = &reader->archive->further[kind];
    struct further_rows *rows = &reader->further[kind];
    if (!table->times)
        return TAKEN;
    if (kind == METRIC)
        return take_metric(reader, content, size);
    if (rows->next >= rows->limit)
        return NO_ROOM;
    const uint8_t *forms = reader->archive->forms + kind * MOST_FIELDS;
    unsigned width = reader->widths[kind];
    int64_t *row = table->fields + width * rows->next;
    for (unsigned place = 0; place < width; place++) {
        unsigned form = forms[place] & 15, mapping = forms[place] >> 4;
        uint64_t value;
        if (form == FORM_BYTE) {
            value = take_byte(&content);
        } else if (form == FORM_TIME) {
            value = take_whole(&content);
            if (reader->clock_count)
                value = (uint64_t)corrected(reader, value);
            value -= (uint64_t)reader->origin;
        } else {
            value = take_number(&content, form == FORM_NARROW ? NARROW : WIDE);
        }
        if (mapping)
            value = mapped(reader, mapping - 1, value);
        row[place] = (int64_t)value;
    }
    if (content.bad)
        return SPOILT;
    table->times[rows->next++] = reader->now - reader->origin;
    return TAKEN;
}

/* How the value of an attribute is written, by its OTF2_Type. */
struct value_form {
    uint8_t plain;   /* bytes as they are; 0: a compressed integer */
    uint8_t widest;  /* of that; 0 means WIDE */
    uint8_t sign;    /* bits of a number that has one */
    uint8_t mapping; /* kind of identifier, and 1; 0: none */
};

static const struct value_form value_forms[32] = {
    [1] = {.plain = 1},
    [2] = {.plain = 2},
    [3] = {.widest = NARROW},
    [5] = {.plain = 1, .sign = 8},
    [6] = {.plain = 2, .sign = 16},
    [7] = {.widest = NARROW, .sign = 32},
    [9] = {.plain = 4},
    [10] = {.plain = 8},
    [11] = {.widest = NARROW, .mapping = MAP_STRING + 1},
    [12] = {.widest = NARROW, .mapping = MAP_ATTRIBUTE + 1},
    [13] = {.mapping = MAP_LOCATION + 1},
    [14] = {.widest = NARROW, .mapping = MAP_REGION + 1},
    [15] = {.widest = NARROW, .mapping = MAP_GROUP + 1},
    [16] = {.widest = NARROW, .mapping = MAP_METRIC + 1},
    [17] = {.widest = NARROW, .mapping = MAP_COMM + 1},
    [18] = {.widest = NARROW, .mapping = MAP_PARAMETER + 1},
    [19] = {.widest = NARROW, .mapping = MAP_WINDOW + 1},
    [20] = {.widest = NARROW, .mapping = MAP_SOURCE + 1},
    [21] = {.widest = NARROW, .mapping = MAP_CONTEXT + 1},
    [22] = {.widest = NARROW, .mapping = MAP_GENERATOR + 1},
    [23] = {.widest = NARROW, .mapping = MAP_FILE + 1},
    [24] = {.widest = NARROW, .mapping = MAP_HANDLE + 1},
    [25] = {.widest = NARROW, .mapping = MAP_LOCATION_GROUP + 1},
};

uint64_t take_value(struct cursor *content, unsigned type)
{
    struct value_form form = type < 32 ? value_forms[type] : (struct value_form){0};
    uint64_t value;
    if (form.plain && left(content) < form.plain) {
        content->bad = true;
        return 0;
    }
    if (form.plain) {
        unsigned unused = 64 - 8u * form.plain;
        value = load_whole(content->at, content->swap); /* behind the end: padding */
        value = content->swap ? value >> unused : value << unused >> unused;
        content->at += form.plain;
    } else {
        value = take_number(content, form.widest ? form.widest : WIDE);
    }
    if (form.sign) {
        uint64_t half = UINT64_C(1) << (form.sign - 1);
        value = ((value & (2 * half - 1)) ^ half) - half;
    }
    return value;
}

/* Appends the attributes of a list, which are those of a type of record. */
void take_attributes(struct reader *reader, struct cursor content, uint64_t size,
                     unsigned kind)
{
    const struct further *table = &reader->archive->further[ATTRIBUTES];
    struct further_rows *rows = &reader->further[ATTRIBUTES];
    const uint8_t *end = content.at + size;
    uint64_t count = count_attributes(content, size);
    if (!table->times || (int64_t)count > rows->limit - rows->next)
        return;
    take_number(&content, NARROW);
    for (; count; count--) {
        uint64_t attribute = take_number(&content, NARROW);
        unsigned type = take_byte(&content);
        uint64_t value = take_value(&content, type);
        if (content.bad || content.at > end)
            break;
        unsigned mapping = type < 32 ? value_forms[type].mapping : 0;
        if (mapping)
            value = mapped(reader, mapping - 1, value);
        int64_t *row = table->fields + ATTRIBUTE_FIELDS * rows->next;
        table->times[rows->next++] = reader->now - reader->origin;
        row[0] = (int64_t)mapped(reader, MAP_ATTRIBUTE, attribute);
        row[1] = type;
        row[2] = (int64_t)value;
        row[3] = kind;
    }
}
