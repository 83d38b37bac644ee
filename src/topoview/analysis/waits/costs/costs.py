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

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from topoview.analysis.logical.statements import computed_before
from topoview.analysis.waits.costs import kernels as costs_kernels
from topoview.analysis.waits.costs.intervals import Meetings, last_meetings
from topoview.analysis.waits.operations.unrecorded import SETUP
from topoview.analysis.waits.operations.windows import LOCK_CONTENTION
from topoview.analysis.waits.states import lateness
from topoview.base.ordering import place_by_group
from topoview.base.progress import Report, batches, silent
from topoview.base.scratch import add_up, scratch, unset
from topoview.model import (
    MIN_SAMPLES,
    NOISE_RATIO,
    Bools,
    Floats,
    Indices,
    Ints,
    LogicalTrace,
    Trace,
    WaitStates,
    distinct,
    middle_and_tail,
    places_among,
    whole_part,
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
    places: "Places"
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
        computing = self.noise[0].of(self.places.before(call))
        return np.where(inside, self.noise[1].of(self.places.inside(call)), computing)


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Places of the program: kinds of calls, and pairs that follow each other."""

    statement: Indices
    """int32, shape (calls,): statement of each call; -1 of those left out."""
    region: Indices
    """int32, shape (calls,): those that are left out are told apart by theirs."""
    first: Ints
    """int64, shape (n,): the first call of each rank that makes any, ascending."""
    statements: int
    kinds: int

    def inside(self, calls: Ints | slice) -> Ints:
        """Return the kinds of some calls: int64."""
        statement = self.statement[calls].astype(np.int64)
        return np.where(statement >= 0, statement, self.statements + self.region[calls])

    def before(self, calls: Ints | slice) -> Ints:
        """Return kinds of calls behind others, or behind none: int64."""
        kind = self.inside(calls)
        if isinstance(calls, slice):
            low, high = np.searchsorted(self.first, (calls.start, calls.stop))
            is_first = self.first[low:high] - calls.start
            behind = np.append(self.inside(calls.start - 1 + np.arange(1)), kind[:-1])
        else:
            is_first = np.flatnonzero(places_among(self.first, calls) >= 0)
            behind = self.inside(calls - 1)
        behind[is_first] = self.kinds
        return behind * self.kinds + kind


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
    cause: Ints
    held: Bools
    """`cause` and `held`: int64 and bool, shape (calls,): the call that each waits
    for, and whether until that has been left."""
    met: Meetings
    """When the ranks of these waits last met."""
    offsets: Ints
    """int64, shape (ranks + 1,): where the calls of each rank begin."""

    @property
    def late(self) -> Ints:
        """Ticks that each call waited: int64, shape (calls,)."""
        return np.diff(self.waited)

    def due_to_pieces(self, costs: Ints | None = None) -> "DueToPieces":
        """Compute what is due to each piece.

        Parameters
        ----------
        costs : int64, shape (waits,)
            What waits cost, in their order; None: their ticks.
        """
        if costs is None:
            costs = unset(len(self.order))
            for some in batches(len(costs)):
                costs[some] = each_of(self.waited, self.order[some])
        calls = scratch(len(self.rank) + 1, np.bool_)
        pieces = scratch(2 * len(self.rank), np.bool_)
        ends = self.order, self.cause, self.held, self.met.begins
        costs_kernels.mark_ends(*ends, calls, pieces)
        before = costs_kernels.count_marks(pieces)
        shares = [scratch(int(before[-1]) + 1, np.float64) for _ in range(2)]
        marks = calls, pieces, before
        costs_kernels.pass_on(
            costs, self.offsets, self.rank, *self._chain(), *marks, *shares
        )
        return DueToPieces(self.own, pieces, before, *shares)

    def main_origins(self) -> tuple[Ints, Floats]:
        """Find what each wait is most due to.

        Returns
        -------
        int64, shape (waits, 2)
            The two pieces that each wait is most due to, the main one first, counted
            from 1; 0 without. Waits are in their order.
        float64, shape (waits, 2)
            Ticks of the wait that are due to them.
        """
        shape = len(self.order), 2
        origins, due = scratch(shape), scratch(shape, np.float64)
        costs_kernels.main_origins(
            *self._chain(),
            costs_kernels.largest_tree(self.own.ticks),
            costs_kernels.largest_tree(self.own.excess),
            costs_kernels.largest_tree(self.waited),
            origins,
            due,
        )
        return origins, due

    def _chain(self) -> tuple[Ints, Ints, Bools, Ints, Ints, Ints, Ints, Ints]:
        met, own = self.met, self.own
        waits = self.order, self.cause, self.held, met.since, met.begins
        return *waits, own.ticks, own.excess, self.waited


@dataclass(frozen=True, slots=True, eq=False)
class DueToPieces:
    """What waiting is due to each piece: so much for each of its ticks.

    That changes only at few pieces, at which what waits are due to begins or ends.
    """

    own: OwnTime
    """The pieces."""
    changes: Bools
    """bool, shape (2 calls,): the last pieces before a change."""
    before: Ints
    """From `costs_kernels.count_marks`."""
    usual: Floats
    unusual: Floats
    """`usual` and `unusual`: float64, shape (changes + 1,): what is due to each tick of
    own time, and to each of its excess, up to each change."""

    def of(self, some: slice) -> tuple[Floats, Floats]:
        """Compute what is due to neighbouring pieces.

        Returns
        -------
        float64, shape (n,)
            Ticks of waiting that are due to each piece: all, but of waits that are due
            to nothing that was recorded.
        float64, shape (n,)
            What of it is due to the piece's excess.
        """
        changes = self.changes[some]
        at = self._changes_before(some.start) + np.cumsum(changes) - changes
        ends = slice(some.start, some.stop + 1)
        delayed = self.unusual[at] * np.diff(self.own.excess[ends])
        return self.usual[at] * np.diff(self.own.ticks[ends]) + delayed, delayed

    def delayed(self, pieces: Ints) -> Floats:
        """Compute what is due to the excess of some pieces: float64, shape (n,)."""
        at = [self._changes_before(piece) for piece in pieces.tolist()]
        result: Floats = self.unusual[at] * each_of(self.own.excess, pieces)
        return result

    def _changes_before(self, piece: int) -> int:
        return costs_kernels.marks_before(self.changes, self.before, piece)


def wait_costs(
    trace: Trace,
    waits: WaitStates,
    logical: LogicalTrace,
    report: Report = silent,
    exchange: tuple[int, int] | None = None,
) -> WaitCosts:
    """Find how the cost of the waits of the ranks' main threads is split.

    Parameters
    ----------
    exchange
        When calls begin that count, in ticks, but for those that make communicators;
        None: all count.
    """
    offsets = trace.calls.offsets[: trace.ranks + 1]
    calls = int(offsets[-1])
    rank = unset(calls, np.int32)
    for of, some in whole_part(trace).rank_batches():
        sizes = np.diff(offsets[of.start : of.stop + 1])
        rank[some] = np.repeat(np.arange(of.start, of.stop, dtype=np.int32), sizes)
    waited = unset(calls + 1)
    waited[0] = 0
    for some in batches(calls):
        late = np.maximum(lateness(trace, waits, some), 0)
        if exchange is not None:
            enter, (begin, end) = trace.calls.enter[some], exchange
            late[(enter < begin) | (enter >= end) | (waits.kind[some] == SETUP)] = 0
        waited[1:][some] = late
    add_up(waited)
    own = own_time(trace, waited, logical.statement_of_call[:calls])
    report(LOOKING_FOR_DELAYS, 0.3)
    cause, held = waits.cause[:calls], whole_calls_needed(waits, offsets)
    order = costs_kernels.causal_order(offsets, rank, cause, held, waited)
    report(LOOKING_FOR_DELAYS, 0.4)
    met = last_meetings(trace, order, cause, rank)
    return WaitCosts(
        rank=rank,
        waited=waited,
        own=own,
        order=order,
        cause=cause,
        held=held,
        met=met,
        offsets=offsets,
    )


def whole_calls_needed(waits: WaitStates, offsets: Ints) -> Bools:
    """Return which waits are caused by a whole call: a lock is held until it ends.

    Returns
    -------
    bool, shape (calls,)
        True for those, unless that call is its rank's last.
    """
    result = scratch(int(offsets[-1]), np.bool_)
    for some in batches(len(result)):
        locked = np.flatnonzero(waits.kind[some] == LOCK_CONTENTION)
        after = waits.cause[some][locked] + 1
        result[some.start + locked] = places_among(offsets, after) < 0
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
    statements = 1 + max(
        (int(statement[some].max()) for some in batches(n)), default=-1
    )
    kinds = statements + len(trace.regions.names)
    places = Places(statement, calls.region[:n], first, statements, kinds)
    ticks = unset(2 * n + 1)
    ticks[0] = 0
    computing, inside = ticks[1::2], ticks[2::2]
    for some in batches(n):
        computing[some] = computed_before(trace, some)
        spent = calls.leave[some] - calls.enter[some]
        late = np.diff(waited[some.start : some.stop + 1])
        np.maximum(spent - late, 0, out=inside[some])
    # what a rank does once may always take it as long
    least = max(MIN_SAMPLES, 2 * len(first))
    codes = kinds * (kinds + 1)  # of a kind of call behind another one, or none
    in_calls = _usual_ticks(places.inside, kinds, inside, least)
    before = _usual_ticks(places.before, codes, computing, least)
    excess = unset(2 * n + 1)
    excess[0] = 0
    for usual, own in ((before, excess[1::2]), (in_calls, excess[2::2])):
        of_piece = ticks[1 if usual is before else 2 :: 2]
        for some in batches(n):
            own[some] = np.maximum(of_piece[some] - usual.of(some), 0)
    add_up(ticks)
    add_up(excess)
    return OwnTime(ticks, excess, places, (before.noise, in_calls.noise))


class _UsualTicks(NamedTuple):
    """The lower medians of what was done at the same places."""

    place: Indices
    median: Ints
    noise: PlaceNoise

    def of(self, some: slice) -> Ints:
        """Return the medians of the places of some."""
        return self.median[self.place[some]]


def _usual_ticks(
    place_of: Callable[[slice], Ints], places: int, ticks: Ints, least: int
) -> _UsualTicks:
    """Find how long what has taken some ticks takes usually at its place.

    Noise is told of places at which something was done `least` times.
    """
    n, codes, of = len(ticks), np.arange(0), place_of
    if places <= min(n, _MAX_PLACES):
        codes = np.arange(places)
    else:  # of those that occur
        each = (distinct(place_of(some)) for some in batches(n))
        codes = distinct(np.concatenate([codes, *each]))

        def of(some: slice) -> Ints:
            return np.searchsorted(codes, place_of(some))

    place, begins = unset(n, np.int32), np.zeros(len(codes) + 1, np.int64)
    for some in batches(n):
        place[some] = of(some)
        np.add.at(begins[1:], place[some], 1)
    np.cumsum(begins, out=begins)
    sorted_ticks, following = unset(n), begins[:-1].copy()
    for some in batches(n):
        own = place[some].astype(np.int64)
        place_by_group(ticks[some].copy(), own, following, sorted_ticks)
    median, noise = np.zeros(len(codes), np.int64), np.full(len(codes), np.inf)
    for group in np.flatnonzero(np.diff(begins)).tolist():
        samples = sorted_ticks[begins[group] : begins[group + 1]]
        middle, tail = middle_and_tail(len(samples))
        samples.partition((middle, max(tail, middle)))
        median[group] = samples[middle]
        if len(samples) >= least:
            noise[group] = NOISE_RATIO * (samples[tail] - samples[middle])
    return _UsualTicks(place, median, PlaceNoise(codes, noise))


_MAX_PLACES: Final = 1 << 22
"""Places of a program for which there are tables."""
