"""Sums that do not depend on their order: those of parts make that of the whole.

A sum is written as digits of 32 bits, from the lowest on; while numbers are added each
digit is an int64, and what it exceeds is carried later.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview.model import Ints, TickSums, TimeSpread

BITS: Final = 32
"""Of a digit, once all that it exceeds is carried."""

LOW: Final = (1 << BITS) - 1
"""The highest digit."""

FULL: Final = 1 << 62
"""What a digit reaches at most while numbers are added, before it is carried."""

FLOAT_BITS: Final = 1127
"""Bits behind the point: of 1074 any number has none beyond."""

COUNT, TOTAL, MOST, LONGEST, SQUARES = range(5)
"""Columns of a tally: the number of calls, their ticks, most of one of them and which
one that is, and from there on digits of the sum of squares."""

SQUARE_DIGITS: Final = 5
"""Of squares of ticks, and one for as many as there ever are."""

FLOAT_DIGITS: Final = 69
"""Of any number of floating point, in 2 ** -`FLOAT_BITS`."""


def carried(digits: NDArray[Any]) -> NDArray[np.uint32]:
    """Carry what digits exceed; the sum is a two's complement of the same length."""
    result = np.empty(digits.shape, np.uint32)
    more = np.zeros(digits.shape[:-1], np.int64)
    for place in range(digits.shape[-1]):
        more += digits[..., place]
        result[..., place] = more & LOW
        more >>= BITS
    return result


def added_digits(parts: Sequence[NDArray[np.uint32]]) -> NDArray[np.uint32]:
    """Add up sums."""
    total: Ints = np.sum(np.stack(parts), axis=0, dtype=np.int64)
    return carried(total)


def whole_numbers(digits: NDArray[np.uint32]) -> list[int]:
    """Read sums: shape (n, digits)."""
    own = np.ascontiguousarray(digits, "<u4")
    return [int.from_bytes(one.tobytes(), "little", signed=True) for one in own]


def new_tally(groups: int) -> Ints:
    """Return sums of nothing: int64, shape (groups, columns)."""
    tally = np.zeros((groups, SQUARES + SQUARE_DIGITS), np.int64)
    tally[:, LONGEST] = -1
    return tally


def sums_of(tally: Ints) -> TickSums:
    """Return the sums that a tally holds."""
    count, total, most, longest = tally[:, :SQUARES].T.copy()
    return TickSums(count, total, carried(tally[:, SQUARES:]), most, longest)


def joined_ticks(parts: Sequence[TickSums]) -> TickSums:
    """Join sums of parts of a trace, in order of their calls."""
    most = np.stack([np.where(one.call < 0, -FULL, one.most) for one in parts])
    at = most.argmax(axis=0), np.arange(most.shape[1])
    return TickSums(
        np.sum([one.count for one in parts], axis=0),
        np.sum([one.total for one in parts], axis=0),
        added_digits([one.squares for one in parts]),
        np.stack([one.most for one in parts])[at],
        np.stack([one.call for one in parts])[at],
    )


def spread_of(sums: TickSums) -> TimeSpread:
    """Return mean and deviation."""
    squares, count = whole_numbers(sums.squares), np.maximum(sums.count, 1)
    variance = [
        (n * square - total * total) / (n * n)
        for n, total, square in zip(
            count.tolist(), sums.total.tolist(), squares, strict=True
        )
    ]
    return TimeSpread(sums.total, sums.total / count, np.sqrt(variance), sums.most)
