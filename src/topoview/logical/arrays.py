"""Small array functions that the steps share."""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from topoview.model import Ints


def spans(counts: Ints) -> Ints:
    """Offsets of consecutive runs: ``[0, c0, c0 + c1, ...]``, int64."""
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


@numba.njit(nogil=True, cache=True)
def within(counts: Ints) -> Ints:
    """Count 0, 1, ... within each run: ``[0 .. c0), [0 .. c1), ...``, int64.

    Compiled because `numpy.repeat` holds Python's lock.
    """
    found = np.empty(counts.sum(), np.int64)
    at = 0
    for count in counts:
        for k in range(count):
            found[at] = k
            at += 1
    return found


@numba.njit(nogil=True, cache=True)
def repeated(values: NDArray[Any], counts: Ints) -> NDArray[Any]:
    """Repeat each value so often; as `numpy.repeat`, which holds Python's lock."""
    found = np.empty(counts.sum(), values.dtype)
    at = 0
    for place in range(len(counts)):
        found[at : at + counts[place]] = values[place]
        at += counts[place]
    return found


@numba.njit(nogil=True, cache=True)
def stretch(least: Ints, most: Ints, place: Ints, value: Ints) -> None:
    """Widen the ranges at places so that they hold the values.

    As `numpy.minimum.at` and `numpy.maximum.at`, which hold Python's lock.
    """
    for k in range(len(place)):
        at = place[k]
        least[at] = min(least[at], value[k])
        most[at] = max(most[at], value[k])


@numba.njit(nogil=True, cache=True)
def count_into(often: Ints, place: Ints) -> None:
    """Count how often each place occurs, in addition to what was counted before."""
    for k in range(len(place)):
        often[place[k]] += 1


@numba.njit(nogil=True, cache=True)
def heaped(place: Ints, value: NDArray[np.uint64], places: int) -> NDArray[np.uint64]:
    """Sum of the values at each place, modulo 2^64; as `numpy.add.at`."""
    found = np.zeros(places, np.uint64)
    for k in range(len(place)):
        found[place[k]] += value[k]
    return found


def added(owner: Ints, amount: Ints, owners: int) -> Ints:
    """Sum of the amounts of each owner, exact in int64, shape (owners,)."""
    low = np.bincount(owner, weights=amount & 0xFFFFF, minlength=owners)
    high = np.bincount(owner, weights=amount >> 20, minlength=owners)
    total: Ints = low.astype(np.int64) + (high.astype(np.int64) << 20)
    return total


def mixed(codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 64 bits (Steele, Lea and Flood 2014, the finaliser of SplitMix)."""
    x = codes * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
