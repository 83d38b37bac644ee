"""Numbers of calls after those outside of a stretch of time were cut off."""

# mypy: allow-untyped-defs
# ruff: noqa: ANN001, ANN201, ANN202 - numba finds the types of what has none

import numba
import numpy as np


@numba.njit(nogil=True, inline="always")
def _row_of(call, guess, begins):
    """Row that a call is in: mostly the one that is guessed."""
    row = np.int64(guess)
    if (
        row < 0
        or row >= len(begins) - 1
        or call < begins[row]
        or call >= begins[row + 1]
    ):
        row = np.int64(np.searchsorted(begins, call, side="right") - 1)
    return row


@numba.njit(nogil=True, inline="always")
def _new(call, guess, begins, low, high, offsets):  # noqa: PLR0913
    """Tell the new number of a call, -1 if it is not kept."""
    found = np.int64(-1)
    if call >= 0:
        row = _row_of(call, guess, begins)
        if low[row] <= call < high[row]:
            found = offsets[row] + call - low[row]
    return found


@numba.njit(nogil=True, cache=True)
def renumber(calls, rows):
    """Renumber calls, in place; -1 for those that are cut off."""
    begins, low, high, offsets = rows
    row = np.int64(0)
    for i in range(len(calls)):
        if calls[i] >= 0:
            row = _row_of(calls[i], row, begins)
            calls[i] = _new(calls[i], row, begins, low, high, offsets)


@numba.njit(nogil=True, cache=True)
def arrived(completion, receiver, first, last, rows):
    """Find messages outside of some stretches that arrive in a call that is kept."""
    begins, low, high, offsets = rows
    found, count = np.empty(1 << 10, np.int64), 0
    at = 0
    for stretch in range(len(first) + 1):
        stop = first[stretch] if stretch < len(first) else len(completion)
        for i in range(at, stop):
            if _new(completion[i], receiver[i], begins, low, high, offsets) < 0:
                continue
            if count == len(found):
                larger = np.empty(2 * count, np.int64)
                larger[:count] = found
                found = larger
            found[count] = i
            count += 1
        if stretch < len(first):
            at = max(at, last[stretch])
    return found[:count]


@numba.njit(nogil=True, cache=True)
def renumber_ends(receive, completion, time, receiver, rows):
    """Renumber the calls of receives; one that is cut off is not known."""
    begins, low, high, offsets = rows
    for i in range(len(receive)):
        posted, completed, rank = receive[i], completion[i], receiver[i]
        ended = _new(completed, rank, begins, low, high, offsets)
        completion[i] = receive[i] = ended
        if ended < 0:
            time[i] = -1
        elif posted != completed:
            begun = _new(posted, rank, begins, low, high, offsets)
            receive[i] = begun if begun >= 0 else ended
