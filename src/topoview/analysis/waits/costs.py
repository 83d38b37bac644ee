"""What waits cost: whose delay each is due to, directly or through other ranks' waits.

A rank waits since the one that it waits for had more to do on its own since the two
last met, or had waited longer itself. The cost of a wait is split between the two, in
proportion; what falls on own time goes to the stretches of it that took too long, what
falls on waits is passed on to them and split again: the delay analysis of Böhme,
Geimer, Wolf and Arnold 2010 (Identifying the root causes of wait states in large-scale
parallel applications, sections 3 and 4). No tick is lost or counted twice.

Waits are gone through against the order of cause and effect, which no clock tells: a
wait comes before all that the awaited rank had done. Sums over intervals are
differences of running sums, so all is linear in the calls.

Own time is cut into pieces: piece ``2 c`` is the computation before call ``c``, piece
``2 c + 1`` the call less what it waited.
"""

from dataclasses import dataclass

import numpy as np

from topoview.analysis.waits.intervals import last_meetings
from topoview.analysis.waits.states import lateness
from topoview.grouping import counting_sort, factorize
from topoview.kernels import kernel
from topoview.model import (
    Floats,
    Indices,
    Ints,
    LogicalTrace,
    MPIState,
    Trace,
    WaitStates,
    readonly,
)
from topoview.progress import Report, silent

LOOKING_FOR_DELAYS = "looking for delays"


@dataclass(frozen=True, slots=True, eq=False)
class OwnTime:
    """Time that ranks did not wait, in pieces.

    Attributes
    ----------
    begin, ticks : int64, shape (2 calls,)
        When each piece began, and how long it was.
    excess : int64, shape (2 calls,)
        How much longer than the median of its place, 0 where it was no longer.
    """

    begin: Ints
    ticks: Ints
    excess: Ints


@dataclass(frozen=True, slots=True, eq=False)
class WaitCosts:
    """What waits cost, and what they are due to.

    Attributes
    ----------
    rank : int32, shape (calls,)
        Rank of each call.
    late : int64, shape (calls,)
        Ticks that each call waited.
    own
        What ranks did besides.
    order : int64, shape (waits,)
        Calls that waited, causes first.
    caused : float64, shape (2 calls,)
        Ticks of waiting that are due to each piece: all, but of waits that are due
        to nothing that was recorded.
    origin : int64, shape (calls,)
        The piece that is the main cause of each call's wait; -1 without.
    """

    rank: Indices
    late: Ints
    own: OwnTime
    order: Ints
    caused: Floats
    origin: Ints


def wait_costs(
    trace: Trace, waits: WaitStates, logical: LogicalTrace, report: Report = silent
) -> WaitCosts:
    """Split the cost of all waits of the ranks' main threads among their causes."""
    offsets = trace.calls.offsets[: trace.ranks + 1]
    calls = int(offsets[-1])
    rank = np.repeat(np.arange(trace.ranks, dtype=np.int32), np.diff(offsets))
    late = np.maximum(lateness(trace, waits)[:calls], 0)
    cause = waits.cause[:calls]
    own = own_time(trace, late, logical.statement_of_call[:calls])
    report(LOOKING_FOR_DELAYS, 0.3)
    followed = (late > 0) & (cause >= 0) & (cause < calls)
    order = causal_order(
        readonly(offsets),
        readonly(rank, np.int32),
        readonly(np.where(followed, cause, -1)),
        readonly(trace.calls.enter[:calls]),
    )
    report(LOOKING_FOR_DELAYS, 0.4)
    met = last_meetings(trace, order, cause[order], rank)
    report(LOOKING_FOR_DELAYS, 0.6)
    caused, origin = _blame(
        *(readonly(part) for part in (offsets, rank, late, order, cause[order])),
        *(readonly(part) for part in (met.own, met.other)),
        *(readonly(_running(part)) for part in (own.ticks, own.excess, late)),
        readonly(_largest_tree(own.ticks)),
        readonly(_largest_tree(own.excess)),
        readonly(_largest_tree(late)),
    )
    return WaitCosts(rank, late, own, order, caused, origin)


