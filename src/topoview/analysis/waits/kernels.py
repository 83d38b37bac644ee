"""Kernels of analysis/waits."""

import numpy as np

from topoview.base.hash_table import slot_of
from topoview.base.kernels import kernel
from topoview.model import FRONT_ENDS, Bools, Bytes, Floats, Indices, Ints

BARRIER, NXN, BROADCAST, REDUCE, SCAN = range(2, 7)


NOBODY, BOUNDARY, ANNIHILATED, ABSORBED = range(len(FRONT_ENDS))


@kernel
def latest_parts(came: Ints) -> Bools:
    """Keep who came after all before; of these but the last, where that is enough."""
    operation, _, _, begin, scans = came
    kept = np.zeros(len(operation), np.bool_)
    last = -1
    for i in range(len(operation)):
        same = last >= 0 and operation[last] == operation[i]
        if same and begin[i] <= begin[last]:
            continue
        if same and not scans[last]:
            kept[last] = False
        kept[i] = True
        last = i
    return kept


@kernel
def needed_parts(  # noqa: PLR0913
    operation: Ints, rank: Ints, kind: Bytes, is_root: Bools, came: Ints, roots: Ints
) -> tuple[Ints, Ints, Ints]:
    """Tell the rank, its call and when that began."""
    found = np.full((3, len(operation)), -1, np.int64)
    for i in range(len(operation)):
        if kind[i] == REDUCE and not is_root[i]:
            continue
        rows = roots if kind[i] == BROADCAST else came
        at = np.searchsorted(rows[0], operation[i], side="right") - 1
        while kind[i] == SCAN and rows[1, at] > rank[i]:
            at -= 1
        if at >= 0 and rows[0, at] == operation[i]:
            found[:, i] = rows[1:4, at]
    return found[0], found[1], found[2]


@kernel
def follow_critical_path(  # noqa: PLR0913
    offsets: Ints,
    enter: Ints,
    leave: Ints,
    until: Ints,
    cause: Ints,
    whom: Indices,
    statement: Indices,
    begins: Ints,
    ends: Ints,
    statements: int,
) -> tuple[Indices, Ints, Ints, Ints, Ints]:
    """Follow the path back, call by call; then turn its stretches round."""
    inside = np.zeros(statements + 1, np.int64)  # the last entry: of no statement
    before = np.zeros(statements + 1, np.int64)
    of_rank = np.empty(len(cause) + 1, np.int32)
    begin, end = np.empty(len(cause) + 1, np.int64), np.empty(len(cause) + 1, np.int64)
    one = int(np.argmax(ends))
    time, found = ends[one], 0
    call, next_ = offsets[one + 1] - 1, -1
    of_rank[0], end[0] = one, time
    while call >= offsets[one]:
        if leave[call] < time:
            before[next_] += time - leave[call]
            time = leave[call]
        other = cause[call]
        is_late = enter[call] < min(until[call], leave[call])
        is_late &= 0 <= other < len(cause) and found < len(cause)
        if is_late and enter[other] <= time:
            # what is held until the other call ends, a lock, leads into that call
            inside_it = until[call] > enter[other]
            met = min(until[call], time)
            inside[statement[call]] += time - met
            time = met
            begin[found] = time
            one, next_ = int(whom[call]), statement[other]
            call = other if inside_it else other - 1
            found += 1
            of_rank[found], end[found] = one, time
            continue
        if enter[call] < time:
            inside[statement[call]] += time - enter[call]
            time = enter[call]
        next_ = statement[call]
        call -= 1
    first = min(begins[one], time)
    before[next_] += time - first
    begin[found] = first
    found += 1
    return (
        of_rank[:found][::-1].copy(),
        begin[:found][::-1].copy(),
        end[:found][::-1].copy(),
        inside[:-1].copy(),
        before[:-1].copy(),
    )


