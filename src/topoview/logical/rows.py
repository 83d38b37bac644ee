"""Calls as rows of symbols that all ranks share."""

from dataclasses import dataclass

import numpy as np

from topoview.logical.arrays import number, repeated, within
from topoview.logical.collectives import Roles
from topoview.logical.messages import Ends
from topoview.model import Bools, Ints
from topoview.progress import Report

READING = "reading the ranks' calls"


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
class Table:
    """Rows before they are the ranks'; columns as in `Records`."""

    call: Ints
    symbol: Ints
    size: Ints
    source_size: Ints
    receiver: Ints
    sender: Ints
    symbols: Symbols


def rows_of(  # noqa: PLR0913
    calls: Ints,
    operation: Ints,
    awaits: Ints,
    ends: Ends,
    roles: Roles,
    both: Bools,
    report: Report,
) -> Table:
    """Write calls as rows: a row a call, or a message of those that carry several."""
    sent, received = ends.sent[calls], ends.received[calls]
    several = (sent > 1) | (received > 1)
    counts = np.where(several, sent + received, 1)
    call, k = repeated(calls, counts), within(counts)
    report(READING, 0.63)
    sent, received = repeated(sent, counts), repeated(received, counts)
    several = repeated(several, counts)
    send = np.where(k < sent, ends.first_sent[call] + k, -1)
    k = np.where(several, k - sent, k)
    report(READING, 0.66)
    receive = np.where((k >= 0) & (k < received), ends.first_received[call] + k, -1)
    size = np.where(send >= 0, ends.sent_size[send], roles.size[call])
    source_size = np.where(receive >= 0, ends.received_size[receive], -1)
    receiver, sender = ends.receiver[send], ends.sender[receive]
    report(READING, 0.7)
    waiting = awaits[call] >= 0
    posted = np.maximum(awaits[call], 0)
    send = np.where(waiting & (ends.sent[posted] > 0), ends.first_sent[posted], send)
    report(READING, 0.73)
    waits = waiting & (ends.received[posted] > 0)
    receive = np.where(waits, ends.first_received[posted], receive)
    report(READING, 0.77)
    awaited = np.where(waiting, operation[posted], -1)
    report(READING, 0.8)
    to, source = ends.sent_to[send], ends.received_from[receive]
    report(READING, 0.83)
    _complete(to, source, both[call] & ~several, operation[call])
    report(READING, 0.87)
    family = roles.family[call]
    report(READING, 0.89)
    columns = (
        operation[call],
        family,
        roles.root[call],
        awaited,
        to,
        source,
    )
    report(READING, 0.9)
    symbol, symbols = _encode(columns, report)
    return Table(call, symbol, size, source_size, receiver, sender, symbols)


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


def _encode(columns: tuple[Ints, ...], report: Report) -> tuple[Ints, Symbols]:
    """Give each combination of columns (each -1 or more) a number."""
    symbol = np.zeros(len(columns[0]), np.int64)
    for done, column in enumerate(columns):
        report(READING, 0.9 + 0.1 * done / len(columns))
        width = int(column.max(initial=-1)) + 2
        symbol = number(symbol * width + column + 1)[1]
    first = np.zeros(int(symbol.max(initial=-1)) + 1, np.int64)
    first[symbol[::-1]] = np.arange(len(symbol))[::-1]
    return symbol, Symbols(*(column[first] for column in columns))
