"""Sums that do not depend on their order: those of parts make that of the whole.

A sum is written as digits of 32 bits, from the lowest on; while numbers are added each
digit is an int64, and what it exceeds is carried later.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.analysis.logical.kernels import BITS, FULL, LOW
from topoview.model import Ints, TickSums, TimeSpread

SQUARE_DIGITS: Final = 5
"""Of squares of ticks, and one for as many as there ever are."""

FLOAT_DIGITS: Final = 69
"""Of any number of floating point, in 2 ** -`FLOAT_BITS`."""


def carried(digits: NDArray[Any]) -> NDArray[np.uint32]:
    """Carry what digits exceed; the sum is a two's complement of the same length."""
    found = np.empty(digits.shape, np.uint32)
    more = np.zeros(digits.shape[:-1], np.int64)
    for place in range(digits.shape[-1]):
        more += digits[..., place]
        found[..., place] = more & LOW
        more >>= BITS
    return found


def added_digits(found: Sequence[NDArray[np.uint32]]) -> NDArray[np.uint32]:
    """Add up sums."""
    total: Ints = np.sum(np.stack(found), axis=0, dtype=np.int64)
    return carried(total)


def whole_numbers(digits: NDArray[np.uint32]) -> list[int]:
    """Read sums: shape (n, digits)."""
    own = np.ascontiguousarray(digits, "<u4")
    return [int.from_bytes(one.tobytes(), "little", signed=True) for one in own]


class Tally(NamedTuple):
    """What `TickSums` are made of."""

    number: Ints
    total: Ints
    squares: Ints
    most: Ints
    call: Ints

    def sums(self) -> TickSums:
        """Make the sums."""
        number, total, squares, most, call = self
        return TickSums(number, total, carried(squares), most, call)


def new_tally(groups: int) -> Tally:
    """Begin with nothing."""
    number, total, most = np.zeros((3, groups), np.int64)
    squares = np.zeros((groups, SQUARE_DIGITS), np.int64)
    return Tally(number, total, squares, most, np.full(groups, -1, np.int64))


def joined_ticks(found: Sequence[TickSums]) -> TickSums:
    """Join sums of parts of a trace, in order of their calls."""
    most = np.stack([np.where(one.call < 0, -FULL, one.most) for one in found])
    at = most.argmax(axis=0), np.arange(most.shape[1])
    return TickSums(
        np.sum([one.count for one in found], axis=0),
        np.sum([one.total for one in found], axis=0),
        added_digits([one.squares for one in found]),
        np.stack([one.most for one in found])[at],
        np.stack([one.call for one in found])[at],
    )


def spread_of(sums: TickSums) -> TimeSpread:
    """Tell mean and deviation."""
    squares, count = whole_numbers(sums.squares), np.maximum(sums.count, 1)
    variance = [
        (n * square - total * total) / (n * n)
        for n, total, square in zip(
            count.tolist(), sums.total.tolist(), squares, strict=True
        )
    ]
    return TimeSpread(sums.total, sums.total / count, np.sqrt(variance), sums.most)