@kernel
def hops(
    begins: Ints, neighbours: Ints, origin: Ints, offsets: Ints, wait_rank: Ints
) -> Indices:
    """Distance of those that waited from the origin, no farther than needed."""
    ranks = len(begins) - 1
    found = np.full(len(wait_rank), -1, np.int32)
    wanted = np.full(ranks, -1, np.int64)
    met = np.full(ranks, -1, np.int64)
    distance = np.empty(ranks, np.int32)
    queue = np.empty(ranks, np.int64)
    for delay in range(len(origin)):
        missing = 0
        for i in range(offsets[delay], offsets[delay + 1]):
            if wanted[wait_rank[i]] != delay:
                wanted[wait_rank[i]] = delay
                missing += 1
        queue[0], met[origin[delay]], distance[origin[delay]] = origin[delay], delay, 0
        done, many = 0, 1
        while done < many and missing:
            one = queue[done]
            done += 1
            if wanted[one] == delay:
                missing -= 1
            for at in range(begins[one], begins[one + 1]):
                other = neighbours[at]
                if met[other] != delay:
                    met[other] = delay
                    distance[other] = distance[one] + 1
                    queue[many] = other
                    many += 1
        for i in range(offsets[delay], offsets[delay + 1]):
            if met[wait_rank[i]] == delay:
                found[i] = distance[wait_rank[i]]
    return found


@kernel
def front_ends(  # noqa: C901, PLR0913
    begins: Ints,
    neighbours: Ints,
    origin: Ints,
    offsets: Ints,
    wait_rank: Indices,
    wait_begin: Ints,
    wait_end: Ints,
    due: Floats,
    excess: Floats,
    begin: Ints,
    end: Ints,
    by_rank: Ints,
    of_rank: Ints,
    delay_of: Ints,
) -> tuple[Bytes, Indices]:
    """Tell what stopped each front, by the neighbours that it did not come to.

    Each edge from a rank that it reached to one that it did not reach is asked: did
    that one wait, mainly for another delay, at any time while this one waited? Edges
    count by what was due to the delay on this side: of echoes that is next to nothing.
    `by_rank` lists those waits by rank, then begin; of rank r from `of_rank[r]` on.
    """
    ranks, delays = len(begins) - 1, len(origin)
    ending = np.zeros(delays, np.uint8)
    met = np.full(delays, -1, np.int32)
    first = np.full(ranks, -1, np.int64)  # wait of the rank for this delay, +1; 0: own
    reached = np.full(ranks, -1, np.int64)
    with_, for_ = np.zeros(delays, np.int64), np.full(delays, -1, np.int64)
    for delay in range(delays):
        low, high = offsets[delay], offsets[delay + 1]
        if low == high:
            continue
        reached[origin[delay]], first[origin[delay]] = delay, 0
        for i in range(low, high):
            one = wait_rank[i]
            if reached[one] != delay:
                reached[one], first[one] = delay, i + 1
        at_stake, stopped, most = 0.0, 0.0, -1
        for k in range(low - 1, high):
            one = origin[delay] if k < low else wait_rank[k]
            if k >= low and first[one] != k + 1:
                continue
            since = begin[delay] if k < low else wait_begin[k]
            until = end[delay] if k < low else wait_end[k]
            weight = excess[delay] if k < low else due[k]
            for at in range(begins[one], begins[one + 1]):
                other = neighbours[at]
                if reached[other] == delay:
                    continue
                at_stake += weight
                # its last wait that begins before this one is over, and those before
                down, up = of_rank[other], of_rank[other + 1]
                while down < up:
                    middle = (down + up) >> 1
                    if wait_begin[by_rank[middle]] < until:
                        down = middle + 1
                    else:
                        up = middle
                is_met = False
                place = down - 1
                while place >= of_rank[other] and wait_end[by_rank[place]] > since:
                    wait = by_rank[place]
                    its = delay_of[wait]
                    if for_[its] != delay:
                        for_[its], with_[its] = delay, 0
                    with_[its] += min(wait_end[wait], until) - max(
                        wait_begin[wait], since
                    )
                    if most < 0 or with_[its] > with_[most]:
                        most = its
                    is_met = True
                    place -= 1
                if is_met:
                    stopped += weight
        if at_stake == 0:
            ending[delay] = BOUNDARY
        elif 2 * stopped > at_stake:
            ending[delay] = ANNIHILATED
            met[delay] = most
        else:
            ending[delay] = ABSORBED
    return ending, met


@kernel
def earlier_uses(key: Ints, times: Ints, slots: Ints) -> Ints:
    count = np.zeros(len(slots), np.int64)
    turn = np.empty(len(key), np.int64)
    for k in range(len(key)):
        slot = slot_of(slots, key[k])
        slots[slot] = key[k]
        turn[k] = count[slot]
        count[slot] += times[k]
    return turn


