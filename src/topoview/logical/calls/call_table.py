"""The call table: one row for each MPI call of every rank, in program order.

Equal rows share a symbol, whichever rank they are of. Order that is chance leaves no
trace: receives stand where they were posted, and repeated polls are one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import DTypeLike

from topoview.base.progress import Report, batches, silent
from topoview.grouping import factorize
from topoview.logical.arrays import index_in_run, run_offsets
from topoview.logical.calls.communicators import CollectiveRoles, collective_roles
from topoview.logical.calls.messages import (
    MessageEnds,
    completions,
    message_ends,
    receive_calls,
)
from topoview.logical.calls.one_sided import one_sided
from topoview.logical.calls.operations import (
    LOCAL_OPERATIONS,
    ONE_SIDED,
    POINT_TO_POINT,
    POLLING,
    RECEIVING,
    SENDRECV,
    WAITING,
    is_one_of,
)
from topoview.logical.calls.wildcards import WildcardRule, name_wildcards
from topoview.logical.functions.call_paths import CallPaths, call_paths
from topoview.logical.partners import name_messages
from topoview.logical.stages import READING
from topoview.model import Bools, Bytes, Directions, Ints, Match, Trace, places_among

_OWN_COLUMNS = ("call", "size", "source_size", "receiver", "sender")
"""Columns that rows have beside their symbols."""


@dataclass(frozen=True, slots=True, eq=False)
class RowSymbols:
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
class RowColumns:
    """Rows before they are the ranks'; columns as in `Records`."""

    call: Ints
    symbol: Ints
    size: Ints
    source_size: Ints
    receiver: Ints
    sender: Ints
    symbols: RowSymbols


def rows_of(  # noqa: PLR0913
    calls: Ints,
    operation: Ints,
    awaits: Ints,
    ends: MessageEnds,
    roles: CollectiveRoles,
    both: Bools,
    report: Report,
) -> RowColumns:
    """Write calls as rows: a row a call, or a message of those that carry several."""
    report(READING, 0.6)
    sent, received = ends.sent[calls], ends.received[calls]
    counts = np.where((sent > 1) | (received > 1), sent + received, 1)
    offsets = run_offsets(counts)
    table: dict[str, Ints] = {}
    halves = np.empty(offsets[-1], bool)
    for some in batches(len(calls), report, READING, (0.63, 0.83)):
        columns = _row_columns(
            calls[some], counts[some], operation, awaits, ends, roles
        )
        own = slice(offsets[some.start], offsets[some.stop])
        for name, column in columns.items():
            if name not in table:
                # the others are small numbers
                kind: DTypeLike = np.int64 if name in _OWN_COLUMNS else np.int32
                table[name] = np.empty(offsets[-1], kind)
            table[name][own] = column
        halves[own] = both[columns["call"]] & np.repeat(counts[some] == 1, counts[some])
    if not table:
        table = _row_columns(calls, counts, operation, awaits, ends, roles)
    report(READING, 0.83)
    _complete_halves(table["to"], table["source"], halves, table["operation"])
    told = [table[field.name] for field in fields(RowSymbols)]
    symbol, symbols = _encode(told, report)
    return RowColumns(
        symbol=symbol, symbols=symbols, **{n: table[n] for n in _OWN_COLUMNS}
    )


def _row_columns(  # noqa: PLR0913
    calls: Ints,
    counts: Ints,
    operation: Ints,
    awaits: Ints,
    ends: MessageEnds,
    roles: CollectiveRoles,
) -> dict[str, Ints]:
    """Columns of some calls' rows."""
    call, k = np.repeat(calls, counts), index_in_run(counts)
    sent, received = ends.sent[call], ends.received[call]
    several = (sent > 1) | (received > 1)
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
    return {
        "call": call,
        "size": size,
        "source_size": source_size,
        "receiver": receiver,
        "sender": sender,
        "operation": operation[call],
        "family": roles.family[call],
        "root": roles.root[call],
        "awaited": np.where(waiting, operation[posted], -1),
        "to": ends.sent_to[send],
        "source": ends.received_from[receive],
    }


