"""From a trace's calls to rows: what each rank did, in symbols that ranks share."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from topoview.logical.arrays import repeated
from topoview.logical.arrivals import Arrives, from_any
from topoview.logical.call_paths import CallPaths, call_paths
from topoview.logical.collectives import collective_roles
from topoview.logical.deduction import completions, receive_calls
from topoview.logical.local_calls import LEFT_OUT
from topoview.logical.messages import Ends, message_ends
from topoview.logical.naming import DirectionsByCall, name_messages
from topoview.logical.one_sided import one_sided
from topoview.logical.operations import (
    ONE_SIDED,
    POINT_TO_POINT,
    POLLING,
    RECEIVING,
    SENDRECV,
    WAITING,
    among,
)
from topoview.logical.rows import Symbols, rows_of
from topoview.logical.stages import READING
from topoview.model import Bools, Bytes, Directions, Ints, Match, Trace
from topoview.progress import Report, breathing, portions, silent


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


def records(  # noqa: PLR0913
    trace: Trace,
    directions: Directions | DirectionsByCall,
    others: Sequence[Directions] = (),
    match: Match | None = None,
    report: Report = silent,
    arrives: Arrives | None = None,
) -> Records:
    """Write the calls of all ranks' main threads as rows.

    Local calls are left out (`LEFT_OUT`), so are calls to ``MPI_PROC_NULL``,
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
        named = from_any(named, trace, operation, reached.receive_call, arrives)
    ends = message_ends(
        told, named, reached.receive_call, len(operation), reached.moved, report
    )
    report(READING, 0.4)
    roles = collective_roles(trace, len(operation), match, report).at(reached)
    report(READING, 0.45)
    silent = np.empty(len(operation), bool)
    candidate = np.empty(len(operation), bool)
    left_out = among(trace.regions, LEFT_OUT)
    for some in portions(len(operation), report, READING, (0.45, 0.47)):
        own = operation[some]
        silent[some] = ends.sent[some] + ends.received[some] == 0
        candidate[some] = ~(left_out[own] & silent[some]) & (own >= 0)
    awaits = _awaited(trace, operation, ends, report)
    null = candidate & _null(trace, operation, silent, ends, awaits, report)
    report(READING, 0.55)
    kept = np.flatnonzero(candidate & ~null)
    loops = None if arrives is None else arrives(trace, operation)
    repeats, polled = _polls(trace, kept, operation, silent, loops, report)
    both = among(trace.regions, SENDRECV)[operation]
    report(READING, 0.6)
    if len(polled):
        kept = kept[~repeats]
    table = rows_of(kept, operation, awaits, ends, roles, both, report)
    report(READING, 1.0)
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
        len(kept) + len(polled) + elsewhere,
    )


def _operations(trace: Trace, report: Report) -> Ints:
    """Operation of each call of the ranks' main threads."""
    last = int(trace.calls.offsets[trace.ranks])
    found = np.empty(last, np.int64)
    for some in portions(last, report, READING, (0.0, 0.1)):
        found[some] = trace.regions.operation[trace.calls.region[some]]
    return found


def _awaited(trace: Trace, operation: Ints, ends: Ends, report: Report) -> Ints:
    """Call whose request each Wait completes: -1 not known, -2 no Wait."""
    waiting = among(trace.regions, WAITING)
    with breathing(report, READING, 0.47):
        posted = completions(trace, operation)
    found = np.empty(len(operation), np.int64)
    for some in portions(len(operation), report, READING, (0.47, 0.5)):
        its = posted[some]
        single = (ends.sent[its] <= 1) & (ends.received[its] <= 1)
        known = np.where((its >= 0) & single, its, -1)
        found[some] = np.where(waiting[operation[some]], known, -2)
    return found


def _null(  # noqa: PLR0913
    trace: Trace,
    operation: Ints,
    silent: Bools,
    ends: Ends,
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
    for some in portions(len(operation), report, READING, (0.5, 0.52)):
        carries[operation[some][~silent[some]]] = True
        told = told or bool(
            np.any((awaits[some] > -2) & (trace.calls.completes[some] >= 0))
        )
    receives = among(trace.regions, RECEIVING)
    carrying = carries & among(trace.regions, POINT_TO_POINT | ONE_SIDED)
    lost = np.empty(len(operation), bool)
    null = np.empty(len(operation), bool)
    begins = trace.calls.offsets[1 : trace.ranks + 1]
    for some in portions(len(operation), report, READING, (0.52, 0.54)):
        rank = np.searchsorted(begins, np.arange(some.start, some.stop), side="right")
        lost[some] = ends.unmatched[rank]
        own = operation[some]
        null[some] = carrying[own] & silent[some] & ~(receives[own] & lost[some])
        if told:
            null[some] |= (awaits[some] == -1) & ~lost[some]
    posted = null.copy()
    for some in portions(len(operation), report, READING, (0.54, 0.55)):
        its = awaits[some]
        null[some] |= (its >= 0) & posted[np.maximum(its, 0)]
    return null


def _polls(  # noqa: PLR0913
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
    polling = among(trace.regions, POLLING)
    repeats = np.zeros(len(kept), bool)
    for some in portions(len(kept) - 1, report, READING, (0.56, 0.6)):
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
