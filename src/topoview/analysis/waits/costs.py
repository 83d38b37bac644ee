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

from topoview.analysis.logical.statements import computed_before
from topoview.analysis.waits import costs_kernels
from topoview.analysis.waits.intervals import Meetings, last_meetings
from topoview.analysis.waits.states import bounds, lateness
from topoview.analysis.waits.windows import LOCK_CONTENTION
from topoview.base.progress import Report, batches, silent
from topoview.grouping import factorize, sorted_by_group
from topoview.model import (
    MIN_SAMPLES,
    NOISE_RATIO,
    Floats,
    Indices,
    Ints,
    LogicalTrace,
    Trace,
    WaitStates,
    middle_and_tail,
    places_among,
)

LOOKING_FOR_DELAYS = "looking for delays"


@dataclass(frozen=True, slots=True, eq=False)
class OwnTime:
    """Time that ranks did not wait, in pieces; all are running sums over the pieces."""

    ticks: Ints
    """int64, shape (2 calls + 1,): how long the pieces before each are."""
    excess: Ints
    """int64, shape (2 calls + 1,): how much longer than the median of their places;
    nothing of those that are not."""
    kind: Ints | Indices
    """Integers, shape (calls,): kind of each call, by its statement."""
    first: Ints
    """int64, shape (n,): the first call of each rank that makes any, ascending."""
    kinds: int
    noise: tuple["PlaceNoise", "PlaceNoise"]
    """Of computations between two kinds of calls, and of calls of a kind."""

    def noise_of(self, pieces: Ints) -> Floats:
        """Return up to which excess pieces are like others of their place, in ticks.

        Parameters
        ----------
        pieces : int64, shape (n,)

        Returns
        -------
        float64, shape (n,)
            Infinite where there are too few others.
        """
        call, inside = pieces >> 1, pieces & 1 == 1
        kind = self.kind[call].astype(np.int64)
        behind = np.where(
            places_among(self.first, call) >= 0, self.kinds, self.kind[call - 1]
        )
        computing = self.noise[0].of(behind.astype(np.int64) * self.kinds + kind)
        return np.where(inside, self.noise[1].of(kind), computing)


@dataclass(frozen=True, slots=True, eq=False)
class PlaceNoise:
    """How much longer than usual noise alone makes what is done at each place."""

    places: Ints
    """int64, shape (n,): codes of places, ascending."""
    ticks: Floats
    """float64, shape (n,): infinite where it was done too seldom to tell."""

    def of(self, codes: Ints) -> Floats:
        """Return the costs of some places."""
        at = np.searchsorted(self.places, codes).clip(0, len(self.places) - 1)
        result: Floats = self.ticks[at]
        return result


def each_of(sums: Ints, places: Ints) -> Ints:
    """Return single numbers from their running sums."""
    return sums[places + 1] - sums[places]


@dataclass(frozen=True, slots=True, eq=False)
class WaitCosts:
    """What waits cost, and what they are due to."""

    rank: Indices
    """int32, shape (calls,): rank of each call."""
    waited: Ints
    """int64, shape (calls + 1,): ticks that the calls before each waited."""
    own: OwnTime
    """What ranks did besides."""
    order: Ints
    """int64, shape (waits,): calls that waited, causes first."""
    caused: Floats
    """float64, shape (2 calls,): ticks of waiting that are due to each piece: all, but
    of waits that are due to nothing that was recorded."""
    delayed: Floats
    """float64, shape (2 calls,): what of it is due to the piece's excess."""
    between: tuple[tuple[Floats, Floats], ...]
    """The two, if all clocks are as far off as they may be, so that waits are as short,
    and as long, as they may be; of the waits that are seen. Empty where that is not
    known."""
    origins: Ints
    """int64, shape (waits, 2): the two pieces that each wait in that order is most due
    to, the main one first; -1 without."""
    due: Floats
    """float64, shape (waits, 2): ticks of the wait that are due to them."""

    @property
    def late(self) -> Ints:
        """Ticks that each call waited: int64, shape (calls,)."""
        return np.diff(self.waited)


def wait_costs(
    trace: Trace, waits: WaitStates, logical: LogicalTrace, report: Report = silent
) -> WaitCosts:
    """Split the cost of all waits of the ranks' main threads among their causes."""
    offsets = trace.calls.offsets[: trace.ranks + 1]
    calls = int(offsets[-1])
    rank = np.repeat(np.arange(trace.ranks, dtype=np.int32), np.diff(offsets))
    waited = np.zeros(calls + 1, np.int64)
    for some in batches(calls):
        waited[1:][some] = np.maximum(lateness(trace, waits, some), 0)
    _add_up(waited)
    own = own_time(trace, waited, logical.statement_of_call[:calls])
    report(LOOKING_FOR_DELAYS, 0.3)
    sums = own.ticks, own.excess, waited
    cause = waits.cause[:calls]
    held = whole_calls_needed(waits, offsets)
    order = costs_kernels.causal_order(
        offsets,
        rank,
        cause + held,
        waited,
        trace.calls.enter[:calls],
    )
    report(LOOKING_FOR_DELAYS, 0.4)
    causes = cause[order]
    met = last_meetings(trace, order, causes, rank)
    report(LOOKING_FOR_DELAYS, 0.6)
    # what the awaited rank did before: up to its call, or that call as well
    ends = 2 * causes + 1 + held[order]
    causes = causes + held[order]
    split = _split(order, causes, ends, met, offsets, rank, sums)

    def due_to_pieces(costs: Ints) -> tuple[Floats, Floats]:
        """Compute what is due to each piece, and to its excess; waits cost so much."""
        caused, delayed = np.zeros((2, 2 * calls))
        chain = offsets, rank, order, causes, ends
        costs_kernels.pass_on(costs, *chain, *split, *sums, caused, delayed)
        return caused, delayed

    late = each_of(waited, order)
    caused, delayed = due_to_pieces(late)
    between: tuple[tuple[Floats, Floats], ...] = ()
    if trace.clock.alignment is not None:
        between = tuple(map(due_to_pieces, bounds(trace, waits, order, rank[order])))
    trees = (costs_kernels.largest_tree(part) for part in sums)
    origins, due = costs_kernels.main_origins(
        order, causes, ends, *split, *sums, *trees
    )
    return WaitCosts(
        rank=rank,
        waited=waited,
        own=own,
        order=order,
        caused=caused,
        delayed=delayed,
        between=between,
        origins=origins,
        due=due,
    )