def _complete_halves(to: Ints, source: Ints, both: Bools, operation: Ints) -> None:
    """Name the missing half of a Sendrecv as at the ranks that have both.

    At an edge one half's partner is ``MPI_PROC_NULL``. If other ranks have one
    and the same other half beside this one, it is that.
    """
    halves = np.flatnonzero(both)
    has = (to[halves] >= 0) & (source[halves] >= 0)
    own = halves[has]
    for known, missing in ((to, source), (source, to)):
        lone = halves[~has]
        lone = lone[(known[lone] >= 0) & (missing[lone] < 0)]
        if not len(own) or not len(lone):
            continue
        width = int(known.max(initial=-1)) + 2
        codes, place = factorize(operation[own] * width + known[own])
        partner = np.full(len(codes), -2, np.int64)
        partner[place] = missing[own]
        partner[place[partner[place] != missing[own]]] = -1
        code = operation[lone] * width + known[lone]
        at = places_among(codes, code)
        found = (at >= 0) & (partner[at] >= 0)
        missing[lone[found]] = partner[at[found]]


def _encode(columns: Sequence[Ints], report: Report) -> tuple[Ints, RowSymbols]:
    """Give each combination of columns (each -1 or more) a number."""
    symbol = np.zeros(len(columns[0]), np.int64)
    for done, column in enumerate(columns):
        report(READING, 0.9 + 0.1 * done / len(columns))
        width = int(column.max(initial=-1)) + 2
        symbol = factorize(symbol * width + column + 1)[1]
    first = np.zeros(int(symbol.max(initial=-1)) + 1, np.int64)
    first[symbol[::-1]] = np.arange(len(symbol))[::-1]
    return symbol, RowSymbols(*(column[first].astype(np.int64) for column in columns))


@dataclass(frozen=True, slots=True, eq=False)
class CallTable:
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
    paths, path, kept
        Call paths, that of each row, and how much of it stayed open since the row
        before; see `call_paths`.
    symbols
        What the rows say.
    names
        Names of the directions.
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
    paths: CallPaths
    path: Ints
    kept: Bytes
    symbols: RowSymbols
    names: list[str]
    families: list[str]
    polled: Ints
    elsewhere: int
    null: int
    calls: int

    @property
    def rank(self) -> Ints:
        """Rank of each row, int64, shape (rows,)."""
        rank: Ints = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        return rank


def call_table(  # noqa: PLR0913
    trace: Trace,
    directions: Directions,
    others: Sequence[Directions] = (),
    match: Match | None = None,
    report: Report = silent,
    arrives: WildcardRule | None = None,
) -> CallTable:
    """Write the calls of all ranks' main threads as rows.

    Local calls are left out (`LOCAL_OPERATIONS`), so are calls to ``MPI_PROC_NULL``,
    which leave no message; repeated polls become one. A receive stands where it
    was posted, and a Wait is named by the request that it completes, so that
    the order in which messages happened to arrive leaves no trace. The senders of the
    receives that `arrives` tells are not told apart.
    """
    report(READING, 0.0)
    main_threads = slice(int(trace.calls.offsets[trace.ranks]))
    of_region = trace.regions.operation.astype(np.int64)
    operation = of_region[trace.calls.region[main_threads]]
    receive = receive_calls(trace, operation)
    report(READING, 0.1)
    reached = one_sided(trace, operation, receive)
    told = replace(trace, messages=reached.messages)
    named = name_messages(told, directions, others, match, report)
    if arrives is not None:
        named = name_wildcards(named, trace, operation, reached.receive_call, arrives)
    ends = message_ends(
        told, named, reached.receive_call, len(operation), reached.moved, report
    )
    report(READING, 0.4)
    roles = collective_roles(trace, len(operation), match, report).at(reached)
    report(READING, 0.45)
    silent = ends.sent + ends.received == 0
    left_out = is_one_of(trace.regions, LOCAL_OPERATIONS)[operation] & silent
    candidate = ~left_out & (operation >= 0)
    report(READING, 0.47)
    awaits = _completed_calls(trace, operation, ends)
    report(READING, 0.5)
    null = candidate & _is_null_call(trace, operation, silent, ends, awaits)
    report(READING, 0.55)
    kept = np.flatnonzero(candidate & ~null)
    loops = None if arrives is None else arrives(trace, operation)
    repeats, polled = _repeated_polls(trace, kept, operation, silent, loops)
    both = is_one_of(trace.regions, SENDRECV)[operation]
    report(READING, 0.6)
    if len(polled):
        kept = kept[~repeats]
    table = rows_of(kept, operation, awaits, ends, roles, both, report)
    report(READING, 1.0)
    further = trace.regions.operation[trace.calls.region[len(operation) :]]
    elsewhere = int(
        np.sum((further >= 0) & ~is_one_of(trace.regions, LOCAL_OPERATIONS)[further])
    )
    starts = np.searchsorted(table.call, trace.calls.offsets[: trace.ranks + 1])
    return CallTable(
        starts.astype(np.int64),
        table.call,
        table.symbol,
        table.size,
        table.source_size,
        table.receiver,
        table.sender,
        *call_paths(trace, table.call),
        table.symbols,
        ends.names,
        roles.names,
        polled,
        elsewhere,
        int(null.sum()),
        len(kept) + len(polled) + elsewhere,
    )


