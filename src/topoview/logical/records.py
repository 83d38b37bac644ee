"""From a trace's calls to rows: what each rank did, in symbols that ranks share."""

from dataclasses import dataclass

import numpy as np

from topoview.logical.arrays import number, within
from topoview.logical.collectives import Roles, collective_roles
from topoview.logical.deduction import completions, receive_calls
from topoview.logical.messages import Ends, message_ends
from topoview.logical.operations import (
    LEFT_OUT,
    POINT_TO_POINT,
    POLLING,
    RECEIVING,
    WAITING,
    among,
)
from topoview.model import Bools, Directions, Ints, Trace


@dataclass(frozen=True, slots=True, eq=False)
class Symbols:
    """What a row can say but for its sizes; equal rows of all ranks share one.

    Attributes
    ----------
    operation : int64, shape (symbols,)
        Index into `Regions.operations`.
    family, root : int64, shape (symbols,)
        Of a collective: family of its communicator and the root's rank in it,
        -1 if there is none.
    awaited : int64, shape (symbols,)
        Of a Wait: operation that posted the request it completes; -1 otherwise.
    to, source : int64, shape (symbols,)
        Half that is sent, ``2 * direction``, and received, ``2 * direction + 1``;
        of a Wait that of the request; -1 if there is none.
    """

    operation: Ints
    family: Ints
    root: Ints
    awaited: Ints
    to: Ints
    source: Ints

    def code(self, symbol: Ints, to: Ints, source: Ints) -> Ints:
        """Write symbols as numbers, with these halves instead of their own."""
        base = np.zeros(len(self.operation), np.int64)
        for column in (self.operation, self.family, self.root, self.awaited):
            base = number(base * (int(column.max(initial=-1)) + 2) + column + 1)[1]
        width = int(max(self.to.max(initial=-1), self.source.max(initial=-1))) + 2
        code: Ints = (base[symbol] * width + to + 1) * width + source + 1
        return code


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """One row for each MPI call of every rank, in program order.

    A call that carries several messages one way (Startall) has a row for each.

    Attributes
    ----------
    offsets : int64, shape (ranks + 1,)
        Rows of each rank.
    call : int64, shape (rows,)
        Index into the trace's calls.
    symbol : int64, shape (rows,)
        Index into `symbols`.
    size, source_size : int64, shape (rows,)
        Bytes sent (or of the collective), and received; -1 if there are none.
    symbols
        What the rows say.
    names
        Names of the directions.
    families
        Names of the communicators' families.
    polled : int64, shape (n, 2)
        Calls that repeat a poll, and the call that stands for the run.
    unnamed : int64, shape (n,)
        Calls whose partner has no direction.
    elsewhere : int
        Number of calls of further threads, which are left out.
    null : int
        Number of calls with ``MPI_PROC_NULL`` or with a request of such a one.
    calls : int
        Number of calls that the logical trace should hold: all but local ones
        and those to ``MPI_PROC_NULL``.
    """

    offsets: Ints
    call: Ints
    symbol: Ints
    size: Ints
    source_size: Ints
    symbols: Symbols
    names: list[str]
    families: list[str]
    polled: Ints
    unnamed: Ints
    elsewhere: int
    null: int
    calls: int

    @property
    def rank(self) -> Ints:
        """Rank of each row, int64, shape (rows,)."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


def records(trace: Trace, directions: Directions) -> Records:
    """Write the calls of all ranks' main threads as rows.

    Local calls are left out (`LEFT_OUT`), so are calls to ``MPI_PROC_NULL``,
    which leave no message; repeated polls become one. A receive stands where it
    was posted, and a Wait is named by the request that it completes, so that
    the order in which messages happened to arrive leaves no trace.
    """
    operation = _operations(trace)
    ends = message_ends(
        trace, directions, receive_calls(trace, operation), len(operation)
    )
    roles = collective_roles(trace, len(operation))
    silent = ends.sent + ends.received == 0
    candidate = ~(among(trace.regions, LEFT_OUT)[operation] & silent) & (operation >= 0)
    awaits = _awaited(trace, operation, ends)
    null = candidate & _null(trace, operation, silent, ends.unmatched, awaits)
    unnamed = candidate & ~null & _unnamed(ends, awaits)
    kept = np.flatnonzero(candidate & ~null & ~unnamed)
    polls = among(trace.regions, POLLING)[operation[kept]] & silent[kept]
    repeats = _repeats(kept, operation, polls, trace.calls.offsets[1:])
    stands = kept[np.maximum.accumulate(np.where(repeats, 0, np.arange(len(kept))))]
    polled = np.column_stack((kept[repeats], stands[repeats]))
    table = _rows(kept[~repeats], operation, awaits, ends, roles)
    further = trace.regions.operation[trace.calls.region[len(operation) :]]
    elsewhere = int(np.sum((further >= 0) & ~among(trace.regions, LEFT_OUT)[further]))
    starts = np.searchsorted(table.call, trace.calls.offsets[: trace.ranks + 1])
    return Records(
        starts.astype(np.int64),
        table.call,
        table.symbol,
        table.size,
        table.source_size,
        table.symbols,
        ends.names,
        roles.names,
        polled,
        np.flatnonzero(unnamed),
        elsewhere,
        int(null.sum()),
        len(kept) + int(unnamed.sum()) + elsewhere,
    )


def _operations(trace: Trace) -> Ints:
    """Operation of each call of the ranks' main threads."""
    last = int(trace.calls.offsets[trace.ranks])
    return trace.regions.operation[trace.calls.region[:last]].astype(np.int64)


