/* Files that OTF2 compressed with zlib: one block of each is in memory at a time.
 *
 * Such a file is a row of blocks: eight bytes that mark a header, the sizes of the block
 * compressed, uncompressed, and of the block before (four bytes each, little endian),
 * then the block, a zlib stream. Old writers leave a gap behind the block: as many bytes
 * as it has uncompressed (libotf2 1.5, source of OTF2_File.c; libotf2 3 reads none of
 * this). A block is what was written at once, mostly a chunk.
 */
#include <errno.h>

#include "reader.h"

#define MARK_BEFORE UINT64_C(0x00000000FFFFFFFF)
#define MARK_BEHIND UINT64_C(0xFFFFFFFF00000000)

enum { MARK_BYTES = 8, BLOCK_HEADER = MARK_BYTES + 3 * 4 };

/* Loads so many bytes of a header, if there is one. */
static bool load_head(int file, uint8_t *head, int64_t size, int64_t begin)
{
    return load_bytes(file, head, begin, size) == size
           && (load64(head) == MARK_BEFORE || load64(head) == MARK_BEHIND);
}

int64_t decoder_blocks(int file, struct packed_block *blocks, int64_t most)
{
    uint8_t head[BLOCK_HEADER];
    int64_t count = 0, whole_begin = 0;
    for (int64_t at = 0; count < most && load_head(file, head, BLOCK_HEADER, at); count++) {
        uint64_t sizes = load64(head + MARK_BYTES);
        int64_t size = (int64_t)(sizes & UINT32_MAX), whole = (int64_t)(sizes >> 32);
        if (!size || !whole || size > LARGEST_CHUNK || whole > LARGEST_CHUNK)
            break;
        int64_t begin = at + BLOCK_HEADER;
        if (blocks)
            blocks[count] = (struct packed_block){begin, size, whole_begin, whole};
        whole_begin += whole;
        at = begin + (load_head(file, head, MARK_BYTES, begin + size) ? size : whole);
    }
    return count;
}

bool find_blocks(struct reader *reader, int file)
{
    int64_t count = decoder_blocks(file, NULL, MOST_BLOCKS);
    size_t size = (size_t)count * sizeof *reader->blocks;
    reader->blocks_of = reader->inflated_block = -1;
    if (!claim_room(&reader->index, size))
        return false;
    reader->blocks = (struct packed_block *)reader->index.bytes;
    reader->block_count = decoder_blocks(file, reader->blocks, count);
    reader->blocks_of = file;
    return true;
}

int64_t inflated_size(const struct reader *reader)
{
    if (!reader->block_count)
        return 0;
    const struct packed_block *last = &reader->blocks[reader->block_count - 1];
    return last->whole_begin + last->whole;
}

/* Inflates a block; -1 and errno if it cannot be read, -2 if there is no memory. One that
 * is damaged is as long as it is sound. */
static int64_t inflate_block(struct reader *reader, int file, int64_t number)
{
    if (reader->inflated_block == number)
        return reader->inflated_size;
    const struct packed_block *block = &reader->blocks[number];
    reader->inflated_block = -1;
    if (!claim_room(&reader->deflated, (size_t)block->size)
        || !claim_room(&reader->inflated, (size_t)block->whole))
        return -2;
    int64_t got = load_bytes(file, reader->deflated.bytes, block->begin, block->size);
    if (got < 0)
        return got;
    got = reader->archive->inflate(reader->deflated.bytes, got, reader->inflated.bytes,
                                   block->whole);
    if (got >= 0) {
        reader->inflated_size = got;
        reader->inflated_block = number;
    }
    return got;
}

int64_t load_inflated(struct reader *reader, int file, uint8_t *bytes, int64_t begin,
                      int64_t size)
{
    if (reader->blocks_of != file && !find_blocks(reader, file))
        return -2;
    int64_t done = 0, number = reader->inflated_block;
    if (number < 0 || reader->blocks[number].whole_begin > begin)
        number = 0;
    for (; done < size && number < reader->block_count; number++) {
        const struct packed_block *block = &reader->blocks[number];
        int64_t skip = begin + done - block->whole_begin;
        if (skip >= block->whole)
            continue;
        int64_t got = inflate_block(reader, file, number);
        if (got < 0)
            return got;
        int64_t more = got - skip < size - done ? got - skip : size - done;
        if (more > 0) {
            memcpy(bytes + done, reader->inflated.bytes + skip, (size_t)more);
            done += more;
        }
        if (got < block->whole) /* it is damaged */
            break;
    }
    return done;
}
