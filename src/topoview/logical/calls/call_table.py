"""The call table: one row for each MPI call of every rank, in program order.

Equal rows share a symbol, whichever rank they are of. Order that is chance leaves no
trace: receives stand where they were posted, and repeated polls are one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Final

import numpy as np

from topoview.grouping import factorize
from topoview.logical import kernels
from topoview.logical.calls.communicators import collective_roles
from topoview.logical.calls.facts import CallFacts, PartCalls, PartDirections
from topoview.logical.calls.messages import MessageEnds, completions_of
from topoview.logical.calls.operations import (
    LOCAL_OPERATIONS,
    ONE_SIDED,
    POINT_TO_POINT,
    POLLING,
    RECEIVING,
    SENDRECV,
    TESTALL,
    WAITALL,
    WAITING,
    is_one_of,
)
from topoview.logical.functions.call_paths import CallPaths, PathReader
from topoview.model import Bools, Bytes, Ints, elements, places_among


@dataclass(frozen=True, slots=True, eq=False)
class RowSymbols:
    """What a row can say but for its sizes; equal rows of all ranks share one."""

    operation: Ints
    """int64, shape (symbols,): index into `Regions.operations`."""
    family: Ints
    root: Ints
    """`family` and `root`: int64, shape (symbols,): of a collective: family of its
    communicator and the root's rank in it, -1 if there is none."""
    awaited: Ints
    """int64, shape (symbols,): of a Wait: operation that posted the request it
    completes; -1 otherwise."""
    to: Ints
    source: Ints
    """`to` and `source`: int64, shape (symbols,): direction sent to and received from;
    of a Wait that of the request; -1 if there is none."""

    def __len__(self) -> int:
        """Count the symbols."""
        return len(self.operation)


_TOLD: Final = tuple(field.name for field in fields(RowSymbols))
_BESIDE: Final = ("call", "size", "source_size", "receiver", "sender")
"""Columns that `kernels.call_rows` gives: what symbols say, and the others."""


@dataclass(frozen=True, slots=True, eq=False)
class CallTable:
    """One row for each MPI call of some ranks, in program order.

    A call that carries several messages one way (Startall) has a row for each.
    """

    first: int
    """int: the first rank."""
    offsets: Ints
    """int64, shape (ranks + 1,): rows of each rank, from the first on."""
    call: Ints
    """int64, shape (rows,): index into the trace's calls."""
    symbol: Ints
    """int64, shape (rows,): index into `symbols`."""
    size: Ints
    source_size: Ints
    """`size` and `source_size`: int64, shape (rows,): bytes sent (or of the
    collective), and received; -1 if there are none."""
    receiver: Ints
    sender: Ints
    """`receiver` and `sender`: int64, shape (rows,): world ranks sent to and received
    from; -1 if there are none. An operation that sends and receives stands for both
    also where one is missing, at an edge: its symbol says both, these what there is."""
    paths: CallPaths
    path: Ints
    kept: Bytes
    """`paths`, `path` and `kept`: call paths, that of each row, and how much of it
    stayed open since the row before; see `call_paths`."""
    symbols: RowSymbols
    """What the rows say."""
    names: tuple[str, ...]
    """Names of the directions."""
    families: tuple[str, ...]
    """Names of the communicators' families."""
    polled: Ints
    """int64, shape (n, 2): calls that repeat a poll, and the call that stands for the
    run."""
    null: int
    """int: number of calls with ``MPI_PROC_NULL`` or with a request of such a one."""
    calls: int
    """int: number of calls that the logical trace should hold: all but local ones of
    further threads and those to ``MPI_PROC_NULL``."""

    @property
    def rank(self) -> Ints:
        """Rank of each row, int64, shape (rows,)."""
        ranks = self.first + np.arange(len(self.offsets) - 1)
        rank: Ints = np.repeat(ranks, np.diff(self.offsets))
        return rank

    def numbered(self, number: Ints, symbols: RowSymbols) -> "CallTable":
        """Return the table with other numbers for its symbols."""
        return replace(self, symbol=number[self.symbol], symbols=symbols)