def whole_calls_needed(waits: WaitStates, offsets: Ints) -> Ints:
    """Return which waits are caused by a whole call: a lock is held until it ends.

    Returns
    -------
    int64, shape (calls,)
        1 for those, unless that call is its rank's last.
    """
    calls = int(offsets[-1])
    result = np.zeros(calls, np.int64)
    locked = np.flatnonzero(waits.kind[:calls] == LOCK_CONTENTION)
    after = waits.cause[locked] + 1
    result[locked] = places_among(offsets, after) < 0
    return result


def own_time(trace: Trace, waited: Ints, statement: Indices) -> OwnTime:
    """Cut what ranks do on their own into pieces, and compare those of a place.

    A place of the program is a statement, or a pair of statements that follow each
    other, with what is computed in between.

    Parameters
    ----------
    waited : int64, shape (calls + 1,)
        Ticks that the calls before each waited.
    statement : int32, shape (calls,)
        Statement of each call; -1 of calls that the logical trace leaves out.
    """
    calls, n = trace.calls, len(statement)
    first = calls.offsets[: trace.ranks][np.diff(calls.offsets[: trace.ranks + 1]) > 0]
    statements = int(statement.max(initial=-1)) + 1
    kinds = statements + len(trace.regions.names)
    ticks, excess = np.zeros(2 * n + 1, np.int64), np.zeros(2 * n + 1, np.int64)
    computing, inside = ticks[1::2], ticks[2::2]
    codes = kinds * (kinds + 1)  # of a kind of call behind another one, or none
    number: Ints | Indices = np.empty(n, np.int32)
    if codes > np.iinfo(np.int32).max:
        number = number.astype(np.int64)
    for some in batches(n):
        computing[some] = computed_before(trace, some)
        spent = calls.leave[some] - calls.enter[some]
        late = np.diff(waited[some.start : some.stop + 1])
        np.maximum(spent - late, 0, out=inside[some])
        # what is left out is told apart by its region
        left_out = statements + calls.region[some]
        number[some] = np.where(statement[some] >= 0, statement[some], left_out)
    # what a rank does once may always take it as long
    least = max(MIN_SAMPLES, 2 * len(first))
    in_calls = _note_excess(number, kinds, inside, excess[2::2], least)
    behind = np.roll(number, 1)
    behind[first] = kinds
    behind = behind * kinds + number
    before = _note_excess(behind, codes, computing, excess[1::2], least)
    _add_up(ticks)
    _add_up(excess)
    return OwnTime(
        ticks=ticks,
        excess=excess,
        kind=number,
        first=first,
        kinds=kinds,
        noise=(before, in_calls),
    )


def _note_excess(
    place: Ints | Indices, places: int, ticks: Ints, excess: Ints, least: int
) -> PlaceNoise:
    """Compare what has taken some ticks with the lower median of its place.

    Noise is told of places at which something was done `least` times.
    """
    codes: Ints = np.arange(places if places <= len(ticks) else 0)
    if places > len(ticks):
        occurring, place = factorize(place)
        codes, places = occurring.astype(np.int64), len(occurring)
    sorted_ticks, begins = sorted_by_group(ticks, place, places)
    median, noise = np.zeros(places, np.int64), np.full(places, np.inf)
    for group in np.flatnonzero(np.diff(begins)).tolist():
        samples = sorted_ticks[begins[group] : begins[group + 1]]
        middle, tail = middle_and_tail(len(samples))
        samples.partition((middle, max(tail, middle)))
        median[group] = samples[middle]
        if len(samples) >= least:
            noise[group] = NOISE_RATIO * (samples[tail] - samples[middle])
    for some in batches(len(ticks)):
        np.maximum(ticks[some] - median[place[some]], 0, out=excess[some])
    return PlaceNoise(codes, noise)


def _add_up(values: Ints) -> None:
    """Turn values into their running sums, in place."""
    for some in batches(len(values)):
        if some.start:
            values[some.start] += values[some.start - 1]
        np.cumsum(values[some], out=values[some])


class Split(NamedTuple):
    """How the cost of each wait is split, by what the awaited rank did."""

    begin: Ints
    """int64, shape (waits,): the awaited rank's first call since the two last met."""
    own: Floats
    unusual: Floats
    passed: Floats
    """`own`, `unusual` and `passed`: float64, shape (waits,): share of the cost that
    falls on each tick of its own time since then, on each tick of excess, and on each
    tick that it waited."""


def _split(  # noqa: PLR0913
    order: Ints,
    cause: Ints,  # of each of these waits: what it did comes before this call
    ends: Ints,  # and before this piece
    met: Meetings,
    offsets: Ints,
    rank: Indices,
    sums: tuple[Ints, ...],
) -> Split:
    """Compare what the two ranks of each wait did since they last met."""
    ticks, excess, waited = sums
    since = np.maximum(met.own + 1, offsets[rank[order]])
    begin = np.maximum(met.other + 1, offsets[rank[cause]])
    its_own = ticks[ends] - ticks[2 * begin]
    its_excess = excess[ends] - excess[2 * begin]
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
