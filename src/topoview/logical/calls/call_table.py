"""The call table: one row for each MPI call of every rank, in program order.

Equal rows share a symbol, whichever rank they are of. Order that is chance leaves no
trace: receives stand where they were posted, and repeated polls are one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from topoview.logical.arrays import factorize, first_entries, index_in_run, repeat
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
from topoview.logical.partners import DirectionsByCall, name_messages
from topoview.logical.stages import READING
from topoview.model import Bools, Bytes, Directions, Ints, Match, Trace
from topoview.progress import Report, batches, cancellable, silent

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
    counts = np.empty(len(calls), np.int64)
    offsets = np.zeros(len(calls) + 1, np.int64)
    for some in batches(len(calls), report, READING, (0.6, 0.63)):
        sent, received = ends.sent[calls[some]], ends.received[calls[some]]
        several = (sent > 1) | (received > 1)
        counts[some] = np.where(several, sent + received, 1)
        last = offsets[some.start + 1 : some.stop + 1]
        np.cumsum(counts[some], out=last)
        last += offsets[some.start]
    table: dict[str, Ints] = {}
    halves = np.empty(offsets[-1], bool)
    for some in batches(len(calls), report, READING, (0.63, 0.83)):
        columns = _row_columns(
            calls[some], counts[some], operation, awaits, ends, roles
        )
        report(READING, 0.63 + 0.2 * some.start / len(calls))
        own = slice(offsets[some.start], offsets[some.stop])
        for name, column in columns.items():
            if name not in table:
                table[name] = np.empty(offsets[-1], np.int64)
            table[name][own] = column
        halves[own] = both[columns["call"]] & repeat(counts[some] == 1, counts[some])
    if not table:
        table = _row_columns(calls, counts, operation, awaits, ends, roles)
    _complete_halves(table["to"], table["source"], halves, table["operation"], report)
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
    call, k = repeat(calls, counts), index_in_run(counts)
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


def _complete_halves(
    to: Ints, source: Ints, both: Bools, operation: Ints, report: Report
) -> None:
    """Name the missing half of a Sendrecv as at the ranks that have both.

    At an edge one half's partner is ``MPI_PROC_NULL``. If other ranks have one
    and the same other half beside this one, it is that.
    """
    report(READING, 0.83)
    halves = np.flatnonzero(both)
    has = (to[halves] >= 0) & (source[halves] >= 0)
    own = halves[has]
    for known, missing in ((to, source), (source, to)):
        report(READING, 0.86)
        lone = halves[~has]
        lone = lone[(known[lone] >= 0) & (missing[lone] < 0)]
        if not len(own) or not len(lone):
            continue
        width = int(known.max(initial=-1)) + 2
        codes, place = factorize(operation[own] * width + known[own], report, READING)
        partner = np.full(len(codes), -2, np.int64)
        partner[place] = missing[own]
        partner[place[partner[place] != missing[own]]] = -1
        code = operation[lone] * width + known[lone]
        at = np.minimum(np.searchsorted(codes, code), len(codes) - 1)
        found = (codes[at] == code) & (partner[at] >= 0)
        missing[lone[found]] = partner[at[found]]


def _encode(columns: Sequence[Ints], report: Report) -> tuple[Ints, RowSymbols]:
    """Give each combination of columns (each -1 or more) a number."""
    symbol = np.zeros(len(columns[0]), np.int64)
    for done, column in enumerate(columns):
        span = 0.9 + 0.1 * done / len(columns), 0.9 + 0.1 * (done + 1) / len(columns)
        width = int(column.max(initial=-1)) + 2
        code = np.empty_like(symbol)
        for some in batches(len(code), report, READING, span):
            code[some] = symbol[some] * width + column[some] + 1
        symbol = factorize(code, report, READING, span)[1]
    first = first_entries(symbol, int(symbol.max(initial=-1)) + 1)
    return symbol, RowSymbols(*(column[first] for column in columns))


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
    paths: CallPaths
    path: Ints
    kept: Bytes
    symbols: RowSymbols
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
        rank: Ints = repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        return rank


def call_table(  # noqa: PLR0913
    trace: Trace,
    directions: Directions | DirectionsByCall,
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
    operation = _operations(trace, report)
    receive = receive_calls(trace, operation)
    report(READING, 0.1)
    reached = one_sided(trace, operation, receive)
    told = replace(trace, messages=reached.messages)
    named = name_messages(told, directions, others, reached.receive_call, report)
    if arrives is not None:
        named = name_wildcards(named, trace, operation, reached.receive_call, arrives)
    ends = message_ends(
        told, named, reached.receive_call, len(operation), reached.moved, report
    )
    report(READING, 0.4)
    roles = collective_roles(trace, len(operation), match, report).at(reached)
    report(READING, 0.45)
    silent = np.empty(len(operation), bool)
    candidate = np.empty(len(operation), bool)
    left_out = is_one_of(trace.regions, LOCAL_OPERATIONS)
    for some in batches(len(operation), report, READING, (0.45, 0.47)):
        own = operation[some]
        silent[some] = ends.sent[some] + ends.received[some] == 0
        candidate[some] = ~(left_out[own] & silent[some]) & (own >= 0)
    awaits = _completed_calls(trace, operation, ends, report)
    null = candidate & _is_null_call(trace, operation, silent, ends, awaits, report)
    report(READING, 0.55)
    kept = np.flatnonzero(candidate & ~null)
    loops = None if arrives is None else arrives(trace, operation)
    repeats, polled = _repeated_polls(trace, kept, operation, silent, loops, report)
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
        named.several,
        roles.names,
        polled,
        elsewhere,
        int(null.sum()),
        len(kept) + len(polled) + elsewhere,
    )


def _operations(trace: Trace, report: Report) -> Ints:
    """Operation of each call of the ranks' main threads."""
    last = int(trace.calls.offsets[trace.ranks])
    found = np.empty(last, np.int64)
    for some in batches(last, report, READING, (0.0, 0.1)):
        found[some] = trace.regions.operation[trace.calls.region[some]]
    return found