@kernel
def last_sent(  # noqa: PLR0913
    send: Ints,
    done: Ints,
    sender: Indices,
    receiver: Indices,
    ranks: int,
    sent: Ints,
    received: Ints,
    who: Ints,
    whom: Ints,
) -> Indices:
    """Find the last message between two ranks before a call of each, -1 for none.

    Messages are in order of the calls that send them. Calls of the ranks `who` that
    send are in `sent`, ascending; those of `whom`, which receive, in `received`.
    """
    found = np.full(len(sent), -1, np.int32)
    before = np.full(len(send), -1, np.int32)  # message of the same pair
    last, of = np.full(ranks, -1, np.int32), np.full(ranks, -1, np.int32)
    m = 0
    for k in range(len(sent)):
        while m < len(send) and 0 <= send[m] < sent[k]:
            to = receiver[m]
            if of[to] == sender[m]:
                before[m] = last[to]
            of[to], last[to] = sender[m], m
            m += 1
        if of[whom[k]] != who[k]:
            continue
        one = last[whom[k]]
        while one >= 0 and (done[one] < 0 or done[one] >= received[k]):
            one = before[one]
        found[k] = one
    return found


@kernel
def last_before(  # noqa: PLR0913
    first: Ints,
    second: Ints,
    mine: Ints,
    its: Ints,
    count: Ints,
    waits: Ints,
    causes: Ints,
    own: Ints,
    other: Ints,
) -> None:
    """Take the last meeting before both calls, where it is later than what is known.

    The n-th meeting of wait ``i`` is ``first[mine[i] + n]`` on its own side, and
    ``second[its[i] + n]`` on the other.
    """
    for i in range(len(waits)):
        least = count[i]
        for side in range(2):
            low, high = np.int64(0), least
            while low < high:
                middle = (low + high) >> 1
                if side == 0:
                    before = first[mine[i] + middle] < waits[i]
                else:
                    before = second[its[i] + middle] < causes[i]
                if before:
                    low = middle + 1
                else:
                    high = middle
            least = low
        n = least - 1
        while n >= 0 and (
            first[mine[i] + n] >= waits[i] or second[its[i] + n] >= causes[i]
        ):
            n -= 1  # receives that overtook others
        if n >= 0 and first[mine[i] + n] > own[i]:
            own[i] = first[mine[i] + n]
            other[i] = second[its[i] + n]


@kernel
def note_latest(  # noqa: PLR0913
    call: Ints,
    other: Ints,
    until: Ints,
    who: Indices,
    where: Indices,
    what: Bytes,
    needed: Ints,
    whom: Indices,
    cause: Ints,
    kind: Bytes,
    communicator: Indices,
) -> None:
    for i in range(len(call)):
        if until[i] > needed[call[i]]:
            needed[call[i]] = until[i]
            whom[call[i]] = who[i]
            cause[call[i]] = other[i]
            kind[call[i]] = what[i]
            communicator[call[i]] = where[i]


@kernel
def note_sends(  # noqa: PLR0913
    send: Ints,
    sent: Ints,
    done: Ints,
    sender: Indices,
    receiver: Indices,
    cause: Ints,
    earliest: Ints,
    overtaken: Bools,
    last: Ints,
    of: Ints,
) -> None:
    """Note when the first message that a call receives was sent, and who overtook it.

    Messages are in order of the calls that send; `last` is the last call of each rank
    that received one of the sender `of`.
    """
    for m in range(len(send)):
        call, to = done[m], receiver[m]
        earliest[call] = min(earliest[call], sent[m])
        if of[to] != sender[m]:
            of[to], last[to] = sender[m], -1
        if cause[call] == send[m] and last[to] > call:
            overtaken[call] = True
        last[to] = max(last[to], call)


@kernel
def waiting_messages(
    offsets: Ints, late: Ints, until: Ints, earliest: Ints, overtaken: Bools
) -> Bytes:
    """Tell of calls that wait for a sender whether messages lie there that come later.

    0: none; 1: of other ranks; 2: of that sender.
    """
    never = np.iinfo(np.int64).max
    found = np.zeros(len(late), np.uint8)
    k = len(late) - 1
    for rank in range(len(offsets) - 2, -1, -1):
        least = never
        for call in range(offsets[rank + 1] - 1, offsets[rank] - 1, -1):
            if k >= 0 and late[k] == call:
                if least < until[call]:
                    found[k] = 2 if overtaken[call] else 1
                k -= 1
            least = min(least, earliest[call])
    return found
