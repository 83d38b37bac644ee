"""Kernels that search and sort, for use within other kernels."""

import cython

if not cython.compiled:
    from topoview.base.kinds import Int, Ints, OutInts


def search_left(values: Ints, value: Int) -> Int:
    """Find the first place of a value in order: as ``np.searchsorted``."""
    low: Int = 0
    high: Int = len(values)
    while low < high:
        middle: Int = (low + high) >> 1
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


def search_right(values: Ints, value: Int) -> Int:
    """Find the place behind a value in order: ``np.searchsorted(side="right")``."""
    low: Int = 0
    high: Int = len(values)
    while low < high:
        middle: Int = (low + high) >> 1
        if values[middle] <= value:
            low = middle + 1
        else:
            high = middle
    return low


def last_places(
    values: Ints, begins: Ints, ends: Ints, bounds: Ints, places: OutInts
) -> None:
    """Find the last place of each row whose value is not above a bound, else the first.

    Parameters
    ----------
    values : int64
        Ascending within each row.
    begins, ends, bounds : int64, shape (n,)
        Where each row begins and ends in `values`, and its bound.
    places : int64, shape (n,)
        Gets the places.
    """
    k: Int
    with cython.nogil:
        for k in range(len(begins)):
            first: Int = begins[k]
            behind: Int = search_right(values[first : ends[k]], bounds[k])
            places[k] = first + max(behind - 1, 0)


def place_by_group(
    values: Ints, group: Ints, following: OutInts, placed: OutInts
) -> None:
    """Put values in order of their groups, keeping their order (counting sort).

    Parameters
    ----------
    values, group : int64, shape (n,)
    following : int64, shape (groups,)
        Where each group begins; ends as where it stops.
    placed : int64, shape (n,)
        Gets the values in order.
    """
    k: Int
    with cython.nogil:
        for k in range(len(values)):
            placed[following[group[k]]] = values[k]
            following[group[k]] += 1


def sort_ints(values: OutInts, stop: Int) -> None:
    """Sort the first `stop` numbers in place (heap sort)."""
    n: Int = stop
    root: Int = n // 2
    while n > 1:
        # until the root is reached a heap is made, then its largest number is taken
        if root > 0:
            root -= 1
            value: Int = values[root]
        else:
            n -= 1
            value = values[n]
            values[n] = values[0]
        place: Int = root
        child: Int = 2 * place + 1
        while child < n:
            if child + 1 < n and values[child + 1] > values[child]:
                child += 1
            if values[child] <= value:
                break
            values[place] = values[child]
            place, child = child, 2 * child + 1
        values[place] = value


def sort_by_key(
    order: OutInts, first: Int, stop: Int, key: Ints, scratch: OutInts
) -> None:
    """Sort a part by the keys of its numbers, stably (merge sort, from the bottom up).

    Parameters
    ----------
    order : int64
        Places in `key`; those from `first` to `stop` are sorted.
    key : int64
        A key of each number.
    scratch : int64, shape (stop - first,) or longer
        Overwritten.
    """
    width: Int = 1
    n: Int = stop - first
    i: Int
    while width < n:
        low: Int = 0
        while low < n:
            middle: Int = min(low + width, n)
            high: Int = min(low + 2 * width, n)
            a: Int = low
            b: Int = middle
            for i in range(low, high):
                if a < middle and (
                    b >= high or key[order[first + a]] <= key[order[first + b]]
                ):
                    scratch[i] = order[first + a]
                    a += 1
                else:
                    scratch[i] = order[first + b]
                    b += 1
            low = high
        for i in range(n):
            order[first + i] = scratch[i]
        width *= 2
