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
from typing import NamedTuple

import numpy as np

from topoview.analysis.waits.intervals import Meetings, last_meetings
from topoview.analysis.waits.states import lateness, lifetimes
from topoview.grouping import counting_sort, factorize
from topoview.kernels import kernel
from topoview.model import (
    Floats,
    Indices,
    Ints,
    LogicalTrace,
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
    delayed : float64, shape (2 calls,)
        What of it is due to the piece's excess.
    origins : int64, shape (waits, 2)
        The two pieces that each wait in that order is most due to, the main one
        first; -1 without.
    due : float64, shape (waits, 2)
        Ticks of the wait that are due to them.
    """

    rank: Indices
    late: Ints
    own: OwnTime
    order: Ints
    caused: Floats
    delayed: Floats
    origins: Ints
    due: Floats


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
    sums = tuple(readonly(_running(part)) for part in (own.ticks, own.excess, late))
    split = _split(order, cause[order], met, offsets, rank, sums)
    cost = _pass_on(
        *(readonly(part) for part in (offsets, rank, late, order, cause[order])),
        readonly(split.begin),
        readonly(split.passed, np.float64),
    )
    usual, delayed = (
        _sums_of_pieces(
            readonly(split.begin),
            readonly(cause[order]),
            readonly(cost * share, np.float64),
            readonly(ticks),
        )
        for share, ticks in ((split.own, own.ticks), (split.unusual, own.excess))
    )
    origins, due = _main_origins(
        *(readonly(part) for part in (late, order, cause[order], split.begin)),
        readonly(split.own, np.float64),
        readonly(split.unusual, np.float64),
        readonly(split.passed, np.float64),
        *sums,
        readonly(_largest_tree(own.ticks)),
        readonly(_largest_tree(own.excess)),
        readonly(_largest_tree(late)),
    )
    return WaitCosts(rank, late, own, order, usual + delayed, delayed, origins, due)


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
    begin[2 * first] = lifetimes(trace)[0][np.diff(offsets) > 0]
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
    found = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=found[1:])
    return found


_BLOCK = 16
"""Entries of which the largest is found by looking at each."""


def _largest_tree(values: Ints) -> Ints:
    """Where the largest of one, two, four, ... blocks is, for `_largest`."""
    blocks = -(-len(values) // _BLOCK)
    padded = np.full(blocks * _BLOCK, -1, np.int64)
    padded[: len(values)] = values
    tree = np.zeros(2 * blocks, np.int64)
    tree[blocks:] = padded.reshape(-1, _BLOCK).argmax(axis=1)
    tree[blocks:] += np.arange(blocks) * _BLOCK
    _grow(tree, readonly(values))
    return tree


@kernel
def _grow(tree: Ints, values: Ints) -> None:
    for i in range(len(tree) // 2 - 1, 0, -1):
        one, other = tree[2 * i], tree[2 * i + 1]
        tree[i] = one if values[one] >= values[other] else other


@kernel
def _largest(tree: Ints, sums: Ints, begin: int, end: int) -> int:
    """Find the largest from `begin` to before `end`; `sums` are running sums."""
    best, most = -1, np.int64(-1)
    inner = min(-(-begin // _BLOCK) * _BLOCK, end)
    outer = max(end // _BLOCK * _BLOCK, inner)
    for one in range(begin, inner):
        if sums[one + 1] - sums[one] > most:
            best, most = one, sums[one + 1] - sums[one]
    for one in range(outer, end):
        if sums[one + 1] - sums[one] > most:
            best, most = one, sums[one + 1] - sums[one]
    blocks = len(tree) // 2
    low, high = inner // _BLOCK + blocks, outer // _BLOCK + blocks
    while low < high:
        for side in range(2):
            one = -1
            if side == 0 and low & 1:
                one = tree[low]
                low += 1
            elif side == 1 and high & 1:
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


class Split(NamedTuple):
    """How the cost of each wait is split, by what the awaited rank did.

    Attributes
    ----------
    begin : int64, shape (waits,)
        The awaited rank's first call since the two last met.
    own, unusual, passed : float64, shape (waits,)
        Share of the cost that falls on each tick of its own time since then, on each
        tick of excess, and on each tick that it waited.
    """

    begin: Ints
    own: Floats
    unusual: Floats
    passed: Floats


def _split(  # noqa: PLR0913
    order: Ints,
    cause: Ints,
    met: Meetings,
    offsets: Ints,
    rank: Indices,
    sums: tuple[Ints, ...],
) -> Split:
    """Compare what the two ranks of each wait did since they last met."""
    ticks, excess, waited = sums
    since = np.maximum(met.own + 1, offsets[rank[order]])
    begin = np.maximum(met.other + 1, offsets[rank[cause]])
    its_own = ticks[2 * cause + 1] - ticks[2 * begin]
    its_excess = excess[2 * cause + 1] - excess[2 * begin]
    its_waits = waited[cause] - waited[begin]
    more = its_own - (ticks[2 * order + 1] - ticks[2 * since])
    longer = np.maximum(its_waits - (waited[order] - waited[since]), 0)
    more = np.where((more <= 0) & (longer == 0), its_own, np.maximum(more, 0))
    unusual = np.minimum(more, its_excess)

    def each(part: Ints, of: Ints) -> Floats:
        whole = (more + longer).astype(np.float64) * of
        return np.where(part > 0, part / np.where(part > 0, whole, 1), 0.0)

    return Split(
        begin,
        each(more - unusual, its_own),
        each(unusual, its_excess),
        each(longer, its_waits),
    )


@kernel
def _pass_on(  # noqa: PLR0913
    offsets: Ints,
    rank: Ints,
    late: Ints,
    order: Ints,
    causes: Ints,
    begin: Ints,
    passed: Floats,
) -> Floats:
    """Find what each wait costs: itself, and what it makes of other waits."""
    cost = np.empty(len(order))
    passing = np.zeros(len(late) + 1)  # of call c: entry c + 1
    below, density = offsets[1:] - 1, np.zeros(len(offsets) - 1)
    for k in range(len(order) - 1, -1, -1):
        call = order[k]
        mine = rank[call]
        while below[mine] >= call:
            density[mine] += passing[below[mine] + 1]
            below[mine] -= 1
        cost[k] = late[call] * (1.0 + density[mine])
        if passed[k] > 0:
            passing[causes[k]] += cost[k] * passed[k]
            if begin[k] > offsets[rank[causes[k]]]:
                passing[begin[k]] -= cost[k] * passed[k]
    return cost


@kernel
def _sums_of_pieces(begin: Ints, cause: Ints, cost: Floats, ticks: Ints) -> Floats:
    """Add up what falls on each piece of own time; `cost` is that on each tick."""
    found = np.zeros(len(ticks))
    for k in range(len(cost)):
        found[2 * cause[k]] += cost[k]
        if begin[k] > 0:
            found[2 * begin[k] - 1] -= cost[k]
    density = 0.0
    for piece in range(len(ticks) - 1, -1, -1):
        density += found[piece]
        found[piece] = density * ticks[piece]
    return found


@kernel
def _main_origins(  # noqa: PLR0913
    late: Ints,
    order: Ints,
    causes: Ints,
    begin: Ints,
    of_own: Floats,
    of_unusual: Floats,
    passed: Floats,
    own: Ints,
    excess: Ints,
    waited: Ints,
    own_tree: Ints,
    excess_tree: Ints,
    waited_tree: Ints,
) -> tuple[Ints, Floats]:
    """Find the two pieces that each wait is most due to, causes first.

    Of the awaited rank's pieces the two largest are looked at, and of its waits the
    longest, with what that one is most due to. `own`, `excess` and `waited` are
    running sums.
    """
    place = np.full(len(late), -1, np.int64)
    origins = np.full((len(order), 2), -1, np.int64)
    ticks = np.zeros((len(order), 2))
    for k in range(len(order)):
        place[order[k]] = k
        here, there = 2 * begin[k], 2 * causes[k] + 1
        for usual in range(2):
            share = late[order[k]] * (of_own[k] if usual else of_unusual[k])
            if share <= 0:
                continue
            tree = own_tree if usual else excess_tree
            sums = own if usual else excess
            first = _largest(tree, sums, here, there)
            _note_origin(
                origins, ticks, k, first, share * (sums[first + 1] - sums[first])
            )
            for low, high in ((here, first), (first + 1, there)):
                next_ = _largest(tree, sums, low, high)
                if next_ >= 0:
                    _note_origin(
                        origins,
                        ticks,
                        k,
                        next_,
                        share * (sums[next_ + 1] - sums[next_]),
                    )
        if passed[k] > 0:
            wait = _largest(waited_tree, waited, begin[k], causes[k])
            of = place[wait]
            if of >= 0:
                for i in range(2):
                    if origins[of, i] >= 0:
                        share = passed[k] * (waited[causes[k]] - waited[begin[k]])
                        share *= late[order[k]] / late[wait]
                        _note_origin(
                            origins, ticks, k, origins[of, i], share * ticks[of, i]
                        )
    return origins, ticks


@kernel
def _note_origin(
    origins: Ints, ticks: Floats, k: int, piece: int, share: float
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
        for_first, its = origins[k, 0], ticks[k, 0]
        origins[k, 0], ticks[k, 0] = origins[k, 1], ticks[k, 1]
        origins[k, 1], ticks[k, 1] = for_first, its