def _awaited(trace: Trace, operation: Ints, ends: Ends) -> Ints:
    """Call whose request each Wait completes: -1 not known, -2 no Wait."""
    wait = among(trace.regions, WAITING)[operation]
    posted = completions(trace, operation)
    single = (ends.sent[posted] <= 1) & (ends.received[posted] <= 1)
    known: Ints = np.where((posted >= 0) & single, posted, -1)
    return np.where(wait, known, -2)


def _null(
    trace: Trace, operation: Ints, silent: Bools, unmatched: Bools, awaits: Ints
) -> Bools:
    """Whether a call's partner is ``MPI_PROC_NULL``.

    Such a call leaves no message though others of its operation do. A receive
    may lack its message for another reason: then its rank was sent messages
    that are matched with no receive. A Wait of such a request completes nothing
    though the trace says what other Waits complete.
    """
    carries = np.zeros(len(trace.regions.operations) + 1, bool)
    carries[operation[~silent]] = True
    rank = np.repeat(
        np.arange(trace.ranks), np.diff(trace.calls.offsets)[: trace.ranks]
    )
    lost = among(trace.regions, RECEIVING)[operation] & unmatched[rank]
    none = among(trace.regions, POINT_TO_POINT)[operation] & silent
    null: Bools = none & carries[operation] & ~lost
    if np.any((awaits > -2) & (trace.calls.completes[: len(awaits)] >= 0)):
        null |= (awaits == -1) & ~unmatched[rank]
    if len(awaits):
        null |= (awaits >= 0) & null[np.maximum(awaits, 0)]
    return null


def _unnamed(ends: Ends, awaits: Ints) -> Bools:
    """Whether a call, or the one that it awaits, has a partner without direction."""
    return ends.unnamed | ((awaits >= 0) & ends.unnamed[np.maximum(awaits, 0)])


def _repeats(kept: Ints, operation: Ints, polls: Bools, row_ends: Ints) -> Bools:
    """Whether a call polls as the one before it of the same rank did."""
    repeats = np.zeros(len(kept), bool)
    same = operation[kept[1:]] == operation[kept[:-1]]
    repeats[1:] = polls[1:] & polls[:-1] & same
    first = np.searchsorted(kept, row_ends)
    repeats[first[first < len(kept)]] = False
    return repeats


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    call: Ints
    symbol: Ints
    size: Ints
    source_size: Ints
    symbols: Symbols


def _rows(
    calls: Ints, operation: Ints, awaits: Ints, ends: Ends, roles: Roles
) -> _Table:
    sent, received = ends.sent[calls], ends.received[calls]
    several = (sent > 1) | (received > 1)
    counts = np.where(several, sent + received, 1)
    call, k = np.repeat(calls, counts), within(counts)
    sent, received = np.repeat(sent, counts), np.repeat(received, counts)
    several = np.repeat(several, counts)
    send = np.where(k < sent, ends.first_sent[call] + k, -1)
    k = np.where(several, k - sent, k)
    receive = np.where((k >= 0) & (k < received), ends.first_received[call] + k, -1)
    size = np.where(send >= 0, ends.sent_size[send], roles.size[call])
    source_size = np.where(receive >= 0, ends.received_size[receive], -1)
    waiting = awaits[call] >= 0
    posted = np.maximum(awaits[call], 0)
    send = np.where(waiting & (ends.sent[posted] > 0), ends.first_sent[posted], send)
    waits = waiting & (ends.received[posted] > 0)
    receive = np.where(waits, ends.first_received[posted], receive)
    awaited = np.where(waiting, operation[posted], -1)
    to = np.where(send >= 0, 2 * ends.sent_to[send], -1)
    source = np.where(receive >= 0, 2 * ends.received_from[receive] + 1, -1)
    columns = (
        operation[call],
        roles.family[call],
        roles.root[call],
        awaited,
        to,
        source,
    )
    symbol, symbols = _encode(columns)
    return _Table(call, symbol, size, source_size, symbols)


def _encode(columns: tuple[Ints, ...]) -> tuple[Ints, Symbols]:
    """Give each combination of columns (each -1 or more) a number."""
    symbol = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        width = int(column.max(initial=-1)) + 2
        symbol = number(symbol * width + column + 1)[1]
    first = np.zeros(int(symbol.max(initial=-1)) + 1, np.int64)
    first[symbol[::-1]] = np.arange(len(symbol))[::-1]
    return symbol, Symbols(*(column[first] for column in columns))
