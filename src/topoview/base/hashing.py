"""Kernels for hash tables: an array of keys, by linear probing."""

import cython
import numpy as np

if not cython.compiled:
    from topoview.base.kinds import Code, Codes, Int, Ints, OutCodes, OutInts

    _WORD = (1 << 64) - 1

    def mix(code: np.uint64) -> np.uint64:
        """Scramble 64 bits (Steele, Lea and Flood 2014, the finaliser of SplitMix)."""
        bits = int(code) * 0x9E3779B97F4A7C15 & _WORD
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & _WORD
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & _WORD
        return np.uint64(bits ^ (bits >> 31))

    def chained(total: Code, word: Code) -> Code:
        """Go on with a sum: another sum for each word, and for each sum before."""
        bits = int(total) ^ int(word)
        bits = (bits ^ (bits >> 29)) * 0x9E3779B97F4A7C15 & _WORD
        return np.uint64((bits << 31 | bits >> 33) & _WORD)

    def mix_all(codes: Codes, mixed: OutCodes) -> None:
        """Scramble 64 bits each."""
        for k in range(len(codes)):
            mixed[k] = mix(codes[k])

    def slot_of(keys: Ints, key: int) -> int:
        """Find the place of a key, or where it can be put.

        The key is multiplied by 2^64 over the golden ratio (Knuth, The Art of Computer
        Programming 3, 6.4).

        Parameters
        ----------
        keys : int64, shape (power of two,)
            Keys from 0 on, -1 where there is none; some place is free.
        """
        mask = len(keys) - 1
        mixed = int(key) * 0x9E3779B97F4A7C15 & _WORD
        slot = ((mixed ^ (mixed >> 29)) >> 8) & mask
        while keys[slot] >= 0 and keys[slot] != key:
            slot = (slot + 1) & mask
        return slot


def sum_words(words: Codes) -> Code:
    """Compute a checksum of words: another one if any single word differs.

    Four chains side by side, since each waits for its own last product: it is as fast
    as memory, four times as fast as zlib's CRC-32.
    """
    one: Code = cython.cast(Code, 1)
    two: Code = cython.cast(Code, 2)
    three: Code = cython.cast(Code, 3)
    four: Code = cython.cast(Code, 4)
    k: Int = 0
    with cython.nogil:
        while k + 4 <= len(words):
            one = chained(one, words[k])
            two = chained(two, words[k + 1])
            three = chained(three, words[k + 2])
            four = chained(four, words[k + 3])
            k += 4
        while k < len(words):
            one = chained(one, words[k])
            k += 1
        # mixed between: a change of one chain is not taken back by one of another
        two = chained(mix(one), two)
        three = chained(mix(two), three)
        four = chained(mix(three), four)
    return four  # noqa: RET504 - computed without the GIL


def enter_codes(  # noqa: PLR0913 - it goes on where it was
    codes: Ints,
    row: Int,
    keys: OutInts,
    number: OutInts,
    met: OutInts,
    used: Int,
    numbers: OutInts,
) -> tuple[Int, Int]:
    """Enter codes from a row on into a table, until it is half full.

    Parameters
    ----------
    codes : int64, shape (n,)
        From 0 on.
    row
        The first that is entered.
    keys, number : int64, shape (power of two,)
        The table: codes, -1 where there is none, and their numbers.
    met : int64
        Codes in the order of their numbers; has room for half as many as the table.
    used
        Codes in the table.
    numbers : int64, shape (n,)
        Gets the number of each entry's code.

    Returns
    -------
    int and int
        The first row that was not entered, and codes in the table then.
    """
    last: Int = -1
    its: Int = 0
    with cython.nogil:
        while row < len(codes):
            code = codes[row]
            if code != last:  # neighbours are often equal
                slot = slot_of(keys, code)
                if keys[slot] < 0:
                    if 2 * used >= len(keys):
                        break
                    keys[slot], number[slot], met[used] = code, used, code
                    used += 1
                last, its = code, number[slot]
            numbers[row] = its
            row += 1
    return row, used
