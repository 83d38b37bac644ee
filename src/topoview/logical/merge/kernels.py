"""Hash what ranks do, and merge the sequences of groups of ranks."""

import cython
import numpy as np

if not cython.compiled:
    from topoview.base.hashing import mix
    from topoview.base.kinds import *
    from topoview.base.ordering import search_left

    Merged = tuple[Ints, Int]


def rank_keys(  # noqa: PLR0913
    first: Int,
    offsets: Ints,
    code: Codes,
    receiver: Ints,
    sender: Ints,
    neighbours: Ints,
    ranks: Int,
) -> Codes:
    """Hash each rank's rows, its partners numbered as it meets them.

    Parameters
    ----------
    first
        The first of the ranks that have rows.
    offsets : int64, shape (ranks with rows + 1,)
    code : uint64, shape (rows,)
        What each row says but for who its partners are.
    receiver, sender : int64, shape (rows,)
        -1 for none.
    neighbours : int64, shape (n,), ascending
        As `topoview.logical.calls.partners.neighbour_pairs`.
    ranks
        Number of all ranks.

    Returns
    -------
    uint64, shape (ranks with rows,)
    """
    keys: OutCodes = np.empty(len(offsets) - 1, np.uint64)
    met: OutInts = np.full(ranks, -1, np.int64)  # the last rank that met a partner
    number: OutCodes = np.zeros(ranks, np.uint64)  # the partner's number there
    rank: Int
    row: Int
    side: Int
    with cython.nogil:
        for rank in range(len(offsets) - 1):
            many: Code = cython.cast(Code, 1)
            key: Code = cython.cast(Code, offsets[rank + 1] - offsets[rank])
            for row in range(offsets[rank], offsets[rank + 1]):
                mixed: Code = code[row]
                for side in range(2):
                    partner: Int = sender[row] if side else receiver[row]
                    its: Code = cython.cast(Code, 0)
                    if partner >= 0:
                        if met[partner] != rank:
                            met[partner] = rank
                            pair: Int = (first + rank) * ranks + partner
                            at: Int = search_left(neighbours, pair)
                            number[partner] = 2 * many
                            if at < len(neighbours) and neighbours[at] == pair:
                                number[partner] += 1
                            many += 1
                        its = number[partner]
                    mixed = mix(mixed ^ its)
                key = mix(key ^ mixed)
            keys[rank] = key
    return np.asarray(keys)


def sums(begins: Ints, key: Codes, places: Codes) -> Codes:
    """Hash the rows of each cell, in their order.

    Parameters
    ----------
    begins : int64, shape (cells,)
        First row of each cell, ascending.
    key : uint64, shape (rows,)
    places : uint64
        A code of each place within a cell.

    Returns
    -------
    uint64, shape (cells,)
    """
    hashes: OutCodes = np.empty(len(begins), np.uint64)
    cell: Int
    row: Int
    with cython.nogil:
        for cell in range(len(begins)):
            end: Int = begins[cell + 1] if cell + 1 < len(begins) else len(key)
            total: Code = cython.cast(Code, end - begins[cell])
            for row in range(begins[cell], end):
                total += mix(key[row] ^ places[row - begins[cell]])
            hashes[cell] = mix(total)
    return np.asarray(hashes)


