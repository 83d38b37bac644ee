"""From a trace's calls to rows: what each rank did, in symbols that ranks share."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topoview.logical.arrays import number, within
from topoview.logical.collectives import Roles, collective_roles
from topoview.logical.deduction import completions, receive_calls
from topoview.logical.messages import Ends, message_ends
from topoview.logical.naming import DirectionsByCall, name_messages
from topoview.logical.operations import (
    LEFT_OUT,
    POINT_TO_POINT,
    POLLING,
    RECEIVING,
    SENDRECV,
    WAITING,
    among,
)
from topoview.model import Bools, Directions, Ints, Match, Trace


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
        Direction sent to and received from; of a Wait that of the request; -1 if
        there is none.
    """

    operation: Ints
    family: Ints
    root: Ints
    awaited: Ints
    to: Ints
    source: Ints

    def __len__(self) -> int:
        """Count the symbols."""
        return len(self.operation)


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
    receiver, sender : int64, shape (rows,)
        World ranks sent to and received from; -1 if there are none. An operation
        that sends and receives stands for both also where one is missing, at an
        edge: its symbol says both, these what there is.
    symbols
        What the rows say.
    names
        Names of the directions.
    several : bool, shape (names,)
        Whether a direction leads to several partners in turn.
    families
        Names of the communicators' families.
    polled : int64, shape (n, 2)
        Calls that repeat a poll, and the call that stands for the run.
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
    receiver: Ints
    sender: Ints
    symbols: Symbols
    names: list[str]
    several: Bools
    families: list[str]
    polled: Ints
    elsewhere: int
    null: int
    calls: int

    @property
    def rank(self) -> Ints:
        """Rank of each row, int64, shape (rows,)."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


def records(
    trace: Trace,
    directions: Directions | DirectionsByCall,
    others: Sequence[Directions] = (),
    match: Match | None = None,
) -> Records:
    """Write the calls of all ranks' main threads as rows.

    Local calls are left out (`LEFT_OUT`), so are calls to ``MPI_PROC_NULL``,
    which leave no message; repeated polls become one. A receive stands where it
    was posted, and a Wait is named by the request that it completes, so that
    the order in which messages happened to arrive leaves no trace.
    """
    operation = _operations(trace)
    receive = receive_calls(trace, operation)
    named = name_messages(trace, directions, others, receive)
    ends = message_ends(trace, named, receive, len(operation))
    roles = collective_roles(trace, len(operation), match)
    silent = ends.sent + ends.received == 0
    candidate = ~(among(trace.regions, LEFT_OUT)[operation] & silent) & (operation >= 0)
    awaits = _awaited(trace, operation, ends)
    null = candidate & _null(trace, operation, silent, ends.unmatched, awaits)
    kept = np.flatnonzero(candidate & ~null)
    polls = among(trace.regions, POLLING)[operation[kept]] & silent[kept]
    repeats = _repeats(kept, operation, polls, trace.calls.offsets[1:])
    stands = kept[np.maximum.accumulate(np.where(repeats, 0, np.arange(len(kept))))]
    polled = np.column_stack((kept[repeats], stands[repeats]))
    both = among(trace.regions, SENDRECV)[operation]
    table = _rows(kept[~repeats], operation, awaits, ends, roles, both)
    further = trace.regions.operation[trace.calls.region[len(operation) :]]
    elsewhere = int(np.sum((further >= 0) & ~among(trace.regions, LEFT_OUT)[further]))
    starts = np.searchsorted(table.call, trace.calls.offsets[: trace.ranks + 1])
    return Records(
        starts.astype(np.int64),
        table.call,
        table.symbol,
        table.size,
        table.source_size,
        table.receiver,
        table.sender,
        table.symbols,
        ends.names,
        named.several,
        roles.names,
        polled,
        elsewhere,
        int(null.sum()),
        len(kept) + elsewhere,
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
    receiver: Ints
    sender: Ints
    symbols: Symbols


def _rows(  # noqa: PLR0913
    calls: Ints, operation: Ints, awaits: Ints, ends: Ends, roles: Roles, both: Bools
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
    receiver, sender = ends.receiver[send], ends.sender[receive]
    waiting = awaits[call] >= 0
    posted = np.maximum(awaits[call], 0)
    send = np.where(waiting & (ends.sent[posted] > 0), ends.first_sent[posted], send)
    waits = waiting & (ends.received[posted] > 0)
    receive = np.where(waits, ends.first_received[posted], receive)
    awaited = np.where(waiting, operation[posted], -1)
    to, source = ends.sent_to[send], ends.received_from[receive]
    _complete(to, source, both[call] & ~several, operation[call])
    columns = (
        operation[call],
        roles.family[call],
        roles.root[call],
        awaited,
        to,
        source,
    )
    symbol, symbols = _encode(columns)
    return _Table(call, symbol, size, source_size, receiver, sender, symbols)


def _complete(to: Ints, source: Ints, both: Bools, operation: Ints) -> None:
    """Name the missing half of a Sendrecv as at the ranks that have both.

    At an edge one half's partner is ``MPI_PROC_NULL``. If other ranks have one
    and the same other half beside this one, it is that.
    """
    own = np.flatnonzero(both & (to >= 0) & (source >= 0))
    for known, missing in ((to, source), (source, to)):
        width = int(known.max(initial=-1)) + 2
        halves = number(operation[own] * width + known[own])[0]
        partner = np.full(len(halves), -2, np.int64)
        place = np.searchsorted(halves, operation[own] * width + known[own])
        partner[place] = missing[own]
        partner[place[partner[place] != missing[own]]] = -1
        lone = np.flatnonzero(both & (known >= 0) & (missing < 0))
        if not len(halves) or not len(lone):
            continue
        code = operation[lone] * width + known[lone]
        at = np.minimum(np.searchsorted(halves, code), len(halves) - 1)
        found = (halves[at] == code) & (partner[at] >= 0)
        missing[lone[found]] = partner[at[found]]


def _encode(columns: tuple[Ints, ...]) -> tuple[Ints, Symbols]:
    """Give each combination of columns (each -1 or more) a number."""
    symbol = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        width = int(column.max(initial=-1)) + 2
        symbol = number(symbol * width + column + 1)[1]
    first = np.zeros(int(symbol.max(initial=-1)) + 1, np.int64)
    first[symbol[::-1]] = np.arange(len(symbol))[::-1]
    return symbol, Symbols(*(column[first] for column in columns))