def own_time(trace: Trace, late: Ints, statement: Indices) -> OwnTime:
    """Cut what ranks do on their own into pieces, and compare those of a place.

    A place of the program is a statement, or a pair of statements that follow each
    other, with what is computed in between.

    Parameters
    ----------
    late : int64, shape (calls,)
        Ticks that each call waited.
    statement : int32, shape (calls,)
        Statement of each call; -1 of calls that the logical trace leaves out.
    """
    calls, offsets = trace.calls, trace.calls.offsets[: trace.ranks + 1]
    n = len(late)
    enter, leave = calls.enter[:n], calls.leave[:n]
    begin, ticks = np.empty(2 * n, np.int64), np.empty(2 * n, np.int64)
    first = offsets[:-1][np.diff(offsets) > 0]
    begin[2::2] = leave[:-1]
    begin[2 * first] = _beginnings(trace)[np.diff(offsets) > 0]
    begin[1::2] = enter + late
    np.maximum(enter - begin[::2], 0, out=ticks[::2])
    np.maximum(leave - begin[1::2], 0, out=ticks[1::2])
    # what is left out is told apart by its region
    number = np.where(statement >= 0, statement, -2 - calls.region[:n]).astype(np.int64)
    number -= number.min(initial=0)
    most = int(number.max(initial=0)) + 1
    before = np.empty(n, np.int64)
    before[1:] = number[:-1]
    before[first] = most
    place = np.empty(2 * n, np.int64)
    place[::2] = factorize(before * most + number)[1]
    place[1::2] = number + place[::2].max(initial=0) + 1
    excess = np.maximum(ticks - _medians(place, ticks)[place], 0)
    return OwnTime(begin, ticks, excess)


def _beginnings(trace: Trace) -> Ints:
    """When each rank begins, in ticks."""
    line = trace.timeline
    first = line.offsets[: trace.ranks]
    outside = line.state[first] == MPIState.OUTSIDE
    several = line.offsets[1 : trace.ranks + 1] - first > 1
    begin: Ints = line.time[first + (outside & several)]
    return begin


def _medians(place: Ints, ticks: Ints) -> Ints:
    """Find the lower median of each place, in ticks."""
    places = int(place.max(initial=-1)) + 1
    order, begins = counting_sort(place, places)
    sorted_ticks = ticks[order]
    found = np.zeros(places, np.int64)
    for one in np.flatnonzero(np.diff(begins)).tolist():
        own = sorted_ticks[begins[one] : begins[one + 1]]
        middle = (len(own) - 1) // 2
        found[one] = np.partition(own, middle)[middle]
    return found


def _running(values: Ints) -> Ints:
    return np.concatenate(([0], np.cumsum(values)))


def _largest_tree(values: Ints) -> Ints:
    """Where the largest of two, four, ... neighbours is, for `_largest`."""
    n = len(values)
    tree = np.empty(2 * n, np.int64)
    tree[n:] = np.arange(n)
    _grow(tree, readonly(values))
    return tree


@kernel
def _grow(tree: Ints, values: Ints) -> None:
    for i in range(len(values) - 1, 0, -1):
        one, other = tree[2 * i], tree[2 * i + 1]
        tree[i] = one if values[one] >= values[other] else other


@kernel
def _largest(tree: Ints, sums: Ints, begin: int, end: int) -> np.int64:
    """Find the largest from `begin` to before `end`; `sums` are running sums."""
    n = len(tree) // 2
    low, high, best, most = begin + n, end + n, np.int64(-1), np.int64(-1)
    while low < high:
        for _ in range(2):
            one = np.int64(-1)
            if low & 1:
                one = tree[low]
                low += 1
            elif high & 1:
                high -= 1
                one = tree[high]
            if one >= 0 and sums[one + 1] - sums[one] > most:
                best, most = one, sums[one + 1] - sums[one]
        low >>= 1
        high >>= 1
    return best


@kernel
def causal_order(  # noqa: C901
    offsets: Ints, rank: Indices, cause: Ints, enter: Ints
) -> Ints:
    """List calls that wait so that what a wait may be due to comes before it.

    A rank goes on from call to call; at one that waits it stands still until the
    other has come to the call that it waits for. Where all stand still, as after
    records that do not fit together, the wait that began first is left out.

    Parameters
    ----------
    offsets : int64, shape (ranks + 1,)
    rank : int32, shape (calls,)
    cause : int64, shape (calls,)
        The call that each waits for, -1 if it does not wait.
    enter : int64, shape (calls,)
    """
    ranks = len(offsets) - 1
    order = np.empty(len(cause), np.int64)
    found = 0
    place = offsets[:-1].copy()
    come = np.zeros(ranks, np.bool_)  # to its place, and told those that wait for it
    first = np.full(len(cause), -1, np.int32)  # of the ranks that wait for a call
    following = np.full(ranks, -1, np.int32)
    ready = np.arange(ranks)
    many = ranks
    while True:
        while many:
            many -= 1
            one = ready[many]
            while place[one] < offsets[one + 1]:
                call = place[one]
                if not come[one]:
                    come[one] = True
                    waiting = first[call]
                    while waiting >= 0:
                        ready[many] = waiting
                        many += 1
                        waiting = following[waiting]
                    first[call] = -1
                other = cause[call]
                if other >= 0:
                    whose = rank[other]
                    if place[whose] < other or (
                        place[whose] == other and not come[whose]
                    ):
                        following[one] = first[other]
                        first[other] = one
                        break
                    order[found] = call
                    found += 1
                place[one] += 1
                come[one] = False
        stuck = -1
        for one in range(ranks):
            if place[one] < offsets[one + 1] and (
                stuck < 0 or enter[place[one]] < enter[place[stuck]]
            ):
                stuck = one
        if stuck < 0:
            return order[:found]
        _leave_queue(first, following, cause[place[stuck]], stuck)
        place[stuck] += 1
        come[stuck] = False
        ready[0] = stuck
        many = 1