class CallReader:
    """Writes the calls of some ranks' main threads as rows, a few ranks at a time.

    Local calls are left out (`LOCAL_OPERATIONS`), so are calls to ``MPI_PROC_NULL``,
    which leave no message; repeated polls become one. A receive stands where it
    was posted, and a Wait is named by the request that it completes, so that
    the order in which messages happened to arrive leaves no trace.

    Going through it gives the tables of all the ranks, written anew each time.
    """

    def __init__(self, calls: PartCalls, facts: CallFacts) -> None:
        self._calls, self._facts = calls, facts
        self._trace, self._ranks = calls.part.trace, calls.part.ranks
        self._directions = PartDirections(calls, facts)
        self._paths = PathReader(calls.part, calls.paths, facts.paths)
        self._both = is_one_of(self._trace.regions, SENDRECV)

    def __iter__(self) -> Iterator["CallTable"]:
        """Iterate over the tables."""
        return map(self.table, self._calls.stretches())

    def table(self, ranks: slice) -> "CallTable":
        """Write the calls of some ranks."""
        trace, facts, calls = self._trace, self._facts, self._calls
        own = elements(ranks, trace.calls.offsets)
        some = slice(
            own.start - calls.part.main.start, own.stop - calls.part.main.start
        )
        offsets = trace.calls.offsets[ranks.start : ranks.stop + 1] - own.start
        operation = calls.operation[some].astype(np.int64)
        arrive = None
        if facts.arrives is not None:
            arrive = facts.arrives(trace.regions, operation, offsets)
        # Directions are of messages, so the calls that send and receive them get
        # theirs.
        to, source = self._directions.to, self._directions.source
        ends = calls.messages.ends(ranks, to, source, arrive)
        roles = collective_roles(trace, ranks, facts.family_of)
        place = calls.reached.place[some]
        at = np.flatnonzero((place >= 0) & (roles.family < 0))
        roles.family[at] = self._directions.family[place[at]]
        silent = ends.sent + ends.received == 0
        # Calls that concern no other rank are no part of the exchange; calls on null
        # partners are counted, since programs at borders make them.
        left_out = is_one_of(trace.regions, LOCAL_OPERATIONS)[operation] & silent
        candidate = ~left_out & (operation >= 0)
        awaits = self._completed_calls(ranks, operation, ends)
        null = candidate & self._is_null_call(ranks, operation, silent, awaits)
        kept = np.flatnonzero(candidate & ~null)
        polls = is_one_of(trace.regions, POLLING)[operation] & silent
        # Whether Testall or Waitall completes a request is luck of the run: ranks that
        # did the same must not differ by it.
        polled_as = operation.copy()
        if facts.waits_by_luck:
            tests, waits = (
                is_one_of(trace.regions, names)[operation] & silent
                for names in (TESTALL, WAITALL)
            )
            late = _late_waits(kept, tests, waits, offsets)
            polled_as[late], polls[late] = operation[tests][:1], True
        repeats, polled = _repeated_polls(
            kept, polled_as, polls, silent, offsets, arrive
        )
        if len(polled):
            kept = kept[~repeats]
        columns = kernels.call_rows(
            kept,
            (operation, awaits, roles.family, roles.root, roles.size),
            (ends.sent, ends.first_sent, ends.sent_to, ends.sent_size, ends.receiver),
            (
                ends.received,
                ends.first_received,
                ends.received_from,
                ends.received_size,
                ends.sender,
            ),
        )
        table = dict(zip(_BESIDE + _TOLD, (*columns[0], *columns[1]), strict=True))
        halves = np.flatnonzero(self._both[table["operation"]])
        call = table["call"][halves]
        single = (ends.sent[call] <= 1) & (ends.received[call] <= 1)
        self._complete_halves(table, halves[single])
        symbol, symbols = _encode([table[name] for name in _TOLD])
        call = own.start + table["call"]
        path, is_kept = self._paths.rows(call, own.start)
        return CallTable(
            first=ranks.start,
            offsets=np.searchsorted(table["call"], offsets).astype(np.int64),
            call=call,
            symbol=symbol,
            size=table["size"],
            source_size=table["source_size"],
            receiver=table["receiver"],
            sender=table["sender"],
            paths=facts.paths.paths,
            path=path,
            kept=is_kept,
            symbols=symbols,
            names=facts.names,
            families=facts.families,
            polled=own.start + polled,
            null=int(null.sum()),
            calls=len(kept) + len(polled),
        )

    def _completed_calls(
        self, ranks: slice, operation: Ints, ends: MessageEnds
    ) -> Ints:
        """Call whose request each Wait completes: -1 not known, -2 no Wait."""
        waiting = is_one_of(self._trace.regions, WAITING)
        posted = completions_of(
            self._trace, ranks, operation, follows=self._facts.follows
        )
        single = (ends.sent[posted] <= 1) & (ends.received[posted] <= 1)
        completed = np.where((posted >= 0) & single, posted, -1)
        return np.where(waiting[operation], completed, -2)

    def _is_null_call(
        self, ranks: slice, operation: Ints, silent: Bools, awaits: Ints
    ) -> Bools:
        """Whether a call's partner is ``MPI_PROC_NULL``.

        Such a call leaves no message though others of its operation do. A receive
        may lack its message for another reason: then its rank was sent messages
        that are matched with no receive. A Wait of such a request completes nothing
        though the trace says what other Waits complete.
        """
        regions = self._trace.regions
        carrying = self._facts.sums.carries & is_one_of(
            regions, POINT_TO_POINT | ONE_SIDED
        )
        receives = is_one_of(regions, RECEIVING)[operation]
        calls = np.diff(self._trace.calls.offsets[ranks.start : ranks.stop + 1])
        first = self._ranks.start
        unmatched = self._calls.messages.unmatched
        lost = np.repeat(unmatched[ranks.start - first : ranks.stop - first], calls)
        null: Bools = carrying[operation] & silent & ~(receives & lost)
        if self._facts.sums.recorded:
            null |= (awaits == -1) & ~lost
        null |= (awaits >= 0) & null[np.maximum(awaits, 0)]
        return null

    def _complete_halves(self, table: dict[str, Ints], halves: Ints) -> None:
        """Name the missing half of a Sendrecv as at the ranks that have both.

        At an edge one half's partner is ``MPI_PROC_NULL``. If other ranks have one
        and the same other half beside this one, it is that.
        """
        operation, *both = self._facts.halves
        sides = table["to"], table["source"]
        lone = halves[(sides[0][halves] >= 0) != (sides[1][halves] >= 0)]
        for side in (0, 1):
            present, missing = sides[side], sides[1 - side]
            some = lone[(present[lone] >= 0) & (missing[lone] < 0)]
            if not len(operation) or not len(some):
                continue
            width = len(self._facts.names) + 1
            codes, place = factorize(operation * width + both[side])
            partner = np.full(len(codes), -1, np.int64)
            alone = np.bincount(place)[place] == 1
            partner[place[alone]] = both[1 - side][alone]
            at = places_among(codes, table["operation"][some] * width + present[some])
            matched = (at >= 0) & (partner[at] >= 0)
            missing[some[matched]] = partner[at[matched]]