def _completed_calls(
    trace: Trace, operation: Ints, ends: MessageEnds, report: Report
) -> Ints:
    """Call whose request each Wait completes: -1 not known, -2 no Wait."""
    waiting = is_one_of(trace.regions, WAITING)
    with cancellable(report, READING, 0.47):
        posted = completions(trace, operation)
    found = np.empty(len(operation), np.int64)
    for some in batches(len(operation), report, READING, (0.47, 0.5)):
        its = posted[some]
        single = (ends.sent[its] <= 1) & (ends.received[its] <= 1)
        known = np.where((its >= 0) & single, its, -1)
        found[some] = np.where(waiting[operation[some]], known, -2)
    return found


def _is_null_call(  # noqa: PLR0913
    trace: Trace,
    operation: Ints,
    silent: Bools,
    ends: MessageEnds,
    awaits: Ints,
    report: Report,
) -> Bools:
    """Whether a call's partner is ``MPI_PROC_NULL``.

    Such a call leaves no message though others of its operation do. A receive
    may lack its message for another reason: then its rank was sent messages
    that are matched with no receive. A Wait of such a request completes nothing
    though the trace says what other Waits complete.
    """
    carries = np.zeros(len(trace.regions.operations) + 1, bool)
    told = False
    for some in batches(len(operation), report, READING, (0.5, 0.52)):
        carries[operation[some][~silent[some]]] = True
        told = told or bool(
            np.any((awaits[some] > -2) & (trace.calls.completes[some] >= 0))
        )
    receives = is_one_of(trace.regions, RECEIVING)
    carrying = carries & is_one_of(trace.regions, POINT_TO_POINT | ONE_SIDED)
    lost = np.empty(len(operation), bool)
    null = np.empty(len(operation), bool)
    begins = trace.calls.offsets[1 : trace.ranks + 1]
    for some in batches(len(operation), report, READING, (0.52, 0.54)):
        rank = np.searchsorted(begins, np.arange(some.start, some.stop), side="right")
        lost[some] = ends.unmatched[rank]
        own = operation[some]
        null[some] = carrying[own] & silent[some] & ~(receives[own] & lost[some])
        if told:
            null[some] |= (awaits[some] == -1) & ~lost[some]
    posted = null.copy()
    for some in batches(len(operation), report, READING, (0.54, 0.55)):
        its = awaits[some]
        null[some] |= (its >= 0) & posted[np.maximum(its, 0)]
    return null


def _repeated_polls(  # noqa: PLR0913
    trace: Trace,
    kept: Ints,
    operation: Ints,
    silent: Bools,
    takes: Bools | None,
    report: Report,
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
    repeats = np.zeros(len(kept), bool)
    for some in batches(len(kept) - 1, report, READING, (0.56, 0.6)):
        call, before = kept[some.start + 1 : some.stop + 1], kept[some]
        polls = silent[call] & polling[operation[call]]
        if takes is None:
            polls &= silent[before] & (operation[call] == operation[before])
        else:
            polls &= takes[before] | silent[before] & polling[operation[before]]
        repeats[some.start + 1 : some.stop + 1] = polls
    report(READING, 0.6)
    if not repeats.any():
        return repeats, np.zeros((0, 2), np.int64)
    polls = silent[kept] & polling[operation[kept]]
    polled = np.flatnonzero(polls)
    first = np.searchsorted(polled, np.searchsorted(kept, trace.calls.offsets))
    repeats[polled[first[first < len(polled)]]] = False  # each rank's own stands
    again = np.flatnonzero(repeats)
    stands = np.maximum.accumulate(np.where(polls & ~repeats, np.arange(len(kept)), 0))
    return repeats, np.column_stack((kept[again], kept[stands[again]]))
