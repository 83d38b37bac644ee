"""From a trace's calls to rows: what each rank did, in symbols that ranks share."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from topoview.logical.arrays import repeated
from topoview.logical.call_paths import CallPaths, call_paths
from topoview.logical.collectives import collective_roles
from topoview.logical.deduction import completions, receive_calls
from topoview.logical.messages import Ends, message_ends
from topoview.logical.naming import DirectionsByCall, name_messages
from topoview.logical.one_sided import one_sided
from topoview.logical.operations import (
    LEFT_OUT,
    ONE_SIDED,
    POINT_TO_POINT,
    POLLING,
    RECEIVING,
    SENDRECV,
    WAITING,
    among,
)
from topoview.logical.rows import READING, Symbols, rows_of
from topoview.model import Bools, Bytes, Directions, Ints, Match, Trace
from topoview.progress import Report, silent


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
        rank: Ints = repeated(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        return rank


def records(
    trace: Trace,
    directions: Directions | DirectionsByCall,
    others: Sequence[Directions] = (),
    match: Match | None = None,
    report: Report = silent,
) -> Records:
    """Write the calls of all ranks' main threads as rows.

    Local calls are left out (`LEFT_OUT`), so are calls to ``MPI_PROC_NULL``,
    which leave no message; repeated polls become one. A receive stands where it
    was posted, and a Wait is named by the request that it completes, so that
    the order in which messages happened to arrive leaves no trace.
    """
    operation = _operations(trace)
    receive = receive_calls(trace, operation)
    report(READING, 0.1)
    reached = one_sided(trace, operation, receive)
    told = replace(trace, messages=reached.messages)
    named = name_messages(told, directions, others, reached.receive_call)
    report(READING, 0.3)
    ends = message_ends(
        told, named, reached.receive_call, len(operation), reached.moved
    )
    report(READING, 0.4)
    roles = collective_roles(trace, len(operation), match).at(reached)
    silent = ends.sent + ends.received == 0
    candidate = ~(among(trace.regions, LEFT_OUT)[operation] & silent) & (operation >= 0)
    awaits = _awaited(trace, operation, ends)
    null = candidate & _null(trace, operation, silent, ends.unmatched, awaits)
    report(READING, 0.5)
    kept = np.flatnonzero(candidate & ~null)
    polls = among(trace.regions, POLLING)[operation[kept]] & silent[kept]
    repeats = _repeats(kept, operation, polls, trace.calls.offsets[1:])
    stands = kept[np.maximum.accumulate(np.where(repeats, 0, np.arange(len(kept))))]
    polled = np.column_stack((kept[repeats], stands[repeats]))
    both = among(trace.regions, SENDRECV)[operation]
    report(READING, 0.6)
    table = rows_of(kept[~repeats], operation, awaits, ends, roles, both, report)
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
        *call_paths(trace, table.call),
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
    rank = repeated(np.arange(trace.ranks), np.diff(trace.calls.offsets)[: trace.ranks])
    lost = among(trace.regions, RECEIVING)[operation] & unmatched[rank]
    none = among(trace.regions, POINT_TO_POINT | ONE_SIDED)[operation] & silent
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