def _completed_calls(trace: Trace, operation: Ints, ends: MessageEnds) -> Ints:
    """Call whose request each Wait completes: -1 not known, -2 no Wait."""
    waiting = is_one_of(trace.regions, WAITING)
    posted = completions(trace, operation)
    single = (ends.sent[posted] <= 1) & (ends.received[posted] <= 1)
    known = np.where((posted >= 0) & single, posted, -1)
    return np.where(waiting[operation], known, -2)


def _is_null_call(
    trace: Trace, operation: Ints, silent: Bools, ends: MessageEnds, awaits: Ints
) -> Bools:
    """Whether a call's partner is ``MPI_PROC_NULL``.

    Such a call leaves no message though others of its operation do. A receive
    may lack its message for another reason: then its rank was sent messages
    that are matched with no receive. A Wait of such a request completes nothing
    though the trace says what other Waits complete.
    """
    carries = np.zeros(len(trace.regions.operations) + 1, bool)
    carries[operation[~silent]] = True
    carrying = carries & is_one_of(trace.regions, POINT_TO_POINT | ONE_SIDED)
    receives = is_one_of(trace.regions, RECEIVING)[operation]
    calls = np.diff(trace.calls.offsets[: trace.ranks + 1])
    lost = np.repeat(ends.unmatched, calls)
    null: Bools = carrying[operation] & silent & ~(receives & lost)
    completes = trace.calls.completes[: len(operation)]
    if np.any((awaits > -2) & (completes >= 0)):
        null |= (awaits == -1) & ~lost
    null |= (awaits >= 0) & null[np.maximum(awaits, 0)]
    return null


def _repeated_polls(
    trace: Trace, kept: Ints, operation: Ints, silent: Bools, takes: Bools | None
) -> tuple[Bools, Ints]:
    """Find calls that poll as the one before them of the same rank did.

    Where receives take what comes first, those that polling finds belong to it: then
    calls that poll in another way between the first poll and the last are found, too.

    Parameters
    ----------
    takes : bool, shape (calls,), or None
        Receives that do so.

    Returns
    -------
    bool, shape (kept,), and int64, shape (n, 2)
        Whether a call does; and those that do, each with the call that stands for it.
    """
    polling = is_one_of(trace.regions, POLLING)
    polls = silent[kept] & polling[operation[kept]]
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
    first = np.searchsorted(polled, np.searchsorted(kept, trace.calls.offsets))
    repeats[polled[first[first < len(polled)]]] = False  # each rank's own stands
    again = np.flatnonzero(repeats)
    stands = np.maximum.accumulate(np.where(polls & ~repeats, np.arange(len(kept)), 0))
    return repeats, np.column_stack((kept[again], kept[stands[again]]))