@kernel
def _leave_queue(first: Indices, following: Indices, call: int, rank: int) -> None:
    """Take a rank out of those that wait for a call."""
    if first[call] == rank:
        first[call] = following[rank]
        return
    one = first[call]
    while following[one] != rank:
        one = following[one]
    following[one] = following[rank]


@kernel
def _blame(  # noqa: C901, PLR0913
    offsets: Ints,
    rank: Ints,
    late: Ints,
    order: Ints,
    causes: Ints,
    met: Ints,
    met_other: Ints,
    own: Ints,
    excess: Ints,
    waited: Ints,
    own_tree: Ints,
    excess_tree: Ints,
    waited_tree: Ints,
) -> tuple[Floats, Ints]:
    """Split costs, last wait first; then follow main causes, first wait first.

    `own`, `excess` (pieces) and `waited` (calls) are running sums.
    """
    calls = len(late)
    by_own, by_excess = np.zeros(2 * calls), np.zeros(2 * calls)
    passing = np.zeros(calls)
    below, density = offsets[1:] - 1, np.zeros(len(offsets) - 1)
    main = np.full(calls, -1, np.int64)  # a piece, or -2 - c for the wait of a call
    for k in range(len(order) - 1, -1, -1):
        call, cause = order[k], causes[k]
        mine, its = rank[call], rank[cause]
        while below[mine] >= call:
            density[mine] += passing[below[mine]]
            below[mine] -= 1
        cost = late[call] * (1.0 + density[mine])
        since = max(met[k] + 1, offsets[mine])
        begin = max(met_other[k] + 1, offsets[its])
        its_own = own[2 * cause + 1] - own[2 * begin]
        its_waits = waited[cause] - waited[begin]
        more = its_own - (own[2 * call + 1] - own[2 * since])
        longer = its_waits - (waited[call] - waited[since])
        if more <= 0 and longer <= 0:
            more, longer = its_own, np.int64(0)
        more, longer = max(more, np.int64(0)), max(longer, np.int64(0))
        if more + longer <= 0:
            continue
        each = cost / (more + longer)
        if longer > 0:
            share = each * longer / its_waits
            passing[cause - 1] += share
            if begin > offsets[its]:
                passing[begin - 1] -= share
        unusual = min(more, excess[2 * cause + 1] - excess[2 * begin])
        if more > 0:
            usual = more - unusual
            share = each * usual / its_own
            by_own[2 * cause] += share
            if begin > offsets[its]:
                by_own[2 * begin - 1] -= share
        if unusual > 0:
            share = each * unusual / (excess[2 * cause + 1] - excess[2 * begin])
            by_excess[2 * cause] += share
            if begin > offsets[its]:
                by_excess[2 * begin - 1] -= share
        if longer > more:
            main[call] = -2 - _largest(waited_tree, waited, begin, cause)
        elif 2 * unusual >= more:
            main[call] = _largest(excess_tree, excess, 2 * begin, 2 * cause + 1)
        else:
            main[call] = _largest(own_tree, own, 2 * begin, 2 * cause + 1)
    caused = np.zeros(2 * calls)
    for one in range(len(offsets) - 1):
        of_own, of_excess = 0.0, 0.0
        for piece in range(2 * offsets[one + 1] - 1, 2 * offsets[one] - 1, -1):
            of_own += by_own[piece]
            of_excess += by_excess[piece]
            caused[piece] = of_own * (own[piece + 1] - own[piece])
            caused[piece] += of_excess * (excess[piece + 1] - excess[piece])
    for k in range(len(order)):
        call = order[k]
        if main[call] < -1:
            main[call] = main[-2 - main[call]]
    return caused, main