def project(  # noqa: C901
    flat: Ints, offsets: Ints, codes: Int, stays: Bool, budget: Int
) -> Merged:
    """Merge groups' sequences: see `topoview.logical.merge.sequences.project`.

    Parameters
    ----------
    flat, offsets : int64, shapes (entries,) and (groups + 1,)
        The sequences one after the other.
    codes
        Codes are below.
    stays
        Whether the groups that went on last go on.
    budget
        Comparisons that may be spent where groups disagree.

    Returns
    -------
    position : int64, shape (entries,)
        Position of each entry.
    int
        Positions at which groups disagreed, -1 if they do too often.
    """
    groups: Int = len(offsets) - 1
    position: OutInts = np.full(len(flat), -1, np.int64)
    # which entries are the last ones of their code in their sequence, and how many
    # groups still have each code to come
    last: OutBools = np.zeros(len(flat), np.bool_)
    need: OutInts = np.zeros(codes, np.int64)
    seen: OutInts = np.full(codes, -1, np.int64)
    # where each group stands, which groups stand at each code (a list that `following`
    # links), how many, and when the code was last written
    here: OutInts = np.array(offsets[:groups])
    standing: OutInts = np.full(codes, -1, np.int64)
    following: OutInts = np.full(groups, -1, np.int64)
    at: OutInts = np.zeros(codes, np.int64)
    used: OutInts = np.zeros(codes, np.int64)
    # codes at which all groups stand that need them, the one that comes next first
    heap: OutIntRows = np.zeros((codes + 1, 2), np.int64)
    heaped: Int = 0
    left: Int = 0
    count: Int = 0
    forced: Int = 0
    g: Int
    e: Int
    s: Int
    t: Int
    with cython.nogil:
        # From behind: the first time that a code is seen it is a group's last one of
        # it.
        for g in range(groups):
            for e in range(offsets[g + 1] - 1, offsets[g] - 1, -1):
                s = flat[e]
                if seen[s] != g:
                    seen[s] = g
                    last[e] = True
                    need[s] += 1
        for g in range(groups):
            if here[g] < offsets[g + 1]:
                s = flat[here[g]]
                following[g] = standing[s]
                standing[s] = g
                at[s] += 1
                left += 1
                if at[s] == need[s]:
                    heaped = push(heap, heaped, 0, s)
        # A position may hold a code once all groups that still need it stand there.
        while left:
            if heaped:
                s = heap[0, 1]
                heaped = pop(heap, heaped)
            else:  # groups disagree: where most of a code's groups stand
                forced += 1
                budget -= codes
                if budget < 0:
                    forced = -1
                    break
                s = -1
                for t in range(codes):
                    if at[t] and (
                        s < 0
                        or at[t] * need[s] > at[s] * need[t]
                        or (at[t] * need[s] == at[s] * need[t] and used[t] < used[s])
                    ):
                        s = t
            # All groups that stand here pass it at once, and stand at what they do
            # next.
            g = standing[s]
            standing[s] = -1
            at[s] = 0
            used[s] = count + 1
            # those that go on come first if `stays`, by how long they wait otherwise
            latest: Int = (count + 1) << 32 if stays else 0
            while g >= 0:
                after: Int = following[g]
                e = here[g]
                position[e] = count
                if last[e]:
                    need[s] -= 1
                here[g] = e + 1
                if e + 1 < offsets[g + 1]:
                    t = flat[e + 1]
                    following[g] = standing[t]
                    standing[t] = g
                    at[t] += 1
                    if t != s and at[t] == need[t]:
                        since: Int = used[t] if used[t] else count
                        heaped = push(heap, heaped, since - latest, t)
                else:
                    left -= 1
                g = after
            if at[s] and at[s] == need[s]:
                heaped = push(heap, heaped, used[s] - latest, s)
            count += 1
    return np.asarray(position), forced


def push(heap: OutIntRows, n: Int, key: Int, value: Int) -> Int:
    """Put a value into a heap of n rows, key and value; returns how many it has."""
    i: Int = n
    while i > 0:
        up: Int = (i - 1) >> 1
        if heap[up, 0] <= key:
            break
        heap[i, 0], heap[i, 1] = heap[up, 0], heap[up, 1]
        i = up
    heap[i, 0], heap[i, 1] = key, value
    return n + 1


def pop(heap: OutIntRows, n: Int) -> Int:
    """Remove the least row from a heap of n rows; return how many are left."""
    n -= 1
    key: Int = heap[n, 0]
    value: Int = heap[n, 1]
    i: Int = 0
    while 2 * i + 1 < n:
        down: Int = 2 * i + 1
        if down + 1 < n and heap[down + 1, 0] < heap[down, 0]:
            down += 1
        if heap[down, 0] >= key:
            break
        heap[i, 0], heap[i, 1] = heap[down, 0], heap[down, 1]
        i = down
    heap[i, 0], heap[i, 1] = key, value
    return n
