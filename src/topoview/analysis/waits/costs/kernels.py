"""Kernels that follow cause and effect: what waits are due to, and what if not."""

import cython
import numpy as np

from topoview.base.scratch import scratch, scratch_full

if not cython.compiled:
    from topoview.base.kinds import *

    BLOCK = 16
    """Entries of which the largest is found by looking at each."""

    MARKS = 64
    """Marks that are counted one by one."""


def count_marks(marks: Bools) -> OutInts:
    """Count the marks before each block of `MARKS`; the last count is of all."""
    counts = np.zeros((len(marks) + MARKS - 1) // MARKS + 1, np.int64)
    count: OutInts = counts
    k: Int
    i: Int
    with cython.nogil:
        for k in range(len(count) - 1):
            count[k + 1] = count[k]
            for i in range(k * MARKS, min((k + 1) * MARKS, len(marks))):
                count[k + 1] += marks[i]
    return counts


def marks_before(marks: Bools, counts: Ints, place: Int) -> Int:
    """Count the marks before a place: of a marked one the number among these."""
    result: Int = counts[place // MARKS]
    k: Int
    for k in range(place // MARKS * MARKS, place):
        result += marks[k]
    return result


def mark_ends(  # noqa: PLR0913
    order: Ints,
    cause: Ints,
    held: Bools,
    begins: Ints,
    calls: OutBools,
    pieces: OutBools,
) -> None:
    """Mark where what `pass_on` enters begins and ends: at calls, and at pieces.

    Parameters
    ----------
    order, cause, held, begins
        As for `pass_on`.
    calls : bool, shape (calls + 1,)
    pieces : bool, shape (2 calls,)
    """
    k: Int
    with cython.nogil:
        for k in range(len(order)):
            end: Int = 2 * cause[order[k]] + 1 + held[order[k]]
            calls[end >> 1] = calls[begins[k]] = True
            pieces[end - 1] = True
            if begins[k] > 0:
                pieces[2 * begins[k] - 1] = True


def largest_tree(sums: Ints) -> OutInts:
    """Find where the largest of one, two, four, ... blocks of entries is.

    Parameters
    ----------
    sums : int64, shape (n + 1,)
        Running sums of the entries, which are not negative.

    Returns
    -------
    int64, shape (2 * blocks,)
        A binary heap: of node ``i`` in ``2 i`` and ``2 i + 1``, or in block ``i -
        blocks``; the first one of several. Entry 0 is not used.
    """
    count: Int = len(sums) - 1
    blocks: Int = (count + BLOCK - 1) // BLOCK
    made = scratch(2 * blocks)
    tree: OutInts = made
    i: Int
    k: Int
    with cython.nogil:
        for i in range(blocks):
            best: Int = i * BLOCK
            most: Int = sums[best + 1] - sums[best]
            for k in range(best + 1, min(best + BLOCK, count)):
                if sums[k + 1] - sums[k] > most:
                    best, most = k, sums[k + 1] - sums[k]
            tree[blocks + i] = best
        for i in range(blocks - 1, 0, -1):
            left: Int = tree[2 * i]
            right: Int = tree[2 * i + 1]
            is_left: Int = sums[left + 1] - sums[left] >= sums[right + 1] - sums[right]
            tree[i] = left if is_left else right
    return made


def largest(tree: Ints, sums: Ints, begin: Int, end: Int) -> Int:
    """Find the largest entry from `begin` to before `end`; -1 without any."""
    best: Int = -1
    most: Int = -1
    blocks: Int = len(tree) // 2
    inner: Int = min((begin + BLOCK - 1) // BLOCK * BLOCK, end)
    outer: Int = max(end // BLOCK * BLOCK, inner)
    k: Int
    # entries before the first whole block, and behind the last one
    for k in range(begin, inner):
        if sums[k + 1] - sums[k] > most:
            best, most = k, sums[k + 1] - sums[k]
    for k in range(outer, end):
        if sums[k + 1] - sums[k] > most:
            best, most = k, sums[k + 1] - sums[k]
    # nodes of the tree that hold the whole blocks between, from the lowest up
    low: Int = inner // BLOCK + blocks
    high: Int = outer // BLOCK + blocks
    while low < high:
        if low & 1:
            k = tree[low]
            low += 1
            if sums[k + 1] - sums[k] > most:
                best, most = k, sums[k + 1] - sums[k]
        if high & 1:
            high -= 1
            k = tree[high]
            if sums[k + 1] - sums[k] > most:
                best, most = k, sums[k + 1] - sums[k]
        low >>= 1
        high >>= 1
    return best


def causal_order(  # noqa: C901
    offsets: Ints, rank: Indices, cause: Ints, held: Bools, waited: Ints
) -> OutInts:
    """List calls that wait so that what a wait may be due to comes before it.

    A rank goes on from call to call; at one that waits it stands still until the
    other has come to the call that it waits for. Where some wait for each other, as
    after clocks that are not exact, the shortest of these waits is left out.

    Parameters
    ----------
    offsets : int64, shape (ranks + 1,)
    rank : int32, shape (calls,)
    cause : int64, shape (calls,)
        The call that each waits for; not followed where it is none of these.
    held : bool, shape (calls,)
        Whether it waits until that call has been left.
    waited : int64, shape (calls + 1,)
        Ticks that the calls before each waited.

    Returns
    -------
    int64, shape (n,)
    """
    ranks: Int = len(offsets) - 1
    calls: Int = len(rank)
    most: Int = 0
    call: Int
    with cython.nogil:
        for call in range(calls):
            if waited[call + 1] > waited[call] and cause[call] >= 0:
                most += 1
    listed = scratch(most)
    order: OutInts = listed
    count: Int = 0
    place: OutInts = np.array(offsets[:ranks], np.int64)
    # whether it has come to its place, and told those that wait for it
    come: OutBools = np.zeros(ranks, np.bool_)
    # of the ranks that wait for a call, and of each the one behind it
    first: OutIndices = scratch_full(calls, -1, np.int32)
    following: OutIndices = np.full(ranks, -1, np.int32)
    ready: OutInts = np.arange(ranks, dtype=np.int64)
    seen: OutInts = np.zeros(ranks, np.int64)
    searches: Int = 0
    many: Int = ranks
    low: Int = 0
    stuck: Int = 0
    r: Int
    with cython.nogil:
        while stuck >= 0:
            while many:
                many -= 1
                r = ready[many]
                while place[r] < offsets[r + 1]:
                    call = place[r]
                    if not come[r]:
                        come[r] = True
                        waiting: Int = first[call]
                        while waiting >= 0:
                            ready[many] = waiting
                            many += 1
                            waiting = following[waiting]
                        first[call] = -1
                    other: Int = cause[call] + held[call]
                    if 0 <= other < calls and waited[call + 1] > waited[call]:
                        whose: Int = rank[other]
                        if place[whose] < other or (
                            place[whose] == other and not come[whose]
                        ):
                            following[r] = first[other]
                            first[other] = r
                            break
                        order[count] = call
                        count += 1
                    place[r] += 1
                    come[r] = False
            # all stand still, or are at their ends
            while low < ranks and place[low] == offsets[low + 1]:
                low += 1
            stuck = -1
            if low < ranks:
                searches += 1
                stuck = least_waiting(
                    low, searches, place, rank, cause, held, waited, seen
                )
                call = place[stuck]
                leave_queue(first, following, cause[call] + held[call], stuck)
                place[stuck] += 1
                come[stuck] = False
                ready[0] = stuck
                many = 1
    return listed[:count]


def least_waiting(  # noqa: PLR0913
    at: Int,
    search: Int,
    place: Ints,
    rank: Indices,
    cause: Ints,
    held: Bools,
    waited: Ints,
    seen: OutInts,
) -> Int:
    """Find who waits least of ranks that wait for each other, one for the next.

    Parameters
    ----------
    at
        A rank that waits for one of them, or for one that does, and so on.
    search : from 1 on
        Which search it is: entered in `seen` for ranks that it comes to.
    """
    while seen[at] != search:
        seen[at] = search
        at = rank[cause[place[at]] + held[place[at]]]
    least: Int = at
    shortest: Int = waited[place[at] + 1] - waited[place[at]]
    while seen[at] == search:  # once around
        seen[at] = -search
        ticks: Int = waited[place[at] + 1] - waited[place[at]]
        if ticks < shortest:
            least, shortest = at, ticks
        at = rank[cause[place[at]] + held[place[at]]]
    return least


def first_stuck(place: Ints, stops: Ints, enter: Ints) -> Int:
    """Find the rank not at its end whose call began first; -1 if all are."""
    stuck: Int = -1
    r: Int
    for r in range(len(place)):
        if place[r] < stops[r] and (stuck < 0 or enter[place[r]] < enter[place[stuck]]):
            stuck = r
    return stuck


def leave_queue(first: OutIndices, following: OutIndices, call: Int, rank: Int) -> None:
    """Remove a rank from those that wait for a call."""
    if first[call] == rank:
        first[call] = following[rank]
        return
    before: Int = first[call]
    while following[before] != rank:
        before = following[before]
    following[before] = following[rank]


def split_wait(  # noqa: PLR0913
    call: Int,
    end: Int,
    since: Int,
    begin: Int,
    own: Ints,
    excess: Ints,
    waited: Ints,
    shares: OutFloats,
) -> None:
    """Split the cost of a wait by what its two ranks did since they last met.

    Parameters
    ----------
    call, end
        The wait, and where the awaited rank's pieces end that it may be due to.
    since, begin
        The first calls of the two ranks since they last met.
    own, excess, waited
        As for `pass_on`.
    shares : float64, shape (3,)
        Gets the shares of the cost that fall on each tick of its own time since then,
        on each tick of excess, and on each tick that it waited.
    """
    its_own: Int = own[end] - own[2 * begin]
    its_excess: Int = excess[end] - excess[2 * begin]
    its_waits: Int = waited[end >> 1] - waited[begin]
    more: Int = its_own - (own[2 * call + 1] - own[2 * since])
    longer: Int = max(its_waits - (waited[call] - waited[since]), 0)
    more = its_own if more <= 0 and longer == 0 else max(more, 0)
    unusual: Int = min(more, its_excess)
    whole: Float = more + longer
    shares[0] = (more - unusual) / (whole * its_own) if more > unusual else 0.0
    shares[1] = unusual / (whole * its_excess) if unusual > 0 else 0.0
    shares[2] = longer / (whole * its_waits) if longer > 0 else 0.0


def pass_on(  # noqa: PLR0913
    costs: Ints,
    offsets: Ints,
    rank: Indices,
    order: Ints,
    cause: Ints,
    held: Bools,
    since: Ints,
    begins: Ints,
    own: Ints,
    excess: Ints,
    waited: Ints,
    calls: Bools,
    pieces: Bools,
    pieces_before: Ints,
    usual: OutFloats,
    unusual: OutFloats,
) -> None:
    """Add up what falls on each piece: of waits' own `costs`, and what they pass on.

    Parameters
    ----------
    costs : int64, shape (waits,)
        In ticks.
    offsets : int64, shape (ranks + 1,)
        Where the calls of each rank begin.
    rank : int32, shape (calls,)
    order : int64, shape (waits,)
        The call of each wait, in causal order.
    cause, held
        As for `causal_order`.
    since, begins : int64, shape (waits,)
        The own first call, and that of the awaited rank, since the two last met.
    own, excess, waited : int64, shape (2 calls + 1,), twice, and (calls + 1,)
        Running sums of own time, of excess, and of waits.
    calls, pieces
        From `mark_ends`.
    pieces_before
        From `count_marks`.
    usual, unusual : float64, shape (marked pieces + 1,)
        Nothing at first. They take what begins to fall on each tick of own time and of
        excess, and what ends to, and then what falls on those up to each marked piece
        from behind the one before; the last, on those behind all.
    """
    before = count_marks(calls)
    calls_before: Ints = before
    passing: OutFloats = scratch(int(before[-1]), np.float64)  # of call c: c + 1
    ranks: Int = len(offsets) - 1
    below: OutInts = np.array(offsets[1:], np.int64)
    left: OutInts = np.zeros(ranks, np.int64)
    density: OutFloats = np.zeros(ranks)
    shares: OutFloats = np.zeros(3)
    k: Int
    at: Int
    with cython.nogil:
        for k in range(ranks):
            left[k] = marks_before(calls, calls_before, below[k]) + calls[below[k]] - 1
            below[k] -= 1
        for k in range(len(order) - 1, -1, -1):
            call: Int = order[k]
            end: Int = 2 * cause[call] + 1 + held[call]
            begin: Int = begins[k]
            mine: Int = rank[call]
            # what later waits pass on to each tick of this call
            while below[mine] >= call:
                if calls[below[mine] + 1]:
                    density[mine] += passing[left[mine]]
                    left[mine] -= 1
                below[mine] -= 1
            cost: Float = costs[k] + (waited[call + 1] - waited[call]) * density[mine]
            split_wait(call, end, since[k], begin, own, excess, waited, shares)
            if shares[2] > 0:
                at = marks_before(calls, calls_before, end >> 1)
                passing[at] += cost * shares[2]
                if begin > offsets[rank[end >> 1]]:
                    at = marks_before(calls, calls_before, begin)
                    passing[at] -= cost * shares[2]
            at = marks_before(pieces, pieces_before, end - 1)
            usual[at] += cost * shares[0]
            unusual[at] += cost * shares[1]
            if begin > 0:
                at = marks_before(pieces, pieces_before, 2 * begin - 1)
                usual[at] -= cost * shares[0]
                unusual[at] -= cost * shares[1]
        for k in range(len(usual) - 2, -1, -1):
            usual[k] += usual[k + 1]
            unusual[k] += unusual[k + 1]


def main_origins(  # noqa: PLR0913
    order: Ints,
    cause: Ints,
    held: Bools,
    since: Ints,
    begins: Ints,
    own: Ints,
    excess: Ints,
    waited: Ints,
    own_tree: Ints,
    excess_tree: Ints,
    waited_tree: Ints,
    origins: OutIntRows,
    ticks: OutFloatRows,
) -> None:
    """Find the two pieces that each wait is most due to, causes first.

    Of the awaited rank's pieces the two largest are looked at, and of its waits the
    longest, with what that one is most due to.

    Parameters
    ----------
    order, cause, held, since, begins, own, excess, waited
        As for `pass_on`.
    own_tree, excess_tree, waited_tree
        From `largest_tree`.
    origins : int64, shape (waits, 2)
        Zeros; gets the numbers of the pieces, counted from 1.
    ticks : float64, shape (waits, 2)
        Zeros; gets the ticks that are due to them.
    """
    shares: OutFloats = np.zeros(3)
    # which calls wait, and the place of each of these in the order
    calls: OutBools = scratch(len(cause), np.bool_)
    place: OutInts = scratch(len(order))
    k: Int
    i: Int
    with cython.nogil:
        for k in range(len(order)):
            calls[order[k]] = True
    before: Ints = count_marks(calls)
    with cython.nogil:
        for k in range(len(order)):
            place[marks_before(calls, before, order[k])] = k
        for k in range(len(order)):
            call: Int = order[k]
            end: Int = 2 * cause[call] + 1 + held[call]
            begin: Int = begins[k]
            late: Int = waited[call + 1] - waited[call]
            split_wait(call, end, since[k], begin, own, excess, waited, shares)
            share: Float = late * shares[1]
            if share > 0:
                note_largest(
                    excess_tree, excess, 2 * begin, end, share, k, origins, ticks
                )
            share = late * shares[0]
            if share > 0:
                note_largest(own_tree, own, 2 * begin, end, share, k, origins, ticks)
            if shares[2] > 0:
                longest: Int = largest(waited_tree, waited, begin, end >> 1)
                if longest < 0 or not calls[longest]:
                    continue
                source: Int = place[marks_before(calls, before, longest)]
                for i in range(2):
                    if origins[source, i] > 0:
                        share = shares[2] * (waited[end >> 1] - waited[begin])
                        # a wait without ticks is never the longest
                        length: Float = waited[longest + 1] - waited[longest]
                        share *= late / length
                        note_origin(
                            origins,
                            ticks,
                            k,
                            origins[source, i],
                            share * ticks[source, i],
                        )


def note_largest(  # noqa: PLR0913
    tree: Ints,
    sums: Ints,
    begin: Int,
    end: Int,
    share: Float,
    k: Int,
    origins: OutIntRows,
    ticks: OutFloatRows,
) -> None:
    """Enter the largest piece, and the largest ones before and behind it."""
    first: Int = largest(tree, sums, begin, end)
    due: Float = share * (sums[first + 1] - sums[first])
    note_origin(origins, ticks, k, first + 1, due)
    before: Int = largest(tree, sums, begin, first)
    if before >= 0:
        due = share * (sums[before + 1] - sums[before])
        note_origin(origins, ticks, k, before + 1, due)
    behind: Int = largest(tree, sums, first + 1, end)
    if behind >= 0:
        due = share * (sums[behind + 1] - sums[behind])
        note_origin(origins, ticks, k, behind + 1, due)


def note_origin(
    origins: OutIntRows, ticks: OutFloatRows, k: Int, piece: Int, share: Float
) -> None:
    """Enter a piece that a wait is due to, if it is one of the two with most."""
    if piece == origins[k, 0]:
        ticks[k, 0] += share
        return
    if piece == origins[k, 1]:
        ticks[k, 1] += share
    elif share > ticks[k, 1]:
        origins[k, 1], ticks[k, 1] = piece, share
    if ticks[k, 1] > ticks[k, 0]:
        origins[k, 0], origins[k, 1] = origins[k, 1], origins[k, 0]
        ticks[k, 0], ticks[k, 1] = ticks[k, 1], ticks[k, 0]