_MAX_CODES: Final = 1 << 61
"""Combinations that have codes of 64 bits."""


def _encode(columns: Sequence[Ints]) -> tuple[Ints, RowSymbols]:
    """Enumerate the combinations of columns (each -1 or more)."""
    code, span = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        width = int(column.max(initial=-1)) + 2
        if span * width > _MAX_CODES:
            code = factorize(code)[1]
            span = int(code.max(initial=-1)) + 1
        code *= width
        code += column
        code += 1
        span *= width
    symbol = factorize(code)[1]
    first = np.zeros(int(symbol.max(initial=-1)) + 1, np.int64)
    first[symbol[::-1]] = np.arange(len(symbol))[::-1]
    return symbol, RowSymbols(*(column[first].astype(np.int64) for column in columns))


def join_symbols(parts: Sequence[RowSymbols]) -> tuple[RowSymbols, list[Ints]]:
    """Renumber the symbols of several tables so that they share numbers.

    Returns
    -------
    RowSymbols
        Each once, in order of its columns.
    list of int64, shape (symbols of the part,)
        New numbers of those of each part.
    """
    columns = [
        np.concatenate([getattr(part, field.name) for part in parts])
        for field in fields(RowSymbols)
    ]
    kinds, which = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    ends = np.cumsum([len(part) for part in parts])[:-1]
    return RowSymbols(*kinds.T.copy()), np.split(which.ravel(), ends)


def _late_waits(kept: Ints, tests: Bools, waits: Bools, offsets: Ints) -> Ints:
    """Find the calls that wait for what the poll just before them found not done."""
    first = np.zeros(len(kept) + 1, bool)
    first[np.searchsorted(kept, offsets)] = True
    after = tests[kept[:-1]] & waits[kept[1:]] & ~first[1 : len(kept)]
    return kept[1:][after]


def _repeated_polls(  # noqa: PLR0913
    kept: Ints,
    operation: Ints,
    polling: Bools,
    silent: Bools,
    offsets: Ints,
    takes: Bools | None,
) -> tuple[Bools, Ints]:
    """Find calls that poll as the one before them of the same rank did.

    Where receives take what comes first, those that polling finds belong to it: then
    calls that poll in another way between the first poll and the last are found, too.

    Parameters
    ----------
    polling, silent : bool, shape (calls,)
        Calls that polled for nothing, and those that neither sent nor received.
    offsets : int64, shape (ranks + 1,)
        Calls of each rank.
    takes : bool, shape (calls,), or None
        Receives that do so.

    Returns
    -------
    bool, shape (kept,), and int64, shape (n, 2)
        Whether a call does; and those that do, each with the call that stands for it.
    """
    polls = polling[kept]
    call, before = kept[1:], kept[:-1]
    repeats = np.zeros(len(kept), bool)
    if takes is None:
        repeats[1:] = silent[before] & (operation[call] == operation[before])
    else:
        repeats[1:] = takes[before] | polls[:-1]
    repeats &= polls
    if not repeats.any():
        return repeats, np.zeros((0, 2), np.int64)
    polled = np.flatnonzero(polls)
    first = np.searchsorted(polled, np.searchsorted(kept, offsets))
    repeats[polled[first[first < len(polled)]]] = False  # each rank's own stands
    again = np.flatnonzero(repeats)
    stands = np.maximum.accumulate(np.where(polls & ~repeats, np.arange(len(kept)), 0))
    return repeats, np.column_stack((kept[again], kept[stands[again]]))
